//! Active effects of a character.

use std::sync::Arc;

use crate::codec::StateRecord;
use crate::effect::magnitude::{AttributeCalculation, CaptureFrom};
use crate::effect::{EffectDef, EffectStatus, HitResult, RawPayload, Vector3};
use crate::id::ActorId;
use crate::time::Span;

/// An active effect of a character (§9.9).
#[derive(Clone, PartialEq, Debug, StateRecord)]
pub struct CharacterEffect {
    /// Its name.
    pub effect: String,
    /// Its definition, if it was created at run time and is in no catalog.
    pub definition: Option<Arc<EffectDef>>,
    /// Hash of the definition and of the curves and calculations that it uses (P6); `None` if it is not
    /// known.
    pub rules: Option<u64>,
    /// Its position among all effects and abilities of the character, by creation: orders modifiers (M10) and
    /// timers (V4).
    pub order: u32,
    /// Its position among the effects by latest application, stacks and merges included: breaks ties among
    /// overrides (M4).
    pub recency: u32,
    /// Its level.
    pub level: f64,
    /// Stack count.
    pub stacks: u32,
    /// Whether it runs or is queued (E4).
    pub status: EffectStatus,
    /// Whether its ongoing requirements fail (E7).
    pub inhibited: bool,
    /// Total and remaining duration.
    pub lifetime: Lifetime,
    /// State of its period, if it has one.
    pub phase: Option<Phase>,
    /// The controller that caused it (P5).
    pub instigator: Instigator,
    /// The last known state of an instigator that is another controller (M5).
    pub remembered: Option<RememberedSource>,
    /// The ability that applied it.
    pub ability: Option<AbilityReference>,
    /// The actor that physically caused it.
    pub causer: Option<ActorId>,
    /// The object it originated from.
    pub source_object: Option<ActorId>,
    /// The hit that led to it.
    pub hit: Option<HitResult>,
    /// World location.
    pub origin: Option<Vector3>,
    /// Data of the host.
    pub payload: Option<Arc<RawPayload>>,
    /// Set-by-caller magnitudes by tag.
    pub set_by_caller: Vec<(String, f64)>,
    /// Captured values (E8).
    pub captured: Vec<CapturedValue>,
    /// Attribute and evaluated magnitude of each modifier, before stacks (P6); `None` if they are not known.
    pub magnitudes: Option<Vec<(String, f64)>>,
    /// Duration that the caller gave instead of the definition's.
    pub own_duration: Option<Span>,
    /// Period that the caller gave instead of the definition's.
    pub own_period: Option<Span>,
    /// Tags that it grants, in addition to those of its definition.
    pub granted_tags: Vec<String>,
    /// Tags that describe it, in addition to those of its definition.
    pub asset_tags: Vec<String>,
    /// Context tags (E14).
    #[state(since = 4)]
    pub context_tags: Vec<String>,
    /// Tags of the ability that applied it (E13).
    #[state(since = 4)]
    pub ability_tags: Vec<String>,
    /// Key of its random streams, if it uses random numbers (V5).
    pub stream: Option<u64>,
}

impl CharacterEffect {
    /// An effect with level 1, one stack and the whole duration of its definition.
    pub fn new(effect: impl Into<String>) -> Self {
        Self {
            effect: effect.into(),
            definition: None,
            rules: None,
            order: 0,
            recency: 0,
            level: 1.0,
            stacks: 1,
            status: EffectStatus::Running,
            inhibited: false,
            lifetime: Lifetime::Whole,
            phase: None,
            instigator: Instigator::Nobody,
            remembered: None,
            ability: None,
            causer: None,
            source_object: None,
            hit: None,
            origin: None,
            payload: None,
            set_by_caller: Vec::new(),
            captured: Vec::new(),
            magnitudes: None,
            own_duration: None,
            own_period: None,
            granted_tags: Vec::new(),
            asset_tags: Vec::new(),
            context_tags: Vec::new(),
            ability_tags: Vec::new(),
            stream: None,
        }
    }
}

/// Duration of an effect (P4).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, StateRecord)]
pub enum Lifetime {
    /// The duration of its definition, from the moment of restoring.
    #[default]
    Whole,
    /// It is infinite.
    Endless,
    /// It ends by itself.
    Lasting {
        /// Total duration.
        total: Span,
        /// Time left; the total for a queued effect.
        left: Span,
    },
}

/// State of the period of an effect (P4).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, StateRecord)]
pub struct Phase {
    /// Time between its ticks; `None` for that of its definition.
    pub period: Option<Span>,
    /// Time since the last tick, or since the start of the effect.
    pub elapsed: Span,
    /// Number of ticks so far.
    pub ticks: u32,
}

/// The controller that caused an effect (P5).
#[derive(Clone, PartialEq, Eq, Debug, Default, StateRecord)]
pub enum Instigator {
    /// None.
    #[default]
    Nobody,
    /// The character itself.
    Itself,
    /// Another controller, which may no longer exist.
    Other {
        /// Its owner, if it has one.
        owner: Option<ActorId>,
        /// The host's name for it; empty if none was set.
        name: String,
    },
}

/// The last known state of the source of an effect (M5).
#[derive(Clone, PartialEq, Debug, Default, StateRecord)]
pub struct RememberedSource {
    /// Its tags; their ancestors are implied.
    pub tags: Vec<String>,
    /// Attributes that the effect reads live.
    pub values: Vec<RememberedValue>,
}

/// The last known value of an attribute of the source.
#[derive(Clone, PartialEq, Debug, Default, StateRecord)]
pub struct RememberedValue {
    /// The attribute.
    pub attribute: String,
    /// Its base value.
    pub base: f64,
    /// Its current value.
    pub current: f64,
}

/// An ability that applied an effect.
#[derive(Clone, PartialEq, Eq, Debug, StateRecord)]
pub struct AbilityReference {
    /// Its name.
    pub ability: String,
    /// [`order`](super::CharacterAbility::order) of the character's own ability; `None` if it is the instigator's.
    pub order: Option<u32>,
}

/// A captured value of an attribute (E8).
#[derive(Clone, PartialEq, Debug, StateRecord)]
pub struct CapturedValue {
    /// The attribute.
    pub attribute: String,
    /// The controller it was read from.
    pub from: CaptureFrom,
    /// Which value of the attribute was read.
    pub calculation: AttributeCalculation,
    /// Only modifiers counted whose effect has all these tags.
    pub source_tag_filter: Vec<String>,
    /// Only modifiers counted whose target has all these tags.
    pub target_tag_filter: Vec<String>,
    /// The captured value; `None` if the controller did not have the attribute.
    pub value: Option<f64>,
}
