//! Bytes per client, and the cost of one more client.
//!
//! The fights of the workloads behind a server, seen by one client over a link with a round trip of 50 ms
//! that loses nothing. It is compared with the entropy of the same changes, and with a peer that replicates
//! the same changes.

mod encode;
mod entropy;
mod stage;
mod trace;

pub(crate) use encode::measure as encode;
#[cfg(feature = "peers")]
pub(crate) use trace::Change;
pub(crate) use trace::Trace;

use ugas::net::quantise::Quantiser;

use self::stage::{Setting, Stage};
use crate::line::{Goal, Line, Unit, duration};
use crate::measure::{Effort, Timing};
use crate::peers;
use crate::workloads::fights::{Battle, RAIDERS, Raid};

/// Ten heroes and two hundred minions, all in view.
pub(crate) fn moba(effort: Effort) -> Vec<Line> {
    let setting =
        Setting { rate: 30, health: 1_000.0, shown_health: steps_of_eight(), in_view: (0..210).collect() };
    lines(
        effort,
        "bytes-moba",
        2_000.0,
        "health and mana of others in 7 bits",
        Battle { casters: 10, mob: 200 },
        setting,
    )
}

/// A hundred players, thirty others in view.
pub(crate) fn players(effort: Effort) -> Vec<Line> {
    let setting =
        Setting { rate: 30, health: 1_000.0, shown_health: steps_of_eight(), in_view: (0..31).collect() };
    lines(
        effort,
        "bytes-players",
        3_000.0,
        "health and mana of others in 7 bits",
        Battle { casters: 100, mob: 0 },
        setting,
    )
}

/// Forty players and a boss, all in view. The boss has so much health that quantising it to a hundredth
/// would hide the damage to the players, so health is sent exact to the point.
pub(crate) fn raid(effort: Effort) -> Vec<Line> {
    let shown_health = Quantiser::Range { min: 0.0, max: 131_071.0, bits: 17 };
    let setting = Setting { rate: 20, health: 100_000.0, shown_health, in_view: (0..=RAIDERS).collect() };
    lines(effort, "bytes-raid", 6_000.0, "health of others to the point", Raid, setting)
}

/// Quantiser with steps of about a hundredth of the full value.
fn steps_of_eight() -> Quantiser {
    Quantiser::Range { min: 0.0, max: 1_016.0, bits: 7 }
}

fn lines(
    effort: Effort,
    name: &str,
    allowed: f64,
    exactness: &str,
    host: impl crate::workloads::Host,
    setting: Setting,
) -> Vec<Line> {
    let seconds = if effort.is_quick { 2 } else { 30 };
    let (rate, in_view) = (setting.rate, setting.in_view.len() - 1);
    let game = Stage::new(host.clone(), setting.clone()).alone(seconds);
    let trace = Stage::new(host, setting).watch(seconds);
    let each_second = |bytes: f64| bytes / f64::from(seconds);
    let entropy = entropy::of(&trace);
    let counted = |bytes: usize| each_second(bytes as f64);
    let note = format!(
        "to one client in a second of {rate} ticks, {in_view} others in view; {exactness}, and their tags; all of its own; \
         headers {:.0} B, its own {:.0} B; entropy: others {:.0} B, its own {:.0} B, who changed {:.0} B; {:.0} changes of \
         others, {:.0} of its own",
        counted(trace.header_bytes()),
        counted(trace.own_bytes()),
        each_second(entropy.others),
        each_second(entropy.own),
        each_second(entropy.which),
        counted(trace.changes(false).count()),
        counted(trace.changes(true).count()),
    );
    let floor = each_second(entropy.total());
    let replicated = peers::replicated(&trace);
    let peer = replicated.map(|(bytes, _)| (peers::REPLICON, each_second(bytes)));
    let line = |suffix: &str, goal| Line {
        unit: Unit::Bytes,
        ours: each_second(trace.bytes() as f64),
        floor: Some(floor),
        peer,
        allocations: None,
        note: note.clone(),
        ..Line::new(format!("{name}{suffix}"), Timing::default(), goal)
    };
    let whole = trace.timing().median;
    let time = Line::new(format!("{name}-time"), Timing::default(), Goal::AtMostPeer(1.0));
    let time = Line {
        ours: (whole - game.median).max(0.0),
        peer: replicated.map(|(_, time)| (peers::REPLICON, time)),
        allocations: None,
        note: format!(
            "a client more in a tick of the server: {} with it, {} without; peer: an update of its app, which finds and sends the \
             same changes, without a game; one pass, means",
            duration(whole),
            duration(game.median),
        ),
        ..time
    };
    vec![
        line("", Goal::AtMost(allowed)),
        line("-entropy", Goal::Floor(1.5)),
        line("-peer", Goal::AtMostPeer(1.0)),
        time,
    ]
}
