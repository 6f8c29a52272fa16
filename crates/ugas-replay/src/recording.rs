//! [`Recording`]: reads a recording, even if it is torn or damaged.

use std::io::{BufReader, Read, Seek, SeekFrom};

use ugas_core::codec::Decoder;
use ugas_core::debug::ControllerNames;
use ugas_core::handle::ControllerId;
use ugas_core::time::Time;

use crate::error::{Damage, ReadError};
use crate::format::{self, End, FOOT, HEAD, Header, Kind, MAGIC, MAX_PAYLOAD, PRELUDE, Tick};

/// How a recording ends.
#[derive(Clone, PartialEq, Debug)]
pub enum Tail {
    /// With an end mark.
    Complete,
    /// Between two frames: the writer crashed or is still writing.
    Unfinished,
    /// Inside a frame, which was dropped.
    Torn {
        /// Byte offset of the frame.
        at: u64,
        /// Number of dropped bytes.
        dropped: u64,
    },
    /// With a damaged frame; everything from there on is ignored.
    Damaged(Damage),
}

/// An indexed recording: every frame was checked, and its offset is known.
///
/// Memory is bounded by the size of the file: lengths in it are only trusted as far as there are bytes.
pub struct Recording<R> {
    reader: BufReader<R>,
    header: Header,
    frames: Vec<Frame>,
    ticks: Vec<TickEntry>,
    keys: Vec<KeyEntry>,
    names: ControllerNames,
    tail: Tail,
    size: u64,
}

/// The offset, length, kind and checksum of a frame.
#[derive(Clone, Copy, Debug)]
struct Frame {
    at: u64,
    length: u32,
    kind: u8,
    check: u64,
}

#[derive(Clone, Copy, Debug)]
struct TickEntry {
    frame: u32,
    time: Time,
    hash: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
struct KeyEntry {
    frame: u32,
    ticks: u64,
}

/// Why indexing stopped.
#[derive(Debug)]
enum Stop {
    Io(std::io::Error),
    Torn { at: u64 },
    Damaged { at: u64, what: String },
}

impl<R: Read + Seek> Recording<R> {
    /// Opens a recording. A torn end is dropped, which [`tail`](Self::tail) reports.
    ///
    /// # Errors
    /// If it is not a recording, or damaged before its end.
    pub fn open(reader: R) -> Result<Self, ReadError> {
        let recording = Self::salvage(reader)?;
        match recording.tail {
            Tail::Damaged(damage) => Err(damage.into()),
            _ => Ok(recording),
        }
    }

    /// Opens a recording that may be damaged, up to the damage.
    ///
    /// # Errors
    /// If it is not a recording, or nothing of it is readable.
    pub fn salvage(reader: R) -> Result<Self, ReadError> {
        let mut reader = BufReader::new(reader);
        let size = reader.seek(SeekFrom::End(0))?;
        reader.seek(SeekFrom::Start(0))?;
        let mut prelude = Vec::new();
        reader.by_ref().take(PRELUDE as u64).read_to_end(&mut prelude)?;
        let begins_well = prelude.iter().zip(MAGIC).all(|(found, expected)| *found == expected);
        if !begins_well || prelude.is_empty() {
            return Err(ReadError::NotARecording);
        }
        let Ok(prelude) = <[u8; PRELUDE]>::try_from(prelude) else { return Err(ReadError::NoHeader(size)) };
        let [.., a, b, c, d] = prelude;
        let found = u32::from_le_bytes([a, b, c, d]);
        if found != format::VERSION {
            return Err(ReadError::UnknownVersion { found });
        }
        let chain = format::first_chain(&prelude);
        let (frame, payload) = match next_frame(&mut reader, PRELUDE as u64, size, chain) {
            Ok(Some(found)) => found,
            Ok(None) | Err(Stop::Torn { .. }) => return Err(ReadError::NoHeader(size)),
            Err(Stop::Io(error)) => return Err(error.into()),
            Err(Stop::Damaged { at, what }) => return Err(Damage { at, ticks: 0, what }.into()),
        };
        if frame.kind != Kind::Header.byte() {
            let what = format!("the first frame is of kind {}, not the header", frame.kind);
            return Err(Damage { at: frame.at, ticks: 0, what }.into());
        }
        let mut recording = Self {
            reader,
            header: Header::from_payload(&payload).map_err(ReadError::Header)?,
            frames: vec![frame],
            ticks: Vec::new(),
            keys: Vec::new(),
            names: ControllerNames::default(),
            tail: Tail::Unfinished,
            size,
        };
        recording.index_frames()?;
        Ok(recording)
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// How the recording ends.
    pub fn tail(&self) -> &Tail {
        &self.tail
    }

    /// The number of whole ticks.
    pub fn ticks(&self) -> u64 {
        self.ticks.len() as u64
    }

    /// The number of key frames.
    pub fn key_frames(&self) -> u64 {
        self.keys.len() as u64
    }

    /// The size of the file in bytes, including a torn end.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The time after a number of ticks; `None` before the first and after the last.
    pub fn time_after(&self, ticks: u64) -> Option<Time> {
        self.entry(ticks).map(|entry| entry.time)
    }

    /// The recorded hash of the state after a number of ticks; `None` before the first, after the last, and where
    /// none was recorded ([`Settings::hash_every`](crate::Settings::hash_every)).
    pub fn hash_after(&self, ticks: u64) -> Option<u64> {
        self.entry(ticks).and_then(|entry| entry.hash)
    }

    /// The number of ticks that end at or before a time.
    pub fn ticks_until(&self, time: Time) -> u64 {
        self.ticks.partition_point(|entry| entry.time <= time) as u64
    }

    /// The names of controllers, in the order of their handles.
    pub fn names(&self) -> impl Iterator<Item = (ControllerId, &str)> {
        self.names.iter()
    }

    /// The recorded name of a controller; by default its handle. [`Player::name_of`](crate::Player::name_of) also
    /// has the names of summons.
    pub fn name_of(&self, controller: ControllerId) -> String {
        self.names.given(controller).map_or_else(|| format!("{controller:?}"), str::to_owned)
    }

    /// The names of controllers, for texts with names instead of handles.
    pub fn controller_names(&self) -> &ControllerNames {
        &self.names
    }

    /// A tick, counted from 0; `None` if there are fewer.
    ///
    /// # Errors
    /// If the file cannot be read, was changed meanwhile, or the commands cannot be decoded.
    pub fn tick(&mut self, index: u64) -> Result<Option<Tick>, crate::PlayError> {
        let entry = usize::try_from(index).ok().and_then(|index| self.ticks.get(index));
        let Some(&TickEntry { frame, hash, .. }) = entry else { return Ok(None) };
        let payload = self.payload(frame)?;
        let tick = Tick::from_payload(format::tick_kind(hash), &payload, self.header.codec);
        tick.map(Some).map_err(|error| crate::PlayError::Tick { tick: index + 1, error })
    }

    /// The position, in ticks, of the last key frame at or before `ticks`.
    pub(crate) fn key_before(&self, ticks: u64) -> Option<u64> {
        let after = self.keys.partition_point(|key| key.ticks <= ticks);
        Some(self.keys.get(after.checked_sub(1)?)?.ticks)
    }

    /// The position, in ticks, of the first key frame at or after `ticks`.
    pub(crate) fn key_from(&self, ticks: u64) -> Option<u64> {
        self.keys.get(self.keys.partition_point(|key| key.ticks < ticks)).map(|key| key.ticks)
    }

    /// The snapshot of the key frame at exactly `ticks`.
    pub(crate) fn snapshot(&mut self, ticks: u64) -> Result<Option<Vec<u8>>, crate::PlayError> {
        let Ok(found) = self.keys.binary_search_by_key(&ticks, |key| key.ticks) else { return Ok(None) };
        let mut payload = self.payload(self.keys[found].frame)?;
        let (_, begin) = format::key_from(&payload, self.header.codec)
            .map_err(|error| crate::PlayError::Key { tick: ticks, error })?;
        payload.drain(..begin);
        Ok(Some(payload))
    }

    /// Index entry of the last of a number of ticks; `None` for 0 and after the last.
    fn entry(&self, ticks: u64) -> Option<&TickEntry> {
        self.ticks.get(usize::try_from(ticks.checked_sub(1)?).ok()?)
    }

    /// Reads the payload of a frame again and checks it. A frame that differs from the index was changed
    /// meanwhile, which is reported as damage.
    fn payload(&mut self, index: u32) -> Result<Vec<u8>, ReadError> {
        let index = index as usize;
        let chain = index.checked_sub(1).and_then(|before| self.frames.get(before)).map(|frame| frame.check);
        let (Some(&frame), Some(chain)) = (self.frames.get(index), chain) else {
            return Err(ReadError::NotARecording);
        };
        let read = next_frame(&mut self.reader, frame.at, self.size, chain);
        match read {
            Ok(Some((found, payload))) if found.check == frame.check => Ok(payload),
            Err(Stop::Io(error)) => Err(error.into()),
            _ => {
                let what = "the file was changed while it was being read".to_owned();
                Err(Damage { at: frame.at, ticks: self.ticks(), what }.into())
            }
        }
    }

    /// Reads and indexes all frames after the header, up to the end, a torn frame or damage, and sets the
    /// tail accordingly. Only errors of the reader are returned.
    fn index_frames(&mut self) -> Result<(), ReadError> {
        self.tail = loop {
            let last = self.frames.last().copied();
            let (at, chain) = last.map_or((PRELUDE as u64, 0), |frame| (frame.end(), frame.check));
            if last.is_some_and(|frame| frame.kind == Kind::End.byte()) {
                if at == self.size {
                    break Tail::Complete;
                }
                let what = format!("{} bytes follow the end mark", self.size.saturating_sub(at));
                break Tail::Damaged(Damage { at, ticks: self.ticks(), what });
            }
            match next_frame(&mut self.reader, at, self.size, chain) {
                Ok(None) => break Tail::Unfinished,
                Ok(Some((frame, payload))) => match self.index_frame(frame, &payload) {
                    Ok(()) => self.frames.push(frame),
                    Err(what) => break Tail::Damaged(Damage { at, ticks: self.ticks(), what }),
                },
                Err(Stop::Torn { at }) => {
                    break Tail::Torn { at, dropped: self.size.saturating_sub(at) };
                }
                Err(Stop::Damaged { at, what }) => {
                    break Tail::Damaged(Damage { at, ticks: self.ticks(), what });
                }
                Err(Stop::Io(error)) => return Err(error.into()),
            }
        };
        Ok(())
    }

    /// Adds a frame to the index; returns a description if it is invalid.
    fn index_frame(&mut self, frame: Frame, payload: &[u8]) -> Result<(), String> {
        let Ok(index) = u32::try_from(self.frames.len()) else {
            return Err("the recording has too many frames".to_owned());
        };
        let version = self.header.codec;
        match Kind::from_byte(frame.kind) {
            Some(Kind::Header) => return Err("a second header".to_owned()),
            Some(kind @ (Kind::Tick | Kind::UnhashedTick)) => {
                let mut decoder = Decoder::new(payload, version);
                let (time, _, hash) = format::decode_tick(kind, &mut decoder)
                    .map_err(|error| format!("the tick cannot be read: {error}"))?;
                if self.keys.is_empty() {
                    return Err("a tick before the first key frame".to_owned());
                }
                if self.ticks.last().is_some_and(|before| before.time > time) {
                    return Err("time goes back".to_owned());
                }
                self.ticks.push(TickEntry { frame: index, time, hash });
            }
            Some(Kind::Key) => {
                let (ticks, _) = format::key_from(payload, version)
                    .map_err(|error| format!("the key frame cannot be read: {error}"))?;
                if ticks != self.ticks() || self.keys.last().is_some_and(|before| before.ticks >= ticks) {
                    return Err(format!("a key frame for tick {ticks} after tick {}", self.ticks()));
                }
                self.keys.push(KeyEntry { frame: index, ticks });
            }
            Some(Kind::Name) => {
                let (controller, name) = format::name_from(payload, version)
                    .map_err(|error| format!("the name cannot be read: {error}"))?;
                self.names.insert(controller, name);
            }
            Some(Kind::End) => {
                let end = End::from_payload(payload, version)
                    .map_err(|error| format!("the end mark cannot be read: {error}"))?;
                let differs = self.ticks.last().is_some_and(|last| {
                    last.time != end.time || last.hash.is_some_and(|hash| hash != end.hash)
                });
                if end.ticks != self.ticks() || differs {
                    return Err("the end mark is of another recording".to_owned());
                }
            }
            None => {
                return Err(format!("a frame of unknown kind {}, written by a newer version", frame.kind));
            }
        }
        Ok(())
    }
}

impl<R> core::fmt::Debug for Recording<R> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Recording")
            .field("ticks", &self.ticks.len())
            .field("key_frames", &self.keys.len())
            .field("tail", &self.tail)
            .field("size", &self.size)
            .finish_non_exhaustive()
    }
}

impl Frame {
    /// Offset after the frame.
    fn end(&self) -> u64 {
        self.at.saturating_add((HEAD + FOOT) as u64).saturating_add(u64::from(self.length))
    }
}

/// Reads the frame at an offset and checks it against the chain value of the frame before; `None` at the end
/// of the file. An incomplete or zeroed end is torn, any other failed check is damage.
fn next_frame<R: Read + Seek>(
    reader: &mut BufReader<R>,
    at: u64,
    size: u64,
    chain: u64,
) -> Result<Option<(Frame, Vec<u8>)>, Stop> {
    let left = size.saturating_sub(at);
    if left == 0 {
        return Ok(None);
    }
    if left < HEAD as u64 {
        return Err(Stop::Torn { at });
    }
    go_to(reader, at).map_err(Stop::Io)?;
    let mut head = [0; HEAD];
    reader.read_exact(&mut head).map_err(Stop::Io)?;
    let Some((kind, length)) = format::read_head(&head, chain) else {
        if head == [0; HEAD] && is_zero(reader).map_err(Stop::Io)? {
            return Err(Stop::Torn { at });
        }
        return Err(Stop::Damaged { at, what: "the head of a frame fails its check".to_owned() });
    };
    if length > MAX_PAYLOAD {
        return Err(Stop::Damaged { at, what: format!("a frame of {length} bytes is too long") });
    }
    let frame = Frame { at, length, kind, check: 0 };
    if frame.end() > size {
        return Err(Stop::Torn { at });
    }
    let mut payload = Vec::new();
    reader.by_ref().take(u64::from(length)).read_to_end(&mut payload).map_err(Stop::Io)?;
    let mut check = [0; FOOT];
    reader.read_exact(&mut check).map_err(Stop::Io)?;
    let check = u64::from_le_bytes(check);
    if payload.len() as u64 != u64::from(length) || check != format::check(chain, kind, length, &payload) {
        return Err(match frame.end() == size {
            true => Stop::Torn { at },
            false => Stop::Damaged { at, what: "a frame fails its check".to_owned() },
        });
    }
    Ok(Some((Frame { check, ..frame }, payload)))
}

/// Seeks to an offset, inside the buffer if it is near.
fn go_to<R: Read + Seek>(reader: &mut BufReader<R>, at: u64) -> std::io::Result<()> {
    let here = reader.stream_position()?;
    match i64::try_from(i128::from(at) - i128::from(here)) {
        Ok(way) => reader.seek_relative(way),
        Err(_) => reader.seek(SeekFrom::Start(at)).map(drop),
    }
}

/// Whether only zeros follow, as after a crash: such an end is torn, not damaged. Reads to the end of the
/// file, or to the first other byte.
fn is_zero<R: Read>(reader: &mut BufReader<R>) -> std::io::Result<bool> {
    let mut piece = [0; 4096];
    loop {
        match reader.read(&mut piece)? {
            0 => return Ok(true),
            length if piece.iter().take(length).all(|byte| *byte == 0) => {}
            _ => return Ok(false),
        }
    }
}
