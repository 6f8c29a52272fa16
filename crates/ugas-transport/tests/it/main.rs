//! Servers and clients with real sockets on this machine: every server takes a port of its own.

mod admission;
mod both;
mod exchange;
mod hostile;
mod pair;
