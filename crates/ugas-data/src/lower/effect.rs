//! Effects.

use ugas_core::effect::{
    AbilityGrantDef, AbilityRemoval, AdditionalEffectDef, DurationDef, EffectDef, ExecutionDef,
    ExpirationEffectsDef, PeriodDef, ScopedModifierDef, ScopedTargetDef, StackingDef, StackingType,
    TagQueryDef, TagQueryItemDef,
};
use ugas_core::time::Span;

use super::magnitude::{Default as Absent, flag, magnitude, modifier, number, operation, requirement};
use super::{metadata, text, texts};
use crate::decode::List;
use crate::model::effect::{
    AbilityGrantDoc, AdditionalEffectDoc, DurationPolicy, EffectDoc, ExecutionDoc, StackingDoc, TagQueryDoc,
    TagQueryItemDoc,
};

/// Effect definition with all fields of the document. Missing fields get the defaults of the core.
pub(super) fn effect(doc: &EffectDoc) -> EffectDef {
    let policy = doc.duration_policy.as_ref().map_or(DurationPolicy::Instant, |policy| policy.0.value);
    let expiration = doc.expiration_effects.clone().unwrap_or_default();
    EffectDef {
        name: text(&doc.name),
        duration: match policy {
            DurationPolicy::Instant => DurationDef::Instant,
            DurationPolicy::Infinite => DurationDef::Infinite,
            DurationPolicy::HasDuration => DurationDef::HasDuration(magnitude(&doc.duration)),
        },
        period: doc.period.as_ref().map(|period| PeriodDef {
            period: Span::seconds(number(&period.period, 0.0)),
            execute_on_application: flag(&period.execute_on_application, Absent::False),
        }),
        policy: doc.policy.as_ref().map(|choice| choice.0.value).unwrap_or_default(),
        priority: doc
            .priority
            .as_ref()
            .and_then(|priority| i32::try_from(priority.0.value).ok())
            .unwrap_or_default(),
        modifiers: doc.modifiers.iter().map(modifier).collect(),
        executions: doc.executions.iter().map(execution).collect(),
        granted_tags: texts(&doc.granted_tags),
        asset_tags: texts(&doc.asset_tags),
        application_required_tags: texts(&doc.application_required_tags),
        application_blocked_tags: texts(&doc.application_blocked_tags),
        source_required_tags: texts(&doc.source_required_tags),
        source_blocked_tags: texts(&doc.source_blocked_tags),
        application_query: query(&doc.application_query),
        ongoing_required_tags: texts(&doc.ongoing_required_tags),
        ongoing_blocked_tags: texts(&doc.ongoing_blocked_tags),
        remove_on_tags: texts(&doc.remove_on_tags),
        remove_effects_with_tags: texts(&doc.remove_effects_with_tags),
        immunity_tags: texts(&doc.immunity_tags),
        immunity_query: query(&doc.immunity_query),
        block_abilities_with_tags: texts(&doc.block_abilities_with_tags),
        cancel_abilities_with_tags: texts(&doc.cancel_abilities_with_tags),
        chance: doc.chance.as_ref().map(|_| magnitude(&doc.chance)),
        requirement: doc.requirement.as_ref().map(|name| name.value.clone()),
        periodic_inhibition: doc
            .periodic_inhibition
            .as_ref()
            .map(|choice| choice.0.value)
            .unwrap_or_default(),
        stacking: doc.stacking.as_ref().map(stacking),
        expiration_effects: ExpirationEffectsDef {
            routine: texts(&expiration.routine),
            premature: texts(&expiration.premature),
            always: texts(&expiration.always),
        },
        additional_effects: doc.additional_effects.iter().map(additional).collect(),
        granted_abilities: doc.granted_abilities.iter().map(grant).collect(),
        cues: texts(&doc.cues),
        cue_magnitude: doc.cue_magnitude.as_ref().map(|name| name.value.clone()),
        prediction: doc.prediction.as_ref().map(|choice| choice.0.value),
        randomness: doc.randomness.as_ref().map(|choice| choice.0.value).unwrap_or_default(),
        metadata: metadata(&doc.metadata, &doc.description),
    }
}

/// Tag query with its nested queries; empty without a document.
pub(super) fn query(doc: &Option<TagQueryDoc>) -> TagQueryDef {
    /// Converts a query and the queries in it.
    fn one(doc: &TagQueryDoc) -> TagQueryDef {
        let items = |items: &List<TagQueryItemDoc>| {
            let item = |item: &TagQueryItemDoc| match item {
                TagQueryItemDoc::Tag(tag) => TagQueryItemDef::Tag(tag.value.clone()),
                TagQueryItemDoc::Query(query) => TagQueryItemDef::Query(one(query)),
            };
            items.iter().map(item).collect()
        };
        TagQueryDef { all: items(&doc.all), any: items(&doc.any), none: items(&doc.none) }
    }
    doc.as_ref().map(one).unwrap_or_default()
}

/// Execution definition: a calculation with the modifiers of its inputs. A scoped modifier changes its
/// `Variable` if it has one, else its `Attribute`.
fn execution(doc: &ExecutionDoc) -> ExecutionDef {
    let modifiers = doc.modifiers.iter().map(|modifier| ScopedModifierDef {
        target: match &modifier.variable {
            Some(variable) => ScopedTargetDef::Variable(variable.value.clone()),
            None => ScopedTargetDef::Attribute {
                name: text(&modifier.attribute),
                from: modifier.source.as_ref().map(|choice| choice.0.value).unwrap_or_default(),
            },
        },
        operation: operation(&modifier.operation),
        magnitude: magnitude(&modifier.magnitude),
    });
    ExecutionDef { calculation: text(&doc.calculator_class), modifiers: modifiers.collect() }
}

/// Stacking definition; a limit of 0 is no limit.
fn stacking(doc: &StackingDoc) -> StackingDef {
    StackingDef {
        kind: doc.kind.as_ref().map_or(StackingType::AggregateByTarget, |kind| kind.0.value),
        limit: doc.limit.as_ref().and_then(|limit| u32::try_from(limit.0.value).ok()).unwrap_or_default(),
        duration_refresh: doc.duration_refresh.as_ref().map(|choice| choice.0.value).unwrap_or_default(),
        max_duration: doc.max_duration.as_ref().map(|seconds| Span::seconds(seconds.0.value)),
        period_reset: doc.period_reset.as_ref().map(|choice| choice.0.value).unwrap_or_default(),
        expiration: doc.expiration.as_ref().map(|choice| choice.0.value).unwrap_or_default(),
        overflow_effects: texts(&doc.overflow_effects),
        deny_overflow: flag(&doc.deny_overflow, Absent::False),
        clear_on_overflow: flag(&doc.clear_on_overflow, Absent::False),
    }
}

/// Definition of an additional effect with its conditions and numbers.
fn additional(doc: &AdditionalEffectDoc) -> AdditionalEffectDef {
    AdditionalEffectDef {
        effect: text(&doc.effect),
        to: doc.to.as_ref().map(|choice| choice.0.value).unwrap_or_default(),
        source_tags: requirement(&doc.source_tags),
        target_tags: requirement(&doc.target_tags),
        context_tags: requirement(&doc.context_tags),
        set_by_caller: doc
            .set_by_caller
            .iter()
            .flat_map(|numbers| &numbers.0)
            .map(|(tag, formula)| (tag.value.clone(), formula.text.value.clone()))
            .collect(),
    }
}

/// Definition of an ability that the effect grants. `RemovalPolicy` wins over the older
/// `RemoveOnEffectRemoval`, whose false keeps the ability.
fn grant(doc: &AbilityGrantDoc) -> AbilityGrantDef {
    let stays = !flag(&doc.remove_on_removal, Absent::True);
    let policy = doc.removal.as_ref().map(|choice| choice.0.value);
    AbilityGrantDef {
        ability: text(&doc.ability),
        level: doc.level.as_ref().and_then(|level| u32::try_from(level.0.value).ok()).unwrap_or(1),
        input: doc.input.as_ref().map(|input| input.value.clone()),
        removal: policy.unwrap_or(if stays { AbilityRemoval::Keep } else { AbilityRemoval::default() }),
        activate_on_grant: flag(&doc.activate_on_grant, Absent::False),
        is_active: false,
        dynamic_tags: texts(&doc.dynamic_tags),
    }
}
