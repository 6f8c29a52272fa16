//! The steps of an application (E1, E2, E9): refusals, their order, and that a refusal changes nothing.

use ugas_core::effect::calculation::{CalculationDef, native};
use ugas_core::effect::magnitude::{CaptureFrom, MagnitudeDef};
use ugas_core::effect::{
    AUTHORITATIVE_ONLY, AdditionalEffectDef, AdditionalTo, EffectDef, TagQueryDef, TagQueryItemDef,
};
use ugas_core::event::EventKind;
use ugas_core::modifier::Operation;
use ugas_core::refusal::{Party, RefusalReason};
use ugas_core::simulation::{Application, Config, Role, Stacks};
use ugas_core::time::{Span, Time};

use crate::fixture::{Game, buff, instant, tagging};

#[test]
fn e1_all_missing_and_blocked_tags_of_both_sides_are_reported_in_order() {
    let mut effect = EffectDef::infinite("GE");
    effect.application_required_tags = vec!["T.One".into(), "T.Two".into()];
    effect.application_blocked_tags = vec!["T.Blocked".into()];
    effect.source_required_tags = vec!["S.Needed".into()];
    effect.source_blocked_tags = vec!["S.Blocked".into()];
    let mut game = Game::of([effect, tagging("T.Blocked"), tagging("S.Blocked"), tagging("T.One")]);
    game.apply("Tag:T.Blocked", "wolf", "wolf");
    game.apply("Tag:S.Blocked", "hero", "hero");
    let refusal = game.try_apply("GE", "hero", "wolf").unwrap_err();
    assert_eq!(
        refusal.describe(&game.sim),
        "`GE` was refused: the target lacks `T.One`; the target lacks `T.Two`; the target has `T.Blocked`; \
         the source lacks `S.Needed`; the source has `S.Blocked`"
    );
    assert_eq!(
        refusal.reasons[3],
        RefusalReason::MissingTag { party: Party::Source, tag: game.tag("S.Needed") }
    );
    assert_eq!(refusal.code(), "ApplicationRequirements");
}

#[test]
fn e1_a_refusal_changes_nothing_but_raises_its_event() {
    let mut effect = EffectDef::infinite("GE").modify("Attack", Operation::Add, 1.0).granting("State.X");
    effect.application_required_tags = vec!["State.Never".into()];
    effect.remove_effects_with_tags = vec!["State.Y".into()];
    let mut game = Game::of([effect, tagging("State.Y")]);
    game.apply("Tag:State.Y", "wolf", "wolf");
    game.events();
    game.refusal("GE", "hero", "wolf");
    assert_eq!(game.log(), ["refused GE ApplicationRequirements"]);
    assert!(game.has_tag("wolf", "State.Y") && !game.has_tag("wolf", "State.X"));
    assert_eq!(game.current("wolf", "Attack"), 100.0);
}

#[test]
fn e1_effect_that_would_be_removed_at_once_is_refused() {
    let mut effect = EffectDef::infinite("GE");
    effect.remove_on_tags = vec!["State.Wet".into()];
    let mut game = Game::of([effect, tagging("State.Wet")]);
    game.apply("Tag:State.Wet", "wolf", "wolf");
    assert_eq!(
        game.refusal("GE", "hero", "wolf"),
        "`GE` was refused: the target has `State.Wet`, which would remove it at once"
    );
}

#[test]
fn e1_immunity_by_asset_granted_and_source_tags_raises_its_event() {
    let mut ward = EffectDef::infinite("GE_Ward");
    ward.immunity_tags = vec!["Damage.Fire".into(), "Race.Undead".into()];
    let mut game = Game::of([
        ward,
        instant("GE_Asset", "Health", Operation::Add, -1.0).tagged("Damage.Fire.Lava"),
        EffectDef::infinite("GE_Granted").granting("Damage.Fire"),
        instant("GE_Plain", "Health", Operation::Add, -1.0),
        tagging("Race.Undead"),
    ]);
    let ward = game.activate("GE_Ward", "hero", "hero");
    game.events();
    for name in ["GE_Asset", "GE_Granted"] {
        assert_eq!(
            game.refusal(name, "wolf", "hero"),
            format!("`{name}` was refused: `GE_Ward` makes the target immune")
        );
        let events = game.events();
        assert!(matches!(events[0].kind, EventKind::EffectBlockedByImmunity { by, .. } if by == ward));
        assert_eq!(events.len(), 2);
    }
    game.apply("GE_Plain", "wolf", "hero");
    game.apply("Tag:Race.Undead", "wolf", "wolf");
    game.refusal("GE_Plain", "wolf", "hero");
    game.sim.remove(ward, Stacks::All).unwrap();
    game.apply("GE_Asset", "wolf", "hero");
}

#[test]
fn e1_immunity_by_query_and_inhibited_immunity() {
    let tag = |name: &str| TagQueryItemDef::Tag(name.into());
    let mut ward = EffectDef::infinite("GE_Ward");
    ward.immunity_query = TagQueryDef {
        all: vec![tag("Damage.Fire")],
        none: vec![tag("Damage.Holy")],
        ..TagQueryDef::default()
    };
    ward.ongoing_blocked_tags = vec!["State.Silenced".into()];
    let mut game = Game::of([
        ward,
        instant("GE_Fire", "Health", Operation::Add, -1.0).tagged("Damage.Fire"),
        instant("GE_HolyFire", "Health", Operation::Add, -1.0).tagged("Damage.Fire").tagged("Damage.Holy"),
        tagging("State.Silenced"),
    ]);
    game.apply("GE_Ward", "hero", "hero");
    game.refusal("GE_Fire", "wolf", "hero");
    game.apply("GE_HolyFire", "wolf", "hero");
    game.apply("Tag:State.Silenced", "wolf", "hero");
    game.apply("GE_Fire", "wolf", "hero");
}

#[test]
fn e1_requirements_come_before_immunity_before_the_custom_requirement_before_chance() {
    let mut ward = EffectDef::infinite("GE_Ward");
    ward.immunity_tags = vec!["Kind.Spell".into()];
    let mut spell = EffectDef::infinite("GE_Spell").tagged("Kind.Spell");
    spell.application_required_tags = vec!["State.Marked".into()];
    spell.requirement = Some("Calc_No".into());
    spell.chance = Some(0.0.into());
    spell.modifiers.push(ugas_core::modifier::ModifierDef::new(
        "Attack",
        Operation::Add,
        MagnitudeDef::set_by_caller("Data.X"),
    ));
    let mut game = Game::build(|builder| {
        builder
            .effect(ward)
            .effect(spell)
            .effect(tagging("State.Marked"))
            .native(
                "Calc_No",
                native(vec![], |context| Ok(f64::from(u8::from(context.target_has("State.Free"))))),
            )
            .effect(tagging("State.Free"))
    });
    let ward = game.activate("GE_Ward", "wolf", "wolf");
    let code = |game: &mut Game| game.try_apply("GE_Spell", "hero", "wolf").unwrap_err().code();
    assert_eq!(code(&mut game), "ApplicationRequirements");
    game.apply("Tag:State.Marked", "hero", "wolf");
    assert_eq!(code(&mut game), "Immune");
    game.sim.remove(ward, Stacks::All).unwrap();
    assert_eq!(code(&mut game), "RequirementFailed");
    game.apply("Tag:State.Free", "hero", "wolf");
    assert_eq!(code(&mut game), "ChanceFailed");
}

#[test]
fn e1_authoritative_only_is_refused_on_a_client_first_of_all() {
    for (role, refused) in [(Role::Client, true), (Role::Authority, false)] {
        let mut game = Game::configured(Config { role, ..Config::seeded(7) }, |builder| {
            builder
                .effect(instant("GE_Gold", "Mana", Operation::Add, 1.0).tagged(AUTHORITATIVE_ONLY))
                .effect(instant("GE_Plain", "Mana", Operation::Add, 1.0))
                .before_apply(|_, _, _| Ok(()))
        });
        let outcome = game.try_apply("GE_Gold", "hero", "hero");
        assert_eq!(outcome.map_err(|refusal| refusal.code()).err(), refused.then_some("AuthoritativeOnly"));
        // A spec may be marked, too.
        let spec = game.spec("GE_Plain", "hero").tagged(game.tag(AUTHORITATIVE_ONLY));
        assert_eq!(game.sim.apply(&spec, game.id("hero")).is_err(), refused);
        game.apply("GE_Plain", "hero", "hero");
    }
}

#[test]
fn e1_chance_of_0_never_and_of_1_always_happens() {
    let chance =
        |name: &str, chance: f64| EffectDef { chance: Some(chance.into()), ..EffectDef::instant(name) };
    let mut game = Game::of([
        chance("GE_Never", 0.0),
        chance("GE_Negative", -3.0),
        chance("GE_Always", 1.0),
        chance("GE_Beyond", 7.0),
    ]);
    for _ in 0..50 {
        assert_eq!(game.try_apply("GE_Never", "hero", "hero").unwrap_err().code(), "ChanceFailed");
        assert_eq!(game.try_apply("GE_Negative", "hero", "hero").unwrap_err().code(), "ChanceFailed");
        game.apply("GE_Always", "hero", "hero");
        game.apply("GE_Beyond", "hero", "hero");
    }
}

#[test]
fn e1_chance_is_deterministic_and_each_application_rolls_anew() {
    let outcomes = |seed: u64, disturb: bool| {
        let coin = |name: &str| EffectDef { chance: Some(0.5.into()), ..EffectDef::instant(name) };
        let mut game = Game::configured(Config::seeded(seed), |builder| {
            builder.effect(coin("GE_A")).effect(coin("GE_B"))
        });
        (0..64)
            .map(|_| {
                if disturb {
                    let _ = game.try_apply("GE_B", "hero", "hero");
                    let _ = game.try_apply("GE_A", "wolf", "wolf");
                }
                game.try_apply("GE_A", "hero", "hero").is_ok()
            })
            .collect::<Vec<_>>()
    };
    let first = outcomes(3, false);
    assert_eq!(outcomes(3, false), first);
    assert_eq!(outcomes(3, true), first);
    assert_ne!(outcomes(4, false), first);
    // 64 fair coins: all equal, or fewer than 10 of either, happens less than once in a million.
    let heads = first.iter().filter(|heads| **heads).count();
    assert!((10..=54).contains(&heads), "{heads}");
}

#[test]
fn e1_chance_and_requirement_may_read_a_frozen_attribute_of_the_target() {
    let mut effect = instant("GE", "Health", Operation::Add, -1.0);
    effect.chance = Some(MagnitudeDef::attribute(CaptureFrom::Target, "Strength", 0.02).frozen());
    let mut game = Game::of([effect]);
    game.apply("GE", "hero", "wolf"); // 50 × 0.02 = 1
    assert_eq!(game.base("wolf", "Health"), 99.0);
}

#[test]
fn e1_a_custom_requirement_from_expressions_decides() {
    let mut effect = instant("GE_Execute", "Health", Operation::Override, 0.0);
    effect.requirement = Some("Req_Low".into());
    let mut game = Game::build(|builder| {
        builder.effect(effect).effect(instant("GE_Hit", "Health", Operation::Add, -80.0)).calculation(
            CalculationDef {
                name: "Req_Low".into(),
                result: Some("Target.Health < 0.3 * Target.MaxHealth".into()),
                ..CalculationDef::default()
            },
        )
    });
    assert_eq!(
        game.refusal("GE_Execute", "hero", "wolf"),
        "`GE_Execute` was refused: the requirement `Req_Low` is not met"
    );
    game.apply("GE_Hit", "hero", "wolf");
    game.apply("GE_Execute", "hero", "wolf");
    assert_eq!(game.base("wolf", "Health"), 0.0);
}

#[test]
fn e1_order_of_events_is_activation_then_removals_then_tags_then_additional_effects() {
    let mut fire =
        EffectDef::infinite("GE_Fire").modify("Armor", Operation::Add, -5.0).granting("State.Burning");
    fire.remove_effects_with_tags = vec!["State.Wet".into()];
    fire.cues = vec!["GameplayCue.Fire".into()];
    fire.additional_effects = vec![AdditionalEffectDef::new("GE_Hit")];
    let mut game = Game::of([fire, tagging("State.Wet"), instant("GE_Hit", "Health", Operation::Add, -1.0)]);
    game.apply("Tag:State.Wet", "wolf", "wolf");
    game.events();
    game.apply("GE_Fire", "hero", "wolf");
    assert_eq!(
        game.log(),
        [
            "applied GE_Fire",
            "removed Tag:State.Wet Removed",
            "wolf -State.Wet",
            "wolf -State",
            "wolf +State.Burning",
            "wolf +State",
            "wolf.Armor 20 -> 15",
            "cue +GameplayCue.Fire",
            "executed GE_Hit",
            "wolf.Health 100 -> 99",
        ]
    );
}

#[test]
fn e1_remove_others_matches_asset_and_granted_tags_but_not_itself() {
    let mut cleanse = EffectDef::infinite("GE_Cleanse").granting("Kind.Debuff");
    cleanse.remove_effects_with_tags = vec!["Kind.Debuff".into()];
    let mut game = Game::of([
        cleanse,
        EffectDef::infinite("GE_Asset").tagged("Kind.Debuff.Slow"),
        EffectDef::infinite("GE_Other").tagged("Kind.Buff"),
    ]);
    game.apply("GE_Asset", "wolf", "hero");
    game.apply("GE_Other", "wolf", "hero");
    let first = game.activate("GE_Cleanse", "hero", "hero");
    assert_eq!(game.sim.controller(game.id("hero")).unwrap().effects().len(), 2);
    let second = game.activate("GE_Cleanse", "hero", "hero"); // the first is another instance
    assert!(game.sim.effect(first).is_none() && game.sim.effect(second).is_some());
}

#[test]
fn e1_additional_effects_go_to_target_or_source_under_conditions() {
    let mut drain = instant("GE_Drain", "Health", Operation::Add, -10.0);
    drain.additional_effects = vec![
        AdditionalEffectDef { to: AdditionalTo::Source, ..AdditionalEffectDef::new("GE_Gain") },
        AdditionalEffectDef {
            target_tags: ugas_core::modifier::TagRequirementDef {
                require: vec!["State.Wet".into()],
                ignore: vec![],
            },
            ..AdditionalEffectDef::new("GE_Shock")
        },
    ];
    let mut game = Game::of([
        drain,
        instant("GE_Gain", "Mana", Operation::Add, 10.0),
        instant("GE_Shock", "Health", Operation::Add, -1.0),
        tagging("State.Wet"),
    ]);
    game.apply("GE_Drain", "hero", "wolf");
    assert_eq!((game.base("hero", "Mana"), game.base("wolf", "Health")), (60.0, 90.0));
    game.apply("Tag:State.Wet", "hero", "wolf");
    game.apply("GE_Drain", "hero", "wolf");
    assert_eq!((game.base("hero", "Mana"), game.base("wolf", "Health")), (70.0, 79.0));
}

#[test]
fn e2_granted_tags_of_an_instant_effect_do_nothing() {
    let mut game = Game::of([EffectDef::instant("GE").granting("State.X")]);
    assert_eq!(game.apply("GE", "hero", "hero"), Application::Executed);
    assert!(!game.has_tag("hero", "State.X"));
    assert_eq!(game.log(), ["executed GE"]);
}

#[test]
fn e9_missing_set_by_caller_magnitude_is_refused_without_default() {
    let by_caller = |name: &str, default| {
        EffectDef::instant(name).modify(
            "Health",
            Operation::Add,
            MagnitudeDef::SetByCaller { tag: "Damage.Base".into(), default },
        )
    };
    let mut game = Game::of([by_caller("GE_Strict", None), by_caller("GE_Default", Some(-3.0))]);
    assert_eq!(
        game.refusal("GE_Strict", "hero", "wolf"),
        "`GE_Strict` was refused: the caller provided no number under `Damage.Base` and the magnitude has no default"
    );
    game.apply("GE_Default", "hero", "wolf");
    assert_eq!(game.base("wolf", "Health"), 97.0);
    for name in ["GE_Strict", "GE_Default"] {
        let spec = game.spec_with(name, "hero", "Damage.Base", -10.0);
        game.apply_spec(&spec, "wolf");
    }
    assert_eq!(game.base("wolf", "Health"), 77.0);
}

#[test]
fn e9_zero_is_a_magnitude_and_the_last_one_counts() {
    let effect =
        EffectDef::instant("GE").modify("Health", Operation::Add, MagnitudeDef::set_by_caller("Damage.Base"));
    let mut game = Game::of([effect]);
    let spec = game.spec_with("GE", "hero", "Damage.Base", 0.0);
    game.apply_spec(&spec, "wolf");
    assert_eq!(game.base("wolf", "Health"), 100.0);
    let spec = spec.with_magnitude(game.tag("Damage.Base"), -1.0);
    assert_eq!(spec.magnitudes().len(), 1);
    game.apply_spec(&spec, "wolf");
    assert_eq!(game.base("wolf", "Health"), 99.0);
}

#[test]
fn section_9_9_a_spec_overrides_duration_and_period_and_adds_tags() {
    let mut game = Game::of([
        EffectDef::lasting("GE_Poison", 10.0).every(1.0).modify("Health", Operation::Add, -1.0),
        EffectDef::infinite("GE_Forever"),
        tagging("State.Dynamic"),
        tagging("Kind.Dynamic"),
    ]);
    let spec =
        game.spec("GE_Poison", "wolf").with_duration(Span::seconds(2.0)).with_period(Span::seconds(0.5));
    let spec = spec.granting(game.tag("State.Dynamic")).tagged(game.tag("Kind.Dynamic"));
    game.apply_spec(&spec, "hero");
    assert!(game.has_tag("hero", "State.Dynamic") && !game.has_tag("hero", "Kind.Dynamic"));
    game.pass(2.0);
    assert_eq!(game.base("hero", "Health"), 96.0); // 2 / 0.5 ticks
    assert!(!game.has_tag("hero", "State.Dynamic"));
    let spec = game.spec("GE_Forever", "wolf").with_duration(Span::seconds(1.0));
    let active = game.apply_spec(&spec, "hero").active().unwrap();
    assert_eq!(game.active(active).expires(), Some(Time::from_seconds(3.0)));
}

#[test]
fn e16_a_period_override_that_is_not_positive_is_refused() {
    let mut game = Game::of([EffectDef::infinite("GE").every(1.0)]);
    for period in [Span::ZERO, Span::from_micros(-1)] {
        let spec = game.spec("GE", "hero").with_period(period);
        let refusal = game.sim.apply(&spec, game.id("hero")).unwrap_err();
        assert_eq!(refusal.code(), "InvalidPeriod");
    }
}

#[test]
fn section_9_9_the_context_travels_with_the_effect() {
    use ugas_core::effect::{ContextPayload, EffectContext, HitResult};
    use ugas_core::id::ActorId;
    #[derive(PartialEq, Debug)]
    struct Bounces(u8);
    impl ContextPayload for Bounces {
        const KIND: &'static str = "bounces";
        fn encode(&self, bytes: &mut Vec<u8>) {
            bytes.push(self.0);
        }
        fn decode(bytes: &[u8]) -> Option<Self> {
            bytes.first().copied().map(Self)
        }
    }
    let mut game = Game::of([buff("GE", "Attack", Operation::Add, 1.0)]);
    let context = EffectContext::of(game.id("wolf"))
        .caused_by(ActorId(5))
        .from_object(ActorId(6))
        .at([1.0, 2.0, 3.0])
        .with_hit(HitResult { distance: 4.0, ..HitResult::default() })
        .with_payload(&Bounces(3));
    let spec = game.sim.spec(game.effect("GE"), 2.0, context.clone()).unwrap();
    let active = game.apply_spec(&spec, "hero").active().unwrap();
    let snapshot = game.sim.snapshot();
    game.sim.remove(active, Stacks::All).unwrap();
    game.sim.restore(&snapshot).unwrap();
    assert_eq!(game.active(active).spec().context(), &context);
    assert_eq!(game.active(active).spec().context().payload::<Bounces>(), Some(Bounces(3)));
    assert_eq!(
        (game.active(active).source(), game.active(active).spec().level()),
        (Some(game.id("wolf")), 2.0)
    );
}

#[test]
fn e1_unknown_targets_and_effects_are_refused() {
    let mut game = Game::of([instant("GE", "Health", Operation::Add, -1.0)]);
    let wolf = game.id("wolf");
    game.sim.despawn(wolf).unwrap();
    assert_eq!(game.try_apply("GE", "hero", "wolf").unwrap_err().code(), "UnknownController");
    let hero = game.id("hero");
    let unknown = ugas_core::id::EffectId::from_index(99);
    assert_eq!(game.sim.apply_effect(unknown, None, hero).unwrap_err().code(), "UnknownEffect");
}

#[test]
fn e1_the_limit_of_effects_on_one_controller_refuses() {
    let config = Config { max_effects_per_controller: 2, ..Config::seeded(7) };
    let mut game = Game::configured(config, |builder| builder.effect(EffectDef::infinite("GE")));
    game.apply("GE", "hero", "hero");
    game.apply("GE", "hero", "hero");
    assert_eq!(game.try_apply("GE", "hero", "hero").unwrap_err().code(), "LimitReached");
    game.apply("GE", "hero", "wolf");
}
