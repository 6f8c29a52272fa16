//! What both sides must know alike to read each other.

use ugas_core::catalog::Catalog;
use ugas_core::hash::{StateHash, StateHasher};
use ugas_core::id::{AttributeId, TagId};
use ugas_core::input::InputId;

use crate::bits::width;
use crate::limits::MAX_INPUT_NAME;
use crate::quantise::{Quantiser, QuantiserError};

/// What both sides must know alike to read each other: how many tags and attributes there are, how exactly each
/// attribute is told, and names that need not be spelled out.
///
/// Built by both sides from the same catalog and configuration; the [`Hello`](crate::message::Hello) has its
/// [hash](Self::hash), so that those who would misread each other do not begin.
///
/// ```
/// use ugas_net::quantise::Quantiser;
/// use ugas_net::wire::Dictionary;
/// use ugas_core::id::AttributeId;
///
/// let exact = Dictionary::sized(200, 16);
/// let coarse = exact.clone().with_attribute(AttributeId::from_index(3), Quantiser::Step(0.5))?;
/// assert_ne!(exact.hash(), coarse.hash());
/// # Ok::<(), ugas_net::wire::DictionaryError>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Dictionary {
    tags: u32,
    attributes: Box<[Quantiser]>,
    positions: Quantiser,
    facings: Quantiser,
    /// Sorted.
    inputs: Box<[InputId]>,
}

/// Why a dictionary cannot be had.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DictionaryError {
    /// A quantiser makes no sense.
    #[error("{what}: {error}")]
    Quantiser {
        /// Of what.
        what: String,
        /// Why not.
        error: QuantiserError,
    },
    /// There is no such attribute.
    #[error(
        "{attribute:?} is not among the {known} attributes: take its id from the catalog that the dictionary is of"
    )]
    UnknownAttribute {
        /// Which.
        attribute: AttributeId,
        /// How many there are.
        known: u32,
    },
    /// A name is too long.
    #[error("the input `{name}` has {bytes} bytes: use at most {MAX_INPUT_NAME}")]
    LongInput {
        /// Which.
        name: InputId,
        /// How many bytes.
        bytes: usize,
    },
}

impl Dictionary {
    /// Of a catalog, with everything told exactly.
    pub fn of(catalog: &Catalog) -> Self {
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Self::sized(count(catalog.tags().len()), count(catalog.attribute_count()))
    }

    /// Of a catalog with so many tags and attributes.
    pub fn sized(tags: u32, attributes: u32) -> Self {
        let attributes = vec![Quantiser::Exact; attributes as usize].into();
        let (positions, facings) = (Quantiser::Exact, Quantiser::Exact);
        Self { tags, attributes, positions, facings, inputs: Box::default() }
    }

    /// Tells an attribute less exactly.
    ///
    /// # Errors
    /// If there is no such attribute, or the quantiser makes no sense.
    pub fn with_attribute(
        mut self,
        attribute: AttributeId,
        quantiser: Quantiser,
    ) -> Result<Self, DictionaryError> {
        check(quantiser, || format!("{attribute:?}"))?;
        let known = self.attributes();
        let slot = self.attributes.get_mut(attribute.index() as usize);
        *slot.ok_or(DictionaryError::UnknownAttribute { attribute, known })? = quantiser;
        Ok(self)
    }

    /// Tells each coordinate of a placement less exactly.
    ///
    /// # Errors
    /// If the quantiser makes no sense.
    pub fn with_positions(mut self, quantiser: Quantiser) -> Result<Self, DictionaryError> {
        check(quantiser, || "positions".to_owned())?;
        self.positions = quantiser;
        Ok(self)
    }

    /// Tells each coordinate of the direction in which a placement looks less exactly.
    ///
    /// # Errors
    /// If the quantiser makes no sense.
    pub fn with_facings(mut self, quantiser: Quantiser) -> Result<Self, DictionaryError> {
        check(quantiser, || "facings".to_owned())?;
        self.facings = quantiser;
        Ok(self)
    }

    /// Inputs that both sides know by number, in place of those known before. Others are spelled out.
    ///
    /// # Errors
    /// If a name is longer than [`MAX_INPUT_NAME`].
    pub fn with_inputs<I: Into<InputId>>(
        mut self,
        names: impl IntoIterator<Item = I>,
    ) -> Result<Self, DictionaryError> {
        let mut inputs: Vec<InputId> = names.into_iter().map(Into::into).collect();
        if let Some(name) = inputs.iter().find(|name| name.as_str().len() > MAX_INPUT_NAME) {
            return Err(DictionaryError::LongInput { name: name.clone(), bytes: name.as_str().len() });
        }
        inputs.sort();
        inputs.dedup();
        self.inputs = inputs.into();
        Ok(self)
    }

    /// The same for dictionaries that can read each other's messages, on any machine.
    pub fn hash(&self) -> u64 {
        StateHasher::of(self)
    }

    /// How many tags there are.
    pub fn tags(&self) -> u32 {
        self.tags
    }

    /// How many attributes there are.
    pub fn attributes(&self) -> u32 {
        self.attributes.len() as u32
    }

    /// How exactly an attribute is told.
    pub fn attribute(&self, attribute: AttributeId) -> Quantiser {
        self.attributes.get(attribute.index() as usize).copied().unwrap_or_default()
    }

    /// How exactly each coordinate of a placement is told.
    pub fn positions(&self) -> Quantiser {
        self.positions
    }

    /// How exactly each coordinate of the direction in which a placement looks is told.
    pub fn facings(&self) -> Quantiser {
        self.facings
    }

    /// How many bits a tag takes by itself.
    pub(super) fn tag_bits(&self) -> u32 {
        width(self.tags)
    }

    pub(super) fn has_tag(&self, tag: TagId) -> bool {
        tag.index() < self.tags
    }

    /// How many bits the number of an input takes.
    pub(super) fn input_bits(&self) -> u32 {
        width(self.inputs.len() as u32)
    }

    pub(super) fn input(&self, number: u64) -> Option<&InputId> {
        self.inputs.get(usize::try_from(number).ok()?)
    }

    pub(super) fn input_number(&self, input: &InputId) -> Option<u64> {
        self.inputs.binary_search(input).ok().map(|number| number as u64)
    }
}

impl StateHash for Dictionary {
    fn state_hash(&self, hasher: &mut StateHasher) {
        self.tags.state_hash(hasher);
        self.attributes().state_hash(hasher);
        self.attributes.iter().for_each(|quantiser| quantiser.state_hash(hasher));
        self.positions.state_hash(hasher);
        self.facings.state_hash(hasher);
        (self.inputs.len() as u64).state_hash(hasher);
        self.inputs.iter().for_each(|input| input.state_hash(hasher));
    }
}

fn check(quantiser: Quantiser, what: impl FnOnce() -> String) -> Result<(), DictionaryError> {
    quantiser.check().map_err(|error| DictionaryError::Quantiser { what: what(), error })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_who_would_misread_each_other_have_other_hashes() {
        let plain = || Dictionary::sized(200, 16);
        let attribute = AttributeId::from_index(3);
        let others = [
            Dictionary::sized(201, 16),
            Dictionary::sized(200, 17),
            plain().with_attribute(attribute, Quantiser::Step(0.5)).unwrap(),
            plain().with_attribute(AttributeId::from_index(4), Quantiser::Step(0.5)).unwrap(),
            plain().with_attribute(attribute, Quantiser::Range { min: 0.0, max: 1.0, bits: 8 }).unwrap(),
            plain().with_positions(Quantiser::Step(0.5)).unwrap(),
            plain().with_facings(Quantiser::Step(0.5)).unwrap(),
            plain().with_inputs(["Jump"]).unwrap(),
        ];
        assert_eq!(plain().hash(), plain().hash());
        for (at, one) in others.iter().enumerate() {
            assert_ne!(one.hash(), plain().hash(), "{at}");
            assert!(others[..at].iter().all(|other| other.hash() != one.hash()), "{at}");
        }
    }

    #[test]
    fn names_have_an_order() {
        let one = Dictionary::sized(1, 1).with_inputs(["B", "A", "B"]).unwrap();
        assert_eq!(one, Dictionary::sized(1, 1).with_inputs(["A", "B"]).unwrap());
        assert_eq!(one.input_number(&InputId::new("B")), Some(1));
        assert_eq!(one.input_number(&InputId::new("C")), None);
        assert_eq!((one.input_bits(), one.tag_bits()), (1, 0));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let plain = || Dictionary::sized(200, 16);
        let error = plain().with_attribute(AttributeId::from_index(16), Quantiser::Exact).unwrap_err();
        assert_eq!(
            error.to_string(),
            "attribute16 is not among the 16 attributes: take its id from the catalog that the dictionary is of"
        );
        let error = plain().with_attribute(AttributeId::from_index(1), Quantiser::Step(0.0)).unwrap_err();
        assert_eq!(error.to_string(), "attribute1: 0 is no step: give one from 0.000000001 to 1000000000");
        assert!(plain().with_inputs(["x".repeat(65)]).is_err());
        assert!(plain().with_positions(Quantiser::Step(-1.0)).is_err());
        assert!(plain().with_facings(Quantiser::Step(-1.0)).is_err());
    }
}
