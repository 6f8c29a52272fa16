//! Detection of changes in a pack's folder that Bevy's watcher does not report.
//!
//! Bevy reloads an asset when a file that it was read from changes. A pack is a folder: files are added and
//! removed, and a pack that never loaded has no files to watch yet. So the folder of the current pack is
//! scanned periodically, in the background, and only where files are watched at all.

use core::time::Duration;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use bevy_asset::{AssetPath, AssetServer, LoadState};
use bevy_ecs::prelude::{Res, Resource};
use bevy_ecs::system::Local;
use bevy_platform::sync::Arc;
use bevy_tasks::{IoTaskPool, Task, block_on};
use bevy_time::{Real, Time};
use ugas::core::hash::StateHasher;

use super::RulesHandle;
use super::loader::{files_in, folder_of, is_manifest};

/// Interval between two scans.
const SCAN_INTERVAL: Duration = Duration::from_millis(750);

/// Fingerprints of packs when they were last read, with or without errors, by path.
#[derive(Resource, Clone, Default)]
pub(super) struct LastRead(Arc<Mutex<BTreeMap<String, u64>>>);

impl LastRead {
    /// Records the fingerprint of a pack; returns the previous one.
    pub(super) fn record(&self, path: &AssetPath<'_>, fingerprint: u64) -> Option<u64> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(path.to_string(), fingerprint)
    }

    /// Fingerprint of the files that were read for a manifest; `None` if it was never loaded.
    fn of(&self, path: &AssetPath<'_>) -> Option<u64> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&path.to_string()).copied()
    }
}

/// Hash of the paths and contents of files.
pub(super) fn fingerprint<'a>(files: impl IntoIterator<Item = (&'a PathBuf, &'a [u8])>) -> u64 {
    let mut hasher = StateHasher::new();
    for (path, bytes) in files {
        for part in [path.as_os_str().as_encoded_bytes(), bytes] {
            hasher.bytes(&(part.len() as u64).to_le_bytes());
            hasher.bytes(part);
        }
    }
    hasher.finish()
}

/// State of the periodic scan.
#[derive(Default)]
pub(super) struct FolderScan {
    task: Option<Task<Option<u64>>>,
    next: Duration,
    /// Fingerprint of the last scan: files are written in pieces, so two equal scans are required.
    previous: Option<u64>,
    /// Fingerprint that a reload was requested for.
    requested: Option<u64>,
}

/// Reloads the pack when its folder differs from what was read, in two scans.
pub(super) fn watch_folder(
    time: Res<'_, Time<Real>>,
    handle: Option<Res<'_, RulesHandle>>,
    server: Res<'_, AssetServer>,
    known: Res<'_, LastRead>,
    mut scan: Local<'_, FolderScan>,
) {
    let path = handle.and_then(|handle| {
        let is_loading = matches!(server.load_state(&handle.0), LoadState::Loading);
        server.get_path(&handle.0).filter(|path| !is_loading && is_manifest(path)).map(AssetPath::into_owned)
    });
    let Some(path) = path else {
        (scan.task, scan.previous) = (None, None);
        return;
    };
    match scan.task.take() {
        None if time.elapsed() >= scan.next => {
            let server = server.clone();
            scan.task = Some(IoTaskPool::get().spawn(async move { scan_folder(&server, &path).await }));
        }
        None => {}
        Some(task) if !task.is_finished() => scan.task = Some(task),
        Some(task) => {
            let found = block_on(task);
            let is_stable = found.is_some() && scan.previous == found;
            if is_stable && found != known.of(&path) && found != scan.requested {
                tracing::info!("the files of {path} changed: reloading it");
                server.reload(&path);
                scan.requested = found;
            }
            scan.previous = found;
            scan.next = time.elapsed().saturating_add(SCAN_INTERVAL);
        }
    }
}

/// Fingerprint of the files of a pack; `None` if they cannot be read at the moment.
async fn scan_folder(server: &AssetServer, manifest: &AssetPath<'static>) -> Option<u64> {
    let source = manifest.source().clone_owned();
    let files = files_in(server, source.clone(), folder_of(manifest)).await.ok()?;
    let reader = server.get_source(source).ok()?.reader();
    let mut read = Vec::with_capacity(files.len());
    for file in files {
        let mut bytes = Vec::new();
        reader.read(&file).await.ok()?.read_to_end(&mut bytes).await.ok()?;
        read.push((file, bytes));
    }
    Some(fingerprint(read.iter().map(|(path, bytes)| (path, bytes.as_slice()))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprint_depends_on_names_and_contents() {
        let of = |files: &[(&str, &str)]| {
            let files: Vec<(PathBuf, &str)> = files.iter().map(|(name, text)| (name.into(), *text)).collect();
            fingerprint(files.iter().map(|(path, text)| (path, text.as_bytes())))
        };
        let first = of(&[("a.yaml", "x"), ("b.yaml", "y")]);
        assert_eq!(first, of(&[("a.yaml", "x"), ("b.yaml", "y")]));
        for other in [
            of(&[("a.yaml", "x")]),
            of(&[("a.yaml", "x"), ("b.yaml", "z")]),
            of(&[("a.yaml", "x"), ("c.yaml", "y")]),
            of(&[("a.yaml", "xb.yamly")]),
        ] {
            assert_ne!(first, other);
        }
    }
}
