//! A top-down hero fight: an example game with UGAS and its Bevy plugin.
//!
//! The library is the game without rendering: it runs in any Bevy app, with or without a window, and bots can
//! play it. The rules are data: effects and costs of abilities, movement speeds and deaths are defined in
//! `packs/arena`, and can be changed while the game runs.
//!
//! | module | what it does |
//! |---|---|
//! | [`field`] | bodies: positions and movement |
//! | [`fighter`] | fighters: kinds, teams and spawning |
//! | [`pad`] | input of a player, and its translation to gameplay |
//! | [`shot`] | projectiles |
//! | [`minion_ai`] | AI of minions |
//! | [`bot`] | bots that play champions |
//! | [`tally`] | counters of a match |
//! | [`link`] | role of the process, and simulated link conditions |
//! | [`game`] | the plugin with all of it |
//! | [`network`] | server and client |
//! | [`headless`] | matches without rendering |
#![forbid(unsafe_code)]

pub mod bot;
pub mod field;
pub mod fighter;
pub mod game;
pub mod headless;
pub mod link;
pub mod minion_ai;
pub mod network;
pub mod pad;
pub mod shot;
pub mod tally;
#[cfg(feature = "window")]
pub mod window;

pub use game::{ArenaPlugin, pack_folder};
