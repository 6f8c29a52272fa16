//! The inspector as a plugin: a web page that shows the running game, explains its values, and goes back in
//! time. See `ugas_inspect`.

use bevy_app::{App, Plugin};
use bevy_ecs::prelude::{Res, ResMut, Resource};
use bevy_ecs::schedule::IntoScheduleConfigs;
pub use ugas_inspect::{Inspector, Settings};

use crate::backend::Backend;
use crate::plugin::{GameplaySchedule, GameplaySystems};
use crate::world::GameplayWorld;

/// Serves the inspector: `app.add_plugins(UgasInspectPlugin::at("127.0.0.1:4777"))`. Without a viewer it
/// costs one atomic read per step.
#[derive(Clone)]
pub struct UgasInspectPlugin {
    address: String,
    settings: Settings,
}

impl UgasInspectPlugin {
    /// An inspector at this address, read-only and for this machine only.
    pub fn at(address: impl Into<String>) -> Self {
        Self { address: address.into(), settings: Settings::default() }
    }

    /// Sets the title, token, edit permission and so on.
    #[must_use]
    pub fn with_settings(self, settings: Settings) -> Self {
        Self { settings, ..self }
    }
}

/// The running inspector; open [`Inspector::url`] in a browser.
#[derive(Resource)]
pub struct GameInspector(pub Inspector);

impl Plugin for UgasInspectPlugin {
    /// Starts the inspector's web server, which edits the game before each step and observes it after. An
    /// address that cannot be used is an error in the log; the game runs without the inspector.
    fn build(&self, app: &mut App) {
        match Inspector::serve_with(self.address.as_str(), self.settings.clone()) {
            Ok(inspector) => {
                tracing::info!("inspector at {}", inspector.url());
                let schedule = GameplaySchedule::of(app);
                app.insert_resource(GameInspector(inspector)).add_systems(
                    schedule,
                    (
                        edit.in_set(GameplaySystems::Input),
                        observe.after(GameplaySystems::Simulate).before(GameplaySystems::Apply),
                    ),
                );
            }
            Err(error) => tracing::error!("the inspector could not start: {error}"),
        }
    }
}

/// Executes the commands of the page, if editing is allowed.
fn edit(inspector: Res<'_, GameInspector>, mut game: ResMut<'_, GameplayWorld>) {
    if let Some(simulation) = game.simulation_mut() {
        inspector.0.perform(|command| simulation.execute(command));
    }
}

/// Sends the step to the inspector, before its events are taken.
fn observe(inspector: Res<'_, GameInspector>, game: Res<'_, GameplayWorld>) {
    match &game.backend {
        Some(Backend::Local(simulation)) => inspector.0.observe(simulation),
        #[cfg(feature = "net")]
        Some(Backend::Server(side)) => {
            inspector.0.observe_events(side.server.simulation(), &side.game, None::<core::time::Duration>);
        }
        #[cfg(feature = "net")]
        Some(Backend::Client(side)) => {
            inspector.0.observe_events(side.client.simulation(), &side.game, None::<core::time::Duration>);
        }
        None => {}
    }
}
