//! A fight to record: random numbers, a periodic poison, stacks, an ability with cost and cooldown, and
//! refusals.

use std::io::Cursor;
use std::sync::Arc;

use ugas_core::ability::AbilityDef;
use ugas_core::attribute::{AttributeDef, AttributeSetDef};
use ugas_core::catalog::Catalog;
use ugas_core::command::Command;
use ugas_core::controller::ControllerDef;
use ugas_core::effect::magnitude::MagnitudeDef;
use ugas_core::effect::{AbilityGrantDef, EffectDef, StackingDef};
use ugas_core::handle::ControllerId;
use ugas_core::modifier::Operation;
use ugas_core::simulation::{ActivationRequest, Config, Simulation};
use ugas_core::time::Span;
use ugas_replay::{Player, Recorder, Recording, Settings};

/// Number of ticks of the fight, each of a quarter of a second.
pub(crate) const TICKS: u64 = 40;

pub(crate) type Bytes = Cursor<Vec<u8>>;

pub(crate) fn catalog() -> Arc<Catalog> {
    let strike = EffectDef::instant("GE_Strike").modify(
        "Health",
        Operation::Add,
        MagnitudeDef::expression("-(1 + floor(rand() * 6))"),
    );
    Catalog::builder()
        .attribute_set(
            AttributeSetDef::new("Combat")
                .with(AttributeDef::new("Health", 100.0).min(0.0))
                .with(AttributeDef::new("Mana", 20.0).min(0.0))
                .with(AttributeDef::new("Armor", 5.0)),
        )
        .effect(strike)
        .effect(
            EffectDef::lasting("GE_Poison", 3.0)
                .every(0.4)
                .modify("Health", Operation::Add, -1.0)
                .granting("State.Poisoned"),
        )
        .effect(
            EffectDef::lasting("GE_Rust", 2.0)
                .modify("Armor", Operation::Add, -1.0)
                .stacking(StackingDef::by_source(3)),
        )
        .effect(EffectDef::instant("GE_Cost").modify("Mana", Operation::Add, -8.0))
        .effect(EffectDef::lasting("GE_Cooldown", 1.0).granting("Cooldown.Bolt"))
        .ability(AbilityDef::new("GA_Bolt").cost("GE_Cost").cooldown("GE_Cooldown"))
        .template(
            ControllerDef::new("Fighter").with_set("Combat").with_ability(AbilityGrantDef::new("GA_Bolt")),
        )
        .build()
        .unwrap()
}

/// How a fight differs from the usual one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FightOptions {
    /// An additional poison before this tick.
    pub(crate) poison_at: Option<u64>,
    /// Another seed.
    pub(crate) seed: u64,
    /// Number of parts that each tick is split into.
    pub(crate) pieces: i64,
    /// The number of ticks, if not all.
    pub(crate) ticks: Option<u64>,
}

/// The commands before each tick.
pub(crate) fn commands(
    catalog: &Catalog,
    [hero, wolf]: [ControllerId; 2],
    tick: u64,
    options: FightOptions,
) -> Vec<Command> {
    let apply = |effect: &str, source: ControllerId, target| {
        Command::apply(catalog.effect(effect).unwrap(), source, target)
    };
    let mut commands = Vec::new();
    if tick.is_multiple_of(3) {
        commands.push(apply("GE_Strike", hero, wolf));
    }
    if tick % 5 == 1 {
        commands.push(apply("GE_Rust", wolf, hero));
    }
    if tick % 16 == 2 || options.poison_at == Some(tick) {
        commands.push(apply("GE_Poison", wolf, hero));
    }
    if tick % 4 == 3 {
        // Sometimes refused because of cost or cooldown; refusals are recorded, too.
        let ability = catalog.ability("GA_Bolt").unwrap();
        let request = Box::new(ActivationRequest::default());
        commands.push(Command::ActivateAbility { controller: hero, ability, request });
    }
    if tick == 20 {
        let both = vec![apply("GE_Strike", wolf, hero), apply("GE_Strike", hero, wolf)];
        commands.push(Command::Batch(both));
    }
    commands
}

/// The usual settings of these tests: key frames at ticks 0, 8, 16, 24, 32 and 40.
pub(crate) fn settings() -> Settings {
    let labels = vec![("game".to_owned(), "a fight".to_owned())];
    Settings { key_every: 8, labels, ..Settings::default() }
}

/// Plays the fight, and passes every command to `execute`.
pub(crate) fn play(
    sim: &mut Simulation,
    options: FightOptions,
    mut execute: impl FnMut(&mut Simulation, Command),
) {
    let catalog = sim.catalog().clone();
    execute(sim, Command::spawn("Fighter"));
    execute(sim, Command::spawn("Fighter"));
    let fighters = fighters(sim);
    for tick in 0..options.ticks.unwrap_or(TICKS) {
        for command in commands(&catalog, fighters, tick, options) {
            execute(sim, command);
        }
        let pieces = options.pieces.max(1);
        for _ in 0..pieces {
            execute(sim, Command::Advance(Span::from_micros(250_000 / pieces)));
        }
    }
}

pub(crate) fn fighters(sim: &Simulation) -> [ControllerId; 2] {
    let ids: Vec<ControllerId> = sim.controllers().map(|(id, _)| id).collect();
    [ids[0], ids[1]]
}

pub(crate) fn simulation(options: FightOptions) -> Simulation {
    Simulation::new(catalog(), Config::seeded(7 + options.seed))
}

/// The fight as a recording, and the simulation at its end.
pub(crate) fn record(options: FightOptions, settings: Settings) -> (Vec<u8>, Simulation) {
    let mut sim = simulation(options);
    let mut recorder = Recorder::new(Vec::new(), &sim, settings).unwrap();
    play(&mut sim, options, |sim, command| {
        let spawns = matches!(command, Command::Spawn(_));
        let _ = recorder.execute(sim, command);
        if spawns && sim.controllers().count() == 2 {
            let [hero, wolf] = fighters(sim);
            recorder.name(hero, "hero");
            recorder.name(wolf, "wolf");
        }
        sim.events().for_each(drop);
    });
    (recorder.finish(&sim).unwrap(), sim)
}

pub(crate) fn recorded() -> Vec<u8> {
    record(FightOptions::default(), settings()).0
}

pub(crate) fn open(bytes: &[u8]) -> Recording<Bytes> {
    Recording::open(Cursor::new(bytes.to_vec())).unwrap()
}

pub(crate) fn player(bytes: &[u8]) -> Player<Bytes> {
    Player::new(open(bytes)).unwrap()
}

/// The offsets of frames, and their kinds.
pub(crate) fn frames(bytes: &[u8]) -> Vec<(usize, u8)> {
    let (mut at, mut frames) = (12, Vec::new());
    while at + 9 <= bytes.len() {
        let length = u32::from_le_bytes(bytes[at + 1..at + 5].try_into().unwrap()) as usize;
        frames.push((at, bytes[at]));
        at += 9 + length + 8;
    }
    frames
}

/// The recording with the payload of one frame changed and all checksums recalculated.
pub(crate) fn forged(bytes: &[u8], frame: usize, change: impl Fn(&mut Vec<u8>)) -> Vec<u8> {
    use ugas_replay::format::{self, Kind};
    let mut forged = bytes[..12].to_vec();
    let mut chain = format::first_chain(&format::prelude());
    for (number, (at, kind)) in frames(bytes).into_iter().enumerate() {
        let length = u32::from_le_bytes(bytes[at + 1..at + 5].try_into().unwrap()) as usize;
        let mut payload = bytes[at + 9..at + 9 + length].to_vec();
        if number == frame {
            change(&mut payload);
        }
        chain = format::append(&mut forged, chain, Kind::from_byte(kind).unwrap(), &payload).unwrap();
    }
    forged
}

/// The frame number of a tick, from 1.
pub(crate) fn frame_of_tick(bytes: &[u8], tick: usize) -> usize {
    let frames = frames(bytes);
    let mut ticks =
        frames.iter().enumerate().filter(|(_, (_, kind))| matches!(kind, 1 | 5)).map(|(number, _)| number);
    ticks.nth(tick - 1).unwrap()
}
