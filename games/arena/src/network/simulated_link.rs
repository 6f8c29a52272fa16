//! Simulated network conditions on top of a real connection.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ugas_netsim::link::{Conditions, Duplex};
use bevy_ugas::net::transport::{ClientState, ClientTransport, SendError};
use ugas::{Span, Time};

use crate::link::LinkSettings;

/// Transport wrapper that delays and drops datagrams in both directions.
pub struct SimulatedLink<T> {
    inner: T,
    link: Duplex,
    settings: Arc<Mutex<LinkSettings>>,
    clock: Clock,
    now: Time,
    received: Vec<u8>,
}

/// Clock that delays are measured with.
enum Clock {
    /// Wall clock.
    Wall(Instant),
    /// Fixed time per poll.
    Steps(Span),
}

impl<T: ClientTransport> SimulatedLink<T> {
    /// Wraps a connection; `settings` can be changed at any time.
    pub fn new(inner: T, settings: Arc<Mutex<LinkSettings>>, seed: u64) -> Self {
        Self::with_clock(Clock::Wall(Instant::now()), inner, settings, seed)
    }

    /// [`Self::new`] with a fixed time per step, for games without a real clock.
    pub fn stepwise(inner: T, settings: Arc<Mutex<LinkSettings>>, seed: u64, step: Span) -> Self {
        Self::with_clock(Clock::Steps(step), inner, settings, seed)
    }

    fn with_clock(clock: Clock, inner: T, settings: Arc<Mutex<LinkSettings>>, seed: u64) -> Self {
        let link = Duplex::new(seed, Conditions::perfect());
        Self { inner, link, settings, clock, now: Time::ZERO, received: Vec::new() }
    }

    fn flush(&mut self) {
        while let Some(bytes) = self.link.to_server.receive(self.now) {
            // A failed send counts as loss.
            let _ = self.inner.send(&bytes);
        }
    }
}

/// Link conditions for the settings; half of the latency in each direction.
fn conditions(settings: LinkSettings) -> Conditions {
    let delay = Span::from_micros((f64::from(settings.latency) * 500.0).round() as i64);
    Conditions { delay, loss: f64::from(settings.loss) / 100.0, ..Conditions::perfect() }
}

impl<T: ClientTransport> ClientTransport for SimulatedLink<T> {
    fn poll(&mut self, now: Instant) -> io::Result<()> {
        self.now = match self.clock {
            Clock::Wall(began) => {
                let micros = now.saturating_duration_since(began).as_micros();
                Time::from_micros(u64::try_from(micros).unwrap_or(u64::MAX))
            }
            Clock::Steps(step) => self.now + step,
        };
        let conditions = conditions(*self.settings.lock().unwrap_or_else(PoisonError::into_inner));
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
        self.received = self.link.to_client.receive(self.now)?;
        Some(&self.received)
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
