//! Cost of one more client: an already encoded block is copied into its datagram.

use std::hint::black_box;
use std::num::NonZeroU32;

use ugas::core::handle::Handle;
use ugas::core::replica::{Piece, PieceKey, RecordVisibility};
use ugas::net::Tick;
use ugas::net::bits::BitWriter;
use ugas::net::message::{ControllerChange, ControllerUpdate, PacketId, StreamParams, ToClient, Update};
use ugas::net::quantise::Quantiser;
use ugas::net::wire::{
    BlockEncoding, DeltaEntry, Dictionary, Exactness, Room, UpdateBits, UpdateDecoder, UpdateHeader,
    UpdateWriter, write_block,
};
use ugas::{AttributeId, ControllerId};

use crate::line::{Goal, Line};
use crate::measure::{Effort, Subject, compare, many};

/// Controllers in one datagram.
const CONTROLLERS: u32 = 100;

/// A datagram with a hundred controllers that have two changed attributes each, for one more client; the
/// floor copies the same blocks as whole bytes.
pub(crate) fn measure(effort: Effort) -> Vec<Line> {
    let (dictionary, block) = dictionary_and_block();
    let bits = block.bit_len();
    let [ours, floor] = compare(effort, [ours(dictionary, block.clone()), floor(&block.into_bytes())]);
    vec![Line::new("encode", ours, Goal::Floor(4.0)).floor(floor.median).must_not_allocate().note(format!(
        "one of {CONTROLLERS} in a datagram, a block of {bits} bits each, with place and header; floor: memcpy of the \
         blocks, one by one"
    ))]
}

/// Stride of the controllers: every second slot is used.
const STREAM: StreamParams = StreamParams { step: 1, slots: 2 * CONTROLLERS };

/// Attributes sent of each controller.
const PIECE: Piece = Piece::Attribute { base: 1_234.0, current: 1_234.0 };

fn attributes() -> [AttributeId; 2] {
    [4, 9].map(AttributeId::from_index)
}

/// Two of sixteen attributes in twelve bits each.
fn dictionary_and_block() -> (Dictionary, BitWriter) {
    let attributes = attributes();
    let quantiser = Quantiser::Range { min: 0.0, max: 4_095.0, bits: 12 };
    let dictionary = attributes.into_iter().fold(Dictionary::sized(200, 16), |dictionary, attribute| {
        dictionary.with_attribute(attribute, quantiser).expect("it is one of sixteen")
    });
    let pieces = attributes.map(|attribute| DeltaEntry::full(PieceKey::Attribute(attribute), Some(&PIECE)));
    let mut block = BitWriter::new();
    write_block(&dictionary, Exactness::Rounded, BlockEncoding::Full, pieces.into_iter(), &mut block)
        .expect("they are sorted");
    (dictionary, block)
}

fn ours(dictionary: Dictionary, block: BitWriter) -> Subject<'static> {
    let mut memory = UpdateBits::default();
    let mut datagram = Vec::new();
    let header = UpdateHeader {
        packet: PacketId(2),
        stream: STREAM,
        tick: Tick(2),
        base: Tick(1),
        ..UpdateHeader::default()
    };
    let mut write = move |datagram: &mut Vec<u8>| {
        let bits = std::mem::take(&mut memory);
        let mut update = UpdateWriter::begin(&dictionary, header, bits);
        for slot in 0..CONTROLLERS {
            let room = update.slot(2 * slot, BlockEncoding::Full, black_box(&block));
            assert_eq!(room, Ok(Room::Taken));
        }
        memory = update.finish().expect("it is the only part");
        datagram.clear();
        memory.copy_to(datagram);
        black_box(&*datagram);
    };
    write(&mut datagram);
    assert_read(&datagram);
    many(CONTROLLERS as usize, move || write(&mut datagram))
}

/// Checks that a client with a baseline of all controllers decodes the datagram.
fn assert_read(datagram: &[u8]) {
    let everybody = |pieces: &[(PieceKey, Option<Piece>)]| -> Vec<ControllerUpdate> {
        let update = |slot: u32| ControllerUpdate {
            controller: ControllerId::from_parts(2 * slot, NonZeroU32::MIN),
            change: ControllerChange::Pieces {
                epoch: 0,
                own: false,
                visibility: RecordVisibility { effects: false, abilities: false },
                pieces: pieces.to_vec(),
            },
        };
        (0..CONTROLLERS).map(update).collect()
    };
    let mut decoder = UpdateDecoder::new();
    decoder.note(&Update {
        packet: PacketId(1),
        tick: Tick(1),
        stream: STREAM,
        states_stream: true,
        controllers: everybody(&[]),
        ..Update::default()
    });
    let (dictionary, _) = dictionary_and_block();
    let Ok(ToClient::Update(read)) = decoder.read(&dictionary, datagram) else {
        panic!("the datagram is an update");
    };
    let pieces = attributes().map(|attribute| (PieceKey::Attribute(attribute), Some(PIECE)));
    assert_eq!((read.packet, read.tick), (PacketId(2), Tick(2)));
    assert_eq!(read.controllers, everybody(&pieces), "a controller is missing in the update");
}

fn floor(block: &[u8]) -> Subject<'static> {
    let block = block.to_vec();
    let mut datagram: Vec<u8> = Vec::with_capacity(2_000);
    many(CONTROLLERS as usize, move || {
        datagram.clear();
        for _ in 0..CONTROLLERS {
            datagram.extend_from_slice(black_box(&block));
        }
        black_box(&datagram);
    })
}
