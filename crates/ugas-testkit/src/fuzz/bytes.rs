//! Fuzz bodies for snapshots and commands as bytes.

use std::sync::{Arc, OnceLock};

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use ugas_core::catalog::Catalog;
use ugas_core::codec::{Decode, Decoder, VERSION, to_bytes};
use ugas_core::command::Command;
use ugas_core::effect::{EffectContext, EffectDef};
use ugas_core::modifier::Operation;
use ugas_core::simulation::{Config, Simulation, Snapshot, Spawn, Stacks};
use ugas_core::task::TaskOutcome;
use ugas_core::time::Span;

use crate::fixtures::{SimDriver, ability_ops, game_of_abilities, run_ability_op};

/// Most instants with timers that are simulated: a damaged period may have millions.
const INSTANTS: usize = 40;

/// Most commands that are executed.
const COMMANDS: usize = 60;

/// Fuzz body: decodes any bytes as a snapshot, with valid checksums and hashes, so that the fuzzer gets past
/// them. The result is an error, or a sound state that encodes to the same bytes and can be used.
pub fn snapshot(bytes: &[u8]) {
    let _ = Snapshot::from_bytes(bytes, catalog());
    if let Ok(snapshot) = Snapshot::from_forged_bytes(bytes, catalog()) {
        let written = snapshot.to_bytes();
        let again = match Snapshot::from_bytes(&written, catalog()) {
            Ok(again) => again,
            Err(error) => panic!("a decoded and encoded snapshot cannot be decoded: {error}"),
        };
        assert_eq!(again.to_bytes(), written, "written again, other bytes");
        let mut sim = Simulation::new(catalog().clone(), config());
        if sim.restore(&snapshot).is_ok() {
            let found = sim.inconsistencies();
            assert!(found.is_empty(), "{found:#?}");
            use_everything(&mut sim);
        }
    }
    let mut sim = Simulation::new(catalog().clone(), config());
    if sim.migrate_forged(bytes).is_ok() {
        use_everything(&mut sim);
    }
}

/// Fuzz body: commands decoded from any bytes, up to the first error. Each must encode to the same bytes, and
/// is executed. The state after them must be consistent, and its snapshot must decode.
pub fn command(bytes: &[u8]) {
    let mut decoder = Decoder::new(bytes, VERSION);
    let mut sim = started_simulation().clone();
    for _ in 0..COMMANDS {
        let from = decoder.position();
        let Ok(command) = Command::decode(&mut decoder) else { break };
        assert_eq!(to_bytes(&command), bytes[from..decoder.position()], "written again, other bytes");
        execute_bounded(&mut sim, command);
    }
    advance_bounded(&mut sim, Span::seconds(3.0));
    let found = sim.inconsistencies();
    assert!(found.is_empty(), "{found:#?}");
    let bytes = sim.snapshot().to_bytes();
    if let Err(error) = Snapshot::from_bytes(&bytes, catalog()) {
        panic!("the state that commands led to cannot be read: {error}");
    }
}

/// Seeds of [`snapshot`]: snapshots of a game after random operations, one of them with rules. The same at
/// every run.
pub fn snapshot_seeds() -> Vec<Vec<u8>> {
    let mut runner = TestRunner::deterministic();
    let mut driver = driver();
    let mut seeds = Vec::new();
    for at in 0..12 {
        let ability_ops =
            ability_ops(12).new_tree(&mut runner).map(|tree| tree.current()).unwrap_or_default();
        ability_ops.iter().for_each(|ability_op| run_ability_op(&mut driver, ability_op));
        seeds.push(if at == 3 {
            driver.sim.snapshot().to_bytes_with_rules()
        } else {
            driver.sim.snapshot().to_bytes()
        });
    }
    seeds
}

/// Seeds of [`command`]: encoded lists of commands that are valid in the initial state, one of them a batch.
pub fn command_seeds() -> Vec<Vec<u8>> {
    let sim = started_simulation();
    let mut lists = vec![effect_commands(sim), ability_commands(sim)];
    lists.push(vec![Command::Batch(effect_commands(sim)), Command::Advance(Span::seconds(1.0))]);
    lists.iter().map(|commands| commands.iter().flat_map(to_bytes).collect()).collect()
}

/// Configuration of the simulations in fuzz bodies: short cascades, so that one run stays short.
pub(super) fn config() -> Config {
    Config { cascade_limit: 200, ..Config::seeded(1) }
}

/// Driver of a random game of abilities that all fuzz bodies share; the same in every run, so that seeds stay
/// valid.
pub(super) fn driver() -> SimDriver {
    let mut runner = TestRunner::deterministic();
    let game = match game_of_abilities().new_tree(&mut runner) {
        Ok(tree) => tree.current(),
        Err(reason) => panic!("no game: {reason}"),
    };
    SimDriver::configured(&game, config())
}

/// Catalog of the shared game, built once, because a fuzzer runs a body many thousand times.
pub(super) fn catalog() -> &'static Arc<Catalog> {
    static CATALOG: OnceLock<Arc<Catalog>> = OnceLock::new();
    CATALOG.get_or_init(|| driver().sim.catalog().clone())
}

/// Simulation of the shared game in progress, built once: the initial state of commands and servers. Its
/// events are taken out already.
pub(super) fn started_simulation() -> &'static Simulation {
    static START: OnceLock<Simulation> = OnceLock::new();
    START.get_or_init(|| {
        let mut runner = TestRunner::deterministic();
        let mut driver = driver();
        let ability_ops =
            ability_ops(60).new_tree(&mut runner).map(|tree| tree.current()).unwrap_or_default();
        ability_ops.iter().for_each(|ability_op| run_ability_op(&mut driver, ability_op));
        let _ = driver.sim.spawn_with(Spawn::named("Fighter"));
        driver.sim.events().for_each(drop);
        driver.sim
    })
}

/// Executes a command of the fuzzer; refusals are ignored. `Advance` is bounded by [`advance_bounded`], and
/// is left out of batches, where it could not be bounded.
fn execute_bounded(sim: &mut Simulation, command: Command) {
    match command {
        Command::Advance(span) => advance_bounded(sim, span),
        Command::Batch(commands) => {
            let is_time = |command: &Command| match command {
                Command::FromClient { command, .. } => matches!(**command, Command::Advance(_)),
                command => matches!(command, Command::Advance(_)),
            };
            let without_time = commands.into_iter().filter(|command| !is_time(command));
            let _ = sim.execute(Command::Batch(without_time.take(COMMANDS).collect()));
        }
        Command::FromClient { command, .. } if matches!(*command, Command::Advance(_)) => {
            execute_bounded(sim, *command);
        }
        command => {
            let _ = sim.execute(command);
        }
    }
}

/// Advances from timer to timer within the span, over at most [`INSTANTS`] instants, because damaged bytes
/// may have millions of ticks. Time stops at the last timer; without a timer it does not pass.
fn advance_bounded(sim: &mut Simulation, span: Span) {
    let until = sim.now() + span;
    for _ in 0..INSTANTS {
        let Some(next) = sim.next_timer().filter(|next| *next <= until) else { break };
        sim.advance_to(next.max(sim.now() + Span::from_micros(1)));
    }
}

/// Trial of a decoded state, which must not panic however damaged the bytes were: passes time, executes
/// commands about effects and abilities of the first controllers, and despawns controllers. Everything is
/// bounded, because damaged bytes may hold millions of ticks.
pub(super) fn use_everything(sim: &mut Simulation) {
    advance_bounded(sim, Span::seconds(2.0));
    for command in effect_commands(sim).into_iter().chain(ability_commands(sim)).take(2 * COMMANDS) {
        execute_bounded(sim, command);
    }
    advance_bounded(sim, Span::seconds(5.0));
    let controllers: Vec<_> = sim.controllers().map(|(id, _)| id).take(COMMANDS).collect();
    for id in controllers {
        let _ = sim.despawn(id);
    }
    sim.events().for_each(drop);
}

/// Commands about the effects of the first controllers, and one that defines an effect: seeds of [`command`],
/// and a way to use a decoded state.
fn effect_commands(sim: &Simulation) -> Vec<Command> {
    let mut commands = Vec::new();
    for (id, controller) in sim.controllers().take(4) {
        for &active in controller.effects().iter().take(6) {
            let context = EffectContext::of(id).at([1.0, 2.0, 3.0]);
            let effect = sim.effect(active).map(|active| active.effect());
            commands.push(Command::SetLevel { active, level: 2.0 });
            commands.push(Command::SetDuration { active, duration: Some(Span::seconds(30.0)) });
            if let Some(effect) = effect {
                commands.extend(
                    sim.spec(effect, 1.0, context.clone())
                        .map(|spec| Command::Apply { spec: Box::new(spec), target: id }),
                );
                let level = 1.0;
                commands.push(Command::ApplyEffect {
                    effect,
                    level,
                    context,
                    magnitudes: Vec::new(),
                    target: id,
                });
            }
            commands.push(Command::Remove { active, stacks: Stacks::Count(1) });
        }
    }
    let item = EffectDef::lasting("Item", 3.0).every(0.5).modify("Health", Operation::Add, -1.0);
    commands.push(Command::DefineEffect(Box::new(item)));
    commands
}

/// Commands about the abilities, inputs and tasks of the first controllers: seeds of [`command`], and a way
/// to use a decoded state.
fn ability_commands(sim: &Simulation) -> Vec<Command> {
    let mut commands = vec![Command::Advance(Span::seconds(0.5))];
    for (id, controller) in sim.controllers().take(4) {
        for &ability in controller.abilities().iter().take(6) {
            commands.push(Command::Activate { ability, request: Box::default() });
            let definition = sim.ability(ability).map(|granted| granted.ability());
            commands.extend(definition.map(|ability| Command::Grant { controller: id, ability, level: 2 }));
        }
        commands.push(Command::Press { controller: id, input: "One".into() });
        commands.push(Command::Confirm(id));
        let tasks = sim.tasks_of(id).take(4);
        commands.extend(tasks.map(|task| Command::CompleteTask { task, outcome: TaskOutcome::Completed }));
        commands.extend(controller.activations().iter().take(2).map(|run| Command::Cancel(*run)));
    }
    commands
}
