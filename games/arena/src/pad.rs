//! Input of a player, and its translation to gameplay.
//!
//! A keyboard or a bot fills a [`Pad`]; [`act`] does the rest. Everything goes through inputs and abilities,
//! walking included (a direction is an input that is held), so a client sends nothing but that to its server.

use bevy_ecs::prelude::{Component, Entity, Message, MessageWriter, Query};
use bevy_math::Vec2;
use bevy_ugas::prelude::*;
use ugas::core::targeting::{Target, TargetData};
use ugas::input::InputId;
use ugas::{ActivationReason, ActivationRequest, PressOutcome, TaskId};

use crate::field::{Body, to_place, within};
use crate::fighter::Kind;

/// Directions, as inputs that are held.
const DIRECTIONS: [(&str, Vec2); 4] =
    [("Move.Left", Vec2::NEG_X), ("Move.Right", Vec2::X), ("Move.Up", Vec2::Y), ("Move.Down", Vec2::NEG_Y)];

/// Buttons that are pressed and released, by the input that abilities of the pack are bound to.
const BUTTONS: [(&str, fn(&Buttons) -> bool); 5] = [
    ("Ability.Sprint", |buttons| buttons.sprint),
    ("Ability.Dash", |buttons| buttons.dash),
    ("Ability.Shockwave", |buttons| buttons.shockwave),
    ("Ability.Barrier", |buttons| buttons.barrier),
    ("Ability.Meteor", |buttons| buttons.meteor),
];

/// Current input of a player.
#[derive(Component, Clone, PartialEq, Debug, Default)]
pub struct Pad {
    /// Movement direction, at most of length 1; rounded to eight directions.
    pub walk: Vec2,
    /// Aim point on the field.
    pub aim: Vec2,
    /// Buttons that are held down.
    pub buttons: Buttons,
    /// Buttons that were held down in the previous step.
    before: Buttons,
    walked: [bool; 4],
    /// Task that waits for a location, during target selection.
    targeting: Option<TaskId>,
}

/// Buttons that are held down.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Buttons {
    /// Shoots; confirms the location during target selection.
    pub shoot: bool,
    /// Sprints.
    pub sprint: bool,
    /// Dashes.
    pub dash: bool,
    /// Stuns nearby enemies.
    pub shockwave: bool,
    /// Puts up a barrier.
    pub barrier: bool,
    /// Starts target selection for a meteor.
    pub meteor: bool,
    /// Cancels target selection.
    pub cancel: bool,
}

impl Pad {
    /// Whether target selection is active.
    pub fn is_targeting(&self) -> bool {
        self.targeting.is_some()
    }
}

/// An action of a player was refused; for a floating text.
#[derive(Message, Clone, Debug)]
pub struct Refused {
    /// Entity of the player.
    pub entity: Entity,
    /// Short reason.
    pub reason: String,
}

/// Detects target selection. It reads the state rather than events, because handles of predicted tasks change
/// with every update from the server.
pub fn watch_targeting(gameplay: GameplayView<'_>, mut pads: Query<'_, '_, (&mut Pad, &Abilities)>) {
    for (mut pad, abilities) in &mut pads {
        let waits = abilities.iter().filter(|entry| entry.activations > 0).find_map(|entry| {
            let simulation = gameplay.simulation()?;
            let activations = simulation.ability(entry.handle)?.activations();
            let mut tasks = activations
                .iter()
                .filter_map(|id| simulation.activation(*id))
                .flat_map(|activation| activation.tasks());
            tasks.find(|task| simulation.preview_targets(*task).is_some())
        });
        if pad.targeting != waits {
            pad.targeting = waits;
        }
    }
}

/// Executes the input of players.
pub fn act(
    mut gameplay: Gameplay<'_>,
    mut pads: Query<'_, '_, (Entity, &mut Pad, &Abilities)>,
    mut refused: MessageWriter<'_, Refused>,
) {
    for (entity, mut pad, abilities) in &mut pads {
        if abilities.is_empty() {
            continue;
        }
        let mut report = |gameplay: &Gameplay<'_>, error: &GameplayError| {
            refused.write(Refused { entity, reason: short_reason(gameplay, error) });
        };
        steer(&mut gameplay, entity, &mut pad);
        let (now, before) = (pad.buttons, pad.before);
        for (input, is_down) in BUTTONS {
            let done = match (is_down(&before), is_down(&now)) {
                (false, true) => match gameplay.press(entity, input) {
                    Ok(Some(PressOutcome::Refused(refusal))) => Some(refusal.into()),
                    done => done.err(),
                },
                (true, false) => gameplay.release(entity, input).err(),
                (true, true) | (false, false) => None,
            };
            if let Some(error) = done {
                report(&gameplay, &error);
            }
        }
        let is_new = now.shoot && !before.shoot;
        let done = match pad.targeting {
            Some(task) if is_new => gameplay.provide_targets(task, at(pad.aim)),
            Some(_) if now.cancel && !before.cancel => gameplay.decline(entity),
            // While held down, shoot again whenever it is possible.
            None if is_new || (now.shoot && gameplay.is_ready(entity, "GA_Shoot")) => {
                let request = ActivationRequest::on(at(pad.aim));
                gameplay.activate_with(entity, "GA_Shoot", request).map(|_| ())
            }
            Some(_) | None => Ok(()),
        };
        if let Err(error) = done {
            report(&gameplay, &error);
        }
        pad.before = now;
    }
}

/// Sets the movement of champions from their held inputs, which a server knows of its clients too.
pub fn follow_inputs(
    gameplay: GameplayView<'_>,
    mut bodies: Query<'_, '_, (Entity, &mut Body, &Kind, &Tags, Option<&Pad>)>,
) {
    for (entity, mut body, kind, tags, pad) in &mut bodies {
        if *kind != Kind::Champion {
            continue;
        }
        let held = |input: &str| gameplay.held(entity, &InputId::from(input)).is_some();
        let walk = DIRECTIONS.iter().filter(|(input, _)| held(input)).map(|(_, direction)| direction).sum();
        let walk: Vec2 = Vec2::normalize_or_zero(walk);
        let mut moved = *body;
        moved.walk = walk;
        match pad {
            // A dash keeps its direction, also beyond the aim point.
            _ if tags.has("State.Dashing") => {}
            Some(pad) => moved.look_at(pad.aim),
            None => moved.look(walk),
        }
        if moved != *body {
            *body = moved;
        }
    }
}

/// Presses and releases the direction inputs.
fn steer(gameplay: &mut Gameplay<'_>, entity: Entity, pad: &mut Pad) {
    // Within 22.5° of a diagonal two directions count.
    const ENOUGH: f32 = 0.383;
    for (number, (input, direction)) in DIRECTIONS.into_iter().enumerate() {
        let is_wanted = pad.walk.dot(direction) > ENOUGH;
        if is_wanted == pad.walked[number] {
            continue;
        }
        let done = match is_wanted {
            true => gameplay.press(entity, input).map(|_| ()),
            false => gameplay.release(entity, input),
        };
        if done.is_ok() {
            pad.walked[number] = is_wanted;
        }
    }
}

fn at(point: Vec2) -> TargetData {
    TargetData::from(Target::Location(to_place(within(point, 0.0))))
}

/// Reason of a refusal, short enough for a floating text.
fn short_reason(gameplay: &Gameplay<'_>, error: &GameplayError) -> String {
    let first = match error {
        GameplayError::Activation(refusal) => refusal.reasons.first(),
        _ => None,
    };
    let (Some(reason), Some(catalog)) = (first, gameplay.catalog()) else { return gameplay.describe(error) };
    match reason {
        ActivationReason::OnCooldown { remaining: Some(left), .. } => {
            format!("ready in {:.1} s", left.as_seconds())
        }
        ActivationReason::OnCooldown { .. } => "not ready".to_owned(),
        ActivationReason::CannotAfford { attribute, .. } => {
            format!("not enough {}", catalog.attribute_name(*attribute).to_lowercase())
        }
        ActivationReason::BlockedTag { tag, .. } => {
            let name = catalog.tag_name(*tag);
            name.rsplit('.').next().unwrap_or(name).to_lowercase()
        }
        ActivationReason::AlreadyActive => "already on".to_owned(),
        _ => gameplay.describe(error),
    }
}
