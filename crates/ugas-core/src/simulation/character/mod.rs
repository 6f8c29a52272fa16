//! Characters: `capture` saves a controller by names; `restore` and one module per kind of record create a
//! controller from it.
//!
//! The rules are in [`crate::character`].

mod abilities;
mod capture;
mod clock;
mod complete;
mod effects;
mod restore;
mod rules;
