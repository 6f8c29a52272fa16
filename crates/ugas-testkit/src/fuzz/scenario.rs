//! Fuzz bodies for scenarios.

use ugas_core::hash::StateHasher;
use ugas_core::time::{Span, Time};
use ugas_data::diagnostics::Sink;
use ugas_data::model::scenario::StateDoc;
use ugas_data::node::{self, Node};
use ugas_data::scenario::{Options, Scenario, state_text};
use ugas_data::{Loader, SourceMap};

use super::LIMITS;

/// Longest run, in simulated seconds.
const LONGEST_SECONDS: f64 = 60.0;

/// Shortest period in seconds; scenarios with shorter ones are skipped because they take long and find no
/// more bugs.
const SHORTEST_PERIOD: f64 = 0.05;

/// First bytes of a snapshot of version 3, the last whose hashes of rules and states are not compared.
const HEAD: [u8; 5] = *b"UGSN\x03";

/// Bytes of the checksum at the end of a snapshot.
const CHECKSUM_BYTES: usize = 8;

/// Fuzz body: loads any text as a file of scenarios. They are rejected, or run to an outcome that does not
/// depend on the step size (V4). Text that would run too long, or refers to other files, is skipped.
pub fn scenario(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if text.len() as u64 > LIMITS.file_bytes || !has_only_long_periods(&text) {
        return;
    }
    Loader::new().text("fuzz.yaml", text.as_ref()).limits(LIMITS).check();
    let Ok(scenarios) = Scenario::from_text("fuzz.yaml", text.as_ref()) else { return };
    let until = Some(Time::from_seconds(LONGEST_SECONDS));
    // Scenarios that refer to other files are skipped.
    let is_alone = |scenario: &&Scenario| {
        let doc = scenario.doc();
        doc.pack.is_none() && !matches!(doc.state, Some(StateDoc::File(_)))
    };
    for scenario in scenarios.iter().filter(is_alone).take(4) {
        let at_once = scenario.run(&Options { until, ..Options::default() });
        let step = Some(Span::seconds(0.37));
        let in_pieces = scenario.run(&Options { until, step, ..Options::default() });
        assert_eq!(at_once.hash, in_pieces.hash, "the size of the steps matters:\n{text}");
        assert_eq!(at_once.failures, in_pieces.failures, "the size of the steps matters:\n{text}");
        at_once.to_json();
    }
}

/// Fuzz body: uses any bytes as the initial state of a scenario with its own rules. A forged file has a valid
/// checksum, and an older version has no hash of rules, so both are corrected here. The state is rejected, or
/// runs to an outcome that does not depend on the step size (V4).
pub fn state(bytes: &[u8]) {
    let Some((_, body)) = bytes.split_at_checked(HEAD.len()) else { return };
    let mut forged = [&HEAD, body].concat();
    forged.truncate(bytes.len().saturating_sub(CHECKSUM_BYTES).max(HEAD.len()));
    let mut checksum = StateHasher::new();
    checksum.bytes(&forged);
    forged.extend(checksum.finish().to_le_bytes());
    let state: String = state_text(&forged).lines().map(|line| format!("  {line}\n")).collect();
    let text = format!(
        "Name: forged\nConfig: {{ CascadeLimit: 200 }}\nSteps: [ Advance: 0.01, Expect: {{}} ]\nState: |\n{state}"
    );
    Loader::new().text("fuzz.yaml", text.as_str()).as_set().check();
    let Ok(scenarios) = Scenario::from_text("fuzz.yaml", text.as_str()) else {
        panic!("what was written cannot be read:\n{text}")
    };
    for scenario in &scenarios {
        let at_once = scenario.run(&Options::default());
        let step = Some(Span::seconds(0.0037));
        let in_pieces = scenario.run(&Options { step, ..Options::default() });
        assert_eq!(at_once.hash, in_pieces.hash, "the size of the steps matters:\n{text}");
        assert_eq!(at_once.failures, in_pieces.failures, "the size of the steps matters:\n{text}");
        at_once.to_json();
    }
}

/// Seeds of [`state`]: snapshots with rules of the shared game, in progress and at its start.
pub fn state_seeds() -> Vec<Vec<u8>> {
    let simulations = [super::bytes::started_simulation().clone(), super::bytes::driver().sim];
    simulations.iter().map(|simulation| simulation.snapshot().to_bytes_with_rules()).collect()
}

/// Whether every `Period` in the text is long enough for a fuzz run ([`SHORTEST_PERIOD`]) or not positive,
/// which is refused. True for text that does not parse, because the loader rejects it.
fn has_only_long_periods(text: &str) -> bool {
    /// The same for one node of the parsed text and everything below it.
    fn has_only_long_periods(node: &Node) -> bool {
        let entries = node.entries().iter().all(|entry| {
            let number = entry.value.number().filter(|_| entry.key.value == "Period");
            number.is_none_or(|period| period >= SHORTEST_PERIOD || period <= 0.0)
                && has_only_long_periods(&entry.value)
        });
        entries && node.items().iter().all(has_only_long_periods)
    }
    let mut map = SourceMap::new();
    let file = map.add("fuzz.yaml", text);
    node::parse(&map, file, &LIMITS, &mut Sink::with_limit(0)).iter().all(has_only_long_periods)
}
