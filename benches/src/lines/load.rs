//! A pack from files to its catalog.

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};

use saphyr_parser::Parser;
use ugas::data::Loader;

use super::files::generate;
use crate::line::{Goal, Line};
use crate::measure::{Effort, compare, subject};

const FILES: usize = 20;
const ABILITIES: usize = 200;
const EFFECTS: usize = 1_000;
/// Effects for each ability.
const EACH: usize = EFFECTS / ABILITIES;
/// Abilities for each attribute set.
const PER_SET: usize = 4;

/// 1,000 effects and 200 abilities, read, parsed, checked and built. The floor reads and parses the same
/// files.
pub(crate) fn measure(effort: Effort) -> Vec<Line> {
    let folder = Folder::create();
    let catalog = load(&folder.0);
    let names = |prefix: &str, step: usize, count: usize| -> Vec<String> {
        (0..ABILITIES)
            .flat_map(|group| (0..count).map(move |at| group * 10 + step + at))
            .map(|at| format!("{prefix}{at}"))
            .collect()
    };
    assert!(names("GE_", 2, EACH).iter().all(|name| catalog.effect(name).is_ok()), "an effect is missing");
    assert!(names("GA_", 1, 1).iter().all(|name| catalog.ability(name).is_ok()), "an ability is missing");
    let ours = subject(|| {
        black_box(load(&folder.0));
    });
    let floor = subject(|| parse(&folder.0));
    let [ours, floor] = compare(effort, [ours, floor]);
    vec![Line::new("load", ours, Goal::AtMost(25e6)).floor(floor.median).note(format!(
        "{EFFECTS} effects, {ABILITIES} abilities and {} attribute sets in {FILES} files, {:.1} MB, from the files to the \
         catalog; floor: the files read and parsed, the events thrown away",
        ABILITIES / PER_SET,
        folder.bytes() as f64 / 1e6
    ))]
}

fn load(folder: &Path) -> std::sync::Arc<ugas::Catalog> {
    let pack = Loader::new().path(folder).load();
    pack.unwrap_or_else(|error| panic!("{error}")).catalog
}

fn parse(folder: &Path) {
    for file in fs::read_dir(folder).expect("it was just created") {
        let path = file.expect("it was just created").path();
        let text = fs::read_to_string(path).expect("it was just written");
        for event in Parser::new_from_str(&text) {
            black_box(event.expect("the documents are well-formed"));
        }
    }
}

/// A temporary folder with the pack, removed when it is dropped.
struct Folder(PathBuf);

impl Folder {
    fn create() -> Self {
        let folder = Self(std::env::temp_dir().join(format!("ugas-bench-{}", std::process::id())));
        fs::create_dir_all(&folder.0).expect("the temporary folder is writable");
        // The registry, then sets before their users, and abilities with their effects.
        let sets = (1..=ABILITIES / PER_SET).map(|set| (set * 10 * PER_SET, 0, set));
        let groups = (0..ABILITIES)
            .flat_map(|group| (1..2 + EACH).map(move |kind| (group * 10 + kind, kind, 1 + group / PER_SET)));
        let documents = std::iter::once((0, 0, 0)).chain(sets).chain(groups);
        for (at, text) in generate(FILES, documents).into_iter().enumerate() {
            fs::write(folder.0.join(format!("{at}.yaml")), text).expect("the temporary folder is writable");
        }
        fs::write(folder.0.join("pack.yaml"), "Name: bench\nVersion: 1.0.0\n").expect("it is writable");
        folder
    }

    fn bytes(&self) -> u64 {
        let files = fs::read_dir(&self.0).expect("it was just created");
        files.filter_map(|file| Some(file.ok()?.metadata().ok()?.len())).sum()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A leftover in the temporary folder is harmless.
        let _ = fs::remove_dir_all(&self.0);
    }
}
