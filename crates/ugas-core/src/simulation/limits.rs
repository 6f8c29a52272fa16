//! Limits on data from callers: every list that grows with outside data has a limit, and exceeding it gives a
//! specific reason (I8, I10). Counts of objects in the simulation are checked where the objects are created.

use super::Simulation;
use crate::ability::{GameplayEvent, Grant, Parameters};
use crate::effect::{EffectContext, EffectSpec, RawPayload};
use crate::id::TagId;
use crate::input::{InputBufferConfig, InputId};
use crate::refusal::{Limit, RefusalReason};
use crate::targeting::{Target, TargetData};
use crate::time::Span;

impl Simulation {
    /// Checks the sizes of numbers, tags and context of a spec, which become part of the state once it is
    /// applied.
    pub(super) fn check_spec(&self, spec: &EffectSpec) -> Result<(), Limit> {
        self.check_extras(spec.magnitudes().len())?;
        self.check_extras(spec.granted_tags().len().saturating_add(spec.asset_tags().len()))?;
        self.check_context(&spec.context)
    }

    pub(super) fn check_grant(&self, grant: &Grant) -> Result<(), Limit> {
        self.check_grant_extras(&grant.dynamic_tags, &grant.parameters, grant.input.as_ref())
    }

    /// Checks the numbers of tags and parameters of a grant, and the lengths of parameter and input names.
    pub(super) fn check_grant_extras(
        &self,
        dynamic_tags: &[TagId],
        parameters: &Parameters,
        input: Option<&InputId>,
    ) -> Result<(), Limit> {
        self.check_extras(dynamic_tags.len())?;
        self.check_extras(parameters.len())?;
        let names = parameters.iter().map(|(name, _)| &**name);
        names.chain(input.map(InputId::as_str)).try_for_each(|name| self.check_name(name))
    }

    /// Checks the size of an input buffer, which counts against the limit on inputs.
    pub(super) fn check_input_buffer(&self, config: &InputBufferConfig) -> Result<(), Limit> {
        within(config.size as usize, self.config.max_inputs_per_controller, Limit::InputsPerController)
    }

    /// Checks the number of targets and the sizes of their custom payloads.
    pub(super) fn check_targets(&self, targets: &TargetData) -> Result<(), Limit> {
        within(targets.0.len(), self.config.max_targets, Limit::Targets)?;
        targets.0.iter().try_for_each(|target| match target {
            Target::Custom(payload) => self.check_payload(payload),
            Target::Controller(_) | Target::Hit { .. } | Target::Location(_) => Ok(()),
        })
    }

    /// Checks the sizes of the details of an event: context tags, target data and payload.
    pub(super) fn check_event(&self, event: &GameplayEvent) -> Result<(), Limit> {
        let Some(details) = &event.details else { return Ok(()) };
        self.check_extras(details.context_tags.len())?;
        self.check_extras(details.payload.len())?;
        details.payload.iter().try_for_each(|(name, _)| self.check_name(name))?;
        self.check_targets(&details.target_data)
    }

    /// Checks tags of an event or a context from a caller: all must be in this catalog.
    pub(super) fn check_tags(&self, mut tags: impl Iterator<Item = TagId>) -> Result<(), RefusalReason> {
        let known = self.catalog.tags().len();
        tags.find(|tag| tag.usize() >= known).map_or(Ok(()), |tag| Err(RefusalReason::UnknownTag(tag)))
    }

    /// Checks the number of caller-provided numbers or tags.
    pub(super) fn check_extras(&self, count: usize) -> Result<(), Limit> {
        within(count, self.config.max_extras, Limit::Extras)
    }

    /// Checks the length of a name from a caller in bytes; it counts as a payload.
    pub(super) fn check_name(&self, name: &str) -> Result<(), Limit> {
        within(name.len(), self.config.max_payload_bytes, Limit::PayloadBytes)
    }

    /// Checks that a period is not shorter than [`Config::min_period`](super::Config::min_period).
    pub(super) fn check_period(&self, period: Option<Span>) -> Result<(), Limit> {
        if period.is_some_and(|period| period < self.config.min_period) {
            return Err(Limit::Period);
        }
        Ok(())
    }

    /// Checks the size of the payload of a context.
    pub(super) fn check_context(&self, context: &EffectContext) -> Result<(), Limit> {
        context.raw_payload().map_or(Ok(()), |payload| self.check_payload(payload))
    }

    /// Checks the size of a payload, its kind included.
    fn check_payload(&self, payload: &RawPayload) -> Result<(), Limit> {
        let bytes = payload.kind.len().saturating_add(payload.bytes.len());
        within(bytes, self.config.max_payload_bytes, Limit::PayloadBytes)
    }
}

/// Returns `limit` as the error if `count` exceeds `most`.
fn within(count: usize, most: u32, limit: Limit) -> Result<(), Limit> {
    if count > most as usize { Err(limit) } else { Ok(()) }
}
