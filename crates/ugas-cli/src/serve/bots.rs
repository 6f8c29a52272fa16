//! Bots of a server, which use random abilities.

use ugas_core::command::Command;
use ugas_core::handle::ControllerId;
use ugas_core::random::RandomStream;
use ugas_core::simulation::ActivationRequest;
use ugas_core::time::{Span, Time};
use ugas_net::Server;

use super::server_host::ServerHost;
use crate::online;

/// Minimum and maximum time between two actions of a bot, in seconds.
const ACTION_INTERVAL: (f64, f64) = (0.8, 2.0);

/// All bots of a server.
pub(super) struct Bots {
    random: RandomStream,
    bots: Vec<Bot>,
}

struct Bot {
    controller: ControllerId,
    next: Time,
}

impl Bots {
    pub(super) fn new(seed: u64) -> Self {
        Self { random: RandomStream::new(seed), bots: Vec::new() }
    }

    /// Adds a bot for a controller. It begins after a random pause, so that bots do not act all at once.
    pub(super) fn add(&mut self, controller: ControllerId) {
        let next = Time::ZERO + self.pause();
        self.bots.push(Bot { controller, next });
    }

    pub(super) fn is_bot(&self, controller: ControllerId) -> bool {
        self.bots.iter().any(|bot| bot.controller == controller)
    }

    /// Replaces the handle of a bot that has respawned.
    pub(super) fn replace(&mut self, old: ControllerId, new: ControllerId) {
        for bot in self.bots.iter_mut().filter(|bot| bot.controller == old) {
            bot.controller = new;
        }
    }

    /// Makes the due bots act: each uses a random available ability on a random controller that is not a bot.
    pub(super) fn act(&mut self, server: &mut Server<ServerHost>) {
        let now = server.simulation().now();
        for at in 0..self.bots.len() {
            if self.bots[at].next > now {
                continue;
            }
            self.bots[at].next = now + self.pause();
            let controller = self.bots[at].controller;
            let simulation = server.simulation();
            let others = simulation.controllers().map(|(id, _)| id).filter(|id| !self.is_bot(*id));
            let others: Vec<ControllerId> = others.collect();
            let Some(target) = self.choose(&others) else { continue };
            let granted = simulation.controller(controller).map(|known| known.abilities().to_vec());
            let mut ready = granted.unwrap_or_default();
            ready.retain(|ability| {
                online::is_player_ability(simulation, *ability) && simulation.is_ready_on(*ability, target)
            });
            if let Some(ability) = self.choose(&ready) {
                // It was just checked that it can be activated.
                let request = Box::new(ActivationRequest::on(target));
                let _ = server.execute(Command::Activate { ability, request });
            }
        }
    }

    /// Random pause between two actions.
    fn pause(&mut self) -> Span {
        Span::seconds(self.random.range(ACTION_INTERVAL.0, ACTION_INTERVAL.1))
    }

    /// Random item; `None` if there is none.
    fn choose<T: Copy>(&mut self, among: &[T]) -> Option<T> {
        let at = self.random.below(among.len().max(1) as u64);
        among.get(usize::try_from(at).unwrap_or(0)).copied()
    }
}
