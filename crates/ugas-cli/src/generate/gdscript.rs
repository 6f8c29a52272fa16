//! Output for GDScript (Godot 4): a script class with an inner class of constants for each kind.

use std::fmt::Write;

use super::identifier::unreserved;
use super::names::Names;

/// Constants of the language. Keywords are lower-case, and identifiers are not.
const CONSTANTS: [&str; 4] = ["INF", "NAN", "PI", "TAU"];

/// The script as text.
pub(super) fn render(names: &Names) -> String {
    let class = names.module.pascal() + "Names";
    let mut text = format!("\nclass_name {class}\nextends RefCounted\n");
    for (kind, names) in names.sections() {
        let _ = writeln!(text, "\n\n## {title}.\nclass {title}:", title = kind.title());
        if names.is_empty() {
            text.push_str("\tpass\n");
        }
        for name in names {
            let identifier = unreserved(name.screaming(), &CONSTANTS);
            let _ = writeln!(text, "\tconst {identifier}: StringName = &{}", literal(&name.text));
        }
    }
    text
}

/// A string literal of printable ASCII characters; others are escaped by code point.
fn literal(text: &str) -> String {
    let mut literal = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => literal.extend(['\\', letter]),
            ' '..='~' => literal.push(letter),
            _ => {
                let code = u32::from(letter);
                let _ = match code {
                    ..=0xffff => write!(literal, "\\u{code:04x}"),
                    _ => write!(literal, "\\U{code:06x}"),
                };
            }
        }
    }
    literal + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_escape_quotes_and_everything_outside_ascii() {
        assert_eq!(literal("a\"\\\nä🐉"), "\"a\\\"\\\\\\u000a\\u00e4\\U01f409\"");
    }
}
