//! Effect definitions (§9.1). Names are text; the catalog resolves them.

use super::magnitude::{CaptureFrom, MagnitudeDef};
use super::stacking::{ExecutionPolicy, PeriodicInhibition, StackingDef};
use crate::attribute::Metadata;
use crate::codec::StateRecord;
use crate::modifier::{ModifierDef, Operation, TagRequirementDef};
use crate::prediction::{Prediction, Randomness};
use crate::time::Span;

/// Duration of an effect (§9.2).
#[derive(Clone, PartialEq, Debug, Default, StateRecord)]
pub enum DurationDef {
    /// It changes base values at once and does not stay.
    #[default]
    Instant,
    /// It ends by itself after this many seconds.
    HasDuration(MagnitudeDef),
    /// It stays until it is removed.
    Infinite,
}

/// Repeated execution (§9.3).
#[derive(Clone, Copy, PartialEq, Debug, StateRecord)]
pub struct PeriodDef {
    /// Time between executions.
    pub period: Span,
    /// Whether it also executes when it is applied.
    pub execute_on_application: bool,
}

/// A nested tag query (T4).
#[derive(Clone, PartialEq, Eq, Debug, Default, StateRecord)]
pub struct TagQueryDef {
    /// All of these must match.
    pub all: Vec<TagQueryItemDef>,
    /// At least one of these must match; an empty list matches.
    pub any: Vec<TagQueryItemDef>,
    /// None of these may match.
    pub none: Vec<TagQueryItemDef>,
}

impl TagQueryDef {
    /// Whether it has no conditions.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty() && self.any.is_empty() && self.none.is_empty()
    }
}

/// One item of a [`TagQueryDef`].
#[derive(Clone, PartialEq, Eq, Debug, StateRecord)]
pub enum TagQueryItemDef {
    /// The tag or a descendant is present.
    Tag(String),
    /// The nested query matches.
    Query(TagQueryDef),
}

/// Target of a scoped modifier of an execution.
#[derive(Clone, PartialEq, Debug, StateRecord)]
pub enum ScopedTargetDef {
    /// A captured attribute, for this execution only.
    Attribute {
        /// Its name.
        name: String,
        /// The controller it is captured from.
        from: CaptureFrom,
    },
    /// A transient variable, which starts at 0 and is read by name.
    Variable(String),
}

/// A modifier that counts only inside one execution (GASD §4.5.12.1).
#[derive(Clone, PartialEq, Debug, StateRecord)]
pub struct ScopedModifierDef {
    /// The attribute or variable it changes.
    pub target: ScopedTargetDef,
    /// Its operation.
    pub operation: Operation,
    /// Its magnitude.
    pub magnitude: MagnitudeDef,
}

/// A calculation that an effect executes (§9.5).
#[derive(Clone, PartialEq, Debug, Default, StateRecord)]
pub struct ExecutionDef {
    /// Name of the calculation.
    pub calculation: String,
    /// Modifiers of its inputs.
    pub modifiers: Vec<ScopedModifierDef>,
}

/// Effects applied when an effect ends (E10).
#[derive(Clone, PartialEq, Eq, Debug, Default, StateRecord)]
pub struct ExpirationEffectsDef {
    /// When its duration ends.
    pub routine: Vec<String>,
    /// When it is removed early.
    pub premature: Vec<String>,
    /// In either case.
    pub always: Vec<String>,
}

/// Recipient of an additional effect.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, StateRecord)]
pub enum AdditionalTo {
    /// The target of the effect.
    #[default]
    Target,
    /// Its source.
    Source,
}

/// An effect applied along with another, under conditions.
#[derive(Clone, PartialEq, Debug, StateRecord)]
pub struct AdditionalEffectDef {
    /// Name of the effect.
    pub effect: String,
    /// Its recipient.
    pub to: AdditionalTo,
    /// Tags that the source must and must not have.
    pub source_tags: TagRequirementDef,
    /// Tags that the target must and must not have.
    pub target_tags: TagRequirementDef,
    /// Context tags that the application must and must not have (E14).
    #[state(since = 4)]
    pub context_tags: TagRequirementDef,
    /// Set-by-caller magnitudes of the additional effect: a tag and an expression each, evaluated with source
    /// and target of the parent after it executed (E15).
    #[state(since = 4)]
    pub set_by_caller: Vec<(String, String)>,
}

impl AdditionalEffectDef {
    /// An unconditional additional effect on the target.
    pub fn new(effect: impl Into<String>) -> Self {
        Self {
            effect: effect.into(),
            to: AdditionalTo::Target,
            source_tags: TagRequirementDef::default(),
            target_tags: TagRequirementDef::default(),
            context_tags: TagRequirementDef::default(),
            set_by_caller: Vec::new(),
        }
    }

    /// Adds a set-by-caller magnitude, from an expression over source and target of the parent (E15).
    #[must_use]
    pub fn passing(mut self, tag: impl Into<String>, expression: impl Into<String>) -> Self {
        self.set_by_caller.push((tag.into(), expression.into()));
        self
    }
}

/// Handling of an ability when the effect that granted it ends (A8).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, StateRecord)]
pub enum AbilityRemoval {
    /// It is cancelled and revoked.
    #[default]
    CancelImmediately,
    /// It is revoked when it ends by itself.
    RemoveOnEnd,
    /// It stays.
    Keep,
}

/// An ability granted while an effect is active (§9.8).
#[derive(Clone, PartialEq, Debug, StateRecord)]
pub struct AbilityGrantDef {
    /// Name of the ability.
    pub ability: String,
    /// Its level.
    pub level: u32,
    /// Input that it is bound to.
    pub input: Option<String>,
    /// Handling of the ability when the effect ends.
    pub removal: AbilityRemoval,
    /// Whether it is activated at once.
    pub activate_on_grant: bool,
    /// Whether it is active from the start, without a commit; for templates (K1).
    #[state(since = 4)]
    pub is_active: bool,
    /// Tags that describe the granted ability, in addition to those of its definition (E13).
    #[state(since = 4)]
    pub dynamic_tags: Vec<String>,
}

impl AbilityGrantDef {
    /// A grant of `ability` at level 1, revoked with the effect.
    pub fn new(ability: impl Into<String>) -> Self {
        Self {
            ability: ability.into(),
            level: 1,
            input: None,
            removal: AbilityRemoval::default(),
            activate_on_grant: false,
            is_active: false,
            dynamic_tags: Vec::new(),
        }
    }
}

/// Tag of effects that only the authority may apply (§13.7).
pub const AUTHORITATIVE_ONLY: &str = "Gameplay.Effect.AuthoritativeOnly";

/// The definition of an effect (§9.1). Everything but the name and the duration is optional.
///
/// ```
/// use ugas_core::effect::EffectDef;
/// use ugas_core::modifier::Operation;
///
/// // §9.3: five damage a second, for ten seconds.
/// let poison = EffectDef::lasting("GE_Poison", 10.0)
///     .every(1.0)
///     .modify("Health", Operation::Add, -5.0)
///     .granting("State.Debuff.Poisoned");
/// assert_eq!(poison.modifiers.len(), 1);
/// ```
#[derive(Clone, PartialEq, Debug, Default, StateRecord)]
pub struct EffectDef {
    /// Name, unique in the catalog.
    pub name: String,
    /// Duration.
    pub duration: DurationDef,
    /// Repeated execution.
    pub period: Option<PeriodDef>,
    /// How several instances interact.
    pub policy: ExecutionPolicy,
    /// Rank among overrides (§5.3, M4).
    pub priority: i32,
    /// Attribute changes.
    pub modifiers: Vec<ModifierDef>,
    /// Calculations.
    pub executions: Vec<ExecutionDef>,
    /// Tags the target has while the effect is active (§9.7).
    pub granted_tags: Vec<String>,
    /// Tags that describe the effect and match queries.
    pub asset_tags: Vec<String>,
    /// The target must have all of these.
    pub application_required_tags: Vec<String>,
    /// The target must have none of these.
    pub application_blocked_tags: Vec<String>,
    /// The source must have all of these.
    pub source_required_tags: Vec<String>,
    /// The source must have none of these.
    pub source_blocked_tags: Vec<String>,
    /// Must match the target's tags.
    pub application_query: TagQueryDef,
    /// While the target lacks one of these, the effect is inhibited (E7).
    pub ongoing_required_tags: Vec<String>,
    /// While the target has one of these, the effect is inhibited (E7).
    pub ongoing_blocked_tags: Vec<String>,
    /// The effect is removed as soon as the target has one of these, and refused if it already has.
    pub remove_on_tags: Vec<String>,
    /// On success, removes the target's other effects that have one of these asset or granted tags.
    pub remove_effects_with_tags: Vec<String>,
    /// While active, refuses effects whose asset or granted tags, or whose source's tags, match.
    pub immunity_tags: Vec<String>,
    /// While active, refuses effects whose tags and source's tags match. An empty query refuses nothing.
    pub immunity_query: TagQueryDef,
    /// While active, abilities with these tags cannot be activated.
    pub block_abilities_with_tags: Vec<String>,
    /// On application, active abilities with these tags are cancelled.
    pub cancel_abilities_with_tags: Vec<String>,
    /// Probability that an application succeeds, 0 to 1.
    pub chance: Option<MagnitudeDef>,
    /// Calculation whose result must be non-zero for an application.
    pub requirement: Option<String>,
    /// How an inhibition affects the period.
    pub periodic_inhibition: PeriodicInhibition,
    /// Stacking rules (E5).
    pub stacking: Option<StackingDef>,
    /// Effects applied when it ends.
    pub expiration_effects: ExpirationEffectsDef,
    /// Effects applied along with it.
    pub additional_effects: Vec<AdditionalEffectDef>,
    /// Abilities granted while it is active.
    pub granted_abilities: Vec<AbilityGrantDef>,
    /// Cues (§9.7, E11).
    pub cues: Vec<String>,
    /// Attribute whose modifier is the magnitude of cues.
    pub cue_magnitude: Option<String>,
    /// How far a client predicts it; `None` for the default rule (§13.7).
    #[state(since = 2)]
    pub prediction: Option<Prediction>,
    /// Which side rolls its dice.
    #[state(since = 2)]
    pub randomness: Randomness,
    /// Text for people; no rule reads it.
    pub metadata: Metadata,
}

impl EffectDef {
    /// An effect that changes base values at once (§9.2).
    pub fn instant(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// An effect that lasts for a number of seconds, fixed or computed.
    pub fn lasting(name: impl Into<String>, seconds: impl Into<MagnitudeDef>) -> Self {
        Self { duration: DurationDef::HasDuration(seconds.into()), ..Self::instant(name) }
    }

    /// An effect that stays until it is removed.
    pub fn infinite(name: impl Into<String>) -> Self {
        Self { duration: DurationDef::Infinite, ..Self::instant(name) }
    }

    /// Executes every `seconds`, first one period after the application (§9.3, E3).
    #[must_use]
    pub fn every(mut self, seconds: f64) -> Self {
        self.period = Some(PeriodDef { period: Span::seconds(seconds), execute_on_application: false });
        self
    }

    /// Also executes when it is applied; call it after [`every`](Self::every).
    #[must_use]
    pub fn executing_on_application(mut self) -> Self {
        if let Some(period) = &mut self.period {
            period.execute_on_application = true;
        }
        self
    }

    /// Adds a plain modifier.
    #[must_use]
    pub fn modify(
        self,
        attribute: impl Into<String>,
        operation: Operation,
        magnitude: impl Into<MagnitudeDef>,
    ) -> Self {
        self.with(ModifierDef::new(attribute, operation, magnitude))
    }

    /// Adds a modifier.
    #[must_use]
    pub fn with(mut self, modifier: ModifierDef) -> Self {
        self.modifiers.push(modifier);
        self
    }

    /// Executes a calculation.
    #[must_use]
    pub fn executing(mut self, calculation: impl Into<String>) -> Self {
        self.executions.push(ExecutionDef { calculation: calculation.into(), modifiers: Vec::new() });
        self
    }

    /// Grants a tag while active.
    #[must_use]
    pub fn granting(mut self, tag: impl Into<String>) -> Self {
        self.granted_tags.push(tag.into());
        self
    }

    /// Adds a tag that describes the effect.
    #[must_use]
    pub fn tagged(mut self, tag: impl Into<String>) -> Self {
        self.asset_tags.push(tag.into());
        self
    }

    /// Adds a cue.
    #[must_use]
    pub fn cue(mut self, tag: impl Into<String>) -> Self {
        self.cues.push(tag.into());
        self
    }

    /// Sets the rank among overrides.
    #[must_use]
    pub fn priority(mut self, priority: i32) -> Self {
        self.priority = priority;
        self
    }

    /// Sets how several instances interact.
    #[must_use]
    pub fn policy(mut self, policy: ExecutionPolicy) -> Self {
        self.policy = policy;
        self
    }

    /// Applies only to targets with this tag.
    #[must_use]
    pub fn requires(mut self, tag: impl Into<String>) -> Self {
        self.application_required_tags.push(tag.into());
        self
    }

    /// Applies only to targets without this tag.
    #[must_use]
    pub fn blocked_by(mut self, tag: impl Into<String>) -> Self {
        self.application_blocked_tags.push(tag.into());
        self
    }

    /// Is inhibited while the target lacks this tag (E7).
    #[must_use]
    pub fn while_target_has(mut self, tag: impl Into<String>) -> Self {
        self.ongoing_required_tags.push(tag.into());
        self
    }

    /// Is inhibited while the target has this tag (E7).
    #[must_use]
    pub fn while_target_lacks(mut self, tag: impl Into<String>) -> Self {
        self.ongoing_blocked_tags.push(tag.into());
        self
    }

    /// Is removed as soon as the target has this tag, and refused if it already has.
    #[must_use]
    pub fn removed_on(mut self, tag: impl Into<String>) -> Self {
        self.remove_on_tags.push(tag.into());
        self
    }

    /// On success, removes the target's other effects with this asset or granted tag.
    #[must_use]
    pub fn removing(mut self, tag: impl Into<String>) -> Self {
        self.remove_effects_with_tags.push(tag.into());
        self
    }

    /// While active, refuses effects with this tag, and effects whose source has it.
    #[must_use]
    pub fn immune_to(mut self, tag: impl Into<String>) -> Self {
        self.immunity_tags.push(tag.into());
        self
    }

    /// Applies another effect along with it.
    #[must_use]
    pub fn also(mut self, additional: AdditionalEffectDef) -> Self {
        self.additional_effects.push(additional);
        self
    }

    /// Applies another effect when its duration ends.
    #[must_use]
    pub fn then(mut self, effect: impl Into<String>) -> Self {
        self.expiration_effects.routine.push(effect.into());
        self
    }

    /// Applies with this probability only, 0 to 1.
    #[must_use]
    pub fn with_chance(mut self, chance: impl Into<MagnitudeDef>) -> Self {
        self.chance = Some(chance.into());
        self
    }

    /// Applies only if the result of this calculation is non-zero.
    #[must_use]
    pub fn with_requirement(mut self, calculation: impl Into<String>) -> Self {
        self.requirement = Some(calculation.into());
        self
    }

    /// Grants an ability while active (§9.8).
    #[must_use]
    pub fn granting_ability(mut self, grant: AbilityGrantDef) -> Self {
        self.granted_abilities.push(grant);
        self
    }

    /// Sets how far a client predicts it.
    #[must_use]
    pub fn predicted(mut self, prediction: Prediction) -> Self {
        self.prediction = Some(prediction);
        self
    }

    /// Sets which side rolls its dice.
    #[must_use]
    pub fn randomness(mut self, randomness: Randomness) -> Self {
        self.randomness = randomness;
        self
    }

    /// Sets the stacking rules.
    #[must_use]
    pub fn stacking(mut self, stacking: StackingDef) -> Self {
        self.stacking = Some(stacking);
        self
    }
}
