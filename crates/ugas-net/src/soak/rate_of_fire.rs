//! Rate of fire: the same at every ping, which is what shared ticks are for.

use std::sync::Arc;

use ugas_core::ability::AbilityDef;
use ugas_core::attribute::{AttributeDef, AttributeSetDef};
use ugas_core::catalog::Catalog;
use ugas_core::controller::ControllerDef;
use ugas_core::effect::{AbilityGrantDef, EffectDef};
use ugas_core::event::EventKind;
use ugas_core::simulation::{ActivationRequest, Config, Simulation};
use ugas_core::task::TaskDef;
use ugas_core::time::{Span, Time};

use crate::client::ClientConfig;
use crate::link::Conditions;
use crate::rig::Rig;
use crate::server::{Server, ServerConfig, ServerEvent};

/// The round trips at which it is measured, in milliseconds.
pub const RATE_OF_FIRE_PINGS: [u32; 5] = [0, 50, 100, 200, 300];

/// The clocks agree before the first shot.
const OPENING: Span = Span::millis(2_000);
/// How long shots are counted, from the first one on.
const MINUTE: Span = Span::millis(60_000);
/// How long a weapon cools down.
const COOLDOWN: Span = Span::millis(200);

/// What was measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RateOfFire {
    /// The round trip in milliseconds.
    pub round_trip: u32,
    /// Shots that the server counted in a minute.
    pub shots: u64,
    /// How many there are without a network.
    pub expected: u64,
    /// Ticks that the client predicted wrongly.
    pub mispredicted: u64,
}

/// Holds the trigger of a weapon that cools down for 0.2 s, for a minute, and counts on the server.
///
/// Without a network that is 277: a tick of a sixtieth of a second is 16,666 µs, so that the 0.2 s take 13 ticks, and
/// a minute has room for 276 times 216,658 µs after the first shot.
pub fn rate_of_fire(round_trip: u32) -> RateOfFire {
    let simulation = Simulation::new(rules(), Config::seeded(1));
    let mut rig = Rig::new(Server::new(simulation, ServerConfig::default()), 7);
    let delay = Span::from_micros(i64::from(round_trip) * 500);
    rig.join(ClientConfig::default(), Conditions { delay, ..Conditions::perfect() });
    let length = rig.server.tick_length().span();
    let mut shots = Vec::new();
    // Until a minute has passed since the first shot.
    while !matches!((shots.first(), shots.last()), (Some(first), Some(last)) if *last >= *first + MINUTE)
        && rig.now() < Time::ZERO + MINUTE + MINUTE
    {
        rig.step();
        while let Some(event) = rig.server.poll_event() {
            match event {
                ServerEvent::Joined { client, .. } => {
                    if let Ok(hero) = rig.server.simulation_mut().spawn("Hero") {
                        rig.server.give(hero, client);
                    }
                }
                ServerEvent::Game(event) if matches!(event.kind, EventKind::AbilityCommitted { .. }) => {
                    shots.push(event.time);
                }
                _ => {}
            }
        }
        let client = &rig.seats[0].client;
        let hero = client.own_controllers().next().and_then(|hero| client.simulation().controller(hero));
        let weapon = hero.and_then(|hero| hero.abilities().first().copied());
        if let Some(weapon) = weapon.filter(|_| rig.now() >= Time::ZERO + OPENING) {
            // Refused while it cools down, as for any player who holds the trigger.
            let _ = rig.seats[0].client.activate(weapon, ActivationRequest::default());
        }
    }
    let first = shots.first().copied().unwrap_or_default();
    let in_a_minute = shots.iter().filter(|shot| shot.since(first) < MINUTE).count() as u64;
    let ticks = (COOLDOWN.micros() as u64).div_ceil(length.micros() as u64);
    let expected = (MINUTE.micros() as u64).div_ceil(ticks * length.micros() as u64);
    let mispredicted = rig.seats[0].client.statistics().mispredicted;
    RateOfFire { round_trip, shots: in_a_minute, expected, mispredicted }
}

fn rules() -> Arc<Catalog> {
    let built = Catalog::builder()
        .attribute_set(AttributeSetDef::new("Combat").with(AttributeDef::new("Ammunition", 1_000.0)))
        .effect(EffectDef::lasting("GE_Cooldown", COOLDOWN.as_seconds()).granting("Cooldown.Weapon"))
        .ability(AbilityDef::new("GA_Weapon").cooldown("GE_Cooldown").task(TaskDef::commit()))
        .template(
            ControllerDef::new("Hero").with_set("Combat").with_ability(AbilityGrantDef::new("GA_Weapon")),
        )
        .build();
    match built {
        Ok(catalog) => catalog,
        Err(errors) => panic!("the rules of the weapon are not sound: {errors}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minute_of_fire_is_the_same_at_once_and_after_a_third_of_a_second() {
        for round_trip in [0, 300] {
            let row = rate_of_fire(round_trip);
            // 1 + 60 s / (13 × 16,666 µs) = 1 + 276.9
            assert_eq!((row.shots, row.expected, row.mispredicted), (277, 277, 0), "{round_trip} ms");
        }
    }
}
