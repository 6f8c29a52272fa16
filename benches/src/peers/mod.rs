//! What a user would pick instead, measured beside ours. Without the feature `peers` there is none.

#[cfg(feature = "peers")]
mod gauge;

#[cfg(feature = "peers")]
pub(crate) use gauge::{dependencies, modifiers};

/// How it is called in the table.
pub(crate) const GAUGE: &str = "bevy_gauge";

#[cfg(not(feature = "peers"))]
mod none {
    use crate::lines::Shape;
    use crate::measure::Subject;

    pub(crate) fn modifiers(_others: usize, _with: f64, _without: f64) -> Option<Subject<'static>> {
        None
    }

    pub(crate) fn dependencies(_shape: &Shape) -> Option<(Subject<'static>, Option<String>)> {
        None
    }
}

#[cfg(not(feature = "peers"))]
pub(crate) use none::{dependencies, modifiers};
