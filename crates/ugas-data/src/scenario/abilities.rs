//! Steps about abilities: grants, activations, input, events, tasks, targets.

use ugas_core::ability::{GameplayEvent, Grant};
use ugas_core::command::{Command, Outcome};
use ugas_core::handle::{ControllerId, GrantedAbilityId, TaskId};
use ugas_core::simulation::{ActivationRequest, PressOutcome};
use ugas_core::tag::TagSet;
use ugas_core::targeting::{Placement, Target, TargetData};

use super::Runner;
use super::controllers::actor;
use super::runner::StepResult;
use super::steps::{UNKNOWN_HANDLE, hint};
use crate::decode::{List, Vector};
use crate::model::scenario::{
    ActivateDoc, CancelAllDoc, CompleteTaskDoc, EventDoc, GrantDoc, InputDoc, MoveDoc, SetLevelDoc,
    TargetsDoc,
};
use crate::model::{Name, Tag};

impl<'s> Runner<'s> {
    /// Grants an ability, and stores its handle under the name of `As`; a refused grant is stored as `None`.
    pub(super) fn grant(&mut self, doc: &'s GrantDoc) -> Result<StepResult, String> {
        let controller = self.required(&doc.controller)?;
        let ability = doc.ability.as_ref().map_or("", |name| &name.value);
        let ability = self.simulation.catalog().ability(ability).map_err(|error| error.to_string())?;
        let level = doc.level.as_ref().and_then(|level| u32::try_from(level.0.value).ok()).unwrap_or(1);
        let mut grant = Grant::new(ability).level(level);
        if let Some(input) = &doc.input {
            grant = grant.input(input.value.as_str());
        }
        for (name, value) in doc.parameters.iter().flat_map(|parameters| &parameters.0) {
            grant = grant.parameter(&name.value, value.0.value);
        }
        for tag in doc.dynamic_tags.iter() {
            let tag = self.simulation.catalog().tag(&tag.value).map_err(|error| error.to_string())?;
            grant = grant.tag(tag);
        }
        let granted = self.execute(Command::GrantWith { controller, grant: Box::new(grant) });
        if let Some(alias) = &doc.alias {
            let handle = match &granted {
                Ok(Outcome::Granted(handle)) => Some(*handle),
                _ => None,
            };
            self.grants.insert(&alias.value, handle);
        }
        Ok(self.step_result(&granted))
    }

    /// Revokes the grant of this `As` name, else all grants of the ability of this name. The result is that
    /// of the last; without a grant it is `UnknownHandle`.
    pub(super) fn revoke(&mut self, name: &str) -> Result<StepResult, String> {
        let handles = self.grants_called(name, None)?;
        let mut result = not_granted(name);
        for handle in handles {
            let revoked = self.execute(Command::Revoke(handle));
            result = self.step_result(&revoked);
        }
        Ok(result)
    }

    /// Changes the level of the grant of this `As` name, else of all grants of the ability. The result is
    /// that of the last; without a grant it is `UnknownHandle`.
    pub(super) fn set_level(&mut self, doc: &SetLevelDoc) -> Result<StepResult, String> {
        let name = doc.ability.as_ref().map_or("", |name| name.value.as_str());
        let controller = doc.controller.as_ref().map(|name| self.find(&name.value)).transpose()?;
        let level = doc.level.as_ref().and_then(|level| u32::try_from(level.0.value).ok()).unwrap_or(1);
        let mut result = not_granted(name);
        for handle in self.grants_called(name, controller)? {
            let set = self.execute(Command::SetAbilityLevel { ability: handle, level });
            result = self.step_result(&set);
        }
        Ok(result)
    }

    /// Activates an ability of a controller, and stores the activation under the name of `As`; a refused one
    /// is stored as `None`. `Target` comes before the other targets.
    pub(super) fn activate(&mut self, doc: &'s ActivateDoc) -> Result<StepResult, String> {
        let controller = self.required(&doc.controller)?;
        let ability = doc.ability.as_ref().map_or("", |name| &name.value);
        let ability = self.simulation.catalog().ability(ability).map_err(|error| error.to_string())?;
        let mut targets = self.targets_of(&doc.targets, &doc.location)?;
        if let Some(target) = &doc.target {
            let target = Target::Controller(self.find(&target.value)?);
            targets = core::iter::once(target).chain(targets.iter().cloned()).collect();
        }
        let request = Box::new(ActivationRequest::on(targets));
        let activated = self.execute(Command::ActivateAbility { controller, ability, request });
        if let Some(alias) = &doc.alias {
            let activation = match &activated {
                Ok(Outcome::Activated(activation)) => Some(*activation),
                _ => None,
            };
            self.activations.insert(&alias.value, activation);
        }
        Ok(self.step_result(&activated))
    }

    /// Cancels the activation of this `As` name, else all activations of the ability of this name.
    /// `UnknownHandle` if nothing was active.
    pub(super) fn cancel(&mut self, name: &str) -> Result<StepResult, String> {
        let cancelled = match self.activations.get(name) {
            Some(&activation) => {
                activation.is_some_and(|activation| self.try_execute(Command::Cancel(activation)))
            }
            None => {
                let mut runs = 0;
                for handle in self.grants_called(name, None)? {
                    if let Ok(Outcome::Cancelled(count)) = self.execute(Command::CancelAbility(handle)) {
                        runs += count;
                    }
                }
                runs > 0
            }
        };
        Ok(match cancelled {
            true => StepResult::ok(),
            false => StepResult::refused([UNKNOWN_HANDLE], format!("`{name}` is not active")),
        })
    }

    /// Cancels the abilities of a controller that have the tags `With` and none of `Without`; all of them
    /// without both.
    pub(super) fn cancel_all(&mut self, doc: &CancelAllDoc) -> Result<StepResult, String> {
        let controller = self.required(&doc.controller)?;
        let (with, without) = (self.tag_set(&doc.with)?, self.tag_set(&doc.without)?);
        // It is no error if there is nothing to cancel.
        if with.is_empty() && without.is_empty() {
            self.try_execute(Command::CancelAll { controller, except: None });
        } else if with.is_empty() {
            self.cancel_but(controller, &without);
        } else {
            self.try_execute(Command::CancelByTags { controller, with, without });
        }
        Ok(StepResult::ok())
    }

    /// Cancels all abilities that have none of these tags.
    fn cancel_but(&mut self, controller: ControllerId, without: &TagSet) {
        let handles = self.simulation.controller(controller).map(|known| known.abilities().to_vec());
        for handle in handles.unwrap_or_default() {
            let mut spared = without.iter().map(|tag| TagSet::new([tag]));
            let has = |tag: TagSet| {
                self.simulation.abilities_with_tags(controller, &tag).any(|other| other == handle)
            };
            if !spared.any(has) {
                // The handle is from the controller, so it is valid.
                self.try_execute(Command::CancelAbility(handle));
            }
        }
    }

    /// Presses, releases, confirms or declines. A press that activates nothing is refused, even if it is
    /// buffered (A13); a press of an unbound input leaves a note for the next failure.
    pub(super) fn input(&mut self, doc: &InputDoc) -> Result<StepResult, String> {
        let controller = self.required(&doc.controller)?;
        let said = |flag: &Option<crate::decode::Flag>| flag.as_ref().is_some_and(|flag| flag.0.value);
        let done = if let Some(input) = &doc.press {
            let id = input.value.as_str().into();
            let pressed = match &doc.target {
                Some(target) => {
                    let targets = TargetData::from(Target::Controller(self.find(&target.value)?));
                    self.execute(Command::PressAt { controller, input: id, targets })
                }
                None => self.execute(Command::Press { controller, input: id }),
            };
            if let Ok(Outcome::Pressed(pressed)) = &pressed {
                match &**pressed {
                    // A13: a press that activated nothing has a refusal as its outcome, also if it is
                    // buffered.
                    PressOutcome::Refused(refusal) | PressOutcome::Buffered(refusal) => {
                        let message = refusal.describe(&self.simulation);
                        let codes = refusal.reasons.iter().map(|reason| reason.code());
                        let refused = StepResult::refused(codes, message);
                        let is_kept = matches!(&**pressed, PressOutcome::Buffered(_));
                        return Ok(if is_kept { refused.buffered() } else { refused });
                    }
                    PressOutcome::Unbound => self.note = Some(self.unbound(controller, doc, &input.value)),
                    _ => {}
                }
            }
            pressed
        } else if let Some(input) = &doc.release {
            self.execute(Command::Release { controller, input: input.value.as_str().into() })
        } else if said(&doc.confirm) {
            self.execute(Command::Confirm(controller))
        } else if said(&doc.decline) {
            self.execute(Command::Decline(controller))
        } else {
            return Err("an input is pressed, released, confirmed or declined: give one of them".to_owned());
        };
        Ok(self.step_result(&done))
    }

    /// Message that no ability of a controller is bound to an input, with the inputs that are bound.
    fn unbound(&self, controller: ControllerId, doc: &InputDoc, input: &str) -> String {
        let known = self.simulation.controller(controller).map(|known| known.abilities()).unwrap_or_default();
        let granted = known.iter().filter_map(|&handle| self.simulation.ability(handle));
        let bound: Vec<&str> = granted.filter_map(|granted| Some(granted.input()?.as_str())).collect();
        let name = doc.controller.as_ref().map_or("", |name| &name.value);
        let instead = match bound.is_empty() {
            true => "none of its abilities has an `InputID`".to_owned(),
            false => format!("its abilities are bound to {}", bound.join(", ")),
        };
        format!("no ability of `{name}` is bound to `{input}`; {instead}")
    }

    /// Sends a gameplay event with its hit, payload and context tags to a controller.
    pub(super) fn event(&mut self, doc: &EventDoc) -> Result<StepResult, String> {
        let controller = self.required(&doc.controller)?;
        let tag = doc.tag.as_ref().map_or("", |tag| tag.value.as_str());
        let tag = self.simulation.catalog().tag(tag).map_err(|error| error.to_string())?;
        let find = |name: &Option<Name>| name.as_ref().map(|name| self.find(&name.value)).transpose();
        let mut event = GameplayEvent {
            magnitude: doc.magnitude.as_ref().map_or(0.0, |number| number.0.value),
            instigator: find(&doc.instigator)?,
            target: find(&doc.target)?,
            ..GameplayEvent::new(tag)
        };
        if let Some(doc) = &doc.hit {
            let (controller, hit) = (find(&doc.controller)?, self.hit(doc)?);
            event = event.with_target_data(TargetData::from(Target::Hit { controller, hit }));
        }
        if let Some(causer) = actor(&doc.causer) {
            event = event.caused_by(causer);
        }
        if let Some(origin) = &doc.origin {
            event = event.at(origin.0.value);
        }
        for (name, value) in doc.payload.iter().flat_map(|payload| &payload.0) {
            event = event.with_payload(&name.value, value.0.value);
        }
        for tag in doc.context_tags.iter() {
            let tag = self.simulation.catalog().tag(&tag.value).map_err(|error| error.to_string())?;
            event = event.with_context_tag(tag);
        }
        let sent = self.execute(Command::SendEvent { controller, event });
        Ok(self.step_result(&sent))
    }

    /// Completes the oldest waiting host task of a type; `UnknownHandle` if none waits.
    pub(super) fn complete_task(&mut self, doc: &CompleteTaskDoc) -> Result<StepResult, String> {
        let kind = doc.kind.as_ref().map_or("", |kind| kind.value.as_str());
        let outcome = doc.outcome.as_ref().map(|outcome| outcome.0.value).unwrap_or_default();
        let task = self.oldest_task(self.required(&doc.controller)?, kind);
        Ok(match task.is_some_and(|task| self.try_execute(Command::CompleteTask { task, outcome })) {
            true => StepResult::ok(),
            false => nothing_waits(kind),
        })
    }

    /// Provides targets to the oldest waiting task of a type, by default `WaitTargetData`; `UnknownHandle` if
    /// none waits.
    pub(super) fn provide_targets(&mut self, doc: &TargetsDoc) -> Result<StepResult, String> {
        let kind = doc.kind.as_ref().map_or("WaitTargetData", |kind| kind.value.as_str());
        let targets = self.targets_of(&doc.targets, &doc.location)?;
        let task = self.oldest_task(self.required(&doc.controller)?, kind);
        Ok(match task.is_some_and(|task| self.try_execute(Command::ProvideTargets { task, targets })) {
            true => StepResult::ok(),
            false => nothing_waits(kind),
        })
    }

    /// Moves a controller; a missing position is the origin.
    pub(super) fn move_to(&mut self, doc: &MoveDoc) -> Result<StepResult, String> {
        let controller = self.required(&doc.controller)?;
        let position = doc.position.as_ref().map_or([0.0; 3], |position| position.0.value);
        self.set_placement(controller, position, &doc.facing)?;
        Ok(StepResult::ok())
    }

    /// Sets the placement of a controller. A missing facing is the zero vector.
    pub(super) fn set_placement(
        &mut self,
        controller: ControllerId,
        position: [f64; 3],
        facing: &Option<Vector<3>>,
    ) -> Result<(), String> {
        let facing = facing.as_ref().map_or([0.0; 3], |facing| facing.0.value);
        let placement = Placement::new(position, facing).map_err(|error| error.to_string())?;
        let placed = self.execute(Command::SetPlacement { controller, placement: Some(placement) });
        placed.map(drop).map_err(|error| self.describe_error(&error))
    }

    /// Targets of a step: its controllers in order, then its location.
    fn targets_of(&self, names: &List<Name>, location: &Option<Vector<3>>) -> Result<TargetData, String> {
        let mut targets = TargetData::new();
        for name in names.iter() {
            targets.push(Target::Controller(self.find(&name.value)?));
        }
        if let Some(location) = location {
            targets.push(Target::Location(location.0.value));
        }
        Ok(targets)
    }

    /// Longest waiting task of this type. `None` if the controller has none.
    fn oldest_task(&self, controller: ControllerId, kind: &str) -> Option<TaskId> {
        let tasks = self.simulation.tasks_of(controller);
        let tasks = tasks.filter(|&task| self.simulation.task_kind(task) == Some(kind));
        tasks.min_by_key(|&task| self.simulation.task(task).map(|task| task.started()))
    }

    /// Resolves a list of tags; the error is an unknown tag.
    fn tag_set(&self, tags: &List<Tag>) -> Result<TagSet, String> {
        let catalog = self.simulation.catalog();
        let ids = tags.iter().map(|tag| catalog.tag(&tag.value).map_err(|error| error.to_string()));
        Ok(TagSet::new(ids.collect::<Result<Vec<_>, _>>()?))
    }

    /// Grant with this `As` name, else all grants of the ability of this name, of one controller or of all.
    /// Empty if the grant was refused or there is none; the error is a name that is neither.
    pub(super) fn grants_called(
        &self,
        name: &str,
        only_of: Option<ControllerId>,
    ) -> Result<Vec<GrantedAbilityId>, String> {
        if let Some(handle) = self.grants.get(name) {
            return Ok(handle.iter().copied().collect());
        }
        let Ok(ability) = self.simulation.catalog().ability(name) else {
            let known = self.grants.keys().chain(self.activations.keys()).copied();
            let hint = hint(name, known);
            return Err(format!(
                "no step assigned the name `{name}` with `As`, and there is no such ability{hint}"
            ));
        };
        let controllers = self.controllers.iter().map(|(_, id)| *id);
        let controllers = controllers.filter(|id| only_of.is_none_or(|only| only == *id));
        let controllers = controllers.filter_map(|id| self.simulation.controller(id));
        let handles = controllers.flat_map(|controller| controller.abilities().iter().copied());
        let is_it = |handle: &GrantedAbilityId| {
            self.simulation.ability(*handle).is_some_and(|granted| granted.ability() == ability)
        };
        Ok(handles.filter(is_it).collect())
    }
}

/// Refusal of a step whose ability is not granted.
fn not_granted(name: &str) -> StepResult {
    StepResult::refused([UNKNOWN_HANDLE], format!("`{name}` is not granted"))
}

/// Refusal of a step for a task that is not waiting.
fn nothing_waits(kind: &str) -> StepResult {
    StepResult::refused([UNKNOWN_HANDLE], format!("no task of type `{kind}` waits for it"))
}
