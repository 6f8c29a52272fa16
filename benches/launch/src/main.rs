//! `cargo run --release -p ugas-bench`: builds and runs the benchmarks in the folder above.
//!
//! They are a separate workspace, because the peers take minutes to build and must not be part of a normal
//! build or test. A package of that workspace cannot be selected with `-p`; this launcher can, and passes its
//! arguments on.

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
            eprintln!("cannot start cargo: {error}");
            ExitCode::from(2)
        }
    }
}
