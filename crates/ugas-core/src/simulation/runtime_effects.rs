//! The effects that a simulation has created at run time: a part of its state.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::codec::{Decode, DecodeError, Decoder, Encode, Encoder};
use crate::effect::{Effect, EffectDef};
use crate::hash::{StateHash, StateHasher};

/// Effects by their number. Numbers are given out in turn and never again, so whoever defines and forgets for ever has
/// large numbers and no more memory than what is defined.
#[derive(Debug, Default)]
pub(crate) struct RuntimeEffects {
    /// The next number.
    next: u32,
    /// Those that were not forgotten; sorted by number.
    known: Vec<Definition>,
    /// Which of them has a definition of this hash; derived.
    by_hash: BTreeMap<u64, u32>,
}

#[derive(Clone, Debug)]
struct Definition {
    number: u32,
    effect: Arc<Effect>,
    /// How many instances are active; derived.
    uses: u32,
}

impl RuntimeEffects {
    pub(super) fn get(&self, number: usize) -> Option<&Arc<Effect>> {
        // Where nothing was forgotten, a number is a position.
        if let Some(known) = self.known.get(number)
            && known.number as usize == number
        {
            return Some(&known.effect);
        }
        let number = u32::try_from(number).ok()?;
        self.known.get(self.position(number).ok()?).map(|known| &known.effect)
    }

    /// The number of an equal definition.
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

    /// How many instances of an effect are active.
    pub(super) fn uses(&self, number: u32) -> u32 {
        self.position(number).map_or(0, |at| self.known[at].uses)
    }

    /// Counts an instance of an effect that comes or goes.
    pub(super) fn count_use(&mut self, number: u32, change: impl FnOnce(u32) -> u32) {
        if let Ok(at) = self.position(number) {
            self.known[at].uses = change(self.known[at].uses);
        }
    }

    /// No instance of any is active.
    pub(super) fn forget_uses(&mut self) {
        self.known.iter_mut().for_each(|known| known.uses = 0);
    }

    /// The number that the next effect gets.
    pub(super) fn next(&self) -> u32 {
        self.next
    }

    /// Adds an effect, whose definition has this hash. Numbers end at the largest; whoever asks for more gets none.
    pub(super) fn add(&mut self, hash: u64, effect: Arc<Effect>) -> Option<u32> {
        let number = self.next;
        self.next = number.checked_add(1)?;
        self.known.push(Definition { number, effect, uses: 0 });
        self.by_hash.insert(hash, number);
        Some(number)
    }

    /// Puts another effect in the place of one, under the same number; or nothing. Its instances are to be counted anew.
    pub(super) fn replace(&mut self, number: u32, effect: Option<Arc<Effect>>) {
        let Ok(at) = self.position(number) else { return };
        let old = StateHasher::of(&*self.known[at].effect.def);
        if self.by_hash.get(&old) == Some(&number) {
            self.by_hash.remove(&old);
        }
        match effect {
            Some(effect) => {
                self.by_hash.insert(StateHasher::of(&*effect.def), number);
                self.known[at] = Definition { number, effect, uses: 0 };
            }
            None => {
                self.known.remove(at);
            }
        }
    }

    fn position(&self, number: u32) -> Result<usize, usize> {
        self.known.binary_search_by_key(&number, |known| known.number)
    }

    /// What was forgotten and what is there, in the order of numbers.
    fn spans(&self) -> impl Iterator<Item = Span<'_>> {
        let mut expected = 0;
        let known = self.known.iter().flat_map(move |known| {
            let forgotten = known.number - core::mem::replace(&mut expected, known.number + 1);
            let forgotten = (forgotten > 0).then_some(Span::Forgotten(forgotten));
            forgotten.into_iter().chain([Span::Known(&known.effect.def)])
        });
        let seen = self.known.last().map_or(0, |last| last.number + 1);
        let rest = self.next - seen;
        known.chain((rest > 0).then_some(Span::Forgotten(rest)))
    }

    /// Reads definitions, and has each resolved.
    ///
    /// # Errors
    /// If they do not hold together, or cannot be resolved.
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
                    return Err(decoder.invalid("an effect created at run time is there twice"));
                }
                let effect = resolve(def, decoder)?;
                read.add(hash, Arc::new(effect));
                after_gap = false;
            } else {
                let forgotten = u32::decode(decoder)?;
                if forgotten == 0 || after_gap || forgotten > end - read.next {
                    return Err(decoder.invalid("the gaps between effects created at run time do not fit"));
                }
                read.next += forgotten;
                after_gap = true;
            }
        }
        Ok(read)
    }
}

/// A stretch of numbers.
enum Span<'a> {
    /// So many, all forgotten.
    Forgotten(u32),
    /// One that is there.
    Known(&'a EffectDef),
}

/// How many numbers were given out, then each stretch: a byte that says which, and the definition or the length.
impl Encode for RuntimeEffects {
    fn encode(&self, encoder: &mut Encoder) {
        self.next.encode(encoder);
        for span in self.spans() {
            match span {
                Span::Forgotten(count) => {
                    false.encode(encoder);
                    count.encode(encoder);
                }
                Span::Known(def) => {
                    true.encode(encoder);
                    def.encode(encoder);
                }
            }
        }
    }
}

impl StateHash for RuntimeEffects {
    fn state_hash(&self, hasher: &mut StateHasher) {
        u64::from(self.next).state_hash(hasher);
        for span in self.spans() {
            match span {
                Span::Forgotten(count) => {
                    false.state_hash(hasher);
                    count.state_hash(hasher);
                }
                Span::Known(def) => {
                    true.state_hash(hasher);
                    def.state_hash(hasher);
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
