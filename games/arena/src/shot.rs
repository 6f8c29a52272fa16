//! Projectiles: spawned by host tasks; a hit sends a gameplay event.

use bevy_ecs::prelude::{Commands, Component, Entity, In, Query, Res, With};
use bevy_math::Vec2;
use bevy_time::Time;
use bevy_ugas::prelude::*;
use ugas::HostValue;

use crate::field::{Body, HALF, amount, size_of, to_point};
use crate::fighter::is_standing;

/// A projectile.
#[derive(Component, Clone, Debug)]
pub struct Shot {
    /// Entity that fired it.
    pub owner: Entity,
    /// Projectile class in the pack.
    pub class: String,
    /// Position.
    pub position: Vec2,
    /// Velocity per second.
    pub velocity: Vec2,
    /// Remaining range.
    pub left: f32,
    /// Radius.
    pub radius: f32,
    /// Gameplay event that its owner gets on a hit.
    pub event: String,
    team: Option<String>,
}

/// Spawns a projectile for a host task: class and hit event come from its parameters, speed and range from
/// the attributes of the owner. No task waits for it, so nothing is completed.
pub fn throw(
    In(request): In<HostTaskRequested>,
    gameplay: GameplayView<'_>,
    mut commands: Commands<'_, '_>,
    mut bodies: Query<'_, '_, (&mut Body, &Attributes, Option<&GameplayTeam>)>,
) {
    let target = request.targets.first().and_then(|target| bodies.get(*target).ok());
    let aim = aim_of(&gameplay, &request).or_else(|| target.map(|(body, ..)| body.position));
    let Ok((mut body, attributes, team)) = bodies.get_mut(request.entity) else { return };
    if let Some(aim) = aim {
        body.look_at(aim);
    }
    let mut shot = Shot::from(request.entity, &body, attributes, team, text(&request, "ProjectileClass"));
    text(&request, "HitEventTag").clone_into(&mut shot.event);
    commands.spawn(shot);
}

impl Shot {
    /// A projectile of this class in facing direction, without a hit event.
    pub fn from(
        owner: Entity,
        body: &Body,
        attributes: &Attributes,
        team: Option<&GameplayTeam>,
        class: &str,
    ) -> Self {
        Self {
            owner,
            class: class.to_owned(),
            position: body.position + body.facing * size_of(attributes),
            velocity: body.facing * amount(attributes, "ShotSpeed") as f32,
            left: amount(attributes, "ShotRange") as f32,
            radius: amount(attributes, "ShotSize") as f32,
            event: String::new(),
            team: team.map(|team| team.0.clone()),
        }
    }
}

/// Moves projectiles; each hits the first enemy in its path.
pub fn fly(
    time: Res<'_, Time>,
    mut gameplay: Gameplay<'_>,
    mut commands: Commands<'_, '_>,
    mut shots: Query<'_, '_, (Entity, &mut Shot)>,
    bodies: Query<
        '_,
        '_,
        (Entity, &Body, &Attributes, &Tags, Option<&GameplayTeam>),
        With<GameplayController>,
    >,
) {
    for (entity, mut shot) in &mut shots {
        let from = shot.position;
        let step = shot.velocity * time.delta_secs();
        shot.position += step;
        shot.left -= step.length();
        let hit = bodies
            .iter()
            .filter(|(other, _, _, tags, team)| {
                *other != shot.owner && is_standing(tags) && team.map(|team| &team.0) != shot.team.as_ref()
            })
            .map(|(other, body, attributes, ..)| {
                (other, distance(from, shot.position, body.position) - size_of(attributes) - shot.radius)
            })
            .filter(|(_, room)| *room <= 0.0)
            .min_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        if let Some((victim, _)) = hit {
            send_hit(&mut gameplay, &shot, victim);
        }
        if hit.is_some() || shot.left <= 0.0 || shot.position.abs().cmpgt(HALF).any() {
            commands.entity(entity).despawn();
        }
    }
}

/// Sends the hit event to the owner; the rules define its effect.
fn send_hit(gameplay: &mut Gameplay<'_>, shot: &Shot, victim: Entity) {
    let (Some(instigator), Some(target)) = (gameplay.controller(shot.owner), gameplay.controller(victim))
    else {
        return;
    };
    if let Ok(mut event) = gameplay.event(shot.event.as_str()) {
        (event.instigator, event.target) = (Some(instigator), Some(target));
        // A client leaves this to its server.
        let _ = gameplay.send_event(shot.owner, event);
    }
}

/// Location that the activation was aimed at.
fn aim_of(gameplay: &GameplayView<'_>, request: &HostTaskRequested) -> Option<Vec2> {
    let simulation = gameplay.simulation()?;
    let activation = simulation.activation(simulation.task(request.task)?.activation())?;
    activation.targets().first_location().map(to_point)
}

fn text<'a>(request: &'a HostTaskRequested, name: &str) -> &'a str {
    match value(request, name) {
        Some(HostValue::Text(text)) => text,
        _ => "",
    }
}

fn value<'a>(request: &'a HostTaskRequested, name: &str) -> Option<&'a HostValue> {
    request.parameters.iter().find(|(known, _)| known == name).map(|(_, value)| value)
}

/// Distance of a point to a line segment.
fn distance(from: Vec2, to: Vec2, point: Vec2) -> f32 {
    let segment = to - from;
    let length = segment.length_squared();
    let along = if length > 0.0 { ((point - from).dot(segment) / length).clamp(0.0, 1.0) } else { 0.0 };
    (from + segment * along).distance(point)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_is_measured_to_the_whole_segment() {
        let (from, to) = (Vec2::ZERO, Vec2::new(100.0, 0.0));
        assert_eq!(distance(from, to, Vec2::new(50.0, 3.0)), 3.0);
        assert_eq!(distance(from, to, Vec2::new(104.0, 3.0)), 5.0); // 3, 4, 5
        assert_eq!(distance(from, from, Vec2::new(0.0, 2.0)), 2.0);
    }
}
