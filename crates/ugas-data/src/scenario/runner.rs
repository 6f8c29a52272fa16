//! A scenario in motion.

use std::collections::BTreeMap;
use std::sync::Arc;

use ugas_core::catalog::Catalog;
use ugas_core::command::{Command, Outcome as CommandOutcome};
use ugas_core::controller::ControllerDef;
use ugas_core::effect::AbilityGrantDef;
use ugas_core::event::{Event, EventKind};
use ugas_core::handle::{AbilityHandle, ActivationId, ActiveEffectId, ControllerId};
use ugas_core::simulation::{Simulation, Spawn};
use ugas_core::targeting::Team;
use ugas_core::time::{Span, Time};

use super::controllers::SetChange;
use super::state::Beginning;
use super::{CommandWitness, ControllerState, Failure, Observer, Options, Outcome, Scenario};
use crate::model::scenario::{ActionDoc, ActorDoc, StepDoc};

/// Moments at which something happens by itself that a scenario may have: a period of a microsecond over a year would
/// otherwise run for ever.
const MOST_MOMENTS: u32 = 10_000_000;

/// How a step went.
pub(super) struct StepResult {
    /// `Ok`, or the code of the first reason.
    code: &'static str,
    /// The codes of all reasons, in their order; none if it went well.
    reasons: Vec<&'static str>,
    /// The reasons in words.
    message: String,
    /// Whether a scenario must expect the reasons: not those of a press that is kept.
    is_final: bool,
}

impl StepResult {
    pub(super) fn ok() -> Self {
        Self { code: "Ok", reasons: Vec::new(), message: String::new(), is_final: true }
    }

    pub(super) fn refused(
        reasons: impl IntoIterator<Item = &'static str>,
        message: impl Into<String>,
    ) -> Self {
        let reasons: Vec<_> = reasons.into_iter().collect();
        let code = reasons.first().copied().unwrap_or("Ok");
        Self { code, reasons, message: message.into(), is_final: true }
    }

    /// A refusal that may still come to something: a press that is kept (A13).
    pub(super) fn kept(self) -> Self {
        Self { is_final: false, ..self }
    }
}

/// An observer of states alone.
struct States<F>(F);

impl<F: FnMut(&Runner<'_>)> Observer for States<F> {
    fn state(&mut self, runner: &Runner<'_>) {
        (self.0)(runner);
    }
}

/// A scenario in motion: the simulation, and what the scenario calls its parts.
pub struct Runner<'s> {
    pub(super) scenario: &'s Scenario,
    pub(super) simulation: Simulation,
    pub(super) controllers: Vec<(&'s str, ControllerId)>,
    /// What `As` names; `None` for an application that gave no active effect.
    pub(super) effects: BTreeMap<&'s str, Option<ActiveEffectId>>,
    pub(super) grants: BTreeMap<&'s str, Option<AbilityHandle>>,
    pub(super) activations: BTreeMap<&'s str, Option<ActivationId>>,
    /// Events since the first step, by kind.
    pub(super) events: BTreeMap<&'static str, u64>,
    /// The same at the last expectation.
    pub(super) events_before: BTreeMap<&'static str, u64>,
    /// Events of executed cues since the last expectation.
    pub(super) executed_cues: Vec<Event>,
    /// Outcome of the last step that was not a check.
    pub(super) last: &'static str,
    /// The codes of all its reasons.
    pub(super) reasons: Vec<&'static str>,
    failures: Vec<Failure>,
    options: Options,
    position: u32,
    stopped: bool,
    moments_left: u32,
    /// Something that is allowed and rarely meant; told with the next failure.
    pub(super) note: Option<String>,
    /// Whether something happened that the observer has not been shown.
    unseen: bool,
    /// Sees every command.
    pub(super) witness: Option<&'s mut dyn CommandWitness>,
}

impl<'s> Runner<'s> {
    /// Restores the state and spawns the controllers that it begins with.
    ///
    /// # Errors
    /// If the state cannot be restored, or a controller not be spawned.
    pub fn new(scenario: &'s Scenario, catalog: Arc<Catalog>, options: Options) -> Result<Self, Failure> {
        Self::begin(scenario, catalog, options, None, None)
    }

    /// The same under the eyes of a witness, who sees every command from the first on.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn witnessed(
        scenario: &'s Scenario,
        catalog: Arc<Catalog>,
        options: Options,
        witness: &'s mut dyn CommandWitness,
    ) -> Result<Self, Failure> {
        Self::begin(scenario, catalog, options, None, Some(witness))
    }

    /// The same with another seed than the scenario's, or its state's.
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

    pub(super) fn begin(
        scenario: &'s Scenario,
        catalog: Arc<Catalog>,
        options: Options,
        seed: Option<u64>,
        witness: Option<&'s mut dyn CommandWitness>,
    ) -> Result<Self, Failure> {
        let Beginning { simulation, brought_over } =
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
            });
        }
        let mut runner = Self {
            scenario,
            simulation,
            controllers: Vec::new(),
            effects: BTreeMap::new(),
            grants: BTreeMap::new(),
            activations: BTreeMap::new(),
            events: BTreeMap::new(),
            events_before: BTreeMap::new(),
            executed_cues: Vec::new(),
            last: "Ok",
            reasons: Vec::new(),
            failures: Vec::new(),
            options,
            position: 0,
            stopped: false,
            moments_left: MOST_MOMENTS,
            note: brought_over.map(|diagnostic| diagnostic.message),
            unseen: false,
            witness,
        };
        if let Some(witness) = &mut runner.witness {
            witness.begin(&runner.simulation);
        }
        let (characters, others): (Vec<_>, Vec<_>) =
            scenario.controllers().partition(|(_, actor)| actor.character.is_some());
        // Whoever a character's effects are from has to be there before it.
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
            })?;
            runner.controllers.push((name, id));
            if let Some(witness) = &mut runner.witness {
                witness.name(id, name);
            }
        }
        let order: BTreeMap<&str, usize> = scenario.controllers().map(|(name, _)| name).zip(0..).collect();
        runner.controllers.sort_by_key(|(name, _)| order.get(name));
        runner.simulation.events().for_each(drop);
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

    /// The controller that the scenario calls so, else the living one that a `SpawnController` task named so (A17).
    pub fn controller(&self, name: &str) -> Option<ControllerId> {
        let own = self.controllers.iter().find(|(known, _)| *known == name).map(|(_, id)| *id);
        own.or_else(|| self.simulation.summoned(name))
    }

    /// Runs all steps, and shows the simulation to an observer at the start, on the way and at the end.
    pub fn run(&mut self, observer: impl FnMut(&Runner<'_>)) {
        self.run_watched(&mut States(observer));
    }

    /// Runs all steps under the eyes of an observer.
    pub fn run_watched(&mut self, observer: &mut impl Observer) {
        observer.state(self);
        let steps = self.scenario.steps();
        for (position, step) in (0..).zip(steps) {
            self.position = position;
            self.step(step, steps.get(position as usize + 1), observer);
            self.tell_events(observer);
            if self.stopped {
                break;
            }
            if self.unseen && self.options.every.is_none() {
                observer.state(self);
                self.unseen = false;
            }
        }
        if let Some(until) = self.options.until.filter(|_| !self.stopped) {
            self.advance(until, observer);
            self.tell_events(observer);
        }
        if self.unseen {
            observer.state(self);
        }
    }

    /// Whether something was not as expected so far.
    pub fn has_failed(&self) -> bool {
        !self.failures.is_empty()
    }

    /// How it ended.
    pub fn into_outcome(mut self) -> Outcome {
        if let Some(witness) = &mut self.witness {
            witness.end(&self.simulation);
        }
        let state = |(name, id): &(&str, ControllerId)| {
            ((*name).to_owned(), ControllerState::of(&self.simulation, *id))
        };
        Outcome {
            hash: Some(self.simulation.state_hash()),
            controllers: self.controllers.iter().map(state).collect(),
            ..Outcome::new(self.scenario, self.failures)
        }
    }

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
        // The definition is the scenario's own and has no name.
        let unnamed = |error: String| error.replace("controller template `` at ", "");
        let spawned = self.execute(Command::Spawn(spawn)).map_err(|error| unnamed(error.to_string()))?;
        let CommandOutcome::Spawned(id) = spawned else { return Err("nothing was spawned".to_owned()) };
        if let Some(position) = &actor.position {
            self.place(id, position.0.value, &actor.facing)?;
        }
        if let Some(team) = &actor.team {
            let team = Some(Team::from(team.value.as_str()));
            let joined = self.execute(Command::SetTeam { controller: id, team });
            joined.map_err(|error| self.words(&error))?;
        }
        for set in actor.ability_sets.iter() {
            let granted = self.execute(Command::GrantSet { controller: id, set: set.value.clone() });
            granted.map_err(|error| error.to_string())?;
        }
        Ok(id)
    }

    fn step(&mut self, step: &'s StepDoc, next: Option<&StepDoc>, observer: &mut impl Observer) {
        let result = match &step.action {
            ActionDoc::Expect(expect) => return self.check(expect, step.span),
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
        // A name that stands for nothing is a refusal like any other, which a scenario may expect.
        let result = result.or_else(|message| match self.unknown_name(&step.record) {
            Some(code) => Ok(StepResult::refused([code], message)),
            None => Err(message),
        });
        match result {
            Err(message) => {
                self.fail(step.span, "a step that can be carried out", "an impossible one", message)
            }
            Ok(StepResult { code, reasons, message, is_final }) => {
                let is_instant = !matches!(step.action, ActionDoc::Advance(_) | ActionDoc::At(_));
                self.unseen |= is_instant && (code == "Ok" || !is_final);
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
            // Moment by moment: the simulation keeps only so many events until they are asked for, and none may be
            // missing from the count because a step was long (V4).
            if let Some(timer) = self.simulation.next_timer().filter(|timer| *timer <= next) {
                next = timer.max(now + Span::from_micros(1));
                let Some(left) = self.moments_left.checked_sub(1) else { return self.never_ends() };
                self.moments_left = left;
            }
            let _ = self.execute(Command::Advance(next.since(now)));
            let is_sample = sample == Some(self.simulation.now());
            self.unseen = !is_sample;
            if is_sample {
                observer.state(self);
            }
            self.tell_events(observer);
        }
    }

    fn never_ends(&mut self) {
        self.stopped = true;
        let step = self.scenario.steps().get(self.position as usize);
        let span = step.map_or(self.scenario.doc.span, |step| step.span);
        let message = format!(
            "effects and tasks have been at work {MOST_MOMENTS} times, and it goes on: let less time pass, or make \
             periods longer"
        );
        self.fail(span, format!("at most {MOST_MOMENTS} moments"), "more", message);
    }

    fn tell_events(&mut self, observer: &mut impl Observer) {
        while let Some(event) = self.simulation.poll_event() {
            *self.events.entry(event.kind.name()).or_default() += 1;
            observer.event(self, &event);
            if matches!(event.kind, EventKind::CueExecuted { .. }) {
                self.executed_cues.push(event);
            }
        }
    }

    pub(super) fn fail(
        &mut self,
        span: crate::source::Span,
        expected: impl Into<String>,
        actual: impl Into<String>,
        message: impl Into<String>,
    ) {
        let (step, line) = (Some(self.position), self.scenario.line(span));
        let (expected, actual, mut message) = (expected.into(), actual.into(), message.into());
        // What went by without a word may be why.
        if let Some(note) = self.note.take() {
            message = format!("{message} (note: {note})");
        }
        self.failures.push(Failure { step, line, expected, actual, message });
    }
}

/// A template with what a scenario adds to it; a base value of the scenario wins.
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
    fn what_never_ends_is_ended() {
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
            runner.moments_left = 1000;
            runner.run(|_| {});
            // However long the steps are (V4), it ends at the same moment: after the thousandth.
            assert_eq!(runner.simulation().now().micros(), 1000);
            let outcome = runner.into_outcome();
            assert_eq!(outcome.failures.len(), 1, "what comes after is not looked at");
            assert_eq!((outcome.failures[0].step, outcome.failures[0].line), (Some(1), 13));
        }
    }
}
