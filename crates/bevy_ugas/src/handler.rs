//! Handler systems, registered by the name of an attribute, tag, cue, task kind or gameplay event.

use bevy_ecs::prelude::{In, Resource, World};
use bevy_ecs::system::SystemId;
use ugas::{Catalog, UnknownName};

use crate::event::{
    AttributeChanged, CueBurst, CueEnded, CueStarted, GameplayEventReceived, HostTaskRequested, TagAdded,
    TagRemoved, TypedEvent,
};

/// A tag that was added or removed, for [`UgasAppExt::on_tag`](crate::UgasAppExt::on_tag).
#[derive(Clone, Debug)]
pub enum TagChange {
    /// The tag was added.
    Added(TagAdded),
    /// The tag was removed.
    Removed(TagRemoved),
}

/// A cue to show, for [`UgasAppExt::on_cue`](crate::UgasAppExt::on_cue).
#[derive(Clone, Debug)]
pub enum CueChange {
    /// A looping cue started.
    Started(CueStarted),
    /// A looping cue ended.
    Ended(CueEnded),
    /// A cue was executed once.
    Burst(CueBurst),
}

/// Handler systems by the name that they are registered for.
#[derive(Resource, Default)]
pub(crate) struct Handlers {
    pub(crate) attributes: Vec<(String, SystemId<In<AttributeChanged>>)>,
    pub(crate) tags: Vec<(String, SystemId<In<TagChange>>)>,
    pub(crate) cues: Vec<(String, SystemId<In<CueChange>>)>,
    pub(crate) tasks: Vec<(String, SystemId<In<HostTaskRequested>>)>,
    pub(crate) events: Vec<(String, SystemId<In<GameplayEventReceived>>)>,
    /// Serial number of the rules by which names were checked, and how many of each list.
    checked: (u64, [usize; 4]),
}

impl Handlers {
    /// Adds handlers that were registered in the meantime.
    pub(crate) fn append(&mut self, mut other: Self) {
        self.attributes.append(&mut other.attributes);
        self.tags.append(&mut other.tags);
        self.cues.append(&mut other.cues);
        self.tasks.append(&mut other.tasks);
        self.events.append(&mut other.events);
    }

    /// Warns of handlers whose attribute or tag the rules lack, once for each handler and state of the rules.
    pub(crate) fn warn_of_unknown(&mut self, catalog: &Catalog, serial: u64) {
        let counts = [self.attributes.len(), self.tags.len(), self.cues.len(), self.events.len()];
        let (known, [attributes, tags, cues, events]) =
            core::mem::replace(&mut self.checked, (serial, counts));
        let first = |checked: usize| if known == serial { checked } else { 0 };
        let warn = |error: UnknownName| tracing::warn!("a handler is never called: {error}");
        for (name, _) in self.attributes.iter().skip(first(attributes)) {
            let _ = catalog.attribute(name).map_err(warn);
        }
        let tags = self.tags.iter().skip(first(tags)).map(|(name, _)| name);
        let cues = self.cues.iter().skip(first(cues)).map(|(name, _)| name);
        let events = self.events.iter().skip(first(events)).map(|(name, _)| name);
        for name in tags.chain(cues).chain(events) {
            let _ = catalog.tag(name).map_err(warn);
        }
    }

    /// Runs the handler systems of an event. Attributes, tags and task kinds match by their exact name. A cue
    /// runs the handlers of its nearest ancestor that has any, a gameplay event those of all its ancestors.
    pub(crate) fn call(&self, event: &TypedEvent, world: &mut World) {
        match event {
            TypedEvent::AttributeChanged(change) => {
                run(world, exact(&self.attributes, &change.name), || change.clone());
            }
            TypedEvent::TagAdded(tag) => {
                run(world, exact(&self.tags, &tag.name), || TagChange::Added(tag.clone()));
            }
            TypedEvent::TagRemoved(tag) => {
                run(world, exact(&self.tags, &tag.name), || TagChange::Removed(tag.clone()));
            }
            TypedEvent::CueStarted(cue) => {
                run(world, nearest(&self.cues, &cue.name), || CueChange::Started(cue.clone()));
            }
            TypedEvent::CueEnded(cue) => {
                run(world, nearest(&self.cues, &cue.name), || CueChange::Ended(cue.clone()));
            }
            TypedEvent::CueBurst(cue) => {
                run(world, nearest(&self.cues, &cue.name), || CueChange::Burst(cue.clone()));
            }
            TypedEvent::HostTaskRequested(task) => {
                run(world, exact(&self.tasks, &task.kind), || task.clone())
            }
            TypedEvent::GameplayEventReceived(event) => {
                run(world, self_and_ancestors(&self.events, &event.name), || event.clone());
            }
            _ => {}
        }
    }
}

type Registered<T> = [(String, SystemId<In<T>>)];

/// Runs handler systems one by one, each with its own input. A failed one is logged and does not stop the
/// others.
fn run<T: 'static>(world: &mut World, systems: impl Iterator<Item = SystemId<In<T>>>, input: impl Fn() -> T) {
    for system in systems {
        if let Err(error) = world.run_system_with(system, input()) {
            tracing::error!("a handler system failed: {error}");
        }
    }
}

/// Handlers that were registered for exactly this name, in the order of registration.
fn exact<'a, T: 'static>(
    systems: &'a Registered<T>,
    name: &'a str,
) -> impl Iterator<Item = SystemId<In<T>>> + 'a {
    systems.iter().filter(move |(known, _)| known == name).map(|(_, system)| *system)
}

/// Handlers of the nearest ancestor tag that has any: a class serves its tag and all descendants without a
/// class of their own (§12.4).
fn nearest<'a, T: 'static>(
    systems: &'a Registered<T>,
    name: &'a str,
) -> impl Iterator<Item = SystemId<In<T>>> + 'a {
    let above = systems.iter().filter(|(known, _)| is_same_or_ancestor(known, name));
    let longest = above.map(|(known, _)| known.len()).max();
    let is_nearest = move |known: &str| Some(known.len()) == longest && is_same_or_ancestor(known, name);
    systems.iter().filter(move |(known, _)| is_nearest(known)).map(|(_, system)| *system)
}

/// Handlers of a tag and of all its ancestors.
fn self_and_ancestors<'a, T: 'static>(
    systems: &'a Registered<T>,
    name: &'a str,
) -> impl Iterator<Item = SystemId<In<T>>> + 'a {
    systems.iter().filter(move |(known, _)| is_same_or_ancestor(known, name)).map(|(_, system)| *system)
}

/// Whether a tag is the other one or an ancestor of it, by their names.
fn is_same_or_ancestor(tag: &str, other: &str) -> bool {
    other.strip_prefix(tag).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}
