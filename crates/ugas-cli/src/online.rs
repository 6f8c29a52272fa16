//! Parts shared by `ugas serve` and `ugas connect`: rules, the default address, join requests, and stop
//! signals.

use std::hash::{BuildHasher, RandomState};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;
use signal_hook::consts::{SIGINT, SIGTERM};
use ugas_core::catalog::Catalog;
use ugas_core::handle::GrantedAbilityId;
use ugas_core::id::TemplateId;
use ugas_core::simulation::Simulation;
use ugas_core::time::Time;
use ugas_data::Pack;
use ugas_data::diagnostics::render_all;
use ugas_data::model::Model;
use ugas_net::message::PROTOCOL;
use ugas_transport::ProtocolId;

use crate::{names, output};

/// Default port of a server.
pub(crate) const DEFAULT_PORT: u16 = 8427;

/// Maximum length of a player's name, in characters.
const MAX_NAME_LENGTH: usize = 32;
/// Maximum length of a requested template's name, in characters.
const MAX_TEMPLATE_LENGTH: usize = 64;

/// Default address of `serve` and `connect`: this machine only, so that a server is not open by accident.
pub(crate) fn default_address() -> SocketAddr {
    SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), DEFAULT_PORT)
}

/// An address to listen at, or a port alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ListenAddress {
    Address(SocketAddr),
    Port(u16),
}

impl ListenAddress {
    /// Reads `127.0.0.1:8427`, `:8427` or `8427`.
    ///
    /// # Errors
    /// If the text is neither.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        if let Ok(address) = text.parse() {
            return Ok(Self::Address(address));
        }
        let port = text.strip_prefix(':').unwrap_or(text).parse();
        port.map(Self::Port).map_err(|_| {
            "is neither an address with a port, such as 127.0.0.1:8427, nor a port from 0 to 65535".to_owned()
        })
    }

    /// The address; a port alone is completed with `ip`.
    pub(crate) fn with_default_ip(self, ip: IpAddr) -> SocketAddr {
        match self {
            Self::Address(address) => address,
            Self::Port(port) => SocketAddr::new(ip, port),
        }
    }
}

/// Loads the rules. If they are invalid, prints all problems, like `ugas check`, and returns `None`.
///
/// # Errors
/// If the path does not exist.
pub(crate) fn rules(pack: &Path) -> anyhow::Result<Option<Pack>> {
    output::ensure_exists(pack)?;
    output::ensure_listable(pack)?;
    match ugas_data::load(pack) {
        Ok(pack) => Ok(Some(pack)),
        Err(error) => {
            eprint!("{}", render_all(&error.report, crate::terminal::colour()));
            let errors = output::count(error.report.errors(), "error");
            eprintln!("`{}` is invalid: {errors}; run `ugas check` for details", pack.display());
            Ok(None)
        }
    }
}

/// The protocol that both sides must share.
pub(crate) fn protocol(catalog: &Catalog) -> ProtocolId {
    ProtocolId::of(PROTOCOL, catalog.hash())
}

/// The first template in the pack's files.
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

/// Whether players can use an ability. Abilities with `Triggers` are for events, unless they have an input,
/// too.
pub(crate) fn is_player_ability(simulation: &Simulation, ability: GrantedAbilityId) -> bool {
    let Some(granted) = simulation.ability(ability) else { return false };
    let definition = simulation.catalog().ability_by_id(granted.ability());
    let has_trigger = definition.is_some_and(|definition| !definition.def().triggers.is_empty());
    !has_trigger || granted.input().is_some()
}

/// A client's request to join, sent as the credential of its session: two lines of UTF-8, the name and the
/// template.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct JoinRequest {
    /// Name of the player.
    pub(crate) name: String,
    /// Requested template; `None` leaves the choice to the server.
    pub(crate) template: Option<String>,
}

impl JoinRequest {
    /// The request as the credential of a session; inverse of [`Self::from_bytes`].
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        format!("{}\n{}", self.name, self.template.as_deref().unwrap_or_default()).into_bytes()
    }

    /// Decodes a request. It is untrusted and printed later, so control characters are rejected.
    ///
    /// # Errors
    /// The problem, as a message to the client.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        let text = std::str::from_utf8(bytes).map_err(|_| "the join request is not UTF-8".to_owned())?;
        let (name, template) = text.split_once('\n').unwrap_or((text, ""));
        let template = match template {
            "" => None,
            template => Some(checked(template, MAX_TEMPLATE_LENGTH, "the name of a template")?),
        };
        Ok(Self { name: player_name(name)?, template })
    }
}

/// Checks a player's name.
///
/// # Errors
/// If it is empty, too long, or has characters that are not shown as themselves.
pub(crate) fn player_name(name: &str) -> Result<String, String> {
    checked(name, MAX_NAME_LENGTH, "a player's name")
}

/// Text of 1 to `most` printable characters; the error names `what` it is.
fn checked(text: &str, most: usize, what: &str) -> Result<String, String> {
    let is_long = text.chars().count() > most;
    if text.trim().is_empty() || is_long || text.contains(names::is_deceptive) {
        return Err(format!("{what} has 1 to {most} printable characters"));
    }
    Ok(text.trim().to_owned())
}

/// A random number, to distinguish sessions; never for the game itself.
pub(crate) fn random_number() -> u64 {
    RandomState::new().hash_one(Instant::now())
}

/// The time since `start`, in the network's unit.
pub(crate) fn time_since(start: Instant) -> Time {
    Time::from_micros(u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX))
}

/// A flag that signals to end the program set: Ctrl-C, or the signal of a service manager.
#[derive(Clone, Debug)]
pub(crate) struct StopSignal(Arc<AtomicBool>);

impl StopSignal {
    /// Installs the signal handlers. A second signal ends the program at once.
    pub(crate) fn on_signals() -> anyhow::Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // In this order: the first signal finds the flag unset and only sets it.
            signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&stop))
                .and_then(|_| signal_hook::flag::register(signal, Arc::clone(&stop)))
                .context("the signal handlers cannot be installed")?;
        }
        Ok(Self(stop))
    }

    /// Whether a signal has arrived.
    pub(crate) fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Parses a number of seconds for `--for`.
///
/// # Errors
/// If it is not a number from 0 to 1000000000.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "is not a number".to_owned())?;
    if (0.0..=1e9).contains(&seconds) {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err("must be from 0 to 1000000000".to_owned())
    }
}

/// A path, quoted for a shell if necessary.
pub(crate) fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    let is_plain = |letter: char| letter.is_alphanumeric() || "/._-+,:@\\".contains(letter);
    if text.chars().all(is_plain) { text.into_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn join_request_round_trips() {
        for template in [None, Some("Mage".to_owned())] {
            let request = JoinRequest { name: "Ada Ärger".to_owned(), template };
            assert_eq!(JoinRequest::from_bytes(&request.to_bytes()), Ok(request));
        }
    }

    #[test]
    fn join_request_with_control_characters_is_rejected() {
        let long = "x".repeat(33);
        for name in ["", "  ", "\u{1b}[2J", "a\u{7}", "a\u{202e}b", "a\u{200b}b", long.as_str()] {
            let problem = JoinRequest::from_bytes(name.as_bytes());
            assert_eq!(
                problem,
                Err("a player's name has 1 to 32 printable characters".to_owned()),
                "{name:?}"
            );
        }
        assert!(JoinRequest::from_bytes(b"Ada\nMa\x1bge").is_err());
        assert!(JoinRequest::from_bytes(&[0xff]).is_err());
    }

    #[test]
    fn triggered_abilities_without_input_are_not_for_players() {
        let pack = ugas_data::load(concat!(env!("CARGO_MANIFEST_DIR"), "/../../packs/spells")).unwrap();
        let mut simulation = Simulation::new(pack.catalog, ugas_core::simulation::Config::default());
        let mage = simulation.spawn("Mage").unwrap();
        let abilities = simulation.controller(mage).unwrap().abilities().to_vec();
        let name = |ability: &GrantedAbilityId| {
            simulation.catalog().ability_name(simulation.ability(*ability).unwrap().ability()).to_owned()
        };
        let (chosen, others): (Vec<GrantedAbilityId>, Vec<GrantedAbilityId>) =
            abilities.iter().partition(|ability| is_player_ability(&simulation, **ability));
        assert_eq!(chosen.iter().map(name).collect::<Vec<_>>(), ["GA_Fireball"]);
        assert_eq!(others.iter().map(name).collect::<Vec<_>>(), ["GA_FireballImpact"]);
        // With an input of its own, the ability is for players.
        simulation.bind_input(others[0], Some("Impact".into())).unwrap();
        assert!(is_player_ability(&simulation, others[0]));
    }

    #[test]
    fn paths_are_quoted_for_shells() {
        assert_eq!(quoted(Path::new("packs/spells")), "packs/spells");
        assert_eq!(quoted(Path::new("my game")), "'my game'");
        assert_eq!(quoted(Path::new("it's")), r"'it'\''s'");
    }

    #[test]
    fn port_alone_is_a_listen_address() {
        let local = IpAddr::V4(Ipv4Addr::LOCALHOST);
        for (text, address) in [
            ("9000", "127.0.0.1:9000"),
            (":9000", "127.0.0.1:9000"),
            ("0.0.0.0:9000", "0.0.0.0:9000"),
            ("[::1]:0", "[::1]:0"),
        ] {
            assert_eq!(
                ListenAddress::read(text).map(|address| address.with_default_ip(local)),
                Ok(address.parse().unwrap()),
                "{text}"
            );
        }
        for wrong in ["", ":", "99999", "127.0.0.1", "localhost:80", "packs/spells"] {
            assert!(ListenAddress::read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn seconds_are_bounded() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        assert!(seconds("-1").is_err() && seconds("inf").is_err() && seconds("soon").is_err());
    }
}
