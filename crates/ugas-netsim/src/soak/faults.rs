//! Faults during a match.

use std::sync::Arc;

use ugas_core::handle::ControllerId;
use ugas_core::id::AttributeSetId;
use ugas_core::random::RandomStream;
use ugas_core::time::{Span, Time};

use super::bot::pick;
use super::game::{AFFLICTIONS, Game, RELICS};
use super::report::Kind;
use super::soak_match::SoakMatch;
use crate::link::Conditions;
use ugas_core::simulation::Stacks;
use ugas_core::targeting::Placement;
use ugas_net::message::ClientId;
use ugas_net::wire::Dictionary;

/// Chance of a hot reload with an event of the game: one in about 25 s.
const RELOADS: f64 = 0.01;

impl SoakMatch {
    /// Inflicts the faults that are due, on the game and on every player, and draws when the next are. Called
    /// in every step of the faults phase.
    pub(super) fn inflict_faults(&mut self) {
        if self.now >= self.next_event {
            self.next_event = self.now + draw_span(&mut self.dice, 0.02, 0.5);
            self.event();
            if self.profile.reloads && self.reload_dice.chance(RELOADS) {
                self.reload();
            }
        }
        for at in 0..self.players.len() {
            if self.now >= self.players[at].next_fault {
                self.players[at].next_fault = self.now + draw_span(&mut self.dice, 0.2, 3.0);
                self.fault(at);
            }
        }
    }

    /// Lets the fault points of the code fail from now on.
    #[cfg(feature = "fault-points")]
    pub(super) fn arm_fault_points(&self) {
        let seed = RandomStream::derive(self.seed, &[6]).key();
        ugas_net::fault_points::arm(seed, self.profile.fault_points);
    }

    /// Ends the faults of the code, and counts them.
    #[cfg(feature = "fault-points")]
    pub(super) fn disarm_fault_points(&mut self) {
        for (point, count) in ugas_net::fault_points::disarm() {
            self.report.fault(point.name(), count);
        }
    }

    #[cfg(not(feature = "fault-points"))]
    pub(super) fn arm_fault_points(&self) {}

    #[cfg(not(feature = "fault-points"))]
    pub(super) fn disarm_fault_points(&mut self) {}

    /// The present edition of the rules.
    pub(super) fn game_edition(&self) -> Game {
        Game::draw_edition(self.seed, self.reloads)
    }

    /// Reloads the next edition of the rules: all sessions end, and the players come back with the new rules.
    fn reload(&mut self) {
        self.reloads += 1;
        let game = self.game_edition();
        match self.server.reload(Arc::clone(&game.catalog), None) {
            Ok(_) => self.dictionary = Dictionary::of(&game.catalog),
            Err(error) => {
                self.found.push((Kind::Soundness, format!("the rules cannot be reloaded: {error}")))
            }
        }
        self.handle_server_events();
        self.report.fault("hot reload", 1);
    }

    /// Ends the faults: links are good, machines run, everybody comes back.
    pub(super) fn end_faults(&mut self) {
        self.server_stalled_until = Time::ZERO;
        for player in &mut self.players {
            player.link.cut_until(Time::ZERO);
            player.link.set_conditions(Conditions { delay: Span::millis(20), ..Conditions::perfect() });
            player.stalled_until = Time::ZERO;
            if player.away_until.is_some() {
                player.away_until = Some(self.now);
            }
        }
    }

    /// Inflicts a random fault: new conditions or a partition of a player's link, a stall of its machine or
    /// of the server, or its leaving. Kinds that the profile excludes do nothing.
    fn fault(&mut self, at: usize) {
        let profile = self.profile;
        let kind = self.dice.below(10);
        let player = &mut self.players[at];
        match kind {
            0..5 => {
                player.link.to_server.set_conditions(profile.conditions(&mut self.dice));
                player.link.to_client.set_conditions(profile.conditions(&mut self.dice));
            }
            5 if profile.severity > 0.0 => {
                // Mostly in one direction only; some outlast the session.
                let length = draw_span(&mut self.dice, 0.1, 0.5 + 4.5 * profile.severity);
                let end = self.now + length;
                match self.dice.below(3) {
                    0 => player.link.to_server.cut_until(end),
                    1 => player.link.to_client.cut_until(end),
                    _ => player.link.cut_until(end),
                }
                self.report.fault("partition begun", 1);
            }
            7 if profile.turmoil => {
                player.stalled_until = self.now + draw_span(&mut self.dice, 0.05, 1.5);
                self.report.fault("client stall", 1);
            }
            8 if profile.turmoil => {
                self.server_stalled_until = self.now + draw_span(&mut self.dice, 0.02, 0.4);
                self.report.fault("server stall", 1);
            }
            6 if profile.turmoil => {
                player.clock_offset += self.dice.below(4_000_000);
                self.report.fault("clock jump", 1);
            }
            9 if profile.turmoil && player.away_until.is_none() && self.dice.chance(0.3) => {
                // Half send a bye, and half just disconnect.
                if self.dice.chance(0.5) {
                    player.client.leave();
                }
                player.away_until = Some(self.now + draw_span(&mut self.dice, 0.05, 2.0));
                self.report.fault("leave", 1);
            }
            _ => {}
        }
    }

    /// Causes a random event in the game on the server: effects and abilities change; with turmoil also
    /// views, owners, attribute sets and the population.
    fn event(&mut self) {
        let controllers: Vec<ControllerId> =
            self.server.simulation().controllers().map(|(id, _)| id).collect();
        let clients: Vec<ClientId> = self.server.clients().collect();
        let Some(&controller) = pick(&mut self.dice, &controllers) else { return };
        self.walk(controller);
        let client = pick(&mut self.dice, &clients).copied();
        match self.dice.below(if self.profile.turmoil { 14 } else { 5 }) {
            0..3 => {
                let name = AFFLICTIONS[self.dice.below(AFFLICTIONS.len() as u64) as usize];
                let source = pick(&mut self.dice, &controllers).copied().filter(|_| name != "GE_Refill");
                if let Ok(effect) = self.server.catalog().effect(name) {
                    let _ = self.server.simulation_mut().apply_effect(effect, source, controller);
                }
            }
            3 => {
                let effects =
                    self.server.simulation().controller(controller).map(|known| known.effects().to_vec());
                if let Some(&active) = pick(&mut self.dice, &effects.unwrap_or_default()) {
                    let is_lasting = self.server.simulation().effect(active).is_some_and(|active| {
                        let name = self.server.simulation().effect_name(active.effect());
                        // Cooldowns are to be kept, and regeneration goes on.
                        !name.contains("Cooldown") && !name.contains("Regeneration")
                    });
                    if is_lasting {
                        let _ = self.server.simulation_mut().remove(active, Stacks::All);
                    }
                }
            }
            4 => self.change_abilities(controller),
            5..9 => self.toggle_relevancy(controller, client),
            9 => self.change_owner(controller, client),
            12 | 13 => self.change_sets(controller),
            10 => {
                let template = ["Wolf", "Banner", "Ghost"][self.dice.below(3) as usize];
                if controllers.len() < 24 && self.server.simulation_mut().spawn(template).is_ok() {
                    self.report.fault("spawn", 1);
                }
            }
            _ => {
                let is_hero = self.players.iter().any(|player| player.hero == Some(controller));
                if !is_hero && Some(controller) != self.vault {
                    let _ = self.server.simulation_mut().despawn(controller);
                    self.report.fault("despawn", 1);
                }
            }
        }
    }

    /// Places a controller somewhere in a square of 30. The vault is nowhere: a task without a target takes the
    /// nearest controller, seen or not (A16).
    pub(super) fn walk(&mut self, controller: ControllerId) {
        if Some(controller) == self.vault {
            return;
        }
        let place = [self.dice.range(-15.0, 15.0), self.dice.range(-15.0, 15.0), 0.0];
        if let Ok(placement) = Placement::at(place) {
            let _ = self.server.simulation_mut().set_placement(controller, Some(placement));
            self.reach_audit.note(self.now, controller, place);
        }
    }

    /// Grants the ability `GA_Borrowed` to a controller, or revokes it if it was granted here before.
    fn change_abilities(&mut self, controller: ControllerId) {
        let Ok(ability) = self.server.catalog().ability("GA_Borrowed") else { return };
        let simulation = self.server.simulation_mut();
        let Some(known) = simulation.controller(controller) else { return };
        let borrowed = known.abilities().iter().copied().filter(|handle| {
            simulation
                .ability(*handle)
                .is_some_and(|granted| granted.ability() == ability && granted.granted_by().is_none())
        });
        let borrowed: Vec<_> = borrowed.collect();
        match borrowed.first() {
            Some(handle) => drop(simulation.revoke(*handle)),
            None => drop(simulation.grant(controller, ability, 1)),
        }
    }

    /// Adds, removes or replaces an attribute set of a controller; the sets share attribute names.
    fn change_sets(&mut self, controller: ControllerId) {
        let catalog = self.server.catalog();
        let relics: Vec<AttributeSetId> =
            RELICS.iter().filter_map(|name| catalog.attribute_set(name).ok()).collect();
        let simulation = self.server.simulation_mut();
        let worn = relics.iter().position(|set| simulation.attribute_sets(controller).contains(set));
        if let Some(&old) = worn.and_then(|at| relics.get(at)) {
            let _ = simulation.unregister_set(controller, old);
        }
        let next = match worn {
            None => relics.get(self.dice.below(2) as usize),
            Some(at) => relics.get(1 - at.min(1)).filter(|_| self.dice.chance(0.5)),
        };
        if let Some(&new) = next {
            let _ = simulation.register_set(controller, new);
        }
        self.report.fault("attribute sets", 1);
    }

    /// Shows a controller to a client, or hides it. Owners keep seeing their own, and the vault stays as it
    /// is.
    fn toggle_relevancy(&mut self, controller: ControllerId, client: Option<ClientId>) {
        let Some(client) = client else { return };
        if self.server.owner(controller) == Some(client) || Some(controller) == self.vault {
            return;
        }
        let hidden = self.hidden.entry(client).or_default();
        if hidden.remove(&controller) {
            self.server.show(controller, client);
        } else {
            hidden.insert(controller);
            self.server.hide(controller, client);
        }
        self.report.fault("relevancy", 1);
    }

    /// Gives a controller to a client, or takes it back so that nobody owns it. The vault is exempt.
    fn change_owner(&mut self, controller: ControllerId, client: Option<ClientId>) {
        if Some(controller) == self.vault {
            return;
        }
        match client.filter(|_| self.dice.chance(0.7)) {
            Some(client) => {
                self.server.give(controller, client);
                if let Some(hidden) = self.hidden.get_mut(&client) {
                    hidden.remove(&controller);
                }
            }
            None => self.server.take_back(controller),
        }
        self.report.fault("ownership", 1);
    }
}

/// Draws a span between two numbers of seconds.
fn draw_span(dice: &mut RandomStream, from: f64, to: f64) -> Span {
    Span::seconds(dice.range(from, to))
}
