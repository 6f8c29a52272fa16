//! How many bits typical messages take, added up by hand from `docs/wire-format.md`.

use ugas_core::effect::PredictionKey;
use ugas_core::handle::{AbilityHandle, ActivationId, ActiveEffectId, ControllerId, Handle};
use ugas_core::id::{AttributeId, TagId};
use ugas_core::mirror::{Piece, PieceKey, Sight};
use ugas_core::targeting::TargetData;
use ugas_net::Tick;
use ugas_net::bits::BitWriter;
use ugas_net::message::{
    Ack, Burst, CommandFrame, CommandResult, Feedback, Frames, NetCommand, PacketId, RunRef, ToServer,
    Verdict,
};
use ugas_net::quantise::Quantiser;
use ugas_net::wire::{self, Dictionary, Exactness, UpdateHeader, UpdateWriter, View};

fn handle<H: Handle>(index: u32, generation: u32) -> H {
    H::from_parts(index, generation.try_into().unwrap())
}

/// 250 tags (8 bits), 20 attributes, the first eight in 12 bits.
fn dictionary() -> Dictionary {
    let twelve_bits = Quantiser::Range { min: 0.0, max: 4_095.0, bits: 12 };
    let plain = Dictionary::sized(250, 20).with_inputs(["Fire", "Jump"]).unwrap();
    (0..8)
        .map(AttributeId::from_index)
        .fold(plain, |dictionary, attribute| dictionary.with_attribute(attribute, twelve_bits).unwrap())
}

/// After an hour at 60 Hz, nothing lost: 3 kind, 24 packet (216,000 is above 128 + 128² = 16,512), 24 + 1 acknowledgement,
/// 24 tick.
const HEADER: u64 = 3 + 24 + 25 + 24;

fn frames(commands: Vec<NetCommand>) -> u64 {
    let frames = vec![CommandFrame { tick: Tick(216_000), commands: commands.into() }];
    let ack = Ack { newest: PacketId(215_990), earlier: u32::MAX };
    let message = ToServer::Frames(Frames { packet: PacketId(216_000), ack, now: Tick(216_003), frames });
    wire::write_to_server(&dictionary(), &message, BitWriter::new()).unwrap().bit_len()
}

/// 1 for a frame, 5 for three ticks ago (zigzag 6, groups of 4), 2 for one command; 1 for no other frame.
const FRAME: u64 = 1 + 5 + 2 + 1;

#[test]
fn an_activation_with_a_target_takes_six_bytes_and_the_header() {
    let ability: AbilityHandle = handle(130, 2);
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
    let press = |input: &str| NetCommand::Press { controller, input: input.into() };
    // A known name is a bit and its number among two; another a bit, 6 for its length, and 4 bytes.
    assert_eq!(frames(vec![press("Jump")]), HEADER + FRAME + 4 + 11 + 1 + 1);
    assert_eq!(frames(vec![press("Hide")]), HEADER + FRAME + 4 + 11 + 1 + 6 + 32);
    let run: ActivationId = handle(5, 9);
    // The 9th generation takes two groups of 3.
    assert_eq!(frames(vec![NetCommand::End(RunRef::Known(run))]), HEADER + FRAME + 4 + 1 + 7 + 8);
    let key = PredictionKey(215_995 << 32 | 1 << 16);
    // Five ticks before the frame's own: zigzag 10, one group of 4; 2 for sequence 1, 2 for no dependent.
    assert_eq!(frames(vec![NetCommand::Cancel(RunRef::Begun(key))]), HEADER + FRAME + 4 + 1 + 5 + 2 + 2);
    let place = NetCommand::Targets { run: RunRef::Known(run), thread: 0, targets: [1.0, 2.0, 3.0].into() };
    // 3 for branch 0; 2 for one target, 2 for its kind, three numbers of single precision.
    assert_eq!(frames(vec![place]), HEADER + FRAME + 4 + 16 + 3 + 2 + 2 + 96);
}

fn header() -> UpdateHeader {
    UpdateHeader {
        packet: PacketId(216_000),
        ack: Ack { newest: PacketId(215_990), earlier: u32::MAX },
        tick: Tick(216_000),
        feedback: Feedback { newest: Tick(216_003), margin: 2 },
    }
}

/// As [`HEADER`], and 5 for the client's clock (three ahead: zigzag 5), 4 for the margin (zigzag 4).
const UPDATE_HEADER: u64 = HEADER + 5 + 4;
/// The ends of three lists, and that it is the only part.
const UPDATE_END: u64 = 3 + 1;

fn update(add: impl FnOnce(&mut UpdateWriter<'_>)) -> u64 {
    let dictionary = dictionary();
    let mut writer = UpdateWriter::begin(&dictionary, header(), BitWriter::new());
    add(&mut writer);
    writer.finish(0, 1).unwrap().bit_len()
}

fn block(pieces: &[(PieceKey, Option<Piece>)]) -> BitWriter {
    let mut block = BitWriter::new();
    let pieces = pieces.iter().map(|(key, piece)| (*key, piece.as_ref()));
    wire::write_block(&dictionary(), Exactness::Rounded, pieces, &mut block).unwrap();
    block
}

fn attribute(index: u32, base: f64, current: f64) -> (PieceKey, Option<Piece>) {
    (PieceKey::Attribute(AttributeId::from_index(index)), Some(Piece::Attribute { base, current }))
}

#[test]
fn an_update_without_news_takes_twelve_bytes() {
    assert_eq!(update(|_| {}), UPDATE_HEADER + UPDATE_END); // 85 + 4 = 89 bits
}

#[test]
fn two_quantised_attributes_take_seven_bytes_with_their_controller() {
    let news = block(&[attribute(1, 100.0, 100.0), attribute(4, 7.0, 7.0)]);
    // 4 kinds; 1 form, 3 for two; 20 / 2 = 10 is above 2³: each 3 low bits and 1; 1 nothing gone; each 1 + 12.
    assert_eq!(news.bit_len(), 4 + 1 + 3 + 2 * 4 + 1 + 2 * 13);
    let bits = update(|writer| {
        for index in [20, 23] {
            assert!(writer.controller(handle(index, 1), View::default(), &news).is_ok());
        }
    });
    // Each: 1 one more, 4 generation, 1 plain view; the first 7 for its place, the other 4 for the gap.
    assert_eq!(bits, UPDATE_HEADER + UPDATE_END + (1 + 7 + 4 + 1) + (1 + 4 + 4 + 1) + 2 * news.bit_len());
    // 10 + 43 = 53 bits for one more controller.
}

#[test]
fn exact_attributes() {
    // 4 kinds; 1 form, 3 for one, 20 / 1 is above 2⁴: 4 low bits and 1; 1 nothing gone.
    let around = 4 + 1 + 3 + 5 + 1;
    // 1 same; 100 takes 1 and two groups of 6.
    assert_eq!(block(&[attribute(9, 100.0, 100.0)]).bit_len(), around + 1 + 15);
    // 1 different; 100, then 62.5 as 62,500 thousandths: zigzag 125,000, 2 and three groups.
    assert_eq!(block(&[attribute(9, 100.0, 62.5)]).bit_len(), around + 1 + 15 + 23);
    assert_eq!(block(&[attribute(9, 1.0 / 3.0, 1.0 / 3.0)]).bit_len(), around + 1 + 67);
}

#[test]
fn tags_and_effects() {
    let tag = |index, count| (PieceKey::Tag(TagId::from_index(index)), Some(Piece::Tag(count)));
    // 4 kinds; 1 form, 3 for one, 250 is above 2⁷: 7 low bits and 1, one more above 128; 1 nothing gone; 2 for a count of 1.
    assert_eq!(block(&[tag(100, 1)]).bit_len(), 4 + 1 + 3 + 8 + 1 + 2);
    assert_eq!(block(&[tag(200, 1)]).bit_len(), 4 + 1 + 3 + 9 + 1 + 2);
    let effect = |index, record: Option<usize>| {
        let handle: ActiveEffectId = handle(index, 2);
        (PieceKey::Effect(handle), record.map(|bytes| Piece::Record(vec![0; bytes].into())))
    };
    // 4 kinds; 3 for two; 14 + 4, then 4 + 4; 1 some gone, 1 each; 6 for the length and 20 bytes.
    let news = block(&[effect(300, Some(20)), effect(305, None)]);
    assert_eq!(news.bit_len(), 4 + 3 + 18 + 8 + 1 + 2 + 6 + 160);
    // Nothing at all, as when only the view changes.
    assert_eq!(block(&[]).bit_len(), 4);
    let view = |epoch| View { epoch, own: true, sight: Sight::WHOLE };
    let bits = |view| update(|writer| assert!(writer.controller(handle(1, 1), view, &block(&[])).is_ok()));
    // 2 for a view that is not plain, 3 flags, 1 for epoch 0 or 9 for another.
    assert_eq!(bits(view(0)), UPDATE_HEADER + UPDATE_END + 1 + 7 + 4 + 6 + 4);
    assert_eq!(bits(view(200)), UPDATE_HEADER + UPDATE_END + 1 + 7 + 4 + 14 + 4);
    let bits = update(|writer| assert!(writer.gone(handle(1, 1)).is_ok()));
    assert_eq!(bits, UPDATE_HEADER + UPDATE_END + 1 + 7 + 4 + 2);
}

#[test]
fn results_and_bursts() {
    let key = PredictionKey(215_998 << 32);
    let result = CommandResult { key, verdict: Verdict::Done };
    // 1 one more, 5 two ticks ago, 2 + 2 sequence and dependent, 1 done.
    assert_eq!(update(|writer| assert!(writer.result(&result).is_ok())), UPDATE_HEADER + UPDATE_END + 11);
    let burst = Burst {
        tick: Tick(216_000),
        ordinal: 3,
        cue: TagId::from_index(77),
        controller: handle(20, 1),
        source: Some(handle(21, 1)),
        key: None,
        magnitude: 25.0,
        level: 1.0,
        location: None,
    };
    // 1 one more, 5 this tick, 4 ordinal, 8 cue, 7 + 4 controller, 1 + 11 source, 1 no key, 8 magnitude, 8 level, 1.
    let bits = 1 + 5 + 4 + 8 + 11 + 12 + 1 + 8 + 8 + 1;
    assert_eq!(update(|writer| assert!(writer.burst(&burst).is_ok())), UPDATE_HEADER + UPDATE_END + bits);
}
