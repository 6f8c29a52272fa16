//! Rollback of a predicting client.

use crate::line::{Goal, Line};
use crate::measure::{Effort, alone, subject};
use crate::scenes::Rollback;

/// Goal: a frame has 16 ms for everything, so a correction must take only a small part.
pub(crate) fn measure(effort: Effort) -> Vec<Line> {
    let mut client = Rollback::new();
    let ours = alone(effort, subject(move || client.roll_back()));
    vec![
        Line::new("rollback", ours, Goal::AtMost(100_000.0))
            .must_not_allocate()
            .note("restore, then 20 × (5 hits, 1 buff, 33 ms, snapshot) of 5 controllers"),
    ]
}
