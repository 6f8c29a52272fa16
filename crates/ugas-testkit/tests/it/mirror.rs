//! A window shows what is there: random games, cut into pieces, sent as differences, and installed elsewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use proptest::collection::vec;
use proptest::prelude::*;
use ugas_core::effect::magnitude::{CaptureFrom, CaptureTime, MagnitudeDef};
use ugas_core::handle::ControllerId;
use ugas_core::mirror::{Mirror, Mirrored, Piece, PieceKey, PieceScratch, Sight};
use ugas_core::simulation::{Config, Role, Simulation};
use ugas_core::time::Span;
use ugas_testkit::fixtures::{Bout, Deed, arena, deeds, do_deed, game_of_abilities, operations, random_game};
use ugas_testkit::oracle::Game;

fn bout(game: &Game) -> Bout {
    Bout::configured(game, Config { cascade_limit: 300, ..Config::seeded(1) })
}

/// A client: what it was sent last, its mirror, and its simulation.
struct Viewer {
    sent: BTreeMap<(ControllerId, PieceKey), Piece>,
    mirror: Mirror,
    sim: Simulation,
    scratch: PieceScratch,
    /// How many pieces were put.
    puts: usize,
}

impl Viewer {
    fn of(sim: &Simulation, role: Role) -> Self {
        let config = Config { role, cascade_limit: 300, ..Config::seeded(9) };
        Self {
            sent: BTreeMap::new(),
            mirror: Mirror::new(sim.catalog().clone()),
            sim: Simulation::new(sim.catalog().clone(), config),
            scratch: PieceScratch::default(),
            puts: 0,
        }
    }

    /// Sends what has changed of those that can be seen, and installs it.
    fn look(&mut self, server: &Simulation, sights: &BTreeMap<ControllerId, Sight>) {
        let mut pieces = BTreeMap::new();
        for (&id, &sight) in sights {
            let mut last = None;
            server.pieces(id, sight, &mut self.scratch, |key, piece| {
                assert!(last < Some(key), "{last:?} before {key:?}");
                last = Some(key);
                pieces.insert((id, key), piece.to_piece());
            });
        }
        let seen: BTreeSet<ControllerId> = self.mirror.controllers().collect();
        for &gone in seen.iter().filter(|id| !sights.contains_key(id)) {
            self.mirror.forget(gone);
        }
        for (&id, &sight) in sights {
            self.mirror.see(id, sight);
        }
        for (id, key) in self.sent.keys().filter(|at| !pieces.contains_key(at)) {
            self.mirror.take_away(*id, *key);
        }
        for (at, piece) in pieces.iter().filter(|(at, piece)| self.sent.get(at) != Some(piece)) {
            self.puts += 1;
            let put = self.mirror.put(at.0, at.1, piece.clone());
            put.unwrap_or_else(|error| panic!("{error}"));
        }
        self.sent = pieces;
        self.mirror.install(&mut self.sim, server.now()).unwrap();
        let found = self.sim.inconsistencies();
        assert!(found.is_empty(), "{found:#?}");
        assert_eq!(self.sim.now(), server.now());
    }

    fn local<H: Mirrored>(&self, remote: H) -> H {
        self.mirror.local(remote).unwrap_or_else(|| panic!("{remote:?} has no name"))
    }
}

fn everybody(sim: &Simulation, sight: Sight) -> BTreeMap<ControllerId, Sight> {
    sim.controllers().map(|(id, _)| (id, sight)).collect()
}

#[track_caller]
fn same<T: PartialEq + Debug>(what: &str, server: T, client: T) {
    assert_eq!(server, client, "{what}: server first");
}

/// Attributes, tags and cues.
fn compare_outside(viewer: &Viewer, server: &Simulation, id: ControllerId) {
    let client = &viewer.sim;
    let local = viewer.local(id);
    same("remote", Some(id), viewer.mirror.remote(local));
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
    // Cues of runs that are not in sight have effects of their own, which the server does not know.
    let known = theirs.effects().iter().copied().filter(|handle| viewer.mirror.remote(*handle).is_some());
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
        let source = one.source().map(|source| viewer.mirror.local(source).unwrap_or(ControllerId::UNSEEN));
        same("source", source, other.source());
        let granted = one.granted_abilities().iter().map(|handle| viewer.mirror.local(*handle));
        let granted: Vec<_> =
            granted.map(|local| local.unwrap_or(ugas_core::handle::AbilityHandle::UNSEEN)).collect();
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
        same("targets", one.targets().0.len(), other.targets().0.len());
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

fn compare(viewer: &Viewer, server: &Simulation, sights: &BTreeMap<ControllerId, Sight>) {
    assert_eq!(viewer.sim.controllers().count(), sights.len());
    for (&id, &sight) in sights {
        compare_outside(viewer, server, id);
        if sight.effects {
            compare_effects(viewer, server, id);
        }
        if sight.abilities {
            compare_abilities(viewer, server, id);
        }
    }
}

/// The names of everything that lives on the server and has one.
fn names(viewer: &Viewer, server: &Simulation) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    for (id, controller) in server.controllers() {
        let mut note = |remote: String, local: Option<String>| local.map(|local| names.insert(remote, local));
        note(format!("{id:?}"), viewer.mirror.local(id).map(|local| format!("{local:?}")));
        for &id in controller.effects() {
            note(format!("{id:?}"), viewer.mirror.local(id).map(|local| format!("{local:?}")));
        }
        for &id in controller.abilities() {
            note(format!("{id:?}"), viewer.mirror.local(id).map(|local| format!("{local:?}")));
        }
        for &id in controller.activations() {
            note(format!("{id:?}"), viewer.mirror.local(id).map(|local| format!("{local:?}")));
        }
        for id in server.tasks_of(id) {
            note(format!("{id:?}"), viewer.mirror.local(id).map(|local| format!("{local:?}")));
        }
    }
    names
}

/// The handles of everything that lives.
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

/// Somebody sees everybody, or some, or only from outside.
fn sights(server: &Simulation, choice: &[u8]) -> BTreeMap<ControllerId, Sight> {
    let kinds = [None, Some(Sight::SHOWN), Some(Sight::EFFECTS), Some(Sight::WHOLE)];
    let chosen = server.controllers().zip(choice.iter().cycle());
    chosen.filter_map(|((id, _), choice)| Some((id, kinds[usize::from(*choice) % 4]?))).collect()
}

proptest! {
    #![proptest_config(crate::cases(1))]

    /// The whole world, every few steps. Names never change, and whoever predicts in between is corrected.
    #[test]
    fn a_whole_window_is_the_world(game in game_of_abilities(), deeds in deeds(40), stray in deeds(6)) {
        let mut bout = bout(&game);
        let mut viewer = Viewer::of(&bout.sim, Role::Client);
        let mut known = BTreeMap::new();
        let (mut strayed, mut gone): (BTreeSet<String>, BTreeSet<String>) = Default::default();
        for some in deeds.chunks(3) {
            some.iter().for_each(|deed| do_deed(&mut bout, deed));
            let sights = everybody(&bout.sim, Sight::WHOLE);
            viewer.look(&bout.sim, &sights);
            compare(&viewer, &bout.sim, &sights);
            // Lifetimes of summoned controllers are timers of the server only (A17).
            let has_summons = bout.sim.controllers().any(|(_, controller)| controller.instigator().is_some());
            if !has_summons {
                assert_eq!(viewer.sim.next_timer(), bout.sim.next_timer());
            }
            for (remote, local) in names(&viewer, &bout.sim) {
                let before = known.entry(remote.clone()).or_insert_with(|| local.clone());
                assert_eq!(*before, local, "{remote} is called otherwise");
            }
            let shown = alive(&viewer.sim);
            assert!(shown.is_disjoint(&gone), "{:?} came back", shown.intersection(&gone));
            // What was predicted has come now, as tasks of runs may, or never will under this name.
            gone.extend(strayed.difference(&shown).cloned());
            // The client goes its own way until the next look.
            wander(&mut viewer, &bout, &stray);
            strayed = alive(&viewer.sim).difference(&shown).cloned().collect();
            assert!(strayed.is_disjoint(&gone), "{:?} came back", strayed.intersection(&gone));
        }
    }

    /// Whoever replicates need not look at those who were not touched: no piece of theirs has changed, be it by what was done
    /// or by going back.
    #[test]
    fn who_was_not_touched_has_not_changed(
        game in game_of_abilities(),
        deeds in deeds(40),
        returns in vec(any::<bool>(), 20),
    ) {
        let mut bout = bout(&game);
        bout.sim.watch_touches();
        let mut kept = bout.sim.snapshot();
        let mut known: BTreeMap<ControllerId, Vec<(PieceKey, Piece)>> = BTreeMap::new();
        for (some, returns) in deeds.chunks(2).zip(returns) {
            some.iter().for_each(|deed| do_deed(&mut bout, deed));
            match returns {
                true => bout.sim.restore(&kept).unwrap(),
                false => bout.sim.snapshot_into(&mut kept),
            }
            let touched = bout.sim.take_touched();
            for (id, _) in bout.sim.controllers() {
                let now = all_pieces(&bout.sim, id);
                if !touched.contains(&id) {
                    assert_eq!(known.get(&id), Some(&now), "{id:?} has changed");
                }
                known.insert(id, now);
            }
        }
    }

    /// Whoever sees some of the world, some of it from outside, and others at other times.
    #[test]
    fn a_part_is_as_it_is_in_the_whole(
        game in game_of_abilities(),
        deeds in deeds(40),
        choices in vec(vec(0..4u8, 5), 14),
    ) {
        let mut bout = bout(&game);
        let mut viewer = Viewer::of(&bout.sim, Role::Client);
        for (some, choice) in deeds.chunks(3).zip(&choices) {
            some.iter().for_each(|deed| do_deed(&mut bout, deed));
            let sights = sights(&bout.sim, choice);
            viewer.look(&bout.sim, &sights);
            compare(&viewer, &bout.sim, &sights);
            viewer.sim.advance(Span::millis(300));
        }
    }

    /// Without dice, what is installed goes on as the original.
    #[test]
    fn a_whole_window_goes_on_alike(game in game_of_abilities(), deeds in deeds(30), millis in 1..900i64) {
        prop_assume!(!format!("{:?}", game.abilities).contains("rand()"));
        let mut bout = bout(&game);
        let mut viewer = Viewer::of(&bout.sim, Role::Authority);
        for some in deeds.chunks(4) {
            some.iter().for_each(|deed| do_deed(&mut bout, deed));
            viewer.look(&bout.sim, &everybody(&bout.sim, Sight::WHOLE));
            go_on_alike(&viewer, &bout.sim, Span::millis(millis));
        }
    }

    #[test]
    fn effects_go_on_alike(game in prop_oneof![Just(arena()), random_game()], ops in operations(40), millis in 1..3_000i64) {
        let mut bout = bout(&without_frozen_sources(game));
        let mut viewer = Viewer::of(&bout.sim, Role::Authority);
        for some in ops.chunks(5) {
            some.iter().for_each(|op| bout.run(op));
            viewer.look(&bout.sim, &everybody(&bout.sim, Sight::WHOLE));
            go_on_alike(&viewer, &bout.sim, Span::millis(millis));
        }
    }
}

/// The game with live magnitudes in the place of those that periodic effects freeze of their source: frozen values of another
/// controller are not sent, so that a replica leaves their ticks to the server (N1).
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
    sim.pieces(id, Sight::WHOLE, &mut scratch, |key, piece| pieces.push((key, piece.to_piece())));
    pieces
}

/// Does deeds on the client, which has other handles.
fn wander(viewer: &mut Viewer, bout: &Bout, deeds: &[Deed]) {
    let mut own = bout.clone();
    own.actors = bout.actors.iter().map(|id| viewer.mirror.local(*id).unwrap_or(*id)).collect();
    std::mem::swap(&mut own.sim, &mut viewer.sim);
    deeds.iter().for_each(|deed| do_deed(&mut own, deed));
    std::mem::swap(&mut own.sim, &mut viewer.sim);
}

/// Both go on for a while, without anybody doing anything.
fn go_on_alike(viewer: &Viewer, server: &Simulation, span: Span) {
    let (mut server, mut client) = (server.clone(), viewer.sim.clone());
    server.advance(span);
    client.advance(span);
    for (id, _) in server.controllers() {
        let Some(local) = viewer.mirror.local(id) else { continue };
        let values = |sim: &Simulation, id| sim.attributes(id).collect::<Vec<_>>();
        same("attributes later", values(&server, id), values(&client, local));
        same("tags later", server.tags(id), client.tags(local));
        let cues = |sim: &Simulation, id| sim.controller(id).map(|known| known.cues().to_vec());
        same("cues later", cues(&server, id), cues(&client, local));
    }
    same("timers later", server.next_timer(), client.next_timer());
}
