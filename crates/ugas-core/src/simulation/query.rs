//! Queries over active effects, for removal and for displays (GASD §4.5.15.1).

use super::{Simulation, SourceTags};
use crate::controller::Controller;
use crate::effect::{ActiveEffect, EffectQuery, EffectStatus};
use crate::handle::{ActiveEffectId, ControllerId};
use crate::id::{EffectId, TagId};
use crate::time::Span;

impl Simulation {
    /// Effects on a controller that a query selects, in application order, including queued ones.
    pub fn effects_matching<'a>(
        &'a self,
        controller: ControllerId,
        query: &'a EffectQuery,
    ) -> impl Iterator<Item = ActiveEffectId> + 'a {
        let effects = self.state.controllers.get(controller).map(Controller::effects);
        let matches = move |&id: &ActiveEffectId| self.matches(id, query);
        effects.unwrap_or_default().iter().copied().filter(matches)
    }

    /// Number of running instances of an effect on a controller.
    pub fn effect_count(&self, controller: ControllerId, effect: EffectId) -> u32 {
        let running = |id: &ActiveEffectId| {
            self.state.effects.get(*id).is_some_and(|active| active.status == EffectStatus::Running)
        };
        self.instances_of(effect, controller).filter(running).count() as u32
    }

    /// Number of stacks of an effect on a controller, over all running instances.
    pub fn stack_count(&self, controller: ControllerId, effect: EffectId) -> u32 {
        let running = self.instances_of(effect, controller).filter_map(|id| self.state.effects.get(id));
        let running = running.filter(|active| active.status == EffectStatus::Running);
        running.map(ActiveEffect::stacks).fold(0, u32::saturating_add)
    }

    /// Remaining time and total duration of a cooldown: of the running, uninhibited effects that grant one of
    /// `tags` or a descendant, the one with the most time left. `None` if no such effect ends by itself.
    pub fn cooldown(&self, controller: ControllerId, tags: &[TagId]) -> Option<(Span, Span)> {
        let registry = self.catalog.tags();
        let is_asked_for = |granted: &TagId| tags.iter().any(|&tag| registry.is_within(*granted, tag));
        let effects = self.state.controllers.get(controller).map(Controller::effects);
        let mut longest = None;
        for &id in effects.unwrap_or_default() {
            let Some(active) = self.state.effects.get(id) else { continue };
            // Infinite effects need no tag check.
            let Some(duration) = active.duration() else { continue };
            if active.status == EffectStatus::Queued || active.inhibited {
                continue;
            }
            let Some(effect) = self.state.definition(&self.catalog, active.effect) else { continue };
            let is_meant = effect.granted_tags.as_slice().iter().any(is_asked_for)
                || active.spec.granted_tags().iter().any(is_asked_for);
            let left = active.remaining(self.state.now).filter(|_| is_meant).map(|left| (left, duration));
            if left > longest {
                longest = left;
            }
        }
        longest
    }

    /// Whether an active effect meets all conditions of a query. An unset condition holds.
    fn matches(&self, id: ActiveEffectId, query: &EffectQuery) -> bool {
        let Some((active, effect)) = self.state.effect_of(&self.catalog, id) else { return false };
        let EffectQuery { effect: of, source, source_object, tags, source_tags, modifies, ignore } = query;
        of.is_none_or(|of| active.effect == of)
            && source.is_none_or(|source| active.source() == Some(source))
            && source_object.is_none_or(|object| active.spec.context.source_object() == Some(object))
            && (tags.is_empty() || tags.matches(&self.tags_with(effect, &active.spec)))
            && (source_tags.is_empty() || source_tags.matches(&SourceTags::of(&self.state, active)))
            && modifies.is_none_or(|attribute| effect.modified_attributes().any(|other| other == attribute))
            && !ignore.contains(&id)
    }
}
