//! Rate of fire: equal at every ping, because ticks are shared.

use std::sync::Arc;

use ugas_core::ability::AbilityDef;
use ugas_core::attribute::{AttributeDef, AttributeSetDef};
use ugas_core::catalog::Catalog;
use ugas_core::controller::ControllerDef;
use ugas_core::effect::{AbilityGrantDef, EffectDef};
use ugas_core::event::EventKind;
use ugas_core::input::InputBufferConfig;
use ugas_core::simulation::{Config, Simulation};
use ugas_core::task::TaskDef;
use ugas_core::time::{Span, Time};

use crate::link::Conditions;
use crate::rig::Rig;
use ugas_net::TickLength;
use ugas_net::{Client, ClientConfig};
use ugas_net::{Server, ServerConfig, ServerEvent};

/// Measured round trips, in milliseconds.
pub const RATE_OF_FIRE_PINGS: [u32; 7] = [0, 50, 100, 150, 200, 250, 300];
/// Measured tick rates, in ticks per second.
pub const RATE_OF_FIRE_RATES: [u32; 4] = [20, 30, 60, 128];

/// Time for the clocks to converge before the first shot.
const OPENING: Span = Span::millis(2_000);
/// Time for which shots are counted, from the first one on.
const MINUTE: Span = Span::millis(60_000);
/// Cooldown of the weapon.
const COOLDOWN: Span = Span::millis(200);
/// Lifetime of a buffered press: longer than the cooldown, so that a press during a shot triggers the next.
const BUFFERED: Span = Span::millis(250);
/// The input of the weapon.
const TRIGGER: &str = "Fire";

/// One measurement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RateOfFire {
    /// The tick rate, in ticks a second.
    pub rate: u32,
    /// The round trip in milliseconds.
    pub round_trip: u32,
    /// Shots on the server in a minute.
    pub shots: u64,
    /// Shots without a network.
    pub expected: u64,
    /// Mispredicted ticks of the client.
    pub mispredicted: u64,
}

/// Holds the trigger of a weapon that cools down for 0.2 s, for a minute, and counts shots on the server.
///
/// Without a network that is 60 s / 0.2 s = 300, at every tick rate (N3). A press during the cooldown waits in the input
/// buffer (§11.3) until the cooldown ends, also between two ticks: at 128 Hz, 0.2 s are 25.6 ticks.
pub fn rate_of_fire(rate: u32, round_trip: u32) -> RateOfFire {
    let simulation = Simulation::new(rules(), Config::seeded(1));
    let config = ServerConfig { length: TickLength::hertz(rate), ..ServerConfig::default() };
    let mut rig = Rig::new(Server::new(simulation, config), 7);
    let delay = Span::from_micros(i64::from(round_trip) * 500);
    rig.join(ClientConfig::default(), Conditions { delay, ..Conditions::perfect() });
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
        if rig.now() >= Time::ZERO + OPENING {
            hold_trigger(&mut rig.seats[0].client);
        }
    }
    let first = shots.first().copied().unwrap_or_default();
    let in_a_minute = shots.iter().filter(|shot| shot.since(first) < MINUTE).count() as u64;
    let expected = (MINUTE.micros() as u64).div_ceil(COOLDOWN.micros() as u64);
    let mispredicted = rig.seats[0].client.statistics().mispredicted;
    RateOfFire { rate, round_trip, shots: in_a_minute, expected, mispredicted }
}

/// Presses and releases the trigger, unless a press waits in the buffer already.
fn hold_trigger(client: &mut Client) {
    let Some(hero) = client.own_controllers().next() else { return };
    let controller = client.simulation().controller(hero);
    if controller.is_some_and(|controller| controller.input_buffer().iter().next().is_none()) {
        let _ = client.press(hero, TRIGGER);
        let _ = client.release(hero, TRIGGER);
    }
}

/// Rules with one hero and one weapon without cost, whose input is buffered during the cooldown.
fn rules() -> Arc<Catalog> {
    let weapon = AbilityGrantDef { input: Some(TRIGGER.into()), ..AbilityGrantDef::new("GA_Weapon") };
    let built = Catalog::builder()
        .attribute_set(AttributeSetDef::new("Combat").with(AttributeDef::new("Ammunition", 1_000.0)))
        .effect(EffectDef::lasting("GE_Cooldown", COOLDOWN.as_seconds()).granting("Cooldown.Weapon"))
        .ability(AbilityDef::new("GA_Weapon").cooldown("GE_Cooldown").task(TaskDef::commit()))
        .template(ControllerDef::new("Hero").with_set("Combat").with_ability(weapon))
        .input_buffer(InputBufferConfig { enabled: true, window: BUFFERED, ..InputBufferConfig::default() })
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
    fn a_minute_of_fire_is_300_shots_at_every_rate_and_round_trip() {
        let ends = RATE_OF_FIRE_RATES.into_iter().flat_map(|rate| [(rate, 0), (rate, 300)]);
        let between = [(60, 50), (30, 100), (60, 150), (20, 200), (60, 250)];
        for (rate, round_trip) in ends.chain(between) {
            let row = rate_of_fire(rate, round_trip);
            let expected = RateOfFire { rate, round_trip, shots: 300, expected: 300, mispredicted: 0 };
            assert_eq!(row, expected, "{rate} Hz, {round_trip} ms");
        }
    }
}
