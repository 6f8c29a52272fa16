//! Lenses: what a viewer may see of a controller (§13.2).
//!
//! Everything that leaves the server goes through a lens, and nothing else decides about it.

use ugas_core::attribute::AttributeReplication;
use ugas_core::controller::ReplicationMode;
use ugas_core::handle::ControllerId;
use ugas_core::id::{AttributeId, TagId};
use ugas_core::mirror::{PieceDetail, PieceKey, PieceRef, Sight};
use ugas_core::simulation::Simulation;

use crate::quantise::Quantiser;
use crate::wire::Dictionary;

/// Which attributes a lens lets through. The replication of an attribute is that of its set on the viewed controller (N1);
/// an attribute that is replicated to nobody is never let through (§5.5).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AttributeRule {
    /// None.
    None,
    /// Those that an owner may know.
    Owners,
    /// Those that everybody may know.
    Everybodys,
    /// Those named here, whatever they say of themselves short of "nobody": a health bar for allies. Sorted.
    Only(Vec<AttributeId>),
}

/// Which tags or cues a lens lets through.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TagRule {
    /// None.
    None,
    /// All.
    All,
    /// Those named here. Sorted.
    Only(Vec<TagId>),
}

impl TagRule {
    fn admits(&self, tag: TagId) -> bool {
        match self {
            Self::None => false,
            Self::All => true,
            Self::Only(tags) => tags.binary_search(&tag).is_ok(),
        }
    }
}

/// What a viewer may see of a controller.
///
/// The modes of §13.2 are lenses; a game adds its own, as for the health bars of allies.
///
/// ```
/// use ugas_core::attribute::{AttributeDef, AttributeSetDef};
/// use ugas_core::catalog::Catalog;
/// use ugas_net::Lens;
///
/// let catalog = Catalog::builder()
///     .attribute_set(AttributeSetDef::new("Combat").with(AttributeDef::new("Health", 100.0)))
///     .build()?;
/// let allies = Lens::minimal().with_attribute(catalog.attribute("Health")?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lens {
    /// Whether effects and abilities are seen.
    pub sight: Sight,
    /// Which attributes.
    pub attributes: AttributeRule,
    /// Which tags; only asked where they do not follow from effects in sight.
    pub tags: TagRule,
    /// Which looping cues, and which that flash.
    pub cues: TagRule,
    /// Whether the position goes with it. Most games move things by other means.
    pub placement: bool,
    /// Whether numbers are exact; otherwise they are rounded as the [`Dictionary`] says.
    pub exact: bool,
}

impl Lens {
    /// Everything that an owner needs to predict.
    pub fn owner() -> Self {
        Self {
            sight: Sight { effects: true, abilities: true },
            attributes: AttributeRule::Owners,
            tags: TagRule::All,
            cues: TagRule::All,
            placement: false,
            exact: true,
        }
    }

    /// Tags and cues (§13.2, Minimal).
    pub fn minimal() -> Self {
        Self {
            sight: Sight { effects: false, abilities: false },
            attributes: AttributeRule::None,
            tags: TagRule::All,
            cues: TagRule::All,
            placement: false,
            exact: false,
        }
    }

    /// Tags, cues, and the abilities that the owner can use: what is left to the owner of a Minimal controller.
    pub fn minimal_owner() -> Self {
        Self { sight: Sight { effects: false, abilities: true }, ..Self::minimal() }
    }

    /// Effects, attributes, tags and cues (§13.2, Full).
    pub fn full() -> Self {
        Self {
            sight: Sight { effects: true, abilities: false },
            attributes: AttributeRule::Everybodys,
            ..Self::minimal()
        }
    }

    /// Nothing at all.
    pub fn nothing() -> Self {
        Self { tags: TagRule::None, cues: TagRule::None, ..Self::minimal() }
    }

    /// The lens of a mode for the owner, and for everybody else; `None` if they do not even learn that it exists.
    pub fn of_mode(mode: ReplicationMode, own: Own) -> Option<Self> {
        match (mode, own) {
            (ReplicationMode::None, _) => None,
            (ReplicationMode::Minimal, Own::Own) => Some(Self::minimal_owner()),
            (ReplicationMode::Minimal | ReplicationMode::Mixed, Own::Others) => Some(Self::minimal()),
            (ReplicationMode::Mixed | ReplicationMode::Full, Own::Own) => Some(Self::owner()),
            (ReplicationMode::Full, Own::Others) => Some(Self::full()),
        }
    }

    /// Lets one more attribute through.
    #[must_use]
    pub fn with_attribute(mut self, attribute: AttributeId) -> Self {
        let mut only = match self.attributes {
            AttributeRule::Only(only) => only,
            _ => Vec::new(),
        };
        if let Err(at) = only.binary_search(&attribute) {
            only.insert(at, attribute);
        }
        self.attributes = AttributeRule::Only(only);
        self
    }

    /// Lets the position through.
    #[must_use]
    pub fn with_placement(mut self) -> Self {
        self.placement = true;
        self
    }

    /// Detail of the pieces that a viewer with this lens gets: frozen values of attributes that the owner alone receives
    /// go where the attributes themselves go (N1).
    pub(crate) fn detail(&self) -> PieceDetail {
        PieceDetail { sight: self.sight, owner_values: self.attributes == AttributeRule::Owners }
    }

    /// The lens on one controller of a simulation.
    pub(crate) fn on<'a>(
        &'a self,
        simulation: &'a Simulation,
        controller: ControllerId,
        dictionary: &'a Dictionary,
    ) -> Seen<'a> {
        Seen { lens: self, simulation, controller, dictionary }
    }

    /// What is left of a piece: `None` if it may not be seen.
    fn filter<'a>(&self, key: PieceKey, piece: PieceRef<'a>, seen: &Seen<'_>) -> Option<PieceRef<'a>> {
        match (key, piece) {
            (PieceKey::Head, head) => Some(head),
            (PieceKey::Placement, placement) => self.placement.then_some(placement),
            (PieceKey::Attribute(attribute), PieceRef::Attribute { base, current }) => {
                let admitted = match (&self.attributes, seen.replication(attribute)) {
                    (_, AttributeReplication::None) | (AttributeRule::None, _) => false,
                    (AttributeRule::Owners, _) => true,
                    (AttributeRule::Everybodys, replication) => replication == AttributeReplication::All,
                    (AttributeRule::Only(only), _) => only.binary_search(&attribute).is_ok(),
                };
                admitted.then(|| match (self.exact, self.sight.effects) {
                    (true, _) => PieceRef::Attribute { base, current },
                    (false, true) => PieceRef::Attribute {
                        base: seen.round(attribute, base),
                        current: seen.round(attribute, current),
                    },
                    // Without effects nothing leads from base to current: only what is shown goes.
                    (false, false) => {
                        let current = seen.round(attribute, current);
                        PieceRef::Attribute { base: current, current }
                    }
                })
            }
            (PieceKey::Attribute(_), _) => None,
            (PieceKey::Tag(tag), piece) => self.tags.admits(tag).then_some(piece),
            (PieceKey::Cue(cue), piece) => self.cues.admits(cue).then_some(piece),
            (PieceKey::Effect(_), piece) => self.sight.effects.then_some(piece),
            (PieceKey::Ability(_) | PieceKey::Run(_) | PieceKey::Task(_) | PieceKey::Inputs, piece) => {
                self.sight.abilities.then_some(piece)
            }
        }
    }

    /// Whether a cue that flashes may be seen.
    pub(crate) fn shows_cue(&self, cue: TagId) -> bool {
        self.cues.admits(cue)
    }
}

/// A lens on one controller: what a viewer may see of it.
#[derive(Clone, Copy)]
pub(crate) struct Seen<'a> {
    lens: &'a Lens,
    simulation: &'a Simulation,
    controller: ControllerId,
    dictionary: &'a Dictionary,
}

impl Seen<'_> {
    pub(crate) fn simulation(&self) -> &Simulation {
        self.simulation
    }

    pub(crate) fn controller(&self) -> ControllerId {
        self.controller
    }

    pub(crate) fn detail(&self) -> PieceDetail {
        self.lens.detail()
    }

    /// A value with the precision that it has on the wire (N2).
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
    /// set with an attribute of the same name (N1). Nobody's if the controller has no set with it.
    fn replication(&self, attribute: AttributeId) -> AttributeReplication {
        let replication = self.simulation.attribute_replication(self.controller, attribute);
        replication.unwrap_or(AttributeReplication::None)
    }

    /// What is left of a piece: `None` if it may not be seen.
    pub(crate) fn filter<'a>(&self, key: PieceKey, piece: PieceRef<'a>) -> Option<PieceRef<'a>> {
        self.lens.filter(key, piece, self)
    }
}

/// Whose a controller is, for one viewer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Own {
    /// The viewer's own.
    Own,
    /// Somebody else's, or nobody's.
    Others,
}

/// Names a lens of a server.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LensId(pub(crate) u16);
