//! Refusals (I8): why an operation did not happen, as data.

use core::fmt;
use core::ops::{Deref, DerefMut};

use smallvec::SmallVec;

use crate::effect::calculation::CalculationError;
use crate::handle::{ActiveEffectId, ControllerId, GrantedAbilityId};
use crate::id::{AbilityId, AttributeId, CalculationId, CurveId, EffectId, TagId};
use crate::simulation::Simulation;
use crate::time::Span;

/// The controller whose tags a requirement checks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Party {
    /// The controller that causes the effect.
    Source,
    /// The controller that receives it.
    Target,
}

impl fmt::Display for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Source => "source",
            Self::Target => "target",
        })
    }
}

/// A count that reached its configured limit; see [`Config`](crate::simulation::Config).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Limit {
    /// Active effects on one controller.
    EffectsPerController,
    /// Controllers in the simulation.
    Controllers,
    /// Effects created at run time.
    RuntimeEffects,
    /// Abilities of one controller.
    AbilitiesPerController,
    /// Simultaneous activations of one controller.
    ActivationsPerController,
    /// Branches of one activation.
    Branches,
    /// Controllers spawned by tasks in one operation (A17).
    SpawnsPerOperation,
    /// Occurrences that one wait queues for later rounds.
    Occurrences,
    /// Stacks of one effect.
    Stacks,
    /// Inputs that one controller holds at once.
    InputsPerController,
    /// Targets of one activation.
    Targets,
    /// Set-by-caller magnitudes or tags of a spec or a grant.
    Extras,
    /// Bytes of a payload or a name.
    PayloadBytes,
    /// Minimum period.
    Period,
    /// Sequence numbers or tag counts, which no game exhausts.
    Counter,
}

impl fmt::Display for Limit {
    /// The counted thing and the setting with its limit.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, setting) = match self {
            Self::EffectsPerController => ("effects on one controller", "max_effects_per_controller"),
            Self::Controllers => ("controllers", "max_controllers"),
            Self::RuntimeEffects => ("effects created at run time", "max_runtime_effects"),
            Self::AbilitiesPerController => ("abilities of one controller", "max_abilities_per_controller"),
            Self::ActivationsPerController => {
                ("simultaneous activations of one controller", "max_activations_per_controller")
            }
            Self::Branches => ("branches of one activation", "max_branches_per_activation"),
            Self::SpawnsPerOperation => {
                ("controllers spawned by abilities in one operation", "max_spawns_per_operation")
            }
            Self::Occurrences => ("occurrences queued by one wait", "max_queued_occurrences"),
            Self::Stacks => ("stacks of one effect", "max_stacks"),
            Self::InputsPerController => ("inputs held at once", "max_inputs_per_controller"),
            Self::Targets => ("targets given from outside", "max_targets"),
            Self::Extras => ("magnitudes or tags of one spec or grant", "max_extras"),
            Self::PayloadBytes => ("bytes of a payload or a name", "max_payload_bytes"),
            Self::Period => return f.write_str("the period is shorter than `Config::min_period`"),
            Self::Counter => return f.write_str("a counter is exhausted"),
        };
        write!(f, "too many {what}: `Config::{setting}` is the limit")
    }
}

/// One value of a dependency cycle (B6).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CycleLink {
    /// The controller that has the attribute.
    pub controller: ControllerId,
    /// The attribute.
    pub attribute: AttributeId,
    /// Effect whose live magnitude reads the next value of the cycle; `None` for a bound or a derived
    /// attribute.
    pub by: Option<EffectId>,
}

/// How to break a dependency cycle.
const CYCLE_HELP: &str =
    "read the base (`AttributeCalculation: Base`) or freeze the value (`Capture: OnApplication`)";

/// The cycle as text: the values in order, with the first repeated at the end.
pub(crate) fn describe_cycle(chain: &[CycleLink], simulation: &Simulation) -> String {
    let mut text = String::new();
    for link in chain {
        text.push_str(&describe_link(link, simulation));
        match link.by {
            Some(effect) => text.push_str(&format!(" -[{}]-> ", simulation.effect_name(effect))),
            None => text.push_str(" -> "),
        }
    }
    text.extend(chain.first().map(|first| describe_link(first, simulation)));
    text
}

/// A link of a cycle as text: the attribute, its controller and the template of that.
fn describe_link(link: &CycleLink, simulation: &Simulation) -> String {
    let template = simulation.controller(link.controller).and_then(|controller| controller.template());
    let template = template.map(|template| format!(" ({})", simulation.catalog().template_name(template)));
    let attribute = simulation.catalog().attribute_name(link.attribute);
    format!("`{attribute}` of {:?}{}", link.controller, template.unwrap_or_default())
}

/// A reason why an application was refused, in the order of E1.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum RefusalReason {
    /// The target does not exist (any more).
    UnknownController(ControllerId),
    /// The controller is inactive (K1).
    ControllerInactive(ControllerId),
    /// The effect does not exist.
    UnknownEffect(EffectId),
    /// The ability does not exist.
    UnknownAbility(AbilityId),
    /// The ability is not granted (any more).
    UnknownGrant(GrantedAbilityId),
    /// The active effect does not exist (any more).
    UnknownHandle(ActiveEffectId),
    /// An instance of the effect is active.
    StillActive(ActiveEffectId),
    /// The tag does not exist.
    UnknownTag(TagId),
    /// The effect may be applied by the authority only (§13.7).
    AuthoritativeOnly,
    /// The ability in the context may not apply the effect (§13.7): neither its tasks, containers, cost and
    /// cooldown nor its list of allowed effects name it.
    NotAuthorised {
        /// The ability.
        ability: AbilityId,
    },
    /// A client leaves it to the authority, because it does not know enough or prediction is off (§13.7). Not
    /// a failure.
    NotPredicted,
    /// A `before_apply` hook refused, with its message.
    Hook(String),
    /// A required tag is missing.
    MissingTag {
        /// The party that lacks it.
        party: Party,
        /// The tag.
        tag: TagId,
    },
    /// A blocking tag is present.
    BlockedTag {
        /// The party that has it.
        party: Party,
        /// The tag.
        tag: TagId,
    },
    /// The application query does not match the target's tags.
    ApplicationQuery,
    /// The target has a tag that would remove the effect at once.
    WouldBeRemoved {
        /// The tag.
        tag: TagId,
    },
    /// An active effect makes the target immune.
    Immune {
        /// The effect that grants the immunity.
        by: ActiveEffectId,
    },
    /// The custom requirement is not met.
    RequirementFailed(CalculationId),
    /// The chance to apply failed.
    ChanceFailed,
    /// The stack is full.
    StackOverflow {
        /// The stack.
        stack: ActiveEffectId,
    },
    /// A live magnitude would make an attribute depend on itself (B6).
    CircularDependency {
        /// The values in order: each reads the next, and the last reads the first.
        chain: Box<[CycleLink]>,
    },
    /// The caller did not provide a magnitude (E9).
    MissingSetByCaller(TagId),
    /// An attribute that is read does not exist.
    MissingAttribute {
        /// The party that lacks it.
        party: Party,
        /// The attribute.
        attribute: AttributeId,
    },
    /// A parameter of an ability is read where there is no ability.
    MissingParameter,
    /// A number for a parameter that the definition fixes: it holds a tag or a text (A18).
    FixedParameter(String),
    /// A calculation that is neither registered nor defined.
    MissingCalculation(CalculationId),
    /// A curve that is neither registered nor defined.
    MissingCurve(CurveId),
    /// A calculation failed.
    CalculationFailed {
        /// The calculation.
        calculation: CalculationId,
        /// Its error.
        error: CalculationError,
    },
    /// A result would not be finite (V2).
    NonFinite {
        /// Index of the modifier in the effect, if a modifier caused it.
        modifier: Option<u16>,
        /// The attribute that would be affected, if there is one.
        attribute: Option<AttributeId>,
    },
    /// The period given with the application is not positive (E16).
    InvalidPeriod(Span),
    /// A task written in Rust failed.
    CustomTask,
    /// A limit is reached.
    LimitReached(Limit),
}

impl RefusalReason {
    /// The reason of one modifier: a number that is not finite is that of its attribute.
    pub(crate) fn of_modifier(self, modifier: u16, attribute: AttributeId) -> Self {
        match self {
            Self::NonFinite { .. } => {
                Self::NonFinite { modifier: Some(modifier), attribute: Some(attribute) }
            }
            reason => reason,
        }
    }

    /// The outcome code: stable, for tools and scenarios.
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnknownController(_) => "UnknownController",
            Self::ControllerInactive(_) => "ControllerInactive",
            Self::UnknownEffect(_) => "UnknownEffect",
            Self::UnknownAbility(_) => "UnknownAbility",
            Self::UnknownGrant(_) | Self::UnknownHandle(_) => "UnknownHandle",
            Self::UnknownTag(_) => "UnknownTag",
            Self::StillActive(_) => "StillActive",
            Self::AuthoritativeOnly => "AuthoritativeOnly",
            Self::NotAuthorised { .. } => "NotAuthorised",
            Self::NotPredicted => "NotPredicted",
            Self::Hook(_) => "RefusedByHook",
            Self::MissingTag { .. }
            | Self::BlockedTag { .. }
            | Self::ApplicationQuery
            | Self::WouldBeRemoved { .. } => "ApplicationRequirements",
            Self::Immune { .. } => "Immune",
            Self::RequirementFailed(_) => "RequirementFailed",
            Self::ChanceFailed => "ChanceFailed",
            Self::StackOverflow { .. } => "StackOverflow",
            Self::CircularDependency { .. } => "CircularDependency",
            Self::MissingSetByCaller(_) => "MissingSetByCaller",
            Self::MissingAttribute { .. } => "MissingAttribute",
            Self::MissingParameter => "MissingParameter",
            Self::FixedParameter(_) => "FixedParameter",
            Self::MissingCalculation(_) => "MissingCalculation",
            Self::MissingCurve(_) => "MissingCurve",
            Self::CalculationFailed { .. } => "CalculationFailed",
            Self::NonFinite { .. } => "NonFinite",
            Self::InvalidPeriod(_) => "InvalidPeriod",
            Self::CustomTask => "CustomTaskFailed",
            Self::LimitReached(_) => "LimitReached",
        }
    }

    /// The reason as text, with names instead of ids.
    pub fn describe(&self, simulation: &Simulation) -> String {
        let catalog = simulation.catalog();
        match self {
            Self::MissingTag { party, tag } => {
                format!("the {party} lacks `{}`", catalog.tag_name(*tag))
            }
            Self::BlockedTag { party, tag } => {
                format!("the {party} has `{}`", catalog.tag_name(*tag))
            }
            Self::NotAuthorised { ability } => {
                let name = catalog.ability_name(*ability);
                format!("the ability `{name}` may not apply it: name it in a task or in `AllowedEffects`")
            }
            Self::WouldBeRemoved { tag } => {
                format!("the target has `{}`, which would remove it at once", catalog.tag_name(*tag))
            }
            Self::Immune { by } => {
                let name = simulation.effect(*by).map(|active| simulation.effect_name(active.effect()));
                format!("`{}` makes the target immune", name.unwrap_or("an effect"))
            }
            Self::CircularDependency { chain } => format!(
                "a live magnitude would make an attribute depend on itself: {}; {CYCLE_HELP}",
                describe_cycle(chain, simulation)
            ),
            Self::MissingSetByCaller(tag) => format!(
                "the caller provided no number under `{}` and the magnitude has no default",
                catalog.tag_name(*tag)
            ),
            Self::MissingAttribute { party, attribute } => {
                format!("it reads `{}`, which the {party} does not have", catalog.attribute_name(*attribute))
            }
            Self::RequirementFailed(id) => {
                format!("the requirement `{}` is not met", catalog.calculation_name(*id))
            }
            Self::MissingCalculation(id) => {
                format!("the calculation `{}` is used but not provided", catalog.calculation_name(*id))
            }
            Self::MissingCurve(id) => {
                format!("the curve `{}` is used but not provided", catalog.curve_name(*id))
            }
            Self::CalculationFailed {
                calculation,
                error: CalculationError::UndeclaredCapture { attribute, from },
            } => format!(
                "the calculation `{}` reads `{}` of the {from:?}, which it did not declare as a capture",
                catalog.calculation_name(*calculation),
                catalog.attribute_name(*attribute)
            ),
            Self::CalculationFailed { calculation, error } => {
                format!("the calculation `{}` failed: {error}", catalog.calculation_name(*calculation))
            }
            Self::NonFinite { modifier, attribute: Some(attribute) } => format!(
                "the result would not be a finite number, in `{}`{}",
                catalog.attribute_name(*attribute),
                modifier.map(|modifier| format!(" by modifier {modifier}")).unwrap_or_default()
            ),
            other => other.to_string(),
        }
    }
}

impl fmt::Display for RefusalReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownController(id) => write!(f, "{id:?} does not exist"),
            Self::ControllerInactive(id) => write!(f, "{id:?} is inactive"),
            Self::UnknownEffect(id) => {
                write!(
                    f,
                    "{id:?} does not exist: it belongs to another catalog, was forgotten, or was undone by a restore"
                )
            }
            Self::UnknownAbility(id) => write!(f, "{id:?} does not exist"),
            Self::UnknownGrant(id) => write!(f, "{id:?} is not granted"),
            Self::UnknownHandle(id) => write!(f, "{id:?} is no longer active"),
            Self::UnknownTag(tag) => write!(f, "{tag:?} does not exist: it belongs to another catalog"),
            Self::StillActive(id) => write!(f, "{id:?} is still active: remove it first"),
            Self::AuthoritativeOnly => f.write_str("only the authority may apply it"),
            Self::NotAuthorised { ability } => write!(f, "{ability:?} may not apply it"),
            Self::NotPredicted => f.write_str("a client does not predict it, the authority will decide"),
            Self::Hook(reason) => f.write_str(reason),
            Self::MissingTag { party, tag } => write!(f, "the {party} lacks {tag:?}"),
            Self::BlockedTag { party, tag } => write!(f, "the {party} has {tag:?}"),
            Self::ApplicationQuery => {
                f.write_str("the application query does not hold over the target's tags")
            }
            Self::WouldBeRemoved { tag } => {
                write!(f, "the target has {tag:?}, which would remove it at once")
            }
            Self::Immune { by } => write!(f, "{by:?} makes the target immune"),
            Self::RequirementFailed(id) => write!(f, "the requirement {id:?} is not met"),
            Self::ChanceFailed => f.write_str("the dice say no"),
            Self::StackOverflow { stack } => write!(f, "the stack {stack:?} is full"),
            Self::CircularDependency { chain } => {
                f.write_str("a live magnitude would make an attribute depend on itself: ")?;
                for CycleLink { controller, attribute, .. } in chain.iter().chain(chain.first()) {
                    write!(f, "{attribute:?} of {controller:?}, ")?;
                }
                f.write_str(CYCLE_HELP)
            }
            Self::MissingSetByCaller(tag) => {
                write!(f, "the caller provided no number under {tag:?} and the magnitude has no default")
            }
            Self::MissingAttribute { party, attribute } => {
                write!(f, "it reads {attribute:?}, which the {party} does not have")
            }
            Self::MissingParameter => f.write_str("it reads a parameter that the ability does not have"),
            Self::FixedParameter(name) => {
                write!(f, "the parameter `{name}` holds a tag or a text, which is fixed by the definition")
            }
            Self::MissingCalculation(id) => {
                write!(f, "{id:?} is used but not provided: register it or define it")
            }
            Self::MissingCurve(id) => write!(f, "{id:?} is used but not provided: register it or define it"),
            Self::CalculationFailed { calculation, error } => write!(f, "{calculation:?} failed: {error}"),
            Self::NonFinite { modifier, attribute } => {
                f.write_str("the result would not be a finite number")?;
                if let Some(modifier) = modifier {
                    write!(f, ", by modifier {modifier}")?;
                }
                if let Some(attribute) = attribute {
                    write!(f, ", in {attribute:?}")?;
                }
                Ok(())
            }
            Self::InvalidPeriod(period) => {
                write!(f, "the period given is {} s and must be greater than zero", period.as_seconds())
            }
            Self::CustomTask => f.write_str("the custom task failed"),
            Self::LimitReached(limit) => limit.fmt(f),
        }
    }
}

/// A refused application: nothing changed, and these are the reasons (E1, I8).
#[derive(Clone, PartialEq, Debug)]
pub struct Refusal {
    /// The effect.
    pub effect: EffectId,
    /// The controller it should have been applied to.
    pub target: ControllerId,
    /// All reasons that were found, in the order of E1; never empty.
    pub reasons: Reasons,
}

/// Reasons of a [`Refusal`], usually one: a slice.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Reasons(SmallVec<[RefusalReason; 1]>);

impl Reasons {
    pub(crate) fn push(&mut self, reason: RefusalReason) {
        self.0.push(reason);
    }

    /// The first reason.
    pub(crate) fn into_first(self) -> RefusalReason {
        let first = self.0.into_iter().next();
        first.unwrap_or(RefusalReason::NonFinite { modifier: None, attribute: None })
    }
}

impl From<RefusalReason> for Reasons {
    fn from(reason: RefusalReason) -> Self {
        Self(SmallVec::from_buf([reason]))
    }
}

impl Deref for Reasons {
    type Target = [RefusalReason];

    fn deref(&self) -> &[RefusalReason] {
        &self.0
    }
}

impl DerefMut for Reasons {
    fn deref_mut(&mut self) -> &mut [RefusalReason] {
        &mut self.0
    }
}

impl<'a> IntoIterator for &'a Reasons {
    type Item = &'a RefusalReason;
    type IntoIter = core::slice::Iter<'a, RefusalReason>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl Refusal {
    pub(crate) fn new(effect: EffectId, target: ControllerId, reason: RefusalReason) -> Self {
        Self { effect, target, reasons: reason.into() }
    }

    /// The code of the first reason.
    pub fn code(&self) -> &'static str {
        self.reasons.first().map_or("Ok", RefusalReason::code)
    }

    /// The refusal as text, with names instead of ids.
    pub fn describe(&self, simulation: &Simulation) -> String {
        let mut text = match simulation.effect_definition(self.effect) {
            Some(effect) => format!("`{}` was refused", effect.name()),
            None => "an unknown effect was refused".to_owned(),
        };
        for (at, reason) in self.reasons.iter().enumerate() {
            text.push_str(if at == 0 { ": " } else { "; " });
            text.push_str(&reason.describe(simulation));
        }
        text
    }
}

impl std::error::Error for RefusalReason {}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} on {:?} was refused", self.effect, self.target)?;
        for (at, reason) in self.reasons.iter().enumerate() {
            write!(f, "{}{reason}", if at == 0 { ": " } else { "; " })?;
        }
        Ok(())
    }
}

impl std::error::Error for Refusal {}
