//! Tests of the built binary: its output and exit status.

mod check;
mod conformance;
mod demo;
mod explain;
mod generate;
mod initial_state;
mod inspect;
mod new;
mod online;
mod operation;
mod overwrite;
// The HTTP and WebSocket client of the tests of `ugas-inspect`.
#[allow(dead_code, reason = "not all of it is needed here")]
#[path = "../../../ugas-inspect/tests/it/client.rs"]
mod page;
mod play;
mod replay;
mod resume;
mod run;
mod schema_and_completions;
mod snapshots;
mod soak;
mod sweep;
mod watch;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// Output and exit status of the binary.
struct Answer {
    status: i32,
    stdout: String,
    stderr: String,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {}", self.stdout))
    }
}

fn ugas<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Answer {
    ugas_in(Path::new("."), arguments)
}

/// Runs the binary in a folder, without a terminal or settings of the environment.
fn ugas_in<S: AsRef<std::ffi::OsStr>>(folder: &Path, arguments: impl IntoIterator<Item = S>) -> Answer {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ugas"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null()).env_remove("COLUMNS");
    let output = command.output().unwrap();
    Answer {
        status: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn root(path: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path).to_string_lossy().into_owned()
}

/// The folder of the fixtures.
fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

/// An empty folder for a test.
fn empty_folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// A file in an empty folder.
fn file(folder: &str, name: &str, text: &str) -> String {
    let path = empty_folder(folder).join(name);
    std::fs::write(&path, text).unwrap();
    path.to_string_lossy().into_owned()
}

fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

#[test]
fn usage_error_is_status_two() {
    assert_eq!(ugas(["frobnicate"]).status, 2);
    assert_eq!(ugas(["check"]).status, 2);
    assert_eq!(ugas(["run", "packs", "--step", "0"]).status, 2);
    assert_eq!(ugas(["schema", "gameplay_efect"]).status, 2);
    for command in ["check", "run", "explain"] {
        let answer = match command {
            "explain" => ugas([command, "nowhere", "--controller", "a", "--attribute", "B"]),
            _ => ugas([command, "nowhere"]),
        };
        assert_eq!((answer.status, answer.stdout.as_str()), (2, ""), "{command}");
        assert!(answer.stderr.contains("nowhere"), "{}", answer.stderr);
    }
}

#[cfg(unix)]
#[test]
fn inaccessible_path_is_reported_with_the_reason() {
    let folder = empty_folder("unreadable");
    std::os::unix::fs::symlink("circle", folder.join("circle")).unwrap();
    std::fs::write(folder.join("file.yaml"), "").unwrap();
    for (path, reason) in
        [("circle", "symbolic link"), ("circle/a.yaml", "symbolic link"), ("file.yaml/a", "ot a dir")]
    {
        for command in ["check", "run", "replay"] {
            let answer = ugas_in(&folder, [command, path]);
            assert_eq!((answer.status, answer.stdout.as_str()), (2, ""), "{command} {path}");
            assert!(answer.stderr.contains("cannot be read"), "{}", answer.stderr);
            assert!(answer.stderr.contains(reason), "{}", answer.stderr);
        }
    }
    assert!(ugas_in(&folder, ["new", "file.yaml/a"]).stderr.contains("ot a dir"));
}
