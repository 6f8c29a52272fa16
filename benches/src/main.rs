//! Measures promises about speed as ratios inside one run. `--json` prints them for tools.

mod check;

use std::time::Instant;

use serde_json::{Value, json};

/// One promise, measured.
pub(crate) struct Measured {
    pub(crate) name: &'static str,
    pub(crate) ours_ns: u128,
    pub(crate) floor_ns: u128,
    /// Ours may take so many times the floor.
    pub(crate) goal: f64,
    pub(crate) note: String,
}

impl Measured {
    fn ratio(&self) -> f64 {
        self.ours_ns as f64 / self.floor_ns.max(1) as f64
    }

    fn verdict(&self) -> &'static str {
        if self.ratio() <= self.goal { "met" } else { "short" }
    }

    fn to_json(&self) -> Value {
        json!({
            "name": self.name,
            "ours_ns": self.ours_ns,
            "peer": null,
            "peer_ns": null,
            "floor_ns": self.floor_ns,
            "ratio": self.ratio(),
            "goal": self.goal,
            "allocations": null,
            "verdict": self.verdict(),
            "note": self.note,
        })
    }
}

/// The best of some runs of both, in turn, so that a disturbance does not hit only one of them.
pub(crate) fn best_of(runs: u32, mut ours: impl FnMut(), mut floor: impl FnMut()) -> (u128, u128) {
    let mut best = (u128::MAX, u128::MAX);
    for _ in 0..runs {
        best.1 = best.1.min(time(&mut floor));
        best.0 = best.0.min(time(&mut ours));
    }
    best
}

fn time(run: &mut impl FnMut()) -> u128 {
    let start = Instant::now();
    run();
    start.elapsed().as_nanos()
}

fn main() {
    let measured = [check::measure()];
    if std::env::args().any(|argument| argument == "--json") {
        println!("{:#}", measured.iter().map(Measured::to_json).collect::<Value>());
        return;
    }
    for one in &measured {
        println!(
            "{}: {:.1} ms, floor {:.1} ms, {:.2} times (goal {}): {}\n  {}",
            one.name,
            one.ours_ns as f64 / 1e6,
            one.floor_ns as f64 / 1e6,
            one.ratio(),
            one.goal,
            one.verdict(),
            one.note
        );
    }
}
