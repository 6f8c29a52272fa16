//! Stacking and execution policies (§9.6, E4, E5): how several applications of one effect live together.

use crate::codec::{plain_enum, plain_struct};
use crate::time::Span;

/// How several instances of one effect on one target interact (§9.6, E4).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ExecutionPolicy {
    /// Each application is an instance of its own.
    #[default]
    RunInParallel,
    /// Instances queue; the next begins when the active one ends.
    RunInSequence,
    /// One instance, from the first start to the latest end; the newest spec counts.
    RunInMerge,
}

/// Which applications share a stack (E5).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StackingType {
    /// Those of one source on one target. Without a source nothing stacks.
    AggregateBySource,
    /// All on one target.
    AggregateByTarget,
}

/// What a new stack does to the time left (E5).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DurationRefresh {
    /// The duration begins anew.
    #[default]
    Refresh,
    /// The end stays where it was.
    Never,
    /// The new duration is added to the time left, up to `max_duration`.
    Extend,
}

/// What a new stack does to the period (E5).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PeriodReset {
    /// The next tick is one period away.
    #[default]
    Reset,
    /// The phase stays.
    Never,
}

/// What the end of the duration does to a stack (E5).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum StackExpiration {
    /// All stacks go.
    #[default]
    ClearAll,
    /// One stack goes and the duration begins anew.
    RemoveOneAndRefresh,
    /// Nothing goes and the duration begins anew.
    Refresh,
}

/// The stacking rules of an effect (E5).
#[derive(Clone, PartialEq, Debug)]
pub struct StackingDef {
    /// Which applications share a stack.
    pub kind: StackingType,
    /// Most stacks; 0 is no limit.
    pub limit: u32,
    /// What a new stack does to the time left.
    pub duration_refresh: DurationRefresh,
    /// Cap of the time left under [`DurationRefresh::Extend`].
    pub max_duration: Option<Span>,
    /// What a new stack does to the period.
    pub period_reset: PeriodReset,
    /// What the end of the duration does.
    pub expiration: StackExpiration,
    /// Applied to the target, from the same source, whenever the limit is hit; denied or not.
    pub overflow_effects: Vec<String>,
    /// Refuses applications beyond the limit.
    pub deny_overflow: bool,
    /// Removes the whole stack when the limit is hit.
    pub clear_on_overflow: bool,
}

impl StackingDef {
    /// Stacking per target, up to `limit`; 0 is no limit.
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

    /// Stacking per source and target, up to `limit`; 0 is no limit.
    pub fn by_source(limit: u32) -> Self {
        Self { kind: StackingType::AggregateBySource, ..Self::by_target(limit) }
    }
}

/// What becomes of the period of an effect that was inhibited for a while (E7).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PeriodicInhibition {
    /// The phase went on; ticks that fell into the inhibition are lost.
    #[default]
    NeverReset,
    /// The next tick is one period away.
    Reset,
    /// It ticks at once, and the next tick is one period away.
    ExecuteAndReset,
}

plain_enum!(ExecutionPolicy { 0 => RunInParallel, 1 => RunInSequence, 2 => RunInMerge });
plain_enum!(StackingType { 0 => AggregateBySource, 1 => AggregateByTarget });
plain_enum!(DurationRefresh { 0 => Refresh, 1 => Never, 2 => Extend });
plain_enum!(PeriodReset { 0 => Reset, 1 => Never });
plain_enum!(StackExpiration { 0 => ClearAll, 1 => RemoveOneAndRefresh, 2 => Refresh });
plain_enum!(PeriodicInhibition { 0 => NeverReset, 1 => Reset, 2 => ExecuteAndReset });
plain_struct!(StackingDef {
    kind,
    limit,
    duration_refresh,
    max_duration,
    period_reset,
    expiration,
    overflow_effects,
    deny_overflow,
    clear_on_overflow,
});
