//! Stacking and execution policies (§9.6, E4, E5): how several applications of one effect interact.

use crate::codec::StateRecord;
use crate::time::Span;

/// How several instances of one effect on one target interact (§9.6, E4).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, StateRecord)]
pub enum ExecutionPolicy {
    /// Each application is a separate instance.
    #[default]
    RunInParallel,
    /// Instances queue; the next begins when the active one ends.
    RunInSequence,
    /// One instance, from the first start to the latest end; the newest spec counts.
    RunInMerge,
}

/// Which applications share a stack (E5).
#[derive(Clone, Copy, PartialEq, Eq, Debug, StateRecord)]
pub enum StackingType {
    /// Applications of one source on one target. Without a source nothing stacks.
    AggregateBySource,
    /// All applications on one target.
    AggregateByTarget,
}

/// How a new stack affects the time left (E5).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, StateRecord)]
pub enum DurationRefresh {
    /// The duration restarts.
    #[default]
    Refresh,
    /// The expiry stays.
    Never,
    /// The new duration is added to the time left, up to `max_duration`.
    Extend,
}

/// How a new stack affects the period (E5).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, StateRecord)]
pub enum PeriodReset {
    /// The next tick is one period away.
    #[default]
    Reset,
    /// The phase stays.
    Never,
}

/// How the end of the duration affects a stack (E5).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, StateRecord)]
pub enum StackExpiration {
    /// All stacks are removed.
    #[default]
    ClearAll,
    /// One stack is removed and the duration restarts.
    RemoveOneAndRefresh,
    /// No stack is removed and the duration restarts.
    Refresh,
}

/// The stacking rules of an effect (E5).
#[derive(Clone, PartialEq, Debug, StateRecord)]
pub struct StackingDef {
    /// Which applications share a stack.
    pub kind: StackingType,
    /// Maximum number of stacks; 0 for no limit.
    pub limit: u32,
    /// How a new stack affects the time left.
    pub duration_refresh: DurationRefresh,
    /// Upper limit of the time left under [`DurationRefresh::Extend`].
    pub max_duration: Option<Span>,
    /// How a new stack affects the period.
    pub period_reset: PeriodReset,
    /// How the end of the duration affects the stack.
    pub expiration: StackExpiration,
    /// Effects applied to the target, from the same source, whenever the limit is hit, denied or not.
    pub overflow_effects: Vec<String>,
    /// Refuses applications beyond the limit.
    pub deny_overflow: bool,
    /// Removes the whole stack when the limit is hit.
    pub clear_on_overflow: bool,
}

impl StackingDef {
    /// Stacking per target, up to `limit`; 0 for no limit.
    pub fn by_target(limit: u32) -> Self {
        Self {
            kind: StackingType::AggregateByTarget,
            limit,
            duration_refresh: DurationRefresh::default(),
            max_duration: None,
            period_reset: PeriodReset::default(),
            expiration: StackExpiration::default(),
            overflow_effects: Vec::new(),
            deny_overflow: false,
            clear_on_overflow: false,
        }
    }

    /// Stacking per source and target, up to `limit`; 0 for no limit.
    pub fn by_source(limit: u32) -> Self {
        Self { kind: StackingType::AggregateBySource, ..Self::by_target(limit) }
    }
}

/// How an inhibition affects the period of an effect (E7).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, StateRecord)]
pub enum PeriodicInhibition {
    /// The phase continues; ticks during the inhibition are lost.
    #[default]
    NeverReset,
    /// The next tick is one period away.
    Reset,
    /// It ticks at once, and the next tick is one period away.
    ExecuteAndReset,
}
