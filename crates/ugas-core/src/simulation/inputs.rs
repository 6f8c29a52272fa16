//! Input (§11): presses and releases, the abilities that they activate, and the input buffer.

use smallvec::SmallVec;

use super::Simulation;
use super::ability::ActivationRequest;
use super::cascade::Consequence;
use super::state::Role;
use crate::ability::{AbilityDef, ActivationRefusal, NetExecution};
use crate::codec::StateRecord;
use crate::controller::index::AbilityKey;
use crate::effect::PredictionKey;
use crate::event::{Cause, EventKind};
use crate::handle::{ActivationId, ControllerId, GrantedAbilityId};
use crate::input::{BufferedInput, InputBufferConfig, InputId};
use crate::refusal::{Limit, RefusalReason};
use crate::targeting::TargetData;
use crate::task::Subject;
use crate::time::{Span, Time};

/// Result of a press.
#[derive(Clone, PartialEq, Debug)]
pub enum PressOutcome {
    /// The press activated at least one ability; holds the activation of the first.
    Activated(ActivationId),
    /// A task that waited for the input consumed the press.
    Consumed,
    /// The press came too early and is buffered (§11.3); holds the refusal of the first bound ability (A13).
    Buffered(ActivationRefusal),
    /// No ability is bound to the input.
    Unbound,
    /// No bound ability can be activated; holds the refusal of the first (A13).
    Refused(ActivationRefusal),
}

/// Abilities of a press that are still to be tried: each is checked after all consequences of the one before
/// (A13).
#[derive(Clone, Debug)]
pub(super) struct PendingPress {
    handles: SmallVec<[GrantedAbilityId; 2]>,
    targets: TargetData,
    cause: Cause,
    prediction: Option<PredictionKey>,
}

/// The state of one input of a controller.
#[derive(Clone, PartialEq, Debug, StateRecord)]
pub(crate) struct InputState {
    pub(crate) input: InputId,
    pub(crate) pressed: Time,
    /// Time of the last release; `None` while the input is held.
    pub(crate) released: Option<Time>,
}

impl Simulation {
    /// Presses an input (§11.1). Tasks that wait for it continue; otherwise every bound ability is tried, in
    /// the order of granting (A13).
    ///
    /// # Errors
    /// If the controller does not exist (any more), is inactive (K1), or holds too many inputs.
    pub fn press(
        &mut self,
        controller: ControllerId,
        input: impl Into<InputId>,
    ) -> Result<PressOutcome, RefusalReason> {
        self.press_at(controller, input, TargetData::default())
    }

    /// Presses an input with targets: every ability that the press activates gets them. A buffered press
    /// keeps them (§11.3).
    ///
    /// # Errors
    /// If the controller does not exist (any more), is inactive (K1), or holds too many inputs, a target is
    /// not finite, or there are too many targets.
    pub fn press_at(
        &mut self,
        controller: ControllerId,
        input: impl Into<InputId>,
        targets: TargetData,
    ) -> Result<PressOutcome, RefusalReason> {
        let input = input.into();
        self.check_active(controller)?;
        if targets.check().is_err() {
            return Err(RefusalReason::NonFinite { modifier: None, attribute: None });
        }
        self.check_targets(&targets).map_err(RefusalReason::LimitReached)?;
        self.make_room_for(controller, &input).map_err(RefusalReason::LimitReached)?;
        Ok(self.operate(|sim| sim.press_one(controller, input, targets)))
    }

    /// Releases an input; false if it was not held.
    ///
    /// # Errors
    /// If the controller does not exist (any more) or is inactive (K1).
    pub fn release(
        &mut self,
        controller: ControllerId,
        input: impl Into<InputId>,
    ) -> Result<bool, RefusalReason> {
        let input = input.into();
        self.check_active(controller)?;
        let now = self.state.now;
        let Some(known) = self.state.controllers.get_mut(controller) else {
            return Err(RefusalReason::UnknownController(controller));
        };
        let inputs =
            known.ability_data.get_mut().into_iter().flat_map(|ability_data| &mut ability_data.inputs);
        let held = inputs.into_iter().find(|state| state.input == input && state.released.is_none());
        let Some(state) = held else { return Ok(false) };
        state.released = Some(now);
        let held = now.since(state.pressed);
        self.operate(|sim| sim.emit(EventKind::InputReleased { controller, input, held }));
        Ok(true)
    }

    /// Time for which an input has been held; `None` if it is not held.
    pub fn held(&self, controller: ControllerId, input: &InputId) -> Option<Span> {
        let controller = self.state.controllers.get(controller)?;
        let state = controller.ability_data.inputs.iter().find(|state| state.input == *input)?;
        state.released.is_none().then(|| self.state.now.since(state.pressed))
    }

    /// Confirms every task of the controller that waits for a confirmation.
    ///
    /// # Errors
    /// If the controller does not exist (any more) or is inactive (K1).
    pub fn confirm(&mut self, controller: ControllerId) -> Result<(), RefusalReason> {
        self.check_active(controller)?;
        self.operate(|sim| sim.emit(EventKind::Confirmed { controller }));
        Ok(())
    }

    /// Declines every task of the controller that waits for a confirmation: its ability is cancelled.
    ///
    /// # Errors
    /// If the controller does not exist (any more) or is inactive (K1).
    pub fn decline(&mut self, controller: ControllerId) -> Result<(), RefusalReason> {
        self.check_active(controller)?;
        self.operate(|sim| sim.emit(EventKind::Declined { controller }));
        Ok(())
    }

    /// Sets the input buffer of a controller, in place of the catalog's setting (§11.3).
    ///
    /// # Errors
    /// If the controller does not exist (any more), or the buffer is larger than the limit on held inputs
    /// ([`Config::max_inputs_per_controller`](super::Config::max_inputs_per_controller)).
    pub fn set_input_buffer(
        &mut self,
        controller: ControllerId,
        config: InputBufferConfig,
    ) -> Result<(), RefusalReason> {
        self.check_input_buffer(&config).map_err(RefusalReason::LimitReached)?;
        let known = self.state.controllers.get_mut(controller);
        let known = known.ok_or(RefusalReason::UnknownController(controller))?;
        known.buffer.set_config(config);
        Ok(())
    }

    /// Makes room for an input in the list of a controller. At the limit, the entry of the input that was
    /// released first is removed. Fails if all listed inputs are held, or the name is too long.
    fn make_room_for(&mut self, controller: ControllerId, input: &InputId) -> Result<(), Limit> {
        self.check_name(input.as_str())?;
        let most = self.config.max_inputs_per_controller as usize;
        let Some(known) = self.state.controllers.get_mut(controller) else { return Ok(()) };
        if known.ability_data.inputs.len() < most
            || known.ability_data.inputs.iter().any(|state| state.input == *input)
        {
            return Ok(());
        }
        let released = |(at, state): (usize, &InputState)| Some((state.released?, at));
        let (_, oldest) = known
            .ability_data
            .inputs
            .iter()
            .enumerate()
            .filter_map(released)
            .min()
            .ok_or(Limit::InputsPerController)?;
        known.ability_data.make_mut().inputs.remove(oldest);
        Ok(())
    }

    /// Presses an input: marks it as held and emits `InputPressed`. A waiting task consumes the press;
    /// otherwise the bound abilities are tried, and a press that is only blocked is buffered (§11.3).
    fn press_one(&mut self, controller: ControllerId, input: InputId, targets: TargetData) -> PressOutcome {
        let (now, cause) = (self.state.now, self.scratch.current.prediction());
        if let Some(known) = self.state.controllers.get_mut(controller) {
            let inputs = &mut known.ability_data.make_mut().inputs;
            match inputs.iter_mut().find(|state| state.input == input) {
                Some(state) => (state.pressed, state.released) = (now, None),
                None => inputs.push(InputState { input: input.clone(), pressed: now, released: None }),
            }
        }
        let event = EventKind::InputPressed { controller, input: input.clone() };
        let consumed = self.is_awaited(controller, &event);
        self.emit(event);
        if consumed {
            return PressOutcome::Consumed;
        }
        match self.try_input(controller, &input, &targets) {
            Ok(Some(activation)) => PressOutcome::Activated(activation),
            Ok(None) => PressOutcome::Unbound,
            Err(refusal) => {
                let is_blocked = self.is_blocked(controller, &input, &targets);
                let window = self.buffer_window(controller);
                let Some(known) = self.state.controllers.get_mut(controller) else {
                    return PressOutcome::Refused(refusal);
                };
                let config = known.buffer.config();
                if !is_blocked || !config.enabled || config.size == 0 || window.is_none() {
                    return PressOutcome::Refused(refusal);
                }
                known.buffer.keep(BufferedInput {
                    input: input.clone(),
                    timestamp: now,
                    prediction: cause,
                    targets,
                });
                self.emit(EventKind::InputBuffered { controller, input });
                PressOutcome::Buffered(refusal)
            }
        }
    }

    /// Whether a task waits for this event, an `InputPressed`.
    fn is_awaited(&self, controller: ControllerId, event: &EventKind) -> bool {
        let Some(known) = self.state.controllers.get(controller) else { return false };
        known.ability_data.subscriptions.entries_for(Subject::InputPressed).iter().any(|&(.., task)| {
            self.is_listening(task) && !matches!(self.match_event(task, event), super::waits::WaitMatch::No)
        })
    }

    /// Abilities bound to an input, in the order of granting.
    fn bound_to(&self, controller: ControllerId, input: &InputId) -> SmallVec<[GrantedAbilityId; 2]> {
        let Some(known) = self.state.controllers.get(controller) else { return SmallVec::new() };
        // Two input names may have the same hash.
        let is_bound = |handle: &GrantedAbilityId| {
            self.granted(*handle).is_some_and(|(granted, ability)| {
                granted.input.as_ref() == Some(input) && self.may_be_pressed(&ability.def)
            })
        };
        let candidates = known.ability_data.ability_index.entries_for(AbilityKey::input(input)).iter();
        candidates.map(|&(.., handle)| handle).filter(is_bound).collect()
    }

    /// Whether a press may activate an ability here. On a server a press comes from a client, and must not
    /// activate an ability that a client may not activate (§13.7); a client predicts with the same rule.
    fn may_be_pressed(&self, ability: &AbilityDef) -> bool {
        let key = self.scratch.current.ambient.or(self.scratch.current.prediction());
        let is_predicted = self.is_client() && key.is_some();
        match self.config.role {
            Role::Authority => true,
            Role::Client | Role::Server => {
                ability.net_security.client_may_begin()
                    && !(is_predicted && ability.net_execution == NetExecution::LocalOnly)
            }
        }
    }

    /// §11.3 TryActivateAbilityByInputID for every ability bound to the input, in the order of granting
    /// (A13): returns the first activation, or the first refusal, whose event is emitted only if none was
    /// activated. `None` if nothing is bound to the input. After an activation the others wait in
    /// `Scratch::presses`, except inside a batch.
    fn try_input(
        &mut self,
        controller: ControllerId,
        input: &InputId,
        targets: &TargetData,
    ) -> Result<Option<ActivationId>, ActivationRefusal> {
        let mut begun = None;
        let mut refused: Option<(ActivationRefusal, bool)> = None;
        let (outer, cause) = (self.scratch.current.cause(), self.scratch.current.prediction());
        let handles = self.bound_to(controller, input);
        for (at, &handle) in handles.iter().enumerate() {
            self.scratch.current.set_cause_and_prediction(outer, cause);
            let request = ActivationRequest::on(targets.clone());
            if !self.is_ready_with(handle, &request) {
                if refused.is_none() {
                    refused = Some((self.refusal(handle, &request), false));
                }
                continue;
            }
            // A refusal from here on has emitted its event.
            let prediction = self.dependent_key(cause, handle);
            match self.activate_ready(handle, ActivationRequest { prediction, ..request }) {
                Ok(activation) => {
                    begun = begun.or(Some(activation));
                    // The first steps of the ability may block or enable the next one. Nothing settles inside
                    // a batch.
                    if self.scratch.current.batch_depth == 0 {
                        let targets = targets.clone();
                        self.try_later(&handles[at + 1..], targets, outer, cause);
                        break;
                    }
                }
                Err(refusal) if refused.is_none() => refused = Some((refusal, true)),
                Err(_) => {}
            }
        }
        match (begun, refused) {
            (Some(begun), _) => Ok(Some(begun)),
            (None, Some((refusal, already_emitted))) => {
                if !already_emitted {
                    self.emit_activation_refusal(&refusal);
                }
                Err(refusal)
            }
            (None, None) => Ok(None),
        }
    }

    /// Tries the remaining abilities of a press that has already activated one: refusals are not reported.
    pub(super) fn try_next(&mut self, press: PendingPress) {
        let PendingPress { handles, targets, cause, prediction } = press;
        for (at, &handle) in handles.iter().enumerate() {
            self.scratch.current.set_cause_and_prediction(cause, prediction);
            let mut request = ActivationRequest::on(targets.clone());
            if !self.is_ready_with(handle, &request) {
                continue;
            }
            request.prediction = self.dependent_key(prediction, handle);
            if self.activate_ready(handle, request).is_ok() {
                self.try_later(&handles[at + 1..], targets, cause, prediction);
                break;
            }
        }
    }

    /// Queues the remaining abilities of a press, to be tried once all consequences have run (A13).
    fn try_later(
        &mut self,
        handles: &[GrantedAbilityId],
        targets: TargetData,
        cause: Cause,
        prediction: Option<PredictionKey>,
    ) {
        if !handles.is_empty() {
            let handles = SmallVec::from_slice(handles);
            self.scratch.cascade.presses.push_back(PendingPress { handles, targets, cause, prediction });
        }
    }

    /// Whether an ability bound to an input is only temporarily refused (§11.3: "blocked").
    fn is_blocked(&self, controller: ControllerId, input: &InputId, targets: &TargetData) -> bool {
        let request = ActivationRequest::on(targets.clone());
        self.bound_to(controller, input).into_iter().any(|handle| self.is_held_back(handle, &request))
    }

    /// Duration of the last hold of a released input; zero if it was never held. `None` while it is held.
    pub(super) fn released(&self, id: ControllerId, input: &InputId) -> Option<Span> {
        let controller = self.state.controllers.get(id)?;
        match controller.ability_data.inputs.iter().find(|state| state.input == *input) {
            Some(state) => Some(state.released?.since(state.pressed)),
            None => Some(Span::ZERO),
        }
    }

    /// Current buffer window of a controller: the value of the attribute that the catalog names, in seconds,
    /// or else the configured window. `None` if the controller lacks the attribute: nothing is buffered then.
    /// A buffer with its own settings uses those.
    fn buffer_window(&self, id: ControllerId) -> Option<Span> {
        let config = self.state.controllers.get(id)?.buffer.config();
        match self.catalog.input_buffer_window.filter(|_| config == self.catalog.input_buffer) {
            Some(attribute) => self.current(id, attribute).map(|seconds| Span::seconds(seconds.max(0.0))),
            None => Some(config.window),
        }
    }

    /// Queues a look at the input buffer, since something ended that may have blocked an input.
    pub(super) fn enqueue_drain(&mut self, id: ControllerId) {
        if self.state.controllers.get(id).is_some_and(|controller| !controller.buffer.is_empty()) {
            self.enqueue(Consequence::Drain { controller: id });
        }
    }

    /// §11.3 ProcessBufferedInputs, called when the block of at least one input may have ended. Removes
    /// expired inputs. If an input is no longer blocked, tries all in order until one activates an ability,
    /// and clears the buffer; otherwise the buffer stays.
    pub(super) fn drain_buffer(&mut self, id: ControllerId) {
        let now = self.state.now;
        let window = self.buffer_window(id).unwrap_or(Span::ZERO);
        let Some(controller) = self.state.controllers.get_mut(id) else { return };
        // Remove expired inputs.
        controller.buffer.retain_within(window, now);
        let waiting: SmallVec<[BufferedInput; 4]> = controller.buffer.iter().cloned().collect();
        let has_ended = |kept: &BufferedInput| {
            let request = ActivationRequest::on(kept.targets.clone());
            self.bound_to(id, &kept.input).into_iter().any(|handle| !self.is_held_back(handle, &request))
        };
        if !waiting.iter().any(has_ended) {
            return;
        }
        // Process valid inputs; the first that activates an ability ends the loop.
        for kept in &waiting {
            // An activation belongs to the prediction of its press, even if the press was buffered (§13.4).
            let outer = self.scratch.current.prediction();
            self.scratch.current.predict(kept.prediction.or(outer));
            let tried = self.try_input(id, &kept.input, &kept.targets);
            self.scratch.current.predict(outer);
            if let Ok(Some(_)) = tried {
                break;
            }
        }
        if let Some(controller) = self.state.controllers.get_mut(id) {
            controller.buffer.clear();
        }
    }
}
