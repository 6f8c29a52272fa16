//! Cache of layouts by combination of attribute sets.

use core::ops::Deref;
use std::sync::Arc;

use super::layout::Layout;
use crate::id::AttributeSetId;

/// Layouts in the order of their first use; controllers refer to them by index.
#[derive(Debug, Default)]
pub(crate) struct Layouts {
    layouts: Vec<Arc<Layout>>,
    /// Indexes of the layouts, sorted by their sets.
    by_sets: Vec<u32>,
}

impl Layouts {
    /// The index of the layout of these sets, which must be sorted.
    pub(crate) fn find(&self, sets: &[AttributeSetId]) -> Option<u32> {
        self.place(sets).ok().map(|place| self.by_sets[place])
    }

    /// Adds a layout unless its sets already have one; returns its index.
    pub(crate) fn add(&mut self, layout: Layout) -> u32 {
        match self.place(&layout.sets) {
            Ok(place) => self.by_sets[place],
            Err(place) => {
                let position = self.layouts.len() as u32;
                self.by_sets.insert(place, position);
                self.layouts.push(Arc::new(layout));
                position
            }
        }
    }

    /// Removes all layouts. Indexes held by controllers become invalid; a reload assigns new ones.
    pub(crate) fn clear(&mut self) {
        self.layouts.clear();
        self.by_sets.clear();
    }

    /// Position in `by_sets` of these sets, or where they would be inserted.
    fn place(&self, sets: &[AttributeSetId]) -> Result<usize, usize> {
        self.by_sets.binary_search_by(|&position| (*self.layouts[position as usize].sets).cmp(sets))
    }
}

impl Deref for Layouts {
    type Target = [Arc<Layout>];

    #[inline]
    fn deref(&self) -> &[Arc<Layout>] {
        &self.layouts
    }
}

impl Clone for Layouts {
    fn clone(&self) -> Self {
        Self { layouts: self.layouts.clone(), by_sets: self.by_sets.clone() }
    }

    fn clone_from(&mut self, source: &Self) {
        self.layouts.clone_from(&source.layouts);
        self.by_sets.clone_from(&source.by_sets);
    }
}
