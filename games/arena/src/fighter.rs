//! Fighters: kinds, teams and spawning.

use bevy_ecs::prelude::{Bundle, Commands, Component, Entity, In, Query, ResMut};
use bevy_math::Vec2;
use bevy_ugas::TagChange;
use bevy_ugas::prelude::*;

use crate::field::Body;
use crate::minion_ai::MinionAi;
use crate::pad::Pad;
use crate::tally::Dice;

/// The kinds of fighters, each a template of the pack.
#[derive(Component, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// Played by players.
    Champion,
    /// A minion that walks up and hits.
    Brute,
    /// A minion that keeps away and spits.
    Spitter,
}

impl Kind {
    /// The template of the pack.
    pub fn template(self) -> &'static str {
        match self {
            Self::Champion => "Champion",
            Self::Brute => "Brute",
            Self::Spitter => "Spitter",
        }
    }

    /// The kind with this template.
    pub fn of_template(name: &str) -> Option<Self> {
        [Self::Champion, Self::Brute, Self::Spitter].into_iter().find(|kind| kind.template() == name)
    }

    /// Its team: players fight together against minions.
    pub fn team(self) -> &'static str {
        match self {
            Self::Champion => "Champions",
            Self::Brute | Self::Spitter => "Minions",
        }
    }
}

/// The champion that is played in this process.
#[derive(Component, Clone, Copy, Debug, Default)]
pub struct LocalPlayer;

/// Components of a fighter, without its AI or player input.
pub fn fighter(kind: Kind, home: Vec2) -> impl Bundle {
    (kind, Body::at(home), GameplayController::new(kind.template()), GameplayTeam::new(kind.team()))
}

/// Minions of a match with their spawn points.
pub const MINIONS: [(Kind, Vec2); 6] = [
    (Kind::Brute, Vec2::new(420.0, 150.0)),
    (Kind::Brute, Vec2::new(470.0, -10.0)),
    (Kind::Brute, Vec2::new(420.0, -170.0)),
    (Kind::Spitter, Vec2::new(555.0, 200.0)),
    (Kind::Spitter, Vec2::new(575.0, 60.0)),
    (Kind::Spitter, Vec2::new(555.0, -200.0)),
];

/// Spawn points of champions, by join order.
pub fn champion_home(number: usize) -> Vec2 {
    const HOMES: [Vec2; 4] =
        [Vec2::new(-430.0, 0.0), Vec2::new(-430.0, 120.0), Vec2::new(-430.0, -120.0), Vec2::new(-520.0, 0.0)];
    HOMES[number % HOMES.len()]
}

/// Spawns the minions.
pub fn spawn_minions(mut commands: Commands<'_, '_>) {
    for (kind, home) in MINIONS {
        commands.spawn((fighter(kind, home), MinionAi::default()));
    }
}

/// Spawns a champion that is controlled by its pad.
pub fn spawn_champion(commands: &mut Commands<'_, '_>, number: usize) -> Entity {
    commands.spawn((fighter(Kind::Champion, champion_home(number)), Pad::default())).id()
}

/// Whether a fighter is alive. A fighter without tags is not initialized yet.
pub fn is_standing(tags: &Tags) -> bool {
    !tags.is_empty() && !tags.has("State.Dead")
}

/// Respawns a fighter: champions at their spawn point, minions at a random one.
pub fn respawn(
    In(change): In<TagChange>,
    mut bodies: Query<'_, '_, (&mut Body, &Kind)>,
    mut dice: ResMut<'_, Dice>,
) {
    let TagChange::Removed(removed) = change else { return };
    let Ok((mut body, kind)) = bodies.get_mut(removed.entity) else { return };
    body.position = match kind {
        Kind::Champion => body.home,
        Kind::Brute | Kind::Spitter => {
            let (_, post) = MINIONS[dice.below(MINIONS.len() as u32) as usize];
            post
        }
    };
    body.walk = Vec2::ZERO;
}
