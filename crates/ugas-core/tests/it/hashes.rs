//! Hashes of catalogs and states (V4, I3).

use ugas_core::attribute::{AttributeDef, AttributeSetDef};
use ugas_core::catalog::{Catalog, CatalogBuilder};
use ugas_core::controller::ControllerDef;
use ugas_core::curve::CurveDef;
use ugas_core::effect::calculation::{CalculationDef, native};
use ugas_core::effect::magnitude::MagnitudeDef;
use ugas_core::effect::{EffectContext, EffectDef, PredictionKey, StackingDef};
use ugas_core::id::ActorId;
use ugas_core::modifier::Operation;
use ugas_core::simulation::{Config, Spawn, Stacks};
use ugas_core::time::Span;

use crate::fixture::{Game, buff, instant, tagging};

type Extension = fn(CatalogBuilder) -> CatalogBuilder;

const PARTS: [Extension; 6] = [
    |builder| builder.attribute_set(AttributeSetDef::new("A").with(AttributeDef::new("Health", 100.0))),
    |builder| builder.attribute_set(AttributeSetDef::new("B").with(AttributeDef::new("Mana", 50.0))),
    |builder| builder.effect(instant("GE_Hit", "Health", Operation::Add, -1.0)),
    |builder| builder.effect(tagging("State.X")),
    |builder| builder.curve(CurveDef { name: "C".into(), points: vec![(0.0, 1.0)], ..CurveDef::default() }),
    |builder| builder.template(ControllerDef::new("Unit").with_set("A").with_set("B")),
];

fn hash_of(builder: CatalogBuilder) -> u64 {
    builder.build().unwrap_or_else(|errors| panic!("{errors}")).hash()
}

#[test]
fn catalog_hash_does_not_depend_on_the_order_of_definitions() {
    let forward = PARTS.iter().fold(Catalog::builder(), |builder, part| part(builder));
    let backward = PARTS.iter().rev().fold(Catalog::builder(), |builder, part| part(builder));
    assert_eq!(hash_of(forward), hash_of(backward));
}

#[test]
fn catalog_hash_differs_when_any_number_name_or_part_differs() {
    let base = || PARTS.iter().fold(Catalog::builder(), |builder, part| part(builder));
    let original = hash_of(base());
    let changes: [Extension; 8] = [
        |builder| builder.effect(EffectDef::infinite("GE_More")),
        |builder| builder.attribute_set(AttributeSetDef::new("C")),
        |builder| builder.template(ControllerDef::new("Other")),
        |builder| builder.ability(ugas_core::ability::AbilityDef::new("GA")),
        |builder| {
            builder.calculation(CalculationDef {
                name: "Calc".into(),
                result: Some("1".into()),
                ..CalculationDef::default()
            })
        },
        |builder| builder.native("Calc", native(vec![], |_| Ok(1.0))),
        |builder| builder.pre_change("Health", |change| change.new),
        |builder| builder.before_apply(|_, _, _| Ok(())),
    ];
    let mut hashes: Vec<u64> = changes.iter().map(|change| hash_of(change(base()))).collect();
    let numbers: [Extension; 4] = [
        |builder| builder.effect(instant("GE_Number", "Health", Operation::Add, -1.0)),
        |builder| builder.effect(instant("GE_Number", "Health", Operation::Add, -1.000_000_1)),
        |builder| builder.effect(instant("GE_Number", "Health", Operation::AddPost, -1.0)),
        |builder| builder.effect(instant("GE_Number", "Mana", Operation::Add, -1.0)),
    ];
    hashes.extend(numbers.iter().map(|change| hash_of(change(base()))));
    hashes.push(original);
    let count = hashes.len();
    hashes.sort_unstable();
    hashes.dedup();
    assert_eq!(hashes.len(), count);
}

/// A game in which each visible part of the state can be changed separately.
fn rich() -> Game {
    let mut game = Game::build(|builder| {
        builder
            .ability(ugas_core::ability::AbilityDef::new("GA"))
            .attribute_set(AttributeSetDef::new("Extra").with(AttributeDef::new("Luck", 1.0)))
            .effect(buff("GE_Zero", "Attack", Operation::Add, 0.0))
            .effect(instant("GE_Hit", "Health", Operation::Add, -1.0))
            .effect(tagging("State.X"))
            .effect(EffectDef::infinite("GE_Cue").cue("GameplayCue.X"))
            .effect(
                EffectDef::lasting("GE_Stacks", 10.0)
                    .modify(
                        "Speed",
                        Operation::Add,
                        MagnitudeDef::SetByCaller { tag: "Data.X".into(), default: Some(0.0) },
                    )
                    .stacking(StackingDef::by_target(0)),
            )
    });
    game.activate("GE_Stacks", "hero", "hero");
    game
}

fn stack_of(game: &Game) -> ugas_core::handle::ActiveEffectId {
    game.sim.controller(game.id("hero")).unwrap().effects()[0]
}

#[test]
fn equal_histories_have_equal_hashes() {
    assert_eq!(rich().sim.state_hash(), rich().sim.state_hash());
    let game = rich();
    assert_eq!(game.clone().sim.state_hash(), game.sim.state_hash());
    assert_eq!(game.sim.snapshot().state_hash(), game.sim.state_hash());
}

#[test]
fn reading_and_polling_do_not_change_the_state_hash() {
    let mut game = rich();
    let hash = game.sim.state_hash();
    game.events();
    let _ = game.sim.capture(game.id("hero"), game.attribute("Attack"));
    let _ = game.spec("GE_Hit", "hero");
    assert_eq!(game.sim.state_hash(), hash);
}

#[test]
fn state_hash_differs_when_any_visible_part_differs() {
    type Change = fn(&mut Game);
    let changes: [(&str, Change); 21] = [
        ("nothing", |_| {}),
        ("time", |game| game.pass(0.000_001)),
        ("a base value", |game| {
            game.apply("GE_Hit", "hero", "hero");
        }),
        ("whose base value", |game| {
            game.apply("GE_Hit", "hero", "wolf");
        }),
        ("an effect without consequence", |game| {
            game.apply("GE_Zero", "hero", "hero");
        }),
        ("its source", |game| {
            game.apply("GE_Zero", "wolf", "hero");
        }),
        ("a tag", |game| {
            game.apply("Tag:State.X", "hero", "hero");
        }),
        ("a cue", |game| {
            game.apply("GE_Cue", "hero", "hero");
        }),
        ("an ability", |game| {
            let ability = game.sim.catalog().ability("GA").unwrap();
            game.sim.grant(game.id("hero"), ability, 1).unwrap();
        }),
        ("its level", |game| {
            let ability = game.sim.catalog().ability("GA").unwrap();
            game.sim.grant(game.id("hero"), ability, 2).unwrap();
        }),
        ("a controller", |game| drop(game.sim.spawn("Unit"))),
        ("an owner", |game| drop(game.sim.spawn_with(Spawn::named("Unit").owner(ActorId(1))))),
        ("an avatar", |game| drop(game.sim.spawn_with(Spawn::named("Unit").avatar(ActorId(1))))),
        ("one controller less", |game| game.sim.despawn(game.id("wolf")).unwrap()),
        ("a stack", |game| {
            game.apply("GE_Stacks", "hero", "hero");
        }),
        ("a duration", |game| game.sim.set_remaining(stack_of(game), Span::seconds(3.0)).unwrap()),
        ("a level", |game| game.sim.set_level(stack_of(game), 2.0).unwrap()),
        ("a number of the caller", |game| {
            game.sim.set_magnitude(stack_of(game), game.tag("Data.X"), 1.0).unwrap();
        }),
        ("an attribute set", |game| {
            let set = game.sim.catalog().attribute_set("Extra").unwrap();
            game.sim.register_set(game.id("hero"), set).unwrap();
        }),
        ("a removal", |game| game.sim.remove(stack_of(game), Stacks::All).unwrap()),
        ("a definition", |game| drop(game.sim.define_effect(EffectDef::infinite("RT")))),
    ];
    let mut hashes: Vec<(u64, &str)> = changes
        .iter()
        .map(|(what, change)| {
            let mut game = rich();
            change(&mut game);
            (game.sim.state_hash(), *what)
        })
        .collect();
    hashes.sort_unstable();
    for pair in hashes.windows(2) {
        assert_ne!(pair[0].0, pair[1].0, "{} and {} look alike", pair[0].1, pair[1].1);
    }
}

/// Every change, and the way back by a restored snapshot, gives the hash of a simulation that hashed nothing before.
#[test]
fn cached_hash_follows_changes_and_restores() {
    let mut game = rich();
    let (kept, before) = (game.sim.snapshot(), game.sim.state_hash());
    for _ in 0..2 {
        game.apply("GE_Hit", "hero", "wolf");
        game.apply("GE_Stacks", "hero", "hero");
        assert_eq!(game.sim.state_hash(), game.sim.snapshot().state_hash());
        game.sim.restore(&kept).unwrap();
        assert_eq!(game.sim.state_hash(), before);
    }
}

/// Controllers refer to their attribute sets by number, and equal numbers of two simulations may mean different sets.
#[test]
fn cached_hash_follows_attribute_sets_of_another_simulation() {
    let with = |game: &Game, set: &str| {
        let mut game = game.clone();
        let set = game.sim.catalog().attribute_set(set).unwrap();
        game.sim.register_set(game.id("hero"), set).unwrap();
        game
    };
    let sets = |builder: CatalogBuilder| {
        let set = |name: &str| AttributeSetDef::new(name).with(AttributeDef::new(name, 1.0));
        builder.attribute_set(set("Luck")).attribute_set(set("Fate"))
    };
    let game = Game::build(sets);
    let (mut luck, fate) = (with(&game, "Luck"), with(&game, "Fate"));
    let hashes = (luck.sim.state_hash(), fate.sim.state_hash());
    assert_ne!(hashes.0, hashes.1);
    let kept = luck.sim.snapshot();
    luck.sim.restore(&fate.sim.snapshot()).unwrap();
    assert_eq!((luck.sim.state_hash(), luck.sim.snapshot().state_hash()), (hashes.1, hashes.1));
    luck.sim.restore(&kept).unwrap();
    assert_eq!(luck.sim.state_hash(), hashes.0);
}

#[test]
fn state_hash_covers_parts_that_only_matter_later() {
    let hash = |seed, context: EffectContext, prediction: Option<PredictionKey>, duration: f64| {
        let mut game =
            Game::configured(Config::seeded(seed), |builder| builder.effect(EffectDef::infinite("GE")));
        let mut spec = game.sim.spec(game.effect("GE"), 1.0, context).unwrap();
        spec = spec.with_duration(Span::seconds(duration));
        if let Some(key) = prediction {
            spec = spec.predicted(key);
        }
        game.apply_spec(&spec, "hero");
        game.sim.state_hash()
    };
    let none = EffectContext::default;
    let hashes = [
        hash(1, none(), None, 5.0),
        hash(2, none(), None, 5.0),
        hash(1, none().caused_by(ActorId(1)), None, 5.0),
        hash(1, none().at([0.0; 3]), None, 5.0),
        hash(1, none(), Some(PredictionKey(1)), 5.0),
        hash(1, none(), None, 6.0),
    ];
    for (at, one) in hashes.iter().enumerate() {
        assert!(hashes[..at].iter().all(|other| other != one), "{at}");
    }
}
