//! Encoding, state hash and `Debug` text of a controller: one flat list of fields, whatever part each is in.

use core::fmt;

use super::parts::{AbilityData, Interactions};
use super::{Controller, Value};
use crate::codec::{Encode, Encoder, plain_parts};
use crate::hash::{HashSink, StateHash};
use crate::lazy_box::LazyBox;

plain_parts!(Controller |controller, decoder| where {
    Controller {
        ordinal,
        template,
        owner,
        avatar,
        replication,
        inactive,
        layout,
        values,
        modifiers,
        tags,
        effects,
        buffer,
        interactions,
        ability_data,
        pending,
    } = controller;
    Interactions { effect_index, outgoing, watchers, cues, ability_blocks, placement, team, rolls, summon } = &***interactions;
    AbilityData { abilities, ability_index, activations, run_index, subscriptions, runs, inputs } = &***ability_data;
} {
    ordinal,
    template,
    owner,
    avatar,
    replication,
    // The simulation hashes and encodes the list of sets instead.
    layout [index],
    base: Column(values, |value: &Value| value.base),
    current: Column(values, |value: &Value| value.current),
    modifiers [derived],
    tags [derived],
    effects [derived],
    effect_index [index],
    outgoing [derived],
    watchers [index],
    cues [derived],
    abilities [derived],
    ability_index [index],
    activations [derived],
    run_index [index],
    subscriptions [index],
    ability_blocks [index],
    inputs,
    buffer,
    placement,
    team,
    rolls,
    runs,
    summon [since 4],
    pending [unhashed],
    inactive [since 4],
} => {
    Ok(Self {
        ordinal,
        template,
        owner,
        avatar,
        replication,
        inactive,
        values: joined(base, current).map_err(|what| decoder.invalid(what))?,
        interactions: LazyBox::from(Interactions { placement, team, rolls, summon, ..Interactions::default() }).into(),
        ability_data: LazyBox::from(AbilityData { runs, inputs, ..AbilityData::default() }).into(),
        pending,
        ..Self::bare(buffer)
    })
});

/// One column of the values: all base values, or all current values.
struct Column<'a, F>(&'a [Value], F);

impl<F: Fn(&Value) -> f64> Column<'_, F> {
    fn iter(&self) -> impl ExactSizeIterator<Item = f64> + '_ {
        self.0.iter().map(&self.1)
    }
}

impl<F: Fn(&Value) -> f64> StateHash for Column<'_, F> {
    fn state_hash<S: HashSink>(&self, hasher: &mut S) {
        (self.0.len() as u64).state_hash(hasher);
        self.iter().for_each(|value| value.state_hash(hasher));
    }
}

impl<F: Fn(&Value) -> f64> Encode for Column<'_, F> {
    fn encode(&self, encoder: &mut Encoder) {
        encoder.length(self.0.len());
        self.iter().for_each(|value| value.encode(encoder));
    }
}

impl<F: Fn(&Value) -> f64> fmt::Debug for Column<'_, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Zips base values with as many current values.
fn joined(base: Vec<f64>, current: Vec<f64>) -> Result<Vec<Value>, &'static str> {
    if current.len() != base.len() {
        return Err("a controller has different numbers of base and current values");
    }
    Ok(base.into_iter().zip(current).map(|(base, current)| Value { base, current }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decode_requires_as_many_current_values_as_base_values() {
        let value = |base, current| Value { base, current };
        assert_eq!(joined(vec![1.0, 2.0], vec![3.0, 4.0]).unwrap(), [value(1.0, 3.0), value(2.0, 4.0)]);
        assert!(joined(vec![1.0, 2.0], vec![3.0]).is_err());
        assert!(joined(vec![1.0], vec![3.0, 4.0]).is_err());
    }
}
