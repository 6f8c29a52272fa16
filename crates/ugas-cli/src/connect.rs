//! `ugas connect`.

mod bot;
mod outcome;
mod plain;
mod player;
mod screen;
mod script;
mod session;
mod terminal;
mod view;
mod words;

use std::io::IsTerminal;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use clap::Args;
use ugas_core::catalog::Catalog;
use ugas_core::time::Span;
use ugas_net::link::Conditions;
use ugas_transport::{Admission, ConnectToken};

use self::outcome::Outcome;
use self::player::Player;
use self::script::Script;
use self::session::{Entry, Session};
use crate::Status;
use crate::online::{self, Introduction, Stop};
use crate::output::Format;

/// How every token begins.
const TOKEN: &str = "ugas-token-";

/// Joins a server, and predicts what its player does
///
/// At a terminal there is a screen: number keys use abilities, Tab chooses the target, Q leaves. Elsewhere what happens is
/// printed line by line. With --bot a script plays.
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

Exit status: 0 fine, 1 the answer is no (refused, an expectation failed), 2 wrong use.")]
pub(crate) struct Arguments {
    /// The address of the server, or the token that it printed
    #[arg(value_name = "ADDR|TOKEN")]
    server: String,
    /// The pack, which must be the server's
    #[arg(long, value_name = "PACK")]
    pack: PathBuf,
    /// What the player is called; a token's name is stronger
    #[arg(long, value_name = "NAME", default_value = "player", value_parser = online::player_name)]
    name: String,
    /// What the player would like to be; without it, the server chooses
    #[arg(long, value_name = "NAME")]
    template: Option<String>,
    /// A script that plays
    #[arg(long, value_name = "SCRIPT")]
    bot: Option<PathBuf>,
    /// Leaves after so many seconds
    #[arg(long = "for", value_name = "SECONDS", value_parser = online::seconds)]
    duration: Option<Duration>,
    /// Lets datagrams take so many milliseconds longer, there and back together
    #[arg(long, value_name = "MS", default_value_t = 0.0, value_parser = latency)]
    latency: f64,
    /// Loses so many of a hundred datagrams, each way
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0, value_parser = percent)]
    loss: f64,
    /// What to print; one document with the outcome at the end, or lines as it goes
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Status> {
    let Some(pack) = online::rules(&arguments.pack)? else { return Ok(Status::No) };
    let catalog = pack.catalog;
    let script = arguments.bot.as_deref().map(|file| Script::read(file, &catalog)).transpose()?;
    let (token, entry) = token(&arguments.server, &catalog)?;
    let stop = Stop::on_signals()?;
    let introduction = Introduction { name: arguments.name.clone(), template: arguments.template.clone() };
    let session = Session::begin(token, entry, catalog, &introduction, conditions(arguments))?;
    let mut player = Player::new(session, stop, arguments.duration);
    let is_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let failures = match script {
        Some(script) => bot::play(&mut player, &script)?,
        None if is_terminal && arguments.format == Format::Text => {
            terminal::play(&mut player)?;
            Vec::new()
        }
        None => {
            plain::play(&mut player, arguments.format)?;
            Vec::new()
        }
    };
    let outcome = Outcome::of(&mut player, failures);
    outcome.print(arguments.format)?;
    Ok(outcome.status())
}

/// How the simulated part of the way is.
fn conditions(arguments: &Arguments) -> Option<Conditions> {
    let Arguments { latency, loss, .. } = arguments;
    let is_perfect = *latency <= 0.0 && *loss <= 0.0;
    // Half of the time each way.
    let delay = Span::seconds(latency / 2_000.0);
    (!is_perfect).then(|| Conditions { delay, loss: loss / 100.0, ..Conditions::perfect() })
}

/// A token as it was given, or one of our own for a server without secrets.
fn token(server: &str, catalog: &Catalog) -> anyhow::Result<(ConnectToken, Entry)> {
    if server.starts_with(TOKEN) {
        return Ok((ConnectToken::from_text(server)?, Entry::Token));
    }
    let address = address(server)?;
    let admission = Admission::new(online::drawn_number(), address);
    Ok((ConnectToken::without_secrets(online::protocol(catalog), &admission)?, Entry::Openly))
}

/// An address, a name with a port, or a name alone.
fn address(text: &str) -> anyhow::Result<SocketAddr> {
    let expected = "give an address such as 127.0.0.1:8427, or the token that the server printed";
    let (host, port) = match text.parse() {
        Ok(SocketAddr::V4(address)) => (address.ip().to_string(), address.port()),
        Ok(SocketAddr::V6(address)) => (address.ip().to_string(), address.port()),
        Err(_) => parts(text).with_context(|| format!("`{text}` is no address: {expected}"))?,
    };
    ensure!(port != 0, "`{text}` is no address: nobody listens on port 0");
    let found = (host.as_str(), port).to_socket_addrs();
    let mut found = found.with_context(|| format!("no machine is known by the name `{host}`: {expected}"))?;
    // Servers listen on version 4 unless they are told otherwise.
    let first = found.next().with_context(|| format!("`{text}` has no address"))?;
    Ok(if first.is_ipv4() { first } else { found.find(SocketAddr::is_ipv4).unwrap_or(first) })
}

/// The name and the port of what is no plain address. Only what can be a name is looked up: a slip of the finger is told as
/// what it is.
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
            (host, port.with_context(|| "its port, after the colon, is a number from 1 to 65535".to_owned())?)
        }
        None => (text, online::DEFAULT_PORT),
    };
    ensure!(!host.is_empty(), "the machine before the colon is missing");
    let is_numeric = host.chars().all(|letter| letter.is_ascii_digit() || letter == '.');
    ensure!(!is_numeric, "`{host}` is not four numbers from 0 to 255 with dots between them");
    let is_name = |letter: char| letter.is_alphanumeric() || "-_.".contains(letter);
    ensure!(host.chars().all(is_name), "`{host}` is no name of a machine");
    Ok((host.to_owned(), port))
}

fn latency(text: &str) -> Result<f64, String> {
    bounded(text, 10_000.0)
}

fn percent(text: &str) -> Result<f64, String> {
    bounded(text, 100.0)
}

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
    fn slips_of_the_finger_are_no_names_to_look_up() {
        check_slip("127.0.0.1:84277", "a number from 1 to 65535");
        check_slip("127.0.0.1:", "a number from 1 to 65535");
        check_slip("127.0.0.1:0", "port 0");
        check_slip("localhost:port", "a number from 1 to 65535");
        check_slip(":8427", "is missing");
        check_slip("127.0.0:8427", "four numbers");
        check_slip("127.0.0.300", "four numbers");
        check_slip("8427", "four numbers");
        check_slip("udp://127.0.0.1:8427", "leave out `udp://`");
        check_slip("127.0.0.1 8427", "no name of a machine");
        check_slip("ugas-tokem-1.AQB/x", "no name of a machine");
        check_slip("", "is missing");
    }

    #[test]
    fn numbers_are_bounded() {
        assert_eq!(percent("12.5"), Ok(12.5));
        assert_eq!(percent("101"), Err("must be from 0 to 100".to_owned()));
        assert!(latency("-1").is_err() && latency("NaN").is_err());
    }
}
