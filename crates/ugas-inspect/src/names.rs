//! What controllers are called.

use std::collections::BTreeMap;

use ugas_core::handle::{ControllerId, Handle};
use ugas_core::simulation::Simulation;

/// Names of controllers, those of the dead included.
#[derive(Clone, Default)]
pub(crate) struct Names(pub(crate) BTreeMap<ControllerId, String>);

impl Names {
    /// The given name; without one, the template with the number of the place, or the handle alone.
    pub(crate) fn of(&self, simulation: &Simulation, id: ControllerId) -> String {
        if let Some(name) = self.0.get(&id) {
            return name.clone();
        }
        let template = simulation.controller(id).and_then(|known| known.template());
        match template {
            Some(template) => format!("{} {}", simulation.catalog().template_name(template), id.index()),
            None => format!("{id:?}"),
        }
    }

    /// A text with names in the place of handles, such as `controller3v1`.
    pub(crate) fn put_into(&self, simulation: &Simulation, text: &str) -> String {
        const MARK: &str = "controller";
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find(MARK) {
            let (before, found) = rest.split_at(at);
            out.push_str(before);
            let tail = &found[MARK.len()..];
            let length = tail.find(|c: char| !c.is_ascii_digit() && c != 'v').unwrap_or(tail.len());
            match handle(&tail[..length]) {
                Some(id) => out.push_str(&self.of(simulation, id)),
                None => out.push_str(&found[..MARK.len() + length]),
            }
            rest = &tail[length..];
        }
        out.push_str(rest);
        out
    }
}

/// A controller as messages name it: the bits of its handle, in decimal.
pub(crate) fn id_text(id: ControllerId) -> String {
    id.to_bits().to_string()
}

fn handle(text: &str) -> Option<ControllerId> {
    let (index, generation) = text.split_once('v')?;
    let (index, generation): (u64, u64) = (index.parse().ok()?, generation.parse().ok()?);
    let bits = generation.checked_shl(32)? | index;
    ControllerId::from_bits(bits)
        .filter(|_| index <= u64::from(u32::MAX) && generation <= u64::from(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ugas_core::catalog::Catalog;
    use ugas_core::simulation::Config;

    #[test]
    fn names_stand_in_the_place_of_handles() {
        let simulation = Simulation::new(Catalog::builder().build().unwrap(), Config::default());
        let wolf = ControllerId::from_bits(1 << 32).unwrap();
        let names = Names([(wolf, "wolf".to_owned())].into());
        let put = |text: &str| names.put_into(&simulation, text);
        assert_eq!(put("Hit on controller0v1 as active0v1"), "Hit on wolf as active0v1");
        assert_eq!(put("controller0v1: controller1v1"), "wolf: controller1v1");
        assert_eq!(put("the controller does not exist"), "the controller does not exist");
        assert_eq!(put("controller"), "controller");
        assert_eq!(put("controller99999999999999999999v1"), "controller99999999999999999999v1");
    }
}
