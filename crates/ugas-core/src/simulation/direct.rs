//! Application of effects without a spec of the caller: to one target, or to all targets of an area.
//!
//! An effect that is one constant number, which nothing but the target can refuse and nothing follows from, needs no
//! spec and no steps of E1: its write is proposed and committed directly.

use super::Simulation;
use super::apply::{Application, has_immunity};
use super::propose::{BaseChange, BaseWrite};
use crate::effect::{ConstantWrite, ContextTags, Effect, EffectContext, EffectSpec, PredictionKey};
use crate::event::{Cause, EventKind};
use crate::expr::Side;
use crate::handle::{ControllerId, GrantedAbilityId};
use crate::id::EffectId;
use crate::refusal::{Refusal, RefusalReason};

impl Simulation {
    /// Applies an effect at level 1 with `source` as its source.
    ///
    /// # Errors
    /// Returns a refusal with every reason; nothing is applied. A denied stack overflow still has its
    /// consequences (E5), and the count of random rolls may still advance (V5).
    pub fn apply_effect(
        &mut self,
        effect: EffectId,
        source: Option<ControllerId>,
        target: ControllerId,
    ) -> Result<Application, Refusal> {
        let direct =
            self.direct_write(effect, source).map_err(|reason| Refusal::new(effect, target, reason))?;
        self.operate(|sim| sim.apply_bare(effect, source, target, direct.as_ref()))
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
        let direct = self.direct_write(effect, source)?;
        Ok(self.operate(|sim| {
            let apply = |&&target: &&ControllerId| {
                sim.scratch.op.parent = None;
                sim.apply_bare(effect, source, target, direct.as_ref()).is_ok()
            };
            targets.iter().filter(apply).count()
        }))
    }

    /// The write of an effect that is one constant number, if nothing but the target can refuse it and nothing
    /// follows from it. `Ok(None)` if the steps of E1 have something to do.
    #[inline]
    pub(super) fn direct_write(
        &self,
        effect: EffectId,
        source: Option<ControllerId>,
    ) -> Result<Option<ConstantWrite>, RefusalReason> {
        let definition = self.state.definition(&self.catalog, effect);
        let definition = definition.ok_or(RefusalReason::UnknownEffect(effect))?;
        let has_lived = |source: ControllerId| source.is_unseen() || self.state.controllers.has_lived(source);
        let is_clear = definition.only_executes
            && source.is_none_or(has_lived)
            && !self.catalog.has_hooks()
            && self.catalog.before_apply.is_empty()
            && !self.config.audit
            && !self.is_client();
        Ok(definition.constant_write.filter(|_| is_clear))
    }

    /// Applies an effect at level 1 without context, as part of an operation. `direct` is its
    /// [direct write](Self::direct_write).
    #[inline(always)]
    fn apply_bare(
        &mut self,
        effect: EffectId,
        source: Option<ControllerId>,
        target: ControllerId,
        direct: Option<&ConstantWrite>,
    ) -> Result<Application, Refusal> {
        if let Some(write) = direct
            && self.write_directly(effect, (source, None), target, write, None)
        {
            return Ok(Application::Executed);
        }
        let Some(definition) = self.state.definition(&self.catalog, effect) else {
            return Err(Refusal::new(effect, target, RefusalReason::UnknownEffect(effect)));
        };
        let mut spec = self.bare_spec(effect, definition, source);
        self.apply_one(&mut spec, target)
    }

    /// Carries out a [direct write](Self::direct_write) of an effect from a source and an ability, as part of an
    /// operation. False, without a change, if the steps of E1 have something to do for the target.
    #[inline(always)]
    pub(super) fn write_directly(
        &mut self,
        effect: EffectId,
        (source, ability): (Option<ControllerId>, Option<GrantedAbilityId>),
        target: ControllerId,
        write: &ConstantWrite,
        prediction: Option<PredictionKey>,
    ) -> bool {
        let Some(write) = self.propose_directly(write, target) else { return false };
        let operation = self.scratch.cause().operation;
        let cause = Cause { operation, effect: Some(effect), active: None, source, ability };
        self.scratch.set_cause_and_prediction(cause, prediction);
        self.trace(effect);
        let written = match self.scratch.batch_depth {
            0 => self.commit_one(write),
            _ => {
                self.write_base(write.controller, write.slot, write.after);
                None
            }
        };
        self.emit_in_place(|| {
            let context_tags = ContextTags::default();
            EventKind::EffectExecuted { effect, active: None, target, context_tags }
        });
        if let Some(written) = written
            && written.is_change()
        {
            self.emit_in_place(|| written.event(target));
        }
        true
    }

    /// Proposal of a direct write to a target, if the target cannot refuse it. Inside a batch the write waits
    /// for the recalculation at its end; otherwise nothing may depend on the value or be pending.
    #[inline(always)]
    fn propose_directly(&self, write: &ConstantWrite, target: ControllerId) -> Option<BaseWrite> {
        let controller = self.state.controllers.get(target)?;
        if controller.inactive || has_immunity(controller) {
            return None;
        }
        let (change, layout) = (BaseChange::constant(write, 1), self.state.layout(controller));
        match self.scratch.batch_depth {
            0 if self.is_settled() => {
                BaseWrite::of_one(&change, target, controller, layout, BaseWrite::is_final)
            }
            0 => None,
            _ => BaseWrite::of_one(&change, target, controller, layout, BaseWrite::is_completed_later),
        }
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
