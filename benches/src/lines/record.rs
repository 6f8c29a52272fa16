//! A tick that is recorded.

use crate::line::{Goal, Line};
use crate::measure::{Effort, compare, many};
use crate::scenes::{KEY_EVERY, Match, recorded_match};

/// A tick of a match that is recorded, with its share of the key frames, beside the tick alone.
pub(crate) fn measure(effort: Effort) -> Vec<Line> {
    let bytes = recorded_match(2 * KEY_EVERY);
    let (mut recorded, mut plain) = (Match::recorded(), Match::plain());
    let ours = many(KEY_EVERY, move || (0..KEY_EVERY).for_each(|_| recorded.tick()));
    let alone = many(KEY_EVERY, move || (0..KEY_EVERY).for_each(|_| plain.tick()));
    let [ours, alone] = compare(effort, [ours, alone]);
    vec![Line::new("record", ours, Goal::AtMostPeer(1.3)).peer("the tick alone", alone.median).note(format!(
        "a tick of a match of 210 controllers, {bytes} B recorded, with a hash in every tick and a key frame in {KEY_EVERY}"
    ))]
}
