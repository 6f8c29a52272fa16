//! Application of effects: the steps of E1, one function each.

use core::cell::RefCell;
use std::sync::Arc;

use smallvec::SmallVec;

use super::additional::Parent;
use super::cascade::Consequence;
use super::execute::Run;
use super::magnitude::{Dice, Inputs};
use super::prediction::PredictionScope;
use super::{Simulation, SourceTags};
use crate::controller::Controller;
use crate::controller::index::EffectKey;
use crate::effect::{AUTHORITATIVE_ONLY, Duration, Effect, EffectSpec, EffectStatus};
use crate::event::{Cause, EventKind, RemovalReason};
use crate::expr::Side;
use crate::handle::{ActiveEffectId, ControllerId};
use crate::random::RandomStream;
use crate::refusal::{Limit, Party, Reasons, Refusal, RefusalReason};
use crate::tag::{TagBits, TagRequirement, TagView, UnionView};
use crate::time::Span;

/// Result of a successful application.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Application {
    /// An instant effect wrote its base values.
    Executed,
    /// The effect is active now, as a new instance.
    Active(ActiveEffectId),
    /// The application added to an existing stack (E5).
    Stacked {
        /// The stacked instance.
        active: ActiveEffectId,
        /// Stack count after the application.
        stacks: u32,
    },
    /// The application was merged into the existing instance (E4).
    Merged(ActiveEffectId),
    /// The instance waits in the queue of its execution policy (E4).
    Queued(ActiveEffectId),
    /// The application overflowed the stack, which cleared it (E5).
    Cleared,
    /// A client showed the cues of the effect and kept no state
    /// ([`Prediction::CosmeticOnly`](crate::prediction::Prediction)).
    Shown,
}

impl Application {
    /// The active effect that the application became part of; `None` if there is none.
    pub fn active(self) -> Option<ActiveEffectId> {
        match self {
            Self::Active(active)
            | Self::Stacked { active, .. }
            | Self::Merged(active)
            | Self::Queued(active) => Some(active),
            Self::Executed | Self::Cleared | Self::Shown => None,
        }
    }
}

/// Optional checks of an application.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Checks {
    /// Application requirements, immunity, the custom requirement and the chance.
    All,
    /// No checks: costs, cooldowns and owned tags of an ability cannot be blocked (E13).
    Skipped,
}

/// Numbers that an application computes before it changes anything. The spec is passed by reference until it
/// becomes part of the state: moving it between steps costs more than the steps.
pub(super) struct Prepared<'a> {
    pub(super) effect: &'a Arc<Effect>,
    pub(super) spec: &'a mut EffectSpec,
    pub(super) target: ControllerId,
    pub(super) stream: u64,
    pub(super) magnitudes: SmallVec<[f64; 2]>,
    /// `None` if the effect is infinite.
    pub(super) duration: Option<Span>,
    pub(super) period: Option<Span>,
}

impl Simulation {
    /// Applies a spec to a target (§4.5, E1).
    ///
    /// # Errors
    /// Returns the refusal of the first step that refuses (E1), with all its reasons; nothing is applied. A denied
    /// stack overflow still has its consequences (E5), and the count of random rolls may still advance (V5).
    pub fn apply(&mut self, spec: &EffectSpec, target: ControllerId) -> Result<Application, Refusal> {
        self.operate(|sim| match sim.apply_directly(spec, target) {
            true => Ok(Application::Executed),
            false => sim.apply_authorised(&mut spec.clone(), target),
        })
    }

    /// Applies a spec as a consequence of the rules, with all checks. A refusal emits its event. The spec is
    /// consumed.
    pub(super) fn apply_one(
        &mut self,
        spec: &mut EffectSpec,
        target: ControllerId,
    ) -> Result<Application, Refusal> {
        self.apply_checked(spec, target, Checks::All)
    }

    /// Applies a spec with the given checks. A refusal emits its event. The spec is consumed.
    pub(super) fn apply_checked(
        &mut self,
        spec: &mut EffectSpec,
        target: ControllerId,
        checks: Checks,
    ) -> Result<Application, Refusal> {
        if self.apply_directly(spec, target) {
            return Ok(Application::Executed);
        }
        self.apply_stepwise(spec, target, checks)
    }

    /// [`Self::apply_checked`] by the steps of E1, without a look for a shorter way.
    pub(super) fn apply_stepwise(
        &mut self,
        spec: &mut EffectSpec,
        target: ControllerId,
        checks: Checks,
    ) -> Result<Application, Refusal> {
        self.apply_if(spec, target, checks, |_, _| Ok(()))
    }

    /// Applies a spec for code outside the rules, which may use an ability as its source only for the effects
    /// that the ability may apply (§13.7). The spec is consumed.
    pub(super) fn apply_authorised(
        &mut self,
        spec: &mut EffectSpec,
        target: ControllerId,
    ) -> Result<Application, Refusal> {
        self.apply_if(spec, target, Checks::All, Self::check_ability)
    }

    /// §13.7, effect class whitelist: refuses an effect that the ability of the context may not apply.
    /// Effects created at run time have no name that a whitelist could hold, and pass.
    fn check_ability(&self, spec: &EffectSpec) -> Result<(), Reasons> {
        let Some((granted, ability)) = spec.context.ability.and_then(|handle| self.granted(handle)) else {
            return Ok(());
        };
        if ability.may_apply(spec.effect) || self.catalog.effect_by_id(spec.effect).is_none() {
            return Ok(());
        }
        Err(refuse(RefusalReason::NotAuthorised { ability: granted.ability }))
    }

    /// Common body of the functions that apply a spec: sets the cause, checks `is_allowed`, runs the steps of
    /// E1, and emits the events of a refusal. An application left to the authority emits none.
    fn apply_if(
        &mut self,
        spec: &mut EffectSpec,
        target: ControllerId,
        checks: Checks,
        is_allowed: impl FnOnce(&Self, &EffectSpec) -> Result<(), Reasons>,
    ) -> Result<Application, Refusal> {
        let effect = spec.effect;
        let cause = Cause {
            operation: self.scratch.current.cause().operation,
            effect: Some(effect),
            active: None,
            source: spec.context.source,
            ability: spec.context.ability,
        };
        self.scratch.current.set_cause_and_prediction(cause, spec.prediction());
        self.trace(effect);
        is_allowed(self, spec).and_then(|()| self.apply_steps(spec, target, checks)).map_err(|reasons| {
            let refusal = Refusal { effect, target, reasons };
            // An application left to the authority is not refused, so it emits no event.
            if refusal.reasons.iter().any(|reason| matches!(reason, RefusalReason::NotPredicted)) {
                return refusal;
            }
            for reason in &refusal.reasons {
                if let RefusalReason::Immune { by } = *reason {
                    self.emit(EventKind::EffectBlockedByImmunity { effect, target, by });
                }
            }
            self.emit_refusal(&refusal);
            refusal
        })
    }

    /// The steps of E1, in order. Emits no refusal; the caller does.
    fn apply_steps(
        &mut self,
        spec: &mut EffectSpec,
        target: ControllerId,
        checks: Checks,
    ) -> Result<Application, Reasons> {
        let effect = self.find_effect(spec, target)?;
        let mut prediction_scope = PredictionScope::Full;
        if self.is_client() {
            self.check_authority(&effect, spec)?;
            prediction_scope = self.prediction_scope(&effect, spec, target).map_err(refuse)?;
        }
        self.run_before_apply(&effect, spec, target)?;
        if checks == Checks::All {
            self.check_requirements(&effect, spec, target)?;
        }
        if prediction_scope == PredictionScope::Cosmetic {
            self.show_cues(&effect, spec, target);
            return Ok(Application::Shown);
        }
        // Most effects read and roll nothing before they are applied.
        let stream = match effect.is_ungated && spec.is_bare() {
            true => 0,
            false => self.pass_gates(&effect, spec, target, checks)?,
        };
        if effect.is_instant() {
            return self.apply_instant(&effect, spec, target, stream);
        }
        if let Some(active) = self.hold(&effect, spec, target, stream, None) {
            return Ok(Application::Active(active));
        }
        let prepared = self.prepare(&effect, spec, target, stream)?;
        let application = self.admit(prepared)?;
        if let Some(active) = application.active() {
            self.scratch.current.set_cause_active(active);
            let queued = matches!(application, Application::Queued(_));
            if !queued {
                self.after_success(active, &effect, Self::complete_application);
            }
        }
        Ok(application)
    }

    /// Steps of E1 between the requirements and the application: captures of the target, the random stream,
    /// which is returned, the custom requirement, the chance, cycles, and the numbers of the caller.
    #[inline(never)]
    fn pass_gates(
        &mut self,
        effect: &Effect,
        spec: &mut EffectSpec,
        target: ControllerId,
        checks: Checks,
    ) -> Result<u64, Reasons> {
        // Frozen captures of the target; the custom requirement and the chance may read them, too.
        self.capture_into(spec, effect, Side::Target, Some(target));
        let stream = self.application_stream(effect, spec, target);
        if checks == Checks::All {
            self.check_custom_requirement(effect, spec, target, stream)?;
            self.roll_chance(effect, spec, target, stream)?;
        }
        if effect.has_live_magnitudes && !effect.is_instant() {
            self.check_cycles(effect, spec.effect, spec.context.source, target).map_err(refuse)?;
        }
        self.check_numbers(effect, spec)?;
        Ok(stream)
    }

    /// Definition of the effect of a spec, after the checks of everything that comes from outside: target,
    /// source, level, limits and tags. Refuses a run-time id that names a different effect by now.
    fn find_effect(&self, spec: &EffectSpec, target: ControllerId) -> Result<Arc<Effect>, Reasons> {
        self.check_active(target).map_err(refuse)?;
        // A handle that is not allocated yet would later name a different controller.
        if let Some(source) = spec.context.source
            && !source.is_unseen()
            && !self.state.controllers.has_lived(source)
        {
            return Err(refuse(RefusalReason::UnknownController(source)));
        }
        if !spec.level.is_finite() {
            return Err(refuse(RefusalReason::NonFinite { modifier: None, attribute: None }));
        }
        if !spec.is_bare() {
            self.check_spec(spec).map_err(|limit| refuse(RefusalReason::LimitReached(limit)))?;
            self.check_tags(spec.context.tags().iter()).map_err(refuse)?;
            if let Some(tags) = spec.context.ability_tags()
                && tags.last().is_some_and(|last| last.usize() >= self.catalog.tags().len())
            {
                self.check_tags(tags.iter()).map_err(refuse)?;
            }
        }
        let effect = self.state.definition(&self.catalog, spec.effect);
        // A run-time id may name a different effect by now.
        let effect = effect.filter(|effect| effect.name_hash == spec.name_hash);
        effect.cloned().ok_or_else(|| refuse(RefusalReason::UnknownEffect(spec.effect)))
    }

    /// §13.7: refuses, on a client, an application that only the authority may make.
    fn check_authority(&self, effect: &Effect, spec: &EffectSpec) -> Result<(), Reasons> {
        let by_spec = || {
            let tag = self.catalog.tags().id(AUTHORITATIVE_ONLY);
            tag.is_some_and(|tag| spec.asset_tags().contains(&tag))
        };
        if effect.authoritative_only || by_spec() {
            return Err(refuse(RefusalReason::AuthoritativeOnly));
        }
        Ok(())
    }

    /// Runs the `BeforeEffectApplied` hooks, the first refusal of which refuses the application, and emits
    /// their event if [`Config::audit`](super::Config::audit) asks for it (§15.4).
    #[inline]
    fn run_before_apply(
        &mut self,
        effect: &Effect,
        spec: &EffectSpec,
        target: ControllerId,
    ) -> Result<(), Reasons> {
        for hook in &self.catalog.before_apply {
            hook(self, target, spec).map_err(|reason| refuse(RefusalReason::Hook(reason)))?;
        }
        if self.config.audit {
            let value = |attribute| {
                let (controller, slot) = self.state.locate(target, attribute)?;
                Some((attribute, controller.values[slot].base, controller.values[slot].current))
            };
            let values = effect.writes.iter().copied().filter_map(value).collect();
            self.emit(EventKind::BeforeEffectApplied { effect: spec.effect, target, values });
        }
        Ok(())
    }

    /// Application requirements and immunity. Most effects have no requirements, and most targets no
    /// immunities.
    #[inline]
    fn check_requirements(
        &self,
        effect: &Effect,
        spec: &EffectSpec,
        target: ControllerId,
    ) -> Result<(), Reasons> {
        let Some(controller) = self.state.controllers.get(target) else {
            return Err(refuse(RefusalReason::UnknownController(target)));
        };
        if effect.is_unconditional && !has_immunity(controller) {
            return Ok(());
        }
        self.judge_application(effect, spec, controller)
    }

    /// Collects every reason for a refusal: tag requirements, the application query, tags that would remove
    /// the effect, and immunity. The slow path of [`Self::check_requirements`].
    #[inline(never)]
    fn judge_application(
        &self,
        effect: &Effect,
        spec: &EffectSpec,
        controller: &Controller,
    ) -> Result<(), Reasons> {
        let mut reasons = Reasons::default();
        if !effect.is_unconditional {
            let source = SourceTags::from_parts(&self.state, &spec.context, None);
            explain_requirement(&effect.application, &controller.tags, Party::Target, &mut reasons);
            explain_requirement(&effect.source, &source, Party::Source, &mut reasons);
            if !effect.application_query.matches(&controller.tags) {
                reasons.push(RefusalReason::ApplicationQuery);
            }
            for tag in effect.remove_on.present_in(&controller.tags) {
                reasons.push(RefusalReason::WouldBeRemoved { tag });
            }
        }
        if let Some(by) = self.immunity(effect, spec, controller) {
            reasons.push(RefusalReason::Immune { by });
        }
        if reasons.is_empty() { Ok(()) } else { Err(reasons) }
    }

    /// First active effect that makes the target immune to this one.
    fn immunity(
        &self,
        incoming: &Effect,
        spec: &EffectSpec,
        controller: &Controller,
    ) -> Option<ActiveEffectId> {
        let mut tags: Option<TagBits> = None;
        let immunities = controller.interactions.effect_index.entries_for(EffectKey::Immunity);
        immunities.iter().map(|&(.., id)| id).find(|&id| {
            let Some((active, effect)) = self.state.effect_of(&self.catalog, id) else { return false };
            if active.inhibited || active.status == EffectStatus::Queued {
                return false;
            }
            let own = tags.get_or_insert_with(|| self.tags_with(incoming, spec));
            let none = TagBits::default();
            let source = spec.context.source.and_then(|source| self.state.controllers.get(source));
            let source = source.map_or(&none, |source| source.tags.bits());
            let ability = spec.context.ability_tags().unwrap_or(&none);
            let both = UnionView(&[own, source, ability]);
            both.has_any(&effect.immunity)
                || (!effect.immunity_query.is_empty() && effect.immunity_query.matches(&both))
        })
    }

    /// Asset and granted tags of an effect, including those that its spec adds.
    pub(super) fn tags_with(&self, effect: &Effect, spec: &EffectSpec) -> TagBits {
        let mut tags = effect.own_tags.clone();
        for &tag in spec.granted_tags().iter().chain(spec.asset_tags()) {
            tags.insert_closed(self.catalog.tags(), tag);
        }
        tags
    }

    /// Key of the random stream of an application; 0 for an effect without randomness. V5: every application
    /// has its own random stream, derived from the seed, the effect's name, the parties and the count of
    /// earlier applications to this target, which it advances. If client and server share their rolls, it is
    /// derived from data that both have.
    #[inline]
    pub(super) fn application_stream(
        &mut self,
        effect: &Effect,
        spec: &EffectSpec,
        target: ControllerId,
    ) -> u64 {
        if !effect.uses_random {
            return 0;
        }
        self.next_stream(effect, spec, target)
    }

    /// Slow path of [`Self::application_stream`]: counts the application on its target, also if the stream is
    /// shared.
    #[inline(never)]
    fn next_stream(&mut self, effect: &Effect, spec: &EffectSpec, target: ControllerId) -> u64 {
        let source = spec.context.source.and_then(|source| self.state.controllers.get(source));
        let source = source.map_or(u64::MAX, |source| source.ordinal);
        let shared = self.shared_stream(effect, spec, source);
        let Some(controller) = self.state.controllers.get_mut(target) else { return 0 };
        let rolls = &mut controller.interactions.make_mut().rolls;
        let count = match rolls.binary_search_by_key(&spec.effect, |(id, _)| *id) {
            Ok(at) => {
                rolls[at].1 = rolls[at].1.wrapping_add(1);
                rolls[at].1
            }
            Err(at) => {
                rolls.insert(at, (spec.effect, 0));
                0
            }
        };
        let parts = [effect.name_hash, controller.ordinal, source, u64::from(count)];
        shared.unwrap_or_else(|| RandomStream::derive(self.state.seed, &parts).key())
    }

    /// Inputs of an application that is not active yet: one stack, a living source, and no collection of
    /// context tags.
    pub(super) fn inputs<'a>(
        &'a self,
        effect: &'a Effect,
        spec: &'a EffectSpec,
        target: ControllerId,
        stream: u64,
    ) -> Inputs<'a> {
        Inputs {
            state: &self.state,
            catalog: &self.catalog,
            effect,
            spec,
            target,
            stacks: 1,
            last_source: None,
            stream,
            marks: None,
        }
    }

    /// Evaluates the custom requirement of an effect; a result of 0 refuses the application.
    fn check_custom_requirement(
        &self,
        effect: &Effect,
        spec: &EffectSpec,
        target: ControllerId,
        stream: u64,
    ) -> Result<(), Reasons> {
        let Some(requirement) = effect.requirement else { return Ok(()) };
        let inputs = self.inputs(effect, spec, target, stream);
        let result = inputs.calculate(requirement, Dice::Requirement).map_err(refuse)?;
        let result = crate::number::finite(result)
            .ok_or_else(|| refuse(RefusalReason::NonFinite { modifier: None, attribute: None }))?;
        if result == 0.0 { Err(refuse(RefusalReason::RequirementFailed(requirement))) } else { Ok(()) }
    }

    /// Rolls the chance of an effect to be applied; effects without one always pass.
    fn roll_chance(
        &self,
        effect: &Effect,
        spec: &EffectSpec,
        target: ControllerId,
        stream: u64,
    ) -> Result<(), Reasons> {
        let Some(chance) = &effect.chance else { return Ok(()) };
        let inputs = self.inputs(effect, spec, target, stream);
        let probability = inputs.magnitude(chance, Dice::Chance).map_err(refuse)?;
        // The magnitude may have drawn from the same stream; the chance uses a separate one.
        let mut dice = RandomStream::derive(stream, &[u64::MAX]);
        if dice.chance(probability) { Ok(()) } else { Err(refuse(RefusalReason::ChanceFailed)) }
    }

    /// Checks the inputs of an evaluation: the caller's numbers are finite, the period is positive, and the
    /// execution calculations exist.
    pub(super) fn check_numbers(&self, effect: &Effect, spec: &EffectSpec) -> Result<(), Reasons> {
        // V2: the spec becomes part of the state, including numbers that nothing reads yet.
        let mut given = spec.magnitudes().iter().map(|(_, value)| value);
        if !given.all(|value| value.is_finite()) || !spec.context.is_finite() {
            return Err(refuse(RefusalReason::NonFinite { modifier: None, attribute: None }));
        }
        if let Some(period) = spec.period().filter(|period| !period.is_positive()) {
            return Err(refuse(RefusalReason::InvalidPeriod(period)));
        }
        for execution in &effect.executions {
            let calculation = self.catalog.calculation(execution.calculation);
            if calculation.is_none_or(|calculation| calculation.is_missing()) {
                return Err(refuse(RefusalReason::MissingCalculation(execution.calculation)));
            }
        }
        Ok(())
    }

    /// Evaluates magnitudes, duration and period of an effect with a duration (E8, E9). Adds the context tags
    /// that calculations mark to the spec (E14), and changes nothing else.
    pub(super) fn prepare<'a>(
        &self,
        effect: &'a Arc<Effect>,
        spec: &'a mut EffectSpec,
        target: ControllerId,
        stream: u64,
    ) -> Result<Prepared<'a>, Reasons> {
        let (magnitudes, duration) = match &effect.constants {
            Some(constants) => {
                (constants.magnitudes.iter().copied().collect(), spec.duration().or(constants.duration))
            }
            None => self.evaluate_instance(effect, spec, target, stream)?,
        };
        let period = effect.period.map(|period| spec.period().unwrap_or(period.period));
        self.check_period(period).map_err(|limit| refuse(RefusalReason::LimitReached(limit)))?;
        Ok(Prepared { effect, spec, target, stream, magnitudes, duration, period })
    }

    /// Magnitudes and duration of an instance. Adds the context tags that calculations mark to the spec (E14).
    fn evaluate_instance(
        &self,
        effect: &Effect,
        spec: &mut EffectSpec,
        target: ControllerId,
        stream: u64,
    ) -> Result<(SmallVec<[f64; 2]>, Option<Span>), Reasons> {
        let marks = RefCell::default();
        let inputs = Inputs { marks: Some(&marks), ..self.inputs(effect, spec, target, stream) };
        let magnitudes = evaluate_modifiers(&inputs)?;
        let duration = match (&effect.duration, spec.duration()) {
            (_, Some(overridden)) => Some(overridden),
            (Duration::Lasting(magnitude), None) => {
                let seconds = inputs.magnitude(magnitude, Dice::Duration).map_err(refuse)?;
                Some(Span::seconds(seconds))
            }
            (Duration::Instant | Duration::Infinite, None) => None,
        };
        spec.context.add_tags(&marks.into_inner());
        Ok((magnitudes, duration))
    }

    /// Whether the numbers of a spec can be evaluated now, without applying it; returns the first reason if
    /// not. Magnitudes of an instant effect are not evaluated. Used for the cooldown of an ability before
    /// anything is paid.
    pub(super) fn could_evaluate(
        &self,
        effect: &Arc<Effect>,
        spec: &mut EffectSpec,
        target: ControllerId,
    ) -> Result<(), RefusalReason> {
        let checked = self.check_numbers(effect, spec);
        let prepared = checked.and_then(|()| match effect.is_instant() {
            true => Ok(()),
            false => self.prepare(effect, spec, target, 0).map(|_| ()),
        });
        prepared.map_err(Reasons::into_first)
    }

    /// Last steps of E1 for an instant effect: executes it, removes other effects, cancels abilities, emits
    /// the value and cue events, and queues additional effects.
    fn apply_instant(
        &mut self,
        effect: &Arc<Effect>,
        spec: &mut EffectSpec,
        target: ControllerId,
        stream: u64,
    ) -> Result<Application, Reasons> {
        let run = Run::once(effect, spec, target, stream);
        self.execute_run(&run).map_err(refuse)?;
        let marks = run.marks.into_inner();
        spec.context.add_tags(&marks);
        if effect.has_followups {
            self.remove_others(effect, target, None);
            self.cancel_by_effect(effect, target);
        }
        self.complete_application();
        if effect.has_followups {
            self.apply_additional(effect, Parent { spec, target, stacks: 1, last_source: None, stream });
        }
        Ok(Application::Executed)
    }

    /// Recalculates and emits value events, then cue events (E1). Queued instances begin first, so that no
    /// value shows the gap between two of them (E4). Inside a batch all of this waits for its end.
    fn complete_application(&mut self) {
        if self.scratch.current.batch_depth > 0 {
            return;
        }
        if !self.scratch.cascade.begins.is_empty() {
            let (cause, prediction) = (self.scratch.current.cause(), self.scratch.current.prediction());
            self.begin_queued();
            self.scratch.current.set_cause_and_prediction(cause, prediction);
        }
        self.flush();
    }

    /// Consequences of an effect that became active, was stacked or was merged: remove-others, then tags,
    /// abilities and cues, then `complete`, then additional effects. Grants are given once; a stack or a
    /// merge repeats the rest.
    pub(super) fn after_success(
        &mut self,
        active: ActiveEffectId,
        effect: &Arc<Effect>,
        complete: impl FnOnce(&mut Self),
    ) {
        let marks = core::mem::take(&mut self.scratch.buffers.marks);
        let Some(instance) = self.state.effects.get(active) else { return };
        let target = instance.target;
        self.remove_others(effect, target, Some(active));
        let Some(instance) = self.state.effects.get_mut(active) else { return };
        let fresh = !core::mem::replace(&mut instance.given, true);
        if fresh && !instance.inhibited {
            self.add_grants(active, effect);
        }
        self.cancel_by_effect(effect, target);
        // The recalculation may end the instance; its additional effects are applied all the same.
        let parent = self.state.effects.get(active).filter(|_| !effect.additional.is_empty());
        let parent = parent.map(|instance| {
            let mut spec = instance.spec.clone();
            // Tags that the first tick marked belong to this application and not to later ticks.
            spec.context.add_tags(&marks);
            (spec, instance.stacks, instance.parts.last_source.clone(), instance.stream)
        });
        complete(self);
        if let Some((spec, stacks, last, stream)) = parent {
            let last_source = last.as_deref();
            self.apply_additional(effect, Parent { spec: &spec, target, stacks, last_source, stream });
        }
        let Some(instance) = self.state.effects.get(active) else { return };
        // E6: an effect with zero duration is applied and removed at the same instant.
        if instance.duration().is_some_and(|duration| !duration.is_positive()) {
            self.enqueue(Consequence::Remove { active, reason: RemovalReason::Expired });
        }
    }

    /// Removes the effects on the target that the effect removes by tags, except `itself`. Most effects
    /// remove none.
    #[inline]
    fn remove_others(&mut self, effect: &Effect, target: ControllerId, itself: Option<ActiveEffectId>) {
        if !effect.remove_effects.is_empty() {
            self.remove_tagged(effect, target, itself);
        }
    }

    /// Slow path of [`Self::remove_others`]. A client keeps effects that it leaves to the authority.
    #[inline(never)]
    fn remove_tagged(&mut self, effect: &Effect, target: ControllerId, itself: Option<ActiveEffectId>) {
        let Some(controller) = self.state.controllers.get(target) else { return };
        let matches = |&id: &ActiveEffectId| {
            let Some((active, other)) = self.state.effect_of(&self.catalog, id) else { return false };
            Some(id) != itself
                && self.may_remove(id)
                && self.tags_with(other, &active.spec).has_any(&effect.remove_effects)
        };
        let others: SmallVec<[ActiveEffectId; 8]> =
            controller.effects.iter().copied().filter(matches).collect();
        for other in others {
            self.remove_active(other, RemovalReason::Removed);
        }
    }

    /// Cancels active abilities with the effect's cancel tags on application. Keeps the cause.
    #[inline]
    fn cancel_by_effect(&mut self, effect: &Effect, target: ControllerId) {
        if let Some(tag) = effect.cancel_abilities.iter().next() {
            let cause = self.scratch.current.cause();
            let reason = crate::ability::EndReason::CancelledByTag(tag);
            self.cancel_matching(target, &effect.cancel_abilities, None, reason);
            self.scratch.current.set_cause(cause);
        }
    }

    /// Refuses an instance at
    /// [`Config::max_effects_per_controller`](super::Config::max_effects_per_controller).
    pub(super) fn check_effect_limit(&self, target: ControllerId) -> Result<(), Reasons> {
        let count = self.state.controllers.get(target).map_or(0, |controller| controller.effects.len());
        if count >= self.config.max_effects_per_controller as usize {
            return Err(refuse(RefusalReason::LimitReached(Limit::EffectsPerController)));
        }
        Ok(())
    }
}

/// Evaluates the magnitude of every modifier, in order; stops at the first that fails.
pub(super) fn evaluate_modifiers(inputs: &Inputs<'_>) -> Result<SmallVec<[f64; 2]>, Reasons> {
    let mut magnitudes = SmallVec::new();
    for (at, modifier) in inputs.effect.modifiers.iter().enumerate() {
        let at = at as u16;
        let magnitude = inputs.magnitude(&modifier.magnitude, Dice::Modifier(at));
        magnitudes.push(magnitude.map_err(|reason| refuse(reason.of_modifier(at, modifier.attribute)))?);
    }
    Ok(magnitudes)
}

/// Whether a controller has effects that make it immune to others.
#[inline(always)]
pub(super) fn has_immunity(controller: &Controller) -> bool {
    // The index is sorted, and immunity is the lowest key.
    let index = controller.interactions.allocated().map(|known| &known.effect_index);
    index.and_then(|index| index.first()).is_some_and(|(key, ..)| *key == EffectKey::Immunity)
}

/// Adds a reason to `reasons` for each tag that is missing or in the way; none if the requirement is met.
fn explain_requirement(
    requirement: &TagRequirement,
    tags: &impl TagView,
    party: Party,
    reasons: &mut Reasons,
) {
    if requirement.is_met_by(tags) {
        return;
    }
    for tag in requirement.require.missing_from(tags) {
        reasons.push(RefusalReason::MissingTag { party, tag });
    }
    for tag in requirement.ignore.present_in(tags) {
        reasons.push(RefusalReason::BlockedTag { party, tag });
    }
}

/// Wraps a single reason.
pub(super) fn refuse(reason: RefusalReason) -> Reasons {
    reason.into()
}
