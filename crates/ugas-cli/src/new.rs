//! `ugas new`.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;

use crate::Status;
use crate::output;

/// The files of a new pack.
const FILES: [(&str, &str); 8] = [
    ("pack.yaml", include_str!("../template/pack.yaml")),
    ("tags.yaml", include_str!("../template/tags.yaml")),
    ("attributes.yaml", include_str!("../template/attributes.yaml")),
    ("effects.yaml", include_str!("../template/effects.yaml")),
    ("abilities.yaml", include_str!("../template/abilities.yaml")),
    ("scenarios/luck.yaml", include_str!("../template/scenarios/luck.yaml")),
    ("scenarios/poison.yaml", include_str!("../template/scenarios/poison.yaml")),
    ("scenarios/strike.yaml", include_str!("../template/scenarios/strike.yaml")),
];

/// Creates a folder with a small pack that passes check and run
///
/// The pack has a few attributes, effects and tags, an ability, and four scenarios, with comments. Change a
/// number and run it again.
#[derive(Args)]
#[command(after_help = "Example:\n  ugas new game && ugas check game && ugas run game")]
pub(crate) struct Arguments {
    /// Folder to create; may exist if it is empty
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Runs `ugas new`: writes a small pack with a scenario to a new or empty folder.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Status> {
    let folder = &arguments.folder;
    anyhow::ensure!(is_free(folder)?, "`{}` already exists and is not an empty folder", folder.display());
    for (name, text) in FILES {
        let file = folder.join(name);
        let parent = file.parent().unwrap_or(folder);
        fs::create_dir_all(parent).with_context(|| format!("`{}` cannot be created", parent.display()))?;
        output::write_file(&file, text)?;
    }
    let shown = folder.display();
    output::print(&format!("created {shown}; next: ugas check {shown} && ugas run {shown}\n"))?;
    Ok(Status::Success)
}

/// Whether a folder does not exist or is empty. A dangling link is not free.
fn is_free(folder: &Path) -> anyhow::Result<bool> {
    match fs::read_dir(folder) {
        Ok(mut entries) => Ok(entries.next().is_none()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(!folder.is_symlink()),
        Err(error) if error.kind() == ErrorKind::NotADirectory && folder.is_file() => Ok(false),
        Err(error) => Err(error).with_context(|| format!("`{}` cannot be read", folder.display())),
    }
}
