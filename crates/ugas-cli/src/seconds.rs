//! Times on the command line, in seconds as in scenarios: `2.5`, or `2.5s` as the output writes them.

use ugas_core::time::Span;

/// Time of a scenario or recording: seconds, finite and not negative, with or without `s`.
pub(crate) fn moment(text: &str) -> Result<f64, String> {
    match seconds(text)? {
        seconds if seconds >= 0.0 => Ok(seconds),
        _ => Err("must not be negative".to_owned()),
    }
}

/// Parses a time span of at least a microsecond.
pub(crate) fn positive(text: &str) -> Result<f64, String> {
    match seconds(text)? {
        seconds if Span::seconds(seconds).is_positive() => Ok(seconds),
        _ => Err("must be at least a microsecond, 0.000001".to_owned()),
    }
}

/// A finite number of seconds.
fn seconds(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let number = text.strip_suffix('s').unwrap_or(text).trim_end();
    match (number.parse::<f64>(), number.strip_suffix('m').map(str::parse::<f64>)) {
        (Ok(seconds), _) if seconds.is_finite() => Ok(seconds),
        (_, Some(Ok(millis))) if text.ends_with("ms") && millis.is_finite() => {
            Err(format!("times are in seconds: write {}", millis / 1000.0))
        }
        _ => Err("not a number of seconds, such as 2.5 or 2.5s".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_seconds_with_or_without_unit() {
        for (text, expected) in [("2.5", 2.5), ("2.5s", 2.5), ("0 s", 0.0), ("1e-3", 0.001), ("+4", 4.0)] {
            assert_eq!(moment(text), Ok(expected), "{text}");
        }
        for text in ["", "s", "NaN", "nans", "inf", "2,5", "2.5 min", "soon"] {
            assert_eq!(
                moment(text),
                Err("not a number of seconds, such as 2.5 or 2.5s".to_owned()),
                "{text}"
            );
        }
        assert_eq!(moment("150ms"), Err("times are in seconds: write 0.15".to_owned()));
        assert_eq!(moment("-1"), Err("must not be negative".to_owned()));
        assert_eq!(moment("-0"), Ok(-0.0));
    }

    #[test]
    fn spans_are_at_least_a_microsecond() {
        assert_eq!(positive("0.000001"), Ok(0.000_001));
        for text in ["0", "-1s", "0.0000001"] {
            assert_eq!(positive(text), Err("must be at least a microsecond, 0.000001".to_owned()), "{text}");
        }
    }
}
