//! The interface as C sees it.

mod calls;
mod fuzz;
mod header;
mod host;
mod rules;
