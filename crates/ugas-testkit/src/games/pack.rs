//! Definitions that the random games lack: chance, executions, native code, curves, containers, chains, costs
//! that are too high, endless cascades.

use ugas_core::ability::{AbilityDef, AbilitySetDef, NetExecution, TriggerDef, TriggerOn};
use ugas_core::catalog::CatalogBuilder;
use ugas_core::controller::{ControllerDef, ReplicationMode, TemplateEffectDef};
use ugas_core::curve::{CurveDef, Interpolation};
use ugas_core::effect::calculation::{CalculationDef, CaptureDef, ContextTagDef, OutputDef, native};
use ugas_core::effect::magnitude::MagnitudeDef;
use ugas_core::effect::{
    AUTHORITATIVE_ONLY, AbilityGrantDef, AdditionalEffectDef, AdditionalTo, EffectDef, ExecutionDef,
    ScopedModifierDef, ScopedTargetDef, StackingDef, TagQueryDef, TagQueryItemDef,
};
use ugas_core::event::EventKind;
use ugas_core::modifier::Operation;
use ugas_core::prediction::{Prediction, Randomness};
use ugas_core::targeting::{Affiliation, Confirmation, EffectContainerDef, HalfAngle, Shape, TargetingDef};
use ugas_core::task::{
    ActionDef, ApplyDef, CommitDef, CustomTask, Subject, TaskContext, TaskDef, TaskProgress, WaitDef,
};
use ugas_core::time::Span;

use crate::oracle::Game;

/// Abilities of the pack; they need those of [`game_of_abilities`](crate::fixtures::game_of_abilities).
pub(super) const ABILITIES: [&str; 11] = [
    "GA_Aim",
    "GA_Area",
    "GA_Chain",
    "GA_Custom",
    "GA_Dear",
    "GA_Far",
    "GA_Listen",
    "GA_Local",
    "GA_Loop",
    "GA_Queue",
    "GA_Roll",
];

/// The game with the pack's effects, tags and template; if it has abilities, also with the pack's abilities
/// and ability set. Recorded games use it to reach rules that the random games lack.
pub(super) fn with_pack(mut game: Game) -> Game {
    game.effects.extend(effects());
    game.tags.extend([AUTHORITATIVE_ONLY, "Hit.Native", "Data.Power"].map(str::to_owned));
    game.templates.push(herald(!game.abilities.is_empty()));
    if game.abilities.is_empty() {
        game.extension = Some(add_to_catalog);
    } else {
        game.abilities.extend(abilities());
        game.extension = Some(|builder| add_to_catalog(builder).ability_set(kit()));
    }
    game
}

/// Template `Herald`, the only one with effects at its start, one of them under way, with an ability if there
/// are any, and with a replication mode of its own.
fn herald(has_abilities: bool) -> ControllerDef {
    let mut herald =
        ControllerDef::new("Herald").with_set("Vitals").with_set("Fight").with_tag("State.Buff.Strong");
    herald.effects.push(("GE_Grown".to_owned(), 2.0));
    herald.active_effects.push(TemplateEffectDef {
        effect: "GE_Pile".to_owned(),
        level: 3.0,
        stacks: 2,
        remaining: Some(Span::millis(2_300)),
        instigator: Some("Lord".to_owned()),
        set_by_caller: Vec::new(),
    });
    herald.replication = ReplicationMode::Full;
    if has_abilities {
        herald.abilities.push(AbilityGrantDef { is_active: true, ..AbilityGrantDef::new("GA_Queue") });
        herald.abilities.push(AbilityGrantDef { level: 3, ..AbilityGrantDef::new("GA_0") });
    }
    herald
}

/// Ability set `Kit` with attribute sets, abilities, an effect and a tag; the random games have no ability
/// set.
fn kit() -> AbilitySetDef {
    AbilitySetDef {
        name: "Kit".to_owned(),
        attribute_sets: vec!["Vitals".to_owned(), "Fight".to_owned()],
        abilities: vec![
            AbilityGrantDef { input: Some("Two".to_owned()), ..AbilityGrantDef::new("GA_Roll") },
            AbilityGrantDef::new("GA_1"),
        ],
        effects: vec![("GE_Grown".to_owned(), 2.0)],
        tags: vec!["State.Buff.Shielded".to_owned()],
    }
}

/// Effects of the pack: chance, executions, native requirement, curve, calculation, endless cascade, zero
/// divisor, overflow, infinite value, immunity query, prediction modes, unaffordable cost.
fn effects() -> Vec<EffectDef> {
    let execution =
        |calculation: &str| ExecutionDef { calculation: calculation.to_owned(), modifiers: Vec::new() };
    let mut gamble = EffectDef::instant("GE_Gamble").modify("Health", Operation::Add, -3.0);
    gamble.chance = Some(0.5.into());
    let mut duel = EffectDef::instant("GE_Duel").cue("Cue.Hit");
    duel.executions.push(ExecutionDef {
        modifiers: vec![ScopedModifierDef {
            target: ScopedTargetDef::Attribute {
                name: "Vigor".to_owned(),
                from: ugas_core::effect::magnitude::CaptureFrom::Source,
            },
            operation: Operation::Add,
            magnitude: 4.0.into(),
        }],
        ..execution("Duel")
    });
    duel.additional_effects.push(AdditionalEffectDef {
        context_tags: ugas_core::modifier::TagRequirementDef {
            require: vec!["Hit.Critical".to_owned()],
            ignore: Vec::new(),
        },
        to: AdditionalTo::Source,
        ..AdditionalEffectDef::new("GE_Grown")
    });
    let mut drain = EffectDef::lasting("GE_Drain", 4.0).every(0.7).executing_on_application();
    drain.executions.push(execution("Duel"));
    drain.stacking = Some(StackingDef::by_source(3));
    let mut coded = EffectDef::instant("GE_Coded");
    coded.executions.push(execution("Coded"));
    let mut worthy = EffectDef::lasting("GE_Worthy", 2.0).modify("Power", Operation::Add, 2.0);
    worthy.requirement = Some("IsHealthy".to_owned());
    let grown =
        MagnitudeDef::Scalable { value: Some(2.0), curve: Some("Growth".to_owned()), curve_input: None };
    let grown = EffectDef::lasting("GE_Grown", 3.0).modify("Power", Operation::Add, grown);
    let live =
        MagnitudeDef::Calculation { name: "Ratio".to_owned(), coefficient: 3.0, pre_add: 0.5, post_add: 1.0 };
    let live = EffectDef::infinite("GE_Live").modify("Ward", Operation::Add, live);
    let mut echo = EffectDef::instant("GE_Echo").modify("Rage", Operation::Add, 1.0);
    echo.additional_effects.push(AdditionalEffectDef::new("GE_Reply"));
    let mut reply = EffectDef::instant("GE_Reply").modify("Rage", Operation::Add, -1.0);
    reply.additional_effects.push(AdditionalEffectDef::new("GE_Echo"));
    let halved = EffectDef::lasting("GE_Halved", 3.0).modify("Power", Operation::DivideAdditive, 0.0);
    let pile = StackingDef { overflow_effects: vec!["GE_Gamble".to_owned()], ..StackingDef::by_target(2) };
    let pile = EffectDef::lasting("GE_Pile", 4.0).modify("Mana", Operation::Add, -1.0).stacking(pile);
    let huge = EffectDef::lasting("GE_Huge", 2.0)
        .modify("Power", Operation::MultiplyCompound, 1e120)
        .stacking(StackingDef::by_target(0));
    let mut aegis = EffectDef::lasting("GE_Aegis", 3.0).granting("State.Buff.Shielded");
    aegis.immunity_query =
        TagQueryDef { any: vec![TagQueryItemDef::Tag("Element".to_owned())], ..TagQueryDef::default() };
    let mut decree = EffectDef::lasting("GE_Decree", 2.0).modify("Vigor", Operation::Add, 1.0);
    decree.asset_tags.push(AUTHORITATIVE_ONLY.to_owned());
    let mut flash = EffectDef::lasting("GE_Flash", 1.0).modify("Mana", Operation::Add, 3.0).cue("Cue.Aura");
    flash.prediction = Some(Prediction::CosmeticOnly);
    flash.cue_magnitude = Some("Mana".to_owned());
    let mut dice = EffectDef::lasting("GE_Dice", 3.0).every(0.5).modify(
        "Mana",
        Operation::Add,
        MagnitudeDef::expression("rand() * 4 - 2"),
    );
    dice.prediction = Some(Prediction::Predict);
    dice.randomness = Randomness::Predicted;
    let dear = EffectDef::instant("GE_Dear").modify("Mana", Operation::Add, -45.0);
    vec![
        gamble, duel, drain, coded, worthy, grown, live, echo, reply, halved, pile, huge, aegis, decree,
        flash, dice, dear,
    ]
}

/// Abilities of the pack, in the order of [`ABILITIES`]: targeting, containers, chains, custom tasks, range,
/// endless and queueing loops, randomness.
fn abilities() -> Vec<AbilityDef> {
    let apply = |effect: &str| TaskDef::Act(ActionDef::ApplyToTarget(ApplyDef::new(effect)));
    let wait = |seconds: f64| TaskDef::Wait(WaitDef::Delay(seconds.into()));
    let aim = |confirmation| {
        let targeting = TargetingDef::new(Shape::Nearest).range(6.0);
        TaskDef::Wait(WaitDef::TargetData { targeting, confirmation, max_delay: Some(3.0.into()) })
    };
    let aim = AbilityDef {
        tasks: vec![
            aim(Confirmation::UserConfirmed),
            apply("GE_Pile"),
            aim(Confirmation::CustomMulti),
            apply("GE_Hit"),
        ],
        ..AbilityDef::new("GA_Aim")
    };
    let listen = AbilityDef {
        tasks: vec![
            TaskDef::Wait(WaitDef::Event { tag: "Event.A".to_owned(), exact: false, once: false }),
            apply("GE_Drain"),
            wait(0.5),
        ],
        ..AbilityDef::new("GA_Listen")
    };
    let area = AbilityDef {
        tasks: vec![TaskDef::Act(ActionDef::ApplyContainer("Blast".into())), wait(0.5)],
        ..AbilityDef::new("GA_Area")
    };
    let chain = AbilityDef {
        targeting: Some(TargetingDef::new(Shape::Chain { jumps: 3, radius: 3.0, repeat: true })),
        tasks: vec![apply("GE_Duel"), apply("GE_Pile")],
        ..AbilityDef::new("GA_Chain")
    };
    let custom = AbilityDef {
        tasks: vec![
            TaskDef::Custom { name: "Breathe".to_owned(), params: vec![("Times".to_owned(), 3.0.into())] },
            apply("GE_Coded"),
        ],
        ..AbilityDef::new("GA_Custom")
    };
    let dear = AbilityDef {
        cost: Some("GE_Dear".to_owned()),
        cooldown: Some("GE_Cooldown".to_owned()),
        tasks: vec![TaskDef::Act(ActionDef::Commit(CommitDef::default())), apply("GE_Hit"), wait(0.25)],
        ..AbilityDef::new("GA_Dear")
    };
    let far = AbilityDef {
        max_range: Some(1.5),
        target_blocked_tags: vec!["State.Marked".to_owned()],
        tasks: vec![apply("GE_Mark")],
        ..AbilityDef::new("GA_Far")
    };
    let local = AbilityDef {
        net_execution: NetExecution::ServerOnly,
        requires_avatar: true,
        tasks: vec![apply("GE_Decree"), wait(1.0)],
        ..AbilityDef::new("GA_Local")
    };
    let endless = AbilityDef {
        tasks: vec![TaskDef::Repeat {
            count: None,
            interval: Some(0.4.into()),
            tasks: vec![apply("GE_Pile")],
        }],
        activation_owned_tags: vec!["State.Busy".to_owned()],
        ..AbilityDef::new("GA_Loop")
    };
    let queue = AbilityDef {
        tasks: vec![TaskDef::Repeat {
            count: None,
            interval: None,
            tasks: vec![
                TaskDef::Wait(WaitDef::Event { tag: "Event.A".to_owned(), exact: false, once: true }),
                wait(2.0),
                apply("GE_Grown"),
            ],
        }],
        ..AbilityDef::new("GA_Queue")
    };
    let roll = AbilityDef {
        prediction: Some(Prediction::Predict),
        randomness: Randomness::Predicted,
        triggers: vec![TriggerDef { tag: "Event.B".to_owned(), on: TriggerOn::Event }],
        tasks: vec![
            TaskDef::If {
                condition: "rand() - 0.5".into(),
                then: vec![apply("GE_Dice")],
                otherwise: vec![apply("GE_Flash")],
            },
            TaskDef::Wait(WaitDef::Delay("rand()".into())),
        ],
        ..AbilityDef::new("GA_Roll")
    };
    vec![aim, area, chain, custom, dear, far, listen, local, endless, queue, roll]
}

/// Waits for a number of timers, or for a change of tags; counts in its memory.
struct Breathe;

impl CustomTask for Breathe {
    /// Subscribes to `State.Stun`, stores a counter in the task's memory, and waits for the first timer.
    fn activate(&self, context: &mut TaskContext<'_>) -> TaskProgress {
        if let Ok(stun) = context.simulation().catalog().tag("State.Stun") {
            context.subscribe(Subject::Tag(stun));
        }
        context.store(&0_u32);
        context.wake_in(Span::millis(300));
        TaskProgress::Waiting
    }

    /// Fails as soon as the subscribed tag changes, so that recorded games have failing custom tasks.
    fn wake(&self, _: &mut TaskContext<'_>, _: &EventKind) -> TaskProgress {
        TaskProgress::Failed
    }

    /// Counts a timer in the task's memory; done after as many as the parameter `Times` says, else waits for
    /// the next.
    fn timer(&self, context: &mut TaskContext<'_>) -> TaskProgress {
        let times = context.param("Times").unwrap_or(1.0);
        let timers = context.load().unwrap_or(0_u32) + 1;
        context.store(&timers);
        if f64::from(timers) >= times {
            return TaskProgress::Done;
        }
        context.wake_in(Span::millis(300));
        TaskProgress::Waiting
    }
}

/// Adds the pack's curves, calculations, containers, hooks and custom task to a catalog: the parts that a
/// [`Game`] cannot list. Used as [`Game::extension`].
fn add_to_catalog(builder: CatalogBuilder) -> CatalogBuilder {
    let duel = CalculationDef {
        name: "Duel".to_owned(),
        captures: vec![CaptureDef::source("Vigor").frozen(), CaptureDef::target("Shield")],
        lets: vec![
            ("Roll".to_owned(), "rand()".to_owned()),
            ("Raw".to_owned(), "Source.Vigor * (1 + Roll) - Target.Shield * 0.1".to_owned()),
        ],
        outputs: vec![
            OutputDef::new("Damage", Operation::Add, "max(Raw, 1)"),
            OutputDef::new("Mana", Operation::Add, "0 - Raw * 0.05").to_source(),
        ],
        result: None,
        tags: vec![ContextTagDef {
            tag: "Hit.Critical".to_owned(),
            when: Some("floor(Roll * 2)".to_owned()),
        }],
    };
    let ratio = CalculationDef {
        name: "Ratio".to_owned(),
        result: Some("Target.Mana / max(Target.MaxMana, 1) + Source.Vigor * 0.1".to_owned()),
        ..CalculationDef::default()
    };
    let growth = CurveDef {
        name: "Growth".to_owned(),
        points: vec![(1.0, 1.0), (3.0, 4.0), (5.0, 5.0)],
        interpolation: Interpolation::Linear,
    };
    let coded = native(vec![CaptureDef::target("Health"), CaptureDef::source("Vigor").frozen()], |context| {
        let roll = context.random();
        let amount = context.source("Vigor").unwrap_or(5.0) * roll + context.level();
        context.output("Damage", Operation::Add, amount)?;
        if roll > 0.5 {
            context.add_tag("Hit.Native")?;
            context.output_to_source("Mana", Operation::Add, -1.0)?;
            context.handle_cues();
            context.execute_cue("Cue.Burn", amount)?;
        }
        Ok(amount)
    });
    let healthy = native(vec![CaptureDef::target("Health")], |context| {
        Ok(f64::from(u8::from(context.target("Health")? > 60.0)))
    });
    let blast = TargetingDef::new(Shape::Radius).range(2.5).affiliation(Affiliation::Any).count(3);
    let breath = TargetingDef::new(Shape::Cone(HalfAngle::from_degrees(60.0))).range(8.0);
    builder
        .calculation(duel)
        .calculation(ratio)
        .curve(growth)
        .native("Coded", coded)
        .native("IsHealthy", healthy)
        .container(EffectContainerDef::new("Blast", blast).effect("GE_Duel", 1.0).effect("GE_Drain", None))
        .container(EffectContainerDef::new("Breath", breath).effect("GE_Gamble", 2.0))
        .custom_task("Breathe", Breathe)
        .pre_change("Speed", |change| change.new.min(180.0))
        .post_execute("Health", |context| {
            let grown = context.simulation().catalog().effect("GE_Grown");
            if context.new_base() < 40.0
                && context.old_base() >= 40.0
                && let Ok(grown) = grown
            {
                let target = context.target();
                let _ = context.apply(grown, 2.0, target);
            }
        })
        .qualifier("Vigor", |terms| {
            let most = terms.iter().map(|term| term.amount).fold(f64::MIN, f64::max);
            for term in terms.iter_mut().filter(|term| term.amount < most - 5.0) {
                term.counts = false;
            }
        })
        .before_apply(|sim, _, spec| {
            let is_forbidden = sim.effect_name(spec.effect()) == "GE_Gamble" && spec.level() >= 4.0;
            if is_forbidden { Err("too high".to_owned()) } else { Ok(()) }
        })
}
