//! Curves: time of one operation against the size of everything that users control.

mod abilities;
mod attributes;
mod catalogs;
mod effects;
mod population;
mod tags;

use crate::arguments::Arguments;
use crate::line::duration;
use crate::measure::{Effort, Subject, alone};
use crate::table::render_rows;

/// Expected growth of the time of one operation with n.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Theory {
    /// Constant.
    Flat,
    /// Logarithmic, with the cache misses of a tree.
    Logarithmic,
    /// Linear: one operation involves all n.
    Linear,
}

impl Theory {
    fn exponent(self) -> f64 {
        match self {
            Self::Flat => 0.0,
            Self::Logarithmic => 0.2,
            Self::Linear => 1.0,
        }
    }
}

/// Tolerance of the fitted exponent for caches and logarithms.
const TOLERANCE: f64 = 0.3;

/// One curve.
struct Curve {
    name: &'static str,
    /// Description of one operation, and the meaning of n.
    what: &'static str,
    theory: Theory,
    sizes: &'static [usize],
    subject: fn(usize) -> Subject<'static>,
}

fn flat(name: &'static str, what: &'static str, subject: fn(usize) -> Subject<'static>) -> Curve {
    Curve { name, what, theory: Theory::Flat, sizes: &[10, 100, 1_000, 4_000], subject }
}

fn linear(name: &'static str, what: &'static str, subject: fn(usize) -> Subject<'static>) -> Curve {
    Curve { theory: Theory::Linear, ..flat(name, what, subject) }
}

impl Curve {
    fn logarithmic(self) -> Self {
        Self { theory: Theory::Logarithmic, ..self }
    }

    fn sizes(self, sizes: &'static [usize]) -> Self {
        Self { sizes, ..self }
    }
}

fn curves() -> Vec<Curve> {
    [
        population::curves(),
        attributes::curves(),
        tags::curves(),
        effects::curves(),
        abilities::curves(),
        catalogs::curves(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Measures all curves, and lists those that grow faster than expected.
///
/// # Errors
/// If a requested curve does not exist.
pub(crate) fn measure(arguments: &Arguments, effort: Effort) -> Result<String, String> {
    let names: Vec<&str> = curves().iter().map(|curve| curve.name).collect();
    arguments.check_names(&names)?;
    let effort = Effort { rounds: 3, slice: effort.slice / 2, ..effort };
    let mut rows = Vec::new();
    let mut worse = Vec::new();
    for curve in curves().into_iter().filter(|curve| arguments.wants(curve.name)) {
        eprintln!("measuring {}", curve.name);
        let sizes = if arguments.quick { &curve.sizes[..2] } else { curve.sizes };
        let points: Vec<(usize, f64)> =
            sizes.iter().map(|&size| (size, alone(effort, (curve.subject)(size)).median)).collect();
        let exponent = fit(&points);
        let is_worse = exponent > curve.theory.exponent() + TOLERANCE;
        let shown = points.iter().map(|(size, time)| format!("{size}: {}", duration(*time)));
        let shown = shown.collect::<Vec<_>>().join(", ");
        let expected = format!("{:?}", curve.theory).to_lowercase();
        let verdict = if is_worse { "worse" } else { "as expected" };
        if is_worse {
            worse.push(format!("{} (n^{exponent:.2}, expected {expected}): {}", curve.name, curve.what));
        }
        let cells = [curve.name, &shown, &format!("{exponent:.2}"), &expected, verdict, curve.what];
        rows.push(cells.map(str::to_owned));
    }
    let head = ["curve", "n: time for one operation", "exponent", "expected", "verdict", "one operation"];
    let table = render_rows(&head, rows.iter().map(|row| &row[..]));
    let list: String = worse.iter().map(|line| format!("- {line}\n")).collect();
    Ok(format!("{table}\n{} of {} curves grow faster than expected.\n\n{list}", worse.len(), rows.len()))
}

/// The slope of the line through the points in a plot with two logarithmic axes; of the upper three sizes,
/// where constant costs no longer hide the growth.
fn fit(points: &[(usize, f64)]) -> f64 {
    let points = &points[points.len().saturating_sub(3)..];
    let logarithms: Vec<(f64, f64)> =
        points.iter().map(|&(size, time)| (natural_log(size as f64), natural_log(time))).collect();
    let count = logarithms.len() as f64;
    let mean = |part: fn(&(f64, f64)) -> f64| logarithms.iter().map(part).sum::<f64>() / count;
    let (x_mean, y_mean) = (mean(|point| point.0), mean(|point| point.1));
    let covariance: f64 = logarithms.iter().map(|(x, y)| (x - x_mean) * (y - y_mean)).sum();
    let variance: f64 = logarithms.iter().map(|(x, _)| (x - x_mean) * (x - x_mean)).sum();
    covariance / variance.max(f64::MIN_POSITIVE)
}

#[expect(clippy::disallowed_methods, reason = "a slope to two digits is the same on every platform")]
fn natural_log(value: f64) -> f64 {
    value.ln()
}
