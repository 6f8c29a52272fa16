//! Reading of files: regular ones of limited size.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, ensure};

use crate::output;

/// Opens a file of at most `most` bytes.
///
/// # Errors
/// If it does not exist, is not a regular file, or is larger. The kind is checked before opening, because
/// opening a pipe would wait for a writer.
pub(crate) fn open(file: &Path, most: u64) -> anyhow::Result<File> {
    output::ensure_exists(file)?;
    let shown = file.display();
    let unreadable = || format!("`{shown}` cannot be read");
    let found = file.metadata().with_context(unreadable)?;
    ensure!(found.is_file(), "`{shown}` cannot be read: it is not a regular file");
    ensure!(found.len() <= most, too_large(file, most));
    File::open(file).with_context(unreadable)
}

/// Reads a file of at most `most` bytes, whatever size its metadata have.
///
/// # Errors
/// As [`open`].
pub(crate) fn read(file: &Path, most: u64) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let taken = open(file, most)?.take(most.saturating_add(1)).read_to_end(&mut bytes);
    taken.with_context(|| format!("`{}` cannot be read", file.display()))?;
    ensure!(bytes.len() as u64 <= most, too_large(file, most));
    Ok(bytes)
}

fn too_large(file: &Path, most: u64) -> String {
    format!("`{}` is larger than {} MiB", file.display(), most >> 20)
}
