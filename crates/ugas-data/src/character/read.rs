//! Conversion from a controller document to a character.

use std::sync::Arc;

use ugas_core::character::{
    AbilityReference, CapturedValue, Character, CharacterAbility, CharacterAttribute, CharacterEffect,
    CharacterSet, GrantedBy, Instigator, Lifetime, Phase, RememberedSource, RememberedValue,
};
use ugas_core::codec::{Decode, DecodeError, Decoder, open};
use ugas_core::effect::magnitude::{AttributeCalculation, CaptureFrom};
use ugas_core::effect::{EffectDef, EffectStatus, HitResult, RawPayload};
use ugas_core::id::ActorId;
use ugas_core::input::InputBufferConfig;
use ugas_core::targeting::{Placement, Team};
use ugas_core::time::Span as Time;

use super::write::DEFINITION;
use crate::decode::{ActorNumber, Hex, Integer, List, NonNegative, Number, Vector};
use crate::diagnostics::{Sink, codes};
use crate::model::controller::{
    ActivePolicy, AttributeValueDoc, ControllerAbilityDoc, ControllerDoc, ControllerEffectDoc,
    ControllerSetDoc, HostActorDoc,
};
use crate::model::magnitude::Reading;
use crate::model::saved::{
    Count, InstigatorWord, SavedBufferDoc, SavedCaptureDoc, SavedEffectDoc, SavedHitDoc, SavedSourceDoc,
};
use crate::source::Spanned;

/// Converts a document to a character. Missing fields get defaults; values that cannot be decoded are
/// reported to the sink and left out. Abilities of effects and of the controller form one list in the order
/// of their grants.
pub(super) fn character(doc: &ControllerDoc, sink: &mut Sink) -> Character {
    let saved = doc.saved.clone().unwrap_or_default();
    let own_id = doc.owner.as_ref().and_then(|owner| owner.id.as_ref()).map(|id| id.0.value.clone());
    // A numeric id is an actor; other tools may use a textual id as the name of the character.
    let named = own_id.clone().filter(|id| id.parse::<u64>().is_err());
    let name = doc.name.as_ref().map(|name| name.value.clone()).or(named).unwrap_or_default();
    let reader = Reader { names: [Some(name.clone()), own_id, Some("self".to_owned())] };
    let mut effects = Vec::new();
    let mut abilities: Vec<CharacterAbility> = Vec::new();
    for (at, effect) in (0..).zip(doc.effects.iter()) {
        let effect_read = reader.effect(effect, at, sink);
        let granted = effect.saved.as_ref().map(|saved| saved.abilities.iter()).into_iter().flatten();
        for ability in granted {
            let fallback = doc.effects.len() as u32 + abilities.len() as u32;
            let removal = ability.saved.as_ref().and_then(|saved| saved.removal.as_ref());
            let removal = removal.map(|choice| choice.0.value).unwrap_or_default();
            let granted_by = Some(GrantedBy { effect: effect_read.order, removal });
            abilities.push(CharacterAbility { granted_by, ..reader.ability(ability, fallback) });
        }
        effects.push(effect_read);
    }
    for ability in doc.abilities.iter() {
        let fallback = doc.effects.len() as u32 + abilities.len() as u32;
        abilities.push(reader.ability(ability, fallback));
    }
    abilities.sort_by_key(|ability| ability.order);
    Character {
        name,
        template: saved.template.map(|template| template.0.value),
        owner: actor(&doc.owner),
        avatar: actor(&doc.avatar),
        replication: doc.replication.as_ref().map(|choice| choice.0.value).unwrap_or_default(),
        inactive: doc.is_active.as_ref().is_some_and(|flag| !flag.0.value),
        team: saved.team.map(|team| Team::new(team.0.value)),
        placement: placement(saved.position.as_ref(), saved.facing.as_ref()),
        input_buffer: saved.buffer.as_ref().map(buffer),
        sets: doc.sets.iter().flat_map(|sets| sets.iter()).map(set).collect(),
        own_tags: saved.own_tags.is_written().then(|| saved.own_tags.iter().map(texts).collect()),
        effects,
        abilities,
        rolls: counts(saved.rolls.iter().flat_map(|rolls| &rolls.0)),
        runs: counts(saved.runs.iter().flat_map(|runs| &runs.0)),
        tags: texts(&doc.tags),
    }
}

/// Names of the character, needed to read its effects.
struct Reader {
    /// Names under which effects refer to the character itself as their instigator.
    names: [Option<String>; 3],
}

impl Reader {
    /// Reads a granted ability. `fallback` is its order if the file has none; `granted_by` is left to the
    /// caller. Fields of the `Saved` block win over those of the specification's form.
    fn ability(&self, doc: &ControllerAbilityDoc, fallback: u32) -> CharacterAbility {
        let saved = doc.saved.clone().unwrap_or_default();
        let level = doc.level.as_ref().map(|level| level.0.value).and_then(|level| u32::try_from(level).ok());
        let level = saved.level.as_ref().map(count).or(level).unwrap_or(1);
        let parameters = saved.parameters.iter().flat_map(|parameters| &parameters.0);
        let active = doc.is_active.as_ref().is_some_and(|flag| flag.0.value);
        CharacterAbility {
            order: saved.order.as_ref().map_or(fallback, count),
            level,
            input: doc.input.as_ref().map(|input| input.value.clone()),
            source_object: saved.source_object.as_ref().map(number_of),
            dynamic_tags: texts(&saved.tags).into_iter().chain(texts(&doc.dynamic_tags)).collect(),
            parameters: parameters.map(|(name, value)| (name.0.value.clone(), value.0.value)).collect(),
            granted_by: None,
            used_charges: saved.used_charges.as_ref().map_or(0, count),
            recharge: seconds(&saved.recharge),
            active_runs: saved.active_runs.as_ref().map_or(u32::from(active), count),
            ..CharacterAbility::new(doc.ability.as_ref().map(|name| name.value.clone()).unwrap_or_default())
        }
    }

    /// Reads an active effect. `fallback` is its order and recency if the file has none. Fields of the
    /// `Saved` block win over those of the specification's form.
    fn effect(&self, doc: &ControllerEffectDoc, fallback: u32, sink: &mut Sink) -> CharacterEffect {
        let saved = doc.saved.clone().unwrap_or_default();
        let level = doc.level.as_ref().map(|level| level.0.value as f64);
        let level = saved.level.as_ref().map(|level| level.0.value).or(level).unwrap_or(1.0);
        let numbers = doc.set_by_caller.iter().flat_map(|numbers| &numbers.0);
        let payload = saved.payload.as_ref().map(|payload| RawPayload {
            kind: payload.kind.as_ref().map(|kind| kind.0.value.clone()).unwrap_or_default(),
            bytes: payload.bytes.as_ref().map(|bytes| bytes.0.value.clone()).unwrap_or_default(),
        });
        let stacks = doc.stacks.as_ref().and_then(|stacks| u32::try_from(stacks.0.value).ok());
        CharacterEffect {
            definition: saved.definition.as_ref().and_then(|bytes| definition(bytes, sink)).map(Arc::new),
            rules: saved.rules.as_ref().and_then(|bytes| key(bytes, sink)),
            order: saved.order.as_ref().map_or(fallback, count),
            recency: saved.recency.as_ref().map_or(fallback, count),
            level,
            stacks: stacks.unwrap_or(1),
            status: saved.status.as_ref().map_or(EffectStatus::Running, |choice| choice.0.value),
            inhibited: saved.inhibited.as_ref().is_some_and(|flag| flag.0.value),
            lifetime: lifetime(doc, &saved),
            phase: phase(doc, &saved),
            instigator: self.instigator(doc, &saved),
            remembered: saved.remembered.as_ref().map(remembered),
            ability: doc.source_ability.as_ref().map(|name| AbilityReference {
                ability: name.value.clone(),
                order: saved.source_ability_order.as_ref().map(count),
            }),
            causer: saved.causer.as_ref().map(number_of),
            source_object: saved.source_object.as_ref().map(number_of),
            hit: saved.hit.as_ref().map(hit),
            origin: saved.origin.as_ref().map(|origin| origin.0.value),
            payload: payload.map(Arc::new),
            set_by_caller: numbers.map(|(tag, value)| (tag.value.clone(), value.0.value)).collect(),
            captured: captured(doc, &saved),
            magnitudes: saved.magnitudes.is_written().then(|| {
                let one = |known: &crate::model::saved::SavedMagnitudeDoc| {
                    Some((known.attribute.as_ref()?.value.clone(), known.value.as_ref()?.0.value))
                };
                saved.magnitudes.iter().filter_map(one).collect()
            }),
            own_duration: seconds(&saved.own_duration),
            own_period: seconds(&saved.own_period),
            granted_tags: texts(&saved.granted_tags),
            asset_tags: texts(&saved.asset_tags),
            context_tags: texts(&saved.context_tags),
            ability_tags: texts(&saved.ability_tags),
            stream: saved.stream.as_ref().and_then(|bytes| key(bytes, sink)),
            ..CharacterEffect::new(doc.effect.as_ref().map(|name| name.value.clone()).unwrap_or_default())
        }
    }

    /// Instigator of an effect. Files of other tools have only its name. A name of the character itself
    /// stands for itself, and a number is the owner of another controller.
    fn instigator(&self, doc: &ControllerEffectDoc, saved: &SavedEffectDoc) -> Instigator {
        let name = doc.instigator.as_ref().map(|name| name.0.value.clone());
        let owner = saved.instigator_owner.as_ref().map(number_of);
        let other = |name: Option<String>, owner: Option<ActorId>| {
            let is_owner = |name: &String| owner.is_some_and(|owner| owner.0.to_string() == *name);
            Instigator::Other { owner, name: name.filter(|name| !is_owner(name)).unwrap_or_default() }
        };
        match (saved.instigator.as_ref().map(|choice| choice.0.value), name) {
            (Some(InstigatorWord::Nobody), _) | (None, None) => Instigator::Nobody,
            (Some(InstigatorWord::Itself), _) => Instigator::Itself,
            (Some(InstigatorWord::Other), name) => other(name, owner),
            (None, name) if self.names.contains(&name) => Instigator::Itself,
            (None, name) => {
                let owner = name.as_deref().and_then(|name| name.parse().ok()).map(ActorId);
                other(name, owner)
            }
        }
    }
}

/// Reads an attribute set with the values that have a base.
fn set(doc: &ControllerSetDoc) -> CharacterSet {
    CharacterSet {
        name: doc.name.as_ref().map(|name| name.value.clone()).unwrap_or_default(),
        attributes: doc.attributes.iter().filter_map(attribute).collect(),
    }
}

/// Attribute of a set; `None` without a base value, so that it starts with the default.
fn attribute(doc: &AttributeValueDoc) -> Option<CharacterAttribute> {
    Some(CharacterAttribute {
        name: doc.name.as_ref()?.value.clone(),
        base: doc.base.as_ref()?.0.value,
        current: doc.current.as_ref().map(|current| current.0.value),
    })
}

/// Lifetime of an effect. Draft 1 has the remaining seconds or -1; the later drafts add a policy.
fn lifetime(doc: &ControllerEffectDoc, saved: &SavedEffectDoc) -> Lifetime {
    let policy = doc.policy.as_ref().map(|choice| choice.0.value);
    let old = doc.duration.as_ref().map(|seconds| seconds.0.value);
    let left = doc.remaining.as_ref().map(|seconds| seconds.0.value).or(old).filter(|left| *left >= 0.0);
    match (policy, left) {
        (Some(ActivePolicy::Infinite), _) => Lifetime::Endless,
        (_, Some(left)) => {
            let left = Time::seconds(left);
            Lifetime::Lasting { total: seconds(&saved.total).unwrap_or(left), left }
        }
        (None, None) if old.is_some() => Lifetime::Endless,
        (_, None) => Lifetime::Whole,
    }
}

/// Reads the phase of the period; `None` without `PeriodicState`.
fn phase(doc: &ControllerEffectDoc, saved: &SavedEffectDoc) -> Option<Phase> {
    let state = doc.periodic.as_ref()?;
    let elapsed = state.elapsed.as_ref().map_or(0.0, |elapsed| elapsed.0.value);
    Some(Phase {
        period: seconds(&saved.period),
        elapsed: Time::seconds(elapsed),
        ticks: state.count.as_ref().map_or(0, count),
    })
}

/// Captured values: the full list of the `Saved` block, else those of `CapturedAttributes`.
fn captured(doc: &ControllerEffectDoc, saved: &SavedEffectDoc) -> Vec<CapturedValue> {
    if saved.captures.is_written() {
        return saved.captures.iter().map(capture).collect();
    }
    let plain = doc.captured.iter().flat_map(|captured| &captured.0);
    plain
        .filter_map(|(name, value)| {
            Some(CapturedValue {
                attribute: name.value.clone(),
                from: CaptureFrom::Source,
                calculation: AttributeCalculation::Current,
                source_tag_filter: Vec::new(),
                target_tag_filter: Vec::new(),
                value: Some(value.0.number().filter(|value| value.is_finite())?),
            })
        })
        .collect()
}

/// Reads a captured value of a `Saved` block, with its reading and tag filters.
fn capture(doc: &SavedCaptureDoc) -> CapturedValue {
    let layer = doc.up_to_channel.as_ref().and_then(|layer| u8::try_from(layer.0.value).ok());
    CapturedValue {
        attribute: doc.attribute.as_ref().map(|name| name.value.clone()).unwrap_or_default(),
        from: doc.from.as_ref().map(|choice| choice.0.value).unwrap_or_default(),
        calculation: match doc.reading.as_ref().map_or(Reading::Current, |choice| choice.0.value) {
            Reading::Current => AttributeCalculation::Current,
            Reading::Base => AttributeCalculation::Base,
            Reading::Bonus => AttributeCalculation::Bonus,
            Reading::UpToChannel => AttributeCalculation::UpToLayer(layer.unwrap_or_default()),
        },
        source_tag_filter: texts(&doc.source_tag_filter),
        target_tag_filter: texts(&doc.target_tag_filter),
        value: doc.value.as_ref().map(|value| value.0.value),
    }
}

/// Reads the last known state of an instigator that may be gone (M5). Attributes without a base are left out,
/// and the current value defaults to the base.
fn remembered(doc: &SavedSourceDoc) -> RememberedSource {
    let values = doc.attributes.iter().filter_map(|known| {
        let base = known.base.as_ref()?.0.value;
        let current = known.current.as_ref().map_or(base, |current| current.0.value);
        Some(RememberedValue { attribute: known.name.as_ref()?.value.clone(), base, current })
    });
    RememberedSource { tags: texts(&doc.tags), values: values.collect() }
}

/// Reads a hit result; missing fields are zero.
fn hit(doc: &SavedHitDoc) -> HitResult {
    let point = |vector: &Option<Vector<3>>| vector.as_ref().map_or([0.0; 3], |vector| vector.0.value);
    HitResult {
        location: point(&doc.location),
        normal: point(&doc.normal),
        distance: doc.distance.as_ref().map_or(0.0, |distance| distance.0.value),
        actor: doc.actor.as_ref().map(number_of),
        part: doc.part.as_ref().map_or(0, count),
    }
}

/// Reads the placement; `None` without a position. A missing facing is the zero vector.
fn placement(position: Option<&Vector<3>>, facing: Option<&Vector<3>>) -> Option<Placement> {
    let facing = facing.map_or([0.0; 3], |facing| facing.0.value);
    // Decoded numbers are always finite.
    Placement::new(position?.0.value, facing).ok()
}

/// Reads the input buffer; it is disabled unless the file says otherwise.
fn buffer(doc: &SavedBufferDoc) -> InputBufferConfig {
    let window = doc.window.as_ref().map_or(0.0, |NonNegative(seconds)| seconds.value);
    InputBufferConfig {
        enabled: doc.enabled.as_ref().is_some_and(|flag| flag.0.value),
        window: Time::seconds(window),
        size: doc.size.as_ref().map_or(0, count),
    }
}

/// Decodes an effect definition that was created at run time. Undecodable bytes are reported, and the result
/// is then `None`.
fn definition(bytes: &Hex, sink: &mut Sink) -> Option<EffectDef> {
    match unsealed(&bytes.0.value) {
        Ok(definition) => Some(definition),
        Err(error) => {
            sink.push(codes::field::undecodable(
                bytes.0.span,
                "the definition of an effect",
                &error.to_string(),
            ));
            None
        }
    }
}

/// Decodes a definition from its envelope, or from the plain bytes of version 1. Bytes after it are an error.
fn unsealed(bytes: &[u8]) -> Result<EffectDef, DecodeError> {
    // Version 1 wrote it without an envelope.
    let mut decoder =
        if bytes.starts_with(&DEFINITION) { open(DEFINITION, bytes)? } else { Decoder::new(bytes, 1) };
    let definition = EffectDef::decode(&mut decoder)?;
    decoder.finish()?;
    Ok(definition)
}

/// Decodes a 64-bit number from exactly 8 bytes, most significant first. Another length is reported, and the
/// result is then `None`.
fn key(bytes: &Hex, sink: &mut Sink) -> Option<u64> {
    let key = <[u8; 8]>::try_from(bytes.0.value.as_slice()).ok().map(u64::from_be_bytes);
    if key.is_none() {
        sink.push(codes::field::wrong_length(bytes.0.span, bytes.0.value.len(), "8 bytes"));
    }
    key
}

/// Number of an actor; `None` if it is absent or its id is not a number.
fn actor(doc: &Option<HostActorDoc>) -> Option<ActorId> {
    doc.as_ref()?.id.as_ref()?.0.value.parse().ok().map(ActorId)
}

fn number_of(actor: &ActorNumber) -> ActorId {
    ActorId(actor.0.value)
}

/// Count as `u32`; 0 if it does not fit.
fn count(count: &Count) -> u32 {
    let Integer(count) = count;
    u32::try_from(count.value).unwrap_or_default()
}

/// Reads counts by name, such as rolls of effects and activations of abilities.
fn counts<'a, N: std::ops::Deref<Target = Spanned<String>> + 'a>(
    pairs: impl Iterator<Item = &'a (N, Count)>,
) -> Vec<(String, u32)> {
    pairs.map(|(name, number)| (name.value.clone(), count(number))).collect()
}

/// Reads seconds as a time span; `None` if the field is absent.
fn seconds(number: &Option<Number>) -> Option<Time> {
    number.as_ref().map(|number| Time::seconds(number.0.value))
}

/// Texts of a list of names.
fn texts<T: std::ops::Deref<Target = Spanned<String>>>(names: &List<T>) -> Vec<String> {
    names.iter().map(|name| name.value.clone()).collect()
}
