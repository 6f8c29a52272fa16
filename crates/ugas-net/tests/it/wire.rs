//! Round trips of the wire format.

use proptest::prelude::*;
use ugas_core::handle::ControllerId;
use ugas_core::id::{AttributeId, TagId};
use ugas_core::replica::{Piece, PieceKey, RecordVisibility};
use ugas_core::targeting::{Target, TargetData};
use ugas_net::Tick;
use ugas_net::bits::{BitWriter, WireErrorKind};
use ugas_net::message::{
    Ack, CommandFrame, ControllerChange, ControllerUpdate, Frames, NetCommand, PacketId, StreamParams,
    ToClient, ToServer, Update,
};
use ugas_net::wire::{
    self, Baseline, BlockEncoding, DeltaEntry, Dictionary, EncodeError, Exactness, MAX_SLOTS, Room,
    UpdateBits, UpdateDecoder, UpdateHeader, UpdateWriter, ViewHeader,
};

use crate::messages;

proptest! {
    #[test]
    fn client_messages_round_trip(message in messages::to_server()) {
        let dictionary = messages::dictionary();
        let bytes = wire::encode_to_server(&dictionary, &message).unwrap();
        prop_assert_eq!(wire::decode_to_server(&dictionary, &bytes), Ok(message));
    }

    #[test]
    fn server_messages_round_trip(message in messages::to_client()) {
        let dictionary = messages::dictionary();
        let bytes = wire::encode_to_client(&dictionary, &message).unwrap();
        prop_assert_eq!(wire::decode_to_client(&dictionary, &bytes), Ok(message));
    }

    #[test]
    fn rounded_commands_round_trip_exactly(x: f64, y in -1e300..1e300_f64, distance in -1e10..1e10_f64) {
        prop_assume!(x.is_finite());
        let hit = ugas_core::effect::HitResult {
            location: [x, y, 0.1],
            normal: [1e-300, -1e-300, 0.0],
            distance,
            ..Default::default()
        };
        let targets = [Target::Location([x, y, 1.0]), Target::Hit { controller: None, hit }];
        let mut command = activate(TargetData::from_iter(targets));
        wire::round_to_wire(&mut command);
        let message = frames(vec![command]);
        let dictionary = messages::dictionary();
        let bytes = wire::encode_to_server(&dictionary, &message).unwrap();
        prop_assert_eq!(wire::decode_to_server(&dictionary, &bytes), Ok(message));
    }
}

fn activate(targets: TargetData) -> NetCommand {
    let ability = ugas_core::handle::GrantedAbilityId::from_bits(1 << 32).unwrap();
    NetCommand::Activate { ability, targets, event: None }
}

fn frames(commands: Vec<NetCommand>) -> ToServer {
    let frames = vec![CommandFrame { tick: Tick(5), commands }];
    ToServer::Frames(Frames { session: 1, packet: PacketId(1), ack: Ack::default(), now: Tick(5), frames })
}

fn controller(index: u64) -> ControllerId {
    ControllerId::from_bits(1 << 32 | index).unwrap()
}

/// An update with nothing but these pieces of one controller.
fn update(pieces: Vec<(PieceKey, Option<Piece>)>) -> ToClient {
    let change =
        ControllerChange::Pieces { epoch: 0, own: false, visibility: RecordVisibility::NONE, pieces };
    ToClient::Update(Update {
        packet: PacketId(1),
        tick: Tick(9),
        states_stream: true,
        parts: 1,
        controllers: vec![ControllerUpdate { controller: controller(3), change }],
        ..Update::default()
    })
}

fn refused(pieces: Vec<(PieceKey, Option<Piece>)>) -> EncodeError {
    wire::encode_to_client(&messages::dictionary(), &update(pieces)).unwrap_err()
}

fn attribute(index: u32) -> PieceKey {
    PieceKey::Attribute(AttributeId::from_index(index))
}

#[test]
fn undecodable_messages_are_refused_by_the_encoder() {
    let tag = |index| (PieceKey::Tag(TagId::from_index(index)), Some(Piece::Tag(1)));
    let value = |base| Some(Piece::Attribute { base, current: 0.0 });
    assert_eq!(refused(vec![(attribute(0), value(f64::NAN))]), EncodeError::NotFinite("an attribute"));
    assert_eq!(refused(vec![tag(5), tag(4)]), EncodeError::Unsorted("pieces"));
    assert_eq!(refused(vec![tag(5), tag(5)]), EncodeError::Unsorted("pieces"));
    assert_eq!(refused(vec![(attribute(0), Some(Piece::Tag(1)))]), EncodeError::OtherPiece(attribute(0)));
    assert_eq!(refused(vec![tag(300)]), EncodeError::UnknownId { what: "tag", index: 300, known: 300 });
    let record = (PieceKey::Inputs, Some(Piece::Record(vec![0; 1_190].into())));
    assert_eq!(refused(vec![record]), EncodeError::TooLong);

    let refused = |commands| wire::encode_to_server(&messages::dictionary(), &frames(commands)).unwrap_err();
    assert_eq!(refused(vec![]), EncodeError::EmptyFrame);
    let nine = vec![NetCommand::Confirm(controller(1)); 9];
    assert_eq!(refused(nine), EncodeError::TooMany { what: "commands", found: 9, most: 8 });
    let crowd = TargetData::from_iter(vec![controller(1); 33]);
    assert_eq!(refused(vec![activate(crowd)]), EncodeError::TooMany { what: "targets", found: 33, most: 32 });
    let nowhere = activate(TargetData::from([0.0, f64::INFINITY, 0.0]));
    assert_eq!(refused(vec![nowhere]), EncodeError::NotFinite("a target's location"));
    let press = NetCommand::Press {
        controller: controller(1),
        input: "x".repeat(65).into(),
        targets: TargetData::default(),
    };
    let found = 65;
    assert_eq!(
        refused(vec![press]),
        EncodeError::TooMany { what: "bytes of an input's name", found, most: 64 }
    );
}

#[test]
fn failed_block_leaves_the_writer_unchanged() {
    let mut block = BitWriter::new();
    block.bits(0b101, 3);
    let before = block.clone();
    let piece = Piece::Attribute { base: f64::NAN, current: 0.0 };
    let pieces = [DeltaEntry::full(attribute(0), Some(&piece))].into_iter();
    let dictionary = messages::dictionary();
    assert!(
        wire::write_block(&dictionary, Exactness::Rounded, BlockEncoding::Full, pieces, &mut block).is_err()
    );
    assert_eq!(block, before);
}

#[test]
fn blocks_are_encoded_once_for_many_datagrams() {
    let dictionary = messages::dictionary();
    let value = Piece::Attribute { base: 50.0, current: 40.0 };
    let pieces = vec![(attribute(3), Some(value))];
    let mut block = BitWriter::new();
    let borrowed = pieces.iter().map(|(key, piece)| DeltaEntry::full(*key, piece.as_ref()));
    wire::write_block(&dictionary, Exactness::Rounded, BlockEncoding::Full, borrowed, &mut block).unwrap();

    let ToClient::Update(expected) = update(pieces) else { unreachable!() };
    let Update { packet, tick, stream, states_stream, parts, .. } = expected;
    let header = UpdateHeader { packet, tick, stream, states_stream, parts, ..UpdateHeader::default() };
    let mut bits = UpdateBits::default();
    for _ in 0..2 {
        let mut writer = UpdateWriter::begin(&dictionary, header, bits);
        assert_eq!(writer.controller(controller(3), ViewHeader::default(), &block), Ok(Room::Taken));
        bits = writer.finish().unwrap();
        let bytes = bits.clone().into_bytes();
        let message = ToClient::Update(expected.clone());
        assert_eq!(wire::encode_to_client(&dictionary, &message).as_ref(), Ok(&bytes));
    }
}

/// Who predicts with an attribute gets all of it.
#[test]
fn owners_get_attributes_exactly() {
    let dictionary = messages::dictionary();
    let tenths = vec![(attribute(1), Some(Piece::Attribute { base: 1.0 / 3.0, current: 17.34 }))];
    let received = |own| {
        let ToClient::Update(mut sent) = update(Vec::new()) else { unreachable!() };
        let pieces = tenths.clone();
        sent.controllers[0].change =
            ControllerChange::Pieces { epoch: 7, own, visibility: RecordVisibility::ALL, pieces };
        let bytes = wire::encode_to_client(&dictionary, &ToClient::Update(sent)).unwrap();
        let Ok(ToClient::Update(update)) = wire::decode_to_client(&dictionary, &bytes) else { panic!() };
        let ControllerChange::Pieces { pieces, .. } = update.controllers[0].change.clone() else { panic!() };
        pieces
    };
    assert_eq!(received(true), tenths);
    let rounded = Piece::Attribute { base: 0.3, current: 17.3 };
    assert_eq!(received(false), [(attribute(1), Some(rounded))]);
}

#[test]
fn a_datagram_is_filled_and_never_overfilled() {
    let dictionary = messages::dictionary();
    let piece = Piece::Record(vec![7; 100].into());
    let mut block = BitWriter::new();
    let pieces = [DeltaEntry::full(PieceKey::Inputs, Some(&piece))].into_iter();
    wire::write_block(&dictionary, Exactness::Rounded, BlockEncoding::Full, pieces, &mut block).unwrap();
    let header = UpdateHeader { states_stream: true, part: 1, parts: 2, ..UpdateHeader::default() };
    let mut writer = UpdateWriter::begin(&dictionary, header, UpdateBits::default());
    let mut added = 0;
    while writer.controller(controller(added), ViewHeader::default(), &block).unwrap() == Room::Taken {
        added += 1;
    }
    // A block has 8 × 100 bits, 12 for their number, 2 + 9 for the kinds and 1 because nothing is gone: 824. Before it are
    // 1 for another one, 4 for the gap, 4 for the generation and 1 for the view, with 7 for the first index: 834 each.
    // The header has 3 + 8 + 8 + 3 + 7 + 2 + 16 + 1 = 48, and the end 106 at most: 11 blocks come to 9,331, and 12 to more
    // than 9,600.
    assert_eq!(added, 11);
    assert!(writer.room() < 834 && writer.bit_len() + writer.room() == 9_600);
    // Something smaller still fits.
    assert_eq!(writer.gone(controller(99)), Ok(Room::Taken));
    let bytes = writer.finish().unwrap().into_bytes();
    let Ok(ToClient::Update(update)) = wire::decode_to_client(&dictionary, &bytes) else { panic!() };
    assert_eq!((update.controllers.len(), update.part, update.parts), (12, 1, 2));
}

#[test]
fn lists_have_their_order() {
    let dictionary = Dictionary::sized(1, 1);
    let stream = StreamParams { step: 1, slots: 8 };
    let header = UpdateHeader { stream, part: 2, parts: 2, ..UpdateHeader::default() };
    let begin = |header| UpdateWriter::begin(&dictionary, header, UpdateBits::default());
    let mut writer = begin(header);
    assert_eq!(writer.gone(controller(5)), Ok(Room::Taken));
    let before = writer.bit_len();
    assert_eq!(writer.gone(controller(5)), Err(EncodeError::Unsorted("controllers")));
    let key = ugas_core::effect::PredictionKey(0);
    let result = ugas_net::message::CommandResult { key, outcome: ugas_net::message::CommandOutcome::Done };
    assert_eq!(writer.result(&result), Err(EncodeError::TooLate("results")));
    let nothing = BitWriter::new();
    let unknown = EncodeError::UnknownId { what: "slots", index: 8, known: 8 };
    assert_eq!(writer.slot(8, BlockEncoding::Full, &nothing), Err(unknown));
    assert_eq!(writer.bit_len(), before);
    assert_eq!(writer.slot(5, BlockEncoding::Full, &nothing), Ok(Room::Taken));
    assert_eq!(writer.slot(5, BlockEncoding::Full, &nothing), Err(EncodeError::Unsorted("slots")));
    assert_eq!(writer.finish().err(), Some(EncodeError::Part { part: 2, parts: 2 }));
    let mut timeless = begin(UpdateHeader { part: 0, ..header });
    assert_eq!(timeless.slot(5, BlockEncoding::Delta, &nothing), Ok(Room::Taken));
    assert_eq!(timeless.finish().err(), Some(EncodeError::Unsorted("ticks")));
    assert!(begin(UpdateHeader { part: 0, parts: 0, ..header }).finish().is_ok());
    let ahead = begin(UpdateHeader { part: 0, since: Tick(1), ..header });
    assert_eq!(ahead.finish().err(), Some(EncodeError::Unsorted("ticks")));
}

/// Encodes a controller by slot, as a delta from a tick.
fn short(
    own: bool,
    base: Tick,
    pieces: &[(PieceKey, Option<Piece>)],
    old: &[(PieceKey, Baseline)],
) -> Vec<u8> {
    let dictionary = messages::dictionary();
    let was = |key| old.iter().find(|(known, _)| *known == key).map_or(Baseline::Nothing, |(_, old)| *old);
    let told = pieces.iter().map(|(key, piece)| DeltaEntry {
        key: *key,
        piece: piece.as_ref().map(Piece::as_ref),
        baseline: was(*key),
    });
    let mut block = BitWriter::new();
    wire::write_block(&dictionary, Exactness::of(own), BlockEncoding::Delta, told, &mut block).unwrap();
    let stream = StreamParams { step: 1, slots: 16 };
    let header = UpdateHeader {
        packet: PacketId(12),
        tick: Tick(112),
        stream,
        states_stream: false,
        parts: 1,
        base,
        ..UpdateHeader::default()
    };
    let mut writer = UpdateWriter::begin(&dictionary, header, UpdateBits::default());
    assert_eq!(writer.slot(3, BlockEncoding::Delta, &block), Ok(Room::Taken));
    writer.finish().unwrap().into_bytes()
}

fn told(packet: u32, own: bool, pieces: Vec<(PieceKey, Option<Piece>)>) -> Update {
    let change = ControllerChange::Pieces { epoch: 9, own, visibility: RecordVisibility::NONE, pieces };
    Update {
        packet: PacketId(packet),
        tick: Tick(100 + packet),
        stream: StreamParams { step: 1, slots: 16 },
        states_stream: true,
        parts: 1,
        controllers: vec![ControllerUpdate { controller: controller(3), change }],
        ..Update::default()
    }
}

proptest! {
    /// A decoder that noted the first update decodes a delta from it, whatever both hold.
    #[test]
    fn deltas_round_trip(own: bool, first in messages::pieces(), second in messages::pieces()) {
        let dictionary = messages::dictionary();
        let mut decoder = UpdateDecoder::new();
        decoder.note(&told(10, own, first.clone()));
        // An update in between does not change the baseline.
        decoder.note(&told(11, own, second.clone()));
        let old: Vec<_> = first.iter().filter_map(|(key, piece)| match piece {
            Some(Piece::Attribute { base, current }) => {
                Some((*key, Baseline::Attribute { base: *base, current: *current }))
            }
            Some(Piece::Tag(count)) => Some((*key, Baseline::Tag(*count))),
            _ => None,
        }).collect();
        let bytes = short(own, Tick(110), &second, &old);
        let expected = Update { states_stream: false, ..told(12, own, second) };
        prop_assert_eq!(decoder.read(&dictionary, &bytes), Ok(ToClient::Update(expected)));
        // Who did not hear of it refuses all of it.
        prop_assert!(UpdateDecoder::new().read(&dictionary, &bytes).is_err());
    }

    /// Arbitrary bits of a delta are decoded or refused, and never panic.
    #[test]
    fn any_delta_bytes_are_handled(first in messages::pieces(), second in messages::pieces(), flip: u16, cut: u16) {
        let dictionary = messages::dictionary();
        let mut decoder = UpdateDecoder::new();
        decoder.note(&told(10, false, first));
        let mut bytes = short(false, Tick(110), &second, &[]);
        let bit = usize::from(flip) % (bytes.len() * 8);
        bytes[bit / 8] ^= 1 << (bit % 8);
        if let Ok(ToClient::Update(update)) = decoder.read(&dictionary, &bytes) {
            decoder.note(&update);
        }
        let _ = decoder.read(&dictionary, &bytes[..usize::from(cut) % bytes.len()]);
    }
}

/// Repeated values count as well: a different value from in between arrives late.
#[test]
fn baselines_do_not_depend_on_the_order_of_updates() {
    let tag = PieceKey::Tag(TagId::from_index(4));
    let (there, gone) = (vec![(tag, Some(Piece::Tag(1)))], vec![(tag, None)]);
    let mut decoder = UpdateDecoder::new();
    for (packet, pieces) in [(8, &there), (10, &there), (9, &gone)] {
        decoder.note(&told(packet, false, pieces.clone()));
    }
    let bytes = short(false, Tick(110), &gone, &[(tag, Baseline::Tag(1))]);
    let expected = Update { states_stream: false, ..told(12, false, gone) };
    assert_eq!(decoder.read(&messages::dictionary(), &bytes), Ok(ToClient::Update(expected)));
}

/// A slot addresses the controller that was in it at the tick of the update.
#[test]
fn late_datagram_does_not_address_a_later_controller_in_its_slot() {
    let dictionary = messages::dictionary();
    let bytes = short(false, Tick(110), &[(attribute(0), None)], &[]);
    let mut decoder = UpdateDecoder::new();
    decoder.note(&told(10, false, Vec::new()));
    assert!(decoder.read(&dictionary, &bytes).is_ok());
    let mut later = told(30, false, Vec::new());
    later.controllers[0].controller = ControllerId::from_bits(2 << 32 | 3).unwrap();
    decoder.note(&later);
    assert_eq!(decoder.read(&dictionary, &bytes).unwrap_err().kind, WireErrorKind::Unresolved);
}

/// A removed controller may come back with the epoch of its last view, when that is forgotten. Late updates
/// from before the removal must not count then.
#[test]
fn late_update_of_a_removed_controller_is_not_remembered() {
    let tag = PieceKey::Tag(TagId::from_index(4));
    let there = vec![(tag, Some(Piece::Tag(1)))];
    let mut gone = told(8, false, Vec::new());
    gone.controllers[0].change = ControllerChange::Gone;
    let mut decoder = UpdateDecoder::new();
    decoder.note(&gone);
    decoder.note(&told(7, false, there.clone()));
    // It cannot be addressed by slot before it is back.
    let bytes = short(false, Tick(110), &there, &[]);
    let read = |decoder: &UpdateDecoder| decoder.read(&messages::dictionary(), &bytes);
    assert_eq!(read(&decoder).unwrap_err().kind, WireErrorKind::Unresolved);
    // Back without the tag, which then comes.
    decoder.note(&told(10, false, Vec::new()));
    let expected = Update { states_stream: false, ..told(12, false, there) };
    assert_eq!(read(&decoder), Ok(ToClient::Update(expected)));
}

/// Controllers beyond the slots take no memory, and those with slots stay known.
#[test]
fn controllers_beyond_the_slots_take_no_memory() {
    let mut decoder = UpdateDecoder::new();
    for index in MAX_SLOTS..2 * MAX_SLOTS {
        let mut update = Update { states_stream: false, ..told(9, false, Vec::new()) };
        update.controllers[0].controller = controller(index.into());
        decoder.note(&update);
    }
    decoder.note(&told(10, false, Vec::new()));
    let bytes = short(false, Tick(110), &[(attribute(0), None)], &[]);
    assert!(decoder.read(&messages::dictionary(), &bytes).is_ok());
    assert_eq!(decoder.held(), 1 + 1); // stream parameters, and the controller in slot 3
}

/// Numbers of datagrams end in eight bits. Ahead of the newest that came is none by more than 32, for then it states its
/// number; so all others are from before, and what is late is not taken for what is yet to come.
#[test]
fn short_packet_numbers_resolve_near_the_newest() {
    let dictionary = messages::dictionary();
    let mut decoder = UpdateDecoder::new();
    let at = |packet| Update { controllers: Vec::new(), ..told(packet, false, Vec::new()) };
    decoder.note(&at(500));
    decoder.note(&at(1_000));
    // 223 before, 32 after: 256 in all.
    let cases = [(776, false), (777, true), (800, true), (1_000, true), (1_032, true), (1_033, false)];
    for (packet, is_read) in cases {
        let later = Update { states_stream: false, ..at(packet) };
        let bytes = wire::encode_to_client(&dictionary, &ToClient::Update(later.clone())).unwrap();
        let read = decoder.read(&dictionary, &bytes);
        assert_eq!(read == Ok(ToClient::Update(later)), is_read, "{packet}");
    }
}
