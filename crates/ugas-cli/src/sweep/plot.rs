//! Charts of a sweep: one for each measure, with a sideways histogram for each combination.

use plotters::prelude::*;
use ugas_core::number::short;

use super::report::bins;
use super::statistics::{Bins, Summary};
use super::{Combination, Plan};
use crate::plot::{self, Canvas, Role, TEXT, TITLE, axis_range, label, legend, text_style};

/// Maximum number of columns; more would be too narrow.
const MAX_COLUMNS: u64 = 200;

/// Maximum number of charts.
const MAX_CHARTS: usize = 24;

const WIDTH: u32 = 960;
const HEAD: u32 = 68;
const CHART: u32 = 260;

/// Colours of a combination's histogram and percentiles.
const HISTOGRAM: Role = Role::Series(0);
const MIDDLE: Role = Role::Series(1);
const HIGH: Role = Role::Series(3);

/// Fails if there are too many combinations for a plot, before anything is played.
pub(super) fn check_size(plan: &Plan) -> anyhow::Result<()> {
    anyhow::ensure!(
        plan.combinations <= MAX_COLUMNS,
        "a plot shows at most {MAX_COLUMNS} combinations, but there are {}; use larger steps, or no --plot",
        plan.combinations,
    );
    Ok(())
}

/// Plot of all combinations: a histogram for each measure that varies, up to a limit.
pub(super) fn svg(plan: &Plan, combinations: &[Combination]) -> anyhow::Result<String> {
    let bins = bins(plan, combinations);
    // Constant measures need no chart, unless there are no others.
    let mut shown: Vec<usize> = (0..plan.measures.len()).collect();
    if bins.iter().any(|bins| bins.len() > 1) {
        shown.retain(|&measure| bins.get(measure).is_some_and(|bins| bins.len() > 1));
    }
    let left_out = shown.len().saturating_sub(MAX_CHARTS);
    shown.truncate(MAX_CHARTS);
    let height = HEAD + CHART * (shown.len() as u32).max(1) + if left_out > 0 { 24 } else { 0 };
    let name = plan.scenario.name();
    plot::draw((WIDTH, height), name, |canvas| {
        canvas.draw(&Text::new(label(name, 90), (16, 12), text_style(TITLE)))?;
        let names = [(HISTOGRAM, "runs with this value"), (MIDDLE, "p50"), (HIGH, "p95")];
        legend(canvas, 42, 16, names.into_iter())?;
        for (row, &measure) in (0..).zip(&shown) {
            if let (Some(bins), Some(named)) = (bins.get(measure), plan.measures.get(measure)) {
                let area = canvas.clone().shrink((0, HEAD + CHART * row), (WIDTH, CHART));
                chart(&area, plan, combinations, measure, &named.name(), bins)?;
            }
        }
        if left_out > 0 {
            let text = format!("and {left_out} more; choose with --measure");
            canvas.draw(&Text::new(text, (16, height as i32 - 22), text_style(TEXT)))?;
        }
        Ok(())
    })
}

/// Chart of one measure: for each combination a histogram, with the median and the 95th percentile.
fn chart(
    canvas: &Canvas<'_>,
    plan: &Plan,
    combinations: &[Combination],
    measure: usize,
    name: &str,
    bins: &Bins,
) -> anyhow::Result<()> {
    let values = |combination: &Combination| {
        combination.values.get(measure).cloned().unwrap_or_default().into_iter().flatten()
    };
    let range = axis_range(combinations.iter().flat_map(values));
    // Height of the bar of a single value.
    let thickness = (range.end - range.start) / 30.0;
    let titles: Vec<String> =
        combinations.iter().map(|combination| column_title(plan, combination)).collect();
    let columns = combinations.len();
    let mut chart = ChartBuilder::on(canvas)
        .margin(12)
        .margin_right(24)
        .x_label_area_size(52)
        .y_label_area_size(84)
        .build_cartesian_2d(0.0..columns as f64, range)?;
    let key = plan.axes.iter().map(|axis| axis.key.as_str()).collect::<Vec<_>>().join(", ");
    chart
        .configure_mesh()
        .disable_x_mesh()
        .axis_style(Role::Ink.colour())
        .bold_line_style(Role::Grid.colour())
        .light_line_style(TRANSPARENT)
        .label_style(text_style(TEXT))
        .axis_desc_style(text_style(TEXT))
        .x_desc(if key.is_empty() { "as written".to_owned() } else { label(&key, 100) })
        .y_desc(label(name, 30))
        .x_labels(0)
        .y_label_formatter(&|y| short(*y))
        .draw()?;
    let most = combinations.iter().flat_map(|combination| bins.count(values(combination))).max().unwrap_or(1);
    for (column, combination) in combinations.iter().enumerate() {
        let left = column as f64 + 0.08;
        let counts = bins.count(values(combination));
        let bars = counts.into_iter().enumerate().filter(|(_, count)| *count > 0).map(|(bin, count)| {
            let (from, to) = match bins.ends(bin) {
                (from, to) if from == to => (from - thickness / 2.0, to + thickness / 2.0),
                ends => ends,
            };
            let length = 0.84 * count as f64 / most.max(1) as f64;
            Rectangle::new([(left, from), (left + length, to)], HISTOGRAM.colour().mix(0.55).filled())
        });
        chart.draw_series(bars)?;
        if let Some(summary) = Summary::of(values(combination)) {
            for (value, role) in [(summary.p95, HIGH), (summary.p50, MIDDLE)] {
                let line = [(left, value), (left + 0.84, value)];
                chart.draw_series([PathElement::new(line, role.colour().stroke_width(2))])?;
            }
        }
    }
    column_titles(canvas, &chart.plotting_area().get_pixel_range(), &titles)
}

/// The values of a combination, without their keys.
fn column_title(plan: &Plan, combination: &Combination) -> String {
    let values = plan.axes.iter().zip(&combination.at).filter_map(|(axis, &at)| axis.values.get(at));
    values.map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// Draws titles below the columns; skips some if there is not enough space.
fn column_titles(
    canvas: &Canvas<'_>,
    (x, y): &(std::ops::Range<i32>, std::ops::Range<i32>),
    titles: &[String],
) -> anyhow::Result<()> {
    let longest = titles.iter().map(|title| title.chars().count()).max().unwrap_or(0).min(18) as i32;
    let column = f64::from(x.end - x.start) / titles.len().max(1) as f64;
    let every = (f64::from(longest * 9 + 8) / column).ceil().max(1.0) as usize;
    let (base_x, base_y) = canvas.get_base_pixel();
    for (position, title) in titles.iter().enumerate().step_by(every) {
        let middle = f64::from(x.start) + (position as f64 + 0.5) * column;
        let title = label(title, 18);
        let left = middle - 4.0 * title.chars().count() as f64;
        let at = (left as i32 - base_x, y.end + 6 - base_y);
        canvas.draw(&Text::new(title, at, text_style(TEXT)))?;
    }
    Ok(())
}
