//! What a client predicts and what it leaves to the authority (§13.4, §13.7), and what both must do alike for that.
//!
//! A simulation that is no client passes through all of this unchanged: [`Role`] is asked first.

use super::Simulation;
use super::cues::CueNumbers;
use super::state::Role;
use crate::ability::{Ability, Activation, ActivationReason, NetExecution};
use crate::effect::magnitude::Magnitude;
use crate::effect::{ActiveEffect, Effect, EffectSpec};
use crate::event::EventKind;
use crate::handle::{AbilityHandle, ActivationId, ActiveEffectId, ControllerId};
use crate::id::{AbilityId, EffectId};
use crate::prediction::{Knowledge, Prediction, PredictionKey, Randomness};
use crate::random::RandomStream;
use crate::refusal::RefusalReason;

/// How far an application goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Extent {
    /// As on the authority.
    Full,
    /// Its cues are shown, and nothing stays.
    Cosmetic,
}

impl Simulation {
    /// Does something as part of a prediction (§13.4): what has no key of its own gets this one. An activation that carries
    /// a key of its own keeps it.
    pub fn predicting<R>(&mut self, key: PredictionKey, act: impl FnOnce(&mut Self) -> R) -> R {
        let outer = self.scratch.ambient.replace(key);
        let result = act(self);
        self.scratch.ambient = outer;
        result
    }

    /// Does something for which it is settled that an ability reaches its targets: its range is not judged by where they
    /// are. A server judges it by where they were when its client saw them (§13.7).
    pub fn reaching<R>(&mut self, ability: AbilityHandle, act: impl FnOnce(&mut Self) -> R) -> R {
        let outer = self.scratch.reached.replace(ability);
        let result = act(self);
        self.scratch.reached = outer;
        result
    }

    /// Begins to note which controllers were touched; see [`Self::take_touched`].
    pub fn watch_touches(&mut self) {
        self.state.watch_touches();
    }

    /// The controllers of which anything may have changed since the last time, by handle, those that are gone left out:
    /// whoever replicates looks at these and at no others (I5). None unless [`Self::watch_touches`] was called.
    pub fn take_touched(&mut self) -> Vec<ControllerId> {
        self.state.take_touched()
    }

    /// Says how much a client knows of a controller. It is not part of the state: snapshots neither keep nor change it.
    /// What is said of a controller that is gone by now is forgotten with [`Knowledge::Whole`].
    pub fn set_known(&mut self, controller: ControllerId, knowledge: Knowledge) {
        match (self.shown.binary_search(&controller), knowledge) {
            (Err(at), Knowledge::Shown) => self.shown.insert(at, controller),
            (Ok(at), Knowledge::Whole) => {
                self.shown.remove(at);
            }
            (Ok(_), Knowledge::Shown) | (Err(_), Knowledge::Whole) => {}
        }
    }

    /// How much a client knows of a controller; all, unless something else was said.
    pub fn known(&self, controller: ControllerId) -> Knowledge {
        match self.shown.binary_search(&controller) {
            Ok(_) => Knowledge::Shown,
            Err(_) => Knowledge::Whole,
        }
    }

    /// Whether an ability may apply an effect (§13.7, effect class whitelist): one that its tasks, its containers, its cost
    /// or its cooldown name, or that is on its list of allowed effects.
    ///
    /// What such an effect leads to by itself, an additional effect say, is not among them: it comes by the rules, and
    /// whoever asks for it directly asks for something that the ability does not do.
    pub fn may_apply(&self, ability: AbilityId, effect: EffectId) -> bool {
        self.catalog.ability_by_id(ability).is_some_and(|ability| ability.may_apply(effect))
    }

    /// Whether the dice of an active effect are those that client and server roll alike: the key of its streams is no
    /// secret then.
    pub fn has_shared_dice(&self, active: &ActiveEffect) -> bool {
        let effect = self.state.definition(&self.catalog, active.effect);
        effect.is_some_and(|effect| effect.uses_random && shares_dice(effect, &active.spec))
    }

    /// Whether the dice of a run are those that client and server roll alike: the key of its stream is no secret then.
    pub fn has_shared_run_dice(&self, run: &Activation) -> bool {
        let ability = self.catalog.ability_by_id(run.ability);
        ability.is_some_and(|ability| self.shared_run_stream(ability, run.prediction, 0).is_some())
    }

    pub(super) fn is_client(&self) -> bool {
        self.config.role == Role::Client
    }

    fn is_whole(&self, controller: ControllerId) -> bool {
        self.known(controller) == Knowledge::Whole
    }

    /// Where an ability does not run (GASD §4.6.8).
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

    /// How far an application goes here.
    pub(super) fn extent(
        &self,
        effect: &Effect,
        spec: &EffectSpec,
        target: ControllerId,
    ) -> Result<Extent, RefusalReason> {
        if !self.is_client() {
            return Ok(Extent::Full);
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
        // The tags that a run owns say that it is there, and it is.
        let is_owned_tags = spec.effect == self.catalog.internal.owned_tags;
        if policies.contains(&Some(Prediction::CosmeticOnly)) && !is_owned_tags {
            return Ok(Extent::Cosmetic);
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
        Ok(Extent::Full)
    }

    /// Whether a tick of an active effect is left to the authority. That it was applied is settled; what it does next has
    /// to be known all the same.
    pub(super) fn leaves_tick(&self, active: ActiveEffectId, effect: &Effect) -> bool {
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
            || active.spec.captured.iter().any(|reading| reading.is_none())
    }

    /// Whether an effect may be removed here. Of somebody who is only shown, a client takes off what it put there itself.
    pub(super) fn may_remove(&self, active: ActiveEffectId) -> bool {
        if !self.is_client() {
            return true;
        }
        let active = self.state.effects.get(active);
        active.is_some_and(|active| self.is_whole(active.target) || active.spec.prediction().is_some())
    }

    /// What is shown of an effect of which nothing stays: the burst that its execution would send (E11). Cues that last
    /// as long as their effect come with it, from the authority.
    pub(super) fn show(&mut self, effect: &Effect, spec: &EffectSpec, target: ControllerId) {
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
            self.scratch.queue_cue(EventKind::CueExecuted { controller: target, cue, parameters });
        }
    }

    /// A client's prediction takes a value no lower than the attribute's floor, or than where it was if that is lower
    /// already.
    pub(super) fn keep_above_floor(&self, floor: Option<f64>, was: f64, value: f64) -> f64 {
        match floor.filter(|_| self.is_client()) {
            Some(floor) if value < floor && value < was => floor.min(was),
            _ => value,
        }
    }

    /// Whether a run rolls dice that this side does not have.
    pub(super) fn lacks_dice(&self, ability: AbilityId, run: Option<ActivationId>) -> bool {
        if !self.is_client() {
            return false;
        }
        let ability = self.catalog.ability_by_id(ability);
        let run = run.and_then(|run| self.state.activations.get(run));
        ability.is_none_or(|ability| ability.def.randomness == Randomness::ServerOnly)
            || run.is_some_and(|run| run.prediction.is_none())
    }

    /// The stream of a run that both sides roll alike (V5); `None` if it has one of the authority's. `owner` is the number of
    /// the controller that runs it: two players who act at the same tick have the same key, and not the same dice.
    pub(super) fn shared_run_stream(
        &self,
        ability: &Ability,
        key: Option<PredictionKey>,
        owner: u64,
    ) -> Option<u64> {
        let key = key.filter(|_| ability.def.randomness == Randomness::Predicted)?;
        Some(RandomStream::derive(self.config.prediction_seed, &[key.0, ability.name_hash, owner]).key())
    }

    /// The stream of an application that both sides roll alike (V5): from the seed of predictions, the key, which of the
    /// dice under it these are, the effect, and the number of its source, which is what tells the keys of two players
    /// apart.
    pub(super) fn shared_stream(&self, effect: &Effect, spec: &EffectSpec, source: u64) -> Option<u64> {
        let key = spec.prediction().filter(|_| effect.def.randomness == Randomness::Predicted)?;
        let parts = [key.0, self.scratch.roll, effect.name_hash, source];
        Some(RandomStream::derive(self.config.prediction_seed, &parts).key())
    }

    /// Numbers the next dice of a run that both sides roll alike. They count as drawn, whether or not anything comes of
    /// it: a client that leaves an application to the authority goes on with the next number, as the authority does.
    pub(super) fn number_dice(&mut self, run: ActivationId, effect: EffectId) {
        self.scratch.roll = 0;
        let Some(effect) = self.state.definition(&self.catalog, effect) else { return };
        if !effect.uses_random || effect.def.randomness == Randomness::ServerOnly {
            return;
        }
        if let Some(run) = self.state.activations.get_mut(run)
            && run.prediction.is_some()
        {
            self.scratch.roll = run.draws;
            run.draws = run.draws.wrapping_add(1);
        }
    }

    /// The key of an activation that what happens now leads to: it belongs to the same prediction.
    pub(super) fn dependent_key(
        &self,
        cause: Option<PredictionKey>,
        handle: AbilityHandle,
    ) -> Option<PredictionKey> {
        let (_, ability) = self.granted(handle)?;
        let cause_of = RandomStream::derive(ability.name_hash, &[self.state.now.micros()]).key();
        Some(cause?.dependent(cause_of))
    }
}

/// Whether client and server roll the dice of an application alike.
fn shares_dice(effect: &Effect, spec: &EffectSpec) -> bool {
    effect.def.randomness == Randomness::Predicted && spec.prediction().is_some()
}

/// Whether dice decide if an effect is applied at all.
fn is_uncertain(effect: &Effect) -> bool {
    match &effect.chance {
        None => false,
        Some(Magnitude::Constant(chance)) => *chance < 1.0,
        Some(_) => true,
    }
}
