//! Output for Rust: a unit struct for each name, constants, and a structure of ids.

use std::fmt::Write;

use super::identifier::{Name, unreserved};
use super::names::{Kind, Names};

/// Keywords, those of future editions included.
const KEYWORDS: [&str; 53] = [
    "Self", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do",
    "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop",
    "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static",
    "struct", "super", "trait", "true", "try", "type", "typeof", "union", "unsafe", "unsized", "use",
    "virtual", "where", "while", "yield",
];

/// Attributes of every item: the file is neither formatted nor linted.
const UNCHECKED: &str = "#[rustfmt::skip]\n#[allow(dead_code, unreachable_pub, nonstandard_style, clippy::all, \
                         clippy::pedantic, clippy::restriction, reason = \"generated\")]\n";

/// The trait of the unit structs of a kind, and the type of its ids. Parameters are names alone.
fn types(kind: Kind) -> (Option<&'static str>, Option<&'static str>) {
    match kind {
        Kind::Attribute => (Some("AttributeName"), Some("AttributeId")),
        Kind::Tag | Kind::Cue => (Some("TagName"), Some("TagId")),
        Kind::Effect => (Some("EffectName"), Some("EffectId")),
        Kind::Ability => (Some("AbilityName"), Some("AbilityId")),
        Kind::Template => (None, Some("TemplateId")),
        Kind::Parameter => (None, None),
    }
}

/// The module as text. `library` is the path of the crate `ugas` in the user's crate.
pub(super) fn render(names: &Names, library: &str) -> String {
    let mut text = String::new();
    for (kind, names) in names.sections() {
        if let (Some(name_trait), _) = types(kind) {
            push_structs(&mut text, kind, names, library, name_trait);
        }
    }
    push_constants(&mut text, names);
    push_ids(&mut text, names, library);
    text
}

fn push_structs(text: &mut String, kind: Kind, names: &[Name], library: &str, name_trait: &str) {
    let title = kind.title();
    let _ = writeln!(text, "\n/// {title} as types.\n{UNCHECKED}pub mod {} {{", kind.plural());
    for name in names {
        let identifier = unreserved(name.pascal(), &KEYWORDS);
        let _ = writeln!(
            text,
            "    /// {}\n    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]\n    pub struct {identifier};\n    \
             impl {library}::{name_trait} for {identifier} {{\n        const NAME: &'static str = \
             super::names::{}::{};\n    }}",
            literal(&name.text),
            kind.plural(),
            name.screaming()
        );
    }
    text.push_str("}\n");
}

fn push_constants(text: &mut String, names: &Names) {
    let _ = writeln!(text, "\n/// Names as constants.\n{UNCHECKED}pub mod names {{");
    for (kind, names) in names.sections() {
        let _ = writeln!(text, "    /// {}.\n    pub mod {} {{", kind.title(), kind.plural());
        for name in names {
            let value = literal(&name.text);
            let _ = writeln!(
                text,
                "        /// {value}\n        pub const {}: &str = {value};",
                name.screaming()
            );
        }
        text.push_str("    }\n");
    }
    text.push_str("}\n");
}

fn push_ids(text: &mut String, names: &Names, library: &str) {
    let kinds = || names.sections().filter_map(|(kind, names)| Some((kind, names, types(kind).1?)));
    let _ = writeln!(text, "\n/// Ids by kind.\n{UNCHECKED}pub mod ids {{");
    for (kind, names, id) in kinds() {
        let (title, plural) = (kind.title(), kind.plural());
        let _ = writeln!(
            text,
            "    /// {title}.\n    #[derive(Clone, PartialEq, Eq, Debug)]\n    pub struct {title} {{"
        );
        for name in names {
            let field = unreserved(name.snake(), &KEYWORDS);
            let _ =
                writeln!(text, "        /// {}\n        pub {field}: {library}::{id},", literal(&name.text));
        }
        let catalog = if names.is_empty() { "_catalog" } else { "catalog" };
        let _ = writeln!(
            text,
            "    }}\n    impl {title} {{\n        pub(super) fn resolve({catalog}: &{library}::Catalog) -> \
             Result<Self, {library}::UnknownName> {{\n            Ok(Self {{"
        );
        let lookup = match kind {
            Kind::Cue => Kind::Tag.singular(),
            _ => kind.singular(),
        };
        for name in names {
            let field = unreserved(name.snake(), &KEYWORDS);
            let constant = name.screaming();
            let _ = writeln!(
                text,
                "                {field}: catalog.{lookup}(super::names::{plural}::{constant})?,"
            );
        }
        text.push_str("            })\n        }\n    }\n");
    }
    let _ = writeln!(
        text,
        "}}\n\n/// Ids of all names in one catalog. Resolve them once for each catalog: after a hot reload they may \
         differ.\n{UNCHECKED}#[derive(Clone, PartialEq, Eq, Debug)]\npub struct Ids {{"
    );
    for (kind, ..) in kinds() {
        let (title, plural) = (kind.title(), kind.plural());
        let _ = writeln!(text, "    /// {title}.\n    pub {plural}: ids::{title},");
    }
    let _ = writeln!(
        text,
        "}}\n\n{UNCHECKED}impl Ids {{\n    /// Looks up all names.\n    ///\n    /// # Errors\n    /// If the catalog \
         lacks one of them: it is another pack, or this file is stale.\n    pub fn resolve(catalog: \
         &{library}::Catalog) -> Result<Self, {library}::UnknownName> {{\n        Ok(Self {{"
    );
    for (kind, ..) in kinds() {
        let (title, plural) = (kind.title(), kind.plural());
        let _ = writeln!(text, "            {plural}: ids::{title}::resolve(catalog)?,");
    }
    text.push_str("        })\n    }\n}\n");
}

/// A string literal of ASCII characters, which is also safe in a comment.
fn literal(text: &str) -> String {
    format!("\"{}\"", text.escape_default())
}
