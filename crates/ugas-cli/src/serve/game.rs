//! The game of a server: players, bots, respawns and host tasks.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use ugas_core::catalog::Catalog;
use ugas_core::command::{Command, Outcome};
use ugas_core::event::{Event, EventKind};
use ugas_core::handle::{ControllerId, Handle};
use ugas_core::simulation::{Config, Role, Simulation, Spawn};
use ugas_core::time::{Span, Time};
use ugas_net::message::{ByeReason, ClientId, Rejection};
use ugas_net::{PeerId, Server, ServerConfig, ServerEvent, TickLength};

use super::admission::PlayerAdmission;
use super::bans::TimedBans;
use super::bots::Bots;
use super::host_tasks::HostTaskRequest;
use super::recording::ServerRecording;
use super::server_host::ServerHost;
use super::settings::Settings;

/// Time until a dead controller respawns.
const RESPAWN_DELAY: Span = Span::millis(3_000);

/// A player in the game.
pub(super) struct Player {
    pub(super) name: String,
    pub(super) peer: PeerId,
    pub(super) template: String,
    pub(super) controller: ControllerId,
}

/// An event for the operator of the server.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum PlayerEvent {
    /// A player joined.
    Joined { peer: PeerId, client: ClientId, name: String, template: String },
    /// The connection of a player was lost; the player's place is kept.
    Interrupted { peer: PeerId, name: String },
    /// A player is back.
    Resumed { peer: PeerId, name: String },
    /// A player left.
    Left { peer: PeerId, name: String, reason: Option<ByeReason> },
    /// A peer was refused.
    Refused { peer: PeerId, reason: String },
    /// A player was kicked.
    Kicked { name: String, reason: String },
    /// A command was rejected.
    Rejected { peer: PeerId, name: String, rejection: Rejection },
    /// A controller died.
    Died { name: String },
}

/// The game of a server.
pub(super) struct Game {
    pub(super) server: Server<ServerHost>,
    template: String,
    players: BTreeMap<ClientId, Player>,
    bots: Bots,
    tasks: Vec<HostTaskRequest>,
    respawns: Vec<(Time, ControllerId)>,
    /// Maximum number of sessions from one network, kept ones included.
    pub(super) sessions_per_network: usize,
    /// Events for the inspector; `None` without one.
    events: Option<Vec<Event>>,
}

impl Game {
    /// A game without players. The seed of predictions is drawn separately: clients know it, and must not
    /// learn the server's.
    pub(super) fn new(
        catalog: Arc<Catalog>,
        seed: u64,
        length: TickLength,
        settings: &Settings,
        template: String,
    ) -> Self {
        let host = ServerHost { admission: PlayerAdmission::new(Arc::clone(&catalog)), recording: None };
        // Clients may know the second seed, and must not learn the first from it.
        let prediction_seed = crate::online::random_number();
        let config = Config { role: Role::Server, prediction_seed, ..Config::seeded(seed) };
        let simulation = Simulation::new(catalog, config);
        let limits = &settings.limits;
        let config = ServerConfig {
            length,
            max_clients: settings.max_clients,
            timeout: Span::seconds(limits.session_timeout.as_secs_f64()),
            resume_time: Span::seconds(settings.resume_time.as_secs_f64()),
            secrets: Some(ugas_transport::random_bytes),
            datagrams_per_second: limits.session_datagrams,
            commands_per_second: limits.session_commands,
            bytes_per_second: limits.session_bytes,
            max_lead: limits.max_lead,
            grace: limits.grace,
            rewind: limits.rewind,
            ..ServerConfig::default()
        };
        Self {
            server: Server::with_host(simulation, config, host),
            template,
            players: BTreeMap::new(),
            bots: Bots::new(seed),
            tasks: Vec::new(),
            respawns: Vec::new(),
            sessions_per_network: limits.clients_per_address as usize,
            events: None,
        }
    }

    /// Sets for how long players are banned after a kick for forged commands; zero bans nobody.
    pub(super) fn ban_for(&mut self, duration: Duration) {
        self.server.host_mut().admission.timed_bans = TimedBans::new(duration);
    }

    /// Records everything from now on. Call it before anything is spawned.
    pub(super) fn record(&mut self, recording: ServerRecording) {
        self.server.host_mut().recording = Some(recording);
    }

    /// The recording, if there is one: also one that ended or failed.
    pub(super) fn recording(&mut self) -> Option<&mut ServerRecording> {
        self.server.host_mut().recording.as_mut()
    }

    /// Ends the recording, if there is one, and returns a message with its path.
    ///
    /// # Errors
    /// If not everything could be written.
    pub(super) fn finish_recording(&mut self) -> anyhow::Result<Option<String>> {
        let recording = self.server.host_mut().recording.take();
        recording.map(|recording| recording.finish(self.server.simulation())).transpose()
    }

    /// Keeps events from now on, until [`forget_events`](Self::forget_events).
    pub(super) fn keep_events(&mut self) {
        self.events = Some(Vec::new());
    }

    /// Events since the last [`Self::forget_events`]; none unless they are kept for an inspector.
    pub(super) fn events(&self) -> &[Event] {
        self.events.as_deref().unwrap_or_default()
    }

    /// Drops the kept events.
    pub(super) fn forget_events(&mut self) {
        if let Some(events) = &mut self.events {
            events.clear();
        }
    }

    /// Adds bots; an error if the template cannot be spawned.
    pub(super) fn add_bots(&mut self, count: u16, template: &str) -> anyhow::Result<()> {
        for _ in 0..count {
            let controller = self.spawn(template, None);
            self.bots.add(
                controller.with_context(|| format!("a bot with template `{template}` cannot be spawned"))?,
            );
        }
        Ok(())
    }

    /// All players.
    pub(super) fn all_players(&self) -> impl Iterator<Item = (ClientId, &Player)> {
        self.players.iter().map(|(client, player)| (*client, player))
    }

    /// The number of players.
    pub(super) fn player_count(&self) -> usize {
        self.players.len()
    }

    /// Plays one tick, and passes the events to `emit`.
    pub(super) fn tick(&mut self, now: Time, emit: &mut impl FnMut(PlayerEvent)) {
        for request in self.tasks.drain(..) {
            request.complete(&mut self.server);
        }
        self.bots.act(&mut self.server);
        self.respawn();
        self.server.tick(now);
        self.handle_events(emit);
    }

    /// Handles the events of the server: players who join and leave, deaths with their respawn, and host
    /// tasks. What is worth printing is passed to `emit`.
    pub(super) fn handle_events(&mut self, emit: &mut impl FnMut(PlayerEvent)) {
        while let Some(event) = self.server.poll_event() {
            match event {
                ServerEvent::Joined { client, peer, credential } => {
                    if let Some(event) = self.join(client, peer, &credential) {
                        emit(event);
                    }
                }
                ServerEvent::Left { client, reason } => {
                    let Some(player) = self.players.remove(&client) else { continue };
                    // The connection may have begun another session since, which has the name now.
                    if !self.server.has_session(player.peer) {
                        self.server.host_mut().admission.left(player.peer);
                    }
                    // The controller may not exist any more.
                    let _ = self.server.execute(Command::Despawn(player.controller));
                    emit(PlayerEvent::Left { peer: player.peer, name: player.name, reason });
                }
                ServerEvent::Interrupted { client, peer } => {
                    if let Some(player) = self.players.get(&client) {
                        emit(PlayerEvent::Interrupted { peer, name: player.name.clone() });
                    }
                }
                ServerEvent::Resumed { client, peer, .. } => {
                    if let Some(player) = self.players.get_mut(&client) {
                        player.peer = peer;
                        emit(PlayerEvent::Resumed { peer, name: player.name.clone() });
                    }
                }
                ServerEvent::Kicked { client, reason, .. } => {
                    if let Some(player) = self.players.get(&client) {
                        emit(PlayerEvent::Kicked { name: player.name.clone(), reason: reason.to_string() });
                    }
                }
                ServerEvent::Refused { peer, reason } => {
                    emit(PlayerEvent::Refused { peer, reason: reason.to_string() });
                }
                ServerEvent::Rejected { client, rejection } => {
                    if let Some(player) = self.players.get(&client) {
                        emit(PlayerEvent::Rejected {
                            peer: player.peer,
                            name: player.name.clone(),
                            rejection,
                        });
                    }
                }
                ServerEvent::Game(event) => {
                    if let EventKind::OwnerDied { controller } = event.kind {
                        self.respawns.push((self.server.simulation().now() + RESPAWN_DELAY, controller));
                        emit(PlayerEvent::Died { name: self.name_of(controller) });
                    }
                    self.tasks.extend(HostTaskRequest::of(self.server.simulation(), &event.kind));
                    if let Some(events) = &mut self.events {
                        events.push(event);
                    }
                }
                _ => {}
            }
        }
    }

    /// Spawns a controller for a player and gives it. `None` if it cannot be spawned: then the client is
    /// kicked.
    fn join(&mut self, client: ClientId, peer: PeerId, credential: &[u8]) -> Option<PlayerEvent> {
        // It was validated on admission.
        let join_request = self.server.host().admission.join_request(peer, credential).ok()?;
        let template = join_request.template.unwrap_or_else(|| self.template.clone());
        let Ok(controller) = self.spawn(&template, Some(&join_request.name)) else {
            // The maximum number of controllers is reached.
            self.server.kick(client);
            return None;
        };
        self.server.give(controller, client);
        let name = join_request.name;
        self.players
            .insert(client, Player { name: name.clone(), peer, template: template.clone(), controller });
        self.limit_kept_sessions(peer);
        Some(PlayerEvent::Joined { peer, client, name, template })
    }

    /// Ends the oldest kept sessions from the network of a peer that has joined, if its network has more sessions than
    /// one may have.
    fn limit_kept_sessions(&mut self, joined: PeerId) {
        let admission = &self.server.host().admission;
        let Some(network) = admission.network(joined) else { return };
        let same = self.players.iter().filter(|(_, player)| admission.network(player.peer) == Some(network));
        let beyond = same.clone().count().saturating_sub(self.sessions_per_network);
        let kept = same.filter(|(client, _)| self.server.is_interrupted(**client));
        let ended: Vec<PeerId> = kept.map(|(_, player)| player.peer).take(beyond).collect();
        for peer in ended {
            self.server.left(peer);
        }
    }

    /// Respawns dead controllers with their templates, under new handles.
    fn respawn(&mut self) {
        let now = self.server.simulation().now();
        while let Some(at) = self.respawns.iter().position(|(time, _)| *time <= now) {
            let (_, old) = self.respawns.swap_remove(at);
            let owner = self.server.owner(old);
            let player = owner.and_then(|client| self.players.get(&client));
            let (template, name) = match player {
                Some(player) => (player.template.clone(), Some(player.name.clone())),
                None if self.bots.is_bot(old) => (self.template_of(old), None),
                None => continue,
            };
            // The controller may not exist any more.
            let _ = self.server.execute(Command::Despawn(old));
            let Ok(new) = self.spawn(&template, name.as_deref()) else { continue };
            self.bots.replace(old, new);
            if let Some(client) = owner {
                self.server.give(new, client);
                if let Some(player) = self.players.get_mut(&client) {
                    player.controller = new;
                }
            }
        }
    }

    /// Spawns a controller, with the name of a player or a default name in the recording.
    fn spawn(&mut self, template: &str, name: Option<&str>) -> anyhow::Result<ControllerId> {
        let spawned = self.server.execute(Command::Spawn(Spawn::named(template)))?;
        let Outcome::Spawned(controller) = spawned else { anyhow::bail!("nothing was spawned") };
        if let Some(recording) = self.recording() {
            let usual = || format!("{template} {}", controller.index());
            recording.name(controller, &name.map_or_else(usual, str::to_owned));
        }
        Ok(controller)
    }

    /// Name of the player of a controller, or its template.
    fn name_of(&self, controller: ControllerId) -> String {
        let player = self.players.values().find(|player| player.controller == controller);
        player.map_or_else(|| self.template_of(controller), |player| player.name.clone())
    }

    fn template_of(&self, controller: ControllerId) -> String {
        let simulation = self.server.simulation();
        let template = simulation.controller(controller).and_then(|known| known.template());
        template.map_or_else(String::new, |template| simulation.catalog().template_name(template).to_owned())
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use ugas_core::simulation::ActivationRequest;
    use ugas_net::message::{Hello, PROTOCOL, ToServer};
    use ugas_net::wire::{Dictionary, encode_to_server};

    use super::*;

    /// A peer with a token, or without one, connects from an address.
    fn connect(game: &mut Game, peer: u64, token: Option<&str>, address: [u8; 4]) {
        let (token, address) = (token.map(str::as_bytes), IpAddr::from(address));
        game.server.host_mut().admission.connected(PeerId(peer), token, Some(address));
    }

    /// A connected peer asks for a session, under a name of its own.
    fn hello(game: &mut Game, peer: u64, nonce: u64, name: &str) -> Vec<PlayerEvent> {
        let dictionary = Dictionary::of(game.server.catalog());
        let (catalog, credential) = (game.server.catalog().hash(), name.as_bytes().to_vec());
        let hello = Hello { protocol: PROTOCOL, catalog, dictionary: dictionary.hash(), nonce, credential };
        let bytes = encode_to_server(&dictionary, &ToServer::Hello(hello)).unwrap();
        let now = Time::from_micros(u64::from(game.server.current_tick().0) * 20_000);
        game.server.handle(now, PeerId(peer), &bytes);
        let mut events = Vec::new();
        game.handle_events(&mut |event| events.push(event));
        events
    }

    fn names(game: &Game) -> Vec<&str> {
        game.players.values().map(|player| player.name.as_str()).collect()
    }

    #[test]
    fn second_session_of_a_connection_keeps_the_name_of_the_token() {
        let (mut game, _) = game();
        connect(&mut game, 1, Some("Eve"), [203, 0, 113, 1]);
        hello(&mut game, 1, 1, "Ada");
        assert_eq!(names(&game), ["Eve"]);
        hello(&mut game, 1, 2, "Ada");
        assert_eq!(names(&game), ["Eve"]);
        // The name is still taken.
        connect(&mut game, 2, Some("Eve"), [203, 0, 113, 2]);
        hello(&mut game, 2, 1, "Ada");
        assert_eq!(names(&game), ["Eve", "Eve 2"]);
    }

    #[test]
    fn kept_sessions_of_one_network_are_bounded() {
        let (mut game, _) = game();
        game.sessions_per_network = 3;
        for peer in 1..=5 {
            connect(&mut game, peer, None, [203, 0, 113, 1]);
            hello(&mut game, peer, 1, &format!("Ada {peer}"));
            game.server.disconnected(PeerId(peer));
        }
        game.handle_events(&mut |_| {});
        assert_eq!(names(&game), ["Ada 3", "Ada 4", "Ada 5"]);
        // Another network has places of its own, and so has this machine.
        connect(&mut game, 6, None, [203, 0, 113, 2]);
        hello(&mut game, 6, 1, "Grace");
        for peer in 7..=11 {
            connect(&mut game, peer, None, [127, 0, 0, 1]);
            hello(&mut game, peer, 1, &format!("Eve {peer}"));
            game.server.disconnected(PeerId(peer));
        }
        game.handle_events(&mut |_| {});
        assert_eq!(game.player_count(), 3 + 1 + 5);
    }

    #[test]
    fn banned_and_draining_servers_admit_no_connected_peer() {
        let (mut game, _) = game();
        connect(&mut game, 1, None, [203, 0, 113, 1]);
        hello(&mut game, 1, 1, "Ada");
        assert_eq!(names(&game), ["Ada"]);
        let mut bans = crate::serve::access::Bans::default();
        bans.transport.ban_network("203.0.113.0/24".parse().unwrap());
        game.server.host_mut().admission.bans = bans;
        // The connection is still open for a moment.
        let refused = hello(&mut game, 1, 2, "Ada");
        assert!(refused.iter().any(|event| matches!(event, PlayerEvent::Refused { .. })), "{refused:?}");
        assert_eq!(game.player_count(), 0);
        connect(&mut game, 2, None, [198, 51, 100, 1]);
        game.server.host_mut().admission.is_draining = true;
        let refused = hello(&mut game, 2, 1, "Grace");
        assert!(refused.iter().any(|event| matches!(event, PlayerEvent::Refused { .. })), "{refused:?}");
    }

    /// A game of `packs/spells` with an ogre, at 50 ticks per second.
    fn game() -> (Game, ControllerId) {
        let pack = ugas_data::load(concat!(env!("CARGO_MANIFEST_DIR"), "/../../packs/spells")).unwrap();
        let mut game =
            Game::new(pack.catalog, 7, TickLength::hertz(50), &Settings::default(), "Mage".to_owned());
        game.add_bots(1, "Ogre").unwrap();
        let ogre = game.server.simulation().controllers().next().unwrap().0;
        (game, ogre)
    }

    fn run(game: &mut Game, ticks: u64) -> Vec<PlayerEvent> {
        let mut events = Vec::new();
        for _ in 0..ticks {
            let now = Time::from_micros(u64::from(game.server.current_tick().0) * 20_000);
            game.tick(now, &mut |event| events.push(event));
        }
        events
    }

    fn health(game: &Game, controller: ControllerId) -> Option<f64> {
        let simulation = game.server.simulation();
        simulation.current(controller, simulation.catalog().attribute("Health").unwrap())
    }

    #[test]
    fn projectile_hits_its_target() {
        let (mut game, ogre) = game();
        let simulation = game.server.simulation_mut();
        let mage = simulation.spawn("Mage").unwrap();
        let fireball = simulation.controller(mage).unwrap().abilities()[0];
        simulation.activate_with(fireball, ActivationRequest::on(ogre)).unwrap();
        // 1.5 s of casting are 75 ticks; then the projectile hits for 20 + 10 × 1 of 100 health.
        run(&mut game, 70);
        assert_eq!(health(&game, ogre), Some(100.0));
        run(&mut game, 10);
        assert_eq!(health(&game, ogre), Some(70.0));
    }

    #[test]
    fn dead_bot_respawns_after_three_seconds() {
        let (mut game, ogre) = game();
        let simulation = game.server.simulation_mut();
        let damage = simulation.catalog().effect("GE_FireballDamage").unwrap();
        for _ in 0..4 {
            // 4 × 30 are more than 100.
            simulation.apply_effect(damage, None, ogre).unwrap();
        }
        assert_eq!(run(&mut game, 1), [PlayerEvent::Died { name: "Ogre".to_owned() }]);
        // Three seconds are 150 ticks.
        run(&mut game, 140);
        assert_eq!(health(&game, ogre), Some(0.0));
        run(&mut game, 20);
        assert_eq!(health(&game, ogre), None);
        let ogre = game.server.simulation().controllers().next().unwrap().0;
        assert_eq!(health(&game, ogre), Some(100.0));
        assert!(game.bots.is_bot(ogre));
    }
}
