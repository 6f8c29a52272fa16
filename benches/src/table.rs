//! The lines for people: a table in Markdown, which a terminal shows as well.

use crate::line::Line;

const HEAD: [&str; 9] = ["what", "ours", "peer", "floor", "ratio", "goal", "allocations", "verdict", "note"];

pub(crate) fn print(lines: &[Line]) {
    let rows: Vec<[String; 9]> = lines.iter().map(Line::cells).collect();
    print_rows(&HEAD, rows.iter().map(|row| &row[..]));
    let judged = lines.iter().filter_map(Line::is_met);
    let (met, all) = judged.fold((0, 0), |(met, all), is_met| (met + u32::from(is_met), all + 1));
    println!("\n{met} of {all} promises are kept.");
}

/// Rows with aligned columns. The last one may be long and is not padded.
pub(crate) fn print_rows<'a>(head: &[&str], rows: impl Iterator<Item = &'a [String]> + Clone) {
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
        println!("|{}|", padded.collect::<Vec<_>>().join("|"));
    };
    line(&mut head.iter().copied());
    println!("|{}", "---|".repeat(head.len()));
    for row in rows.clone() {
        line(&mut row.iter().map(String::as_str));
    }
}
