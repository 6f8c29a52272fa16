//! Additional effects (E15): effects that follow from another one, with its context and numbers.

use smallvec::SmallVec;

use super::magnitude::{Dice, Inputs};
use super::{Simulation, SourceTags};
use crate::effect::{AdditionalTo, Effect, EffectSpec, LastSource};
use crate::handle::ControllerId;
use crate::id::{EffectId, TagId};
use crate::random::RandomStream;
use crate::refusal::{Refusal, RefusalReason};

/// Parent application of additional effects.
#[derive(Clone, Copy)]
pub(super) struct Parent<'a> {
    pub(super) spec: &'a EffectSpec,
    pub(super) target: ControllerId,
    pub(super) stacks: u32,
    pub(super) last_source: Option<&'a LastSource>,
    pub(super) stream: u64,
}

impl Simulation {
    /// Queues the additional effects of an application whose tag requirements are met. If a number passed to
    /// one cannot be evaluated, emits its refusal and continues with the others.
    pub(super) fn apply_additional(&mut self, effect: &Effect, parent: Parent<'_>) {
        let Parent { spec, target, .. } = parent;
        for (at, additional) in effect.additional.iter().enumerate() {
            let Some(controller) = self.state.controllers.get(target) else { return };
            let last = parent.last_source.map(|last| &last.tags);
            let source = SourceTags::from_parts(&self.state, &spec.context, last);
            let has_context_tags = || {
                let tags = spec.context.tags().closed(self.catalog.tags());
                additional.context_tags.is_met_by(&tags)
            };
            if !additional.source_tags.is_met_by(&source)
                || !additional.target_tags.is_met_by(&controller.tags)
                || !(additional.context_tags.is_trivial() || has_context_tags())
            {
                continue;
            }
            let to = match additional.to {
                AdditionalTo::Target => Some(target),
                AdditionalTo::Source => spec.context.source,
            };
            let Some(to) = to else { continue };
            match self.passed_numbers(effect, &parent, at as u16) {
                Ok(numbers) => self.enqueue_linked(additional.effect, spec, to, &numbers),
                Err(reason) => {
                    let refusal = Refusal::new(additional.effect, to, reason);
                    self.emit_refusal(&refusal);
                }
            }
        }
    }

    /// Numbers that a parent passes to an additional effect, evaluated after the parent executed (E15).
    fn passed_numbers(
        &self,
        effect: &Effect,
        parent: &Parent<'_>,
        at: u16,
    ) -> Result<SmallVec<[(TagId, f64); 2]>, RefusalReason> {
        let inputs = Inputs {
            stacks: parent.stacks,
            last_source: parent.last_source,
            ..self.inputs(effect, parent.spec, parent.target, parent.stream)
        };
        let numbers = effect.additional[usize::from(at)].set_by_caller.iter().enumerate();
        numbers
            .map(|(index, (tag, program))| {
                Ok((*tag, inputs.evaluate(program, Dice::Additional(at, index as u16))?))
            })
            .collect()
    }

    /// Queues an effect that another one leads to, with the same level, context, prediction and caller's
    /// numbers; `numbers` override the caller's. Does nothing if the effect does not exist.
    pub(super) fn enqueue_linked(
        &mut self,
        effect: EffectId,
        parent: &EffectSpec,
        target: ControllerId,
        numbers: &[(TagId, f64)],
    ) {
        let Ok(mut spec) = self.spec(effect, parent.level, parent.context.clone()) else { return };
        for &(tag, value) in parent.magnitudes() {
            spec.set_magnitude(tag, value);
        }
        for &(tag, value) in numbers {
            spec.set_magnitude(tag, value);
        }
        spec.set_prediction(parent.prediction());
        // Its random stream is derived from that of the parent.
        self.scratch.current.op.roll = RandomStream::derive(self.scratch.current.op.roll, &[]).key();
        self.enqueue_application(spec, target);
    }
}
