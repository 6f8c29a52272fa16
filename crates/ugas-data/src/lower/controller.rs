//! Controllers as templates.

use std::collections::BTreeSet;

use ugas_core::controller::ControllerDef;
use ugas_core::effect::AbilityGrantDef;

use super::{metadata, text, texts};
use crate::check::Index;
use crate::model::controller::ControllerDoc;

/// A template has the base values, abilities, effects and tags of the document. Current values are derived, and so are
/// tags that its effects grant: they would count twice.
pub(super) fn template(doc: &ControllerDoc, index: &Index<'_>) -> ControllerDef {
    let sets = || doc.sets.iter().flat_map(|sets| sets.iter());
    let base = sets().flat_map(|set| set.attributes.iter()).filter_map(|attribute| {
        Some((attribute.name.as_ref()?.value.clone(), attribute.base.as_ref()?.0.value))
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
                dynamic_tags: texts(&grant.dynamic_tags),
                ..AbilityGrantDef::new(text(&grant.ability))
            })
            .collect(),
        effects: doc
            .effects
            .iter()
            .map(|active| {
                let level = level(active.level.as_ref().map(|level| level.0.value));
                (text(&active.effect), f64::from(level))
            })
            .collect(),
        replication: doc.replication.as_ref().map(|choice| choice.0.value).unwrap_or_default(),
        metadata: metadata(&doc.metadata, &None),
    }
}
