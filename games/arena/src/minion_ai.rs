//! AI of minions: keep the preferred distance of their kind, and use their abilities.

use bevy_ecs::prelude::{Component, Entity, Query, With};
use bevy_math::Vec2;
use bevy_ugas::prelude::*;

use crate::field::{Body, amount};
use crate::fighter::{Kind, is_standing};

/// Steps between two decisions.
const DECISION_INTERVAL: u32 = 8;

/// AI state of a minion.
#[derive(Component, Clone, Default, Debug)]
pub struct MinionAi {
    /// Steps until the next decision.
    rest: u32,
    /// Direction in which it circles its enemy.
    is_left_handed: bool,
}

/// Decides movement and abilities of minions.
pub fn think(
    mut gameplay: Gameplay<'_>,
    mut minions: Query<
        '_,
        '_,
        (Entity, &mut MinionAi, &mut Body, &Attributes, &Tags, &Abilities),
        With<Kind>,
    >,
    others: Query<'_, '_, (Entity, &Body, &Tags, &Kind), bevy_ecs::prelude::Without<MinionAi>>,
) {
    for (entity, mut ai, mut body, attributes, tags, abilities) in &mut minions {
        if !is_standing(tags) {
            continue;
        }
        if ai.rest > 0 {
            ai.rest -= 1;
            continue;
        }
        ai.rest = DECISION_INTERVAL;
        ai.is_left_handed ^= entity.index_u32() % 7 == ai.rest % 7;
        let enemy = others
            .iter()
            .filter(|(_, _, tags, kind)| **kind == Kind::Champion && is_standing(tags))
            .map(|(enemy, other, ..)| (enemy, other.position, other.position.distance(body.position)))
            .filter(|(_, _, distance)| f64::from(*distance) <= amount(attributes, "Sight"))
            .min_by(|a, b| a.2.total_cmp(&b.2).then(a.0.cmp(&b.0)));
        let Some((enemy, position, distance)) = enemy else {
            let home = body.home - body.position;
            body.walk = if home.length() > 20.0 { home.normalize_or_zero() * 0.5 } else { Vec2::ZERO };
            let walk = body.walk;
            body.look(walk);
            continue;
        };
        let wanted = amount(attributes, "KeepDistance") as f32;
        let ahead = (position - body.position).normalize_or_zero();
        body.walk = if distance > wanted {
            ahead
        } else if distance < wanted * 0.7 {
            -ahead
        } else if ai.is_left_handed {
            ahead.perp() * 0.5
        } else {
            -ahead.perp() * 0.5
        };
        body.look(ahead);
        for input in ["Mind.Special", "Mind.Attack"] {
            let Some(ability) = abilities.on_input(input) else { continue };
            // An ability that is not possible now is tried again at the next decision.
            let is_possible = gameplay.is_ready(entity, ability.ability);
            if is_possible && gameplay.activate_on(entity, ability.ability, enemy).is_ok() {
                break;
            }
        }
    }
}
