//! What one more client costs: a block that is encoded already goes into its datagram.

use std::hint::black_box;

use ugas::core::mirror::{Piece, PieceKey};
use ugas::net::bits::BitWriter;
use ugas::net::quantise::Quantiser;
use ugas::net::wire::{Dictionary, Exactness, Room, UpdateHeader, UpdateWriter, View, write_block};
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
        "one of {CONTROLLERS} in a datagram, a block of {bits} bits each, with handle and header; floor: memcpy of the \
         blocks, one by one"
    ))]
}

/// Two of sixteen attributes in twelve bits each.
fn dictionary_and_block() -> (Dictionary, BitWriter) {
    let attributes = [4, 9].map(AttributeId::from_index);
    let quantiser = Quantiser::Range { min: 0.0, max: 4_095.0, bits: 12 };
    let dictionary = attributes.into_iter().fold(Dictionary::sized(200, 16), |dictionary, attribute| {
        dictionary.with_attribute(attribute, quantiser).expect("it is one of sixteen")
    });
    let piece = Piece::Attribute { base: 1_234.0, current: 1_234.0 };
    let pieces = attributes.map(|attribute| (PieceKey::Attribute(attribute), Some(&piece)));
    let mut block = BitWriter::new();
    write_block(&dictionary, Exactness::Rounded, pieces.into_iter(), &mut block).expect("they are sorted");
    (dictionary, block)
}

fn ours(dictionary: Dictionary, block: BitWriter) -> Subject<'static> {
    let controllers: Vec<ControllerId> =
        (0..u64::from(CONTROLLERS)).filter_map(|at| ControllerId::from_bits(1 << 32 | at)).collect();
    assert_eq!(controllers.len(), CONTROLLERS as usize);
    let mut memory = BitWriter::new();
    let mut datagram = Vec::new();
    let mut write = move || {
        let bits = std::mem::take(&mut memory);
        let mut update = UpdateWriter::begin(&dictionary, UpdateHeader::default(), bits);
        for controller in &controllers {
            let room = update.controller(*controller, View::default(), black_box(&block));
            assert_eq!(room, Ok(Room::Taken));
        }
        memory = update.finish(0, 1).expect("it is the only part");
        datagram.clear();
        memory.copy_to(&mut datagram);
        black_box(&datagram);
    };
    write();
    many(CONTROLLERS as usize, write)
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
