//! Hot reload from files: loads a pack and, if it has no errors, migrates the running simulation to it.
//!
//! [`ugas_core::reload`] defines the migration.

use ugas_core::reload::{ReloadError, ReloadReport};
use ugas_core::simulation::Simulation;

use crate::loader::{LoadError, Loader, Pack};

/// Result of a reload from files.
#[derive(Clone, Debug)]
pub struct Reloaded {
    /// New pack, with its warnings.
    pub pack: Pack,
    /// Differences between the packs, and their effect on the state.
    pub report: ReloadReport,
}

/// Failed reload. The simulation is unchanged.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReloadPackError {
    /// The files have errors.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The state cannot be migrated to the new rules.
    #[error(transparent)]
    Reload(#[from] ReloadError),
}

impl Loader {
    /// Loads all sources and migrates a running simulation to the result. Give the loader the same [native
    /// code](Self::natives) as the first time. A half-written file is an error like any other: nothing
    /// changes, and the next attempt may succeed.
    ///
    /// ```
    /// use ugas_core::simulation::{Config, Simulation};
    /// use ugas_data::Loader;
    ///
    /// let set = "$schema: x/schemas/attribute_set.json\nName: Combat\nAttributes: [ { Name: Health, DefaultBaseValue: 100 } ]";
    /// let mut sim = Simulation::new(Loader::new().text("set.yaml", set).load()?.catalog, Config::default());
    ///
    /// let broken = Loader::new().text("set.yaml", "Name: [").reload(&mut sim);
    /// assert!(broken.is_err());
    /// let changed = Loader::new().text("set.yaml", set.replace("100", "150")).reload(&mut sim)?;
    /// assert_eq!(changed.report.diff.to_string(), "attribute `Health` changed\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// All errors of the files, or the reason why the state cannot be migrated. The simulation is then
    /// unchanged.
    pub fn reload(self, simulation: &mut Simulation) -> Result<Reloaded, ReloadPackError> {
        let pack = self.load()?;
        let report = simulation.reload(pack.catalog.clone())?;
        Ok(Reloaded { pack, report })
    }
}
