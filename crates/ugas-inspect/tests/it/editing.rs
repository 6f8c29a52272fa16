//! Edits: executed by the host, and only if it allows them.

use serde_json::json;
use ugas_core::time::Span;
use ugas_inspect::{Inspector, Settings};
use ugas_replay::{Player, Recorder, Recording, Settings as RecordSettings};

use crate::client::Client;
use crate::{game, id};

#[test]
fn read_only_inspector_refuses_edits_and_pace() {
    let inspector = Inspector::serve("127.0.0.1:0").unwrap();
    let (mut simulation, wolf) = game();
    let mut client = Client::open(inspector.address());
    client.answer(json!({ "request": "hello" }));
    inspector.observe(&simulation);
    let apply =
        json!({ "request": "edit", "command": "apply", "controller": id(wolf), "effect": "GE_Poison" });
    assert_eq!(client.error(apply), "forbidden");
    assert_eq!(client.error(json!({ "request": "pace", "paused": true })), "forbidden");
    assert_eq!(inspector.perform(|command| simulation.execute(command)), 0);
    assert!(!inspector.pace().paused);
}

#[test]
fn edits_are_executed_by_the_host_and_recorded() {
    let inspector = Inspector::serve_with("127.0.0.1:0", Settings::default().allow_edit()).unwrap();
    let (mut simulation, wolf) = game();
    let mut recorder = Recorder::new(Vec::new(), &simulation, RecordSettings::default()).unwrap();
    let mut client = Client::open(inspector.address());
    client.answer(json!({ "request": "hello" }));
    inspector.observe(&simulation);
    while client.answer(json!({ "request": "hello" }))["head"]["moments"] == 0 {}
    let edit = |fields: serde_json::Value| {
        let mut request = json!({ "request": "edit" });
        request.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        request
    };
    client.answer(edit(
        json!({ "command": "set-base", "controller": id(wolf), "attribute": "Strength", "value": 20 }),
    ));
    client.answer(edit(json!({ "command": "activate", "controller": id(wolf), "ability": "GA_Strike" })));
    client.answer(edit(json!({ "command": "spawn", "template": "Hero" })));
    for wrong in [
        json!({ "command": "dance" }),
        json!({ "command": "spawn", "template": "Dragon" }),
        json!({ "command": "apply", "effect": "GE_Poison" }),
    ] {
        assert_eq!(client.error(edit(wrong.clone())), "bad-request", "{wrong}");
    }
    assert_eq!(inspector.perform(|command| recorder.execute(&mut simulation, command)), 3);
    recorder.advance(&mut simulation, Span::seconds(1.0));
    let strength = simulation.catalog().attribute("Strength").unwrap();
    // (20 + 5) × 1.5
    assert_eq!(simulation.current(wolf, strength), Some(37.5));
    assert_eq!(simulation.controllers().count(), 3);
    let lines = client.answer(json!({ "request": "console" }))["lines"].clone();
    assert_eq!(lines[0]["text"], "spawn Hero");
    assert!(lines[1]["error"].is_string(), "there is not enough mana: {lines}");
    assert!(lines[2]["error"].is_null(), "{lines}");
    // The effect that was defined to set the base keeps its name until its event was shown, and is forgotten
    // then.
    inspector.observe(&simulation);
    while client.answer(json!({ "request": "hello" }))["head"]["moments"] == 1 {}
    let set = client.answer(json!({ "request": "events", "search": "by Inspector.SetBase.Strength" }));
    assert_eq!(set["events"].as_array().unwrap().len(), 1, "{set}");
    let before = simulation.snapshot().to_bytes().len();
    inspector.perform(|command| recorder.execute(&mut simulation, command));
    assert!(simulation.snapshot().to_bytes().len() < before, "it is still there");
    let bytes = recorder.finish(&simulation).unwrap();
    let mut player = Player::new(Recording::open(std::io::Cursor::new(bytes)).unwrap()).unwrap();
    player.seek_tick(u64::MAX).unwrap();
    assert_eq!(player.simulation().current(wolf, strength), Some(37.5));
}

#[test]
fn pace_request_is_reported_to_the_host() {
    let inspector = Inspector::serve_with("127.0.0.1:0", Settings::default().allow_edit()).unwrap();
    let mut client = Client::open(inspector.address());
    client.answer(json!({ "request": "pace", "paused": true, "steps": 2 }));
    assert!(inspector.pace().paused);
    assert_eq!([inspector.take_step(), inspector.take_step(), inspector.take_step()], [true, true, false]);
    client.answer(json!({ "request": "pace", "paused": false, "speed": 4 }));
    assert_eq!((inspector.pace().paused, inspector.pace().speed), (false, 4.0));
    // Steps that were requested while the game ran are not taken later.
    client.answer(json!({ "request": "pace", "steps": 3 }));
    client.answer(json!({ "request": "pace", "paused": true }));
    assert!(!inspector.take_step());
    // An invalid request changes nothing.
    assert_eq!(
        client.error(json!({ "request": "pace", "paused": false, "speed": 1, "steps": -1 })),
        "bad-request"
    );
    assert_eq!((inspector.pace().paused, inspector.pace().speed), (true, 4.0));
    for wrong in
        [json!({ "speed": 0 }), json!({ "speed": -1 }), json!({ "paused": 1 }), json!({ "steps": -1 })]
    {
        let mut request = json!({ "request": "pace" });
        request.as_object_mut().unwrap().extend(wrong.as_object().unwrap().clone());
        assert_eq!(client.error(request), "bad-request", "{wrong}");
    }
}

#[test]
fn fixed_pace_refuses_pace_requests() {
    let settings = Settings::default().allow_edit().fixed_pace();
    let inspector = Inspector::serve_with("127.0.0.1:0", settings).unwrap();
    let mut client = Client::open(inspector.address());
    let hello = client.answer(json!({ "request": "hello" }));
    assert_eq!((&hello["edit"], &hello["pace"]), (&json!(true), &json!(false)));
    assert_eq!(client.error(json!({ "request": "pace", "paused": true })), "forbidden");
    assert!(!inspector.pace().paused);
}

#[test]
fn edit_queue_is_limited() {
    let inspector = Inspector::serve_with("127.0.0.1:0", Settings::default().allow_edit()).unwrap();
    let (mut simulation, _) = game();
    let mut client = Client::open(inspector.address());
    client.answer(json!({ "request": "hello" }));
    inspector.observe(&simulation);
    while client.answer(json!({ "request": "hello" }))["head"]["moments"] == 0 {}
    let spawn = || json!({ "request": "edit", "command": "spawn", "template": "Hero" });
    for _ in 0..256 {
        client.answer(spawn());
    }
    assert_eq!(client.error(spawn()), "busy");
    assert_eq!(inspector.perform(|command| simulation.execute(command)), 256);
    client.answer(spawn());
}
