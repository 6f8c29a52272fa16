//! The requests `explain` (how a value is calculated) and `checks` (why an ability can or cannot be
//! activated).

use serde_json::{Value, json};
use ugas_core::ability::{Ability, ActivationParty, ActivationReason};
use ugas_core::debug::ControllerNames;
use ugas_core::explain::{BoundExplanation, Explanation, Reason, Term};
use ugas_core::handle::{ActiveEffectId, ControllerId, GrantedAbilityId};
use ugas_core::id::AttributeId;
use ugas_core::modifier::Operation;
use ugas_core::simulation::{EvaluationParameters, Simulation};

use crate::request::{Answer, Fields, RequestError, id_text};

/// Maximum number of effects with a bar of their own; the rest share one.
const MAX_BARS: usize = 40;

/// The calculation from base value to current value.
pub(crate) fn explain(simulation: &Simulation, names: &ControllerNames, fields: Fields<'_>) -> Answer {
    let id = fields.controller("controller")?;
    let name = fields.required_text("attribute")?;
    let attribute = simulation.catalog().attribute(name);
    let attribute = attribute.map_err(|error| RequestError::bad(error.to_string()))?;
    let Some(explanation) = simulation.explain(id, attribute) else {
        return Err(RequestError::gone("the controller does not exist at this moment"));
    };
    let layers = explanation.layers.iter().map(|layer| {
        json!({
            "index": layer.index,
            "input": layer.input,
            "output": layer.output,
            "terms": layer.terms.iter().map(|term| term_json(simulation, names, term)).collect::<Vec<_>>(),
        })
    });
    Ok(json!({
        "controller": id_text(id),
        "name": names.of(simulation, id),
        "attribute": explanation.name,
        "time": explanation.time.as_seconds(),
        "present": explanation.present,
        "notReplicated": explanation.not_replicated,
        "base": explanation.base,
        "derivedFrom": explanation.derived_from,
        "current": explanation.current,
        "layers": layers.collect::<Vec<_>>(),
        "min": explanation.clamp.min.as_ref().map(bound),
        "max": explanation.clamp.max.as_ref().map(bound),
        "clamped": explanation.clamp.applied,
        "adjustedByHook": explanation.adjusted_by_hook,
        "stale": explanation.stale,
        "waterfall": waterfall(simulation, id, attribute, &explanation),
    }))
}

fn bound(bound: &BoundExplanation) -> Value {
    json!({ "value": bound.value, "attribute": bound.attribute })
}

/// Modifier for the page: whether it counts, and if not, why.
fn term_json(simulation: &Simulation, names: &ControllerNames, term: &Term) -> Value {
    json!({
        "operation": format!("{:?}", term.operation),
        "channel": term.channel,
        "magnitude": term.magnitude,
        "stacks": term.stacks,
        "priority": term.priority,
        "effect": term.effect_name,
        "active": term.active.to_bits().to_string(),
        "source": term.source.map(|source| names.of(simulation, source)),
        "counts": term.qualifies && term.reason.is_none(),
        "why": term.reason.as_ref().map(why),
    })
}

/// Why a modifier does not count, as a sentence.
fn why(reason: &Reason) -> String {
    match reason {
        Reason::MissingTag { party, tag } => format!("the {party} lacks {tag}"),
        Reason::BlockedTag { party, tag } => format!("the {party} has {tag}"),
        Reason::TagFilter { tag } => format!("only modifiers with {tag} were asked for"),
        Reason::Inhibited => "its effect is inhibited: ongoing requirements fail".to_owned(),
        Reason::LayerNotEvaluated => "its layer was not evaluated".to_owned(),
        Reason::HiddenByLayer { layer, effect } => format!("{effect} overrides it in layer {layer}"),
        Reason::Overridden { effect } => format!("{effect} overrides it"),
        Reason::OverrideLost { effect } => format!("the override of {effect} won"),
        Reason::PredictedOnly => "it is predicted only".to_owned(),
        Reason::IgnoredEffect => "the evaluation ignores its effect".to_owned(),
        Reason::NotMostNegative => "a stronger negative modifier counts instead".to_owned(),
        Reason::Qualifier => "the game's own rule excludes it".to_owned(),
        Reason::EffectGone => "its effect is gone".to_owned(),
        Reason::MissingAttribute => "the controller lacks the attribute".to_owned(),
        Reason::Queued => "its effect is still queued".to_owned(),
        _ => "it does not count".to_owned(),
    }
}

/// The bars of a waterfall chart from base to current value. The contribution of a multiplication depends on
/// its input, so effects are added one by one, sums before products, and each bar ends at the value with its
/// effect.
fn waterfall(
    simulation: &Simulation,
    id: ControllerId,
    attribute: AttributeId,
    explanation: &Explanation,
) -> Vec<Value> {
    let mut order: Vec<(u8, u8, ActiveEffectId)> = Vec::new();
    for layer in &explanation.layers {
        for term in layer.terms.iter().filter(|term| term.qualifies && term.reason.is_none()) {
            if !order.iter().any(|(.., known)| *known == term.active) {
                order.push((layer.index, rank(term.operation), term.active));
            }
        }
    }
    // The sort is stable: within a rank, effects stay in the order of their application.
    order.sort_by_key(|&(layer, rank, _)| (layer, rank));
    let mut bars = vec![json!({ "label": "Base", "kind": "base", "from": 0.0, "to": explanation.base })];
    let mut value = explanation.base;
    let mut let_in = 0;
    while let_in < order.len() {
        let is_rest = let_in + 1 >= MAX_BARS && order.len() > MAX_BARS;
        let next = if is_rest { order.len() } else { let_in + 1 };
        let ignored = order.iter().skip(next).map(|(.., active)| *active).collect();
        let parameters = EvaluationParameters { ignored_effects: ignored, ..EvaluationParameters::default() };
        let part = simulation.explain_with(id, attribute, &parameters);
        let to = part.and_then(|part| part.layers.last().map(|layer| layer.output)).unwrap_or(value);
        let label = match (is_rest, order.get(let_in)) {
            (false, Some((.., active))) => effect_label(explanation, *active),
            _ => (format!("{} more effects", order.len() - let_in), String::new()),
        };
        bars.push(json!({ "label": label.0, "note": label.1, "kind": "term", "from": value, "to": to }));
        (value, let_in) = (to, next);
    }
    if explanation.clamp.applied {
        let (min, max) = (&explanation.clamp.min, &explanation.clamp.max);
        let clamped = value.max(min.as_ref().map_or(f64::NEG_INFINITY, |bound| bound.value));
        let clamped = clamped.min(max.as_ref().map_or(f64::INFINITY, |bound| bound.value));
        let hit = if clamped < value { max } else { min };
        let note = hit.as_ref().and_then(|bound| bound.attribute.clone());
        bars.push(json!({ "label": "Bounds", "note": note, "kind": "clamp", "from": value, "to": clamped }));
        value = clamped;
    }
    if let Some(adjusted) = explanation.adjusted_by_hook {
        bars.push(json!({ "label": "Game's own hook", "kind": "hook", "from": value, "to": adjusted }));
    }
    bars.push(json!({ "label": "Current", "kind": "current", "from": 0.0, "to": explanation.current }));
    bars
}

/// The name of an effect and its modifiers of this attribute: `Add 20`, `Multiply 1.5 (2 stacks)`.
fn effect_label(explanation: &Explanation, active: ActiveEffectId) -> (String, String) {
    let terms = explanation.layers.iter().flat_map(|layer| &layer.terms).filter(|term| term.active == active);
    let mut name = String::new();
    let mut notes = Vec::new();
    for term in terms.filter(|term| term.qualifies && term.reason.is_none()) {
        name.clone_from(&term.effect_name);
        let stacks = if term.stacks > 1 { format!(" ({} stacks)", term.stacks) } else { String::new() };
        let channel = term.channel.as_ref().map(|channel| format!(" in {channel}")).unwrap_or_default();
        notes.push(format!("{:?} {}{stacks}{channel}", term.operation, term.magnitude));
    }
    (name, notes.join(", "))
}

/// Order in which operations apply within a layer, by which the page sorts them.
fn rank(operation: Operation) -> u8 {
    match operation {
        Operation::Add => 0,
        Operation::AddPost => 2,
        Operation::Override => 3,
        _ => 1,
    }
}

/// The checks of an activation in their order (A1), each with its result.
pub(crate) fn checks(simulation: &Simulation, names: &ControllerNames, fields: Fields<'_>) -> Answer {
    let handle: GrantedAbilityId = fields.ability("ability")?;
    let target = fields.optional_controller("target")?;
    let granted = simulation.ability(handle);
    let ability = granted.and_then(|granted| simulation.catalog().ability_by_id(granted.ability()));
    let (Some(granted), Some(ability)) = (granted, ability) else {
        return Err(RequestError::gone("the ability is not granted at this moment"));
    };
    let result = match target {
        Some(target) => simulation.can_activate_on(handle, target),
        None => simulation.can_activate(handle),
    };
    let reasons = result.as_ref().err().map(|refusal| refusal.reasons.as_slice()).unwrap_or_default();
    let lines = CHECKS.iter().map(|check| {
        let found: Vec<String> = reasons
            .iter()
            .filter(|reason| check_of(reason) == *check)
            .map(|reason| names.replace_handles(simulation, &reason.describe(simulation)))
            .collect();
        let verdict = match (found.is_empty(), applies(check, ability, target.is_some())) {
            (false, _) => "fail",
            (true, true) => "pass",
            (true, false) => "none",
        };
        json!({ "check": check, "verdict": verdict, "reasons": found })
    });
    Ok(json!({
        "ability": ability.name(),
        "controller": id_text(granted.controller()),
        "name": names.of(simulation, granted.controller()),
        "allowed": result.is_ok(),
        "checks": lines.collect::<Vec<_>>(),
    }))
}

const CHECKS: [&str; 13] = [
    "granted",
    "limits",
    "authority",
    "running already",
    "avatar",
    "blocked by others",
    "tags of the owner",
    "tags of the source",
    "tags of the target",
    "range",
    "cooldown",
    "cost",
    "charges",
];

/// Check of an activation that a reason comes from, as the page lists them.
fn check_of(reason: &ActivationReason) -> &'static str {
    match reason {
        ActivationReason::UnknownController(_)
        | ActivationReason::UnknownAbility(_)
        | ActivationReason::NotGranted => "granted",
        ActivationReason::NotAuthorised => "authority",
        ActivationReason::AlreadyActive => "running already",
        ActivationReason::NoAvatar => "avatar",
        ActivationReason::BlockedByAbility { .. } => "blocked by others",
        ActivationReason::MissingTag { party, .. } | ActivationReason::BlockedTag { party, .. } => {
            match party {
                ActivationParty::Owner => "tags of the owner",
                ActivationParty::Source => "tags of the source",
                ActivationParty::Target => "tags of the target",
            }
        }
        ActivationReason::OutOfRange => "range",
        ActivationReason::OnCooldown { .. } => "cooldown",
        ActivationReason::CannotAfford { .. } | ActivationReason::EffectRefused(_) => "cost",
        ActivationReason::NoCharges => "charges",
        _ => "limits",
    }
}

/// Whether an ability has anything that a check looks at.
fn applies(check: &str, ability: &Ability, has_target: bool) -> bool {
    let def = ability.def();
    match check {
        "avatar" => def.requires_avatar,
        "tags of the source" => false,
        "tags of the target" => has_target,
        "range" => has_target && def.max_range.is_some(),
        "cooldown" => !ability.cooldown_tags().is_empty(),
        "cost" => def.cost.is_some(),
        "charges" => def.charges.is_some(),
        _ => true,
    }
}
