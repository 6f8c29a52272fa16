//! Where everybody is, and how they move.
//!
//! Rules say how fast and how big; this says how a body keeps within the field and out of others. Only additions,
//! multiplications, divisions and square roots are used, so that a match comes out the same on every machine.

use bevy_ecs::prelude::{Component, Entity, Query, Res};
use bevy_math::Vec2;
use bevy_time::Time;
use bevy_ugas::prelude::*;
use ugas::Placement;
use ugas::core::effect::Vector3;

use crate::fighter::{Kind, is_standing};

/// Half the width and half the height of the field.
pub const HALF: Vec2 = Vec2::new(610.0, 250.0);

/// Where a fighter stands, where it looks, and where it wants to go.
#[derive(Component, Clone, Copy, PartialEq, Debug)]
pub struct Body {
    /// Where it stands.
    pub position: Vec2,
    /// Where it looks: of length 1.
    pub facing: Vec2,
    /// Where it wants to go: at most of length 1.
    pub walk: Vec2,
    /// Where it begins, and comes back to.
    pub home: Vec2,
}

impl Body {
    /// A body that stands at its home.
    pub fn at(home: Vec2) -> Self {
        Self { position: home, facing: Vec2::X, walk: Vec2::ZERO, home }
    }

    /// Looks in a direction, unless there is none.
    pub fn look(&mut self, direction: Vec2) {
        if let Some(direction) = direction.try_normalize() {
            self.facing = direction;
        }
    }

    /// Looks at a point.
    pub fn look_at(&mut self, point: Vec2) {
        self.look(point - self.position);
    }

    fn placement(&self) -> Option<Placement> {
        let facing = [f64::from(self.facing.x), f64::from(self.facing.y), 0.0];
        Placement::new(to_place(self.position), facing).ok()
    }
}

/// A point of the field as the rules know places.
pub fn to_place(point: Vec2) -> Vector3 {
    [f64::from(point.x), f64::from(point.y), 0.0]
}

/// A place as a point of the field.
pub fn to_point(place: Vector3) -> Vec2 {
    Vec2::new(place[0] as f32, place[1] as f32)
}

/// The nearest point within the field, for a body of this size.
pub fn within(point: Vec2, size: f32) -> Vec2 {
    let room = (HALF - Vec2::splat(size)).max(Vec2::ZERO);
    point.clamp(-room, room)
}

/// Where a body is after walking for so long.
pub fn walked(body: &Body, attributes: &Attributes, tags: &Tags, seconds: f32) -> Vec2 {
    let speed = amount(attributes, "MoveSpeed") as f32;
    // A leap goes ahead, whoever stands still included.
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

/// How big a body is.
pub fn size_of(attributes: &Attributes) -> f32 {
    amount(attributes, "Size") as f32
}

/// Everybody goes where they want to.
pub fn walk(time: Res<'_, Time>, mut bodies: Query<'_, '_, (&mut Body, &Attributes, &Tags)>) {
    for (mut body, attributes, tags) in &mut bodies {
        let position = walked(&body, attributes, tags, time.delta_secs());
        if position != body.position {
            body.position = position;
        }
    }
}

/// Nobody stands in somebody else: who does is pushed away, half of the way a step.
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

/// The rules hear where everybody is.
pub fn place(
    mut gameplay: Gameplay<'_>,
    bodies: Query<'_, '_, (Entity, &Body), (bevy_ecs::prelude::Changed<Body>, bevy_ecs::prelude::With<Kind>)>,
) {
    for (entity, body) in &bodies {
        // Who has no controller yet is placed when it has moved again.
        let _ = gameplay.place(entity, body.placement());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_leaves_the_field() {
        // Half the field is 610 × 250; a body of 20 keeps its middle 20 away from the border.
        assert_eq!(within(Vec2::new(1000.0, -1000.0), 20.0), Vec2::new(590.0, -230.0));
        assert_eq!(within(Vec2::new(5.0, 5.0), 20.0), Vec2::new(5.0, 5.0));
        assert_eq!(within(Vec2::new(5.0, 5.0), 1e9), Vec2::ZERO);
    }

    #[test]
    fn a_body_looks_where_it_is_told_to() {
        let mut body = Body::at(Vec2::ZERO);
        body.look_at(Vec2::new(0.0, -7.0));
        assert_eq!(body.facing, Vec2::NEG_Y);
        body.look_at(Vec2::ZERO);
        assert_eq!(body.facing, Vec2::NEG_Y);
    }
}
