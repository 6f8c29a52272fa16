//! Mapping from bytes of a text's value to bytes of the file, so that an error in an expression can point
//! into its YAML scalar.

use super::{Node, Style};

/// Byte of the file that corresponds to byte `offset` of the text's value.
///
/// Quotes, escapes, folded lines and the indentation of blocks are followed; in a folded block with blank
/// lines the line is right and the column may be a little off.
pub fn byte_in_file(source: &str, node: &Node, offset: usize) -> usize {
    let (start, end) = (node.span.start as usize, node.span.end as usize);
    let raw = source.get(start..end).unwrap_or_default();
    let prefix = properties(raw);
    let (start, raw) = (start + prefix, raw.get(prefix..).unwrap_or_default());
    let at = match node.style {
        Style::Plain => flow(raw, 0, offset, |_| None),
        Style::Single => flow(raw, 1, offset, |rest| rest.starts_with("''").then_some((2, 1))),
        Style::Double => flow(raw, 1, offset, double_escape),
        Style::Block => block(raw, indentation(source, start), offset),
    };
    start + at.min(raw.len())
}

/// Length of the anchor and tag before a value. They are part of the span and not of the value.
fn properties(raw: &str) -> usize {
    let mut length = 0;
    while let Some(rest) = raw.get(length..)
        && rest.starts_with(['&', '!'])
    {
        let word = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let space = rest[word..].len() - rest[word..].trim_start().len();
        length += word + space;
    }
    length
}

/// Walks a scalar whose lines are folded, and returns the offset in `raw` of byte `offset` of its value.
/// `quote` is the length of the opening quote; `escape` gives the lengths of an escape in the file and in the
/// value.
fn flow(raw: &str, quote: usize, offset: usize, escape: impl Fn(&str) -> Option<(usize, usize)>) -> usize {
    let (mut at, mut value) = (quote, 0);
    while let Some(rest) = raw.get(at..).filter(|rest| !rest.is_empty()) {
        let (in_file, in_value) = if let Some(lengths) = escape(rest) {
            lengths
        } else {
            let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
            match rest[blank..].starts_with(['\n', '\r']) {
                true => fold(rest),
                false => {
                    let length = rest.chars().next().map_or(1, char::len_utf8);
                    (length, length)
                }
            }
        };
        if value + in_value > offset {
            break;
        }
        at += in_file;
        value += in_value;
    }
    at
}

/// The lengths of a line break with the blank space around it: one break is a space, more are breaks less
/// one.
fn fold(rest: &str) -> (usize, usize) {
    let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
    let breaks = rest[..blank].matches('\n').count();
    (blank, breaks.saturating_sub(1).max(1))
}

/// Lengths of an escape of a double-quoted text, in the file and in the value; `None` if there is no escape
/// here.
fn double_escape(rest: &str) -> Option<(usize, usize)> {
    let escaped = rest.strip_prefix('\\')?.chars().next()?;
    let digits = match escaped {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        // An escaped line break joins the lines.
        '\n' | '\r' => return Some((1 + fold(&rest[1..]).0, 0)),
        // A next-line, no-break space and the separators are not ASCII.
        'N' | '_' => return Some((2, 2)),
        'L' | 'P' => return Some((2, 3)),
        other => return Some((1 + other.len_utf8(), 1)),
    };
    let code = rest.get(2..2 + digits).and_then(|digits| u32::from_str_radix(digits, 16).ok());
    let length = code.and_then(char::from_u32).map_or(1, char::len_utf8);
    Some((2 + digits, length))
}

/// Number of bytes before `start` on its line: the indentation of a block.
fn indentation(source: &str, start: usize) -> usize {
    let before = source.get(..start).unwrap_or_default();
    before.len() - before.rfind('\n').map_or(0, |at| at + 1)
}

/// Walks a block, and returns the offset in `raw` of byte `offset` of its value. Each line begins after the
/// indentation and ends with one byte of the value, also if the file has `\r\n`.
fn block(raw: &str, indentation: usize, offset: usize) -> usize {
    let (mut at, mut left) = (0, offset);
    for (number, line) in raw.split_inclusive('\n').enumerate() {
        let spaces = line.len() - line.trim_start_matches(' ').len();
        let skipped = if number == 0 { 0 } else { indentation.min(spaces) };
        let length = line.len() - skipped - usize::from(line.ends_with("\r\n"));
        if left < length {
            return at + skipped + left;
        }
        left -= length;
        at += line.len();
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::Sink;
    use crate::source::{Limits, SourceMap};

    /// Every byte of the value is found where it is written.
    #[track_caller]
    fn check(text: &str) {
        let mut map = SourceMap::new();
        let file = map.add("a.yaml", text);
        let mut sink = Sink::default();
        let documents = super::super::parse(&map, file, &Limits::default(), &mut sink);
        let node = documents[0].get("a").unwrap();
        let value = node.text().unwrap();
        for (offset, character) in value.char_indices() {
            let at = byte_in_file(text, node, offset);
            // An escaped character is found at its escape sign.
            if !character.is_whitespace() && !matches!(character, '\'' | '"') {
                assert_eq!(text[at..].chars().next(), Some(character), "byte {offset} of {value:?}");
            }
        }
    }

    #[test]
    fn every_style_is_followed() {
        check("a: 1 + Health * 2 # comment\n");
        check("a: \"1 + Health\"\n");
        check("a: \"é \\\"q\\\" \\t x\"\n");
        check("a: 'it''s Health'\n");
        check("a: &anchor !!str Health\n");
        check("a: Health\n  + Mana\n\n  + Rage\n");
        check("a: \"Health\n  + Mana\"\n");
        check("a: |\n  Health\n  + Mana\nb: 1\n");
        check("a: >-\n  Health\n  + Mana\nb: 1\n");
        check("a: |\r\n  Health\r\n  + Mana\r\nb: 1\r\n");
    }
}
