//! The game of a server: who plays what, the bots, and what a host has to do.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::Context;
use ugas_core::catalog::Catalog;
use ugas_core::event::EventKind;
use ugas_core::handle::ControllerId;
use ugas_core::simulation::{Config, Role, Simulation};
use ugas_core::time::{Span, Time};
use ugas_net::message::{ByeReason, ClientId, Rejection};
use ugas_net::{PeerId, Server, ServerConfig, ServerEvent, TickLength};

use super::bots::Bots;
use super::door::Door;
use super::tasks::Request;

/// How long the dead stay dead.
const REST: Span = Span::millis(3_000);

/// A player in the game.
struct Player {
    name: String,
    peer: PeerId,
    template: String,
    controller: ControllerId,
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
    Rejected { name: String, rejection: Rejection },
    /// Somebody died.
    Died { name: String },
}

/// The game of a server.
pub(super) struct Game {
    pub(super) server: Server<Door>,
    template: String,
    players: BTreeMap<ClientId, Player>,
    bots: Bots,
    tasks: Vec<Request>,
    fallen: Vec<(Time, ControllerId)>,
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
        let door = Door::new(Arc::clone(&catalog));
        // Clients may know the second seed, and must not learn the first from it.
        let prediction_seed = crate::online::drawn_number();
        let config = Config { role: Role::Server, prediction_seed, ..Config::seeded(seed) };
        let simulation = Simulation::new(catalog, config);
        let config = ServerConfig { length, max_clients, ..ServerConfig::default() };
        Self {
            server: Server::with_host(simulation, config, door),
            template,
            players: BTreeMap::new(),
            bots: Bots::new(seed),
            tasks: Vec::new(),
            fallen: Vec::new(),
        }
    }

    /// Adds opponents.
    pub(super) fn add_bots(&mut self, count: u16, template: &str) -> anyhow::Result<()> {
        for _ in 0..count {
            let controller = self.server.simulation_mut().spawn(template);
            self.bots.add(controller.with_context(|| format!("a bot cannot be a `{template}`"))?);
        }
        Ok(())
    }

    /// How many play.
    pub(super) fn players(&self) -> usize {
        self.players.len()
    }

    /// Lets one tick pass, and says what happened.
    pub(super) fn tick(&mut self, now: Time, tell: &mut impl FnMut(News)) {
        let simulation = self.server.simulation_mut();
        for request in self.tasks.drain(..) {
            request.carry_out(simulation);
        }
        self.bots.act(simulation);
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
                    let _ = self.server.simulation_mut().despawn(player.controller);
                    tell(News::Left { peer: player.peer, name: player.name, reason });
                }
                ServerEvent::Refused { peer, reason } => {
                    tell(News::Refused { peer, reason: reason.to_string() });
                }
                ServerEvent::Rejected { client, rejection } => {
                    if let Some(player) = self.players.get(&client) {
                        tell(News::Rejected { name: player.name.clone(), rejection });
                    }
                }
                ServerEvent::Game(event) => {
                    if let EventKind::OwnerDied { controller } = event.kind {
                        self.fallen.push((self.server.simulation().now() + REST, controller));
                        tell(News::Died { name: self.name_of(controller) });
                    }
                    self.tasks.extend(Request::of(self.server.simulation(), &event.kind));
                }
                _ => {}
            }
        }
    }

    fn join(&mut self, client: ClientId, peer: PeerId, credential: &[u8]) -> Option<News> {
        // It was read before it was let in.
        let introduction = self.server.host().introduction(peer, credential).ok()?;
        let template = introduction.template.unwrap_or_else(|| self.template.clone());
        let Ok(controller) = self.server.simulation_mut().spawn(&template) else {
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
            let template = match player {
                Some(player) => player.template.clone(),
                None if self.bots.is_bot(old) => self.template_of(old),
                None => continue,
            };
            let simulation = self.server.simulation_mut();
            let _ = simulation.despawn(old);
            let Ok(new) = simulation.spawn(&template) else { continue };
            self.bots.replace(old, new);
            if let Some(client) = owner {
                self.server.give(new, client);
                if let Some(player) = self.players.get_mut(&client) {
                    player.controller = new;
                }
            }
        }
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
