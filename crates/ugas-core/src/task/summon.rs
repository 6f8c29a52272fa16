//! Tasks that spawn and despawn controllers (A17): definitions and resolved forms.

use std::sync::Arc;

use super::def::{NumberDef, Recipient};
use super::routine::Number;
use crate::codec::StateRecord;
use crate::id::TemplateId;
use crate::tag::TagSet;
use crate::targeting::Team;

/// Position of a spawned controller.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, StateRecord)]
pub enum SpawnPlace {
    /// At the ability's owner.
    #[default]
    Owner,
    /// At the activation's target. Without a target the task is skipped.
    Target,
    /// At the targeted location. Without a location the task is skipped.
    Location,
}

/// A displacement in world axes.
#[derive(Clone, PartialEq, Debug, StateRecord)]
pub struct OffsetDef {
    /// Along the first axis.
    pub x: NumberDef,
    /// Along the second axis.
    pub y: NumberDef,
    /// Along the third axis.
    pub z: NumberDef,
}

/// Parameters of `SpawnController` (A17).
#[derive(Clone, PartialEq, Debug, StateRecord)]
pub struct SpawnDef {
    /// Name of the controller template.
    pub template: String,
    /// Number of controllers; `None` for one.
    pub count: Option<NumberDef>,
    /// Their position.
    pub at: SpawnPlace,
    /// Added to that position, in world axes. Evaluated for each; `Param("Spawn.Index")` counts them from 0.
    pub offset: Option<OffsetDef>,
    /// Their team; `None` for the owner's.
    pub team: Option<String>,
    /// Seconds after which each leaves; `None` if they stay.
    pub lifetime: Option<NumberDef>,
    /// Whether they leave when the ability ends or is cancelled.
    pub bound: bool,
    /// Their name: `As`, `As.2` and so on.
    pub name: Option<String>,
}

impl SpawnDef {
    /// One controller of this template at the owner.
    pub fn new(template: impl Into<String>) -> Self {
        Self {
            template: template.into(),
            count: None,
            at: SpawnPlace::Owner,
            offset: None,
            team: None,
            lifetime: None,
            bound: false,
            name: None,
        }
    }
}

/// Parameters of `DespawnController` (A17): controllers that the owner summoned, by name or tags, or the
/// recipient.
#[derive(Clone, PartialEq, Debug, Default, StateRecord)]
pub struct DespawnDef {
    /// The name that `SpawnController` gave: all of that name, or `name.2` alone.
    pub name: Option<String>,
    /// Summoned controllers with one of these tags.
    pub tags: Vec<String>,
    /// The recipient itself, summoned or not.
    pub to: Option<Recipient>,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct SpawnTask {
    pub(crate) template: TemplateId,
    pub(crate) count: Option<Number>,
    pub(crate) at: SpawnPlace,
    pub(crate) offset: Option<[Number; 3]>,
    pub(crate) team: Option<Team>,
    pub(crate) lifetime: Option<Number>,
    pub(crate) bound: bool,
    pub(crate) name: Option<Arc<str>>,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct DespawnTask {
    pub(crate) name: Option<Arc<str>>,
    pub(crate) tags: TagSet,
    pub(crate) to: Option<Recipient>,
}
