//! The combined error type, for hosts that propagate all errors with `?`.

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
    DefineEffectError, EmbeddedRulesError, ForeignSnapshot, GrantSetError, MigrationError, ReadError,
    RegisterError, Simulation, SpawnError,
};
use ugas_core::targeting::NotFinitePosition;

/// Any error of an operation of the core.
///
/// Each operation has a small error of its own, which is more precise and the one to match on. All of them
/// convert into this type, so that set-up code and examples can use `?` throughout:
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
    /// The definitions are inconsistent.
    #[error("the definitions have errors:\n{0}")]
    Catalog(#[from] CatalogErrors),
    /// The catalog does not have a name.
    #[error(transparent)]
    UnknownName(#[from] UnknownName),
    /// A controller could not be spawned.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// An attribute set could not be registered or unregistered.
    #[error(transparent)]
    Register(#[from] RegisterError),
    /// An attribute has no value to read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// An effect could not be created at run time.
    #[error(transparent)]
    DefineEffect(#[from] DefineEffectError),
    /// A position or direction is not finite.
    #[error(transparent)]
    Position(#[from] NotFinitePosition),
    /// A curve is invalid.
    #[error(transparent)]
    Curve(#[from] CurveError),
    /// An application was refused.
    #[error("{0} (`Error::describe` shows names instead of ids)")]
    Refused(#[from] Box<Refusal>),
    /// Another operation was refused, for this one reason.
    #[error(transparent)]
    Reason(#[from] RefusalReason),
    /// An ability could not be activated or committed.
    #[error("{0} (`Error::describe` shows names instead of ids)")]
    Activation(#[from] Box<ActivationRefusal>),
    /// An ability set could not be granted.
    #[error(transparent)]
    GrantSet(#[from] GrantSetError),
    /// A snapshot is of another catalog.
    #[error(transparent)]
    ForeignSnapshot(#[from] ForeignSnapshot),
    /// Bytes could not be decoded.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// A catalog could not be built again from its definitions.
    #[error(transparent)]
    Rebuild(#[from] RebuildError),
    /// A simulation could not be reloaded with another catalog.
    #[error(transparent)]
    Reload(#[from] ReloadError),
    /// A snapshot could not be migrated, for a reason other than decoding or reloading.
    #[error(transparent)]
    Migration(Box<MigrationError>),
    /// The rules inside a snapshot cannot be used, for a reason other than decoding or inconsistent
    /// definitions.
    #[error(transparent)]
    EmbeddedRules(Box<EmbeddedRulesError>),
    /// A character could not be restored.
    #[error(transparent)]
    Restore(#[from] RestoreError),
    /// A pack could not be loaded; the error has all diagnostics.
    #[cfg(feature = "data")]
    #[error(transparent)]
    Load(Box<ugas_data::LoadError>),
    /// A command is invalid in itself. Errors that the corresponding method has too use its variant.
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
    /// Description of the error, with names instead of ids. Refusals carry ids only, because the names are in
    /// the simulation.
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
        // Boxed, so that a `Result` with this error stays small.
        Self::Refused(Box::new(refusal))
    }
}

impl From<ActivationRefusal> for Error {
    fn from(refusal: ActivationRefusal) -> Self {
        Self::Activation(Box::new(refusal))
    }
}

impl From<MigrationError> for Error {
    /// Error of the migration itself; errors of decoding and reloading get their own variants.
    fn from(error: MigrationError) -> Self {
        match error {
            MigrationError::Decode(error) => error.into(),
            MigrationError::Reload(error) => error.into(),
            other => Self::Migration(Box::new(other)),
        }
    }
}

impl From<EmbeddedRulesError> for Error {
    /// Error of the embedded rules themselves; errors of decoding and rebuilding get their own variants.
    fn from(error: EmbeddedRulesError) -> Self {
        match error {
            EmbeddedRulesError::Decode(error) => error.into(),
            EmbeddedRulesError::Rebuild(error) => error.into(),
            other => Self::EmbeddedRules(Box::new(other)),
        }
    }
}

impl From<CommandError> for Error {
    /// Error of the command itself; errors that the corresponding method has too get their own variants.
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
