//! Effect contexts (§9.9): who and what caused an effect, carried with it for as long as it lives.

use std::sync::Arc;

use crate::codec::plain_struct;
use crate::handle::{AbilityHandle, ControllerId};
use crate::id::ActorId;

/// A point or a direction in the host's world.
pub type Vector3 = [f64; 3];

/// Where something was hit (§9.9).
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct HitResult {
    /// Point of impact.
    pub location: Vector3,
    /// Surface normal at the point.
    pub normal: Vector3,
    /// Distance travelled.
    pub distance: f64,
    /// What was hit.
    pub actor: Option<ActorId>,
    /// Which part of it (bone, material, …), opaque to the simulation.
    pub part: u32,
}

/// Data of the host's own that travels with a context, is saved with it and takes part in the state hash.
///
/// ```
/// use ugas_core::effect::{ContextPayload, EffectContext};
///
/// #[derive(PartialEq, Debug)]
/// struct Ricochet { bounces: u8 }
///
/// impl ContextPayload for Ricochet {
///     const KIND: &'static str = "ricochet";
///     fn encode(&self, bytes: &mut Vec<u8>) { bytes.push(self.bounces) }
///     fn decode(bytes: &[u8]) -> Option<Self> { Some(Self { bounces: *bytes.first()? }) }
/// }
///
/// let context = EffectContext::default().with_payload(&Ricochet { bounces: 3 });
/// assert_eq!(context.payload::<Ricochet>(), Some(Ricochet { bounces: 3 }));
/// ```
pub trait ContextPayload: Sized {
    /// Tells payloads apart; part of the saved state.
    const KIND: &'static str;
    /// Writes the payload.
    fn encode(&self, bytes: &mut Vec<u8>);
    /// Reads a payload back; `None` if the bytes are none of its own.
    fn decode(bytes: &[u8]) -> Option<Self>;
}

/// An encoded [`ContextPayload`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RawPayload {
    /// The payload's [`KIND`](ContextPayload::KIND).
    pub kind: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Who and what caused an effect (§9.9).
#[derive(Clone, PartialEq, Debug, Default)]
pub struct EffectContext {
    /// The controller that caused it: the instigator. "Source" everywhere else in this crate.
    pub source: Option<ControllerId>,
    /// The actor that physically caused it: a weapon, a projectile.
    pub causer: Option<ActorId>,
    /// The ability that applied it.
    pub ability: Option<AbilityHandle>,
    /// The object it originated from.
    pub source_object: Option<ActorId>,
    /// The hit that led to it.
    pub hit: Option<Box<HitResult>>,
    /// World location for positional effects.
    pub origin: Option<Vector3>,
    /// Data of the host's own; see [`ContextPayload`]. Immutable, so sharing it is as good as copying it.
    pub raw_payload: Option<Arc<RawPayload>>,
}

impl EffectContext {
    /// A context whose instigator is `source`.
    pub fn of(source: ControllerId) -> Self {
        Self { source: Some(source), ..Self::default() }
    }

    /// Sets the actor that physically caused the effect.
    #[must_use]
    pub fn caused_by(mut self, causer: ActorId) -> Self {
        self.causer = Some(causer);
        self
    }

    /// Sets the object the effect originated from.
    #[must_use]
    pub fn from_object(mut self, object: ActorId) -> Self {
        self.source_object = Some(object);
        self
    }

    /// Sets the hit.
    #[must_use]
    pub fn with_hit(mut self, hit: HitResult) -> Self {
        self.hit = Some(Box::new(hit));
        self
    }

    /// Sets the world location.
    #[must_use]
    pub fn at(mut self, origin: Vector3) -> Self {
        self.origin = Some(origin);
        self
    }

    /// Attaches data of the host's own.
    #[must_use]
    pub fn with_payload<P: ContextPayload>(mut self, payload: &P) -> Self {
        let mut bytes = Vec::new();
        payload.encode(&mut bytes);
        self.raw_payload = Some(Arc::new(RawPayload { kind: P::KIND.to_owned(), bytes }));
        self
    }

    /// The attached data, if it is of this kind.
    pub fn payload<P: ContextPayload>(&self) -> Option<P> {
        let raw = self.raw_payload.as_deref()?;
        if raw.kind == P::KIND { P::decode(&raw.bytes) } else { None }
    }

    /// Whether all its numbers are finite (V2). Most contexts have none.
    #[inline]
    pub(crate) fn is_finite(&self) -> bool {
        (self.origin.is_none() && self.hit.is_none()) || self.has_finite_place()
    }

    fn has_finite_place(&self) -> bool {
        let of_hit = |hit: &HitResult| [hit.location, hit.normal, [hit.distance; 3]];
        let hit = self.hit.iter().flat_map(|hit| of_hit(hit));
        self.origin.into_iter().chain(hit).flatten().all(f64::is_finite)
    }
}

plain_struct!(RawPayload { kind, bytes });
plain_struct!(HitResult { location, normal, distance, actor, part });
plain_struct!(EffectContext { source, causer, ability, source_object, hit, origin, raw_payload });
