//! Refused activations (A1, I8): all reasons, as data.

use core::fmt;
use core::ops::Deref;
use std::sync::Arc;

use crate::handle::{ActiveEffectId, ControllerId, GrantedAbilityId};
use crate::id::{AbilityId, AttributeId, TagId};
use crate::refusal::{Limit, RefusalReason};
use crate::simulation::Simulation;
use crate::time::Span;

/// The controller whose tags an activation requirement checks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ActivationParty {
    /// The controller that has the ability.
    Owner,
    /// The source of the triggering event.
    Source,
    /// The target.
    Target,
}

impl fmt::Display for ActivationParty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Owner => "owner",
            Self::Source => "source",
            Self::Target => "target",
        })
    }
}

/// A reason why an ability could not be activated or committed, in the order of A1.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum ActivationReason {
    /// The controller does not exist (any more).
    UnknownController(ControllerId),
    /// The controller is inactive (K1).
    ControllerInactive(ControllerId),
    /// The ability does not exist.
    UnknownAbility(AbilityId),
    /// The controller does not have the ability (any more).
    NotGranted,
    /// It is already active.
    AlreadyActive,
    /// The ability requires an avatar, and its owner has none (A15).
    NoAvatar,
    /// An active ability or effect blocks abilities with this tag.
    BlockedByAbility {
        /// The tag.
        tag: TagId,
        /// The ability that blocks, if it is one.
        by: Option<GrantedAbilityId>,
        /// The effect that blocks, if it is one.
        effect: Option<ActiveEffectId>,
    },
    /// A required tag is missing.
    MissingTag {
        /// The party that lacks it.
        party: ActivationParty,
        /// The tag.
        tag: TagId,
    },
    /// A blocking tag is present.
    BlockedTag {
        /// The party that has it.
        party: ActivationParty,
        /// The tag.
        tag: TagId,
    },
    /// It is on cooldown.
    OnCooldown {
        /// A cooldown tag that the owner has.
        tag: TagId,
        /// Time left; `None` if it is not known.
        remaining: Option<Span>,
    },
    /// The cost would take an attribute below its minimum (A2).
    CannotAfford {
        /// The attribute.
        attribute: AttributeId,
        /// Value after the cost.
        would_be: f64,
        /// Lowest allowed value.
        minimum: f64,
    },
    /// The cost or cooldown effect cannot be applied.
    EffectRefused(RefusalReason),
    /// All charges are used.
    NoCharges,
    /// The target is too far away.
    OutOfRange,
    /// Only the authority may activate it (§13.7).
    NotAuthorised,
    /// A client leaves it to the authority. Not a failure.
    NotPredicted,
    /// It runs on clients only, and this is a server (GASD §4.6.8).
    ClientOnly,
    /// A limit is reached.
    LimitReached(Limit),
}

impl ActivationReason {
    /// The outcome code: stable, for tools and scenarios.
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnknownController(_) => "UnknownController",
            Self::ControllerInactive(_) => "ControllerInactive",
            Self::UnknownAbility(_) => "UnknownAbility",
            Self::NotGranted => "NotGranted",
            Self::AlreadyActive => "AlreadyActive",
            Self::NoAvatar => "NoAvatar",
            Self::BlockedByAbility { .. } => "BlockedByAbility",
            Self::MissingTag { .. } => "MissingTags",
            Self::BlockedTag { .. } => "BlockedTags",
            Self::OnCooldown { .. } => "OnCooldown",
            Self::CannotAfford { .. } => "CannotAfford",
            Self::EffectRefused(reason) => reason.code(),
            Self::NoCharges => "NoCharges",
            Self::OutOfRange => "OutOfRange",
            Self::NotAuthorised => "NotAuthorised",
            Self::NotPredicted => "NotPredicted",
            Self::ClientOnly => "ClientOnly",
            Self::LimitReached(_) => "LimitReached",
        }
    }

    /// Whether the reason may pass by itself, so that an input is worth buffering (§11.3).
    pub fn is_block(&self) -> bool {
        matches!(
            self,
            Self::AlreadyActive
                | Self::BlockedByAbility { .. }
                | Self::MissingTag { .. }
                | Self::BlockedTag { .. }
                | Self::OnCooldown { .. }
                | Self::NoCharges
        )
    }

    /// The reason as text, with names instead of ids.
    pub fn describe(&self, simulation: &Simulation) -> String {
        let catalog = simulation.catalog();
        match self {
            Self::UnknownController(_) => "the controller does not exist (any more)".to_owned(),
            Self::ControllerInactive(_) => "the controller is inactive".to_owned(),
            Self::UnknownAbility(_) => "the ability does not exist".to_owned(),
            Self::NotGranted => "the controller does not have it (any more)".to_owned(),
            Self::AlreadyActive => "it is active already".to_owned(),
            Self::NoAvatar => "it requires an avatar, and the controller has none".to_owned(),
            Self::BlockedByAbility { tag, by, effect } => {
                let ability = by.and_then(|by| simulation.ability(by));
                let ability = ability.map(|granted| catalog.ability_name(granted.ability()));
                let effect = effect.and_then(|effect| simulation.effect(effect));
                let effect = effect.map(|active| simulation.effect_name(active.effect()));
                let by = ability.or(effect).unwrap_or("another ability");
                format!("`{by}` blocks abilities with `{}`", catalog.tag_name(*tag))
            }
            Self::MissingTag { party, tag } => format!("the {party} lacks `{}`", catalog.tag_name(*tag)),
            Self::BlockedTag { party, tag } => format!("the {party} has `{}`", catalog.tag_name(*tag)),
            Self::OnCooldown { tag, remaining } => match remaining {
                Some(remaining) => format!(
                    "it is on cooldown for another {} s (`{}`)",
                    remaining.as_seconds(),
                    catalog.tag_name(*tag)
                ),
                None => format!("it is on cooldown (`{}`)", catalog.tag_name(*tag)),
            },
            Self::CannotAfford { attribute, would_be, minimum } => format!(
                "`{}` would be {would_be} and must not fall below {minimum}",
                catalog.attribute_name(*attribute)
            ),
            Self::EffectRefused(reason) => {
                format!("its cost or cooldown cannot be applied: {}", reason.describe(simulation))
            }
            Self::NoCharges => "all charges are used".to_owned(),
            Self::OutOfRange => "the target is too far away".to_owned(),
            Self::NotAuthorised => "only the authority may activate it".to_owned(),
            Self::NotPredicted => "a client does not predict it, the authority will decide".to_owned(),
            Self::ClientOnly => "it runs on clients only".to_owned(),
            Self::LimitReached(limit) => limit.to_string(),
        }
    }
}

/// A refused activation or commit; nothing has changed. Cheap to clone: the caller shares it with its event.
#[derive(Clone, PartialEq)]
pub struct ActivationRefusal(pub(crate) Arc<RefusedActivation>);

/// Contents of an [`ActivationRefusal`].
#[derive(Clone, PartialEq, Debug, Default)]
#[non_exhaustive]
pub struct RefusedActivation {
    /// The ability, if it exists.
    pub ability: Option<AbilityId>,
    /// Its owner, if known.
    pub controller: Option<ControllerId>,
    /// All reasons, in the order of A1. Never empty.
    pub reasons: Vec<ActivationReason>,
}

impl Deref for ActivationRefusal {
    type Target = RefusedActivation;

    fn deref(&self) -> &RefusedActivation {
        &self.0
    }
}

impl fmt::Debug for ActivationRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl ActivationRefusal {
    pub(crate) fn new(
        ability: Option<AbilityId>,
        controller: Option<ControllerId>,
        reasons: Vec<ActivationReason>,
    ) -> Self {
        Self(Arc::new(RefusedActivation { ability, controller, reasons }))
    }

    /// The first reason.
    pub fn reason(&self) -> &ActivationReason {
        self.reasons.first().unwrap_or(&ActivationReason::NotGranted)
    }

    /// The code of the first reason.
    pub fn code(&self) -> &'static str {
        self.reason().code()
    }

    /// All reasons as text.
    pub fn describe(&self, simulation: &Simulation) -> String {
        let name = self.ability.map_or("the ability", |ability| simulation.catalog().ability_name(ability));
        let reasons: Vec<String> = self.reasons.iter().map(|reason| reason.describe(simulation)).collect();
        format!("`{name}` cannot be activated: {}", reasons.join("; "))
    }
}

impl fmt::Display for ActivationRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the ability cannot be activated:")?;
        for reason in &self.reasons {
            write!(f, " {}", reason.code())?;
        }
        Ok(())
    }
}

impl core::error::Error for ActivationRefusal {}
