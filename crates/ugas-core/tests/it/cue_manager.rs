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

/// Records all handler calls. Instances are numbered as they are created.
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
struct CueFixture {
    game: Game,
    cues: CueManager<Recorder>,
}

impl CueFixture {
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

    /// Passes the events since the last call and returns the recorded handler calls.
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
fn stocked(config: CueConfig) -> CueFixture {
    let mut fixture = CueFixture::new(config);
    fixture.register("GameplayCue.Hit", CueClassDef::burst("FX_Hit").full_magnitude(100.0));
    fixture.register("GameplayCue.Status", CueClassDef::looping("FX_Status"));
    for tag in ["GameplayCue.Hit", "GameplayCue.Status"] {
        fixture.cues.preload(fixture.game.tag(tag));
    }
    assert_eq!(fixture.log(), ["load FX_Hit", "load FX_Status"]);
    fixture
}

const NOTHING: [&str; 0] = [];

#[test]
fn section_12_1_cue_handling_does_not_change_the_state() {
    let mut fixture = stocked(CueConfig::default());
    fixture.game.apply("GE_Burn", "wolf", "hero");
    let before = fixture.game.sim.state_hash();
    assert_eq!(fixture.pump(), ["active 1 Status.Burning", "while 1 Status.Burning"]);
    fixture.cues.add_local(fixture.local("wolf", "GameplayCue.Status.Slowed"));
    assert_eq!(fixture.game.sim.state_hash(), before);
}

#[test]
fn section_12_2_an_effect_triggers_by_tag_and_the_nearest_registered_ancestor_shows_it() {
    let mut fixture = stocked(CueConfig::default());
    fixture.game.apply("GE_Hit", "wolf", "hero");
    assert_eq!(fixture.pump(), ["execute 1 Hit.Fire", "recycle 1"]);
    let fire = fixture.register("GameplayCue.Hit.Fire", CueClassDef::burst("FX_Fire"));
    assert_eq!(fixture.cues.class_of(fixture.game.tag("GameplayCue.Hit.Fire")), Some(fire));
    fixture.game.apply("GE_Hit", "wolf", "hero");
    assert_eq!(fixture.pump(), ["load FX_Fire", "execute 2 Hit.Fire", "recycle 2"]);
    fixture.game.apply("GE_Step", "hero", "hero");
    assert_eq!(fixture.pump(), NOTHING);
    let counts = fixture.cues.counts();
    assert_eq!((counts.triggers, counts.played, counts.unmatched), (3, 2, 1));
}

#[test]
fn section_12_3_a_burst_plays_to_its_end_and_a_loop_lasts_as_its_effect() {
    let mut fixture = stocked(CueConfig::default());
    fixture.game.apply("GE_Burn", "wolf", "hero");
    assert_eq!(fixture.pump(), ["active 1 Status.Burning", "while 1 Status.Burning"]);
    fixture.game.pass(2.9);
    assert_eq!(fixture.pump(), NOTHING);
    fixture.game.pass(0.2);
    assert_eq!(fixture.pump(), ["remove 1 Status.Burning", "recycle 1"]);

    fixture.cues.handler_mut().playback = Playback::Continues;
    fixture.game.apply("GE_Hit", "wolf", "hero");
    assert_eq!(fixture.pump(), ["execute 2 Hit.Fire"]);
    let play = *fixture.cues.handler().plays.last().unwrap();
    assert_eq!(fixture.cues.active_instances(), 1);
    fixture.cues.finished(play);
    fixture.cues.finished(play);
    assert_eq!((fixture.log(), fixture.cues.active_instances()), (vec!["recycle 2".to_owned()], 0));
}

#[test]
fn section_12_3_ticks_reach_the_instance_that_loops() {
    let mut fixture = stocked(CueConfig::default());
    fixture.game.apply("GE_Tick", "wolf", "hero");
    fixture.game.pass(2.0);
    assert_eq!(
        fixture.pump(),
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
    let mut fixture = stocked(CueConfig::default());
    fixture.cues.handler_mut().playback = Playback::Continues;
    let active = fixture.game.activate("GE_Slow", "wolf", "hero");
    fixture.pump();
    fixture.game.sim.remove(active, Stacks::All).unwrap();
    assert_eq!(fixture.pump(), ["remove 1 Status.Slowed"]);
    assert!(!fixture.cues.is_present(fixture.game.id("hero"), fixture.game.tag("GameplayCue.Status.Slowed")));
    // Slowed again while the first still fades: a second instance.
    fixture.game.apply("GE_Slow", "wolf", "hero");
    assert_eq!(fixture.pump(), ["active 2 Status.Slowed", "while 2 Status.Slowed"]);
    let fading = fixture.cues.handler().plays[0];
    fixture.cues.finished(fading);
    assert_eq!(fixture.log(), ["recycle 1"]);
}

#[test]
fn section_12_3_a_burst_that_is_added_plays_once() {
    let mut fixture = CueFixture::new(CueConfig::default());
    fixture.register("GameplayCue.Status", CueClassDef::burst("FX_Flash"));
    let active = fixture.game.activate("GE_Slow", "wolf", "hero");
    assert_eq!(fixture.pump(), ["load FX_Flash", "execute 1 Status.Slowed", "recycle 1"]);
    fixture.game.sim.remove(active, Stacks::All).unwrap();
    assert_eq!(fixture.pump(), NOTHING);
}

#[test]
fn section_12_4_instances_are_pooled_up_to_a_limit() {
    let mut fixture = CueFixture::new(CueConfig::default());
    let class = fixture.register("GameplayCue.Status", CueClassDef::looping("FX").pooled(1).prewarmed(4));
    fixture.cues.preload(fixture.game.tag("GameplayCue.Status"));
    assert_eq!((fixture.cues.pooled_instances(class), fixture.cues.handler().created), (1, 1));
    let a = fixture.game.activate("GE_Slow", "wolf", "hero");
    let b = fixture.game.activate("GE_Slow", "wolf", "wolf");
    fixture.pump();
    for active in [a, b] {
        fixture.game.sim.remove(active, Stacks::All).unwrap();
    }
    assert_eq!(
        fixture.pump(),
        ["remove 1 Status.Slowed", "recycle 1", "remove 2 Status.Slowed", "recycle 2", "destroy 2"]
    );
    fixture.game.apply("GE_Slow", "wolf", "hero");
    assert_eq!(fixture.pump(), ["active 1 Status.Slowed", "while 1 Status.Slowed"]);
    assert_eq!(fixture.cues.handler().created, 2);
    fixture.cues.leave(fixture.game.id("hero"));
    fixture.cues.trim();
    assert_eq!(fixture.log(), ["remove 1 Status.Slowed", "recycle 1", "destroy 1"]);
}

#[test]
fn e11_a_cue_is_there_once_for_each_target_and_tag() {
    let mut fixture = stocked(CueConfig::default());
    let slow = fixture.game.activate("GE_Slow", "wolf", "hero");
    let again = fixture.game.activate("GE_Slow", "wolf", "hero");
    fixture.game.apply("GE_Slow", "wolf", "wolf");
    let expected = ["active 1", "while 1", "active 2", "while 2"].map(|what| format!("{what} Status.Slowed"));
    assert_eq!(fixture.pump(), expected);
    fixture.game.sim.remove(slow, Stacks::All).unwrap();
    assert_eq!(fixture.pump(), NOTHING);
    fixture.game.sim.remove(again, Stacks::All).unwrap();
    assert_eq!(fixture.pump(), ["remove 1 Status.Slowed", "recycle 1"]);
}

#[test]
fn gasd_4_8_4_context_has_source_location_and_magnitude() {
    let mut fixture = stocked(CueConfig::default());
    fixture.game.apply("GE_Wet", "hero", "hero");
    fixture.game.apply("GE_Hero", "wolf", "wolf");
    let context = EffectContext::of(fixture.game.id("wolf")).at([1.0, 2.0, 3.0]).caused_by(ActorId(9));
    for effect in ["GE_Hit", "GE_Burn"] {
        let spec = fixture.game.sim.spec(fixture.game.effect(effect), 4.0, context.clone()).unwrap();
        fixture.game.apply_spec(&spec, "hero");
    }
    fixture.pump();
    let [hit, burn, _] = &fixture.cues.handler().contexts[..] else { panic!("a hit, and a burn twice") };
    assert_eq!((hit.magnitude, hit.normalised, hit.level), (-25.0, 0.25, 4.0));
    assert_eq!((hit.location(), hit.count), (Some([1.0, 2.0, 3.0]), 1));
    assert_eq!((hit.source(), hit.target), (Some(fixture.game.id("wolf")), fixture.game.id("hero")));
    assert!(
        hit.details.target_tags.matches(fixture.game.tag("Ground"))
            && hit.details.source_tags.matches(fixture.game.tag("Hero"))
    );
    assert_eq!(hit.effect, Some(fixture.game.effect("GE_Hit")));
    // C1: the context of an instant effect is whole, too.
    assert_eq!((hit.details.causer, burn.details.causer), (Some(ActorId(9)), Some(ActorId(9))));
    assert_eq!((burn.magnitude, burn.normalised), (-5.0, 1.0));
}

#[test]
fn gasd_4_8_8_late_joiner_gets_while_active_only() {
    let mut fixture = stocked(CueConfig::default());
    let burn = fixture.game.activate("GE_Burn", "wolf", "hero");
    fixture.game.apply("GE_Hit", "wolf", "hero");
    fixture.game.events();
    fixture.cues.catch_up(&fixture.game.sim);
    fixture.cues.catch_up(&fixture.game.sim);
    assert_eq!(fixture.log(), ["while 1 Status.Burning"]);
    let context = &fixture.cues.handler().contexts[0];
    assert_eq!((context.magnitude, context.source()), (-5.0, Some(fixture.game.id("wolf"))));
    // A removal that was never heard of is made up for.
    fixture.game.sim.remove(burn, Stacks::All).unwrap();
    fixture.game.events();
    fixture.cues.catch_up(&fixture.game.sim);
    assert_eq!(fixture.log(), ["remove 1 Status.Burning", "recycle 1"]);
}

#[test]
fn gasd_4_8_8_targets_enter_and_leave_the_view() {
    let mut fixture = stocked(CueConfig::default());
    fixture.game.apply("GE_Slow", "wolf", "hero");
    fixture.pump();
    let hero = fixture.game.id("hero");
    fixture.cues.leave(hero);
    assert_eq!(fixture.log(), ["remove 1 Status.Slowed", "recycle 1"]);
    fixture.cues.enter(hero, &fixture.game.sim);
    assert_eq!(fixture.log(), ["while 1 Status.Slowed"]);
    fixture.cues.add_local(fixture.local("hero", "GameplayCue.Status.Burning"));
    fixture.log();
    fixture.game.sim.despawn(hero).unwrap();
    assert_eq!(
        fixture.pump(),
        ["remove 1 Status.Slowed", "recycle 1", "remove 2 Status.Burning", "recycle 2"]
    );
}

#[test]
fn gasd_4_8_5_a_class_is_loaded_when_it_is_first_needed() {
    let mut fixture = CueFixture::new(CueConfig::default());
    let hit = fixture.register("GameplayCue.Hit", CueClassDef::burst("FX_Hit"));
    let status = fixture.register("GameplayCue.Status", CueClassDef::looping("FX_Status"));
    fixture.cues.handler_mut().loading = Loading::Requested;
    fixture.game.apply("GE_Hit", "wolf", "hero");
    fixture.game.apply("GE_Slow", "wolf", "hero");
    fixture.game.apply("GE_Hit", "wolf", "hero");
    assert_eq!(fixture.pump(), ["load FX_Hit", "load FX_Status"]);
    // Exactly as old as patience allows.
    fixture.cues.advance_to(Time::from_seconds(0.5));
    fixture.cues.loaded(hit);
    assert_eq!(fixture.log(), ["execute 1 Hit.Fire", "recycle 1", "execute 1 Hit.Fire", "recycle 1"]);
    fixture.cues.loaded(status);
    assert_eq!(fixture.log(), ["active 2 Status.Slowed", "while 2 Status.Slowed"]);
}

#[test]
fn gasd_4_8_5_late_burst_is_dropped_and_late_loop_joins() {
    let mut fixture = CueFixture::new(CueConfig { max_waiting: 1, ..CueConfig::default() });
    let hit = fixture.register("GameplayCue.Hit", CueClassDef::burst("FX_Hit"));
    let status = fixture.register("GameplayCue.Status", CueClassDef::looping("FX_Status"));
    fixture.cues.handler_mut().loading = Loading::Requested;
    fixture.game.apply("GE_Hit", "wolf", "hero");
    fixture.game.apply("GE_Hit", "wolf", "hero");
    fixture.game.apply("GE_Slow", "wolf", "hero");
    fixture.game.apply("GE_Burn", "wolf", "hero");
    fixture.game.pass(3.0);
    fixture.pump();
    fixture.cues.loaded(hit);
    fixture.cues.loaded(status);
    assert_eq!(fixture.log(), ["while 1 Status.Slowed"], "the burn came and went in the meantime");
    assert_eq!(fixture.cues.counts().late, 2);
}

#[test]
fn gasd_4_8_5_unavailable_class_is_not_requested_again() {
    let mut fixture = CueFixture::new(CueConfig::default());
    let hit = fixture.register("GameplayCue.Hit", CueClassDef::burst("FX_Hit"));
    fixture.cues.handler_mut().loading = Loading::Requested;
    fixture.game.apply("GE_Hit", "wolf", "hero");
    fixture.pump();
    fixture.cues.failed(hit);
    fixture.game.apply("GE_Hit", "wolf", "hero");
    assert_eq!(fixture.pump(), NOTHING);
    assert_eq!((fixture.cues.counts().unavailable, fixture.cues.counts().played), (2, 0));
}

#[test]
fn section_12_4_budget_keeps_the_highest_priority() {
    let mut fixture = CueFixture::new(CueConfig { max_active: 1, ..CueConfig::default() });
    fixture.register("GameplayCue.Status.Slowed", CueClassDef::looping("FX_Slow"));
    fixture.register("GameplayCue.Status.Burning", CueClassDef::looping("FX_Burn").priority(1));
    fixture.game.apply("GE_Slow", "wolf", "hero");
    fixture.game.apply("GE_Slow", "wolf", "wolf");
    assert_eq!(fixture.pump(), ["load FX_Slow", "active 1 Status.Slowed", "while 1 Status.Slowed"]);
    assert_eq!(fixture.cues.counts().refused, 1, "equal importance takes no place");
    fixture.game.apply("GE_Burn", "wolf", "hero");
    assert_eq!(
        fixture.pump(),
        [
            "load FX_Burn",
            "remove 1 Status.Slowed",
            "recycle 1",
            "active 2 Status.Burning",
            "while 2 Status.Burning",
        ]
    );
    // The place is free again, and one of the two that wait appears, without its beginning.
    fixture.game.pass(3.0);
    assert_eq!(fixture.pump(), ["remove 2 Status.Burning", "recycle 2", "while 1 Status.Slowed"]);
    assert_eq!((fixture.cues.counts().evicted, fixture.cues.active_instances()), (1, 1));
}

#[test]
fn section_12_4_a_class_has_a_budget_of_its_own() {
    let mut fixture = CueFixture::new(CueConfig::default());
    fixture.register("GameplayCue.Hit", CueClassDef::burst("FX_Hit").max_active(1));
    fixture.cues.handler_mut().playback = Playback::Continues;
    let (hero, wolf) = (fixture.game.id("hero"), fixture.game.id("wolf"));
    fixture.cues.prioritise(move |context, class| if context.target == hero { class + 1 } else { class });
    for target in ["wolf", "wolf", "hero", "hero"] {
        fixture.game.apply("GE_Hit", "wolf", target);
    }
    assert_eq!(fixture.pump(), ["load FX_Hit", "execute 1 Hit.Fire", "recycle 1", "execute 1 Hit.Fire"]);
    let targets: Vec<_> = fixture.cues.handler().contexts.iter().map(|context| context.target).collect();
    assert_eq!(targets, [wolf, hero]);
    assert_eq!((fixture.cues.counts().refused, fixture.cues.counts().evicted), (2, 1));
}

#[test]
fn section_12_4_evicted_loop_returns_when_there_is_room() {
    let mut fixture = CueFixture::new(CueConfig { max_active: 1, ..CueConfig::default() });
    fixture.register("GameplayCue.Status", CueClassDef::looping("FX_Status"));
    fixture.register("GameplayCue.Hit", CueClassDef::burst("FX_Hit").priority(1));
    fixture.game.apply("GE_Slow", "wolf", "hero");
    fixture.pump();
    fixture.game.apply("GE_Hit", "wolf", "hero");
    assert_eq!(
        fixture.pump(),
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
    let mut fixture = CueFixture::new(CueConfig { patience: Span::seconds(9.0), ..CueConfig::default() });
    let status = fixture.register("GameplayCue.Status", CueClassDef::looping("FX_Status"));
    fixture.cues.handler_mut().loading = Loading::Requested;
    fixture.game.apply("GE_Tick", "wolf", "hero");
    fixture.game.pass(1.0);
    assert_eq!(fixture.pump(), ["load FX_Status"]);
    fixture.cues.loaded(status);
    assert_eq!(
        fixture.log(),
        ["active 1 Status.Burning", "while 1 Status.Burning", "execute 1 Status.Burning"]
    );
}

#[test]
fn cues_are_translated_by_context() {
    let mut fixture = CueFixture::new(CueConfig::default());
    fixture.register("GameplayCue.Footstep", CueClassDef::burst("FX_Step"));
    fixture.register("GameplayCue.Footstep.Water", CueClassDef::burst("FX_Splash"));
    let [water, splash, step] = ["Ground.Water", "GameplayCue.Footstep.Water", "GameplayCue.Footstep"]
        .map(|tag| fixture.game.tag(tag));
    fixture.cues.translate(step, move |context| context.details.target_tags.matches(water).then_some(splash));
    fixture.game.apply("GE_Step", "hero", "hero");
    assert_eq!(fixture.pump(), ["load FX_Step", "execute 1 Footstep", "recycle 1"]);
    fixture.game.apply("GE_Wet", "hero", "hero");
    fixture.game.apply("GE_Step", "hero", "hero");
    assert_eq!(fixture.pump(), ["load FX_Splash", "execute 2 Footstep.Water", "recycle 2"]);
    assert_eq!(fixture.cues.handler().contexts[1].cue, step);
}

#[test]
fn gasd_4_8_6_cues_are_suppressed_by_tag_target_predicate_and_altogether() {
    let mut fixture = stocked(CueConfig::default());
    let (hero, fire) = (fixture.game.id("hero"), fixture.game.tag("GameplayCue.Hit"));
    let mut shown = |change: &dyn Fn(&mut CueManager<Recorder>)| {
        change(&mut fixture.cues);
        fixture.game.apply("GE_Hit", "wolf", "hero");
        !fixture.pump().is_empty()
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
    assert_eq!(fixture.cues.counts().suppressed, 4);
}

#[test]
fn gasd_4_8_6_suppression_leaves_active_cues_until_removed() {
    let mut fixture = stocked(CueConfig::default());
    let active = fixture.game.activate("GE_Slow", "wolf", "hero");
    fixture.pump();
    fixture.cues.suppress_all();
    fixture.game.apply("GE_Burn", "wolf", "hero");
    assert_eq!(fixture.pump(), NOTHING);
    fixture.game.sim.remove(active, Stacks::All).unwrap();
    assert_eq!(fixture.pump(), ["remove 1 Status.Slowed", "recycle 1"]);
}

#[test]
fn gasd_4_8_3_local_cues_are_added_and_removed_locally() {
    let mut fixture = stocked(CueConfig::default());
    let (hero, slowed) = (fixture.game.id("hero"), fixture.game.tag("GameplayCue.Status.Slowed"));
    fixture.cues.add_local(fixture.local("hero", "GameplayCue.Status.Slowed"));
    assert_eq!(fixture.log(), ["active 1 Status.Slowed", "while 1 Status.Slowed"]);
    // The authority adds and removes the same: one is shown, and it stays for who added it locally.
    let active = fixture.game.activate("GE_Slow", "wolf", "hero");
    fixture.game.sim.remove(active, Stacks::All).unwrap();
    assert_eq!(fixture.pump(), NOTHING);
    fixture.cues.remove_local(hero, slowed);
    fixture.cues.remove_local(hero, slowed);
    assert_eq!(fixture.log(), ["remove 1 Status.Slowed", "recycle 1"]);
    let at = fixture.local("hero", "GameplayCue.Hit").at([1.0, 0.0, 0.0]).from_source(hero);
    fixture.cues.execute_local(at);
    assert_eq!(fixture.log(), ["execute 2 Hit", "recycle 2"]);
}

#[test]
fn gasd_4_8_3_predicted_cue_is_not_shown_twice() {
    let mut fixture = stocked(CueConfig::default());
    let key = PredictionKey(7);
    fixture.cues.execute_local(fixture.local("hero", "GameplayCue.Hit.Fire").predicted(key));
    assert_eq!(fixture.log(), ["execute 1 Hit.Fire", "recycle 1"]);
    let spec = fixture.game.spec("GE_Hit", "wolf").predicted(key);
    fixture.game.apply_spec(&spec, "hero");
    assert_eq!(fixture.pump(), NOTHING);
    // Only one was predicted, so the second one is shown.
    fixture.game.apply_spec(&spec, "hero");
    assert_eq!(fixture.pump(), ["execute 1 Hit.Fire", "recycle 1"]);
    assert_eq!(fixture.cues.counts().doubled, 1);
}

#[test]
fn section_13_4_the_authority_takes_over_a_predicted_loop() {
    let mut fixture = stocked(CueConfig::default());
    let key = PredictionKey(7);
    fixture.cues.add_local(fixture.local("hero", "GameplayCue.Status.Burning").predicted(key));
    let spec = fixture.game.spec("GE_Burn", "wolf").predicted(key);
    fixture.game.apply_spec(&spec, "hero");
    assert_eq!(fixture.pump(), ["active 1 Status.Burning", "while 1 Status.Burning"]);
    fixture.cues.settle(key);
    assert_eq!(fixture.log(), NOTHING);
    fixture.game.pass(3.0);
    assert_eq!(fixture.pump(), ["remove 1 Status.Burning", "recycle 1"]);
}

#[test]
fn section_13_4_unconfirmed_predicted_loop_is_removed() {
    let mut fixture = stocked(CueConfig::default());
    let spec = fixture.game.spec("GE_Burn", "wolf").predicted(PredictionKey(7));
    fixture.game.apply_spec(&spec, "hero");
    assert_eq!(fixture.pump_predicted(), ["active 1 Status.Burning", "while 1 Status.Burning"]);
    fixture.cues.settle(PredictionKey(8));
    assert_eq!(fixture.log(), NOTHING);
    fixture.cues.settle(PredictionKey(7));
    assert_eq!(fixture.log(), ["remove 1 Status.Burning", "recycle 1"]);
}

#[test]
fn gasd_4_8_7_a_batch_merges_executions() {
    let mut fixture = stocked(CueConfig::default());
    fixture.cues.begin_batch();
    fixture.cues.begin_batch();
    for target in ["hero", "hero", "wolf", "hero"] {
        fixture.game.apply("GE_Hit", "wolf", target);
    }
    assert_eq!(fixture.pump(), NOTHING);
    fixture.cues.end_batch();
    assert_eq!(fixture.log(), NOTHING);
    fixture.cues.end_batch();
    fixture.cues.end_batch();
    assert_eq!(fixture.log(), ["execute 1 Hit.Fire", "recycle 1", "execute 1 Hit.Fire", "recycle 1"]);
    let merged: Vec<_> = fixture
        .cues
        .handler()
        .contexts
        .iter()
        .map(|context| (context.count, context.magnitude, context.normalised))
        .collect();
    // 3 * 25 of 100, and 25 of 100.
    assert_eq!(merged, [(3, -75.0, 0.75), (1, -25.0, 0.25)]);
    assert_eq!(fixture.cues.counts().merged, 2);
}

#[test]
fn gasd_4_8_7_batched_execution_is_played_before_the_cue_ends() {
    let mut fixture = stocked(CueConfig::default());
    fixture.game.apply("GE_Tick", "wolf", "hero");
    fixture.pump();
    fixture.cues.begin_batch();
    fixture.game.pass(2.0);
    assert_eq!(fixture.pump(), ["execute 1 Status.Burning", "remove 1 Status.Burning", "recycle 1"]);
    fixture.cues.end_batch();
    assert_eq!(fixture.log(), NOTHING);
}

#[test]
fn section_12_5_headless_manager_creates_no_instances_and_passes_triggers() {
    let mut game = CueFixture::new(CueConfig::default()).game;
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
fn time_comes_from_events_and_the_host() {
    let mut fixture = stocked(CueConfig::default());
    fixture.game.pass(2.0);
    fixture.game.apply("GE_Hit", "wolf", "hero");
    fixture.pump();
    fixture.cues.execute_local(fixture.local("hero", "GameplayCue.Hit"));
    fixture.cues.advance_to(Time::from_seconds(5.0));
    fixture.cues.execute_local(fixture.local("hero", "GameplayCue.Hit"));
    let times: Vec<f64> =
        fixture.cues.handler().contexts.iter().map(|context| context.time.as_seconds()).collect();
    assert_eq!(times, [2.0, 2.0, 5.0]);
}
