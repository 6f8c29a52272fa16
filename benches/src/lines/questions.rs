//! "Can I cast?", and activations that are refused.

use std::hint::black_box;

use crate::floor::events::assert_same_events;
use crate::floor::roster::Casters;
use crate::line::{Goal, Line};
use crate::measure::{Effort, compare, many, subject};
use crate::scenes::{Answer, COST, MANA, Questions, Refused};

/// Twenty abilities of a thousand characters are asked, all of which are ready.
pub(crate) fn ready(effort: Effort) -> Vec<Line> {
    const ABILITIES: usize = 20;
    let units = effort.population(1_000);
    let mut questions = Questions::new(units, ABILITIES, Answer::Yes);
    let floor = Casters::new(units, ABILITIES, MANA, COST);
    assert_eq!(questions.ask(), floor.ask());
    let count = questions.len();
    let ours = many(count, move || {
        black_box(questions.ask());
    });
    let floor = many(count, move || {
        black_box(black_box(&floor).ask());
    });
    let [ours, floor] = compare(effort, [ours, floor]);
    vec![
        Line::new("ready", ours, Goal::Instructions("ready", 150.0))
            .floor(floor.median)
            .must_not_allocate()
            .note_instructions("ready")
            .note(format!(
                "one of {count} questions whether an ability can be activated: a required and a blocking tag, cooldown, cost; \
                 floor: bits and a comparison"
            )),
    ]
}

/// An activation that is refused for four reasons.
pub(crate) fn refused(effort: Effort) -> Vec<Line> {
    let mut refused = Refused::new();
    let mut floor = Casters::new(1, 1, MANA, COST);
    floor.disable(0, Refused::COOLDOWN_END);
    let ours = refused.events_of_attempts(2);
    (0..2).for_each(|_| assert!(!floor.attempt(0, 0)));
    assert_same_events("refused", &ours, &floor.log.events);
    floor.log.drain();
    let ours = subject(move || refused.attempt());
    let floor = subject(move || {
        black_box(black_box(&mut floor).attempt(0, 0));
        black_box(floor.log.drain());
    });
    let [ours, floor] = compare(effort, [ours, floor]);
    vec![
        Line::new("refused", ours, Goal::Instructions("refused-ability", 600.0))
            .floor(floor.median)
            .must_not_allocate()
            .note_instructions("refused-ability")
            .note(
                "an activation refused for a missing and a blocking tag, cooldown and cost, its event polled; floor: by hand, \
                 with the same event",
            ),
    ]
}
