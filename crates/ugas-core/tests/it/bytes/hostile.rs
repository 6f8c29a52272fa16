//! Damaged and forged bytes are rejected, or decode to a valid state.

use ugas_core::codec::from_bytes;
use ugas_core::command::Command;
use ugas_core::simulation::{Config, Simulation, Snapshot};

use super::story;

/// A cascade is cut off early: damaged states may go on without end.
fn config() -> Config {
    Config { cascade_limit: 200, ..Config::seeded(1) }
}

/// Restores and uses whatever can be read; true if it can.
fn try_out(bytes: &[u8], at: usize) -> bool {
    let catalog = story::catalog_once();
    let Ok(snapshot) = Snapshot::from_forged_bytes(bytes, catalog) else { return false };
    let again = snapshot.to_bytes();
    assert_eq!(
        Snapshot::from_bytes(&again, catalog).map(|read| read.to_bytes() == again),
        Ok(true),
        "byte {at}"
    );
    let mut sim = Simulation::new(catalog.clone(), config());
    sim.restore(&snapshot).unwrap();
    let found = sim.inconsistencies();
    assert!(found.is_empty(), "byte {at}: {found:#?}");
    story::use_everything(&mut sim);
    true
}

#[test]
fn truncated_snapshot_is_rejected() {
    let bytes = story::play().snapshot().to_bytes();
    for length in 0..bytes.len() {
        assert!(Snapshot::from_bytes(&bytes[..length], story::catalog_once()).is_err(), "{length} bytes");
        assert!(!try_out(&bytes[..length], length), "{length} bytes");
    }
}

#[test]
fn damaged_snapshot_is_rejected() {
    let bytes = story::play().snapshot().to_bytes_with_rules();
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        assert!(Snapshot::from_bytes(&damaged, story::catalog_once()).is_err(), "byte {at}");
    }
}

#[test]
fn forged_snapshot_is_rejected_or_valid() {
    let bytes = story::play().snapshot().to_bytes();
    let mut states = 0;
    for at in 0..bytes.len() {
        let mut forged = bytes.clone();
        forged[at] ^= 1 << (at % 8);
        states += usize::from(try_out(&forged, at));
    }
    // Many numbers may be others without anything being wrong.
    assert!(states > bytes.len() / 10, "{states} states");
}

#[test]
fn forged_rules_are_rejected_or_valid() {
    let bytes = story::play().snapshot().to_bytes_with_rules();
    for at in (0..bytes.len()).step_by(3) {
        let mut forged = bytes.clone();
        forged[at] ^= 1 << (at % 7);
        let mut sim = Simulation::new(story::catalog_once().clone(), config());
        if sim.migrate_forged(&forged).is_ok() {
            story::use_everything(&mut sim);
        }
    }
}

#[test]
fn forged_commands_are_rejected_or_valid() {
    let mut sim = Simulation::new(story::catalog_once().clone(), config());
    sim.restore(&story::play().snapshot()).unwrap();
    let start = sim.snapshot();
    for command in story::commands() {
        let bytes = ugas_core::codec::to_bytes(&command);
        if bytes.len() > 400 {
            continue;
        }
        for at in 0..bytes.len() {
            assert!(from_bytes::<Command>(&bytes[..at]).is_err());
            let mut forged = bytes.clone();
            forged[at] ^= 1 << (at % 8);
            match from_bytes::<Command>(&forged) {
                Ok(Command::Advance(_)) | Err(_) => {}
                Ok(command) => {
                    let _ = sim.execute(command);
                    sim.restore(&start).unwrap();
                }
            }
        }
    }
}
