//! A bot: decides the actions of its fighter from a simulation, the server's or a client's.
//!
//! It knows no rules: the simulation knows the abilities, their costs and whether they can be used. Abilities
//! are tried in the order in which the pack grants them.

use ugas_core::handle::{ControllerId, GrantedAbilityId};
use ugas_core::id::TagId;
use ugas_core::random::{RandomStream, stable_name_hash};
use ugas_core::simulation::{ActivationRequest, Simulation};
use ugas_core::time::{Span, Time};

/// Minimum and maximum time between two decisions, in seconds.
const DECISION_INTERVAL: (f64, f64) = (0.15, 0.6);

/// The tags of the pack that a bot understands.
#[derive(Clone, Copy, Debug)]
pub(super) struct BotTags {
    /// Tag of abilities that harm an enemy.
    pub(super) attack: TagId,
    /// Tag of abilities that help their owner.
    pub(super) aid: TagId,
    /// Tag of dead fighters.
    pub(super) dead: TagId,
}

/// The bot of one fighter.
#[derive(Clone, Debug)]
pub(super) struct Bot {
    random: RandomStream,
    next_decision: Time,
}

impl Bot {
    /// Bots with the same seed and number make the same decisions.
    pub(super) fn new(seed: u64, number: usize) -> Self {
        let mut random = RandomStream::derive(seed, &[stable_name_hash("bot"), number as u64]);
        let first = Time::ZERO + Span::seconds(random.range(DECISION_INTERVAL.0, DECISION_INTERVAL.1));
        Self { random, next_decision: first }
    }

    /// Decides, if it is time to: returns an ability and its target.
    pub(super) fn decide(
        &mut self,
        now: Time,
        simulation: &Simulation,
        own: ControllerId,
        enemies: impl Iterator<Item = ControllerId>,
        bot_tags: BotTags,
    ) -> Option<(GrantedAbilityId, ActivationRequest)> {
        if now < self.next_decision {
            return None;
        }
        self.next_decision = now + Span::seconds(self.random.range(DECISION_INTERVAL.0, DECISION_INTERVAL.1));
        let alive: Vec<ControllerId> =
            enemies.filter(|enemy| !simulation.has_tag(*enemy, bot_tags.dead)).collect();
        let enemy = alive.get(self.random.below(alive.len() as u64) as usize).copied();
        let abilities = simulation.controller(own)?.abilities();
        abilities.iter().find_map(|&ability| {
            let granted = simulation.ability(ability)?.ability();
            let tags = simulation.catalog().ability_by_id(granted)?.tags();
            let request = match (tags.contains(bot_tags.attack), tags.contains(bot_tags.aid)) {
                (true, _) => ActivationRequest::on(enemy?),
                (false, true) => ActivationRequest::default(),
                (false, false) => return None,
            };
            simulation.is_ready_with(ability, &request).then_some((ability, request))
        })
    }
}
