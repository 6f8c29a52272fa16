//! Parts shared by all plots: SVG files without system fonts or libraries, readable in light and dark mode.
//!
//! A plot is drawn in the colours of [`Role`]s on white. A style sheet in the file replaces these colours in
//! dark mode; viewers without style sheets show the light ones.

use std::fmt::Write;
use std::path::Path;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::Color;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Drawing area of a plot.
pub(crate) type Canvas<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Purpose of a colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// Background.
    Surface,
    /// Text and axes.
    Ink,
    /// Grid lines.
    Grid,
    /// A series of data, from 0; the colours repeat.
    Series(usize),
}

/// The light and dark colour of each role. The colours of series are distinguishable for colour-blind people.
const COLOURS: [(Role, u32, u32); 11] = [
    (Role::Surface, 0xFF_FF_FF, 0x11_18_20),
    (Role::Ink, 0x1F_29_33, 0xE6_EA_F0),
    (Role::Grid, 0xD9_DE_E5, 0x39_41_4D),
    (Role::Series(0), 0x00_72_B2, 0x5A_B4_F0),
    (Role::Series(1), 0xD5_5E_00, 0xFF_9A_4D),
    (Role::Series(2), 0x00_8F_68, 0x3D_D6_A3),
    (Role::Series(3), 0xB8_4F_8A, 0xF0_A6_D0),
    (Role::Series(4), 0x8A_6D_00, 0xE0_C0_4A),
    (Role::Series(5), 0x5B_4B_9A, 0xB8_A9_F5),
    (Role::Series(6), 0x2E_86_C8, 0x9A_D4_FF),
    (Role::Series(7), 0x6B_72_7B, 0xB5_BC_C6),
];

const SERIES: usize = 8;

impl Role {
    /// Colour on a light background, by which [`style_sheet`] finds the elements to recolour on a dark one.
    pub(crate) fn colour(self) -> RGBColor {
        let wanted = match self {
            Self::Series(series) => Self::Series(series % SERIES),
            role => role,
        };
        let found = COLOURS.iter().find(|(role, ..)| *role == wanted);
        let [_, red, green, blue] = found.map_or(0, |(_, light, _)| *light).to_be_bytes();
        RGBColor(red, green, blue)
    }
}

/// Font size of titles.
pub(crate) const TITLE: i32 = 21;
/// Font size of other texts.
pub(crate) const TEXT: i32 = 16;

/// The style of a text.
pub(crate) fn text_style(size: i32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&Role::Ink.colour())
}

/// The style of a text that ends at its position.
pub(crate) fn text_style_to_the_left(size: i32) -> TextStyle<'static> {
    text_style(size).pos(Pos::new(HPos::Right, VPos::Top))
}

/// Returns an error if the file does not have the extension `svg`.
pub(crate) fn check_name(file: &Path) -> anyhow::Result<()> {
    let is_svg = file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("svg"));
    anyhow::ensure!(is_svg, "plots are SVG files: use the name `{}`", file.with_extension("svg").display());
    Ok(())
}

/// Draws a plot, and returns the text of its file.
pub(crate) fn draw(
    size: (u32, u32),
    title: &str,
    draw: impl FnOnce(&Canvas<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<String> {
    let mut svg = String::new();
    {
        let canvas = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        canvas.fill(&Role::Surface.colour())?;
        draw(&canvas)?;
        canvas.present()?;
    }
    let head = svg.find("<svg").and_then(|start| Some(start + svg.get(start..)?.find('>')? + 1));
    svg.insert_str(head.unwrap_or(0), &format!("\n<title>{}</title>\n{}", escaped(title), style_sheet()));
    Ok(svg)
}

/// Style sheet that replaces the colours of the light theme by those of the dark one, if the reader prefers
/// it.
fn style_sheet() -> String {
    let mut style = String::from("<style>@media (prefers-color-scheme: dark) {\n");
    for (_, light, dark) in COLOURS {
        for attribute in ["fill", "stroke"] {
            let _ = writeln!(style, "[{attribute}=\"#{light:06X}\"] {{ {attribute}: #{dark:06X} }}");
        }
    }
    style.push_str("}</style>\n");
    style
}

/// Text for XML, without characters that are not allowed there.
fn escaped(text: &str) -> String {
    label(text, usize::MAX).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A name as a label: without control characters, and shortened to `max_chars` with an ellipsis.
pub(crate) fn label(text: &str, max_chars: usize) -> String {
    let mut letters = text.chars().filter(|letter| !letter.is_control());
    let mut label: String = letters.by_ref().take(max_chars).collect();
    if letters.next().is_some() {
        label.pop();
        label.push('…');
    }
    label
}

/// The range of an axis that covers all values with a margin; never empty or infinite.
pub(crate) fn axis_range(values: impl Iterator<Item = f64>) -> std::ops::Range<f64> {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for value in values {
        let value = value.clamp(-1e300, 1e300);
        (low, high) = (low.min(value), high.max(value));
    }
    if low > high {
        return 0.0..1.0;
    }
    // At least wide enough that the labels of the axis differ.
    let room = ((high - low) * 0.06).max(low.abs().max(high.abs()) * 1e-6);
    let room = if room > 0.0 && low < high { room } else { (high.abs() * 0.1).max(1.0) };
    low - room..high + room
}

/// A row of coloured squares with names.
pub(crate) fn legend<'n>(
    canvas: &Canvas<'_>,
    top: i32,
    left: i32,
    names: impl Iterator<Item = (Role, &'n str)>,
) -> anyhow::Result<()> {
    let (width, _) = canvas.dim_in_pixel();
    let mut left = left;
    for (role, name) in names {
        let name = label(name, 24);
        let length = 26 + 8 * name.chars().count() as i32;
        if left.saturating_add(length) > width as i32 {
            canvas.draw(&Text::new("…".to_owned(), (left, top), text_style(TEXT)))?;
            break;
        }
        canvas.draw(&Rectangle::new([(left, top + 2), (left + 11, top + 13)], role.colour().filled()))?;
        canvas.draw(&Text::new(name, (left + 16, top), text_style(TEXT)))?;
        left += length;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_never_empty() {
        assert_eq!(axis_range([].into_iter()), 0.0..1.0);
        assert_eq!(axis_range([5.0].into_iter()), 4.0..6.0);
        assert_eq!(axis_range([0.0, 100.0].into_iter()), -6.0..106.0);
        let widest = axis_range([f64::MIN, f64::MAX].into_iter());
        assert!((widest.end - widest.start).is_finite());
        let narrowest = axis_range([1e15, 1e15 + 0.25].into_iter());
        assert!(narrowest.end - narrowest.start > 1e8);
    }

    #[test]
    fn labels_are_short_and_clean() {
        assert_eq!(label("GE_Poison", 9), "GE_Poison");
        assert_eq!(label("GE_Poison", 6), "GE_Po…");
        assert_eq!(label("a\u{1}b", 9), "ab");
    }

    #[test]
    fn plot_has_a_title_and_dark_colours() {
        let svg = draw((100, 50), "<b> & co", |_| Ok(())).unwrap();
        assert!(svg.contains("<title>&lt;b&gt; &amp; co</title>"), "{svg}");
        assert!(svg.contains("[fill=\"#FFFFFF\"] { fill: #111820 }"), "{svg}");
        assert!(svg.contains("fill=\"#FFFFFF\""), "the surface is drawn in its colour: {svg}");
    }
}
