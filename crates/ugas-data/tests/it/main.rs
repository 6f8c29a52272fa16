//! Tests of the loader through its public face.

mod abilities;
mod book;
mod characters;
mod corpus;
mod hostile;
mod inherit;
mod neighbours;
mod official;
mod outcomes;
mod packs;
mod puzzle2048;
mod reload;
mod rendering;
mod roundtrip;
mod runs;
mod schemas;
mod shipped;
mod spec;
mod state;
mod tags;
mod witness;
