//! `ugas serve`.

mod access;
mod admission;
mod background_file;
mod bans;
mod bots;
mod config_file;
mod control;
mod game;
mod host_tasks;
mod inspector;
mod log;
mod metrics;
mod ops;
mod recording;
mod server_host;
mod server_loop;
mod service;
mod settings;
mod warnings;

use std::ffi::OsString;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, anyhow, bail, ensure};
use clap::{ArgGroup, Args};
use ugas_core::catalog::Catalog;
use ugas_core::random::stable_name_hash;
use ugas_data::Pack;
use ugas_net::TickLength;
use ugas_net::wire::Dictionary;
use ugas_transport::{
    Access, Admission, BindError, MAX_CLIENTS, MAX_SOCKETS, ServerConfig, ServerKey, ServerSocket,
    TokenIssuer,
};

use self::access::{Bans, UsedTokenFile};
use self::config_file::ConfigProblems;
use self::control::Reloaded;
use self::game::Game;
use self::inspector::{Permission, ServerInspector};
use self::log::{Log, LogFormat, LogLevel};
use self::ops::Vitals;
use self::recording::ServerRecording;
use self::server_loop::{Operation, ServerLoop};
use self::settings::{AccessMode, InspectAddress, Settings};
use crate::online::{self, ListenAddress, quoted};
use crate::{Status, names, output, terminal};

/// Lifetime of printed tokens.
const TOKEN_LIFE: Duration = Duration::from_secs(60 * 60);

/// Runs a pack as an authoritative server, over an encrypted transport
///
/// Each player gets a controller of a template, and clients predict their actions. By default the server is
/// open to clients on this machine, without secrets; with --key clients need a token. Ctrl-C ends it and
/// disconnects the clients, a second Ctrl-C ends it at once; SIGTERM waits for players to leave (--drain), and
/// SIGHUP reloads the configuration, the keys and the ban list.
///
/// There is no game engine: host tasks complete at once, and projectiles always hit their target. Dead
/// characters respawn after three seconds.
#[derive(Args, Clone)]
#[command(
    group = ArgGroup::new("access").args(["key", "key_env", "open", "open_to_network"]),
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
                                                        a minute, which `ugas replay` and `ugas inspect` show again
  ugas serve --config server.toml --ops 9100            as a service, with metrics
  ugas serve --print-config > server.toml               all settings, with their meaning

Exit status: 0 stopped in order, 1 invalid pack or configuration, 2 usage error, or the network or the
recording failed, 130 stopped at once by a second Ctrl-C."
)]
pub(crate) struct Arguments {
    /// Pack: a folder or a file
    #[arg(value_name = "PACK", required_unless_present_any = ["config", "print_config"])]
    pack: Option<PathBuf>,
    /// Read settings from this TOML file; flags take precedence
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print all settings as a configuration file, with their meaning, and exit
    #[arg(long)]
    print_config: bool,
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
    /// Accept tokens of this former key, too, until they have expired
    #[arg(long, value_name = "FILE", requires = "key")]
    old_key: Option<PathBuf>,
    /// Accept clients with a token of the key in the environment variable UGAS_SERVER_KEY, and of a former
    /// one in UGAS_SERVER_KEY_OLD
    #[arg(long)]
    key_env: bool,
    /// Accept every client on this machine, without secrets; the default
    #[arg(long)]
    open: bool,
    /// Accept every client that can reach the server, without secrets: an eavesdropper can read and forge
    /// everything
    #[arg(long)]
    open_to_network: bool,
    /// Issue a token for a player, valid for an hour and usable once
    #[arg(long, value_name = "NAME", value_parser = online::player_name)]
    token_for: Vec<String>,
    /// Print the tokens and exit, for a server that is already running
    #[arg(long, requires = "token_for")]
    only_tokens: bool,
    /// Maximum number of players [default: 64]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_CLIENTS)))]
    max_clients: Option<u32>,
    /// Number of sockets; each of several has threads of its own [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_SOCKETS)))]
    sockets: Option<u32>,
    /// Ticks per second [default: 60]
    #[arg(long, value_name = "HZ", value_parser = clap::value_parser!(u32).range(1..=1000))]
    tick_rate: Option<u32>,
    /// Default player template; if omitted, the pack's first template
    #[arg(long, value_name = "NAME")]
    template: Option<String>,
    /// Number of bots that use random abilities [default: 0]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1000))]
    bots: Option<u32>,
    /// Template of the bots; by default, the players' template
    #[arg(long, value_name = "NAME")]
    bot_template: Option<String>,
    /// Minutes for which a player may not join after a kick for forged commands, by the name of the token, or
    /// by address without one; 0 bans nobody [default: 10]
    #[arg(long, value_name = "N")]
    ban_minutes: Option<u32>,
    /// Random seed of the game and the bots; random by default
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Start the inspector for browsers, at 127.0.0.1:4777 or a free port. An address that other machines can
    /// reach requires a token; a port alone means 127.0.0.1
    #[arg(long, value_name = "ADDR|PORT", num_args = 0..=1, require_equals = true, value_parser = ListenAddress::read)]
    inspect: Option<Option<ListenAddress>>,
    /// Allow the inspector's page to change the game; with --record, edits are recorded
    #[arg(long)]
    allow_edit: bool,
    /// Record all commands of players, bots and the inspector's page to this file, for `ugas replay` and
    /// `ugas inspect`. A number is added to its name if it exists. The file stays readable if the server is
    /// killed
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Serve /healthz, /readyz and /metrics over HTTP at this address; a port alone means 127.0.0.1
    #[arg(long, value_name = "ADDR|PORT", value_parser = ListenAddress::read)]
    ops: Option<ListenAddress>,
    /// Format of the log [default: text]
    #[arg(long, value_enum)]
    log_format: Option<LogFormat>,
    /// Least severe messages of the log [default: info]
    #[arg(long, value_enum)]
    log_level: Option<LogLevel>,
    /// File with banned addresses, networks, and `name NAME` for players, one on each line
    #[arg(long, value_name = "FILE")]
    ban_list: Option<PathBuf>,
    /// Remember used tokens in this file, so that none is accepted again after a restart
    #[arg(long, value_name = "FILE")]
    used_tokens: Option<PathBuf>,
    /// Time that players have to leave after SIGTERM [default: 10]
    #[arg(long, value_name = "SECONDS", value_parser = online::seconds)]
    drain: Option<Duration>,
    /// Time for which the place of a player is kept after a lost connection; 0 keeps none [default: 30]
    #[arg(long, value_name = "SECONDS", value_parser = online::seconds)]
    resume_time: Option<Duration>,
    /// End after this many seconds
    #[arg(long = "for", value_name = "SECONDS", value_parser = online::seconds)]
    duration: Option<Duration>,
}

impl Arguments {
    /// The settings of the file, if there is one, and of the flags.
    fn settings(&self) -> anyhow::Result<Settings> {
        let mut settings = Settings::default();
        if let Some(file) = &self.config {
            config_file::read(file, &mut settings, terminal::colour())?;
        }
        fn set<T: Clone>(place: &mut T, value: Option<&T>) {
            if let Some(value) = value {
                place.clone_from(value);
            }
        }
        fn set_option<T: Clone>(place: &mut Option<T>, value: Option<&T>) {
            if value.is_some() {
                *place = value.cloned();
            }
        }
        set_option(&mut settings.pack, self.pack.as_ref());
        set_option(&mut settings.listen, self.listen.as_ref());
        if !self.public.is_empty() {
            settings.public.clone_from(&self.public);
        }
        if self.open {
            settings.access = AccessMode::Open;
        } else if self.open_to_network {
            settings.access = AccessMode::OpenToNetwork;
        } else if self.key.is_some() || self.key_env {
            settings.access = AccessMode::Key;
            settings.keys = self.key.iter().chain(&self.old_key).cloned().collect();
        }
        set(&mut settings.max_clients, self.max_clients.as_ref());
        set(&mut settings.sockets, self.sockets.as_ref());
        set(&mut settings.tick_rate, self.tick_rate.as_ref());
        set(&mut settings.ban_minutes, self.ban_minutes.as_ref());
        set_option(&mut settings.template, self.template.as_ref());
        set(&mut settings.bots, self.bots.as_ref());
        set_option(&mut settings.bot_template, self.bot_template.as_ref());
        set_option(&mut settings.seed, self.seed.as_ref());
        let inspect = self.inspect.map(|at| at.map_or(InspectAddress::Default, InspectAddress::At));
        set_option(&mut settings.inspect, inspect.as_ref());
        settings.allow_edit |= self.allow_edit;
        set_option(&mut settings.record, self.record.as_ref());
        set_option(&mut settings.ops, self.ops.as_ref());
        set(&mut settings.log_format, self.log_format.as_ref());
        set(&mut settings.log_level, self.log_level.as_ref());
        set_option(&mut settings.ban_list, self.ban_list.as_ref());
        set_option(&mut settings.used_tokens, self.used_tokens.as_ref());
        set(&mut settings.drain, self.drain.as_ref());
        set(&mut settings.resume_time, self.resume_time.as_ref());
        set_option(&mut settings.duration, self.duration.as_ref());
        Ok(settings)
    }

    /// Checks combinations of settings.
    fn check(&self, settings: &Settings) -> anyhow::Result<()> {
        ensure!(
            settings.access == AccessMode::Key || self.token_for.is_empty(),
            "--token-for needs a key: give --key FILE"
        );
        ensure!(
            settings.access == AccessMode::Key || settings.keys.is_empty(),
            "keys are only used with access = \"key\": set it, or remove the keys"
        );
        ensure!(settings.inspect.is_some() || !settings.allow_edit, "--allow-edit needs --inspect");
        ensure!(
            settings.bots > 0 || settings.bot_template.is_none(),
            "--bot-template needs bots: give --bots N"
        );
        Ok(())
    }
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

/// Runs `ugas serve` until a signal or the end of its time, or only prints tokens or settings. Negative if the
/// rules or the configuration are invalid. Files and the socket are checked before anything begins.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Status> {
    let settings = match arguments.settings() {
        Ok(settings) => settings,
        Err(error) if error.is::<ConfigProblems>() => {
            eprintln!("{error}");
            return Ok(Status::Negative);
        }
        Err(error) => return Err(error),
    };
    if arguments.print_config {
        output::print(&config_file::print(&settings))?;
        return Ok(Status::Success);
    }
    arguments.check(&settings)?;
    let Some(path) = settings.pack.clone() else {
        bail!("the pack is missing: give PACK, or `pack` in the configuration file");
    };
    let Some(pack) = online::rules(&path)? else { return Ok(Status::Negative) };
    let template = template(&pack, &path, settings.template.as_deref())?;
    let bot_template = match &settings.bot_template {
        Some(name) => self::template(&pack, &path, Some(name))?,
        None => template.clone(),
    };
    let catalog = pack.catalog;
    let keys = keys(&settings)?;
    if arguments.only_tokens {
        let key = keys.first().context("tokens need a key: give --key FILE")?;
        output::print(&tokens(arguments, &settings, &catalog, key, listen(&settings))?)?;
        return Ok(Status::Success);
    }
    if let Some(file) = &settings.record {
        ServerRecording::ensure_replaceable(file)?;
    }
    let bans = bans(&settings)?;
    let control = control::start(reloader(arguments))?;
    let mut socket = bind(&settings, &catalog, &keys)?;
    let _: Vec<u64> = socket.set_bans(bans.transport.clone());
    let used_tokens = settings.used_tokens.as_deref().map(UsedTokenFile::open).transpose()?;
    let used_tokens = used_tokens.map(|(file, tokens)| {
        socket.restore_used_tokens(tokens);
        file
    });
    let seed = settings.seed.unwrap_or_else(online::random_number);
    let length = TickLength::hertz(settings.tick_rate);
    let mut game = Game::new(Arc::clone(&catalog), seed, length, &settings, template);
    game.server.host_mut().admission.bans = bans;
    game.ban_for(Duration::from_secs(60 * u64::from(settings.ban_minutes)));
    let inspector = start_inspector(&settings, &path, &catalog)?;
    let vitals = Vitals::new();
    let ops = settings.ops.map(|address| address.with_default_ip(Ipv4Addr::LOCALHOST.into()));
    let ops =
        ops.map(|address| ops::start(address, vitals.clone(), socket.local_addr().port())).transpose()?;
    let log = Log::start(settings.log_format, settings.log_level)?;
    if let Some(file) = &settings.record {
        let title = title(&path);
        let recording =
            ServerRecording::begin(file, settings.record_sync, game.server.simulation(), length, &title)?;
        game.record(recording);
    }
    game.add_bots(u16::try_from(settings.bots).unwrap_or(u16::MAX), &bot_template)?;
    access::warn_about_permissions(&settings);
    warn_about_buffers(&settings, &socket);
    log.print(&greeting(arguments, &settings, &catalog, &socket));
    if let Some(inspector) = &inspector {
        log.print(&inspector.greeting());
    }
    if let Some(address) = ops {
        log.print(&format!("health and metrics at http://{address}/metrics\n"));
    }
    if let Some(key) = keys.first() {
        let listen = socket.local_addr();
        log.print(&tokens(arguments, &settings, &catalog, key, listen)?);
    }
    service::watch(vitals.clone())?;
    service::ready();
    let operation = Operation { log: log.clone(), control, vitals, settings, used_tokens };
    let result = ServerLoop::new(socket, game, inspector, operation)?.run();
    log.finish();
    result.map(|()| Status::Success)
}

/// Warns if the system allows smaller buffers than asked for. On a server for this machine only, it does not
/// matter.
fn warn_about_buffers(settings: &Settings, socket: &ServerSocket) {
    let (asked, found) = (settings.limits.buffers(), socket.buffers());
    let pairs =
        [("receive", asked.receive, found.receive, "rmem_max"), ("send", asked.send, found.send, "wmem_max")];
    for (name, asked, found, setting) in pairs {
        if found < asked && settings.access != AccessMode::Open {
            tracing::warn!(
                event = "buffers",
                "the system allows a {name} buffer of {found} bytes instead of {asked}: raise net.core.{setting}, \
                 or lower limits.{name}-buffer"
            );
        }
    }
}

/// Reads the files of a server again, at the signal SIGHUP.
fn reloader(arguments: &Arguments) -> impl Fn() -> anyhow::Result<Reloaded> + Send + 'static {
    let arguments = arguments.clone();
    move || {
        let settings = arguments.settings()?;
        arguments.check(&settings)?;
        let keys = match settings.access {
            AccessMode::Key => access::keys(&settings)?,
            AccessMode::Open | AccessMode::OpenToNetwork => Vec::new(),
        };
        let bans = bans(&settings)?;
        Ok(Reloaded { settings, keys, bans })
    }
}

/// The keys of a server that requires tokens; the file of the first is created if missing.
fn keys(settings: &Settings) -> anyhow::Result<Vec<ServerKey>> {
    if settings.access != AccessMode::Key {
        return Ok(Vec::new());
    }
    access::create_key(settings)?;
    let keys = access::keys(settings)?;
    ensure!(
        !keys.is_empty(),
        "the server needs a key: give --key FILE, or the environment variable UGAS_SERVER_KEY"
    );
    Ok(keys)
}

fn bans(settings: &Settings) -> anyhow::Result<Bans> {
    settings.ban_list.as_deref().map_or_else(|| Ok(Bans::default()), Bans::read)
}

/// A template by its name; by default the first.
fn template(pack: &Pack, path: &Path, name: Option<&str>) -> anyhow::Result<String> {
    let shown = path.display();
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

/// The address to listen at: all interfaces if clients of other machines are accepted.
fn listen(settings: &Settings) -> SocketAddr {
    let is_for_others = settings.access != AccessMode::Open;
    let ip = if is_for_others { Ipv4Addr::UNSPECIFIED } else { Ipv4Addr::LOCALHOST };
    settings.listen.map_or_else(online::default_address, |address| address.with_default_ip(ip.into()))
}

/// Binds the socket; without --listen, any free port if the default one is in use.
fn bind(settings: &Settings, catalog: &Catalog, keys: &[ServerKey]) -> anyhow::Result<ServerSocket> {
    let access = match (settings.access, keys.first()) {
        (AccessMode::Key, Some(key)) => Access::Keyed(key.clone()),
        (AccessMode::OpenToNetwork, _) => Access::OpenToNetwork,
        _ => Access::OpenOnLoopback,
    };
    let config = |listen| {
        let config = ServerConfig::new(listen, online::protocol(catalog), access.clone())
            .max_clients(u16::try_from(settings.max_clients).unwrap_or(MAX_CLIENTS))
            .join_within(settings.limits.join_time)
            .limits(settings.limits.transport())
            .buffers(settings.limits.buffers())
            .sockets(u16::try_from(settings.sockets).unwrap_or(MAX_SOCKETS));
        settings.public.iter().fold(config, |config, address| config.reached_at(*address))
    };
    let listen = listen(settings);
    let bound = match ServerSocket::bind(config(listen)) {
        Err(BindError::Io { source, .. })
            if settings.listen.is_none() && source.kind() == std::io::ErrorKind::AddrInUse =>
        {
            ServerSocket::bind(config((Ipv4Addr::LOCALHOST, 0).into()))
        }
        bound => bound,
    };
    let hint = || match settings.access {
        AccessMode::Open if !listen.ip().is_loopback() => {
            "use --key FILE, or --open-to-network to go without secrets"
        }
        AccessMode::Key if listen.ip().is_unspecified() => "use --public ADDR",
        _ => "the server cannot start",
    };
    let mut socket = bound.map_err(|error| anyhow::Error::new(error).context(hint()))?;
    socket.set_keys(keys.to_vec());
    Ok(socket)
}

/// Starts the inspector, if requested; without an address only this machine reaches it.
fn start_inspector(
    settings: &Settings,
    pack: &Path,
    catalog: &Catalog,
) -> anyhow::Result<Option<ServerInspector>> {
    let address = match settings.inspect {
        None => return Ok(None),
        Some(InspectAddress::Default) => None,
        Some(InspectAddress::At(address)) => Some(address.with_default_ip(Ipv4Addr::LOCALHOST.into())),
    };
    let permission = if settings.allow_edit { Permission::Edit } else { Permission::ReadOnly };
    Ok(Some(ServerInspector::begin(address, permission, &title(pack), Dictionary::of(catalog))?))
}

/// Title of the game for the inspector and recordings.
fn title(pack: &Path) -> String {
    let name = pack.canonicalize().unwrap_or_else(|_| pack.to_owned());
    format!("Server of {}", name.file_name().unwrap_or(pack.as_os_str()).to_string_lossy())
}

/// Rules, address and access, and the command that connects.
fn greeting(arguments: &Arguments, settings: &Settings, catalog: &Catalog, socket: &ServerSocket) -> String {
    let pack = quoted(settings.pack.as_deref().unwrap_or(Path::new("")));
    let address = socket.local_addr();
    let who = match settings.access {
        AccessMode::Key => "for clients with a token",
        AccessMode::OpenToNetwork => "open to every client that can reach it, without secrets",
        AccessMode::Open => "open to this machine, without secrets",
    };
    let templates: Vec<&str> = online::templates(catalog).collect();
    let mut text = format!(
        "serving {pack}, rules {:016x}, as {}\nlistening on {address}, {who}\n",
        catalog.hash(),
        templates.join(", ")
    );
    if settings.access != AccessMode::Key {
        let reached = settings.public.first().copied().unwrap_or(match address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => (Ipv4Addr::LOCALHOST, address.port()).into(),
            IpAddr::V6(ip) if ip.is_unspecified() => (Ipv6Addr::LOCALHOST, address.port()).into(),
            _ => address,
        });
        text.push_str(&format!("connect with: ugas connect {reached} --pack {pack}\n"));
    } else if arguments.token_for.is_empty() {
        text.push_str("there are no tokens yet: issue some with --token-for NAME --only-tokens\n");
    }
    text
}

/// The command by which each player connects.
fn tokens(
    arguments: &Arguments,
    settings: &Settings,
    catalog: &Catalog,
    key: &ServerKey,
    listen: SocketAddr,
) -> anyhow::Result<String> {
    if arguments.token_for.is_empty() {
        return Ok(String::new());
    }
    let servers = if settings.public.is_empty() { vec![listen] } else { settings.public.clone() };
    let is_reachable = servers.iter().all(|server| !server.ip().is_unspecified() && server.port() != 0);
    ensure!(is_reachable, "clients cannot reach {listen}: give the public address with --public ADDR");
    let issuer = TokenIssuer::new(key.clone(), online::protocol(catalog));
    let pack = quoted(settings.pack.as_deref().unwrap_or(Path::new("")));
    let mut text = String::new();
    for name in &arguments.token_for {
        // The server ignores the name of a token that is none, and lets the player choose another.
        let name = online::player_name(name)
            .map_err(|why| anyhow!("--token-for `{}`: {why}", names::shown(name)))?;
        // The same name is the same peer: a reconnecting player replaces the old connection.
        let mut admission = Admission::new(stable_name_hash(&name), listen).valid_for(TOKEN_LIFE);
        admission.servers.clone_from(&servers);
        let token = issuer.issue(&admission.user_data(name.as_bytes()))?.to_text();
        text.push_str(&format!("{name} connects with: ugas connect {token} --pack {pack}\n"));
    }
    Ok(text)
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
