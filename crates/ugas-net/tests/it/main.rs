//! Whole matches on simulated links; and the wire from outside: messages there and back, sizes by hand, hostile bytes, test
//! vectors.

mod adversary;
mod authority;
mod cue_context;
mod faults;
mod first_command;
mod fixture;
mod law;
mod meaning;
mod messages;
mod overheard;
mod prediction;
mod quantised;
mod replication;
mod set_replication;
mod soak;
mod taint;
mod touches;
mod wire;
mod wire_hostile;
mod wire_sizes;
mod wire_vectors;
mod witness;
