//! [`Settings`] of a server: everything that the flags and the configuration file can say, in one list.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use ugas_transport::{Buffers, Limits, MAX_CLIENTS, MAX_SOCKETS, Rate};

use super::log::{LogFormat, LogLevel};
use crate::online::ListenAddress;

/// Maximum of settings in seconds.
const MAX_SECONDS: u32 = 1_000_000_000;

/// Which clients are accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum AccessMode {
    /// Everybody on this machine, without secrets.
    #[default]
    Open,
    /// Everybody who can reach the server, without secrets.
    OpenToNetwork,
    /// Clients with a token.
    Key,
}

/// Where the inspector listens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum InspectAddress {
    /// The usual address, or any free port.
    Default,
    At(ListenAddress),
}

/// Settings of a server.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Settings {
    pub(super) pack: Option<PathBuf>,
    pub(super) listen: Option<ListenAddress>,
    pub(super) public: Vec<SocketAddr>,
    pub(super) access: AccessMode,
    pub(super) keys: Vec<PathBuf>,
    pub(super) max_clients: u32,
    pub(super) sockets: u32,
    pub(super) tick_rate: u32,
    pub(super) ban_minutes: u32,
    pub(super) template: Option<String>,
    pub(super) bots: u32,
    pub(super) bot_template: Option<String>,
    pub(super) seed: Option<u64>,
    pub(super) duration: Option<Duration>,
    pub(super) drain: Duration,
    pub(super) resume_time: Duration,
    pub(super) inspect: Option<InspectAddress>,
    pub(super) allow_edit: bool,
    pub(super) record: Option<PathBuf>,
    pub(super) record_sync: Duration,
    pub(super) ops: Option<ListenAddress>,
    pub(super) log_format: LogFormat,
    pub(super) log_level: LogLevel,
    pub(super) ban_list: Option<PathBuf>,
    pub(super) used_tokens: Option<PathBuf>,
    pub(super) limits: LimitSettings,
}

/// Limits of a server. The numbers are those of [`Limits`] and of [`ugas_net::ServerConfig`].
#[derive(Clone, PartialEq, Debug)]
pub(super) struct LimitSettings {
    pub(super) join_time: Duration,
    pub(super) requests_per_address: Rate,
    pub(super) requests_in_all: Rate,
    pub(super) cookies_in_all: Rate,
    pub(super) handshakes_per_address: u32,
    pub(super) handshakes_in_all: u32,
    pub(super) clients_per_address: u32,
    pub(super) waiting_clients: u32,
    pub(super) datagrams_per_client: Rate,
    pub(super) datagrams_per_poll: u32,
    pub(super) waiting_datagrams: u32,
    pub(super) receive_buffer: u32,
    pub(super) send_buffer: u32,
    pub(super) session_timeout: Duration,
    pub(super) session_datagrams: u32,
    pub(super) session_commands: u32,
    pub(super) session_bytes: u32,
    pub(super) max_lead: u32,
    pub(super) grace: u32,
    pub(super) rewind: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            pack: None,
            listen: None,
            public: Vec::new(),
            access: AccessMode::default(),
            keys: Vec::new(),
            max_clients: 64,
            sockets: 1,
            tick_rate: 60,
            ban_minutes: 10,
            template: None,
            bots: 0,
            bot_template: None,
            seed: None,
            duration: None,
            drain: Duration::from_secs(10),
            resume_time: Duration::from_secs(30),
            inspect: None,
            allow_edit: false,
            record: None,
            record_sync: Duration::from_secs(5),
            ops: None,
            log_format: LogFormat::default(),
            log_level: LogLevel::default(),
            ban_list: None,
            used_tokens: None,
            limits: LimitSettings::default(),
        }
    }
}

impl Default for LimitSettings {
    fn default() -> Self {
        let transport = Limits::default();
        let session = ugas_net::ServerConfig::default();
        Self {
            join_time: Duration::from_secs(5),
            requests_per_address: transport.requests_per_address,
            requests_in_all: transport.requests_in_all,
            cookies_in_all: transport.cookies_in_all,
            handshakes_per_address: transport.handshakes_per_address.into(),
            handshakes_in_all: transport.handshakes_in_all.into(),
            clients_per_address: transport.peers_per_address.into(),
            waiting_clients: transport.waiting_peers.into(),
            datagrams_per_client: transport.datagrams_per_peer,
            datagrams_per_poll: transport.datagrams_per_poll,
            waiting_datagrams: transport.waiting_datagrams,
            receive_buffer: 4 << 20,
            send_buffer: 4 << 20,
            session_timeout: Duration::from_micros(u64::try_from(session.timeout.micros()).unwrap_or(0)),
            session_datagrams: session.datagrams_per_second,
            session_commands: session.commands_per_second,
            session_bytes: session.bytes_per_second,
            max_lead: session.max_lead,
            grace: session.grace,
            rewind: session.rewind,
        }
    }
}

impl LimitSettings {
    /// The sizes of the system's buffers.
    pub(super) fn buffers(&self) -> Buffers {
        Buffers { receive: self.receive_buffer as usize, send: self.send_buffer as usize }
    }

    /// The limits of the transport.
    pub(super) fn transport(&self) -> Limits {
        let small = |number: u32| u16::try_from(number).unwrap_or(u16::MAX);
        Limits {
            requests_per_address: self.requests_per_address,
            requests_in_all: self.requests_in_all,
            cookies_in_all: self.cookies_in_all,
            handshakes_per_address: small(self.handshakes_per_address),
            handshakes_in_all: small(self.handshakes_in_all),
            peers_per_address: small(self.clients_per_address),
            waiting_peers: small(self.waiting_clients),
            datagrams_per_peer: self.datagrams_per_client,
            datagrams_per_poll: self.datagrams_per_poll,
            waiting_datagrams: self.waiting_datagrams,
        }
    }
}

/// A place of a value in [`Settings`], with the values that it may have.
pub(super) enum Slot<'a> {
    Text(&'a mut Option<String>),
    Path(&'a mut Option<PathBuf>),
    Paths(&'a mut Vec<PathBuf>),
    Listen(&'a mut Option<ListenAddress>),
    Inspect(&'a mut Option<InspectAddress>),
    Addresses(&'a mut Vec<SocketAddr>),
    Flag(&'a mut bool),
    Seed(&'a mut Option<u64>),
    /// A whole number from a least to a greatest one.
    Number(&'a mut u32, u32, u32),
    /// A number of seconds, also with a fraction.
    Seconds(&'a mut Duration),
    OptionalSeconds(&'a mut Option<Duration>),
    Rate(&'a mut Rate),
    /// One of several words, by its index.
    Choice(usize, &'static [&'static str], &'a mut dyn FnMut(usize)),
}

/// Whether a running server takes a changed value at the signal SIGHUP.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reload {
    Yes,
    No,
}

/// A reader or writer of all settings.
pub(super) trait Visitor {
    /// Begins a section; the fields before the first belong to the file itself.
    fn section(&mut self, name: &'static str, about: &'static str);

    /// Visits a field.
    fn field(&mut self, key: &'static str, reload: Reload, about: &'static str, slot: Slot<'_>);
}

/// Names of [`AccessMode`].
const ACCESS: [&str; 3] = ["open", "open-to-network", "key"];
const ACCESS_MODES: [AccessMode; 3] = [AccessMode::Open, AccessMode::OpenToNetwork, AccessMode::Key];

impl Settings {
    /// Visits all settings, in the order of the documentation.
    pub(super) fn visit(&mut self, visitor: &mut dyn Visitor) {
        use Reload::{No, Yes};
        let index = |of: AccessMode| ACCESS_MODES.iter().position(|mode| *mode == of).unwrap_or(0);
        visitor.field("pack", No, "Pack: a folder or a file.", Slot::Path(&mut self.pack));
        visitor.field("listen", No, "Address or port to listen at.", Slot::Listen(&mut self.listen));
        visitor.field(
            "public",
            No,
            "Public addresses, if they differ from `listen`.",
            Slot::Addresses(&mut self.public),
        );
        let (access, mode) = (index(self.access), &mut self.access);
        visitor.field(
            "access",
            No,
            "Who may connect: everybody on this machine, everybody on the network, or players with a token.",
            Slot::Choice(access, &ACCESS, &mut |at| *mode = ACCESS_MODES[at]),
        );
        visitor.field(
            "keys",
            Yes,
            "Files of the keys of accepted tokens, at most two: the first issues tokens, the second is the \
             former one during a rotation. Leave a key out to revoke it. The environment variables \
             UGAS_SERVER_KEY and UGAS_SERVER_KEY_OLD can hold the keys instead.",
            Slot::Paths(&mut self.keys),
        );
        let most = u32::from(MAX_CLIENTS);
        visitor.field(
            "max-clients",
            No,
            "Maximum number of players.",
            Slot::Number(&mut self.max_clients, 1, most),
        );
        visitor.field(
            "sockets",
            No,
            "Number of sockets; each of several has threads of its own. For servers with many players and free cores.",
            Slot::Number(&mut self.sockets, 1, MAX_SOCKETS.into()),
        );
        visitor.field("tick-rate", No, "Ticks per second.", Slot::Number(&mut self.tick_rate, 1, 1000));
        visitor.field(
            "ban-minutes",
            No,
            "Minutes for which a player may not join after a kick for forged commands; 0 bans nobody.",
            Slot::Number(&mut self.ban_minutes, 0, 525_600),
        );
        visitor.field("template", No, "Default player template.", Slot::Text(&mut self.template));
        visitor.field("bots", No, "Number of bots.", Slot::Number(&mut self.bots, 0, 1000));
        visitor.field("bot-template", No, "Template of the bots.", Slot::Text(&mut self.bot_template));
        visitor.field("seed", No, "Random seed of the game; random by default.", Slot::Seed(&mut self.seed));
        visitor.field(
            "for",
            No,
            "Seconds after which the server ends.",
            Slot::OptionalSeconds(&mut self.duration),
        );
        visitor.field(
            "drain",
            Yes,
            "Seconds that players have to leave after SIGTERM.",
            Slot::Seconds(&mut self.drain),
        );
        visitor.field(
            "resume-time",
            No,
            "Seconds for which the place of a player is kept after a lost connection; 0 keeps none.",
            Slot::Seconds(&mut self.resume_time),
        );
        visitor.field(
            "inspect",
            No,
            "Address or port of the inspector, or \"default\".",
            Slot::Inspect(&mut self.inspect),
        );
        visitor.field(
            "allow-edit",
            No,
            "Whether the inspector's page may change the game.",
            Slot::Flag(&mut self.allow_edit),
        );
        visitor.field(
            "record",
            No,
            "File to record to; a number is added if it exists.",
            Slot::Path(&mut self.record),
        );
        visitor.field(
            "record-sync",
            No,
            "Seconds after which recorded ticks are safe on the disk.",
            Slot::Seconds(&mut self.record_sync),
        );
        visitor.field(
            "ops",
            No,
            "Address or port for /healthz, /readyz and /metrics.",
            Slot::Listen(&mut self.ops),
        );
        let (format, place) = (self.log_format as usize, &mut self.log_format);
        visitor.field(
            "log-format",
            No,
            "Format of the log.",
            Slot::Choice(format, &LogFormat::NAMES, &mut |at| *place = LogFormat::ALL[at]),
        );
        let (level, place) = (self.log_level as usize, &mut self.log_level);
        visitor.field(
            "log-level",
            Yes,
            "Least severe messages of the log.",
            Slot::Choice(level, &LogLevel::NAMES, &mut |at| *place = LogLevel::ALL[at]),
        );
        visitor.field(
            "ban-list",
            Yes,
            "File with banned addresses, networks and names, one on each line.",
            Slot::Path(&mut self.ban_list),
        );
        visitor.field(
            "used-tokens",
            No,
            "File in which used tokens are remembered across restarts.",
            Slot::Path(&mut self.used_tokens),
        );
        self.limits.visit(visitor);
    }
}

impl LimitSettings {
    fn visit(&mut self, visitor: &mut dyn Visitor) {
        use Reload::{No, Yes};
        visitor.section(
            "limits",
            "Limits against floods and overload. A rate is { per-second = N, burst = N }.",
        );
        visitor.field(
            "join-time",
            No,
            "Seconds in which a connected client must join.",
            Slot::Seconds(&mut self.join_time),
        );
        visitor.field(
            "requests-per-address",
            Yes,
            "Connection requests of one address.",
            Slot::Rate(&mut self.requests_per_address),
        );
        visitor.field(
            "requests-in-all",
            Yes,
            "Connection requests of all addresses.",
            Slot::Rate(&mut self.requests_in_all),
        );
        visitor.field(
            "cookies-in-all",
            Yes,
            "Answers to requests over these limits.",
            Slot::Rate(&mut self.cookies_in_all),
        );
        let mut number = |key, about, slot: &mut u32, least, most, reload| {
            visitor.field(key, reload, about, Slot::Number(slot, least, most));
        };
        number(
            "handshakes-per-address",
            "Half-open handshakes of one address.",
            &mut self.handshakes_per_address,
            1,
            65_535,
            Yes,
        );
        number(
            "handshakes-in-all",
            "Half-open handshakes of all addresses.",
            &mut self.handshakes_in_all,
            2,
            65_535,
            Yes,
        );
        number(
            "clients-per-address",
            "Connections of one address; clients on this machine are exempt.",
            &mut self.clients_per_address,
            1,
            65_535,
            Yes,
        );
        number(
            "waiting-clients",
            "Connections that have not joined.",
            &mut self.waiting_clients,
            1,
            65_535,
            Yes,
        );
        visitor.field(
            "datagrams-per-client",
            Yes,
            "Authentic datagrams of one client.",
            Slot::Rate(&mut self.datagrams_per_client),
        );
        let mut number = |key, about, slot: &mut u32, least, most, reload| {
            visitor.field(key, reload, about, Slot::Number(slot, least, most));
        };
        number(
            "datagrams-per-poll",
            "Datagrams read at once.",
            &mut self.datagrams_per_poll,
            1,
            1 << 20,
            Yes,
        );
        number(
            "waiting-datagrams",
            "Datagrams that wait for a tick.",
            &mut self.waiting_datagrams,
            1,
            1 << 20,
            No,
        );
        number(
            "receive-buffer",
            "Bytes of the system's receive buffer.",
            &mut self.receive_buffer,
            4096,
            1 << 30,
            No,
        );
        number("send-buffer", "Bytes of the system's send buffer.", &mut self.send_buffer, 4096, 1 << 30, No);
        visitor.field(
            "session-timeout",
            No,
            "Seconds of silence after which the connection of a player counts as lost.",
            Slot::Seconds(&mut self.session_timeout),
        );
        let mut number = |key, about, slot: &mut u32, least, most, reload| {
            visitor.field(key, reload, about, Slot::Number(slot, least, most));
        };
        number(
            "session-datagrams",
            "Datagrams per second of one player.",
            &mut self.session_datagrams,
            1,
            100_000,
            No,
        );
        number(
            "session-commands",
            "Commands per second of one player.",
            &mut self.session_commands,
            1,
            100_000,
            No,
        );
        number(
            "session-bytes",
            "Bytes per second to one player.",
            &mut self.session_bytes,
            1000,
            1 << 30,
            No,
        );
        number("max-lead", "Ticks that commands may be ahead.", &mut self.max_lead, 1, 1000, No);
        number(
            "grace",
            "Ticks that commands may be late.",
            &mut self.grace,
            0,
            ugas_net::limits::MAX_GRACE,
            No,
        );
        number("rewind", "Ticks of positions for lag compensation.", &mut self.rewind, 0, 1000, No);
    }
}

/// Whether a number of seconds is allowed.
pub(super) fn is_seconds(seconds: f64) -> bool {
    (0.0..=f64::from(MAX_SECONDS)).contains(&seconds)
}
