//! Aggregation (§5.3; UEM, "The Aggregation Formula"; M1–M10): many modifiers of one attribute become one
//! value.
//!
//! Values are summed anew in application order at each evaluation, never patched, so that a value is a
//! function of the active set and not of its history (M10). Entries are stored with stacks already factored
//! in (M8), so that the loop over them is a loop over numbers.

use super::Operation;
use super::channels::ChannelSums;
use crate::handle::ActiveEffectId;
use crate::hash::{HashSink, StateHash};
use crate::id::ChannelId;
use crate::number::{nearly_zero, powu};

/// A modifier of an attribute that a controller has, contributed by an active effect.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct ModifierEntry {
    /// Position of the attribute in the controller's layout. Entries are sorted by slot, sequence and index.
    pub(crate) slot: u16,
    /// Position in the effect's list of modifiers.
    pub(crate) index: u16,
    pub(crate) layer: u8,
    pub(crate) operation: Operation,
    pub(crate) channel: Option<ChannelId>,
    pub(crate) conditions: Conditions,
    /// Priority of the effect among overrides.
    pub(crate) priority: i32,
    /// Order of the effect's first application.
    pub(crate) sequence: u64,
    /// Order of its latest application.
    pub(crate) applied: u64,
    pub(crate) effect: ActiveEffectId,
    /// The contribution with stacks factored in; see [`contribution`].
    pub(crate) amount: f64,
    /// Cached [`Self::is_plain_addition`], which every evaluation reads for every entry.
    pub(crate) plain: bool,
}

impl ModifierEntry {
    /// Sort key of entries.
    #[inline]
    pub(crate) const fn key(&self) -> (u16, u64, u16) {
        (self.slot, self.sequence, self.index)
    }

    /// Whether an entry adds in layer 0 and counts unconditionally, as most do.
    pub(crate) const fn is_plain_addition(layer: u8, operation: Operation, conditions: Conditions) -> bool {
        layer == 0 && matches!(operation, Operation::Add) && !conditions.can_fail()
    }
}

/// Conditions under which an entry may not count. An entry with none of these always counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Conditions {
    /// It has tag requirements (M5).
    pub(crate) tags: bool,
    /// Its effect is inhibited (E7).
    pub(crate) inhibited: bool,
    /// It belongs to a prediction.
    pub(crate) predicted: bool,
}

impl Conditions {
    /// Whether it may not count in an ordinary evaluation, in which predicted entries count.
    pub(crate) const fn can_fail(self) -> bool {
        self.tags || self.inhibited
    }
}

/// Contribution of `magnitude` with `stacks` stacks (M8), in the form in which contributions combine: a
/// summand for `Add`, `AddPost` and the bonuses of a channel or a divisor, a factor for operations that
/// multiply separately.
pub(crate) fn contribution(operation: Operation, in_channel: bool, magnitude: f64, stacks: u32) -> f64 {
    let count = f64::from(stacks);
    match operation {
        Operation::Add | Operation::AddPost => magnitude * count,
        Operation::Multiply if in_channel => magnitude * count,
        Operation::Multiply => powu(1.0 + magnitude, stacks),
        Operation::Override => magnitude,
        Operation::MultiplyAdditive | Operation::DivideAdditive => (magnitude - 1.0) * count,
        Operation::MultiplyCompound => powu(magnitude, stacks),
    }
}

/// Result of one layer.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct LayerOutcome {
    pub(crate) layer: u8,
    pub(crate) input: f64,
    pub(crate) output: f64,
    /// Position of the entry whose override replaced the result.
    pub(crate) winner: Option<usize>,
}

/// The value of an attribute before clamping.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Aggregated {
    pub(crate) value: f64,
    /// A divisor was so near to zero that it counted as 1 (M3).
    pub(crate) divisor_ignored: bool,
}

/// Combines the entries for which `counts` holds, layer by layer up to and including `up_to` (M1). Calls
/// `on_layer` after each layer that has such entries.
pub(crate) fn aggregate(
    base: f64,
    entries: &[ModifierEntry],
    up_to: u8,
    counts: impl Fn(usize) -> bool,
    mut on_layer: impl FnMut(LayerOutcome),
) -> Aggregated {
    let mut layers = entries
        .iter()
        .enumerate()
        .filter(|(at, entry)| entry.layer <= up_to && counts(*at))
        .fold(0u16, |mask, (_, entry)| mask | 1 << entry.layer);
    let mut result = Aggregated { value: base, divisor_ignored: false };
    while layers != 0 {
        let layer = layers.trailing_zeros() as u8;
        layers &= layers - 1;
        let mut terms = Terms::new();
        for (at, entry) in entries.iter().enumerate() {
            if entry.layer == layer && counts(at) {
                terms.include(at, entry);
            }
        }
        let input = result.value;
        result.value = terms.apply(input, &mut result.divisor_ignored);
        let winner = terms.winner.map(|winner| winner.at);
        on_layer(LayerOutcome { layer, input, output: result.value, winner });
    }
    result
}

/// [`aggregate`] for the ordinary case, in one pass: all entries are in layer 0 and count unconditionally.
/// `None` if that is not so, without side effects.
pub(crate) fn aggregate_plain(base: f64, entries: &[ModifierEntry]) -> Option<Aggregated> {
    let mut add = 0.0;
    let mut rest = entries;
    while let [entry, others @ ..] = rest
        && entry.plain
    {
        add += entry.amount;
        rest = others;
    }
    if rest.is_empty() {
        // Factor and divisor are 1; adding zero, as the rest of the formula does, avoids negative zeros.
        return Some(Aggregated { value: base + add + 0.0, divisor_ignored: false });
    }
    let count = entries.len() - rest.len();
    let mut terms = Terms { add, ..Terms::new() };
    for (at, entry) in entries.iter().enumerate().skip(count) {
        if entry.layer != 0 || entry.conditions.can_fail() {
            return None;
        }
        terms.include(at, entry);
    }
    let mut divisor_ignored = false;
    let value = terms.apply(base, &mut divisor_ignored);
    Some(Aggregated { value, divisor_ignored })
}

/// Change, 0 or less, that a negative entry makes to an attribute with this base; `None` if the entry is not
/// negative (M7).
///
/// Multipliers are weighed by their loss of the base, so that they compare with flat penalties.
pub(crate) fn penalty(base: f64, entry: &ModifierEntry) -> Option<f64> {
    let loss = match entry.operation {
        Operation::Add | Operation::AddPost => entry.amount,
        Operation::Multiply if entry.channel.is_some() => base.abs() * entry.amount,
        Operation::MultiplyAdditive => base.abs() * entry.amount,
        Operation::Multiply | Operation::MultiplyCompound => base.abs() * (entry.amount - 1.0),
        Operation::DivideAdditive if nearly_zero(1.0 + entry.amount) => 0.0,
        Operation::DivideAdditive => base.abs() / (1.0 + entry.amount) - base.abs(),
        Operation::Override => 0.0,
    };
    let negative = match entry.operation {
        Operation::Add | Operation::AddPost | Operation::MultiplyAdditive => entry.amount < 0.0,
        Operation::Multiply if entry.channel.is_some() => entry.amount < 0.0,
        Operation::Multiply | Operation::MultiplyCompound => entry.amount < 1.0,
        Operation::DivideAdditive => entry.amount > 0.0,
        Operation::Override => false,
    };
    negative.then_some(loss)
}

/// The sums and products of one layer.
struct Terms {
    add: f64,
    post: f64,
    /// Sum of the bonuses of Unreal's shared channel.
    shared: f64,
    divisor: f64,
    /// Product of the factors that multiply separately.
    factor: f64,
    channels: ChannelSums,
    winner: Option<Winner>,
}

struct Winner {
    at: usize,
    priority: i32,
    applied: u64,
    value: f64,
}

impl Terms {
    fn new() -> Self {
        Self {
            add: 0.0,
            post: 0.0,
            shared: 0.0,
            divisor: 0.0,
            factor: 1.0,
            channels: ChannelSums::default(),
            winner: None,
        }
    }

    /// Adds the entry at index `at` to its term. Of overrides, only the winner is kept.
    fn include(&mut self, at: usize, entry: &ModifierEntry) {
        match (entry.operation, entry.channel) {
            (Operation::Add, _) => self.add += entry.amount,
            (Operation::AddPost, _) => self.post += entry.amount,
            (Operation::Multiply, Some(channel)) => self.channels.add(channel, entry.amount),
            (Operation::Multiply, None) | (Operation::MultiplyCompound, _) => self.factor *= entry.amount,
            (Operation::MultiplyAdditive, _) => self.shared += entry.amount,
            (Operation::DivideAdditive, _) => self.divisor += entry.amount,
            (Operation::Override, _) => {
                // M4: the highest priority, on a tie the most recently applied; of one effect, the last
                // listed.
                let beats = self
                    .winner
                    .as_ref()
                    .is_none_or(|best| (entry.priority, entry.applied) >= (best.priority, best.applied));
                if beats {
                    self.winner = Some(Winner {
                        at,
                        priority: entry.priority,
                        applied: entry.applied,
                        value: entry.amount,
                    });
                }
            }
        }
    }

    /// `((in + ΣAdd) × Π(1 + Σm) / divisor) + ΣAddPost`, or the winning override alone (M1, M4). A divisor
    /// near 0 is left out and sets `divisor_ignored`.
    fn apply(&self, input: f64, divisor_ignored: &mut bool) -> f64 {
        if let Some(winner) = &self.winner {
            return winner.value;
        }
        let mut value = input + self.add;
        for &(_, bonus) in &self.channels.sums {
            value *= 1.0 + bonus;
        }
        value *= (1.0 + self.shared) * self.factor;
        let divisor = 1.0 + self.divisor;
        if nearly_zero(divisor) {
            *divisor_ignored = true;
        } else {
            value /= divisor;
        }
        value + self.post
    }
}

impl StateHash for Conditions {
    fn state_hash<S: HashSink>(&self, hasher: &mut S) {
        hasher.bytes(&[u8::from(self.tags), u8::from(self.inhibited), u8::from(self.predicted)]);
    }
}

impl StateHash for ModifierEntry {
    fn state_hash<S: HashSink>(&self, hasher: &mut S) {
        let Self {
            slot,
            index,
            layer,
            operation,
            channel,
            conditions,
            priority,
            sequence,
            applied,
            effect,
            amount,
            plain: _,
        } = self;
        slot.state_hash(hasher);
        index.state_hash(hasher);
        layer.state_hash(hasher);
        operation.state_hash(hasher);
        channel.state_hash(hasher);
        conditions.state_hash(hasher);
        priority.state_hash(hasher);
        sequence.state_hash(hasher);
        applied.state_hash(hasher);
        effect.state_hash(hasher);
        amount.state_hash(hasher);
    }
}
