//! Characters: one controller as plain data with names, for a save slot, a transfer to another server or a
//! respawn.
//!
//! [`Simulation::character`](crate::simulation::Simulation::character) captures one, and
//! [`Simulation::restore_character`](crate::simulation::Simulation::restore_character) creates a new
//! controller from it, in any simulation of any catalog; a [`CharacterReport`] lists the differences. A
//! snapshot is the other way of saving: it holds the whole simulation, belongs to one catalog, and continues
//! identically. A character is independent of both, so some of the state is not restored.
//!
//! # Rules
//!
//! - **P1 By name.** A character has no id of a catalog and no handle of a simulation. Definitions with the
//!   same name are the same; a name without a definition is left out and reported.
//! - **P2 Facts are stored, everything else is derived** (§5.2). Facts are bases; of an effect its level,
//!   stacks, clock, phase of its period, set-by-caller magnitudes, captured values, magnitudes, random
//!   streams, and whether it is queued or inhibited; of an ability its level, input, parameters, tags and
//!   used charges. Current values, tags, modifiers, timers and cues are derived from them.
//!   [`CharacterAttribute::current`] and [`Character::tags`] are for readers only; a current value that
//!   differs after restoring is reported.
//! - **P3 Restoring is not an application.** Requirements, immunity, chance, removal of others, additional
//!   effects, the first tick and hooks are not repeated, nor are the initial effects and activations of a
//!   template or an ability. An ongoing requirement that fails here inhibits, and a tag that removes the
//!   effect removes it, as at any time.
//! - **P4 Clocks continue.** The time left of a duration, a period and a recharge is counted from the moment
//!   of restoring. No time passes in between. A period of the definition is that of the present definition,
//!   counted from the last tick; an unknown part of a clock is that of the definition, counted from now. An
//!   infinite effect counts as begun now, and so does one that would have begun before the simulation: that
//!   matters only to [`Simulation::set_duration`](crate::simulation::Simulation::set_duration), which counts
//!   from the start of the effect.
//! - **P5 Instigators are looked up** in the map of the [`RestoreOptions`], then as the controller whose
//!   owner is the same actor; the character itself is the new controller. An effect whose instigator is not
//!   found keeps its last known state, as if the source had been despawned (M5): captured values stay, live
//!   reads are frozen, and it does not stack by source. With [`Orphans`] such effects can be dropped instead.
//!   Both are reported.
//! - **P6 Magnitudes stay if their definitions are the same**: the effect, and the curves and calculations
//!   that it uses, compared by hash. Otherwise they are evaluated once, with the present values. A missing
//!   capture is taken now. An effect that cannot be evaluated is left out and reported.
//! - **P7 Effects restore the abilities that they grant**, with their used charges, if the definition still
//!   grants them; an ability that outlives its effect (A8) is restored without the effect, too. If the
//!   definition changed, the additional abilities that it grants are granted now.
//! - **P8 Activations are not restored**, nor are the tags and cues that they hold, held inputs, buffered
//!   inputs and predictions. Costs stay paid and cooldowns continue. A passive ability that was active, by
//!   `ActivateOnGrant` or by a tag that is present again, is activated again. Effects that the character
//!   caused on others are not part of it.
//! - **P9 Limits hold.** State beyond a limit of the [`Config`](crate::simulation::Config) or of a definition
//!   is left out, the last first, and reported. A queue whose head is missing moves up.
//! - **P10 The new controller emits events** like a spawned one, in one operation: `ControllerSpawned`,
//!   `AbilityGranted`, `EffectApplied` or `EffectQueued`, `TagAdded`, `CueAdded`, in this order. Values emit
//!   no event: nothing has changed.
//! - **P11 Random numbers.** Streams of active effects continue. Later streams depend on the seed of the
//!   simulation and the ordinal of the controller there; the counts of rolls and activations continue.
//!
//! Restoring is idempotent: a character that is restored and captured again at once is the same, except for
//! what the first report has left out.
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

use crate::codec::StateRecord;
use crate::controller::ReplicationMode;
use crate::id::ActorId;
use crate::input::InputBufferConfig;
use crate::targeting::{Placement, Team};

/// A controller as plain data, with names (P1).
///
/// All fields may be read and changed: remove the effects that should not outlive a session, or level up an
/// ability.
#[derive(Clone, PartialEq, Debug, Default, StateRecord)]
pub struct Character {
    /// The host's name for it; empty if none was set.
    pub name: String,
    /// Name of the template it was spawned from.
    pub template: Option<String>,
    /// The actor that owns it (§4.2).
    pub owner: Option<ActorId>,
    /// The actor that represents it in the world (§4.2).
    pub avatar: Option<ActorId>,
    /// How it is replicated (§13.2).
    pub replication: ReplicationMode,
    /// Whether it is inactive (K1).
    #[state(since = 4)]
    pub inactive: bool,
    /// Its team; `None` without one.
    pub team: Option<Team>,
    /// Position and orientation; `None` if it is nowhere.
    pub placement: Option<Placement>,
    /// Configuration of its input buffer; `None` for that of the catalog.
    pub input_buffer: Option<InputBufferConfig>,
    /// Its attribute sets with their attributes.
    pub sets: Vec<CharacterSet>,
    /// Tags of its own, not granted by effects: one list for each time that some were given (T3). `None` if
    /// they are not known: then the [`tags`](Self::tags) that no effect grants are its own.
    pub own_tags: Option<Vec<Vec<String>>>,
    /// Active effects in application order, queued ones included.
    pub effects: Vec<CharacterEffect>,
    /// Granted abilities, in grant order.
    pub abilities: Vec<CharacterAbility>,
    /// How often each effect that uses random numbers was applied to it (V5).
    pub rolls: Vec<(String, u32)>,
    /// How often each ability was activated (V5).
    pub runs: Vec<(String, u32)>,
    /// All tags that it had, without duplicates, its own and those of effects. For readers (P2).
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
#[derive(Clone, PartialEq, Debug, Default, StateRecord)]
pub struct CharacterSet {
    /// Its name.
    pub name: String,
    /// Its attributes in the order of the set.
    pub attributes: Vec<CharacterAttribute>,
}

/// An attribute of a character (§5.2).
#[derive(Clone, PartialEq, Debug, Default, StateRecord)]
pub struct CharacterAttribute {
    /// Its name.
    pub name: String,
    /// Its base value, which persists.
    pub base: f64,
    /// Its current value when it was captured, if known. For readers (P2).
    pub current: Option<f64>,
}
