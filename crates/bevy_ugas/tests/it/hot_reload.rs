//! Hot reload from disk, with real files and Bevy's file watcher.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use bevy_app::{App, TaskPoolPlugin};
use bevy_asset::AssetPlugin;
use bevy_ecs::prelude::*;
use bevy_time::TimePlugin;
use bevy_ugas::prelude::*;

use crate::fixture::*;

/// A game with the rules of a temporary folder, removed on drop.
struct Game {
    app: App,
    folder: PathBuf,
    wolf: Entity,
}

impl Game {
    fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let folder = std::env::temp_dir().join(format!("bevy_ugas_{name}_{}", std::process::id()));
        let mut game = Self { app: App::new(), folder, wolf: Entity::PLACEHOLDER };
        for (path, text) in files {
            game.save(path, text);
        }
        let assets = AssetPlugin {
            file_path: game.folder.to_string_lossy().into_owned(),
            watch_for_changes_override: Some(true),
            ..AssetPlugin::default()
        };
        game.app
            .add_plugins((TaskPoolPlugin::default(), TimePlugin, assets))
            .add_plugins(UgasPlugins::from_asset("game/pack.yaml"));
        game.wolf = spawn(&mut game.app, "Wolf");
        game
    }

    /// Writes a file like an editor does.
    fn save(&self, path: &str, text: &str) {
        let path = self.folder.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Runs the game until a condition holds.
    fn until(&mut self, what: &str, is_so: impl Fn(&mut App) -> bool) {
        let began = Instant::now();
        while !is_so(&mut self.app) {
            assert!(
                began.elapsed() < Duration::from_secs(60),
                "waited in vain for {what}: {:?}",
                logged("ERROR")
            );
            self.app.update();
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn hit(&mut self) -> f64 {
        let wolf = self.wolf;
        game(&mut self.app).apply("GE_Hit", None, wolf).unwrap();
        self.app.update();
        game(&mut self.app).current(wolf, "Health").unwrap()
    }

    fn rules_version(&mut self) -> u32 {
        game(&mut self.app).rules_version()
    }
}

impl Drop for Game {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

#[test]
fn saved_file_reloads_the_game_unless_it_has_errors() {
    watch_log();
    let files = [
        ("game/pack.yaml", "Name: test\n"),
        ("game/all/blow.yaml", HIT),
        ("game/set.yaml", SET),
        ("game/wolf.yaml", WOLF),
    ];
    let mut game = Game::new("saving", &files);
    game.until("the rules", |app| self::game(app).is_in_play());
    game.app.update();
    assert_eq!(game.hit(), 90.0); // 100 - 10

    game.save("game/all/blow.yaml", &HIT.replace("-10", "-25"));
    game.until("the change", |app| self::game(app).rules_version() == 2);
    assert_eq!(game.hit(), 65.0); // 90 - 25

    // Line 5 of the file; the value is text where a number must be.
    game.save("game/all/blow.yaml", &HIT.replace("-10", "ten"));
    let is_logged = |line: &String| line.starts_with("game/all/blow.yaml:5:") && line.contains("error[");
    game.until("the diagnostic in the log", |_| logged("ERROR").iter().any(is_logged));
    assert_eq!(game.hit(), 40.0); // 65 - 25: the rules are unchanged
    assert_eq!(game.rules_version(), 2);

    game.save("game/all/blow.yaml", &HIT.replace("-10", "-1"));
    game.until("the fixed file", |app| self::game(app).rules_version() == 3);
    assert_eq!(game.hit(), 39.0); // 40 - 1
}

#[test]
fn added_and_removed_files_reload_the_pack() {
    let files = [
        ("game/pack.yaml", "Name: test\n"),
        ("game/hit.yaml", HIT),
        ("game/set.yaml", SET),
        ("game/wolf.yaml", WOLF),
    ];
    let mut game = Game::new("files", &files);
    game.until("the rules", |app| self::game(app).is_in_play());
    game.save("game/more/stab.yaml", &HIT.replace("GE_Hit", "GE_Stab"));
    game.until("the new file", |app| self::game(app).id::<ugas::EffectId>("GE_Stab").is_ok());
    std::fs::remove_file(game.folder.join("game/more/stab.yaml")).unwrap();
    game.until("the file to go", |app| self::game(app).id::<ugas::EffectId>("GE_Stab").is_err());
    assert_eq!(game.hit(), 90.0); // the rest still works
}

#[test]
fn pack_that_never_loaded_is_retried_after_a_fix() {
    watch_log();
    let files = [
        ("game/pack.yaml", "Name: test\n"),
        ("game/hit.yaml", HIT),
        ("game/first_set.yaml", "$schema: x/schemas/attribute_set.json\nName: Combat\nAttributes: 4\n"),
        ("game/wolf.yaml", WOLF),
    ];
    let mut game = Game::new("never", &files);
    let is_logged = |line: &String| line.starts_with("game/first_set.yaml:3:13: error[");
    game.until("the diagnostic in the log", |_| logged("ERROR").iter().any(is_logged));
    game.save("game/first_set.yaml", SET);
    game.until("the rules", |app| self::game(app).is_in_play());
    game.app.update();
    assert_eq!(game.hit(), 90.0);
}
