//! Windows on other simulations.

use std::collections::BTreeMap;

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use ugas_core::codec::{Decode, Decoder, Encode, Encoder, VERSION};
use ugas_core::handle::ControllerId;
use ugas_core::mirror::{Mirror, Piece, PieceKey, PieceScratch, Sight};
use ugas_core::simulation::{Role, Simulation, Snapshot};
use ugas_core::time::Time;

use super::bytes::{bout, catalog, config, use_everything};
use crate::fixtures::{deeds, do_deed};

/// How many windows are installed.
const INSTALLATIONS: usize = 6;

/// Any bytes as what a server sends, one message after another: each is refused, or taken; and whatever was taken, the
/// client's simulation is sound, can be written and read, and can be used.
pub fn mirror(bytes: &[u8]) {
    let mut decoder = Decoder::new(bytes, VERSION);
    let mut mirror = Mirror::new(catalog().clone());
    let config = ugas_core::simulation::Config { role: Role::Client, ..config() };
    let mut sim = Simulation::new(catalog().clone(), config);
    let mut installations = 0;
    while let Ok(message) = Message::decode(&mut decoder) {
        match message {
            Message::Put(controller, key, piece) => {
                let _ = mirror.put(controller, key, piece);
            }
            Message::TakeAway(controller, key) => mirror.take_away(controller, key),
            Message::Forget(controller) => mirror.forget(controller),
            Message::See(controller, sight) => mirror.see(controller, sight),
            Message::Install(now) => {
                install(&mut mirror, &mut sim, now);
                installations += 1;
                if installations == INSTALLATIONS {
                    break;
                }
                use_everything(&mut sim);
            }
        }
    }
    install(&mut mirror, &mut sim, Time::from_seconds(7.0));
    use_everything(&mut sim);
    mirror.clear();
    install(&mut mirror, &mut sim, Time::from_seconds(8.0));
}

fn install(mirror: &mut Mirror, sim: &mut Simulation, now: Time) {
    if let Err(error) = mirror.install(sim, now) {
        panic!("a window of the same catalog: {error}");
    }
    let found = sim.inconsistencies();
    assert!(found.is_empty(), "{found:#?}");
    let bytes = sim.snapshot().to_bytes();
    if let Err(error) = Snapshot::from_bytes(&bytes, catalog()) {
        panic!("a window cannot be read: {error}");
    }
}

/// What a server sends of a game, to begin with.
pub fn mirror_seeds() -> Vec<Vec<u8>> {
    let sights = [Sight::WHOLE, Sight::EFFECTS, Sight::SHOWN];
    (0..6).map(|at| conversation(at, sights[at % 3])).collect()
}

fn conversation(skip: usize, sight: Sight) -> Vec<u8> {
    let mut runner = TestRunner::deterministic();
    let mut bout = bout();
    let mut next = || deeds(12).new_tree(&mut runner).map(|tree| tree.current()).unwrap_or_default();
    (0..skip).for_each(|_| drop(next()));
    let mut encoder = Encoder::new();
    let mut sent: BTreeMap<(ControllerId, PieceKey), Piece> = BTreeMap::new();
    for _ in 0..3 {
        next().iter().for_each(|deed| do_deed(&mut bout, deed));
        let mut pieces = BTreeMap::new();
        for (id, _) in bout.sim.controllers() {
            bout.sim.pieces(id, sight, &mut PieceScratch::default(), |key, piece| {
                pieces.insert((id, key), piece.to_piece());
            });
            Message::See(id, sight).encode(&mut encoder);
        }
        for (id, key) in sent.keys().filter(|at| !pieces.contains_key(at)) {
            Message::TakeAway(*id, *key).encode(&mut encoder);
        }
        for (at, piece) in pieces.iter().filter(|(at, piece)| sent.get(at) != Some(piece)) {
            Message::Put(at.0, at.1, piece.clone()).encode(&mut encoder);
        }
        sent = pieces;
        Message::Install(bout.sim.now()).encode(&mut encoder);
    }
    encoder.into_bytes()
}

/// What arrives at a client.
enum Message {
    Put(ControllerId, PieceKey, Piece),
    TakeAway(ControllerId, PieceKey),
    Forget(ControllerId),
    See(ControllerId, Sight),
    Install(Time),
}

impl Encode for Message {
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
            Self::See(controller, sight) => {
                encoder.byte(3);
                controller.encode(encoder);
                sight.encode(encoder);
            }
            Self::Install(now) => {
                encoder.byte(4);
                now.encode(encoder);
            }
        }
    }
}

impl Decode for Message {
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
