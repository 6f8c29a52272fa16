//! Fuzz bodies on seeds and deterministic mutations. `UGAS_FUZZ_RUNS` sets the number of mutations;
//! `fuzz/README.md` explains how to run a real fuzzer.

use std::path::{Path, PathBuf};

use ugas_testkit::fuzz::{self, Mutator};

fn run(body: fn(&[u8]), seeds: Vec<Vec<u8>>, runs: usize) {
    let runs = std::env::var("UGAS_FUZZ_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(runs);
    let mut mutator = Mutator::new(seeds);
    for seed in mutator.seeds() {
        body(seed);
    }
    for _ in 0..runs {
        let input = mutator.input();
        if let Err(panic) = std::panic::catch_unwind(|| body(&input)) {
            eprintln!("--- the input:\n{}\n---", String::from_utf8_lossy(&input));
            eprintln!("{input:?}");
            std::panic::resume_unwind(panic);
        }
    }
}

/// Files of the repository below a folder, small ones only.
fn files(folder: &str, extension: &str) -> Vec<Vec<u8>> {
    fn collect(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect(&path, extension, found);
            } else if path.extension().is_some_and(|own| own == extension) {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder), extension, &mut found);
    found.sort();
    let texts = found.into_iter().map(|path| std::fs::read(path).unwrap());
    texts.filter(|text| text.len() < 16_000).collect()
}

/// Scenarios of the conformance suite, one in each seed, so that most mutations still run.
fn scenarios() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for file in files("conformance", "yaml") {
        let text = String::from_utf8(file).unwrap();
        seeds.extend(text.split("\n---\n").map(|scenario| scenario.as_bytes().to_vec()));
    }
    seeds
}

fn yaml() -> Vec<Vec<u8>> {
    [files("crates/ugas-data/tests", "yaml"), files("packs", "yaml")].concat()
}

#[test]
fn yaml_files() {
    run(fuzz::load_yaml, [yaml(), scenarios()].concat(), 2000);
}

#[test]
fn json_files() {
    let mut seeds = files("crates/ugas-data/tests", "json");
    seeds.push(br#"{"$schema":"x/schemas/attribute.json","Name":"A","DefaultBaseValue":1e3,"Clamping":{"Min":-0.5,"Max":"B\u00e9\ud83d\ude00"}}"#.to_vec());
    run(fuzz::load_json, seeds, 2000);
}

#[test]
fn canonical_yaml() {
    run(fuzz::round_trip, yaml(), 1500);
}

#[test]
fn expressions() {
    let seeds = [
        "Health * (1 + Defense / 100)",
        "-Source.AttackPower * (1 - effective / (effective + 100))",
        "if(HasTag(\"State.Burning\") and not Target.HasTag('Immune.Fire'), max(1, 2, x), clamp(Level, 0, 9))",
        "2 ^ 3 ^ 2 % 7 - -1e3 + .5",
        "curve(\"Damage\", Level) * SetByCaller(\"Data.Damage\") + Param(\"Range\") + rand() * Stacks",
        "lerp(floor(Health), ceil(Mana), round(sqrt(abs(Gold)))) >= pow(2, 0.5) or true == false != x",
    ];
    run(fuzz::expression, seeds.iter().map(|seed| seed.as_bytes().to_vec()).collect(), 30_000);
}

#[test]
fn states_of_scenarios() {
    run(fuzz::state, fuzz::state_seeds(), 600);
}

#[test]
fn snapshots() {
    run(fuzz::snapshot, fuzz::snapshot_seeds(), 4000);
}

#[test]
fn commands() {
    run(fuzz::command, fuzz::command_seeds(), 6000);
}

#[test]
fn replicas() {
    run(fuzz::replica, fuzz::replica_seeds(), 3000);
}

#[test]
fn recordings() {
    let seeds = files("crates/ugas-replay/tests/golden", "ugasrec");
    for seed in &seeds {
        let opened = ugas_replay::Recording::open(std::io::Cursor::new(seed.clone()));
        assert!(opened.is_ok_and(|recording| recording.ticks() > 0), "a seed that leads nowhere");
    }
    run(fuzz::recording, seeds, 600);
}

#[test]
fn scenarios_run() {
    run(fuzz::scenario, scenarios(), 1500);
}

#[test]
fn datagrams_of_clients() {
    let seeds = fuzz::wire_to_server_seeds();
    assert_eq!(seeds.len(), 4);
    run(fuzz::wire_to_server, seeds, 20_000);
}

#[test]
fn datagrams_of_servers() {
    let seeds = fuzz::wire_to_client_seeds();
    assert_eq!(seeds.len(), 5);
    assert!(seeds.iter().all(|seed| fuzz::wire_to_listener(seed)), "a seed that leads nowhere");
    run(fuzz::wire_to_client, seeds, 20_000);
}

/// Games and operations chosen by the bytes of files.
#[test]
fn operations_against_the_oracle() {
    run(fuzz::operations, yaml().into_iter().take(20).collect(), 60);
}

#[test]
fn servers_with_arbitrary_datagrams() {
    run(fuzz::server, fuzz::server_seeds(), 400);
}

#[test]
fn clients_with_arbitrary_datagrams() {
    run(fuzz::client, fuzz::client_seeds(), 600);
}
