//! Execution of calculations (§9.5, GASD §4.5.11–12).

use smallvec::SmallVec;

use super::magnitude::{Dice, Inputs, refusal};
use crate::catalog::{Catalog, plain_reading};
use crate::effect::calculation::{CalculationBody, CalculationError, CompiledCalculation, OutputTo};
use crate::effect::magnitude::CaptureFrom;
use crate::effect::{EffectContext, EffectSpec, Execution, ScopedTarget};
use crate::expr::{Environment, EvalError, Side};
use crate::handle::ControllerId;
use crate::id::{AttributeId, CalculationId, CurveId, TagId};
use crate::modifier::Operation;
use crate::modifier::aggregate::{Conditions, ModifierEntry, aggregate, contribution};
use crate::random::RandomStream;
use crate::refusal::RefusalReason;

/// Output of a calculation: a change to one attribute (§9.5, ModifierResult).
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Output {
    pub(super) to: OutputTo,
    pub(super) attribute: AttributeId,
    pub(super) operation: Operation,
    pub(super) magnitude: f64,
}

/// Result of an execution calculation.
pub(super) struct ExecutionResult {
    pub(super) outputs: SmallVec<[Output; 4]>,
    pub(super) handles_stacks: bool,
    pub(super) handles_cues: bool,
    /// Cues that the calculation executes, with their magnitudes.
    pub(super) cues: SmallVec<[(TagId, f64); 1]>,
}

/// Context tags that the calculations of one execution or application add (E14).
pub(super) type Marks = SmallVec<[TagId; 2]>;

/// Inputs of a native calculation, and the collector of its outputs.
pub struct CalculationContext<'a> {
    inputs: Inputs<'a>,
    calculation: &'a CompiledCalculation,
    stream: RandomStream,
    /// Transient variables and intermediate results, by position.
    locals: SmallVec<[f64; 8]>,
    /// Captured attributes with the value that scoped modifiers give them, for this execution only.
    scoped: SmallVec<[(Side, AttributeId, f64); 2]>,
    outputs: SmallVec<[Output; 4]>,
    handles_stacks: bool,
    handles_cues: bool,
    cues: SmallVec<[(TagId, f64); 1]>,
}

impl<'a> CalculationContext<'a> {
    /// Creates a context without outputs, with transient variables at 0 and the random stream of `dice`.
    fn new(inputs: Inputs<'a>, calculation: &'a CompiledCalculation, dice: Dice) -> Self {
        Self {
            stream: inputs.dice(dice),
            inputs,
            calculation,
            locals: smallvec::smallvec![0.0; calculation.locals.len()],
            scoped: SmallVec::new(),
            outputs: SmallVec::new(),
            handles_stacks: false,
            handles_cues: false,
            cues: SmallVec::new(),
        }
    }

    /// Value of a captured attribute of the source.
    ///
    /// # Errors
    /// If the capture was not declared, or there is no such attribute or source.
    pub fn source(&self, attribute: &str) -> Result<f64, CalculationError> {
        self.captured(CaptureFrom::Source, self.attribute_named(attribute)?)
    }

    /// Value of a captured attribute of the target.
    ///
    /// # Errors
    /// If the capture was not declared, or there is no such attribute.
    pub fn target(&self, attribute: &str) -> Result<f64, CalculationError> {
        self.captured(CaptureFrom::Target, self.attribute_named(attribute)?)
    }

    /// Value of a captured attribute, by id.
    ///
    /// # Errors
    /// If the capture was not declared, or there is no such attribute.
    pub fn captured(&self, from: CaptureFrom, attribute: AttributeId) -> Result<f64, CalculationError> {
        let side = from.side();
        let declared = self.calculation.captures.iter();
        let mut declared = declared.filter(|capture| capture.attribute == attribute && capture.from == from);
        let capture = declared.next().ok_or(CalculationError::UndeclaredCapture { attribute, from })?;
        if let Some(&(.., value)) = self.scoped.iter().find(|(s, a, _)| (*s, *a) == (side, attribute)) {
            return Ok(value);
        }
        if capture.frozen {
            return Ok(self.inputs.frozen_current(side, attribute)?);
        }
        Ok(self.inputs.read(&plain_reading(side, attribute))?)
    }

    /// Whether the source has a tag or a descendant of it.
    pub fn source_has(&self, tag: &str) -> bool {
        self.inputs.catalog.tags().id(tag).is_some_and(|tag| self.inputs.has_tag(Side::Source, tag))
    }

    /// Whether the target has a tag or a descendant of it.
    pub fn target_has(&self, tag: &str) -> bool {
        self.inputs.catalog.tags().id(tag).is_some_and(|tag| self.inputs.has_tag(Side::Target, tag))
    }

    /// The level of the effect.
    pub fn level(&self) -> f64 {
        self.inputs.spec.level
    }

    /// The stack count of the effect.
    pub fn stacks(&self) -> u32 {
        self.inputs.stacks
    }

    /// Number that the caller provided under a tag (SetByCaller, GASD §4.5.12.1.1).
    pub fn set_by_caller(&self, tag: &str) -> Option<f64> {
        self.inputs.catalog.tags().id(tag).and_then(|tag| self.inputs.spec.magnitude(tag))
    }

    /// Value of a transient variable that scoped modifiers set; 0 if none did (GASD §4.5.12.1.3).
    pub fn variable(&self, name: &str) -> f64 {
        let at = self.calculation.local(name).map(usize::from);
        at.and_then(|at| self.locals.get(at)).copied().unwrap_or(0.0)
    }

    /// Draws the next random number in [0, 1) from the application's own stream (V5).
    pub fn random(&mut self) -> f64 {
        self.stream.next_f64()
    }

    /// Context of the effect: source, ability, targets and tags.
    pub fn context(&self) -> &EffectContext {
        &self.inputs.spec.context
    }

    /// The effect spec.
    pub fn spec(&self) -> &EffectSpec {
        self.inputs.spec
    }

    /// The target controller.
    pub fn target_controller(&self) -> ControllerId {
        self.inputs.target
    }

    /// The catalog.
    pub fn catalog(&self) -> &Catalog {
        self.inputs.catalog
    }

    /// Emits an output that changes the base value of an attribute of the target (§9.5). May be called any
    /// number of times.
    ///
    /// # Errors
    /// If the catalog has no such attribute.
    pub fn output(
        &mut self,
        attribute: &str,
        operation: Operation,
        magnitude: f64,
    ) -> Result<(), CalculationError> {
        let attribute = self.attribute_named(attribute)?;
        self.outputs.push(Output { to: OutputTo::Target, attribute, operation, magnitude });
        Ok(())
    }

    /// Emits an output that changes the base value of an attribute of the source (E14). Has no effect without
    /// a source.
    ///
    /// # Errors
    /// If the catalog has no such attribute.
    pub fn output_to_source(
        &mut self,
        attribute: &str,
        operation: Operation,
        magnitude: f64,
    ) -> Result<(), CalculationError> {
        let attribute = self.attribute_named(attribute)?;
        self.outputs.push(Output { to: OutputTo::Source, attribute, operation, magnitude });
        Ok(())
    }

    /// Adds a context tag, such as `Hit.Critical`, to the cues, events and additional effects of this
    /// execution (E14).
    ///
    /// # Errors
    /// If the catalog has no such tag.
    pub fn add_tag(&mut self, tag: &str) -> Result<(), CalculationError> {
        let unknown = |error: crate::catalog::UnknownName| CalculationError::Failed(error.to_string());
        let tag = self.inputs.catalog.tag(tag).map_err(unknown)?;
        self.inputs.mark(tag);
        Ok(())
    }

    /// Whether the effect has an asset tag or a descendant of it (E14).
    pub fn effect_has(&self, tag: &str) -> bool {
        self.inputs.catalog.tags().id(tag).is_some_and(|tag| self.inputs.effect_has_tag(tag))
    }

    /// Declares that the outputs already account for the stack count; otherwise they are multiplied by it
    /// (M8).
    pub fn handle_stacks(&mut self) {
        self.handles_stacks = true;
    }

    /// Declares that the calculation handles the effect's cues; none is sent automatically for this
    /// execution.
    pub fn handle_cues(&mut self) {
        self.handles_cues = true;
    }

    /// Executes a cue on the target after this execution, in addition to the effect's own cues or, with
    /// [`handle_cues`](Self::handle_cues), instead of them.
    ///
    /// # Errors
    /// If the catalog has no such tag.
    pub fn execute_cue(&mut self, cue: &str, magnitude: f64) -> Result<(), CalculationError> {
        let unknown = |error: crate::catalog::UnknownName| CalculationError::Failed(error.to_string());
        let cue = self.inputs.catalog.tag(cue).map_err(unknown)?;
        self.cues.push((cue, magnitude));
        Ok(())
    }

    /// Id of an attribute; a `Failed` error for a name that the catalog does not have.
    fn attribute_named(&self, name: &str) -> Result<AttributeId, CalculationError> {
        self.inputs.catalog.attribute(name).map_err(|error| CalculationError::Failed(error.to_string()))
    }

    /// Applies the scoped modifiers of an execution to the values that the calculation reads: all modifiers
    /// of one attribute or variable are aggregated into one value, for this execution only.
    fn scope(&mut self, execution: &Execution, dice: Dice) -> Result<(), RefusalReason> {
        let mut done: SmallVec<[ScopedTarget; 4]> = SmallVec::new();
        for modifier in &execution.modifiers {
            if done.contains(&modifier.target) {
                continue;
            }
            done.push(modifier.target);
            let base = match modifier.target {
                ScopedTarget::Variable(_) => 0.0,
                ScopedTarget::Attribute(side, attribute) => {
                    let from = if side == Side::Source { CaptureFrom::Source } else { CaptureFrom::Target };
                    self.captured(from, attribute)
                        .map_err(|error| self.failed(execution.calculation, error))?
                }
            };
            let mut entries: SmallVec<[ModifierEntry; 4]> = SmallVec::new();
            let same =
                execution.modifiers.iter().enumerate().filter(|(_, other)| other.target == modifier.target);
            for (index, other) in same {
                let dice = match dice {
                    Dice::Execution(tick, execution) => Dice::Scoped(tick, execution, index as u16),
                    other => other,
                };
                let magnitude = self.inputs.magnitude(&other.magnitude, dice)?;
                entries.push(ModifierEntry {
                    slot: 0,
                    index: 0,
                    layer: 0,
                    operation: other.operation,
                    channel: None,
                    conditions: Conditions::default(),
                    priority: 0,
                    sequence: 0,
                    applied: 0,
                    effect: NO_EFFECT,
                    amount: contribution(other.operation, false, magnitude, 1),
                    plain: false,
                });
            }
            let value = aggregate(base, &entries, 0, |_| true, |_| {}).value;
            match modifier.target {
                ScopedTarget::Variable(local) => self.locals[usize::from(local)] = value,
                ScopedTarget::Attribute(side, attribute) => self.scoped.push((side, attribute, value)),
            }
        }
        Ok(())
    }

    /// Runs the calculation, which collects outputs, cues and context tags in this context. The returned
    /// number matters for magnitudes and requirements only, and need not be finite.
    fn run(&mut self, id: CalculationId) -> Result<f64, RefusalReason> {
        match &self.calculation.body {
            CalculationBody::Missing => Err(RefusalReason::MissingCalculation(id)),
            CalculationBody::Native(native) => native.calculate(self).map_err(|error| self.failed(id, error)),
            CalculationBody::Expressions(expressions) => {
                self.handles_stacks = expressions.handles_stacks;
                for (local, program) in &expressions.lets {
                    let value = program.evaluate(self).map_err(refusal)?;
                    self.locals[usize::from(*local)] = value;
                }
                for &(to, attribute, operation, ref program) in &expressions.outputs {
                    let magnitude = program.evaluate(self).map_err(refusal)?;
                    self.outputs.push(Output { to, attribute, operation, magnitude });
                }
                for (tag, when) in &expressions.tags {
                    let holds = match when {
                        Some(program) => program.evaluate(self).map_err(refusal)? != 0.0,
                        None => true,
                    };
                    if holds {
                        self.inputs.mark(*tag);
                    }
                }
                match &expressions.result {
                    Some(program) => program.evaluate(self).map_err(refusal),
                    None => Ok(0.0),
                }
            }
        }
    }

    /// Refusal reason of a failed calculation: that of the evaluation if one failed, else
    /// `CalculationFailed`.
    fn failed(&self, calculation: CalculationId, error: CalculationError) -> RefusalReason {
        match error {
            CalculationError::Evaluation(error) => refusal(error),
            error => RefusalReason::CalculationFailed { calculation, error },
        }
    }
}

/// Placeholder id for scoped modifiers, which belong to no active effect.
const NO_EFFECT: crate::handle::ActiveEffectId = match crate::handle::ActiveEffectId::from_bits(1 << 32) {
    Some(id) => id,
    None => unreachable!(),
};

impl Environment for CalculationContext<'_> {
    fn attribute(&mut self, side: Side, attribute: AttributeId) -> Result<f64, EvalError> {
        let from = if side == Side::Source { CaptureFrom::Source } else { CaptureFrom::Target };
        match self.captured(from, attribute) {
            Ok(value) => Ok(value),
            Err(CalculationError::Evaluation(error)) => Err(error),
            Err(_) => Err(EvalError::MissingAttribute { side, attribute }),
        }
    }

    fn has_tag(&mut self, side: Side, tag: TagId) -> bool {
        self.inputs.has_tag(side, tag)
    }

    fn effect_has_tag(&mut self, tag: TagId) -> bool {
        self.inputs.effect_has_tag(tag)
    }

    fn level(&self) -> f64 {
        self.inputs.spec.level
    }

    fn stacks(&self) -> f64 {
        f64::from(self.inputs.stacks)
    }

    fn set_by_caller(&self, tag: TagId) -> Result<f64, EvalError> {
        self.inputs.spec.magnitude(tag).ok_or(EvalError::MissingSetByCaller { tag })
    }

    fn curve(&self, curve: CurveId, x: f64) -> Result<f64, EvalError> {
        self.inputs.curve(curve, x)
    }

    fn random(&mut self) -> Result<f64, EvalError> {
        Ok(self.stream.next_f64())
    }

    fn local(&self, local: u16) -> f64 {
        self.locals.get(usize::from(local)).copied().unwrap_or(0.0)
    }
}

impl<'a> Inputs<'a> {
    /// Evaluates a calculation as a magnitude or a requirement. Its outputs and cues are ignored; the caller
    /// checks that the number is finite.
    pub(super) fn calculate(&self, id: CalculationId, dice: Dice) -> Result<f64, RefusalReason> {
        let calculation = self.catalog.calculation(id).ok_or(RefusalReason::MissingCalculation(id))?;
        CalculationContext::new(*self, calculation, dice).run(id)
    }

    /// Evaluates an execution and returns its outputs; writes nothing.
    pub(super) fn execute(
        &self,
        execution: &'a Execution,
        dice: Dice,
    ) -> Result<ExecutionResult, RefusalReason> {
        let id = execution.calculation;
        let calculation = self.catalog.calculation(id).ok_or(RefusalReason::MissingCalculation(id))?;
        let mut context = CalculationContext::new(*self, calculation, dice);
        context.scope(execution, dice)?;
        context.run(id)?;
        let CalculationContext { outputs, handles_stacks, handles_cues, cues, .. } = context;
        Ok(ExecutionResult { outputs, handles_stacks, handles_cues, cues })
    }
}
