//! A17: controllers that abilities spawn and despawn.

use std::collections::BTreeMap;
use std::sync::Arc;

use ugas_core::ability::AbilityDef;
use ugas_core::attribute::{AttributeDef, AttributeSetDef};
use ugas_core::catalog::{Catalog, CatalogBuilder};
use ugas_core::controller::ControllerDef;
use ugas_core::effect::AbilityGrantDef;
use ugas_core::event::EventKind;
use ugas_core::handle::{ActivationId, ControllerId};
use ugas_core::replica::{Piece, PieceKey, PieceScratch, RecordVisibility, Replica};
use ugas_core::simulation::{Config, Role, Simulation, Snapshot};
use ugas_core::targeting::{Placement, Team};
use ugas_core::task::{ActionDef, DespawnDef, OffsetDef, SpawnDef, TaskDef};
use ugas_core::time::Span;

fn spawning(def: SpawnDef) -> TaskDef {
    TaskDef::Act(ActionDef::SpawnController(def))
}

fn builder() -> CatalogBuilder {
    let mage = ControllerDef::new("Mage")
        .with_set("Vital")
        .with_ability(AbilityGrantDef::new("GA_Call"))
        .with_ability(AbilityGrantDef::new("GA_Send"));
    let call = AbilityDef::new("GA_Call")
        .task(spawning(SpawnDef {
            count: Some(2.0.into()),
            offset: Some(OffsetDef { x: 1.0.into(), y: 0.0.into(), z: "Param(\"Spawn.Index\")".into() }),
            lifetime: Some(6.0.into()),
            bound: true,
            name: Some("wolf".into()),
            ..SpawnDef::new("Wolf")
        }))
        .task(spawning(SpawnDef { team: Some("Wild".into()), ..SpawnDef::new("Wolf") }))
        .task(TaskDef::wait(4.0));
    let send = DespawnDef { name: Some("wolf".into()), ..DespawnDef::default() };
    Catalog::builder()
        .attribute_set(AttributeSetDef::new("Vital").with(AttributeDef::new("Health", 40.0).min(0.0)))
        .template(ControllerDef::new("Wolf").with_set("Vital").with_tag("Kind.Wolf"))
        .template(mage)
        .ability(call)
        .ability(AbilityDef::new("GA_Send").task(TaskDef::Act(ActionDef::DespawnController(send))))
}

struct World {
    sim: Simulation,
    mage: ControllerId,
}

impl World {
    fn new() -> Self {
        Self::of(builder().build().unwrap())
    }

    fn of(catalog: Arc<Catalog>) -> Self {
        let mut sim = Simulation::new(catalog, Config::seeded(5));
        let mage = sim.spawn("Mage").unwrap();
        sim.set_placement(mage, Some(Placement::at([10.0, 0.0, 0.0]).unwrap())).unwrap();
        sim.set_team(mage, Some(Team::new("Blue"))).unwrap();
        sim.events().for_each(drop);
        Self { sim, mage }
    }

    fn call(&mut self) -> ActivationId {
        let ability = self.sim.controller(self.mage).unwrap().abilities()[0];
        self.sim.activate(ability).unwrap()
    }

    fn summons(&self) -> Vec<ControllerId> {
        self.sim.summons_of(self.mage).collect()
    }
}

#[test]
fn summoned_controllers_know_instigator_place_team_and_name() {
    let mut world = World::new();
    let run = world.call();
    let [first, second, wild] = world.summons()[..] else { panic!("three controllers") };
    let sim = &world.sim;
    let known = |id| sim.controller(id).unwrap();
    assert_eq!((sim.summoned("wolf"), sim.summoned("wolf.2")), (Some(first), Some(second)));
    assert_eq!((sim.summoned("wolf.3"), sim.summoned("wol")), (None, None));
    for id in [first, second, wild] {
        assert_eq!(known(id).instigator(), Some(world.mage));
    }
    assert_eq!(known(second).placement().unwrap().position(), [11.0, 0.0, 1.0]);
    assert_eq!(known(wild).placement().unwrap().position(), [10.0, 0.0, 0.0]);
    assert_eq!(known(first).team(), Some(&Team::new("Blue")));
    assert_eq!(known(wild).team(), Some(&Team::new("Wild")));
    let summon = known(first).summon().unwrap();
    assert_eq!(summon.bound_to(), Some(run));
    assert_eq!(summon.expires(), Some(sim.now() + Span::seconds(6.0)));
    assert_eq!(known(second).summon().unwrap().name().unwrap().to_string(), "wolf.2");
    assert_eq!(known(world.mage).instigator(), None);
    assert_eq!(sim.inconsistencies(), [""; 0]);
}

#[test]
fn spawn_event_has_the_ability_as_cause() {
    let mut world = World::new();
    world.call();
    let mage = world.mage;
    let spawned =
        world.sim.events().filter(|event| matches!(event.kind, EventKind::ControllerSpawned { .. }));
    let sources: Vec<_> = spawned.map(|event| event.cause.source).collect();
    assert_eq!(sources, [Some(mage); 3]);
}

#[test]
fn instigator_stays_known_after_it_is_gone() {
    let mut world = World::new();
    world.call();
    let wild = world.summons()[2];
    world.sim.despawn(world.mage).unwrap();
    assert_eq!(world.sim.controller(wild).unwrap().instigator(), Some(world.mage));
    assert_eq!(world.summons(), [wild]);
    assert_eq!(world.sim.inconsistencies(), [""; 0]);
}

#[test]
fn snapshot_with_summons_continues_identically() {
    let mut world = World::new();
    world.call();
    world.sim.advance(Span::seconds(1.0));
    let bytes = world.sim.snapshot().to_bytes();
    let catalog = world.sim.catalog().clone();
    let mut other = Simulation::new(catalog.clone(), Config::seeded(5));
    other.restore(&Snapshot::from_bytes(&bytes, &catalog).unwrap()).unwrap();
    assert_eq!(other.state_hash(), world.sim.state_hash());
    assert_eq!(other.inconsistencies(), [""; 0]);
    assert_eq!(other.summoned("wolf.2"), world.sim.summoned("wolf.2"));
    for _ in 0..3 {
        world.sim.advance(Span::seconds(1.5));
        other.advance(Span::seconds(1.5));
        assert_eq!(other.state_hash(), world.sim.state_hash());
        assert_eq!(other.snapshot().to_bytes(), world.sim.snapshot().to_bytes());
    }
    assert_eq!(world.summons().len(), 1);
}

#[test]
fn v4_lifetimes_do_not_depend_on_step_size() {
    let (mut whole, mut split) = (World::new(), World::new());
    whole.call();
    split.call();
    whole.sim.advance(Span::seconds(7.0));
    (0..700).for_each(|_| split.sim.advance(Span::millis(10)));
    assert_eq!(whole.sim.state_hash(), split.sim.state_hash());
    let events =
        |world: &mut World| world.sim.events().map(|event| (event.time, event.kind)).collect::<Vec<_>>();
    assert_eq!(events(&mut whole), events(&mut split));
}

#[test]
fn reload_keeps_summons_whose_template_is_gone() {
    let mut world = World::new();
    world.call();
    let wild = world.summons()[2];
    let without = Catalog::builder()
        .attribute_set(AttributeSetDef::new("Vital").with(AttributeDef::new("Health", 40.0).min(0.0)))
        .template(ControllerDef::new("Mage").with_set("Vital"))
        .build()
        .unwrap();
    world.sim.reload(without).unwrap();
    // The ability is gone, and its bound controllers with it; the other one stays, without a template.
    assert_eq!(world.summons(), [wild]);
    let known = world.sim.controller(wild).unwrap();
    assert_eq!((known.template(), known.instigator()), (None, Some(world.mage)));
    assert_eq!(world.sim.inconsistencies(), [""; 0]);
}

#[test]
fn reload_keeps_lifetimes() {
    let mut world = World::new();
    world.call();
    world.sim.advance(Span::seconds(1.0));
    world.sim.reload(builder().ability(AbilityDef::new("A_First")).build().unwrap()).unwrap();
    assert_eq!(world.sim.inconsistencies(), [""; 0]);
    let expires = world.sim.summoned("wolf").and_then(|id| world.sim.controller(id)?.summon()?.expires());
    assert_eq!(expires.map(|at| at.as_seconds()), Some(6.0));
}

type Pieces = BTreeMap<PieceKey, Piece>;

fn pieces_of(sim: &Simulation, id: ControllerId) -> Pieces {
    let mut pieces = BTreeMap::new();
    sim.pieces(id, RecordVisibility::ALL, &mut PieceScratch::default(), |key, piece| {
        pieces.insert(key, piece.to_piece());
    });
    pieces
}

#[test]
fn client_sees_instigator_and_name_and_leaves_departures_to_the_server() {
    let mut world = World::new();
    world.call();
    let catalog = world.sim.catalog().clone();
    let mut replica = Replica::new(catalog.clone());
    let mut client = Simulation::new(catalog, Config { role: Role::Client, ..Config::seeded(3) });
    let wolf = world.sim.summoned("wolf").unwrap();
    let show = |replica: &mut Replica, id| {
        replica.set_visibility(id, RecordVisibility::ALL);
        for (key, piece) in pieces_of(&world.sim, id) {
            replica.put(id, key, piece).unwrap();
        }
    };
    // While the instigator is not visible, it has no handle on the client.
    show(&mut replica, wolf);
    replica.install(&mut client, world.sim.now()).unwrap();
    let local = replica.local(wolf).unwrap();
    assert_eq!(client.controller(local).unwrap().instigator(), Some(ControllerId::UNSEEN));
    show(&mut replica, world.mage);
    replica.install(&mut client, world.sim.now()).unwrap();
    let summon = client.controller(local).unwrap().summon().unwrap();
    assert_eq!(Some(summon.instigator()), replica.local(world.mage));
    assert_eq!((summon.bound_to(), summon.expires()), (None, None));
    assert_eq!(client.summoned("wolf"), Some(local));
    assert_eq!(client.inconsistencies(), [""; 0]);
    client.advance(Span::seconds(60.0));
    assert!(client.controller(local).is_some());
    // It leaves when the server removes it.
    replica.forget(wolf);
    replica.install(&mut client, world.sim.now()).unwrap();
    assert_eq!(client.summoned("wolf"), None);
    assert_eq!(client.inconsistencies(), [""; 0]);
}

#[test]
fn invisible_instigator_is_redacted() {
    let mut world = World::new();
    world.call();
    let wolf = world.sim.summoned("wolf").unwrap();
    let mut named = Vec::new();
    world.sim.referenced_controllers(wolf, PieceKey::Head, |id| named.push(id));
    assert_eq!(named, [world.mage]);
    let mut scratch = PieceScratch::default();
    let open =
        world.sim.redacted(wolf, PieceKey::Head, RecordVisibility::ALL, &mut scratch, |_| true).unwrap();
    assert_eq!(open, pieces_of(&world.sim, wolf)[&PieceKey::Head]);
    let redacted =
        world.sim.redacted(wolf, PieceKey::Head, RecordVisibility::ALL, &mut scratch, |_| false).unwrap();
    assert_ne!(open, redacted);
}

#[test]
fn unknown_template_and_despawn_of_nothing_are_catalog_errors() {
    let build = |task| builder().ability(AbilityDef::new("GA_X").task(TaskDef::Act(task))).build();
    let errors = build(ActionDef::SpawnController(SpawnDef::new("Wlof"))).unwrap_err().to_string();
    assert!(errors.contains("Wlof") && errors.contains("Wolf"), "{errors}");
    let errors = build(ActionDef::DespawnController(DespawnDef::default())).unwrap_err().to_string();
    assert!(errors.contains("which controllers"), "{errors}");
}
