//! Scripts of bots: YAML files with a list of steps. A script is checked completely before it is played.

use std::path::Path;

use anyhow::{anyhow, bail};
use ugas_core::catalog::Catalog;
use ugas_core::nearest::nearest;
use ugas_data::diagnostics::Sink;
use ugas_data::node::{self, Entry, Node, Value};
use ugas_data::{Limits, SourceMap, Span};

use crate::{input, output};

/// Maximum size of a script in bytes.
const MAX_BYTES: u64 = 1 << 20;
/// Default `Within` of an expectation, in seconds.
const DEFAULT_WITHIN: f64 = 2.0;
/// Relative tolerance of expected values, as in scenarios.
const TOLERANCE: f64 = 1e-9;
/// Maximum time of a step, in seconds.
const MAX_SECONDS: f64 = 86_400.0;

/// A script.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Script {
    pub(super) steps: Vec<Step>,
}

/// A step and its line in the file.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Step {
    pub(super) line: u32,
    pub(super) act: StepAction,
}

/// Action of a step.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum StepAction {
    /// Waits for a number of seconds.
    Wait(f64),
    /// Uses an ability.
    Activate { ability: String, target: Option<String> },
    /// Cancels the activations of an ability.
    Cancel(String),
    /// Presses an input.
    Press(String),
    /// Releases an input.
    Release(String),
    /// Confirms a pending target selection.
    Confirm,
    /// Declines a pending target selection.
    Decline,
    /// Uses random abilities.
    Random { seconds: f64, every: f64, seed: u64 },
    /// Waits until an expectation is met, and fails if it is not met in time.
    Expect(Expectation),
}

/// An expectation about the client's replica.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Expectation {
    /// Maximum time until it is met, in seconds.
    pub(super) within: f64,
    /// Current values of the player's own controller.
    pub(super) attributes: Vec<(String, Bounds)>,
    /// Tags that the controller must have.
    pub(super) has: Vec<String>,
    /// Tags that it must not have.
    pub(super) has_not: Vec<String>,
    /// Result of the previous step: `Ok`, `Refused`, `Rejected`, or the code of a reason.
    pub(super) last: Option<String>,
    /// Counters.
    pub(super) counts: Vec<(Count, Bounds)>,
}

/// A counter of a session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Count {
    /// Confirmed commands.
    Confirmed,
    /// Rejected commands.
    Rejected,
    /// Mispredicted ticks.
    Mispredicted,
    /// Other visible controllers.
    Others,
}

impl Count {
    const ALL: [(&'static str, Self); 4] = [
        ("Confirmed", Self::Confirmed),
        ("Rejected", Self::Rejected),
        ("Mispredicted", Self::Mispredicted),
        ("Others", Self::Others),
    ];

    pub(super) fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, count)| *count == self).map_or("", |(name, _)| name)
    }
}

/// A range of numbers, or a single number.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Bounds {
    pub(super) at_least: f64,
    pub(super) at_most: f64,
}

impl Bounds {
    /// Whether a value is within the bounds, up to a small tolerance for rounding.
    pub(super) fn admits(self, value: f64) -> bool {
        let slack = |bound: f64| if bound.is_finite() { bound.abs().max(1.0) * TOLERANCE } else { 0.0 };
        value >= self.at_least - slack(self.at_least) && value <= self.at_most + slack(self.at_most)
    }

    /// The range as text, for messages.
    pub(super) fn describe(self) -> String {
        let Self { at_least, at_most } = self;
        match (at_least.is_finite(), at_most.is_finite()) {
            (true, true) if at_least == at_most => ugas_core::number::short(at_least),
            (true, true) => format!(
                "from {} to {}",
                ugas_core::number::short(at_least),
                ugas_core::number::short(at_most)
            ),
            (true, false) => format!("at least {}", ugas_core::number::short(at_least)),
            _ => format!("at most {}", ugas_core::number::short(at_most)),
        }
    }
}

impl Script {
    /// Reads a script for a game with these rules.
    ///
    /// # Errors
    /// The first problem, with its line.
    pub(super) fn read(file: &Path, catalog: &Catalog) -> anyhow::Result<Self> {
        let bytes = input::read(file, MAX_BYTES)?;
        let text = String::from_utf8(bytes).map_err(|_| anyhow!("`{}` is not UTF-8", file.display()))?;
        Self::parse(file, text, catalog)
    }

    /// Parses a script; the error has file and line. Names are checked against the catalog.
    fn parse(file: &Path, text: String, catalog: &Catalog) -> anyhow::Result<Self> {
        let mut map = SourceMap::new();
        let id = map.add(file, text);
        let mut sink = Sink::default();
        let documents = node::parse(&map, id, &Limits::default(), &mut sink);
        let reader = Reader { map: &map, catalog, file };
        if sink.errors() > 0 {
            let first = sink.into_diagnostics().into_iter().next();
            let (span, message) = first.map(|found| (found.span, found.message)).unwrap_or_default();
            return Err(reader.wrong(span, &message));
        }
        let [document] = documents.as_slice() else {
            bail!("`{}` is not a script: expected one document with `Steps`", file.display());
        };
        reader.script(document)
    }
}

/// Reads nodes, and reports problems with their lines.
struct Reader<'a> {
    map: &'a SourceMap,
    catalog: &'a Catalog,
    file: &'a Path,
}

impl Reader<'_> {
    /// Line of a span, for messages and step results.
    fn line(&self, span: Span) -> u32 {
        self.map.position(span).line
    }

    /// Error at a span, with file and line.
    fn wrong(&self, span: Span, message: &str) -> anyhow::Error {
        let line = self.line(span);
        anyhow!("{}:{line}: {message}", self.file.display())
    }

    /// The entries of a mapping; an error if a key is unknown.
    fn entries<'n>(&self, node: &'n Node, known: &[&str]) -> anyhow::Result<&'n [Entry]> {
        if !matches!(node.value, Value::Map(_)) {
            let expected = format!("expected a mapping with {}, not {}", known.join(", "), node.describe());
            return Err(self.wrong(node.head(), &expected));
        }
        match node.entries().iter().find(|entry| !known.contains(&entry.key.value.as_str())) {
            None => Ok(node.entries()),
            Some(entry) => {
                let key = &entry.key.value;
                let hint = output::hint(nearest(key, known.iter().copied()), known.iter().copied());
                Err(self.wrong(entry.key.span, &format!("unknown key `{key}`{hint}")))
            }
        }
    }

    /// Text of a value; numbers and others are an error.
    fn text(&self, node: &Node) -> anyhow::Result<String> {
        let text = node.text().map(str::to_owned);
        text.ok_or_else(|| self.wrong(node.span, &format!("expected a string, not {}", node.describe())))
    }

    /// Finite number of a value; others are an error.
    fn number(&self, node: &Node) -> anyhow::Result<f64> {
        let number = node.number().filter(|number| number.is_finite());
        number.ok_or_else(|| self.wrong(node.span, &format!("expected a number, not {}", node.describe())))
    }

    /// Seconds from 0 to [`MAX_SECONDS`]; others are an error.
    fn seconds(&self, node: &Node) -> anyhow::Result<f64> {
        let seconds = self.number(node)?;
        if (0.0..=MAX_SECONDS).contains(&seconds) {
            return Ok(seconds);
        }
        Err(self.wrong(node.span, &format!("expected seconds from 0 to {MAX_SECONDS}")))
    }

    /// Reads the root of a script: a mapping with `Steps`, and an optional `Name`. Other keys are an error.
    fn script(&self, node: &Node) -> anyhow::Result<Script> {
        let entries = self.entries(node, &["Name", "Steps"])?;
        let steps = entries.iter().find(|entry| entry.key.value == "Steps");
        let steps = steps.ok_or_else(|| self.wrong(node.head(), "`Steps` is missing"))?;
        if !matches!(steps.value.value, Value::List(_)) {
            let message = format!("`Steps` must be a list, not {}", steps.value.describe());
            return Err(self.wrong(steps.key.span, &message));
        }
        let steps = steps.value.items().iter().map(|step| self.step(step));
        Ok(Script { steps: steps.collect::<anyhow::Result<_>>()? })
    }

    /// Reads a step: one action, or `Confirm` or `Decline` as plain text.
    fn step(&self, node: &Node) -> anyhow::Result<Step> {
        const KINDS: [&str; 9] =
            ["Wait", "Activate", "Cancel", "Press", "Release", "Confirm", "Decline", "Random", "Expect"];
        let line = self.line(node.head());
        // `- Confirm` alone is a string.
        let act = match node.text() {
            Some("Confirm") => StepAction::Confirm,
            Some("Decline") => StepAction::Decline,
            _ => {
                let [Entry { key, value }] = self.entries(node, &KINDS)? else {
                    return Err(self.wrong(node.head(), "a step has one action: begin the next with `-`"));
                };
                match key.value.as_str() {
                    "Wait" => StepAction::Wait(self.seconds(value)?),
                    "Activate" => self.activate(value)?,
                    "Cancel" => StepAction::Cancel(self.ability(value)?),
                    "Press" => StepAction::Press(self.text(value)?),
                    "Release" => StepAction::Release(self.text(value)?),
                    "Confirm" => StepAction::Confirm,
                    "Decline" => StepAction::Decline,
                    "Random" => self.random(value)?,
                    _ => StepAction::Expect(self.expectation(value)?),
                }
            }
        };
        Ok(Step { line, act })
    }

    /// Reads an activation: an ability, or a mapping with `Ability` and `Target`.
    fn activate(&self, node: &Node) -> anyhow::Result<StepAction> {
        // `Activate: GA_Jump` is short for the ability alone.
        if node.text().is_some() {
            return Ok(StepAction::Activate { ability: self.ability(node)?, target: None });
        }
        let (mut ability, mut target) = (None, None);
        for Entry { key, value } in self.entries(node, &["Ability", "Target"])? {
            match key.value.as_str() {
                "Ability" => ability = Some(self.ability(value)?),
                _ => target = Some(self.text(value)?),
            }
        }
        let ability = ability.ok_or_else(|| self.wrong(node.head(), "`Ability` is missing"))?;
        Ok(StepAction::Activate { ability, target })
    }

    /// Reads the name of an ability that the rules have.
    fn ability(&self, node: &Node) -> anyhow::Result<String> {
        let name = self.text(node)?;
        match self.catalog.ability(&name) {
            Ok(_) => Ok(name),
            Err(unknown) => Err(self.wrong(node.span, &unknown.to_string())),
        }
    }

    /// Reads random play: `Seconds`, and optionally the pause `Every` and a `Seed`.
    fn random(&self, node: &Node) -> anyhow::Result<StepAction> {
        let (mut seconds, mut every, mut seed) = (None, 0.3, 1);
        for Entry { key, value } in self.entries(node, &["Seconds", "Every", "Seed"])? {
            match key.value.as_str() {
                "Seconds" => seconds = Some(self.seconds(value)?),
                "Every" => every = self.seconds(value)?,
                _ => seed = self.number(value)? as u64,
            }
        }
        let seconds = seconds.ok_or_else(|| self.wrong(node.head(), "`Seconds` is missing"))?;
        Ok(StepAction::Random { seconds, every, seed })
    }

    /// Reads an expectation; without `Within` it has the usual time to come true.
    fn expectation(&self, node: &Node) -> anyhow::Result<Expectation> {
        const KEYS: [&str; 8] =
            ["Within", "Attributes", "Tags", "Last", "Confirmed", "Rejected", "Mispredicted", "Others"];
        let mut expectation = Expectation { within: DEFAULT_WITHIN, ..Expectation::default() };
        for Entry { key, value } in self.entries(node, &KEYS)? {
            match key.value.as_str() {
                "Within" => expectation.within = self.seconds(value)?,
                "Last" => expectation.last = Some(self.text(value)?),
                "Attributes" => expectation.attributes = self.attributes(value)?,
                "Tags" => {
                    for Entry { key, value } in self.entries(value, &["Has", "HasNot"])? {
                        let tags = self.tags(value)?;
                        match key.value.as_str() {
                            "Has" => expectation.has = tags,
                            _ => expectation.has_not = tags,
                        }
                    }
                }
                name => {
                    let count = Count::ALL.into_iter().find(|(known, _)| *known == name);
                    if let Some((_, count)) = count {
                        expectation.counts.push((count, self.bounds(value)?));
                    }
                }
            }
        }
        Ok(expectation)
    }

    /// Reads expected values by name of the attribute, which the rules must have.
    fn attributes(&self, node: &Node) -> anyhow::Result<Vec<(String, Bounds)>> {
        let entries = node.entries().iter();
        entries
            .map(|Entry { key, value }| match self.catalog.attribute(&key.value) {
                Ok(_) => Ok((key.value.clone(), self.bounds(value)?)),
                Err(unknown) => Err(self.wrong(key.span, &unknown.to_string())),
            })
            .collect()
    }

    /// Reads one tag or a list of tags, which the rules must have.
    fn tags(&self, node: &Node) -> anyhow::Result<Vec<String>> {
        let tag = |node: &Node| {
            let name = self.text(node)?;
            self.catalog.tag(&name).map_err(|unknown| self.wrong(node.span, &unknown.to_string()))?;
            Ok(name)
        };
        match &node.value {
            Value::Text(_) => Ok(vec![tag(node)?]),
            _ => node.items().iter().map(tag).collect(),
        }
    }

    /// Reads a number, or a range with `AtLeast` and `AtMost`.
    fn bounds(&self, node: &Node) -> anyhow::Result<Bounds> {
        if let Some(number) = node.number() {
            return Ok(Bounds { at_least: number, at_most: number });
        }
        let mut bounds = Bounds { at_least: f64::NEG_INFINITY, at_most: f64::INFINITY };
        for Entry { key, value } in self.entries(node, &["AtLeast", "AtMost"])? {
            match key.value.as_str() {
                "AtLeast" => bounds.at_least = self.number(value)?,
                _ => bounds.at_most = self.number(value)?,
            }
        }
        Ok(bounds)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ugas_core::ability::AbilityDef;
    use ugas_core::attribute::{AttributeDef, AttributeSetDef};

    use super::*;

    fn rules() -> Arc<Catalog> {
        let builder = Catalog::builder()
            .tags(["State.Casting"])
            .attribute_set(AttributeSetDef::new("Set").with(AttributeDef::new("Mana", 100.0)));
        builder.ability(AbilityDef::new("GA_Bolt")).build().unwrap()
    }

    fn parse(text: &str) -> Result<Vec<StepAction>, String> {
        let script = Script::parse(Path::new("bot.yaml"), text.to_owned(), &rules());
        let script = script.map_err(|error| error.to_string())?;
        Ok(script.steps.into_iter().map(|step| step.act).collect())
    }

    #[test]
    fn all_steps_are_read() {
        let text = "
Name: everything
Steps:
  - Wait: 0.5
  - Activate: { Ability: GA_Bolt, Target: Ogre }
  - Activate: GA_Bolt
  - Press: Slot.1
  - Release: Slot.1
  - Confirm
  - Decline: true
  - Cancel: GA_Bolt
  - Random: { Seconds: 2, Seed: 7 }
  - Expect: { Within: 1, Attributes: { Mana: 70 }, Tags: { HasNot: State.Casting }, Last: Ok, Others: { AtLeast: 1 } }
";
        let bolt = || "GA_Bolt".to_owned();
        let expectation = Expectation {
            within: 1.0,
            attributes: vec![("Mana".to_owned(), Bounds { at_least: 70.0, at_most: 70.0 })],
            has_not: vec!["State.Casting".to_owned()],
            last: Some("Ok".to_owned()),
            counts: vec![(Count::Others, Bounds { at_least: 1.0, at_most: f64::INFINITY })],
            ..Expectation::default()
        };
        let expected = vec![
            StepAction::Wait(0.5),
            StepAction::Activate { ability: bolt(), target: Some("Ogre".to_owned()) },
            StepAction::Activate { ability: bolt(), target: None },
            StepAction::Press("Slot.1".to_owned()),
            StepAction::Release("Slot.1".to_owned()),
            StepAction::Confirm,
            StepAction::Decline,
            StepAction::Cancel(bolt()),
            StepAction::Random { seconds: 2.0, every: 0.3, seed: 7 },
            StepAction::Expect(expectation),
        ];
        assert_eq!(parse(text), Ok(expected));
    }

    #[track_caller]
    fn check_wrong(text: &str, expected: &str) {
        assert_eq!(parse(text), Err(expected.to_owned()));
    }

    #[test]
    fn problems_are_reported_with_their_line() {
        check_wrong("Steps:\n  - Wat: 1\n", "bot.yaml:2: unknown key `Wat`; did you mean `Wait`?");
        check_wrong("Steps:\n  - Wait: -1\n", "bot.yaml:2: expected seconds from 0 to 86400");
        check_wrong(
            "Steps:\n  - Wait: 1\n    Confirm: 1\n",
            "bot.yaml:2: a step has one action: begin the next with `-`",
        );
        check_wrong("Steps: 3\n", "bot.yaml:1: `Steps` must be a list, not the number 3");
        assert!(
            parse("Steps:\n  - Wait: 1\n  - Activate: GA_Bold\n").unwrap_err().starts_with("bot.yaml:3: ")
        );
        assert!(parse("Steps:\n  - Expect: { Attributes: { Manna: 1 } }\n").is_err());
        assert!(parse("Steps: [\n").is_err());
    }

    #[test]
    fn bounds_have_a_tolerance() {
        let exactly = Bounds { at_least: 70.0, at_most: 70.0 };
        assert!(exactly.admits(70.0 + 1e-10) && !exactly.admits(70.001));
        assert_eq!(exactly.describe(), "70");
        assert_eq!(Bounds { at_least: 1.0, at_most: f64::INFINITY }.describe(), "at least 1");
        assert!(!exactly.admits(f64::NAN));
    }
}
