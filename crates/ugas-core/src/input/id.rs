//! Input ids: the names that abilities are bound to (§11.1).

use core::fmt;
use std::sync::Arc;

use crate::codec::StateRecord;

/// Input id that an ability is bound to: the end of the chain hardware, action, input id (§11.1).
///
/// A name rather than an index, because the two ends of the chain are loaded apart: a player's saved mapping
/// knows nothing of the catalog, and a grant may name an input that no mapping offers yet. Cloning shares the
/// text.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, StateRecord)]
pub struct InputId(Arc<str>);

impl InputId {
    /// The input called `name`. Names are compared exactly, upper and lower case included.
    pub fn new(name: &str) -> Self {
        Self(Arc::from(name))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for InputId {
    fn from(name: &str) -> Self {
        Self::new(name)
    }
}

impl From<String> for InputId {
    fn from(name: String) -> Self {
        Self(Arc::from(name))
    }
}

impl fmt::Display for InputId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for InputId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::StateHasher;

    #[test]
    fn input_ids_are_equal_by_name_alone() {
        let id = InputId::new("Ability.Slot.1");
        assert_eq!(id, InputId::from(String::from("Ability.Slot.1")));
        assert_ne!(id, InputId::from("ability.slot.1"));
        assert_eq!(StateHasher::of(&id), StateHasher::of("Ability.Slot.1"));
        assert_eq!(
            (id.to_string(), format!("{id:?}")),
            ("Ability.Slot.1".to_owned(), "\"Ability.Slot.1\"".to_owned())
        );
    }
}
