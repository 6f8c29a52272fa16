//! Queries over active effects: for removal, display and immunity checks in code.

use crate::codec::StateRecord;
use crate::handle::{ActiveEffectId, ControllerId};
use crate::id::{ActorId, AttributeId, EffectId};
use crate::tag::TagQuery;

/// Selects active effects. All given criteria must match; the default selects all.
#[derive(Clone, PartialEq, Debug, Default, StateRecord)]
pub struct EffectQuery {
    /// Its effect definition.
    pub effect: Option<EffectId>,
    /// Its source.
    pub source: Option<ControllerId>,
    /// The object that it originated from.
    pub source_object: Option<ActorId>,
    /// Query over its own tags: asset and granted ones, including those added by its spec.
    pub tags: TagQuery,
    /// Query over the source's tags.
    pub source_tags: TagQuery,
    /// An attribute that it has a modifier for.
    pub modifies: Option<AttributeId>,
    /// Effects that are excluded.
    pub ignore: Vec<ActiveEffectId>,
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

    /// Effects whose own tags match `tags`.
    pub fn tagged(tags: TagQuery) -> Self {
        Self { tags, ..Self::default() }
    }
}
