//! Positions in a recording, as commands write them.

use anyhow::Context;
use ugas_core::time::{Span, Time};

/// A position in a recording.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum SeekTarget {
    Here,
    Tick(u64),
    Time(Time),
}

/// Parses a position: seconds, `#` and a tick, `start`, `end` or `here`.
pub(super) fn parse(text: &str) -> anyhow::Result<SeekTarget> {
    Ok(match text {
        "here" => SeekTarget::Here,
        "start" => SeekTarget::Tick(0),
        "end" => SeekTarget::Tick(u64::MAX),
        _ => match text.strip_prefix('#') {
            Some(tick) => SeekTarget::Tick(tick.parse().ok().with_context(|| invalid_place(text))?),
            None => SeekTarget::Time(Time::ZERO + seconds(text)?),
        },
    })
}

/// Parses a time that is not negative, in seconds.
pub(super) fn seconds(text: &str) -> anyhow::Result<Span> {
    crate::seconds::moment(text).ok().map(Span::seconds).with_context(|| invalid_place(text))
}

fn invalid_place(text: &str) -> String {
    format!("`{text}` is not a place: give seconds, `#12` for after tick 12, `start`, `end` or `here`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_times_ticks_or_words() {
        assert_eq!(parse("2.5").unwrap(), SeekTarget::Time(Time::from_seconds(2.5)));
        assert_eq!(parse("#12").unwrap(), SeekTarget::Tick(12));
        assert_eq!(parse("start").unwrap(), SeekTarget::Tick(0));
        assert_eq!(parse("end").unwrap(), SeekTarget::Tick(u64::MAX));
        assert_eq!(parse("here").unwrap(), SeekTarget::Here);
        for wrong in ["", "#", "#x", "-1", "NaN", "soon"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
