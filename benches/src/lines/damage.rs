//! Damage: computed, under conditions that rule out shortcuts, and on many targets at once.

use std::hint::black_box;

use crate::floor::events::assert_same_events;
use crate::floor::semantic::{Amount, Hits};
use crate::line::{Goal, Line};
use crate::measure::{Effort, Subject, compare, many, subject};
use crate::scenes::{AMOUNT, ARMOR, Area, Damage, Formula, HEALTH, POWER};
use crate::translate::Translator;

/// Number of units that fits the cache.
const HOT: usize = 64;

/// Operations between two polls of events, on both sides.
const POLL: u32 = 64;

fn amount(formula: Formula) -> Amount {
    match formula {
        Formula::Constant => Amount::Constant,
        Formula::Expression => Amount::Computed,
        Formula::Meta => Amount::Drained,
        Formula::SetByCaller => Amount::Given,
    }
}

/// One hit by each formula, beside the same hit by hand with the same events.
pub(crate) fn computed(effort: Effort) -> Vec<Line> {
    Formula::ALL
        .into_iter()
        .map(|formula| {
            let [ours, floor] = compare(effort, [ours(Damage::new(formula, HOT)), floor(formula)]);
            let (name, operation, goal, what) = match formula {
                Formula::Constant => ("damage-constant", "instant", 350.0, "a constant"),
                Formula::Expression => (
                    "damage-expression",
                    "instant-expression",
                    900.0,
                    "an expression of an attribute of each side",
                ),
                Formula::Meta => {
                    ("damage-meta", "instant-meta", 900.0, "a constant through a meta attribute")
                }
                Formula::SetByCaller => (
                    "damage-set-by-caller",
                    "instant-set-by-caller",
                    900.0,
                    "a number of the caller in a new spec",
                ),
            };
            Line::new(name, ours, Goal::Instructions(operation, goal))
                .floor(floor.median)
                .must_not_allocate()
                .note_instructions(operation)
                .note(format!("one hit by {what}; floor: by hand, with the same two events"))
        })
        .collect()
}

/// One hit on a target with a stacking effect, and inside a batch, beside our plain hit.
pub(crate) fn conditions(effort: Effort) -> Vec<Line> {
    let plain = ours(Damage::new(Formula::Constant, HOT));
    let stacked = ours(Damage::on_stacked(Formula::Constant, HOT));
    let mut damage = Damage::new(Formula::Constant, HOT);
    let batched = many(HOT, move || {
        damage.hit_in_batch(HOT);
        damage.world.drain();
    });
    let [plain, stacked, batched] = compare(effort, [plain, stacked, batched]);
    let line = |name: &str, timing, what: &str| {
        Line::new(name, timing, Goal::AtMostPeer(1.0))
            .peer("our plain hit", plain.median)
            .must_not_allocate()
            .note(what)
    };
    vec![
        line("hit-stacked", stacked, "one hit on a target that has a stacking effect"),
        line("hit-batch", batched, &format!("one of {HOT} hits in a batch, each on another target")),
    ]
}

fn ours(mut damage: Damage) -> Subject<'static> {
    let mut turn = 0u32;
    subject(move || {
        damage.hit_next();
        turn += 1;
        if turn.is_multiple_of(POLL) {
            damage.world.drain();
        }
    })
}

/// Hits by hand, after a check that their events are those of ours.
fn floor(formula: Formula) -> Subject<'static> {
    let mut damage = Damage::new(formula, HOT);
    let mut floor = Hits::new(HOT, HEALTH - AMOUNT, POWER, ARMOR);
    let amount = amount(formula);
    for unit in 0..HOT {
        damage.hit(damage.world.units[unit]);
        floor.hit(amount, AMOUNT, 0, unit as u32);
    }
    let ours = Translator::of(&damage.world, &["GE_Hit"], &["Health"], &[]).take(&mut damage.world.sim);
    assert_same_events("damage", &ours, &floor.log.events);
    floor.drain();
    let (mut turn, mut unit) = (0u32, 0);
    subject(move || {
        black_box(&mut floor).hit(black_box(amount), black_box(AMOUNT), 0, unit);
        unit = if unit + 1 == HOT as u32 { 0 } else { unit + 1 };
        turn += 1;
        if turn.is_multiple_of(POLL) {
            black_box(floor.drain());
        }
    })
}

/// One effect on 200 of 10,000 units, for each target.
pub(crate) fn area(effort: Effort) -> Vec<Line> {
    const TARGETS: usize = 200;
    let units = effort.population(10_000);
    let mut area = Area::new(units, TARGETS);
    let targets = area.targets();
    let mut floor = Hits::new(units, HEALTH, POWER, ARMOR);
    let mut ids: Vec<u32> = Vec::with_capacity(targets);
    let mut next = 0;
    let mut blast = move |floor: &mut Hits| {
        ids.clear();
        ids.extend((0..targets).map(|at| ((next + at * 7) % units) as u32));
        next = (next + 1) % units;
        floor.hit_all(AMOUNT, 0, &ids);
    };
    // The scene has selected its first targets, and hit them, already.
    blast(&mut floor);
    floor.drain();
    area.select(targets);
    area.blast();
    blast(&mut floor);
    let ours = Translator::of(&area.world, &["GE_Hit"], &["Health"], &[]).take(&mut area.world.sim);
    assert_same_events("area", &ours, &floor.log.events);
    floor.drain();
    let ours = many(targets, move || {
        area.select(targets);
        area.blast();
        area.world.drain();
    });
    let floor = many(targets, move || {
        blast(&mut floor);
        black_box(floor.drain());
    });
    let [ours, floor] = compare(effort, [ours, floor]);
    vec![
        Line::new("area", ours, Goal::Instructions("area", 160.0))
            .floor(floor.median)
            .must_not_allocate()
            .note_instructions("area")
            .note(format!(
                "one target of an effect on {targets} of {units} controllers; floor: by hand, with the same events"
            )),
    ]
}
