//! Change detection is exact, and idle controllers cost nothing.

use bevy_ecs::prelude::*;
use bevy_ugas::{Abilities, ActiveEffects, Attributes, Tags};

use crate::fixture::*;

#[test]
fn components_are_marked_changed_only_by_changes() {
    let mut app = app();
    count_changes::<Attributes>(&mut app);
    count_changes::<Tags>(&mut app);
    count_changes::<ActiveEffects>(&mut app);
    count_changes::<Abilities>(&mut app);
    let wolves: Vec<Entity> = (0..50).map(|_| spawn(&mut app, "Wolf")).collect();
    let mage = spawn(&mut app, "Mage");
    run(&mut app, 0.1);
    assert_eq!(changes::<Attributes>(&mut app), 51); // after spawning
    changes::<Tags>(&mut app);
    changes::<ActiveEffects>(&mut app);
    changes::<Abilities>(&mut app);

    run(&mut app, 1.0);
    assert_eq!(changes::<Attributes>(&mut app), 0);

    game(&mut app).apply("GE_Poison", mage, wolves[7]).unwrap();
    run(&mut app, 4.0);
    assert_eq!(changes::<Attributes>(&mut app), 3); // three ticks of one wolf
    assert_eq!(changes::<Tags>(&mut app), 2); // poisoned, and cured
    assert_eq!(changes::<ActiveEffects>(&mut app), 2);
    assert_eq!(changes::<Abilities>(&mut app), 0);
}

#[test]
fn fractional_microseconds_are_carried_over() {
    use core::time::Duration;
    let mut app = app();
    // With rounding, each step would lose or gain a third of a microsecond.
    app.insert_resource(bevy_time::Time::<bevy_time::Fixed>::from_duration(Duration::from_nanos(16_666_667)));
    let before = game(&mut app).now();
    for _ in 0..3_000 {
        app.update();
    }
    // 3000 × 16 666 667 ns = 50.000 001 s
    assert_eq!(game(&mut app).now().since(before).micros(), 50_000_001);
}
