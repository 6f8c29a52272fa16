//! What happened on the server, held against the rules: prices paid, commands run once and in order.

use std::collections::{BTreeMap, BTreeSet};

use ugas_core::catalog::Catalog;
use ugas_core::effect::PredictionKey;
use ugas_core::event::{Event, EventKind};
use ugas_core::handle::ControllerId;
use ugas_core::id::{AbilityId, AttributeId, EffectId, TagId};
use ugas_core::time::{Span, Time};

use super::game::Game;
use super::report::Kind;
use crate::message::ClientId;

/// What a price looks like in the events.
#[derive(Clone, Copy, Debug)]
struct Price {
    ability: AbilityId,
    cost: Option<(EffectId, f64)>,
    cooldown: Option<Span>,
}

/// What is to be watched.
#[derive(Debug)]
pub(super) struct Ledger {
    energy: Option<AttributeId>,
    prices: Vec<Price>,
    commits: BTreeMap<(ControllerId, AbilityId), (Time, u64)>,
    paid: BTreeMap<(ControllerId, EffectId), u64>,
    /// What each client's commands began, so that none does twice.
    begun: BTreeMap<ClientId, BTreeSet<PredictionKey>>,
    newest: BTreeMap<ClientId, PredictionKey>,
    /// Flashes that a client could see.
    pub(super) flashes: BTreeMap<(ClientId, ControllerId, TagId), i64>,
    found: Vec<(Kind, String)>,
}

impl Ledger {
    pub(super) fn new(game: &Game) -> Self {
        let catalog: &Catalog = &game.catalog;
        let price = |one: &super::game::Priced| {
            let cost = one.cost.and_then(|(effect, amount)| Some((catalog.effect(effect).ok()?, amount)));
            let ability = catalog.ability(one.ability).ok()?;
            Some(Price { ability, cost, cooldown: one.cooldown.map(Span::seconds) })
        };
        Self {
            energy: catalog.attribute("Energy").ok(),
            prices: game.priced.iter().filter_map(price).collect(),
            commits: BTreeMap::new(),
            paid: BTreeMap::new(),
            begun: BTreeMap::new(),
            newest: BTreeMap::new(),
            flashes: BTreeMap::new(),
            found: Vec::new(),
        }
    }

    /// Takes in an event of the server's game. `owner` says whose a controller is, `viewers` who sees it.
    pub(super) fn note(&mut self, event: &Event, owner: Option<ClientId>, viewers: &[ClientId]) {
        match &event.kind {
            EventKind::AbilityCommitted { controller, ability, .. } => {
                self.commit(event, *controller, *ability)
            }
            EventKind::AttributeChanged { controller, attribute, old_base, new_base, .. }
                if Some(*attribute) == self.energy =>
            {
                self.pay(event, *controller, *old_base, *new_base);
            }
            EventKind::AbilityActivated { .. } => {
                if let (Some(key), Some(client)) = (event.prediction, owner) {
                    self.begin(client, key);
                }
            }
            EventKind::CueExecuted { controller, cue, .. } => {
                for client in viewers {
                    *self.flashes.entry((*client, *controller, *cue)).or_default() += 1;
                }
            }
            EventKind::ControllerDespawned { controller } => {
                self.commits.retain(|(known, _), _| known != controller);
                self.paid.retain(|(known, _), _| known != controller);
            }
            EventKind::LogicError { what, .. } => {
                self.found.push((Kind::Soundness, format!("the server reports a logic error: {what}")));
            }
            _ => {}
        }
    }

    /// The commands of a client that began a run.
    pub(super) fn begun_by(&self, client: ClientId) -> impl Iterator<Item = &PredictionKey> {
        self.begun.get(&client).into_iter().flatten()
    }

    /// What was wrong so far.
    pub(super) fn take_found(&mut self) -> Vec<(Kind, String)> {
        core::mem::take(&mut self.found)
    }

    /// Every commitment was paid for.
    pub(super) fn close(&mut self) {
        for price in &self.prices {
            let Some((cost, _)) = price.cost else { continue };
            for ((controller, ability), (_, commits)) in &self.commits {
                let paid = self.paid.get(&(*controller, cost)).copied().unwrap_or(0);
                if *ability == price.ability && paid != *commits {
                    let message = format!(
                        "{ability:?} of {controller:?} was committed {commits} times and paid {paid} times"
                    );
                    self.found.push((Kind::Price, message));
                }
            }
        }
    }

    fn commit(&mut self, event: &Event, controller: ControllerId, ability: AbilityId) {
        let Some(price) = self.prices.iter().find(|price| price.ability == ability) else { return };
        let known = self.commits.get(&(controller, ability)).copied();
        if let (Some((last, _)), Some(cooldown)) = (known, price.cooldown) {
            let passed = event.time.since(last);
            if passed < cooldown {
                let message = format!(
                    "{ability:?} of {controller:?} was committed {passed:?} after the last time, and cools down for {cooldown:?}"
                );
                self.found.push((Kind::Price, message));
            }
        }
        let count = known.map_or(0, |(_, count)| count);
        self.commits.insert((controller, ability), (event.time, count + 1));
    }

    fn pay(&mut self, event: &Event, controller: ControllerId, old: f64, new: f64) {
        let cost = self
            .prices
            .iter()
            .find_map(|price| price.cost.filter(|(cost, _)| event.cause.effect == Some(*cost)));
        let Some((effect, amount)) = cost else { return };
        *self.paid.entry((controller, effect)).or_default() += 1;
        if old - new != amount {
            let message = format!("{effect:?} costs {amount}, and {controller:?} went from {old} to {new}");
            self.found.push((Kind::Price, message));
        }
    }

    fn begin(&mut self, client: ClientId, key: PredictionKey) {
        if key.is_dependent() {
            return;
        }
        if !self.begun.entry(client).or_default().insert(key) {
            self.found.push((Kind::Commands, format!("{key:?} of {client:?} ran twice")));
        }
        let newest = self.newest.entry(client).or_insert(key);
        if key < *newest {
            self.found.push((Kind::Commands, format!("{key:?} of {client:?} ran after {newest:?}")));
        }
        *newest = (*newest).max(key);
    }
}
