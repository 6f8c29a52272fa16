//! Fields of the public schemas that are decoded but not supported (D2). Each is reported with the effect of
//! ignoring it, so that every field without a report has its effect.

use std::collections::BTreeSet;

use super::Index;
use crate::decode::Word;
use crate::diagnostics::{Sink, codes};
use crate::model::ability::{TargetingMethod, TaskDoc};
use crate::model::controller::ControllerDoc;
use crate::model::input::{InputModifierDoc, InputModifierType};
use crate::model::scene::SceneDoc;
use crate::model::{Document, Model};
use crate::node::{Entry, Node, Value};
use crate::source::Spanned;

/// Checks all documents. Tasks are checked together with their parameters.
pub(super) fn check(documents: &[Document], index: &Index<'_>, sink: &mut Sink) {
    for document in documents {
        let mut fields = Fields { node: &document.node, sink };
        match &document.model {
            Model::Effect(_) => effect(&mut fields),
            Model::Ability(doc) => {
                let waits = doc.async_validation.as_ref();
                let is_off =
                    waits.and_then(|waits| waits.required.as_ref()).is_some_and(|flag| !flag.0.value);
                if !is_off {
                    fields.ignored(
                        "AsyncValidation",
                        "activation does not wait for an answer",
                        "validate before activating, or begin with a host task that the host completes",
                    );
                }
            }
            Model::Controller(doc) => controller(doc, index, &mut fields),
            Model::Scene(doc) => scene(doc, &mut fields),
            Model::InputMapping(_) => {
                for node in
                    fields.items("Bindings").iter().filter(|node| node.get("CompositeInputs").is_some())
                {
                    let mut binding = Fields { node, sink: fields.sink };
                    binding.ignored("Inputs", "`CompositeInputs` is used instead", "remove one of the two");
                }
            }
            Model::InputModifier(doc) => modifier(doc, &mut fields),
            _ => {}
        }
    }
}

/// Keys of a mapping, with the sink for reports about them.
struct Fields<'a, 's> {
    node: &'a Node,
    sink: &'s mut Sink,
}

impl<'a> Fields<'a, '_> {
    /// Reports a field if the mapping has it.
    fn ignored(&mut self, field: &str, effect: &str, help: &str) {
        if let Some(entry) = self.node.entry(field) {
            self.sink.push(codes::no_effect::unsupported_field(entry.key.span, field, effect, help));
        }
    }

    /// Items of a list in the mapping; empty if the field is absent or not a list.
    fn items(&self, field: &str) -> &'a [Node] {
        self.node.get(field).map(Node::items).unwrap_or_default()
    }
}

/// Reports fields of an effect without effect: `Area`, repeated granted tags, and factors that its magnitudes
/// do not use.
fn effect(fields: &mut Fields<'_, '_>) {
    fields.ignored(
        "Area",
        "the effect applies to its target alone",
        "apply it to several targets with an effect container or with `ApplyEffectToActorsInRadius`",
    );
    let mut seen = BTreeSet::new();
    for tag in fields.items("GrantedTags") {
        if let Some(name) = tag.text().filter(|name| !seen.insert(*name)) {
            let effect = "`GrantedTags` is a set, and a repeated tag counts once";
            fields.sink.push(codes::no_effect::unsupported_field(
                tag.span,
                name,
                effect,
                "remove the repetition",
            ));
        }
    }
    for modifier in fields.items("Modifiers") {
        let Some(magnitude) = modifier.get("Magnitude") else { continue };
        let Some(kind @ ("ScalableFloat" | "SetByCaller")) = magnitude.get("Type").and_then(Node::text)
        else {
            continue;
        };
        let mut magnitude = Fields { node: magnitude, sink: fields.sink };
        for field in ["Coefficient", "PreMultiplyAdditive", "PostMultiplyAdditive"] {
            let effect = format!("a magnitude of type {kind} does not use it");
            magnitude.ignored(field, &effect, "use `Type: AttributeBased` or `Type: Expression`");
        }
    }
}

/// Reports fields of a controller that a template does not use (K1). A saved character has a `Saved` block,
/// is restored in full, and is not checked.
fn controller(doc: &ControllerDoc, index: &Index<'_>, fields: &mut Fields<'_, '_>) {
    if doc.has("Saved") {
        return;
    }
    without_effect(doc, index, fields.sink);
    let host = "set it when the controller is spawned";
    fields.ignored("AvatarActor", "a controller spawned from the template has no avatar", host);
    fields.ignored("ActiveActionSets", "action sets activate by their tags alone", "use `ActivationTags`");
    for set in fields.items("AttributeSets") {
        for value in set.get("Attributes").map(Node::items).unwrap_or_default() {
            if value.get("BaseValue").is_none() {
                let mut value = Fields { node: value, sink: fields.sink };
                value.ignored(
                    "CurrentValue",
                    "current values are derived, and without `BaseValue` the base is the default",
                    "write `BaseValue`",
                );
            }
        }
    }
    for node in fields.items("ActiveEffects").iter().filter(|node| node.get("Saved").is_none()) {
        let mut effect = Fields { node, sink: fields.sink };
        let anew = "apply the effect from code or in a scenario to give it more";
        if node.get("StartTime").and_then(Node::number).is_some_and(|time| time != 0.0) {
            effect.ignored("StartTime", "the effect begins when the controller is spawned", anew);
        }
        effect.ignored("SourceAbility", "the effect has no ability as its source", anew);
        effect.ignored("PeriodicState", "the period starts anew", anew);
        effect.ignored("CapturedAttributes", "attributes are captured when the controller is spawned", anew);
    }
}

/// Reports fields of a template that change nothing where they stand: repeated sets, current values without
/// effects, and stacks of an effect that does not stack.
fn without_effect(doc: &ControllerDoc, index: &Index<'_>, sink: &mut Sink) {
    let sets = || doc.sets.iter().flat_map(|sets| sets.iter());
    let names = sets().filter_map(|set| Some((&**set.name.as_ref()?, !set.attributes.is_empty())));
    repeated_sets(names, sink);
    // Effects and running abilities may change current values.
    if doc.effects.is_empty() && !doc.abilities.iter().any(|grant| grant.has("bIsActive")) {
        for value in sets().flat_map(|set| set.attributes.iter()) {
            if let (Some(base), Some(current)) = (&value.base, &value.current)
                && base.0.value != current.0.value
            {
                let because = "current values are derived from `BaseValue`";
                let help = "remove it, or apply an effect that makes the difference";
                sink.push(codes::no_effect::field(current.0.span, "`CurrentValue`", because, help));
            }
        }
    }
    for active in doc.effects.iter().filter(|active| active.saved.is_none()) {
        let (Some(name), Some(stacks)) = (&active.effect, &active.stacks) else { continue };
        if stacks.0.value > 1
            && let Some(effect) = index.effect_docs.get(name.value.as_str())
            && !effect.has("Stacking")
        {
            let field = format!("`Stacks: {}`", stacks.0.value);
            let because = format!("`{}` does not stack", name.value);
            let help = "remove it, or add `Stacking` to the effect";
            sink.push(codes::no_effect::field(stacks.0.span, &field, &because, help));
        }
    }
}

/// Reports attribute sets that are listed before. `sets` are their names, with whether the entry has values
/// of its own, which count; such an entry is not reported.
pub(super) fn repeated_sets<'a>(sets: impl Iterator<Item = (&'a Spanned<String>, bool)>, sink: &mut Sink) {
    let mut known = BTreeSet::new();
    for (name, has_values) in sets {
        if !known.insert(name.value.as_str()) && !has_values {
            sink.push(codes::no_effect::repeated_set(name));
        }
    }
}

/// Reports the parts of a scene that nothing reads: a game places its controllers itself.
fn scene(doc: &SceneDoc, fields: &mut Fields<'_, '_>) {
    if doc.placements.as_ref().is_some_and(|placements| !placements.is_empty()) {
        fields.ignored("Placements", "no controller is spawned from it", "spawn the controllers from code");
    }
    if !doc.regions.is_empty() {
        fields.ignored("Regions", "no tag is granted inside them", "grant the tags from code");
    }
    if !doc.spawn_points.is_empty() {
        fields.ignored("SpawnPoints", "nothing reads them", "keep spawn points in the game");
    }
}

/// Reports parameters of an input modifier that its type does not use, and `UserConfigurable`.
fn modifier(doc: &InputModifierDoc, fields: &mut Fields<'_, '_>) {
    if doc.configurable.as_ref().is_some_and(|flag| flag.0.value) {
        fields.ignored("UserConfigurable", "a player cannot change the modifier", "change it from code");
    }
    let (Some(kind), Some(params)) = (&doc.kind, fields.node.get("Params")) else { return };
    let used: &[&str] = match kind.0.value {
        InputModifierType::DeadZone => &["InnerThreshold", "OuterThreshold", "DeadZoneShape"],
        InputModifierType::Sensitivity => &["Multiplier", "MultiplierX", "MultiplierY"],
        InputModifierType::ResponseCurve => &["CurveType", "Exponent", "CurvePoints"],
        InputModifierType::AxisInvert => &["InvertX", "InvertY"],
        InputModifierType::AxisScale => &["ScaleX", "ScaleY", "ScaleZ"],
        InputModifierType::AxisSwizzle => &["SwizzleOrder"],
        InputModifierType::RadialScaling => &["MaxRadius"],
        InputModifierType::Normalize => &[],
        InputModifierType::TriggerThreshold => &["PressThreshold"],
        InputModifierType::Clamp => &["Min", "Max"],
        // The parameters of a custom modifier are the host's own.
        InputModifierType::Custom => return,
    };
    let mut params = Fields { node: params, sink: fields.sink };
    let known = crate::model::input::InputModifierParamsDoc::FIELDS.iter();
    for field in known.filter(|field| !used.contains(field)) {
        let effect = format!("a modifier of type {} does not use it", kind.0.value.word());
        params.ignored(field, &effect, "remove it, or change the type");
    }
}

/// Reports unsupported fields of a task and of its parameters. Called by the check of tasks, which knows
/// nested ones.
pub(super) fn task(doc: &TaskDoc, params: &Node, sink: &mut Sink) {
    let help =
        "remove it; the built-in tasks act on events and deadlines, and a task of the host ticks in the host";
    if let Some(interval) = &doc.tick_interval {
        let effect = "the task does not tick";
        sink.push(codes::no_effect::unsupported_field(interval.0.span, "TickInterval", effect, help));
    }
    if let Some(priority) = &doc.priority {
        let effect = "tasks run in their order";
        sink.push(codes::no_effect::unsupported_field(priority.0.span, "Priority", effect, help));
    }
    let kind = doc.kind.as_ref().map_or("", |kind| kind.value.as_str());
    let mut params = Fields { node: params, sink };
    match kind {
        "WaitConfirm" => params.ignored(
            "TargetingMethod",
            "the task waits for confirmation and chooses no target",
            "use `WaitTargetData` with `Confirmation: UserConfirmed`",
        ),
        "WaitTargetData" => {
            let method = params.node.get("TargetingMethod").and_then(Node::text);
            if let Some(TargetingMethod::Cone | TargetingMethod::Line | TargetingMethod::Box) =
                method.and_then(TargetingMethod::from_word)
            {
                params.ignored(
                    "TargetingMethod",
                    "the area has no measures, and the activation's target is used",
                    "use `Targeting`, which has the measures of the area",
                );
            }
            if let Some(Entry { value: Node { value: Value::Text(_), .. }, .. }) =
                params.node.entry("MaxRange")
            {
                params.ignored("MaxRange", "only a number limits the range", "write a number");
            }
        }
        _ => {}
    }
}
