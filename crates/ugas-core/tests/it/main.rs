//! The rules of `ugas-core` through its public interface: one module for each subject, one test for each
//! clause or edge case.
//!
//! Expected numbers come from the documents or from arithmetic in a comment, never from running the code.
#![allow(clippy::float_cmp, reason = "values that are exact in binary are compared exactly")]

mod commands;
mod explain;
mod fixture;
mod scene;

mod abilities;
mod adjustments;
mod application;
mod attribute_sets;
mod avatars;
mod bounds;
mod bytes;
mod calculations;
mod captures;
mod cascades;
mod catalog_errors;
mod characters;
mod controllers;
mod cue_calls;
mod cue_manager;
mod cue_model;
mod cues_and_abilities;
mod cycles;
mod debug;
mod effect_interactions;
mod evaluation;
mod event_filter;
mod event_order;
mod execution_policies;
mod executions;
mod fast_paths;
mod hashes;
mod hooks;
mod indexes;
mod inhibition;
mod input_mapping;
mod inputs;
mod limits;
mod magnitudes;
mod migration;
mod modifier_pipeline;
mod modifier_qualification;
mod panics;
mod periodic;
mod predictions;
mod reload;
mod reload_activations;
mod reload_values;
mod removal;
mod replica;
mod rollback;
mod rollback_events;
mod runtime_effects;
mod stacking;
mod state_boundaries;
mod summons;
mod tag_counts;
mod tags;
mod targeting;
mod targets;
mod tasks;
mod values_and_time;
mod worked_examples;
