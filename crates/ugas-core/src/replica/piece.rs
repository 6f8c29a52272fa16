//! Pieces of a controller.

use crate::codec::{Encoder, StateRecord};
use crate::handle::{ActivationId, ActiveEffectId, GrantedAbilityId, TaskId};
use crate::id::{AttributeId, TagId};
use crate::targeting::Placement;
use crate::time::Time;

/// Kinds of records of a controller that a viewer receives (§13.2). Attributes, tags and looping cues are
/// always sent.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, StateRecord)]
pub struct RecordVisibility {
    /// Active effects. Without them, tags and cues are sent as pieces; with them, they are derived.
    pub effects: bool,
    /// Granted abilities with their activations and tasks, and inputs.
    pub abilities: bool,
}

impl RecordVisibility {
    /// Neither effects nor abilities.
    pub const NONE: Self = Self { effects: false, abilities: false };
    /// Effects without abilities.
    pub const EFFECTS: Self = Self { effects: true, abilities: false };
    /// Effects and abilities, as the owner has them.
    pub const ALL: Self = Self { effects: true, abilities: true };
}

/// Detail of the pieces for one kind of viewer: the visible records, and the frozen values that effects
/// carry.
///
/// Created from a [`RecordVisibility`], the viewer is taken for the owner if abilities are visible.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PieceDetail {
    /// Kinds of records that the viewer receives.
    pub visibility: RecordVisibility,
    /// Whether effects carry the values that they froze of attributes that the owner alone receives (N1).
    pub owner_values: bool,
}

impl From<RecordVisibility> for PieceDetail {
    fn from(visibility: RecordVisibility) -> Self {
        Self { visibility, owner_values: visibility.abilities }
    }
}

impl Default for RecordVisibility {
    fn default() -> Self {
        Self::ALL
    }
}

/// Identity of a piece within its controller. Pieces are produced in the order of their keys.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, StateRecord)]
pub enum PieceKey {
    /// Head record: template, owner, avatar, sets, team. Without it the controller does not exist.
    Head,
    /// Position and facing in the world.
    Placement,
    /// Base and current value of an attribute.
    Attribute(AttributeId),
    /// Count of a tag, where it does not follow from visible effects.
    Tag(TagId),
    /// A looping cue, where it does not follow from visible effects and activations.
    Cue(TagId),
    /// An active effect. A record.
    Effect(ActiveEffectId),
    /// A granted ability. A record.
    Ability(GrantedAbilityId),
    /// An activation. A record.
    Activation(ActivationId),
    /// A task of an activation. A record.
    Task(TaskId),
    /// Held inputs and the input buffer. A record.
    Inputs,
}

impl PieceKey {
    /// Whether its content is a record.
    pub fn is_record(self) -> bool {
        !matches!(self, Self::Placement | Self::Attribute(_) | Self::Tag(_) | Self::Cue(_))
    }
}

/// The content of a piece.
#[derive(Clone, PartialEq, Debug, StateRecord)]
pub enum Piece {
    /// Content of [`PieceKey::Placement`].
    Placement(Placement),
    /// Content of [`PieceKey::Attribute`]. The sender may round both values.
    Attribute {
        /// Base value.
        base: f64,
        /// Current value, taken as it is until something on the client changes it.
        current: f64,
    },
    /// Content of [`PieceKey::Tag`]: its count, at most [`Self::MOST_TAGS`].
    Tag(u32),
    /// Content of [`PieceKey::Cue`].
    Cue {
        /// Number of holders that are not visible, at most [`Self::MOST_CUES`]. Zero if the cue follows from
        /// other pieces, and only its context does not.
        count: u32,
        /// Earliest start among the present holders of the cue.
        since: Time,
        /// Context of the cue (C1), in the format of the codec; empty if unknown. See
        /// [`Replica::cue_parameters`](crate::replica::Replica::cue_parameters).
        context: Box<[u8]>,
    },
    /// Content of every other key: bytes in the [format of the codec](crate::codec), to be sent unchanged.
    /// Handles in it are those of the server's simulation.
    Record(Box<[u8]>),
}

impl Piece {
    /// Largest tag count that is sent; larger counts are clamped, so that a server cannot exhaust a client.
    pub const MOST_TAGS: u32 = 255;

    /// Largest number of cue holders that is sent; larger numbers are clamped.
    pub const MOST_CUES: u32 = 15;

    /// Maximum size of a cue's context in bytes. A payload that does not fit is omitted.
    pub const MOST_CUE_CONTEXT: usize = 512;

    /// Borrows the piece.
    pub fn as_ref(&self) -> PieceRef<'_> {
        match self {
            Self::Placement(placement) => PieceRef::Placement(*placement),
            Self::Attribute { base, current } => PieceRef::Attribute { base: *base, current: *current },
            Self::Tag(count) => PieceRef::Tag(*count),
            Self::Cue { count, since, context } => PieceRef::Cue { count: *count, since: *since, context },
            Self::Record(bytes) => PieceRef::Record(bytes),
        }
    }
}

/// The borrowed content of a piece.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum PieceRef<'a> {
    /// See [`Piece::Placement`].
    Placement(Placement),
    /// See [`Piece::Attribute`].
    Attribute {
        /// Base value.
        base: f64,
        /// Current value.
        current: f64,
    },
    /// See [`Piece::Tag`].
    Tag(u32),
    /// See [`Piece::Cue`].
    Cue {
        /// Number of holders that are not visible.
        count: u32,
        /// Earliest start among the holders.
        since: Time,
        /// Context of the cue, encoded.
        context: &'a [u8],
    },
    /// See [`Piece::Record`].
    Record(&'a [u8]),
}

impl PieceRef<'_> {
    /// Copies the piece.
    pub fn to_piece(self) -> Piece {
        match self {
            Self::Placement(placement) => Piece::Placement(placement),
            Self::Attribute { base, current } => Piece::Attribute { base, current },
            Self::Tag(count) => Piece::Tag(count),
            Self::Cue { count, since, context } => Piece::Cue { count, since, context: context.into() },
            Self::Record(bytes) => Piece::Record(bytes.into()),
        }
    }
}

/// Reusable memory for [`Simulation::pieces`](crate::simulation::Simulation::pieces) (I6). Its content has no
/// meaning.
#[derive(Clone, Debug, Default)]
pub struct PieceScratch {
    pub(crate) record: Encoder,
    pub(crate) keys: Vec<PieceKey>,
    /// Tags or cues with their counts and earliest starts, sorted by tag.
    pub(crate) shown: Vec<(TagId, u32, Time)>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::{from_bytes, to_bytes};

    #[test]
    fn piece_keys_sort_like_their_bytes() {
        let keys = [
            PieceKey::Head,
            PieceKey::Placement,
            PieceKey::Attribute(AttributeId::from_index(3)),
            PieceKey::Tag(TagId::from_index(2)),
            PieceKey::Cue(TagId::from_index(1)),
            PieceKey::Effect(ActiveEffectId::UNSEEN),
            PieceKey::Ability(GrantedAbilityId::UNSEEN),
            PieceKey::Activation(ActivationId::UNSEEN),
            PieceKey::Task(TaskId::UNSEEN),
            PieceKey::Inputs,
        ];
        assert!(keys.is_sorted());
        for (at, key) in keys.into_iter().enumerate() {
            let bytes = to_bytes(&key);
            assert_eq!((usize::from(bytes[0]), from_bytes::<PieceKey>(&bytes).unwrap()), (at, key));
        }
    }

    #[test]
    fn borrowed_piece_copies_to_an_equal_one() {
        let pieces = [
            Piece::Attribute { base: 1.0, current: 2.0 },
            Piece::Tag(3),
            Piece::Cue { count: 1, since: Time::from_micros(7), context: vec![3].into() },
            Piece::Record(vec![1, 2].into()),
            Piece::Placement(Placement::default()),
        ];
        for piece in pieces {
            assert_eq!(piece.as_ref().to_piece(), piece);
        }
    }
}
