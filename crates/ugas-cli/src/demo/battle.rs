//! The match: an authoritative server, two clients that predict, and a bad network between them.

use std::sync::Arc;

use anyhow::Context;
use ugas_core::catalog::Catalog;
use ugas_core::event::Event;
use ugas_core::handle::{ControllerId, GrantedAbilityId};
use ugas_core::simulation::{Config, Simulation};
use ugas_core::targeting::{Placement, Team};
use ugas_core::time::{Span, Time};
use ugas_data::Loader;
use ugas_net::wire::Dictionary;
use ugas_net::{Client, ClientConfig, Defaults, Server, ServerConfig, ServerEvent};
use ugas_netsim::Rig;
use ugas_netsim::link::{Conditions, Duplex};

use super::bot::{Bot, BotTags};
use super::event_log::EventLog;
use super::observer::ClientObserver;
use super::roster::{PlayedBy, ROSTER, SEATS, TEAMS};

/// The files of the pack by name.
const PACK: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/arena.rs"));

/// A match.
pub(super) struct Battle {
    pub(super) rig: Rig<Defaults>,
    pub(super) seed: u64,
    pub(super) link: String,
    pub(super) event_log: EventLog,
    /// The fighters of the roster, in its order.
    pub(super) fighters: Vec<ControllerId>,
    bots: Vec<Bot>,
    bot_tags: BotTags,
    /// Events of the newest tick.
    pub(super) events: Vec<Event>,
    /// Number of events so far.
    pub(super) event_count: u64,
    /// One for each client; empty if the network is not observed.
    observers: Vec<ClientObserver>,
    dictionary: Dictionary,
}

impl Battle {
    /// A match; the same seed and link give the same match.
    pub(super) fn new(seed: u64, link: &str) -> anyhow::Result<Self> {
        let mut conditions = Conditions::named(link).with_context(|| format!("there is no link `{link}`"))?;
        // A minimal delay even on the perfect link, so that every datagram can be observed.
        conditions.delay = conditions.delay.max(Span::from_micros(1));
        let catalog = catalog()?;
        let bot_tags = BotTags {
            attack: catalog.tag("Ability.Attack")?,
            aid: catalog.tag("Ability.Aid")?,
            dead: catalog.tag("State.Dead")?,
        };
        let event_log = EventLog::new(&catalog)?;
        let dictionary = Dictionary::of(&catalog);
        let mut simulation = Simulation::new(catalog, Config::seeded(seed));
        let mut fighters = Vec::new();
        for entry in &ROSTER {
            let id = simulation.spawn(entry.template)?;
            simulation.set_placement(id, Some(Placement::at(entry.position)?))?;
            simulation.set_team(id, Some(Team::new(TEAMS[entry.team])))?;
            fighters.push(id);
        }
        let mut rig = Rig::new(Server::new(simulation, ServerConfig::default()), seed);
        for _ in 0..SEATS {
            rig.join(ClientConfig::default(), conditions);
        }
        let bots = (0..ROSTER.len()).map(|number| Bot::new(seed, number)).collect();
        Ok(Self {
            rig,
            seed,
            link: link.to_owned(),
            event_log,
            fighters,
            bots,
            bot_tags,
            events: Vec::new(),
            event_count: 0,
            observers: Vec::new(),
            dictionary,
        })
    }

    /// Observes the network of each client from now on. Does not change the match.
    pub(super) fn observe_network(&mut self) {
        self.observers.resize_with(SEATS, ClientObserver::default);
    }

    /// The observer of a client; `None` if nobody inspects the match.
    pub(super) fn observer(&mut self, seat: usize) -> Option<&mut ClientObserver> {
        self.observers.get_mut(seat)
    }

    pub(super) fn now(&self) -> Time {
        self.rig.now()
    }

    pub(super) fn simulation(&self) -> &Simulation {
        self.rig.server.simulation()
    }

    pub(super) fn client(&self, seat: usize) -> &Client {
        &self.rig.seats[seat].client
    }

    /// Advances until the server has played one more tick.
    pub(super) fn tick(&mut self) {
        let before = self.rig.server.current_tick();
        while self.rig.server.current_tick() == before {
            self.step();
        }
        self.handle_events();
        self.play();
    }

    /// Advances a part of a tick, and observes the clients.
    fn step(&mut self) {
        let links: Vec<Duplex> = match self.observers.is_empty() {
            true => Vec::new(),
            false => self.rig.seats.iter().map(|seat| seat.link.clone()).collect(),
        };
        self.rig.step();
        let (now, game) = (self.rig.now(), self.rig.server.simulation().now());
        for ((observer, seat), link) in self.observers.iter_mut().zip(&mut self.rig.seats).zip(links) {
            observer.count_datagrams(&self.dictionary, link, now);
            observer.handle_events(&mut seat.client, game);
        }
    }

    /// Events of the server since the last call: gives fighters to clients that joined, logs rejections, and
    /// keeps and logs events of the game. Events of clients are dropped.
    fn handle_events(&mut self) {
        self.events.clear();
        while let Some(event) = self.rig.server.poll_event() {
            match event {
                ServerEvent::Joined { client, peer, .. } => {
                    let seat = self.rig.seats.iter().position(|seat| seat.peer() == peer);
                    let owned = ROSTER.iter().zip(&self.fighters);
                    let owned =
                        owned.filter(|(entry, _)| seat.map(PlayedBy::Client) == Some(entry.played_by));
                    for (_, id) in owned {
                        self.rig.server.give(*id, client);
                    }
                }
                ServerEvent::Rejected { client, rejection } => {
                    let seat = self.rig.seats.iter().position(|seat| seat.client.id() == Some(client));
                    let who = seat.and_then(played_at);
                    self.event_log.rejected(self.rig.now(), who, rejection);
                }
                ServerEvent::Game(event) => self.events.push(event),
                _ => {}
            }
        }
        self.event_count += self.events.len() as u64;
        for event in &self.events {
            self.event_log.record(event, &self.fighters);
        }
        for seat in &mut self.rig.seats {
            // The demo draws the server's state, so client events are dropped.
            while seat.client.poll_event().is_some() {}
        }
    }

    /// Makes the bots act: at the server directly, at a client through the network.
    fn play(&mut self) {
        let (now, bot_tags) = (self.rig.now(), self.bot_tags);
        for (number, entry) in ROSTER.iter().enumerate() {
            let bot = &mut self.bots[number];
            let foes = ROSTER.iter().zip(&self.fighters).filter(|(foe, _)| foe.team != entry.team);
            let foes = foes.map(|(_, id)| *id);
            match entry.played_by {
                PlayedBy::Server => {
                    let simulation = self.rig.server.simulation();
                    let wish = bot.decide(now, simulation, self.fighters[number], foes, bot_tags);
                    if let Some((ability, request)) = wish {
                        // The bot has just checked that it can.
                        let _ = self.rig.server.simulation_mut().activate_with(ability, request);
                    }
                }
                PlayedBy::Client(seat) => {
                    let client = &mut self.rig.seats[seat].client;
                    let Some(own) = client.own_controllers().next() else { continue };
                    let foes: Vec<ControllerId> = foes.filter_map(|foe| client.local(foe)).collect();
                    let wish = bot.decide(now, client.simulation(), own, foes.into_iter(), bot_tags);
                    if let Some((ability, request)) = wish {
                        let name = ability_name(client.simulation(), ability);
                        // If the client cannot send it now, the bot tries again later.
                        if let Ok(key) = client.activate(ability, request)
                            && let Some(observer) = self.observers.get_mut(seat)
                        {
                            observer.command_sent(key, &name);
                        }
                    }
                }
            }
        }
    }
}

/// Number of the fighter that is played at a client.
pub(super) fn played_at(seat: usize) -> Option<usize> {
    ROSTER.iter().position(|entry| entry.played_by == PlayedBy::Client(seat))
}

/// Name of a granted ability; empty if it is no longer granted.
fn ability_name(simulation: &Simulation, ability: GrantedAbilityId) -> String {
    let granted = simulation.ability(ability).map(|granted| granted.ability());
    granted.map_or_else(String::new, |id| simulation.catalog().ability_name(id).to_owned())
}

/// Rules of the built-in pack, without its scenarios.
fn catalog() -> anyhow::Result<Arc<Catalog>> {
    let definitions = PACK.iter().filter(|(name, _)| !name.starts_with("scenarios/"));
    let files = definitions.fold(Loader::new(), |loader, (name, text)| loader.text(*name, *text));
    Ok(files.as_set().load().context("the built-in pack cannot be loaded")?.catalog)
}

#[cfg(test)]
mod tests {
    use ugas_inspect::{Correction, CorrectionCause};

    use super::*;

    fn played(seed: u64, link: &str, seconds: f64) -> Battle {
        let mut battle = Battle::new(seed, link).unwrap();
        while battle.now() < Time::ZERO + Span::seconds(seconds) {
            battle.tick();
        }
        battle
    }

    #[test]
    fn same_seed_gives_the_same_match() {
        let hash = |seed| played(seed, "bad", 4.0).simulation().state_hash();
        assert_eq!(hash(3), hash(3));
        assert_ne!(hash(3), hash(4));
    }

    #[test]
    fn both_clients_play_over_a_bad_link() {
        let battle = played(7, "bad", 8.0);
        for seat in 0..SEATS {
            let client = battle.client(seat);
            assert_eq!(client.own_controllers().count(), 1);
            assert!(client.statistics().confirmed > 3, "{:?}", client.statistics());
            // 100 ms there and 100 ms back, at least.
            assert!(client.round_trip() >= Span::millis(200), "{:?}", client.round_trip());
        }
        assert!(battle.event_count > 0);
    }

    #[test]
    fn observing_the_network_counts_every_byte_and_changes_nothing() {
        for link in ["perfect", "bad"] {
            let mut battle = Battle::new(7, link).unwrap();
            battle.observe_network();
            let mut corrections = Vec::new();
            while battle.now() < Time::ZERO + Span::seconds(8.0) {
                battle.tick();
                corrections
                    .extend((0..SEATS).flat_map(|seat| battle.observer(seat).unwrap().take_corrections()));
            }
            let alone = played(7, link, 8.0);
            assert_eq!(battle.simulation().state_hash(), alone.simulation().state_hash());
            for seat in 0..SEATS {
                let received = battle.client(seat).statistics().received_bytes;
                let traffic = battle.observer(seat).unwrap().traffic();
                assert_eq!(traffic.received_bytes(), received);
                let classes = traffic.received_classes();
                assert!(classes.iter().all(|(_, bytes)| *bytes > 0), "{classes:?}");
            }
            let corrected: u64 = (0..SEATS).map(|seat| alone.client(seat).statistics().mispredicted).sum();
            assert!(corrections.len() as u64 >= corrected / 2, "{corrected}: {corrections:?}");
            if link == "bad" {
                // Rejected commands had been predicted: a cooldown, or a cost.
                let rejected = |correction: &&Correction| correction.cause != CorrectionCause::Mispredicted;
                let undone =
                    corrections.iter().filter(rejected).flat_map(|correction| &correction.differences);
                assert!(undone.count() > 0, "{corrections:?}");
                // Others hit the heroes, which no client can predict.
                let health = corrections.iter().flat_map(|correction| &correction.differences);
                assert!(
                    health.filter(|difference| difference.what == "Health").count() > 0,
                    "{corrections:?}"
                );
            }
        }
    }
}
