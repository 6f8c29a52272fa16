//! Audit of the server's events: costs paid, cooldowns kept, commands run once and in order.

use std::collections::{BTreeMap, BTreeSet};

use ugas_core::catalog::Catalog;
use ugas_core::effect::PredictionKey;
use ugas_core::event::{Event, EventKind};
use ugas_core::handle::ControllerId;
use ugas_core::id::{AbilityId, AttributeId, EffectId, TagId};
use ugas_core::time::{Span, Time};

use super::game::Game;
use super::report::Kind;
use ugas_net::message::ClientId;

/// Cost and cooldown of an ability.
#[derive(Clone, Copy, Debug)]
struct Price {
    ability: AbilityId,
    cost: Option<(EffectId, f64)>,
    cooldown: Option<Span>,
}

/// Audit of the server's events in one match.
#[derive(Debug)]
pub(super) struct ServerAudit {
    energy: Option<AttributeId>,
    prices: Vec<Price>,
    commits: BTreeMap<(ControllerId, AbilityId), (Time, u64)>,
    paid: BTreeMap<(ControllerId, EffectId), u64>,
    /// Commands of each client that began an activation, so that none does twice.
    begun: BTreeMap<ClientId, BTreeSet<PredictionKey>>,
    newest: BTreeMap<ClientId, PredictionKey>,
    /// Number of executed cues that a client could see.
    pub(super) cue_bursts: BTreeMap<(ClientId, ControllerId, TagId), i64>,
    found: Vec<(Kind, String)>,
}

impl ServerAudit {
    pub(super) fn new(game: &Game) -> Self {
        Self {
            energy: game.catalog.attribute("Energy").ok(),
            prices: prices(game),
            commits: BTreeMap::new(),
            paid: BTreeMap::new(),
            begun: BTreeMap::new(),
            newest: BTreeMap::new(),
            cue_bursts: BTreeMap::new(),
            found: Vec::new(),
        }
    }

    /// Goes on with the ids of new rules, which have the same costs and cooldowns. All sessions are over.
    pub(super) fn reload(&mut self, game: &Game) {
        let old = core::mem::replace(&mut self.prices, prices(game));
        let renamed: Vec<(Price, Price)> = old.into_iter().zip(self.prices.iter().copied()).collect();
        let ability = |id| renamed.iter().find(|(old, _)| old.ability == id).map(|(_, new)| new.ability);
        let effect = |id| {
            let costs = renamed.iter().filter_map(|(old, new)| Some((old.cost?.0, new.cost?.0)));
            costs.into_iter().find(|(old, _)| *old == id).map(|(_, new)| new)
        };
        let commits = core::mem::take(&mut self.commits).into_iter();
        self.commits = commits.filter_map(|((who, id), known)| Some(((who, ability(id)?), known))).collect();
        let paid = core::mem::take(&mut self.paid).into_iter();
        self.paid = paid.filter_map(|((who, id), count)| Some(((who, effect(id)?), count))).collect();
        self.energy = game.catalog.attribute("Energy").ok();
        self.cue_bursts.clear();
    }

    /// Audits an event of the server, and keeps what later checks need. `owner` owns the controller that it
    /// is about, and `viewers` see it.
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
                    *self.cue_bursts.entry((*client, *controller, *cue)).or_default() += 1;
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

    /// Commands of a client that began an activation.
    pub(super) fn begun_by(&self, client: ClientId) -> impl Iterator<Item = &PredictionKey> {
        self.begun.get(&client).into_iter().flatten()
    }

    /// Takes the violations found so far.
    pub(super) fn take_found(&mut self) -> Vec<(Kind, String)> {
        core::mem::take(&mut self.found)
    }

    /// Checks that every commitment was paid for. Called at the end of a match.
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

    /// Counts a commitment of an ability, and checks that its cooldown has passed since the last one.
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

    /// Counts a payment of a cost, and checks its amount. Other changes of energy are ignored.
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

    /// Checks that the command of a client that began an activation runs once, and in the order of keys.
    /// Dependent actions are ignored.
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

/// The costs and cooldowns of a game, in its order.
fn prices(game: &Game) -> Vec<Price> {
    let catalog: &Catalog = &game.catalog;
    let price = |one: &super::game::Priced| {
        let cost = one.cost.and_then(|(effect, amount)| Some((catalog.effect(effect).ok()?, amount)));
        let ability = catalog.ability(one.ability).ok()?;
        Some(Price { ability, cost, cooldown: one.cooldown.map(Span::seconds) })
    };
    game.priced.iter().filter_map(price).collect()
}
