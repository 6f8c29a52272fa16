//! Executed cues: new and expired ones.

use ugas_core::time::Span;
use ugas_net::ClientEvent;
use ugas_netsim::link::Conditions;

use super::raw_server::round_trip;
use crate::fixture::Match;

#[test]
fn cue_of_a_new_controller_is_emitted() {
    let mut game = Match::new(1, Conditions::perfect());
    let bolt = game.rig.server.catalog().tag("GameplayCue.Bolt").unwrap();
    game.heard(0);
    let wolf = game.rig.server.simulation_mut().spawn("Wolf").unwrap();
    game.afflict(wolf, "GE_Bolt_Hit");
    game.run(1.0);
    let heard = game.heard(0);
    let flashes =
        heard.iter().filter(|event| matches!(event, ClientEvent::CueExecuted { cue, .. } if *cue == bolt));
    assert_eq!(flashes.count(), 1, "{heard:#?}");
}

#[test]
fn expired_cue_is_not_sent() {
    let flashes = [200, 1_500].map(|millis| {
        let mut game = Match::new(1, round_trip(60));
        let bolt = game.rig.server.catalog().tag("GameplayCue.Bolt").unwrap();
        game.heard(0);
        let end = game.rig.now() + Span::millis(millis);
        game.rig.seats[0].link.to_client.cut_until(end);
        game.afflict(game.wolf, "GE_Bolt_Hit");
        game.run(3.0);
        let is_bolt =
            |event: &ClientEvent| matches!(event, ClientEvent::CueExecuted { cue, .. } if *cue == bolt);
        game.heard(0).iter().filter(|event| is_bolt(event)).count()
    });
    assert_eq!(flashes, [1, 0]); // half a second
}
