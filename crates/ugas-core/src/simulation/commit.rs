//! Commit (§8.4, A2, A3): the point of no return.

use super::Simulation;
use super::apply::Checks;
use crate::ability::{ActivationReason, ActivationRefusal, Price};
use crate::event::{EventKind, RemovalReason};
use crate::handle::{ActivationId, ActiveEffectId, GrantedAbilityId};
use crate::id::TagId;
use crate::time::Time;

/// Parts of a commit to carry out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CommitParts {
    pub(super) cost: bool,
    pub(super) cooldown: bool,
}

impl CommitParts {
    pub(super) const ALL: Self = Self { cost: true, cooldown: true };
    pub(super) const COST: Self = Self { cost: true, cooldown: false };
    pub(super) const COOLDOWN: Self = Self { cost: false, cooldown: true };
}

/// Effects that an ability applies to its owner by itself (§8.4).
#[derive(Clone, Copy, Debug)]
enum OwnEffect {
    Cost,
    Cooldown,
    /// The internal effect that grants the owned tags.
    OwnedTags,
}

impl Simulation {
    /// Commits an activation from outside its tasks: cost, cooldown and owned tags (§8.4). An activation may
    /// commit more than once, and pays each time (A12). A refusal emits no event.
    ///
    /// # Errors
    /// If the activation has ended, the cost cannot be paid, the ability is on cooldown, or no charge is
    /// left; the state is unchanged then.
    pub fn commit(&mut self, activation: ActivationId) -> Result<(), ActivationRefusal> {
        self.operate(|sim| sim.commit_parts(activation, CommitParts::ALL))
    }

    /// Checks the requested parts again, then applies them (A12). The first commit also uses a charge; owned
    /// tags are granted once. Emits `AbilityCommitted`; a refusal changes nothing, and its event is left to
    /// the caller.
    pub(super) fn commit_parts(
        &mut self,
        id: ActivationId,
        parts: CommitParts,
    ) -> Result<(), ActivationRefusal> {
        let Some(activation) = self.state.activations.get(id) else {
            return Err(ActivationRefusal::new(None, None, vec![ActivationReason::NotGranted]));
        };
        let (handle, ability_id, controller) =
            (activation.granted, activation.ability, activation.controller);
        let is_first = !activation.is_committed();
        let earlier = activation.cooldown;
        let ability = self.catalog.ability_by_id(ability_id);
        let has_charges = ability.is_some_and(|ability| ability.gates.has_charges);
        let owns_tags = ability.is_some_and(|ability| !ability.owned_tags.is_empty());
        if !self.can_commit(id, parts) {
            let reasons = self.commit_reasons(id, parts);
            return Err(ActivationRefusal::new(Some(ability_id), Some(controller), reasons));
        }
        // Point of no return: an effect that is refused, by a hook for example, has emitted its event, and
        // the commit continues without it.
        // 1. The cost is paid.
        if parts.cost {
            self.pay(handle, id);
            if let Some(activation) = self.state.activations.get_mut(id) {
                activation.paid = true;
            }
        }
        // 2. The cooldown begins and replaces an earlier one of this activation.
        if parts.cooldown {
            let begun = self.apply_own(handle, id, OwnEffect::Cooldown);
            if let Some(earlier) = earlier.filter(|earlier| begun.is_some() && Some(*earlier) != begun) {
                self.remove_active(earlier, RemovalReason::Removed);
            }
            if let Some(activation) = self.state.activations.get_mut(id) {
                activation.cooling = true;
                activation.cooldown = begun.or(earlier);
            }
        }
        // 3. The first commit of any kind uses a charge.
        if is_first && has_charges {
            self.use_charge(handle);
        }
        // 4. The owned tags are granted by an internal effect (§8.1), once.
        if owns_tags {
            self.give_owned_tags(handle, id);
        }
        if parts.cost || parts.cooldown {
            self.set_cause_to_activation(id);
            let ability = ability_id;
            self.emit_in_place(|| EventKind::AbilityCommitted {
                controller,
                handle,
                ability,
                activation: id,
            });
        }
        Ok(())
    }

    /// Applies the cost of an activation. A constant one that changes nothing but its value needs no spec: its
    /// context has no tags, and nothing else of it is seen.
    fn pay(&mut self, handle: GrantedAbilityId, id: ActivationId) {
        if let Some((granted, ability)) = self.granted(handle)
            && let (Some(cost), Price::Constant(_)) = (ability.cost, &ability.gates.price)
            && let Some(definition) = self.state.definition(&self.catalog, cost)
            && let Some(write) = self.direct_write(definition, Some(granted.controller))
        {
            let owner = granted.controller;
            let prediction = self.state.activations.get(id).and_then(|running| running.prediction);
            self.scratch.current.op.roll = 0;
            if self.write_directly(cost, (Some(owner), handle), owner, &write, prediction) {
                return;
            }
        }
        self.apply_own(handle, id, OwnEffect::Cost);
    }

    /// Grants the owned tags of an activation, unless it has them already or there are none.
    pub(super) fn give_owned_tags(&mut self, handle: GrantedAbilityId, id: ActivationId) {
        let has_none = self.granted(handle).is_none_or(|(_, ability)| ability.owned_tags.is_empty());
        if has_none || self.state.activations.get(id).is_some_and(|running| running.owned_tags.is_some()) {
            return;
        }
        let active = self.apply_own(handle, id, OwnEffect::OwnedTags);
        if let Some(activation) = self.state.activations.get_mut(id) {
            activation.owned_tags = active;
        }
    }

    /// Applies an effect of an ability to its owner, without the checks that could block it (E13). `None` if
    /// no instance is active afterwards: the ability has no such effect, it is instant, or it was refused.
    fn apply_own(
        &mut self,
        handle: GrantedAbilityId,
        activation: ActivationId,
        effect: OwnEffect,
    ) -> Option<ActiveEffectId> {
        let (granted, ability) = self.granted(handle)?;
        let owner = granted.controller;
        let (effect, tags): (_, &[TagId]) = match effect {
            OwnEffect::Cost => (ability.cost?, &[]),
            OwnEffect::Cooldown => (ability.cooldown?, ability.added_cooldown_tags.as_slice()),
            OwnEffect::OwnedTags => (self.catalog.internal.owned_tags, ability.owned_tags.as_slice()),
        };
        let mut spec = self.ability_spec(handle, granted, ability, effect, Some(activation)).ok()?;
        spec.parts.make_mut().granted_tags.extend_from_slice(tags);
        self.number_dice(activation, effect);
        self.apply_checked(&mut spec, owner, Checks::Skipped).ok()?.active()
    }

    /// Uses one charge of an ability, emits `ChargesChanged`, and starts the recharge unless one is running.
    /// Does nothing for an ability without charges.
    fn use_charge(&mut self, handle: GrantedAbilityId) {
        let Some((granted, ability)) = self.granted(handle) else { return };
        let Some(charges) = ability.def.charges else { return };
        let (controller, left) = (granted.controller, granted.charges.saturating_sub(1));
        let recharging = granted.recharge.is_some();
        if let Some(granted) = self.state.abilities.get_mut(handle) {
            granted.charges = left;
        }
        self.emit(EventKind::ChargesChanged { controller, handle, charges: left });
        if !recharging {
            self.schedule_recharge(handle, self.state.now + charges.recharge);
        }
    }

    /// Sets the recharge timer of a granted ability to `at`. No recharge may be running.
    pub(super) fn schedule_recharge(&mut self, handle: GrantedAbilityId, at: Time) {
        let Some(granted) = self.state.abilities.get_mut(handle) else { return };
        granted.recharge = Some(at);
        let timer = super::state::Timer {
            sequence: granted.sequence,
            kind: super::state::TimerKind::Recharge(handle),
        };
        granted.timer = Some(self.state.timers.schedule(at, timer));
    }

    /// Returns one charge when the recharge timer fires, emits `ChargesChanged`, starts the next recharge
    /// unless all charges are back, and queues a retry of buffered inputs (§11.3).
    pub(super) fn recharge(&mut self, handle: GrantedAbilityId) {
        let Some((granted, ability)) = self.granted(handle) else { return };
        let Some(charges) = ability.def.charges else { return };
        let controller = granted.controller;
        let now = granted.charges.saturating_add(1).min(charges.max);
        if let Some(granted) = self.state.abilities.get_mut(handle) {
            granted.charges = now;
            granted.recharge = None;
            granted.timer = None;
        }
        self.emit(EventKind::ChargesChanged { controller, handle, charges: now });
        let next = self.state.now + charges.recharge;
        // At the largest representable time no further recharge can be scheduled.
        if now < charges.max && next > self.state.now {
            self.schedule_recharge(handle, next);
        }
        self.enqueue_drain(controller);
    }
}
