//! Encoding of [`NetCommand`], target data and events.

use std::sync::Arc;

use ugas_core::ability::{EventDetails, GameplayEvent};
use ugas_core::effect::{HitResult, RawPayload, Vector3};
use ugas_core::id::ActorId;
use ugas_core::input::InputId;
use ugas_core::targeting::{Target, TargetData};
use ugas_core::task::TaskOutcome;

use super::error::EncodeError;
use super::group;
use super::values::{Decoder, Encoder, at_most, narrowed};
use crate::bits::{WireError, WireErrorKind};
use crate::limits::{MAX_EVENT_ITEMS, MAX_INPUT_NAME, MAX_PAYLOAD, MAX_TARGETS};
use crate::message::{ActivationRef, NetCommand};
use crate::tick::Tick;

const COMMAND_BITS: u32 = 4;
const TARGET_BITS: u32 = 2;
const OUTCOME_BITS: u32 = 2;
/// Fewest bits of a number of an event: the length of its name and a number.
const BITS_OF_A_NUMBER: u64 = 2;
/// Fewest bits of a target: its kind and a handle.
const BITS_OF_A_TARGET: u64 = 2;

/// Rounds the numbers of a command as the wire does: vectors travel in single precision. A client does this
/// before it predicts, so that it predicts with the values that the server will decode. Numbers that are not
/// finite stay, and are refused by the encoder.
pub fn round_to_wire(command: &mut NetCommand) {
    if let NetCommand::Activate { targets, .. }
    | NetCommand::Targets { targets, .. }
    | NetCommand::Press { targets, .. } = command
    {
        round_targets_to_wire(targets);
    }
    if let NetCommand::Activate { event: Some(event), .. } = command
        && let Some(details) = &mut event.details
        && !details.target_data.is_empty()
    {
        round_targets_to_wire(&mut Arc::make_mut(details).target_data);
    }
}

/// Rounds locations, normals and distances of target data as [`round_to_wire`] does for a command, so that
/// the client predicts with the numbers that the server gets.
pub fn round_targets_to_wire(targets: &mut TargetData) {
    let settle = |value: &mut f64| *value = narrowed(*value).map_or(*value, f64::from);
    for target in targets.iter_mut() {
        match target {
            Target::Location(location) => location.iter_mut().for_each(settle),
            Target::Hit { hit, .. } => {
                hit.location.iter_mut().chain(&mut hit.normal).for_each(settle);
                settle(&mut hit.distance);
            }
            Target::Controller(_) | Target::Custom(_) => {}
        }
    }
}

impl Encoder<'_> {
    /// Writes a command of the frame of `tick`, to which prediction keys are relative.
    pub(super) fn command(&mut self, tick: Tick, command: &NetCommand) -> Result<(), EncodeError> {
        let kind = match command {
            NetCommand::Activate { .. } => 0,
            NetCommand::End(_) => 1,
            NetCommand::Cancel(_) => 2,
            NetCommand::Confirm(_) => 3,
            NetCommand::Decline(_) => 4,
            NetCommand::Press { .. } => 5,
            NetCommand::Release { .. } => 6,
            NetCommand::Targets { .. } => 7,
            NetCommand::Finish { .. } => 8,
        };
        self.bits.bits(kind, COMMAND_BITS);
        match command {
            NetCommand::Activate { ability, targets, event } => {
                self.handle(*ability);
                self.targets(targets)?;
                self.option(event.as_ref(), Self::event)
            }
            NetCommand::End(run) | NetCommand::Cancel(run) => {
                self.run(tick, *run);
                Ok(())
            }
            NetCommand::Confirm(controller) | NetCommand::Decline(controller) => {
                self.handle(*controller);
                Ok(())
            }
            NetCommand::Press { controller, input, targets } => {
                self.handle(*controller);
                self.input(input)?;
                self.targets(targets)
            }
            NetCommand::Release { controller, input } => {
                self.handle(*controller);
                self.input(input)
            }
            NetCommand::Targets { run, branch, targets } => {
                self.run(tick, *run);
                self.bits.varint(u64::from(*branch), group::BRANCH);
                self.targets(targets)
            }
            NetCommand::Finish { run, branch, outcome } => {
                self.run(tick, *run);
                self.bits.varint(u64::from(*branch), group::BRANCH);
                let outcome = match outcome {
                    TaskOutcome::Completed => 0,
                    TaskOutcome::Interrupted => 1,
                    TaskOutcome::Cancelled => 2,
                    TaskOutcome::Failed => 3,
                };
                self.bits.bits(outcome, OUTCOME_BITS);
                Ok(())
            }
        }
    }

    /// Writes a reference to an activation: its handle, or the key of the command that began it.
    fn run(&mut self, tick: Tick, run: ActivationRef) {
        match run {
            ActivationRef::Known(run) => {
                self.bits.bool(false);
                self.handle(run);
            }
            ActivationRef::Begun(key) => {
                self.bits.bool(true);
                self.key(tick, key);
            }
        }
    }

    /// Writes an input by its number in the dictionary, or by its name if it has none.
    fn input(&mut self, input: &InputId) -> Result<(), EncodeError> {
        match self.dictionary.input_number(input) {
            Some(number) => {
                self.bits.bool(true);
                self.bits.bits(number, self.dictionary.input_bits());
                Ok(())
            }
            None => {
                self.bits.bool(false);
                self.bytes("bytes of an input's name", input.as_str().as_bytes(), MAX_INPUT_NAME)
            }
        }
    }

    /// Writes an event that a client triggers an ability with.
    fn event(&mut self, event: &GameplayEvent) -> Result<(), EncodeError> {
        self.tag(event.tag)?;
        self.number("the magnitude of an event", event.magnitude)?;
        for controller in [event.instigator, event.target] {
            self.option(controller, |this, controller| {
                this.handle(controller);
                Ok(())
            })?;
        }
        self.option(event.details.as_deref(), Self::event_details)
    }

    /// Writes the optional part of an event: tags, targets, named numbers, causer and origin.
    fn event_details(&mut self, details: &EventDetails) -> Result<(), EncodeError> {
        let EventDetails { context_tags, target_data, payload, causer, origin } = details;
        at_most("context tags of an event", context_tags.len(), MAX_EVENT_ITEMS)?;
        self.bits.varint(context_tags.len() as u64, group::TARGETS);
        context_tags.iter().try_for_each(|tag| self.tag(*tag))?;
        self.targets(target_data)?;
        at_most("numbers of an event", payload.len(), MAX_EVENT_ITEMS)?;
        self.bits.varint(payload.len() as u64, group::TARGETS);
        payload.iter().try_for_each(|(name, value)| {
            self.bytes("bytes of a name", name.as_bytes(), MAX_INPUT_NAME)?;
            self.number("a number of an event", *value)
        })?;
        self.option(*causer, |this, causer| {
            this.bits.varint(causer.0, group::ACTOR);
            Ok(())
        })?;
        self.option(*origin, |this, origin| this.vector("the origin of an event", origin))
    }

    /// Writes targets with their number; an error if there are more than [`MAX_TARGETS`].
    fn targets(&mut self, targets: &TargetData) -> Result<(), EncodeError> {
        at_most("targets", targets.len(), MAX_TARGETS)?;
        self.bits.varint(targets.len() as u64, group::TARGETS);
        targets.iter().try_for_each(|target| self.target(target))
    }

    /// Kind of a target, then its content. An error if a number is not finite or a payload is too long.
    fn target(&mut self, target: &Target) -> Result<(), EncodeError> {
        match target {
            Target::Controller(controller) => {
                self.bits.bits(0, TARGET_BITS);
                self.handle(*controller);
                Ok(())
            }
            Target::Hit { controller, hit } => {
                self.bits.bits(1, TARGET_BITS);
                self.option(*controller, |this, controller| {
                    this.handle(controller);
                    Ok(())
                })?;
                self.hit(hit)
            }
            Target::Location(location) => {
                self.bits.bits(2, TARGET_BITS);
                self.vector("a target's location", *location)
            }
            Target::Custom(raw) => {
                self.bits.bits(3, TARGET_BITS);
                self.bytes("bytes of a payload's kind", raw.kind.as_bytes(), MAX_PAYLOAD)?;
                self.bytes("bytes of a payload", &raw.bytes, MAX_PAYLOAD)
            }
        }
    }

    /// Writes a hit; a zero normal takes one bit.
    fn hit(&mut self, hit: &HitResult) -> Result<(), EncodeError> {
        self.vector("the location of a hit", hit.location)?;
        let normal = Some(hit.normal).filter(|normal| !is_nowhere(*normal));
        self.option(normal, |this, normal| this.vector("the normal of a hit", normal))?;
        self.coarse("the distance of a hit", hit.distance)?;
        self.option(hit.actor, |this, actor| {
            this.bits.varint(actor.0, group::ACTOR);
            Ok(())
        })?;
        self.bits.varint(u64::from(hit.part), group::PART);
        Ok(())
    }
}

impl Decoder<'_> {
    /// Reads a command of the frame of `tick`, to which prediction keys are relative.
    pub(super) fn command(&mut self, tick: Tick) -> Result<NetCommand, WireError> {
        let begin = self.bits.position();
        Ok(match self.bits.bits(COMMAND_BITS)? {
            0 => {
                let ability = self.handle()?;
                let targets = self.targets()?;
                NetCommand::Activate { ability, targets, event: self.option(Self::event)? }
            }
            1 => NetCommand::End(self.run(tick)?),
            2 => NetCommand::Cancel(self.run(tick)?),
            3 => NetCommand::Confirm(self.handle()?),
            4 => NetCommand::Decline(self.handle()?),
            5 => NetCommand::Press {
                controller: self.handle()?,
                input: self.input()?,
                targets: self.targets()?,
            },
            6 => NetCommand::Release { controller: self.handle()?, input: self.input()? },
            7 => {
                let (run, branch) = self.branch(tick)?;
                NetCommand::Targets { run, branch, targets: self.targets()? }
            }
            8 => {
                let (run, branch) = self.branch(tick)?;
                NetCommand::Finish { run, branch, outcome: self.outcome()? }
            }
            found => return self.error_at(begin, WireErrorKind::UnknownKind { what: "command", found }),
        })
    }

    /// Reads a reference to an activation: its handle, or the key of the command that began it.
    fn run(&mut self, tick: Tick) -> Result<ActivationRef, WireError> {
        Ok(if self.bits.bool()? {
            ActivationRef::Begun(self.key(tick)?)
        } else {
            ActivationRef::Known(self.handle()?)
        })
    }

    /// Reads an activation and one of its branches, which together name a task.
    fn branch(&mut self, tick: Tick) -> Result<(ActivationRef, u32), WireError> {
        Ok((self.run(tick)?, self.bits.small(group::BRANCH)?))
    }

    /// Reads the outcome of a host task; every value of the bits is one.
    fn outcome(&mut self) -> Result<TaskOutcome, WireError> {
        Ok(match self.bits.bits(OUTCOME_BITS)? {
            0 => TaskOutcome::Completed,
            1 => TaskOutcome::Interrupted,
            2 => TaskOutcome::Cancelled,
            _ => TaskOutcome::Failed,
        })
    }

    /// Reads an input; a name that has a number in the dictionary is not canonical.
    fn input(&mut self) -> Result<InputId, WireError> {
        let begin = self.bits.position();
        if self.bits.bool()? {
            let number = self.bits.bits(self.dictionary.input_bits())?;
            let error = WireError { at: begin, kind: WireErrorKind::TooLarge };
            return self.dictionary.input(number).cloned().ok_or(error);
        }
        let input = InputId::from(self.text("bytes of an input's name", MAX_INPUT_NAME)?);
        match self.dictionary.input_number(&input) {
            Some(_) => self.error_at(begin, WireErrorKind::NotCanonical("an input")),
            None => Ok(input),
        }
    }

    /// Reads a gameplay event. Instigator, target and details may be missing.
    fn event(&mut self) -> Result<GameplayEvent, WireError> {
        Ok(GameplayEvent {
            tag: self.tag()?,
            magnitude: self.number()?,
            instigator: self.option(Self::handle)?,
            target: self.option(Self::handle)?,
            details: self.option(Self::event_details)?.map(Arc::new),
        })
    }

    /// Reads the optional part of an event. Named numbers that are not sorted by name, and details without
    /// content, are not canonical.
    fn event_details(&mut self) -> Result<EventDetails, WireError> {
        let begin = self.bits.position();
        let count = self.bits.count("context tags of an event", group::TARGETS, MAX_EVENT_ITEMS, 1)?;
        let context_tags = (0..count).map(|_| self.tag()).collect::<Result<_, _>>()?;
        let target_data = self.targets()?;
        let count =
            self.bits.count("numbers of an event", group::TARGETS, MAX_EVENT_ITEMS, BITS_OF_A_NUMBER)?;
        let mut payload: Vec<(Arc<str>, f64)> = Vec::with_capacity(count);
        for _ in 0..count {
            let name = self.text("bytes of a name", MAX_INPUT_NAME)?;
            payload.push((Arc::from(name), self.number()?));
        }
        let is_sorted = payload.is_sorted_by(|(one, _), (other, _)| one < other);
        let causer = self.option(|this| this.bits.varint(group::ACTOR).map(ActorId))?;
        let origin = self.option(Self::vector)?;
        let details = EventDetails { context_tags, target_data, payload, causer, origin };
        if !is_sorted || details == EventDetails::default() {
            return self.error_at(begin, WireErrorKind::NotCanonical("the details of an event"));
        }
        Ok(details)
    }

    /// Reads target data: at most [`MAX_TARGETS`], in their order.
    fn targets(&mut self) -> Result<TargetData, WireError> {
        let count = self.bits.count("targets", group::TARGETS, MAX_TARGETS, BITS_OF_A_TARGET)?;
        let mut targets = TargetData::new();
        for _ in 0..count {
            targets.push(self.target()?);
        }
        Ok(targets)
    }

    /// Reads a target: a controller, a hit, a location, or custom data, which stays undecoded bytes.
    fn target(&mut self) -> Result<Target, WireError> {
        Ok(match self.bits.bits(TARGET_BITS)? {
            0 => Target::Controller(self.handle()?),
            1 => Target::Hit { controller: self.option(Self::handle)?, hit: self.hit()? },
            2 => Target::Location(self.vector()?),
            _ => {
                let kind = self.text("bytes of a payload's kind", MAX_PAYLOAD)?;
                let bytes = self.bytes("bytes of a payload", MAX_PAYLOAD)?;
                Target::Custom(Arc::new(RawPayload { kind, bytes }))
            }
        })
    }

    /// Reads a hit; a zero normal that is written out is not canonical.
    fn hit(&mut self) -> Result<HitResult, WireError> {
        let location = self.vector()?;
        let begin = self.bits.position();
        let normal = self.option(Self::vector)?;
        if normal.is_some_and(is_nowhere) {
            return self.error_at(begin, WireErrorKind::NotCanonical("the normal of a hit"));
        }
        Ok(HitResult {
            location,
            normal: normal.unwrap_or_default(),
            distance: f64::from(self.bits.single()?),
            actor: self.option(|this| this.bits.varint(group::ACTOR).map(ActorId))?,
            part: self.bits.small(group::PART)?,
        })
    }
}

/// Whether a direction is zero in single precision. Compared by bits, so that the sign of a zero survives.
fn is_nowhere(vector: Vector3) -> bool {
    vector.iter().all(|value| (*value as f32).to_bits() == 0)
}
