//! Translation of ids from one catalog to another, by name.

use crate::catalog::{Catalog, NameTable};
use crate::id::{
    AbilityId, AttributeId, AttributeSetId, CalculationId, ChannelId, CurveId, EffectId, TagId, TemplateId,
};

/// Translation of definition ids from the old catalog to the new one.
///
/// Ids are positions among sorted names (I3), so adding or removing a definition shifts those that follow it.
/// Handles of runtime objects do not change. A host translates the ids that it stores, or looks them up again
/// by name.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Renumbering {
    tags: Box<[Option<TagId>]>,
    attributes: Box<[Option<AttributeId>]>,
    sets: Box<[Option<AttributeSetId>]>,
    effects: Box<[Option<EffectId>]>,
    /// New ids of effects created at run time, by their number among them; sorted.
    runtime_effects: Vec<(u32, EffectId)>,
    abilities: Box<[Option<AbilityId>]>,
    channels: Box<[Option<ChannelId>]>,
    curves: Box<[Option<CurveId>]>,
    calculations: Box<[Option<CalculationId>]>,
    templates: Box<[Option<TemplateId>]>,
}

macro_rules! translations {
    ($($(#[$meta:meta])* $method:ident, $or_unknown:ident: $id:ident in $field:ident;)*) => {
        impl Renumbering {
            $(
                $(#[$meta])*
                pub fn $method(&self, old: $id) -> Option<$id> {
                    self.$field.get(old.usize()).copied().flatten()
                }

                /// As the method above, or an id that no definition has.
                #[allow(dead_code, reason = "not every kind of id is in an event")]
                pub(crate) fn $or_unknown(&self, old: $id) -> $id {
                    self.$method(old).unwrap_or($id::from_index(u32::MAX))
                }
            )*
        }
    };
}

translations! {
    /// The tag of the same name; `None` if it is gone.
    tag, tag_or_unknown: TagId in tags;
    /// The attribute of the same name; `None` if it is gone.
    attribute, attribute_or_unknown: AttributeId in attributes;
    /// The attribute set of the same name; `None` if it is gone.
    attribute_set, set_or_unknown: AttributeSetId in sets;
    /// The ability of the same name; `None` if it is gone.
    ability, ability_or_unknown: AbilityId in abilities;
    /// The channel of the same name; `None` if it is gone.
    channel, channel_or_unknown: ChannelId in channels;
    /// The curve of the same name; `None` if it is gone.
    curve, curve_or_unknown: CurveId in curves;
    /// The calculation of the same name; `None` if it is gone.
    calculation, calculation_or_unknown: CalculationId in calculations;
    /// The controller template of the same name; `None` if it is gone.
    template, template_or_unknown: TemplateId in templates;
}

impl Renumbering {
    /// The translation between two catalogs. Effects created at run time are added by
    /// [`Self::push_runtime_effect`].
    pub(crate) fn new(old: &Catalog, new: &Catalog) -> Self {
        let (before, after) = (&old.tables, &new.tables);
        Self {
            tags: before.tags.ids().map(|id| after.tags.id(before.tags.name(id))).collect(),
            attributes: by_name(&before.attributes, &after.attributes, AttributeId::from_index),
            sets: by_name(&before.sets, &after.sets, AttributeSetId::from_index),
            effects: by_name(&before.effects, &after.effects, EffectId::from_index),
            runtime_effects: Vec::new(),
            abilities: by_name(&before.abilities, &after.abilities, AbilityId::from_index),
            channels: by_name(&before.channels, &after.channels, ChannelId::from_index),
            curves: by_name(&before.curves, &after.curves, CurveId::from_index),
            calculations: by_name(&before.calculations, &after.calculations, CalculationId::from_index),
            templates: by_name(&before.templates, &after.templates, TemplateId::from_index),
        }
    }

    /// The effect of the same name, or the same effect created at run time; `None` if it is gone.
    pub fn effect(&self, old: EffectId) -> Option<EffectId> {
        let Some(number) = old.usize().checked_sub(self.effects.len()) else {
            return self.effects[old.usize()];
        };
        let at = self.runtime_effects.binary_search_by_key(&number, |(known, _)| *known as usize).ok()?;
        self.runtime_effects.get(at).map(|(_, new)| *new)
    }

    /// As [`Self::effect`], or an id that no definition has.
    pub(crate) fn effect_or_unknown(&self, old: EffectId) -> EffectId {
        self.effect(old).unwrap_or(EffectId::from_index(u32::MAX))
    }

    /// Adds an effect created at run time that survives, by its number among them, in ascending order.
    pub(crate) fn push_runtime_effect(&mut self, number: u32, new: EffectId) {
        self.runtime_effects.push((number, new));
    }
}

/// The new id of each old one, by name; `None` for names that no longer exist.
fn by_name<I, L: FromIterator<Option<I>>>(old: &NameTable, new: &NameTable, id: fn(u32) -> I) -> L {
    old.iter().map(|name| new.index(name).map(id)).collect()
}
