//! The clients of a host, now and over time.

use std::collections::VecDeque;

use serde_json::{Value, json};
use ugas_core::time::Time;

use crate::report::{ClientReport, Correction};

/// Seconds between two samples of a client.
const PAUSE: f64 = 0.1;

/// Most samples of a client: two minutes.
const MOST_SAMPLES: usize = 1_200;

/// Most clients that are told of; a page has no room for more.
const MOST_CLIENTS: usize = 64;

/// Most corrections of a client that are kept, and that one answer has.
const MOST_CORRECTIONS: usize = 500;
const MOST_TOLD: usize = 100;

/// Most differences and classes of a client in one answer.
const MOST_PARTS: usize = 32;

/// A client at a moment of the past.
#[derive(Clone, Copy, Debug)]
struct Sample {
    time: f64,
    round_trip: Option<f64>,
    received_bytes: u64,
    rejected: u64,
    corrected: Option<u64>,
}

#[derive(Debug)]
struct Track {
    /// Without its corrections, which are kept for longer.
    report: ClientReport,
    samples: VecDeque<Sample>,
    corrections: VecDeque<Correction>,
}

/// The clients of a host, and what they were like.
#[derive(Debug, Default)]
pub(crate) struct Network {
    tracks: Vec<Track>,
}

impl Network {
    /// Takes what the host tells; clients that are not named any more are forgotten.
    pub(crate) fn take(&mut self, time: Time, reports: impl IntoIterator<Item = ClientReport>) {
        let mut known = core::mem::take(&mut self.tracks);
        for mut report in reports.into_iter().take(MOST_CLIENTS) {
            let before = known.iter().position(|track| track.report.name == report.name);
            let before = before.map(|at| known.swap_remove(at));
            let (samples, corrections) =
                before.map(|track| (track.samples, track.corrections)).unwrap_or_default();
            let new = core::mem::take(&mut report.corrections);
            let mut track = Track { report, samples, corrections };
            track.sample(time.as_seconds());
            track.correct(time, new);
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

    fn correct(&mut self, now: Time, mut new: Vec<Correction>) {
        while self.corrections.back().is_some_and(|last| last.time > now) {
            self.corrections.pop_back();
        }
        new.iter_mut().for_each(|correction| correction.differences.truncate(MOST_PARTS));
        self.corrections.extend(new);
        let excess = self.corrections.len().saturating_sub(MOST_CORRECTIONS);
        self.corrections.drain(..excess);
    }

    fn to_json(&self, until: f64) -> Value {
        let report = &self.report;
        let samples = self.samples.iter().filter(|sample| sample.time <= until);
        let samples = samples.map(|sample| {
            json!([sample.time, sample.round_trip, sample.received_bytes, sample.rejected, sample.corrected])
        });
        let rejections = report.rejections.iter();
        let rejections = rejections.map(|(reason, count)| json!({ "reason": reason, "count": count }));
        let classes = |classes: &[(String, u64)]| {
            let told = classes.iter().take(MOST_PARTS);
            told.map(|(class, bytes)| json!({ "class": class, "bytes": bytes })).collect::<Vec<_>>()
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
            "corrections": corrections.take(MOST_TOLD).map(Correction::to_json).collect::<Vec<_>>(),
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
    fn samples_are_kept_at_a_pace_and_up_to_a_limit() {
        let mut network = Network::default();
        for tick in 0..20_000u32 {
            network.take(millis(u64::from(tick) * 17), [report("one", u64::from(tick))]);
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
        network.take(Time::ZERO, [report("one", 1), report("two", 2)]);
        network.take(millis(1_000), [report("two", 3)]);
        let shown = network.to_json(0.5);
        assert_eq!(network.len(), 1);
        assert_eq!(shown["clients"][0]["name"], "two");
        assert_eq!(shown["clients"][0]["samples"], json!([[0.0, 80.0, 0, 0, 2]]));
        network.take(millis(200), [report("two", 4)]);
        assert_eq!(network.to_json(9.0)["clients"][0]["samples"][1], json!([0.2, 80.0, 0, 0, 4]));
    }

    #[test]
    fn corrections_are_kept_until_they_are_too_many_and_told_up_to_a_moment() {
        let mut network = Network::default();
        for second in 0..MOST_CORRECTIONS as u64 + 10 {
            let time = millis(second * 1_000);
            network
                .take(time, [ClientReport { corrections: vec![correction(time)], ..report("one", second) }]);
        }
        assert_eq!(network.tracks[0].corrections.len(), MOST_CORRECTIONS);
        let told = network.to_json(30.5)["clients"][0]["corrections"].clone();
        // The first ten are gone, and the latest of the others comes first.
        let times: Vec<f64> =
            told.as_array().unwrap().iter().map(|told| told["time"].as_f64().unwrap()).collect();
        assert_eq!(times, (10..=30).rev().map(f64::from).collect::<Vec<_>>());
        // A game that was set back has another past.
        network.take(millis(15_000), [report("one", 0)]);
        let told = network.to_json(f64::INFINITY)["clients"][0]["corrections"].clone();
        assert_eq!(told[0]["time"], json!(15.0));
    }
}
