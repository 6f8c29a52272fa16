//! Tests of the crate through its public API.

mod abilities;
mod book;
mod characters;
mod command_observer;
mod corpus;
mod hostile;
mod inherit;
mod initial_state;
mod official;
mod outcomes;
mod packs;
mod puzzle2048;
mod reload;
mod rendering;
mod roundtrip;
mod scenario_failures;
mod scenarios_in_packs;
mod schemas;
mod shipped;
mod spec;
mod tags;
