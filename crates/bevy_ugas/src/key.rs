//! Names and ids: whatever takes an attribute, a tag, an effect or an ability takes it by either.

use ugas::{AbilityId, AttributeId, Catalog, EffectId, TagId, UnknownName};

/// Something that names a definition: its id, or its name.
///
/// Ids are what hot paths use. They belong to one catalog: after a [hot reload](crate::rules::RulesReloaded) they are to
/// be looked up again, while names go on meaning what they say. That is why systems mostly pass names.
pub trait Key<Id> {
    /// The id in these rules.
    ///
    /// # Errors
    /// If there is no such name, with the nearest one that there is.
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
