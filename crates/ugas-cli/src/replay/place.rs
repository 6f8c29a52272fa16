//! Places: moments of a recording as people write them.

use anyhow::Context;
use ugas_core::time::{Span, Time};

/// A moment of a recording.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Place {
    Here,
    Tick(u64),
    Time(Time),
}

/// A place as it is written.
pub(super) fn place(text: &str) -> anyhow::Result<Place> {
    Ok(match text {
        "here" => Place::Here,
        "start" => Place::Tick(0),
        "end" => Place::Tick(u64::MAX),
        _ => match text.strip_prefix('#') {
            Some(tick) => Place::Tick(tick.parse().ok().with_context(|| no_place(text))?),
            None => Place::Time(Time::ZERO + seconds(text)?),
        },
    })
}

pub(super) fn seconds(text: &str) -> anyhow::Result<Span> {
    let seconds = text.parse::<f64>().ok().filter(|seconds| seconds.is_finite() && *seconds >= 0.0);
    seconds.map(Span::seconds).with_context(|| no_place(text))
}

fn no_place(text: &str) -> String {
    format!("`{text}` is no place: give seconds, `#12` for after tick 12, `start`, `end` or `here`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_times_ticks_and_words() {
        assert_eq!(place("2.5").unwrap(), Place::Time(Time::from_seconds(2.5)));
        assert_eq!(place("#12").unwrap(), Place::Tick(12));
        assert_eq!(place("start").unwrap(), Place::Tick(0));
        assert_eq!(place("end").unwrap(), Place::Tick(u64::MAX));
        assert_eq!(place("here").unwrap(), Place::Here);
        for wrong in ["", "#", "#x", "-1", "NaN", "soon"] {
            assert!(place(wrong).is_err(), "{wrong}");
        }
    }
}
