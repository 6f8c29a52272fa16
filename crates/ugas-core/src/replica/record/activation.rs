//! Records of activations and their tasks.

use super::{bits, read_bits, read_if};
use crate::ability::{Activation, Branch, check_parameters};
use crate::catalog::Catalog;
use crate::codec::{Decode, DecodeError, Decoder, Encode, Encoder};
use crate::handle::ControllerId;
use crate::id::AbilityId;
use crate::task::{Occurrence, RunningTask};

const LEVEL: u64 = 1;
const PREDICTION: u64 = 1 << 1;
const PAID: u64 = 1 << 2;
const COOLING: u64 = 1 << 3;
const TARGETS: u64 = 1 << 4;
const CHOSEN: u64 = 1 << 5;
const OWNED_TAGS: u64 = 1 << 6;
const EVENT: u64 = 1 << 7;
const WHILE_TAG: u64 = 1 << 8;
const PARAMETERS: u64 = 1 << 9;
const APPLIED: u64 = 1 << 10;
const CUES: u64 = 1 << 11;
/// Number of draws from its random stream, which does not reveal the stream. Only for predicted activations:
/// a client draws for no others.
const DRAWS: u64 = 1 << 12;
const STANDING: u64 = 1 << 13;
const CONTEXT: u64 = 1 << 14;
const FIRST_TARGETS: u64 = 1 << 15;
const COOLDOWN: u64 = 1 << 16;
const PLACED_CUES: u64 = 1 << 17;
const KNOWN: u64 = (1 << 18) - 1;

/// Encodes an activation: a mask says which optional fields follow. The random stream is left out; draws are
/// sent for predicted activations only.
pub(crate) fn write_activation(run: &Activation, encoder: &mut Encoder) {
    let Activation {
        granted,
        ability,
        controller: _,
        level,
        sequence,
        started,
        targets,
        first_targets,
        chosen,
        event,
        context_of,
        while_tag,
        prediction,
        paid,
        cooling,
        cooldown,
        ending: _,
        owned_tags,
        parameters,
        applied,
        cues,
        placed_cues,
        stream: _,
        draws,
        branches,
        next_branch,
        standing,
    } = run;
    let has_draws = prediction.is_some() && *draws != 0;
    ability.encode(encoder);
    encoder.unsigned(bits([
        (LEVEL, *level != 1),
        (PREDICTION, prediction.is_some()),
        (PAID, *paid),
        (COOLING, *cooling),
        (TARGETS, !targets.0.is_empty()),
        (CHOSEN, *chosen),
        (OWNED_TAGS, owned_tags.is_some()),
        (EVENT, event.is_some()),
        (WHILE_TAG, while_tag.is_some()),
        (PARAMETERS, !parameters.is_empty()),
        (APPLIED, !applied.is_empty()),
        (CUES, !cues.is_empty()),
        (DRAWS, has_draws),
        (STANDING, !standing.is_empty()),
        (CONTEXT, context_of.is_some()),
        (FIRST_TARGETS, first_targets.is_some()),
        (COOLDOWN, cooldown.is_some()),
        (PLACED_CUES, !placed_cues.is_empty()),
    ]));
    granted.encode(encoder);
    sequence.encode(encoder);
    started.encode(encoder);
    branches.encode(encoder);
    next_branch.encode(encoder);
    if *level != 1 {
        level.encode(encoder);
    }
    prediction.iter().for_each(|key| key.encode(encoder));
    if !targets.0.is_empty() {
        targets.encode(encoder);
    }
    owned_tags.iter().for_each(|effect| effect.encode(encoder));
    event.iter().for_each(|event| event.encode(encoder));
    while_tag.iter().for_each(|tag| tag.encode(encoder));
    if !parameters.is_empty() {
        parameters.encode(encoder);
    }
    if !applied.is_empty() {
        applied.encode(encoder);
    }
    if !cues.is_empty() {
        cues.encode(encoder);
    }
    if has_draws {
        draws.encode(encoder);
    }
    if !standing.is_empty() {
        standing.encode(encoder);
    }
    context_of.iter().for_each(|branch| branch.encode(encoder));
    first_targets.iter().for_each(|targets| targets.encode(encoder));
    cooldown.iter().for_each(|effect| effect.encode(encoder));
    if !placed_cues.is_empty() {
        placed_cues.encode(encoder);
    }
}

/// Reads what `write_activation` wrote, as an activation of `controller`. An unknown ability or an invalid
/// value is an error.
pub(crate) fn read_activation(
    decoder: &mut Decoder<'_>,
    controller: ControllerId,
    catalog: &Catalog,
) -> Result<Activation, DecodeError> {
    let ability = AbilityId::decode(decoder)?;
    if catalog.ability_by_id(ability).is_none() {
        return Err(decoder.invalid("the ability of an activation does not exist"));
    }
    let bits = read_bits(KNOWN, decoder)?;
    let run = Activation {
        granted: Decode::decode(decoder)?,
        ability,
        controller,
        sequence: Decode::decode(decoder)?,
        started: Decode::decode(decoder)?,
        branches: Decode::decode(decoder)?,
        next_branch: Decode::decode(decoder)?,
        level: read_if(bits, LEVEL, decoder)?.unwrap_or(1),
        prediction: read_if(bits, PREDICTION, decoder)?,
        paid: bits & PAID != 0,
        cooling: bits & COOLING != 0,
        ending: false,
        targets: read_if(bits, TARGETS, decoder)?.unwrap_or_default(),
        chosen: bits & CHOSEN != 0,
        owned_tags: read_if(bits, OWNED_TAGS, decoder)?,
        event: read_if(bits, EVENT, decoder)?,
        while_tag: read_if(bits, WHILE_TAG, decoder)?,
        parameters: read_if(bits, PARAMETERS, decoder)?.unwrap_or_default(),
        applied: read_if(bits, APPLIED, decoder)?.unwrap_or_default(),
        cues: read_if(bits, CUES, decoder)?.unwrap_or_default(),
        stream: 0,
        draws: read_if(bits, DRAWS, decoder)?.unwrap_or(0),
        standing: read_if(bits, STANDING, decoder)?.unwrap_or_default(),
        context_of: read_if(bits, CONTEXT, decoder)?,
        first_targets: read_if(bits, FIRST_TARGETS, decoder)?,
        cooldown: read_if(bits, COOLDOWN, decoder)?,
        placed_cues: read_if(bits, PLACED_CUES, decoder)?.unwrap_or_default(),
    };
    check_parameters(&run.parameters).map_err(|what| decoder.invalid(what))?;
    // Between calls every branch waits for something.
    if run.branches.is_empty() || run.branches.iter().any(Branch::is_busy) {
        return Err(decoder.invalid("a branch of an activation does not wait for anything"));
    }
    Ok(run)
}

/// Encodes a running task, without its controller, which is known from the piece, its timer, which is derived, and
/// its subscriptions to other controllers, which the client may not know (N1).
pub(crate) fn write_task(task: &RunningTask, encoder: &mut Encoder) {
    let RunningTask {
        activation,
        controller: _,
        branch,
        step,
        sequence,
        started,
        deadline,
        memory,
        subjects,
        watched: _,
        queue,
        overflowed,
        timer: _,
    } = task;
    activation.encode(encoder);
    branch.encode(encoder);
    step.encode(encoder);
    sequence.encode(encoder);
    started.encode(encoder);
    deadline.encode(encoder);
    memory.encode(encoder);
    subjects.encode(encoder);
    queue.encode(encoder);
    overflowed.encode(encoder);
}

/// Reads what `write_task` wrote, as a task of `controller`, without a timer.
pub(crate) fn read_task(
    decoder: &mut Decoder<'_>,
    controller: ControllerId,
) -> Result<RunningTask, DecodeError> {
    let task = RunningTask {
        activation: Decode::decode(decoder)?,
        controller,
        branch: Decode::decode(decoder)?,
        step: Decode::decode(decoder)?,
        sequence: Decode::decode(decoder)?,
        started: Decode::decode(decoder)?,
        deadline: Decode::decode(decoder)?,
        memory: Decode::decode(decoder)?,
        subjects: Decode::decode(decoder)?,
        watched: Default::default(),
        queue: Decode::decode(decoder)?,
        overflowed: Decode::decode(decoder)?,
        timer: None,
    };
    let is_finite = task.queue.iter().all(Occurrence::is_finite);
    if is_finite && task.memory.iter().all(|value| value.is_finite()) {
        Ok(task)
    } else {
        Err(decoder.invalid("a number of a task is not finite"))
    }
}
