//! `ugas serve`.

mod admission;
mod bots;
mod game;
mod host_tasks;
mod inspector;
mod recording;
mod server_host;
mod server_loop;
mod warnings;

use std::ffi::OsString;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, ensure};
use clap::{ArgGroup, Args};
use ugas_core::catalog::Catalog;
use ugas_core::random::stable_name_hash;
use ugas_data::Pack;
use ugas_net::TickLength;
use ugas_net::wire::Dictionary;
use ugas_transport::{
    Access, Admission, BindError, MAX_CLIENTS, ServerConfig, ServerKey, ServerSocket, TokenIssuer,
};

use self::game::Game;
use self::inspector::{Permission, ServerInspector};
use self::recording::ServerRecording;
use self::server_loop::ServerLoop;
use crate::online::{self, ListenAddress, StopSignal, quoted};
use crate::{Status, output};

/// Lifetime of printed tokens.
const TOKEN_LIFE: Duration = Duration::from_secs(60 * 60);

/// Runs a pack as an authoritative server, over an encrypted transport
///
/// Each player gets a controller of a template, and clients predict their actions. By default the server is
/// open to clients on this machine, without secrets; with --key clients need a token. Ctrl-C ends it and
/// disconnects the clients.
///
/// There is no game engine: host tasks complete at once, and projectiles always hit their target. Dead
/// characters respawn after three seconds.
#[derive(Args)]
#[command(
    group = ArgGroup::new("access").args(["key", "open", "open_to_network"]),
    after_help = "\
Examples:
  ugas serve packs/spells                               then, in another terminal:
  ugas connect 127.0.0.1:8427 --pack packs/spells
  ugas serve packs/spells --bots 2 --bot-template Ogre
  ugas serve packs/spells --key server.key --listen 0.0.0.0:8427 --public 203.0.113.7:8427 \\
      --token-for Ada --token-for Grace                 prints a line for each of them
  ugas serve packs/spells --inspect                     with the inspector, in a browser
  ugas serve packs/spells --listen 9000 --inspect=9001  at ports of your own
  ugas serve packs/spells --for 60 --record match.ugasrec
                                                        a minute, which `ugas replay` and `ugas inspect` show again"
)]
pub(crate) struct Arguments {
    /// Pack: a folder or a file
    #[arg(value_name = "PACK")]
    pack: PathBuf,
    /// Address to listen at; by default 127.0.0.1:8427, or any free port if that is in use. A port alone
    /// means all addresses with --key or --open-to-network, and 127.0.0.1 otherwise
    #[arg(long, value_name = "ADDR|PORT", value_parser = ListenAddress::read)]
    listen: Option<ListenAddress>,
    /// Public address of the server, if it differs from --listen
    #[arg(long, value_name = "ADDR")]
    public: Vec<SocketAddr>,
    /// Accept clients with a token issued with the key in this file; created if missing
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// Accept every client on this machine, without secrets; the default
    #[arg(long)]
    open: bool,
    /// Accept every client that can reach the server, without secrets: an eavesdropper can read and forge
    /// everything
    #[arg(long)]
    open_to_network: bool,
    /// Issue a token for a player, valid for an hour and usable once
    #[arg(long, value_name = "NAME", requires = "key", value_parser = online::player_name)]
    token_for: Vec<String>,
    /// Print the tokens and exit, for a server that is already running
    #[arg(long, requires = "token_for")]
    only_tokens: bool,
    /// Maximum number of connected clients
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=i64::from(MAX_CLIENTS)))]
    max_clients: u16,
    /// Ticks per second
    #[arg(long, value_name = "HZ", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=1000))]
    tick_rate: u32,
    /// Default player template; if omitted, the pack's first template
    #[arg(long, value_name = "NAME")]
    template: Option<String>,
    /// Number of bots that use random abilities
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=1000))]
    bots: u16,
    /// Template of the bots; by default, the players' template
    #[arg(long, value_name = "NAME", requires = "bots")]
    bot_template: Option<String>,
    /// Random seed of the game and the bots; random by default
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Start the inspector for browsers, at 127.0.0.1:4777 or a free port. An address that other machines can
    /// reach requires a token; a port alone means 127.0.0.1
    #[arg(long, value_name = "ADDR|PORT", num_args = 0..=1, require_equals = true, value_parser = ListenAddress::read)]
    inspect: Option<Option<ListenAddress>>,
    /// Allow the inspector's page to change the game; with --record, edits are recorded
    #[arg(long, requires = "inspect")]
    allow_edit: bool,
    /// Record all commands of players, bots and the inspector's page to this file, for `ugas replay` and
    /// `ugas inspect`. The file stays readable if the server is killed
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// End after this many seconds
    #[arg(long = "for", value_name = "SECONDS", value_parser = online::seconds)]
    duration: Option<Duration>,
}

/// Joins `--inspect ADDR` to `--inspect=ADDR` in the arguments of `serve`, if the word after it is an address
/// and not the pack or another option.
pub(crate) fn joined(words: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut joined: Vec<OsString> = Vec::new();
    for word in words {
        let is_address = word.to_str().is_some_and(|word| ListenAddress::read(word).is_ok());
        let is_serve = joined.get(1).is_some_and(|command| command == "serve");
        match joined.last_mut() {
            Some(last) if *last == "--inspect" && is_address && is_serve => {
                last.push("=");
                last.push(word);
            }
            _ => joined.push(word),
        }
    }
    joined
}

/// Runs `ugas serve` until Ctrl-C or the end of its time, or only prints tokens. Negative if the rules do not
/// load. Files and the socket are checked before anything begins.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Status> {
    let Some(pack) = online::rules(&arguments.pack)? else { return Ok(Status::Negative) };
    let template = template(&pack, arguments, arguments.template.as_deref())?;
    let bot_template = match &arguments.bot_template {
        Some(name) => self::template(&pack, arguments, Some(name))?,
        None => template.clone(),
    };
    let catalog = pack.catalog;
    let key = arguments.key.as_deref().map(key).transpose()?;
    if arguments.only_tokens {
        let key = key.context("tokens need a key: give --key FILE")?;
        let listen = listen(arguments);
        print_tokens(arguments, &catalog, key, listen)?;
        return Ok(Status::Success);
    }
    if let Some(file) = &arguments.record {
        ServerRecording::ensure_replaceable(file)?;
    }
    let stop = StopSignal::on_signals()?;
    let socket = bind(arguments, &catalog, key.clone())?;
    let seed = arguments.seed.unwrap_or_else(online::random_number);
    let length = TickLength::hertz(arguments.tick_rate);
    let mut game = Game::new(Arc::clone(&catalog), seed, length, u32::from(arguments.max_clients), template);
    let inspector = start_inspector(arguments, &catalog)?;
    if let Some(file) = &arguments.record {
        game.record(ServerRecording::begin(file, game.server.simulation(), length, &title(arguments))?);
    }
    game.add_bots(arguments.bots, &bot_template)?;
    greet(arguments, &catalog, &socket)?;
    if let Some(inspector) = &inspector {
        output::print(&inspector.greeting())?;
    }
    if let Some(key) = key {
        print_tokens(arguments, &catalog, key, socket.local_addr())?;
    }
    let access = if arguments.key.is_some() { server_loop::Access::Keyed } else { server_loop::Access::Open };
    ServerLoop::new(socket, access, game, inspector).run(&stop, arguments.duration)?;
    Ok(Status::Success)
}

/// A template by its name; by default the first.
fn template(pack: &Pack, arguments: &Arguments, name: Option<&str>) -> anyhow::Result<String> {
    let shown = arguments.pack.display();
    let Some(name) = name else {
        let first = online::first_template(pack).map(str::to_owned);
        return first.with_context(|| {
            format!("`{shown}` has no template for players: add a gameplay_controller document")
        });
    };
    match pack.catalog.template(name) {
        Ok(_) => Ok(name.to_owned()),
        Err(unknown) => {
            let hint = output::hint(unknown.nearest.as_deref(), online::templates(&pack.catalog));
            anyhow::bail!("`{shown}` has no template `{name}`{hint}")
        }
    }
}

/// Key of a file, created with a new secret key if missing.
fn key(file: &Path) -> anyhow::Result<ServerKey> {
    let shown = file.display();
    if file.exists() {
        return ServerKey::read_file(file).with_context(|| format!("`{shown}`"));
    }
    let key = ServerKey::create_file(file).with_context(|| format!("`{shown}` cannot be written"))?;
    eprintln!("created a new key in `{shown}`: keep it secret, and do not lose it");
    Ok(key)
}

/// The address to listen at: all interfaces if clients of other machines are accepted.
fn listen(arguments: &Arguments) -> SocketAddr {
    let is_for_others = arguments.key.is_some() || arguments.open_to_network;
    let ip = if is_for_others { Ipv4Addr::UNSPECIFIED } else { Ipv4Addr::LOCALHOST };
    arguments.listen.map_or_else(online::default_address, |address| address.with_default_ip(ip.into()))
}

/// Binds the socket; without --listen, any free port if the default one is in use.
fn bind(arguments: &Arguments, catalog: &Catalog, key: Option<ServerKey>) -> anyhow::Result<ServerSocket> {
    let access = match key {
        Some(key) => Access::Keyed(key),
        None if arguments.open_to_network => Access::OpenToNetwork,
        None => Access::OpenOnLoopback,
    };
    let config = |listen| {
        let config = ServerConfig::new(listen, online::protocol(catalog), access.clone());
        let config = config.max_clients(arguments.max_clients);
        arguments.public.iter().fold(config, |config, address| config.reached_at(*address))
    };
    let listen = listen(arguments);
    let bound = match ServerSocket::bind(config(listen)) {
        Err(BindError::Io { source, .. })
            if arguments.listen.is_none() && source.kind() == std::io::ErrorKind::AddrInUse =>
        {
            ServerSocket::bind(config((Ipv4Addr::LOCALHOST, 0).into()))
        }
        bound => bound,
    };
    let hint = || match (arguments.key.is_some(), arguments.open_to_network) {
        (false, false) if !listen.ip().is_loopback() => {
            "use --key FILE, or --open-to-network to go without secrets"
        }
        (true, _) if listen.ip().is_unspecified() => "use --public ADDR",
        _ => "the server cannot start",
    };
    bound.map_err(|error| anyhow::Error::new(error).context(hint()))
}

/// Starts the inspector, if requested; without an address only this machine reaches it.
fn start_inspector(arguments: &Arguments, catalog: &Catalog) -> anyhow::Result<Option<ServerInspector>> {
    let Some(requested) = arguments.inspect else { return Ok(None) };
    let address = requested.map(|address| address.with_default_ip(Ipv4Addr::LOCALHOST.into()));
    let permission = if arguments.allow_edit { Permission::Edit } else { Permission::ReadOnly };
    Ok(Some(ServerInspector::begin(address, permission, &title(arguments), Dictionary::of(catalog))?))
}

/// Title of the game for the inspector and recordings.
fn title(arguments: &Arguments) -> String {
    let name = arguments.pack.canonicalize().unwrap_or_else(|_| arguments.pack.clone());
    format!("Server of {}", name.file_name().unwrap_or(arguments.pack.as_os_str()).to_string_lossy())
}

/// Prints rules, address and access, and the command that connects.
fn greet(arguments: &Arguments, catalog: &Catalog, socket: &ServerSocket) -> anyhow::Result<()> {
    let pack = quoted(&arguments.pack);
    let address = socket.local_addr();
    let who = match (&arguments.key, arguments.open_to_network) {
        (Some(_), _) => "for clients with a token",
        (None, true) => "open to every client that can reach it, without secrets",
        (None, false) => "open to this machine, without secrets",
    };
    let templates: Vec<&str> = online::templates(catalog).collect();
    let mut text = format!(
        "serving {pack}, rules {:016x}, as {}\nlistening on {address}, {who}\n",
        catalog.hash(),
        templates.join(", ")
    );
    if arguments.key.is_none() {
        let reached = arguments.public.first().copied().unwrap_or(match address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => (Ipv4Addr::LOCALHOST, address.port()).into(),
            _ => address,
        });
        text.push_str(&format!("connect with: ugas connect {reached} --pack {pack}\n"));
    } else if arguments.token_for.is_empty() {
        text.push_str("there are no tokens yet: issue some with --token-for NAME --only-tokens\n");
    }
    output::print(&text)
}

/// Prints the command by which each player connects.
fn print_tokens(
    arguments: &Arguments,
    catalog: &Catalog,
    key: ServerKey,
    listen: SocketAddr,
) -> anyhow::Result<()> {
    let servers = if arguments.public.is_empty() { vec![listen] } else { arguments.public.clone() };
    let is_reachable = servers.iter().all(|server| !server.ip().is_unspecified() && server.port() != 0);
    ensure!(is_reachable, "clients cannot reach {listen}: give the public address with --public ADDR");
    let issuer = TokenIssuer::new(key, online::protocol(catalog));
    for name in &arguments.token_for {
        // The same name is the same peer: a reconnecting player replaces the old connection.
        let mut admission = Admission::new(stable_name_hash(name), listen).valid_for(TOKEN_LIFE);
        admission.servers.clone_from(&servers);
        let token = issuer.issue(&admission.user_data(name.as_bytes()))?.to_text();
        let pack = quoted(&arguments.pack);
        output::print(&format!("{name} connects with: ugas connect {token} --pack {pack}\n"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::*;

    #[test]
    fn address_after_inspect_needs_no_equals_sign() {
        let check = |line: &str, expected: &str| {
            let words = joined(line.split(' ').map(OsString::from));
            assert_eq!(words.join(OsStr::new(" ")), expected, "{line}");
        };
        check("ugas serve pack --inspect 9000", "ugas serve pack --inspect=9000");
        check("ugas serve --inspect :9000 pack", "ugas serve --inspect=:9000 pack");
        check(
            "ugas serve --inspect 0.0.0.0:9000 --open pack",
            "ugas serve --inspect=0.0.0.0:9000 --open pack",
        );
        check("ugas serve --inspect pack", "ugas serve --inspect pack");
        check("ugas serve pack --inspect --for 9", "ugas serve pack --inspect --for 9");
        check("ugas serve pack --inspect=9000 8", "ugas serve pack --inspect=9000 8");
        check("ugas run story.yaml --inspect 9000", "ugas run story.yaml --inspect 9000");
    }
}
