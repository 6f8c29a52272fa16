//! Hot reload: removed definitions, grants, and ids of the host (R1, R5, R6, R7).

use ugas_core::ability::AbilityDef;
use ugas_core::attribute::{AttributeDef, AttributeSetDef};
use ugas_core::catalog::{Catalog, CatalogBuilder, DefinitionKind};
use ugas_core::controller::ControllerDef;
use ugas_core::effect::calculation::native;
use ugas_core::effect::magnitude::{CaptureFrom, MagnitudeDef};
use ugas_core::effect::{AbilityGrantDef, AbilityRemoval, EffectDef};
use ugas_core::event::EventKind;
use ugas_core::modifier::Operation;
use ugas_core::reload::{CatalogDiff, Change, ReloadError, ReloadOutcome, ReloadPlace, ReloadReport};
use ugas_core::time::Time;

use crate::fixture::{Game, buff, builder, instant, tagging};

fn reload(game: &mut Game, effects: impl IntoIterator<Item = EffectDef>) -> ReloadReport {
    reload_as(game, effects.into_iter().fold(builder(), CatalogBuilder::effect))
}

fn reload_as(game: &mut Game, builder: CatalogBuilder) -> ReloadReport {
    let catalog = builder.build().unwrap_or_else(|errors| panic!("{errors}"));
    game.sim.reload(catalog).unwrap_or_else(|error| panic!("{error}"))
}

fn granting(name: &str, removal: AbilityRemoval) -> EffectDef {
    let grant = AbilityGrantDef { removal, ..AbilityGrantDef::new("GA_Dash") };
    EffectDef::infinite(name).granting_ability(grant)
}

#[test]
fn removed_effect_ends_without_expiration_effects() {
    let mut game = Game::of([
        buff("GE_Old", "Attack", Operation::Add, 20.0).granting("State.Old").cue("Cue.Old").then("GE_Then"),
        instant("GE_Then", "Mana", Operation::Add, 1.0),
        tagging("State.Old"),
    ]);
    let active = game.activate("GE_Old", "hero", "hero");
    game.events();
    let rest = [instant("GE_Then", "Mana", Operation::Add, 1.0), tagging("State.Old")];
    let report = reload(&mut game, rest);
    assert!(game.sim.effect(active).is_none());
    assert_eq!(game.current("hero", "Attack"), 100.0);
    assert_eq!(game.current("hero", "Mana"), 50.0);
    assert!(!game.has_tag("hero", "State.Old"));
    let hero = game.id("hero");
    assert_eq!(report.entries.len(), 1);
    assert_eq!(report.entries[0].kind, DefinitionKind::Effect);
    assert_eq!(report.entries[0].name, "GE_Old");
    assert_eq!(report.entries[0].place, ReloadPlace::Effect { active, target: hero });
    assert_eq!(report.entries[0].outcome, ReloadOutcome::DefinitionGone);
    // The name is gone and the handle identifies the effect; the cue was removed with its tag.
    let events = game.events();
    let removed = events
        .iter()
        .any(|event| matches!(event.kind, EventKind::EffectRemoved { active: id, .. } if id == active));
    assert!(removed);
    let described: Vec<String> = events.iter().map(|event| event.describe(&game.sim).to_string()).collect();
    assert!(described[0].contains("<unknown>") && described[0].contains("Reloaded"), "{described:?}");
    let kinds: Vec<&str> = events.iter().map(|event| event.kind.name()).collect();
    assert_eq!(kinds, ["EffectRemoved", "TagRemoved", "TagRemoved", "AttributeChanged"]);
}

#[test]
fn renamed_effect_is_one_removed_and_one_added() {
    let mut game = Game::of([buff("GE_A", "Attack", Operation::Add, 20.0)]);
    game.activate("GE_A", "hero", "hero");
    let report = reload(&mut game, [buff("GE_B", "Attack", Operation::Add, 20.0)]);
    assert_eq!(report.diff.of(DefinitionKind::Effect, "GE_A"), Some(Change::Removed));
    assert_eq!(report.diff.of(DefinitionKind::Effect, "GE_B"), Some(Change::Added));
    assert_eq!(game.current("hero", "Attack"), 100.0);
    assert_eq!(report.entries.len(), 1);
}

#[test]
fn an_effect_that_became_instant_or_cannot_be_evaluated_is_removed() {
    let mut game =
        Game::of([buff("GE_A", "Attack", Operation::Add, 20.0), buff("GE_B", "Attack", Operation::Add, 5.0)]);
    game.activate("GE_A", "hero", "hero");
    game.activate("GE_B", "hero", "hero");
    let needs_number = MagnitudeDef::set_by_caller("Data.X");
    let report = reload(
        &mut game,
        [
            instant("GE_A", "Attack", Operation::Add, 20.0),
            EffectDef::infinite("GE_B").modify("Attack", Operation::Add, needs_number),
        ],
    );
    assert_eq!(game.current("hero", "Attack"), 100.0);
    assert_eq!(report.entries[0].outcome, ReloadOutcome::BecameInstant);
    let reason = "the caller provided no number under `Data.X` and the magnitude has no default".to_owned();
    assert_eq!(report.entries[1].outcome, ReloadOutcome::CannotContinue { reason });
}

#[test]
fn granted_tags_are_those_of_the_new_definition() {
    let wet = |tag: &str| EffectDef::infinite("GE_Wet").granting(tag);
    let mut game = Game::of([wet("State.Wet"), tagging("State.Damp"), tagging("State.Wet")]);
    game.activate("GE_Wet", "hero", "hero");
    game.events();
    reload(&mut game, [wet("State.Damp"), tagging("State.Damp"), tagging("State.Wet")]);
    assert!(game.has_tag("hero", "State.Damp") && !game.has_tag("hero", "State.Wet"));
    // The ancestor that both share neither goes nor comes (T2).
    assert_eq!(game.log(), ["hero -State.Wet", "hero +State.Damp"]);
}

#[test]
fn removed_tag_is_dropped_and_reported() {
    let hero = |tags: [&str; 2]| {
        let template = tags.into_iter().fold(ControllerDef::new("Knight"), ControllerDef::with_tag);
        builder().template(template)
    };
    let mut game = Game::empty(Default::default(), hero(["Faction.Red", "State.Old"]));
    let knight = game.spawn("knight", "Knight");
    game.events();
    let report = reload_as(&mut game, hero(["Faction.Red", "Faction.Blue"]));
    // What a template says concerns those that are spawned later (R3).
    assert!(game.has_tag("knight", "Faction.Red") && !game.has_tag("knight", "Faction.Blue"));
    let entries: Vec<String> = report.entries.iter().map(ToString::to_string).collect();
    let active = game.sim.controller(knight).unwrap().effects()[0];
    assert_eq!(
        entries,
        [
            format!("{knight:?}: tag `State.Old` is gone"),
            format!("{active:?} on {knight:?}: tag `State.Old` is gone"),
        ]
    );
    assert!(game.log().is_empty());
}

#[test]
fn granted_abilities_are_kept_and_removed_ones_revoked() {
    let abilities =
        |names: &[&str]| names.iter().fold(builder(), |all, name| all.ability(AbilityDef::new(*name)));
    let mut game = Game::build(|_| abilities(&["GA_Dash", "GA_Jump"]));
    let hero = game.id("hero");
    let dash = game.sim.grant(hero, game.sim.catalog().ability("GA_Dash").unwrap(), 3).unwrap();
    let jump = game.sim.grant(hero, game.sim.catalog().ability("GA_Jump").unwrap(), 2).unwrap();
    game.events();
    let report = reload_as(&mut game, abilities(&["GA_Aim", "GA_Jump"]));
    let kept = game.sim.ability(jump).unwrap();
    assert_eq!((game.sim.catalog().ability_name(kept.ability()), kept.level()), ("GA_Jump", 2));
    assert!(game.sim.ability(dash).is_none());
    assert_eq!(game.sim.controller(hero).unwrap().abilities(), [jump]);
    assert_eq!(report.entries[0].to_string(), format!("{dash:?} of {hero:?}: ability `GA_Dash` is gone"));
    assert!(
        matches!(game.events()[..], [ref event] if matches!(event.kind, EventKind::AbilityRevoked { handle, .. } if handle == dash))
    );
}

#[test]
fn abilities_that_an_effect_grants_follow_its_definition() {
    let rules = |effect: EffectDef| {
        builder().ability(AbilityDef::new("GA_Dash")).ability(AbilityDef::new("GA_Jump")).effect(effect)
    };
    let mut game = Game::build(|_| rules(granting("GE_Boots", AbilityRemoval::CancelImmediately)));
    let active = game.activate("GE_Boots", "hero", "hero");
    let dash = game.active(active).granted_abilities()[0];
    let grant = AbilityGrantDef { level: 4, ..AbilityGrantDef::new("GA_Dash") };
    let both = EffectDef::infinite("GE_Boots")
        .granting_ability(AbilityGrantDef::new("GA_Jump"))
        .granting_ability(grant);
    reload_as(&mut game, rules(both));
    assert_eq!(game.sim.ability(dash).unwrap().level(), 4);
    assert_eq!(game.active(active).granted_abilities().len(), 2);
    game.events();
    reload_as(
        &mut game,
        rules(EffectDef::infinite("GE_Boots").granting_ability(AbilityGrantDef::new("GA_Jump"))),
    );
    assert!(game.sim.ability(dash).is_none());
    assert_eq!(game.count("AbilityRevoked"), 1);
    // With the effect goes what it granted, unless it is to stay (A8).
    let without = builder().ability(AbilityDef::new("GA_Dash")).ability(AbilityDef::new("GA_Jump"));
    reload_as(&mut game, without);
    assert!(game.sim.controller(game.id("hero")).unwrap().abilities().is_empty());
}

#[test]
fn kept_ability_outlives_its_effect() {
    let abilities = || builder().ability(AbilityDef::new("GA_Dash"));
    let mut game = Game::build(|_| abilities().effect(granting("GE_Boots", AbilityRemoval::Keep)));
    let active = game.activate("GE_Boots", "hero", "hero");
    let dash = game.active(active).granted_abilities()[0];
    reload_as(&mut game, abilities());
    assert_eq!(game.sim.ability(dash).unwrap().granted_by(), None);
}

#[test]
fn reload_keeps_handles_time_and_counters() {
    let effects =
        || [EffectDef::lasting("GE_B", 5.0).every(2.0), instant("GE_Hit", "Health", Operation::Add, -1.0)];
    let mut game = Game::of(effects());
    let first = game.activate("GE_B", "hero", "hero");
    let second = game.activate("GE_B", "hero", "hero");
    game.sim.remove(first, Default::default()).unwrap();
    game.pass(1.0);
    let mut twin = game.clone();
    let more = effects().into_iter().chain([buff("A_First", "Attack", Operation::Add, 1.0)]);
    let report = reload(&mut game, more);
    assert_eq!(game.sim.now(), Time::from_seconds(1.0));
    assert_eq!(game.sim.next_timer(), Some(Time::from_seconds(2.0)));
    assert!(game.sim.effect(second).is_some());
    assert_eq!(game.activate("GE_B", "hero", "hero"), twin.activate("GE_B", "hero", "hero"));
    // Ids are those of the new catalog; the report translates.
    let (old, new) = (twin.effect("GE_Hit"), game.effect("GE_Hit"));
    assert_ne!(old, new);
    assert_eq!(report.ids.effect(old), Some(new));
}

#[test]
fn reload_does_not_shift_dice() {
    let burn = || {
        EffectDef::instant("GE_Burn").modify(
            "Health",
            Operation::Add,
            MagnitudeDef::expression("-floor(rand() * 50)"),
        )
    };
    let mut game = Game::of([burn()]);
    game.apply("GE_Burn", "wolf", "hero");
    let mut twin = game.clone();
    reload(&mut game, [burn(), buff("A_First", "Attack", Operation::Add, 1.0)]);
    for _ in 0..5 {
        game.apply("GE_Burn", "wolf", "hero");
        twin.apply("GE_Burn", "wolf", "hero");
        assert_eq!(game.current("hero", "Health"), twin.current("hero", "Health"));
    }
}

#[test]
fn reload_of_an_equal_catalog_changes_nothing_and_keeps_snapshots_valid() {
    let effects = || [EffectDef::lasting("GE_B", 5.0).every(1.0).modify("Health", Operation::Add, -1.0)];
    let mut game = Game::of(effects());
    game.activate("GE_B", "hero", "hero");
    game.pass(1.5);
    let (hash, snapshot) = (game.sim.state_hash(), game.sim.snapshot());
    let report = reload(&mut game, effects());
    assert!(report.diff.is_empty() && report.is_lossless());
    assert_eq!(game.sim.state_hash(), hash);
    assert!(game.sim.restore(&snapshot).is_ok());
}

#[test]
fn snapshots_of_another_catalog_are_refused() {
    let mut game = Game::of([buff("GE_A", "Attack", Operation::Add, 1.0)]);
    let snapshot = game.sim.snapshot();
    reload(&mut game, [buff("GE_A", "Attack", Operation::Add, 2.0)]);
    let error = game.sim.restore(&snapshot).unwrap_err().to_string();
    assert!(error.starts_with("the snapshot belongs to another catalog: its hash is "), "{error}");
    assert!(
        error.ends_with("; a snapshot from before a reload cannot be restored: take a new one after it"),
        "{error}"
    );
}

#[test]
fn failed_reload_changes_nothing() {
    let mut game = Game::of([buff("GE_A", "Attack", Operation::Add, 1.0)]);
    game.activate("GE_A", "hero", "hero");
    let (hash, catalog) = (game.sim.state_hash(), game.sim.catalog().hash());
    // The hero has the set `Unit`, which needs another now.
    let set = AttributeSetDef::new("Unit").with(AttributeDef::new("Health", 1.0)).depends_on("More");
    let needy = Catalog::builder().attribute_set(set).attribute_set(AttributeSetDef::new("More"));
    let error = game.sim.reload(needy.build().unwrap()).unwrap_err();
    let hero = game.id("hero");
    assert_eq!(
        error.to_string(),
        format!(
            "{hero:?} cannot keep its attribute sets: attribute set `Unit` needs the set `More`, which is not registered"
        )
    );
    assert_eq!((game.sim.state_hash(), game.sim.catalog().hash()), (hash, catalog));
    let again = game.sim.catalog().clone();
    let inside = game.sim.batch(|sim| sim.reload(again));
    assert_eq!(inside, Err(ReloadError::InsideBatch));
    assert_eq!(game.sim.state_hash(), hash);
}

#[test]
fn queued_events_keep_their_meaning() {
    let mut game = Game::of([tagging("State.Wet"), tagging("State.Old")]);
    game.activate("Tag:State.Wet", "hero", "hero");
    game.activate("Tag:State.Old", "hero", "hero");
    reload(&mut game, [tagging("State.Wet"), tagging("Aaa.First")]);
    assert_eq!(
        game.log(),
        [
            "applied Tag:State.Wet",
            "hero +State.Wet",
            "hero +State",
            "applied <unknown>",
            "hero +<unknown tag>",
            // Nothing follows: the tag went with its name.
            "removed <unknown> Reloaded",
        ]
    );
}

#[test]
fn effects_created_at_run_time_are_resolved_again() {
    let mut game = Game::build(|builder| builder.tags(["State.Wet", "State.Dry"]));
    let keeps = game.sim.define_effect(buff("Sword", "Attack", Operation::Add, 7.0)).unwrap();
    let fails = game.sim.define_effect(EffectDef::infinite("Towel").granting("State.Dry")).unwrap();
    let hero = game.id("hero");
    let sword = game.sim.apply_effect(keeps, None, hero).unwrap().active().unwrap();
    game.sim.apply_effect(fails, None, hero).unwrap();
    // The catalog has a sword of its own now, which does not disturb the other.
    let catalog = builder().tags(["State.Wet"]).effect(buff("Sword", "Attack", Operation::Add, 1.0));
    let report = reload_as(&mut game, catalog);
    let now = report.ids.effect(keeps).unwrap();
    assert_eq!(game.active(sword).effect(), now);
    assert_ne!(now, game.effect("Sword"));
    assert_eq!(game.current("hero", "Attack"), 107.0);
    assert_eq!(report.ids.effect(fails), None);
    let entries: Vec<String> = report.entries.iter().map(ToString::to_string).collect();
    assert!(
        entries[0].starts_with("effects created at run time: effect `Towel` was forgotten: "),
        "{entries:?}"
    );
    // An equal definition is still found again.
    assert_eq!(game.sim.define_effect(buff("Sword", "Attack", Operation::Add, 7.0)), Ok(now));
}

#[test]
fn native_code_is_that_of_the_new_catalog() {
    let rules = |value: f64| {
        let magnitude = MagnitudeDef::calculation("Calc");
        builder()
            .native("Calc", native(vec![], move |_| Ok(value)))
            .effect(EffectDef::infinite("GE_B").modify("Attack", Operation::Add, magnitude.clone()))
            .effect(EffectDef::instant("GE_I").modify("Attack", Operation::Add, magnitude))
    };
    let mut game = Game::build(|_| rules(1.0));
    game.activate("GE_B", "hero", "hero");
    let report = reload_as(&mut game, rules(10.0));
    assert!(report.diff.is_empty());
    // It counts by name: what it gave stays, what it is asked for from now on is new.
    assert_eq!(game.current("hero", "Attack"), 101.0);
    game.apply("GE_I", "hero", "hero");
    assert_eq!(game.current("hero", "Attack"), 111.0);
}

#[test]
fn readings_of_a_removed_source_survive_by_name() {
    let reading = || {
        let magnitude = MagnitudeDef::attribute(CaptureFrom::Source, "Strength", 1.0);
        EffectDef::infinite("GE_B").modify("Attack", Operation::Add, magnitude)
    };
    let mut game = Game::of([reading()]);
    game.activate("GE_B", "wolf", "hero");
    game.sim.despawn(game.id("wolf")).unwrap();
    let doubled = || {
        let magnitude = MagnitudeDef::attribute(CaptureFrom::Source, "Strength", 2.0);
        EffectDef::infinite("GE_B").modify("Attack", Operation::Add, magnitude)
    };
    reload(&mut game, [doubled(), buff("A_First", "Attack", Operation::Add, 1.0)]);
    // The wolf had 50: 100 + 2 * 50.
    assert_eq!(game.current("hero", "Attack"), 200.0);
}

#[test]
fn diff_lists_exactly_the_changed_definitions() {
    let old =
        Game::of([buff("GE_A", "Attack", Operation::Add, 1.0), buff("GE_C", "Attack", Operation::Add, 1.0)]);
    let new = Game::build(|builder| {
        builder
            .effect(buff("GE_A", "Attack", Operation::Add, 2.0))
            .effect(tagging("State.X"))
            .attribute_set(AttributeSetDef::new("Extra").with(AttributeDef::new("Luck", 1.0)))
            .pre_change("Armor", |change| change.new)
    });
    let diff = CatalogDiff::between(old.sim.catalog(), new.sim.catalog());
    assert_eq!(
        diff.to_string(),
        "tag `State` added\n\
         tag `State.X` added\n\
         attribute `Armor` changed\n\
         attribute `Luck` added\n\
         attribute set `Extra` added\n\
         effect `GE_A` changed\n\
         effect `GE_C` removed\n\
         effect `Tag:State.X` added\n"
    );
    assert!(CatalogDiff::between(old.sim.catalog(), old.sim.catalog()).is_empty());
}
