//! Handler systems, registered by the name of an attribute, tag, cue, task kind or gameplay event.

use std::collections::BTreeSet;

use bevy_ecs::prelude::{In, Resource, World};
use bevy_ecs::system::SystemId;
use ugas::{Catalog, DefinitionKind, UnknownName};

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
    checked: (u64, [usize; 5]),
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

    /// Warns of handlers whose attribute, tag or kind of task the rules lack, once for each handler and state of
    /// the rules.
    pub(crate) fn warn_of_unknown(&mut self, catalog: &Catalog, serial: u64) {
        let Self { attributes, tags, cues, tasks, events, checked } = self;
        let counts = [attributes.len(), tags.len(), cues.len(), events.len(), tasks.len()];
        let (known, first) = core::mem::replace(checked, (serial, counts));
        let first = if known == serial { first } else { [0; 5] };
        if first == counts {
            return;
        }
        let warn = |error: UnknownName| tracing::warn!("a handler is never called: {error}");
        for (name, _) in attributes.iter().skip(first[0]) {
            let _ = catalog.attribute(name).map_err(warn);
        }
        let tags = tags.iter().skip(first[1]).map(|(name, _)| name);
        let cues = cues.iter().skip(first[2]).map(|(name, _)| name);
        let events = events.iter().skip(first[3]).map(|(name, _)| name);
        for name in tags.chain(cues).chain(events) {
            let _ = catalog.tag(name).map_err(warn);
        }
        let kinds = host_tasks(catalog);
        for (kind, _) in tasks.iter().skip(first[4]).filter(|(kind, _)| !kinds.contains(kind.as_str())) {
            tracing::warn!("a handler is never called: no ability has a host task of the kind `{kind}`");
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

/// Kinds of the host tasks of all abilities.
fn host_tasks(catalog: &Catalog) -> BTreeSet<&str> {
    let ids = catalog.names(DefinitionKind::Ability).filter_map(|name| catalog.ability(name).ok());
    let routines = ids.filter_map(|id| catalog.ability_by_id(id)).map(|ability| ability.routine());
    let steps = routines.flat_map(|routine| (0..routine.len()).map(move |step| (routine, step as u32)));
    let tasks = steps.filter(|(routine, step)| routine.host_parameters(*step).is_some());
    tasks.filter_map(|(routine, step)| routine.kind(step)).collect()
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
