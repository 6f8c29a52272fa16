//! Hot reload from files: load, and only if nothing is wrong, let the running simulation go on under the new pack.
//!
//! [`ugas_core::reload`] has the rules; this is merely the way from files to there.

use ugas_core::reload::{ReloadError, ReloadReport};
use ugas_core::simulation::Simulation;

use crate::loader::{LoadError, Loader, Pack};

/// What a reload from files came to.
#[derive(Clone, Debug)]
pub struct Reloaded {
    /// The pack, with its warnings.
    pub pack: Pack,
    /// What differs, and what became of the state.
    pub report: ReloadReport,
}

/// Why a simulation was not reloaded. Nothing has changed then.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReloadPackError {
    /// Something is wrong with the files.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The state cannot go on under the new rules.
    #[error(transparent)]
    Reload(#[from] ReloadError),
}

impl Loader {
    /// Loads everything and puts a running simulation under it. Give the loader the same
    /// [native code](Self::natives) as the first time. A file that is half written when it is read is an error like any
    /// other: nothing changes, and the next try may succeed.
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
    /// Everything that is wrong with the files, or why the state cannot go on. Nothing has changed then.
    pub fn reload(self, simulation: &mut Simulation) -> Result<Reloaded, ReloadPackError> {
        let pack = self.load()?;
        let report = simulation.reload(pack.catalog.clone())?;
        Ok(Reloaded { pack, report })
    }
}
