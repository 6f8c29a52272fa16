//! What the datagrams of a networked game are for, in bytes, and what became of commands: what the inspector shows of a
//! network, read off the wire, so that it is of what was really sent.

use std::collections::BTreeSet;

use ugas_core::effect::PredictionKey;
use ugas_net::bits::BitWriter;
use ugas_net::message::{Frames, ToClient, ToServer, Update, Verdict};
use ugas_net::wire::{self, Dictionary, Listener};

/// Answers that are remembered, so that one which is repeated until it arrives counts once.
const MOST_ANSWERS: usize = 1_024;

/// What bytes to a client are for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Down {
    Own,
    Others,
    Cues,
    Answers,
    Frame,
}

impl Down {
    const ALL: [(Self, &str); 5] = [
        (Self::Own, "own state"),
        (Self::Others, "state of others"),
        (Self::Cues, "cues"),
        (Self::Answers, "answers to commands"),
        (Self::Frame, "headers and handshake"),
    ];
}

/// What bytes from a client are for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Up {
    Commands,
    Frame,
    Unread,
}

impl Up {
    const ALL: [(Self, &str); 3] = [
        (Self::Commands, "commands"),
        (Self::Frame, "headers, acknowledgements, handshake"),
        (Self::Unread, "more than anybody reads"),
    ];
}

/// The traffic between a server and one client.
#[derive(Clone, Debug, Default)]
pub(crate) struct Traffic {
    /// In bits: parts of a datagram do not end at bytes.
    down: [u64; Down::ALL.len()],
    up: [u64; Up::ALL.len()],
    down_bytes: u64,
    up_bytes: u64,
    /// What the client heard, without which what it hears cannot be read.
    listener: Listener,
    answered: BTreeSet<PredictionKey>,
    confirmed: u64,
}

impl Traffic {
    /// Takes a datagram to the client.
    pub(crate) fn take_received(&mut self, dictionary: &Dictionary, bytes: &[u8]) {
        self.down_bytes += bytes.len() as u64;
        let mut rest = bytes.len() as u64 * 8;
        if let Ok((ToClient::Update(update), spent)) = self.listener.read_measured(dictionary, bytes) {
            self.listener.note(&update);
            self.hear_answers(&update);
            let classes = [
                (Down::Own, spent.own),
                (Down::Others, spent.others),
                (Down::Cues, spent.bursts),
                (Down::Answers, spent.results),
            ];
            for (class, bits) in classes {
                self.down[class as usize] += bits;
                rest -= bits;
            }
        }
        self.down[Down::Frame as usize] += rest;
    }

    /// Takes a datagram from the client.
    pub(crate) fn take_sent(&mut self, dictionary: &Dictionary, bytes: &[u8]) {
        self.up_bytes += bytes.len() as u64;
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
            self.up[Up::Commands as usize] += bits;
            rest -= bits;
        }
        self.up[Up::Frame as usize] += rest;
    }

    /// Counts a datagram from the client without looking into it: one of too many.
    pub(crate) fn pass_over_sent(&mut self, bytes: &[u8]) {
        self.up_bytes += bytes.len() as u64;
        self.up[Up::Unread as usize] += bytes.len() as u64 * 8;
    }

    /// Bytes to the client.
    pub(crate) fn received_bytes(&self) -> u64 {
        self.down_bytes
    }

    /// Bytes from the client.
    pub(crate) fn sent_bytes(&self) -> u64 {
        self.up_bytes
    }

    /// What bytes to the client were for.
    pub(crate) fn received_classes(&self) -> Vec<(String, u64)> {
        Down::ALL.iter().map(|(class, name)| (name.to_string(), self.down[*class as usize] / 8)).collect()
    }

    /// What bytes from the client were for.
    pub(crate) fn sent_classes(&self) -> Vec<(String, u64)> {
        let classes = Up::ALL.iter().map(|(class, name)| (name.to_string(), self.up[*class as usize] / 8));
        // Honest clients send nothing that is not read.
        let count = if self.up[Up::Unread as usize] == 0 { Up::ALL.len() - 1 } else { Up::ALL.len() };
        classes.take(count).collect()
    }

    /// Commands that the server said it carried out.
    pub(crate) fn confirmed(&self) -> u64 {
        self.confirmed
    }

    fn hear_answers(&mut self, update: &Update) {
        for result in &update.results {
            if self.answered.insert(result.key) && !matches!(result.verdict, Verdict::Rejected(_)) {
                self.confirmed += 1;
            }
        }
        while self.answered.len() > MOST_ANSWERS {
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
            states_course: true,
            parts: 1,
            results,
            ..Update::default()
        })
    }

    #[test]
    fn answers_that_are_repeated_count_once() {
        let dictionary = Dictionary::sized(8, 8);
        let result = |tick, verdict| CommandResult { key: PredictionKey::new(tick, 0), verdict };
        let results = vec![
            result(90, Verdict::Done),
            result(91, Verdict::Shifted(1)),
            result(92, Verdict::Rejected(Rejection::TooLate)),
        ];
        let mut traffic = Traffic::default();
        for packet in 1..4 {
            let bytes = wire::encode_to_client(&dictionary, &update(packet, results.clone())).unwrap();
            traffic.take_received(&dictionary, &bytes);
        }
        assert_eq!(traffic.confirmed(), 2);
        let classes = traffic.received_classes();
        assert!(classes[Down::Answers as usize].1 > 0, "{classes:?}");
        assert_eq!(classes[Down::Own as usize].1 + classes[Down::Others as usize].1, 0);
    }

    #[test]
    fn commands_are_told_from_what_carries_them() {
        let dictionary = Dictionary::sized(8, 8);
        let controller = ugas_core::handle::ControllerId::from_bits(1 << 32 | 7).unwrap();
        let frame = |tick| CommandFrame {
            tick: Tick(tick),
            commands: std::iter::once(NetCommand::Confirm(controller)).collect(),
        };
        let frames = |frames| Frames { packet: PacketId(1), ack: Ack::default(), now: Tick(100), frames };
        let mut traffic = Traffic::default();
        for frames in [frames(Vec::new()), frames(vec![frame(98), frame(99)])] {
            let bytes = wire::encode_to_server(&dictionary, &ToServer::Frames(frames)).unwrap();
            traffic.take_sent(&dictionary, &bytes);
        }
        assert!(traffic.up[Up::Commands as usize] > 0);
        assert!(traffic.up[Up::Frame as usize] > traffic.up[Up::Commands as usize]);
        assert_eq!(traffic.up.iter().sum::<u64>(), traffic.sent_bytes() * 8);
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
        assert_eq!(traffic.down.iter().sum::<u64>(), traffic.received_bytes() * 8);
        assert_eq!(traffic.received_bytes(), client.statistics().received_bytes);
        assert_eq!(traffic.sent_bytes(), client.statistics().sent_bytes);
        assert_eq!(traffic.sent_classes().len(), 2);
        traffic.pass_over_sent(&[0; 40]);
        assert_eq!(traffic.sent_classes()[2].1, 40);
        // Garbage is no reason to stop.
        traffic.take_received(&dictionary, &[0xff; 40]);
        traffic.take_sent(&dictionary, &[]);
    }
}
