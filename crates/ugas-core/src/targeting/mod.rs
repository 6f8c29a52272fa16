//! Targeting (GASD §4.11): selection of the targets of an ability, described in data.
//!
//! Plain data and pure functions, independent of the simulation. A [`TargetingDef`] describes targeting with
//! tag names, [`Targeting`] is the same with resolved tags, [`select`](fn@select) selects from
//! [`Candidate`]s, and [`TargetData`] is the result: it can be stored, sent and hashed.
//!
//! Hosts set a [`Placement`] and a [`Team`] for each controller. The built-in query uses them, with
//! arithmetic that gives the same bits on every platform: additions, multiplications and comparisons. An
//! engine with more knowledge (walls, colliders, navigation) answers queries through [`Space`].

mod container;
mod data;
mod def;
mod geometry;
mod placement;
mod preview;
mod select;

pub use container::{ContainedEffectDef, EffectContainerDef};
pub use data::{NotFinitePosition, Target, TargetData};
pub use def::{Affiliation, Confirmation, Origin, Targeting, TargetingDef, TargetingProblem};
pub use geometry::{Area, HalfAngle, Shape};
pub use placement::{Attitude, AttitudeRule, Placement, Team};
pub use preview::TargetPreview;
pub use select::{
    Candidate, OpenSpace, SelectionBuffers, SharedSpace, Space, SpaceAnswer, TargetFilter, TargetQuery,
    select,
};
