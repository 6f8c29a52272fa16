//! The interface as C sees it.

mod callbacks;
mod calls;
mod fuzz;
mod header;
mod host;
mod network;
mod rules;
mod state;
