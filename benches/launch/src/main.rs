//! `cargo run --release -p ugas-bench`: builds and runs the benchmarks in the folder above.
//!
//! They are a workspace of their own, because what they are measured beside takes minutes to build and must be no part
//! of a normal build or test. A package of that workspace cannot be named by `-p`; this one can, and passes on.

use std::path::Path;
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml");
    let mut command = Command::new(cargo);
    command.args(["run", "--release", "--locked", "--manifest-path"]).arg(manifest);
    command.arg("--").args(std::env::args_os().skip(1));
    match command.status() {
        Ok(status) => status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1).into(),
        Err(error) => {
            eprintln!("cargo does not start: {error}");
            ExitCode::from(2)
        }
    }
}
