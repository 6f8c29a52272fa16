//! A fight behind a server, and a client that watches.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use ugas::core::replica::Piece;
use ugas::net::quantise::Quantiser;
use ugas::net::wire::Dictionary;
use ugas::net::{
    Client, ClientConfig, Ownership, PeerId, Server, ServerConfig, ServerEvent, TickLength, Transmit,
    Visibility,
};
use ugas::{Config, ControllerId, Simulation, Span, TagId, Time};

use super::trace::Trace;
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
    /// Units that the client sees; the first is its own.
    pub(crate) in_view: Vec<usize>,
}

const PEER: PeerId = PeerId(1);
/// One-way latency.
const DELAY: Span = Span::millis(25);
/// Deliveries per tick.
const STEPS: u32 = 4;
/// Warm-up time of the client before measuring.
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

/// A fight behind a server, and a client that watches.
pub(crate) struct Stage<H> {
    host: H,
    setting: Setting,
    /// The game while commands are issued; otherwise its simulation is in the server.
    game: Ours,
    server: Server,
    client: Client,
    dictionary: Dictionary,
    now: Time,
    tick: u32,
    frame: u32,
    to_client: VecDeque<(Time, Vec<u8>)>,
    to_server: VecDeque<(Time, Vec<u8>)>,
    /// Visible states in flight to the client.
    under_way: VecDeque<(Time, Vec<VisibleState>)>,
    /// Visible states that arrived last.
    arrived: Vec<VisibleState>,
    /// Effect that restores all health.
    rise: usize,
}

impl<H: Host> Stage<H> {
    /// Starts the fight, warms it up and connects the client.
    pub(crate) fn new(mut host: H, setting: Setting) -> Self {
        let mut rules = host.rules();
        for (name, value, _) in &mut rules.attributes {
            if *name == "Health" {
                *value = setting.health;
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
        let config = ClientConfig { dictionary: Some(dictionary.clone()), ..ClientConfig::default() };
        let client = Client::new(catalog, config, 1);
        let mut stage = Self {
            host,
            setting,
            game,
            server,
            client,
            dictionary,
            now: Time::ZERO,
            tick: 0,
            frame: 0,
            to_client: VecDeque::new(),
            to_server: VecDeque::new(),
            under_way: VecDeque::new(),
            arrived: Vec::new(),
            rise,
        };
        let ticks = stage.host.warm_up() * stage.setting.rate / FRAMES;
        for _ in 0..ticks {
            stage.play_tick();
        }
        stage
    }

    /// Trace of the updates to the client for some seconds.
    pub(crate) fn watch(mut self, seconds: u32) -> Trace {
        let own = self.game.world.units[self.setting.in_view[0]];
        let mut trace = Trace::new(self.dictionary.clone(), self.setting.in_view.len(), own);
        for tick in 0..(SETTLING + seconds) * self.setting.rate {
            trace.is_counting = tick >= SETTLING * self.setting.rate;
            self.connected_tick(&mut trace);
        }
        assert_eq!(self.client.own_controllers().count(), 1, "the client plays");
        assert_eq!(self.client.statistics().dropped, 0, "the client decodes every datagram");
        self.compare();
        trace
    }

    /// Tick times without a client.
    pub(crate) fn alone(mut self, seconds: u32) -> Timing {
        let (settling, counted) = (SETTLING * self.setting.rate, seconds * self.setting.rate);
        let step = Span::from_micros(1_000_000 / i64::from(self.setting.rate));
        let mut tick = || {
            self.now += step;
            self.play_tick()
        };
        for _ in 0..settling {
            tick();
        }
        Timing::mean(&(0..counted).map(|_| tick()).collect::<Vec<_>>())
    }

    /// Checks that the client shows the arrived state of others, up to quantisation and the maximum tag
    /// count. Its own units are predicted.
    fn compare(&self) {
        let mut others = 0;
        for (unit, arrived) in self.setting.in_view.iter().zip(&self.arrived).skip(1) {
            let local = self.client.local(self.game.world.units[*unit]).expect("the client knows it");
            let rounded = VisibleState {
                health: self.setting.shown_health.settle(arrived.health).expect("the value is in range"),
                mana: SHOWN_MANA.settle(arrived.mana).expect("the value is in range"),
                tags: arrived.tags.iter().map(|(tag, count)| (*tag, Piece::MOST_TAGS.min(*count))).collect(),
            };
            let shown = self.visible_state(self.client.simulation(), local);
            assert_eq!(shown, Some(rounded), "the client shows another state of unit {unit}");
            others += 1;
        }
        assert_eq!(others, self.setting.in_view.len() - 1, "a unit is missing on the client");
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

    fn connected_tick(&mut self, trace: &mut Trace) {
        let step = Span::from_micros(1_000_000 / i64::from(self.setting.rate) / i64::from(STEPS));
        for at in 0..STEPS {
            self.now += step;
            while let Some(bytes) = arrived(&mut self.to_server, self.now) {
                self.server.handle(self.now, PEER, &bytes);
            }
            if at == 0 {
                trace.spend(self.play_tick());
                while let Some(Transmit { bytes, .. }) = self.server.poll_transmit() {
                    trace.take(&bytes);
                    self.to_client.push_back((self.now + DELAY, bytes));
                }
                trace.end_tick();
                self.under_way.push_back((self.now + DELAY, self.in_view()));
            }
            while let Some(bytes) = arrived(&mut self.to_client, self.now) {
                self.client.handle(self.now, &bytes);
            }
            while let Some(states) = arrived(&mut self.under_way, self.now) {
                self.arrived = states;
            }
            self.client.update(self.now);
            while self.client.poll_event().is_some() {}
            while let Some(bytes) = self.client.poll_transmit() {
                self.to_server.push_back((self.now + DELAY, bytes));
            }
        }
    }

    /// Plays the frames of one server tick, and the tick; returns its duration.
    fn play_tick(&mut self) -> Duration {
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
        let spent = timed(|| self.server.tick(self.now));
        while let Some(event) = self.server.poll_event() {
            if let ServerEvent::Joined { client, .. } = event {
                let units = &self.game.world.units;
                self.server.give(units[self.setting.in_view[0]], client);
                for unit in &self.setting.in_view {
                    self.server.show(units[*unit], client);
                }
            }
        }
        spent
    }
}

fn arrived<T>(link: &mut VecDeque<(Time, T)>, now: Time) -> Option<T> {
    link.pop_front_if(|(at, _)| *at <= now).map(|(_, item)| item)
}
