//! Report of a sweep, as text, JSON and CSV.

use std::fmt::Write;

use serde_json::{Map, Value, json};
use ugas_core::number::short;

use super::statistics::{Bins, Summary};
use super::{Combination, Plan};
use crate::output::{self, count, csv_field};

/// Maximum length of a histogram's bar.
const BAR: u64 = 40;

/// Report as text: for each combination what failed, and a summary of each measure that varies.
pub(super) fn text(plan: &Plan, combinations: &[Combination]) -> String {
    let mut text = String::new();
    let scenario = &plan.scenario;
    let first = combinations.first().map_or(0, |combination| combination.seed);
    let _ = writeln!(text, "{} ({})", scenario.name(), scenario.path().display());
    let combined = count(combinations.len(), "combination");
    let each = count(plan.runs as usize, "run");
    let from_there = if plan.axes.iter().any(|axis| axis.place.field() == "Seed") {
        "seeds from the varied one".to_owned()
    } else {
        format!("seeds {first} to {}", first.wrapping_add(plan.runs - 1))
    };
    let _ = writeln!(text, "{combined}, {each} each, {from_there}");
    let measures = bins(plan, combinations);
    let is_constant = |bins: &Bins| bins.len() < 2;
    for combination in combinations {
        let title = plan.title(&combination.at);
        let failed = combination.passed.iter().filter(|passed| !**passed).count();
        let passed = combination.passed.len().saturating_sub(failed);
        let failures = if failed == 0 {
            String::new()
        } else {
            format!(", {}", output::bad(&format!("{failed} failed")))
        };
        let title = if title.is_empty() { "as written".to_owned() } else { title };
        let _ = writeln!(text, "\n{title}: {passed} passed{failures}");
        if let Some(failure) = &combination.failure {
            let _ = writeln!(text, "  first failure: {failure}");
        }
        for ((measure, bins), values) in plan.measures.iter().zip(&measures).zip(&combination.values) {
            if is_constant(bins) {
                continue;
            }
            match Summary::of(values.iter().copied().flatten()) {
                Some(summary) if summary.min == summary.max => {
                    let _ = writeln!(text, "  {}: {} in every run", measure.name(), short(summary.min));
                }
                Some(summary) => {
                    let Summary { min, mean, p50, p95, max } = summary;
                    let [min, mean, p50, p95, max] = [min, mean, p50, p95, max].map(short);
                    let name = measure.name();
                    let _ =
                        writeln!(text, "  {name}: min {min}, mean {mean}, p50 {p50}, p95 {p95}, max {max}");
                    histogram(&mut text, bins, values);
                }
                None => {
                    let _ = writeln!(text, "  {}: no value", measure.name());
                }
            }
        }
    }
    let constants = plan.measures.iter().zip(&measures).filter(|(_, bins)| is_constant(bins));
    let constants: Vec<String> = constants
        .map(|(measure, bins)| match bins.len() {
            0 => format!("{} (no value)", measure.name()),
            _ => format!("{} {}", measure.name(), short(bins.ends(0).0)),
        })
        .collect();
    if !constants.is_empty() {
        let _ = writeln!(text, "\nthe same in every run: {}", constants.join(", "));
    }
    let failed = combinations.iter().flat_map(|combination| &combination.passed).filter(|passed| !**passed);
    let failed = failed.count();
    let total = combinations.iter().map(|combination| combination.passed.len()).sum::<usize>();
    let mark = if failed == 0 { output::good("ok") } else { output::bad("FAILED") };
    let _ = writeln!(text, "\ntotal: {} passed, {failed} failed  {mark}", total.saturating_sub(failed));
    text
}

/// The bins of each measure, over all combinations.
pub(super) fn bins(plan: &Plan, combinations: &[Combination]) -> Vec<Bins> {
    let of_measure = |measure: usize| {
        let values = combinations.iter().filter_map(|combination| combination.values.get(measure));
        Bins::covering(values.flatten().copied().flatten())
    };
    (0..plan.measures.len()).map(of_measure).collect()
}

/// Writes a histogram, unless all values are the same.
fn histogram(text: &mut String, bins: &Bins, values: &[Option<f64>]) {
    let counts = bins.count(values.iter().copied().flatten());
    let most = counts.iter().copied().max().unwrap_or_default();
    if counts.iter().filter(|count| **count > 0).count() < 2 {
        return;
    }
    let label = |bin: usize| match bins.ends(bin) {
        (from, to) if from == to => short(from),
        (from, to) => format!("{} to {}", short(from), short(to)),
    };
    let labels: Vec<String> = (0..bins.len()).map(label).collect();
    let width = labels.iter().map(|label| label.chars().count()).max().unwrap_or_default();
    for (label, count) in labels.iter().zip(counts) {
        let length = (count * BAR).div_ceil(most.max(1)) as usize;
        let bar = "█".repeat(length);
        let space = if length == 0 { "" } else { " " };
        let _ = writeln!(text, "    {label:>width$} │{bar}{space}{count}");
    }
}

/// Report of a sweep as JSON: for each combination its values, seed, passed and failed runs, first failure,
/// and a summary with histogram per measure.
pub(super) fn json(plan: &Plan, combinations: &[Combination]) -> Value {
    let bins = bins(plan, combinations);
    let measures: Vec<String> = plan.measures.iter().map(super::Measure::name).collect();
    let combinations: Vec<Value> = combinations
        .iter()
        .map(|combination| {
            let values: Map<String, Value> = plan
                .axes
                .iter()
                .zip(&combination.at)
                .map(|(axis, &at)| {
                    (axis.key.clone(), axis.values.get(at).map_or(Value::Null, |value| value.json()))
                })
                .collect();
            let summaries: Map<String, Value> = measures
                .iter()
                .zip(bins.iter().zip(&combination.values))
                .map(|(name, (bins, values))| (name.clone(), summary_json(bins, values)))
                .collect();
            let failed = combination.passed.iter().filter(|passed| !**passed).count();
            json!({
                "values": values,
                "seed": combination.seed,
                "passed": combination.passed.len().saturating_sub(failed),
                "failed": failed,
                "failure": combination.failure,
                "measures": summaries,
            })
        })
        .collect();
    let sum =
        |key: &str| combinations.iter().filter_map(|combination| combination[key].as_u64()).sum::<u64>();
    json!({
        "scenario": plan.scenario.name(),
        "file": plan.scenario.path().to_string_lossy(),
        "runs": plan.runs,
        "passed": sum("passed"),
        "failed": sum("failed"),
        "combinations": combinations,
    })
}

/// Summary and histogram of one measure; null if no run has a value.
fn summary_json(bins: &Bins, values: &[Option<f64>]) -> Value {
    let Some(summary) = Summary::of(values.iter().copied().flatten()) else { return Value::Null };
    let counts = bins.count(values.iter().copied().flatten()).into_iter().enumerate();
    let histogram: Vec<Value> = counts
        .map(|(bin, count)| {
            let (from, to) = bins.ends(bin);
            json!({ "from": from, "to": to, "count": count })
        })
        .collect();
    let Summary { min, mean, p50, p95, max } = summary;
    json!({ "min": min, "mean": mean, "p50": p50, "p95": p95, "max": max, "histogram": histogram })
}

/// A CSV file with one line for each run.
pub(super) fn csv(plan: &Plan, combinations: &[Combination]) -> String {
    let mut header: Vec<String> = plan.axes.iter().map(|axis| csv_field(&axis.key)).collect();
    header.extend(["run", "seed", "passed"].map(str::to_owned));
    header.extend(plan.measures.iter().map(|measure| csv_field(&measure.name())));
    let mut text = header.join(",");
    text.push('\n');
    for combination in combinations {
        let chosen = plan.axes.iter().zip(&combination.at).filter_map(|(axis, &at)| axis.values.get(at));
        let chosen: String = chosen.map(|value| csv_field(&value.to_string()) + ",").collect();
        for (run, passed) in combination.passed.iter().enumerate() {
            let seed = combination.seed.wrapping_add(run as u64);
            let _ = write!(text, "{chosen}{run},{seed},{passed}");
            for values in &combination.values {
                match values.get(run).copied().flatten() {
                    Some(value) => {
                        let _ = write!(text, ",{value}");
                    }
                    None => text.push(','),
                }
            }
            text.push('\n');
        }
    }
    text
}
