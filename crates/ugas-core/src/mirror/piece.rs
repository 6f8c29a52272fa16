//! Pieces: what a controller is made of, for those who watch it from elsewhere.

use crate::handle::{AbilityHandle, ActivationId, ActiveEffectId, TaskId};
use crate::id::{ActorId, AttributeId, AttributeSetId, TagId, TemplateId};
use crate::targeting::{Placement, Team};
use crate::time::Time;

/// How much of a controller a viewer is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sight {
    /// Its active effects; tags and cues follow from them.
    pub effects: bool,
    /// Its abilities, their runs and tasks, and its inputs.
    pub abilities: bool,
}

/// Which piece of a controller.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PieceKey {
    /// Who it is.
    Head,
    /// Where it is.
    Placement,
    /// An attribute.
    Attribute(AttributeId),
    /// A tag that does not follow from an effect in sight.
    Tag(TagId),
    /// A cue that does not follow from an effect or a run in sight.
    Cue(TagId),
    /// An active effect.
    Effect(ActiveEffectId),
    /// A granted ability.
    Ability(AbilityHandle),
    /// A run of an ability.
    Run(ActivationId),
    /// A task of a run.
    Task(TaskId),
    /// Held and buffered inputs, and counters.
    Inputs,
}

/// Who a controller is.
#[derive(Clone, PartialEq, Debug)]
pub struct Head {
    /// The template it was spawned from.
    pub template: Option<TemplateId>,
    /// The actor that owns it.
    pub owner: Option<ActorId>,
    /// The actor that represents it.
    pub avatar: Option<ActorId>,
    /// Its attribute sets, sorted.
    pub sets: Vec<AttributeSetId>,
    /// On whose side it is.
    pub team: Option<Team>,
}

/// What a piece is like.
#[derive(Clone, PartialEq, Debug)]
pub enum Piece {
    /// Who it is.
    Head(Head),
    /// Where it is.
    Placement(Placement),
    /// An attribute's values.
    Attribute {
        /// Base value.
        base: f64,
        /// Current value.
        current: f64,
    },
    /// How often the tag was granted.
    Tag(u32),
    /// A cue that is shown.
    Cue {
        /// How many show it.
        count: u32,
        /// Since when.
        since: Time,
    },
    /// Anything else, as only the core reads it.
    Record(Vec<u8>),
}
