//! The text exactly as users see it, in `tests/expected`. Set `UPDATE_EXPECT=1` to rewrite the files, and read the
//! difference as a user would.

use std::path::Path;

use crate::{Answer, fixtures, ugas_in};

/// Runs a command line in a folder and compares with the expected file.
#[track_caller]
pub(crate) fn check_in(folder: &Path, name: &str, line: &str) {
    let arguments = split(line);
    let Answer { status, stdout, stderr } = ugas_in(folder, &arguments);
    let mut text = format!("$ ugas {line}\n{stdout}");
    if !stderr.is_empty() {
        text.push_str(&format!("--- on standard error\n{stderr}"));
    }
    text.push_str(&format!("--- exit status {status}\n"));
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expected").join(format!("{name}.txt"));
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&file, &text).unwrap();
    }
    let expected = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(text, expected, "{} differs; UPDATE_EXPECT=1 rewrites it", file.display());
}

#[track_caller]
fn check(name: &str, line: &str) {
    check_in(&fixtures(), name, line);
}

/// Words, and texts in double quotes.
fn split(line: &str) -> Vec<String> {
    let pieces = line.split('"').enumerate();
    pieces
        .flat_map(|(position, piece)| match position % 2 {
            0 => piece.split_whitespace().map(str::to_owned).collect(),
            _ => vec![piece.to_owned()],
        })
        .collect()
}

#[test]
fn sweep() {
    check("sweep", "sweep duel.yaml --vary hero.Strength=10..30:10 --runs 200");
    check(
        "sweep-failed",
        "sweep duel.yaml --vary Steps.1.Apply.Effect=GE_Blow,GE_Blw --runs 3 --measure wolf.Health",
    );
}

#[test]
fn sweep_misused() {
    check("sweep-unknown-key", "sweep duel.yaml --vary Controllers.hero.Bse.Strength=1..3");
    check("sweep-unknown-attribute", "sweep duel.yaml --vary hero.Strenth=1..3");
    check("sweep-no-step", "sweep duel.yaml --vary hero.Strength=1..3:0");
}
