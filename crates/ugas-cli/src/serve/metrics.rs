//! Metrics of a server: counted by the loop, published as a whole, and encoded by the thread of `--ops`.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;

/// Upper bounds of the buckets of tick times, in seconds. A tick of 60 a second has 16.7 ms.
const TICK_BUCKETS: [f64; 12] =
    [0.000_1, 0.000_25, 0.000_5, 0.001, 0.002, 0.004, 0.008, 0.012, 0.016, 0.033, 0.1, 0.5];

/// Times of ticks, as a histogram.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct TickTimes {
    /// Ticks in each bucket, and beyond the last.
    buckets: [u64; TICK_BUCKETS.len() + 1],
    sum: Duration,
}

impl TickTimes {
    /// Counts the time of a tick.
    pub(super) fn observe(&mut self, time: Duration) {
        let seconds = time.as_secs_f64();
        let at = TICK_BUCKETS.iter().position(|bound| seconds <= *bound).unwrap_or(TICK_BUCKETS.len());
        self.buckets[at] += 1;
        self.sum += time;
    }

    /// The number of ticks.
    pub(super) fn count(&self) -> u64 {
        self.buckets.iter().sum()
    }
}

/// Counts of a server at one moment.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Snapshot {
    pub(super) ticks: TickTimes,
    /// Values by the name of their metric, without labels.
    pub(super) totals: BTreeMap<&'static str, u64>,
    pub(super) gauges: BTreeMap<&'static str, f64>,
    /// Totals by the name of their metric and the value of its label.
    pub(super) families: BTreeMap<&'static str, BTreeMap<String, u64>>,
}

/// Name, label and meaning of every metric.
struct Description {
    name: &'static str,
    /// Name of its label; empty if it has none.
    label: &'static str,
    help: &'static str,
}

const fn describe(name: &'static str, label: &'static str, help: &'static str) -> Description {
    Description { name, label, help }
}

/// Counters, whose names get the suffix `_total`.
const TOTALS: &[Description] = &[
    describe("ugas_ticks_lost", "", "Ticks that were skipped because the machine was too slow"),
    describe("ugas_received_bytes", "", "Bytes received, without UDP and IP headers"),
    describe("ugas_sent_bytes", "", "Bytes sent, without UDP and IP headers"),
    describe("ugas_received_datagrams", "", "Authentic datagrams received from clients"),
    describe("ugas_sent_datagrams", "", "Datagrams sent to clients"),
    describe(
        "ugas_kernel_drops",
        "",
        "Datagrams that the system dropped because the receive buffer was full",
    ),
    describe("ugas_cookies", "", "Cookies sent because requests were over their limits"),
    describe("ugas_handshakes_abandoned", "", "Handshakes that clients did not complete in time"),
    describe("ugas_connections_opened", "", "Connections established"),
    describe("ugas_joins", "", "Players that joined"),
    describe("ugas_sessions_interrupted", "", "Sessions kept after a lost connection"),
    describe("ugas_sessions_resumed", "", "Sessions that players resumed over another connection"),
    describe("ugas_sessions_expired", "", "Kept sessions that nobody resumed in time"),
    describe("ugas_log_lines_lost", "", "Lines of the log that could not be written"),
    describe("ugas_reloads", "", "Reloads of the configuration"),
];

/// Counters with a label.
const FAMILIES: &[Description] = &[
    describe("ugas_dropped_datagrams", "reason", "Received datagrams that were dropped"),
    describe("ugas_refusals", "reason", "Connection requests and join requests that were refused"),
    describe(
        "ugas_commands",
        "outcome",
        "Commands of players by outcome: run, or the reason of the rejection",
    ),
    describe("ugas_leaves", "reason", "Players that left, by reason"),
    describe("ugas_kicks", "reason", "Clients that the server disconnected, by reason"),
];

/// Gauges.
const GAUGES: &[Description] = &[
    describe("ugas_players", "", "Players"),
    describe("ugas_interrupted_sessions", "", "Players without a connection, whose place is kept"),
    describe("ugas_connections", "", "Connected clients, also those that have not joined"),
    describe("ugas_handshakes", "", "Handshakes that are not completed"),
    describe("ugas_max_clients", "", "Maximum number of players"),
    describe("ugas_rejected_ratio", "", "Share of commands that were rejected in the last 10 seconds"),
    describe("ugas_draining", "", "1 while the server lets nobody in because it is about to stop"),
    describe("ugas_uptime_seconds", "", "Seconds since the start"),
    describe("process_resident_memory_bytes", "", "Memory of the process"),
];

/// The newest snapshot. Neither side waits for the other.
#[derive(Clone, Default)]
pub(super) struct Published(Arc<Mutex<Arc<Snapshot>>>);

impl Published {
    /// Publishes a snapshot; skipped if the other side takes one at this moment.
    pub(super) fn publish(&self, snapshot: Snapshot) {
        if let Ok(mut newest) = self.0.try_lock() {
            *newest = Arc::new(snapshot);
        }
    }

    /// The newest snapshot.
    pub(super) fn newest(&self) -> Arc<Snapshot> {
        Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl fmt::Debug for Published {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Published")
    }
}

impl Collector for Snapshot {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let mut counts = 0;
        let buckets = TICK_BUCKETS.iter().copied().chain([f64::INFINITY]).zip(self.ticks.buckets);
        // The encoder adds up the buckets itself.
        let buckets: Vec<(f64, u64)> = buckets.inspect(|(_, count)| counts += count).collect();
        let help = "Time that ticks took";
        let mut metric = encoder.encode_descriptor("ugas_tick_seconds", help, None, MetricType::Histogram)?;
        metric.encode_histogram::<NoLabelSet>(self.ticks.sum.as_secs_f64(), counts, &buckets, None)?;
        for Description { name, help, .. } in TOTALS {
            let value = self.totals.get(name).copied().unwrap_or(0);
            let mut metric = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
            metric.encode_counter::<NoLabelSet, _, u64>(&value, None)?;
        }
        for Description { name, label, help } in FAMILIES {
            let mut metric = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
            for (value, count) in self.families.get(name).into_iter().flatten() {
                let labels = [(*label, value.as_str())];
                metric.encode_family(&labels)?.encode_counter::<NoLabelSet, _, u64>(count, None)?;
            }
        }
        for Description { name, help, .. } in GAUGES {
            let value = self.gauges.get(name).copied().unwrap_or(0.0);
            let mut metric = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
            metric.encode_gauge(&value)?;
        }
        Ok(())
    }
}

/// Names of all metrics, for checks.
#[cfg(test)]
fn names() -> impl Iterator<Item = &'static str> {
    TOTALS.iter().chain(FAMILIES).chain(GAUGES).map(|description| description.name)
}

#[cfg(test)]
mod tests {
    use prometheus_client::encoding::text::encode;
    use prometheus_client::registry::Registry;

    use super::*;

    #[test]
    fn snapshot_is_encoded_as_open_metrics() {
        let mut snapshot = Snapshot::default();
        snapshot.ticks.observe(Duration::from_millis(1));
        snapshot.ticks.observe(Duration::from_millis(3));
        snapshot.ticks.observe(Duration::from_secs(2));
        snapshot.totals.insert("ugas_joins", 3);
        snapshot.gauges.insert("ugas_players", 2.0);
        snapshot.families.entry("ugas_refusals").or_default().insert("Full".to_owned(), 7);
        let mut registry = Registry::default();
        registry.register_collector(Box::new(snapshot));
        let mut text = String::new();
        encode(&mut text, &registry).unwrap();
        for line in [
            "ugas_tick_seconds_count 3",
            "ugas_tick_seconds_bucket{le=\"0.001\"} 1",
            "ugas_tick_seconds_bucket{le=\"0.004\"} 2",
            "ugas_tick_seconds_bucket{le=\"0.5\"} 2",
            "ugas_tick_seconds_bucket{le=\"+Inf\"} 3",
            "ugas_joins_total 3",
            "ugas_players 2.0",
            "ugas_refusals_total{reason=\"Full\"} 7",
            "# EOF",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} is missing in:\n{text}");
        }
        for name in names() {
            assert!(text.contains(&format!("# HELP {name} ")), "{name}");
        }
    }

    #[test]
    fn publishing_never_waits_for_a_reader() {
        let published = Published::default();
        let newest = Arc::clone(&published.0);
        let guard = newest.lock().unwrap();
        published.publish(Snapshot::default());
        drop(guard);
        let snapshot = Snapshot { totals: [("ugas_joins", 1)].into(), ..Snapshot::default() };
        published.publish(snapshot.clone());
        assert_eq!(*published.newest(), snapshot);
    }
}
