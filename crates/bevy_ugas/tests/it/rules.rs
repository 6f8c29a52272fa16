//! Rules in code, and reports of every way that leads to no rules.

use bevy_app::{App, Startup, TaskPoolPlugin};
use bevy_ecs::prelude::*;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_ugas::prelude::*;
use bevy_ugas::rules::RulesHandle;
use ugas::prelude::*;

use crate::fixture::*;

/// An app that was not updated yet, with notes of failures.
fn app_of(plugins: UgasPlugins) -> (App, Notes) {
    let mut app = App::new();
    let notes = Notes::default();
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin))
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        .insert_resource(notes.clone())
        .add_observer(|failed: On<'_, '_, RulesFailed>, notes: Res<'_, Notes>| {
            notes.note(failed.problem.clone());
        })
        .add_plugins(plugins);
    (app, notes)
}

#[derive(Component, bevy_ugas::AttributeSet, PartialEq)]
#[component(immutable)]
struct Vitals {
    #[attribute(default = 40.0, min = 0.0)]
    health: f64,
}

#[test]
fn rules_in_code_are_installed_before_startup() {
    let (mut app, failures) = app_of(UgasPlugins::from_code());
    assert_eq!(game(&mut app).rules_state(), RulesState::Loading);
    // Registered after the plugins.
    app.add_attribute_set::<Vitals>().extend_rules(|rules| {
        rules
            .effect(EffectDef::instant("GE_Hit").modify(Vitals::HEALTH, Operation::Add, -15.0))
            .ability(AbilityDef::new("GA_Hit").task(TaskDef::apply_to_owner("GE_Hit")))
            .template(
                ControllerDef::new("Wolf").with_set("Vitals").with_ability(AbilityGrantDef::new("GA_Hit")),
            )
    });
    app.add_systems(Startup, |mut commands: Commands<'_, '_>, gameplay: GameplayView<'_>| {
        assert!(gameplay.is_in_play());
        commands.spawn(GameplayController::new("Wolf"));
    });
    let early = spawn(&mut app, "Wolf");
    app.update();
    assert_eq!(game(&mut app).rules_state(), RulesState::Installed);
    assert_eq!(game(&mut app).entities().count(), 2);
    app.world_mut().commands().entity(early).activate_ability("GA_Hit");
    app.update();
    assert_eq!(get::<Vitals>(&app, early).health, 25.0); // 40 - 15
    assert_eq!(get::<GameplayController>(&app, early).problem(), None);
    assert!(failures.take().is_empty());
}

#[test]
fn mistakes_of_rules_in_code_are_reported_everywhere() {
    watch_log();
    let (mut app, failures) = app_of(UgasPlugins::from_code());
    app.extend_rules(|rules| {
        rules
            .effect(EffectDef::instant("GE_One").modify("Helth1", Operation::Add, -1.0))
            .effect(EffectDef::instant("GE_Two").modify("Helth2", Operation::Add, -1.0))
    });
    let early = spawn(&mut app, "Wolf");
    let waiting = get::<GameplayController>(&app, early).problem().unwrap();
    assert!(waiting.contains("not loaded yet"), "{waiting}");
    app.update();
    let late = spawn(&mut app, "Wolf");
    assert_eq!(game(&mut app).rules_state(), RulesState::Failed);
    let problem = game(&mut app).problem().unwrap().to_owned();
    assert!(problem.contains("Helth1") && problem.contains("Helth2"), "{problem}");
    assert_eq!(failures.take(), core::slice::from_ref(&problem));
    for entity in [early, late] {
        assert_eq!(get::<GameplayController>(&app, entity).problem(), Some(problem.as_str()));
    }
    assert!(logged("ERROR").iter().any(|line| line.contains("Helth1")));
    // Valid rules end the problem.
    game(&mut app).install(catalog()).unwrap();
    app.update();
    assert_eq!((game(&mut app).rules_state(), game(&mut app).problem()), (RulesState::Installed, None));
    assert_eq!(get::<GameplayController>(&app, early).problem(), None);
}

#[test]
fn empty_rules_in_code_are_a_problem() {
    let (mut app, failures) = app_of(UgasPlugins::from_code());
    app.update();
    assert_eq!(game(&mut app).rules_state(), RulesState::Failed);
    assert!(failures.take()[0].contains("add_attribute_set"));
}

#[test]
fn assets_without_their_plugin_are_a_problem() {
    let (mut app, failures) = app_of(UgasPlugins::from_asset("packs/hero/pack.yaml"));
    assert_eq!(game(&mut app).rules_state(), RulesState::Failed);
    assert!(failures.take()[0].contains("packs/hero/pack.yaml"));
    let wolf = spawn(&mut app, "Wolf");
    assert!(get::<GameplayController>(&app, wolf).problem().unwrap().contains("AssetPlugin"));

    let (mut app, failures) = app_of(UgasPlugins::default());
    app.insert_resource(RulesHandle(bevy_asset::Handle::default()));
    app.update();
    assert_eq!(game(&mut app).rules_state(), RulesState::Failed);
    assert!(failures.take()[0].contains("AssetPlugin"));
}

#[test]
fn app_without_a_source_of_rules_warns() {
    watch_log();
    let (mut app, _) = app_of(UgasPlugins::default());
    app.update();
    assert_eq!(game(&mut app).rules_state(), RulesState::Missing);
    assert!(logged("WARN").iter().any(|line| line.starts_with("there are no rules")));
}

#[test]
fn extensions_that_finished_rules_lack_are_reported() {
    watch_log();
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin))
        .add_attribute_set::<Vitals>()
        .add_plugins(UgasPlugins::from_catalog(catalog()));
    assert!(logged("ERROR").iter().any(|line| line.contains("built without the app's attribute sets")));
    app.extend_rules(|rules| rules);
    assert!(logged("WARN").iter().any(|line| line.contains("installed already")));
}

#[test]
fn directly_installed_rules_are_announced() {
    let (mut app, failures) = app_of(UgasPlugins::default());
    app.add_observer(|_: On<'_, '_, RulesInstalled>, notes: Res<'_, Notes>| notes.note("installed"));
    app.add_observer(|reloaded: On<'_, '_, RulesReloaded>, notes: Res<'_, Notes>| {
        notes.note(reloaded.diff().to_string());
    });
    game(&mut app).install(catalog()).unwrap();
    app.update();
    app.update();
    assert_eq!(failures.take(), ["installed"]);
    game(&mut app).install(builder().effect(EffectDef::instant("GE_Another")).build().unwrap()).unwrap();
    app.update();
    app.update();
    assert_eq!(failures.take(), ["effect `GE_Another` added\n"]);
}

#[test]
fn handlers_of_unknown_names_are_reported() {
    watch_log();
    let (mut app, _) = app_of(UgasPlugins::from_catalog(catalog()));
    app.on_attribute("Helth3", |_: In<AttributeChanged>| {})
        .on_attribute("Mana", |_: In<AttributeChanged>| {})
        .on_tag("State.Stuned3", |_: In<bevy_ugas::TagChange>| {})
        .on_host_task("Projektil3", |_: In<HostTaskRequested>| {})
        .on_host_task("Projectile", |_: In<HostTaskRequested>| {})
        .on_cue("GameplayCue.Impakt3", |_: In<CueChange>| {})
        .on_gameplay_event("Event.Hitt3", |_: In<bevy_ugas::event::GameplayEventReceived>| {});
    app.update();
    let log = logged("WARN");
    for name in ["Helth3", "State.Stuned3", "GameplayCue.Impakt3", "Event.Hitt3", "Projektil3"] {
        let count = log.iter().filter(|line| line.contains(name) && line.contains("never called")).count();
        assert_eq!(count, 1, "{name}: {log:?}");
    }
    for name in ["Mana", "Projectile"] {
        assert!(!log.iter().any(|line| line.contains(name) && line.contains("never called")), "{name}");
    }
}
