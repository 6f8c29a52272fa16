//! Loading packs from files and from memory, with all diagnostics.

use std::path::Path;
use std::sync::Arc;

use ugas_core::catalog::CatalogBuilder;
use ugas_data::diagnostics::{Diagnostic, Severity};
use ugas_data::{Loader, Pack, SourceMap};

use crate::catalog::ugas_catalog;
use crate::context::too_many;
use crate::guard::{enter, ugas_context};
use crate::memory::{Plain, ugas_str};
use crate::status::{Failure, Outcome, ugas_status};

/// Handle of a loader of this context: it collects files, loads them once, and keeps the diagnostics and the
/// input documents until it is freed.
pub type ugas_loader = u64;

/// Severity of a diagnostic.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_severity {
    /// The pack cannot be used.
    Error = 0,
    /// The pack can be used, but is probably not what was meant.
    Warning = 1,
    /// For information.
    Note = 2,
    /// Advice.
    Lint = 3,
}

/// One problem at one place of a pack. Texts are valid until the next call.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_diagnostic {
    /// Code such as `UG001`; `docs/diagnostics.md` explains each.
    pub code: ugas_str,
    /// The path of the file, or the name of the text.
    pub file: ugas_str,
    /// Description of the problem.
    pub message: ugas_str,
    /// How to fix it; may be empty.
    pub help: ugas_str,
    /// One of ugas_severity.
    pub severity: u32,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// Zero.
    pub reserved: u32,
}

// SAFETY: `repr(C)`, numbers and pointers.
unsafe impl Plain for ugas_diagnostic {}

/// A loader before and after loading.
pub(crate) enum LoaderEntry {
    Collecting(Box<Loader>),
    /// The diagnostics, and the pack if there was no error.
    Loaded(Vec<Problem>, Option<Box<Pack>>),
}

/// A diagnostic with its resolved position.
pub(crate) struct Problem {
    diagnostic: Diagnostic,
    file: String,
    line: u32,
    column: u32,
}

impl Problem {
    fn new(diagnostic: Diagnostic, map: &SourceMap) -> Self {
        let file = map.file(diagnostic.span.file);
        let file = file.map(|file| file.path().to_string_lossy().into_owned()).unwrap_or_default();
        let position = map.position(diagnostic.span);
        Self { diagnostic, file, line: position.line, column: position.column }
    }

    /// The diagnostic in its C form, valid as long as `self` is kept.
    fn to_c(&self) -> ugas_diagnostic {
        let severity = match self.diagnostic.severity {
            Severity::Error => ugas_severity::Error,
            Severity::Warning => ugas_severity::Warning,
            Severity::Note => ugas_severity::Note,
            Severity::Lint => ugas_severity::Lint,
        };
        ugas_diagnostic {
            code: ugas_str::from(self.diagnostic.code),
            file: ugas_str::from(self.file.as_str()),
            message: ugas_str::from(self.diagnostic.message.as_str()),
            help: ugas_str::from(self.diagnostic.help.as_str()),
            severity: severity as u32,
            line: self.line,
            column: self.column,
            reserved: 0,
        }
    }
}

impl LoaderEntry {
    /// Changes the set of files to load.
    pub(crate) fn collect(&mut self, change: impl FnOnce(Loader) -> Loader) -> Outcome {
        match self {
            Self::Collecting(loader) => {
                **loader = change(core::mem::take(&mut **loader));
                Ok(())
            }
            Self::Loaded(..) => Err(Failure::argument("the loader has already loaded: create another one")),
        }
    }

    /// Checks that files can still be added, before the host's data is taken over.
    pub(crate) fn check_open(&self) -> Outcome {
        match self {
            Self::Collecting(_) => Ok(()),
            Self::Loaded(..) => Err(Failure::argument("the loader has already loaded: create another one")),
        }
    }

    /// The loaded pack.
    pub(crate) fn pack(&self) -> Outcome<&Pack> {
        match self {
            Self::Loaded(_, Some(pack)) => Ok(pack),
            Self::Loaded(_, None) => Err(Failure::argument("loading failed: the loader has no pack")),
            Self::Collecting(_) => {
                Err(Failure::argument("the loader has not loaded yet: call ugas_loader_load first"))
            }
        }
    }

    /// Adds native code of the host.
    pub(crate) fn add(&mut self, add: impl FnOnce(CatalogBuilder) -> CatalogBuilder + 'static) -> Outcome {
        self.collect(|loader| loader.natives(add))
    }
}

/// Creates a loader, to be freed with ugas_loader_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_loader_new(context: *mut ugas_context, out: *mut ugas_loader) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        let loader = LoaderEntry::Collecting(Box::default());
        out.set(context.loaders.insert(loader).ok_or_else(|| too_many("loader"))?);
        Ok(())
    })
}

/// Frees a loader with its diagnostics. Zero is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_loader_free(context: *mut ugas_context, loader: ugas_loader) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        if loader != 0 {
            context.loader_mut(loader)?;
            drop(context.loaders.remove(loader));
        }
        Ok(())
    })
}

/// Adds a file, or a folder with everything in it. It is read by ugas_loader_load.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_loader_add_path(
    context: *mut ugas_context,
    loader: ugas_loader,
    path: ugas_str,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let path = memory.text(path)?;
        context.loader_mut(loader)?.collect(|loader| loader.path(Path::new(path)))
    })
}

/// Adds a text as if it were a file of this name; a name that ends in `.json` selects JSON. The text is
/// copied.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_loader_add_text(
    context: *mut ugas_context,
    loader: ugas_loader,
    name: ugas_str,
    text: ugas_str,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let (name, text) = (memory.text(name)?, memory.text(text)?);
        context.loader_mut(loader)?.collect(|loader| loader.text(name, text))
    })
}

/// Loads everything that was added, once. UGAS_STATUS_LOAD_FAILED if there is an error; in either case the
/// diagnostics can be read until the loader is freed. The catalog is to be freed with ugas_catalog_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_loader_load(
    context: *mut ugas_context,
    loader: ugas_loader,
    out: *mut ugas_catalog,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        let entry = context.loader_mut(loader)?;
        let LoaderEntry::Collecting(collected) = entry else {
            return Err(Failure::argument("the loader has already loaded: create another one"));
        };
        let collected = core::mem::take(&mut **collected);
        match collected.load() {
            Ok(mut pack) => {
                let problems = core::mem::take(&mut pack.diagnostics).into_iter();
                let problems = problems.map(|problem| Problem::new(problem, &pack.source_map)).collect();
                let catalog = Arc::clone(&pack.catalog);
                *entry = LoaderEntry::Loaded(problems, Some(Box::new(pack)));
                out.set(context.catalogs.insert(catalog).ok_or_else(|| too_many("catalog"))?);
                Ok(())
            }
            Err(error) => {
                let message = error.to_string();
                let report = error.report;
                let problems = report.diagnostics.into_iter();
                let problems = problems.map(|problem| Problem::new(problem, &report.source_map)).collect();
                *entry = LoaderEntry::Loaded(problems, None);
                Err(Failure::new(ugas_status::LoadFailed, message))
            }
        }
    })
}

/// Diagnostics of the load, in order of file and position. `row_size` is sizeof(ugas_diagnostic).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_loader_diagnostics(
    context: *mut ugas_context,
    loader: ugas_loader,
    out: *mut ugas_diagnostic,
    row_size: usize,
    capacity: usize,
    count: *mut usize,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let rows = memory.rows(out, row_size, capacity, count)?;
        match context.loader_mut(loader)? {
            LoaderEntry::Loaded(problems, _) => rows.fill(problems.iter().map(Problem::to_c)),
            LoaderEntry::Collecting(_) => rows.finish(),
        }
        Ok(())
    })
}
