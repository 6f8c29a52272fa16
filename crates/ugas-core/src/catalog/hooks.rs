//! Hooks of native code (B4, M7, E1). They live in the immutable catalog and must be deterministic functions
//! of their arguments (I1). [`Simulation`] documents what a panic in one leads to.

use std::sync::Arc;

use crate::effect::EffectSpec;
use crate::handle::{ActiveEffectId, ControllerId};
use crate::id::AttributeId;
use crate::modifier::Operation;
use crate::simulation::{PostExecute, Simulation};

/// A current value about to change (GASD §4.4.5).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PreChange {
    /// The controller.
    pub controller: ControllerId,
    /// The attribute.
    pub attribute: AttributeId,
    /// The base value.
    pub base: f64,
    /// The old current value.
    pub old: f64,
    /// The new current value, aggregated and clamped.
    pub new: f64,
}

/// One modifier, as passed to a qualifier (M7).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct QualifierTerm {
    /// The effect that contributes it.
    pub effect: ActiveEffectId,
    /// Its operation.
    pub operation: Operation,
    /// Its layer.
    pub layer: u8,
    /// Its contribution with stacks factored in: an addend for additions and bonuses in a channel, a factor
    /// for a multiplication on its own.
    pub amount: f64,
    /// Whether it counts. It is `false` for a modifier that fails its own requirements. A qualifier may only
    /// exclude modifiers: setting such a one to `true` has no effect.
    pub counts: bool,
}

/// A hook that adjusts a new current value.
pub(crate) type PreChangeHook = Arc<dyn Fn(&PreChange) -> f64 + Send + Sync>;
/// A hook that reacts to a base value changed by an execution.
pub(crate) type PostExecuteHook = Arc<dyn Fn(&mut PostExecute<'_>) + Send + Sync>;
/// A hook that decides which modifiers of an attribute count.
pub(crate) type Qualifier = Arc<dyn Fn(&mut [QualifierTerm]) + Send + Sync>;
/// A hook that accepts an application, or refuses it with a reason.
pub(crate) type BeforeApplyHook =
    Arc<dyn Fn(&Simulation, ControllerId, &EffectSpec) -> Result<(), String> + Send + Sync>;

/// The hooks of one attribute.
#[derive(Clone, Default)]
pub(crate) struct AttributeHooks {
    pub(crate) pre_change: Option<PreChangeHook>,
    pub(crate) post_execute: Option<PostExecuteHook>,
    pub(crate) qualifier: Option<Qualifier>,
}
