//! Hooks (B4, M7, E1): places where native code takes part. They live in the immutable catalog and must be
//! deterministic functions of what they are given (I1).

use std::sync::Arc;

use crate::effect::EffectSpec;
use crate::handle::{ActiveEffectId, ControllerId};
use crate::id::AttributeId;
use crate::modifier::Operation;
use crate::simulation::{PostExecute, Simulation};

/// A current value about to change (GASD §4.4.5).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PreChange {
    /// Whose attribute it is.
    pub controller: ControllerId,
    /// Which.
    pub attribute: AttributeId,
    /// The base value.
    pub base: f64,
    /// The current value until now.
    pub old: f64,
    /// The current value as aggregated and clamped.
    pub new: f64,
}

/// One modifier as a qualifier sees it (M7).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct QualifierTerm {
    /// The effect that contributes it.
    pub effect: ActiveEffectId,
    /// What it does.
    pub operation: Operation,
    /// Its layer.
    pub layer: u8,
    /// Its contribution with stacks factored in: a sum for additions and for bonuses in a channel, a factor for what
    /// multiplies by itself.
    pub amount: f64,
    /// Whether it counts. Those that fail their tag requirements and the like come in as `false`; a qualifier may only
    /// take away, so setting one of these to `true` has no effect.
    pub counts: bool,
}

/// Adjusts a new current value.
pub(crate) type PreChangeHook = Arc<dyn Fn(&PreChange) -> f64 + Send + Sync>;
/// Reacts to a base value changed by an execution.
pub(crate) type PostExecuteHook = Arc<dyn Fn(&mut PostExecute<'_>) + Send + Sync>;
/// Decides which modifiers of an attribute count.
pub(crate) type Qualifier = Arc<dyn Fn(&mut [QualifierTerm]) + Send + Sync>;
/// Lets an application pass, or refuses it with a reason.
pub(crate) type BeforeApplyHook =
    Arc<dyn Fn(&Simulation, ControllerId, &EffectSpec) -> Result<(), String> + Send + Sync>;

/// The hooks of one attribute.
#[derive(Clone, Default)]
pub(crate) struct AttributeHooks {
    pub(crate) pre_change: Option<PreChangeHook>,
    pub(crate) post_execute: Option<PostExecuteHook>,
    pub(crate) qualifier: Option<Qualifier>,
}
