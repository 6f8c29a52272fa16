//! The game without rendering, in a real app.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arena::field::{Body, HALF};
use arena::fighter::{Kind, spawn_champion};
use arena::headless::{STEPS_PER_SECOND, match_by_files, match_of_bots, play, rules};
use arena::pad::{Buttons, Pad, Refused};
use arena::tally::Tally;
use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_math::Vec2;
use bevy_ugas::GameplayWorld;
use bevy_ugas::data::{Loader, Pack};
use bevy_ugas::prelude::*;

/// A field with some of the minions of a match, and one champion that the test controls.
fn field(keep: impl Fn(Kind) -> bool) -> (App, Entity) {
    let mut app = match_of_bots(rules().unwrap(), 7, 0);
    let minions: Vec<(Entity, Kind)> = app
        .world_mut()
        .query::<(Entity, &Kind)>()
        .iter(app.world())
        .map(|(entity, kind)| (entity, *kind))
        .collect();
    for (minion, kind) in minions {
        if !keep(kind) {
            app.world_mut().despawn(minion);
        }
    }
    let champion = spawn_champion(&mut app.world_mut().commands(), 0);
    app.world_mut().flush();
    (app, champion)
}

fn run(app: &mut App, seconds: f64) {
    for _ in 0..(seconds * STEPS_PER_SECOND).round() as u32 {
        app.update();
    }
}

fn press(app: &mut App, champion: Entity, buttons: Buttons) {
    app.world_mut().get_mut::<Pad>(champion).unwrap().buttons = buttons;
}

fn tap(app: &mut App, champion: Entity, buttons: Buttons) {
    press(app, champion, buttons);
    app.update();
    press(app, champion, Buttons::default());
    app.update();
}

fn value(app: &App, entity: Entity, attribute: &str) -> f64 {
    app.world().get::<Attributes>(entity).unwrap().current(attribute).unwrap()
}

fn body(app: &App, entity: Entity) -> Body {
    *app.world().get::<Body>(entity).unwrap()
}

fn minion(app: &mut App, kind: Kind) -> Entity {
    let mut minions = app.world_mut().query::<(Entity, &Kind)>();
    minions.iter(app.world()).find(|(_, known)| **known == kind).unwrap().0
}

#[test]
fn match_of_bots_is_deterministic_per_seed() {
    let outcome = |seed| play(&mut match_of_bots(rules().unwrap(), seed, 1), 20.0);
    let first = outcome(7);
    assert_eq!(first, outcome(7));
    assert_ne!(first.hash, outcome(8).hash);
}

#[test]
fn match_of_bots_uses_all_abilities() {
    let outcome = play(&mut match_of_bots(rules().unwrap(), 7, 1), 90.0);
    assert!(outcome.tally.minions_down > 3, "{outcome}");
    assert!(outcome.tally.taken > 0.0, "{outcome}");
    for ability in ["Shoot", "Dash", "Sprint", "Shockwave", "Barrier", "CallMeteor", "Slam", "Spit"] {
        assert!(outcome.tally.used.contains_key(&format!("GA_{ability}")), "{ability}: {outcome}");
    }
}

#[test]
fn walking_uses_the_speed_of_the_rules_and_stays_in_the_field() {
    let (mut app, champion) = field(|_| false);
    let from = body(&app, champion).position;
    app.world_mut().get_mut::<Pad>(champion).unwrap().walk = Vec2::X;
    run(&mut app, 1.0);
    let way = body(&app, champion).position - from;
    assert!((way.x - 240.0).abs() < 8.0 && way.y == 0.0, "{way}");
    app.world_mut().get_mut::<Pad>(champion).unwrap().walk = Vec2::new(-1.0, 0.0);
    run(&mut app, 6.0);
    assert_eq!(body(&app, champion).position.x, -HALF.x + 22.0); // its size
    app.world_mut().get_mut::<Pad>(champion).unwrap().walk = Vec2::ZERO;
    run(&mut app, 0.1);
    let rest = body(&app, champion).position;
    run(&mut app, 0.5);
    assert_eq!(body(&app, champion).position, rest);
}

#[test]
fn dash_goes_farther_than_walking() {
    let (mut app, champion) = field(|_| false);
    let from = body(&app, champion).position;
    app.world_mut().get_mut::<Pad>(champion).unwrap().aim = from + Vec2::X * 100.0;
    tap(&mut app, champion, Buttons { dash: true, ..Buttons::default() });
    run(&mut app, 0.5);
    let way = (body(&app, champion).position - from).length();
    assert!((way - 960.0 * 0.18).abs() < 20.0, "{way}"); // 240 × 4 for 0.18 s
    assert!(value(&app, champion, "Stamina") < 80.0);
}

#[test]
fn bolt_damages_the_enemy_that_it_hits() {
    let (mut app, champion) = field(|kind| kind == Kind::Spitter);
    let spitter = minion(&mut app, Kind::Spitter);
    let at = body(&app, champion).position + Vec2::X * 200.0;
    app.world_mut().get_mut::<Body>(spitter).unwrap().position = at;
    app.world_mut().get_mut::<Pad>(champion).unwrap().aim = at;
    tap(&mut app, champion, Buttons { shoot: true, ..Buttons::default() });
    assert_eq!(value(&app, spitter, "Health"), 36.0); // it flies
    run(&mut app, 0.4);
    assert!(value(&app, spitter, "Health") <= 36.0 - 9.0);
}

#[test]
fn meteor_costs_mana_on_confirmation_and_can_be_cancelled() {
    let (mut app, champion) = field(|_| false);
    let is_targeting = |app: &App| app.world().get::<Pad>(champion).unwrap().is_targeting();
    tap(&mut app, champion, Buttons { meteor: true, ..Buttons::default() });
    assert!(is_targeting(&app));
    tap(&mut app, champion, Buttons { cancel: true, ..Buttons::default() });
    assert!(!is_targeting(&app));
    assert_eq!(value(&app, champion, "Mana"), 100.0);

    tap(&mut app, champion, Buttons { meteor: true, ..Buttons::default() });
    app.world_mut().get_mut::<Pad>(champion).unwrap().aim = Vec2::new(100.0, 0.0);
    // The left button chooses the place instead of shooting.
    tap(&mut app, champion, Buttons { shoot: true, ..Buttons::default() });
    assert!(!is_targeting(&app));
    assert_eq!(value(&app, champion, "Mana"), 55.0); // 100 - 45
    assert!(!app.world().resource::<Tally>().used.contains_key("GA_Shoot"));
}

#[test]
fn refused_action_emits_its_reason() {
    let (mut app, champion) = field(|_| false);
    tap(&mut app, champion, Buttons { dash: true, ..Buttons::default() });
    run(&mut app, 0.3);
    let mut cursor = app.world().resource::<Messages<Refused>>().get_cursor_current();
    press(&mut app, champion, Buttons { dash: true, ..Buttons::default() });
    app.update();
    let messages = app.world().resource::<Messages<Refused>>();
    let reasons: Vec<&str> = cursor.read(messages).map(|refused| refused.reason.as_str()).collect();
    assert_eq!(reasons.len(), 1, "{reasons:?}");
    assert!(reasons[0].starts_with("ready in 2."), "{reasons:?}"); // 2.5 s less a moment
    assert_eq!(app.world().resource::<Tally>().refused, 1);
}

#[test]
fn champion_killed_by_minions_respawns_at_home() {
    let (mut app, champion) = field(|_| true);
    let home = body(&app, champion).home;
    app.world_mut().get_mut::<Body>(champion).unwrap().position = Vec2::new(300.0, 0.0);
    let mut fell = false;
    for _ in 0..60 {
        run(&mut app, 0.5);
        if app.world().get::<Tags>(champion).unwrap().has("State.Dead") {
            fell = true;
            break;
        }
    }
    assert!(fell, "the champion was not killed");
    // A dead champion does not walk.
    app.world_mut().get_mut::<Pad>(champion).unwrap().walk = Vec2::Y;
    let lies = body(&app, champion).position;
    run(&mut app, 1.0);
    assert_eq!(body(&app, champion).position, lies);
    app.world_mut().get_mut::<Pad>(champion).unwrap().walk = Vec2::ZERO;
    run(&mut app, 2.0);
    while app.world().get::<Tags>(champion).unwrap().has("State.Dead") {
        app.update();
    }
    assert!(body(&app, champion).position.distance(home) < 5.0);
    assert_eq!(app.world().resource::<Tally>().champions_down, 1);
}

#[test]
fn reloaded_rules_change_the_running_game() {
    let (mut app, champion) = field(|_| false);
    assert_eq!(value(&app, champion, "MoveSpeed"), 240.0);
    let changed = changed_pack("Value: 0.6", "Value: 1.0");
    app.world_mut().resource_mut::<GameplayWorld>().install(changed.catalog.clone()).unwrap();
    press(&mut app, champion, Buttons { sprint: true, ..Buttons::default() });
    run(&mut app, 0.2);
    assert_eq!(value(&app, champion, "MoveSpeed"), 480.0); // 240 × (1 + 1) instead of 240 × 1.6
}

/// A temporary folder, removed on drop.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Like a player would: the files are on disk, and one is saved while the match runs.
#[test]
fn saving_a_pack_file_reloads_the_running_game() {
    let folder = Folder(std::env::temp_dir().join(format!("arena_{}", std::process::id())));
    let (from, mut files) = (arena::pack_folder(), Vec::new());
    collect(&from, &mut files);
    for file in files {
        let to = folder.0.join(file.strip_prefix(&from).unwrap());
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::copy(file, to).unwrap();
    }
    let mut app = match_by_files(&folder.0, 7, 0);
    let champion = spawn_champion(&mut app.world_mut().commands(), 0);
    let until = |app: &mut App, what: &str, is_so: &dyn Fn(&App) -> bool| {
        let began = std::time::Instant::now();
        while !is_so(app) {
            assert!(began.elapsed().as_secs() < 60, "timed out waiting for {what}");
            app.update();
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
    };
    let rules_version = |app: &App| app.world().resource::<GameplayWorld>().rules_version();
    until(&mut app, "the rules", &|app| rules_version(app) == 1);
    app.update();
    // No minion may slow the champion down.
    let mut minions = app.world_mut().query::<(Entity, &Kind)>();
    let minions: Vec<Entity> = minions
        .iter(app.world())
        .filter(|(_, kind)| **kind != Kind::Champion)
        .map(|(minion, _)| minion)
        .collect();
    for minion in minions {
        app.world_mut().despawn(minion);
    }
    press(&mut app, champion, Buttons { sprint: true, ..Buttons::default() });
    until(&mut app, "the sprint", &|app| value(app, champion, "MoveSpeed") == 384.0); // 240 × 1.6
    press(&mut app, champion, Buttons::default());

    let path = folder.0.join("champion.yaml");
    let text = std::fs::read_to_string(&path).unwrap();
    // First with an error: the game keeps its rules.
    std::fs::write(&path, text.replace("Value: 0.6", "Value: [")).unwrap();
    run(&mut app, 1.0);
    std::thread::sleep(std::time::Duration::from_millis(800));
    run(&mut app, 1.0);
    assert_eq!((rules_version(&app), value(&app, champion, "MoveSpeed")), (1, 240.0));
    // Then valid.
    std::fs::write(&path, text.replace("Value: 0.6", "Value: 1.0")).unwrap();
    until(&mut app, "the change", &|app| rules_version(app) == 2);
    press(&mut app, champion, Buttons { sprint: true, ..Buttons::default() });
    until(&mut app, "the faster sprint", &|app| value(app, champion, "MoveSpeed") == 480.0); // 240 × 2
}

/// The pack with a text replaced in its files.
fn changed_pack(from: &str, to: &str) -> Arc<Pack> {
    let mut files = Vec::new();
    collect(&arena::pack_folder(), &mut files);
    files.sort();
    let loader = files.into_iter().fold(Loader::new(), |loader, path| {
        let text = std::fs::read_to_string(&path).unwrap().replace(from, to);
        loader.text(path, text)
    });
    Arc::new(loader.as_set().load().unwrap())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => collect(&path, files),
            false if path.extension().is_some_and(|extension| extension == "yaml") => files.push(path),
            false => {}
        }
    }
}
