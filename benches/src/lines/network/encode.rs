//! What one more client costs: a block that is encoded already goes into its datagram.

use std::hint::black_box;
use std::num::NonZeroU32;

use ugas::core::handle::Handle;
use ugas::core::mirror::{Piece, PieceKey, Sight};
use ugas::net::Tick;
use ugas::net::bits::BitWriter;
use ugas::net::message::{ControllerChange, ControllerUpdate, Course, PacketId, ToClient, Update};
use ugas::net::quantise::Quantiser;
use ugas::net::wire::{
    Basis, Dictionary, Exactness, Listener, Room, Told, UpdateBits, UpdateHeader, UpdateWriter, write_block,
};
use ugas::{AttributeId, ControllerId};

use crate::line::{Goal, Line};
use crate::measure::{Effort, Subject, compare, many};

/// Controllers in one datagram.
const CONTROLLERS: u32 = 100;

/// A datagram with a hundred controllers that have two changed attributes each, for one more client; beside it the same
/// blocks as whole bytes, copied one after the other.
pub(crate) fn measure(effort: Effort) -> Vec<Line> {
    let (dictionary, block) = dictionary_and_block();
    let bits = block.bit_len();
    let [ours, floor] = compare(effort, [ours(dictionary, block.clone()), floor(&block.into_bytes())]);
    vec![Line::new("encode", ours, Goal::Floor(4.0)).floor(floor.median).must_not_allocate().note(format!(
        "one of {CONTROLLERS} in a datagram, a block of {bits} bits each, with place and header; floor: memcpy of the \
         blocks, one by one"
    ))]
}

/// What all controllers have in common: every second place is one's.
const COURSE: Course = Course { step: 1, places: 2 * CONTROLLERS };

/// What is told of each controller.
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
    let pieces = attributes.map(|attribute| Told::whole(PieceKey::Attribute(attribute), Some(&PIECE)));
    let mut block = BitWriter::new();
    write_block(&dictionary, Exactness::Rounded, Basis::Whole, pieces.into_iter(), &mut block)
        .expect("they are sorted");
    (dictionary, block)
}

fn ours(dictionary: Dictionary, block: BitWriter) -> Subject<'static> {
    let mut memory = UpdateBits::default();
    let mut datagram = Vec::new();
    let header = UpdateHeader {
        packet: PacketId(2),
        course: COURSE,
        tick: Tick(2),
        base: Tick(1),
        ..UpdateHeader::default()
    };
    let mut write = move |datagram: &mut Vec<u8>| {
        let bits = std::mem::take(&mut memory);
        let mut update = UpdateWriter::begin(&dictionary, header, bits);
        for place in 0..CONTROLLERS {
            let room = update.place(2 * place, Basis::Whole, black_box(&block));
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

/// A client that was told of everybody before reads what was meant.
fn assert_read(datagram: &[u8]) {
    let everybody = |pieces: &[(PieceKey, Option<Piece>)]| -> Vec<ControllerUpdate> {
        let told = |place: u32| ControllerUpdate {
            controller: ControllerId::from_parts(2 * place, NonZeroU32::MIN),
            change: ControllerChange::Pieces {
                epoch: 0,
                own: false,
                sight: Sight { effects: false, abilities: false },
                pieces: pieces.to_vec(),
            },
        };
        (0..CONTROLLERS).map(told).collect()
    };
    let mut listener = Listener::new();
    listener.note(&Update {
        packet: PacketId(1),
        tick: Tick(1),
        course: COURSE,
        states_course: true,
        controllers: everybody(&[]),
        ..Update::default()
    });
    let (dictionary, _) = dictionary_and_block();
    let Ok(ToClient::Update(read)) = listener.read(&dictionary, datagram) else {
        panic!("the datagram is an update");
    };
    let pieces = attributes().map(|attribute| (PieceKey::Attribute(attribute), Some(PIECE)));
    assert_eq!((read.packet, read.tick), (PacketId(2), Tick(2)));
    assert_eq!(read.controllers, everybody(&pieces), "everybody is told of");
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
