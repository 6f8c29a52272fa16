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

/// Most notes in a file about what does not come back.
const MOST_NOTES: usize = 50;

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
        let name = |id| names.of(simulation, id);
        cut_out(simulation, scenario, &Expectation::of(simulation, &name, None).step)
    });
    if let Some(text) = cut {
        return Ok(json!({ "file": file, "text": text, "exact": true, "differs": [] }));
    }
    match from_characters(simulation, names, origin) {
        Some((text, differs)) => {
            Ok(json!({ "file": file, "text": text, "exact": false, "differs": differs }))
        }
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

/// A scenario that begins with everybody as a saved character, and what does not come back that way. It is run here, so that it
/// expects what it leads to.
fn from_characters(simulation: &Simulation, names: &Names, origin: &Origin) -> Option<(String, Vec<String>)> {
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
    let expected = Expectation::of(simulation, &name, None);
    let text = document(simulation, origin, &actors, &expected);
    let read = Scenario::from_text("moment.yaml", text.as_str()).ok().and_then(|mut read| read.pop());
    let runner = read
        .as_ref()
        .and_then(|read| Runner::new(read, simulation.catalog().clone(), Options::default()).ok());
    let Some(mut runner) = runner else { return Some((text, expected.differs)) };
    runner.run(|_| {});
    let expected = Expectation::of(simulation, &name, Some(&runner));
    Some((document(simulation, origin, &actors, &expected), expected.differs))
}

fn document(simulation: &Simulation, origin: &Origin, actors: &str, expected: &Expectation) -> String {
    let seconds = simulation.now().as_seconds();
    let steps = Node::synthetic(Value::List(vec![expected.step.clone()]));
    let steps: String = to_yaml(&steps).lines().map(|line| format!("  {line}\n")).collect();
    let differs = expected.differs.iter().take(MOST_NOTES);
    let differs: String = differs.map(|text| format!("# Not as it was: {text}.\n")).collect();
    format!(
        "# Taken at {seconds} s. What abilities were doing is not part of saved characters.\n{differs}\
         Name: the moment at {seconds} s\nPack: {}\nSeed: {}\nControllers:\n{actors}Steps:\n{steps}",
        quoted(&origin.pack),
        simulation.config().seed & ((1 << 53) - 1),
    )
}

/// What a moment is expected to be, as a step, and in what a scenario differs from it.
struct Expectation {
    step: Node,
    differs: Vec<String>,
}

impl Expectation {
    /// Values and tags of everybody; with a run, those that are so in it too.
    fn of(simulation: &Simulation, name: &dyn Fn(ControllerId) -> String, run: Option<&Runner<'_>>) -> Self {
        let catalog = simulation.catalog();
        let mut differs = Vec::new();
        let mut everybody = Vec::new();
        for (id, controller) in simulation.controllers() {
            let who = name(id);
            let again = run.map(|run| (run.simulation(), run.controller(&who)));
            let mut holds =
                |what: &str, was: f64, find: &dyn Fn(&Simulation, ControllerId) -> Option<f64>| {
                    let Some((run, again)) = again else { return was.is_finite() };
                    let is = again.and_then(|again| find(run, again));
                    let is_same = is.is_some_and(|is| is == was);
                    if !is_same {
                        let is = is.map_or_else(|| "not there".to_owned(), |is| is.to_string());
                        differs.push(format!("{what} of {who} is {is} here, and was {was}"));
                    }
                    is_same && was.is_finite()
                };
            let (mut fields, mut bases) = (Vec::new(), Vec::new());
            for (attribute, base, current) in simulation.attributes(id) {
                let name = catalog.attribute_name(attribute);
                if holds(name, current, &|run, id| run.current(id, attribute)) {
                    fields.push(entry(name, Value::Number(current)));
                }
                let what = format!("the base of {name}");
                if holds(&what, base, &|run, id| run.base(id, attribute)) {
                    bases.push(entry(name, Value::Number(base)));
                }
            }
            let mut tags = Vec::new();
            for (tag, count) in controller.tags().iter().filter(|(_, count)| *count > 0) {
                let name = catalog.tag_name(tag);
                let counted = |run: &Simulation, id| {
                    let tags = run.controller(id)?.tags();
                    Some(
                        tags.iter()
                            .find(|(known, _)| *known == tag)
                            .map_or(0.0, |(_, count)| f64::from(count)),
                    )
                };
                if holds(&format!("the count of {name}"), f64::from(count), &counted) {
                    tags.push(entry(name, Value::Number(f64::from(count))));
                }
            }
            if !bases.is_empty() {
                fields.push(entry("Base", Value::Map(bases)));
            }
            if !tags.is_empty() {
                fields.push(entry("Tags", Value::Map(vec![entry("Count", Value::Map(tags))])));
            }
            if !fields.is_empty() {
                everybody.push(entry(&who, Value::Map(fields)));
            }
        }
        let step = Node::synthetic(Value::Map(vec![entry("Expect", Value::Map(everybody))]));
        Self { step, differs }
    }
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
