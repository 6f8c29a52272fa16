//! Replicas (§13.1): pieces, installation, handles.

use std::collections::BTreeMap;

use ugas_core::ability::{AbilityDef, GameplayEvent};
use ugas_core::codec::to_bytes;
use ugas_core::effect::magnitude::{AttributeMagnitudeDef, CaptureFrom, CaptureTime, MagnitudeDef};
use ugas_core::effect::{AbilityGrantDef, EffectContext, EffectDef, PredictionKey};
use ugas_core::handle::{ControllerId, TaskId};
use ugas_core::id::{ActorId, AttributeId, TagId};
use ugas_core::modifier::Operation;
use ugas_core::prediction::{Knowledge, Randomness};
use ugas_core::replica::{Piece, PieceKey, PieceScratch, RecordVisibility, Replica, ReplicaError};
use ugas_core::simulation::{
    ActivationRequest, AttributeValue, Config, ReadError, Role, Simulation, Snapshot, Stacks,
};
use ugas_core::targeting::TargetData;
use ugas_core::task::{ActionDef, TaskDef, WaitDef};
use ugas_core::time::{Span, Time};

use crate::fixture::{Game, buff, instant, tagging};

type Pieces = BTreeMap<PieceKey, Piece>;

fn pieces_of(sim: &Simulation, id: ControllerId, visibility: RecordVisibility) -> Pieces {
    let mut pieces = BTreeMap::new();
    sim.pieces(id, visibility, &mut PieceScratch::default(), |key, piece| {
        pieces.insert(key, piece.to_piece());
    });
    pieces
}

fn client_of(game: &Game) -> (Replica, Simulation) {
    let catalog = game.sim.catalog();
    let config = Config { role: Role::Client, ..Config::seeded(3) };
    (Replica::new(catalog.clone()), Simulation::new(catalog.clone(), config))
}

/// Replaces all pieces of a controller.
#[track_caller]
fn show(replica: &mut Replica, sim: &Simulation, id: ControllerId, visibility: RecordVisibility) {
    replica.forget(id);
    replica.set_visibility(id, visibility);
    for (key, piece) in pieces_of(sim, id, visibility) {
        replica.put(id, key, piece).unwrap_or_else(|error| panic!("{error}"));
    }
}

/// As [`show`], but without removing the controller in between.
#[track_caller]
fn update(replica: &mut Replica, sim: &Simulation, id: ControllerId, before: &Pieces) -> Pieces {
    let after = pieces_of(sim, id, RecordVisibility::ALL);
    for key in before.keys().filter(|key| !after.contains_key(key)) {
        replica.remove(id, *key);
    }
    for (key, piece) in &after {
        replica.put(id, *key, piece.clone()).unwrap_or_else(|error| panic!("{error}"));
    }
    after
}

#[test]
fn piece_of_a_running_effect_does_not_change() {
    let burn = EffectDef::lasting("GE_Burn", 60.0).every(2.0).modify("Health", Operation::Add, -1.0);
    let mut game = Game::of([burn, EffectDef::lasting("GE_Slow", 30.0)]);
    game.pass(0.3);
    game.activate("GE_Burn", "wolf", "hero");
    game.pass(0.7);
    let slow = game.activate("GE_Slow", "wolf", "hero");
    let before = pieces_of(&game.sim, game.id("hero"), RecordVisibility::ALL);
    game.pass(9.0);
    let after = pieces_of(&game.sim, game.id("hero"), RecordVisibility::ALL);
    let differ: Vec<&PieceKey> = after.keys().filter(|key| before.get(key) != after.get(key)).collect();
    // Four ticks, at 2.3, 4.3, 6.3 and 8.3 s.
    let health = PieceKey::Attribute(game.attribute("Health"));
    assert_eq!(differ, [&health]);
    assert_eq!(after[&health], Piece::Attribute { base: 96.0, current: 96.0 });
    // Definition, bit mask in one byte, sequence number, start at 1 s in three bytes, and the source in two.
    let Piece::Record(bytes) = &after[&PieceKey::Effect(slow)] else { panic!("no record") };
    assert_eq!(bytes.len(), 8);
}

#[test]
fn replica_has_the_clocks_of_the_server() {
    let burn = EffectDef::lasting("GE_Burn", 10.0).every(2.0).modify("Health", Operation::Add, -1.0);
    let mut game = Game::of([burn]);
    game.pass(1.0);
    let active = game.activate("GE_Burn", "wolf", "hero");
    game.pass(2.5);
    let (mut replica, mut client) = client_of(&game);
    show(&mut replica, &game.sim, game.id("hero"), RecordVisibility::ALL);
    replica.install(&mut client, game.sim.now()).unwrap();
    let burn = client.effect(replica.local(active).unwrap()).unwrap();
    // From 1 s to 11 s, every 2 s: the first tick was at 3 s, it is 3.5 s.
    assert_eq!(burn.expires(), Some(Time::from_seconds(11.0)));
    assert_eq!((burn.next_tick(), burn.ticks()), (Some(Time::from_seconds(5.0)), 1));
    // The wolf is not visible.
    assert_eq!(burn.source(), Some(ControllerId::UNSEEN));
    assert_eq!(client.next_timer(), Some(Time::from_seconds(5.0)));
    let bytes = client.snapshot().to_bytes();
    assert!(Snapshot::from_bytes(&bytes, client.catalog()).is_ok(), "written and read like any other");
}

#[test]
fn controller_without_visible_effects_has_its_tags_and_cues() {
    let stun = EffectDef::infinite("GE_Stun").granting("State.Stun").cue("GameplayCue.Stars");
    let fog = EffectDef::infinite("GE_Fog").granting("State.Stun").granting("State.Fog");
    let mut game = Game::of([stun.clone(), fog, EffectDef { name: "GE_Again".into(), ..stun }]);
    game.pass(2.0);
    for effect in ["GE_Stun", "GE_Fog", "GE_Again"] {
        game.apply(effect, "wolf", "hero");
        game.pass(1.0);
    }
    let hero = game.id("hero");
    let pieces = pieces_of(&game.sim, hero, RecordVisibility::NONE);
    let (stun, fog) = (game.tag("State.Stun"), game.tag("State.Fog"));
    let stars = game.tag("GameplayCue.Stars");
    assert_eq!(pieces[&PieceKey::Tag(stun)], Piece::Tag(3));
    assert_eq!(pieces[&PieceKey::Tag(fog)], Piece::Tag(1));
    let since = Time::from_seconds(2.0);
    assert!(
        matches!(pieces[&PieceKey::Cue(stars)], Piece::Cue { count: 2, since: began, .. } if began == since)
    );
    assert!(!pieces.keys().any(|key| matches!(key, PieceKey::Effect(_) | PieceKey::Ability(_))));

    let (mut replica, mut client) = client_of(&game);
    show(&mut replica, &game.sim, hero, RecordVisibility::NONE);
    replica.install(&mut client, game.sim.now()).unwrap();
    let local = replica.local(hero).unwrap();
    assert_eq!(client.tags(local), game.sim.tags(hero));
    let controller = client.controller(local).unwrap();
    assert_eq!(controller.cues(), [(stars, 2)]);
    // One placeholder grants all tags, two show the cue since its start; the server has none of them.
    let held = controller.effects().to_vec();
    assert_eq!(held.len(), 3);
    assert!(held.iter().all(|held| replica.remote(*held).is_none()));
    let starts = held.iter().filter(|held| client.effect(**held).unwrap().started() == since);
    assert_eq!((starts.count(), client.inconsistencies()), (2, vec![]));

    // One cue less, and the others keep their handles.
    replica.put(hero, PieceKey::Cue(stars), Piece::Cue { count: 1, since, context: Box::default() }).unwrap();
    replica.remove(hero, PieceKey::Tag(fog));
    replica.install(&mut client, game.sim.now()).unwrap();
    let controller = client.controller(local).unwrap();
    assert!(controller.effects().len() == 2 && controller.effects().iter().all(|id| held.contains(id)));
    assert!(!client.has_tag(local, fog) && client.has_tag(local, stun));
    assert_eq!((controller.cues(), client.pending_events().len()), ([(stars, 1)].as_slice(), 0));
}

#[test]
fn runtime_effects_are_replicated_by_their_tags_and_cues() {
    let mut game = Game::of([EffectDef::infinite("GE_Tag").granting("State.Item").cue("GameplayCue.Item")]);
    let item = EffectDef::infinite("GE_Item").granting("State.Item").cue("GameplayCue.Item");
    let item = game.sim.define_effect(item).unwrap();
    let hero = game.id("hero");
    game.sim.apply_effect(item, None, hero).unwrap();
    game.apply("GE_Tag", "hero", "hero");
    let (mut replica, mut client) = client_of(&game);
    show(&mut replica, &game.sim, hero, RecordVisibility::ALL);
    replica.install(&mut client, game.sim.now()).unwrap();
    let local = replica.local(hero).unwrap();
    assert_eq!(client.tags(local).unwrap().count(game.tag("State.Item")), 2);
    assert_eq!(client.controller(local).unwrap().cues(), [(game.tag("GameplayCue.Item"), 2)]);
}

#[test]
fn attributes_never_received_read_as_not_replicated() {
    let mut game = Game::of([
        buff("GE_Armor", "Armor", Operation::Add, 5.0),
        instant("GE_Hit", "Health", Operation::Add, -30.0),
    ]);
    game.apply("GE_Armor", "hero", "hero");
    game.apply("GE_Hit", "hero", "hero");
    let hero = game.id("hero");
    let (mut replica, mut client) = client_of(&game);
    show(&mut replica, &game.sim, hero, RecordVisibility::ALL);
    for name in ["Health", "Armor", "Speed"] {
        replica.remove(hero, PieceKey::Attribute(game.attribute(name)));
    }
    // The sender may round: the value is used unchanged.
    let rounded = Piece::Attribute { base: 100.0, current: 101.0 };
    replica.put(hero, PieceKey::Attribute(game.attribute("Attack")), rounded).unwrap();
    replica.install(&mut client, game.sim.now()).unwrap();
    let local = replica.local(hero).unwrap();
    for name in ["Health", "Armor", "Speed"] {
        let attribute = game.attribute(name);
        let expected = ReadError::NotReplicated { controller: local, attribute };
        assert_eq!(client.value(local, attribute), Err(expected));
        assert_eq!(client.current(local, attribute), None);
    }
    let attack = client.value(local, game.attribute("Attack"));
    assert_eq!(attack, Ok(AttributeValue { base: 100.0, current: 101.0 }));
}

#[test]
fn confirmed_predictions_keep_their_handles_and_others_are_removed() {
    let grant = AbilityGrantDef::new("GA_Bite");
    let rage = EffectDef { granted_abilities: vec![grant], ..EffectDef::lasting("GE_Rage", 9.0) };
    let howl = AbilityDef::new("GA_Howl").task(TaskDef::wait(5.0));
    let (mut game, handles) =
        Game::with_abilities([rage, EffectDef::lasting("GE_Other", 9.0)], [howl, AbilityDef::new("GA_Bite")]);
    let hero = game.id("hero");
    let (mut replica, mut client) = client_of(&game);
    let before = update(&mut replica, &game.sim, hero, &BTreeMap::new());
    replica.install(&mut client, game.sim.now()).unwrap();
    let local = replica.local(hero).unwrap();

    // The client predicts an effect, another one that the server does not confirm, and an activation.
    let key = PredictionKey(77);
    let spec = |sim: &Simulation, effect: &str, on: ControllerId| {
        let effect = sim.catalog().effect(effect).unwrap();
        sim.spec(effect, 1.0, EffectContext::of(on)).unwrap().predicted(key)
    };
    let (rage, other) = (spec(&client, "GE_Rage", local), spec(&client, "GE_Other", local));
    let wrong = client.apply(&other, local).unwrap().active().unwrap();
    let predicted = client.apply(&rage, local).unwrap().active().unwrap();
    let [bite] = client.effect(predicted).unwrap().granted_abilities() else { panic!("no bite") };
    let bite = *bite;
    let howl = replica.local(handles[0]).unwrap();
    let run = client.activate_with(howl, ActivationRequest::default().predicted(key)).unwrap();
    let task = client.tasks_of(local).next().unwrap();
    client.events().for_each(drop);

    // The server does the same later, and something else before it.
    game.apply("GE_Other", "hero", "hero");
    let rage = spec(&game.sim, "GE_Rage", hero);
    let real = game.sim.apply(&rage, hero).unwrap().active().unwrap();
    let real_run = game.sim.activate_with(handles[0], ActivationRequest::default().predicted(key)).unwrap();
    let before = update(&mut replica, &game.sim, hero, &before);
    replica.install(&mut client, game.sim.now()).unwrap();
    assert_eq!(replica.local(real), Some(predicted));
    assert_eq!(replica.local(game.active(real).granted_abilities()[0]), Some(bite));
    assert_eq!(replica.local(real_run), Some(run));
    assert_eq!(replica.local(game.task("hero")), Some(task));
    assert!(client.effect(wrong).is_none() && client.pending_events().len() == 0);
    assert_eq!(client.inconsistencies(), [""; 0]);

    // A mispredicted removal is undone, under the same handle; another object had its index in between.
    client.remove(predicted, Stacks::All).unwrap();
    let stray = client.apply(&spec(&client, "GE_Rage", local), local).unwrap().active().unwrap();
    replica.install(&mut client, game.sim.now()).unwrap();
    assert!(client.effect(predicted).is_some() && client.effect(stray).is_none());
    // If both exist, the newcomer gets another handle.
    client.remove(predicted, Stacks::All).unwrap();
    let taken = client.apply(&spec(&client, "GE_Other", local), local).unwrap().active().unwrap();
    assert_eq!(format!("{predicted:?}").split('v').next(), format!("{taken:?}").split('v').next());
    let other = spec(&game.sim, "GE_Other", hero);
    let newcomer = game.sim.apply(&other, hero).unwrap().active().unwrap();
    let before = update(&mut replica, &game.sim, hero, &before);
    replica.install(&mut client, game.sim.now()).unwrap();
    assert!(client.effect(predicted).is_some() && client.effect(taken).is_none());
    assert!(replica.local(newcomer).is_some_and(|local| local != taken && client.effect(local).is_some()));
    client.remove(predicted, Stacks::All).unwrap();
    let next = client.apply(&spec(&client, "GE_Rage", local), local).unwrap().active().unwrap();
    assert!(![wrong, predicted, stray].contains(&next), "{next:?} was another's");

    // Objects removed on the server are removed here, and later ones get other handles.
    game.sim.remove(real, Stacks::All).unwrap();
    let again = game.activate("GE_Rage", "hero", "hero");
    update(&mut replica, &game.sim, hero, &before);
    replica.install(&mut client, game.sim.now()).unwrap();
    assert_eq!((replica.local(real), replica.remote(predicted)), (None, None));
    let new = replica.local(again).unwrap();
    assert!(![wrong, predicted, stray, next].contains(&new) && client.effect(new).is_some());
}

#[test]
fn controller_that_becomes_visible_again_has_another_handle() {
    let game = Game::of([]);
    let (hero, wolf) = (game.id("hero"), game.id("wolf"));
    let (mut replica, mut client) = client_of(&game);
    for id in [hero, wolf] {
        show(&mut replica, &game.sim, id, RecordVisibility::ALL);
    }
    replica.install(&mut client, game.sim.now()).unwrap();
    let [first, other] = [hero, wolf].map(|id| replica.local(id).unwrap());
    replica.forget(hero);
    replica.install(&mut client, game.sim.now()).unwrap();
    assert!(client.controller(first).is_none() && replica.local(hero).is_none());
    show(&mut replica, &game.sim, hero, RecordVisibility::ALL);
    replica.install(&mut client, game.sim.now()).unwrap();
    let second = replica.local(hero).unwrap();
    assert!(second != first && client.controller(first).is_none());
    assert_eq!((replica.local(wolf), replica.remote(second)), (Some(other), Some(hero)));
    replica.clear();
    replica.install(&mut client, game.sim.now()).unwrap();
    assert_eq!((client.controllers().count(), replica.visibility(hero)), (0, None));
}

#[test]
fn source_that_becomes_visible_is_translated_from_then_on() {
    let mut game = Game::of([EffectDef::infinite("GE_Mark")]);
    let mark = game.activate("GE_Mark", "wolf", "hero");
    let (hero, wolf) = (game.id("hero"), game.id("wolf"));
    let (mut replica, mut client) = client_of(&game);
    show(&mut replica, &game.sim, hero, RecordVisibility::ALL);
    replica.install(&mut client, game.sim.now()).unwrap();
    let mark = replica.local(mark).unwrap();
    assert_eq!(client.effect(mark).unwrap().source(), Some(ControllerId::UNSEEN));
    show(&mut replica, &game.sim, wolf, RecordVisibility::NONE);
    replica.install(&mut client, game.sim.now()).unwrap();
    assert_eq!(client.effect(mark).unwrap().source(), replica.local(wolf));
}

#[test]
fn invalid_pieces_are_rejected() {
    let howl = AbilityDef::new("GA_Howl").task(TaskDef::wait(5.0));
    let (mut game, handles) = Game::with_abilities([EffectDef::infinite("GE_Mark")], [howl]);
    let mark = game.activate("GE_Mark", "hero", "hero");
    let run = game.run(handles[0]);
    let (hero, wolf) = (game.id("hero"), game.id("wolf"));
    let (mut replica, mut client) = client_of(&game);
    show(&mut replica, &game.sim, hero, RecordVisibility::ALL);
    show(&mut replica, &game.sim, wolf, RecordVisibility::ALL);
    let whole = pieces_of(&game.sim, hero, RecordVisibility::ALL);
    let record = |key: PieceKey| whole[&key].clone();
    let (health, mark, run) =
        (PieceKey::Attribute(game.attribute("Health")), PieceKey::Effect(mark), PieceKey::Activation(run));
    let mut check = |id, key, piece, expected: &str| {
        let error = replica.put(id, key, piece).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    };
    let unknown = PieceKey::Attribute(AttributeId::from_index(99));
    check(hero, unknown, Piece::Attribute { base: 1.0, current: 1.0 }, "is not in the catalog");
    check(hero, health, Piece::Attribute { base: f64::NAN, current: 1.0 }, "is not finite");
    check(hero, health, Piece::Tag(1), "another kind");
    check(hero, PieceKey::Tag(TagId::from_index(999)), Piece::Tag(1), "is not in the catalog");
    let tag = PieceKey::Tag(TagId::from_index(0));
    check(hero, tag, Piece::Tag(0), "a count is zero");
    check(hero, tag, Piece::Tag(256), "larger than the maximum");
    check(hero, mark, Piece::Record(Box::new([200, 1])), "the definition of an effect does not exist");
    check(hero, mark, Piece::Record(Box::new([])), "the bytes end");
    check(wolf, mark, record(mark), "is on controller0v1 already");
    check(wolf, PieceKey::Head, record(PieceKey::Head), "has the number of Head");
    check(
        ControllerId::UNSEEN,
        PieceKey::Head,
        record(PieceKey::Head),
        "no simulation has such a controller",
    );
    check(hero, PieceKey::Task(TaskId::UNSEEN), record(PieceKey::Task(game.task("hero"))), "too large");
    check(hero, run, record(mark), "cannot be read");
    // The rejected pieces have changed nothing.
    replica.install(&mut client, game.sim.now()).unwrap();
    assert_eq!(client.inconsistencies(), [""; 0]);
    assert_eq!(client.controller(replica.local(hero).unwrap()).unwrap().activations().len(), 1);
    let other = Game::of([EffectDef::infinite("GE_Other")]);
    let mut foreign = other.sim.clone();
    let error = replica.install(&mut foreign, game.sim.now()).unwrap_err();
    assert!(matches!(error, ReplicaError::ForeignCatalog { .. }));
    assert_eq!(foreign.state_hash(), other.sim.state_hash());
}

#[test]
fn inconsistent_pieces_are_skipped_until_they_fit() {
    let howl = AbilityDef::new("GA_Howl").task(TaskDef::wait(5.0));
    let (mut game, handles) = Game::with_abilities([EffectDef::lasting("GE_Mark", 3.0)], [howl]);
    game.pass(1.0);
    let mark = game.activate("GE_Mark", "hero", "hero");
    let run = game.run(handles[0]);
    let task = game.task("hero");
    let hero = game.id("hero");
    let (mut replica, mut client) = client_of(&game);
    let pieces = pieces_of(&game.sim, hero, RecordVisibility::ALL);
    let mut now = game.sim.now();
    let mut check = |without: PieceKey, runs: usize, abilities: usize| {
        replica.remove(hero, without);
        for (key, piece) in pieces.iter().filter(|(key, _)| **key != without) {
            replica.put(hero, *key, piece.clone()).unwrap();
        }
        replica.install(&mut client, now).unwrap();
        assert_eq!(client.inconsistencies(), [""; 0]);
        let local = replica.local(hero);
        let found = local.map(|local| client.controller(local).unwrap());
        let found = found.map(|found| (found.activations().len(), found.abilities().len()));
        assert_eq!(found.unwrap_or((0, 0)), (runs, abilities), "{without:?}");
    };
    check(PieceKey::Placement, 1, 1);
    check(PieceKey::Task(task), 0, 1);
    check(PieceKey::Activation(run), 0, 1);
    check(PieceKey::Ability(handles[0]), 0, 0);
    check(PieceKey::Head, 0, 0);
    check(PieceKey::Inputs, 1, 1);
    // Before its start it is not installed; after its end it ends.
    let mark = replica.local(mark).unwrap();
    assert!(client.effect(mark).is_some());
    replica.install(&mut client, Time::from_seconds(0.5)).unwrap();
    assert!(client.effect(mark).is_none() && client.inconsistencies().is_empty());
    now = Time::from_seconds(5.0);
    replica.install(&mut client, now).unwrap();
    assert_eq!(client.effect(mark).unwrap().remaining(now), Some(Span::ZERO));
    client.advance(Span::from_micros(1));
    assert!(client.effect(mark).is_none() && client.inconsistencies().is_empty());
}

/// An effect with a frozen capture of the source or the target that does not show in the magnitude.
fn frozen(name: &str, from: CaptureFrom, attribute: &str) -> EffectDef {
    let magnitude = AttributeMagnitudeDef {
        capture: CaptureTime::OnApplication,
        coefficient: 0.0,
        post_add: 1.0,
        ..AttributeMagnitudeDef::new(from, attribute)
    };
    EffectDef::lasting(name, 9.0).modify("Health", Operation::Add, MagnitudeDef::Attribute(magnitude.into()))
}

#[test]
fn frozen_captures_are_sent_to_their_owner_only() {
    let own = frozen("GE_OfSource", CaptureFrom::Source, "Attack");
    let mut game = Game::of([own, frozen("GE_OfTarget", CaptureFrom::Target, "Attack")]);
    let mut is_sent = |effect: &str, source: &str, visibility| {
        let active = game.activate(effect, source, "hero");
        let value = to_bytes(&game.current(source, "Attack"));
        let pieces = pieces_of(&game.sim, game.id("hero"), visibility);
        let Piece::Record(bytes) = &pieces[&PieceKey::Effect(active)] else { panic!("no record") };
        bytes.windows(value.len()).any(|window| window == value)
    };
    assert!(is_sent("GE_OfSource", "hero", RecordVisibility::ALL));
    assert!(is_sent("GE_OfTarget", "hero", RecordVisibility::ALL));
    assert!(!is_sent("GE_OfSource", "wolf", RecordVisibility::ALL));
    assert!(!is_sent("GE_OfSource", "hero", RecordVisibility::EFFECTS));
    assert!(!is_sent("GE_OfTarget", "hero", RecordVisibility::EFFECTS));
}

#[test]
fn redacted_piece_does_not_refer_to_invisible_controllers() {
    let mut game = Game::of([EffectDef::lasting("GE_Slow", 30.0)]);
    let (hero, wolf) = (game.id("hero"), game.id("wolf"));
    let context = EffectContext::of(wolf).caused_by(ActorId(77)).at([1.0, 2.0, 3.0]);
    let slow = game.sim.catalog().effect("GE_Slow").unwrap();
    let spec = game.sim.spec(slow, 1.0, context).unwrap();
    game.apply_spec(&spec, "hero");
    let active = *game.sim.controller(hero).unwrap().effects().last().unwrap();
    let key = PieceKey::Effect(active);
    let mut named = Vec::new();
    game.sim.referenced_controllers(hero, key, |id| named.push(id));
    assert_eq!(named, [wolf]);
    let mut scratch = PieceScratch::default();
    let whole = game.sim.redacted(hero, key, RecordVisibility::ALL, &mut scratch, |_| true).unwrap();
    assert_eq!(whole, pieces_of(&game.sim, hero, RecordVisibility::ALL)[&key]);
    let redacted =
        game.sim.redacted(hero, key, RecordVisibility::ALL, &mut scratch, |id| id != wolf).unwrap();
    let (mut replica, mut client) = client_of(&game);
    show(&mut replica, &game.sim, hero, RecordVisibility::ALL);
    show(&mut replica, &game.sim, wolf, RecordVisibility::ALL);
    replica.put(hero, key, redacted).unwrap();
    replica.install(&mut client, game.sim.now()).unwrap();
    let context = client.effect(replica.local(active).unwrap()).unwrap().spec().context();
    assert_eq!(*context, EffectContext::of(ControllerId::UNSEEN));
}

/// N1: pieces of two games that differ only in a hidden controller are equal, whether it is a first target, a
/// target of an awaited event, or a target of the event that a repeated wait received last (A10, A11).
#[test]
fn redacted_activation_does_not_depend_on_invisible_controllers() {
    let piece = |named: &str, hidden: bool| {
        let on_event = |once| TaskDef::Wait(WaitDef::Event { tag: "Event.Hit".into(), exact: false, once });
        let listen = AbilityDef::new("GA_Listen").task(on_event(true)).task(on_event(false));
        let (mut game, handles) =
            Game::with_abilities([tagging("Event.Hit")], [listen.task(TaskDef::wait(5.0))]);
        game.spawn("bear", "Unit");
        let (hero, secret, hit) = (game.id("hero"), game.id(named), game.tag("Event.Hit"));
        let activation =
            game.sim.activate_with(handles[0], ActivationRequest::on(secret)).unwrap_or_else(|_| panic!());
        for _ in 0..2 {
            let event = GameplayEvent { target: Some(hero), ..GameplayEvent::new(hit) };
            let event = event.with_target_data(TargetData::from(secret));
            game.sim.send_event(hero, event).unwrap();
        }
        let key = PieceKey::Activation(activation);
        let mut referenced = Vec::new();
        game.sim.referenced_controllers(hero, key, |id| referenced.push(id));
        assert!(referenced.contains(&secret), "{referenced:?}");
        let (wolf, bear) = (game.id("wolf"), game.id("bear"));
        let sees = |id| !hidden || (id != wolf && id != bear);
        game.sim.redacted(hero, key, RecordVisibility::ALL, &mut PieceScratch::default(), sees).unwrap()
    };
    assert_ne!(piece("wolf", false), piece("bear", false));
    assert_eq!(piece("wolf", true), piece("bear", true));
}

#[test]
fn random_streams_do_not_leave_the_server() {
    let wild = EffectDef::lasting("GE_Wild", 9.0).modify(
        "Attack",
        Operation::Add,
        MagnitudeDef::expression("rand() * 100"),
    );
    let records = |seed: u64| {
        let mut game = Game::configured(Config::seeded(seed), |builder| builder.effect(wild.clone()));
        let wild = game.activate("GE_Wild", "wolf", "hero");
        let magnitude = game.active(wild).magnitudes()[0];
        let pieces = pieces_of(&game.sim, game.id("hero"), RecordVisibility::ALL);
        let Piece::Record(bytes) = &pieces[&PieceKey::Effect(wild)] else { panic!("no record") };
        // The rolled value is written; the stream is not.
        let rolled = to_bytes(&magnitude);
        let at = bytes.windows(rolled.len()).position(|window| window == rolled).unwrap();
        [&bytes[..at], &bytes[at + rolled.len()..]].concat()
    };
    assert_eq!(records(1), records(2));
}

#[test]
fn shared_dice_continue_on_the_client() {
    let lucky = MagnitudeDef::expression("rand() * 100");
    let mut lucky =
        EffectDef::lasting("GE_Lucky", 9.0).every(1.0).modify("Health", Operation::Override, lucky);
    // One tick more than the elapsed time gives.
    lucky.period.as_mut().unwrap().execute_on_application = true;
    let roll = TaskDef::Act(ActionDef::SetParameter { name: "Roll".into(), value: "rand()".into() });
    let gamble = AbilityDef::new("GA_Gamble")
        .task(roll.clone())
        .task(TaskDef::wait(1.0))
        .task(roll)
        .task(TaskDef::wait(5.0))
        .randomness(Randomness::Predicted);
    let (mut game, handles) = Game::with_abilities([lucky.randomness(Randomness::Predicted)], [gamble]);
    let (hero, key) = (game.id("hero"), PredictionKey::new(3, 1));
    let spec = game.spec("GE_Lucky", "hero").predicted(key);
    game.apply_spec(&spec, "hero");
    let run = game.sim.activate_with(handles[0], ActivationRequest::default().predicted(key)).unwrap();
    let (mut replica, mut client) = client_of(&game);
    show(&mut replica, &game.sim, hero, RecordVisibility::ALL);
    replica.install(&mut client, game.sim.now()).unwrap();
    game.pass(3.0);
    client.advance(Span::seconds(3.0));
    let health = game.attribute("Health");
    let local = replica.local(hero).unwrap();
    assert_ne!(client.current(local, health), Some(100.0));
    assert_eq!(client.current(local, health), game.sim.current(hero, health));
    let rolled = |sim: &Simulation, handle| sim.ability(handle).and_then(|ability| ability.parameter("Roll"));
    assert!(rolled(&game.sim, handles[0]).is_some());
    assert_eq!(rolled(&client, replica.local(handles[0]).unwrap()), rolled(&game.sim, handles[0]));
    assert!(client.activation(replica.local(run).unwrap()).is_some());
}

#[test]
fn controller_without_visible_effects_is_marked_as_shown() {
    let game = Game::of([]);
    let (mut replica, mut client) = client_of(&game);
    show(&mut replica, &game.sim, game.id("hero"), RecordVisibility::ALL);
    show(&mut replica, &game.sim, game.id("wolf"), RecordVisibility::NONE);
    replica.install(&mut client, game.sim.now()).unwrap();
    let known = |name: &str| client.known(replica.local(game.id(name)).unwrap());
    assert_eq!([known("hero"), known("wolf")], [Knowledge::Whole, Knowledge::Shown]);
}

/// A context with only a location, as of an ability that is aimed at the ground: cues are shown there.
#[test]
fn origin_of_an_effect_is_replicated() {
    let mut game = Game::of([EffectDef::lasting("GE_Slow", 30.0)]);
    let (hero, slow) = (game.id("hero"), game.sim.catalog().effect("GE_Slow").unwrap());
    let contexts = [
        EffectContext::of(hero).at([1.0, 2.0, 3.0]),
        EffectContext::of(hero).caused_by(ActorId(4)),
        EffectContext::of(hero).from_object(ActorId(5)),
        EffectContext::of(hero),
    ];
    for context in contexts {
        let spec = game.sim.spec(slow, 1.0, context.clone()).unwrap();
        let active = game.sim.apply(&spec, hero).unwrap().active().unwrap();
        let (mut replica, mut client) = client_of(&game);
        show(&mut replica, &game.sim, hero, RecordVisibility::ALL);
        replica.install(&mut client, game.sim.now()).unwrap();
        let seen = client.effect(replica.local(active).unwrap()).unwrap().spec().context().clone();
        assert_eq!(
            (seen.origin(), seen.causer(), seen.source_object()),
            (context.origin(), context.causer(), context.source_object())
        );
    }
}
