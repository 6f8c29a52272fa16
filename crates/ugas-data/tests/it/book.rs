//! The sample pack of the book, file by file.

use std::path::Path;

use ugas_data::Scenario;
use ugas_data::diagnostics::{Colour, render_all};
use ugas_data::scenario::Options;

const CHAPTER: &str = include_str!("../../../../docs/book/designers/packs.md");

#[test]
fn the_pack_of_the_book_is_valid_and_its_scenario_passes() {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("book");
    std::fs::remove_dir_all(&root).ok();
    let pieces = CHAPTER.split("```yaml\n# ").skip(1).filter_map(|piece| piece.split("```").next());
    let files: Vec<(&str, &str)> = pieces.filter_map(|piece| piece.split_once('\n')).collect();
    assert_eq!(files.len(), 7, "pieces with a file's name");
    for (name, text) in files {
        let file = root.join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    let report = ugas_data::check([root.join("game")]);
    assert!(report.diagnostics.is_empty(), "{}", render_all(&report, Colour::Never));
    let scenarios = Scenario::load(root.join("game/scenarios/fight.yaml")).unwrap();
    let outcome = scenarios[0].run(&Options::default());
    assert!(outcome.passed(), "{:?}", outcome.failures);
}
