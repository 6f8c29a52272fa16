//! Resolution of calculations, native and from files.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::compile::Compiler;
use super::{DefinitionKind, Problem};
use crate::effect::calculation::{
    Calculation, CalculationBody, CalculationDef, CompiledCalculation, Expressions, OutputTo, ResolvedCapture,
};
use crate::effect::magnitude::{CaptureFrom, CaptureTime, Magnitude};
use crate::effect::{Duration, Effect};
use crate::expr::{Dependency, Program};
use crate::id::{AttributeId, CalculationId};

impl Compiler<'_> {
    /// Resolves a calculation written in Rust.
    pub(super) fn native_calculation(
        &self,
        name: &str,
        native: &Arc<dyn Calculation>,
    ) -> CompiledCalculation {
        self.begin(DefinitionKind::Calculation, name);
        let captures = (0..).zip(native.captures()).filter_map(|(at, capture): (usize, _)| {
            Some(ResolvedCapture {
                attribute: self.attribute(&format!("Captures[{at}]"), &capture.attribute)?,
                from: capture.from,
                frozen: capture.time == CaptureTime::OnApplication,
            })
        });
        let tags = native.tags().into_iter().filter_map(|(from, tag)| Some((from, self.tag("Tags", &tag)?)));
        CompiledCalculation {
            name: name.into(),
            captures: captures.collect(),
            tags: tags.collect(),
            locals: native.variables().into_iter().map(String::into_boxed_str).collect(),
            // Whether native code draws random numbers is not known, so it always has a stream.
            uses_random: true,
            body: CalculationBody::Native(Arc::clone(native)),
        }
    }

    /// Resolves a calculation made of expressions. All of its expressions know the names of the variables
    /// that scoped modifiers set.
    pub(super) fn file_calculation(
        &self,
        def: &CalculationDef,
        variables: &BTreeSet<String>,
    ) -> CompiledCalculation {
        self.begin(DefinitionKind::Calculation, &def.name);
        if def.outputs.is_empty() && def.result.is_none() {
            self.report("", Problem::EmptyCalculation);
        }
        let mut locals: Vec<Box<str>> = variables.iter().map(|name| name.as_str().into()).collect();
        let mut lets = Vec::new();
        for (name, text) in &def.lets {
            let Some(program) = self.program(&format!("Let.{name}"), text, &locals) else { continue };
            let at = locals.iter().position(|local| **local == **name).unwrap_or_else(|| {
                locals.push(name.as_str().into());
                locals.len() - 1
            });
            lets.push((at as u16, program));
        }
        let outputs: Box<[_]> = (0..)
            .zip(&def.outputs)
            .filter_map(|(at, output): (usize, _)| {
                let attribute = self.attribute(&format!("Outputs[{at}].Attribute"), &output.attribute);
                let magnitude = self.program(&format!("Outputs[{at}].Magnitude"), &output.magnitude, &locals);
                Some((output.to, attribute?, output.operation, magnitude?))
            })
            .collect();
        let result = def.result.as_ref().and_then(|text| self.program("Result", text, &locals));
        let tags: Box<[_]> = (0..)
            .zip(&def.tags)
            .filter_map(|(at, mark): (usize, _)| {
                let tag = self.tag(&format!("Tags[{at}].Tag"), &mark.tag);
                let when = match &mark.when {
                    Some(text) => Some(self.program(&format!("Tags[{at}].When"), text, &locals)?),
                    None => None,
                };
                Some((tag?, when))
            })
            .collect();
        let mut calculation = CompiledCalculation {
            name: def.name.as_str().into(),
            captures: Box::default(),
            tags: Box::default(),
            locals: locals.into_boxed_slice(),
            uses_random: false,
            body: CalculationBody::Missing,
        };
        let programs = lets.iter().map(|(_, program)| program);
        let programs = programs.chain(outputs.iter().map(|(.., program)| program)).chain(&result);
        let programs = programs.chain(tags.iter().filter_map(|(_, when)| when.as_ref()));
        let handles_stacks = self.read_inputs(&mut calculation, def, programs);
        calculation.body = CalculationBody::Expressions(Arc::new(Expressions {
            lets: lets.into_boxed_slice(),
            outputs,
            result,
            tags,
            handles_stacks,
        }));
        calculation
    }

    /// Collects captures, tags and random draws of the expressions; returns whether one of them reads
    /// `Stacks`.
    fn read_inputs<'a>(
        &self,
        calculation: &mut CompiledCalculation,
        def: &CalculationDef,
        programs: impl Iterator<Item = &'a Program>,
    ) -> bool {
        let mut captures: Vec<ResolvedCapture> = Vec::new();
        for (at, capture) in def.captures.iter().enumerate() {
            if let Some(attribute) = self.attribute(&format!("Captures[{at}].Attribute"), &capture.attribute)
            {
                let frozen = capture.time == CaptureTime::OnApplication;
                captures.push(ResolvedCapture { attribute, from: capture.from, frozen });
            }
        }
        let mut tags = BTreeSet::new();
        let mut reads_stacks = false;
        for input in programs.flat_map(Program::dependencies) {
            match input {
                Dependency::Attribute(side, attribute) => {
                    let from = CaptureFrom::of(*side);
                    let known = captures
                        .iter()
                        .any(|capture| capture.attribute == *attribute && capture.from == from);
                    if !known {
                        captures.push(ResolvedCapture { attribute: *attribute, from, frozen: false });
                    }
                }
                Dependency::Tag(side, tag) => {
                    tags.insert((CaptureFrom::of(*side) == CaptureFrom::Target, *tag));
                }
                Dependency::Random => calculation.uses_random = true,
                Dependency::Stacks => reads_stacks = true,
                _ => {}
            }
        }
        calculation.captures = captures.into_boxed_slice();
        let side = |target| if target { CaptureFrom::Target } else { CaptureFrom::Source };
        calculation.tags = tags.into_iter().map(|(target, tag)| (side(target), tag)).collect();
        reads_stacks
    }

    /// Reports calculations without a result that are used as a magnitude or a requirement.
    pub(super) fn check_results(&self, effect: &Effect, calculations: &[CompiledCalculation]) {
        let check = |path: &str, id: CalculationId| {
            if let Some(calculation) = calculations.get(id.usize())
                && !calculation.has_result()
            {
                let problem =
                    Problem::WrongCalculation { name: calculation.name.to_string(), lacks: "result" };
                self.report(path, problem);
            }
        };
        let check_magnitude = |path: &str, magnitude: &Magnitude| {
            if let Magnitude::Calculation { calculation, .. } = magnitude {
                check(&format!("{path}.CalculatorClass"), *calculation);
            }
        };
        if let Some(requirement) = effect.requirement {
            check("ApplicationRequirement", requirement);
        }
        if let Some(chance) = &effect.chance {
            check_magnitude("ChanceToApply", chance);
        }
        if let Duration::Lasting(duration) = &effect.duration {
            check_magnitude("Duration", duration);
        }
        for (at, modifier) in effect.modifiers.iter().enumerate() {
            check_magnitude(&format!("Modifiers[{at}].Magnitude"), &modifier.magnitude);
        }
        for (at, execution) in effect.executions.iter().enumerate() {
            for (index, modifier) in execution.modifiers.iter().enumerate() {
                check_magnitude(
                    &format!("Executions[{at}].Modifiers[{index}].Magnitude"),
                    &modifier.magnitude,
                );
            }
        }
    }
}

impl CompiledCalculation {
    /// A placeholder for a calculation that is used and not provided.
    pub(super) fn missing(name: &str) -> Self {
        Self {
            name: name.into(),
            captures: Box::default(),
            tags: Box::default(),
            locals: Box::default(),
            uses_random: false,
            body: CalculationBody::Missing,
        }
    }

    /// Whether the calculation is used but not provided; applications that need it are refused.
    pub(crate) fn is_missing(&self) -> bool {
        matches!(self.body, CalculationBody::Missing)
    }

    /// `false` for a calculation from a file that only has a result.
    pub(super) fn has_outputs(&self) -> bool {
        match &self.body {
            CalculationBody::Expressions(expressions) => !expressions.outputs.is_empty(),
            CalculationBody::Missing | CalculationBody::Native(_) => true,
        }
    }

    /// Attributes of the target that the outputs of a calculation from a file write.
    pub(super) fn output_attributes(&self) -> Vec<AttributeId> {
        match &self.body {
            CalculationBody::Expressions(expressions) => {
                let outputs = expressions.outputs.iter().filter(|(to, ..)| *to == OutputTo::Target);
                outputs.map(|(_, attribute, ..)| *attribute).collect()
            }
            CalculationBody::Missing | CalculationBody::Native(_) => Vec::new(),
        }
    }

    /// Whether an output of a calculation from a file writes to the source.
    pub(super) fn writes_source(&self) -> bool {
        match &self.body {
            CalculationBody::Expressions(expressions) => {
                expressions.outputs.iter().any(|(to, ..)| *to == OutputTo::Source)
            }
            CalculationBody::Missing | CalculationBody::Native(_) => false,
        }
    }

    /// `false` for a calculation from a file that only has outputs.
    fn has_result(&self) -> bool {
        match &self.body {
            CalculationBody::Expressions(expressions) => expressions.result.is_some(),
            CalculationBody::Missing | CalculationBody::Native(_) => true,
        }
    }

    /// The index of a transient variable or intermediate result.
    pub(crate) fn local(&self, name: &str) -> Option<u16> {
        self.locals.iter().position(|local| **local == *name).map(|at| at as u16)
    }
}
