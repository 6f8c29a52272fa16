//! Messages between client and server; [`wire`](crate::wire) encodes them.

use ugas_core::ability::GameplayEvent;
use ugas_core::effect::{PredictionKey, Vector3};
use ugas_core::handle::{ActivationId, ControllerId, GrantedAbilityId};
use ugas_core::id::TagId;
use ugas_core::input::InputId;
use ugas_core::replica::{Piece, PieceKey, RecordVisibility};
use ugas_core::targeting::TargetData;
use ugas_core::task::TaskOutcome;

use crate::tick::{Tick, TickLength};

/// Version of the protocol. Peers of different versions refuse each other.
pub const PROTOCOL: u32 = 6;

/// Low bits of [`Welcome::session`] that an [`Update`] carries.
pub const SESSION_BITS: u32 = 4;

/// The low [`SESSION_BITS`] of a session number.
pub(crate) const SESSION_MASK: u8 = (1 << SESSION_BITS) - 1;

/// Id of a client for the time of its session.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ClientId(pub u32);

/// Secret of a session, with which its client resumes it over another connection. The server gives it to the
/// client in the welcome; nobody else may know it. Comparison takes the same time for all values.
#[derive(Clone, Copy)]
pub struct ResumeSecret(pub [u8; Self::BYTES]);

impl ResumeSecret {
    /// Length in bytes.
    pub const BYTES: usize = 32;
}

impl PartialEq for ResumeSecret {
    fn eq(&self, other: &Self) -> bool {
        let differences = self.0.iter().zip(other.0).fold(0, |sum, (one, other)| sum | (one ^ other));
        // The optimiser must not end the comparison at the first difference.
        core::hint::black_box(differences) == 0
    }
}

impl Eq for ResumeSecret {}

impl core::fmt::Debug for ResumeSecret {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("ResumeSecret(secret)")
    }
}

/// Sequence number of a datagram in one direction of a session, from 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct PacketId(pub u32);

/// Acknowledgement: which datagrams of the other side arrived.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Ack {
    /// The newest datagram that arrived; 0 if none did.
    pub newest: PacketId,
    /// Bit mask of the 32 datagrams before it; bit 0 is the one right before.
    pub earlier: u32,
}

/// A message from a client.
#[derive(Clone, PartialEq, Debug)]
pub enum ToServer {
    /// Requests a session; repeated until there is an answer.
    Hello(Hello),
    /// Commands of the player, and an acknowledgement.
    Frames(Frames),
    /// The client leaves.
    Bye,
    /// Requests to continue a session over this connection; repeated until there is an answer.
    Resume(Resume),
}

/// A client that lost its connection requests to continue its session over another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Resume {
    /// The client's id in the session.
    pub client: ClientId,
    /// Random number of the client, another one for each connection; the answer repeats it.
    pub nonce: u64,
    /// Secret of the session, from its welcome.
    pub secret: ResumeSecret,
}

/// A client requests a session.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hello {
    /// The client's [`PROTOCOL`].
    pub protocol: u32,
    /// Hash of the client's catalog.
    pub catalog: u64,
    /// Hash of the client's [`Dictionary`](crate::wire::Dictionary).
    pub dictionary: u64,
    /// Random number of the client; answers repeat it, so that an old answer is not taken for a new one.
    pub nonce: u64,
    /// Credential for the server's host: a name, a ticket. At most
    /// [`MAX_CREDENTIAL`](crate::limits::MAX_CREDENTIAL) bytes.
    pub credential: Vec<u8>,
}

/// Commands of a player, tick by tick, repeated until they are acknowledged.
#[derive(Clone, PartialEq, Debug)]
pub struct Frames {
    /// [`Welcome::session`], so that frames of an earlier session, or of an earlier connection of the session,
    /// are not taken for this one's.
    pub session: u8,
    /// Sequence number of this datagram.
    pub packet: PacketId,
    /// Acknowledges datagrams of the server.
    pub ack: Ack,
    /// The client's current tick.
    pub now: Tick,
    /// Frames that are not acknowledged, oldest first; ticks without commands are left out.
    pub frames: Vec<CommandFrame>,
}

/// Commands of a player in one tick. They have the prediction keys (tick, 0), (tick, 1), …
#[derive(Clone, PartialEq, Debug)]
pub struct CommandFrame {
    /// The tick at which the commands run.
    pub tick: Tick,
    /// The commands, in order.
    pub commands: Vec<NetCommand>,
}

/// Names an activation in a way that both sides understand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ActivationRef {
    /// By the server's handle.
    Known(ActivationId),
    /// By the command that began it, which the server may not have run yet.
    Begun(PredictionKey),
}

/// A command of a player. Handles are the server's; effects are never named (§13.7).
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum NetCommand {
    /// Activates an ability.
    Activate {
        /// The granted ability.
        ability: GrantedAbilityId,
        /// Targets of the activation.
        targets: TargetData,
        /// Event that triggers it, if any.
        event: Option<GameplayEvent>,
    },
    /// Ends an activation.
    End(ActivationRef),
    /// Cancels an activation.
    Cancel(ActivationRef),
    /// Confirms tasks that wait for confirmation.
    Confirm(ControllerId),
    /// Declines tasks that wait for confirmation.
    Decline(ControllerId),
    /// Presses an input.
    Press {
        /// The controller.
        controller: ControllerId,
        /// The input.
        input: InputId,
        /// Targets of the abilities that the press activates.
        targets: TargetData,
    },
    /// Releases an input.
    Release {
        /// The controller.
        controller: ControllerId,
        /// The input.
        input: InputId,
    },
    /// Provides target data to a branch of an activation that waits for it.
    Targets {
        /// The activation.
        run: ActivationRef,
        /// Its branch.
        branch: u32,
        /// The targets.
        targets: TargetData,
    },
    /// Reports the outcome of a host task that the client's host carries out.
    Finish {
        /// The activation.
        run: ActivationRef,
        /// Its branch.
        branch: u32,
        /// The outcome.
        outcome: TaskOutcome,
    },
}

/// A message from the server.
#[derive(Clone, PartialEq, Debug)]
pub enum ToClient {
    /// The client is admitted.
    Welcome(Welcome),
    /// The client is refused.
    Refused(Refused),
    /// New state.
    Update(Update),
    /// The session ends.
    Bye(ByeReason),
}

/// Parameters of a session that begins or is resumed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Welcome {
    /// Nonce of the client's hello or resume.
    pub nonce: u64,
    /// Id of the client.
    pub client: ClientId,
    /// Number of the session and connection, for [`Frames::session`] and [`Update::session`]: another one for
    /// each welcome but repeated ones, modulo 256. The low [`SESSION_BITS`] differ from those of the last
    /// sessions of the connection.
    pub session: u8,
    /// The server's newest tick.
    pub tick: Tick,
    /// Length of a tick.
    pub length: TickLength,
    /// Seed of predictable random numbers.
    pub prediction_seed: u64,
    /// Most ticks that commands may be stamped ahead of the server.
    pub max_lead: u32,
    /// Secret to resume the session with; `None` if the server keeps no sessions.
    pub secret: Option<ResumeSecret>,
    /// Tick up to which the frames of a resumed session have arrived: they are not sent again. `None` for a
    /// new session.
    pub resumed: Option<Tick>,
}

/// Refusal of a hello or resume.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refused {
    /// Nonce of the client's hello or resume.
    pub nonce: u64,
    /// Reason of the refusal.
    pub reason: RefusedReason,
}

/// Reason for which a client is refused.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RefusedReason {
    /// The protocols differ.
    #[error(
        "the server uses protocol {server} and the client protocol {client}: use the same release of both"
    )]
    Protocol {
        /// The server's protocol.
        server: u32,
        /// The client's protocol.
        client: u32,
    },
    /// The catalogs differ.
    #[error(
        "the server's catalog has the hash {server:016x} and the client's {client:016x}: load the server's pack"
    )]
    Catalog {
        /// Hash on the server.
        server: u64,
        /// Hash on the client.
        client: u64,
    },
    /// The dictionaries differ, with equal catalogs.
    #[error(
        "the server's dictionary has the hash {server:016x} and the client's {client:016x}: use the server's dictionary"
    )]
    Dictionary {
        /// Hash on the server.
        server: u64,
        /// Hash on the client.
        client: u64,
    },
    /// The server has no room.
    #[error("the server is full: try again later")]
    Full,
    /// The server's host refused the credential.
    #[error("the server refused the client: {0}")]
    Denied(String),
    /// The session of this hello was admitted and has ended, before the client knew of it.
    #[error("the session has ended: {0}")]
    Ended(ByeReason),
    /// There is no session to resume, or the secret is wrong: the server was restarted, or kept the session no
    /// longer.
    #[error("the server does not know the session any more: it was restarted, or the time to resume is over")]
    NoSession,
}

/// Reason for which a session ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ByeReason {
    /// The server stops.
    #[error("the server is shutting down")]
    Shutdown,
    /// Nothing was received for too long.
    #[error("the connection timed out")]
    TimedOut,
    /// The host kicked the client.
    #[error("kicked by the server")]
    Kicked,
    /// The client sent too much, or something that no honest client sends.
    #[error("the client sent too many or invalid datagrams")]
    Misbehaved,
}

/// New state of the server for one client.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Update {
    /// Low [`SESSION_BITS`] of [`Welcome::session`], so that late updates of an earlier session are not taken
    /// for this one's.
    pub session: u8,
    /// Sequence number of this datagram.
    pub packet: PacketId,
    /// The tick whose state this is.
    pub tick: Tick,
    /// Stream parameters of this datagram.
    pub stream: StreamParams,
    /// Whether the datagram states the stream parameters; otherwise an earlier one did.
    pub states_stream: bool,
    /// Report on the client's datagrams, if one is due.
    pub ack_report: Option<AckReport>,
    /// Part of the tick's own-controller state, from 0; the tick is complete only with all parts.
    pub part: u8,
    /// Number of parts; 0 if there is no own-controller state in it.
    pub parts: u8,
    /// The tick whose own-controller state it builds upon; 0 for the state that the client acknowledged.
    pub since: Tick,
    /// Outcomes of commands, repeated until acknowledged.
    pub results: Vec<CommandResult>,
    /// Controllers that appeared, changed or vanished, by rising handle.
    pub controllers: Vec<ControllerUpdate>,
    /// Executed cues, repeated until acknowledged or too old.
    pub bursts: Vec<CueBurst>,
}

/// Parameters that the server's datagrams share until one states others, so that they need not repeat them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StreamParams {
    /// Ticks from each datagram to the next.
    pub step: u32,
    /// Upper bound of the slots by which controllers are addressed. The slot of a controller is the index of
    /// its handle.
    pub slots: u32,
}

impl Default for StreamParams {
    /// One datagram in every tick, and no controller addressed by slot.
    fn default() -> Self {
        Self { step: 1, slots: 0 }
    }
}

/// Report of the server on the client's datagrams.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AckReport {
    /// Acknowledges the client's datagrams.
    pub ack: Ack,
    /// Ticks by which the clock in the newest of them was ahead of the server at its arrival; negative if it
    /// was late.
    pub margin: i16,
}

/// Timing of a client's frames, by which it adjusts its clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Feedback {
    /// The client's clock in its newest acknowledged datagram.
    pub newest: Tick,
    /// Ticks by which that clock was ahead of the server at its arrival; negative if it was late.
    pub margin: i16,
}

/// Result of a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CommandResult {
    /// Prediction key of the command.
    pub key: PredictionKey,
    /// Its outcome.
    pub outcome: CommandOutcome,
}

/// Outcome of a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CommandOutcome {
    /// It ran at its tick.
    Done,
    /// It came late and ran this many ticks after its tick.
    Shifted(u8),
    /// It did not run.
    Rejected(Rejection),
}

/// Reason for which a command did not run (§13.7), in the order of the checks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Rejection {
    /// Its tick was over.
    #[error("it came too late")]
    TooLate,
    /// Its tick was too far ahead.
    #[error("it was stamped too far ahead")]
    TooEarly,
    /// More commands than the rate limit allows.
    #[error("too many commands")]
    TooMany,
    /// A number is not finite, or something is longer than allowed.
    #[error("its data is out of bounds")]
    Malformed,
    /// The controller is not the client's (§13.7, 1).
    #[error("the controller is not yours")]
    NotOwner,
    /// The ability or activation does not exist, or is not the controller's (§13.7, 2).
    #[error("the ability was not granted, or the activation is over")]
    NotGranted,
    /// The ability may not be activated or ended by a client.
    #[error("only the server may do that with this ability")]
    NotAllowed,
    /// Cost, cooldown, tags or another requirement of activation is not met.
    #[error("the ability cannot be activated now")]
    NotActivated,
    /// A target is unknown or out of reach (§13.7, 3).
    #[error("the target cannot be reached")]
    NotReachable,
    /// The ability may not apply an effect (§13.7, 4).
    #[error("the ability may not apply this effect")]
    EffectNotAllowed,
    /// Nothing waits for it.
    #[error("nothing waits for it")]
    NothingWaits,
}

/// New state of a controller.
#[derive(Clone, PartialEq, Debug)]
pub struct ControllerUpdate {
    /// The server's handle of the controller.
    pub controller: ControllerId,
    /// The change.
    pub change: ControllerChange,
}

/// Change of a controller, for one client.
#[derive(Clone, PartialEq, Debug)]
pub enum ControllerChange {
    /// The controller is gone, or out of view.
    Gone,
    /// Pieces of the controller changed.
    Pieces {
        /// Number of times that the view was started anew, modulo 256. Pieces of another epoch are void.
        epoch: u8,
        /// Whether the client owns the controller.
        own: bool,
        /// Records of the controller that the client sees.
        visibility: RecordVisibility,
        /// The pieces, by rising key; `None` if a piece was removed.
        pieces: Vec<(PieceKey, Option<Piece>)>,
    },
}

/// An executed cue.
#[derive(Clone, PartialEq, Debug)]
pub struct CueBurst {
    /// Tick of its execution.
    pub tick: Tick,
    /// Position among the bursts of that tick. Tick and ordinal identify the burst, so that it is shown once.
    pub ordinal: u16,
    /// Tag of the cue.
    pub cue: TagId,
    /// Controller on which it was executed.
    pub controller: ControllerId,
    /// Source of the cue; `None` if there is none or the client does not see it.
    pub source: Option<ControllerId>,
    /// Prediction key of the client's own command that it follows from.
    pub key: Option<PredictionKey>,
    /// Magnitude.
    pub magnitude: f32,
    /// Level.
    pub level: f32,
    /// Location, if known.
    pub location: Option<Vector3>,
    /// Rest of its context (C1), encoded by the core's codec, without the tags of source and target, which
    /// clients look up.
    pub details: Option<Vec<u8>>,
}
