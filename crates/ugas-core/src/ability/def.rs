//! Ability definitions (§8.1, §8.7).

use super::parameter::ParameterDef;
use crate::attribute::Metadata;
use crate::codec::StateRecord;
use crate::prediction::{Prediction, Randomness};
use crate::targeting::TargetingDef;
use crate::task::{NumberDef, TaskDef};
use crate::time::Span;

/// How many activations of an ability one controller can have at once (A7).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, StateRecord)]
pub enum Instancing {
    /// One: it can be activated again after it has ended.
    #[default]
    PerActor,
    /// Any number, each with its own state.
    PerExecution,
    /// None that lasts: it completes at once and may not wait for anything.
    None,
}

/// Condition on the tag of a trigger (A7).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, StateRecord)]
pub enum TriggerOn {
    /// A gameplay event with the tag or one below it.
    #[default]
    Event,
    /// The tag appears on the owner.
    TagAdded,
    /// The tag is on the owner: the ability is activated with it, and cancelled when the tag is removed.
    TagPresent,
}

/// A condition that activates an ability by itself (A7).
#[derive(Clone, PartialEq, Eq, Debug, StateRecord)]
pub struct TriggerDef {
    /// The tag of the event, or the tag that is watched.
    pub tag: String,
    /// The condition on the tag.
    pub on: TriggerOn,
}

/// Charges: uses that recharge one after the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug, StateRecord)]
pub struct ChargesDef {
    /// Maximum number of charges.
    pub max: u32,
    /// Time to recharge one.
    pub recharge: Span,
}

/// Where an ability runs in a networked game (§13.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, StateRecord)]
pub enum NetExecution {
    /// On the client at once, confirmed by the server.
    #[default]
    LocalPredicted,
    /// On the client only. A game without a network is its own client and runs it.
    LocalOnly,
    /// On the server only.
    ServerOnly,
    /// Begun by the server, run on both.
    ServerInitiated,
}

/// Which side may start and end an ability in a networked game (§13.7).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, StateRecord)]
pub enum NetSecurity {
    /// A client may start it, and end what it started if the ability is
    /// [`LocalPredicted`](NetExecution::LocalPredicted).
    #[default]
    ByExecution,
    /// Client and server may start and end it.
    #[state(tag = 4)]
    ClientOrServer,
    /// Only the server may start it.
    #[state(tag = 1)]
    ServerOnlyExecution,
    /// Only the server may end it.
    ServerOnlyTermination,
    /// Only the server may start or end it.
    ServerOnly,
}

impl NetSecurity {
    /// Whether a server starts the ability at a client's request (GASD §4.6.16).
    pub const fn client_may_begin(self) -> bool {
        matches!(self, Self::ByExecution | Self::ClientOrServer | Self::ServerOnlyTermination)
    }

    /// Whether a server ends or cancels the ability at a client's request (GASD §4.6.16): what the policy
    /// says, or by default whether the ability is predicted.
    pub const fn client_may_end(self, execution: NetExecution) -> bool {
        match self {
            Self::ByExecution => matches!(execution, NetExecution::LocalPredicted),
            Self::ClientOrServer | Self::ServerOnlyExecution => true,
            Self::ServerOnlyTermination | Self::ServerOnly => false,
        }
    }
}

/// The definition of an ability (§8.1). Everything but the name is optional.
///
/// ```
/// use ugas_core::ability::AbilityDef;
/// use ugas_core::task::TaskDef;
///
/// // §14.3: pay, wait for the cast, burn.
/// let fireball = AbilityDef::new("GA_Fireball")
///     .tagged("Ability.Type.Spell")
///     .owning("State.Casting")
///     .blocked_by("State.Silenced")
///     .cost("GE_Fireball_Cost")
///     .cooldown("GE_Fireball_Cooldown")
///     .task(TaskDef::wait(1.5))
///     .task(TaskDef::apply_to_target("GE_FireballDamage"));
/// assert_eq!(fireball.tasks.len(), 2);
/// ```
#[derive(Clone, PartialEq, Debug, Default, StateRecord)]
pub struct AbilityDef {
    /// Name, unique in the catalog.
    pub name: String,
    /// Tags that describe it (§8.1).
    pub tags: Vec<String>,
    /// Tags on the owner that block activation (`BlockedByTags`).
    pub blocked_by_tags: Vec<String>,
    /// While it is active, abilities with these tags cannot be activated.
    pub block_abilities_with_tags: Vec<String>,
    /// A4: on activation, active abilities with these tags are cancelled; and it is cancelled itself when an effect
    /// grants its owner one of them.
    pub cancel_abilities_with_tags: Vec<String>,
    /// Tags that the owner must have for activation.
    pub activation_required_tags: Vec<String>,
    /// Tags that the owner must not have for activation.
    pub activation_blocked_tags: Vec<String>,
    /// Tags granted to the owner from commit to end (§8.4).
    pub activation_owned_tags: Vec<String>,
    /// Tags that the source of a triggering event must have.
    pub source_required_tags: Vec<String>,
    /// Tags that the source of a triggering event must not have.
    pub source_blocked_tags: Vec<String>,
    /// Tags that the target must have.
    pub target_required_tags: Vec<String>,
    /// Tags that the target must not have.
    pub target_blocked_tags: Vec<String>,
    /// Effect that is paid on commit (§8.5).
    pub cost: Option<String>,
    /// Effect whose granted tags put it on cooldown (§8.5).
    pub cooldown: Option<String>,
    /// Tags that the cooldown grants in addition to those of its effect, so that abilities can share one
    /// effect but have separate cooldowns (GASD §4.5.15).
    pub cooldown_tags: Vec<String>,
    /// Set-by-caller magnitudes for every effect that the ability applies, its cost and cooldown included, so
    /// that abilities can share effects (GASD §4.5.14).
    pub set_by_caller: Vec<(String, NumberDef)>,
    /// Parameters by name (A18). Each grant starts with a copy of the numbers and booleans.
    pub parameters: Vec<(String, ParameterDef)>,
    /// How many activations there can be at once.
    pub instancing: Instancing,
    /// Whether activating it while it is active restarts it.
    pub retrigger: bool,
    /// Whether it is activated as soon as it is granted: a passive ability.
    pub activate_on_grant: bool,
    /// Whether it continues when its owner dies (A4).
    #[state(since = 4)]
    pub survives_death: bool,
    /// Whether its owner needs an avatar (A15): without one it cannot be activated, and it is cancelled when
    /// the avatar is removed.
    #[state(since = 4)]
    pub requires_avatar: bool,
    /// Conditions that activate it by themselves.
    pub triggers: Vec<TriggerDef>,
    /// Charges that recharge.
    pub charges: Option<ChargesDef>,
    /// Largest distance of the target from the owner; 0 for no limit.
    pub max_range: Option<f64>,
    /// Where it runs in a networked game.
    pub net_execution: NetExecution,
    /// Which side may start and end it.
    pub net_security: NetSecurity,
    /// Targets that an activation may have. A server enforces it on the target data of clients (§13.7);
    /// without one a client may name a single target. With
    /// [`Shape::Chain`](crate::targeting::Shape::Chain), `ApplyEffectToTarget` goes from target to target and
    /// applies its effect to each, in order.
    #[state(since = 4)]
    pub targeting: Option<TargetingDef>,
    /// How far a client predicts it; `None` for the default rule.
    #[state(since = 2)]
    pub prediction: Option<Prediction>,
    /// Which side rolls the dice of its tasks.
    #[state(since = 2)]
    pub randomness: Randomness,
    /// Effects that it may apply in addition to those that its tasks name (§13.7).
    pub allowed_effects: Vec<String>,
    /// Its tasks, in order (§10). The ability ends after the last.
    pub tasks: Vec<TaskDef>,
    /// Text for people; no rule reads it.
    pub metadata: Metadata,
}

impl AbilityDef {
    /// An ability called `name`.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Adds a tag that describes it.
    #[must_use]
    pub fn tagged(mut self, tag: impl Into<String>) -> Self {
        self.tags.push(tag.into());
        self
    }

    /// Adds a tag that the owner must have for activation.
    #[must_use]
    pub fn requires(mut self, tag: impl Into<String>) -> Self {
        self.activation_required_tags.push(tag.into());
        self
    }

    /// Adds a tag that the owner must not have for activation.
    #[must_use]
    pub fn blocked_by(mut self, tag: impl Into<String>) -> Self {
        self.activation_blocked_tags.push(tag.into());
        self
    }

    /// Adds a tag that the owner has while the ability is active and committed.
    #[must_use]
    pub fn owning(mut self, tag: impl Into<String>) -> Self {
        self.activation_owned_tags.push(tag.into());
        self
    }

    /// While it is active, abilities with this tag cannot be activated.
    #[must_use]
    pub fn blocks(mut self, tag: impl Into<String>) -> Self {
        self.block_abilities_with_tags.push(tag.into());
        self
    }

    /// Cancels active abilities with this tag, and is cancelled by an effect that grants it (A4).
    #[must_use]
    pub fn cancels(mut self, tag: impl Into<String>) -> Self {
        self.cancel_abilities_with_tags.push(tag.into());
        self
    }

    /// Sets the effect that is paid on commit.
    #[must_use]
    pub fn cost(mut self, effect: impl Into<String>) -> Self {
        self.cost = Some(effect.into());
        self
    }

    /// Sets the effect whose granted tags put it on cooldown.
    #[must_use]
    pub fn cooldown(mut self, effect: impl Into<String>) -> Self {
        self.cooldown = Some(effect.into());
        self
    }

    /// Adds a set-by-caller magnitude for every effect that the ability applies.
    #[must_use]
    pub fn with_magnitude(mut self, tag: impl Into<String>, value: impl Into<NumberDef>) -> Self {
        self.set_by_caller.push((tag.into(), value.into()));
        self
    }

    /// Adds a parameter (A18): a number or a boolean that each grant starts with, a tag, or a text for the
    /// host.
    #[must_use]
    pub fn with_parameter(mut self, name: impl Into<String>, value: impl Into<ParameterDef>) -> Self {
        self.parameters.push((name.into(), value.into()));
        self
    }

    /// Sets how many activations there can be at once.
    #[must_use]
    pub fn instancing(mut self, instancing: Instancing) -> Self {
        self.instancing = instancing;
        self
    }

    /// Lets an activation while it is active restart it.
    #[must_use]
    pub fn retriggered(mut self) -> Self {
        self.retrigger = true;
        self
    }

    /// Activates it as soon as it is granted.
    #[must_use]
    pub fn passive(mut self) -> Self {
        self.activate_on_grant = true;
        self
    }

    /// Lets it continue when its owner dies (A4).
    #[must_use]
    pub fn surviving_death(mut self) -> Self {
        self.survives_death = true;
        self
    }

    /// Requires an avatar of its owner (A15).
    #[must_use]
    pub fn requiring_avatar(mut self) -> Self {
        self.requires_avatar = true;
        self
    }

    /// Adds a trigger that activates it.
    #[must_use]
    pub fn triggered(mut self, on: TriggerOn, tag: impl Into<String>) -> Self {
        self.triggers.push(TriggerDef { tag: tag.into(), on });
        self
    }

    /// Sets charges that recharge one after the other.
    #[must_use]
    pub fn charges(mut self, max: u32, recharge_seconds: f64) -> Self {
        self.charges = Some(ChargesDef { max, recharge: Span::seconds(recharge_seconds) });
        self
    }

    /// Sets the largest distance of the target.
    #[must_use]
    pub fn max_range(mut self, range: f64) -> Self {
        self.max_range = Some(range);
        self
    }

    /// Sets the targets that an activation may have.
    #[must_use]
    pub fn targeting(mut self, targeting: TargetingDef) -> Self {
        self.targeting = Some(targeting);
        self
    }

    /// Sets where it runs in a networked game.
    #[must_use]
    pub fn net_execution(mut self, net_execution: NetExecution) -> Self {
        self.net_execution = net_execution;
        self
    }

    /// Sets how far a client predicts it.
    #[must_use]
    pub fn predicted(mut self, prediction: Prediction) -> Self {
        self.prediction = Some(prediction);
        self
    }

    /// Sets which side rolls the dice of its tasks.
    #[must_use]
    pub fn randomness(mut self, randomness: Randomness) -> Self {
        self.randomness = randomness;
        self
    }

    /// Adds a task.
    #[must_use]
    pub fn task(mut self, task: TaskDef) -> Self {
        self.tasks.push(task);
        self
    }
}
