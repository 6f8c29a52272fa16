//! Reads of attribute values, and the attributes of a client's replica whose values the server withholds
//! (N1).

use super::Simulation;
use crate::attribute::{AttributeReplication, Quantize};
use crate::handle::ControllerId;
use crate::id::AttributeId;

/// Base and current value of an attribute.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AttributeValue {
    /// Base value.
    pub base: f64,
    /// Current value: the base with all modifiers, inside the bounds.
    pub current: f64,
}

/// Reason for which an attribute has no value to read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The controller does not exist (any more).
    #[error("{0:?} does not exist")]
    UnknownController(ControllerId),
    /// No attribute set of the controller has the attribute.
    #[error("{controller:?} has no set with {attribute:?}")]
    MissingAttribute {
        /// The controller.
        controller: ControllerId,
        /// The attribute.
        attribute: AttributeId,
    },
    /// The controller has the attribute, and the server does not send its value to this client (N1).
    #[error("{attribute:?} of {controller:?} is not replicated to this client")]
    NotReplicated {
        /// The controller.
        controller: ControllerId,
        /// The attribute.
        attribute: AttributeId,
    },
}

impl ReadError {
    /// Describes the error with names instead of ids.
    pub fn describe(&self, simulation: &Simulation) -> String {
        let name = |attribute: AttributeId| simulation.catalog().attribute_name(attribute);
        match self {
            Self::UnknownController(_) => self.to_string(),
            Self::MissingAttribute { attribute, .. } => {
                format!("no attribute set of the controller has `{}`", name(*attribute))
            }
            Self::NotReplicated { attribute, .. } => {
                format!("`{}` is not replicated to this client", name(*attribute))
            }
        }
    }
}

impl Simulation {
    /// Base and current value of an attribute, or the reason why there is none.
    ///
    /// Use it instead of [`Self::current`] to distinguish a value that is withheld from a client from an
    /// attribute that the controller lacks.
    ///
    /// # Errors
    /// If the controller does not exist or lacks the attribute, or, on a client, if the server does not send
    /// the value ([`ReadError::NotReplicated`], N1).
    pub fn value(
        &self,
        controller: ControllerId,
        attribute: AttributeId,
    ) -> Result<AttributeValue, ReadError> {
        let Some(known) = self.state.controllers.get(controller) else {
            return Err(ReadError::UnknownController(controller));
        };
        let Some(slot) = self.state.layout(known).slot_of(attribute) else {
            return Err(ReadError::MissingAttribute { controller, attribute });
        };
        if self.is_withheld(controller, attribute) {
            return Err(ReadError::NotReplicated { controller, attribute });
        }
        let (base, current) = known.values[usize::from(slot)].both();
        Ok(AttributeValue { base, current })
    }

    /// Replication of an attribute, from the attribute set on that controller (N1). `None` if the controller
    /// does not exist or lacks the attribute.
    pub fn attribute_replication(
        &self,
        controller: ControllerId,
        attribute: AttributeId,
    ) -> Option<AttributeReplication> {
        let layout = self.state.layout(self.state.controllers.get(controller)?);
        let slot = usize::from(layout.slot_of(attribute)?);
        Some(layout.slots.get(slot)?.attribute.def.replication)
    }

    /// Precision of an attribute on the wire, from the attribute set on that controller (N2). `None` if it is
    /// exact, or the controller lacks the attribute.
    pub fn attribute_quantize(&self, controller: ControllerId, attribute: AttributeId) -> Option<Quantize> {
        let layout = self.state.layout(self.state.controllers.get(controller)?);
        let slot = usize::from(layout.slot_of(attribute)?);
        layout.slots.get(slot)?.attribute.def.quantize
    }

    /// Attributes of a controller that the server withholds from this client (N1), in ascending order of id.
    /// Empty if no replica was [installed](crate::replica::Replica::install).
    pub fn withheld(&self, controller: ControllerId) -> impl Iterator<Item = AttributeId> + '_ {
        let first = self.withheld.partition_point(|(known, _)| *known < controller);
        let all = self.withheld.get(first..).unwrap_or_default().iter();
        all.take_while(move |(known, _)| *known == controller).map(|(_, attribute)| *attribute)
    }

    /// Whether the server withholds an attribute's value from this client.
    pub(crate) fn is_withheld(&self, controller: ControllerId, attribute: AttributeId) -> bool {
        !self.withheld.is_empty() && self.withheld.binary_search(&(controller, attribute)).is_ok()
    }

    /// Replaces the list of withheld attributes, sorted here. It is kept outside the state like that of
    /// [`Self::set_known`].
    pub(crate) fn set_withheld(&mut self, mut withheld: Vec<(ControllerId, AttributeId)>) {
        withheld.sort_unstable();
        self.withheld = withheld;
    }
}
