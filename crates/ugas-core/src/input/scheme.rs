//! Definitions of input, resolved and checked as a whole: what [`super::InputMapper`] runs on.

use core::ops::Range;

use super::builder::InputSchemeBuilder;
use super::modifier::InputModifier;
use super::{DeviceInput, InputBufferConfig, InputId, TriggerBehavior, ValueType};
use crate::hash::{StateHash, StateHasher};
use crate::time::Span;

/// An action of an [`InputScheme`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct InputActionId(pub(super) u32);

impl InputActionId {
    /// Position among the actions, sorted by name.
    pub const fn index(self) -> u32 {
        self.0
    }

    pub(super) const fn usize(self) -> usize {
        self.0 as usize
    }
}

impl StateHash for InputActionId {
    fn state_hash(&self, hasher: &mut StateHasher) {
        self.0.state_hash(hasher);
    }
}

/// Which part of a binding a control plays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BindingPart {
    /// The only one, one of a chord, or a component of an axis value: its position in the list.
    Input(u32),
    /// A direction of a composite.
    Up,
    /// A direction of a composite.
    Down,
    /// A direction of a composite.
    Left,
    /// A direction of a composite.
    Right,
    /// A direction of a composite.
    Forward,
    /// A direction of a composite.
    Backward,
}

/// All actions, sets, modifiers and default bindings of a game, for one platform. Immutable; shared by its mappers.
///
/// ```
/// use ugas_core::input::{BindingDef, DeviceInput, InputActionDef, InputActionSetDef, InputMappingDef, InputScheme};
///
/// let scheme = InputScheme::builder()
///     .action(InputActionDef::digital("IA_Jump"))
///     .action_set(InputActionSetDef::new("OnFoot", ["IA_Jump"]))
///     .mapping(InputMappingDef::new("OnFoot").bind(BindingDef::new("IA_Jump", DeviceInput::key("Space"))))
///     .build()?;
/// assert!(scheme.action("IA_Jump").is_some());
/// # Ok::<(), ugas_core::input::InputSchemeErrors>(())
/// ```
#[derive(Clone, Debug)]
pub struct InputScheme {
    /// Sorted by name.
    pub(super) actions: Vec<Action>,
    /// By falling priority, then in the order of definition.
    pub(super) sets: Vec<Set>,
    /// By rank: the order in which they see controls.
    pub(super) bindings: Vec<Binding>,
    /// The controls of all bindings, one after the other.
    pub(super) slots: Vec<Slot>,
    pub(super) modifiers: Vec<InputModifier>,
    /// Every tag that a set or a binding asks for, sorted.
    pub(super) tags: Vec<String>,
}

#[derive(Clone, Debug)]
pub(super) struct Action {
    pub(super) name: String,
    pub(super) input: InputId,
    pub(super) value_type: ValueType,
    pub(super) trigger: TriggerBehavior,
    pub(super) tap_threshold: Span,
    pub(super) double_tap_window: Span,
    pub(super) consume: bool,
    pub(super) tags: Vec<String>,
    /// Its slots in the order in which they were defined, which is how players and saved mappings count them.
    pub(super) slots: Vec<u32>,
}

#[derive(Clone, Debug)]
pub(super) struct Set {
    pub(super) name: String,
    pub(super) priority: i32,
    /// Indices of tags.
    pub(super) required: Vec<u32>,
    pub(super) blocked: Vec<u32>,
    pub(super) exclusive: bool,
    pub(super) buffer: InputBufferConfig,
    pub(super) actions: Vec<InputActionId>,
}

#[derive(Clone, Debug)]
pub(super) struct Binding {
    pub(super) action: InputActionId,
    pub(super) set: u32,
    pub(super) shape: Shape,
    pub(super) slots: Range<u32>,
    pub(super) modifiers: Vec<u32>,
    pub(super) hold: Span,
    pub(super) rebindable: bool,
    pub(super) required: Vec<u32>,
}

/// How a binding makes a value of its controls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    /// All must be held, the last gives the value.
    Chord,
    /// Each is an axis.
    Components,
    /// Each is a direction.
    Composite,
}

#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) binding: u32,
    pub(super) part: BindingPart,
    pub(super) default: DeviceInput,
}

impl InputScheme {
    /// Collects definitions.
    pub fn builder() -> InputSchemeBuilder {
        InputSchemeBuilder::default()
    }

    /// The action of this name.
    pub fn action(&self, name: &str) -> Option<InputActionId> {
        let index = self.actions.binary_search_by(|action| action.name.as_str().cmp(name)).ok()?;
        u32::try_from(index).ok().map(InputActionId)
    }

    /// All actions, sorted by name.
    pub fn actions(&self) -> impl Iterator<Item = InputActionId> {
        (0u32..).zip(&self.actions).map(|(index, _)| InputActionId(index))
    }

    /// The name of an action; empty for an id of another scheme.
    pub fn action_name(&self, action: InputActionId) -> &str {
        self.actions.get(action.usize()).map_or("", |action| &action.name)
    }

    /// The id under which an action reaches abilities.
    pub fn input_id(&self, action: InputActionId) -> Option<&InputId> {
        self.actions.get(action.usize()).map(|action| &action.input)
    }

    /// When an action fires.
    pub fn trigger(&self, action: InputActionId) -> Option<TriggerBehavior> {
        self.actions.get(action.usize()).map(|action| action.trigger)
    }

    /// What an action's value is.
    pub fn value_type(&self, action: InputActionId) -> Option<ValueType> {
        self.actions.get(action.usize()).map(|action| action.value_type)
    }

    /// The tags that describe an action.
    pub fn tags_of(&self, action: InputActionId) -> &[String] {
        self.actions.get(action.usize()).map_or(&[], |action| &action.tags)
    }

    /// The names of the sets, by falling priority.
    pub fn action_sets(&self) -> impl Iterator<Item = &str> {
        self.sets.iter().map(|set| set.name.as_str())
    }

    /// Every tag that decides on a set or a binding, sorted: what a host has to watch.
    pub fn tags(&self) -> &[String] {
        &self.tags
    }
}
