//! Search of folders for pack files, in sorted order, safe against cycles of links.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::Limits;

/// Maximal nesting of folders; deeper ones are not searched.
const MAX_FOLDER_DEPTH: u32 = 64;

/// Result of a search: a file, or an obstacle.
#[derive(Debug)]
pub(crate) enum Found {
    File(PathBuf),
    Unreadable(PathBuf, std::io::Error),
    /// Folder that contains itself through a link.
    Loop(PathBuf),
    TooDeep(PathBuf),
    TooMany,
}

/// The YAML and JSON files in and below `folder`, sorted. Hidden ones (`.vscode`) and manifests
/// (`index.json`) are not part of a pack.
pub(crate) fn find_files(folder: &Path, limits: &Limits) -> Vec<Found> {
    let (found, inside) = (Vec::new(), BTreeSet::new());
    let mut search = Search { found, files: 0, folders: 0, most: limits.files, inside };
    search.folder(folder, 0);
    search.found
}

struct Search {
    found: Vec<Found>,
    files: u32,
    /// Number of searched folders, each counted once for every path to it: a few links can make very many
    /// paths.
    folders: u32,
    most: u32,
    /// Canonical paths of the folders from the root to the current one.
    inside: BTreeSet<PathBuf>,
}

impl Search {
    /// Searches a folder in sorted order, and adds its files or the obstacle. A folder that contains itself,
    /// is too deep, or exceeds the limit is not searched.
    fn folder(&mut self, folder: &Path, depth: u32) {
        if depth > MAX_FOLDER_DEPTH {
            self.found.push(Found::TooDeep(folder.to_owned()));
            return;
        }
        self.folders += 1;
        if self.folders > self.most {
            self.found.push(Found::TooMany);
            return;
        }
        let real = match folder.canonicalize() {
            Ok(real) => real,
            Err(error) => return self.found.push(Found::Unreadable(folder.to_owned(), error)),
        };
        if !self.inside.insert(real.clone()) {
            self.found.push(Found::Loop(folder.to_owned()));
            return;
        }
        match std::fs::read_dir(folder) {
            Ok(entries) => {
                let mut paths = Vec::new();
                for entry in entries {
                    match entry {
                        Ok(entry) => paths.push(entry.path()),
                        Err(error) => self.found.push(Found::Unreadable(folder.to_owned(), error)),
                    }
                }
                paths.sort();
                for path in paths {
                    self.entry(path, depth);
                }
            }
            Err(error) => self.found.push(Found::Unreadable(folder.to_owned(), error)),
        }
        self.inside.remove(&real);
    }

    /// Adds a file, or searches a folder. Hidden entries and files of other types are skipped; beyond the
    /// limit one `TooMany` is added and the rest is ignored.
    fn entry(&mut self, path: PathBuf, depth: u32) {
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if hidden || self.files > self.most || self.folders > self.most {
            return;
        }
        match std::fs::metadata(&path) {
            Ok(metadata) if metadata.is_dir() => self.folder(&path, depth + 1),
            Ok(_) if !is_pack_file(&path) => {}
            Ok(_) => {
                self.files += 1;
                self.found.push(if self.files > self.most { Found::TooMany } else { Found::File(path) });
            }
            // A link that leads to itself, or to a path that does not exist.
            Err(error) if is_pack_file(&path) || path.is_symlink() => {
                self.found.push(Found::Unreadable(path, error));
            }
            Err(_) => {}
        }
    }
}

/// Whether a path has the extension of YAML or JSON and is not the manifest `index.json`.
fn is_pack_file(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let manifest = path.file_name().is_some_and(|name| name == "index.json");
    matches!(extension, "yaml" | "yml" | "json") && !manifest
}
