//! Validation of decoded facts.
//!
//! Checks every invariant that the rules rely on: ids and handles refer to something, lists have the lengths
//! and orders that their owners require, numbers are finite, clocks have not run backwards. Tags from a host,
//! in a spec or an event, may be unknown: that is allowed.

use super::super::State;
use crate::ability::{Activation, Branch, BranchStatus, GameplayEvent, GrantedAbility, check_parameters};
use crate::catalog::Catalog;
use crate::controller::{Controller, Summon};
use crate::effect::{ActiveEffect, EffectSpec, EffectStatus};
use crate::handle::{ActivationId, TaskId};
use crate::id::TagId;
use crate::tag::TagBits;
use crate::task::{Occurrence, Repetition, Routine, RunningTask, Subject};
use crate::time::{Span, Time};

/// Description of a violated invariant.
type Violation = &'static str;

/// Upper limit of counters in a snapshot, so that counting never overflows.
pub(crate) const LARGEST_COUNT: u64 = 1 << 62;

/// Limit on the nesting of tasks, and so of branches.
const DEEPEST_BRANCH: u32 = 128;

/// Decoded state to validate, and its catalog. Each function returns the first violated invariant.
pub(in crate::simulation) struct Check<'a> {
    pub(in crate::simulation) state: &'a State,
    pub(in crate::simulation) catalog: &'a Catalog,
}

impl Check<'_> {
    /// Checks counters, all objects, unique numbers and cycles of live magnitudes.
    pub(super) fn everything(&self) -> Result<(), Violation> {
        let State { sequence, ordinal, operation, events, .. } = self.state;
        let is_exhausted =
            [sequence, ordinal, operation, events].into_iter().any(|count| *count > LARGEST_COUNT);
        require(!is_exhausted, "a counter is too large")?;
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

    /// Checks that sequence numbers and ordinals are unique.
    fn numbers(&self) -> Result<(), Violation> {
        let State { controllers, effects, abilities, activations, tasks, .. } = self.state;
        let effects = effects.iter().map(|(_, active)| active.sequence);
        let abilities = abilities.iter().map(|(_, granted)| granted.sequence);
        let runs = activations.iter().map(|(_, run)| run.sequence);
        let tasks = tasks.iter().map(|(_, task)| task.sequence);
        let sequences = effects.chain(abilities).chain(runs).chain(tasks).collect();
        require(are_distinct(sequences), "two objects have the same sequence number")?;
        let ordinals = controllers.iter().map(|(_, controller)| controller.ordinal).collect();
        require(are_distinct(ordinals), "two controllers have the same ordinal")
    }

    /// Checks values, template, counts and input buffer of a controller.
    pub(in crate::simulation) fn controller(&self, controller: &Controller) -> Result<(), Violation> {
        let slots = self.state.layout(controller).slots.len();
        let Controller { values, pending, buffer, interactions, ability_data, .. } = controller;
        require(values.len() == slots, "the values of a controller do not match its attributes")?;
        let are_finite = values.iter().all(|value| value.base.is_finite() && value.current.is_finite());
        require(are_finite, "an attribute value is not finite")?;
        require(pending.fits(slots), "a controller has pending values of attributes that it lacks")?;
        require(
            controller.ordinal < self.state.ordinal,
            "the ordinal of a controller is not below the next one",
        )?;
        let template = controller.template;
        let is_known = template.is_none_or(|template| self.catalog.template_by_id(template).is_some());
        require(is_known, "the template of a controller does not exist")?;
        let are_sorted = interactions.rolls.is_sorted_by(|one, other| one.0 < other.0)
            && ability_data.runs.is_sorted_by(|one, other| one.0 < other.0);
        require(are_sorted, "the application or activation counts of a controller are not sorted")?;
        controller.summon().map_or(Ok(()), |summon| self.summon(summon))?;
        require(buffer.is_finite(), "a target of an input is not finite")?;
        require(buffer.is_within_capacity(), "an input buffer holds more inputs than its capacity")
    }

    /// Checks instigator, name and lifetime of a summoned controller.
    fn summon(&self, summon: &Summon) -> Result<(), Violation> {
        let instigator = summon.instigator;
        let has_lived = instigator.is_unseen() || self.state.controllers.has_lived(instigator);
        require(has_lived, "the instigator of a summoned controller never existed")?;
        let is_counted = summon.name.as_ref().is_none_or(|name| name.number > 0);
        require(is_counted, "the name of a summoned controller has the number 0")?;
        require(
            summon.expires.is_none_or(|at| at >= self.state.now),
            "the lifetime of a summoned controller ended in the past",
        )?;
        require(
            summon.sequence < self.state.sequence,
            "the sequence number of a summoned controller is not below the next one",
        )
    }

    /// Checks an active effect against its definition: target, source, spec, magnitudes, stacks and clock.
    pub(in crate::simulation) fn effect(&self, active: &ActiveEffect) -> Result<(), Violation> {
        let definition = self.state.definition(self.catalog, active.effect);
        let definition = definition.ok_or("the definition of an active effect does not exist")?;
        require(
            self.state.controllers.contains(active.target),
            "the target of an active effect does not exist",
        )?;
        let source = active.spec.context.source;
        require(
            source.is_none_or(|source| source.is_unseen() || self.state.controllers.has_lived(source)),
            "the source of an active effect never existed",
        )?;
        let is_own = active.spec.effect == active.effect && active.spec.name_hash == definition.name_hash;
        require(is_own, "an active effect has the spec of another effect")?;
        require(
            active.magnitudes.len() == definition.modifiers.len(),
            "the magnitudes of an active effect do not match its modifiers",
        )?;
        require(active.magnitudes.iter().all(|value| value.is_finite()), "a magnitude is not finite")?;
        self.spec(&active.spec, definition.captures.len())?;
        self.started(active.sequence.max(active.applied), active.started())?;
        require(active.stacks > 0, "an active effect has no stacks")?;
        require(active.period().is_none_or(Span::is_positive), "a period is not positive")?;
        let waits = active.status == EffectStatus::Queued;
        let has_clock = active.expires().is_some() || active.next_tick().is_some();
        require(!(waits && has_clock), "the clock of a queued effect is running")?;
        self.tick(active)?;
        require(
            active.expires().is_none_or(|at| at >= self.state.now),
            "an active effect expired in the past",
        )?;
        if let Some(source) = &active.parts.last_source {
            require(
                source.tags.iter().all(|tag| self.has_tag(tag)),
                "a remembered source has tags that do not exist",
            )?;
            let are_finite = source.values.iter().all(|(_, base, current)| (base + current).is_finite());
            require(are_finite, "a value of a remembered source is not finite")?;
        }
        Ok(())
    }

    /// Checks the period of an effect: its next tick is not in the past. A phase that begins later than now
    /// is that of a character whose last tick was before this simulation (P4): it begins with the next tick.
    fn tick(&self, active: &ActiveEffect) -> Result<(), Violation> {
        let latest = self.state.now + active.period().unwrap_or(Span::ZERO);
        require(active.clock.phase <= latest, "the period of an effect begins in the future")?;
        let Some(at) = active.next_tick() else { return Ok(()) };
        require(
            active.period().is_some() && at >= self.state.now,
            "the next tick of an effect is in the past",
        )
    }

    /// Checks numbers and tags of a spec; `captures` is the number of captures in the definition.
    fn spec(&self, spec: &EffectSpec, captures: usize) -> Result<(), Violation> {
        require(spec.captured().len() == captures, "the captures of a spec do not match its definition")?;
        let mut numbers = spec.magnitudes().iter().map(|(_, value)| value).chain([&spec.level]);
        let are_finite = numbers.all(|value| value.is_finite());
        require(are_finite, "a number of a spec is not finite")?;
        let of_ability = spec.context.ability_tags().into_iter().flat_map(TagBits::iter);
        let mut tags = spec.context.tags().iter().chain(of_ability);
        require(tags.all(|tag| self.has_tag(tag)), "a context has tags that do not exist")
    }

    /// Checks definition, owner, parameters and recharge of a granted ability.
    pub(in crate::simulation) fn ability(&self, granted: &GrantedAbility) -> Result<(), Violation> {
        let is_known = self.catalog.ability_by_id(granted.ability).is_some();
        require(is_known, "the definition of a granted ability does not exist")?;
        let has_owner = self.state.controllers.contains(granted.controller);
        require(has_owner, "the owner of a granted ability does not exist")?;
        check_parameters(&granted.parameters)?;
        require(
            granted.recharge.is_none_or(|at| at >= self.state.now),
            "the recharge of an ability is in the past",
        )?;
        self.started(granted.sequence, Time::ZERO)
    }

    /// Checks an activation against its ability: grant, numbers, tags, standing waits and branches. An
    /// activation that is ending does not occur between operations.
    pub(in crate::simulation) fn activation(
        &self,
        id: ActivationId,
        activation: &Activation,
    ) -> Result<(), Violation> {
        let ability = self.catalog.ability_by_id(activation.ability);
        let ability = ability.ok_or("the ability of an activation does not exist")?;
        let is_of = |granted: &GrantedAbility| {
            granted.ability == activation.ability && granted.controller == activation.controller
        };
        require(
            self.state.abilities.get(activation.granted).is_some_and(is_of),
            "the ability of an activation is not granted",
        )?;
        self.started(activation.sequence, activation.started)?;
        check_parameters(&activation.parameters)?;
        let mut tags = activation.cues.iter().copied().chain(activation.while_tag);
        require(tags.all(|tag| self.has_tag(tag)), "an activation has tags that do not exist")?;
        let contexts = activation.branches.iter().filter_map(|branch| branch.context.as_deref());
        let mut events =
            contexts.clone().filter_map(|context| context.event.as_ref()).chain(&activation.event);
        let mut targets = contexts
            .map(|context| &context.targets)
            .chain([&*activation.targets, activation.first_targets()]);
        let is_finite =
            events.all(GameplayEvent::is_finite) && targets.all(|targets| targets.check().is_ok());
        require(is_finite, "a number of an activation is not finite")?;
        let standing = activation.standing.iter().map(|task| self.state.tasks.get(*task));
        let mut steps: Vec<Option<u32>> =
            standing.map(|task| task.filter(|task| task.activation == id).map(|task| task.step)).collect();
        steps.sort_unstable();
        let are_distinct = steps.is_sorted_by(|one, other| one < other);
        require(
            are_distinct && !steps.contains(&None),
            "the standing waits of an activation are not its own",
        )?;
        let names = ability.routine.names.len();
        let are_named = activation.applied.iter().all(|(name, _)| usize::from(*name) < names);
        require(are_named, "an activation has applied effects under names that its tasks do not have")?;
        require(
            !activation.ending && !activation.branches.is_empty(),
            "an activation neither runs nor has ended",
        )?;
        self.branches(id, activation, &ability.routine)
    }

    /// Checks that branches are sorted by number; each but the first has an earlier parent that waits for it;
    /// and the task that holds a branch exists.
    fn branches(
        &self,
        id: ActivationId,
        activation: &Activation,
        routine: &Routine,
    ) -> Result<(), Violation> {
        let branches = activation.branches.as_slice();
        require(
            branches.is_sorted_by(|one, other| one.id < other.id),
            "the branches of an activation are not sorted",
        )?;
        let mut children = vec![0u32; branches.len()];
        let mut depths = vec![0u32; branches.len()];
        for (at, branch) in branches.iter().enumerate() {
            let is_known = |step: u32| routine.step(step).is_some();
            let are_known = is_known(branch.step) && branch.rounds.iter().all(|round| is_known(round.step));
            require(are_known, "a branch is at a step that does not exist")?;
            let parent = branch.parent.map(|parent| branches.binary_search_by_key(&parent, |other| other.id));
            match parent {
                None => require(at == 0, "an activation has two root branches")?,
                Some(Ok(parent)) if parent < at => {
                    children[parent] += 1;
                    depths[at] = depths[parent] + 1;
                    require(
                        depths[at] <= DEEPEST_BRANCH,
                        "the branches of an activation are nested too deeply",
                    )?;
                }
                Some(_) => return Err("the parent of a branch is not an earlier branch"),
            }
            if let BranchStatus::Waiting(task) = branch.status {
                let task =
                    self.state.tasks.get(task).ok_or("a branch waits for a task that does not exist")?;
                let place = (task.activation, task.branch, task.step);
                require(
                    place == (id, branch.id, branch.step),
                    "a branch waits for a task of another branch",
                )?;
            }
        }
        let holds = |(branch, children): (&Branch, &u32)| match branch.status {
            BranchStatus::Joining(count) => count == *children,
            BranchStatus::Running | BranchStatus::Yielding | BranchStatus::Waiting(_) => *children == 0,
        };
        require(branches.iter().zip(&children).all(holds), "a branch waits for a wrong number of branches")
    }

    /// Checks a task: it either holds a branch of its activation or stands, and its queue, deadline and
    /// subscriptions are valid.
    pub(in crate::simulation) fn task(&self, id: TaskId, task: &RunningTask) -> Result<(), Violation> {
        let activation = self.state.activations.get(task.activation);
        let activation = activation.ok_or("the activation of a task does not exist")?;
        require(
            task.controller == activation.controller,
            "a task and its activation have different controllers",
        )?;
        let is_awaited =
            activation.branch(task.branch).is_some_and(|branch| branch.status == BranchStatus::Waiting(id));
        let stands = activation.standing.contains(&id);
        require(is_awaited != stands, "a task neither holds a branch nor stands")?;
        let ability = self.catalog.ability_by_id(activation.ability);
        let repetition = ability.map(|ability| ability.routine.repetition(task.step));
        require(
            repetition != Some(Repetition::Once) || !stands,
            "a task stands although it does not repeat",
        )?;
        require(task.queue.iter().all(Occurrence::is_finite), "a number of an occurrence is not finite")?;
        let is_known = |occurrence: &Occurrence| match occurrence {
            Occurrence::Event(event) => event.tags().all(|tag| self.has_tag(tag)),
            _ => true,
        };
        require(task.queue.iter().all(is_known), "a task has queued an event that does not exist")?;
        self.started(task.sequence, task.started)?;
        require(
            task.deadline.is_none_or(|at| at >= self.state.now),
            "the deadline of a task is in the past",
        )?;
        require(task.memory.iter().all(|value| value.is_finite()), "a number of a task is not finite")?;
        require(
            task.subjects.is_sorted_by(|one, other| one < other),
            "the subscriptions of a task are not sorted",
        )?;
        let attributes = self.catalog.attribute_count();
        let is_known = |subject: &Subject| match *subject {
            Subject::Tag(tag) | Subject::TagCount(tag) | Subject::Event(tag) => self.has_tag(tag),
            Subject::Attribute(attribute) => attribute.usize() < attributes,
            _ => true,
        };
        require(
            task.watched.is_sorted_by(|one, other| one < other)
                && task.watched.iter().all(|(controller, _)| *controller != task.controller),
            "the watched subjects of a task are not sorted, or are of its own controller",
        )?;
        let mut subjects = task.subjects.iter().chain(task.watched.iter().map(|(_, subject)| subject));
        require(subjects.all(is_known), "a task subscribes to something that does not exist")
    }

    fn has_tag(&self, tag: TagId) -> bool {
        tag.usize() < self.catalog.tags().len()
    }

    /// Checks that a started object has a sequence number below the next one, and a start time that is not in
    /// the future.
    fn started(&self, sequence: u64, at: Time) -> Result<(), Violation> {
        require(sequence < self.state.sequence, "a sequence number is not below the next one")?;
        require(at <= self.state.now, "a start time is in the future")
    }
}

fn are_distinct(mut numbers: Vec<u64>) -> bool {
    numbers.sort_unstable();
    numbers.is_sorted_by(|one, other| one < other)
}

fn require(holds: bool, otherwise: Violation) -> Result<(), Violation> {
    if holds { Ok(()) } else { Err(otherwise) }
}
