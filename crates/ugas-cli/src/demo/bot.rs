//! A bot: looks at a simulation, whosever that is, and decides what its fighter does.
//!
//! It knows no rules. Which abilities there are, what they cost and whether they may be used now, the simulation says; the
//! order in which the pack grants them is the order in which they are tried.

use ugas_core::handle::{AbilityHandle, ControllerId};
use ugas_core::id::TagId;
use ugas_core::random::{RandomStream, stable_name_hash};
use ugas_core::simulation::{ActivationRequest, Simulation};
use ugas_core::time::{Span, Time};

/// The shortest and the longest time between two thoughts, in seconds.
const THOUGHT: (f64, f64) = (0.15, 0.6);

/// The tags of the pack that a bot understands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words {
    /// An ability that hurts somebody.
    pub(super) attack: TagId,
    /// An ability that helps its owner.
    pub(super) aid: TagId,
    /// Somebody who need not be hurt any more.
    pub(super) dead: TagId,
}

/// What one fighter does next.
#[derive(Clone, Debug)]
pub(super) struct Bot {
    dice: RandomStream,
    next_thought: Time,
}

impl Bot {
    /// Bots with the same seed and number decide the same in the same situation.
    pub(super) fn new(seed: u64, number: usize) -> Self {
        let mut dice = RandomStream::derive(seed, &[stable_name_hash("bot"), number as u64]);
        let first = Time::ZERO + Span::seconds(dice.range(THOUGHT.0, THOUGHT.1));
        Self { dice, next_thought: first }
    }

    /// Thinks, if it is time to: an ability and on whom.
    pub(super) fn think(
        &mut self,
        now: Time,
        simulation: &Simulation,
        own: ControllerId,
        enemies: impl Iterator<Item = ControllerId>,
        words: Words,
    ) -> Option<(AbilityHandle, ActivationRequest)> {
        if now < self.next_thought {
            return None;
        }
        self.next_thought = now + Span::seconds(self.dice.range(THOUGHT.0, THOUGHT.1));
        let alive: Vec<ControllerId> =
            enemies.filter(|enemy| !simulation.has_tag(*enemy, words.dead)).collect();
        let enemy = alive.get(self.dice.below(alive.len() as u64) as usize).copied();
        let abilities = simulation.controller(own)?.abilities();
        abilities.iter().find_map(|&ability| {
            let granted = simulation.ability(ability)?.ability();
            let tags = simulation.catalog().ability_by_id(granted)?.tags();
            let request = match (tags.contains(words.attack), tags.contains(words.aid)) {
                (true, _) => ActivationRequest::on(enemy?),
                (false, true) => ActivationRequest::default(),
                (false, false) => return None,
            };
            simulation.can_activate_on(ability, request.targets.clone()).ok()?;
            Some((ability, request))
        })
    }
}
