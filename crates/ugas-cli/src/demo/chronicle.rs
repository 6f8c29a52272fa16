//! What is worth telling of a match, in words.

use std::collections::VecDeque;

use ugas_core::catalog::Catalog;
use ugas_core::event::{Event, EventKind};
use ugas_core::handle::ControllerId;
use ugas_core::id::{AttributeId, TagId};
use ugas_core::time::Time;
use ugas_net::message::Rejection;

use super::roster::ROSTER;

/// Most lines that are kept.
const MOST_LINES: usize = 64;

/// A blow is worth telling if it takes this much of a hero's health.
const HARD_BLOW: f64 = 20.0;

/// How important a line is, and so how it looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Weight {
    /// Happens all the time.
    Light,
    /// Turns the match.
    Heavy,
    /// Is about the network.
    Network,
}

/// Something that happened.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Line {
    pub(super) time: Time,
    pub(super) text: String,
    pub(super) weight: Weight,
}

/// What happened last.
#[derive(Clone, Debug)]
pub(super) struct Chronicle {
    lines: VecDeque<Line>,
    health: AttributeId,
    states: Vec<State>,
}

/// A tag of the pack that is worth telling.
#[derive(Clone, Debug)]
struct State {
    tag: TagId,
    begins: &'static str,
    /// Nothing is told of its end without a word for it.
    ends: Option<&'static str>,
    weight: Weight,
    /// Whether it is told of heroes only.
    of_heroes: bool,
}

impl Chronicle {
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

    /// What happened, the latest first.
    pub(super) fn latest(&self) -> impl Iterator<Item = &Line> {
        self.lines.iter().rev()
    }

    /// Tells of an event, if it is worth it.
    pub(super) fn tell(&mut self, event: &Event, fighters: &[ControllerId]) {
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
                if *attribute != self.health || old - new < HARD_BLOW || !ROSTER[who].is_hero() {
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
        self.push(Line { time: event.time, text: format!("{name} {text}{by}"), weight });
    }

    /// Tells that the server did not do what a client asked for.
    pub(super) fn rejected(&mut self, time: Time, who: Option<usize>, why: Rejection) {
        let name = who.map_or("a client", |who| ROSTER[who].name);
        let text = format!("{name} is told no: {why}");
        self.push(Line { time, text, weight: Weight::Network });
    }

    fn state(&self, tag: TagId, who: usize) -> Option<&State> {
        let state = self.states.iter().find(|state| state.tag == tag)?;
        (!state.of_heroes || ROSTER[who].is_hero()).then_some(state)
    }

    fn push(&mut self, line: Line) {
        if self.lines.len() >= MOST_LINES {
            self.lines.pop_front();
        }
        self.lines.push_back(line);
    }
}
