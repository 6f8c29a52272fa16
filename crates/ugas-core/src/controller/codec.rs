//! A controller as bytes, as a part of the state hash and as text: a list of fields, whatever part each of them is in.
//!
//! The patterns have no `..`, so that a field which is added and forgotten here does not compile.

use core::fmt;

use super::parts::{Extras, Skills};
use super::{Controller, Value};
use crate::codec::{Decode, DecodeError, Decoder, Encode, Encoder};
use crate::hash::{StateHash, StateHasher};
use crate::seldom::Seldom;

impl StateHash for Controller {
    fn state_hash(&self, hasher: &mut StateHasher) {
        let Self {
            ordinal,
            template,
            owner,
            avatar,
            replication,
            // Hashed by the simulation, as the list of sets.
            layout: _,
            values,
            modifiers,
            tags,
            effects,
            buffer,
            extras,
            skills,
            // Says what is still to be done.
            pending: _,
        } = self;
        let Extras {
            effect_index: _,
            outgoing,
            watchers: _,
            cues,
            ability_blocks: _,
            placement,
            team,
            rolls,
        } = &**extras;
        let Skills { abilities, ability_index: _, activations, run_index: _, subscriptions: _, runs, inputs } =
            &**skills;
        (ordinal, template).state_hash(hasher);
        (owner, avatar).state_hash(hasher);
        replication.state_hash(hasher);
        (values.len() as u64).state_hash(hasher);
        values.iter().for_each(|value| value.base.state_hash(hasher));
        (values.len() as u64).state_hash(hasher);
        values.iter().for_each(|value| value.current.state_hash(hasher));
        modifiers.state_hash(hasher);
        tags.state_hash(hasher);
        effects.state_hash(hasher);
        outgoing.state_hash(hasher);
        cues.state_hash(hasher);
        abilities.state_hash(hasher);
        activations.state_hash(hasher);
        inputs.state_hash(hasher);
        buffer.state_hash(hasher);
        placement.state_hash(hasher);
        team.state_hash(hasher);
        rolls.state_hash(hasher);
        runs.state_hash(hasher);
    }
}

impl Encode for Controller {
    /// What the rest follows from.
    fn encode(&self, encoder: &mut Encoder) {
        let Self {
            ordinal,
            template,
            owner,
            avatar,
            replication,
            // Written by the simulation, as the list of sets.
            layout: _,
            values,
            modifiers: _,
            tags: _,
            effects: _,
            buffer,
            extras,
            skills,
            pending,
        } = self;
        let Extras {
            effect_index: _,
            outgoing: _,
            watchers: _,
            cues: _,
            ability_blocks: _,
            placement,
            team,
            rolls,
        } = &**extras;
        let Skills {
            abilities: _,
            ability_index: _,
            activations: _,
            run_index: _,
            subscriptions: _,
            runs,
            inputs,
        } = &**skills;
        ordinal.encode(encoder);
        template.encode(encoder);
        owner.encode(encoder);
        avatar.encode(encoder);
        replication.encode(encoder);
        encoder.list(values.iter().map(|value| &value.base));
        encoder.list(values.iter().map(|value| &value.current));
        inputs.encode(encoder);
        buffer.encode(encoder);
        placement.encode(encoder);
        team.encode(encoder);
        rolls.encode(encoder);
        runs.encode(encoder);
        pending.encode(encoder);
    }
}

impl Decode for Controller {
    fn decode(decoder: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            ordinal: Decode::decode(decoder)?,
            template: Decode::decode(decoder)?,
            owner: Decode::decode(decoder)?,
            avatar: Decode::decode(decoder)?,
            replication: Decode::decode(decoder)?,
            values: values(decoder)?,
            ..Self::read_parts(decoder)?
        })
    }
}

impl Controller {
    /// What comes after the values.
    fn read_parts(decoder: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        let inputs = Decode::decode(decoder)?;
        let buffer = Decode::decode(decoder)?;
        let (placement, team) = (Decode::decode(decoder)?, Decode::decode(decoder)?);
        let rolls = Decode::decode(decoder)?;
        let runs = Decode::decode(decoder)?;
        Ok(Self {
            extras: Seldom::from(Extras { placement, team, rolls, ..Extras::default() }),
            skills: Seldom::from(Skills { runs, inputs, ..Skills::default() }),
            pending: Decode::decode(decoder)?,
            ..Self::bare(buffer)
        })
    }
}

impl fmt::Debug for Controller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        macro_rules! show {
            ($shown:ident, $of:expr => $($field:ident),* $(,)?) => { $($shown.field(stringify!($field), &$of.$field);)* };
        }
        let mut shown = f.debug_struct("Controller");
        show!(shown, self => ordinal, template, owner, avatar, replication, layout, values, modifiers, tags, effects);
        show!(shown, self.extras => effect_index, outgoing, watchers, cues, ability_blocks);
        show!(shown, self.skills => abilities, ability_index, activations, run_index, subscriptions, inputs);
        show!(shown, self => buffer);
        show!(shown, self.extras => placement, team, rolls);
        show!(shown, self.skills => runs);
        show!(shown, self => pending);
        shown.finish()
    }
}

/// The bases, and as many current values.
fn values(decoder: &mut Decoder<'_>) -> Result<Vec<Value>, DecodeError> {
    let mut values: Vec<Value> = decoder.list(Vec::with_capacity, |values: &mut Vec<Value>, base| {
        values.push(Value { base, current: 0.0 });
    })?;
    let current = Vec::<f64>::decode(decoder)?;
    if current.len() != values.len() {
        return Err(decoder.invalid("a controller has other values than bases"));
    }
    for (value, current) in values.iter_mut().zip(current) {
        value.current = current;
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::{VERSION, to_bytes};

    #[test]
    fn there_are_as_many_current_values_as_bases() {
        let read = |bases: &Vec<f64>, current: &Vec<f64>| {
            let bytes = [to_bytes(bases), to_bytes(current)].concat();
            values(&mut Decoder::new(&bytes, VERSION))
        };
        let value = |base, current| Value { base, current };
        assert_eq!(read(&vec![1.0, 2.0], &vec![3.0, 4.0]).unwrap(), [value(1.0, 3.0), value(2.0, 4.0)]);
        assert!(read(&vec![1.0, 2.0], &vec![3.0]).is_err());
        assert!(read(&vec![1.0], &vec![3.0, 4.0]).is_err());
    }
}
