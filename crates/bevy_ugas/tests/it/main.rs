//! The plugin in a real `App`, without a window: one file per subject.

mod assets;
mod chaos;
mod controllers;
mod cues;
mod events;
mod fixture;
mod hot_reload;
mod idle;
mod inputs;
mod inspect;
mod names;
mod net;
mod net_resume;
mod overlay;
mod rules;
mod saving;
mod schedules;
mod transforms;
mod typed;
