//! One error for hosts that only want `?`.

use std::fmt;

use ugas_core::ability::ActivationRefusal;
use ugas_core::catalog::{CatalogErrors, RebuildError, UnknownName};
use ugas_core::character::RestoreError;
use ugas_core::codec::DecodeError;
use ugas_core::command::CommandError;
use ugas_core::curve::CurveError;
use ugas_core::refusal::{Refusal, RefusalReason};
use ugas_core::reload::ReloadError;
use ugas_core::simulation::{
    DefineEffectError, ForeignSnapshot, GrantSetError, MigrationError, OwnRulesError, ReadError,
    RegisterError, Simulation, SpawnError,
};

/// Anything that an operation of the core may answer instead of doing it.
///
/// Each operation has a small error of its own, which says more and is the one to match on. This type is what they all
/// convert into, so that set-up code and examples can use `?` throughout:
///
/// ```
/// use ugas::prelude::*;
///
/// fn poison(sim: &mut Simulation, target: ControllerId) -> Result<(), ugas::Error> {
///     let poison = sim.catalog().effect("GE_Poison")?; // an unknown name
///     sim.apply_effect(poison, None, target)?; // a refusal
///     Ok(())
/// }
///
/// let mut sim = Simulation::new(Catalog::builder().build()?, Config::default());
/// let nobody = sim.spawn_with(Spawn::def(ControllerDef::default()))?;
/// let error = poison(&mut sim, nobody).unwrap_err();
/// assert_eq!(error.to_string(), "there is no effect `GE_Poison` in the catalog");
/// # Ok::<(), ugas::Error>(())
/// ```
///
/// `Debug` prints the same text as `Display`, because that is what a failing `main` shows.
#[derive(Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The definitions do not hold together.
    #[error("the definitions do not hold together:\n{0}")]
    Catalog(#[from] CatalogErrors),
    /// A name that the catalog does not have.
    #[error(transparent)]
    UnknownName(#[from] UnknownName),
    /// A controller could not be spawned.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// An attribute set could not be registered or taken away.
    #[error(transparent)]
    Register(#[from] RegisterError),
    /// An attribute has no value to read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// An effect could not be created at run time.
    #[error(transparent)]
    DefineEffect(#[from] DefineEffectError),
    /// A curve is none.
    #[error(transparent)]
    Curve(#[from] CurveError),
    /// An application was refused.
    #[error("{0} (`Error::describe` says it with names)")]
    Refused(#[from] Box<Refusal>),
    /// An operation on something that is there was refused, for this one reason.
    #[error(transparent)]
    Reason(#[from] RefusalReason),
    /// An ability could not be activated or committed.
    #[error("{0} (`Error::describe` says it with names)")]
    Activation(#[from] Box<ActivationRefusal>),
    /// An ability set could not be given.
    #[error(transparent)]
    GrantSet(#[from] GrantSetError),
    /// A snapshot of another catalog.
    #[error(transparent)]
    ForeignSnapshot(#[from] ForeignSnapshot),
    /// Bytes that cannot be read.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// A catalog could not be built again from its definitions.
    #[error(transparent)]
    Rebuild(#[from] RebuildError),
    /// A simulation could not be put under another catalog.
    #[error(transparent)]
    Reload(#[from] ReloadError),
    /// A snapshot could not be brought to other rules, for a reason that neither bytes nor reload have.
    #[error(transparent)]
    Migration(Box<MigrationError>),
    /// The rules that a snapshot brings along are of no use, for a reason that neither bytes nor definitions have.
    #[error(transparent)]
    OwnRules(Box<OwnRulesError>),
    /// A character could not be restored.
    #[error(transparent)]
    Restore(#[from] RestoreError),
    /// A pack that does not load, with everything that is wrong with it.
    #[cfg(feature = "data")]
    #[error(transparent)]
    Load(Box<ugas_data::LoadError>),
    /// A command that is wrong in itself. Errors that a method has too are told as that method tells them.
    #[error(transparent)]
    Command(Box<CommandError>),
}

#[cfg(feature = "data")]
impl From<ugas_data::LoadError> for Error {
    fn from(error: ugas_data::LoadError) -> Self {
        Self::Load(Box::new(error))
    }
}

impl Error {
    /// The error in words, with names where ids would stand. Refusals carry ids only, since the state that knows the
    /// names goes on.
    pub fn describe(&self, simulation: &Simulation) -> String {
        match self {
            Self::Refused(refusal) => refusal.describe(simulation),
            Self::Reason(reason) => reason.describe(simulation),
            Self::Activation(refusal) => refusal.describe(simulation),
            Self::Read(error) => error.describe(simulation),
            other => other.to_string(),
        }
    }

    /// The outcome code of a refusal, as [`RefusalReason::code`] gives it; `None` for the other errors.
    pub fn refusal_code(&self) -> Option<&'static str> {
        match self {
            Self::Refused(refusal) => Some(refusal.code()),
            Self::Reason(reason) => Some(reason.code()),
            Self::Activation(refusal) => Some(refusal.code()),
            _ => None,
        }
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        // Boxed, so that the path on which nothing fails does not carry room for it.
        Self::Refused(Box::new(refusal))
    }
}

impl From<ActivationRefusal> for Error {
    fn from(refusal: ActivationRefusal) -> Self {
        Self::Activation(Box::new(refusal))
    }
}

impl From<MigrationError> for Error {
    fn from(error: MigrationError) -> Self {
        match error {
            MigrationError::Decode(error) => error.into(),
            MigrationError::Reload(error) => error.into(),
            other => Self::Migration(Box::new(other)),
        }
    }
}

impl From<OwnRulesError> for Error {
    fn from(error: OwnRulesError) -> Self {
        match error {
            OwnRulesError::Decode(error) => error.into(),
            OwnRulesError::Rebuild(error) => error.into(),
            other => Self::OwnRules(Box::new(other)),
        }
    }
}

impl From<CommandError> for Error {
    fn from(error: CommandError) -> Self {
        match error {
            CommandError::Spawn(error) => error.into(),
            CommandError::Register(error) => error.into(),
            CommandError::Refused(refusal) => refusal.into(),
            CommandError::Reason(reason) => reason.into(),
            CommandError::Define(error) => error.into(),
            CommandError::Restore(error) => error.into(),
            other => Self::Command(Box::new(other)),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
