//! Recordings of every version of the format and the codec stay readable. `UPDATE_EXPECT=1` writes the file
//! of the current versions if it is missing, and never overwrites one.

use std::io::Cursor;
use std::path::Path;

use ugas_core::codec;
use ugas_replay::{Comparison, Recording, compare, format, verify};

use crate::fight::{TICKS, player, recorded};

/// Version of the format and of the codec.
type Versions = (u32, u32);

/// All versions that were ever written.
const WRITTEN: [Versions; 5] = [(1, 1), (1, 2), (1, 3), (1, 4), PRESENT];
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
fn recordings_of_all_versions_are_readable_and_verified() {
    for versions in WRITTEN {
        let mut player = player(&golden(versions));
        let verification = verify(&mut player).unwrap();
        assert_eq!((verification.ticks, verification.difference), (TICKS, None));
        let names: Vec<&str> = player.recording().names().map(|(_, name)| name).collect();
        assert_eq!(names, ["hero", "wolf"]);
    }
}

/// The state hashes of codec versions up to 4 have another form than those of today.
#[test]
fn recordings_with_different_forms_of_hashes_are_compared() {
    let same = Comparison::Same { compared: TICKS + 1 };
    let (old, new) = (golden((1, 4)), golden(PRESENT));
    assert_eq!(compare(&mut player(&old), &mut player(&new)).unwrap(), same);
    assert_eq!(compare(&mut player(&new), &mut player(&old)).unwrap(), same);
    let mut old = player(&old);
    while old.step().unwrap() {
        assert_eq!(old.agrees(), Some(true));
    }
}

/// Recording the fight again gives the same bytes: neither format nor rules have changed by accident.
#[test]
fn current_version_is_written_with_the_same_bytes() {
    assert!(golden(PRESENT) == recorded(), "the bytes differ; raise the version if the change is intended");
}

#[test]
fn flipped_bits_are_detected() {
    let bytes = golden(PRESENT);
    let original = player(&bytes).recording().ticks();
    for at in 0..bytes.len() {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << (at % 8);
        // If it opens at all, it is a prefix of the original.
        if let Ok(recording) = Recording::salvage(Cursor::new(flipped)) {
            assert!(recording.ticks() <= original);
            assert!(!matches!(recording.tail(), ugas_replay::Tail::Complete), "{at}");
        }
    }
}
