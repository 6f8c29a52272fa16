//! Bytes per client, the cost of one more client, and a server with a hundred clients.
//!
//! The fights of the workloads behind a server, seen by one client over a link with a round trip of 50 ms
//! that loses nothing. It is compared with the entropy of the same changes, and with a peer that replicates
//! the same changes. Two more lines repeat each fight with a link that loses one datagram in twenty, and with
//! computed damage.

mod encode;
mod entropy;
mod server;
mod stage;
mod trace;

pub(crate) use encode::measure as encode;
pub(crate) use server::measure as server;
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
    let setting = Setting::new(30, 1_000.0, steps_of_eight(), (0..210).collect());
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
    let setting = Setting::new(30, 1_000.0, steps_of_eight(), (0..31).collect());
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
    let setting = Setting::new(20, 100_000.0, shown_health, (0..=RAIDERS).collect());
    lines(effort, "bytes-raid", 6_000.0, "health of others to the point", Raid, setting)
}

/// Probability that a datagram is lost in the lines with loss.
const LOSS: f64 = 0.05;

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
    let game = Stage::new(host.clone(), setting.clone(), 1).alone(seconds);
    let trace = Stage::new(host.clone(), setting.clone(), 1).watch(seconds).trace;
    let lossy = Setting { loss: LOSS, ..setting.clone() };
    let lossy = Stage::new(host.clone(), lossy, 1).watch(seconds).trace.bytes() as f64 / f64::from(seconds);
    let computed = Stage::new(host, Setting { is_computed: true, ..setting }, 1).watch(seconds).trace;
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
    let loss = Line {
        ours: lossy,
        floor: None,
        peer: Some(("without loss", each_second(trace.bytes() as f64))),
        note: format!(
            "the same fight and client, {:.0} % of the datagrams lost in both directions",
            LOSS * 100.0
        ),
        ..line("-loss", Goal::AtMostPeer(1.15))
    };
    let computed = Line {
        ours: each_second(computed.bytes() as f64),
        floor: Some(each_second(entropy::of(&computed).total())),
        peer: None,
        note: format!(
            "the same fight, damage and healing scaled by the health of the target; {:.0} changes of others, {:.0} of its own",
            counted(computed.changes(false).count()),
            counted(computed.changes(true).count()),
        ),
        ..line("-computed", Goal::Floor(1.7))
    };
    vec![
        line("", Goal::AtMost(allowed)),
        line("-entropy", Goal::Floor(1.5)),
        line("-peer", Goal::AtMostPeer(1.0)),
        loss,
        computed,
        time,
    ]
}
