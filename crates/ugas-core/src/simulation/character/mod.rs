//! Characters: taken down (`capture`) and made into a controller again (`restore`, then one module a kind of record).
//!
//! The law is in [`crate::character`].

mod abilities;
mod capture;
mod clock;
mod complete;
mod effects;
mod restore;
mod rules;
