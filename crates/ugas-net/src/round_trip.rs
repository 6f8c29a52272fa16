//! Measured round trips.

use ugas_core::time::{Span, Time};

/// Time for which a shortest round trip counts, at least.
const ROUND_TRIP_WINDOW: Span = Span::millis(5_000);

/// Shortest round trip of the last [`ROUND_TRIP_WINDOW`] to twice that. Acknowledging late makes single samples
/// longer, and does not make the shortest one longer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BestRoundTrip {
    /// Shortest samples of the present window and of the one before.
    best: [Option<Span>; 2],
    /// Start of the present window.
    since: Time,
}

impl BestRoundTrip {
    pub(crate) const fn new() -> Self {
        Self { best: [None, None], since: Time::ZERO }
    }

    /// Adds a sample.
    pub(crate) fn add(&mut self, now: Time, sample: Span) {
        if now.since(self.since) >= ROUND_TRIP_WINDOW {
            self.best = [None, self.best[0]];
            self.since = now;
        }
        self.best[0] = Some(self.best[0].map_or(sample, |best| best.min(sample)));
    }

    /// The shortest sample; `None` before the first.
    pub(crate) fn span(&self) -> Option<Span> {
        self.best.into_iter().flatten().min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortest_round_trip_is_forgotten_after_one_to_two_windows() {
        let at = |seconds: u64| Time::from_micros(seconds * 1_000_000);
        let mut best = BestRoundTrip::new();
        assert_eq!(best.span(), None);
        for (seconds, millis, expected) in [(10, 50, 50), (11, 400, 50), (16, 300, 50), (21, 200, 200)] {
            best.add(at(seconds), Span::millis(millis));
            assert_eq!(best.span(), Some(Span::millis(expected)), "{seconds}");
        }
    }
}
