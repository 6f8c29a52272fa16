//! Messages as JSON, with which decoders in other languages compare their results.

use core::fmt::Write;

use serde_json::{Value, json};
use ugas_core::ability::GameplayEvent;
use ugas_core::effect::PredictionKey;
use ugas_core::handle::Handle;
use ugas_core::id::{ActorId, AttributeId};
use ugas_core::replica::{Piece, PieceKey};
use ugas_core::targeting::{Target, TargetData};
use ugas_core::task::TaskOutcome;
use ugas_net::message::{
    Ack, ActivationRef, ByeReason, CommandOutcome, CommandResult, ControllerChange, ControllerUpdate,
    CueBurst, NetCommand, RefusedReason, Rejection, ToClient, ToServer,
};
use ugas_net::quantise::Quantiser;
use ugas_net::wire::Dictionary;

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

pub(crate) fn dictionary(dictionary: &Dictionary, inputs: &[&str]) -> Value {
    let attributes = (0..dictionary.attributes()).map(AttributeId::from_index);
    let common: Vec<&[f64]> = attributes.clone().map(|id| dictionary.common(id)).collect();
    let attributes: Vec<Value> = attributes.map(|id| quantiser(dictionary.attribute(id))).collect();
    json!({
        "tags": dictionary.tags(),
        "attributes": attributes,
        "common": common,
        "positions": quantiser(dictionary.positions()),
        "facings": quantiser(dictionary.facings()),
        "inputs": inputs,
        "hash": format!("{:016x}", dictionary.hash()),
    })
}

fn quantiser(quantiser: Quantiser) -> Value {
    match quantiser {
        Quantiser::Exact => json!("exact"),
        Quantiser::Step(step) => json!({ "step": step }),
        Quantiser::Range { min, max, bits } => json!({ "min": min, "max": max, "bits": bits }),
    }
}

pub(crate) fn to_server(message: &ToServer) -> Value {
    match message {
        ToServer::Hello(hello) => json!({
            "message": "hello",
            "protocol": hello.protocol,
            "catalog": hello.catalog,
            "dictionary": hello.dictionary,
            "nonce": hello.nonce,
            "credential": hex(&hello.credential),
        }),
        ToServer::Frames(frames) => {
            let each = frames.frames.iter().map(|frame| {
                let commands: Vec<Value> = frame.commands.iter().map(command).collect();
                json!({ "tick": frame.tick.0, "commands": commands })
            });
            json!({
                "message": "frames",
                "session": frames.session,
                "packet": frames.packet.0,
                "ack": ack(frames.ack),
                "now": frames.now.0,
                "frames": each.collect::<Vec<_>>(),
            })
        }
        ToServer::Bye => json!({ "message": "bye" }),
        ToServer::Resume(resume) => json!({
            "message": "resume",
            "client": resume.client.0,
            "nonce": resume.nonce,
            "secret": hex(&resume.secret.0),
        }),
    }
}

pub(crate) fn to_client(message: &ToClient) -> Value {
    match message {
        ToClient::Welcome(welcome) => json!({
            "message": "welcome",
            "nonce": welcome.nonce,
            "client": welcome.client.0,
            "session": welcome.session,
            "tick": welcome.tick.0,
            "length": welcome.length.micros(),
            "prediction_seed": welcome.prediction_seed,
            "max_lead": welcome.max_lead,
            "secret": welcome.secret.map(|secret| hex(&secret.0)),
            "resumed": welcome.resumed.map(|tick| tick.0),
        }),
        ToClient::Refused(refused) => {
            let reason = match &refused.reason {
                RefusedReason::Protocol { server, client } => json!(["protocol", server, client]),
                RefusedReason::Catalog { server, client } => json!(["catalog", server, client]),
                RefusedReason::Dictionary { server, client } => json!(["dictionary", server, client]),
                RefusedReason::Full => json!(["full"]),
                RefusedReason::Ended(reason) => json!(["ended", bye(*reason)]),
                RefusedReason::Denied(reason) => json!(["denied", reason]),
                RefusedReason::NoSession => json!(["no session"]),
                other => panic!("no meaning: {other:?}"),
            };
            json!({ "message": "refused", "nonce": refused.nonce, "reason": reason })
        }
        ToClient::Update(update) => json!({
            "message": "update",
            "session": update.session,
            "packet": update.packet.0,
            "tick": update.tick.0,
            "course": { "step": update.stream.step, "places": update.stream.slots },
            "states_course": update.states_stream,
            "word": update.ack_report.map(|ack_report| json!({ "ack": ack(ack_report.ack), "margin": ack_report.margin })),
            "part": [update.part, update.parts],
            "since": update.since.0,
            "results": update.results.iter().map(result).collect::<Vec<_>>(),
            "bursts": update.bursts.iter().map(burst).collect::<Vec<_>>(),
            "controllers": update.controllers.iter().map(controller).collect::<Vec<_>>(),
        }),
        ToClient::Bye(reason) => {
            json!({ "message": "bye", "reason": bye(*reason) })
        }
    }
}

fn bye(reason: ByeReason) -> &'static str {
    match reason {
        ByeReason::Shutdown => "shutdown",
        ByeReason::TimedOut => "timed out",
        ByeReason::Kicked => "kicked",
        ByeReason::Misbehaved => "misbehaved",
        other => panic!("no meaning: {other:?}"),
    }
}

fn ack(ack: Ack) -> Value {
    json!({ "newest": ack.newest.0, "earlier": ack.earlier })
}

/// Place and generation.
fn handle<H: Handle>(handle: H) -> Value {
    json!(format!("{}v{}", handle.index(), handle.generation()))
}

fn key(key: PredictionKey) -> Value {
    json!({ "tick": key.0 >> 32, "sequence": key.0 >> 16 & 0xFFFF, "dependent": key.0 & 0xFFFF })
}

fn run(run: ActivationRef) -> Value {
    match run {
        ActivationRef::Known(run) => handle(run),
        ActivationRef::Begun(begun) => key(begun),
    }
}

fn actor(actor: Option<ActorId>) -> Value {
    json!(actor.map(|actor| actor.0))
}

fn command(command: &NetCommand) -> Value {
    match command {
        NetCommand::Activate { ability, targets, event } => json!({
            "command": "activate",
            "ability": handle(*ability),
            "targets": self::targets(targets),
            "event": event.as_ref().map(self::event),
        }),
        NetCommand::End(begun) => json!({ "command": "end", "run": run(*begun) }),
        NetCommand::Cancel(begun) => json!({ "command": "cancel", "run": run(*begun) }),
        NetCommand::Confirm(controller) => json!({ "command": "confirm", "controller": handle(*controller) }),
        NetCommand::Decline(controller) => json!({ "command": "decline", "controller": handle(*controller) }),
        NetCommand::Press { controller, input, targets } => json!({
            "command": "press",
            "controller": handle(*controller),
            "input": input.as_str(),
            "targets": self::targets(targets),
        }),
        NetCommand::Release { controller, input } => {
            json!({ "command": "release", "controller": handle(*controller), "input": input.as_str() })
        }
        NetCommand::Targets { run, branch, targets } => json!({
            "command": "targets",
            "run": self::run(*run),
            "thread": branch,
            "targets": self::targets(targets),
        }),
        NetCommand::Finish { run, branch, outcome } => {
            let outcome = match outcome {
                TaskOutcome::Completed => "completed",
                TaskOutcome::Interrupted => "interrupted",
                TaskOutcome::Cancelled => "cancelled",
                TaskOutcome::Failed => "failed",
            };
            json!({ "command": "finish", "run": self::run(*run), "thread": branch, "outcome": outcome })
        }
        other => panic!("no meaning: {other:?}"),
    }
}

fn event(event: &GameplayEvent) -> Value {
    json!({
        "tag": event.tag.index(),
        "magnitude": event.magnitude,
        "instigator": event.instigator.map(handle),
        "target": event.target.map(handle),
        "details": event.details.as_ref().map(|details| json!({
            "context_tags": details.context_tags.iter().map(|tag| tag.index()).collect::<Vec<_>>(),
            "targets": targets(&details.target_data),
            "payload": details.payload.iter().map(|(name, value)| json!([**name, *value])).collect::<Vec<_>>(),
            "causer": actor(details.causer),
            "origin": details.origin,
        })),
    })
}

fn targets(targets: &TargetData) -> Value {
    let each = targets.iter().map(|target| match target {
        Target::Controller(controller) => json!({ "controller": handle(*controller) }),
        Target::Hit { controller, hit } => json!({
            "hit": controller.map(handle),
            "location": hit.location,
            "normal": hit.normal,
            "distance": hit.distance,
            "actor": actor(hit.actor),
            "part": hit.part,
        }),
        Target::Location(location) => json!({ "location": location }),
        Target::Custom(raw) => json!({ "custom": raw.kind, "bytes": hex(&raw.bytes) }),
    });
    each.collect()
}

fn result(result: &CommandResult) -> Value {
    let outcome = match result.outcome {
        CommandOutcome::Done => json!("done"),
        CommandOutcome::Shifted(ticks) => json!({ "shifted": ticks }),
        CommandOutcome::Rejected(reason) => {
            let reason = match reason {
                Rejection::TooLate => "too late",
                Rejection::TooEarly => "too early",
                Rejection::TooMany => "too many",
                Rejection::Malformed => "malformed",
                Rejection::NotOwner => "not owner",
                Rejection::NotGranted => "not granted",
                Rejection::NotAllowed => "not allowed",
                Rejection::NotActivated => "not activated",
                Rejection::NotReachable => "not reachable",
                Rejection::EffectNotAllowed => "effect not allowed",
                Rejection::NothingWaits => "nothing waits",
                other => panic!("no meaning: {other:?}"),
            };
            json!({ "rejected": reason })
        }
    };
    json!({ "key": key(result.key), "verdict": outcome })
}

fn burst(burst: &CueBurst) -> Value {
    json!({
        "tick": burst.tick.0,
        "ordinal": burst.ordinal,
        "cue": burst.cue.index(),
        "controller": handle(burst.controller),
        "source": burst.source.map(handle),
        "key": burst.key.map(key),
        "magnitude": f64::from(burst.magnitude),
        "level": f64::from(burst.level),
        "location": burst.location,
        "details": burst.details.as_ref().map(|details| hex(details)),
    })
}

fn controller(update: &ControllerUpdate) -> Value {
    match &update.change {
        ControllerChange::Gone => json!({ "controller": handle(update.controller), "gone": true }),
        ControllerChange::Pieces { epoch, own, visibility, pieces } => json!({
            "controller": handle(update.controller),
            "epoch": epoch,
            "own": own,
            "sight": { "effects": visibility.effects, "abilities": visibility.abilities },
            "pieces": pieces.iter().map(|(key, content)| piece(*key, content.as_ref())).collect::<Vec<_>>(),
        }),
    }
}

fn piece(key: PieceKey, piece: Option<&Piece>) -> Value {
    let (kind, id) = match key {
        PieceKey::Head => ("head", Value::Null),
        PieceKey::Placement => ("placement", Value::Null),
        PieceKey::Attribute(attribute) => ("attribute", json!(attribute.index())),
        PieceKey::Tag(tag) => ("tag", json!(tag.index())),
        PieceKey::Cue(tag) => ("cue", json!(tag.index())),
        PieceKey::Effect(effect) => ("effect", handle(effect)),
        PieceKey::Ability(ability) => ("ability", handle(ability)),
        PieceKey::Activation(run) => ("run", handle(run)),
        PieceKey::Task(task) => ("task", handle(task)),
        PieceKey::Inputs => ("inputs", Value::Null),
    };
    json!({ "piece": kind, "id": id, "is": piece.map(content) })
}

fn content(piece: &Piece) -> Value {
    match piece {
        Piece::Placement(placement) => {
            json!({ "position": placement.position(), "facing": placement.facing() })
        }
        Piece::Attribute { base, current } => json!({ "base": base, "current": current }),
        Piece::Tag(count) => json!({ "count": count }),
        Piece::Cue { count, since, context } => {
            json!({ "count": count, "since": since.micros(), "context": hex(context) })
        }
        Piece::Record(record) => json!({ "record": hex(record) }),
    }
}
