//! Receiving pieces: checks of each piece by itself.

use std::sync::Arc;

use super::controller::{ReplicaController, ReplicaCue, StoredRecord};
use super::error::ReplicaError;
use super::piece::{Piece, PieceKey};
use super::placeholder::FIRST_RESERVED;
use super::record::{self, Head, Inputs};
use super::store::Replica;
use crate::attribute::layout::Layout;
use crate::codec::{Decode, DecodeError, Decoder, VERSION};
use crate::handle::{ControllerId, Handle};
use crate::id::TagId;
use crate::simulation::Config;

/// Upper bound of sequence numbers, so that a malicious server cannot make the client's counters overflow.
const LARGEST_NUMBER: u64 = 1 << 60;

/// Limits for one controller: stored tasks, and the sum of its tag counts.
const MOST_TASKS: u32 = 1 << 16;
const MOST_TAGS: u32 = 1 << 16;

/// Limit for one controller: the sum of its cue holders, each of which is an effect on the client.
const MOST_CUES: u32 = 1 << 10;

impl Replica {
    /// Stores a piece, or replaces the content of one with the same key. Objects that it refers to may arrive
    /// later.
    ///
    /// # Errors
    /// If the piece is invalid by itself; nothing has changed then.
    pub fn put(&mut self, controller: ControllerId, key: PieceKey, piece: Piece) -> Result<(), ReplicaError> {
        let is_new = !self.seen.contains_key(&controller);
        if is_new && controller.index() >= FIRST_RESERVED {
            return Err(ReplicaError::Invalid { key, what: "no simulation has such a controller" });
        }
        let most = Config::default().max_controllers;
        if is_new && self.seen.len() >= most as usize {
            return Err(ReplicaError::TooMany { key, most });
        }
        match piece {
            Piece::Placement(placement) if key == PieceKey::Placement => {
                let seen = self.seen.entry(controller).or_default();
                seen.placement = Some(placement);
                seen.controller_is_stale = true;
                Ok(())
            }
            Piece::Attribute { base, current } => self.put_attribute(controller, key, base, current),
            Piece::Tag(count) => self.put_tag(controller, key, count),
            Piece::Cue { count, since, context } => {
                self.put_cue(controller, key, ReplicaCue { count, since, context })
            }
            Piece::Record(bytes) => self.put_record(controller, key, bytes),
            Piece::Placement(_) => Err(ReplicaError::OtherKind(key)),
        }
    }

    /// Stores a cue. A count of 0 is only valid with a context; the context is decoded to check it.
    fn put_cue(
        &mut self,
        controller: ControllerId,
        key: PieceKey,
        cue: ReplicaCue,
    ) -> Result<(), ReplicaError> {
        let PieceKey::Cue(tag) = key else { return Err(ReplicaError::OtherKind(key)) };
        let others = |seen: &ReplicaController| {
            let others = seen.cues.iter().filter(|(other, _)| **other != tag);
            // A cue that is only a context counts as one, so that stored contexts are limited too.
            others.map(|(_, other)| other.count.max(1) as usize).sum()
        };
        let others = self.count(controller, others);
        let is_context = cue.count == 0 && !cue.context.is_empty();
        let count = if is_context { 1 } else { cue.count };
        self.check_shown(key, tag, count, (Piece::MOST_CUES, others, MOST_CUES))?;
        if cue.context.len() > Piece::MOST_CUE_CONTEXT {
            return Err(ReplicaError::Invalid { key, what: "the context of a cue is too long" });
        }
        if !cue.context.is_empty() {
            let parameters = whole(&cue.context, record::read_cue);
            let parameters = parameters.map_err(|error| ReplicaError::Record { key, error })?;
            if !parameters.details.is_some_and(|details| details.is_known(&self.catalog)) {
                return Err(ReplicaError::Invalid {
                    key,
                    what: "the context of a cue names what does not exist",
                });
            }
        }
        let seen = self.seen.entry(controller).or_default();
        seen.cues.insert(tag, cue);
        seen.shown_is_stale = true;
        Ok(())
    }

    /// Stores the values of an attribute, which must be known and finite.
    fn put_attribute(
        &mut self,
        controller: ControllerId,
        key: PieceKey,
        base: f64,
        current: f64,
    ) -> Result<(), ReplicaError> {
        let PieceKey::Attribute(attribute) = key else { return Err(ReplicaError::OtherKind(key)) };
        if attribute.usize() >= self.catalog.attribute_count() {
            return Err(ReplicaError::Unknown(key));
        }
        if !base.is_finite() || !current.is_finite() {
            return Err(ReplicaError::Invalid { key, what: "a value is not finite" });
        }
        let seen = self.seen.entry(controller).or_default();
        // Adding zero turns a negative zero, which is equal but hashes differently, into zero.
        seen.attributes.insert(attribute, (base + 0.0, current + 0.0));
        seen.controller_is_stale = true;
        Ok(())
    }

    /// Stores the count of a tag, within the limits for one tag and for all of the controller.
    fn put_tag(&mut self, controller: ControllerId, key: PieceKey, count: u32) -> Result<(), ReplicaError> {
        let PieceKey::Tag(tag) = key else { return Err(ReplicaError::OtherKind(key)) };
        let others = |seen: &ReplicaController| {
            let others = seen.tags.iter().filter(|(other, _)| **other != tag);
            others.map(|(_, count)| *count as usize).sum()
        };
        let others = self.count(controller, others);
        self.check_shown(key, tag, count, (Piece::MOST_TAGS, others, MOST_TAGS))?;
        let seen = self.seen.entry(controller).or_default();
        seen.tags.insert(tag, count);
        seen.shown_is_stale = true;
        Ok(())
    }

    /// Checks a tag or cue count. `most` holds the limit for this count, the sum of the others, and the limit
    /// for the sum of all.
    fn check_shown(
        &self,
        key: PieceKey,
        tag: TagId,
        count: u32,
        most: (u32, usize, u32),
    ) -> Result<(), ReplicaError> {
        if tag.usize() >= self.catalog.tags().len() {
            return Err(ReplicaError::Unknown(key));
        }
        if count == 0 || count > most.0 {
            return Err(ReplicaError::Invalid { key, what: "a count is zero or larger than the maximum" });
        }
        if most.1.saturating_add(count as usize) > most.2 as usize {
            return Err(ReplicaError::TooMany { key, most: most.2 });
        }
        Ok(())
    }

    /// Decodes and checks a record with the server's handles, and stores it with its bytes, which are
    /// translated on installation.
    fn put_record(
        &mut self,
        controller: ControllerId,
        key: PieceKey,
        bytes: Box<[u8]>,
    ) -> Result<(), ReplicaError> {
        let catalog = Arc::clone(&self.catalog);
        let config = Config::default();
        let wrong = |error| ReplicaError::Record { key, error };
        match key {
            PieceKey::Head => {
                let head: Head = whole(&bytes, Decode::decode).map_err(wrong)?;
                self.put_head(controller, head)
            }
            PieceKey::Inputs => {
                let inputs: Inputs = whole(&bytes, Decode::decode).map_err(wrong)?;
                let is_within = inputs.buffer.is_within_capacity()
                    && inputs.held.len() <= config.max_inputs_per_controller as usize;
                if !is_within {
                    return Err(ReplicaError::Invalid {
                        key,
                        what: "there are more inputs than the limit allows",
                    });
                }
                let seen = self.seen.entry(controller).or_default();
                seen.inputs = Some(inputs);
                seen.controller_is_stale = true;
                Ok(())
            }
            PieceKey::Effect(id) => {
                let facts = whole(&bytes, |decoder| record::read_effect(decoder, controller, &catalog));
                let facts = facts.map_err(wrong)?;
                let (number, applied) = (facts.active.sequence, facts.active.applied);
                let most = config.max_effects_per_controller;
                let count = self.count(controller, |seen| seen.effects.len());
                self.admit(controller, key, id.index(), number.max(applied), (count, most))?;
                self.settle(controller, key, number)?.effects.insert(id, StoredRecord::new(bytes, facts));
                Ok(())
            }
            PieceKey::Ability(id) => {
                let granted = whole(&bytes, |decoder| record::read_ability(decoder, controller, &catalog));
                let granted = granted.map_err(wrong)?;
                let count = self.count(controller, |seen| seen.abilities.len());
                let room = (count, config.max_abilities_per_controller);
                self.admit(controller, key, id.index(), granted.sequence, room)?;
                let seen = self.settle(controller, key, granted.sequence)?;
                seen.abilities.insert(id, StoredRecord::new(bytes, granted));
                Ok(())
            }
            PieceKey::Activation(id) => {
                let run = whole(&bytes, |decoder| record::read_activation(decoder, controller, &catalog));
                let run = run.map_err(wrong)?;
                let count = self.count(controller, |seen| seen.runs.len());
                let room = (count, config.max_activations_per_controller);
                self.admit(controller, key, id.index(), run.sequence, room)?;
                self.settle(controller, key, run.sequence)?.runs.insert(id, StoredRecord::new(bytes, run));
                Ok(())
            }
            PieceKey::Task(id) => {
                let task = whole(&bytes, |decoder| record::read_task(decoder, controller)).map_err(wrong)?;
                let count = self.count(controller, |seen| seen.tasks.len());
                self.admit(controller, key, id.index(), task.sequence, (count, MOST_TASKS))?;
                self.settle(controller, key, task.sequence)?.tasks.insert(id, StoredRecord::new(bytes, task));
                Ok(())
            }
            PieceKey::Placement | PieceKey::Attribute(_) | PieceKey::Tag(_) | PieceKey::Cue(_) => {
                Err(ReplicaError::OtherKind(key))
            }
        }
    }

    /// Stores the head of a controller. Its ordinal must be free, its template known, and its attribute sets
    /// must form a layout, which is added to the cache.
    fn put_head(&mut self, controller: ControllerId, head: Head) -> Result<(), ReplicaError> {
        let key = PieceKey::Head;
        let invalid = |what| Err(ReplicaError::Invalid { key, what });
        if head.ordinal >= LARGEST_NUMBER {
            return invalid("its ordinal is too large");
        }
        if self.ordinals.get(&head.ordinal).is_some_and(|other| *other != controller) {
            return Err(ReplicaError::NumberTaken { key, other: key });
        }
        if head.template.is_some_and(|template| self.catalog.template_by_id(template).is_none()) {
            return invalid("its template does not exist");
        }
        if head.summon.as_ref().and_then(|summon| summon.name.as_ref()).is_some_and(|name| name.number() == 0)
        {
            return invalid("the number in the name of a summoned controller is 0");
        }
        if self.layouts.find(&head.sets).is_none() {
            let is_sorted = head.sets.is_sorted_by(|one, other| one < other);
            if !is_sorted || head.sets.iter().any(|set| self.catalog.set(*set).is_none()) {
                return invalid("its attribute sets are unknown or not sorted");
            }
            match Layout::new(&self.catalog, &head.sets) {
                Ok(layout) => drop(self.layouts.add(layout)),
                Err(_) => return invalid("its attribute sets cannot be combined"),
            }
        }
        let seen = self.seen.entry(controller).or_default();
        let ordinal = head.ordinal;
        if let Some(old) = seen.head.replace(head) {
            self.ordinals.remove(&old.ordinal);
        }
        self.ordinals.insert(ordinal, controller);
        seen.controller_is_stale = true;
        Ok(())
    }

    /// A count over the pieces of a controller; 0 if it has none yet.
    fn count(&self, controller: ControllerId, count: impl FnOnce(&ReplicaController) -> usize) -> usize {
        self.seen.get(&controller).map_or(0, count)
    }

    /// Checks that a record can be stored: handle and sequence number are in range, no other controller has
    /// it, and a new one is within the limit.
    fn admit(
        &self,
        controller: ControllerId,
        key: PieceKey,
        index: u32,
        number: u64,
        (count, most): (usize, u32),
    ) -> Result<(), ReplicaError> {
        if index >= FIRST_RESERVED || number >= LARGEST_NUMBER {
            return Err(ReplicaError::Invalid { key, what: "a handle or a sequence number is too large" });
        }
        match self.homes.get(&key) {
            Some((home, _)) if *home != controller => Err(ReplicaError::Elsewhere { key, controller: *home }),
            None if count >= most as usize => Err(ReplicaError::TooMany { key, most }),
            _ => Ok(()),
        }
    }

    /// Registers an admitted record under its sequence number, and frees the number that it had before.
    /// Returns its controller; an error if another record has the number.
    fn settle(
        &mut self,
        controller: ControllerId,
        key: PieceKey,
        number: u64,
    ) -> Result<&mut ReplicaController, ReplicaError> {
        if let Some(&other) = self.numbers.get(&number).filter(|other| **other != key) {
            return Err(ReplicaError::NumberTaken { key, other });
        }
        self.release(key);
        self.numbers.insert(number, key);
        self.homes.insert(key, (controller, number));
        Ok(self.seen.entry(controller).or_default())
    }
}

/// Decodes a whole record; trailing bytes are an error.
fn whole<T>(
    bytes: &[u8],
    read: impl FnOnce(&mut Decoder<'_>) -> Result<T, DecodeError>,
) -> Result<T, DecodeError> {
    let mut decoder = Decoder::new(bytes, VERSION);
    let value = read(&mut decoder)?;
    decoder.finish()?;
    Ok(value)
}
