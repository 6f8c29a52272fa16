//! Information flow: two games that differ only in hidden state send a client the same bytes.

use std::sync::Arc;

use ugas_core::catalog::Catalog;
use ugas_core::effect::EffectContext;
use ugas_core::handle::ControllerId;
use ugas_core::id::ActorId;
use ugas_core::simulation::{ActivationRequest, Config, Simulation};
use ugas_core::time::{Span, Time};
use ugas_net::{Client, ClientConfig, Ownership, PeerId, Server, ServerConfig, ServerEvent, Visibility};

use crate::fixture::catalog;

/// Hidden facts that the first client must not learn.
#[derive(Clone, Copy)]
struct Secret {
    seed: u64,
    /// Changes a value, and nothing that is shown.
    instant: &'static str,
    /// Stays, and nothing that is shown comes from it.
    lasting: &'static str,
    /// Happens to somebody whom nobody sees.
    ghost: &'static str,
    /// A controller that is hidden from the first client.
    hidden: &'static str,
    /// Which of two whom the first client does not see does something to those whom it sees.
    culprit: usize,
    /// Where the culprit stands, and with what it does it.
    weapon: u64,
}

const SECRETS: [Secret; 2] = [
    Secret {
        seed: 1,
        instant: "GE_Weapon_Hit",
        lasting: "GE_Hex",
        ghost: "GE_Bolt_Hit",
        hidden: "Hero",
        culprit: 0,
        weapon: 3,
    },
    Secret {
        seed: 2,
        instant: "GE_Bolt_Cost",
        lasting: "GE_Blessing",
        ghost: "GE_Weapon_Hit",
        hidden: "Wolf",
        culprit: 1,
        weapon: 40_000,
    },
];

/// A server and two clients, who hear each other at once.
pub(crate) struct Table {
    pub(crate) server: Server,
    pub(crate) clients: [Client; 2],
    pub(crate) heroes: Vec<ControllerId>,
    pub(crate) now: Time,
    /// Datagrams that were sent to the first client.
    pub(crate) sent: Vec<Vec<u8>>,
}

impl Table {
    pub(crate) fn new(catalog: &Arc<Catalog>, seed: u64) -> Self {
        let config = Config { prediction_seed: 9, ..Config::seeded(seed) };
        let simulation = Simulation::new(Arc::clone(catalog), config);
        let clients = [11, 12].map(|nonce| Client::new(Arc::clone(catalog), ClientConfig::default(), nonce));
        let server = Server::new(simulation, ServerConfig::default());
        Self { server, clients, heroes: Vec::new(), now: Time::ZERO, sent: Vec::new() }
    }

    pub(crate) fn run(&mut self, ticks: usize) {
        for _ in 0..ticks {
            self.now += Span::from_micros(16_667);
            self.server.tick(self.now);
            while let Some(event) = self.server.poll_event() {
                if let ServerEvent::Joined { client, .. } = event {
                    let hero = self.server.simulation_mut().spawn("Hero").unwrap();
                    self.server.give(hero, client);
                    self.heroes.push(hero);
                }
            }
            while let Some(transmit) = self.server.poll_transmit() {
                let at = transmit.peer.0 as usize;
                self.clients[at].handle(self.now, &transmit.bytes);
                if at == 0 {
                    self.sent.push(transmit.bytes);
                }
            }
            for (peer, client) in (0..).map(PeerId).zip(&mut self.clients) {
                client.update(self.now);
                while let Some(bytes) = client.poll_transmit() {
                    self.server.handle(self.now, peer, &bytes);
                }
            }
        }
    }

    pub(crate) fn afflict(&mut self, controller: ControllerId, effect: &str) {
        let effect = self.server.catalog().effect(effect).unwrap();
        self.server.simulation_mut().apply_effect(effect, None, controller).unwrap();
    }

    /// Somebody does something to somebody, with this weapon.
    fn attack(&mut self, source: ControllerId, target: ControllerId, effect: &str, weapon: u64) {
        let effect = self.server.catalog().effect(effect).unwrap();
        let context = EffectContext::of(source)
            .caused_by(ActorId(weapon))
            .from_object(ActorId(weapon + 1))
            .at([weapon as f64, 0.0, 0.0]);
        let spec = self.server.simulation_mut().spec(effect, 1.0, context).unwrap();
        self.server.simulation_mut().apply(&spec, target).unwrap();
    }

    /// The second client does something; the first sees of it what everybody does.
    fn act(&mut self, name: &str) {
        let client = &mut self.clients[1];
        let wanted = client.catalog().ability(name).unwrap();
        let sim = client.simulation();
        let own = sim.controller(client.own_controllers().next().unwrap()).unwrap();
        let ability =
            own.abilities().iter().find(|handle| sim.ability(**handle).unwrap().ability() == wanted);
        let ability = *ability.unwrap();
        client.activate(ability, ActivationRequest::default()).unwrap();
    }
}

/// Everything that the first client is sent in a game with a secret.
fn conversation(secret: Secret) -> Vec<Vec<u8>> {
    let mut table = Table::new(&catalog(), secret.seed);
    let wolf = table.server.simulation_mut().spawn("Wolf").unwrap();
    let ghost = table.server.simulation_mut().spawn("ShyHero").unwrap();
    let open = table.server.simulation_mut().spawn("OpenHero").unwrap();
    let hidden = table.server.simulation_mut().spawn("Wolf").unwrap();
    let victim = table.server.simulation_mut().spawn("OpenHero").unwrap();
    table.run(20);
    let first = table.clients[0].id().unwrap();
    table.server.hide(hidden, first);
    let health = table.server.catalog().attribute("Health").unwrap();
    let visibility = table.server.add_visibility(Visibility::minimal().with_attribute(health));
    table.server.set_visibility(open, Ownership::Others, Some(visibility));
    for round in 0..20 {
        let [own, other] = [0, 1].map(|at| table.heroes[at]);
        table.afflict(own, "GE_Shield");
        table.afflict(other, secret.instant);
        table.afflict(hidden, secret.instant);
        table.afflict(wolf, secret.lasting);
        table.afflict(other, secret.lasting);
        table.afflict(open, secret.lasting);
        // At the same tick as something that is seen, and before it.
        table.afflict(ghost, secret.ghost);
        table.afflict(wolf, "GE_Bolt_Hit");
        // Frozen luck differs, and where it came from; what came of it does not.
        table.afflict(ghost, secret.lasting);
        let culprit = [ghost, hidden][secret.culprit];
        for target in [own, victim] {
            table.attack(culprit, target, "GE_Burn", secret.weapon);
            table.attack(culprit, target, "GE_Mark", secret.weapon);
        }
        if round % 5 == 1 {
            table.act("GA_Shield");
        }
        if round == 10 {
            let team = ugas_core::targeting::Team::new(secret.hidden);
            table.server.simulation_mut().set_team(hidden, Some(team)).unwrap();
        }
        table.run(7);
    }
    table.sent
}

#[test]
fn hidden_state_does_not_influence_sent_bytes() {
    let [one, other] = SECRETS.map(conversation);
    assert_eq!(one.len(), other.len());
    for (at, (one, other)) in one.iter().zip(&other).enumerate() {
        assert_eq!(one, other, "datagram {at}");
    }
    let bytes: usize = one.iter().map(Vec::len).sum();
    assert!(bytes > 1_500, "only {bytes} bytes were said");
}
