//! The lines as a Markdown table, readable in a terminal as well.

use crate::line::Line;

const HEAD: [&str; 9] = ["what", "ours", "peer", "floor", "ratio", "goal", "allocations", "verdict", "note"];

/// All lines, and the number of goals met.
pub(crate) fn render(lines: &[Line]) -> String {
    let rows: Vec<[String; 9]> = lines.iter().map(Line::cells).collect();
    let judged = lines.iter().filter_map(Line::is_met);
    let (met, all) = judged.fold((0, 0), |(met, all), is_met| (met + u32::from(is_met), all + 1));
    format!("{}\n{met} of {all} goals are met.\n", render_rows(&HEAD, rows.iter().map(|row| &row[..])))
}

/// Rows with aligned columns. The last one may be long and is not padded.
pub(crate) fn render_rows<'a>(head: &[&str], rows: impl Iterator<Item = &'a [String]> + Clone) -> String {
    let width = |column: usize| {
        let cells = rows.clone().map(|row| row[column].chars().count());
        cells.chain([head[column].chars().count()]).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let last = widths.len() - 1;
        let padded = cells.zip(&widths).enumerate().map(|(at, (cell, &width))| {
            let missing = if at == last { 0 } else { width - cell.chars().count() };
            format!(" {cell}{} ", " ".repeat(missing))
        });
        format!("|{}|\n", padded.collect::<Vec<_>>().join("|"))
    };
    let ruler = format!("|{}\n", "---|".repeat(head.len()));
    let body = rows.clone().map(|row| line(&mut row.iter().map(String::as_str)));
    [line(&mut head.iter().copied()), ruler].into_iter().chain(body).collect()
}
