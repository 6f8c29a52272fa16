//! Fuzz bodies for datagrams.

use std::sync::OnceLock;

use ugas_core::effect::PredictionKey;
use ugas_core::handle::{ActiveEffectId, ControllerId, GrantedAbilityId, Handle};
use ugas_core::id::{AttributeId, TagId};
use ugas_core::replica::{Piece, PieceKey, RecordVisibility};
use ugas_core::targeting::{Placement, Target, TargetData};
use ugas_net::bits::BitWriter;
use ugas_net::message::{
    Ack, AckReport, ActivationRef, ByeReason, ClientId, CommandFrame, CommandOutcome, CommandResult,
    ControllerChange, ControllerUpdate, CueBurst, Frames, Hello, NetCommand, PacketId, Refused,
    RefusedReason, Rejection, Resume, ResumeSecret, StreamParams, ToClient, ToServer, Update, Welcome,
};
use ugas_net::quantise::Quantiser;
use ugas_net::wire::{
    self, Baseline, BlockEncoding, DeltaEntry, Dictionary, Exactness, UpdateBits, UpdateDecoder,
    UpdateHeader, UpdateWriter,
};
use ugas_net::{Tick, TickLength};

/// Fuzz body: decodes any bytes as a datagram of a client. The result is an error with a position in the
/// bytes, or a message that encodes to the same bytes.
pub fn wire_to_server(bytes: &[u8]) {
    match wire::decode_to_server(dictionary(), bytes) {
        Ok(message) => {
            let again = wire::encode_to_server(dictionary(), &message);
            assert_eq!(again.as_deref(), Ok(bytes), "written again, other bytes: {message:?}");
        }
        Err(error) => assert!(error.at <= bytes.len() as u64 * 8 && !error.to_string().is_empty()),
    }
}

/// Fuzz body: decodes any bytes as a datagram of the server. The result is an error with a position in the
/// bytes, or a message that encodes to the same bytes. Also runs [`wire_to_listener`].
pub fn wire_to_client(bytes: &[u8]) {
    match wire::decode_to_client(dictionary(), bytes) {
        Ok(message) => {
            let again = wire::encode_to_client(dictionary(), &message);
            assert_eq!(again.as_deref(), Ok(bytes), "written again, other bytes: {message:?}");
        }
        Err(error) => assert!(error.at <= bytes.len() as u64 * 8 && !error.to_string().is_empty()),
    }
    wire_to_listener(bytes);
}

/// Decodes any bytes in a client that knows controllers and their attributes: it decodes all of them or
/// nothing, and keeps no more state than one datagram can contain. True if they were decoded, which tests
/// assert for seeds.
pub fn wire_to_listener(bytes: &[u8]) -> bool {
    let mut decoder = UpdateDecoder::new();
    decoder.note(&update());
    let before = decoder.held();
    match decoder.read(dictionary(), bytes) {
        Ok(ToClient::Update(update)) => {
            let pieces = update.controllers.iter().map(|entry| match &entry.change {
                ControllerChange::Pieces { pieces, .. } => pieces.len(),
                ControllerChange::Gone => 0,
            });
            let received: usize = pieces.map(|pieces| 1 + pieces).sum();
            decoder.note(&update);
            assert!(
                decoder.held() <= before + 1 + received,
                "the decoder keeps more than it received: {update:?}"
            );
            true
        }
        Ok(_) => true,
        Err(error) => {
            assert!(error.at <= bytes.len() as u64 * 8 && !error.to_string().is_empty());
            false
        }
    }
}

/// Seeds of [`wire_to_server`]: one datagram of each kind that a client sends, encoded with the fuzz
/// dictionary.
pub fn wire_to_server_seeds() -> Vec<Vec<u8>> {
    let credential = b"ticket".to_vec();
    let hello = Hello { protocol: 1, catalog: 2, dictionary: 3, nonce: 4, credential };
    let run = ActivationRef::Begun(PredictionKey(100 << 32 | 1 << 16));
    let commands = [
        vec![NetCommand::Activate {
            ability: handle::<GrantedAbilityId>(3, 1),
            targets: TargetData::from_iter([
                Target::Controller(handle(9, 2)),
                Target::Location([1.0, 2.5, -3.0]),
            ]),
            event: None,
        }],
        vec![
            NetCommand::Press {
                controller: handle(9, 2),
                input: "Jump".into(),
                targets: TargetData::default(),
            },
            NetCommand::End(run),
        ],
        vec![NetCommand::Targets { run, branch: 1, targets: handle::<ControllerId>(4, 1).into() }],
    ];
    let frames = (100..).map(Tick).zip(commands);
    let frames = frames.map(|(tick, commands)| CommandFrame { tick, commands });
    let frames = Frames {
        session: 1,
        packet: PacketId(50),
        ack: Ack { newest: PacketId(40), earlier: 0xFFFF_FFF0 },
        now: Tick(104),
        frames: frames.collect(),
    };
    let secret = ResumeSecret([7; ResumeSecret::BYTES]);
    let resume = Resume { client: ClientId(2), nonce: 8, secret };
    let messages =
        [ToServer::Hello(hello), ToServer::Frames(frames), ToServer::Bye, ToServer::Resume(resume)];
    messages.iter().filter_map(|message| wire::encode_to_server(dictionary(), message).ok()).collect()
}

/// Seeds of [`wire_to_client`]: one datagram of each kind that the server sends, and an update with a delta.
pub fn wire_to_client_seeds() -> Vec<Vec<u8>> {
    let welcome = Welcome {
        nonce: 1,
        client: ClientId(2),
        session: 6,
        tick: Tick(3),
        length: TickLength::default(),
        prediction_seed: 4,
        max_lead: 5,
        secret: Some(ResumeSecret([7; ResumeSecret::BYTES])),
        resumed: Some(Tick(2)),
    };
    let refused = Refused { nonce: 1, reason: RefusedReason::Denied("no ticket".to_owned()) };
    let messages = [
        ToClient::Welcome(welcome),
        ToClient::Refused(refused),
        ToClient::Update(update()),
        ToClient::Bye(ByeReason::Shutdown),
    ];
    let whole = messages.iter().filter_map(|message| wire::encode_to_client(dictionary(), message).ok());
    whole.chain(delta_update()).collect()
}

/// Seed: an update that is encoded as a delta, with values of [`update`] as its baselines. `None` if it
/// cannot be encoded.
fn delta_update() -> Option<Vec<u8>> {
    let Update { stream, ack_report, .. } = update();
    let header = UpdateHeader {
        packet: PacketId(52),
        tick: Tick(102),
        stream,
        ack_report,
        parts: 1,
        since: Tick(101),
        base: Tick(100),
        ..UpdateHeader::default()
    };
    let health = Piece::Attribute { base: 98.0, current: 60.5 };
    let old = Baseline::Attribute { base: 100.0, current: 62.5 };
    let gone = PieceKey::Tag(TagId::from_index(4));
    let entries = [
        DeltaEntry {
            baseline: old,
            ..DeltaEntry::full(PieceKey::Attribute(AttributeId::from_index(0)), Some(&health))
        },
        DeltaEntry { baseline: Baseline::Tag(1), ..DeltaEntry::full(gone, None) },
    ];
    let mut writer = UpdateWriter::begin(dictionary(), header, UpdateBits::default());
    for (slot, exactness) in [(5, Exactness::Exact), (11, Exactness::Rounded)] {
        let mut block = BitWriter::new();
        wire::write_block(dictionary(), exactness, BlockEncoding::Delta, entries.into_iter(), &mut block)
            .ok()?;
        let _ = writer.slot(slot, BlockEncoding::Delta, &block).ok()?;
    }
    writer.finish().ok().map(UpdateBits::into_bytes)
}

/// Dictionary of the fuzz bodies, built once: attributes of all quantisers with common values, tags and
/// inputs, so that every encoding of values is used.
fn dictionary() -> &'static Dictionary {
    static DICTIONARY: OnceLock<Dictionary> = OnceLock::new();
    DICTIONARY.get_or_init(|| {
        let quantisers =
            [Quantiser::Exact, Quantiser::Step(0.1), Quantiser::Range { min: 0.0, max: 1_000.0, bits: 10 }];
        let attributes = (0..24).map(AttributeId::from_index).zip(quantisers.into_iter().cycle());
        let dictionary = attributes.fold(Dictionary::sized(200, 24), |dictionary, (id, quantiser)| {
            let coded = dictionary.clone().with_attribute(id, quantiser);
            coded.and_then(|coded| coded.with_common(id, [-2.0, 1.0])).unwrap_or(dictionary)
        });
        dictionary.clone().with_inputs(["Fire", "Jump", "Dodge"]).unwrap_or(dictionary)
    })
}

/// Handle of any kind from its parts, for seeds; generation 0 counts as 1.
fn handle<H: Handle>(index: u32, generation: u32) -> H {
    H::from_parts(index, generation.try_into().unwrap_or(core::num::NonZeroU32::MIN))
}

/// Update with every part of the format: a seed, and the state that listeners know and deltas refer to.
fn update() -> Update {
    let key = |tick: u64| PredictionKey(tick << 32);
    let outcomes =
        [CommandOutcome::Done, CommandOutcome::Shifted(2), CommandOutcome::Rejected(Rejection::NotActivated)];
    let results = (95..).map(key).zip(outcomes).map(|(key, outcome)| CommandResult { key, outcome });
    let burst = CueBurst {
        tick: Tick(99),
        ordinal: 1,
        cue: TagId::from_index(77),
        controller: handle(9, 1),
        source: Some(handle(10, 2)),
        key: Some(key(98)),
        magnitude: 2.5,
        level: 1.0,
        location: Some([1.0, 2.0, 3.0]),
        details: Some(vec![1, 2, 3]),
    };
    let seen = |epoch, own, visibility, pieces| ControllerChange::Pieces { epoch, own, visibility, pieces };
    let changes = [
        seen(0, true, RecordVisibility::ALL, pieces()),
        ControllerChange::Gone,
        seen(7, false, RecordVisibility::EFFECTS, pieces()),
        seen(0, false, RecordVisibility::NONE, Vec::new()),
    ];
    let controllers = (5..).step_by(3).zip(changes);
    let controllers =
        controllers.map(|(index, change)| ControllerUpdate { controller: handle(index, 1), change });
    Update {
        session: 3,
        packet: PacketId(50),
        tick: Tick(100),
        stream: StreamParams { step: 1, slots: 32 },
        states_stream: true,
        ack_report: Some(AckReport { ack: Ack { newest: PacketId(40), earlier: u32::MAX }, margin: 2 }),
        part: 1,
        parts: 2,
        since: Tick(98),
        results: results.collect(),
        controllers: controllers.collect(),
        bursts: vec![burst],
    }
}

/// Pieces of a controller in every encoding, one of them removed: the contents of [`update`].
fn pieces() -> Vec<(PieceKey, Option<Piece>)> {
    let attribute = |index, base, current| {
        (PieceKey::Attribute(AttributeId::from_index(index)), Some(Piece::Attribute { base, current }))
    };
    vec![
        (PieceKey::Head, Some(Piece::Record([3, 1, 4].into()))),
        (PieceKey::Placement, Some(Piece::Placement(Placement::default()))),
        attribute(0, 100.0, 62.5),
        attribute(1, 17.3, 17.3),
        attribute(5, 1_000.0, 0.0),
        (PieceKey::Tag(TagId::from_index(4)), Some(Piece::Tag(1))),
        (PieceKey::Tag(TagId::from_index(180)), None),
        (PieceKey::Effect(handle::<ActiveEffectId>(7, 1)), Some(Piece::Record([1, 2, 3].into()))),
        (PieceKey::Inputs, Some(Piece::Record([0].into()))),
    ]
}
