//! `ugas sweep` on two cores and on one: the program as it is used, start and report included.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::line::{Goal, Line};
use crate::measure::{Effort, compare, wall_clock};

/// Goal: on two cores at least 1.8 times as fast as on one.
pub(crate) fn measure(effort: Effort) -> Vec<Line> {
    if std::thread::available_parallelism().is_ok_and(|cores| cores.get() < 2) {
        eprintln!("sweep: skipped, the machine has only one core");
        return Vec::new();
    }
    let program = match build() {
        Ok(program) => program,
        Err(problem) => {
            eprintln!("sweep: skipped, {problem}");
            return Vec::new();
        }
    };
    let runs = effort.population(10_000);
    let sweep = |threads: u32| run(&program, threads, runs);
    assert_eq!(sweep(1), sweep(2), "the result depends on the number of threads");
    let on = |threads: u32| wall_clock(move || drop(sweep(threads)));
    let [two, one] = compare(effort, [on(2), on(1)]);
    let note = format!("the whole program, {runs} seeds of a scenario, two threads{}", load());
    let line = Line::new("sweep", two, Goal::Peer(1.8)).peer("one core", one.median).note(note);
    vec![Line { allocations: None, ..line }]
}

/// Load of the machine, if it is known: two threads gain nothing on busy cores.
fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ')
        .next()
        .map(|load| format!("; needs an idle machine, its load was {load}"))
        .unwrap_or_default()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Builds the command line program and returns its path.
fn build() -> Result<PathBuf, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let arguments = ["build", "--release", "--package", "ugas-cli", "--message-format", "json"];
    let output = Command::new(cargo)
        .args(arguments)
        .current_dir(root())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cannot start cargo: {error}"))?;
    let messages = String::from_utf8_lossy(&output.stdout);
    let mut executables = messages.lines().filter_map(|line| {
        let message: Value = serde_json::from_str(line).ok()?;
        Some(PathBuf::from(message["executable"].as_str()?))
    });
    executables.next_back().ok_or_else(|| "the command line program does not build".to_owned())
}

fn run(program: &Path, threads: u32, runs: usize) -> String {
    let output = Command::new(program)
        .args(["sweep", "packs/hero/scenarios/fighting.yaml"])
        .args(["--runs", &runs.to_string(), "--threads", &threads.to_string(), "--format", "json"])
        .current_dir(root())
        .output()
        .expect("the program was just built");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("JSON is text")
}
