//! Servers and clients with real sockets on this machine; every server has its own port.

mod admission;
mod exchange;
mod hostile;
mod pair;
mod traits;
