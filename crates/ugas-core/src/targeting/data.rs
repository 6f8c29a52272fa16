//! Target data (GASD §4.11.1): the result of targeting, as plain data that can be saved, sent and hashed.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::codec::StateRecord;
use crate::effect::{ContextPayload, HitResult, RawPayload, Vector3};
use crate::handle::ControllerId;

/// A target.
#[derive(Clone, PartialEq, Debug, StateRecord)]
pub enum Target {
    /// A controller.
    Controller(ControllerId),
    /// A hit: of a trace, an overlap, a projectile.
    Hit {
        /// The controller that was hit, if any.
        controller: Option<ControllerId>,
        /// Position and further data of the hit.
        hit: HitResult,
    },
    /// A location.
    Location(Vector3),
    /// Data of the host, in the same form as in effect contexts; see [`ContextPayload`].
    Custom(Arc<RawPayload>),
}

impl Target {
    /// Creates a target from data of the host.
    pub fn custom<P: ContextPayload>(payload: &P) -> Self {
        let mut bytes = Vec::new();
        payload.encode(&mut bytes);
        Self::Custom(Arc::new(RawPayload { kind: P::KIND.to_owned(), bytes }))
    }

    /// The data of the host, if it is of this kind.
    pub fn payload<P: ContextPayload>(&self) -> Option<P> {
        match self {
            Self::Custom(raw) if raw.kind == P::KIND => P::decode(&raw.bytes),
            _ => None,
        }
    }

    /// The controller that is the target or was hit.
    pub fn controller(&self) -> Option<ControllerId> {
        match self {
            Self::Controller(controller) => Some(*controller),
            Self::Hit { controller, .. } => *controller,
            Self::Location(_) | Self::Custom(_) => None,
        }
    }

    /// The location of a hit or a location target. `None` for controllers, whose position is their placement.
    pub fn location(&self) -> Option<Vector3> {
        match self {
            Self::Hit { hit, .. } => Some(hit.location),
            Self::Location(location) => Some(*location),
            Self::Controller(_) | Self::Custom(_) => None,
        }
    }
}

/// The targets, the best first.
///
/// ```
/// use ugas_core::targeting::{Target, TargetData};
///
/// let ground = TargetData::from([1.0, 2.0, 0.0]);
/// assert_eq!(ground.first_location(), Some([1.0, 2.0, 0.0]));
/// assert_eq!(ground.first_controller(), None);
/// ```
#[derive(Clone, PartialEq, Debug, Default, StateRecord)]
pub struct TargetData(pub(crate) SmallVec<[Target; 1]>);

impl TargetData {
    /// Creates empty target data.
    pub fn new() -> Self {
        Self::default()
    }

    /// The targets in order.
    pub fn iter(&self) -> core::slice::Iter<'_, Target> {
        self.0.iter()
    }

    /// The targets in order, to change them.
    pub fn iter_mut(&mut self) -> core::slice::IterMut<'_, Target> {
        self.0.iter_mut()
    }

    /// Number of targets.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if there are no targets.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a target at the end.
    pub fn push(&mut self, target: impl Into<Target>) {
        self.0.push(target.into());
    }

    /// Removes all targets and keeps the memory.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// The controllers among the targets, in order. A controller that was hit twice appears twice.
    pub fn controllers(&self) -> impl Iterator<Item = ControllerId> + '_ {
        self.0.iter().filter_map(Target::controller)
    }

    /// Replaces controllers among the targets and hits.
    pub(crate) fn rename(&mut self, mut rename: impl FnMut(&mut ControllerId)) {
        for target in &mut self.0 {
            match target {
                Target::Controller(id) | Target::Hit { controller: Some(id), .. } => rename(id),
                Target::Hit { controller: None, .. } | Target::Location(_) | Target::Custom(_) => {}
            }
        }
    }

    /// The first controller.
    #[inline]
    pub fn first_controller(&self) -> Option<ControllerId> {
        self.controllers().next()
    }

    /// The first location.
    pub fn first_location(&self) -> Option<Vector3> {
        self.0.iter().find_map(Target::location)
    }

    /// The first hit, for an effect's context (§9.9).
    pub fn first_hit(&self) -> Option<&HitResult> {
        self.0.iter().find_map(|target| match target {
            Target::Hit { hit, .. } => Some(hit),
            _ => None,
        })
    }

    /// Checks all numbers. Call it where target data enters from outside: from a client, from a file.
    ///
    /// # Errors
    /// If a number is infinite or not a number (V2).
    pub fn check(&self) -> Result<(), NotFinitePosition> {
        self.0.iter().try_for_each(|target| match target {
            Target::Location(location) => NotFinitePosition::check(*location),
            Target::Hit { hit, .. } => {
                NotFinitePosition::check(hit.location)?;
                NotFinitePosition::check(hit.normal)?;
                NotFinitePosition::check([hit.distance, 0.0, 0.0])
            }
            Target::Controller(_) | Target::Custom(_) => Ok(()),
        })
    }
}

impl From<ControllerId> for Target {
    fn from(controller: ControllerId) -> Self {
        Self::Controller(controller)
    }
}

impl From<Vector3> for Target {
    fn from(location: Vector3) -> Self {
        Self::Location(location)
    }
}

impl<T: Into<Target>> From<T> for TargetData {
    fn from(target: T) -> Self {
        core::iter::once(target).collect()
    }
}

impl<T: Into<Target>> FromIterator<T> for TargetData {
    fn from_iter<I: IntoIterator<Item = T>>(targets: I) -> Self {
        Self(targets.into_iter().map(Into::into).collect())
    }
}

impl<'a> IntoIterator for &'a TargetData {
    type Item = &'a Target;
    type IntoIter = core::slice::Iter<'a, Target>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Error of a position or direction whose numbers are not finite (V2).
#[derive(Clone, Copy, PartialEq, Debug, thiserror::Error)]
#[error("({}, {}, {}) is not a position: give finite numbers", .0[0], .0[1], .0[2])]
pub struct NotFinitePosition(pub Vector3);

impl NotFinitePosition {
    pub(super) fn check(vector: Vector3) -> Result<(), Self> {
        if vector.iter().all(|number| number.is_finite()) { Ok(()) } else { Err(Self(vector)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::StateHasher;

    #[derive(PartialEq, Debug)]
    struct Spread(u8);

    impl ContextPayload for Spread {
        const KIND: &'static str = "spread";
        fn encode(&self, bytes: &mut Vec<u8>) {
            bytes.push(self.0);
        }
        fn decode(bytes: &[u8]) -> Option<Self> {
            bytes.first().copied().map(Self)
        }
    }

    fn controller(bits: u64) -> ControllerId {
        ControllerId::from_bits(1 << 32 | bits).unwrap()
    }

    #[test]
    fn gasd_4_11_1_target_data_finds_the_first_of_each_kind() {
        let hit = HitResult { location: [1.0, 2.0, 3.0], distance: 5.0, ..HitResult::default() };
        let mut data = TargetData::from(Target::custom(&Spread(3)));
        assert_eq!((data.first_controller(), data.first_location()), (None, None));
        data.push(Target::Hit { controller: Some(controller(4)), hit });
        data.push(controller(2));
        data.push([9.0, 9.0, 9.0]);
        assert_eq!(data.len(), 4);
        assert!(data.controllers().eq([controller(4), controller(2)]));
        assert_eq!(data.first_controller(), Some(controller(4)));
        assert_eq!(data.first_location(), Some([1.0, 2.0, 3.0]));
        assert_eq!(data.first_hit(), Some(&hit));
        assert_eq!(data.0[0].payload::<Spread>(), Some(Spread(3)));
        assert_eq!(data.0[1].payload::<Spread>(), None);
    }

    #[test]
    fn target_data_hash_distinguishes_kinds() {
        let one = TargetData::from(controller(1));
        assert_eq!(StateHasher::of(&one), StateHasher::of(&one.clone()));
        assert_ne!(StateHasher::of(&one), StateHasher::of(&TargetData::from(controller(2))));
        assert_ne!(StateHasher::of(&TargetData::new()), StateHasher::of(&TargetData::from([0.0; 3])));
    }

    #[test]
    fn v2_check_rejects_target_data_that_is_not_finite() {
        assert_eq!(TargetData::from([0.0; 3]).check(), Ok(()));
        let error = TargetData::from([0.0, f64::INFINITY, 1.0]).check().unwrap_err();
        assert_eq!(error.to_string(), "(0, inf, 1) is not a position: give finite numbers");
        let hit = HitResult { distance: f64::NAN, ..HitResult::default() };
        assert!(TargetData::from(Target::Hit { controller: None, hit }).check().is_err());
    }
}
