//! Placeholder effects for tags and cues whose own effects are not visible. Only effects grant tags (T3), and
//! only effects and activations show looping cues, so the client has effects in their place: one for all
//! tags, and one for each holder of a cue.

use smallvec::SmallVec;

use super::controller::ReplicaController;
use super::record::EffectFacts;
use crate::catalog::Catalog;
use crate::effect::{ActiveEffect, Clock, EffectContext, EffectDef, EffectSpec};
use crate::handle::{ActiveEffectId, ControllerId, Handle};
use crate::id::{EffectId, TagId};
use crate::time::Time;

/// Identity of a placeholder effect.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum PlaceholderKey {
    /// The effect that grants all tags.
    Tags,
    /// An effect that shows a cue, with its position among those of the same cue.
    Cue(TagId, u32),
}

#[derive(Clone, Debug)]
pub(crate) struct PlaceholderEffect {
    /// Remote handle, with an index that no server uses.
    pub(crate) name: ActiveEffectId,
    pub(crate) facts: EffectFacts,
    /// Start of the tag or cue on the server.
    since: Time,
}

/// First handle index that no server uses.
pub(crate) const FIRST_RESERVED: u32 = 1 << 31;

impl PlaceholderEffect {
    /// A placeholder without definition, tags or cues, which the caller fills in; it never ends by itself.
    fn new(name: ActiveEffectId) -> Self {
        let none = EffectId::from_index(u32::MAX);
        let spec = EffectSpec::new(none, 0, 1.0, EffectContext::default());
        let clock = Clock::new(Time::ZERO, None, None);
        let active = ActiveEffect::new(spec, ControllerId::UNSEEN, 0, clock, SmallVec::new(), 0);
        let active = ActiveEffect { given: true, ..active };
        Self { name, facts: EffectFacts::endless(active), since: Time::ZERO }
    }

    /// Sets its definition (id and name hash), target and sequence number, and restarts its clock at the
    /// start of the tag or cue.
    pub(crate) fn settle(&mut self, effect: (EffectId, u64), target: ControllerId, sequence: u64, now: Time) {
        let since = self.since.min(now);
        let active = &mut self.facts.active;
        (active.effect, active.spec.effect) = (effect.0, effect.0);
        active.spec.name_hash = effect.1;
        active.target = target;
        (active.sequence, active.applied) = (sequence, sequence);
        active.clock = Clock::new(since, None, None);
    }
}

impl ReplicaController {
    /// Updates the placeholder effects if tags or cues have changed. `name` allocates handles.
    pub(crate) fn show(&mut self, mut name: impl FnMut() -> ActiveEffectId) {
        if !core::mem::take(&mut self.shown_is_stale) {
            return;
        }
        let Self { tags, cues, shown, .. } = self;
        shown.retain(|key, _| match key {
            PlaceholderKey::Tags => !tags.is_empty(),
            PlaceholderKey::Cue(cue, nth) => cues.get(cue).is_some_and(|seen| *nth < seen.count),
        });
        if !tags.is_empty() {
            let holder = shown.entry(PlaceholderKey::Tags).or_insert_with(|| PlaceholderEffect::new(name()));
            let granted = &mut holder.facts.active.spec.parts.make_mut().granted_tags;
            granted.clear();
            granted.extend(tags.iter().flat_map(|(tag, count)| (0..*count).map(|_| *tag)));
        }
        for (&cue, seen) in cues.iter() {
            for nth in 0..seen.count {
                let holder = shown
                    .entry(PlaceholderKey::Cue(cue, nth))
                    .or_insert_with(|| PlaceholderEffect::new(name()));
                holder.since = seen.since;
            }
        }
    }
}

/// Remote handle of the `nth` placeholder effect.
pub(crate) fn placeholder_handle(nth: u64) -> ActiveEffectId {
    // The last index is that of `UNSEEN`.
    let places = u64::from(u32::MAX - FIRST_RESERVED);
    let place = FIRST_RESERVED + u32::try_from(nth % places).unwrap_or_default();
    let generation = u32::try_from(nth / places).unwrap_or_default().saturating_add(1);
    ActiveEffectId::from_parts(
        place,
        core::num::NonZeroU32::new(generation).unwrap_or(core::num::NonZeroU32::MIN),
    )
}

/// Definition of an endless effect that only shows a looping cue, in place of an effect that the client
/// cannot see.
pub(crate) fn cue_holder(cue: TagId, catalog: &Catalog) -> EffectDef {
    let name = catalog.tag_name(cue);
    let mut def = EffectDef::infinite(format!("Internal.Shown.{name}"));
    def.cues.push(name.to_owned());
    def
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholder_handles_are_reserved_and_distinct() {
        let names: Vec<_> = [0, 1, 0x7FFF_FFFE, 0x7FFF_FFFF].into_iter().map(placeholder_handle).collect();
        assert_eq!(
            format!("{names:?}"),
            "[active2147483648v1, active2147483649v1, active4294967294v1, active2147483648v2]"
        );
        assert!(!names.contains(&ActiveEffectId::UNSEEN));
    }
}
