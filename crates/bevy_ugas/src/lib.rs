//! [UGAS](ugas) for Bevy: attributes, tags, effects and abilities as components, observers and assets.
//!
//! A [`GameplayController`] on an entity gives it attributes, tags, effects and abilities, by a template of a
//! pack. Systems read them as components ([`Attributes`], [`Tags`], [`ActiveEffects`], [`Abilities`]) and act
//! through the system parameter [`Gameplay`]. Events reach observers, and are buffered as [messages](event).
//! The rules are an asset that can be changed while the game runs.
//!
//! # Order
//!
//! The game advances in `FixedUpdate`, or [another schedule](UgasPlugins::in_schedule), in the sets of
//! [`GameplaySystems`]:
//!
//! | set | what happens |
//! |---|---|
//! | `Input` | positions, device inputs and datagrams come in |
//! | `Act` | systems of the game act, through [`Gameplay`] or [commands](GameplayCommands) |
//! | `Simulate` | the simulation advances |
//! | `Apply` | components are updated, [events](event) are emitted |
//! | `Cues` | cues are shown |
//!
//! # Cost
//!
//! Idle controllers cost nothing: only components of controllers that the simulation touched are updated,
//! times are stored as instants, and nothing scans all entities.
#![forbid(unsafe_code)]

mod app;
mod backend;
pub mod components;
mod controller;
pub mod cue;
mod error;
pub mod event;
mod filter;
mod gameplay;
mod handler;
pub mod input;
#[cfg(feature = "inspect")]
pub mod inspect;
mod instance;
#[cfg(feature = "net")]
pub mod net;
pub mod overlay;
mod plugin;
pub mod rules;
pub mod transform;
mod typed;
mod world;

pub use app::UgasAppExt;
/// Declares an attribute set from a struct: see [the trait](trait@AttributeSet).
pub use bevy_ugas_macros::AttributeSet;
pub use components::{Abilities, ActiveEffects, AttributeReadError, Attributes, Tags};
pub use controller::{Avatar, AvatarOf, GameplayController, GameplayTeam};
pub use error::GameplayError;
pub use filter::{NamedEvent, ObserverFilter, Only};
pub use gameplay::{Gameplay, GameplayCommands, GameplayView, in_play};
pub use handler::{CueChange, TagChange};
pub use instance::{GameplayInstance, GameplayInstances, InInstance, InstanceMembers};
pub use plugin::{GameplaySchedule, GameplaySystems, UgasCorePlugin, UgasPlugins};
pub use typed::AttributeSet;
/// The simulation and its definitions.
pub use ugas;
/// Names of definitions as types, and keys of definitions.
pub use ugas::names::{AbilityName, AttributeName, EffectName, Key, Name, TagName};
/// Packs and characters as files.
pub use ugas_data as data;
pub use world::{Activated, GameplaySnapshot, GameplayWorld, actor_of, entity_of};

/// Items that most games use: `use bevy_ugas::prelude::*;`.
pub mod prelude {
    pub use crate::event::{
        AbilityActivated, AbilityEnded, AbilityRefused, AttributeChanged, CueBurst, CueEnded, CueStarted,
        EffectApplied, EffectRemoved, EffectStacksChanged, HostTaskRequested, TagAdded, TagRemoved,
    };
    pub use crate::rules::{RulesFailed, RulesInstalled, RulesReloaded, RulesState};
    pub use crate::ugas;
    pub use crate::{
        Abilities, AbilityName, ActiveEffects, AttributeName, AttributeSet, Attributes, Avatar, CueChange,
        EffectName, Gameplay, GameplayCommands, GameplayController, GameplayError, GameplaySystems,
        GameplayTeam, GameplayView, NamedEvent, ObserverFilter, TagName, Tags, UgasAppExt, UgasPlugins,
        in_play,
    };
}

/// Compiles the snippets of the manual as doctests.
#[cfg(doctest)]
mod manual {
    #[doc = include_str!("../../../docs/book/tools/bevy.md")]
    struct Bevy;
}
