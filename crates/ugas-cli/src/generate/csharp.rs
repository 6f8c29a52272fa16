//! Output for C#: a static class with a nested class of constants for each kind.

use std::fmt::Write;

use super::identifier::unreserved;
use super::names::Names;

/// Members of every class. Keywords are lower-case, and identifiers are not.
const MEMBERS: [&str; 7] =
    ["Equals", "Finalize", "GetHashCode", "GetType", "MemberwiseClone", "ReferenceEquals", "ToString"];

/// The class as text.
pub(super) fn render(names: &Names) -> String {
    let class = names.module.pascal() + "Names";
    let mut text = format!("\n/// <summary>Names of the pack.</summary>\npublic static class {class}\n{{\n");
    for (at, (kind, names)) in names.sections().enumerate() {
        let title = kind.title();
        // A member must not have the name of its class.
        let mut reserved = MEMBERS.to_vec();
        reserved.push(title);
        let gap = if at == 0 { "" } else { "\n" };
        let _ = writeln!(
            text,
            "{gap}    /// <summary>{title}.</summary>\n    public static class {title}\n    {{"
        );
        for name in names {
            let identifier = unreserved(name.pascal(), &reserved);
            let _ = writeln!(text, "        public const string {identifier} = {};", literal(&name.text));
        }
        text.push_str("    }\n");
    }
    text.push_str("}\n");
    text
}

/// A string literal of printable ASCII characters; others are escaped as UTF-16 units of four digits.
fn literal(text: &str) -> String {
    let mut literal = String::from("\"");
    for unit in text.encode_utf16() {
        match u8::try_from(unit) {
            Ok(byte @ (b'"' | b'\\')) => literal.extend(['\\', char::from(byte)]),
            Ok(byte @ 0x20..=0x7e) => literal.push(char::from(byte)),
            _ => {
                let _ = write!(literal, "\\u{unit:04X}");
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
        // The dragon is the surrogate pair D83D DC09.
        assert_eq!(literal("a\"\\\nä🐉"), "\"a\\\"\\\\\\u000A\\u00E4\\uD83D\\uDC09\"");
    }
}
