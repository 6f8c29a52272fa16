//! Evaluation of expectations.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

use ugas_core::handle::ControllerId;
use ugas_core::time::Time;

use super::{Failure, Runner, Scenario};
use crate::decode::List;
use crate::diagnostics::{Severity, render_line};
use crate::loader::{LoadError, Pack};
use crate::model::Name;
use crate::model::scenario::{ControllerExpectDoc, ExpectDoc, ExpectLoadDoc, Expected, Since, TagsExpectDoc};
use crate::source::Span;

/// Actual value in a failure about an unknown name.
const NO_NUMBER: &str = "nothing of the name";

/// Default relative tolerance of numbers.
const TOLERANCE: f64 = 1e-9;

/// Absolute tolerance of an expected zero.
const ZERO: f64 = 1e-12;

/// Whether a number is within a relative tolerance of the expected one; an expected 0 has a fixed absolute
/// tolerance.
pub(super) fn is_near(actual: f64, expected: f64, tolerance: f64) -> bool {
    let room = if expected == 0.0 { ZERO } else { tolerance * expected.abs() };
    (actual - expected).abs() <= room
}

/// Failures of `ExpectLoad`: missing codes and unexpected codes. Warnings are compared only if `Warnings` is
/// written.
pub(super) fn load(
    scenario: &Scenario,
    expected: &ExpectLoadDoc,
    loaded: &Result<Pack, LoadError>,
) -> Vec<Failure> {
    let (map, found) = match loaded {
        Ok(pack) => (&pack.source_map, pack.diagnostics.as_slice()),
        Err(error) => (&error.report.source_map, error.report.diagnostics.as_slice()),
    };
    let mut failures = Vec::new();
    let mut compare = |severity: Severity, codes: &List<Name>| {
        let found = || found.iter().filter(|diagnostic| diagnostic.severity == severity);
        for code in codes.iter().filter(|code| !found().any(|diagnostic| diagnostic.code == code.value)) {
            let (line, name) = (scenario.line(code.span), severity.name());
            let message = format!("the load: expected the {name} {}, which was not reported", code.value);
            let (expected, actual) = (code.value.clone(), format!("no such {name}"));
            failures.push(Failure { line, expected, actual, message, ..Failure::default() });
        }
        for diagnostic in found() {
            if !codes.iter().any(|code| code.value == diagnostic.code) {
                failures.push(Failure {
                    step: None,
                    line: map.position(diagnostic.span).line,
                    expected: format!("no {} {}", severity.name(), diagnostic.code),
                    actual: diagnostic.code.to_owned(),
                    message: render_line(map, diagnostic),
                    ..Failure::default()
                });
            }
        }
    };
    compare(Severity::Error, &expected.errors);
    if let Some(warnings) = &expected.warnings {
        compare(Severity::Warning, warnings);
    }
    failures
}

impl Runner<'_> {
    /// Checks an expectation, and records a failure for each difference. Then event counts and executed cues
    /// start again for the next expectation.
    pub(super) fn check(&mut self, expect: &ExpectDoc, span: Span) {
        let known = &expect.known;
        let tolerance = known.tolerance.as_ref().map_or(TOLERANCE, |tolerance| tolerance.0.value);
        if let Some(time) = &known.time {
            let now = self.simulation.now();
            let is_now = |expected: f64, own: Option<f64>| match own {
                Some(own) => is_near(now.as_seconds(), expected, own),
                None => Time::from_seconds(expected) == now,
            };
            if !time.is_met(now.as_seconds(), is_now) {
                self.differs(time.span, "the time", time, now.as_seconds());
            }
        }
        if let Some(expected) = &known.controllers {
            let count = u32::try_from(self.simulation.controllers().count()).unwrap_or(u32::MAX);
            self.check_count(
                expected.span,
                "the number of controllers".to_owned(),
                expected,
                known_count(count),
            );
        }
        if let Some(hash) = &known.hash {
            let (expected, actual) = (hash.0.value, self.simulation.state_hash());
            // Files of older releases have the hash in its former form.
            if expected != actual && expected != self.simulation.state_hash_of_version(1) {
                let what = "the hash of the state";
                self.differs(hash.0.span, what, format!("{expected:016x}"), format!("{actual:016x}"));
            }
        }
        if let Some(last) = &known.last
            && last.value != self.last
        {
            self.differs(last.span, "the outcome of the step before", &last.value, self.last);
        }
        if let Some(first) = known.reasons.first() {
            let expected: Vec<&str> = known.reasons.iter().map(|reason| reason.value.as_str()).collect();
            if expected != self.reasons {
                let actual = self.reasons.join(", ");
                self.differs(first.span, "the reasons of the step before", expected.join(", "), actual);
            }
        }
        let since = known.events.as_ref().and_then(|events| events.since.as_ref());
        let since = since.map(|since| since.0.value).unwrap_or_default();
        let counts = known.events.iter().flat_map(|events| &events.count).flat_map(|count| &count.0);
        for (kind, expected) in counts {
            let count = |events: &BTreeMap<&str, u64>| events.get(kind.value.as_str()).copied();
            let before = match since {
                Since::Start => 0,
                Since::LastExpect => count(&self.events_before).unwrap_or_default(),
            };
            let actual = count(&self.events).unwrap_or_default() - before;
            let what = format!("the number of {} events", kind.value);
            self.check_count(kind.span, what, expected, known_count(actual));
        }
        for (name, expected) in &expect.named.0 {
            match self.find(&name.value) {
                Ok(controller) => self.check_controller(&name.value, controller, expected, tolerance),
                Err(message) => self.fail(span, format!("a controller `{}`", name.value), "none", message),
            }
        }
        self.events_before.clone_from(&self.events);
        self.executed_cues.clear();
    }

    /// Checks the expectations of a controller: attributes, tags, effects, abilities and cues.
    fn check_controller(
        &mut self,
        name: &str,
        id: ControllerId,
        expected: &ControllerExpectDoc,
        tolerance: f64,
    ) {
        let catalog = self.simulation.catalog().clone();
        for (attribute, number) in &expected.named.0 {
            let found = catalog.attribute(&attribute.value);
            let actual = found.map(|attribute| self.simulation.current(id, attribute));
            let what = format!("{} of {name}", attribute.value);
            self.check_number(attribute.span, what, number, actual, tolerance);
        }
        let known = &expected.known;
        for (attribute, number) in known.base.iter().flat_map(|base| &base.0) {
            let found = catalog.attribute(&attribute.value);
            let actual = found.map(|attribute| self.simulation.base(id, attribute));
            let what = format!("the base of {} of {name}", attribute.value);
            self.check_number(attribute.span, what, number, actual, tolerance);
        }
        if let Some(tags) = &known.tags {
            self.check_tags(name, id, tags);
        }
        for (effect, count) in known.effects.iter().flat_map(|effects| &effects.0) {
            let what = format!("the number of {} on {name}", effect.value);
            let actual = catalog.effect(&effect.value).map(|effect| self.simulation.effect_count(id, effect));
            self.check_count(effect.span, what, count, actual.map(u64::from));
        }
        for (effect, count) in known.stacks.iter().flat_map(|stacks| &stacks.0) {
            let what = format!("the stacks of {} on {name}", effect.value);
            let actual = catalog.effect(&effect.value).map(|effect| self.simulation.stack_count(id, effect));
            self.check_count(effect.span, what, count, actual.map(u64::from));
        }
        self.check_abilities(name, id, known, tolerance);
        if let Some(cues) = known.cues.as_ref().and_then(|cues| cues.active.as_ref()) {
            let expected: BTreeSet<&str> = cues.iter().map(|cue| cue.value.as_str()).collect();
            let shown =
                self.simulation.controller(id).map(|controller| controller.cues()).unwrap_or_default();
            let actual: BTreeSet<&str> = shown.iter().map(|(cue, _)| catalog.tag_name(*cue)).collect();
            if expected != actual {
                let list = |cues: BTreeSet<&str>| format!("{:?}", cues.into_iter().collect::<Vec<_>>());
                let span = known.cues.as_ref().map(|cues| cues.span).unwrap_or_default();
                self.differs(span, format!("the cues on {name}"), list(expected), list(actual));
            }
        }
        if let Some(executed) = known.cues.as_ref().and_then(|cues| cues.executed.as_ref()) {
            let span = known.cues.as_ref().map(|cues| cues.span).unwrap_or_default();
            self.check_executed_cues(name, id, executed, span, tolerance);
        }
        for cue in known.cues.iter().flat_map(|cues| cues.not_active.iter()) {
            let shown = self.simulation.controller(id).map(|known| known.cues()).unwrap_or_default();
            if shown.iter().any(|(shown, _)| catalog.tag_name(*shown) == cue.value) {
                self.differs(cue.span, format!("the cue {} on {name}", cue.value), "not shown", "shown");
            }
        }
    }

    /// Checks which tags a controller has, and how often exactly each is granted.
    fn check_tags(&mut self, name: &str, id: ControllerId, expected: &TagsExpectDoc) {
        let catalog = self.simulation.catalog().clone();
        let has =
            |runner: &Self, tag: &str| catalog.tag(tag).is_ok_and(|tag| runner.simulation.has_tag(id, tag));
        for tag in expected.has.iter() {
            if !has(self, &tag.value) {
                self.differs(tag.span, format!("{} on {name}", tag.value), "present", "absent");
            }
        }
        for tag in expected.has_not.iter() {
            if has(self, &tag.value) {
                self.differs(tag.span, format!("{} on {name}", tag.value), "absent", "present");
            }
        }
        for (tag, count) in expected.count.iter().flat_map(|count| &count.0) {
            let what = format!("the count of {} on {name}", tag.value);
            let tags = self.simulation.tags(id);
            let actual =
                catalog.tag(&tag.value).map(|tag| tags.map(|tags| tags.count(tag)).unwrap_or_default());
            self.check_count(tag.span, what, count, actual.map(u64::from));
        }
    }

    /// Records a failure if a number differs from the expected one. `Ok(None)` is a number that does not
    /// exist, `Err` an unknown name.
    pub(super) fn check_number(
        &mut self,
        span: Span,
        what: String,
        expected: &Expected<false>,
        actual: Result<Option<f64>, impl Display>,
        tolerance: f64,
    ) {
        match actual {
            Ok(Some(actual)) => {
                let is_it =
                    |expected: f64, own: Option<f64>| is_near(actual, expected, own.unwrap_or(tolerance));
                if !expected.is_met(actual, is_it) {
                    self.differs(span, what, expected, actual);
                }
            }
            Ok(None) => self.differs(span, what, expected, NO_NUMBER),
            Err(error) => self.fail(span, expected.to_string(), NO_NUMBER, format!("{what}: {error}")),
        }
    }

    /// Records a failure if a count differs from the expected one; without a tolerance of its own it must be
    /// equal.
    pub(super) fn check_count(
        &mut self,
        span: Span,
        what: String,
        expected: &Expected<true>,
        actual: Result<u64, impl Display>,
    ) {
        match actual {
            Ok(actual) => {
                let number = actual as f64;
                let is_it = |expected: f64, own: Option<f64>| match own {
                    Some(own) => is_near(number, expected, own),
                    None => number == expected,
                };
                if !expected.is_met(number, is_it) {
                    self.differs(span, what, expected, actual);
                }
            }
            Err(error) => self.differs(span, what, expected, error),
        }
    }

    /// Records a failure that names the subject, the expected and the actual value.
    pub(super) fn differs(
        &mut self,
        span: Span,
        what: impl Display,
        expected: impl Display,
        actual: impl Display,
    ) {
        let message = format!("{what}: expected {expected}, found {actual}");
        self.fail(span, expected.to_string(), actual.to_string(), message);
    }
}

/// Count as a result that cannot fail.
pub(super) fn known_count(count: impl Into<u64>) -> Result<u64, std::convert::Infallible> {
    Ok(count.into())
}
