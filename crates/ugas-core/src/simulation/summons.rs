//! Summons: controllers that abilities spawn and despawn (A17).

use smallvec::SmallVec;

use super::Simulation;
use super::actions::recipients;
use super::cascade::Consequence;
use super::routine::Flow;
use super::state::{Timer, TimerKind};
use crate::controller::summon::{Summon, SummonName};
use crate::handle::{ActivationId, ControllerId};
use crate::refusal::{Limit, RefusalReason};
use crate::targeting::Placement;
use crate::task::{DespawnTask, Number, SpawnPlace, SpawnTask};
use crate::time::{Span, Time};

/// Parameter of the activation that holds the index of the controller while the numbers of one spawn task are
/// evaluated.
const SPAWN_INDEX: &str = "Spawn.Index";

impl Simulation {
    /// Living summoned controller with this name, as `SpawnController` names it: `wolf`, `wolf.2` (A17).
    pub fn summoned(&self, name: &str) -> Option<ControllerId> {
        // A task may name its controllers `wolf.2` itself.
        let (base, number) = SummonName::split(name);
        self.state.summons.named(name, 1).or_else(|| self.state.summons.named(base, number))
    }

    /// Living controllers that the abilities of a controller summoned, oldest first (A17).
    pub fn summons_of(&self, instigator: ControllerId) -> impl Iterator<Item = ControllerId> + '_ {
        self.state.summons.of(instigator)
    }

    /// Carries out `SpawnController`, on an authority only. Limits and all numbers are checked before the
    /// first spawn: a refusal spawns nothing. Without the target or location to spawn at it does nothing,
    /// which is reported.
    pub(super) fn spawn_task(
        &mut self,
        id: ActivationId,
        step: u32,
        spawn: &SpawnTask,
    ) -> Result<Flow, RefusalReason> {
        if self.is_client() {
            return Err(RefusalReason::NotPredicted);
        }
        let count = match &spawn.count {
            // Counts below 1 are none; the limit refuses counts beyond `u32`.
            Some(count) => self.task_number(id, count)?.floor().clamp(0.0, f64::from(u32::MAX)) as u32,
            None => 1,
        };
        let Some(activation) = self.state.activations.get(id) else { return Ok(Flow::Over) };
        let owner = activation.controller;
        let Some(own) = self.state.controllers.get(owner) else { return Ok(Flow::Over) };
        let facing = own.interactions.placement.map_or([0.0; 3], |placement| placement.facing());
        let team = spawn.team.clone().or_else(|| own.interactions.team.clone());
        let place = match spawn.at {
            SpawnPlace::Owner => Some(own.interactions.placement),
            SpawnPlace::Target => {
                let target = activation.targets.first_controller();
                let target = target.and_then(|target| self.state.controllers.get(target));
                target.map(|target| target.interactions.placement)
            }
            SpawnPlace::Location => {
                let location = activation.targets.first_location();
                location.and_then(|location| Placement::new(location, facing).ok()).map(Some)
            }
        };
        self.report_no_target(id, step, place.is_none());
        let Some(place) = place else { return Ok(Flow::Next) };
        self.check_spawns(count)?;
        let mut plan: SmallVec<[(Option<Placement>, Option<Span>); 4]> = SmallVec::new();
        for index in 0..count {
            let is_expression = |number: &Number| matches!(number, Number::Program(_));
            if spawn.offset.iter().flatten().chain(&spawn.lifetime).any(is_expression) {
                self.store_number(id, SPAWN_INDEX, f64::from(index));
            }
            let placement = self.offset(id, place, spawn.offset.as_ref())?;
            let lifetime = match &spawn.lifetime {
                Some(lifetime) => Some(Span::seconds(self.task_number(id, lifetime)?)),
                None => None,
            };
            plan.push((placement, lifetime));
        }
        for (placement, lifetime) in plan {
            self.set_cause_to_activation(id);
            let Some(spawned) = self.spawn_from(spawn.template) else { continue };
            self.scratch.cascade.spawned = self.scratch.cascade.spawned.saturating_add(1);
            if let Some(controller) = self.state.controllers.get_mut(spawned) {
                controller.set_placement(placement);
                controller.set_team(team.as_ref());
            }
            self.summon(id, owner, spawned, spawn, lifetime);
        }
        Ok(Flow::Yield)
    }

    /// Refuses `count` more spawns beyond the limits of the operation or of the simulation.
    fn check_spawns(&self, count: u32) -> Result<(), RefusalReason> {
        let of_operation = self.scratch.cascade.spawned.saturating_add(count);
        if of_operation > self.config.max_spawns_per_operation {
            return Err(RefusalReason::LimitReached(Limit::SpawnsPerOperation));
        }
        let all = self.state.controllers.len().saturating_add(count as usize);
        if all > self.config.max_controllers as usize {
            return Err(RefusalReason::LimitReached(Limit::Controllers));
        }
        Ok(())
    }

    /// Placement of one spawned controller: `place` moved by the offset, whose numbers are evaluated in any
    /// case. `None` if there is no place to start from.
    fn offset(
        &mut self,
        id: ActivationId,
        place: Option<Placement>,
        offset: Option<&[Number; 3]>,
    ) -> Result<Option<Placement>, RefusalReason> {
        let Some(offset) = offset else { return Ok(place) };
        let mut moved = [0.0; 3];
        for (axis, number) in moved.iter_mut().zip(offset) {
            *axis = self.task_number(id, number)?;
        }
        let Some(place) = place else { return Ok(None) };
        for (axis, from) in moved.iter_mut().zip(place.position()) {
            *axis += from;
        }
        let placement = Placement::new(moved, place.facing());
        placement.map(Some).map_err(|_| RefusalReason::NonFinite { modifier: None, attribute: None })
    }

    /// Records the instigator, name and lifetime of a spawned controller, with the timer. A lifetime that is
    /// not positive ends at the same instant, after all consequences of the spawn.
    fn summon(
        &mut self,
        id: ActivationId,
        instigator: ControllerId,
        spawned: ControllerId,
        spawn: &SpawnTask,
        lifetime: Option<Span>,
    ) {
        let sequence = self.state.next_sequence();
        let name = spawn
            .name
            .as_ref()
            .map(|name| SummonName { name: name.clone(), number: self.state.summons.free_number(name) });
        let expires = lifetime.map(|lifetime| self.state.now + lifetime.max(Span::ZERO));
        let Some(controller) = self.state.controllers.get_mut(spawned) else { return };
        let bound = spawn.bound.then_some(id);
        let summon = Summon { instigator, bound, name, expires, sequence, timer: None };
        self.state.summons.insert(spawned, &summon);
        controller.interactions.make_mut().summon = Some(Box::new(summon));
        self.schedule_departure(spawned);
        if expires.is_some_and(|expires| expires <= self.state.now) {
            self.enqueue_departure(spawned);
        }
        // An ability that ended during the spawn also despawns its bound controllers.
        let is_over = self.state.activations.get(id).is_none_or(|activation| activation.ending);
        if spawn.bound && is_over {
            self.enqueue(Consequence::Despawn { controller: spawned });
        }
    }

    /// Sets the timer of a summoned controller's lifetime; does nothing without a lifetime.
    pub(super) fn schedule_departure(&mut self, id: ControllerId) {
        let Some(controller) = self.state.controllers.get_mut(id) else { return };
        if controller.interactions.summon.is_none() {
            return;
        }
        let Some(summon) = controller.interactions.make_mut().summon.as_mut() else { return };
        let Some(expires) = summon.expires else { return };
        let timer = Timer { sequence: summon.sequence, kind: TimerKind::Lifetime(id) };
        summon.timer = Some(self.state.timers.schedule(expires, timer));
    }

    /// Despawns a summoned controller whose lifetime timer fired.
    pub(super) fn end_lifetime(&mut self, id: ControllerId) {
        if let Some(controller) = self.state.controllers.get_mut(id)
            && controller.interactions.summon.is_some()
            && let Some(summon) = controller.interactions.make_mut().summon.as_mut()
        {
            summon.timer = None;
        }
        self.destroy(id);
    }

    /// Removes a despawned controller from the index of summoned ones, and cancels its timer.
    pub(super) fn forget_summon(&mut self, id: ControllerId, summon: &Summon) {
        self.state.summons.remove(id, summon);
        if let Some(timer) = summon.timer {
            self.state.timers.cancel(timer);
        }
    }

    /// Queues the despawning of the controllers bound to an activation, which is ending.
    pub(super) fn release_bound(&mut self, id: ActivationId, owner: ControllerId) {
        if self.state.summons.is_empty() {
            return;
        }
        let is_bound = |summoned: &ControllerId| {
            let summon = self.state.controllers.get(*summoned).and_then(|known| known.summon());
            summon.is_some_and(|summon| summon.bound == Some(id))
        };
        let bound: SmallVec<[ControllerId; 4]> = self.state.summons.of(owner).filter(is_bound).collect();
        for controller in bound {
            self.enqueue(Consequence::Despawn { controller });
        }
    }

    /// Carries out `DespawnController`, on an authority only: the recipients if the task names them, else the
    /// summons of the owner that fit its name and tags.
    pub(super) fn despawn_task(
        &mut self,
        id: ActivationId,
        despawn: &DespawnTask,
    ) -> Result<Flow, RefusalReason> {
        if self.is_client() {
            return Err(RefusalReason::NotPredicted);
        }
        let Some(activation) = self.state.activations.get(id) else { return Ok(Flow::Over) };
        let owner = activation.controller;
        let leaving: SmallVec<[ControllerId; 8]> = match despawn.to {
            Some(to) => recipients(activation, to).controllers().collect(),
            None => self.state.summons.of(owner).filter(|id| self.is_leaving(*id, despawn)).collect(),
        };
        for controller in leaving {
            self.set_cause_to_activation(id);
            self.destroy(controller);
        }
        Ok(Flow::Yield)
    }

    /// Whether a summoned controller fits the name and the tags of a despawn task. A name without a number
    /// fits all controllers of that name.
    fn is_leaving(&self, id: ControllerId, despawn: &DespawnTask) -> bool {
        let Some(controller) = self.state.controllers.get(id) else { return false };
        let name = controller.summon().and_then(Summon::name);
        let is_named = despawn.name.as_deref().is_none_or(|wanted| {
            let numbered = SummonName::split(wanted);
            name.is_some_and(|name| *name.name == *wanted || (&*name.name, name.number) == numbered)
        });
        is_named && (despawn.tags.is_empty() || controller.tags.has_any(&despawn.tags))
    }

    /// Lifetime timers that summoned controllers should have, for the integrity check.
    pub(super) fn departures(&self) -> impl Iterator<Item = (Time, Timer)> + '_ {
        self.state.controllers.iter().filter_map(|(id, controller)| {
            let summon = controller.summon()?;
            let timer = Timer { sequence: summon.sequence, kind: TimerKind::Lifetime(id) };
            summon.expires.map(|expires| (expires, timer))
        })
    }
}
