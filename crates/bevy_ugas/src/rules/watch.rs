//! What Bevy's watcher does not tell a pack of.
//!
//! Bevy reloads an asset when a file that it was read from changes. A pack is a folder: files come and go, and a pack that never
//! was in order has not been read from anything yet. So the folder of the pack that is played by is looked through now and then,
//! beside the game, and only where files are watched at all.

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

/// How long there is between two looks.
const PAUSE: Duration = Duration::from_millis(750);

/// What packs were like when they were last read, in order or not: a number for each, by path.
#[derive(Resource, Clone, Default)]
pub(super) struct LastRead(Arc<Mutex<BTreeMap<String, u64>>>);

impl LastRead {
    /// Notes what a pack is like; what it was like before.
    pub(super) fn note(&self, path: &AssetPath<'_>, fingerprint: u64) -> Option<u64> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(path.to_string(), fingerprint)
    }

    fn of(&self, path: &AssetPath<'_>) -> Option<u64> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&path.to_string()).copied()
    }
}

/// Files with what is in them, as a number that is another when any of it is.
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

/// What is being looked at.
#[derive(Default)]
pub(super) struct Look {
    task: Option<Task<Option<u64>>>,
    next: Duration,
    /// What the last look saw: files are written in pieces, so one look is not enough.
    before: Option<u64>,
    /// What it was reloaded for already.
    asked: Option<u64>,
}

/// Reloads the pack when its folder is another than it was read, and stays so.
pub(super) fn watch_folder(
    time: Res<'_, Time<Real>>,
    handle: Option<Res<'_, RulesHandle>>,
    server: Res<'_, AssetServer>,
    known: Res<'_, LastRead>,
    mut look: Local<'_, Look>,
) {
    let path = handle.and_then(|handle| {
        let is_loading = matches!(server.load_state(&handle.0), LoadState::Loading);
        server.get_path(&handle.0).filter(|path| !is_loading && is_manifest(path)).map(AssetPath::into_owned)
    });
    let Some(path) = path else {
        (look.task, look.before) = (None, None);
        return;
    };
    match look.task.take() {
        None if time.elapsed() >= look.next => {
            let server = server.clone();
            look.task = Some(IoTaskPool::get().spawn(async move { see(&server, &path).await }));
        }
        None => {}
        Some(task) if !task.is_finished() => look.task = Some(task),
        Some(task) => {
            let seen = block_on(task);
            let is_steady = seen.is_some() && look.before == seen;
            if is_steady && seen != known.of(&path) && seen != look.asked {
                tracing::info!("the files of {path} are others: it is loaded again");
                server.reload(&path);
                look.asked = seen;
            }
            look.before = seen;
            look.next = time.elapsed().saturating_add(PAUSE);
        }
    }
}

/// The files of a pack as a number; `None` if they cannot be read at the moment.
async fn see(server: &AssetServer, manifest: &AssetPath<'static>) -> Option<u64> {
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
    fn a_fingerprint_is_of_names_and_contents() {
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
