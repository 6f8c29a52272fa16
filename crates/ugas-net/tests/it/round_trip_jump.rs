//! A link whose round trip grows within a session: the client's lead follows it, so that commands come in time.

use ugas_core::simulation::ActivationRequest;
use ugas_core::time::Span;
use ugas_net::ClientEvent;
use ugas_netsim::link::Conditions;

use crate::fixture::Match;

/// Share of the commands of `seconds` seconds that the server runs, after the round trip rose from 10 ms to
/// `round_trip` ms and `settling` seconds passed. One command each 50 ms.
fn share_in_time(round_trip: i64, settling: f64, seconds: f64) -> f64 {
    let conditions =
        |round_trip: i64| Conditions { delay: Span::from_micros(round_trip * 500), ..Conditions::perfect() };
    let mut game = Match::new(1, conditions(10));
    game.run(3.0);
    game.rig.seats[0].link.set_conditions(conditions(round_trip));
    game.run(settling);
    game.heard(0);
    let commands = (seconds / 0.05) as usize;
    let mut given = std::collections::BTreeSet::new();
    let mut confirmed = 0;
    // Two round trips more, for the last answers.
    let waiting = (round_trip * 2 / 50) as usize + 4;
    for step in 0..commands + waiting {
        if step < commands {
            let shield = game.ability(0, "GA_Shield");
            given.extend(game.rig.seats[0].client.activate(shield, ActivationRequest::default()));
        }
        game.run(0.05);
        for event in game.heard(0) {
            if let ClientEvent::Confirmed { key, .. } = event {
                confirmed += usize::from(given.remove(&key));
            }
        }
    }
    confirmed as f64 / commands as f64
}

#[test]
fn commands_come_in_time_soon_after_the_round_trip_grew() {
    for round_trip in [300, 520, 700, 900] {
        // A round trip until the first late command is reported, one for a clock that jumps, and one until
        // commands of the new lead arrive.
        let settling = round_trip as f64 * 3.0 / 1_000.0 + 0.25;
        let share = share_in_time(round_trip, settling, 2.0);
        assert!(share > 0.95, "{round_trip} ms: {share:.2} of the commands were in time");
    }
}
