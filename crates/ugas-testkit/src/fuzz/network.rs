//! Fuzz bodies for servers and clients that receive arbitrary datagrams.

use std::sync::OnceLock;

use ugas_core::handle::ControllerId;
use ugas_core::simulation::{ActivationRequest, Snapshot};
use ugas_core::time::{Span, Time};
use ugas_net::message::{ClientId, Hello, PROTOCOL, ToServer};
use ugas_net::wire::{Dictionary, encode_to_server};
use ugas_net::{Client, ClientConfig, Defaults, PeerId, Server, ServerConfig, TickLength};

use super::bytes::{catalog, started_simulation};

/// Most steps of one run.
const STEPS: usize = 80;
/// Most objects that a server or client may hold: far above the needs of an honest game, far below what
/// hostile bytes could request.
const MOST_HELD: usize = 60_000;
/// Connection of the honest client.
const HONEST: PeerId = PeerId(1);
/// Ticks until a session is established.
const OPENING: usize = 6;

/// Fuzz body: interprets any bytes as datagrams of hostile clients and actions of the host. The server stays
/// sound and small, and an honest client keeps playing.
pub fn server(bytes: &[u8]) {
    let mut script = Script(bytes);
    let mut table = Table::new();
    table.run(OPENING);
    for _ in 0..STEPS {
        let Some(step) = script.byte() else { break };
        table.step(step, &mut script);
    }
    table.run(20);
    let client = &table.client;
    assert!(client.is_playing(), "the honest client is out");
    let behind = client.confirmed_tick().map(|tick| table.server.current_tick().since(tick));
    assert!(behind.is_some_and(|behind| behind <= 3), "the honest client is {behind:?} ticks behind");
    let held = table.server.held();
    assert!(held < MOST_HELD, "the server holds {held} things");
    let found = table.server.simulation().inconsistencies();
    assert!(found.is_empty(), "{found:#?}");
}

/// Fuzz body: interprets any bytes as datagrams of a server. The client stays sound and small, and its state
/// can be encoded and decoded.
pub fn client(bytes: &[u8]) {
    let mut script = Script(bytes);
    let mut table = Table::new();
    table.run(OPENING);
    let mut client = table.client;
    for _ in 0..STEPS {
        let Some(ticks) = script.byte() else { break };
        client.handle(table.now, script.chunk());
        table.now += Span::from_micros(table.length.span().micros() * i64::from(ticks % 4));
        client.update(table.now);
        let own: Option<ControllerId> = client.own_controllers().next();
        if let Some(own) = own.and_then(|own| client.simulation().controller(own))
            && let Some(ability) = own.abilities().first().copied()
        {
            let _ = client.activate(ability, ActivationRequest::default());
        }
        while client.poll_transmit().is_some() {}
        while client.poll_event().is_some() {}
    }
    let held = client.held();
    assert!(held < MOST_HELD, "the client holds {held} things");
    let found = client.simulation().inconsistencies();
    assert!(found.is_empty(), "{found:#?}");
    let written = client.simulation().snapshot().to_bytes();
    if let Err(error) = Snapshot::from_bytes(&written, catalog()) {
        panic!("what the client shows cannot be read: {error}");
    }
}

/// Seeds of [`server`]: scripts with the datagrams that an honest client sends in a game, and actions of the
/// host.
pub fn server_seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for skip in 0..4 {
        let mut table = Table::new();
        table.record = true;
        table.run(OPENING + 12);
        let mut script = vec![1, 0];
        for (at, datagram) in table.to_server.iter().enumerate().skip(skip) {
            script.push(0);
            script.push(0);
            push_chunk(&mut script, datagram);
            script.extend([2, 1, 3, at as u8, skip as u8]);
        }
        seeds.push(script);
    }
    seeds
}

/// Seeds of [`client`]: scripts with the datagrams that a server sends in a game, after the session is
/// established.
pub fn client_seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for skip in 0..4 {
        let mut table = Table::new();
        table.record = true;
        table.run(OPENING + 12);
        let mut script = Vec::new();
        // The first datagrams belong to a session that the client already has.
        for datagram in table.to_client.iter().skip(OPENING - 2 + skip) {
            script.push(1);
            push_chunk(&mut script, datagram);
        }
        seeds.push(script);
    }
    seeds
}

/// Input bytes, read from the front.
struct Script<'a>(&'a [u8]);

impl<'a> Script<'a> {
    /// Reads the next byte of the script; `None` at the end.
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    /// Reads a datagram of the script, with its length of 11 bits before it in two bytes; shorter if the
    /// input ends.
    fn chunk(&mut self) -> &'a [u8] {
        let length = usize::from(self.byte().unwrap_or(0)) << 3 | usize::from(self.byte().unwrap_or(0) & 7);
        let (chunk, rest) = self.0.split_at(length.min(self.0.len()));
        self.0 = rest;
        chunk
    }
}

/// Appends a datagram to a seed in the form that [`Script::chunk`] reads: a length of 11 bits (8 and 3) and
/// the bytes, cut to 2047.
fn push_chunk(script: &mut Vec<u8>, chunk: &[u8]) {
    let length = chunk.len().min(2_047);
    script.extend([(length >> 3) as u8, (length & 7) as u8]);
    script.extend(&chunk[..length]);
}

/// A server with an honest client.
struct Table {
    server: Server<Defaults>,
    client: Client,
    now: Time,
    length: TickLength,
    controllers: Vec<ControllerId>,
    record: bool,
    to_server: Vec<Vec<u8>>,
    to_client: Vec<Vec<u8>>,
}

impl Table {
    /// Creates a server with the shared game, and an honest client that has not connected yet.
    fn new() -> Self {
        let server = Server::new(started_simulation().clone(), ServerConfig::default());
        let controllers = server.simulation().controllers().map(|(id, _)| id).collect();
        Self {
            client: Client::new(catalog().clone(), ClientConfig::default(), 7),
            now: Time::ZERO,
            length: server.tick_length(),
            server,
            controllers,
            record: false,
            to_server: Vec::new(),
            to_client: Vec::new(),
        }
    }

    /// Runs ticks in which server and honest client exchange datagrams without loss. The client gets the
    /// first controller as soon as it has an id; datagrams are kept for seeds if `record` is set.
    fn run(&mut self, ticks: usize) {
        for _ in 0..ticks {
            self.now += self.length.span();
            self.server.tick(self.now);
            while let Some(transmit) = self.server.poll_transmit() {
                if transmit.peer == HONEST {
                    self.client.handle(self.now, &transmit.bytes);
                    self.to_client.extend(self.record.then_some(transmit.bytes));
                }
            }
            self.client.update(self.now);
            while let Some(bytes) = self.client.poll_transmit() {
                self.server.handle(self.now, HONEST, &bytes);
                self.to_server.extend(self.record.then_some(bytes));
            }
            while self.client.poll_event().is_some() {}
            if let (Some(id), Some(first)) = (self.client.id(), self.controllers.first())
                && self.server.owner(*first).is_none()
            {
                self.server.give(*first, id);
            }
            while self.server.poll_event().is_some() {}
        }
    }

    /// Performs one step of a script: its low bits choose a datagram or hello of a hostile peer, some ticks,
    /// or an action of the host (ownership, visibility, kick, disconnect); its high bits choose the peer.
    /// Reads further bytes.
    fn step(&mut self, step: u8, script: &mut Script<'_>) {
        let peer = PeerId(2 + u64::from(step >> 4));
        match step & 7 {
            0 => {
                let _ = script.byte();
                self.server.handle(self.now, peer, script.chunk());
            }
            1 => {
                let nonce = script.byte().unwrap_or(0).into();
                self.server.handle(self.now, peer, &hello(nonce));
            }
            2 => self.run(usize::from(script.byte().unwrap_or(1) % 8)),
            3 | 4 => {
                let (Some(controller), Some(client)) = (script.byte(), self.choose_other_client(script))
                else {
                    return;
                };
                let others = self.controllers.get(1..).unwrap_or_default();
                let Some(controller) = others.get(usize::from(controller) % others.len().max(1)) else {
                    return;
                };
                match step >> 3 & 3 {
                    0 => self.server.give(*controller, client),
                    1 => self.server.hide(*controller, client),
                    2 => self.server.show(*controller, client),
                    _ => self.server.take_back(*controller),
                }
            }
            5 => self.server.disconnected(peer),
            _ => {
                if let Some(client) = self.choose_other_client(script) {
                    self.server.kick(client);
                }
            }
        }
    }

    /// Client that an action of the host is aimed at, chosen by the next byte of the script. Never the honest
    /// one, which must keep playing; `None` if there is no other or the script ends.
    fn choose_other_client(&self, script: &mut Script<'_>) -> Option<ClientId> {
        let strangers: Vec<ClientId> =
            self.server.clients().filter(|client| Some(*client) != self.client.id()).collect();
        let at = usize::from(script.byte()?);
        strangers.get(at % strangers.len().max(1)).copied()
    }
}

/// Encoded hello message of a client with the right catalog, so that hostile peers get past the handshake.
fn hello(nonce: u64) -> Vec<u8> {
    static DICTIONARY: OnceLock<Dictionary> = OnceLock::new();
    let dictionary = DICTIONARY.get_or_init(|| Dictionary::of(catalog()));
    let hello = Hello {
        protocol: PROTOCOL,
        catalog: catalog().hash(),
        dictionary: dictionary.hash(),
        nonce,
        credential: Vec::new(),
    };
    encode_to_server(dictionary, &ToServer::Hello(hello)).unwrap_or_default()
}
