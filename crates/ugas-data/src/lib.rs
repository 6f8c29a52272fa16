//! Packs of UGAS files: read, diagnosed, and lowered to a [`Catalog`](ugas_core::catalog::Catalog).
//!
//! Reading order: [`source`] (text and positions), [`node`] (YAML and JSON as one tree), [`decode`] (tree to
//! records, from one table of fields that also gives the JSON Schemas and the writer), [`model`] (the
//! records), `check` (references and rules across documents), `lower` (records to definitions), [`loader`]
//! (all of it in order), [`scenario`] (scripted runs of a pack with expectations), [`character`] (saved
//! controllers), [`mod@reload`] (a pack that changes while a game runs), and [`diagnostics`] (every code with
//! its page).
//!
//! Loading reports every problem, not only the first (I9), and never panics on a file (I10).
//!
//! ```
//! use ugas_data::Loader;
//!
//! let pack = Loader::new()
//!     .text("hit.yaml", "
//! $schema: https://example.org/schemas/gameplay_effect.json
//! Name: GE_Hit
//! DurationPolicy: Instant
//! Modifiers: [ { Attribute: Health, Operation: Add, Magnitude: { Type: ScalableFloat, Value: -10 } } ]
//! ---
//! $schema: https://example.org/schemas/attribute_set.json
//! Name: Combat
//! Attributes: [ { Name: Health, DefaultBaseValue: 100 } ]
//! ")
//!     .load()?;
//! assert!(pack.catalog.effect("GE_Hit").is_ok());
//! # Ok::<(), ugas_data::LoadError>(())
//! ```
#![forbid(unsafe_code)]

mod base64;
pub mod character;
mod check;
pub mod decode;
pub mod diagnostics;
pub mod loader;
mod lower;
pub mod model;
pub mod node;
pub mod reload;
pub mod scenario;
pub mod schema;
pub mod source;

pub use diagnostics::{Diagnostic, Report, Severity};
pub use loader::{LoadError, Loader, Pack, check, load};
pub use scenario::Scenario;
pub use source::{FileId, Limits, SourceMap, Span};
