//! Tags (§7): what a controller has, how often, and conditions on it.

use ugas_core::id::TagId;
use ugas_core::tag::TagQuery;

use crate::catalog::ugas_tag;
use crate::guard::{enter, ugas_context};
use crate::memory::{Headed, Memory, Plain};
use crate::simulation::{ugas_controller, ugas_simulation};
use crate::status::{Outcome, ugas_status};

/// A tag of a controller.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_tag_count {
    /// The tag.
    pub tag: ugas_tag,
    /// How often it was given itself, without its descendants.
    pub count: u32,
}

/// A condition on tags: all of the first list, one of the second unless it is empty, none of the third. A tag is there if
/// a descendant of it is. All zeros hold for everybody.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_tag_query {
    /// sizeof(ugas_tag_query).
    pub size: usize,
    /// All of these.
    pub all: *const ugas_tag,
    /// How many there are.
    pub all_count: usize,
    /// At least one of these.
    pub any: *const ugas_tag,
    /// How many there are.
    pub any_count: usize,
    /// None of these.
    pub none: *const ugas_tag,
    /// How many there are.
    pub none_count: usize,
}

// SAFETY: `repr(C)`, numbers.
unsafe impl Plain for ugas_tag_count {}
// SAFETY: `repr(C)`, numbers and pointers.
unsafe impl Plain for ugas_tag_query {}
// SAFETY: it begins with its size.
unsafe impl Headed for ugas_tag_query {}

/// The condition as the core has it; null is none.
pub(crate) fn query_of(query: *const ugas_tag_query, memory: Memory<'_>) -> Outcome<TagQuery> {
    let given = memory.optional_input(query)?;
    let tags = |data, count| -> Outcome<Vec<TagId>> {
        Ok(memory.list(data, count)?.iter().map(|&tag| TagId::from_index(tag)).collect())
    };
    let all = TagQuery::all(tags(given.all, given.all_count)?);
    let any = TagQuery::any(tags(given.any, given.any_count)?);
    let none = TagQuery::none(tags(given.none, given.none_count)?);
    Ok(all.and(any).and(none))
}

/// Whether a controller has a tag or a descendant of it: `out` gets 1 or 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_tag_has(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    controller: ugas_controller,
    tag: ugas_tag,
    out: *mut u32,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        let entry = context.simulation(simulation)?;
        let id = entry.controller(controller)?;
        out.set(u32::from(entry.simulation().has_tag(id, TagId::from_index(tag))));
        Ok(())
    })
}

/// How often a controller has a tag: itself, and together with its descendants. Either pointer may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_tag_counts(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    controller: ugas_controller,
    tag: ugas_tag,
    own: *mut u32,
    cumulative: *mut u32,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let (own, cumulative) = (memory.optional(own)?, memory.optional(cumulative)?);
        let entry = context.simulation(simulation)?;
        let id = entry.controller(controller)?;
        let tag = TagId::from_index(tag);
        let (count, total) =
            entry.simulation().tags(id).map_or((0, 0), |tags| (tags.count(tag), tags.cumulative_count(tag)));
        if let Some(own) = own {
            own.set(count);
        }
        if let Some(cumulative) = cumulative {
            cumulative.set(total);
        }
        Ok(())
    })
}

/// The tags that were given to a controller, in the order of their ids.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_tags_of(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    controller: ugas_controller,
    out: *mut ugas_tag_count,
    row_size: usize,
    capacity: usize,
    count: *mut usize,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let rows = memory.rows(out, row_size, capacity, count)?;
        let entry = context.simulation(simulation)?;
        let id = entry.controller(controller)?;
        let tags = entry.simulation().tags(id).into_iter().flat_map(|tags| tags.iter());
        rows.fill(tags.map(|(tag, count)| ugas_tag_count { tag: tag.index(), count }));
        Ok(())
    })
}

/// Whether a condition holds over the tags of a controller: `out` gets 1 or 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_tags_match(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    controller: ugas_controller,
    query: *const ugas_tag_query,
    out: *mut u32,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        let query = query_of(query, memory)?;
        let entry = context.simulation(simulation)?;
        let id = entry.controller(controller)?;
        let holds = entry.simulation().tags(id).is_some_and(|tags| query.matches(tags));
        out.set(u32::from(holds));
        Ok(())
    })
}
