//! Showing cues (§12, GASD §4.8): events of a simulation in, calls of the host's handler out.

use std::sync::Arc;

use ugas_core::catalog::Catalog;
use ugas_core::cue::{
    CueClassDef, CueClassId, CueConfig, CueContext, CueHandler, CueManager, CueTrigger, Loading, PlayId,
    Playback,
};
use ugas_core::effect::{EffectContext, EffectDef, PredictionKey};
use ugas_core::id::{ActorId, TagId};
use ugas_core::modifier::Operation;
use ugas_core::simulation::Stacks;
use ugas_core::time::{Span, Time};

use crate::fixture::{Game, instant};

const TAGS: [&str; 8] = [
    "GameplayCue.Hit",
    "GameplayCue.Hit.Fire",
    "GameplayCue.Status.Burning",
    "GameplayCue.Status.Slowed",
    "GameplayCue.Footstep",
    "GameplayCue.Footstep.Water",
    "Ground.Water",
    "Hero",
];

/// Writes down what it is told. Instances are numbered as they are created.
struct Recorder {
    catalog: Arc<Catalog>,
    log: Vec<String>,
    created: u32,
    loading: Loading,
    playback: Playback,
    plays: Vec<PlayId>,
    contexts: Vec<CueContext>,
}

impl Recorder {
    fn note(&mut self, what: &str, instance: u32, context: &CueContext) {
        let tag = self.catalog.tag_name(context.shown_as).trim_start_matches("GameplayCue.").to_owned();
        self.log.push(format!("{what} {instance} {tag}"));
        self.contexts.push(context.clone());
    }
}

impl CueHandler for Recorder {
    type Instance = u32;

    fn load(&mut self, _: CueClassId, name: &str) -> Loading {
        self.log.push(format!("load {name}"));
        self.loading
    }

    fn create(&mut self, _: CueClassId) -> Option<u32> {
        self.created += 1;
        Some(self.created)
    }

    fn on_active(&mut self, _: PlayId, instance: &mut u32, context: &CueContext) {
        self.note("active", *instance, context);
    }

    fn while_active(&mut self, _: PlayId, instance: &mut u32, context: &CueContext) {
        self.note("while", *instance, context);
    }

    fn on_remove(&mut self, play: PlayId, instance: &mut u32, context: &CueContext) -> Playback {
        self.note("remove", *instance, context);
        self.plays.push(play);
        self.playback
    }

    fn on_execute(&mut self, play: PlayId, instance: &mut u32, context: &CueContext) -> Playback {
        self.note("execute", *instance, context);
        self.plays.push(play);
        self.playback
    }

    fn recycle(&mut self, _: CueClassId, instance: &mut u32) {
        self.log.push(format!("recycle {instance}"));
    }

    fn destroy(&mut self, _: CueClassId, instance: u32) {
        self.log.push(format!("destroy {instance}"));
    }
}

/// A game with cues and a manager that looks at it.
struct Theatre {
    game: Game,
    cues: CueManager<Recorder>,
}

impl Theatre {
    fn new(config: CueConfig) -> Self {
        let mut hit = instant("GE_Hit", "Health", Operation::Add, -25.0).cue("GameplayCue.Hit.Fire");
        hit.cue_magnitude = Some("Health".into());
        let mut burn = EffectDef::lasting("GE_Burn", 3.0).modify("Armor", Operation::Add, -5.0);
        burn.cue_magnitude = Some("Armor".into());
        let game = Game::build(|builder| {
            builder
                .tags(TAGS)
                .effect(hit)
                .effect(burn.cue("GameplayCue.Status.Burning"))
                .effect(EffectDef::infinite("GE_Slow").cue("GameplayCue.Status.Slowed"))
                .effect(EffectDef::lasting("GE_Tick", 2.0).every(1.0).cue("GameplayCue.Status.Burning"))
                .effect(EffectDef::instant("GE_Step").cue("GameplayCue.Footstep"))
                .effect(EffectDef::infinite("GE_Wet").granting("Ground.Water"))
                .effect(EffectDef::infinite("GE_Hero").granting("Hero"))
        });
        let catalog = game.sim.catalog().clone();
        let recorder = Recorder {
            catalog: catalog.clone(),
            log: Vec::new(),
            created: 0,
            loading: Loading::Ready,
            playback: Playback::Done,
            plays: Vec::new(),
            contexts: Vec::new(),
        };
        Self { game, cues: CueManager::new(catalog, config, recorder) }
    }

    fn register(&mut self, tag: &str, class: CueClassDef) -> CueClassId {
        self.cues.register(self.game.tag(tag), class)
    }

    /// Passes the events since the last call and gives what the handler was told.
    fn pump(&mut self) -> Vec<String> {
        for event in self.game.events() {
            self.cues.handle_in(&event, &self.game.sim);
        }
        self.log()
    }

    /// As [`Self::pump`], of a simulation that runs ahead.
    fn pump_predicted(&mut self) -> Vec<String> {
        for event in self.game.events() {
            self.cues.handle_predicted(&event, &self.game.sim);
        }
        self.log()
    }

    fn log(&mut self) -> Vec<String> {
        core::mem::take(&mut self.cues.handler_mut().log)
    }

    fn local(&self, target: &str, tag: &str) -> CueContext {
        CueContext::new(self.game.id(target), self.game.tag(tag))
    }
}

/// Classes for hits and for states, loaded without being noted.
fn stocked(config: CueConfig) -> Theatre {
    let mut theatre = Theatre::new(config);
    theatre.register("GameplayCue.Hit", CueClassDef::burst("FX_Hit").full_magnitude(100.0));
    theatre.register("GameplayCue.Status", CueClassDef::looping("FX_Status"));
    for tag in ["GameplayCue.Hit", "GameplayCue.Status"] {
        theatre.cues.preload(theatre.game.tag(tag));
    }
    assert_eq!(theatre.log(), ["load FX_Hit", "load FX_Status"]);
    theatre
}

const NOTHING: [&str; 0] = [];

#[test]
fn section_12_1_what_is_shown_cannot_change_the_game() {
    let mut theatre = stocked(CueConfig::default());
    theatre.game.apply("GE_Burn", "wolf", "hero");
    let before = theatre.game.sim.state_hash();
    assert_eq!(theatre.pump(), ["active 1 Status.Burning", "while 1 Status.Burning"]);
    theatre.cues.add_local(theatre.local("wolf", "GameplayCue.Status.Slowed"));
    assert_eq!(theatre.game.sim.state_hash(), before);
}

#[test]
fn section_12_2_an_effect_triggers_by_tag_and_the_nearest_registered_ancestor_shows_it() {
    let mut theatre = stocked(CueConfig::default());
    theatre.game.apply("GE_Hit", "wolf", "hero");
    assert_eq!(theatre.pump(), ["execute 1 Hit.Fire", "recycle 1"]);
    let fire = theatre.register("GameplayCue.Hit.Fire", CueClassDef::burst("FX_Fire"));
    assert_eq!(theatre.cues.class_of(theatre.game.tag("GameplayCue.Hit.Fire")), Some(fire));
    theatre.game.apply("GE_Hit", "wolf", "hero");
    assert_eq!(theatre.pump(), ["load FX_Fire", "execute 2 Hit.Fire", "recycle 2"]);
    theatre.game.apply("GE_Step", "hero", "hero");
    assert_eq!(theatre.pump(), NOTHING);
    let counts = theatre.cues.counts();
    assert_eq!((counts.triggers, counts.played, counts.unmatched), (3, 2, 1));
}

#[test]
fn section_12_3_a_burst_plays_to_its_end_and_a_loop_lasts_as_its_effect() {
    let mut theatre = stocked(CueConfig::default());
    theatre.game.apply("GE_Burn", "wolf", "hero");
    assert_eq!(theatre.pump(), ["active 1 Status.Burning", "while 1 Status.Burning"]);
    theatre.game.pass(2.9);
    assert_eq!(theatre.pump(), NOTHING);
    theatre.game.pass(0.2);
    assert_eq!(theatre.pump(), ["remove 1 Status.Burning", "recycle 1"]);

    theatre.cues.handler_mut().playback = Playback::Continues;
    theatre.game.apply("GE_Hit", "wolf", "hero");
    assert_eq!(theatre.pump(), ["execute 2 Hit.Fire"]);
    let play = *theatre.cues.handler().plays.last().unwrap();
    assert_eq!(theatre.cues.active_instances(), 1);
    theatre.cues.finished(play);
    theatre.cues.finished(play);
    assert_eq!((theatre.log(), theatre.cues.active_instances()), (vec!["recycle 2".to_owned()], 0));
}

#[test]
fn section_12_3_ticks_reach_the_instance_that_loops() {
    let mut theatre = stocked(CueConfig::default());
    theatre.game.apply("GE_Tick", "wolf", "hero");
    theatre.game.pass(2.0);
    assert_eq!(
        theatre.pump(),
        [
            "active 1 Status.Burning",
            "while 1 Status.Burning",
            "execute 1 Status.Burning",
            "execute 1 Status.Burning",
            "remove 1 Status.Burning",
            "recycle 1",
        ]
    );
}

#[test]
fn section_12_3_a_loop_may_fade_after_its_end() {
    let mut theatre = stocked(CueConfig::default());
    theatre.cues.handler_mut().playback = Playback::Continues;
    let active = theatre.game.activate("GE_Slow", "wolf", "hero");
    theatre.pump();
    theatre.game.sim.remove(active, Stacks::All).unwrap();
    assert_eq!(theatre.pump(), ["remove 1 Status.Slowed"]);
    assert!(!theatre.cues.is_present(theatre.game.id("hero"), theatre.game.tag("GameplayCue.Status.Slowed")));
    // Slowed again while the first still fades: a second instance.
    theatre.game.apply("GE_Slow", "wolf", "hero");
    assert_eq!(theatre.pump(), ["active 2 Status.Slowed", "while 2 Status.Slowed"]);
    let fading = theatre.cues.handler().plays[0];
    theatre.cues.finished(fading);
    assert_eq!(theatre.log(), ["recycle 1"]);
}

#[test]
fn section_12_3_a_burst_that_is_added_plays_once() {
    let mut theatre = Theatre::new(CueConfig::default());
    theatre.register("GameplayCue.Status", CueClassDef::burst("FX_Flash"));
    let active = theatre.game.activate("GE_Slow", "wolf", "hero");
    assert_eq!(theatre.pump(), ["load FX_Flash", "execute 1 Status.Slowed", "recycle 1"]);
    theatre.game.sim.remove(active, Stacks::All).unwrap();
    assert_eq!(theatre.pump(), NOTHING);
}

#[test]
fn section_12_4_instances_are_pooled_up_to_a_limit() {
    let mut theatre = Theatre::new(CueConfig::default());
    let class = theatre.register("GameplayCue.Status", CueClassDef::looping("FX").pooled(1).prewarmed(4));
    theatre.cues.preload(theatre.game.tag("GameplayCue.Status"));
    assert_eq!((theatre.cues.pooled_instances(class), theatre.cues.handler().created), (1, 1));
    let a = theatre.game.activate("GE_Slow", "wolf", "hero");
    let b = theatre.game.activate("GE_Slow", "wolf", "wolf");
    theatre.pump();
    for active in [a, b] {
        theatre.game.sim.remove(active, Stacks::All).unwrap();
    }
    assert_eq!(
        theatre.pump(),
        ["remove 1 Status.Slowed", "recycle 1", "remove 2 Status.Slowed", "recycle 2", "destroy 2"]
    );
    theatre.game.apply("GE_Slow", "wolf", "hero");
    assert_eq!(theatre.pump(), ["active 1 Status.Slowed", "while 1 Status.Slowed"]);
    assert_eq!(theatre.cues.handler().created, 2);
    theatre.cues.leave(theatre.game.id("hero"));
    theatre.cues.trim();
    assert_eq!(theatre.log(), ["remove 1 Status.Slowed", "recycle 1", "destroy 1"]);
}

#[test]
fn e11_a_cue_is_there_once_for_each_target_and_tag() {
    let mut theatre = stocked(CueConfig::default());
    let slow = theatre.game.activate("GE_Slow", "wolf", "hero");
    let again = theatre.game.activate("GE_Slow", "wolf", "hero");
    theatre.game.apply("GE_Slow", "wolf", "wolf");
    let expected = ["active 1", "while 1", "active 2", "while 2"].map(|what| format!("{what} Status.Slowed"));
    assert_eq!(theatre.pump(), expected);
    theatre.game.sim.remove(slow, Stacks::All).unwrap();
    assert_eq!(theatre.pump(), NOTHING);
    theatre.game.sim.remove(again, Stacks::All).unwrap();
    assert_eq!(theatre.pump(), ["remove 1 Status.Slowed", "recycle 1"]);
}

#[test]
fn gasd_4_8_4_the_context_says_who_where_and_how_much() {
    let mut theatre = stocked(CueConfig::default());
    theatre.game.apply("GE_Wet", "hero", "hero");
    theatre.game.apply("GE_Hero", "wolf", "wolf");
    let context = EffectContext::of(theatre.game.id("wolf")).at([1.0, 2.0, 3.0]).caused_by(ActorId(9));
    for effect in ["GE_Hit", "GE_Burn"] {
        let spec = theatre.game.sim.spec(theatre.game.effect(effect), 4.0, context.clone()).unwrap();
        theatre.game.apply_spec(&spec, "hero");
    }
    theatre.pump();
    let [hit, burn, _] = &theatre.cues.handler().contexts[..] else { panic!("a hit, and a burn twice") };
    assert_eq!((hit.magnitude, hit.normalised, hit.level), (-25.0, 0.25, 4.0));
    assert_eq!((hit.location(), hit.count), (Some([1.0, 2.0, 3.0]), 1));
    assert_eq!((hit.source(), hit.target), (Some(theatre.game.id("wolf")), theatre.game.id("hero")));
    assert!(
        hit.details.target_tags.matches(theatre.game.tag("Ground"))
            && hit.details.source_tags.matches(theatre.game.tag("Hero"))
    );
    assert_eq!(hit.effect, Some(theatre.game.effect("GE_Hit")));
    // C1: the context of an instant effect is whole, too.
    assert_eq!((hit.details.causer, burn.details.causer), (Some(ActorId(9)), Some(ActorId(9))));
    assert_eq!((burn.magnitude, burn.normalised), (-5.0, 1.0));
}

#[test]
fn gasd_4_8_8_who_joins_late_sees_what_is_there_but_not_how_it_began() {
    let mut theatre = stocked(CueConfig::default());
    let burn = theatre.game.activate("GE_Burn", "wolf", "hero");
    theatre.game.apply("GE_Hit", "wolf", "hero");
    theatre.game.events();
    theatre.cues.catch_up(&theatre.game.sim);
    theatre.cues.catch_up(&theatre.game.sim);
    assert_eq!(theatre.log(), ["while 1 Status.Burning"]);
    let context = &theatre.cues.handler().contexts[0];
    assert_eq!((context.magnitude, context.source()), (-5.0, Some(theatre.game.id("wolf"))));
    // A removal that was never heard of is made up for.
    theatre.game.sim.remove(burn, Stacks::All).unwrap();
    theatre.game.events();
    theatre.cues.catch_up(&theatre.game.sim);
    assert_eq!(theatre.log(), ["remove 1 Status.Burning", "recycle 1"]);
}

#[test]
fn gasd_4_8_8_targets_enter_and_leave_the_view() {
    let mut theatre = stocked(CueConfig::default());
    theatre.game.apply("GE_Slow", "wolf", "hero");
    theatre.pump();
    let hero = theatre.game.id("hero");
    theatre.cues.leave(hero);
    assert_eq!(theatre.log(), ["remove 1 Status.Slowed", "recycle 1"]);
    theatre.cues.enter(hero, &theatre.game.sim);
    assert_eq!(theatre.log(), ["while 1 Status.Slowed"]);
    theatre.cues.add_local(theatre.local("hero", "GameplayCue.Status.Burning"));
    theatre.log();
    theatre.game.sim.despawn(hero).unwrap();
    assert_eq!(
        theatre.pump(),
        ["remove 1 Status.Slowed", "recycle 1", "remove 2 Status.Burning", "recycle 2"]
    );
}

#[test]
fn gasd_4_8_5_a_class_is_loaded_when_it_is_first_needed() {
    let mut theatre = Theatre::new(CueConfig::default());
    let hit = theatre.register("GameplayCue.Hit", CueClassDef::burst("FX_Hit"));
    let status = theatre.register("GameplayCue.Status", CueClassDef::looping("FX_Status"));
    theatre.cues.handler_mut().loading = Loading::Requested;
    theatre.game.apply("GE_Hit", "wolf", "hero");
    theatre.game.apply("GE_Slow", "wolf", "hero");
    theatre.game.apply("GE_Hit", "wolf", "hero");
    assert_eq!(theatre.pump(), ["load FX_Hit", "load FX_Status"]);
    // Exactly as old as patience allows.
    theatre.cues.advance_to(Time::from_seconds(0.5));
    theatre.cues.loaded(hit);
    assert_eq!(theatre.log(), ["execute 1 Hit.Fire", "recycle 1", "execute 1 Hit.Fire", "recycle 1"]);
    theatre.cues.loaded(status);
    assert_eq!(theatre.log(), ["active 2 Status.Slowed", "while 2 Status.Slowed"]);
}

#[test]
fn gasd_4_8_5_what_is_loaded_too_late_is_dropped_or_joined() {
    let mut theatre = Theatre::new(CueConfig { max_waiting: 1, ..CueConfig::default() });
    let hit = theatre.register("GameplayCue.Hit", CueClassDef::burst("FX_Hit"));
    let status = theatre.register("GameplayCue.Status", CueClassDef::looping("FX_Status"));
    theatre.cues.handler_mut().loading = Loading::Requested;
    theatre.game.apply("GE_Hit", "wolf", "hero");
    theatre.game.apply("GE_Hit", "wolf", "hero");
    theatre.game.apply("GE_Slow", "wolf", "hero");
    theatre.game.apply("GE_Burn", "wolf", "hero");
    theatre.game.pass(3.0);
    theatre.pump();
    theatre.cues.loaded(hit);
    theatre.cues.loaded(status);
    assert_eq!(theatre.log(), ["while 1 Status.Slowed"], "the burn came and went in the meantime");
    assert_eq!(theatre.cues.counts().late, 2);
}

#[test]
fn gasd_4_8_5_a_class_that_cannot_be_had_is_given_up() {
    let mut theatre = Theatre::new(CueConfig::default());
    let hit = theatre.register("GameplayCue.Hit", CueClassDef::burst("FX_Hit"));
    theatre.cues.handler_mut().loading = Loading::Requested;
    theatre.game.apply("GE_Hit", "wolf", "hero");
    theatre.pump();
    theatre.cues.failed(hit);
    theatre.game.apply("GE_Hit", "wolf", "hero");
    assert_eq!(theatre.pump(), NOTHING);
    assert_eq!((theatre.cues.counts().unavailable, theatre.cues.counts().played), (2, 0));
}

#[test]
fn section_12_4_the_budget_keeps_what_matters_most() {
    let mut theatre = Theatre::new(CueConfig { max_active: 1, ..CueConfig::default() });
    theatre.register("GameplayCue.Status.Slowed", CueClassDef::looping("FX_Slow"));
    theatre.register("GameplayCue.Status.Burning", CueClassDef::looping("FX_Burn").priority(1));
    theatre.game.apply("GE_Slow", "wolf", "hero");
    theatre.game.apply("GE_Slow", "wolf", "wolf");
    assert_eq!(theatre.pump(), ["load FX_Slow", "active 1 Status.Slowed", "while 1 Status.Slowed"]);
    assert_eq!(theatre.cues.counts().refused, 1, "equal importance takes no place");
    theatre.game.apply("GE_Burn", "wolf", "hero");
    assert_eq!(
        theatre.pump(),
        [
            "load FX_Burn",
            "remove 1 Status.Slowed",
            "recycle 1",
            "active 2 Status.Burning",
            "while 2 Status.Burning",
        ]
    );
    // The place is free again, and one of the two that wait appears, without its beginning.
    theatre.game.pass(3.0);
    assert_eq!(theatre.pump(), ["remove 2 Status.Burning", "recycle 2", "while 1 Status.Slowed"]);
    assert_eq!((theatre.cues.counts().evicted, theatre.cues.active_instances()), (1, 1));
}

#[test]
fn section_12_4_a_class_has_a_budget_of_its_own() {
    let mut theatre = Theatre::new(CueConfig::default());
    theatre.register("GameplayCue.Hit", CueClassDef::burst("FX_Hit").max_active(1));
    theatre.cues.handler_mut().playback = Playback::Continues;
    let (hero, wolf) = (theatre.game.id("hero"), theatre.game.id("wolf"));
    theatre.cues.prioritise(move |context, class| if context.target == hero { class + 1 } else { class });
    for target in ["wolf", "wolf", "hero", "hero"] {
        theatre.game.apply("GE_Hit", "wolf", target);
    }
    assert_eq!(theatre.pump(), ["load FX_Hit", "execute 1 Hit.Fire", "recycle 1", "execute 1 Hit.Fire"]);
    let targets: Vec<_> = theatre.cues.handler().contexts.iter().map(|context| context.target).collect();
    assert_eq!(targets, [wolf, hero]);
    assert_eq!((theatre.cues.counts().refused, theatre.cues.counts().evicted), (2, 1));
}

#[test]
fn section_12_4_a_place_that_was_needed_for_a_moment_is_given_back() {
    let mut theatre = Theatre::new(CueConfig { max_active: 1, ..CueConfig::default() });
    theatre.register("GameplayCue.Status", CueClassDef::looping("FX_Status"));
    theatre.register("GameplayCue.Hit", CueClassDef::burst("FX_Hit").priority(1));
    theatre.game.apply("GE_Slow", "wolf", "hero");
    theatre.pump();
    theatre.game.apply("GE_Hit", "wolf", "hero");
    assert_eq!(
        theatre.pump(),
        [
            "load FX_Hit",
            "remove 1 Status.Slowed",
            "recycle 1",
            "execute 2 Hit.Fire",
            "recycle 2",
            "while 1 Status.Slowed",
        ]
    );
}

#[test]
fn gasd_4_8_5_ticks_that_waited_reach_the_loop_that_waited() {
    let mut theatre = Theatre::new(CueConfig { patience: Span::seconds(9.0), ..CueConfig::default() });
    let status = theatre.register("GameplayCue.Status", CueClassDef::looping("FX_Status"));
    theatre.cues.handler_mut().loading = Loading::Requested;
    theatre.game.apply("GE_Tick", "wolf", "hero");
    theatre.game.pass(1.0);
    assert_eq!(theatre.pump(), ["load FX_Status"]);
    theatre.cues.loaded(status);
    assert_eq!(
        theatre.log(),
        ["active 1 Status.Burning", "while 1 Status.Burning", "execute 1 Status.Burning"]
    );
}

#[test]
fn cues_are_translated_by_context() {
    let mut theatre = Theatre::new(CueConfig::default());
    theatre.register("GameplayCue.Footstep", CueClassDef::burst("FX_Step"));
    theatre.register("GameplayCue.Footstep.Water", CueClassDef::burst("FX_Splash"));
    let [water, splash, step] = ["Ground.Water", "GameplayCue.Footstep.Water", "GameplayCue.Footstep"]
        .map(|tag| theatre.game.tag(tag));
    theatre.cues.translate(step, move |context| context.details.target_tags.matches(water).then_some(splash));
    theatre.game.apply("GE_Step", "hero", "hero");
    assert_eq!(theatre.pump(), ["load FX_Step", "execute 1 Footstep", "recycle 1"]);
    theatre.game.apply("GE_Wet", "hero", "hero");
    theatre.game.apply("GE_Step", "hero", "hero");
    assert_eq!(theatre.pump(), ["load FX_Splash", "execute 2 Footstep.Water", "recycle 2"]);
    assert_eq!(theatre.cues.handler().contexts[1].cue, step);
}

#[test]
fn gasd_4_8_6_cues_are_suppressed_by_tag_target_predicate_and_altogether() {
    let mut theatre = stocked(CueConfig::default());
    let (hero, fire) = (theatre.game.id("hero"), theatre.game.tag("GameplayCue.Hit"));
    let mut shown = |change: &dyn Fn(&mut CueManager<Recorder>)| {
        change(&mut theatre.cues);
        theatre.game.apply("GE_Hit", "wolf", "hero");
        !theatre.pump().is_empty()
    };
    assert!(shown(&|_| {}));
    assert!(!shown(&|cues| cues.suppress(fire)));
    assert!(shown(&|cues| cues.resume(fire)));
    assert!(!shown(&|cues| cues.suppress_on(hero)));
    assert!(shown(&|cues| cues.resume_on(hero)));
    assert!(!shown(&|cues| cues.suppress_all()));
    assert!(shown(&|cues| cues.resume_all()));
    assert!(!shown(&|cues| cues.suppress_if(|context| context.magnitude < 0.0)));
    assert!(shown(&|cues| cues.suppress_if(|context| context.magnitude > 0.0)));
    assert_eq!(theatre.cues.counts().suppressed, 4);
}

#[test]
fn gasd_4_8_6_what_is_shown_already_goes_on_and_ends() {
    let mut theatre = stocked(CueConfig::default());
    let active = theatre.game.activate("GE_Slow", "wolf", "hero");
    theatre.pump();
    theatre.cues.suppress_all();
    theatre.game.apply("GE_Burn", "wolf", "hero");
    assert_eq!(theatre.pump(), NOTHING);
    theatre.game.sim.remove(active, Stacks::All).unwrap();
    assert_eq!(theatre.pump(), ["remove 1 Status.Slowed", "recycle 1"]);
}

#[test]
fn gasd_4_8_3_local_cues_are_added_and_removed_locally() {
    let mut theatre = stocked(CueConfig::default());
    let (hero, slowed) = (theatre.game.id("hero"), theatre.game.tag("GameplayCue.Status.Slowed"));
    theatre.cues.add_local(theatre.local("hero", "GameplayCue.Status.Slowed"));
    assert_eq!(theatre.log(), ["active 1 Status.Slowed", "while 1 Status.Slowed"]);
    // The authority adds and removes the same: one is shown, and it stays for who added it locally.
    let active = theatre.game.activate("GE_Slow", "wolf", "hero");
    theatre.game.sim.remove(active, Stacks::All).unwrap();
    assert_eq!(theatre.pump(), NOTHING);
    theatre.cues.remove_local(hero, slowed);
    theatre.cues.remove_local(hero, slowed);
    assert_eq!(theatre.log(), ["remove 1 Status.Slowed", "recycle 1"]);
    let at = theatre.local("hero", "GameplayCue.Hit").at([1.0, 0.0, 0.0]).from_source(hero);
    theatre.cues.execute_local(at);
    assert_eq!(theatre.log(), ["execute 2 Hit", "recycle 2"]);
}

#[test]
fn gasd_4_8_3_what_was_predicted_is_not_shown_twice() {
    let mut theatre = stocked(CueConfig::default());
    let key = PredictionKey(7);
    theatre.cues.execute_local(theatre.local("hero", "GameplayCue.Hit.Fire").predicted(key));
    assert_eq!(theatre.log(), ["execute 1 Hit.Fire", "recycle 1"]);
    let spec = theatre.game.spec("GE_Hit", "wolf").predicted(key);
    theatre.game.apply_spec(&spec, "hero");
    assert_eq!(theatre.pump(), NOTHING);
    // One was predicted, so a second one is news.
    theatre.game.apply_spec(&spec, "hero");
    assert_eq!(theatre.pump(), ["execute 1 Hit.Fire", "recycle 1"]);
    assert_eq!(theatre.cues.counts().doubled, 1);
}

#[test]
fn section_13_4_the_authority_takes_over_a_predicted_loop() {
    let mut theatre = stocked(CueConfig::default());
    let key = PredictionKey(7);
    theatre.cues.add_local(theatre.local("hero", "GameplayCue.Status.Burning").predicted(key));
    let spec = theatre.game.spec("GE_Burn", "wolf").predicted(key);
    theatre.game.apply_spec(&spec, "hero");
    assert_eq!(theatre.pump(), ["active 1 Status.Burning", "while 1 Status.Burning"]);
    theatre.cues.settle(key);
    assert_eq!(theatre.log(), NOTHING);
    theatre.game.pass(3.0);
    assert_eq!(theatre.pump(), ["remove 1 Status.Burning", "recycle 1"]);
}

#[test]
fn section_13_4_what_the_authority_did_not_confirm_is_taken_back() {
    let mut theatre = stocked(CueConfig::default());
    let spec = theatre.game.spec("GE_Burn", "wolf").predicted(PredictionKey(7));
    theatre.game.apply_spec(&spec, "hero");
    assert_eq!(theatre.pump_predicted(), ["active 1 Status.Burning", "while 1 Status.Burning"]);
    theatre.cues.settle(PredictionKey(8));
    assert_eq!(theatre.log(), NOTHING);
    theatre.cues.settle(PredictionKey(7));
    assert_eq!(theatre.log(), ["remove 1 Status.Burning", "recycle 1"]);
}

#[test]
fn gasd_4_8_7_a_batch_merges_executions() {
    let mut theatre = stocked(CueConfig::default());
    theatre.cues.begin_batch();
    theatre.cues.begin_batch();
    for target in ["hero", "hero", "wolf", "hero"] {
        theatre.game.apply("GE_Hit", "wolf", target);
    }
    assert_eq!(theatre.pump(), NOTHING);
    theatre.cues.end_batch();
    assert_eq!(theatre.log(), NOTHING);
    theatre.cues.end_batch();
    theatre.cues.end_batch();
    assert_eq!(theatre.log(), ["execute 1 Hit.Fire", "recycle 1", "execute 1 Hit.Fire", "recycle 1"]);
    let merged: Vec<_> = theatre
        .cues
        .handler()
        .contexts
        .iter()
        .map(|context| (context.count, context.magnitude, context.normalised))
        .collect();
    // 3 * 25 of 100, and 25 of 100.
    assert_eq!(merged, [(3, -75.0, 0.75), (1, -25.0, 0.25)]);
    assert_eq!(theatre.cues.counts().merged, 2);
}

#[test]
fn gasd_4_8_7_what_was_executed_before_the_end_is_played_before_it() {
    let mut theatre = stocked(CueConfig::default());
    theatre.game.apply("GE_Tick", "wolf", "hero");
    theatre.pump();
    theatre.cues.begin_batch();
    theatre.game.pass(2.0);
    assert_eq!(theatre.pump(), ["execute 1 Status.Burning", "remove 1 Status.Burning", "recycle 1"]);
    theatre.cues.end_batch();
    assert_eq!(theatre.log(), NOTHING);
}

#[test]
fn section_12_5_without_a_screen_nothing_is_instantiated_and_triggers_still_flow() {
    let mut game = Theatre::new(CueConfig::default()).game;
    let mut cues = CueManager::headless(game.sim.catalog().clone(), Vec::new());
    cues.register(game.tag("GameplayCue.Status"), CueClassDef::looping("FX_Status"));
    game.apply("GE_Hit", "wolf", "hero");
    game.apply("GE_Burn", "wolf", "hero");
    game.pass(3.0);
    for event in game.events() {
        cues.handle(&event);
    }
    let triggers: Vec<(CueTrigger, TagId)> =
        cues.handler().0.iter().map(|(trigger, context)| (*trigger, context.cue)).collect();
    let [fire, burning] = ["GameplayCue.Hit.Fire", "GameplayCue.Status.Burning"].map(|tag| game.tag(tag));
    assert_eq!(
        triggers,
        [(CueTrigger::Executed, fire), (CueTrigger::Added, burning), (CueTrigger::Removed, burning)]
    );
    assert_eq!((cues.counts().triggers, cues.counts().played, cues.active_instances()), (3, 0, 0));
}

#[test]
fn time_is_told_by_events_and_by_the_host() {
    let mut theatre = stocked(CueConfig::default());
    theatre.game.pass(2.0);
    theatre.game.apply("GE_Hit", "wolf", "hero");
    theatre.pump();
    theatre.cues.execute_local(theatre.local("hero", "GameplayCue.Hit"));
    theatre.cues.advance_to(Time::from_seconds(5.0));
    theatre.cues.execute_local(theatre.local("hero", "GameplayCue.Hit"));
    let times: Vec<f64> =
        theatre.cues.handler().contexts.iter().map(|context| context.time.as_seconds()).collect();
    assert_eq!(times, [2.0, 2.0, 5.0]);
}
