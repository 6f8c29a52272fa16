//! Migration of old snapshots to a new catalog, with the same result as a reload.

use std::sync::Arc;

use ugas_core::ability::AbilityDef;
use ugas_core::catalog::{Catalog, CatalogBuilder, RebuildError};
use ugas_core::codec::{self, DecodeError, DecodeErrorKind};
use ugas_core::effect::EffectDef;
use ugas_core::effect::calculation::{CaptureDef, native};
use ugas_core::effect::magnitude::MagnitudeDef;
use ugas_core::modifier::Operation;
use ugas_core::simulation::{Config, EmbeddedRulesError, MigrationError, Simulation, Snapshot};
use ugas_core::task::TaskDef;
use ugas_core::time::{Span, Time};

use crate::fixture::{Game, buff, builder};

fn poison(damage: f64) -> EffectDef {
    EffectDef::lasting("GE_Poison", 10.0).every(1.0).modify("Health", Operation::Add, -damage)
}

fn built(builder: CatalogBuilder) -> Arc<Catalog> {
    builder.build().unwrap_or_else(|errors| panic!("{errors}"))
}

/// Checks that migration of a snapshot and a reload give the same state and the same report.
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
fn effect_continues_with_its_new_definition() {
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
fn removed_definitions_are_reported() {
    let mut game = Game::of([poison(5.0), buff("GE_Might", "Attack", Operation::Add, 20.0)]);
    game.apply("GE_Might", "hero", "hero");
    game.pass(1.0);
    game.events();
    let (_, report) = check(&game, built(builder().effect(poison(5.0))));
    assert_eq!(report, "effect `GE_Might` removed\nactive0v1 on controller0v1: effect `GE_Might` is gone\n");
}

#[test]
fn activations_continue_after_migration() {
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

/// Native code that the new catalog lacks is not needed to read the old state or its captures.
#[test]
fn migration_does_not_need_removed_native_code() {
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
fn r7_damaged_snapshot_changes_nothing() {
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
fn snapshot_with_its_catalog_is_self_contained() {
    let mut game = Game::of([poison(5.0)]);
    game.apply("GE_Poison", "wolf", "hero");
    game.pass(4.5);
    game.events();
    let without = built(Catalog::builder());
    let (bytes, bare) = (game.sim.snapshot().to_bytes_with_rules(), game.sim.snapshot().to_bytes());
    let catalog = Snapshot::embedded_catalog(&bytes, &without).unwrap().unwrap();
    assert_eq!(catalog.hash(), game.sim.catalog().hash());
    assert!(Snapshot::embedded_catalog(&bare, &without).unwrap().is_none());
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

/// A forged catalog with a correct checksum is still rejected: the state contains the hash of its catalog.
#[test]
fn catalog_that_does_not_match_the_state_is_rejected() {
    let mut game = Game::of([poison(5.0)]);
    let bytes = game.sim.snapshot().to_bytes_with_rules();
    // Four bytes of kind, one of version; then the hash of the rules; eight of checksum at the end.
    let mut body = bytes[5..bytes.len() - 8].to_vec();
    let seal = |body: &[u8]| codec::seal(*b"UGSN", |encoder| encoder.raw(body));
    assert_eq!(seal(&body), bytes);
    body[0] ^= 1;
    let forged = seal(&body);
    let without = built(Catalog::builder());
    let own = Snapshot::embedded_catalog(&forged, &without);
    let is_refused = |error: &DecodeError| {
        let DecodeErrorKind::Invalid(why) = error.kind else { return false };
        why == "the rules in the snapshot do not match the hash of its catalog"
    };
    assert!(
        matches!(own, Err(EmbeddedRulesError::Decode(error)) if is_refused(&error)),
        "a catalog, or another error"
    );
    let migrated = game.sim.migrate(&forged);
    assert!(matches!(&migrated, Err(MigrationError::Decode(error)) if is_refused(error)), "{migrated:?}");
}

#[test]
fn snapshot_time_is_readable_without_its_catalog() {
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
fn catalog_with_missing_native_code_is_rejected() {
    let calculation = native(Vec::new(), |_| Ok(5.0));
    let rules = || builder().effect(poison(5.0));
    let with = built(rules().native("MMC_Five", calculation));
    let bytes = Simulation::new(with.clone(), Config::default()).snapshot().to_bytes_with_rules();
    let missing = Snapshot::embedded_catalog(&bytes, &built(rules()));
    assert!(
        matches!(missing, Err(EmbeddedRulesError::Rebuild(RebuildError::MissingNatives(_)))),
        "a catalog, or another error"
    );
    assert_eq!(Snapshot::embedded_catalog(&bytes, &with).unwrap().unwrap().hash(), with.hash());
}

#[test]
fn another_seed_changes_only_future_dice() {
    let mut game = Game::of([poison(5.0)]);
    game.apply("GE_Poison", "wolf", "hero");
    game.pass(1.0);
    let snapshot = game.sim.snapshot();
    let other = snapshot.clone().with_seed(99);
    assert_ne!(other.state_hash(), snapshot.state_hash());
    assert_eq!(other.clone().with_seed(game.sim.config().seed).to_bytes(), snapshot.to_bytes());
}
