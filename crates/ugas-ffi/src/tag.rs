//! Tags (§7): tags of a controller, their counts, and tag queries.

use ugas_core::id::TagId;
use ugas_core::tag::TagQuery;

use crate::catalog::ugas_tag;
use crate::guard::{enter, ugas_context};
use crate::memory::{Memory, Plain, SizePrefixed};
use crate::simulation::{ugas_controller, ugas_simulation};
use crate::status::{Outcome, ugas_status};

/// A tag with its count.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_tag_count {
    /// The tag.
    pub tag: ugas_tag,
    /// Explicit count of the tag, without its descendants.
    pub count: u32,
}

/// Condition on tags: all of `all`, one of `any` unless it is empty, none of `none`. A tag also matches if a
/// descendant of it is present. All zeros always match.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_tag_query {
    /// sizeof(ugas_tag_query).
    pub size: usize,
    /// Tags that must all be present.
    pub all: *const ugas_tag,
    /// Number of entries in `all`.
    pub all_count: usize,
    /// Tags of which at least one must be present.
    pub any: *const ugas_tag,
    /// Number of entries in `any`.
    pub any_count: usize,
    /// Tags that must not be present.
    pub none: *const ugas_tag,
    /// Number of entries in `none`.
    pub none_count: usize,
}

// SAFETY: `repr(C)`, numbers.
unsafe impl Plain for ugas_tag_count {}
// SAFETY: `repr(C)`, numbers and pointers.
unsafe impl Plain for ugas_tag_query {}
// SAFETY: it begins with its size.
unsafe impl SizePrefixed for ugas_tag_query {}

/// The query in the form of the core; a null pointer always matches.
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

/// Counts of a tag of a controller: explicit, and cumulative with its descendants. Either pointer may be
/// null.
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

/// Explicit tags of a controller, in the order of their ids.
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

/// Whether a query matches the tags of a controller: `out` gets 1 or 0.
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
