//! Reads of magnitudes and calculations: what an active effect watches, and what its spec captures (E8).

use std::collections::BTreeSet;

use crate::effect::calculation::CompiledCalculation;
use crate::effect::magnitude::{AttributeCalculation, Capture, Magnitude};
use crate::effect::{Watch, WatchSide, WatchSubject};
use crate::expr::{Dependency, Program, Side};
use crate::id::{AttributeId, CalculationId};
use crate::tag::TagSet;

/// The index of a frozen read among an effect's captures; adds it if it is new.
pub(super) fn capture(captures: &mut Vec<Capture>, wanted: Capture) -> u16 {
    let at = captures.iter().position(|known| *known == wanted).unwrap_or_else(|| {
        captures.push(wanted);
        captures.len() - 1
    });
    at as u16
}

/// The reads of a magnitude or a calculation.
#[derive(Default)]
pub(super) struct Reads {
    /// Live inputs.
    pub(super) watches: BTreeSet<Watch>,
    pub(super) random: bool,
}

impl Reads {
    /// Attributes of the source that are read live.
    pub(super) fn source_attributes(&self) -> impl Iterator<Item = AttributeId> + '_ {
        self.watches.iter().filter_map(|watch| match watch {
            Watch { side: WatchSide::Source, subject: WatchSubject::Attribute(attribute) } => {
                Some(*attribute)
            }
            _ => None,
        })
    }

    /// The sides whose attributes are read live.
    pub(super) fn sides(&self) -> impl Iterator<Item = WatchSide> + '_ {
        let attributes = self.watches.iter().filter(|watch| !matches!(watch.subject, WatchSubject::Tag(_)));
        attributes.map(|watch| watch.side)
    }

    /// Adds the watches of a live attribute read. Filters and layers also watch the modifiers, and target
    /// filters the tags.
    fn reading(&mut self, reading: &Capture) {
        self.read(reading.side, WatchSubject::Attribute(reading.attribute));
        let layered = matches!(reading.calculation, AttributeCalculation::UpToLayer(_));
        if layered || !reading.source_tag_filter.is_empty() || !reading.target_tag_filter.is_empty() {
            self.read(reading.side, WatchSubject::Modifiers(reading.attribute));
        }
        for tag in reading.target_tag_filter.iter() {
            self.read(reading.side, WatchSubject::Tag(tag));
        }
    }

    /// Watches a subject on one side; the owner is the target.
    fn read(&mut self, side: Side, subject: WatchSubject) {
        let side = match side {
            Side::Source => WatchSide::Source,
            Side::Target | Side::Owner => WatchSide::Target,
        };
        self.watches.insert(Watch { side, subject });
    }

    /// Adds what a magnitude reads: live inputs as watches, frozen ones to `captures`.
    pub(super) fn magnitude(
        &mut self,
        magnitude: &Magnitude,
        calculations: &[CompiledCalculation],
        captures: &mut Vec<Capture>,
    ) {
        match magnitude {
            Magnitude::Constant(_) | Magnitude::SetByCaller { .. } => {}
            Magnitude::Curve { input, .. } => {
                if let Some(input) = input {
                    self.program(input);
                }
            }
            Magnitude::Attribute(attribute) => {
                if attribute.frozen.is_none() {
                    self.reading(&attribute.reading);
                }
            }
            Magnitude::Calculation { calculation, .. } => {
                self.calculation(*calculation, calculations, captures)
            }
            Magnitude::Expression { program, frozen: true } => {
                self.random |= program.dependencies().contains(&Dependency::Random);
                for input in program.dependencies() {
                    if let Dependency::Attribute(side, attribute) = input {
                        let side = if *side == Side::Owner { Side::Target } else { *side };
                        capture(captures, plain_reading(side, *attribute));
                    }
                }
            }
            Magnitude::Expression { program, frozen: false } => self.program(program),
        }
    }

    /// Adds the live reads of an expression: attributes, tags, and whether it uses random numbers.
    pub(super) fn program(&mut self, program: &Program) {
        for input in program.dependencies() {
            match input {
                Dependency::Attribute(side, attribute) => {
                    self.read(*side, WatchSubject::Attribute(*attribute))
                }
                Dependency::Tag(side, tag) => self.read(*side, WatchSubject::Tag(*tag)),
                Dependency::Random => self.random = true,
                _ => {}
            }
        }
    }

    /// Adds what a calculation reads: live inputs and tags as watches, frozen inputs to `captures`. Unknown
    /// ids add nothing.
    pub(super) fn calculation(
        &mut self,
        id: CalculationId,
        calculations: &[CompiledCalculation],
        captures: &mut Vec<Capture>,
    ) {
        let Some(calculation) = calculations.get(id.usize()) else { return };
        self.random |= calculation.uses_random;
        for input in &calculation.captures {
            if input.frozen {
                capture(captures, plain_reading(input.from.side(), input.attribute));
            } else {
                self.read(input.from.side(), WatchSubject::Attribute(input.attribute));
            }
        }
        for &(from, tag) in &calculation.tags {
            self.read(from.side(), WatchSubject::Tag(tag));
        }
    }
}

/// A read of the current value without filters, as in expressions and calculations.
pub(crate) fn plain_reading(side: Side, attribute: AttributeId) -> Capture {
    Capture {
        side,
        attribute,
        calculation: AttributeCalculation::Current,
        source_tag_filter: TagSet::default(),
        target_tag_filter: TagSet::default(),
    }
}

/// The part of an attribute that a live magnitude reads: [`ReadLevel::MIN`] is the base, `n + 1` the value up
/// to layer `n`, and [`ReadLevel::MAX`] the clamped current value.
pub(crate) type ReadLevel = u8;

/// Calls `read` for each attribute that a magnitude reads live, with its side and level.
pub(crate) fn live_reads(
    magnitude: &Magnitude,
    calculations: &[CompiledCalculation],
    mut read: impl FnMut(Side, AttributeId, ReadLevel),
) {
    let program = match magnitude {
        Magnitude::Curve { input, .. } => input.as_deref(),
        Magnitude::Expression { program, frozen: false } => Some(&**program),
        _ => None,
    };
    for input in program.into_iter().flat_map(Program::dependencies) {
        if let Dependency::Attribute(side, attribute) = input {
            read(*side, *attribute, ReadLevel::MAX);
        }
    }
    match magnitude {
        Magnitude::Attribute(attribute) if attribute.frozen.is_none() => {
            let reading = &attribute.reading;
            let level = match reading.calculation {
                AttributeCalculation::Base => ReadLevel::MIN,
                AttributeCalculation::UpToLayer(layer) => layer + 1,
                AttributeCalculation::Current | AttributeCalculation::Bonus => ReadLevel::MAX,
            };
            read(reading.side, reading.attribute, level);
        }
        Magnitude::Calculation { calculation, .. } => {
            let captures = calculations.get(calculation.usize()).into_iter();
            let captures = captures.flat_map(|calculation| &calculation.captures);
            for capture in captures.filter(|capture| !capture.frozen) {
                read(capture.from.side(), capture.attribute, ReadLevel::MAX);
            }
        }
        _ => {}
    }
}
