//! `--watch`.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use crate::{empty_folder, ugas};

/// A running command, killed when dropped.
struct Watching {
    child: Child,
    lines: Receiver<String>,
}

impl Watching {
    fn start(arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ugas"));
        let mut child = command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let stdout = child.stdout.take().unwrap();
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Self { child, lines }
    }

    /// Waits for a line that contains the text, within a minute.
    #[track_caller]
    fn expect(&self, text: &str) {
        let deadline = Instant::now() + Duration::from_secs(60);
        let mut seen = Vec::new();
        while let Ok(line) = self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            seen.push(line);
            if seen.last().is_some_and(|line| line.contains(text)) {
                return;
            }
        }
        panic!("`{text}` did not come; there was {seen:#?}");
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn check_and_run_follow_changes() {
    let folder = empty_folder("watch").join("game");
    let game = folder.to_string_lossy();
    assert_eq!(ugas(["new", &game]).status, 0);
    let scenario = folder.join("scenarios/poison.yaml");
    let (check, run) = (
        Watching::start(&["check", &game, "--watch"]),
        // The pack is outside of the scenario file, and is watched, too.
        Watching::start(&["run", &scenario.to_string_lossy(), "--watch"]),
    );
    for watching in [&check, &run] {
        watching.expect("watching for changes");
    }
    let file = folder.join("effects.yaml");
    let effects = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, effects.replace("Value: -5", "Value: -6")).unwrap();
    check.expect("effects.yaml");
    check.expect("valid: 0 errors");
    run.expect("effects.yaml");
    run.expect("expected 85, found 82");
    std::fs::write(&file, effects.replace("Attribute: Health", "Attribute: Helth")).unwrap();
    check.expect("did you mean `Health`?");
    std::fs::write(&file, effects).unwrap();
    check.expect("valid: 0 errors");
}

#[test]
fn watch_rejects_json() {
    for command in ["check", "run"] {
        let answer = ugas([command, ".", "--watch", "--format", "json"]);
        assert_eq!((answer.status, answer.stdout.as_str()), (2, ""), "{command}");
        assert_eq!(ugas([command, "nowhere", "--watch"]).status, 2, "{command}");
    }
}
