//! Fuzz body for replicas.

use std::collections::BTreeMap;

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use ugas_core::codec::{Decode, Decoder, Encode, Encoder, VERSION};
use ugas_core::handle::ControllerId;
use ugas_core::replica::{Piece, PieceKey, PieceScratch, RecordVisibility, Replica};
use ugas_core::simulation::{Role, Simulation, Snapshot};
use ugas_core::time::Time;

use super::bytes::{catalog, config, driver, use_everything};
use crate::fixtures::{ability_ops, run_ability_op};

/// Most installations of one run.
const INSTALLATIONS: usize = 6;

/// Fuzz body: decodes any bytes as messages of a server. Each is rejected or accepted, and the client's
/// simulation stays sound, can be encoded and decoded, and can be used.
pub fn replica(bytes: &[u8]) {
    let mut decoder = Decoder::new(bytes, VERSION);
    let mut replica = Replica::new(catalog().clone());
    let config = ugas_core::simulation::Config { role: Role::Client, ..config() };
    let mut sim = Simulation::new(catalog().clone(), config);
    let mut installations = 0;
    while let Ok(message) = Message::decode(&mut decoder) {
        match message {
            Message::Put(controller, key, piece) => {
                let _ = replica.put(controller, key, piece);
            }
            Message::TakeAway(controller, key) => replica.remove(controller, key),
            Message::Forget(controller) => replica.forget(controller),
            Message::See(controller, visibility) => replica.set_visibility(controller, visibility),
            Message::Install(now) => {
                install_and_check(&mut replica, &mut sim, now);
                installations += 1;
                if installations == INSTALLATIONS {
                    break;
                }
                use_everything(&mut sim);
            }
        }
    }
    install_and_check(&mut replica, &mut sim, Time::from_seconds(7.0));
    use_everything(&mut sim);
    replica.clear();
    install_and_check(&mut replica, &mut sim, Time::from_seconds(8.0));
}

/// Installs a replica in a simulation, and asserts that the state is sound and survives encoding. The catalog
/// is the same, so a refusal panics too.
fn install_and_check(replica: &mut Replica, sim: &mut Simulation, now: Time) {
    if let Err(error) = replica.install(sim, now) {
        panic!("a replica of the same catalog cannot be installed: {error}");
    }
    let found = sim.inconsistencies();
    assert!(found.is_empty(), "{found:#?}");
    let bytes = sim.snapshot().to_bytes();
    if let Err(error) = Snapshot::from_bytes(&bytes, catalog()) {
        panic!("the snapshot of a replica cannot be decoded: {error}");
    }
}

/// Seeds of [`replica`]: messages of a server about a game, with different visibilities.
pub fn replica_seeds() -> Vec<Vec<u8>> {
    let visibilities = [RecordVisibility::ALL, RecordVisibility::EFFECTS, RecordVisibility::NONE];
    (0..6).map(|at| server_messages(at, visibilities[at % 3])).collect()
}

/// Encoded messages of a server that sends three states of a game, each as the difference to the one before:
/// a seed. `skip` chooses other operations.
fn server_messages(skip: usize, visibility: RecordVisibility) -> Vec<u8> {
    let mut runner = TestRunner::deterministic();
    let mut driver = driver();
    let mut next = || ability_ops(12).new_tree(&mut runner).map(|tree| tree.current()).unwrap_or_default();
    (0..skip).for_each(|_| drop(next()));
    let mut encoder = Encoder::new();
    let mut sent: BTreeMap<(ControllerId, PieceKey), Piece> = BTreeMap::new();
    for _ in 0..3 {
        next().iter().for_each(|ability_op| run_ability_op(&mut driver, ability_op));
        let mut pieces = BTreeMap::new();
        for (id, _) in driver.sim.controllers() {
            driver.sim.pieces(id, visibility, &mut PieceScratch::default(), |key, piece| {
                pieces.insert((id, key), piece.to_piece());
            });
            Message::See(id, visibility).encode(&mut encoder);
        }
        for (id, key) in sent.keys().filter(|at| !pieces.contains_key(at)) {
            Message::TakeAway(*id, *key).encode(&mut encoder);
        }
        for (at, piece) in pieces.iter().filter(|(at, piece)| sent.get(at) != Some(piece)) {
            Message::Put(at.0, at.1, piece.clone()).encode(&mut encoder);
        }
        sent = pieces;
        Message::Install(driver.sim.now()).encode(&mut encoder);
    }
    encoder.into_bytes()
}

/// Message to a client.
enum Message {
    Put(ControllerId, PieceKey, Piece),
    TakeAway(ControllerId, PieceKey),
    Forget(ControllerId),
    See(ControllerId, RecordVisibility),
    Install(Time),
}

impl Encode for Message {
    /// Encodes the kind as one byte and then the fields, in the form that `decode` reads; for seeds.
    fn encode(&self, encoder: &mut Encoder) {
        match self {
            Self::Put(controller, key, piece) => {
                encoder.byte(0);
                controller.encode(encoder);
                key.encode(encoder);
                piece.encode(encoder);
            }
            Self::TakeAway(controller, key) => {
                encoder.byte(1);
                controller.encode(encoder);
                key.encode(encoder);
            }
            Self::Forget(controller) => {
                encoder.byte(2);
                controller.encode(encoder);
            }
            Self::See(controller, visibility) => {
                encoder.byte(3);
                controller.encode(encoder);
                visibility.encode(encoder);
            }
            Self::Install(now) => {
                encoder.byte(4);
                now.encode(encoder);
            }
        }
    }
}

impl Decode for Message {
    /// Decodes a message of the fuzzer's input; any first byte is valid, so that the fuzzer reaches every
    /// kind. An error ends the input.
    fn decode(decoder: &mut Decoder<'_>) -> Result<Self, ugas_core::codec::DecodeError> {
        Ok(match decoder.byte()? % 5 {
            0 => Self::Put(Decode::decode(decoder)?, Decode::decode(decoder)?, Decode::decode(decoder)?),
            1 => Self::TakeAway(Decode::decode(decoder)?, Decode::decode(decoder)?),
            2 => Self::Forget(Decode::decode(decoder)?),
            3 => Self::See(Decode::decode(decoder)?, Decode::decode(decoder)?),
            _ => Self::Install(Decode::decode(decoder)?),
        })
    }
}
