//! Decoding of updates.

use ugas_core::handle::ControllerId;

use super::ViewHeader;
use crate::bits::{WireError, WireErrorKind};
use crate::message::{
    Ack, AckReport, ControllerChange, ControllerUpdate, SESSION_BITS, StreamParams, Update,
};
use crate::tick::Tick;
use crate::wire::block::{BlockEncoding, Exactness};
use crate::wire::update_decoder::{BitUsage, UpdateDecoder};
use crate::wire::values::Decoder;
use crate::wire::{group, ids};

impl Decoder<'_> {
    /// Decodes an update after the first three bits, of which two are given as flags. `decoder` resolves
    /// references to earlier updates.
    pub(in crate::wire) fn update(
        &mut self,
        decoder: &UpdateDecoder,
        states_stream: bool,
        has_ack_report: bool,
    ) -> Result<(Update, BitUsage), WireError> {
        let mut update = self.header(decoder, states_stream, has_ack_report)?;
        let mut usage = BitUsage::default();
        let (mut has_slots, mut has_lists) = (true, false);
        if self.bits.bool()? {
            has_lists = self.bits.bool()?;
            has_slots = has_lists && self.bits.bool()?;
        }
        if has_slots {
            self.slots(decoder, &mut update, &mut usage)?;
        }
        if has_lists {
            self.lists(&mut update, &mut usage)?;
        }
        Ok((update, usage))
    }

    /// Decodes the header, as an update without content. The ack report of a late datagram is dropped unless
    /// its numbers are full.
    fn header(
        &mut self,
        decoder: &UpdateDecoder,
        states_stream: bool,
        has_ack_report: bool,
    ) -> Result<Update, WireError> {
        let session = self.bits.bits(SESSION_BITS)? as u8;
        let unresolved = self.bits.error(WireErrorKind::Unresolved);
        let (packet, tick, stream) = if states_stream {
            let (packet, tick) = (self.packet()?, self.tick()?);
            let too_large = self.bits.error(WireErrorKind::TooLarge);
            let step = self.bits.small::<u32>(group::STEP)?.checked_add(1).ok_or(too_large)?;
            (packet, tick, StreamParams { step, slots: self.bits.small(group::SLOTS)? })
        } else {
            let packet = decoder.packet_near(self.bits.bits(8)? as u8).ok_or(unresolved)?;
            let (tick, stream) = decoder.stream_of(packet).ok_or(unresolved)?;
            (packet, tick, stream)
        };
        let ack_report = if has_ack_report { Some(self.ack_report(decoder, states_stream)?) } else { None };
        let (part, parts, since) = self.part(tick)?;
        // The report of an overtaken datagram is outdated, and its short number could be taken for a later
        // one.
        let ack_report = ack_report.filter(|_| states_stream || !decoder.is_late(packet));
        Ok(Update {
            session,
            packet,
            tick,
            stream,
            states_stream,
            ack_report,
            part,
            parts,
            since,
            results: Vec::new(),
            controllers: Vec::new(),
            bursts: Vec::new(),
        })
    }

    /// Decodes an ack report, with a full packet number if `is_whole`, otherwise with eight bits of it.
    fn ack_report(&mut self, decoder: &UpdateDecoder, is_whole: bool) -> Result<AckReport, WireError> {
        let unresolved = self.bits.error(WireErrorKind::Unresolved);
        let newest = if is_whole {
            self.packet()?
        } else {
            decoder.acked_near(self.bits.bits(8)? as u8).ok_or(unresolved)?
        };
        let ack: Ack = self.ack_earlier(newest)?;
        let too_large = self.bits.error(WireErrorKind::TooLarge);
        let margin = i16::try_from(self.bits.signed(group::MARGIN)?).map_err(|_| too_large)?;
        Ok(AckReport { ack, margin })
    }

    /// Decodes part, number of parts, and the tick that the own state builds upon, which is 0 for the
    /// acknowledged state. One bit stands for the only part, upon the acknowledged state.
    fn part(&mut self, tick: Tick) -> Result<(u8, u8, Tick), WireError> {
        if !self.bits.bool()? {
            return Ok((0, 1, Tick(0)));
        }
        let begin = self.bits.position();
        let (mut part, mut parts, mut needs) = (0, 1, true);
        if self.bits.bool()? {
            (part, parts) = (self.bits.bits(8)? as u8, self.bits.bits(8)? as u8);
            needs = self.bits.bool()?;
            if (part, parts) == (0, 1) || part >= parts && part > 0 {
                return self.error_at(begin, WireErrorKind::NotCanonical("the part of a tick"));
            }
        }
        let too_large = self.bits.error(WireErrorKind::TooLarge);
        let mut since = Tick(0);
        if needs {
            let ago = u32::try_from(self.bits.gamma()?).map_err(|_| too_large)?;
            // The tick that it builds upon is not 0.
            since = Tick(tick.0.checked_sub(ago).filter(|since| *since > 0).ok_or(too_large)?);
        }
        Ok((part, parts, since))
    }

    /// Decodes the controllers by slot: base tick, slots, encodings, then a block each. An error if
    /// `decoder` does not know a slot or a baseline.
    fn slots(
        &mut self,
        decoder: &UpdateDecoder,
        update: &mut Update,
        usage: &mut BitUsage,
    ) -> Result<(), WireError> {
        let begin = self.bits.position();
        let tick = update.tick;
        let too_large = self.bits.error(WireErrorKind::TooLarge);
        let ago =
            u32::try_from(self.bits.gamma()?).ok().and_then(|ago| ago.checked_add(1)).ok_or(too_large)?;
        let base = Tick(tick.0.checked_sub(ago).ok_or(too_large)?);
        let slots = ids::read(&mut self.bits, "slots", update.stream.slots)?;
        let mut encodings = Vec::with_capacity(slots.len());
        let some_whole = self.bits.bool()?;
        for _ in &slots {
            let is_whole = some_whole && self.bits.bool()?;
            encodings.push(if is_whole { BlockEncoding::Full } else { BlockEncoding::Delta });
        }
        if some_whole && !encodings.contains(&BlockEncoding::Full) {
            return self.error_at(begin, WireErrorKind::NotCanonical("the encodings of controllers"));
        }
        usage.others += self.bits.position() - begin;
        for (slot, encoding) in slots.into_iter().zip(encodings) {
            let begin = self.bits.position();
            let unresolved = WireError { at: begin, kind: WireErrorKind::Unresolved };
            let (controller, view) = decoder.at_slot(slot, tick).ok_or(unresolved)?;
            let baseline = |key| decoder.baseline(slot, key, base);
            let pieces = self.block(Exactness::of(view.own), encoding, baseline)?;
            update.controllers.push(view.update(controller, pieces));
            usage.count_controller(view.own, self.bits.position() - begin);
        }
        Ok(())
    }

    /// Decodes results, bursts and controllers by handle, adds them to the update, and sorts its
    /// controllers. Empty lists, and a controller that also has a slot, are not canonical.
    fn lists(&mut self, update: &mut Update, usage: &mut BitUsage) -> Result<(), WireError> {
        let begin = self.bits.position();
        while self.bits.bool()? {
            update.results.push(self.result(update.tick)?);
        }
        let after_results = self.bits.position();
        while self.bits.bool()? {
            update.bursts.push(self.burst(update.tick)?);
        }
        usage.results += after_results - begin;
        usage.bursts += self.bits.position() - after_results;
        let mut previous: Option<ControllerId> = None;
        while self.bits.bool()? {
            let begin = self.bits.position();
            let controller = self.next_handle(previous)?;
            previous = Some(controller);
            let change = self.change()?;
            let own = matches!(change, ControllerChange::Pieces { own: true, .. });
            usage.count_controller(own, self.bits.position() - begin);
            update.controllers.push(ControllerUpdate { controller, change });
        }
        let Update { results, bursts, .. } = &*update;
        if results.is_empty() && bursts.is_empty() && previous.is_none() {
            return self.error_at(begin, WireErrorKind::NotCanonical("lists of nothing"));
        }
        // No controller is both in the list and by slot, and the result is sorted.
        update.controllers.sort_by_key(|update| update.controller);
        if update.controllers.windows(2).any(|pair| pair[0].controller == pair[1].controller) {
            return self.error_at(begin, WireErrorKind::NotCanonical("controllers"));
        }
        Ok(())
    }

    /// Decodes a controller of the list after its handle: its removal, or its view header and a full block.
    fn change(&mut self) -> Result<ControllerChange, WireError> {
        let begin = self.bits.position();
        let mut view = ViewHeader::default();
        if self.bits.bool()? {
            if self.bits.bool()? {
                return Ok(ControllerChange::Gone);
            }
            view.own = self.bits.bool()?;
            view.visibility.effects = self.bits.bool()?;
            view.visibility.abilities = self.bits.bool()?;
            let is_later = self.bits.bool()?;
            if is_later {
                view.epoch = self.bits.bits(8)? as u8;
            }
            if view == ViewHeader::default() || is_later && view.epoch == 0 {
                return self.error_at(begin, WireErrorKind::NotCanonical("how a controller is seen"));
            }
        }
        let ViewHeader { epoch, own, visibility } = view;
        let pieces = self.block(Exactness::of(own), BlockEncoding::Full, |_| None)?;
        Ok(ControllerChange::Pieces { epoch, own, visibility, pieces })
    }
}

impl BitUsage {
    /// Adds bits to those of own or of other controllers.
    fn count_controller(&mut self, own: bool, bits: u64) {
        *if own { &mut self.own } else { &mut self.others } += bits;
    }
}
