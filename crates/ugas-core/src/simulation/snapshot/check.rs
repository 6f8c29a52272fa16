//! Whether facts that were read can be those of a simulation.
//!
//! Whatever the rules take for granted is checked here, so that they need not expect the impossible: ids and handles
//! name something, lists have the lengths and orders that their owners give them, numbers are finite, clocks have not
//! run backwards. Tags that a host gave, with a spec or an event, may name nothing: that is ruled.

use super::super::State;
use crate::ability::{Activation, GameplayEvent, GrantedAbility, Thread, ThreadStatus, check_parameters};
use crate::catalog::Catalog;
use crate::controller::{Controller, Summon};
use crate::effect::{ActiveEffect, EffectSpec, EffectStatus};
use crate::handle::{ActivationId, TaskId};
use crate::id::TagId;
use crate::tag::TagBits;
use crate::task::{Occurrence, Repetition, Routine, RunningTask, Subject};
use crate::time::{Span, Time};

/// What is wrong.
type Wrong = &'static str;

/// Numbers that only count upwards stay below this, so that counting never reaches the end.
pub(crate) const LARGEST_COUNT: u64 = 1 << 62;

/// Tasks are nested less deeply than this, and branches no deeper than tasks.
const DEEPEST_BRANCH: u32 = 128;

pub(in crate::simulation) struct Check<'a> {
    pub(in crate::simulation) state: &'a State,
    pub(in crate::simulation) catalog: &'a Catalog,
}

impl Check<'_> {
    pub(super) fn everything(&self) -> Result<(), Wrong> {
        let State { sequence, ordinal, operation, events, .. } = self.state;
        let is_exhausted =
            [sequence, ordinal, operation, events].into_iter().any(|count| *count > LARGEST_COUNT);
        require(!is_exhausted, "a counter is beyond all that a simulation reaches")?;
        for (_, controller) in self.state.controllers.iter() {
            self.controller(controller)?;
        }
        for (_, active) in self.state.effects.iter() {
            self.effect(active)?;
        }
        for (_, granted) in self.state.abilities.iter() {
            self.ability(granted)?;
        }
        for (id, activation) in self.state.activations.iter() {
            self.activation(id, activation)?;
        }
        for (id, task) in self.state.tasks.iter() {
            self.task(id, task)?;
        }
        self.numbers()?;
        let has_cycle = self.state.find_any_cycle(self.catalog).is_some();
        require(!has_cycle, "live magnitudes make an attribute depend on itself")
    }

    /// Numbers that order things, and find them, are given out once.
    fn numbers(&self) -> Result<(), Wrong> {
        let State { controllers, effects, abilities, activations, tasks, .. } = self.state;
        let effects = effects.iter().map(|(_, active)| active.sequence);
        let abilities = abilities.iter().map(|(_, granted)| granted.sequence);
        let runs = activations.iter().map(|(_, run)| run.sequence);
        let tasks = tasks.iter().map(|(_, task)| task.sequence);
        let sequences = effects.chain(abilities).chain(runs).chain(tasks).collect();
        require(are_distinct(sequences), "two things have the same number")?;
        let ordinals = controllers.iter().map(|(_, controller)| controller.ordinal).collect();
        require(are_distinct(ordinals), "two controllers have the same number")
    }

    pub(in crate::simulation) fn controller(&self, controller: &Controller) -> Result<(), Wrong> {
        let slots = self.state.layout(controller).slots.len();
        let Controller { values, pending, buffer, extras, skills, .. } = controller;
        require(values.len() == slots, "a controller has values for other attributes")?;
        let are_finite = values.iter().all(|value| value.base.is_finite() && value.current.is_finite());
        require(are_finite, "an attribute is not finite")?;
        require(pending.fits(slots), "attributes wait to be computed that a controller does not have")?;
        require(controller.ordinal < self.state.ordinal, "a controller has the number of a later one")?;
        let template = controller.template;
        let is_known = template.is_none_or(|template| self.catalog.template_by_id(template).is_some());
        require(is_known, "a controller is of a template that does not exist")?;
        let are_sorted = extras.rolls.is_sorted_by(|one, other| one.0 < other.0)
            && skills.runs.is_sorted_by(|one, other| one.0 < other.0);
        require(are_sorted, "the counts of a controller are not sorted")?;
        controller.summon().map_or(Ok(()), |summon| self.summon(summon))?;
        require(buffer.is_finite(), "a target of an input is not finite")?;
        require(buffer.is_within_capacity(), "more inputs are kept than there is room for")
    }

    fn summon(&self, summon: &Summon) -> Result<(), Wrong> {
        let instigator = summon.instigator;
        let has_lived = instigator.is_unseen() || self.state.controllers.has_lived(instigator);
        require(has_lived, "a controller was summoned by one that never was")?;
        let is_counted = summon.name.as_ref().is_none_or(|name| name.number > 0);
        require(is_counted, "the name of a summoned controller has the number 0")?;
        require(
            summon.expires.is_none_or(|at| at >= self.state.now),
            "a summoned controller should have left before",
        )?;
        require(summon.sequence < self.state.sequence, "a controller was summoned by a later operation")
    }

    pub(in crate::simulation) fn effect(&self, active: &ActiveEffect) -> Result<(), Wrong> {
        let definition = self.state.definition(self.catalog, active.effect);
        let definition = definition.ok_or("an active effect is of a definition that does not exist")?;
        require(
            self.state.controllers.contains(active.target),
            "an effect is on a controller that is not there",
        )?;
        let source = active.spec.context.source;
        require(
            source.is_none_or(|source| source.is_unseen() || self.state.controllers.has_lived(source)),
            "an effect is of a source that never was",
        )?;
        let is_own = active.spec.effect == active.effect && active.spec.name_hash == definition.name_hash;
        require(is_own, "an active effect has the spec of another")?;
        require(
            active.magnitudes.len() == definition.modifiers.len(),
            "an active effect has magnitudes for other modifiers",
        )?;
        require(active.magnitudes.iter().all(|value| value.is_finite()), "a magnitude is not finite")?;
        self.spec(&active.spec, definition.captures.len())?;
        self.started(active.sequence.max(active.applied), active.started())?;
        require(active.stacks > 0, "an active effect has no stacks")?;
        require(active.period().is_none_or(Span::is_positive), "a period is not positive")?;
        let waits = active.status == EffectStatus::Queued;
        let has_clock = active.expires().is_some() || active.next_tick().is_some();
        require(!(waits && has_clock), "the clock of an effect runs that waits for its turn")?;
        self.tick(active)?;
        require(
            active.expires().is_none_or(|at| at >= self.state.now),
            "an effect should have ended before",
        )?;
        if let Some(source) = &active.last_source {
            require(source.tags.iter().all(|tag| self.has_tag(tag)), "a source had tags that do not exist")?;
            let are_finite = source.values.iter().all(|(_, base, current)| (base + current).is_finite());
            require(are_finite, "a value of a source is not finite")?;
        }
        Ok(())
    }

    /// The next tick is a period after the one before, or it never comes. A phase that is yet to begin is that of a
    /// character whose last tick was before this simulation (P4): it begins with the next one.
    fn tick(&self, active: &ActiveEffect) -> Result<(), Wrong> {
        let latest = self.state.now + active.period().unwrap_or(Span::ZERO);
        require(active.clock.phase <= latest, "the phase of an effect begins in the future")?;
        let Some(at) = active.next_tick() else { return Ok(()) };
        require(active.period().is_some() && at >= self.state.now, "an effect is to tick in the past")
    }

    fn spec(&self, spec: &EffectSpec, captures: usize) -> Result<(), Wrong> {
        let EffectSpec { level, set_by_caller, captured, .. } = spec;
        require(captured.len() == captures, "a spec has captured other values")?;
        let mut numbers = set_by_caller.iter().map(|(_, value)| value).chain([level]);
        let are_finite = numbers.all(|value| value.is_finite());
        require(are_finite, "a number of a spec is not finite")?;
        let of_ability = spec.context.ability_tags().into_iter().flat_map(TagBits::iter);
        let mut tags = spec.context.tags().iter().chain(of_ability);
        require(tags.all(|tag| self.has_tag(tag)), "a context has tags that do not exist")
    }

    pub(in crate::simulation) fn ability(&self, granted: &GrantedAbility) -> Result<(), Wrong> {
        let is_known = self.catalog.ability_by_id(granted.ability).is_some();
        require(is_known, "a granted ability is of a definition that does not exist")?;
        let has_owner = self.state.controllers.contains(granted.controller);
        require(has_owner, "an ability is granted to a controller that is not there")?;
        check_parameters(&granted.parameters)?;
        require(granted.recharge.is_none_or(|at| at >= self.state.now), "a charge was due in the past")?;
        self.started(granted.sequence, Time::ZERO)
    }

    pub(in crate::simulation) fn activation(
        &self,
        id: ActivationId,
        activation: &Activation,
    ) -> Result<(), Wrong> {
        let ability = self.catalog.ability_by_id(activation.ability);
        let ability = ability.ok_or("a run is of an ability that does not exist")?;
        let is_of = |granted: &GrantedAbility| {
            granted.ability == activation.ability && granted.controller == activation.controller
        };
        require(
            self.state.abilities.get(activation.granted).is_some_and(is_of),
            "a run is of an ability that is not granted",
        )?;
        self.started(activation.sequence, activation.started)?;
        check_parameters(&activation.parameters)?;
        let mut tags = activation.cues.iter().copied().chain(activation.while_tag);
        require(tags.all(|tag| self.has_tag(tag)), "a run has tags that do not exist")?;
        let contexts = activation.threads.iter().filter_map(|thread| thread.context.as_deref());
        let mut events =
            contexts.clone().filter_map(|context| context.event.as_ref()).chain(&activation.event);
        let mut targets = contexts
            .map(|context| &context.targets)
            .chain([&*activation.targets, activation.first_targets()]);
        let is_finite =
            events.all(GameplayEvent::is_finite) && targets.all(|targets| targets.check().is_ok());
        require(is_finite, "a number of a run is not finite")?;
        let standing = activation.standing.iter().map(|task| self.state.tasks.get(*task));
        let mut steps: Vec<Option<u32>> =
            standing.map(|task| task.filter(|task| task.activation == id).map(|task| task.step)).collect();
        steps.sort_unstable();
        let are_distinct = steps.is_sorted_by(|one, other| one < other);
        require(are_distinct && !steps.contains(&None), "the standing waits of a run are not its own")?;
        let names = ability.routine.names.len();
        let are_named = activation.applied.iter().all(|(name, _)| usize::from(*name) < names);
        require(are_named, "a run has applied effects under names that its tasks do not have")?;
        require(!activation.ending && !activation.threads.is_empty(), "a run neither goes on nor has ended")?;
        self.threads(id, activation, &ability.routine)
    }

    /// Branches are in the order of their names; each but the first has a parent that came before it and waits for it;
    /// and what a branch waits for is there.
    fn threads(&self, id: ActivationId, activation: &Activation, routine: &Routine) -> Result<(), Wrong> {
        let threads = activation.threads.as_slice();
        require(
            threads.is_sorted_by(|one, other| one.id < other.id),
            "the branches of a run are not in order",
        )?;
        let mut branches = vec![0u32; threads.len()];
        let mut depths = vec![0u32; threads.len()];
        for (at, thread) in threads.iter().enumerate() {
            let is_known = |step: u32| routine.step(step).is_some();
            let are_known = is_known(thread.step) && thread.rounds.iter().all(|round| is_known(round.step));
            require(are_known, "a run is at a step that its tasks do not have")?;
            let parent = thread.parent.map(|parent| threads.binary_search_by_key(&parent, |other| other.id));
            match parent {
                None => require(at == 0, "a run has two beginnings")?,
                Some(Ok(parent)) if parent < at => {
                    branches[parent] += 1;
                    depths[at] = depths[parent] + 1;
                    require(depths[at] <= DEEPEST_BRANCH, "the branches of a run are nested too deeply")?;
                }
                Some(_) => return Err("a branch of a run belongs to none that came before it"),
            }
            if let ThreadStatus::Waiting(task) = thread.status {
                let task = self.state.tasks.get(task).ok_or("a run waits for a task that is not there")?;
                let place = (task.activation, task.thread, task.step);
                require(place == (id, thread.id, thread.step), "a run waits for a task of another")?;
            }
        }
        let holds = |(thread, branches): (&Thread, &u32)| match thread.status {
            ThreadStatus::Joining(count) => count == *branches,
            ThreadStatus::Running | ThreadStatus::Yielding | ThreadStatus::Waiting(_) => *branches == 0,
        };
        require(threads.iter().zip(&branches).all(holds), "a run waits for another number of branches")
    }

    pub(in crate::simulation) fn task(&self, id: TaskId, task: &RunningTask) -> Result<(), Wrong> {
        let activation = self.state.activations.get(task.activation);
        let activation = activation.ok_or("a task is of a run that is not there")?;
        require(task.controller == activation.controller, "a task is of another controller than its run")?;
        let is_awaited =
            activation.thread(task.thread).is_some_and(|thread| thread.status == ThreadStatus::Waiting(id));
        let stands = activation.standing.contains(&id);
        require(is_awaited != stands, "a task holds nothing")?;
        let ability = self.catalog.ability_by_id(activation.ability);
        let repetition = ability.map(|ability| ability.routine.repetition(task.step));
        require(repetition != Some(Repetition::Once) || !stands, "a task is left and still there")?;
        require(task.queue.iter().all(Occurrence::is_finite), "a number of an occurrence is not finite")?;
        let is_known = |occurrence: &Occurrence| match occurrence {
            Occurrence::Event(event) => event.tags().all(|tag| self.has_tag(tag)),
            _ => true,
        };
        require(task.queue.iter().all(is_known), "a task keeps an event that does not exist")?;
        self.started(task.sequence, task.started)?;
        require(task.deadline.is_none_or(|at| at >= self.state.now), "a task should have ended before")?;
        require(task.memory.iter().all(|value| value.is_finite()), "a number of a task is not finite")?;
        require(task.subjects.is_sorted_by(|one, other| one < other), "what a task waits for is not sorted")?;
        let attributes = self.catalog.attribute_count();
        let is_known = |subject: &Subject| match *subject {
            Subject::Tag(tag) | Subject::TagCount(tag) | Subject::Event(tag) => self.has_tag(tag),
            Subject::Attribute(attribute) => attribute.usize() < attributes,
            _ => true,
        };
        require(task.subjects.iter().all(is_known), "a task waits for something that does not exist")
    }

    fn has_tag(&self, tag: TagId) -> bool {
        tag.usize() < self.catalog.tags().len()
    }

    /// What has begun has a number from before the next one, and an instant that is not to come.
    fn started(&self, sequence: u64, at: Time) -> Result<(), Wrong> {
        require(sequence < self.state.sequence, "something has the number of what is still to begin")?;
        require(at <= self.state.now, "something began in the future")
    }
}

fn are_distinct(mut numbers: Vec<u64>) -> bool {
    numbers.sort_unstable();
    numbers.is_sorted_by(|one, other| one < other)
}

fn require(holds: bool, otherwise: Wrong) -> Result<(), Wrong> {
    if holds { Ok(()) } else { Err(otherwise) }
}
