//! Reading an update.

use ugas_core::handle::ControllerId;

use super::View;
use crate::bits::{WireError, WireErrorKind};
use crate::message::{Ack, ControllerChange, ControllerUpdate, Course, Update, Word};
use crate::tick::Tick;
use crate::wire::block::{Basis, Exactness};
use crate::wire::listener::{Listener, Spent};
use crate::wire::values::Decoder;
use crate::wire::{group, ids};

impl Decoder<'_> {
    /// After the first three bits.
    pub(in crate::wire) fn update(
        &mut self,
        listener: &Listener,
        states_course: bool,
        has_word: bool,
    ) -> Result<(Update, Spent), WireError> {
        let mut update = self.header(listener, states_course, has_word)?;
        let mut spent = Spent::default();
        let (mut has_places, mut has_lists) = (true, false);
        if self.bits.bool()? {
            has_lists = self.bits.bool()?;
            has_places = has_lists && self.bits.bool()?;
        }
        if has_places {
            self.places(listener, &mut update, &mut spent)?;
        }
        if has_lists {
            self.lists(&mut update, &mut spent)?;
        }
        Ok((update, spent))
    }

    fn header(
        &mut self,
        listener: &Listener,
        states_course: bool,
        has_word: bool,
    ) -> Result<Update, WireError> {
        let unresolved = self.bits.error(WireErrorKind::Unresolved);
        let (packet, tick, course) = if states_course {
            let (packet, tick) = (self.packet()?, self.tick()?);
            let too_large = self.bits.error(WireErrorKind::TooLarge);
            let step = self.bits.small::<u32>(group::STEP)?.checked_add(1).ok_or(too_large)?;
            (packet, tick, Course { step, places: self.bits.small(group::PLACES)? })
        } else {
            let packet = listener.packet_near(self.bits.bits(8)? as u8).ok_or(unresolved)?;
            let (tick, course) = listener.course_of(packet).ok_or(unresolved)?;
            (packet, tick, course)
        };
        let word = if has_word { Some(self.word_of(listener, states_course)?) } else { None };
        let (part, parts, since) = self.part(tick)?;
        // What a datagram says that was overtaken is old news, and its number could be taken for a later one.
        let word = word.filter(|_| states_course || !listener.is_late(packet));
        Ok(Update {
            packet,
            tick,
            course,
            states_course,
            word,
            part,
            parts,
            since,
            results: Vec::new(),
            controllers: Vec::new(),
            bursts: Vec::new(),
        })
    }

    fn word_of(&mut self, listener: &Listener, is_whole: bool) -> Result<Word, WireError> {
        let unresolved = self.bits.error(WireErrorKind::Unresolved);
        let newest = if is_whole {
            self.packet()?
        } else {
            listener.acked_near(self.bits.bits(8)? as u8).ok_or(unresolved)?
        };
        let ack: Ack = self.ack_earlier(newest)?;
        let too_large = self.bits.error(WireErrorKind::TooLarge);
        let margin = i16::try_from(self.bits.signed(group::MARGIN)?).map_err(|_| too_large)?;
        Ok(Word { ack, margin })
    }

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
            // What it needs is something.
            since = Tick(tick.0.checked_sub(ago).filter(|since| *since > 0).ok_or(too_large)?);
        }
        Ok((part, parts, since))
    }

    /// Controllers by their places.
    fn places(
        &mut self,
        listener: &Listener,
        update: &mut Update,
        spent: &mut Spent,
    ) -> Result<(), WireError> {
        let begin = self.bits.position();
        let tick = update.tick;
        let too_large = self.bits.error(WireErrorKind::TooLarge);
        let ago =
            u32::try_from(self.bits.gamma()?).ok().and_then(|ago| ago.checked_add(1)).ok_or(too_large)?;
        let base = Tick(tick.0.checked_sub(ago).ok_or(too_large)?);
        let places = ids::read(&mut self.bits, "places", update.course.places)?;
        let mut bases = Vec::with_capacity(places.len());
        let some_whole = self.bits.bool()?;
        for _ in &places {
            let is_whole = some_whole && self.bits.bool()?;
            bases.push(if is_whole { Basis::Whole } else { Basis::Old });
        }
        if some_whole && !bases.contains(&Basis::Whole) {
            return self.error_at(begin, WireErrorKind::NotCanonical("how controllers are told"));
        }
        spent.others += self.bits.position() - begin;
        for (place, basis) in places.into_iter().zip(bases) {
            let begin = self.bits.position();
            let unresolved = WireError { at: begin, kind: WireErrorKind::Unresolved };
            let (controller, view) = listener.at_place(place, tick).ok_or(unresolved)?;
            let old = |key| listener.old(place, key, base);
            let pieces = self.block(Exactness::of(view.own), basis, old)?;
            update.controllers.push(view.told(controller, pieces));
            spent.count_controller(view.own, self.bits.position() - begin);
        }
        Ok(())
    }

    fn lists(&mut self, update: &mut Update, spent: &mut Spent) -> Result<(), WireError> {
        let begin = self.bits.position();
        while self.bits.bool()? {
            update.results.push(self.result(update.tick)?);
        }
        let after_results = self.bits.position();
        while self.bits.bool()? {
            update.bursts.push(self.burst(update.tick)?);
        }
        spent.results += after_results - begin;
        spent.bursts += self.bits.position() - after_results;
        let mut previous: Option<ControllerId> = None;
        while self.bits.bool()? {
            let begin = self.bits.position();
            let controller = self.next_handle(previous)?;
            previous = Some(controller);
            let change = self.change()?;
            let own = matches!(change, ControllerChange::Pieces { own: true, .. });
            spent.count_controller(own, self.bits.position() - begin);
            update.controllers.push(ControllerUpdate { controller, change });
        }
        let Update { results, bursts, .. } = &*update;
        if results.is_empty() && bursts.is_empty() && previous.is_none() {
            return self.error_at(begin, WireErrorKind::NotCanonical("lists of nothing"));
        }
        // Those in the lists are not among those by place, and together they rise.
        update.controllers.sort_by_key(|update| update.controller);
        if update.controllers.windows(2).any(|pair| pair[0].controller == pair[1].controller) {
            return self.error_at(begin, WireErrorKind::NotCanonical("controllers"));
        }
        Ok(())
    }

    fn change(&mut self) -> Result<ControllerChange, WireError> {
        let begin = self.bits.position();
        let mut view = View::default();
        if self.bits.bool()? {
            if self.bits.bool()? {
                return Ok(ControllerChange::Gone);
            }
            view.own = self.bits.bool()?;
            view.sight.effects = self.bits.bool()?;
            view.sight.abilities = self.bits.bool()?;
            let is_later = self.bits.bool()?;
            if is_later {
                view.epoch = self.bits.bits(8)? as u8;
            }
            if view == View::default() || is_later && view.epoch == 0 {
                return self.error_at(begin, WireErrorKind::NotCanonical("how a controller is seen"));
            }
        }
        let View { epoch, own, sight } = view;
        let pieces = self.block(Exactness::of(own), Basis::Whole, |_| None)?;
        Ok(ControllerChange::Pieces { epoch, own, sight, pieces })
    }
}

impl Spent {
    fn count_controller(&mut self, own: bool, bits: u64) {
        *if own { &mut self.own } else { &mut self.others } += bits;
    }
}
