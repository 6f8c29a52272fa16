//! Which lines are worth printing: nobody can fill the terminal.

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::time::{Duration, Instant};

/// How often what is counted elsewhere is looked at.
const PAUSE: Duration = Duration::from_secs(1);

/// How long the same is counted rather than told again.
const REPEATS: Duration = Duration::from_secs(10);

/// Different things that are told of in that time; more are counted together.
const MOST: usize = 20;

/// Warnings that strangers and clients can bring about as often as they like. Each is told at once and for some time counted.
pub(super) struct Lines {
    looked: Instant,
    known: BTreeMap<String, Known>,
    waiting: Vec<String>,
    /// Others than those that are known.
    others: u64,
    others_since: Instant,
}

/// A warning that was told.
struct Known {
    text: String,
    /// How often it came since.
    again: u64,
    since: Instant,
}

impl Lines {
    pub(super) fn new(now: Instant) -> Self {
        Self { looked: now, known: BTreeMap::new(), waiting: Vec::new(), others: 0, others_since: now }
    }

    /// Whether it is time to look at what is counted elsewhere.
    pub(super) fn is_due(&mut self, now: Instant) -> bool {
        let is_due = now.duration_since(self.looked) >= PAUSE;
        if is_due {
            self.looked = now;
        }
        is_due
    }

    /// Something happened so many times. What has the same key is the same, whatever the text says.
    pub(super) fn warn(&mut self, key: &str, text: &str, times: NonZeroU64, now: Instant) {
        if let Some(known) = self.known.get_mut(key) {
            known.again = known.again.saturating_add(times.get());
            text.clone_into(&mut known.text);
        } else if self.known.len() < MOST {
            self.waiting.push(text.to_owned());
            let known = Known { text: text.to_owned(), again: times.get() - 1, since: now };
            self.known.insert(key.to_owned(), known);
        } else {
            self.others = self.others.saturating_add(times.get());
        }
    }

    /// What is to be printed now.
    pub(super) fn take(&mut self, now: Instant) -> Vec<String> {
        let mut lines = core::mem::take(&mut self.waiting);
        self.known.retain(|_, known| {
            if now.duration_since(known.since) < REPEATS {
                return true;
            }
            known.since = now;
            let again = core::mem::take(&mut known.again);
            lines.extend(repeated(again, &known.text));
            again > 0
        });
        if now.duration_since(self.others_since) >= REPEATS {
            self.others_since = now;
            lines.extend(more(core::mem::take(&mut self.others)));
        }
        lines
    }

    /// All that was counted and not told yet.
    pub(super) fn finish(&mut self) -> Vec<String> {
        let mut lines = core::mem::take(&mut self.waiting);
        lines.extend(self.known.values().filter_map(|known| repeated(known.again, &known.text)));
        self.known.clear();
        lines.extend(more(core::mem::take(&mut self.others)));
        lines
    }
}

fn repeated(times: u64, text: &str) -> Option<String> {
    match times {
        0 => None,
        1 => Some(format!("{text} (once more)")),
        times => Some(format!("{text} ({times} times more)")),
    }
}

fn more(others: u64) -> Option<String> {
    (others > 0).then(|| format!("! and {others} more like these"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_is_told_once_and_counted() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let once = NonZeroU64::MIN;
        let mut lines = Lines::new(start);
        for port in 1..=5 {
            let text = format!("! refused 10.0.0.5:{port}: the server is full");
            lines.warn("10.0.0.5 full", &text, once, at(0));
        }
        assert_eq!(lines.take(at(0)), ["! refused 10.0.0.5:1: the server is full"]);
        assert!(lines.take(at(9)).is_empty());
        assert_eq!(lines.take(at(10)), ["! refused 10.0.0.5:5: the server is full (4 times more)"]);
        // Ten more seconds without it, and it is news again.
        assert!(lines.take(at(20)).is_empty());
        lines.warn("10.0.0.5 full", "! refused again", once, at(21));
        assert_eq!(lines.take(at(21)), ["! refused again"]);
        lines.warn("10.0.0.5 full", "! refused again", once, at(22));
        assert_eq!(lines.finish(), ["! refused again (once more)"]);
        assert!(lines.finish().is_empty());
    }

    #[test]
    fn however_many_there_are_only_so_many_are_told() {
        let start = Instant::now();
        let mut lines = Lines::new(start);
        for number in 0..10_000 {
            let text = format!("! refused 10.0.0.5: `{number}`");
            lines.warn(&text, &text, NonZeroU64::MIN, start);
        }
        assert_eq!(lines.take(start).len(), MOST);
        assert_eq!(lines.known.len(), MOST);
        assert_eq!(lines.take(start + REPEATS), ["! and 9980 more like these"]);
    }
}
