//! A pack that is written and read again is the same pack.

use super::spec::{SPEC_PACK, load};

#[test]
fn canonical_yaml_gives_the_same_catalog() {
    let pack = load(SPEC_PACK);
    let written = pack.to_canonical_yaml();
    let again = load(&written);
    assert_eq!(again.catalog.hash(), pack.catalog.hash());
    assert_eq!(again.to_canonical_yaml(), written, "writing is stable");
    assert!(again.diagnostics.iter().all(|found| found.code != "UG007"), "every document says what it is");
}

#[test]
fn keys_of_other_tools_are_kept() {
    let text = "$schema: x/schemas/attribute.json\nName: A\nDefaultBaseValue: 0.1\nx-of-another-tool: { deep: [1, two] }\nMetadata: { Own: { key: 1 } }\n";
    let written = load(text).to_canonical_yaml();
    assert_eq!(
        written,
        "$schema: x/schemas/attribute.json\nName: A\nDefaultBaseValue: 0.1\nMetadata:\n  Own:\n    key: 1\nx-of-another-tool:\n  deep:\n    - 1\n    - two\n"
    );
}

#[test]
fn order_of_files_does_not_matter() {
    use ugas_data::Loader;
    let (one, two) = SPEC_PACK.split_at(SPEC_PACK.find("---\n").unwrap() + 4);
    let forward = Loader::new().text("a.yaml", one).text("b.yaml", two).load().unwrap();
    let backward = Loader::new().text("b.yaml", two).text("a.yaml", one).load().unwrap();
    assert_eq!(forward.catalog.hash(), backward.catalog.hash());
}
