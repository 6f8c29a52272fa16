//! Records: effects, abilities, runs and tasks as a viewer gets them.
//!
//! What follows from the definition, the level or the time is not written, and neither are secret streams of random numbers
//! and the controller, which whoever reads knows. A number of bits says what is there.

mod ability;
mod cue;
mod effect;
mod run;
mod veil;

pub(crate) use ability::{read_ability, write_ability};
pub(crate) use cue::{read_cue, veil_cue, write_cue};
pub(crate) use effect::{Dice, EffectFacts, read_effect, write_effect};
pub(crate) use run::{read_run, read_task, write_run, write_task};
pub(crate) use veil::{named_in_effect, named_in_run, veil_effect, veil_run};

use super::names::Names;
use crate::attribute::layout::Layout;
use crate::codec::{Decode, DecodeError, Decoder, Encode, Encoder, plain_struct};
use crate::controller::{Controller, ReplicationMode, Summon, SummonName};
use crate::handle::ControllerId;
use crate::id::{ActorId, AttributeSetId, TemplateId};
use crate::input::{InputBuffer, InputBufferConfig};
use crate::simulation::InputState;
use crate::targeting::Team;

/// What a controller is.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Head {
    pub(crate) ordinal: u64,
    pub(crate) template: Option<TemplateId>,
    pub(crate) owner: Option<ActorId>,
    pub(crate) avatar: Option<ActorId>,
    pub(crate) replication: ReplicationMode,
    pub(crate) team: Option<Team>,
    pub(crate) sets: Vec<AttributeSetId>,
    pub(crate) summon: Option<SummonHead>,
    /// Whether the controller refuses activations, input, events and applications (K1).
    pub(crate) inactive: bool,
}

/// Origin of a summoned controller (A17). When it leaves is the authority's decision, and not shown.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct SummonHead {
    pub(crate) instigator: ControllerId,
    pub(crate) name: Option<SummonName>,
}

impl SummonHead {
    /// The same as a part of a client's controller: the authority decides when it leaves.
    pub(crate) fn local(&self, names: &Names) -> Summon {
        Summon {
            instigator: names.local_or_unseen(self.instigator),
            bound: None,
            name: self.name.clone(),
            expires: None,
            sequence: 0,
            timer: None,
        }
    }
}

plain_struct!(Head { ordinal, template, owner, avatar, replication, team, sets, summon, inactive });
plain_struct!(SummonHead { instigator, name });

/// Writes the head of a controller, with the instigator under the name that `instigator` gives it.
pub(crate) fn write_head(
    controller: &Controller,
    layout: &Layout,
    instigator: impl FnOnce(ControllerId) -> ControllerId,
    encoder: &mut Encoder,
) {
    let Controller { ordinal, template, owner, avatar, replication, inactive, extras, .. } = controller;
    ordinal.encode(encoder);
    template.encode(encoder);
    owner.encode(encoder);
    avatar.encode(encoder);
    replication.encode(encoder);
    extras.team.encode(encoder);
    layout.sets.encode(encoder);
    let head = controller
        .summon()
        .map(|summon| SummonHead { instigator: instigator(summon.instigator), name: summon.name.clone() });
    head.encode(encoder);
    inactive.encode(encoder);
}

/// What is held down, and what came too early.
#[derive(PartialEq, Debug)]
pub(crate) struct Inputs {
    pub(crate) held: Vec<InputState>,
    pub(crate) buffer: InputBuffer,
}

plain_struct!(cloned Inputs { held, buffer });

/// Writes the inputs of a controller; false if there are none.
pub(crate) fn write_inputs(
    controller: &Controller,
    default: InputBufferConfig,
    encoder: &mut Encoder,
) -> bool {
    let (inputs, buffer) = (&controller.skills.inputs, &controller.buffer);
    if inputs.is_empty() && buffer.is_empty() && buffer.config() == default {
        return false;
    }
    inputs.encode(encoder);
    // Targets stay with the authority, which tries the inputs: a client may not know them.
    match buffer.without_targets() {
        Some(buffer) => buffer.encode(encoder),
        None => buffer.encode(encoder),
    }
    true
}

/// A value that is there if a bit is set.
fn read_if<T: Decode>(bits: u64, bit: u64, decoder: &mut Decoder<'_>) -> Result<Option<T>, DecodeError> {
    if bits & bit == 0 { Ok(None) } else { T::decode(decoder).map(Some) }
}

/// The bits whose conditions hold.
fn bits<const N: usize>(conditions: [(u64, bool); N]) -> u64 {
    conditions.into_iter().fold(0, |bits, (bit, holds)| if holds { bits | bit } else { bits })
}

/// Bits, all of which must be known.
fn read_bits(known: u64, decoder: &mut Decoder<'_>) -> Result<u64, DecodeError> {
    let bits = decoder.unsigned()?;
    if bits & !known == 0 { Ok(bits) } else { Err(decoder.invalid("a record has bits that mean nothing")) }
}
