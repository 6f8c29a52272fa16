//! Queries over active effects: for removal, for displays, for immunity written in code.

use smallvec::SmallVec;

use crate::codec::plain_struct;
use crate::handle::{ActiveEffectId, ControllerId};
use crate::id::{ActorId, AttributeId, EffectId};
use crate::tag::TagQuery;

/// Selects active effects. Every criterion that is given must hold; the default selects all.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct EffectQuery {
    /// Of this definition.
    pub effect: Option<EffectId>,
    /// Caused by this controller.
    pub source: Option<ControllerId>,
    /// From this object.
    pub source_object: Option<ActorId>,
    /// Over the effect's own tags: asset and granted ones, those added by its spec included.
    pub tags: TagQuery,
    /// Over the source's tags.
    pub source_tags: TagQuery,
    /// With a modifier of this attribute.
    pub modifies: Option<AttributeId>,
    /// But none of these.
    pub ignore: SmallVec<[ActiveEffectId; 1]>,
}

impl EffectQuery {
    /// Effects of one definition.
    pub fn of(effect: EffectId) -> Self {
        Self { effect: Some(effect), ..Self::default() }
    }

    /// Effects caused by one controller.
    pub fn from_source(source: ControllerId) -> Self {
        Self { source: Some(source), ..Self::default() }
    }

    /// Effects for whose own tags `tags` holds.
    pub fn tagged(tags: TagQuery) -> Self {
        Self { tags, ..Self::default() }
    }
}

plain_struct!(EffectQuery { effect, source, source_object, tags, source_tags, modifies, ignore });
