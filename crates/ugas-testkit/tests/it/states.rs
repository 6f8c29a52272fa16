//! Any state of a game as the initial state of a scenario: it is restored exactly and continues like the
//! game.

use proptest::prelude::*;
use ugas_core::simulation::{Config, Simulation};
use ugas_core::time::Span;
use ugas_data::Scenario;
use ugas_data::decode::Field;
use ugas_data::model::scenario::ConfigDoc;
use ugas_data::node::{Node, to_yaml};
use ugas_data::scenario::{Options, state_text};
use ugas_testkit::fixtures::{
    SimDriver, ability_ops, game_of_abilities, operations, random_game, run_ability_op,
};

/// Seconds after which both are compared again.
const LATER: f64 = 4.3;

fn check(mut game: Simulation) -> Result<(), TestCaseError> {
    let config = ConfigDoc::of(game.config()).map_or(String::new(), |config| {
        let lines = to_yaml(&Node::synthetic(config.encode()));
        format!("Config:\n{}", lines.lines().map(|line| format!("  {line}\n")).collect::<String>())
    });
    let state = state_text(&game.snapshot().to_bytes_with_rules());
    let state: String = state.lines().map(|line| format!("  {line}\n")).collect();
    let now = game.state_hash();
    game.advance(Span::seconds(LATER));
    let later = game.state_hash();
    let text = format!(
        "Name: a moment\n{config}Steps:\n  - Expect: {{ Hash: \"{now:016x}\" }}\n  - Advance: {LATER}\n  - Expect: {{ Hash: \"{later:016x}\" }}\nState: |\n{state}"
    );
    let scenario = Scenario::from_text("moment.yaml", text.as_str());
    let scenario = scenario.map_err(|error| TestCaseError::fail(error.report.to_string()))?.remove(0);
    for step in [None, Some(Span::seconds(0.7))] {
        let outcome = scenario.run(&Options { step, ..Options::default() });
        prop_assert!(outcome.passed(), "{:?}\n{}", outcome.failures, text);
    }
    Ok(())
}

proptest! {
    #![proptest_config(crate::cases(1))]

    #[test]
    fn of_effects(game in random_game(), before in operations(20)) {
        let mut driver = SimDriver::new(&game);
        before.iter().for_each(|operation| driver.run(operation));
        check(driver.sim)?;
    }

    #[test]
    fn of_abilities(game in game_of_abilities(), ability_ops in ability_ops(30)) {
        let mut driver = SimDriver::configured(&game, Config { cascade_limit: 300, ..Config::seeded(1) });
        ability_ops.iter().for_each(|ability_op| run_ability_op(&mut driver, ability_op));
        check(driver.sim)?;
    }
}
