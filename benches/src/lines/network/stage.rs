//! A fight behind a server, and clients that watch.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use ugas::core::replica::Piece;
use ugas::net::limits::MAX_DATAGRAM;
use ugas::net::quantise::Quantiser;
use ugas::net::wire::Dictionary;
use ugas::net::{
    Client, ClientConfig, Ownership, PeerId, Server, ServerConfig, ServerEvent, TickLength, Visibility,
};
use ugas::netsim::link::{Conditions, Duplex};
use ugas::{Config, ControllerId, Simulation, Span, TagId, Time};

use super::trace::Trace;
use crate::allocator;
use crate::measure::{Timing, timed};
use crate::workloads::Host;
use crate::workloads::game::{FRAMES, Game, Lasting, Ours, effect};

/// Network settings of a fight.
#[derive(Clone)]
pub(crate) struct Setting {
    /// Ticks in a second.
    pub(crate) rate: u32,
    /// Health and mana of each unit. Units never die in the workloads; here a dead unit is restored.
    pub(crate) health: f64,
    /// Quantiser of health for other clients.
    pub(crate) shown_health: Quantiser,
    /// Units that every client sees. The first client owns the first of them, the second client the second.
    pub(crate) in_view: Vec<usize>,
    /// Units that clients own; further clients are spectators.
    pub(crate) owned: usize,
    /// Probability that a datagram is lost, in both directions.
    pub(crate) loss: f64,
    /// Seconds of warm-up before measuring.
    pub(crate) settling: u32,
    /// Whether damage and healing depend on the health of the target, so that every amount is another.
    pub(crate) is_computed: bool,
}

impl Setting {
    /// A setting with one playing client, constant damage and no loss.
    pub(crate) fn new(rate: u32, health: f64, shown_health: Quantiser, in_view: Vec<usize>) -> Self {
        Self {
            rate,
            health,
            shown_health,
            in_view,
            owned: 1,
            loss: 0.0,
            settling: SETTLING,
            is_computed: false,
        }
    }

    fn conditions(&self) -> Conditions {
        Conditions { delay: DELAY, loss: self.loss, ..Conditions::perfect() }
    }
}

/// One-way latency.
const DELAY: Span = Span::millis(25);
/// Deliveries per tick.
const STEPS: u32 = 4;
/// Seconds of warm-up before measuring, and without loss before comparing.
const SETTLING: u32 = 3;

/// Quantiser of mana for other clients.
const SHOWN_MANA: Quantiser = Quantiser::Range { min: 0.0, max: 127.0, bits: 7 };

/// Visible state of a unit.
#[derive(PartialEq, Debug)]
struct VisibleState {
    health: f64,
    mana: f64,
    /// Tags with their counts.
    tags: Vec<(TagId, u32)>,
}

/// A client and its link.
struct Seat {
    client: Client,
    link: Duplex,
    peer: PeerId,
}

/// Work of the server in one tick: datagrams received, the tick, datagrams sent.
#[derive(Clone, Copy, Default)]
pub(crate) struct Load {
    pub(crate) time: Duration,
    pub(crate) allocations: u64,
}

impl Load {
    fn add(&mut self, work: impl FnOnce()) {
        let before = allocator::allocations();
        self.time += timed(work);
        self.allocations += allocator::allocations() - before;
    }
}

/// Result of a watched fight.
pub(crate) struct Watched {
    /// Updates to the first client.
    pub(crate) trace: Trace,
    /// Load of the server in each recorded tick.
    pub(crate) loads: Vec<Load>,
}

/// A fight behind a server, and clients that watch.
pub(crate) struct Stage<H> {
    host: H,
    setting: Setting,
    /// The game while commands are issued; otherwise its simulation is in the server.
    game: Ours,
    server: Server,
    seats: Vec<Seat>,
    dictionary: Dictionary,
    now: Time,
    tick: u32,
    frame: u32,
    /// Visible states in flight to the clients.
    under_way: VecDeque<(Time, Vec<VisibleState>)>,
    /// Visible states that arrived last.
    arrived: Vec<VisibleState>,
    /// Effect that restores all health.
    rise: usize,
}

impl<H: Host> Stage<H> {
    /// Starts the fight, warms it up and connects the clients.
    pub(crate) fn new(mut host: H, setting: Setting, clients: usize) -> Self {
        let mut rules = host.rules();
        for (name, value, _) in &mut rules.attributes {
            if *name == "Health" {
                *value = setting.health;
            }
        }
        if setting.is_computed {
            for rule in &mut rules.effects {
                rule.scale_by("Health", setting.health);
            }
        }
        let rise = rules.effects.len();
        rules.effects.push(effect("GE_Rise", Lasting::Instant).add("Health", setting.health));
        let mut game = Ours::new(&rules, host.units());
        host.begin(&mut game);
        let catalog = Arc::clone(game.world.sim.catalog());
        let (health, mana) = (game.world.attribute("Health"), game.world.attribute("Mana"));
        let dictionary = Dictionary::of(&catalog)
            .with_attribute(health, setting.shown_health)
            .and_then(|known| known.with_attribute(mana, SHOWN_MANA))
            .expect("the quantisers are valid");
        let config = ServerConfig {
            length: TickLength::hertz(setting.rate),
            max_clients: clients as u32,
            show_everything: false,
            dictionary: Some(dictionary.clone()),
            ..ServerConfig::default()
        };
        let stand_in = Simulation::new(Arc::clone(&catalog), Config::seeded(7));
        let mut server = Server::new(std::mem::replace(&mut game.world.sim, stand_in), config);
        let others = server.add_visibility(Visibility::minimal().with_attribute(health).with_attribute(mana));
        let own = server.add_visibility(Visibility::owner());
        for unit in &game.world.units {
            server.set_visibility(*unit, Ownership::Others, Some(others));
            server.set_visibility(*unit, Ownership::Mine, Some(own));
        }
        let seats = (1..=clients as u64).map(|number| {
            let config = ClientConfig { dictionary: Some(dictionary.clone()), ..ClientConfig::default() };
            let client = Client::new(Arc::clone(&catalog), config, number);
            Seat { client, link: Duplex::new(number, setting.conditions()), peer: PeerId(number) }
        });
        let seats = seats.collect();
        let mut stage = Self {
            host,
            setting,
            game,
            server,
            seats,
            dictionary,
            now: Time::ZERO,
            tick: 0,
            frame: 0,
            under_way: VecDeque::new(),
            arrived: Vec::new(),
            rise,
        };
        let ticks = stage.host.warm_up() * stage.setting.rate / FRAMES;
        for _ in 0..ticks {
            stage.play_commands();
            stage.play_tick();
        }
        stage
    }

    /// Updates to the first client and load of the server for some seconds.
    pub(crate) fn watch(mut self, seconds: u32) -> Watched {
        let own = self.game.world.units[self.setting.in_view[0]];
        let mut trace = Trace::new(self.dictionary.clone(), self.setting.in_view.len(), own);
        for _ in 0..self.setting.settling * self.setting.rate {
            self.connected_tick(&mut trace);
        }
        trace.is_counting = true;
        let ticks = seconds * self.setting.rate;
        let loads = (0..ticks).map(|_| self.connected_tick(&mut trace)).collect();
        if self.setting.loss > 0.0 {
            trace.is_counting = false;
            let lost: u64 = self.seats.iter().map(|seat| seat.link.to_client.counts().lost).sum();
            assert!(lost > 0, "no datagram was lost");
            for seat in &mut self.seats {
                let lossless = Conditions { loss: 0.0, ..self.setting.conditions() };
                seat.link.to_client.set_conditions(lossless);
                seat.link.to_server.set_conditions(lossless);
            }
            for _ in 0..SETTLING * self.setting.rate {
                self.connected_tick(&mut trace);
            }
        }
        for (at, seat) in self.seats.iter().enumerate() {
            let owned = usize::from(at < self.setting.owned);
            assert_eq!(seat.client.own_controllers().count(), owned, "client {at} plays");
            assert_eq!(seat.client.statistics().dropped, 0, "client {at} decodes every datagram");
            self.compare(at, &seat.client);
        }
        Watched { trace, loads }
    }

    /// Tick times without a client.
    pub(crate) fn alone(mut self, seconds: u32) -> Timing {
        let (settling, counted) = (SETTLING * self.setting.rate, seconds * self.setting.rate);
        let step = Span::from_micros(1_000_000 / i64::from(self.setting.rate));
        let mut tick = || {
            self.now += step;
            self.play_commands();
            self.play_tick()
        };
        for _ in 0..settling {
            tick();
        }
        Timing::mean(&(0..counted).map(|_| tick()).collect::<Vec<_>>())
    }

    /// Checks that a client shows the arrived state of others, up to quantisation and the maximum tag
    /// count. Its own unit is predicted.
    fn compare(&self, number: usize, client: &Client) {
        let mut others = 0;
        for (at, (unit, arrived)) in self.setting.in_view.iter().zip(&self.arrived).enumerate() {
            if at == number && number < self.setting.owned {
                continue;
            }
            let local = client.local(self.game.world.units[*unit]).expect("the client knows it");
            let rounded = VisibleState {
                health: self.setting.shown_health.settle(arrived.health).expect("the value is in range"),
                mana: SHOWN_MANA.settle(arrived.mana).expect("the value is in range"),
                tags: arrived.tags.iter().map(|(tag, count)| (*tag, Piece::MOST_TAGS.min(*count))).collect(),
            };
            let shown = self.visible_state(client.simulation(), local);
            assert_eq!(shown, Some(rounded), "client {number} shows another state of unit {unit}");
            others += 1;
        }
        let own = usize::from(number < self.setting.owned);
        assert_eq!(others, self.setting.in_view.len() - own, "a unit is missing on client {number}");
        assert!(self.arrived.iter().skip(1).any(|state| !state.tags.is_empty()), "no unit has tags");
    }

    fn visible_state(&self, simulation: &Simulation, controller: ControllerId) -> Option<VisibleState> {
        let current = |name| simulation.current(controller, self.game.world.attribute(name));
        let tags = simulation.tags(controller)?.iter().collect();
        Some(VisibleState { health: current("Health")?, mana: current("Mana")?, tags })
    }

    /// Visible states of all units in view.
    fn in_view(&self) -> Vec<VisibleState> {
        let of = |unit: &usize| self.visible_state(self.server.simulation(), self.game.world.units[*unit]);
        self.setting.in_view.iter().filter_map(of).collect()
    }

    /// One tick of the server and all clients. Preparing its commands is no load of the server.
    fn connected_tick(&mut self, trace: &mut Trace) -> Load {
        let step = Span::from_micros(1_000_000 / i64::from(self.setting.rate) / i64::from(STEPS));
        let mut load = Load::default();
        for at in 0..STEPS {
            self.now += step;
            for seat in &mut self.seats {
                while let Some(bytes) = seat.link.to_server.receive(self.now) {
                    load.add(|| self.server.handle(self.now, seat.peer, &bytes));
                }
            }
            if at == 0 {
                let before = allocator::allocations();
                self.play_commands();
                let commands = allocator::allocations() - before;
                let tick = self.play_tick();
                trace.spend(tick);
                load.time += tick;
                load.allocations += allocator::allocations() - before - commands;
                self.welcome();
                let mut sent = Vec::with_capacity(16 * self.seats.len());
                let mut bytes = Vec::with_capacity(16 * MAX_DATAGRAM * self.seats.len());
                load.add(|| {
                    self.server.visit_transmits(|peer, datagram| {
                        bytes.extend_from_slice(datagram);
                        sent.push((peer, datagram.len()));
                    });
                });
                let mut rest = bytes.as_slice();
                for (peer, length) in sent {
                    let (datagram, after) = rest.split_at(length);
                    rest = after;
                    match peer == self.seats[0].peer {
                        true if self.setting.loss == 0.0 => trace.take(datagram),
                        true => trace.count(datagram),
                        false => {}
                    }
                    self.seats[peer.0 as usize - 1].link.to_client.send(self.now, datagram);
                }
                trace.end_tick();
                self.under_way.push_back((self.now + DELAY, self.in_view()));
            }
            while let Some(states) = arrived(&mut self.under_way, self.now) {
                self.arrived = states;
            }
            for Seat { client, link, .. } in &mut self.seats {
                while let Some(bytes) = link.to_client.receive(self.now) {
                    client.handle(self.now, &bytes);
                }
                client.update(self.now);
                while client.poll_event().is_some() {}
                while let Some(bytes) = client.poll_transmit() {
                    link.to_server.send(self.now, &bytes);
                }
            }
        }
        load
    }

    /// Issues the commands of the frames of the next tick.
    fn play_commands(&mut self) {
        self.tick += 1;
        std::mem::swap(&mut self.game.world.sim, self.server.simulation_mut());
        while self.frame * self.setting.rate < self.tick * FRAMES {
            self.frame += 1;
            self.host.commands(&mut self.game, self.frame);
        }
        for unit in 0..self.host.units() {
            if self.game.current(unit, 0) <= 0.0 {
                self.game.apply(self.rise, unit, unit);
            }
        }
        std::mem::swap(&mut self.game.world.sim, self.server.simulation_mut());
    }

    /// Plays the tick of the server; returns its duration.
    fn play_tick(&mut self) -> Duration {
        timed(|| self.server.tick(self.now))
    }

    /// Gives new clients their units and view.
    fn welcome(&mut self) {
        while let Some(event) = self.server.poll_event() {
            if let ServerEvent::Joined { client, peer, .. } = event {
                let units = &self.game.world.units;
                let number = peer.0 as usize - 1;
                if number < self.setting.owned {
                    self.server.give(units[self.setting.in_view[number]], client);
                }
                for unit in &self.setting.in_view {
                    self.server.show(units[*unit], client);
                }
            }
        }
    }
}

fn arrived<T>(queue: &mut VecDeque<(Time, T)>, now: Time) -> Option<T> {
    queue.pop_front_if(|(at, _)| *at <= now).map(|(_, item)| item)
}
