//! A connection that is worse than it is, as bad as a slider says.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bevy_ugas::net::protocol::link::{Conditions, Duplex};
use bevy_ugas::net::transport::{ClientState, ClientTransport, SendError};
use ugas::{Span, Time};

use crate::way::Way;

/// Delays and loses what goes through a connection, both ways.
pub struct BadWay<T> {
    inner: T,
    link: Duplex,
    way: Arc<Mutex<Way>>,
    clock: Clock,
    now: Time,
    taken: Vec<u8>,
}

/// What delays are measured by.
enum Clock {
    /// The one on the wall.
    Wall(Instant),
    /// So much passes with each look at the connection.
    Steps(Span),
}

impl<T: ClientTransport> BadWay<T> {
    /// Through this connection, as bad as is said at the other end of `way` at the time.
    pub fn new(inner: T, way: Arc<Mutex<Way>>, seed: u64) -> Self {
        Self::by(Clock::Wall(Instant::now()), inner, way, seed)
    }

    /// The same for games whose steps go by no clock: so much time passes with each of them.
    pub fn stepwise(inner: T, way: Arc<Mutex<Way>>, seed: u64, step: Span) -> Self {
        Self::by(Clock::Steps(step), inner, way, seed)
    }

    fn by(clock: Clock, inner: T, way: Arc<Mutex<Way>>, seed: u64) -> Self {
        let link = Duplex::new(seed, Conditions::perfect());
        Self { inner, link, way, clock, now: Time::ZERO, taken: Vec::new() }
    }

    fn flush(&mut self) {
        while let Some(bytes) = self.link.to_server.receive(self.now) {
            // What is not sent is lost, as on any network.
            let _ = self.inner.send(&bytes);
        }
    }
}

/// Half of the latency each way.
fn conditions(way: Way) -> Conditions {
    let delay = Span::from_micros((f64::from(way.latency) * 500.0).round() as i64);
    Conditions { delay, loss: f64::from(way.loss) / 100.0, ..Conditions::perfect() }
}

impl<T: ClientTransport> ClientTransport for BadWay<T> {
    fn poll(&mut self, now: Instant) -> io::Result<()> {
        self.now = match self.clock {
            Clock::Wall(began) => {
                let micros = now.saturating_duration_since(began).as_micros();
                Time::from_micros(u64::try_from(micros).unwrap_or(u64::MAX))
            }
            Clock::Steps(step) => self.now + step,
        };
        let conditions = conditions(*self.way.lock().unwrap_or_else(PoisonError::into_inner));
        if *self.link.to_server.conditions() != conditions {
            self.link.set_conditions(conditions);
        }
        self.flush();
        self.inner.poll(now)?;
        while let Some(bytes) = self.inner.next_datagram() {
            self.link.to_client.send(self.now, bytes);
        }
        Ok(())
    }

    fn next_datagram(&mut self) -> Option<&[u8]> {
        self.taken = self.link.to_client.receive(self.now)?;
        Some(&self.taken)
    }

    fn send(&mut self, bytes: &[u8]) -> Result<(), SendError> {
        self.link.to_server.send(self.now, bytes);
        self.flush();
        Ok(())
    }

    fn state(&self) -> ClientState {
        self.inner.state()
    }

    fn disconnect(&mut self) {
        self.inner.disconnect();
    }

    fn wait(&self, timeout: Duration) -> io::Result<bool> {
        self.inner.wait(timeout)
    }
}
