//! `ugas connect`.

mod bot;
mod event_lines;
mod headless;
mod outcome;
mod player;
mod screen;
mod script;
mod session;
mod terminal;
mod view;

use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use clap::Args;
use ugas_core::catalog::Catalog;
use ugas_core::time::Span;
use ugas_netsim::link::Conditions;
use ugas_transport::{Admission, ConnectToken};

use self::outcome::SessionOutcome;
use self::player::Player;
use self::script::Script;
use self::session::{AccessKind, Session};
use crate::Status;
use crate::online::{self, JoinRequest, StopSignal};
use crate::output::Format;

/// Prefix of every token.
const TOKEN: &str = "ugas-token-";

/// Joins a server as a client with prediction
///
/// At a terminal it opens a screen: number keys use abilities, Tab chooses the target, Q leaves. Without a
/// terminal, events are printed line by line. With --bot a script plays.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ugas connect 127.0.0.1:8427 --pack packs/spells
  ugas connect localhost --pack packs/spells --name Ada --template Mage
  ugas connect ugas-token-1.AQB… --pack packs/spells      with the line that the server printed
  ugas connect 127.0.0.1:8427 --pack packs/spells --latency 200 --loss 5
  ugas connect 127.0.0.1:8427 --pack packs/spells --bot duel.yaml --format json

A script is a YAML file with a list of steps:
  Steps:
    - Activate: { Ability: GA_Fireball, Target: Ogre }    a template, its number, Any or Self
    - Expect: { Attributes: { Mana: 70 }, Last: Ok, Within: 2 }
    - Wait: 1.5
    - Press: Ability.Slot.1                               and Release, Confirm, Decline, Cancel
    - Random: { Seconds: 10, Seed: 7 }

Exit status: 0 success, 1 negative result (refused, an expectation failed), 2 usage error.")]
pub(crate) struct Arguments {
    /// Address of the server, or the token that it printed
    #[arg(value_name = "ADDR|TOKEN")]
    server: String,
    /// Pack; must be the same as the server's
    #[arg(long, value_name = "PACK")]
    pack: PathBuf,
    /// Name of the player; a token's name takes precedence
    #[arg(long, value_name = "NAME", default_value = "player", value_parser = online::player_name)]
    name: String,
    /// Template of the player; by default, the server's choice
    #[arg(long, value_name = "NAME")]
    template: Option<String>,
    /// Script that plays instead of a person
    #[arg(long, value_name = "SCRIPT")]
    bot: Option<PathBuf>,
    /// Leave after this many seconds
    #[arg(long = "for", value_name = "SECONDS", value_parser = online::seconds)]
    duration: Option<Duration>,
    /// Simulated additional round-trip time in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 0.0, value_parser = latency)]
    latency: f64,
    /// Simulated loss of datagrams in percent, each way
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0, value_parser = percent)]
    loss: f64,
    /// Time for which a lost connection is reconnected; 0 never
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = online::seconds)]
    reconnect: Duration,
    /// Output format: lines as events happen, or one JSON document at the end
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Runs `ugas connect`: plays a session by a script, on the terminal, or just printing events. Negative if
/// the rules do not load, the server refuses, the connection is lost, or a step of the script fails.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Status> {
    let Some(pack) = online::rules(&arguments.pack)? else { return Ok(Status::Negative) };
    let catalog = pack.catalog;
    let script = arguments.bot.as_deref().map(|file| Script::read(file, &catalog)).transpose()?;
    let (token, access) = token(&arguments.server, &catalog)?;
    let stop = StopSignal::on_signals()?;
    let request = JoinRequest { name: arguments.name.clone(), template: arguments.template.clone() };
    let session =
        Session::begin(token, access, catalog, &request, arguments.reconnect, conditions(arguments))?;
    let mut player = Player::new(session, stop, arguments.duration);
    let failures = match script {
        Some(script) => bot::play(&mut player, &script)?,
        None if crate::terminal::is_interactive() && arguments.format == Format::Text => {
            terminal::play(&mut player)?;
            Vec::new()
        }
        None => {
            headless::play(&mut player, arguments.format)?;
            Vec::new()
        }
    };
    let outcome = SessionOutcome::of(&mut player, failures);
    outcome.print(arguments.format)?;
    Ok(outcome.status())
}

/// The simulated network conditions, if any are requested.
fn conditions(arguments: &Arguments) -> Option<Conditions> {
    let Arguments { latency, loss, .. } = arguments;
    let is_perfect = *latency <= 0.0 && *loss <= 0.0;
    // Half of the round trip each way.
    let delay = Span::seconds(latency / 2_000.0);
    (!is_perfect).then(|| Conditions { delay, loss: loss / 100.0, ..Conditions::perfect() })
}

/// The given token, or a self-issued one for a server without secrets.
fn token(server: &str, catalog: &Catalog) -> anyhow::Result<(ConnectToken, AccessKind)> {
    if server.starts_with(TOKEN) {
        return Ok((ConnectToken::from_text(server)?, AccessKind::Token));
    }
    let address = address(server)?;
    let admission = Admission::new(online::random_number(), address);
    Ok((ConnectToken::without_secrets(online::protocol(catalog), &admission)?, AccessKind::Open))
}

/// An address, a name with a port, or a name alone.
fn address(text: &str) -> anyhow::Result<SocketAddr> {
    let expected = "give an address such as 127.0.0.1:8427, or the token that the server printed";
    let (host, port) = match text.parse() {
        Ok(SocketAddr::V4(address)) => (address.ip().to_string(), address.port()),
        Ok(SocketAddr::V6(address)) => (address.ip().to_string(), address.port()),
        Err(_) => parts(text).with_context(|| format!("`{text}` is not an address: {expected}"))?,
    };
    ensure!(port != 0, "`{text}` is not an address: port 0 cannot be connected to");
    let found = (host.as_str(), port).to_socket_addrs();
    let mut found =
        found.with_context(|| format!("the host name `{host}` cannot be resolved: {expected}"))?;
    // Servers listen on IPv4 by default.
    let first = found.next().with_context(|| format!("`{text}` has no address"))?;
    Ok(if first.is_ipv4() { first } else { found.find(SocketAddr::is_ipv4).unwrap_or(first) })
}

/// The host name and port of a text that is not a plain address. Typing errors are reported as such instead
/// of being looked up as names.
fn parts(text: &str) -> anyhow::Result<(String, u16)> {
    if let Some((scheme, _)) = text.split_once("://") {
        bail!("leave out `{scheme}://`");
    }
    let bare = text.trim_matches(['[', ']']);
    if let Ok(ip) = bare.parse::<IpAddr>() {
        return Ok((ip.to_string(), online::DEFAULT_PORT));
    }
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) => {
            let port = port.parse().ok().filter(|port| *port != 0);
            (
                host,
                port.with_context(|| "the port after the colon must be a number from 1 to 65535".to_owned())?,
            )
        }
        None => (text, online::DEFAULT_PORT),
    };
    ensure!(!host.is_empty(), "the host before the colon is missing");
    let is_numeric = host.chars().all(|letter| letter.is_ascii_digit() || letter == '.');
    ensure!(!is_numeric, "`{host}` must be four numbers from 0 to 255, separated by dots");
    let is_name = |letter: char| letter.is_alphanumeric() || "-_.".contains(letter);
    ensure!(host.chars().all(is_name), "`{host}` is not a host name");
    Ok((host.to_owned(), port))
}

/// Parses milliseconds of simulated latency, from 0 to 10,000.
fn latency(text: &str) -> Result<f64, String> {
    bounded(text, 10_000.0)
}

/// Parses a share of datagrams in percent, from 0 to 100.
fn percent(text: &str) -> Result<f64, String> {
    bounded(text, 100.0)
}

/// Parses a number from 0 to `most`; the error completes clap's message.
fn bounded(text: &str, most: f64) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "is not a number".to_owned())?;
    if (0.0..=most).contains(&value) { Ok(value) } else { Err(format!("must be from 0 to {most}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_need_no_port() {
        assert_eq!(address("127.0.0.1:9000").unwrap(), "127.0.0.1:9000".parse().unwrap());
        assert_eq!(address("127.0.0.1").unwrap(), "127.0.0.1:8427".parse().unwrap());
        assert_eq!(address("[::1]:9000").unwrap(), "[::1]:9000".parse().unwrap());
        assert_eq!(address("[::1]").unwrap(), "[::1]:8427".parse().unwrap());
        assert_eq!(address("::1").unwrap(), "[::1]:8427".parse().unwrap());
        assert!(address("127.0.0.1:port:").is_err());
    }

    #[track_caller]
    fn check_slip(text: &str, words: &str) {
        let problem = format!("{:#}", address(text).unwrap_err());
        assert!(problem.contains(words) && problem.contains(text), "{problem}");
        assert!(!problem.contains("lookup"), "{problem}");
    }

    #[test]
    fn mistyped_addresses_are_not_looked_up() {
        check_slip("127.0.0.1:84277", "a number from 1 to 65535");
        check_slip("127.0.0.1:", "a number from 1 to 65535");
        check_slip("127.0.0.1:0", "port 0");
        check_slip("localhost:port", "a number from 1 to 65535");
        check_slip(":8427", "is missing");
        check_slip("127.0.0:8427", "four numbers");
        check_slip("127.0.0.300", "four numbers");
        check_slip("8427", "four numbers");
        check_slip("udp://127.0.0.1:8427", "leave out `udp://`");
        check_slip("127.0.0.1 8427", "not a host name");
        check_slip("ugas-tokem-1.AQB/x", "not a host name");
        check_slip("", "is missing");
    }

    #[test]
    fn numbers_are_bounded() {
        assert_eq!(percent("12.5"), Ok(12.5));
        assert_eq!(percent("101"), Err("must be from 0 to 100".to_owned()));
        assert!(latency("-1").is_err() && latency("NaN").is_err());
    }
}
