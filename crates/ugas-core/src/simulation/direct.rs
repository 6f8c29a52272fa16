//! Applications without the steps of E1: one write, constant or computed, with or without a spec; or an effect that
//! only holds a modifier and tags. To one target, or to all targets of an area.
//!
//! If nothing but its target and its numbers can refuse an effect, and nothing follows from it, its change is proposed
//! and committed directly. Otherwise the application takes the general way, which also finds the reasons of a
//! refusal.

use std::sync::Arc;

use super::Simulation;
use super::apply::{Application, Checks, has_immunity};
use super::execute::executed;
use super::magnitude::Dice;
use super::propose::{BaseChange, is_completed_later};
use crate::controller::Controller;
use crate::effect::{ConstantWrite, Effect, EffectContext, EffectSpec, PredictionKey};
use crate::event::{Cause, EventKind};
use crate::expr::Side;
use crate::handle::{ControllerId, GrantedAbilityId};
use crate::id::EffectId;
use crate::refusal::{Refusal, RefusalReason};

impl Simulation {
    /// Applies an effect at level 1 with `source` as its source.
    ///
    /// # Errors
    /// Returns the refusal of the first step that refuses (E1), with all its reasons; nothing is applied. A denied
    /// stack overflow still has its consequences (E5), and the count of random rolls may still advance (V5).
    pub fn apply_effect(
        &mut self,
        effect: EffectId,
        source: Option<ControllerId>,
        target: ControllerId,
    ) -> Result<Application, Refusal> {
        let Some(definition) = self.state.definition(&self.catalog, effect) else {
            return Err(Refusal::new(effect, target, RefusalReason::UnknownEffect(effect)));
        };
        let write = self.direct_write(definition, source);
        self.operate(|sim| sim.apply_bare(effect, source, target, write.as_ref()))
    }

    /// Applies an effect at level 1 with `source` as its source to every target in turn, as one operation: the
    /// targets of an area. Cheaper than an operation for each target; the effects of all targets are applied
    /// before the consequences of any. Returns the number of targets that did not refuse; each refusal emits
    /// its event.
    ///
    /// ```
    /// # use ugas_core::attribute::{AttributeDef, AttributeSetDef};
    /// # use ugas_core::catalog::Catalog;
    /// # use ugas_core::controller::ControllerDef;
    /// # use ugas_core::effect::EffectDef;
    /// # use ugas_core::modifier::Operation;
    /// # use ugas_core::simulation::{Config, Simulation};
    /// let catalog = Catalog::builder()
    ///     .attribute_set(AttributeSetDef::new("Life").with(AttributeDef::new("Health", 100.0)))
    ///     .effect(EffectDef::instant("GE_Blast").modify("Health", Operation::Add, -30.0))
    ///     .template(ControllerDef::new("Wolf").with_set("Life"))
    ///     .build()?;
    /// let blast = catalog.effect("GE_Blast").expect("it is defined above");
    /// let mut sim = Simulation::new(catalog, Config::default());
    /// let pack = [sim.spawn("Wolf")?, sim.spawn("Wolf")?];
    /// assert_eq!(sim.apply_to_all(blast, None, &pack)?, 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the effect does not exist.
    pub fn apply_to_all(
        &mut self,
        effect: EffectId,
        source: Option<ControllerId>,
        targets: &[ControllerId],
    ) -> Result<usize, RefusalReason> {
        let definition = self.state.definition(&self.catalog, effect);
        let write = self.direct_write(definition.ok_or(RefusalReason::UnknownEffect(effect))?, source);
        Ok(self.operate(|sim| sim.apply_to_each(effect, source, targets, write.as_ref())))
    }

    /// Applies an effect at level 1 without context to every target in turn, as part of an operation. `write` is its
    /// [direct write](Self::direct_write). Returns the number of targets that did not refuse.
    fn apply_to_each(
        &mut self,
        effect: EffectId,
        source: Option<ControllerId>,
        targets: &[ControllerId],
        write: Option<&ConstantWrite>,
    ) -> usize {
        let cause = self.direct_cause(effect, source);
        let change = write.map(|write| BaseChange::constant(write, 1));
        let (mut is_idle, mut is_cause_set) = (self.is_idle(), false);
        let mut applied = 0;
        for &target in targets {
            self.scratch.current.op.parent = None;
            if is_idle
                && let Some(change) = &change
                && let Some((_, written)) = self.state.write_alone(target, change, is_admitted)
            {
                if !is_cause_set {
                    self.scratch.current.set_cause_and_prediction(cause, None);
                    is_cause_set = true;
                }
                self.trace(effect);
                self.emit_written(target, &written, || executed(effect, None, target));
                applied += 1;
                continue;
            }
            let is_applied = change.as_ref().is_some_and(|change| {
                self.scratch.current.batch_depth > 0
                    && self.execute_in_batch((cause, None), target, change, || executed(effect, None, target))
            });
            applied += usize::from(is_applied || self.apply_bare_spec(effect, source, target).is_ok());
            (is_idle, is_cause_set) = (self.is_idle(), false);
        }
        applied
    }

    /// Applies a spec that has nothing but a level, a source and numbers of the caller, if the application is one
    /// write. False, without a change, if it must take the steps of E1.
    #[inline]
    pub(super) fn apply_directly(&mut self, spec: &EffectSpec, target: ControllerId) -> bool {
        let definition = self.state.definition(&self.catalog, spec.effect);
        definition.is_some_and(|definition| definition.only_writes) && self.apply_one_write(spec, target)
    }

    /// [`Self::apply_directly`] for an effect that is one write.
    fn apply_one_write(&mut self, spec: &EffectSpec, target: ControllerId) -> bool {
        let (effect, source) = (spec.effect, spec.context.source);
        let Some(definition) = self.state.definition(&self.catalog, effect) else { return false };
        let is_sound = self.is_clear(source)
            && definition.name_hash == spec.name_hash
            && spec.has_only_numbers()
            && spec.level.is_finite()
            && spec.magnitudes().len() <= self.config.max_extras as usize
            && spec.magnitudes().iter().all(|(_, number)| number.is_finite());
        if !is_sound {
            return false;
        }
        let change = match &definition.constant_write {
            Some(write) => BaseChange::constant(write, 1),
            None => {
                let Some(modifier) = definition.modifiers.first() else { return false };
                let inputs = self.inputs(definition, spec, target, 0);
                let magnitude = inputs.magnitude(&modifier.magnitude, Dice::Execution(0, 0));
                let Ok(magnitude) = magnitude else { return false };
                BaseChange::by(modifier, magnitude, 1)
            }
        };
        let cause = self.direct_cause(effect, source);
        self.execute_directly((cause, None), target, &change, || executed(effect, None, target))
    }

    /// Whether no hook, audit or prediction takes part in applications from a source.
    #[inline]
    fn is_clear(&self, source: Option<ControllerId>) -> bool {
        let has_lived = |source: ControllerId| source.is_unseen() || self.state.controllers.has_lived(source);
        source.is_none_or(has_lived)
            && !self.catalog.has_hooks()
            && self.catalog.before_apply.is_empty()
            && !self.config.audit
            && !self.is_client()
    }

    /// Constant write of an application, if it is nothing else, and nothing but its target can refuse it.
    #[inline]
    pub(super) fn direct_write(
        &self,
        effect: &Effect,
        source: Option<ControllerId>,
    ) -> Option<ConstantWrite> {
        effect.constant_write.filter(|_| effect.only_writes && self.is_clear(source))
    }

    /// Carries out the [direct write](Self::direct_write) of an effect from a source and an ability, as part of an
    /// operation. False, without a change, if it must take the steps of E1.
    pub(super) fn write_directly(
        &mut self,
        effect: EffectId,
        (source, ability): (Option<ControllerId>, GrantedAbilityId),
        target: ControllerId,
        write: &ConstantWrite,
        prediction: Option<PredictionKey>,
    ) -> bool {
        let cause = Cause { ability: Some(ability), ..self.direct_cause(effect, source) };
        let change = BaseChange::constant(write, 1);
        self.execute_directly((cause, prediction), target, &change, || executed(effect, None, target))
    }

    /// Applies an effect at level 1 without context, as part of an operation. `write` is its
    /// [direct write](Self::direct_write).
    #[inline(always)]
    fn apply_bare(
        &mut self,
        effect: EffectId,
        source: Option<ControllerId>,
        target: ControllerId,
        write: Option<&ConstantWrite>,
    ) -> Result<Application, Refusal> {
        if let Some(write) = write
            && let change = BaseChange::constant(write, 1)
            && let cause = self.direct_cause(effect, source)
            && self.execute_directly((cause, None), target, &change, || executed(effect, None, target))
        {
            return Ok(Application::Executed);
        }
        self.apply_bare_spec(effect, source, target)
    }

    /// [`Self::apply_bare`] by a spec.
    #[inline(never)]
    fn apply_bare_spec(
        &mut self,
        effect: EffectId,
        source: Option<ControllerId>,
        target: ControllerId,
    ) -> Result<Application, Refusal> {
        let Some(definition) = self.state.definition(&self.catalog, effect) else {
            return Err(Refusal::new(effect, target, RefusalReason::UnknownEffect(effect)));
        };
        // A constant write was tried already.
        let only_writes = definition.only_writes && definition.constant_write.is_none();
        let mut spec = self.bare_spec(effect, definition, source);
        if definition.only_holds
            && definition.is_ungated
            && definition.is_unconditional
            && self.is_clear(source)
            && self.state.controllers.get(target).is_some_and(is_admitted)
        {
            let (definition, cause) = (Arc::clone(definition), self.direct_cause(effect, source));
            if let Some(active) = self.hold(&definition, &mut spec, target, 0, Some(cause)) {
                return Ok(Application::Active(active));
            }
        } else if only_writes && self.apply_one_write(&spec, target) {
            return Ok(Application::Executed);
        }
        self.apply_stepwise(&mut spec, target, Checks::All)
    }

    /// Carries out an application that is one write, with its events. False, without a change, if the target may
    /// refuse it, or other values depend on it or are pending. `event` is `EffectExecuted`; each caller has one of
    /// its own, so that all of this is expanded there.
    #[inline(always)]
    fn execute_directly(
        &mut self,
        (cause, prediction): (Cause, Option<PredictionKey>),
        target: ControllerId,
        change: &BaseChange,
        event: impl Fn() -> EventKind,
    ) -> bool {
        if self.scratch.current.batch_depth > 0 {
            return self.execute_in_batch((cause, prediction), target, change, event);
        }
        if !self.is_idle() {
            return false;
        }
        let Some((_, written)) = self.state.write_alone(target, change, is_admitted) else { return false };
        self.scratch.current.predict(prediction);
        self.scratch.current.set_cause(cause);
        self.trace_cause(cause);
        self.emit_written(target, &written, event);
        true
    }

    /// [`Self::execute_directly`] inside a batch: the write waits for the recalculation at its end.
    #[inline(never)]
    fn execute_in_batch(
        &mut self,
        (cause, prediction): (Cause, Option<PredictionKey>),
        target: ControllerId,
        change: &BaseChange,
        event: impl Fn() -> EventKind,
    ) -> bool {
        let Some((slot, base)) = self.propose_in_batch(target, change) else { return false };
        self.scratch.current.set_cause_and_prediction(cause, prediction);
        self.trace_cause(cause);
        self.write_base(target, slot, base);
        self.emit_in_place(event);
        true
    }

    /// Adds the effect of a cause to the trace of the operation.
    #[inline(always)]
    fn trace_cause(&mut self, cause: Cause) {
        if let Some(effect) = cause.effect {
            self.trace(effect);
        }
    }

    /// Cause of an application without ability.
    #[inline]
    fn direct_cause(&self, effect: EffectId, source: Option<ControllerId>) -> Cause {
        let operation = self.scratch.current.cause().operation;
        Cause { operation, effect: Some(effect), active: None, source, ability: None }
    }

    /// Whether a write to a value that nothing depends on can be final at once, with its events: no batch runs,
    /// and no value or event is pending.
    #[inline]
    fn is_idle(&self) -> bool {
        let scratch = &self.scratch;
        scratch.current.batch_depth == 0 && scratch.pending.is_up_to_date() && scratch.has_nothing_queued()
    }

    /// Slot and new base of a direct write inside a batch, if the recalculation at its end completes the write.
    #[inline(always)]
    fn propose_in_batch(&self, target: ControllerId, change: &BaseChange) -> Option<(u16, f64)> {
        let controller = self.state.controllers.get(target).filter(|target| is_admitted(target))?;
        let layout = self.state.layout(controller);
        let slot = layout.slot_of(change.attribute)?;
        if !is_completed_later(controller, &layout.slots[usize::from(slot)], slot) {
            return None;
        }
        let base = change.applied_to(controller.values[usize::from(slot)].base);
        Some((slot, base.filter(|base| base.is_finite())?))
    }

    /// Creates a spec of level 1 with a source and no other context.
    #[inline(always)]
    fn bare_spec(&self, effect: EffectId, definition: &Effect, source: Option<ControllerId>) -> EffectSpec {
        let context = EffectContext::of(source);
        let mut spec = EffectSpec::new(effect, definition.name_hash, 1.0, context);
        self.capture_into(&mut spec, definition, Side::Source, source);
        spec
    }
}

/// Whether a target refuses no effect without requirements.
#[inline(always)]
fn is_admitted(target: &Controller) -> bool {
    !target.inactive && !has_immunity(target)
}
