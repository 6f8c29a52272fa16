//! The state machine from device events to signals (§11.1).

use std::collections::VecDeque;
use std::sync::Arc;

use super::modifier::{InputValue, finite};
use super::scheme::InputScheme;
use super::signal::{InputSignal, ReleaseCause};
use super::{DeviceInput, InputActionId, InputBufferConfig, InputId};
use crate::hash::{HashSink, StateHash};
use crate::tag::{TagRegistry, TagView};
use crate::time::{Span, Time};

/// Translates device events to signals of actions.
///
/// A state machine of plain data beside the simulation: the host feeds it device events and tags, each with
/// its time, and polls signals. Time never goes back; an earlier time counts as the last one. Signals carry
/// the instant at which they happened, so neither their order nor their times depend on how often
/// [`advance`](Self::advance) is called.
///
/// # Rules
///
/// - A set is active while all its required tags and none of its blocked ones are present. An active
///   exclusive set deactivates the others of the same or a lower priority that are not exclusive. Of several
///   active sets with the same action, the first by priority gives the bindings.
/// - Bindings see controls by rank: priority of the set, priority of the binding, length of the chord, length
///   of the hold, order of definition. A pressed binding of a consuming action hides its controls from those
///   after it, and releases those after it that were pressed before.
/// - A digital press is an edge: it begins only when a control is pressed, never because a set became active,
///   a longer chord ended or a mapping changed while a control was held. Axes are levels, and follow at once.
/// - A control is pressed from 0.5 on, a digital binding if that holds after its modifiers, an axis if it is
///   not 0.
/// - Of several bindings that move an action, the longest value counts.
/// - A value that is not finite counts as 0.
///
/// Controls that report movement, such as a mouse, have to report 0 when the movement is over.
#[derive(Clone, Debug)]
pub struct InputMapper {
    pub(super) scheme: Arc<InputScheme>,
    pub(super) now: Time,
    /// Control that each slot of the scheme is bound to; `None` if unbound.
    pub(super) slots: Vec<Option<DeviceInput>>,
    /// Every control that a slot is bound to, sorted.
    pub(super) controls: Vec<Control>,
    /// Index of the control of each slot; derived from the two above.
    pub(super) slot_controls: Vec<Option<u32>>,
    pub(super) bindings: Vec<BindingState>,
    pub(super) actions: Vec<ActionState>,
    /// Whether each tag of the scheme is present.
    pub(super) tags: Vec<bool>,
    /// Whether the host allows each set.
    pub(super) enabled: Vec<bool>,
    /// Whether each set is active; derived from the two above.
    pub(super) active: Vec<bool>,
    /// Set that gives each action its bindings; derived from the active sets.
    pub(super) owners: Vec<Option<u32>>,
    pub(super) signals: VecDeque<InputSignal>,
    /// Memory that the passes reuse, so that a warm mapper does not allocate.
    pub(super) scratch: Scratch,
}

#[derive(Clone, Debug, StateHash)]
pub(super) struct Control {
    pub(super) input: DeviceInput,
    pub(super) value: InputValue,
}

#[derive(Clone, Copy, Default, Debug, StateHash)]
pub(super) struct BindingState {
    /// Value after modifiers, regardless of claims of other bindings.
    pub(super) value: InputValue,
    /// Whether `value` counts as pressed.
    pub(super) level: bool,
    /// Time of the last change of `level`.
    pub(super) since: Time,
    pub(super) phase: Phase,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, StateHash)]
pub(super) enum Phase {
    #[default]
    Idle,
    /// Waiting for the hold threshold.
    Arming,
    Pressed,
}

#[derive(Clone, Copy, Default, Debug, StateHash)]
pub(super) struct ActionState {
    pub(super) pressed_at: Option<Time>,
    pub(super) value: InputValue,
    /// End of the last tap, for the second of a double tap.
    pub(super) tap_end: Option<Time>,
    /// Whether the present press began within the double tap window after a tap.
    pub(super) second: bool,
}

#[derive(Clone, Default, Debug)]
pub(super) struct Scratch {
    /// Whether each control is hidden from the bindings that follow in rank.
    pub(super) claimed: Vec<bool>,
    pub(super) outcomes: Vec<Outcome>,
}

/// Combined state of the bindings of an action in a pass.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Outcome {
    pub(super) pressed: bool,
    pub(super) value: InputValue,
    pub(super) length: f64,
    /// Cause of the release of a binding; `None` if none was released.
    pub(super) lost: Option<ReleaseCause>,
}

impl InputMapper {
    /// Creates a mapper with the scheme's default bindings, at time zero, with no tags and all controls at
    /// rest.
    pub fn new(scheme: Arc<InputScheme>) -> Self {
        let mut mapper = Self {
            now: Time::ZERO,
            slots: scheme.slots.iter().map(|slot| Some(slot.default.clone())).collect(),
            controls: Vec::new(),
            slot_controls: Vec::new(),
            bindings: vec![BindingState::default(); scheme.bindings.len()],
            actions: vec![ActionState::default(); scheme.actions.len()],
            tags: vec![false; scheme.tags.len()],
            enabled: vec![true; scheme.sets.len()],
            active: vec![false; scheme.sets.len()],
            owners: vec![None; scheme.actions.len()],
            signals: VecDeque::new(),
            scratch: Scratch::default(),
            scheme,
        };
        mapper.collect_controls();
        mapper.refresh_sets();
        mapper
    }

    /// The definitions it runs on.
    pub fn scheme(&self) -> &Arc<InputScheme> {
        &self.scheme
    }

    /// The latest time that was passed in.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Handles a device event: the new state of a control. A single number is the first axis, the rest are 0.
    ///
    /// A control without a binding is ignored.
    pub fn device_event(&mut self, now: Time, input: &DeviceInput, value: InputValue) {
        self.advance(now);
        let Ok(index) = self.controls.binary_search_by(|control| control.input.cmp(input)) else { return };
        let Some(control) = self.controls.get_mut(index) else { return };
        let value = finite(value);
        if control.value == value {
            return;
        }
        control.value = value;
        self.control_moved(index as u32);
    }

    /// Updates the tags. `is_held` is only called for the tags of [`InputScheme::tags`].
    pub fn tags(&mut self, now: Time, mut is_held: impl FnMut(&str) -> bool) {
        self.advance(now);
        let mut changed = false;
        for (held, name) in self.tags.iter_mut().zip(&self.scheme.tags) {
            let answer = is_held(name);
            changed |= *held != answer;
            *held = answer;
        }
        if changed {
            self.sets_changed();
        }
    }

    /// Updates the tags from a view such as a controller's. A tag that the registry does not know is absent.
    pub fn tags_in(&mut self, now: Time, registry: &TagRegistry, view: &impl TagView) {
        self.tags(now, |name| registry.id(name).is_some_and(|tag| view.matches(tag)));
    }

    /// Allows a set to be active, as all are initially. Returns whether there is such a set.
    pub fn enable_set(&mut self, now: Time, set: &str) -> bool {
        self.allow(now, set, Allowed::Yes)
    }

    /// Prevents a set from being active, whatever the tags. Returns whether there is such a set.
    pub fn disable_set(&mut self, now: Time, set: &str) -> bool {
        self.allow(now, set, Allowed::No)
    }

    /// Advances time: presses that reach their hold threshold begin.
    pub fn advance(&mut self, now: Time) {
        while let Some(due) = self.next_due().filter(|due| *due <= now) {
            self.now = self.now.max(due);
            self.settle(None);
        }
        self.now = self.now.max(now);
    }

    /// Sets all controls to rest and releases every action, for when the window loses focus or a gamepad is
    /// unplugged. Controls that are still held have to be released and pressed again.
    pub fn release_all(&mut self, now: Time) {
        self.advance(now);
        for control in &mut self.controls {
            control.value = [0.0; 3];
        }
        self.reset_bindings(|_| true);
        self.settle(Some(ReleaseCause::FocusLost));
    }

    /// The next signal, oldest first.
    pub fn poll(&mut self) -> Option<InputSignal> {
        self.signals.pop_front()
    }

    /// Whether an action is pressed.
    pub fn is_pressed(&self, action: InputActionId) -> bool {
        self.held_for(action).is_some()
    }

    /// How long an action has been pressed, if it is.
    pub fn held_for(&self, action: InputActionId) -> Option<Span> {
        self.actions.get(action.usize())?.pressed_at.map(|since| self.now.since(since))
    }

    /// The axes of an action; 0 while it is not pressed, and for digital actions.
    pub fn value(&self, action: InputActionId) -> InputValue {
        self.actions.get(action.usize()).map_or([0.0; 3], |action| action.value)
    }

    /// Whether a set is active.
    pub fn is_set_active(&self, set: &str) -> bool {
        self.scheme.sets.iter().zip(&self.active).any(|(known, active)| known.name == set && *active)
    }

    /// Input buffer configuration of an action (§11.3): that of its active set. `None` if it is in no active
    /// set; then no buffered input of it may be retried.
    pub fn buffer_config(&self, action: InputActionId) -> Option<InputBufferConfig> {
        let set = (*self.owners.get(action.usize())?)?;
        self.scheme.sets.get(set as usize).map(|set| set.buffer)
    }

    /// The input id of an action (§11.4 `GetInputIDForAction`).
    pub fn input_id_of(&self, action: &str) -> Option<&InputId> {
        self.scheme.input_id(self.scheme.action(action)?)
    }

    /// Enables or disables a set at `now`, after all hold thresholds before it; actions that lose their set
    /// are released. `false` if there is no such set.
    fn allow(&mut self, now: Time, set: &str, allowed: Allowed) -> bool {
        self.advance(now);
        let Some(index) = self.scheme.sets.iter().position(|known| known.name == set) else { return false };
        let allowed = allowed == Allowed::Yes;
        if let Some(enabled) = self.enabled.get_mut(index)
            && *enabled != allowed
        {
            *enabled = allowed;
            self.sets_changed();
        }
        true
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Allowed {
    Yes,
    No,
}

impl StateHash for InputMapper {
    /// Hashes the state and the signals not yet polled, but neither the scheme nor derived fields.
    fn state_hash<S: HashSink>(&self, hasher: &mut S) {
        let Self {
            scheme: _,
            now,
            slots,
            controls,
            slot_controls: _,
            bindings,
            actions,
            tags,
            enabled,
            active: _,
            owners: _,
            signals,
            scratch: _,
        } = self;
        now.state_hash(hasher);
        slots.state_hash(hasher);
        controls.state_hash(hasher);
        bindings.state_hash(hasher);
        actions.state_hash(hasher);
        tags.state_hash(hasher);
        enabled.state_hash(hasher);
        (signals.len() as u64).state_hash(hasher);
        for signal in signals {
            signal.state_hash(hasher);
        }
    }
}
