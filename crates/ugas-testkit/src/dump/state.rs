//! Text of the state: one block for each controller, sorted by ordinal.

use std::cell::RefCell;

use ugas_core::controller::Controller;
use ugas_core::handle::{ActivationId, ActiveEffectId, ControllerId, GrantedAbilityId, TaskId};
use ugas_core::simulation::Simulation;
use ugas_data::character::to_yaml;

use super::show::{Show, Writer};

/// Names of the inputs whose held time is written.
const INPUTS: [&str; 2] = ["One", "Two"];

/// Controllers in the order in which they were spawned, which does not depend on their slots.
fn controllers(sim: &Simulation) -> Vec<(ControllerId, &Controller)> {
    let mut all: Vec<_> = sim.controllers().collect();
    all.sort_by_key(|(_, controller)| controller.ordinal());
    all
}

/// Appends the clock with the next timer, the effects defined at run time, and a block for each controller.
/// Body of [`write_state`](super::write_state).
pub(super) fn write(out: &mut Writer<'_>) {
    let sim = out.sim;
    out.format(format_args!("state at {}us", sim.now().micros()));
    out.field("next", &sim.next_timer());
    out.list("defined", sim.runtime_effects().map(|(_, effect)| effect.name()));
    out.line();
    for (id, controller) in controllers(sim) {
        write_controller(out, id, controller);
    }
}

/// Appends the block of a controller: a line of its own properties, a line of values, tags and cues sorted by
/// name, then a line for each effect, ability, activation and task, and one for its inputs.
fn write_controller(out: &mut Writer<'_>, id: ControllerId, controller: &Controller) {
    let (sim, catalog) = (out.sim, out.sim.catalog());
    id.show(out);
    out.field("ordinal", &controller.ordinal());
    out.field("template", &controller.template());
    out.field("active", &controller.is_active());
    out.field("owner", &controller.owner());
    out.field("avatar", &controller.avatar());
    out.field("replication", &controller.replication());
    out.field("team", &controller.team().map(|team| team.name()));
    let placement = controller.placement().map(|placement| (placement.position(), placement.facing()));
    out.field("placement", &placement);
    out.field("subscriptions", &controller.subscription_count());
    if let Some(summon) = controller.summon() {
        out.field("summoned_by", &summon.instigator());
        out.field("bound", &summon.bound_to());
        out.field("name", &summon.name().map(ToString::to_string));
        out.field("expires", &summon.expires());
    }
    out.list("summons", sim.summons_of(id));
    out.list("withheld", sim.withheld(id));
    let sets = sim.attribute_sets(id).iter().map(|set| catalog.set_name(*set));
    out.list("sets", sorted(sets));
    out.line();
    let attributes = sim
        .attributes(id)
        .map(|(attribute, base, current)| (catalog.attribute_name(attribute), base, current));
    let mut attributes: Vec<_> = attributes.collect();
    attributes.sort_by_key(|(name, ..)| *name);
    out.list(" values", attributes);
    let tags = controller.tags();
    out.list("tags", sorted(tags.bits().iter().map(|tag| catalog.tag_name(tag))));
    let counts = tags.iter().map(|(tag, count)| (catalog.tag_name(tag), count, tags.cumulative_count(tag)));
    let mut counts: Vec<_> = counts.collect();
    counts.sort_unstable();
    out.list("counts", counts);
    let cues = controller.cues().iter().map(|&(cue, count)| (catalog.tag_name(cue), count));
    out.list("cues", sorted(cues));
    out.line();
    for &active in controller.effects() {
        write_effect(out, active);
    }
    for &handle in controller.abilities() {
        write_ability(out, handle);
    }
    for &activation in controller.activations() {
        write_activation(out, activation);
    }
    for task in sim.tasks_of(id) {
        write_task(out, task);
    }
    write_inputs(out, id, controller);
}

/// The values in ascending order, for lists whose order in the core depends on ids rather than on rules.
fn sorted<T: Ord>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut values: Vec<T> = values.collect();
    values.sort_unstable();
    values
}

/// Appends the line of an active effect: times, stacks, magnitudes and context. Writes `missing` if the
/// controller lists a handle that no longer exists.
fn write_effect(out: &mut Writer<'_>, id: ActiveEffectId) {
    let sim = out.sim;
    out.text("  effect ");
    id.show(out);
    let Some(active) = sim.effect(id) else { return out.text(" missing\n") };
    let spec = active.spec();
    out.field("def", &active.effect());
    out.field("target", &active.target());
    out.field("level", &spec.level());
    out.field("stacks", &active.stacks());
    out.field("status", &active.status());
    out.optional("inhibited", &active.is_inhibited());
    out.field("started", &active.started());
    out.field("duration", &active.duration());
    out.field("expires", &active.expires());
    out.field("remaining", &active.remaining(sim.now()));
    out.field("period", &active.period());
    out.field("next", &active.next_tick());
    out.field("ticks", &active.ticks());
    out.list("magnitudes", active.magnitudes());
    out.list("granted", active.granted_abilities());
    out.list("caller", spec.magnitudes());
    out.optional("jump", &u32::from(spec.jump()));
    out.optional("prediction", &spec.prediction());
    out.text(" ");
    spec.context().show(out);
    out.line();
}

/// Appends the line of a granted ability: level, input, charges, cooldown, and whether it can be activated
/// now, with the reasons if not. Writes `missing` if its handle no longer exists.
fn write_ability(out: &mut Writer<'_>, handle: GrantedAbilityId) {
    let sim = out.sim;
    out.text("  ability ");
    handle.show(out);
    let Some(granted) = sim.ability(handle) else { return out.text(" missing\n") };
    out.field("def", &granted.ability());
    out.field("level", &granted.level());
    out.field("input", &granted.input());
    out.optional("object", &granted.source_object());
    out.list("tags", granted.dynamic_tags());
    out.list("parameters", granted.parameters());
    out.optional("granted_by", &granted.granted_by());
    out.list("activations", granted.activations());
    out.field("charges", &granted.charges());
    out.field("next_charge", &granted.next_charge());
    out.optional("leaving", &granted.is_leaving());
    out.field("state", &sim.ability_state(handle));
    out.field("cooldown", &sim.ability_cooldown(handle));
    match sim.can_activate(handle) {
        Ok(()) => out.text(" ready"),
        Err(refusal) => out.list("refused", &refusal.reasons),
    }
    out.line();
}

/// Appends the line of an activation: its ability, targets, event, owned tags, cues and waiting tasks. Writes
/// `missing` if its handle no longer exists.
fn write_activation(out: &mut Writer<'_>, id: ActivationId) {
    let sim = out.sim;
    out.text("  activation ");
    id.show(out);
    let Some(activation) = sim.activation(id) else { return out.text(" missing\n") };
    out.field("of", &activation.granted());
    out.field("def", &activation.ability());
    out.field("owner", &activation.controller());
    out.field("level", &activation.level());
    out.field("started", &activation.started());
    out.field("targets", activation.targets());
    out.field("first", activation.first_targets());
    out.field("event", &activation.event());
    out.field("committed", &activation.is_committed());
    out.field("owned_tags", &activation.owned_tags());
    out.optional("prediction", &activation.prediction());
    out.list("cues", activation.cues());
    out.list("waits", activation.tasks());
    out.line();
}

/// Appends the line of a waiting task: kind, branch, step, deadline, queued occurrences and subscriptions.
/// Writes `missing` if its handle no longer exists.
fn write_task(out: &mut Writer<'_>, id: TaskId) {
    let sim = out.sim;
    out.text("  task ");
    id.show(out);
    let Some(task) = sim.task(id) else { return out.text(" missing\n") };
    out.field("kind", &sim.task_kind(id));
    out.field("host", &sim.is_host_task(id));
    out.field("of", &task.activation());
    out.field("owner", &task.controller());
    out.field("branch", &task.branch());
    out.field("step", &task.step());
    out.field("started", &task.started());
    out.field("deadline", &task.deadline());
    out.field("queued", &task.queued());
    out.list("subjects", task.subjects());
    if !task.watched().is_empty() {
        out.list("watched", task.watched());
    }
    out.line();
}

/// Appends the line of a controller's inputs: how long each of [`INPUTS`] has been held, and the settings and
/// contents of the input buffer.
fn write_inputs(out: &mut Writer<'_>, id: ControllerId, controller: &Controller) {
    let buffer = controller.input_buffer();
    let config = buffer.config();
    out.text("  inputs");
    for name in INPUTS {
        out.field(name, &out.sim.held(id, &name.into()));
    }
    out.format(format_args!(" buffer={}/{}/{}us", config.enabled, config.size, config.window.micros()));
    for kept in buffer.iter() {
        out.field("kept", &(&kept.input, kept.timestamp));
        out.optional("prediction", &kept.prediction);
        out.list("targets", kept.targets.iter());
    }
    out.line();
}

/// Appends an explanation of every attribute of every controller: base, clamp, and each layer with its
/// modifiers. Attributes that the core cannot explain are skipped. Body of [`super::write_explanations`].
pub(super) fn write_explanations(out: &mut Writer<'_>) {
    let sim = out.sim;
    for (id, _) in controllers(sim) {
        let mut attributes: Vec<_> = sim.attributes(id).map(|(attribute, ..)| attribute).collect();
        attributes.sort_by_key(|attribute| sim.catalog().attribute_name(*attribute));
        for attribute in attributes {
            let Some(explained) = sim.explain(id, attribute) else { continue };
            out.text("explain ");
            id.show(out);
            out.field("of", &explained.name);
            out.field("base", &explained.base);
            out.field("current", &explained.current);
            out.format(format_args!(
                " derived={:?} clamp={:?} hook={:?} withheld={}\n",
                explained.derived_from, explained.clamp, explained.adjusted_by_hook, explained.not_replicated
            ));
            for layer in &explained.layers {
                out.format(format_args!("  layer {} {:?} -> {:?}\n", layer.index, layer.input, layer.output));
                for term in &layer.terms {
                    out.text("   ");
                    out.field("by", &term.effect_name);
                    out.field("active", &term.active);
                    out.field("operation", &term.operation);
                    out.field("channel", &term.channel);
                    out.field("magnitude", &term.magnitude);
                    out.field("stacks", &term.stacks);
                    out.format(format_args!(" priority={}", term.priority));
                    out.field("source", &term.source);
                    out.field("counts", &term.qualifies);
                    out.format(format_args!(" reason={:?}\n", term.reason));
                }
            }
        }
    }
}

/// Appends every controller as YAML of its saved character, without the hashes of definitions, which are no
/// facts of the game. Body of [`super::write_characters`].
pub(super) fn write_characters(out: &mut Writer<'_>) {
    let sim = out.sim;
    for (id, _) in controllers(sim) {
        let names = RefCell::new(&mut *out.names);
        let name = |id| Some(names.borrow_mut().controller(id));
        let Some(mut character) = sim.character_named(id, name) else { continue };
        // Hashes of definitions are no facts of the game.
        character.effects.iter_mut().for_each(|effect| effect.rules = None);
        out.text("character ");
        id.show(out);
        out.line();
        for line in to_yaml(&character).lines() {
            out.text(without_envelope(line));
            out.line();
        }
    }
}

/// Line of a character without format version and checksum of an encoded definition: they say how it is written, not
/// what it is. A version has two hexadecimal digits, as has each of four bytes before it, and a checksum sixteen.
fn without_envelope(line: &str) -> &str {
    let Some((_, digits)) = line.split_once("Definition: hex:") else { return line };
    digits.len().checked_sub(16).and_then(|end| digits.get(10..end)).unwrap_or(line)
}
