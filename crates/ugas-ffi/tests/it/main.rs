//! The interface as C sees it.

mod arguments;
mod callbacks;
mod calls;
mod cues;
mod edges;
mod fuzz;
mod header;
mod host;
mod layout;
mod network;
mod replay;
mod rules;
mod runs;
mod state;
