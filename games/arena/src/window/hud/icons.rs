//! Ability icons, made of rectangles and discs.

use bevy::prelude::*;

use super::colour;

/// A part of an icon: position and size in percent, whether it is round, and rotation in degrees.
type Part = (f32, f32, f32, f32, bool, f32);

/// The colour of an ability.
pub(super) fn colour_of(ability: &str) -> Color {
    match ability {
        "GA_Sprint" | "GA_Dash" => colour::STAMINA,
        "GA_Shockwave" => colour::STUN,
        "GA_Barrier" => colour::BARRIER,
        "GA_CallMeteor" => colour::FIRE,
        _ => Color::srgb(0.55, 0.80, 1.0),
    }
}

fn parts(ability: &str) -> &'static [Part] {
    match ability {
        "GA_Shoot" => &[(14.0, 44.0, 34.0, 12.0, false, 0.0), (52.0, 34.0, 32.0, 32.0, true, 0.0)],
        "GA_Sprint" => &[
            (18.0, 26.0, 40.0, 9.0, false, 0.0),
            (30.0, 45.0, 52.0, 9.0, false, 0.0),
            (18.0, 64.0, 40.0, 9.0, false, 0.0),
        ],
        "GA_Dash" => &[
            (22.0, 32.0, 32.0, 10.0, false, 45.0),
            (22.0, 54.0, 32.0, 10.0, false, -45.0),
            (48.0, 32.0, 32.0, 10.0, false, 45.0),
            (48.0, 54.0, 32.0, 10.0, false, -45.0),
        ],
        "GA_Shockwave" => &[
            (36.0, 36.0, 28.0, 28.0, true, 0.0),
            (46.0, 12.0, 8.0, 16.0, false, 0.0),
            (46.0, 72.0, 8.0, 16.0, false, 0.0),
            (12.0, 46.0, 16.0, 8.0, false, 0.0),
            (72.0, 46.0, 16.0, 8.0, false, 0.0),
        ],
        "GA_Barrier" => &[(24.0, 18.0, 52.0, 34.0, false, 0.0), (24.0, 30.0, 52.0, 52.0, true, 0.0)],
        "GA_CallMeteor" => &[
            (46.0, 46.0, 36.0, 36.0, true, 0.0),
            (12.0, 26.0, 44.0, 8.0, false, 45.0),
            (28.0, 18.0, 36.0, 8.0, false, 45.0),
            (10.0, 46.0, 36.0, 8.0, false, 45.0),
        ],
        _ => &[(30.0, 30.0, 40.0, 40.0, false, 45.0)],
    }
}

/// The drawing of an ability, filling its parent.
pub(super) fn spawn(commands: &mut Commands<'_, '_>, ability: &str) -> Entity {
    let whole = Node {
        position_type: PositionType::Absolute,
        width: percent(100),
        height: percent(100),
        ..default()
    };
    let whole = commands.spawn(whole).id();
    for (left, top, width, height, is_round, turn) in parts(ability).iter().copied() {
        let part = Node {
            position_type: PositionType::Absolute,
            left: percent(left),
            top: percent(top),
            width: percent(width),
            height: percent(height),
            border_radius: BorderRadius::all(if is_round { percent(50) } else { px(2) }),
            ..default()
        };
        let turned = UiTransform::from_rotation(Rot2::degrees(turn));
        commands.entity(whole).with_child((part, BackgroundColor(colour_of(ability)), turned));
    }
    whole
}
