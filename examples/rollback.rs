//! Rollback: `cargo run --example rollback`.
//!
//! A snapshot is a copy of the state. After restoring it, the same commands lead to the same state, random
//! numbers included, which the 64-bit state hash proves.
#![allow(clippy::print_stdout, reason = "the example prints its result")]

use std::sync::Arc;

use ugas::prelude::*;

/// Input of a player in one step of 100 ms.
#[derive(Clone, Copy)]
enum Input {
    Wait,
    Strike,
    Curse,
}

/// A strike that hits half of the time, and a periodic curse.
fn catalog() -> Result<Arc<Catalog>, ugas::Error> {
    let strike = EffectDef {
        chance: Some(MagnitudeDef::from(0.5)),
        ..EffectDef::instant("GE_Strike").modify(
            "Health",
            Operation::Add,
            MagnitudeDef::expression("-(5 + floor(rand() * 10))"),
        )
    };
    let curse = EffectDef::lasting("GE_Curse", 1.0)
        .every(0.25)
        .modify("Health", Operation::Add, -1.0)
        .stacking(StackingDef::by_source(3));
    Ok(Catalog::builder()
        .attribute_set(AttributeSetDef::new("Combat").with(AttributeDef::new("Health", 200.0).min(0.0)))
        .effect(strike)
        .effect(curse)
        .template(ControllerDef::new("Duellist").with_set("Combat"))
        .build()?)
}

/// Plays inputs, one per step, and returns the state hash after each.
fn play(
    sim: &mut Simulation,
    [from, to]: [ControllerId; 2],
    inputs: &[Input],
) -> Result<Vec<u64>, ugas::Error> {
    let catalog = Arc::clone(sim.catalog());
    let (strike, curse) = (catalog.effect("GE_Strike")?, catalog.effect("GE_Curse")?);
    let mut hashes = Vec::new();
    for input in inputs {
        let effect = match input {
            Input::Wait => None,
            Input::Strike => Some(strike),
            Input::Curse => Some(curse),
        };
        if let Some(effect) = effect {
            // A miss is a refusal: nothing changes but the random number stream.
            match sim.apply_effect(effect, Some(from), to) {
                Err(refusal) if refusal.code() != "ChanceFailed" => return Err(refusal.into()),
                _ => {}
            }
        }
        sim.advance(Span::millis(100));
        hashes.push(sim.state_hash());
    }
    Ok(hashes)
}

fn main() -> Result<(), ugas::Error> {
    let catalog = catalog()?;
    let health = catalog.attribute("Health")?;
    let mut sim = Simulation::new(Arc::clone(&catalog), Config::seeded(7));
    let duel = [sim.spawn("Duellist")?, sim.spawn("Duellist")?];
    play(&mut sim, duel, &[Input::Strike, Input::Curse, Input::Strike])?;

    let snapshot = sim.snapshot();
    println!("snapshot at {}, hash {:016x}", snapshot.time(), snapshot.state_hash());

    // The prediction…
    let predicted = [Input::Strike, Input::Wait, Input::Curse, Input::Strike, Input::Strike];
    let first = play(&mut sim, duel, &predicted)?;
    println!("predicted   {:016x}, health {:?}", sim.state_hash(), sim.current(duel[1], health));

    // …the authoritative result of the server…
    sim.restore(&snapshot)?;
    assert_eq!(sim.state_hash(), snapshot.state_hash(), "a restored state is the same state");
    let actual = [Input::Strike, Input::Strike, Input::Strike, Input::Wait, Input::Strike];
    let second = play(&mut sim, duel, &actual)?;
    println!("corrected   {:016x}, health {:?}", sim.state_hash(), sim.current(duel[1], health));
    let first_difference = first.iter().zip(&second).position(|(a, b)| a != b);
    assert_eq!(
        first_difference,
        Some(1),
        "the states must differ from the second step, where the inputs differ"
    );

    // …and the prediction again: the same hash after every step.
    sim.restore(&snapshot)?;
    assert_eq!(play(&mut sim, duel, &predicted)?, first, "the same commands lead to the same states");
    println!("again       {:016x}, health {:?}", sim.state_hash(), sim.current(duel[1], health));

    // The step size does not matter (V4).
    let mut fine = sim.clone();
    sim.advance(Span::seconds(3.0));
    for _ in 0..180 {
        fine.advance(Span::from_micros(16_666));
    }
    fine.advance_to(sim.now()); // 180 steps of 16,666 µs are 120 µs short of 3 s
    assert_eq!(sim.state_hash(), fine.state_hash(), "one step or many");
    println!("3 s later   {:016x} in one step and in 180", sim.state_hash());
    Ok(())
}
