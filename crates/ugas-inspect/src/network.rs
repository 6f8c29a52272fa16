//! What a host tells of its network: its clients, now and over time.

use std::collections::VecDeque;

use serde_json::{Value, json};

/// Seconds between two samples of a client.
const PAUSE: f64 = 0.1;

/// Most samples of a client: two minutes.
const MOST_SAMPLES: usize = 1_200;

/// Most clients that are told of; a page has no room for more.
const MOST_CLIENTS: usize = 64;

/// One client, as the host knows it now. Numbers that count do so from the beginning.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ClientReport {
    /// What it is called; its samples go by this.
    pub name: String,
    /// What it plays, in words.
    pub plays: String,
    /// Milliseconds to the client and back, if known.
    pub round_trip: Option<f64>,
    /// Ticks that it shows ahead of the server, if known.
    pub ahead: Option<i64>,
    /// Bytes that went to it.
    pub received_bytes: u64,
    /// Bytes that came from it.
    pub sent_bytes: u64,
    /// Commands that were carried out.
    pub confirmed: u64,
    /// Commands that were rejected.
    pub rejected: u64,
    /// Predictions that were corrected.
    pub corrected: u64,
    /// Why commands were rejected, and how often.
    pub rejections: Vec<(String, u64)>,
}

/// A client at a moment of the past.
#[derive(Clone, Copy, Debug)]
struct Sample {
    time: f64,
    round_trip: Option<f64>,
    received_bytes: u64,
    rejected: u64,
    corrected: u64,
}

#[derive(Debug)]
struct Track {
    report: ClientReport,
    samples: VecDeque<Sample>,
}

/// The clients of a host, and what they were like.
#[derive(Debug, Default)]
pub(crate) struct Network {
    tracks: Vec<Track>,
}

impl Network {
    /// Takes what the host tells; clients that are not named any more are forgotten.
    pub(crate) fn take(&mut self, time: f64, reports: impl IntoIterator<Item = ClientReport>) {
        let mut known = core::mem::take(&mut self.tracks);
        for report in reports.into_iter().take(MOST_CLIENTS) {
            let before = known.iter().position(|track| track.report.name == report.name);
            let samples = before.map(|at| known.swap_remove(at).samples).unwrap_or_default();
            let mut track = Track { report, samples };
            track.sample(time);
            self.tracks.push(track);
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.tracks.len()
    }

    /// What is told to the page, up to a time.
    pub(crate) fn to_json(&self, until: f64) -> Value {
        json!({ "clients": self.tracks.iter().map(|track| track.to_json(until)).collect::<Vec<_>>() })
    }
}

impl Track {
    fn sample(&mut self, time: f64) {
        // A game that was set back has another past now.
        while self.samples.back().is_some_and(|last| last.time > time) {
            self.samples.pop_back();
        }
        if self.samples.back().is_some_and(|last| time - last.time < PAUSE) {
            return;
        }
        if self.samples.len() >= MOST_SAMPLES {
            self.samples.pop_front();
        }
        let ClientReport { round_trip, received_bytes, rejected, corrected, .. } = self.report;
        self.samples.push_back(Sample { time, round_trip, received_bytes, rejected, corrected });
    }

    fn to_json(&self, until: f64) -> Value {
        let report = &self.report;
        let samples = self.samples.iter().filter(|sample| sample.time <= until);
        let samples = samples.map(|sample| {
            json!([sample.time, sample.round_trip, sample.received_bytes, sample.rejected, sample.corrected])
        });
        let rejections = report.rejections.iter();
        let rejections = rejections.map(|(reason, count)| json!({ "reason": reason, "count": count }));
        json!({
            "name": report.name,
            "plays": report.plays,
            "roundTripMilliseconds": report.round_trip,
            "aheadTicks": report.ahead,
            "receivedBytes": report.received_bytes,
            "sentBytes": report.sent_bytes,
            "confirmed": report.confirmed,
            "rejected": report.rejected,
            "corrected": report.corrected,
            "rejections": rejections.collect::<Vec<_>>(),
            "samples": samples.collect::<Vec<_>>(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(name: &str, corrected: u64) -> ClientReport {
        ClientReport { name: name.to_owned(), corrected, round_trip: Some(80.0), ..ClientReport::default() }
    }

    #[test]
    fn samples_are_kept_at_a_pace_and_up_to_a_limit() {
        let mut network = Network::default();
        for tick in 0..20_000u32 {
            network.take(f64::from(tick) / 60.0, [report("one", u64::from(tick))]);
        }
        let shown = network.to_json(f64::INFINITY);
        let samples = shown["clients"][0]["samples"].as_array().unwrap();
        assert_eq!(samples.len(), MOST_SAMPLES);
        let times: Vec<f64> = samples.iter().map(|sample| sample[0].as_f64().unwrap()).collect();
        assert!(times.windows(2).all(|pair| pair[1] - pair[0] >= PAUSE));
        // The newest count is told although its sample is not due yet.
        assert_eq!(shown["clients"][0]["corrected"], json!(19_999));
    }

    #[test]
    fn clients_go_by_their_names() {
        let mut network = Network::default();
        network.take(0.0, [report("one", 1), report("two", 2)]);
        network.take(1.0, [report("two", 3)]);
        let shown = network.to_json(0.5);
        assert_eq!(network.len(), 1);
        assert_eq!(shown["clients"][0]["name"], "two");
        assert_eq!(shown["clients"][0]["samples"], json!([[0.0, 80.0, 0, 0, 2]]));
        network.take(0.2, [report("two", 4)]);
        assert_eq!(network.to_json(9.0)["clients"][0]["samples"][1], json!([0.2, 80.0, 0, 0, 4]));
    }
}
