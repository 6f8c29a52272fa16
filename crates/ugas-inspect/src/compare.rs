//! The differences between two moments.

use serde_json::{Value as Json, json};
use ugas_core::debug::ControllerNames;
use ugas_core::simulation::Simulation;
use ugas_replay::{StateDiff, Value};

/// Maximum number of differences in one answer.
const MAX_COUNT: usize = 500;

/// Fields that differ between two states, at most [`MAX_COUNT`]; `total` has the number of all.
pub(crate) fn compare(left: &Simulation, right: &Simulation, names: &ControllerNames) -> Json {
    let diff =
        StateDiff::between(left, right, |id| names.known(left, id).unwrap_or_else(|| names.of(right, id)));
    let lines = diff.differences.iter().take(MAX_COUNT).map(|difference| {
        json!({
            "controller": difference.controller,
            "field": difference.field,
            "left": value(&difference.left),
            "right": value(&difference.right),
        })
    });
    json!({
        "left": left.now().as_seconds(),
        "right": right.now().as_seconds(),
        "differences": lines.collect::<Vec<_>>(),
        "total": diff.differences.len(),
    })
}

fn value(value: &Value) -> Json {
    match value {
        Value::Absent => Json::Null,
        Value::Number(number) => json!(number),
        Value::Count(count) => json!(count),
        Value::Text(text) => json!(text),
    }
}
