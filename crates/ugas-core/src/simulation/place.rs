//! Initial effects and active abilities of a spawned controller, as its controller document lists them (K1).

use std::sync::Arc;

use super::Simulation;
use super::apply::refuse;
use super::cascade::Consequence;
use crate::catalog::{Template, TemplateEffect};
use crate::controller::TemplateEffectDef;
use crate::effect::{Effect, EffectContext, EffectSpec, EffectStatus, ExecutionPolicy};
use crate::event::{Cause, EventKind, RemovalReason};
use crate::expr::Side;
use crate::handle::{ControllerId, GrantedAbilityId};
use crate::refusal::{Reasons, Refusal, RefusalReason};

impl Simulation {
    /// Adds the active effects of a template to a controller, starts the abilities that are active, and makes
    /// the controller inactive if the template says so.
    pub(super) fn put_in_place(
        &mut self,
        id: ControllerId,
        template: &Template,
        instigators: &[(String, ControllerId)],
    ) {
        for active in &template.active_effects {
            if let Some(def) = template.def.active_effects.get(active.at) {
                self.flush();
                self.place_effect(id, active, def, &template.def.name, instigators);
            }
        }
        if template.abilities.iter().any(|grant| grant.is_active) {
            self.flush();
            let handles = self.state.controllers.get(id).map(|known| known.ability_data.abilities.to_vec());
            // The first grants are those of the template, in its order.
            for (handle, grant) in handles.unwrap_or_default().into_iter().zip(&template.abilities) {
                if grant.is_active {
                    self.begin_without_commit(handle, template.owns_tags_of(&self.catalog, grant));
                }
            }
        }
        if let Some(controller) = self.state.controllers.get_mut(id) {
            controller.inactive = template.def.inactive;
        }
    }

    /// Places one active effect of a template, with its saved level, remaining time and stacks. The
    /// instigator is the controller itself, or the one of the given name; no source if that is unknown. An
    /// instant effect is applied as usual; a refusal emits an event.
    fn place_effect(
        &mut self,
        id: ControllerId,
        active: &TemplateEffect,
        def: &TemplateEffectDef,
        own_name: &str,
        instigators: &[(String, ControllerId)],
    ) {
        let Some(effect) = self.state.definition(&self.catalog, active.effect).cloned() else { return };
        let source = match &def.instigator {
            None => Some(id),
            Some(name) => {
                let named = instigators.iter().find(|(known, _)| known == name).map(|&(_, source)| source);
                named.or_else(|| (!own_name.is_empty() && name == own_name).then_some(id))
            }
        };
        let source = source.filter(|source| self.state.controllers.contains(*source));
        let Ok(mut spec) = self.spec(active.effect, def.level, EffectContext::of(source)) else { return };
        for &(tag, value) in &active.set_by_caller {
            spec.set_magnitude(tag, value);
        }
        if effect.is_instant() {
            // An instant effect writes bases and ends, as at any other time.
            let _ = self.apply_one(&mut spec, id);
            return;
        }
        spec.set_duration(def.remaining);
        let operation = self.scratch.current.cause().operation;
        let cause = Cause { operation, effect: Some(active.effect), source, ..Cause::default() };
        self.scratch.current.set_cause_and_prediction(cause, None);
        self.trace(active.effect);
        if let Err(reasons) = self.place_spec(&effect, &mut spec, id, def.stacks) {
            self.emit_refusal(&Refusal { effect: active.effect, target: id, reasons });
        }
    }

    /// Adds an instance by the steps of an application from the captures on (E1), without its consequences.
    /// The period begins now, and nothing is executed at once. An instance without remaining time is queued
    /// for removal.
    fn place_spec(
        &mut self,
        effect: &Arc<Effect>,
        spec: &mut EffectSpec,
        id: ControllerId,
        stacks: u32,
    ) -> Result<(), Reasons> {
        self.capture_into(spec, effect, Side::Target, Some(id));
        let stream = self.application_stream(effect, spec, id);
        self.check_cycles(effect, spec.effect, spec.context.source, id).map_err(refuse)?;
        self.check_numbers(effect, spec)?;
        let waits = effect.def.policy == ExecutionPolicy::RunInSequence
            && self.instances_of(spec.effect, id).next().is_some();
        let status = if waits { EffectStatus::Queued } else { EffectStatus::Running };
        let prepared = self.prepare(effect, spec, id, stream)?;
        let Some(active) = self.insert_instance(prepared, status)?.active() else { return Ok(()) };
        let most = effect.stacking.as_ref().map_or(1, |stacking| match stacking.limit {
            0 => self.config.max_stacks,
            limit => limit,
        });
        let stacks = stacks.clamp(1, most.max(1));
        if let Some(instance) = self.state.effects.get_mut(active).filter(|_| stacks > 1) {
            instance.stacks = stacks;
            self.reevaluate(active, effect);
            if let Err(reasons) = self.try_modifiers(active, effect, Self::update_modifiers) {
                self.remove_active(active, RemovalReason::Removed);
                return Err(reasons);
            }
        }
        let Some(instance) = self.state.effects.get_mut(active).filter(|_| !waits) else { return Ok(()) };
        instance.given = true;
        let (inhibited, ends) =
            (instance.inhibited, instance.duration().is_some_and(|left| !left.is_positive()));
        if !inhibited {
            self.add_grants(active, effect);
        }
        if ends {
            self.enqueue(Consequence::Remove { active, reason: RemovalReason::Expired });
        }
        Ok(())
    }

    /// Starts an ability that the template lists as active, without checks and commit. Its owned tags are
    /// granted if `with_tags`.
    fn begin_without_commit(&mut self, handle: GrantedAbilityId, with_tags: bool) {
        let Some(granted) = self.state.abilities.get(handle) else { return };
        let (controller, id) = (granted.controller, granted.ability);
        let operation = self.scratch.current.cause().operation;
        let cause = Cause { operation, source: Some(controller), ability: Some(handle), ..Cause::default() };
        self.scratch.current.set_cause_and_prediction(cause, None);
        let Some(activation) = self.begin_activation(handle, Default::default()) else { return };
        self.emit(EventKind::AbilityActivated { controller, handle, ability: id, activation });
        if with_tags {
            self.give_owned_tags(handle, activation);
        }
        self.start_routine(activation);
    }

    /// Refuses an operation on a controller that does not exist or is inactive (K1).
    pub(super) fn check_active(&self, id: ControllerId) -> Result<(), RefusalReason> {
        match self.state.controllers.get(id) {
            None => Err(RefusalReason::UnknownController(id)),
            Some(controller) if controller.inactive => Err(RefusalReason::ControllerInactive(id)),
            Some(_) => Ok(()),
        }
    }
}
