//! Documents in every shape that the specification prints: all of them load.

use ugas_data::{Loader, Pack};

pub(crate) const SPEC_PACK: &str = include_str!("../fixtures/spec.yaml");

pub(crate) fn load(text: &str) -> Pack {
    Loader::new().text("pack.yaml", text).load().unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_shape_of_the_specification_loads() {
    let pack = load(SPEC_PACK);
    for effect in ["GE_Ember_Cost", "GE_Ember_Cooldown", "GE_Venom", "GE_Mire", "GE_Might", "GE_Scald"] {
        assert!(pack.catalog.effect(effect).is_ok(), "{effect}");
    }
    assert!(pack.catalog.ability("GA_Ember").is_ok());
    assert!(pack.catalog.template("Ranger").is_ok());
    assert!(pack.catalog.attribute("EffectiveVigour").is_ok());
    let warnings: Vec<_> = pack.diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
    // §14.3 prints abilities in a wrapper without `$schema`.
    assert!(warnings.contains(&"UG007"), "{warnings:?}");
}

#[test]
fn a_loaded_pack_runs() {
    use ugas_core::simulation::{Config, Simulation};
    let pack = load(SPEC_PACK);
    let vigour = pack.catalog.attribute("Vigour").unwrap();
    let mut simulation = Simulation::new(pack.catalog.clone(), Config::seeded(1));
    let ranger = simulation.spawn("Ranger").unwrap();
    // The template's base of 80.
    assert_eq!(simulation.base(ranger, vigour), Some(80.0));
}

/// Listing of the specification: its first line, its section, and its text.
struct Listing {
    line: usize,
    section: String,
    text: String,
}

/// The YAML documents that the text of the specification prints. Listings have no fence there: a document
/// begins with `$schema`, with a wrapper such as `Ability:`, or after a comment that names a file, and ends
/// before the next line of prose.
fn listings(text: &str) -> Vec<Listing> {
    const WRAPPERS: [&str; 4] = ["Ability:", "Attribute:", "AttributeSet:", "InputMapping:"];
    let mut listings: Vec<Listing> = Vec::new();
    let (mut section, mut inside) = (String::new(), false);
    for (at, line) in text.lines().enumerate() {
        let heading = line.split(' ').next().unwrap_or_default();
        if heading.starts_with(|c: char| c.is_ascii_digit()) && heading.contains('.') {
            section = heading.trim_end_matches('.').to_owned();
        }
        let names_file = line.starts_with("# ") && line.contains(".yaml");
        if line.starts_with("$schema:")
            && inside
            && listings
                .last()
                .is_some_and(|last| last.text.starts_with('#') && last.text.lines().count() == 1)
        {
            // The comment before it began the document.
        } else if line.starts_with("$schema:") || WRAPPERS.contains(&line) || names_file {
            inside = true;
            listings.push(Listing { line: at + 1, section: section.clone(), text: String::new() });
        }
        let key = line.split(':').next().unwrap_or_default();
        let is_key = line.contains(':') && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '$');
        inside &= line.is_empty() || line.starts_with([' ', '#', '-']) || is_key;
        if let (true, Some(last)) = (inside, listings.last_mut()) {
            last.text.push_str(line);
            last.text.push('\n');
        }
    }
    listings
}

#[test]
fn the_listings_of_the_specification_load() {
    let Some(path) = super::official::beside("ugas-spec.txt") else { return };
    let text = std::fs::read_to_string(path).unwrap();
    let (mut loaded, mut sections) = (0, std::collections::BTreeSet::new());
    for listing in listings(&text) {
        let chapter: u32 = listing.section.split('.').next().and_then(|n| n.parse().ok()).unwrap_or_default();
        // Templates with placeholders (`Name: string`) are not examples.
        let is_form = listing.text.contains(": string") || listing.text.contains(": float");
        if is_form || !matches!(chapter, 5..=9 | 12 | 14 | 15) {
            continue;
        }
        let report = Loader::new().text("listing.yaml", listing.text.as_str()).as_single_file().check();
        assert_eq!(
            report.errors(),
            0,
            "§{}, line {}:\n{}\n{report}",
            listing.section,
            listing.line,
            listing.text
        );
        loaded += 1;
        sections.insert(listing.section);
    }
    eprintln!("{loaded} listings of the sections {sections:?} load");
    assert!(loaded >= 20, "{loaded} of {sections:?}");
}

#[test]
fn templates_with_placeholders_are_reported() {
    let report = Loader::new().text("form.yaml", "Ability:\n  Name: string   # required\n").check();
    assert_eq!(report.diagnostics.iter().filter(|found| found.code == "UG014").count(), 1, "{report}");
}
