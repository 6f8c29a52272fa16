//! The game of a server: who plays what, the bots, and what a host has to do.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::Context;
use ugas_core::catalog::Catalog;
use ugas_core::command::{Command, Outcome};
use ugas_core::event::{Event, EventKind};
use ugas_core::handle::{ControllerId, Handle};
use ugas_core::simulation::{Config, Role, Simulation, Spawn};
use ugas_core::time::{Span, Time};
use ugas_net::message::{ByeReason, ClientId, Rejection};
use ugas_net::{PeerId, Server, ServerConfig, ServerEvent, TickLength};

use super::bots::Bots;
use super::door::Door;
use super::keeper::Keeper;
use super::tape::Tape;
use super::tasks::Request;

/// How long the dead stay dead.
const REST: Span = Span::millis(3_000);

/// A player in the game.
pub(super) struct Player {
    pub(super) name: String,
    pub(super) peer: PeerId,
    pub(super) template: String,
    pub(super) controller: ControllerId,
}

/// What whoever runs the server is told.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum News {
    /// A player joined.
    Joined { peer: PeerId, name: String, template: String },
    /// A player is gone.
    Left { peer: PeerId, name: String, reason: Option<ByeReason> },
    /// Somebody was not let in.
    Refused { peer: PeerId, reason: String },
    /// A command was rejected.
    Rejected { peer: PeerId, name: String, rejection: Rejection },
    /// Somebody died.
    Died { name: String },
}

/// The game of a server.
pub(super) struct Game {
    pub(super) server: Server<Keeper>,
    template: String,
    players: BTreeMap<ClientId, Player>,
    bots: Bots,
    tasks: Vec<Request>,
    fallen: Vec<(Time, ControllerId)>,
    /// What happened, for whoever watches; `None` while nobody can.
    events: Option<Vec<Event>>,
}

impl Game {
    /// A game without players.
    pub(super) fn new(
        catalog: Arc<Catalog>,
        seed: u64,
        length: TickLength,
        max_clients: u32,
        template: String,
    ) -> Self {
        let keeper = Keeper { door: Door::new(Arc::clone(&catalog)), tape: None };
        // Clients may know the second seed, and must not learn the first from it.
        let prediction_seed = crate::online::drawn_number();
        let config = Config { role: Role::Server, prediction_seed, ..Config::seeded(seed) };
        let simulation = Simulation::new(catalog, config);
        let config = ServerConfig { length, max_clients, ..ServerConfig::default() };
        Self {
            server: Server::with_host(simulation, config, keeper),
            template,
            players: BTreeMap::new(),
            bots: Bots::new(seed),
            tasks: Vec::new(),
            fallen: Vec::new(),
            events: None,
        }
    }

    /// Records everything from now on: before anybody is there.
    pub(super) fn record(&mut self, tape: Tape) {
        self.server.host_mut().tape = Some(tape);
    }

    /// The recording, if one is kept.
    pub(super) fn tape(&mut self) -> Option<&mut Tape> {
        self.server.host_mut().tape.as_mut()
    }

    /// Ends the recording, if one is kept, and says where it is.
    ///
    /// # Errors
    /// If not everything could be written.
    pub(super) fn finish_recording(&mut self) -> anyhow::Result<Option<String>> {
        let tape = self.server.host_mut().tape.take();
        tape.map(|tape| tape.finish(self.server.simulation())).transpose()
    }

    /// Keeps what happens until it is forgotten.
    pub(super) fn keep_events(&mut self) {
        self.events = Some(Vec::new());
    }

    /// What happened since it was forgotten last.
    pub(super) fn events(&self) -> &[Event] {
        self.events.as_deref().unwrap_or_default()
    }

    /// Forgets what happened.
    pub(super) fn forget_events(&mut self) {
        if let Some(events) = &mut self.events {
            events.clear();
        }
    }

    /// Adds opponents.
    pub(super) fn add_bots(&mut self, count: u16, template: &str) -> anyhow::Result<()> {
        for _ in 0..count {
            let controller = self.spawn(template, None);
            self.bots.add(controller.with_context(|| format!("a bot cannot be a `{template}`"))?);
        }
        Ok(())
    }

    /// Everybody who plays.
    pub(super) fn all_players(&self) -> impl Iterator<Item = (ClientId, &Player)> {
        self.players.iter().map(|(client, player)| (*client, player))
    }

    /// How many play.
    pub(super) fn players(&self) -> usize {
        self.players.len()
    }

    /// Lets one tick pass, and says what happened.
    pub(super) fn tick(&mut self, now: Time, tell: &mut impl FnMut(News)) {
        for request in self.tasks.drain(..) {
            request.carry_out(&mut self.server);
        }
        self.bots.act(&mut self.server);
        self.bring_back();
        self.server.tick(now);
        self.hear(tell);
    }

    /// Takes what the server tells.
    pub(super) fn hear(&mut self, tell: &mut impl FnMut(News)) {
        while let Some(event) = self.server.poll_event() {
            match event {
                ServerEvent::Joined { client, peer, credential } => {
                    if let Some(news) = self.join(client, peer, &credential) {
                        tell(news);
                    }
                }
                ServerEvent::Left { client, reason } => {
                    let Some(player) = self.players.remove(&client) else { continue };
                    // It may have died, and be gone already.
                    let _ = self.server.execute(Command::Despawn(player.controller));
                    tell(News::Left { peer: player.peer, name: player.name, reason });
                }
                ServerEvent::Refused { peer, reason } => {
                    tell(News::Refused { peer, reason: reason.to_string() });
                }
                ServerEvent::Rejected { client, rejection } => {
                    if let Some(player) = self.players.get(&client) {
                        tell(News::Rejected { peer: player.peer, name: player.name.clone(), rejection });
                    }
                }
                ServerEvent::Game(event) => {
                    if let EventKind::OwnerDied { controller } = event.kind {
                        self.fallen.push((self.server.simulation().now() + REST, controller));
                        tell(News::Died { name: self.name_of(controller) });
                    }
                    self.tasks.extend(Request::of(self.server.simulation(), &event.kind));
                    if let Some(events) = &mut self.events {
                        events.push(event);
                    }
                }
                _ => {}
            }
        }
    }

    fn join(&mut self, client: ClientId, peer: PeerId, credential: &[u8]) -> Option<News> {
        // It was read before it was let in.
        let introduction = self.server.host().door.introduction(peer, credential).ok()?;
        let template = introduction.template.unwrap_or_else(|| self.template.clone());
        let Ok(controller) = self.spawn(&template, Some(&introduction.name)) else {
            // There are as many controllers as there may be.
            self.server.kick(client);
            return None;
        };
        self.server.give(controller, client);
        let name = introduction.name;
        self.players
            .insert(client, Player { name: name.clone(), peer, template: template.clone(), controller });
        Some(News::Joined { peer, name, template })
    }

    /// The dead come back as what they were, under a new handle.
    fn bring_back(&mut self) {
        let now = self.server.simulation().now();
        while let Some(at) = self.fallen.iter().position(|(time, _)| *time <= now) {
            let (_, old) = self.fallen.swap_remove(at);
            let owner = self.server.owner(old);
            let player = owner.and_then(|client| self.players.get(&client));
            let (template, name) = match player {
                Some(player) => (player.template.clone(), Some(player.name.clone())),
                None if self.bots.is_bot(old) => (self.template_of(old), None),
                None => continue,
            };
            // It may be gone already.
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

    /// Somebody new, by the name of a player or the one that inspectors show.
    fn spawn(&mut self, template: &str, name: Option<&str>) -> anyhow::Result<ControllerId> {
        let spawned = self.server.execute(Command::Spawn(Spawn::named(template)))?;
        let Outcome::Spawned(controller) = spawned else { anyhow::bail!("nothing was spawned") };
        if let Some(tape) = self.tape() {
            let usual = || format!("{template} {}", controller.index());
            tape.name(controller, &name.map_or_else(usual, str::to_owned));
        }
        Ok(controller)
    }

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
    use ugas_core::simulation::ActivationRequest;

    use super::*;

    /// Of `packs/spells`, with an ogre; 50 ticks a second.
    fn game() -> (Game, ControllerId) {
        let pack = ugas_data::load(concat!(env!("CARGO_MANIFEST_DIR"), "/../../packs/spells")).unwrap();
        let mut game = Game::new(pack.catalog, 7, TickLength::hertz(50), 4, "Mage".to_owned());
        game.add_bots(1, "Ogre").unwrap();
        let ogre = game.server.simulation().controllers().next().unwrap().0;
        (game, ogre)
    }

    fn run(game: &mut Game, ticks: u64) -> Vec<News> {
        let mut news = Vec::new();
        for _ in 0..ticks {
            let now = Time::from_micros(u64::from(game.server.current_tick().0) * 20_000);
            game.tick(now, &mut |event| news.push(event));
        }
        news
    }

    fn health(game: &Game, controller: ControllerId) -> Option<f64> {
        let simulation = game.server.simulation();
        simulation.current(controller, simulation.catalog().attribute("Health").unwrap())
    }

    #[test]
    fn what_is_thrown_hits_whom_it_was_aimed_at() {
        let (mut game, ogre) = game();
        let simulation = game.server.simulation_mut();
        let mage = simulation.spawn("Mage").unwrap();
        let fireball = simulation.controller(mage).unwrap().abilities()[0];
        simulation.activate_with(fireball, ActivationRequest::on(ogre)).unwrap();
        // 1.5 s of casting are 75 ticks; then the host throws, and 20 + 10 × 1 of 100 health are gone.
        run(&mut game, 70);
        assert_eq!(health(&game, ogre), Some(100.0));
        run(&mut game, 10);
        assert_eq!(health(&game, ogre), Some(70.0));
    }

    #[test]
    fn the_dead_come_back() {
        let (mut game, ogre) = game();
        let simulation = game.server.simulation_mut();
        let damage = simulation.catalog().effect("GE_FireballDamage").unwrap();
        for _ in 0..4 {
            // 4 × 30 are more than 100.
            simulation.apply_effect(damage, None, ogre).unwrap();
        }
        assert_eq!(run(&mut game, 1), [News::Died { name: "Ogre".to_owned() }]);
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
