//! Profiles of soak matches.

use ugas_core::random::RandomStream;
use ugas_core::time::Span;

use crate::link::{BurstLoss, Capacity, Conditions};

/// Length and severity of matches.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Profile {
    /// Name of the profile.
    pub name: &'static str,
    /// Duration of the faults, in seconds.
    pub seconds: f64,
    /// Fewest and most honest clients.
    pub clients: (u64, u64),
    /// Fewest and most cheats.
    pub cheats: (u64, u64),
    /// Severity of the network: 0 is perfect, 1 is 60 % loss, 500 ms of delay, and partitions of seconds.
    pub severity: f64,
    /// Whether clients come and go, view and ownership change, and machines stall.
    pub turmoil: bool,
}

impl Profile {
    /// The names that [`Profile::named`] knows.
    pub const NAMES: [&str; 6] = ["calm", "short", "standard", "brutal", "cheats", "crowd"];

    /// The profile of one of [`Self::NAMES`]; `None` for another name.
    pub fn named(name: &str) -> Option<Self> {
        let standard = Self {
            name: "standard",
            seconds: 20.0,
            clients: (2, 4),
            cheats: (0, 1),
            severity: 0.6,
            turmoil: true,
        };
        Some(match name {
            "calm" => Self {
                name: "calm",
                seconds: 10.0,
                cheats: (0, 0),
                severity: 0.0,
                turmoil: false,
                ..standard
            },
            "short" => Self { name: "short", seconds: 6.0, clients: (1, 3), severity: 0.5, ..standard },
            "standard" => standard,
            "brutal" => Self { name: "brutal", seconds: 40.0, severity: 1.0, ..standard },
            "cheats" => Self { name: "cheats", clients: (1, 2), cheats: (2, 3), severity: 0.2, ..standard },
            "crowd" => Self { name: "crowd", clients: (8, 12), cheats: (0, 2), severity: 0.4, ..standard },
            _ => return None,
        })
    }

    /// Draws the conditions of one direction of a link.
    pub(super) fn conditions(&self, dice: &mut RandomStream) -> Conditions {
        let mut upto = |most: f64| {
            let share = dice.next_f64();
            // Each fault is absent half of the time, so that faults occur together and alone.
            if dice.chance(0.5) { 0.0 } else { share * most * self.severity }
        };
        let span = |seconds: f64| Span::seconds(seconds);
        let (delay, jitter, hold) = (span(upto(0.5)), span(upto(0.15)), span(upto(0.2)));
        let (loss, duplicate, reorder) = (upto(0.6), upto(0.3), upto(0.3));
        let (corrupt, truncate) = (upto(0.1), upto(0.1));
        let (begin, narrow) = (upto(0.05), upto(1.0));
        let burst = (begin > 0.0).then_some(BurstLoss { begin, end: 0.1, loss: 0.95 });
        // From 125 kB a second down to 5.
        let bytes_per_second = (125_000.0 - 120_000.0 * narrow.min(1.0)) as u32;
        let capacity = (narrow > 0.0).then_some(Capacity { bytes_per_second, queue: 16_000 });
        Conditions { delay, jitter, loss, burst, duplicate, reorder, hold, capacity, corrupt, truncate }
    }
}
