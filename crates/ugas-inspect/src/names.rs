//! Display names of controllers.

use std::collections::BTreeMap;

use ugas_core::handle::{ControllerId, Handle};
use ugas_core::simulation::Simulation;

/// Names of controllers, including despawned ones.
#[derive(Clone, Default)]
pub(crate) struct Names(pub(crate) BTreeMap<ControllerId, String>);

impl Names {
    /// The given name; by default the template and the index of the handle, or the handle alone.
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

    /// Replaces handles in a text, such as `controller3v1`, with names.
    pub(crate) fn replace_handles(&self, simulation: &Simulation, text: &str) -> String {
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

/// A controller in messages: the bits of its handle, in decimal.
pub(crate) fn id_text(id: ControllerId) -> String {
    id.to_bits().to_string()
}

/// Handle from its debug text without the prefix, like `3v1`; `None` if it is none.
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
    fn handles_in_text_are_replaced_with_names() {
        let simulation = Simulation::new(Catalog::builder().build().unwrap(), Config::default());
        let wolf = ControllerId::from_bits(1 << 32).unwrap();
        let names = Names([(wolf, "wolf".to_owned())].into());
        let put = |text: &str| names.replace_handles(&simulation, text);
        assert_eq!(put("Hit on controller0v1 as active0v1"), "Hit on wolf as active0v1");
        assert_eq!(put("controller0v1: controller1v1"), "wolf: controller1v1");
        assert_eq!(put("the controller does not exist"), "the controller does not exist");
        assert_eq!(put("controller"), "controller");
        assert_eq!(put("controller99999999999999999999v1"), "controller99999999999999999999v1");
    }
}
