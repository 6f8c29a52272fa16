//! Ids of definitions and of the host's actors (I3).
//!
//! Definitions are never removed, so a plain index identifies them. Runtime objects have generational handles
//! from [`crate::arena`].

use crate::codec::StateRecord;

/// Declares a dense `u32` id for one kind of definition.
macro_rules! definition_id {
    ($(#[$meta:meta])* $name:ident, $prefix:literal) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, StateRecord)]
        pub struct $name(u32);

        impl $name {
            /// The id with this index. Ids are only meaningful in the catalog they come from.
            pub const fn from_index(index: u32) -> Self {
                Self(index)
            }

            /// Position among the definitions of this kind, sorted by name.
            pub const fn index(self) -> u32 {
                self.0
            }

            #[allow(dead_code, reason = "not every kind of definition is looked up by slice index")]
            pub(crate) const fn usize(self) -> usize {
                self.0 as usize
            }
        }

        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}

definition_id! {
    /// A tag of the registry (§7). Numbered depth-first, so a subtree is a range of ids (I4).
    TagId, "tag"
}
definition_id! {
    /// An attribute name (§5).
    AttributeId, "attribute"
}
definition_id! {
    /// An attribute set (§6).
    AttributeSetId, "set"
}
definition_id! {
    /// An effect definition (§9), of the catalog or created at run time.
    EffectId, "effect"
}
definition_id! {
    /// An ability definition (§8).
    AbilityId, "ability"
}
definition_id! {
    /// A named multiplier channel (§5.3).
    ChannelId, "channel"
}
definition_id! {
    /// A curve: a table of numbers with interpolation (§9.4.2).
    CurveId, "curve"
}
definition_id! {
    /// A calculation, native or from a file (§9.5).
    CalculationId, "calculation"
}
definition_id! {
    /// A controller template (§4.3).
    TemplateId, "template"
}

/// An actor of the host's world: an owner, an avatar, a causer, a projectile (§4.2, §9.9).
///
/// Opaque to the simulation, which only compares, stores and returns it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, StateRecord)]
pub struct ActorId(pub u64);
