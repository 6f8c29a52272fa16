//! Timelines: the moments of a game or a recording that the page can go back to.

use std::collections::VecDeque;
use std::io::{Read, Seek};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ugas_core::catalog::Catalog;
use ugas_core::simulation::{Config, Simulation, Snapshot};
use ugas_core::time::{Span, Time};
use ugas_replay::Player;

use crate::event_log::EventLog;

/// Maximum number of additional moments inside the long ticks of a recording.
const MAX_BETWEEN: usize = 2_000;

/// Maximum number of moments at ticks of a recording; longer recordings skip ticks evenly.
const MAX_MOMENTS: u64 = 20_000;

/// A sequence of moments, numbered from the first one ever added.
pub(crate) trait Timeline: Send {
    /// The number of the oldest kept moment.
    fn first(&self) -> u64;

    /// The number of kept moments.
    fn len(&self) -> u64;

    /// The game time of a moment; `None` if the timeline does not have it, or no longer.
    fn time(&self, moment: u64) -> Option<Time>;

    /// How long the tick before a moment took: in the game, or on this machine when the recording was
    /// indexed.
    fn work(&self, moment: u64) -> Option<Duration>;

    /// Goes to a moment and returns its simulation.
    fn go_to(&mut self, moment: u64) -> Result<&Simulation, String>;

    /// The simulation of the last visited moment.
    fn here(&self) -> Option<&Simulation>;
}

/// A moment of a running game.
struct KeptMoment {
    time: Time,
    /// The encoded snapshot.
    bytes: Vec<u8>,
    work: Option<Duration>,
}

/// The last moments of a running game, as encoded snapshots: a thousand controllers are a few hundred
/// kilobytes.
#[derive(Default)]
pub(crate) struct LiveTimeline {
    first: u64,
    moments: VecDeque<KeptMoment>,
    /// Total length of the encoded snapshots.
    bytes: usize,
    /// The simulation that moments are restored into.
    viewer: Option<Simulation>,
    /// The moment that `viewer` holds.
    seen: Option<u64>,
    max_moments: usize,
    max_bytes: usize,
}

impl LiveTimeline {
    /// Empty timeline that keeps at most so many moments and bytes; beyond either the oldest are dropped.
    pub(crate) fn new(max_moments: usize, max_bytes: usize) -> Self {
        Self { max_moments, max_bytes, ..Self::default() }
    }

    /// Adds a moment, and drops the oldest beyond the limits. Reloaded rules begin a new timeline.
    pub(crate) fn push(&mut self, snapshot: &Snapshot, config: &Config, work: Option<Duration>) {
        let same = |viewer: &Simulation| viewer.catalog().hash() == snapshot.catalog().hash();
        if !self.viewer.as_ref().is_some_and(same) {
            self.first += self.moments.len() as u64;
            self.moments.clear();
            self.bytes = 0;
            self.viewer = Some(Simulation::new(Arc::clone(snapshot.catalog()), config.clone()));
        }
        let bytes = snapshot.to_bytes();
        self.bytes += bytes.len();
        self.moments.push_back(KeptMoment { time: snapshot.time(), bytes, work });
        while self.moments.len() > 1 && (self.moments.len() > self.max_moments || self.bytes > self.max_bytes)
        {
            let gone = self.moments.pop_front();
            self.bytes = self.bytes.saturating_sub(gone.map_or(0, |gone| gone.bytes.len()));
            self.first += 1;
        }
        // The newest moment is requested most often, and its snapshot is at hand.
        if let Some(viewer) = &mut self.viewer {
            let here = viewer.restore(snapshot).is_ok();
            self.seen = here.then(|| self.first + self.moments.len() as u64 - 1);
        }
    }

    /// Moment that is still kept; `None` if it was dropped or has not come.
    fn kept(&self, moment: u64) -> Option<&KeptMoment> {
        self.moments.get(usize::try_from(moment.checked_sub(self.first)?).ok()?)
    }
}

impl Timeline for LiveTimeline {
    fn first(&self) -> u64 {
        self.first
    }

    fn len(&self) -> u64 {
        self.moments.len() as u64
    }

    fn time(&self, moment: u64) -> Option<Time> {
        self.kept(moment).map(|kept| kept.time)
    }

    fn work(&self, moment: u64) -> Option<Duration> {
        self.kept(moment)?.work
    }

    /// Restores the moment from its snapshot, unless it is the one that was seen last.
    fn go_to(&mut self, moment: u64) -> Result<&Simulation, String> {
        let at = moment.checked_sub(self.first).and_then(|at| usize::try_from(at).ok());
        let kept = at.and_then(|at| self.moments.get(at));
        let (Some(KeptMoment { bytes, .. }), Some(viewer)) = (kept, &mut self.viewer) else {
            return Err(format!("moment {moment} is not in the timeline"));
        };
        if self.seen != Some(moment) {
            let catalog: &Arc<Catalog> = viewer.catalog();
            let snapshot = Snapshot::from_bytes(bytes, catalog).map_err(|error| error.to_string())?;
            viewer.restore(&snapshot).map_err(|error| error.to_string())?;
            viewer.events().for_each(drop);
            self.seen = Some(moment);
        }
        Ok(viewer)
    }

    fn here(&self) -> Option<&Simulation> {
        self.viewer.as_ref()
    }
}

/// How the player finds a moment of a recording.
#[derive(Clone, Copy, Debug)]
enum SeekTarget {
    /// At the end of a tick.
    Tick(u64),
    /// At its time, inside a tick.
    Time,
}

/// The moments of a recording; each is simulated again when it is visited.
pub(crate) struct RecordedTimeline<R> {
    player: Player<R>,
    moments: Vec<(Time, SeekTarget)>,
    /// How long the player needed from the moment before to each moment.
    work: Vec<Duration>,
    /// The moment that the player is at.
    seen: Option<u64>,
}

impl<R: Read + Seek + Send> RecordedTimeline<R> {
    /// Timeline of a recording, whose moments are ends of its ticks, and times between them where ticks are
    /// long.
    pub(crate) fn new(player: Player<R>) -> Self {
        let moments = moments(&player);
        Self { player, moments, work: Vec::new(), seen: None }
    }

    /// Visits all moments once, passes each to `show`, and collects the events.
    pub(crate) fn collect_events(
        &mut self,
        mut show: impl FnMut(&Simulation, Duration),
    ) -> Result<EventLog, String> {
        let mut event_log = EventLog::default();
        let mut known = None;
        self.work.clear();
        for moment in 0..self.len() {
            let began = Instant::now();
            self.go_to(moment)?;
            let work = began.elapsed();
            self.work.push(work);
            let simulation = self.player.simulation();
            // Seeking may begin at an earlier key frame and repeat events.
            for event in
                self.player.events().iter().filter(|event| known.is_none_or(|known| event.sequence > known))
            {
                event_log.push(simulation, moment, event);
            }
            known = self.player.events().last().map(|event| event.sequence).max(known);
            show(simulation, work);
        }
        Ok(event_log)
    }
}

/// The beginning, the ends of ticks, and times between them where ticks are long.
fn moments<R: Read + Seek>(player: &Player<R>) -> Vec<(Time, SeekTarget)> {
    let recording = player.recording();
    let begin = player.simulation().now();
    let ticks = recording.ticks();
    let end = recording.time_after(ticks).unwrap_or(begin);
    let shortest = Span::seconds(0.05).micros().max(end.since(begin).micros() / MAX_BETWEEN as i64).max(1);
    let stride = ticks.div_ceil(MAX_MOMENTS).max(1);
    let mut moments = vec![(begin, SeekTarget::Time)];
    let mut last = begin;
    for tick in 1..=ticks {
        let Some(time) = recording.time_after(tick) else { break };
        let mut between = last + Span::from_micros(shortest);
        while between < time {
            moments.push((between, SeekTarget::Time));
            between += Span::from_micros(shortest);
        }
        last = time;
        if tick % stride == 0 || tick == ticks {
            moments.push((time, SeekTarget::Tick(tick)));
        }
    }
    moments
}

impl<R: Read + Seek + Send> Timeline for RecordedTimeline<R> {
    fn first(&self) -> u64 {
        0
    }

    fn len(&self) -> u64 {
        self.moments.len() as u64
    }

    fn time(&self, moment: u64) -> Option<Time> {
        self.moments.get(usize::try_from(moment).ok()?).map(|(time, _)| *time)
    }

    fn work(&self, moment: u64) -> Option<Duration> {
        self.work.get(usize::try_from(moment).ok()?).copied()
    }

    /// Plays the recording to the moment, unless it is the one that was seen last.
    fn go_to(&mut self, moment: u64) -> Result<&Simulation, String> {
        let at = usize::try_from(moment).ok().and_then(|at| self.moments.get(at));
        let Some(&(time, place)) = at else { return Err(format!("the recording has no moment {moment}")) };
        if self.seen != Some(moment) {
            let moved = match place {
                SeekTarget::Tick(tick) => self.player.seek_tick(tick),
                SeekTarget::Time => self.player.seek_time(time),
            };
            moved.map_err(|error| error.to_string())?;
            self.seen = Some(moment);
        }
        Ok(self.player.simulation())
    }

    fn here(&self) -> Option<&Simulation> {
        Some(self.player.simulation())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A timeline after ten moments, a second apart.
    fn timeline(moments: usize, bytes: impl Fn(usize) -> usize) -> LiveTimeline {
        let catalog = Catalog::builder().build().unwrap();
        let mut simulation = Simulation::new(catalog, Config::default());
        let each = simulation.snapshot().to_bytes().len() + 8;
        let mut timeline = LiveTimeline::new(moments, bytes(each));
        for _ in 0..10 {
            simulation.advance(Span::seconds(1.0));
            timeline.push(&simulation.snapshot(), simulation.config(), None);
        }
        timeline
    }

    #[test]
    fn oldest_moments_are_dropped_first() {
        let mut timeline = timeline(3, |_| usize::MAX);
        assert_eq!((timeline.first(), timeline.len()), (7, 3));
        assert!(timeline.go_to(6).is_err());
        // Moment 7 is the eighth of the ten.
        assert_eq!(timeline.go_to(7).unwrap().now(), Time::from_seconds(8.0));
        assert_eq!(timeline.go_to(9).unwrap().now(), Time::from_seconds(10.0));
    }

    #[test]
    fn bytes_are_limited_but_the_newest_moment_is_always_kept() {
        let timeline = timeline(100, |each| 4 * each);
        assert!((2..=4).contains(&timeline.len()), "{}", timeline.len());
        assert!(timeline.bytes <= timeline.max_bytes);
        let mut least = self::timeline(100, |_| 0);
        assert_eq!((least.first(), least.len()), (9, 1));
        assert_eq!(least.go_to(9).unwrap().now(), Time::from_seconds(10.0));
    }
}
