//! Acknowledgement state of a session: what was sent, what arrived, and what later updates may build upon.

use std::collections::{BTreeMap, VecDeque};

use smallvec::SmallVec;
use ugas_core::effect::PredictionKey;
use ugas_core::handle::ControllerId;
use ugas_core::time::{Span, Time};

use crate::message::PacketId;
use crate::packets::{Fate, SentPackets};
use crate::round_trip::BestRoundTrip;
use crate::server::controller_view::{ControllerView, Generation, Range};
use crate::tick::{Tick, TickLength};
use crate::versioned_view::Cursor;
use crate::wire::BASELINE_TICKS;

/// Most datagrams that are neither acknowledged nor lost.
const MAX_OPEN_PACKETS: u32 = 256;
/// Most ticks of own state whose parts are still counted.
const MAX_OWN_TICKS: usize = 64;
/// Most records of settled datagrams whose memory is kept.
const MAX_SPARE_PACKETS: usize = 4_096;
/// Room for controllers of others in a new record of a datagram.
const VIEWS: usize = 32;
/// Ticks after a loss during which own state is repeated until it is acknowledged.
const RECOVERY_TICKS: u32 = 64;

/// Content of a datagram that was sent.
#[derive(Debug, Default)]
pub(in crate::server) struct SentDatagram {
    /// The tick whose state it holds.
    pub(in crate::server) tick: Tick,
    /// Tick and part of the own state; `None` if it holds none.
    pub(in crate::server) own: Option<(Tick, u8)>,
    /// Whether its part of the own state has any content.
    pub(in crate::server) has_own: bool,
    /// The newest client packet that its ack report names; 0 if it has no report.
    pub(in crate::server) reported: PacketId,
    /// Controllers of others with the range of changes sent; no range means that the controller is gone.
    pub(in crate::server) views: Vec<(ControllerId, Generation, Option<Range>)>,
    pub(in crate::server) results: SmallVec<[PredictionKey; 2]>,
    pub(in crate::server) bursts: SmallVec<[u64; 2]>,
}

/// Records of settled datagrams, whose memory is reused for the next ones of any client.
#[derive(Debug, Default)]
pub(in crate::server) struct SparePackets {
    spare: Vec<SentDatagram>,
    /// Fates that an acknowledgement settles.
    pub(in crate::server) fates: Vec<(Fate, SentDatagram)>,
}

impl SparePackets {
    /// Empty record of a datagram of a tick.
    pub(in crate::server) fn take(&mut self, tick: Tick) -> SentDatagram {
        let SentDatagram { mut views, mut results, mut bursts, .. } = self
            .spare
            .pop()
            .unwrap_or_else(|| SentDatagram { views: Vec::with_capacity(VIEWS), ..SentDatagram::default() });
        views.clear();
        results.clear();
        bursts.clear();
        SentDatagram { tick, views, results, bursts, ..SentDatagram::default() }
    }

    /// Keeps the memory of a record that is not needed any more.
    pub(in crate::server) fn keep(&mut self, settled: SentDatagram) {
        if self.spare.len() < MAX_SPARE_PACKETS {
            self.spare.push(settled);
        }
    }
}

/// Smoothed round trip after a sample: an exponential moving average with weight 1/8, so half of a sample is
/// gone after about five more. The first sample counts whole.
fn smooth(known: Option<Span>, sample: Span) -> Span {
    let Some(known) = known else { return sample };
    Span::from_micros(known.micros() + (sample.micros() - known.micros()) / 8)
}

/// The own state of a tick that is on its way to the client.
#[derive(Debug)]
struct OwnTick {
    tick: Tick,
    /// The tick that it builds upon; 0 for the acknowledged state.
    since: Tick,
    parts: u8,
    /// One bit for each part that arrived.
    arrived: u64,
    /// Up to where it has the changes of each controller.
    controllers: SmallVec<[(ControllerId, Generation, Cursor); 1]>,
}

/// Datagrams that were sent, and the state that the client is known to have.
#[derive(Debug)]
pub(in crate::server) struct AckState {
    pub(in crate::server) sent: SentPackets<SentDatagram>,
    /// Smoothed round trip; `None` before the first acknowledgement.
    pub(in crate::server) round_trip: Option<Span>,
    best_round_trip: BestRoundTrip,
    own_ticks: VecDeque<OwnTick>,
    /// The newest tick whose own state the client has.
    own_acked: Tick,
    /// The newest tick whose own state had content.
    pub(super) own_sent: Tick,
    /// Until this tick own state is repeated until it is acknowledged, because datagrams got lost.
    recovering_until: Tick,
    /// The newest tick of which a datagram arrived: the state that the client acts upon.
    pub(in crate::server) acked_tick: Tick,
}

impl AckState {
    pub(super) fn new() -> Self {
        Self {
            sent: SentPackets::new(MAX_OPEN_PACKETS),
            round_trip: None,
            best_round_trip: BestRoundTrip::new(),
            own_ticks: VecDeque::new(),
            own_acked: Tick(0),
            own_sent: Tick(0),
            recovering_until: Tick(0),
            acked_tick: Tick(0),
        }
    }

    /// Number of items held for acknowledgements: unacknowledged datagrams and own ticks, with their content.
    /// For tests that nothing grows without bound.
    pub(super) fn held(&self) -> usize {
        let sent = |sent: &SentDatagram| 1 + sent.views.len() + sent.results.len() + sent.bursts.len();
        self.sent.open().map(|(_, held)| sent(held)).sum::<usize>()
            + self.own_ticks.iter().map(|own| 1 + own.controllers.len()).sum::<usize>()
    }

    /// Adds a sample of the round trip.
    pub(in crate::server) fn add_round_trip(&mut self, now: Time, sample: Span) {
        self.round_trip = Some(smooth(self.round_trip, sample));
        self.best_round_trip.add(now, sample);
    }

    /// The tick at which the client saw others when it sent a datagram that arrived now: the newest acknowledged
    /// one, but no older than the best round trip allows (§13.7, 3). A client that withholds acknowledgements
    /// gains nothing.
    pub(in crate::server) fn seen_tick(&self, now: Tick, length: TickLength, interval: u32) -> Tick {
        self.acked_tick.max(self.oldest_seen(now, length, interval))
    }

    /// The oldest tick that a client can have seen when it sent a datagram that arrived now, by its best round trip.
    pub(in crate::server) fn oldest_seen(&self, now: Tick, length: TickLength, interval: u32) -> Tick {
        let tick = length.span().micros().max(1);
        // Half as much again for jitter, the interval of updates, and two ticks on either side that wait for
        // the next step.
        let allowed = self.best_round_trip.span().map_or(0, |best| best.micros() * 3 / 2 / tick);
        let allowed = u32::try_from(allowed).unwrap_or(u32::MAX).saturating_add(interval).saturating_add(2);
        now.before(allowed)
    }

    /// The tick that deltas may refer to; `None` if the client acknowledged nothing recent enough.
    pub(in crate::server) fn base(&self, now: Tick) -> Option<Tick> {
        let is_recent = (1..BASELINE_TICKS as i64).contains(&now.since(self.acked_tick));
        (self.acked_tick > Tick(0) && is_recent).then_some(self.acked_tick)
    }

    /// Whether own state is sent once and repeated only after a loss; false for some ticks after a loss.
    pub(in crate::server) fn is_stable(&self, now: Tick) -> bool {
        now >= self.recovering_until
    }

    /// The tick that an own state builds upon: the newest with content. 0, for the acknowledged state, if
    /// that tick is acknowledged or own state is being repeated after a loss.
    pub(in crate::server) fn own_since(&self, now: Tick) -> Tick {
        if self.is_stable(now) && self.own_sent > self.own_acked { self.own_sent } else { Tick(0) }
    }

    /// Repeats own state until it is acknowledged, for [`RECOVERY_TICKS`] after the tick of a lost datagram.
    pub(super) fn begin_recovery(&mut self, lost: Tick) {
        self.recovering_until = self.recovering_until.max(lost.after(RECOVERY_TICKS));
    }

    /// Makes room for the own state of one more tick; true if an unfinished one was dropped and has to be
    /// sent again.
    pub(super) fn drop_oldest_own_tick(&mut self) -> bool {
        let is_full = self.own_ticks.len() >= MAX_OWN_TICKS;
        if is_full {
            self.own_ticks.pop_front();
        }
        is_full
    }

    /// Remembers of what the own state of a tick consists, until all its parts have arrived.
    pub(super) fn expect_own(
        &mut self,
        tick: Tick,
        since: Tick,
        parts: u8,
        controllers: SmallVec<[(ControllerId, Generation, Cursor); 1]>,
    ) {
        self.own_ticks.push_back(OwnTick { tick, since, parts, arrived: 0, controllers });
    }

    /// Forgets that own state after the acknowledged tick was sent, so that the next one builds upon the
    /// acknowledged state.
    pub(super) fn rewind_own(&mut self) {
        self.own_sent = self.own_acked;
    }

    /// Notes that a part of an own state arrived. A client keeps a tick of its own controllers only if all
    /// parts of it arrived, and the tick that it builds upon: only then it is acknowledged in `views`, with
    /// all ticks that it completes, and earlier ticks are forgotten. Does nothing for a tick that is not
    /// expected.
    pub(super) fn own_part_arrived(
        &mut self,
        views: &mut BTreeMap<ControllerId, ControllerView>,
        tick: Tick,
        part: u8,
    ) {
        let Some(own) = self.own_ticks.iter_mut().find(|own| own.tick == tick) else { return };
        own.arrived |= 1u64.checked_shl(part.into()).unwrap_or(0);
        let is_whole = |own: &OwnTick| own.arrived.count_ones() >= u32::from(own.parts);
        while let Some(at) =
            self.own_ticks.iter().position(|own| is_whole(own) && own.since <= self.own_acked)
        {
            let Some(own) = self.own_ticks.remove(at) else { return };
            for (controller, generation, reached) in &own.controllers {
                let view = views.get_mut(controller).filter(|view| view.generation() == *generation);
                if let Some(view) = view {
                    view.acknowledge(*reached);
                }
            }
            self.own_acked = self.own_acked.max(own.tick);
            self.own_ticks.retain(|later| later.tick > own.tick);
        }
    }
}
