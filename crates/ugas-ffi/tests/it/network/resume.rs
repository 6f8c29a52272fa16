//! A lost connection, and the session that goes on over another one.

use super::*;

/// Connection of the client as the library sees it, after the transport's state was reported.
fn link(game: &Match, state: ugas_link_state, words: &str) -> ugas_connection {
    // SAFETY: numbers and pointers, for which zero is a value.
    let mut out: ugas_connection = unsafe { std::mem::zeroed() };
    out.size = size_of::<ugas_connection>();
    // SAFETY: a live context and local variables.
    game.host.must(unsafe {
        ugas_client_link(game.host.context, game.client, game.now, state as u32, text(words), &raw mut out)
    });
    out
}

fn statistics(game: &Match) -> ugas_client_statistics {
    // SAFETY: numbers, for which zero is a value.
    let mut out: ugas_client_statistics = unsafe { std::mem::zeroed() };
    out.size = size_of::<ugas_client_statistics>();
    // SAFETY: a live context and local variables.
    game.host.must(unsafe { ugas_client_look(game.host.context, game.client, &raw mut out) });
    out
}

/// The secret as either side reads it; the status if it has none.
fn secret(game: &Match, of_server: bool) -> Result<[u8; UGAS_SECRET_BYTES], ugas_status> {
    let (mut secret, mut length) = ([0; UGAS_SECRET_BYTES], 0);
    let (context, out) = (game.host.context, secret.as_mut_ptr());
    // SAFETY: a live context, and local variables that are as large as is said.
    let status = unsafe {
        match of_server {
            true => {
                ugas_server_resume_secret(context, game.server, 1, out, UGAS_SECRET_BYTES, &raw mut length)
            }
            false => ugas_client_resume_secret(context, game.client, out, UGAS_SECRET_BYTES, &raw mut length),
        }
    };
    if status == ugas_status::Ok { Ok(secret) } else { Err(status) }
}

fn server_kinds(game: &Match) -> Vec<u32> {
    let kinds = game.server_events.iter().map(|event| event.kind);
    kinds.filter(|kind| *kind != ugas_server_event_kind::Game as u32).collect()
}

fn client_kinds(game: &Match, wanted: &[ugas_client_event_kind]) -> Vec<u32> {
    let kinds = game.client_events.iter().map(|event| event.kind);
    kinds.filter(|kind| wanted.iter().any(|wanted| *wanted as u32 == *kind)).collect()
}

#[test]
fn lost_connection_is_reopened_and_the_session_goes_on() {
    use ugas_client_event_kind as C;
    use ugas_server_event_kind as S;
    let mut game = Match::new();
    assert_eq!(link(&game, ugas_link_state::Connected, "").state, ugas_connection_state::Connecting as u32);
    assert_eq!(secret(&game, false), Err(ugas_status::NotFound));
    game.run(50);
    assert_eq!(link(&game, ugas_link_state::Connected, "").state, ugas_connection_state::Connected as u32);
    assert!(secret(&game, false).is_ok_and(|known| Ok(known) == secret(&game, true) && known != [0; 32]));
    (game.server_events, game.client_events) = (Vec::new(), Vec::new());
    // SAFETY: a live context.
    game.host.must(unsafe { ugas_server_disconnected(game.host.context, game.server, 5) });
    let lost = link(&game, ugas_link_state::Lost, "no route");
    assert_eq!((lost.state, lost.attempt), (ugas_connection_state::Reconnecting as u32, 1));
    assert!(lost.next_try <= game.now + 250_000, "the first delay is a quarter of a second at most");
    assert_eq!((statistics(&game).is_playing, statistics(&game).is_resuming), (0, 1));
    game.now = lost.next_try;
    let open = link(&game, ugas_link_state::Lost, "no route");
    assert_eq!(open.action, ugas_link_action::Open as u32);
    game.run(50);
    assert_eq!(link(&game, ugas_link_state::Connected, "").state, ugas_connection_state::Connected as u32);
    let counted = statistics(&game);
    assert_eq!((counted.resumed, counted.is_playing, counted.client), (1, 1, 1));
    assert_eq!(server_kinds(&game), [S::Interrupted as u32, S::Resumed as u32]);
    let session = [C::Interrupted, C::Resumed, C::NotResumed, C::Disconnected, C::Connected];
    assert_eq!(client_kinds(&game, &session), [C::Interrupted as u32, C::Resumed as u32]);
}

#[test]
fn client_gives_up_with_a_reason_after_its_attempts() {
    let asked = ugas_client_config { reconnect_attempts: 2, ..client_config(7) };
    let mut game = Match::with(server_config(), asked);
    game.run(50);
    link(&game, ugas_link_state::Connected, "");
    let mut opened = 0;
    for _ in 0..200 {
        game.now += TICK;
        let seen = link(&game, ugas_link_state::Lost, "no route");
        opened += u32::from(seen.action == ugas_link_action::Open as u32);
        if seen.state == ugas_connection_state::Failed as u32 {
            let why = copied(seen.words);
            assert!(why.contains("2 attempts") && why.contains("no route"), "{why}");
            assert_eq!(opened, 2);
            return;
        }
    }
    panic!("it never gives up");
}

#[test]
fn server_that_keeps_no_session_ends_it() {
    use ugas_server_event_kind as S;
    let mut game = Match::with(ugas_server_config { resume_time: -1, ..server_config() }, client_config(7));
    game.run(50);
    assert_eq!(secret(&game, false), Err(ugas_status::NotFound));
    game.server_events.clear();
    // SAFETY: a live context.
    game.host.must(unsafe { ugas_server_disconnected(game.host.context, game.server, 5) });
    game.poll();
    assert_eq!(server_kinds(&game), [S::Left as u32]);
}

#[test]
fn client_that_closed_its_connection_has_left() {
    use ugas_server_event_kind as S;
    let mut game = Match::new();
    game.run(50);
    game.server_events.clear();
    // SAFETY: a live context.
    game.host.must(unsafe { ugas_server_left(game.host.context, game.server, 5) });
    game.poll();
    assert_eq!(server_kinds(&game), [S::Left as u32]);
}

#[test]
fn client_asks_for_its_session_after_the_host_reported_the_loss() {
    let mut game = Match::new();
    game.run(50);
    // SAFETY: a live context.
    game.host.must(unsafe { ugas_client_connection_lost(game.host.context, game.client, game.now) });
    assert_eq!(statistics(&game).is_resuming, 1);
    game.run(50);
    assert_eq!((statistics(&game).is_resuming, statistics(&game).resumed), (0, 1));
}
