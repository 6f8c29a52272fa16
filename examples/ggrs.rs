//! Peer-to-peer rollback with the crate `ggrs`: `cargo run -p ugas --example ggrs`.
//!
//! Two players simulate the same duel. Each predicts the input of the other, restores a snapshot when the
//! prediction was wrong, and simulates again. `RollbackEvents` emits every event once: at once and retracted if it did
//! not happen, or once it is confirmed.
#![allow(clippy::print_stdout, reason = "the example prints its result")]

use std::cell::RefCell;
use std::collections::VecDeque;
use std::error::Error;
use std::rc::Rc;
use std::sync::Arc;

use ggrs::{
    DesyncDetection, GgrsError, GgrsEvent, GgrsRequest, InputStatus, Message, NonBlockingSocket, P2PSession,
    PlayerType, PredictRepeatLast, SessionBuilder, SessionState,
};
use ugas::prelude::*;
use ugas::{RollbackChange, RollbackEvents, Snapshot, Time};

/// Frames of the match; a frame has 20 ms. The session goes on without strikes until all of them are confirmed.
const FRAMES: i32 = 300;
/// Calls of the sockets until a datagram arrives.
const DELAY: usize = 12;

/// Types of the session. An input is a button: 0 for none, 1 for a strike.
#[derive(Debug)]
struct Duel;

impl ggrs::Config for Duel {
    type Input = u8;
    type InputPredictor = PredictRepeatLast;
    type State = Snapshot;
    type Address = usize;
}

/// Datagrams on their way to each of the two players, with the number of calls that they still take.
type Wire = Rc<RefCell<[VecDeque<(usize, usize, Message)>; 2]>>;

/// One end of a network in memory.
struct Socket {
    player: usize,
    wire: Wire,
}

impl NonBlockingSocket<usize> for Socket {
    fn send_to(&mut self, message: &Message, to: &usize) {
        self.wire.borrow_mut()[*to].push_back((DELAY, self.player, message.clone()));
    }

    fn receive_all_messages(&mut self) -> Vec<(usize, Message)> {
        let inbox = &mut self.wire.borrow_mut()[self.player];
        inbox.iter_mut().for_each(|(calls, ..)| *calls = calls.saturating_sub(1));
        let arrived = inbox.iter().take_while(|(calls, ..)| *calls == 0).count();
        inbox.drain(..arrived).map(|(_, from, message)| (from, message)).collect()
    }
}

/// A player: the session, its simulation, and what it showed and wrote down.
struct Player {
    session: P2PSession<Duel>,
    sim: Simulation,
    abilities: [GrantedAbilityId; 2],
    frame: i32,
    /// State hash at the end of the match, as of its latest simulation.
    hash: u64,
    log: RollbackEvents,
    rollbacks: u32,
    /// Cues that are shown: one for each that happened, less those that were retracted.
    shown: i64,
    retracted: u32,
    /// Times of the cues of confirmed frames.
    confirmed: Vec<Time>,
}

impl Player {
    fn new(player: usize, wire: &Wire, catalog: &Arc<Catalog>) -> Result<Self, Box<dyn Error>> {
        let other = 1 - player;
        let session = SessionBuilder::<Duel>::new()
            .with_num_players(2)?
            .with_desync_detection_mode(DesyncDetection::On { interval: 10 })
            .add_player(PlayerType::Local, player)?
            .add_player(PlayerType::Remote(other), other)?
            .start_p2p_session(Socket { player, wire: Rc::clone(wire) })?;
        // Both begin with the same commands, and so with the same state.
        let mut sim = Simulation::new(Arc::clone(catalog), Config::seeded(7));
        let duellists = [sim.spawn("Duellist")?, sim.spawn("Duellist")?];
        let strike = catalog.ability("GA_Strike")?;
        let abilities = [sim.grant(duellists[0], strike, 1)?, sim.grant(duellists[1], strike, 1)?];
        sim.events().for_each(drop);
        Ok(Self {
            session,
            sim,
            abilities,
            frame: 0,
            hash: 0,
            log: RollbackEvents::default(),
            rollbacks: 0,
            shown: 0,
            retracted: 0,
            confirmed: Vec::new(),
        })
    }

    /// Sends the own input and does what the session asks for. Returns without a frame while the session waits.
    fn step(&mut self, player: usize) -> Result<(), Box<dyn Error>> {
        self.session.poll_remote_clients();
        for event in self.session.events() {
            assert!(!matches!(event, GgrsEvent::DesyncDetected { .. }), "the states differ: {event:?}");
        }
        if self.session.current_state() != SessionState::Running {
            return Ok(());
        }
        // Each player strikes in a rhythm of its own, which the other cannot foresee.
        let button = u8::from(self.frame < FRAMES && self.frame % [17, 23][player] < 2);
        self.session.add_local_input(player, button)?;
        let requests = match self.session.advance_frame() {
            Ok(requests) => requests,
            Err(GgrsError::PredictionThreshold) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        for request in requests {
            match request {
                GgrsRequest::SaveGameState { cell, frame } => {
                    let hash = self.sim.state_hash();
                    cell.save(frame, Some(self.sim.snapshot()), Some(hash.into()));
                    if frame == FRAMES {
                        self.hash = hash;
                    }
                }
                GgrsRequest::LoadGameState { cell, frame } => {
                    self.sim.restore(&cell.load().ok_or("the session loads only what was saved")?)?;
                    self.frame = frame;
                    self.rollbacks += 1;
                }
                GgrsRequest::AdvanceFrame { inputs } => self.advance(&inputs),
            }
        }
        self.show();
        Ok(())
    }

    /// Simulates a frame and records its events.
    fn advance(&mut self, inputs: &[(u8, InputStatus)]) {
        for (&(button, _), &ability) in inputs.iter().zip(&self.abilities) {
            if button == 1 {
                // On cooldown it is refused: an event, and nothing else changes.
                let _ = self.sim.activate(ability);
            }
        }
        self.sim.advance(Span::millis(20));
        self.log.record(self.frame.unsigned_abs().into(), self.sim.events());
        self.frame += 1;
    }

    /// Shows cues at once, and takes back those that did not happen; writes down cues of confirmed frames. A frame
    /// whose inputs are confirmed is correct once the session has advanced.
    fn show(&mut self) {
        for change in self.log.changes() {
            match change {
                RollbackChange::Happened(event) if is_cue(&event) => self.shown += 1,
                RollbackChange::Retracted(event) if is_cue(&event) => {
                    self.shown -= 1;
                    self.retracted += 1;
                }
                _ => {}
            }
        }
        let confirmed = self.session.confirmed_frame();
        if let Ok(confirmed) = u64::try_from(confirmed) {
            let cues = self.log.confirm(confirmed).filter(is_cue);
            self.confirmed.extend(cues.map(|event| event.time));
        }
    }
}

fn is_cue(event: &Event) -> bool {
    matches!(event.kind, EventKind::CueExecuted { .. })
}

/// A strike with a cooldown and a cue.
fn catalog() -> Result<Arc<Catalog>, ugas::Error> {
    Ok(Catalog::builder()
        .attribute_set(AttributeSetDef::new("Combat").with(AttributeDef::new("Energy", 0.0)))
        .effect(EffectDef::lasting("GE_Strike_Cooldown", 0.1).granting("Cooldown.Strike"))
        .effect(
            EffectDef::instant("GE_Strike")
                .modify("Energy", Operation::Add, MagnitudeDef::expression("floor(rand() * 10)"))
                .cue("GameplayCue.Strike"),
        )
        .ability(
            AbilityDef::new("GA_Strike")
                .cooldown("GE_Strike_Cooldown")
                .task(TaskDef::commit())
                .task(TaskDef::apply_to_owner("GE_Strike")),
        )
        .template(ControllerDef::new("Duellist").with_set("Combat"))
        .build()?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let catalog = catalog()?;
    let wire = Wire::default();
    let mut players = [Player::new(0, &wire, &catalog)?, Player::new(1, &wire, &catalog)?];
    let is_over = |player: &Player| player.session.confirmed_frame() > FRAMES;
    for _ in 0..100_000 {
        for (at, player) in players.iter_mut().enumerate() {
            player.step(at)?;
        }
        if players.iter().all(is_over) {
            break;
        }
    }
    for (at, player) in players.iter().enumerate() {
        println!(
            "player {at}: {} rollbacks, {} cues retracted, {} shown, {} confirmed",
            player.rollbacks,
            player.retracted,
            player.shown,
            player.confirmed.len()
        );
        assert!(is_over(player), "the match ends");
        assert!(player.rollbacks > 0, "inputs of the other arrive late");
        assert!(player.retracted > 0, "predictions are wrong at times");
        assert_eq!(player.shown, i64::try_from(player.confirmed.len())?, "every cue once");
    }
    let [first, second] = &players;
    assert_eq!(first.hash, second.hash, "equal states");
    assert_eq!(first.confirmed, second.confirmed, "equal events, in the same order");
    println!("both: {:016x}", first.hash);
    Ok(())
}
