//! Many clients of one running `ugas serve`, in one process, for `tools/load.sh`: each predicts, sends 60 times a
//! second, and uses abilities at random.
//!
//! ```text
//! cargo run --release -p ugas-cli --example load_clients -- 127.0.0.1:8427 packs/spells CLIENTS SECONDS
//! ```
#![allow(clippy::print_stdout, reason = "an example prints its result")]

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use ugas_core::simulation::ActivationRequest;
use ugas_core::time::Time;
use ugas_net::message::PROTOCOL;
use ugas_net::{Client, ClientConfig};
use ugas_transport::{Admission, ClientSocket, ClientState, ConnectToken, ProtocolId};

/// Maximum number of clients, and of seconds.
const MAX_CLIENTS: u64 = 1024;
const MAX_SECONDS: u64 = 120;
const TICK: Duration = Duration::from_micros(16_667);
/// Ticks between two uses of an ability by one client.
const ACTION_TICKS: u64 = 120;

struct Player {
    client: Client,
    socket: ClientSocket,
}

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [server, pack, clients, seconds] = arguments.as_slice() else {
        anyhow::bail!("give the address, the pack, the number of clients and the seconds");
    };
    let server: SocketAddr = server.parse().context("the address")?;
    ensure!(server.ip().is_loopback(), "load is for servers on this machine only");
    let clients = clients.parse::<u64>()?.min(MAX_CLIENTS);
    let time = Duration::from_secs(seconds.parse::<u64>()?.min(MAX_SECONDS));
    let catalog = ugas_data::load(pack)?.catalog;
    let protocol = ProtocolId::of(PROTOCOL, catalog.hash());
    let mut players = Vec::new();
    for number in 0..clients {
        let token = ConnectToken::without_secrets(protocol, &Admission::new(0x10ad_0000 + number, server))?;
        let config =
            ClientConfig { credential: format!("load {number}\n").into_bytes(), ..ClientConfig::default() };
        let client = Client::new(catalog.clone(), config, number + 1);
        players.push(Player { client, socket: ClientSocket::connect(token)? });
    }
    let start = Instant::now();
    let (mut next, mut tick, mut late) = (start, 0_u64, 0_u64);
    while start.elapsed() < time {
        next += TICK;
        match next.checked_duration_since(Instant::now()) {
            Some(pause) => std::thread::sleep(pause),
            // This process, not the server, is too slow: leave ticks out instead of piling them up.
            None => {
                late += 1;
                next = Instant::now();
            }
        }
        tick += 1;
        for (number, player) in (0..).zip(&mut players) {
            player.step(start, (tick + number) % ACTION_TICKS == 0)?;
        }
    }
    let playing: Vec<&Player> = players.iter().filter(|player| player.client.is_playing()).collect();
    let mut trips: Vec<f64> =
        playing.iter().map(|player| player.client.round_trip().as_seconds() * 1000.0).collect();
    trips.sort_by(f64::total_cmp);
    let at = |share: usize| trips.get(trips.len() * share / 100).copied().unwrap_or(f64::NAN);
    let sum = |count: fn(&Player) -> u64| playing.iter().map(|player| count(player)).sum::<u64>();
    println!(
        "playing {} of {clients}; round trip {:.1} ms median, {:.1} ms p99; confirmed {}, rejected {}, \
         mispredicted ticks {}; own ticks late {:.1} %",
        playing.len(),
        at(50),
        at(99),
        sum(|player| player.client.statistics().confirmed),
        sum(|player| player.client.statistics().rejected),
        sum(|player| player.client.statistics().mispredicted),
        late as f64 * 100.0 / tick.max(1) as f64,
    );
    Ok(())
}

impl Player {
    /// Receives, advances and sends.
    fn step(&mut self, start: Instant, acts: bool) -> anyhow::Result<()> {
        self.socket.poll(Instant::now())?;
        let now = Time::from_micros(u64::try_from(start.elapsed().as_micros())?);
        while let Some(bytes) = self.socket.next_datagram() {
            self.client.handle(now, bytes);
        }
        if self.socket.state() != ClientState::Connected {
            return Ok(());
        }
        self.client.update(now);
        while self.client.poll_event().is_some() {}
        let own = self.client.own_controllers().next();
        if acts && let Some(own) = own {
            let abilities = self.client.simulation().controller(own).map(|known| known.abilities().to_vec());
            for ability in abilities.unwrap_or_default().into_iter().take(1) {
                // A refused activation is part of the load.
                let _ = self.client.activate(ability, ActivationRequest::on(own));
            }
        }
        while let Some(bytes) = self.client.poll_transmit() {
            let _ = self.socket.send(&bytes);
        }
        Ok(())
    }
}
