//! Profiles of soak matches.

use ugas_core::random::RandomStream;
use ugas_core::time::Span;

use super::HAS_FAULT_POINTS;
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
    /// Smallest share of an honest client's answered commands that must have come in time.
    pub timely: f64,
    /// Whether clients come and go, view and ownership change, and machines stall.
    pub turmoil: bool,
    /// Share of the matches that have the real transport in the loop: handshakes, encryption and limits over the
    /// simulated links, and forged datagrams.
    pub encrypted: f64,
    /// Whether the rules are reloaded now and then, which ends all sessions.
    pub reloads: bool,
    /// Whether counters of ticks and sessions often start shortly before they wrap or need more bits.
    pub edges: bool,
    /// Chance with which each fault point inside the code fails; they exist with the feature `fault-points` only.
    pub fault_points: f64,
}

impl Profile {
    /// The names that [`Profile::named`] knows.
    pub const NAMES: [&str; 10] =
        ["calm", "short", "standard", "brutal", "cheats", "crowd", "full", "encrypted", "hour", "faults"];

    /// The profile of one of [`Self::NAMES`]; `None` for another name.
    pub fn named(name: &str) -> Option<Self> {
        let standard = Self {
            name: "standard",
            seconds: 20.0,
            clients: (2, 4),
            cheats: (0, 1),
            severity: 0.6,
            timely: 0.1,
            turmoil: true,
            encrypted: 0.5,
            reloads: true,
            edges: true,
            fault_points: if HAS_FAULT_POINTS { 0.01 } else { 0.0 },
        };
        Some(match name {
            "calm" => Self {
                name: "calm",
                seconds: 10.0,
                cheats: (0, 0),
                severity: 0.0,
                timely: 1.0,
                turmoil: false,
                reloads: false,
                fault_points: 0.0,
                ..standard
            },
            "short" => Self { name: "short", seconds: 6.0, clients: (1, 3), severity: 0.5, ..standard },
            "standard" => standard,
            "brutal" => Self { name: "brutal", seconds: 40.0, severity: 1.0, timely: 0.05, ..standard },
            "cheats" => Self {
                name: "cheats",
                clients: (1, 2),
                cheats: (2, 3),
                severity: 0.2,
                timely: 0.3,
                ..standard
            },
            "crowd" => Self { name: "crowd", clients: (8, 12), cheats: (0, 2), severity: 0.4, ..standard },
            "full" => Self {
                name: "full",
                seconds: 10.0,
                clients: (48, 60),
                cheats: (2, 4),
                severity: 0.4,
                ..standard
            },
            "encrypted" => Self { name: "encrypted", encrypted: 1.0, ..standard },
            "hour" => Self {
                name: "hour",
                seconds: 3_600.0,
                clients: (1, 2),
                severity: 0.3,
                timely: 0.3,
                ..standard
            },
            "faults" => {
                Self { name: "faults", fault_points: if HAS_FAULT_POINTS { 0.05 } else { 0.0 }, ..standard }
            }
            _ => return None,
        })
    }

    /// Flags of `ugas soak` that select this profile: its name, and what differs from it.
    pub fn flags(&self) -> String {
        let mut flags = format!("--profile {}", self.name);
        let Some(named) = Self::named(self.name) else { return flags };
        if self.seconds != named.seconds {
            flags += &format!(" --seconds {}", self.seconds);
        }
        if self.clients != named.clients {
            flags += &format!(" --clients {}", self.clients.1);
        }
        if self.cheats != named.cheats {
            flags += &format!(" --cheats {}", self.cheats.1);
        }
        if self.severity != named.severity {
            flags += &format!(" --severity {}", self.severity);
        }
        if self.turmoil != named.turmoil {
            flags += " --no-turmoil";
        }
        if self.encrypted != named.encrypted {
            flags += &format!(" --encrypted {}", self.encrypted);
        }
        if self.reloads != named.reloads {
            flags += " --no-reloads";
        }
        if self.edges != named.edges {
            flags += " --no-edges";
        }
        if self.fault_points != named.fault_points {
            flags += &format!(" --fault-points {}", self.fault_points);
        }
        flags
    }

    /// Profiles that are one step smaller, the largest step first.
    pub(super) fn smaller(&self) -> Vec<Self> {
        let mut smaller = Vec::new();
        if self.cheats.1 > 0 {
            smaller.push(Self { cheats: (0, 0), ..*self });
            smaller.push(Self { cheats: (self.cheats.1 - 1, self.cheats.1 - 1), ..*self });
        }
        if self.turmoil {
            smaller.push(Self { turmoil: false, ..*self });
        }
        if self.fault_points > 0.0 {
            smaller.push(Self { fault_points: 0.0, ..*self });
        }
        if self.encrypted > 0.0 {
            smaller.push(Self { encrypted: 0.0, ..*self });
        }
        if self.reloads {
            smaller.push(Self { reloads: false, ..*self });
        }
        if self.edges {
            smaller.push(Self { edges: false, ..*self });
        }
        if self.clients.1 > 1 {
            smaller.push(Self { clients: (self.clients.1 / 2, self.clients.1 / 2), ..*self });
            smaller.push(Self { clients: (self.clients.1 - 1, self.clients.1 - 1), ..*self });
        }
        if self.seconds >= 2.0 {
            smaller.push(Self { seconds: (self.seconds / 2.0).floor(), ..*self });
        }
        if self.severity > 0.1 {
            smaller.push(Self { severity: 0.0, ..*self });
            smaller.push(Self { severity: (self.severity * 5.0).floor() / 10.0, ..*self });
        }
        smaller
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_name_what_differs() {
        let brutal = Profile::named("brutal").unwrap();
        assert_eq!(brutal.flags(), "--profile brutal");
        let small = Profile { clients: (1, 1), cheats: (0, 0), seconds: 5.0, turmoil: false, ..brutal };
        assert_eq!(small.flags(), "--profile brutal --seconds 5 --clients 1 --cheats 0 --no-turmoil");
        let plain = Profile { encrypted: 0.0, reloads: false, edges: false, fault_points: 0.0, ..brutal };
        assert_eq!(plain.flags(), "--profile brutal --encrypted 0 --no-reloads --no-edges --fault-points 0");
    }

    #[test]
    fn smaller_profiles_end() {
        let mut profile = Profile::named("full").unwrap();
        let mut steps = 0;
        while let Some(smaller) = profile.smaller().pop() {
            profile = smaller;
            steps += 1;
            assert!(steps < 200);
        }
        assert_eq!((profile.clients, profile.cheats, profile.turmoil), ((1, 1), (0, 0), false));
        assert_eq!((profile.encrypted, profile.fault_points), (0.0, 0.0));
        assert!(!profile.reloads && !profile.edges);
    }
}
