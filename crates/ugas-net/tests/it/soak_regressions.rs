//! Regressions found by `ugas soak`, each reduced to a minimal match.

use ugas_core::event::EventKind;
use ugas_core::simulation::{Config, Simulation};
use ugas_core::targeting::TargetData;
use ugas_core::time::{Span, Time};
use ugas_net::message::{
    Ack, ByeReason, CommandFrame, Frames, Hello, NetCommand, PROTOCOL, PacketId, RefusedReason, Rejection,
    ToServer,
};
use ugas_net::wire::{Dictionary, encode_to_server};
use ugas_net::{Client, ClientConfig, ClientEvent, PeerId, Server, ServerConfig, Tick};
use ugas_netsim::link::Conditions;

use crate::fixture::{Match, catalog};

fn round_trip(millis: i64) -> Conditions {
    Conditions { delay: Span::millis(millis / 2), ..Conditions::perfect() }
}

/// Outcomes of commands among the events of a client.
fn answers(heard: &[ClientEvent]) -> Vec<&ClientEvent> {
    let is_answer =
        |event: &&ClientEvent| matches!(event, ClientEvent::Confirmed { .. } | ClientEvent::Rejected { .. });
    heard.iter().filter(is_answer).collect()
}

#[test]
fn unseen_cue_burst_does_not_shift_the_numbers_of_others() {
    let mut game = Match::new(1, Conditions::perfect());
    let ghost = game.rig.server.simulation_mut().spawn("ShyHero").unwrap();
    let (wolf, bolt) = (game.wolf, game.rig.server.catalog().tag("GameplayCue.Bolt").unwrap());
    game.run(0.5);
    game.heard(0);
    for _ in 0..3 {
        game.afflict(ghost, "GE_Bolt_Hit");
        game.afflict(wolf, "GE_Bolt_Hit");
        game.run(0.1);
    }
    game.run(0.5);
    let local = game.local(0, wolf);
    let flashes: Vec<_> = game
        .heard(0)
        .into_iter()
        .filter_map(|event| match event {
            ClientEvent::CueExecuted { controller, cue, .. } => Some((controller, cue)),
            _ => None,
        })
        .collect();
    assert_eq!(flashes, [(local, bolt); 3]);
}

#[test]
fn lost_change_is_resent_after_a_later_one_arrived() {
    let mut game = Match::new(1, round_trip(60));
    let wolf = game.wolf;
    game.afflict(wolf, "GE_Shield");
    let end = game.rig.now() + Span::millis(40);
    game.rig.seats[0].link.to_client.cut_until(end);
    game.run(0.05);
    game.afflict(wolf, "GE_Silence");
    game.run(0.5);
    assert!(game.has_tag(0, wolf, "State.Silenced"));
    assert!(game.has_tag(0, wolf, "State.Shielded"));
}

#[test]
fn command_that_never_arrives_is_rejected_locally() {
    let mut game = Match::new(1, round_trip(60));
    let end = game.rig.now() + Span::millis(700);
    game.rig.seats[0].link.to_server.cut_until(end);
    let key = game.cast(0, "GA_Bolt").expect("as far as the client knows");
    game.heard(0);
    game.run(3.0);
    let heard = game.heard(0);
    assert_eq!(answers(&heard), [&ClientEvent::Rejected { key, rejection: Rejection::TooLate }]);
    assert_eq!(game.truth(game.wolf, "Health"), 100.0);
}

#[test]
fn repeated_result_is_emitted_once() {
    let mut game = Match::new(1, Conditions { loss: 0.4, ..round_trip(100) });
    game.heard(0);
    let mut given = Vec::new();
    for _ in 0..40 {
        given.extend(game.cast(0, "GA_Weapon"));
        game.run(0.25);
    }
    game.rig.seats[0].link.set_conditions(round_trip(100));
    game.run(2.0);
    let heard = game.heard(0);
    let mut keys: Vec<_> = answers(&heard)
        .into_iter()
        .filter_map(|event| match event {
            ClientEvent::Confirmed { key, .. } | ClientEvent::Rejected { key, .. } => Some(*key),
            _ => None,
        })
        .collect();
    keys.sort_unstable();
    assert!(given.len() > 20);
    assert_eq!(keys, given);
}

#[test]
fn command_keeps_its_key_when_the_clock_jumps() {
    let mut game = Match::new(1, round_trip(60));
    let end = game.rig.now() + Span::millis(1_500);
    let key = game.cast(0, "GA_Bolt").expect("it can be cast");
    game.rig.seats[0].stall_until(end);
    game.heard(0);
    game.run(4.0);
    let heard = game.heard(0);
    assert_eq!(answers(&heard), [&ClientEvent::Rejected { key, rejection: Rejection::TooLate }]);
}

#[test]
fn cue_of_a_rejected_command_is_retracted() {
    let mut game = Match::new(1, round_trip(200));
    let hero = game.heroes[0];
    let cast = game.rig.server.catalog().tag("GameplayCue.Cast").unwrap();
    game.afflict(hero, "GE_Silence");
    game.heard(0);
    game.cast(0, "GA_Bolt").expect("as far as the client knows");
    game.run(2.0);
    let (mut told, mut taken_back) = (0, 0);
    for event in game.heard(0) {
        match event {
            ClientEvent::CueExecuted { cue, .. } if cue == cast => told += 1,
            ClientEvent::Retracted(event) => {
                taken_back +=
                    u32::from(matches!(event.kind, EventKind::CueExecuted { cue, .. } if cue == cast));
            }
            _ => {}
        }
    }
    assert_eq!((told, taken_back), (1, 1));
}

#[test]
fn early_command_does_not_run_when_repeated_in_time() {
    let length = ugas_net::TickLength::default().span();
    let config = ServerConfig { max_lead: 4, ..ServerConfig::default() };
    let mut server = Server::new(Simulation::new(catalog(), Config::seeded(1)), config);
    let (peer, dictionary) = (PeerId(1), Dictionary::of(server.catalog()));
    let rules = (server.catalog().hash(), dictionary.hash());
    let hello =
        Hello { protocol: PROTOCOL, catalog: rules.0, dictionary: rules.1, nonce: 1, credential: Vec::new() };
    let mut now = Time::ZERO;
    let mut send = |server: &mut Server, message: ToServer| {
        now += length;
        server.handle(now, peer, &encode_to_server(&dictionary, &message).unwrap());
        server.tick(now);
    };
    send(&mut server, ToServer::Hello(hello));
    let client = server.clients().next().unwrap();
    let hero = server.simulation_mut().spawn("Hero").unwrap();
    server.give(hero, client);
    let due = Tick(server.current_tick().0 + 20);
    for packet in 1..23 {
        // The same frame again and again: 19 ticks ahead of the next tick at first, then 18, and in time at last.
        let command = NetCommand::Press {
            controller: hero,
            input: "Slot.GA_Shield".into(),
            targets: TargetData::default(),
        };
        let frame = CommandFrame { tick: due, commands: [command].into_iter().collect() };
        let (packet, ack) = (PacketId(packet), Ack::default());
        send(
            &mut server,
            ToServer::Frames(Frames { session: 1, packet, ack, now: due, frames: vec![frame] }),
        );
    }
    assert!(server.current_tick() > due);
    assert_eq!((server.statistics().commands, server.statistics().rejected), (0, 1));
    assert_eq!(server.rejections(client).collect::<Vec<_>>(), [(Rejection::TooEarly, 1)]);
}

#[test]
fn each_command_over_the_limit_is_rejected_and_reported() {
    let mut game = Match::with_config(
        1,
        round_trip(60),
        ServerConfig { commands_per_second: 4, ..ServerConfig::default() },
    );
    game.heard(0);
    let own = game.rig.seats[0].client.own_controllers().next().unwrap();
    let keys: Vec<_> = (0..7).map(|_| game.rig.seats[0].client.press(own, "Slot.Nothing").unwrap()).collect();
    game.run(1.0);
    let heard = game.heard(0);
    let rejected =
        keys[4..].iter().map(|key| ClientEvent::Rejected { key: *key, rejection: Rejection::TooMany });
    let mut answers: Vec<ClientEvent> = answers(&heard).into_iter().cloned().collect();
    assert_eq!(answers.len(), 7);
    answers.retain(|answer| matches!(answer, ClientEvent::Rejected { .. }));
    assert_eq!(answers, rejected.collect::<Vec<_>>());
    assert_eq!(game.rig.server.statistics().rejected, 3);
}

/// A client on a connection that had a session before, its server, and the datagrams on their way.
struct Connecting {
    server: Server,
    client: Client,
    now: Time,
}

const PEER: PeerId = PeerId(1);

impl Connecting {
    /// Both, after the first hello arrived and the welcome got lost.
    fn without_welcome() -> Self {
        let server = Server::new(Simulation::new(catalog(), Config::seeded(1)), ServerConfig::default());
        let client = Client::new(catalog(), ClientConfig::default(), 7);
        let mut this = Self { server, client, now: Time::ZERO };
        this.send_to_server();
        this.take_from_server();
        this
    }

    fn send_to_server(&mut self) {
        self.client.update(self.now);
        while let Some(bytes) = self.client.poll_transmit() {
            self.server.handle(self.now, PEER, &bytes);
        }
    }

    fn take_from_server(&mut self) -> Vec<Vec<u8>> {
        core::iter::from_fn(|| self.server.poll_transmit()).map(|transmit| transmit.bytes).collect()
    }

    /// Lets both play for so many ticks; gives the datagrams of the server.
    fn play(&mut self, ticks: u32) -> Vec<Vec<u8>> {
        let mut all = Vec::new();
        for _ in 0..ticks {
            self.now += Span::from_micros(16_667);
            self.send_to_server();
            self.server.tick(self.now);
            let sent = self.take_from_server();
            sent.iter().for_each(|bytes| self.client.handle(self.now, bytes));
            all.extend(sent);
        }
        all
    }

    /// Lets both play for a while, and gives the first end of the client.
    fn end(&mut self, seconds: u32) -> Option<ClientEvent> {
        for _ in 0..seconds * 60 {
            self.play(1);
            let is_end =
                |event: &ClientEvent| matches!(event, ClientEvent::Refused(_) | ClientEvent::Disconnected(_));
            let mut events = core::iter::from_fn(|| self.client.poll_event());
            if let Some(end) = events.find(is_end) {
                return Some(end);
            }
        }
        None
    }
}

#[test]
fn client_kicked_before_it_got_its_welcome_is_told() {
    let mut this = Connecting::without_welcome();
    let client = this.server.clients().next().unwrap();
    this.server.kick(client);
    this.take_from_server(); // the bye gets lost, too
    let refused = ClientEvent::Refused(RefusedReason::Ended(ByeReason::Kicked));
    assert_eq!(this.end(2), Some(refused));
    assert!(this.client.is_over());
}

#[test]
fn client_without_any_answer_times_out() {
    let mut client = Client::new(catalog(), ClientConfig::default(), 7);
    client.update(Time::ZERO);
    client.update(Time::from_micros(9_900_000));
    assert_eq!(client.poll_event(), None);
    client.update(Time::from_micros(10_100_000));
    assert_eq!(client.poll_event(), Some(ClientEvent::Disconnected(Some(ByeReason::TimedOut))));
    assert!(client.is_over());
}

#[test]
fn frame_of_an_earlier_session_does_not_end_the_new_one() {
    let mut this = Connecting::without_welcome();
    assert_eq!(this.end(2), None); // it plays
    let old = this.client.id().unwrap();
    // Its last datagram is late; a new session begins on the same connection.
    let (packet, ack) = (PacketId(500), Ack { newest: PacketId(400), earlier: u32::MAX });
    let (session, now) = (1, this.server.current_tick());
    let frames = ToServer::Frames(Frames { session, packet, ack, now, frames: Vec::new() });
    let late = encode_to_server(&Dictionary::of(&catalog()), &frames).unwrap();
    this.client = Client::new(catalog(), ClientConfig::default(), 8);
    this.send_to_server();
    this.server.handle(this.now, PEER, &late);
    assert_eq!(this.end(2), None);
    assert!(this.client.is_playing());
    assert_ne!(this.client.id(), Some(old));
}

#[test]
fn update_of_an_earlier_session_is_not_acknowledged_in_the_new_one() {
    let mut this = Connecting::without_welcome();
    assert_eq!(this.end(2), None);
    // An update of the session is late. Its number is far ahead of those of the next session.
    this.now += Span::from_micros(16_667);
    this.server.tick(this.now);
    let late = this.take_from_server();
    this.client = Client::new(catalog(), ClientConfig::default(), 8);
    this.send_to_server();
    for bytes in this.take_from_server().into_iter().chain(late) {
        this.client.handle(this.now, &bytes);
    }
    assert!(this.client.is_playing());
    assert_eq!(this.end(2), None);
    assert_eq!(this.server.statistics().kicked, 0);
}

#[test]
fn short_updates_of_an_earlier_session_are_dropped_in_the_new_one() {
    let mut this = Connecting::without_welcome();
    assert_eq!(this.end(1), None);
    // Updates of the session are late. They carry eight bits of their number, which are those of the next packets of
    // the new session: some of 256 updates in a row always are.
    let late = this.play(256);
    this.client = Client::new(catalog(), ClientConfig::default(), 8);
    this.play(12);
    assert!(this.client.is_playing());
    let dropped = this.client.statistics().dropped;
    late.iter().for_each(|bytes| this.client.handle(this.now, bytes));
    assert_eq!(this.client.statistics().dropped, dropped + late.len() as u64);
    assert_eq!(this.end(1), None);
    assert_eq!(this.server.statistics().kicked, 0);
}
