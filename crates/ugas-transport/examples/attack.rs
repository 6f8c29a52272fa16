//! Attacks a server of its own on loopback, bounded in number and time, and measures what newcomers and players
//! notice. `tools/attack.sh` runs all of them.
//!
//! ```text
//! cargo run --release -p ugas-transport --example attack -- none|half-open|requests|player SECONDS
//! ```
//!
//! - `half-open`: valid requests of an open server from 4,096 addresses, none of which answers its challenge.
//! - `requests`: the same request as fast as possible from 4,096 addresses that never read an answer, as a
//!   sender of forged source addresses.
//! - `player`: forged datagrams with the source address of a connected player.
#![allow(clippy::print_stdout, reason = "an example prints its result")]

use std::error::Error;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use ugas_transport::{
    Access, Admission, ClientSocket, ClientState, ConnectToken, MAX_LIFE, ProtocolId, ServerConfig,
    ServerEvent, ServerSocket, Statistics,
};

/// Maximum duration of an attack.
const MAX_SECONDS: u64 = 60;
/// Maximum number of attacking datagrams.
const MAX_DATAGRAMS: u64 = 5_000_000;
/// Number of attacking addresses, all of them in 127.0.0.0/8.
const ADDRESSES: u32 = 4096;
/// Polls of the server in a second.
const TICK: Duration = Duration::from_micros(16_667);

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let kind = arguments.next().unwrap_or_else(|| "none".to_owned());
    let seconds: u64 = arguments.next().as_deref().unwrap_or("5").parse()?;
    let time = Duration::from_secs(seconds.min(MAX_SECONDS));
    let protocol = ProtocolId::of(1, 0xa77ac);
    let config = ServerConfig::new((Ipv4Addr::LOCALHOST, 0).into(), protocol, Access::OpenOnLoopback);
    let server = ServerSocket::bind(config.max_clients(256))?;
    let address = server.local_addr();
    let is_over = Arc::new(AtomicBool::new(false));
    let running = thread::spawn({
        let is_over = Arc::clone(&is_over);
        move || serve(server, &is_over)
    });
    // The player's datagrams go through a relay, whose address the server takes for the player's.
    let relay = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    let reached = relay.local_addr()?;
    thread::spawn({
        let relay = relay.try_clone()?;
        move || forward(&relay, address)
    });
    let mut player = connected(protocol, reached, 1)?;
    let sent = Arc::new(AtomicU64::new(0));
    let attack = thread::spawn({
        let (is_over, sent, kind) = (Arc::clone(&is_over), Arc::clone(&sent), kind.clone());
        move || match kind.as_str() {
            "half-open" => requests(protocol, address, &is_over, &sent, Duration::from_micros(200)),
            "requests" => requests(protocol, address, &is_over, &sent, Duration::ZERO),
            _ => Ok(()),
        }
    });

    let begin = Instant::now();
    let (mut echoes, mut asked) = (0_u64, 0_u64);
    let mut delays = Vec::new();
    let mut newcomer = 100;
    let mut pending: Option<(ClientSocket, Instant)> = None;
    let mut failed = 0;
    let mut next = begin;
    while begin.elapsed() < time {
        next += TICK;
        thread::sleep(next.saturating_duration_since(Instant::now()));
        let now = Instant::now();
        player.send(b"ping")?;
        asked += 1;
        if kind == "player" {
            forge(&relay, address, &sent);
        }
        player.poll(now)?;
        while player.next_datagram().is_some() {
            echoes += 1;
        }
        match &mut pending {
            None => {
                newcomer += 1;
                pending = Some((connecting(protocol, address, newcomer)?, now));
            }
            Some((client, since)) => {
                client.poll(now)?;
                match client.state() {
                    ClientState::Connecting => {}
                    state => {
                        delays.push(since.elapsed());
                        failed += u64::from(state != ClientState::Connected);
                        pending = None;
                    }
                }
            }
        }
    }
    is_over.store(true, Ordering::Relaxed);
    attack.join().map_err(|_| "the attack failed")??;
    let (statistics, busy) = running.join().map_err(|_| "the server failed")??;
    delays.sort();
    let percentile =
        |share: usize| delays.get(delays.len() * share / 100).map_or(f64::NAN, Duration::as_secs_f64);
    let rate = sent.load(Ordering::Relaxed) as f64 / begin.elapsed().as_secs_f64();
    println!(
        "| {kind} | {rate:.0} | {} of {} | {:.0} ms | {:.0} ms | {:.1} % | {} | {:.0} % |",
        delays.len() as u64 - failed,
        delays.len(),
        percentile(50) * 1000.0,
        percentile(99) * 1000.0,
        echoes as f64 * 100.0 / asked as f64,
        statistics.cookies,
        busy.as_secs_f64() * 100.0 / begin.elapsed().as_secs_f64(),
    );
    Ok(())
}

/// Runs the server at 60 polls a second, and returns its counts and the time that it worked.
fn serve(mut server: ServerSocket, is_over: &AtomicBool) -> Result<(Statistics, Duration)> {
    let mut busy = Duration::ZERO;
    let mut next = Instant::now();
    while !is_over.load(Ordering::Relaxed) {
        next += TICK;
        thread::sleep(next.saturating_duration_since(Instant::now()));
        let began = Instant::now();
        server.poll(began)?;
        let mut echo = Vec::new();
        while let Some(event) = server.next_event() {
            if let ServerEvent::Datagram { peer, .. } = event {
                echo.push(peer);
            }
        }
        for peer in echo {
            let _ = server.send(peer, b"pong");
        }
        busy += began.elapsed();
    }
    Ok((server.statistics().clone(), busy))
}

fn connecting(protocol: ProtocolId, server: SocketAddr, peer: u64) -> Result<ClientSocket> {
    Ok(ClientSocket::connect(ConnectToken::without_secrets(protocol, &Admission::new(peer, server))?)?)
}

fn connected(protocol: ProtocolId, server: SocketAddr, peer: u64) -> Result<ClientSocket> {
    let mut client = connecting(protocol, server, peer)?;
    while client.state() == ClientState::Connecting {
        client.wait(Duration::from_millis(5))?;
        client.poll(Instant::now())?;
    }
    Ok(client)
}

/// Sends valid requests from many addresses, and reads no answers.
fn requests(
    protocol: ProtocolId,
    server: SocketAddr,
    is_over: &AtomicBool,
    sent: &AtomicU64,
    pause: Duration,
) -> Result<()> {
    let request = request(protocol)?;
    let mut sockets = Vec::new();
    for number in 0..ADDRESSES {
        // 127.1.0.0 and so on: other machines cannot be meant.
        let ip = Ipv4Addr::from_bits(0x7f01_0000 + number);
        match UdpSocket::bind((ip, 0)) {
            Ok(socket) => sockets.push(socket),
            // The limit of open files.
            Err(_) => break,
        }
    }
    let mut number = 0_usize;
    while !is_over.load(Ordering::Relaxed) && sent.load(Ordering::Relaxed) < MAX_DATAGRAMS {
        for _ in 0..16 {
            number += 1;
            if sockets[number % sockets.len()].send_to(&request, server).is_ok() {
                sent.fetch_add(1, Ordering::Relaxed);
            }
        }
        if !pause.is_zero() {
            thread::sleep(pause * 16);
        }
    }
    Ok(())
}

/// A connection request with a token that is valid for a day.
fn request(protocol: ProtocolId) -> Result<Vec<u8>> {
    let relay = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    let admission = Admission::new(99, relay.local_addr()?).valid_for(MAX_LIFE);
    let mut client = ClientSocket::connect(ConnectToken::without_secrets(protocol, &admission)?)?;
    client.poll(Instant::now())?;
    let mut buffer = vec![0; 2000];
    let (length, _) = relay.recv_from(&mut buffer)?;
    buffer.truncate(length);
    Ok(buffer)
}

/// Forwards datagrams between one client and the server, until the process ends.
fn forward(relay: &UdpSocket, server: SocketAddr) {
    let mut buffer = [0; 2000];
    let mut client = None;
    while let Ok((length, from)) = relay.recv_from(&mut buffer) {
        let to = if from == server { client } else { Some(server) };
        if from != server {
            client = Some(from);
        }
        if let Some(to) = to {
            let _ = relay.send_to(&buffer[..length], to);
        }
    }
}

/// Sends forged datagrams with the source address of the player: 30,000 a second.
fn forge(relay: &UdpSocket, server: SocketAddr, sent: &AtomicU64) {
    let mut forged = [7; 200];
    for number in 0..500_u32 {
        if sent.fetch_add(1, Ordering::Relaxed) >= MAX_DATAGRAMS {
            break;
        }
        forged[0] = 0x45;
        forged[1..5].copy_from_slice(&(1_000_000 + number).to_le_bytes());
        let _ = relay.send_to(&forged, server);
    }
}
