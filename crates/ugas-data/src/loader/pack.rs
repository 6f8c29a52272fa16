//! Results of loading: a pack or an error.

use std::sync::Arc;

use ugas_core::catalog::Catalog;
use ugas_core::input::{InputScheme, InputSchemeBuilder, InputSchemeErrors, Platform};

use crate::decode::push_entry;
use crate::diagnostics::{Diagnostic, Report};
use crate::lower;
use crate::model::Document;
use crate::node::{Node, Value, to_yaml};
use crate::source::SourceMap;

/// Loaded pack: a catalog with the documents and files that it was built from.
#[derive(Clone, Debug)]
pub struct Pack {
    /// Catalog with all definitions.
    pub catalog: Arc<Catalog>,
    /// Documents in the order of the files.
    pub documents: Vec<Document>,
    /// Warnings, notes and lints.
    pub diagnostics: Vec<Diagnostic>,
    /// Files that the positions refer to.
    pub source_map: SourceMap,
}

impl Pack {
    /// The input documents on a platform (§11), ready for an [`InputMapper`](ugas_core::input::InputMapper).
    /// Modifiers of kind Custom change nothing; register their code with
    /// [`input_builder`](Self::input_builder) instead.
    ///
    /// # Errors
    /// If a document refers to something that a single file does not have.
    pub fn input_scheme(&self, platform: Platform) -> Result<Arc<InputScheme>, InputSchemeErrors> {
        let builder = lower::input::with_stand_ins(self.input_builder(), &self.documents);
        builder.platform(platform).build()
    }

    /// Builder with the input documents, for a host that adds its own native code. Documents that could not
    /// be decoded in full are left out.
    pub fn input_builder(&self) -> InputSchemeBuilder {
        lower::input::scheme(&self.documents)
    }

    /// Renders all documents as one canonical YAML text. Loading it gives a catalog with the same hash.
    /// Inherited fields are written out (D1), except those of a parent that a single file does not have
    /// (UG140).
    pub fn to_canonical_yaml(&self) -> String {
        let mut text = String::new();
        for document in &self.documents {
            let mut entries = Vec::new();
            let schema = document.schema.as_ref().map(|schema| schema.value.clone());
            let schema = schema.unwrap_or_else(|| document.kind.schema_address());
            push_entry(&mut entries, "$schema", Value::Text(schema));
            match document.model.encode() {
                Some(Value::Map(fields)) => entries.extend(fields),
                Some(_) => {}
                None => {
                    let fields = document.node.entries().iter();
                    entries.extend(fields.filter(|entry| entry.key.value != "$schema").cloned());
                }
            }
            if !text.is_empty() {
                text.push_str("---\n");
            }
            text.push_str(&to_yaml(&Node::synthetic(Value::Map(entries))));
        }
        text
    }
}

/// Failed load, with all diagnostics.
#[derive(Clone, PartialEq, Debug)]
pub struct LoadError {
    /// Report with at least one error.
    pub report: Report,
}

impl std::fmt::Display for LoadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let count = self.report.errors();
        writeln!(f, "the pack has {count} error{}", if count == 1 { "" } else { "s" })?;
        write!(f, "{}", self.report)
    }
}

impl std::error::Error for LoadError {}
