//! Records: effects, abilities, activations and tasks, encoded for a viewer.
//!
//! State that follows from the definition, the level or the time is not written. Secret random number streams
//! are not written either, nor is the controller, which the reader knows. A bit mask says which optional
//! fields follow.

mod ability;
mod activation;
mod cue;
mod effect;
mod redact;

pub(crate) use ability::{read_ability, write_ability};
pub(crate) use activation::{read_activation, read_task, write_activation, write_task};
pub(crate) use cue::{read_cue, redact_cue, write_cue};
pub(crate) use effect::{DiceVisibility, EffectFacts, read_effect, write_effect};
pub(crate) use redact::{controllers_in_activation, controllers_in_effect, redact_activation, redact_effect};

use super::handle_map::HandleMap;
use crate::attribute::layout::Layout;
use crate::codec::{Decode, DecodeError, Decoder, Encode, Encoder, FieldClone, StateRecord};
use crate::controller::{Controller, ReplicationMode, Summon, SummonName};
use crate::handle::ControllerId;
use crate::id::{ActorId, AttributeSetId, TemplateId};
use crate::input::{InputBuffer, InputBufferConfig};
use crate::simulation::InputState;
use crate::targeting::Team;

/// Head record of a controller.
#[derive(Clone, PartialEq, Debug, StateRecord)]
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

/// Origin of a summoned controller (A17). Its lifetime is the authority's decision, and is not sent.
#[derive(Clone, PartialEq, Debug, StateRecord)]
pub(crate) struct SummonHead {
    pub(crate) instigator: ControllerId,
    pub(crate) name: Option<SummonName>,
}

impl SummonHead {
    /// Converts to the client's `Summon`, without a lifetime: the authority decides when it leaves.
    pub(crate) fn local(&self, names: &HandleMap) -> Summon {
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

/// Writes the head of a controller. `instigator` maps the handle of the instigator.
pub(crate) fn write_head(
    controller: &Controller,
    layout: &Layout,
    instigator: impl FnOnce(ControllerId) -> ControllerId,
    encoder: &mut Encoder,
) {
    let Controller { ordinal, template, owner, avatar, replication, inactive, interactions, .. } = controller;
    ordinal.encode(encoder);
    template.encode(encoder);
    owner.encode(encoder);
    avatar.encode(encoder);
    replication.encode(encoder);
    interactions.team.encode(encoder);
    layout.sets.encode(encoder);
    let head = controller
        .summon()
        .map(|summon| SummonHead { instigator: instigator(summon.instigator), name: summon.name.clone() });
    head.encode(encoder);
    inactive.encode(encoder);
}

/// Held inputs and the input buffer of a controller.
#[derive(PartialEq, Debug, FieldClone, StateRecord)]
pub(crate) struct Inputs {
    pub(crate) held: Vec<InputState>,
    pub(crate) buffer: InputBuffer,
}

/// Writes held and buffered inputs of a controller. `false`, and nothing is written, if there are none and
/// the buffer has the `default` configuration.
pub(crate) fn write_inputs(
    controller: &Controller,
    default: InputBufferConfig,
    encoder: &mut Encoder,
) -> bool {
    let (inputs, buffer) = (&controller.ability_data.inputs, &controller.buffer);
    if inputs.is_empty() && buffer.is_empty() && buffer.config() == default {
        return false;
    }
    inputs.encode(encoder);
    // Buffered targets stay with the authority, which retries the inputs: a client may not see the targets.
    match buffer.without_targets() {
        Some(buffer) => buffer.encode(encoder),
        None => buffer.encode(encoder),
    }
    true
}

/// Reads a value if its bit is set.
fn read_if<T: Decode>(bits: u64, bit: u64, decoder: &mut Decoder<'_>) -> Result<Option<T>, DecodeError> {
    if bits & bit == 0 { Ok(None) } else { T::decode(decoder).map(Some) }
}

/// Bit mask of the conditions that hold.
fn bits<const N: usize>(conditions: [(u64, bool); N]) -> u64 {
    conditions.into_iter().fold(0, |bits, (bit, holds)| if holds { bits | bit } else { bits })
}

/// Reads a bit mask and rejects unknown bits.
fn read_bits(known: u64, decoder: &mut Decoder<'_>) -> Result<u64, DecodeError> {
    let bits = decoder.unsigned()?;
    if bits & !known == 0 { Ok(bits) } else { Err(decoder.invalid("a record has unknown bits")) }
}
