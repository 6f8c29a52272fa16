//! Search of folders for pack files, in sorted order, safe against cycles of links.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::Limits;

/// Maximal nesting of folders; deeper ones are not searched.
const MAX_FOLDER_DEPTH: u32 = 64;

/// Result of a search: a file, or an obstacle.
#[derive(Debug)]
pub(crate) enum Found {
    /// File with its length in bytes.
    File(PathBuf, u64),
    Unreadable(PathBuf, std::io::Error),
    /// Folder that contains itself through a link.
    Loop(PathBuf),
    TooDeep(PathBuf),
    TooMany,
    /// The files together have more bytes than [`Limits::pack_bytes`]; the rest was not searched.
    TooLong,
}

/// The YAML and JSON files in and below `folder`, sorted. Hidden ones (`.vscode`) and manifests
/// (`index.json`) are not part of a pack. The search ends where the files exceed a limit: a pack that is refused
/// costs no more than the largest one that is accepted.
pub(crate) fn find_files(folder: &Path, limits: &Limits) -> Vec<Found> {
    Search::new(limits).run(folder).found
}

struct Search {
    found: Vec<Found>,
    files: u32,
    /// Number of searched folders, each counted once for every path to it: a few links can make very many
    /// paths.
    folders: u32,
    most: u32,
    /// Bytes of the files so far. Files beyond the limit of one file are not read, and do not count.
    bytes: u64,
    limits: Limits,
    /// Whether a limit was exceeded, so that nothing more is searched.
    is_over: bool,
    /// Number of entries whose metadata were read.
    #[cfg(test)]
    examined: u32,
    /// Canonical paths of the folders from the root to the current one.
    inside: BTreeSet<PathBuf>,
}

impl Search {
    fn new(limits: &Limits) -> Self {
        Self {
            found: Vec::new(),
            files: 0,
            folders: 0,
            most: limits.files,
            bytes: 0,
            limits: *limits,
            is_over: false,
            #[cfg(test)]
            examined: 0,
            inside: BTreeSet::new(),
        }
    }

    fn run(mut self, folder: &Path) -> Self {
        self.folder(folder, 0);
        self
    }

    /// Searches a folder in sorted order, and adds its files or the obstacle. A folder that contains itself,
    /// is too deep, or exceeds the limit is not searched.
    fn folder(&mut self, folder: &Path, depth: u32) {
        if depth > MAX_FOLDER_DEPTH {
            self.found.push(Found::TooDeep(folder.to_owned()));
            return;
        }
        self.folders += 1;
        if self.folders > self.most {
            self.end(Found::TooMany);
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

    /// Adds the limit that was exceeded, and ends the search.
    fn end(&mut self, limit: Found) {
        self.found.push(limit);
        self.is_over = true;
    }

    /// Adds a file, or searches a folder. Hidden entries and files of other types are skipped; beyond a limit
    /// one `TooMany` or `TooLong` is added and the rest is ignored.
    fn entry(&mut self, path: PathBuf, depth: u32) {
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if hidden || self.is_over {
            return;
        }
        #[cfg(test)]
        {
            self.examined += 1;
        }
        match std::fs::metadata(&path) {
            Ok(metadata) if metadata.is_dir() => self.folder(&path, depth + 1),
            Ok(_) if !is_pack_file(&path) => {}
            Ok(metadata) => {
                self.files += 1;
                let bytes = metadata.len();
                self.bytes += if bytes > self.limits.file_bytes { 0 } else { bytes };
                if self.files > self.most {
                    self.end(Found::TooMany);
                } else {
                    self.found.push(Found::File(path, bytes));
                }
                if self.bytes > self.limits.pack_bytes && !self.is_over {
                    self.end(Found::TooLong);
                }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn search_ends_where_the_files_exceed_the_limit_of_bytes() {
        let folder = std::env::temp_dir().join(format!("ugas-search-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for number in 0..100 {
            std::fs::write(folder.join(format!("{number:03}.yaml")), "0123456789").unwrap();
        }
        let limits = Limits { pack_bytes: 100, ..Limits::default() };
        let search = Search::new(&limits).run(&folder);
        std::fs::remove_dir_all(&folder).unwrap();
        // Ten files have 100 bytes, and the eleventh is too much: the other 89 are not looked at.
        assert_eq!((search.files, search.examined), (11, 11));
        assert!(matches!(search.found.last(), Some(Found::TooLong)));
    }
}
