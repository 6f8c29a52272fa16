//! Controllers as components: creation from a template, queries, and removal with their entities.

use bevy_ugas::prelude::*;
use bevy_ugas::{Abilities, ActiveEffects, Attributes, Tags, actor_of};
use ugas::Stacks;

use crate::fixture::*;

#[test]
fn controller_exists_as_soon_as_its_entity_is_spawned() {
    let mut app = app();
    let mage = spawn(&mut app, "Mage");
    let attributes = get::<Attributes>(&app, mage);
    assert_eq!(attributes.current("Health"), Ok(100.0));
    assert_eq!(attributes.base("Mana"), Ok(50.0));
    assert_eq!(attributes.value("Speed"), None);
    assert!(get::<Tags>(&app, mage).has("Kind") && get::<Tags>(&app, mage).has("Kind.Human"));
    assert!(!get::<Tags>(&app, mage).has("Kin"));
    assert!(get::<Abilities>(&app, mage).has("GA_Bolt"));
    assert!(get::<GameplayController>(&app, mage).id().is_some());
    let game = game(&mut app);
    let controller = game.controller(mage).unwrap();
    assert_eq!(game.entity(controller), Some(mage));
    let simulation = game.simulation().unwrap();
    assert_eq!(simulation.controller_of_owner(actor_of(mage)), Some(controller));
    assert_eq!(simulation.controller_of_avatar(actor_of(mage)), Some(controller));
}

#[test]
fn components_are_updated_by_effects_and_time() {
    let mut app = app();
    let (mage, wolf) = (spawn(&mut app, "Mage"), spawn(&mut app, "Wolf"));
    game(&mut app).apply("GE_Poison", mage, wolf).unwrap();
    run(&mut app, 1.5); // one tick of 5
    assert_eq!(get::<Attributes>(&app, wolf).current("Health"), Ok(55.0));
    assert!(get::<Tags>(&app, wolf).has("State.Debuff"));
    let poison = get::<ActiveEffects>(&app, wolf).first("GE_Poison").unwrap().clone();
    let now = game(&mut app).now();
    assert_eq!(poison.remaining(now).unwrap().as_seconds(), 1.5); // of 3
    assert_eq!(poison.source, game(&mut app).controller(mage));
    run(&mut app, 2.0); // and two more
    assert_eq!(get::<Attributes>(&app, wolf).current("Health"), Ok(45.0));
    assert!(get::<Tags>(&app, wolf).is_empty());
    assert!(get::<ActiveEffects>(&app, wolf).is_empty());
}

#[test]
fn effect_stacks_are_shown_and_removed() {
    let mut app = app();
    let wolf = spawn(&mut app, "Wolf");
    for _ in 0..2 {
        game(&mut app).apply("GE_Armour", None, wolf).unwrap();
    }
    run(&mut app, 0.1);
    assert_eq!(get::<ActiveEffects>(&app, wolf).stacks("GE_Armour"), 2);
    assert_eq!(game(&mut app).stacks(wolf, "GE_Armour"), 2);
    let active = get::<ActiveEffects>(&app, wolf).first("GE_Armour").unwrap().active;
    game(&mut app).remove(active, Stacks::All).unwrap();
    run(&mut app, 0.1);
    assert!(!get::<ActiveEffects>(&app, wolf).has("GE_Armour"));
}

#[test]
fn abilities_show_activations_and_cooldowns() {
    let mut app = app();
    let (mage, wolf) = (spawn(&mut app, "Mage"), spawn(&mut app, "Wolf"));
    game(&mut app).activate_on(mage, "GA_Bolt", wolf).unwrap();
    run(&mut app, 0.5);
    assert_eq!(get::<Attributes>(&app, mage).current("Mana"), Ok(30.0)); // 50 - 20
    let bolt = get::<Abilities>(&app, mage).first("GA_Bolt").unwrap().clone();
    assert_eq!(bolt.activations, 1); // the projectile is in the air
    let now = game(&mut app).now();
    let cooldown = bolt.cooldown.unwrap();
    assert_eq!(cooldown.remaining(now).as_seconds(), 1.5); // of 2
    assert_eq!(cooldown.fraction(now), 0.75);
    let refused = game(&mut app).activate_on(mage, "GA_Bolt", wolf).unwrap_err();
    assert!(matches!(&refused, GameplayError::Activation(refusal) if refusal.code() == "AlreadyActive"));
    game(&mut app).cancel(mage, "GA_Bolt").unwrap();
    let refused = game(&mut app).can_activate(mage, "GA_Bolt").unwrap_err();
    assert!(game(&mut app).describe(&refused).contains("Cooldown.Bolt"), "{refused}");
    run(&mut app, 2.0);
    assert_eq!(get::<Abilities>(&app, mage).first("GA_Bolt").unwrap().cooldown, None);
}

#[test]
fn commands_act_when_they_are_applied() {
    let mut app = app();
    let (mage, wolf) = (spawn(&mut app, "Mage"), spawn(&mut app, "Wolf"));
    let mut commands = app.world_mut().commands();
    commands.entity(wolf).apply_effect("GE_Hit", mage).grant_ability("GA_Bolt", 2);
    commands.entity(mage).activate_ability_on("GA_Bolt", wolf);
    app.world_mut().flush();
    run(&mut app, 0.1);
    assert_eq!(get::<Attributes>(&app, wolf).current("Health"), Ok(50.0)); // 60 - 10
    assert_eq!(get::<Abilities>(&app, wolf).first("GA_Bolt").unwrap().level, 2);
    assert!(get::<Abilities>(&app, mage).is_active("GA_Bolt"));
}

#[test]
fn controller_is_despawned_with_its_entity_or_component() {
    let mut app = app();
    let (mage, wolf) = (spawn(&mut app, "Mage"), spawn(&mut app, "Wolf"));
    app.world_mut().despawn(mage);
    app.world_mut().entity_mut(wolf).remove::<GameplayController>();
    let game = game(&mut app);
    assert_eq!(game.simulation().unwrap().controllers().count(), 0);
    assert_eq!((game.controller(mage), game.controller(wolf)), (None, None));
}

#[test]
fn components_are_empty_without_a_controller() {
    let mut app = app();
    let mage = spawn(&mut app, "Mage");
    app.world_mut().entity_mut(mage).remove::<GameplayController>();
    assert!(get::<Attributes>(&app, mage).is_empty());
    assert!(get::<Tags>(&app, mage).is_empty());
    assert!(get::<Abilities>(&app, mage).is_empty());
}

#[test]
fn cloned_entity_gets_its_own_controller() {
    let mut app = app();
    let mage = spawn(&mut app, "Mage");
    game(&mut app).apply("GE_Hit", None, mage).unwrap();
    app.update();
    let copy = app.world_mut().entity_mut(mage).clone_and_spawn();
    let (first, second) = (game(&mut app).controller(mage), game(&mut app).controller(copy));
    assert!(first.is_some() && second.is_some() && first != second, "{first:?} {second:?}");
    assert_eq!(get::<GameplayController>(&app, copy).id(), second);
    app.update();
    assert_eq!(get::<Attributes>(&app, copy).current("Health"), Ok(100.0)); // as in its template
    // Inserting the component again creates another controller.
    let again = get::<GameplayController>(&app, mage).clone();
    app.world_mut().entity_mut(mage).insert(again);
    assert_eq!(get::<GameplayController>(&app, mage).id(), game(&mut app).controller(mage));
    assert_eq!(game(&mut app).simulation().unwrap().controllers().count(), 2);
}

#[test]
fn failed_spawn_leaves_no_controller_behind() {
    let mut app = app();
    let name = "x".repeat(100_000);
    let mage = app.world_mut().spawn((GameplayController::new("Mage"), GameplayTeam::new(name))).id();
    assert_eq!(game(&mut app).simulation().unwrap().controllers().count(), 1);
    assert!(game(&mut app).controller(mage).is_some());
}

#[test]
fn command_errors_are_logged_but_refusals_are_not() {
    watch_log();
    let mut app = app();
    let mage = spawn(&mut app, "Mage");
    let mut commands = app.world_mut().commands();
    commands
        .entity(mage)
        .apply_effect("GE_Hut", None)
        .activate_ability("GA_Bolt")
        .activate_ability("GA_Bolt");
    app.world_mut().flush();
    assert!(logged("WARN").iter().any(|line| line.contains("GE_Hut")), "{:?}", logged("WARN"));
    assert!(!logged("WARN").iter().any(|line| line.contains("active already")), "{:?}", logged("WARN"));
}

#[test]
fn inserting_another_controller_replaces_the_first() {
    let mut app = app();
    let mage = spawn(&mut app, "Mage");
    app.world_mut().entity_mut(mage).insert(GameplayController::new("Wolf"));
    assert_eq!(get::<Attributes>(&app, mage).current("Health"), Ok(60.0));
    assert_eq!(game(&mut app).simulation().unwrap().controllers().count(), 1);
}

#[test]
fn avatar_represents_its_owner_until_despawned() {
    let mut app = app();
    let body = app.world_mut().spawn_empty().id();
    let player = app.world_mut().spawn((GameplayController::new("Mage"), Avatar(body))).id();
    let controller = game(&mut app).controller(player);
    let of_avatar = |app: &mut bevy_app::App, entity| {
        game(app).simulation().unwrap().controller_of_avatar(actor_of(entity))
    };
    assert_eq!(of_avatar(&mut app, body), controller);
    assert_eq!(of_avatar(&mut app, player), None);
    app.world_mut().despawn(body);
    assert_eq!(of_avatar(&mut app, player), controller);
    let other = app.world_mut().spawn_empty().id();
    app.world_mut().entity_mut(player).insert(Avatar(other));
    assert_eq!(of_avatar(&mut app, other), controller);
}

#[test]
fn team_component_sets_the_team() {
    let mut app = app();
    let mage = app.world_mut().spawn((GameplayController::new("Mage"), GameplayTeam::new("Red"))).id();
    let team = |app: &mut bevy_app::App| {
        let game = game(app);
        let simulation = game.simulation().unwrap();
        simulation
            .controller(game.controller(mage).unwrap())
            .unwrap()
            .team()
            .map(|team| team.name().to_owned())
    };
    assert_eq!(team(&mut app).as_deref(), Some("Red"));
    app.world_mut().entity_mut(mage).insert(GameplayTeam::new("Blue"));
    assert_eq!(team(&mut app).as_deref(), Some("Blue"));
    app.world_mut().entity_mut(mage).remove::<GameplayTeam>();
    assert_eq!(team(&mut app), None);
}

#[test]
fn controllers_wait_for_rules_with_their_template() {
    let mut app = app_with(UgasPlugins::default());
    let mage = spawn(&mut app, "Mage");
    let ghost = spawn(&mut app, "Ghost");
    assert!(get::<Attributes>(&app, mage).is_empty());
    assert!(matches!(game(&mut app).activate(mage, "GA_Bolt"), Err(GameplayError::NoRules)));
    game(&mut app).install(catalog()).unwrap();
    app.update();
    assert_eq!(get::<Attributes>(&app, mage).current("Health"), Ok(100.0));
    let problem = get::<GameplayController>(&app, ghost).problem().unwrap();
    assert!(problem.contains("Ghost"), "{problem}");
    // Rules that have the template come later.
    let with_ghost =
        builder().template(ugas::ControllerDef::new("Ghost").with_set("Combat")).build().unwrap();
    game(&mut app).install(with_ghost).unwrap();
    app.update();
    assert_eq!(get::<Attributes>(&app, ghost).current("Mana"), Ok(50.0));
    assert_eq!(get::<GameplayController>(&app, ghost).problem(), None);
}

#[test]
fn actions_without_a_controller_return_an_error() {
    let mut app = app();
    let mage = spawn(&mut app, "Mage");
    let stone = app.world_mut().spawn_empty().id();
    assert_eq!(game(&mut app).apply("GE_Hit", mage, stone), Err(GameplayError::NoController(stone)));
    assert!(matches!(game(&mut app).apply("GE_Hut", mage, mage), Err(GameplayError::UnknownName(_))));
    let found = game(&mut app).current(stone, "Health");
    assert_eq!(found, None);
    let wolf = spawn(&mut app, "Wolf");
    assert_eq!(game(&mut app).can_activate(wolf, "GA_Bolt"), Err(GameplayError::NotGranted(wolf)));
}

#[test]
fn components_are_readable_by_reflection() {
    use bevy_ecs::reflect::{AppTypeRegistry, ReflectComponent};
    let mut app = app();
    let mage = spawn(&mut app, "Mage");
    let registry = app.world().resource::<AppTypeRegistry>().clone();
    let registry = registry.read();
    let of_attributes = registry.get(core::any::TypeId::of::<Attributes>()).unwrap();
    let reflect = of_attributes.data::<ReflectComponent>().unwrap();
    let attributes = reflect.reflect(app.world().entity(mage)).unwrap();
    let shown = format!("{:?}", attributes.as_partial_reflect());
    assert!(shown.contains("current: 100.0"), "{shown}");
    for type_id in [
        core::any::TypeId::of::<Tags>(),
        core::any::TypeId::of::<ActiveEffects>(),
        core::any::TypeId::of::<Abilities>(),
        core::any::TypeId::of::<GameplayController>(),
    ] {
        assert!(registry.get(type_id).unwrap().data::<ReflectComponent>().is_some());
    }
}

#[test]
fn linked_controller_is_shown_in_the_same_step() {
    let mut app = app();
    let controller = game(&mut app).simulation_mut().unwrap().spawn("Wolf").unwrap();
    // Its creation is consumed before it has an entity.
    run(&mut app, 0.1);
    let wolf = app.world_mut().spawn(GameplayController::existing()).id();
    game(&mut app).link(wolf, controller);
    app.update();
    assert_eq!(get::<GameplayController>(&app, wolf).id(), Some(controller));
    assert_eq!(get::<Attributes>(&app, wolf).current("Health"), Ok(60.0));
    // Another entity takes it over, and the first one has none.
    let heir = app.world_mut().spawn(GameplayController::existing()).id();
    game(&mut app).link(heir, controller);
    app.update();
    assert_eq!(get::<Attributes>(&app, heir).current("Health"), Ok(60.0));
    assert_eq!(get::<GameplayController>(&app, wolf).id(), None);
    assert!(get::<Attributes>(&app, wolf).is_empty());
}

#[test]
fn command_for_a_despawned_member_does_not_act_elsewhere() {
    use bevy_ugas::{GameplayInstance, InInstance};
    let mut app = app();
    let notes = Notes::default();
    let room = app.world_mut().spawn(GameplayInstance::new(catalog(), ugas::Config::default())).id();
    let mut queue = bevy_ecs::world::CommandQueue::default();
    let other = app.world_mut().spawn((GameplayController::new("Wolf"), InInstance(room))).id();
    let noted = notes.clone();
    bevy_ecs::prelude::Commands::new(&mut queue, app.world()).entity(other).in_gameplay(move |_, _| {
        noted.note("called");
        Ok(())
    });
    app.world_mut().despawn(other);
    queue.apply(app.world_mut());
    assert!(notes.take().is_empty());
}

#[test]
fn lost_controller_has_a_problem() {
    let mut app = app();
    let snapshot = game(&mut app).snapshot().unwrap();
    let (newer, wolf) = (spawn(&mut app, "Wolf"), spawn(&mut app, "Wolf"));
    let controller = game(&mut app).controller(wolf).unwrap();
    game(&mut app).simulation_mut().unwrap().despawn(controller).unwrap();
    app.update();
    assert!(get::<GameplayController>(&app, wolf).problem().unwrap().contains("despawned"));
    assert_eq!(get::<GameplayController>(&app, newer).problem(), None);
    game(&mut app).restore(&snapshot).unwrap();
    app.update();
    assert!(get::<GameplayController>(&app, newer).problem().unwrap().contains("restored"));
}

#[test]
fn invalid_team_is_logged() {
    watch_log();
    let mut app = app();
    let wolf = spawn(&mut app, "Wolf");
    app.world_mut().entity_mut(wolf).insert(GameplayTeam::new("x".repeat(100_000)));
    let start = format!("the team of {wolf} could not be set");
    assert!(logged("WARN").iter().any(|line| line.starts_with(&start)));
}
