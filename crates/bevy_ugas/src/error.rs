//! Why something could not be done.

use bevy_ecs::prelude::Entity;
use ugas::{
    ActivationRefusal, GrantSetError, ReadError, Refusal, RefusalReason, RestoreError, SpawnError,
    UnknownName,
};

/// Why something could not be done. Nothing has changed then.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GameplayError {
    /// The pack is not loaded yet.
    #[error("there are no rules yet: act after `RulesInstalled`, or run systems with `in_play`")]
    NoRules,
    /// The entity has no controller, or not yet.
    #[error("{0} has no controller: insert a `GameplayController` of a template that the rules have")]
    NoController(Entity),
    /// The rules have no such name.
    #[error(transparent)]
    UnknownName(#[from] UnknownName),
    /// The controller does not have the ability.
    #[error("{0} was not granted the ability")]
    NotGranted(Entity),
    /// An effect was refused, with all reasons.
    #[error("{0}")]
    Application(Box<Refusal>),
    /// An ability was refused, with all reasons.
    #[error("{0}")]
    Activation(Box<ActivationRefusal>),
    /// Something else was refused.
    #[error("{0}")]
    Refused(RefusalReason),
    /// An attribute has no value to read.
    #[error(transparent)]
    Value(#[from] ReadError),
    /// A controller could not be spawned.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// A character could not be restored.
    #[error(transparent)]
    Restore(#[from] RestoreError),
    /// An ability set could not be granted.
    #[error(transparent)]
    GrantSet(#[from] GrantSetError),
    /// Only who decides may do this, and this is a client.
    #[error("only the authority may do this: let the server do it, or use an ability")]
    NotAuthority,
    /// A client could not send it.
    #[error("{0}")]
    Client(String),
    /// Rules cannot change while others play by them.
    #[error("rules cannot be reloaded while a network is connected: restart server and clients")]
    RulesInUse,
    /// A network is to run a game that runs already.
    #[error("somebody was spawned already: add the plugin of the network before that")]
    TooLate,
    /// A socket could not be opened.
    #[error("{0}")]
    Socket(String),
    /// The state cannot go on under the new rules.
    #[error("{0}")]
    Reload(String),
    /// A snapshot of other rules.
    #[error("{0}")]
    ForeignSnapshot(String),
}

impl GameplayError {
    /// Whether the rules said no, as they do all the time: not enough mana, say. Everything else is a mistake of the game's.
    pub fn is_refusal(&self) -> bool {
        matches!(self, Self::Application(_) | Self::Activation(_) | Self::Refused(_))
    }
}

impl From<Refusal> for GameplayError {
    fn from(refusal: Refusal) -> Self {
        Self::Application(Box::new(refusal))
    }
}

impl From<ActivationRefusal> for GameplayError {
    fn from(refusal: ActivationRefusal) -> Self {
        Self::Activation(Box::new(refusal))
    }
}

impl From<RefusalReason> for GameplayError {
    fn from(reason: RefusalReason) -> Self {
        Self::Refused(reason)
    }
}
