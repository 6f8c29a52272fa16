//! Evaluation of magnitudes for one application (§9.4.2, E8, E9).

use core::cell::RefCell;

use super::calculate::Marks;
use super::values::EvalInput;
use super::{EvaluationParameters, Simulation, SourceTags, State};
use crate::ability::{Ability, GrantedAbility};
use crate::catalog::Catalog;
use crate::cow_option::CowOption;
use crate::effect::magnitude::{AttributeCalculation, Capture, Magnitude};
use crate::effect::{ActiveEffect, Effect, EffectContext, EffectSpec, LastSource, Reading};
use crate::expr::{Environment, EvalError, Program, Side};
use crate::handle::ControllerId;
use crate::id::{AttributeId, CurveId, EffectId, TagId};
use crate::number::finite;
use crate::random::RandomStream;
use crate::refusal::{Party, RefusalReason};
use crate::tag::TagView;

/// Purpose of a random number; separates the random streams of one application (V5).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Dice {
    Chance,
    Requirement,
    Duration,
    /// A modifier of the effect, by position. Every evaluation repeats the same rolls, so that following an
    /// attribute does not roll again.
    Modifier(u16),
    /// A modifier or calculation of one execution, by tick and position.
    Execution(u32, u16),
    /// A scoped modifier of a calculation, by tick and the positions of both.
    Scoped(u32, u16, u16),
    /// A number for an additional effect, by the positions of both (E15).
    Additional(u16, u16),
}

impl Dice {
    /// Numbers that derive the stream of this purpose; distinct for any two purposes.
    fn parts(self) -> [u64; 3] {
        match self {
            Self::Chance => [0, 0, 0],
            Self::Requirement => [1, 0, 0],
            Self::Duration => [2, 0, 0],
            Self::Modifier(index) => [3, 0, u64::from(index)],
            Self::Execution(tick, index) => [4, u64::from(tick), u64::from(index)],
            Self::Scoped(tick, execution, index) => {
                [5, u64::from(tick), u64::from(execution) << 16 | u64::from(index)]
            }
            Self::Additional(effect, index) => [6, u64::from(effect), u64::from(index)],
        }
    }
}

/// Inputs of the magnitudes of one application.
#[derive(Clone, Copy)]
pub(crate) struct Inputs<'a> {
    pub(super) state: &'a State,
    pub(super) catalog: &'a Catalog,
    pub(super) effect: &'a Effect,
    pub(super) spec: &'a EffectSpec,
    pub(super) target: ControllerId,
    pub(super) stacks: u32,
    pub(super) last_source: Option<&'a LastSource>,
    /// Key of the application's random streams.
    pub(super) stream: u64,
    /// Collects the context tags that calculations add (E14); `None` where they are ignored.
    pub(super) marks: Option<&'a RefCell<Marks>>,
}

impl<'a> Inputs<'a> {
    /// Creates the inputs of an active effect.
    pub(super) fn of(
        state: &'a State,
        catalog: &'a Catalog,
        effect: &'a Effect,
        active: &'a ActiveEffect,
    ) -> Self {
        Self {
            state,
            catalog,
            effect,
            spec: &active.spec,
            target: active.target,
            stacks: active.stacks,
            last_source: active.last_source(),
            stream: active.stream,
            marks: None,
        }
    }

    /// Random stream of one purpose, from its beginning: every call repeats the same rolls.
    pub(super) fn dice(&self, dice: Dice) -> RandomStream {
        RandomStream::derive(self.stream, &dice.parts())
    }

    /// Evaluates a magnitude; the result is finite. Fails with the reason if an input is missing.
    pub(super) fn magnitude(&self, magnitude: &Magnitude, dice: Dice) -> Result<f64, RefusalReason> {
        let value = match magnitude {
            Magnitude::Constant(value) => *value,
            Magnitude::SetByCaller { tag, default } => {
                self.spec.magnitude(*tag).or(*default).ok_or(RefusalReason::MissingSetByCaller(*tag))?
            }
            Magnitude::Curve { scale, curve, input } => {
                let x = match input {
                    None => self.spec.level,
                    Some(program) => program.evaluate(&mut self.environment(dice)).map_err(refusal)?,
                };
                scale * self.curve(*curve, x).map_err(refusal)?
            }
            Magnitude::Attribute(attribute) => {
                let value = match attribute.frozen {
                    Some(at) => self.frozen(usize::from(at), &attribute.reading),
                    None => self.read(&attribute.reading),
                };
                let mut value = value.map_err(refusal)?;
                if let Some(curve) = attribute.curve {
                    value = self.curve(curve, value).map_err(refusal)?;
                }
                (value + attribute.pre_add) * attribute.coefficient + attribute.post_add
            }
            Magnitude::Calculation { calculation, coefficient, pre_add, post_add } => {
                let value = self.calculate(*calculation, dice)?;
                (value + pre_add) * coefficient + post_add
            }
            Magnitude::Expression { program, frozen } => {
                let mut environment = ExpressionInputs { frozen: *frozen, ..self.environment(dice) };
                program.evaluate(&mut environment).map_err(refusal)?
            }
        };
        finite(value).ok_or(RefusalReason::NonFinite { modifier: None, attribute: None })
    }

    /// Inputs of an expression that reads live values, with the random stream of `dice`.
    fn environment(&self, dice: Dice) -> ExpressionInputs<'a> {
        ExpressionInputs { inputs: *self, frozen: false, dice, stream: None }
    }

    pub(super) fn curve(&self, curve: CurveId, x: f64) -> Result<f64, EvalError> {
        let found = self.catalog.curve(curve).ok_or(EvalError::MissingCurve { curve })?;
        Ok(found.value_at(x))
    }

    /// Value of the capture at index `at`; `MissingAttribute` if nothing was captured.
    fn frozen(&self, at: usize, reading: &Capture) -> Result<f64, EvalError> {
        let missing = EvalError::MissingAttribute { side: reading.side, attribute: reading.attribute };
        self.spec.captured().get(at).and_then(|reading| reading.get()).ok_or(missing)
    }

    /// Frozen current value of an attribute that the effect captures without tag filters; `MissingAttribute`
    /// if it captures none or nothing was captured.
    pub(super) fn frozen_current(&self, side: Side, attribute: AttributeId) -> Result<f64, EvalError> {
        let side = if side == Side::Owner { Side::Target } else { side };
        let wanted = |capture: &Capture| {
            capture.side == side
                && capture.attribute == attribute
                && capture.calculation == AttributeCalculation::Current
                && capture.source_tag_filter.is_empty()
                && capture.target_tag_filter.is_empty()
        };
        let at = self.effect.captures.iter().position(wanted);
        let missing = EvalError::MissingAttribute { side, attribute };
        at.and_then(|at| self.spec.captured().get(at)?.get()).ok_or(missing)
    }

    /// Reads an attribute's present value, or the last known value if the source is gone (M5). Tag filters
    /// and layers do not apply to a last known value.
    pub(super) fn read(&self, reading: &Capture) -> Result<f64, EvalError> {
        let missing = EvalError::MissingAttribute { side: reading.side, attribute: reading.attribute };
        let id = match reading.side {
            Side::Owner | Side::Target => Some(self.target),
            // The remembered source takes precedence: while a source is being destroyed it still exists, but
            // with other values.
            Side::Source => self.spec.context.source.filter(|_| self.last_source.is_none()),
        };
        match id.and_then(|id| self.state.locate(id, reading.attribute)) {
            Some((controller, slot)) => {
                let (base, current) = controller.values[slot].both();
                let filtered = !reading.source_tag_filter.is_empty() || !reading.target_tag_filter.is_empty();
                match reading.calculation {
                    AttributeCalculation::Base => Ok(base),
                    AttributeCalculation::Current if !filtered => Ok(current),
                    AttributeCalculation::Bonus if !filtered => Ok(current - base),
                    _ => {
                        let parameters = EvaluationParameters {
                            source_tag_filter: reading.source_tag_filter.clone(),
                            target_tag_filter: reading.target_tag_filter.clone(),
                            up_to_layer: match reading.calculation {
                                AttributeCalculation::UpToLayer(layer) => layer,
                                _ => crate::modifier::MAX_LAYER,
                            },
                            ..EvaluationParameters::default()
                        };
                        let layout = self.state.layout(controller);
                        let place = &layout.slots[slot];
                        let input = EvalInput {
                            controller,
                            slot: place,
                            base,
                            entries: controller.modifiers_of(slot as u16),
                            parameters: Some(&parameters),
                        };
                        let value = self.state.aggregate_slot(self.catalog, &input, |_| {}).value;
                        match reading.calculation {
                            AttributeCalculation::UpToLayer(_) => Ok(value),
                            AttributeCalculation::Bonus => Ok(value - base),
                            _ => {
                                let (min, max) = State::bounds(controller, place);
                                Ok(super::values::clamp(value, min, max))
                            }
                        }
                    }
                }
            }
            None if reading.side == Side::Source => {
                let (base, current) =
                    self.last_source.and_then(|last| last.value(reading.attribute)).ok_or(missing)?;
                Ok(match reading.calculation {
                    AttributeCalculation::Base => base,
                    AttributeCalculation::Bonus => current - base,
                    AttributeCalculation::Current | AttributeCalculation::UpToLayer(_) => current,
                })
            }
            None => Err(missing),
        }
    }

    pub(super) fn has_tag(&self, side: Side, tag: TagId) -> bool {
        match side {
            Side::Owner | Side::Target => {
                self.state.controllers.get(self.target).is_some_and(|target| target.tags.matches(tag))
            }
            Side::Source => self.source_tags().matches(tag),
        }
    }

    /// Whether the definition or the spec has an asset tag or a descendant of it (E14).
    pub(super) fn effect_has_tag(&self, tag: TagId) -> bool {
        let registry = self.catalog.tags();
        let mut asset = self.effect.asset_tags.iter().chain(self.spec.asset_tags().iter().copied());
        asset.any(|asset| registry.is_within(asset, tag))
    }

    /// Adds a context tag (E14) to the tags that the execution or application collects; ignored where none
    /// are collected.
    pub(super) fn mark(&self, tag: TagId) {
        if let Some(marks) = self.marks {
            marks.borrow_mut().push(tag);
        }
    }

    /// Evaluates an expression on live values; the result is finite.
    pub(super) fn evaluate(&self, program: &Program, dice: Dice) -> Result<f64, RefusalReason> {
        let value = program.evaluate(&mut self.environment(dice)).map_err(refusal)?;
        finite(value).ok_or(RefusalReason::NonFinite { modifier: None, attribute: None })
    }

    /// Tags of the source, remembered ones if it is gone, and of the ability in the context (E13).
    pub(super) fn source_tags(&self) -> SourceTags<'a> {
        let last = self.last_source.map(|last| &last.tags);
        SourceTags::from_parts(self.state, &self.spec.context, last)
    }
}

/// Inputs of the expressions of a magnitude.
struct ExpressionInputs<'a> {
    inputs: Inputs<'a>,
    frozen: bool,
    dice: Dice,
    /// Random stream of `dice`, derived at the first roll.
    stream: Option<RandomStream>,
}

impl Environment for ExpressionInputs<'_> {
    fn attribute(&mut self, side: Side, attribute: AttributeId) -> Result<f64, EvalError> {
        if self.frozen {
            return self.inputs.frozen_current(side, attribute);
        }
        self.inputs.read(&crate::catalog::plain_reading(side, attribute))
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

    fn jump(&self) -> f64 {
        f64::from(self.inputs.spec.jump)
    }

    fn set_by_caller(&self, tag: TagId) -> Result<f64, EvalError> {
        self.inputs.spec.magnitude(tag).ok_or(EvalError::MissingSetByCaller { tag })
    }

    /// Parameter of the ability that applied the effect, while it is granted: of its newest activation, else
    /// of the grant.
    fn param(&self, name: &str) -> Result<f64, EvalError> {
        let state = self.inputs.state;
        let handle = self.inputs.spec.context.ability.ok_or(EvalError::MissingParam)?;
        let granted = state.abilities.get(handle).ok_or(EvalError::MissingParam)?;
        let newest = granted.activations.last().and_then(|id| state.activations.get(*id));
        let own = newest.and_then(|running| running.number(name));
        own.or_else(|| granted.parameter(name)).ok_or(EvalError::MissingParam)
    }

    fn curve(&self, curve: CurveId, x: f64) -> Result<f64, EvalError> {
        self.inputs.curve(curve, x)
    }

    fn random(&mut self) -> Result<f64, EvalError> {
        let Self { inputs, dice, stream, .. } = self;
        Ok(stream.get_or_insert_with(|| inputs.dice(*dice)).next_f64())
    }
}

/// Refusal reason of a failed evaluation.
pub(super) fn refusal(error: EvalError) -> RefusalReason {
    match error {
        EvalError::MissingAttribute { side, attribute } => {
            let party = if side == Side::Source { Party::Source } else { Party::Target };
            RefusalReason::MissingAttribute { party, attribute }
        }
        EvalError::MissingSetByCaller { tag } => RefusalReason::MissingSetByCaller(tag),
        EvalError::MissingCurve { curve } => RefusalReason::MissingCurve(curve),
        EvalError::MissingParam | EvalError::NotAvailable => RefusalReason::MissingParameter,
        EvalError::NotPredicted => RefusalReason::NotPredicted,
        _ => RefusalReason::NonFinite { modifier: None, attribute: None },
    }
}

impl Simulation {
    /// Creates a spec of `effect` at a level, and freezes its captures of the source at this moment (§4.5,
    /// E8).
    ///
    /// # Errors
    /// If there is no such effect, or the level is not finite.
    pub fn spec(
        &self,
        effect: EffectId,
        level: f64,
        context: EffectContext,
    ) -> Result<EffectSpec, RefusalReason> {
        let definition = self.state.definition(&self.catalog, effect);
        let definition = definition.ok_or(RefusalReason::UnknownEffect(effect))?;
        if !level.is_finite() {
            return Err(RefusalReason::NonFinite { modifier: None, attribute: None });
        }
        let mut spec = EffectSpec::new(effect, definition.name_hash, level, context);
        let source = spec.context.source;
        self.freeze_ability_tags(&mut spec.context);
        self.capture_into(&mut spec, definition, Side::Source, source);
        Ok(spec)
    }

    /// Freezes the tags of the ability that a context names, unless it inherited them (E13).
    pub(super) fn freeze_ability_tags(&self, context: &mut EffectContext) {
        if context.ability_tags().is_some() {
            return;
        }
        if let Some((granted, ability)) = context.ability.and_then(|handle| self.granted(handle)) {
            self.freeze_tags_of(granted, ability, context);
        }
    }

    /// Freezes the tags of an ability in a context that has none (E13).
    pub(super) fn freeze_tags_of(
        &self,
        granted: &GrantedAbility,
        ability: &Ability,
        context: &mut EffectContext,
    ) {
        if granted.dynamic_tags.is_empty() {
            context.share_ability_tags(&ability.shared_tags);
            return;
        }
        let mut tags = ability.own_tags.clone();
        for &tag in &granted.dynamic_tags {
            tags.insert_closed(self.catalog.tags(), tag);
        }
        context.set_ability_tags(CowOption::new(tags));
    }

    /// Takes the frozen captures of one side from controller `from` into the spec; without one, earlier
    /// captures stay. Most effects have none.
    #[inline]
    pub(super) fn capture_into(
        &self,
        spec: &mut EffectSpec,
        effect: &Effect,
        side: Side,
        from: Option<ControllerId>,
    ) {
        if !effect.captures.is_empty() || !spec.captured().is_empty() {
            self.capture_readings(spec, effect, side, from);
        }
    }

    /// Slow path of [`Self::capture_into`]. An attribute that cannot be read is captured as missing.
    #[inline(never)]
    fn capture_readings(
        &self,
        spec: &mut EffectSpec,
        effect: &Effect,
        side: Side,
        from: Option<ControllerId>,
    ) {
        if spec.captured().len() != effect.captures.len() {
            spec.parts.make_mut().captured.resize(effect.captures.len(), Reading::NONE);
        }
        let Some(from) = from.filter(|_| !effect.captures.is_empty()) else { return };
        for (at, capture) in effect.captures.iter().enumerate().filter(|(_, capture)| capture.side == side) {
            let inputs = Inputs {
                state: &self.state,
                catalog: &self.catalog,
                effect,
                spec,
                target: from,
                stacks: 1,
                last_source: None,
                stream: 0,
                marks: None,
            };
            // Read through the target side; `from` is the target of these inputs.
            let value = inputs.read(&Capture { side: Side::Target, ..capture.clone() }).ok();
            spec.set_captured(at, value.into());
        }
    }
}
