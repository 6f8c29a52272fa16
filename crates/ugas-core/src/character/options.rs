//! Options and errors of restoring a character.

use crate::attribute::layout::AttributeSetError;
use crate::codec::StateRecord;
use crate::handle::ControllerId;
use crate::id::ActorId;

/// Options of restoring a character.
#[derive(Clone, PartialEq, Debug, Default, StateRecord)]
pub struct RestoreOptions {
    owner: Option<ActorId>,
    avatar: Option<ActorId>,
    instigators: Vec<(InstigatorKey, ControllerId)>,
    orphans: Orphans,
}

/// Key of an instigator in the map of the options (P5).
#[derive(Clone, PartialEq, Eq, Debug, StateRecord)]
pub enum InstigatorKey {
    /// The actor that owned it.
    Owner(ActorId),
    /// The host's name for it.
    Name(String),
}

impl From<ActorId> for InstigatorKey {
    fn from(owner: ActorId) -> Self {
        Self::Owner(owner)
    }
}

impl From<&str> for InstigatorKey {
    fn from(name: &str) -> Self {
        Self::Name(name.to_owned())
    }
}

/// Handling of effects whose instigator is not found (P5).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, StateRecord)]
pub enum Orphans {
    /// Kept, with the last known state of the instigator.
    #[default]
    Keep,
    /// Dropped if they follow a live attribute of the instigator.
    DropFollowers,
    /// Dropped.
    Drop,
}

impl RestoreOptions {
    /// Sets the owner of the new controller, instead of that of the character.
    #[must_use]
    pub fn owner(mut self, owner: ActorId) -> Self {
        self.owner = Some(owner);
        self
    }

    /// Sets the avatar of the new controller, instead of that of the character (§4.2).
    #[must_use]
    pub fn avatar(mut self, avatar: ActorId) -> Self {
        self.avatar = Some(avatar);
        self
    }

    /// Maps an instigator to a controller.
    #[must_use]
    pub fn instigator(mut self, known_as: impl Into<InstigatorKey>, controller: ControllerId) -> Self {
        self.instigators.push((known_as.into(), controller));
        self
    }

    /// Sets the handling of effects whose instigator is not found.
    #[must_use]
    pub fn orphans(mut self, orphans: Orphans) -> Self {
        self.orphans = orphans;
        self
    }

    pub(crate) fn chosen_owner(&self) -> Option<ActorId> {
        self.owner
    }

    pub(crate) fn chosen_avatar(&self) -> Option<ActorId> {
        self.avatar
    }

    /// Policy for effects whose instigator is not found.
    pub(crate) fn rule_for_orphans(&self) -> Orphans {
        self.orphans
    }

    /// The controllers that an instigator may be, those mapped by owner first.
    pub(crate) fn candidates(
        &self,
        owner: Option<ActorId>,
        name: &str,
    ) -> impl Iterator<Item = ControllerId> {
        let by_owner =
            move |key: &InstigatorKey| owner.is_some_and(|owner| *key == InstigatorKey::Owner(owner));
        let by_name = move |key: &InstigatorKey| matches!(key, InstigatorKey::Name(known) if known == name);
        let owned = self.instigators.iter().filter(move |(key, _)| by_owner(key));
        let named = self.instigators.iter().filter(move |(key, _)| !name.is_empty() && by_name(key));
        owned.chain(named).map(|&(_, controller)| controller)
    }
}

/// Why a character could not be restored. Nothing has changed then.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RestoreError {
    /// The limit of controllers is reached.
    #[error("the limit of {0} controllers is reached: despawn some, or raise `Config::max_controllers`")]
    LimitReached(u32),
    /// Its attribute sets cannot be combined here (§6.4).
    #[error("the character cannot have its attribute sets here: {0}")]
    AttributeSets(#[from] AttributeSetError),
}
