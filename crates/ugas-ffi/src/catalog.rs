//! Catalogs: the definitions of a game, and lookups between names and ids.

use std::sync::Arc;

use ugas_core::catalog::{Catalog, UnknownName};
use ugas_core::id::{AbilityId, AttributeId, AttributeSetId, EffectId, TagId};
use ugas_core::tag::TagMetadata;

use crate::context::{Context, too_many};
use crate::guard::{enter, ugas_context};
use crate::memory::ugas_str;
use crate::simulation::ugas_simulation;
use crate::status::{Failure, Outcome, ugas_status};

/// Handle of a catalog of this context: the immutable definitions of a game.
pub type ugas_catalog = u64;
/// Id of a tag. Ids of definitions belong to a catalog; equal packs have equal ids.
pub type ugas_tag = u32;
/// Id of an attribute.
pub type ugas_attribute = u32;
/// Id of an attribute set.
pub type ugas_attribute_set = u32;
/// Id of an effect definition.
pub type ugas_effect = u32;
/// Id of an ability definition.
pub type ugas_ability = u32;

/// Frees a catalog. Simulations and snapshots that use it stay valid. Zero is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_catalog_free(context: *mut ugas_context, catalog: ugas_catalog) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        if catalog != 0 {
            context.catalog(catalog)?;
            drop(context.catalogs.remove(catalog));
        }
        Ok(())
    })
}

/// Shares a catalog with another context, for simulations on another thread. Each context frees its own
/// handle with ugas_catalog_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_catalog_share(
    context: *mut ugas_context,
    catalog: ugas_catalog,
    other: *mut ugas_context,
    out: *mut ugas_catalog,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    let other = unsafe { enter(other) };
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        let shared = Arc::clone(context.catalog(catalog)?);
        let status = other.run(|other, memory| {
            let out = memory.out(out)?;
            out.set(other.catalogs.insert(shared).ok_or_else(|| too_many("catalog"))?);
            Ok(())
        });
        match status {
            ugas_status::Ok => Ok(()),
            status => Err(Failure::new(status, "the other context could not receive the catalog")),
        }
    })
}

/// The catalog of a simulation as a handle of its own, to be freed with ugas_catalog_free: for hosts that
/// have only the simulation, such as one played from a recording that contains its definitions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_catalog_of(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    out: *mut ugas_catalog,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        let catalog = Arc::clone(context.simulation(simulation)?.simulation().catalog());
        out.set(context.catalogs.insert(catalog).ok_or_else(|| too_many("catalog"))?);
        Ok(())
    })
}

/// A hash of the definitions: equal on machines that have the same definitions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_catalog_hash(
    context: *mut ugas_context,
    catalog: ugas_catalog,
    out: *mut u64,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        out.set(context.catalog(catalog)?.hash());
        Ok(())
    })
}

/// The tag of this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_catalog_tag(
    context: *mut ugas_context,
    catalog: ugas_catalog,
    name: ugas_str,
    out: *mut ugas_tag,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        out.set(find(context, catalog, memory.text(name)?, |rules, name| Ok(rules.tag(name)?.index()))?);
        Ok(())
    })
}

/// The description of a tag in the registry of the pack, for people and tools; empty if it has none. Valid
/// until the next call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_catalog_tag_description(
    context: *mut ugas_context,
    catalog: ugas_catalog,
    tag: ugas_tag,
    out: *mut ugas_str,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        let text = metadata(context, catalog, tag)?.description.unwrap_or_default();
        out.set(context.lend_text(text));
        Ok(())
    })
}

/// The developers' comment on a tag in the registry of the pack; empty if it has none. Valid until the next
/// call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_catalog_tag_comment(
    context: *mut ugas_context,
    catalog: ugas_catalog,
    tag: ugas_tag,
    out: *mut ugas_str,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        let text = metadata(context, catalog, tag)?.dev_comment.unwrap_or_default();
        out.set(context.lend_text(text));
        Ok(())
    })
}

/// Whether a tag has AllowMultiple in the registry of the pack: 1 or 0. Tags are counted in any case.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_catalog_tag_allows_multiple(
    context: *mut ugas_context,
    catalog: ugas_catalog,
    tag: ugas_tag,
    out: *mut u8,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        out.set(u8::from(metadata(context, catalog, tag)?.allow_multiple));
        Ok(())
    })
}

fn metadata(context: &Context, catalog: ugas_catalog, tag: ugas_tag) -> Outcome<TagMetadata> {
    let tags = context.catalog(catalog)?.tags();
    if tag as usize >= tags.len() {
        return Err(Failure::not_found(format!("the catalog has no tag with the id {tag}")));
    }
    Ok(tags.metadata(TagId::from_index(tag)).cloned().unwrap_or_default())
}

/// The attribute of this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_catalog_attribute(
    context: *mut ugas_context,
    catalog: ugas_catalog,
    name: ugas_str,
    out: *mut ugas_attribute,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        out.set(find(context, catalog, memory.text(name)?, |rules, name| {
            Ok(rules.attribute(name)?.index())
        })?);
        Ok(())
    })
}

/// The attribute set of this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_catalog_attribute_set(
    context: *mut ugas_context,
    catalog: ugas_catalog,
    name: ugas_str,
    out: *mut ugas_attribute_set,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        let name = memory.text(name)?;
        out.set(find(context, catalog, name, |rules, name| Ok(rules.attribute_set(name)?.index()))?);
        Ok(())
    })
}

/// The effect of this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_catalog_effect(
    context: *mut ugas_context,
    catalog: ugas_catalog,
    name: ugas_str,
    out: *mut ugas_effect,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        out.set(find(context, catalog, memory.text(name)?, |rules, name| Ok(rules.effect(name)?.index()))?);
        Ok(())
    })
}

/// The ability of this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_catalog_ability(
    context: *mut ugas_context,
    catalog: ugas_catalog,
    name: ugas_str,
    out: *mut ugas_ability,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        out.set(find(context, catalog, memory.text(name)?, |rules, name| Ok(rules.ability(name)?.index()))?);
        Ok(())
    })
}

/// Kind of definition that an id belongs to.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_definition {
    /// A tag.
    Tag = 0,
    /// An attribute.
    Attribute = 1,
    /// An attribute set.
    AttributeSet = 2,
    /// An effect.
    Effect = 3,
    /// An ability.
    Ability = 4,
}

/// The name of a definition; `kind` is one of ugas_definition. Valid until the next call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_catalog_name(
    context: *mut ugas_context,
    catalog: ugas_catalog,
    kind: u32,
    id: u32,
    out: *mut ugas_str,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        let rules = context.catalog(catalog)?;
        let name = match kind {
            0 => rules.tag_name(TagId::from_index(id)),
            1 => rules.attribute_name(AttributeId::from_index(id)),
            2 => rules.set_name(AttributeSetId::from_index(id)),
            3 => rules.effect_by_id(EffectId::from_index(id)).map_or("<unknown>", |effect| effect.name()),
            4 => rules.ability_name(AbilityId::from_index(id)),
            other => return Err(Failure::argument(format!("{other} is not a ugas_definition"))),
        };
        // The core names unknown ids like this; no definition has such a name.
        if name.starts_with("<unknown") {
            return Err(Failure::not_found(format!(
                "the catalog has no definition of this kind with the id {id}"
            )));
        }
        let name = name.to_owned();
        out.set(context.lend_text(name));
        Ok(())
    })
}

fn find(
    context: &Context,
    catalog: ugas_catalog,
    name: &str,
    lookup: impl FnOnce(&Catalog, &str) -> Result<u32, UnknownName>,
) -> Outcome<u32> {
    lookup(context.catalog(catalog)?, name).map_err(|error| Failure::not_found(error.to_string()))
}
