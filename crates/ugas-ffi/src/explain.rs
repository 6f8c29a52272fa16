//! Explanations: how a value was computed, as text and as JSON.

use serde_json::{Value, json};
use ugas_core::explain::{BoundExplanation, Explanation, LayerExplanation, Term};
use ugas_core::id::AttributeId;

use crate::catalog::ugas_attribute;
use crate::context::Context;
use crate::guard::{enter, ugas_context};
use crate::memory::ugas_str;
use crate::simulation::{ugas_controller, ugas_simulation};
use crate::status::{Failure, Outcome, ugas_status};

/// Explains the value of an attribute, as an indented tree. Valid until the next call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_explain_text(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    controller: ugas_controller,
    attribute: ugas_attribute,
    out: *mut ugas_str,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        let text = explanation(context, simulation, controller, attribute)?.to_string();
        out.set(context.lend_text(text));
        Ok(())
    })
}

/// Explains the value of an attribute, as JSON with the fields of `ugas explain --format json`, and
/// `present`, which is false if the controller does not have the attribute. Controllers are 64-bit handles.
/// Valid until the next call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_explain_json(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    controller: ugas_controller,
    attribute: ugas_attribute,
    out: *mut ugas_str,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        let json = to_json(&explanation(context, simulation, controller, attribute)?);
        out.set(context.lend_text(json.to_string()));
        Ok(())
    })
}

/// The complete state of a controller as text. Valid until the next call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_controller_text(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    controller: ugas_controller,
    out: *mut ugas_str,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        let entry = context.simulation(simulation)?;
        let page = entry.simulation().debug(entry.controller(controller)?);
        let page = page.ok_or_else(|| Failure::not_found("the controller does not exist (anymore)"))?;
        let page = page.to_string();
        out.set(context.lend_text(page));
        Ok(())
    })
}

fn explanation(
    context: &Context,
    simulation: ugas_simulation,
    controller: ugas_controller,
    attribute: ugas_attribute,
) -> Outcome<Explanation> {
    let entry = context.simulation(simulation)?;
    let id = entry.controller(controller)?;
    if attribute as usize >= entry.simulation().catalog().attribute_count() {
        return Err(Failure::not_found(format!("the catalog has no attribute with the id {attribute}")));
    }
    let explanation = entry.simulation().explain(id, AttributeId::from_index(attribute));
    explanation.ok_or_else(|| Failure::not_found("the controller does not exist (anymore)"))
}

fn to_json(explanation: &Explanation) -> Value {
    let bound = |bound: &Option<BoundExplanation>| bound.as_ref().map(|bound| bound.value);
    let clamp = &explanation.clamp;
    let layers: Vec<Value> = explanation.layers.iter().map(layer_json).collect();
    json!({
        "attribute": explanation.name,
        "controller": explanation.controller.to_bits().get(),
        "time": explanation.time.as_seconds(),
        "present": explanation.present,
        "notReplicated": explanation.not_replicated,
        "base": explanation.base,
        "current": explanation.current,
        "layers": layers,
        "clamp": { "min": bound(&clamp.min), "max": bound(&clamp.max), "applied": clamp.applied },
    })
}

fn layer_json(layer: &LayerExplanation) -> Value {
    let terms: Vec<Value> = layer.terms.iter().map(term_json).collect();
    json!({ "index": layer.index, "input": layer.input, "terms": terms, "output": layer.output })
}

fn term_json(term: &Term) -> Value {
    json!({
        "operation": term.operation.name(),
        "channel": term.channel,
        "magnitude": term.magnitude,
        "effect": term.effect_name,
        "source": term.source.map(|source| source.to_bits().get()),
        "stacks": term.stacks,
        "qualifies": term.qualifies,
        "reason": term.reason.as_ref().map(ToString::to_string),
    })
}
