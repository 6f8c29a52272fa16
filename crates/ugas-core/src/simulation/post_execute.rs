//! Hooks after an execution (B4).

use super::Simulation;
use super::execute::{Run, SpecRef};
use crate::effect::{ContextTags, EffectContext, EffectSpec};
use crate::handle::ControllerId;
use crate::id::{AttributeId, EffectId, TagId};
use crate::refusal::RefusalReason;

/// Arguments and actions of a `post_execute` hook (B4, GASD §4.4.6).
pub struct PostExecute<'a> {
    pub(super) sim: &'a mut Simulation,
    pub(super) run: &'a Run<'a>,
    pub(super) controller: ControllerId,
    pub(super) attribute: AttributeId,
    pub(super) old_base: f64,
    pub(super) new_base: f64,
}

impl PostExecute<'_> {
    /// Controller whose base value changed: the target of the effect, or its source for an output to the
    /// source (E14).
    pub fn target(&self) -> ControllerId {
        self.controller
    }

    /// Target of the effect.
    pub fn effect_target(&self) -> ControllerId {
        self.run.target
    }

    /// Source of the effect.
    pub fn source(&self) -> Option<ControllerId> {
        self.spec().and_then(|spec| spec.context.source)
    }

    /// Context tags of the execution, including those that calculations added (E14).
    pub fn context_tags(&self) -> ContextTags {
        self.run.tags(&self.sim.state)
    }

    /// Attribute whose base value changed.
    pub fn attribute(&self) -> AttributeId {
        self.attribute
    }

    /// Base value before the execution.
    pub fn old_base(&self) -> f64 {
        self.old_base
    }

    /// Base value after the execution, before clamping. For a meta attribute that was drained, the drained
    /// amount (B3).
    pub fn new_base(&self) -> f64 {
        self.new_base
    }

    /// Read access to the simulation.
    pub fn simulation(&self) -> &Simulation {
        self.sim
    }

    /// Effect spec that was executed; `None` if its active effect has ended.
    pub fn spec(&self) -> Option<&EffectSpec> {
        match self.run.spec {
            SpecRef::Given(spec, _) => Some(spec),
            SpecRef::Active(id) => self.sim.state.effects.get(id).map(|active| &active.spec),
        }
    }

    /// Writes a base value of [`Self::target`] as part of the same execution, without a further
    /// `post_execute` hook. Returns false if the target lacks the attribute, the attribute is derived, or the
    /// value is not finite.
    pub fn set_base(&mut self, attribute: AttributeId, value: f64) -> bool {
        let Some((controller, slot)) = self.sim.state.locate(self.controller, attribute) else {
            return false;
        };
        let derived = self.sim.state.layout(controller).slots[slot].attribute.derived.is_some();
        if derived || !value.is_finite() {
            return false;
        }
        self.sim.write_base(self.controller, slot as u16, value);
        true
    }

    /// Context of the executed effect, with the tags that calculations added (E14): that of an effect which follows
    /// from it.
    pub fn context(&self) -> EffectContext {
        let mut context = self.spec().map(|spec| spec.context.clone()).unwrap_or_default();
        context.add_tags(&self.run.marks.borrow());
        context
    }

    /// Queues another effect in the [context](Self::context) of this one, applied after this execution.
    ///
    /// # Errors
    /// If there is no such effect, or the level is not finite. A later refusal of the application emits an
    /// event.
    pub fn apply(&mut self, effect: EffectId, level: f64, to: ControllerId) -> Result<(), RefusalReason> {
        self.apply_with(effect, level, to, [])
    }

    /// Queues another effect with caller's numbers (SetByCaller), applied after this execution. `to` may be
    /// the target, the [source](Self::source) or a third controller.
    ///
    /// # Errors
    /// If there is no such effect, or the level is not finite. A later refusal of the application emits an
    /// event.
    pub fn apply_with(
        &mut self,
        effect: EffectId,
        level: f64,
        to: ControllerId,
        magnitudes: impl IntoIterator<Item = (TagId, f64)>,
    ) -> Result<(), RefusalReason> {
        let mut spec = self.sim.spec(effect, level, self.context())?;
        for (tag, value) in magnitudes {
            spec.set_magnitude(tag, value);
        }
        self.apply_spec(spec, to);
        Ok(())
    }

    /// Queues a spec, applied to any controller after this execution, with the context and the caller's numbers
    /// (SetByCaller) that it has. It is part of the prediction of the executed effect, if there is one. A refusal of
    /// the application emits an event.
    ///
    /// ```
    /// # use ugas_core::effect::EffectContext;
    /// # use ugas_core::id::{EffectId, TagId};
    /// # use ugas_core::refusal::RefusalReason;
    /// # use ugas_core::simulation::PostExecute;
    /// /// Reflects half of the damage: the target of the hit is the source of the reflection.
    /// fn reflect(post: &mut PostExecute<'_>, thorns: EffectId, amount: TagId) -> Result<(), RefusalReason> {
    ///     let Some(attacker) = post.source() else { return Ok(()) };
    ///     let context = EffectContext::of(post.target());
    ///     let mut spec = post.simulation().spec(thorns, 1.0, context)?;
    ///     spec.set_magnitude(amount, (post.old_base() - post.new_base()) / 2.0);
    ///     post.apply_spec(spec, attacker);
    ///     Ok(())
    /// }
    /// ```
    pub fn apply_spec(&mut self, mut spec: EffectSpec, to: ControllerId) {
        spec.set_prediction(self.spec().and_then(EffectSpec::prediction));
        self.sim.enqueue_application(spec, to);
    }
}
