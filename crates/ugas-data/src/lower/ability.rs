//! Abilities, ability sets and effect containers (§8.7).

use ugas_core::ability::{AbilityDef, AbilitySetDef, ChargesDef, ParameterDef, TriggerDef};
use ugas_core::effect::AbilityGrantDef;
use ugas_core::tag::check_tag_name;
use ugas_core::targeting::{ContainedEffectDef, EffectContainerDef};
use ugas_core::task::NumberDef;
use ugas_core::time::Span;

use super::magnitude::{Default as Absent, flag, number};
use super::task::Tasks;
use super::{metadata, targeting, text, texts};
use crate::check::Index;
use crate::decode::{Choice, Formula, Integer, List, ParameterValue};
use crate::model::Tag;
use crate::model::ability::AbilityDoc;
use crate::model::library::{AbilitySetDoc, EffectContainerDoc, EffectEntryDoc};

/// Ability definition with all fields of the document. Tags and range come from its targeting, too.
pub(super) fn ability(doc: &AbilityDoc, index: &Index<'_>) -> AbilityDef {
    let tags = doc.tags.clone().unwrap_or_default();
    let targeting = doc.targeting.clone().unwrap_or_default();
    let numbers = doc.set_by_caller.iter().flat_map(|numbers| &numbers.0);
    let parameters = doc.parameters.iter().flat_map(|parameters| &parameters.0);
    let ignored = doc.ignore_targets.as_ref().map(|tags| texts(&tags.0)).unwrap_or_default();
    let tasks =
        Tasks { custom: &index.custom_tasks, targeting: doc.targeting.as_ref(), ignored_tags: &ignored };
    AbilityDef {
        name: text(&doc.name),
        tags: described(doc),
        blocked_by_tags: texts(&tags.blocked_by),
        block_abilities_with_tags: texts(&tags.block_abilities),
        cancel_abilities_with_tags: texts(&tags.cancel_abilities),
        activation_required_tags: texts(&tags.required),
        activation_blocked_tags: texts(&tags.blocked),
        activation_owned_tags: texts(&tags.owned),
        source_required_tags: texts(&tags.source_required),
        source_blocked_tags: texts(&tags.source_blocked),
        target_required_tags: joined(&tags.target_required, &targeting.require_tags),
        target_blocked_tags: joined(&tags.target_blocked, &targeting.exclude_tags),
        cost: doc.cost.as_ref().map(|effect| effect.value.clone()),
        cooldown: doc.cooldown.as_ref().map(|effect| effect.value.clone()),
        cooldown_tags: texts(&doc.cooldown_tags),
        set_by_caller: numbers.map(|(tag, value)| (tag.value.clone(), formula(value))).collect(),
        parameters: parameters.map(|(name, value)| (name.value.clone(), parameter(value, index))).collect(),
        instancing: choice(&doc.instancing),
        retrigger: flag(&doc.retrigger, Absent::False),
        activate_on_grant: flag(&doc.activate_on_grant, Absent::False),
        survives_death: flag(&doc.survives_death, Absent::False),
        requires_avatar: flag(&doc.requires_avatar, Absent::False),
        triggers: doc
            .triggers
            .iter()
            .map(|trigger| TriggerDef { tag: text(&trigger.tag), on: choice(&trigger.on) })
            .collect(),
        charges: doc.charges.as_ref().map(|charges| ChargesDef {
            max: count(&charges.max, 1),
            recharge: Span::seconds(charges.recharge.as_ref().map_or(0.0, |seconds| seconds.0.value)),
        }),
        // 0 is no limit, as in the later drafts.
        max_range: doc
            .max_range
            .as_ref()
            .map(|range| range.0.value)
            .or_else(|| targeting::reach(&targeting))
            .filter(|range| *range > 0.0),
        targeting: doc.targeting.as_ref().map(|doc| tasks.sparing(targeting::targeting(doc))),
        net_execution: choice(&doc.net_execution),
        net_security: choice(&doc.net_security),
        prediction: doc.prediction.as_ref().map(|choice| choice.0.value),
        randomness: choice(&doc.randomness),
        allowed_effects: texts(&doc.allowed_effects),
        tasks: tasks.list(&doc.tasks),
        metadata: metadata(&doc.metadata, &doc.description),
    }
}

/// Parameter (A18). A text that is a tag of the pack is a tag; any other text is for the host.
fn parameter(value: &ParameterValue, index: &Index<'_>) -> ParameterDef {
    match value {
        ParameterValue::Number(number) => ParameterDef::Number(number.value),
        ParameterValue::Flag(flag) => ParameterDef::Flag(flag.value),
        ParameterValue::Text(text) if index.is_tag(&text.value) => ParameterDef::tag(&text.value),
        ParameterValue::Text(text) => ParameterDef::text(&text.value),
    }
}

/// Stand-in for an ability that could not be decoded in full, so that references to it resolve.
pub(super) fn stub(doc: &AbilityDoc) -> AbilityDef {
    AbilityDef { tags: described(doc), ..AbilityDef::new(text(&doc.name)) }
}

/// Valid ability tags. Invalid names were reported already; the core would report them again.
fn described(doc: &AbilityDoc) -> Vec<String> {
    let tags = doc.tags.iter().flat_map(|tags| tags.ability.iter());
    tags.filter(|tag| check_tag_name(&tag.value).is_ok()).map(|tag| tag.value.clone()).collect()
}

/// Ability set definition; a missing level is 1.
pub(super) fn set(doc: &AbilitySetDoc) -> AbilitySetDef {
    let abilities = doc.abilities.iter().map(|entry| AbilityGrantDef {
        level: count(&entry.level, 1),
        input: entry.input.as_ref().map(|input| input.value.clone()),
        dynamic_tags: texts(&entry.dynamic_tags),
        ..AbilityGrantDef::new(text(&entry.ability))
    });
    AbilitySetDef {
        name: text(&doc.name),
        attribute_sets: texts(&doc.sets),
        abilities: abilities.collect(),
        effects: effects(&doc.effects),
        tags: texts(&doc.tags),
    }
}

/// Effect container definition; without targeting it has the default.
pub(super) fn container(doc: &EffectContainerDoc) -> EffectContainerDef {
    let targeting = doc.targeting.as_ref().map(targeting::targeting).unwrap_or_default();
    let effects = doc.effects.iter().map(|entry| ContainedEffectDef {
        effect: text(&entry.effect),
        level: entry.level.as_ref().map(|level| level.0.value),
    });
    EffectContainerDef {
        effects: effects.collect(),
        to: doc.to.as_ref().map(|to| to.0.value),
        ..EffectContainerDef::new(text(&doc.name), targeting)
    }
}

/// Effects with their levels; a missing level is 1.
fn effects(list: &List<EffectEntryDoc>) -> Vec<(String, f64)> {
    list.iter().map(|entry| (text(&entry.effect), number(&entry.level, 1.0))).collect()
}

/// Target tags of the ability, together with those of its targeting: required or blocked ones.
fn joined(own: &List<Tag>, of_targeting: &List<Tag>) -> Vec<String> {
    own.iter().chain(of_targeting.iter()).map(|tag| tag.value.clone()).collect()
}

/// Number definition of a formula: a plain number stays a number, any other text is compiled by the core.
pub(super) fn formula(formula: &Formula) -> NumberDef {
    match formula.number() {
        Some(number) => NumberDef::Value(number),
        None => NumberDef::Expression(formula.text.value.clone()),
    }
}

/// Value of a choice, or the default of its type.
pub(super) fn choice<T: Copy + Default>(choice: &Option<Choice<T>>) -> T {
    choice.as_ref().map(|choice| choice.0.value).unwrap_or_default()
}

/// Count as `u32`, or `absent` if there is none or it does not fit.
pub(super) fn count<const MIN: i64, const MAX: i64>(count: &Option<Integer<MIN, MAX>>, absent: u32) -> u32 {
    count.as_ref().and_then(|count| u32::try_from(count.0.value).ok()).unwrap_or(absent)
}
