//! Encoding of [`Frames`].

use super::error::EncodeError;
use super::group;
use super::values::{Decoder, Encoder, at_most};
use crate::bits::{WireError, WireErrorKind};
use crate::limits::{MAX_COMMANDS, MAX_FRAMES};
use crate::message::{Ack, CommandFrame, Frames, NetCommand, PacketId};
use crate::tick::Tick;

/// Bits of the session number in every datagram.
const FRAMES_SESSION_BITS: u32 = 8;
/// Fewest bits of a command: its kind.
const BITS_OF_A_COMMAND: u64 = 4;

impl Encoder<'_> {
    /// Writes session, packet number, acknowledgement, clock and frames, with a bit before each frame. An error if
    /// frames are not by rising tick or one has no commands.
    pub(super) fn frames(&mut self, frames: &Frames) -> Result<(), EncodeError> {
        at_most("frames", frames.frames.len(), MAX_FRAMES)?;
        self.bits.bits(u64::from(frames.session), FRAMES_SESSION_BITS);
        self.packet(frames.packet);
        self.ack(frames.ack);
        self.tick(frames.now);
        let mut previous = None;
        for frame in &frames.frames {
            self.bits.bool(true);
            self.frame_tick(frames.now, previous, frame.tick)?;
            previous = Some(frame.tick);
            self.frame_commands(frame)?;
        }
        self.bits.bool(false);
        Ok(())
    }

    /// Writes a full packet number, where the receiver may not know a near one.
    pub(super) fn packet(&mut self, packet: PacketId) {
        self.bits.varint(u64::from(packet.0), group::PACKET);
    }

    /// Writes an acknowledgement with its full packet number.
    fn ack(&mut self, ack: Ack) {
        self.packet(ack.newest);
        self.ack_earlier(ack);
    }

    /// Writes the acknowledgements before the newest: one bit if nothing got lost, otherwise the mask.
    pub(super) fn ack_earlier(&mut self, ack: Ack) {
        let is_full = ack.earlier == all_before(ack.newest);
        self.bits.bool(!is_full);
        if !is_full {
            self.bits.bits(u64::from(ack.earlier), 32);
        }
    }

    /// Writes the tick of a frame: the first relative to `now`, the others by the gap to `previous`. An error
    /// if ticks do not rise.
    fn frame_tick(&mut self, now: Tick, previous: Option<Tick>, tick: Tick) -> Result<(), EncodeError> {
        let Some(previous) = previous else {
            self.tick_near(now, tick);
            return Ok(());
        };
        if tick <= previous {
            return Err(EncodeError::Unsorted("frames"));
        }
        self.bits.varint(u64::from(tick.0 - previous.0 - 1), group::FRAME_GAP);
        Ok(())
    }

    /// Writes the commands of a frame with their number; an error if there are none or more than
    /// [`MAX_COMMANDS`].
    fn frame_commands(&mut self, frame: &CommandFrame) -> Result<(), EncodeError> {
        at_most("commands", frame.commands.len(), MAX_COMMANDS)?;
        let more = frame.commands.len().checked_sub(1).ok_or(EncodeError::EmptyFrame)?;
        self.bits.varint(more as u64, group::COMMANDS);
        frame.commands.iter().try_for_each(|command| self.command(frame.tick, command))
    }
}

impl Decoder<'_> {
    /// Reads a datagram of frames, at most [`MAX_FRAMES`] of them.
    pub(super) fn frames(&mut self) -> Result<Frames, WireError> {
        let session = self.bits.bits(FRAMES_SESSION_BITS)? as u8;
        let packet = self.packet()?;
        let ack = self.ack()?;
        let now = self.tick()?;
        let mut frames: Vec<CommandFrame> = Vec::new();
        while self.bits.bool()? {
            if frames.len() == MAX_FRAMES {
                let found = MAX_FRAMES as u64 + 1;
                let kind = WireErrorKind::TooMany { what: "frames", found, most: MAX_FRAMES as u64 };
                return Err(self.bits.error(kind));
            }
            let tick = self.frame_tick(now, frames.last().map(|frame| frame.tick))?;
            let commands = self.frame_commands(tick)?;
            frames.push(CommandFrame { tick, commands });
        }
        Ok(Frames { session, packet, ack, now, frames })
    }

    pub(super) fn packet(&mut self) -> Result<PacketId, WireError> {
        self.bits.small(group::PACKET).map(PacketId)
    }

    /// Reads an acknowledgement with its full packet number.
    fn ack(&mut self) -> Result<Ack, WireError> {
        let newest = self.packet()?;
        self.ack_earlier(newest)
    }

    /// Reads the acknowledgements before the newest, and returns them with it.
    pub(super) fn ack_earlier(&mut self, newest: PacketId) -> Result<Ack, WireError> {
        let full = all_before(newest);
        if !self.bits.bool()? {
            return Ok(Ack { newest, earlier: full });
        }
        let begin = self.bits.position();
        let earlier = self.bits.bits(32)? as u32;
        if earlier == full {
            return self.error_at(begin, WireErrorKind::NotCanonical("an acknowledgement"));
        }
        Ok(Ack { newest, earlier })
    }

    /// Reads the tick of a frame: the first relative to `now`, the others by the gap, so that they rise.
    fn frame_tick(&mut self, now: Tick, previous: Option<Tick>) -> Result<Tick, WireError> {
        let Some(previous) = previous else { return self.tick_near(now) };
        let too_large = self.bits.error(WireErrorKind::TooLarge);
        let gap: u32 = self.bits.small(group::FRAME_GAP)?;
        let tick = previous.0.checked_add(gap).and_then(|tick| tick.checked_add(1));
        tick.map(Tick).ok_or(too_large)
    }

    /// Reads the commands of the frame of `tick`, at least one.
    fn frame_commands(&mut self, tick: Tick) -> Result<Vec<NetCommand>, WireError> {
        let count = self.bits.count_some("commands", group::COMMANDS, MAX_COMMANDS, BITS_OF_A_COMMAND)?;
        let mut commands = Vec::with_capacity(count);
        for _ in 0..count {
            commands.push(self.command(tick)?);
        }
        Ok(commands)
    }
}

/// Acknowledgement mask without losses: the 32 datagrams before the newest, or as many as there were.
fn all_before(newest: PacketId) -> u32 {
    let before = newest.0.saturating_sub(1);
    1u32.checked_shl(before).map_or(u32::MAX, |bit| bit - 1)
}
