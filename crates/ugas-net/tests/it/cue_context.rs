//! C1 over the network: clients get the whole context of executed and of lasting cues, and nothing of it that they may not
//! see (N1). T6: clients that ask get events of tag counts.

use std::sync::Arc;

use ugas_core::ability::AbilityDef;
use ugas_core::attribute::{AttributeDef, AttributeReplication, AttributeSetDef};
use ugas_core::catalog::Catalog;
use ugas_core::controller::{ControllerDef, ReplicationMode};
use ugas_core::effect::{AbilityGrantDef, ContextPayload, EffectContext, EffectDef, HitResult};
use ugas_core::event::{CueDetails, CueParameters};
use ugas_core::handle::{ControllerId, GrantedAbilityId};
use ugas_core::id::{ActorId, TagId};
use ugas_core::modifier::Operation;
use ugas_core::task::TaskDef;
use ugas_core::time::Span;
use ugas_net::{ClientConfig, ClientEvent, Ownership, TagRule, Visibility};
use ugas_netsim::link::Conditions;

use crate::fixture::Match;
use crate::taint::Table;

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

const HIT: HitResult = HitResult {
    location: [1.0, 2.0, 3.0],
    normal: [0.0, 0.0, 1.0],
    distance: 4.0,
    actor: Some(ActorId(5)),
    part: 6,
};

fn catalog() -> Arc<Catalog> {
    let template = |name: &str, mode, tag: &str| {
        let mut template = ControllerDef::new(name).with_set("Combat").with_tag(tag);
        template.replication = mode;
        template
    };
    let level = |level| AbilityGrantDef { level, ..AbilityGrantDef::new("GA_Fire") };
    let mut burn = EffectDef::lasting("GE_Burn", 4.0)
        .modify("Health", Operation::Add, -3.0)
        .modify("Luck", Operation::Add, 1.0)
        .cue("GameplayCue.Burn");
    burn.cue_magnitude = Some("Health".to_owned());
    let granted = EffectDef::lasting("GE_Glow", 4.0).granting("GameplayCue.Glow");
    let mut fire = AbilityDef::new("GA_Fire").task(TaskDef::commit());
    fire.tags.push("Ability.Fire".to_owned());
    fire.allowed_effects = vec!["GE_Burn".to_owned(), "GE_Glow".to_owned()];
    Catalog::builder()
        .tags([
            "GameplayCue.Flash",
            "GameplayCue.Burn",
            "GameplayCue.Glow",
            "GameplayCue.Held",
            "Hit.Critical",
            "Kind.Hero",
            "Kind.Open",
            "Kind.Beast",
            "Ability.Fire",
        ])
        .attribute_set(
            AttributeSetDef::new("Combat")
                .with(AttributeDef::new("Health", 100.0))
                .with(AttributeDef::new("Luck", 7.0).replication(AttributeReplication::None)),
        )
        .effect(burn)
        .effect(granted)
        .ability(fire)
        .template(template("Hero", ReplicationMode::Mixed, "Kind.Hero").with_ability(level(3)))
        .template(template("Open", ReplicationMode::Full, "Kind.Open"))
        .template(template("Wolf", ReplicationMode::Minimal, "Kind.Beast"))
        .build()
        .expect("the rules are sound")
}

struct Stage {
    table: Table,
    /// The source of everything: the hero of the second client.
    caster: ControllerId,
}

impl Stage {
    fn new() -> Self {
        let mut table = Table::new(&catalog(), 1);
        table.run(60);
        let caster = table.heroes[1];
        Self { table, caster }
    }

    fn tag(&self, name: &str) -> TagId {
        self.table.server.catalog().tag(name).unwrap()
    }

    /// Spawns a controller that both clients see.
    fn spawn(&mut self, template: &str) -> ControllerId {
        let spawned = self.table.server.simulation_mut().spawn(template).unwrap();
        self.table.run(30);
        spawned
    }

    fn context(&self) -> EffectContext {
        let mut context = EffectContext::of(self.caster)
            .at([9.0, 8.0, 7.0])
            .with_hit(HIT)
            .caused_by(ActorId(70))
            .from_object(ActorId(80))
            .with_payload(&Colour(3))
            .tagged(self.tag("Hit.Critical"));
        let caster = self.table.server.simulation().controller(self.caster).unwrap();
        let ability: GrantedAbilityId = caster.abilities()[0];
        context.ability = Some(ability);
        context
    }

    fn apply(&mut self, effect: &str, target: ControllerId) {
        let effect = self.table.server.catalog().effect(effect).unwrap();
        let context = self.context();
        let simulation = self.table.server.simulation_mut();
        let spec = simulation.spec(effect, 2.0, context).unwrap();
        simulation.apply(&spec, target).unwrap();
        self.table.run(30);
    }

    fn heard(&mut self, client: usize) -> Vec<ClientEvent> {
        core::iter::from_fn(|| self.table.clients[client].poll_event()).collect()
    }

    /// Parameters of the cue as the event of a client has them.
    fn shown(&mut self, client: usize, cue: &str) -> CueParameters {
        let wanted = self.tag(cue);
        let mut found = self.heard(client).into_iter().filter_map(|event| match event {
            ClientEvent::CueBegan { cue, parameters, .. } if cue == wanted => Some(parameters),
            ClientEvent::CueExecuted { cue, magnitude, level, details, .. } if cue == wanted => {
                Some(CueParameters { magnitude, level, details })
            }
            _ => None,
        });
        let one = found.next().expect("the cue is shown");
        assert!(found.next().is_none(), "the cue is shown once");
        one
    }

    /// Every field that a client which sees source and target gets.
    fn check_whole(&self, client: usize, target_tag: &str, details: &CueDetails) {
        let local = self.table.clients[client].local(self.caster);
        assert!(local.is_some());
        assert_eq!(details.instigator, local);
        assert_eq!((details.causer, details.source_object), (Some(ActorId(70)), Some(ActorId(80))));
        assert_eq!((details.hit, details.origin), (Some(HIT), Some([9.0, 8.0, 7.0])));
        let fire = self.table.server.catalog().ability("GA_Fire").unwrap();
        assert_eq!((details.ability, details.ability_level), (Some(fire), Some(3)));
        assert_eq!(details.context_tags.as_slice(), [self.tag("Hit.Critical")]);
        assert_eq!(details.payload::<Colour>(), Some(Colour(3)));
        assert!(details.source_tags.matches(self.tag("Kind.Hero")));
        assert!(details.source_tags.matches(self.tag("Ability.Fire")), "E13");
        assert!(details.ability_tags.matches(self.tag("Ability.Fire")));
        assert!(details.target_tags.matches(self.tag(target_tag)));
    }
}

#[test]
fn c1_executed_cue_reaches_a_client_with_every_field() {
    let mut stage = Stage::new();
    let (wolf, flash) = (stage.spawn("Wolf"), stage.tag("GameplayCue.Flash"));
    let context = stage.context();
    stage.table.server.simulation_mut().execute_cue(wolf, flash, -2.5, &context).unwrap();
    stage.table.run(30);
    for client in [0, 1] {
        let parameters = stage.shown(client, "GameplayCue.Flash");
        assert_eq!((parameters.magnitude, parameters.level), (-2.5, 1.0));
        assert_eq!(parameters.location(), Some(HIT.location));
        let details = parameters.details.unwrap();
        assert_eq!((details.stacks, details.duration), (1, None));
        stage.check_whole(client, "Kind.Beast", &details);
    }
}

#[test]
fn c1_negative_zeros_do_not_reach_a_client() {
    let mut stage = Stage::new();
    let (wolf, flash) = (stage.spawn("Wolf"), stage.tag("GameplayCue.Flash"));
    let hit = HitResult { location: [-0.0; 3], normal: [-0.0; 3], distance: -0.0, ..HIT };
    let context = EffectContext::of(stage.caster).with_hit(hit).at([-0.0; 3]);
    // The second is rounded to zero on its way.
    for magnitude in [-0.0, -1e-60] {
        stage.table.server.simulation_mut().execute_cue(wolf, flash, magnitude, &context).unwrap();
        stage.table.run(30);
        let parameters = stage.shown(0, "GameplayCue.Flash");
        let details = parameters.details.unwrap();
        let hit = details.hit.unwrap();
        let vectors = [hit.location, hit.normal, details.origin.unwrap()].into_iter().flatten();
        for number in vectors.chain([parameters.magnitude, parameters.level, hit.distance]) {
            assert!(number == 0.0 && number.is_sign_positive() || number == 1.0, "{number:?}");
        }
    }
}

#[test]
fn c1_lasting_cue_reaches_clients_with_every_field_whether_or_not_they_see_its_effect() {
    // Of the wolf nobody sees effects, of an open one everybody does, and of a hero its owner.
    for (template, tag) in [("Wolf", "Kind.Beast"), ("Open", "Kind.Open"), ("", "Kind.Hero")] {
        let mut stage = Stage::new();
        let target = match template {
            "" => stage.table.heroes[0],
            template => stage.spawn(template),
        };
        stage.apply("GE_Burn", target);
        for client in [0, 1] {
            let parameters = stage.shown(client, "GameplayCue.Burn");
            assert_eq!((parameters.magnitude, parameters.level), (-3.0, 2.0), "{template} {client}");
            assert_eq!(parameters.location(), Some(HIT.location));
            let details = parameters.details.clone().unwrap();
            assert_eq!((details.stacks, details.duration), (1, Some(Span::seconds(4.0))));
            stage.check_whole(client, tag, &details);
            let local = stage.table.clients[client].local(target).unwrap();
            let burn = stage.tag("GameplayCue.Burn");
            assert_eq!(stage.table.clients[client].cue_parameters(local, burn), Some(parameters));
        }
    }
}

#[test]
fn c1_granted_and_added_cues_reach_clients_with_their_context() {
    for template in ["Wolf", "Open"] {
        let mut stage = Stage::new();
        let (target, held) = (stage.spawn(template), stage.tag("GameplayCue.Held"));
        stage.apply("GE_Glow", target);
        let context = stage.context();
        stage.table.server.simulation_mut().add_cue(target, held, &context).unwrap();
        stage.table.run(30);
        let events = stage.heard(0);
        for cue in ["GameplayCue.Glow", "GameplayCue.Held"] {
            let wanted = stage.tag(cue);
            let began = events.iter().find_map(|event| match event {
                ClientEvent::CueBegan { cue, since, parameters, .. } if *cue == wanted => {
                    Some((*since, parameters.details.clone()))
                }
                _ => None,
            });
            let (since, details) = began.unwrap_or_else(|| panic!("{cue} begins on {template}"));
            assert!(since.is_some_and(|since| since.as_seconds() > 1.0), "{since:?}");
            stage.check_whole(
                0,
                if template == "Wolf" { "Kind.Beast" } else { "Kind.Open" },
                &details.unwrap(),
            );
        }
        stage.table.server.simulation_mut().remove_cue(target, held);
        stage.table.run(30);
        let is_end = |event: &ClientEvent| matches!(event, ClientEvent::CueEnded { cue, .. } if *cue == held);
        assert!(stage.heard(0).iter().any(is_end));
    }
}

#[test]
fn n1_cues_of_a_source_that_a_client_does_not_see_hide_it() {
    let mut stage = Stage::new();
    let wolf = stage.spawn("Wolf");
    let first = stage.table.clients[0].id().unwrap();
    stage.table.server.hide(stage.caster, first);
    stage.table.run(30);
    stage.apply("GE_Burn", wolf);
    let flash = stage.tag("GameplayCue.Flash");
    let context = stage.context();
    stage.table.server.simulation_mut().execute_cue(wolf, flash, 1.0, &context).unwrap();
    stage.table.run(30);
    let events = stage.heard(0);
    let details = events.iter().filter_map(|event| match event {
        ClientEvent::CueBegan { parameters, .. } => parameters.details.clone(),
        ClientEvent::CueExecuted { source, details, .. } => {
            assert_eq!(*source, None);
            details.clone()
        }
        _ => None,
    });
    let details: Vec<_> = details.collect();
    assert_eq!(details.len(), 2);
    for details in details {
        assert_eq!((details.instigator, details.causer, details.source_object), (None, None, None));
        assert_eq!((details.ability, details.ability_level), (None, None));
        assert!(details.source_tags.is_empty() && details.ability_tags.is_empty());
        assert_eq!(details.payload, None);
        // The hit is on the target, which the client sees.
        assert_eq!(details.hit, Some(HIT));
        assert_eq!(details.origin, None);
    }
    // The other client is the source.
    let parameters = stage.shown(1, "GameplayCue.Burn");
    stage.check_whole(1, "Kind.Beast", &parameters.details.unwrap());
}

#[test]
fn n1_tags_that_a_client_may_not_see_are_not_in_the_context() {
    let mut stage = Stage::new();
    let wolf = stage.spawn("Wolf");
    let visibility =
        stage.table.server.add_visibility(Visibility { tags: TagRule::None, ..Visibility::minimal() });
    stage.table.server.set_visibility(wolf, Ownership::Others, Some(visibility));
    stage.table.server.set_visibility(stage.caster, Ownership::Others, Some(visibility));
    stage.table.run(30);
    stage.heard(0);
    stage.apply("GE_Burn", wolf);
    let details = stage.shown(0, "GameplayCue.Burn").details.unwrap();
    assert!(details.target_tags.is_empty());
    // Only the tags of the ability, which are part of the cue.
    assert!(details.source_tags.matches(stage.tag("Ability.Fire")));
    assert!(!details.source_tags.matches(stage.tag("Kind.Hero")));
}

#[test]
fn c1_payload_that_does_not_fit_is_left_out_and_the_rest_stays() {
    #[derive(Debug)]
    struct Long;
    impl ContextPayload for Long {
        const KIND: &'static str = "long";
        fn encode(&self, bytes: &mut Vec<u8>) {
            bytes.extend([7; 700]);
        }
        fn decode(_: &[u8]) -> Option<Self> {
            Some(Self)
        }
    }
    let mut stage = Stage::new();
    let (wolf, held) = (stage.spawn("Wolf"), stage.tag("GameplayCue.Held"));
    let context = EffectContext::of(stage.caster).caused_by(ActorId(4)).with_payload(&Long);
    stage.table.server.simulation_mut().add_cue(wolf, held, &context).unwrap();
    stage.table.run(30);
    let details = stage.shown(0, "GameplayCue.Held").details.unwrap();
    assert_eq!((details.causer, &details.payload), (Some(ActorId(4)), &None));
}

#[test]
fn t6_client_that_asks_gets_every_change_of_a_shown_count() {
    for asks in [true, false] {
        let mut game = Match::new(1, Conditions::perfect());
        let config = ClientConfig { tag_counts: asks, ..ClientConfig::default() };
        let seat = game.rig.join(config, Conditions::perfect());
        game.run(1.0);
        let (wolf, local) = (game.wolf, game.local(seat, game.wolf));
        let burning = game.rig.server.catalog().tag("State.Burning").unwrap();
        game.heard(seat);
        let mut counts = Vec::new();
        for _ in 0..2 {
            game.afflict(wolf, "GE_Burn");
            game.run(0.5);
            counts.extend(game.heard(seat));
        }
        game.run(5.0);
        counts.extend(game.heard(seat));
        let of_wolf = counts.iter().filter_map(|event| match event {
            ClientEvent::TagCountChanged { controller, tag, old, new } => {
                assert_eq!((*controller, *tag), (local, burning));
                Some((*old, *new))
            }
            ClientEvent::TagAdded { tag, .. } if *tag == burning => Some((100, 100)),
            ClientEvent::TagRemoved { tag, .. } if *tag == burning => Some((200, 200)),
            _ => None,
        });
        let expected: &[(u32, u32)] = match asks {
            true => &[(0, 1), (100, 100), (1, 2), (2, 1), (1, 0), (200, 200)],
            false => &[(100, 100), (200, 200)],
        };
        assert_eq!(of_wolf.collect::<Vec<_>>(), expected);
    }
}
