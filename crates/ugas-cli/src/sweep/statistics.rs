//! Summaries and histograms of values.

/// The summary of a list of values.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Summary {
    pub(super) min: f64,
    pub(super) mean: f64,
    pub(super) p50: f64,
    pub(super) p95: f64,
    pub(super) max: f64,
}

impl Summary {
    /// The summary of values; `None` if there are none.
    pub(super) fn of(values: impl Iterator<Item = f64>) -> Option<Self> {
        let mut sorted: Vec<f64> = values.collect();
        sorted.sort_by(f64::total_cmp);
        let (&min, &max) = (sorted.first()?, sorted.last()?);
        // In sorted order, so that the rounding does not depend on the order of runs.
        let mean = sorted.iter().sum::<f64>() / sorted.len() as f64;
        let percentile = |percent| rank(&sorted, percent);
        Some(Self { min, mean, p50: percentile(50)?, p95: percentile(95)?, max })
    }
}

/// Percentile by nearest rank: the smallest value that at least `percent` of 100 values do not exceed.
fn rank(sorted: &[f64], percent: usize) -> Option<f64> {
    let rank = sorted.len().saturating_mul(percent).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied()
}

/// Bins of a histogram: single values if there are few, otherwise intervals of equal width.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Bins {
    Single(Vec<f64>),
    Pieces { from: f64, width: f64, count: usize },
}

/// Maximum number of different values with a bin of their own.
const MAX_SINGLE: usize = 12;

/// Number of intervals otherwise.
const PIECES: usize = 10;

impl Bins {
    /// Bins that cover all values, so that several distributions can be compared.
    pub(super) fn covering(values: impl Iterator<Item = f64>) -> Self {
        let (mut min, mut max) = (f64::INFINITY, f64::NEG_INFINITY);
        let mut different: Vec<f64> = Vec::new();
        for value in values {
            (min, max) = (min.min(value), max.max(value));
            if different.len() <= MAX_SINGLE
                && let Err(position) = different.binary_search_by(|known| known.total_cmp(&value))
            {
                different.insert(position, value);
            }
        }
        // Divided before subtracting: the range of finite numbers can overflow.
        let width = (max / PIECES as f64) - (min / PIECES as f64);
        if different.len() <= MAX_SINGLE || !width.is_normal() {
            Self::Single(different)
        } else {
            Self::Pieces { from: min, width, count: PIECES }
        }
    }

    /// The number of bins.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Single(values) => values.len(),
            Self::Pieces { count, .. } => *count,
        }
    }

    /// The lower and the upper end of a bin; the same for a single value.
    pub(super) fn ends(&self, bin: usize) -> (f64, f64) {
        match self {
            Self::Single(values) => {
                let value = values.get(bin).copied().unwrap_or_default();
                (value, value)
            }
            Self::Pieces { from, width, .. } => {
                (from + width * bin as f64, from + width * bin.saturating_add(1) as f64)
            }
        }
    }

    /// The number of values in each bin.
    pub(super) fn count(&self, values: impl Iterator<Item = f64>) -> Vec<u64> {
        let mut counts = vec![0; self.len()];
        for value in values {
            let bin = match self {
                Self::Single(known) => known.partition_point(|known| *known < value),
                Self::Pieces { from, width, .. } => ((value - from) / width) as usize,
            };
            let last = counts.len().saturating_sub(1);
            if let Some(count) = counts.get_mut(bin.min(last)) {
                *count += 1;
            }
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summary_of_the_first_hundred_numbers() {
        let summary = Summary::of((1..=100).map(f64::from)).unwrap();
        // The mean is (1 + 100) / 2; of 100 values the 50th and the 95th.
        assert_eq!(summary, Summary { min: 1.0, mean: 50.5, p50: 50.0, p95: 95.0, max: 100.0 });
        assert_eq!(Summary::of([7.0].into_iter()).unwrap().p95, 7.0);
        assert_eq!(Summary::of([].into_iter()), None);
    }

    #[test]
    fn few_values_are_counted_one_by_one() {
        let values = [3.0, 1.0, 3.0, 2.0];
        let bins = Bins::covering(values.into_iter());
        assert_eq!(bins, Bins::Single(vec![1.0, 2.0, 3.0]));
        assert_eq!(bins.count(values.into_iter()), [1, 1, 2]);
    }

    #[test]
    fn many_values_are_counted_in_intervals() {
        let values = || (0..=100).map(f64::from);
        let bins = Bins::covering(values());
        assert_eq!(bins.ends(0), (0.0, 10.0));
        // Ten in each, and the end itself in the last.
        assert_eq!(bins.count(values()), [10, 10, 10, 10, 10, 10, 10, 10, 10, 11]);
    }

    #[test]
    fn widest_range_has_bins() {
        let values: Vec<f64> = (0..20).map(|step| -1e308 + f64::from(step) * 1e307).collect();
        let bins = Bins::covering(values.iter().copied());
        assert_eq!(bins.count(values.iter().copied()).iter().sum::<u64>(), 20);
    }
}
