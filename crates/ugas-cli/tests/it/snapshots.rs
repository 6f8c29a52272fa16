//! Snapshots of the output, in `tests/expected`. Set `UPDATE_EXPECT=1` to rewrite the files, and review the
//! differences.

use std::path::Path;

use crate::{Answer, empty_folder, fixtures, root, ugas_in};

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
    check_text(name, &text);
}

/// Compares a text with the expected file.
#[track_caller]
pub(crate) fn check_text(name: &str, text: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expected").join(format!("{name}.txt"));
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&file, text).unwrap();
    }
    let expected = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(text, expected, "{} differs; UPDATE_EXPECT=1 rewrites it", file.display());
}

#[track_caller]
fn check(name: &str, line: &str) {
    check_in(&fixtures(), name, line);
}

/// Splits a line into words and double-quoted texts.
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

#[test]
fn inspect() {
    check("run-inspect", "run duel.yaml --inspect wolf --at 1");
    check("run-inspect-nobody", "run duel.yaml --inspect wulf");
}

#[test]
fn save_and_load() {
    check("save", "save duel.yaml --controller wolf --at 1.25");
    check("save-json", "save duel.yaml --controller hero --at 0 --format json");
    check("save-bare", "save bare.yaml --controller stone");
    check("save-nobody", "save duel.yaml --controller wulf");
    check("save-binary", "save duel.yaml --controller wolf --format binary");
    check("load", "load bitten.yaml --into duel.yaml --as wolf");
    check("load-beside", "load bitten.yaml --into duel.yaml --at 0");
    check("load-broken", "load broken-character.yaml --into duel.yaml");
}

#[test]
fn check_with_errors() {
    check("check-broken", "check broken");
    check("check-file", "check duel.yaml");
}

#[test]
fn run_with_failures() {
    check("run", "run duel.yaml");
    check("run-failed", "run failing.yaml");
    check("run-no-target", "run no-target.yaml");
}

/// Summons have the names that their tasks gave them, also after they left.
#[test]
fn summons() {
    check("summons-inspect", "run summons.yaml --inspect hero");
    check("summons-inspect-wolf", "run summons.yaml --inspect wolf");
    check("summons-inspect-gone", "run summons.yaml --inspect wolf.2");
    check("summons-explain", "explain summons.yaml --controller hero --attribute Health");
    check("summons-explain-wolf", "explain summons.yaml --controller wolf --attribute Health");
    check("summons-save", "save summons.yaml --controller hero --at 0.5");
    check("summons-sweep", "sweep summons.yaml --runs 2 --measure wolf.Health");
    let folder = empty_folder("summons-replay");
    let scenario = fixtures().join("summons.yaml");
    std::fs::copy(scenario, folder.join("summons.yaml")).unwrap();
    assert_eq!(ugas_in(&folder, ["run", "summons.yaml", "--record", "summons.ugasrec"]).status, 0);
    let commands =
        "seek 0.5; show wolf.2; explain hero Health; until ControllerDespawned wolf.2; diff 0.5 end; info";
    check_in(&folder, "summons-replay", &format!("replay summons.ugasrec --do \"{commands}\""));
}

#[test]
fn explain() {
    check("explain", "explain duel.yaml --controller wolf --attribute Health --at 2");
    let scenario = "packs/arpg/scenarios/damage-buckets.yaml";
    let line = format!("explain {scenario} --controller hero --attribute WeaponDamage");
    check_in(Path::new(&root("")), "explain-tree", &line);
}

/// Mistakes that newcomers make.
#[test]
fn likely_mistakes() {
    check("mistake-typo", "run duell.yaml");
    check("mistake-missing", "check nowhere/at/all");
    check("mistake-value", "run duel.yaml --step fast");
    check("mistake-format", "check broken --format yaml");
    check("mistake-command", "chek broken");
    check("mistake-controller", "explain duel.yaml --controller wof --attribute Health");
    check("mistake-attribute", "explain duel.yaml --controller wolf --attribute Helth");
    check(
        "mistake-scenario",
        "explain duel.yaml --scenario \"four blows\" --controller wolf --attribute Health",
    );
    check("mistake-schema", "schema gameplay_efect");
    check("mistake-shell", "completions bsh");
    let folder = empty_folder("mistake-empty");
    std::fs::create_dir(folder.join("empty")).unwrap();
    check_in(&folder, "mistake-empty-run", "run empty");
    check_in(&folder, "mistake-empty-check", "check empty");
    std::fs::write(folder.join("game"), "").unwrap();
    check_in(&folder, "mistake-new", "new game");
}

/// The suite grows, but the form of its summary stays.
#[test]
fn conformance() {
    let answer = ugas_in(&fixtures(), ["conformance"]);
    let lines = answer.stdout.lines().filter(|line| !line.starts_with("  not covered"));
    let text: Vec<String> = lines.map(without_numbers).collect();
    assert_eq!(text.first().map(String::as_str), Some("§N.N N of N"));
    let [empty, scenarios, clauses] = text.last_chunk().unwrap();
    assert_eq!(empty, "");
    assert_eq!(scenarios, "scenarios: N passed, N failed");
    assert_eq!(clauses, "clauses: N of N covered");
}

/// Replaces numbers with `N`, and repeated spaces with one.
fn without_numbers(line: &str) -> String {
    let mut text = line.split_whitespace().collect::<Vec<_>>().join(" ");
    text = text.replace(|letter: char| letter.is_ascii_digit(), "N");
    while text.contains("NN") {
        text = text.replace("NN", "N");
    }
    text
}

#[test]
fn help() {
    check("help", "--help");
    for command in [
        "demo",
        "check",
        "run",
        "explain",
        "save",
        "load",
        "sweep",
        "conformance",
        "schema",
        "generate",
        "new",
        "play",
        "replay",
        "completions",
    ] {
        check(&format!("help-{command}"), &format!("{command} --help"));
    }
}
