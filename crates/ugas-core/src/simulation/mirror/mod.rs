//! Windows on simulations (§13.1): `cut` takes a controller apart, `install` makes a simulation what a mirror shows, and
//! `rename` says what things are called there. See [`crate::mirror`].

mod cut;
mod install;
mod rename;
