//! Recordings: `cargo run --example recording`.
//!
//! A fight is recorded to a file, the game crashes in the middle of a write, and the rest is read back,
//! played to a moment of interest, verified, and compared with another fight.
#![allow(clippy::print_stdout, reason = "the example prints its result")]

use std::error::Error;
use std::fs::{self, File, OpenOptions};
use std::path::Path;
use std::sync::Arc;

use ugas::Time;
use ugas::prelude::*;
use ugas::replay::{Comparison, Player, Recorder, Recording, Settings, StateDiff, compare, verify};

/// A strike with random damage, and a periodic poison.
fn catalog() -> Result<Arc<Catalog>, ugas::Error> {
    Ok(Catalog::builder()
        .attribute_set(AttributeSetDef::new("Combat").with(AttributeDef::new("Health", 100.0).min(0.0)))
        .effect(EffectDef::instant("GE_Strike").modify(
            "Health",
            Operation::Add,
            MagnitudeDef::expression("-(1 + floor(rand() * 6))"),
        ))
        .effect(EffectDef::lasting("GE_Poison", 3.0).every(0.5).modify("Health", Operation::Add, -2.0))
        .template(ControllerDef::new("Fighter").with_set("Combat"))
        .build()?)
}

/// Records a fight of six seconds; the poison is applied after `poisoned` tenths of a second.
fn record(file: &Path, poisoned: u32) -> Result<(), Box<dyn Error>> {
    let catalog = catalog()?;
    let mut sim = Simulation::new(Arc::clone(&catalog), Config::seeded(7));
    let labels = vec![("game".to_owned(), "a duel".to_owned())];
    let settings = Settings { key_every: 16, labels, ..Settings::default() };
    let mut recorder = Recorder::new(File::create(file)?, &sim, settings)?;
    let mut game = recorder.with(&mut sim);
    let (hero, wolf) = (game.spawn("Fighter")?, game.spawn("Fighter")?);
    recorder.name(hero, "hero");
    recorder.name(wolf, "wolf");
    let mut game = recorder.with(&mut sim);
    for tenth in 0..60 {
        let effect = match tenth {
            _ if tenth == poisoned => Some("GE_Poison"),
            _ if tenth % 10 == 0 => Some("GE_Strike"),
            _ => None,
        };
        if let Some(effect) = effect {
            game.apply_effect(catalog.effect(effect)?, Some(hero), wolf)?;
        }
        game.advance(Span::millis(100));
    }
    println!("recorded {} ticks, {} bytes", recorder.ticks(), recorder.bytes());
    recorder.finish(&sim)?;
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::temp_dir().join(format!("ugas-recording-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let (file, other) = (folder.join("duel.ugasrec"), folder.join("other.ugasrec"));
    record(&file, 15)?;
    record(&other, 16)?;

    // The game crashes while writing: the file ends in the middle of a frame.
    let length = fs::metadata(&file)?.len();
    OpenOptions::new().write(true).open(&file)?.set_len(length - 40)?;
    let recording = Recording::open(File::open(&file)?)?;
    println!("after the crash: {} ticks are left, {:?}", recording.ticks(), recording.tail());

    // Seek to the first tick of the poison, half a second after its application at 1.5 s.
    let mut player = Player::new(recording)?;
    let poison = player.simulation().catalog().effect("GE_Poison")?;
    let found = player.run_until(
        |event, _| matches!(event.kind, EventKind::EffectExecuted { effect, .. } if effect == poison),
    )?;
    let event = found.ok_or("the poison never ticked")?;
    assert_eq!(event.time, Time::from_seconds(2.0));
    let wolf = player.controller("wolf").ok_or("no wolf")?;
    let health = player.simulation().catalog().attribute("Health")?;
    println!("{}", player.simulation().explain(wolf, health).ok_or("no wolf")?);

    // Difference between two moments.
    let before = player.simulation().clone();
    player.seek_time(Time::from_seconds(3.0))?;
    let names = player.recording();
    print!("from 2 s to 3 s:\n{}", StateDiff::between(&before, player.simulation(), |id| names.name_of(id)));

    // Every tick is equal to the recorded one.
    let verification = verify(&mut player)?;
    assert!(verification.difference.is_none());
    println!("{} ticks verified", verification.ticks);

    // The other fight is equal until the poison, which is applied a tenth of a second later.
    let mut later = Player::new(Recording::open(File::open(&other)?)?)?;
    match compare(&mut player, &mut later)? {
        Comparison::Different { left_tick, diff, .. } => {
            assert_eq!(left_tick, 16);
            print!("the two fights part in tick {left_tick}:\n{diff}");
        }
        same => return Err(format!("a difference was expected: {same:?}").into()),
    }
    fs::remove_dir_all(folder)?;
    Ok(())
}
