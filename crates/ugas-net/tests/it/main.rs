//! Integration tests: whole matches on simulated links, and the wire format (round trips, sizes, hostile
//! bytes, test vectors).

mod adversary;
mod authority;
mod clock;
mod contract;
mod cue_context;
mod decoding_after_loss;
mod first_command;
mod fixture;
mod host_recording;
mod message_json;
mod messages;
mod own_state;
mod prediction;
mod quantised;
mod reconnect;
mod replication;
mod resume;
mod round_trip_jump;
mod server_reload;
mod server_stall;
mod set_replication;
mod soak;
mod soak_regressions;
mod taint;
mod touched_controllers;
mod wire;
mod wire_hostile;
mod wire_sizes;
mod wire_vectors;
