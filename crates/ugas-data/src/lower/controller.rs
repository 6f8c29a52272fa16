//! Controllers as templates.

use std::collections::BTreeSet;

use ugas_core::controller::{ControllerDef, TemplateEffectDef};
use ugas_core::effect::AbilityGrantDef;
use ugas_core::time::Span;

use super::{metadata, text, texts};
use crate::check::Index;
use crate::model::controller::{ControllerDoc, ControllerEffectDoc};

/// Template with the base values, abilities, effects and tags of the document. Current values, and tags that
/// its effects grant, are left out because they are derived.
pub(super) fn template(doc: &ControllerDoc, index: &Index<'_>) -> ControllerDef {
    let sets = || doc.sets.iter().flat_map(|sets| sets.iter());
    // A saved character also has bases of derived attributes, which are ignored because they are derived
    // again.
    let is_saved = doc.saved.is_some();
    let base = sets().flat_map(|set| set.attributes.iter()).filter_map(|attribute| {
        let name = &attribute.name.as_ref()?.value;
        let counts = !is_saved || !index.derived.contains(name.as_str());
        counts.then_some((name.clone(), attribute.base.as_ref()?.0.value))
    });
    let granted: BTreeSet<&str> = doc
        .effects
        .iter()
        .filter_map(|active| index.effect_docs.get(active.effect.as_ref()?.value.as_str()))
        .flat_map(|effect| effect.granted_tags.iter())
        .map(|tag| tag.value.as_str())
        .collect();
    let tags = doc.tags.iter().filter(|tag| !granted.contains(tag.value.as_str()));
    let level = |level: Option<i64>| level.and_then(|level| u32::try_from(level).ok()).unwrap_or(1);
    ControllerDef {
        name: text(&doc.name),
        attribute_sets: sets().map(|set| text(&set.name)).collect(),
        base: base.collect(),
        tags: tags.map(|tag| tag.value.clone()).collect(),
        abilities: doc
            .abilities
            .iter()
            .map(|grant| AbilityGrantDef {
                level: level(grant.level.as_ref().map(|level| level.0.value)),
                input: grant.input.as_ref().map(|input| input.value.clone()),
                is_active: grant.is_active.as_ref().is_some_and(|flag| flag.0.value),
                dynamic_tags: texts(&grant.dynamic_tags),
                ..AbilityGrantDef::new(text(&grant.ability))
            })
            .collect(),
        effects: Vec::new(),
        active_effects: doc.effects.iter().map(active_effect).collect(),
        inactive: doc.is_active.as_ref().is_some_and(|flag| !flag.0.value),
        replication: doc.replication.as_ref().map(|choice| choice.0.value).unwrap_or_default(),
        metadata: metadata(&doc.metadata, &None),
    }
}

/// Active effect of a template (K1). Without remaining seconds, or with -1, it has the duration of its
/// definition.
fn active_effect(doc: &ControllerEffectDoc) -> TemplateEffectDef {
    let count = |value: Option<i64>| value.and_then(|value| u32::try_from(value).ok()).unwrap_or(1);
    let left = doc.remaining.as_ref().or(doc.duration.as_ref()).map(|seconds| seconds.0.value);
    let numbers = doc.set_by_caller.iter().flat_map(|numbers| &numbers.0);
    TemplateEffectDef {
        level: f64::from(count(doc.level.as_ref().map(|level| level.0.value))),
        stacks: count(doc.stacks.as_ref().map(|stacks| stacks.0.value)),
        remaining: left.filter(|left| *left >= 0.0).map(Span::seconds),
        instigator: doc.instigator.as_ref().map(|instigator| instigator.0.value.clone()),
        set_by_caller: numbers.map(|(tag, value)| (tag.value.clone(), value.0.value)).collect(),
        ..TemplateEffectDef::new(text(&doc.effect))
    }
}
