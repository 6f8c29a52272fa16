//! Records of active effects.

use smallvec::SmallVec;

use super::super::clock;
use super::{bits, read_bits, read_if};
use crate::catalog::Catalog;
use crate::codec::{Decode, DecodeError, Decoder, Encode, Encoder};
use crate::cow_option::CowOption;
use crate::effect::magnitude::Magnitude;
use crate::effect::{
    ActiveEffect, Clock, ContextDetails, Duration, Effect, EffectContext, EffectParts, EffectSpec,
    EffectStatus, EffectTimers, Reading, Readings, SpecParts,
};
use crate::handle::ControllerId;
use crate::id::EffectId;
use crate::number::finite;
use crate::time::{Span, Time};

const LEVEL: u64 = 1;
const SOURCE: u64 = 1 << 1;
const ABILITY: u64 = 1 << 2;
const STACKS: u64 = 1 << 3;
const PREDICTION: u64 = 1 << 4;
const INHIBITED: u64 = 1 << 5;
const NUMBERS: u64 = 1 << 6;
const TAGS: u64 = 1 << 7;
const APPLIED: u64 = 1 << 8;
const DURATION: u64 = 1 << 9;
const OFFSET: u64 = 1 << 10;
const MAGNITUDES: u64 = 1 << 11;
const GRANTED: u64 = 1 << 12;
const QUEUED: u64 = 1 << 13;
const CONTEXT: u64 = 1 << 14;
const CAPTURED: u64 = 1 << 15;
const OWN_CLOCK: u64 = 1 << 16;
const PERIOD: u64 = 1 << 17;
const EXPIRES: u64 = 1 << 18;
const NEXT_TICK: u64 = 1 << 19;
const LAST_SOURCE: u64 = 1 << 20;
const NOT_GIVEN: u64 = 1 << 21;
const DICE: u64 = 1 << 22;
const CONTEXT_TAGS: u64 = 1 << 23;
const ABILITY_TAGS: u64 = 1 << 24;
const JUMP: u64 = 1 << 25;
const KNOWN: u64 = (1 << 26) - 1;

/// Whether the record of an effect may reveal its dice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DiceVisibility {
    /// Only the authority rolls them.
    Secret,
    /// Both sides roll them alike (V5).
    Shared,
}

/// A decoded effect record. The state of its clock depends on the time and is set by [`Self::set_clock`].
#[derive(Clone, Debug)]
pub(crate) struct EffectFacts {
    pub(crate) active: ActiveEffect,
    /// Offset of its ticks from its start.
    offset: Span,
    /// Its end, where it does not follow from start and duration.
    expires: Option<Time>,
    /// Its next tick, where it does not follow from start, offset and period.
    next_tick: Option<Option<Time>>,
    /// Difference between the real and the derived number of ticks, where dice depend on it.
    more_ticks: i64,
}

impl EffectFacts {
    /// Creates the record of an effect without duration and period.
    pub(crate) fn endless(active: ActiveEffect) -> Self {
        Self { active, offset: Span::ZERO, expires: None, next_tick: None, more_ticks: 0 }
    }

    /// Sets its clock to `now`. An end before `now` becomes `now`, and the simulation then removes the
    /// effect.
    pub(crate) fn set_clock(&mut self, now: Time) {
        let running = clock::state_at(&self.active, self.offset, self.expires, now);
        let clock = &mut self.active.clock;
        clock.set_expires(running.expires.map(|end| end.max(now)));
        let own = self.next_tick.filter(|next| next.is_none_or(|next| next >= now));
        clock.set_next_tick(own.unwrap_or(running.next_tick));
        clock.phase = running.phase;
        let ticks = i64::from(running.ticks).saturating_add(self.more_ticks).max(0);
        clock.ticks = u32::try_from(ticks).unwrap_or(u32::MAX);
    }
}

/// Writes an effect of the catalog, with the frozen values `captured`. Magnitudes and times that the client
/// can compute itself are left out.
pub(crate) fn write_effect(
    active: &ActiveEffect,
    (effect, catalog): (&Effect, &Catalog),
    now: Time,
    dice: DiceVisibility,
    captured: &Readings,
    encoder: &mut Encoder,
) {
    let ActiveEffect { spec, stacks, magnitudes, parts, .. } = active;
    let EffectParts { last_source, granted } = &**parts;
    let context = &spec.context;
    let offset = clock::offset(active);
    let plain = clock::state_at(active, offset, None, now);
    let has_own_end = plain.expires != active.expires();
    let clock = clock::state_at(active, offset, active.expires().filter(|_| has_own_end), now);
    let has_own_tick = clock.next_tick != active.next_tick();
    let follows = |(at, value): (usize, &f64)| {
        let modifier = effect.modifiers.get(at);
        let expected = modifier.and_then(|modifier| plain_magnitude(&modifier.magnitude, spec, catalog));
        expected.map(f64::to_bits) == Some(value.to_bits())
    };
    let bits = bits([
        (LEVEL, spec.level != 1.0),
        (SOURCE, context.source.is_some()),
        (ABILITY, context.ability.is_some()),
        (STACKS, *stacks != 1),
        (PREDICTION, spec.prediction().is_some()),
        (INHIBITED, active.inhibited),
        (NUMBERS, !spec.magnitudes().is_empty()),
        (TAGS, !spec.granted_tags().is_empty() || !spec.asset_tags().is_empty()),
        (APPLIED, active.applied != active.sequence),
        (DURATION, active.duration() != plain_duration(effect, spec, catalog)),
        (OFFSET, offset != Span::ZERO),
        (MAGNITUDES, !magnitudes.iter().enumerate().all(follows)),
        (GRANTED, !granted.is_empty()),
        (QUEUED, active.status == EffectStatus::Queued),
        (CONTEXT, context.says_more()),
        (CAPTURED, !captured.iter().all(|reading| reading.is_none())),
        (OWN_CLOCK, spec.duration().is_some() || spec.period().is_some()),
        (PERIOD, active.period() != plain_period(effect, spec)),
        (EXPIRES, has_own_end && active.expires().is_some()),
        (NEXT_TICK, has_own_tick),
        (LAST_SOURCE, last_source.is_some()),
        (NOT_GIVEN, !active.given),
        (DICE, dice == DiceVisibility::Shared),
        (CONTEXT_TAGS, !context.tags().is_empty()),
        (ABILITY_TAGS, context.ability_tags().is_some()),
        (JUMP, spec.jump != 0),
    ]);
    active.effect.encode(encoder);
    encoder.unsigned(bits);
    active.sequence.encode(encoder);
    active.started().encode(encoder);
    let mut write = |bit: u64, value: &dyn Encode| {
        if bits & bit != 0 {
            value.encode(encoder);
        }
    };
    write(LEVEL, &spec.level);
    write(SOURCE, &Bare(context.source.as_ref()));
    write(ABILITY, &Bare(context.ability.as_ref()));
    write(STACKS, stacks);
    write(PREDICTION, &Bare(spec.prediction().as_ref()));
    write(NUMBERS, &spec.parts.set_by_caller);
    write(TAGS, &spec.parts.granted_tags);
    write(TAGS, &spec.asset_tags());
    write(APPLIED, &active.applied);
    write(DURATION, &active.duration());
    write(OFFSET, &offset);
    write(MAGNITUDES, magnitudes);
    write(GRANTED, granted);
    write(CONTEXT, &context.causer());
    write(CONTEXT, &context.source_object());
    write(CONTEXT, &context.hit());
    write(CONTEXT, &context.origin());
    write(CONTEXT, &context.raw_payload());
    write(CAPTURED, captured);
    write(OWN_CLOCK, &spec.duration());
    write(OWN_CLOCK, &spec.period());
    write(PERIOD, &active.period());
    write(EXPIRES, &Bare(active.expires().as_ref()));
    write(NEXT_TICK, &active.next_tick());
    write(LAST_SOURCE, &Bare(last_source.as_ref()));
    write(JUMP, &spec.jump);
    write(DICE, &active.stream);
    write(DICE, &(i64::from(active.ticks()) - i64::from(clock.ticks)));
    write(CONTEXT_TAGS, context.tags());
    write(ABILITY_TAGS, &Bare(context.ability_tags()));
}

/// Reads what `write_effect` wrote, as an effect on `target`, and computes what was left out. An unknown
/// definition or an invalid value is an error.
pub(crate) fn read_effect(
    decoder: &mut Decoder<'_>,
    target: ControllerId,
    catalog: &Catalog,
) -> Result<EffectFacts, DecodeError> {
    let id = EffectId::decode(decoder)?;
    let effect = catalog.effect_by_id(id);
    let effect = effect.ok_or_else(|| decoder.invalid("the definition of an effect does not exist"))?;
    let bits = read_bits(KNOWN, decoder)?;
    let sequence = Decode::decode(decoder)?;
    let started = Decode::decode(decoder)?;
    let level = read_if(bits, LEVEL, decoder)?.unwrap_or(1.0);
    let source: Option<ControllerId> = read_if(bits, SOURCE, decoder)?;
    let mut context = EffectContext::of(source);
    context.ability = read_if(bits, ABILITY, decoder)?;
    let stacks = read_if(bits, STACKS, decoder)?.unwrap_or(1);
    let prediction = read_if(bits, PREDICTION, decoder)?;
    let set_by_caller = read_if(bits, NUMBERS, decoder)?.unwrap_or_default();
    let granted_tags = read_if(bits, TAGS, decoder)?.unwrap_or_default();
    let asset_tags = read_if(bits, TAGS, decoder)?.unwrap_or_default();
    let applied = read_if(bits, APPLIED, decoder)?.unwrap_or(sequence);
    let duration: Option<Option<Span>> = read_if(bits, DURATION, decoder)?;
    let offset = read_if(bits, OFFSET, decoder)?.unwrap_or(Span::ZERO);
    let magnitudes: Option<SmallVec<[f64; 2]>> = read_if(bits, MAGNITUDES, decoder)?;
    let granted = read_if(bits, GRANTED, decoder)?.unwrap_or_default();
    context.set_causer(read_if(bits, CONTEXT, decoder)?.flatten());
    context.set_source_object(read_if(bits, CONTEXT, decoder)?.flatten());
    let hit = read_if(bits, CONTEXT, decoder)?.flatten();
    context.set_origin(read_if(bits, CONTEXT, decoder)?.flatten());
    let raw_payload = read_if(bits, CONTEXT, decoder)?.flatten();
    let context = context.with_details(&CowOption::new(ContextDetails {
        hit,
        raw_payload,
        ..ContextDetails::default()
    }));
    let captured = read_if(bits, CAPTURED, decoder)?;
    let captured = captured.unwrap_or_else(|| smallvec::smallvec![Reading::NONE; effect.captures.len()]);
    let new = EffectSpec::new(id, effect.name_hash, level, context);
    let duration_of_spec = read_if(bits, OWN_CLOCK, decoder)?.flatten();
    let period_of_spec = read_if(bits, OWN_CLOCK, decoder)?.flatten();
    let parts = SpecParts {
        set_by_caller,
        granted_tags,
        captured,
        asset_tags,
        duration: duration_of_spec,
        period: period_of_spec,
    };
    let mut spec = EffectSpec { parts: parts.into(), ..new };
    spec.set_prediction(prediction);
    spec.check().map_err(|what| decoder.invalid(what))?;
    let period: Option<Option<Span>> = read_if(bits, PERIOD, decoder)?;
    let expires = read_if(bits, EXPIRES, decoder)?;
    let next_tick = read_if(bits, NEXT_TICK, decoder)?;
    let last_source = read_if(bits, LAST_SOURCE, decoder)?;
    spec.jump = read_if(bits, JUMP, decoder)?.unwrap_or(0);
    let stream = read_if(bits, DICE, decoder)?.unwrap_or(0);
    let more_ticks = read_if(bits, DICE, decoder)?.unwrap_or(0);
    spec.context.set_tags(read_if(bits, CONTEXT_TAGS, decoder)?.unwrap_or_default());
    spec.context.set_ability_tags(CowOption::new(read_if(bits, ABILITY_TAGS, decoder)?.unwrap_or_default()));
    let magnitudes = match magnitudes {
        Some(magnitudes) => magnitudes,
        None => {
            let plain =
                effect.modifiers.iter().map(|modifier| plain_magnitude(&modifier.magnitude, &spec, catalog));
            let plain: Option<_> = plain.collect();
            plain.ok_or_else(|| {
                decoder.invalid("an effect lacks magnitudes that do not follow from its definition")
            })?
        }
    };
    let active = ActiveEffect {
        effect: id,
        target,
        sequence,
        applied,
        stacks,
        status: if bits & QUEUED == 0 { EffectStatus::Running } else { EffectStatus::Queued },
        inhibited: bits & INHIBITED != 0,
        given: bits & NOT_GIVEN == 0,
        clock: Clock::new(
            started,
            duration.unwrap_or_else(|| plain_duration(effect, &spec, catalog)),
            period.unwrap_or_else(|| plain_period(effect, &spec)),
        ),
        magnitudes,
        stream,
        parts: EffectParts { last_source, granted }.into(),
        refresh_pending: false,
        qualification_pending: false,
        judgement_pending: false,
        timers: EffectTimers::default(),
        spec,
    };
    check(&active, effect).map_err(|what| decoder.invalid(what))?;
    Ok(EffectFacts { active, offset, expires, next_tick, more_ticks })
}

/// Checks that need no other record; the rest is checked on installation.
fn check(active: &ActiveEffect, effect: &Effect) -> Result<(), &'static str> {
    let ActiveEffect { spec, magnitudes, stacks, .. } = active;
    let mut numbers = spec.magnitudes().iter().map(|(_, value)| value).chain(magnitudes).chain([&spec.level]);
    if !numbers.all(|number| number.is_finite()) || !spec.context.is_finite() {
        return Err("a number of an effect is not finite");
    }
    if magnitudes.len() != effect.modifiers.len() || spec.captured().len() != effect.captures.len() {
        return Err("an effect has another number of magnitudes than its definition has modifiers");
    }
    if *stacks == 0 || active.period().is_some_and(|period| !period.is_positive()) {
        return Err("an effect has no stacks, or a period that is not positive");
    }
    Ok(())
}

/// Magnitude that follows from the definition, the level and the caller's magnitudes. `None` if it does not.
fn plain_magnitude(magnitude: &Magnitude, spec: &EffectSpec, catalog: &Catalog) -> Option<f64> {
    let value = match magnitude {
        Magnitude::Constant(value) => *value,
        Magnitude::SetByCaller { tag, default } => spec.magnitude(*tag).or(*default)?,
        Magnitude::Curve { scale, curve, input: None } => scale * catalog.curve(*curve)?.value_at(spec.level),
        Magnitude::Curve { .. }
        | Magnitude::Attribute(_)
        | Magnitude::Calculation { .. }
        | Magnitude::Expression { .. } => return None,
    };
    finite(value)
}

/// Duration that the client can compute itself; `None` if the effect does not end, or if its duration depends
/// on more than spec and catalog.
fn plain_duration(effect: &Effect, spec: &EffectSpec, catalog: &Catalog) -> Option<Span> {
    match (&effect.duration, spec.duration()) {
        (_, Some(own)) => Some(own),
        (Duration::Lasting(magnitude), None) => plain_magnitude(magnitude, spec, catalog).map(Span::seconds),
        (Duration::Instant | Duration::Infinite, None) => None,
    }
}

/// Period of the spec, or that of the definition; `None` if the effect is not periodic.
fn plain_period(effect: &Effect, spec: &EffectSpec) -> Option<Span> {
    effect.period.map(|period| spec.period().unwrap_or(period.period))
}

/// Encodes an option without its tag; a bit of the mask says whether it is present.
struct Bare<'a, T>(Option<&'a T>);

impl<T: Encode> Encode for Bare<'_, T> {
    fn encode(&self, encoder: &mut Encoder) {
        if let Some(value) = self.0 {
            value.encode(encoder);
        }
    }
}
