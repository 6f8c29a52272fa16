//! Targeting (GASD §4.11) over a running simulation, with placements and teams of the host and tags of the
//! simulation.

use std::collections::BTreeMap;

use ugas_core::handle::ControllerId;
use ugas_core::tag::{TagQuery, TagSet};
use ugas_core::targeting::{
    Affiliation, Candidate, ContainedEffectDef, EffectContainerDef, HalfAngle, Placement, SelectionBuffers,
    Shape, Target, TargetData, TargetQuery, Targeting, TargetingDef, Team, select,
};

use crate::fixture::{Game, instant, tagging};
use ugas_core::modifier::Operation;

/// A game with placements of all controllers.
struct Field {
    game: Game,
    placements: BTreeMap<ControllerId, Placement>,
    teams: BTreeMap<ControllerId, Team>,
}

impl Field {
    /// The hero at the origin looking along x, and three wolves of another team.
    fn new() -> Self {
        let mut game = Game::of([tagging("State.Dead"), instant("GE_Hit", "Health", Operation::Add, -10.0)]);
        for name in ["near", "far"] {
            game.spawn(name, "Unit");
        }
        let mut field = Self { game, placements: BTreeMap::new(), teams: BTreeMap::new() };
        for (name, at) in [
            ("hero", [0.0, 0.0, 0.0]),
            ("wolf", [0.0, 3.0, 0.0]),
            ("near", [2.0, 1.0, 0.0]),
            ("far", [6.0, 8.0, 0.0]),
        ] {
            let id = field.game.id(name);
            field.placements.insert(id, Placement::new(at, [1.0, 0.0, 0.0]).unwrap());
            field.teams.insert(id, Team::from(if name == "hero" { "Heroes" } else { "Wolves" }));
        }
        field
    }

    fn resolve(&self, def: &TargetingDef) -> Targeting {
        let tags = |names: &[String]| names.iter().map(|name| self.game.tag(name)).collect::<TagSet>();
        Targeting::resolved(def, tags(&def.require_tags), tags(&def.exclude_tags), TagQuery::default())
    }

    fn select(&self, def: &TargetingDef) -> TargetData {
        let targeting = self.resolve(def);
        let hero = self.game.id("hero");
        let query = TargetQuery {
            owner_placement: self.placements.get(&hero).copied(),
            owner_team: self.teams.get(&hero),
            ..TargetQuery::new(&targeting, hero)
        };
        let candidates = self.game.sim.controllers().map(|(id, controller)| Candidate {
            controller: id,
            ordinal: controller.ordinal(),
            placement: self.placements.get(&id).copied(),
            team: self.teams.get(&id),
            tags: controller.tags(),
        });
        let mut out = TargetData::new();
        select(candidates, &query, &mut SelectionBuffers::default(), &mut out);
        out
    }

    #[track_caller]
    fn check(&self, def: &TargetingDef, expected: &[&str]) {
        let expected: TargetData = expected.iter().map(|name| self.game.id(name)).collect();
        assert_eq!(self.select(def), expected);
    }
}

fn hostile(shape: Shape) -> TargetingDef {
    TargetingDef::new(shape).affiliation(Affiliation::Hostile)
}

#[test]
fn gasd_4_11_2_areas_select_the_nearest_first() {
    let field = Field::new();
    // Squares of distances: wolf 9, near 5, far 100.
    field.check(&hostile(Shape::Radius).range(10.0), &["near", "wolf", "far"]);
    field.check(&hostile(Shape::Radius).range(3.0), &["near", "wolf"]);
    field.check(&hostile(Shape::Nearest), &["near"]);
    field.check(&hostile(Shape::Cone(HalfAngle::from_degrees(45.0))), &["near"]);
    field.check(&hostile(Shape::Line { width: 2.0 }).range(2.0), &["near"]);
    field.check(&TargetingDef::new(Shape::SelfOnly), &["hero"]);
}

#[test]
fn gasd_4_11_3_dead_controllers_are_excluded_at_once() {
    let mut field = Field::new();
    let living = hostile(Shape::Radius).range(5.0).exclude("State.Dead");
    field.check(&living, &["near", "wolf"]);
    field.game.apply("Tag:State.Dead", "hero", "near");
    field.check(&living, &["wolf"]);
    field.check(&hostile(Shape::Radius).range(5.0).require("State"), &["near"]);
}

#[test]
fn gasd_4_11_5_container_defines_targeting_and_effects() {
    let mut field = Field::new();
    let container = EffectContainerDef::new("Swing", hostile(Shape::Radius).range(3.0)).effect("GE_Hit", 1.0);
    let targets = field.select(&container.targeting);
    for target in targets.controllers() {
        for ContainedEffectDef { effect, .. } in &container.effects {
            let effect = field.game.effect(effect);
            let hero = field.game.id("hero");
            field.game.sim.apply_effect(effect, Some(hero), target).unwrap();
        }
    }
    let health = ["wolf", "near", "far", "hero"].map(|who| field.game.current(who, "Health"));
    assert_eq!(health, [90.0, 90.0, 100.0, 100.0]);
}

#[test]
fn gasd_4_11_1_target_data_outlives_its_targets() {
    let mut field = Field::new();
    let targets = field.select(&hostile(Shape::Nearest));
    let near = field.game.id("near");
    field.game.sim.despawn(near).unwrap();
    assert_eq!(targets.iter().collect::<Vec<_>>(), [&Target::Controller(near)]);
    let hit = field.game.effect("GE_Hit");
    assert!(field.game.sim.apply_effect(hit, None, near).is_err());
    field.check(&hostile(Shape::Nearest), &["wolf"]);
}
