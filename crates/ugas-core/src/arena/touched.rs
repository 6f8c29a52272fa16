//! Change tracking: which objects of an arena may have changed since the last look (I5).

/// The slots that were touched. Not part of the content: it never makes two arenas differ, and copies do not
/// have it.
#[derive(Debug)]
pub(super) enum Touched {
    /// Tracking is off.
    Ignored,
    Noted {
        places: Vec<u32>,
        /// Whether each slot is in `places`.
        marks: Vec<bool>,
    },
}

impl Touched {
    /// Tracking that is on, with all of `count` slots touched.
    pub(super) fn all(count: usize) -> Self {
        Self::Noted { places: (0..count as u32).collect(), marks: vec![true; count] }
    }

    /// Notes a slot that was or may be changed. Does nothing while tracking is off.
    #[inline]
    pub(super) fn note(&mut self, index: u32) {
        if let Self::Noted { places, marks } = self {
            note_among(index, places, marks);
        }
    }

    /// Notes all of `count` slots. Does nothing while tracking is off.
    pub(super) fn note_all(&mut self, count: usize) {
        if matches!(self, Self::Noted { .. }) {
            *self = Self::all(count);
        }
    }
}

/// Adds a slot to `places`, once. Kept out of line, because the check whether tracking is on is made at every
/// change.
#[inline(never)]
fn note_among(index: u32, places: &mut Vec<u32>, marks: &mut Vec<bool>) {
    let at = index as usize;
    // A slot that was just created.
    if at == marks.len() {
        marks.push(false);
    }
    if let Some(mark) = marks.get_mut(at).filter(|mark| !**mark) {
        *mark = true;
        places.push(index);
    }
}

impl PartialEq for Touched {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Touched {}
