//! The attributes of a controller (§5).

use bevy_ecs::prelude::{Component, ReflectComponent};
use bevy_platform::sync::Arc;
use bevy_reflect::Reflect;
use ugas::AttributeId;

use super::{Follow, Source};

/// The attributes of a controller: base and current values, by name or id.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use bevy_ugas::prelude::*;
/// fn health_bars(fighters: Query<(Entity, &Attributes), Changed<Attributes>>) {
///     for (fighter, attributes) in &fighters {
///         let full = attributes.current("Health") / attributes.current("MaxHealth");
///         println!("{fighter}: {:.0} %", full * 100.0);
///     }
/// }
/// ```
#[derive(Component, Reflect, Clone, PartialEq, Debug, Default)]
#[reflect(Component)]
pub struct Attributes {
    values: Vec<AttributeValue>,
}

/// One attribute of a controller.
#[derive(Reflect, Clone, PartialEq, Debug)]
pub struct AttributeValue {
    /// Its id.
    #[reflect(ignore, default = "no_attribute")]
    pub id: AttributeId,
    /// Its name.
    pub name: Arc<str>,
    /// What is lasting.
    pub base: f64,
    /// What counts: the base with all modifiers, inside the bounds.
    pub current: f64,
}

/// Something that names an attribute: its id, or its name.
pub trait NamesAttribute {
    /// Whether this is the attribute.
    fn names(&self, value: &AttributeValue) -> bool;
}

impl NamesAttribute for AttributeId {
    fn names(&self, value: &AttributeValue) -> bool {
        value.id == *self
    }
}

impl NamesAttribute for &str {
    fn names(&self, value: &AttributeValue) -> bool {
        *value.name == **self
    }
}

impl Attributes {
    /// An attribute; `None` if no set of the controller has it.
    pub fn value(&self, attribute: impl NamesAttribute) -> Option<&AttributeValue> {
        self.values.iter().find(|value| attribute.names(value))
    }

    /// The current value; 0 if no set of the controller has the attribute, as in expressions of the rules.
    pub fn current(&self, attribute: impl NamesAttribute) -> f64 {
        self.value(attribute).map_or(0.0, |value| value.current)
    }

    /// The base value; 0 if no set of the controller has the attribute.
    pub fn base(&self, attribute: impl NamesAttribute) -> f64 {
        self.value(attribute).map_or(0.0, |value| value.base)
    }

    /// All of them, in the order in which they are evaluated.
    pub fn iter(&self) -> core::slice::Iter<'_, AttributeValue> {
        self.values.iter()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are none: the controller has no sets, or there are no rules yet.
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

impl Follow for Attributes {
    fn follow(&mut self, source: &mut Source<'_>) -> bool {
        let Source { simulation, names, controller } = source;
        let (mut count, mut changed) = (0, false);
        for (id, base, current) in simulation.attributes(*controller) {
            match self.values.get_mut(count) {
                // The name is looked up only where the attributes are others than before.
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
        changed
    }
}

/// What reflection makes a new entry with: it names nothing.
fn no_attribute() -> AttributeId {
    AttributeId::from_index(u32::MAX)
}
