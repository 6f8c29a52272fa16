//! One match: a server, players on simulated links, and a clock.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ugas_core::controller::ReplicationMode;
use ugas_core::handle::ControllerId;
use ugas_core::hash::StateHasher;
use ugas_core::random::RandomStream;
use ugas_core::simulation::{Config, Simulation};
use ugas_core::time::{Span, Time};

use super::bot;
use super::cheat::{Cheat, CheatKnowledge};
use super::checks::ViewHistory;
use super::encryption::{Connection, Encryption};
use super::game::{CURSE, Game, HEROES};
use super::player::{Player, TIMEOUT};
use super::profile::Profile;
use super::reach_audit::ReachAudit;
use super::report::{Kind, Report};
use super::server_audit::ServerAudit;
use crate::rig::{open, seal};
use ugas_net::ClientEvent;
use ugas_net::message::ClientId;
use ugas_net::wire::Dictionary;
use ugas_net::{Defaults, PeerId, Server, ServerConfig, ServerEvent};
use ugas_net::{Tick, TickLength};

/// Deliveries of datagrams per tick.
const STEPS_PER_TICK: i64 = 2;
/// Steps from one check of the memory to the next: 30 checks a second, at 60 ticks.
const STEPS_PER_CHECK: u64 = 4;
/// Time before the faults, in which everybody connects.
const OPENING: Span = Span::millis(1_500);
/// Time after the last fault: dead sessions end, clients reconnect, and effects expire.
const SETTLING: Span = Span::millis(9_000);
/// Time at the end in which states are compared tick by tick.
const VIEWING: Span = Span::millis(1_500);
/// Most items that a server may hold for one session.
const MOST_PER_SESSION: usize = 12_000;
/// Most items that a client may hold.
const MOST_PER_CLIENT: usize = 40_000;

/// One match.
pub(super) struct SoakMatch {
    pub(super) profile: Profile,
    pub(super) server: Server<Defaults>,
    pub(super) players: Vec<Player>,
    pub(super) dice: RandomStream,
    pub(super) now: Time,
    pub(super) server_stalled_until: Time,
    pub(super) next_event: Time,
    /// Controllers that are hidden from each client.
    pub(super) hidden: BTreeMap<ClientId, BTreeSet<ControllerId>>,
    /// Heroes with a curse, which no client may end.
    pub(super) cursed: BTreeSet<ControllerId>,
    /// A controller that cheats never see.
    pub(super) vault: Option<ControllerId>,
    pub(super) server_audit: ServerAudit,
    pub(super) reach_audit: ReachAudit,
    pub(super) view_history: ViewHistory,
    pub(super) report: Report,
    pub(super) found: Vec<(Kind, String)>,
    /// The transport, in a match with encryption.
    encryption: Option<Encryption>,
    /// Connections of the sessions.
    peers: BTreeMap<ClientId, PeerId>,
    /// Seed of the match.
    pub(super) seed: u64,
    /// Random numbers of reloads.
    pub(super) reload_dice: RandomStream,
    /// Number of reloads so far.
    pub(super) reloads: u64,
    next_tick: Time,
    next_peer: u64,
    /// Number of steps so far.
    steps: u64,
    pub(super) dictionary: Dictionary,
    hasher: StateHasher,
}

/// Phase of a match.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Phase {
    Opening,
    Chaos,
    Settling,
    Viewing,
}

impl SoakMatch {
    /// Draws the match of a seed: rules, players and the drift of their clocks. Nobody has connected yet.
    pub(super) fn new(profile: Profile, seed: u64) -> Self {
        let game = Game::draw(seed);
        let mut dice = RandomStream::derive(seed, &[1]);
        let config = Config { prediction_seed: dice.next_u64(), ..Config::seeded(dice.next_u64()) };
        let server_config = ServerConfig {
            timeout: TIMEOUT,
            client_deadline: Span::millis(2_000),
            ..ServerConfig::default()
        };
        // Drawn by dice of their own, so that a match without them is the same but for them.
        let mut variant = RandomStream::derive(seed, &[4]);
        let encrypted = variant.chance(profile.encrypted);
        let simulation = start(Simulation::new(game.catalog.clone(), config), &profile, &mut variant);
        let mut server = Server::new(simulation, server_config);
        if profile.edges && variant.chance(0.5) {
            // Its low eight bits are in every datagram, and all of them are counted.
            server.set_next_client(ClientId(pick_edge(&mut variant)));
        }
        let between = |dice: &mut RandomStream, (from, to): (u64, u64)| from + dice.below(to - from + 1);
        let (honest, cheats) = (between(&mut dice, profile.clients), between(&mut dice, profile.cheats));
        let mut players = Vec::new();
        for number in 0..honest + cheats {
            let is_honest = number < honest;
            // ±5 %, and a cheat's clock may run at double speed.
            let drift = match (is_honest, profile.severity > 0.0) {
                (_, false) => 0,
                (true, true) => dice.below(101) as i64 - 50,
                (false, true) => dice.below(2) as i64 * 1_000,
            };
            let stream = RandomStream::derive(seed, &[2, number]);
            let mut player = Player::new(&game.catalog, stream, number + 1, drift);
            player.cheat = (!is_honest).then(|| Cheat::new(RandomStream::derive(seed, &[3, number])));
            players.push(player);
        }
        let mut report = Report { seeds: 1, ..Report::default() };
        report.fault("clock drift", players.len() as u64);
        Self {
            profile,
            dictionary: Dictionary::of(&game.catalog),
            server_audit: ServerAudit::new(&game),
            reach_audit: ReachAudit::new(&game.catalog),
            server,
            next_peer: players.len() as u64 + 1,
            players,
            dice,
            now: Time::ZERO,
            server_stalled_until: Time::ZERO,
            next_event: Time::ZERO,
            hidden: BTreeMap::new(),
            cursed: BTreeSet::new(),
            vault: None,
            view_history: ViewHistory::default(),
            report,
            found: Vec::new(),
            encryption: encrypted.then(|| Encryption::new(seed)),
            peers: BTreeMap::new(),
            seed,
            reload_dice: RandomStream::derive(seed, &[7]),
            reloads: 0,
            next_tick: Time::ZERO,
            steps: 0,
            hasher: StateHasher::new(),
        }
    }

    /// Plays the match through all phases, and returns the report and the violations that were found.
    pub(super) fn play(mut self) -> (Report, Vec<(Kind, String)>) {
        self.populate();
        if let Some(encryption) = &mut self.encryption {
            self.report.fault("encrypted match", 1);
            for player in &mut self.players {
                let local = player.local_time(self.now);
                player.connection = Some(encryption.connect(self.now, local, player.peer, None));
            }
        }
        self.run(OPENING, Phase::Opening);
        self.arm_fault_points();
        self.run(Span::seconds(self.profile.seconds), Phase::Chaos);
        self.disarm_fault_points();
        self.end_faults();
        self.run(SETTLING, Phase::Settling);
        self.run(VIEWING, Phase::Viewing);
        self.check();
        self.finish()
    }

    /// Spawns the controllers that nobody owns, and the vault.
    fn populate(&mut self) {
        let simulation = self.server.simulation_mut();
        for template in ["Wolf", "Wolf", "Banner", "Ghost"] {
            let _ = simulation.spawn(template);
        }
        self.vault = simulation.spawn("Banner").ok();
        let everybody: Vec<ControllerId> = simulation.controllers().map(|(id, _)| id).collect();
        everybody.into_iter().for_each(|controller| self.walk(controller));
    }

    /// Runs steps of a phase for a span.
    fn run(&mut self, span: Span, phase: Phase) {
        let end = self.now + span;
        while self.now < end {
            self.step(phase);
        }
    }

    /// Runs half a tick: faults if they are on, then the server unless it stalls, its datagrams, and all
    /// players.
    fn step(&mut self, phase: Phase) {
        let length = self.server.tick_length();
        self.now += Span::from_micros((length.span().micros() / STEPS_PER_TICK).max(1));
        if phase == Phase::Chaos {
            self.inflict_faults();
        }
        if self.now >= self.server_stalled_until {
            self.serve(length, phase);
        }
        while let Some(transmit) = self.server.poll_transmit() {
            self.hasher.bytes(&transmit.bytes);
            if let Some(encryption) = &mut self.encryption {
                encryption.send(transmit.peer, &transmit.bytes);
            } else if let Some(player) = self.players.iter_mut().find(|player| player.peer == transmit.peer) {
                player.link.to_client.send(self.now, &seal(transmit.bytes));
            }
        }
        if let Some(encryption) = &mut self.encryption {
            encryption.transmit(self.now, &mut self.players);
        }
        for at in 0..self.players.len() {
            self.play_one(at, phase);
        }
        self.steps += 1;
        if self.steps.is_multiple_of(STEPS_PER_CHECK) {
            self.check_memory();
        }
    }

    /// Server's part of a step: delivers arrived datagrams, runs the ticks that are due, and handles the
    /// server's events around each. In the viewing phase it records the state after each tick. Does not send.
    fn serve(&mut self, length: TickLength, phase: Phase) {
        if let Some(encryption) = &mut self.encryption {
            let vandalism = phase == Phase::Chaos && self.profile.severity > 0.0;
            let forged = encryption.receive(self.now, &mut self.players, &mut self.server, vandalism);
            self.report.fault("vandalism", forged);
        } else {
            for player in &mut self.players {
                while let Some(sealed) = player.link.to_server.receive(self.now) {
                    if let Some(bytes) = open(&sealed) {
                        self.server.handle(self.now, player.peer, bytes);
                    }
                }
            }
        }
        while self.next_tick <= self.now {
            self.handle_server_events();
            self.server.tick(self.now);
            self.next_tick = length.next_after(self.next_tick);
            self.handle_server_events();
            if phase == Phase::Viewing {
                self.view_history.record_server_view(&self.server, &self.players);
            }
        }
    }

    /// Drains the server's events: assigns heroes to clients that joined, and audits events of the game.
    pub(super) fn handle_server_events(&mut self) {
        while let Some(event) = self.server.poll_event() {
            match event {
                ServerEvent::Joined { client, peer, .. } => {
                    self.peers.insert(client, peer);
                    if let Some(encryption) = &mut self.encryption {
                        encryption.joined(peer);
                    }
                    self.assign_hero(client, peer);
                }
                ServerEvent::Left { client, .. } => {
                    self.hidden.remove(&client);
                    let peer = self.peers.remove(&client);
                    if let (Some(encryption), Some(peer)) = (&mut self.encryption, peer) {
                        encryption.session_ended(self.now, peer);
                    }
                }
                ServerEvent::Refused { peer, .. } => {
                    if let Some(encryption) = &mut self.encryption {
                        encryption.session_ended(self.now, peer);
                    }
                }
                ServerEvent::Reloaded => {
                    let game = self.game_edition();
                    self.server_audit.reload(&game);
                    self.reach_audit.reload(&game.catalog);
                }
                ServerEvent::Kicked { peer, reason, .. } => {
                    self.report.kicked += 1;
                    let is_honest = |player: &Player| player.peer == peer && player.is_honest();
                    if self.players.iter().any(is_honest) {
                        self.found.push((Kind::Liveness, format!("an honest client was kicked: {reason}")));
                    }
                }
                ServerEvent::Game(event) => {
                    let about = event.kind.subject();
                    let owner = about.and_then(|controller| self.server.owner(controller));
                    let viewers = about.map(|controller| self.viewers(controller)).unwrap_or_default();
                    self.server_audit.note(&event, owner, &viewers);
                    self.reach_audit.judge(self.now, &event, self.server.simulation());
                    self.check_reach(&event);
                }
                _ => {}
            }
        }
    }

    /// Gives a new client a hero: its previous one if nobody owns it, otherwise a new one. Hides the vault
    /// from cheats.
    fn assign_hero(&mut self, client: ClientId, peer: PeerId) {
        let Some(at) = self.players.iter().position(|player| player.peer == peer) else { return };
        let is_free = |hero: &ControllerId| {
            self.server.simulation().controller(*hero).is_some() && self.server.owner(*hero).is_none()
        };
        let hero = match self.players[at].hero.filter(is_free) {
            Some(hero) => Some(hero),
            None => {
                let template = HEROES[self.dice.below(HEROES.len() as u64) as usize];
                let hero = self.server.simulation_mut().spawn(template).ok();
                if let Some(hero) = hero {
                    self.walk(hero);
                    self.curse(hero);
                }
                hero
            }
        };
        let player = &mut self.players[at];
        player.hero = hero;
        let is_cheat = !player.is_honest();
        if let Some(hero) = hero {
            self.server.give(hero, client);
            // It may have been hidden in the tick of the arrival; owners see their own.
            self.hidden.entry(client).or_default().remove(&hero);
        }
        if let Some(vault) = self.vault.filter(|_| is_cheat) {
            self.server.hide(vault, client);
            self.hidden.entry(client).or_default().insert(vault);
        }
    }

    /// Gives a hero the curse, which no client may end.
    fn curse(&mut self, hero: ControllerId) {
        let Ok(ability) = self.server.catalog().ability(CURSE) else { return };
        let simulation = self.server.simulation_mut();
        if let Ok(handle) = simulation.grant(hero, ability, 1)
            && simulation.activate(handle).is_ok()
        {
            self.cursed.insert(hero);
        }
    }

    /// Clients that see a controller. The mode of a despawned controller is unknown: everybody from whom it
    /// was not hidden may have seen it.
    pub(super) fn viewers(&self, controller: ControllerId) -> Vec<ClientId> {
        let mode = self.server.simulation().controller(controller).map(|known| known.replication());
        if mode == Some(ReplicationMode::None) {
            return Vec::new();
        }
        let is_hidden =
            |client: &ClientId| self.hidden.get(client).is_some_and(|all| all.contains(&controller));
        self.server.clients().filter(|client| !is_hidden(client)).collect()
    }

    /// Runs a player for a step, unless it stalls: reconnects it if its session is over or it was away,
    /// delivers its datagrams, gives commands, and sends. Commands are given during the faults only.
    fn play_one(&mut self, at: usize, phase: Phase) {
        let player = &mut self.players[at];
        if self.now < player.stalled_until {
            return;
        }
        if player.is_over() && player.away_until.is_none() {
            player.away_until = Some(self.now + Span::millis(200));
        }
        if player.away_until.is_some_and(|until| self.now >= until) {
            // On the same connection, late datagrams of the old session reach the new client.
            let keeps = player.whims.chance(0.5);
            let peer = if keeps { player.peer } else { PeerId(self.next_peer) };
            self.next_peer += 1;
            player.rejoin(peer, Arc::clone(self.server.catalog()));
            if let Some(encryption) = &mut self.encryption {
                let local = player.local_time(self.now);
                let former = player.connection.as_ref().map(|connection| connection.address);
                player.connection = Some(encryption.connect(self.now, local, peer, former));
            }
            self.report.fault("rejoin", 1);
        }
        let player = &mut self.players[at];
        let local = player.local_time(self.now);
        while let Some(sealed) = player.link.to_client.receive(self.now) {
            if let Some(connection) = &mut player.connection {
                connection.handle(sealed);
            } else if let Some(bytes) = open(&sealed) {
                player.client.handle(local, bytes);
            }
        }
        if let Some(connection) = &mut player.connection {
            // A player who disappeared without a bye does nothing any more.
            if player.away_until.is_none() || player.client.is_over() {
                connection.update(local);
            }
            while let Some(bytes) = connection.next_datagram() {
                player.client.handle(local, bytes);
            }
        }
        if player.away_until.is_none() && player.connection.as_ref().is_none_or(Connection::is_connected) {
            player.client.update(local);
            Self::poll_events(player);
            if phase == Phase::Chaos {
                let given = bot::act(&mut player.client, &mut player.whims);
                if player.link.to_server.is_cut(self.now) {
                    player.audit.cut_off.extend(given.iter().copied());
                }
                player.audit.given.extend(given);
            }
            if phase == Phase::Viewing {
                self.view_history.record_client_view(&self.server, player);
            }
        }
        self.send(at, phase);
    }

    /// Drains the events of a client; those of an honest one are audited.
    fn poll_events(player: &mut Player) {
        while let Some(event) = player.client.poll_event() {
            if !matches!(event, ClientEvent::Connected { .. }) && player.is_honest() {
                player.audit.add(&player.client, &event);
            }
        }
    }

    /// Sends a player's datagrams; those of a cheat are tampered with during the faults.
    fn send(&mut self, at: usize, phase: Phase) {
        let player = &mut self.players[at];
        if player.connection.as_ref().is_some_and(|connection| !connection.is_connected()) {
            // Requests, responses and disconnect packets; the game waits until the connection is open.
            if let Some(connection) = &mut player.connection {
                connection.transmit(self.now, &mut player.link.to_server);
            }
            return;
        }
        let client = player.client.id();
        while let Some(bytes) = player.client.poll_transmit() {
            let mut out = vec![bytes];
            if let (Some(cheat), Phase::Chaos) = (&mut player.cheat, phase) {
                let controllers = self.server.simulation().controllers().map(|(id, _)| id);
                let is_own = |id: &ControllerId| client.is_some() && self.server.owner(*id) == client;
                let knowledge = CheatKnowledge {
                    simulation: self.server.simulation(),
                    own: controllers.filter(is_own).collect(),
                    hidden: self.vault.into_iter().collect(),
                    dictionary: &self.dictionary,
                };
                let (tampered, trick) = cheat.tamper(self.now, out.remove(0), &knowledge);
                out = tampered;
                if let Some(trick) = trick {
                    self.report.fault(trick, 1);
                }
            }
            for bytes in out {
                self.hasher.bytes(&bytes);
                match &mut player.connection {
                    Some(connection) => connection.send(self.now, &bytes, &mut player.link.to_server),
                    None => player.link.to_server.send(self.now, &seal(bytes)),
                }
            }
        }
        if let Some(connection) = &mut player.connection {
            if player.away_until.is_some() && player.client.is_over() {
                connection.disconnect();
            }
            connection.transmit(self.now, &mut player.link.to_server);
        }
    }

    /// Checks that nothing grows without bound. Keeps at most 64 of the violations so far.
    fn check_memory(&mut self) {
        let sessions = self.server.clients().count();
        let most = (sessions + 1) * MOST_PER_SESSION;
        if self.server.held() > most {
            self.found.push((
                Kind::Memory,
                format!("the server holds {} things for {sessions} sessions", self.server.held()),
            ));
        }
        for player in self.players.iter().filter(|player| player.client.held() > MOST_PER_CLIENT) {
            self.found.push((Kind::Memory, format!("a client holds {} things", player.client.held())));
        }
        self.found.truncate(64);
    }

    /// Completes the report with counts of faults and commands, and with the hash of the match.
    fn finish(mut self) -> (Report, Vec<(Kind, String)>) {
        for player in &mut self.players {
            for link in [&player.link.to_server, &player.link.to_client] {
                let counts = link.counts();
                let faults = [
                    ("loss", counts.lost),
                    ("burst loss", counts.lost_in_burst),
                    ("partition", counts.cut),
                    ("bandwidth", counts.dropped),
                    ("duplicate", counts.duplicated),
                    ("reorder", counts.held),
                    ("bit flips", counts.corrupted),
                    ("truncation", counts.truncated),
                ];
                faults.into_iter().for_each(|(fault, count)| self.report.fault(fault, count));
                self.report.datagrams += counts.sent;
            }
            self.hasher.bytes(&player.client.simulation().state_hash().to_le_bytes());
        }
        self.hasher.bytes(&self.server.simulation().state_hash().to_le_bytes());
        let statistics = self.server.statistics();
        (self.report.commands, self.report.rejected) = (statistics.commands, statistics.rejected);
        self.report.simulated_seconds = self.now.since(Time::ZERO).as_seconds();
        self.report.hash = self.hasher.finish();
        (self.report, self.found)
    }
}

/// A simulation at its first tick: tick 0, or with [`Profile::edges`] often shortly before a number of ticks at which
/// some encoding of it changes. The last tick of all is not reached within the match.
fn start(mut simulation: Simulation, profile: &Profile, dice: &mut RandomStream) -> Simulation {
    if profile.edges && dice.chance(0.5) {
        let length = ServerConfig::default().length;
        let rest = length.ticks_in(Span::seconds(profile.seconds) + OPENING + SETTLING + VIEWING);
        let before = dice.below(u64::from(rest)) as u32;
        let first = match pick_edge(dice) {
            u32::MAX => u32::MAX - 2 * rest,
            edge => edge.saturating_sub(before),
        };
        simulation.advance(length.end_of(Tick(first)).since(Time::ZERO));
    }
    simulation
}

/// A number shortly before some counter of 8, 16, 24, 31 or 32 bits wraps.
fn pick_edge(dice: &mut RandomStream) -> u32 {
    [u32::from(u8::MAX), u32::from(u16::MAX), 0xff_ffff, i32::MAX as u32, u32::MAX][dice.below(5) as usize]
}
