//! Whole matches on simulated links, and the wire byte by byte.

mod authority;
mod fixture;
mod prediction;
mod replication;
