//! Keys of definitions: attributes, tags, effects and abilities are passed by name or by id.

use ugas::{AbilityId, AttributeId, Catalog, EffectId, TagId, UnknownName};

/// A key of a definition: its id, or its name.
///
/// Ids are faster. They belong to one catalog: after a [hot reload](crate::rules::RulesReloaded) they must be
/// looked up again, while names stay valid. So most systems pass names.
pub trait Key<Id> {
    /// The id in a catalog.
    ///
    /// # Errors
    /// If the name is unknown; the error suggests the nearest one.
    fn id(&self, catalog: &Catalog) -> Result<Id, UnknownName>;
}

macro_rules! keys {
    ($($id:ty, $look_up:ident);* $(;)?) => {$(
        impl Key<$id> for $id {
            fn id(&self, _: &Catalog) -> Result<$id, UnknownName> {
                Ok(*self)
            }
        }

        impl Key<$id> for &str {
            fn id(&self, catalog: &Catalog) -> Result<$id, UnknownName> {
                catalog.$look_up(self)
            }
        }

        impl Key<$id> for String {
            fn id(&self, catalog: &Catalog) -> Result<$id, UnknownName> {
                catalog.$look_up(self)
            }
        }
    )*};
}

keys! {
    AttributeId, attribute;
    TagId, tag;
    EffectId, effect;
    AbilityId, ability;
}
