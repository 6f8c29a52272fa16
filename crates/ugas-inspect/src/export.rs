//! A moment as a scenario that reproduces it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;
use ugas_core::handle::ControllerId;
use ugas_core::simulation::Simulation;
use ugas_data::character;
use ugas_data::node::{Entry, Node, Value, to_yaml};
use ugas_data::scenario::{Options, Runner, Scenario};

use crate::names::Names;
use crate::request::{Answer, Complaint};

/// Where moments come from, as far as files say it.
pub(crate) struct Origin {
    pub(crate) scenario: Option<Scenario>,
    pub(crate) pack: String,
}

/// The moment as a scenario file. One that is cut out of the scenario that is shown is run here first, and must end in the
/// very same state; otherwise the controllers begin as saved characters.
pub(crate) fn export(simulation: &Simulation, names: &Names, origin: &Origin) -> Answer {
    let seconds = simulation.now().as_seconds();
    let file = format!("moment-{seconds}.yaml");
    let cut = origin.scenario.as_ref().and_then(|scenario| {
        // Its own names, as they are.
        cut_out(simulation, scenario, &expectation(simulation, &|id| names.of(simulation, id)))
    });
    if let Some(text) = cut {
        return Ok(json!({ "file": file, "text": text, "exact": true }));
    }
    match from_characters(simulation, names, origin) {
        Some(text) => Ok(json!({ "file": file, "text": text, "exact": false })),
        None => Err(Complaint::gone("there is nobody to export at this moment")),
    }
}

/// The scenario up to the moment, if that is where it leads.
fn cut_out(simulation: &Simulation, scenario: &Scenario, expected: &Node) -> Option<String> {
    let catalog = scenario.catalog().ok()?;
    let hash = simulation.state_hash();
    for mut document in scenario.until(simulation.now()) {
        let text = to_yaml(&document);
        let cut = Scenario::from_text(scenario.path(), text).ok()?.pop()?;
        let Ok(mut runner) = Runner::new(&cut, catalog.clone(), Options::default()) else { continue };
        runner.run(|_| {});
        if runner.simulation().state_hash() == hash {
            push_step(&mut document, expected.clone());
            return Some(to_yaml(&document));
        }
    }
    None
}

fn push_step(document: &mut Node, step: Node) {
    let Value::Map(entries) = &mut document.value else { return };
    let steps = entries.iter_mut().find(|entry| entry.key.value == "Steps");
    if let Some(Entry { value: Node { value: Value::List(steps), .. }, .. }) = steps {
        steps.push(step);
    }
}

/// A scenario that begins with everybody as a saved character.
fn from_characters(simulation: &Simulation, names: &Names, origin: &Origin) -> Option<String> {
    let seconds = simulation.now().as_seconds();
    let labels = labels(simulation, names);
    let name = |id| labels.get(&id).cloned().unwrap_or_else(|| names.of(simulation, id));
    let mut actors = String::new();
    for (id, _) in simulation.controllers() {
        let saved = simulation.character_named(id, |id| Some(name(id)))?;
        let text: String = character::to_yaml(&saved).lines().map(|line| format!("      {line}\n")).collect();
        actors.push_str(&format!("  {}:\n    Character:\n{text}", quoted(&name(id))));
    }
    if actors.is_empty() {
        return None;
    }
    let mut steps = Node::synthetic(Value::List(Vec::new()));
    if let Value::List(steps) = &mut steps.value {
        steps.push(expectation(simulation, &name));
    }
    let steps: String = to_yaml(&steps).lines().map(|line| format!("  {line}\n")).collect();
    Some(format!(
        "# Taken at {seconds} s. What abilities were doing is not part of saved characters.\n\
         Name: the moment at {seconds} s\nPack: {}\nSeed: {}\nControllers:\n{actors}Steps:\n{steps}",
        quoted(&origin.pack),
        simulation.config().seed & ((1 << 53) - 1),
    ))
}

/// Values, tags and effects of everybody, as a step.
fn expectation(simulation: &Simulation, name: &dyn Fn(ControllerId) -> String) -> Node {
    let catalog = simulation.catalog();
    let mut everybody = Vec::new();
    for (id, controller) in simulation.controllers() {
        let (mut fields, mut bases) = (Vec::new(), Vec::new());
        for (attribute, base, current) in simulation.attributes(id) {
            let name = catalog.attribute_name(attribute);
            if base.is_finite() && current.is_finite() {
                fields.push(entry(name, Value::Number(current)));
                bases.push(entry(name, Value::Number(base)));
            }
        }
        let tags = controller.tags().iter().filter(|(_, count)| *count > 0);
        let tags: Vec<Entry> =
            tags.map(|(tag, count)| entry(catalog.tag_name(tag), Value::Number(f64::from(count)))).collect();
        if !bases.is_empty() {
            fields.push(entry("Base", Value::Map(bases)));
        }
        if !tags.is_empty() {
            fields.push(entry("Tags", Value::Map(vec![entry("Count", Value::Map(tags))])));
        }
        if !fields.is_empty() {
            everybody.push(entry(&name(id), Value::Map(fields)));
        }
    }
    Node::synthetic(Value::Map(vec![entry("Expect", Value::Map(everybody))]))
}

/// A name of one word for everybody who is there. Two may be called the same, and a file cannot have both.
fn labels(simulation: &Simulation, names: &Names) -> BTreeMap<ControllerId, String> {
    let mut taken = BTreeSet::new();
    let mut labels = BTreeMap::new();
    for (id, _) in simulation.controllers() {
        let plain = names.of(simulation, id).replace(' ', "-");
        let others = (2..).map(|number| format!("{plain}-{number}"));
        let mut free = core::iter::once(plain.clone()).chain(others).filter(|name| !taken.contains(name));
        let label = free.next().unwrap_or_else(|| format!("{id:?}"));
        taken.insert(label.clone());
        labels.insert(id, label);
    }
    labels
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn entry(key: &str, value: Value) -> Entry {
    let key = ugas_data::source::Spanned { value: key.to_owned(), span: Node::synthetic(Value::Null).span };
    Entry { key, value: Node::synthetic(value) }
}
