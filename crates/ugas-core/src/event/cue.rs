//! Context of cue events (§9.9, §12.3, C1).

use std::sync::Arc;

use crate::catalog::Catalog;
use crate::codec::StateRecord;
use crate::effect::{ContextPayload, ContextTags, HitResult, RawPayload, Vector3};
use crate::handle::ControllerId;
use crate::id::{AbilityId, ActorId, TagId};
use crate::tag::TagBits;
use crate::time::Span;

/// Context of a cue: its cause, and the state when it happened (§9.9, §12.3, C1).
#[derive(Clone, PartialEq, Debug, Default, StateRecord)]
#[non_exhaustive]
#[state(check = CueDetails::check)]
pub struct CueDetails {
    /// Controller that caused it: the source of the effect.
    pub instigator: Option<ControllerId>,
    /// Actor that physically caused it: a weapon, a projectile.
    pub causer: Option<ActorId>,
    /// Object that it originated from.
    pub source_object: Option<ActorId>,
    /// Hit that led to it, with location and normal.
    pub hit: Option<HitResult>,
    /// World location of the effect.
    pub origin: Option<Vector3>,
    /// Ability that it comes from, while it is granted.
    pub ability: Option<AbilityId>,
    /// Level of that ability.
    pub ability_level: Option<u32>,
    /// Stacks of the effect.
    pub stacks: u32,
    /// Duration of the effect; `None` if it is instant or infinite.
    pub duration: Option<Span>,
    /// Tags of the source with those of its ability (E13) and all ancestors.
    pub source_tags: TagBits,
    /// Tags of the ability alone, with all ancestors (E13).
    pub ability_tags: TagBits,
    /// Tags of the target with all ancestors.
    pub target_tags: TagBits,
    /// Context tags, such as `Hit.Critical` (E14).
    pub context_tags: ContextTags,
    /// Data of the host.
    pub payload: Option<Arc<RawPayload>>,
}

impl CueDetails {
    /// Encodes the context, as on the wire.
    pub fn to_bytes(&self) -> Vec<u8> {
        crate::codec::to_bytes(self)
    }

    /// Decodes a context.
    ///
    /// # Errors
    /// If the bytes are no context, or one of its numbers is not finite.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, crate::codec::DecodeError> {
        crate::codec::from_bytes(bytes)
    }

    /// Removes everything about the source, for a viewer who does not see it (N1): causer, objects, origin,
    /// ability and payload. The hit stays: it is the place where the target was hit.
    pub fn hide_source(&mut self) {
        self.instigator = None;
        self.causer = None;
        self.source_object = None;
        self.origin = None;
        self.ability = None;
        self.ability_level = None;
        self.source_tags = TagBits::default();
        self.ability_tags = TagBits::default();
        self.payload = None;
    }

    /// Whether the catalog has the ability and all tags of the context. Check it for a context from outside.
    pub fn is_known(&self, catalog: &Catalog) -> bool {
        let has = |tag: TagId| tag.usize() < catalog.tags().len();
        let bits = [&self.source_tags, &self.ability_tags, &self.target_tags];
        bits.into_iter().flat_map(TagBits::iter).all(has)
            && self.context_tags.as_slice().iter().all(|tag| has(*tag))
            && self.ability.is_none_or(|ability| catalog.ability_by_id(ability).is_some())
    }

    /// Location of the hit, or else the origin of the effect (C1).
    pub fn location(&self) -> Option<Vector3> {
        self.hit.map(|hit| hit.location).or(self.origin)
    }

    /// Whether its numbers are finite (V2).
    fn check(&self) -> Result<(), &'static str> {
        let of_hit = self.hit.iter().flat_map(|hit| [hit.location, hit.normal, [hit.distance; 3]]);
        match of_hit.chain(self.origin).flatten().all(f64::is_finite) {
            true => Ok(()),
            false => Err("a number of the context of a cue is not finite"),
        }
    }

    /// The attached data, if it is of this kind.
    pub fn payload<P: ContextPayload>(&self) -> Option<P> {
        let raw = self.payload.as_ref()?;
        if raw.kind == P::KIND { P::decode(&raw.bytes) } else { None }
    }
}

/// Parameters of a cue (§12).
#[derive(Clone, PartialEq, Debug, Default)]
pub struct CueParameters {
    /// Magnitude of the modifier that the effect names; 0 without one.
    pub magnitude: f64,
    /// Level of the effect.
    pub level: f64,
    /// Context, shared by the copies of an event; `None` if it is not known.
    pub details: Option<Arc<CueDetails>>,
}

impl CueParameters {
    /// Location of the hit, or else the origin of the effect (C1).
    pub fn location(&self) -> Option<Vector3> {
        self.details.as_ref()?.location()
    }

    /// Context tags, such as `Hit.Critical` (E14).
    pub fn context_tags(&self) -> &[TagId] {
        self.details.as_ref().map(|details| details.context_tags.as_slice()).unwrap_or_default()
    }
}
