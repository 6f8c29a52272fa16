//! Input (§11): presses and releases, what they activate, and the buffer of those that came too early.

use smallvec::SmallVec;

use super::Simulation;
use super::ability::ActivationRequest;
use super::cascade::Consequence;
use super::state::Role;
use crate::ability::{AbilityDef, ActivationReason, ActivationRefusal, NetExecution};
use crate::controller::index::AbilityKey;
use crate::effect::PredictionKey;
use crate::event::{Cause, EventKind};
use crate::handle::{AbilityHandle, ActivationId, ControllerId};
use crate::input::{BufferedInput, InputBufferConfig, InputId};
use crate::refusal::{Limit, RefusalReason};
use crate::targeting::TargetData;
use crate::task::Subject;
use crate::time::{Span, Time};

/// What became of a press.
#[derive(Clone, PartialEq, Debug)]
pub enum Pressed {
    /// It activated at least one ability; the run of the first.
    Activated(ActivationId),
    /// A task was waiting for it.
    Consumed,
    /// It came too early and is kept for a moment (§11.3); why the first ability bound to it cannot be activated now (A13).
    Buffered(ActivationRefusal),
    /// No ability is bound to it.
    Unbound,
    /// No ability bound to it can be activated; why the first of them cannot (A13).
    Refused(ActivationRefusal),
}

/// Abilities bound to a pressed input that are still to be tried: each is judged after everything that the one before
/// led to (A13).
#[derive(Clone, Debug)]
pub(super) struct PendingPress {
    handles: SmallVec<[AbilityHandle; 2]>,
    targets: TargetData,
    cause: Cause,
    prediction: Option<PredictionKey>,
}

/// The state of one input of a controller.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct InputState {
    pub(crate) input: InputId,
    pub(crate) pressed: Time,
    /// `None` while it is held.
    pub(crate) released: Option<Time>,
}

crate::codec::plain_struct!(InputState { input, pressed, released });

impl Simulation {
    /// An input is pressed (§11.1). Tasks that wait for it go on; otherwise every ability that is bound to it is tried, in
    /// the order of their grants (A13).
    ///
    /// # Errors
    /// If the controller does not exist (any more), or holds too many inputs already.
    pub fn press(
        &mut self,
        controller: ControllerId,
        input: impl Into<InputId>,
    ) -> Result<Pressed, RefusalReason> {
        self.press_at(controller, input, TargetData::default())
    }

    /// An input is pressed while the player aims: every ability that the press activates gets these targets. A press that is
    /// buffered keeps them (§11.3).
    ///
    /// # Errors
    /// If the controller does not exist (any more), holds too many inputs already, a target is not finite, or there are too
    /// many targets.
    pub fn press_at(
        &mut self,
        controller: ControllerId,
        input: impl Into<InputId>,
        targets: TargetData,
    ) -> Result<Pressed, RefusalReason> {
        let input = input.into();
        self.check_active(controller)?;
        if targets.check().is_err() {
            return Err(RefusalReason::NonFinite { modifier: None, attribute: None });
        }
        self.check_targets(&targets).map_err(RefusalReason::LimitReached)?;
        self.make_room_for(controller, &input).map_err(RefusalReason::LimitReached)?;
        Ok(self.operate(|sim| sim.press_one(controller, input, targets)))
    }

    /// An input is released. False if it was not held.
    ///
    /// # Errors
    /// If the controller does not exist (any more).
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
        let inputs = known.skills.get_mut().into_iter().flat_map(|skills| &mut skills.inputs);
        let held = inputs.into_iter().find(|state| state.input == input && state.released.is_none());
        let Some(state) = held else { return Ok(false) };
        state.released = Some(now);
        let held = now.since(state.pressed);
        self.operate(|sim| sim.emit(EventKind::InputReleased { controller, input, held }));
        Ok(true)
    }

    /// How long an input has been held; `None` if it is not.
    pub fn held(&self, controller: ControllerId, input: &InputId) -> Option<Span> {
        let controller = self.state.controllers.get(controller)?;
        let state = controller.skills.inputs.iter().find(|state| state.input == *input)?;
        state.released.is_none().then(|| self.state.now.since(state.pressed))
    }

    /// The player confirms what waits for it.
    ///
    /// # Errors
    /// If the controller does not exist (any more).
    pub fn confirm(&mut self, controller: ControllerId) -> Result<(), RefusalReason> {
        self.check_active(controller)?;
        self.operate(|sim| sim.emit(EventKind::Confirmed { controller }));
        Ok(())
    }

    /// The player declines what waits for a confirmation: its ability is cancelled.
    ///
    /// # Errors
    /// If the controller does not exist (any more).
    pub fn decline(&mut self, controller: ControllerId) -> Result<(), RefusalReason> {
        self.check_active(controller)?;
        self.operate(|sim| sim.emit(EventKind::Declined { controller }));
        Ok(())
    }

    /// Sets how a controller's early inputs are kept, in the place of the catalog's setting (§11.3).
    ///
    /// # Errors
    /// If the controller does not exist (any more), or more inputs would be kept than it may hold at once
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

    /// At the limit, the input that was released first is forgotten for a new one.
    fn make_room_for(&mut self, controller: ControllerId, input: &InputId) -> Result<(), Limit> {
        self.check_name(input.as_str())?;
        let most = self.config.max_inputs_per_controller as usize;
        let Some(known) = self.state.controllers.get_mut(controller) else { return Ok(()) };
        if known.skills.inputs.len() < most || known.skills.inputs.iter().any(|state| state.input == *input) {
            return Ok(());
        }
        let released = |(at, state): (usize, &InputState)| Some((state.released?, at));
        let (_, oldest) = known
            .skills
            .inputs
            .iter()
            .enumerate()
            .filter_map(released)
            .min()
            .ok_or(Limit::InputsPerController)?;
        known.skills.make_mut().inputs.remove(oldest);
        Ok(())
    }

    fn press_one(&mut self, controller: ControllerId, input: InputId, targets: TargetData) -> Pressed {
        let (now, cause) = (self.state.now, self.scratch.prediction());
        if let Some(known) = self.state.controllers.get_mut(controller) {
            let inputs = &mut known.skills.make_mut().inputs;
            match inputs.iter_mut().find(|state| state.input == input) {
                Some(state) => (state.pressed, state.released) = (now, None),
                None => inputs.push(InputState { input: input.clone(), pressed: now, released: None }),
            }
        }
        let event = EventKind::InputPressed { controller, input: input.clone() };
        let consumed = self.is_awaited(controller, &event);
        self.emit(event);
        if consumed {
            return Pressed::Consumed;
        }
        match self.try_input(controller, &input, &targets) {
            Ok(Some(activation)) => Pressed::Activated(activation),
            Ok(None) => Pressed::Unbound,
            Err(refusal) => {
                let is_blocked = self.is_blocked(controller, &input, &targets);
                let window = self.buffer_window(controller);
                let Some(known) = self.state.controllers.get_mut(controller) else {
                    return Pressed::Refused(refusal);
                };
                let config = known.buffer.config();
                if !is_blocked || !config.enabled || config.size == 0 || window.is_none() {
                    return Pressed::Refused(refusal);
                }
                known.buffer.keep(BufferedInput {
                    input: input.clone(),
                    timestamp: now,
                    prediction: cause,
                    targets,
                });
                self.emit(EventKind::InputBuffered { controller, input });
                Pressed::Buffered(refusal)
            }
        }
    }

    /// Whether a task waits for just this.
    fn is_awaited(&self, controller: ControllerId, event: &EventKind) -> bool {
        let Some(known) = self.state.controllers.get(controller) else { return false };
        known.skills.subscriptions.about(Subject::InputPressed).iter().any(|&(.., task)| {
            self.is_listening(task) && !matches!(self.judge(task, event), super::waits::Verdict::No)
        })
    }

    /// The abilities bound to an input, in the order of their grants.
    fn bound_to(&self, controller: ControllerId, input: &InputId) -> SmallVec<[AbilityHandle; 2]> {
        let Some(known) = self.state.controllers.get(controller) else { return SmallVec::new() };
        // Two names may have one hash.
        let is_bound = |handle: &AbilityHandle| {
            self.granted(*handle).is_some_and(|(granted, ability)| {
                granted.input.as_ref() == Some(input) && self.may_be_pressed(&ability.def)
            })
        };
        let candidates = known.skills.ability_index.about(AbilityKey::input(input)).iter();
        candidates.map(|&(.., handle)| handle).filter(is_bound).collect()
    }

    /// Whether a press may begin an ability here. With a network an input is a client's word, and begins nothing that a
    /// client may not begin (§13.7); and a prediction of what the server does leaves out what it does not do.
    fn may_be_pressed(&self, ability: &AbilityDef) -> bool {
        let key = self.scratch.ambient.or(self.scratch.prediction());
        let is_predicted = self.is_client() && key.is_some();
        match self.config.role {
            Role::Authority => true,
            Role::Client | Role::Server => {
                ability.net_security.client_may_begin()
                    && !(is_predicted && ability.net_execution == NetExecution::LocalOnly)
            }
        }
    }

    /// §11.3 TryActivateAbilityByInputID, for every ability that is bound to the input, in the order of their grants (A13):
    /// the first run that began, or the first refusal. `None` if nothing is bound to the input.
    fn try_input(
        &mut self,
        controller: ControllerId,
        input: &InputId,
        targets: &TargetData,
    ) -> Result<Option<ActivationId>, ActivationRefusal> {
        let mut begun = None;
        let mut refused: Option<(ActivationRefusal, bool)> = None;
        let (outer, cause) = (self.scratch.cause(), self.scratch.prediction());
        let handles = self.bound_to(controller, input);
        for (at, &handle) in handles.iter().enumerate() {
            self.scratch.blame_for(outer, cause);
            let request = ActivationRequest::on(targets.clone());
            let (tried, told) = match self.check_request(handle, &request) {
                Err(refusal) => (Err(refusal), false),
                // A refusal from here on has raised its event.
                Ok(()) => {
                    let prediction = self.dependent_key(cause, handle);
                    let request = ActivationRequest { prediction, ..request };
                    (self.activate_one(handle, request), true)
                }
            };
            match tried {
                Ok(activation) => {
                    begun = begun.or(Some(activation));
                    // What the ability does at once may block or enable the next one. Nothing settles inside a batch.
                    if self.scratch.batch_depth == 0 {
                        let targets = targets.clone();
                        self.try_later(&handles[at + 1..], targets, outer, cause);
                        break;
                    }
                }
                Err(refusal) if refused.is_none() => refused = Some((refusal, told)),
                Err(_) => {}
            }
        }
        match (begun, refused) {
            (Some(begun), _) => Ok(Some(begun)),
            (None, Some((refusal, told))) => {
                if !told {
                    self.tell_refused_ability(&refusal);
                }
                Err(refusal)
            }
            (None, None) => Ok(None),
        }
    }

    /// Tries the next abilities of a press, of which one began already: a refusal is nothing to report.
    pub(super) fn try_next(&mut self, press: PendingPress) {
        let PendingPress { handles, targets, cause, prediction } = press;
        for (at, &handle) in handles.iter().enumerate() {
            self.scratch.blame_for(cause, prediction);
            let mut request = ActivationRequest::on(targets.clone());
            if self.check_request(handle, &request).is_err() {
                continue;
            }
            request.prediction = self.dependent_key(prediction, handle);
            if self.activate_one(handle, request).is_ok() {
                self.try_later(&handles[at + 1..], targets, cause, prediction);
                break;
            }
        }
    }

    fn try_later(
        &mut self,
        handles: &[AbilityHandle],
        targets: TargetData,
        cause: Cause,
        prediction: Option<PredictionKey>,
    ) {
        if !handles.is_empty() {
            let handles = SmallVec::from_slice(handles);
            self.scratch.presses.push_back(PendingPress { handles, targets, cause, prediction });
        }
    }

    /// Whether an ability that is bound to an input is in a state that passes (§11.3: "blocked").
    fn is_blocked(&self, controller: ControllerId, input: &InputId, targets: &TargetData) -> bool {
        let request = ActivationRequest::on(targets.clone());
        self.bound_to(controller, input).into_iter().any(|handle| {
            let verdict = self.check_request(handle, &request);
            verdict.is_err_and(|refusal| refusal.reasons.iter().any(ActivationReason::is_block))
        })
    }

    /// How long an input that is not held now was held the last time; zero if it never was. `None` while it is held.
    pub(super) fn released(&self, id: ControllerId, input: &InputId) -> Option<Span> {
        let controller = self.state.controllers.get(id)?;
        match controller.skills.inputs.iter().find(|state| state.input == *input) {
            Some(state) => Some(state.released?.since(state.pressed)),
            None => Some(Span::ZERO),
        }
    }

    /// How long a controller's inputs are kept, as of now: the current value of the attribute that the catalog's setting
    /// names, in seconds, else the setting itself. `None` if the controller lacks the attribute: nothing is kept then.
    /// A buffer with settings of its own goes by those.
    fn buffer_window(&self, id: ControllerId) -> Option<Span> {
        let config = self.state.controllers.get(id)?.buffer.config();
        match self.catalog.input_buffer_window.filter(|_| config == self.catalog.input_buffer) {
            Some(attribute) => self.current(id, attribute).map(|seconds| Span::seconds(seconds.max(0.0))),
            None => Some(config.window),
        }
    }

    /// Something ended that may have blocked an input: the buffer is looked at once that has settled.
    pub(super) fn enqueue_drain(&mut self, id: ControllerId) {
        if self.state.controllers.get(id).is_some_and(|controller| !controller.buffer.is_empty()) {
            self.enqueue(Consequence::Drain { controller: id });
        }
    }

    /// §11.3 ProcessBufferedInputs, as soon as the block of at least one input has ended.
    pub(super) fn drain_buffer(&mut self, id: ControllerId) {
        let now = self.state.now;
        let window = self.buffer_window(id).unwrap_or(Span::ZERO);
        let Some(controller) = self.state.controllers.get_mut(id) else { return };
        // Remove expired inputs.
        controller.buffer.retain_within(window, now);
        let waiting: SmallVec<[BufferedInput; 4]> = controller.buffer.iter().cloned().collect();
        let has_ended = |kept: &BufferedInput| {
            let request = ActivationRequest::on(kept.targets.clone());
            self.bound_to(id, &kept.input).into_iter().any(|handle| {
                let verdict = self.check_request(handle, &request);
                verdict
                    .map_or_else(|refusal| !refusal.reasons.iter().any(ActivationReason::is_block), |()| true)
            })
        };
        if !waiting.iter().any(has_ended) {
            return;
        }
        // Process valid inputs; the first that activates an ability ends it.
        for kept in &waiting {
            // What a press begins belongs to the prediction that it was part of, also if it begins later (§13.4).
            let outer = self.scratch.prediction();
            self.scratch.predict(kept.prediction.or(outer));
            let tried = self.try_input(id, &kept.input, &kept.targets);
            self.scratch.predict(outer);
            if let Ok(Some(_)) = tried {
                break;
            }
        }
        if let Some(controller) = self.state.controllers.get_mut(id) {
            controller.buffer.clear();
        }
    }
}
