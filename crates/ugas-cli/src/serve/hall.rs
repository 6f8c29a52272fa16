//! The loop of a server: datagrams in, ticks in real time, datagrams out, and a line for whatever happens.

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::time::{Duration, Instant};

use ugas_core::time::{Span, Time};
use ugas_net::PeerId;
use ugas_transport::{Departure, Refusal, ServerEvent, ServerSocket};

use super::game::{Game, News};
use super::inspection::Inspection;
use super::lines::Lines;
use super::tape::Tape;
use crate::online::{self, Stop};
use crate::output;

/// Ticks that a server which was busy catches up on in one go; what is beyond did not happen.
const MOST_AT_ONCE: u32 = 30;
/// How long a connection stays whose session is over, so that the last word arrives.
const LAST_WORD: Duration = Duration::from_millis(500);

/// A server's socket, its game, and the time.
pub(super) struct Hall {
    socket: ServerSocket,
    game: Game,
    inspection: Option<Inspection>,
    start: Instant,
    next_tick: Time,
    ticks: u64,
    lost_ticks: u64,
    joined: u64,
    most_players: usize,
    closing: BTreeMap<PeerId, Instant>,
    lines: Lines,
    /// Refusals of the transport that were told of.
    refusals: BTreeMap<Refusal, u64>,
    access: Access,
}

/// Who gets in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Access {
    /// Who has a token.
    Keyed,
    /// Everybody.
    Open,
}

impl Hall {
    pub(super) fn new(
        socket: ServerSocket,
        access: Access,
        mut game: Game,
        inspection: Option<Inspection>,
    ) -> Self {
        let start = Instant::now();
        if let Some(inspection) = &inspection {
            inspection.recording(game.tape().and_then(|tape| tape.file()));
            game.keep_events();
        }
        Self {
            socket,
            game,
            inspection,
            start,
            next_tick: Time::ZERO,
            ticks: 0,
            lost_ticks: 0,
            joined: 0,
            most_players: 0,
            closing: BTreeMap::new(),
            lines: Lines::new(start),
            refusals: BTreeMap::new(),
            access,
        }
    }

    /// Plays until somebody wants it to end, or the time is over. Then clients are told, and a summary is printed.
    ///
    /// # Errors
    /// If the network, the terminal or the recording fails; the recording is ended all the same.
    pub(super) fn run(mut self, stop: &Stop, duration: Option<Duration>) -> anyhow::Result<()> {
        let played = self.play(stop, duration);
        let recorded = self.game.finish_recording();
        played?;
        self.shut_down()?;
        match recorded? {
            Some(text) => output::print(&text),
            None => Ok(()),
        }
    }

    fn play(&mut self, stop: &Stop, duration: Option<Duration>) -> anyhow::Result<()> {
        let is_over = |start: Instant| duration.is_some_and(|duration| start.elapsed() >= duration);
        while !stop.is_wanted() && !is_over(self.start) {
            self.step()?;
            let due = self.next_tick.since(online::time_since(self.start));
            let micros = u64::try_from(due.micros()).unwrap_or(0);
            if micros > 0 {
                self.socket.wait(Duration::from_micros(micros))?;
            }
        }
        Ok(())
    }

    fn step(&mut self) -> anyhow::Result<()> {
        let now = online::time_since(self.start);
        self.receive(now)?;
        let mut news = Vec::new();
        self.game.hear(&mut |event| news.push(event));
        if let Some(inspection) = &self.inspection {
            inspection.perform(&mut self.game);
        }
        let length = self.game.server.tick_length();
        for _ in 0..MOST_AT_ONCE {
            if self.next_tick > now {
                break;
            }
            let began = Instant::now();
            self.game.tick(now, &mut |event| news.push(event));
            if let Some(inspection) = &mut self.inspection {
                inspection.show(&mut self.game, began.elapsed());
            }
            self.next_tick = length.next_after(self.next_tick);
            self.ticks += 1;
        }
        while self.next_tick <= now {
            self.next_tick = length.next_after(self.next_tick);
            self.lost_ticks += 1;
        }
        // Before anything is sent: whoever watches reads updates one after another, and what a player hears first is what
        // all others are told by.
        for event in news {
            self.tell(event)?;
        }
        self.send();
        self.most_players = self.most_players.max(self.game.players());
        self.close_what_is_over();
        if let Some(problem) = self.game.tape().and_then(Tape::take_problem) {
            self.line(&format!("! {problem}"))?;
            if let Some(inspection) = &self.inspection {
                inspection.recording(None);
            }
        }
        self.report(Instant::now())
    }

    /// Tells of what is counted rather than told one by one.
    fn report(&mut self, now: Instant) -> anyhow::Result<()> {
        if !self.lines.is_due(now) {
            return Ok(());
        }
        let statistics = self.socket.statistics();
        for (refusal, count) in statistics.refusals() {
            let known = self.refusals.insert(refusal, count).unwrap_or(0);
            let who = statistics.refused_last(refusal).map_or_else(String::new, |from| format!(" {from}"));
            let text = format!("! refused{who}: {}", words(refusal, self.access));
            if let Some(new) = NonZeroU64::new(count - known) {
                self.lines.warn(&format!("{refusal:?}"), &text, new, now);
            }
        }
        self.print_lines(now)
    }

    fn print_lines(&mut self, now: Instant) -> anyhow::Result<()> {
        for text in self.lines.take(now) {
            self.line(&text)?;
        }
        Ok(())
    }

    fn receive(&mut self, now: Time) -> anyhow::Result<()> {
        self.socket.poll(Instant::now())?;
        let server = &mut self.game.server;
        while let Some(event) = self.socket.next_event() {
            match event {
                ServerEvent::Connected { peer, user_data } => {
                    self.closing.remove(&PeerId(peer));
                    server.host_mut().door.opened(PeerId(peer), user_data);
                }
                ServerEvent::Datagram { peer, bytes } => {
                    if let Some(inspection) = &mut self.inspection {
                        inspection.came(PeerId(peer), bytes);
                    }
                    server.handle(now, PeerId(peer), bytes);
                }
                ServerEvent::Disconnected { peer, reason } => {
                    // What `Departure` says is of the connection; the game says who left.
                    let _: Departure = reason;
                    server.disconnected(PeerId(peer));
                    server.host_mut().door.closed(PeerId(peer));
                    self.closing.remove(&PeerId(peer));
                }
            }
        }
        Ok(())
    }

    fn send(&mut self) {
        while let Some(transmit) = self.game.server.poll_transmit() {
            if let Some(inspection) = &mut self.inspection {
                inspection.goes(transmit.peer, &transmit.bytes);
            }
            // Who is not connected any more misses nothing.
            let _ = self.socket.send(transmit.peer.0, &transmit.bytes);
        }
    }

    fn tell(&mut self, news: News) -> anyhow::Result<()> {
        match news {
            News::Joined { peer, name, template } => {
                self.joined += 1;
                self.closing.remove(&peer);
                if let Some(inspection) = &mut self.inspection {
                    inspection.joined(peer);
                }
                let from = self.socket.address_of(peer.0);
                let from = from.map_or_else(String::new, |address| format!(" from {address}"));
                self.line(&format!("+ {name} joined as {template}{from}"))
            }
            News::Left { peer, name, reason } => {
                self.closing.insert(peer, Instant::now() + LAST_WORD);
                if let Some(inspection) = &mut self.inspection {
                    inspection.left(peer);
                }
                let why = reason.map_or_else(String::new, |reason| format!(": {reason}"));
                self.line(&format!("- {name} left{why}"))
            }
            News::Refused { peer, reason } => {
                self.closing.entry(peer).or_insert_with(|| Instant::now() + LAST_WORD);
                let from = self.socket.address_of(peer.0);
                let (ip, who) =
                    from.map_or_else(Default::default, |from| (from.ip().to_string(), format!(" {from}")));
                self.warn(&format!("{ip} {reason}"), &format!("! refused{who}: {reason}"))
            }
            News::Rejected { peer, name, rejection } => {
                if let Some(inspection) = &mut self.inspection {
                    inspection.rejected(&self.game, peer, rejection);
                }
                let text = format!("! {name}: a command was rejected: {rejection}");
                self.warn(&text, &text)
            }
            News::Died { name } => self.line(&format!("  {name} died")),
        }
    }

    /// A line that clients can bring about as often as they like: those with the same key are told once and counted.
    fn warn(&mut self, key: &str, text: &str) -> anyhow::Result<()> {
        let now = Instant::now();
        self.lines.warn(key, text, NonZeroU64::MIN, now);
        self.print_lines(now)
    }

    fn line(&self, text: &str) -> anyhow::Result<()> {
        output::print(&format!("{:8.2} s  {text}\n", self.start.elapsed().as_secs_f64()))
    }

    /// Ends connections without a session, once the last word about it has had time to arrive.
    fn close_what_is_over(&mut self) {
        let now = Instant::now();
        while let Some(peer) = self.closing.iter().find(|(_, due)| **due <= now).map(|(peer, _)| *peer) {
            self.closing.remove(&peer);
            self.socket.disconnect(peer.0);
            self.game.server.disconnected(peer);
            self.game.server.host_mut().door.closed(peer);
        }
    }

    fn shut_down(mut self) -> anyhow::Result<()> {
        for text in self.lines.finish() {
            self.line(&text)?;
        }
        let seconds = self.start.elapsed().as_secs_f64();
        self.game.server.shut_down();
        self.send();
        let counted = self.game.server.statistics();
        let transport = self.socket.shut_down();
        let joined = usize::try_from(self.joined).unwrap_or(usize::MAX);
        let mut text = format!(
            "the server stops after {seconds:.1} s and {} ticks: {} joined, {} at most at a time\n\
             commands: {} carried out, {} rejected\n\
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
            text.push_str(&format!("refused {times}: {}\n", words(refusal, self.access)));
        }
        if self.lost_ticks > 0 {
            let late = Span::from_micros(self.game.server.tick_length().span().micros());
            let lost = late.as_seconds() * self.lost_ticks as f64;
            text.push_str(&format!("the machine was too busy for {lost:.1} s of it\n"));
        }
        output::print(&text)
    }
}

/// How a refusal of the transport is told to whoever runs the server: of tokens only where there are some.
fn words(refusal: Refusal, access: Access) -> String {
    match (access, refusal) {
        // A token brought along to a server that has no key.
        (Access::Open, Refusal::UnknownIssuer) | (Access::Keyed, _) => refusal.to_string(),
        (Access::Open, _) => refusal.without_token().into_owned(),
    }
}
