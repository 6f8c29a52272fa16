//! When a client opens another connection, by a virtual clock.

use ugas_core::simulation::{Config, Simulation};
use ugas_core::time::{Span, Time};
use ugas_net::reconnect::{
    ConnectionState, LinkState, ReconnectAction, ReconnectConfig, ReconnectFailure, Reconnector,
};
use ugas_net::{Client, ClientConfig, PeerId, Server, ServerConfig};

use crate::fixture::catalog;

const PEER: PeerId = PeerId(1);
const STEP: Span = Span::millis(10);
const OPEN: ReconnectAction = ReconnectAction::Open { with_secret: true };

/// A client and its server, connected unless the link is down.
struct Session {
    server: Server,
    client: Client,
    reconnector: Reconnector,
    now: Time,
    /// Whether datagrams arrive.
    is_up: bool,
}

impl Session {
    /// A session that has begun.
    fn begun(config: ReconnectConfig, seed: u64) -> Self {
        let server = ServerConfig { secrets: Some(|| [5; 32]), ..ServerConfig::default() };
        let mut this = Self {
            server: Server::new(Simulation::new(catalog(), Config::default()), server),
            client: Client::new(catalog(), ClientConfig::default(), 7),
            reconnector: Reconnector::new(config, seed),
            now: Time::ZERO,
            is_up: true,
        };
        for _ in 0..50 {
            assert_eq!(this.step(LinkState::Connected), None);
        }
        assert_eq!(*this.state(), ConnectionState::Connected);
        this
    }

    fn state(&self) -> &ConnectionState {
        self.reconnector.state()
    }

    /// 10 ms, with the link in a state.
    fn step(&mut self, link: LinkState<'_>) -> Option<ReconnectAction> {
        self.now += STEP;
        self.server.tick(self.now);
        while let Some(transmit) = self.server.poll_transmit() {
            if self.is_up {
                self.client.handle(self.now, &transmit.bytes);
            }
        }
        let action = self.reconnector.poll(self.now, link, &mut self.client);
        if link == LinkState::Connected {
            self.client.update(self.now);
        }
        while let Some(bytes) = self.client.poll_transmit() {
            if self.is_up {
                self.server.handle(self.now, PEER, &bytes);
            }
        }
        action
    }

    /// Times at which connections are opened while every one of them fails, until the client gives up.
    fn attempts(&mut self, link: LinkState<'_>) -> Vec<Time> {
        let mut attempts = Vec::new();
        for _ in 0..20_000 {
            if self.step(link).is_some() {
                attempts.push(self.now);
            }
            if matches!(self.state(), ConnectionState::Failed(_)) {
                return attempts;
            }
        }
        panic!("it never gives up");
    }
}

#[test]
fn attempts_are_bounded_with_delays_that_double_up_to_a_limit() {
    let config =
        ReconnectConfig { attempts: 6, max_delay: Span::millis(1_000), ..ReconnectConfig::default() };
    let mut session = Session::begun(config, 1);
    let lost = session.now;
    let attempts = session.attempts(LinkState::Lost("no route"));
    let expected = ReconnectFailure::Attempts { attempts: 6, last: "no route".to_owned() };
    assert_eq!(*session.state(), ConnectionState::Failed(expected));
    assert!(session.client.is_over());
    assert_eq!(attempts.len(), 6);
    assert!(attempts[0].since(lost) <= Span::millis(250 + 20), "the first delay, and two steps");
    // Delays of 250, 500, 1,000, 1,000 and 1,000 ms, at least half of each; failure and attempt take a step each.
    for (pair, most) in attempts.windows(2).zip([250, 500, 1_000, 1_000, 1_000]) {
        let delay = pair[1].since(pair[0]);
        assert!(
            delay >= Span::millis(most / 2) && delay <= Span::millis(most + 20),
            "{delay:?} of {most} ms"
        );
    }
}

#[test]
fn same_seed_gives_the_same_delays_and_another_seed_others() {
    let times = |seed| Session::begun(ReconnectConfig::default(), seed).attempts(LinkState::Lost("away"));
    assert_eq!(times(1), times(1));
    assert_ne!(times(1), times(2));
}

#[test]
fn deadline_ends_an_attempt_that_is_not_answered() {
    let config = ReconnectConfig { deadline: Span::millis(8_000), ..ReconnectConfig::default() };
    let mut session = Session::begun(config, 1);
    session.is_up = false;
    session.step(LinkState::Lost("the link is dead"));
    let lost = session.now;
    let attempts = session.attempts(LinkState::Connecting);
    let expected = ReconnectFailure::Deadline { last: "the server does not answer".to_owned() };
    assert_eq!(*session.state(), ConnectionState::Failed(expected));
    assert_eq!(session.now.since(lost), Span::millis(8_010));
    // Attempts of 3 s each.
    assert!((2..=3).contains(&attempts.len()), "{attempts:?}");
}

#[test]
fn silence_opens_another_connection_over_which_the_session_goes_on() {
    let mut session = Session::begun(ReconnectConfig::default(), 1);
    session.is_up = false;
    let (silent, client) = (session.now, session.client.id());
    let mut opened = Vec::new();
    for _ in 0..600 {
        // The transport believes that it is connected; the second connection works.
        if let Some(action) = session.step(LinkState::Connected) {
            opened.push((action, session.now.since(silent)));
            session.is_up = true;
        }
    }
    let [(OPEN, after)] = opened[..] else { panic!("{opened:?}") };
    assert!(after > Span::millis(3_000) && after < Span::millis(3_300), "{after:?}");
    assert_eq!(*session.state(), ConnectionState::Connected);
    assert_eq!((session.client.statistics().resumed, session.client.id()), (1, client));
}

#[test]
fn state_shows_the_attempt_and_the_time_of_the_next() {
    let mut session = Session::begun(ReconnectConfig::default(), 1);
    session.step(LinkState::Lost("away"));
    let ConnectionState::Reconnecting { attempt: 1, next_try } = *session.state() else { panic!("it waits") };
    while session.now < next_try {
        session.step(LinkState::Lost("away"));
    }
    session.step(LinkState::Lost("away"));
    assert!(matches!(session.state(), ConnectionState::Reconnecting { attempt: 2, .. }));
}

/// A restarted server does not know the secret: the client connects as it did first.
#[test]
fn refused_secret_falls_back_to_the_first_way_and_a_second_refusal_is_final() {
    let mut session = Session::begun(ReconnectConfig::default(), 1);
    session.is_up = false;
    session.step(LinkState::Lost("away"));
    let mut opened = Vec::new();
    for _ in 0..300 {
        opened.extend(session.step(LinkState::Refused("no such key")));
    }
    assert_eq!(opened, [OPEN, ReconnectAction::Open { with_secret: false }]);
    let failure = ReconnectFailure::Refused("no such key".to_owned());
    assert_eq!(*session.state(), ConnectionState::Failed(failure));
}

#[test]
fn busy_server_is_asked_again() {
    let mut session = Session::begun(ReconnectConfig::default(), 1);
    session.step(LinkState::Lost("away"));
    let mut opened = Vec::new();
    for _ in 0..300 {
        opened.extend(session.step(LinkState::Busy("full")));
    }
    assert!(opened.len() > 2 && opened.iter().all(|action| *action == OPEN), "{opened:?}");
    for _ in 0..600 {
        session.step(LinkState::Connected);
    }
    assert_eq!(*session.state(), ConnectionState::Connected);
}

#[test]
fn player_who_leaves_does_not_reconnect_and_a_lost_first_connection_is_not_retried() {
    let mut session = Session::begun(ReconnectConfig::default(), 1);
    session.client.leave();
    assert_eq!(session.step(LinkState::Connected), None);
    assert_eq!(*session.state(), ConnectionState::Ended);

    let mut client = Client::new(catalog(), ClientConfig::default(), 7);
    let mut first = Reconnector::new(ReconnectConfig::default(), 1);
    assert_eq!(first.poll(Time::ZERO, LinkState::Lost("nobody answers"), &mut client), None);
    let expected = ReconnectFailure::Lost("nobody answers".to_owned());
    assert_eq!(*first.state(), ConnectionState::Failed(expected));
}
