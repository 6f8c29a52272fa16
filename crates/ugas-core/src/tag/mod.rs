//! Gameplay tags (§7): hierarchical names such as `State.Debuff.Stunned.Magic` that say what state an actor is in.
//!
//! Names exist only at the edges. A [`TagRegistry`] numbers all tags and their ancestors depth-first (I4), after
//! which everything works on [`TagId`](crate::id::TagId)s:
//!
//! - [`TagContainer`] counts what effects granted to one controller, explicitly and cumulatively (§7.2, T2);
//! - [`TagBits`] is the presence of tags *and their ancestors*, one bit a tag. Because ancestors are in the set
//!   themselves, asking for a parent is the same single bit test as asking for a leaf (§7.3);
//! - [`TagSet`], [`TagRequirement`] and [`TagQuery`] (T4) are the questions that definitions ask. They are compiled
//!   once, when a pack is loaded, and judged against any [`TagView`].
//!
//! Only effects change tags (§3.1, T3), so the container's writers are private to this crate.

mod bits;
mod container;
mod name;
mod query;
mod registry;
mod set;

pub use bits::{TagBits, TagView, UnionView};
pub use container::{TagContainer, TagGrantError, TagUnderflow};
pub use name::{
    MAX_NAME_LENGTH, MAX_RECOMMENDED_DEPTH, RESERVED_PREFIXES, TagNameError, TagNameProblem, check_tag_name,
};
pub use query::{TagQuery, TagQueryItem};
pub use registry::{TagMetadata, TagRegistry};
pub use set::{TagRequirement, TagSet};
