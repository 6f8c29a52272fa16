//! What a client's host was told, held against itself: every change once, and each from where the last one led.

use std::collections::{BTreeMap, BTreeSet};

use ugas_core::effect::PredictionKey;
use ugas_core::event::EventKind;
use ugas_core::handle::{AbilityHandle, ActiveEffectId, ControllerId};
use ugas_core::id::{AttributeId, TagId};

use super::report::Kind;
use crate::client::{Client, ClientEvent};
use crate::message::Rejection;

/// What the host knows of a controller from what it was told.
#[derive(Debug, Default)]
struct Told {
    attributes: BTreeMap<AttributeId, f64>,
    tags: BTreeSet<TagId>,
    cues: BTreeSet<TagId>,
    effects: BTreeMap<ActiveEffectId, u32>,
    abilities: BTreeSet<AbilityHandle>,
}

/// What the host of one client was told in one session.
#[derive(Debug, Default)]
pub(super) struct Chronicle {
    controllers: BTreeMap<ControllerId, Told>,
    /// The server's handles of all controllers that were ever shown: something may be taken back when they are gone.
    names: BTreeMap<ControllerId, ControllerId>,
    /// Commands that were given.
    pub(super) given: BTreeSet<PredictionKey>,
    answered: BTreeSet<PredictionKey>,
    rejected: BTreeMap<PredictionKey, Rejection>,
    /// How often each cue flashed on whom (the server's handle), less what was taken back.
    pub(super) flashes: BTreeMap<(ControllerId, TagId), i64>,
    found: Vec<(Kind, String)>,
}

impl Chronicle {
    /// Why a command was said to be rejected.
    pub(super) fn rejection(&self, key: &PredictionKey) -> Option<Rejection> {
        self.rejected.get(key).copied()
    }

    /// Commands that were given and of which nothing was heard.
    pub(super) fn unanswered(&self) -> impl Iterator<Item = &PredictionKey> {
        self.given.difference(&self.answered)
    }

    /// What was wrong so far.
    pub(super) fn take_found(&mut self) -> Vec<(Kind, String)> {
        core::mem::take(&mut self.found)
    }

    /// Takes in what the host is told.
    pub(super) fn hear(&mut self, client: &Client, event: &ClientEvent) {
        match event {
            ClientEvent::Confirmed { key, .. } => self.answer(*key),
            ClientEvent::Rejected { key, rejection } => {
                self.answer(*key);
                self.rejected.insert(*key, *rejection);
            }
            ClientEvent::CueFlashed { controller, cue, .. } => self.flash(client, *controller, *cue, 1),
            ClientEvent::Retracted(event) => {
                if let EventKind::CueExecuted { controller, cue, .. } = event.kind {
                    self.flash(client, controller, cue, -1);
                }
            }
            _ => self.change(client, event),
        }
    }

    /// Holds what was told against what is shown.
    pub(super) fn close(&mut self, client: &Client) {
        let simulation = client.simulation();
        let shown: Vec<ControllerId> = simulation.controllers().map(|(id, _)| id).collect();
        let told: Vec<ControllerId> = self.controllers.keys().copied().collect();
        let mut found = Vec::new();
        if shown.iter().collect::<BTreeSet<_>>() != told.iter().collect() {
            found.push(format!("told of controllers {told:?}, and shown are {shown:?}"));
        }
        for (id, told) in &self.controllers {
            let Some(controller) = simulation.controller(*id) else { continue };
            let tags: BTreeSet<TagId> = controller.tags().bits().iter().collect();
            if tags != told.tags {
                found.push(format!("told of tags {:?} on {id:?}, and shown are {tags:?}", told.tags));
            }
            let cues: BTreeSet<TagId> = controller.cues().iter().map(|(cue, _)| *cue).collect();
            if cues != told.cues {
                found.push(format!("told of cues {:?} on {id:?}, and shown are {cues:?}", told.cues));
            }
            let abilities: BTreeSet<AbilityHandle> = controller.abilities().iter().copied().collect();
            if abilities != told.abilities {
                found.push(format!("told of {:?} on {id:?}, and shown are {abilities:?}", told.abilities));
            }
            for (attribute, value) in &told.attributes {
                if simulation.current(*id, *attribute) != Some(*value) {
                    let shown = simulation.current(*id, *attribute);
                    found.push(format!(
                        "told that {attribute:?} of {id:?} is {value}, and shown is {shown:?}"
                    ));
                }
            }
            for (active, stacks) in &told.effects {
                let shown = simulation.effect(*active).map(|active| active.stacks());
                if shown != Some(*stacks) {
                    found.push(format!("told that {active:?} has {stacks} stacks, and shown are {shown:?}"));
                }
            }
        }
        self.found.extend(found.into_iter().map(|message| (Kind::StateEvents, message)));
    }

    fn answer(&mut self, key: PredictionKey) {
        if !self.answered.insert(key) {
            self.found.push((Kind::Answers, format!("{key:?} was answered twice")));
        }
        if !self.given.contains(&key) {
            self.found.push((Kind::Answers, format!("{key:?} was answered and never given")));
        }
    }

    fn flash(&mut self, client: &Client, controller: ControllerId, cue: TagId, count: i64) {
        if let Some(remote) = self.names.get(&controller).copied().or_else(|| client.remote(controller)) {
            *self.flashes.entry((remote, cue)).or_default() += count;
        }
    }

    fn change(&mut self, client: &Client, event: &ClientEvent) {
        let mut wrong = false;
        match event {
            ClientEvent::Appeared { controller, .. } => {
                let attributes = client.simulation().attributes(*controller);
                let told = Told {
                    attributes: attributes.map(|(attribute, _, current)| (attribute, current)).collect(),
                    ..Told::default()
                };
                wrong = self.controllers.insert(*controller, told).is_some();
                self.names.extend(client.remote(*controller).map(|remote| (*controller, remote)));
            }
            ClientEvent::Vanished { controller } => wrong = self.controllers.remove(controller).is_none(),
            ClientEvent::AttributeChanged { controller, attribute, old, new } => {
                wrong = self.on(*controller).attributes.insert(*attribute, *new) != Some(*old);
            }
            ClientEvent::AttributeShown { controller, attribute, value } => {
                wrong = self.on(*controller).attributes.insert(*attribute, *value).is_some();
            }
            ClientEvent::AttributeHidden { controller, attribute } => {
                wrong = self.on(*controller).attributes.remove(attribute).is_none();
            }
            ClientEvent::TagAdded { controller, tag } => wrong = !self.on(*controller).tags.insert(*tag),
            ClientEvent::TagRemoved { controller, tag } => wrong = !self.on(*controller).tags.remove(tag),
            ClientEvent::CueBegan { controller, cue, .. } => wrong = !self.on(*controller).cues.insert(*cue),
            ClientEvent::CueEnded { controller, cue } => wrong = !self.on(*controller).cues.remove(cue),
            ClientEvent::AbilityGranted { controller, ability } => {
                wrong = !self.on(*controller).abilities.insert(*ability);
            }
            ClientEvent::AbilityRevoked { controller, ability } => {
                wrong = !self.on(*controller).abilities.remove(ability);
            }
            ClientEvent::EffectAdded { controller, active, .. } => {
                let stacks = client.simulation().effect(*active).map_or(0, |active| active.stacks());
                wrong = self.on(*controller).effects.insert(*active, stacks).is_some();
            }
            ClientEvent::EffectRemoved { controller, active, .. } => {
                wrong = self.on(*controller).effects.remove(active).is_none();
            }
            ClientEvent::StacksChanged { controller, active, old, new } => {
                wrong = self.on(*controller).effects.insert(*active, *new) != Some(*old);
            }
            ClientEvent::EffectRenamed { controller, old, new } => {
                let effects = &mut self.on(*controller).effects;
                match effects.remove(old) {
                    Some(stacks) => wrong = effects.insert(*new, stacks).is_some(),
                    None => wrong = true,
                }
            }
            _ => {}
        }
        if wrong {
            self.found
                .push((Kind::StateEvents, format!("{event:?} does not follow from what was told before")));
        }
    }

    fn on(&mut self, controller: ControllerId) -> &mut Told {
        self.controllers.entry(controller).or_default()
    }
}
