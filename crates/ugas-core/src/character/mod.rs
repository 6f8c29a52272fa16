//! Characters: one controller as plain data by names, to be kept in a save slot, carried to another server or respawned.
//!
//! [`Simulation::character`](crate::simulation::Simulation::character) takes one down and
//! [`Simulation::restore_character`](crate::simulation::Simulation::restore_character) makes a new controller of it, in
//! any simulation of any catalog; a [`CharacterReport`] says what became of everything. A snapshot is the other way of
//! saving: it holds the whole simulation, belongs to one catalog, and goes on identically. A character is independent of
//! both, and so it leaves something behind.
//!
//! # The law
//!
//! - **P1 By name.** A character has no id of a catalog and no handle of a simulation. What has the same name where it
//!   is restored is the same thing; a name without counterpart is left out and reported.
//! - **P2 Facts are written, all else is derived** (§5.2). Facts are bases; of an effect its level, stacks, clock, phase
//!   of its period, numbers of the caller, captured values, magnitudes, dice, and whether it waits or is inhibited; of an
//!   ability its level, input, parameters, tags and used charges. Current values, tags, modifiers, timers and cues
//!   follow from them. [`CharacterAttribute::current`] and [`Character::tags`] are there for readers only; a current
//!   value that comes out differently is reported.
//! - **P3 Restoring is not an application.** Requirements, immunity, chance, remove-others, additional effects, the first
//!   tick and hooks are not repeated, nor is what a template or an ability does at the start. An ongoing requirement
//!   that fails here inhibits, and a tag that removes the effect removes it, as they do at any time.
//! - **P4 Clocks go on.** What is left of a duration, of a period and of a recharge is counted from the moment of
//!   restoring. No time passes in between. A period that the definition gives is the definition's, counted from the last
//!   tick; what is not known of a clock is what the definition says, counted from now.
//!   An effect without end counts as begun now, and so does what began before the simulation did: that matters only to
//!   [`Simulation::set_duration`](crate::simulation::Simulation::set_duration), which counts from the beginning.
//! - **P5 Instigators are looked for** by the map of the [`RestoreOptions`], then as the controller whose owner is the
//!   same actor; one that is the character itself is the new controller. An effect whose instigator is not found keeps
//!   what it last knew of it, as if its source had ceased to exist (M5): captured values stay, live readings stand still,
//!   and it does not stack by source. [`Orphans`] says if such effects are to go instead. It is reported either way.
//! - **P6 Magnitudes stand if what gives them is the same**: the definition, and the curves and calculations that it
//!   uses, compared by hash. Otherwise they are evaluated once, with the values that are here. A reading that was not
//!   captured is captured now. What cannot be evaluated is left out and reported.
//! - **P7 Effects bring their abilities back**, with what was used of them, if the definition still grants them; an
//!   ability that is to be kept (A8) comes back without its effect, too. If the definition is another one, what it grants
//!   besides is granted now.
//! - **P8 Runs of abilities stay behind**, with the tags and cues that they hold, held inputs, buffered inputs and
//!   predictions. Costs stay paid and cooldowns go on. A passive ability that ran, by `ActivateOnGrant` or by a tag that
//!   is there again, is activated anew. Effects that the character caused on others are theirs.
//! - **P9 Limits hold.** What goes beyond a limit of the [`Config`](crate::simulation::Config) or of a definition is left
//!   out, the last first, and reported. A queue whose head is missing moves up.
//! - **P10 The new controller announces itself** as a spawned one does, in one operation: `ControllerSpawned`,
//!   `AbilityGranted`, `EffectApplied` or `EffectQueued`, `TagAdded`, `CueAdded`, in this order. Values raise no event:
//!   nothing has changed.
//! - **P11 Dice.** Streams of effects that are active go on. What is rolled later depends on the seed and on the
//!   controller's ordinal, which are those of the simulation that it is in; how often was counted goes on.
//!
//! Moved twice is moved once: a character that is restored and taken down again at once is the same, up to what the
//! first report has left out.
//!
//! ```
//! use ugas_core::attribute::{AttributeDef, AttributeSetDef};
//! use ugas_core::catalog::Catalog;
//! use ugas_core::character::RestoreOptions;
//! use ugas_core::controller::ControllerDef;
//! use ugas_core::effect::EffectDef;
//! use ugas_core::modifier::Operation;
//! use ugas_core::simulation::{Config, Simulation};
//! use ugas_core::time::Span;
//!
//! let catalog = Catalog::builder()
//!     .attribute_set(AttributeSetDef::new("Combat").with(AttributeDef::new("Health", 100.0)))
//!     .effect(EffectDef::lasting("GE_Poison", 4.0).every(2.0).modify("Health", Operation::Add, -5.0))
//!     .template(ControllerDef::new("Hero").with_set("Combat"))
//!     .build()?;
//! let mut forest = Simulation::new(catalog.clone(), Config::default());
//! let hero = forest.spawn("Hero")?;
//! forest.apply_effect(catalog.effect("GE_Poison")?, None, hero)?;
//! forest.advance(Span::seconds(3.0)); // one tick; the second and last one is due in a second
//! let character = forest.character(hero).ok_or("there is a hero")?;
//!
//! let mut town = Simulation::new(catalog.clone(), Config::default());
//! let (hero, report) = town.restore_character(&character, &RestoreOptions::default())?;
//! assert!(report.is_complete());
//! town.advance(Span::seconds(1.0));
//! assert_eq!(town.current(hero, catalog.attribute("Health")?), Some(90.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod ability;
mod bytes;
mod effect;
mod options;
mod report;

pub use ability::{CharacterAbility, GrantedBy};
pub use effect::{
    AbilityReference, CapturedValue, CharacterEffect, Instigator, Lifetime, Phase, RememberedSource,
    RememberedValue,
};
pub use options::{InstigatorKey, Orphans, RestoreError, RestoreOptions};
pub use report::{CharacterEntry, CharacterOutcome, CharacterReport};

use crate::codec::plain_struct;
use crate::controller::ReplicationMode;
use crate::id::ActorId;
use crate::input::InputBufferConfig;
use crate::targeting::{Placement, Team};

/// A controller as plain data, by names (P1).
///
/// All of it may be read and changed: drop the effects that should not outlive a session, or level up an ability.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Character {
    /// What the host calls it; empty if it has not said so.
    pub name: String,
    /// The template it was spawned from.
    pub template: Option<String>,
    /// The actor that owns it (§4.2).
    pub owner: Option<ActorId>,
    /// The actor that represents it in the world (§4.2).
    pub avatar: Option<ActorId>,
    /// How it is replicated (§13.2).
    pub replication: ReplicationMode,
    /// Whether it is inactive (K1).
    pub inactive: bool,
    /// On whose side it is.
    pub team: Option<Team>,
    /// Where it is.
    pub placement: Option<Placement>,
    /// How inputs that come too early are kept; `None` is as the catalog says.
    pub input_buffer: Option<InputBufferConfig>,
    /// Its attribute sets with their attributes.
    pub sets: Vec<CharacterSet>,
    /// Tags that are its own rather than an effect's, one list for each time that some were given (T3). `None` if that
    /// is not known: then those of [`tags`](Self::tags) are that no effect grants.
    pub own_tags: Option<Vec<Vec<String>>>,
    /// Effects on it in the order of their application, queued ones included.
    pub effects: Vec<CharacterEffect>,
    /// Abilities that it has, in the order of their grants.
    pub abilities: Vec<CharacterAbility>,
    /// How often each effect that rolls dice was applied to it (V5).
    pub rolls: Vec<(String, u32)>,
    /// How often each ability was activated (V5).
    pub runs: Vec<(String, u32)>,
    /// All tags that it had, each once, whether its own or an effect's. For readers (P2).
    pub tags: Vec<String>,
}

impl Character {
    /// The base value of an attribute.
    pub fn base(&self, attribute: &str) -> Option<f64> {
        let mut attributes = self.sets.iter().flat_map(|set| &set.attributes);
        attributes.find(|known| known.name == attribute).map(|known| known.base)
    }
}

/// An attribute set of a character.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct CharacterSet {
    /// Its name.
    pub name: String,
    /// Its attributes in the order of the set.
    pub attributes: Vec<CharacterAttribute>,
}

/// An attribute of a character (§5.2).
#[derive(Clone, PartialEq, Debug, Default)]
pub struct CharacterAttribute {
    /// Its name.
    pub name: String,
    /// Its base value, which persists.
    pub base: f64,
    /// Its current value at that moment, if it is known. For readers (P2).
    pub current: Option<f64>,
}

plain_struct!(Character {
    name,
    template,
    owner,
    avatar,
    replication,
    inactive: since 4,
    team,
    placement,
    input_buffer,
    sets,
    own_tags,
    effects,
    abilities,
    rolls,
    runs,
    tags,
});
plain_struct!(CharacterSet { name, attributes });
plain_struct!(CharacterAttribute { name, base, current });
