//! Chart of the table: distance of each line from its goal, on a logarithmic axis.

use std::fmt::Write;

use crate::line::Line;

const ROW: f64 = 22.0;
const LEFT: f64 = 190.0;
const WIDTH: f64 = 430.0;
const RIGHT: f64 = 230.0;
const TOP: f64 = 64.0;

/// The axis goes from a thousandth of the goal to a thousand times it.
const DECADES: i32 = 3;

/// Colours for light and dark pages, selected by a media query.
const STYLE: &str = "\
text { font: 12px system-ui, sans-serif; fill: #24292f }
.title { font-weight: 600; font-size: 14px }
.quiet { fill: #57606a; font-size: 11px }
.grid { stroke: #d0d7de }
.goal { stroke: #24292f; stroke-width: 1.5 }
.met { fill: #1a7f37 }
.short { fill: #bc4c00 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .quiet { fill: #9198a1 }
  .grid { stroke: #3d444d }
  .goal { stroke: #e6edf3 }
  .met { fill: #3fb950 }
  .short { fill: #db6d28 }
}
";

/// Draws all lines with a measured result.
pub(crate) fn draw(lines: &[Line]) -> String {
    let rows: Vec<(&Line, f64, bool)> =
        lines.iter().filter_map(|line| Some((line, line.ratio()? / line.limit(), line.is_met()?))).collect();
    let bottom = TOP + ROW * rows.len() as f64;
    let (width, height) = (LEFT + WIDTH + RIGHT, bottom + 12.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         aria-label=\"Distance of each benchmark from its goal\">\n<style>\n{STYLE}</style>\n\
         <text class=\"title\" x=\"8\" y=\"20\">Distance from the goal</text>\n\
         <text class=\"quiet\" x=\"8\" y=\"38\">ratio to floor or peer, divided by the largest that keeps the promise: \
         left of 1 it is kept</text>\n"
    );
    for decade in -DECADES..=DECADES {
        let x = x_position(power_of_ten(decade));
        let label = match decade {
            0 => "1".to_owned(),
            decade if decade > 0 => format!("×{}", power_of_ten(decade)),
            decade => format!("÷{}", power_of_ten(-decade)),
        };
        let class = if decade == 0 { "goal" } else { "grid" };
        let _ = writeln!(
            svg,
            "<line class=\"{class}\" x1=\"{x:.1}\" y1=\"{TOP}\" x2=\"{x:.1}\" y2=\"{bottom}\"/>"
        );
        let _ = writeln!(
            svg,
            "<text class=\"quiet\" x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{label}</text>",
            TOP - 6.0
        );
    }
    for (at, (line, distance, is_met)) in rows.iter().enumerate() {
        let y = TOP + ROW * at as f64;
        let (goal, end) = (x_position(1.0), x_position(*distance));
        let (from, length) = (goal.min(end), (goal - end).abs().max(1.0));
        let class = if *is_met { "met" } else { "short" };
        let cells = line.cells();
        let _ = writeln!(svg, "<text x=\"8\" y=\"{:.1}\">{}</text>", y + 15.0, cells[0]);
        let _ = writeln!(
            svg,
            "<rect class=\"{class}\" x=\"{from:.1}\" y=\"{:.1}\" width=\"{length:.1}\" height=\"12\" rx=\"2\"/>",
            y + 5.0
        );
        let _ = writeln!(
            svg,
            "<text class=\"quiet\" x=\"{:.1}\" y=\"{:.1}\">{}: {} ({})</text>",
            LEFT + WIDTH + 12.0,
            y + 15.0,
            cells[1],
            cells[4],
            cells[5]
        );
    }
    svg.push_str("</svg>\n");
    svg
}

fn x_position(distance: f64) -> f64 {
    let decades = f64::from(DECADES);
    let logarithm = natural_log(distance.max(f64::MIN_POSITIVE)) / natural_log(10.0);
    LEFT + WIDTH * (logarithm.clamp(-decades, decades) + decades) / (2.0 * decades)
}

fn power_of_ten(exponent: i32) -> f64 {
    (0..exponent.abs()).fold(1.0, |value, _| if exponent < 0 { value / 10.0 } else { value * 10.0 })
}

#[expect(clippy::disallowed_methods, reason = "the drawn position is equal on every platform")]
fn natural_log(value: f64) -> f64 {
    value.ln()
}
