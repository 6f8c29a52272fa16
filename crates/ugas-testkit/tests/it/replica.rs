//! Replicas: random games, split into pieces, sent as deltas, and installed in a client's simulation.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use proptest::collection::vec;
use proptest::prelude::*;
use ugas_core::effect::magnitude::{CaptureFrom, CaptureTime, MagnitudeDef};
use ugas_core::handle::ControllerId;
use ugas_core::replica::{Piece, PieceKey, PieceScratch, RecordVisibility, Replica, ReplicaHandle};
use ugas_core::simulation::{Config, Role, Simulation};
use ugas_core::time::Span;
use ugas_testkit::fixtures::{
    AbilityOp, SimDriver, ability_ops, arena, game_of_abilities, operations, random_game, run_ability_op,
};
use ugas_testkit::oracle::Game;

fn driver(game: &Game) -> SimDriver {
    SimDriver::configured(game, Config { cascade_limit: 300, ..Config::seeded(1) })
}

/// Client: the pieces it received last, its replica, and its simulation.
struct Viewer {
    sent: BTreeMap<(ControllerId, PieceKey), Piece>,
    replica: Replica,
    sim: Simulation,
    scratch: PieceScratch,
    /// Number of pieces that were put into the replica.
    puts: usize,
}

impl Viewer {
    fn of(sim: &Simulation, role: Role) -> Self {
        let config = Config { role, cascade_limit: 300, ..Config::seeded(9) };
        Self {
            sent: BTreeMap::new(),
            replica: Replica::new(sim.catalog().clone()),
            sim: Simulation::new(sim.catalog().clone(), config),
            scratch: PieceScratch::default(),
            puts: 0,
        }
    }

    /// Sends the changed pieces of visible controllers, and installs them.
    fn look(&mut self, server: &Simulation, visibilities: &BTreeMap<ControllerId, RecordVisibility>) {
        let mut pieces = BTreeMap::new();
        for (&id, &visibility) in visibilities {
            let mut last = None;
            server.pieces(id, visibility, &mut self.scratch, |key, piece| {
                assert!(last < Some(key), "{last:?} before {key:?}");
                last = Some(key);
                pieces.insert((id, key), piece.to_piece());
            });
        }
        let seen: BTreeSet<ControllerId> = self.replica.controllers().collect();
        for &gone in seen.iter().filter(|id| !visibilities.contains_key(id)) {
            self.replica.forget(gone);
        }
        for (&id, &visibility) in visibilities {
            self.replica.set_visibility(id, visibility);
        }
        for (id, key) in self.sent.keys().filter(|at| !pieces.contains_key(at)) {
            self.replica.remove(*id, *key);
        }
        for (at, piece) in pieces.iter().filter(|(at, piece)| self.sent.get(at) != Some(piece)) {
            self.puts += 1;
            let put = self.replica.put(at.0, at.1, piece.clone());
            put.unwrap_or_else(|error| panic!("{error}"));
        }
        self.sent = pieces;
        self.replica.install(&mut self.sim, server.now()).unwrap();
        let found = self.sim.inconsistencies();
        assert!(found.is_empty(), "{found:#?}");
        assert_eq!(self.sim.now(), server.now());
    }

    fn local<H: ReplicaHandle>(&self, remote: H) -> H {
        self.replica.local(remote).unwrap_or_else(|| panic!("{remote:?} has no name"))
    }
}

fn everybody(sim: &Simulation, visibility: RecordVisibility) -> BTreeMap<ControllerId, RecordVisibility> {
    sim.controllers().map(|(id, _)| (id, visibility)).collect()
}

#[track_caller]
fn same<T: PartialEq + Debug>(what: &str, server: T, client: T) {
    assert_eq!(server, client, "{what}: server first");
}

/// Compares attributes, tags and cues.
fn compare_outside(viewer: &Viewer, server: &Simulation, id: ControllerId) {
    let client = &viewer.sim;
    let local = viewer.local(id);
    same("remote", Some(id), viewer.replica.remote(local));
    let values = |sim: &Simulation, id| sim.attributes(id).collect::<Vec<_>>();
    same("attributes", values(server, id), values(client, local));
    same("sets", server.attribute_sets(id), client.attribute_sets(local));
    same("tags", server.tags(id), client.tags(local));
    let (ours, theirs) = (server.controller(id).unwrap(), client.controller(local).unwrap());
    same("cues", ours.cues(), theirs.cues());
    same("placement", ours.placement(), theirs.placement());
    same("owner", (ours.owner(), ours.avatar()), (theirs.owner(), theirs.avatar()));
    same("ordinal", ours.ordinal(), theirs.ordinal());
}

fn compare_effects(viewer: &Viewer, server: &Simulation, id: ControllerId) {
    let (client, now) = (&viewer.sim, server.now());
    let (ours, theirs) = (server.controller(id).unwrap(), client.controller(viewer.local(id)).unwrap());
    let names = |handles: &[_]| handles.iter().map(|handle| viewer.local(*handle)).collect::<Vec<_>>();
    // Cues of invisible activations have local effects that the server does not know.
    let known = theirs.effects().iter().copied().filter(|handle| viewer.replica.remote(*handle).is_some());
    same("effects", names(ours.effects()), known.collect());
    for &handle in ours.effects() {
        let (one, other) = (server.effect(handle).unwrap(), client.effect(viewer.local(handle)).unwrap());
        same("definition", one.effect(), other.effect());
        same("target", viewer.local(one.target()), other.target());
        same(
            "clock",
            (one.started(), one.duration(), one.expires()),
            (other.started(), other.duration(), other.expires()),
        );
        same("period", (one.period(), one.next_tick()), (other.period(), other.next_tick()));
        same("remaining", one.remaining(now), other.remaining(now));
        same("status", (one.status(), one.is_inhibited()), (other.status(), other.is_inhibited()));
        same("stacks", (one.stacks(), one.spec().level()), (other.stacks(), other.spec().level()));
        same("magnitudes", one.magnitudes(), other.magnitudes());
        let source = one.source().map(|source| viewer.replica.local(source).unwrap_or(ControllerId::UNSEEN));
        same("source", source, other.source());
        let granted = one.granted_abilities().iter().map(|handle| viewer.replica.local(*handle));
        let granted: Vec<_> =
            granted.map(|local| local.unwrap_or(ugas_core::handle::GrantedAbilityId::UNSEEN)).collect();
        same("granted", granted.as_slice(), other.granted_abilities());
    }
}

fn compare_abilities(viewer: &Viewer, server: &Simulation, id: ControllerId) {
    let client = &viewer.sim;
    let (ours, theirs) = (server.controller(id).unwrap(), client.controller(viewer.local(id)).unwrap());
    let abilities: Vec<_> = ours.abilities().iter().map(|handle| viewer.local(*handle)).collect();
    same("abilities", abilities.as_slice(), theirs.abilities());
    same("inputs", ours.input_buffer(), theirs.input_buffer());
    for &handle in ours.abilities() {
        let (one, other) = (server.ability(handle).unwrap(), client.ability(viewer.local(handle)).unwrap());
        same("ability", (one.ability(), one.level()), (other.ability(), other.level()));
        same("input", one.input(), other.input());
        same("charges", (one.charges(), one.next_charge()), (other.charges(), other.next_charge()));
        same("leaving", one.is_leaving(), other.is_leaving());
        let runs: Vec<_> = one.activations().iter().map(|run| viewer.local(*run)).collect();
        same("runs", runs.as_slice(), other.activations());
    }
    for &handle in ours.activations() {
        let (one, other) =
            (server.activation(handle).unwrap(), client.activation(viewer.local(handle)).unwrap());
        same(
            "run",
            (one.ability(), one.level(), one.started()),
            (other.ability(), other.level(), other.started()),
        );
        same("granted", viewer.local(one.granted()), other.granted());
        same("committed", one.is_committed(), other.is_committed());
        same("targets", one.targets().len(), other.targets().len());
        let tasks: Vec<_> = one.tasks().map(|task| viewer.local(task)).collect();
        same("tasks", tasks, other.tasks().collect());
        for (ours, theirs) in one.tasks().zip(other.tasks()) {
            let (one, other) = (server.task(ours).unwrap(), client.task(theirs).unwrap());
            same(
                "task",
                (one.step(), one.started(), one.deadline()),
                (other.step(), other.started(), other.deadline()),
            );
            same("subjects", one.subjects(), other.subjects());
        }
    }
}

fn compare(viewer: &Viewer, server: &Simulation, visibilities: &BTreeMap<ControllerId, RecordVisibility>) {
    assert_eq!(viewer.sim.controllers().count(), visibilities.len());
    for (&id, &visibility) in visibilities {
        compare_outside(viewer, server, id);
        if visibility.effects {
            compare_effects(viewer, server, id);
        }
        if visibility.abilities {
            compare_abilities(viewer, server, id);
        }
    }
}

/// Local handles by remote handle, of every server object that the replica knows.
fn names(viewer: &Viewer, server: &Simulation) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    for (id, controller) in server.controllers() {
        let mut note = |remote: String, local: Option<String>| local.map(|local| names.insert(remote, local));
        note(format!("{id:?}"), viewer.replica.local(id).map(|local| format!("{local:?}")));
        for &id in controller.effects() {
            note(format!("{id:?}"), viewer.replica.local(id).map(|local| format!("{local:?}")));
        }
        for &id in controller.abilities() {
            note(format!("{id:?}"), viewer.replica.local(id).map(|local| format!("{local:?}")));
        }
        for &id in controller.activations() {
            note(format!("{id:?}"), viewer.replica.local(id).map(|local| format!("{local:?}")));
        }
        for id in server.tasks_of(id) {
            note(format!("{id:?}"), viewer.replica.local(id).map(|local| format!("{local:?}")));
        }
    }
    names
}

/// Handles of all existing objects.
fn alive(sim: &Simulation) -> BTreeSet<String> {
    let mut alive = BTreeSet::new();
    for (id, controller) in sim.controllers() {
        alive.insert(format!("{id:?}"));
        alive.extend(controller.effects().iter().map(|id| format!("{id:?}")));
        alive.extend(controller.abilities().iter().map(|id| format!("{id:?}")));
        alive.extend(controller.activations().iter().map(|id| format!("{id:?}")));
        alive.extend(sim.tasks_of(id).map(|id| format!("{id:?}")));
    }
    alive
}

/// Visibility of each controller, chosen by `choice`: all, some, or only public state.
fn visibilities(server: &Simulation, choice: &[u8]) -> BTreeMap<ControllerId, RecordVisibility> {
    let kinds =
        [None, Some(RecordVisibility::NONE), Some(RecordVisibility::EFFECTS), Some(RecordVisibility::ALL)];
    let chosen = server.controllers().zip(choice.iter().cycle());
    chosen.filter_map(|((id, _), choice)| Some((id, kinds[usize::from(*choice) % 4]?))).collect()
}

proptest! {
    #![proptest_config(crate::cases(1))]

    /// Full visibility, updated every few operations. Local handles never change, and predictions in between
    /// are corrected.
    #[test]
    fn full_replica_equals_the_server(game in game_of_abilities(), ability_ops in ability_ops(40), stray in ability_ops(6)) {
        let mut driver = driver(&game);
        let mut viewer = Viewer::of(&driver.sim, Role::Client);
        let mut known = BTreeMap::new();
        let (mut strayed, mut gone): (BTreeSet<String>, BTreeSet<String>) = Default::default();
        for some in ability_ops.chunks(3) {
            some.iter().for_each(|ability_op| run_ability_op(&mut driver, ability_op));
            let visibilities = everybody(&driver.sim, RecordVisibility::ALL);
            viewer.look(&driver.sim, &visibilities);
            compare(&viewer, &driver.sim, &visibilities);
            // Lifetimes of summoned controllers are timers of the server only (A17).
            let has_summons = driver.sim.controllers().any(|(_, controller)| controller.instigator().is_some());
            if !has_summons {
                assert_eq!(viewer.sim.next_timer(), driver.sim.next_timer());
            }
            for (remote, local) in names(&viewer, &driver.sim) {
                let before = known.entry(remote.clone()).or_insert_with(|| local.clone());
                assert_eq!(*before, local, "{remote} is called otherwise");
            }
            let shown = alive(&viewer.sim);
            assert!(shown.is_disjoint(&gone), "{:?} came back", shown.intersection(&gone));
            // Predicted objects are confirmed now, as tasks of activations may be, or their handles stay
            // unused.
            gone.extend(strayed.difference(&shown).cloned());
            // The client predicts its own operations until the next update.
            predict(&mut viewer, &driver, &stray);
            strayed = alive(&viewer.sim).difference(&shown).cloned().collect();
            assert!(strayed.is_disjoint(&gone), "{:?} came back", strayed.intersection(&gone));
        }
    }

    /// Controllers that were not touched need no update: none of their pieces has changed, neither by an
    /// operation nor by a restore.
    #[test]
    fn untouched_controllers_have_not_changed(
        game in game_of_abilities(),
        ability_ops in ability_ops(40),
        returns in vec(any::<bool>(), 20),
    ) {
        let mut driver = driver(&game);
        driver.sim.watch_touches();
        let mut kept = driver.sim.snapshot();
        let mut known: BTreeMap<ControllerId, Vec<(PieceKey, Piece)>> = BTreeMap::new();
        for (some, returns) in ability_ops.chunks(2).zip(returns) {
            some.iter().for_each(|ability_op| run_ability_op(&mut driver, ability_op));
            match returns {
                true => driver.sim.restore(&kept).unwrap(),
                false => driver.sim.snapshot_into(&mut kept),
            }
            let touched = driver.sim.take_touched();
            for (id, _) in driver.sim.controllers() {
                let now = all_pieces(&driver.sim, id);
                if !touched.contains(&id) {
                    assert_eq!(known.get(&id), Some(&now), "{id:?} has changed");
                }
                known.insert(id, now);
            }
        }
    }

    /// Partial visibility that changes over time.
    #[test]
    fn partial_replica_equals_the_server(
        game in game_of_abilities(),
        ability_ops in ability_ops(40),
        choices in vec(vec(0..4u8, 5), 14),
    ) {
        let mut driver = driver(&game);
        let mut viewer = Viewer::of(&driver.sim, Role::Client);
        for (some, choice) in ability_ops.chunks(3).zip(&choices) {
            some.iter().for_each(|ability_op| run_ability_op(&mut driver, ability_op));
            let visibilities = visibilities(&driver.sim, choice);
            viewer.look(&driver.sim, &visibilities);
            compare(&viewer, &driver.sim, &visibilities);
            viewer.sim.advance(Span::millis(300));
        }
    }

    /// Without randomness, an installed replica continues like the original.
    #[test]
    fn full_replica_continues_like_the_server(game in game_of_abilities(), ability_ops in ability_ops(30), millis in 1..900i64) {
        prop_assume!(!format!("{:?}", game.abilities).contains("rand()"));
        let mut driver = driver(&game);
        let mut viewer = Viewer::of(&driver.sim, Role::Authority);
        for some in ability_ops.chunks(4) {
            some.iter().for_each(|ability_op| run_ability_op(&mut driver, ability_op));
            viewer.look(&driver.sim, &everybody(&driver.sim, RecordVisibility::ALL));
            check_continuation(&viewer, &driver.sim, Span::millis(millis));
        }
    }

    #[test]
    fn effects_continue_like_on_the_server(game in prop_oneof![Just(arena()), random_game()], ops in operations(40), millis in 1..3_000i64) {
        let mut driver = driver(&without_frozen_sources(game));
        let mut viewer = Viewer::of(&driver.sim, Role::Authority);
        for some in ops.chunks(5) {
            some.iter().for_each(|op| driver.run(op));
            viewer.look(&driver.sim, &everybody(&driver.sim, RecordVisibility::ALL));
            check_continuation(&viewer, &driver.sim, Span::millis(millis));
        }
    }
}

/// Game in which periodic effects read live instead of frozen values of their source: frozen values of
/// another controller are not sent, so that a replica leaves their ticks to the server (N1).
fn without_frozen_sources(mut game: Game) -> Game {
    let periodic = game.effects.iter_mut().filter(|def| def.period.is_some());
    for modifier in periodic.flat_map(|def| &mut def.modifiers) {
        if let MagnitudeDef::Attribute(reading) = &mut modifier.magnitude
            && reading.from == CaptureFrom::Source
        {
            reading.capture = CaptureTime::OnExecution;
        }
    }
    game
}

fn all_pieces(sim: &Simulation, id: ControllerId) -> Vec<(PieceKey, Piece)> {
    let (mut pieces, mut scratch) = (Vec::new(), PieceScratch::default());
    sim.pieces(id, RecordVisibility::ALL, &mut scratch, |key, piece| pieces.push((key, piece.to_piece())));
    pieces
}

/// Runs operations on the client, which has other handles.
fn predict(viewer: &mut Viewer, driver: &SimDriver, ability_ops: &[AbilityOp]) {
    let mut own = driver.clone();
    own.actors = driver.actors.iter().map(|id| viewer.replica.local(*id).unwrap_or(*id)).collect();
    std::mem::swap(&mut own.sim, &mut viewer.sim);
    ability_ops.iter().for_each(|ability_op| run_ability_op(&mut own, ability_op));
    std::mem::swap(&mut own.sim, &mut viewer.sim);
}

/// Both continue for a while without operations, with equal results.
fn check_continuation(viewer: &Viewer, server: &Simulation, span: Span) {
    let (mut server, mut client) = (server.clone(), viewer.sim.clone());
    server.advance(span);
    client.advance(span);
    for (id, _) in server.controllers() {
        let Some(local) = viewer.replica.local(id) else { continue };
        let values = |sim: &Simulation, id| sim.attributes(id).collect::<Vec<_>>();
        same("attributes later", values(&server, id), values(&client, local));
        same("tags later", server.tags(id), client.tags(local));
        let cues = |sim: &Simulation, id| sim.controller(id).map(|known| known.cues().to_vec());
        same("cues later", cues(&server, id), cues(&client, local));
    }
    same("timers later", server.next_timer(), client.next_timer());
}
