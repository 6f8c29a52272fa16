//! A server and its clients in one process, on simulated links: for tests, examples and whoever wants to see what a
//! network does to a game. Time passes as fast as the machine can, and the same seed gives the same match.

use std::sync::Arc;

use ugas_core::hash::StateHasher;
use ugas_core::random::RandomStream;
use ugas_core::time::{Span, Time};

use crate::client::{Client, ClientConfig};
use crate::link::{Conditions, Duplex};
use crate::server::{Host, PeerId, Server};
use crate::tick::TickLength;

/// How many times in a tick datagrams are delivered.
const STEPS_PER_TICK: i64 = 4;

/// A client and its link.
pub struct Seat {
    /// The client.
    pub client: Client,
    /// Its link.
    pub link: Duplex,
    peer: PeerId,
    /// How fast its clock runs, in thousandths of the true rate.
    drift: i64,
    /// When it does something again.
    stalled_until: Time,
}

impl Seat {
    /// The connection, as the server knows it.
    pub fn peer(&self) -> PeerId {
        self.peer
    }

    /// Lets its clock run faster or slower, in thousandths of the true rate.
    pub fn set_drift(&mut self, thousandths: i64) {
        self.drift = thousandths;
    }

    /// Lets it do nothing until then, as a machine that is busy with something else.
    pub fn stall_until(&mut self, time: Time) {
        self.stalled_until = time;
    }

    fn local_time(&self, now: Time) -> Time {
        let micros = now.micros() as i128;
        let drifted = micros + micros * i128::from(self.drift) / 1_000;
        Time::from_micros(u64::try_from(drifted).unwrap_or(0))
    }
}

/// A server and its clients on simulated links.
///
/// ```
/// use ugas_core::catalog::Catalog;
/// use ugas_core::simulation::{Config, Simulation};
/// use ugas_core::time::Span;
/// use ugas_net::link::Conditions;
/// use ugas_net::{ClientConfig, Rig, Server, ServerConfig};
///
/// let catalog = Catalog::builder().build()?;
/// let server = Server::new(Simulation::new(catalog, Config::default()), ServerConfig::default());
/// let mut rig = Rig::new(server, 7);
/// rig.join(ClientConfig::default(), Conditions::broadband());
/// rig.run(Span::seconds(1.0));
/// assert!(rig.seats[0].client.is_playing());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Rig<H> {
    /// The server.
    pub server: Server<H>,
    /// The clients, in the order of their joining.
    pub seats: Vec<Seat>,
    seed: u64,
    now: Time,
    next_tick: Time,
    /// When the server does something again.
    stalled_until: Time,
}

impl<H: Host> Rig<H> {
    /// A server without clients.
    pub fn new(server: Server<H>, seed: u64) -> Self {
        Self {
            server,
            seats: Vec::new(),
            seed,
            now: Time::ZERO,
            next_tick: Time::ZERO,
            stalled_until: Time::ZERO,
        }
    }

    /// The time.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Adds a client that asks to be let in; its number among [`Self::seats`].
    pub fn join(&mut self, config: ClientConfig, conditions: Conditions) -> usize {
        let number = self.seats.len();
        let mut dice = RandomStream::derive(self.seed, &[number as u64]);
        let catalog = Arc::clone(self.server.catalog());
        let client = Client::new(catalog, config, dice.next_u64());
        let link = Duplex::new(dice.next_u64(), conditions);
        let peer = PeerId(number as u64 + 1);
        self.seats.push(Seat { client, link, peer, drift: 0, stalled_until: Time::ZERO });
        number
    }

    /// Lets the server do nothing until then.
    pub fn stall_server_until(&mut self, time: Time) {
        self.stalled_until = time;
    }

    /// Lets time pass.
    pub fn run(&mut self, span: Span) {
        let end = self.now + span;
        while self.now < end {
            self.step();
        }
    }

    /// Lets a quarter of a tick pass.
    pub fn step(&mut self) {
        let length = self.length();
        self.now += Span::from_micros((length.span().micros() / STEPS_PER_TICK).max(1));
        let now = self.now;
        for seat in &mut self.seats {
            while let Some(sealed) = seat.link.to_server.receive(now) {
                if let Some(bytes) = open(&sealed) {
                    self.server.handle(now, seat.peer, bytes);
                }
            }
        }
        if now >= self.next_tick && now >= self.stalled_until {
            // A server that was busy catches up.
            while self.next_tick <= now {
                self.server.tick(now);
                self.next_tick = length.next_after(self.next_tick);
            }
        }
        while let Some(transmit) = self.server.poll_transmit() {
            if let Some(seat) = self.seats.iter_mut().find(|seat| seat.peer == transmit.peer) {
                seat.link.to_client.send(now, &seal(transmit.bytes));
            }
        }
        for seat in &mut self.seats {
            if now < seat.stalled_until {
                continue;
            }
            let local = seat.local_time(now);
            while let Some(sealed) = seat.link.to_client.receive(now) {
                if let Some(bytes) = open(&sealed) {
                    seat.client.handle(local, bytes);
                }
            }
            seat.client.update(local);
            while let Some(bytes) = seat.client.poll_transmit() {
                seat.link.to_server.send(now, &seal(bytes));
            }
        }
    }

    fn length(&self) -> TickLength {
        self.server.tick_length()
    }
}

/// Bytes of the check that a datagram carries.
const SEAL: usize = 8;

/// A datagram with a check: what an encrypted transport does, and what makes a damaged datagram a lost one.
pub(crate) fn seal(mut bytes: Vec<u8>) -> Vec<u8> {
    let check = StateHasher::of(&bytes);
    bytes.extend(check.to_le_bytes());
    bytes
}

/// A datagram without its check; `None` if it is damaged.
pub(crate) fn open(sealed: &[u8]) -> Option<&[u8]> {
    let (bytes, check) = sealed.split_at_checked(sealed.len().checked_sub(SEAL)?)?;
    let found = u64::from_le_bytes(check.try_into().ok()?);
    (StateHasher::of(bytes) == found).then_some(bytes)
}
