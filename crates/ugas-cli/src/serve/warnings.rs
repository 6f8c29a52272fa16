//! Warnings of a server, limited in number, so that clients cannot flood the terminal.

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::time::{Duration, Instant};

/// Interval at which counters of the transport are checked.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Time during which repetitions of a warning are counted instead of printed.
const REPEAT_TIME: Duration = Duration::from_secs(10);

/// Maximum number of different warnings in that time; more are counted together.
const MAX_WARNINGS: usize = 20;

/// Warnings that clients can cause at will. Each is printed at once; its repetitions are counted for some
/// time.
pub(super) struct Warnings {
    /// When the counters were checked last.
    looked: Instant,
    known: BTreeMap<String, PrintedWarning>,
    /// Warnings to print.
    waiting: Vec<String>,
    /// Number of further warnings beyond the maximum.
    others: u64,
    others_since: Instant,
}

/// A warning that was printed.
struct PrintedWarning {
    text: String,
    /// Number of repetitions since then.
    again: u64,
    since: Instant,
}

impl Warnings {
    pub(super) fn new(now: Instant) -> Self {
        Self { looked: now, known: BTreeMap::new(), waiting: Vec::new(), others: 0, others_since: now }
    }

    /// Whether it is time to check the counters of the transport.
    pub(super) fn is_due(&mut self, now: Instant) -> bool {
        let is_due = now.duration_since(self.looked) >= CHECK_INTERVAL;
        if is_due {
            self.looked = now;
        }
        is_due
    }

    /// Adds a warning that occurred `times` times. Warnings with the same key are repetitions, whatever their
    /// text.
    pub(super) fn warn(&mut self, key: &str, text: &str, times: NonZeroU64, now: Instant) {
        if let Some(known) = self.known.get_mut(key) {
            known.again = known.again.saturating_add(times.get());
            text.clone_into(&mut known.text);
        } else if self.known.len() < MAX_WARNINGS {
            self.waiting.push(text.to_owned());
            let known = PrintedWarning { text: text.to_owned(), again: times.get() - 1, since: now };
            self.known.insert(key.to_owned(), known);
        } else {
            self.others = self.others.saturating_add(times.get());
        }
    }

    /// Takes the lines to print now: new warnings at once, repetitions as a number once in a while.
    pub(super) fn take(&mut self, now: Instant) -> Vec<String> {
        let mut lines = core::mem::take(&mut self.waiting);
        self.known.retain(|_, known| {
            if now.duration_since(known.since) < REPEAT_TIME {
                return true;
            }
            known.since = now;
            let again = core::mem::take(&mut known.again);
            lines.extend(repeated(again, &known.text));
            again > 0
        });
        if now.duration_since(self.others_since) >= REPEAT_TIME {
            self.others_since = now;
            lines.extend(more(core::mem::take(&mut self.others)));
        }
        lines
    }

    /// Takes all counted warnings, at the end.
    pub(super) fn finish(&mut self) -> Vec<String> {
        let mut lines = core::mem::take(&mut self.waiting);
        lines.extend(self.known.values().filter_map(|known| repeated(known.again, &known.text)));
        self.known.clear();
        lines.extend(more(core::mem::take(&mut self.others)));
        lines
    }
}

/// Line for a warning that came again; `None` if it did not.
fn repeated(times: u64, text: &str) -> Option<String> {
    match times {
        0 => None,
        1 => Some(format!("{text} (1 more time)")),
        times => Some(format!("{text} ({times} more times)")),
    }
}

/// Line for warnings that were too many to tell apart; `None` if there were none.
fn more(others: u64) -> Option<String> {
    (others > 0).then(|| format!("! and {others} more warnings"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_warning_is_printed_once_and_counted() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let once = NonZeroU64::MIN;
        let mut warnings = Warnings::new(start);
        for port in 1..=5 {
            let text = format!("! refused 10.0.0.5:{port}: the server is full");
            warnings.warn("10.0.0.5 full", &text, once, at(0));
        }
        assert_eq!(warnings.take(at(0)), ["! refused 10.0.0.5:1: the server is full"]);
        assert!(warnings.take(at(9)).is_empty());
        assert_eq!(warnings.take(at(10)), ["! refused 10.0.0.5:5: the server is full (4 more times)"]);
        // After ten seconds without repetitions it is printed at once again.
        assert!(warnings.take(at(20)).is_empty());
        warnings.warn("10.0.0.5 full", "! refused again", once, at(21));
        assert_eq!(warnings.take(at(21)), ["! refused again"]);
        warnings.warn("10.0.0.5 full", "! refused again", once, at(22));
        assert_eq!(warnings.finish(), ["! refused again (1 more time)"]);
        assert!(warnings.finish().is_empty());
    }

    #[test]
    fn number_of_printed_warnings_is_limited() {
        let start = Instant::now();
        let mut warnings = Warnings::new(start);
        for number in 0..10_000 {
            let text = format!("! refused 10.0.0.5: `{number}`");
            warnings.warn(&text, &text, NonZeroU64::MIN, start);
        }
        assert_eq!(warnings.take(start).len(), MAX_WARNINGS);
        assert_eq!(warnings.known.len(), MAX_WARNINGS);
        assert_eq!(warnings.take(start + REPEAT_TIME), ["! and 9980 more warnings"]);
    }
}
