//! `ugas soak`.
//!
//! Every match is a pure function of its profile and seed, and reports are joined in the order of seeds, so
//! that they do not depend on the number of threads (V6).

use std::fmt::Write;

use anyhow::bail;
use clap::Args;
use rayon::prelude::*;
use serde_json::{Value, json};
use ugas_core::nearest::nearest;
use ugas_netsim::soak::{self, Profile, RateOfFire, Report};

use crate::Status;
use crate::output::{self, Format};

/// Name of the profile that is a measurement instead of matches.
const RATE_OF_FIRE: &str = "rate-of-fire";

/// Runs networked matches with faults and cheats, and checks invariants
///
/// Each seed generates a small game, honest and cheating clients, and faults: loss, bursts, delay,
/// reordering, duplication, corruption, one-way partitions, narrow links, wrong clocks, stalling machines,
/// clients that join and leave, controllers that become visible and change owners, hot reloads of the rules,
/// counters that wrap. Half of the matches have the real transport in the loop, and a vandal who forges
/// and repeats its packets. After the faults, every
/// client must converge to exactly what it may see, and commands, costs, cooldowns, events and cues must have
/// been correct throughout. The same seed gives the same match.
///
/// Profiles: calm (no faults), short, standard, brutal, cheats, crowd, full (50 to 64 players), encrypted
/// (always with the transport), hour (matches of an hour), faults (fault points inside the code, with the
/// feature `fault-points` only); and rate-of-fire, which uses no seeds
/// but counts the shots of a weapon at several tick rates and round trips.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ugas soak                                            a hundred short matches
  ugas soak --seeds 10000 --profile brutal
  ugas soak --profile brutal --seed 4711 --seeds 1     repeats one match
  ugas soak --profile cheats --forever                 until a violation is found
  ugas soak --profile rate-of-fire                     shots in a minute at 20 to 128 Hz and 0 to 300 ms

Exit status: 0 without violations, 1 with violations, 2 usage error.")]
pub(crate) struct Arguments {
    /// Number of seeds
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    seeds: u64,
    /// First seed
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Length of the matches and severity of the faults
    #[arg(long, value_name = "NAME", default_value = "short")]
    profile: String,
    /// Duration of the faults in seconds, instead of the profile's
    #[arg(long, value_name = "SECONDS", value_parser = crate::seconds::positive)]
    seconds: Option<f64>,
    /// Number of honest clients, instead of the profile's
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000))]
    clients: Option<u64>,
    /// Number of cheats, instead of the profile's
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(0..=1_000))]
    cheats: Option<u64>,
    /// Severity of the network from 0 to 1, instead of the profile's
    #[arg(long, value_name = "X")]
    severity: Option<f64>,
    /// No clients that come and go, no changes of view and ownership, no stalls
    #[arg(long)]
    no_turmoil: bool,
    /// Share of the matches with the real transport in the loop, from 0 to 1, instead of the profile's
    #[arg(long, value_name = "X")]
    encrypted: Option<f64>,
    /// No hot reloads of the rules
    #[arg(long)]
    no_reloads: bool,
    /// All counters start at zero, instead of often shortly before they wrap
    #[arg(long)]
    no_edges: bool,
    /// Chance from 0 to 1 with which each fault point inside the code fails; needs a build with the feature `fault-points`
    #[arg(long, value_name = "X")]
    fault_points: Option<f64>,
    /// Play seed after seed until a violation is found; prints a line for every --seeds matches
    #[arg(long, conflicts_with = "format")]
    forever: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Number of threads; by default, one per core
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

/// Runs `ugas soak`: matches with simulated networks, and checks of their invariants. Negative if one is
/// violated.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Status> {
    if arguments.profile == RATE_OF_FIRE {
        return rate_of_fire(arguments.format);
    }
    let Some(profile) = Profile::named(&arguments.profile) else {
        let known = || Profile::NAMES.into_iter().chain([RATE_OF_FIRE]);
        let hint = output::hint(nearest(&arguments.profile, known()), known());
        bail!("unknown profile `{}`{hint}", arguments.profile);
    };
    let profile = changed(profile, arguments)?;
    let mut report = play(&profile, arguments.seed, arguments)?;
    while arguments.forever && report.violations.is_empty() {
        let hours = report.simulated_seconds / 3_600.0;
        output::print(&format!("{} matches, {hours:.2} h simulated, 0 violations\n", report.seeds))?;
        let next = arguments.seed.wrapping_add(report.seeds);
        report = report.join(play(&profile, next, arguments)?);
    }
    match arguments.format {
        Format::Json => output::print_json(&json_report(&report))?,
        Format::Text => output::print(&text_report(&profile, &report))?,
    }
    if let (Format::Text, Some(first)) = (arguments.format, report.violations.first()) {
        let smallest = soak::minimise(&profile, first.seed, first.kind);
        if smallest != profile {
            let (flags, seed) = (smallest.flags(), first.seed);
            output::print(&format!("smallest match found: ugas soak {flags} --seed {seed} --seeds 1\n"))?;
        }
    }
    Ok(if report.violations.is_empty() { Status::Success } else { Status::Negative })
}

/// The profile with the changes that the flags ask for.
fn changed(profile: Profile, arguments: &Arguments) -> anyhow::Result<Profile> {
    let severity = arguments.severity.unwrap_or(profile.severity);
    let encrypted = arguments.encrypted.unwrap_or(profile.encrypted);
    let fault_points = arguments.fault_points.unwrap_or(profile.fault_points);
    for (flag, share) in
        [("--severity", severity), ("--encrypted", encrypted), ("--fault-points", fault_points)]
    {
        if !(0.0..=1.0).contains(&share) {
            bail!("{flag} {share} is out of range: give a number from 0 to 1");
        }
    }
    if !soak::HAS_FAULT_POINTS && (fault_points > 0.0 || profile.name == "faults") {
        bail!("fault points are not compiled in: build ugas-cli with `--features fault-points`");
    }
    Ok(Profile {
        seconds: arguments.seconds.unwrap_or(profile.seconds),
        clients: arguments.clients.map_or(profile.clients, |count| (count, count)),
        cheats: arguments.cheats.map_or(profile.cheats, |count| (count, count)),
        severity,
        turmoil: profile.turmoil && !arguments.no_turmoil,
        encrypted,
        reloads: profile.reloads && !arguments.no_reloads,
        edges: profile.edges && !arguments.no_edges,
        fault_points,
        ..profile
    })
}

/// Plays a match for each seed from `first` on, on several threads; the report does not depend on their
/// number.
fn play(profile: &Profile, first: u64, arguments: &Arguments) -> anyhow::Result<Report> {
    let threads = usize::from(arguments.threads.unwrap_or(0));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let progress = output::progress(arguments.seeds, "matches");
    let reports: Vec<Report> = pool.install(|| {
        let seeds = (0..arguments.seeds).into_par_iter().map(|at| first.wrapping_add(at));
        seeds.map(|seed| soak::play(profile, seed)).inspect(|_| progress.inc(1)).collect()
    });
    progress.finish_and_clear();
    Ok(reports.into_iter().fold(Report::default(), Report::join))
}

fn json_report(report: &Report) -> Value {
    let failures: Vec<Value> = report
        .violations
        .iter()
        .map(|violation| json!({ "seed": violation.seed, "kind": violation.kind.name(), "replay": violation.replay }))
        .collect();
    json!({
        "seeds": report.seeds,
        "simulated_seconds": report.simulated_seconds,
        "faults": report.faults,
        "violations": report.violations.len(),
        "failures": failures,
    })
}

fn text_report(profile: &Profile, report: &Report) -> String {
    /// Maximum number of printed violations.
    const MAX_SHOWN: usize = 20;

    let mut text = String::new();
    let _ = writeln!(text, "profile {}", profile.name);
    let width = report.faults.keys().map(|fault| fault.len()).max().unwrap_or_default().max(20);
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "  {name:width$}  {value:>12}");
    };
    line("seeds", report.seeds.to_string());
    line("simulated hours", format!("{:.2}", report.simulated_seconds / 3_600.0));
    line("datagrams", report.datagrams.to_string());
    line("commands that ran", report.commands.to_string());
    line("commands rejected", report.rejected.to_string());
    let timely = 1.0 - report.untimely as f64 / report.honest.max(1) as f64;
    line("honest and in time", format!("{:.1} %", 100.0 * timely));
    line("clients kicked", report.kicked.to_string());
    for (fault, count) in &report.faults {
        line(fault, count.to_string());
    }
    for violation in report.violations.iter().take(MAX_SHOWN) {
        let _ = writeln!(text, "\nseed {}: {}: {}", violation.seed, violation.kind.name(), violation.message);
        let _ = writeln!(text, "  repeat with: {}", violation.replay);
    }
    let more = report.violations.len().saturating_sub(MAX_SHOWN);
    if more > 0 {
        let _ = writeln!(text, "\nand {more} more");
    }
    let mark = if report.violations.is_empty() { output::good("ok") } else { output::bad("FAILED") };
    let _ = writeln!(text, "\n{}  {mark}", output::count(report.violations.len(), "violation"));
    text
}

/// Measures the rate of fire of a weapon at several tick rates and round trips.
fn rate_of_fire(format: Format) -> anyhow::Result<Status> {
    let rates = soak::RATE_OF_FIRE_RATES.into_iter();
    let cases = rates.flat_map(|rate| soak::RATE_OF_FIRE_PINGS.into_iter().map(move |ping| (rate, ping)));
    let cases: Vec<(u32, u32)> = cases.collect();
    let rows: Vec<RateOfFire> =
        cases.into_par_iter().map(|(rate, ping)| soak::rate_of_fire(rate, ping)).collect();
    let is_fair = rows.iter().all(|row| row.shots == row.expected);
    match format {
        Format::Json => {
            let row = |row: &RateOfFire| {
                json!({
                    "tick_rate": row.rate,
                    "round_trip_ms": row.round_trip,
                    "shots": row.shots,
                    "mispredicted": row.mispredicted,
                })
            };
            output::print_json(
                &json!({ "expected": rows.first().map(|row| row.expected), "rows": rows.iter().map(row).collect::<Vec<_>>() }),
            )?;
        }
        Format::Text => {
            let mut text = String::from("shots in 60 s of a weapon that cools down for 0.2 s\n");
            let _ = writeln!(
                text,
                "  {:>6}  {:>10}  {:>10}  {:>12}",
                "rate", "round trip", "shots", "mispredicted"
            );
            for RateOfFire { rate, round_trip, shots, expected, mispredicted } in &rows {
                let shots = format!("{shots} of {expected}");
                let _ = writeln!(text, "  {rate:>3} Hz  {round_trip:>7} ms  {shots:>10}  {mispredicted:>12}");
            }
            let mark = if is_fair { output::good("ok") } else { output::bad("FAILED") };
            let _ = writeln!(text, "the same at every tick rate and round trip  {mark}");
            output::print(&text)?;
        }
    }
    Ok(if is_fair { Status::Success } else { Status::Negative })
}
