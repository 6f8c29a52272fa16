//! Translation between the server's handles and the client's.

use core::num::NonZeroU32;
use std::collections::BTreeMap;

use crate::handle::{ActivationId, ActiveEffectId, ControllerId, GrantedAbilityId, Handle, TaskId};

/// A handle that a replica translates: see [`Replica::local`](super::Replica::local).
pub trait ReplicaHandle: Handle + Named {}

impl<H: Handle + Named> ReplicaHandle for H {}

/// The handle table for a type of handle. Sealed: only the core's handles have one.
pub trait Named: Sized {
    /// The table of this type of handle.
    #[doc(hidden)]
    fn table(names: &HandleMap) -> &HandleTable<Self>;

    /// The handle that stands for an object that is not visible.
    #[doc(hidden)]
    fn unseen() -> Self;
}

/// Translation of all handles, one table for each type.
#[derive(Clone, Debug, Default)]
pub struct HandleMap {
    pub(crate) controllers: HandleTable<ControllerId>,
    pub(crate) effects: HandleTable<ActiveEffectId>,
    pub(crate) abilities: HandleTable<GrantedAbilityId>,
    pub(crate) runs: HandleTable<ActivationId>,
    pub(crate) tasks: HandleTable<TaskId>,
}

impl HandleMap {
    /// Translates a server's handle to the client's; objects that are not visible become the unseen handle.
    pub(crate) fn local_or_unseen<H: ReplicaHandle>(&self, remote: H) -> H {
        H::table(self).local(remote).unwrap_or_else(H::unseen)
    }
}

macro_rules! named {
    ($($handle:ident => $table:ident),* $(,)?) => {$(
        impl Named for $handle {
            fn table(names: &HandleMap) -> &HandleTable<Self> {
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
    GrantedAbilityId => abilities,
    ActivationId => runs,
    TaskId => tasks,
);

/// Translation of the handles of one type.
#[derive(Clone, Debug)]
pub struct HandleTable<H> {
    locals: BTreeMap<H, H>,
    /// Generation of the local handle and the remote handle, by the index of the local handle.
    remotes: Vec<Option<(NonZeroU32, H)>>,
    /// Indices below this one are taken.
    first_free: usize,
    /// Lowest generation that was never given out.
    pub(crate) unused: NonZeroU32,
}

impl<H> Default for HandleTable<H> {
    fn default() -> Self {
        Self { locals: BTreeMap::new(), remotes: Vec::new(), first_free: 0, unused: NonZeroU32::MIN }
    }
}

impl<H: Handle> HandleTable<H> {
    /// The client's handle; `None` if the object is not bound.
    pub(crate) fn local(&self, remote: H) -> Option<H> {
        self.locals.get(&remote).copied()
    }

    /// The server's handle; `None` for an object that is not bound, or of another generation.
    pub(crate) fn remote(&self, local: H) -> Option<H> {
        let (generation, remote) = (*self.remotes.get(local.index() as usize)?)?;
        (generation == local.generation()).then_some(remote)
    }

    /// Binds a remote handle to a local one. False if the local index is taken or the remote handle already
    /// bound.
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

    /// Binds a remote handle to the first free index, with an unused generation.
    pub(crate) fn bind_anywhere(&mut self, remote: H) {
        while self.remotes.get(self.first_free).is_some_and(Option::is_some) {
            self.first_free += 1;
        }
        if let Ok(index) = u32::try_from(self.first_free) {
            self.bind(remote, H::from_parts(index, self.unused));
        }
    }

    /// Unbinds the remote handles that `stays` rejects. True if there were any.
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
    fn table_translates_both_ways_and_reuses_indices() {
        let mut table: HandleTable<TaskId> =
            HandleTable { unused: NonZeroU32::new(4).unwrap(), ..HandleTable::default() };
        assert!(table.bind(task(9, 1), task(1, 2)));
        table.bind_anywhere(task(8, 1));
        table.bind_anywhere(task(7, 1));
        let local = [9, 8, 7].map(|remote| table.local(task(remote, 1)).unwrap());
        assert_eq!(local, [task(1, 2), task(0, 4), task(2, 4)]);
        assert_eq!(table.remote(task(1, 2)), Some(task(9, 1)));
        assert_eq!(table.remote(task(1, 3)), None);
        // The index is taken, whatever the generation; and a remote handle is bound once.
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
