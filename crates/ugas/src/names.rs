//! Names of definitions as types, and keys of definitions.
//!
//! A name as a type is a unit struct that implements [`AttributeName`], [`TagName`], [`EffectName`] or
//! [`AbilityName`]. The compiler then rejects a misspelled name, and a tag where an attribute is expected. `ugas generate
//! --rust` writes such types for a pack.
//!
//! ```
//! use ugas::{AttributeId, AttributeName, Key};
//! # use ugas::prelude::*;
//!
//! struct Health;
//!
//! impl AttributeName for Health {
//!     const NAME: &'static str = "Health";
//! }
//!
//! # let set = AttributeSetDef::new("Combat").with(AttributeDef::new("Health", 100.0));
//! # let catalog = Catalog::builder().attribute_set(set).build()?;
//! assert_eq!(Key::<AttributeId>::id(&Health, &catalog)?, catalog.attribute(Health::NAME)?);
//! # Ok::<(), ugas::Error>(())
//! ```

use ugas_core::catalog::{Catalog, UnknownName};
use ugas_core::id::{AbilityId, AttributeId, EffectId, TagId};

macro_rules! names {
    ($($(#[$meta:meta])* $name:ident, $id:ty, $look_up:ident;)*) => {$(
        $(#[$meta])*
        pub trait $name: Send + Sync + 'static {
            /// The name in the rules.
            const NAME: &'static str;
        }

        impl<T: $name> Name<$id> for T {
            fn name(&self) -> &str {
                T::NAME
            }
        }

        impl Name<$id> for &str {
            fn name(&self) -> &str {
                self
            }
        }

        impl Name<$id> for String {
            fn name(&self) -> &str {
                self
            }
        }

        impl Name<$id> for &String {
            fn name(&self) -> &str {
                self
            }
        }

        impl<T: Name<$id>> Key<$id> for T {
            fn id(&self, catalog: &Catalog) -> Result<$id, UnknownName> {
                catalog.$look_up(self.name())
            }

            fn get(&self) -> IdOrName<'_, $id> {
                IdOrName::Name(self.name())
            }
        }

        impl Key<$id> for $id {
            fn id(&self, _: &Catalog) -> Result<$id, UnknownName> {
                Ok(*self)
            }

            fn get(&self) -> IdOrName<'_, $id> {
                IdOrName::Id(*self)
            }
        }
    )*};
}

names! {
    /// Name of an attribute as a type.
    AttributeName, AttributeId, attribute;
    /// Name of a tag as a type.
    TagName, TagId, tag;
    /// Name of an effect as a type.
    EffectName, EffectId, effect;
    /// Name of an ability as a type.
    AbilityName, AbilityId, ability;
}

/// A name of a definition whose ids are `Id`: text, or a type that implements [`AttributeName`] and the like.
pub trait Name<Id> {
    /// The name in the rules.
    fn name(&self) -> &str;
}

/// A key of a definition: its id, or its [name](Name).
///
/// Ids are faster. They belong to one catalog: after a hot reload they must be looked up again, while names
/// stay valid.
pub trait Key<Id> {
    /// The id in a catalog.
    ///
    /// # Errors
    /// If the name is unknown; the error suggests the nearest one.
    fn id(&self, catalog: &Catalog) -> Result<Id, UnknownName>;

    /// The id or the name, whichever the key is.
    fn get(&self) -> IdOrName<'_, Id>;

    /// Whether this is the key of the definition with this id and name.
    fn is(&self, id: Id, name: &str) -> bool
    where
        Id: PartialEq,
    {
        match self.get() {
            IdOrName::Id(known) => known == id,
            IdOrName::Name(known) => known == name,
        }
    }
}

/// Content of a [`Key`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IdOrName<'a, Id> {
    /// The id in one catalog.
    Id(Id),
    /// The name.
    Name(&'a str),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AttributeDef, AttributeSetDef, EffectDef};

    struct Health;

    impl AttributeName for Health {
        const NAME: &'static str = "Health";
    }

    struct Burning;

    impl TagName for Burning {
        const NAME: &'static str = "State.Burning";
    }

    #[test]
    fn names_and_ids_are_keys_of_the_same_definition() {
        let catalog = Catalog::builder()
            .attribute_set(AttributeSetDef::new("Combat").with(AttributeDef::new("Health", 1.0)))
            .effect(EffectDef::infinite("GE_Burn").granting("State.Burning"))
            .build()
            .unwrap();
        let health = catalog.attribute("Health").unwrap();
        assert_eq!(Key::<AttributeId>::id(&Health, &catalog), Ok(health));
        assert_eq!(Key::<AttributeId>::id(&"Health", &catalog), Ok(health));
        assert_eq!(health.id(&catalog), Ok(health));
        assert_eq!(Key::<TagId>::id(&Burning, &catalog), catalog.tag("State.Burning"));
        assert!(Key::<EffectId>::id(&"GE_Brn", &catalog).unwrap_err().to_string().contains("GE_Burn"));
    }

    #[test]
    fn keys_compare_by_id_or_by_name() {
        let (one, other) = (AttributeId::from_index(1), AttributeId::from_index(2));
        assert!(one.is(one, "Mana"));
        assert!(!one.is(other, "Health"));
        assert!(Health.is(one, "Health"));
        assert!(!Health.is(one, "Mana"));
    }
}
