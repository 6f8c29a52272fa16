//! The value of a field in a [`Difference`](crate::Difference).

use core::fmt;

use ugas_core::time::{Span, Time};

/// The value of a field.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// The field does not exist.
    Absent,
    /// A number.
    Number(f64),
    /// A count.
    Count(u64),
    /// Anything else, as text.
    Text(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent => f.write_str("none"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Count(count) => write!(f, "{count}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<u32> for Value {
    fn from(count: u32) -> Self {
        Self::Count(u64::from(count))
    }
}

impl From<u64> for Value {
    fn from(count: u64) -> Self {
        Self::Count(count)
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Self {
        Self::Text(if truth { "yes" } else { "no" }.to_owned())
    }
}

impl From<Time> for Value {
    fn from(time: Time) -> Self {
        Self::Text(format!("{} s", time.as_seconds()))
    }
}

impl From<Span> for Value {
    fn from(span: Span) -> Self {
        Self::Text(format!("{} s", span.as_seconds()))
    }
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Absent, Into::into)
    }
}
