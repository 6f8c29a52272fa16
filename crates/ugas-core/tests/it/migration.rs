//! Old snapshots under new rules: what a reload would have done.

use std::sync::Arc;

use ugas_core::ability::AbilityDef;
use ugas_core::catalog::{Catalog, CatalogBuilder, RebuildError};
use ugas_core::codec::{self, DecodeError, DecodeErrorKind};
use ugas_core::effect::EffectDef;
use ugas_core::effect::calculation::{CaptureDef, native};
use ugas_core::effect::magnitude::MagnitudeDef;
use ugas_core::modifier::Operation;
use ugas_core::simulation::{Config, MigrationError, OwnRulesError, Simulation, Snapshot};
use ugas_core::task::TaskDef;
use ugas_core::time::{Span, Time};

use crate::fixture::{Game, buff, builder};

fn poison(damage: f64) -> EffectDef {
    EffectDef::lasting("GE_Poison", 10.0).every(1.0).modify("Health", Operation::Add, -damage)
}

fn built(builder: CatalogBuilder) -> Arc<Catalog> {
    builder.build().unwrap_or_else(|errors| panic!("{errors}"))
}

/// A snapshot with rules and a reload come to the same state, with the same report.
fn check(game: &Game, catalog: Arc<Catalog>) -> (Simulation, String) {
    let mut reloaded = game.sim.clone();
    let expected = reloaded.reload(catalog.clone()).unwrap();
    let mut migrated = Simulation::new(catalog, game.sim.config().clone());
    let report = migrated.migrate(&game.sim.snapshot().to_bytes_with_rules()).unwrap();
    assert_eq!(report, expected);
    assert_eq!(migrated.state_hash(), reloaded.state_hash());
    assert_eq!(migrated.inconsistencies(), [""; 0]);
    let text = report.to_string();
    migrated.advance(Span::seconds(20.0));
    reloaded.advance(Span::seconds(20.0));
    assert_eq!(migrated.state_hash(), reloaded.state_hash());
    (migrated, text)
}

#[test]
fn an_effect_goes_on_with_its_new_definition() {
    let mut game = Game::of([poison(5.0)]);
    game.apply("GE_Poison", "wolf", "hero");
    game.pass(4.0);
    assert_eq!(game.current("hero", "Health"), 80.0); // 100 - 4 * 5
    game.events();
    let (migrated, report) = check(&game, built(builder().effect(poison(10.0))));
    assert_eq!(report, "effect `GE_Poison` changed\n");
    let health = migrated.catalog().attribute("Health").unwrap();
    assert_eq!(migrated.current(game.id("hero"), health), Some(20.0)); // 80 - 6 * 10
}

#[test]
fn what_is_gone_is_reported() {
    let mut game = Game::of([poison(5.0), buff("GE_Might", "Attack", Operation::Add, 20.0)]);
    game.apply("GE_Might", "hero", "hero");
    game.pass(1.0);
    game.events();
    let (_, report) = check(&game, built(builder().effect(poison(5.0))));
    assert_eq!(report, "effect `GE_Might` removed\nactive0v1 on controller0v1: effect `GE_Might` is gone\n");
}

#[test]
fn runs_of_abilities_go_on() {
    let slow = AbilityDef::new("GA_Slow").task(TaskDef::wait(5.0)).task(TaskDef::apply_to_owner("GE_Poison"));
    let (mut game, handles) = Game::with_abilities([poison(5.0)], [slow.clone()]);
    game.run(handles[0]);
    game.pass(2.0);
    game.events();
    let changed = builder().effect(poison(7.0)).ability(slow.tagged("Ability.New"));
    let (migrated, _) = check(&game, built(changed));
    let health = migrated.catalog().attribute("Health").unwrap();
    // After three more seconds the wait is over; ten ticks of 7 follow.
    assert_eq!(migrated.current(game.id("hero"), health), Some(30.0));
}

/// Native code that the new rules do not have is not needed to understand the old state, nor what it captured.
#[test]
fn native_code_may_be_gone() {
    let weight = native(vec![CaptureDef::target("Armor").frozen()], |context| context.target("Armor"));
    let effect = buff("GE_Weight", "Speed", Operation::Add, 0.0);
    let magnitude = MagnitudeDef::calculation("Calc_Weight");
    let weighted = EffectDef { modifiers: Vec::new(), ..effect }.modify("Speed", Operation::Add, magnitude);
    let mut game = Game::build(|builder| {
        let builder = builder.native("Calc_Weight", weight).pre_change("Speed", |change| change.new);
        builder.effect(weighted).effect(poison(1.0)).before_apply(|_, _, _| Ok(()))
    });
    game.apply("GE_Weight", "wolf", "hero");
    game.apply("GE_Poison", "wolf", "hero");
    game.pass(1.0);
    game.events();
    assert_eq!(game.current("hero", "Speed"), 420.0); // 400 + 20
    let catalog = built(builder().effect(poison(1.0)));
    let mut migrated = Simulation::new(catalog.clone(), Config::seeded(7));
    let report = migrated.migrate(&game.sim.snapshot().to_bytes_with_rules()).unwrap();
    assert!(!report.is_lossless());
    let speed = catalog.attribute("Speed").unwrap();
    assert_eq!(migrated.current(game.id("hero"), speed), Some(400.0));
}

/// R7: an error changes nothing.
#[test]
fn damage_changes_nothing() {
    let mut game = Game::of([poison(5.0)]);
    let mut bytes = game.sim.snapshot().to_bytes_with_rules();
    game.apply("GE_Poison", "wolf", "hero");
    let hash = game.sim.state_hash();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    assert!(game.sim.migrate(&bytes).is_err());
    assert_eq!(game.sim.state_hash(), hash);
    assert!(!game.events().is_empty());
}

#[test]
fn a_state_with_its_rules_needs_nothing_else() {
    let mut game = Game::of([poison(5.0)]);
    game.apply("GE_Poison", "wolf", "hero");
    game.pass(4.5);
    game.events();
    let without = built(Catalog::builder());
    let (bytes, bare) = (game.sim.snapshot().to_bytes_with_rules(), game.sim.snapshot().to_bytes());
    let catalog = Snapshot::own_catalog(&bytes, &without).unwrap().unwrap();
    assert_eq!(catalog.hash(), game.sim.catalog().hash());
    assert!(Snapshot::own_catalog(&bare, &without).unwrap().is_none());
    let mut again = Simulation::new(catalog.clone(), Config::default());
    again.restore(&Snapshot::from_bytes(&bytes, &catalog).unwrap()).unwrap();
    for _ in 0..10 {
        assert_eq!(again.state_hash(), game.sim.state_hash());
        again.advance(Span::seconds(1.0));
        game.pass(1.0);
    }
    let health = catalog.attribute("Health").unwrap();
    assert_eq!(again.current(game.id("hero"), health), Some(50.0)); // 100 - 10 * 5
}

/// Whoever puts other rules under a state makes the checksum right, but the state says of which rules it is.
#[test]
fn rules_that_the_state_is_not_of_are_refused() {
    let mut game = Game::of([poison(5.0)]);
    let bytes = game.sim.snapshot().to_bytes_with_rules();
    // Four bytes of kind, one of version; then the hash of the rules; eight of checksum at the end.
    let mut body = bytes[5..bytes.len() - 8].to_vec();
    let seal = |body: &[u8]| codec::seal(*b"UGSN", |encoder| encoder.raw(body));
    assert_eq!(seal(&body), bytes);
    body[0] ^= 1;
    let forged = seal(&body);
    let without = built(Catalog::builder());
    let own = Snapshot::own_catalog(&forged, &without);
    let is_refused = |error: &DecodeError| {
        let DecodeErrorKind::Invalid(why) = error.kind else { return false };
        why == "the rules of a snapshot are not those that it is of"
    };
    assert!(
        matches!(own, Err(OwnRulesError::Decode(error)) if is_refused(&error)),
        "a catalog, or another error"
    );
    let migrated = game.sim.migrate(&forged);
    assert!(matches!(&migrated, Err(MigrationError::Decode(error)) if is_refused(error)), "{migrated:?}");
}

#[test]
fn the_time_of_a_snapshot_is_known_without_its_rules() {
    let mut game = Game::of([poison(5.0)]);
    game.pass(4.5);
    let snapshot = game.sim.snapshot();
    for bytes in [snapshot.to_bytes(), snapshot.to_bytes_with_rules()] {
        assert_eq!(Snapshot::time_of(&bytes), Ok(Time::from_seconds(4.5)));
        for length in 0..bytes.len() {
            assert!(Snapshot::time_of(&bytes[..length]).is_err());
        }
    }
}

#[test]
fn rules_whose_native_code_is_missing_are_refused() {
    let calculation = native(Vec::new(), |_| Ok(5.0));
    let rules = || builder().effect(poison(5.0));
    let with = built(rules().native("MMC_Five", calculation));
    let bytes = Simulation::new(with.clone(), Config::default()).snapshot().to_bytes_with_rules();
    let missing = Snapshot::own_catalog(&bytes, &built(rules()));
    assert!(
        matches!(missing, Err(OwnRulesError::Rebuild(RebuildError::MissingNatives(_)))),
        "a catalog, or another error"
    );
    assert_eq!(Snapshot::own_catalog(&bytes, &with).unwrap().unwrap().hash(), with.hash());
}

#[test]
fn another_seed_changes_only_the_dice_to_come() {
    let mut game = Game::of([poison(5.0)]);
    game.apply("GE_Poison", "wolf", "hero");
    game.pass(1.0);
    let snapshot = game.sim.snapshot();
    let other = snapshot.clone().with_seed(99);
    assert_ne!(other.state_hash(), snapshot.state_hash());
    assert_eq!(other.clone().with_seed(game.sim.config().seed).to_bytes(), snapshot.to_bytes());
}
