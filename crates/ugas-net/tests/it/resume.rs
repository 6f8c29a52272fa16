//! Resumption of sessions after a dead link, a changed address and a restart of the server.

use std::cell::Cell;
use std::sync::Arc;

use ugas_core::effect::PredictionKey;
use ugas_core::simulation::{Config, Simulation};
use ugas_core::targeting::OpenSpace;
use ugas_core::time::{Span, Time};
use ugas_net::message::{
    ByeReason, ClientId, Hello, PROTOCOL, RefusedReason, Rejection, Resume, ResumeSecret, ToClient, ToServer,
};
use ugas_net::wire::{Dictionary, decode_to_client, encode_to_server};
use ugas_net::{
    ActError, Client, ClientConfig, ClientEvent, Host, PeerId, Server, ServerConfig, ServerEvent,
};
use ugas_netsim::link::Conditions;

use crate::fixture::{Match, catalog};

/// Secrets that differ from each other, and are the same in each run.
fn secrets() -> [u8; 32] {
    thread_local!(static COUNT: Cell<u8> = const { Cell::new(1) });
    [COUNT.replace(COUNT.get().wrapping_add(1)); 32]
}

fn config() -> ServerConfig {
    ServerConfig { secrets: Some(secrets), ..ServerConfig::default() }
}

/// Players are known by their secrets alone: the ids of connections are addresses.
struct ByAddress;

impl Host for ByAddress {
    fn readmit(&mut self, _: PeerId, _: PeerId, _: ClientId) -> Result<(), String> {
        Ok(())
    }
}

fn link(round_trip: i64) -> Conditions {
    Conditions { delay: Span::millis(round_trip / 2), ..Conditions::perfect() }
}

impl<H: Host> Match<H> {
    /// Cuts the link of the only client for a time, from now on.
    fn cut(&mut self, seconds: f64) {
        let end = self.rig.now() + Span::seconds(seconds);
        self.rig.seats[0].link.cut_until(end);
    }

    fn client(&mut self) -> &mut Client {
        &mut self.rig.seats[0].client
    }

    /// Events of the server about the session while time passes.
    fn session_events(&mut self, seconds: f64) -> Vec<ServerEvent> {
        let mut heard = Vec::new();
        self.run_and_listen(seconds, |event| {
            if !matches!(event, ServerEvent::Game(_)) {
                heard.push(event.clone());
            }
        });
        heard
    }

    /// The client shows its hero as the server has it. It is ahead of the server by a few ticks, in which a
    /// point of mana may have come back.
    #[track_caller]
    fn assert_equal_state(&mut self) {
        let hero = self.heroes[0];
        for attribute in ["Health", "Armor"] {
            assert_eq!(self.shown(0, hero, attribute), self.truth(hero, attribute), "{attribute}");
        }
        let ahead = self.shown(0, hero, "Mana") - self.truth(hero, "Mana");
        assert!(ahead == 0.0 || ahead == 1.0, "{ahead}");
    }
}

/// How often the command of a key was answered, and how.
fn answers(events: &[ClientEvent], wanted: PredictionKey) -> Vec<ClientEvent> {
    let is_answer = |event: &&ClientEvent| match event {
        ClientEvent::Confirmed { key, .. } | ClientEvent::Rejected { key, .. } => *key == wanted,
        _ => false,
    };
    events.iter().filter(is_answer).cloned().collect()
}

fn comes_or_goes(event: &ClientEvent) -> bool {
    matches!(
        event,
        ClientEvent::Appeared { .. }
            | ClientEvent::Vanished { .. }
            | ClientEvent::OwnershipChanged { .. }
            | ClientEvent::AbilityGranted { .. }
            | ClientEvent::AbilityRevoked { .. }
    )
}

#[test]
fn link_that_is_dead_for_two_seconds_interrupts_nothing() {
    let mut game = Match::with_config(1, link(60), config());
    game.heard(0);
    game.cut(2.0);
    assert_eq!(game.session_events(3.0), []);
    assert!(game.client().is_playing());
    assert!(!game.heard(0).contains(&ClientEvent::Interrupted));
    game.cast(0, "GA_Bolt").unwrap();
    game.run(1.0);
    assert_eq!(game.client().statistics().confirmed, 1);
    game.assert_equal_state();
}

#[test]
fn session_is_resumed_after_a_link_was_dead_for_longer_than_the_timeout() {
    let mut game = Match::with_config(1, link(60), config());
    let (id, own) = (game.client().id(), game.local(0, game.heroes[0]));
    let mispredicted = game.client().statistics().mispredicted;
    game.heard(0);
    game.cut(12.0); // the timeout is 10 s
    let heard = game.session_events(14.0);
    let (client, peer) = (id.unwrap(), PeerId(1));
    assert_eq!(
        heard,
        [ServerEvent::Interrupted { client, peer }, ServerEvent::Resumed { client, peer, former: peer }]
    );
    assert_eq!((game.client().id(), game.local(0, game.heroes[0])), (id, own));
    let events = game.heard(0);
    let count = |wanted: &ClientEvent| events.iter().filter(|event| *event == wanted).count();
    assert_eq!((count(&ClientEvent::Interrupted), count(&ClientEvent::Resumed)), (1, 1));
    assert!(!events.iter().any(comes_or_goes), "{events:#?}");
    assert_eq!(game.heroes.len(), 1);
    game.assert_equal_state();
    // It plays on, and predicts.
    let before = game.shown(0, game.heroes[0], "Mana");
    let key = game.cast(0, "GA_Bolt").unwrap();
    game.run(0.02);
    assert!(game.shown(0, game.heroes[0], "Mana") <= before - 19.0); // 20 less, perhaps one more regenerated
    game.run(1.0);
    assert_eq!(answers(&game.heard(0), key), [ClientEvent::Confirmed { key, shift: 0 }]);
    let statistics = game.client().statistics();
    assert_eq!((statistics.resumed, statistics.mispredicted), (1, mispredicted));
    game.assert_equal_state();
}

/// Things change while the client is away: the wolf is hurt and marked, another one comes, one goes.
#[test]
fn resumed_client_shows_changes_that_it_missed() {
    let mut game = Match::with_config(1, link(60), config());
    let stray = game.rig.server.simulation_mut().spawn("Wolf").unwrap();
    game.run(1.0);
    let (known, stray_here) = (game.local(0, game.wolf), game.local(0, stray));
    game.afflict(game.wolf, "GE_Shield");
    game.run(0.5);
    assert!(game.has_tag(0, game.wolf, "State.Shielded"));
    game.heard(0);
    game.cut(12.0);
    game.run(11.0); // the shield is over after 3 s
    game.afflict(game.wolf, "GE_Silence"); // for 5 s
    game.rig.server.simulation_mut().despawn(stray).unwrap();
    let cub = game.rig.server.simulation_mut().spawn("Wolf").unwrap();
    game.run(3.0);
    assert!(game.client().is_playing());
    assert_eq!(game.local(0, game.wolf), known);
    assert!(game.has_tag(0, game.wolf, "State.Silenced"));
    assert!(!game.has_tag(0, game.wolf, "State.Shielded"));
    let cub = game.local(0, cub);
    let events = game.heard(0);
    let moves: Vec<&ClientEvent> = events.iter().filter(|event| comes_or_goes(event)).collect();
    assert_eq!(moves.len(), 2, "{moves:#?}");
    assert!(moves.contains(&&ClientEvent::Vanished { controller: stray_here }));
    assert!(moves.contains(&&ClientEvent::Appeared { controller: cub, own: false }));
}

#[test]
fn changed_address_moves_the_session_while_the_old_connection_is_alive() {
    let mut game = Match::with_host(1, link(60), config(), ByAddress);
    let client = game.client().id().unwrap();
    game.heard(0);
    game.rig.seats[0].set_peer(PeerId(77));
    let now = game.rig.now();
    game.client().connection_lost(now);
    let heard = game.session_events(1.0);
    assert_eq!(heard, [ServerEvent::Resumed { client, peer: PeerId(77), former: PeerId(1) }]);
    let events = game.heard(0);
    assert!(events.contains(&ClientEvent::Resumed) && !events.iter().any(comes_or_goes), "{events:#?}");
    // Changes reach it over the new connection, and the loss of the old one means nothing.
    game.rig.server.disconnected(PeerId(1));
    let key = game.cast(0, "GA_Bolt").unwrap();
    game.run(1.0);
    assert_eq!(answers(&game.heard(0), key).len(), 1);
    game.assert_equal_state();
    assert_eq!(game.truth(game.wolf, "Health"), 75.0);
}

/// The first command runs, but the client does not hear of it; the second never arrives.
#[test]
fn commands_around_the_interruption_run_at_most_once_and_are_answered_once() {
    let mut game = Match::with_config(1, link(60), config());
    game.heard(0);
    let end = game.rig.now() + Span::seconds(12.0);
    game.rig.seats[0].link.to_client.cut_until(end);
    let first = game.cast(0, "GA_Bolt").unwrap();
    game.run(0.2);
    assert_eq!(game.truth(game.wolf, "Health"), 75.0); // 100 - 25
    game.rig.seats[0].link.to_server.cut_until(end);
    let second = game.cast(0, "GA_Shield").unwrap();
    game.run(0.1);
    assert!(game.has_tag(0, game.heroes[0], "State.Shielded"), "it is predicted");
    game.run(14.0);
    let events = game.heard(0);
    assert!(events.contains(&ClientEvent::Resumed));
    assert_eq!(answers(&events, first), [ClientEvent::Confirmed { key: first, shift: 0 }]);
    let rejected = ClientEvent::Rejected { key: second, rejection: Rejection::TooLate };
    assert_eq!(answers(&events, second), [rejected]);
    let casts = events.iter().filter(|event| matches!(event, ClientEvent::CueExecuted { .. })).count();
    let taken_back = events.iter().filter(|event| {
        matches!(event, ClientEvent::Retracted(event) if event.kind.event_type() == ugas_core::event::EventType::CueExecuted)
    });
    // The cast is shown when it is predicted, and not taken back although its burst expired.
    assert_eq!((casts, taken_back.count()), (1, 0), "{events:#?}");
    assert_eq!(game.truth(game.wolf, "Health"), 75.0);
    assert!(!game.has_tag(0, game.heroes[0], "State.Shielded"));
    assert_eq!(game.rig.server.statistics().commands, 1);
    game.assert_equal_state();
}

#[test]
fn restarted_server_states_that_the_session_is_gone_and_admits_the_client_anew() {
    let mut game = Match::with_config(1, link(60), config());
    let own = game.local(0, game.heroes[0]);
    game.client().set_space(Some(Arc::new(OpenSpace)));
    game.heard(0);
    let simulation = Simulation::new(catalog(), Config { prediction_seed: 5, ..Config::seeded(3) });
    game.rig.server = Server::new(simulation, config());
    let wolf = game.rig.server.simulation_mut().spawn("Wolf").unwrap();
    game.wolf = wolf;
    game.heroes.clear();
    let now = game.rig.now();
    let key = game.cast(0, "GA_Bolt").unwrap();
    game.client().connection_lost(now);
    game.run(3.0);
    let events = game.heard(0);
    let position =
        |wanted: &ClientEvent| events.iter().position(|event| event == wanted).expect("it happened");
    let order = [
        position(&ClientEvent::Interrupted),
        position(&ClientEvent::NotResumed(RefusedReason::NoSession)),
        position(&ClientEvent::Rejected { key, rejection: Rejection::TooLate }),
        position(&ClientEvent::Vanished { controller: own }),
        position(&ClientEvent::Connected { client: ClientId(1) }),
    ];
    assert!(order.is_sorted(), "{events:#?}");
    assert_eq!(game.heroes.len(), 1);
    assert!(game.client().simulation().own_space().is_some(), "the host's world stays");
    game.cast(0, "GA_Bolt").unwrap();
    game.run(1.0);
    assert_eq!(game.truth(wolf, "Health"), 75.0);
    game.assert_equal_state();
}

#[test]
fn session_that_is_not_resumed_in_time_ends_and_its_client_begins_another() {
    let config = ServerConfig { resume_time: Span::seconds(5.0), ..config() };
    let mut game = Match::with_config(1, link(60), config);
    let client = game.client().id().unwrap();
    game.cut(17.0);
    let heard = game.session_events(16.0); // lost after 10 s, over after 15 s
    let left = ServerEvent::Left { client, reason: Some(ByeReason::TimedOut) };
    assert_eq!(heard, [ServerEvent::Interrupted { client, peer: PeerId(1) }, left]);
    assert_eq!(game.rig.server.owner(game.heroes[0]), None);
    game.heard(0);
    game.run(4.0);
    assert!(game.heard(0).contains(&ClientEvent::NotResumed(RefusedReason::NoSession)));
    assert!(game.client().is_playing());
    assert_eq!(game.rig.server.statistics().expired, 1);
    assert_ne!(game.client().id(), Some(client));
}

#[test]
fn client_gives_up_after_its_own_time() {
    let mut game = Match::with_config(1, link(60), config());
    game.heard(0);
    game.cut(100.0);
    game.run(39.0);
    assert!(game.client().is_resuming());
    game.run(2.0); // 10 s until it notices, and 30 s
    assert!(game.heard(0).contains(&ClientEvent::Disconnected(Some(ByeReason::TimedOut))));
    assert!(game.client().is_over());
}

#[test]
fn kicked_client_cannot_resume_and_is_told() {
    let mut game = Match::with_config(1, link(60), config());
    let client = game.client().id().unwrap();
    game.heard(0);
    game.cut(12.0);
    game.run(11.0);
    assert!(game.rig.server.is_interrupted(client));
    game.rig.server.kick(client);
    game.run(3.0);
    assert!(game.heard(0).contains(&ClientEvent::Disconnected(Some(ByeReason::Kicked))));
    assert_eq!(game.rig.server.clients().count(), 0);
}

#[test]
fn repeated_resumptions_do_not_make_memory_grow() {
    let mut game = Match::with_host(1, link(60), config(), ByAddress);
    let mut held = Vec::new();
    for peer in 2..40 {
        game.rig.seats[0].set_peer(PeerId(peer));
        let now = game.rig.now();
        game.client().connection_lost(now);
        game.run(3.0);
        assert!(game.client().is_playing(), "connection {peer}");
        held.push((game.rig.server.held(), game.client().held()));
        game.heard(0);
    }
    // Sixteen nonces are remembered.
    let (half, end) = (held[18], held[37]);
    assert!(end.0 <= half.0 + 4 && end.1 <= half.1 + 4, "{held:?}");
}

/// A server without a network, and clients that may send anything.
struct Raw {
    server: Server<Keyed>,
    dictionary: Dictionary,
    now: Time,
}

/// Connections of the same id are of the same player.
struct Keyed;

impl Host for Keyed {}

impl Raw {
    fn new(config: ServerConfig) -> Self {
        let rules = catalog();
        let dictionary = Dictionary::of(&rules);
        let server = Server::with_host(Simulation::new(rules, Config::default()), config, Keyed);
        Self { server, dictionary, now: Time::ZERO }
    }

    /// Sends a message, and returns the answer to that connection.
    fn ask(&mut self, peer: u64, message: ToServer) -> Option<ToClient> {
        self.now += Span::seconds(2.0); // sessions of a connection have a rate limit
        let bytes = encode_to_server(&self.dictionary, &message).unwrap();
        self.server.handle(self.now, PeerId(peer), &bytes);
        let mut answer = None;
        while let Some(transmit) = self.server.poll_transmit() {
            if transmit.peer == PeerId(peer) {
                answer = Some(decode_to_client(&self.dictionary, &transmit.bytes).unwrap());
            }
        }
        answer
    }

    fn hello(&self, nonce: u64) -> ToServer {
        let catalog = self.server.catalog().hash();
        let dictionary = self.dictionary.hash();
        ToServer::Hello(Hello { protocol: PROTOCOL, catalog, dictionary, nonce, credential: Vec::new() })
    }

    fn refusal(&mut self, peer: u64, message: ToServer) -> RefusedReason {
        match self.ask(peer, message) {
            Some(ToClient::Refused(refused)) => refused.reason,
            other => panic!("no refusal: {other:?}"),
        }
    }
}

#[test]
fn only_the_secret_and_the_identity_together_take_over_a_session() {
    let mut raw = Raw::new(config());
    let Some(ToClient::Welcome(welcome)) = raw.ask(1, raw.hello(1)) else { panic!("not admitted") };
    let (client, secret) = (welcome.client, welcome.secret.unwrap());
    let resume = |nonce, secret| ToServer::Resume(Resume { client, nonce, secret });
    // One bit of the secret is wrong, at either end.
    for (place, nonce) in [(0, 2), (31, 3)] {
        let mut wrong = secret;
        wrong.0[place] ^= 1;
        assert_eq!(raw.refusal(1, resume(nonce, wrong)), RefusedReason::NoSession);
    }
    // An id that does not exist looks the same.
    let nobody = ToServer::Resume(Resume { client: ClientId(9), nonce: 4, secret });
    assert_eq!(raw.refusal(1, nobody), RefusedReason::NoSession);
    // The secret alone does not do for another identity.
    let stolen = raw.refusal(2, resume(5, secret));
    assert_eq!(stolen, RefusedReason::Denied("the session belongs to another player".to_owned()));
    assert!(!raw.server.is_interrupted(client) && raw.server.statistics().resumed == 0);
    // The owner of both resumes it, on a connection that is alive.
    let Some(ToClient::Welcome(again)) = raw.ask(1, resume(6, secret)) else { panic!("not resumed") };
    assert_eq!((again.client, again.nonce, again.resumed.is_some()), (client, 6, true));
    assert_ne!(again.session, welcome.session);
    assert_eq!(again.secret, Some(secret));
    assert!(!format!("{welcome:?}").contains("[0, 0"), "secrets are not printed");
}

#[test]
fn repeated_resume_is_answered_again_and_a_replayed_one_is_dropped() {
    let mut raw = Raw::new(config());
    let Some(ToClient::Welcome(first)) = raw.ask(1, raw.hello(1)) else { panic!("not admitted") };
    let (client, secret) = (first.client, first.secret.unwrap());
    let resume = |nonce| ToServer::Resume(Resume { client, nonce, secret });
    let Some(ToClient::Welcome(second)) = raw.ask(1, resume(2)) else { panic!("not resumed") };
    let Some(ToClient::Welcome(repeated)) = raw.ask(1, resume(2)) else { panic!("not answered") };
    assert_eq!((repeated, raw.server.statistics().resumed), (second, 1));
    assert!(matches!(raw.ask(1, resume(3)), Some(ToClient::Welcome(_))));
    assert_eq!(raw.server.statistics().resumed, 2);
    // Datagrams of earlier connections of the session come late.
    assert_eq!(raw.ask(1, resume(2)), None);
    assert_eq!(raw.ask(1, raw.hello(1)), None);
    assert_eq!((raw.server.statistics().resumed, raw.server.clients().count()), (2, 1));
}

#[test]
fn kept_session_takes_the_place_of_a_player_until_it_is_over() {
    let mut raw = Raw::new(ServerConfig { max_clients: 1, ..config() });
    let Some(ToClient::Welcome(welcome)) = raw.ask(1, raw.hello(1)) else { panic!("not admitted") };
    raw.server.disconnected(PeerId(1));
    assert!(raw.server.is_interrupted(welcome.client));
    assert_eq!(raw.refusal(2, raw.hello(2)), RefusedReason::Full);
    raw.now += Span::seconds(31.0);
    raw.server.tick(raw.now);
    assert_eq!(raw.server.interrupted_sessions(), 0);
    assert!(matches!(raw.ask(2, raw.hello(3)), Some(ToClient::Welcome(_))));
}

#[test]
fn same_player_who_begins_anew_ends_the_kept_session() {
    let mut raw = Raw::new(config());
    let Some(ToClient::Welcome(welcome)) = raw.ask(1, raw.hello(1)) else { panic!("not admitted") };
    raw.server.disconnected(PeerId(1));
    let Some(ToClient::Welcome(again)) = raw.ask(1, raw.hello(2)) else { panic!("not admitted") };
    assert_ne!(again.client, welcome.client);
    let left = ServerEvent::Left { client: welcome.client, reason: None };
    assert!(core::iter::from_fn(|| raw.server.poll_event()).any(|event| event == left));
}

#[test]
fn server_without_a_source_of_secrets_keeps_no_session() {
    let mut raw = Raw::new(ServerConfig::default());
    let Some(ToClient::Welcome(welcome)) = raw.ask(1, raw.hello(1)) else { panic!("not admitted") };
    assert_eq!(welcome.secret, None);
    raw.server.disconnected(PeerId(1));
    assert_eq!(raw.server.clients().count(), 0);
    let secret = ResumeSecret([0; 32]);
    let resume = ToServer::Resume(Resume { client: welcome.client, nonce: 2, secret });
    assert_eq!(raw.refusal(1, resume), RefusedReason::NoSession);
}

#[test]
fn client_that_may_not_resume_ends_at_once() {
    let rules = catalog();
    let config = ClientConfig { resume_time: Span::ZERO, ..ClientConfig::default() };
    let mut game = Match::with_config(1, link(60), self::config());
    let seat = game.rig.join(config, link(60));
    game.run(1.0);
    assert_eq!(game.rig.seats[seat].client.catalog().hash(), rules.hash());
    let now = game.rig.now();
    game.rig.seats[seat].client.connection_lost(now);
    assert!(game.rig.seats[seat].client.is_over());
}

#[test]
fn commands_wait_for_the_first_state_after_a_resume() {
    let mut game = Match::with_config(1, link(60), config());
    let hero = game.local(0, game.heroes[0]);
    let now = game.rig.now();
    game.client().connection_lost(now);
    while !game.client().is_playing() {
        game.rig.step();
    }
    assert_eq!(game.client().press(hero, "Slot.GA_Shield"), Err(ActError::NotPlaying));
    game.run(0.5);
    let hero = game.local(0, game.heroes[0]);
    assert!(game.client().press(hero, "Slot.GA_Shield").is_ok());
}
