//! Summary of a match, as text and JSON.

use std::fmt::Write;

use serde_json::{Map, Value, json};

use super::roster::{PlayedBy, TEAMS};
use super::view::{Connection, Fighter, MatchView};
use crate::output::{count, good};

/// The summary as text.
pub(super) fn text(view: &MatchView, hash: u64) -> String {
    let seconds = view.time.as_seconds();
    let [sun, moon] = view.score;
    let mut text = format!(
        "{} {sun:.0} : {moon:.0} {}   {seconds:.1} s, {} ticks, {}, seed {}\n\n",
        TEAMS[0],
        TEAMS[1],
        view.ticks,
        count(view.events as usize, "event"),
        view.seed,
    );
    let _ = writeln!(
        text,
        "{:<8} {:<7} {:<9} {:>9} {:>9} {:>6}",
        "hero", "class", "played by", "health", "mana", "falls"
    );
    for hero in &view.heroes {
        let mana = hero.mana.map_or_else(String::new, |(mana, most)| format!("{mana:.0}/{most:.0}"));
        let health = format!("{:.0}/{:.0}", hero.health, hero.max_health);
        let _ = writeln!(
            text,
            "{:<8} {:<7} {:<9} {health:>9} {mana:>9} {:>6.0}",
            hero.name,
            hero.class,
            played_by(hero.played_by),
            hero.falls
        );
    }
    let _ = writeln!(
        text,
        "\n{:<9} {:<7} {:>10} {:>10} {:>9} {:>10} {:>9} {:>9}",
        "client", "hero", "round trip", "confirmed", "rejected", "corrected", "received", "sent"
    );
    for (number, client) in view.connections.iter().enumerate() {
        let _ = writeln!(
            text,
            "{:<9} {:<7} {:>7.0} ms {:>10} {:>9} {:>10} {:>6.0} kB {:>6.0} kB",
            format!("client {}", number + 1),
            client.hero,
            client.round_trip_ms,
            client.confirmed,
            client.rejected,
            client.mispredicted,
            client.received_bytes as f64 / 1e3,
            client.sent_bytes as f64 / 1e3,
        );
    }
    let _ = writeln!(text, "\nstate hash {}   (the same for the same seed and time)", good(&hex(hash)));
    text
}

/// The summary as JSON.
pub(super) fn json(view: &MatchView, hash: u64) -> Value {
    json!({
        "seed": view.seed,
        "link": view.link,
        "seconds": view.time.as_seconds(),
        "ticks": view.ticks,
        "events": view.events,
        "score": { TEAMS[0]: view.score[0], TEAMS[1]: view.score[1] },
        "heroes": view.heroes.iter().map(fighter).collect::<Vec<_>>(),
        "minions": view.minions.iter().map(fighter).collect::<Vec<_>>(),
        "clients": view.connections.iter().map(client).collect::<Vec<_>>(),
        "hash": hex(hash),
    })
}

/// The side that plays a fighter, in a word.
pub(super) fn played_by(played_by: PlayedBy) -> String {
    match played_by {
        PlayedBy::Client(seat) => format!("client {}", seat + 1),
        PlayedBy::Server => "server".to_owned(),
    }
}

fn hex(hash: u64) -> String {
    format!("{hash:016x}")
}

fn fighter(fighter: &Fighter) -> Value {
    let mut value = json!({
        "name": fighter.name,
        "class": fighter.class,
        "team": TEAMS[fighter.team],
        "played_by": played_by(fighter.played_by),
        "health": fighter.health,
        "max_health": fighter.max_health,
        "falls": fighter.falls,
    });
    if let Some((mana, _)) = fighter.mana {
        value["mana"] = json!(mana);
    }
    value
}

fn client(client: &Connection) -> Value {
    let reasons = client.rejections.iter().map(|(why, count)| (format!("{why:?}"), json!(count)));
    json!({
        "hero": client.hero,
        "playing": client.is_playing,
        "round_trip_ms": client.round_trip_ms,
        "confirmed": client.confirmed,
        "rejected": client.rejected,
        "rejections": reasons.collect::<Map<_, _>>(),
        "corrected": client.mispredicted,
        "replayed_ticks": client.replayed,
        "received_bytes": client.received_bytes,
        "sent_bytes": client.sent_bytes,
    })
}
