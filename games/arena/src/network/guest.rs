//! A window on a server's match: bodies follow what the server says, and the own one runs ahead of it.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use bevy_app::{App, FixedUpdate, Plugin, TaskPoolPlugin};
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::IntoScheduleConfigs;
use bevy_math::Vec2;
use bevy_time::{Time, TimePlugin};
use bevy_ugas::data::Pack;
use bevy_ugas::net::protocol::{Prediction, Tick};
use bevy_ugas::net::{ClientEndpoint, RemoteController, ServerLost, UgasClient, UgasClientPlugin};
use bevy_ugas::prelude::*;

use super::{BadWay, NetworkError, connect};
use crate::bot::Bot;
use crate::field::{self, Body, to_point};
use crate::fighter::{Kind, Own};
use crate::game::ArenaPlugin;
use crate::pad::Pad;
use crate::shot::Shot;
use crate::way::{Role, Status, Way};

/// The steps that the own body made and that the server has not told of yet.
#[derive(Component, Clone, Debug, Default)]
struct Ahead(VecDeque<(Tick, Vec2)>);

/// Most steps that are remembered: a second.
const MEMORY: usize = 64;

/// Lets bodies follow a server. Add the plugins of the game, as one that follows, and of the client.
pub struct GuestPlugin {
    /// Where the connection looks how bad it is to be.
    pub way: Arc<Mutex<Way>>,
}

/// Why there is no server any more.
#[derive(Resource, Default)]
struct Lost(Option<String>);

fn lose(lost: On<'_, '_, ServerLost>, mut why: ResMut<'_, Lost>) {
    why.0 = Some(lost.describe());
}

#[derive(Resource)]
struct SharedWay(Arc<Mutex<Way>>);

impl Plugin for GuestPlugin {
    fn build(&self, app: &mut App) {
        app.insert_resource(SharedWay(self.way.clone())).insert_resource(Role::Follows);
        app.init_resource::<Lost>().add_observer(lose);
        app.on_cue("GameplayCue.Shot", see_shot);
        app.add_observer(embody).add_systems(
            FixedUpdate,
            (
                spread_way.in_set(GameplaySystems::Input),
                // What flies goes on; bodies are where the server says, or where they will be.
                (follow_server, run_ahead).chain().after(GameplaySystems::Apply),
                tell_status.after(GameplaySystems::Cues),
            )
                .run_if(in_play),
        );
    }
}

/// A guest without a picture, whose champion nobody plays unless [`let_bots_play`]. It goes by the clock on the wall, as the server
/// does: update it for as long as it is to play.
///
/// # Errors
/// If there can be no connection.
pub fn guest(pack: Arc<Pack>, server: SocketAddr, way: Way, seed: u64) -> Result<App, NetworkError> {
    // Tells sessions apart, also of one machine.
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let nonce = (clock.as_nanos() as u64) ^ (u64::from(std::process::id()) << 48);
    let shared = Arc::new(Mutex::new(way));
    let connection = BadWay::new(connect(&pack, server, nonce)?, shared.clone(), nonce);
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin))
        .add_plugins(UgasClientPlugin::new(ClientEndpoint::Custom(Box::new(connection)), nonce))
        .add_plugins(UgasPlugins::from_pack(pack))
        .add_plugins((ArenaPlugin { seed, role: Role::Follows }, GuestPlugin { way: shared }))
        .insert_resource(way);
    app.finish();
    app.cleanup();
    Ok(app)
}

/// Lets a bot play the champion that the server gives.
pub fn let_bots_play(app: &mut App) {
    app.add_observer(|own: On<'_, '_, Add, Own>, mut commands: Commands<'_, '_>| {
        commands.entity(own.entity).insert(Bot::default());
    });
}

/// Somebody came into view.
fn embody(
    added: On<'_, '_, Insert, RemoteController>,
    remotes: Query<'_, '_, &RemoteController>,
    mut commands: Commands<'_, '_>,
) {
    let Ok(remote) = remotes.get(added.entity) else { return };
    let Some(kind) = remote.template.as_deref().and_then(Kind::of_template) else { return };
    let mut entity = commands.entity(added.entity);
    entity.insert((kind, Body::at(Vec2::ZERO), GameplayTeam::new(kind.team())));
    if remote.is_own {
        entity.insert((Own, Pad::default(), Ahead::default()));
    }
}

/// The sliders say how bad the way is, the switch whether to predict.
fn spread_way(way: Res<'_, Way>, shared: Res<'_, SharedWay>, mut gameplay: Gameplay<'_>) {
    if !way.is_changed() {
        return;
    }
    *shared.0.lock().unwrap_or_else(PoisonError::into_inner) = *way;
    let prediction = if way.is_predicted { Prediction::On } else { Prediction::Off };
    let _ = gameplay.set_prediction(prediction);
}

/// Bodies of others are where the server says.
fn follow_server(gameplay: GameplayView<'_>, mut bodies: Query<'_, '_, (Entity, &mut Body, Has<Own>)>) {
    for (entity, mut body, is_own) in &mut bodies {
        let Some(placement) = placement(&gameplay, entity) else { continue };
        let facing = placement.facing();
        let mut moved = *body;
        moved.position = to_point(placement.position());
        if !is_own {
            moved.look(Vec2::new(facing[0] as f32, facing[1] as f32));
        }
        if moved != *body {
            *body = moved;
        }
    }
}

/// The own body is where the server says and as many steps ahead as the server does not know of yet.
fn run_ahead(
    time: Res<'_, Time>,
    way: Res<'_, Way>,
    client: Res<'_, UgasClient>,
    mut own: Query<'_, '_, (&mut Body, &mut Ahead, &Attributes, &Tags)>,
) {
    for (mut body, mut ahead, attributes, tags) in &mut own {
        if !way.is_predicted {
            ahead.0.clear();
            continue;
        }
        let confirmed = client.confirmed.unwrap_or(Tick(0));
        ahead.0.retain(|(tick, _)| *tick > confirmed);
        for (_, step) in &ahead.0 {
            body.position += *step;
        }
        let size = field::size_of(attributes);
        body.position = field::within(body.position, size);
        if ahead.0.back().is_none_or(|(tick, _)| *tick < client.tick) {
            let next = field::walked(&body, attributes, tags, time.delta_secs());
            ahead.0.push_back((client.tick, next - body.position));
            body.position = next;
        }
        while ahead.0.len() > MEMORY {
            ahead.0.pop_front();
        }
    }
}

/// Somebody else threw something: it is shown, and hurts nobody here. What the own champion throws is there already.
fn see_shot(
    In(cue): In<CueChange>,
    throwers: Query<'_, '_, (&Body, &Attributes, Option<&GameplayTeam>, Has<Own>)>,
    way: Res<'_, Way>,
    mut commands: Commands<'_, '_>,
) {
    let CueChange::Burst(burst) = cue else { return };
    let Ok((body, attributes, team, is_own)) = throwers.get(burst.entity) else { return };
    if is_own && way.is_predicted {
        return;
    }
    let class = burst.name.rsplit('.').next().unwrap_or_default();
    commands.spawn(Shot::from(burst.entity, body, attributes, team, class));
}

fn tell_status(client: Res<'_, UgasClient>, lost: Res<'_, Lost>, mut status: ResMut<'_, Status>) {
    let counted = client.statistics;
    let next = Status {
        mode: match &lost.0 {
            Some(_) => "No server".to_owned(),
            None if client.is_playing => "Guest".to_owned(),
            None => "Connecting".to_owned(),
        },
        lost: lost.0.clone(),
        round_trip: client.round_trip.as_seconds() * 1_000.0,
        mispredicted: counted.mispredicted,
        confirmed: counted.confirmed,
        rejected: counted.rejected,
    };
    status.set_if_neq(next);
}

fn placement(gameplay: &GameplayView<'_>, entity: Entity) -> Option<ugas::Placement> {
    gameplay.simulation()?.controller(gameplay.controller(entity)?)?.placement()
}
