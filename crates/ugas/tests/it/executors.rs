//! One game on every executor of commands: a simulation, a recorded simulation and a server.

use std::io::Cursor;

use ugas::net::{Server, ServerConfig};
use ugas::prelude::*;
use ugas::replay::{Player, Recorder, Recording, Settings, verify};
use ugas::{Catalog, CommandError, Execute, Role};

fn catalog() -> std::sync::Arc<Catalog> {
    Catalog::builder()
        .attribute_set(
            AttributeSetDef::new("Combat")
                .with(AttributeDef::new("Health", 100.0).min(0.0))
                .with(AttributeDef::new("Mana", 50.0).min(0.0)),
        )
        .effect(EffectDef::instant("GE_Strike").modify("Health", Operation::Add, -10.0))
        .effect(EffectDef::instant("GE_Cost").modify("Mana", Operation::Add, -20.0))
        .effect(EffectDef::infinite("GE_Ring").modify("Mana", Operation::Add, 5.0))
        .ability(
            AbilityDef::new("GA_Bolt")
                .cost("GE_Cost")
                .task(TaskDef::commit())
                .task(TaskDef::apply_to_target("GE_Strike")),
        )
        .template(ControllerDef::new("Fighter").with_set("Combat"))
        .build()
        .unwrap()
}

/// A fight whose commands return their values; the health of the wolf at its end.
fn fight(game: &mut impl Execute) -> Result<f64, CommandError> {
    let catalog = game.simulation().catalog().clone();
    let effect = |name: &str| catalog.effect(name).unwrap();
    let (hero, wolf) = (game.spawn("Fighter")?, game.spawn("Fighter")?);
    let bolt = game.grant(hero, catalog.ability("GA_Bolt").unwrap(), 1)?;
    game.activate_on(bolt, wolf)?;
    let ring = game.apply_effect(effect("GE_Ring"), None, hero)?.active().unwrap();
    game.remove(ring, Stacks::All)?;
    assert_eq!(game.apply_to_all(effect("GE_Strike"), Some(hero), &[wolf, hero])?, 2);
    let spec = game.simulation().spec(effect("GE_Strike"), 1.0, EffectContext::of(hero))?;
    game.apply(&spec, wolf)?;
    game.activate_on(bolt, wolf)?;
    // 50 - 20 - 20 = 10 mana are left: the third bolt is refused.
    assert!(matches!(game.activate_on(bolt, wolf), Err(CommandError::Activation(_))));
    Ok(game.simulation().current(wolf, catalog.attribute("Health").unwrap()).unwrap())
}

/// Two bolts, the area and the spec: 100 - 4 · 10.
const EXPECTED: f64 = 60.0;

fn simulation() -> Simulation {
    Simulation::new(catalog(), Config { role: Role::Server, ..Config::seeded(7) })
}

#[test]
fn same_game_runs_on_every_executor() {
    let mut plain = simulation();
    assert_eq!(fight(&mut plain).unwrap(), EXPECTED);

    let mut sim = simulation();
    let mut recorder = Recorder::new(Vec::new(), &sim, Settings::default()).unwrap();
    assert_eq!(fight(&mut recorder.with(&mut sim)).unwrap(), EXPECTED);
    assert_eq!(sim.state_hash(), plain.state_hash());
    let file = recorder.finish(&sim).unwrap();
    let mut player = Player::new(Recording::open(Cursor::new(file)).unwrap()).unwrap();
    assert_eq!(verify(&mut player).unwrap().difference, None);

    let mut server = Server::new(simulation(), ServerConfig::default());
    assert_eq!(fight(&mut server).unwrap(), EXPECTED);
    assert_eq!(server.simulation().state_hash(), plain.state_hash());
}

#[test]
fn value_of_another_command_is_an_error() {
    let mut sim = simulation();
    let outcome = sim.execute(Command::spawn("Fighter")).unwrap();
    assert_eq!(outcome.clone().granted(), Err(CommandError::UnexpectedOutcome));
    let unit = outcome.spawned().unwrap();
    let strike = sim.catalog().effect("GE_Strike").unwrap();
    let outcome = sim.execute(Command::apply(strike, None, unit)).unwrap();
    assert_eq!(outcome.clone().applied(), Ok(Application::Executed));
    // An instant effect leaves no active effect behind.
    assert_eq!(outcome.active(), Err(CommandError::UnexpectedOutcome));
}
