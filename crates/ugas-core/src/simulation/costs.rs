//! Costs of abilities (A2): whether an ability can be paid for, judged by the proposal of its cost.

use core::ops::ControlFlow;

use smallvec::SmallVec;

use super::execute::Run;
use super::propose::{BaseChange, Omission, OmissionReason, Proposal};
use super::requirements::ReasonSink;
use super::{Simulation, State};
use crate::ability::{Ability, ActivationReason, GrantedAbility, Price};
use crate::attribute::layout::{Layout, Slot};
use crate::controller::Controller;
use crate::expr::Side;
use crate::handle::{ActivationId, ControllerId, GrantedAbilityId};
use crate::id::AttributeId;
use crate::refusal::RefusalReason;

impl Simulation {
    /// A2: refuses if the ability's cost cannot be paid or evaluated.
    #[inline(always)]
    pub(super) fn check_cost(
        &self,
        handle: GrantedAbilityId,
        granted: &GrantedAbility,
        ability: &Ability,
        controller: &Controller,
        activation: Option<ActivationId>,
        sink: &mut impl ReasonSink,
    ) -> ControlFlow<()> {
        match &ability.gates.price {
            Price::Free => return ControlFlow::Continue(()),
            Price::Constant(write) => {
                let layout = self.state.layout(controller);
                // Usually the attribute neither is derived nor drains others: its base pays.
                if let Some(slot) = layout.slot_of(write.attribute)
                    && is_payable(&layout.slots[usize::from(slot)])
                {
                    let base = controller.values[usize::from(slot)].base;
                    let left = BaseChange::constant(write, 1).applied_to(base).unwrap_or(base);
                    return match self.shortage(controller, layout, slot, left) {
                        None => ControlFlow::Continue(()),
                        Some(shortage) => sink.refuse(|| cannot_afford(layout, slot, left, shortage)),
                    };
                }
            }
            Price::Evaluated => {}
        }
        match self.shortfall(handle, granted, ability, controller, activation) {
            None => ControlFlow::Continue(()),
            Some(reason) => sink.refuse(|| reason),
        }
    }

    /// A2: proposes the cost, and returns the reason if it cannot be paid or evaluated.
    #[inline(never)]
    fn shortfall(
        &self,
        handle: GrantedAbilityId,
        granted: &GrantedAbility,
        ability: &Ability,
        controller: &Controller,
        activation: Option<ActivationId>,
    ) -> Option<ActivationReason> {
        match self.propose_cost(handle, granted, ability, activation) {
            Ok(proposal) => self.judge(&proposal, granted.controller, controller),
            Err(reason) => Some(ActivationReason::EffectRefused(reason)),
        }
    }

    /// Proposal of the cost as if executed now. An effect that is not instant costs nothing.
    fn propose_cost(
        &self,
        handle: GrantedAbilityId,
        granted: &GrantedAbility,
        ability: &Ability,
        activation: Option<ActivationId>,
    ) -> Result<Proposal, RefusalReason> {
        let mut proposal = Proposal::default();
        let Some(cost) = ability.cost else { return Ok(proposal) };
        let owner = granted.controller;
        let effect = self.catalog.effect_by_id(cost).ok_or(RefusalReason::UnknownEffect(cost))?;
        let mut spec = self.ability_spec(handle, granted, ability, cost, activation)?;
        self.capture_into(&mut spec, effect, Side::Target, Some(owner));
        if !effect.is_instant() {
            return Ok(proposal);
        }
        let run = Run::once(effect, &spec, owner, 0);
        proposal.add_modifiers(&self.state, &self.catalog, &run)?;
        for execution in effect.executions.iter().enumerate() {
            proposal.add_calculation(&self.state, &self.catalog, &run, execution)?;
        }
        proposal.add_drains(&self.state);
        Ok(proposal)
    }

    /// The first attribute that a proposed cost would take below its minimum (A2); `None` if it is affordable.
    fn judge(
        &self,
        proposal: &Proposal,
        owner: ControllerId,
        controller: &Controller,
    ) -> Option<ActivationReason> {
        let layout = self.state.layout(controller);
        if let Some(missing) = unpayable(proposal, controller, layout) {
            return Some(missing);
        }
        for drain in proposal.drains.iter().filter(|drain| drain.rest > 0.0) {
            // The last of the drained attributes lacks the rest (B3).
            if let Some(&last) = layout.slots[usize::from(drain.meta)].drain_into.last() {
                let place = &layout.slots[usize::from(last)];
                let minimum = State::bounds(controller, place).0.unwrap_or(0.0);
                let (attribute, would_be) = (layout.attribute_at(last), minimum - drain.rest);
                return Some(ActivationReason::CannotAfford { attribute, would_be, minimum });
            }
        }
        let writes = proposal.writes.iter().map(|write| write.slot);
        writes.filter(|slot| !layout.slots[usize::from(*slot)].is_meta).find_map(|slot| {
            let base = proposal.base(owner, slot, controller);
            let shortage = self.shortage(controller, layout, slot, base)?;
            Some(cannot_afford(layout, slot, base, shortage))
        })
    }

    /// Value that a slot would have below its minimum if a cost left it with this base, and that minimum;
    /// `None` if it stays above. A slot that the cost does not lower is no shortage, even below its minimum; a
    /// base that is not finite is one.
    #[inline(always)]
    fn shortage(&self, controller: &Controller, layout: &Layout, slot: u16, base: f64) -> Option<(f64, f64)> {
        let minimum = State::bounds(controller, &layout.slots[usize::from(slot)]).0.unwrap_or(0.0);
        // The cost is paid from the base; the player sees the current value. Neither may fall below the
        // minimum.
        let mut would_be = base + 0.0;
        if !controller.modifiers_of(slot).is_empty() {
            let current = self.state.unclamped(&self.catalog, controller, slot, base);
            would_be = if base < current { base } else { current };
        }
        let value = controller.values[usize::from(slot)];
        let is_short = would_be < minimum && would_be < value.base.min(value.current);
        (is_short || !base.is_finite()).then_some((would_be, minimum))
    }
}

/// Whether a cost is paid from the base of a slot itself: it neither is derived (B2) nor drains others (B3).
#[inline]
fn is_payable(slot: &Slot) -> bool {
    !slot.is_meta && slot.attribute.derived.is_none()
}

/// Reason of a shortage of a slot, which a cost would leave with this base.
fn cannot_afford(layout: &Layout, slot: u16, base: f64, (would_be, minimum): (f64, f64)) -> ActivationReason {
    let attribute = layout.attribute_at(slot);
    match base.is_finite() {
        true => ActivationReason::CannotAfford { attribute, would_be, minimum },
        false => ActivationReason::EffectRefused(RefusalReason::NonFinite {
            modifier: None,
            attribute: Some(attribute),
        }),
    }
}

/// Attribute that a cost cannot be paid with: a derived one that it would lower (B2), or one that the owner
/// lacks, which counts as 0 (M6).
fn unpayable(proposal: &Proposal, controller: &Controller, layout: &Layout) -> Option<ActivationReason> {
    let mut lacking: SmallVec<[(AttributeId, f64); 1]> = SmallVec::new();
    for Omission { change, reason, .. } in &proposal.omissions {
        let attribute = change.attribute;
        match reason {
            OmissionReason::ZeroDivisor => {}
            OmissionReason::Derived => {
                let slot = layout.slot_of(attribute)?;
                let minimum = controller.values[usize::from(slot)].base;
                if let Some(would_be) = change.applied_to(minimum).filter(|to| *to < minimum) {
                    return Some(ActivationReason::CannotAfford { attribute, would_be, minimum });
                }
            }
            OmissionReason::Missing => {
                let scaled = change.applied_to(1.0).filter(|_| change.operation.is_scaling());
                if let Some(scaled) = scaled.filter(|scaled| *scaled < 1.0) {
                    let would_be = scaled - 1.0;
                    return Some(ActivationReason::CannotAfford { attribute, would_be, minimum: 0.0 });
                }
                let at = lacking.iter().position(|(known, _)| *known == attribute).unwrap_or_else(|| {
                    lacking.push((attribute, 0.0));
                    lacking.len() - 1
                });
                lacking[at].1 = change.applied_to(lacking[at].1).unwrap_or(lacking[at].1);
            }
        }
    }
    let owed = lacking.into_iter().find(|(_, would_be)| *would_be < 0.0);
    owed.map(|(attribute, would_be)| ActivationReason::CannotAfford { attribute, would_be, minimum: 0.0 })
}
