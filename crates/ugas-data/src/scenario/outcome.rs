//! Result of a scenario.

use std::path::PathBuf;

use serde_json::{Map, Value, json};
use ugas_core::ability::AbilityState;
use ugas_core::effect::EffectStatus;
use ugas_core::handle::ControllerId;
use ugas_core::simulation::Simulation;

use super::Scenario;
use crate::diagnostics::Severity;
use crate::loader::LoadError;

/// Failed expectation or step.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Failure {
    /// Position of the step, from 0; `None` for a failure before the first step.
    pub step: Option<u32>,
    /// Line in the file, from 1.
    pub line: u32,
    /// Expected value.
    pub expected: String,
    /// Actual value.
    pub actual: String,
    /// Message with both.
    pub message: String,
    /// Refusals, cancellations and failed tasks since the expectation before, a line each. Only the last failure
    /// of an expectation has them.
    pub problems: Vec<String>,
}

/// Result of a scenario: failures and the final state.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// Name of the scenario.
    pub name: String,
    /// File of the scenario.
    pub file: PathBuf,
    /// Clauses of the specification that it demonstrates.
    pub clauses: Vec<String>,
    /// Failures, in order; empty if it passed.
    pub failures: Vec<Failure>,
    /// Hash of the final state; `None` if it did not start.
    pub hash: Option<u64>,
    /// Final state of each controller that is there: those of the file in its order, then named summons.
    pub controllers: Vec<(String, ControllerState)>,
}

/// The state of a controller.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ControllerState {
    /// Attributes with base and current value.
    pub attributes: Vec<(String, f64, f64)>,
    /// Tags with their counts.
    pub tags: Vec<(String, u32)>,
    /// Effects in application order.
    pub effects: Vec<EffectState>,
    /// Abilities in the order of their grants.
    pub abilities: Vec<AbilityOutcome>,
}

/// Granted ability of a controller.
#[derive(Clone, PartialEq, Debug)]
pub struct AbilityOutcome {
    /// Name of the ability.
    pub name: String,
    /// State of its life cycle (§8.2).
    pub state: AbilityState,
    /// Remaining seconds of its cooldown; 0 if it is not on cooldown.
    pub cooldown: f64,
}

/// Active effect on a controller.
#[derive(Clone, PartialEq, Debug)]
pub struct EffectState {
    /// Name of the effect.
    pub effect: String,
    /// Number of stacks.
    pub stacks: u32,
    /// Remaining seconds; `None` if it is infinite.
    pub remaining: Option<f64>,
    /// Whether it is inhibited because its ongoing requirements fail.
    pub inhibited: bool,
    /// Whether it is queued behind another instance.
    pub queued: bool,
}

impl Outcome {
    /// Whether there are no failures.
    pub fn passed(&self) -> bool {
        self.failures.is_empty()
    }

    /// Entry of `scenarios` in `ugas run --format json`.
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

    /// Outcome without a final state.
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

    /// Outcome of a scenario that could not start.
    pub(super) fn not_started(scenario: &Scenario, failure: Failure) -> Self {
        Self::new(scenario, vec![failure])
    }

    /// Outcome of a file without a readable scenario.
    pub fn unreadable(file: PathBuf, error: &LoadError) -> Self {
        let name = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let (clauses, controllers) = (Vec::new(), Vec::new());
        Self { name, file, clauses, failures: failures_of(error), hash: None, controllers }
    }

    /// Outcome of a scenario whose definitions do not load.
    pub(super) fn unloadable(scenario: &Scenario, error: &LoadError) -> Self {
        Self::new(scenario, failures_of(error))
    }
}

/// Every error of a failed load as a failure before the first step.
fn failures_of(error: &LoadError) -> Vec<Failure> {
    let map = &error.report.source_map;
    let errors = error.report.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    let failures = errors.map(|diagnostic| Failure {
        step: None,
        line: map.position(diagnostic.span).line,
        expected: "definitions without errors".to_owned(),
        actual: diagnostic.code.to_owned(),
        message: crate::diagnostics::render_line(map, diagnostic),
        ..Failure::default()
    });
    failures.collect()
}

impl Failure {
    /// The first error of a file. Empty if the report has none.
    pub(super) fn of(error: &LoadError) -> Self {
        failures_of(error).into_iter().next().unwrap_or_default()
    }

    /// Whether it is an error of definitions, whose message begins with its own file and position.
    pub fn is_of_definitions(&self) -> bool {
        self.step.is_none() && self.message.contains(&format!("[{}]", self.actual))
    }

    /// Entry of `failures` in the JSON output. `problems` is there only if there are any.
    fn to_json(&self) -> Value {
        let Self { step, line, expected, actual, message, problems } = self;
        let mut failure =
            json!({ "step": step, "line": line, "expected": expected, "actual": actual, "message": message });
        if let (Some(failure), false) = (failure.as_object_mut(), problems.is_empty()) {
            failure.insert("problems".to_owned(), json!(problems));
        }
        failure
    }
}

impl ControllerState {
    /// Current state of a controller; empty if the controller does not exist.
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

    /// Entry of `final` in the JSON output.
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
