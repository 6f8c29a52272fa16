//! Rig: a server and its clients in one process, on simulated links, for tests and examples. Time passes as
//! fast as the machine can, and the same seed gives the same match.

use std::sync::Arc;

use ugas_core::hash::StateHasher;
use ugas_core::random::RandomStream;
use ugas_core::time::{Span, Time};

use crate::link::{Conditions, Duplex};
use ugas_net::TickLength;
use ugas_net::{Client, ClientConfig};
use ugas_net::{Host, PeerId, Server};

/// Deliveries of datagrams per tick.
const STEPS_PER_TICK: i64 = 4;

/// A client and its link.
pub struct Seat {
    /// The client.
    pub client: Client,
    /// Its link.
    pub link: Duplex,
    peer: PeerId,
    /// Deviation of its clock, in thousandths of the true rate.
    drift: i64,
    /// Time until which it does nothing.
    stalled_until: Time,
}

impl Seat {
    /// The connection by which the server knows the client; it stays over sessions, unless it is
    /// [changed](Self::set_peer).
    pub fn peer(&self) -> PeerId {
        self.peer
    }

    /// Gives the client another connection, as after a change of its address. Datagrams under way count for the
    /// new one.
    pub fn set_peer(&mut self, peer: PeerId) {
        self.peer = peer;
    }

    /// Drift of the client's clock, in thousandths of the true rate; negative is slow. It applies to all time
    /// since the start, so a change during a run makes the clock jump.
    pub fn set_drift(&mut self, thousandths: i64) {
        self.drift = thousandths;
    }

    /// Stalls the client until a time, like a busy machine.
    pub fn stall_until(&mut self, time: Time) {
        self.stalled_until = time;
    }

    /// Time on the client's clock, which drifts from the true one.
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
/// use ugas_net::{ClientConfig, Server, ServerConfig};
/// use ugas_netsim::Rig;
/// use ugas_netsim::link::Conditions;
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
    /// Time until which the server does not tick.
    stalled_until: Time,
    /// Most ticks that the server runs at once after a stall.
    most_at_once: u32,
}

impl<H: Host> Rig<H> {
    /// Creates a rig without clients at time zero. The seed determines the faults of all links.
    pub fn new(server: Server<H>, seed: u64) -> Self {
        Self {
            server,
            seats: Vec::new(),
            seed,
            now: Time::ZERO,
            next_tick: Time::ZERO,
            stalled_until: Time::ZERO,
            most_at_once: u32::MAX,
        }
    }

    /// True time of the rig, which no seat's drift changes.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Adds a client, which connects; returns its index in [`Self::seats`].
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

    /// Stalls the server: until a time it neither receives nor ticks, and then catches up.
    pub fn stall_server_until(&mut self, time: Time) {
        self.stalled_until = time;
    }

    /// Sets the most ticks that the server runs at once to catch up; the rest of a stall is skipped, so that
    /// its ticks fall behind the time. Unlimited by default.
    pub fn set_most_at_once(&mut self, ticks: u32) {
        self.most_at_once = ticks;
    }

    /// Runs for a span, in whole [steps](Self::step).
    pub fn run(&mut self, span: Span) {
        let end = self.now + span;
        while self.now < end {
            self.step();
        }
    }

    /// A quarter of a tick: the server receives, runs the ticks that are due, and sends; then each client
    /// receives, updates and sends. A stalled server does not tick, a stalled client does nothing.
    pub fn step(&mut self) {
        let length = self.length();
        self.now += Span::from_micros((length.span().micros() / STEPS_PER_TICK).max(1));
        let now = self.now;
        if now >= self.stalled_until {
            self.serve(now, length);
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

    /// The server receives, and runs the ticks that are due.
    fn serve(&mut self, now: Time, length: TickLength) {
        for seat in &mut self.seats {
            while let Some(sealed) = seat.link.to_server.receive(now) {
                if let Some(bytes) = open(&sealed) {
                    self.server.handle(now, seat.peer, bytes);
                }
            }
        }
        let mut ticks = 0;
        while self.next_tick <= now {
            if ticks < self.most_at_once {
                self.server.tick(now);
                ticks += 1;
            }
            self.next_tick = length.next_after(self.next_tick);
        }
    }

    /// Tick length of the server, by which the rig steps.
    fn length(&self) -> TickLength {
        self.server.tick_length()
    }
}

/// Bytes of the checksum of a datagram.
const SEAL: usize = 8;

/// Appends a checksum, as an encrypted transport does: it turns damaged datagrams into lost ones.
pub(crate) fn seal(mut bytes: Vec<u8>) -> Vec<u8> {
    let check = StateHasher::of(&bytes);
    bytes.extend(check.to_le_bytes());
    bytes
}

/// Content of a datagram without its checksum; `None` if it is damaged, which counts as lost (see [`seal`]).
pub(crate) fn open(sealed: &[u8]) -> Option<&[u8]> {
    let (bytes, check) = sealed.split_at_checked(sealed.len().checked_sub(SEAL)?)?;
    let found = u64::from_le_bytes(check.try_into().ok()?);
    (StateHasher::of(bytes) == found).then_some(bytes)
}
