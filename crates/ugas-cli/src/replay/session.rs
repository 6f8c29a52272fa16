//! Commands of `ugas replay` and their answers.

use std::fmt::Write;

use anyhow::{Context, bail};
use serde_json::{Map, Value, json};
use ugas_core::event::Event;
use ugas_core::handle::ControllerId;
use ugas_core::nearest::nearest;
use ugas_core::number::short;
use ugas_data::scenario::EVENT_KINDS;
use ugas_replay::StateDiff;

use super::position::{self, SeekTarget, seconds};
use super::{RecordingPlayer, describe, tail_word};
use crate::explain;
use crate::output::{self, count};
use crate::run::inspect;

/// Maximum number of listed events.
const MAX_EVENTS: usize = 100;

const COMMANDS: [&str; 12] = [
    "help", "info", "seek", "step", "back", "until", "watch", "show", "explain", "commands", "events", "diff",
];

/// A player and the watched values: names of controller and attribute.
pub(super) struct Session {
    pub(super) player: RecordingPlayer,
    watched: Vec<(String, String)>,
}

/// Answer to a command.
pub(super) struct Answer {
    pub(super) text: String,
    /// A JSON object.
    pub(super) json: Value,
    /// Whether the result is negative, such as an event that was not found.
    pub(super) is_negative: bool,
}

impl Answer {
    fn new(text: String, json: Value) -> Self {
        Self { text, json, is_negative: false }
    }
}

impl Session {
    pub(super) fn new(player: RecordingPlayer) -> Self {
        Self { player, watched: Vec::new() }
    }

    /// Executes a command.
    ///
    /// # Errors
    /// If the command is invalid, or the recording cannot be read.
    pub(super) fn perform(&mut self, line: &str) -> anyhow::Result<Answer> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some((command, rest)) = words.split_first() else { bail!("a command is missing") };
        match (*command, rest) {
            ("help", []) => Ok(help()),
            ("info", []) => Ok(self.info()),
            ("seek", [place]) => self.seek(place),
            ("step" | "back", [] | [_]) => self.step(command, rest.first().copied()),
            ("until", [kind, words @ ..]) => self.until(kind, words),
            // Players of a server may have names of several words.
            ("watch", [_, ..]) => self.watch(&rest.join(" ")),
            ("show", []) => self.show(None),
            ("show", _) => self.show(Some(&rest.join(" "))),
            ("explain", [controller @ .., attribute]) if !controller.is_empty() => {
                self.explain(&controller.join(" "), attribute)
            }
            ("commands", []) => self.commands(),
            ("events", []) => Ok(self.events()),
            ("diff", [from, to]) => self.diff(from, to),
            (known, _) if COMMANDS.contains(&known) => bail!("{}", usage(known)),
            (unknown, _) => {
                let hint = output::hint(nearest(unknown, COMMANDS), COMMANDS.iter().copied());
                bail!("there is no command `{unknown}`{hint}")
            }
        }
    }

    /// The position, in a line.
    pub(super) fn position_text(&self) -> String {
        let position = self.player.position();
        let (ticks, all) = (position.ticks, self.player.recording().ticks());
        let time = position.time.as_seconds();
        match self.player.is_inside_tick() {
            true => format!("{time} s, in tick {} of {all}", ticks.saturating_add(1)),
            false => format!("{time} s, after tick {ticks} of {all}"),
        }
    }

    /// The watched values, as lines.
    pub(super) fn watched_text(&self) -> String {
        let mut text = String::new();
        for (name, attribute) in &self.watched {
            let value = self.value(name, attribute);
            let value = value.map_or_else(|| "(none)".to_owned(), short);
            let _ = writeln!(text, "  {name}.{attribute} {value}");
        }
        text
    }

    /// An event in a line, with names.
    pub(super) fn event_text(&self, event: &Event) -> String {
        let text = event.describe(self.player.simulation()).to_string();
        self.player.replace_handles(text.trim())
    }

    /// Answer to `info`: labels, length, controllers, seed and catalog of the recording.
    fn info(&self) -> Answer {
        let recording = self.player.recording();
        let header = recording.header();
        let mut text = String::new();
        for (label, value) in &header.labels {
            let _ = writeln!(text, "{label}: {value}");
        }
        let end = recording.time_after(recording.ticks()).unwrap_or(self.player.position().time).as_seconds();
        let ticks = count(recording.ticks() as usize, "tick");
        let keys = count(recording.key_frames() as usize, "key frame");
        let _ = writeln!(text, "until {end} s: {ticks}, {keys}");
        let names: Vec<&str> = recording.names().map(|(_, name)| name).collect();
        let _ = writeln!(text, "controllers: {}", names.join(", "));
        let _ = writeln!(text, "seed {}, catalog {:016x}", header.config.seed, header.catalog);
        let labels: Map<String, Value> =
            header.labels.iter().map(|(label, value)| (label.clone(), json!(value))).collect();
        let document = json!({
            "labels": labels,
            "end": end,
            "ticks": recording.ticks(),
            "key_frames": recording.key_frames(),
            "bytes": recording.size(),
            "tail": tail_word(recording.tail()),
            "controllers": names,
            "seed": header.config.seed,
            "catalog": format!("{:016x}", header.catalog),
        });
        Answer::new(text, document)
    }

    /// Answer to `seek`: goes to a place, or by so many seconds forwards (`+`) or backwards (`-`).
    fn seek(&mut self, text: &str) -> anyhow::Result<Answer> {
        let now = self.player.position().time;
        let target = match text.strip_prefix(['+', '-']) {
            Some(way) => {
                let way = seconds(way)?;
                SeekTarget::Time(now + if text.starts_with('-') { -way } else { way })
            }
            None => position::parse(text)?,
        };
        self.go(target)?;
        Ok(self.moved())
    }

    /// Moves the player; beyond the end it stops there.
    fn go(&mut self, target: SeekTarget) -> anyhow::Result<()> {
        match target {
            SeekTarget::Here => {}
            SeekTarget::Tick(tick) => self.player.seek_tick(tick)?,
            SeekTarget::Time(time) => self.player.seek_time(time)?,
        }
        Ok(())
    }

    /// Answer to `step` and `back`: moves by ticks, until the end or the beginning.
    fn step(&mut self, command: &str, number: Option<&str>) -> anyhow::Result<Answer> {
        let number: u32 = match number {
            Some(text) => text.parse().ok().with_context(|| usage(command))?,
            None => 1,
        };
        for _ in 0..number {
            let went = if command == "step" { self.player.step()? } else { self.player.back()? };
            if !went {
                break;
            }
        }
        Ok(self.moved())
    }

    /// Answer to `until`: plays to the next event of a kind whose line has all the words. Negative if none
    /// follows.
    fn until(&mut self, kind: &str, words: &[&str]) -> anyhow::Result<Answer> {
        if !EVENT_KINDS.contains(&kind) {
            let hint = output::hint(nearest(kind, EVENT_KINDS.iter().copied()), core::iter::empty());
            bail!("there is no event `{kind}`{hint}");
        }
        let names = self.player.recording().controller_names().clone();
        let found = self.player.run_until(|event, simulation| {
            if event.kind.name() != kind {
                return false;
            }
            let line = names.replace_handles(simulation, &event.describe(simulation).to_string());
            words.iter().all(|word| {
                line.split(|c: char| c.is_whitespace() || ":,()".contains(c)).any(|own| own == *word)
            })
        })?;
        let mut answer = self.moved();
        let line = found.as_ref().map(|event| self.event_text(event));
        match &line {
            Some(line) => answer.text.push_str(&format!("  {line}\n")),
            None => answer.text.push_str("  no such event follows\n"),
        }
        answer.is_negative = line.is_none();
        if let Some(document) = answer.json.as_object_mut() {
            document.insert("event".to_owned(), json!(line));
        }
        Ok(answer)
    }

    /// Answer to `watch`: adds a value to those that are shown after every move.
    fn watch(&mut self, what: &str) -> anyhow::Result<Answer> {
        let (name, attribute) = what.split_once('.').context("usage: `watch NAME.ATTRIBUTE`")?;
        self.controller(name)?;
        self.player.simulation().catalog().attribute(attribute)?;
        let entry = (name.to_owned(), attribute.to_owned());
        if !self.watched.contains(&entry) {
            self.watched.push(entry);
        }
        Ok(self.moved())
    }

    /// Answer to `show`: the page of one controller or of all. Negative if the one does not exist at this
    /// time.
    fn show(&self, name: Option<&str>) -> anyhow::Result<Answer> {
        let simulation = self.player.simulation();
        let shown: Vec<(ControllerId, String)> = match name {
            Some(name) => vec![(self.controller(name)?, name.to_owned())],
            None => {
                let named = |(id, _)| (id, self.player.name_of(id));
                simulation.controllers().map(named).collect()
            }
        };
        let (mut text, mut pages, mut missing) = (String::new(), Vec::new(), Vec::new());
        for (id, name) in shown {
            match simulation.debug(id) {
                Some(page) => {
                    text.push_str(&self.player.replace_handles(&page.to_string()));
                    text.push('\n');
                    pages.push(inspect::to_json("", &name, &page));
                }
                None => {
                    text.push_str(&self.not_there(&name));
                    missing.push(name);
                }
            }
        }
        let is_negative = !missing.is_empty();
        Ok(Answer { text, json: json!({ "pages": pages, "missing": missing }), is_negative })
    }

    /// Answer to `explain`: how a value comes about. Negative if the controller or the attribute is missing.
    fn explain(&self, name: &str, attribute: &str) -> anyhow::Result<Answer> {
        let simulation = self.player.simulation();
        let attribute = simulation.catalog().attribute(attribute)?;
        let Some(explained) = simulation.explain(self.controller(name)?, attribute) else {
            let json = json!({ "missing": [name] });
            return Ok(Answer { text: self.not_there(name), json, is_negative: true });
        };
        let text = self.player.replace_handles(&explained.to_string());
        let document = explain::to_json(name, &explained, |id| self.player.name_of(id));
        Ok(Answer { text: format!("{text}\n"), json: document, is_negative: !explained.present })
    }

    /// Message about a controller that does not exist at this time.
    fn not_there(&self, name: &str) -> String {
        format!("`{name}` does not exist at {} s\n", self.player.simulation().now().as_seconds())
    }

    /// Answer to `commands`: those of the present tick, each marked as done or to come.
    fn commands(&mut self) -> anyhow::Result<Answer> {
        let commands = self.player.commands()?;
        let name = |id| self.player.name_of(id);
        let line = |command| {
            self.player.replace_handles(&describe::command(command, self.player.simulation(), &name))
        };
        let lines: Vec<String> = commands.iter().map(line).collect();
        let done = self.player.position().commands;
        let mut text = String::new();
        for (number, line) in (0..).zip(&lines) {
            let mark = if number < done { "done" } else { "next" };
            let _ = writeln!(text, "  {mark}  {line}");
        }
        if lines.is_empty() {
            text.push_str("  none\n");
        }
        Ok(Answer::new(text, json!({ "done": done, "list": lines })))
    }

    /// Answer to `events`: those of the last move, at most the newest [`MAX_EVENTS`].
    fn events(&self) -> Answer {
        let events = self.player.events();
        let left_out = events.len().saturating_sub(MAX_EVENTS);
        let lines: Vec<String> = events.iter().skip(left_out).map(|event| self.event_text(event)).collect();
        let mut text = String::new();
        if left_out > 0 {
            let _ = writeln!(text, "  {left_out} earlier events");
        }
        for line in &lines {
            let _ = writeln!(text, "  {line}");
        }
        if lines.is_empty() {
            text.push_str("  none\n");
        }
        Answer::new(text, json!({ "left_out": left_out, "list": lines }))
    }

    /// Answer to `diff`: fields that differ between two places. The position is the same afterwards.
    fn diff(&mut self, from: &str, to: &str) -> anyhow::Result<Answer> {
        let (from, to) = (position::parse(from)?, position::parse(to)?);
        let here = self.player.position();
        let was_inside = self.player.is_inside_tick();
        let original = self.player.simulation().clone();
        let mut look = |target: SeekTarget| -> anyhow::Result<_> {
            if target == SeekTarget::Here {
                return Ok(original.clone());
            }
            self.go(target)?;
            Ok(self.player.simulation().clone())
        };
        let (left, right) = (look(from)?, look(to)?);
        // Back to the previous position; inside a tick, to the same time.
        self.go(if was_inside { SeekTarget::Time(here.time) } else { SeekTarget::Tick(here.ticks) })?;
        let names = self.player.recording().controller_names();
        let name = |id| names.known(&left, id).unwrap_or_else(|| names.of(&right, id));
        let diff = StateDiff::between(&left, &right, name);
        let mut text = String::new();
        for line in diff.to_string().lines() {
            let _ = writeln!(text, "  {line}");
        }
        let document = json!({
            "left": left.now().as_seconds(),
            "right": right.now().as_seconds(),
            "fields": describe::diff_json(&diff),
        });
        Ok(Answer::new(text, document))
    }

    /// Answer after a seek: position and watched values.
    fn moved(&self) -> Answer {
        let position = self.player.position();
        let mut text = format!("{}\n", self.position_text());
        text.push_str(&self.watched_text());
        if self.player.agrees() == Some(false) {
            text.push_str("  not the recorded state: --verify finds the first differing tick\n");
        }
        let value = |(name, attribute): &(String, String)| {
            (format!("{name}.{attribute}"), json!(self.value(name, attribute)))
        };
        let watched: Map<String, Value> = self.watched.iter().map(value).collect();
        let document = json!({
            "time": position.time.as_seconds(),
            "tick": position.ticks,
            "agrees": self.player.agrees(),
            "watched": watched,
        });
        Answer::new(text, document)
    }

    /// Current value by names; `None` if the controller or the attribute is missing at this time.
    fn value(&self, name: &str, attribute: &str) -> Option<f64> {
        let simulation = self.player.simulation();
        let attribute = simulation.catalog().attribute(attribute).ok()?;
        simulation.current(self.player.controller(name)?, attribute)
    }

    /// Controller of this name; an error with the nearest name if the recording has none.
    fn controller(&self, name: &str) -> anyhow::Result<ControllerId> {
        self.player.controller(name).with_context(|| {
            let names = || self.player.recording().names().map(|(_, name)| name);
            let hint = output::hint(nearest(name, names()), names());
            format!("the recording has no controller `{name}`{hint}")
        })
    }
}

fn usage(command: &str) -> String {
    format!("usage: `{}`", form(command))
}

fn help() -> Answer {
    let forms = COMMANDS.map(form);
    Answer::new(forms.join("\n") + "\n", json!({ "commands": forms }))
}

/// A command with its arguments.
fn form(command: &str) -> &str {
    match command {
        "seek" => "seek PLACE",
        "step" => "step [N]",
        "back" => "back [N]",
        "until" => "until EVENT [WORD…]",
        "watch" => "watch NAME.ATTRIBUTE",
        "show" => "show [NAME]",
        "explain" => "explain NAME ATTRIBUTE",
        "diff" => "diff PLACE PLACE",
        other => other,
    }
}
