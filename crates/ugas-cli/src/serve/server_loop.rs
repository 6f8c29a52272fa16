//! The loop of a server: receives datagrams, plays ticks in real time and sends datagrams. Nothing in it waits:
//! the log, the recording, used tokens, signals and metrics have threads of their own.

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use tracing::{debug, error, info, warn};
use ugas_core::time::{Span, Time};
use ugas_net::message::{ByeReason, ClientId};
use ugas_net::{KickReason, PeerId};
use ugas_transport::{Departure, Refusal, ServerEvent, ServerSocket, UsedToken};

use super::access::UsedTokenFile;
use super::config_file;
use super::control::{ControlEvent, Reloaded};
use super::game::{Game, Player, PlayerEvent};
use super::inspector::ServerInspector;
use super::log::Log;
use super::metrics::{Snapshot, TickTimes};
use super::ops::Vitals;
use super::recording::ServerRecording;
use super::settings::{AccessMode, Reload, Settings};
use super::warnings::Warnings;
use crate::{names, online, output};

/// Maximum number of ticks to catch up at once; ticks beyond it are skipped.
const MAX_CATCH_UP_TICKS: u32 = 30;
/// Time that a connection stays open after its session, so that the last message arrives.
const CLOSE_DELAY: Duration = Duration::from_millis(500);
/// Interval at which metrics are published.
const PUBLISH_INTERVAL: Duration = Duration::from_millis(250);
/// Time over which the share of rejected commands is measured.
const RATIO_INTERVAL: Duration = Duration::from_secs(10);
/// Maximum number of lists of used tokens that wait for the disk.
const USED_TOKEN_QUEUE: usize = 1024;

/// The parts of a server that operators use.
pub(super) struct Operation {
    pub(super) log: Log,
    pub(super) control: Receiver<ControlEvent>,
    pub(super) vitals: Vitals,
    pub(super) settings: Settings,
    pub(super) used_tokens: Option<UsedTokenFile>,
}

/// A server's socket, its game, and the time.
pub(super) struct ServerLoop {
    socket: ServerSocket,
    game: Game,
    inspector: Option<ServerInspector>,
    log: Log,
    control: Receiver<ControlEvent>,
    vitals: Vitals,
    settings: Settings,
    /// The thread that remembers used tokens on the disk.
    used_tokens: Option<SyncSender<Vec<UsedToken>>>,
    start: Instant,
    next_tick: Time,
    ticks: TickTimes,
    lost_ticks: u64,
    counts: Counts,
    most_players: usize,
    closing: BTreeMap<PeerId, Instant>,
    /// Why connections ended since the last round, for the players that leave with them.
    departures: BTreeMap<PeerId, Departure>,
    /// When a draining server stops at the latest.
    deadline: Option<Instant>,
    is_stopped: bool,
    warnings: Warnings,
    /// Counts of the transport's refusals that were logged.
    refusals: BTreeMap<Refusal, u64>,
    last_publication: Instant,
    ratio: RejectedRatio,
}

/// Counts of the loop itself.
#[derive(Default)]
struct Counts {
    joined: u64,
    reloads: u64,
    refused: BTreeMap<String, u64>,
    rejected: BTreeMap<String, u64>,
    left: BTreeMap<String, u64>,
    kicked: BTreeMap<String, u64>,
}

/// The share of rejected commands in the last interval.
struct RejectedRatio {
    since: Instant,
    commands: u64,
    rejected: u64,
    ratio: f64,
}

impl RejectedRatio {
    fn update(&mut self, commands: u64, rejected: u64, now: Instant) -> f64 {
        if now.duration_since(self.since) >= RATIO_INTERVAL {
            let (run, rejections) = (commands - self.commands, rejected - self.rejected);
            self.ratio = rejections as f64 / (run + rejections).max(1) as f64;
            (self.since, self.commands, self.rejected) = (now, commands, rejected);
        }
        self.ratio
    }
}

impl ServerLoop {
    /// Loop that has not begun. With an inspector, the game keeps its events for it.
    ///
    /// # Errors
    /// If no thread can be started.
    pub(super) fn new(
        socket: ServerSocket,
        mut game: Game,
        inspector: Option<ServerInspector>,
        operation: Operation,
    ) -> anyhow::Result<Self> {
        let start = Instant::now();
        if let Some(inspector) = &inspector {
            inspector.recording(game.recording().and_then(|recording| recording.file()));
            game.keep_events();
        }
        let Operation { log, control, vitals, settings, used_tokens } = operation;
        let used_tokens = used_tokens.map(remember_used_tokens).transpose()?;
        Ok(Self {
            socket,
            game,
            inspector,
            log,
            control,
            vitals,
            settings,
            used_tokens,
            start,
            next_tick: Time::ZERO,
            ticks: TickTimes::default(),
            lost_ticks: 0,
            counts: Counts::default(),
            most_players: 0,
            closing: BTreeMap::new(),
            departures: BTreeMap::new(),
            deadline: None,
            is_stopped: false,
            warnings: Warnings::new(start),
            refusals: BTreeMap::new(),
            last_publication: start,
            ratio: RejectedRatio { since: start, commands: 0, rejected: 0, ratio: 0.0 },
        })
    }

    /// Plays until a stop is requested or the time is up. Then disconnects the clients and prints a summary.
    ///
    /// # Errors
    /// If the network or the recording fails; the recording is finished in any case.
    pub(super) fn run(mut self) -> anyhow::Result<()> {
        let played = self.play();
        if let Err(error) = &played {
            error!(event = "failed", "the server stops: {error:#}");
        }
        let log = self.log.clone();
        let recorded = self.shut_down();
        played?;
        if let Some(text) = recorded? {
            log.print(&text);
        }
        Ok(())
    }

    /// Runs steps until the stop signal or the end of the time; waits for datagrams in between.
    fn play(&mut self) -> anyhow::Result<()> {
        while !self.is_over() {
            self.step()?;
            let due = self.next_tick.since(online::time_since(self.start));
            let micros = u64::try_from(due.micros()).unwrap_or(0);
            if micros > 0 {
                self.socket.wait(Duration::from_micros(micros))?;
            }
        }
        Ok(())
    }

    /// Whether the server was stopped, its time is over, or it is drained.
    fn is_over(&self) -> bool {
        let is_drained = |deadline| self.game.player_count() == 0 || Instant::now() >= deadline;
        self.is_stopped
            || self.settings.duration.is_some_and(|duration| self.start.elapsed() >= duration)
            || self.deadline.is_some_and(is_drained)
    }

    /// One round: receives, executes edits, runs the ticks that are due, logs events and sends. Ticks
    /// beyond the limit for catching up are skipped and counted.
    fn step(&mut self) -> anyhow::Result<()> {
        self.obey();
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
            self.ticks.observe(began.elapsed());
            if let Some(inspector) = &mut self.inspector {
                inspector.show(&mut self.game, began.elapsed());
            }
            self.next_tick = length.next_after(self.next_tick);
        }
        while self.next_tick <= now {
            self.next_tick = length.next_after(self.next_tick);
            self.lost_ticks += 1;
        }
        // Before anything is sent: the inspector decodes updates as deltas, so it must know a player before
        // its first update.
        for event in events {
            self.log_event(event);
        }
        self.departures.clear();
        self.send();
        self.most_players = self.most_players.max(self.game.player_count());
        self.close_ended_sessions();
        if let Some(problem) = self.game.recording().and_then(ServerRecording::take_problem) {
            error!(event = "recording", "{problem}");
            if let Some(inspector) = &self.inspector {
                inspector.recording(None);
            }
        }
        self.remember();
        self.vitals.beat();
        self.vitals.set_ready(self.deadline.is_none());
        let now = Instant::now();
        if now.duration_since(self.last_publication) >= PUBLISH_INTERVAL {
            self.last_publication = now;
            self.publish(now);
        }
        self.report(now);
        Ok(())
    }

    /// Carries out what signals asked for.
    fn obey(&mut self) {
        while let Ok(event) = self.control.try_recv() {
            match event {
                ControlEvent::Stop => self.is_stopped = true,
                ControlEvent::Drain => {
                    let players = output::count(self.game.player_count(), "player");
                    let seconds = self.settings.drain.as_secs_f64();
                    info!(
                        event = "draining",
                        players = self.game.player_count(),
                        "draining: nobody is let in, and {players} have {seconds} s to leave"
                    );
                    self.socket.drain();
                    self.game.server.host_mut().admission.is_draining = true;
                    self.deadline = Some(Instant::now() + self.settings.drain);
                }
                ControlEvent::Reload(reloaded) => self.reload(*reloaded),
                ControlEvent::ReloadFailed(why) => {
                    error!(event = "reload", "the old configuration stays: {why}");
                }
            }
        }
    }

    /// Takes the settings that can change while the server runs, and names the others that were changed.
    fn reload(&mut self, reloaded: Reloaded) {
        let Reloaded { settings, keys, bans } = reloaded;
        self.counts.reloads += 1;
        let mut taken = Vec::new();
        for (name, reload) in config_file::differences(&self.settings, &settings) {
            match reload {
                Reload::Yes => taken.push(name),
                Reload::No => warn!(event = "reload", setting = name, "`{name}` changes at the next start"),
            }
        }
        if self.settings.access == AccessMode::Key && !keys.is_empty() {
            self.socket.set_keys(keys);
        }
        for peer in self.socket.set_bans(bans.transport.clone()) {
            self.kick(PeerId(peer), "Banned");
        }
        // Also those whose connection was lost: they are told when they ask to resume.
        let banned = |(client, player): (_, &Player)| bans.contains_name(&player.name).then_some(client);
        let banned: Vec<ClientId> = self.game.all_players().filter_map(banned).collect();
        for client in banned {
            let reason = KickReason::Host("the name is banned".to_owned());
            self.game.server.kick_because(client, reason);
        }
        self.game.server.host_mut().admission.bans = bans;
        let admission = &self.game.server.host().admission;
        let players = self.game.all_players().map(|(_, player)| player.peer);
        let banned: Vec<PeerId> = players.filter(|peer| admission.has_banned_name(*peer)).collect();
        for peer in banned {
            self.kick(peer, "Banned");
        }
        self.game.sessions_per_network = settings.limits.clients_per_address as usize;
        self.socket.set_limits(settings.limits.transport());
        self.log.set_level(settings.log_level);
        // Settings that need a restart stay as they are, so that a later reload names them again.
        self.settings.drain = settings.drain;
        self.settings.log_level = settings.log_level;
        self.settings.keys = settings.keys;
        self.settings.ban_list = settings.ban_list;
        let buffers = (self.settings.limits.receive_buffer, self.settings.limits.send_buffer);
        self.settings.limits = settings.limits;
        (self.settings.limits.receive_buffer, self.settings.limits.send_buffer) = buffers;
        let what = if taken.is_empty() { "nothing".to_owned() } else { taken.join(", ") };
        info!(event = "reload", "reloaded keys and bans; changed settings: {what}");
    }

    /// Disconnects a peer. One that has not joined is counted by the reason, a player as kicked.
    fn kick(&mut self, peer: PeerId, reason: &str) {
        let player = self.game.all_players().find(|(_, player)| player.peer == peer);
        if let Some((client, _)) = player {
            // It is told and counted when it leaves; the connection is closed after that.
            self.game.server.kick(client);
        } else {
            *self.counts.kicked.entry(reason.to_owned()).or_default() += 1;
            self.socket.disconnect(peer.0);
        }
    }

    /// Passes used tokens to the thread that writes them.
    fn remember(&mut self) {
        let tokens = self.socket.take_used_tokens();
        if !tokens.is_empty()
            && let Some(thread) = &self.used_tokens
            && thread.try_send(tokens).is_err()
        {
            error!(event = "used-tokens", "the disk is too slow: some used tokens are not remembered");
        }
    }

    /// Publishes the metrics.
    fn publish(&mut self, now: Instant) {
        let transport = self.socket.statistics();
        let server = self.game.server.statistics();
        let mut commands = self.counts.rejected.clone();
        commands.insert("run".to_owned(), server.commands);
        let mut refusals = self.counts.refused.clone();
        for (refusal, count) in transport.refusals() {
            *refusals.entry(format!("{refusal:?}")).or_default() += count;
        }
        let mut kicked = self.counts.kicked.clone();
        kicked.insert("NeverJoined".to_owned(), transport.never_joined);
        let dropped = [
            ("malformed", transport.malformed),
            ("stranger", transport.strangers),
            ("limited", transport.limited),
            ("unauthentic", transport.unauthentic),
            ("unsent", transport.unsent),
            ("session", server.dropped),
        ];
        let snapshot = Snapshot {
            ticks: self.ticks.clone(),
            totals: BTreeMap::from([
                ("ugas_ticks_lost", self.lost_ticks),
                ("ugas_received_bytes", transport.bytes_received),
                ("ugas_sent_bytes", transport.bytes_sent),
                ("ugas_received_datagrams", transport.datagrams_received),
                ("ugas_sent_datagrams", transport.datagrams_sent),
                ("ugas_cookies", transport.cookies),
                ("ugas_handshakes_abandoned", transport.abandoned),
                ("ugas_connections_opened", transport.connected),
                ("ugas_joins", self.counts.joined),
                ("ugas_sessions_interrupted", server.interrupted),
                ("ugas_sessions_resumed", server.resumed),
                ("ugas_sessions_expired", server.expired),
                ("ugas_log_lines_lost", self.log.lost()),
                ("ugas_reloads", self.counts.reloads),
            ]),
            gauges: BTreeMap::from([
                ("ugas_players", self.game.player_count() as f64),
                ("ugas_interrupted_sessions", self.game.server.interrupted_sessions() as f64),
                ("ugas_connections", self.socket.peers().count() as f64),
                ("ugas_handshakes", transport.handshakes as f64),
                ("ugas_max_clients", f64::from(self.settings.max_clients)),
                ("ugas_rejected_ratio", self.ratio.update(server.commands, server.rejected, now)),
                ("ugas_draining", f64::from(u8::from(self.deadline.is_some()))),
                ("ugas_uptime_seconds", self.start.elapsed().as_secs_f64()),
            ]),
            families: BTreeMap::from([
                ("ugas_dropped_datagrams", dropped.map(|(name, count)| (name.to_owned(), count)).into()),
                ("ugas_refusals", refusals),
                ("ugas_commands", commands),
                ("ugas_leaves", self.counts.left.clone()),
                ("ugas_kicks", kicked),
            ]),
        };
        self.vitals.metrics.publish(snapshot);
    }

    /// Logs refusals of the transport, which are counted, at intervals.
    fn report(&mut self, now: Instant) {
        if !self.warnings.is_due(now) {
            return;
        }
        let statistics = self.socket.statistics();
        for (refusal, count) in statistics.refusals() {
            let known = self.refusals.insert(refusal, count).unwrap_or(0);
            let who = statistics.refused_last(refusal).map_or_else(String::new, |from| format!(" {from}"));
            let text = format!("refused{who}: {}", refusal_text(refusal, self.settings.access));
            if let Some(new) = NonZeroU64::new(count - known) {
                self.warnings.warn(&format!("{refusal:?}"), &text, new, now);
            }
        }
        self.log_warnings(now);
    }

    /// Logs the warnings that are due, repeated ones as a number.
    fn log_warnings(&mut self, now: Instant) {
        for text in self.warnings.take(now) {
            warn!(event = "warning", "{text}");
        }
    }

    /// Takes events of the socket: names of players from their tokens, datagrams and disconnects.
    fn receive(&mut self, now: Time) -> anyhow::Result<()> {
        self.socket.poll(Instant::now())?;
        let server = &mut self.game.server;
        while let Some(event) = self.socket.next_event() {
            match event {
                ServerEvent::Connected { peer, user_data } => {
                    // The client of an open server writes its user data itself.
                    let user_data = (self.settings.access == AccessMode::Key).then(|| user_data.to_vec());
                    let address = self.socket.address_of(peer).map(|address| address.ip());
                    self.closing.remove(&PeerId(peer));
                    let admission = &mut server.host_mut().admission;
                    admission.connected(PeerId(peer), user_data.as_deref(), address);
                }
                ServerEvent::Datagram { peer, bytes } => {
                    if let Some(inspector) = &mut self.inspector {
                        inspector.datagram_received(PeerId(peer), bytes);
                    }
                    server.handle(now, PeerId(peer), bytes);
                }
                ServerEvent::Disconnected { peer, reason } => {
                    self.departures.insert(PeerId(peer), reason);
                    debug!(event = "disconnected", peer, "connection {peer:016x} ended: {}", ended(reason));
                    match reason {
                        // Otherwise one address could hold all places with sessions that are kept.
                        Departure::Left | Departure::AddressTaken => server.left(PeerId(peer)),
                        _ => server.disconnected(PeerId(peer)),
                    }
                    // A kept session needs its name and its identity until it ends.
                    if !server.has_session(PeerId(peer)) {
                        server.host_mut().admission.disconnected(PeerId(peer));
                    }
                    self.closing.remove(&PeerId(peer));
                }
            }
        }
        Ok(())
    }

    /// Sends what the server has queued; peers that have disconnected are skipped.
    fn send(&mut self) {
        self.game.server.visit_transmits(|peer, bytes| {
            if let Some(inspector) = &mut self.inspector {
                inspector.datagram_sent(peer, bytes);
            }
            // The peer may have disconnected.
            let _ = self.socket.send(peer.0, bytes);
        });
    }

    /// Logs a player event, and updates the inspector. Connections of players who left or were refused are
    /// closed after a delay, in which they get the reason.
    fn log_event(&mut self, event: PlayerEvent) {
        match event {
            PlayerEvent::Joined { peer, client, name, template } => {
                self.counts.joined += 1;
                self.welcome(peer);
                if let Some(secret) = self.game.server.resume_secret(client) {
                    self.socket.let_return(peer.0, secret.0);
                }
                let address = self.socket.address_of(peer.0).map(|address| address.to_string());
                let from = address.as_ref().map_or_else(String::new, |address| format!(" from {address}"));
                let name = names::shown(&name);
                let by = match self.settings.access {
                    AccessMode::Key => "token",
                    AccessMode::Open | AccessMode::OpenToNetwork => "open",
                };
                info!(
                    event = "joined",
                    player = name,
                    template,
                    address,
                    reason = by,
                    "{name} joined as {template}{from}"
                );
            }
            PlayerEvent::Interrupted { peer, name } => {
                let name = names::shown(&name);
                let seconds = self.settings.resume_time.as_secs_f64();
                let why = self.departures.get(&peer).copied().map_or("it was silent for too long", ended);
                info!(
                    event = "interrupted",
                    player = name,
                    reason = why,
                    "{name} lost the connection: {why}; the place is kept for {seconds} s"
                );
            }
            PlayerEvent::Resumed { peer, name } => {
                // Updates begin anew: the inspector has to forget the former connection.
                if let Some(inspector) = &mut self.inspector {
                    inspector.left(peer);
                }
                self.welcome(peer);
                let address = self.socket.address_of(peer.0).map(|address| address.to_string());
                let from = address.as_ref().map_or_else(String::new, |address| format!(" from {address}"));
                let name = names::shown(&name);
                info!(event = "resumed", player = name, address, "{name} is back{from}");
            }
            PlayerEvent::Left { peer, name, reason } => {
                self.socket.forbid_return(peer.0);
                if self.socket.address_of(peer.0).is_some() {
                    self.closing.insert(peer, Instant::now() + CLOSE_DELAY);
                } else {
                    self.game.server.host_mut().admission.disconnected(peer);
                }
                if let Some(inspector) = &mut self.inspector {
                    inspector.left(peer);
                }
                let departure = self.departures.get(&peer).copied();
                let (label, why) = match (reason, departure) {
                    (Some(reason), _) => (format!("{reason:?}"), reason.to_string()),
                    (None, Some(departure)) => (format!("{departure:?}"), ended(departure).to_owned()),
                    (None, None) => ("Left".to_owned(), "it said good-bye".to_owned()),
                };
                if let Some(ByeReason::Kicked | ByeReason::Misbehaved) = reason {
                    *self.counts.kicked.entry(label.clone()).or_default() += 1;
                }
                *self.counts.left.entry(label.clone()).or_default() += 1;
                let name = names::shown(&name);
                info!(event = "left", player = name, reason = label, "{name} left: {why}");
            }
            PlayerEvent::Refused { peer, reason } => {
                self.closing.entry(peer).or_insert_with(|| Instant::now() + CLOSE_DELAY);
                *self.counts.refused.entry("Join".to_owned()).or_default() += 1;
                let from = self.socket.address_of(peer.0);
                let (ip, who) =
                    from.map_or_else(Default::default, |from| (from.ip().to_string(), format!(" {from}")));
                let reason = names::shown(&reason);
                self.warn(&format!("{ip} {reason}"), &format!("refused{who}: {reason}"));
            }
            PlayerEvent::Kicked { name, reason } => {
                let name = names::shown(&name);
                warn!(event = "kicked", player = name, reason = %reason, "{name} was kicked: {reason}");
            }
            PlayerEvent::Rejected { peer, name, rejection } => {
                if let Some(inspector) = &mut self.inspector {
                    inspector.rejected(&self.game, peer, rejection);
                }
                *self.counts.rejected.entry(format!("{rejection:?}")).or_default() += 1;
                let text = format!("{}: a command was rejected: {rejection}", names::shown(&name));
                self.warn(&text, &text);
            }
            PlayerEvent::Died { name } => {
                let name = names::shown(&name);
                debug!(event = "died", player = name, "{name} died");
            }
        }
    }

    /// Marks the connection of a session that begins or goes on as joined.
    fn welcome(&mut self, peer: PeerId) {
        self.closing.remove(&peer);
        self.socket.joined(peer.0);
        if let Some(inspector) = &mut self.inspector {
            inspector.joined(peer);
        }
    }

    /// Logs a warning that clients can cause at will: repetitions with the same key are counted.
    fn warn(&mut self, key: &str, text: &str) {
        let now = Instant::now();
        self.warnings.warn(key, text, NonZeroU64::MIN, now);
        self.log_warnings(now);
    }

    /// Disconnects peers without a session, after the last message has had time to arrive.
    fn close_ended_sessions(&mut self) {
        let now = Instant::now();
        while let Some(peer) = self.closing.iter().find(|(_, due)| **due <= now).map(|(peer, _)| *peer) {
            self.closing.remove(&peer);
            self.socket.disconnect(peer.0);
            self.game.server.left(peer);
            self.game.server.host_mut().admission.disconnected(peer);
        }
    }

    /// Ends all sessions, closes the socket, finishes the recording, and prints a summary. Returns a message about the
    /// recording.
    fn shut_down(mut self) -> anyhow::Result<Option<String>> {
        for text in self.warnings.finish() {
            warn!(event = "warning", "{text}");
        }
        self.vitals.set_ready(false);
        let seconds = self.start.elapsed().as_secs_f64();
        self.game.server.shut_down();
        self.send();
        self.remember();
        let counted = self.game.server.statistics();
        let transport = self.socket.shut_down();
        // After the players have been told: the disk may be slow.
        let recorded = self.game.finish_recording();
        let joined = usize::try_from(self.counts.joined).unwrap_or(usize::MAX);
        let mut text = format!(
            "the server stopped after {seconds:.1} s and {} ticks: {} joined, at most {} at a time\n\
             commands: {} confirmed, {} rejected\n\
             datagrams: {} received, {} sent ({:.1} kB/s), {} dropped\n",
            self.ticks.count(),
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
            text.push_str(&format!("refused {times}: {}\n", refusal_text(refusal, self.settings.access)));
        }
        if self.lost_ticks > 0 {
            let late = Span::from_micros(self.game.server.tick_length().span().micros());
            let lost = late.as_seconds() * self.lost_ticks as f64;
            text.push_str(&format!("the machine was too slow: {lost:.1} s were skipped\n"));
        }
        if self.log.lost() > 0 {
            text.push_str(&format!(
                "{} of the log were lost\n",
                output::count(usize::try_from(self.log.lost()).unwrap_or(usize::MAX), "line")
            ));
        }
        self.log.print(&text);
        recorded
    }
}

/// Starts the thread that remembers used tokens on the disk. It ends when the loop does.
fn remember_used_tokens(file: UsedTokenFile) -> std::io::Result<SyncSender<Vec<UsedToken>>> {
    let (sender, lists) = sync_channel::<Vec<UsedToken>>(USED_TOKEN_QUEUE);
    std::thread::Builder::new().name("ugas-tokens".to_owned()).spawn(move || {
        for tokens in lists {
            if let Err(error) = file.append(&tokens) {
                error!(event = "used-tokens", "used tokens are not remembered: {error:#}");
            }
        }
    })?;
    Ok(sender)
}

/// Why a connection ended, for the operator.
fn ended(reason: Departure) -> &'static str {
    match reason {
        Departure::Left => "it said good-bye",
        Departure::TimedOut => "the connection timed out",
        Departure::Replaced => "it connected again",
        Departure::AddressTaken => "another player connected from its address",
        Departure::NeverJoined => "it did not join in time",
        _ => "the connection ended",
    }
}

/// Message of a transport's refusal for the operator; mentions tokens only if the server uses them.
fn refusal_text(refusal: Refusal, access: AccessMode) -> String {
    match (access, refusal) {
        // The client used a token at a server without a key.
        (AccessMode::Open | AccessMode::OpenToNetwork, Refusal::UnknownIssuer) | (AccessMode::Key, _) => {
            refusal.to_string()
        }
        (AccessMode::Open | AccessMode::OpenToNetwork, _) => refusal.without_token().into_owned(),
    }
}
