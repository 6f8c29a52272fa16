//! The loop of a server: receives datagrams, plays ticks in real time, sends datagrams, and prints events.

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::time::{Duration, Instant};

use ugas_core::time::{Span, Time};
use ugas_net::PeerId;
use ugas_transport::{Departure, Refusal, ServerEvent, ServerSocket};

use super::game::{Game, PlayerEvent};
use super::inspector::ServerInspector;
use super::recording::ServerRecording;
use super::warnings::Warnings;
use crate::online::{self, StopSignal};
use crate::output;

/// Maximum number of ticks to catch up at once; ticks beyond it are skipped.
const MAX_CATCH_UP_TICKS: u32 = 30;
/// Time that a connection stays open after its session, so that the last message arrives.
const CLOSE_DELAY: Duration = Duration::from_millis(500);

/// A server's socket, its game, and the time.
pub(super) struct ServerLoop {
    socket: ServerSocket,
    game: Game,
    inspector: Option<ServerInspector>,
    start: Instant,
    next_tick: Time,
    ticks: u64,
    lost_ticks: u64,
    joined: u64,
    most_players: usize,
    closing: BTreeMap<PeerId, Instant>,
    warnings: Warnings,
    /// Counts of the transport's refusals that were printed.
    refusals: BTreeMap<Refusal, u64>,
    access: Access,
}

/// Which clients are accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Access {
    /// Clients with a token.
    Keyed,
    /// All clients.
    Open,
}

impl ServerLoop {
    /// Loop that has not begun. With an inspector, the game keeps its events for it.
    pub(super) fn new(
        socket: ServerSocket,
        access: Access,
        mut game: Game,
        inspector: Option<ServerInspector>,
    ) -> Self {
        let start = Instant::now();
        if let Some(inspector) = &inspector {
            inspector.recording(game.recording().and_then(|recording| recording.file()));
            game.keep_events();
        }
        Self {
            socket,
            game,
            inspector,
            start,
            next_tick: Time::ZERO,
            ticks: 0,
            lost_ticks: 0,
            joined: 0,
            most_players: 0,
            closing: BTreeMap::new(),
            warnings: Warnings::new(start),
            refusals: BTreeMap::new(),
            access,
        }
    }

    /// Plays until a stop is requested or the time is up. Then disconnects the clients and prints a summary.
    ///
    /// # Errors
    /// If the network, the terminal or the recording fails; the recording is finished in any case.
    pub(super) fn run(mut self, stop: &StopSignal, duration: Option<Duration>) -> anyhow::Result<()> {
        let played = self.play(stop, duration);
        let recorded = self.game.finish_recording();
        played?;
        self.shut_down()?;
        match recorded? {
            Some(text) => output::print(&text),
            None => Ok(()),
        }
    }

    /// Runs steps until the stop signal or the end of the time; waits for datagrams in between.
    fn play(&mut self, stop: &StopSignal, duration: Option<Duration>) -> anyhow::Result<()> {
        let is_over = |start: Instant| duration.is_some_and(|duration| start.elapsed() >= duration);
        while !stop.is_requested() && !is_over(self.start) {
            self.step()?;
            let due = self.next_tick.since(online::time_since(self.start));
            let micros = u64::try_from(due.micros()).unwrap_or(0);
            if micros > 0 {
                self.socket.wait(Duration::from_micros(micros))?;
            }
        }
        Ok(())
    }

    /// One round: receives, executes edits, runs the ticks that are due, prints events and sends. Ticks
    /// beyond the limit for catching up are skipped and counted.
    fn step(&mut self) -> anyhow::Result<()> {
        let now = online::time_since(self.start);
        self.receive(now)?;
        let mut events = Vec::new();
        self.game.handle_events(&mut |event| events.push(event));
        if let Some(inspector) = &self.inspector {
            inspector.perform(&mut self.game);
        }
        let length = self.game.server.tick_length();
        for _ in 0..MAX_CATCH_UP_TICKS {
            if self.next_tick > now {
                break;
            }
            let began = Instant::now();
            self.game.tick(now, &mut |event| events.push(event));
            if let Some(inspector) = &mut self.inspector {
                inspector.show(&mut self.game, began.elapsed());
            }
            self.next_tick = length.next_after(self.next_tick);
            self.ticks += 1;
        }
        while self.next_tick <= now {
            self.next_tick = length.next_after(self.next_tick);
            self.lost_ticks += 1;
        }
        // Before anything is sent: the inspector decodes updates as deltas, so it must know a player before
        // its first update.
        for event in events {
            self.print_event(event)?;
        }
        self.send();
        self.most_players = self.most_players.max(self.game.player_count());
        self.close_ended_sessions();
        if let Some(problem) = self.game.recording().and_then(ServerRecording::take_problem) {
            self.line(&format!("! {problem}"))?;
            if let Some(inspector) = &self.inspector {
                inspector.recording(None);
            }
        }
        self.report(Instant::now())
    }

    /// Prints refusals of the transport, which are counted, at intervals.
    fn report(&mut self, now: Instant) -> anyhow::Result<()> {
        if !self.warnings.is_due(now) {
            return Ok(());
        }
        let statistics = self.socket.statistics();
        for (refusal, count) in statistics.refusals() {
            let known = self.refusals.insert(refusal, count).unwrap_or(0);
            let who = statistics.refused_last(refusal).map_or_else(String::new, |from| format!(" {from}"));
            let text = format!("! refused{who}: {}", refusal_text(refusal, self.access));
            if let Some(new) = NonZeroU64::new(count - known) {
                self.warnings.warn(&format!("{refusal:?}"), &text, new, now);
            }
        }
        self.print_warnings(now)
    }

    /// Prints the warnings that are due, repeated ones as a number.
    fn print_warnings(&mut self, now: Instant) -> anyhow::Result<()> {
        for text in self.warnings.take(now) {
            self.line(&text)?;
        }
        Ok(())
    }

    /// Takes events of the socket: names of players from their tokens, datagrams and disconnects.
    fn receive(&mut self, now: Time) -> anyhow::Result<()> {
        self.socket.poll(Instant::now())?;
        let server = &mut self.game.server;
        while let Some(event) = self.socket.next_event() {
            match event {
                ServerEvent::Connected { peer, user_data } => {
                    self.closing.remove(&PeerId(peer));
                    server.host_mut().admission.connected(PeerId(peer), user_data);
                }
                ServerEvent::Datagram { peer, bytes } => {
                    if let Some(inspector) = &mut self.inspector {
                        inspector.datagram_received(PeerId(peer), bytes);
                    }
                    server.handle(now, PeerId(peer), bytes);
                }
                ServerEvent::Disconnected { peer, reason } => {
                    // The reason concerns the connection; the game reports why the player left.
                    let _: Departure = reason;
                    server.disconnected(PeerId(peer));
                    server.host_mut().admission.disconnected(PeerId(peer));
                    self.closing.remove(&PeerId(peer));
                }
            }
        }
        Ok(())
    }

    /// Sends what the server has queued; peers that have disconnected are skipped.
    fn send(&mut self) {
        while let Some(transmit) = self.game.server.poll_transmit() {
            if let Some(inspector) = &mut self.inspector {
                inspector.datagram_sent(transmit.peer, &transmit.bytes);
            }
            // The peer may have disconnected.
            let _ = self.socket.send(transmit.peer.0, &transmit.bytes);
        }
    }

    /// Prints a player event, and updates the inspector. Connections of players who left or were refused are
    /// closed after a delay, in which they get the reason.
    fn print_event(&mut self, event: PlayerEvent) -> anyhow::Result<()> {
        match event {
            PlayerEvent::Joined { peer, name, template } => {
                self.joined += 1;
                self.closing.remove(&peer);
                if let Some(inspector) = &mut self.inspector {
                    inspector.joined(peer);
                }
                let from = self.socket.address_of(peer.0);
                let from = from.map_or_else(String::new, |address| format!(" from {address}"));
                self.line(&format!("+ {name} joined as {template}{from}"))
            }
            PlayerEvent::Left { peer, name, reason } => {
                self.closing.insert(peer, Instant::now() + CLOSE_DELAY);
                if let Some(inspector) = &mut self.inspector {
                    inspector.left(peer);
                }
                let why = reason.map_or_else(String::new, |reason| format!(": {reason}"));
                self.line(&format!("- {name} left{why}"))
            }
            PlayerEvent::Refused { peer, reason } => {
                self.closing.entry(peer).or_insert_with(|| Instant::now() + CLOSE_DELAY);
                let from = self.socket.address_of(peer.0);
                let (ip, who) =
                    from.map_or_else(Default::default, |from| (from.ip().to_string(), format!(" {from}")));
                self.warn(&format!("{ip} {reason}"), &format!("! refused{who}: {reason}"))
            }
            PlayerEvent::Rejected { peer, name, rejection } => {
                if let Some(inspector) = &mut self.inspector {
                    inspector.rejected(&self.game, peer, rejection);
                }
                let text = format!("! {name}: a command was rejected: {rejection}");
                self.warn(&text, &text)
            }
            PlayerEvent::Died { name } => self.line(&format!("  {name} died")),
        }
    }

    /// Prints a warning that clients can cause at will: repetitions with the same key are counted.
    fn warn(&mut self, key: &str, text: &str) -> anyhow::Result<()> {
        let now = Instant::now();
        self.warnings.warn(key, text, NonZeroU64::MIN, now);
        self.print_warnings(now)
    }

    /// Prints a line with the time since the start.
    fn line(&self, text: &str) -> anyhow::Result<()> {
        output::print(&format!("{:8.2} s  {text}\n", self.start.elapsed().as_secs_f64()))
    }

    /// Disconnects peers without a session, after the last message has had time to arrive.
    fn close_ended_sessions(&mut self) {
        let now = Instant::now();
        while let Some(peer) = self.closing.iter().find(|(_, due)| **due <= now).map(|(peer, _)| *peer) {
            self.closing.remove(&peer);
            self.socket.disconnect(peer.0);
            self.game.server.disconnected(peer);
            self.game.server.host_mut().admission.disconnected(peer);
        }
    }

    /// Ends all sessions, closes the socket, and prints a summary.
    fn shut_down(mut self) -> anyhow::Result<()> {
        for text in self.warnings.finish() {
            self.line(&text)?;
        }
        let seconds = self.start.elapsed().as_secs_f64();
        self.game.server.shut_down();
        self.send();
        let counted = self.game.server.statistics();
        let transport = self.socket.shut_down();
        let joined = usize::try_from(self.joined).unwrap_or(usize::MAX);
        let mut text = format!(
            "the server stopped after {seconds:.1} s and {} ticks: {} joined, at most {} at a time\n\
             commands: {} confirmed, {} rejected\n\
             datagrams: {} received, {} sent ({:.1} kB/s), {} dropped\n",
            self.ticks,
            output::count(joined, "player"),
            self.most_players,
            counted.commands,
            counted.rejected,
            transport.datagrams_received,
            transport.datagrams_sent,
            transport.bytes_sent as f64 / 1_000.0 / seconds.max(0.001),
            transport.dropped() + counted.dropped,
        );
        for (refusal, count) in transport.refusals() {
            let times = if count == 1 { "once".to_owned() } else { format!("{count} times") };
            text.push_str(&format!("refused {times}: {}\n", refusal_text(refusal, self.access)));
        }
        if self.lost_ticks > 0 {
            let late = Span::from_micros(self.game.server.tick_length().span().micros());
            let lost = late.as_seconds() * self.lost_ticks as f64;
            text.push_str(&format!("the machine was too slow: {lost:.1} s were skipped\n"));
        }
        output::print(&text)
    }
}

/// Message of a transport's refusal for the operator; mentions tokens only if the server uses them.
fn refusal_text(refusal: Refusal, access: Access) -> String {
    match (access, refusal) {
        // The client used a token at a server without a key.
        (Access::Open, Refusal::UnknownIssuer) | (Access::Keyed, _) => refusal.to_string(),
        (Access::Open, _) => refusal.without_token().into_owned(),
    }
}
