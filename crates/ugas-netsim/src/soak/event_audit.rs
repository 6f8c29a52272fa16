//! Audit of a client's events: every change once, and each consistent with the one before.

use std::collections::{BTreeMap, BTreeSet};

use ugas_core::effect::PredictionKey;
use ugas_core::event::EventKind;
use ugas_core::handle::{ActiveEffectId, ControllerId, GrantedAbilityId};
use ugas_core::id::{AttributeId, TagId};

use super::report::Kind;
use ugas_net::message::Rejection;
use ugas_net::{Client, ClientEvent};

/// State of a controller as the events imply it.
#[derive(Debug, Default)]
struct ReportedState {
    attributes: BTreeMap<AttributeId, f64>,
    tags: BTreeSet<TagId>,
    cues: BTreeSet<TagId>,
    effects: BTreeMap<ActiveEffectId, u32>,
    abilities: BTreeSet<GrantedAbilityId>,
}

/// Audit of the events of one client in one session.
#[derive(Debug, Default)]
pub(super) struct EventAudit {
    controllers: BTreeMap<ControllerId, ReportedState>,
    /// The server's handles of all controllers that were ever shown: events may be retracted after they are
    /// gone.
    names: BTreeMap<ControllerId, ControllerId>,
    /// Commands that were given.
    pub(super) given: BTreeSet<PredictionKey>,
    /// Commands among them that were given while nothing of the client could reach the server.
    pub(super) cut_off: BTreeSet<PredictionKey>,
    answered: BTreeSet<PredictionKey>,
    rejected: BTreeMap<PredictionKey, Rejection>,
    /// Number of commands that were rejected because they came too late, too early or were too many.
    untimely: u64,
    /// Number of executions by controller (the server's handle) and cue, less retractions.
    pub(super) cue_bursts: BTreeMap<(ControllerId, TagId), i64>,
    found: Vec<(Kind, String)>,
}

impl EventAudit {
    /// Reported rejection of a command; `None` if it was not rejected.
    pub(super) fn rejection(&self, key: &PredictionKey) -> Option<Rejection> {
        self.rejected.get(key).copied()
    }

    /// Commands that were given and whose outcome, confirmed or rejected, was never reported.
    pub(super) fn unanswered(&self) -> impl Iterator<Item = &PredictionKey> {
        self.given.difference(&self.answered)
    }

    /// Number of commands that were answered, and of those that did not come in time. Without those that
    /// were given while the client was cut off: nothing could have brought them in time.
    pub(super) fn answers(&self) -> (u64, u64) {
        (self.answered.difference(&self.cut_off).count() as u64, self.untimely)
    }

    /// Takes the violations found so far.
    pub(super) fn take_found(&mut self) -> Vec<(Kind, String)> {
        core::mem::take(&mut self.found)
    }

    /// Audits an event of the client: notes outcomes of commands, counts cue bursts less retractions, and
    /// follows changes of state, which must fit together.
    pub(super) fn add(&mut self, client: &Client, event: &ClientEvent) {
        match event {
            ClientEvent::Confirmed { key, .. } => self.answer(*key),
            ClientEvent::Rejected { key, rejection } => {
                self.answer(*key);
                self.rejected.insert(*key, *rejection);
                let is_untimely =
                    matches!(rejection, Rejection::TooLate | Rejection::TooEarly | Rejection::TooMany);
                self.untimely += u64::from(is_untimely && !self.cut_off.contains(key));
            }
            ClientEvent::CueExecuted { controller, cue, .. } => {
                self.count_cue_burst(client, *controller, *cue, 1)
            }
            ClientEvent::Retracted(event) => {
                if let EventKind::CueExecuted { controller, cue, .. } = event.kind {
                    self.count_cue_burst(client, controller, cue, -1);
                }
            }
            _ => self.change(client, event),
        }
    }

    /// Compares the state that the events imply with the shown state. Called at the end of a match.
    pub(super) fn close(&mut self, client: &Client) {
        let simulation = client.simulation();
        let shown: Vec<ControllerId> = simulation.controllers().map(|(id, _)| id).collect();
        let reported: Vec<ControllerId> = self.controllers.keys().copied().collect();
        let mut found = Vec::new();
        if shown.iter().collect::<BTreeSet<_>>() != reported.iter().collect() {
            found.push(format!("events imply controllers {reported:?}, shown are {shown:?}"));
        }
        for (id, reported) in &self.controllers {
            let Some(controller) = simulation.controller(*id) else { continue };
            let tags: BTreeSet<TagId> = controller.tags().bits().iter().collect();
            if tags != reported.tags {
                found.push(format!("events imply tags {:?} on {id:?}, shown are {tags:?}", reported.tags));
            }
            let cues: BTreeSet<TagId> = controller.cues().iter().map(|(cue, _)| *cue).collect();
            if cues != reported.cues {
                found.push(format!("events imply cues {:?} on {id:?}, shown are {cues:?}", reported.cues));
            }
            let abilities: BTreeSet<GrantedAbilityId> = controller.abilities().iter().copied().collect();
            if abilities != reported.abilities {
                found.push(format!(
                    "events imply abilities {:?} on {id:?}, shown are {abilities:?}",
                    reported.abilities
                ));
            }
            for (attribute, value) in &reported.attributes {
                if simulation.current(*id, *attribute) != Some(*value) {
                    let shown = simulation.current(*id, *attribute);
                    found
                        .push(format!("events imply {attribute:?} of {id:?} is {value}, shown is {shown:?}"));
                }
            }
            for (active, stacks) in &reported.effects {
                let shown = simulation.effect(*active).map(|active| active.stacks());
                if shown != Some(*stacks) {
                    found.push(format!("events imply {active:?} has {stacks} stacks, shown are {shown:?}"));
                }
            }
        }
        self.found.extend(found.into_iter().map(|message| (Kind::StateEvents, message)));
    }

    /// Checks that a command was given, and is answered for the first time.
    fn answer(&mut self, key: PredictionKey) {
        if !self.answered.insert(key) {
            self.found.push((Kind::Answers, format!("{key:?} was answered twice")));
        }
        if !self.given.contains(&key) {
            self.found.push((Kind::Answers, format!("{key:?} was answered and never given")));
        }
    }

    /// Counts an executed cue, or with -1 its retraction, under the server's handle; ignored if that was
    /// never known.
    fn count_cue_burst(&mut self, client: &Client, controller: ControllerId, cue: TagId, count: i64) {
        if let Some(remote) = self.names.get(&controller).copied().or_else(|| client.remote(controller)) {
            *self.cue_bursts.entry((remote, cue)).or_default() += count;
        }
    }

    /// Applies a state event to the state that the events imply. It is a violation if it does not fit: a
    /// wrong old value, something added twice, or removed without having been there.
    fn change(&mut self, client: &Client, event: &ClientEvent) {
        let mut wrong = false;
        match event {
            ClientEvent::Appeared { controller, .. } => {
                let attributes = client.simulation().attributes(*controller);
                let reported = ReportedState {
                    attributes: attributes.map(|(attribute, _, current)| (attribute, current)).collect(),
                    ..ReportedState::default()
                };
                wrong = self.controllers.insert(*controller, reported).is_some();
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
            self.found.push((Kind::StateEvents, format!("{event:?} does not follow from the events before")));
        }
    }

    /// The implied state of a controller; empty at first.
    fn on(&mut self, controller: ControllerId) -> &mut ReportedState {
        self.controllers.entry(controller).or_default()
    }
}
