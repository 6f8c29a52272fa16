//! HUD: attributes, abilities and states of the own champion, and the score.

mod icons;

use bevy::prelude::*;
use bevy_ugas::prelude::*;

use super::colour;
use super::player::{KEYS, LocalPlayer};
use crate::field::amount;
use crate::fighter::Kind;
use crate::tally::Tally;

/// Width of an attribute bar.
const BAR: f32 = 250.0;
/// Size of an icon.
const ICON: f32 = 64.0;

pub(super) fn plugin(app: &mut App) {
    app.add_systems(Startup, set_up)
        .add_systems(Update, (show_bars, show_states, rebuild_icons, show_icons, show_score).chain());
}

/// A bar that shows one attribute against another.
#[derive(Component)]
struct Gauge {
    value: &'static str,
    most: &'static str,
}

#[derive(Component)]
struct GaugeText(&'static str, &'static str);

#[derive(Component)]
struct States;

#[derive(Component)]
struct IconRow;

/// The parts of an ability's icon.
#[derive(Component)]
struct Icon {
    ability: String,
    shade: Entity,
    seconds: Entity,
    frame: Entity,
}

#[derive(Component)]
struct Score;

/// Text in the middle while the champion is down.
#[derive(Component)]
struct Notice;

fn label(text: &str, size: f32, colour: Color) -> impl Bundle + use<> {
    (Text::new(text), TextFont::from_font_size(size), TextColor(colour))
}

fn shadow() -> TextShadow {
    TextShadow { offset: Vec2::splat(1.0), color: Color::BLACK }
}

fn gauge(name: &'static str, value: &'static str, most: &'static str, colour: Color) -> impl Bundle {
    let row = Node { align_items: AlignItems::Center, column_gap: px(10), ..default() };
    let well = Node { width: px(BAR), height: px(18), border_radius: BorderRadius::all(px(4)), ..default() };
    let fill = Node {
        width: percent(100),
        height: percent(100),
        border_radius: BorderRadius::all(px(4)),
        ..default()
    };
    let over = Node { position_type: PositionType::Absolute, right: px(8), top: px(1), ..default() };
    (
        row,
        children![
            (Node { width: px(62), ..default() }, children![label(name, 13.0, colour::FAINT)]),
            (
                well,
                BackgroundColor(colour::WELL),
                children![
                    (Gauge { value, most }, fill, BackgroundColor(colour)),
                    (over, children![(GaugeText(value, most), label("", 13.0, Color::WHITE), shadow())]),
                ],
            ),
        ],
    )
}

fn set_up(mut commands: Commands<'_, '_>) {
    // Above the field.
    let top = Node {
        position_type: PositionType::Absolute,
        left: px(24),
        right: px(24),
        top: px(14),
        height: px(36),
        justify_content: JustifyContent::SpaceBetween,
        align_items: AlignItems::Center,
        ..default()
    };
    commands.spawn((
        top,
        children![
            label("UGAS ARENA", 20.0, colour::TEXT),
            (Score, label("", 18.0, colour::TEXT)),
            label("H help    F1 rules", 14.0, colour::FAINT),
        ],
    ));
    // Below it.
    let bottom = Node {
        position_type: PositionType::Absolute,
        left: px(24),
        right: px(24),
        bottom: px(12),
        height: px(116),
        justify_content: JustifyContent::SpaceBetween,
        align_items: AlignItems::Stretch,
        ..default()
    };
    let panel = |width: Val| Node {
        width,
        padding: UiRect::axes(px(16), px(10)),
        flex_direction: FlexDirection::Column,
        justify_content: JustifyContent::SpaceBetween,
        border_radius: BorderRadius::all(px(8)),
        ..default()
    };
    commands.spawn((
        bottom,
        children![
            (
                panel(px(366)),
                BackgroundColor(colour::PANEL),
                children![
                    gauge("Health", "Health", "MaxHealth", colour::HEALTH.darker(0.12)),
                    gauge("Mana", "Mana", "MaxMana", colour::MANA.darker(0.08)),
                    gauge("Stamina", "Stamina", "MaxStamina", colour::STAMINA.darker(0.2)),
                    (States, Node { height: px(20), column_gap: px(8), ..default() }),
                ],
            ),
            super::panel::panel(),
            (
                Node {
                    padding: UiRect::axes(px(16), px(10)),
                    column_gap: px(10),
                    align_items: AlignItems::Center,
                    border_radius: BorderRadius::all(px(8)),
                    ..default()
                },
                BackgroundColor(colour::PANEL),
                IconRow,
            ),
        ],
    ));
    commands.spawn((
        Node {
            position_type: PositionType::Absolute,
            left: px(0),
            right: px(0),
            top: px(250),
            justify_content: JustifyContent::Center,
            ..default()
        },
        children![(Notice, label("", 34.0, colour::TEXT), shadow())],
    ));
}

type OwnChanged<T> = (With<LocalPlayer>, Changed<T>);

fn show_bars(
    own: Query<'_, '_, &Attributes, OwnChanged<Attributes>>,
    mut gauges: Query<'_, '_, (&Gauge, &mut Node)>,
    mut texts: Query<'_, '_, (&GaugeText, &mut Text)>,
) {
    let Ok(attributes) = own.single() else { return };
    for (gauge, mut node) in &mut gauges {
        let most = amount(attributes, gauge.most).max(1.0);
        node.width = percent((amount(attributes, gauge.value) / most * 100.0).clamp(0.0, 100.0) as f32);
    }
    for (GaugeText(value, most), mut text) in &mut texts {
        text.0 = format!("{:.0} / {:.0}", amount(attributes, *value).ceil(), amount(attributes, *most));
    }
}

/// States and armour as small labels.
fn show_states(
    own: Query<
        '_,
        '_,
        (&Tags, &ActiveEffects, &Attributes),
        (With<LocalPlayer>, Or<(Changed<Tags>, Changed<ActiveEffects>, Changed<Attributes>)>),
    >,
    row: Query<'_, '_, Entity, With<States>>,
    mut notice: Query<'_, '_, &mut Text, With<Notice>>,
    mut shown: Local<'_, Vec<(String, Color)>>,
    mut commands: Commands<'_, '_>,
) {
    let (Ok((tags, effects, attributes)), Ok(row)) = (own.single(), row.single()) else { return };
    let mut plates = Vec::new();
    let armour = effects.stacks("GE_ArmorStack");
    if armour > 0 {
        plates.push((format!("ARMOUR x{armour}"), colour::ARMOUR));
    }
    let barrier = amount(attributes, "Barrier");
    if barrier > 0.0 {
        plates.push((format!("BARRIER {barrier:.0}"), colour::BARRIER));
    }
    let states = colour::STATES.iter().filter(|(tag, ..)| tags.has(*tag));
    plates.extend(states.map(|(_, word, colour)| ((*word).to_owned(), *colour)));
    if let Ok(mut notice) = notice.single_mut() {
        let words = if tags.has("State.Dead") { "You are down" } else { "" };
        if notice.0 != words {
            words.clone_into(&mut notice.0);
        }
    }
    if *shown == plates {
        return;
    }
    commands.entity(row).despawn_children();
    for (word, tint) in &plates {
        let plate = Node {
            padding: UiRect::axes(px(7), px(2)),
            border_radius: BorderRadius::all(px(4)),
            ..default()
        };
        let plate = (plate, BackgroundColor(*tint), children![label(word, 12.0, colour::NIGHT)]);
        commands.entity(row).with_child(plate);
    }
    *shown = plates;
}

/// Rebuilds the ability icons when the bound abilities have changed.
fn rebuild_icons(
    own: Query<'_, '_, &Abilities, OwnChanged<Abilities>>,
    row: Query<'_, '_, Entity, With<IconRow>>,
    mut shown: Local<'_, Vec<String>>,
    mut commands: Commands<'_, '_>,
) {
    let (Ok(abilities), Ok(row)) = (own.single(), row.single()) else { return };
    let bound = |input: &str| abilities.on_input(input).map(|entry| entry.name.to_string());
    let wanted: Vec<(String, &str)> =
        KEYS.iter().filter_map(|(input, key)| Some((bound(input)?, *key))).collect();
    if wanted.iter().map(|(name, _)| name).eq(shown.iter()) {
        return;
    }
    commands.entity(row).despawn_children();
    for (name, key) in &wanted {
        let slot = spawn_icon(&mut commands, name, key);
        commands.entity(row).add_child(slot);
    }
    *shown = wanted.into_iter().map(|(name, _)| name).collect();
}

fn spawn_icon(commands: &mut Commands<'_, '_>, ability: &str, key: &str) -> Entity {
    let shade = Node {
        position_type: PositionType::Absolute,
        left: px(0),
        right: px(0),
        bottom: px(0),
        height: percent(0),
        border_radius: BorderRadius::all(px(6)),
        ..default()
    };
    let shade = commands.spawn((shade, BackgroundColor(Color::srgba(0.0, 0.0, 0.0, 0.72)))).id();
    let seconds = commands.spawn((label("", 22.0, Color::WHITE), shadow())).id();
    let middle = Node {
        position_type: PositionType::Absolute,
        width: percent(100),
        height: percent(100),
        justify_content: JustifyContent::Center,
        align_items: AlignItems::Center,
        ..default()
    };
    let middle = commands.spawn(middle).add_child(seconds).id();
    let drawing = icons::spawn(commands, ability);
    let frame = Node {
        width: px(ICON),
        height: px(ICON),
        border: UiRect::all(px(2)),
        border_radius: BorderRadius::all(px(8)),
        overflow: Overflow::clip(),
        ..default()
    };
    let frame = commands
        .spawn((frame, BackgroundColor(colour::WELL), BorderColor::all(colour::BORDER)))
        .add_children(&[drawing, shade, middle])
        .id();
    let name = ability.trim_start_matches("GA_").trim_start_matches("Call");
    let words = Node { flex_direction: FlexDirection::Column, align_items: AlignItems::Center, ..default() };
    let words = (words, children![label(name, 12.0, colour::TEXT), label(key, 11.0, colour::FAINT)]);
    let slot = Node {
        width: px(72),
        row_gap: px(3),
        flex_direction: FlexDirection::Column,
        align_items: AlignItems::Center,
        ..default()
    };
    let icon = Icon { ability: ability.to_owned(), shade, seconds, frame };
    commands.spawn((slot, icon)).add_child(frame).with_child(words).id()
}

/// Updates the icons: the shade shows the cooldown, the frame whether the ability can be used.
fn show_icons(
    game: GameplayView<'_>,
    own: Query<'_, '_, (Entity, &Abilities), With<LocalPlayer>>,
    icons: Query<'_, '_, &Icon>,
    mut nodes: Query<'_, '_, &mut Node>,
    mut texts: Query<'_, '_, &mut Text>,
    mut frames: Query<'_, '_, &mut BorderColor>,
) {
    let Ok((own, abilities)) = own.single() else { return };
    let now = game.now();
    for icon in &icons {
        let Some(entry) = abilities.first(&icon.ability) else { continue };
        let cooldown = entry.cooldown.filter(|cooldown| cooldown.remaining(now).is_positive());
        let is_possible = game.is_ready(own, icon.ability.as_str());
        if let Ok(mut shade) = nodes.get_mut(icon.shade) {
            let share = match cooldown {
                Some(cooldown) => cooldown.fraction(now) as f32 * 100.0,
                None if is_possible || entry.activations > 0 => 0.0,
                None => 100.0,
            };
            shade.height = percent(share);
        }
        if let Ok(mut text) = texts.get_mut(icon.seconds) {
            let left = cooldown.map(|cooldown| cooldown.remaining(now).as_seconds());
            // Short cooldowns have no number.
            let total = cooldown.map_or(0.0, |cooldown| cooldown.total.as_seconds());
            let words = left.filter(|_| total >= 1.0).map_or_else(String::new, |left| format!("{left:.1}"));
            if text.0 != words {
                text.0 = words;
            }
        }
        if let Ok(mut frame) = frames.get_mut(icon.frame) {
            *frame = BorderColor::all(match (entry.activations > 0, is_possible) {
                (true, _) => Color::WHITE,
                (false, true) => icons::colour_of(&icon.ability),
                (false, false) => colour::BORDER,
            });
        }
    }
}

fn show_score(
    tally: Res<'_, Tally>,
    game: GameplayView<'_>,
    minions: Query<'_, '_, (&Kind, &Tags)>,
    mut score: Query<'_, '_, &mut Text, With<Score>>,
) {
    let Ok(mut text) = score.single_mut() else { return };
    let standing = minions
        .iter()
        .filter(|(kind, tags)| **kind != Kind::Champion && crate::fighter::is_standing(tags))
        .count();
    let seconds = game.now().as_seconds() as u64;
    let words = match game.is_in_play() {
        true => format!(
            "{:02}:{:02}    minions down {}    falls {}    standing {standing}",
            seconds / 60,
            seconds % 60,
            tally.minions_down,
            tally.champions_down,
        ),
        false => "loading the rules".to_owned(),
    };
    if text.0 != words {
        text.0 = words;
    }
}
