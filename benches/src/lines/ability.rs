//! An ability with cost and cooldown: activated, committed, ended.

use std::hint::black_box;

use ugas::prelude::*;

use crate::line::{Goal, Line};
use crate::measure::{Effort, Subject, alone, bulk, timed};
use crate::world::{World, combat};

const UNITS: usize = 256;

pub(crate) fn measure(effort: Effort) -> Vec<Line> {
    let ours = alone(effort, ours());
    vec![
        Line::new("ability", ours, Goal::AtMost(1000.0))
            .must_not_allocate()
            .note("cost and cooldown effects applied; neither polling its events nor that the cooldown expires is timed"),
    ]
}

fn ours() -> Subject<'static> {
    let mut world = World::new(combat(), UNITS);
    let skill = world.sim.catalog().ability("GA_Skill").expect("the benchmark defines it");
    let (mana, cooldown) = (world.attribute("Mana"), world.tag("Cooldown.Skill"));
    let granted: Vec<GrantedAbilityId> =
        world.units.iter().map(|&unit| world.sim.grant(unit, skill, 1).expect("there is room")).collect();
    world.sim.activate(granted[0]).expect("nothing forbids it");
    assert_eq!(world.current(world.units[0], mana), 1e9 - 1.0);
    assert!(world.sim.has_tag(world.units[0], cooldown));
    assert!(!world.sim.ability(granted[0]).expect("it is there").is_active());
    assert!(world.sim.activate(granted[0]).is_err(), "it cools down");
    world.sim.advance(Span::seconds(1.0));
    world.drain();
    bulk(UNITS, move || {
        let spent = timed(|| {
            for &ability in &granted {
                black_box(world.sim.activate(ability)).expect("it has cooled down");
            }
        });
        world.sim.advance(Span::seconds(1.0));
        world.drain();
        spent
    })
}
