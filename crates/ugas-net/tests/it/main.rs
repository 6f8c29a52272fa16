//! The wire from outside: sizes, hostile bytes, vectors.
