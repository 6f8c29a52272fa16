//! [`MatchView`]: the state of a match, for the screen and the summary.

use ugas_core::handle::ControllerId;
use ugas_core::id::{AttributeId, TagId};
use ugas_core::time::Time;
use ugas_inspect::ClientReport;
use ugas_net::message::Rejection;

use super::battle::{Battle, played_at};
use super::event_log::LogLine;
use super::observer::ClientObserver;
use super::roster::{PlayedBy, ROSTER, SEATS, TEAMS};

/// An ability with its cooldown.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct AbilityStatus {
    pub(super) name: String,
    pub(super) cooldown: Option<Cooldown>,
    /// Whether it can be activated.
    pub(super) is_ready: bool,
}

/// A cooldown: remaining and total time, in seconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Cooldown {
    pub(super) left: f64,
    pub(super) whole: f64,
}

/// A fighter.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Fighter {
    pub(super) name: &'static str,
    pub(super) class: &'static str,
    pub(super) team: usize,
    pub(super) played_by: PlayedBy,
    pub(super) health: f64,
    pub(super) max_health: f64,
    pub(super) barrier: f64,
    /// Current and maximum mana; `None` for minions.
    pub(super) mana: Option<(f64, f64)>,
    pub(super) falls: f64,
    /// `Stunned`, `Burning` …
    pub(super) states: Vec<String>,
    pub(super) abilities: Vec<AbilityStatus>,
}

impl Fighter {
    pub(super) fn is_down(&self) -> bool {
        self.health <= 0.0
    }
}

/// A client and its network statistics.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Connection {
    pub(super) hero: &'static str,
    pub(super) team: usize,
    pub(super) is_playing: bool,
    pub(super) round_trip_ms: f64,
    /// Number of ticks that it predicts ahead of the server.
    pub(super) ahead: i64,
    pub(super) confirmed: u64,
    pub(super) rejected: u64,
    pub(super) mispredicted: u64,
    pub(super) replayed: u64,
    pub(super) received_bytes: u64,
    pub(super) sent_bytes: u64,
    pub(super) rejections: Vec<(Rejection, u32)>,
}

impl Connection {
    /// A report for the inspector, with the observed traffic and corrections.
    pub(super) fn report(self, seat: usize, observer: Option<&mut ClientObserver>) -> ClientReport {
        let rejections = self.rejections.iter();
        let (received_classes, sent_classes, corrections) = match observer {
            Some(observer) => {
                let traffic = observer.traffic();
                (traffic.received_classes(), traffic.sent_classes(), observer.take_corrections())
            }
            None => Default::default(),
        };
        ClientReport {
            name: format!("client {}", seat + 1),
            plays: self.hero.to_owned(),
            round_trip: self.is_playing.then_some(self.round_trip_ms),
            ahead: self.is_playing.then_some(self.ahead),
            received_bytes: self.received_bytes,
            sent_bytes: self.sent_bytes,
            received_classes,
            sent_classes,
            confirmed: Some(self.confirmed),
            rejected: self.rejected,
            corrected: Some(self.mispredicted),
            corrections,
            rejections: rejections.map(|(why, count)| (why.to_string(), u64::from(*count))).collect(),
        }
    }
}

/// The state of a match.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct MatchView {
    pub(super) time: Time,
    pub(super) seed: u64,
    pub(super) link: String,
    pub(super) ticks: u32,
    pub(super) events: u64,
    /// Number of enemies that each team has defeated.
    pub(super) score: [f64; 2],
    pub(super) heroes: Vec<Fighter>,
    pub(super) minions: Vec<Fighter>,
    pub(super) connections: Vec<Connection>,
    /// Lines of the event log, latest first.
    pub(super) lines: Vec<LogLine>,
}

impl MatchView {
    /// View of a battle as the server has it. A team scores for every fall of the other one.
    pub(super) fn of(battle: &Battle) -> Self {
        let names = Names::of(battle);
        let fighters = (0..ROSTER.len()).map(|number| fighter(battle, &names, number));
        let (heroes, minions): (Vec<_>, Vec<_>) = fighters.partition(|fighter| fighter.mana.is_some());
        let mut score = [0.0; TEAMS.len()];
        for fallen in heroes.iter().chain(&minions) {
            score[1 - fallen.team] += fallen.falls;
        }
        Self {
            time: battle.now(),
            seed: battle.seed,
            link: battle.link.clone(),
            ticks: battle.rig.server.current_tick().0,
            events: battle.event_count,
            score,
            heroes,
            minions,
            connections: (0..SEATS).map(|seat| connection(battle, seat)).collect(),
            lines: battle.event_log.latest().cloned().collect(),
        }
    }
}

/// Ids of the pack's definitions that are shown; `None` if the pack lacks one.
struct Names {
    health: Option<AttributeId>,
    max_health: Option<AttributeId>,
    barrier: Option<AttributeId>,
    mana: Option<AttributeId>,
    max_mana: Option<AttributeId>,
    falls: Option<AttributeId>,
    state: Option<TagId>,
}

impl Names {
    /// Ids of the attributes and tags that the view reads; `None` for those that the pack lacks.
    fn of(battle: &Battle) -> Self {
        let catalog = battle.simulation().catalog();
        let attribute = |name| catalog.attribute(name).ok();
        Self {
            health: attribute("Health"),
            max_health: attribute("MaxHealth"),
            barrier: attribute("Barrier"),
            mana: attribute("Mana"),
            max_mana: attribute("MaxMana"),
            falls: attribute("Falls"),
            state: catalog.tag("State").ok(),
        }
    }
}

/// View of the fighter at a place of the roster; attributes that it lacks are 0.
fn fighter(battle: &Battle, names: &Names, number: usize) -> Fighter {
    let (entry, id) = (&ROSTER[number], battle.fighters[number]);
    let simulation = battle.simulation();
    let value = |attribute: Option<AttributeId>| attribute.and_then(|it| simulation.current(id, it));
    Fighter {
        name: entry.name,
        class: entry.template,
        team: entry.team,
        played_by: entry.played_by,
        health: value(names.health).unwrap_or_default(),
        max_health: value(names.max_health).unwrap_or_default(),
        barrier: value(names.barrier).unwrap_or_default(),
        mana: value(names.mana).zip(value(names.max_mana)),
        falls: value(names.falls).unwrap_or_default(),
        states: states(battle, names, id),
        abilities: abilities(battle, id),
    }
}

/// Last parts of the tags below `State` that a fighter has.
fn states(battle: &Battle, names: &Names, id: ControllerId) -> Vec<String> {
    let registry = battle.simulation().catalog().tags();
    let (Some(tags), Some(state)) = (battle.simulation().tags(id), names.state) else { return Vec::new() };
    let below = tags.iter().filter(|(tag, _)| *tag != state && registry.is_within(*tag, state));
    below.map(|(tag, _)| last_part(registry.name(tag)).to_owned()).collect()
}

/// Abilities with a cooldown, without their prefix `GA_`; others are always ready and not shown.
fn abilities(battle: &Battle, id: ControllerId) -> Vec<AbilityStatus> {
    let simulation = battle.simulation();
    let abilities = simulation.controller(id).map(|known| known.abilities()).unwrap_or_default();
    let ability = |handle: &_| {
        let ability = simulation.catalog().ability_by_id(simulation.ability(*handle)?.ability())?;
        // Abilities without a cooldown are not shown.
        ability.cooldown_tags().iter().next()?;
        let cooldown = simulation.ability_cooldown(*handle);
        let cooldown =
            cooldown.map(|(left, whole)| Cooldown { left: left.as_seconds(), whole: whole.as_seconds() });
        let is_ready = simulation.is_ready(*handle);
        let name = ability.name();
        Some(AbilityStatus { name: name.strip_prefix("GA_").unwrap_or(name).to_owned(), cooldown, is_ready })
    };
    abilities.iter().filter_map(ability).collect()
}

/// A client and its current network statistics.
pub(super) fn connection(battle: &Battle, seat: usize) -> Connection {
    let (client, server) = (battle.client(seat), &battle.rig.server);
    let statistics = client.statistics();
    let hero = played_at(seat).map(|number| &ROSTER[number]);
    let rejections = client.id().into_iter().flat_map(|id| server.rejections(id));
    Connection {
        hero: hero.map_or("none", |hero| hero.name),
        team: hero.map_or(0, |hero| hero.team),
        is_playing: client.is_playing(),
        round_trip_ms: client.round_trip().as_seconds() * 1_000.0,
        ahead: match client.is_playing() {
            true => client.current_tick().since(server.current_tick()),
            false => 0,
        },
        confirmed: statistics.confirmed,
        rejected: statistics.rejected,
        mispredicted: statistics.mispredicted,
        replayed: statistics.replayed,
        received_bytes: statistics.received_bytes,
        sent_bytes: statistics.sent_bytes,
        rejections: rejections.collect(),
    }
}

/// `Stunned` of `State.Stunned`.
fn last_part(tag: &str) -> &str {
    tag.rsplit('.').next().unwrap_or(tag)
}
