//! Targeting (GASD §4.11): who or what an ability is meant for, described in data.
//!
//! Plain data and pure functions; nothing here knows the simulation. A [`TargetingDef`] says by names what is wanted,
//! [`Targeting`] is the same with tags resolved, [`select`](fn@select) picks from [`Candidate`]s, and [`TargetData`] is
//! what comes out: it can be kept, sent and hashed.
//!
//! Hosts keep a [`Placement`] and a [`Team`] for each controller. Over these the built-in query works, with arithmetic
//! that gives the same bits on every platform: additions, multiplications and comparisons. An engine that knows more
//! (walls, colliders, navigation) answers instead through [`Space`].

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
pub use select::{Candidate, OpenSpace, Query, SelectionBuffers, Space, SpaceAnswer, TargetFilter, select};
