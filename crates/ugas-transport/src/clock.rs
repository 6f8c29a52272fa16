//! [`Clock`]: the protocol needs wall-clock time for expiry, and time that never goes back for everything else.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The wall-clock time at its creation, advanced by monotonic times.
#[derive(Debug)]
pub(crate) struct Clock {
    last: Instant,
    unix: Duration,
}

impl Clock {
    /// Clock with the time of the system. From then on it follows the monotonic clock, so that changes of the
    /// system's time do not reach netcode.
    pub(crate) fn start() -> Self {
        Self { last: Instant::now(), unix: unix_now() }
    }

    /// Time since 1970, as of the last advance.
    pub(crate) fn unix(&self) -> Duration {
        self.unix
    }

    /// Advances to a time and returns the elapsed time; an earlier time changes nothing.
    pub(crate) fn advance(&mut self, now: Instant) -> Duration {
        let elapsed = now.saturating_duration_since(self.last);
        self.last += elapsed;
        self.unix += elapsed;
        elapsed
    }
}

/// The wall-clock time since 1970; zero if the system's clock is earlier.
pub(crate) fn unix_now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}
