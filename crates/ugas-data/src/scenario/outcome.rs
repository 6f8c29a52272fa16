//! How a scenario ended.

use std::path::PathBuf;

use serde_json::{Map, Value, json};
use ugas_core::ability::AbilityState;
use ugas_core::effect::EffectStatus;
use ugas_core::handle::ControllerId;
use ugas_core::simulation::Simulation;

use super::Scenario;
use crate::diagnostics::Severity;
use crate::loader::LoadError;

/// Something that was not as expected.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Failure {
    /// Position of the step, from 0; `None` for what is wrong before the first.
    pub step: Option<u32>,
    /// Line of the file.
    pub line: u32,
    /// What was expected.
    pub expected: String,
    /// What there was.
    pub actual: String,
    /// Both in a sentence.
    pub message: String,
}

/// How a scenario ended.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// Its name.
    pub name: String,
    /// Its file.
    pub file: PathBuf,
    /// The clauses that it shows.
    pub clauses: Vec<String>,
    /// What was not as expected.
    pub failures: Vec<Failure>,
    /// Hash of the final state; `None` if it never began.
    pub hash: Option<u64>,
    /// The final state of each controller, in the order of the file.
    pub controllers: Vec<(String, ControllerState)>,
}

/// The state of a controller.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ControllerState {
    /// Attributes with base and current value.
    pub attributes: Vec<(String, f64, f64)>,
    /// Tags with how often they are granted.
    pub tags: Vec<(String, u32)>,
    /// Effects in application order.
    pub effects: Vec<EffectState>,
    /// Abilities in the order of their grants.
    pub abilities: Vec<AbilityOutcome>,
}

/// An ability that a controller has.
#[derive(Clone, PartialEq, Debug)]
pub struct AbilityOutcome {
    /// Its name.
    pub name: String,
    /// Where it is in its life (§8.2).
    pub state: AbilityState,
    /// Seconds left of its cooldown; 0 if it does not cool down.
    pub cooldown: f64,
}

/// An effect on a controller.
#[derive(Clone, PartialEq, Debug)]
pub struct EffectState {
    /// Its name.
    pub effect: String,
    /// Its stacks.
    pub stacks: u32,
    /// Seconds left; `None` is for ever.
    pub remaining: Option<f64>,
    /// Whether its ongoing requirements fail.
    pub inhibited: bool,
    /// Whether it waits for its turn.
    pub queued: bool,
}

impl Outcome {
    /// Whether everything was as expected.
    pub fn passed(&self) -> bool {
        self.failures.is_empty()
    }

    /// One of the `scenarios` of `ugas run --format json`.
    pub fn to_json(&self) -> Value {
        let failures: Vec<Value> = self.failures.iter().map(Failure::to_json).collect();
        let controllers: Map<String, Value> =
            self.controllers.iter().map(|(name, state)| (name.clone(), state.to_json())).collect();
        json!({
            "name": self.name,
            "file": self.file.to_string_lossy(),
            "passed": self.passed(),
            "failures": failures,
            "hash": self.hash.map(|hash| format!("{hash:016x}")).unwrap_or_default(),
            "final": controllers,
        })
    }

    pub(super) fn new(scenario: &Scenario, failures: Vec<Failure>) -> Self {
        Self {
            name: scenario.name().to_owned(),
            file: scenario.path().to_owned(),
            clauses: scenario.clauses().map(str::to_owned).collect(),
            failures,
            hash: None,
            controllers: Vec::new(),
        }
    }

    /// It could not begin.
    pub(super) fn stillborn(scenario: &Scenario, failure: Failure) -> Self {
        Self::new(scenario, vec![failure])
    }

    /// A file that has no readable scenario.
    pub fn unreadable(file: PathBuf, error: &LoadError) -> Self {
        let name = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let (clauses, controllers) = (Vec::new(), Vec::new());
        Self { name, file, clauses, failures: failures_of(error), hash: None, controllers }
    }

    /// Its definitions do not load.
    pub(super) fn unloadable(scenario: &Scenario, error: &LoadError) -> Self {
        Self::new(scenario, failures_of(error))
    }
}

fn failures_of(error: &LoadError) -> Vec<Failure> {
    let map = &error.report.source_map;
    let errors = error.report.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    let failures = errors.map(|diagnostic| Failure {
        step: None,
        line: map.position(diagnostic.span).line,
        expected: "definitions without errors".to_owned(),
        actual: diagnostic.code.to_owned(),
        message: crate::diagnostics::render_line(map, diagnostic),
    });
    failures.collect()
}

impl Failure {
    /// The first error of a file.
    pub(super) fn of(error: &LoadError) -> Self {
        failures_of(error).into_iter().next().unwrap_or_default()
    }

    /// Whether it is a mistake of definitions, whose message begins with its own file and place.
    pub fn is_of_definitions(&self) -> bool {
        self.step.is_none() && self.message.contains(&format!("[{}]", self.actual))
    }

    fn to_json(&self) -> Value {
        let Self { step, line, expected, actual, message } = self;
        json!({ "step": step, "line": line, "expected": expected, "actual": actual, "message": message })
    }
}

impl ControllerState {
    /// The state of a controller as it is now; empty if it is gone.
    pub fn of(simulation: &Simulation, id: ControllerId) -> Self {
        let catalog = simulation.catalog();
        let attributes = simulation.attributes(id);
        let attributes =
            attributes.map(|(id, base, current)| (catalog.attribute_name(id).to_owned(), base, current));
        let tags = simulation.tags(id).into_iter().flat_map(|tags| tags.iter());
        let tags = tags.map(|(tag, count)| (catalog.tag_name(tag).to_owned(), count));
        let effects = simulation.controller(id).map(|controller| controller.effects()).unwrap_or_default();
        let effects = effects.iter().filter_map(|&id| {
            let active = simulation.effect(id)?;
            Some(EffectState {
                effect: simulation.effect_name(active.effect()).to_owned(),
                stacks: active.stacks(),
                remaining: active.remaining(simulation.now()).map(|span| span.as_seconds()),
                inhibited: active.is_inhibited(),
                queued: active.status() == EffectStatus::Queued,
            })
        });
        let abilities =
            simulation.controller(id).map(|controller| controller.abilities()).unwrap_or_default();
        let abilities = abilities.iter().filter_map(|&handle| {
            let cooldown = simulation.ability_cooldown(handle);
            Some(AbilityOutcome {
                name: catalog.ability_name(simulation.ability(handle)?.ability()).to_owned(),
                state: simulation.ability_state(handle)?,
                cooldown: cooldown.map_or(0.0, |(left, _)| left.as_seconds()),
            })
        });
        Self {
            attributes: attributes.collect(),
            tags: tags.collect(),
            effects: effects.collect(),
            abilities: abilities.collect(),
        }
    }

    fn to_json(&self) -> Value {
        let attributes: Map<String, Value> = self
            .attributes
            .iter()
            .map(|(name, base, current)| (name.clone(), json!({ "base": base, "current": current })))
            .collect();
        let tags: Map<String, Value> =
            self.tags.iter().map(|(tag, count)| (tag.clone(), json!(count))).collect();
        let effects: Vec<Value> = self
            .effects
            .iter()
            .map(|EffectState { effect, stacks, remaining, inhibited, queued }| {
                json!({
                    "effect": effect,
                    "stacks": stacks,
                    "remaining": remaining,
                    "inhibited": inhibited,
                    "queued": queued,
                })
            })
            .collect();
        let abilities: Vec<Value> = self
            .abilities
            .iter()
            .map(|AbilityOutcome { name, state, cooldown }| {
                json!({ "name": name, "state": format!("{state:?}"), "cooldown": cooldown })
            })
            .collect();
        json!({ "attributes": attributes, "tags": tags, "effects": effects, "abilities": abilities })
    }
}
