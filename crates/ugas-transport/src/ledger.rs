//! Tokens that have been shown to a server, so that each lets in once, from one address.
//!
//! A connection's keys are in its token. Were a token to let in twice, the second connection would use the same keys with the
//! same sequence numbers, which gives both away; and what was recorded of the first could be replayed into the second.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use crate::refusal::Refusal;
use crate::seal::{Seal, Ticket};

/// Tokens remembered at once. Only holders of valid tokens can fill it.
const MAX_TOKENS: usize = 16_384;
/// Answers to one token before it has let anybody in; honest clients ask four times a second until they time out.
const MAX_ANSWERS: usize = 256;
/// How long an open server remembers a token, however long it is good for: longer than anybody knocks with one. There
/// everybody makes tokens, so whoever likes to could fill the ledger, for as long as tokens live, and lock everybody out.
///
/// What is forgotten can be shown again, and that gains nothing: while its peer is connected it is refused for that, and
/// afterwards whoever could use it, with keys that everybody can read in it, could as well have made one of their own.
pub(crate) const OPEN_MEMORY: Duration = Duration::from_secs(60);
const CLEANING_PAUSE: Duration = Duration::from_secs(1);

#[derive(Debug, Default)]
pub(crate) struct Ledger {
    tokens: BTreeMap<Seal, Entry>,
    /// The token of an attempt that is under way from an address.
    attempts: BTreeMap<SocketAddr, Seal>,
    cleaned: Duration,
}

#[derive(Debug)]
struct Entry {
    address: SocketAddr,
    expires: Duration,
    is_spent: bool,
    answers: Vec<u64>,
}

/// Whether a token was shown before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sight {
    First,
    Repeated,
}

impl Ledger {
    /// Enters a token that is shown from an address.
    pub(crate) fn enter(
        &mut self,
        ticket: &Ticket,
        address: SocketAddr,
        now: Duration,
    ) -> Result<Sight, Refusal> {
        self.clean(now);
        if let Some(entry) = self.tokens.get(&ticket.seal) {
            return if entry.is_spent || entry.address != address {
                Err(Refusal::TokenUsed)
            } else if entry.answers.len() >= MAX_ANSWERS {
                Err(Refusal::Busy)
            } else {
                Ok(Sight::Repeated)
            };
        }
        if self.tokens.len() >= MAX_TOKENS || self.attempts.contains_key(&address) {
            return Err(Refusal::Busy);
        }
        let entry = Entry { address, expires: ticket.expires, is_spent: false, answers: Vec::new() };
        self.tokens.insert(ticket.seal, entry);
        self.attempts.insert(address, ticket.seal);
        Ok(Sight::First)
    }

    /// Whether an attempt is under way from an address.
    pub(crate) fn expects(&self, address: SocketAddr) -> bool {
        self.attempts.contains_key(&address)
    }

    /// Notes the sequence number of an answer that was encrypted with a key of the token.
    pub(crate) fn note_answer(&mut self, address: SocketAddr, sequence: u64) {
        let seal = self.attempts.get(&address);
        if let Some(entry) = seal.and_then(|seal| self.tokens.get_mut(seal)) {
            entry.answers.push(sequence);
        }
    }

    /// The attempt from an address succeeded: its token is spent. Gives the sequence numbers used so far.
    pub(crate) fn spend(&mut self, address: SocketAddr) -> Vec<u64> {
        let seal = self.attempts.remove(&address);
        let Some(entry) = seal.and_then(|seal| self.tokens.get_mut(&seal)) else { return Vec::new() };
        entry.is_spent = true;
        std::mem::take(&mut entry.answers)
    }

    /// Forgets what has expired, which is refused for that reason from then on.
    fn clean(&mut self, now: Duration) {
        if now < self.cleaned + CLEANING_PAUSE {
            return;
        }
        self.cleaned = now;
        self.tokens.retain(|_, entry| entry.expires > now);
        let tokens = &self.tokens;
        self.attempts.retain(|_, seal| tokens.contains_key(seal));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::from_secs(100);

    fn ticket(number: u8) -> Ticket {
        Ticket { peer: u64::from(number), seal: [number; 16], expires: NOW + Duration::from_secs(60) }
    }

    fn address(port: u16) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], port))
    }

    #[test]
    fn a_token_lets_in_once() {
        let mut ledger = Ledger::default();
        assert_eq!(ledger.enter(&ticket(1), address(1), NOW), Ok(Sight::First));
        assert_eq!(ledger.enter(&ticket(1), address(1), NOW), Ok(Sight::Repeated));
        assert_eq!(ledger.enter(&ticket(1), address(2), NOW), Err(Refusal::TokenUsed));
        assert_eq!(ledger.enter(&ticket(2), address(1), NOW), Err(Refusal::Busy));
        assert!(ledger.expects(address(1)) && !ledger.expects(address(2)));

        ledger.note_answer(address(1), 5);
        assert_eq!(ledger.spend(address(1)), [5]);
        assert!(!ledger.expects(address(1)));
        assert_eq!(ledger.enter(&ticket(1), address(1), NOW), Err(Refusal::TokenUsed));
        assert_eq!(ledger.enter(&ticket(2), address(1), NOW), Ok(Sight::First));
    }

    #[test]
    fn what_has_expired_is_forgotten() {
        let mut ledger = Ledger::default();
        assert_eq!(ledger.enter(&ticket(1), address(1), NOW), Ok(Sight::First));
        let late = NOW + Duration::from_secs(60);
        let fresh = Ticket { expires: late + Duration::from_secs(60), ..ticket(2) };
        assert_eq!(ledger.enter(&fresh, address(1), late), Ok(Sight::First));
        assert_eq!(ledger.tokens.len(), 1);
    }

    #[test]
    fn an_open_server_is_not_locked_for_longer_than_a_minute() {
        let mut ledger = Ledger::default();
        let expires = NOW + Duration::from_secs(24 * 60 * 60);
        for number in 0..MAX_TOKENS as u32 {
            let mut seal = [0; 16];
            seal[..4].copy_from_slice(&number.to_le_bytes());
            let forged = Ticket { seal, expires, ..ticket(1) }.remembered(OPEN_MEMORY, NOW);
            let place = SocketAddr::from((number.to_le_bytes(), 1));
            assert_eq!(ledger.enter(&forged, place, NOW), Ok(Sight::First));
        }
        let honest = Ticket { expires, ..ticket(200) };
        assert_eq!(ledger.enter(&honest, address(9), NOW), Err(Refusal::Busy));
        let later = NOW + OPEN_MEMORY;
        assert_eq!(ledger.enter(&honest, address(9), later), Ok(Sight::First));
    }

    #[test]
    fn memory_is_bounded() {
        let mut ledger = Ledger::default();
        for number in 0..MAX_TOKENS as u32 {
            let mut seal = [0; 16];
            seal[..4].copy_from_slice(&number.to_le_bytes());
            let place = SocketAddr::from((number.to_le_bytes(), 1));
            assert_eq!(ledger.enter(&Ticket { seal, ..ticket(1) }, place, NOW), Ok(Sight::First));
        }
        assert_eq!(ledger.enter(&ticket(200), address(9), NOW), Err(Refusal::Busy));
        let mut ledger = Ledger::default();
        assert_eq!(ledger.enter(&ticket(1), address(1), NOW), Ok(Sight::First));
        (0..MAX_ANSWERS as u64).for_each(|sequence| ledger.note_answer(address(1), sequence));
        assert_eq!(ledger.enter(&ticket(1), address(1), NOW), Err(Refusal::Busy));
    }
}
