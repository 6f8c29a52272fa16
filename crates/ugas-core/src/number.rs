//! Arithmetic that is finite and bit-identical on every platform (V2).

/// Divisors closer to zero count as zero (M3).
const NEGLIGIBLE: f64 = 1e-9;

/// `base` to the power of `exponent`; anything to the power of zero is 1.
///
/// By repeated squaring, least significant bit of the exponent first, in plain multiplications. The order is
/// part of the result; `f64::powi` leaves it to the platform.
pub fn powu(base: f64, exponent: u32) -> f64 {
    let mut result = 1.0;
    let mut square = base;
    let mut remaining = exponent;
    loop {
        if remaining & 1 == 1 {
            result *= square;
        }
        remaining >>= 1;
        if remaining == 0 {
            return result;
        }
        square *= square;
    }
}

/// The value, or `None` if it is infinite or not a number.
///
/// For the places where numbers enter the state (V2): a single NaN would spread through every sum.
pub fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

/// Whether a divisor is too small to divide by: closer to zero than 1e-9 (M3). `false` for NaN.
pub fn nearly_zero(value: f64) -> bool {
    value.abs() < NEGLIGIBLE
}

/// A number as text with six significant digits, for people: the number format of explanations, pages and
/// the command line.
pub fn short(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() || value == value.trunc() && size < 1e15 {
        return format!("{value}");
    }
    if !(1e-4..1e15).contains(&size) {
        return format!("{value:.5e}");
    }
    let decimals = [1.0, 10.0, 100.0, 1e3, 1e4].iter().filter(|limit| size < **limit).count() + 1;
    let text = format!("{value:.decimals$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn short_numbers_have_six_significant_digits() {
        for (value, expected) in [
            (0.0, "0"),
            (-12.0, "-12"),
            (1_000_000.0, "1000000"),
            (0.1 + 0.2, "0.3"),
            (2.0 / 3.0, "0.666667"),
            (200.0 / 3.0, "66.6667"),
            (123_456.789, "123456.8"),
            (1e300, "1.00000e300"),
            (0.000_012_345_678, "1.23457e-5"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(short(value), expected);
        }
    }

    #[test]
    fn powers_of_small_integers_are_exact() {
        assert_eq!(powu(2.0, 10), 1024.0);
        assert_eq!(powu(-3.0, 5), -243.0);
        assert_eq!(powu(10.0, 15), 1e15);
        assert_eq!(powu(7.5, 1), 7.5);
    }

    #[test]
    fn powu_edge_cases() {
        assert_eq!(powu(0.0, 0), 1.0);
        assert_eq!(powu(f64::NAN, 0), 1.0);
        assert_eq!(powu(0.0, 3), 0.0);
        assert_eq!(powu(2.0, 1024), f64::INFINITY);
        assert_eq!(powu(-1.0, u32::MAX), -1.0);
        assert_eq!(powu(0.5, u32::MAX), 0.0);
    }

    #[test]
    fn powu_multiplication_order_is_pinned() {
        // 5 = 101 in binary: the first power times the square of the square.
        let base: f64 = 1.1;
        let squared = base * base;
        assert_eq!(powu(base, 5).to_bits(), (base * (squared * squared)).to_bits());
    }

    #[test]
    fn finite_rejects_infinity_and_nan() {
        assert_eq!(finite(-2.5), Some(-2.5));
        assert_eq!(finite(f64::NAN), None);
        assert_eq!(finite(f64::NEG_INFINITY), None);
    }

    #[test]
    fn nearly_zero_ends_at_one_billionth() {
        assert!(nearly_zero(0.0) && nearly_zero(-0.9e-9));
        assert!(!nearly_zero(1e-9) && !nearly_zero(-1.1e-9));
        assert!(!nearly_zero(f64::NAN));
    }

    proptest! {
        #[test]
        fn powu_is_repeated_multiplication(base in -9i64..=9, exponent in 0u32..=15) {
            // 9^15 is below 2^53, so both sides are exact.
            prop_assert_eq!(powu(base as f64, exponent), base.pow(exponent) as f64);
        }
    }
}
