//! Own state that is larger than one tick's datagrams.

use ugas_core::time::Span;
use ugas_netsim::link::Conditions;

use crate::fixture::Match;

/// Effects of which each takes at least ten bytes (a handle of eight, and more), so that all of them need more than
/// the 16 datagrams of 1,200 bytes that one tick has for own state: 40,000 > 19,200.
const EFFECTS: usize = 4_000;

/// Applies the effects to the hero of the only client, and lets a second pass. They last five.
fn afflicted(conditions: Conditions) -> Match {
    let mut game = Match::new(1, conditions);
    let hero = game.heroes[0];
    for _ in 0..EFFECTS {
        game.afflict(hero, "GE_Silence");
    }
    game.run(1.0);
    game
}

#[test]
fn own_changes_beyond_sixteen_datagrams_arrive_over_several_ticks() {
    let game = afflicted(Conditions { delay: Span::millis(25), ..Conditions::perfect() });
    let local = game.local(0, game.heroes[0]);
    let shown = game.rig.seats[0].client.simulation().controller(local).unwrap().effects().len();
    let known = game.rig.server.simulation().controller(game.heroes[0]).unwrap().effects().len();
    assert!(known > EFFECTS);
    assert_eq!(shown, known);
}

#[test]
fn own_changes_beyond_sixteen_datagrams_are_sent_once() {
    let mut game = afflicted(Conditions { delay: Span::millis(25), ..Conditions::perfect() });
    let before = game.rig.server.statistics().sent_bytes;
    game.run(0.5);
    // Less than the 16 datagrams of one tick: nothing but headers and small changes.
    assert!(game.rig.server.statistics().sent_bytes - before < 19_200);
}

#[test]
fn own_changes_beyond_sixteen_datagrams_survive_losses() {
    let lossy = Conditions { delay: Span::millis(25), loss: 0.02, ..Conditions::perfect() };
    let mut game = afflicted(lossy);
    game.run(2.0);
    let local = game.local(0, game.heroes[0]);
    let shown = game.rig.seats[0].client.simulation().controller(local).unwrap().effects().len();
    let known = game.rig.server.simulation().controller(game.heroes[0]).unwrap().effects().len();
    assert_eq!((shown, known > EFFECTS), (known, true));
}
