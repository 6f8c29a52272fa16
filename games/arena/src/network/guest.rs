//! A client of a match: bodies follow the server, and the own body is predicted.

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

use super::{NetworkError, SimulatedLink, connect};
use crate::bot::Bot;
use crate::field::{self, Body, to_point};
use crate::fighter::{Kind, LocalPlayer};
use crate::game::ArenaPlugin;
use crate::link::{LinkSettings, Role, Status};
use crate::pad::Pad;
use crate::shot::Shot;

/// Steps of the own body that the server has not confirmed yet.
#[derive(Component, Clone, Debug, Default)]
struct PredictedSteps(VecDeque<(Tick, Vec2)>);

/// Maximum number of unconfirmed steps: a second.
const MAX_STEPS: usize = 64;

/// Makes bodies follow a server. Add it with [`ArenaPlugin`] in the client role and [`UgasClientPlugin`].
pub struct GuestPlugin {
    /// Simulated link conditions, shared with the connection.
    pub link: Arc<Mutex<LinkSettings>>,
}

/// Why the connection was lost.
#[derive(Resource, Default)]
struct ConnectionLost(Option<String>);

fn record_loss(lost: On<'_, '_, ServerLost>, mut reason: ResMut<'_, ConnectionLost>) {
    reason.0 = Some(lost.describe());
}

#[derive(Resource)]
struct SharedLinkSettings(Arc<Mutex<LinkSettings>>);

impl Plugin for GuestPlugin {
    fn build(&self, app: &mut App) {
        app.insert_resource(SharedLinkSettings(self.link.clone())).insert_resource(Role::Client);
        app.init_resource::<ConnectionLost>().add_observer(record_loss);
        app.on_cue("GameplayCue.Shot", show_shot);
        app.add_observer(add_body).add_systems(
            FixedUpdate,
            (
                apply_link_settings.in_set(GameplaySystems::Input),
                // Bodies are where the server says, or where they are predicted.
                (follow_server, predict_own_body).chain().after(GameplaySystems::Apply),
                update_status.after(GameplaySystems::Cues),
            )
                .run_if(in_play),
        );
    }
}

/// A client without rendering, whose champion is idle unless [`let_bots_play`] is called. It runs in real
/// time, as the server does: update it as long as it should play.
///
/// # Errors
/// If the connection cannot be created.
pub fn guest(
    pack: Arc<Pack>,
    server: SocketAddr,
    link: LinkSettings,
    seed: u64,
) -> Result<App, NetworkError> {
    // Distinguishes sessions, also on one machine.
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let nonce = (clock.as_nanos() as u64) ^ (u64::from(std::process::id()) << 48);
    let shared = Arc::new(Mutex::new(link));
    let connection = SimulatedLink::new(connect(&pack, server, nonce)?, shared.clone(), nonce);
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin))
        .add_plugins(UgasClientPlugin::new(ClientEndpoint::Custom(Box::new(connection)), nonce))
        .add_plugins(UgasPlugins::from_pack(pack))
        .add_plugins((ArenaPlugin { seed, role: Role::Client }, GuestPlugin { link: shared }))
        .insert_resource(link);
    app.finish();
    app.cleanup();
    Ok(app)
}

/// Lets a bot play the champion that the server gives.
pub fn let_bots_play(app: &mut App) {
    app.add_observer(|own: On<'_, '_, Add, LocalPlayer>, mut commands: Commands<'_, '_>| {
        commands.entity(own.entity).insert(Bot::default());
    });
}

/// Adds a body to a fighter that became visible.
fn add_body(
    added: On<'_, '_, Insert, RemoteController>,
    remotes: Query<'_, '_, &RemoteController>,
    mut commands: Commands<'_, '_>,
) {
    let Ok(remote) = remotes.get(added.entity) else { return };
    let Some(kind) = remote.template.as_deref().and_then(Kind::of_template) else { return };
    let mut entity = commands.entity(added.entity);
    entity.insert((kind, Body::at(Vec2::ZERO), GameplayTeam::new(kind.team())));
    if remote.is_own {
        entity.insert((LocalPlayer, Pad::default(), PredictedSteps::default()));
    }
}

/// Applies changed link settings.
fn apply_link_settings(
    link: Res<'_, LinkSettings>,
    shared: Res<'_, SharedLinkSettings>,
    mut gameplay: Gameplay<'_>,
) {
    if !link.is_changed() {
        return;
    }
    *shared.0.lock().unwrap_or_else(PoisonError::into_inner) = *link;
    let prediction = if link.is_predicted { Prediction::On } else { Prediction::Off };
    let _ = gameplay.set_prediction(prediction);
}

/// Copies positions from the server.
fn follow_server(
    gameplay: GameplayView<'_>,
    mut bodies: Query<'_, '_, (Entity, &mut Body, Has<LocalPlayer>)>,
) {
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

/// Predicts the own body: the position on the server plus the unconfirmed steps.
fn predict_own_body(
    time: Res<'_, Time>,
    link: Res<'_, LinkSettings>,
    client: Res<'_, UgasClient>,
    mut own: Query<'_, '_, (&mut Body, &mut PredictedSteps, &Attributes, &Tags)>,
) {
    for (mut body, mut ahead, attributes, tags) in &mut own {
        if !link.is_predicted {
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
        while ahead.0.len() > MAX_STEPS {
            ahead.0.pop_front();
        }
    }
}

/// Shows a projectile of another fighter, without hits. Projectiles of the own champion are predicted
/// already.
fn show_shot(
    In(cue): In<CueChange>,
    throwers: Query<'_, '_, (&Body, &Attributes, Option<&GameplayTeam>, Has<LocalPlayer>)>,
    link: Res<'_, LinkSettings>,
    mut commands: Commands<'_, '_>,
) {
    let CueChange::Burst(burst) = cue else { return };
    let Ok((body, attributes, team, is_own)) = throwers.get(burst.entity) else { return };
    if is_own && link.is_predicted {
        return;
    }
    let class = burst.name.rsplit('.').next().unwrap_or_default();
    commands.spawn(Shot::from(burst.entity, body, attributes, team, class));
}

fn update_status(client: Res<'_, UgasClient>, lost: Res<'_, ConnectionLost>, mut status: ResMut<'_, Status>) {
    let statistics = client.statistics;
    let next = Status {
        mode: match &lost.0 {
            Some(_) => "No server".to_owned(),
            None if client.is_playing => "Guest".to_owned(),
            None => "Connecting".to_owned(),
        },
        lost: lost.0.clone(),
        round_trip: client.round_trip.as_seconds() * 1_000.0,
        mispredicted: statistics.mispredicted,
        confirmed: statistics.confirmed,
        rejected: statistics.rejected,
    };
    status.set_if_neq(next);
}

fn placement(gameplay: &GameplayView<'_>, entity: Entity) -> Option<ugas::Placement> {
    gameplay.simulation()?.controller(gameplay.controller(entity)?)?.placement()
}
