//! Effect contexts (§9.9): the cause of an effect, kept for its whole lifetime.

use std::sync::Arc;

use crate::codec::{Decode, DecodeError, Decoder, Encode, Encoder, FieldClone, StateRecord, plain_parts};
use crate::cow_option::CowOption;
use crate::handle::{ControllerId, GrantedAbilityId};
use crate::hash::{HashSink, StateHash};
use crate::id::{ActorId, TagId};
use crate::lazy_box::{LazyBox, pooled_value};
use crate::tag::{TagBits, TagRegistry};

/// A point or a direction in the host's world.
pub type Vector3 = [f64; 3];

/// Result of a hit (§9.9).
#[derive(Clone, Copy, PartialEq, Debug, Default, StateRecord)]
pub struct HitResult {
    /// Point of impact.
    pub location: Vector3,
    /// Surface normal at the point.
    pub normal: Vector3,
    /// Distance travelled.
    pub distance: f64,
    /// The actor that was hit.
    pub actor: Option<ActorId>,
    /// The part that was hit (bone, material, …), opaque to the simulation.
    pub part: u32,
}

/// Data of the host that travels with a context, is saved with it and is part of the state hash.
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
    /// Name of the payload type; part of the saved state.
    const KIND: &'static str;
    /// Writes the payload.
    fn encode(&self, bytes: &mut Vec<u8>);
    /// Decodes a payload; `None` if the bytes are no such payload.
    fn decode(bytes: &[u8]) -> Option<Self>;
}

/// An encoded [`ContextPayload`].
#[derive(Clone, PartialEq, Eq, Debug, StateRecord)]
pub struct RawPayload {
    /// The payload's [`KIND`](ContextPayload::KIND).
    pub kind: String,
    /// The encoded bytes.
    pub bytes: Vec<u8>,
}

/// Tags that describe an application, such as `Hit.Critical` (E14): sorted, without duplicates.
///
/// Copies share the list; an empty one takes no memory.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ContextTags(Option<Arc<[TagId]>>);

impl ContextTags {
    /// The tags, sorted by id.
    pub fn as_slice(&self) -> &[TagId] {
        self.0.as_deref().unwrap_or_default()
    }

    /// Whether there is no tag.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The tags, sorted by id.
    pub fn iter(&self) -> impl Iterator<Item = TagId> + '_ {
        self.as_slice().iter().copied()
    }

    /// The tags with their ancestors, for requirements and queries.
    pub fn closed(&self, registry: &TagRegistry) -> TagBits {
        TagBits::closed(registry, self.iter())
    }

    /// These tags and `more`.
    #[must_use]
    pub fn with(&self, more: &[TagId]) -> Self {
        if more.iter().all(|tag| self.as_slice().binary_search(tag).is_ok()) {
            return self.clone();
        }
        self.iter().chain(more.iter().copied()).collect()
    }
}

impl FromIterator<TagId> for ContextTags {
    fn from_iter<I: IntoIterator<Item = TagId>>(tags: I) -> Self {
        let mut tags: smallvec::SmallVec<[TagId; 8]> = tags.into_iter().collect();
        tags.sort_unstable();
        tags.dedup();
        Self((!tags.is_empty()).then(|| Arc::from(&*tags)))
    }
}

impl StateHash for ContextTags {
    fn state_hash<S: HashSink>(&self, hasher: &mut S) {
        self.as_slice().state_hash(hasher);
    }
}

impl Encode for ContextTags {
    fn encode(&self, encoder: &mut Encoder) {
        self.as_slice().encode(encoder);
    }
}

impl Decode for ContextTags {
    fn decode(decoder: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        let tags = Vec::<TagId>::decode(decoder)?;
        if !tags.is_sorted_by(|one, other| one < other) {
            return Err(decoder.invalid("context tags are not sorted"));
        }
        Ok(tags.into_iter().collect())
    }
}

/// The cause of an effect (§9.9).
#[derive(PartialEq, FieldClone)]
pub struct EffectContext {
    /// The instigator: the controller that caused it. Called "source" everywhere else in this crate.
    pub source: Option<ControllerId>,
    /// The ability that applied it.
    pub ability: Option<GrantedAbilityId>,
    /// Parts that differ from one application to the next.
    parts: LazyBox<ContextParts>,
    /// Parts that the applications of an ability share.
    details: CowOption<ContextDetails>,
}

/// Actors and place of a context. Its box is pooled, so that contexts that name them do not allocate (I6).
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct ContextParts {
    causer: Option<ActorId>,
    source_object: Option<ActorId>,
    origin: Option<Vector3>,
}

impl ContextParts {
    const NONE: Self = Self { causer: None, source_object: None, origin: None };
}

pooled_value!(ContextParts = ContextParts::NONE, |parts| {
    *parts = ContextParts::NONE;
});

/// Numbers of the game by name: a payload that files can write (`Payload: { name: value }`).
#[derive(Clone, PartialEq, Debug, Default)]
pub struct NamedValues(pub Vec<(String, f64)>);

impl NamedValues {
    /// The number with this name.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| *value)
    }
}

impl ContextPayload for NamedValues {
    const KIND: &'static str = "Values";

    fn encode(&self, bytes: &mut Vec<u8>) {
        bytes.extend(crate::codec::to_bytes(&self.0));
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        crate::codec::from_bytes(bytes).ok().map(Self)
    }
}

/// Optional parts of a context, shared by its copies.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct ContextDetails {
    pub(crate) hit: Option<HitResult>,
    pub(crate) raw_payload: Option<Arc<RawPayload>>,
    pub(crate) tags: ContextTags,
    /// Tags of the ability, with their ancestors.
    pub(crate) ability_tags: CowOption<TagBits>,
}

impl Default for EffectContext {
    #[inline]
    fn default() -> Self {
        Self { source: None, ability: None, parts: LazyBox::new(), details: CowOption::NONE }
    }
}

impl EffectContext {
    /// A context with the instigator `source`, or none.
    pub fn of(source: impl Into<Option<ControllerId>>) -> Self {
        Self { source: source.into(), ..Self::default() }
    }

    /// Whether it has nothing but a source.
    #[inline]
    pub(crate) fn is_bare(&self) -> bool {
        self.ability.is_none() && self.details.is_none() && !self.has_parts()
    }

    /// Whether it names an actor or a place.
    #[inline]
    fn has_parts(&self) -> bool {
        self.parts.allocated().is_some_and(|parts| *parts != ContextParts::NONE)
    }

    /// The actor that physically caused it: a weapon, a projectile.
    #[inline]
    pub fn causer(&self) -> Option<ActorId> {
        self.parts.causer
    }

    /// Sets or clears [`Self::causer`].
    #[inline]
    pub fn set_causer(&mut self, causer: Option<ActorId>) {
        self.set_part(causer, |parts| &mut parts.causer);
    }

    /// The object it originated from.
    #[inline]
    pub fn source_object(&self) -> Option<ActorId> {
        self.parts.source_object
    }

    /// Sets or clears [`Self::source_object`].
    #[inline]
    pub fn set_source_object(&mut self, object: Option<ActorId>) {
        self.set_part(object, |parts| &mut parts.source_object);
    }

    /// World location for positional effects.
    #[inline]
    pub fn origin(&self) -> Option<Vector3> {
        self.parts.origin
    }

    /// Sets or clears [`Self::origin`].
    #[inline]
    pub fn set_origin(&mut self, origin: Option<Vector3>) {
        self.set_part(origin, |parts| &mut parts.origin);
    }

    /// Writes a part; takes no box if there is nothing to store.
    #[inline]
    fn set_part<V>(&mut self, value: Option<V>, part: impl FnOnce(&mut ContextParts) -> &mut Option<V>) {
        match self.parts.get_mut() {
            Some(parts) => *part(parts) = value,
            None if value.is_some() => *part(self.parts.make_mut()) = value,
            None => {}
        }
    }

    /// Tags of the ability that applied the effect, with their ancestors; they count as tags of its source
    /// (E13).
    ///
    /// Frozen when the spec is created; additional, expiration and overflow effects inherit them.
    pub fn ability_tags(&self) -> Option<&TagBits> {
        self.details.get().and_then(|details| details.ability_tags.get())
    }

    /// Sets the ability tags. Allocates no details if there is nothing to store.
    pub(crate) fn set_ability_tags(&mut self, tags: CowOption<TagBits>) {
        if !tags.is_none() || !self.details.is_none() {
            self.details.change(|details| details.ability_tags = tags);
        }
    }

    /// Shares the ability tags of `details`, which has nothing else. A context without other details shares
    /// the whole, so that most contexts of abilities do not allocate (I6).
    pub(crate) fn share_ability_tags(&mut self, details: &CowOption<ContextDetails>) {
        if self.details.is_none() {
            self.details.clone_from(details);
        } else if let Some(shared) = details.get() {
            self.set_ability_tags(shared.ability_tags.clone());
        }
    }

    /// Tags that describe the application, such as `Hit.Critical` (E14).
    pub fn tags(&self) -> &ContextTags {
        static NONE: ContextTags = ContextTags(None);
        self.details.get().map_or(&NONE, |details| &details.tags)
    }

    /// Adds tags that describe the application (E14).
    pub fn add_tags(&mut self, tags: &[TagId]) {
        if !tags.is_empty() {
            self.details.change(|details| details.tags = details.tags.with(tags));
        }
    }

    /// Replaces the tags that describe the application (E14).
    pub fn set_tags(&mut self, tags: ContextTags) {
        if !tags.is_empty() || !self.details.is_none() {
            self.details.change(|details| details.tags = tags);
        }
    }

    /// Adds a tag that describes the application (E14).
    #[must_use]
    pub fn tagged(mut self, tag: TagId) -> Self {
        self.add_tags(&[tag]);
        self
    }

    /// The hit that led to it.
    pub fn hit(&self) -> Option<&HitResult> {
        self.details.get().and_then(|details| details.hit.as_ref())
    }

    /// Data of the host; see [`ContextPayload`]. Immutable and shared.
    pub fn raw_payload(&self) -> Option<&Arc<RawPayload>> {
        self.details.get().and_then(|details| details.raw_payload.as_ref())
    }

    /// Sets or clears the hit.
    pub fn set_hit(&mut self, hit: Option<HitResult>) {
        self.details.set(hit, |details| &mut details.hit);
    }

    /// Sets or clears the data of the host.
    pub fn set_raw_payload(&mut self, payload: Option<Arc<RawPayload>>) {
        self.details.set(payload, |details| &mut details.raw_payload);
    }

    /// Sets the actor that physically caused the effect.
    #[must_use]
    pub fn caused_by(mut self, causer: ActorId) -> Self {
        self.set_causer(Some(causer));
        self
    }

    /// Sets the object the effect originated from.
    #[must_use]
    pub fn from_object(mut self, object: ActorId) -> Self {
        self.set_source_object(Some(object));
        self
    }

    /// Sets the hit.
    #[must_use]
    pub fn with_hit(mut self, hit: HitResult) -> Self {
        self.set_hit(Some(hit));
        self
    }

    /// Sets the world location.
    #[must_use]
    pub fn at(mut self, origin: Vector3) -> Self {
        self.set_origin(Some(origin));
        self
    }

    /// Attaches data of the host.
    #[must_use]
    pub fn with_payload<P: ContextPayload>(mut self, payload: &P) -> Self {
        let mut bytes = Vec::new();
        payload.encode(&mut bytes);
        self.set_raw_payload(Some(Arc::new(RawPayload { kind: P::KIND.to_owned(), bytes })));
        self
    }

    /// The attached data, if it is of this kind.
    pub fn payload<P: ContextPayload>(&self) -> Option<P> {
        let raw = self.raw_payload()?;
        if raw.kind == P::KIND { P::decode(&raw.bytes) } else { None }
    }

    /// Sets the shared details.
    pub(crate) fn with_details(mut self, details: &CowOption<ContextDetails>) -> Self {
        self.details = details.clone();
        self
    }

    /// Whether it has more than source and ability.
    pub(crate) fn says_more(&self) -> bool {
        let details = |details: &ContextDetails| details.hit.is_some() || details.raw_payload.is_some();
        self.has_parts() || self.details.get().is_some_and(details)
    }

    /// Whether all its numbers are finite (V2). Most contexts have none.
    #[inline]
    pub(crate) fn is_finite(&self) -> bool {
        self.origin().is_none_or(|place| place.iter().all(|at| at.is_finite()))
            && self.details.get().is_none_or(ContextDetails::is_finite)
    }
}

impl ContextDetails {
    /// Whether all numbers of the hit result are finite.
    fn is_finite(&self) -> bool {
        let of_hit = |hit: &HitResult| [hit.location, hit.normal, [hit.distance; 3]];
        self.hit.iter().flat_map(of_hit).flatten().all(f64::is_finite)
    }
}

plain_parts!(EffectContext |context, decoder| {
    source: context.source,
    causer: context.causer(),
    ability: context.ability,
    source_object: context.source_object(),
    hit: context.hit(),
    origin: context.origin(),
    raw_payload: context.raw_payload(),
    ability_tags [since 4]: context.ability_tags(),
    tags [since 4]: context.tags().clone(),
} => {
    let ability_tags: Option<TagBits> = ability_tags;
    if ability_tags.as_ref().is_some_and(TagBits::is_empty) {
        return Err(decoder.invalid("ability tags of a context are empty"));
    }
    let ability_tags = CowOption::new(ability_tags.unwrap_or_default());
    let details = CowOption::new(ContextDetails { hit, raw_payload, tags, ability_tags });
    let mut context = EffectContext { source, ability, details, ..EffectContext::default() };
    context.set_causer(causer);
    context.set_source_object(source_object);
    context.set_origin(origin);
    Ok(context)
});
