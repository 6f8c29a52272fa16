//! The bytes that a state cannot do without, and how fast they are copied.

/// Bytes of one controller written down field by field, with nothing between them: for each attribute a base
/// and a current value; for each tag its id and count; for each effect its definition, source, target, level,
/// order, start, end, next tick, stacks and one magnitude, and in the list of modifiers its slot and order;
/// and of the controller itself its handle, template, owner, avatar and layout.
pub(crate) const fn live_bytes(attributes: usize, tags: usize, effects: usize) -> usize {
    const CONTROLLER: usize = 8 + 4 + 8 + 8 + 4;
    const EFFECT: usize = 4 + 8 + 8 + 8 + 8 + 8 + 8 + 8 + 4 + 8;
    const MODIFIER: usize = 2 + 8 + 4;
    CONTROLLER + attributes * (8 + 8) + tags * (4 + 4) + effects * (EFFECT + MODIFIER)
}

/// A block of bytes and its copy.
pub(crate) struct Copies {
    live: Vec<u8>,
    kept: Vec<u8>,
}

impl Copies {
    pub(crate) fn new(bytes: usize) -> Self {
        Self { live: vec![1; bytes], kept: vec![2; bytes] }
    }

    /// There and back.
    #[inline(never)]
    pub(crate) fn save_and_restore(&mut self) {
        self.kept.copy_from_slice(&self.live);
        std::hint::black_box(&mut self.kept);
        self.live.copy_from_slice(&self.kept);
        std::hint::black_box(&mut self.live);
    }
}
