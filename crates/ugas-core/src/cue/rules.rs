//! What the host has to say about all cues: which are not shown, which are shown as others, which matter most.

use std::collections::{BTreeMap, BTreeSet};

use super::context::CueContext;
use crate::handle::ControllerId;
use crate::id::TagId;
use crate::tag::TagRegistry;

type Translator = Box<dyn Fn(&CueContext) -> Option<TagId> + Send + Sync>;
type Predicate = Box<dyn Fn(&CueContext) -> bool + Send + Sync>;
type Priority = Box<dyn Fn(&CueContext, i32) -> i32 + Send + Sync>;

/// Suppression, translation and priority.
#[derive(Default)]
pub(super) struct Rules {
    pub(super) all_suppressed: bool,
    pub(super) suppressed_tags: BTreeSet<TagId>,
    pub(super) suppressed_targets: BTreeSet<ControllerId>,
    pub(super) suppressed_if: Option<Predicate>,
    pub(super) translators: BTreeMap<TagId, Translator>,
    pub(super) priority: Option<Priority>,
}

impl Rules {
    pub(super) fn suppresses(&self, tags: &TagRegistry, context: &CueContext) -> bool {
        self.all_suppressed
            || self.suppressed_targets.contains(&context.target)
            || lineage(tags, context.cue).any(|tag| self.suppressed_tags.contains(&tag))
            || self.suppressed_if.as_ref().is_some_and(|suppresses| suppresses(context))
    }

    /// What the cue is shown as. The most specific translator decides, once: what it returns is not translated again.
    pub(super) fn translate(&self, tags: &TagRegistry, context: &CueContext) -> TagId {
        let translator = lineage(tags, context.cue).find_map(|tag| self.translators.get(&tag));
        translator.and_then(|translate| translate(context)).unwrap_or(context.cue)
    }

    pub(super) fn priority(&self, context: &CueContext, of_class: i32) -> i32 {
        self.priority.as_ref().map_or(of_class, |priority| priority(context, of_class))
    }
}

/// The tag and its ancestors, the most specific first.
pub(super) fn lineage(tags: &TagRegistry, tag: TagId) -> impl Iterator<Item = TagId> {
    core::iter::once(tag).chain(tags.ancestors(tag))
}
