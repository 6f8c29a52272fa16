//! Names of runtime objects (I3).
//!
//! A handle is an index and a generation, so a handle of the dead finds nothing, even after its place was given to
//! another.

use core::fmt;
use core::hash::Hash;
use core::num::NonZeroU32;

use crate::hash::StateHash;

/// A typed handle of an [`Arena`](crate::arena::Arena); declared with `handle!`.
pub trait Handle: Copy + Ord + Hash + fmt::Debug + StateHash {
    /// The handle for a place of the arena and the generation of what lives there.
    fn from_parts(index: u32, generation: NonZeroU32) -> Self;

    /// The place in the arena. Reused, so never an identity by itself.
    fn index(self) -> u32;

    /// Which of the objects that have lived in this place is meant.
    fn generation(self) -> NonZeroU32;
}

/// Declares a typed generational handle.
macro_rules! handle {
    ($(#[$meta:meta])* $name:ident, $prefix:literal) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name {
            index: u32,
            generation: core::num::NonZeroU32,
        }

        impl $name {
            /// The handle as one number for C and the wire: the generation above, the index below. Never zero, so
            /// zero can stand for "none".
            pub const fn to_bits(self) -> core::num::NonZeroU64 {
                let bits = (self.generation.get() as u64) << 32 | self.index as u64;
                core::num::NonZeroU64::new(bits).expect("the generation is not zero")
            }

            /// The handle with these bits, or `None` if no handle has them. That it is well formed does not mean
            /// that it is alive: look-ups tell.
            pub const fn from_bits(bits: u64) -> Option<Self> {
                match core::num::NonZeroU32::new((bits >> 32) as u32) {
                    Some(generation) => Some(Self { index: bits as u32, generation }),
                    None => None,
                }
            }

            /// What stands on a client in the place of a handle of something that it does not see
            /// ([`mirror`](crate::mirror)). No arena ever gives it out, so it finds nothing, like a handle of the
            /// dead; it is written and read like any other.
            pub const UNSEEN: Self = Self { index: u32::MAX, generation: core::num::NonZeroU32::MIN };

            /// Whether it is [`Self::UNSEEN`].
            pub fn is_unseen(self) -> bool {
                self == Self::UNSEEN
            }
        }

        impl $crate::handle::Handle for $name {
            fn from_parts(index: u32, generation: core::num::NonZeroU32) -> Self {
                Self { index, generation }
            }

            fn index(self) -> u32 {
                self.index
            }

            fn generation(self) -> core::num::NonZeroU32 {
                self.generation
            }
        }

        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                write!(f, concat!($prefix, "{}v{}"), self.index, self.generation)
            }
        }

        impl $crate::hash::StateHash for $name {
            fn state_hash(&self, hasher: &mut $crate::hash::StateHasher) {
                self.to_bits().get().state_hash(hasher);
            }
        }

        impl $crate::codec::Encode for $name {
            fn encode(&self, encoder: &mut $crate::codec::Encoder) {
                self.index.encode(encoder);
                self.generation.get().encode(encoder);
            }
        }

        impl $crate::codec::Decode for $name {
            fn decode(decoder: &mut $crate::codec::Decoder<'_>) -> Result<Self, $crate::codec::DecodeError> {
                let index = u32::decode(decoder)?;
                let generation = core::num::NonZeroU32::new(u32::decode(decoder)?);
                let generation = generation.ok_or_else(|| decoder.invalid("a handle has generation 0"))?;
                let handle = Self { index, generation };
                Ok(decoder.names().map_or(handle, |names| names.local_or_unseen(handle)))
            }
        }
    };
}

handle! {
    /// A gameplay controller (§4).
    ControllerId, "controller"
}
handle! {
    /// An effect that is running on a controller (§9).
    ActiveEffectId, "active"
}
handle! {
    /// An ability that was granted to a controller (§8).
    AbilityHandle, "granted"
}
handle! {
    /// One run of a granted ability (§8).
    ActivationId, "activation"
}
handle! {
    /// A task of an ability that is running (§10).
    TaskId, "task"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_survive_the_way_through_c() {
        let handle = TaskId::from_parts(12, NonZeroU32::new(3).unwrap());
        assert_eq!(format!("{handle:?}"), "task12v3");
        assert_eq!(handle.to_bits().get(), 0x3_0000_000C);
        assert_eq!(TaskId::from_bits(0x3_0000_000C), Some(handle));
        assert_eq!(TaskId::from_bits(0), None);
        assert_eq!(TaskId::from_bits(0xFFFF_FFFF), None);
        assert_eq!(size_of::<Option<TaskId>>(), 8);
    }
}
