//! `bevy_replicon`: entities with components, replicated to clients.
//!
//! A server and a client in one process, that exchange messages after every tick: an acknowledgement is there
//! before the next tick, which is a shorter round trip than ours has. Its messages are counted as they leave
//! the server, without the overhead of a messaging backend for reliable channels.
//!
//! An entity is a controller with a component for each attribute, so that only changed ones are sent: of
//! others the quantised number, of the client's own both values. Tags are bits of one component, without
//! their counts. Each record of the client's own, such as an effect, is an entity with its bytes.

use std::collections::BTreeMap;
use std::time::Duration;

use bevy::ecs::component::Mutable;
use bevy::prelude::*;
use bevy::state::app::StatesPlugin;
use bevy_replicon::prelude::*;
use bevy_replicon::shared::server_entity_map::ServerEntityMap;
use bevy_replicon::test_app::{ServerTestAppExt, TestClientEntity};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use ugas::ControllerId;
use ugas::core::replica::{Piece, PieceKey};
use ugas::net::quantise::Quantiser;

use crate::lines::{Change, Trace};
use crate::measure::{Timing, timed};

/// Attributes of the workloads; their ids go by their names.
const ATTRIBUTES: usize = 4;

/// An attribute of others.
#[derive(Component, Serialize, Deserialize, PartialEq)]
struct Shown<const N: u32>(u32);

/// An attribute of the client's own.
#[derive(Component, Serialize, Deserialize, PartialEq)]
struct Exact<const N: u32>(f32, f32);

/// A bit for each tag.
#[derive(Component, Serialize, Deserialize, PartialEq, Default)]
struct Tags(u32);

/// An effect or an ability, as the core writes it.
#[derive(Component, Serialize, Deserialize, PartialEq, Debug)]
struct Record(Vec<u8>);

/// Bytes to the client while the changes of a trace are replicated, and nanoseconds of the server for a tick.
pub(crate) fn replicated(trace: &Trace) -> Option<(f64, f64)> {
    let mut peer = Peer::new();
    for ((controller, key), piece) in &trace.before {
        let own = *controller == trace.own;
        let change = Change { controller: *controller, own, key: *key, old: None, new: Some(piece.clone()) };
        peer.change(trace, &change);
    }
    for _ in 0..8 {
        peer.tick();
    }
    let begun = peer.compare(trace);
    let (mut bytes, mut times) = (0, Vec::new());
    for changes in &trace.ticks {
        changes.iter().for_each(|change| peer.change(trace, change));
        let (sent, time) = peer.tick();
        bytes += sent;
        times.push(time);
    }
    for _ in 0..8 {
        peer.tick();
    }
    assert_ne!(peer.compare(trace), begun, "attributes of others changed");
    Some((bytes as f64, Timing::mean(&times).median))
}

/// A server, and a client that it replicates to.
struct Peer {
    server: App,
    client: App,
    controllers: BTreeMap<ControllerId, Entity>,
    records: BTreeMap<(ControllerId, PieceKey), Entity>,
}

impl Peer {
    fn new() -> Self {
        let mut server = app();
        let mut client = app();
        server.connect_client(&mut client);
        Self { server, client, controllers: BTreeMap::new(), records: BTreeMap::new() }
    }

    /// Replicates the changes; returns the bytes sent to the client and the server time.
    fn tick(&mut self) -> (usize, Duration) {
        let spent = timed(|| self.server.update());
        let to = **self.client.world().resource::<TestClientEntity>();
        let mut from_client = self.client.world_mut().resource_mut::<ClientMessages>();
        let mut from_server = self.server.world_mut().resource_mut::<ServerMessages>();
        for (channel, message) in from_client.drain_sent() {
            from_server.insert_received(to, channel, message);
        }
        let mut bytes = 0;
        for (_, channel, message) in from_server.drain_sent() {
            bytes += message.len();
            from_client.insert_received(channel, message);
        }
        self.client.update();
        (bytes, spent)
    }

    fn change(&mut self, trace: &Trace, change: &Change) {
        let world = self.server.world_mut();
        if change.key.is_record() {
            return self.change_record(change);
        }
        let entity = *self
            .controllers
            .entry(change.controller)
            .or_insert_with(|| world.spawn((Replicated, Tags::default())).id());
        match (change.key, &change.new) {
            (PieceKey::Attribute(attribute), Some(Piece::Attribute { base, current })) => {
                let both = (*base as f32, *current as f32);
                let shown = code(trace.dictionary.attribute(attribute), *current);
                match (change.own, attribute.index()) {
                    (true, 0) => put(world, entity, Exact::<0>(both.0, both.1)),
                    (true, 1) => put(world, entity, Exact::<1>(both.0, both.1)),
                    (true, 2) => put(world, entity, Exact::<2>(both.0, both.1)),
                    (true, 3) => put(world, entity, Exact::<3>(both.0, both.1)),
                    (false, 0) => put(world, entity, Shown::<0>(shown)),
                    (false, 1) => put(world, entity, Shown::<1>(shown)),
                    (false, 2) => put(world, entity, Shown::<2>(shown)),
                    (false, 3) => put(world, entity, Shown::<3>(shown)),
                    _ => panic!("the workloads have four attributes"),
                }
            }
            (PieceKey::Tag(tag), new) => {
                assert!(tag.index() < 32, "tags fit a mask");
                let bit = 1 << tag.index();
                let known = world.get::<Tags>(entity).map_or(0, |tags| tags.0);
                put(world, entity, Tags(if new.is_some() { known | bit } else { known & !bit }));
            }
            _ => panic!("the workloads have attributes and tags"),
        }
    }

    fn change_record(&mut self, change: &Change) {
        let world = self.server.world_mut();
        let at = (change.controller, change.key);
        match (&change.new, self.records.get(&at)) {
            (Some(Piece::Record(bytes)), Some(entity)) => put(world, *entity, Record(bytes.to_vec())),
            (Some(Piece::Record(bytes)), None) => {
                let entity = world.spawn((Replicated, Record(bytes.to_vec()))).id();
                self.records.insert(at, entity);
            }
            (_, Some(entity)) => {
                world.despawn(*entity);
                self.records.remove(&at);
            }
            (_, None) => {}
        }
    }

    /// Checks that the client has the state of the server. Returns the attributes of others.
    fn compare(&self, trace: &Trace) -> Vec<[Option<u32>; ATTRIBUTES]> {
        let (server, client) = (self.server.world(), self.client.world());
        let to_client = client.resource::<ServerEntityMap>().to_client();
        let there =
            |entity: &Entity| client.entity(*to_client.get(entity).expect("bevy_replicon replicates it"));
        let mut shown = Vec::new();
        for (controller, entity) in &self.controllers {
            let expected = State::of(server.entity(*entity));
            assert_eq!(State::of(there(entity)), expected, "bevy_replicon replicates {controller:?}");
            if *controller == trace.own {
                assert!(
                    expected.exact.iter().all(Option::is_some),
                    "an attribute of an own controller is missing"
                );
            } else {
                assert!(
                    expected.shown.iter().any(Option::is_some),
                    "no attribute of {controller:?} is replicated"
                );
                shown.push(expected.shown);
            }
        }
        for (key, entity) in &self.records {
            let expected = server.get::<Record>(*entity).expect("it was spawned with one");
            assert_eq!(there(entity).get::<Record>(), Some(expected), "bevy_replicon replicates {key:?}");
        }
        assert_eq!(
            to_client.len(),
            self.controllers.len() + self.records.len(),
            "the client has nothing else"
        );
        assert_eq!(shown.len(), trace.in_view - 1, "a controller is missing");
        shown
    }
}

/// State of a controller on one side, attributes by index.
#[derive(PartialEq, Debug)]
struct State {
    shown: [Option<u32>; ATTRIBUTES],
    exact: [Option<(f32, f32)>; ATTRIBUTES],
    tags: Option<u32>,
}

impl State {
    fn of(entity: EntityRef<'_>) -> Self {
        Self {
            shown: [shown::<0>(entity), shown::<1>(entity), shown::<2>(entity), shown::<3>(entity)],
            exact: [exact::<0>(entity), exact::<1>(entity), exact::<2>(entity), exact::<3>(entity)],
            tags: entity.get::<Tags>().map(|tags| tags.0),
        }
    }
}

fn shown<const N: u32>(entity: EntityRef<'_>) -> Option<u32> {
    entity.get::<Shown<N>>().map(|shown| shown.0)
}

fn exact<const N: u32>(entity: EntityRef<'_>) -> Option<(f32, f32)> {
    entity.get::<Exact<N>>().map(|exact| (exact.0, exact.1))
}

fn app() -> App {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, StatesPlugin, RepliconPlugins.set(ServerPlugin::new(PostUpdate))));
    app.replicate::<Shown<0>>().replicate::<Shown<1>>().replicate::<Shown<2>>().replicate::<Shown<3>>();
    app.replicate::<Exact<0>>().replicate::<Exact<1>>().replicate::<Exact<2>>().replicate::<Exact<3>>();
    app.replicate::<Tags>().replicate::<Record>();
    app.finish();
    app
}

/// Changes a component only if it differs.
fn put<C>(world: &mut World, entity: Entity, new: C)
where
    C: Component<Mutability = Mutable> + Serialize + DeserializeOwned + PartialEq,
{
    let mut entity = world.entity_mut(entity);
    match entity.get_mut::<C>() {
        Some(mut old) => {
            old.set_if_neq(new);
        }
        None => {
            entity.insert(new);
        }
    }
}

fn code(quantiser: Quantiser, value: f64) -> u32 {
    match quantiser {
        Quantiser::Range { min, max, bits } => {
            ((value - min) / (max - min) * f64::from((1u32 << bits) - 1)).round() as u32
        }
        _ => value.round() as u32,
    }
}
