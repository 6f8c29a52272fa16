//! What both sides must know alike to read each other.

use ugas_core::catalog::Catalog;
use ugas_core::effect::magnitude::MagnitudeDef;
use ugas_core::hash::{StateHash, StateHasher};
use ugas_core::id::{AttributeId, TagId};
use ugas_core::input::InputId;
use ugas_core::modifier::Operation;

use crate::bits::width;
use crate::limits::MAX_INPUT_NAME;
use crate::quantise::{Quantiser, QuantiserError};

/// Most changes of an attribute that have a short name.
const MOST_COMMON: usize = 14;

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
    /// Attributes that are exact here because their sets disagree about their precision: the lens rounds each value as
    /// the set of its controller says (N2). The same on the wire as any other exact attribute.
    mixed: Box<[bool]>,
    /// By how much the rules change each attribute, the smallest first.
    common: Box<[Box<[f64]>]>,
    /// The same in steps of its quantiser.
    common_steps: Box<[Box<[i64]>]>,
    /// All attributes, those that are told less exactly first: they are what others are told of.
    order: Box<[u32]>,
    /// Where each of them is in that order.
    ranks: Box<[u32]>,
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
    /// Of a catalog, with the precision that its attribute sets give each attribute (`Quantize` in files, N2). An attribute
    /// whose sets disagree about it is sent exactly, after it was rounded as the set of its controller says. What the
    /// catalog's effects add to an attribute, by a number that they name, are its [common changes](Self::with_common).
    pub fn of(catalog: &Catalog) -> Self {
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let mut dictionary = Self::sized(count(catalog.tags().len()), count(catalog.attribute_count()));
        let mut common = vec![Vec::new(); dictionary.attributes.len()];
        for modifier in catalog.effects().flat_map(|(_, effect)| &effect.def().modifiers) {
            let adds = matches!(modifier.operation, Operation::Add | Operation::AddPost);
            let MagnitudeDef::Scalable { value: Some(value), curve: None, .. } = modifier.magnitude else {
                continue;
            };
            let Ok(attribute) = catalog.attribute(&modifier.attribute) else { continue };
            if let Some(common) = common.get_mut(attribute.index() as usize).filter(|_| adds) {
                common.push(value);
            }
        }
        dictionary.common = common.into_iter().map(common_of).collect();
        dictionary.quantise(catalog);
        dictionary.arranged()
    }

    fn quantise(&mut self, catalog: &Catalog) {
        let mut known: Vec<Option<Quantiser>> = vec![None; self.attributes.len()];
        for (attribute, definition) in catalog.sets().flat_map(|set| catalog.attributes_of(set)) {
            let at = attribute.index() as usize;
            let wanted = definition.quantize.map(Quantiser::from).filter(|wanted| wanted.check().is_ok());
            let wanted = wanted.unwrap_or_default();
            let (Some(known), Some(mixed)) = (known.get_mut(at), self.mixed.get_mut(at)) else { continue };
            *mixed |= known.is_some_and(|known| known != wanted);
            *known = Some(wanted);
        }
        for ((slot, known), mixed) in self.attributes.iter_mut().zip(known).zip(&self.mixed) {
            *slot = known.filter(|_| !mixed).unwrap_or_default();
        }
    }

    /// Of a catalog with so many tags and attributes.
    pub fn sized(tags: u32, attributes: u32) -> Self {
        let count = attributes as usize;
        let dictionary = Self {
            tags,
            attributes: vec![Quantiser::Exact; count].into(),
            mixed: vec![false; count].into(),
            common: vec![Box::default(); count].into(),
            common_steps: Box::default(),
            order: Box::default(),
            ranks: Box::default(),
            positions: Quantiser::Exact,
            facings: Quantiser::Exact,
            inputs: Box::default(),
        };
        dictionary.arranged()
    }

    /// Sends an attribute with another precision than its sets say.
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
        if let Some(mixed) = self.mixed.get_mut(attribute.index() as usize) {
            *mixed = false;
        }
        Ok(self.arranged())
    }

    /// By how much an attribute changes most often, in place of what the rules say: these changes take few bits. They are
    /// ordered by size, and there is room for fourteen.
    ///
    /// # Errors
    /// If there is no such attribute.
    pub fn with_common(
        mut self,
        attribute: AttributeId,
        changes: impl IntoIterator<Item = f64>,
    ) -> Result<Self, DictionaryError> {
        let known = self.attributes();
        let slot = self.common.get_mut(attribute.index() as usize);
        *slot.ok_or(DictionaryError::UnknownAttribute { attribute, known })? =
            common_of(changes.into_iter().collect());
        Ok(self.arranged())
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

    /// Whether each value of an attribute is rounded as the set of its controller says, and sent exactly.
    pub(crate) fn is_mixed(&self, attribute: AttributeId) -> bool {
        self.mixed.get(attribute.index() as usize).copied().unwrap_or_default()
    }

    /// How exactly each coordinate of a placement is told.
    pub fn positions(&self) -> Quantiser {
        self.positions
    }

    /// How exactly each coordinate of the direction in which a placement looks is told.
    pub fn facings(&self) -> Quantiser {
        self.facings
    }

    /// By how much an attribute changes most often, the smallest first.
    pub fn common(&self, attribute: AttributeId) -> &[f64] {
        self.common.get(attribute.index() as usize).map_or(&[], |common| common)
    }

    /// The same in steps of its quantiser, if it has one.
    pub(super) fn common_steps(&self, attribute: AttributeId) -> &[i64] {
        self.common_steps.get(attribute.index() as usize).map_or(&[], |common| common)
    }

    /// Where an attribute is among those that are told less exactly, and then all others.
    pub(super) fn rank(&self, attribute: AttributeId) -> Option<u32> {
        self.ranks.get(attribute.index() as usize).copied()
    }

    /// The attribute at a rank.
    pub(super) fn ranked(&self, rank: u64) -> Option<AttributeId> {
        let index = self.order.get(usize::try_from(rank).ok()?)?;
        Some(AttributeId::from_index(*index))
    }

    /// With what follows from the quantisers.
    fn arranged(mut self) -> Self {
        let is_exact = |index: &u32| self.attributes.get(*index as usize) == Some(&Quantiser::Exact);
        let mut order: Vec<u32> = (0..self.attributes()).collect();
        order.sort_by_key(is_exact);
        let mut ranks = vec![0; order.len()];
        for (rank, index) in (0..).zip(&order) {
            if let Some(slot) = ranks.get_mut(*index as usize) {
                *slot = rank;
            }
        }
        (self.order, self.ranks) = (order.into(), ranks.into());
        let pairs = self.attributes.iter().zip(&self.common);
        self.common_steps = pairs.map(|(quantiser, common)| quantiser.steps_of(common).into()).collect();
        self
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
        for common in &self.common {
            (common.len() as u64).state_hash(hasher);
            common.iter().for_each(|change| change.state_hash(hasher));
        }
        self.positions.state_hash(hasher);
        self.facings.state_hash(hasher);
        (self.inputs.len() as u64).state_hash(hasher);
        self.inputs.iter().for_each(|input| input.state_hash(hasher));
    }
}

/// Changes that have a short name, the smallest first, and of two that are as large the one downwards.
fn common_of(mut changes: Vec<f64>) -> Box<[f64]> {
    changes.retain(|change| change.is_finite() && *change != 0.0);
    changes.sort_by(|one, other| one.abs().total_cmp(&other.abs()).then(one.total_cmp(other)));
    changes.dedup();
    changes.truncate(MOST_COMMON);
    changes.into()
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
            plain().with_common(attribute, [-5.0]).unwrap(),
        ];
        assert_eq!(plain().hash(), plain().hash());
        for (at, one) in others.iter().enumerate() {
            assert_ne!(one.hash(), plain().hash(), "{at}");
            assert!(others[..at].iter().all(|other| other.hash() != one.hash()), "{at}");
        }
    }

    #[test]
    fn what_is_told_to_others_comes_first() {
        let attribute = AttributeId::from_index;
        let coarse = Dictionary::sized(1, 3).with_attribute(attribute(1), Quantiser::Step(2.0)).unwrap();
        assert_eq!(
            (0..4).map(|rank| coarse.ranked(rank)).collect::<Vec<_>>(),
            [Some(attribute(1)), Some(attribute(0)), Some(attribute(2)), None]
        );
        assert_eq!(
            (0..3).map(|id| coarse.rank(attribute(id))).collect::<Vec<_>>(),
            [Some(1), Some(0), Some(2)]
        );
        let common = coarse.with_common(attribute(1), [5.0, f64::NAN, -2.0, 0.0, 2.0, 5.0]).unwrap();
        assert_eq!(common.common(attribute(1)), [-2.0, 2.0, 5.0]);
        assert_eq!(common.common_steps(attribute(1)), [-1, 1, 2, 3]); // 5 / 2 = 2.5
        assert!(common.with_common(attribute(3), [1.0]).is_err());
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
