//! Strategies for arbitrary messages that can be encoded.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use proptest::sample::Index;
use ugas_core::ability::GameplayEvent;
use ugas_core::effect::{HitResult, PredictionKey, RawPayload, Vector3};
use ugas_core::handle::{ControllerId, Handle};
use ugas_core::id::{ActorId, AttributeId, TagId};
use ugas_core::input::InputId;
use ugas_core::replica::{Piece, PieceKey, RecordVisibility};
use ugas_core::targeting::{Placement, Target, TargetData};
use ugas_core::task::TaskOutcome;
use ugas_core::time::Time;
use ugas_net::message::{
    Ack, AckReport, ActivationRef, ByeReason, ClientId, CommandFrame, CommandOutcome, CommandResult,
    ControllerChange, ControllerUpdate, CueBurst, Frames, Hello, NetCommand, PacketId, Refused,
    RefusedReason, Rejection, Resume, ResumeSecret, StreamParams, ToClient, ToServer, Update, Welcome,
};
use ugas_net::quantise::Quantiser;
use ugas_net::wire::Dictionary;
use ugas_net::{Tick, TickLength};

pub(crate) const TAGS: u32 = 300;
pub(crate) const ATTRIBUTES: u32 = 24;

/// Some attributes are exact, some in steps, some in ranges; two inputs are known.
pub(crate) fn dictionary() -> Dictionary {
    let mut dictionary = Dictionary::sized(TAGS, ATTRIBUTES);
    for index in 0..ATTRIBUTES {
        let quantiser = match index % 3 {
            0 => Quantiser::Exact,
            1 => Quantiser::Step(0.1),
            _ => Quantiser::Range { min: 0.0, max: 4_095.0, bits: 12 },
        };
        let attribute = AttributeId::from_index(index);
        dictionary = dictionary.with_attribute(attribute, quantiser).unwrap();
        dictionary = dictionary.with_common(attribute, [-5.0, 2.0, -0.1, f64::from(index)]).unwrap();
    }
    let dictionary = dictionary.with_inputs(["Jump", "Fire", "Dodge"]).unwrap();
    dictionary.with_facings(Quantiser::Range { min: -1.0, max: 1.0, bits: 8 }).unwrap()
}

pub(crate) fn to_server() -> impl Strategy<Value = ToServer> {
    let hello =
        (any::<u32>(), any::<u64>(), any::<u64>(), any::<u64>(), prop::collection::vec(any::<u8>(), 0..=256));
    let hello = hello.prop_map(|(protocol, catalog, dictionary, nonce, credential)| {
        ToServer::Hello(Hello { protocol, catalog, dictionary, nonce, credential })
    });
    let resume = (any::<u32>(), any::<u64>(), any::<[u8; 32]>()).prop_map(|(client, nonce, secret)| {
        ToServer::Resume(Resume { client: ClientId(client), nonce, secret: ResumeSecret(secret) })
    });
    prop_oneof![
        1 => hello,
        8 => frames().prop_map(ToServer::Frames),
        1 => Just(ToServer::Bye),
        1 => resume,
    ]
}

pub(crate) fn to_client() -> impl Strategy<Value = ToClient> {
    let connection = (any::<u8>(), any::<Option<[u8; 32]>>(), prop::option::of(tick()));
    let welcome =
        (any::<u64>(), any::<u32>(), tick(), 1_000..=1_000_000u32, any::<u64>(), any::<u32>(), connection);
    let welcome = welcome.prop_map(|(nonce, client, tick, micros, prediction_seed, max_lead, connection)| {
        let (session, secret, resumed) = connection;
        let length = TickLength::from_micros(micros).unwrap();
        ToClient::Welcome(Welcome {
            nonce,
            client: ClientId(client),
            session,
            tick,
            length,
            prediction_seed,
            max_lead,
            secret: secret.map(ResumeSecret),
            resumed,
        })
    });
    let reason = prop_oneof![
        any::<(u32, u32)>().prop_map(|(server, client)| RefusedReason::Protocol { server, client }),
        any::<(u64, u64)>().prop_map(|(server, client)| RefusedReason::Catalog { server, client }),
        any::<(u64, u64)>().prop_map(|(server, client)| RefusedReason::Dictionary { server, client }),
        Just(RefusedReason::Full),
        Just(RefusedReason::NoSession),
        Just(RefusedReason::Ended(ByeReason::Misbehaved)),
        "\\PC{0,50}".prop_map(RefusedReason::Denied),
    ];
    let refused = (any::<u64>(), reason);
    let bye = prop::sample::select(vec![
        ByeReason::Shutdown,
        ByeReason::TimedOut,
        ByeReason::Kicked,
        ByeReason::Misbehaved,
    ]);
    prop_oneof![
        1 => welcome,
        1 => refused.prop_map(|(nonce, reason)| ToClient::Refused(Refused { nonce, reason })),
        8 => update().prop_map(ToClient::Update),
        1 => bye.prop_map(ToClient::Bye),
    ]
}

/// Small ones mostly, and any.
fn integer() -> impl Strategy<Value = u32> {
    prop_oneof![4 => 0..20u32, 2 => 0..2_000u32, 1 => any::<u32>()]
}

fn tick() -> impl Strategy<Value = Tick> {
    prop_oneof![4 => 100_000..100_050u32, 1 => any::<u32>()].prop_map(Tick)
}

fn handle<H: Handle>() -> impl Strategy<Value = H> {
    let generation = prop_oneof![8 => 1..12u32, 1 => 1..=u32::MAX];
    let parts = (integer(), generation);
    parts.prop_map(|(index, generation)| H::from_parts(index, generation.try_into().unwrap()))
}

fn tag() -> impl Strategy<Value = TagId> {
    (0..TAGS).prop_map(TagId::from_index)
}

fn key() -> impl Strategy<Value = PredictionKey> {
    let near = (100_000..100_050u64, 0..8u64, 0..3u64);
    let near = near.prop_map(|(tick, sequence, dependent)| tick << 32 | sequence << 16 | dependent);
    prop_oneof![near, any::<u64>()].prop_map(PredictionKey)
}

fn number() -> impl Strategy<Value = f64> {
    let any = any::<f64>().prop_filter("finite", |number| number.is_finite());
    prop_oneof![(-3_000..3_000i32).prop_map(f64::from), -1e6..1e6_f64, any]
}

fn short_number() -> impl Strategy<Value = f32> {
    let any = any::<f32>().prop_filter("finite", |number| number.is_finite());
    prop_oneof![(-3_000..3_000i16).prop_map(f32::from), any]
}

/// Of single precision.
fn vector() -> impl Strategy<Value = Vector3> {
    let vector = prop_oneof![
        Just([0.0_f32; 3]),
        [short_number(), short_number(), short_number()],
        Just([0.0, -0.0, 0.0]),
    ];
    vector.prop_map(|vector| vector.map(f64::from))
}

fn payload() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..30)
}

fn input() -> impl Strategy<Value = InputId> {
    prop_oneof![Just("Jump".to_owned()), Just("Dodge".to_owned()), "\\PC{0,12}"].prop_map(InputId::from)
}

fn target() -> impl Strategy<Value = Target> {
    let hit = (vector(), vector(), short_number(), prop::option::of(any::<u64>()), integer());
    let hit = hit.prop_map(|(location, normal, distance, actor, part)| HitResult {
        location,
        normal,
        distance: f64::from(distance),
        actor: actor.map(ActorId),
        part,
    });
    prop_oneof![
        4 => handle().prop_map(Target::Controller),
        1 => (prop::option::of(handle()), hit).prop_map(|(controller, hit)| Target::Hit { controller, hit }),
        2 => vector().prop_map(Target::Location),
        1 => ("\\PC{0,8}", payload()).prop_map(|(kind, bytes)| Target::Custom(Arc::new(RawPayload { kind, bytes }))),
    ]
}

fn targets() -> impl Strategy<Value = TargetData> {
    prop::collection::vec(target(), 0..4).prop_map(TargetData::from_iter)
}

fn event() -> impl Strategy<Value = GameplayEvent> {
    let parts = (tag(), number(), prop::option::of(handle()), prop::option::of(handle()));
    let details = (prop::collection::vec(tag(), 0..3), targets(), prop::collection::vec(number(), 0..3));
    let whence = (prop::option::of(any::<u64>()), prop::option::of(vector()));
    (parts, details, whence).prop_map(
        |((tag, magnitude, instigator, target), (tags, targets, numbers), (causer, origin))| {
            let event = GameplayEvent { magnitude, instigator, target, ..GameplayEvent::new(tag) };
            let event =
                tags.into_iter().fold(event, GameplayEvent::with_context_tag).with_target_data(targets);
            let event = causer.into_iter().fold(event, |event, causer| event.caused_by(ActorId(causer)));
            let event = origin.into_iter().fold(event, GameplayEvent::at);
            let named = numbers.into_iter().enumerate();
            named.fold(event, |event, (at, number)| event.with_payload(&format!("n{at}"), number))
        },
    )
}

fn run() -> impl Strategy<Value = ActivationRef> {
    prop_oneof![handle().prop_map(ActivationRef::Known), key().prop_map(ActivationRef::Begun)]
}

fn command() -> impl Strategy<Value = NetCommand> {
    let outcome = prop::sample::select(vec![
        TaskOutcome::Completed,
        TaskOutcome::Interrupted,
        TaskOutcome::Cancelled,
        TaskOutcome::Failed,
    ]);
    prop_oneof![
        (handle(), targets(), prop::option::of(event()))
            .prop_map(|(ability, targets, event)| NetCommand::Activate { ability, targets, event }),
        run().prop_map(NetCommand::End),
        run().prop_map(NetCommand::Cancel),
        handle().prop_map(NetCommand::Confirm),
        handle().prop_map(NetCommand::Decline),
        (handle(), input(), targets()).prop_map(|(controller, input, targets)| NetCommand::Press {
            controller,
            input,
            targets
        }),
        (handle(), input()).prop_map(|(controller, input)| NetCommand::Release { controller, input }),
        (run(), integer(), targets()).prop_map(|(run, branch, targets)| NetCommand::Targets {
            run,
            branch,
            targets
        }),
        (run(), integer(), outcome).prop_map(|(run, branch, outcome)| NetCommand::Finish {
            run,
            branch,
            outcome
        }),
    ]
}

fn ack() -> impl Strategy<Value = Ack> {
    let earlier = prop_oneof![Just(u32::MAX), Just(0), 0..40u32, any::<u32>()];
    (integer(), earlier).prop_map(|(newest, earlier)| Ack { newest: PacketId(newest), earlier })
}

fn frames() -> impl Strategy<Value = Frames> {
    let frames = prop::collection::btree_map(tick(), prop::collection::vec(command(), 1..3), 0..4);
    (any::<u8>(), integer(), ack(), tick(), frames).prop_map(
        |(session, packet, ack, now, frames): (_, _, _, _, BTreeMap<_, Vec<_>>)| {
            let frames = frames.into_iter().map(|(tick, commands)| CommandFrame { tick, commands });
            Frames { session, packet: PacketId(packet), ack, now, frames: frames.collect() }
        },
    )
}

fn result() -> impl Strategy<Value = CommandResult> {
    let rejection = prop::sample::select(vec![
        Rejection::TooLate,
        Rejection::NotOwner,
        Rejection::NotActivated,
        Rejection::NothingWaits,
    ]);
    let outcome = prop_oneof![
        Just(CommandOutcome::Done),
        any::<u8>().prop_map(CommandOutcome::Shifted),
        rejection.prop_map(CommandOutcome::Rejected)
    ];
    (key(), outcome).prop_map(|(key, outcome)| CommandResult { key, outcome })
}

fn burst() -> impl Strategy<Value = CueBurst> {
    let names = (tick(), any::<u16>(), tag(), handle(), prop::option::of(handle()), prop::option::of(key()));
    let details = prop::option::of(prop::collection::vec(any::<u8>(), 0..64));
    let numbers = (short_number(), short_number(), prop::option::of(vector()), details);
    (names, numbers).prop_map(
        |((tick, ordinal, cue, controller, source, key), (magnitude, level, location, details))| CueBurst {
            tick,
            ordinal,
            cue,
            controller,
            source,
            key,
            magnitude,
            level,
            location,
            details,
        },
    )
}

/// As it is at the other end.
fn attribute() -> impl Strategy<Value = (PieceKey, Option<Piece>)> {
    let values = (number(), number(), any::<bool>());
    (0..ATTRIBUTES, prop::option::weighted(0.9, values)).prop_map(|(index, values)| {
        let attribute = AttributeId::from_index(index);
        let settled = |value| dictionary().attribute(attribute).settle(value).unwrap();
        let piece = values.map(|(base, current, same)| Piece::Attribute {
            base: settled(base),
            current: settled(if same { base } else { current }),
        });
        (PieceKey::Attribute(attribute), piece)
    })
}

fn placement() -> impl Strategy<Value = Placement> {
    let unit = || -1.0..=1.0_f64;
    ([number(), number(), number()], [unit(), unit(), unit()]).prop_map(|(position, facing)| {
        let facing = facing.map(|value| dictionary().facings().settle(value).unwrap());
        Placement::new(position, facing).unwrap()
    })
}

pub(crate) fn piece() -> impl Strategy<Value = (PieceKey, Option<Piece>)> {
    let record = || prop::option::of(payload().prop_map(|bytes| Piece::Record(bytes.into())));
    prop_oneof![
        8 => attribute(),
        1 => record().prop_map(|piece| (PieceKey::Head, piece)),
        1 => prop::option::of(placement().prop_map(Piece::Placement)).prop_map(|piece| (PieceKey::Placement, piece)),
        3 => (tag(), prop::option::of(integer().prop_map(Piece::Tag))).prop_map(|(tag, piece)| (PieceKey::Tag(tag), piece)),
        1 => (tag(), prop::option::of((integer(), any::<u64>(), payload()))).prop_map(|(tag, cue)| {
            let piece = cue.map(|(count, since, context)| {
                Piece::Cue { count, since: Time::from_micros(since), context: context.into() }
            });
            (PieceKey::Cue(tag), piece)
        }),
        3 => (handle(), record()).prop_map(|(handle, piece)| (PieceKey::Effect(handle), piece)),
        1 => (handle(), record()).prop_map(|(handle, piece)| (PieceKey::Ability(handle), piece)),
        1 => (handle(), record()).prop_map(|(handle, piece)| (PieceKey::Activation(handle), piece)),
        1 => (handle(), record()).prop_map(|(handle, piece)| (PieceKey::Task(handle), piece)),
        1 => record().prop_map(|piece| (PieceKey::Inputs, piece)),
    ]
}

pub(crate) fn pieces() -> impl Strategy<Value = Vec<(PieceKey, Option<Piece>)>> {
    let pieces = prop::collection::vec(piece(), 0..10);
    pieces.prop_map(|pieces| pieces.into_iter().collect::<BTreeMap<_, _>>().into_iter().collect())
}

fn change() -> impl Strategy<Value = ControllerChange> {
    let flags = prop_oneof![Just([false; 3]), any::<[bool; 3]>()];
    let epoch = prop_oneof![3 => Just(0), 1 => any::<u8>()];
    let news = (epoch, flags, pieces()).prop_map(|(epoch, [own, effects, abilities], pieces)| {
        ControllerChange::Pieces { epoch, own, visibility: RecordVisibility { effects, abilities }, pieces }
    });
    prop_oneof![1 => Just(ControllerChange::Gone), 6 => news]
}

fn controllers() -> impl Strategy<Value = Vec<ControllerUpdate>> {
    let controllers = prop::collection::btree_map(handle::<ControllerId>(), change(), 0..4);
    controllers.prop_map(|controllers| {
        let updates = controllers.into_iter();
        updates.map(|(controller, change)| ControllerUpdate { controller, change }).collect()
    })
}

fn part() -> impl Strategy<Value = (u8, u8)> {
    let one_of = (any::<Index>(), 1..=255u8);
    prop_oneof![
        Just((0, 1)),
        Just((0, 0)),
        one_of.prop_map(|(part, parts)| (part.index(usize::from(parts)) as u8, parts)),
    ]
}

fn ack_report() -> impl Strategy<Value = AckReport> {
    (ack(), any::<i16>()).prop_map(|(ack, margin)| AckReport { ack, margin })
}

/// Such as can be read without what came before.
fn update() -> impl Strategy<Value = Update> {
    let since = prop_oneof![3 => Just(None), 1 => any::<Index>().prop_map(Some)];
    let stream = (1..=u32::MAX, integer()).prop_map(|(step, slots)| StreamParams { step, slots });
    let header = (0..16u8, integer(), tick(), stream, prop::option::of(ack_report()), part(), since);
    let bursts = prop::collection::vec(burst(), 0..3);
    (header, prop::collection::vec(result(), 0..4), controllers(), bursts).prop_map(
        |(
            (session, packet, tick, stream, ack_report, (part, parts), since),
            results,
            controllers,
            bursts,
        )| Update {
            session,
            packet: PacketId(packet),
            tick,
            stream,
            states_stream: true,
            ack_report,
            part,
            parts,
            since: Tick(since.map_or(0, |since| since.index(tick.0 as usize + 1) as u32)),
            results,
            controllers,
            bursts,
        },
    )
}
