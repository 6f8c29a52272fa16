//! What things are called on either side.

use core::num::NonZeroU32;
use std::collections::BTreeMap;

use crate::handle::{AbilityHandle, ActivationId, ActiveEffectId, ControllerId, Handle, TaskId};

/// A handle that is called otherwise on the other side: see [`Mirror::local`](super::Mirror::local).
pub trait Mirrored: Handle + Named {}

impl<H: Handle + Named> Mirrored for H {}

/// Which table a handle is in. Nobody else's handles are in one.
pub trait Named: Sized {
    #[doc(hidden)]
    fn table(names: &Names) -> &Table<Self>;

    #[doc(hidden)]
    fn unseen() -> Self;
}

/// All names, by the kind of what they name.
#[derive(Clone, Debug, Default)]
pub struct Names {
    pub(crate) controllers: Table<ControllerId>,
    pub(crate) effects: Table<ActiveEffectId>,
    pub(crate) abilities: Table<AbilityHandle>,
    pub(crate) runs: Table<ActivationId>,
    pub(crate) tasks: Table<TaskId>,
}

impl Names {
    pub(crate) fn local_or_unseen<H: Mirrored>(&self, remote: H) -> H {
        H::table(self).local(remote).unwrap_or_else(H::unseen)
    }
}

macro_rules! named {
    ($($handle:ident => $table:ident),* $(,)?) => {$(
        impl Named for $handle {
            fn table(names: &Names) -> &Table<Self> {
                &names.$table
            }

            fn unseen() -> Self {
                Self::UNSEEN
            }
        }
    )*};
}
named!(
    ControllerId => controllers,
    ActiveEffectId => effects,
    AbilityHandle => abilities,
    ActivationId => runs,
    TaskId => tasks,
);

/// The names of one kind.
#[derive(Clone, Debug)]
pub struct Table<H> {
    locals: BTreeMap<H, H>,
    /// By the place of the local handle: its generation, and the remote handle.
    remotes: Vec<Option<(NonZeroU32, H)>>,
    /// Places before this one are taken.
    first_free: usize,
    /// Handles with a generation from here on were never given out.
    pub(crate) unused: NonZeroU32,
}

impl<H> Default for Table<H> {
    fn default() -> Self {
        Self { locals: BTreeMap::new(), remotes: Vec::new(), first_free: 0, unused: NonZeroU32::MIN }
    }
}

impl<H: Handle> Table<H> {
    pub(crate) fn local(&self, remote: H) -> Option<H> {
        self.locals.get(&remote).copied()
    }

    pub(crate) fn remote(&self, local: H) -> Option<H> {
        let (generation, remote) = (*self.remotes.get(local.index() as usize)?)?;
        (generation == local.generation()).then_some(remote)
    }

    /// Gives something a name. False if its place is taken, or it has one.
    pub(crate) fn bind(&mut self, remote: H, local: H) -> bool {
        let at = local.index() as usize;
        let is_taken = self.remotes.get(at).is_some_and(Option::is_some);
        if is_taken || self.locals.contains_key(&remote) {
            return false;
        }
        if at >= self.remotes.len() {
            self.remotes.resize(at + 1, None);
        }
        self.remotes[at] = Some((local.generation(), remote));
        self.locals.insert(remote, local);
        true
    }

    /// Gives something the first place that nobody has, and a generation that nobody had.
    pub(crate) fn bind_anywhere(&mut self, remote: H) {
        while self.remotes.get(self.first_free).is_some_and(Option::is_some) {
            self.first_free += 1;
        }
        if let Ok(index) = u32::try_from(self.first_free) {
            self.bind(remote, H::from_parts(index, self.unused));
        }
    }

    /// Forgets the names of those that do not stay. Whether there were any.
    pub(crate) fn retain(&mut self, mut stays: impl FnMut(H) -> bool) -> bool {
        let Self { locals, remotes, first_free, unused: _ } = self;
        let before = locals.len();
        locals.retain(|&remote, local| {
            let stays = stays(remote);
            if !stays {
                let at = local.index() as usize;
                *first_free = at.min(*first_free);
                if let Some(place) = remotes.get_mut(at) {
                    *place = None;
                }
            }
            stays
        });
        locals.len() < before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(index: u32, generation: u32) -> TaskId {
        TaskId::from_parts(index, NonZeroU32::new(generation).unwrap())
    }

    #[test]
    fn names_lead_both_ways_and_places_are_used_again() {
        let mut table: Table<TaskId> = Table { unused: NonZeroU32::new(4).unwrap(), ..Table::default() };
        assert!(table.bind(task(9, 1), task(1, 2)));
        table.bind_anywhere(task(8, 1));
        table.bind_anywhere(task(7, 1));
        let local = [9, 8, 7].map(|remote| table.local(task(remote, 1)).unwrap());
        assert_eq!(local, [task(1, 2), task(0, 4), task(2, 4)]);
        assert_eq!(table.remote(task(1, 2)), Some(task(9, 1)));
        assert_eq!(table.remote(task(1, 3)), None);
        // The place is taken, whatever the generation; and one has one name.
        assert!(!table.bind(task(6, 1), task(1, 7)));
        assert!(!table.bind(task(9, 1), task(5, 1)));
        assert!(table.retain(|remote| remote != task(9, 1)));
        assert!(!table.retain(|_| true));
        assert_eq!((table.local(task(9, 1)), table.remote(task(1, 2))), (None, None));
        table.unused = NonZeroU32::new(5).unwrap();
        table.bind_anywhere(task(9, 1));
        assert_eq!(table.local(task(9, 1)), Some(task(1, 5)));
    }
}
