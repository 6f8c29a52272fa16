//! A moment of any game as a scenario: it begins with the very same state, and goes on as the game does.

use proptest::prelude::*;
use ugas_core::simulation::{Config, Simulation};
use ugas_core::time::Span;
use ugas_data::Scenario;
use ugas_data::decode::Field;
use ugas_data::model::scenario::ConfigDoc;
use ugas_data::node::{Node, to_yaml};
use ugas_data::scenario::{Options, state_text};
use ugas_testkit::fixtures::{Bout, deeds, do_deed, game_of_abilities, operations, random_game};

/// After how many seconds they are compared again.
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
        let mut bout = Bout::new(&game);
        before.iter().for_each(|operation| bout.run(operation));
        check(bout.sim)?;
    }

    #[test]
    fn of_abilities(game in game_of_abilities(), deeds in deeds(30)) {
        let mut bout = Bout::configured(&game, Config { cascade_limit: 300, ..Config::seeded(1) });
        deeds.iter().for_each(|deed| do_deed(&mut bout, deed));
        check(bout.sim)?;
    }
}
