//! Records of granted abilities.

use smallvec::SmallVec;

use super::{bits, read_bits, read_if};
use crate::ability::{GrantedAbility, check_parameters};
use crate::catalog::Catalog;
use crate::codec::{Decode, DecodeError, Decoder, Encode, Encoder};
use crate::handle::ControllerId;
use crate::id::AbilityId;

const LEVEL: u64 = 1;
const INPUT: u64 = 1 << 1;
const GRANTED_BY: u64 = 1 << 2;
const CHARGES: u64 = 1 << 3;
const RECHARGE: u64 = 1 << 4;
const PARAMETERS: u64 = 1 << 5;
const LEAVING: u64 = 1 << 6;
const OBJECT: u64 = 1 << 7;
const TAGS: u64 = 1 << 8;
const KNOWN: u64 = (1 << 9) - 1;

/// Encodes a granted ability: a mask says which optional fields follow. Handles are the server's; the
/// controller is known from the piece.
pub(crate) fn write_ability(granted: &GrantedAbility, encoder: &mut Encoder) {
    let GrantedAbility {
        ability,
        controller: _,
        level,
        input,
        source_object,
        dynamic_tags,
        parameters,
        granted_by,
        remove_on_end,
        activations: _,
        charges,
        recharge,
        sequence,
        timer: _,
    } = granted;
    ability.encode(encoder);
    encoder.unsigned(bits([
        (LEVEL, *level != 1),
        (INPUT, input.is_some()),
        (GRANTED_BY, granted_by.is_some()),
        (CHARGES, *charges != 0),
        (RECHARGE, recharge.is_some()),
        (PARAMETERS, !parameters.is_empty()),
        (LEAVING, *remove_on_end),
        (OBJECT, source_object.is_some()),
        (TAGS, !dynamic_tags.is_empty()),
    ]));
    sequence.encode(encoder);
    if *level != 1 {
        level.encode(encoder);
    }
    input.iter().for_each(|input| input.encode(encoder));
    granted_by.iter().for_each(|by| by.encode(encoder));
    if *charges != 0 {
        charges.encode(encoder);
    }
    recharge.iter().for_each(|at| at.encode(encoder));
    if !parameters.is_empty() {
        parameters.encode(encoder);
    }
    source_object.iter().for_each(|object| object.encode(encoder));
    if !dynamic_tags.is_empty() {
        dynamic_tags.encode(encoder);
    }
}

/// Reads what `write_ability` wrote, as an ability of `controller`. An unknown definition or an invalid value
/// is an error.
pub(crate) fn read_ability(
    decoder: &mut Decoder<'_>,
    controller: ControllerId,
    catalog: &Catalog,
) -> Result<GrantedAbility, DecodeError> {
    let ability = AbilityId::decode(decoder)?;
    if catalog.ability_by_id(ability).is_none() {
        return Err(decoder.invalid("the definition of a granted ability does not exist"));
    }
    let bits = read_bits(KNOWN, decoder)?;
    let granted = GrantedAbility {
        ability,
        controller,
        sequence: Decode::decode(decoder)?,
        level: read_if(bits, LEVEL, decoder)?.unwrap_or(1),
        input: read_if(bits, INPUT, decoder)?,
        granted_by: read_if(bits, GRANTED_BY, decoder)?,
        charges: read_if(bits, CHARGES, decoder)?.unwrap_or(0),
        recharge: read_if(bits, RECHARGE, decoder)?,
        parameters: read_if(bits, PARAMETERS, decoder)?.unwrap_or_default(),
        remove_on_end: bits & LEAVING != 0,
        source_object: read_if(bits, OBJECT, decoder)?,
        dynamic_tags: read_if(bits, TAGS, decoder)?.unwrap_or_default(),
        activations: SmallVec::new(),
        timer: None,
    };
    check_parameters(&granted.parameters).map_err(|what| decoder.invalid(what))?;
    Ok(granted)
}
