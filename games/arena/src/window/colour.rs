//! Colours.

use bevy::prelude::*;

use crate::fighter::Kind;

pub(super) const NIGHT: Color = Color::srgb(0.043, 0.055, 0.086);
pub(super) const FLOOR: Color = Color::srgb(0.086, 0.106, 0.157);
pub(super) const LINE: Color = Color::srgb(0.122, 0.149, 0.212);
pub(super) const BORDER: Color = Color::srgb(0.25, 0.31, 0.44);
pub(super) const PANEL: Color = Color::srgba(0.07, 0.085, 0.13, 0.94);
pub(super) const WELL: Color = Color::srgb(0.03, 0.038, 0.06);
pub(super) const TEXT: Color = Color::srgb(0.91, 0.93, 0.97);
pub(super) const FAINT: Color = Color::srgb(0.56, 0.62, 0.73);
pub(super) const HEALTH: Color = Color::srgb(0.30, 0.80, 0.42);
pub(super) const HURT: Color = Color::srgb(1.0, 0.36, 0.33);
pub(super) const MANA: Color = Color::srgb(0.30, 0.56, 1.0);
pub(super) const STAMINA: Color = Color::srgb(0.98, 0.78, 0.28);
pub(super) const ARMOUR: Color = Color::srgb(0.72, 0.80, 0.93);
pub(super) const BARRIER: Color = Color::srgb(0.45, 0.87, 0.98);
pub(super) const FIRE: Color = Color::srgb(1.0, 0.55, 0.18);
pub(super) const STUN: Color = Color::srgb(1.0, 0.90, 0.40);
pub(super) const SLOW: Color = Color::srgb(0.62, 0.86, 0.36);
pub(super) const SPIT: Color = Color::srgb(0.70, 0.95, 0.40);

/// The colour of a kind of fighter.
pub(super) fn of(kind: Kind) -> Color {
    match kind {
        Kind::Champion => Color::srgb(0.22, 0.70, 1.0),
        Kind::Brute => Color::srgb(0.90, 0.33, 0.30),
        Kind::Spitter => Color::srgb(0.65, 0.45, 0.95),
    }
}

/// Labels and colours of states, shown above fighters.
pub(super) const STATES: [(&str, &str, Color); 8] = [
    ("State.Dead", "DOWN", FAINT),
    ("State.Stunned", "STUN", STUN),
    ("State.Burning", "BURN", FIRE),
    ("State.Slowed", "SLOW", SLOW),
    ("State.Casting", "CAST", TEXT),
    ("State.Sprinting", "RUN", STAMINA),
    ("State.Recovering", "HEAL", HEALTH),
    ("State.Guarding", "GUARD", ARMOUR),
];
