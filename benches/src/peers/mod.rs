//! Peers: alternative crates, measured for comparison. Empty without the feature `peers`.

#[cfg(feature = "peers")]
mod gauge;
#[cfg(feature = "peers")]
mod replicon;

#[cfg(feature = "peers")]
pub(crate) use gauge::{dependencies, modifiers};
#[cfg(feature = "peers")]
pub(crate) use replicon::replicated;

/// Names in the table.
pub(crate) const GAUGE: &str = "bevy_gauge";
pub(crate) const REPLICON: &str = "bevy_replicon";

#[cfg(not(feature = "peers"))]
mod none {
    use crate::lines::{Shape, Trace};
    use crate::measure::Subject;

    pub(crate) fn modifiers(_others: usize, _with: f64, _without: f64) -> Option<Subject<'static>> {
        None
    }

    pub(crate) fn dependencies(_shape: &Shape) -> Option<(Subject<'static>, Option<String>)> {
        None
    }

    pub(crate) fn replicated(_trace: &Trace) -> Option<(f64, f64)> {
        None
    }
}

#[cfg(not(feature = "peers"))]
pub(crate) use none::{dependencies, modifiers, replicated};
