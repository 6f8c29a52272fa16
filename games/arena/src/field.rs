//! Bodies of fighters: positions and movement.
//!
//! Speed and size come from the rules; this module keeps bodies inside the field and apart from each other.
//! Only additions, multiplications, divisions and square roots are used, so that a match is identical on
//! every machine.

use bevy_ecs::prelude::{Component, Entity, Query, Res};
use bevy_math::Vec2;
use bevy_time::Time;
use bevy_ugas::prelude::*;
use ugas::Placement;
use ugas::core::effect::Vector3;

use crate::fighter::{Kind, is_standing};

/// Half the width and half the height of the field.
pub const HALF: Vec2 = Vec2::new(610.0, 250.0);

/// Position, facing and movement of a fighter.
#[derive(Component, Clone, Copy, PartialEq, Debug)]
pub struct Body {
    /// Position on the field.
    pub position: Vec2,
    /// Facing direction, of length 1.
    pub facing: Vec2,
    /// Movement direction, at most of length 1.
    pub walk: Vec2,
    /// Spawn point.
    pub home: Vec2,
}

impl Body {
    /// A body at its spawn point.
    pub fn at(home: Vec2) -> Self {
        Self { position: home, facing: Vec2::X, walk: Vec2::ZERO, home }
    }

    /// Faces a direction, unless it is zero.
    pub fn look(&mut self, direction: Vec2) {
        if let Some(direction) = direction.try_normalize() {
            self.facing = direction;
        }
    }

    /// Faces a point.
    pub fn look_at(&mut self, point: Vec2) {
        self.look(point - self.position);
    }

    fn placement(&self) -> Option<Placement> {
        let facing = [f64::from(self.facing.x), f64::from(self.facing.y), 0.0];
        Placement::new(to_place(self.position), facing).ok()
    }
}

/// World location of a point of the field.
pub fn to_place(point: Vec2) -> Vector3 {
    [f64::from(point.x), f64::from(point.y), 0.0]
}

/// Point of the field for a world location.
pub fn to_point(place: Vector3) -> Vec2 {
    Vec2::new(place[0] as f32, place[1] as f32)
}

/// The nearest point within the field, for a body of this size.
pub fn within(point: Vec2, size: f32) -> Vec2 {
    let room = (HALF - Vec2::splat(size)).max(Vec2::ZERO);
    point.clamp(-room, room)
}

/// Position of a body after walking for some seconds.
pub fn walked(body: &Body, attributes: &Attributes, tags: &Tags, seconds: f32) -> Vec2 {
    let speed = amount(attributes, "MoveSpeed") as f32;
    // A dash goes forward, even from standing still.
    let direction = match tags.has("State.Dashing") && body.walk == Vec2::ZERO {
        true => body.facing,
        false => body.walk.clamp_length_max(1.0),
    };
    within(body.position + direction * speed * seconds, size_of(attributes))
}

/// Value of an attribute; 0 if the body has no such attribute, or the server does not send it to this player.
pub fn amount(attributes: &Attributes, name: &str) -> f64 {
    attributes.current(name).unwrap_or_default()
}

/// Radius of a body.
pub fn size_of(attributes: &Attributes) -> f32 {
    amount(attributes, "Size") as f32
}

/// Moves all bodies.
pub fn walk(time: Res<'_, Time>, mut bodies: Query<'_, '_, (&mut Body, &Attributes, &Tags)>) {
    for (mut body, attributes, tags) in &mut bodies {
        let position = walked(&body, attributes, tags, time.delta_secs());
        if position != body.position {
            body.position = position;
        }
    }
}

/// Pushes overlapping bodies apart, half of the overlap per step.
pub fn keep_apart(mut bodies: Query<'_, '_, (Entity, &mut Body, &Attributes, &Tags)>) {
    let mut standing: Vec<(Entity, Vec2, f32)> = bodies
        .iter()
        .filter(|(_, _, _, tags)| is_standing(tags))
        .map(|(entity, body, attributes, _)| (entity, body.position, size_of(attributes)))
        .collect();
    standing.sort_by_key(|(entity, ..)| *entity);
    for first in 0..standing.len() {
        for second in first + 1..standing.len() {
            let (_, a, a_size) = standing[first];
            let (_, b, b_size) = standing[second];
            let (between, room) = (b - a, a_size + b_size);
            let distance = between.length();
            if distance >= room {
                continue;
            }
            let away = between.try_normalize().unwrap_or(Vec2::X) * (room - distance) / 2.0;
            standing[first].1 = within(a - away / 2.0, a_size);
            standing[second].1 = within(b + away / 2.0, b_size);
        }
    }
    for (entity, position, _) in standing {
        if let Ok((_, mut body, ..)) = bodies.get_mut(entity)
            && body.position != position
        {
            body.position = position;
        }
    }
}

/// Copies positions to the rules.
pub fn place(
    mut gameplay: Gameplay<'_>,
    bodies: Query<'_, '_, (Entity, &Body), (bevy_ecs::prelude::Changed<Body>, bevy_ecs::prelude::With<Kind>)>,
) {
    for (entity, body) in &bodies {
        // An entity without a controller yet is placed when it moves again.
        let _ = gameplay.place(entity, body.placement());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_clamped_to_the_field() {
        // Half the field is 610 × 250; a body of 20 keeps its middle 20 away from the border.
        assert_eq!(within(Vec2::new(1000.0, -1000.0), 20.0), Vec2::new(590.0, -230.0));
        assert_eq!(within(Vec2::new(5.0, 5.0), 20.0), Vec2::new(5.0, 5.0));
        assert_eq!(within(Vec2::new(5.0, 5.0), 1e9), Vec2::ZERO);
    }

    #[test]
    fn body_faces_a_point_and_keeps_facing_at_distance_zero() {
        let mut body = Body::at(Vec2::ZERO);
        body.look_at(Vec2::new(0.0, -7.0));
        assert_eq!(body.facing, Vec2::NEG_Y);
        body.look_at(Vec2::ZERO);
        assert_eq!(body.facing, Vec2::NEG_Y);
    }
}
