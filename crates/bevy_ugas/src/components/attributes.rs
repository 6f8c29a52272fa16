//! The attributes of a controller (§5).

use bevy_ecs::prelude::{Component, ReflectComponent};
use bevy_platform::sync::Arc;
use bevy_reflect::Reflect;
use ugas::{AttributeId, Key};

use super::{SyncComponent, SyncSource};

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
#[derive(Component, Reflect, Clone, PartialEq, Debug, Default)]
#[reflect(Component)]
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

impl SyncComponent for Attributes {
    fn sync(&mut self, source: &mut SyncSource<'_>) -> bool {
        let SyncSource { simulation, names, controller } = source;
        let (mut count, mut changed) = (0, false);
        for (id, base, current) in simulation.attributes(*controller) {
            match self.values.get_mut(count) {
                // The name is looked up only for attributes that were not at this index before.
                Some(known) if known.id == id => {
                    if known.base.to_bits() != base.to_bits() || known.current.to_bits() != current.to_bits()
                    {
                        (known.base, known.current) = (base, current);
                        changed = true;
                    }
                }
                _ => {
                    self.values.truncate(count);
                    let name = names.attribute(simulation, id);
                    self.values.push(AttributeValue { id, name, base, current });
                    changed = true;
                }
            }
            count += 1;
        }
        changed |= self.values.len() > count;
        self.values.truncate(count);
        if !self.withheld.iter().map(|withheld| withheld.id).eq(simulation.withheld(*controller)) {
            let ids = simulation.withheld(*controller);
            let withheld = ids.map(|id| WithheldAttribute { id, name: names.attribute(simulation, id) });
            self.withheld = withheld.collect();
            changed = true;
        }
        changed
    }
}

/// Placeholder id for entries that reflection creates.
fn no_attribute() -> AttributeId {
    AttributeId::from_index(u32::MAX)
}
