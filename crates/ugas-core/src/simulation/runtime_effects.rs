//! Effects created at run time, as part of the state.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::codec::{Decode, DecodeError, Decoder, Encode, Encoder};
use crate::effect::{Effect, EffectDef};
use crate::hash::{HashSink, StateHash, StateHasher};

/// Run-time effects by number. Numbers are given out in sequence and never reused, so memory use depends on
/// the present definitions and not on the numbers.
#[derive(Debug, Default)]
pub(crate) struct RuntimeEffects {
    /// Next number to give out.
    next: u32,
    /// Definitions that exist, sorted by number.
    known: Vec<Definition>,
    /// Number of the definition with this hash; derived.
    by_hash: BTreeMap<u64, u32>,
}

#[derive(Clone, Debug)]
struct Definition {
    number: u32,
    effect: Arc<Effect>,
    /// Hash of the definition; derived.
    hash: u64,
    /// Number of active instances; derived.
    uses: u32,
}

impl RuntimeEffects {
    /// Effect of a number; `None` if it was forgotten or never given out.
    pub(super) fn get(&self, number: usize) -> Option<&Arc<Effect>> {
        // Without gaps, a number is a position.
        if let Some(known) = self.known.get(number)
            && known.number as usize == number
        {
            return Some(&known.effect);
        }
        let number = u32::try_from(number).ok()?;
        self.known.get(self.position(number).ok()?).map(|known| &known.effect)
    }

    /// Number of an equal definition; `None` if there is none. `hash` is that of `def`.
    pub(super) fn number_of(&self, hash: u64, def: &EffectDef) -> Option<u32> {
        let number = *self.by_hash.get(&hash)?;
        (*self.get(number as usize)?.def == *def).then_some(number)
    }

    pub(super) fn len(&self) -> usize {
        self.known.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &Arc<Effect>)> {
        self.known.iter().map(|known| (known.number, &known.effect))
    }

    /// Number of active instances of an effect.
    pub(super) fn uses(&self, number: u32) -> u32 {
        self.position(number).map_or(0, |at| self.known[at].uses)
    }

    /// Changes the number of active instances of an effect.
    pub(super) fn count_use(&mut self, number: u32, change: impl FnOnce(u32) -> u32) {
        if let Ok(at) = self.position(number) {
            self.known[at].uses = change(self.known[at].uses);
        }
    }

    /// Resets all use counts to zero.
    pub(super) fn forget_uses(&mut self) {
        self.known.iter_mut().for_each(|known| known.uses = 0);
    }

    /// The number that the next effect gets.
    pub(super) fn next(&self) -> u32 {
        self.next
    }

    /// Adds an effect under the next number; `hash` is that of its definition. `None` if all numbers are used
    /// up.
    pub(super) fn add(&mut self, hash: u64, effect: Arc<Effect>) -> Option<u32> {
        let number = self.next;
        self.next = number.checked_add(1)?;
        self.known.push(Definition { number, effect, hash, uses: 0 });
        self.by_hash.insert(hash, number);
        Some(number)
    }

    /// Replaces the effect of a number, or removes it. The use count becomes zero: instances have to be
    /// counted again.
    pub(super) fn replace(&mut self, number: u32, effect: Option<Arc<Effect>>) {
        let Ok(at) = self.position(number) else { return };
        let old = self.known[at].hash;
        if self.by_hash.get(&old) == Some(&number) {
            self.by_hash.remove(&old);
        }
        match effect {
            Some(effect) => {
                let hash = StateHasher::of(&*effect.def);
                self.by_hash.insert(hash, number);
                self.known[at] = Definition { number, effect, hash, uses: 0 };
            }
            None => {
                self.known.remove(at);
            }
        }
    }

    /// Position of a number in `known`, or as an error the position to insert it at.
    fn position(&self, number: u32) -> Result<usize, usize> {
        self.known.binary_search_by_key(&number, |known| known.number)
    }

    /// All numbers given out so far, in order: definitions, and gaps of removed ones.
    fn sequence(&self) -> impl Iterator<Item = SequenceItem<'_>> {
        let mut expected = 0;
        let known = self.known.iter().flat_map(move |known| {
            let gap = known.number - core::mem::replace(&mut expected, known.number + 1);
            let gap = (gap > 0).then_some(SequenceItem::Gap(gap));
            gap.into_iter().chain([SequenceItem::Definition(known)])
        });
        let seen = self.known.last().map_or(0, |last| last.number + 1);
        let rest = self.next - seen;
        known.chain((rest > 0).then_some(SequenceItem::Gap(rest)))
    }

    /// Reads definitions under their former numbers and resolves each with `resolve`.
    ///
    /// # Errors
    /// If they are inconsistent, or cannot be resolved.
    pub(super) fn decode(
        decoder: &mut Decoder<'_>,
        resolve: impl Fn(Arc<EffectDef>, &Decoder<'_>) -> Result<Effect, DecodeError>,
    ) -> Result<Self, DecodeError> {
        let end = u32::decode(decoder)?;
        let mut read = Self::default();
        let mut after_gap = false;
        while read.next < end {
            if bool::decode(decoder)? {
                let def = Arc::<EffectDef>::decode(decoder)?;
                let hash = StateHasher::of(&*def);
                if read.by_hash.contains_key(&hash) {
                    return Err(decoder.invalid("an effect created at run time is defined twice"));
                }
                let effect = resolve(def, decoder)?;
                read.add(hash, Arc::new(effect));
                after_gap = false;
            } else {
                let gap = u32::decode(decoder)?;
                if gap == 0 || after_gap || gap > end - read.next {
                    return Err(decoder.invalid("the gaps between effects created at run time are invalid"));
                }
                read.next += gap;
                after_gap = true;
            }
        }
        Ok(read)
    }
}

/// A gap or a definition in the sequence of numbers.
enum SequenceItem<'a> {
    /// A gap of this many numbers, whose definitions were removed.
    Gap(u32),
    /// The definition of one number.
    Definition(&'a Definition),
}

/// Encoding: the next number, then each item of the sequence: a byte for its kind, and the definition or the
/// length of the gap.
impl Encode for RuntimeEffects {
    fn encode(&self, encoder: &mut Encoder) {
        self.next.encode(encoder);
        for item in self.sequence() {
            match item {
                SequenceItem::Gap(count) => {
                    false.encode(encoder);
                    count.encode(encoder);
                }
                SequenceItem::Definition(known) => {
                    true.encode(encoder);
                    known.effect.def.encode(encoder);
                }
            }
        }
    }
}

impl StateHash for RuntimeEffects {
    fn state_hash<S: HashSink>(&self, hasher: &mut S) {
        u64::from(self.next).state_hash(hasher);
        for item in self.sequence() {
            match item {
                SequenceItem::Gap(count) => {
                    false.state_hash(hasher);
                    count.state_hash(hasher);
                }
                SequenceItem::Definition(known) => {
                    true.state_hash(hasher);
                    match S::BY_RECORD {
                        true => known.hash.state_hash(hasher),
                        false => known.effect.def.state_hash(hasher),
                    }
                }
            }
        }
    }
}

impl Clone for RuntimeEffects {
    fn clone(&self) -> Self {
        Self { next: self.next, known: self.known.clone(), by_hash: self.by_hash.clone() }
    }

    fn clone_from(&mut self, source: &Self) {
        self.next = source.next;
        self.known.clone_from(&source.known);
        self.by_hash.clone_from(&source.by_hash);
    }
}
