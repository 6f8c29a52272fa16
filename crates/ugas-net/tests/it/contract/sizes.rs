//! Size limits.

use ugas_core::effect::{ContextPayload, EffectContext, HitResult};
use ugas_core::replica::PieceKey;
use ugas_core::simulation::ActivationRequest;
use ugas_core::targeting::{Target, TargetData};
use ugas_net::ServerEvent;
use ugas_net::message::ControllerChange;

use super::raw_server::{RawServer, round_trip};
use crate::fixture::Match;

fn hits(count: usize) -> TargetData {
    let hit = HitResult {
        location: [1.5, 2.5, 3.5],
        normal: [0.5, 0.25, 0.125],
        distance: 12.5,
        actor: None,
        part: 3,
    };
    (0..count).map(|_| Target::Hit { controller: None, hit }).collect()
}

#[test]
fn activation_with_the_most_targets_is_replicated() {
    let mut game = Match::new(1, round_trip(50));
    let hero = game.heroes[0];
    let channel = game.ability(0, "GA_Channel");
    let request = ActivationRequest::on(hits(32));
    game.rig.seats[0].client.activate(channel, request).expect("it can be");
    game.run(0.5);
    let sim = game.rig.server.simulation();
    assert_eq!(sim.controller(hero).unwrap().activations().len(), 1);
    let client = &game.rig.seats[0].client;
    let local = game.local(0, hero);
    assert_eq!(client.simulation().controller(local).unwrap().activations().len(), 1);
}

#[test]
fn commands_that_do_not_fit_into_one_datagram_do_not_hold_up_others() {
    let mut game = Match::new(1, round_trip(50));
    let channel = game.ability(0, "GA_Channel");
    let shield = game.ability(0, "GA_Shield");
    let client = &mut game.rig.seats[0].client;
    let mut given = 0;
    for _ in 0..4 {
        let request = ActivationRequest::on(hits(32));
        given += u64::from(client.activate(channel, request).is_ok());
    }
    assert!(given > 0);
    game.run(0.02);
    game.rig.seats[0].client.activate(shield, ActivationRequest::default()).unwrap();
    game.run(2.0);
    let statistics = game.rig.seats[0].client.statistics();
    assert_eq!(
        game.rig.server.statistics().commands + game.rig.server.statistics().rejected,
        given + 1,
        "{statistics:?}"
    );
}

/// Something of the host's own that is longer than a datagram.
struct Epic;

impl ContextPayload for Epic {
    const KIND: &'static str = "epic";

    fn encode(&self, bytes: &mut Vec<u8>) {
        bytes.resize(2_000, 7);
    }

    fn decode(_: &[u8]) -> Option<Self> {
        Some(Self)
    }
}

#[test]
fn oversized_piece_is_reported_and_does_not_block_updates() {
    let (mut raw, hero) = RawServer::with_hero();
    while raw.server.poll_event().is_some() {}
    let shield = raw.server.catalog().effect("GE_Shield").unwrap();
    let context = EffectContext::of(hero).with_payload(&Epic);
    let spec = raw.server.simulation().spec(shield, 1.0, context).unwrap();
    raw.server.simulation_mut().apply(&spec, hero).unwrap();
    raw.server.simulation_mut().apply_effect(shield, None, hero).unwrap();
    for _ in 0..5 {
        raw.tick();
    }
    let events = core::iter::from_fn(|| raw.server.poll_event());
    let too_large: Vec<_> = events
        .filter(|event| matches!(event, ServerEvent::TooLarge { controller, .. } if *controller == hero))
        .collect();
    assert_eq!(too_large.len(), 1, "{too_large:?}");
    assert_eq!(raw.server.statistics().too_large, 1);
    let told = raw.heard(1).into_iter().flat_map(|update| update.controllers).flat_map(|change| match change
        .change
    {
        ControllerChange::Pieces { pieces, .. } => pieces,
        ControllerChange::Gone => Vec::new(),
    });
    let effects: std::collections::BTreeSet<_> =
        told.map(|(key, _)| key).filter(|key| matches!(key, PieceKey::Effect(_))).collect();
    // All but one: also the second shield, which came with it.
    assert_eq!(effects.len() + 1, raw.server.simulation().controller(hero).unwrap().effects().len());
}
