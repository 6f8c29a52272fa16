//! Malicious clients and servers: datagrams by hand.

use ugas_core::ability::GameplayEvent;
use ugas_core::effect::EffectContext;
use ugas_core::handle::{ActivationId, ControllerId, GrantedAbilityId};
use ugas_core::replica::{PieceScratch, RecordVisibility};
use ugas_core::simulation::{ActivationRequest, Config, Simulation};
use ugas_core::targeting::{Placement, Target, TargetData};
use ugas_core::task::TaskOutcome;
use ugas_core::time::{Span, Time};
use ugas_net::message::{
    Ack, ActivationRef, ClientId, CommandFrame, CommandOutcome, ControllerChange, ControllerUpdate, Frames,
    Hello, NetCommand, PROTOCOL, PacketId, Rejection, ToClient, ToServer, Update, Welcome,
};
use ugas_net::wire::{Dictionary, UpdateDecoder, encode_to_client, encode_to_server};
use ugas_net::{
    Client, ClientConfig, ClientEvent, PeerId, Server, ServerConfig, ServerEvent, Tick, TickLength,
};
use ugas_netsim::link::Conditions;

use crate::fixture::{Match, catalog};

/// A server and one client that writes its datagrams by hand.
struct Raw {
    server: Server,
    dictionary: Dictionary,
    decoder: UpdateDecoder,
    now: Time,
    hero: ControllerId,
    packet: u32,
    /// Number of the newest datagram from the server.
    newest: u32,
    /// Outcomes of commands, as the server reported them.
    outcomes: Vec<CommandOutcome>,
}

const PEER: PeerId = PeerId(1);

impl Raw {
    fn new(config: ServerConfig) -> Self {
        let server = Server::new(Simulation::new(catalog(), Config::seeded(1)), config);
        let dictionary = Dictionary::of(server.catalog());
        let hero = ControllerId::UNSEEN;
        let mut raw = Self {
            server,
            dictionary,
            decoder: UpdateDecoder::new(),
            now: Time::ZERO,
            hero,
            packet: 0,
            newest: 0,
            outcomes: Vec::new(),
        };
        raw.hello(1);
        let client = raw.server.clients().next().unwrap();
        raw.hero = raw.server.simulation_mut().spawn("Hero").unwrap();
        raw.server.give(raw.hero, client);
        raw.tick();
        raw
    }

    fn send(&mut self, message: &ToServer) {
        let bytes = encode_to_server(&self.dictionary, message).unwrap();
        self.server.handle(self.now, PEER, &bytes);
    }

    fn hello(&mut self, nonce: u64) {
        let (catalog, dictionary) = (self.server.catalog().hash(), self.dictionary.hash());
        self.send(&ToServer::Hello(Hello {
            protocol: PROTOCOL,
            catalog,
            dictionary,
            nonce,
            credential: Vec::new(),
        }));
    }

    fn tick(&mut self) {
        self.now += TickLength::default().span();
        self.server.tick(self.now);
        while let Some(transmit) = self.server.poll_transmit() {
            if let Ok(ToClient::Update(update)) = self.decoder.read(&self.dictionary, &transmit.bytes) {
                self.decoder.note(&update);
                self.newest = self.newest.max(update.packet.0);
                self.outcomes.extend(update.results.iter().map(|result| result.outcome));
            }
        }
    }

    /// Does something at the next tick; what became of it.
    fn act(&mut self, command: NetCommand) -> CommandOutcome {
        let tick = self.server.current_tick().next();
        self.packet += 1;
        let before = self.newest.saturating_sub(1);
        let earlier = 1u32.checked_shl(before).map_or(u32::MAX, |bit| bit - 1);
        let ack = Ack { newest: PacketId(self.newest), earlier };
        let frame = CommandFrame { tick, commands: [command].into_iter().collect() };
        let frames =
            Frames { session: 1, packet: PacketId(self.packet), ack, now: tick, frames: vec![frame] };
        self.send(&ToServer::Frames(frames));
        self.outcomes.clear();
        for _ in 0..4 {
            self.tick();
        }
        *self.outcomes.first().expect("an answer")
    }

    fn ability(&self, owner: ControllerId, name: &str) -> GrantedAbilityId {
        let sim = self.server.simulation();
        let wanted = sim.catalog().ability(name).unwrap();
        let abilities = sim.controller(owner).unwrap().abilities();
        *abilities.iter().find(|handle| sim.ability(**handle).unwrap().ability() == wanted).unwrap()
    }

    fn cast(&mut self, name: &str, targets: impl Into<TargetData>) -> CommandOutcome {
        let ability = self.ability(self.hero, name);
        self.act(NetCommand::Activate { ability, targets: targets.into(), event: None })
    }

    fn spawn(&mut self, name: &str) -> ControllerId {
        let spawned = self.server.simulation_mut().spawn(name).unwrap();
        self.tick();
        spawned
    }

    fn place(&mut self, controller: ControllerId, x: f64) {
        let placement = Placement::at([x, 0.0, 0.0]).unwrap();
        self.server.simulation_mut().set_placement(controller, Some(placement)).unwrap();
    }

    fn value(&self, controller: ControllerId, attribute: &str) -> f64 {
        let sim = self.server.simulation();
        sim.current(controller, sim.catalog().attribute(attribute).unwrap()).unwrap()
    }
}

#[test]
fn server_only_ability_is_not_activated_by_an_input() {
    let mut raw = Raw::new(ServerConfig::default());
    let press = NetCommand::Press {
        controller: raw.hero,
        input: "Slot.GA_Guarded".into(),
        targets: TargetData::default(),
    };
    let outcome = raw.act(press);
    assert_eq!(outcome, CommandOutcome::Rejected(Rejection::NotAllowed));
}

#[test]
fn repeated_target_is_rejected() {
    let mut raw = Raw::new(ServerConfig::default());
    let wolf = raw.spawn("Wolf");
    let targets = TargetData::from_iter([wolf; 30]);
    let outcome = raw.cast("GA_Bolt", targets);
    assert!(raw.value(wolf, "Health") >= 75.0, "{outcome:?}, {}", raw.value(wolf, "Health"));
}

#[test]
fn rejection_does_not_reveal_positions_of_hidden_controllers() {
    let mut raw = Raw::new(ServerConfig::default());
    let (near, far) = (raw.spawn("Wolf"), raw.spawn("Wolf"));
    let (hero, client) = (raw.hero, raw.server.clients().next().unwrap());
    raw.server.hide(near, client);
    raw.server.hide(far, client);
    raw.place(hero, 0.0);
    raw.place(near, 5.0);
    raw.place(far, 500.0);
    for _ in 0..10 {
        raw.tick();
    }
    let nobody = ControllerId::from_bits(7 << 32 | 7_000).unwrap();
    let outcomes = [near, far, nobody].map(|target| raw.cast("GA_Sling", Target::Controller(target)));
    assert_eq!(outcomes, [CommandOutcome::Rejected(Rejection::NotReachable); 3]);
}

#[test]
fn rejection_does_not_reveal_abilities_of_others() {
    let mut raw = Raw::new(ServerConfig::default());
    let ghost = raw.spawn("ShyHero");
    let known = raw.ability(ghost, "GA_Bolt");
    let unknown = GrantedAbilityId::from_bits(7 << 32 | 7_000).unwrap();
    let outcomes = [known, unknown]
        .map(|ability| raw.act(NetCommand::Activate { ability, targets: TargetData::new(), event: None }));
    assert_eq!(outcomes[0], outcomes[1]);
    let sim = raw.server.simulation_mut();
    let channel = sim.controller(ghost).unwrap().abilities()[3];
    let known = sim.activate_with(channel, ActivationRequest::default()).unwrap();
    let unknown = ActivationId::from_bits(7 << 32 | 7_000).unwrap();
    let outcomes = [known, unknown].map(|run| raw.act(NetCommand::Cancel(ActivationRef::Known(run))));
    assert_eq!(outcomes[0], outcomes[1]);
    assert!(raw.server.simulation().activation(known).is_some());
}

#[test]
fn untrusted_event_of_a_client_is_rejected() {
    let mut raw = Raw::new(ServerConfig::default());
    let ability = raw.ability(raw.hero, "GA_Channel");
    let tag = raw.server.catalog().tag("State.Shielded").unwrap();
    let event = Some(GameplayEvent { magnitude: 1e9, ..GameplayEvent::new(tag) });
    let outcome = raw.act(NetCommand::Activate { ability, targets: TargetData::new(), event });
    assert_eq!(outcome, CommandOutcome::Rejected(Rejection::NotAllowed));
}

#[test]
fn new_session_does_not_reset_rate_limits() {
    let mut raw = Raw::new(ServerConfig::default());
    for nonce in 100..200 {
        raw.hello(nonce);
    }
    for nonce in 200..250 {
        raw.send(&ToServer::Bye);
        raw.hello(nonce);
    }
    raw.hello(300);
    let joined = |raw: &mut Raw| {
        let events = core::iter::from_fn(|| raw.server.poll_event());
        events.filter(|event| matches!(event, ServerEvent::Joined { .. })).count()
    };
    // Five at once, the first of which was the honest one.
    assert_eq!(joined(&mut raw), 5);
    for _ in 0..130 {
        raw.tick();
    }
    // Two seconds later, two more.
    (400..500).for_each(|nonce| raw.hello(nonce));
    assert_eq!(joined(&mut raw), 2);
}

#[test]
fn cue_with_an_oversized_magnitude_does_not_block_updates() {
    let mut game = Match::new(2, Conditions::perfect());
    let (wolf, other) = (game.wolf, game.heroes[1]);
    game.heard(0);
    let sim = game.rig.server.simulation_mut();
    let bolt = sim.catalog().effect("GE_Bolt_Hit").unwrap();
    let spec = sim.spec(bolt, 1e300, EffectContext::default()).unwrap();
    sim.apply(&spec, wolf).unwrap();
    game.afflict(other, "GE_Burn");
    game.run(0.5);
    assert!(game.has_tag(0, other, "State.Burning"));
    let flashed = game.heard(0).into_iter().any(|event| matches!(event, ClientEvent::CueExecuted { .. }));
    assert!(flashed);
}

#[test]
fn client_with_many_own_controllers_receives_all() {
    let mut game = Match::new(1, Conditions::perfect());
    let client = game.rig.server.clients().next().unwrap();
    let units: Vec<_> = (0..300).map(|_| game.rig.server.simulation_mut().spawn("Hero").unwrap()).collect();
    for unit in &units {
        game.rig.server.give(*unit, client);
    }
    game.run(5.0);
    let granted = game.rig.server.simulation().controller(units[0]).unwrap().abilities().len();
    let known = units.iter().filter(|unit| {
        let client = &game.rig.seats[0].client;
        let local = client.local(**unit).and_then(|local| client.simulation().controller(local));
        local.is_some_and(|local| local.abilities().len() == granted)
    });
    assert_eq!(known.count(), 300);
}

#[test]
fn late_datagram_does_not_count_for_a_controller_back_in_view() {
    let mut server = Server::new(Simulation::new(catalog(), Config::seeded(1)), ServerConfig::default());
    let mut client = Client::new(catalog(), ClientConfig::default(), 7);
    let mut clock = Time::ZERO;
    let mut say = |server: &mut Server, client: &mut Client| {
        clock += TickLength::default().span();
        client.update(clock);
        while let Some(bytes) = client.poll_transmit() {
            server.handle(clock, PEER, &bytes);
        }
        clock
    };
    let answer = |server: &mut Server, now: Time| -> Vec<Vec<u8>> {
        server.tick(now);
        let sent = core::iter::from_fn(|| server.poll_transmit());
        sent.filter(|transmit| transmit.peer == PEER).map(|transmit| transmit.bytes).collect()
    };
    // Somebody else looks on all the while.
    let mut other = Client::new(catalog(), ClientConfig::default(), 8);
    other.update(Time::ZERO);
    server.handle(Time::ZERO, PeerId(2), &other.poll_transmit().unwrap());
    for _ in 0..30 {
        let now = say(&mut server, &mut client);
        answer(&mut server, now).iter().for_each(|bytes| client.handle(now, bytes));
    }
    let viewer = client.id().expect("it is in");
    let wolf = server.simulation_mut().spawn("Wolf").unwrap();
    // The wolf comes into view, and the datagram about it is late.
    let now = say(&mut server, &mut client);
    let late = answer(&mut server, now);
    // It goes out of view, which arrives, and comes back when the server knows.
    server.hide(wolf, viewer);
    let now = say(&mut server, &mut client);
    answer(&mut server, now).iter().for_each(|bytes| client.handle(now, bytes));
    say(&mut server, &mut client);
    server.show(wolf, viewer);
    // Now the first datagram arrives.
    late.iter().for_each(|bytes| client.handle(now, bytes));
    for _ in 0..30 {
        let now = say(&mut server, &mut client);
        answer(&mut server, now).iter().for_each(|bytes| client.handle(now, bytes));
    }
    assert!(client.local(wolf).is_some());
}

/// Number of the session of a [`Puppet`].
const SESSION: u8 = 1;

/// A client whose server is ours: what it says next goes straight in.
struct Puppet {
    client: Client,
    dictionary: Dictionary,
    packet: u32,
}

impl Puppet {
    fn new() -> Self {
        let rules = catalog();
        let dictionary = Dictionary::of(&rules);
        let mut client = Client::new(rules, ClientConfig::default(), 7);
        client.update(Time::ZERO);
        let welcome = Welcome {
            nonce: 7,
            client: ClientId(1),
            session: SESSION,
            tick: Tick(1),
            length: TickLength::default(),
            prediction_seed: 0,
            max_lead: 30,
            secret: None,
            resumed: None,
        };
        let welcome = encode_to_client(&dictionary, &ToClient::Welcome(welcome)).unwrap();
        client.handle(Time::ZERO, &welcome);
        assert!(client.is_playing());
        Self { client, dictionary, packet: 0 }
    }

    fn tell(&mut self, tick: u32, (part, parts): (u8, u8), controllers: Vec<ControllerUpdate>) {
        self.packet += 1;
        let update = Update {
            session: SESSION,
            packet: PacketId(self.packet),
            tick: Tick(tick),
            states_stream: true,
            part,
            parts,
            controllers,
            ..Update::default()
        };
        let bytes = encode_to_client(&self.dictionary, &ToClient::Update(update)).unwrap();
        self.client.handle(Time::ZERO, &bytes);
    }
}

#[test]
fn client_memory_is_bounded_for_any_server() {
    let named = |index: u32, change: ControllerChange| {
        let controller = ControllerId::from_bits(1 << 32 | u64::from(index)).unwrap();
        ControllerUpdate { controller, change }
    };
    let own = |index| {
        let visibility = RecordVisibility::ALL;
        named(index, ControllerChange::Pieces { epoch: 0, own: true, visibility, pieces: Vec::new() })
    };
    let mut puppet = Puppet::new();
    // Ticks that are never complete, and one of which the same part comes again and again.
    for tick in 10..2_010 {
        puppet.tell(tick, (0, 2), (0..100).map(own).collect());
        puppet.tell(9, (0, 2), (0..100).map(own).collect());
    }
    assert!(puppet.client.held() < 20_000, "{}", puppet.client.held());
    // Controllers that were never there are gone.
    for at in 0..1_000 {
        let gone = (0..200).map(|index| named(at * 200 + index, ControllerChange::Gone));
        puppet.tell(3_000, (0, 0), gone.collect());
    }
    assert!(puppet.client.held() < 100_000, "{}", puppet.client.held());
}

#[test]
fn server_only_ability_does_not_end_when_a_client_task_fails() {
    let mut raw = Raw::new(ServerConfig::default());
    let bound = raw.server.catalog().ability("GA_Bound").unwrap();
    let ability = raw.server.simulation_mut().grant(raw.hero, bound, 1).unwrap();
    let begin = NetCommand::Activate { ability, targets: TargetData::new(), event: None };
    assert_eq!(raw.act(begin), CommandOutcome::Done);
    let run = raw.server.simulation().controller(raw.hero).unwrap().activations()[0];
    let end = NetCommand::End(ActivationRef::Known(run));
    assert_eq!(raw.act(end), CommandOutcome::Rejected(Rejection::NotAllowed));
    let task = raw.server.simulation().tasks_of(raw.hero).next().unwrap();
    let branch = raw.server.simulation().task(task).unwrap().branch();
    for outcome in [TaskOutcome::Failed, TaskOutcome::Interrupted, TaskOutcome::Cancelled] {
        let finish = NetCommand::Finish { run: ActivationRef::Known(run), branch, outcome };
        assert_eq!(raw.act(finish), CommandOutcome::Rejected(Rejection::NotAllowed));
    }
    assert!(raw.server.simulation().activation(run).is_some());
}

#[test]
fn reach_uses_the_present_position_of_the_instigator() {
    let mut raw = Raw::new(ServerConfig::default());
    let (left, reached) = (raw.spawn("Wolf"), raw.spawn("Wolf"));
    let hero = raw.hero;
    raw.place(hero, 0.0);
    raw.place(left, 5.0);
    raw.place(reached, 1_005.0);
    raw.tick();
    // What the client has acknowledged is of a time when the hero stood by the first wolf.
    raw.act(NetCommand::Confirm(hero));
    raw.act(NetCommand::Confirm(hero));
    raw.place(hero, 1_000.0);
    let outcome = raw.cast("GA_Sling", Target::Controller(left));
    assert_eq!(outcome, CommandOutcome::Rejected(Rejection::NotReachable));
    raw.place(hero, 0.0);
    raw.tick();
    raw.act(NetCommand::Confirm(hero));
    raw.act(NetCommand::Confirm(hero));
    raw.place(hero, 1_000.0);
    assert_eq!(raw.cast("GA_Sling", Target::Controller(reached)), CommandOutcome::Done);
}

#[test]
fn effect_with_a_tiny_period_is_not_installed() {
    let mut server = Simulation::new(catalog(), Config::seeded(1));
    let hero = server.spawn("Hero").unwrap();
    let effect = server.catalog().effect("GE_Regeneration").unwrap();
    let spec = server.spec(effect, 1.0, EffectContext::default()).unwrap();
    server.apply(&spec.with_period(Span::from_micros(1)), hero).unwrap();
    let mut pieces = Vec::new();
    server.pieces(hero, RecordVisibility::ALL, &mut PieceScratch::default(), |key, piece| {
        pieces.push((key, Some(piece.to_piece())));
    });
    let change = ControllerChange::Pieces { epoch: 0, own: true, visibility: RecordVisibility::ALL, pieces };
    let mut puppet = Puppet::new();
    puppet.tell(100, (0, 1), vec![ControllerUpdate { controller: hero, change }]);
    puppet.client.update(Time::from_micros(20_000));
    let sim = puppet.client.simulation();
    let own = sim.controller(puppet.client.local(hero).unwrap()).unwrap();
    // The regeneration that a hero comes with is there, and the one that is too fast is not.
    let periods = own.effects().iter().filter_map(|active| sim.effect(*active)?.period());
    assert_eq!(periods.collect::<Vec<_>>(), [Span::millis(500)]);
}
