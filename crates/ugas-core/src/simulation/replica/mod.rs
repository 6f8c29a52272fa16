//! Replication of controllers (§13.1): `split` encodes a controller as pieces, `install` applies a replica to
//! a simulation, `rename` assigns local handles, and `touched` lists the controllers that changed. See
//! [`crate::replica`].

mod install;
mod rename;
mod split;
mod touched;
