//! Types of names, each with the kind of definition that it refers to.

use crate::decode::{Field, ReferenceKind, TagRole, name_text, reference};
use crate::node::{Node, Value};
use crate::source::Spanned;

/// The pattern of tag names (§7.1), and of tags that a parameter of an ability holds (A18).
const TAG: &str = r#"^([A-Z][a-zA-Z0-9]*(\.[A-Z][a-zA-Z0-9]*)*|ParamTag\(\s*("[^"']+"|'[^"']+')\s*\))$"#;

/// The name of a definition.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Name(pub Spanned<String>);

impl std::ops::Deref for Name {
    type Target = Spanned<String>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Field for Name {
    fn decode(node: &Node, sink: &mut crate::diagnostics::Sink) -> Option<Self> {
        name_text(node, "a name", sink).map(Self)
    }

    fn encode(&self) -> Value {
        Value::Text(self.0.value.clone())
    }

    fn schema(_: &mut crate::decode::Definitions) -> serde_json::Value {
        serde_json::json!({ "type": "string", "minLength": 1 })
    }
}

reference! {
    /// The name of an attribute.
    AttributeName => ReferenceKind::Attribute, "name of an attribute";
    /// The name of an attribute set.
    SetName => ReferenceKind::AttributeSet, "name of an attribute set";
    /// The name of an effect.
    EffectName => ReferenceKind::Effect, "name of an effect";
    /// The name of an ability.
    AbilityName => ReferenceKind::Ability, "name of an ability";
    /// A tag that a requirement or query matches.
    Tag => ReferenceKind::Tag(TagRole::Asked), "a tag", TAG;
    /// A tag that is granted to a controller.
    GrantedTag => ReferenceKind::Tag(TagRole::Granted), "a tag", TAG;
    /// A tag that describes an ability.
    AbilityTag => ReferenceKind::Tag(TagRole::Ability), "a tag", TAG;
    /// A tag that triggers a cue.
    CueTag => ReferenceKind::Tag(TagRole::Cue), "a tag under GameplayCue", TAG;
    /// The key of a SetByCaller number.
    DataTag => ReferenceKind::Tag(TagRole::Data), "a tag", TAG;
    /// The name of a curve.
    CurveName => ReferenceKind::Curve, "name of a curve";
    /// The name of a calculation.
    CalculationName => ReferenceKind::Calculation, "name of a calculation";
    /// The name of an input action, or an input id of draft 1.
    InputName => ReferenceKind::InputAction, "name of an input action";
    /// The name of an input action set.
    ActionSetName => ReferenceKind::ActionSet, "name of an input action set";
    /// The name of an input modifier.
    Modifier => ReferenceKind::InputModifier, "name of an input modifier";
    /// The name of a scene.
    SceneName => ReferenceKind::Scene, "name of a scene";
    /// The name of a controller template.
    TemplateName => ReferenceKind::Template, "name of a controller template";
    /// The name of an effect container.
    ContainerName => ReferenceKind::Container, "name of an effect container";
}

/// Name of the death attribute, or `None` for no death.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct DeathAttributeName(pub AttributeName);

impl DeathAttributeName {
    /// The word that turns death off.
    pub const OFF: &'static str = "None";

    /// The attribute; `None` if death is off.
    pub fn attribute(&self) -> Option<&Spanned<String>> {
        Some(&self.0.0).filter(|name| name.value != Self::OFF)
    }
}

impl Field for DeathAttributeName {
    fn decode(node: &Node, sink: &mut crate::diagnostics::Sink) -> Option<Self> {
        AttributeName::decode(node, sink).map(Self)
    }

    fn encode(&self) -> Value {
        self.0.encode()
    }

    fn schema(_: &mut crate::decode::Definitions) -> serde_json::Value {
        serde_json::json!({ "type": "string", "title": "name of an attribute, or None" })
    }

    /// Passes the attribute to the visitor, unless death is off.
    fn visit<'a>(&'a self, visitor: &mut dyn crate::decode::Visitor<'a>) {
        if self.attribute().is_some() {
            self.0.visit(visitor);
        }
    }
}
