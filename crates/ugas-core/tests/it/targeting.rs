//! Targeting (GASD §4.11) over a running simulation, with placements and teams of the host and tags of the
//! simulation.

use std::collections::BTreeMap;
use std::sync::Arc;

use ugas_core::effect::Vector3;
use ugas_core::handle::ControllerId;
use ugas_core::simulation::{Config, Simulation};
use ugas_core::tag::{TagQuery, TagSet};
use ugas_core::targeting::{
    Affiliation, Candidate, ContainedEffectDef, EffectContainerDef, HalfAngle, Placement, SelectionBuffers,
    Shape, Space, Target, TargetData, TargetQuery, Targeting, TargetingDef, Team, select,
};

use crate::fixture::{Game, instant, tagging};
use ugas_core::modifier::Operation;
use ugas_core::time::{Span, Time};

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

/// A wall along the y axis whose gate opens at a time.
struct Gate {
    wall: f64,
    opens: Time,
}

impl Space for Gate {
    fn line_of_sight(&self, now: Time, from: Vector3, to: Vector3) -> bool {
        (from[0] < self.wall) == (to[0] < self.wall) || now >= self.opens
    }
}

/// Two rooms of one catalog: the wall of the first is at x = 1 and opens after two seconds, that of the second at
/// x = 7. A rollback sees the closed gate again.
#[test]
fn simulations_of_one_catalog_have_worlds_of_their_own() {
    let field = Field::new();
    let catalog = field.game.sim.catalog().clone();
    let targeting = field.resolve(
        &TargetingDef::new(Shape::Nearest).range(9.0).in_sight().affiliation(Affiliation::ExcludeSelf),
    );
    let room = |wall: f64| {
        let mut sim = Simulation::new(catalog.clone(), Config::default());
        sim.set_space(Some(Arc::new(Gate { wall, opens: Time::from_seconds(2.0) })));
        let units = [0.0, 5.0].map(|x| {
            let unit = sim.spawn("Unit").unwrap();
            sim.set_placement(unit, Placement::new([x, 0.0, 0.0], [1.0, 0.0, 0.0]).ok()).unwrap();
            unit
        });
        (sim, units)
    };
    let (mut first, [owner, other]) = room(1.0);
    let (second, [second_owner, second_other]) = room(7.0);
    let found =
        |sim: &Simulation, owner| sim.find_targets(&targeting, owner, &TargetData::new()).first_controller();
    assert_eq!(found(&first, owner), None, "the wall at 1 is between 0 and 5");
    assert_eq!(found(&second, second_owner), Some(second_other));
    let before = first.snapshot();
    first.advance(Span::seconds(2.0));
    assert_eq!(found(&first, owner), Some(other), "the gate is open");
    first.restore(&before).unwrap();
    assert_eq!(
        found(&first, owner),
        None,
        "a restored simulation keeps its world, and asks it for its own time"
    );
    first.set_space(None);
    assert_eq!(found(&first, owner), Some(other), "the catalog has no walls");
}
