//! Resolution of input definitions: turns names into indices, and collects all errors (I9).

use core::cmp::Reverse;
use std::collections::BTreeSet;

use super::DeviceInput;
use super::builder::InputSchemeBuilder;
use super::def::{BindingDef, BindingSource, CompositeInputs, InputActionDef, InputActionSetDef};
use super::error::{InputDefinitionError, InputDefinitionKind, InputProblem};
use super::modifier::{InputModifier, InputModifierDef, InputModifierKind, ResponseCurve};
use super::modifier_check::check_numbers;
use super::scheme::{Action, Binding, BindingPart, InputActionId, Set, Shape};
use crate::curve::{Curve, CurveDef, Interpolation};
use crate::nearest::nearest;
use crate::time::Span;

/// State of building a scheme from definitions.
pub(super) struct Building<'a> {
    from: &'a InputSchemeBuilder,
    pub(super) errors: Vec<InputDefinitionError>,
    pub(super) tags: Vec<String>,
}

/// The definition that errors are reported for.
#[derive(Clone, Copy)]
struct DefinitionRef<'a> {
    kind: InputDefinitionKind,
    name: &'a str,
}

/// Sort key of bindings, the first of which sees a control first: the set, the priority, the longer chord,
/// the longer hold (so that a short press of the same control can still be a tap), the order of definition.
pub(super) type Rank = (u32, Reverse<i32>, Reverse<usize>, Reverse<Span>, u32);

pub(super) struct RankedBinding {
    pub(super) rank: Rank,
    /// Position in the order of definition.
    pub(super) definition: u32,
    pub(super) inputs: Vec<(BindingPart, DeviceInput)>,
    /// The binding; its slots are not assigned yet.
    pub(super) resolved: Binding,
}

impl<'a> Building<'a> {
    pub(super) fn new(from: &'a InputSchemeBuilder, tags: Vec<String>) -> Self {
        Self { from, errors: Vec::new(), tags }
    }

    /// Adds an error at a path of a definition; resolution continues.
    fn report(&mut self, place: DefinitionRef<'_>, path: impl Into<String>, problem: InputProblem) {
        self.errors.push(InputDefinitionError {
            kind: place.kind,
            name: place.name.to_owned(),
            path: path.into(),
            problem,
        });
    }

    /// Reports empty and repeated names.
    fn check_names<'n>(&mut self, kind: InputDefinitionKind, names: impl Iterator<Item = &'n str>) {
        let mut seen = BTreeSet::new();
        for name in names {
            let place = DefinitionRef { kind, name };
            if name.is_empty() {
                self.report(place, "Name", InputProblem::EmptyName);
            } else if !seen.insert(name) {
                self.report(place, "Name", InputProblem::Duplicate(kind));
            }
        }
    }

    /// Reports a negative time.
    fn check_time(&mut self, place: DefinitionRef<'_>, path: &str, span: Span) {
        if span < Span::ZERO {
            self.report(place, path, InputProblem::NegativeTime(span.as_seconds()));
        }
    }

    /// Checks and resolves the actions, sorted by name: an id is the position in this order. Their slots are
    /// filled in later.
    pub(super) fn actions(&mut self) -> Vec<Action> {
        let defs = &self.from.actions;
        self.check_names(InputDefinitionKind::Action, defs.iter().map(|def| def.name.as_str()));
        for def in defs {
            let place = DefinitionRef { kind: InputDefinitionKind::Action, name: &def.name };
            self.check_time(place, "TapThreshold", def.tap_threshold);
            self.check_time(place, "DoubleTapWindow", def.double_tap_window);
            if def.input.as_str().is_empty() {
                self.report(place, "InputID", InputProblem::EmptyName);
            }
        }
        let mut actions: Vec<Action> = defs
            .iter()
            .map(|def| Action {
                name: def.name.clone(),
                input: def.input.clone(),
                value_type: def.value_type,
                trigger: def.trigger,
                tap_threshold: def.tap_threshold,
                double_tap_window: def.double_tap_window,
                consume: def.consume,
                tags: def.tags.clone(),
                slots: Vec::new(),
            })
            .collect();
        actions.sort_by(|one, other| one.name.cmp(&other.name));
        actions
    }

    /// Checks and resolves the action sets, by descending priority and then in the order of definition.
    pub(super) fn sets(&mut self) -> Vec<Set> {
        let defs = &self.from.sets;
        self.check_names(InputDefinitionKind::ActionSet, defs.iter().map(|def| def.name.as_str()));
        let mut sets = Vec::new();
        for def in defs {
            let place = DefinitionRef { kind: InputDefinitionKind::ActionSet, name: &def.name };
            if def.actions.is_empty() {
                self.report(place, "Actions", InputProblem::EmptySet);
            }
            self.check_time(place, "InputBuffer.BufferWindow", def.buffer.window);
            let mut actions = Vec::new();
            for (index, name) in def.actions.iter().enumerate() {
                match self.action(name) {
                    Ok((id, _)) => actions.push(id),
                    Err(problem) => self.report(place, format!("Actions[{index}]"), problem),
                }
            }
            sets.push(Set {
                name: def.name.clone(),
                priority: def.priority,
                required: self.tag_indices(&def.required_tags),
                blocked: self.tag_indices(&def.blocked_tags),
                exclusive: def.exclusive,
                buffer: def.buffer,
                actions,
            });
        }
        sets.sort_by_key(|set| Reverse(set.priority));
        sets
    }

    /// Checks and resolves the modifiers. Invalid ones are reported and left out, after which the scheme is
    /// not built.
    pub(super) fn modifiers(&mut self) -> Vec<InputModifier> {
        let defs = &self.from.modifiers;
        self.check_names(InputDefinitionKind::Modifier, defs.iter().map(|def| def.name.as_str()));
        let mut modifiers = Vec::new();
        for def in defs {
            let place = DefinitionRef { kind: InputDefinitionKind::Modifier, name: &def.name };
            match self.modifier(def) {
                Ok(modifier) => modifiers.push(modifier),
                Err((path, problem)) => self.report(place, path, problem),
            }
        }
        modifiers
    }

    /// Resolves a modifier, or returns the path and problem. A custom one must be registered; points become a
    /// curve.
    fn modifier(&self, def: &InputModifierDef) -> Result<InputModifier, (&'static str, InputProblem)> {
        match &def.kind {
            InputModifierKind::Custom(name) => {
                let found = self.from.custom.iter().find(|(registered, _)| registered == name);
                let Some((_, modifier)) = found else {
                    let known = self.from.custom.iter().map(|(name, _)| name.as_str());
                    return Err((
                        "CalculatorClass",
                        unknown(InputDefinitionKind::CustomModifier, name, known),
                    ));
                };
                Ok(InputModifier::Custom(*modifier))
            }
            InputModifierKind::ResponseCurve(ResponseCurve::Points(points)) => {
                let def = CurveDef {
                    name: def.name.clone(),
                    points: points.clone(),
                    interpolation: Interpolation::Linear,
                };
                Curve::new(&def).map(InputModifier::Points).map_err(|error| ("CurvePoints", error.into()))
            }
            kind => {
                check_numbers(kind)?;
                Ok(InputModifier::Plain(kind.clone()))
            }
        }
    }

    /// Checks and resolves all bindings. Ones for another platform are checked but left out; two bindings
    /// that say the same are reported.
    pub(super) fn bindings(&mut self) -> Vec<RankedBinding> {
        let mut bindings = Vec::new();
        let mut definition = 0;
        for mapping in &self.from.mappings {
            let place = DefinitionRef { kind: InputDefinitionKind::Mapping, name: &mapping.action_set };
            let set = self.ranked_set(&mapping.action_set);
            if set.is_none() {
                let known = self.from.sets.iter().map(|set| set.name.as_str());
                let problem = unknown(InputDefinitionKind::ActionSet, &mapping.action_set, known);
                self.report(place, "ActionSet", problem);
            }
            let wanted = self.from.platform.is_none()
                || mapping.platform.is_none()
                || mapping.platform == self.from.platform;
            for (index, def) in mapping.bindings.iter().enumerate() {
                let path = format!("Bindings[{index}]");
                let binding = self.binding(place, &path, set, def, definition);
                definition += 1;
                let Some(binding) = binding.filter(|_| wanted) else { continue };
                if bindings.iter().any(|other| says_the_same(other, &binding)) {
                    self.report(place, path, InputProblem::DuplicateBinding(def.action.clone()));
                }
                bindings.push(binding);
            }
        }
        bindings
    }

    /// Checks a binding. Returns a result even for a faulty one where possible, so that later checks find
    /// more errors.
    fn binding(
        &mut self,
        place: DefinitionRef<'_>,
        path: &str,
        set: Option<(u32, &InputActionSetDef)>,
        def: &BindingDef,
        definition: u32,
    ) -> Option<RankedBinding> {
        let action = self.action(&def.action).map_err(|problem| {
            self.report(place, format!("{path}.Action"), problem);
        });
        if let (Ok(_), Some((_, set))) = (&action, set)
            && !set.actions.contains(&def.action)
        {
            let problem = InputProblem::NotInSet { set: set.name.clone(), action: def.action.clone() };
            self.report(place, format!("{path}.Action"), problem);
        }
        self.check_time(place, &format!("{path}.HoldThreshold"), def.hold_threshold);
        let mut modifiers = Vec::new();
        for (index, name) in def.modifiers.iter().enumerate() {
            let defs = &self.from.modifiers;
            match (0u32..).zip(defs).find(|(_, known)| known.name == *name) {
                Some((found, _)) => modifiers.push(found),
                None => {
                    let known = defs.iter().map(|def| def.name.as_str());
                    let problem = unknown(InputDefinitionKind::Modifier, name, known);
                    self.report(place, format!("{path}.Modifiers[{index}]"), problem);
                }
            }
        }
        let inputs = inputs_of(&def.source);
        self.check_inputs(place, path, &inputs);
        let (action, action_def) = action.ok()?;
        let (set, _) = set?;
        let shape = match &def.source {
            BindingSource::Composite(_) => Shape::Composite,
            BindingSource::Inputs(inputs) if inputs.len() > 1 && action_def.value_type.axes() > 1 => {
                Shape::Components
            }
            BindingSource::Inputs(_) => Shape::Chord,
        };
        if shape == Shape::Components && inputs.len() > action_def.value_type.axes() {
            let problem =
                InputProblem::TooManyInputs { axes: action_def.value_type.axes(), found: inputs.len() };
            self.report(place, format!("{path}.Inputs"), problem);
        }
        let chord = if shape == Shape::Chord { inputs.len() } else { 1 };
        Some(RankedBinding {
            rank: (set, Reverse(def.priority), Reverse(chord), Reverse(def.hold_threshold), definition),
            definition,
            inputs,
            resolved: Binding {
                action,
                set,
                shape,
                slots: 0..0,
                modifiers,
                hold: def.hold_threshold,
                rebindable: def.rebindable,
                required: self.tag_indices(&def.required_tags),
            },
        })
    }

    /// Reports a binding without controls, and controls that have no name or are repeated in it.
    fn check_inputs(&mut self, place: DefinitionRef<'_>, path: &str, inputs: &[(BindingPart, DeviceInput)]) {
        if inputs.is_empty() {
            self.report(place, path, InputProblem::NoInputs);
        }
        for (index, (_, input)) in inputs.iter().enumerate() {
            if !input.is_named() {
                self.report(place, path, InputProblem::UnnamedInput);
            } else if inputs.iter().take(index).any(|(_, earlier)| earlier == input) {
                self.report(place, path, InputProblem::RepeatedInput(input.to_string()));
            }
        }
    }

    /// Id and definition of an action, or the problem if it is unknown.
    fn action(&self, name: &str) -> Result<(InputActionId, &'a InputActionDef), InputProblem> {
        let defs = &self.from.actions;
        let Some(def) = defs.iter().find(|def| def.name == name) else {
            let known = defs.iter().map(|def| def.name.as_str());
            return Err(unknown(InputDefinitionKind::Action, name, known));
        };
        // Its index after sorting; names are unique once there are no errors.
        let before = defs.iter().filter(|other| other.name.as_str() < name).count();
        Ok((InputActionId(before as u32), def))
    }

    /// Index of a set after sorting, and its definition; `None` if there is no such set.
    fn ranked_set(&self, name: &str) -> Option<(u32, &'a InputActionSetDef)> {
        let defs = &self.from.sets;
        let (at, def) = defs.iter().enumerate().find(|(_, def)| def.name == name)?;
        let before = defs
            .iter()
            .enumerate()
            .filter(|(index, other)| {
                other.priority > def.priority || (other.priority == def.priority && *index < at)
            })
            .count();
        Some((before as u32, def))
    }

    /// Indices of tags in the list of all tags of the scheme, ascending.
    fn tag_indices(&self, names: &[String]) -> Vec<u32> {
        let known = (0u32..).zip(&self.tags);
        known.filter(|(_, tag)| names.contains(tag)).map(|(index, _)| index).collect()
    }
}

/// Problem for an unknown name, with the known name that was probably meant.
fn unknown<'a>(
    kind: InputDefinitionKind,
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> InputProblem {
    InputProblem::Unknown { kind, name: name.to_owned(), nearest: nearest(name, known).map(str::to_owned) }
}

/// The controls of a binding, each with its part in it; absent directions of a composite are left out.
fn inputs_of(source: &BindingSource) -> Vec<(BindingPart, DeviceInput)> {
    match source {
        BindingSource::Inputs(inputs) => {
            (0u32..).zip(inputs).map(|(at, input)| (BindingPart::Input(at), input.clone())).collect()
        }
        BindingSource::Composite(composite) => {
            let CompositeInputs { up, down, left, right, forward, backward } = &**composite;
            let parts = [
                (BindingPart::Up, up),
                (BindingPart::Down, down),
                (BindingPart::Left, left),
                (BindingPart::Right, right),
                (BindingPart::Forward, forward),
                (BindingPart::Backward, backward),
            ];
            parts.into_iter().filter_map(|(part, input)| Some((part, input.clone()?))).collect()
        }
    }
}

/// Whether two bindings are duplicates. Different modifiers or thresholds of the same controls make no
/// difference to a player; a different tag does.
fn says_the_same(one: &RankedBinding, other: &RankedBinding) -> bool {
    let (first, second) = (&one.resolved, &other.resolved);
    first.action == second.action
        && first.set == second.set
        && first.required == second.required
        && one.inputs == other.inputs
}
