//! Soak tests: whole matches under faults and cheats, each drawn from a seed, and checked against all
//! invariants.
//!
//! A match has a server, honest clients and cheats, on links that lose, delay, reorder, repeat and damage
//! datagrams, with clocks that are wrong, machines that stall, and clients that come and go. When the faults
//! are over, every client must show the server's state, and everything on the way must have been correct: see
//! [`Kind`] for the checks, and *What a client will see* in the manual for the guarantees. The same seed
//! gives the same match, so that a failure can be replayed.
//!
//! ```
//! use ugas_netsim::soak::{Profile, play};
//!
//! let profile = Profile::named("calm").expect("it is one of `Profile::NAMES`");
//! let report = play(&Profile { seconds: 1.0, clients: (1, 1), ..profile }, 7);
//! assert_eq!(report.violations, []);
//! ```

mod bot;
mod cheat;
mod checks;
mod encryption;
mod event_audit;
mod faults;
mod game;
mod oracle_view;
mod player;
mod profile;
mod rate_of_fire;
mod reach_audit;
mod report;
mod server_audit;
mod soak_match;

use std::panic::{AssertUnwindSafe, catch_unwind};

pub use profile::Profile;
pub use rate_of_fire::{RATE_OF_FIRE_PINGS, RATE_OF_FIRE_RATES, RateOfFire, rate_of_fire};
pub use report::{Kind, Report, Violation};

use soak_match::SoakMatch;

/// Whether fault points are compiled in (feature `fault-points`).
pub const HAS_FAULT_POINTS: bool = cfg!(feature = "fault-points");

/// One of so many seeds is played twice, to check determinism.
const TWICE: u64 = 4;

/// Plays the match of a seed, and reports violated invariants. One of four seeds is played twice; different
/// results are a [`Kind::Determinism`] violation.
pub fn play(profile: &Profile, seed: u64) -> Report {
    let mut report = once(profile, seed);
    if seed.is_multiple_of(TWICE) {
        let again = once(profile, seed);
        if again.hash != report.hash {
            let message = format!("{:016x} the first time, {:016x} the second", report.hash, again.hash);
            report.violations.push(violation(profile, seed, Kind::Determinism, message));
        }
    }
    report
}

/// Most matches that [`minimise`] plays.
const MOST_TRIES: u32 = 40;

/// The smallest profile found whose match of a seed still violates an invariant of a kind: fewer players,
/// shorter, fewer faults. Plays at most 40 matches.
pub fn minimise(profile: &Profile, seed: u64, kind: Kind) -> Profile {
    let mut tries = 0;
    let mut fails = |candidate: &Profile| {
        tries += 1;
        tries <= MOST_TRIES && once(candidate, seed).violations.iter().any(|found| found.kind == kind)
    };
    let mut smallest = *profile;
    while let Some(smaller) = smallest.smaller().into_iter().find(&mut fails) {
        smallest = smaller;
    }
    smallest
}

/// Plays a match once. A panic becomes a violation, with an otherwise empty report.
fn once(profile: &Profile, seed: u64) -> Report {
    let played = catch_unwind(AssertUnwindSafe(|| SoakMatch::new(*profile, seed).play()));
    #[cfg(feature = "fault-points")]
    ugas_net::fault_points::disarm();
    let (mut report, found) = match played {
        Ok(played) => played,
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            let report = Report { seeds: 1, ..Report::default() };
            (report, vec![(Kind::Panic, text.unwrap_or_else(|| "no panic message".into()))])
        }
    };
    report.violations =
        found.into_iter().map(|(kind, message)| violation(profile, seed, kind, message)).collect();
    report
}

/// A violation with the command line that replays its match.
fn violation(profile: &Profile, seed: u64, kind: Kind, message: String) -> Violation {
    let replay = format!("ugas soak {} --seed {seed} --seeds 1", profile.flags());
    Violation { seed, kind, message, replay }
}
