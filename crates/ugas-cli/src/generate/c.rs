//! Output for C and C++: names as macros, and a structure of ids with a function that fills it.

use std::fmt::Write;

use super::names::{Kind, Names};

/// The type of the ids of a kind, and the function that looks one up. Templates and parameters are used by name.
fn lookup(kind: Kind) -> Option<(&'static str, &'static str)> {
    match kind {
        Kind::Attribute => Some(("ugas_attribute", "ugas_catalog_attribute")),
        Kind::Tag | Kind::Cue => Some(("ugas_tag", "ugas_catalog_tag")),
        Kind::Effect => Some(("ugas_effect", "ugas_catalog_effect")),
        Kind::Ability => Some(("ugas_ability", "ugas_catalog_ability")),
        Kind::Template | Kind::Parameter => None,
    }
}

/// The header as text.
pub(super) fn render(names: &Names) -> String {
    let (upper, lower) = (names.module.screaming(), names.module.snake());
    let mut text = format!("\n#ifndef {upper}_IDS_H\n#define {upper}_IDS_H\n\n#include \"ugas.h\"\n");
    let macro_of =
        |kind: Kind, name: &str| format!("{upper}_{}_{name}", kind.singular().to_ascii_uppercase());
    for (kind, names) in names.sections() {
        let _ = writeln!(text, "\n/* {}. */", kind.title());
        for name in names {
            let _ = writeln!(text, "#define {} {}", macro_of(kind, &name.screaming()), literal(&name.text));
        }
    }
    let fields: Vec<_> = names
        .sections()
        .filter_map(|(kind, names)| Some((kind, names, lookup(kind)?)))
        .flat_map(|(kind, names, lookup)| names.iter().map(move |name| (kind, name, lookup)))
        .collect();
    let _ = writeln!(text, "\n/* Ids of all names in one catalog. */\ntypedef struct {lower}_ids {{");
    for (kind, name, (id, _)) in &fields {
        let _ = writeln!(text, "    {id} {}_{};", kind.singular(), name.snake());
    }
    if fields.is_empty() {
        text.push_str("    uint32_t reserved;\n");
    }
    let _ = writeln!(
        text,
        "}} {lower}_ids;\n\n/* Looks up all names. Fails at the first that the catalog lacks: it is another pack, or this \
         file is stale. */\nstatic inline ugas_status {lower}_ids_resolve(ugas_context *context, ugas_catalog \
         catalog, {lower}_ids *ids) {{\n    ugas_status status = UGAS_STATUS_OK;"
    );
    if fields.is_empty() {
        text.push_str("    (void)context;\n    (void)catalog;\n    ids->reserved = 0;\n");
    }
    for (kind, name, (_, function)) in &fields {
        let constant = macro_of(*kind, &name.screaming());
        let _ = writeln!(
            text,
            "    status = {function}(context, catalog, UGAS_STR({constant}), &ids->{}_{});\n    if (status != \
             UGAS_STATUS_OK) return status;",
            kind.singular(),
            name.snake()
        );
    }
    let _ = writeln!(text, "    return status;\n}}\n\n#endif /* {upper}_IDS_H */");
    text
}

/// A string literal of printable ASCII characters. Other bytes are octal escapes of three digits, which no
/// following digit can extend; `?` is one too, because of trigraphs.
fn literal(text: &str) -> String {
    let mut literal = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => literal.extend(['\\', char::from(byte)]),
            b'?' | ..=0x1f | 0x7f.. => {
                let _ = write!(literal, "\\{byte:03o}");
            }
            _ => literal.push(char::from(byte)),
        }
    }
    literal + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_escape_quotes_control_characters_and_trigraphs() {
        assert_eq!(literal("a\"\\\n1?"), "\"a\\\"\\\\\\0121\\077\"");
        // UTF-8 of `ä` is 0xc3 0xa4, in octal 303 244.
        assert_eq!(literal("ä"), "\"\\303\\244\"");
    }
}
