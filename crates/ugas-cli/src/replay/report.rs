//! `--verify` and `--compare`.

use std::fmt::Write;

use serde_json::json;
use ugas_core::command::Command;
use ugas_replay::{CommandDifference, Comparison, HashDifference, StateDiff, Verification};

use super::{RecordingPlayer, describe, tail_problem, tail_word};
use crate::Status;
use crate::output::{self, Format, count};

/// Plays the whole recording and compares it with the recorded hashes. Negative if a state differs.
pub(super) fn verify(player: &mut RecordingPlayer, format: Format) -> anyhow::Result<Status> {
    let Verification { ticks, key_frames, difference } = ugas_replay::verify(player)?;
    let tail = player.recording().tail();
    match format {
        Format::Json => output::print_json(&json!({
            "verified": difference.is_none(),
            "tail": tail_word(tail),
            "tail_problem": tail_problem(tail),
            "ticks": ticks,
            "key_frames": key_frames,
            "difference": difference.as_ref().map(difference_json),
        }))?,
        Format::Text => output::print(&match &difference {
            None => format!(
                "{} {} and {}: the same states as recorded\n",
                output::good("verified:"),
                count(ticks as usize, "tick"),
                count(key_frames as usize, "key frame")
            ),
            Some(difference) => difference_text(difference),
        })?,
    }
    Ok(if difference.is_none() { Status::Success } else { Status::Negative })
}

/// First difference in words, with the fields that differ at the next key frame, if there is one.
fn difference_text(difference: &HashDifference) -> String {
    let HashDifference { tick, time, recorded, simulated, at_key_frame } = difference;
    let mut text = format!(
        "{} the state after tick {tick} at {} s has the hash {simulated:016x}, and {recorded:016x} was recorded\n",
        output::bad("differs:"),
        time.as_seconds()
    );
    match at_key_frame {
        None => text.push_str("no key frame follows, so the differing fields are unknown\n"),
        Some((key, diff)) if diff.is_empty() => {
            let _ = writeln!(
                text,
                "at the key frame after tick {key} the states are the same: only the recorded hash is wrong"
            );
        }
        Some((key, diff)) => {
            let _ = writeln!(text, "at the key frame after tick {key}, recorded -> simulated:");
            indent(&mut text, diff);
        }
    }
    text
}

fn difference_json(difference: &HashDifference) -> serde_json::Value {
    let HashDifference { tick, time, recorded, simulated, at_key_frame } = difference;
    json!({
        "tick": tick,
        "time": time.as_seconds(),
        "recorded": format!("{recorded:016x}"),
        "simulated": format!("{simulated:016x}"),
        "key_frame": at_key_frame.as_ref().map(|(key, _)| key),
        "fields": at_key_frame.as_ref().map(|(_, diff)| describe::diff_json(diff)),
    })
}

/// Finds the first tick at which two recordings differ.
pub(super) fn compare(
    left: &mut RecordingPlayer,
    right: &mut RecordingPlayer,
    format: Format,
) -> anyhow::Result<Status> {
    let comparison = ugas_replay::compare(left, right)?;
    let document = match &comparison {
        Comparison::Same { compared } => json!({ "relation": "same", "compared": compared }),
        Comparison::Prefix { compared, left, right } => json!({
            "relation": "prefix",
            "compared": compared,
            "left": left.as_seconds(),
            "right": right.as_seconds(),
        }),
        Comparison::Different { left_tick, right_tick, time, diff, commands } => {
            let pair = commands.as_ref().map(|pair| descriptions(left, right, pair));
            let (left_command, right_command) = pair.unwrap_or_default();
            json!({
                "relation": "different",
                "left_tick": left_tick,
                "right_tick": right_tick,
                "time": time.as_seconds(),
                "left_command": left_command,
                "right_command": right_command,
                "fields": describe::diff_json(diff),
            })
        }
    };
    match format {
        Format::Json => output::print_json(&document)?,
        Format::Text => output::print(&text(&comparison, left, right))?,
    }
    Ok(if matches!(comparison, Comparison::Same { .. }) { Status::Success } else { Status::Negative })
}

/// Result of a comparison in words: the first difference with its command and fields.
fn text(comparison: &Comparison, left: &RecordingPlayer, right: &RecordingPlayer) -> String {
    match comparison {
        Comparison::Same { compared } => {
            format!("{} {} compared\n", output::good("the same:"), count(*compared as usize, "state"))
        }
        Comparison::Prefix { compared, left, right } => format!(
            "{} {} compared, but one ends at {} s and the other at {} s\n",
            output::bad("not the same length:"),
            count(*compared as usize, "equal state"),
            left.as_seconds(),
            right.as_seconds()
        ),
        Comparison::Different { left_tick, right_tick, time, diff, commands } => {
            let ticks = match left_tick == right_tick {
                true => format!("tick {left_tick}"),
                false => format!("tick {left_tick} and {right_tick}"),
            };
            let mut text =
                format!("{} first after {ticks}, at {} s\n", output::bad("different:"), time.as_seconds());
            if let Some(pair) = commands {
                let (l, r) = descriptions(left, right, pair);
                let _ = writeln!(text, "  left executes  {}", l.as_deref().unwrap_or("nothing more"));
                let _ = writeln!(text, "  right executes {}", r.as_deref().unwrap_or("nothing more"));
            }
            text.push_str("left -> right:\n");
            indent(&mut text, diff);
            if diff.is_empty() {
                text.push_str(
                    "  nothing: one of the recordings does not match its own hashes; check both with --verify\n",
                );
            }
            text
        }
    }
}

/// Descriptions of two differing commands. If both read alike, the first differing field is added.
fn descriptions(
    left: &RecordingPlayer,
    right: &RecordingPlayer,
    pair: &CommandDifference,
) -> (Option<String>, Option<String>) {
    let text = |player: &RecordingPlayer, command: &Command| {
        describe::command(command, player.simulation(), &|id| player.name_of(id))
    };
    let (l, r) = (pair.left.as_deref(), pair.right.as_deref());
    let texts = (l.map(|command| text(left, command)), r.map(|command| text(right, command)));
    match (l, r, texts) {
        (Some(l), Some(r), (Some(left), Some(right))) if left == right => match describe::difference(l, r) {
            Some((l, r)) => (Some(format!("{left}: {l}")), Some(format!("{right}: {r}"))),
            None => (Some(left), Some(right)),
        },
        (_, _, texts) => texts,
    }
}

fn indent(text: &mut String, diff: &StateDiff) {
    for difference in &diff.differences {
        let _ = writeln!(text, "  {difference}");
    }
}
