//! The event log of a match, as lines of text.

use std::collections::VecDeque;

use ugas_core::catalog::Catalog;
use ugas_core::event::{Event, EventKind};
use ugas_core::handle::ControllerId;
use ugas_core::id::{AttributeId, TagId};
use ugas_core::time::Time;
use ugas_net::message::Rejection;

use super::roster::ROSTER;

/// Maximum number of kept lines.
const MAX_LINES: usize = 64;

/// Minimum damage to a hero that is logged.
const MIN_LOGGED_DAMAGE: f64 = 20.0;

/// Importance of a line, which decides its style.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Weight {
    /// Frequent events.
    Light,
    /// Decisive events.
    Heavy,
    /// Events of the network.
    Network,
}

/// A line of the log.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct LogLine {
    pub(super) time: Time,
    pub(super) text: String,
    pub(super) weight: Weight,
}

/// The last events of a match.
#[derive(Clone, Debug)]
pub(super) struct EventLog {
    lines: VecDeque<LogLine>,
    health: AttributeId,
    states: Vec<State>,
}

/// A tag of the pack that is logged.
#[derive(Clone, Debug)]
struct State {
    tag: TagId,
    /// Text when the tag is added.
    begins: &'static str,
    /// Text when the tag is removed; `None` if that is not logged.
    ends: Option<&'static str>,
    weight: Weight,
    /// Whether it is logged for heroes only.
    of_heroes: bool,
}

impl EventLog {
    /// Empty log, with the states that are reported. An error if the pack lacks one of their tags.
    pub(super) fn new(catalog: &Catalog) -> anyhow::Result<Self> {
        let state = |name, begins, ends, weight, of_heroes| {
            Ok::<_, anyhow::Error>(State { tag: catalog.tag(name)?, begins, ends, weight, of_heroes })
        };
        let states = vec![
            state("State.Dead", "falls", Some("is back"), Weight::Heavy, false)?,
            state("State.Stunned", "is stunned", None, Weight::Light, true)?,
            state("State.Casting", "calls a meteor", None, Weight::Light, true)?,
            state("State.Burning", "burns", None, Weight::Light, true)?,
            state("State.Guarding", "raises the shield", None, Weight::Light, true)?,
            state("State.Recovering", "gets a second wind", None, Weight::Light, true)?,
        ];
        Ok(Self { lines: VecDeque::new(), health: catalog.attribute("Health")?, states })
    }

    /// The lines, latest first.
    pub(super) fn latest(&self) -> impl Iterator<Item = &LogLine> {
        self.lines.iter().rev()
    }

    /// Adds a line for an event, if it is logged.
    pub(super) fn record(&mut self, event: &Event, fighters: &[ControllerId]) {
        let number = |id: &ControllerId| fighters.iter().position(|known| known == id);
        let source = event.cause.source.as_ref().and_then(number);
        let (who, text, weight) = match &event.kind {
            EventKind::TagAdded { controller, tag } => {
                let Some(who) = number(controller) else { return };
                let Some(state) = self.state(*tag, who) else { return };
                (who, state.begins.to_owned(), state.weight)
            }
            EventKind::TagRemoved { controller, tag } => {
                let Some(who) = number(controller) else { return };
                let Some(state) = self.state(*tag, who) else { return };
                let Some(ends) = state.ends.filter(|_| ROSTER[who].is_hero()) else { return };
                (who, ends.to_owned(), Weight::Light)
            }
            EventKind::AttributeChanged { controller, attribute, old, new, .. } => {
                let Some(who) = number(controller) else { return };
                if *attribute != self.health || old - new < MIN_LOGGED_DAMAGE || !ROSTER[who].is_hero() {
                    return;
                }
                (who, format!("loses {:.0} health", old - new), Weight::Light)
            }
            _ => return,
        };
        let by = match source {
            Some(source) if source != who => format!(", by {}", ROSTER[source].name),
            _ => String::new(),
        };
        let name = ROSTER[who].name;
        self.push(LogLine { time: event.time, text: format!("{name} {text}{by}"), weight });
    }

    /// Adds a line for a rejected command.
    pub(super) fn rejected(&mut self, time: Time, who: Option<usize>, why: Rejection) {
        let name = who.map_or("a client", |who| ROSTER[who].name);
        let text = format!("{name}: command rejected: {why}");
        self.push(LogLine { time, text, weight: Weight::Network });
    }

    /// Reported state of a tag; `None` if the tag is not reported, or only for heroes and this is a minion.
    fn state(&self, tag: TagId, who: usize) -> Option<&State> {
        let state = self.states.iter().find(|state| state.tag == tag)?;
        (!state.of_heroes || ROSTER[who].is_hero()).then_some(state)
    }

    fn push(&mut self, line: LogLine) {
        if self.lines.len() >= MAX_LINES {
            self.lines.pop_front();
        }
        self.lines.push_back(line);
    }
}
