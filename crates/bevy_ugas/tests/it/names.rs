//! Names of definitions as types, in systems, components, observers and handlers.

use bevy_ecs::prelude::*;
use bevy_ugas::event::CueBurst;
use bevy_ugas::prelude::*;

use crate::fixture::*;

/// As `ugas generate --rust` writes it.
mod pack {
    use bevy_ugas::{AbilityName, AttributeName, EffectName, TagName};

    macro_rules! names {
        ($($name:ident: $kind:ident = $text:literal;)*) => {$(
            pub(crate) struct $name;

            impl $kind for $name {
                const NAME: &'static str = $text;
            }
        )*};
    }

    names! {
        Health: AttributeName = "Health";
        Mana: AttributeName = "Mana";
        Poisoned: TagName = "State.Debuff.Poisoned";
        Debuff: TagName = "State.Debuff";
        Impact: TagName = "GameplayCue.Impact.Fire";
        GeHit: EffectName = "GE_Hit";
        GePoison: EffectName = "GE_Poison";
        GaBolt: AbilityName = "GA_Bolt";
    }
}

use pack::*;

#[test]
fn names_as_types_select_definitions_everywhere() {
    let mut app = app();
    let (mage, wolf) = (spawn(&mut app, "Mage"), spawn(&mut app, "Wolf"));
    app.world_mut().commands().entity(wolf).apply_effect(GePoison, mage);
    game(&mut app).apply(GeHit, mage, wolf).unwrap();
    game(&mut app).activate_on(mage, GaBolt, wolf).unwrap();
    run(&mut app, 0.1);
    let (attributes, tags) = (get::<Attributes>(&app, wolf), get::<Tags>(&app, wolf));
    assert_eq!(attributes.current(Health), Ok(50.0)); // 60 - 10
    assert!(tags.has(Poisoned) && tags.has(Debuff));
    assert_eq!((tags.count(Poisoned), tags.count(Debuff)), (1, 0));
    assert_eq!(get::<ActiveEffects>(&app, wolf).stacks(GePoison), 1);
    assert!(get::<Abilities>(&app, mage).is_active(GaBolt));
    let game = game(&mut app);
    assert_eq!(game.current(mage, Mana), Some(30.0)); // 50 - 20
    assert!(game.has_tag(wolf, Debuff));
    // Ids and texts are keys as well.
    let poison: ugas::EffectId = game.id(GePoison).unwrap();
    assert!(
        get::<ActiveEffects>(&app, wolf).has(poison) && get::<ActiveEffects>(&app, wolf).has("GE_Poison")
    );
}

fn note_change(change: On<'_, '_, AttributeChanged>, notes: Res<'_, Notes>) {
    notes.note(format!("{} {}", change.name, change.new));
}

#[test]
fn observers_are_limited_to_one_definition() {
    let mut app = app();
    let notes = Notes::default();
    app.insert_resource(notes.clone());
    app.add_observer(note_change.only(Health));
    app.add_observer(
        (|tag: On<'_, '_, TagAdded>, notes: Res<'_, Notes>| notes.note(&*tag.name)).only(Poisoned),
    );
    fn note_cue(cue: On<'_, '_, CueBurst>, notes: Res<'_, Notes>) {
        notes.note(&*cue.name);
    }
    app.add_observer(note_cue.only(Impact));
    let mage = spawn(&mut app, "Mage");
    app.update();
    game(&mut app).activate_on(mage, GaBolt, mage).unwrap();
    game(&mut app).apply(GePoison, None, mage).unwrap();
    run(&mut app, 0.1);
    // Mana changed by 20, and `State.Debuff` was added, too.
    assert_eq!(notes.take(), ["State.Debuff.Poisoned"]);
    game(&mut app).apply(GeHit, None, mage).unwrap();
    app.update();
    let mut noted = notes.take();
    noted.sort();
    assert_eq!(noted, ["GameplayCue.Impact.Fire", "Health 90"]);
}

#[test]
fn observer_of_one_entity_is_limited_to_one_definition() {
    let mut app = app();
    let notes = Notes::default();
    app.insert_resource(notes.clone());
    let (mage, other) = (spawn(&mut app, "Mage"), spawn(&mut app, "Mage"));
    app.world_mut().entity_mut(mage).observe(note_change.only(Mana));
    app.update();
    for caster in [mage, other] {
        game(&mut app).activate_on(caster, GaBolt, caster).unwrap();
        game(&mut app).apply(GeHit, None, caster).unwrap();
    }
    app.update();
    assert_eq!(notes.take(), ["Mana 30"]); // 50 - 20, of one mage
}

#[test]
fn events_tell_their_definition_by_type() {
    let mut app = app();
    let notes = Notes::default();
    app.insert_resource(notes.clone());
    app.add_observer(|applied: On<'_, '_, EffectApplied>, notes: Res<'_, Notes>| {
        notes.note(format!("{} {}", applied.is(GePoison), applied.is(GeHit)));
    });
    app.on_attribute(Health, |In(change): In<AttributeChanged>, notes: Res<'_, Notes>| {
        assert!(change.is(Health) && !change.is(Mana) && change.is("Health") && change.is(change.attribute));
        notes.note("health");
    });
    app.on_tag(Poisoned, |In(_): In<bevy_ugas::TagChange>, notes: Res<'_, Notes>| notes.note("tag"));
    let wolf = spawn(&mut app, "Wolf");
    app.update();
    game(&mut app).apply(GePoison, None, wolf).unwrap();
    run(&mut app, 1.1);
    let mut noted = notes.take();
    noted.sort();
    assert_eq!(noted, ["health", "tag", "true false"]);
}
