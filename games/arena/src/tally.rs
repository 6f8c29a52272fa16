//! Counters of a match, and the random numbers of the host.

use std::collections::BTreeMap;

use bevy_ecs::prelude::{Entity, MessageReader, Query, ResMut, Resource};
use bevy_ugas::event::{AbilityActivated, AttributeChanged};
use ugas::core::random::RandomStream;

use crate::fighter::Kind;
use crate::pad::Refused;

/// Random numbers of the host, separate from those of the rules.
#[derive(Resource, Clone, Debug)]
pub struct Dice(RandomStream);

impl Dice {
    /// Dice with a seed.
    pub fn seeded(seed: u64) -> Self {
        Self(RandomStream::derive(seed, &[0x0061_7265_6e61]))
    }

    /// A random number below a limit.
    pub fn below(&mut self, limit: u32) -> u32 {
        ((self.0.next_f64() * f64::from(limit)) as u32).min(limit.saturating_sub(1))
    }
}

/// Counters of a match.
#[derive(Resource, Clone, PartialEq, Debug, Default)]
pub struct Tally {
    /// Deaths of minions.
    pub minions_down: u32,
    /// Deaths of champions.
    pub champions_down: u32,
    /// Health lost by minions.
    pub dealt: f64,
    /// Health lost by champions.
    pub taken: f64,
    /// Refused actions of players.
    pub refused: u32,
    /// Activations of each ability, by all fighters.
    pub used: BTreeMap<String, u32>,
}

/// Updates the counters.
pub fn count(
    mut changes: MessageReader<'_, '_, AttributeChanged>,
    mut activated: MessageReader<'_, '_, AbilityActivated>,
    mut refused: MessageReader<'_, '_, Refused>,
    kinds: Query<'_, '_, &Kind>,
    mut tally: ResMut<'_, Tally>,
) {
    let is_champion = |entity: Entity| kinds.get(entity).is_ok_and(|kind| *kind == Kind::Champion);
    for change in changes.read() {
        let (is_champion, lost) = (is_champion(change.entity), change.old - change.new);
        match (&*change.name, is_champion) {
            ("Falls", true) if lost < 0.0 => tally.champions_down += 1,
            ("Falls", false) if lost < 0.0 => tally.minions_down += 1,
            ("Health", true) if lost > 0.0 => tally.taken += lost,
            ("Health", false) if lost > 0.0 => tally.dealt += lost,
            _ => {}
        }
    }
    for ability in activated.read() {
        *tally.used.entry(ability.name.to_string()).or_default() += 1;
    }
    tally.refused = tally.refused.saturating_add(u32::try_from(refused.read().count()).unwrap_or(u32::MAX));
}
