//! Tags (§7, T1–T4): counts, ancestors, events and queries, all through effects.

use ugas_core::effect::{EffectDef, TagQueryDef, TagQueryItemDef};
use ugas_core::simulation::Stacks;
use ugas_core::tag::TagSet;

use crate::fixture::{Game, tagging};

const MAGIC: &str = "State.Debuff.Stunned.Magic";

fn stunned_and_burning() -> Game {
    // The other names of the table are known through this effect, which nobody applies.
    let others =
        EffectDef::infinite("GE_Others").granting("State.Debuff.Stunned.Physical").granting("Status.Frozen");
    let mut game = Game::of([tagging(MAGIC), tagging("Status.Burning"), others]);
    game.apply(&format!("Tag:{MAGIC}"), "wolf", "hero");
    game.apply("Tag:Status.Burning", "wolf", "hero");
    game
}

#[test]
fn section_7_3_query_examples_hold() {
    let game = stunned_and_burning();
    let tags = game.sim.tags(game.id("hero")).unwrap();
    let set = |names: &[&str]| TagSet::new(names.iter().map(|name| game.tag(name)));
    assert!(tags.matches(game.tag("State.Debuff.Stunned")));
    assert!(tags.matches(game.tag(MAGIC)));
    assert!(!tags.matches(game.tag("State.Debuff.Stunned.Physical")));
    assert!(!tags.matches_exact(game.tag("State.Debuff.Stunned")));
    assert!(tags.matches_exact(game.tag(MAGIC)));
    assert!(tags.has_any(&set(&["Status.Frozen", "Status.Burning"])));
    assert!(tags.has_all(&set(&[MAGIC, "Status.Burning"])));
    assert!(!tags.has_all(&set(&["Status.Burning", "Status.Frozen"])));
    assert!(tags.has_none(&set(&["Status.Frozen"])));
    assert!(!tags.has_none(&set(&["Status.Frozen", "State"])));
}

#[test]
fn section_7_3_empty_sets_impose_nothing() {
    let game = stunned_and_burning();
    let tags = game.sim.tags(game.id("hero")).unwrap();
    let empty = TagSet::default();
    assert!(!tags.has_any(&empty) && tags.has_all(&empty) && tags.has_none(&empty));
}

#[test]
fn section_7_4_counts_and_events_of_two_grants_and_two_removals() {
    let mut game = Game::of([tagging(MAGIC)]);
    let name = format!("Tag:{MAGIC}");
    let lineage = ["State", "State.Debuff", "State.Debuff.Stunned", MAGIC];
    let counts = |game: &Game| {
        let tags = game.sim.tags(game.id("hero")).unwrap();
        let cumulative = lineage.map(|name| tags.cumulative_count(game.tag(name)));
        (tags.count(game.tag(MAGIC)), cumulative)
    };

    let first = game.activate(&name, "wolf", "hero");
    assert_eq!(counts(&game), (1, [1, 1, 1, 1]));
    assert_eq!(game.count("TagAdded"), 4);

    let second = game.activate(&name, "wolf", "hero");
    assert_eq!(counts(&game), (2, [2, 2, 2, 2]));
    assert_eq!(game.count("TagAdded"), 0);

    game.sim.remove(first, Stacks::All).unwrap();
    assert_eq!(counts(&game), (1, [1, 1, 1, 1]));
    assert!(game.has_tag("hero", "State.Debuff.Stunned"));
    assert_eq!(game.count("TagRemoved"), 0);

    game.sim.remove(second, Stacks::All).unwrap();
    assert_eq!(counts(&game), (0, [0, 0, 0, 0]));
    assert_eq!(game.count("TagRemoved"), 4);
    assert!(game.sim.tags(game.id("hero")).unwrap().is_empty());
}

#[test]
fn t2_a_parent_shared_by_two_leaves_crosses_once() {
    let mut game = Game::of([tagging("State.Stunned"), tagging("State.Rooted")]);
    let stunned = game.activate("Tag:State.Stunned", "hero", "hero");
    game.events();
    game.apply("Tag:State.Rooted", "hero", "hero");
    assert_eq!(game.log(), ["applied Tag:State.Rooted", "hero +State.Rooted"]);
    game.sim.remove(stunned, Stacks::All).unwrap();
    assert_eq!(game.log(), ["removed Tag:State.Stunned Removed", "hero -State.Stunned"]);
    assert!(game.has_tag("hero", "State"));
}

#[test]
fn t2_a_parent_granted_explicitly_counts_beside_its_child() {
    let mut game = Game::of([tagging("State"), tagging("State.Stunned")]);
    game.apply("Tag:State", "hero", "hero");
    game.apply("Tag:State.Stunned", "hero", "hero");
    let tags = game.sim.tags(game.id("hero")).unwrap();
    let (state, stunned) = (game.tag("State"), game.tag("State.Stunned"));
    assert_eq!((tags.count(state), tags.cumulative_count(state)), (1, 2));
    assert_eq!((tags.count(stunned), tags.len()), (1, 2));
}

#[test]
fn section_9_7_burning_from_two_effects_ends_with_the_second() {
    let burning = |name: &str| {
        EffectDef::lasting(name, 5.0)
            .granting("State.Debuff.Burning")
            .granting("State.Element.Fire")
            .cue("GameplayCue.Burning")
    };
    let mut game = Game::of([burning("GE_Burning"), burning("GE_Lava")]);
    game.apply("GE_Burning", "wolf", "hero");
    assert_eq!(
        game.log(),
        [
            "applied GE_Burning",
            "hero +State.Debuff.Burning",
            "hero +State.Debuff",
            "hero +State",
            "hero +State.Element.Fire",
            "hero +State.Element",
            "cue +GameplayCue.Burning",
        ]
    );
    game.pass(2.0);
    game.apply("GE_Lava", "wolf", "hero");
    assert_eq!(game.log(), ["applied GE_Lava"]);
    game.pass(3.0); // the first is over: no event of tag or cue, still on fire
    assert_eq!(game.log(), ["removed GE_Burning Expired"]);
    assert!(game.has_tag("hero", "State.Debuff.Burning"));
    game.pass(2.0);
    let log = game.log();
    assert_eq!(log.first().map(String::as_str), Some("removed GE_Lava Expired"));
    assert_eq!(log.last().map(String::as_str), Some("cue -GameplayCue.Burning"));
    assert_eq!(log.iter().filter(|line| line.starts_with("hero -")).count(), 5);
}

#[test]
fn t3_initial_tags_come_from_an_effect_and_go_with_it() {
    use ugas_core::catalog::Catalog;
    use ugas_core::controller::ControllerDef;
    let mut game = Game::build(|builder| {
        builder.template(ControllerDef::new("Undead").with_set("Unit").with_tag("Race.Undead"))
    });
    let ghoul = game.spawn("ghoul", "Undead");
    assert!(game.has_tag("ghoul", "Race.Undead"));
    let [by] = game.sim.controller(ghoul).unwrap().effects() else { panic!("one effect grants the tags") };
    let by = *by;
    assert_eq!(game.sim.effect_name(game.active(by).effect()), Catalog::TAGS_EFFECT);
    game.sim.remove(by, Stacks::All).unwrap();
    assert!(!game.has_tag("ghoul", "Race"));
}

#[test]
fn t4_nested_queries_decide_an_application() {
    // { Any: [Undead, Demon], None: [Holy, { All: [Boss, Demon] }] }
    let tag = |name: &str| TagQueryItemDef::Tag(name.to_owned());
    let boss_demon = TagQueryDef { all: vec![tag("Boss"), tag("Race.Demon")], ..TagQueryDef::default() };
    let mut exorcism = EffectDef::infinite("GE_Exorcism");
    exorcism.application_query = TagQueryDef {
        all: vec![],
        any: vec![tag("Race.Undead"), tag("Race.Demon")],
        none: vec![tag("Holy"), TagQueryItemDef::Query(boss_demon)],
    };
    let mut game = Game::of([exorcism, tagging("Race.Demon"), tagging("Boss"), tagging("Holy")]);
    let refused = "`GE_Exorcism` was refused: the application query does not hold over the target's tags";
    assert_eq!(game.refusal("GE_Exorcism", "hero", "wolf"), refused);
    game.apply("Tag:Race.Demon", "wolf", "wolf");
    game.apply("GE_Exorcism", "hero", "wolf");
    let boss = game.activate("Tag:Boss", "wolf", "wolf");
    assert_eq!(game.refusal("GE_Exorcism", "hero", "wolf"), refused);
    game.sim.remove(boss, Stacks::All).unwrap();
    game.apply("Tag:Holy", "wolf", "wolf");
    assert_eq!(game.refusal("GE_Exorcism", "hero", "wolf"), refused);
}

#[test]
fn t1_with_a_registry_unregistered_tags_are_errors() {
    use crate::fixture::builder;
    let game = |tags: &[&str]| builder().tags(tags.iter().copied()).effect(tagging("State.Stunned")).build();
    assert!(game(&["State.Stunned"]).is_ok());
    assert_eq!(
        game(&["State.Stuned"]).unwrap_err().to_string(),
        "effect `Tag:State.Stunned` at GrantedTags[0]: the tag registry lacks `State.Stunned`, and with a \
         registry every tag must be listed; did you mean `State.Stuned`?"
    );
}

#[test]
fn t1_without_a_registry_tags_are_collected_with_their_ancestors() {
    let game = Game::of([tagging("A.B.C")]);
    assert_eq!(game.sim.catalog().tag_name(game.tag("A.B")), "A.B");
    assert!(game.sim.catalog().tag("A.X").is_err());
}
