//! Timing: interleaved rounds, so that a disturbance does not affect only one of the compared subjects, and
//! their medians. The clock is the processor time of this thread, so that other programs disturb little.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

use crate::allocator;

/// Effort of a measurement.
#[derive(Clone, Copy)]
pub(crate) struct Effort {
    pub(crate) rounds: usize,
    /// Approximate time of one subject per round.
    pub(crate) slice: Duration,
    /// Whether populations are small, for a smoke test.
    pub(crate) is_quick: bool,
}

impl Effort {
    pub(crate) const FULL: Self = Self { rounds: 9, slice: Duration::from_millis(40), is_quick: false };
    pub(crate) const QUICK: Self = Self { rounds: 3, slice: Duration::from_millis(2), is_quick: true };

    /// The full population, or a small one for a smoke test.
    pub(crate) fn population(&self, full: usize) -> usize {
        if self.is_quick { (full / 50).max(10) } else { full }
    }
}

/// A measured subject. Its preparation is not timed.
pub(crate) struct Subject<'a> {
    /// Operations of one call.
    operations: u64,
    /// Makes a number of calls and returns their duration.
    calls: Box<dyn FnMut(u64) -> Duration + 'a>,
}

impl<'a> Subject<'a> {
    /// A subject that does one operation a call and measures by itself.
    pub(crate) fn new(calls: impl FnMut(u64) -> Duration + 'a) -> Self {
        Self { operations: 1, calls: Box::new(calls) }
    }
}

/// A subject all of whose time counts.
pub(crate) fn subject<'a>(operation: impl FnMut() + 'a) -> Subject<'a> {
    many(1, operation)
}

/// A subject all of whose time counts, and that does several operations a call.
pub(crate) fn many<'a>(operations: usize, mut call: impl FnMut() + 'a) -> Subject<'a> {
    let calls = move |count| timed(|| (0..count).for_each(|_| call()));
    Subject { operations: operations.max(1) as u64, calls: Box::new(calls) }
}

/// A subject timed with the wall clock, because it waits for other threads or processes.
pub(crate) fn wall_clock<'a>(mut operation: impl FnMut() + 'a) -> Subject<'a> {
    Subject::new(move |count| {
        let start = Instant::now();
        (0..count).for_each(|_| operation());
        start.elapsed()
    })
}

/// A subject that does several operations per call and returns their duration, without its preparation.
pub(crate) fn bulk<'a>(operations: usize, mut call: impl FnMut() -> Duration + 'a) -> Subject<'a> {
    let calls = move |count| (0..count).map(|_| call()).sum();
    Subject { operations: operations.max(1) as u64, calls: Box::new(calls) }
}

/// Duration of a call. Reading the clock costs about 0.3 µs.
pub(crate) fn timed(run: impl FnOnce()) -> Duration {
    let start = processor_time();
    run();
    processor_time() - start
}

fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.cast_unsigned(), u32::try_from(time.tv_nsec).unwrap_or_default())
}

/// Nanoseconds for one operation: the median of the rounds, and the middle half of them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Timing {
    pub(crate) median: f64,
    low: f64,
    high: f64,
    /// Allocations per operation.
    pub(crate) allocations: f64,
}

impl Timing {
    fn of(mut rounds: Vec<f64>, allocations: f64) -> Self {
        rounds.sort_by(f64::total_cmp);
        let at = |share: usize| rounds[(rounds.len() - 1) * share / 4];
        Self { median: at(2), low: at(1), high: at(3), allocations }
    }

    /// Timing of ticks that differ from each other: uses their mean.
    pub(crate) fn mean(ticks: &[Duration]) -> Self {
        let mean = ticks.iter().sum::<Duration>().as_nanos() as f64 / ticks.len().max(1) as f64;
        Self::of(vec![mean], 0.0)
    }

    /// Width of the middle half as a share of the median.
    pub(crate) fn spread(&self) -> f64 {
        (self.high - self.low) / self.median.max(f64::MIN_POSITIVE)
    }
}

/// Times of several subjects, measured in turn.
pub(crate) fn compare<const N: usize>(effort: Effort, subjects: [Subject; N]) -> [Timing; N] {
    let timings = compare_all(effort, subjects.into());
    core::array::from_fn(|at| timings[at])
}

/// Times of several subjects, measured in turn.
pub(crate) fn compare_all(effort: Effort, subjects: Vec<Subject>) -> Vec<Timing> {
    let mut runs: Vec<Run> = subjects.into_iter().map(|subject| Run::new(effort, subject)).collect();
    for _ in 0..effort.rounds {
        for run in &mut runs {
            let before = allocator::allocations();
            let spent = (run.subject.calls)(run.count);
            // A final growth of memory is not the steady state; allocations of every round are.
            run.fewest = run.fewest.min(allocator::allocations() - before);
            run.rounds.push(spent.as_nanos() as f64 / run.operations());
        }
    }
    let timing = |run: Run| {
        let allocations = run.fewest as f64 / run.operations();
        Timing::of(run.rounds, allocations)
    };
    runs.into_iter().map(timing).collect()
}

/// A subject while it is measured.
struct Run<'a> {
    subject: Subject<'a>,
    /// Calls in a round.
    count: u64,
    rounds: Vec<f64>,
    fewest: u64,
}

impl<'a> Run<'a> {
    fn new(effort: Effort, mut subject: Subject<'a>) -> Self {
        let count = calibrate(effort, &mut subject);
        Self { subject, count, rounds: Vec::with_capacity(effort.rounds), fewest: u64::MAX }
    }

    /// Operations in a round.
    fn operations(&self) -> f64 {
        (self.count * self.subject.operations) as f64
    }
}

/// One subject alone.
pub(crate) fn alone(effort: Effort, subject: Subject) -> Timing {
    let [timing] = compare(effort, [subject]);
    timing
}

/// Maximum ratio of untimed to timed work before a round is shortened.
const PATIENCE: u32 = 8;

/// Number of calls that fill a slice. Untimed work takes time too, so the wall clock limits it as well.
fn calibrate(effort: Effort, subject: &mut Subject) -> u64 {
    let mut count = 1;
    loop {
        let start = Instant::now();
        let spent = (subject.calls)(count);
        let wall = start.elapsed();
        if spent >= effort.slice / 4 || wall >= effort.slice * PATIENCE {
            let share = effort.slice.as_secs_f64() / spent.max(wall / PATIENCE).as_secs_f64().max(1e-9);
            return ((count as f64 * share) as u64).max(1);
        }
        count *= 2;
    }
}
