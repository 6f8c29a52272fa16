//! The past: moments that one can go back to.

use std::collections::VecDeque;
use std::io::{Read, Seek};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ugas_core::catalog::Catalog;
use ugas_core::simulation::{Config, Simulation, Snapshot};
use ugas_core::time::{Span, Time};
use ugas_replay::Player;

use crate::chronicle::Chronicle;

/// Moments between the ticks of a recording with long ticks.
const MOST_BETWEEN: usize = 2_000;

/// Most moments of a recording; longer ones are shown with some of their ticks left out.
const MOST_MOMENTS: u64 = 20_000;

/// Moments that follow each other, numbered from the first that there ever was.
pub(crate) trait Reel: Send {
    /// The number of the oldest that is kept.
    fn first(&self) -> u64;

    /// How many are kept.
    fn len(&self) -> u64;

    /// When it was.
    fn time(&self, moment: u64) -> Option<Time>;

    /// How long the tick before it took: in the game, or on this machine when the recording was gone through.
    fn work(&self, moment: u64) -> Option<Duration>;

    /// The simulation as it was then.
    fn go_to(&mut self, moment: u64) -> Result<&Simulation, String>;

    /// The simulation where one is.
    fn here(&self) -> Option<&Simulation>;
}

/// A moment of a game that runs.
struct Kept {
    time: Time,
    bytes: Vec<u8>,
    work: Option<Duration>,
}

/// The last moments of a game that runs, as bytes: a state of a thousand controllers is a few hundred kilobytes.
#[derive(Default)]
pub(crate) struct Window {
    first: u64,
    moments: VecDeque<Kept>,
    bytes: usize,
    viewer: Option<Simulation>,
    seen: Option<u64>,
    most_moments: usize,
    most_bytes: usize,
}

impl Window {
    pub(crate) fn new(most_moments: usize, most_bytes: usize) -> Self {
        Self { most_moments, most_bytes, ..Self::default() }
    }

    /// Adds a moment; the oldest go if there are too many. Rules that were reloaded begin a new past.
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
        self.moments.push_back(Kept { time: snapshot.time(), bytes, work });
        while self.moments.len() > 1
            && (self.moments.len() > self.most_moments || self.bytes > self.most_bytes)
        {
            let gone = self.moments.pop_front();
            self.bytes = self.bytes.saturating_sub(gone.map_or(0, |gone| gone.bytes.len()));
            self.first += 1;
        }
        // The newest is what most look at, and it is at hand.
        if let Some(viewer) = &mut self.viewer {
            let here = viewer.restore(snapshot).is_ok();
            self.seen = here.then(|| self.first + self.moments.len() as u64 - 1);
        }
    }

    fn kept(&self, moment: u64) -> Option<&Kept> {
        self.moments.get(usize::try_from(moment.checked_sub(self.first)?).ok()?)
    }
}

impl Reel for Window {
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

    fn go_to(&mut self, moment: u64) -> Result<&Simulation, String> {
        let at = moment.checked_sub(self.first).and_then(|at| usize::try_from(at).ok());
        let kept = at.and_then(|at| self.moments.get(at));
        let (Some(Kept { bytes, .. }), Some(viewer)) = (kept, &mut self.viewer) else {
            return Err(format!("moment {moment} is not kept"));
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

/// A moment of a recording.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// After so many ticks.
    Tick(u64),
    /// Inside a tick.
    Time,
}

/// All moments of a recording; each is simulated again when it is looked at.
pub(crate) struct Tape<R> {
    player: Player<R>,
    moments: Vec<(Time, Place)>,
    /// How long it took to get to each from the one before.
    work: Vec<Duration>,
    seen: Option<u64>,
}

impl<R: Read + Seek + Send> Tape<R> {
    pub(crate) fn new(player: Player<R>) -> Self {
        let moments = moments(&player);
        Self { player, moments, work: Vec::new(), seen: None }
    }

    /// Goes through all moments once, shows each, and notes what happened.
    pub(crate) fn tell(&mut self, mut show: impl FnMut(&Simulation, Duration)) -> Result<Chronicle, String> {
        let mut chronicle = Chronicle::default();
        let mut known = None;
        self.work.clear();
        for moment in 0..self.len() {
            let began = Instant::now();
            self.go_to(moment)?;
            let work = began.elapsed();
            self.work.push(work);
            let simulation = self.player.simulation();
            // A movement may begin at a key frame before what was told already.
            for event in
                self.player.events().iter().filter(|event| known.is_none_or(|known| event.sequence > known))
            {
                chronicle.push(simulation, moment, event);
            }
            known = self.player.events().last().map(|event| event.sequence).max(known);
            show(simulation, work);
        }
        Ok(chronicle)
    }
}

/// The ends of ticks, and times between them where a tick is long. The first has what the beginning led to.
fn moments<R: Read + Seek>(player: &Player<R>) -> Vec<(Time, Place)> {
    let recording = player.recording();
    let begin = player.simulation().now();
    let ticks = recording.ticks();
    let end = recording.time_after(ticks).unwrap_or(begin);
    let shortest = Span::seconds(0.05).micros().max(end.since(begin).micros() / MOST_BETWEEN as i64).max(1);
    let stride = ticks.div_ceil(MOST_MOMENTS).max(1);
    let mut moments = vec![(begin, Place::Time)];
    let mut last = begin;
    for tick in 1..=ticks {
        let Some(time) = recording.time_after(tick) else { break };
        let mut between = last + Span::from_micros(shortest);
        while between < time {
            moments.push((between, Place::Time));
            between += Span::from_micros(shortest);
        }
        last = time;
        if tick % stride == 0 || tick == ticks {
            moments.push((time, Place::Tick(tick)));
        }
    }
    moments
}

impl<R: Read + Seek + Send> Reel for Tape<R> {
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

    fn go_to(&mut self, moment: u64) -> Result<&Simulation, String> {
        let at = usize::try_from(moment).ok().and_then(|at| self.moments.get(at));
        let Some(&(time, place)) = at else { return Err(format!("there is no moment {moment}")) };
        if self.seen != Some(moment) {
            let moved = match place {
                Place::Tick(tick) => self.player.seek_tick(tick),
                Place::Time => self.player.seek_time(time),
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

    /// A window after ten moments, a second apart.
    fn window(moments: usize, bytes: impl Fn(usize) -> usize) -> Window {
        let catalog = Catalog::builder().build().unwrap();
        let mut simulation = Simulation::new(catalog, Config::default());
        let each = simulation.snapshot().to_bytes().len() + 8;
        let mut window = Window::new(moments, bytes(each));
        for _ in 0..10 {
            simulation.advance(Span::seconds(1.0));
            window.push(&simulation.snapshot(), simulation.config(), None);
        }
        window
    }

    #[test]
    fn the_oldest_moments_go_first() {
        let mut window = window(3, |_| usize::MAX);
        assert_eq!((window.first(), window.len()), (7, 3));
        assert!(window.go_to(6).is_err());
        // The eighth of the ten, which has the number 7.
        assert_eq!(window.go_to(7).unwrap().now(), Time::from_seconds(8.0));
        assert_eq!(window.go_to(9).unwrap().now(), Time::from_seconds(10.0));
    }

    #[test]
    fn bytes_are_bounded_and_the_newest_is_always_there() {
        let window = window(100, |each| 4 * each);
        assert!((2..=4).contains(&window.len()), "{}", window.len());
        assert!(window.bytes <= window.most_bytes);
        let mut least = self::window(100, |_| 0);
        assert_eq!((least.first(), least.len()), (9, 1));
        assert_eq!(least.go_to(9).unwrap().now(), Time::from_seconds(10.0));
    }
}
