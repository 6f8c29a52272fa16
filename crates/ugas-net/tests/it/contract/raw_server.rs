//! A server without clients, addressed by hand-made messages.

use std::collections::BTreeMap;

use ugas_core::handle::{ControllerId, GrantedAbilityId};
use ugas_core::simulation::{Config, Simulation};
use ugas_core::targeting::TargetData;
use ugas_core::time::{Span, Time};
use ugas_net::message::{
    Ack, CommandFrame, CommandOutcome, CommandResult, Frames, Hello, NetCommand, PROTOCOL, PacketId,
    ToClient, ToServer, Update,
};
use ugas_net::wire::{Dictionary, UpdateDecoder, encode_to_server};
use ugas_net::{Defaults, Host, PeerId, Server, ServerConfig, Tick, TickLength};
use ugas_netsim::link::Conditions;

use crate::fixture::catalog;

/// A server, spoken to by hand.
pub(crate) struct RawServer<H: Host = Defaults> {
    pub(crate) server: Server<H>,
    pub(crate) dictionary: Dictionary,
    /// Decoder of each peer.
    decoders: BTreeMap<u64, UpdateDecoder>,
    pub(crate) now: Time,
    pub(crate) packet: u32,
    /// The answers to the last command, and to those before that are not acknowledged.
    pub(crate) last_results: Vec<CommandResult>,
}

impl RawServer {
    pub(crate) fn new(config: ServerConfig) -> Self {
        Self::of(Server::new(Simulation::new(catalog(), Config::seeded(1)), config))
    }

    /// A server with one client, and its hero.
    pub(crate) fn with_hero() -> (Self, ControllerId) {
        Self::with_hero_by(ServerConfig::default())
    }

    pub(crate) fn with_hero_by(config: ServerConfig) -> (Self, ControllerId) {
        let mut raw = Self::new(config);
        let hero = raw.join_with_hero();
        (raw, hero)
    }
}

impl<H: Host> RawServer<H> {
    pub(crate) fn of(server: Server<H>) -> Self {
        let dictionary = Dictionary::of(server.catalog());
        let decoders = BTreeMap::new();
        Self { server, dictionary, decoders, now: Time::ZERO, packet: 0, last_results: Vec::new() }
    }

    /// The first client joins, and gets a hero.
    pub(crate) fn join_with_hero(&mut self) -> ControllerId {
        let hello = self.hello(1);
        self.say(1, ToServer::Hello(hello));
        let hero = self.server.simulation_mut().spawn("Hero").unwrap();
        let client = self.server.clients().next().unwrap();
        self.server.give(hero, client);
        self.tick();
        hero
    }

    pub(crate) fn hello(&self, nonce: u64) -> Hello {
        let (catalog, dictionary) = (self.server.catalog().hash(), self.dictionary.hash());
        Hello { protocol: PROTOCOL, catalog, dictionary, nonce, credential: Vec::new() }
    }

    pub(crate) fn say(&mut self, peer: u64, message: ToServer) {
        let bytes = encode_to_server(&self.dictionary, &message).unwrap();
        self.server.handle(self.now, PeerId(peer), &bytes);
    }

    pub(crate) fn tick(&mut self) {
        self.now += TickLength::default().span();
        self.server.tick(self.now);
    }

    /// Sends a frame for the tick that comes next, plus `ahead`, lets `ticks` pass, and gives the answers.
    pub(crate) fn command(
        &mut self,
        ahead: i64,
        ticks: usize,
        commands: Vec<NetCommand>,
    ) -> Vec<CommandResult> {
        self.answers();
        let next = i64::from(self.server.current_tick().0) + 1 + ahead;
        self.packet += 1;
        let tick = Tick(next as u32);
        let frame = CommandFrame { tick, commands: commands.into_iter().collect() };
        let (packet, ack) = (PacketId(self.packet), Ack::default());
        self.say(1, ToServer::Frames(Frames { session: 1, packet, ack, now: tick, frames: vec![frame] }));
        for _ in 0..ticks {
            self.tick();
        }
        self.last_results = self.heard(1).into_iter().flat_map(|update| update.results).collect();
        self.last_results.clone()
    }

    pub(crate) fn answers(&mut self) -> Vec<(u64, ToClient)> {
        let mut answers = Vec::new();
        while let Some(transmit) = self.server.poll_transmit() {
            let peer = transmit.peer.0;
            let decoder = self.decoders.entry(peer).or_default();
            let answer = decoder.read(&self.dictionary, &transmit.bytes).unwrap();
            if let ToClient::Update(update) = &answer {
                decoder.note(update);
            }
            answers.push((peer, answer));
        }
        answers
    }

    pub(crate) fn heard(&mut self, peer: u64) -> Vec<Update> {
        let answers = self.answers().into_iter().filter(|(to, _)| *to == peer);
        answers
            .filter_map(|(_, answer)| match answer {
                ToClient::Update(update) => Some(update),
                _ => None,
            })
            .collect()
    }

    pub(crate) fn ability(&self, owner: ControllerId, name: &str) -> GrantedAbilityId {
        let sim = self.server.simulation();
        let wanted = sim.catalog().ability(name).unwrap();
        let abilities = sim.controller(owner).unwrap().abilities();
        *abilities.iter().find(|handle| sim.ability(**handle).unwrap().ability() == wanted).unwrap()
    }
}

pub(crate) fn activate(ability: GrantedAbilityId, targets: TargetData) -> NetCommand {
    NetCommand::Activate { ability, targets, event: None }
}

pub(crate) fn outcomes(results: &[CommandResult]) -> Vec<CommandOutcome> {
    results.iter().map(|result| result.outcome).collect()
}

pub(crate) fn round_trip(millis: i64) -> Conditions {
    Conditions { delay: Span::millis(millis / 2), ..Conditions::perfect() }
}
