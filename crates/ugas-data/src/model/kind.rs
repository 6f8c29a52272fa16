//! Kinds of documents.

/// Kind of a document; its name is the last part of a `$schema`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum DocumentKind {
    /// An attribute on its own (§5.7).
    Attribute,
    /// An attribute set (§6.5).
    AttributeSet,
    /// An effect (§9.10).
    Effect,
    /// An ability (§8.7).
    Ability,
    /// A tag registry (§7.6).
    Tags,
    /// A controller (§4).
    Controller,
    /// An input action.
    InputAction,
    /// An input action set.
    InputActionSet,
    /// An input mapping.
    InputMapping,
    /// An input modifier.
    InputModifier,
    /// A scene.
    Scene,
    /// Settings of the pack.
    Pack,
    /// A list of curves.
    Curves,
    /// A list of calculations.
    Calculations,
    /// A list of ability sets.
    AbilitySets,
    /// A list of effect containers.
    EffectContainers,
    /// A scenario.
    Scenario,
}

impl DocumentKind {
    /// All kinds.
    pub const ALL: [Self; 17] = [
        Self::Attribute,
        Self::AttributeSet,
        Self::Effect,
        Self::Ability,
        Self::Tags,
        Self::Controller,
        Self::InputAction,
        Self::InputActionSet,
        Self::InputMapping,
        Self::InputModifier,
        Self::Scene,
        Self::Pack,
        Self::Curves,
        Self::Calculations,
        Self::AbilitySets,
        Self::EffectContainers,
        Self::Scenario,
    ];

    /// The name at the end of a `$schema`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Attribute => "attribute",
            Self::AttributeSet => "attribute_set",
            Self::Effect => "gameplay_effect",
            Self::Ability => "gameplay_ability",
            Self::Tags => "gameplay_tag",
            Self::Controller => "gameplay_controller",
            Self::InputAction => "input_action",
            Self::InputActionSet => "input_action_set",
            Self::InputMapping => "input_mapping",
            Self::InputModifier => "input_modifier",
            Self::Scene => "scene",
            Self::Pack => "pack",
            Self::Curves => "curves",
            Self::Calculations => "calculations",
            Self::AbilitySets => "ability_sets",
            Self::EffectContainers => "effect_containers",
            Self::Scenario => "scenario",
        }
    }

    /// The kind of this name. `None` if there is no such kind.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// True for the kinds of the specification; the others are extensions of this project and need no
    /// `$schema`.
    pub const fn is_official(self) -> bool {
        !matches!(
            self,
            Self::Pack
                | Self::Curves
                | Self::Calculations
                | Self::AbilitySets
                | Self::EffectContainers
                | Self::Scenario
        )
    }

    /// Address that canonical documents carry as `$schema`: of the specification for its own kinds, else of
    /// this project.
    pub fn schema_address(self) -> String {
        match self.is_official() {
            true => {
                let name = self.name();
                format!("https://raw.githubusercontent.com/jbltx/ugas/v1.0.0-draft.1/schemas/{name}.json")
            }
            false => format!("{}/schemas/{}.json", env!("CARGO_PKG_REPOSITORY"), self.name()),
        }
    }
}
