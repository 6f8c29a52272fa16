//! Canonical text of a simulation's state and events, written from the public interface of the core.
//!
//! Two versions of the core that follow the same rules write the same text. The text has names instead of ids
//! and numbers by first appearance instead of handles, so it does not depend on the order in which slots are
//! allocated. Controllers are sorted by ordinal, attributes, tags and cues by name. Numbers are written so
//! that they read back exactly. State hash, snapshot bytes and internal sequence numbers are not part of it.
//!
//! State that the interface does not show (timers, dice) becomes visible as time advances: whoever compares
//! two cores lets both play on.

mod event;
mod show;
mod state;

use std::collections::BTreeMap;

use ugas_core::event::Event;
use ugas_core::handle::{ActivationId, ActiveEffectId, ControllerId, GrantedAbilityId, TaskId};
use ugas_core::reload::ReloadReport;
use ugas_core::simulation::Simulation;

use self::show::{Show, Writer};

/// Numbers of the handles of one simulation, in the order of their first appearance in its text.
///
/// A simulation that is restored from a snapshot needs the names from the time of the snapshot.
#[derive(Clone, Debug, Default)]
pub struct Names {
    controllers: Numbers<ControllerId>,
    effects: Numbers<ActiveEffectId>,
    abilities: Numbers<GrantedAbilityId>,
    activations: Numbers<ActivationId>,
    tasks: Numbers<TaskId>,
}

/// Numbers of the handles of one kind.
#[derive(Clone, Debug)]
struct Numbers<H>(BTreeMap<H, usize>);

impl<H> Default for Numbers<H> {
    /// Table without handles; written by hand because the derived one would require `H: Default`.
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<H: Copy + Ord> Numbers<H> {
    /// Number of a handle: 1 for the first one asked about, then 2 and so on; the same handle keeps its
    /// number. Dumps show it instead of the handle's slot, which depends on the allocation.
    fn of(&mut self, handle: H) -> usize {
        let next = self.0.len() + 1;
        *self.0.entry(handle).or_insert(next)
    }
}

impl Names {
    /// Name of a controller in dumps, `c1` and so on, by first appearance; a new controller gets the next
    /// number. [`write_characters`] also writes it where a character refers to a controller.
    pub fn controller(&mut self, id: ControllerId) -> String {
        format!("c{}", self.controllers.of(id))
    }
}

/// Appends the state to a dump: clock, controllers, effects, abilities, activations and tasks. Recorded games
/// write it after every operation; new handles get their numbers in `names`.
pub fn write_state(text: &mut String, names: &mut Names, sim: &Simulation) {
    state::write(&mut Writer { text, names, sim });
}

/// Appends where the current value of every attribute comes from: each modifier, and whether it counts.
/// Recorded games end with it, so that they also cover `Simulation::explain`.
pub fn write_explanations(text: &mut String, names: &mut Names, sim: &Simulation) {
    state::write_explanations(&mut Writer { text, names, sim });
}

/// Appends the saved character of each controller, which shows state that the rest of the interface hides:
/// captured values and random streams of its effects, and the numbers of rolls and activations so far.
pub fn write_characters(text: &mut String, names: &mut Names, sim: &Simulation) {
    state::write_characters(&mut Writer { text, names, sim });
}

/// Takes the queued events out of a simulation, appends one line for each with all its fields, and returns
/// them, so that recorded games can count their kinds.
pub fn write_events(text: &mut String, names: &mut Names, sim: &mut Simulation) -> Vec<Event> {
    let events: Vec<Event> = sim.events().collect();
    let mut writer = Writer { text, names, sim };
    for event in &events {
        event.show(&mut writer);
        writer.line();
    }
    events
}

/// Appends the entries of a reload's report, one line each: every part of the state that could not continue
/// unchanged. Recorded games write it as the result of a reload.
pub fn write_reload(text: &mut String, names: &mut Names, sim: &Simulation, report: &ReloadReport) {
    let mut writer = Writer { text, names, sim };
    for entry in &report.entries {
        entry.show(&mut writer);
        writer.line();
    }
}
