//! Tests of the façade through its public interface, and of the tree it lives in.

mod error;
mod executors;
mod observers;
mod rules;
mod tidy;
