//! The request `export`: a moment as a scenario that reproduces it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::json;
use ugas_core::catalog::{Catalog, RebuildError};
use ugas_core::debug::ControllerNames;
use ugas_core::handle::ControllerId;
use ugas_core::simulation::{Config, Role, Simulation};
use ugas_data::decode::{Field, Word};
use ugas_data::model::scenario::{ConfigDoc, ControllerExpectRecord, ExpectRecord, StateDoc};
use ugas_data::node::{Entry, Node, Style, Value, to_yaml};
use ugas_data::scenario::{Options, Outcome, Runner, Scenario, state_text};

use crate::request::{Answer, RequestError};

/// The files that the shown game was started from.
pub(crate) struct ExportSource {
    pub(crate) scenario: Option<Scenario>,
    /// Path of the game's pack; empty if unknown. A comment in the exported file names it.
    pub(crate) pack: String,
}

/// The moment as a scenario file: the shown scenario up to the moment if it reproduces the state, otherwise
/// the state itself. Either is run once before it is returned, and must end in the same state.
pub(crate) fn export(simulation: &Simulation, names: &ControllerNames, source: &ExportSource) -> Answer {
    let seconds = simulation.now().as_seconds();
    let cut = source.scenario.as_ref().and_then(|scenario| cut_out(simulation, names, scenario, source));
    let text = match cut {
        Some(text) => text,
        None => from_state(simulation, names, source)?,
    };
    Ok(json!({ "file": format!("moment-{seconds}.yaml"), "text": text, "exact": true }))
}

/// The scenario up to the moment, if it ends in the same state.
fn cut_out(
    simulation: &Simulation,
    names: &ControllerNames,
    scenario: &Scenario,
    source: &ExportSource,
) -> Option<String> {
    let catalog = scenario.catalog().ok()?;
    let is_here = |end: &Outcome| end.hash == Some(simulation.state_hash());
    let mut document: Option<(Node, usize)> = None;
    for cut in scenario.until(simulation.now()) {
        let read = Scenario::from_text(scenario.path(), to_yaml(&cut)).ok()?.pop()?;
        let Some(end) = end_of(&read, catalog.clone()).filter(is_here) else { continue };
        // A refusal that the next step expects is a failure without that step, but leads to the same state.
        if document.as_ref().is_none_or(|(_, failures)| end.failures.len() < *failures) {
            document = Some((cut, end.failures.len()));
        }
        if end.passed() {
            break;
        }
    }
    let (document, failures) = document?;
    // Names of the scenario itself. Controllers that it does not declare have none.
    let name = |id| Some(names.of(simulation, id)).filter(|name| scenario.has_controller(name));
    // Tags that a file names become part of its rules, so naming them may change the hash: try without, too.
    [true, false].into_iter().find_map(|with_tags| {
        let mut document = document.clone();
        push_step(&mut document, expectation(simulation, &name, with_tags));
        let text = match is_alone(scenario) {
            true => to_yaml(&document),
            false => {
                let catalog = simulation.catalog();
                format!("{}{}", remarks(simulation, source), to_yaml(&alone(document, scenario, catalog)?))
            }
        };
        let cut = Scenario::from_text("moment.yaml", text.as_str()).ok()?.pop()?;
        let end = end_of(&cut, cut.catalog().ok()?)?;
        // It has the same failures as the scenario, and no others.
        (is_here(&end) && end.failures.len() == failures).then_some(text)
    })
}

/// Whether a scenario needs no other file.
fn is_alone(scenario: &Scenario) -> bool {
    scenario.pack().is_none() && !matches!(scenario.doc().state, Some(StateDoc::File(_)))
}

/// A self-contained document: the file may be saved anywhere, where no file beside the scenario is found. So
/// it begins with an empty simulation that includes the rules. `None` if the scenario begins with a state
/// already.
fn alone(mut document: Node, scenario: &Scenario, catalog: &Arc<Catalog>) -> Option<Node> {
    if scenario.doc().state.is_some() {
        return None;
    }
    let Value::Map(entries) = &mut document.value else { return None };
    // The expectations about loading definitions go with the definitions.
    entries.retain(|entry| !["Pack", "Definitions", "ExpectLoad"].contains(&entry.key.value.as_str()));
    entries.push(state_of(&Simulation::new(catalog.clone(), Config::seeded(scenario.seed()))));
    Some(document)
}

/// The whole state with its rules, as text of a scenario's `State`.
fn state_of(simulation: &Simulation) -> Entry {
    let mut state = entry("State", Value::Text(state_text(&simulation.snapshot().to_bytes_with_rules())));
    state.value.style = Style::Block;
    state
}

/// The outcome of a scenario; `None` if it cannot be started.
fn end_of(scenario: &Scenario, catalog: Arc<Catalog>) -> Option<Outcome> {
    let mut runner = Runner::new(scenario, catalog, Options::default()).ok()?;
    runner.run(|_| {});
    Some(runner.into_outcome())
}

/// Appends a step to the `Steps` of a scenario document.
fn push_step(document: &mut Node, step: Node) {
    let Value::Map(entries) = &mut document.value else { return };
    let steps = entries.iter_mut().find(|entry| entry.key.value == "Steps");
    if let Some(Entry { value: Node { value: Value::List(steps), .. }, .. }) = steps {
        steps.push(step);
    }
}

/// A scenario that begins with the moment's state, which includes its rules.
fn from_state(
    simulation: &Simulation,
    names: &ControllerNames,
    source: &ExportSource,
) -> Result<String, RequestError> {
    let labels = labels(simulation, names);
    let text = format!("{}{}", remarks(simulation, source), to_yaml(&document(simulation, &labels)));
    let wrong = |what: String| RequestError::gone(format!("the moment cannot be exported: {what}"));
    let read = Scenario::from_text("moment.yaml", text.as_str());
    let read = read.map_err(|error| wrong(error.report.to_string()))?.pop();
    let scenario = read.ok_or_else(|| wrong("its file has no scenario".to_owned()))?;
    let runner = Runner::new(&scenario, simulation.catalog().clone(), Options::default());
    let mut runner = runner.map_err(|failure| wrong(failure.message))?;
    runner.run(|_| {});
    match runner.into_outcome().failures.first() {
        None => Ok(text),
        Some(failure) => Err(wrong(failure.message.clone())),
    }
}

/// Scenario that begins with the state of this moment, and expects what it has. `labels` are names for its
/// controllers.
fn document(simulation: &Simulation, labels: &BTreeMap<ControllerId, String>) -> Node {
    let seconds = simulation.now().as_seconds();
    let mut keys = vec![entry("Name", Value::Text(format!("the moment at {seconds} s")))];
    let config = simulation.config();
    if config.role != Role::default() {
        keys.push(entry("Role", Value::Text(config.role.word().to_owned())));
    }
    if let Some(config) = ConfigDoc::of(config) {
        keys.push(entry("Config", config.encode()));
    }
    let handle = |id: &ControllerId| Value::Map(vec![entry("Handle", Value::Text(format!("{id:?}")))]);
    let controllers: Vec<Entry> = labels.iter().map(|(id, label)| entry(label, handle(id))).collect();
    if !controllers.is_empty() {
        keys.push(entry("Controllers", Value::Map(controllers)));
    }
    let name = |id| labels.get(&id).cloned();
    let steps = vec![expectation(simulation, &name, true)];
    keys.push(entry("Steps", Value::List(steps)));
    // Last, because it is long and not for people.
    keys.push(state_of(simulation));
    Node::synthetic(Value::Map(keys))
}

/// Comments at the top of the file.
fn remarks(simulation: &Simulation, source: &ExportSource) -> String {
    let seconds = simulation.now().as_seconds();
    let mut text = format!("# Taken at {seconds} s. The state at the end of the file includes its rules.\n");
    if !source.pack.is_empty() {
        let pack = serde_json::Value::from(source.pack.as_str());
        text.push_str(&format!(
            "# To use the pack's current rules instead, add `Pack: {pack}` (a path relative to this file).\n"
        ));
    }
    let without = Catalog::builder().build().ok();
    let built =
        without.map(|without| simulation.catalog().definitions().clone().build_with_natives_of(&without));
    if let Some(Err(RebuildError::MissingNatives(missing))) = built {
        let missing: Vec<String> = missing.iter().map(|(kind, name)| format!("{kind} `{name}`")).collect();
        text.push_str(&format!("# It needs native code of the game: {}.\n", missing.join(", ")));
    }
    text
}

/// An `Expect` step with the values and tags of all named controllers, and the hash of the whole state.
fn expectation(
    simulation: &Simulation,
    name: &dyn Fn(ControllerId) -> Option<String>,
    with_tags: bool,
) -> Node {
    let catalog = simulation.catalog();
    let hash = Value::Text(format!("{:016x}", simulation.state_hash()));
    let mut expected = vec![entry("Hash", hash)];
    for (id, controller) in simulation.controllers() {
        let Some(who) = name(id).filter(|who| !is_taken(who)) else { continue };
        let (mut fields, mut bases) = (Vec::new(), Vec::new());
        for (attribute, base, current) in simulation.attributes(id) {
            let name = catalog.attribute_name(attribute);
            let number = |number: f64| number.is_finite().then(|| entry(name, Value::Number(number)));
            // An attribute with the name of another key of the record is only listed with its base.
            fields.extend(number(current).filter(|_| !ControllerExpectRecord::FIELDS.contains(&name)));
            bases.extend(number(base));
        }
        let tags = controller.tags().iter().filter(|(_, count)| with_tags && *count > 0);
        let tags: Vec<Entry> =
            tags.map(|(tag, count)| entry(catalog.tag_name(tag), Value::Number(f64::from(count)))).collect();
        if !bases.is_empty() {
            fields.push(entry("Base", Value::Map(bases)));
        }
        if !tags.is_empty() {
            fields.push(entry("Tags", Value::Map(vec![entry("Count", Value::Map(tags))])));
        }
        if !fields.is_empty() {
            expected.push(entry(&who, Value::Map(fields)));
        }
    }
    Node::synthetic(Value::Map(vec![entry("Expect", Value::Map(expected))]))
}

/// Whether a name is a key of `Expect` and so cannot be the name of a controller.
fn is_taken(name: &str) -> bool {
    ExpectRecord::FIELDS.contains(&name)
}

/// A unique name without blanks for each controller: controllers may share a name, keys of a file may not.
fn labels(simulation: &Simulation, names: &ControllerNames) -> BTreeMap<ControllerId, String> {
    let (mut taken, mut labels) = (BTreeSet::new(), BTreeMap::new());
    // The next number to try for each name, so that many controllers of one name do not take quadratic time.
    let mut next: BTreeMap<String, u64> = BTreeMap::new();
    for (id, _) in simulation.controllers() {
        let plain = names.of(simulation, id).replace(' ', "-");
        let number = next.entry(plain.clone()).or_insert(1);
        let label = loop {
            let label = if *number == 1 { plain.clone() } else { format!("{plain}-{number}") };
            *number += 1;
            if !label.is_empty() && !is_taken(&label) && taken.insert(label.clone()) {
                break label;
            }
        };
        labels.insert(id, label);
    }
    labels
}

/// Entry of a mapping that comes from no file.
fn entry(key: &str, value: Value) -> Entry {
    let key = ugas_data::source::Spanned { value: key.to_owned(), span: Node::synthetic(Value::Null).span };
    Entry { key, value: Node::synthetic(value) }
}
