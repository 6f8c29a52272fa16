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
use ugas_core::time::Span;

use crate::client::ClientConfig;
use crate::link::Conditions;
use crate::rig::Rig;
use crate::server::{Server, ServerConfig, ServerEvent};

/// The round trips at which it is measured, in milliseconds.
pub const RATE_OF_FIRE_PINGS: [u32; 5] = [0, 50, 100, 200, 300];

/// How long the trigger is held.
const TRIGGER: Span = Span::millis(60_000);

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
/// Without a network that is 300 shots: one every 12 ticks of a sixtieth of a second, and the first at once.
pub fn rate_of_fire(round_trip: u32) -> RateOfFire {
    let simulation = Simulation::new(rules(), Config::seeded(1));
    let mut rig = Rig::new(Server::new(simulation, ServerConfig::default()), 7);
    let delay = Span::from_micros(i64::from(round_trip) * 500);
    rig.join(ClientConfig::default(), Conditions { delay, ..Conditions::perfect() });
    let mut shots = 0;
    let mut end = None;
    while end.is_none_or(|end| rig.now() < end + Span::seconds(1.0)) {
        rig.step();
        while let Some(event) = rig.server.poll_event() {
            match event {
                ServerEvent::Joined { client, .. } => {
                    if let Ok(hero) = rig.server.simulation_mut().spawn("Hero") {
                        rig.server.give(hero, client);
                    }
                }
                ServerEvent::Game(event) => {
                    shots += u64::from(matches!(event.kind, EventKind::AbilityCommitted { .. }));
                }
                _ => {}
            }
        }
        let client = &mut rig.seats[0].client;
        let hero = client.own_controllers().next().and_then(|hero| client.simulation().controller(hero));
        let weapon = hero.and_then(|hero| hero.abilities().first().copied());
        let now = rig.now();
        if let Some(weapon) = weapon
            && now.micros() > 2_000_000
        {
            let end = *end.get_or_insert(now + TRIGGER);
            if now < end {
                let _ = rig.seats[0].client.activate(weapon, ActivationRequest::default());
            }
        }
    }
    let mispredicted = rig.seats[0].client.statistics().mispredicted;
    RateOfFire { round_trip, shots, expected: 300, mispredicted }
}

fn rules() -> Arc<Catalog> {
    let built = Catalog::builder()
        .attribute_set(AttributeSetDef::new("Combat").with(AttributeDef::new("Ammunition", 1_000.0)))
        .effect(EffectDef::lasting("GE_Cooldown", 0.2).granting("Cooldown.Weapon"))
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
