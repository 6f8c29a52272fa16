//! Scenarios.

use ugas_core::time::{Span, Time};
use ugas_data::diagnostics::Sink;
use ugas_data::model::scenario::StateDoc;
use ugas_data::node::{self, Node};
use ugas_data::scenario::{Options, Scenario};
use ugas_data::{Loader, SourceMap};

use super::LIMITS;

/// A run is cut off here.
const LONGEST_SECONDS: f64 = 60.0;

/// A scenario that ticks more often than this is not run: it would take long and show nothing more.
const SHORTEST_PERIOD: f64 = 0.05;

/// Any text as a file of scenarios: they are refused, or run to an outcome that does not depend on the size of the
/// steps in which time passes (V4).
pub fn scenario(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if text.len() as u64 > LIMITS.file_bytes || !is_tame(&text) {
        return;
    }
    Loader::new().text("fuzz.yaml", text.as_ref()).limits(LIMITS).check();
    let Ok(scenarios) = Scenario::from_text("fuzz.yaml", text.as_ref()) else { return };
    let until = Some(Time::from_seconds(LONGEST_SECONDS));
    // What other files hold is not for a fuzzer to find out.
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

fn is_tame(text: &str) -> bool {
    fn is_tame(node: &Node) -> bool {
        let entries = node.entries().iter().all(|entry| {
            let number = entry.value.number().filter(|_| entry.key.value == "Period");
            number.is_none_or(|period| period >= SHORTEST_PERIOD || period <= 0.0) && is_tame(&entry.value)
        });
        entries && node.items().iter().all(is_tame)
    }
    let mut map = SourceMap::new();
    let file = map.add("fuzz.yaml", text);
    node::parse(&map, file, &LIMITS, &mut Sink::with_limit(0)).iter().all(is_tame)
}
