//! Systems that are called by name: of an attribute, a tag, a cue, a kind of task.

use bevy_ecs::prelude::{In, Resource, World};
use bevy_ecs::system::SystemId;

use crate::event::{
    AttributeChanged, CueBurst, CueEnded, CueStarted, GameplayEventReceived, HostTaskRequested, TagAdded,
    TagRemoved, Typed,
};

/// A tag that came or went, for [`UgasAppExt::on_tag`](crate::UgasAppExt::on_tag).
#[derive(Clone, Debug)]
pub enum TagChange {
    /// It was granted.
    Added(TagAdded),
    /// It is gone.
    Removed(TagRemoved),
}

/// A cue that is to be shown, for [`UgasAppExt::on_cue`](crate::UgasAppExt::on_cue).
#[derive(Clone, Debug)]
pub enum CueChange {
    /// It begins.
    Started(CueStarted),
    /// It ends.
    Ended(CueEnded),
    /// It happens once.
    Burst(CueBurst),
}

/// The systems, by what they are called for.
#[derive(Resource, Default)]
pub(crate) struct Handlers {
    pub(crate) attributes: Vec<(String, SystemId<In<AttributeChanged>>)>,
    pub(crate) tags: Vec<(String, SystemId<In<TagChange>>)>,
    pub(crate) cues: Vec<(String, SystemId<In<CueChange>>)>,
    pub(crate) tasks: Vec<(String, SystemId<In<HostTaskRequested>>)>,
    pub(crate) events: Vec<(String, SystemId<In<GameplayEventReceived>>)>,
}

impl Handlers {
    /// Adds those that were registered in the meantime.
    pub(crate) fn append(&mut self, mut other: Self) {
        self.attributes.append(&mut other.attributes);
        self.tags.append(&mut other.tags);
        self.cues.append(&mut other.cues);
        self.tasks.append(&mut other.tasks);
        self.events.append(&mut other.events);
    }

    /// Calls what is registered for an event.
    pub(crate) fn call(&self, event: &Typed, world: &mut World) {
        match event {
            Typed::AttributeChanged(change) => {
                run(world, exact(&self.attributes, &change.name), || change.clone());
            }
            Typed::TagAdded(tag) => {
                run(world, exact(&self.tags, &tag.name), || TagChange::Added(tag.clone()));
            }
            Typed::TagRemoved(tag) => {
                run(world, exact(&self.tags, &tag.name), || TagChange::Removed(tag.clone()));
            }
            Typed::CueStarted(cue) => {
                run(world, nearest(&self.cues, &cue.name), || CueChange::Started(cue.clone()));
            }
            Typed::CueEnded(cue) => {
                run(world, nearest(&self.cues, &cue.name), || CueChange::Ended(cue.clone()));
            }
            Typed::CueBurst(cue) => {
                run(world, nearest(&self.cues, &cue.name), || CueChange::Burst(cue.clone()));
            }
            Typed::HostTaskRequested(task) => run(world, exact(&self.tasks, &task.kind), || task.clone()),
            Typed::GameplayEventReceived(event) => {
                run(world, below(&self.events, &event.name), || event.clone());
            }
            _ => {}
        }
    }
}

type Registered<T> = [(String, SystemId<In<T>>)];

fn run<T: 'static>(world: &mut World, systems: impl Iterator<Item = SystemId<In<T>>>, input: impl Fn() -> T) {
    for system in systems {
        if let Err(error) = world.run_system_with(system, input()) {
            tracing::error!("a handler could not run: {error}");
        }
    }
}

fn exact<'a, T: 'static>(
    systems: &'a Registered<T>,
    name: &'a str,
) -> impl Iterator<Item = SystemId<In<T>>> + 'a {
    systems.iter().filter(move |(known, _)| known == name).map(|(_, system)| *system)
}

/// Those of the nearest tag above that has any: a class serves its tag and, unless they have classes of their own, all
/// tags below (§12.4).
fn nearest<'a, T: 'static>(
    systems: &'a Registered<T>,
    name: &'a str,
) -> impl Iterator<Item = SystemId<In<T>>> + 'a {
    let above = systems.iter().filter(|(known, _)| is_at_or_above(known, name));
    let longest = above.map(|(known, _)| known.len()).max();
    let is_meant = move |known: &str| Some(known.len()) == longest && is_at_or_above(known, name);
    systems.iter().filter(move |(known, _)| is_meant(known)).map(|(_, system)| *system)
}

fn below<'a, T: 'static>(
    systems: &'a Registered<T>,
    name: &'a str,
) -> impl Iterator<Item = SystemId<In<T>>> + 'a {
    systems.iter().filter(move |(known, _)| is_at_or_above(known, name)).map(|(_, system)| *system)
}

fn is_at_or_above(tag: &str, other: &str) -> bool {
    other.strip_prefix(tag).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}
