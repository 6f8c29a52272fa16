//! Choice of a scenario by its name or by a controller.

use std::path::Path;

use anyhow::{Context, anyhow};
use ugas_core::time::Time;
use ugas_data::scenario::{Options, Runner, Scenario};

use crate::explain::controller_hint;
use crate::output;

/// The scenario by its name; by default the first that has the controller; without a controller, the first.
pub(crate) fn scenario<'s>(
    scenarios: &'s [Scenario],
    path: &Path,
    name: Option<&str>,
    controller: Option<&str>,
) -> anyhow::Result<&'s Scenario> {
    anyhow::ensure!(!scenarios.is_empty(), "there is no scenario in `{}`", path.display());
    if let Some(name) = name {
        let at = output::scenario_by_name(scenarios, path, name)?;
        return scenarios.get(at).context("the scenario is gone");
    }
    let Some(controller) = controller else { return scenarios.first().context("the scenario is gone") };
    scenarios.iter().find(|scenario| scenario.has_controller(controller)).ok_or_else(|| {
        let hint = controller_hint(scenarios, controller);
        anyhow!("no scenario of `{}` has a controller `{controller}`{hint}", path.display())
    })
}

/// Runs the scenario of this name, or the first that has the controller, up to a time. If none declares the
/// controller, the first in which a task summons it (A17).
pub(crate) fn run_with_controller<'s>(
    scenarios: &'s [Scenario],
    path: &Path,
    name: Option<&str>,
    controller: &str,
    until: Option<Time>,
) -> anyhow::Result<Runner<'s>> {
    let chosen = match scenario(scenarios, path, name, Some(controller)) {
        Ok(chosen) => chosen,
        Err(error) if name.is_some() => return Err(error),
        Err(error) => return run_with_summon(scenarios, controller, until).ok_or(error),
    };
    run(chosen, until)
}

/// The first scenario in which a task summons a controller of this name, after a run.
fn run_with_summon<'s>(
    scenarios: &'s [Scenario],
    controller: &str,
    until: Option<Time>,
) -> Option<Runner<'s>> {
    let mut runs = scenarios.iter().filter_map(|scenario| run(scenario, until).ok());
    runs.find(|runner| runner.had_controller(controller))
}

/// Runs a scenario up to a time.
pub(crate) fn run(scenario: &Scenario, until: Option<Time>) -> anyhow::Result<Runner<'_>> {
    let options = Options { until, ..Options::default() };
    let runner = Runner::new(scenario, scenario.catalog()?, options);
    let mut runner = runner.map_err(|failure| anyhow!(failure.message))?;
    runner.run(|_| {});
    Ok(runner)
}
