//! Attributes and attribute sets (§5, §6).
//!
//! Definitions refer to each other by name, as files do; the [catalog](crate::catalog) resolves them. A
//! controller holds the values, in the layout of its sets.

use crate::codec::StateRecord;

pub(crate) mod layout;
pub(crate) mod layouts;
pub(crate) mod slot_bits;

pub use layout::AttributeSetError;

/// Category of an attribute (§5.5).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, StateRecord)]
pub enum AttributeCategory {
    /// Spent and recovered: health, mana, stamina.
    Resource,
    /// Used in calculations: damage, defence, speed.
    #[default]
    Statistic,
    /// Internal, never shown: incoming damage before it is distributed.
    Meta,
}

/// Replication of an attribute's value over a network (§5.5), from the narrowest to the widest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, StateRecord)]
pub enum AttributeReplication {
    /// To nobody.
    None,
    /// To the owning client.
    OwnerOnly,
    /// To every client.
    #[default]
    All,
}

/// Which of the qualifying modifiers count (M7).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, StateRecord)]
pub enum Evaluation {
    /// All of them.
    #[default]
    All,
    /// All positive ones, and of the negative ones only the strongest.
    MostNegativeOnly,
}

/// How the base value reacts when a bound changes (B1).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, StateRecord)]
pub enum OnBoundChange {
    /// Unchanged: only the current value is clamped (§5.2).
    #[default]
    Keep,
    /// Clamped to the new bounds.
    Clamp,
    /// Keeps its ratio to the upper bound: 80 of 100 becomes 120 of 150.
    KeepRatio,
}

/// A bound of an attribute (§5.4).
#[derive(Clone, PartialEq, Debug, StateRecord)]
pub enum BoundDef {
    /// A fixed number.
    Constant(f64),
    /// The clamped current value of another attribute (B1).
    Attribute(String),
}

impl From<f64> for BoundDef {
    fn from(value: f64) -> Self {
        Self::Constant(value)
    }
}

impl From<i32> for BoundDef {
    fn from(value: i32) -> Self {
        Self::Constant(f64::from(value))
    }
}

impl From<&str> for BoundDef {
    fn from(attribute: &str) -> Self {
        Self::Attribute(attribute.to_owned())
    }
}

/// Text about a definition for people; no rule reads it (§5.7).
#[derive(Clone, PartialEq, Eq, Debug, Default, StateRecord)]
pub struct Metadata {
    /// Display name.
    pub display_name: Option<String>,
    /// Tooltip.
    pub description: Option<String>,
    /// Group in a user interface.
    pub ui_category: Option<String>,
    /// Icon reference, opaque to the simulation.
    pub icon: Option<String>,
}

/// Precision of an attribute on the wire (N2): a value is sent as the nearest of `2^bits` numbers that divide the range
/// evenly, both ends included; values outside the range are sent as its nearer end.
///
/// Only viewers other than the owner receive quantised values. The owner's own state is exact, since its
/// prediction starts from it.
#[derive(Clone, Copy, PartialEq, Debug, StateRecord)]
pub struct Quantize {
    /// Smallest value that can be sent.
    pub min: f64,
    /// Largest value that can be sent.
    pub max: f64,
    /// Number of bits, from 1 to [`Self::MAX_BITS`].
    pub bits: u8,
}

impl Quantize {
    /// Maximum number of bits.
    pub const MAX_BITS: u8 = 32;
    /// 2⁵⁰: whole numbers up to this are exact in every product of the rounding.
    const EXACT: f64 = 1_125_899_906_842_624.0;

    /// Whether values can be quantised: the number of bits is in range, `min` is below `max`, and adjacent
    /// steps are different numbers.
    pub fn is_usable(&self) -> bool {
        let Self { min, max, bits } = *self;
        let width = max - min;
        if bits == 0 || bits > Self::MAX_BITS || !width.is_finite() || min >= max {
            return false;
        }
        let step = width / ((1u64 << bits) - 1) as f64;
        step.is_normal() && step > min.abs().max(max.abs()) / Self::EXACT
    }
}

/// One attribute of a set (§5.1).
#[derive(Clone, PartialEq, Debug, StateRecord)]
pub struct AttributeDef {
    /// Name, unique on any one controller.
    pub name: String,
    /// Initial base value.
    pub default_base: f64,
    /// Category.
    pub category: AttributeCategory,
    /// Lower bound.
    pub min: Option<BoundDef>,
    /// Upper bound.
    pub max: Option<BoundDef>,
    /// Which clients receive it.
    pub replication: AttributeReplication,
    /// Expression of the base value (§6.4, B2); `None` if it is not derived.
    pub derived: Option<String>,
    /// Which of the qualifying modifiers count.
    pub evaluation: Evaluation,
    /// How the base reacts when a bound changes.
    pub on_bound_change: OnBoundChange,
    /// Attributes that a meta attribute drains, in order (B3).
    pub drain_into: Vec<String>,
    /// Precision on the wire; exact if `None`.
    pub quantize: Option<Quantize>,
    /// Lower limit of the value in a client's prediction, so that no client predicts a death (GASD §4.10).
    #[state(since = 2)]
    pub prediction_floor: Option<f64>,
    /// Text for people; no rule reads it.
    pub metadata: Metadata,
}

impl AttributeDef {
    /// An unbounded statistic called `name` with the initial base `default_base`.
    pub fn new(name: impl Into<String>, default_base: f64) -> Self {
        Self {
            name: name.into(),
            default_base,
            category: AttributeCategory::default(),
            min: None,
            max: None,
            replication: AttributeReplication::default(),
            derived: None,
            evaluation: Evaluation::default(),
            on_bound_change: OnBoundChange::default(),
            drain_into: Vec::new(),
            quantize: None,
            prediction_floor: None,
            metadata: Metadata::default(),
        }
    }

    /// An attribute whose base is an expression over attributes of the same controller (§6.4, B2).
    pub fn derived(name: impl Into<String>, expression: impl Into<String>) -> Self {
        Self { derived: Some(expression.into()), ..Self::new(name, 0.0) }
    }

    /// Sets the category.
    #[must_use]
    pub fn category(mut self, category: AttributeCategory) -> Self {
        self.category = category;
        self
    }

    /// Sets the lower bound: a number, or the name of an attribute.
    #[must_use]
    pub fn min(mut self, bound: impl Into<BoundDef>) -> Self {
        self.min = Some(bound.into());
        self
    }

    /// Sets the upper bound: a number, or the name of an attribute.
    #[must_use]
    pub fn max(mut self, bound: impl Into<BoundDef>) -> Self {
        self.max = Some(bound.into());
        self
    }

    /// Sets which of the qualifying modifiers count.
    #[must_use]
    pub fn evaluation(mut self, evaluation: Evaluation) -> Self {
        self.evaluation = evaluation;
        self
    }

    /// Sets how the base reacts when a bound changes.
    #[must_use]
    pub fn on_bound_change(mut self, rule: OnBoundChange) -> Self {
        self.on_bound_change = rule;
        self
    }

    /// Makes this a meta attribute that drains `attributes`, in order (B3). It drains bases: a shield that is
    /// a temporary modifier has nothing in its base and absorbs nothing. Apply it as an instant effect.
    #[must_use]
    pub fn drain_into<S: Into<String>>(mut self, attributes: impl IntoIterator<Item = S>) -> Self {
        self.category = AttributeCategory::Meta;
        self.drain_into = attributes.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the lower limit of the value in a client's prediction.
    #[must_use]
    pub fn prediction_floor(mut self, floor: f64) -> Self {
        self.prediction_floor = Some(floor);
        self
    }

    /// Sets the precision of the value on the wire (N2).
    #[must_use]
    pub fn quantize(mut self, min: f64, max: f64, bits: u8) -> Self {
        self.quantize = Some(Quantize { min, max, bits });
        self
    }

    /// Sets which clients receive the value.
    #[must_use]
    pub fn replication(mut self, replication: AttributeReplication) -> Self {
        self.replication = replication;
        self
    }
}

/// A group of attributes that a controller has or lacks as a whole (§6).
#[derive(Clone, PartialEq, Debug, Default, StateRecord)]
pub struct AttributeSetDef {
    /// Name of the set.
    pub name: String,
    /// Sets that must be registered before this one (§6.4).
    pub dependencies: Vec<String>,
    /// The attributes.
    pub attributes: Vec<AttributeDef>,
    /// Text for people; no rule reads it.
    pub metadata: Metadata,
}

impl AttributeSetDef {
    /// An empty set called `name`.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Adds an attribute.
    #[must_use]
    pub fn with(mut self, attribute: AttributeDef) -> Self {
        self.attributes.push(attribute);
        self
    }

    /// Requires another set to be registered first.
    #[must_use]
    pub fn depends_on(mut self, set: impl Into<String>) -> Self {
        self.dependencies.push(set.into());
        self
    }
}
