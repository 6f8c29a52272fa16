//! Effects created at run time, of every duration kind (§15.3, GASD §4.5.17).

use ugas_core::effect::EffectDef;
use ugas_core::effect::magnitude::{CaptureFrom, MagnitudeDef};
use ugas_core::modifier::{ModifierDef, Operation};
use ugas_core::refusal::RefusalReason;
use ugas_core::simulation::{Config, DefineEffectError, Snapshot, Stacks};

use crate::fixture::{Game, buff, builder, instant, tagging};

#[test]
fn effects_of_every_duration_kind_can_be_created() {
    let mut game = Game::of([tagging("Item.Sword")]);
    let hero = game.id("hero");
    let instant = game.sim.define_effect(instant("RT_Instant", "Health", Operation::Add, -10.0)).unwrap();
    let lasting = EffectDef::lasting("RT_Lasting", 2.0).every(1.0).modify("Health", Operation::Add, -1.0);
    let lasting = game.sim.define_effect(lasting).unwrap();
    let infinite = game
        .sim
        .define_effect(buff("RT_Infinite", "Attack", Operation::Add, 7.0).granting("Item.Sword"))
        .unwrap();
    for effect in [instant, lasting, infinite] {
        game.sim.apply_effect(effect, Some(hero), hero).unwrap();
    }
    assert_eq!((game.base("hero", "Health"), game.current("hero", "Attack")), (90.0, 107.0));
    assert!(game.has_tag("hero", "Item"));
    game.pass(2.0);
    assert_eq!(game.base("hero", "Health"), 88.0);
    assert_eq!(game.sim.effect_name(lasting), "RT_Lasting");
    assert!(game.log().contains(&"removed RT_Lasting Expired".to_owned()));
}

#[test]
fn equal_definition_is_reused() {
    let mut game = Game::of([]);
    let first = game.sim.define_effect(buff("RT", "Attack", Operation::Add, 1.0)).unwrap();
    let hash = game.sim.state_hash();
    assert_eq!(game.sim.define_effect(buff("RT", "Attack", Operation::Add, 1.0)), Ok(first));
    assert_eq!(game.sim.state_hash(), hash);
    let other = game.sim.define_effect(buff("RT", "Attack", Operation::Add, 2.0)).unwrap();
    assert_ne!(first, other);
}

#[test]
fn snapshots_contain_runtime_definitions_and_their_effects() {
    let mut game = Game::of([]);
    let hero = game.id("hero");
    let before = game.sim.snapshot();
    let effect = EffectDef::lasting("RT", 5.0).modify("Attack", Operation::Add, 7.0);
    let effect = game.sim.define_effect(effect).unwrap();
    game.sim.apply_effect(effect, None, hero).unwrap();
    let during = game.sim.snapshot();
    game.pass(5.0);
    let after = game.sim.state_hash();

    game.sim.restore(&before).unwrap();
    assert_eq!(game.sim.apply_effect(effect, None, hero).unwrap_err().code(), "UnknownEffect");
    assert_eq!(game.sim.effect_name(effect), "<unknown>");

    game.sim.restore(&during).unwrap();
    assert_eq!((game.sim.state_hash(), game.current("hero", "Attack")), (during.state_hash(), 107.0));
    game.pass(5.0);
    assert_eq!((game.sim.state_hash(), game.current("hero", "Attack")), (after, 100.0));
}

#[test]
fn a_fresh_simulation_can_continue_from_a_snapshot() {
    let mut game = Game::of([]);
    let hero = game.id("hero");
    let effect = game.sim.define_effect(EffectDef::lasting("RT", 5.0).modify("Attack", Operation::Add, 7.0));
    game.sim.apply_effect(effect.unwrap(), None, hero).unwrap();
    let snapshot = game.sim.snapshot();
    let mut other = ugas_core::simulation::Simulation::new(game.sim.catalog().clone(), Config::seeded(99));
    other.restore(&snapshot).unwrap();
    assert_eq!(other.state_hash(), game.sim.state_hash());
    game.pass(9.0);
    other.advance(ugas_core::time::Span::seconds(9.0));
    assert_eq!(other.state_hash(), game.sim.state_hash());
}

#[test]
fn names_are_resolved_in_the_catalog_and_all_errors_reported() {
    let mut game = Game::of([tagging("Item.Sword")]);
    let bad = EffectDef::infinite("RT")
        .modify("Atack", Operation::Add, 1.0)
        .with(ModifierDef::new("Attack", Operation::Multiply, 0.1).channel("Unheard"))
        .granting("Item.Swrd");
    let error = game.sim.define_effect(bad).unwrap_err().to_string();
    assert_eq!(
        error,
        "effect `RT` at Modifiers[0].Attribute: there is no attribute `Atack`; did you mean `Attack`?\n\
         effect `RT` at Modifiers[1].Channel: no definition of the catalog uses the channel `Unheard`: declare it \
         with `CatalogBuilder::channel`\n\
         effect `RT` at GrantedTags[0]: there is no tag `Item.Swrd`; did you mean `Item.Sword`?"
    );
}

#[test]
fn a_declared_channel_can_be_used() {
    let mut game = Game::build(|builder| builder.channel("Gear"));
    let hero = game.id("hero");
    let effect = EffectDef::infinite("RT")
        .with(ModifierDef::new("Attack", Operation::Multiply, 0.5).channel("Gear"))
        .with(ModifierDef::new("Attack", Operation::Multiply, 0.5).channel("Gear"));
    let effect = game.sim.define_effect(effect).unwrap();
    game.sim.apply_effect(effect, None, hero).unwrap();
    assert_eq!(game.current("hero", "Attack"), 200.0);
}

#[test]
fn catalog_names_are_reserved_and_the_number_is_limited() {
    let config = Config { max_runtime_effects: 1, ..Config::seeded(7) };
    let mut game = Game::configured(config, |builder| builder.effect(tagging("State.X")));
    let taken = game.sim.define_effect(EffectDef::infinite("Tag:State.X")).unwrap_err();
    assert_eq!(taken, DefineEffectError::NameTaken("Tag:State.X".into()));
    assert_eq!(taken.to_string(), "the catalog already has an effect `Tag:State.X`: choose another name");
    let first = game.sim.define_effect(EffectDef::infinite("RT_1")).unwrap();
    let limit = game.sim.define_effect(EffectDef::infinite("RT_2")).unwrap_err();
    assert_eq!(
        limit.to_string(),
        "the limit of 1 effects created at run time is reached: remove some with `forget_effect`, or raise `Config::max_runtime_effects`"
    );
    game.sim.forget_effect(first).unwrap();
    let second = game.sim.define_effect(EffectDef::infinite("RT_2")).unwrap();
    assert_ne!(first, second); // ids are never used again
}

#[test]
fn definition_is_forgotten_after_its_last_instance() {
    let mut game = Game::of([tagging("State.X")]);
    let hero = game.id("hero");
    let effect = game.sim.define_effect(EffectDef::infinite("RT")).unwrap();
    let active = game.sim.apply_effect(effect, None, hero).unwrap().active().unwrap();
    assert_eq!(game.sim.forget_effect(effect), Err(RefusalReason::StillActive(active)));
    game.sim.remove(active, Stacks::All).unwrap();
    game.sim.forget_effect(effect).unwrap();
    assert_eq!(game.sim.forget_effect(effect), Err(RefusalReason::UnknownEffect(effect)));
    assert_eq!(game.sim.apply_effect(effect, None, hero).unwrap_err().code(), "UnknownEffect");
    let of_catalog = game.effect("Tag:State.X");
    assert_eq!(game.sim.forget_effect(of_catalog), Err(RefusalReason::UnknownEffect(of_catalog)));
}

#[test]
fn b2_effect_that_leads_to_itself_is_refused_with_the_cycle() {
    let mut game = Game::of([]);
    let itself = EffectDef::infinite("RT").modify(
        "Attack",
        Operation::Add,
        MagnitudeDef::attribute(CaptureFrom::Target, "Attack", 0.5),
    );
    assert_eq!(
        game.sim.define_effect(itself).unwrap_err().to_string(),
        "effect `RT` at Modifiers: it depends on itself: Attack -> Attack"
    );
}

#[test]
fn repeated_define_and_forget_leaves_nothing_behind() {
    let mut game = Game::of([]);
    let empty = game.sim.snapshot().to_bytes().len();
    let first = game.sim.define_effect(EffectDef::infinite("RT_0")).unwrap();
    game.sim.forget_effect(first).unwrap();
    let mut last = first;
    for at in 1..=5_000 {
        let next = game.sim.define_effect(EffectDef::infinite(format!("RT_{at}"))).unwrap();
        assert!(next > last, "ids are never used again");
        game.sim.forget_effect(next).unwrap();
        last = next;
    }
    // The next number and one gap take two bytes each, plus a byte that marks the gap, instead of the byte
    // that marks an empty list.
    assert_eq!(game.sim.snapshot().to_bytes().len(), empty + 1 + 1 + 2);
    assert_eq!(game.sim.runtime_effects().count(), 0);
}

#[test]
fn gaps_between_effects_survive_bytes_and_reloads() {
    let mut game = Game::of([]);
    let hero = game.id("hero");
    let ids: Vec<_> = (0..6)
        .map(|at| {
            game.sim
                .define_effect(buff(&format!("RT_{at}"), "Attack", Operation::Add, f64::from(at)))
                .unwrap()
        })
        .collect();
    let whole = game.sim.state_hash();
    for at in [0, 2, 3, 5] {
        game.sim.forget_effect(ids[at]).unwrap();
    }
    game.sim.apply_effect(ids[4], None, hero).unwrap();
    let snapshot = game.sim.snapshot();
    assert_ne!(snapshot.state_hash(), whole);
    let read = Snapshot::from_bytes(&snapshot.to_bytes(), game.sim.catalog()).unwrap();
    game.sim.restore(&read).unwrap();
    assert_eq!(game.sim.state_hash(), snapshot.state_hash());
    let names = |game: &Game| ids.iter().map(|id| game.sim.effect_name(*id).to_owned()).collect::<Vec<_>>();
    let expected = ["<unknown>", "RT_1", "<unknown>", "<unknown>", "RT_4", "<unknown>"];
    assert_eq!(names(&game), expected);

    let catalog = builder().effect(EffectDef::infinite("A_First")).build().unwrap();
    let report = game.sim.reload(catalog).unwrap();
    let renumbered: Vec<_> = ids.iter().map(|id| report.ids.effect(*id)).collect();
    assert_eq!(
        renumbered.iter().map(Option::is_some).collect::<Vec<_>>(),
        [false, true, false, false, true, false]
    );
    assert_eq!(game.sim.effect_name(renumbered[4].unwrap()), "RT_4");
    assert_eq!(game.current("hero", "Attack"), 104.0);
    assert_eq!(game.sim.inconsistencies(), Vec::<String>::new());
    let used = renumbered[4].unwrap();
    assert!(matches!(game.sim.forget_effect(used), Err(RefusalReason::StillActive(_))));
    // The next number was never used.
    let next = game.sim.define_effect(EffectDef::infinite("RT_Next")).unwrap();
    assert_eq!(next.index(), renumbered[4].unwrap().index() + 2);
}
