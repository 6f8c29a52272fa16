//! Header compression: what update headers leave out because the client knows it.

use ugas_core::time::Span;

use crate::message::{AckReport, PacketId, StreamParams};
use crate::packets::SentPackets;
use crate::tick::{Tick, TickLength};
use crate::wire::MAX_UNACKED;

/// Spare slots in the stream parameters, so that not every new controller changes them.
const SPARE_SLOTS: u32 = 16;
/// Interval of ack reports while nothing is urgent and nothing got lost. Reports are also sent if no new
/// datagram came: from them the client knows which of its commands will not run.
const ACK_REPORT_INTERVAL: Span = Span::millis(100);
/// Change of the margin, in ticks, from which on a report is urgent.
const URGENT_MARGIN: i16 = 2;

/// Stream parameters in use, and the ack reports that were sent.
#[derive(Debug, Default)]
pub(super) struct HeaderState {
    stream: StreamParams,
    /// The first datagram with these parameters, and its tick; `None` before the first update.
    stream_start: Option<(PacketId, Tick)>,
    /// The tick of the last ack report, and the report.
    last_report: Option<(Tick, AckReport)>,
    /// The newest client packet whose ack report the client is known to have received.
    newest_reported: PacketId,
    /// Whether the client sent frames, which it repeats until they are acknowledged.
    pub(super) report_requested: bool,
}

impl HeaderState {
    /// Stream parameters of the next datagram, and whether it has to state them: until they are
    /// acknowledged, and after [`MAX_UNACKED`] datagrams without an acknowledgement. Datagrams are sent
    /// every `step` ticks, and controllers that are addressed by slot are below `slots`; parameters that do
    /// not fit that any more are replaced.
    pub(super) fn stream<T>(
        &mut self,
        sent: &SentPackets<T>,
        tick: Tick,
        step: u32,
        slots: u32,
    ) -> (StreamParams, bool) {
        let packet = sent.next_id();
        let is_on_schedule = self.stream_start.is_some_and(|(first, stream_start)| {
            let ahead = u64::from(packet.0 - first.0) * u64::from(self.stream.step);
            u64::from(stream_start.0) + ahead == u64::from(tick.0)
        });
        let is_roomy = (slots..=2 * slots + 2 * SPARE_SLOTS).contains(&self.stream.slots);
        if !is_on_schedule || !is_roomy {
            self.stream = StreamParams { step: step.max(1), slots: slots.next_multiple_of(SPARE_SLOTS) };
            self.stream_start = Some((packet, tick));
        }
        let acked = sent.newest_acked();
        let is_known = self.stream_start.is_some_and(|(first, _)| acked >= first);
        (self.stream, !is_known || packet.0.saturating_sub(acked.0) > MAX_UNACKED)
    }

    /// Notes that the client received the ack report which names this packet, before anything that was sent
    /// later.
    pub(super) fn on_report_received(&mut self, named: PacketId) {
        self.newest_reported = self.newest_reported.max(named);
    }

    /// Whether eight bits do not identify the packet that an ack report names, so that full numbers have to
    /// be sent; false without a report.
    pub(super) fn needs_full_number(&self, ack_report: Option<AckReport>) -> bool {
        ack_report.is_some_and(|ack_report| {
            ack_report.ack.newest.0.saturating_sub(self.newest_reported.0) > u8::MAX.into()
        })
    }

    /// The ack report to send now, remembered as sent; `None` if none is due or the client has sent nothing
    /// yet. `stable` is the tick length if no datagram got lost lately; otherwise a report is sent every
    /// tick.
    pub(super) fn take_ack_report(
        &mut self,
        tick: Tick,
        stable: Option<TickLength>,
        ack_report: AckReport,
    ) -> Option<AckReport> {
        let AckReport { ack, margin } = ack_report;
        let interval = stable.map_or(1, |length| length.ticks_in(ACK_REPORT_INTERVAL));
        let is_due = self.last_report.is_none_or(|(at, last_report)| {
            let is_old = tick.since(at) >= i64::from(interval);
            let is_urgent = margin.abs_diff(last_report.margin) >= URGENT_MARGIN.unsigned_abs() || margin < 1;
            is_old || last_report != ack_report && (is_urgent || self.report_requested)
        });
        if !is_due || ack.newest == PacketId(0) {
            return None;
        }
        self.last_report = Some((tick, ack_report));
        self.report_requested = false;
        Some(ack_report)
    }
}

#[cfg(test)]
mod tests {
    use ugas_core::time::Time;

    use super::*;
    use crate::message::Ack;

    /// Sends a datagram in each of these ticks; whether each states its stream parameters.
    fn stated(header: &mut HeaderState, sent: &mut SentPackets<()>, ticks: &[u32], slots: u32) -> Vec<bool> {
        let mut stated = Vec::new();
        for tick in ticks {
            stated.push(header.stream(sent, Tick(*tick), 1, slots).1);
            sent.send(Time::ZERO, ());
        }
        stated
    }

    fn acknowledge(sent: &mut SentPackets<()>, newest: u32) {
        let ack = Ack { newest: PacketId(newest), earlier: 0 };
        sent.on_ack(Time::ZERO, ack, |_, _, ()| {}).unwrap();
    }

    #[test]
    fn stream_params_are_stated_until_acknowledged() {
        let (mut header, mut sent) = (HeaderState::default(), SentPackets::new(64));
        assert_eq!(stated(&mut header, &mut sent, &[100, 101, 102], 20), [true; 3]); // packets 1 to 3
        acknowledge(&mut sent, 2);
        assert_eq!(stated(&mut header, &mut sent, &[103, 104], 20), [false; 2]); // 4 and 5
        // A tick without a datagram: the parameters change, and packet 5 does not acknowledge the new ones.
        assert_eq!(stated(&mut header, &mut sent, &[106], 20), [true]);
        acknowledge(&mut sent, 5);
        assert_eq!(stated(&mut header, &mut sent, &[107], 20), [true]);
        acknowledge(&mut sent, 6);
        assert_eq!(stated(&mut header, &mut sent, &[108], 20), [false]);
        // There is room for 32 slots, and then not.
        assert_eq!(stated(&mut header, &mut sent, &[109], 32), [false]);
        assert_eq!(stated(&mut header, &mut sent, &[110], 33), [true]);
        assert_eq!(header.stream, StreamParams { step: 1, slots: 48 });
    }

    #[test]
    fn stream_params_are_stated_again_without_acknowledgements() {
        let (mut header, mut sent) = (HeaderState::default(), SentPackets::new(64));
        stated(&mut header, &mut sent, &[100], 0);
        acknowledge(&mut sent, 1);
        let ticks: Vec<u32> = (101..140).collect();
        let stated = stated(&mut header, &mut sent, &ticks, 0);
        // Packets 2 to 33 are at most 32 after the last that came.
        assert_eq!(stated.iter().position(|stated| *stated), Some(32));
    }

    /// No client datagram comes for a while: the next report must not be taken for an earlier one.
    #[test]
    fn ack_report_far_from_the_last_received_one_needs_its_full_number() {
        let mut header = HeaderState::default();
        let ack_report =
            |newest| Some(AckReport { ack: Ack { newest: PacketId(newest), earlier: 0 }, margin: 1 });
        header.on_report_received(PacketId(100));
        header.on_report_received(PacketId(90));
        assert_eq!(
            [None, ack_report(355), ack_report(356)].map(|ack_report| header.needs_full_number(ack_report)),
            [false, false, true]
        );
    }

    #[test]
    fn ack_reports_are_rare_unless_urgent() {
        let mut header = HeaderState::default();
        let ack_report =
            |newest, margin| AckReport { ack: Ack { newest: PacketId(newest), earlier: 0 }, margin };
        let stable = Some(TickLength::hertz(50)); // 100 ms are five ticks
        assert_eq!(header.take_ack_report(Tick(9), stable, ack_report(0, 0)), None); // nothing came
        assert!(header.take_ack_report(Tick(10), stable, ack_report(1, 3)).is_some());
        assert_eq!(header.take_ack_report(Tick(11), stable, ack_report(2, 2)), None);
        assert!(header.take_ack_report(Tick(12), stable, ack_report(3, 1)).is_some()); // two less than the last report
        assert_eq!(header.take_ack_report(Tick(13), stable, ack_report(4, 1)), None);
        header.report_requested = true;
        assert!(header.take_ack_report(Tick(14), stable, ack_report(5, 1)).is_some());
        assert_eq!(header.take_ack_report(Tick(18), stable, ack_report(6, 1)), None);
        assert!(header.take_ack_report(Tick(19), stable, ack_report(5, 1)).is_some()); // also if nothing is new
        assert!(header.take_ack_report(Tick(20), None, ack_report(5, 1)).is_some()); // after a loss
    }
}
