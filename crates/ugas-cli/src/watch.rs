//! `--watch`: repeats a command whenever files change.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use anyhow::Context;
use notify::event::{CreateKind, ModifyKind, RemoveKind};
use notify::{Event, EventKind, RecursiveMode, Watcher};

use crate::Status;
use crate::output;

/// Whether to continue watching.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Next {
    Again,
    #[cfg_attr(not(test), expect(dead_code, reason = "people stop it with Ctrl-C, tests with this"))]
    Stop,
}

/// Quiet time after a change: editors write a file in several steps.
const QUIET: Duration = Duration::from_millis(150);

/// Maximum wait for quiet: after this the command is repeated anyway.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// Maximum number of changed files that are named.
const MAX_NAMED: usize = 5;

/// Repeats a command until the user ends the process. An error of the first run ends it, too.
pub(crate) fn run(
    paths: impl Fn() -> Vec<PathBuf>,
    command: impl Fn() -> anyhow::Result<Status>,
) -> anyhow::Result<Status> {
    let mut is_first = true;
    watch(&paths, |changed| {
        if !changed.is_empty() {
            output::print(&format!("\nchanged: {}\n", names(changed)))?;
        }
        match command() {
            Err(error) if is_first || output::is_closed_pipe(&error) => return Err(error),
            Err(error) => eprintln!("ugas: {error:#}"),
            Ok(_) => {}
        }
        if is_first {
            output::print("watching for changes; Ctrl-C ends\n")?;
        }
        is_first = false;
        Ok(Next::Again)
    })?;
    Ok(Status::Success)
}

/// Calls `act` once, and then whenever something changes at the paths, which are evaluated again each time.
///
/// # Errors
/// If the system cannot watch, or the action fails.
pub(crate) fn watch(
    paths: impl Fn() -> Vec<PathBuf>,
    mut act: impl FnMut(&[PathBuf]) -> anyhow::Result<Next>,
) -> anyhow::Result<()> {
    let (sender, events) = mpsc::channel();
    let mut watcher = notify::recommended_watcher(sender).context("this system cannot watch files")?;
    // Watch before the first run, so that no change is missed.
    let mut watched = Watched::new(&paths(), &mut watcher);
    let mut changed = Vec::new();
    while act(&changed)? == Next::Again {
        watched.extend(Watched::new(&paths(), &mut watcher));
        changed = watched.next_change(&events).context("this system has stopped watching")?;
    }
    Ok(())
}

/// Changed paths for a message, relative to the current folder, and the number of further ones.
fn names(changed: &[PathBuf]) -> String {
    let here = std::env::current_dir().and_then(|here| here.canonicalize()).unwrap_or_default();
    let name = |path: &PathBuf| path.strip_prefix(&here).unwrap_or(path).display().to_string();
    let mut names: Vec<String> = changed.iter().take(MAX_NAMED).map(name).collect();
    if changed.len() > MAX_NAMED {
        names.push(format!("and {} more", changed.len() - MAX_NAMED));
    }
    names.join(", ")
}

/// The watched files and folders, with canonical paths, as the system reports them.
#[derive(Default)]
struct Watched {
    files: BTreeSet<PathBuf>,
    folders: BTreeSet<PathBuf>,
}

impl Watched {
    /// Watches the paths that exist. For a file its folder is watched, because editors replace files.
    fn new(paths: &[PathBuf], watcher: &mut impl Watcher) -> Self {
        let mut watched = Self::default();
        for path in paths {
            let Ok(real) = path.canonicalize() else { continue };
            if real.is_dir() {
                // Watching again is harmless, and needed for a folder that was removed and created again.
                let _ = watcher.watch(&real, RecursiveMode::Recursive);
                watched.folders.insert(real);
            } else if let Some(folder) = real.parent() {
                if !watched.folders.iter().any(|known| folder.starts_with(known)) {
                    let _ = watcher.watch(folder, RecursiveMode::NonRecursive);
                }
                watched.files.insert(real);
            }
        }
        watched
    }

    fn extend(&mut self, other: Self) {
        self.files.extend(other.files);
        self.folders.extend(other.folders);
    }

    /// Waits for a change and the quiet time after it.
    fn next_change(&self, events: &Receiver<notify::Result<Event>>) -> anyhow::Result<Vec<PathBuf>> {
        let mut changed = BTreeSet::new();
        while changed.is_empty() {
            changed.extend(self.relevant(events.recv()?));
        }
        let start = Instant::now();
        while start.elapsed() < MAX_WAIT {
            match events.recv_timeout(QUIET) {
                Ok(event) => changed.extend(self.relevant(event)),
                Err(RecvTimeoutError::Timeout) => break,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(changed.into_iter().collect())
    }

    /// Watched paths that an event changes. Reads, changes of metadata and errors of the watcher have none.
    fn relevant(&self, event: notify::Result<Event>) -> Vec<PathBuf> {
        let Ok(event) = event else { return Vec::new() };
        let is_of_folder = match event.kind {
            EventKind::Access(_) | EventKind::Modify(ModifyKind::Metadata(_)) => return Vec::new(),
            EventKind::Create(CreateKind::Folder)
            | EventKind::Remove(RemoveKind::Folder)
            | EventKind::Modify(ModifyKind::Name(_)) => true,
            _ => false,
        };
        event.paths.into_iter().filter(|path| self.has(path, is_of_folder)).collect()
    }

    /// Whether a path is a watched pack file. Outputs beside a pack, such as plots, must not trigger another
    /// run.
    fn has(&self, path: &Path, is_of_folder: bool) -> bool {
        if self.files.contains(path) {
            return true;
        }
        let is_pack_file = match path.extension().and_then(|extension| extension.to_str()) {
            Some(extension) => matches!(extension, "yaml" | "yml" | "json"),
            None => is_of_folder,
        };
        let is_visible = |below: &Path| {
            below.components().all(|part| match part {
                Component::Normal(name) => !name.to_string_lossy().starts_with('.'),
                _ => true,
            })
        };
        is_pack_file
            && self.folders.iter().filter_map(|folder| path.strip_prefix(folder).ok()).any(is_visible)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::thread;

    use super::*;

    fn empty_folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("ugas-watch-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder.canonicalize().unwrap()
    }

    /// Watches `path`, makes changes after the first call, and returns the paths of the second call.
    fn second_time(path: PathBuf, change: impl FnOnce()) -> Vec<PathBuf> {
        let (sender, reports) = mpsc::channel();
        let watching = thread::spawn(move || {
            let mut times = 0;
            watch(
                || vec![path.clone()],
                |changed| {
                    times += 1;
                    sender.send(changed.to_vec())?;
                    Ok(if times == 2 { Next::Stop } else { Next::Again })
                },
            )
        });
        let wait = Duration::from_secs(60);
        assert_eq!(reports.recv_timeout(wait).unwrap(), Vec::<PathBuf>::new());
        change();
        let reported = reports.recv_timeout(wait).expect("a change is seen within a minute");
        watching.join().unwrap().unwrap();
        reported
    }

    #[test]
    fn change_of_a_pack_file_is_reported_and_output_files_are_not() {
        let folder = empty_folder("folder");
        let inner = folder.join("effects");
        fs::create_dir(&inner).unwrap();
        let file = inner.join("hit.yaml");
        fs::write(&file, "a: 1").unwrap();
        let reported = second_time(folder.clone(), || {
            fs::write(folder.join("plot.svg"), "<svg/>").unwrap();
            fs::write(folder.join(".hidden.yaml"), "a: 1").unwrap();
            let _ = fs::read_to_string(&file).unwrap();
            fs::write(&file, "a: 2").unwrap();
        });
        assert_eq!(reported, [file]);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn replaced_file_is_reported() {
        let folder = empty_folder("file");
        let (file, other) = (folder.join("tale.yaml"), folder.join("other.yaml"));
        fs::write(&file, "a: 1").unwrap();
        let reported = second_time(file.clone(), || {
            fs::write(&other, "a: 2").unwrap();
            fs::rename(&other, &file).unwrap();
        });
        assert_eq!(reported, [file]);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn long_lists_of_names_are_shortened() {
        let paths: Vec<PathBuf> = (0..7).map(|number| PathBuf::from(format!("/f{number}.yaml"))).collect();
        assert_eq!(names(&paths), "/f0.yaml, /f1.yaml, /f2.yaml, /f3.yaml, /f4.yaml, and 2 more");
    }
}
