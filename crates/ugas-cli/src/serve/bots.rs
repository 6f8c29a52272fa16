//! Opponents that use their abilities by chance.

use ugas_core::command::Command;
use ugas_core::handle::ControllerId;
use ugas_core::random::RandomStream;
use ugas_core::simulation::ActivationRequest;
use ugas_core::time::{Span, Time};
use ugas_net::Server;

use super::keeper::Keeper;
use crate::online;

/// Shortest and longest pause between two thoughts, in seconds.
const PAUSE: (f64, f64) = (0.8, 2.0);

/// All bots of a server.
pub(super) struct Bots {
    dice: RandomStream,
    bots: Vec<Bot>,
}

struct Bot {
    controller: ControllerId,
    next: Time,
}

impl Bots {
    pub(super) fn new(seed: u64) -> Self {
        Self { dice: RandomStream::new(seed), bots: Vec::new() }
    }

    pub(super) fn add(&mut self, controller: ControllerId) {
        let next = Time::ZERO + self.pause();
        self.bots.push(Bot { controller, next });
    }

    pub(super) fn is_bot(&self, controller: ControllerId) -> bool {
        self.bots.iter().any(|bot| bot.controller == controller)
    }

    /// A bot came back under another handle.
    pub(super) fn replace(&mut self, old: ControllerId, new: ControllerId) {
        for bot in self.bots.iter_mut().filter(|bot| bot.controller == old) {
            bot.controller = new;
        }
    }

    /// Lets those act whose time has come: each on somebody who is not a bot, with something that it can do.
    pub(super) fn act(&mut self, server: &mut Server<Keeper>) {
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
                online::is_chosen(simulation, *ability)
                    && simulation.can_activate_on(*ability, target).is_ok()
            });
            if let Some(ability) = self.choose(&ready) {
                // It was asked whether it can; what happens in the meantime is nothing.
                let request = Box::new(ActivationRequest::on(target));
                let _ = server.execute(Command::Activate { ability, request });
            }
        }
    }

    fn pause(&mut self) -> Span {
        Span::seconds(self.dice.range(PAUSE.0, PAUSE.1))
    }

    fn choose<T: Copy>(&mut self, among: &[T]) -> Option<T> {
        let at = self.dice.below(among.len().max(1) as u64);
        among.get(usize::try_from(at).unwrap_or(0)).copied()
    }
}
