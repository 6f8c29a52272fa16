//! Random games under different event filters: the same states, and the kept events are the same (I7).

use proptest::prelude::*;
use ugas_core::event::{Event, EventFilter};
use ugas_core::simulation::Config;
use ugas_testkit::fixtures::{SimDriver, ability_ops, game_of_abilities, run_ability_op};
use ugas_testkit::oracle::Game;

fn driver(game: &Game, events: EventFilter) -> SimDriver {
    SimDriver::configured(game, Config { cascade_limit: 300, tag_counts: true, events, ..Config::seeded(1) })
}

proptest! {
    #![proptest_config(crate::cases(1))]

    #[test]
    fn event_filter_changes_neither_state_nor_kept_events(
        game in game_of_abilities(),
        operations in ability_ops(40),
        excluded in any::<u64>(),
    ) {
        let filter = EventFilter::excluding(excluded);
        let mut all = driver(&game, EventFilter::default());
        let mut some = driver(&game, filter);
        let mut none = driver(&game, EventFilter::NONE);
        for operation in &operations {
            for driver in [&mut all, &mut some, &mut none] {
                run_ability_op(driver, operation);
            }
            prop_assert_eq!(all.sim.state_hash(), some.sim.state_hash());
            prop_assert_eq!(all.sim.state_hash(), none.sim.state_hash());
            let expected: Vec<Event> =
                all.sim.events().filter(|event| filter.keeps(event.kind.event_type())).collect();
            let pending: Vec<Event> = some.sim.pending_events().collect();
            prop_assert_eq!(&pending, &expected);
            let mut visited = Vec::new();
            some.sim.visit_events(|event| visited.push(event.to_owned()));
            prop_assert_eq!(visited, expected);
            prop_assert_eq!((some.sim.poll_event(), none.sim.poll_event()), (None, None));
        }
        prop_assert_eq!(all.sim.snapshot().to_bytes(), none.sim.snapshot().to_bytes());
    }
}
