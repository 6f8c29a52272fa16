//! Input schemes: resolved and checked input definitions that [`super::InputMapper`] runs on.

use core::ops::Range;

use super::builder::InputSchemeBuilder;
use super::modifier::InputModifier;
use super::{DeviceInput, InputBufferConfig, InputId, TriggerBehavior, ValueType};
use crate::hash::{HashSink, StateHash};
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
    fn state_hash<S: HashSink>(&self, hasher: &mut S) {
        self.0.state_hash(hasher);
    }
}

/// Role of a control in its binding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BindingPart {
    /// A control of a list, with its position: the only one, one of a chord, or a component of an axis value.
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

/// All actions, sets, modifiers and default bindings of a game, for one platform. Immutable; shared by its
/// mappers.
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
    /// Sorted by descending priority, then in the order of definition.
    pub(super) sets: Vec<Set>,
    /// Sorted by rank: the order in which they see controls.
    pub(super) bindings: Vec<Binding>,
    /// The slots of all bindings; those of one binding are contiguous.
    pub(super) slots: Vec<Slot>,
    pub(super) modifiers: Vec<InputModifier>,
    /// Every tag that a set or a binding requires or blocks on, sorted.
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
    /// Its slots in the order of definition, by which players and saved mappings number them.
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

/// Combination of the controls of a binding to a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    /// All controls must be held; the last one gives the value.
    Chord,
    /// Each control is an axis.
    Components,
    /// Each control is a direction.
    Composite,
}

#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) binding: u32,
    pub(super) part: BindingPart,
    pub(super) default: DeviceInput,
}

impl InputScheme {
    /// Starts a builder.
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

    /// The input id of an action.
    pub fn input_id(&self, action: InputActionId) -> Option<&InputId> {
        self.actions.get(action.usize()).map(|action| &action.input)
    }

    /// The trigger behaviour of an action.
    pub fn trigger(&self, action: InputActionId) -> Option<TriggerBehavior> {
        self.actions.get(action.usize()).map(|action| action.trigger)
    }

    /// The type of an action's value.
    pub fn value_type(&self, action: InputActionId) -> Option<ValueType> {
        self.actions.get(action.usize()).map(|action| action.value_type)
    }

    /// The tags that describe an action.
    pub fn tags_of(&self, action: InputActionId) -> &[String] {
        self.actions.get(action.usize()).map_or(&[], |action| &action.tags)
    }

    /// The names of the sets, by descending priority.
    pub fn action_sets(&self) -> impl Iterator<Item = &str> {
        self.sets.iter().map(|set| set.name.as_str())
    }

    /// Every tag that sets or bindings depend on, sorted: the tags that a host has to watch.
    pub fn tags(&self) -> &[String] {
        &self.tags
    }
}
