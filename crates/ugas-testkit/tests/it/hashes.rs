//! The state hash by cached hashes of records is that of the state computed anew, after every operation and however the
//! state came about.

use proptest::prelude::*;
use ugas_core::simulation::{Config, Simulation, Snapshot};
use ugas_testkit::fixtures::{
    AbilityOp, Op, SimDriver, ability_ops, arena, game_of_abilities, operations, random_game, run_ability_op,
};

/// Hash in the form of recordings before codec version 5, which caches nothing.
fn old_hash(sim: &Simulation) -> u64 {
    sim.state_hash_of_version(4)
}

/// A simulation and a kept snapshot, both with cached hashes.
struct Subject {
    driver: SimDriver,
    kept: Snapshot,
    /// Both hashes of the state before the last operation.
    before: (u64, u64),
}

impl Subject {
    fn new(driver: SimDriver) -> Self {
        let (kept, before) = (driver.sim.snapshot(), (driver.sim.state_hash(), old_hash(&driver.sim)));
        Self { driver, kept, before }
    }

    /// Compares the hashes after an operation.
    fn check(&mut self) -> Result<(), TestCaseError> {
        let sim = &self.driver.sim;
        let hash = sim.state_hash();
        prop_assert_eq!(sim.snapshot().state_hash(), hash, "of a copy");
        prop_assert_eq!(sim.clone().state_hash(), hash, "of a clone");
        // Decoding compares the encoded hash with one computed anew.
        let bytes = sim.snapshot_bytes();
        prop_assert_eq!(&sim.snapshot().to_bytes(), &bytes, "bytes of a copy");
        let read = Snapshot::from_bytes(&bytes, sim.catalog());
        let read = read.map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(read.state_hash(), hash, "as bytes");
        // Both forms see the same changes.
        let now = (hash, old_hash(sim));
        prop_assert_eq!(now.0 == self.before.0, now.1 == self.before.1);
        self.before = now;
        Ok(())
    }

    /// Overwrites the kept snapshot, or goes back to it.
    fn keep_or_restore(&mut self, choice: u8) -> Result<(), TestCaseError> {
        let sim = &mut self.driver.sim;
        match choice {
            0 => {
                sim.snapshot_into(&mut self.kept);
                prop_assert_eq!(self.kept.state_hash(), sim.state_hash(), "of the kept snapshot");
            }
            1 => {
                let kept = self.kept.state_hash();
                sim.restore(&self.kept).unwrap();
                prop_assert_eq!(sim.state_hash(), kept, "of the restored state");
                self.before = (kept, old_hash(sim));
            }
            2 => {
                let hash = sim.state_hash();
                let catalog = sim.catalog().clone();
                sim.reload(catalog).unwrap();
                prop_assert_eq!(sim.state_hash(), hash, "of the reloaded state");
            }
            _ => {}
        }
        Ok(())
    }
}

fn check_effects(driver: SimDriver, operations: &[(Op, u8)]) -> Result<(), TestCaseError> {
    let mut subject = Subject::new(driver);
    for (operation, choice) in operations {
        subject.driver.run(operation);
        subject.check()?;
        subject.keep_or_restore(*choice)?;
    }
    Ok(())
}

fn check_abilities(driver: SimDriver, operations: &[(AbilityOp, u8)]) -> Result<(), TestCaseError> {
    let mut subject = Subject::new(driver);
    for (operation, choice) in operations {
        run_ability_op(&mut subject.driver, operation);
        subject.check()?;
        subject.keep_or_restore(*choice)?;
    }
    Ok(())
}

/// Each operation with what happens to the snapshot after it.
fn with_choices<T: core::fmt::Debug>(
    operations: impl Strategy<Value = Vec<T>>,
) -> impl Strategy<Value = Vec<(T, u8)>> {
    (operations, proptest::collection::vec(0u8..12, 64))
        .prop_map(|(operations, choices)| operations.into_iter().zip(choices).collect())
}

proptest! {
    #![proptest_config(crate::cases(1))]

    #[test]
    fn of_the_arena(operations in with_choices(operations(40))) {
        check_effects(SimDriver::new(&arena()), &operations)?;
    }

    #[test]
    fn of_random_games(game in random_game(), operations in with_choices(operations(30))) {
        check_effects(SimDriver::new(&game), &operations)?;
    }

    #[test]
    fn of_abilities(game in game_of_abilities(), operations in with_choices(ability_ops(30))) {
        let config = Config { cascade_limit: 300, ..Config::seeded(1) };
        check_abilities(SimDriver::configured(&game, config), &operations)?;
    }
}
