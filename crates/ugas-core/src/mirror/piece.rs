//! Pieces of a controller.

use crate::codec::{Encoder, plain_enum, plain_struct};
use crate::handle::{AbilityHandle, ActivationId, ActiveEffectId, TaskId};
use crate::id::{AttributeId, TagId};
use crate::targeting::Placement;
use crate::time::Time;

/// How much of a controller a viewer gets to know (§13.2). Attributes, tags and looping cues are always among it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Sight {
    /// Its effects. Without them, tags and cues are pieces of their own; with them, they follow.
    pub effects: bool,
    /// Its abilities with their runs and tasks, and its inputs.
    pub abilities: bool,
}

impl Sight {
    /// What can be seen from outside: neither effects nor abilities.
    pub const SHOWN: Self = Self { effects: false, abilities: false };
    /// Effects too.
    pub const EFFECTS: Self = Self { effects: true, abilities: false };
    /// Everything, as the owner has it.
    pub const WHOLE: Self = Self { effects: true, abilities: true };
}

/// Detail of the pieces for one kind of viewer: what the viewer sees, and which frozen values its effects have.
///
/// Created from a [`Sight`], the viewer is taken for the owner if the abilities are in sight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PieceDetail {
    /// Effects and abilities that the viewer sees.
    pub sight: Sight,
    /// Whether effects carry the values that they froze of attributes that the owner alone receives (N1).
    pub owner_values: bool,
}

impl From<Sight> for PieceDetail {
    fn from(sight: Sight) -> Self {
        Self { sight, owner_values: sight.abilities }
    }
}

impl Default for Sight {
    fn default() -> Self {
        Self::WHOLE
    }
}

/// What a piece is about. Keys are in the order in which pieces are cut.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PieceKey {
    /// What the controller is: template, owner, avatar, sets, team. A record. Without it there is no controller.
    Head,
    /// Where it is.
    Placement,
    /// An attribute.
    Attribute(AttributeId),
    /// How often a tag is granted, where that does not follow from effects in sight.
    Tag(TagId),
    /// A looping cue, where it does not follow from effects and runs in sight.
    Cue(TagId),
    /// An active effect. A record.
    Effect(ActiveEffectId),
    /// A granted ability. A record.
    Ability(AbilityHandle),
    /// A run of an ability. A record.
    Run(ActivationId),
    /// A task of a run. A record.
    Task(TaskId),
    /// What is held down, and what was pressed too early. A record.
    Inputs,
}

impl PieceKey {
    /// Whether its content is a record.
    pub fn is_record(self) -> bool {
        !matches!(self, Self::Placement | Self::Attribute(_) | Self::Tag(_) | Self::Cue(_))
    }
}

/// The content of a piece.
#[derive(Clone, PartialEq, Debug)]
pub enum Piece {
    /// Of [`PieceKey::Placement`].
    Placement(Placement),
    /// Of [`PieceKey::Attribute`]. Whoever sends it may round both.
    Attribute {
        /// Base value.
        base: f64,
        /// Current value, taken as it is until something on the client changes it.
        current: f64,
    },
    /// Of [`PieceKey::Tag`]: how often it is granted, at most [`Self::MOST_TAGS`].
    Tag(u32),
    /// Of [`PieceKey::Cue`].
    Cue {
        /// How many of its holders are not in sight, at most [`Self::MOST_CUES`]. Zero if it follows from other pieces, and
        /// only its context does not.
        count: u32,
        /// Since when, as well as that can be known: the earliest beginning of all that shows it now.
        since: Time,
        /// Context that it is shown with (C1), in the format of the codec; empty if nothing is known of it. See
        /// [`Mirror::cue_parameters`](crate::mirror::Mirror::cue_parameters).
        context: Box<[u8]>,
    },
    /// Of every other key: bytes in the [format of the codec](crate::codec), to be sent as they are. Handles in it are
    /// those of the simulation that it was cut from.
    Record(Box<[u8]>),
}

impl Piece {
    /// Counts of tags end here: nobody outside needs to know of more, and a client must not be made to hold them.
    pub const MOST_TAGS: u32 = 255;

    /// Counts of cues end here.
    pub const MOST_CUES: u32 = 15;

    /// Most bytes of the context of a cue. A payload that does not fit is left out.
    pub const MOST_CUE_CONTEXT: usize = 512;

    /// The same, borrowed.
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

/// The content of a piece that is somebody else's.
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
        /// How many of its holders are not in sight.
        count: u32,
        /// Since when.
        since: Time,
        /// Context that it is shown with.
        context: &'a [u8],
    },
    /// See [`Piece::Record`].
    Record(&'a [u8]),
}

impl PieceRef<'_> {
    /// The same, owned.
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

/// Memory for [cutting](crate::simulation::Simulation::pieces), to be used again and again (I6). Its content means nothing.
#[derive(Clone, Debug, Default)]
pub struct PieceScratch {
    pub(crate) record: Encoder,
    pub(crate) keys: Vec<PieceKey>,
    /// Tags or cues: how many, since when.
    pub(crate) shown: Vec<(TagId, u32, Time)>,
}

plain_struct!(Sight { effects, abilities });
plain_enum!(Piece {
    0 => Placement(placement),
    1 => Attribute { base, current },
    2 => Tag(count),
    3 => Cue { count, since, context },
    4 => Record(bytes),
});
plain_enum!(PieceKey {
    0 => Head,
    1 => Placement,
    2 => Attribute(attribute),
    3 => Tag(tag),
    4 => Cue(tag),
    5 => Effect(effect),
    6 => Ability(ability),
    7 => Run(run),
    8 => Task(task),
    9 => Inputs,
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::{from_bytes, to_bytes};

    #[test]
    fn keys_are_in_the_order_of_their_bytes() {
        let keys = [
            PieceKey::Head,
            PieceKey::Placement,
            PieceKey::Attribute(AttributeId::from_index(3)),
            PieceKey::Tag(TagId::from_index(2)),
            PieceKey::Cue(TagId::from_index(1)),
            PieceKey::Effect(ActiveEffectId::UNSEEN),
            PieceKey::Ability(AbilityHandle::UNSEEN),
            PieceKey::Run(ActivationId::UNSEEN),
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
    fn borrowed_and_owned_are_the_same() {
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
