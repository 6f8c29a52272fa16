//! Which objects of an arena may have changed since somebody looked (I5).

/// Which places were touched. It says nothing about what is there, so it never makes two arenas differ, and a copy does not
/// have it.
#[derive(Debug)]
pub(super) enum Touched {
    /// Nobody asks.
    Ignored,
    Noted {
        places: Vec<u32>,
        /// Whether each place is among them.
        marks: Vec<bool>,
    },
}

impl Touched {
    pub(super) fn all(count: usize) -> Self {
        Self::Noted { places: (0..count as u32).collect(), marks: vec![true; count] }
    }

    #[inline]
    pub(super) fn note(&mut self, index: u32) {
        if let Self::Noted { places, marks } = self {
            note_among(index, places, marks);
        }
    }

    pub(super) fn note_all(&mut self, count: usize) {
        if matches!(self, Self::Noted { .. }) {
            *self = Self::all(count);
        }
    }
}

/// Apart from the question whether anybody asks, which is put at every change.
#[inline(never)]
fn note_among(index: u32, places: &mut Vec<u32>, marks: &mut Vec<bool>) {
    let at = index as usize;
    // A place that was just made.
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
