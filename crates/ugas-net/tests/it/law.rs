//! The letter of §13 and of the contract, at its edges.

mod admission;
mod authority;
mod cues;
mod deadlines;
mod desk;
mod rates;
mod relevancy;
mod sizes;
mod window;
