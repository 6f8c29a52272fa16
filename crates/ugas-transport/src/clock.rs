//! Two clocks in one: the protocol wants the time of day for what expires, and a clock that never goes back for the rest.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The time of day when it was made, going on by the monotonic times that it is given.
#[derive(Debug)]
pub(crate) struct Clock {
    last: Instant,
    unix: Duration,
}

impl Clock {
    pub(crate) fn start() -> Self {
        Self { last: Instant::now(), unix: unix_now() }
    }

    /// Since 1970.
    pub(crate) fn unix(&self) -> Duration {
        self.unix
    }

    /// Goes on to a time and says by how much; one that has passed already is the present.
    pub(crate) fn advance(&mut self, now: Instant) -> Duration {
        let elapsed = now.saturating_duration_since(self.last);
        self.last += elapsed;
        self.unix += elapsed;
        elapsed
    }
}

/// The time of day since 1970; a machine that is set before then is in 1970.
pub(crate) fn unix_now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}
