//! Deterministic random streams (V5).
//!
//! Every activation and every application has its own stream, derived from the world's seed and stable ids,
//! so that an unrelated event never shifts another's random numbers. A stream is two integers, a key and a
//! counter: it can be copied into a snapshot, hashed and resumed.
//!
//! # The algorithm
//!
//! It is part of the contract between peers and across releases, and never changes. All arithmetic is modulo 2⁶⁴,
//! `>>` shifts in zeros, and `G` is `0x9E3779B97F4A7C15`.
//!
//! *Draw* number `n` (from 0) of the stream with key `k` is the output of SplitMix64 for the seed `k`:
//!
//! ```text
//! z = k + (n + 1)·G
//! z = (z ^ (z >> 30)) · 0xBF58476D1CE4E5B9
//! z = (z ^ (z >> 27)) · 0x94D049BB133111EB
//! draw = z ^ (z >> 31)
//! ```
//!
//! *Deriving* the key for a seed `s` and parts `p₀ … pₘ₋₁` begins with `k = s` and then does, for every part in
//! order and finally for their number `m` as one more part, with MurmurHash3's 64-bit finaliser (a different one
//! from the above, so that no draw of one stream is the key of another):
//!
//! ```text
//! z = (k + G) ^ p
//! z = (z ^ (z >> 33)) · 0xFF51AFD7ED558CCD
//! z = (z ^ (z >> 33)) · 0xC4CEB9FE1A85EC53
//! k = z ^ (z >> 33)
//! ```

use crate::codec::StateRecord;
use crate::hash::StateHasher;

/// SplitMix64's increment: 2⁶⁴ divided by the golden ratio, made odd.
const GOLDEN_GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;
/// 2⁻⁵³: the distance between neighbours among the 53-bit fractions.
const FRACTION_STEP: f64 = 1.0 / (1u64 << 53) as f64;

/// A reproducible sequence of random numbers: the n-th is a pure function of the key and n.
///
/// Every method that draws takes exactly one draw, whatever its arguments, so that a changed probability or
/// range does not shift later draws.
///
/// ```
/// use ugas_core::random::{RandomStream, stable_name_hash};
///
/// let mut dice = RandomStream::derive(7, &[stable_name_hash("GA_Fireball"), 3]);
/// let mut again = dice;
/// assert_eq!(dice.below(6), again.below(6));
/// assert_eq!(dice.draws(), 1);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, StateRecord)]
pub struct RandomStream {
    key: u64,
    draws: u64,
}

impl RandomStream {
    /// The stream with a key, at its beginning. Keys come from [`RandomStream::derive`], except in tests:
    /// similar keys that were not mixed may give related streams.
    pub const fn new(key: u64) -> Self {
        Self { key, draws: 0 }
    }

    /// The stream for a world's seed and the stable ids of one use of random numbers (V5). The order and the
    /// number of the parts count.
    pub fn derive(seed: u64, parts: &[u64]) -> Self {
        let key = parts.iter().fold(seed, |key, &part| mix_key(key, part));
        Self::new(mix_key(key, parts.len() as u64))
    }

    /// The stream with this key after this many draws, to restore it from a snapshot (I1).
    pub const fn resume(key: u64, draws: u64) -> Self {
        Self { key, draws }
    }

    /// The key of the stream.
    pub const fn key(&self) -> u64 {
        self.key
    }

    /// Number of draws so far.
    pub const fn draws(&self) -> u64 {
        self.draws
    }

    /// 64 random bits.
    pub const fn next_u64(&mut self) -> u64 {
        self.draws = self.draws.wrapping_add(1);
        finalise(self.key.wrapping_add(self.draws.wrapping_mul(GOLDEN_GAMMA)))
    }

    /// A fraction in `[0, 1)`: the upper 53 bits of the draw, each of the 2⁵³ values equally likely.
    pub fn next_f64(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * FRACTION_STEP
    }

    /// An integer in `0..bound`; 0 if the bound is 0.
    ///
    /// The upper half of draw × bound: no rejection, so always one draw. The price is that the probability of a
    /// value differs from 1/bound by less than 2⁻⁶⁴.
    pub const fn below(&mut self, bound: u64) -> u64 {
        ((self.next_u64() as u128 * bound as u128) >> 64) as u64
    }

    /// A number from `lo` to `hi`, which must be finite. `hi` itself only results from rounding. An empty or
    /// reversed range gives `lo`.
    pub fn range(&mut self, lo: f64, hi: f64) -> f64 {
        let fraction = self.next_f64();
        if lo < hi {
            // Weighting both ends, unlike `lo + (hi - lo)·fraction`, does not overflow.
            (lo * (1.0 - fraction) + hi * fraction).max(lo).min(hi)
        } else {
            lo
        }
    }

    /// `true` with this probability: never for 0, below and NaN, always for 1 and above.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.next_f64() < probability
    }
}

/// A number for a name in [`RandomStream::derive`], the same on every machine and in every release: the
/// [`StateHasher`]'s hash of the name's length in bytes and its UTF-8.
pub fn stable_name_hash(name: &str) -> u64 {
    StateHasher::of(name)
}

/// SplitMix64's output function.
const fn finalise(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// One step of deriving a key.
const fn mix_key(key: u64, part: u64) -> u64 {
    let mut z = key.wrapping_add(GOLDEN_GAMMA) ^ part;
    z = (z ^ (z >> 33)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    z = (z ^ (z >> 33)).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    z ^ (z >> 33)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn draws_match_published_splitmix64() {
        // The customary test vector of SplitMix64, for the seed 1234567.
        let mut stream = RandomStream::new(1_234_567);
        let drawn = [(); 5].map(|()| stream.next_u64());
        assert_eq!(
            drawn,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423,
                4_593_380_528_125_082_431,
                16_408_922_859_458_223_821,
            ]
        );
        assert_eq!(stream.draws(), 5);
        assert_eq!(RandomStream::new(0).next_u64(), 0xE220_A839_7B1D_CDAF);
    }

    #[test]
    fn derived_keys_are_pinned() {
        // From a second implementation of the text above, in another language with unbounded integers.
        let key = |seed, parts: &[u64]| RandomStream::derive(seed, parts).key();
        assert_eq!(key(0, &[]), 0x9CA0_66F1_A4AB_2EEA);
        assert_eq!(key(7, &[]), 0x12B5_6A21_36F8_4755);
        assert_eq!(key(7, &[1]), 0x1164_894C_F442_F2A7);
        assert_eq!(key(7, &[1, 2]), 0xE676_9424_56B6_395F);
        assert_eq!(key(7, &[2, 1]), 0x4B09_169C_2414_6501);
        assert_eq!(key(u64::MAX, &[u64::MAX, 0, u64::MAX]), 0xFE3C_4D72_F5B2_D27C);
    }

    #[test]
    fn name_hashes_are_pinned() {
        // XXH3 for inputs of 9 to 16 bytes worked out by its specification: length as 8 bytes, then the name.
        assert_eq!(stable_name_hash("GE_Burn"), 0x07F9_DBAE_F108_8D95);
        assert_eq!(stable_name_hash("A"), 0x72BB_22F4_F881_7C7D);
    }

    #[test]
    fn fractions_and_bounds_follow_from_the_draws() {
        // Upper 53 bits of the test vector's draws over 2^53, and floor(draw * 6 / 2^64).
        let mut stream = RandomStream::new(1_234_567);
        assert_eq!(stream.next_f64(), 0.350_079_542_021_408_1);
        let mut stream = RandomStream::new(1_234_567);
        assert_eq!([(); 5].map(|()| stream.below(6)), [2, 1, 3, 1, 5]);
    }

    #[test]
    fn certain_and_impossible_chances_take_a_draw() {
        let mut stream = RandomStream::new(3);
        for _ in 0..1_000 {
            assert!(stream.chance(1.0) && stream.chance(f64::INFINITY));
            assert!(!stream.chance(0.0) && !stream.chance(-1.0) && !stream.chance(f64::NAN));
        }
        assert_eq!(stream.draws(), 5_000);
    }

    #[test]
    fn chance_of_a_quarter_hits_about_every_fourth_time() {
        let mut stream = RandomStream::derive(1, &[]);
        let hits = (0..10_000).filter(|_| stream.chance(0.25)).count();
        // The standard deviation is sqrt(10000 * 0.25 * 0.75) = 43; six of them either way.
        assert!((2_240..=2_760).contains(&hits), "{hits}");
    }

    #[test]
    fn degenerate_arguments_take_a_draw() {
        let mut stream = RandomStream::resume(9, u64::MAX);
        assert_eq!(stream.below(0), 0);
        assert_eq!(stream.draws(), 0);
        assert_eq!(stream.below(1), 0);
        assert_eq!(stream.range(2.0, 2.0), 2.0);
        assert_eq!(stream.range(3.0, 2.0), 3.0);
        assert_eq!(stream.range(1.0, f64::NAN), 1.0);
        assert!(stream.range(f64::MIN, f64::MAX).is_finite());
        assert_eq!(stream.draws(), 5);
    }

    proptest! {
        #[test]
        fn results_stay_in_their_ranges(key: u64, draws: u64, bound in 1u64.., a in -1e9..1e9, b in -1e9..1e9) {
            let mut stream = RandomStream::resume(key, draws);
            prop_assert!((0.0..1.0).contains(&stream.next_f64()));
            prop_assert!(stream.below(bound) < bound);
            let (lo, hi) = if a < b { (a, b) } else { (b, a) };
            prop_assert!((lo..=hi).contains(&stream.range(lo, hi)));
        }

        #[test]
        fn resumed_stream_continues_identically(seed: u64, parts: Vec<u64>, skip in 0u64..50) {
            let mut stream = RandomStream::derive(seed, &parts);
            for _ in 0..skip {
                stream.next_u64();
            }
            let mut resumed = RandomStream::resume(stream.key(), stream.draws());
            prop_assert_eq!(StateHasher::of(&stream), StateHasher::of(&resumed));
            prop_assert_eq!(stream.next_u64(), resumed.next_u64());
            prop_assert_ne!(StateHasher::of(&stream), StateHasher::of(&RandomStream::derive(seed, &parts)));
        }
    }
}
