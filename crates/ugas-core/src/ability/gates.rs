//! Checks of an activation (A1), as far as the definition decides them.

use std::sync::Arc;

use super::def::{AbilityDef, Instancing};
use crate::effect::{ConstantWrite, Effect};

/// Parts of A1 that an ability can fail. Derived from the definition, so that a check reads no text and
/// follows no pointer for conditions that the ability does not have.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Gates {
    /// Whether a running activation refuses another one (A7).
    pub(crate) is_exclusive: bool,
    /// Whether an activation ends the running ones first (A7, `Retrigger`).
    pub(crate) restarts: bool,
    /// Whether the owner needs an avatar (A15).
    pub(crate) requires_avatar: bool,
    /// Whether it has charges.
    pub(crate) has_charges: bool,
    /// Whether the numbers of the cooldown effect are evaluated, which can fail (E9).
    pub(crate) evaluates_cooldown: bool,
    /// Largest distance to the target; `None` without a limit.
    pub(crate) range: Option<f64>,
    pub(crate) price: Price,
}

/// The cost of an ability, for its check (A2).
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) enum Price {
    /// Nothing: there is no cost, or it changes no base value.
    #[default]
    Free,
    /// A constant change of one base value.
    Constant(ConstantWrite),
    /// Anything else, which is proposed at each check.
    Evaluated,
}

impl Gates {
    /// Gates of a definition with its cost and cooldown effects.
    pub(crate) fn new(def: &AbilityDef, cost: Option<&Arc<Effect>>, cooldown: Option<&Arc<Effect>>) -> Self {
        let is_per_actor = def.instancing == Instancing::PerActor;
        // Set-by-caller numbers are evaluated for every effect of the ability.
        let is_evaluated = |effect: &Effect| !effect.is_constant || !def.set_by_caller.is_empty();
        let price = match cost {
            None => Price::Free,
            Some(effect) if is_evaluated(effect) => Price::Evaluated,
            Some(effect) if !effect.is_instant() => Price::Free,
            Some(effect) => effect.constant_write.map_or(Price::Evaluated, Price::Constant),
        };
        Self {
            is_exclusive: is_per_actor && !def.retrigger,
            restarts: is_per_actor && def.retrigger,
            requires_avatar: def.requires_avatar,
            has_charges: def.charges.is_some(),
            evaluates_cooldown: cooldown
                .is_some_and(|effect| is_evaluated(effect) || effect.period.is_some()),
            range: def.max_range.filter(|range| *range > 0.0),
            price,
        }
    }
}
