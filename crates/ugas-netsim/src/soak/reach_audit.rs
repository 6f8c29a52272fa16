//! Audit of reach: no ability hits more targets than its targeting allows, nor further than its range.

use std::collections::{BTreeMap, VecDeque};

use ugas_core::catalog::Catalog;
use ugas_core::effect::{PredictionKey, Vector3};
use ugas_core::event::{Event, EventKind};
use ugas_core::handle::ControllerId;
use ugas_core::id::EffectId;
use ugas_core::simulation::Simulation;
use ugas_core::time::{Span, Time};

use super::game::{RANGE, RANGED};
use super::report::Kind;

/// Time for which past positions count: the history of the server, the lead of commands, and a tick.
const PAST: Span = Span::millis(1_100);
/// A tenth beyond the range, as the server's default tolerance.
const MOST: f64 = RANGE * 1.1 + 1e-6;

/// Past positions, and the hits of each command.
#[derive(Debug)]
pub(super) struct ReachAudit {
    limits: Vec<(EffectId, u64)>,
    paths: BTreeMap<ControllerId, VecDeque<(Time, Vector3)>>,
    hits: BTreeMap<(ControllerId, PredictionKey, EffectId), u64>,
    found: Vec<(Kind, String)>,
}

impl ReachAudit {
    pub(super) fn new(catalog: &Catalog) -> Self {
        Self { limits: limits(catalog), paths: BTreeMap::new(), hits: BTreeMap::new(), found: Vec::new() }
    }

    /// Goes on with the ids of new rules.
    pub(super) fn reload(&mut self, catalog: &Catalog) {
        self.limits = limits(catalog);
        self.hits.clear();
    }

    /// Notes where a controller is from now on.
    pub(super) fn note(&mut self, now: Time, controller: ControllerId, place: Vector3) {
        let path = self.paths.entry(controller).or_default();
        path.push_back((now, place));
        // The last place before the past began still counts.
        while path.get(1).is_some_and(|(until, _)| now.since(*until) > PAST) {
            path.pop_front();
        }
    }

    /// Judges a hit by an ability with a range. Called for every event of the server.
    pub(super) fn judge(&mut self, now: Time, event: &Event, simulation: &Simulation) {
        let EventKind::EffectExecuted { target, effect, active: None, .. } = event.kind else { return };
        let Some(&(_, most)) = self.limits.iter().find(|(limited, _)| *limited == effect) else { return };
        let Some(source) = event.cause.source else { return };
        if let Some(key) = event.prediction {
            let count = self.hits.entry((source, key, effect)).or_default();
            *count += 1;
            if *count > most {
                let name = simulation.effect_name(effect);
                self.found.push((Kind::Authority, format!("{key:?} hit {count} targets with {name}")));
            }
        }
        let from = simulation.controller(source).and_then(|known| known.placement());
        let (Some(from), Some(path)) = (from, self.paths.get(&target)) else { return };
        // A controller without a place is in any range, and so is one that had none when the client saw it.
        if path.front().is_none_or(|(since, _)| now.since(*since) < PAST) {
            return;
        }
        let until = path.iter().skip(1).map(|(time, _)| *time).chain([now]);
        let recent = path.iter().zip(until).filter(|(_, until)| now.since(*until) <= PAST);
        let near = recent.map(|((_, place), _)| distance(from.position(), *place)).fold(f64::MAX, f64::min);
        if near > MOST {
            let name = simulation.effect_name(effect);
            let message =
                format!("{name} of {source:?} hit {target:?}, which was {near:.1} away at the nearest");
            self.found.push((Kind::Authority, message));
        }
    }

    /// Takes the violations found so far.
    pub(super) fn take_found(&mut self) -> Vec<(Kind, String)> {
        core::mem::take(&mut self.found)
    }
}

/// Most targets of each effect of an ability with a range.
fn limits(catalog: &Catalog) -> Vec<(EffectId, u64)> {
    RANGED.into_iter().filter_map(|(name, most)| Some((catalog.effect(name).ok()?, most))).collect()
}

fn distance(from: Vector3, to: Vector3) -> f64 {
    from.iter().zip(to).map(|(from, to)| (from - to) * (from - to)).sum::<f64>().sqrt()
}
