//! Recorded games: random games of fixed seeds, whose [dumps](crate::dump) a change of the core must
//! reproduce.
//!
//! Every game has its own seed, so that one can be played alone. A game does not depend on the core except
//! through its public interface.

mod client;
mod op;
mod pack;

use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::str::FromStr;
use std::sync::Arc;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use ugas_core::attribute::{AttributeDef, AttributeSetDef};
use ugas_core::catalog::Catalog;
use ugas_core::effect::EffectDef;
use ugas_core::event::{Event, EventKind, RemovalReason};
use ugas_core::modifier::Operation;
use ugas_core::simulation::{Config, Simulation, Snapshot};
use ugas_core::time::Span;

use self::client::Client;
use self::op::{Created, GameOp, favourites, game_ops, run_batch, run_call};
use crate::dump::{Names, write_characters, write_events, write_explanations, write_reload, write_state};
use crate::fixtures::{
    AbilityOp, SimDriver, ability_ops, arena, game_of_abilities, random_game, run_ability_op,
};
use crate::oracle::Game;

/// Largest number of operations of a game.
const OPERATIONS: usize = 40;
/// Steps in milliseconds by which time advances after the last operation, so that timers fire.
const AFTERWARDS: [i64; 5] = [100, 400, 1_000, 2_500, 8_000];
/// Number of operations for which a restored copy plays along.
const FORK: usize = 4;

/// Kind of recorded game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// Effects, sets, tags and cues, without abilities.
    Effects,
    /// Abilities with tasks.
    Abilities,
    /// Effects or abilities, with reloads of changed catalogs.
    Reloads,
    /// Abilities on a server, with a client that sees a part of it and predicts.
    Clients,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Effects, Self::Abilities, Self::Reloads, Self::Clients];

    /// Name in the record and in `UGAS_GAME`: `effects` and so on.
    pub fn name(self) -> &'static str {
        match self {
            Self::Effects => "effects",
            Self::Abilities => "abilities",
            Self::Reloads => "reloads",
            Self::Clients => "clients",
        }
    }
}

impl fmt::Display for Kind {
    /// Writes the name, as in the record.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Kind {
    type Err = String;

    /// Kind of a name, as in the record and in `UGAS_GAME`; the error lists the names.
    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|kind| kind.name() == name);
        found.ok_or_else(|| format!("no kind `{name}`: effects, abilities, reloads or clients"))
    }
}

/// FNV-1a over bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Digest(pub u64);

impl Default for Digest {
    /// Digest of no bytes: the offset basis of FNV-1a.
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Digest {
    /// Adds bytes to the digest. Recorded games compare digests instead of texts, because the texts of 20,000
    /// games would be too large.
    pub fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

/// Dump of a game: its digest, and on request the text and the number of events of each kind.
#[derive(Debug, Default)]
pub struct Transcript {
    /// Digest of the whole text.
    pub digest: Digest,
    /// The text since the last step, or the whole text if it is kept.
    pub text: String,
    /// Number of events by kind, and of refusals by code. Empty unless they are counted.
    pub counts: BTreeMap<&'static str, u64>,
    sealed: usize,
    keeps_text: bool,
    counts_events: bool,
}

impl Transcript {
    /// Transcript that keeps the text, to print one game or compare two commits.
    pub fn with_text() -> Self {
        Self { keeps_text: true, ..Self::default() }
    }

    /// Transcript that counts events, to see which kinds the recorded games cover.
    pub fn with_counts() -> Self {
        Self { counts_events: true, ..Self::default() }
    }

    /// Adds the text since the last call to the digest, and drops it unless the text is kept. If events are
    /// counted, also counts chain jumps and summoned controllers, which have no event of their own.
    fn seal(&mut self) {
        if self.counts_events {
            for (name, sign) in [("(chain jump)", " jump="), ("(summoned)", " summoned_by=")] {
                *self.counts.entry(name).or_default() += self.text.matches(sign).count() as u64;
            }
        }
        self.digest.add(&self.text.as_bytes()[self.sealed..]);
        if !self.keeps_text {
            self.text.clear();
        }
        self.sealed = self.text.len();
    }

    /// Counts events by kind, and refusals, failed tasks and removals also by reason, for the report of
    /// coverage. Does nothing unless the transcript counts.
    fn count_events(&mut self, events: &[Event]) {
        if !self.counts_events {
            return;
        }
        for event in events {
            *self.counts.entry(event.kind.name()).or_default() += 1;
            let codes: Vec<&'static str> = match &event.kind {
                EventKind::EffectRefused(refusal) => {
                    refusal.reasons.iter().map(|reason| reason.code()).collect()
                }
                EventKind::AbilityRefused(refusal) => {
                    refusal.reasons.iter().map(|reason| reason.code()).collect()
                }
                EventKind::TaskFailed { reason, .. } => vec![reason.code()],
                EventKind::EffectRemoved { reason, .. } => vec![match reason {
                    RemovalReason::Expired => "EffectRemoved: Expired",
                    RemovalReason::Removed => "EffectRemoved: Removed",
                    RemovalReason::RemovedByTag => "EffectRemoved: RemovedByTag",
                    RemovalReason::Overflowed => "EffectRemoved: Overflowed",
                    RemovalReason::TargetGone => "EffectRemoved: TargetGone",
                    RemovalReason::Reloaded => "EffectRemoved: Reloaded",
                }],
                EventKind::EffectExecuted { active: Some(_), .. } => vec!["EffectExecuted: periodic"],
                _ => Vec::new(),
            };
            for code in codes {
                *self.counts.entry(code).or_default() += 1;
            }
        }
    }
}

/// Full run of game `number` of a kind. Its dump goes into the transcript: always into the digest, as text
/// only if the transcript keeps it. Kind and number are the seed, so they always give the same game.
///
/// # Panics
/// If a restored copy plays on differently, the state hash by cached hashes is not that of the state, or the state
/// is inconsistent in the end.
pub fn play(kind: Kind, number: u32, transcript: &mut Transcript) {
    Player::new(kind, number, transcript).play();
    transcript.seal();
}

/// Next random value of a strategy. Panics if the strategy rejects its choices; those of recorded games never
/// do.
fn sample<T>(strategy: impl Strategy<Value = T>, runner: &mut TestRunner) -> T {
    strategy.new_tree(runner).expect("the generators reject nothing").current()
}

/// Random generator of a game, seeded by kind and number, so that each game can be played alone.
fn seeded_runner(kind: Kind, number: u32) -> TestRunner {
    let mut seed = [0; 32];
    let name = format!("{kind} {number}");
    seed[..name.len()].copy_from_slice(name.as_bytes());
    TestRunner::new_with_rng(ProptestConfig::default(), TestRng::from_seed(RngAlgorithm::ChaCha, &seed))
}

/// Random definitions of a game, with or without abilities: the arena, a random game or a game of abilities.
/// Half of them also have the definitions of the pack.
fn random_definitions(abilities: bool, runner: &mut TestRunner) -> Game {
    let which = sample(0..4u8, runner);
    let game = match (abilities, which) {
        (true, _) => sample(game_of_abilities(), runner),
        (false, 0) => arena(),
        (false, _) => sample(random_game(), runner),
    };
    if sample(any::<bool>(), runner) { pack::with_pack(game) } else { game }
}

/// Random configuration of a game; some have low limits, so that the refusals at the limits are recorded too.
fn random_config(runner: &mut TestRunner) -> Config {
    let (bits, seed) = sample((any::<u32>(), 0..1_000u64), runner);
    let one_in = |shift: u32, count: u32| (bits >> shift).is_multiple_of(count);
    let mut config = Config { cascade_limit: 300, prediction_seed: 5, ..Config::seeded(seed) };
    config.audit = one_in(0, 4);
    config.tag_counts = one_in(2, 2);
    if one_in(3, 8) {
        config.cascade_limit = 25;
    }
    if one_in(6, 8) {
        config.max_effects_per_controller = 7;
    }
    if one_in(9, 8) {
        config.max_stacks = 2;
    }
    if one_in(12, 4) {
        config.max_queued_occurrences = 2;
    }
    if one_in(15, 8) {
        config.max_activations_per_controller = 2;
        config.max_abilities_per_controller = 3;
        config.max_branches_per_activation = 4;
    }
    if one_in(18, 16) {
        config.max_inputs_per_controller = 1;
        config.max_targets = 1;
        config.max_runtime_effects = 1;
    }
    if one_in(22, 16) {
        config.max_events = 30;
    }
    config
}

/// The same game with additional definitions that shift ids, and its definitions in reverse order: a reload
/// of it changes ids, but no rule that is in use.
fn shifted(game: &Game) -> Game {
    let mut game = game.clone();
    game.effects.reverse();
    game.templates.reverse();
    game.tags.extend(["Aaa.First", "State.Buff.Aaa", "State.Zzz"].map(str::to_owned));
    game.sets.push(AttributeSetDef::new("Aaa").with(AttributeDef::new("Aaa", 1.0)));
    game.effects.push(EffectDef::infinite("Aaa").modify("Aaa", Operation::Add, 1.0).granting("Aaa.First"));
    game
}

/// Mixture of two games for a reload that changes rules: a third of the effects of `game`, the others of
/// `other`, without a few effects that nothing else refers to, with a new attribute, and for an even seed
/// without `Rage`.
fn mixed(game: &Game, other: &Game, seed: usize) -> Game {
    let mut mixed = other.clone();
    for (at, effect) in mixed.effects.iter_mut().enumerate() {
        if at % 3 == seed % 3
            && let Some(same) = game.effects.iter().find(|def| def.name == effect.name)
        {
            *effect = same.clone();
        }
    }
    mixed.effects.retain(|def| !["GE_11", "GE_Vigor", "GE_Banner"].contains(&def.name.as_str()));
    if seed.is_multiple_of(2) {
        mixed.sets[0].attributes.retain(|attribute| attribute.name != "Rage");
        for effect in &mut mixed.effects {
            effect.modifiers.retain(|modifier| modifier.attribute != "Rage");
            effect.modifiers.retain(|modifier| !format!("{:?}", modifier.magnitude).contains("Rage"));
        }
    }
    mixed.sets[0].attributes.push(AttributeDef::new("Luck", 7.0));
    mixed
}

/// A simulation with everything that the operations of its game need.
#[derive(Clone)]
struct Table {
    driver: SimDriver,
    names: Names,
    created: Created,
}

/// A game in play.
struct Player<'a> {
    table: Table,
    ops: Vec<GameOp>,
    catalogs: Vec<Arc<Catalog>>,
    kept: Option<(Table, Snapshot)>,
    /// Restored copy, and the number of operations for which it still plays along.
    fork: Option<(Table, usize)>,
    /// Events and state of the last operation, while there is a copy.
    step: String,
    client: Option<Client>,
    /// Visible controllers of each update of the client, and the operations that it predicts.
    views: Vec<(Vec<u8>, Vec<AbilityOp>)>,
    transcript: &'a mut Transcript,
}

impl<'a> Player<'a> {
    /// Generates everything of game `number` of a kind from its seed: definitions, catalogs to reload,
    /// configuration, operations, and views of the client. Only the first two controllers are spawned.
    fn new(kind: Kind, number: u32, transcript: &'a mut Transcript) -> Self {
        let mut runner = seeded_runner(kind, number);
        let abilities = match kind {
            Kind::Effects => false,
            Kind::Abilities | Kind::Clients => true,
            Kind::Reloads => sample(any::<bool>(), &mut runner),
        };
        let game = random_definitions(abilities, &mut runner);
        let mut catalogs = Vec::new();
        if kind == Kind::Reloads {
            let other = random_definitions(abilities, &mut runner);
            let seed = sample(0..6usize, &mut runner);
            catalogs.extend([&game, &shifted(&game), &other, &mixed(&game, &other, seed)].map(Game::catalog));
        }
        let config = random_config(&mut runner);
        let mut ops = sample(game_ops(OPERATIONS, abilities, kind == Kind::Reloads), &mut runner);
        sample(favourites(), &mut runner).apply(&mut ops, abilities);
        let views = match kind {
            Kind::Clients => {
                let view = (proptest::collection::vec(0..5u8, 1..5), ability_ops(3));
                sample(proptest::collection::vec(view, OPERATIONS / 3 + 3), &mut runner)
            }
            _ => Vec::new(),
        };
        let driver = SimDriver::configured(&game, config);
        let client = (kind == Kind::Clients).then(|| Client::new(&driver.sim));
        let table = Table { driver, names: Names::default(), created: Created::default() };
        Self { table, ops, catalogs, kept: None, fork: None, step: String::new(), client, views, transcript }
    }

    /// Runs all operations and writes each result to the transcript, updates the client after every third,
    /// lets time pass so that timers fire, and ends with explanations and characters.
    ///
    /// # Panics
    /// If a restored copy differs, the state hash is stale after a step, or the state is inconsistent in the end.
    fn play(mut self) {
        self.write_step("begin");
        for (at, op) in std::mem::take(&mut self.ops).iter().enumerate() {
            let reply = self.run(op);
            self.write_step(&format!("{op:?} {reply}"));
            self.check_fork(op);
            if at % 3 == 2 {
                self.update_client(at / 3);
            }
        }
        for millis in AFTERWARDS {
            self.table.driver.sim.advance(Span::millis(millis));
            self.write_step("afterwards");
        }
        let Table { driver, names, .. } = &mut self.table;
        write_explanations(&mut self.transcript.text, names, &driver.sim);
        write_characters(&mut self.transcript.text, names, &driver.sim);
        let found = driver.sim.inconsistencies();
        assert!(found.is_empty(), "inconsistent state: {found:#?}");
    }

    /// Writes a line with the title, the events since the last call, and the state to the transcript. Keeps
    /// events and state for [`check_fork`](Self::check_fork) while there is a copy.
    fn write_step(&mut self, title: &str) {
        let Table { driver, names, .. } = &mut self.table;
        let transcript = &mut *self.transcript;
        writeln!(transcript.text, "{title} dropped={}", driver.sim.dropped_events())
            .expect("a string takes everything");
        let start = transcript.text.len();
        let events = write_events(&mut transcript.text, names, &mut driver.sim);
        write_state(&mut transcript.text, names, &driver.sim);
        if self.fork.is_some() {
            self.step.clear();
            self.step.push_str(&transcript.text[start..]);
        }
        transcript.count_events(&events);
        transcript.seal();
        check_hash(&driver.sim);
    }

    /// Runs an operation of a game, including those that replace or copy the simulation; returns its result
    /// as text for the transcript.
    fn run(&mut self, op: &GameOp) -> String {
        match op {
            GameOp::Fixture(_) | GameOp::Batch(_) | GameOp::Call(..) => return self.table.run(op).to_owned(),
            GameOp::Rollback(false) => {
                self.kept = Some((self.table.clone(), self.table.driver.sim.snapshot()));
            }
            GameOp::Rollback(true) => {
                let Some((kept, snapshot)) = self.kept.clone() else { return "nothing kept".to_owned() };
                // The running simulation restores the snapshot; the clone has the handles of that time.
                let empty =
                    Simulation::new(kept.driver.sim.catalog().clone(), kept.driver.sim.config().clone());
                let mut sim = std::mem::replace(&mut self.table.driver.sim, empty);
                let restored = sim.restore(&snapshot);
                self.fork = None;
                if restored.is_err() {
                    self.table.driver.sim = sim;
                    return "another catalog".to_owned();
                }
                self.table = kept;
                self.table.driver.sim = sim;
                if let Some(client) = &mut self.client {
                    client.reset();
                }
            }
            GameOp::Fork => self.fork(),
            GameOp::Reload(which) => {
                let catalog = self.catalogs[which % self.catalogs.len()].clone();
                self.fork = None;
                return self.reload(catalog);
            }
        }
        String::new()
    }

    /// Reloads a catalog; returns the report as text for the transcript, or `refused`, which leaves the
    /// simulation unchanged.
    fn reload(&mut self, catalog: Arc<Catalog>) -> String {
        let Table { driver, names, .. } = &mut self.table;
        match driver.sim.reload(catalog) {
            Ok(report) => {
                let mut text = String::new();
                write_reload(&mut text, names, &driver.sim, &report);
                text
            }
            Err(_) => "refused".to_owned(),
        }
    }

    /// Restores a copy of the simulation from the bytes of a snapshot. It plays along for the next [`FORK`]
    /// operations, and [`check_fork`](Self::check_fork) compares it.
    fn fork(&mut self) {
        let mut copy = self.table.clone();
        let sim = &self.table.driver.sim;
        let bytes = sim.snapshot().to_bytes();
        let snapshot = Snapshot::from_bytes(&bytes, sim.catalog()).expect("a snapshot can be decoded");
        let mut restored = Simulation::new(sim.catalog().clone(), sim.config().clone());
        restored.restore(&snapshot).expect("the catalog is the same");
        copy.driver.sim = restored;
        self.fork = Some((copy, FORK));
    }

    /// Lets the restored copy run the same operation, and panics if its events or state differ from the
    /// original's. Drops the copy after its last operation.
    fn check_fork(&mut self, op: &GameOp) {
        let Some((copy, left)) = &mut self.fork else { return };
        if matches!(op, GameOp::Fork) {
            return;
        }
        copy.run(op);
        let mut text = String::new();
        write_events(&mut text, &mut copy.names, &mut copy.driver.sim);
        write_state(&mut text, &mut copy.names, &copy.driver.sim);
        if let Some((one, other)) = self.step.lines().zip(text.lines()).find(|(one, other)| one != other) {
            panic!("the restored copy differs after {op:?}:\n{one}\n{other}");
        }
        assert_eq!(self.step.len(), text.len(), "the restored copy differs after {op:?}");
        *left -= 1;
        if *left == 0 {
            self.fork = None;
        }
    }

    /// Sends the state to the client, writes the client's state to the transcript, lets it predict some
    /// operations, and writes its state again. Does nothing in games without a client, or beyond the last
    /// generated view.
    fn update_client(&mut self, round: usize) {
        let (Some(client), Some((choice, ops))) = (&mut self.client, self.views.get(round)) else { return };
        let transcript = &mut *self.transcript;
        client.update(&self.table.driver.sim, choice);
        check_hash(&client.sim);
        transcript.text.push_str("client\n");
        write_events(&mut transcript.text, &mut client.names, &mut client.sim);
        write_state(&mut transcript.text, &mut client.names, &client.sim);
        for op in ops {
            client.predict(&self.table.driver, op);
            check_hash(&client.sim);
        }
        client.sim.advance(Span::millis(200));
        transcript.text.push_str("predicted\n");
        let events = write_events(&mut transcript.text, &mut client.names, &mut client.sim);
        write_state(&mut transcript.text, &mut client.names, &client.sim);
        transcript.count_events(&events);
        transcript.seal();
        check_hash(&client.sim);
    }
}

/// Compares the state hash, which uses the hashes of records that were cached after earlier steps, with the hash of a
/// copy, which has no cached hashes. A difference is a write to a record that left its edition as it was.
///
/// # Panics
/// If they differ.
fn check_hash(sim: &Simulation) {
    assert_eq!(sim.state_hash(), sim.snapshot().state_hash(), "the state hash by cached hashes is stale");
}

impl Table {
    /// Runs an operation on the simulation alone, for the game and for its restored copy; returns its result
    /// as text. Operations that replace or copy the simulation do nothing here.
    fn run(&mut self, op: &GameOp) -> &'static str {
        match op {
            GameOp::Fixture(op) => run_ability_op(&mut self.driver, op),
            GameOp::Batch(ops) => run_batch(&mut self.driver, ops),
            GameOp::Call(call, numbers) => {
                return run_call(&mut self.driver, &mut self.created, *call, *numbers);
            }
            GameOp::Rollback(_) | GameOp::Fork | GameOp::Reload(_) => {}
        }
        ""
    }
}
