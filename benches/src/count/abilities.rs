//! Counted operations of abilities.

use ugas::prelude::*;

use super::Work;
use crate::scenes::{Answer, Questions, Refused};
use crate::world::{World, combat};

/// Activation with cost and cooldown, its events polled, and the expiry of the cooldown.
pub(super) fn whole() -> Work {
    let mut world = World::new(combat(), 1);
    let skill = world.sim.catalog().ability("GA_Skill").expect("the benchmark defines it");
    let granted = world.sim.grant(world.units[0], skill, 1).expect("there is room");
    Work::new(move || {
        world.sim.activate(granted).expect("it has cooled down");
        world.sim.advance(Span::seconds(1.0));
        world.drain();
    })
}

/// One question whether an ability can be activated.
pub(super) fn ready(answer: Answer) -> Work {
    let mut questions = Questions::new(1, 20, answer);
    let count = questions.len();
    let expected = questions.ask();
    Work::new(move || assert_eq!(questions.ask(), expected)).calls(50).operations(count)
}

/// An activation that is refused for four reasons, and its event.
pub(super) fn refused() -> Work {
    let mut refused = Refused::new();
    Work::new(move || refused.attempt())
}
