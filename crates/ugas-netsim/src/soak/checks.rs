//! Checks at the end of a match.

use std::collections::{BTreeMap, BTreeSet};

use ugas_core::controller::ReplicationMode;
use ugas_core::event::{Event, EventKind};
use ugas_core::handle::ControllerId;

use super::game::{CURSE, RANGED};
use super::oracle_view::{OracleView, Relation};
use super::player::Player;
use super::report::Kind;
use super::soak_match::SoakMatch;
use ugas_net::Tick;
use ugas_net::message::ClientId;
use ugas_net::{Defaults, Server};

/// Fewest answered commands of a client for which the share that came in time is judged.
const FEWEST_ANSWERS: u64 = 40;

/// Own controllers of clients, tick by tick: on the server, and as predicted by the client.
#[derive(Debug, Default)]
pub(super) struct ViewHistory {
    truth: BTreeMap<(Tick, ClientId, ControllerId), OracleView>,
    shown: BTreeMap<(Tick, ClientId, ControllerId), OracleView>,
}

impl ViewHistory {
    /// Records the own controllers of all honest clients as the server has them after its current tick.
    /// Called for every tick of the viewing phase.
    pub(super) fn record_server_view(&mut self, server: &Server<Defaults>, players: &[Player]) {
        for player in players.iter().filter(|player| player.is_honest()) {
            let Some(client) = player.client.id() else { continue };
            for (id, mode) in owned(server, client) {
                let name = |source: ControllerId| player.client.local(source).map(|_| source);
                if let Some(view) = OracleView::of(server.simulation(), id, mode, Relation::Owner, name) {
                    self.truth.insert((server.current_tick(), client, id), view);
                }
            }
        }
    }

    /// Records the own controllers of an honest client as it shows them at its current tick.
    pub(super) fn record_client_view(&mut self, server: &Server<Defaults>, player: &Player) {
        let Some(client) = player.client.id().filter(|_| player.is_honest()) else { return };
        for (id, mode) in owned(server, client) {
            let Some(local) = player.client.local(id) else { continue };
            let simulation = player.client.simulation();
            let name = |source: ControllerId| player.client.remote(source);
            if let Some(view) = OracleView::of(simulation, local, mode, Relation::Owner, name) {
                self.shown.insert((player.client.current_tick(), client, id), view);
            }
        }
    }

    /// Compares the server's and the client's records of a controller. Returns the number of ticks that both
    /// recorded, and the first difference.
    fn compare(&self, client: ClientId, controller: ControllerId) -> (usize, Option<String>) {
        let moments = self.truth.iter().filter(|((_, known, id), _)| (*known, *id) == (client, controller));
        let mut count = 0;
        let mut first = None;
        for (key, truth) in moments {
            let Some(shown) = self.shown.get(key) else { continue };
            count += 1;
            if first.is_none() {
                first = truth
                    .difference(shown)
                    .map(|what| format!("at {:?} of {controller:?}, its own: {what}", key.0));
            }
        }
        (count, first)
    }
}

/// A client's own controllers that are replicated.
fn owned(server: &Server<Defaults>, client: ClientId) -> Vec<(ControllerId, ReplicationMode)> {
    let controllers = server.simulation().controllers();
    let own = controllers.filter(|(id, _)| server.owner(*id) == Some(client));
    own.map(|(id, controller)| (id, controller.replication()))
        .filter(|(_, mode)| *mode != ReplicationMode::None)
        .collect()
}

impl SoakMatch {
    /// All checks at the end of a match: commands, view and events of each honest client, the audit of the
    /// server's events, and the consistency of its simulation. Violations go to `found`.
    pub(super) fn check(&mut self) {
        self.server_audit.close();
        let mut found = self.server_audit.take_found();
        found.extend(self.reach_audit.take_found());
        self.check_curses(&mut found);
        for at in 0..self.players.len() {
            self.check_commands(at, &mut found);
            if self.players[at].is_honest() {
                let checked = found.len();
                self.check_view(at, &mut found);
                self.check_events(at, &mut found);
                self.check_liveness(at, &mut found);
                let name = format!("client {}: ", at + 1);
                found[checked..].iter_mut().for_each(|(_, message)| message.insert_str(0, &name));
            }
        }
        let unsound = self.server.simulation().inconsistencies();
        if !unsound.is_empty() {
            found.push((Kind::Soundness, format!("the server's simulation: {unsound:?}")));
        }
        self.found.extend(found);
    }

    /// Checks that no client ended the curse of its hero.
    fn check_curses(&self, found: &mut Vec<(Kind, String)>) {
        let simulation = self.server.simulation();
        let Ok(curse) = self.server.catalog().ability(CURSE) else { return };
        for hero in &self.cursed {
            let Some(known) = simulation.controller(*hero) else { continue };
            let runs = known.activations().iter().filter_map(|run| simulation.activation(*run));
            if !runs.into_iter().any(|run| run.ability() == curse) {
                found.push((Kind::Authority, format!("the curse of {hero:?} was ended")));
            }
        }
    }

    /// Checks that enough commands of an honest client came in time.
    fn check_liveness(&mut self, at: usize, found: &mut Vec<(Kind, String)>) {
        let (answered, untimely) = self.players[at].answers();
        self.report.honest += answered;
        self.report.untimely += untimely;
        let share = 1.0 - untimely as f64 / answered.max(1) as f64;
        if answered >= FEWEST_ANSWERS && share < self.profile.timely {
            let message = format!(
                "{untimely} of {answered} commands came too late, too early or were too many: {share:.3} were in \
                 time, and must be {}",
                self.profile.timely
            );
            found.push((Kind::Liveness, message));
        }
    }

    /// Commands of an honest client that began an activation on the server: reports those that the client
    /// never gave, in this session or an earlier one. Other commands are not checked.
    fn check_commands(&mut self, at: usize, found: &mut Vec<(Kind, String)>) {
        let player = &self.players[at];
        if !player.is_honest() {
            return;
        }
        let last = player.client.id().map(|client| (client, &player.audit.given));
        let sessions = player.past.iter().map(|(client, given)| (*client, given)).chain(last);
        for (client, given) in sessions {
            for key in self.server_audit.begun_by(client).filter(|key| !given.contains(key)) {
                found.push((Kind::Commands, format!("{key:?} ran for {client:?}, who never gave it")));
            }
        }
    }

    /// Checks that a client shows exactly what it may see: own controllers by the recorded ticks, since they
    /// are predicted, and others as they are now.
    fn check_view(&self, at: usize, found: &mut Vec<(Kind, String)>) {
        let player = &self.players[at];
        let client = &player.client;
        let Some(id) = client.id().filter(|_| client.is_playing()) else {
            found.push((Kind::Convergence, "it did not reconnect".into()));
            return;
        };
        let simulation = self.server.simulation();
        let visible: BTreeSet<ControllerId> = simulation
            .controllers()
            .map(|(id, _)| id)
            .filter(|known| self.viewers(*known).contains(&id))
            .collect();
        let shown: BTreeSet<ControllerId> =
            client.simulation().controllers().filter_map(|(local, _)| client.remote(local)).collect();
        if visible != shown {
            let (more, fewer) = (shown.difference(&visible), visible.difference(&shown));
            let message = format!(
                "shows too much: {:?}, too little: {:?}",
                more.collect::<Vec<_>>(),
                fewer.collect::<Vec<_>>()
            );
            found.push((Kind::Convergence, message));
        }
        for remote in visible.intersection(&shown) {
            let (Some(known), Some(local)) = (simulation.controller(*remote), client.local(*remote)) else {
                continue;
            };
            let mode = known.replication();
            if self.server.owner(*remote) == Some(id) {
                let (moments, difference) = self.view_history.compare(id, *remote);
                if moments == 0 {
                    found.push((
                        Kind::Convergence,
                        format!("no tick of {remote:?}, its own, was shown and came"),
                    ));
                }
                found.extend(difference.map(|what| (Kind::Convergence, what)));
                continue;
            }
            let truth = OracleView::of(simulation, *remote, mode, Relation::Other, |source| {
                visible.contains(&source).then_some(source)
            });
            let seen = OracleView::of(client.simulation(), local, mode, Relation::Other, |source| {
                client.remote(source)
            });
            let difference = truth.zip(seen).and_then(|(truth, seen)| truth.difference(&seen));
            found.extend(difference.map(|what| (Kind::Convergence, format!("{remote:?}: {what}"))));
        }
        let unsound = client.simulation().inconsistencies();
        if !unsound.is_empty() {
            found.push((Kind::Soundness, format!("{unsound:?}")));
        }
    }

    /// Checks that a client's host received every event once: state events, answers to commands, and cue
    /// bursts, of which some may be lost under faults. Takes the violations that the player's audit found.
    fn check_events(&mut self, at: usize, found: &mut Vec<(Kind, String)>) {
        let player = &mut self.players[at];
        player.audit.close(&player.client);
        found.extend(player.take_found());
        let Some(id) = player.client.id().filter(|_| player.client.is_playing()) else { return };
        for key in self.server_audit.begun_by(id) {
            if let Some(rejection) = player.audit.rejection(key) {
                found
                    .push((Kind::Answers, format!("{key:?} ran, but was reported as rejected: {rejection}")));
            }
        }
        for key in player.audit.unanswered() {
            found.push((Kind::Answers, format!("{key:?} was never answered")));
        }
        let mut seen: BTreeMap<(ControllerId, ugas_core::id::TagId), (i64, i64)> = BTreeMap::new();
        for ((client, controller, cue), count) in &self.server_audit.cue_bursts {
            if *client == id {
                seen.entry((*controller, *cue)).or_default().0 = *count;
            }
        }
        for (key, count) in &player.audit.cue_bursts {
            seen.entry(*key).or_default().1 = *count;
        }
        for ((controller, cue), (executed, reported)) in seen {
            let is_fair = self.profile.severity == 0.0;
            if reported > executed || is_fair && reported != executed {
                let message = format!(
                    "{cue:?} was executed {executed} times on {controller:?}, and reported {reported} times"
                );
                found.push((Kind::CueBursts, message));
            }
        }
    }

    /// Checks that no effect of a cheat's ability reaches the vault, which cheats never see. Called for every
    /// event of the server.
    pub(super) fn check_reach(&mut self, event: &Event) {
        let (EventKind::EffectApplied { target, effect, .. }
        | EventKind::EffectExecuted { target, effect, active: None, .. }) = event.kind
        else {
            return;
        };
        // A task without a target takes the nearest controller, seen or not (A16).
        let name = self.server.simulation().effect_name(effect);
        if RANGED.iter().any(|(ranged, _)| *ranged == name) {
            return;
        }
        let owner = event.cause.source.and_then(|source| self.server.owner(source));
        let is_cheat = |player: &Player| !player.is_honest() && player.client.id() == owner;
        if Some(target) == self.vault && event.cause.ability.is_some() && self.players.iter().any(is_cheat) {
            let name = self.server.simulation().effect_name(effect).to_owned();
            self.found.push((
                Kind::Authority,
                format!("{name} of a cheat reached a controller that it cannot see"),
            ));
        }
    }
}
