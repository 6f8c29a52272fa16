//! The attributes of a controller (§5).

use bevy_ecs::prelude::{Component, ReflectComponent};
use bevy_platform::sync::Arc;
use bevy_reflect::Reflect;
use ugas::{AttributeId, Key};

use super::{StateComponent, StateSource, equal};

/// The attributes of a controller: base and current values, by name or id.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use bevy_ugas::prelude::*;
/// fn health_bars(fighters: Query<(Entity, &Attributes), Changed<Attributes>>) {
///     for (fighter, attributes) in &fighters {
///         // The server may withhold values of others from a client.
///         let (Ok(health), Ok(most)) = (attributes.current("Health"), attributes.current("MaxHealth")) else { continue };
///         println!("{fighter}: {:.0} %", health / most * 100.0);
///     }
/// }
/// ```
///
/// On a client, the attributes whose values the server withholds are [listed](Self::withheld) without values:
/// [`Self::read`], [`Self::current`] and [`Self::base`] give [`NotReplicated`](AttributeReadError::NotReplicated) for them.
#[derive(Component, Reflect, PartialEq, Debug)]
#[component(immutable, clone_behavior = Ignore)]
#[reflect(Component, from_reflect = false)]
pub struct Attributes {
    values: Vec<AttributeValue>,
    withheld: Vec<WithheldAttribute>,
}

/// An attribute of a controller whose value the server withholds from this client (N1).
#[derive(Reflect, Clone, PartialEq, Debug)]
pub struct WithheldAttribute {
    /// Id of the attribute.
    #[reflect(ignore, default = "no_attribute")]
    pub id: AttributeId,
    /// Name of the attribute.
    pub name: Arc<str>,
}

/// Reason why an attribute has no value to read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AttributeReadError {
    /// No attribute set of the controller has the attribute.
    #[error("no attribute set of the controller has the attribute")]
    Missing,
    /// The server withholds the value from this client (N1).
    #[error("the value is not replicated to this client")]
    NotReplicated,
}

/// One attribute of a controller.
#[derive(Reflect, Clone, PartialEq, Debug)]
pub struct AttributeValue {
    /// Id of the attribute.
    #[reflect(ignore, default = "no_attribute")]
    pub id: AttributeId,
    /// Name of the attribute.
    pub name: Arc<str>,
    /// Base value, without modifiers.
    pub base: f64,
    /// Current value: the base value with all modifiers, clamped.
    pub current: f64,
}

impl Attributes {
    /// An attribute; `None` if no set of the controller has it, or the server withholds its value.
    pub fn value(&self, attribute: impl Key<AttributeId>) -> Option<&AttributeValue> {
        self.values.iter().find(|value| attribute.is(value.id, &value.name))
    }

    /// An attribute, or the reason why it has no value here.
    ///
    /// # Errors
    /// If no set of the controller has the attribute, or, on a client, the server withholds its value (N1).
    pub fn read(&self, attribute: impl Key<AttributeId>) -> Result<&AttributeValue, AttributeReadError> {
        let is_meant = |withheld: &WithheldAttribute| attribute.is(withheld.id, &withheld.name);
        if self.withheld.iter().any(is_meant) {
            return Err(AttributeReadError::NotReplicated);
        }
        self.value(attribute).ok_or(AttributeReadError::Missing)
    }

    /// The current value.
    ///
    /// # Errors
    /// As [`Self::read`]: the controller lacks the attribute, or the server withholds its value from this
    /// client (N1).
    pub fn current(&self, attribute: impl Key<AttributeId>) -> Result<f64, AttributeReadError> {
        self.read(attribute).map(|value| value.current)
    }

    /// The base value.
    ///
    /// # Errors
    /// As [`Self::read`]: the controller lacks the attribute, or the server withholds its value from this
    /// client (N1).
    pub fn base(&self, attribute: impl Key<AttributeId>) -> Result<f64, AttributeReadError> {
        self.read(attribute).map(|value| value.base)
    }

    /// The attributes whose values the server withholds from this client, by rising id.
    pub fn withheld(&self) -> &[WithheldAttribute] {
        &self.withheld
    }

    /// All attributes, in evaluation order.
    pub fn iter(&self) -> core::slice::Iter<'_, AttributeValue> {
        self.values.iter()
    }

    /// Number of attributes.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are no attributes: the controller has no sets, or the rules are not loaded yet.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

impl<'a> IntoIterator for &'a Attributes {
    type Item = &'a AttributeValue;
    type IntoIter = core::slice::Iter<'a, AttributeValue>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl StateComponent for Attributes {
    fn empty() -> Self {
        Self { values: Vec::new(), withheld: Vec::new() }
    }

    fn read(source: &mut StateSource<'_>) -> Self {
        Self { values: values(source).collect(), withheld: withheld(source).collect() }
    }

    fn is_current(&self, source: &mut StateSource<'_>) -> bool {
        let mut known = self.values.iter();
        // By bits, so that a value that is not a number equals itself. Names of equal ids differ after a reload.
        let is_same = |value: AttributeValue| {
            known.next().is_some_and(|known| {
                known.base.to_bits() == value.base.to_bits()
                    && known.current.to_bits() == value.current.to_bits()
                    && (known.id, &known.name) == (value.id, &value.name)
            })
        };
        let are_same = values(source).all(is_same);
        are_same && known.next().is_none() && equal(&self.withheld, withheld(source))
    }
}

/// The attributes of a controller, in evaluation order.
fn values(source: &mut StateSource<'_>) -> impl Iterator<Item = AttributeValue> {
    let StateSource { simulation, names, controller } = source;
    simulation.attributes(*controller).map(move |(id, base, current)| AttributeValue {
        id,
        name: names.attribute(simulation, id),
        base,
        current,
    })
}

/// The attributes whose values the server withholds, by rising id.
fn withheld(source: &mut StateSource<'_>) -> impl Iterator<Item = WithheldAttribute> {
    let StateSource { simulation, names, controller } = source;
    let ids = simulation.withheld(*controller);
    ids.map(move |id| WithheldAttribute { id, name: names.attribute(simulation, id) })
}

/// Placeholder id for entries that reflection creates.
fn no_attribute() -> AttributeId {
    AttributeId::from_index(u32::MAX)
}
