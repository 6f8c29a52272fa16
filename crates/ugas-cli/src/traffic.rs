//! Traffic of a networked game by class, and results of commands, for the inspector. Both are decoded from
//! the datagrams that are really sent.

use std::collections::BTreeSet;

use ugas_core::effect::PredictionKey;
use ugas_net::bits::BitWriter;
use ugas_net::message::{CommandOutcome, Frames, ToClient, ToServer, Update};
use ugas_net::wire::{self, Dictionary, UpdateDecoder};

/// Maximum number of remembered results, so that repeated ones count once.
const MAX_ANSWERS: usize = 1_024;

/// Class of traffic to a client.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ToClientClass {
    Own,
    Others,
    Cues,
    Answers,
    Frame,
}

impl ToClientClass {
    const ALL: [(Self, &str); 5] = [
        (Self::Own, "own state"),
        (Self::Others, "state of others"),
        (Self::Cues, "cues"),
        (Self::Answers, "answers to commands"),
        (Self::Frame, "headers and handshake"),
    ];
}

/// Class of traffic from a client.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FromClientClass {
    Commands,
    Frame,
    Unread,
}

impl FromClientClass {
    const ALL: [(Self, &str); 3] = [
        (Self::Commands, "commands"),
        (Self::Frame, "headers, acknowledgements, handshake"),
        (Self::Unread, "excess, not decoded"),
    ];
}

/// The traffic between a server and one client.
#[derive(Clone, Debug, Default)]
pub(crate) struct Traffic {
    /// Bits by class: parts of a datagram do not end at byte boundaries.
    to_client: [u64; ToClientClass::ALL.len()],
    from_client: [u64; FromClientClass::ALL.len()],
    to_client_bytes: u64,
    from_client_bytes: u64,
    /// Delta-decoding state of the updates to the client.
    decoder: UpdateDecoder,
    answered: BTreeSet<PredictionKey>,
    confirmed: u64,
}

impl Traffic {
    /// Counts a datagram to the client, its bits by what they are for. What does not decode counts as
    /// framing.
    pub(crate) fn take_received(&mut self, dictionary: &Dictionary, bytes: &[u8]) {
        self.to_client_bytes += bytes.len() as u64;
        let mut rest = bytes.len() as u64 * 8;
        if let Ok((ToClient::Update(update), spent)) = self.decoder.read_measured(dictionary, bytes) {
            self.decoder.note(&update);
            self.count_results(&update);
            let classes = [
                (ToClientClass::Own, spent.own),
                (ToClientClass::Others, spent.others),
                (ToClientClass::Cues, spent.bursts),
                (ToClientClass::Answers, spent.results),
            ];
            for (class, bits) in classes {
                self.to_client[class as usize] += bits;
                rest -= bits;
            }
        }
        self.to_client[ToClientClass::Frame as usize] += rest;
    }

    /// Counts a datagram from the client: bits of commands, and the rest as framing.
    pub(crate) fn take_sent(&mut self, dictionary: &Dictionary, bytes: &[u8]) {
        self.from_client_bytes += bytes.len() as u64;
        let mut rest = bytes.len() as u64 * 8;
        if let Ok(ToServer::Frames(frames)) = wire::decode_to_server(dictionary, bytes)
            && !frames.frames.is_empty()
        {
            let length = |frames: Frames| {
                let written = wire::write_to_server(dictionary, &ToServer::Frames(frames), BitWriter::new());
                written.map_or(0, |bits| bits.bit_len())
            };
            let bare = length(Frames { frames: Vec::new(), ..frames.clone() });
            let bits = length(frames).saturating_sub(bare).min(rest);
            self.from_client[FromClientClass::Commands as usize] += bits;
            rest -= bits;
        }
        self.from_client[FromClientClass::Frame as usize] += rest;
    }

    /// Counts a datagram from the client without decoding it.
    pub(crate) fn skip_sent(&mut self, bytes: &[u8]) {
        self.from_client_bytes += bytes.len() as u64;
        self.from_client[FromClientClass::Unread as usize] += bytes.len() as u64 * 8;
    }

    /// Bytes to the client.
    pub(crate) fn received_bytes(&self) -> u64 {
        self.to_client_bytes
    }

    /// Bytes from the client.
    pub(crate) fn sent_bytes(&self) -> u64 {
        self.from_client_bytes
    }

    /// Bytes to the client by class.
    pub(crate) fn received_classes(&self) -> Vec<(String, u64)> {
        ToClientClass::ALL
            .iter()
            .map(|(class, name)| (name.to_string(), self.to_client[*class as usize] / 8))
            .collect()
    }

    /// Bytes from the client by name of their class. The class of datagrams that were not decoded is left out
    /// if it is empty.
    pub(crate) fn sent_classes(&self) -> Vec<(String, u64)> {
        let classes = FromClientClass::ALL
            .iter()
            .map(|(class, name)| (name.to_string(), self.from_client[*class as usize] / 8));
        // Omit the class of excess datagrams if it is empty.
        let count = if self.from_client[FromClientClass::Unread as usize] == 0 {
            FromClientClass::ALL.len() - 1
        } else {
            FromClientClass::ALL.len()
        };
        classes.take(count).collect()
    }

    /// Number of commands that were answered and not rejected, each once.
    pub(crate) fn confirmed(&self) -> u64 {
        self.confirmed
    }

    /// Counts results of commands. They are repeated until acknowledged, so the answered keys are remembered,
    /// up to a limit.
    fn count_results(&mut self, update: &Update) {
        for result in &update.results {
            if self.answered.insert(result.key) && !matches!(result.outcome, CommandOutcome::Rejected(_)) {
                self.confirmed += 1;
            }
        }
        while self.answered.len() > MAX_ANSWERS {
            self.answered.pop_first();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ugas_core::catalog::Catalog;
    use ugas_core::simulation::{Config, Simulation};
    use ugas_core::time::Time;
    use ugas_net::message::{Ack, CommandFrame, CommandResult, NetCommand, PacketId, Rejection};
    use ugas_net::{Client, ClientConfig, PeerId, Server, ServerConfig, Tick};

    use super::*;

    fn update(packet: u32, results: Vec<CommandResult>) -> ToClient {
        ToClient::Update(Update {
            packet: PacketId(packet),
            tick: Tick(100),
            states_stream: true,
            parts: 1,
            results,
            ..Update::default()
        })
    }

    #[test]
    fn repeated_results_count_once() {
        let dictionary = Dictionary::sized(8, 8);
        let result = |tick, outcome| CommandResult { key: PredictionKey::new(tick, 0), outcome };
        let results = vec![
            result(90, CommandOutcome::Done),
            result(91, CommandOutcome::Shifted(1)),
            result(92, CommandOutcome::Rejected(Rejection::TooLate)),
        ];
        let mut traffic = Traffic::default();
        for packet in 1..4 {
            let bytes = wire::encode_to_client(&dictionary, &update(packet, results.clone())).unwrap();
            traffic.take_received(&dictionary, &bytes);
        }
        assert_eq!(traffic.confirmed(), 2);
        let classes = traffic.received_classes();
        assert!(classes[ToClientClass::Answers as usize].1 > 0, "{classes:?}");
        assert_eq!(classes[ToClientClass::Own as usize].1 + classes[ToClientClass::Others as usize].1, 0);
    }

    #[test]
    fn command_bits_are_separated_from_headers() {
        let dictionary = Dictionary::sized(8, 8);
        let controller = ugas_core::handle::ControllerId::from_bits(1 << 32 | 7).unwrap();
        let frame = |tick| CommandFrame {
            tick: Tick(tick),
            commands: std::iter::once(NetCommand::Confirm(controller)).collect(),
        };
        let frames =
            |frames| Frames { session: 1, packet: PacketId(1), ack: Ack::default(), now: Tick(100), frames };
        let mut traffic = Traffic::default();
        for frames in [frames(Vec::new()), frames(vec![frame(98), frame(99)])] {
            let bytes = wire::encode_to_server(&dictionary, &ToServer::Frames(frames)).unwrap();
            traffic.take_sent(&dictionary, &bytes);
        }
        assert!(traffic.from_client[FromClientClass::Commands as usize] > 0);
        assert!(
            traffic.from_client[FromClientClass::Frame as usize]
                > traffic.from_client[FromClientClass::Commands as usize]
        );
        assert_eq!(traffic.from_client.iter().sum::<u64>(), traffic.sent_bytes() * 8);
    }

    #[test]
    fn every_byte_of_a_session_has_a_class() {
        let catalog = Catalog::builder().build().unwrap();
        let simulation = Simulation::new(Arc::clone(&catalog), Config::default());
        let mut server = Server::new(simulation, ServerConfig::default());
        let mut client = Client::new(Arc::clone(&catalog), ClientConfig::default(), 7);
        let dictionary = Dictionary::of(&catalog);
        let mut traffic = Traffic::default();
        for tick in 0..200u64 {
            let now = Time::from_micros(tick * 16_667);
            client.update(now);
            while let Some(bytes) = client.poll_transmit() {
                traffic.take_sent(&dictionary, &bytes);
                server.handle(now, PeerId(1), &bytes);
            }
            server.tick(now);
            while let Some(transmit) = server.poll_transmit() {
                traffic.take_received(&dictionary, &transmit.bytes);
                client.handle(now, &transmit.bytes);
            }
        }
        assert!(client.is_playing());
        assert_eq!(traffic.to_client.iter().sum::<u64>(), traffic.received_bytes() * 8);
        assert_eq!(traffic.received_bytes(), client.statistics().received_bytes);
        assert_eq!(traffic.sent_bytes(), client.statistics().sent_bytes);
        assert_eq!(traffic.sent_classes().len(), 2);
        traffic.skip_sent(&[0; 40]);
        assert_eq!(traffic.sent_classes()[2].1, 40);
        // Invalid datagrams are counted, too.
        traffic.take_received(&dictionary, &[0xff; 40]);
        traffic.take_sent(&dictionary, &[]);
    }
}
