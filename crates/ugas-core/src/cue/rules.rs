//! What the host has to say about all cues: which are not shown, which are shown as others, which matter most.

use std::collections::{BTreeMap, BTreeSet};

use super::context::CueContext;
use super::handler::CueHandler;
use super::manager::CueManager;
use crate::handle::ControllerId;
use crate::id::TagId;
use crate::tag::TagRegistry;

/// Translation and priority.
impl<H: CueHandler> CueManager<H> {
    /// Shows `tag` and what is below it as what `translate` returns, if it returns something: footsteps as splashes, if
    /// the context says water. The most specific translator decides, and its answer is not translated again.
    pub fn translate(
        &mut self,
        tag: TagId,
        translate: impl Fn(&CueContext) -> Option<TagId> + Send + Sync + 'static,
    ) {
        self.rules.translators.insert(tag, Box::new(translate));
    }

    /// Lets the host say how important a cue is, from its context and the priority of its class: what happens to one's
    /// own avatar matters more.
    pub fn prioritise(&mut self, priority: impl Fn(&CueContext, i32) -> i32 + Send + Sync + 'static) {
        self.rules.priority = Some(Box::new(priority));
    }
}

/// Suppression (GASD §4.8.6). It concerns what comes: what is shown already goes on until it is removed.
impl<H: CueHandler> CueManager<H> {
    /// Shows nothing any more.
    pub fn suppress_all(&mut self) {
        self.rules.all_suppressed = true;
    }

    /// Takes [`suppress_all`](Self::suppress_all) back.
    pub fn resume_all(&mut self) {
        self.rules.all_suppressed = false;
    }

    /// Does not show a tag and what is below it.
    pub fn suppress(&mut self, tag: TagId) {
        self.rules.suppressed_tags.insert(tag);
    }

    /// Takes [`suppress`](Self::suppress) back.
    pub fn resume(&mut self, tag: TagId) {
        self.rules.suppressed_tags.remove(&tag);
    }

    /// Shows nothing on a target.
    pub fn suppress_on(&mut self, target: ControllerId) {
        self.rules.suppressed_targets.insert(target);
    }

    /// Takes [`suppress_on`](Self::suppress_on) back.
    pub fn resume_on(&mut self, target: ControllerId) {
        self.rules.suppressed_targets.remove(&target);
    }

    /// Does not show cues for which this holds. A second predicate replaces the first.
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
