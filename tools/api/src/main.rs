//! Compares the public API of the library crates with the text files in `docs/api`.
//!
//! `cargo run --manifest-path tools/api/Cargo.toml` fails and prints the difference if an API has changed. With
//! `UPDATE_EXPECT=1` it writes the files instead, for the review of the difference.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use public_api::Builder;

/// The façade, and the crates whose items it exports.
const CRATES: [&str; 5] = ["ugas", "ugas-core", "ugas-data", "ugas-net", "ugas-replay"];

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!(
                "the public API has changed. If that is intended, run \
                 `UPDATE_EXPECT=1 cargo run --manifest-path tools/api/Cargo.toml` and describe the change in CHANGELOG.md"
            );
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Whether all APIs are as recorded.
fn run() -> Result<bool, Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let is_update = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut is_equal = true;
    for name in CRATES {
        let text = api(&root, name)?;
        let file = root.join("docs/api").join(format!("{name}.txt"));
        if is_update {
            fs::create_dir_all(root.join("docs/api"))?;
            fs::write(&file, text)?;
            continue;
        }
        let recorded = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        is_equal &= report_difference(name, &recorded, &text);
    }
    Ok(is_equal)
}

/// One line for each public item of a crate. Derived, blanket and automatic implementations are left out.
fn api(root: &Path, name: &str) -> Result<String, Box<dyn Error>> {
    let target = root.join("target/api");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .current_dir(root)
        .env("RUSTC_BOOTSTRAP", "1")
        .args(["rustdoc", "--quiet", "--locked", "--lib", "--package", name, "--target-dir"])
        .arg(&target)
        .args(["--", "-Z", "unstable-options", "--output-format", "json", "--cap-lints", "allow"])
        .status()?;
    if !status.success() {
        return Err(format!("cargo rustdoc of {name} failed").into());
    }
    let json = target.join("doc").join(format!("{}.json", name.replace('-', "_")));
    let api = Builder::from_rustdoc_json(json)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true)
        .build()?;
    Ok(api.to_string())
}

/// Prints the lines that differ. Returns whether there are none.
fn report_difference(name: &str, recorded: &str, text: &str) -> bool {
    let only_in = |these: &str, others: &str, sign: char| {
        let others: std::collections::BTreeSet<&str> = others.lines().collect();
        let lines: Vec<&str> = these.lines().filter(|line| !others.contains(line)).collect();
        for line in &lines {
            println!("{name}: {sign} {line}");
        }
        lines.is_empty()
    };
    let nothing_removed = only_in(recorded, text, '-');
    let nothing_added = only_in(text, recorded, '+');
    nothing_removed && nothing_added
}
