//! Prediction on a client (§13.4, §13.7): what it predicts, what it leaves to the authority, and random rolls
//! that both sides share.
//!
//! A simulation that is not a client is unaffected: every function checks [`Role`] first.

use super::Simulation;
use super::cues::CueNumbers;
use super::state::Role;
use crate::ability::{Ability, Activation, ActivationReason, NetExecution};
use crate::effect::magnitude::Magnitude;
use crate::effect::{ActiveEffect, Effect, EffectSpec};
use crate::event::EventKind;
use crate::handle::{ActivationId, ActiveEffectId, ControllerId, GrantedAbilityId};
use crate::id::{AbilityId, EffectId};
use crate::prediction::{Knowledge, Prediction, PredictionKey, Randomness};
use crate::random::RandomStream;
use crate::refusal::RefusalReason;

/// Extent to which an application is carried out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PredictionScope {
    /// Full application, as on the authority.
    Full,
    /// Cues only; no state is kept.
    Cosmetic,
}

impl Simulation {
    /// Runs `act` as part of a prediction (§13.4): operations without a key of their own get this one. An
    /// activation with a key of its own keeps it.
    pub fn predicting<R>(&mut self, key: PredictionKey, act: impl FnOnce(&mut Self) -> R) -> R {
        let outer = self.scratch.current.ambient.replace(key);
        let result = self.guarded(act, |sim| sim.scratch.current.ambient = outer);
        self.scratch.current.ambient = outer;
        result
    }

    /// Sets how much a client knows of a controller. The setting is not part of the state: snapshots neither
    /// keep nor change it. Set [`Knowledge::Whole`] to drop the entry of a controller that is gone.
    pub fn set_known(&mut self, controller: ControllerId, knowledge: Knowledge) {
        match (self.shown.binary_search(&controller), knowledge) {
            (Err(at), Knowledge::Shown) => self.shown.insert(at, controller),
            (Ok(at), Knowledge::Whole) => {
                self.shown.remove(at);
            }
            (Ok(_), Knowledge::Shown) | (Err(_), Knowledge::Whole) => {}
        }
    }

    /// Returns how much a client knows of a controller: everything, unless [`Self::set_known`] said
    /// otherwise.
    pub fn known(&self, controller: ControllerId) -> Knowledge {
        match self.shown.binary_search(&controller) {
            Ok(_) => Knowledge::Shown,
            Err(_) => Knowledge::Whole,
        }
    }

    /// Whether an ability may apply an effect (§13.7, effect class whitelist): the effect is named by its
    /// tasks, containers, cost or cooldown, or is on its list of allowed effects.
    ///
    /// Effects that follow from such an effect, for example additional effects, are not included: the rules
    /// apply them, and a direct request for one is not something that the ability does.
    pub fn may_apply(&self, ability: AbilityId, effect: EffectId) -> bool {
        self.catalog.ability_by_id(ability).is_some_and(|ability| ability.may_apply(effect))
    }

    /// Whether client and server share the random rolls of an active effect: the key of its streams is no
    /// secret then.
    pub fn has_shared_dice(&self, active: &ActiveEffect) -> bool {
        let effect = self.state.definition(&self.catalog, active.effect);
        effect.is_some_and(|effect| effect.uses_random && shares_dice(effect, &active.spec))
    }

    /// Whether client and server share the random rolls of an activation: the key of its stream is no secret
    /// then.
    pub fn has_shared_activation_dice(&self, activation: &Activation) -> bool {
        let ability = self.catalog.ability_by_id(activation.ability);
        ability
            .is_some_and(|ability| self.shared_activation_stream(ability, activation.prediction, 0).is_some())
    }

    pub(super) fn is_client(&self) -> bool {
        self.config.role == Role::Client
    }

    /// Whether everything about a controller is known here, as it is on an authority.
    fn is_whole(&self, controller: ControllerId) -> bool {
        self.known(controller) == Knowledge::Whole
    }

    /// Reason for which an ability does not run on this side (GASD §4.6.8); `None` if it runs here.
    pub(super) fn runs_elsewhere(&self, ability: &Ability) -> Option<ActivationReason> {
        match (self.config.role, ability.def.net_execution) {
            (Role::Client, NetExecution::ServerOnly | NetExecution::ServerInitiated) => {
                Some(ActivationReason::NotAuthorised)
            }
            (Role::Client, NetExecution::LocalPredicted)
                if ability.def.prediction == Some(Prediction::Never) =>
            {
                Some(ActivationReason::NotPredicted)
            }
            (Role::Server, NetExecution::LocalOnly) => Some(ActivationReason::ClientOnly),
            _ => None,
        }
    }

    /// Scope of an application on this side; an error if a client leaves it to the authority: its policy, its
    /// dice or a controller known only partially forbid a prediction.
    pub(super) fn prediction_scope(
        &self,
        effect: &Effect,
        spec: &EffectSpec,
        target: ControllerId,
    ) -> Result<PredictionScope, RefusalReason> {
        if !self.is_client() {
            return Ok(PredictionScope::Full);
        }
        let granted = spec.context.ability.and_then(|handle| self.granted(handle));
        let by_ability = granted.and_then(|(_, ability)| ability.def.prediction);
        let policies = [effect.def.prediction, by_ability];
        if policies.contains(&Some(Prediction::Never)) {
            return Err(RefusalReason::NotPredicted);
        }
        let has_dice = |is_random: bool| is_random && !shares_dice(effect, spec);
        if has_dice(is_uncertain(effect)) {
            return Err(RefusalReason::NotPredicted);
        }
        // Owned tags describe an activation that exists here, so they are always applied in full.
        let is_owned_tags = spec.effect == self.catalog.internal.owned_tags;
        if policies.contains(&Some(Prediction::CosmeticOnly)) && !is_owned_tags {
            return Ok(PredictionScope::Cosmetic);
        }
        if has_dice(effect.has_random_numbers) {
            return Err(RefusalReason::NotPredicted);
        }
        let is_target_known = self.is_whole(target);
        if !is_target_known && (effect.reads_target || effect.def.prediction != Some(Prediction::Predict)) {
            return Err(RefusalReason::NotPredicted);
        }
        if effect.reads_source && spec.context.source.is_some_and(|source| !self.is_whole(source)) {
            return Err(RefusalReason::NotPredicted);
        }
        Ok(PredictionScope::Full)
    }

    /// Whether a tick of an active effect is left to the authority, since the client cannot know its outcome.
    pub(super) fn leaves_tick_to_authority(&self, active: ActiveEffectId, effect: &Effect) -> bool {
        if !self.is_client() {
            return false;
        }
        let Some(active) = self.state.effects.get(active) else { return false };
        let is_random = effect.has_random_numbers && !shares_dice(effect, &active.spec);
        let source = active.source().filter(|_| effect.reads_source);
        effect.def.prediction == Some(Prediction::Never)
            || is_random
            || (effect.reads_target && !self.is_whole(active.target))
            || source.is_some_and(|source| source.is_unseen() || !self.is_whole(source))
            || active.spec.captured().iter().any(|reading| reading.is_none())
    }

    /// Whether an effect may be removed on this side. From a controller that it knows only partially, a
    /// client removes only effects that it applied itself.
    pub(super) fn may_remove(&self, active: ActiveEffectId) -> bool {
        if !self.is_client() {
            return true;
        }
        let active = self.state.effects.get(active);
        active.is_some_and(|active| self.is_whole(active.target) || active.spec.prediction().is_some())
    }

    /// Queues the cues of a cosmetic prediction: those that the execution of the effect would send at once
    /// (E11). Cues that last as long as their effect come from the authority.
    pub(super) fn show_cues(&mut self, effect: &Effect, spec: &EffectSpec, target: ControllerId) {
        let at_once =
            effect.is_instant() || effect.period.is_some_and(|period| period.execute_on_application);
        if !at_once {
            return;
        }
        if effect.cues.is_empty() {
            return;
        }
        let numbers = CueNumbers { magnitude: 0.0, level: spec.level, stacks: 1, duration: spec.duration() };
        let parameters = self.cue_parameters(&spec.context, target, numbers, &[]);
        for cue in effect.cues.iter() {
            let parameters = parameters.clone();
            self.scratch.pending.queue_cue(
                self.scratch.current.op,
                EventKind::CueExecuted { controller: target, cue, parameters },
            );
        }
    }

    /// Limits a value that a client predicts to the attribute's floor, or to its old value if that is lower
    /// already. Without a floor, and on an authority, the value is unchanged.
    pub(super) fn keep_above_floor(&self, floor: Option<f64>, was: f64, value: f64) -> f64 {
        match floor.filter(|_| self.is_client()) {
            Some(floor) if value < floor && value < was => floor.min(was),
            _ => value,
        }
    }

    /// Whether a client lacks the random rolls of an activation, since only the server rolls or no prediction
    /// key is shared.
    pub(super) fn lacks_dice(&self, ability: AbilityId, activation: Option<ActivationId>) -> bool {
        if !self.is_client() {
            return false;
        }
        let ability = self.catalog.ability_by_id(ability);
        let activation = activation.and_then(|activation| self.state.activations.get(activation));
        ability.is_none_or(|ability| ability.def.randomness == Randomness::ServerOnly)
            || activation.is_some_and(|activation| activation.prediction.is_none())
    }

    /// Shared random stream of an activation (V5); `None` if the stream is the authority's own. `owner` is
    /// the ordinal of the owning controller: two players who act at the same tick have equal prediction keys
    /// and different rolls.
    pub(super) fn shared_activation_stream(
        &self,
        ability: &Ability,
        key: Option<PredictionKey>,
        owner: u64,
    ) -> Option<u64> {
        let key = key.filter(|_| ability.def.randomness == Randomness::Predicted)?;
        Some(RandomStream::derive(self.config.prediction_seed, &[key.0, ability.name_hash, owner]).key())
    }

    /// Shared random stream of an application (V5), derived from the prediction seed, the key, the index of
    /// the roll under it, the effect, and the ordinal of the source, which distinguishes the keys of two
    /// players. `None` if the stream is the authority's own.
    pub(super) fn shared_stream(&self, effect: &Effect, spec: &EffectSpec, source: u64) -> Option<u64> {
        let key = spec.prediction().filter(|_| effect.def.randomness == Randomness::Predicted)?;
        let parts = [key.0, self.scratch.current.op.roll, effect.name_hash, source];
        Some(RandomStream::derive(self.config.prediction_seed, &parts).key())
    }

    /// Sets the index of the shared rolls for the next application of an activation, and advances the
    /// activation's count. It advances whether or not the application succeeds: a client that leaves an
    /// application to the authority continues with the same index as the authority.
    pub(super) fn number_dice(&mut self, activation: ActivationId, effect: EffectId) {
        self.scratch.current.op.roll = 0;
        let Some(effect) = self.state.definition(&self.catalog, effect) else { return };
        if !effect.uses_random || effect.def.randomness == Randomness::ServerOnly {
            return;
        }
        if let Some(activation) = self.state.activations.get_mut(activation)
            && activation.prediction.is_some()
        {
            self.scratch.current.op.roll = activation.draws;
            activation.draws = activation.draws.wrapping_add(1);
        }
    }

    /// Prediction key of an activation that follows from the operation with the key `cause`: derived from it,
    /// the ability and the time, so that both sides compute the same. `None` if the cause is not predicted.
    pub(super) fn dependent_key(
        &self,
        cause: Option<PredictionKey>,
        handle: GrantedAbilityId,
    ) -> Option<PredictionKey> {
        let (_, ability) = self.granted(handle)?;
        let cause_of = RandomStream::derive(ability.name_hash, &[self.state.now.micros()]).key();
        Some(cause?.dependent(cause_of))
    }
}

/// Whether client and server share the random rolls of an application.
fn shares_dice(effect: &Effect, spec: &EffectSpec) -> bool {
    effect.def.randomness == Randomness::Predicted && spec.prediction().is_some()
}

/// Whether chance decides if an effect is applied at all.
fn is_uncertain(effect: &Effect) -> bool {
    match &effect.chance {
        None => false,
        Some(Magnitude::Constant(chance)) => *chance < 1.0,
        Some(_) => true,
    }
}
