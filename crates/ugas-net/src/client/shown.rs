//! What is shown of the world, so that the host hears of every change once, whoever made it.

use std::collections::BTreeMap;
use std::sync::Arc;

use ugas_core::controller::Controller;
use ugas_core::effect::PredictionKey;
use ugas_core::event::{CueDetails, CueParameters};
use ugas_core::handle::{AbilityHandle, ActivationId, ActiveEffectId, ControllerId};
use ugas_core::hash::StateHasher;
use ugas_core::id::{AttributeId, EffectId, TagId};
use ugas_core::mirror::Mirror;
use ugas_core::simulation::Simulation;
use ugas_core::tag::TagBits;
use ugas_core::time::Time;

use super::event::ClientEvent;

/// What is shown of one controller. Lists are sorted.
#[derive(Debug, Default, PartialEq)]
struct Portrait {
    own: bool,
    attributes: Vec<(AttributeId, f64)>,
    tags: Vec<TagId>,
    /// Explicit counts of tags; empty unless the host asks for them (T6).
    counts: Vec<(TagId, u32)>,
    effects: Vec<EffectPortrait>,
    cues: Vec<TagId>,
    abilities: Vec<AbilityHandle>,
    /// Those that were not begun by a prediction: the others are told of as they happen.
    runs: Vec<ActivationId>,
}

/// An effect, as one recognises it again: what was predicted has another handle after every replay, and the same key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct EffectName {
    /// `None` for what was not predicted, which keeps its handle.
    key: Option<PredictionKey>,
    effect: EffectId,
    /// The handle, or which of the effects with this key it is.
    number: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct EffectPortrait {
    name: EffectName,
    active: ActiveEffectId,
    stacks: u32,
}

/// What is shown of the world.
#[derive(Debug, Default)]
pub(super) struct Shown {
    portraits: BTreeMap<ControllerId, Portrait>,
    /// Whether changes of tag counts are raised as events (T6).
    tag_counts: bool,
}

/// Replicated state that events are made from.
#[derive(Clone, Copy)]
pub(super) struct Replicated<'a> {
    pub(super) simulation: &'a Simulation,
    pub(super) mirror: &'a Mirror,
}

impl Replicated<'_> {
    /// Context of a looping cue (C1): as the server sent it, or that of the holder in sight.
    pub(super) fn cue_parameters(self, controller: ControllerId, cue: TagId) -> Option<CueParameters> {
        let Some(mut parameters) = self.mirror.cue_parameters(controller, cue) else {
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

    fn tags(self, controller: ControllerId) -> TagBits {
        self.simulation.tags(controller).map(|tags| tags.bits().clone()).unwrap_or_default()
    }
}

impl Shown {
    pub(super) fn new(tag_counts: bool) -> Self {
        Self { tag_counts, ..Self::default() }
    }

    /// Compares what is shown with what is, and shows that.
    pub(super) fn show(
        &mut self,
        replicated: Replicated<'_>,
        own: impl Fn(ControllerId) -> bool,
        tell: &mut impl FnMut(ClientEvent),
    ) {
        let simulation = replicated.simulation;
        self.portraits.retain(|controller, _| {
            let stays = simulation.controller(*controller).is_some();
            if !stays {
                tell(ClientEvent::Vanished { controller: *controller });
            }
            stays
        });
        for (controller, _) in simulation.controllers() {
            let now = Portrait::of(simulation, controller, own(controller), self.tag_counts);
            let is_new = !self.portraits.contains_key(&controller);
            let before = self.portraits.entry(controller).or_default();
            if is_new {
                tell(ClientEvent::Appeared { controller, own: now.own });
            } else if before.own != now.own {
                tell(ClientEvent::OwnershipChanged { controller, own: now.own });
            }
            before.tell_changes(&now, controller, is_new, replicated, tell);
            *before = now;
        }
    }
}

impl Portrait {
    fn of(simulation: &Simulation, id: ControllerId, own: bool, tag_counts: bool) -> Self {
        let Some(controller) = simulation.controller(id) else { return Self::default() };
        let mut attributes: Vec<_> =
            simulation.attributes(id).map(|(attribute, _, current)| (attribute, current)).collect();
        attributes.sort_unstable_by_key(|(attribute, _)| *attribute);
        let effects = effects_of(simulation, controller);
        let mut abilities = controller.abilities().to_vec();
        abilities.sort_unstable();
        let unpredicted = |run: &&ActivationId| {
            simulation.activation(**run).is_some_and(|activation| activation.prediction().is_none())
        };
        let mut runs: Vec<_> = controller.activations().iter().filter(unpredicted).copied().collect();
        runs.sort_unstable();
        Self {
            own,
            attributes,
            tags: controller.tags().bits().iter().collect(),
            counts: if tag_counts { controller.tags().iter().collect() } else { Vec::new() },
            effects,
            cues: controller.cues().iter().map(|(cue, _)| *cue).collect(),
            abilities,
            runs,
        }
    }

    fn tell_changes(
        &self,
        now: &Self,
        controller: ControllerId,
        is_new: bool,
        replicated: Replicated<'_>,
        tell: &mut impl FnMut(ClientEvent),
    ) {
        // The values that a controller comes with are no changes.
        if !is_new {
            for (attribute, new) in &now.attributes {
                let (attribute, new) = (*attribute, *new);
                match value_of(&self.attributes, attribute) {
                    Some(old) if old == new => {}
                    Some(old) => tell(ClientEvent::AttributeChanged { controller, attribute, old, new }),
                    None => tell(ClientEvent::AttributeShown { controller, attribute, value: new }),
                }
            }
            for &(attribute, _) in &self.attributes {
                if value_of(&now.attributes, attribute).is_none() {
                    tell(ClientEvent::AttributeHidden { controller, attribute });
                }
            }
        }
        self.tell_counts(now, controller, tell);
        for change in differences(&self.tags, &now.tags) {
            tell(match change {
                Difference::Came(tag) => ClientEvent::TagAdded { controller, tag },
                Difference::Went(tag) => ClientEvent::TagRemoved { controller, tag },
            });
        }
        self.tell_effects(now, controller, tell);
        for change in differences(&self.cues, &now.cues) {
            tell(match change {
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
            tell(match change {
                Difference::Came(ability) => ClientEvent::AbilityGranted { controller, ability },
                Difference::Went(ability) => ClientEvent::AbilityRevoked { controller, ability },
            });
        }
        for change in differences(&self.runs, &now.runs) {
            tell(match change {
                Difference::Came(run) => ClientEvent::RunBegan { controller, run },
                Difference::Went(run) => ClientEvent::RunEnded { controller, run },
            });
        }
    }
}

impl Portrait {
    fn tell_counts(&self, now: &Self, controller: ControllerId, tell: &mut impl FnMut(ClientEvent)) {
        let count = |counts: &[(TagId, u32)], tag: TagId| {
            counts.binary_search_by_key(&tag, |(known, _)| *known).map_or(0, |at| counts[at].1)
        };
        for &(tag, old) in self.counts.iter().filter(|(tag, _)| count(&now.counts, *tag) == 0) {
            tell(ClientEvent::TagCountChanged { controller, tag, old, new: 0 });
        }
        for &(tag, new) in &now.counts {
            let old = count(&self.counts, tag);
            if old != new {
                tell(ClientEvent::TagCountChanged { controller, tag, old, new });
            }
        }
    }

    fn tell_effects(&self, now: &Self, controller: ControllerId, tell: &mut impl FnMut(ClientEvent)) {
        let find = |list: &[EffectPortrait], name: EffectName| {
            list.binary_search_by_key(&name, |portrait| portrait.name).ok().map(|at| list[at])
        };
        for gone in self.effects.iter().filter(|old| find(&now.effects, old.name).is_none()) {
            let (active, effect) = (gone.active, gone.name.effect);
            tell(ClientEvent::EffectRemoved { controller, active, effect });
        }
        for new in &now.effects {
            let (active, effect) = (new.active, new.name.effect);
            let Some(old) = find(&self.effects, new.name) else {
                tell(ClientEvent::EffectAdded { controller, active, effect });
                continue;
            };
            if old.active != active {
                tell(ClientEvent::EffectRenamed { controller, old: old.active, new: active });
            }
            if old.stacks != new.stacks {
                tell(ClientEvent::StacksChanged { controller, active, old: old.stacks, new: new.stacks });
            }
        }
    }
}

/// The effects on a controller, by name. Those that hold tags and cues for the simulation's own purposes are not shown.
fn effects_of(simulation: &Simulation, controller: &Controller) -> Vec<EffectPortrait> {
    let mut effects: Vec<EffectPortrait> = Vec::new();
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
        effects.push(EffectPortrait { name, active, stacks: instance.stacks() });
    }
    effects.sort_unstable_by_key(|portrait| portrait.name);
    effects
}

/// The value of an attribute in a list that is sorted by attribute.
fn value_of(attributes: &[(AttributeId, f64)], attribute: AttributeId) -> Option<f64> {
    let at = attributes.binary_search_by_key(&attribute, |(known, _)| *known).ok()?;
    attributes.get(at).map(|(_, value)| *value)
}

enum Difference<T> {
    Came(T),
    Went(T),
}

/// What went and what came from one sorted list to another: first all that went.
fn differences<T: Ord + Copy>(before: &[T], after: &[T]) -> impl Iterator<Item = Difference<T>> {
    let went = before.iter().filter(|item| after.binary_search(item).is_err()).copied().map(Difference::Went);
    let came = after.iter().filter(|item| before.binary_search(item).is_err()).copied().map(Difference::Came);
    let changes: Vec<_> = went.chain(came).collect();
    changes.into_iter()
}

/// Since when a looping cue goes on: since the first of what shows it began.
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
    effects.chain(runs).chain(replicated.mirror.cue_since(id, cue)).min()
}

/// What a controller is like, in a number that does not depend on handles: equal if a prediction was right.
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
