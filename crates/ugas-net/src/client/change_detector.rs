//! Change detection: compares the shown state before and after, so that every change is emitted once,
//! whatever caused it.

use std::collections::BTreeMap;
use std::sync::Arc;

use ugas_core::controller::Controller;
use ugas_core::effect::PredictionKey;
use ugas_core::event::{CueDetails, CueParameters};
use ugas_core::handle::{ActivationId, ActiveEffectId, ControllerId, GrantedAbilityId};
use ugas_core::hash::StateHasher;
use ugas_core::id::{AttributeId, EffectId, TagId};
use ugas_core::replica::Replica;
use ugas_core::simulation::Simulation;
use ugas_core::tag::TagBits;
use ugas_core::time::Time;

use super::event::ClientEvent;

/// Shown state of one controller. Lists are sorted.
#[derive(Debug, Default, PartialEq)]
struct ViewState {
    own: bool,
    attributes: Vec<(AttributeId, f64)>,
    tags: Vec<TagId>,
    /// Explicit counts of tags; empty unless the host asks for them (T6).
    counts: Vec<(TagId, u32)>,
    effects: Vec<EffectViewState>,
    cues: Vec<TagId>,
    abilities: Vec<GrantedAbilityId>,
    /// Activations without a prediction key; predicted ones are emitted as one-shot events.
    runs: Vec<ActivationId>,
}

/// Identity of an effect across replays: a predicted effect gets another handle after every replay, but keeps
/// its key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct EffectName {
    /// `None` if it was not predicted: then it keeps its handle.
    key: Option<PredictionKey>,
    effect: EffectId,
    /// The handle, or the position among the effects with this key.
    number: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct EffectViewState {
    name: EffectName,
    active: ActiveEffectId,
    stacks: u32,
}

/// Shown state of all controllers.
#[derive(Debug, Default)]
pub(super) struct ChangeDetector {
    states: BTreeMap<ControllerId, ViewState>,
    /// Memory for the state of a controller that is being compared.
    scratch: ViewState,
    /// Whether changes of tag counts are raised as events (T6).
    tag_counts: bool,
}

/// Replicated state from which events are created.
#[derive(Clone, Copy)]
pub(super) struct Replicated<'a> {
    pub(super) simulation: &'a Simulation,
    pub(super) replica: &'a Replica,
}

impl Replicated<'_> {
    /// Context of a looping cue (C1): as the server sent it, or that of the holder in sight. `None` if
    /// nothing that is shown holds the cue.
    pub(super) fn cue_parameters(self, controller: ControllerId, cue: TagId) -> Option<CueParameters> {
        let Some(mut parameters) = self.replica.cue_parameters(controller, cue) else {
            return self.simulation.present_cue(controller, cue).map(|(parameters, _)| parameters);
        };
        if let Some(details) = parameters.details.as_mut().map(Arc::make_mut) {
            self.add_tags(details, controller);
        }
        Some(parameters)
    }

    /// Adds the tags of source and target, which the client takes from its own copy of both.
    pub(super) fn add_tags(self, details: &mut CueDetails, target: ControllerId) {
        details.target_tags = self.tags(target);
        details.source_tags = details.instigator.map(|source| self.tags(source)).unwrap_or_default();
        details.source_tags.union_with(&details.ability_tags);
    }

    /// Tags of a controller with their ancestors; none if it is not shown.
    fn tags(self, controller: ControllerId) -> TagBits {
        self.simulation.tags(controller).map(|tags| tags.bits().clone()).unwrap_or_default()
    }
}

impl ChangeDetector {
    /// Detector that knows nothing, so that the first comparison reports all that is shown. With `tag_counts`
    /// it also emits changes of explicit tag counts (T6).
    pub(super) fn new(tag_counts: bool) -> Self {
        Self { tag_counts, ..Self::default() }
    }

    /// Compares the shown state with the simulation, emits the differences, and keeps the new state.
    pub(super) fn emit_changes_of_world(
        &mut self,
        replicated: Replicated<'_>,
        own: impl Fn(ControllerId) -> bool,
        emit: &mut impl FnMut(ClientEvent),
    ) {
        let simulation = replicated.simulation;
        self.states.retain(|controller, _| {
            let stays = simulation.controller(*controller).is_some();
            if !stays {
                emit(ClientEvent::Vanished { controller: *controller });
            }
            stays
        });
        let now = &mut self.scratch;
        for (controller, _) in simulation.controllers() {
            now.read(simulation, controller, own(controller), self.tag_counts);
            let is_new = !self.states.contains_key(&controller);
            let before = self.states.entry(controller).or_default();
            if is_new {
                emit(ClientEvent::Appeared { controller, own: now.own });
            } else if before.own != now.own {
                emit(ClientEvent::OwnershipChanged { controller, own: now.own });
            }
            before.emit_changes(now, controller, is_new, replicated, emit);
            core::mem::swap(before, now);
        }
    }
}

impl ViewState {
    /// Reads the shown state of a controller into this one; empty if it does not exist. `tag_counts` is
    /// whether counts are read.
    fn read(&mut self, simulation: &Simulation, id: ControllerId, own: bool, tag_counts: bool) {
        self.clear();
        let Some(controller) = simulation.controller(id) else { return };
        self.own = own;
        self.attributes.extend(simulation.attributes(id).map(|(attribute, _, current)| (attribute, current)));
        self.attributes.sort_unstable_by_key(|(attribute, _)| *attribute);
        self.tags.extend(controller.tags().bits().iter());
        if tag_counts {
            self.counts.extend(controller.tags().iter());
        }
        read_effects(simulation, controller, &mut self.effects);
        self.cues.extend(controller.cues().iter().map(|(cue, _)| *cue));
        self.abilities.extend_from_slice(controller.abilities());
        self.abilities.sort_unstable();
        let unpredicted = |run: &&ActivationId| {
            simulation.activation(**run).is_some_and(|activation| activation.prediction().is_none())
        };
        self.runs.extend(controller.activations().iter().filter(unpredicted).copied());
        self.runs.sort_unstable();
    }

    /// Empties the state, and keeps the memory of its lists.
    fn clear(&mut self) {
        let Self { own, attributes, tags, counts, effects, cues, abilities, runs } = self;
        *own = false;
        attributes.clear();
        tags.clear();
        counts.clear();
        effects.clear();
        cues.clear();
        abilities.clear();
        runs.clear();
    }

    /// Emits the changes of a controller from `self` to `now`. If it `is_new`, tags, effects, cues and
    /// abilities are emitted as added, but no attributes.
    fn emit_changes(
        &self,
        now: &Self,
        controller: ControllerId,
        is_new: bool,
        replicated: Replicated<'_>,
        emit: &mut impl FnMut(ClientEvent),
    ) {
        // Values that a controller appears with are no changes.
        if !is_new && self.attributes != now.attributes {
            for (attribute, new) in &now.attributes {
                let (attribute, new) = (*attribute, *new);
                match value_of(&self.attributes, attribute) {
                    Some(old) if old == new => {}
                    Some(old) => emit(ClientEvent::AttributeChanged { controller, attribute, old, new }),
                    None => emit(ClientEvent::AttributeShown { controller, attribute, value: new }),
                }
            }
            for &(attribute, _) in &self.attributes {
                if value_of(&now.attributes, attribute).is_none() {
                    emit(ClientEvent::AttributeHidden { controller, attribute });
                }
            }
        }
        self.emit_counts(now, controller, emit);
        for change in differences(&self.tags, &now.tags) {
            emit(match change {
                Difference::Came(tag) => ClientEvent::TagAdded { controller, tag },
                Difference::Went(tag) => ClientEvent::TagRemoved { controller, tag },
            });
        }
        self.emit_effects(now, controller, emit);
        for change in differences(&self.cues, &now.cues) {
            emit(match change {
                Difference::Came(cue) => ClientEvent::CueBegan {
                    controller,
                    cue,
                    since: cue_since(replicated, controller, cue),
                    parameters: replicated.cue_parameters(controller, cue).unwrap_or_default(),
                },
                Difference::Went(cue) => ClientEvent::CueEnded { controller, cue },
            });
        }
        for change in differences(&self.abilities, &now.abilities) {
            emit(match change {
                Difference::Came(ability) => ClientEvent::AbilityGranted { controller, ability },
                Difference::Went(ability) => ClientEvent::AbilityRevoked { controller, ability },
            });
        }
        for change in differences(&self.runs, &now.runs) {
            emit(match change {
                Difference::Came(activation) => ClientEvent::ActivationBegan { controller, activation },
                Difference::Went(activation) => ClientEvent::ActivationEnded { controller, activation },
            });
        }
    }
}

impl ViewState {
    /// Emits changed tag counts (T6); none if counts were not read.
    fn emit_counts(&self, now: &Self, controller: ControllerId, emit: &mut impl FnMut(ClientEvent)) {
        let count = |counts: &[(TagId, u32)], tag: TagId| {
            counts.binary_search_by_key(&tag, |(known, _)| *known).map_or(0, |at| counts[at].1)
        };
        for &(tag, old) in self.counts.iter().filter(|(tag, _)| count(&now.counts, *tag) == 0) {
            emit(ClientEvent::TagCountChanged { controller, tag, old, new: 0 });
        }
        for &(tag, new) in &now.counts {
            let old = count(&self.counts, tag);
            if old != new {
                emit(ClientEvent::TagCountChanged { controller, tag, old, new });
            }
        }
    }

    /// Emits effects that were removed, added or renamed, and stack counts that changed. Effects are matched
    /// by [`EffectName`], so that a replayed prediction is renamed, not removed and added.
    fn emit_effects(&self, now: &Self, controller: ControllerId, emit: &mut impl FnMut(ClientEvent)) {
        if self.effects == now.effects {
            return;
        }
        let find = |list: &[EffectViewState], name: EffectName| {
            list.binary_search_by_key(&name, |state| state.name).ok().map(|at| list[at])
        };
        for gone in self.effects.iter().filter(|old| find(&now.effects, old.name).is_none()) {
            let (active, effect) = (gone.active, gone.name.effect);
            emit(ClientEvent::EffectRemoved { controller, active, effect });
        }
        for new in &now.effects {
            let (active, effect) = (new.active, new.name.effect);
            let Some(old) = find(&self.effects, new.name) else {
                emit(ClientEvent::EffectAdded { controller, active, effect });
                continue;
            };
            if old.active != active {
                emit(ClientEvent::EffectRenamed { controller, old: old.active, new: active });
            }
            if old.stacks != new.stacks {
                emit(ClientEvent::StacksChanged { controller, active, old: old.stacks, new: new.stacks });
            }
        }
    }
}

/// Reads the effects on a controller, sorted by identity, into an empty list. Internal effects of the simulation
/// are left out.
fn read_effects(simulation: &Simulation, controller: &Controller, effects: &mut Vec<EffectViewState>) {
    for &active in controller.effects() {
        let Some(instance) = simulation.effect(active) else { continue };
        let effect = instance.effect();
        if simulation.effect_name(effect).starts_with("Internal.") {
            continue;
        }
        let key = instance.spec().prediction();
        let number = match key {
            None => active.to_bits().get(),
            Some(_) => {
                effects.iter().filter(|one| (one.name.key, one.name.effect) == (key, effect)).count() as u64
            }
        };
        let name = EffectName { key, effect, number };
        effects.push(EffectViewState { name, active, stacks: instance.stacks() });
    }
    effects.sort_unstable_by_key(|state| state.name);
}

/// Value of an attribute in a list that is sorted by attribute.
fn value_of(attributes: &[(AttributeId, f64)], attribute: AttributeId) -> Option<f64> {
    let at = attributes.binary_search_by_key(&attribute, |(known, _)| *known).ok()?;
    attributes.get(at).map(|(_, value)| *value)
}

enum Difference<T> {
    Came(T),
    Went(T),
}

/// Differences between two sorted lists: first all that went, then all that came.
fn differences<T: Ord + Copy>(before: &[T], after: &[T]) -> impl Iterator<Item = Difference<T>> {
    // Equal lists are by far the most common.
    let (before, after) = if before == after { Default::default() } else { (before, after) };
    let went = before.iter().filter(|item| after.binary_search(item).is_err()).copied().map(Difference::Went);
    let came = after.iter().filter(|item| before.binary_search(item).is_err()).copied().map(Difference::Came);
    let changes: Vec<_> = went.chain(came).collect();
    changes.into_iter()
}

/// Start of a looping cue: that of its first holder, be it an effect, an activation, or one that only the
/// server sees. `None` if it is unknown.
fn cue_since(replicated: Replicated<'_>, id: ControllerId, cue: TagId) -> Option<Time> {
    let simulation = replicated.simulation;
    let controller = simulation.controller(id)?;
    let effects = controller.effects().iter().filter_map(|active| {
        let active = simulation.effect(*active)?;
        let effect = simulation.effect_definition(active.effect())?;
        effect.held_cues().contains(cue).then(|| active.started())
    });
    let runs = controller.activations().iter().filter_map(|run| {
        let run = simulation.activation(*run)?;
        run.cues().contains(&cue).then(|| run.started())
    });
    effects.chain(runs).chain(replicated.replica.cue_since(id, cue)).min()
}

/// Digest of a controller's state that does not depend on handles: equal if a prediction was right. 0 if the
/// controller does not exist.
pub(super) fn digest(simulation: &Simulation, id: ControllerId) -> u64 {
    use ugas_core::hash::StateHash;

    let mut hasher = StateHasher::new();
    let Some(controller) = simulation.controller(id) else { return 0 };
    for (attribute, base, current) in simulation.attributes(id) {
        attribute.state_hash(&mut hasher);
        base.state_hash(&mut hasher);
        current.state_hash(&mut hasher);
    }
    for (tag, count) in controller.tags().iter() {
        tag.state_hash(&mut hasher);
        count.state_hash(&mut hasher);
    }
    let mut effects: Vec<_> = controller
        .effects()
        .iter()
        .filter_map(|active| {
            let effect = simulation.effect(*active)?;
            let expires = effect.expires().map(|time| time.micros());
            Some((effect.effect(), effect.stacks(), expires, effect.is_inhibited()))
        })
        .collect();
    effects.sort_unstable();
    for (effect, stacks, expires, inhibited) in effects {
        effect.state_hash(&mut hasher);
        stacks.state_hash(&mut hasher);
        expires.state_hash(&mut hasher);
        inhibited.state_hash(&mut hasher);
    }
    let mut runs: Vec<_> = controller
        .activations()
        .iter()
        .filter_map(|run| Some(simulation.activation(*run)?.ability()))
        .collect();
    runs.sort_unstable();
    for run in runs {
        run.state_hash(&mut hasher);
    }
    hasher.finish()
}
