//! Cases that random operations found, each with the rule that decides it.

use ugas_core::effect::EffectDef;
use ugas_core::modifier::{ModifierDef, Operation};
use ugas_testkit::fixtures::{Op, World, arena};
use ugas_testkit::oracle::Game;

/// The arena's attributes with these effects.
fn game(effects: impl IntoIterator<Item = EffectDef>) -> Game {
    Game { effects: effects.into_iter().collect(), ..arena() }
}

/// M5: a source that is gone counts with the tags it had last, not with those it lost while it went.
#[test]
fn a_despawned_source_keeps_the_tags_it_had() {
    let game = game([
        EffectDef::infinite("GE_Poisoned").granting("State.Debuff.Poison"),
        EffectDef::infinite("GE_Weak").with(
            ModifierDef::new("Vigor", Operation::Multiply, -0.05).while_source_lacks("State.Debuff.Poison"),
        ),
    ]);
    let mut world = World::with_two(&game);
    world.run(&Op::Spawn(0));
    world.apply("GE_Poisoned", None, 0);
    world.apply("GE_Weak", Some(0), 1);
    world.run(&Op::Despawn(0));
}
