//! Mapping of keyboards, mice and gamepads to inputs of abilities (§11).
//!
//! A player is an entity with a [`GameplayController`](crate::GameplayController) and a [`PlayerInput`].
//! Device events of a frame go to the player's mapper; signals of its actions are passed on in the schedule
//! of the game, in [`GameplaySystems::Input`], as presses and releases. Bindings come from the pack, or from
//! a scheme made in code; the player's changes are saved as plain text.

mod names;

use bevy_app::{App, Plugin, PreUpdate};
use bevy_ecs::prelude::{Component, Entity, Message, MessageReader, MessageWriter, Query, Res};
use bevy_ecs::schedule::IntoScheduleConfigs;
use bevy_ecs::system::SystemParam;
use bevy_input::InputSystems;
use bevy_input::gamepad::{GamepadAxisChangedEvent, GamepadButtonChangedEvent, GamepadConnectionEvent};
use bevy_input::keyboard::{KeyboardFocusLost, KeyboardInput};
use bevy_input::mouse::{MouseButtonInput, MouseMotion, MouseWheel};
use bevy_time::{Time, Virtual};
use ugas::input::{
    DeviceInput, InputMapper, InputScheme, InputSignal, InputSignalKind, InputValue, Platform, SavedMappings,
};

pub use names::{gamepad_axis_name, gamepad_button_name, key_name, mouse_button_name};

use ugas_data::Pack;

use crate::instance::GameplayInstances;
use crate::plugin::{GameplaySchedule, GameplaySystems};
use crate::world::GameplayWorld;

/// Passes device events to the players. It needs Bevy's `InputPlugin`, which the default plugins contain.
#[derive(Clone, Copy, Default)]
pub struct UgasInputPlugin;

/// Makes an entity a player: device events become inputs of its controller.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use bevy_ugas::prelude::*;
/// # use bevy_ugas::input::PlayerInput;
/// fn spawn_player(mut commands: Commands) {
///     commands.spawn((GameplayController::new("Hero"), PlayerInput::new()));
/// }
///
/// fn walk(players: Query<&PlayerInput>) {
///     for player in &players {
///         let [x, y, _] = player.value("IA_Move");
///         # let _ = (x, y);
///     }
/// }
/// ```
#[derive(Component, Clone, Debug)]
pub struct PlayerInput {
    platform: Platform,
    gamepad: Option<Entity>,
    /// Whether the scheme was made in code and replaces the scheme of the pack.
    is_own_scheme: bool,
    mapper: Option<InputMapper>,
    saved: Option<SavedMappings>,
    /// Serial number of the rules that the scheme is from; 0 is none.
    rules_serial: u64,
    sticks: [[f64; 2]; 2],
}

impl Default for PlayerInput {
    fn default() -> Self {
        Self::new()
    }
}

impl PlayerInput {
    /// Input with the pack's scheme for PCs, from every gamepad. The mapper exists once the rules are loaded.
    pub fn new() -> Self {
        Self {
            platform: Platform::Pc,
            gamepad: None,
            is_own_scheme: false,
            mapper: None,
            saved: None,
            rules_serial: 0,
            sticks: [[0.0; 2]; 2],
        }
    }

    /// Selects the mappings of another platform of the pack's scheme.
    #[must_use]
    pub fn on(mut self, platform: Platform) -> Self {
        self.platform = platform;
        self
    }

    /// Uses a scheme from code instead of the pack's; reloads of the rules leave it alone.
    #[must_use]
    pub fn with_scheme(mut self, scheme: std::sync::Arc<InputScheme>) -> Self {
        self.is_own_scheme = true;
        let mut mapper = InputMapper::new(scheme);
        if let Some(saved) = &self.saved {
            load_with_warnings(&mut mapper, saved);
        }
        self.mapper = Some(mapper);
        self
    }

    /// Restricts the player to one gamepad; by default every gamepad counts.
    #[must_use]
    pub fn with_gamepad(mut self, gamepad: Entity) -> Self {
        self.gamepad = Some(gamepad);
        self
    }

    /// Loads the player's saved changes: [`SavedMappings::parse`] reads them from text.
    #[must_use]
    pub fn with_saved(mut self, saved: SavedMappings) -> Self {
        if let Some(mapper) = &mut self.mapper {
            load_with_warnings(mapper, &saved);
        }
        self.saved = Some(saved);
        self
    }

    /// The player's changes, to be saved as text.
    pub fn save(&self) -> SavedMappings {
        self.mapper.as_ref().map(InputMapper::save).unwrap_or_default()
    }

    /// The mapper, once the rules are loaded: for queries.
    pub fn mapper(&self) -> Option<&InputMapper> {
        self.mapper.as_ref()
    }

    /// The mapper, for remapping and resetting; `None` until the rules are loaded.
    pub fn mapper_mut(&mut self) -> Option<&mut InputMapper> {
        self.mapper.as_mut()
    }

    /// The axes of an action; 0 while it is not pressed.
    pub fn value(&self, action: &str) -> InputValue {
        let found = self.mapper.as_ref().and_then(|mapper| Some((mapper, mapper.scheme().action(action)?)));
        found.map_or([0.0; 3], |(mapper, action)| mapper.value(action))
    }

    /// Whether an action is pressed; false for an unknown action and before the rules are loaded.
    pub fn is_pressed(&self, action: &str) -> bool {
        let found = self.mapper.as_ref().and_then(|mapper| Some((mapper, mapper.scheme().action(action)?)));
        found.is_some_and(|(mapper, action)| mapper.is_pressed(action))
    }

    /// Loads the scheme of the current rules if they changed, with the player's changes. A scheme from code
    /// stays as it is.
    fn follow_rules(&mut self, entity: Entity, game: &GameplayWorld, pack: Option<&Pack>) {
        if core::mem::replace(&mut self.rules_serial, game.rules_serial) == game.rules_serial {
            return;
        }
        if self.is_own_scheme {
            return;
        }
        let Some(pack) = pack else {
            tracing::warn!(
                "{entity} has a `PlayerInput` without bindings: its rules are not from a pack with input \
                 documents, so use `PlayerInput::with_scheme`"
            );
            return;
        };
        let saved = self.mapper.as_ref().map(InputMapper::save).or_else(|| self.saved.take());
        match pack.input_scheme(self.platform) {
            Ok(scheme) => self.mapper = Some(InputMapper::new(scheme)),
            Err(errors) => tracing::error!("the input documents of the pack have errors: {errors}"),
        }
        self.saved = saved;
        if let (Some(mapper), Some(saved)) = (&mut self.mapper, &self.saved) {
            load_with_warnings(mapper, saved);
        }
    }
}

/// Loads saved mappings. Those that no longer fit the scheme are logged and skipped.
fn load_with_warnings(mapper: &mut InputMapper, saved: &SavedMappings) {
    for problem in mapper.load(saved) {
        tracing::warn!("a saved mapping is skipped: {problem}");
    }
}

/// Signal of a player's action, axes included; also for actions without an ability, such as walking.
#[derive(Message, Clone, Debug)]
pub struct PlayerSignal {
    /// Entity of the player.
    pub entity: Entity,
    /// Name of the action.
    pub action: std::sync::Arc<str>,
    /// Signal of the action.
    pub signal: InputSignal,
}

impl Plugin for UgasInputPlugin {
    /// Reads devices once a frame, after Bevy's own input systems, and passes signals to abilities in each
    /// fixed step.
    fn build(&self, app: &mut App) {
        let schedule = GameplaySchedule::of(app);
        app.add_message::<PlayerSignal>()
            .add_message::<KeyboardInput>()
            .add_message::<KeyboardFocusLost>()
            .add_message::<MouseButtonInput>()
            .add_message::<MouseMotion>()
            .add_message::<MouseWheel>()
            .add_message::<GamepadButtonChangedEvent>()
            .add_message::<GamepadAxisChangedEvent>()
            .add_message::<GamepadConnectionEvent>()
            .add_systems(PreUpdate, read_devices.after(InputSystems).after(GameplaySystems::Rules))
            .add_systems(schedule, pass_signals.in_set(GameplaySystems::Input));
    }
}

/// Device events since the last frame.
#[derive(SystemParam)]
struct DeviceEvents<'w, 's> {
    keys: MessageReader<'w, 's, KeyboardInput>,
    focus: MessageReader<'w, 's, KeyboardFocusLost>,
    buttons: MessageReader<'w, 's, MouseButtonInput>,
    motion: MessageReader<'w, 's, MouseMotion>,
    wheel: MessageReader<'w, 's, MouseWheel>,
    pad_buttons: MessageReader<'w, 's, GamepadButtonChangedEvent>,
    pad_axes: MessageReader<'w, 's, GamepadAxisChangedEvent>,
    pads: MessageReader<'w, 's, GamepadConnectionEvent>,
}

/// Passes device events of the frame to the mappers of all players. Buttons count with and without the prefix
/// `Mouse` or `Gamepad`; losing the focus or the gamepad releases everything.
fn read_devices(
    mut devices: DeviceEvents<'_, '_>,
    mut players: Query<'_, '_, (Entity, &mut PlayerInput)>,
    games: GameplayInstances<'_, '_>,
    time: Res<'_, Time<Virtual>>,
) {
    let now = ugas::Time::from_micros(u64::try_from(time.elapsed().as_micros()).unwrap_or(u64::MAX));
    let mut events: Vec<(Option<Entity>, DeviceInput, InputValue)> = Vec::new();
    let level = |is_pressed: bool| [f64::from(u8::from(is_pressed)), 0.0, 0.0];
    for key in devices.keys.read().filter(|key| !key.repeat) {
        events.push((None, DeviceInput::key(&key_name(key.key_code)), level(key.state.is_pressed())));
    }
    for button in devices.buttons.read() {
        let name = mouse_button_name(button.button);
        for name in [format!("Mouse{name}"), name] {
            events.push((None, DeviceInput::mouse(&name), level(button.state.is_pressed())));
        }
    }
    let motion = devices.motion.read().fold([0.0; 3], |[x, y, _], motion| {
        [x + f64::from(motion.delta.x), y + f64::from(motion.delta.y), 0.0]
    });
    events.push((None, DeviceInput::mouse("Move"), motion));
    let wheel = devices
        .wheel
        .read()
        .fold([0.0; 3], |[x, y, _], wheel| [x + f64::from(wheel.x), y + f64::from(wheel.y), 0.0]);
    events.push((None, DeviceInput::mouse("Wheel"), wheel));
    for button in devices.pad_buttons.read() {
        let name = gamepad_button_name(button.button);
        for name in [format!("Gamepad{name}"), name] {
            let value = [f64::from(button.value), 0.0, 0.0];
            events.push((Some(button.entity), DeviceInput::gamepad(&name), value));
        }
    }
    let axes: Vec<_> = devices.pad_axes.read().collect();
    let lost: Vec<Entity> =
        devices.pads.read().filter(|pad| pad.disconnected()).map(|pad| pad.gamepad).collect();
    let is_unfocused = devices.focus.read().count() > 0;
    for (entity, mut player) in &mut players {
        let Some(game) = games.of(entity) else { continue };
        player.follow_rules(entity, game, games.pack_of(game));
        let PlayerInput { gamepad, mapper: Some(mapper), sticks, .. } = &mut *player else { continue };
        let is_own = |pad: Entity| gamepad.is_none_or(|own| own == pad);
        for (pad, input, value) in &events {
            if pad.is_none_or(is_own) {
                mapper.device_event(now, input, *value);
            }
        }
        for axis in axes.iter().filter(|axis| is_own(axis.entity)) {
            let (name, value) = (gamepad_axis_name(axis.axis), f64::from(axis.value));
            mapper.device_event(now, &DeviceInput::gamepad(&name), [value, 0.0, 0.0]);
            if let Some((stick, component)) = names::stick_of(axis.axis) {
                sticks[stick][component] = value;
                let name = ["LeftStick", "RightStick"][stick];
                mapper.device_event(
                    now,
                    &DeviceInput::gamepad(name),
                    [sticks[stick][0], sticks[stick][1], 0.0],
                );
            }
        }
        if is_unfocused || lost.iter().any(|pad| is_own(*pad)) {
            *sticks = [[0.0; 2]; 2];
            mapper.release_all(now);
        }
        mapper.advance(now);
    }
}

/// Passes the signals of actions on, as presses and releases.
fn pass_signals(
    mut players: Query<'_, '_, (Entity, &mut PlayerInput)>,
    mut games: GameplayInstances<'_, '_>,
    mut signals: MessageWriter<'_, PlayerSignal>,
) {
    for (entity, mut player) in &mut players {
        let (Some(mapper), Some(game)) = (&mut player.mapper, games.of_mut(entity)) else { continue };
        let now = mapper.now();
        mapper.tags(now, |tag| game.has_tag(entity, tag));
        while let Some(signal) = mapper.poll() {
            let outcome = match signal.kind {
                InputSignalKind::Triggered => game.press(entity, signal.input.clone()).map(|_| ()),
                InputSignalKind::Released { .. } => game.release(entity, signal.input.clone()),
                InputSignalKind::Pressed | InputSignalKind::Value(_) => Ok(()),
            };
            if let Err(error) = outcome {
                tracing::debug!("{entity}: {}: {}", signal.input, game.describe(&error));
            }
            let action = std::sync::Arc::from(mapper.scheme().action_name(signal.action));
            signals.write(PlayerSignal { entity, action, signal });
        }
    }
}
