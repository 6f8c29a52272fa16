//! Callbacks of a server's host.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use ugas_ffi::*;

use super::{Match, TICK, client_config, server_config};
use crate::host::text;

/// Answers of the host, and the number of calls.
#[derive(Default)]
struct Judge {
    reaches: u32,
    may_choose: u32,
    sends_away: u32,
    asked: [u32; 4],
    last: Option<ugas_reach>,
}

/// # Safety
/// `user` points to the judge of the test, without other references.
unsafe fn judge<'a>(user: *mut c_void) -> &'a mut Judge {
    // SAFETY: as promised.
    unsafe { &mut *user.cast::<Judge>() }
}

unsafe extern "C" fn reaches(user: *mut c_void, reach: *const ugas_reach) -> u32 {
    // SAFETY: as the library calls it.
    let (judge, reach) = unsafe { (judge(user), *reach) };
    judge.asked[0] += 1;
    judge.last = Some(reach);
    judge.reaches
}

unsafe extern "C" fn may_choose(
    user: *mut c_void,
    _client: ugas_client_id,
    _ability: ugas_ability,
    _targets: *const ugas_target,
    target_count: usize,
    is_usual: u32,
) -> u32 {
    // SAFETY: as the library calls it.
    let judge = unsafe { judge(user) };
    assert_eq!((target_count, is_usual), (1, 1));
    judge.asked[1] += 1;
    judge.may_choose
}

unsafe extern "C" fn rejected(user: *mut c_void, _client: ugas_client_id, rejection: u32, count: u32) -> u32 {
    // SAFETY: as the library calls it.
    let judge = unsafe { judge(user) };
    assert_eq!(rejection, ugas_rejection::NotReachable as u32);
    judge.asked[2] = count;
    judge.sends_away
}

unsafe extern "C" fn classify(
    user: *mut c_void,
    _client: ugas_client_id,
    _controller: ugas_controller,
) -> u32 {
    // SAFETY: as the library calls it.
    unsafe { judge(user) }.asked[3] += 1;
    ugas_actor_class::Player as u32
}

#[test]
fn host_callbacks_decide_what_clients_may_do() {
    let mut judge = Judge::default();
    let user: *mut c_void = (&raw mut judge).cast();
    let host = ugas_server_host {
        size: size_of::<ugas_server_host>(),
        admit: None,
        classify: Some(classify),
        reaches: Some(reaches),
        may_choose: Some(may_choose),
        rejected: Some(rejected),
        user,
        free: None,
    };
    let config = ugas_server_config { host: &raw const host, ..server_config() };
    let mut game = Match::with(config, client_config(7));
    let (knight, enemy) = (game.knight(), game.knight());
    game.run(10);
    let (context, server, client) = (game.host.context, game.server, game.client);
    let granted = give(&game, knight);
    let mut aim = target(0);
    game.run(10);
    let mut ask = |game: &mut Match, verdicts: [u32; 3]| {
        // SAFETY: the callbacks are not running; then a live context and local variables.
        unsafe {
            let judge = &mut *user.cast::<Judge>();
            (judge.may_choose, judge.reaches, judge.sends_away) = (verdicts[0], verdicts[1], verdicts[2]);
            let (host, mut key) = (&game.host, 0);
            let granted = own_ability(game);
            host.must(ugas_client_local(context, client, enemy, &raw mut aim.controller));
            let (aim, key) = (&raw const aim, &raw mut key);
            host.must(ugas_client_activate(context, client, granted, aim, 1, null(), key));
        }
        game.client_events.clear();
        game.run(20);
        let told = game.heard(ugas_client_event_kind::Rejected);
        // SAFETY: that is the part of this kind; and the callbacks are not running.
        unsafe { (told.map(|event| event.body.command.rejection), (*user.cast::<Judge>()).asked) }
    };
    let unreachable = Some(ugas_rejection::NotReachable as u32);
    let (told, asked) = ask(&mut game, [0, 1, 0]);
    assert_eq!((told, asked[..3].to_vec()), (unreachable, vec![0, 1, 1]));
    let (told, asked) = ask(&mut game, [1, 0, 0]);
    assert_eq!((told, asked[..3].to_vec()), (unreachable, vec![1, 2, 2]));
    let (told, asked) = ask(&mut game, [1, 1, 0]);
    assert_eq!((told, asked[..3].to_vec()), (None, vec![2, 3, 2]));
    assert!(game.heard(ugas_client_event_kind::Confirmed).is_some() && asked[3] > 0);
    // SAFETY: the callbacks are not running.
    let reach = unsafe { (*user.cast::<Judge>()).last.unwrap() };
    assert_eq!((reach.instigator, reach.target.controller, reach.client), (knight, enemy, game.client_id()));
    assert_eq!((reach.is_within_range, reach.range), (1, -1.0));
    // Repeated rejections kick the client. The slash has a cooldown of two seconds.
    // SAFETY: a live context.
    game.host.must(unsafe { ugas_ability_cancel(context, server, granted, null_mut()) });
    game.run(120);
    let (_, asked) = ask(&mut game, [0, 0, 1]);
    assert_eq!(asked[2], 3);
    let left = game.server_events.iter().find(|event| event.kind == ugas_server_event_kind::Left as u32);
    assert_eq!(left.map(|event| event.reason), Some(ugas_bye_reason::Kicked as u32));
    drop(game);
}

fn target(controller: u64) -> ugas_target {
    // SAFETY: numbers, for which zero is a value.
    ugas_target { controller, ..unsafe { std::mem::zeroed() } }
}

/// Gives the client a knight with a slash.
fn give(game: &Match, knight: ugas_controller) -> ugas_granted_ability {
    let (host, context, server) = (&game.host, game.host.context, game.server);
    let (mut ability, mut granted) = (0, 0);
    // SAFETY: numbers and pointers, for which zero is a value; then a live context and local variables.
    unsafe {
        host.must(ugas_server_give(context, server, knight, game.client_id()));
        host.must(ugas_catalog_ability(context, host.catalog, text("GA_Slash"), &raw mut ability));
        let mut grant: ugas_grant = std::mem::zeroed();
        (grant.size, grant.ability) = (size_of::<ugas_grant>(), ability);
        host.must(ugas_ability_grant(context, server, knight, &raw const grant, &raw mut granted));
    }
    granted
}

/// The client's handle of the slash.
fn own_ability(game: &Match) -> ugas_granted_ability {
    let (host, context, client) = (&game.host, game.host.context, game.client);
    let (mut own, mut count) = (0, 0);
    // SAFETY: numbers, for which zero is a value; then a live context and local variables.
    unsafe {
        let mut info: ugas_ability_info = std::mem::zeroed();
        host.must(ugas_client_own_controllers(context, client, &raw mut own, 1, &raw mut count));
        let size = size_of::<ugas_ability_info>();
        host.must(ugas_abilities_of(context, client, own, &raw mut info, size, 1, &raw mut count));
        info.granted
    }
}

#[test]
fn client_predicts_unless_prediction_is_off() {
    for no_prediction in [0, 1] {
        let asked = ugas_client_config { no_prediction, ..client_config(7) };
        let mut game = Match::with(server_config(), asked);
        let knight = game.knight();
        game.run(10);
        give(&game, knight);
        game.run(10);
        let (context, client) = (game.host.context, game.client);
        let (mut key, mut run) = (0, 0);
        // SAFETY: a live context and local variables.
        unsafe {
            let (granted, out) = (own_ability(&game), &raw mut key);
            game.host.must(ugas_client_activate(context, client, granted, null(), 0, null(), out));
            // Nothing reaches the server yet.
            for ticks in 1..4 {
                game.host.must(ugas_client_update(context, client, game.now + ticks * TICK));
            }
            let begun = ugas_client_run_of(context, client, key, &raw mut run) == ugas_status::Ok;
            assert_eq!(begun, no_prediction == 0);
        }
    }
}
