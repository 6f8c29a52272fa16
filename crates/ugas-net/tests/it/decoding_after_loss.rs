//! Decoding after losses: a datagram that can be decoded has the same content as for a client that received
//! everything.

use ugas_core::handle::ControllerId;
use ugas_core::random::RandomStream;
use ugas_core::simulation::{Config, Simulation, Stacks};
use ugas_core::time::{Span, Time};
use ugas_net::message::{Frames, Hello, PROTOCOL, PacketId, ToClient, ToServer, Update};
use ugas_net::packets::ReceivedPackets;
use ugas_net::schedule::{Frequency, Schedule};
use ugas_net::wire::{self, Dictionary, UpdateDecoder};
use ugas_net::{
    Defaults, Ownership, PeerId, Server, ServerConfig, ServerEvent, Tick, TickLength, Visibility,
    VisibilityId,
};

use crate::fixture;

const PEER: PeerId = PeerId(1);

/// How a link is for a while.
#[derive(Clone, Copy)]
struct Weather {
    loss: f64,
    /// How often datagrams are held up or doubled, and for how many ticks at most.
    late: f64,
    hold: u64,
}

/// A server, a client that only listens and acknowledges, and somebody who hears every datagram when it is sent.
struct RawServer {
    server: Server<Defaults>,
    dictionary: Dictionary,
    dice: RandomStream,
    now: u64,
    weather: Weather,
    all: UpdateDecoder,
    client: UpdateDecoder,
    /// Somebody to whom a bit of each datagram comes the other way round.
    misled: UpdateDecoder,
    received: ReceivedPackets,
    sent: u32,
    /// Datagrams that come at a tick, with what they mean.
    to_client: Vec<(u64, Vec<u8>, Update)>,
    to_server: Vec<(u64, Vec<u8>)>,
    lenses: Vec<VisibilityId>,
    read: u32,
    refused: u32,
}

impl RawServer {
    fn new(seed: u64) -> Self {
        let mut dice = RandomStream::derive(seed, &[]);
        let simulation = Simulation::new(fixture::catalog(), Config::seeded(seed));
        let length = TickLength::hertz(60);
        let times = [60, 60, 20, 5][dice.below(4) as usize];
        let frequency = Frequency { normal: times, slow: times };
        let config = ServerConfig {
            length,
            timeout: Span::seconds(1e6),
            bytes_per_second: [1_500, 4_000, 100_000][dice.below(3) as usize],
            schedule: Some(Schedule { player: frequency, ..Schedule::of_state(length) }),
            ..ServerConfig::default()
        };
        let mut server = Server::new(simulation, config);
        let shown = ["Health", "Armor", "Mana"].map(|name| server.catalog().attribute(name).unwrap());
        let visibility = shown
            .iter()
            .fold(Visibility::minimal(), |visibility, attribute| visibility.with_attribute(*attribute));
        let lenses = vec![server.add_visibility(Visibility::minimal()), server.add_visibility(visibility)];
        let dictionary = Dictionary::of(server.catalog());
        let mut this = Self {
            server,
            dictionary,
            dice,
            now: 0,
            weather: Weather { loss: 0.0, late: 0.0, hold: 0 },
            all: UpdateDecoder::new(),
            client: UpdateDecoder::new(),
            misled: UpdateDecoder::new(),
            received: ReceivedPackets::new(),
            sent: 0,
            to_client: Vec::new(),
            to_server: Vec::new(),
            lenses,
            read: 0,
            refused: 0,
        };
        for _ in 0..6 {
            this.spawn();
        }
        let hello = Hello {
            protocol: PROTOCOL,
            catalog: this.server.catalog().hash(),
            dictionary: this.dictionary.hash(),
            nonce: 7,
            credential: Vec::new(),
        };
        let bytes = wire::encode_to_server(&this.dictionary, &ToServer::Hello(hello)).unwrap();
        this.server.handle(this.time(), PEER, &bytes);
        this
    }

    fn time(&self) -> Time {
        Time::from_micros(self.now * 16_667)
    }

    fn spawn(&mut self) {
        let template = ["Wolf", "Wolf", "OpenHero"][self.dice.below(3) as usize];
        let spawned = self.server.simulation_mut().spawn(template).unwrap();
        let visibility = self.lenses[1];
        self.server.set_visibility(spawned, Ownership::Others, Some(visibility));
    }

    /// The game does something.
    fn stir(&mut self) {
        let controllers: Vec<ControllerId> =
            self.server.simulation().controllers().map(|(id, _)| id).collect();
        let client = self.server.clients().next();
        let Some(controller) =
            controllers.get(self.dice.below(controllers.len().max(1) as u64) as usize).copied()
        else {
            self.spawn();
            return;
        };
        let Some(client) = client else { return };
        match self.dice.below(24) {
            0 if controllers.len() < 12 => self.spawn(),
            1 => drop(self.server.simulation_mut().despawn(controller)),
            2 | 3 => self.server.hide(controller, client),
            4 | 5 => self.server.show(controller, client),
            6 => self.server.give(controller, client),
            7 => self.server.take_back(controller),
            8 => {
                let visibility = self.lenses[self.dice.below(2) as usize];
                self.server.set_visibility(controller, Ownership::Others, Some(visibility));
            }
            9..14 => {
                let active =
                    self.server.simulation().controller(controller).map(|known| known.effects().to_vec());
                if let Some(active) = active.unwrap_or_default().first() {
                    let _ = self.server.simulation_mut().remove(*active, Stacks::All);
                }
            }
            _ => {
                let names = ["GE_Shield", "GE_Silence", "GE_Bolt_Hit", "GE_Weapon_Hit", "GE_Burn", "GE_Mark"];
                let name = names[self.dice.below(names.len() as u64) as usize];
                let effect = self.server.catalog().effect(name).unwrap();
                let source = controllers.first().copied();
                let _ = self.server.simulation_mut().apply_effect(effect, source, controller);
            }
        }
    }

    /// When a datagram comes that is sent now: never, once or twice.
    fn arrivals(&mut self) -> Vec<u64> {
        let Weather { loss, late, hold } = self.weather;
        let mut arrivals = Vec::new();
        if !self.dice.chance(loss) {
            let held = if self.dice.chance(late) { self.dice.below(hold + 1) } else { 0 };
            arrivals.push(self.now + 2 + held);
        }
        if self.dice.chance(late) {
            arrivals.push(self.now + 2 + self.dice.below(hold + 1));
        }
        arrivals
    }

    fn tick(&mut self) {
        self.now += 1;
        let now = self.now;
        let (due, later): (Vec<_>, Vec<_>) =
            core::mem::take(&mut self.to_server).into_iter().partition(|(at, _)| *at <= now);
        self.to_server = later;
        for (_, bytes) in due {
            self.server.handle(self.time(), PEER, &bytes);
        }
        self.server.tick(self.time());
        while let Some(event) = self.server.poll_event() {
            assert!(!matches!(event, ServerEvent::Left { .. }), "{event:?}");
        }
        while let Some(transmit) = self.server.poll_transmit() {
            let heard = self.all.read(&self.dictionary, &transmit.bytes);
            match heard.unwrap() {
                ToClient::Update(update) => {
                    self.all.note(&update);
                    for at in self.arrivals() {
                        self.to_client.push((at, transmit.bytes.clone(), update.clone()));
                    }
                }
                ToClient::Welcome(_) => {}
                other => panic!("{other:?}"),
            }
        }
        let (due, later): (Vec<_>, Vec<_>) =
            core::mem::take(&mut self.to_client).into_iter().partition(|(at, ..)| *at <= now);
        self.to_client = later;
        for (_, bytes, meant) in due {
            self.listen(&bytes, meant);
            self.mislead(bytes);
        }
        self.answer();
    }

    /// Passes a damaged datagram to the decoder, which decodes or rejects it without panicking.
    fn mislead(&mut self, mut bytes: Vec<u8>) {
        let bit = self.dice.below(bytes.len() as u64 * 16) as usize;
        // Half of them are whole, so that there is something to mislead about.
        if let Some(byte) = bytes.get_mut(bit / 8) {
            *byte ^= 1 << (bit % 8);
        }
        if let Ok(ToClient::Update(update)) = self.misled.read(&self.dictionary, &bytes) {
            self.misled.note(&update);
        }
    }

    fn listen(&mut self, bytes: &[u8], meant: Update) {
        let Ok(ToClient::Update(update)) = self.client.read(&self.dictionary, bytes) else {
            self.refused += 1;
            return;
        };
        self.read += 1;
        // The ack report of a late datagram is ignored.
        let without = |update: Update| Update { ack_report: None, ..update };
        if let (Some(ack_report), Some(said)) = (update.ack_report, meant.ack_report) {
            assert_eq!(ack_report, said, "tick {}", self.now);
        }
        assert_eq!(without(update.clone()), without(meant), "tick {}", self.now);
        if self.received.receive(update.packet).is_new() {
            self.client.note(&update);
        }
    }

    fn answer(&mut self) {
        self.sent += 1;
        let frames = Frames {
            session: 1,
            packet: PacketId(self.sent),
            ack: self.received.ack(),
            now: Tick(self.now as u32 + 3),
            frames: Vec::new(),
        };
        let bytes = wire::encode_to_server(&self.dictionary, &ToServer::Frames(frames)).unwrap();
        for at in self.arrivals() {
            self.to_server.push((at, bytes.clone()));
        }
    }
}

#[test]
fn decodable_datagram_has_the_same_content_after_any_loss() {
    for seed in 0..24 {
        let mut raw = RawServer::new(seed);
        for _ in 0..12 {
            let (loss, late) = (raw.dice.next_f64(), raw.dice.next_f64());
            raw.weather = match raw.dice.below(5) {
                0 => Weather { loss: 0.0, late: 0.0, hold: 0 },
                1 => Weather { loss: 1.0, late: 0.0, hold: 0 },
                2 => Weather { loss: 0.1 * loss, late: 0.3 * late, hold: 180 },
                _ => Weather { loss: 0.6 * loss, late: 0.4 * late, hold: 20 },
            };
            let calm = raw.dice.next_f64();
            for _ in 0..=raw.dice.below(700) {
                if !raw.dice.chance(calm) {
                    raw.stir();
                }
                raw.tick();
            }
        }
        assert!(raw.read > 100 && raw.refused < raw.read, "seed {seed}: {} {}", raw.read, raw.refused);
    }
}
