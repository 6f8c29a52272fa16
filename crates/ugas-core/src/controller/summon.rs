//! Data of controllers that `SpawnController` tasks created (A17).

use core::fmt;
use std::collections::BTreeSet;
use std::sync::Arc;

use crate::codec::{FieldClone, StateRecord};
use crate::handle::{ActivationId, ControllerId, Handle};
use crate::time::Time;
use crate::timer::TimerKey;

/// Name of a summoned controller: the `As` of its task and a number, unique among the living.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, StateRecord)]
pub struct SummonName {
    pub(crate) name: Arc<str>,
    pub(crate) number: u32,
}

impl SummonName {
    /// The name that the task gives (`As`), without the number.
    pub fn base(&self) -> &str {
        &self.name
    }

    /// The number: 1 for `wolf`, 2 for `wolf.2`.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Splits `wolf.2` into `wolf` and 2. Without a number, or with one that is never written, the number is 1 and the
    /// name is the whole text.
    pub fn split(text: &str) -> (&str, u32) {
        let numbered = text.rsplit_once('.').and_then(|(name, number)| {
            let is_canonical = !number.starts_with('0') && number.bytes().all(|byte| byte.is_ascii_digit());
            let number: u32 = number.parse().ok().filter(|number| is_canonical && *number > 1)?;
            (!name.is_empty()).then_some((name, number))
        });
        numbered.unwrap_or((text, 1))
    }
}

impl fmt::Display for SummonName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.number {
            1 => f.write_str(&self.name),
            number => write!(f, "{}.{number}", self.name),
        }
    }
}

/// Origin of a summoned controller, and when it leaves (A17).
#[derive(PartialEq, Debug, FieldClone, StateRecord)]
pub struct Summon {
    pub(crate) instigator: ControllerId,
    /// The activation that it leaves with.
    pub(crate) bound: Option<ActivationId>,
    pub(crate) name: Option<SummonName>,
    /// When its lifetime ends.
    pub(crate) expires: Option<Time>,
    /// Order of the summoning; orders its timer (V4).
    pub(crate) sequence: u64,
    /// Derived from `expires`.
    #[state(index)]
    pub(crate) timer: Option<TimerKey>,
}

impl Summon {
    /// The controller whose ability summoned it. The handle may be dead.
    pub fn instigator(&self) -> ControllerId {
        self.instigator
    }

    /// The activation that it leaves with; `None` if it stays when the ability ends, and on clients.
    pub fn bound_to(&self) -> Option<ActivationId> {
        self.bound
    }

    /// Its name, if the task gave one.
    pub fn name(&self) -> Option<&SummonName> {
        self.name.as_ref()
    }

    /// When its lifetime ends; `None` without one, and on clients.
    pub fn expires(&self) -> Option<Time> {
        self.expires
    }
}

/// Indexes of the summoned controllers: by instigator in the order of summoning, and by name. Derived.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct SummonIndex {
    by_instigator: BTreeSet<(ControllerId, u64, ControllerId)>,
    by_name: BTreeSet<(SummonName, ControllerId)>,
}

impl SummonIndex {
    /// Adds a summoned controller to both indexes.
    pub(crate) fn insert(&mut self, id: ControllerId, summon: &Summon) {
        self.by_instigator.insert((summon.instigator, summon.sequence, id));
        self.by_name.extend(summon.name.clone().map(|name| (name, id)));
    }

    /// Removes a summoned controller; `summon` must be unchanged since it was inserted.
    pub(crate) fn remove(&mut self, id: ControllerId, summon: &Summon) {
        self.by_instigator.remove(&(summon.instigator, summon.sequence, id));
        if let Some(name) = &summon.name {
            self.by_name.remove(&(name.clone(), id));
        }
    }

    pub(crate) fn clear(&mut self) {
        self.by_instigator.clear();
        self.by_name.clear();
    }

    /// Whether there are no summoned controllers.
    pub(crate) fn is_empty(&self) -> bool {
        self.by_instigator.is_empty()
    }

    /// The controllers that `instigator` summoned, the first one first.
    pub(crate) fn of(&self, instigator: ControllerId) -> impl Iterator<Item = ControllerId> + '_ {
        let all = self.by_instigator.range((instigator, 0, lowest())..);
        all.take_while(move |(of, ..)| *of == instigator).map(|&(.., id)| id)
    }

    /// The controller with this name.
    pub(crate) fn named(&self, name: &str, number: u32) -> Option<ControllerId> {
        let wanted = SummonName { name: name.into(), number };
        let mut found = self.by_name.range((wanted.clone(), lowest())..);
        found.next().filter(|(known, _)| *known == wanted).map(|&(_, id)| id)
    }

    /// The lowest number that no living controller has under this name.
    pub(crate) fn free_number(&self, name: &Arc<str>) -> u32 {
        let first = SummonName { name: Arc::clone(name), number: 0 };
        let taken = self.by_name.range((first, lowest())..).take_while(|(known, _)| known.name == *name);
        let mut free = 1;
        for (known, _) in taken {
            if known.number > free {
                break;
            }
            free = known.number.saturating_add(1);
        }
        free
    }
}

/// The smallest handle in the order of handles: start of range searches.
fn lowest() -> ControllerId {
    ControllerId::from_parts(0, core::num::NonZeroU32::MIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(index: u32) -> ControllerId {
        ControllerId::from_parts(index, core::num::NonZeroU32::MIN)
    }

    fn summon(number: u32) -> Summon {
        let name = Some(SummonName { name: "wolf".into(), number });
        Summon {
            instigator: id(0),
            bound: None,
            name,
            expires: None,
            sequence: u64::from(number),
            timer: None,
        }
    }

    #[test]
    fn name_splits_at_a_number_above_one_only() {
        assert_eq!(SummonName::split("wolf"), ("wolf", 1));
        assert_eq!(SummonName::split("wolf.2"), ("wolf", 2));
        for whole in ["wolf.1", "wolf.02", "wolf.x", ".2", "wolf.", "wolf.+3", "wolf.99999999999"] {
            assert_eq!(SummonName::split(whole), (whole, 1));
        }
    }

    #[test]
    fn free_number_fills_gaps() {
        let mut index = SummonIndex::default();
        assert_eq!(index.free_number(&"wolf".into()), 1);
        (1..=3).for_each(|number| index.insert(id(number), &summon(number)));
        assert_eq!(index.free_number(&"wolf".into()), 4);
        assert_eq!(index.free_number(&"wol".into()), 1);
        index.remove(id(2), &summon(2));
        assert_eq!(index.free_number(&"wolf".into()), 2);
        assert_eq!(index.named("wolf", 3), Some(id(3)));
        assert_eq!(index.named("wolf", 2), None);
        assert_eq!(index.of(id(0)).collect::<Vec<_>>(), [id(1), id(3)]);
        assert_eq!(index.of(id(1)).count(), 0);
    }
}
