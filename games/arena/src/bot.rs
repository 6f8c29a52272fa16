//! Bots that play champions.

use bevy_ecs::prelude::{Component, Entity, Query, ResMut, With};
use bevy_math::Vec2;
use bevy_ugas::prelude::*;

use crate::field::{Body, HALF, amount};
use crate::fighter::{Kind, is_standing};
use crate::pad::{Buttons, Pad};
use crate::tally::Dice;

/// AI state of a bot, which fills the pad of its entity.
#[derive(Component, Clone, Debug)]
pub struct Bot {
    /// Steps until the next decision.
    rest: u32,
    turn: Vec2,
}

impl Default for Bot {
    fn default() -> Self {
        Self { rest: 0, turn: Vec2::Y }
    }
}

/// Preferred distance to enemies.
const PREFERRED_DISTANCE: f32 = 190.0;

/// Fills the pads of bots.
pub fn play(
    mut dice: ResMut<'_, Dice>,
    mut bots: Query<'_, '_, (&mut Bot, &mut Pad, &Body, &Attributes, &Abilities)>,
    fighters: Query<'_, '_, (Entity, &Body, &Tags, &Kind), With<GameplayController>>,
) {
    let enemies: Vec<Vec2> = fighters
        .iter()
        .filter(|(_, _, tags, kind)| **kind != Kind::Champion && is_standing(tags))
        .map(|(_, body, ..)| body.position)
        .collect();
    for (mut bot, mut pad, body, attributes, abilities) in &mut bots {
        let here = body.position;
        let nearest = enemies.iter().copied().min_by(|a, b| a.distance(here).total_cmp(&b.distance(here)));
        let mut buttons = Buttons::default();
        let Some(nearest) = nearest else {
            pad.walk = -here.normalize_or_zero() * 0.9;
            pad.buttons = buttons;
            continue;
        };
        if bot.rest == 0 {
            bot.rest = 20 + dice.below(30);
            bot.turn = if dice.below(2) == 0 { Vec2::Y } else { Vec2::NEG_Y };
        }
        bot.rest -= 1;
        let distance = nearest.distance(here);
        let away = (here - nearest).normalize_or_zero();
        let to_middle = -here / HALF;
        pad.walk = match distance {
            _ if distance < PREFERRED_DISTANCE * 0.7 => (away + to_middle * 1.2).normalize_or_zero(),
            _ if distance > PREFERRED_DISTANCE * 1.2 => -away,
            _ => (bot.turn + to_middle * 0.6).normalize_or_zero(),
        };
        let is_ready = |name: &str| abilities.first(name).is_some_and(|entry| entry.cooldown.is_none());
        let near =
            |point: Vec2, radius: f32| enemies.iter().filter(|enemy| enemy.distance(point) < radius).count();
        let crowd = enemies.iter().copied().max_by_key(|enemy| near(*enemy, 110.0));
        let mana = amount(attributes, "Mana");
        pad.aim = nearest;
        if pad.is_targeting() {
            pad.aim = crowd.unwrap_or(nearest);
            // Pressed again every other step, until target selection ends.
            buttons.shoot = !pad.buttons.shoot;
        } else {
            buttons.shoot = distance < 560.0;
            buttons.meteor = crowd.is_some_and(|crowd| near(crowd, 110.0) >= 2)
                && mana >= 45.0
                && is_ready("GA_CallMeteor");
            buttons.shockwave = near(here, 150.0) >= 1 && mana >= 30.0 && is_ready("GA_Shockwave");
            buttons.dash = distance < 140.0 && amount(attributes, "Stamina") >= 30.0 && is_ready("GA_Dash");
            buttons.sprint = distance < 150.0 && amount(attributes, "Stamina") > 45.0;
            buttons.barrier = amount(attributes, "Health") < 70.0 && mana >= 20.0 && is_ready("GA_Barrier");
        }
        pad.buttons = buttons;
    }
}
