//! Host rules for cues: suppression, translation and priority.

use std::collections::{BTreeMap, BTreeSet};

use super::context::CueContext;
use super::handler::CueHandler;
use super::manager::CueManager;
use crate::handle::ControllerId;
use crate::id::TagId;
use crate::tag::TagRegistry;

/// Translation and priority.
impl<H: CueHandler> CueManager<H> {
    /// Translates `tag` and tags below it to the tag that `translate` returns, if any: footsteps to splashes,
    /// if the context says water. The most specific translator decides, and its result is not translated
    /// again.
    pub fn translate(
        &mut self,
        tag: TagId,
        translate: impl Fn(&CueContext) -> Option<TagId> + Send + Sync + 'static,
    ) {
        self.rules.translators.insert(tag, Box::new(translate));
    }

    /// Sets a function that computes the priority of a cue from its context and the priority of its class:
    /// cues on the player's own avatar matter more, say.
    pub fn prioritise(&mut self, priority: impl Fn(&CueContext, i32) -> i32 + Send + Sync + 'static) {
        self.rules.priority = Some(Box::new(priority));
    }
}

/// Suppression (GASD §4.8.6). It affects later triggers; cues that are shown continue until they are removed.
impl<H: CueHandler> CueManager<H> {
    /// Suppresses all cues.
    pub fn suppress_all(&mut self) {
        self.rules.all_suppressed = true;
    }

    /// Ends [`suppress_all`](Self::suppress_all).
    pub fn resume_all(&mut self) {
        self.rules.all_suppressed = false;
    }

    /// Suppresses a tag and all tags below it.
    pub fn suppress(&mut self, tag: TagId) {
        self.rules.suppressed_tags.insert(tag);
    }

    /// Ends [`suppress`](Self::suppress).
    pub fn resume(&mut self, tag: TagId) {
        self.rules.suppressed_tags.remove(&tag);
    }

    /// Suppresses all cues on a target.
    pub fn suppress_on(&mut self, target: ControllerId) {
        self.rules.suppressed_targets.insert(target);
    }

    /// Ends [`suppress_on`](Self::suppress_on).
    pub fn resume_on(&mut self, target: ControllerId) {
        self.rules.suppressed_targets.remove(&target);
    }

    /// Suppresses cues that the predicate accepts. A second predicate replaces the first.
    pub fn suppress_if(&mut self, predicate: impl Fn(&CueContext) -> bool + Send + Sync + 'static) {
        self.rules.suppressed_if = Some(Box::new(predicate));
    }
}

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
    /// Whether a rule suppresses the cue: all cues, its target, its tag or a parent of it, or the host's
    /// condition.
    pub(super) fn suppresses(&self, tags: &TagRegistry, context: &CueContext) -> bool {
        self.all_suppressed
            || self.suppressed_targets.contains(&context.target)
            || lineage(tags, context.cue).any(|tag| self.suppressed_tags.contains(&tag))
            || self.suppressed_if.as_ref().is_some_and(|suppresses| suppresses(context))
    }

    /// The translated cue. The most specific translator decides, and its result is not translated again.
    pub(super) fn translate(&self, tags: &TagRegistry, context: &CueContext) -> TagId {
        let translator = lineage(tags, context.cue).find_map(|tag| self.translators.get(&tag));
        translator.and_then(|translate| translate(context)).unwrap_or(context.cue)
    }

    /// Priority of a cue: as the host's function decides, or that of its class.
    pub(super) fn priority(&self, context: &CueContext, of_class: i32) -> i32 {
        self.priority.as_ref().map_or(of_class, |priority| priority(context, of_class))
    }
}

/// The tag and its ancestors, the most specific first.
pub(super) fn lineage(tags: &TagRegistry, tag: TagId) -> impl Iterator<Item = TagId> {
    core::iter::once(tag).chain(tags.ancestors(tag))
}
