//! Comparison of two recordings: the first tick at which they differ.

use std::io::{Read, Seek};

use ugas_core::command::Command;
use ugas_core::time::Time;

use crate::diff::StateDiff;
use crate::error::PlayError;
use crate::player::Player;

/// The result of comparing two recordings.
#[derive(Clone, PartialEq, Debug)]
pub enum Comparison {
    /// Both recordings have the same states up to the same end.
    Same {
        /// Number of compared states.
        compared: u64,
    },
    /// The states are the same until the shorter recording ends.
    Prefix {
        /// Number of compared states.
        compared: u64,
        /// The time at which the left recording ends.
        left: Time,
        /// The time at which the right recording ends.
        right: Time,
    },
    /// The states differ from some tick on.
    Different {
        /// The first differing tick of the left recording, from 1; 0 is the beginning.
        left_tick: u64,
        /// The first differing tick of the right recording. The numbers differ if the tick lengths differ.
        right_tick: u64,
        /// The time after the tick in the left recording.
        time: Time,
        /// The differences of the states then. Empty if a recording does not match its own hashes: verify
        /// both.
        diff: StateDiff,
        /// The first differing commands of that tick.
        commands: Option<CommandDifference>,
    },
}

/// Two differing commands at the same position; `None` on a side that has no more commands.
#[derive(Clone, PartialEq, Debug)]
pub struct CommandDifference {
    /// The command of the left recording.
    pub left: Option<Box<Command>>,
    /// The command of the right recording.
    pub right: Option<Box<Command>>,
}

/// Finds the first tick after which the states of two recordings differ. Recordings with different tick
/// lengths are compared at the times that both have (V4).
///
/// # Errors
/// If a recording cannot be read.
pub fn compare<L: Read + Seek, R: Read + Seek>(
    left: &mut Player<L>,
    right: &mut Player<R>,
) -> Result<Comparison, PlayError> {
    left.seek_tick(0)?;
    right.seek_tick(0)?;
    if left.simulation().state_hash() != right.simulation().state_hash() {
        return different(left, right, 0, 0);
    }
    // Hashes are compared in the form of the older recording.
    let codec = left.recording().header().codec.min(right.recording().header().codec);
    let (mut at_left, mut at_right) = (0u64, 0u64);
    let mut compared = 1;
    loop {
        let (l, r) = (left.recording(), right.recording());
        let (Some(left_time), Some(right_time)) = (l.time_after(at_left + 1), r.time_after(at_right + 1))
        else {
            break;
        };
        if left_time != right_time {
            // The recording that is behind catches up; of several ticks at this time, the last one counts.
            match left_time < right_time {
                true => at_left += 1,
                false => at_right += 1,
            }
            continue;
        }
        (at_left, at_right) = (at_left + 1, at_right + 1);
        let (last_left, last_right) = (l.ticks_until(left_time), r.ticks_until(right_time));
        if left.hash_after(at_left, codec)? == right.hash_after(at_right, codec)? {
            compared += 1;
            continue;
        }
        // Commands at the same time may be split into ticks differently: compare the state after all of them.
        let is_split_otherwise = last_left - at_left != last_right - at_right;
        if is_split_otherwise && left.hash_after(last_left, codec)? == right.hash_after(last_right, codec)? {
            (at_left, at_right) = (last_left, last_right);
            compared += 1;
            continue;
        }
        return different(left, right, at_left, at_right);
    }
    let (l, r) = (left.recording(), right.recording());
    let end = |time: Option<Time>| time.unwrap_or(Time::ZERO);
    let (left_end, right_end) = (end(l.time_after(l.ticks())), end(r.time_after(r.ticks())));
    Ok(match (l.ticks(), r.ticks()) == (at_left, at_right) {
        true => Comparison::Same { compared },
        false => Comparison::Prefix { compared, left: left_end, right: right_end },
    })
}

/// Result for two recordings that differ at these ticks: seeks both players there, and compares the states
/// and the commands of the ticks. Tick 0 is the beginning, which has no commands.
fn different<L: Read + Seek, R: Read + Seek>(
    left: &mut Player<L>,
    right: &mut Player<R>,
    left_tick: u64,
    right_tick: u64,
) -> Result<Comparison, PlayError> {
    let mut commands = None;
    if let (Some(l), Some(r)) = (left_tick.checked_sub(1), right_tick.checked_sub(1)) {
        let (l, r) = (left.recording_mut().tick(l)?, right.recording_mut().tick(r)?);
        let (l, r) = (l.map(|tick| tick.commands), r.map(|tick| tick.commands));
        commands = first_difference(l.unwrap_or_default(), r.unwrap_or_default());
    }
    left.seek_tick(left_tick)?;
    right.seek_tick(right_tick)?;
    let names = left.recording().controller_names();
    let name = |id| names.known(left.simulation(), id).unwrap_or_else(|| right.name_of(id));
    let diff = StateDiff::between(left.simulation(), right.simulation(), name);
    let time = left.simulation().now();
    Ok(Comparison::Different { left_tick, right_tick, time, diff, commands })
}

/// First pair of commands that differ, in order; `None` if the lists are equal.
fn first_difference(left: Vec<Command>, right: Vec<Command>) -> Option<CommandDifference> {
    let (mut left, mut right) = (left.into_iter(), right.into_iter());
    loop {
        match (left.next(), right.next()) {
            (None, None) => return None,
            (l, r) if l == r => {}
            (l, r) => return Some(CommandDifference { left: l.map(Box::new), right: r.map(Box::new) }),
        }
    }
}
