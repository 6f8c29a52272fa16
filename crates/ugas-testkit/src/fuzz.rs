//! Fuzz bodies: properties that must hold for any bytes. `cargo test` runs them on seeds and a few thousand
//! mutations of these (see [`Mutator`]); the targets in `fuzz/` run the same bodies under libFuzzer.
//!
//! A body panics if its property does not hold.

mod bytes;
mod expression;
mod mutate;
mod network;
mod operations;
mod recording;
mod replica;
mod scenario;
mod wire;

pub use bytes::{command, command_seeds, snapshot, snapshot_seeds};
pub use expression::expression;
pub use mutate::Mutator;
pub use network::{client, client_seeds, server, server_seeds};
pub use operations::operations;
pub use recording::recording;
pub use replica::{replica, replica_seeds};
pub use scenario::{scenario, state, state_seeds};
pub use wire::{
    wire_to_client, wire_to_client_seeds, wire_to_listener, wire_to_server, wire_to_server_seeds,
};

use ugas_data::diagnostics::{Colour, render};
use ugas_data::{Limits, Loader, Report};

/// Limits that keep one run short: large files find no more bugs.
pub(crate) const LIMITS: Limits = Limits {
    file_bytes: 1 << 16,
    files: 4,
    pack_bytes: 1 << 18,
    depth: 64,
    nodes: 20_000,
    pack_nodes: 40_000,
    diagnostics: 200,
};

/// Fuzz body: loads any bytes as a YAML file. It must not panic, and every diagnostic has a position in the
/// file and can be rendered.
pub fn load_yaml(bytes: &[u8]) {
    load_and_check("fuzz.yaml", bytes);
}

/// Fuzz body: loads any bytes as a JSON file, with the same properties as [`load_yaml`].
pub fn load_json(bytes: &[u8]) {
    load_and_check("fuzz.json", bytes);
}

/// Fuzz body: the canonical YAML of a valid pack loads to the same rules and is rendered to the same text.
/// Bytes that are no valid pack are skipped.
pub fn round_trip(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    // As a single file, so that seeds that are part of a pack load alone.
    let loader = |text: &str| Loader::new().text("fuzz.yaml", text).limits(LIMITS).as_single_file();
    let Ok(pack) = loader(&text).load() else { return };
    // Fields of a parent that the file does not have cannot be written out (D1).
    if pack.diagnostics.iter().any(|diagnostic| diagnostic.code == "UG140") {
        return;
    }
    let canonical = pack.to_canonical_yaml();
    // The canonical text writes out aliases and indents, so it may be longer than the original.
    let limits = Limits { file_bytes: 1 << 24, pack_bytes: 1 << 24, ..LIMITS };
    let again = match loader(&canonical).limits(limits).load() {
        Ok(again) => again,
        Err(error) => panic!("canonical YAML does not load: {error}\n{canonical}"),
    };
    assert_eq!(pack.catalog.hash(), again.catalog.hash(), "other rules:\n{canonical}");
    assert_eq!(canonical, again.to_canonical_yaml(), "canonical YAML is not a fixed point");
}

/// Loads any bytes as a file of this name, as a set and as a single file, and checks the reports of both. The
/// ending of the name chooses the format.
fn load_and_check(name: &str, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for loader in [Loader::new().as_set(), Loader::new().as_single_file()] {
        check_report(&loader.text(name, text.as_ref()).limits(LIMITS).check());
    }
}

/// Checks a report of the loader: each diagnostic has a position in its file, a message and help, and the
/// report can be rendered as text and JSON. Panics otherwise.
fn check_report(report: &Report) {
    for diagnostic in &report.diagnostics {
        let file = report.source_map.file(diagnostic.span.file);
        let length = file.map_or(0, |file| file.text().len());
        assert!(diagnostic.span.start as usize <= length, "a place beyond the file: {diagnostic:?}");
        assert!(diagnostic.span.start <= diagnostic.span.end, "a place inside out: {diagnostic:?}");
        assert!(!diagnostic.message.is_empty() && !diagnostic.help.is_empty(), "no help: {diagnostic:?}");
        render(&report.source_map, diagnostic, Colour::Never);
    }
    report.to_json();
}
