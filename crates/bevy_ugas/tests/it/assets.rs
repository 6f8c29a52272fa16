//! Packs as assets: loading from a folder or a file, hot reload, and logged diagnostics.

use std::path::Path;
use std::time::Duration;

use bevy_app::{App, TaskPoolPlugin};
use bevy_asset::io::AssetSourceBuilder;
use bevy_asset::io::memory::{Dir, MemoryAssetReader};
use bevy_asset::{AssetApp, AssetPlugin, AssetServer, Assets, LoadState};
use bevy_ecs::prelude::*;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_ugas::Attributes;
use bevy_ugas::prelude::*;
use bevy_ugas::rules::{PackAsset, RulesHandle};

use crate::fixture::*;

/// An app whose assets are in memory, with the rules of one pack.
fn app_with_files(files: &[(&str, &str)]) -> (App, Dir) {
    app_with_rules(files, UgasPlugins::from_asset("memory://game/pack.yaml"))
}

fn app_with_rules(files: &[(&str, &str)], plugins: UgasPlugins) -> (App, Dir) {
    let dir = Dir::default();
    for (path, text) in files {
        dir.insert_asset_text(Path::new(path), text);
    }
    let root = dir.clone();
    let mut app = App::new();
    app.register_asset_source(
        "memory",
        AssetSourceBuilder::new(move || Box::new(MemoryAssetReader { root: root.clone() })),
    );
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin, AssetPlugin::default()))
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        .add_plugins(plugins);
    (app, dir)
}

/// Updates until a condition holds, because other threads load the assets.
fn wait_until(app: &mut App, what: &str, is_so: impl Fn(&mut App) -> bool) {
    for _ in 0..2_000 {
        app.update();
        if is_so(app) {
            return;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    panic!("waited in vain for {what}: {:?}", load_state(app));
}

fn load_state(app: &mut App) -> LoadState {
    let Some(handle) = app.world().get_resource::<RulesHandle>() else { return LoadState::NotLoaded };
    let handle = handle.0.clone();
    app.world().resource::<AssetServer>().load_state(&handle)
}

#[test]
fn pack_asset_loads_its_whole_folder() {
    let files = [
        ("game/pack.yaml", "Name: test\n"),
        ("game/sets.yaml", SET),
        ("game/effects/hit.yaml", HIT),
        ("game/wolf.yaml", WOLF),
        ("other/broken.yaml", "Name: ["),
    ];
    let (mut app, _) = app_with_files(&files);
    let notes = Notes::default();
    app.insert_resource(notes.clone());
    app.add_observer(|_: On<'_, '_, RulesInstalled>, notes: Res<'_, Notes>| notes.note("installed"));
    let wolf = spawn(&mut app, "Wolf");
    wait_until(&mut app, "the rules", |app| game(app).is_in_play());
    app.update();
    assert_eq!(notes.take(), ["installed"]);
    assert_eq!(get::<Attributes>(&app, wolf).current("Health"), Ok(100.0));
    game(&mut app).apply("GE_Hit", None, wolf).unwrap();
    app.update();
    assert_eq!(get::<Attributes>(&app, wolf).current("Health"), Ok(90.0));
}

#[test]
fn changed_file_reloads_the_running_game() {
    let files = [
        ("game/pack.yaml", "Name: test\n"),
        ("game/all/hit.yaml", HIT),
        ("game/set.yaml", SET),
        ("game/wolf.yaml", WOLF),
    ];
    let (mut app, dir) = app_with_files(&files);
    let notes = Notes::default();
    app.insert_resource(notes.clone());
    app.add_observer(|reload: On<'_, '_, RulesReloaded>, notes: Res<'_, Notes>| {
        notes.note(reload.diff().to_string());
    });
    let wolf = spawn(&mut app, "Wolf");
    wait_until(&mut app, "the rules", |app| game(app).is_in_play());
    app.update();
    game(&mut app).apply("GE_Hit", None, wolf).unwrap();

    dir.insert_asset_text(Path::new("game/all/hit.yaml"), &HIT.replace("-10", "-25"));
    app.world().resource::<AssetServer>().reload("memory://game/pack.yaml");
    wait_until(&mut app, "the change", |app| game(app).rules_version() == 2);
    assert_eq!(notes.take(), ["effect `GE_Hit` changed\n"]);
    game(&mut app).apply("GE_Hit", None, wolf).unwrap();
    app.update();
    assert_eq!(get::<Attributes>(&app, wolf).current("Health"), Ok(65.0)); // 100 - 10 - 25

    // An editor truncates the file while saving: no state is lost.
    dir.insert_asset_text(Path::new("game/all/hit.yaml"), "");
    app.world().resource::<AssetServer>().reload("memory://game/pack.yaml");
    wait_until(&mut app, "the empty file", |app| matches!(load_state(app), LoadState::Failed(_)));
    assert_eq!(game(&mut app).rules_version(), 2);
    dir.insert_asset_text(Path::new("game/all/hit.yaml"), &HIT.replace("-10", "-25"));
    app.world().resource::<AssetServer>().reload("memory://game/pack.yaml");
    wait_until(&mut app, "the saved file", |app| game(app).rules_version() == 3);

    // A pack with errors changes nothing.
    dir.insert_asset_text(Path::new("game/all/hit.yaml"), "Name: [");
    app.world().resource::<AssetServer>().reload("memory://game/pack.yaml");
    wait_until(&mut app, "the mistake", |app| matches!(load_state(app), LoadState::Failed(_)));
    game(&mut app).apply("GE_Hit", None, wolf).unwrap();
    assert_eq!(game(&mut app).current(wolf, "Health"), Some(40.0));
    assert_eq!(game(&mut app).rules_version(), 3);
}

#[test]
fn extensions_registered_after_the_plugin_are_applied() {
    const HEAVY: &str = "
$schema: x/schemas/gameplay_effect.json
Name: GE_Heavy
DurationPolicy: Instant
Modifiers: [ { Attribute: Health, Operation: Add, Magnitude: { Type: CustomCalculation, CalculatorClass: Heavy } } ]
";
    let files = [
        ("game/pack.yaml", "Name: test\n"),
        ("game/heavy.yaml", HEAVY),
        ("game/set.yaml", SET),
        ("game/wolf.yaml", WOLF),
    ];
    let (mut app, _) = app_with_files(&files);
    // Long enough to load it, if loading had started.
    std::thread::sleep(Duration::from_millis(300));
    app.add_calculation("Heavy", ugas::native(Vec::new(), |_| Ok(-40.0)));
    let wolf = spawn(&mut app, "Wolf");
    wait_until(&mut app, "the rules", |app| game(app).is_in_play());
    game(&mut app).apply("GE_Heavy", None, wolf).unwrap();
    assert_eq!(game(&mut app).current(wolf, "Health"), Some(60.0)); // 100 - 40
}

#[test]
fn diagnostics_are_logged_with_file_and_line() {
    let files = [
        ("game/pack.yaml", "Name: test\n"),
        ("game/set.yaml", "$schema: x/schemas/attribute_set.json\nName: 3\nAttributes: 4\n"),
    ];
    watch_log();
    let (mut app, _) = app_with_files(&files);
    wait_until(&mut app, "the mistake", |app| matches!(load_state(app), LoadState::Failed(_)));
    let LoadState::Failed(error) = load_state(&mut app) else { unreachable!() };
    let text = error.to_string();
    assert!(text.contains("game/set.yaml:3:13"), "{text}");
    let is_logged = |line: &String| line.starts_with("game/set.yaml:3:13: error[UG");
    assert!(logged("ERROR").iter().any(is_logged), "{:?}", logged("ERROR"));
    assert!(!game(&mut app).is_in_play());
}

#[test]
fn single_file_loads_as_an_asset() {
    let (mut app, _) = app_with_files(&[("game/pack.yaml", "Name: test\n"), ("effects/hit.yaml", HIT)]);
    let handle = app.world().resource::<AssetServer>().load::<PackAsset>("memory://effects/hit.yaml");
    let id = handle.id();
    wait_until(&mut app, "the file", |app| app.world().resource::<Assets<PackAsset>>().get(id).is_some());
    let assets = app.world().resource::<Assets<PackAsset>>();
    assert!(assets.get(id).unwrap().pack.catalog.effect("GE_Hit").is_ok());
}

#[test]
fn inserting_another_rules_handle_changes_the_rules() {
    let files = [
        ("game/pack.yaml", "Name: test\n"),
        ("game/set.yaml", SET),
        ("game/wolf.yaml", WOLF),
        ("hard/pack.yaml", "Name: hard\n"),
        ("hard/set.yaml", &SET.replace("100", "30")),
        ("hard/wolf.yaml", WOLF),
    ];
    let (mut app, _) = app_with_files(&files);
    wait_until(&mut app, "the rules", |app| game(app).is_in_play());
    let handle = app.world().resource::<AssetServer>().load("memory://hard/pack.yaml");
    app.insert_resource(RulesHandle(handle.clone()));
    wait_until(&mut app, "the other rules", |app| game(app).rules_version() == 2);
    // The same handle again does not reload.
    app.insert_resource(RulesHandle(handle));
    for _ in 0..5 {
        app.update();
    }
    assert_eq!(game(&mut app).rules_version(), 2);
    let wolf = spawn(&mut app, "Wolf");
    assert_eq!(get::<Attributes>(&app, wolf).current("Health"), Ok(30.0));
}

/// The names in `docs/book/tools/bevy.md` exist in the pack of the repository, and its actions work.
#[test]
fn pack_of_the_book_behaves_as_documented() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let mut app = App::new();
    let assets = AssetPlugin {
        file_path: root.to_owned(),
        watch_for_changes_override: Some(false),
        ..AssetPlugin::default()
    };
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin, assets))
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        .add_plugins(UgasPlugins::from_asset("packs/hero/pack.yaml"));
    let hero = GameplayController::new("Hero").with_ability_set("HeroAbilities");
    let hero = app.world_mut().spawn((hero, GameplayTeam::new("Heroes"))).id();
    wait_until(&mut app, "the rules", |app| game(app).is_in_play());
    app.update();
    let attributes = get::<Attributes>(&app, hero);
    assert!(["Health", "MaxHealth"].iter().all(|name| attributes.current(*name).unwrap() > 0.0));
    assert!(get::<Abilities>(&app, hero).has("GA_Meteor"));
    game(&mut app).activate(hero, "GA_Meteor").unwrap();
    game(&mut app).apply("GE_Stun", None, hero).unwrap();
    let _: ugas::TagId = game(&mut app).id("GameplayCue.Impact").unwrap();
    assert_eq!(get::<GameplayController>(&app, hero).problem(), None);
}

#[test]
fn broken_pack_is_a_problem_until_it_is_mended() {
    let files = [("game/pack.yaml", "Name: test\n"), ("game/hit.yaml", HIT), ("game/wolf.yaml", WOLF)];
    let (mut app, dir) = app_with_files(&files);
    let notes = Notes::default();
    app.insert_resource(notes.clone());
    app.add_observer(|_: On<'_, '_, RulesFailed>, notes: Res<'_, Notes>| notes.note("failed"));
    let wolf = spawn(&mut app, "Wolf");
    assert_eq!(game(&mut app).rules_state(), RulesState::Loading);
    wait_until(&mut app, "the failure", |app| game(app).rules_state() == RulesState::Failed);
    // The set with `Health` is missing.
    assert!(game(&mut app).problem().unwrap().contains("Health"));
    assert!(get::<GameplayController>(&app, wolf).problem().unwrap().contains("Health"));
    assert_eq!(notes.take(), ["failed"]);
    dir.insert_asset_text(Path::new("game/set.yaml"), SET);
    app.world().resource::<AssetServer>().reload("memory://game/pack.yaml");
    wait_until(&mut app, "the rules", |app| game(app).is_in_play());
    app.update();
    assert_eq!(game(&mut app).problem(), None);
    assert_eq!(get::<GameplayController>(&app, wolf).problem(), None);
}

#[test]
fn attributes_keep_their_names_when_a_reload_shifts_ids() {
    let files = [("game/pack.yaml", "Name: test\n"), ("game/set.yaml", SET), ("game/wolf.yaml", WOLF)];
    let (mut app, dir) = app_with_files(&files);
    let wolf = spawn(&mut app, "Wolf");
    wait_until(&mut app, "the rules", |app| game(app).is_in_play());
    app.update();
    assert_eq!(get::<Attributes>(&app, wolf).current("Health"), Ok(100.0));
    // Ids are positions in the sorted names: that of `Health` becomes that of `Armour`.
    let armoured = SET.replace("[ {", "[ { Name: Armour, DefaultBaseValue: 5 }, {");
    dir.insert_asset_text(Path::new("game/set.yaml"), &armoured);
    app.world().resource::<AssetServer>().reload("memory://game/pack.yaml");
    wait_until(&mut app, "the change", |app| game(app).rules_version() == 2);
    app.update();
    let attributes = get::<Attributes>(&app, wolf);
    assert_eq!(attributes.current("Health"), Ok(100.0));
    assert_eq!(attributes.current("Armour"), Ok(5.0));
}

#[test]
fn later_rules_handle_is_loading_or_has_a_problem() {
    // The set with `Health` is missing.
    let files = [("game/pack.yaml", "Name: test\n"), ("game/hit.yaml", HIT), ("game/wolf.yaml", WOLF)];
    let (mut app, _) = app_with_rules(&files, UgasPlugins::default());
    app.update();
    assert_eq!(game(&mut app).rules_state(), RulesState::Missing);
    let handle = app.world().resource::<AssetServer>().load("memory://game/pack.yaml");
    app.insert_resource(RulesHandle(handle.clone()));
    app.update();
    assert_ne!(game(&mut app).rules_state(), RulesState::Missing);
    wait_until(&mut app, "the failure", |app| game(app).rules_state() == RulesState::Failed);
    // One whose load failed before it was inserted.
    let (mut app, _) = app_with_rules(&files, UgasPlugins::default());
    let notes = Notes::default();
    app.insert_resource(notes.clone());
    app.add_observer(|_: On<'_, '_, RulesFailed>, notes: Res<'_, Notes>| notes.note("failed"));
    let handle = app.world().resource::<AssetServer>().load("memory://game/pack.yaml");
    let id = handle.id();
    wait_until(&mut app, "the failed load", |app| {
        matches!(app.world().resource::<AssetServer>().load_state(id), LoadState::Failed(_))
    });
    for _ in 0..5 {
        app.update();
    }
    app.insert_resource(RulesHandle(handle));
    app.update();
    assert_eq!(game(&mut app).rules_state(), RulesState::Failed);
    assert!(game(&mut app).problem().unwrap().contains("Health"));
    app.update();
    assert_eq!(notes.take(), ["failed"]);
}
