//! The operation that carries out a reload's pending work and emits its events.

use super::Reload;
use crate::ability::{EndReason, Grant};
use crate::catalog::DefinitionKind;
use crate::effect::{AbilityGrant, WatchSubject};
use crate::event::{EventKind, RemovalReason};
use crate::handle::{ActivationId, ActiveEffectId, ControllerId, GrantedAbilityId};
use crate::id::{AttributeId, TagId};
use crate::reload::{ReloadOutcome, ReloadPlace};
use crate::simulation::cascade::Consequence;
use crate::simulation::observe::TagChange;

/// Work to do once the new state is complete.
#[derive(Default)]
pub(super) struct Work {
    /// Events of changes that are already made.
    pub(super) announcements: Vec<EventKind>,
    /// Tags whose explicit count changed, with the count before (T6).
    pub(super) counts: Vec<(ControllerId, TagId, u32)>,
    /// Slots of attributes that are new on a controller.
    pub(super) fresh: Vec<(ControllerId, u16)>,
    /// Attributes that a controller lost but that may exist on others.
    pub(super) vanished: Vec<(ControllerId, AttributeId)>,
    /// Slots to be evaluated again.
    pub(super) dirty: Vec<(ControllerId, u16)>,
    /// Abilities that an effect no longer grants.
    pub(super) releases: Vec<(ActiveEffectId, GrantedAbilityId)>,
    /// Abilities that an effect grants now.
    pub(super) grants: Vec<(ActiveEffectId, AbilityGrant)>,
    /// Queued effects that may begin now.
    pub(super) begins: Vec<ActiveEffectId>,
    /// Effects that have expired.
    pub(super) ends: Vec<ActiveEffectId>,
    /// Activations that cannot continue.
    pub(super) stops: Vec<ActivationId>,
}

impl Reload<'_> {
    /// Carries out the listed work as one operation, and reports new attributes. R6: a reload that emits no
    /// event is no operation and leaves no trace.
    pub(super) fn resume(&mut self) {
        let work = core::mem::take(&mut self.work);
        let touched = core::mem::take(&mut self.touched);
        let fresh = work.fresh.clone();
        let sim = &mut self.next;
        sim.operate(|sim| sim.carry_out(work, &touched));
        if sim.state.events == self.old.state.events {
            sim.state.operation = self.old.state.operation;
        }
        for (id, slot) in fresh {
            let Some(controller) = self.next.state.controllers.get(id) else { continue };
            let place = &self.next.state.layout(controller).slots[usize::from(slot)];
            let (name, base) = (place.attribute.def.name.clone(), controller.values[usize::from(slot)].base);
            let outcome = ReloadOutcome::Appeared { base };
            self.report(DefinitionKind::Attribute, name, ReloadPlace::Controller(id), outcome);
        }
    }
}

impl crate::simulation::Simulation {
    /// Emits the listed events, cancels activations, and re-evaluates, grants, begins and ends what the
    /// reload changed.
    fn carry_out(&mut self, work: Work, touched: &[ActiveEffectId]) {
        let Work { announcements, counts, fresh, vanished, dirty, releases, grants, begins, ends, stops } =
            work;
        for (controller, tag, old) in counts {
            self.count_changed(controller, tag, |_| old);
        }
        for kind in announcements {
            match kind {
                EventKind::TagAdded { controller, tag } => {
                    self.notify(controller, WatchSubject::Tag(tag));
                    self.emit_tag_change(controller, tag, TagChange::Added);
                }
                EventKind::TagRemoved { controller, tag } => {
                    self.notify(controller, WatchSubject::Tag(tag));
                    self.emit_tag_change(controller, tag, TagChange::Removed);
                }
                kind => self.emit(kind),
            }
        }
        for activation in stops {
            self.end_activation(activation, EndReason::Reloaded);
        }
        for of_controller in fresh.chunk_by(|one, other| one.0 == other.0) {
            let is_new = |slot| of_controller.iter().any(|&(_, fresh)| fresh == slot);
            self.initialise_values(of_controller[0].0, is_new);
        }
        for (controller, attribute) in vanished {
            self.notify(controller, WatchSubject::Attribute(attribute));
        }
        for (controller, slot) in dirty {
            self.mark_dirty(controller, slot);
        }
        for &active in touched {
            if let Some(effect) = self.state.effects.get_mut(active) {
                effect.qualification_pending = true;
            }
            self.enqueue_refresh(active);
        }
        for (active, handle) in releases {
            if let Some(effect) = self.state.effects.get_mut(active) {
                effect.forget_granted(handle);
            }
            self.release_ability(handle);
        }
        for (active, grant) in grants {
            let Some(target) = self.state.effects.get(active).map(|effect| effect.target) else { continue };
            let handle = self.grant_ability(target, Grant::of(&grant, Some((active, grant.removal))));
            if let (Some(handle), Some(effect)) = (handle, self.state.effects.get_mut(active)) {
                effect.parts.make_mut().granted.push(handle);
            }
        }
        for active in begins {
            self.begin_waiting(active);
        }
        for active in ends {
            self.enqueue(Consequence::Remove { active, reason: RemovalReason::Expired });
        }
    }
}
