//! Documents of a pack as records with positions, before names are resolved.

pub mod ability;
pub mod attribute;
pub mod controller;
pub mod effect;
pub(crate) mod inherit;
pub mod input;
mod kind;
pub mod library;
pub mod magnitude;
mod names;
pub mod pack;
mod recognise;
pub mod saved;
pub mod scenario;
pub mod scene;
pub mod tag;

pub use kind::DocumentKind;
pub use names::{
    AbilityName, AbilityTag, ActionSetName, AttributeName, CalculationName, ContainerName, CueTag, CurveName,
    DataTag, DeathAttributeName, EffectName, GrantedTag, InputName, Modifier as InputModifierName, Name,
    SceneName, SetName, Tag, TemplateName,
};
pub(crate) use recognise::{Outline, is_scenario, outline, recognise};

use crate::decode::{Field, Text, Visitor, record};
use crate::node::{Node, Value};
use crate::source::{FileId, Spanned};

record! {
    /// Human-readable text about a definition; no rule reads it.
    MetadataDoc, "metadata" {
        display_name: optional Text = "DisplayName", "Name to show.";
        description: optional Text = "Description", "Text for a tooltip.";
        ui_category: optional Text = "UICategory", "Group in a user interface.";
        icon: optional Text = "Icon", "Icon reference, opaque to the simulation.";
        category: optional Text = "Category", "Group of an input action.";
        tags: list Text = "Tags", "Free labels.";
        debug_category: optional Text = "DebugCategory", "Group in debugging tools.";
    }
}

/// A document of a pack.
#[derive(Clone, PartialEq, Debug)]
pub struct Document {
    /// Kind of the document.
    pub kind: DocumentKind,
    /// File that contains it.
    pub file: FileId,
    /// Its `$schema`, if it has one.
    pub schema: Option<Spanned<String>>,
    /// The mapping that defines it, without a wrapper such as `Ability:`.
    pub node: Node,
    /// Decoded record.
    pub model: Model,
    /// Whether all known fields could be decoded. A document with undecodable fields is left out of the
    /// catalog.
    pub is_clean: bool,
}

/// Decoded record of a document, by kind.
#[derive(Clone, PartialEq, Debug)]
pub enum Model {
    /// An attribute on its own.
    Attribute(Box<attribute::AttributeDoc>),
    /// An attribute set.
    AttributeSet(attribute::AttributeSetDoc),
    /// An effect.
    Effect(Box<effect::EffectDoc>),
    /// An ability.
    Ability(Box<ability::AbilityDoc>),
    /// A tag registry.
    Tags(tag::TagRegistryDoc),
    /// A controller, used as a template.
    Controller(Box<controller::ControllerDoc>),
    /// An input action.
    InputAction(input::InputActionDoc),
    /// An input action set.
    InputActionSet(input::InputActionSetDoc),
    /// An input mapping.
    InputMapping(input::InputMappingDoc),
    /// An input mapping as draft 1 prints it.
    OldInputMapping(input::OldInputMappingDoc),
    /// An input modifier.
    InputModifier(Box<input::InputModifierDoc>),
    /// A scene.
    Scene(scene::SceneDoc),
    /// Settings of the pack.
    Pack(pack::PackDoc),
    /// Curves, calculations, ability sets and effect containers.
    Library(library::LibraryDoc),
    /// A scenario. Its names are resolved when it is checked or run, not with the pack.
    Scenario(Box<scenario::ScenarioDoc>),
    /// A document that could not be decoded at all.
    Unreadable,
}

impl Model {
    /// Passes every reference and expression in the document to a visitor. Scenarios are checked elsewhere
    /// and are skipped.
    pub fn visit<'a>(&'a self, visitor: &mut dyn Visitor<'a>) {
        match self {
            Self::Attribute(doc) => doc.visit(visitor),
            Self::AttributeSet(doc) => doc.visit(visitor),
            Self::Effect(doc) => doc.visit(visitor),
            Self::Ability(doc) => doc.visit(visitor),
            Self::Tags(doc) => doc.visit(visitor),
            Self::Controller(doc) => doc.visit(visitor),
            Self::InputAction(doc) => doc.visit(visitor),
            Self::InputActionSet(doc) => doc.visit(visitor),
            Self::InputMapping(doc) => doc.visit(visitor),
            Self::OldInputMapping(doc) => doc.visit(visitor),
            Self::InputModifier(doc) => doc.visit(visitor),
            Self::Scene(doc) => doc.visit(visitor),
            Self::Pack(doc) => doc.visit(visitor),
            Self::Library(doc) => doc.visit(visitor),
            Self::Scenario(_) | Self::Unreadable => {}
        }
    }

    /// Encodes the document as a tree in canonical order; `None` for scenarios and undecodable documents,
    /// which are written as they are.
    pub(crate) fn encode(&self) -> Option<Value> {
        Some(match self {
            Self::Attribute(doc) => doc.encode(),
            Self::AttributeSet(doc) => doc.encode(),
            Self::Effect(doc) => doc.encode(),
            Self::Ability(doc) => doc.encode(),
            Self::Tags(doc) => doc.encode(),
            Self::Controller(doc) => doc.encode(),
            Self::InputAction(doc) => doc.encode(),
            Self::InputActionSet(doc) => doc.encode(),
            Self::InputMapping(doc) => doc.encode(),
            Self::OldInputMapping(doc) => doc.encode(),
            Self::InputModifier(doc) => doc.encode(),
            Self::Scene(doc) => doc.encode(),
            Self::Pack(doc) => doc.encode(),
            Self::Library(doc) => doc.encode(),
            Self::Scenario(_) | Self::Unreadable => return None,
        })
    }
}
