//! Edge cases of §13 and of the network contract.

mod admission;
mod authority;
mod cues;
mod deadlines;
mod kicks;
mod ownership_of_activations;
mod rates;
mod raw_server;
mod relevancy;
mod sizes;
mod targets;
mod window;
