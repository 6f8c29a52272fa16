//! Prediction on a client, and effects that it leaves to the authority (§13.4, §13.7, GASD §4.10).

mod abilities;
mod dice;

use ugas_core::ability::AbilityDef;
use ugas_core::attribute::{AttributeDef, AttributeSetDef};
use ugas_core::catalog::CatalogBuilder;
use ugas_core::effect::magnitude::{CaptureFrom, MagnitudeDef};
use ugas_core::effect::{AdditionalEffectDef, EffectDef, EffectQuery, PredictionKey};
use ugas_core::handle::GrantedAbilityId;
use ugas_core::modifier::Operation;
use ugas_core::prediction::{Knowledge, Prediction, Randomness};
use ugas_core::simulation::{Application, Config, Role, Stacks};

use crate::fixture::{Game, buff, builder, instant, tagging};

/// Hero and wolf under a role, and the hero has the abilities. The seeds of the two sides differ, as they do
/// in a game; the seed of predictions does not.
fn played(
    role: Role,
    effects: impl IntoIterator<Item = EffectDef>,
    abilities: impl IntoIterator<Item = AbilityDef>,
) -> (Game, Vec<GrantedAbilityId>) {
    let abilities: Vec<AbilityDef> = abilities.into_iter().collect();
    let names: Vec<String> = abilities.iter().map(|def| def.name.clone()).collect();
    let seed = if role == Role::Client { 1 } else { 2 };
    let config = Config { role, prediction_seed: 5, ..Config::seeded(seed) };
    let mut game = Game::configured(config, |builder| {
        let builder = effects.into_iter().fold(builder, CatalogBuilder::effect);
        abilities.into_iter().fold(builder, CatalogBuilder::ability)
    });
    let handles = names.iter().map(|name| game.grant("hero", name)).collect();
    game.events();
    (game, handles)
}

/// A client that sees all of the hero, and of the wolf only attributes, tags and cues.
fn client(effects: impl IntoIterator<Item = EffectDef>) -> Game {
    let (mut game, _) = played(Role::Client, effects, []);
    game.sim.set_known(game.id("wolf"), Knowledge::Shown);
    game
}

fn wound(name: &str) -> EffectDef {
    instant(name, "Health", Operation::Add, -30.0)
}

/// The refusal code of an application, or its outcome.
fn outcome(game: &mut Game, effect: &str, source: &str, target: &str) -> String {
    match game.try_apply(effect, source, target) {
        Ok(Application::Active(_)) => "Active".to_owned(),
        Ok(application) => format!("{application:?}"),
        Err(refusal) => refusal.code().to_owned(),
    }
}

#[test]
fn client_predicts_effects_on_known_controllers_by_rule() {
    let mut game = client([wound("GE_Wound"), wound("GE_Told").predicted(Prediction::Predict)]);
    assert_eq!(outcome(&mut game, "GE_Wound", "hero", "hero"), "Executed");
    assert_eq!(outcome(&mut game, "GE_Wound", "hero", "wolf"), "NotPredicted");
    assert_eq!(outcome(&mut game, "GE_Told", "hero", "wolf"), "Executed");
    assert_eq!((game.current("hero", "Health"), game.current("wolf", "Health")), (70.0, 70.0));
    game.sim.set_known(game.id("wolf"), Knowledge::Whole);
    assert_eq!(outcome(&mut game, "GE_Wound", "hero", "wolf"), "Executed");
}

#[test]
fn effect_left_to_the_authority_changes_nothing_and_emits_nothing() {
    let mut game = client([wound("GE_Wound")]);
    let before = game.sim.state_hash();
    let refusal = game.try_apply("GE_Wound", "hero", "wolf").unwrap_err();
    assert_eq!(
        refusal.describe(&game.sim),
        "`GE_Wound` was refused: a client does not predict it, the authority will decide"
    );
    assert_eq!(game.log(), [""; 0]);
    // The call itself was counted, and nothing else.
    let mut other = client([wound("GE_Wound")]);
    assert_eq!(other.sim.state_hash(), before);
    other.try_apply("GE_Wound", "hero", "wolf").unwrap_err();
    assert_eq!(game.sim.state_hash(), other.sim.state_hash());
}

#[test]
fn never_and_cosmetic_only_affect_clients_only() {
    for role in [Role::Authority, Role::Server, Role::Client] {
        let burst = |name: &str| wound(name).cue("GameplayCue.Blood");
        let (mut game, _) = played(
            role,
            [
                burst("GE_Never").predicted(Prediction::Never),
                burst("GE_Shown").predicted(Prediction::CosmeticOnly),
                buff("GE_Aura", "Speed", Operation::Add, 5.0)
                    .cue("GameplayCue.Aura")
                    .predicted(Prediction::CosmeticOnly),
            ],
            [],
        );
        let outcomes =
            ["GE_Never", "GE_Shown", "GE_Aura"].map(|effect| outcome(&mut game, effect, "hero", "hero"));
        let cues: Vec<String> = game.log().into_iter().filter(|words| words.starts_with("cue")).collect();
        if role == Role::Client {
            assert_eq!(outcomes, ["NotPredicted", "Shown", "Shown"]);
            // A burst is shown; what lasts comes with the authority's effect.
            assert_eq!(cues, ["cue !GameplayCue.Blood"]);
            assert_eq!((game.current("hero", "Health"), game.current("hero", "Speed")), (100.0, 400.0));
            assert!(game.sim.controller(game.id("hero")).unwrap().effects().is_empty());
        } else {
            assert_eq!(outcomes, ["Executed", "Executed", "Active"]);
            assert_eq!(cues, ["cue !GameplayCue.Blood", "cue !GameplayCue.Blood", "cue +GameplayCue.Aura"]);
            assert_eq!((game.current("hero", "Health"), game.current("hero", "Speed")), (40.0, 405.0));
        }
    }
}

#[test]
fn shown_application_has_its_prediction_key_and_meets_the_requirements() {
    let mut game = client([
        wound("GE_Shown")
            .cue("GameplayCue.Blood")
            .predicted(Prediction::CosmeticOnly)
            .blocked_by("State.Safe"),
        tagging("State.Safe").predicted(Prediction::Predict),
    ]);
    let key = PredictionKey::new(60, 1);
    let spec = game.spec("GE_Shown", "hero").predicted(key);
    assert_eq!(game.apply_spec(&spec, "wolf"), Application::Shown);
    let keys: Vec<_> = game.events().iter().map(|event| (event.kind.name(), event.prediction)).collect();
    assert_eq!(keys, [("CueExecuted", Some(key))]);
    game.apply("Tag:State.Safe", "hero", "wolf");
    assert_eq!(game.try_apply("GE_Shown", "hero", "wolf").unwrap_err().code(), "ApplicationRequirements");
}

#[test]
fn unknown_attributes_are_not_read() {
    let from = |name: &str, from, attribute: &str| {
        EffectDef::instant(name)
            .modify("Health", Operation::Add, MagnitudeDef::attribute(from, attribute, -0.1))
            .predicted(Prediction::Predict)
    };
    let mut game = client([
        from("GE_OfSource", CaptureFrom::Source, "Strength"),
        from("GE_OfTarget", CaptureFrom::Target, "Armor"),
        EffectDef {
            modifiers: EffectDef::instant("")
                .modify(
                    "Health",
                    Operation::Add,
                    MagnitudeDef::attribute(CaptureFrom::Source, "Strength", -1.0).frozen(),
                )
                .modifiers,
            ..from("GE_Frozen", CaptureFrom::Source, "Strength")
        },
        EffectDef::lasting("GE_Long", MagnitudeDef::expression("Source.Strength / 10")),
    ]);
    assert_eq!(outcome(&mut game, "GE_OfSource", "hero", "wolf"), "Executed");
    assert_eq!(outcome(&mut game, "GE_OfTarget", "hero", "wolf"), "NotPredicted");
    assert_eq!(outcome(&mut game, "GE_OfSource", "wolf", "hero"), "NotPredicted");
    assert_eq!(outcome(&mut game, "GE_OfTarget", "wolf", "hero"), "Executed");
    assert_eq!(outcome(&mut game, "GE_Frozen", "wolf", "hero"), "NotPredicted");
    assert_eq!(outcome(&mut game, "GE_Long", "wolf", "hero"), "NotPredicted");
    assert_eq!(outcome(&mut game, "GE_Long", "hero", "hero"), "Active");
    // 100 - 50 * 0.1, and 100 - 20 * 0.1.
    assert_eq!((game.current("wolf", "Health"), game.current("hero", "Health")), (95.0, 98.0));
}

#[test]
fn executions_are_predicted_if_their_captures_are_known() {
    use ugas_core::effect::calculation::{CalculationDef, OutputDef};
    let config = Config { role: Role::Client, ..Config::seeded(1) };
    let mut game = Game::configured(config, |builder| {
        let strike = CalculationDef {
            name: "Calc_Strike".to_owned(),
            outputs: vec![OutputDef {
                attribute: "Health".to_owned(),
                operation: Operation::Add,
                magnitude: "-(Source.Strength - Target.Armor)".to_owned(),
                to: Default::default(),
            }],
            ..CalculationDef::default()
        };
        builder
            .calculation(strike)
            .effect(EffectDef::instant("GE_Strike").executing("Calc_Strike").predicted(Prediction::Predict))
    });
    // 100 - (50 - 20).
    assert_eq!(outcome(&mut game, "GE_Strike", "hero", "wolf"), "Executed");
    assert_eq!(game.current("wolf", "Health"), 70.0);
    game.sim.set_known(game.id("wolf"), Knowledge::Shown);
    assert_eq!(outcome(&mut game, "GE_Strike", "hero", "wolf"), "NotPredicted");
}

#[test]
fn effects_of_a_shown_controller_are_not_removed() {
    let mut game = client([
        buff("GE_Foreign", "Speed", Operation::Add, 1.0).predicted(Prediction::Predict).tagged("Kind.Boon"),
        buff("GE_Own", "Speed", Operation::Add, 2.0).predicted(Prediction::Predict).tagged("Kind.Boon"),
        instant("GE_Purge", "Mana", Operation::Add, -1.0)
            .predicted(Prediction::Predict)
            .removing("Kind.Boon"),
    ]);
    let foreign = game.activate("GE_Foreign", "wolf", "wolf");
    let own = game.spec("GE_Own", "hero").predicted(PredictionKey::new(1, 0));
    let own = game.apply_spec(&own, "wolf").active().unwrap();
    assert_eq!(game.sim.remove(foreign, Stacks::All).unwrap_err().code(), "NotPredicted");
    // The client removes effects that it predicted itself.
    game.sim.remove(own, Stacks::All).unwrap();
    assert_eq!(game.sim.remove_matching(game.id("wolf"), &EffectQuery::default(), Stacks::All), 0);
    game.apply("GE_Purge", "hero", "wolf");
    assert!(game.sim.effect(foreign).is_some());
    game.sim.set_known(game.id("wolf"), Knowledge::Whole);
    game.apply("GE_Purge", "hero", "wolf");
    assert!(game.sim.effect(foreign).is_none());
}

#[test]
fn ticks_with_unknown_inputs_are_left_to_the_authority() {
    let poison = |name: &str, magnitude: MagnitudeDef| {
        EffectDef::lasting(name, 10.0).every(1.0).modify("Health", Operation::Add, magnitude)
    };
    let drain = MagnitudeDef::attribute(CaptureFrom::Source, "Strength", -0.1);
    let mut game = client([poison("GE_Plain", (-5.0).into()), poison("GE_Drain", drain)]);
    // As if the authority had sent them: they are there, whoever caused them.
    game.sim.set_known(game.id("wolf"), Knowledge::Whole);
    game.apply("GE_Plain", "wolf", "hero");
    game.apply("GE_Drain", "wolf", "hero");
    game.pass(1.0);
    // 100 - 5 - 50 * 0.1.
    assert_eq!(game.current("hero", "Health"), 90.0);
    game.sim.set_known(game.id("wolf"), Knowledge::Shown);
    game.pass(1.0);
    assert_eq!(game.current("hero", "Health"), 85.0);
    assert_eq!(game.sim.inconsistencies(), [""; 0]);
}

#[test]
fn consequences_of_a_predicted_effect_are_decided_separately() {
    let mut game = client([
        wound("GE_First")
            .also(AdditionalEffectDef::new("GE_Never"))
            .also(AdditionalEffectDef::new("GE_Also")),
        wound("GE_Never").predicted(Prediction::Never),
        instant("GE_Also", "Mana", Operation::Add, -10.0),
    ]);
    game.apply("GE_First", "hero", "hero");
    assert_eq!((game.current("hero", "Health"), game.current("hero", "Mana")), (70.0, 40.0));
}

/// A hero whose Health is not predicted below 1, and who dies at 0.
fn mortal(role: Role) -> Game {
    let config = Config { role, ..Config::seeded(1) };
    let health = AttributeDef::new("Life", 100.0).min(0.0).prediction_floor(1.0);
    let set =
        AttributeSetDef::new("Mortal").with(health).with(AttributeDef::new("Harm", 0.0).drain_into(["Life"]));
    let builder = builder()
        .attribute_set(set)
        .template(ugas_core::controller::ControllerDef::new("Mortal").with_set("Mortal"))
        .death("Life", 0.0)
        .effect(instant("GE_Kill", "Life", Operation::Add, -500.0))
        .effect(instant("GE_Harm", "Harm", Operation::Add, 500.0))
        .effect(instant("GE_Heal", "Life", Operation::Add, 10.0))
        .effect(instant("GE_Set", "Life", Operation::Override, 0.5))
        .effect(EffectDef::instant("GE_Both").modify("Life", Operation::Add, -150.0).modify(
            "Life",
            Operation::Add,
            80.0,
        ))
        .effect(buff("GE_Curse", "Life", Operation::Add, -200.0));
    let mut game = Game::empty(config, builder);
    game.spawn("hero", "Mortal");
    game.events();
    game
}

#[test]
fn prediction_never_lowers_a_value_below_its_floor() {
    for (effect, by_authority) in [("GE_Kill", 0.0), ("GE_Harm", 0.0), ("GE_Set", 0.5)] {
        let mut game = mortal(Role::Client);
        game.apply(effect, "hero", "hero");
        assert_eq!((game.base("hero", "Life"), game.current("hero", "Life")), (1.0, 1.0), "{effect}");
        assert_eq!(game.count("OwnerDied"), 0);
        game.apply(effect, "hero", "hero");
        assert_eq!(game.current("hero", "Life"), 1.0, "{effect} again");
        let mut game = mortal(Role::Server);
        game.apply(effect, "hero", "hero");
        assert_eq!(game.current("hero", "Life"), by_authority, "{effect}");
    }
}

#[test]
fn the_floor_is_for_the_whole_execution_and_for_modifiers_too() {
    let mut game = mortal(Role::Client);
    // 100 - 150 + 80 = 30: what is in between is not looked at (M9).
    game.apply("GE_Both", "hero", "hero");
    assert_eq!(game.base("hero", "Life"), 30.0);
    let curse = game.activate("GE_Curse", "hero", "hero");
    assert_eq!((game.base("hero", "Life"), game.current("hero", "Life")), (30.0, 1.0));
    game.apply("GE_Heal", "hero", "hero");
    assert_eq!((game.base("hero", "Life"), game.current("hero", "Life")), (40.0, 1.0));
    game.sim.remove(curse, Stacks::All).unwrap();
    assert_eq!(game.current("hero", "Life"), 40.0);
    assert_eq!(game.count("OwnerDied"), 0);
}

#[test]
fn prediction_floor_does_not_raise_values_of_the_authority() {
    // The authority's state has 0.5, which a client takes over.
    let mut server = mortal(Role::Server);
    server.apply("GE_Set", "hero", "hero");
    let mut game = mortal(Role::Client);
    game.sim = ugas_core::simulation::Simulation::new(
        server.sim.catalog().clone(),
        Config { role: Role::Client, ..Config::seeded(1) },
    );
    game.sim.restore(&server.sim.snapshot()).unwrap();
    game.apply("GE_Kill", "hero", "hero");
    assert_eq!(game.current("hero", "Life"), 0.5);
    game.apply("GE_Heal", "hero", "hero");
    assert_eq!(game.current("hero", "Life"), 10.5);
    game.apply("GE_Kill", "hero", "hero");
    assert_eq!(game.current("hero", "Life"), 1.0);
}

#[test]
fn knowledge_of_controllers_is_not_part_of_the_state() {
    let mut game = client([wound("GE_Wound")]);
    let snapshot = game.sim.snapshot();
    let hash = game.sim.state_hash();
    game.sim.set_known(game.id("wolf"), Knowledge::Whole);
    game.sim.set_known(game.id("hero"), Knowledge::Shown);
    assert_eq!(game.sim.state_hash(), hash);
    game.sim.restore(&snapshot).unwrap();
    assert_eq!(game.sim.known(game.id("wolf")), Knowledge::Whole);
    assert_eq!(game.sim.known(game.id("hero")), Knowledge::Shown);
}

#[test]
fn prediction_policy_defaults_to_by_rule() {
    assert_eq!(EffectDef::default().prediction, None);
    assert_eq!(AbilityDef::default().randomness, Randomness::ServerOnly);
    assert_eq!(AttributeDef::new("A", 0.0).prediction_floor, None);
}
