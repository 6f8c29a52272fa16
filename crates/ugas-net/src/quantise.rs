//! Quantisers: the precision of numbers on the wire.
//!
//! A value becomes a code, the code is sent, and the code becomes a value again. That value has the same
//! code, so repeated quantisation changes nothing. Both sides must have the same quantisers; the hash of the
//! [`Dictionary`](crate::wire::Dictionary) ensures it.

use ugas_core::attribute::Quantize;
use ugas_core::hash::{HashSink, StateHash};

use crate::bits::{BitReader, BitWriter, WireError, WireErrorKind};

/// Largest absolute code of a [`Quantiser::Step`]: far enough below 2⁵³ that rounding cannot lead to a
/// neighbour.
const FURTHEST: f64 = 1_125_899_906_842_624.0; // 2⁵⁰
/// Group size of codes of a [`Quantiser::Step`].
const STEP_GROUP: u32 = 5;
/// Smallest and largest step.
const LEAST_STEP: f64 = 1e-9;
const MOST_STEP: f64 = 1e9;
/// Most bits of a [`Quantiser::Range`].
const MOST_BITS: u32 = 32;

/// Precision of a number on the wire.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum Quantiser {
    /// Exact to the last bit. Small whole numbers are still short.
    #[default]
    Exact,
    /// The nearest multiple of a step, up to 2⁵⁰ steps from zero.
    ///
    /// If the step is the reciprocal of a whole number (0.1, 0.25), multiples are computed by division: three
    /// tenths are 0.3.
    Step(f64),
    /// Evenly spaced values from `min` to `max`, both exact. Values outside are clamped.
    Range {
        /// Lower bound.
        min: f64,
        /// Upper bound.
        max: f64,
        /// Number of bits, 1 to 32.
        bits: u32,
    },
}

/// Code of a value under a [`Quantiser`]. Values with equal codes are equal for the receiver.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Code(i64);

/// Reason for which a quantiser is invalid.
#[derive(Clone, Copy, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QuantiserError {
    /// The step is out of range.
    #[error("{0} is no step: give one from {LEAST_STEP} to {MOST_STEP}")]
    Step(f64),
    /// The bounds are not a finite range.
    #[error("{min} to {max} is no range: give finite numbers, the smaller first")]
    Range {
        /// Lower bound.
        min: f64,
        /// Upper bound.
        max: f64,
    },
    /// The number of bits is out of range.
    #[error("{0} bits cannot be used: give 1 to {MOST_BITS}")]
    Bits(u32),
    /// The range is finer than the precision of numbers of that size.
    #[error("{min} to {max} in {bits} bits is finer than numbers of that size: use fewer bits, or none")]
    TooFine {
        /// Lower bound.
        min: f64,
        /// Upper bound.
        max: f64,
        /// Number of bits.
        bits: u32,
    },
}

impl From<Quantize> for Quantiser {
    fn from(quantize: Quantize) -> Self {
        let Quantize { min, max, bits } = quantize;
        Self::Range { min, max, bits: u32::from(bits) }
    }
}

impl Quantiser {
    /// Checks the parameters.
    ///
    /// # Errors
    /// If a parameter is out of range.
    pub fn check(self) -> Result<(), QuantiserError> {
        match self {
            Self::Exact => Ok(()),
            Self::Step(step) if (LEAST_STEP..=MOST_STEP).contains(&step) => Ok(()),
            Self::Step(step) => Err(QuantiserError::Step(step)),
            Self::Range { min, max, bits } => {
                if bits == 0 || bits > MOST_BITS {
                    return Err(QuantiserError::Bits(bits));
                }
                // The difference, too: that of the largest numbers is infinite.
                if !(min.is_finite() && max.is_finite() && min < max && (max - min).is_finite()) {
                    return Err(QuantiserError::Range { min, max });
                }
                let step = (max - min) / top(bits);
                let exactness = min.abs().max(max.abs()) / FURTHEST;
                if step > exactness && step.is_normal() {
                    Ok(())
                } else {
                    Err(QuantiserError::TooFine { min, max, bits })
                }
            }
        }
    }

    /// The code of a value, the nearest there is; `None` if the value is infinite or not a number (V2).
    pub fn code(self, value: f64) -> Option<Code> {
        if !value.is_finite() {
            return None;
        }
        Some(Code(match self {
            Self::Exact => value.to_bits() as i64,
            Self::Step(step) => {
                let steps = whole_part(step).map_or(value / step, |parts| value * parts);
                steps.round().clamp(-FURTHEST, FURTHEST) as i64
            }
            Self::Range { min, max, bits } => {
                let share = (value.max(min).min(max) - min) / (max - min);
                (share * top(bits)).round().clamp(0.0, top(bits)) as i64
            }
        }))
    }

    /// Value that a code stands for; the inverse of [`Self::code`] up to rounding.
    pub fn value(self, code: Code) -> f64 {
        match self {
            Self::Exact => f64::from_bits(code.0 as u64),
            Self::Step(step) => whole_part(step).map_or(code.0 as f64 * step, |parts| code.0 as f64 / parts),
            Self::Range { max, bits, .. } if code.0 as f64 >= top(bits) => max,
            Self::Range { min, max, bits } => min + (max - min) * (code.0 as f64 / top(bits)),
        }
    }

    /// The value that the receiver gets; `None` if it is infinite or not a number.
    pub fn settle(self, value: f64) -> Option<f64> {
        self.code(value).map(|code| self.value(code))
    }

    /// Converts changes of a value to numbers of steps, each once and without 0. A change between two steps
    /// gives both, the one nearer to zero first. Empty if the quantiser is exact. Used for the dictionary's
    /// common changes.
    pub(crate) fn steps_of(self, changes: &[f64]) -> Vec<i64> {
        let step = match self {
            Self::Exact => return Vec::new(),
            Self::Step(step) => step,
            Self::Range { min, max, bits } => (max - min) / top(bits),
        };
        let mut found = Vec::new();
        for change in changes {
            let steps = (change / step).clamp(-FURTHEST, FURTHEST);
            // The smaller first, like the changes.
            let near = steps.trunc();
            for steps in [near, near + if near == steps { 0.0 } else { steps.signum() }] {
                let steps = steps as i64;
                if steps != 0 && !found.contains(&steps) {
                    found.push(steps);
                }
            }
        }
        found
    }

    /// The code `steps` steps further; `None` if it is out of range, or the quantiser is exact.
    pub(crate) fn step(self, code: Code, steps: i64) -> Option<Code> {
        let code = code.0.checked_add(steps)?;
        let is_code = match self {
            Self::Exact => false,
            Self::Step(_) => code.unsigned_abs() <= FURTHEST as u64,
            Self::Range { bits, .. } => (0..=top(bits) as i64).contains(&code),
        };
        is_code.then_some(Code(code))
    }

    /// Steps from one code to another, the inverse of [`Self::step`]. Meaningless if the quantiser is exact.
    pub(crate) fn steps_between(old: Code, new: Code) -> i64 {
        new.0.wrapping_sub(old.0)
    }

    /// Writes a code: the exact number, a signed number of steps, or the bits of its range.
    pub fn write(self, writer: &mut BitWriter, code: Code) {
        match self {
            Self::Exact => writer.number(f64::from_bits(code.0 as u64)),
            Self::Step(_) => writer.signed(code.0, STEP_GROUP),
            Self::Range { bits, .. } => writer.bits(code.0 as u64, bits),
        }
    }

    /// Reads a code.
    ///
    /// # Errors
    /// If it is cut off, or out of range.
    pub fn read(self, reader: &mut BitReader<'_>) -> Result<Code, WireError> {
        match self {
            Self::Exact => reader.number().map(|value| Code(value.to_bits() as i64)),
            Self::Step(_) => {
                let error = reader.error(WireErrorKind::TooLarge);
                let steps = reader.signed(STEP_GROUP)?;
                if steps.unsigned_abs() as f64 <= FURTHEST { Ok(Code(steps)) } else { Err(error) }
            }
            Self::Range { bits, .. } => reader.bits(bits).map(|code| Code(code as i64)),
        }
    }
}

impl StateHash for Quantiser {
    fn state_hash<S: HashSink>(&self, hasher: &mut S) {
        match *self {
            Self::Exact => 0u8.state_hash(hasher),
            Self::Step(step) => {
                1u8.state_hash(hasher);
                step.state_hash(hasher);
            }
            Self::Range { min, max, bits } => {
                2u8.state_hash(hasher);
                min.state_hash(hasher);
                max.state_hash(hasher);
                bits.state_hash(hasher);
            }
        }
    }
}

/// The largest code of so many bits.
fn top(bits: u32) -> f64 {
    ((1u64 << bits.clamp(1, MOST_BITS)) - 1) as f64
}

/// The reciprocal of a step, if it is a whole number.
fn whole_part(step: f64) -> Option<f64> {
    let parts = 1.0 / step;
    (parts >= 1.0 && parts.fract() == 0.0 && 1.0 / parts == step).then_some(parts)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Number of bits that a value takes.
    fn bits(quantiser: Quantiser, value: f64) -> u64 {
        let mut writer = BitWriter::new();
        quantiser.write(&mut writer, quantiser.code(value).unwrap());
        writer.bit_len()
    }

    #[test]
    fn changes_are_whole_steps_or_between_two() {
        let eighths = Quantiser::Range { min: 0.0, max: 1_016.0, bits: 7 }; // steps of 8
        assert_eq!(eighths.steps_of(&[-2.0, 3.0, -40.0, 20.0]), [-1, 1, -5, 2, 3]); // 20 / 8 = 2.5
        assert_eq!(Quantiser::Step(0.5).steps_of(&[-2.0, 1e300]), [-4, 1 << 50]);
        assert_eq!(Quantiser::Exact.steps_of(&[-2.0]), [0; 0]);
    }

    #[test]
    fn steps_lead_from_code_to_code() {
        let seven = Quantiser::Range { min: 0.0, max: 127.0, bits: 7 };
        let code = |value| seven.code(value).unwrap();
        assert_eq!(seven.step(code(100.0), 27), Some(code(127.0)));
        assert_eq!([seven.step(code(100.0), 28), seven.step(code(1.0), -2)], [None; 2]);
        assert_eq!(Quantiser::steps_between(code(100.0), code(98.0)), -2);
        assert_eq!(Quantiser::Exact.step(Quantiser::Exact.code(1.0).unwrap(), 1), None);
    }

    #[test]
    fn exact_is_exact() {
        for value in [0.0, -0.0, 0.1, 1e300, f64::MIN_POSITIVE] {
            assert_eq!(Quantiser::Exact.settle(value).map(f64::to_bits), Some(value.to_bits()));
        }
        assert_eq!(bits(Quantiser::Exact, 100.0), 15); // as `BitWriter::number` has it
    }

    #[test]
    fn steps_are_the_ones_that_people_write() {
        let tenths = Quantiser::Step(0.1);
        assert_eq!(tenths.settle(0.3), Some(0.3)); // 3 / 10; 3 × 0.1 is 0.30000000000000004
        assert_eq!(tenths.settle(17.34), Some(17.3));
        assert_eq!(tenths.settle(-17.36), Some(-17.4));
        assert_eq!(Quantiser::Step(2.5).settle(11.0), Some(10.0)); // 4.4 steps
        assert_eq!(Quantiser::Step(1.0).settle(1e30), Some(FURTHEST));
        assert_eq!(Quantiser::Step(1.0).settle(-0.2).map(f64::to_bits), Some(0.0_f64.to_bits()));
        // 1,000 tenths: zigzag 2,000 is above 32 + 1,024 and takes three groups of 5 and a bit.
        assert_eq!([bits(tenths, 1.5), bits(tenths, 50.0), bits(tenths, 100.0)], [6, 12, 18]);
    }

    #[test]
    fn a_range_meets_both_its_ends() {
        let range = Quantiser::Range { min: -1.0, max: 1.0, bits: 8 };
        assert_eq!([-1.0, 1.0, 7.0, -7.0].map(|value| range.settle(value)), [-1.0, 1.0, 1.0, -1.0].map(Some));
        // 255 steps from -1 to 1: 0 is code 127.5, away from zero 128, which is -1 + 2 × 128 / 255.
        assert_eq!(range.settle(0.0), Some(-1.0 + 2.0 * (128.0 / 255.0)));
        assert_eq!(bits(range, 0.3), 8);
    }

    #[test]
    fn what_is_not_finite_has_no_code() {
        let all = [Quantiser::Exact, Quantiser::Step(0.1), Quantiser::Range { min: 0.0, max: 1.0, bits: 4 }];
        for quantiser in all {
            for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                assert_eq!(quantiser.code(value), None);
            }
        }
    }

    #[test]
    fn nonsense_is_refused() {
        let range = |min, max, bits| Quantiser::Range { min, max, bits }.check().is_ok();
        assert!(range(0.0, 100.0, 12) && range(-1e9, 1e9, 32) && range(0.0, 1.0, 1));
        assert!(!range(0.0, 1.0, 0) && !range(0.0, 1.0, 33) && !range(1.0, 1.0, 4) && !range(2.0, 1.0, 4));
        assert!(!range(f64::NAN, 1.0, 4) && !range(0.0, f64::INFINITY, 4) && !range(-1e308, 1e308, 4));
        assert!(!range(1e15, 1e15 + 4.0, 16) && !range(0.0, 1e-307, 16));
        let step = |step| Quantiser::Step(step).check().is_ok();
        assert!(step(0.1) && step(1e9) && step(1e-9));
        assert!(!step(0.0) && !step(-1.0) && !step(f64::NAN) && !step(f64::INFINITY) && !step(1e10));
    }

    /// Any valid quantiser.
    fn quantiser() -> impl Strategy<Value = Quantiser> {
        let finite = -1e12..1e12_f64;
        let range = (finite, 1e-6..1e12_f64, 1..=32u32);
        let any = prop_oneof![
            Just(Quantiser::Exact),
            (1e-9..1e9_f64).prop_map(Quantiser::Step),
            (1..1_000_000u32).prop_map(|parts| Quantiser::Step(1.0 / f64::from(parts))),
            range.prop_map(|(min, width, bits)| Quantiser::Range { min, max: min + width, bits }),
            (0..100_000u32, 1..=32u32)
                .prop_map(|(max, bits)| { Quantiser::Range { min: 0.0, max: f64::from(max), bits } }),
        ];
        any.prop_filter("usable", |quantiser| quantiser.check().is_ok())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn a_value_settles_at_once(quantiser in quantiser(), near in -1e4..1e4_f64, far: f64) {
            for value in [near, far].into_iter().filter(|value| value.is_finite()) {
                let code = quantiser.code(value).unwrap();
                let settled = quantiser.value(code);
                prop_assert!(settled.is_finite());
                prop_assert_eq!(quantiser.code(settled), Some(code), "{:?} {} {}", quantiser, value, settled);
                let mut writer = BitWriter::new();
                quantiser.write(&mut writer, code);
                let bytes = writer.into_bytes();
                prop_assert_eq!(quantiser.read(&mut BitReader::new(&bytes)), Ok(code));
            }
        }

        #[test]
        fn nothing_panics(step: f64, min: f64, max: f64, bits: u32, value: f64) {
            for quantiser in [Quantiser::Step(step), Quantiser::Range { min, max, bits }] {
                let _ = quantiser.check();
                let _ = quantiser.settle(value);
            }
        }
    }
}
