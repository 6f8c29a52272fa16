//! Conversion from a character to a controller document.

use ugas_core::character::{
    CapturedValue, Character, CharacterAbility, CharacterAttribute, CharacterEffect, CharacterSet,
    Instigator, Lifetime, RememberedSource,
};
use ugas_core::codec::{Encode, seal};
use ugas_core::effect::magnitude::{AttributeCalculation, CaptureFrom};
use ugas_core::effect::{EffectDef, EffectStatus, HitResult};
use ugas_core::id::ActorId;

use crate::decode::{
    ActorNumber, AtLeastOne, Choice, Flag, Hex, Integer, Label, List, NamedMap, NonNegative, Number, Raw,
    Text, Vector,
};
use crate::model::controller::{
    ActivePolicy, AttributeValueDoc, ControllerAbilityDoc, ControllerDoc, ControllerEffectDoc,
    ControllerSetDoc, HostActorDoc, PeriodicStateDoc, RemainingTime,
};
use crate::model::magnitude::Reading;
use crate::model::saved::{
    Count, InstigatorWord, SavedAbilityDoc, SavedBufferDoc, SavedCaptureDoc, SavedDoc, SavedEffectDoc,
    SavedHitDoc, SavedMagnitudeDoc, SavedPayloadDoc, SavedSourceDoc,
};
use crate::model::{
    AbilityName, AttributeName, DataTag, EffectName, GrantedTag, InputName, Name, SetName, Tag,
};
use crate::node::{Node, Value};
use crate::source::{Span, Spanned};

/// Converts a character to a controller document. Abilities that effects grant are written inside the `Saved`
/// block of their effect.
pub(super) fn document(character: &Character) -> ControllerDoc {
    let name = Some(&character.name).filter(|name| !name.is_empty());
    let host_granted = character.abilities.iter().filter(|ability| ability.granted_by.is_none());
    ControllerDoc {
        name: name.map(|name| Name(text(name))),
        owner: Some(actor(character.owner)),
        avatar: character.avatar.map(|avatar| actor(Some(avatar))),
        sets: Some(AtLeastOne(list(character.sets.iter().map(set)))),
        abilities: list(host_granted.map(ability)),
        effects: list(character.effects.iter().map(|known| effect(known, character))),
        tags: tags(&character.tags, GrantedTag),
        replication: Some(Choice(spanned(character.replication))),
        is_active: character.inactive.then(|| Flag(spanned(false))),
        saved: Some(saved(character)),
        ..ControllerDoc::default()
    }
}

/// `Saved` block of the character: all state for which the specification's form has no field.
fn saved(character: &Character) -> SavedDoc {
    let placement = character.placement;
    let counts = |counts: &[(String, u32)]| !counts.is_empty();
    SavedDoc {
        template: character.template.as_deref().map(label),
        team: character.team.as_ref().map(|team| label(team.name())),
        position: placement.map(|placement| vector(placement.position())),
        facing: placement.map(|placement| vector(placement.facing())),
        buffer: character.input_buffer.map(|buffer| SavedBufferDoc {
            enabled: Some(Flag(spanned(buffer.enabled))),
            window: Some(NonNegative(spanned(buffer.window.as_seconds()))),
            size: Some(count(buffer.size)),
            ..SavedBufferDoc::default()
        }),
        own_tags: match &character.own_tags {
            Some(grants) => list(grants.iter().map(|names| written(tags(names, GrantedTag)))),
            None => List::default(),
        },
        rolls: counts(&character.rolls).then(|| {
            NamedMap(character.rolls.iter().map(|(name, n)| (EffectName(text(name)), count(*n))).collect())
        }),
        runs: counts(&character.runs).then(|| {
            NamedMap(character.runs.iter().map(|(name, n)| (AbilityName(text(name)), count(*n))).collect())
        }),
        ..SavedDoc::default()
    }
}

fn set(set: &CharacterSet) -> ControllerSetDoc {
    ControllerSetDoc {
        name: Some(SetName(text(&set.name))),
        attributes: list(set.attributes.iter().map(attribute)),
        ..ControllerSetDoc::default()
    }
}

fn attribute(attribute: &CharacterAttribute) -> AttributeValueDoc {
    AttributeValueDoc {
        name: Some(AttributeName(text(&attribute.name))),
        base: Some(number(attribute.base)),
        current: attribute.current.map(number),
        ..AttributeValueDoc::default()
    }
}

/// Converts a granted ability. Its `Saved` block has the order and the fields that differ from the defaults;
/// level 0 is only there, because the specification's `Level` begins at 1.
fn ability(known: &CharacterAbility) -> ControllerAbilityDoc {
    let parameters = known.parameters.iter().map(|(name, value)| (label(name), number(*value)));
    let saved = SavedAbilityDoc {
        order: Some(count(known.order)),
        level: (known.level == 0).then(|| count(0)),
        source_object: known.source_object.map(actor_number),
        tags: some_tags(&known.dynamic_tags, Tag),
        parameters: (!known.parameters.is_empty()).then(|| NamedMap(parameters.collect())),
        used_charges: (known.used_charges > 0).then(|| count(known.used_charges)),
        recharge: known.recharge.map(|left| number(left.as_seconds())),
        active_runs: (known.active_runs > 0).then(|| count(known.active_runs)),
        removal: known.granted_by.map(|by| Choice(spanned(by.removal))),
        ..SavedAbilityDoc::default()
    };
    ControllerAbilityDoc {
        ability: Some(AbilityName(text(&known.ability))),
        level: (known.level > 0).then(|| Integer(spanned(i64::from(known.level)))),
        input: known.input.as_ref().map(|input| InputName(text(input))),
        handle: Some(Text(text(&format!("ability-{}", known.order)))),
        is_active: (known.active_runs > 0).then(|| Flag(spanned(true))),
        saved: Some(saved),
        ..ControllerAbilityDoc::default()
    }
}

/// Converts an active effect: the specification's fields of both drafts, and the rest in its `Saved` block.
/// An endless effect has -1 remaining seconds.
fn effect(known: &CharacterEffect, character: &Character) -> ControllerEffectDoc {
    let left = match known.lifetime {
        Lifetime::Whole => None,
        Lifetime::Endless => Some(-1.0),
        Lifetime::Lasting { left, .. } => Some(left.as_seconds()),
    };
    let policy = match known.lifetime {
        Lifetime::Whole => None,
        Lifetime::Endless => Some(ActivePolicy::Infinite),
        Lifetime::Lasting { .. } => Some(ActivePolicy::HasDuration),
    };
    let plain = known.captured.iter().filter_map(|known| Some((known, plain_value(known)?)));
    let plain: Vec<(AttributeName, Raw)> = plain
        .map(|(known, value)| {
            (AttributeName(text(&known.attribute)), Raw(Node::synthetic(Value::Number(value))))
        })
        .collect();
    let numbers = known.set_by_caller.iter().map(|(tag, value)| (DataTag(text(tag)), number(*value)));
    ControllerEffectDoc {
        handle: Some(Text(text(&format!("effect-{}", known.order)))),
        effect: Some(EffectName(text(&known.effect))),
        duration: left.map(|left| RemainingTime(spanned(left))),
        policy: policy.map(|policy| Choice(spanned(policy))),
        remaining: left.filter(|left| *left >= 0.0).map(|left| RemainingTime(spanned(left))),
        stacks: Some(Integer(spanned(i64::from(known.stacks.max(1))))),
        level: whole_level(known.level).map(|level| Integer(spanned(level))),
        instigator: instigator_name(known, character).map(|name| Text(text(&name))),
        source_ability: known.ability.as_ref().map(|ability| AbilityName(text(&ability.ability))),
        periodic: known.phase.map(|phase| PeriodicStateDoc {
            elapsed: Some(NonNegative(spanned(phase.elapsed.as_seconds()))),
            count: Some(count(phase.ticks)),
            ..PeriodicStateDoc::default()
        }),
        captured: (!plain.is_empty()).then_some(NamedMap(plain)),
        set_by_caller: (!known.set_by_caller.is_empty()).then(|| NamedMap(numbers.collect())),
        saved: Some(saved_effect(known, character)),
        ..ControllerEffectDoc::default()
    }
}

/// `Saved` block of an active effect, with the abilities that it grants.
fn saved_effect(known: &CharacterEffect, character: &Character) -> SavedEffectDoc {
    let granted = character
        .abilities
        .iter()
        .filter(|ability| ability.granted_by.is_some_and(|by| by.effect == known.order));
    let granted: Vec<ControllerAbilityDoc> = granted.map(ability).collect();
    let (instigator, owner) = match &known.instigator {
        Instigator::Nobody => (InstigatorWord::Nobody, None),
        Instigator::Itself => (InstigatorWord::Itself, None),
        Instigator::Other { owner, .. } => (InstigatorWord::Other, *owner),
    };
    SavedEffectDoc {
        order: Some(count(known.order)),
        recency: Some(count(known.recency)),
        level: whole_level(known.level).is_none().then(|| number(known.level)),
        status: (known.status == EffectStatus::Queued).then(|| Choice(spanned(known.status))),
        inhibited: known.inhibited.then(|| Flag(spanned(true))),
        total: match known.lifetime {
            Lifetime::Lasting { total, .. } => Some(number(total.as_seconds())),
            Lifetime::Whole | Lifetime::Endless => None,
        },
        period: known.phase.and_then(|phase| phase.period).map(|period| number(period.as_seconds())),
        instigator: Some(Choice(spanned(instigator))),
        instigator_owner: owner.map(actor_number),
        remembered: known.remembered.as_ref().map(remembered),
        source_ability_order: known.ability.as_ref().and_then(|ability| ability.order).map(count),
        causer: known.causer.map(actor_number),
        source_object: known.source_object.map(actor_number),
        hit: known.hit.map(hit),
        origin: known.origin.map(vector),
        payload: known.payload.as_ref().map(|payload| SavedPayloadDoc {
            kind: Some(label(&payload.kind)),
            bytes: Some(hex(payload.bytes.clone())),
            ..SavedPayloadDoc::default()
        }),
        captures: some(known.captured.iter().map(capture)),
        magnitudes: match &known.magnitudes {
            Some(magnitudes) => list(magnitudes.iter().map(|(name, value)| SavedMagnitudeDoc {
                attribute: Some(AttributeName(text(name))),
                value: Some(number(*value)),
                ..SavedMagnitudeDoc::default()
            })),
            None => List::default(),
        },
        own_duration: known.own_duration.map(|span| number(span.as_seconds())),
        own_period: known.own_period.map(|span| number(span.as_seconds())),
        granted_tags: some_tags(&known.granted_tags, GrantedTag),
        asset_tags: some_tags(&known.asset_tags, Tag),
        context_tags: some_tags(&known.context_tags, Tag),
        ability_tags: some_tags(&known.ability_tags, Tag),
        stream: known.stream.map(|stream| hex(stream.to_be_bytes().to_vec())),
        rules: known.rules.map(|rules| hex(rules.to_be_bytes().to_vec())),
        definition: known.definition.as_ref().map(|definition| hex(sealed(definition))),
        abilities: if granted.is_empty() { List::default() } else { list(granted.into_iter()) },
        ..SavedEffectDoc::default()
    }
}

/// Envelope kind of an encoded definition, with which later versions identify it.
pub(super) const DEFINITION: [u8; 4] = *b"UGED";

/// Encodes an effect definition in an envelope with its version.
fn sealed(definition: &EffectDef) -> Vec<u8> {
    seal(DEFINITION, |encoder| definition.encode(encoder))
}

/// Name of the instigator for `InstigatorGC`, which other tools read; its kind is in the `Saved` block.
/// Without a name it is the owner's id, or `self` for the character itself; `None` if there is nothing to
/// write.
fn instigator_name(known: &CharacterEffect, character: &Character) -> Option<String> {
    let name = |name: &str, owner: Option<ActorId>| match (name, owner) {
        ("", Some(owner)) => Some(owner.0.to_string()),
        ("", None) => None,
        (name, _) => Some(name.to_owned()),
    };
    match &known.instigator {
        Instigator::Nobody => None,
        Instigator::Itself => name(&character.name, character.owner).or_else(|| Some("self".to_owned())),
        Instigator::Other { owner, name: own } => name(own, *owner),
    }
}

/// Converts the remembered state of an instigator (M5).
fn remembered(source: &RememberedSource) -> SavedSourceDoc {
    let values = source.values.iter().map(|known| AttributeValueDoc {
        name: Some(AttributeName(text(&known.attribute))),
        base: Some(number(known.base)),
        current: Some(number(known.current)),
        ..AttributeValueDoc::default()
    });
    SavedSourceDoc {
        tags: some_tags(&source.tags, Tag),
        attributes: some(values),
        ..SavedSourceDoc::default()
    }
}

fn hit(hit: HitResult) -> SavedHitDoc {
    SavedHitDoc {
        location: Some(vector(hit.location)),
        normal: Some(vector(hit.normal)),
        distance: Some(number(hit.distance)),
        actor: hit.actor.map(actor_number),
        part: Some(count(hit.part)),
        ..SavedHitDoc::default()
    }
}

/// Converts a captured value; the default reading, `Current`, is not written.
fn capture(known: &CapturedValue) -> SavedCaptureDoc {
    let (reading, layer) = match known.calculation {
        AttributeCalculation::Current => (None, None),
        AttributeCalculation::Base => (Some(Reading::Base), None),
        AttributeCalculation::Bonus => (Some(Reading::Bonus), None),
        AttributeCalculation::UpToLayer(layer) => (Some(Reading::UpToChannel), Some(layer)),
    };
    SavedCaptureDoc {
        attribute: Some(AttributeName(text(&known.attribute))),
        from: Some(Choice(spanned(known.from))),
        reading: reading.map(|reading| Choice(spanned(reading))),
        up_to_channel: layer.map(|layer| Integer(spanned(i64::from(layer)))),
        source_tag_filter: some_tags(&known.source_tag_filter, Tag),
        target_tag_filter: some_tags(&known.target_tag_filter, Tag),
        value: known.value.map(number),
        ..SavedCaptureDoc::default()
    }
}

/// Value that `CapturedAttributes` can hold: the current value of the instigator's attribute without tag
/// filters. `None` for any other capture, which only the `Saved` block holds.
fn plain_value(known: &CapturedValue) -> Option<f64> {
    let is_plain = known.from == CaptureFrom::Source
        && known.calculation == AttributeCalculation::Current
        && known.source_tag_filter.is_empty()
        && known.target_tag_filter.is_empty();
    known.value.filter(|_| is_plain)
}

/// Level that the field `Level` can hold: a whole number from 1. Any other level is `None` and is written to
/// the `Saved` block.
fn whole_level(level: f64) -> Option<i64> {
    let fits = level.fract() == 0.0 && (1.0..=f64::from(u32::MAX)).contains(&level);
    fits.then_some(level as i64)
}

/// Wraps a value that is not from a file.
fn spanned<T>(value: T) -> Spanned<T> {
    Spanned { value, span: Span::default() }
}

fn text(value: &str) -> Spanned<String> {
    spanned(value.to_owned())
}

/// Label, which may be any text, also one that looks like a placeholder.
fn label(value: &str) -> Label {
    Label(text(value))
}

fn number(value: f64) -> Number {
    Number(spanned(value))
}

fn count(value: u32) -> Count {
    Integer(spanned(i64::from(value)))
}

fn hex(bytes: Vec<u8>) -> Hex {
    Hex(spanned(bytes))
}

fn vector(value: [f64; 3]) -> Vector<3> {
    Vector(spanned(value))
}

/// Converts an actor id; `None` gives an actor without `ActorID`.
fn actor(id: Option<ActorId>) -> HostActorDoc {
    HostActorDoc { id: id.map(|id| Text(text(&id.0.to_string()))), ..HostActorDoc::default() }
}

/// Number of an actor, which is written as a text to keep all 64 bits.
fn actor_number(id: ActorId) -> ActorNumber {
    ActorNumber(spanned(id.0))
}

/// List that is written even if it is empty.
fn list<T>(items: impl Iterator<Item = T>) -> List<T> {
    List { items: items.collect(), span: Some(Span::default()) }
}

/// The same list, written even if it is empty.
fn written<T>(list: List<T>) -> List<T> {
    List { span: Some(Span::default()), ..list }
}

/// List that is written only if it is not empty.
fn some<T>(items: impl Iterator<Item = T>) -> List<T> {
    let items: Vec<T> = items.collect();
    let span = (!items.is_empty()).then(Span::default);
    List { items, span }
}

/// List of tags that is written even if it is empty.
fn tags<T>(names: &[String], tag: fn(Spanned<String>) -> T) -> List<T> {
    list(names.iter().map(|name| tag(text(name))))
}

/// List of tags that is written only if it is not empty.
fn some_tags<T>(names: &[String], tag: fn(Spanned<String>) -> T) -> List<T> {
    some(names.iter().map(|name| tag(text(name))))
}
