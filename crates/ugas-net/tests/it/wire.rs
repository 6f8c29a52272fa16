//! What is written is read, and what is read is written the same.

use proptest::prelude::*;
use ugas_core::handle::ControllerId;
use ugas_core::id::{AttributeId, TagId};
use ugas_core::mirror::{Piece, PieceKey, Sight};
use ugas_core::targeting::{Target, TargetData};
use ugas_net::Tick;
use ugas_net::bits::BitWriter;
use ugas_net::message::{
    Ack, CommandFrame, ControllerChange, ControllerUpdate, Feedback, Frames, NetCommand, PacketId, ToClient,
    ToServer, Update,
};
use ugas_net::wire::{self, Dictionary, EncodeError, Exactness, Room, UpdateHeader, UpdateWriter, View};

use crate::messages;

proptest! {
    #[test]
    fn messages_of_clients_survive(message in messages::to_server()) {
        let dictionary = messages::dictionary();
        let bytes = wire::encode_to_server(&dictionary, &message).unwrap();
        prop_assert_eq!(wire::decode_to_server(&dictionary, &bytes), Ok(message));
    }

    #[test]
    fn messages_of_the_server_survive(message in messages::to_client()) {
        let dictionary = messages::dictionary();
        let bytes = wire::encode_to_client(&dictionary, &message).unwrap();
        prop_assert_eq!(wire::decode_to_client(&dictionary, &bytes), Ok(message));
    }

    #[test]
    fn settled_commands_arrive_as_they_are(x: f64, y in -1e300..1e300_f64, distance in -1e10..1e10_f64) {
        prop_assume!(x.is_finite());
        let hit = ugas_core::effect::HitResult {
            location: [x, y, 0.1],
            normal: [1e-300, -1e-300, 0.0],
            distance,
            ..Default::default()
        };
        let targets = [Target::Location([x, y, 1.0]), Target::Hit { controller: None, hit }];
        let mut command = activate(TargetData::from_iter(targets));
        wire::settle(&mut command);
        let message = frames(vec![command]);
        let dictionary = messages::dictionary();
        let bytes = wire::encode_to_server(&dictionary, &message).unwrap();
        prop_assert_eq!(wire::decode_to_server(&dictionary, &bytes), Ok(message));
    }
}

fn activate(targets: TargetData) -> NetCommand {
    let ability = ugas_core::handle::AbilityHandle::from_bits(1 << 32).unwrap();
    NetCommand::Activate { ability, targets, event: None }
}

fn frames(commands: Vec<NetCommand>) -> ToServer {
    let frames = vec![CommandFrame { tick: Tick(5), commands: commands.into() }];
    ToServer::Frames(Frames { packet: PacketId(1), ack: Ack::default(), now: Tick(5), frames })
}

fn controller(index: u64) -> ControllerId {
    ControllerId::from_bits(1 << 32 | index).unwrap()
}

/// An update with nothing but these pieces of one controller.
fn update(pieces: Vec<(PieceKey, Option<Piece>)>) -> ToClient {
    let change = ControllerChange::Pieces { epoch: 0, own: false, sight: Sight::SHOWN, pieces };
    ToClient::Update(Update {
        packet: PacketId(1),
        ack: Ack::default(),
        tick: Tick(9),
        part: 0,
        parts: 1,
        feedback: Feedback::default(),
        results: Vec::new(),
        controllers: vec![ControllerUpdate { controller: controller(3), change }],
        bursts: Vec::new(),
    })
}

fn refused(pieces: Vec<(PieceKey, Option<Piece>)>) -> EncodeError {
    wire::encode_to_client(&messages::dictionary(), &update(pieces)).unwrap_err()
}

fn attribute(index: u32) -> PieceKey {
    PieceKey::Attribute(AttributeId::from_index(index))
}

#[test]
fn what_cannot_be_read_is_not_written() {
    let tag = |index| (PieceKey::Tag(TagId::from_index(index)), Some(Piece::Tag(1)));
    let value = |base| Some(Piece::Attribute { base, current: 0.0 });
    assert_eq!(refused(vec![(attribute(0), value(f64::NAN))]), EncodeError::NotFinite("an attribute"));
    assert_eq!(refused(vec![tag(5), tag(4)]), EncodeError::Unsorted("pieces"));
    assert_eq!(refused(vec![tag(5), tag(5)]), EncodeError::Unsorted("pieces"));
    assert_eq!(refused(vec![(attribute(0), Some(Piece::Tag(1)))]), EncodeError::OtherPiece(attribute(0)));
    assert_eq!(refused(vec![tag(300)]), EncodeError::UnknownId { what: "tags", index: 300, known: 300 });
    let record = (PieceKey::Inputs, Some(Piece::Record(vec![0; 1_190].into())));
    assert_eq!(refused(vec![record]), EncodeError::TooLong);

    let refused = |commands| wire::encode_to_server(&messages::dictionary(), &frames(commands)).unwrap_err();
    assert_eq!(refused(vec![]), EncodeError::EmptyFrame);
    let nine = vec![NetCommand::Confirm(controller(1)); 9];
    assert_eq!(refused(nine), EncodeError::TooMany { what: "commands", found: 9, most: 8 });
    let crowd = TargetData::from_iter(vec![controller(1); 33]);
    assert_eq!(refused(vec![activate(crowd)]), EncodeError::TooMany { what: "targets", found: 33, most: 32 });
    let nowhere = activate(TargetData::from([0.0, f64::INFINITY, 0.0]));
    assert_eq!(refused(vec![nowhere]), EncodeError::NotFinite("a target's place"));
    let press = NetCommand::Press { controller: controller(1), input: "x".repeat(65).into() };
    let found = 65;
    assert_eq!(
        refused(vec![press]),
        EncodeError::TooMany { what: "bytes of an input's name", found, most: 64 }
    );
}

#[test]
fn a_block_that_cannot_be_written_leaves_nothing() {
    let mut block = BitWriter::new();
    block.bits(0b101, 3);
    let before = block.clone();
    let piece = Piece::Attribute { base: f64::NAN, current: 0.0 };
    let pieces = [(attribute(0), Some(&piece))];
    assert!(
        wire::write_block(&messages::dictionary(), Exactness::Rounded, pieces.into_iter(), &mut block)
            .is_err()
    );
    assert_eq!(block, before);
}

#[test]
fn blocks_are_encoded_once_for_many_datagrams() {
    let dictionary = messages::dictionary();
    let value = Piece::Attribute { base: 50.0, current: 40.0 };
    let pieces = vec![(attribute(3), Some(value))];
    let mut block = BitWriter::new();
    let borrowed = pieces.iter().map(|(key, piece)| (*key, piece.as_ref()));
    wire::write_block(&dictionary, Exactness::Rounded, borrowed, &mut block).unwrap();

    let ToClient::Update(expected) = update(pieces) else { unreachable!() };
    let header = UpdateHeader {
        packet: expected.packet,
        ack: expected.ack,
        tick: expected.tick,
        feedback: expected.feedback,
    };
    let mut bits = BitWriter::new();
    for _ in 0..2 {
        let mut writer = UpdateWriter::begin(&dictionary, header, bits);
        assert_eq!(writer.controller(controller(3), View::default(), &block), Ok(Room::Taken));
        bits = writer.finish(0, 1).unwrap();
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
        sent.controllers[0].change = ControllerChange::Pieces { epoch: 7, own, sight: Sight::WHOLE, pieces };
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
    wire::write_block(
        &dictionary,
        Exactness::Rounded,
        [(PieceKey::Inputs, Some(&piece))].into_iter(),
        &mut block,
    )
    .unwrap();
    let mut writer = UpdateWriter::begin(&dictionary, UpdateHeader::default(), BitWriter::new());
    let mut added = 0;
    while writer.controller(controller(added), View::default(), &block).unwrap() == Room::Taken {
        added += 1;
    }
    // A block has 8 × 100 bits, 12 for their number, 11 for the kinds and 1 because nothing is gone: 824. Before it are 1
    // for another one, 4 for the gap, 4 for the generation and 1 for the view, with 7 for the first index: 834 each.
    // The header has 3 + 8 + 9 + 8 + 5 + 4 = 37 and the end 20: 11 blocks come to 9,234, and 12 to more than 9,600.
    assert_eq!(added, 11);
    assert!(writer.room() < 834 && writer.bit_len() + writer.room() == 9_600);
    // Something smaller still fits.
    assert_eq!(writer.gone(controller(99)), Ok(Room::Taken));
    let bytes = writer.finish(1, 2).unwrap().into_bytes();
    let Ok(ToClient::Update(update)) = wire::decode_to_client(&dictionary, &bytes) else { panic!() };
    assert_eq!((update.controllers.len(), update.part, update.parts), (12, 1, 2));
}

#[test]
fn lists_have_their_order() {
    let dictionary = Dictionary::sized(1, 1);
    let header = UpdateHeader::default();
    let mut writer = UpdateWriter::begin(&dictionary, header, BitWriter::new());
    assert_eq!(writer.gone(controller(5)), Ok(Room::Taken));
    let before = writer.bit_len();
    assert_eq!(writer.gone(controller(5)), Err(EncodeError::Unsorted("controllers")));
    let key = ugas_core::effect::PredictionKey(0);
    let result = ugas_net::message::CommandResult { key, verdict: ugas_net::message::Verdict::Done };
    assert_eq!(writer.result(&result), Err(EncodeError::TooLate("results")));
    assert_eq!(writer.bit_len(), before);
    assert_eq!(writer.clone().finish(2, 2), Err(EncodeError::Part { part: 2, parts: 2 }));
    assert!(writer.finish(0, 0).is_ok());
}
