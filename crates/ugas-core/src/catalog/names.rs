//! Sorted name tables: an id is an index, so that two machines with the same pack agree (I3).

use std::sync::Arc;

use crate::nearest::nearest;

/// The names of all definitions of one kind.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct NameTable(Box<[Arc<str>]>);

impl NameTable {
    /// Sorts the names and removes duplicates.
    pub(crate) fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut names: Vec<&str> = names.into_iter().collect();
        names.sort_unstable();
        names.dedup();
        Self(names.into_iter().map(Arc::from).collect())
    }

    /// Index of a name by binary search; `None` if it is unknown. The index is the id of the definition.
    pub(crate) fn index(&self, name: &str) -> Option<u32> {
        self.0.binary_search_by(|known| (**known).cmp(name)).ok().map(|at| at as u32)
    }

    pub(crate) fn name(&self, index: u32) -> Option<&Arc<str>> {
        self.0.get(index as usize)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|name| &**name)
    }

    /// The name that a mistyped one most probably means, for error messages.
    pub(crate) fn nearest(&self, wanted: &str) -> Option<String> {
        nearest(wanted, self.iter()).map(str::to_owned)
    }
}
