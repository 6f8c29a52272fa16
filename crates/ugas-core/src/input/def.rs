//! Input definitions: actions, action sets, and the controls that they are bound to (§11.2).
//!
//! Names are text here; [`super::InputScheme`] resolves them.

use super::{DeviceInput, InputBufferConfig, InputId, Platform};
use crate::time::Span;

/// Type of an action's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueType {
    /// Pressed or not.
    Digital,
    /// One number.
    Axis1D,
    /// Two numbers.
    Axis2D,
    /// Three numbers.
    Axis3D,
}

impl ValueType {
    /// Number of axes of a value.
    pub const fn axes(self) -> usize {
        match self {
            Self::Digital | Self::Axis1D => 1,
            Self::Axis2D => 2,
            Self::Axis3D => 3,
        }
    }
}

/// When an action fires.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TriggerBehavior {
    /// When pressed.
    #[default]
    OnPressed,
    /// When released.
    OnReleased,
    /// When pressed, to last until released. It fires once: a signal in each frame would depend on the frame
    /// rate.
    WhileHeld,
    /// When released after a press no longer than the tap threshold.
    OnTap,
    /// When the second of two taps is released, if it was pressed within the double tap window after the
    /// first.
    OnDoubleTap,
}

/// An input action: a player's intention, independent of the device.
#[derive(Clone, PartialEq, Debug)]
pub struct InputActionDef {
    /// Unique name.
    pub name: String,
    /// The id that abilities are bound to. In the later drafts it is the name; draft 1 has a separate id.
    pub input: InputId,
    /// Type of its value.
    pub value_type: ValueType,
    /// When it fires.
    pub trigger: TriggerBehavior,
    /// Longest press that counts as a tap.
    pub tap_threshold: Span,
    /// Longest time from the end of a tap to the beginning of the next in a double tap.
    pub double_tap_window: Span,
    /// Whether it hides its controls from bindings of lower rank.
    pub consume: bool,
    /// Tags that describe it.
    pub tags: Vec<String>,
}

impl InputActionDef {
    /// An action with the later drafts' defaults: fires when pressed, taps of 0.2 s, 0.3 s between them,
    /// consuming.
    pub fn new(name: &str, value_type: ValueType) -> Self {
        Self {
            name: name.to_owned(),
            input: InputId::new(name),
            value_type,
            trigger: TriggerBehavior::OnPressed,
            tap_threshold: Span::millis(200),
            double_tap_window: Span::millis(300),
            consume: true,
            tags: Vec::new(),
        }
    }

    /// Creates a digital action.
    pub fn digital(name: &str) -> Self {
        Self::new(name, ValueType::Digital)
    }

    /// Sets the id that abilities are bound to, if it is not the name.
    #[must_use]
    pub fn input(mut self, input: &str) -> Self {
        self.input = InputId::new(input);
        self
    }

    /// Sets the trigger behaviour.
    #[must_use]
    pub fn fires(mut self, trigger: TriggerBehavior) -> Self {
        self.trigger = trigger;
        self
    }

    /// Does not hide its controls from other bindings.
    #[must_use]
    pub fn shared(mut self) -> Self {
        self.consume = false;
        self
    }
}

/// A set of actions that are active together.
#[derive(Clone, PartialEq, Debug)]
pub struct InputActionSetDef {
    /// Unique name.
    pub name: String,
    /// Its actions, by name.
    pub actions: Vec<String>,
    /// Priority among sets; the set with the higher priority sees controls first, and binds an action that
    /// both have.
    pub priority: i32,
    /// Tags that must all be present for the set to be active.
    pub required_tags: Vec<String>,
    /// Tags of which none may be present.
    pub blocked_tags: Vec<String>,
    /// Whether it deactivates other sets of the same or a lower priority, unless they are exclusive too.
    pub exclusive: bool,
    /// Input buffer of its actions (§11.3).
    pub buffer: InputBufferConfig,
}

impl InputActionSetDef {
    /// A set that is always active, of priority 0, without a buffer.
    pub fn new<'a>(name: &str, actions: impl IntoIterator<Item = &'a str>) -> Self {
        Self {
            name: name.to_owned(),
            actions: actions.into_iter().map(str::to_owned).collect(),
            priority: 0,
            required_tags: Vec::new(),
            blocked_tags: Vec::new(),
            exclusive: false,
            buffer: InputBufferConfig::default(),
        }
    }

    /// Sets the priority.
    #[must_use]
    pub fn priority(mut self, priority: i32) -> Self {
        self.priority = priority;
        self
    }

    /// Adds a required tag.
    #[must_use]
    pub fn requires(mut self, tag: &str) -> Self {
        self.required_tags.push(tag.to_owned());
        self
    }

    /// Adds a blocked tag.
    #[must_use]
    pub fn blocked_by(mut self, tag: &str) -> Self {
        self.blocked_tags.push(tag.to_owned());
        self
    }

    /// Makes the set exclusive.
    #[must_use]
    pub fn exclusive(mut self) -> Self {
        self.exclusive = true;
        self
    }

    /// Sets the input buffer.
    #[must_use]
    pub fn buffered(mut self, buffer: InputBufferConfig) -> Self {
        self.buffer = buffer;
        self
    }
}

/// Controls that make up an axis value. Each contributes its first number.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CompositeInputs {
    /// Adds to the second axis.
    pub up: Option<DeviceInput>,
    /// Subtracts from the second axis.
    pub down: Option<DeviceInput>,
    /// Subtracts from the first axis.
    pub left: Option<DeviceInput>,
    /// Adds to the first axis.
    pub right: Option<DeviceInput>,
    /// Adds to the third axis; to the second where there are only two.
    pub forward: Option<DeviceInput>,
    /// Subtracts from the third axis; from the second where there are only two.
    pub backward: Option<DeviceInput>,
}

/// Controls that give a binding its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BindingSource {
    /// One or several controls.
    ///
    /// Several are a chord for a digital or one-dimensional action: all must be held at once, and the last
    /// gives the value. For an action of two or three axes they are its components, in order, as in the
    /// sample packs.
    Inputs(Vec<DeviceInput>),
    /// A control for each direction. All axes of a one-dimensional or digital action are added up.
    Composite(Box<CompositeInputs>),
}

/// A binding of controls to an action.
#[derive(Clone, PartialEq, Debug)]
pub struct BindingDef {
    /// The action, by name.
    pub action: String,
    /// The controls.
    pub source: BindingSource,
    /// Modifiers of the value, by name, in order.
    pub modifiers: Vec<String>,
    /// Priority among the bindings of the set.
    pub priority: i32,
    /// Time for which the controls must be held before the action is pressed.
    pub hold_threshold: Span,
    /// Whether a player may change it (§11.4).
    pub rebindable: bool,
    /// Tags that must all be present for the binding to be active.
    pub required_tags: Vec<String>,
}

impl BindingDef {
    /// A binding to one control.
    pub fn new(action: &str, input: DeviceInput) -> Self {
        Self::chord(action, [input])
    }

    /// A binding to several controls: a chord or components, see [`BindingSource::Inputs`].
    pub fn chord(action: &str, inputs: impl IntoIterator<Item = DeviceInput>) -> Self {
        Self::from(action, BindingSource::Inputs(inputs.into_iter().collect()))
    }

    /// A binding to a control for each direction.
    pub fn composite(action: &str, inputs: CompositeInputs) -> Self {
        Self::from(action, BindingSource::Composite(Box::new(inputs)))
    }

    /// Appends a modifier of the value.
    #[must_use]
    pub fn through(mut self, modifier: &str) -> Self {
        self.modifiers.push(modifier.to_owned());
        self
    }

    /// Sets the priority.
    #[must_use]
    pub fn priority(mut self, priority: i32) -> Self {
        self.priority = priority;
        self
    }

    /// Sets the hold threshold.
    #[must_use]
    pub fn held_for(mut self, threshold: Span) -> Self {
        self.hold_threshold = threshold;
        self
    }

    /// Forbids the player to change it.
    #[must_use]
    pub fn fixed(mut self) -> Self {
        self.rebindable = false;
        self
    }

    /// Adds a required tag.
    #[must_use]
    pub fn requires(mut self, tag: &str) -> Self {
        self.required_tags.push(tag.to_owned());
        self
    }

    /// A binding with default settings: no modifiers, no hold, rebindable.
    fn from(action: &str, source: BindingSource) -> Self {
        Self {
            action: action.to_owned(),
            source,
            modifiers: Vec::new(),
            priority: 0,
            hold_threshold: Span::ZERO,
            rebindable: true,
            required_tags: Vec::new(),
        }
    }
}

/// The bindings of an action set.
#[derive(Clone, PartialEq, Debug)]
pub struct InputMappingDef {
    /// The set, by name.
    pub action_set: String,
    /// Platform that it applies to; `None` for all.
    pub platform: Option<Platform>,
    /// The bindings. Several of one action are alternatives.
    pub bindings: Vec<BindingDef>,
}

impl InputMappingDef {
    /// An empty mapping for all platforms.
    pub fn new(action_set: &str) -> Self {
        Self { action_set: action_set.to_owned(), platform: None, bindings: Vec::new() }
    }

    /// Restricts the mapping to one platform.
    #[must_use]
    pub fn platform(mut self, platform: Platform) -> Self {
        self.platform = Some(platform);
        self
    }

    /// Adds a binding.
    #[must_use]
    pub fn bind(mut self, binding: BindingDef) -> Self {
        self.bindings.push(binding);
        self
    }
}

/// An action of draft 1's mapping (§11.2).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeyActionDef {
    /// The action, by name.
    pub action: String,
    /// The id that abilities are bound to; `None` for the action's name.
    pub input: Option<InputId>,
    /// Its keys, each an alternative.
    pub keys: Vec<String>,
}

/// Draft 1's mapping (§11.2): digital actions with their keys, in one set that is always active.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct KeyMappingDef {
    /// The actions.
    pub actions: Vec<KeyActionDef>,
}

impl KeyMappingDef {
    /// Adds an action.
    #[must_use]
    pub fn bind<'a>(mut self, action: &str, input: &str, keys: impl IntoIterator<Item = &'a str>) -> Self {
        self.actions.push(KeyActionDef {
            action: action.to_owned(),
            input: Some(InputId::new(input)),
            keys: keys.into_iter().map(str::to_owned).collect(),
        });
        self
    }

    /// Converts to the later drafts' definitions, with a set of the given name.
    pub fn lower(&self, set: &str) -> (Vec<InputActionDef>, InputActionSetDef, InputMappingDef) {
        let actions = self.actions.iter().map(|mapped| {
            let action = InputActionDef::digital(&mapped.action);
            match &mapped.input {
                Some(input) => action.input(input.as_str()),
                None => action,
            }
        });
        let bindings = self.actions.iter().flat_map(|mapped| {
            mapped.keys.iter().map(|key| BindingDef::new(&mapped.action, DeviceInput::from_key(key)))
        });
        let names = self.actions.iter().map(|mapped| mapped.action.as_str());
        (
            actions.collect(),
            InputActionSetDef::new(set, names),
            InputMappingDef { bindings: bindings.collect(), ..InputMappingDef::new(set) },
        )
    }
}
