//! Screenshot and automatic exit.

use std::path::PathBuf;

use bevy::prelude::*;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured, save_to_disk};
use bevy_ugas::GameplayView;

/// Maximum time for writing a screenshot, in seconds.
const SCREENSHOT_TIMEOUT: f64 = 30.0;

#[derive(Resource)]
struct Ending {
    seconds: f64,
    /// Game time at the start: a client may join a running match.
    began: Option<f64>,
    picture: Option<PathBuf>,
    /// Deadline in real time, whether or not the screenshot is written.
    at_last: Option<f64>,
}

#[derive(Resource)]
struct Taken;

pub(super) fn plugin(seconds: Option<f64>, picture: Option<PathBuf>) -> impl Plugin {
    move |app: &mut App| {
        // Default time for a screenshot, after something has happened.
        let seconds = seconds.or(picture.as_ref().map(|_| 9.0));
        if let Some(seconds) = seconds {
            app.insert_resource(Ending { seconds, began: None, picture: picture.clone(), at_last: None });
            app.add_systems(Last, end);
        }
    }
}

fn end(
    game: GameplayView<'_>,
    time: Res<'_, Time<Real>>,
    mut ending: ResMut<'_, Ending>,
    taken: Option<Res<'_, Taken>>,
    mut commands: Commands<'_, '_>,
    mut exit: MessageWriter<'_, AppExit>,
) {
    let now = time.elapsed_secs_f64();
    if let Some(last) = ending.at_last {
        if taken.is_some() || now > last {
            exit.write(if taken.is_some() { AppExit::Success } else { AppExit::error() });
        }
        return;
    }
    let (played, seconds) = (game.now().as_seconds(), ending.seconds);
    // The game has not started while its time is 0.
    if played == 0.0 || played - *ending.began.get_or_insert(played) < seconds {
        return;
    }
    ending.at_last = Some(now + SCREENSHOT_TIMEOUT);
    match ending.picture.take() {
        None => commands.insert_resource(Taken),
        Some(path) => {
            commands.spawn(Screenshot::primary_window()).observe(save_to_disk(path)).observe(
                |_: On<'_, '_, ScreenshotCaptured>, mut commands: Commands<'_, '_>| {
                    commands.insert_resource(Taken)
                },
            );
        }
    }
}
