//! The interface as C sees it.

mod activations;
mod arguments;
mod callbacks;
mod cues;
mod functions;
mod fuzz;
mod header;
mod hooks;
mod host;
mod interface_rules;
mod layout;
mod misuse;
mod network;
mod replay;
mod state;
