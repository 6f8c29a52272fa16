//! Checks before overwriting files: never an input, and only files that the command could have written
//! itself.

use std::fs::{File, Metadata};
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use ugas_data::Scenario;

/// Returns an error if an output file is one of the inputs, under any name.
///
/// Folders among the inputs stand for all documents in them.
pub(crate) fn ensure_not_input(output: &Path, inputs: &[PathBuf]) -> anyhow::Result<()> {
    let Ok(place) = output.canonicalize() else { return Ok(()) };
    let is_output = |input: &Path| {
        let is_same_place = input.canonicalize().is_ok_and(|input| input == place);
        is_same_place || is_same_file(input, &place)
    };
    match inputs.iter().flat_map(Scenario::files).find(|input| is_output(input)) {
        Some(input) if input == output => {
            bail!("`{}` is an input and would be overwritten: give another file", output.display())
        }
        Some(input) => bail!(
            "`{}` is `{}`, which is an input and would be overwritten: give another file",
            output.display(),
            input.display()
        ),
        None => Ok(()),
    }
}

/// Returns an error if a file exists and has content of another kind. Empty files, pipes and devices have
/// nothing to lose.
///
/// `is_own` receives at most the first `most` bytes.
pub(crate) fn ensure_replaceable(
    output: &Path,
    what: &str,
    most: u64,
    is_own: impl FnOnce(Vec<u8>) -> bool,
) -> anyhow::Result<()> {
    let shown = output.display();
    match output.metadata() {
        Ok(found) if holds_bytes(&found) => {}
        _ => return Ok(()),
    }
    let mut bytes = Vec::new();
    let opened = File::open(output).and_then(|file| file.take(most).read_to_end(&mut bytes));
    opened.with_context(|| format!("`{shown}` exists and cannot be read"))?;
    if is_own(bytes) {
        return Ok(());
    }
    bail!("`{shown}` already exists and is not {what}: give another file, or move it away")
}

/// Whether it is a file with content; an empty one or a device loses nothing.
fn holds_bytes(found: &Metadata) -> bool {
    found.is_file() && found.len() > 0
}

/// Whether two paths are hard links of one file.
#[cfg(unix)]
fn is_same_file(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |path: &Path| path.metadata().map(|found| (found.dev(), found.ino())).ok();
    identity(one).is_some_and(|one| Some(one) == identity(other))
}

/// Whether two paths are hard links of one file: unknown on this system, so no.
#[cfg(not(unix))]
fn is_same_file(_: &Path, _: &Path) -> bool {
    false
}
