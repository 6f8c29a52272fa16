//! Whole matches on simulated links, and the wire bit by bit: messages there and back, sizes added up by hand, hostile
//! bytes, test vectors.

mod authority;
mod fixture;
mod meaning;
mod messages;
mod prediction;
mod replication;
mod wire;
mod wire_hostile;
mod wire_sizes;
mod wire_vectors;
