//! Display names of controllers.

use core::num::NonZeroU32;
use std::collections::BTreeMap;

use crate::handle::{ControllerId, Handle};
use crate::simulation::Simulation;

/// Display names of controllers, for messages and pages. Given names are kept for despawned controllers.
///
/// ```
/// # use ugas_core::catalog::Catalog;
/// # use ugas_core::controller::ControllerDef;
/// # use ugas_core::debug::ControllerNames;
/// # use ugas_core::simulation::{Config, Simulation};
/// # let catalog = Catalog::builder().template(ControllerDef::new("Wolf")).build()?;
/// # let mut sim = Simulation::new(catalog, Config::default());
/// let wolf = sim.spawn("Wolf")?;
/// let mut names = ControllerNames::default();
/// assert_eq!(names.of(&sim, wolf), "Wolf 0");
/// names.insert(wolf, "grey");
/// assert_eq!(names.replace_handles(&sim, &format!("{wolf:?} howls")), "grey howls");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ControllerNames {
    given: BTreeMap<ControllerId, String>,
}

impl ControllerNames {
    /// Gives a controller a name, and replaces its previous one.
    pub fn insert(&mut self, controller: ControllerId, name: impl Into<String>) {
        self.given.insert(controller, name.into());
    }

    /// Removes the given name of a controller.
    pub fn remove(&mut self, controller: ControllerId) {
        self.given.remove(&controller);
    }

    /// All given names, in the order of the handles.
    pub fn iter(&self) -> impl Iterator<Item = (ControllerId, &str)> {
        self.given.iter().map(|(controller, name)| (*controller, name.as_str()))
    }

    /// The given name of a controller.
    pub fn given(&self, controller: ControllerId) -> Option<&str> {
        self.given.get(&controller).map(String::as_str)
    }

    /// The given name of a controller, or the name that its `SpawnController` task gave it (A17), such as
    /// `wolf.2`. `None` if it has neither; a summon without a given name loses its name when it is despawned.
    pub fn known(&self, simulation: &Simulation, controller: ControllerId) -> Option<String> {
        let given = self.given(controller).map(str::to_owned);
        given.or_else(|| Some(simulation.controller(controller)?.summon()?.name()?.to_string()))
    }

    /// The [known](Self::known) name; by default the template and the index of the handle, or the handle alone.
    pub fn of(&self, simulation: &Simulation, controller: ControllerId) -> String {
        let by_template = || {
            let template = simulation.controller(controller)?.template()?;
            Some(format!("{} {}", simulation.catalog().template_name(template), controller.index()))
        };
        let name = self.known(simulation, controller).or_else(by_template);
        name.unwrap_or_else(|| format!("{controller:?}"))
    }

    /// Replaces handles of controllers in a text, such as `controller3v1`, with names.
    pub fn replace_handles(&self, simulation: &Simulation, text: &str) -> String {
        const MARK: &str = "controller";
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find(MARK) {
            let (before, found) = rest.split_at(at);
            out.push_str(before);
            let tail = &found[MARK.len()..];
            let length = tail.find(|c: char| !c.is_ascii_digit() && c != 'v').unwrap_or(tail.len());
            match handle(&tail[..length]) {
                Some(controller) => out.push_str(&self.of(simulation, controller)),
                None => out.push_str(&found[..MARK.len() + length]),
            }
            rest = &tail[length..];
        }
        out.push_str(rest);
        out
    }
}

impl<N: Into<String>> Extend<(ControllerId, N)> for ControllerNames {
    fn extend<I: IntoIterator<Item = (ControllerId, N)>>(&mut self, names: I) {
        self.given.extend(names.into_iter().map(|(controller, name)| (controller, name.into())));
    }
}

impl<N: Into<String>> FromIterator<(ControllerId, N)> for ControllerNames {
    fn from_iter<I: IntoIterator<Item = (ControllerId, N)>>(names: I) -> Self {
        let mut all = Self::default();
        all.extend(names);
        all
    }
}

/// The handle in the text after `controller`, such as `3v1`.
fn handle(text: &str) -> Option<ControllerId> {
    let (index, generation) = text.split_once('v')?;
    let generation: NonZeroU32 = generation.parse().ok()?;
    Some(ControllerId::from_parts(index.parse().ok()?, generation))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Catalog;
    use crate::simulation::Config;

    #[test]
    fn handles_in_text_are_replaced_with_names() {
        let simulation = Simulation::new(Catalog::builder().build().unwrap(), Config::default());
        let wolf = ControllerId::from_bits(1 << 32).unwrap();
        let names = ControllerNames::from_iter([(wolf, "wolf")]);
        let put = |text: &str| names.replace_handles(&simulation, text);
        assert_eq!(put("Hit on controller0v1 as active0v1"), "Hit on wolf as active0v1");
        assert_eq!(put("controller0v1: controller1v1"), "wolf: controller1v1");
        assert_eq!(put("the controller does not exist"), "the controller does not exist");
        assert_eq!(put("controller"), "controller");
        assert_eq!(put("controller99999999999999999999v1"), "controller99999999999999999999v1");
    }
}
