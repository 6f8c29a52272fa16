//! Tests of the loader through its public face.

mod abilities;
mod corpus;
mod hostile;
mod official;
mod packs;
mod reload;
mod rendering;
mod roundtrip;
mod schemas;
mod shipped;
mod spec;
