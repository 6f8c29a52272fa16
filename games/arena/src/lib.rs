//! A top-down hero fight: what UGAS and its Bevy plugin look like in a game.
//!
//! The library is the game without a picture: it runs in any Bevy app, with or without a window, and plays by itself if
//! nobody is there to play. The rules are none of its business: what abilities do, what they cost, how fast who walks and
//! when who falls stands in `packs/arena`, and can be changed while the game runs.
//!
//! | module | what it does |
//! |---|---|
//! | [`field`] | bodies: where everybody is, and how they move |
//! | [`fighter`] | who fights, and on which side |
//! | [`pad`] | what a player wants, and how that becomes gameplay |
//! | [`shot`] | what flies |
//! | [`mind`] | what minions want |
//! | [`bot`] | what a player wants who is not there |
//! | [`tally`] | what is counted |
//! | [`way`] | who decides, and how bad the way to the server is made
//! | [`game`] | the plugin that has all of it |
//! | [`network`] | a server for others, and a window on one
//! | [`headless`] | a whole match, as fast as the machine can |
#![forbid(unsafe_code)]

pub mod bot;
pub mod field;
pub mod fighter;
pub mod game;
pub mod headless;
pub mod mind;
pub mod network;
pub mod pad;
pub mod shot;
pub mod tally;
pub mod way;
#[cfg(feature = "window")]
pub mod window;

pub use game::{ArenaPlugin, pack_folder};
