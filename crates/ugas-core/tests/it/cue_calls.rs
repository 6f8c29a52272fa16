//! Cues that the host executes, adds and removes (C1), context tags of native code (E14), and magnitudes of hooks.

use ugas_core::command::{Command, Outcome};
use ugas_core::effect::calculation::native;
use ugas_core::effect::magnitude::MagnitudeDef;
use ugas_core::effect::{ContextPayload, EffectContext, EffectDef, HitResult};
use ugas_core::event::{CueParameters, Event, EventKind};
use ugas_core::id::{ActorId, TagId};
use ugas_core::modifier::Operation;

use crate::fixture::{Game, instant};

fn game() -> Game {
    Game::build(|builder| builder.tags(["GameplayCue.Flare", "Hit.Critical"]))
}

fn executed(events: &[Event]) -> Vec<(TagId, CueParameters)> {
    let of_cue = |event: &Event| match &event.kind {
        EventKind::CueExecuted { cue, parameters, .. } => Some((*cue, parameters.clone())),
        _ => None,
    };
    events.iter().filter_map(of_cue).collect()
}

#[derive(PartialEq, Debug)]
struct Colour(u8);

impl ContextPayload for Colour {
    const KIND: &'static str = "colour";
    fn encode(&self, bytes: &mut Vec<u8>) {
        bytes.push(self.0);
    }
    fn decode(bytes: &[u8]) -> Option<Self> {
        bytes.first().map(|byte| Self(*byte))
    }
}

#[test]
fn c1_executed_cue_carries_the_whole_context_and_the_place_of_the_hit() {
    let mut game = game();
    let (hero, wolf, flare) = (game.id("hero"), game.id("wolf"), game.tag("GameplayCue.Flare"));
    let hit = HitResult { location: [1.0, 2.0, 3.0], normal: [0.0, 1.0, 0.0], ..HitResult::default() };
    let context = EffectContext::of(wolf)
        .at([9.0, 9.0, 9.0])
        .with_hit(hit)
        .caused_by(ActorId(7))
        .with_payload(&Colour(3))
        .tagged(game.tag("Hit.Critical"));
    game.events();
    game.sim.execute_cue(hero, flare, -0.0, &context).unwrap();
    let events = game.events();
    let [(cue, parameters)] = &executed(&events)[..] else { panic!("one cue") };
    assert_eq!((*cue, parameters.location()), (flare, Some([1.0, 2.0, 3.0])));
    assert!(parameters.magnitude.is_sign_positive(), "no negative zero");
    let details = parameters.details.as_deref().unwrap();
    assert_eq!((details.instigator, details.causer), (Some(wolf), Some(ActorId(7))));
    assert_eq!((details.hit, details.origin), (Some(hit), Some([9.0, 9.0, 9.0])));
    assert_eq!(details.payload::<Colour>(), Some(Colour(3)));
    assert_eq!(parameters.context_tags(), [game.tag("Hit.Critical")]);
    // As bytes, it comes back.
    assert_eq!(ugas_core::event::CueDetails::from_bytes(&details.to_bytes()).as_ref(), Ok(details));
}

#[test]
fn c1_added_cues_are_counted_and_grant_no_tag() {
    let mut game = game();
    let (hero, flare) = (game.id("hero"), game.tag("GameplayCue.Flare"));
    let add = Command::AddCue { controller: hero, cue: flare, context: EffectContext::default() };
    let remove = Command::RemoveCue { controller: hero, cue: flare };
    game.events();
    game.sim.execute(add.clone()).unwrap();
    game.sim.execute(add).unwrap();
    assert_eq!(game.sim.controller(hero).unwrap().cues(), [(flare, 2)]);
    assert!(!game.sim.has_tag(hero, flare));
    assert_eq!(game.count("CueAdded"), 1);
    assert_eq!(game.sim.execute(remove.clone()), Ok(Outcome::Removed(1)));
    // A copy goes on alike.
    let snapshot = game.sim.snapshot();
    game.sim.restore(&snapshot).unwrap();
    assert_eq!(game.sim.inconsistencies(), [""; 0]);
    assert_eq!(game.sim.execute(remove.clone()), Ok(Outcome::Removed(1)));
    assert_eq!(game.sim.execute(remove), Ok(Outcome::Removed(0)));
    assert!(game.sim.controller(hero).unwrap().cues().is_empty());
}

#[test]
fn c1_added_cue_may_name_an_ability_that_applies_no_effects() {
    let mut game = Game::build(|builder| {
        builder.tags(["GameplayCue.Flare"]).ability(ugas_core::ability::AbilityDef::new("GA_Idle"))
    });
    let (hero, flare) = (game.id("hero"), game.tag("GameplayCue.Flare"));
    let idle = game.sim.catalog().ability("GA_Idle").unwrap();
    let mut context = EffectContext::of(hero);
    context.ability = Some(game.sim.grant(hero, idle, 2).unwrap());
    game.sim.add_cue(hero, flare, &context).unwrap();
    let (parameters, active) = game.sim.present_cue(hero, flare).unwrap();
    assert_eq!(parameters.details.unwrap().ability_level, Some(2));
    assert!(active.is_some() && game.sim.remove_cue(hero, flare));
    assert_eq!(game.sim.present_cue(hero, flare), None);
}

#[test]
fn c1_cue_calls_refuse_unknown_controllers_and_tags() {
    let mut game = game();
    let (hero, wolf, flare) = (game.id("hero"), game.id("wolf"), game.tag("GameplayCue.Flare"));
    let context = EffectContext::default();
    let unknown = TagId::from_index(9_999);
    assert_eq!(game.sim.execute_cue(hero, unknown, 1.0, &context).unwrap_err().code(), "UnknownTag");
    assert_eq!(game.sim.add_cue(hero, unknown, &context).unwrap_err().code(), "UnknownTag");
    assert_eq!(game.sim.execute_cue(hero, flare, f64::NAN, &context).unwrap_err().code(), "NonFinite");
    game.sim.despawn(wolf).unwrap();
    assert_eq!(game.sim.execute_cue(wolf, flare, 1.0, &context).unwrap_err().code(), "UnknownController");
    assert!(!game.sim.remove_cue(wolf, flare));
}

#[test]
fn e14_native_code_marks_context_tags_and_writes_to_the_source() {
    let strike = native(Vec::new(), |context| {
        context.output("Health", Operation::Add, -10.0)?;
        context.output_to_source("Health", Operation::Add, -3.0)?;
        if context.effect_has("Element.Fire") {
            context.add_tag("Hit.Critical")?;
        }
        Ok(0.0)
    });
    let fire =
        EffectDef::instant("GE_Fire").executing("Calc").cue("GameplayCue.Hit").tagged("Element.Fire.Bolt");
    let plain = EffectDef::instant("GE_Plain").executing("Calc").cue("GameplayCue.Hit");
    let mut game = Game::build(|builder| {
        builder
            .tags(["Hit.Critical", "Element.Fire.Bolt", "GameplayCue.Hit"])
            .native("Calc", strike)
            .effect(fire)
            .effect(plain)
    });
    let critical = game.tag("Hit.Critical");
    game.events();
    game.apply("GE_Fire", "wolf", "hero");
    let events = game.events();
    assert_eq!(executed(&events)[0].1.context_tags(), [critical]);
    let marked = |event: &Event| matches!(&event.kind, EventKind::EffectExecuted { context_tags, .. } if context_tags.as_slice() == [critical]);
    assert!(events.iter().any(marked));
    assert_eq!((game.current("hero", "Health"), game.current("wolf", "Health")), (90.0, 97.0));
    game.apply("GE_Plain", "wolf", "hero");
    assert!(executed(&game.events())[0].1.context_tags().is_empty());
}

#[test]
fn e14_hooks_apply_effects_with_numbers_to_the_source() {
    let thorns = EffectDef::instant("GE_Thorns").modify(
        "Health",
        Operation::Add,
        MagnitudeDef::set_by_caller("Amount"),
    );
    let mut game = Game::build(|builder| {
        builder
            .tags(["Amount"])
            .effect(instant("GE_Hit", "Health", Operation::Add, -10.0))
            .effect(thorns)
            .post_execute("Health", |change| {
                let catalog = change.simulation().catalog().clone();
                let (thorns, amount) = (catalog.effect("GE_Thorns").unwrap(), catalog.tag("Amount").unwrap());
                let is_hit = change.spec().is_some_and(|spec| spec.effect() != thorns);
                if let Some(source) = change.source().filter(|_| is_hit) {
                    let taken = change.new_base() - change.old_base();
                    change.apply_with(thorns, 1.0, source, [(amount, taken / 2.0)]).unwrap();
                }
            })
    });
    game.apply("GE_Hit", "wolf", "hero");
    assert_eq!((game.current("hero", "Health"), game.current("wolf", "Health")), (90.0, 95.0));
}
