//! Gameplay tags (§7): hierarchical names such as `State.Debuff.Stunned.Magic` that describe the state of an
//! actor.
//!
//! Names exist only at the boundaries of the API. A [`TagRegistry`] numbers all tags and their ancestors
//! depth-first (I4); everything else works on [`TagId`](crate::id::TagId)s:
//!
//! - [`TagContainer`] counts the tags that effects granted to one controller, explicitly and cumulatively
//!   (§7.2, T2);
//! - [`TagBits`] is the presence of tags *and their ancestors*, one bit for each tag. Because the set
//!   includes ancestors, a query for a parent is the same single bit test as a query for a leaf (§7.3);
//! - [`TagSet`], [`TagRequirement`] and [`TagQuery`] (T4) are the conditions of definitions. They are
//!   compiled once, when a pack is loaded, and evaluated against any [`TagView`].
//!
//! Only effects change tags (§3.1, T3), so the container's mutators are private to this crate.

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
