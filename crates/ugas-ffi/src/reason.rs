//! Reasons of refusals (I8).

use ugas_core::ability::ActivationReason;
use ugas_core::refusal::RefusalReason;
use ugas_core::simulation::Simulation;

use crate::context::UGAS_NO_ID;
use crate::memory::{Plain, ugas_str};

/// One reason of a refusal. Fields that do not apply are zero, UGAS_NO_ID or NaN.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_reason {
    /// Stable identifier for programs, such as `OnCooldown`.
    pub code: ugas_str,
    /// Description of the reason, with names.
    pub words: ugas_str,
    /// Controller that does not exist.
    pub controller: u64,
    /// Active effect that blocks.
    pub active_effect: u64,
    /// Granted ability that blocks.
    pub granted_ability: u64,
    /// Tag that is missing or blocks.
    pub tag: u32,
    /// Attribute that is missing or too low.
    pub attribute: u32,
    /// Value that the attribute would have, or the remaining cooldown in seconds.
    pub value: f64,
    /// Minimum of the attribute.
    pub limit: f64,
}

// SAFETY: `repr(C)`, numbers and pointers.
unsafe impl Plain for ugas_reason {}

/// A stored reason.
#[derive(Clone, Debug)]
pub(crate) struct Reason {
    code: &'static str,
    pub(crate) message: String,
    /// Whether an object does not exist, rather than something being forbidden.
    pub(crate) is_absence: bool,
    involved: Involved,
}

/// Objects and numbers involved in a reason.
#[derive(Clone, Copy, Debug)]
struct Involved {
    controller: u64,
    active_effect: u64,
    granted_ability: u64,
    tag: u32,
    attribute: u32,
    value: f64,
    limit: f64,
}

impl Default for Involved {
    fn default() -> Self {
        Self {
            controller: 0,
            active_effect: 0,
            granted_ability: 0,
            tag: UGAS_NO_ID,
            attribute: UGAS_NO_ID,
            value: f64::NAN,
            limit: f64::NAN,
        }
    }
}

impl Reason {
    /// Why an ability cannot be activated or committed.
    pub(crate) fn of_activation(reason: &ActivationReason, simulation: &Simulation) -> Self {
        let none = Involved::default();
        let involved = match reason {
            ActivationReason::UnknownController(controller) => {
                Involved { controller: controller.to_bits().get(), ..none }
            }
            ActivationReason::BlockedByAbility { tag, by, effect } => Involved {
                tag: tag.index(),
                granted_ability: by.map_or(0, |by| by.to_bits().get()),
                active_effect: effect.map_or(0, |effect| effect.to_bits().get()),
                ..none
            },
            ActivationReason::MissingTag { tag, .. } | ActivationReason::BlockedTag { tag, .. } => {
                Involved { tag: tag.index(), ..none }
            }
            ActivationReason::OnCooldown { tag, remaining } => Involved {
                tag: tag.index(),
                value: remaining.map_or(f64::NAN, |remaining| remaining.as_seconds()),
                ..none
            },
            ActivationReason::CannotAfford { attribute, would_be, minimum } => {
                Involved { attribute: attribute.index(), value: *would_be, limit: *minimum, ..none }
            }
            ActivationReason::EffectRefused(reason) => involved_in(reason),
            _ => none,
        };
        let is_absence = matches!(
            reason,
            ActivationReason::UnknownController(_)
                | ActivationReason::UnknownAbility(_)
                | ActivationReason::NotGranted
        );
        Self { code: reason.code(), message: reason.describe(simulation), is_absence, involved }
    }

    /// Why an effect cannot be applied, or why a handle cannot be used.
    pub(crate) fn of_effect(reason: &RefusalReason, simulation: &Simulation) -> Self {
        let is_absence = matches!(
            reason,
            RefusalReason::UnknownController(_)
                | RefusalReason::UnknownEffect(_)
                | RefusalReason::UnknownAbility(_)
                | RefusalReason::UnknownGrant(_)
                | RefusalReason::UnknownHandle(_)
        );
        let involved = involved_in(reason);
        Self { code: reason.code(), message: reason.describe(simulation), is_absence, involved }
    }

    /// The reason in its C form, valid as long as `self` is kept.
    pub(crate) fn to_c(&self) -> ugas_reason {
        let Involved { controller, active_effect, granted_ability, tag, attribute, value, limit } =
            self.involved;
        ugas_reason {
            code: ugas_str::from(self.code),
            words: ugas_str::from(self.message.as_str()),
            controller,
            active_effect,
            granted_ability,
            tag,
            attribute,
            value,
            limit,
        }
    }
}

fn involved_in(reason: &RefusalReason) -> Involved {
    let none = Involved::default();
    match reason {
        RefusalReason::UnknownController(controller) => {
            Involved { controller: controller.to_bits().get(), ..none }
        }
        RefusalReason::UnknownGrant(ability) => Involved { granted_ability: ability.to_bits().get(), ..none },
        RefusalReason::UnknownHandle(active)
        | RefusalReason::StillActive(active)
        | RefusalReason::Immune { by: active }
        | RefusalReason::StackOverflow { stack: active } => {
            Involved { active_effect: active.to_bits().get(), ..none }
        }
        RefusalReason::CircularDependency { chain } => chain.first().map_or(none, |link| Involved {
            controller: link.controller.to_bits().get(),
            attribute: link.attribute.index(),
            ..none
        }),
        RefusalReason::MissingTag { tag, .. }
        | RefusalReason::BlockedTag { tag, .. }
        | RefusalReason::WouldBeRemoved { tag }
        | RefusalReason::MissingSetByCaller(tag) => Involved { tag: tag.index(), ..none },
        RefusalReason::MissingAttribute { attribute, .. }
        | RefusalReason::NonFinite { attribute: Some(attribute), .. } => {
            Involved { attribute: attribute.index(), ..none }
        }
        _ => none,
    }
}
