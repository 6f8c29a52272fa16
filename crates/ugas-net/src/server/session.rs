//! One client, as the server knows it.

use core::num::NonZeroU32;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use smallvec::SmallVec;
use ugas_core::effect::PredictionKey;
use ugas_core::handle::{ActivationId, ControllerId, Handle};
use ugas_core::time::{Span, Time};

use super::heading::Heading;
use super::view::{Range, Telling, View};
use super::{PeerId, ServerConfig};
use crate::message::{
    ClientId, CommandFrame, CommandResult, Feedback, Frames, NetCommand, PacketId, Rejection, Verdict,
};
use crate::packets::{ReceivedPackets, SentPackets};
use crate::rate::{Bandwidth, TokenBucket};
use crate::replica::Cursor;
use crate::tick::Tick;
use crate::wire::{HELD_VALUES, MOST_PLACES};

/// Runs that a client began and may still name by their keys.
const REMEMBERED_RUNS: usize = 64;
/// Datagrams whose arrival is open.
const REMEMBERED_PACKETS: u32 = 256;
/// Results that wait for their acknowledgement. Whoever does not acknowledge any loses the oldest.
const REMEMBERED_RESULTS: usize = 256;

/// Ticks for which the epochs of views that are over are remembered: longer than anything is under way.
const REMEMBERED_EPOCHS: u32 = 3_600;
/// Frames that came too early and are remembered.
const MAX_REFUSED: usize = 128;
/// For how many ticks after a loss own state is told until it is acknowledged.
const RESTLESS: u32 = 64;
/// Most flashes that wait for one client.
const MAX_BURSTS: usize = 256;

/// What a datagram held.
#[derive(Debug, Default)]
pub(super) struct Sent {
    /// The tick that it was the state of.
    pub(super) tick: Tick,
    /// Which part of which tick's own state.
    pub(super) own: Option<(Tick, u8)>,
    /// Whether it has anything of the own state.
    pub(super) has_own: bool,
    /// The client's datagram that its word named; 0 if it had none.
    pub(super) named: PacketId,
    /// Controllers, and from where to where the client gets; `None` if it is told that they are gone.
    pub(super) views: SmallVec<[(ControllerId, Telling, Option<Range>); 4]>,
    pub(super) results: SmallVec<[PredictionKey; 2]>,
    pub(super) bursts: SmallVec<[u64; 2]>,
}

/// A flash that the client has not acknowledged.
#[derive(Debug)]
pub(super) struct WaitingBurst {
    /// Which one, for the server.
    pub(super) number: u64,
    /// Which one of those of its tick that this client sees: of the others it is not to know how many there are.
    pub(super) ordinal: u16,
    pub(super) is_sent: bool,
}

/// The own state of a tick that is on its way to the client.
#[derive(Debug)]
struct OwnTick {
    tick: Tick,
    /// The tick that it builds upon; 0 for what was acknowledged.
    since: Tick,
    parts: u8,
    /// One bit a part.
    arrived: u64,
    controllers: SmallVec<[(ControllerId, Telling); 1]>,
}

/// One client.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) peer: PeerId,
    pub(super) client: ClientId,
    pub(super) nonce: u64,
    pub(super) received: ReceivedPackets,
    pub(super) sent: SentPackets<Sent>,
    pub(super) last_heard: Time,
    pub(super) round_trip: Option<Span>,
    pub(super) feedback: Feedback,
    /// Frames that are yet to come.
    pub(super) frames: BTreeMap<Tick, SmallVec<[NetCommand; 1]>>,
    /// The newest frame that was taken: older ones are repetitions.
    newest_frame: Option<Tick>,
    /// Frames that came too early: their repetitions may come in time, and are rejected all the same.
    refused: BTreeSet<Tick>,
    pub(super) results: VecDeque<(CommandResult, bool)>,
    pub(super) views: BTreeMap<ControllerId, View>,
    /// The last epochs of views that are over, and since when: what was sent of them is under way yet, and must not be taken
    /// for the next one.
    past: BTreeMap<ControllerId, (u8, Tick)>,
    /// Controllers of which the client may not know everything.
    pub(super) behind: BTreeSet<ControllerId>,
    pub(super) owned: BTreeSet<ControllerId>,
    /// Controllers that the game showed to the client, or hid from it.
    pub(super) shown: BTreeMap<ControllerId, bool>,
    own_ticks: VecDeque<OwnTick>,
    /// The newest tick of which the client has its own state.
    own_acked: Tick,
    /// The newest tick whose own state had something in it.
    own_told: Tick,
    /// Until then what is its own is told until it is acknowledged, since datagrams got lost lately.
    restless: Tick,
    pub(super) heading: Heading,
    /// Flashes by number that it has not acknowledged.
    pub(super) bursts: VecDeque<WaitingBurst>,
    /// The tick of the newest flash, and which of its tick it was.
    flashed: (Tick, u16),
    pub(super) runs: VecDeque<(PredictionKey, ActivationId)>,
    pub(super) commands: TokenBucket,
    pub(super) bandwidth: Bandwidth,
    pub(super) last_update: Option<Tick>,
    /// The newest tick of which something arrived: what the client acts upon.
    pub(super) seen: Tick,
    pub(super) rejections: BTreeMap<Rejection, u32>,
    pub(super) misbehaved: bool,
}

impl Session {
    pub(super) fn new(peer: PeerId, client: ClientId, nonce: u64, now: Time, config: &ServerConfig) -> Self {
        Self {
            peer,
            client,
            nonce,
            received: ReceivedPackets::default(),
            sent: SentPackets::new(REMEMBERED_PACKETS),
            last_heard: now,
            round_trip: None,
            feedback: Feedback::default(),
            frames: BTreeMap::new(),
            newest_frame: None,
            refused: BTreeSet::new(),
            results: VecDeque::new(),
            views: BTreeMap::new(),
            past: BTreeMap::new(),
            behind: BTreeSet::new(),
            owned: BTreeSet::new(),
            shown: BTreeMap::new(),
            own_ticks: VecDeque::new(),
            own_acked: Tick(0),
            own_told: Tick(0),
            restless: Tick(0),
            heading: Heading::default(),
            bursts: VecDeque::new(),
            flashed: (Tick(0), 0),
            runs: VecDeque::new(),
            commands: TokenBucket::new(config.commands_per_second, config.commands_per_second),
            bandwidth: Bandwidth::new(config.bytes_per_second, config.bytes_per_second),
            last_update: None,
            seen: Tick(0),
            rejections: BTreeMap::new(),
            misbehaved: false,
        }
    }

    /// The number of the last view of a controller that is over.
    pub(super) fn last_epoch(&self, controller: ControllerId) -> Option<u8> {
        self.past.get(&controller).map(|(epoch, _)| *epoch)
    }

    /// Whether the client sees a controller, and not merely has not heard yet that it is gone.
    pub(super) fn sees(&self, controller: ControllerId) -> bool {
        self.views.get(&controller).is_some_and(|view| !view.leaving)
    }

    /// Whether the client knows a controller by its place: it has heard of it, and of nobody else in that place.
    pub(super) fn has_place(&self, controller: ControllerId) -> bool {
        let place = controller.index();
        let in_place = |generation| ControllerId::from_parts(place, generation);
        let mut there = self.views.range(in_place(NonZeroU32::MIN)..=in_place(NonZeroU32::MAX));
        let is_known = there.next().is_some_and(|(known, view)| *known == controller && view.is_known());
        is_known && place < MOST_PLACES && there.next().is_none()
    }

    /// All places that the client may know are below this.
    pub(super) fn places(&self) -> u32 {
        self.views.keys().next_back().map_or(0, |last| last.index().saturating_add(1)).min(MOST_PLACES)
    }

    /// The tick of which the client has what was told of it, for differences from then.
    pub(super) fn base(&self, now: Tick) -> Option<Tick> {
        (self.seen > Tick(0) && (1..HELD_VALUES as i64).contains(&now.since(self.seen))).then_some(self.seen)
    }

    /// Whether what is its own is told once, and again only if it gets lost.
    pub(super) fn is_calm(&self, now: Tick) -> bool {
        now >= self.restless
    }

    /// The tick that an own state builds upon: the newest that had something in it, unless that arrived.
    pub(super) fn own_since(&self, now: Tick) -> Tick {
        if self.is_calm(now) && self.own_told > self.own_acked { self.own_told } else { Tick(0) }
    }

    /// A controller came into view: what was told of others without naming it is told again.
    pub(super) fn name(&mut self, seen: ControllerId) {
        for (controller, view) in self.views.iter_mut().filter(|(_, view)| !view.leaving) {
            if view.name(seen) {
                self.behind.insert(*controller);
            }
        }
    }

    /// Remembers a frame that came too early. Of too many, those that are nearest count: the others are too early still.
    fn refuse(&mut self, tick: Tick) {
        self.refused.insert(tick);
        if self.refused.len() > MAX_REFUSED {
            self.refused.pop_last();
        }
    }

    /// A cue flashes that the client sees.
    pub(super) fn flash(&mut self, number: u64, tick: Tick) {
        let ordinal = if self.flashed.0 == tick { self.flashed.1.saturating_add(1) } else { 0 };
        self.flashed = (tick, ordinal);
        if self.bursts.len() >= MAX_BURSTS {
            self.bursts.pop_front();
        }
        self.bursts.push_back(WaitingBurst { number, ordinal, is_sent: false });
    }

    /// How many things it holds.
    pub(super) fn held(&self) -> usize {
        let sent = |sent: &Sent| 1 + sent.views.len() + sent.results.len() + sent.bursts.len();
        self.sent.open().map(|(_, held)| sent(held)).sum::<usize>()
            + self.frames.values().map(|frame| 1 + frame.len()).sum::<usize>()
            + self.refused.len()
            + self.results.len()
            + self.views.values().map(|view| 1 + view.withheld.len()).sum::<usize>()
            + self.past.len()
            + self.behind.len()
            + self.owned.len()
            + self.shown.len()
            + self.own_ticks.iter().map(|own| 1 + own.controllers.len()).sum::<usize>()
            + self.bursts.len()
            + self.runs.len()
            + self.rejections.len()
    }

    /// Takes the frames of a datagram that the server did not have yet. `next` is the tick that runs next.
    pub(super) fn take_frames(&mut self, now: Time, frames: Frames, next: Tick, config: &ServerConfig) {
        if frames.now >= self.feedback.newest {
            let margin = frames.now.since(next).clamp(i64::from(i16::MIN), i64::from(i16::MAX));
            self.feedback = Feedback { newest: frames.now, margin: margin as i16 };
        }
        self.refused = self.refused.split_off(&next.before(config.grace));
        for CommandFrame { tick, commands } in frames.frames {
            if self.newest_frame.is_some_and(|newest| tick <= newest) {
                continue;
            }
            if self.refused.contains(&tick) {
                continue;
            }
            if tick > next.after(config.max_lead) {
                self.refuse(tick);
                self.reject_all(tick, &commands, Rejection::TooEarly);
                continue;
            }
            self.newest_frame = Some(tick);
            let late = next.since(tick);
            if late > i64::from(config.grace) {
                self.reject_all(tick, &commands, Rejection::TooLate);
                continue;
            }
            let mut taken: SmallVec<[NetCommand; 1]> = SmallVec::new();
            for (sequence, command) in commands.into_iter().enumerate() {
                // After one that is too many the rest of the frame goes too: commands build on each other.
                if taken.len() == sequence && self.commands.take(now, 1) {
                    taken.push(command);
                } else {
                    self.reject(key(tick, sequence), Rejection::TooMany);
                }
            }
            self.frames.insert(tick, taken);
        }
    }

    /// The frames that run at `tick`: its own, and those that came late.
    pub(super) fn due_frames(
        &mut self,
        tick: Tick,
    ) -> impl Iterator<Item = (Tick, SmallVec<[NetCommand; 1]>)> + use<> {
        let later = self.frames.split_off(&tick.next());
        core::mem::replace(&mut self.frames, later).into_iter()
    }

    /// Says what became of a command.
    pub(super) fn conclude(&mut self, key: PredictionKey, verdict: Verdict) {
        if self.results.len() >= REMEMBERED_RESULTS {
            self.results.pop_front();
        }
        self.results.push_back((CommandResult { key, verdict }, false));
    }

    /// How often commands were rejected for a reason.
    pub(super) fn rejected(&self, rejection: Rejection) -> u32 {
        self.rejections.get(&rejection).copied().unwrap_or(0)
    }

    pub(super) fn reject(&mut self, key: PredictionKey, rejection: Rejection) {
        let count = self.rejections.entry(rejection).or_default();
        *count = count.saturating_add(1);
        self.conclude(key, Verdict::Rejected(rejection));
    }

    fn reject_all(&mut self, tick: Tick, commands: &[NetCommand], rejection: Rejection) {
        for sequence in 0..commands.len() {
            self.reject(key(tick, sequence), rejection);
        }
    }

    /// Remembers which run a command began.
    pub(super) fn remember_run(&mut self, key: PredictionKey, run: ActivationId) {
        if self.runs.len() >= REMEMBERED_RUNS {
            self.runs.pop_front();
        }
        self.runs.push_back((key, run));
    }

    /// A datagram arrived at the client.
    pub(super) fn on_arrival(&mut self, sent: Sent) {
        self.seen = self.seen.max(sent.tick);
        for (controller, telling, range) in sent.views {
            let view = self.views.get_mut(&controller).filter(|view| view.telling() == telling);
            let Some(view) = view else {
                continue;
            };
            match range {
                Some((from, to)) => view.arrived(from, to),
                None if view.leaving => {
                    self.views.remove(&controller);
                    self.behind.remove(&controller);
                    self.past.retain(|_, (_, since)| *since >= sent.tick.before(REMEMBERED_EPOCHS));
                    self.past.insert(controller, (telling.epoch, sent.tick));
                }
                None => {}
            }
        }
        self.results.retain(|(result, _)| !sent.results.contains(&result.key));
        self.bursts.retain(|burst| !sent.bursts.contains(&burst.number));
        if let Some((tick, part)) = sent.own {
            self.own_part_arrived(tick, part);
        }
    }

    /// A datagram got lost: what it held has to be sent again.
    pub(super) fn on_loss(&mut self, sent: Sent) {
        self.restless = self.restless.max(sent.tick.after(RESTLESS));
        if sent.has_own {
            self.tell_own_again();
        }
        for (controller, telling, _) in sent.views {
            let view = self.views.get_mut(&controller).filter(|view| view.telling() == telling);
            let Some(view) = view else {
                continue;
            };
            view.sent = view.acked;
            self.behind.insert(controller);
        }
        for (result, is_sent) in &mut self.results {
            *is_sent &= !sent.results.contains(&result.key);
        }
        for burst in &mut self.bursts {
            burst.is_sent &= !sent.bursts.contains(&burst.number);
        }
    }

    /// Makes room for the own state of one more tick.
    pub(super) fn forget_own_ticks(&mut self) {
        /// Ticks whose parts are still counted.
        const RECENT: usize = 64;

        if self.own_ticks.len() >= RECENT {
            self.own_ticks.pop_front();
            self.tell_own_again();
        }
    }

    /// Remembers what the own state of a tick is made of, until all its parts have arrived: of whom all is told.
    pub(super) fn expect_own(&mut self, tick: Tick, since: Tick, parts: u8, told: &[ControllerId]) {
        for controller in told {
            if let Some(view) = self.views.get_mut(controller) {
                view.sent = view.sent.max(Cursor::through(tick));
            }
        }
        let telling_of =
            |controller: &ControllerId| Some((*controller, self.views.get(controller)?.telling()));
        let controllers = told.iter().filter_map(telling_of).collect();
        self.own_ticks.push_back(OwnTick { tick, since, parts, arrived: 0, controllers });
    }

    /// Own controllers of which something is in the state of a tick.
    pub(super) fn tell_own(&mut self, tick: Tick, controllers: impl Iterator<Item = ControllerId>) {
        for controller in controllers {
            if let Some(view) = self.views.get_mut(&controller) {
                view.tell(tick);
            }
            self.own_told = tick;
        }
    }

    /// What is its own is told from what was acknowledged on.
    fn tell_own_again(&mut self) {
        self.own_told = self.own_acked;
        for controller in &self.owned {
            if let Some(view) = self.views.get_mut(controller) {
                view.sent = view.acked;
            }
        }
    }

    /// Of its own controllers a client keeps a tick only if all parts of it arrived, and that which it builds upon, so
    /// that only then counts.
    fn own_part_arrived(&mut self, tick: Tick, part: u8) {
        let Some(own) = self.own_ticks.iter_mut().find(|own| own.tick == tick) else { return };
        own.arrived |= 1u64.checked_shl(part.into()).unwrap_or(0);
        let is_whole = |own: &OwnTick| own.arrived.count_ones() >= u32::from(own.parts);
        while let Some(at) =
            self.own_ticks.iter().position(|own| is_whole(own) && own.since <= self.own_acked)
        {
            let Some(own) = self.own_ticks.remove(at) else { return };
            for (controller, telling) in &own.controllers {
                if let Some(view) = self.views.get_mut(controller).filter(|view| view.telling() == *telling) {
                    view.acknowledge(Cursor::through(own.tick));
                }
            }
            self.own_acked = self.own_acked.max(own.tick);
            self.own_ticks.retain(|later| later.tick > own.tick);
        }
    }
}

/// The key of a command.
pub(super) fn key(tick: Tick, sequence: usize) -> PredictionKey {
    PredictionKey::new(tick.0, sequence as u16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lens::LensId;

    const WOLF: ControllerId = ControllerId::UNSEEN;

    fn gone(session: &mut Session, tick: u32, epoch: u8) -> Sent {
        session.views.entry(WOLF).and_modify(|view| view.leaving = true);
        let telling = Telling { epoch, turn: 0 };
        Sent { tick: Tick(tick), views: [(WOLF, telling, None)].into_iter().collect(), ..Sent::default() }
    }

    /// Told twice that it is gone, a client acknowledges the second word when it sees it again and is to lose it again.
    #[test]
    fn an_old_word_of_leaving_does_not_count_for_a_new_view() {
        let mut session = Session::new(PeerId(1), ClientId(1), 1, Time::ZERO, &ServerConfig::default());
        session.views.insert(WOLF, View::new(LensId(0), false, 0));
        let (first, second) = (gone(&mut session, 10, 0), gone(&mut session, 12, 0));
        session.on_arrival(first);
        assert!(session.views.is_empty());
        let epoch = session.last_epoch(WOLF).map_or(0, |epoch| epoch.wrapping_add(1));
        session.views.insert(WOLF, View::new(LensId(0), false, epoch));
        let third = gone(&mut session, 20, epoch);
        session.on_arrival(second);
        assert_eq!(session.views.len(), 1);
        session.on_arrival(third);
        assert!(session.views.is_empty());
    }

    #[test]
    fn what_was_told_without_a_name_is_told_again_whatever_is_acknowledged_of_it() {
        let at = |tick| Cursor::through(Tick(tick));
        let mut session = Session::new(PeerId(1), ClientId(1), 1, Time::ZERO, &ServerConfig::default());
        session.views.insert(WOLF, View::new(LensId(0), false, 0));
        let view = session.views.get_mut(&WOLF).unwrap();
        let telling = view.telling();
        view.withhold(WOLF, at(4));
        view.arrived(Cursor::START, at(6));
        session.name(WOLF);
        assert_eq!(session.views[&WOLF].acked, at(4));
        assert!(session.behind.contains(&WOLF));
        // Under way when it came into view, and still without the name.
        let views = [(WOLF, telling, Some((at(6), at(9))))].into_iter().collect();
        session.on_arrival(Sent { tick: Tick(9), views, ..Sent::default() });
        assert_eq!(session.views[&WOLF].acked, at(4));
    }

    #[test]
    fn changes_beyond_a_gap_count_when_it_is_filled() {
        let at = |tick| Cursor::through(Tick(tick));
        let mut view = View::new(LensId(0), false, 0);
        view.arrived(Cursor::START, at(3));
        view.arrived(at(5), at(8));
        assert_eq!(view.acked, at(3));
        view.arrived(at(3), at(5));
        assert_eq!(view.acked, at(8));
        // What arrives again changes nothing.
        view.arrived(Cursor::START, at(3));
        assert_eq!(view.acked, at(8));
    }
}
