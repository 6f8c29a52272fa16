//! Truncated, extended and changed files.

use std::io::{self, Cursor, Write};

use ugas_replay::{Player, ReadError, RecordError, Recorder, Recording, Tail, verify};

use crate::fight::{
    FightOptions, TICKS, forged, frame_of_tick, frames, open, player, record, recorded, settings, simulation,
};

/// Opens a truncated file, and checks that it has exactly the ticks whose frames are whole.
#[track_caller]
fn check_cut(bytes: &[u8], length: usize) -> Option<Recording<Cursor<Vec<u8>>>> {
    let frames = frames(bytes);
    let ends: Vec<usize> = frames.iter().skip(1).map(|(at, _)| *at).chain([bytes.len()]).collect();
    let whole = ends.iter().filter(|end| **end <= length).count();
    let read = Recording::open(Cursor::new(bytes[..length].to_vec()));
    if whole == 0 {
        let expected = if length == 0 { "not a recording" } else { "inside its header" };
        let error = read.unwrap_err().to_string();
        assert!(error.contains(expected), "{length}: {error}");
        return None;
    }
    let recording = read.unwrap_or_else(|error| panic!("{length}: {error}"));
    let ticks = frames[..whole].iter().filter(|(_, kind)| *kind == 1).count();
    assert_eq!(recording.ticks(), ticks as u64, "{length}");
    let begin = ends[whole - 1];
    let expected = match length - begin {
        0 if whole == frames.len() => Tail::Complete,
        0 => Tail::Unfinished,
        dropped => Tail::Torn { at: begin as u64, dropped: dropped as u64 },
    };
    assert_eq!(recording.tail(), &expected, "{length}");
    Some(recording)
}

#[test]
fn truncated_file_keeps_its_whole_frames() {
    let bytes = recorded();
    for length in 0..=bytes.len() {
        check_cut(&bytes, length);
    }
}

#[test]
fn crash_inside_the_last_tick_loses_only_that_tick() {
    let bytes = recorded();
    let frames = frames(&bytes);
    let last = frame_of_tick(&bytes, TICKS as usize);
    let (begin, end) = (frames[last].0, frames[last + 1].0);
    let complete = player(&bytes).recording().hash_after(TICKS - 1);
    for length in begin..end {
        let recording = check_cut(&bytes, length).unwrap();
        let mut player = Player::new(recording).unwrap();
        player.seek_tick(u64::MAX).unwrap();
        assert_eq!(player.position().ticks, TICKS - 1);
        assert_eq!(Some(player.simulation().state_hash()), complete);
        assert_eq!(player.agrees(), Some(true));
    }
}

#[test]
fn tail_of_zeros_is_torn() {
    let bytes = recorded();
    let (at, _) = *frames(&bytes).last().unwrap();
    for zeros in [1, 9, 5000] {
        let mut torn = bytes[..at].to_vec();
        torn.resize(at + zeros, 0);
        let recording = open(&torn);
        assert_eq!(recording.tail(), &Tail::Torn { at: at as u64, dropped: zeros as u64 });
        assert_eq!(recording.ticks(), TICKS);
    }
}

#[test]
fn every_flipped_bit_is_detected() {
    let bytes = record(FightOptions { ticks: Some(3), ..FightOptions::default() }, settings()).0;
    let frames = frames(&bytes);
    let (last, _) = *frames.last().unwrap();
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << bit;
            let read = Recording::open(Cursor::new(flipped.clone()));
            match at {
                0..8 => assert!(matches!(read, Err(ReadError::NotARecording))),
                8..12 => assert!(matches!(read, Err(ReadError::UnknownVersion { .. }))),
                // A damaged payload of the last frame looks like an unfinished one.
                _ if at >= last + 9 => {
                    assert!(matches!(read.unwrap().tail(), Tail::Torn { .. }), "{at}");
                }
                _ => {
                    let Err(ReadError::Damaged(damage)) = read else { panic!("{at} {bit}: not found") };
                    let frame = frames.iter().rev().find(|(begin, _)| *begin <= at).unwrap();
                    assert_eq!(damage.at, frame.0 as u64, "{at}");
                }
            }
        }
    }
}

#[test]
fn ticks_before_damage_can_be_played() {
    let bytes = recorded();
    let frame = frame_of_tick(&bytes, 21);
    let mut damaged = bytes.clone();
    damaged[frames(&bytes)[frame].0 + 12] ^= 4;
    let at = frames(&bytes)[frame].0;
    let error = Recording::open(Cursor::new(damaged.clone())).unwrap_err().to_string();
    assert_eq!(
        error,
        format!(
            "the recording is damaged at byte {at}, after tick 20: a frame fails its check; everything before it can be salvaged"
        )
    );
    let mut player = Player::new(Recording::salvage(Cursor::new(damaged)).unwrap()).unwrap();
    assert_eq!(player.recording().ticks(), 20);
    assert!(verify(&mut player).unwrap().difference.is_none());
}

#[test]
fn missing_and_duplicated_frames_are_detected() {
    let bytes = recorded();
    let frames = frames(&bytes);
    let frame = frame_of_tick(&bytes, 5);
    let (begin, end) = (frames[frame].0, frames[frame + 1].0);
    let missing = [&bytes[..begin], &bytes[end..]].concat();
    let double = [&bytes[..end], &bytes[begin..]].concat();
    for changed in [missing, double] {
        assert!(matches!(Recording::open(Cursor::new(changed)), Err(ReadError::Damaged(_))));
    }
}

#[test]
fn invalid_frames_with_valid_checksums_are_damage() {
    let bytes = recorded();
    let tick = frame_of_tick(&bytes, 30);
    let check = |frame: usize, change: &dyn Fn(&mut Vec<u8>), expected: &str| {
        let forged = forged(&bytes, frame, change);
        let error = Recording::open(Cursor::new(forged)).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    // A time of zero after others; a tick number that does not fit; an end mark of another tick.
    check(tick, &|payload| payload.splice(..4, [0]).for_each(drop), "time goes back");
    check(1, &|payload| payload[0] = 9, "a key frame for tick 9 after tick 0");
    let end = frames(&bytes).len() - 1;
    check(end, &|payload| payload[0] ^= 1, "the end mark is of another recording");
    check(end, &|payload| payload.push(0), "the end mark cannot be read");
    check(tick, &Vec::clear, "the tick cannot be read");
    let trailing = [&bytes[..], b"more"].concat();
    let error = Recording::open(Cursor::new(trailing)).unwrap_err().to_string();
    assert!(error.contains("4 bytes follow the end mark"), "{error}");
}

#[test]
fn undecodable_tick_is_reported_when_played() {
    let bytes = recorded();
    let forged = forged(&bytes, frame_of_tick(&bytes, 1), |payload| payload.push(0));
    let mut player = player(&forged);
    let error = player.step().unwrap_err().to_string();
    assert!(error.starts_with("tick 1 cannot be read: at byte"), "{error}");
}

/// A writer that fails after some bytes, like a full disk.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn full_disk_does_not_stop_the_game() {
    let options = FightOptions::default();
    let mut sim = simulation(options);
    let room = recorded().len() / 2;
    let mut recorder = Recorder::new(Full(room), &sim, settings()).unwrap();
    crate::fight::play(&mut sim, options, |sim, command| {
        let _ = recorder.execute(sim, command);
    });
    assert_eq!(sim.state_hash(), record(options, settings()).1.state_hash());
    assert!(matches!(recorder.error(), Some(RecordError::Io(_))));
    assert!(matches!(recorder.finish(&sim), Err(RecordError::Io(_))));
}
