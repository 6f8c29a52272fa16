//! Test vectors for readers in other languages: `tests/vectors/wire-6.json`. Written with `UPDATE_EXPECT=1`, compared
//! otherwise; `tools/wire/decode.py` reads them by what `docs/wire-format.md` says.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use ugas_core::ability::GameplayEvent;
use ugas_core::effect::{HitResult, PredictionKey, RawPayload};
use ugas_core::handle::{ControllerId, Handle};
use ugas_core::id::{ActorId, AttributeId, TagId};
use ugas_core::replica::{Piece, PieceKey, RecordVisibility};
use ugas_core::targeting::{Placement, Target, TargetData};
use ugas_core::task::TaskOutcome;
use ugas_core::time::Time;
use ugas_net::bits::BitWriter;
use ugas_net::message::{
    Ack, AckReport, ActivationRef, ByeReason, ClientId, CommandFrame, CommandOutcome, CommandResult,
    ControllerChange, ControllerUpdate, CueBurst, Frames, Hello, NetCommand, PROTOCOL, PacketId, Refused,
    RefusedReason, Rejection, Resume, ResumeSecret, StreamParams, ToClient, ToServer, Update, Welcome,
};
use ugas_net::quantise::Quantiser;
use ugas_net::wire::{
    self, Baseline, BlockEncoding, DeltaEntry, Dictionary, Exactness, Room, UpdateBits, UpdateDecoder,
    UpdateHeader, UpdateWriter,
};
use ugas_net::{Tick, TickLength};

use crate::message_json::{self, hex};

const INPUTS: [&str; 3] = ["Dodge", "Fire", "Jump"];

fn dictionary() -> Dictionary {
    let quantisers = [
        Quantiser::Exact,
        Quantiser::Step(0.1),
        Quantiser::Range { min: 0.0, max: 4_095.0, bits: 12 },
        Quantiser::Step(2.5),
        Quantiser::Range { min: -1.0, max: 1.0, bits: 7 },
    ];
    let plain = Dictionary::sized(250, 20);
    let coded = (0..20).map(AttributeId::from_index).zip(quantisers.into_iter().cycle());
    let coded =
        coded.fold(plain, |dictionary, (id, quantiser)| dictionary.with_attribute(id, quantiser).unwrap());
    let coded = coded.with_common(AttributeId::from_index(0), [2.0, -10.0, -5.0]).unwrap();
    let coded = coded.with_common(AttributeId::from_index(1), [-0.25, 3.0]).unwrap();
    let coded = coded.with_positions(Quantiser::Step(0.01)).unwrap();
    let coded = coded.with_facings(Quantiser::Range { min: -1.0, max: 1.0, bits: 8 }).unwrap();
    coded.with_inputs(INPUTS).unwrap()
}

fn handle<H: Handle>(index: u32, generation: u32) -> H {
    H::from_parts(index, generation.try_into().unwrap())
}

fn key(tick: u64, sequence: u64, dependent: u64) -> PredictionKey {
    PredictionKey(tick << 32 | sequence << 16 | dependent)
}

fn frames(packet: u32, ack: Ack, now: u32, frames: Vec<(u32, Vec<NetCommand>)>) -> ToServer {
    let frames = frames.into_iter().map(|(tick, commands)| CommandFrame { tick: Tick(tick), commands });
    ToServer::Frames(Frames {
        session: 200,
        packet: PacketId(packet),
        ack,
        now: Tick(now),
        frames: frames.collect(),
    })
}

fn to_server() -> Vec<(&'static str, ToServer)> {
    let full = Ack { newest: PacketId(215_990), earlier: u32::MAX };
    let hit = HitResult {
        location: [1.5, -2.25, 1_000.0],
        normal: [0.0, 0.0, 1.0],
        distance: 12.5,
        actor: Some(ActorId(77)),
        part: 3,
    };
    let bare = HitResult { location: [0.0, -0.0, 3.0], ..HitResult::default() };
    let custom = RawPayload { kind: "spread".to_owned(), bytes: vec![1, 2, 255] };
    let event = GameplayEvent {
        tag: TagId::from_index(249),
        magnitude: -2.75,
        instigator: Some(handle(3, 1)),
        ..GameplayEvent::new(TagId::from_index(249))
    };
    let event = event.with_context_tag(TagId::from_index(7)).with_payload("Bounces", 3.0);
    let event = event.caused_by(ActorId(78)).at([4.0, -0.5, 6.0]);
    let me: ControllerId = handle(40, 3);
    vec![
        (
            "hello",
            ToServer::Hello(Hello {
                protocol: 2,
                catalog: 0x0123_4567_89AB_CDEF,
                dictionary: 0xFEDC_BA98_7654_3210,
                nonce: 42,
                credential: b"ticket".to_vec(),
            }),
        ),
        ("bye", ToServer::Bye),
        ("resume", ToServer::Resume(Resume { client: ClientId(7), nonce: 43, secret: secret() })),
        ("frames: the first, without any", frames(1, Ack::default(), 0, vec![])),
        ("frames: some lost", frames(70, Ack { newest: PacketId(20), earlier: 0b101 }, 130, vec![])),
        ("frames: few, none lost", frames(70, Ack { newest: PacketId(5), earlier: 0b1111 }, 130, vec![])),
        (
            "frames: activate with one target",
            frames(
                216_000,
                full,
                216_003,
                vec![(
                    216_000,
                    vec![NetCommand::Activate { ability: handle(130, 2), targets: me.into(), event: None }],
                )],
            ),
        ),
        (
            "frames: activate with all kinds of targets and an event",
            frames(
                9,
                Ack { newest: PacketId(8), earlier: 0x7F },
                60,
                vec![(
                    60,
                    vec![NetCommand::Activate {
                        ability: handle(0, 1),
                        targets: TargetData::from_iter([
                            Target::Hit { controller: Some(me), hit },
                            Target::Hit { controller: None, hit: bare },
                            Target::Location([0.1_f32, 2.0, -3.5].map(f64::from)),
                            Target::Custom(Arc::new(custom)),
                            Target::Controller(handle(70_000, 4_000_000_000)),
                        ]),
                        event: Some(event),
                    }],
                )],
            ),
        ),
        (
            "frames: all other commands",
            frames(
                10,
                full,
                100,
                vec![
                    (
                        90,
                        vec![
                            NetCommand::End(ActivationRef::Known(handle(5, 9))),
                            NetCommand::Cancel(ActivationRef::Begun(key(85, 1, 2))),
                            NetCommand::Confirm(me),
                            NetCommand::Decline(me),
                            NetCommand::Press {
                                controller: me,
                                input: "Jump".into(),
                                targets: TargetData::default(),
                            },
                            NetCommand::Press { controller: me, input: "Fire".into(), targets: me.into() },
                            NetCommand::Release { controller: me, input: "Grüße".into() },
                        ],
                    ),
                    (
                        91,
                        vec![NetCommand::Targets {
                            run: ActivationRef::Begun(key(91, 0, 0)),
                            branch: 6,
                            targets: TargetData::new(),
                        }],
                    ),
                    (
                        99,
                        vec![NetCommand::Finish {
                            run: ActivationRef::Known(handle(64, 1)),
                            branch: 0,
                            outcome: TaskOutcome::Interrupted,
                        }],
                    ),
                ],
            ),
        ),
    ]
}

fn update() -> Update {
    Update {
        session: 11,
        packet: PacketId(216_000),
        tick: Tick(216_000),
        stream: StreamParams { step: 1, slots: 48 },
        states_stream: true,
        ack_report: Some(AckReport { ack: Ack { newest: PacketId(215_990), earlier: u32::MAX }, margin: -2 }),
        part: 0,
        parts: 1,
        since: Tick(0),
        results: Vec::new(),
        controllers: Vec::new(),
        bursts: Vec::new(),
    }
}

fn seen(controller: ControllerId, pieces: Vec<(PieceKey, Option<Piece>)>) -> ControllerUpdate {
    let change =
        ControllerChange::Pieces { epoch: 0, own: false, visibility: RecordVisibility::NONE, pieces };
    ControllerUpdate { controller, change }
}

fn attribute(index: u32, base: f64, current: f64) -> (PieceKey, Option<Piece>) {
    (PieceKey::Attribute(AttributeId::from_index(index)), Some(Piece::Attribute { base, current }))
}

fn tag(index: u32, count: Option<u32>) -> (PieceKey, Option<Piece>) {
    (PieceKey::Tag(TagId::from_index(index)), count.map(Piece::Tag))
}

fn everything() -> Vec<(PieceKey, Option<Piece>)> {
    let dictionary = dictionary();
    let facing = [0.0, 1.0, -1.0].map(|value| dictionary.facings().settle(value).unwrap());
    let sixth = dictionary.attribute(AttributeId::from_index(9)).settle(1.0 / 6.0).unwrap();
    let record = |bytes: &[u8]| Some(Piece::Record(bytes.into()));
    vec![
        (PieceKey::Head, record(&[3, 1, 4, 1, 5])),
        (PieceKey::Placement, Some(Piece::Placement(Placement::new([12.34, -5.0, 0.0], facing).unwrap()))),
        attribute(0, 100.0, 62.5),
        attribute(1, 17.3, 17.3),
        attribute(2, 4_095.0, 0.0),
        attribute(5, 1.0 / 3.0, 1e300),
        attribute(8, 12.5, -2.5),
        attribute(9, sixth, sixth),
        attribute(10, 0.1, -0.0),
        (PieceKey::Attribute(AttributeId::from_index(15)), None),
        tag(4, Some(1)),
        tag(77, None),
        tag(249, Some(6)),
        (
            PieceKey::Cue(TagId::from_index(9)),
            Some(Piece::Cue {
                count: 2,
                since: Time::from_micros(3_600_000_000),
                context: [2, 7, 1, 8].into(),
            }),
        ),
        (PieceKey::Effect(handle(7, 1)), record(&[])),
        (PieceKey::Effect(handle(7, 3)), record(&[9; 40])),
        (PieceKey::Effect(handle(300, 1)), None),
        (PieceKey::Ability(handle(2, 1)), record(&[1, 2, 3])),
        (PieceKey::Activation(handle(1, 20)), record(&[255])),
        (PieceKey::Task(handle(1_000, 1)), record(&[0])),
        (PieceKey::Inputs, None),
    ]
}

fn to_client() -> Vec<(&'static str, ToClient)> {
    let refused = |reason| ToClient::Refused(Refused { nonce: 42, reason });
    let results = [
        (key(215_998, 0, 0), CommandOutcome::Done),
        (key(215_999, 1, 0), CommandOutcome::Shifted(3)),
        (key(215_999, 2, 5), CommandOutcome::Rejected(Rejection::NotActivated)),
    ];
    let burst = CueBurst {
        tick: Tick(216_000),
        ordinal: 3,
        cue: TagId::from_index(77),
        controller: handle(20, 1),
        source: Some(handle(21, 1)),
        key: None,
        magnitude: 25.0,
        level: 1.0,
        location: None,
        details: None,
    };
    let elsewhere = CueBurst {
        tick: Tick(215_990),
        ordinal: 65_535,
        source: None,
        key: Some(key(215_990, 0, 1)),
        magnitude: 0.1,
        level: 2.5,
        location: Some([1.0, -2.0, 0.5]),
        details: Some(vec![0, 1, 254, 255]),
        ..burst.clone()
    };
    let all = (0..20).map(|index| {
        let id = AttributeId::from_index(index);
        let value = dictionary().attribute(id).settle(f64::from(index)).unwrap();
        attribute(index, value, value)
    });
    let seen_as = |epoch, own, visibility| ControllerUpdate {
        controller: handle(5, 2),
        change: ControllerChange::Pieces { epoch, own, visibility, pieces: everything() },
    };
    vec![
        (
            "welcome",
            ToClient::Welcome(Welcome {
                nonce: 42,
                client: ClientId(7),
                session: 7,
                tick: Tick(123_456),
                length: TickLength::hertz(60),
                prediction_seed: u64::MAX,
                max_lead: 12,
                secret: None,
                resumed: None,
            }),
        ),
        (
            "welcome: resumed",
            ToClient::Welcome(Welcome {
                nonce: 43,
                client: ClientId(7),
                session: 8,
                tick: Tick(123_999),
                length: TickLength::hertz(60),
                prediction_seed: u64::MAX,
                max_lead: 12,
                secret: Some(secret()),
                resumed: Some(Tick(123_500)),
            }),
        ),
        ("refused: protocol", refused(RefusedReason::Protocol { server: 2, client: 1 })),
        ("refused: catalog", refused(RefusedReason::Catalog { server: 2, client: u64::MAX })),
        ("refused: dictionary", refused(RefusedReason::Dictionary { server: 3, client: 4 })),
        ("refused: full", refused(RefusedReason::Full)),
        ("refused: no session", refused(RefusedReason::NoSession)),
        ("refused: ended", refused(RefusedReason::Ended(ByeReason::Kicked))),
        ("refused: denied", refused(RefusedReason::Denied("no ticket".to_owned()))),
        ("bye", ToClient::Bye(ByeReason::Kicked)),
        ("update: no news", ToClient::Update(update())),
        (
            "update: the first ever, second of three parts",
            ToClient::Update(Update {
                packet: PacketId(1),
                tick: Tick(0),
                stream: StreamParams::default(),
                ack_report: None,
                part: 1,
                parts: 3,
                ..update()
            }),
        ),
        (
            "update: one that builds upon another, every third tick, some lost",
            ToClient::Update(Update {
                stream: StreamParams { step: 3, slots: 0 },
                ack_report: Some(AckReport { ack: Ack { newest: PacketId(40), earlier: 0b1011 }, margin: 3 }),
                since: Tick(215_997),
                ..update()
            }),
        ),
        (
            "update: of others only",
            ToClient::Update(Update { part: 0, parts: 0, ack_report: None, ..update() }),
        ),
        (
            "update: results",
            ToClient::Update(Update {
                results: results.map(|(key, outcome)| CommandResult { key, outcome }).to_vec(),
                ..update()
            }),
        ),
        ("update: bursts", ToClient::Update(Update { bursts: vec![burst, elsewhere], ..update() })),
        (
            "update: two attributes of each of two controllers",
            ToClient::Update(Update {
                controllers: vec![
                    seen(handle(20, 1), vec![attribute(1, 100.0, 100.0), attribute(2, 7.0, 7.0)]),
                    seen(handle(23, 1), vec![attribute(0, 31.0, -32.0), attribute(12, 8.0, 8.0)]),
                ],
                ..update()
            }),
        ),
        (
            "update: all attributes, as a mask",
            ToClient::Update(Update { controllers: vec![seen(handle(0, 1), all.collect())], ..update() }),
        ),
        (
            "update: everything of another, seen again",
            ToClient::Update(Update {
                controllers: vec![seen_as(255, false, RecordVisibility::EFFECTS)],
                ..update()
            }),
        ),
        (
            "update: everything of the client's own, somebody gone and another in the same place",
            ToClient::Update(Update {
                controllers: vec![
                    seen_as(0, true, RecordVisibility::ALL),
                    ControllerUpdate { controller: handle(9, 1), change: ControllerChange::Gone },
                    seen(handle(9, 2), vec![]),
                ],
                ..update()
            }),
        ),
    ]
}

/// Updates that rely on one before them: what that is, what they say, and how they are written.
fn after_others() -> Vec<(&'static str, Update, Update, Vec<u8>)> {
    let dictionary = dictionary();
    let (mine, other): (ControllerId, ControllerId) = (handle(3, 7), handle(40, 2));
    let view = |controller, own, pieces| ControllerUpdate {
        controller,
        change: ControllerChange::Pieces { epoch: 4, own, visibility: RecordVisibility::NONE, pieces },
    };
    let first = vec![attribute(0, 100.0, 100.0), attribute(1, 17.3, 17.3), attribute(2, 400.0, 300.0)];
    let tagged = |mut pieces: Vec<_>| {
        pieces.extend([tag(4, Some(1)), tag(6, Some(2))]);
        pieces
    };
    let before = Update {
        controllers: vec![view(mine, true, tagged(first.clone())), view(other, false, tagged(first))],
        ..update()
    };
    let old = [
        Baseline::Attribute { base: 100.0, current: 100.0 },
        Baseline::Attribute { base: 17.3, current: 17.3 },
        Baseline::Attribute { base: 400.0, current: 300.0 },
    ];
    let news = |own| {
        // A common change, one of two steps that is not, and one that is not alike.
        let tenth = if own { 17.5 } else { 17.1 };
        let pieces = vec![attribute(0, 95.0, 95.0), attribute(1, tenth, tenth), attribute(2, 400.0, 305.0)];
        let mut pieces: Vec<_> = pieces;
        // One that goes, one that is granted once more, and one that comes.
        pieces.extend([tag(4, None), tag(6, Some(3)), tag(9, Some(1))]);
        pieces
    };
    let written = |packet: u32, controllers: &[(ControllerId, bool, BlockEncoding)]| {
        let stream = StreamParams { step: 1, slots: 48 };
        let header = UpdateHeader {
            session: 11,
            packet: PacketId(packet),
            tick: Tick(packet),
            stream,
            states_stream: false,
            ack_report: Some(AckReport {
                ack: Ack { newest: PacketId(215_993), earlier: u32::MAX },
                margin: 1,
            }),
            parts: 1,
            since: Tick(0),
            base: Tick(216_000),
            ..UpdateHeader::default()
        };
        let mut writer = UpdateWriter::begin(&dictionary, header, UpdateBits::default());
        for (controller, own, basis) in controllers {
            let pieces = news(*own);
            let was = |key| match key {
                PieceKey::Attribute(attribute) => old[attribute.index() as usize],
                PieceKey::Tag(tag) if tag.index() == 4 => Baseline::Tag(1),
                PieceKey::Tag(tag) if tag.index() == 6 => Baseline::Tag(2),
                _ => Baseline::Nothing,
            };
            let told = pieces.iter().map(|(key, piece)| DeltaEntry {
                key: *key,
                piece: piece.as_ref().map(Piece::as_ref),
                baseline: was(*key),
            });
            let mut block = BitWriter::new();
            wire::write_block(&dictionary, Exactness::of(*own), *basis, told, &mut block).unwrap();
            assert_eq!(writer.slot(controller.index(), *basis, &block), Ok(Room::Taken));
        }
        writer.finish().unwrap().into_bytes()
    };
    let said = |packet: u32, controllers: &[(ControllerId, bool, BlockEncoding)]| Update {
        packet: PacketId(packet),
        tick: Tick(packet),
        states_stream: false,
        ack_report: Some(AckReport { ack: Ack { newest: PacketId(215_993), earlier: u32::MAX }, margin: 1 }),
        controllers: controllers.iter().map(|(who, own, _)| view(*who, *own, news(*own))).collect(),
        ..update()
    };
    let both = [(mine, true, BlockEncoding::Delta), (other, false, BlockEncoding::Delta)];
    let whole = [(mine, true, BlockEncoding::Delta), (other, false, BlockEncoding::Full)];
    vec![
        ("update: nothing but its number", before.clone(), said(216_002, &[]), written(216_002, &[])),
        ("update: differences", before.clone(), said(216_002, &both), written(216_002, &both)),
        ("update: one by differences, one whole", before, said(216_030, &whole), written(216_030, &whole)),
    ]
}

/// Bytes 0 to 31.
fn secret() -> ResumeSecret {
    ResumeSecret(core::array::from_fn(|at| at as u8))
}

/// Bits that are no message.
fn refused() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let bits = |write: fn(&mut BitWriter)| {
        let mut writer = BitWriter::new();
        write(&mut writer);
        writer.into_bytes()
    };
    vec![
        ("nothing", "server", vec![]),
        ("an unknown kind", "server", vec![7]),
        ("bits after the end", "server", vec![0b1010]),
        ("a byte after the end", "server", vec![2, 0]),
        ("an unknown reason to part", "client", bits(|writer| writer.bits(0b010_0011, 7))),
        (
            "a tick of no length",
            "client",
            bits(|writer| {
                for count in [3, 64, 32, 32, 20, 64, 32] {
                    writer.bits(0, count);
                }
            }),
        ),
        ("an update that relies on another", "client", bits(|writer| writer.bits(0b100, 14))),
        (
            "an acknowledgement that is spelled out and need not be",
            "server",
            bits(|writer| {
                writer.bits(1, 3);
                writer.varint(1, 7);
                writer.varint(0, 7);
                writer.bool(true);
                writer.bits(0, 32);
                writer.varint(0, 7);
                writer.bool(false);
            }),
        ),
        (
            "nine commands",
            "server",
            bits(|writer| {
                writer.bits(1, 3);
                writer.varint(1, 7);
                writer.varint(0, 7);
                writer.bool(false);
                writer.varint(0, 7);
                writer.bool(true);
                writer.signed(0, 4);
                writer.varint(8, 1);
                for _ in 0..9 {
                    writer.bits(3, 4);
                    writer.varint(0, 6);
                    writer.varint(0, 3);
                }
                writer.bool(false);
            }),
        ),
        (
            "a place that is not a number",
            "server",
            bits(|writer| {
                writer.bits(1, 3);
                writer.varint(1, 7);
                writer.varint(0, 7);
                writer.bool(false);
                writer.varint(0, 7);
                writer.bool(true);
                writer.signed(0, 4);
                writer.varint(0, 1);
                writer.bits(0, 4);
                writer.varint(0, 6);
                writer.varint(0, 3);
                writer.varint(1, 1);
                writer.bits(2, 2);
                for number in [0.0, f32::NAN, 0.0] {
                    writer.single(number);
                }
                writer.bits(0, 2);
            }),
        ),
    ]
}

fn vectors() -> Value {
    let dictionary = dictionary();
    let mut vectors = Vec::new();
    for (name, message) in to_server() {
        let bytes = wire::encode_to_server(&dictionary, &message).unwrap();
        assert_eq!(wire::decode_to_server(&dictionary, &bytes).as_ref(), Ok(&message), "{name}");
        let meaning = message_json::to_server(&message);
        vectors.push(json!({ "name": name, "to": "server", "hex": hex(&bytes), "meaning": meaning }));
    }
    for (name, message) in to_client() {
        let bytes = wire::encode_to_client(&dictionary, &message).unwrap();
        assert_eq!(wire::decode_to_client(&dictionary, &bytes).as_ref(), Ok(&message), "{name}");
        let meaning = message_json::to_client(&message);
        vectors.push(json!({ "name": name, "to": "client", "hex": hex(&bytes), "meaning": meaning }));
    }
    for (name, before, update, bytes) in after_others() {
        let after = wire::encode_to_client(&dictionary, &ToClient::Update(before.clone())).unwrap();
        let mut decoder = UpdateDecoder::new();
        decoder.note(&before);
        let message = ToClient::Update(update);
        assert_eq!(decoder.read(&dictionary, &bytes).as_ref(), Ok(&message), "{name}");
        let meaning = message_json::to_client(&message);
        let (hex, after) = (hex(&bytes), hex(&after));
        vectors.push(json!({ "name": name, "to": "client", "after": after, "hex": hex, "meaning": meaning }));
    }
    let refused = refused().into_iter().map(|(name, to, bytes)| {
        let refused = if to == "server" {
            wire::decode_to_server(&dictionary, &bytes).map(|_| ())
        } else {
            wire::decode_to_client(&dictionary, &bytes).map(|_| ())
        };
        let why = refused.map_err(|error| error.to_string()).expect_err(name);
        json!({ "name": name, "to": to, "hex": hex(&bytes), "why": why })
    });
    json!({
        "protocol": PROTOCOL,
        "dictionary": message_json::dictionary(&dictionary, &INPUTS),
        "refused": refused.collect::<Vec<_>>(),
        "vectors": vectors,
    })
}

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/vectors/wire-{PROTOCOL}.json"))
}

#[test]
fn the_format_stays_as_it_is() {
    let text = serde_json::to_string_pretty(&vectors()).unwrap() + "\n";
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(path(), text).unwrap();
        return;
    }
    let stored = std::fs::read_to_string(path()).unwrap();
    assert!(
        stored == text,
        "messages are written in other bits: if that is meant, make PROTOCOL one more, mend docs/wire-format.md and \
         tools/wire/decode.py, and run this with UPDATE_EXPECT=1"
    );
}
