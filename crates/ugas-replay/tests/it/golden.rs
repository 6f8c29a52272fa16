//! A recording of every format version and of every version of the codec in it stays readable. `UPDATE_EXPECT=1` writes
//! that of the present versions if there is none, and never one that is there.

use std::io::Cursor;
use std::path::Path;

use ugas_core::codec;
use ugas_replay::{Recording, format, verify};

use crate::story::{TICKS, player, recorded};

/// Version of the format, and of the codec.
type Versions = (u32, u32);

/// All that were ever written.
const WRITTEN: [Versions; 3] = [(1, 1), (1, 2), PRESENT];
const PRESENT: Versions = (format::VERSION, codec::VERSION);

fn golden((version, codec): Versions) -> Vec<u8> {
    let file = match (version, codec) {
        (1, 1) => "version-1.ugasrec".to_owned(),
        _ => format!("version-{version}-codec-{codec}.ugasrec"),
    };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(file);
    if (version, codec) == PRESENT && std::env::var_os("UPDATE_EXPECT").is_some() && !path.exists() {
        std::fs::write(&path, recorded()).unwrap();
    }
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn recordings_of_all_versions_are_readable_and_true() {
    for versions in WRITTEN {
        let mut player = player(&golden(versions));
        let verification = verify(&mut player).unwrap();
        assert_eq!((verification.ticks, verification.difference), (TICKS, None));
        let names: Vec<&str> = player.recording().names().map(|(_, name)| name).collect();
        assert_eq!(names, ["hero", "wolf"]);
    }
}

/// Written again, the story gives the same bytes: neither the format nor the rules have changed by accident.
#[test]
fn the_present_version_is_written_as_it_was() {
    assert!(golden(PRESENT) == recorded(), "the bytes differ; raise the version if that is meant");
}

#[test]
fn flipped_bits_are_told_and_never_believed() {
    let bytes = golden(PRESENT);
    let original = player(&bytes).recording().ticks();
    for at in 0..bytes.len() {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << (at % 8);
        // What is read in spite of it is a beginning of the original.
        if let Ok(recording) = Recording::salvage(Cursor::new(flipped)) {
            assert!(recording.ticks() <= original);
            assert!(!matches!(recording.tail(), ugas_replay::Tail::Complete), "{at}");
        }
    }
}
