//! The plugin in a real `App`, without a window: one file a part.

mod assets;
mod controllers;
mod cues;
mod events;
mod fixture;
mod idle;
mod inputs;
mod net;
mod overlay;
mod saving;
mod transforms;
mod typed;
