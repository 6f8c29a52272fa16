//! Evaluation of expectations of executed cues (C1).

use core::fmt::Display;

use ugas_core::effect::NamedValues;
use ugas_core::event::{CueParameters, Event, EventKind};
use ugas_core::handle::ControllerId;
use ugas_core::id::TagId;

use super::expect::is_near;
use super::runner::Runner;
use crate::decode::List;
use crate::model::scenario::CueExpectDoc;
use crate::source::Span;

impl Runner<'_> {
    /// Compares the cues executed on a controller since the last expectation, in order. Their names must
    /// match as a whole before single fields are compared.
    pub(super) fn check_executed_cues(
        &mut self,
        name: &str,
        id: ControllerId,
        expected: &List<CueExpectDoc>,
        span: Span,
        tolerance: f64,
    ) {
        let catalog = self.simulation.catalog().clone();
        let of_controller = |event: &Event| match &event.kind {
            EventKind::CueExecuted { controller, cue, parameters } if *controller == id => {
                Some((*cue, parameters.clone(), event.cause.effect))
            }
            _ => None,
        };
        let executed: Vec<_> = self.executed_cues.iter().filter_map(of_controller).collect();
        let list = |names: Vec<&str>| names.join(", ");
        let wanted: Vec<&str> =
            expected.iter().filter_map(|doc| doc.cue.as_ref()).map(|cue| cue.value.as_str()).collect();
        let actual: Vec<&str> = executed.iter().map(|(cue, ..)| catalog.tag_name(*cue)).collect();
        if wanted != actual {
            return self.differs(span, format!("the cues executed on {name}"), list(wanted), list(actual));
        }
        for (at, (doc, (_, parameters, effect))) in expected.iter().zip(&executed).enumerate() {
            let effect = effect.map(|effect| self.simulation.effect_name(effect).to_owned());
            let checks = Checks { what: format!("cue {} executed on {name}", at + 1), tolerance };
            self.check_cue(&checks, doc, parameters, effect.as_deref());
        }
    }

    /// Compares the parameters of one executed cue with the fields of its expectation; absent fields are not
    /// compared. `effect` is the effect that caused it.
    fn check_cue(
        &mut self,
        checks: &Checks,
        doc: &CueExpectDoc,
        parameters: &CueParameters,
        effect: Option<&str>,
    ) {
        let details = parameters.details.as_deref();
        let catalog = self.simulation.catalog().clone();
        if let Some(magnitude) = &doc.magnitude {
            self.check_cue_number(
                checks,
                magnitude.0.span,
                "Magnitude",
                magnitude.0.value,
                Some(parameters.magnitude),
            );
        }
        if let Some(level) = &doc.level {
            self.check_cue_number(checks, level.0.span, "Level", level.0.value, Some(parameters.level));
        }
        if let Some(duration) = &doc.duration {
            let actual = details.and_then(|details| details.duration).map(|duration| duration.as_seconds());
            self.check_cue_number(checks, duration.0.span, "Duration", duration.0.value, actual);
        }
        let levels = details.and_then(|details| details.ability_level);
        let stacks = details.map(|details| details.stacks);
        for (field, wanted, actual) in
            [("AbilityLevel", &doc.ability_level, levels), ("Stacks", &doc.stacks, stacks)]
        {
            if let Some(wanted) = wanted {
                let expected = wanted.0.value as f64;
                self.check_cue_number(checks, wanted.0.span, field, expected, actual.map(f64::from));
            }
        }
        let hit = details.and_then(|details| details.hit);
        for (field, wanted, actual) in [
            ("Location", &doc.location, parameters.location()),
            ("Normal", &doc.normal, hit.map(|hit| hit.normal)),
            ("Origin", &doc.origin, details.and_then(|details| details.origin)),
        ] {
            let Some(wanted) = wanted else { continue };
            let near = |actual: [f64; 3]| {
                actual.iter().zip(wanted.0.value).all(|(at, wanted)| is_near(*at, wanted, checks.tolerance))
            };
            if !actual.is_some_and(near) {
                let found = actual.map_or_else(|| "none".to_owned(), |actual| format!("{actual:?}"));
                self.cue_differs(checks, wanted.0.span, field, format!("{:?}", wanted.0.value), found);
            }
        }
        if let Some(wanted) = &doc.effect
            && effect != Some(wanted.value.as_str())
        {
            self.cue_differs(checks, wanted.span, "Effect", &wanted.value, effect.unwrap_or("none"));
        }
        if let Some(wanted) = &doc.source {
            let source = details.and_then(|details| details.instigator);
            let known = self.controllers.iter().find(|(_, id)| Some(*id) == source).map(|(name, _)| *name);
            if known != Some(wanted.value.as_str()) {
                self.cue_differs(checks, wanted.span, "Source", &wanted.value, known.unwrap_or("none"));
            }
        }
        if let Some(wanted) = &doc.causer {
            let causer = details.and_then(|details| details.causer).map(|actor| actor.0);
            if causer != wanted.0.value {
                let named = |id: Option<u64>| id.map_or("none".to_owned(), |id| id.to_string());
                self.cue_differs(checks, wanted.0.span, "Causer", named(wanted.0.value), named(causer));
            }
        }
        let payload = details.and_then(|details| details.payload::<NamedValues>());
        for (name, wanted) in doc.payload.iter().flat_map(|payload| &payload.0) {
            let actual = payload.as_ref().and_then(|payload| payload.get(&name.value));
            let field = format!("Payload.{}", name.value);
            self.check_cue_number(checks, wanted.0.span, &field, wanted.0.value, actual);
        }
        if let Some(tags) = &doc.tags {
            let span = tags.iter().next().map(|tag| tag.span);
            let span = span.or(doc.cue.as_ref().map(|cue| cue.span)).unwrap_or_default();
            let mut wanted: Vec<&str> = tags.iter().map(|tag| tag.value.as_str()).collect();
            let named = |tag: &TagId| catalog.tag_name(*tag).to_owned();
            let mut actual: Vec<String> = parameters.context_tags().iter().map(named).collect();
            wanted.sort_unstable();
            wanted.dedup();
            actual.sort_unstable();
            if wanted != actual {
                self.cue_differs(checks, span, "Tags", format!("{wanted:?}"), format!("{actual:?}"));
            }
        }
        let sides = [
            ("SourceTags", &doc.source_tags, details.map(|details| &details.source_tags)),
            ("TargetTags", &doc.target_tags, details.map(|details| &details.target_tags)),
        ];
        for (field, wanted, actual) in sides {
            for tag in wanted.iter() {
                let has = |tag: TagId| actual.is_some_and(|actual| actual.matches(tag));
                if !catalog.tag(&tag.value).is_ok_and(has) {
                    self.cue_differs(checks, tag.span, field, &tag.value, "not among them");
                }
            }
        }
    }

    /// Compares a number of a cue; a missing number differs from every expected one.
    fn check_cue_number(
        &mut self,
        checks: &Checks,
        span: Span,
        field: &str,
        expected: f64,
        actual: Option<f64>,
    ) {
        if !actual.is_some_and(|actual| is_near(actual, expected, checks.tolerance)) {
            let found = actual.map_or_else(|| "none".to_owned(), |actual| actual.to_string());
            self.cue_differs(checks, span, field, expected, found);
        }
    }

    /// Records a failure about a field of a cue.
    fn cue_differs(
        &mut self,
        checks: &Checks,
        span: Span,
        field: &str,
        expected: impl Display,
        actual: impl Display,
    ) {
        self.differs(span, format!("{field} of {}", checks.what), expected, actual);
    }
}

/// Context of a comparison.
struct Checks {
    /// Description of the cue execution for messages.
    what: String,
    /// Relative tolerance of numbers.
    tolerance: f64,
}
