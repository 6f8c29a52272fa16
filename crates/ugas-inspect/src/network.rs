//! The request `network`: the clients of a host, now and over time.

use std::collections::VecDeque;

use serde_json::{Value, json};
use ugas_core::time::Time;

use crate::report::{ClientReport, Correction};

/// Minimum seconds between two samples of a client.
const SAMPLE_INTERVAL: f64 = 0.1;

/// Maximum number of samples of a client: two minutes.
const MAX_SAMPLES: usize = 1_200;

/// Maximum number of clients; the page has no room for more.
const MAX_CLIENTS: usize = 64;

/// Maximum number of kept corrections of a client.
const MAX_CORRECTIONS: usize = 500;
/// Maximum number of corrections of a client in one answer.
const MAX_SENT_CORRECTIONS: usize = 100;

/// Maximum number of differences of a correction, and of traffic classes of a client, in one answer.
const MAX_PARTS: usize = 32;

/// A sample of a client's statistics; `time` in seconds of the game, `round_trip` in milliseconds.
#[derive(Clone, Copy, Debug)]
struct Sample {
    time: f64,
    round_trip: Option<f64>,
    received_bytes: u64,
    rejected: u64,
    corrected: Option<u64>,
}

#[derive(Debug)]
struct ClientHistory {
    /// The last report, without its corrections.
    report: ClientReport,
    samples: VecDeque<Sample>,
    corrections: VecDeque<Correction>,
}

/// The clients of a host and their history.
#[derive(Debug, Default)]
pub(crate) struct Network {
    histories: Vec<ClientHistory>,
}

impl Network {
    /// Records the host's reports. Clients without a report are removed.
    pub(crate) fn record(&mut self, time: Time, reports: impl IntoIterator<Item = ClientReport>) {
        let mut known = core::mem::take(&mut self.histories);
        for mut report in reports.into_iter().take(MAX_CLIENTS) {
            let before = known.iter().position(|history| history.report.name == report.name);
            let before = before.map(|at| known.swap_remove(at));
            let (samples, corrections) =
                before.map(|history| (history.samples, history.corrections)).unwrap_or_default();
            let new = core::mem::take(&mut report.corrections);
            let mut history = ClientHistory { report, samples, corrections };
            history.sample(time.as_seconds());
            history.correct(time, new);
            self.histories.push(history);
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.histories.len()
    }

    /// The clients as JSON for the page: history up to a time in seconds, counters of the last report.
    pub(crate) fn to_json(&self, until: f64) -> Value {
        json!({ "clients": self.histories.iter().map(|history| history.to_json(until)).collect::<Vec<_>>() })
    }
}

impl ClientHistory {
    /// Adds a sample of the last report, unless the previous one is too recent. Samples after `time` are
    /// dropped first: a restored game goes back.
    fn sample(&mut self, time: f64) {
        // A restored game continues from an earlier time: later samples are no longer its past.
        while self.samples.back().is_some_and(|last| last.time > time) {
            self.samples.pop_back();
        }
        if self.samples.back().is_some_and(|last| time - last.time < SAMPLE_INTERVAL) {
            return;
        }
        if self.samples.len() >= MAX_SAMPLES {
            self.samples.pop_front();
        }
        let ClientReport { round_trip, received_bytes, rejected, corrected, .. } = self.report;
        self.samples.push_back(Sample { time, round_trip, received_bytes, rejected, corrected });
    }

    /// Adds corrections, up to the limits; later ones than `now` are dropped first, as in [`Self::sample`].
    fn correct(&mut self, now: Time, mut new: Vec<Correction>) {
        while self.corrections.back().is_some_and(|last| last.time > now) {
            self.corrections.pop_back();
        }
        new.iter_mut().for_each(|correction| correction.differences.truncate(MAX_PARTS));
        self.corrections.extend(new);
        let excess = self.corrections.len().saturating_sub(MAX_CORRECTIONS);
        self.corrections.drain(..excess);
    }

    /// History up to a time, for the page; the counters are those of the last report.
    fn to_json(&self, until: f64) -> Value {
        let report = &self.report;
        let samples = self.samples.iter().filter(|sample| sample.time <= until);
        let samples = samples.map(|sample| {
            json!([sample.time, sample.round_trip, sample.received_bytes, sample.rejected, sample.corrected])
        });
        let rejections = report.rejections.iter();
        let rejections = rejections.map(|(reason, count)| json!({ "reason": reason, "count": count }));
        let classes = |classes: &[(String, u64)]| {
            let sent = classes.iter().take(MAX_PARTS);
            sent.map(|(class, bytes)| json!({ "class": class, "bytes": bytes })).collect::<Vec<_>>()
        };
        let corrections = self.corrections.iter().rev();
        let corrections = corrections.filter(|correction| correction.time.as_seconds() <= until);
        json!({
            "name": report.name,
            "plays": report.plays,
            "roundTripMilliseconds": report.round_trip,
            "aheadTicks": report.ahead,
            "receivedBytes": report.received_bytes,
            "sentBytes": report.sent_bytes,
            "receivedByClass": classes(&report.received_classes),
            "sentByClass": classes(&report.sent_classes),
            "confirmed": report.confirmed,
            "rejected": report.rejected,
            "corrected": report.corrected,
            "rejections": rejections.collect::<Vec<_>>(),
            "corrections": corrections.take(MAX_SENT_CORRECTIONS).map(Correction::to_json).collect::<Vec<_>>(),
            "samples": samples.collect::<Vec<_>>(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::CorrectionCause;

    fn report(name: &str, corrected: u64) -> ClientReport {
        ClientReport {
            name: name.to_owned(),
            corrected: Some(corrected),
            round_trip: Some(80.0),
            ..ClientReport::default()
        }
    }

    fn millis(millis: u64) -> Time {
        Time::from_micros(millis * 1_000)
    }

    fn correction(time: Time) -> Correction {
        Correction { time, cause: CorrectionCause::Mispredicted, differences: Vec::new() }
    }

    #[test]
    fn samples_have_a_minimum_interval_and_a_maximum_number() {
        let mut network = Network::default();
        for tick in 0..20_000u32 {
            network.record(millis(u64::from(tick) * 17), [report("one", u64::from(tick))]);
        }
        let shown = network.to_json(f64::INFINITY);
        let samples = shown["clients"][0]["samples"].as_array().unwrap();
        assert_eq!(samples.len(), MAX_SAMPLES);
        let times: Vec<f64> = samples.iter().map(|sample| sample[0].as_f64().unwrap()).collect();
        assert!(times.windows(2).all(|pair| pair[1] - pair[0] >= SAMPLE_INTERVAL));
        // The newest count is sent although its sample is not due yet.
        assert_eq!(shown["clients"][0]["corrected"], json!(19_999));
    }

    #[test]
    fn client_history_is_kept_by_name_and_removed_without_a_report() {
        let mut network = Network::default();
        network.record(Time::ZERO, [report("one", 1), report("two", 2)]);
        network.record(millis(1_000), [report("two", 3)]);
        let shown = network.to_json(0.5);
        assert_eq!(network.len(), 1);
        assert_eq!(shown["clients"][0]["name"], "two");
        assert_eq!(shown["clients"][0]["samples"], json!([[0.0, 80.0, 0, 0, 2]]));
        network.record(millis(200), [report("two", 4)]);
        assert_eq!(network.to_json(9.0)["clients"][0]["samples"][1], json!([0.2, 80.0, 0, 0, 4]));
    }

    #[test]
    fn corrections_are_limited_and_sent_up_to_a_time() {
        let mut network = Network::default();
        for second in 0..MAX_CORRECTIONS as u64 + 10 {
            let time = millis(second * 1_000);
            network.record(
                time,
                [ClientReport { corrections: vec![correction(time)], ..report("one", second) }],
            );
        }
        assert_eq!(network.histories[0].corrections.len(), MAX_CORRECTIONS);
        let sent = network.to_json(30.5)["clients"][0]["corrections"].clone();
        // The first ten were dropped, and the latest of the others comes first.
        let times: Vec<f64> =
            sent.as_array().unwrap().iter().map(|correction| correction["time"].as_f64().unwrap()).collect();
        assert_eq!(times, (10..=30).rev().map(f64::from).collect::<Vec<_>>());
        // A restored game drops what is later than its time.
        network.record(millis(15_000), [report("one", 0)]);
        let sent = network.to_json(f64::INFINITY)["clients"][0]["corrections"].clone();
        assert_eq!(sent[0]["time"], json!(15.0));
    }
}
