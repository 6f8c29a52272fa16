//! What `ugas serve` and `ugas connect` have in common: the rules, the default address, how players introduce
//! themselves, and how both are told to stop.

use std::hash::{BuildHasher, RandomState};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;
use signal_hook::consts::{SIGINT, SIGTERM};
use ugas_core::catalog::Catalog;
use ugas_core::handle::AbilityHandle;
use ugas_core::id::TemplateId;
use ugas_core::simulation::Simulation;
use ugas_core::time::Time;
use ugas_data::Pack;
use ugas_data::diagnostics::render_all;
use ugas_data::model::Model;
use ugas_net::message::PROTOCOL;
use ugas_transport::ProtocolId;

use crate::output;

/// Where a server listens that was not told otherwise.
pub(crate) const DEFAULT_PORT: u16 = 8427;

/// Longest name of a player, in characters.
const LONGEST_NAME: usize = 32;
/// Longest name of a template that a client may ask for, in characters.
const LONGEST_TEMPLATE: usize = 64;

/// The address that both commands use if they are not told otherwise.
pub(crate) fn default_address() -> SocketAddr {
    SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), DEFAULT_PORT)
}

/// Where somebody wants to listen: a whole address, or a port of one that is understood.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    Address(SocketAddr),
    Port(u16),
}

impl Place {
    /// Reads `127.0.0.1:8427`, `:8427` or `8427`.
    ///
    /// # Errors
    /// Why it is none.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        if let Ok(address) = text.parse() {
            return Ok(Self::Address(address));
        }
        let port = text.strip_prefix(':').unwrap_or(text).parse();
        port.map(Self::Port).map_err(|_| {
            "is neither an address with a port, such as 127.0.0.1:8427, nor a port from 0 to 65535".to_owned()
        })
    }

    /// The address; a port alone is one of this machine's.
    pub(crate) fn on(self, ip: IpAddr) -> SocketAddr {
        match self {
            Self::Address(address) => address,
            Self::Port(port) => SocketAddr::new(ip, port),
        }
    }
}

/// Loads the rules. Without them, everything that is wrong was printed, as `ugas check` does.
///
/// # Errors
/// If there is nothing at the path.
pub(crate) fn rules(pack: &Path) -> anyhow::Result<Option<Pack>> {
    output::ensure_exists(pack)?;
    output::ensure_listable(pack)?;
    match ugas_data::load(pack) {
        Ok(pack) => Ok(Some(pack)),
        Err(error) => {
            eprint!("{}", render_all(&error.report, output::colour()));
            let errors = output::count(error.report.errors(), "error");
            eprintln!("`{}` is invalid: {errors}; `ugas check` has the same", pack.display());
            Ok(None)
        }
    }
}

/// What both sides must agree on before they talk.
pub(crate) fn protocol(catalog: &Catalog) -> ProtocolId {
    ProtocolId::of(PROTOCOL, catalog.hash())
}

/// The template that is written first.
pub(crate) fn first_template(pack: &Pack) -> Option<&str> {
    let written = pack.documents.iter().filter_map(|document| match &document.model {
        Model::Controller(controller) => controller.name.as_ref().map(|name| name.value.as_str()),
        _ => None,
    });
    let mut written = written.filter(|name| pack.catalog.template(name).is_ok());
    written.next().or_else(|| templates(&pack.catalog).next())
}

/// The templates of the rules, by name.
pub(crate) fn templates(catalog: &Catalog) -> impl Iterator<Item = &str> {
    let ids = (0..).map(TemplateId::from_index);
    let known = ids.take_while(|id| catalog.template_def(*id).is_some());
    known.map(|id| catalog.template_name(id))
}

/// Whether a player uses an ability, rather than an event (`Triggers`) alone: what has an input too is for both.
pub(crate) fn is_chosen(simulation: &Simulation, ability: AbilityHandle) -> bool {
    let Some(granted) = simulation.ability(ability) else { return false };
    let definition = simulation.catalog().ability_by_id(granted.ability());
    let has_trigger = definition.is_some_and(|definition| !definition.def().triggers.is_empty());
    !has_trigger || granted.input().is_some()
}

/// What a client says of itself when it asks to be let in: the credential of its session. Two lines of UTF-8, the name
/// and the template.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Introduction {
    /// What the player is called.
    pub(crate) name: String,
    /// What the player would like to be; the server's choice if there is none.
    pub(crate) template: Option<String>,
}

impl Introduction {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        format!("{}\n{}", self.name, self.template.as_deref().unwrap_or_default()).into_bytes()
    }

    /// Reads what a stranger sent: it is printed later, so nothing in it may command a terminal.
    ///
    /// # Errors
    /// What is wrong with it, for the client.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        let text = std::str::from_utf8(bytes).map_err(|_| "the introduction is not UTF-8".to_owned())?;
        let (name, template) = text.split_once('\n').unwrap_or((text, ""));
        let template = match template {
            "" => None,
            template => Some(checked(template, LONGEST_TEMPLATE, "the name of a template")?),
        };
        Ok(Self { name: player_name(name)?, template })
    }
}

/// A name for a player.
///
/// # Errors
/// Why it is none.
pub(crate) fn player_name(name: &str) -> Result<String, String> {
    checked(name, LONGEST_NAME, "a player's name")
}

fn checked(text: &str, most: usize, what: &str) -> Result<String, String> {
    let is_long = text.chars().count() > most;
    if text.trim().is_empty() || is_long || text.chars().any(char::is_control) {
        return Err(format!("{what} has 1 to {most} printable characters"));
    }
    Ok(text.to_owned())
}

/// A number that nobody can guess: for what tells one session from another, never for the game.
pub(crate) fn drawn_number() -> u64 {
    RandomState::new().hash_one(Instant::now())
}

/// A time after another one, as the network counts it.
pub(crate) fn time_since(start: Instant) -> Time {
    Time::from_micros(u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX))
}

/// Whether somebody wants the program to end: Ctrl-C, or whoever runs it as a service.
#[derive(Clone, Debug)]
pub(crate) struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Listens to the signals from now on. A second one ends the program at once.
    pub(crate) fn on_signals() -> anyhow::Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // In this order: the first signal finds the flag down, and only raises it.
            signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&stop))
                .and_then(|_| signal_hook::flag::register(signal, Arc::clone(&stop)))
                .context("signals cannot be listened to")?;
        }
        Ok(Self(stop))
    }

    /// Whether one came.
    pub(crate) fn is_wanted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A number of seconds for `--for`.
///
/// # Errors
/// Why it is none.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "is not a number".to_owned())?;
    if (0.0..=1e9).contains(&seconds) {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err("must be from 0 to 1000000000".to_owned())
    }
}

/// A path as a shell reads it.
pub(crate) fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    let is_plain = |letter: char| letter.is_alphanumeric() || "/._-+,:@\\".contains(letter);
    if text.chars().all(is_plain) { text.into_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn introductions_come_through() {
        for template in [None, Some("Mage".to_owned())] {
            let introduction = Introduction { name: "Ada Ärger".to_owned(), template };
            assert_eq!(Introduction::from_bytes(&introduction.to_bytes()), Ok(introduction));
        }
    }

    #[test]
    fn nobody_commands_the_server_s_terminal() {
        let long = "x".repeat(33);
        for name in ["", "  ", "\u{1b}[2J", "a\u{7}", long.as_str()] {
            let problem = Introduction::from_bytes(name.as_bytes());
            assert_eq!(
                problem,
                Err("a player's name has 1 to 32 printable characters".to_owned()),
                "{name:?}"
            );
        }
        assert!(Introduction::from_bytes(b"Ada\nMa\x1bge").is_err());
        assert!(Introduction::from_bytes(&[0xff]).is_err());
    }

    #[test]
    fn what_an_event_begins_is_not_for_players_to_choose() {
        let pack = ugas_data::load(concat!(env!("CARGO_MANIFEST_DIR"), "/../../packs/spells")).unwrap();
        let mut simulation = Simulation::new(pack.catalog, ugas_core::simulation::Config::default());
        let mage = simulation.spawn("Mage").unwrap();
        let abilities = simulation.controller(mage).unwrap().abilities().to_vec();
        let name = |ability: &AbilityHandle| {
            simulation.catalog().ability_name(simulation.ability(*ability).unwrap().ability()).to_owned()
        };
        let (chosen, others): (Vec<AbilityHandle>, Vec<AbilityHandle>) =
            abilities.iter().partition(|ability| is_chosen(&simulation, **ability));
        assert_eq!(chosen.iter().map(name).collect::<Vec<_>>(), ["GA_Fireball"]);
        assert_eq!(others.iter().map(name).collect::<Vec<_>>(), ["GA_FireballImpact"]);
        // With an input of its own, it is.
        simulation.bind_input(others[0], Some("Impact".into())).unwrap();
        assert!(is_chosen(&simulation, others[0]));
    }

    #[test]
    fn paths_can_be_pasted() {
        assert_eq!(quoted(Path::new("packs/spells")), "packs/spells");
        assert_eq!(quoted(Path::new("my game")), "'my game'");
        assert_eq!(quoted(Path::new("it's")), r"'it'\''s'");
    }

    #[test]
    fn a_port_is_a_place_to_listen_at() {
        let local = IpAddr::V4(Ipv4Addr::LOCALHOST);
        for (text, address) in [
            ("9000", "127.0.0.1:9000"),
            (":9000", "127.0.0.1:9000"),
            ("0.0.0.0:9000", "0.0.0.0:9000"),
            ("[::1]:0", "[::1]:0"),
        ] {
            assert_eq!(
                Place::read(text).map(|place| place.on(local)),
                Ok(address.parse().unwrap()),
                "{text}"
            );
        }
        for wrong in ["", ":", "99999", "127.0.0.1", "localhost:80", "packs/spells"] {
            assert!(Place::read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn seconds_are_bounded() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        assert!(seconds("-1").is_err() && seconds("inf").is_err() && seconds("soon").is_err());
    }
}
