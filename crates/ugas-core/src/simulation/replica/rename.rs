//! Local handles of a client: an object that stays keeps its handle, a confirmed prediction keeps the handle
//! of the prediction, and a new object gets an unused one.

use super::super::Simulation;
use crate::arena::Arena;
use crate::handle::Handle;
use crate::replica::{HandleTable, PieceKey, Replica};

/// An object without a local handle: its sequence number, its handle on the server, and the key that a
/// prediction of it must equal.
type Newcomer<H, L> = (u64, H, Option<L>);

impl Simulation {
    /// Assigns local handles to all replicated objects and drops those of all others, in the tables of the
    /// replica only. Returns whether any handle changed. The order matters: later kinds are matched by
    /// handles of earlier ones.
    pub(super) fn rename(&self, replica: &mut Replica) -> bool {
        let mut changed = self.rename_controllers(replica);
        changed |= self.rename_effects(replica);
        changed |= self.rename_abilities(replica);
        changed |= self.rename_runs(replica);
        changed | self.rename_tasks(replica)
    }

    /// Controllers are not predicted: a new one gets an unused handle. Returns whether any handle changed, as
    /// all these functions do.
    fn rename_controllers(&self, replica: &mut Replica) -> bool {
        let Replica { seen, names, .. } = replica;
        let lost =
            names.controllers.retain(|remote| seen.get(&remote).is_some_and(|seen| seen.head.is_some()));
        let visible = seen.iter().filter_map(|(id, seen)| Some((seen.head.as_ref()?.ordinal, *id)));
        let new = visible.filter(|(_, id)| names.controllers.local(*id).is_none());
        let new: Vec<Newcomer<_, ()>> = new.map(|(ordinal, id)| (ordinal, id, None)).collect();
        name_all(&mut names.controllers, &self.state.controllers, new, core::iter::empty) | lost
    }

    /// Matches a new effect with a predicted one by prediction key, definition and target. Placeholder
    /// effects match none.
    fn rename_effects(&self, replica: &mut Replica) -> bool {
        let Replica { seen, homes, names, shown, .. } = replica;
        let lost = names.effects.retain(|remote| {
            let key = PieceKey::Effect(remote);
            let home = homes.get(&key).and_then(|(home, _)| seen.get(home));
            shown.contains(&remote) || home.is_some_and(|seen| seen.shows(key))
        });
        let mut new = Vec::new();
        for (controller, seen) in seen.iter() {
            let Some(target) = names.controllers.local(*controller) else { continue };
            for (&id, kept) in seen.effects.iter().filter(|(id, _)| seen.shows(PieceKey::Effect(**id))) {
                let active = &kept.remote.active;
                let likeness = active.spec.prediction().map(|key| (key, active.effect, target));
                new.push((active.sequence, id, likeness));
            }
            new.extend(seen.shown.values().map(|shown| (u64::MAX, shown.name, None)));
        }
        new.retain(|(_, id, _)| names.effects.local(*id).is_none());
        name_all(&mut names.effects, &self.state.effects, new, || {
            self.state.effects.iter().filter_map(|(id, active)| {
                Some((active.sequence, id, (active.spec.prediction()?, active.effect, active.target)))
            })
        }) | lost
    }

    /// Matches a new ability with a predicted one by owner, definition and the effect that grants it.
    fn rename_abilities(&self, replica: &mut Replica) -> bool {
        let Replica { seen, homes, names, .. } = replica;
        let lost = names.abilities.retain(|remote| {
            let key = PieceKey::Ability(remote);
            homes.get(&key).and_then(|(home, _)| seen.get(home)).is_some_and(|seen| seen.shows(key))
        });
        let mut new = Vec::new();
        for (controller, seen) in seen.iter() {
            let Some(owner) = names.controllers.local(*controller) else { continue };
            for (&id, kept) in seen.abilities.iter().filter(|(id, _)| seen.shows(PieceKey::Ability(**id))) {
                let granted = &kept.remote;
                let by = granted.granted_by.and_then(|(effect, _)| names.effects.local(effect));
                new.push((granted.sequence, id, by.map(|effect| (owner, granted.ability, effect))));
            }
        }
        new.retain(|(_, id, _)| names.abilities.local(*id).is_none());
        name_all(&mut names.abilities, &self.state.abilities, new, || {
            self.state.abilities.iter().filter_map(|(id, granted)| {
                let (effect, _) = granted.granted_by?;
                Some((granted.sequence, id, (granted.controller, granted.ability, effect)))
            })
        }) | lost
    }

    /// Matches a new activation with a predicted one by prediction key, definition and granted ability.
    fn rename_runs(&self, replica: &mut Replica) -> bool {
        let Replica { seen, homes, names, .. } = replica;
        let lost = names.runs.retain(|remote| {
            let key = PieceKey::Activation(remote);
            homes.get(&key).and_then(|(home, _)| seen.get(home)).is_some_and(|seen| seen.shows(key))
        });
        let mut new = Vec::new();
        for seen in seen.values() {
            for (&id, kept) in seen.runs.iter().filter(|(id, _)| seen.shows(PieceKey::Activation(**id))) {
                let run = &kept.remote;
                let granted = names.abilities.local(run.granted);
                let likeness = run.prediction.zip(granted).map(|(key, granted)| (key, run.ability, granted));
                new.push((run.sequence, id, likeness));
            }
        }
        new.retain(|(_, id, _)| names.runs.local(*id).is_none());
        name_all(&mut names.runs, &self.state.activations, new, || {
            self.state
                .activations
                .iter()
                .filter_map(|(id, run)| Some((run.sequence, id, (run.prediction?, run.ability, run.granted))))
        }) | lost
    }

    /// Matches a new task with a predicted one. A task has no prediction key: it matches the task of the same
    /// activation that holds the same branch at the same step.
    fn rename_tasks(&self, replica: &mut Replica) -> bool {
        let Replica { seen, homes, names, .. } = replica;
        let lost = names.tasks.retain(|remote| {
            let key = PieceKey::Task(remote);
            homes.get(&key).and_then(|(home, _)| seen.get(home)).is_some_and(|seen| seen.shows(key))
        });
        let mut new = Vec::new();
        for seen in seen.values() {
            for (&id, kept) in seen.tasks.iter().filter(|(id, _)| seen.shows(PieceKey::Task(**id))) {
                let task = &kept.remote;
                let run = names.runs.local(task.activation);
                new.push((task.sequence, id, run.map(|run| (run, task.branch, task.step))));
            }
        }
        new.retain(|(_, id, _)| names.tasks.local(*id).is_none());
        name_all(&mut names.tasks, &self.state.tasks, new, || {
            let tasks = self.state.tasks.iter();
            tasks.map(|(id, task)| (task.sequence, id, (task.activation, task.branch, task.step)))
        }) | lost
    }
}

/// Assigns handles to new objects: the handle of an equal prediction among `candidates` if it is free, else
/// an unused one. Returns whether there were any new objects.
fn name_all<H: Handle, T, L: PartialEq, C: Iterator<Item = (u64, H, L)>>(
    table: &mut HandleTable<H>,
    arena: &Arena<H, T>,
    mut new: Vec<Newcomer<H, L>>,
    candidates: impl FnOnce() -> C,
) -> bool {
    table.unused = table.unused.max(arena.unused_generation());
    if new.is_empty() {
        return false;
    }
    new.sort_unstable_by_key(|(number, id, _)| (*number, *id));
    if new.iter().any(|(.., likeness)| likeness.is_some()) {
        // Sorted by age on either side, so that the oldest of several equal objects match each other.
        let mut predicted: Vec<_> =
            candidates().filter(|(_, local, _)| table.remote(*local).is_none()).collect();
        predicted.sort_unstable_by_key(|(number, id, _)| (*number, *id));
        new.retain(|(_, remote, likeness)| {
            let Some(likeness) = likeness else { return true };
            let Some(at) = predicted.iter().position(|(.., other)| other == likeness) else { return true };
            let (_, local, _) = predicted.remove(at);
            !table.bind(*remote, local)
        });
    }
    new.into_iter().for_each(|(_, remote, _)| table.bind_anywhere(remote));
    true
}
