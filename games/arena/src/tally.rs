//! What is counted, and the dice of the host.

use std::collections::BTreeMap;

use bevy_ecs::prelude::{Entity, MessageReader, Query, ResMut, Resource};
use bevy_ugas::event::{AbilityActivated, AttributeChanged};
use ugas::core::random::RandomStream;

use crate::fighter::Kind;
use crate::pad::Refused;

/// The dice of the host, for what the rules leave open. Those of the rules are their own.
#[derive(Resource, Clone, Debug)]
pub struct Dice(RandomStream);

impl Dice {
    /// Dice that fall alike for the same seed.
    pub fn seeded(seed: u64) -> Self {
        Self(RandomStream::derive(seed, &[0x0061_7265_6e61]))
    }

    /// A number below another one.
    pub fn below(&mut self, limit: u32) -> u32 {
        ((self.0.next_f64() * f64::from(limit)) as u32).min(limit.saturating_sub(1))
    }
}

/// What happened in a match so far.
#[derive(Resource, Clone, PartialEq, Debug, Default)]
pub struct Tally {
    /// How many minions fell.
    pub minions_down: u32,
    /// How often champions fell.
    pub champions_down: u32,
    /// How much health minions lost.
    pub dealt: f64,
    /// How much health champions lost.
    pub taken: f64,
    /// How often players were told no.
    pub refused: u32,
    /// How often each ability was used, by all.
    pub used: BTreeMap<String, u32>,
}

/// Counts.
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
