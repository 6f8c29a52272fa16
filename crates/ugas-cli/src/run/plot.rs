//! `run --plot`: charts of attributes over time for each scenario, with the active effects below.
//!
//! Attributes that never change are left out. Each attribute has a chart of its own, because their ranges
//! differ; a controller has the same colour everywhere.

use std::ops::Range;

use plotters::prelude::*;

use super::timeline::{Lane, Series, Timeline};
use crate::plot::{
    self, Canvas, Role, TEXT, TITLE, axis_range, label, legend, text_style, text_style_to_the_left,
};

/// Maximum number of scenarios in one file.
pub(super) const MAX_SCENARIOS: usize = 64;

const MAX_CHARTS: usize = 16;
const MAX_LANES: usize = 32;

const WIDTH: u32 = 960;
const HEAD: u32 = 72;
const CHART: u32 = 170;
const LANE: u32 = 24;
/// Height of the axis below the lanes and its title.
const LANES_FRAME: u32 = 70;
const NOTE: u32 = 26;
const LABELS: u32 = 84;
const MARGIN: i32 = 12;

/// An SVG of all scenarios, stacked.
pub(super) fn svg(timelines: &[Timeline]) -> anyhow::Result<String> {
    let sections: Vec<Section<'_>> = timelines.iter().map(Section::new).collect();
    let height = sections.iter().map(Section::height).sum::<u32>().max(HEAD);
    let title = match timelines {
        [one] => one.name.clone(),
        several => format!("{} scenarios", several.len()),
    };
    plot::draw((WIDTH, height), &title, |canvas| {
        let mut top = 0;
        for section in &sections {
            section.draw(&canvas.clone().shrink((0, top), (WIDTH, section.height())))?;
            top += section.height();
        }
        Ok(())
    })
}

/// One scenario.
struct Section<'t> {
    timeline: &'t Timeline,
    charts: Vec<&'t (String, Vec<Series>)>,
    lanes: &'t [Lane],
    notes: Vec<String>,
}

impl<'t> Section<'t> {
    /// Chooses what is drawn: attributes that change and the first effects. The rest is named in notes.
    fn new(timeline: &'t Timeline) -> Self {
        let changes = |(_, series): &&(String, Vec<Series>)| {
            series.iter().any(|series| series.points.iter().any(|(_, value)| Some(*value) != first(series)))
        };
        let mut charts: Vec<_> = timeline.attributes.iter().filter(changes).collect();
        let unchanged: Vec<&str> = timeline
            .attributes
            .iter()
            .filter(|attribute| !changes(attribute))
            .map(|(name, _)| name.as_str())
            .collect();
        let mut notes = Vec::new();
        if !unchanged.is_empty() {
            notes.push(label(&format!("unchanged: {}", unchanged.join(", ")), 120));
        }
        if charts.len() > MAX_CHARTS {
            notes.push(format!("and {} more attributes", charts.len() - MAX_CHARTS));
            charts.truncate(MAX_CHARTS);
        }
        let mut lanes = timeline.effects.as_slice();
        if let Some((shown, rest)) = lanes.split_at_checked(MAX_LANES).filter(|(_, rest)| !rest.is_empty()) {
            notes.push(format!("and {} more effects", rest.len()));
            lanes = shown;
        }
        Self { timeline, charts, lanes, notes }
    }

    fn height(&self) -> u32 {
        HEAD + CHART * self.charts.len() as u32 + self.lanes_height() + NOTE * self.notes.len() as u32
    }

    fn lanes_height(&self) -> u32 {
        LANE * (self.lanes.len() as u32).max(1) + LANES_FRAME
    }

    fn draw(&self, canvas: &Canvas<'_>) -> anyhow::Result<()> {
        canvas.draw(&Text::new(label(&self.timeline.name, 80), (16, 14), text_style(TITLE)))?;
        let names = self.timeline.controllers.iter().enumerate();
        legend(canvas, 44, 16, names.map(|(position, name)| (Role::Series(position), name.as_str())))?;
        // A margin, so that events at the start and at the end are visible.
        let end = if self.timeline.end > 0.0 { self.timeline.end } else { 1.0 };
        let seconds = -0.01 * end..1.01 * end;
        let mut top = HEAD;
        for (name, series) in &self.charts {
            let area = canvas.clone().shrink((0, top), (WIDTH, CHART));
            values(&area, name, series, seconds.clone(), self.timeline.end)?;
            top += CHART;
        }
        let area = canvas.clone().shrink((0, top), (WIDTH, self.lanes_height()));
        effects(&area, self.lanes, seconds)?;
        top += self.lanes_height();
        for note in &self.notes {
            canvas.draw(&Text::new(note.clone(), (16, top as i32), text_style(TEXT)))?;
            top += NOTE;
        }
        Ok(())
    }
}

fn first(series: &Series) -> Option<f64> {
    series.points.first().map(|(_, value)| *value)
}

/// A chart of one attribute over time, with a step line for each controller.
fn values(
    canvas: &Canvas<'_>,
    name: &str,
    series: &[Series],
    seconds: Range<f64>,
    end: f64,
) -> anyhow::Result<()> {
    let all = series.iter().flat_map(|series| series.points.iter().map(|(_, value)| *value));
    let mut chart = ChartBuilder::on(canvas)
        .margin(MARGIN)
        .margin_right(24)
        .x_label_area_size(22)
        .y_label_area_size(LABELS)
        .build_cartesian_2d(seconds, axis_range(all))?;
    chart
        .configure_mesh()
        .axis_style(Role::Ink.colour())
        .bold_line_style(Role::Grid.colour())
        .light_line_style(TRANSPARENT)
        .label_style(text_style(TEXT))
        .axis_desc_style(text_style(TEXT))
        .y_desc(label(name, 20))
        .y_labels(5)
        .y_label_formatter(&|y| ugas_core::number::short(*y))
        .x_label_formatter(&|x| ugas_core::number::short(*x))
        .draw()?;
    for series in series {
        let line = Role::Series(series.controller).colour().stroke_width(2);
        chart.draw_series([PathElement::new(steps(&series.points, end), line)])?;
    }
    Ok(())
}

/// Points of a step line until `end`, thinned to what can be seen.
fn steps(points: &[(f64, f64)], end: f64) -> Vec<(f64, f64)> {
    let mut path: Vec<(f64, f64)> = Vec::new();
    for (time, value) in thinned(points, end) {
        if let Some(&(_, before)) = path.last() {
            path.push((time, before));
        }
        path.push((time, value.clamp(-1e300, 1e300)));
    }
    path.extend(path.last().map(|&(_, last)| (end, last)));
    path
}

/// If there are more points than pixels, the first, lowest, highest and last of each pixel.
fn thinned(points: &[(f64, f64)], end: f64) -> Vec<(f64, f64)> {
    let pixel = |time: f64| (time / end * f64::from(WIDTH)) as i64;
    if points.len() <= WIDTH as usize * 4 {
        return points.to_vec();
    }
    let mut kept = Vec::new();
    for piece in points.chunk_by(|(left, _), (right, _)| pixel(*left) == pixel(*right)) {
        let lowest = piece.iter().min_by(|(_, left), (_, right)| left.total_cmp(right));
        let highest = piece.iter().max_by(|(_, left), (_, right)| left.total_cmp(right));
        let mut outer: Vec<(f64, f64)> =
            [piece.first(), lowest, highest, piece.last()].into_iter().flatten().copied().collect();
        outer.sort_by(|(left, _), (right, _)| left.total_cmp(right));
        kept.extend(outer);
    }
    kept
}

/// A chart of active effects: a lane for each effect on each controller, with a mark at each execution.
fn effects(canvas: &Canvas<'_>, lanes: &[Lane], seconds: Range<f64>) -> anyhow::Result<()> {
    let height = lanes.len().max(1) as f64;
    let mut chart = ChartBuilder::on(canvas)
        .margin(MARGIN)
        .margin_right(24)
        .x_label_area_size(44)
        .y_label_area_size(LABELS)
        .build_cartesian_2d(seconds.clone(), height..0.0)?;
    chart
        .configure_mesh()
        .disable_y_mesh()
        .axis_style(Role::Ink.colour())
        .bold_line_style(Role::Grid.colour())
        .light_line_style(TRANSPARENT)
        .label_style(text_style(TEXT))
        .axis_desc_style(text_style(TEXT))
        .x_desc("time in seconds")
        .y_desc(if lanes.is_empty() { "no effects" } else { "effects" })
        .y_labels(0)
        .x_label_formatter(&|x| ugas_core::number::short(*x))
        .draw()?;
    let width = seconds.end - seconds.start;
    for (row, lane) in (0..).zip(lanes) {
        let row = f64::from(row);
        let colour = Role::Series(lane.controller).colour();
        let bars = lane.spans.iter().map(|&(from, to)| {
            let to = to.max(from + width / 400.0);
            Rectangle::new([(from, row + 0.1), (to, row + 0.9)], colour.mix(0.3).filled())
        });
        chart.draw_series(bars)?;
        let mut last = f64::NEG_INFINITY;
        let marks = lane.executions.iter().filter(|&&time| {
            let is_apart = time - last > width / f64::from(WIDTH);
            last = if is_apart { time } else { last };
            is_apart
        });
        let mark =
            |&time: &f64| PathElement::new([(time, row + 0.1), (time, row + 0.9)], colour.stroke_width(2));
        chart.draw_series(marks.map(mark))?;
        let starts = lane.spans.iter().map(|(from, _)| *from).chain(lane.executions.iter().copied());
        let start = starts.fold(f64::INFINITY, f64::min).min(seconds.end);
        let name = label(&lane.effect, 40);
        // Near the end of the axis the name goes to the left.
        let (shift, style) = if start > seconds.start + 0.6 * width {
            (-6, text_style_to_the_left(TEXT))
        } else {
            (6, text_style(TEXT))
        };
        let (x, y) = chart.backend_coord(&(start, row + 0.2));
        let (base_x, base_y) = canvas.get_base_pixel();
        canvas.draw(&Text::new(name, (x - base_x + shift, y - base_y), style))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_steps() {
        let points = [(0.0, 10.0), (1.0, 8.0), (3.0, 5.0)];
        let path = [(0.0, 10.0), (1.0, 10.0), (1.0, 8.0), (3.0, 8.0), (3.0, 5.0), (4.0, 5.0)];
        assert_eq!(steps(&points, 4.0), path);
    }

    #[test]
    fn long_series_are_thinned_and_keep_peaks() {
        let points: Vec<(f64, f64)> = (0..1_000_000_u32)
            .map(|step| (f64::from(step) / 1e6, if step == 500_000 { 99.0 } else { f64::from(step % 2) }))
            .collect();
        let path = steps(&points, 1.0);
        assert!(path.len() < 20_000, "{}", path.len());
        assert!(path.iter().any(|(_, value)| *value == 99.0));
    }

    #[test]
    fn empty_timeline_is_drawn() {
        let empty = svg(&[Timeline::default()]).unwrap();
        assert!(empty.contains("no effects"), "{empty}");
    }
}
