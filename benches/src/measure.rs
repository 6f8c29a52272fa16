//! Timing: interleaved rounds, so that a disturbance does not hit only one of those compared, and their medians. What
//! counts is the time that the processor spends on this thread, so that other programs disturb little.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

use crate::allocator;

/// How much time to spend.
#[derive(Clone, Copy)]
pub(crate) struct Effort {
    pub(crate) rounds: usize,
    /// How long one subject runs in one round, roughly.
    pub(crate) slice: Duration,
    /// Whether populations are cut down, because the answer only has to be an answer.
    pub(crate) is_quick: bool,
}

impl Effort {
    pub(crate) const FULL: Self = Self { rounds: 9, slice: Duration::from_millis(40), is_quick: false };
    pub(crate) const QUICK: Self = Self { rounds: 3, slice: Duration::from_millis(2), is_quick: true };

    /// A population, or a small one if it only has to work.
    pub(crate) fn population(&self, full: usize) -> usize {
        if self.is_quick { (full / 50).max(10) } else { full }
    }
}

/// What is measured. What it prepares in between does not count.
pub(crate) struct Subject<'a> {
    /// Operations of one call.
    operations: u64,
    /// Makes so many calls and says how long they took.
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

/// A subject that waits for other threads and processes, which the clock of this thread does not show.
pub(crate) fn by_the_wall<'a>(mut operation: impl FnMut() + 'a) -> Subject<'a> {
    Subject::new(move |count| {
        let start = Instant::now();
        (0..count).for_each(|_| operation());
        start.elapsed()
    })
}

/// A subject that does several operations a call and says how long they took, without what prepares them.
pub(crate) fn bulk<'a>(operations: usize, mut call: impl FnMut() -> Duration + 'a) -> Subject<'a> {
    let calls = move |count| (0..count).map(|_| call()).sum();
    Subject { operations: operations.max(1) as u64, calls: Box::new(calls) }
}

/// How long something takes. Looking at the clock costs about 0.3 µs.
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
    /// How often one operation asks for memory.
    pub(crate) allocations: f64,
}

impl Timing {
    fn of(mut rounds: Vec<f64>, allocations: f64) -> Self {
        rounds.sort_by(f64::total_cmp);
        let at = |share: usize| rounds[(rounds.len() - 1) * share / 4];
        Self { median: at(2), low: at(1), high: at(3), allocations }
    }

    /// Of ticks that are unlike each other, so that their mean counts.
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
            // Memory that grows for the last time is not the steady state; what every round allocates is.
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

/// What does not count may take so many times as long as what does, before a round is cut short.
const PATIENCE: u32 = 8;

/// How many calls fill a slice. What does not count takes time too, so the clock on the wall limits it as well.
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
