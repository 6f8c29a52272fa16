//! `--vary KEY=A..B:STEP` and `--vary KEY=A,B,C`.

use std::fmt;

use anyhow::{Context, bail, ensure};
use ugas_data::node::Value as NodeValue;
use ugas_data::scenario::{Scenario, ValueKind, ValuePath};

use super::MAX_COMBINATIONS;

/// A varied value: its path and the values to try.
#[derive(Debug)]
pub(super) struct Axis {
    /// The path as the user wrote it.
    pub(super) key: String,
    pub(super) place: ValuePath,
    pub(super) values: Vec<AxisValue>,
}

/// A value to try.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum AxisValue {
    Number(f64),
    Text(String),
}

impl AxisValue {
    pub(super) fn node(&self) -> NodeValue {
        match self {
            Self::Number(number) => NodeValue::Number(*number),
            Self::Text(text) => NodeValue::Text(text.clone()),
        }
    }

    pub(super) fn json(&self) -> serde_json::Value {
        match self {
            Self::Number(number) => (*number).into(),
            Self::Text(text) => text.as_str().into(),
        }
    }
}

impl fmt::Display for AxisValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) => write!(f, "{text}"),
        }
    }
}

impl Axis {
    /// Parses `KEY=VALUES`. Every value is tried in the scenario, so that misfits are found before the first
    /// run.
    pub(super) fn parse(text: &str, scenario: &Scenario) -> anyhow::Result<Self> {
        let (key, values) = text.split_once('=').context("write KEY=A..B:STEP or KEY=A,B,C")?;
        let key = key.trim();
        ensure!(!key.is_empty(), "the KEY before the `=` is missing");
        let place = scenario.value_path(key)?;
        let values = values_of(values.trim(), place.kind())?;
        for value in &values {
            if let Err(error) = scenario.with_values(&[(&place, value.node())]) {
                let message = error.report.diagnostics.first().map(|first| first.message.as_str());
                bail!("{value} does not fit: {}", message.unwrap_or("the scenario cannot be read with it"));
            }
        }
        Ok(Self { key: key.to_owned(), place, values })
    }
}

/// Values of an axis: a range or list of numbers, or a list of texts.
fn values_of(text: &str, kind: ValueKind) -> anyhow::Result<Vec<AxisValue>> {
    match kind {
        ValueKind::Number if text.contains("..") => {
            Ok(range(text)?.into_iter().map(AxisValue::Number).collect())
        }
        ValueKind::Number => text.split(',').map(|item| Ok(AxisValue::Number(number(item)?.0))).collect(),
        ValueKind::Text => {
            ensure!(
                range(text).is_err(),
                "a range needs a number, but this value is a string; give a list A,B,C"
            );
            let items = text.split(',').map(str::trim);
            items
                .map(|item| {
                    ensure!(!item.is_empty(), "one of the values is empty");
                    Ok(AxisValue::Text(item.to_owned()))
                })
                .collect()
        }
    }
}

/// Parses `A..B:STEP`. Includes A, and B if the steps reach it.
fn range(text: &str) -> anyhow::Result<Vec<f64>> {
    let (bounds, step) = text.split_once(':').unwrap_or((text, "1"));
    let (from, to) = bounds.split_once("..").context("write a range as A..B:STEP")?;
    let ((from, from_decimals), (to, _), (step, step_decimals)) = (number(from)?, number(to)?, number(step)?);
    ensure!(step > 0.0, "the step must be more than 0, not {step}");
    ensure!(from <= to, "the range is reversed: write {to}..{from}");
    // Tolerance for a last step that misses the end by rounding.
    let steps = ((to - from) / step + 1e-9).floor();
    ensure!(
        steps < MAX_COMBINATIONS as f64,
        "that is {} values, but at most {MAX_COMBINATIONS} are allowed: use a larger step",
        if steps < 1e15 { (steps + 1.0).to_string() } else { "far too many".to_owned() },
    );
    let decimals = from_decimals.zip(step_decimals).map(|(from, step)| from.max(step));
    let value = |position: u64| {
        let exact = from + position as f64 * step;
        // Three steps of 0.1 must give 0.3, not 0.30000000000000004.
        let rounded = decimals.and_then(|decimals| format!("{exact:.decimals$}").parse().ok());
        rounded.unwrap_or(exact)
    };
    Ok((0..=steps as u64).map(value).collect())
}

/// Parses a number; also returns its number of decimal places, unless it has an exponent.
fn number(text: &str) -> anyhow::Result<(f64, Option<usize>)> {
    let text = text.trim();
    let number: f64 = match text.parse() {
        Ok(number) => number,
        Err(_) if text.is_empty() => bail!("a number is missing"),
        Err(_) => bail!("`{text}` is not a number"),
    };
    ensure!(number.is_finite(), "`{text}` is not a finite number");
    let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    Ok((number, (!text.contains(['e', 'E'])).then_some(decimals)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[f64]) {
        let expected: Vec<AxisValue> = expected.iter().map(|number| AxisValue::Number(*number)).collect();
        assert_eq!(values_of(text, ValueKind::Number).unwrap(), expected, "{text}");
    }

    #[test]
    fn ranges_include_both_ends_and_round_decimals() {
        check("1..3", &[1.0, 2.0, 3.0]);
        check("0..1:0.25", &[0.0, 0.25, 0.5, 0.75, 1.0]);
        check("0..0.3:0.1", &[0.0, 0.1, 0.2, 0.3]);
        check("-5..-4:0.5", &[-5.0, -4.5, -4.0]);
        check("1..10:4", &[1.0, 5.0, 9.0]);
        check("7..7", &[7.0]);
        check("1e1..3e1:1e1", &[10.0, 20.0, 30.0]);
        check("3, 1,2", &[3.0, 1.0, 2.0]);
    }

    #[track_caller]
    fn check_error(text: &str, expected: &str) {
        assert_eq!(values_of(text, ValueKind::Number).unwrap_err().to_string(), expected, "{text}");
    }

    #[test]
    fn invalid_ranges_are_rejected() {
        check_error("1..5:0", "the step must be more than 0, not 0");
        check_error("1..5:-1", "the step must be more than 0, not -1");
        check_error("5..1:1", "the range is reversed: write 1..5");
        check_error(
            "0..1e12:1",
            "that is 1000000000001 values, but at most 10000 are allowed: use a larger step",
        );
        check_error(
            "0..1e300:1e-300",
            "that is far too many values, but at most 10000 are allowed: use a larger step",
        );
        check_error(
            "-1e308..1e308:1",
            "that is far too many values, but at most 10000 are allowed: use a larger step",
        );
        check_error("NaN..1:1", "`NaN` is not a finite number");
        check_error("0..inf:1", "`inf` is not a finite number");
        check_error("1,,2", "a number is missing");
        check_error("", "a number is missing");
        check_error("1..x", "`x` is not a number");
        check_error("..", "a number is missing");
        assert!(values_of("1..3", ValueKind::Text).is_err());
        assert!(values_of("../packs/a,../packs/b", ValueKind::Text).is_ok());
    }
}
