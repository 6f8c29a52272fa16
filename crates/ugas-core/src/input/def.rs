//! Input as it is written down: actions, sets of them, and the controls that they are bound to (§11.2).
//!
//! Names are text here; [`super::InputScheme`] resolves them.

use super::{DeviceInput, InputBufferConfig, InputId, Platform};
use crate::time::Span;

/// What an action's value is.
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
    /// How many numbers a value has.
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
    /// When the player lets go.
    OnReleased,
    /// When pressed, to last until released. It fires once: a signal a frame would depend on the length of frames.
    WhileHeld,
    /// When the player lets go in time: a press no longer than the tap threshold.
    OnTap,
    /// When a second tap ends that began soon enough after the end of the first.
    OnDoubleTap,
}

/// An input action: what a player can mean, whatever the device.
#[derive(Clone, PartialEq, Debug)]
pub struct InputActionDef {
    /// Unique name.
    pub name: String,
    /// The id that abilities are bound to. The later drafts make it the name; draft 1 has it apart.
    pub input: InputId,
    /// What its value is.
    pub value_type: ValueType,
    /// When it fires.
    pub trigger: TriggerBehavior,
    /// The longest tap.
    pub tap_threshold: Span,
    /// The longest time from the end of a tap to the beginning of the next.
    pub double_tap_window: Span,
    /// Whether bindings of lower rank do not see the controls that it uses.
    pub consume: bool,
    /// Tags that describe it.
    pub tags: Vec<String>,
}

impl InputActionDef {
    /// An action with the later drafts' defaults: fires when pressed, taps of 0.2 s, 0.3 s between them, consuming.
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

    /// A button.
    pub fn digital(name: &str) -> Self {
        Self::new(name, ValueType::Digital)
    }

    /// Reaches abilities under another id than its name.
    #[must_use]
    pub fn input(mut self, input: &str) -> Self {
        self.input = InputId::new(input);
        self
    }

    /// Fires at another moment.
    #[must_use]
    pub fn fires(mut self, trigger: TriggerBehavior) -> Self {
        self.trigger = trigger;
        self
    }

    /// Leaves the controls to others too.
    #[must_use]
    pub fn shared(mut self) -> Self {
        self.consume = false;
        self
    }
}

/// Actions that are active together.
#[derive(Clone, PartialEq, Debug)]
pub struct InputActionSetDef {
    /// Unique name.
    pub name: String,
    /// Its actions, by name.
    pub actions: Vec<String>,
    /// Rank among sets; the higher sees controls first, and wins an action that both have.
    pub priority: i32,
    /// Tags that must all be there for the set to be active.
    pub required_tags: Vec<String>,
    /// Tags of which none may be there.
    pub blocked_tags: Vec<String>,
    /// Whether it switches off other sets of the same or a lower priority, unless they are exclusive too.
    pub exclusive: bool,
    /// How inputs of its actions are kept (§11.3).
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

    /// Ranks the set.
    #[must_use]
    pub fn priority(mut self, priority: i32) -> Self {
        self.priority = priority;
        self
    }

    /// Is active only with this tag.
    #[must_use]
    pub fn requires(mut self, tag: &str) -> Self {
        self.required_tags.push(tag.to_owned());
        self
    }

    /// Is active only without this tag.
    #[must_use]
    pub fn blocked_by(mut self, tag: &str) -> Self {
        self.blocked_tags.push(tag.to_owned());
        self
    }

    /// Switches others off while it is active.
    #[must_use]
    pub fn exclusive(mut self) -> Self {
        self.exclusive = true;
        self
    }

    /// Keeps inputs for a moment.
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
    /// Takes from the second axis.
    pub down: Option<DeviceInput>,
    /// Takes from the first axis.
    pub left: Option<DeviceInput>,
    /// Adds to the first axis.
    pub right: Option<DeviceInput>,
    /// Adds to the third axis; to the second where there are only two.
    pub forward: Option<DeviceInput>,
    /// Takes from the third axis; from the second where there are only two.
    pub backward: Option<DeviceInput>,
}

/// Where a binding's value comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BindingSource {
    /// One control; or several.
    ///
    /// Several are a chord for a digital or one-dimensional action: all must be held at once, and the last gives the
    /// value. For an action of two or three axes they are its components, in order, as the sample packs have it.
    Inputs(Vec<DeviceInput>),
    /// A control for each direction. All axes of a one-dimensional or digital action are added up.
    Composite(Box<CompositeInputs>),
}

/// Which controls mean an action.
#[derive(Clone, PartialEq, Debug)]
pub struct BindingDef {
    /// The action, by name.
    pub action: String,
    /// The controls.
    pub source: BindingSource,
    /// Modifiers of the value, by name, in order.
    pub modifiers: Vec<String>,
    /// Rank among the bindings of the set.
    pub priority: i32,
    /// How long the controls must be held before the action is pressed.
    pub hold_threshold: Span,
    /// Whether a player may change it (§11.4).
    pub rebindable: bool,
    /// Tags that must all be there for the binding to work.
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

    /// Sends the value through a modifier, after those already there.
    #[must_use]
    pub fn through(mut self, modifier: &str) -> Self {
        self.modifiers.push(modifier.to_owned());
        self
    }

    /// Ranks the binding.
    #[must_use]
    pub fn priority(mut self, priority: i32) -> Self {
        self.priority = priority;
        self
    }

    /// Must be held for so long.
    #[must_use]
    pub fn held_for(mut self, threshold: Span) -> Self {
        self.hold_threshold = threshold;
        self
    }

    /// Cannot be changed by the player.
    #[must_use]
    pub fn fixed(mut self) -> Self {
        self.rebindable = false;
        self
    }

    /// Works only with this tag.
    #[must_use]
    pub fn requires(mut self, tag: &str) -> Self {
        self.required_tags.push(tag.to_owned());
        self
    }

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

/// Which controls mean the actions of a set.
#[derive(Clone, PartialEq, Debug)]
pub struct InputMappingDef {
    /// The set, by name.
    pub action_set: String,
    /// Where it is for; everywhere if it does not say.
    pub platform: Option<Platform>,
    /// The bindings. Several of one action are alternatives.
    pub bindings: Vec<BindingDef>,
}

impl InputMappingDef {
    /// An empty mapping for all platforms.
    pub fn new(action_set: &str) -> Self {
        Self { action_set: action_set.to_owned(), platform: None, bindings: Vec::new() }
    }

    /// Is for one platform only.
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
    /// The id that abilities are bound to; the action's name if it does not say.
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

    /// The same in the later drafts' terms, with a set of the given name.
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
