//! What the screen shows, as data.

use std::collections::VecDeque;

use ugas_core::debug::{AbilityLine, AttributeLine, ControllerPage};
use ugas_core::handle::{AbilityHandle, ControllerId};
use ugas_net::ClientStatistics;

use super::player::Player;
use crate::output::short;

/// Everything that is on the screen.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct View {
    /// Who and where, in a line.
    pub(super) head: String,
    /// Round trip and predictions, in a line.
    pub(super) network: String,
    /// The player's values.
    pub(super) bars: Vec<Bar>,
    pub(super) tags: Vec<String>,
    /// With the time that is left of them.
    pub(super) effects: Vec<String>,
    pub(super) abilities: Vec<Ability>,
    /// Others in view; the chosen target is marked.
    pub(super) others: Vec<Other>,
    /// What happened, newest last.
    pub(super) events: Vec<String>,
    /// What became of what the player did last.
    pub(super) message: String,
}

/// A value, and how full it is.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Bar {
    pub(super) name: String,
    pub(super) value: String,
    /// From 0 to 1, if there is a most.
    pub(super) share: Option<f64>,
}

/// An ability, and whether it can be used.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Ability {
    pub(super) name: String,
    /// What is to know of it: a cooldown, a run, why not.
    pub(super) note: String,
    pub(super) is_ready: bool,
}

/// Somebody else.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Other {
    pub(super) line: String,
    pub(super) is_target: bool,
}

/// Text in place of a value that the server withholds (N1).
pub(super) const NOT_REPLICATED: &str = "NotReplicated";

impl View {
    /// What is to be seen now.
    pub(super) fn of(
        player: &Player,
        target: Option<ControllerId>,
        events: &VecDeque<String>,
        message: &str,
    ) -> Self {
        let client = player.client();
        let own = player.own();
        let page = own.and_then(|own| player.page(own));
        let who = own.map_or_else(|| "nobody yet".to_owned(), |own| player.label(own));
        let state = if client.is_playing() { "" } else { ", connecting" };
        let ClientStatistics { confirmed, rejected, mispredicted, .. } = client.statistics();
        let mut view = Self {
            head: format!("{who} at {}{state}", player.session.server()),
            network: format!(
                "round trip {:.0} ms   {confirmed} confirmed, {rejected} rejected, {mispredicted} mispredicted",
                client.round_trip().as_seconds() * 1_000.0,
            ),
            events: events.iter().cloned().collect(),
            message: message.to_owned(),
            ..Self::default()
        };
        if let Some(page) = page {
            view.show(&page, &player.choices());
        }
        for id in player.others() {
            let Some(page) = player.page(id) else { continue };
            let values = page.attributes.iter().map(|line| format!("{} {}", line.name, short(line.current)));
            let tags = page.tags.iter().map(|line| line.name.clone());
            let withheld = match page.not_replicated.is_empty() {
                true => None,
                false => Some(format!("NotReplicated: {}", page.not_replicated.join(" "))),
            };
            let what: Vec<String> = values.chain(tags).chain(withheld).collect();
            let line = format!("{}  {}", player.label(id), what.join(", "));
            view.others.push(Other { line: line.trim_end().to_owned(), is_target: target == Some(id) });
        }
        view
    }

    fn show(&mut self, page: &ControllerPage, choices: &[AbilityHandle]) {
        let withheld = |name: &String| Bar { name: name.clone(), value: NOT_REPLICATED.into(), share: None };
        let shown = page.attributes.iter().map(|line| bar(line, &page.attributes));
        self.bars = shown.chain(page.not_replicated.iter().map(withheld)).collect();
        self.tags = page.tags.iter().map(|line| line.name.clone()).collect();
        self.effects = page
            .effects
            .iter()
            // Tags of a template are granted by an effect that nobody wrote.
            .filter(|line| !line.name.starts_with("Internal."))
            .map(|line| {
                let stacks = if line.stacks > 1 { format!(" x{}", line.stacks) } else { String::new() };
                let left = line.remaining.map(|left| format!(" {:.1} s", left.as_seconds()));
                format!("{}{stacks}{}", line.name, left.unwrap_or_default())
            })
            .collect();
        // Numbers on the screen are keys, so that what no key uses has no line.
        let chosen = page.abilities.iter().filter(|line| choices.contains(&line.handle));
        self.abilities = chosen.map(ability).collect();
    }
}

/// A value with a most of its own (`MaxHealth` for `Health`) is a share of it.
fn bar(line: &AttributeLine, all: &[AttributeLine]) -> Bar {
    let most = format!("Max{}", line.name);
    let most = all.iter().find(|other| other.name == most).map(|other| other.current);
    let most = most.filter(|most| most.is_finite() && *most > 0.0);
    let value = match most {
        Some(most) => format!("{} / {}", short(line.current), short(most)),
        None => short(line.current),
    };
    let share = most.map(|most| (line.current / most).clamp(0.0, 1.0));
    Bar { name: line.name.clone(), value, share }
}

fn ability(line: &AbilityLine) -> Ability {
    let mut notes = Vec::new();
    if line.runs > 0 {
        notes.push("runs".to_owned());
    }
    if let Some((left, _)) = line.cooldown {
        notes.push(format!("{:.1} s", left.as_seconds()));
    }
    if let Some((left, most)) = line.charges {
        notes.push(format!("{left} of {most}"));
    }
    // The time that is left says the same as the obstacle, and better.
    let obstacles = line.obstacles.iter().filter(|_| line.cooldown.is_none());
    notes.extend(obstacles.cloned());
    Ability { name: line.name.clone(), note: notes.join(", "), is_ready: line.obstacles.is_empty() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(name: &str, current: f64) -> AttributeLine {
        AttributeLine { name: name.to_owned(), base: current, current }
    }

    #[test]
    fn bars_know_their_most() {
        let all = [line("Health", 25.0), line("MaxHealth", 100.0), line("Speed", 6.5)];
        let bars: Vec<Bar> = all.iter().map(|one| bar(one, &all)).collect();
        assert_eq!((bars[0].value.as_str(), bars[0].share), ("25 / 100", Some(0.25)));
        assert_eq!((bars[2].value.as_str(), bars[2].share), ("6.5", None));
        let none = [line("Health", 25.0), line("MaxHealth", 0.0)];
        assert_eq!(bar(&none[0], &none).share, None);
    }
}
