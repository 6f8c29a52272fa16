//! Dictionary: the parameters of the wire format that both sides must share.

use ugas_core::catalog::Catalog;
use ugas_core::effect::magnitude::MagnitudeDef;
use ugas_core::hash::{HashSink, StateHash, StateHasher};
use ugas_core::id::{AttributeId, TagId};
use ugas_core::input::InputId;
use ugas_core::modifier::Operation;

use crate::bits::width;
use crate::limits::MAX_INPUT_NAME;
use crate::quantise::{Quantiser, QuantiserError};

/// Most common changes of an attribute.
const MOST_COMMON: usize = 14;

/// Parameters of the wire format that both sides must share: the numbers of tags and attributes, the
/// precision of each attribute, and names that are sent as numbers.
///
/// Both sides build it from the same catalog and configuration; the [`Hello`](crate::message::Hello) has its
/// [hash](Self::hash), so that peers with different dictionaries refuse each other.
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
    /// Attributes that are exact here because their sets disagree about their precision: each value is
    /// rounded as the set of its controller says (N2) before it is sent. On the wire they are like any other
    /// exact attribute.
    mixed: Box<[bool]>,
    /// Common changes of each attribute, the smallest first.
    common: Box<[Box<[f64]>]>,
    /// Common changes in steps of the quantiser.
    common_steps: Box<[Box<[i64]>]>,
    /// All attributes, quantised ones first: they are the ones that are sent to non-owners.
    order: Box<[u32]>,
    /// Rank of each attribute in that order.
    ranks: Box<[u32]>,
    positions: Quantiser,
    facings: Quantiser,
    /// Sorted.
    inputs: Box<[InputId]>,
}

/// Reason for which a dictionary cannot be built.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DictionaryError {
    /// A quantiser is invalid.
    #[error("{what}: {error}")]
    Quantiser {
        /// Name of the quantised attribute or number.
        what: String,
        /// Why it is invalid.
        error: QuantiserError,
    },
    /// There is no such attribute.
    #[error("{attribute:?} is not among the {known} attributes: take its id from the dictionary's catalog")]
    UnknownAttribute {
        /// The attribute.
        attribute: AttributeId,
        /// Number of known attributes.
        known: u32,
    },
    /// The name of an input is too long.
    #[error("the input `{name}` has {bytes} bytes: use at most {MAX_INPUT_NAME}")]
    LongInput {
        /// The name.
        name: InputId,
        /// Its length in bytes.
        bytes: usize,
    },
}

impl Dictionary {
    /// Dictionary of a catalog, with the precision that its attribute sets give each attribute (`Quantize` in
    /// files, N2). An attribute whose sets disagree is sent exactly, after rounding by the set of its
    /// controller. The constant amounts that the catalog's effects add to an attribute are its [common
    /// changes](Self::with_common).
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

    /// Sets the precision of each attribute to that of its sets (N2). Attributes whose sets disagree become
    /// exact and mixed; an invalid precision counts as exact.
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

    /// Dictionary with so many tags and attributes, all exact.
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

    /// Sets the precision of an attribute, in place of that of its sets.
    ///
    /// # Errors
    /// If there is no such attribute, or the quantiser is invalid.
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

    /// Sets the common changes of an attribute, in place of those of the catalog: they take few bits. They
    /// are ordered by size, and the first fourteen are kept; zeros and numbers that are not finite are left
    /// out.
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

    /// Quantises each coordinate of positions.
    ///
    /// # Errors
    /// If the quantiser is invalid.
    pub fn with_positions(mut self, quantiser: Quantiser) -> Result<Self, DictionaryError> {
        check(quantiser, || "positions".to_owned())?;
        self.positions = quantiser;
        Ok(self)
    }

    /// Quantises each coordinate of facings.
    ///
    /// # Errors
    /// If the quantiser is invalid.
    pub fn with_facings(mut self, quantiser: Quantiser) -> Result<Self, DictionaryError> {
        check(quantiser, || "facings".to_owned())?;
        self.facings = quantiser;
        Ok(self)
    }

    /// Sets the inputs that are sent as numbers. Other names are sent as text.
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

    /// Hash that is equal for compatible dictionaries, on any machine.
    pub fn hash(&self) -> u64 {
        StateHasher::of(self)
    }

    /// Number of tags; a tag on the wire is its index below that.
    pub fn tags(&self) -> u32 {
        self.tags
    }

    /// Number of attributes; an attribute's index is below that.
    pub fn attributes(&self) -> u32 {
        self.attributes.len() as u32
    }

    /// Precision of an attribute; exact for an unknown one.
    pub fn attribute(&self, attribute: AttributeId) -> Quantiser {
        self.attributes.get(attribute.index() as usize).copied().unwrap_or_default()
    }

    /// Whether values of an attribute are rounded by the set of their controller, and sent exactly.
    pub(crate) fn is_mixed(&self, attribute: AttributeId) -> bool {
        self.mixed.get(attribute.index() as usize).copied().unwrap_or_default()
    }

    /// Precision of the coordinates of positions, the same on all axes.
    pub fn positions(&self) -> Quantiser {
        self.positions
    }

    /// Precision of the coordinates of facings, the same on all axes.
    pub fn facings(&self) -> Quantiser {
        self.facings
    }

    /// Common changes of an attribute, the smallest first.
    pub fn common(&self, attribute: AttributeId) -> &[f64] {
        self.common.get(attribute.index() as usize).map_or(&[], |common| common)
    }

    /// Common changes in steps of the quantiser; empty for exact attributes.
    pub(super) fn common_steps(&self, attribute: AttributeId) -> &[i64] {
        self.common_steps.get(attribute.index() as usize).map_or(&[], |common| common)
    }

    /// Rank of an attribute: quantised attributes first, then all others. `None` for an unknown one.
    pub(super) fn rank(&self, attribute: AttributeId) -> Option<u32> {
        self.ranks.get(attribute.index() as usize).copied()
    }

    /// Attribute at a rank, the position in which blocks number attributes: quantised ones first, then all
    /// others. `None` beyond the last; inverse of [`Self::rank`].
    pub(super) fn ranked(&self, rank: u64) -> Option<AttributeId> {
        let index = self.order.get(usize::try_from(rank).ok()?)?;
        Some(AttributeId::from_index(*index))
    }

    /// Computes ranks and common steps from the quantisers and common changes. Called after each change of
    /// them.
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

    /// Number of bits that the index of a tag takes.
    pub(super) fn tag_bits(&self) -> u32 {
        width(self.tags)
    }

    /// Whether the index of a tag is below the number of tags; others cannot be encoded.
    pub(super) fn has_tag(&self, tag: TagId) -> bool {
        tag.index() < self.tags
    }

    /// Bits of the number of an input.
    pub(super) fn input_bits(&self) -> u32 {
        width(self.inputs.len() as u32)
    }

    /// The input with a number; `None` beyond the last.
    pub(super) fn input(&self, number: u64) -> Option<&InputId> {
        self.inputs.get(usize::try_from(number).ok()?)
    }

    /// Number of an input; `None` if it is sent as text.
    pub(super) fn input_number(&self, input: &InputId) -> Option<u64> {
        self.inputs.binary_search(input).ok().map(|number| number as u64)
    }
}

impl StateHash for Dictionary {
    /// Hashes all that both sides must share. `mixed` is left out: it does not change the wire format.
    fn state_hash<S: HashSink>(&self, hasher: &mut S) {
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

/// Sorts and limits common changes: the smallest first, and of equal size the negative one first. Zeros,
/// duplicates and numbers that are not finite are dropped.
fn common_of(mut changes: Vec<f64>) -> Box<[f64]> {
    changes.retain(|change| change.is_finite() && *change != 0.0);
    changes.sort_by(|one, other| one.abs().total_cmp(&other.abs()).then(one.total_cmp(other)));
    changes.dedup();
    changes.truncate(MOST_COMMON);
    changes.into()
}

/// Checks the parameters of a quantiser; `what` names it in the error.
fn check(quantiser: Quantiser, what: impl FnOnce() -> String) -> Result<(), DictionaryError> {
    quantiser.check().map_err(|error| DictionaryError::Quantiser { what: what(), error })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn incompatible_dictionaries_have_different_hashes() {
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
    fn quantised_attributes_rank_first() {
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
    fn inputs_are_sorted_and_unique() {
        let one = Dictionary::sized(1, 1).with_inputs(["B", "A", "B"]).unwrap();
        assert_eq!(one, Dictionary::sized(1, 1).with_inputs(["A", "B"]).unwrap());
        assert_eq!(one.input_number(&InputId::new("B")), Some(1));
        assert_eq!(one.input_number(&InputId::new("C")), None);
        assert_eq!((one.input_bits(), one.tag_bits()), (1, 0));
    }

    #[test]
    fn invalid_parameters_are_refused() {
        let plain = || Dictionary::sized(200, 16);
        let error = plain().with_attribute(AttributeId::from_index(16), Quantiser::Exact).unwrap_err();
        assert_eq!(
            error.to_string(),
            "attribute16 is not among the 16 attributes: take its id from the dictionary's catalog"
        );
        let error = plain().with_attribute(AttributeId::from_index(1), Quantiser::Step(0.0)).unwrap_err();
        assert_eq!(error.to_string(), "attribute1: 0 is no step: give one from 0.000000001 to 1000000000");
        assert!(plain().with_inputs(["x".repeat(65)]).is_err());
        assert!(plain().with_positions(Quantiser::Step(-1.0)).is_err());
        assert!(plain().with_facings(Quantiser::Step(-1.0)).is_err());
    }
}
