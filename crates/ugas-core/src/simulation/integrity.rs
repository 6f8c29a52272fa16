//! Integrity check: derived state compared with the facts that it is derived from.

use smallvec::SmallVec;

use super::Simulation;
use super::state::{Timer, TimerKind};
use crate::ability::BranchStatus;
use crate::controller::Controller;
use crate::controller::index::{AbilityKey, ActivationKey, EffectKey};
use crate::controller::summon::SummonIndex;
use crate::effect::{EffectStatus, WatchSide};
use crate::gap_vec::GapVec;
use crate::handle::ControllerId;
use crate::hash::StateHasher;
use crate::id::{EffectId, TagId};
use crate::tag::TagContainer;
use crate::time::Time;

impl Simulation {
    /// Rebuilds all derived state and describes every difference; empty for a consistent simulation. For
    /// tests of games and engines: it visits the whole state and is slow.
    pub fn inconsistencies(&self) -> Vec<String> {
        let mut found = Vec::new();
        for (id, controller) in self.state.controllers.iter() {
            self.check_abilities(id, controller, &mut found);
            self.check_subscriptions(id, controller, &mut found);
            self.check_effects(id, controller, &mut found);
            self.check_followers(id, controller, &mut found);
            self.check_grants(id, controller, &mut found);
        }
        self.check_uses(&mut found);
        self.check_activations(&mut found);
        self.check_timers(&mut found);
        self.check_summons(&mut found);
        // A copy has no cached hashes.
        let (cached, computed) = (self.state_hash(), self.snapshot().state_hash());
        if cached != computed {
            found.push(format!("the state hash is {computed:016x}, and {cached:016x} by cached hashes"));
        }
        found
    }

    /// Abilities and activations of a controller: lists, indexes and recharge timers.
    fn check_abilities(&self, id: ControllerId, controller: &Controller, found: &mut Vec<String>) {
        let mut granted: Vec<_> =
            self.state.abilities.iter().filter(|(_, granted)| granted.controller == id).collect();
        granted.sort_unstable_by_key(|(_, granted)| granted.sequence);
        differ(
            found,
            "abilities",
            &controller.ability_data.abilities,
            granted.iter().map(|(handle, _)| *handle),
        );
        let mut index = Vec::new();
        for &(handle, granted) in &granted {
            let Some(ability) = self.catalog.ability_by_id(granted.ability) else { continue };
            let keys = AbilityKey::of(ability, granted.input.as_ref());
            index.extend(keys.map(|key| (key, granted.sequence, handle)));
        }
        differ(found, "the index of abilities", &controller.ability_data.ability_index, sorted(index));
        let mut runs: Vec<_> =
            self.state.activations.iter().filter(|(_, run)| run.controller == id).collect();
        runs.sort_unstable_by_key(|(_, run)| run.sequence);
        differ(
            found,
            "activations of a controller",
            &controller.ability_data.activations,
            runs.iter().map(|(run, _)| *run),
        );
        let mut index = Vec::new();
        for &(id, run) in &runs {
            let Some(ability) = self.catalog.ability_by_id(run.ability) else { continue };
            index.extend(ActivationKey::of(ability, run.while_tag).map(|key| (key, run.sequence, id)));
        }
        differ(found, "the index of activations", &controller.ability_data.run_index, sorted(index));
        for (handle, granted) in granted {
            let own = runs.iter().filter(|(_, run)| run.granted == handle);
            differ(found, "activations of an ability", &granted.activations, own.map(|(run, _)| *run));
            if granted.recharge.is_some() != granted.timer.is_some() {
                found.push(
                    "an ability has a recharge without a timer, or a timer without a recharge".to_owned(),
                );
            }
        }
    }

    /// Subscriptions of the tasks of a controller.
    fn check_subscriptions(&self, id: ControllerId, controller: &Controller, found: &mut Vec<String>) {
        let entries = self.state.tasks.iter().flat_map(|(handle, task)| {
            task.subscriptions_to(id).map(move |subject| (subject, task.sequence, handle))
        });
        differ(found, "subscriptions", &controller.ability_data.subscriptions, sorted(entries.collect()));
    }

    /// List and index of the active effects on a controller.
    fn check_effects(&self, id: ControllerId, controller: &Controller, found: &mut Vec<String>) {
        let effects = self.state.effects.iter().filter(|(_, active)| active.target == id);
        let effects = sorted(effects.map(|(id, active)| (active.sequence, id)).collect());
        differ(found, "effects", &controller.effects, effects.map(|(_, id)| id));
        let mut index = Vec::new();
        for &id in controller.effects() {
            let Some((active, effect)) = self.state.effect_of(&self.catalog, id) else { continue };
            let keys = EffectKey::of(effect, active.effect, active.source());
            index.extend(keys.map(|key| (key, active.sequence, id)));
        }
        differ(found, "the index of effects", &controller.interactions.effect_index, sorted(index));
    }

    /// Effects whose source is this controller, and effects that watch it.
    fn check_followers(&self, id: ControllerId, controller: &Controller, found: &mut Vec<String>) {
        let (mut outgoing, mut watchers) = (Vec::new(), Vec::new());
        for (handle, active) in self.state.effects.iter() {
            let Some(effect) = self.state.definition(&self.catalog, active.effect) else { continue };
            if active.source() == Some(id) && active.target != id {
                outgoing.push((active.sequence, handle));
            }
            for watch in &effect.watches {
                let followed = match watch.side {
                    WatchSide::Source => active.source(),
                    WatchSide::Target => Some(active.target),
                };
                if followed == Some(id) {
                    watchers.push((watch.subject, active.sequence, handle));
                }
            }
        }
        differ(found, "outgoing effects", &controller.interactions.outgoing, sorted(outgoing));
        differ(found, "followers", &controller.interactions.watchers, sorted(watchers));
    }

    /// Use counts of effects created at run time.
    fn check_uses(&self, found: &mut Vec<String>) {
        let first = self.catalog.effect_count();
        for (number, effect) in self.state.runtime_effects.iter() {
            let is_of = |id: EffectId| id.usize().checked_sub(first) == Some(number as usize);
            let count = self.state.effects.iter().filter(|(_, active)| is_of(active.effect)).count();
            let uses = self.state.runtime_effects.uses(number);
            if uses as usize != count {
                found.push(format!(
                    "`{}` is said to be active {uses} times and is {count} times",
                    effect.name()
                ));
            }
        }
    }

    /// Grants of effects and abilities: modifiers, tags, cues and ability blocks.
    fn check_grants(&self, id: ControllerId, controller: &Controller, found: &mut Vec<String>) {
        // Inside a batch, magnitudes wait for its end.
        if self.scratch.current.batch_depth == 0 {
            let mut modifiers = GapVec::new();
            self.derive_modifiers(id, &mut modifiers);
            differ(found, "modifiers", &controller.modifiers, modifiers.iter().cloned());
        }
        let mut tags = TagContainer::default();
        self.derive_tags(id, &mut tags, &mut Vec::new());
        // Compared by hash: a container may keep empty entries of removed tags.
        if StateHasher::of(&controller.tags) != StateHasher::of(&tags) {
            found.push(format!("tags are {:?} and should be {tags:?}", controller.tags));
        }
        let mut cues = SmallVec::new();
        self.derive_cues(id, &mut cues);
        differ(found, "cues", &controller.interactions.cues, cues.into_iter());
        let blocks = self.granting_effects(id).flat_map(|(_, effect)| effect.block_abilities.iter());
        differ(
            found,
            "ability blocks",
            &controller.interactions.ability_blocks,
            counted(blocks.collect()).into_iter(),
        );
    }

    /// Every task holds a branch, every held branch has its task, and joins know their branches.
    fn check_activations(&self, found: &mut Vec<String>) {
        let mut held = 0;
        for (id, run) in self.state.activations.iter() {
            if run.ending || run.branches.is_empty() {
                found.push("an activation neither runs nor has ended".to_owned());
            }
            for branch in &run.branches {
                let children = run.branches.iter().filter(|other| other.parent == Some(branch.id)).count();
                let is_sound = match branch.status {
                    // Inside a batch, programs wait for its end.
                    BranchStatus::Running | BranchStatus::Yielding => self.scratch.current.batch_depth > 0,
                    BranchStatus::Joining(count) => count as usize == children,
                    BranchStatus::Waiting(task) => {
                        held += 1;
                        self.state.tasks.get(task).is_some_and(|task| {
                            (task.activation, task.branch, task.step) == (id, branch.id, branch.step)
                        })
                    }
                };
                if !is_sound {
                    found.push(format!("a branch with {children} sub-branches is {:?}", branch.status));
                }
            }
        }
        for (id, task) in self.state.tasks.iter().filter(|(id, _)| !self.holds_branch(*id)) {
            held += 1;
            let run = self.state.activations.get(task.activation);
            if run.is_none_or(|run| run.standing.iter().filter(|known| **known == id).count() != 1) {
                found.push("a wait neither holds a branch nor stands".to_owned());
            }
        }
        let standing = self.state.activations.iter().map(|(_, run)| run.standing.len()).sum::<usize>();
        let holding = self.state.tasks.iter().filter(|(id, _)| self.holds_branch(*id)).count();
        if held != holding + standing {
            found.push("a task holds no branch".to_owned());
        }
    }

    /// Index of summoned controllers.
    fn check_summons(&self, found: &mut Vec<String>) {
        let mut index = SummonIndex::default();
        for (id, controller) in self.state.controllers.iter() {
            controller.summon().into_iter().for_each(|summon| index.insert(id, summon));
        }
        if self.state.summons != index {
            found.push(format!("summons are {:?} and should be {index:?}", self.state.summons));
        }
    }

    /// Scheduled timers of effects, tasks, recharges and lifetimes.
    fn check_timers(&self, found: &mut Vec<String>) {
        let mut expected: Vec<(Time, Timer)> = Vec::new();
        for (id, active) in self.state.effects.iter() {
            let sequence = active.sequence;
            let running = active.status == EffectStatus::Running;
            for (at, kind) in
                [(active.next_tick(), TimerKind::Tick(id)), (active.expires(), TimerKind::Expiry(id))]
            {
                expected.extend(at.filter(|_| running).map(|at| (at, Timer { sequence, kind })));
            }
        }
        for (id, task) in self.state.tasks.iter() {
            let timer = Timer { sequence: task.sequence, kind: TimerKind::Task(id) };
            expected.extend(task.deadline.map(|at| (at, timer)));
        }
        for (id, granted) in self.state.abilities.iter() {
            let timer = Timer { sequence: granted.sequence, kind: TimerKind::Recharge(id) };
            expected.extend(granted.recharge.map(|at| (at, timer)));
        }
        expected.extend(self.departures());
        expected.sort_unstable();
        let mut timers = self.state.timers.clone();
        let scheduled: Vec<_> = core::iter::from_fn(|| timers.pop_due(Time::MAX)).collect();
        differ(found, "timers", &scheduled, expected.into_iter());
    }
}

/// Items in order, each once.
fn sorted<T: Ord>(mut items: Vec<T>) -> impl Iterator<Item = T> {
    items.sort_unstable();
    items.dedup();
    items.into_iter()
}

/// Tags in order, with the number of times that each occurs.
fn counted(mut tags: Vec<TagId>) -> Vec<(TagId, u32)> {
    tags.sort_unstable();
    let mut counts: Vec<(TagId, u32)> = Vec::new();
    for tag in tags {
        match counts.last_mut() {
            Some((last, count)) if *last == tag => *count += 1,
            _ => counts.push((tag, 1)),
        }
    }
    counts
}

/// Adds a description to `found` if the stored `index` differs from the rebuilt one.
fn differ<T: PartialEq + core::fmt::Debug>(
    found: &mut Vec<String>,
    what: &str,
    index: &[T],
    rebuilt: impl Iterator<Item = T>,
) {
    let rebuilt: Vec<T> = rebuilt.collect();
    if index != rebuilt {
        found.push(format!("{what} are {index:?} and should be {rebuilt:?}"));
    }
}
