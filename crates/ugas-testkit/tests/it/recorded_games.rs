//! Recorded games: the dumps of 20,000 random games have the digests in `tests/recorded-games.txt`, so that a change of
//! the core's internals changes no state and no event.
//!
//! The usual test plays the first games of each kind. Environment variables choose more:
//!
//! - `UGAS_GAMES=all` plays all games; use `--release`.
//! - `UGAS_GAMES="list abilities 12"` prints the digest of each game of batch 12 of the abilities.
//! - `UGAS_GAMES=coverage` plays all games and prints how many events of each kind they have.
//! - `UGAS_GAME="abilities 1234"` prints the dump of one game; two commits can be compared with `diff`.
//! - `UPDATE_EXPECT=1` plays all games and writes their digests. Do that only for a change of rules or generators.

use std::collections::BTreeMap;
use std::env;
use std::fmt::Write;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use ugas_testkit::games::{Digest, Kind, Transcript, play};

/// Games of each kind.
const GAMES: u32 = 5_000;
/// Games with one digest in the record.
const BATCH: u32 = 50;
/// Batches of each kind that the usual test plays.
const QUICK: u32 = 4;

/// Names the game in which a panic happens.
struct Running(Kind, u32);

impl Drop for Running {
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!(
                "panic in game `{} {}`; UGAS_GAME=\"{} {}\" plays it alone",
                self.0, self.1, self.0, self.1
            );
        }
    }
}

fn play_game(kind: Kind, number: u32, mut transcript: Transcript) -> Transcript {
    let _running = Running(kind, number);
    play(kind, number, &mut transcript);
    transcript
}

fn batch_games(batch: u32) -> std::ops::Range<u32> {
    batch * BATCH..(batch + 1) * BATCH
}

/// Digest of the digests of a batch.
fn play_batch(kind: Kind, batch: u32) -> Digest {
    let mut digest = Digest::default();
    for number in batch_games(batch) {
        digest.add(&play_game(kind, number, Transcript::default()).digest.0.to_le_bytes());
    }
    digest
}

/// Results of the first batches of every kind, computed on all processors.
fn each_batch<T: Send>(batches: u32, run: impl Fn(Kind, u32) -> T + Sync) -> BTreeMap<(Kind, u32), T> {
    let jobs: Vec<(Kind, u32)> =
        Kind::ALL.into_iter().flat_map(|kind| (0..batches).map(move |batch| (kind, batch))).collect();
    let (next, results) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(&(kind, batch)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = run(kind, batch);
                    results.lock().unwrap().insert((kind, batch), result);
                }
            });
        }
    });
    results.into_inner().unwrap()
}

/// Prints the number of events of each kind, and of reasons of refusals, by kind of game.
fn print_coverage() {
    let counts = each_batch(GAMES / BATCH, |kind, batch| {
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        for number in batch_games(batch) {
            for (name, count) in play_game(kind, number, Transcript::with_counts()).counts {
                *counts.entry(name).or_default() += count;
            }
        }
        counts
    });
    let mut table: BTreeMap<&str, [u64; 4]> = BTreeMap::new();
    for ((kind, _), counts) in counts {
        for (name, count) in counts {
            table.entry(name).or_default()[kind as usize] += count;
        }
    }
    let [one, two, three, four] = Kind::ALL.map(Kind::name);
    let mut text = format!("{:<28} {one:>10} {two:>10} {three:>10} {four:>10}\n", "");
    for (name, [one, two, three, four]) in table {
        writeln!(text, "{name:<28} {one:>10} {two:>10} {three:>10} {four:>10}").unwrap();
    }
    print(&text);
}

/// Prints the digests of the games of a batch, named by its kind and number.
fn print_digests(batch: &str) {
    let (kind, batch) = kind_and_number(batch);
    let mut text = String::new();
    for number in batch_games(batch) {
        let digest = play_game(kind, number, Transcript::default()).digest;
        writeln!(text, "{kind} {number} {:016x}", digest.0).unwrap();
    }
    print(&text);
}

/// Prints to the standard output of the process, which the test harness does not capture.
fn print(text: &str) {
    std::io::Write::write_all(&mut std::io::stdout(), text.as_bytes()).unwrap();
}

fn kind_and_number(text: &str) -> (Kind, u32) {
    let (kind, number) = text.trim().split_once(' ').expect("write `KIND NUMBER`, as in `abilities 12`");
    (kind.parse().unwrap(), number.trim().parse().expect("a number"))
}

#[test]
fn random_games_have_their_recorded_dumps() {
    if let Ok(game) = env::var("UGAS_GAME") {
        let (kind, number) = kind_and_number(&game);
        return print(&play_game(kind, number, Transcript::with_text()).text);
    }
    let choice = env::var("UGAS_GAMES").unwrap_or_default();
    let updates = env::var_os("UPDATE_EXPECT").is_some();
    let batches = match choice.as_str() {
        "all" => GAMES / BATCH,
        "coverage" => return print_coverage(),
        "" if updates => GAMES / BATCH,
        "" => QUICK,
        other => match other.strip_prefix("list ") {
            Some(batch) => return print_digests(batch),
            None => panic!("UGAS_GAMES is `all`, `coverage` or `list KIND BATCH`, not `{other}`"),
        },
    };
    let mut found = String::new();
    for ((kind, batch), digest) in each_batch(batches, play_batch) {
        writeln!(found, "{kind} {batch} {:016x}", digest.0).unwrap();
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recorded-games.txt");
    if updates {
        std::fs::write(&path, found).unwrap();
        return;
    }
    let recorded = std::fs::read_to_string(&path).unwrap();
    let recorded: Vec<&str> = recorded.lines().collect();
    assert_eq!(recorded.len(), 4 * (GAMES / BATCH) as usize, "number of batches in the record");
    let differing: Vec<&str> = found.lines().filter(|line| !recorded.contains(line)).collect();
    assert!(
        differing.is_empty(),
        "{} of {} batches differ from the record, first: {}; CONTRIBUTING.md says how to find the game",
        differing.len(),
        found.lines().count(),
        differing[0]
    );
}
