//! Requests and answers: the values of a game, and their explanations.

use std::time::{Duration, Instant};

use serde_json::json;
use ugas_core::ability::{AbilityDef, GameplayEvent, Grant, ParameterDef, TriggerOn};
use ugas_core::attribute::{AttributeDef, AttributeSetDef};
use ugas_core::catalog::Catalog;
use ugas_core::controller::ControllerDef;
use ugas_core::effect::EffectDef;
use ugas_core::modifier::Operation;
use ugas_core::simulation::{Config, Simulation};
use ugas_core::task::TaskDef;
use ugas_core::time::Span;
use ugas_inspect::{ClientReport, Correction, CorrectionCause, Difference, Inspector, PROTOCOL};

use crate::client::Client;
use crate::{catalog, game, id};

/// Shows the game, and waits until the inspector has processed it.
fn shown(inspector: &Inspector, simulation: &Simulation) -> Client {
    let mut client = Client::open(inspector.address());
    client.answer(json!({ "request": "hello" }));
    inspector.observe(simulation);
    while client.answer(json!({ "request": "hello" }))["head"]["moments"] == 0 {}
    client
}

#[test]
fn page_is_served_and_hello_names_the_protocol() {
    let inspector = Inspector::serve("127.0.0.1:0").unwrap();
    assert_eq!(inspector.url(), format!("http://{}/", inspector.address()));
    let (status, page) = crate::client::get(inspector.address(), "/");
    assert_eq!(status, 200);
    assert!(page.contains("<title>UGAS inspector</title>"), "{page}");
    assert!(page.to_lowercase().contains("content-security-policy: default-src 'none'"), "{page}");
    let hello = Client::open(inspector.address()).answer(json!({ "request": "hello" }));
    assert_eq!(hello["protocol"], json!(PROTOCOL));
    assert_eq!((&hello["live"], &hello["edit"]), (&json!(true), &json!(false)));
}

#[test]
fn world_lists_and_filters_controllers() {
    let inspector = Inspector::serve("127.0.0.1:0").unwrap();
    let (simulation, wolf) = game();
    let mut client = shown(&inspector, &simulation);
    inspector.name(wolf, "Grey");
    let world = client.answer(json!({ "request": "world", "attribute": "Strength" }));
    assert_eq!((&world["controllers"], &world["matching"]), (&json!(2), &json!(2)));
    assert_eq!(world["rows"][0]["name"], "Grey");
    assert_eq!(world["rows"][0]["value"]["current"], json!(22.5)); // (10 + 5) × 1.5
    let mut names = |fields: serde_json::Value| {
        let mut request = json!({ "request": "world" });
        request.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let world = client.answer(request);
        let rows = world["rows"].as_array().unwrap().clone();
        rows.iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(json!({ "tags": "State.Poisoned" })), ["Grey"]);
    assert_eq!(names(json!({ "tags": "!State.Poisoned" })), ["Hero 1"]);
    assert_eq!(names(json!({ "tags": "Item.Sword|State Kind" })), ["Grey"]);
    assert_eq!(names(json!({ "template": "Hero" })), ["Hero 1"]);
    assert_eq!(names(json!({ "search": "gre" })), ["Grey"]);
    assert_eq!(names(json!({ "offset": 1, "limit": 1 })), ["Hero 1"]);
    for wrong in [
        json!({ "tags": "No.Such" }),
        json!({ "template": "Dragon" }),
        json!({ "attribute": "Luck" }),
        json!({ "limit": -1 }),
    ] {
        let mut request = json!({ "request": "world" });
        request.as_object_mut().unwrap().extend(wrong.as_object().unwrap().clone());
        assert_eq!(client.error(request), "bad-request", "{wrong}");
    }
}

#[test]
fn value_is_explained_term_by_term() {
    let inspector = Inspector::serve("127.0.0.1:0").unwrap();
    let (simulation, wolf) = game();
    let mut client = shown(&inspector, &simulation);
    let answer =
        client.answer(json!({ "request": "explain", "controller": id(wolf), "attribute": "Strength" }));
    assert_eq!((&answer["base"], &answer["current"]), (&json!(10.0), &json!(22.5)));
    let bars: Vec<(&str, f64, f64)> = answer["waterfall"]
        .as_array()
        .unwrap()
        .iter()
        .map(|bar| {
            (bar["label"].as_str().unwrap(), bar["from"].as_f64().unwrap(), bar["to"].as_f64().unwrap())
        })
        .collect();
    // Sums before products, although the rage came first.
    let expected =
        [("Base", 0.0, 10.0), ("GE_Sword", 10.0, 15.0), ("GE_Rage", 15.0, 22.5), ("Current", 0.0, 22.5)];
    assert_eq!(bars, expected);
}

#[test]
fn controller_lists_tags_effects_and_obstacles() {
    let inspector = Inspector::serve("127.0.0.1:0").unwrap();
    let (simulation, wolf) = game();
    let mut client = shown(&inspector, &simulation);
    let page = client.answer(json!({ "request": "controller", "controller": id(wolf) }));
    let poison =
        page["effects"].as_array().unwrap().iter().find(|effect| effect["name"] == "GE_Poison").unwrap();
    assert_eq!((&poison["duration"], &poison["period"]), (&json!(10.0), &json!(1.0)));
    let tags = page["tags"].as_array().unwrap();
    let by = |name: &str| tags.iter().find(|tag| tag["name"] == name).unwrap()["by"][0].clone();
    assert_eq!(by("Item.Sword")["name"], "GE_Sword");
    // Tags of a template come from an effect of its own.
    assert!(by("Kind.Beast")["active"].is_string());
    // 10 - 20 is below 0.
    let ability = &page["abilities"][0];
    assert_eq!(ability["obstacles"][0], "`Mana` would be -10 and must not fall below 0");
    let checks = client.answer(json!({ "request": "checks", "ability": ability["handle"] }));
    assert_eq!(checks["allowed"], json!(false));
    let verdict = |name: &str| {
        let checks = checks["checks"].as_array().unwrap();
        checks.iter().find(|check| check["check"] == name).unwrap()["verdict"].clone()
    };
    assert_eq!([verdict("granted"), verdict("cost"), verdict("charges")], ["pass", "fail", "none"]);
}

#[test]
fn abilities_have_typed_parameters_and_activations_their_numbers() {
    let ability = AbilityDef::new("GA_Answer").triggered(TriggerOn::Event, "Event.Howl");
    let ability = ability.task(TaskDef::wait(5.0));
    let ability = ability.with_parameter("Power", 2.5).with_parameter("Loud", true);
    let ability = ability.with_parameter("Song", ParameterDef::text("three notes"));
    let catalog = Catalog::builder()
        .tags(["Event.Howl"])
        .ability(ability.with_parameter("Answer", ParameterDef::tag("Event.Howl")))
        .template(ControllerDef::new("Wolf"))
        .build()
        .unwrap();
    let mut simulation = Simulation::new(catalog, Config::default());
    let wolf = simulation.spawn("Wolf").unwrap();
    let answer = simulation.catalog().ability("GA_Answer").unwrap();
    simulation.grant_with(wolf, Grant::new(answer).parameter("Power", 4.0)).unwrap();
    let howl = GameplayEvent::new(simulation.catalog().tag("Event.Howl").unwrap()).with_payload("Pitch", 3.0);
    simulation.send_event(wolf, GameplayEvent { magnitude: 7.0, ..howl }).unwrap();

    let inspector = Inspector::serve("127.0.0.1:0").unwrap();
    let mut client = shown(&inspector, &simulation);
    let page = client.answer(json!({ "request": "controller", "controller": id(wolf) }));
    let parameters = json!({ "Power": 4.0, "Loud": true, "Song": "three notes", "Answer": "Event.Howl" });
    assert_eq!(page["abilities"][0]["parameters"], parameters);
    assert_eq!(page["runs"][0]["numbers"], json!({ "Event.Magnitude": 7.0, "Event.Payload.Pitch": 3.0 }));
}

#[test]
fn past_moments_and_events_are_kept() {
    let inspector = Inspector::serve("127.0.0.1:0").unwrap();
    let (mut simulation, wolf) = game();
    let mut client = shown(&inspector, &simulation);
    simulation.events().for_each(drop);
    for tick in 1..=3u64 {
        simulation.advance(Span::seconds(1.0));
        inspector.observe_timed(&simulation, Duration::from_millis(tick));
        simulation.events().for_each(drop);
        while client.answer(json!({ "request": "hello" }))["head"]["moments"] != json!(tick + 1) {}
    }
    // Each moment has its own tick time; the first has none, because the host did not report it.
    let work = |at: u64| json!({ "request": "world", "at": at });
    assert_eq!(
        [0, 1, 2, 3].map(|at| client.answer(work(at))["tickMilliseconds"].clone()),
        [json!(null), json!(1.0), json!(2.0), json!(3.0)]
    );
    let health = |client: &mut Client, at: u64| {
        let explain =
            json!({ "request": "explain", "controller": id(wolf), "attribute": "Health", "at": at });
        client.answer(explain)["current"].clone()
    };
    // Ticks at 1, 2 and 3 s.
    assert_eq!(
        [0, 1, 2, 3].map(|at| health(&mut client, at)),
        [100.0, 95.0, 90.0, 85.0].map(|value| json!(value))
    );
    let events = client.answer(json!({ "request": "events", "categories": ["attribute"], "at": 2 }));
    let texts: Vec<&str> =
        events["events"].as_array().unwrap().iter().map(|event| event["text"].as_str().unwrap()).collect();
    assert_eq!(
        texts[..2],
        [
            "Wolf 0 Health 95 -> 90 (base 95 -> 90) by GE_Poison",
            "Wolf 0 Health 100 -> 95 (base 100 -> 95) by GE_Poison"
        ]
    );
    // Back to where the poison came from.
    let chain = client.answer(json!({ "request": "chain", "sequence": events["events"][0]["sequence"] }));
    let kinds: Vec<&str> =
        chain["links"].as_array().unwrap().iter().map(|link| link["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["AttributeChanged", "EffectExecuted", "EffectApplied"]);
    let diff = client.answer(json!({ "request": "compare", "with": 1, "at": 3 }));
    let differences = diff["differences"].as_array().unwrap();
    assert!(
        differences.iter().any(|line| line["left"] == json!(95.0) && line["right"] == json!(85.0)),
        "{diff}"
    );
    assert_eq!(client.error(json!({ "request": "world", "at": 4 })), "not-there");
    let moments = client.answer(json!({ "request": "moments" }));
    assert_eq!(moments["times"], json!([0.0, 1.0, 2.0, 3.0]));
}

#[test]
fn observe_without_watchers_is_cheap() {
    let inspector = Inspector::serve("127.0.0.1:0").unwrap();
    let (simulation, _) = game();
    let began = Instant::now();
    for _ in 0..1_000_000 {
        inspector.observe(&simulation);
    }
    let each = began.elapsed().as_nanos() / 1_000_000;
    // A copy of the state takes thousands of nanoseconds; without watchers only a counter is read.
    eprintln!("{each} ns");
    assert!(each < 1_000, "{each} ns");
    assert!(!inspector.is_watched());
}

#[test]
fn network_shows_the_reports_of_the_host() {
    let inspector = Inspector::serve("127.0.0.1:0").unwrap();
    let (simulation, _) = game();
    let mut client = shown(&inspector, &simulation);
    assert_eq!(client.answer(json!({ "request": "network" }))["clients"], json!([]));
    let report = ClientReport {
        name: "client 1".to_owned(),
        round_trip: Some(210.0),
        corrected: Some(3),
        rejections: vec![("it came too late".to_owned(), 2)],
        received_classes: vec![("own state".to_owned(), 300), ("cues".to_owned(), 100)],
        corrections: vec![Correction {
            time: simulation.now(),
            cause: CorrectionCause::Rejected {
                command: "GA_Strike".to_owned(),
                reason: "it came too late".to_owned(),
            },
            differences: vec![Difference {
                what: "Mana".to_owned(),
                predicted: "2".to_owned(),
                actual: "10".to_owned(),
            }],
        }],
        ..ClientReport::default()
    };
    inspector.report_network(simulation.now(), [report]);
    let answer = client.answer(json!({ "request": "network" }));
    assert_eq!(answer["clients"][0]["roundTripMilliseconds"], json!(210.0));
    assert_eq!(answer["clients"][0]["rejections"], json!([{ "reason": "it came too late", "count": 2 }]));
    let now = simulation.now().as_seconds();
    assert_eq!(answer["clients"][0]["samples"], json!([[now, 210.0, 0, 0, 3]]));
    let classes = json!([{ "class": "own state", "bytes": 300 }, { "class": "cues", "bytes": 100 }]);
    assert_eq!(answer["clients"][0]["receivedByClass"], classes);
    let correction = json!([{
        "time": now,
        "cause": "rejected",
        "command": "GA_Strike",
        "reason": "it came too late",
        "differences": [{ "what": "Mana", "predicted": "2", "actual": "10" }],
    }]);
    assert_eq!(answer["clients"][0]["corrections"], correction);
    // Unknown values are null, not 0.
    assert_eq!(answer["clients"][0]["confirmed"], json!(null));
    assert_eq!(client.answer(json!({ "request": "hello" }))["head"]["clients"], json!(1));
}

#[test]
fn each_activation_has_its_own_cause() {
    let catalog = Catalog::builder()
        .attribute_set(AttributeSetDef::new("Combat").with(AttributeDef::new("Health", 100.0)))
        .effect(EffectDef::instant("GE_Hit").modify("Health", Operation::Add, -10.0))
        .ability(
            AbilityDef::new("GA_Strike").task(TaskDef::wait(0.5)).task(TaskDef::apply_to_owner("GE_Hit")),
        )
        .template(ControllerDef::new("Hero").with_set("Combat"))
        .build()
        .unwrap();
    let mut simulation = Simulation::new(catalog.clone(), Config::default());
    let hero = simulation.spawn("Hero").unwrap();
    let grant = Grant::new(catalog.ability("GA_Strike").unwrap()).input("Strike");
    simulation.grant_with(hero, grant).unwrap();
    for _ in 0..2 {
        simulation.press(hero, "Strike").unwrap();
        simulation.release(hero, "Strike").unwrap();
        simulation.advance(Span::seconds(1.0));
    }
    let inspector = Inspector::serve("127.0.0.1:0").unwrap();
    let mut client = shown(&inspector, &simulation);
    let hits = client.answer(json!({ "request": "events", "search": "Health" }))["events"].clone();
    assert_eq!(hits.as_array().unwrap().len(), 2, "{hits}");
    // Damage, effect, ability, input: of the second hit at 1.5 s, and of the first at 0.5 s.
    for (hit, began) in [(&hits[0], 1.0), (&hits[1], 0.0)] {
        let chain =
            client.answer(json!({ "request": "chain", "sequence": hit["sequence"] }))["links"].clone();
        let links = chain.as_array().unwrap().iter();
        let links: Vec<(&str, f64)> =
            links.map(|link| (link["kind"].as_str().unwrap(), link["time"].as_f64().unwrap())).collect();
        let expected = [
            ("AttributeChanged", began + 0.5),
            ("EffectExecuted", began + 0.5),
            ("AbilityActivated", began),
            ("InputPressed", began),
        ];
        assert_eq!(links, expected);
    }
}

/// A game of many wolves, with two moments.
fn crowd(wolves: usize) -> (Inspector, Client) {
    let mut simulation = Simulation::new(catalog(), Config::seeded(7));
    let poison = simulation.catalog().effect("GE_Poison").unwrap();
    for _ in 0..wolves {
        let wolf = simulation.spawn("Wolf").unwrap();
        simulation.apply_effect(poison, None, wolf).unwrap();
    }
    let inspector = Inspector::serve("127.0.0.1:0").unwrap();
    let mut client = Client::open(inspector.address());
    client.answer(json!({ "request": "hello" }));
    for moments in 1..=2 {
        simulation.advance(Span::seconds(1.0));
        inspector.observe(&simulation);
        while client.answer(json!({ "request": "hello" }))["head"]["moments"] != json!(moments) {}
    }
    (inspector, client)
}

#[test]
fn long_request_does_not_delay_other_clients() {
    let (inspector, mut client) = crowd(2_000);
    let mut other = Client::open(inspector.address());
    other.answer(json!({ "request": "hello" }));
    for question in [json!({ "request": "export" }), json!({ "request": "compare", "with": 0 })] {
        let began = Instant::now();
        client.answer(question.clone());
        let alone = began.elapsed();
        // The machine may be busy, so one of a few tries must succeed. If requests were answered one after
        // the other, none would.
        let is_answered_meanwhile = (0..10).any(|_| {
            client.send(&question.to_string());
            // Until the request has arrived and the state was copied.
            std::thread::sleep(alone / 4);
            let began = Instant::now();
            other.answer(json!({ "request": "hello" }));
            let waited = began.elapsed();
            while client.receive().expect("the connection is open")["head"].is_object() {}
            waited < alone / 4
        });
        assert!(is_answered_meanwhile, "{question} takes {alone:?} and delays other clients");
    }
}

#[test]
fn disconnected_clients_free_their_jobs() {
    let (inspector, mut client) = crowd(200);
    for _ in 0..40 {
        // Connections with a running job still count, so some are refused.
        if let Ok(mut hasty) = Client::try_open(inspector.address(), "/socket", &[]) {
            hasty.send(&json!({ "id": 1, "request": "export" }).to_string());
        }
    }
    // While the queue is full the answer is `busy`; the jobs of disconnected clients are skipped in time.
    let until = Instant::now() + Duration::from_secs(60);
    while client.ask(json!({ "request": "export" }))["answer"]["exact"] != json!(true) {
        assert!(Instant::now() < until);
    }
}
