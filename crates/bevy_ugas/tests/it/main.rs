//! The plugin in a real `App`, without a window: one file a part.

mod assets;
mod controllers;
mod events;
mod fixture;
mod idle;
mod saving;
mod transforms;
