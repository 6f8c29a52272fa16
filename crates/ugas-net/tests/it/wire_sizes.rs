//! Sizes of typical messages in bits, added up by hand from `docs/wire-format.md`.

use ugas_core::effect::PredictionKey;
use ugas_core::handle::{ActivationId, ActiveEffectId, ControllerId, GrantedAbilityId, Handle};
use ugas_core::id::{AttributeId, TagId};
use ugas_core::replica::{Piece, PieceKey, RecordVisibility};
use ugas_core::targeting::TargetData;
use ugas_net::Tick;
use ugas_net::bits::BitWriter;
use ugas_net::message::{
    Ack, AckReport, ActivationRef, CommandFrame, CommandOutcome, CommandResult, CueBurst, Frames, NetCommand,
    PacketId, StreamParams, ToServer,
};
use ugas_net::quantise::Quantiser;
use ugas_net::wire::{
    self, Baseline, BlockEncoding, DeltaEntry, Dictionary, Exactness, UpdateBits, UpdateHeader, UpdateWriter,
    ViewHeader,
};

fn handle<H: Handle>(index: u32, generation: u32) -> H {
    H::from_parts(index, generation.try_into().unwrap())
}

/// 250 tags (8 bits), 20 attributes, the first eight in 12 bits; the first one changes by -5 and -10.
fn dictionary() -> Dictionary {
    let twelve_bits = Quantiser::Range { min: 0.0, max: 4_095.0, bits: 12 };
    let plain = Dictionary::sized(250, 20).with_inputs(["Fire", "Jump"]).unwrap();
    let plain = plain.with_common(AttributeId::from_index(0), [-10.0, -5.0]).unwrap();
    (0..8)
        .map(AttributeId::from_index)
        .fold(plain, |dictionary, attribute| dictionary.with_attribute(attribute, twelve_bits).unwrap())
}

/// After an hour at 60 Hz, nothing lost: 3 kind, 8 session, 24 packet (216,000 is above 128 + 128² = 16,512), 24 + 1 acknowledgement,
/// 24 tick.
const HEADER: u64 = 3 + 8 + 24 + 25 + 24;

fn frames(commands: Vec<NetCommand>) -> u64 {
    let frames = vec![CommandFrame { tick: Tick(216_000), commands }];
    let ack = Ack { newest: PacketId(215_990), earlier: u32::MAX };
    let message =
        ToServer::Frames(Frames { session: 1, packet: PacketId(216_000), ack, now: Tick(216_003), frames });
    wire::write_to_server(&dictionary(), &message, BitWriter::new()).unwrap().bit_len()
}

/// 1 for a frame, 5 for three ticks ago (zigzag 6, groups of 4), 2 for one command; 1 for no other frame.
const FRAME: u64 = 1 + 5 + 2 + 1;

#[test]
fn an_activation_with_a_target_takes_six_bytes_and_the_header() {
    let ability: GrantedAbilityId = handle(130, 2);
    let target: ControllerId = handle(40, 3);
    let command = NetCommand::Activate { ability, targets: TargetData::from(target), event: None };
    // 4 kind; 14 + 4 ability (130 is above 63); 2 for one target, 2 for its kind, 7 + 4 for the controller; 1 no event.
    assert_eq!(frames(vec![command]), HEADER + FRAME + 4 + 18 + 2 + 2 + 11 + 1);
    // 38 and the frame's 9 are 47 bits: six bytes.
}

#[test]
fn other_commands() {
    let controller: ControllerId = handle(40, 3);
    assert_eq!(frames(vec![NetCommand::Confirm(controller)]), HEADER + FRAME + 4 + 11);
    let press =
        |input: &str| NetCommand::Press { controller, input: input.into(), targets: TargetData::default() };
    // A known name is a bit and its number among two; another a bit, 6 for its length, and 4 bytes. 2 for no
    // targets.
    assert_eq!(frames(vec![press("Jump")]), HEADER + FRAME + 4 + 11 + 1 + 1 + 2);
    assert_eq!(frames(vec![press("Hide")]), HEADER + FRAME + 4 + 11 + 1 + 6 + 32 + 2);
    let run: ActivationId = handle(5, 9);
    // The 9th generation takes two groups of 3.
    assert_eq!(frames(vec![NetCommand::End(ActivationRef::Known(run))]), HEADER + FRAME + 4 + 1 + 7 + 8);
    let key = PredictionKey(215_995 << 32 | 1 << 16);
    // Five ticks before the frame's own: zigzag 10, one group of 4; 2 for sequence 1, 2 for no dependent.
    assert_eq!(
        frames(vec![NetCommand::Cancel(ActivationRef::Begun(key))]),
        HEADER + FRAME + 4 + 1 + 5 + 2 + 2
    );
    let location =
        NetCommand::Targets { run: ActivationRef::Known(run), branch: 0, targets: [1.0, 2.0, 3.0].into() };
    // 3 for branch 0; 2 for one target, 2 for its kind, three numbers of single precision.
    assert_eq!(frames(vec![location]), HEADER + FRAME + 4 + 16 + 3 + 2 + 2 + 96);
}

fn header() -> UpdateHeader {
    UpdateHeader {
        packet: PacketId(216_000),
        tick: Tick(216_000),
        stream: StreamParams { step: 1, slots: 32 },
        parts: 1,
        base: Tick(215_997),
        ..UpdateHeader::default()
    }
}

/// 3 kind and flags for stream parameters and ack report, 4 session, 8 packet, 1 the only part that needs no other, 2
/// nothing more.
const UPDATE: u64 = 3 + 4 + 8 + 1 + 2;
/// 1 no places, and the ends of the three lists.
const LISTS: u64 = 1 + 3;
/// Before slots, instead of 2 for nothing: 1; 3 for three ticks ago, 1 form of the set, 3 for one to four of
/// them, 1 all by differences.
const PLACES: u64 = 3 + 1 + 3 + 1 - 1;

fn written(header: UpdateHeader, add: impl FnOnce(&mut UpdateWriter<'_>)) -> u64 {
    let dictionary = dictionary();
    let mut writer = UpdateWriter::begin(&dictionary, header, UpdateBits::default());
    add(&mut writer);
    writer.finish().unwrap().bit_len()
}

fn update(add: impl FnOnce(&mut UpdateWriter<'_>)) -> u64 {
    written(header(), add)
}

type News = (PieceKey, Option<Piece>, Baseline);

fn block_of(exactness: Exactness, basis: BlockEncoding, pieces: &[News]) -> BitWriter {
    let mut block = BitWriter::new();
    let told = pieces.iter().map(|(key, piece, old)| DeltaEntry {
        key: *key,
        piece: piece.as_ref().map(Piece::as_ref),
        baseline: *old,
    });
    wire::write_block(&dictionary(), exactness, basis, told, &mut block).unwrap();
    block
}

fn block(pieces: &[News]) -> BitWriter {
    block_of(Exactness::Rounded, BlockEncoding::Full, pieces)
}

fn attribute(index: u32, base: f64, current: f64) -> News {
    let piece = Piece::Attribute { base, current };
    (PieceKey::Attribute(AttributeId::from_index(index)), Some(piece), Baseline::Nothing)
}

fn changed(index: u32, old: f64, new: f64) -> News {
    let (key, piece, _) = attribute(index, new, new);
    (key, piece, Baseline::Attribute { base: old, current: old })
}

#[test]
fn empty_update_takes_three_bytes() {
    assert_eq!(update(|_| {}), UPDATE); // 18 bits
    // An ack report: 8 newest, 1 nothing missing, 4 margin.
    let ack = Ack { newest: PacketId(215_990), earlier: u32::MAX };
    let ack_report = Some(AckReport { ack, margin: 2 });
    assert_eq!(written(UpdateHeader { ack_report, ..header() }, |_| {}), UPDATE + 8 + 1 + 4);
    // Stream parameters: 24 instead of 8 for the packet, 24 tick, 3 step, 7 slots.
    let stated = UpdateHeader { states_stream: true, ..header() };
    assert_eq!(written(stated, |_| {}), UPDATE + 16 + 24 + 3 + 7);
    // The second of three parts: 1 + 16, 1 needs no other; one that builds upon the tick before: 1, and 3 for 1.
    assert_eq!(written(UpdateHeader { part: 1, parts: 3, ..header() }, |_| {}), UPDATE + 1 + 16 + 1);
    assert_eq!(written(UpdateHeader { since: Tick(215_999), ..header() }, |_| {}), UPDATE + 1 + 3);
}

#[test]
fn common_change_takes_three_bits_and_its_slot_a_few() {
    // 1 attribute, 1 the first rank, 1 the first common change, 1 end.
    let hit = block_of(Exactness::Rounded, BlockEncoding::Delta, &[changed(0, 100.0, 95.0)]);
    assert_eq!(hit.bit_len(), 1 + 1 + 1 + 1);
    // The second is -10: gamma of 1 is 3. Then what is not common: the pair is 2, -1 is 3, 1 is 4, gamma of 3 to 6 is 5.
    let other = |new| block_of(Exactness::Rounded, BlockEncoding::Delta, &[changed(0, 100.0, new)]).bit_len();
    assert_eq!([other(90.0), other(99.0), other(101.0)], [3 + 3, 3 + 5, 3 + 5]);
    // -7 is zigzag 13, 15: gamma of 15 is 9.
    assert_eq!(other(93.0), 3 + 9);
    // Base 100 stays and the current value goes to 90: 3 for the pair, 4 for nothing, 8 for zigzag 19 in groups of 3.
    let (key, piece, _) = attribute(0, 100.0, 90.0);
    let (.., old) = changed(0, 100.0, 0.0);
    assert_eq!(
        block_of(Exactness::Rounded, BlockEncoding::Delta, &[(key, piece, old)]).bit_len(),
        3 + 3 + 4 + 8
    );
    // Two of 32 places: 16 is 2⁴, so that each takes 4 low bits and 1.
    let bits = update(|writer| {
        for slot in [5, 12] {
            assert!(writer.slot(slot, BlockEncoding::Delta, &hit).is_ok());
        }
    });
    assert_eq!(bits, UPDATE + PLACES + 2 * (5 + 4));
    // One whole of two: a bit each.
    let bits = update(|writer| {
        assert!(writer.slot(5, BlockEncoding::Delta, &hit).is_ok());
        assert!(writer.slot(12, BlockEncoding::Full, &hit).is_ok());
    });
    assert_eq!(bits, UPDATE + PLACES + 2 + 2 * (5 + 4));
}

#[test]
fn common_changes_are_as_short_for_owners() {
    let bits = |new| block_of(Exactness::Exact, BlockEncoding::Delta, &[changed(0, 100.0, new)]).bit_len();
    assert_eq!(bits(95.0), 1 + 1 + 1 + 1);
    // An uncommon change is sent in full: 3 for the pair, 1 alike, 1 + 14 for 93.
    assert_eq!(bits(93.0), 1 + 1 + 3 + 1 + 15 + 1);
}

#[test]
fn whole_attributes() {
    let news = block(&[attribute(1, 100.0, 100.0), attribute(4, 7.0, 7.0)]);
    // 1 attribute, 3 rank 1, 1 + 12; 2 one more, 3 two ranks left out, 1 + 12; 1 end.
    assert_eq!(news.bit_len(), 1 + 3 + 13 + 2 + 3 + 13 + 1);
    let bits = update(|writer| {
        for index in [20, 23] {
            assert!(writer.controller(handle(index, 1), ViewHeader::default(), &news).is_ok());
        }
    });
    // Each: 1 one more, 4 generation, 1 plain view; the first 7 for its index, the other 4 for the gap.
    assert_eq!(bits, UPDATE + LISTS + (1 + 7 + 4 + 1) + (1 + 4 + 4 + 1) + 2 * news.bit_len());
    // Exact ones come after the eight others: rank 9, gamma of 9 is 7. 1 attribute, 1 end.
    let around = 1 + 7 + 1;
    // 1 same; 100 takes 1 and two groups of 6.
    assert_eq!(block(&[attribute(9, 100.0, 100.0)]).bit_len(), around + 1 + 15);
    // 1 different; 100, then 62.5 as 62,500 thousandths: zigzag 125,000, 2 and three groups.
    assert_eq!(block(&[attribute(9, 100.0, 62.5)]).bit_len(), around + 1 + 15 + 23);
    assert_eq!(block(&[attribute(9, 1.0 / 3.0, 1.0 / 3.0)]).bit_len(), around + 1 + 67);
}

#[test]
fn tags_and_effects() {
    let tag = |index, count: Option<u32>, old| {
        (PieceKey::Tag(TagId::from_index(index)), count.map(Piece::Tag), old)
    };
    // 2 tag, 8 which, 1 it comes or goes, 1 end.
    let differences = |news| block_of(Exactness::Rounded, BlockEncoding::Delta, &[news]).bit_len();
    assert_eq!(differences(tag(200, Some(1), Baseline::Nothing)), 2 + 8 + 1 + 1);
    assert_eq!(differences(tag(200, None, Baseline::Tag(3))), 2 + 8 + 1 + 1);
    // Once more: 1 neither comes nor goes, 1 not gone, 4 for two.
    assert_eq!(differences(tag(200, Some(2), Baseline::Tag(1))), 2 + 8 + 1 + 1 + 4 + 1);
    // Whole: 1 not gone, 2 for one.
    assert_eq!(block(&[tag(100, Some(1), Baseline::Nothing)]).bit_len(), 2 + 8 + 1 + 2 + 1);
    let effect = |index, record: Option<usize>| {
        let handle: ActiveEffectId = handle(index, 2);
        let record = record.map(|bytes| Piece::Record(vec![0; bytes].into()));
        (PieceKey::Effect(handle), record, Baseline::Nothing)
    };
    // 2 the rest, 9 kinds; 3 for two; 14 + 4, then 4 + 4; 1 some gone, 1 each; 6 for the length and 20 bytes.
    let news = block(&[effect(300, Some(20)), effect(305, None)]);
    assert_eq!(news.bit_len(), 2 + 9 + 3 + 18 + 8 + 1 + 2 + 6 + 160);
    // Nothing at all, as when only the view changes.
    assert_eq!(block(&[]).bit_len(), 2 + 9);
    let view = |epoch| ViewHeader { epoch, own: true, visibility: RecordVisibility::ALL };
    let bits = |view| update(|writer| assert!(writer.controller(handle(1, 1), view, &block(&[])).is_ok()));
    // 2 for a view that is not plain, 3 flags, 1 for epoch 0 or 9 for another.
    assert_eq!(bits(view(0)), UPDATE + LISTS + 1 + 7 + 4 + 6 + 11);
    assert_eq!(bits(view(200)), UPDATE + LISTS + 1 + 7 + 4 + 14 + 11);
    let bits = update(|writer| assert!(writer.gone(handle(1, 1)).is_ok()));
    assert_eq!(bits, UPDATE + LISTS + 1 + 7 + 4 + 2);
}

#[test]
fn results_and_bursts() {
    let key = PredictionKey(215_998 << 32);
    let result = CommandResult { key, outcome: CommandOutcome::Done };
    // 1 one more, 5 two ticks ago, 2 + 2 sequence and dependent, 1 done.
    assert_eq!(update(|writer| assert!(writer.result(&result).is_ok())), UPDATE + LISTS + 11);
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
    // 1 one more, 5 this tick, 4 ordinal, 8 cue, 7 + 4 controller, 1 + 11 source, 1 no key, 8 magnitude, 8 level, 1 no
    // location, 1 no details.
    let bits = 1 + 5 + 4 + 8 + 11 + 12 + 1 + 8 + 8 + 1 + 1;
    assert_eq!(update(|writer| assert!(writer.burst(&burst).is_ok())), UPDATE + LISTS + bits);
}
