//! Reload: moves a running simulation to a changed catalog. [`crate::reload`] has the rules.
//!
//! A copy of the simulation is moved to the new catalog, and replaces the old one when all is done (R7).
//! Reading order, one module per kind of state: `definitions` (effects created at run time), `controllers`,
//! `effects`, `abilities`, `activations`, `events`; then `derive` (derived state) and `resume` (the operation
//! that emits the events). Records are destructured field by field, so that a new field cannot be forgotten
//! here.
//!
//! A new kind of state gets its own module, called from [`Reload::run`] beside `abilities`.

mod abilities;
mod activations;
mod changes;
mod controllers;
mod definitions;
mod derive;
mod effects;
mod events;
mod resume;

use std::sync::Arc;

use self::changes::Changes;
use self::resume::Work;
use super::Simulation;
use super::scratch::Scratch;
use crate::catalog::{Catalog, DefinitionKind};
use crate::effect::{ActiveEffect, Effect};
use crate::handle::ActiveEffectId;
use crate::reload::{
    CatalogDiff, ReloadEntry, ReloadError, ReloadOutcome, ReloadPlace, ReloadReport, Renumbering,
};

impl Simulation {
    /// Moves the simulation to a changed catalog while it runs: values of controllers are kept, active
    /// effects continue under their new definitions, and everything that cannot continue is removed and
    /// reported. [`crate::reload`] has the rules.
    ///
    /// Handles stay valid. Ids are those of the new catalog from now on: [`ReloadReport::ids`] translates
    /// them. Earlier snapshots are refused afterwards, unless the catalogs are equal.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use ugas_core::attribute::{AttributeDef, AttributeSetDef};
    /// # use ugas_core::catalog::{Catalog, CatalogErrors};
    /// # use ugas_core::controller::ControllerDef;
    /// # use ugas_core::effect::EffectDef;
    /// # use ugas_core::modifier::Operation;
    /// # use ugas_core::simulation::{Config, Simulation};
    /// # use ugas_core::time::Span;
    /// fn rules(damage: f64) -> Result<Arc<Catalog>, CatalogErrors> {
    ///     Catalog::builder()
    ///         .attribute_set(AttributeSetDef::new("Combat").with(AttributeDef::new("Health", 100.0).min(0.0)))
    ///         .effect(EffectDef::lasting("GE_Poison", 10.0).every(1.0).modify("Health", Operation::Add, -damage))
    ///         .template(ControllerDef::new("Wolf").with_set("Combat"))
    ///         .build()
    /// }
    /// let catalog = rules(5.0)?;
    /// let mut sim = Simulation::new(catalog.clone(), Config::seeded(7));
    /// let wolf = sim.spawn("Wolf")?;
    /// sim.apply_effect(catalog.effect("GE_Poison")?, None, wolf)?;
    /// sim.advance(Span::seconds(4.0)); // four ticks of 5
    ///
    /// let report = sim.reload(rules(10.0)?)?;
    /// assert!(report.is_lossless());
    /// sim.advance(Span::seconds(6.0)); // six ticks of 10
    /// let health = sim.catalog().attribute("Health")?;
    /// assert_eq!(sim.current(wolf, health), Some(20.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the attribute sets of a controller conflict in the new catalog, or inside a batch. The state is
    /// unchanged then.
    pub fn reload(&mut self, catalog: Arc<Catalog>) -> Result<ReloadReport, ReloadError> {
        if self.scratch.current.batch_depth > 0 {
            return Err(ReloadError::InsideBatch);
        }
        let (next, report) = Reload::new(self, catalog).run()?;
        *self = next;
        Ok(report)
    }
}

/// State of a reload in progress.
struct Reload<'a> {
    old: &'a Simulation,
    /// The simulation under the new catalog, which replaces `old`.
    next: Simulation,
    changes: Changes<'a>,
    ids: Renumbering,
    entries: Vec<ReloadEntry>,
    /// Active effects in application order.
    order: Vec<ActiveEffectId>,
    /// Effects of `order` whose definition, or something that it uses, changed.
    touched: Vec<ActiveEffectId>,
    work: Work,
}

impl<'a> Reload<'a> {
    fn new(old: &'a Simulation, catalog: Arc<Catalog>) -> Self {
        let diff = CatalogDiff::between(&old.catalog, &catalog);
        let ids = Renumbering::new(&old.catalog, &catalog);
        let mut next = old.clone();
        next.catalog = catalog;
        next.scratch = Scratch::default();
        Self {
            old,
            next,
            changes: Changes { old: &old.catalog, diff },
            ids,
            entries: Vec::new(),
            order: old.state.application_order(),
            touched: Vec::new(),
            work: Work::default(),
        }
    }

    /// Carries out the reload on the copy and returns it with the report. The old simulation is only read, so
    /// that an error changes nothing (R7).
    fn run(mut self) -> Result<(Simulation, ReloadReport), ReloadError> {
        self.translate_definitions();
        self.translate_controllers()?;
        self.translate_effects();
        self.translate_abilities();
        self.translate_activations();
        self.translate_events();
        self.derive();
        self.resume();
        self.next.find_idle_queues();
        self.translate_waiting();
        let report = ReloadReport { diff: self.changes.diff, ids: self.ids, entries: self.entries };
        Ok((self.next, report))
    }

    fn report(
        &mut self,
        kind: DefinitionKind,
        name: impl Into<String>,
        place: ReloadPlace,
        outcome: ReloadOutcome,
    ) {
        self.entries.push(ReloadEntry { kind, name: name.into(), place, outcome });
    }

    /// An active effect before the reload, with its old definition; `None` if there is none.
    fn before(&self, id: ActiveEffectId) -> Option<(&'a ActiveEffect, &'a Arc<Effect>)> {
        let active = self.old.state.effects.get(id)?;
        Some((active, self.old.state.definition(&self.old.catalog, active.effect)?))
    }

    /// New definition of an active effect; `None` if the effect was dropped.
    fn definition_now(&self, id: ActiveEffectId) -> Option<Arc<Effect>> {
        let active = self.next.state.effects.get(id)?;
        self.next.state.definition(&self.next.catalog, active.effect).cloned()
    }
}
