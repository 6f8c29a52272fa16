//! What client and server say to each other; [`wire`](crate::wire) has it bit by bit.

use smallvec::SmallVec;
use ugas_core::ability::GameplayEvent;
use ugas_core::effect::{PredictionKey, Vector3};
use ugas_core::handle::{AbilityHandle, ActivationId, ControllerId};
use ugas_core::id::TagId;
use ugas_core::input::InputId;
use ugas_core::mirror::{Piece, PieceKey, Sight};
use ugas_core::targeting::TargetData;
use ugas_core::task::TaskOutcome;

use crate::tick::{Tick, TickLength};

/// The version of everything in this module. Peers of different versions do not talk.
pub const PROTOCOL: u32 = 3;

/// Names a client for as long as its session lasts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ClientId(pub u32);

/// Numbers the datagrams of one direction of a session, from 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct PacketId(pub u32);

/// Which datagrams of the other side arrived.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Ack {
    /// The newest; 0 if none did.
    pub newest: PacketId,
    /// Of the 32 before it, those that arrived; bit 0 is the one right before.
    pub earlier: u32,
}

/// From a client.
#[derive(Clone, PartialEq, Debug)]
pub enum ToServer {
    /// Asks to be let in; repeated until there is an answer.
    Hello(Hello),
    /// What the player did, and what arrived.
    Frames(Frames),
    /// The client goes.
    Bye,
}

/// A client introduces itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hello {
    /// [`PROTOCOL`] of the client.
    pub protocol: u32,
    /// Hash of its catalog.
    pub catalog: u64,
    /// Hash of its [`Dictionary`](crate::wire::Dictionary): how it reads and writes what the catalog defines.
    pub dictionary: u64,
    /// Drawn by the client; the answer repeats it, so that an old answer is not taken for a new one.
    pub nonce: u64,
    /// For the host to decide on: a name, a ticket. At most [`MAX_CREDENTIAL`](crate::limits::MAX_CREDENTIAL) bytes.
    pub credential: Vec<u8>,
}

/// What a player did, tick by tick, until it is acknowledged.
#[derive(Clone, PartialEq, Debug)]
pub struct Frames {
    /// Of this datagram.
    pub packet: PacketId,
    /// What arrived from the server.
    pub ack: Ack,
    /// Where the client's clock is.
    pub now: Tick,
    /// Frames that the server may not have yet, oldest first; ticks without commands are left out.
    pub frames: Vec<CommandFrame>,
}

/// What a player did in one tick. Its commands have the prediction keys (tick, 0), (tick, 1), …
#[derive(Clone, PartialEq, Debug)]
pub struct CommandFrame {
    /// When it is to happen.
    pub tick: Tick,
    /// What, in order.
    pub commands: SmallVec<[NetCommand; 1]>,
}

/// A run of an ability, as both sides can name it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunRef {
    /// By the server's handle.
    Known(ActivationId),
    /// By the command that began it, which the server may not have confirmed yet.
    Begun(PredictionKey),
}

/// What a player may ask for. Handles are the server's; effects are never named (§13.7).
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum NetCommand {
    /// Activates an ability.
    Activate {
        /// Which.
        ability: AbilityHandle,
        /// At whom or where.
        targets: TargetData,
        /// What it is told.
        event: Option<GameplayEvent>,
    },
    /// Ends a run.
    End(RunRef),
    /// Cancels a run.
    Cancel(RunRef),
    /// Confirms what waits for it.
    Confirm(ControllerId),
    /// Declines what waits for confirmation.
    Decline(ControllerId),
    /// Presses an input.
    Press {
        /// Whose.
        controller: ControllerId,
        /// Which.
        input: InputId,
    },
    /// Releases an input.
    Release {
        /// Whose.
        controller: ControllerId,
        /// Which.
        input: InputId,
    },
    /// Gives target data to a branch of a run that waits for it.
    Targets {
        /// The run.
        run: RunRef,
        /// Its branch.
        thread: u32,
        /// At whom or where.
        targets: TargetData,
    },
    /// Says how a task that the client's host carries out went.
    Finish {
        /// The run.
        run: RunRef,
        /// Its branch.
        thread: u32,
        /// How.
        outcome: TaskOutcome,
    },
}

/// From the server.
#[derive(Clone, PartialEq, Debug)]
pub enum ToClient {
    /// Come in.
    Welcome(Welcome),
    /// Not let in.
    Refused(Refused),
    /// What is new.
    Update(Update),
    /// The session is over.
    Bye(ByeReason),
}

/// What a client needs to know to take part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Welcome {
    /// The client's own.
    pub nonce: u64,
    /// Who it is now.
    pub client: ClientId,
    /// The server's newest tick.
    pub tick: Tick,
    /// How long ticks are.
    pub length: TickLength,
    /// Seed of dice that may be predicted.
    pub prediction_seed: u64,
    /// How many ticks ahead of the server commands may be stamped.
    pub max_lead: u32,
}

/// Why a client is not let in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refused {
    /// The client's own.
    pub nonce: u64,
    /// Why.
    pub reason: RefusedReason,
}

/// Why a client is not let in.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RefusedReason {
    /// Another protocol.
    #[error(
        "the server speaks protocol {server}, and this is protocol {client}: use the same release of both"
    )]
    Protocol {
        /// The server's.
        server: u32,
        /// The client's.
        client: u32,
    },
    /// Other rules.
    #[error(
        "the server's rules have the hash {server:016x}, and these {client:016x}: load the server's pack"
    )]
    Catalog {
        /// The server's.
        server: u64,
        /// The client's.
        client: u64,
    },
    /// Another dictionary, with the same rules.
    #[error(
        "the server's dictionary has the hash {server:016x}, and this one {client:016x}: quantise as the server does"
    )]
    Dictionary {
        /// The server's.
        server: u64,
        /// The client's.
        client: u64,
    },
    /// No room.
    #[error("the server is full: try again later")]
    Full,
    /// The host does not want it.
    #[error("the server does not let you in: {0}")]
    Denied(String),
}

/// Why a session ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ByeReason {
    /// The server stops.
    #[error("the server stops")]
    Shutdown,
    /// Nothing was heard for too long.
    #[error("nothing was heard for too long")]
    TimedOut,
    /// The host sent it away.
    #[error("the server sent you away")]
    Kicked,
    /// It sent too much, or what no honest client sends.
    #[error("too many datagrams, or such as no honest client sends")]
    Misbehaved,
}

/// What is new on the server for one client.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Update {
    /// Of this datagram.
    pub packet: PacketId,
    /// The tick that all of this is the state of.
    pub tick: Tick,
    /// What this datagram and those that follow have in common.
    pub course: Course,
    /// Whether it says so; otherwise an earlier one did.
    pub states_course: bool,
    /// How the client's datagrams came, if it is time to say so.
    pub word: Option<Word>,
    /// Which part of the tick's own-controller state this is, from 0; only with all parts the tick is complete.
    pub part: u8,
    /// How many parts there are.
    pub parts: u8,
    /// The tick whose own-controller state it builds upon; 0 if it builds upon what the client acknowledged.
    pub since: Tick,
    /// What became of commands, until acknowledged.
    pub results: Vec<CommandResult>,
    /// Controllers that came, changed or went, by rising handle.
    pub controllers: Vec<ControllerUpdate>,
    /// Cues that flash once, until acknowledged or too old.
    pub bursts: Vec<Burst>,
}

/// What datagrams of the server's have in common until it says otherwise, so that they need not repeat it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Course {
    /// How many ticks each datagram is after the one before it.
    pub step: u32,
    /// All controllers that are named by their places have places below this.
    pub places: u32,
}

impl Default for Course {
    /// One datagram in every tick, and nobody is named by a place.
    fn default() -> Self {
        Self { step: 1, places: 0 }
    }
}

/// How a client's datagrams came.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Word {
    /// Which of them arrived.
    pub ack: Ack,
    /// How many ticks the clock in the newest of them was ahead of the server at its arrival; negative is too late.
    pub margin: i16,
}

/// How a client's frames came, so that it can set its clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Feedback {
    /// The client's clock in its newest datagram of which the server said so.
    pub newest: Tick,
    /// How many ticks that was ahead of the server at its arrival; negative is too late.
    pub margin: i16,
}

/// What became of a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CommandResult {
    /// Which command.
    pub key: PredictionKey,
    /// What became of it.
    pub verdict: Verdict,
}

/// What became of a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It ran at its tick.
    Done,
    /// It came late and ran so many ticks after its own.
    Shifted(u8),
    /// It did not run.
    Rejected(Rejection),
}

/// Why a command did not run (§13.7), in the order in which it is checked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Rejection {
    /// Its tick was over.
    #[error("it came too late")]
    TooLate,
    /// Its tick was too far ahead.
    #[error("it was stamped too far ahead")]
    TooEarly,
    /// More commands than one may send.
    #[error("too many commands")]
    TooMany,
    /// A number is not finite, or something is longer than allowed.
    #[error("its data is out of bounds")]
    Malformed,
    /// The controller is not the client's (§13.7, 1).
    #[error("the controller is not yours")]
    NotOwner,
    /// The ability or run is not there or not the controller's (§13.7, 2).
    #[error("the ability was not granted, or the run is over")]
    NotGranted,
    /// The ability may not be begun or ended by a client.
    #[error("only the server may do that with this ability")]
    NotAllowed,
    /// Cost, cooldown, tags or another requirement of activation.
    #[error("the ability cannot be activated now")]
    NotActivated,
    /// A target is not known, or cannot be reached (§13.7, 3).
    #[error("the target cannot be reached")]
    NotReachable,
    /// An effect that the ability may not apply (§13.7, 4).
    #[error("the ability may not apply this effect")]
    EffectNotAllowed,
    /// Nothing waits for it.
    #[error("nothing waits for it")]
    NothingWaits,
}

/// What is new about a controller.
#[derive(Clone, PartialEq, Debug)]
pub struct ControllerUpdate {
    /// The server's handle of it.
    pub controller: ControllerId,
    /// What happened.
    pub change: ControllerChange,
}

/// What happened to a controller, for one client.
#[derive(Clone, PartialEq, Debug)]
pub enum ControllerChange {
    /// It is gone, or out of view.
    Gone,
    /// Pieces of it are new.
    Pieces {
        /// Counts how often the client was told of it from the beginning, modulo 256: whatever was known under another
        /// number is void.
        epoch: u8,
        /// Whether it is the client's own.
        own: bool,
        /// How much of it the client sees.
        sight: Sight,
        /// The pieces, by rising key; `None` for one that is gone.
        pieces: Vec<(PieceKey, Option<Piece>)>,
    },
}

/// A cue that flashes once.
#[derive(Clone, PartialEq, Debug)]
pub struct Burst {
    /// When.
    pub tick: Tick,
    /// Which of the cues of that tick: together with it a name, so that it is shown once.
    pub ordinal: u16,
    /// Which cue.
    pub cue: TagId,
    /// On whom.
    pub controller: ControllerId,
    /// From whom, if the client sees them.
    pub source: Option<ControllerId>,
    /// The prediction that it belongs to, if it is the client's own.
    pub key: Option<PredictionKey>,
    /// How strong.
    pub magnitude: f32,
    /// At what level.
    pub level: f32,
    /// Where, if known.
    pub location: Option<Vector3>,
}
