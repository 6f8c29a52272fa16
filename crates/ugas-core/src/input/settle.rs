//! Update pass of the mapper: active sets, pressed bindings, and signals of actions.

use super::DeviceInput;
use super::def::{TriggerBehavior, ValueType};
use super::mapper::{BindingState, Control, InputMapper, Outcome, Phase};
use super::modifier::{InputValue, finite, length};
use super::scheme::{Binding, BindingPart, InputActionId, InputScheme, Shape};
use super::signal::{InputSignal, InputSignalKind, ReleaseCause};
use crate::time::Time;

/// Value from which a control or a digital action counts as pressed.
const PRESS: f64 = 0.5;

impl InputMapper {
    /// Rebuilds the table of controls from the slots. Controls that stay keep their values.
    pub(super) fn collect_controls(&mut self) {
        let mut inputs: Vec<_> = self.slots.iter().flatten().cloned().collect();
        inputs.sort();
        inputs.dedup();
        let old = core::mem::take(&mut self.controls);
        let value_of = |input: &DeviceInput| {
            old.binary_search_by(|control| control.input.cmp(input))
                .ok()
                .and_then(|index| old.get(index))
                .map_or([0.0; 3], |control| control.value)
        };
        self.controls = inputs
            .into_iter()
            .map(|input| {
                let value = value_of(&input);
                Control { input, value }
            })
            .collect();
        let index_of = |input: &DeviceInput| {
            let index = self.controls.binary_search_by(|control| control.input.cmp(input)).ok()?;
            u32::try_from(index).ok()
        };
        self.slot_controls = self.slots.iter().map(|slot| index_of(slot.as_ref()?)).collect();
    }

    /// Recomputes the active sets, and the set that gives each action its bindings.
    pub(super) fn refresh_sets(&mut self) {
        let scheme = &self.scheme;
        let held = |tag: &u32| self.tags.get(*tag as usize).copied().unwrap_or(false);
        for ((set, active), enabled) in scheme.sets.iter().zip(&mut self.active).zip(&self.enabled) {
            *active = *enabled && set.required.iter().all(held) && !set.blocked.iter().any(held);
        }
        // Sets are sorted by descending priority, so the first active exclusive one affects the most.
        let reach = scheme.sets.iter().zip(&self.active).find(|(set, active)| set.exclusive && **active);
        if let Some((reach, _)) = reach {
            for (set, active) in scheme.sets.iter().zip(&mut self.active) {
                *active &= set.exclusive || set.priority > reach.priority;
            }
        }
        self.owners.fill(None);
        for ((index, set), active) in (0u32..).zip(&scheme.sets).zip(&self.active) {
            if !*active {
                continue;
            }
            for action in &set.actions {
                if let Some(owner) = self.owners.get_mut(action.usize()) {
                    owner.get_or_insert(index);
                }
            }
        }
    }

    /// Handles a change of tags or of the sets that the host allows.
    pub(super) fn sets_changed(&mut self) {
        self.refresh_sets();
        self.settle(None);
    }

    /// Handles a new value of a control: the only change that begins a digital press.
    pub(super) fn control_moved(&mut self, control: u32) {
        let scheme = self.scheme.clone();
        for (index, binding) in scheme.bindings.iter().enumerate() {
            if !self.controls_of(binding).any(|used| used == control) {
                continue;
            }
            let value = self.value_of(&scheme, binding, Claims::Ignored);
            let level = counts_as_pressed(&scheme, binding, value);
            if let Some(state) = self.bindings.get_mut(index) {
                state.value = value;
                if level && !state.level {
                    state.since = self.now;
                    // Provisional: the following pass keeps or rejects it.
                    state.phase = Phase::Arming;
                }
                state.level = level;
            }
        }
        self.settle(None);
    }

    /// Resets some bindings: none is pressed, and controls that are held do not count as an edge.
    pub(super) fn reset_bindings(&mut self, is_meant: impl Fn(&Binding) -> bool) {
        let scheme = self.scheme.clone();
        for (index, binding) in scheme.bindings.iter().enumerate().filter(|(_, binding)| is_meant(binding)) {
            let value = self.value_of(&scheme, binding, Claims::Ignored);
            let level = counts_as_pressed(&scheme, binding, value);
            if let Some(state) = self.bindings.get_mut(index) {
                *state = BindingState { value, level, since: self.now, phase: Phase::Idle };
            }
        }
    }

    /// Time at which the next hold threshold is reached; `None` if no binding is being held towards one.
    pub(super) fn next_due(&self) -> Option<Time> {
        let pairs = self.scheme.bindings.iter().zip(&self.bindings);
        let arming = pairs.filter(|(_, state)| state.phase == Phase::Arming);
        arming.map(|(binding, state)| state.since + binding.hold).min()
    }

    /// Runs one pass over all bindings by rank, then over all actions, and emits signals for all changes.
    ///
    /// Actions that are released in it have the cause `forced`, if there is one.
    pub(super) fn settle(&mut self, forced: Option<ReleaseCause>) {
        let scheme = self.scheme.clone();
        self.scratch.claimed.clear();
        self.scratch.claimed.resize(self.controls.len(), false);
        self.scratch.outcomes.clear();
        self.scratch.outcomes.resize(scheme.actions.len(), Outcome::default());
        for (index, binding) in scheme.bindings.iter().enumerate() {
            self.settle_binding(&scheme, index, binding);
        }
        // Releases first: an action begins after the one that it displaced has ended.
        for action in scheme.actions() {
            self.let_go(&scheme, action, forced);
        }
        for action in scheme.actions() {
            self.take_up(&scheme, action);
        }
    }

    /// Updates the phase of a binding and adds it to the outcome of its action. A pressed binding of a
    /// consuming action claims its controls, which hides them from bindings of lower rank.
    fn settle_binding(&mut self, scheme: &InputScheme, index: usize, binding: &Binding) {
        let Some(mut state) = self.bindings.get(index).copied() else { return };
        let Some(action) = scheme.actions.get(binding.action.usize()) else { return };
        let applies = self.owners.get(binding.action.usize()).copied().flatten() == Some(binding.set)
            && binding.required.iter().all(|tag| self.tags.get(*tag as usize).copied().unwrap_or(false));
        let was_pressed = state.phase == Phase::Pressed;
        // A hidden control disables a whole chord; in other bindings only the hidden controls count as at
        // rest.
        let hidden = self.controls_of(binding).any(|control| self.is_claimed(control));
        let (value, held) = match (hidden, binding.shape) {
            (false, _) => (state.value, state.level),
            (true, Shape::Chord) => ([0.0; 3], false),
            (true, Shape::Components | Shape::Composite) => {
                let value = self.value_of(scheme, binding, Claims::Respected);
                (value, counts_as_pressed(scheme, binding, value))
            }
        };
        let due = self.now >= state.since + binding.hold;
        state.phase = match (applies && held, action.value_type, state.phase) {
            (false, _, _) | (true, ValueType::Digital, Phase::Idle) => Phase::Idle,
            (true, ValueType::Digital, Phase::Pressed) => Phase::Pressed,
            (true, _, _) if due => Phase::Pressed,
            (true, _, _) => Phase::Arming,
        };
        let pressed = state.phase == Phase::Pressed;
        if pressed && action.consume {
            self.claim(binding);
        }
        if let Some(outcome) = self.scratch.outcomes.get_mut(binding.action.usize()) {
            if pressed {
                let length = length(value);
                if !outcome.pressed || length > outcome.length {
                    (outcome.value, outcome.length) = (value, length);
                }
                outcome.pressed = true;
            } else if was_pressed {
                let cause = if !state.level {
                    ReleaseCause::LetGo
                } else if applies {
                    ReleaseCause::Displaced
                } else {
                    ReleaseCause::Inactive
                };
                // If the player released one binding, the cause is that release, whatever became of another.
                if outcome.lost.is_none() || cause == ReleaseCause::LetGo {
                    outcome.lost = Some(cause);
                }
            }
        }
        if let Some(stored) = self.bindings.get_mut(index) {
            *stored = state;
        }
    }

    /// Releases an action of which no binding is pressed any more: emits its signals and remembers a tap for
    /// double taps. Only a release by the player, `LetGo`, can trigger the action.
    fn let_go(&mut self, scheme: &InputScheme, id: InputActionId, forced: Option<ReleaseCause>) {
        let (Some(action), Some(state)) =
            (scheme.actions.get(id.usize()), self.actions.get(id.usize()).copied())
        else {
            return;
        };
        let outcome = self.scratch.outcomes.get(id.usize()).copied().unwrap_or_default();
        let Some(since) = state.pressed_at.filter(|_| !outcome.pressed) else { return };
        let held = self.now.since(since);
        let cause = forced.or(outcome.lost).unwrap_or(ReleaseCause::Inactive);
        let meant = cause == ReleaseCause::LetGo;
        let tapped = meant && held <= action.tap_threshold;
        let fires = match action.trigger {
            TriggerBehavior::OnPressed | TriggerBehavior::WhileHeld => false,
            TriggerBehavior::OnReleased => meant,
            TriggerBehavior::OnTap => tapped,
            TriggerBehavior::OnDoubleTap => tapped && state.second,
        };
        if state.value != [0.0; 3] {
            self.signal(scheme, id, InputSignalKind::Value([0.0; 3]));
        }
        if fires {
            self.signal(scheme, id, InputSignalKind::Triggered);
        }
        self.signal(scheme, id, InputSignalKind::Released { held, cause });
        if let Some(state) = self.actions.get_mut(id.usize()) {
            state.pressed_at = None;
            state.value = [0.0; 3];
            // A tap that completed a double tap is not the first of another.
            state.tap_end = (tapped && !state.second).then_some(self.now);
            state.second = false;
        }
    }

    /// Emits a press, its trigger, and changes of the value for an action that a binding presses.
    fn take_up(&mut self, scheme: &InputScheme, id: InputActionId) {
        let (Some(action), Some(state)) =
            (scheme.actions.get(id.usize()), self.actions.get(id.usize()).copied())
        else {
            return;
        };
        let outcome = self.scratch.outcomes.get(id.usize()).copied().unwrap_or_default();
        if !outcome.pressed {
            return;
        }
        if state.pressed_at.is_none() {
            self.signal(scheme, id, InputSignalKind::Pressed);
            if matches!(action.trigger, TriggerBehavior::OnPressed | TriggerBehavior::WhileHeld) {
                self.signal(scheme, id, InputSignalKind::Triggered);
            }
            let now = self.now;
            if let Some(state) = self.actions.get_mut(id.usize()) {
                state.pressed_at = Some(now);
                state.second = state.tap_end.is_some_and(|end| now.since(end) <= action.double_tap_window);
            }
        }
        if action.value_type != ValueType::Digital && state.value != outcome.value {
            self.signal(scheme, id, InputSignalKind::Value(outcome.value));
            if let Some(state) = self.actions.get_mut(id.usize()) {
                state.value = outcome.value;
            }
        }
    }

    /// Queues a signal of an action at the current time.
    fn signal(&mut self, scheme: &InputScheme, action: InputActionId, kind: InputSignalKind) {
        if let Some(input) = scheme.input_id(action) {
            self.signals.push_back(InputSignal { time: self.now, action, input: input.clone(), kind });
        }
    }

    /// The value of a binding after its modifiers.
    fn value_of(&self, scheme: &InputScheme, binding: &Binding, claims: Claims) -> InputValue {
        let Some(action) = scheme.actions.get(binding.action.usize()) else { return [0.0; 3] };
        let axes = action.value_type.axes();
        let mut value = match binding.shape {
            Shape::Chord => self.chord(binding),
            Shape::Components | Shape::Composite => {
                let mut sum = [0.0; 3];
                for slot in binding.slots.clone() {
                    let Some(part) = scheme.slots.get(slot as usize).map(|slot| slot.part) else { continue };
                    let [first, ..] = self.slot_value(slot, claims);
                    let (axis, sign) = direction(part, action.value_type);
                    if let Some(total) = sum.get_mut(axis) {
                        *total += sign * first;
                    }
                }
                finite(sum)
            }
        };
        let modifiers = binding.modifiers.iter();
        for modifier in modifiers.filter_map(|index| scheme.modifiers.get(*index as usize)) {
            value = modifier.apply(value);
        }
        for missing in value.iter_mut().skip(axes) {
            *missing = 0.0;
        }
        value
    }

    /// The value of the last control, if all before it are held; otherwise 0.
    fn chord(&self, binding: &Binding) -> InputValue {
        let mut value = [0.0; 3];
        for slot in binding.slots.clone() {
            value = self.slot_value(slot, Claims::Ignored);
            let is_last = slot + 1 == binding.slots.end;
            if !is_last && value.iter().all(|axis| axis.abs() < PRESS) {
                return [0.0; 3];
            }
        }
        value
    }

    /// Value of the control of a slot. Zero if the slot is unbound, or if claims are respected and the
    /// control is claimed.
    fn slot_value(&self, slot: u32, claims: Claims) -> InputValue {
        let Some(control) = self.slot_controls.get(slot as usize).copied().flatten() else { return [0.0; 3] };
        if claims == Claims::Respected && self.is_claimed(control) {
            return [0.0; 3];
        }
        self.controls.get(control as usize).map_or([0.0; 3], |control| control.value)
    }

    /// Indices of the controls of a binding, without unbound slots.
    fn controls_of(&self, binding: &Binding) -> impl Iterator<Item = u32> {
        let range = binding.slots.start as usize..binding.slots.end as usize;
        self.slot_controls.get(range).unwrap_or(&[]).iter().copied().flatten()
    }

    /// Whether a binding of higher rank has claimed the control in this pass.
    fn is_claimed(&self, control: u32) -> bool {
        self.scratch.claimed.get(control as usize).copied().unwrap_or(false)
    }

    /// Claims the controls that the binding uses, except those at rest: bindings of lower rank do not see
    /// them in this pass.
    fn claim(&mut self, binding: &Binding) {
        let range = binding.slots.start as usize..binding.slots.end as usize;
        let used = self.slot_controls.get(range).unwrap_or(&[]).iter().copied().flatten();
        for control in used {
            let moved = self.controls.get(control as usize).is_some_and(|control| control.value != [0.0; 3]);
            if let Some(claimed) = self.scratch.claimed.get_mut(control as usize) {
                *claimed |= moved;
            }
        }
    }
}

/// Whether controls that a binding of higher rank uses count as at rest.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Claims {
    Ignored,
    Respected,
}

/// Whether a value presses its binding: digital actions from the press threshold on, others with any value
/// but 0.
fn counts_as_pressed(scheme: &InputScheme, binding: &Binding, value: InputValue) -> bool {
    match scheme.actions.get(binding.action.usize()).map(|action| action.value_type) {
        Some(ValueType::Digital) => value.iter().any(|axis| axis.abs() >= PRESS),
        Some(_) => value != [0.0; 3],
        None => false,
    }
}

/// Axis and sign of a part. The last axis stands in for missing ones; a button has no direction.
fn direction(part: BindingPart, value_type: ValueType) -> (usize, f64) {
    let (axis, sign) = match part {
        BindingPart::Input(position) => (position as usize, 1.0),
        BindingPart::Right => (0, 1.0),
        BindingPart::Left => (0, -1.0),
        BindingPart::Up => (1, 1.0),
        BindingPart::Down => (1, -1.0),
        BindingPart::Forward => (2, 1.0),
        BindingPart::Backward => (2, -1.0),
    };
    let sign = if value_type == ValueType::Digital { 1.0 } else { sign };
    (axis.min(value_type.axes() - 1), sign)
}
