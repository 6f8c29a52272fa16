//! Events reach observers, messages, and named handlers, in order and with updated components.

use bevy_app::App;
use bevy_ecs::message::MessageCursor;
use bevy_ecs::prelude::*;
use bevy_ugas::event::*;
use bevy_ugas::prelude::*;
use bevy_ugas::{Attributes, TagChange};
use ugas::TaskOutcome;

use crate::fixture::*;

fn notes(app: &mut App) -> Notes {
    let notes = Notes::default();
    app.insert_resource(notes.clone());
    notes
}

fn messages<M: Message + Clone>(app: &App, cursor: &mut MessageCursor<M>) -> Vec<M> {
    cursor.read(app.world().resource::<Messages<M>>()).cloned().collect()
}

#[test]
fn entity_observers_get_events_of_that_entity_only() {
    let mut app = app();
    let notes = notes(&mut app);
    let (mage, wolf) = (spawn(&mut app, "Mage"), spawn(&mut app, "Wolf"));
    app.world_mut().entity_mut(wolf).observe(
        |change: On<'_, '_, AttributeChanged>, shown: Query<'_, '_, &Attributes>, notes: Res<'_, Notes>| {
            let seen = shown.get(change.entity).unwrap().current("Health").unwrap();
            notes.note(format!("{} {} to {}, {seen} is seen", change.name, change.old, change.new));
            assert!(change.circumstances.source.is_some());
        },
    );
    game(&mut app).apply("GE_Hit", mage, wolf).unwrap();
    game(&mut app).apply("GE_Hit", wolf, mage).unwrap();
    app.update();
    assert_eq!(notes.take(), ["Health 60 to 50, 50 is seen"]);
}

#[test]
fn messages_are_buffered_in_order() {
    let mut app = app();
    let wolf = spawn(&mut app, "Wolf");
    app.update();
    let (mut tags, mut removed, mut all) = Default::default();
    let (tags, removed, all): (
        &mut MessageCursor<TagAdded>,
        &mut MessageCursor<EffectRemoved>,
        &mut MessageCursor<SimulationEvent>,
    ) = (&mut tags, &mut removed, &mut all);
    messages(&app, all);
    game(&mut app).apply("GE_Poison", None, wolf).unwrap();
    app.update();
    let names: Vec<String> = messages(&app, tags).iter().map(|tag| tag.name.to_string()).collect();
    assert!(
        names.contains(&"State.Debuff.Poisoned".to_owned()) && names.contains(&"State".to_owned()),
        "{names:?}"
    );
    let kinds: Vec<&str> = messages(&app, all).iter().map(|one| one.event.kind.name()).collect();
    let position = |name: &str| kinds.iter().position(|kind| *kind == name);
    assert!(position("TagAdded").is_some() && position("EffectApplied").is_some(), "{kinds:?}");
    let mut gone = Vec::new();
    for _ in 0..4 * STEPS {
        app.update();
        gone.extend(messages(&app, removed));
    }
    assert_eq!(gone.len(), 1);
    assert_eq!((gone[0].entity, gone[0].reason), (wolf, ugas::RemovalReason::Expired));
}

#[test]
fn handlers_are_called_by_attribute_or_tag_name() {
    let mut app = app();
    let notes = notes(&mut app);
    app.on_attribute("Mana", |In(change): In<AttributeChanged>, notes: Res<'_, Notes>| {
        notes.note(format!("mana {}", change.new));
    });
    app.on_tag("State.Debuff", |In(change): In<TagChange>, notes: Res<'_, Notes>| {
        notes.note(match change {
            TagChange::Added(tag) => format!("{} came", tag.name),
            TagChange::Removed(tag) => format!("{} went", tag.name),
        });
    });
    let mage = spawn(&mut app, "Mage");
    game(&mut app).apply("GE_Hit", None, mage).unwrap(); // health: no handler
    game(&mut app).apply("GE_Poison", None, mage).unwrap();
    game(&mut app).activate(mage, "GA_Bolt").unwrap();
    run(&mut app, 4.0);
    assert_eq!(notes.take(), ["State.Debuff came", "mana 30", "State.Debuff went"]);
}

#[test]
fn cues_call_the_handler_of_the_nearest_ancestor_tag() {
    let mut app = app();
    let notes = notes(&mut app);
    let show = |what: &'static str| {
        move |In(cue): In<CueChange>, notes: Res<'_, Notes>| {
            notes.note(match cue {
                CueChange::Started(cue) => format!("{what}: {} begins", cue.name),
                CueChange::Ended(cue) => format!("{what}: {} ends", cue.name),
                CueChange::Burst(cue) => format!("{what}: {}", cue.name),
            });
        }
    };
    app.on_cue("GameplayCue", show("any")).on_cue("GameplayCue.Impact", show("impact"));
    let wolf = spawn(&mut app, "Wolf");
    game(&mut app).apply("GE_Hit", None, wolf).unwrap();
    game(&mut app).apply("GE_Poison", None, wolf).unwrap();
    run(&mut app, 0.5);
    assert_eq!(notes.take(), ["impact: GameplayCue.Impact.Fire", "any: GameplayCue.Status.Poison begins"]);
    run(&mut app, 3.0);
    assert_eq!(notes.take().last().unwrap(), "any: GameplayCue.Status.Poison ends");
}

#[test]
fn host_task_handler_completes_the_task() {
    let mut app = app();
    app.on_host_task("Projectile", |In(task): In<HostTaskRequested>, mut gameplay: Gameplay<'_>| {
        assert_eq!(task.targets.len(), 1);
        assert!(gameplay.complete_task(task.task, TaskOutcome::Completed));
    });
    let (mage, wolf) = (spawn(&mut app, "Mage"), spawn(&mut app, "Wolf"));
    game(&mut app).activate_on(mage, "GA_Bolt", wolf).unwrap();
    run(&mut app, 0.1);
    assert_eq!(get::<Attributes>(&app, wolf).current("Health"), Ok(50.0)); // 60 - 10
    assert!(!get::<Abilities>(&app, mage).is_active("GA_Bolt"));
}

#[test]
fn ability_lifecycle_events_have_their_reasons() {
    let mut app = app();
    let notes = notes(&mut app);
    app.add_observer(|event: On<'_, '_, AbilityActivated>, notes: Res<'_, Notes>| {
        notes.note(format!("{} activated", event.name));
    });
    app.add_observer(|event: On<'_, '_, AbilityEnded>, notes: Res<'_, Notes>| {
        notes.note(format!("{} ended, cancelled: {}", event.name, event.reason.is_cancel()));
    });
    app.add_observer(|event: On<'_, '_, AbilityRefused>, notes: Res<'_, Notes>| {
        notes.note(format!("{} refused: {}", event.name, event.refusal.code()));
        assert!(!event.reason.is_empty());
    });
    let mage = spawn(&mut app, "Mage");
    game(&mut app).activate(mage, "GA_Bolt").unwrap();
    game(&mut app).cancel(mage, "GA_Bolt").unwrap();
    let _ = game(&mut app).activate(mage, "GA_Bolt");
    app.update();
    assert_eq!(
        notes.take(),
        ["GA_Bolt activated", "GA_Bolt ended, cancelled: true", "GA_Bolt refused: OnCooldown"]
    );
}

#[test]
fn stack_changes_emit_events() {
    let mut app = app();
    let notes = notes(&mut app);
    app.add_observer(|event: On<'_, '_, EffectStacksChanged>, notes: Res<'_, Notes>| {
        notes.note(format!("{} {} to {}", event.name, event.old, event.new));
    });
    let wolf = spawn(&mut app, "Wolf");
    for _ in 0..2 {
        game(&mut app).apply("GE_Armour", None, wolf).unwrap();
    }
    app.update();
    assert_eq!(notes.take().last().unwrap(), "GE_Armour 1 to 2");
}

#[test]
fn observer_may_act_despawn_and_spawn() {
    let mut app = app();
    app.add_observer(
        |change: On<'_, '_, AttributeChanged>, mut commands: Commands<'_, '_>, mut gameplay: Gameplay<'_>| {
            if &*change.name == "Health"
                && change.new < 60.0
                && let Some(source) = change.circumstances.source
            {
                commands.entity(change.entity).despawn();
                commands.spawn(GameplayController::new("Mage"));
                gameplay.apply("GE_Poison", None, source).unwrap();
            }
        },
    );
    let (mage, wolf) = (spawn(&mut app, "Mage"), spawn(&mut app, "Wolf"));
    game(&mut app).apply("GE_Hit", mage, wolf).unwrap();
    run(&mut app, 0.1);
    assert!(app.world().get_entity(wolf).is_err());
    assert!(get::<ActiveEffects>(&app, mage).has("GE_Poison"));
    assert_eq!(game(&mut app).entities().count(), 2);
}

#[test]
fn t6_tag_count_events_are_emitted_if_configured() {
    for asks in [true, false] {
        let config = ugas::Config { tag_counts: asks, ..ugas::Config::default() };
        let mut app = app_with(UgasPlugins::from_catalog(catalog()).with_config(config));
        let notes = notes(&mut app);
        app.add_observer(|change: On<'_, '_, TagCountChanged>, notes: Res<'_, Notes>| {
            notes.note(format!("{} {} to {}", change.name, change.old, change.new));
        });
        let wolf = spawn(&mut app, "Wolf");
        for _ in 0..2 {
            game(&mut app).apply("GE_Poison", None, wolf).unwrap();
        }
        run(&mut app, 4.0);
        let poisoned = "State.Debuff.Poisoned";
        let expected = ["0 to 1", "1 to 2", "2 to 1", "1 to 0"].map(|change| format!("{poisoned} {change}"));
        assert_eq!(notes.take(), if asks { expected.to_vec() } else { Vec::new() });
    }
}

#[test]
fn a11_gameplay_events_name_entities_and_carry_context_and_payload() {
    let mut app = app();
    let notes = notes(&mut app);
    let (mage, wolf) = (spawn(&mut app, "Mage"), spawn(&mut app, "Wolf"));
    app.add_observer(move |came: On<'_, '_, GameplayEventReceived>, notes: Res<'_, Notes>| {
        assert_eq!(
            (came.entity, came.instigator, came.targets.as_slice()),
            (mage, Some(mage), [wolf].as_slice())
        );
        let event = &came.event;
        notes.note(format!(
            "{} {} {:?} {:?}",
            came.name,
            event.magnitude,
            event.context_tags(),
            event.payload("Force")
        ));
    });
    let mut game = game(&mut app);
    let human: ugas::TagId = game.id("Kind.Human").unwrap();
    let event = game.event_between("State.Debuff", mage, wolf).unwrap();
    let event =
        ugas::GameplayEvent { magnitude: 2.0, ..event }.with_context_tag(human).with_payload("Force", 3.0);
    game.send_event(mage, event).unwrap();
    assert!(game.event_between("State.Debuff", Entity::PLACEHOLDER, None).is_err());
    run(&mut app, 0.1);
    assert_eq!(notes.take(), [format!("State.Debuff 2 {:?} Some(3.0)", [human])]);
}

#[test]
fn c1_cues_from_code_have_their_context() {
    let mut app = app();
    let notes = notes(&mut app);
    let (mage, wolf) = (spawn(&mut app, "Mage"), spawn(&mut app, "Wolf"));
    app.add_observer(move |cue: On<'_, '_, CueBurst>, notes: Res<'_, Notes>| {
        assert_eq!(cue.circumstances.source, Some(mage));
        notes.note(format!("{} {} at {:?}", cue.name, cue.parameters.magnitude, cue.parameters.location()));
    });
    app.add_observer(|cue: On<'_, '_, CueStarted>, notes: Res<'_, Notes>| {
        notes.note(format!("{} begins", cue.name))
    });
    app.add_observer(|cue: On<'_, '_, CueEnded>, notes: Res<'_, Notes>| {
        notes.note(format!("{} ends", cue.name))
    });
    let mut game = game(&mut app);
    let context = game.context(mage).unwrap().at([1.0, 2.0, 3.0]);
    game.execute_cue(wolf, "GameplayCue.Impact.Fire", 4.0, &context).unwrap();
    game.add_cue(wolf, "GameplayCue.Status.Poison", &context).unwrap();
    assert_eq!(game.remove_cue(wolf, "GameplayCue.Status.Poison"), Ok(true));
    assert_eq!(game.remove_cue(wolf, "GameplayCue.Status.Poison"), Ok(false));
    run(&mut app, 0.1);
    let expected = [
        "GameplayCue.Impact.Fire 4 at Some([1.0, 2.0, 3.0])",
        "GameplayCue.Status.Poison begins",
        "GameplayCue.Status.Poison ends",
    ];
    assert_eq!(notes.take(), expected);
}

#[test]
fn events_of_a_despawned_entity_name_it() {
    let mut app = app();
    let notes = notes(&mut app);
    app.add_observer(|event: On<'_, '_, EffectRemoved>, notes: Res<'_, Notes>| {
        notes.note(format!("{} removed from {}", event.name, event.entity));
    });
    app.add_observer(|event: On<'_, '_, AbilityEnded>, notes: Res<'_, Notes>| {
        notes.note(format!("{} of {} ended", event.name, event.entity));
    });
    app.on_cue("GameplayCue.Status", |In(cue): In<CueChange>, notes: Res<'_, Notes>| {
        if let CueChange::Ended(cue) = cue {
            notes.note(format!("{} on {} ended", cue.name, cue.entity));
        }
    });
    let mage = spawn(&mut app, "Mage");
    game(&mut app).apply("GE_Poison", None, mage).unwrap();
    game(&mut app).activate(mage, "GA_Bolt").unwrap();
    app.update();
    assert!(notes.take().is_empty());
    app.world_mut().despawn(mage);
    app.update();
    let noted = notes.take();
    for expected in [
        format!("GE_Poison removed from {mage}"),
        format!("GA_Bolt of {mage} ended"),
        format!("GameplayCue.Status.Poison on {mage} ended"),
    ] {
        assert!(noted.contains(&expected), "{expected}: {noted:?}");
    }
    // Only the events of that step.
    run(&mut app, 0.1);
    assert!(notes.take().is_empty());
}
