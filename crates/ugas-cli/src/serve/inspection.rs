//! The inspector of a server: the game, and what the network does to each player.

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

/// Where the inspector listens if it was not told otherwise.
const DEFAULT_ADDRESS: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 4777);

/// How often players are told of.
const REPORT_PAUSE: Duration = Duration::from_millis(100);

/// Names of bodies that players had before, for those who look at the past.
const MOST_OLD_BODIES: usize = 256;

/// Rejections of a player that wait for the next report.
const MOST_CORRECTIONS: usize = 64;

/// Datagrams of a player that are looked into in a tick; the game reads no more of a flood either.
const MOST_READ: u32 = 16;

/// What whoever watches may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rights {
    Look,
    Edit,
}

/// Shows a server's game and its players.
pub(super) struct Inspection {
    inspector: Inspector,
    dictionary: Dictionary,
    peers: BTreeMap<PeerId, Seen>,
    bodies: BTreeMap<ControllerId, String>,
    old_bodies: VecDeque<ControllerId>,
    last_report: Instant,
}

/// What was seen of a connection.
#[derive(Default)]
struct Seen {
    traffic: Traffic,
    read: u32,
    corrections: Vec<Correction>,
}

impl Inspection {
    /// Begins to listen: at the address, or near the usual one.
    ///
    /// # Errors
    /// If the address cannot be listened at.
    pub(super) fn begin(
        address: Option<SocketAddr>,
        rights: Rights,
        title: &str,
        dictionary: Dictionary,
    ) -> Result<Self, ServeError> {
        // Clients have clocks of their own: a server that stops is one that is lost.
        let settings = Settings::default().title(title).fixed_pace();
        let settings = if rights == Rights::Edit { settings.allow_edit() } else { settings };
        let inspector = match address {
            // Whoever names an address wants that one, whoever can reach it.
            Some(address) => Inspector::serve_with(address, settings.beyond_loopback())?,
            None => Inspector::serve_with(DEFAULT_ADDRESS, settings.or_any_port())?,
        };
        Ok(Self {
            inspector,
            dictionary,
            peers: BTreeMap::new(),
            bodies: BTreeMap::new(),
            old_bodies: VecDeque::new(),
            last_report: Instant::now(),
        })
    }

    /// Where it is, for people.
    pub(super) fn greeting(&self) -> String {
        crate::inspect::greeting(&self.inspector)
    }

    /// A datagram came from somebody.
    pub(super) fn came(&mut self, peer: PeerId, bytes: &[u8]) {
        // Strangers are not counted: there may be any number of them.
        let Some(seen) = self.peers.get_mut(&peer) else { return };
        seen.read = seen.read.saturating_add(1);
        match seen.read <= MOST_READ {
            true => seen.traffic.take_sent(&self.dictionary, bytes),
            false => seen.traffic.pass_over_sent(bytes),
        }
    }

    /// A datagram goes to somebody.
    pub(super) fn goes(&mut self, peer: PeerId, bytes: &[u8]) {
        if let Some(seen) = self.peers.get_mut(&peer) {
            seen.traffic.take_received(&self.dictionary, bytes);
        }
    }

    /// Somebody plays now.
    pub(super) fn joined(&mut self, peer: PeerId) {
        self.peers.insert(peer, Seen::default());
    }

    /// Somebody plays no more.
    pub(super) fn left(&mut self, peer: PeerId) {
        self.peers.remove(&peer);
    }

    /// A command of a player was rejected. What its client had shown of it, only the client knows.
    pub(super) fn rejected(&mut self, game: &Game, peer: PeerId, rejection: Rejection) {
        let Some(seen) = self.peers.get_mut(&peer) else { return };
        if self.inspector.is_watched() && seen.corrections.len() < MOST_CORRECTIONS {
            let cause = CorrectionCause::Rejected { command: String::new(), reason: rejection.to_string() };
            let time = game.server.simulation().now();
            seen.corrections.push(Correction { time, cause, differences: Vec::new() });
        }
    }

    /// Carries out what was asked for on the page.
    pub(super) fn perform(&self, game: &mut Game) {
        self.inspector.perform(|command| game.server.execute(command));
    }

    /// Tells whoever watches where changes are recorded, if they are.
    pub(super) fn recording(&self, file: Option<&Path>) {
        self.inspector.set_recording(file.map(|file| file.display().to_string()));
    }

    /// Shows the game after a tick that took so long.
    pub(super) fn show(&mut self, game: &mut Game, work: Duration) {
        if self.inspector.is_watched() {
            self.name_bodies(game);
            self.inspector.observe_events(game.server.simulation(), game.events(), work);
            if self.last_report.elapsed() >= REPORT_PAUSE {
                self.last_report = Instant::now();
                self.report(game);
            }
        }
        game.forget_events();
        self.peers.values_mut().for_each(|seen| seen.read = 0);
    }

    /// Players have names, whatever body they are in.
    fn name_bodies(&mut self, game: &Game) {
        for (_, player) in game.all_players() {
            if self.bodies.get(&player.controller) != Some(&player.name) {
                self.inspector.name(player.controller, player.name.clone());
                self.bodies.insert(player.controller, player.name.clone());
                self.old_bodies.push_back(player.controller);
            }
        }
        while self.old_bodies.len() > MOST_OLD_BODIES + game.players() {
            let Some(old) = self.old_bodies.pop_front() else { break };
            if game.all_players().any(|(_, player)| player.controller == old) {
                self.old_bodies.push_back(old);
                continue;
            }
            self.bodies.remove(&old);
            self.inspector.forget_name(old);
        }
    }

    fn report(&mut self, game: &Game) {
        let mut reports: Vec<ClientReport> = Vec::new();
        for (client, player) in game.all_players() {
            let Some(seen) = self.peers.get_mut(&player.peer) else { continue };
            let rejections: Vec<(String, u64)> = game
                .server
                .rejections(client)
                .map(|(reason, count)| (reason.to_string(), u64::from(count)))
                .collect();
            let is_taken = reports.iter().any(|report| report.name == player.name);
            let round_trip = game.server.round_trip(client);
            reports.push(ClientReport {
                // Without tokens, two may call themselves the same.
                name: if is_taken { format!("{} ({})", player.name, client.0) } else { player.name.clone() },
                plays: player.template.clone(),
                round_trip: round_trip.map(|span| span.as_seconds() * 1_000.0),
                ahead: None,
                received_bytes: seen.traffic.received_bytes(),
                sent_bytes: seen.traffic.sent_bytes(),
                received_classes: seen.traffic.received_classes(),
                sent_classes: seen.traffic.sent_classes(),
                confirmed: Some(seen.traffic.confirmed()),
                rejected: rejections.iter().map(|(_, count)| count).sum(),
                corrected: None,
                rejections,
                corrections: core::mem::take(&mut seen.corrections),
            });
        }
        self.inspector.report_network(game.server.simulation().now(), reports);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_counted_and_not_read_and_strangers_are_neither() {
        let address = Some((Ipv4Addr::LOCALHOST, 0).into());
        let mut inspection =
            Inspection::begin(address, Rights::Look, "a server", Dictionary::sized(8, 8)).unwrap();
        inspection.joined(PeerId(1));
        for _ in 0..MOST_READ + 100 {
            inspection.came(PeerId(1), &[7; 10]);
            inspection.came(PeerId(2), &[7; 10]);
            inspection.goes(PeerId(2), &[7; 10]);
        }
        assert_eq!(inspection.peers.len(), 1);
        let traffic = &inspection.peers[&PeerId(1)].traffic;
        assert_eq!(traffic.sent_bytes(), 10 * u64::from(MOST_READ + 100));
        assert_eq!(traffic.sent_classes().last().map(|(_, bytes)| *bytes), Some(1_000));
        inspection.left(PeerId(1));
        assert!(inspection.peers.is_empty());
    }

    #[test]
    fn only_other_machines_need_a_token() {
        let begin = |ip: Ipv4Addr| {
            let dictionary = Dictionary::sized(8, 8);
            Inspection::begin(Some((ip, 0).into()), Rights::Look, "a server", dictionary).unwrap().greeting()
        };
        assert!(!begin(Ipv4Addr::LOCALHOST).contains("token"));
        let open = begin(Ipv4Addr::UNSPECIFIED);
        assert!(open.contains("/#token=") && open.contains("not encrypted"), "{open}");
    }
}
