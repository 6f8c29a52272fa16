//! Visibility: what a client may see of a controller (§13.2).
//!
//! All replicated state passes a [`Visibility`] before it leaves the server, and nothing else decides about
//! it.

use ugas_core::attribute::AttributeReplication;
use ugas_core::controller::ReplicationMode;
use ugas_core::handle::ControllerId;
use ugas_core::id::{AttributeId, TagId};
use ugas_core::replica::{PieceDetail, PieceKey, PieceRef, RecordVisibility};
use ugas_core::simulation::Simulation;

use crate::quantise::Quantiser;
use crate::wire::Dictionary;

/// Attributes that a visibility includes. The replication of an attribute is that of its set on the viewed
/// controller (N1); an attribute that is replicated to nobody is never included (§5.5).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AttributeRule {
    /// None.
    None,
    /// Attributes that are replicated to the owner.
    Owners,
    /// Attributes that are replicated to everybody.
    Public,
    /// Attributes that are replicated to everybody and these, unless they are replicated to nobody. Sorted.
    PublicAnd(Vec<AttributeId>),
    /// These attributes, unless they are replicated to nobody: a health bar for allies. Sorted.
    Only(Vec<AttributeId>),
}

/// Tags or cues that a visibility includes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TagRule {
    /// None.
    None,
    /// All.
    All,
    /// These. Sorted.
    Only(Vec<TagId>),
}

impl TagRule {
    /// Whether the rule lets a tag or cue pass. `Only` names tags exactly, not their descendants.
    fn admits(&self, tag: TagId) -> bool {
        match self {
            Self::None => false,
            Self::All => true,
            Self::Only(tags) => tags.binary_search(&tag).is_ok(),
        }
    }
}

/// State of a controller that a client may see.
///
/// The replication modes of §13.2 are visibilities; a game may add its own, as for the health bars of allies.
///
/// ```
/// use ugas_core::attribute::{AttributeDef, AttributeSetDef};
/// use ugas_core::catalog::Catalog;
/// use ugas_net::Visibility;
///
/// let catalog = Catalog::builder()
///     .attribute_set(AttributeSetDef::new("Combat").with(AttributeDef::new("Health", 100.0)))
///     .build()?;
/// let allies = Visibility::minimal().with_attribute(catalog.attribute("Health")?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Visibility {
    /// Whether effects and abilities are included.
    pub records: RecordVisibility,
    /// Attributes that are included.
    pub attributes: AttributeRule,
    /// Tags that are included; only used where tags do not follow from included effects.
    pub tags: TagRule,
    /// Cues that are included, both looping and executed.
    pub cues: TagRule,
    /// Whether the placement is included. Most games replicate movement by other means.
    pub placement: bool,
    /// Whether numbers are exact; otherwise they are quantised by the [`Dictionary`].
    pub exact: bool,
}

impl Visibility {
    /// Everything that an owner needs to predict.
    pub fn owner() -> Self {
        Self {
            records: RecordVisibility { effects: true, abilities: true },
            attributes: AttributeRule::Owners,
            tags: TagRule::All,
            cues: TagRule::All,
            placement: false,
            exact: true,
        }
    }

    /// Tags and cues, but neither attributes nor effects nor abilities (§13.2, Minimal).
    pub fn minimal() -> Self {
        Self {
            records: RecordVisibility { effects: false, abilities: false },
            attributes: AttributeRule::None,
            tags: TagRule::All,
            cues: TagRule::All,
            placement: false,
            exact: false,
        }
    }

    /// Tags, cues, and the abilities that the owner can use: for the owner of a Minimal controller.
    pub fn minimal_owner() -> Self {
        Self { records: RecordVisibility { effects: false, abilities: true }, ..Self::minimal() }
    }

    /// Effects, attributes, tags and cues (§13.2, Full).
    pub fn full() -> Self {
        Self {
            records: RecordVisibility { effects: true, abilities: false },
            attributes: AttributeRule::Public,
            ..Self::minimal()
        }
    }

    /// Nothing at all: the client knows only that the controller exists. To hide that too, hide the
    /// controller.
    pub fn nothing() -> Self {
        Self { tags: TagRule::None, cues: TagRule::None, ..Self::minimal() }
    }

    /// Visibility of a replication mode for the owner, or for everybody else; `None` if the controller is
    /// hidden.
    pub fn of_mode(mode: ReplicationMode, own: Ownership) -> Option<Self> {
        match (mode, own) {
            (ReplicationMode::None, _) => None,
            (ReplicationMode::Minimal, Ownership::Mine) => Some(Self::minimal_owner()),
            (ReplicationMode::Minimal | ReplicationMode::Mixed, Ownership::Others) => Some(Self::minimal()),
            (ReplicationMode::Mixed | ReplicationMode::Full, Ownership::Mine) => Some(Self::owner()),
            (ReplicationMode::Full, Ownership::Others) => Some(Self::full()),
        }
    }

    /// Includes one more attribute, beside those that are included already.
    #[must_use]
    pub fn with_attribute(mut self, attribute: AttributeId) -> Self {
        let with = |mut named: Vec<AttributeId>| {
            if let Err(at) = named.binary_search(&attribute) {
                named.insert(at, attribute);
            }
            named
        };
        self.attributes = match self.attributes {
            AttributeRule::None => AttributeRule::Only(vec![attribute]),
            AttributeRule::Only(named) => AttributeRule::Only(with(named)),
            AttributeRule::Public => AttributeRule::PublicAnd(vec![attribute]),
            AttributeRule::PublicAnd(named) => AttributeRule::PublicAnd(with(named)),
            // It has all that are replicated at all.
            AttributeRule::Owners => AttributeRule::Owners,
        };
        self
    }

    /// Includes position and facing, which no replication mode shows by itself.
    #[must_use]
    pub fn with_placement(mut self) -> Self {
        self.placement = true;
        self
    }

    /// Detail of the pieces for this visibility: frozen values of attributes that only the owner receives go
    /// where the attributes themselves go (N1).
    pub(crate) fn detail(&self) -> PieceDetail {
        PieceDetail { visibility: self.records, owner_values: self.attributes == AttributeRule::Owners }
    }

    /// Filter for one controller of a simulation.
    pub(crate) fn filter_for<'a>(
        &'a self,
        simulation: &'a Simulation,
        controller: ControllerId,
        dictionary: &'a Dictionary,
    ) -> VisibilityFilter<'a> {
        VisibilityFilter { visibility: self, simulation, controller, dictionary }
    }

    /// The visible part of a piece, with attributes rounded unless the visibility is exact; `None` if it is
    /// not included. `filter` is this visibility for the piece's controller.
    fn filter<'a>(
        &self,
        key: PieceKey,
        piece: PieceRef<'a>,
        filter: &VisibilityFilter<'_>,
    ) -> Option<PieceRef<'a>> {
        match (key, piece) {
            (PieceKey::Head, head) => Some(head),
            (PieceKey::Placement, placement) => self.placement.then_some(placement),
            (PieceKey::Attribute(attribute), PieceRef::Attribute { base, current }) => {
                let admitted = match (&self.attributes, filter.replication(attribute)) {
                    (_, AttributeReplication::None) | (AttributeRule::None, _) => false,
                    (AttributeRule::Owners, _) => true,
                    (AttributeRule::Public, replication) => replication == AttributeReplication::All,
                    (AttributeRule::PublicAnd(named), replication) => {
                        replication == AttributeReplication::All || named.binary_search(&attribute).is_ok()
                    }
                    (AttributeRule::Only(only), _) => only.binary_search(&attribute).is_ok(),
                };
                admitted.then(|| match (self.exact, self.records.effects) {
                    (true, _) => PieceRef::Attribute { base, current },
                    (false, true) => PieceRef::Attribute {
                        base: filter.round(attribute, base),
                        current: filter.round(attribute, current),
                    },
                    // Without effects nothing leads from base to current: only the current value is sent.
                    (false, false) => {
                        let current = filter.round(attribute, current);
                        PieceRef::Attribute { base: current, current }
                    }
                })
            }
            (PieceKey::Attribute(_), _) => None,
            (PieceKey::Tag(tag), piece) => self.tags.admits(tag).then_some(piece),
            (PieceKey::Cue(cue), piece) => self.cues.admits(cue).then_some(piece),
            (PieceKey::Effect(_), piece) => self.records.effects.then_some(piece),
            (
                PieceKey::Ability(_) | PieceKey::Activation(_) | PieceKey::Task(_) | PieceKey::Inputs,
                piece,
            ) => self.records.abilities.then_some(piece),
        }
    }

    /// Whether an executed cue is sent, by the rule for looping cues.
    pub(crate) fn shows_cue(&self, cue: TagId) -> bool {
        self.cues.admits(cue)
    }
}

/// A visibility applied to one controller.
#[derive(Clone, Copy)]
pub(crate) struct VisibilityFilter<'a> {
    visibility: &'a Visibility,
    simulation: &'a Simulation,
    controller: ControllerId,
    dictionary: &'a Dictionary,
}

impl VisibilityFilter<'_> {
    pub(crate) fn simulation(&self) -> &Simulation {
        self.simulation
    }

    pub(crate) fn controller(&self) -> ControllerId {
        self.controller
    }

    /// How much of a piece is copied out of the simulation, by what the client may see of records.
    pub(crate) fn detail(&self) -> PieceDetail {
        self.visibility.detail()
    }

    /// Rounds a value to its precision on the wire (N2). An attribute whose sets differ in precision is
    /// rounded by the set which the controller has.
    fn round(&self, attribute: AttributeId, value: f64) -> f64 {
        let quantiser = match self.dictionary.is_mixed(attribute) {
            false => self.dictionary.attribute(attribute),
            true => {
                let own = self.simulation.attribute_quantize(self.controller, attribute);
                own.map(Quantiser::from).unwrap_or_default()
            }
        };
        quantiser.settle(value).unwrap_or(value)
    }

    /// Replication of an attribute on this controller: that of the set which the controller has, never that of another
    /// set with an attribute of the same name (N1). [`AttributeReplication::None`] if no set of the controller has the
    /// attribute.
    fn replication(&self, attribute: AttributeId) -> AttributeReplication {
        let replication = self.simulation.attribute_replication(self.controller, attribute);
        replication.unwrap_or(AttributeReplication::None)
    }

    /// The visible part of a piece; `None` if it is not included.
    pub(crate) fn filter<'a>(&self, key: PieceKey, piece: PieceRef<'a>) -> Option<PieceRef<'a>> {
        self.visibility.filter(key, piece, self)
    }
}

/// Relation of a client to a controller.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Ownership {
    /// The client owns it.
    Mine,
    /// Somebody else owns it, or nobody.
    Others,
}

/// Id of a visibility of one server.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VisibilityId(pub(crate) u16);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn further_attribute_is_added_to_those_of_the_rule() {
        let [one, two] = [1, 2].map(AttributeId::from_index);
        let rule = |visibility: Visibility| {
            visibility.with_attribute(two).with_attribute(one).with_attribute(two).attributes
        };
        assert_eq!(rule(Visibility::minimal()), AttributeRule::Only(vec![one, two]));
        assert_eq!(rule(Visibility::full()), AttributeRule::PublicAnd(vec![one, two]));
        assert_eq!(rule(Visibility::owner()), AttributeRule::Owners);
    }
}
