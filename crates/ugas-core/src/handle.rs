//! Generational handles of runtime objects (I3).
//!
//! A handle is an index and a generation. A dead handle finds nothing, even after its slot was given to
//! another object.

use core::fmt;
use core::hash::Hash;
use core::num::NonZeroU32;

use crate::hash::StateHash;

/// A typed handle of an [`Arena`](crate::arena::Arena); declared with `handle!`.
pub trait Handle: Copy + Ord + Hash + fmt::Debug + StateHash {
    /// The handle of a slot of the arena and the generation of its object.
    fn from_parts(index: u32, generation: NonZeroU32) -> Self;

    /// Index of the slot in the arena. Slots are reused, so the index alone identifies nothing.
    fn index(self) -> u32;

    /// Generation of the object among all that have used this slot.
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
            /// The handle as one number for C and the wire: the generation in the upper 32 bits, the index in
            /// the lower. Never zero, so zero can mean "none".
            pub const fn to_bits(self) -> core::num::NonZeroU64 {
                let bits = (self.generation.get() as u64) << 32 | self.index as u64;
                core::num::NonZeroU64::new(bits).expect("the generation is never zero")
            }

            /// The handle with these bits, or `None` if they are not a well-formed handle. A well-formed
            /// handle may be dead: look it up.
            pub const fn from_bits(bits: u64) -> Option<Self> {
                match core::num::NonZeroU32::new((bits >> 32) as u32) {
                    Some(generation) => Some(Self { index: bits as u32, generation }),
                    None => None,
                }
            }

            /// Placeholder on a client for the handle of an object that it does not see
            /// ([`replica`](crate::replica)). No arena allocates it, so it finds nothing, like a dead handle.
            /// It is encoded like any other.
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
            fn state_hash<S: $crate::hash::HashSink>(&self, hasher: &mut S) {
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
                let generation = generation.ok_or_else(|| decoder.invalid("the generation of a handle must not be 0"))?;
                let handle = Self { index, generation };
                Ok(decoder.handle_map().map_or(handle, |map| map.local_or_unseen(handle)))
            }
        }
    };
}

handle! {
    /// Handle of a gameplay controller (§4).
    ControllerId, "controller"
}
handle! {
    /// Handle of an active effect (§9).
    ActiveEffectId, "active"
}
handle! {
    /// Handle of a granted ability (§8).
    GrantedAbilityId, "granted"
}
handle! {
    /// Handle of an activation, one run of a granted ability (§8).
    ActivationId, "activation"
}
handle! {
    /// Handle of a running task of an activation (§10).
    TaskId, "task"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handle_bits_round_trip() {
        let handle = TaskId::from_parts(12, NonZeroU32::new(3).unwrap());
        assert_eq!(format!("{handle:?}"), "task12v3");
        assert_eq!(handle.to_bits().get(), 0x3_0000_000C);
        assert_eq!(TaskId::from_bits(0x3_0000_000C), Some(handle));
        assert_eq!(TaskId::from_bits(0), None);
        assert_eq!(TaskId::from_bits(0xFFFF_FFFF), None);
        assert_eq!(size_of::<Option<TaskId>>(), 8);
    }
}
