//! One measured performance goal: a line of the table.

use serde_json::{Value, json};

use crate::measure::Timing;

/// Unit of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unit {
    Nanoseconds,
    Bytes,
}

/// Goal that ours is compared with.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Goal {
    /// At most so many times the floor.
    Floor(f64),
    /// At least so many times as fast as the peer.
    Peer(f64),
    /// At most so many times the peer.
    AtMostPeer(f64),
    /// At most so many nanoseconds or bytes.
    AtMost(f64),
    /// At most so many instructions of a [counted](crate::count) operation, as recorded: its time is noisier.
    Instructions(&'static str, f64),
}

/// A line of the table.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) unit: Unit,
    pub(crate) ours: f64,
    pub(crate) peer: Option<(&'static str, f64)>,
    pub(crate) floor: Option<f64>,
    pub(crate) goal: Goal,
    /// Allocations per operation.
    pub(crate) allocations: Option<f64>,
    /// Whether the goal requires zero allocations.
    pub(crate) must_not_allocate: bool,
    pub(crate) note: String,
}

impl Line {
    pub(crate) fn new(name: impl Into<String>, ours: Timing, goal: Goal) -> Self {
        Self {
            name: name.into(),
            unit: Unit::Nanoseconds,
            ours: ours.median,
            peer: None,
            floor: None,
            goal,
            allocations: Some(ours.allocations),
            must_not_allocate: false,
            note: format!("±{:.0} %", ours.spread() * 50.0),
        }
    }

    pub(crate) fn floor(mut self, floor: f64) -> Self {
        self.floor = Some(floor);
        self
    }

    pub(crate) fn peer(mut self, name: &'static str, time: f64) -> Self {
        self.peer = Some((name, time));
        self
    }

    /// Requires that nothing allocates.
    pub(crate) fn must_not_allocate(mut self) -> Self {
        self.must_not_allocate = true;
        self
    }

    /// Adds the recorded instructions of an operation, and the ratio to the floor, to the note.
    pub(crate) fn note_instructions(self, operation: &str) -> Self {
        let count = crate::count::recorded_count(operation);
        let line = match count {
            Some(count) => self.note(format!("{count} instructions")),
            None => self,
        };
        match line.floor {
            Some(floor) => {
                let ratio = Rounded(line.ours / floor);
                line.note(format!("{ratio}× floor"))
            }
            None => line,
        }
    }

    /// Adds to the note.
    pub(crate) fn note(mut self, note: impl AsRef<str>) -> Self {
        if !self.note.is_empty() {
            self.note.push_str("; ");
        }
        self.note.push_str(note.as_ref());
        self
    }

    /// Ours divided by the reference of the goal; `None` if that was not measured.
    pub(crate) fn ratio(&self) -> Option<f64> {
        let other = match self.goal {
            Goal::Floor(_) => self.floor,
            Goal::Peer(_) | Goal::AtMostPeer(_) => self.peer.map(|(_, time)| time),
            Goal::AtMost(amount) => Some(amount),
            Goal::Instructions(operation, allowed) => {
                return crate::count::recorded_count(operation).map(|count| count as f64 / allowed);
            }
        };
        other.map(|other| self.ours / other)
    }

    /// The largest ratio that meets the goal.
    pub(crate) fn limit(&self) -> f64 {
        match self.goal {
            Goal::Floor(times) | Goal::AtMostPeer(times) => times,
            Goal::Peer(times) => 1.0 / times,
            Goal::AtMost(_) | Goal::Instructions(..) => 1.0,
        }
    }

    /// Whether the goal is met; `None` if that could not be measured.
    pub(crate) fn is_met(&self) -> Option<bool> {
        let allocates = self.must_not_allocate && self.allocations.is_some_and(|count| count > 0.0);
        Some(self.ratio()? <= self.limit() && !allocates)
    }

    fn verdict(&self) -> Option<&'static str> {
        self.is_met().map(|met| if met { "met" } else { "short" })
    }

    /// In JSON a ratio is ours divided by floor, peer or limit, and met if it is at most the goal. The limit
    /// is in nanoseconds or bytes, like ours, or in instructions.
    pub(crate) fn to_json(&self) -> Value {
        let time = |value: f64| (self.unit == Unit::Nanoseconds).then_some(value);
        let size = |value: f64| (self.unit == Unit::Bytes).then_some(value);
        let allowed = match self.goal {
            Goal::AtMost(allowed) | Goal::Instructions(_, allowed) => Some(allowed),
            Goal::Floor(_) | Goal::Peer(_) | Goal::AtMostPeer(_) => None,
        };
        json!({
            "name": self.name,
            "ours_ns": time(self.ours),
            "peer": self.peer.map(|(name, _)| name),
            "peer_ns": self.peer.and_then(|(_, value)| time(value)),
            "floor_ns": self.floor.and_then(time),
            "ours_bytes": size(self.ours),
            "peer_bytes": self.peer.and_then(|(_, value)| size(value)),
            "floor_bytes": self.floor.and_then(size),
            "allowed": allowed,
            "ratio": self.ratio(),
            "goal": self.limit(),
            "allocations": self.allocations,
            "verdict": self.verdict(),
            "note": self.note,
        })
    }

    /// The cells of the text table.
    pub(crate) fn cells(&self) -> [String; 9] {
        let amount = |value: f64| match self.unit {
            Unit::Nanoseconds => duration(value),
            Unit::Bytes => format!("{value:.0} B"),
        };
        let ratio = match (self.goal, self.ratio()) {
            (_, None) => "–".to_owned(),
            (Goal::Peer(_), Some(ratio)) => format!("{}× as fast", Rounded(1.0 / ratio)),
            (_, Some(ratio)) => format!("{}×", Rounded(ratio)),
        };
        let goal = match self.goal {
            Goal::Floor(times) => format!("≤ {times}× floor"),
            Goal::Peer(times) => format!("≥ {times}× peer"),
            Goal::AtMostPeer(times) => format!("≤ {times}× peer"),
            Goal::AtMost(allowed) => format!("≤ {}", amount(allowed)),
            Goal::Instructions(_, allowed) => format!("≤ {allowed} instr."),
        };
        let dash = || "–".to_owned();
        [
            self.name.clone(),
            amount(self.ours),
            self.peer.map_or_else(dash, |(name, value)| format!("{} {name}", amount(value))),
            self.floor.map_or_else(dash, amount),
            ratio,
            goal,
            self.allocations.map_or_else(dash, |count| format!("{}", (count * 100.0).round() / 100.0)),
            self.verdict().unwrap_or("–").to_owned(),
            self.note.clone(),
        ]
    }
}

/// Three significant digits.
struct Rounded(f64);

impl std::fmt::Display for Rounded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let digits = match self.0 {
            value if value >= 100.0 => 0,
            value if value >= 10.0 => 1,
            _ => 2,
        };
        write!(f, "{:.digits$}", self.0)
    }
}

/// A time in the unit that suits it.
pub(crate) fn duration(nanoseconds: f64) -> String {
    match nanoseconds {
        ns if ns < 1e3 => format!("{} ns", Rounded(ns)),
        ns if ns < 1e6 => format!("{} µs", Rounded(ns / 1e3)),
        ns if ns < 1e9 => format!("{} ms", Rounded(ns / 1e6)),
        ns => format!("{} s", Rounded(ns / 1e9)),
    }
}
