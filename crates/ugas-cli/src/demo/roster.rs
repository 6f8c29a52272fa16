//! The fighters of the demo, their teams, and which side plays them.

use ugas_core::effect::Vector3;

/// Names of the teams.
pub(super) const TEAMS: [&str; 2] = ["Sun", "Moon"];

/// Number of clients.
pub(super) const SEATS: usize = 2;

/// The side that plays a fighter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PlayedBy {
    /// A bot at a client, by its number, over the network.
    Client(usize),
    /// A bot at the server.
    Server,
}

/// A fighter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) name: &'static str,
    /// The template of the pack.
    pub(super) template: &'static str,
    /// Index in [`TEAMS`].
    pub(super) team: usize,
    pub(super) position: Vector3,
    pub(super) played_by: PlayedBy,
}

impl Entry {
    pub(super) fn is_hero(&self) -> bool {
        self.template != MINION
    }
}

const MINION: &str = "Minion";

/// Fighter in a row of its team; the rows face each other.
const fn entry(
    name: &'static str,
    template: &'static str,
    team: usize,
    row: f64,
    played_by: PlayedBy,
) -> Entry {
    // Two rows that face each other, with the radius of a meteor between neighbours.
    let side = if team == 0 { 0.0 } else { 600.0 };
    Entry { name, template, team, position: [side, row * 200.0, 0.0], played_by }
}

/// All fighters.
pub(super) const ROSTER: [Entry; 10] = [
    entry("Ember", "Mage", 0, 1.0, PlayedBy::Client(0)),
    entry("Rook", "Knight", 0, 3.0, PlayedBy::Server),
    entry("Iris", "Mage", 1, 3.0, PlayedBy::Server),
    entry("Bram", "Knight", 1, 1.0, PlayedBy::Client(1)),
    entry("Sun minion 1", MINION, 0, 0.0, PlayedBy::Server),
    entry("Sun minion 2", MINION, 0, 2.0, PlayedBy::Server),
    entry("Sun minion 3", MINION, 0, 4.0, PlayedBy::Server),
    entry("Moon minion 1", MINION, 1, 0.0, PlayedBy::Server),
    entry("Moon minion 2", MINION, 1, 2.0, PlayedBy::Server),
    entry("Moon minion 3", MINION, 1, 4.0, PlayedBy::Server),
];
