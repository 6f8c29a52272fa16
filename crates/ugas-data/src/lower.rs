//! Conversion from records to the core's definitions, and from the core's errors to positions in files.

mod ability;
mod attribute;
mod controller;
mod core_errors;
mod effect;
pub(crate) mod input;
mod library;
mod magnitude;
pub(crate) mod targeting;
mod task;

use ugas_core::ability::AbilityDef;
use ugas_core::attribute::{AttributeSetDef, Metadata};
use ugas_core::catalog::{Catalog, CatalogBuilder};
use ugas_core::controller::ControllerDef;
use ugas_core::effect::EffectDef;
use ugas_core::tag::TagMetadata;
use ugas_core::targeting::{EffectContainerDef, TargetingDef};

pub(crate) use core_errors::{DefinitionNodes, report};

use crate::check::{Index, Unresolved};
use crate::decode::{List, ReferenceKind, Text};
use crate::model::library::LibraryDoc;
use crate::model::pack::GlobalsDoc;
use crate::model::tag::TagRegistryDoc;
use crate::model::{DeathAttributeName, Document, MetadataDoc, Model};
use crate::source::Spanned;

/// Adds all documents except controller templates to a builder. A document that could not be decoded in full
/// gets a stand-in with its name, so that references to it resolve.
pub(crate) fn lower(documents: &[Document], index: &Index<'_>, unresolved: &Unresolved) -> CatalogBuilder {
    let mut builder = Catalog::builder();
    if let Some(tags) = &index.tags {
        builder = builder.tags(tags.iter().copied());
    }
    for document in documents {
        builder = match &document.model {
            Model::AttributeSet(doc) => {
                let Some(name) = &doc.name else { continue };
                if document.is_clean {
                    builder.attribute_set(attribute::set(doc))
                } else {
                    let attributes = doc.attributes.iter().flat_map(|attributes| attributes.iter());
                    let names = attributes.filter_map(|attribute| attribute.name.as_ref());
                    let builder = builder.attribute_set(AttributeSetDef::new(&name.value));
                    names.fold(builder, |builder, name| builder.declare_attribute(&name.value))
                }
            }
            Model::Attribute(doc) => {
                let Some(name) = &doc.name else { continue };
                let own_set = index.attributes.get(name.value.as_str()) == Some(&name.span);
                match own_set && document.is_clean && index.sets.get(name.value.as_str()) == Some(&name.span)
                {
                    true => builder
                        .attribute_set(AttributeSetDef::new(&name.value).with(attribute::attribute(doc))),
                    false => builder.declare_attribute(&name.value),
                }
            }
            Model::Effect(doc) => match (&doc.name, document.is_clean) {
                (Some(_), true) => builder.effect(effect::effect(doc)),
                (Some(name), false) => builder.effect(EffectDef::instant(&name.value)),
                (None, _) => continue,
            },
            Model::Ability(doc) => match (&doc.name, document.is_clean) {
                (Some(_), true) => builder.ability(ability::ability(doc, index)),
                (Some(_), false) => builder.ability(ability::stub(doc)),
                (None, _) => continue,
            },
            Model::Tags(doc) => tag_metadata(builder, doc),
            Model::Library(doc) => lists(builder, doc, document.is_clean),
            Model::Pack(doc) => match &doc.globals {
                Some(globals) => death(builder, globals),
                None => continue,
            },
            _ => continue,
        };
    }
    if let Some((buffer, attribute)) = input::buffer(documents) {
        builder = builder.input_buffer(buffer);
        if let Some(attribute) = attribute {
            builder = builder.input_buffer_window(attribute);
        }
    }
    // Native code that is registered later replaces this; without it no controller passes.
    for name in &index.target_filters {
        builder = builder.target_filter(*name, |_, _| false);
    }
    stand_in(builder, index, unresolved)
}

/// Adds the descriptions of tags, for tools (T5).
fn tag_metadata(builder: CatalogBuilder, doc: &TagRegistryDoc) -> CatalogBuilder {
    let own = |text: &Option<Text>| text.as_ref().map(|text| text.0.value.clone());
    let described = doc.tags.iter().filter_map(|doc| {
        let metadata = TagMetadata {
            description: own(&doc.description),
            dev_comment: own(&doc.comment),
            allow_multiple: doc.allow_multiple.as_ref().is_some_and(|flag| flag.0.value),
        };
        Some((&doc.tag.as_ref()?.value, metadata)).filter(|(_, metadata)| *metadata != TagMetadata::default())
    });
    described.fold(builder, |builder, (tag, metadata)| builder.tag_with_metadata(tag, metadata))
}

/// Sets the attribute and the threshold of death (A4). Absent settings keep the default.
fn death(builder: CatalogBuilder, globals: &GlobalsDoc) -> CatalogBuilder {
    let builder = match globals.death_attribute.as_ref().map(DeathAttributeName::attribute) {
        None => builder,
        Some(None) => builder.without_death(),
        Some(Some(attribute)) => builder.death_attribute(&attribute.value),
    };
    match &globals.death_threshold {
        None => builder,
        Some(threshold) => builder.death_threshold(threshold.0.value),
    }
}

/// Adds curves, calculations, ability sets and effect containers. If the document could not be decoded in
/// full, only its curves and stand-ins for its containers are added.
fn lists(builder: CatalogBuilder, doc: &LibraryDoc, is_clean: bool) -> CatalogBuilder {
    let builder = doc.curves.iter().fold(builder, |builder, doc| builder.curve(library::curve(doc)));
    if !is_clean {
        let names = doc.containers.iter().filter_map(|container| container.name.as_ref());
        return names.fold(builder, |builder, name| {
            builder.container(EffectContainerDef::new(&name.value, TargetingDef::default()))
        });
    }
    let calculations = doc.calculations.iter();
    let builder = calculations.fold(builder, |builder, doc| builder.calculation(library::calculation(doc)));
    let builder =
        doc.ability_sets.iter().fold(builder, |builder, doc| builder.ability_set(ability::set(doc)));
    doc.containers.iter().fold(builder, |builder, doc| builder.container(ability::container(doc)))
}

/// Adds the controller templates. Documents that could not be decoded in full are left out.
pub(crate) fn templates(
    builder: CatalogBuilder,
    documents: &[Document],
    index: &Index<'_>,
) -> CatalogBuilder {
    let clean = documents.iter().filter(|document| document.is_clean);
    clean.fold(builder, |builder, document| match &document.model {
        Model::Controller(doc) => builder.template(controller::template(doc, index)),
        _ => builder,
    })
}

/// Adds stand-ins for definitions that a single file only refers to. Tags are added only if there is a
/// registry; other kinds of names are skipped.
pub(crate) fn stand_in(
    mut builder: CatalogBuilder,
    index: &Index<'_>,
    unresolved: &Unresolved,
) -> CatalogBuilder {
    for (kind, name) in &unresolved.names {
        builder = match kind {
            ReferenceKind::Attribute => builder.declare_attribute(name),
            ReferenceKind::AttributeSet => builder.attribute_set(AttributeSetDef::new(name)),
            ReferenceKind::Effect => builder.effect(EffectDef::instant(name)),
            ReferenceKind::Ability => builder.ability(AbilityDef::new(name)),
            ReferenceKind::Container => {
                builder.container(EffectContainerDef::new(name, TargetingDef::default()))
            }
            ReferenceKind::SpawnedTemplate => builder.template(ControllerDef::new(name)),
            ReferenceKind::Tag(_) if index.tags.is_some() => builder.tags([name]),
            _ => builder,
        };
    }
    builder
}

/// Texts for people; the document's own `Description` is used if the metadata has none.
fn metadata(doc: &Option<MetadataDoc>, description: &Option<Text>) -> Metadata {
    let own = |text: &Option<Text>| text.as_ref().map(|text| text.0.value.clone());
    let doc = doc.clone().unwrap_or_default();
    Metadata {
        display_name: own(&doc.display_name),
        description: own(&doc.description).or_else(|| own(description)),
        ui_category: own(&doc.ui_category),
        icon: own(&doc.icon),
    }
}

/// Text of a required name; its presence was checked before.
fn text<T: std::ops::Deref<Target = Spanned<String>>>(name: &Option<T>) -> String {
    name.as_ref().map(|name| name.value.clone()).unwrap_or_default()
}

/// Texts of a list of names.
fn texts<T: std::ops::Deref<Target = Spanned<String>>>(list: &List<T>) -> Vec<String> {
    list.iter().map(|name| name.value.clone()).collect()
}
