//! Runner: executes the steps of a scenario.

use std::collections::BTreeMap;
use std::sync::Arc;

use ugas_core::catalog::Catalog;
use ugas_core::command::{Command, Outcome as CommandOutcome};
use ugas_core::controller::ControllerDef;
use ugas_core::debug::ControllerNames;
use ugas_core::effect::AbilityGrantDef;
use ugas_core::event::{Event, EventKind};
use ugas_core::handle::{ActivationId, ActiveEffectId, ControllerId, GrantedAbilityId};
use ugas_core::simulation::{Simulation, Spawn};
use ugas_core::targeting::Team;
use ugas_core::time::{Span, Time};

use super::controllers::SetChange;
use super::problems::Problems;
use super::state::InitialState;
use super::{CommandObserver, ControllerState, Failure, Observer, Options, Outcome, Scenario};
use crate::model::scenario::{ActionDoc, ActorDoc, ExpectDoc, StepDoc};

/// Most timers (periods, expirations, waits) that a scenario may reach. A period of a microsecond over a year
/// would otherwise run practically for ever.
const MAX_TIMERS: u32 = 10_000_000;

/// Outcome code of a step that cannot be carried out.
pub(super) const IMPOSSIBLE: &str = "Impossible";

/// Result of a step.
pub(super) struct StepResult {
    /// `Ok`, or the code of the first reason.
    code: &'static str,
    /// Codes of all reasons, in order; empty if the step succeeded.
    reasons: Vec<&'static str>,
    /// The reasons in words.
    message: String,
    /// Whether the scenario must expect the refusal; false for a press that is buffered.
    is_final: bool,
}

impl StepResult {
    /// Result of a step that succeeded.
    pub(super) fn ok() -> Self {
        Self { code: "Ok", reasons: Vec::new(), message: String::new(), is_final: true }
    }

    /// Result of a step that was refused, with the codes of its reasons and a message. The first code is the
    /// outcome.
    pub(super) fn refused(
        reasons: impl IntoIterator<Item = &'static str>,
        message: impl Into<String>,
    ) -> Self {
        let reasons: Vec<_> = reasons.into_iter().collect();
        let code = reasons.first().copied().unwrap_or("Ok");
        Self { code, reasons, message: message.into(), is_final: true }
    }

    /// Refusal of a press that is buffered and may still succeed (A13).
    pub(super) fn buffered(self) -> Self {
        Self { is_final: false, ..self }
    }
}

/// Observer that only receives states.
struct StateObserver<F>(F);

impl<F: FnMut(&Runner<'_>)> Observer for StateObserver<F> {
    fn state(&mut self, runner: &Runner<'_>) {
        (self.0)(runner);
    }
}

/// Running scenario: the simulation, and the names that the scenario assigned.
pub struct Runner<'s> {
    pub(super) scenario: &'s Scenario,
    pub(super) simulation: Simulation,
    pub(super) controllers: Vec<(&'s str, ControllerId)>,
    /// Names of all controllers so far, also of despawned ones and of summons.
    pub(super) names: ControllerNames,
    /// Active effects by `As` name; `None` for an application without an active effect.
    pub(super) effects: BTreeMap<&'s str, Option<ActiveEffectId>>,
    pub(super) grants: BTreeMap<&'s str, Option<GrantedAbilityId>>,
    pub(super) activations: BTreeMap<&'s str, Option<ActivationId>>,
    /// Number of events since the first step, by kind.
    pub(super) events: BTreeMap<&'static str, u64>,
    /// Number of events until the last expectation, by kind.
    pub(super) events_before: BTreeMap<&'static str, u64>,
    /// Events of executed cues since the last expectation.
    pub(super) executed_cues: Vec<Event>,
    /// Refusals, cancellations and failed tasks since the last expectation.
    pub(super) problems: Problems,
    /// Outcome code of the last step that was not an expectation.
    pub(super) last: &'static str,
    /// Codes of all reasons of that outcome.
    pub(super) reasons: Vec<&'static str>,
    failures: Vec<Failure>,
    options: Options,
    position: u32,
    stopped: bool,
    timers_left: u32,
    /// Note on a legal but unusual condition, added to the next failure.
    pub(super) note: Option<String>,
    /// Whether the state changed since the last call of the observer.
    has_unobserved_changes: bool,
    /// Observer of every command.
    pub(super) command_observer: Option<&'s mut dyn CommandObserver>,
}

impl<'s> Runner<'s> {
    /// Restores the initial state and spawns the controllers of the scenario.
    ///
    /// # Errors
    /// If the state cannot be restored, or a controller cannot be spawned.
    pub fn new(scenario: &'s Scenario, catalog: Arc<Catalog>, options: Options) -> Result<Self, Failure> {
        Self::begin(scenario, catalog, options, None, None)
    }

    /// Like [`Self::new`], with an observer of every command.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn with_command_observer(
        scenario: &'s Scenario,
        catalog: Arc<Catalog>,
        options: Options,
        command_observer: &'s mut dyn CommandObserver,
    ) -> Result<Self, Failure> {
        Self::begin(scenario, catalog, options, None, Some(command_observer))
    }

    /// Like [`Self::new`], with a seed that replaces that of the scenario or its state.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn seeded(
        scenario: &'s Scenario,
        catalog: Arc<Catalog>,
        options: Options,
        seed: u64,
    ) -> Result<Self, Failure> {
        Self::begin(scenario, catalog, options, Some(seed), None)
    }

    /// Creates the runner: restores the initial state, spawns the controllers and drops the events until
    /// then. Characters come last, because the instigators of their effects must exist. `seed` replaces that
    /// of the scenario.
    pub(super) fn begin(
        scenario: &'s Scenario,
        catalog: Arc<Catalog>,
        options: Options,
        seed: Option<u64>,
        command_observer: Option<&'s mut dyn CommandObserver>,
    ) -> Result<Self, Failure> {
        let InitialState { simulation, migration } =
            scenario.begin(catalog, seed).map_err(|wrong| Failure::of(&scenario.error(wrong)))?;
        let (begin, until) = (simulation.now(), options.until);
        if let Some(until) = until.filter(|until| *until < begin) {
            let (begin, until) = (begin.as_seconds(), until.as_seconds());
            return Err(Failure {
                step: None,
                line: scenario.line(scenario.doc.span),
                expected: format!("a time from {begin} s"),
                actual: format!("{until} s"),
                message: format!(
                    "the scenario begins with a state at {begin} s, and {until} s is before that"
                ),
                ..Failure::default()
            });
        }
        let mut runner = Self {
            scenario,
            simulation,
            controllers: Vec::new(),
            names: ControllerNames::default(),
            effects: BTreeMap::new(),
            grants: BTreeMap::new(),
            activations: BTreeMap::new(),
            events: BTreeMap::new(),
            events_before: BTreeMap::new(),
            executed_cues: Vec::new(),
            problems: Problems::default(),
            last: "Ok",
            reasons: Vec::new(),
            failures: Vec::new(),
            options,
            position: 0,
            stopped: false,
            timers_left: MAX_TIMERS,
            note: migration.map(|diagnostic| diagnostic.message),
            has_unobserved_changes: false,
            command_observer,
        };
        if let Some(command_observer) = &mut runner.command_observer {
            command_observer.begin(&runner.simulation);
        }
        let (characters, others): (Vec<_>, Vec<_>) =
            scenario.controllers().partition(|(_, actor)| actor.character.is_some());
        // Instigators of a character's effects must exist before the character is restored.
        for (name, actor) in others.into_iter().chain(characters) {
            let spawned = match (&actor.handle, &actor.character) {
                (Some(handle), _) => Ok(handle.0.value),
                (None, Some(doc)) => runner.restore_document(doc),
                (None, None) => runner.spawn(actor),
            };
            let id = spawned.map_err(|message| Failure {
                step: None,
                line: scenario.line(actor.span),
                expected: format!("a controller `{name}`"),
                actual: "none".to_owned(),
                message: format!("the controller `{name}` cannot be spawned: {message}"),
                ..Failure::default()
            })?;
            runner.controllers.push((name, id));
            runner.set_name(id, name);
        }
        let order: BTreeMap<&str, usize> = scenario.controllers().map(|(name, _)| name).zip(0..).collect();
        runner.controllers.sort_by_key(|(name, _)| order.get(name));
        runner.simulation.events().for_each(drop);
        let present: Vec<ControllerId> = runner.simulation.controllers().map(|(id, _)| id).collect();
        present.into_iter().for_each(|id| runner.name_summon(id));
        Ok(runner)
    }

    /// The scenario.
    pub fn scenario(&self) -> &'s Scenario {
        self.scenario
    }

    /// The simulation.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// The controllers by name, in the order of the file.
    pub fn controllers(&self) -> &[(&'s str, ControllerId)] {
        &self.controllers
    }

    /// Controller of this name in the scenario, else the living one that a `SpawnController` task named so
    /// (A17).
    pub fn controller(&self, name: &str) -> Option<ControllerId> {
        let own = self.controllers.iter().find(|(known, _)| *known == name).map(|(_, id)| *id);
        own.or_else(|| self.simulation.summoned(name))
    }

    /// Names of all controllers so far: those of the scenario, also after they were despawned, and those that
    /// `SpawnController` tasks gave (A17).
    pub fn names(&self) -> &ControllerNames {
        &self.names
    }

    /// Whether a controller of this name exists or existed.
    pub fn had_controller(&self, name: &str) -> bool {
        self.controller(name).is_some() || self.names.iter().any(|(_, known)| known == name)
    }

    /// Records the name of a controller.
    pub(super) fn set_name(&mut self, controller: ControllerId, name: &str) {
        self.names.insert(controller, name);
        if let Some(command_observer) = &mut self.command_observer {
            command_observer.name(controller, name);
        }
    }

    /// Records the name that a `SpawnController` task gave a controller, if it did.
    fn name_summon(&mut self, controller: ControllerId) {
        let is_new = self.names.given(controller).is_none();
        if let Some(name) = self.names.known(&self.simulation, controller).filter(|_| is_new) {
            self.set_name(controller, &name);
        }
    }

    /// Runs all steps and calls `observer` with the state at the start, during the run and at the end.
    pub fn run(&mut self, observer: impl FnMut(&Runner<'_>)) {
        self.run_with_observer(&mut StateObserver(observer));
    }

    /// Runs all steps with an [`Observer`]. It stops early at `Options::until`, or if there are too many
    /// timers; otherwise time passes until `until` after the last step.
    pub fn run_with_observer(&mut self, observer: &mut impl Observer) {
        observer.state(self);
        let steps = self.scenario.steps();
        for (position, step) in (0..).zip(steps) {
            self.position = position;
            self.step(step, steps.get(position as usize + 1), observer);
            self.dispatch_events(observer);
            if self.stopped {
                break;
            }
            if self.has_unobserved_changes && self.options.every.is_none() {
                observer.state(self);
                self.has_unobserved_changes = false;
            }
        }
        if let Some(until) = self.options.until.filter(|_| !self.stopped) {
            self.advance(until, observer);
            self.dispatch_events(observer);
        }
        if self.has_unobserved_changes {
            observer.state(self);
        }
    }

    /// Whether there is a failure so far.
    pub fn has_failed(&self) -> bool {
        !self.failures.is_empty()
    }

    /// Ends the run and returns its outcome.
    pub fn into_outcome(mut self) -> Outcome {
        if let Some(command_observer) = &mut self.command_observer {
            command_observer.end(&self.simulation);
        }
        let sim = &self.simulation;
        let own = self.controllers.iter().filter(|(_, id)| sim.controller(*id).is_some());
        let own = own.map(|(name, id)| ((*name).to_owned(), *id));
        let summoned = sim.controllers().filter_map(|(id, controller)| {
            controller.summon()?;
            let name = self.names.known(sim, id)?;
            self.controllers.iter().all(|(_, own)| *own != id).then_some((name, id))
        });
        let controllers = own.chain(summoned).map(|(name, id)| (name, ControllerState::of(sim, id)));
        Outcome {
            hash: Some(sim.state_hash()),
            controllers: controllers.collect(),
            ..Outcome::new(self.scenario, self.failures)
        }
    }

    /// Spawns a controller from its template and the scenario's additions, with placement, team and ability
    /// sets. The error is a message; a controller that was spawned before a later part failed stays.
    pub(super) fn spawn(&mut self, actor: &ActorDoc) -> Result<ControllerId, String> {
        let base = actor.base.iter().flat_map(|base| &base.0);
        let base: Vec<(String, f64)> =
            base.map(|(name, value)| (name.value.clone(), value.0.value)).collect();
        let own = ControllerDef {
            attribute_sets: actor.sets.iter().map(|set| set.value.clone()).collect(),
            base,
            tags: actor.tags.iter().map(|tag| tag.value.clone()).collect(),
            abilities: actor
                .abilities
                .iter()
                .map(|grant| AbilityGrantDef {
                    level: grant
                        .level
                        .as_ref()
                        .and_then(|level| u32::try_from(level.0.value).ok())
                        .unwrap_or(1),
                    input: grant.input.as_ref().map(|input| input.value.clone()),
                    dynamic_tags: grant.dynamic_tags.iter().map(|tag| tag.value.clone()).collect(),
                    ..AbilityGrantDef::new(grant.ability.as_ref().map_or("", |name| &name.value))
                })
                .collect(),
            ..ControllerDef::default()
        };
        let spawn = match &actor.template {
            None => Spawn::def(own),
            Some(template) => {
                let catalog = self.simulation.catalog();
                let id = catalog.template(&template.value).map_err(|error| error.to_string())?;
                if own == ControllerDef::default() {
                    Spawn::template(id)
                } else {
                    let def = catalog.template_def(id).cloned().unwrap_or_default();
                    Spawn::def(joined(def, own))
                }
            }
        };
        // K1: effects of a template find their instigators by the scenario's names.
        let spawn = self.controllers.iter().fold(spawn, |spawn, (name, id)| spawn.instigator(*name, *id));
        // The definition is local to the scenario and has no name.
        let unnamed = |error: String| error.replace("controller template `` at ", "");
        let spawned = self.execute(Command::Spawn(spawn)).map_err(|error| unnamed(error.to_string()))?;
        let CommandOutcome::Spawned(id) = spawned else { return Err("nothing was spawned".to_owned()) };
        if let Some(position) = &actor.position {
            self.set_placement(id, position.0.value, &actor.facing)?;
        }
        if let Some(team) = &actor.team {
            let team = Some(Team::from(team.value.as_str()));
            let joined = self.execute(Command::SetTeam { controller: id, team });
            joined.map_err(|error| self.describe_error(&error))?;
        }
        for set in actor.ability_sets.iter() {
            let granted = self.execute(Command::GrantSet { controller: id, set: set.value.clone() });
            granted.map_err(|error| error.to_string())?;
        }
        Ok(id)
    }

    /// Executes one step and records its result. A refusal is a failure, unless `next` is an expectation of
    /// `Last` or `Reasons`. An unknown name is a refusal; any other step that cannot be carried out is a
    /// failure.
    fn step(&mut self, step: &'s StepDoc, next: Option<&StepDoc>, observer: &mut impl Observer) {
        let result = match &step.action {
            ActionDoc::Expect(expect) => {
                let failures = self.failures.len();
                self.check(expect, step.span);
                return self.explain_failures(failures, expect);
            }
            ActionDoc::Advance(seconds) => {
                self.advance(self.simulation.now() + Span::seconds(*seconds), observer);
                Ok(StepResult::ok())
            }
            ActionDoc::At(seconds) => {
                let (time, now) = (Time::from_seconds(*seconds), self.simulation.now());
                if time < now {
                    Err(format!("it is {} s already, and {seconds} s is past", now.as_seconds()))
                } else {
                    self.advance(time, observer);
                    Ok(StepResult::ok())
                }
            }
            ActionDoc::Apply(apply) => self.apply(apply),
            ActionDoc::Remove(remove) => self.remove(remove),
            ActionDoc::RemoveMatching(remove) => self.remove_matching(remove),
            ActionDoc::Spawn(actors) => self.spawn_named(actors),
            ActionDoc::SetAvatar(doc) => self.set_avatar(doc),
            ActionDoc::SetOwner(doc) => self.set_owner(doc),
            ActionDoc::RegisterSet(doc) => self.change_sets(doc, SetChange::Register),
            ActionDoc::UnregisterSet(doc) => self.change_sets(doc, SetChange::Unregister),
            ActionDoc::SetRemaining(doc) => self.set_remaining(doc),
            ActionDoc::Despawn(name) => self.despawn(name),
            ActionDoc::Grant(grant) => self.grant(grant),
            ActionDoc::Revoke(name) => self.revoke(name),
            ActionDoc::SetLevel(doc) => self.set_level(doc),
            ActionDoc::Activate(doc) => self.activate(doc),
            ActionDoc::Cancel(name) => self.cancel(name),
            ActionDoc::CancelAll(doc) => self.cancel_all(doc),
            ActionDoc::Input(doc) => self.input(doc),
            ActionDoc::Event(doc) => self.event(doc),
            ActionDoc::CompleteTask(doc) => self.complete_task(doc),
            ActionDoc::Targets(doc) => self.provide_targets(doc),
            ActionDoc::Move(doc) => self.move_to(doc),
        };
        // An unknown name is a refusal like any other, which a scenario may expect.
        let result = result.or_else(|message| match self.unknown_name(&step.record) {
            Some(code) => Ok(StepResult::refused([code], message)),
            None => Err(message),
        });
        match result {
            Err(message) => {
                self.last = IMPOSSIBLE;
                self.reasons = vec![IMPOSSIBLE];
                self.fail(step.span, "a step that can be carried out", "an impossible one", message)
            }
            Ok(StepResult { code, reasons, message, is_final }) => {
                let is_instant = !matches!(step.action, ActionDoc::Advance(_) | ActionDoc::At(_));
                self.has_unobserved_changes |= is_instant && (code == "Ok" || !is_final);
                self.last = code;
                self.reasons = reasons;
                let is_expected = next.is_some_and(|next| match &next.action {
                    ActionDoc::Expect(expect) => {
                        expect.known.last.is_some() || !expect.known.reasons.is_empty()
                    }
                    _ => false,
                });
                if code != "Ok" && is_final && !is_expected {
                    self.fail(step.span, "Ok", code, message);
                }
            }
        }
    }

    /// Advances time to `target`, at most to `Options::until`, one timer at a time. States are reported at
    /// every multiple of `Options::every`, events after each advance.
    fn advance(&mut self, target: Time, observer: &mut impl Observer) {
        let target = match self.options.until {
            Some(until) if until < target => {
                self.stopped = true;
                until
            }
            _ => target,
        };
        while self.simulation.now() < target {
            let now = self.simulation.now();
            let mut next = target;
            if let Some(step) = self.options.step.filter(|step| step.is_positive()) {
                next = next.min(now + step);
            }
            let every = self.options.every.filter(|every| every.is_positive());
            let sample = every.map(|every| {
                let every = every.micros().unsigned_abs();
                Time::from_micros((now.micros() / every).saturating_add(1).saturating_mul(every))
            });
            next = sample.map_or(next, |sample| next.min(sample));
            // One timer at a time: the simulation keeps a limited number of events until they are polled, and
            // a long step must not lose any of them (V4).
            if let Some(timer) = self.simulation.next_timer().filter(|timer| *timer <= next) {
                next = timer.max(now + Span::from_micros(1));
                let Some(left) = self.timers_left.checked_sub(1) else { return self.never_ends() };
                self.timers_left = left;
            }
            let _ = self.execute(Command::Advance(next.since(now)));
            let is_sample = sample == Some(self.simulation.now());
            self.has_unobserved_changes = !is_sample;
            if is_sample {
                observer.state(self);
            }
            self.dispatch_events(observer);
        }
    }

    /// Stops the run with a failure, because the scenario reached too many timers.
    fn never_ends(&mut self) {
        self.stopped = true;
        let step = self.scenario.steps().get(self.position as usize);
        let span = step.map_or(self.scenario.doc.span, |step| step.span);
        let message = format!(
            "the scenario stopped after {MAX_TIMERS} timers of effects and tasks: advance less time, or make \
             periods longer"
        );
        self.fail(span, format!("at most {MAX_TIMERS} timers"), "more", message);
    }

    /// Passes pending events to the observer, counts them by kind, and keeps executed cues for the next
    /// expectation.
    fn dispatch_events(&mut self, observer: &mut impl Observer) {
        while let Some(event) = self.simulation.poll_event() {
            *self.events.entry(event.kind.name()).or_default() += 1;
            if let EventKind::ControllerSpawned { controller } = event.kind {
                self.name_summon(controller);
            }
            observer.event(self, &event);
            self.problems.keep(&event);
            if matches!(event.kind, EventKind::CueExecuted { .. }) {
                self.executed_cues.push(event);
            }
        }
    }

    /// Adds the problems since the last expectation to the last failure of an expectation, if it has any.
    fn explain_failures(&mut self, failures_before: usize, expect: &ExpectDoc) {
        let problems = std::mem::take(&mut self.problems);
        if self.failures.len() > failures_before {
            let names = expect.named.0.iter().map(|(name, _)| name.value.as_str());
            let controllers: Vec<ControllerId> = names.filter_map(|name| self.controller(name)).collect();
            let lines = problems.lines(self, &controllers);
            if let Some(failure) = self.failures.last_mut() {
                failure.problems = lines;
            }
        }
    }

    /// Records a failure of the current step, with the pending note if there is one.
    pub(super) fn fail(
        &mut self,
        span: crate::source::Span,
        expected: impl Into<String>,
        actual: impl Into<String>,
        message: impl Into<String>,
    ) {
        let (step, line) = (Some(self.position), self.scenario.line(span));
        let (expected, actual, mut message) = (expected.into(), actual.into(), message.into());
        // The noted condition may be the reason.
        if let Some(note) = self.note.take() {
            message = format!("{message} (note: {note})");
        }
        let message = self.names.replace_handles(&self.simulation, &message);
        self.failures.push(Failure { step, line, expected, actual, message, ..Failure::default() });
    }
}

/// Template with the additions of a scenario; base values of the scenario take precedence. Sets of both are
/// listed once.
fn joined(mut template: ControllerDef, own: ControllerDef) -> ControllerDef {
    let ControllerDef { attribute_sets, base, tags, abilities, .. } = own;
    for set in attribute_sets {
        if !template.attribute_sets.contains(&set) {
            template.attribute_sets.push(set);
        }
    }
    template.base.retain(|(name, _)| !base.iter().any(|(own, _)| own == name));
    template.base.extend(base);
    template.tags.extend(tags);
    template.abilities.extend(abilities);
    template
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endless_scenario_stops_at_the_timer_limit() {
        let text = "
Name: drip
Definitions:
  - { $schema: x/schemas/attribute_set.json, Name: Vitals, Attributes: [ { Name: Blood, DefaultBaseValue: 1 } ] }
  - $schema: x/schemas/gameplay_effect.json
    Name: GE_Drip
    DurationPolicy: Infinite
    Period: { Period: 0.000001 }
    Modifiers: [ { Attribute: Blood, Operation: Add, Magnitude: { Type: ScalableFloat, Value: 1 } } ]
Controllers: { wolf: { AttributeSets: [Vitals] } }
Steps:
  - Apply: { Effect: GE_Drip, Target: wolf }
  - Advance: 1e12
  - Expect: { wolf: { Blood: 0 } }
";
        let scenario = Scenario::from_text("drip.yaml", text).unwrap().remove(0);
        for step in [None, Some(Span::from_micros(7))] {
            let options = Options { step, ..Options::default() };
            let mut runner = Runner::new(&scenario, scenario.catalog().unwrap(), options).unwrap();
            runner.timers_left = 1000;
            runner.run(|_| {});
            // However long the steps are (V4), it ends at the same moment: after the thousandth.
            assert_eq!(runner.simulation().now().micros(), 1000);
            let outcome = runner.into_outcome();
            assert_eq!(outcome.failures.len(), 1, "what comes after is not looked at");
            assert_eq!((outcome.failures[0].step, outcome.failures[0].line), (Some(1), 13));
        }
    }
}
