//! A server's controllers on another machine.

mod piece;

pub use piece::{Head, Piece, PieceKey, Sight};
