//! Errors of gameplay operations.

use bevy_ecs::prelude::Entity;
use ugas::{
    ActivationRefusal, GrantSetError, ReadError, Refusal, RefusalReason, RestoreError, SpawnError,
    UnknownName,
};

/// Error of a gameplay operation. Nothing has changed then.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GameplayError {
    /// The rules are not loaded yet.
    #[error("the rules are not loaded yet: wait for `RulesInstalled`, or run systems with `in_play`")]
    NoRules,
    /// The entity has no controller, or not yet.
    #[error("{0} has no controller: insert a `GameplayController` with a template of the rules")]
    NoController(Entity),
    /// The rules do not have this name.
    #[error(transparent)]
    UnknownName(#[from] UnknownName),
    /// The ability was not granted to the controller.
    #[error("the ability is not granted to {0}")]
    NotGranted(Entity),
    /// An effect was refused, with all reasons.
    #[error("{0}")]
    Application(Box<Refusal>),
    /// An ability was refused, with all reasons.
    #[error("{0}")]
    Activation(Box<ActivationRefusal>),
    /// Another operation was refused.
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
    /// Only the authority may do this, and this is a client.
    #[error("only the authority may do this: let the server do it, or use an ability")]
    NotAuthority,
    /// A client could not send the request.
    #[error("{0}")]
    Client(String),
    /// Rules cannot be reloaded while a network is connected.
    #[error("the rules cannot be reloaded while a network is connected: restart server and clients")]
    RulesInUse,
    /// A network plugin was added after the game had started.
    #[error("a controller was already spawned: add the network plugin before spawning")]
    GameAlreadyStarted,
    /// A second network plugin was added.
    #[error("the app has a network plugin already: an app is one server or client")]
    SecondNetwork,
    /// A socket could not be opened.
    #[error("{0}")]
    Socket(String),
    /// The state cannot be carried over to the new rules.
    #[error("{0}")]
    Reload(String),
    /// The snapshot was taken with other rules.
    #[error("{0}")]
    ForeignSnapshot(String),
}

impl GameplayError {
    /// Whether the rules refused it, as in normal play: not enough mana, for example. Every other error is a
    /// bug of the game.
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
