//! Encoding of the handshake: [`Hello`], [`Resume`], [`Welcome`], [`Refused`], [`ByeReason`].
//!
//! These messages are rare, so their fields have fixed widths. Kinds, `Hello` and the refusals known here
//! stay the same in all future protocols, so that peers of different releases can report why they refuse each
//! other.

use super::error::EncodeError;
use super::values::{Decoder, Encoder};
use crate::bits::{WireError, WireErrorKind};
use crate::limits::{MAX_CREDENTIAL, MAX_REASON};
use crate::message::{ByeReason, ClientId, Hello, Refused, RefusedReason, Resume, ResumeSecret, Welcome};
use crate::tick::{Tick, TickLength};

/// Bits of the kind of a refusal and of the reason of a bye.
const REASON_BITS: u32 = 4;
/// A tick has at most a million microseconds.
const LENGTH_BITS: u32 = 20;

impl Encoder<'_> {
    /// Writes a hello; an error if the credential is longer than [`MAX_CREDENTIAL`].
    pub(super) fn hello(&mut self, hello: &Hello) -> Result<(), EncodeError> {
        self.bits.bits(u64::from(hello.protocol), 32);
        self.bits.bits(hello.catalog, 64);
        self.bits.bits(hello.dictionary, 64);
        self.bits.bits(hello.nonce, 64);
        self.bytes("bytes of a credential", &hello.credential, MAX_CREDENTIAL)
    }

    pub(super) fn resume(&mut self, resume: &Resume) {
        self.bits.bits(u64::from(resume.client.0), 32);
        self.bits.bits(resume.nonce, 64);
        self.secret(&resume.secret);
    }

    fn secret(&mut self, secret: &ResumeSecret) {
        secret.0.iter().for_each(|byte| self.bits.bits(u64::from(*byte), 8));
    }

    /// Writes a welcome. The length of a tick is in whole microseconds, from which the client finds the rate.
    pub(super) fn welcome(&mut self, welcome: &Welcome) {
        self.bits.bits(welcome.nonce, 64);
        self.bits.bits(u64::from(welcome.client.0), 32);
        self.bits.bits(u64::from(welcome.session), 8);
        self.bits.bits(u64::from(welcome.tick.0), 32);
        self.bits.bits(u64::from(welcome.length.micros()), LENGTH_BITS);
        self.bits.bits(welcome.prediction_seed, 64);
        self.bits.bits(u64::from(welcome.max_lead), 32);
        self.bits.bits(u64::from(welcome.secret.is_some()), 1);
        if let Some(secret) = &welcome.secret {
            self.secret(secret);
        }
        self.bits.bits(u64::from(welcome.resumed.is_some()), 1);
        if let Some(tick) = welcome.resumed {
            self.bits.bits(u64::from(tick.0), 32);
        }
    }

    /// Writes a refusal; an error if the host's reason is longer than [`MAX_REASON`].
    pub(super) fn refused(&mut self, refused: &Refused) -> Result<(), EncodeError> {
        self.bits.bits(refused.nonce, 64);
        let mut pair = |kind, server: u64, client: u64, width| {
            self.bits.bits(kind, REASON_BITS);
            self.bits.bits(server, width);
            self.bits.bits(client, width);
        };
        match &refused.reason {
            RefusedReason::Protocol { server, client } => {
                pair(0, u64::from(*server), u64::from(*client), 32);
            }
            RefusedReason::Catalog { server, client } => pair(1, *server, *client, 64),
            RefusedReason::Full => self.bits.bits(2, REASON_BITS),
            RefusedReason::Denied(reason) => {
                self.bits.bits(3, REASON_BITS);
                self.bytes("bytes of a reason", reason.as_bytes(), MAX_REASON)?;
            }
            RefusedReason::Dictionary { server, client } => pair(4, *server, *client, 64),
            RefusedReason::Ended(reason) => {
                self.bits.bits(5, REASON_BITS);
                self.bye(*reason);
            }
            RefusedReason::NoSession => self.bits.bits(6, REASON_BITS),
        }
        Ok(())
    }

    pub(super) fn bye(&mut self, reason: ByeReason) {
        let kind = match reason {
            ByeReason::Shutdown => 0,
            ByeReason::TimedOut => 1,
            ByeReason::Kicked => 2,
            ByeReason::Misbehaved => 3,
        };
        self.bits.bits(kind, REASON_BITS);
    }
}

impl Decoder<'_> {
    pub(super) fn hello(&mut self) -> Result<Hello, WireError> {
        Ok(Hello {
            protocol: self.word()?,
            catalog: self.bits.bits(64)?,
            dictionary: self.bits.bits(64)?,
            nonce: self.bits.bits(64)?,
            credential: self.bytes("bytes of a credential", MAX_CREDENTIAL)?,
        })
    }

    pub(super) fn resume(&mut self) -> Result<Resume, WireError> {
        let (client, nonce) = (ClientId(self.word()?), self.bits.bits(64)?);
        Ok(Resume { client, nonce, secret: self.secret()? })
    }

    fn secret(&mut self) -> Result<ResumeSecret, WireError> {
        let mut secret = ResumeSecret([0; ResumeSecret::BYTES]);
        for byte in &mut secret.0 {
            *byte = self.bits.bits(8)? as u8;
        }
        Ok(secret)
    }

    /// Reads a welcome; a tick length that is not from a millisecond to a second is an error.
    pub(super) fn welcome(&mut self) -> Result<Welcome, WireError> {
        let nonce = self.bits.bits(64)?;
        let client = ClientId(self.word()?);
        let session = self.bits.bits(8)? as u8;
        let tick = Tick(self.word()?);
        let too_large = self.bits.error(WireErrorKind::TooLarge);
        let length = TickLength::from_micros(self.bits.bits(LENGTH_BITS)? as u32).ok_or(too_large)?;
        let prediction_seed = self.bits.bits(64)?;
        let max_lead = self.word()?;
        let secret = if self.bits.bits(1)? == 1 { Some(self.secret()?) } else { None };
        let resumed = if self.bits.bits(1)? == 1 { Some(Tick(self.word()?)) } else { None };
        Ok(Welcome { nonce, client, session, tick, length, prediction_seed, max_lead, secret, resumed })
    }

    /// Reads a refusal; an unknown kind of reason is an error.
    pub(super) fn refused(&mut self) -> Result<Refused, WireError> {
        let nonce = self.bits.bits(64)?;
        let begin = self.bits.position();
        let reason = match self.bits.bits(REASON_BITS)? {
            0 => RefusedReason::Protocol { server: self.word()?, client: self.word()? },
            1 => RefusedReason::Catalog { server: self.bits.bits(64)?, client: self.bits.bits(64)? },
            2 => RefusedReason::Full,
            3 => RefusedReason::Denied(self.text("bytes of a reason", MAX_REASON)?),
            4 => RefusedReason::Dictionary { server: self.bits.bits(64)?, client: self.bits.bits(64)? },
            5 => RefusedReason::Ended(self.bye()?),
            6 => RefusedReason::NoSession,
            found => return self.error_at(begin, WireErrorKind::UnknownKind { what: "refusal", found }),
        };
        Ok(Refused { nonce, reason })
    }

    /// Reads why the server ended the session; an unknown reason is an error.
    pub(super) fn bye(&mut self) -> Result<ByeReason, WireError> {
        let begin = self.bits.position();
        match self.bits.bits(REASON_BITS)? {
            0 => Ok(ByeReason::Shutdown),
            1 => Ok(ByeReason::TimedOut),
            2 => Ok(ByeReason::Kicked),
            3 => Ok(ByeReason::Misbehaved),
            found => self.error_at(begin, WireErrorKind::UnknownKind { what: "reason to part", found }),
        }
    }

    /// Reads a number of 32 bits.
    fn word(&mut self) -> Result<u32, WireError> {
        self.bits.bits(32).map(|word| word as u32)
    }
}
