//! The network panel: connection status, and controls for latency, loss and prediction.

use bevy::prelude::*;
use bevy::ui::RelativeCursorPosition;

use super::colour;
use crate::link::{LinkSettings, Role, Status};

pub(super) fn plugin(app: &mut App) {
    app.add_systems(Update, (drag, switch, keys, show).chain());
}

/// A slider, by the setting that it changes.
#[derive(Component, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slider {
    Latency,
    Loss,
}

impl Slider {
    fn share(self, link: &LinkSettings) -> f32 {
        match self {
            Self::Latency => link.latency / LinkSettings::MAX_LATENCY,
            Self::Loss => link.loss / LinkSettings::MAX_LOSS,
        }
    }

    fn set(self, link: LinkSettings, share: f32) -> LinkSettings {
        match self {
            // Rounded steps.
            Self::Latency => link.with((share * 30.0).round() * 10.0, link.loss),
            Self::Loss => link.with(link.latency, (share * 30.0).round()),
        }
    }

    fn words(self, link: &LinkSettings) -> String {
        match self {
            Self::Latency => format!("{:.0} ms", link.latency),
            Self::Loss => format!("{:.0} %", link.loss),
        }
    }
}

#[derive(Component)]
struct Fill(Slider);

#[derive(Component)]
struct Amount(Slider);

#[derive(Component)]
struct Switch;

#[derive(Component)]
struct SwitchText;

#[derive(Component)]
struct Mode;

#[derive(Component)]
struct Numbers;

fn label(text: &str, size: f32, colour: Color) -> impl Bundle + use<> {
    (Text::new(text), TextFont::from_font_size(size), TextColor(colour))
}

fn slider(name: &str, which: Slider) -> impl Bundle + use<> {
    let row = Node { align_items: AlignItems::Center, column_gap: px(8), ..default() };
    let track = Node { width: px(112), height: px(12), border_radius: BorderRadius::all(px(6)), ..default() };
    let fill = Node {
        width: percent(0),
        height: percent(100),
        border_radius: BorderRadius::all(px(6)),
        ..default()
    };
    (
        row,
        children![
            (Node { width: px(56), ..default() }, children![label(name, 12.0, colour::FAINT)]),
            (
                track,
                which,
                Interaction::default(),
                RelativeCursorPosition::default(),
                BackgroundColor(colour::WELL),
                children![(Fill(which), fill, BackgroundColor(colour::MANA))],
            ),
            (Amount(which), label("", 12.0, colour::TEXT)),
        ],
    )
}

/// The panel, for the row of panels below the field.
pub(super) fn panel() -> impl Bundle {
    let node = Node {
        width: px(258),
        padding: UiRect::axes(px(14), px(10)),
        flex_direction: FlexDirection::Column,
        justify_content: JustifyContent::SpaceBetween,
        border_radius: BorderRadius::all(px(8)),
        ..default()
    };
    let row =
        Node { justify_content: JustifyContent::SpaceBetween, align_items: AlignItems::Center, ..default() };
    let button =
        Node { padding: UiRect::axes(px(8), px(2)), border_radius: BorderRadius::all(px(4)), ..default() };
    (
        node,
        BackgroundColor(colour::PANEL),
        children![
            (
                row,
                children![
                    (Mode, label("", 13.0, colour::TEXT)),
                    (
                        button,
                        Switch,
                        Interaction::default(),
                        BackgroundColor(colour::HEALTH),
                        children![(SwitchText, label("", 12.0, colour::NIGHT))],
                    ),
                ],
            ),
            slider("Latency", Slider::Latency),
            slider("Loss", Slider::Loss),
            (Numbers, label("", 12.0, colour::FAINT)),
        ],
    )
}

fn drag(
    sliders: Query<'_, '_, (&Slider, &Interaction, &RelativeCursorPosition)>,
    mut link: ResMut<'_, LinkSettings>,
) {
    for (slider, interaction, cursor) in &sliders {
        if let (Interaction::Pressed, Some(at)) = (interaction, cursor.normalized) {
            let next = slider.set(*link, (at.x + 0.5).clamp(0.0, 1.0));
            link.set_if_neq(next);
        }
    }
}

fn switch(
    pressed: Query<'_, '_, &Interaction, (With<Switch>, Changed<Interaction>)>,
    mut link: ResMut<'_, LinkSettings>,
) {
    if pressed.iter().any(|interaction| *interaction == Interaction::Pressed) {
        link.is_predicted = !link.is_predicted;
    }
}

/// Keyboard shortcuts of the panel.
fn keys(keys: Res<'_, ButtonInput<KeyCode>>, mut link: ResMut<'_, LinkSettings>) {
    let change = |less: KeyCode, more: KeyCode| {
        f32::from(i8::from(keys.just_pressed(more)) - i8::from(keys.just_pressed(less)))
    };
    let (latency, loss) = (change(KeyCode::F3, KeyCode::F4), change(KeyCode::F5, KeyCode::F6));
    if latency != 0.0 || loss != 0.0 {
        *link = link.with(link.latency + latency * 50.0, link.loss + loss * 5.0);
    }
    if keys.just_pressed(KeyCode::F2) {
        link.is_predicted = !link.is_predicted;
    }
}

fn show(
    link: Res<'_, LinkSettings>,
    role: Res<'_, Role>,
    status: Res<'_, Status>,
    mut fills: Query<'_, '_, (&Fill, &mut Node)>,
    mut buttons: Query<'_, '_, &mut BackgroundColor, With<Switch>>,
    mut texts: ParamSet<
        '_,
        '_,
        (
            Query<'_, '_, (&Amount, &mut Text)>,
            Query<'_, '_, &mut Text, With<SwitchText>>,
            Query<'_, '_, &mut Text, With<Mode>>,
            Query<'_, '_, &mut Text, With<Numbers>>,
        ),
    >,
) {
    if !(link.is_changed() || status.is_changed() || role.is_changed()) {
        return;
    }
    for (Fill(slider), mut node) in &mut fills {
        node.width = percent(slider.share(&link) * 100.0);
    }
    for mut colour in &mut buttons {
        colour.0 = if link.is_predicted { colour::HEALTH } else { colour::HURT };
    }
    for (Amount(slider), mut text) in &mut texts.p0() {
        text.0 = slider.words(&link);
    }
    for mut text in &mut texts.p1() {
        text.0 = if link.is_predicted { "prediction on" } else { "prediction off" }.to_owned();
    }
    for mut text in &mut texts.p2() {
        text.0.clone_from(&status.mode);
    }
    for mut text in &mut texts.p3() {
        text.0 = match *role {
            Role::Authority => "no network: see --host, --join".to_owned(),
            Role::Client if status.lost.is_some() => status.lost.clone().unwrap_or_default(),
            Role::Client => format!(
                "{:.0} ms  ok {}  no {}  off {}",
                status.round_trip, status.confirmed, status.rejected, status.mispredicted
            ),
        };
    }
}
