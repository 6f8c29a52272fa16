//! Input buffer: inputs that are kept for a moment and retried when abilities become available (§11.3).

use core::fmt;
use std::collections::VecDeque;

use super::InputId;
use crate::codec::{FieldClone, StateRecord};
use crate::lazy_box::{EmptyValue, LazyBox};
use crate::prediction::PredictionKey;
use crate::targeting::TargetData;
use crate::time::{Span, Time};

/// Configuration of an input buffer (§11.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug, StateRecord)]
pub struct InputBufferConfig {
    /// Whether inputs are buffered at all.
    pub enabled: bool,
    /// Time for which an input is kept.
    pub window: Span,
    /// Maximum number of inputs.
    pub size: u32,
}

impl InputBufferConfig {
    /// The later drafts' defaults: off, 0.15 s, three inputs.
    const DEFAULT: Self = Self { enabled: false, window: Span::millis(150), size: 3 };
}

impl Default for InputBufferConfig {
    /// The later drafts' defaults: off, 0.15 s, three inputs.
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// A buffered input.
#[derive(Clone, PartialEq, Debug, StateRecord)]
pub struct BufferedInput {
    /// The input.
    pub input: InputId,
    /// Time of the press.
    pub timestamp: Time,
    /// Key of the prediction it was part of; activations that it starts later belong to the same prediction
    /// (§13.4).
    #[state(since = 3)]
    pub prediction: Option<PredictionKey>,
    /// Targets for the abilities that it activates.
    #[state(since = 4)]
    pub targets: TargetData,
}

/// The queue of §11.3, oldest first. The caller retries the inputs; the buffer only manages time and
/// capacity.
#[derive(PartialEq, Default, FieldClone, StateRecord)]
pub struct InputBuffer {
    /// Unallocated while the configuration is the default and no input was ever kept.
    content: LazyBox<BufferContent>,
}

/// Configuration and inputs of a buffer.
#[derive(PartialEq, Debug, Default, FieldClone, StateRecord)]
struct BufferContent {
    config: InputBufferConfig,
    inputs: VecDeque<BufferedInput>,
}

impl EmptyValue for BufferContent {
    const EMPTY: &'static Self = &Self { config: InputBufferConfig::DEFAULT, inputs: VecDeque::new() };
}

impl fmt::Debug for InputBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BufferContent { config, inputs } = &*self.content;
        f.debug_struct("InputBuffer").field("config", config).field("inputs", inputs).finish()
    }
}

impl InputBuffer {
    /// Creates an empty buffer.
    pub fn new(config: InputBufferConfig) -> Self {
        let mut buffer = Self::default();
        buffer.set_config(config);
        buffer
    }

    /// The configuration.
    pub fn config(&self) -> InputBufferConfig {
        self.content.config
    }

    /// Replaces the configuration. Inputs that no longer fit are dropped, the oldest first.
    pub fn set_config(&mut self, config: InputBufferConfig) {
        if self.config() == config {
            return;
        }
        self.content.make_mut().config = config;
        let capacity = self.capacity();
        let inputs = &mut self.content.make_mut().inputs;
        while inputs.len() > capacity {
            inputs.pop_front();
        }
    }

    /// Buffers an input that was pressed at `now`, and drops those that have expired.
    ///
    /// A full buffer drops its oldest input rather than the new one: the last press is the player's present
    /// intention, and the oldest would be the first to expire anyway. A buffer that is disabled, or of size
    /// 0, keeps nothing.
    pub fn push(&mut self, input: InputId, now: Time) {
        self.push_predicted(input, now, None);
    }

    /// Buffers an input that was part of a prediction; see [`Self::push`].
    pub fn push_predicted(&mut self, input: InputId, now: Time, prediction: Option<PredictionKey>) {
        self.keep(BufferedInput { input, timestamp: now, prediction, targets: TargetData::default() });
    }

    /// Buffers an input with prediction and targets; see [`Self::push`]. Expired inputs are dropped, and the
    /// oldest if the buffer is full; a buffer without capacity keeps nothing.
    pub(crate) fn keep(&mut self, kept: BufferedInput) {
        self.retain_fresh(kept.timestamp);
        let capacity = self.capacity();
        if capacity == 0 {
            return;
        }
        let inputs = &mut self.content.make_mut().inputs;
        while inputs.len() >= capacity {
            inputs.pop_front();
        }
        inputs.push_back(kept);
    }

    /// Drops the expired inputs: an input is kept while `now - timestamp < window` (§11.3, step 4).
    pub fn retain_fresh(&mut self, now: Time) {
        self.retain_within(self.config().window, now);
    }

    /// Drops the inputs whose age is not below `window`.
    pub(crate) fn retain_within(&mut self, window: Span, now: Time) {
        if let Some(content) = self.content.get_mut() {
            content.inputs.retain(|kept| now.since(kept.timestamp) < window);
        }
    }

    /// The inputs, oldest first: the order in which they are tried (§11.3, step 3).
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &BufferedInput> {
        self.content.inputs.iter()
    }

    /// The number of buffered inputs.
    pub fn len(&self) -> usize {
        self.content.inputs.len()
    }

    /// True if no input is buffered.
    pub fn is_empty(&self) -> bool {
        self.content.inputs.is_empty()
    }

    /// Drops every input, as §11.3 does after each processing, whatever its outcome.
    pub fn clear(&mut self) {
        if let Some(content) = self.content.get_mut() {
            content.inputs.clear();
        }
    }

    /// A copy whose inputs have no targets; `None` if none has any.
    pub(crate) fn without_targets(&self) -> Option<Self> {
        if self.iter().all(|kept| kept.targets.is_empty()) {
            return None;
        }
        let mut copy = self.clone();
        copy.content.make_mut().inputs.iter_mut().for_each(|kept| kept.targets = TargetData::default());
        Some(copy)
    }

    /// Whether the targets of its inputs are finite (V2).
    pub(crate) fn is_finite(&self) -> bool {
        self.iter().all(|kept| kept.targets.check().is_ok())
    }

    /// Whether it holds no more inputs than its capacity.
    pub(crate) fn is_within_capacity(&self) -> bool {
        self.len() <= self.capacity()
    }

    /// Number of inputs that may be buffered; 0 if the buffer is disabled.
    fn capacity(&self) -> usize {
        let config = self.config();
        if config.enabled { usize::try_from(config.size).unwrap_or(usize::MAX) } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::StateHasher;

    fn at(millis: u64) -> Time {
        Time::from_micros(millis * 1_000)
    }

    fn buffer(size: u32) -> InputBuffer {
        InputBuffer::new(InputBufferConfig { enabled: true, size, ..InputBufferConfig::default() })
    }

    fn names(buffer: &InputBuffer) -> Vec<&str> {
        buffer.iter().map(|kept| kept.input.as_str()).collect()
    }

    #[test]
    fn buffered_inputs_keep_their_order() {
        let mut buffer = buffer(3);
        buffer.push("A".into(), at(0));
        buffer.push("B".into(), at(0));
        buffer.push("A".into(), at(10));
        assert_eq!(names(&buffer), ["A", "B", "A"]);
    }

    #[test]
    fn buffered_input_expires_at_the_end_of_its_window() {
        let mut buffer = buffer(3);
        buffer.push("A".into(), at(100));
        buffer.retain_fresh(Time::from_micros(249_999));
        assert_eq!(names(&buffer), ["A"]);
        // 250 - 100 = 150, which is not less than the window of 150.
        buffer.retain_fresh(at(250));
        assert!(buffer.is_empty());
    }

    #[test]
    fn full_buffer_drops_the_oldest_input() {
        let mut buffer = buffer(2);
        for name in ["A", "B", "C"] {
            buffer.push(name.into(), at(0));
        }
        assert_eq!(names(&buffer), ["B", "C"]);
    }

    #[test]
    fn push_drops_expired_inputs() {
        let mut buffer = buffer(3);
        buffer.push("A".into(), at(0));
        buffer.push("B".into(), at(150));
        assert_eq!(names(&buffer), ["B"]);
    }

    #[test]
    fn disabled_or_zero_size_buffer_keeps_nothing() {
        let mut off = InputBuffer::default();
        off.push("A".into(), at(0));
        let mut tiny = buffer(0);
        tiny.push("A".into(), at(0));
        assert!(off.is_empty() && tiny.is_empty());
    }

    #[test]
    fn smaller_config_drops_the_oldest_inputs_at_once() {
        let mut buffer = buffer(3);
        for name in ["A", "B", "C"] {
            buffer.push(name.into(), at(0));
        }
        buffer.set_config(InputBufferConfig { size: 1, ..buffer.config() });
        assert_eq!(names(&buffer), ["C"]);
    }

    #[test]
    fn buffer_hash_covers_inputs_and_times() {
        let mut one = buffer(3);
        let mut other = one.clone();
        one.push("A".into(), at(1));
        other.push("A".into(), at(2));
        assert_ne!(StateHasher::of(&one), StateHasher::of(&other));
        one.clear();
        other.clear();
        assert_eq!(StateHasher::of(&one), StateHasher::of(&other));
    }
}
