//! The inspector of a server: the game, and the network statistics of each player.

use std::collections::{BTreeMap, VecDeque};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::{Duration, Instant};

use ugas_core::handle::ControllerId;
use ugas_inspect::{ClientReport, Correction, CorrectionCause, Inspector, ServeError, Settings};
use ugas_net::PeerId;
use ugas_net::message::Rejection;
use ugas_net::wire::Dictionary;

use super::game::Game;
use crate::traffic::Traffic;

/// Default address of the inspector.
const DEFAULT_ADDRESS: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 4777);

/// Interval between two reports of the players.
const REPORT_INTERVAL: Duration = Duration::from_millis(100);

/// Maximum number of former controllers of players whose names are kept for the timeline.
const MAX_FORMER_CONTROLLERS: usize = 256;

/// Maximum number of rejections of a player per report.
const MAX_CORRECTIONS: usize = 64;

/// Maximum number of a player's datagrams that are decoded in a tick.
const MAX_DECODED: u32 = 16;

/// Permissions of the inspector's page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Permission {
    ReadOnly,
    Edit,
}

/// The inspector of a server.
pub(super) struct ServerInspector {
    inspector: Inspector,
    dictionary: Dictionary,
    peers: BTreeMap<PeerId, PeerTraffic>,
    /// Names of players' controllers, current and former.
    names: BTreeMap<ControllerId, String>,
    /// Controllers in `names`, oldest first.
    name_order: VecDeque<ControllerId>,
    last_report: Instant,
}

/// Observed traffic of a peer.
#[derive(Default)]
struct PeerTraffic {
    traffic: Traffic,
    /// Number of datagrams received in this tick.
    read: u32,
    corrections: Vec<Correction>,
}

impl ServerInspector {
    /// Starts the inspector: at the address, or at the default one or any free port.
    ///
    /// # Errors
    /// If the address cannot be bound.
    pub(super) fn begin(
        address: Option<SocketAddr>,
        permission: Permission,
        title: &str,
        dictionary: Dictionary,
    ) -> Result<Self, ServeError> {
        // Clients would lose the connection to a paused server.
        let settings = Settings::default().title(title).fixed_pace();
        let settings = if permission == Permission::Edit { settings.allow_edit() } else { settings };
        let inspector = match address {
            // A given address is used even if other machines can reach it.
            Some(address) => Inspector::serve_with(address, settings.beyond_loopback())?,
            None => Inspector::serve_with(DEFAULT_ADDRESS, settings.or_any_port())?,
        };
        Ok(Self {
            inspector,
            dictionary,
            peers: BTreeMap::new(),
            names: BTreeMap::new(),
            name_order: VecDeque::new(),
            last_report: Instant::now(),
        })
    }

    /// Message with the inspector's URL.
    pub(super) fn greeting(&self) -> String {
        crate::inspect::greeting(&self.inspector)
    }

    /// Counts a datagram from a player. Beyond a limit in each tick it is counted without decoding, so that a
    /// flood costs little.
    pub(super) fn datagram_received(&mut self, peer: PeerId, bytes: &[u8]) {
        // Peers that have not joined are not counted: there may be any number of them.
        let Some(peer_traffic) = self.peers.get_mut(&peer) else { return };
        peer_traffic.read = peer_traffic.read.saturating_add(1);
        match peer_traffic.read <= MAX_DECODED {
            true => peer_traffic.traffic.take_sent(&self.dictionary, bytes),
            false => peer_traffic.traffic.skip_sent(bytes),
        }
    }

    /// Counts a datagram to a player by decoding it, as the client does.
    pub(super) fn datagram_sent(&mut self, peer: PeerId, bytes: &[u8]) {
        if let Some(peer_traffic) = self.peers.get_mut(&peer) {
            peer_traffic.traffic.take_received(&self.dictionary, bytes);
        }
    }

    /// Adds a player.
    pub(super) fn joined(&mut self, peer: PeerId) {
        self.peers.insert(peer, PeerTraffic::default());
    }

    /// Removes a player.
    pub(super) fn left(&mut self, peer: PeerId) {
        self.peers.remove(&peer);
    }

    /// Records a rejected command of a player. The predicted differences are only known to its client.
    pub(super) fn rejected(&mut self, game: &Game, peer: PeerId, rejection: Rejection) {
        let Some(peer_traffic) = self.peers.get_mut(&peer) else { return };
        if self.inspector.is_watched() && peer_traffic.corrections.len() < MAX_CORRECTIONS {
            let cause = CorrectionCause::Rejected { command: String::new(), reason: rejection.to_string() };
            let time = game.server.simulation().now();
            peer_traffic.corrections.push(Correction { time, cause, differences: Vec::new() });
        }
    }

    /// Executes the edits of the page through the server, so that they are recorded.
    pub(super) fn perform(&self, game: &mut Game) {
        self.inspector.perform(|command| game.server.execute(command));
    }

    /// Sets the recording that the page shows.
    pub(super) fn recording(&self, file: Option<&Path>) {
        self.inspector.set_recording(file.map(|file| file.display().to_string()));
    }

    /// Shows the game after a tick that took `work`.
    pub(super) fn show(&mut self, game: &mut Game, work: Duration) {
        if self.inspector.is_watched() {
            self.name_controllers(game);
            self.inspector.observe_events(game.server.simulation(), game.events(), work);
            if self.last_report.elapsed() >= REPORT_INTERVAL {
                self.last_report = Instant::now();
                self.report(game);
            }
        }
        game.forget_events();
        self.peers.values_mut().for_each(|peer_traffic| peer_traffic.read = 0);
    }

    /// Names the controllers of players on the page. Names of former players stay for a while, up to a limit.
    fn name_controllers(&mut self, game: &Game) {
        for (_, player) in game.all_players() {
            if self.names.get(&player.controller) != Some(&player.name) {
                self.inspector.name(player.controller, player.name.clone());
                self.names.insert(player.controller, player.name.clone());
                self.name_order.push_back(player.controller);
            }
        }
        while self.name_order.len() > MAX_FORMER_CONTROLLERS + game.player_count() {
            let Some(old) = self.name_order.pop_front() else { break };
            if game.all_players().any(|(_, player)| player.controller == old) {
                self.name_order.push_back(old);
                continue;
            }
            self.names.remove(&old);
            self.inspector.forget_name(old);
        }
    }

    /// Reports the network of every player to the page. Players with the same name get the number of their
    /// client.
    fn report(&mut self, game: &Game) {
        let mut reports: Vec<ClientReport> = Vec::new();
        for (client, player) in game.all_players() {
            let Some(peer_traffic) = self.peers.get_mut(&player.peer) else { continue };
            let rejections: Vec<(String, u64)> = game
                .server
                .rejections(client)
                .map(|(reason, count)| (reason.to_string(), u64::from(count)))
                .collect();
            let is_taken = reports.iter().any(|report| report.name == player.name);
            let round_trip = game.server.round_trip(client);
            reports.push(ClientReport {
                // Without tokens, two players may have the same name.
                name: if is_taken { format!("{} ({})", player.name, client.0) } else { player.name.clone() },
                plays: player.template.clone(),
                round_trip: round_trip.map(|span| span.as_seconds() * 1_000.0),
                ahead: None,
                received_bytes: peer_traffic.traffic.received_bytes(),
                sent_bytes: peer_traffic.traffic.sent_bytes(),
                received_classes: peer_traffic.traffic.received_classes(),
                sent_classes: peer_traffic.traffic.sent_classes(),
                confirmed: Some(peer_traffic.traffic.confirmed()),
                rejected: rejections.iter().map(|(_, count)| count).sum(),
                corrected: None,
                rejections,
                corrections: core::mem::take(&mut peer_traffic.corrections),
            });
        }
        self.inspector.report_network(game.server.simulation().now(), reports);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flood_is_counted_but_not_decoded_and_unjoined_peers_are_ignored() {
        let address = Some((Ipv4Addr::LOCALHOST, 0).into());
        let mut inspector =
            ServerInspector::begin(address, Permission::ReadOnly, "a server", Dictionary::sized(8, 8))
                .unwrap();
        inspector.joined(PeerId(1));
        for _ in 0..MAX_DECODED + 100 {
            inspector.datagram_received(PeerId(1), &[7; 10]);
            inspector.datagram_received(PeerId(2), &[7; 10]);
            inspector.datagram_sent(PeerId(2), &[7; 10]);
        }
        assert_eq!(inspector.peers.len(), 1);
        let traffic = &inspector.peers[&PeerId(1)].traffic;
        assert_eq!(traffic.sent_bytes(), 10 * u64::from(MAX_DECODED + 100));
        assert_eq!(traffic.sent_classes().last().map(|(_, bytes)| *bytes), Some(1_000));
        inspector.left(PeerId(1));
        assert!(inspector.peers.is_empty());
    }

    #[test]
    fn only_remote_addresses_need_a_token() {
        let begin = |ip: Ipv4Addr| {
            let dictionary = Dictionary::sized(8, 8);
            ServerInspector::begin(Some((ip, 0).into()), Permission::ReadOnly, "a server", dictionary)
                .unwrap()
                .greeting()
        };
        assert!(!begin(Ipv4Addr::LOCALHOST).contains("token"));
        let open = begin(Ipv4Addr::UNSPECIFIED);
        assert!(open.contains("/#token=") && open.contains("not encrypted"), "{open}");
    }
}
