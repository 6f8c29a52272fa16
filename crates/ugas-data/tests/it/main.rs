//! Tests of the loader through its public face.

mod corpus;
mod hostile;
mod official;
mod packs;
mod reload;
mod rendering;
mod roundtrip;
mod runs;
mod schemas;
mod shipped;
mod spec;
