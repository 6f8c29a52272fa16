//! The differences between two states.

mod value;

use core::fmt;
use std::collections::BTreeSet;

use ugas_core::effect::ActiveEffect;
use ugas_core::handle::{ActivationId, ActiveEffectId, ControllerId, GrantedAbilityId, TaskId};
use ugas_core::simulation::Simulation;

pub use value::Value;

/// The differences between two states: of two recordings at the same tick, or of two moments of one
/// recording.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct StateDiff {
    /// One entry per field. Fields that belong to no controller come first, then controllers by handle.
    pub differences: Vec<Difference>,
}

/// A field that differs between two states.
#[derive(Clone, PartialEq, Debug)]
pub struct Difference {
    /// Name of the controller; `None` if the field belongs to no controller.
    pub controller: Option<String>,
    /// Name of the field: `Health.current`, `tag State.Dead`, `effect GE_Poison (active3v1) stacks`.
    pub field: String,
    /// The value on the left.
    pub left: Value,
    /// The value on the right.
    pub right: Value,
}

impl StateDiff {
    /// Compares two simulations. Their catalogs may differ: runtime objects are matched by handle,
    /// definitions by name. If the hashes differ and no named field does, the hashes are the only entry.
    pub fn between(left: &Simulation, right: &Simulation, name: impl Fn(ControllerId) -> String) -> Self {
        let mut comparer = Comparer { left, right, name: &name, controller: None, differences: Vec::new() };
        comparer.simulation_fields();
        let ids: BTreeSet<ControllerId> =
            left.controllers().chain(right.controllers()).map(|(id, _)| id).collect();
        for id in ids {
            comparer.controller = Some(name(id));
            comparer.controller(id);
        }
        comparer.runtime_effects();
        let nothing_found = comparer.differences.is_empty();
        if nothing_found && left.state_hash() != right.state_hash() {
            comparer.controller = None;
            comparer.note(
                "hash (the differing field has no name)",
                Value::Text(format!("{:016x}", left.state_hash())),
                Value::Text(format!("{:016x}", right.state_hash())),
            );
        }
        Self { differences: comparer.differences }
    }

    /// Whether there are no differences.
    pub fn is_empty(&self) -> bool {
        self.differences.is_empty()
    }
}

impl fmt::Display for StateDiff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return writeln!(f, "no difference");
        }
        self.differences.iter().try_for_each(|difference| writeln!(f, "{difference}"))
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { controller, field, left, right } = self;
        if let Some(controller) = controller {
            write!(f, "{controller} ")?;
        }
        write!(f, "{field}: {left} -> {right}")
    }
}

/// Compares field by field.
struct Comparer<'a> {
    left: &'a Simulation,
    right: &'a Simulation,
    name: &'a dyn Fn(ControllerId) -> String,
    controller: Option<String>,
    differences: Vec<Difference>,
}

impl Comparer<'_> {
    /// Adds a difference of the current controller.
    fn note(&mut self, field: impl Into<String>, left: Value, right: Value) {
        let controller = self.controller.clone();
        self.differences.push(Difference { controller, field: field.into(), left, right });
    }

    /// Adds a field if it differs. Numbers are compared by their bits, like in the hash.
    fn field(&mut self, field: impl Into<String>, left: impl Into<Value>, right: impl Into<Value>) {
        let (left, right) = (left.into(), right.into());
        let is_same = match (&left, &right) {
            (Value::Number(left), Value::Number(right)) => left.to_bits() == right.to_bits(),
            _ => left == right,
        };
        if !is_same {
            self.note(field, left, right);
        }
    }

    /// Reads a field of both simulations, and adds it if it differs.
    fn both<V: Into<Value>>(&mut self, field: impl Into<String>, value: impl Fn(&Simulation) -> V) {
        let (left, right) = (value(self.left), value(self.right));
        self.field(field, left, right);
    }

    /// Compares the fields of the simulations themselves, without controllers.
    fn simulation_fields(&mut self) {
        self.both("time", Simulation::now);
        self.both("catalog", |sim| format!("{:016x}", sim.catalog().hash()));
        self.both("seed", |sim| sim.config().seed);
        self.both("count of controllers spawned", |sim| sim.counters().controllers);
        self.both("count of effects, grants and tasks", |sim| sim.counters().sequence);
        self.both("count of operations", |sim| sim.counters().operations);
        self.both("count of events", |sim| sim.counters().events);
    }

    /// Compares a controller with its attributes, tags, effects, abilities, activations, tasks and cues. One
    /// that exists on one side only is a single difference. If nothing with a name differs, the debug output
    /// is compared.
    fn controller(&mut self, id: ControllerId) {
        let (Some(left), Some(right)) = (self.left.controller(id), self.right.controller(id)) else {
            self.both("exists", |sim| sim.controller(id).is_some());
            return;
        };
        let before = self.differences.len();
        self.attributes(id);
        self.tags(id);
        for active in union(left.effects(), right.effects()) {
            self.effect(active);
        }
        self.order("order of effects", left.effects(), right.effects());
        for handle in union(left.abilities(), right.abilities()) {
            self.ability(handle);
        }
        self.order("order of abilities", left.abilities(), right.abilities());
        for activation in union(left.activations(), right.activations()) {
            self.activation(activation);
        }
        let tasks: BTreeSet<TaskId> = self.left.tasks_of(id).chain(self.right.tasks_of(id)).collect();
        for task in tasks {
            self.task(task);
        }
        let cues = |sim: &Simulation| -> String {
            let shown = sim.controller(id).map(|known| known.cues()).unwrap_or_default();
            let cue = |(tag, count): &(_, u32)| format!("{} {count}", sim.catalog().tag_name(*tag));
            shown.iter().map(cue).collect::<Vec<_>>().join(", ")
        };
        self.both("cues", cues);
        self.field("owner", text(left.owner()), text(right.owner()));
        self.field("avatar", text(left.avatar()), text(right.avatar()));
        self.field(
            "team",
            left.team().map(|team| team.name().to_owned()),
            right.team().map(|team| team.name().to_owned()),
        );
        self.field("placement", text(left.placement()), text(right.placement()));
        self.field("replication", text(Some(left.replication())), text(Some(right.replication())));
        self.field("ordinal", left.ordinal(), right.ordinal());
        let (kept_left, kept_right) = (left.input_buffer(), right.input_buffer());
        self.field("input buffer", text(Some(kept_left)), text(Some(kept_right)));
        if self.differences.len() == before {
            self.details("", left, right);
        }
    }

    /// Compares base and current values, in the order of the left side, then those that only the right side
    /// has.
    fn attributes(&mut self, id: ControllerId) {
        let names = |sim: &Simulation| -> Vec<String> {
            let catalog = sim.catalog();
            sim.attributes(id).map(|(attribute, ..)| catalog.attribute_name(attribute).to_owned()).collect()
        };
        let mut all = names(self.left);
        let known: BTreeSet<String> = all.iter().cloned().collect();
        all.extend(names(self.right).into_iter().filter(|name| !known.contains(name)));
        for name in all {
            let base = |sim: &Simulation| sim.base(id, sim.catalog().attribute(&name).ok()?);
            let current = |sim: &Simulation| sim.current(id, sim.catalog().attribute(&name).ok()?);
            self.both(format!("{name}.base"), base);
            self.both(format!("{name}.current"), current);
        }
    }

    /// Compares explicit tag counts by name.
    fn tags(&mut self, id: ControllerId) {
        let names = |sim: &Simulation| -> BTreeSet<String> {
            let tags = sim.tags(id).into_iter().flat_map(|tags| tags.iter());
            tags.map(|(tag, _)| sim.catalog().tag_name(tag).to_owned()).collect()
        };
        let all: BTreeSet<String> = &names(self.left) | &names(self.right);
        for name in all {
            let count = |sim: &Simulation| {
                let tag = sim.catalog().tag(&name).ok();
                tag.and_then(|tag| Some(sim.tags(id)?.count(tag))).unwrap_or(0)
            };
            self.both(format!("tag {name}"), count);
        }
    }

    /// Compares an active effect field by field; one that exists on one side only is a single difference.
    fn effect(&mut self, id: ActiveEffectId) {
        let name = |sim: &Simulation| Some(sim.effect_name(sim.effect(id)?.effect()).to_owned());
        let (left_name, right_name) = (name(self.left), name(self.right));
        let (Some(left), Some(right)) = (self.left.effect(id), self.right.effect(id)) else {
            let known = left_name.or(right_name).unwrap_or_default();
            self.both(format!("effect {known} ({id:?})"), |sim| sim.effect(id).map(stacks));
            return;
        };
        let before = self.differences.len();
        let path = format!("effect {} ({id:?})", left_name.clone().unwrap_or_default());
        self.field(path.clone(), left_name, right_name);
        let mut field = |name: &str, value: &dyn Fn(&ActiveEffect) -> Value| {
            self.field(format!("{path} {name}"), value(left), value(right));
        };
        field("stacks", &|active| active.stacks().into());
        field("level", &|active| active.spec().level().into());
        field("status", &|active| Value::Text(format!("{:?}", active.status())));
        field("inhibited", &|active| active.is_inhibited().into());
        field("started", &|active| active.started().into());
        field("expires", &|active| active.expires().into());
        field("period", &|active| active.period().into());
        field("next tick", &|active| active.next_tick().into());
        field("ticks", &|active| active.ticks().into());
        field("magnitudes", &|active| Value::Text(format!("{:?}", active.magnitudes())));
        let source = |active: &ActiveEffect| active.source().map(|source| (self.name)(source));
        self.field(format!("{path} source"), source(left), source(right));
        if self.differences.len() == before {
            self.details(&path, left, right);
        }
    }

    /// Compares a granted ability field by field; one that exists on one side only is a single difference.
    fn ability(&mut self, handle: GrantedAbilityId) {
        let name =
            |sim: &Simulation| Some(sim.catalog().ability_name(sim.ability(handle)?.ability()).to_owned());
        let known = name(self.left).or(name(self.right)).unwrap_or_default();
        let path = format!("ability {known} ({handle:?})");
        let (Some(left), Some(right)) = (self.left.ability(handle), self.right.ability(handle)) else {
            self.both(path, |sim| sim.ability_state(handle).map(|state| format!("{state:?}")));
            return;
        };
        let before = self.differences.len();
        self.both(path.clone(), name);
        self.both(format!("{path} state"), |sim| sim.ability_state(handle).map(|state| format!("{state:?}")));
        self.field(format!("{path} level"), left.level(), right.level());
        self.field(format!("{path} charges"), left.charges(), right.charges());
        self.field(format!("{path} next charge"), left.next_charge(), right.next_charge());
        self.field(format!("{path} runs"), left.activations().len() as u64, right.activations().len() as u64);
        let input = |input: Option<&ugas_core::input::InputId>| input.map(ToString::to_string);
        self.field(format!("{path} input"), input(left.input()), input(right.input()));
        if self.differences.len() == before {
            self.details(&path, left, right);
        }
    }

    /// Compares an activation; one that exists on one side only is a single difference with its start time.
    fn activation(&mut self, id: ActivationId) {
        let name =
            |sim: &Simulation| Some(sim.catalog().ability_name(sim.activation(id)?.ability()).to_owned());
        let known = name(self.left).or(name(self.right)).unwrap_or_default();
        let path = format!("run of {known} ({id:?})");
        match (self.left.activation(id), self.right.activation(id)) {
            (Some(left), Some(right)) => {
                self.field(format!("{path} committed"), left.is_committed(), right.is_committed());
                self.details(&path, left, right);
            }
            _ => self.both(path, |sim| sim.activation(id).map(|run| run.started())),
        }
    }

    /// Compares a task by its debug output; one that exists on one side only is a single difference with its
    /// start time.
    fn task(&mut self, id: TaskId) {
        let name = |sim: &Simulation| sim.task_kind(id).map(str::to_owned);
        let path = format!("task {} ({id:?})", name(self.left).or(name(self.right)).unwrap_or_default());
        match (self.left.task(id), self.right.task(id)) {
            (Some(left), Some(right)) => self.details(&path, left, right),
            _ => self.both(path, |sim| sim.task(id).map(|task| task.started())),
        }
    }

    /// Compares the definitions that were created at run time, as one field of no controller.
    fn runtime_effects(&mut self) {
        self.controller = None;
        let names = |sim: &Simulation| -> String {
            let effects = sim.runtime_effects();
            effects.map(|(id, effect)| format!("{} ({id:?})", effect.name())).collect::<Vec<_>>().join(", ")
        };
        self.both("effects created at run time", names);
    }

    /// Adds two lists if they have the same entries in a different order.
    fn order<T: PartialEq + fmt::Debug + Ord + Copy>(&mut self, what: &str, left: &[T], right: &[T]) {
        let sorted = |list: &[T]| list.iter().copied().collect::<BTreeSet<T>>();
        // Entries that are on one side only are reported elsewhere.
        if left != right && sorted(left) == sorted(right) {
            self.note(what, Value::Text(format!("{left:?}")), Value::Text(format!("{right:?}")));
        }
    }

    /// Adds the first field whose debug output differs, for fields without an accessor. Derived fields are
    /// skipped.
    fn details<T: fmt::Debug>(&mut self, path: &str, left: &T, right: &T) {
        let (left, right) = (format!("{left:#?}"), format!("{right:#?}"));
        if left == right {
            return;
        }
        let (left, right) = (fields(&left), fields(&right));
        let mut pairs = left.iter().zip(&right).filter(|(left, _)| !DERIVED.contains(&left.0));
        if let Some(((name, left), (_, right))) = pairs.find(|(left, right)| left != right) {
            let separator = if path.is_empty() { "" } else { " " };
            let text = |text: &str| Value::Text(text.trim_end_matches(',').to_owned());
            self.note(format!("{path}{separator}{name}"), text(left), text(right));
        }
    }
}

/// Fields that are derived from others and may differ between equal states, or that are reported elsewhere.
const DERIVED: [&str; 12] = [
    "layout",
    "modifiers",
    "effect_index",
    "outgoing",
    "watchers",
    "ability_index",
    "run_index",
    "triggers",
    "subscriptions",
    "ability_blocks",
    "pending",
    "timers",
];

/// The fields of a struct's debug output, each joined into one line. Those of a struct in the field `parts`, which a
/// record keeps beside itself, are fields too.
fn fields(printed: &str) -> Vec<(&str, String)> {
    let mut fields: Vec<(&str, String)> = Vec::new();
    let mut in_parts = false;
    for line in printed.lines() {
        if line.starts_with("    parts: ") && line.ends_with('{') {
            in_parts = true;
            continue;
        }
        if in_parts && line == "    }," {
            in_parts = false;
            continue;
        }
        let line = if in_parts { &line[4..] } else { line };
        if !line.starts_with("    ") {
            continue;
        }
        let is_field = !line.starts_with("     ");
        match line.trim().split_once(": ").filter(|_| is_field) {
            Some((name, value)) => fields.push((name, value.to_owned())),
            None => {
                if let Some((_, text)) = fields.last_mut() {
                    text.push(' ');
                    text.push_str(line.trim());
                }
            }
        }
    }
    fields
}

/// Number of stacks in words, for an effect that exists on one side only.
fn stacks(active: &ActiveEffect) -> String {
    match active.stacks() {
        1 => "1 stack".to_owned(),
        count => format!("{count} stacks"),
    }
}

/// Entries of both lists, sorted, each once.
fn union<T: Ord + Copy>(left: &[T], right: &[T]) -> BTreeSet<T> {
    left.iter().chain(right).copied().collect()
}

/// Debug text of a value; absent for `None`.
fn text<T: fmt::Debug>(value: Option<T>) -> Value {
    value.map_or(Value::Absent, |value| Value::Text(format!("{value:?}")))
}
