//! A thousand matches on all cores: `cargo run --release --example thousand_matches`.
//!
//! A simulation has no globals, locks or threads, so it can be sent to a thread, and any number of them can
//! run in parallel over one shared catalog. Here matches are played by one thread, then by as many as there
//! are cores, and every match ends with the same state hash.
#![allow(clippy::print_stdout, reason = "the example prints its result")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use ugas::prelude::*;

const MATCHES: u64 = 1_000;

/// A duel of burns and strikes with random damage.
fn catalog() -> Result<Arc<Catalog>, ugas::Error> {
    let strike = EffectDef {
        chance: Some(MagnitudeDef::from(0.75)),
        ..EffectDef::instant("GE_Strike").modify(
            "Health",
            Operation::Add,
            MagnitudeDef::expression("-(5 + floor(rand() * 10))"),
        )
    };
    let burn = EffectDef::lasting("GE_Burn", 3.0)
        .every(0.5)
        .modify("Health", Operation::Add, MagnitudeDef::expression("-(1 + floor(rand() * 3))"))
        .stacking(StackingDef::by_source(5));
    Ok(Catalog::builder()
        .attribute_set(AttributeSetDef::new("Combat").with(AttributeDef::new("Health", 250.0).min(0.0)))
        .effect(strike)
        .effect(burn)
        .template(ControllerDef::new("Duellist").with_set("Combat"))
        .build()?)
}

/// Plays one match to its end and returns the hash of the last state.
fn play(catalog: &Arc<Catalog>, seed: u64) -> Result<u64, ugas::Error> {
    let (strike, burn) = (catalog.effect("GE_Strike")?, catalog.effect("GE_Burn")?);
    let health = catalog.attribute("Health")?;
    let mut sim = Simulation::new(Arc::clone(catalog), Config::seeded(seed));
    let duellists = [sim.spawn("Duellist")?, sim.spawn("Duellist")?];
    let alive = |sim: &Simulation| {
        duellists.iter().all(|&who| sim.current(who, health).is_some_and(|health| health > 0.0))
    };
    let mut turn = 0;
    while alive(&sim) {
        let (from, to) = (duellists[turn % 2], duellists[(turn + 1) % 2]);
        let effect = if turn % 5 < 2 { burn } else { strike };
        // A miss is a refusal, which is ignored here.
        let _ = sim.apply_effect(effect, Some(from), to);
        sim.advance(Span::millis(200));
        sim.events().for_each(drop);
        turn += 1;
    }
    Ok(sim.state_hash())
}

/// Plays all matches on a number of threads; the hashes are in the order of the seeds.
fn play_all(catalog: &Arc<Catalog>, threads: usize) -> Result<(Vec<u64>, Duration), ugas::Error> {
    let begin = Instant::now();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut played = Vec::new();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed) as u64;
            if seed >= MATCHES {
                return Ok(played);
            }
            played.push((seed, play(catalog, seed)?));
        }
    };
    let shares: Vec<Result<Vec<(u64, u64)>, ugas::Error>> = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().map(|worker| worker.join().expect("a match does not panic")).collect()
    });
    let mut played = Vec::new();
    for share in shares {
        played.extend(share?);
    }
    played.sort_unstable();
    Ok((played.into_iter().map(|(_, hash)| hash).collect(), begin.elapsed()))
}

fn main() -> Result<(), ugas::Error> {
    let catalog = catalog()?;
    let cores = thread::available_parallelism().map_or(1, |cores| cores.get());
    let (alone, slow) = play_all(&catalog, 1)?;
    let (together, fast) = play_all(&catalog, cores)?;
    assert_eq!(alone, together, "a match depends on its thread or timing");

    let all = alone.iter().fold(0u64, |all, hash| all.rotate_left(1) ^ hash);
    println!("{MATCHES} matches, one thread:    {slow:.1?}");
    println!("{MATCHES} matches, {cores} thread(s): {fast:.1?}");
    println!("equal hashes, match by match; all of them together: {all:016x}");
    Ok(())
}
