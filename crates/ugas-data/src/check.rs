//! Checks across documents: names, references, rules, cycles, lints. Problems that the core detects are left
//! to it.

mod cycles;
mod ignored;
mod index;
mod lints;
mod references;
mod rules;
pub(crate) mod scenario;
mod targeting;
mod task_flow;
mod task_table;
mod tasks;

pub(crate) use index::{Index, Names};
pub(crate) use references::{Unresolved, report_missing, soften};
pub(crate) use scenario::check as check_scenario;
pub(crate) use targeting::target_filters;
pub(crate) use task_table::describe_tasks;

use crate::diagnostics::Sink;
use crate::model::Document;
use crate::source::SourceMap;

/// Scope of a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scope {
    /// A set in which every reference must resolve.
    Set,
    /// A single file, which may refer to definitions of other files.
    SingleFile,
}

/// Runs all checks; returns the references that a single file leaves unresolved.
pub(crate) fn check(
    map: &SourceMap,
    documents: &[Document],
    index: &Index<'_>,
    scope: Scope,
    sink: &mut Sink,
) -> Unresolved {
    let unresolved = references::check(map, documents, index, scope, sink);
    rules::check(documents, index, scope, sink);
    ignored::check(documents, index, sink);
    cycles::check(documents, index, sink);
    lints::check(documents, index, scope, sink);
    unresolved
}
