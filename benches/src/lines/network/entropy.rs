//! Lower bound for the size of changes: their entropy of order 0.
//!
//! A coder that knows all frequencies beforehand writes a symbol that is `n` of `N` in `log2(N / n)` bits,
//! and which `k` of `V` controllers in view changed in `log2(V choose k)`. Symbols are:
//!
//! - for each changed controller, each of its changes and then an end. A change is which kind of piece and, for attributes
//!   and tags, which of them and by how much both values went up or down. Own controllers and others have an alphabet each;
//! - for a record, such as an effect: its length, and each byte combined with the one that it replaces by exclusive or. Each
//!   position in each kind of record has an alphabet of its own, new records and changed ones apart.
//!
//! It excludes headers, acknowledgements, retransmissions and the cost of learning the frequencies.

#![expect(clippy::disallowed_methods, reason = "a figure in a report may differ in its last bit")]

use std::collections::BTreeMap;

use ugas::core::replica::{Piece, PieceKey};

use super::trace::{Change, Trace};

/// Bytes by category.
pub(crate) struct Entropy {
    pub(crate) others: f64,
    pub(crate) own: f64,
    /// Bytes for the set of changed controllers.
    pub(crate) which: f64,
}

impl Entropy {
    pub(crate) fn total(&self) -> f64 {
        self.others + self.own + self.which
    }
}

/// Entropy of all changes of a trace.
pub(crate) fn of(trace: &Trace) -> Entropy {
    let mut alphabets = [Alphabets::default(), Alphabets::default()];
    let mut which = 0.0;
    for tick in &trace.ticks {
        let mut changed: Vec<_> = tick.iter().map(|change| change.controller).collect();
        changed.sort_unstable();
        changed.dedup();
        which += log2_choose(trace.in_view, changed.len());
        for controller in changed {
            for change in tick.iter().filter(|change| change.controller == controller) {
                alphabets[usize::from(change.own)].add(change);
            }
            alphabets[usize::from(controller == trace.own)].count(AlphabetContext::Change, [END; 4]);
        }
    }
    let [others, own] = alphabets.map(|alphabets| alphabets.bits() / 8.0);
    Entropy { others, own, which: which / 8.0 }
}

/// The symbol after the changes of a controller.
const END: i64 = -1;

/// Context of an alphabet.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum AlphabetContext {
    Change,
    /// The length of a record of this kind.
    Length(u8, bool),
    /// A byte of a record of this kind, at this position.
    Byte(u8, bool, usize),
}

/// Symbol counts of each alphabet.
#[derive(Default)]
struct Alphabets(BTreeMap<AlphabetContext, BTreeMap<[i64; 4], u64>>);

impl Alphabets {
    fn count(&mut self, context: AlphabetContext, symbol: [i64; 4]) {
        *self.0.entry(context).or_default().entry(symbol).or_default() += 1;
    }

    fn add(&mut self, change: &Change) {
        let (kind, which) = kind_of(change.key);
        let [old, new] = [&change.old, &change.new].map(|piece| values_of(piece.as_ref()));
        let difference = [new[0] - old[0], new[1] - old[1]];
        let gone = i64::from(change.new.is_none() && change.key.is_record());
        self.count(
            AlphabetContext::Change,
            [i64::from(kind) * 2 + gone, which, difference[0], difference[1]],
        );
        let Some(Piece::Record(new)) = &change.new else { return };
        let old = match &change.old {
            Some(Piece::Record(old)) => Some(old),
            _ => None,
        };
        self.count(AlphabetContext::Length(kind, old.is_some()), [new.len() as i64, 0, 0, 0]);
        for (at, byte) in new.iter().enumerate() {
            let before = old.and_then(|old| old.get(at)).copied().unwrap_or(0);
            self.count(AlphabetContext::Byte(kind, old.is_some(), at), [i64::from(byte ^ before), 0, 0, 0]);
        }
    }

    fn bits(&self) -> f64 {
        let bits_of = |symbols: &BTreeMap<[i64; 4], u64>| {
            let all: u64 = symbols.values().sum();
            symbols.values().map(|&count| count as f64 * (all as f64 / count as f64).log2()).sum::<f64>()
        };
        self.0.values().map(bits_of).sum()
    }
}

/// The kind of a piece, and which of its kind where that is a matter of definitions.
fn kind_of(key: PieceKey) -> (u8, i64) {
    match key {
        PieceKey::Head => (0, 0),
        PieceKey::Placement => (1, 0),
        PieceKey::Attribute(attribute) => (2, attribute.index().into()),
        PieceKey::Tag(tag) => (3, tag.index().into()),
        PieceKey::Cue(tag) => (4, tag.index().into()),
        PieceKey::Effect(_) => (5, 0),
        PieceKey::Ability(_) => (6, 0),
        PieceKey::Activation(_) => (7, 0),
        PieceKey::Task(_) => (8, 0),
        PieceKey::Inputs => (9, 0),
    }
}

/// The numbers of a piece in millionths, so that differences of equal steps are equal.
fn values_of(piece: Option<&Piece>) -> [i64; 2] {
    let millionths = |value: f64| (value * 1e6).round() as i64;
    match piece {
        Some(Piece::Attribute { base, current }) => [millionths(*base), millionths(*current)],
        Some(Piece::Tag(count)) => [(*count).into(), 0],
        Some(Piece::Cue { count, .. }) => [(*count).into(), 0],
        Some(Piece::Placement(_) | Piece::Record(_)) | None => [0, 0],
    }
}

/// Base-2 logarithm of `n choose k`.
fn log2_choose(n: usize, k: usize) -> f64 {
    (0..k.min(n)).map(|at| ((n - at) as f64 / (at + 1) as f64).log2()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log2_choose_of_known_values() {
        assert_eq!(log2_choose(8, 1), 3.0); // one of eight
        assert_eq!(log2_choose(7, 0), 0.0);
        assert!((log2_choose(10, 5) - 252f64.log2()).abs() < 1e-9); // 10! / 5! / 5!
    }

    #[test]
    fn symbol_bits_are_the_logarithm_of_the_inverse_frequency() {
        let mut alphabets = Alphabets::default();
        (0..3).for_each(|_| alphabets.count(AlphabetContext::Change, [1; 4]));
        alphabets.count(AlphabetContext::Change, [2; 4]);
        // Three of log2(4/3), one of log2(4).
        assert!((alphabets.bits() - (3.0 * (4f64 / 3.0).log2() + 2.0)).abs() < 1e-9);
    }
}
