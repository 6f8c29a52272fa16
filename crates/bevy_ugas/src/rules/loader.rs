//! Asset loader for packs.

use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

use bevy_asset::io::{AssetReaderError, AssetSourceId, Reader};
use bevy_asset::{AssetLoader, AssetPath, AssetServer, LoadContext, ReadAssetBytesError};
use bevy_ecs::prelude::Resource;
use bevy_platform::sync::Arc;
use bevy_reflect::TypePath;
use futures_lite::StreamExt;
use ugas_data::source::SourceMap;
use ugas_data::{Diagnostic, Limits, LoadError, Loader, Pack, Severity};

use super::PackAsset;
use super::watch::{LastRead, fingerprint};

/// Native code that the game adds to the rules: calculations, tasks, filters, hooks, typed attribute sets.
/// Applied each time a pack is loaded, hot reloads included. Filled by [`UgasAppExt`](crate::UgasAppExt).
#[derive(Resource, Clone, Default)]
pub struct RulesExtensions(Arc<RwLock<Vec<Extension>>>);

type Extension = Arc<dyn Fn(Loader) -> Loader + Send + Sync>;

impl RulesExtensions {
    /// Adds an extension to every pack that is loaded from now on.
    pub fn add(&self, extend: impl Fn(Loader) -> Loader + Send + Sync + 'static) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).push(Arc::new(extend));
    }

    /// Number of extensions.
    pub(super) fn len(&self) -> usize {
        self.0.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Applies all extensions to a loader, for packs that are loaded without assets.
    ///
    /// ```
    /// # use bevy_ugas::rules::RulesExtensions;
    /// # let extensions = RulesExtensions::default();
    /// let pack = extensions.extend(bevy_ugas::data::Loader::new().text("set.yaml", "
    /// $schema: x/schemas/attribute_set.json
    /// Name: Combat
    /// Attributes: [ { Name: Health, DefaultBaseValue: 100 } ]
    /// ")).load();
    /// assert!(pack.is_ok());
    /// ```
    #[must_use]
    pub fn extend(&self, loader: Loader) -> Loader {
        let extensions = self.0.read().unwrap_or_else(PoisonError::into_inner);
        extensions.iter().fold(loader, |loader, extend| extend(loader))
    }
}

/// Asset loader for packs: `pack.yaml` with everything in its folder, or a single file.
#[derive(TypePath)]
pub struct PackLoader {
    server: AssetServer,
    extensions: RulesExtensions,
    read: LastRead,
}

/// Error of loading a pack. Diagnostics are logged with file and line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PackLoadError {
    /// A file could not be read.
    #[error(transparent)]
    Read(#[from] ReadAssetBytesError),
    /// The manifest could not be read.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The folder could not be listed.
    #[error("the folder {0:?} could not be listed: {1}")]
    Folder(PathBuf, AssetReaderError),
    /// The asset source does not exist.
    #[error(transparent)]
    Source(#[from] bevy_asset::io::MissingAssetSourceError),
    /// A file is not text.
    #[error("{0:?} is not UTF-8 text")]
    NotText(PathBuf),
    /// A file of an already loaded pack is empty.
    #[error(
        "{0:?} is empty: if it is being saved, it is read again automatically; to remove it, delete the file"
    )]
    Empty(PathBuf),
    /// The pack has too many files.
    #[error("the folder {0:?} has more than {1} files and folders")]
    TooManyFiles(PathBuf, u32),
    /// The pack has errors.
    #[error(transparent)]
    Rules(#[from] LoadError),
}

impl PackLoader {
    /// A loader that reads folders through this server.
    pub fn new(server: AssetServer, extensions: RulesExtensions) -> Self {
        Self { server, extensions, read: LastRead::default() }
    }

    /// Records fingerprints of what it reads, for change detection.
    pub(super) fn with_last_read(self, read: LastRead) -> Self {
        Self { read, ..self }
    }

    /// All documents in the folder of a manifest, the manifest included. Records their fingerprint, by which
    /// the watcher notices changes. An empty file fails a reload: an editor may be about to write it.
    async fn texts(
        &self,
        manifest: &AssetPath<'static>,
        text: String,
        context: &mut LoadContext<'_>,
    ) -> Result<Vec<(PathBuf, String)>, PackLoadError> {
        let source = manifest.source().clone_owned();
        // The order of files does not affect the rules, whose ids come from names; it affects the
        // diagnostics.
        let files = files_in(&self.server, source.clone(), folder_of(manifest)).await?;
        let mut read = Vec::with_capacity(files.len());
        let mut manifest_bytes = Some(text.into_bytes());
        for file in files {
            let bytes = match manifest_bytes.take_if(|_| file == manifest.path()) {
                Some(bytes) => bytes,
                None => {
                    let path = AssetPath::from(file.clone()).with_source(source.clone());
                    context.read_asset_bytes(path).await?
                }
            };
            read.push((file, bytes));
        }
        // The manifest is added even if the source does not list it.
        read.extend(manifest_bytes.map(|bytes| (manifest.path().to_owned(), bytes)));
        let fingerprint = fingerprint(read.iter().map(|(path, bytes)| (path, bytes.as_slice())));
        let is_reload = self.read.record(manifest, fingerprint).is_some();
        // Editors truncate a file before writing it. A reload at that moment must not drop state of the
        // running game.
        if is_reload && let Some((path, _)) = read.iter().find(|(_, bytes)| bytes.is_empty()) {
            return Err(PackLoadError::Empty(path.clone()));
        }
        let text = |(path, bytes): (PathBuf, Vec<u8>)| match String::from_utf8(bytes) {
            Ok(text) => Ok((path, text)),
            Err(_) => Err(PackLoadError::NotText(path)),
        };
        read.into_iter().map(text).collect()
    }
}

/// The folder that a manifest is in.
pub(super) fn folder_of(manifest: &AssetPath<'_>) -> PathBuf {
    manifest.path().parent().unwrap_or(Path::new("")).to_owned()
}

/// Whether a file is the manifest of its folder.
pub(super) fn is_manifest(path: &AssetPath<'_>) -> bool {
    path.path().file_stem().is_some_and(|stem| stem == "pack")
}

/// The files of a pack: in a folder and all below it, in order.
pub(super) async fn files_in(
    server: &AssetServer,
    source: AssetSourceId<'static>,
    folder: PathBuf,
) -> Result<Vec<PathBuf>, PackLoadError> {
    let reader = server.get_source(source)?.reader();
    let limit = Limits::default().files;
    let (mut files, mut folders, mut seen) = (Vec::new(), vec![folder.clone()], 0_u32);
    while let Some(next) = folders.pop() {
        let failed = |error| PackLoadError::Folder(next.clone(), error);
        let mut entries = reader.read_directory(&next).await.map_err(failed)?;
        while let Some(entry) = entries.next().await {
            if reader.is_directory(&entry).await.map_err(failed)? {
                folders.push(entry);
            } else if is_document(&entry) {
                files.push(entry);
            } else {
                continue;
            }
            // Folders count too: symbolic links can create any number of them.
            seen += 1;
            if seen > limit {
                return Err(PackLoadError::TooManyFiles(folder, limit));
            }
        }
    }
    files.sort();
    Ok(files)
}

impl AssetLoader for PackLoader {
    type Asset = PackAsset;
    type Settings = ();
    type Error = PackLoadError;

    /// Loads a pack from a manifest and its folder, or a single document. Diagnostics are logged, also on
    /// success.
    async fn load(
        &self,
        reader: &mut dyn Reader,
        _: &(),
        context: &mut LoadContext<'_>,
    ) -> Result<PackAsset, PackLoadError> {
        let path = context.path().clone_owned();
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).await?;
        let text = String::from_utf8(bytes).map_err(|_| PackLoadError::NotText(path.path().to_owned()))?;
        let is_manifest = is_manifest(&path);
        let texts = match is_manifest {
            true => self.texts(&path, text, context).await?,
            false => vec![(path.path().to_owned(), text)],
        };
        let loader = texts.into_iter().fold(Loader::new(), |loader, (path, text)| loader.text(path, text));
        let loader = match is_manifest {
            true => loader.as_set(),
            false => loader.as_single_file(),
        };
        match self.extensions.extend(loader).load() {
            Ok(pack) => {
                log(&pack.source_map, &pack.diagnostics);
                Ok(PackAsset { pack: Arc::new(pack) })
            }
            Err(error) => {
                log(&error.report.source_map, &error.report.diagnostics);
                Err(error.into())
            }
        }
    }

    fn extensions(&self) -> &[&str] {
        &["yaml", "yml", "json"]
    }
}

/// Loads a pack from a folder at once, without assets: for servers and tests. Diagnostics go to the log.
///
/// # Errors
/// All diagnostics of the pack.
pub fn load_pack(path: impl AsRef<Path>, extensions: &RulesExtensions) -> Result<Arc<Pack>, LoadError> {
    let loaded = extensions.extend(Loader::new().path(path)).load();
    match &loaded {
        Ok(pack) => log(&pack.source_map, &pack.diagnostics),
        Err(error) => log(&error.report.source_map, &error.report.diagnostics),
    }
    loaded.map(Arc::new)
}

/// Logs one line per diagnostic, beginning with `file:line:column`, which editors and terminals turn into
/// links.
pub(super) fn log(map: &SourceMap, diagnostics: &[Diagnostic]) {
    for diagnostic in diagnostics {
        let line = line(map, diagnostic);
        match diagnostic.severity {
            Severity::Error => tracing::error!("{line}"),
            Severity::Warning => tracing::warn!("{line}"),
            Severity::Note | Severity::Lint => tracing::info!("{line}"),
        }
    }
}

/// Diagnostic as one line, with file, line and column.
fn line(map: &SourceMap, diagnostic: &Diagnostic) -> String {
    let Diagnostic { code, severity, span, message, help } = diagnostic;
    let position = map.position(*span);
    let path = map.file(span.file).map(|file| file.path().display().to_string()).unwrap_or_default();
    let separator = if help.is_empty() { "" } else { ": " };
    let severity = severity.name();
    format!("{path}:{}:{}: {severity}[{code}]: {message}{separator}{help}", position.line, position.column)
}

/// Whether a file may be a document of a pack, by its extension.
fn is_document(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    matches!(extension, Some("yaml" | "yml" | "json"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diagnostic_line_begins_with_its_position() {
        let text = "$schema: x/schemas/attribute_set.json\nName: Combat\nAttributes: 3\n";
        let error = Loader::new().text("sets/combat.yaml", text).load().unwrap_err();
        let line = line(&error.report.source_map, &error.report.diagnostics[0]);
        assert!(line.starts_with("sets/combat.yaml:3:13: error[UG"), "{line}");
    }
}
