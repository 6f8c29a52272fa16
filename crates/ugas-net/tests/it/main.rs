//! The wire from outside: messages there and back, sizes by hand, hostile bytes, test vectors.

mod meaning;
mod messages;
mod wire;
mod wire_hostile;
mod wire_sizes;
mod wire_vectors;
