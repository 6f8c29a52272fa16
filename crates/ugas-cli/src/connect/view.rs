//! [`SessionView`]: the content of the screen.

use std::collections::VecDeque;

use ugas_core::debug::{AbilityLine, AttributeLine, ControllerPage};
use ugas_core::handle::{ControllerId, GrantedAbilityId};
use ugas_core::number::short;
use ugas_net::ClientStatistics;
use ugas_net::reconnect::ConnectionState;

use super::player::Player;

/// Content of the screen.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct SessionView {
    /// Player and server, in a line.
    pub(super) head: String,
    /// Round trip and predictions, in a line.
    pub(super) network: String,
    /// Attributes of the player.
    pub(super) bars: Vec<Bar>,
    pub(super) tags: Vec<String>,
    /// Effects, with their remaining time.
    pub(super) effects: Vec<String>,
    pub(super) abilities: Vec<AbilityRow>,
    /// Other visible controllers; the chosen target is marked.
    pub(super) others: Vec<OtherRow>,
    /// Events, newest last.
    pub(super) events: Vec<String>,
    /// Result of the player's last action.
    pub(super) message: String,
}

/// An attribute as a bar.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Bar {
    pub(super) name: String,
    pub(super) value: String,
    /// Share of the maximum from 0 to 1; `None` without a maximum.
    pub(super) share: Option<f64>,
}

/// An ability and whether it can be used.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct AbilityRow {
    pub(super) name: String,
    /// Notes: active, cooldown, charges, obstacles.
    pub(super) note: String,
    pub(super) is_ready: bool,
}

/// Another visible controller.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct OtherRow {
    pub(super) line: String,
    pub(super) is_target: bool,
}

/// Text in place of a value that the server withholds (N1).
pub(super) const NOT_REPLICATED: &str = "NotReplicated";

impl SessionView {
    /// The current view of a session. Controllers without a page, which just vanished, are left out.
    pub(super) fn of(
        player: &Player,
        target: Option<ControllerId>,
        events: &VecDeque<String>,
        message: &str,
    ) -> Self {
        let client = player.client();
        let own = player.own();
        let page = own.and_then(|own| player.page(own));
        let who = own.map_or_else(|| "no controller yet".to_owned(), |own| player.label(own));
        let state = if client.is_playing() { "" } else { ", connecting" };
        let ClientStatistics { confirmed, rejected, mispredicted, .. } = client.statistics();
        let mut view = Self {
            head: format!("{who} at {}{state}", player.session.server()),
            network: match player.session.connection() {
                ConnectionState::Reconnecting { attempt, next_try } => format!(
                    "the connection was lost: attempt {attempt} to reconnect in {:.1} s",
                    player.session.until(*next_try).as_seconds(),
                ),
                _ => format!(
                    "round trip {:.0} ms   {confirmed} confirmed, {rejected} rejected, {mispredicted} mispredicted",
                    client.round_trip().as_seconds() * 1_000.0,
                ),
            },
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
            view.others.push(OtherRow { line: line.trim_end().to_owned(), is_target: target == Some(id) });
        }
        view
    }

    /// Fills in the own controller: bars, tags, effects without internal ones, and the abilities that a digit
    /// activates.
    fn show(&mut self, page: &ControllerPage, choices: &[GrantedAbilityId]) {
        let withheld = |name: &String| Bar { name: name.clone(), value: NOT_REPLICATED.into(), share: None };
        let shown = page.attributes.iter().map(|line| bar(line, &page.attributes));
        self.bars = shown.chain(page.not_replicated.iter().map(withheld)).collect();
        self.tags = page.tags.iter().map(|line| line.name.clone()).collect();
        self.effects = page
            .effects
            .iter()
            // Tags of a template are granted by an internal effect.
            .filter(|line| !line.name.starts_with("Internal."))
            .map(|line| {
                let stacks = if line.stacks > 1 { format!(" x{}", line.stacks) } else { String::new() };
                let left = line.remaining.map(|left| format!(" {:.1} s", left.as_seconds()));
                format!("{}{stacks}{}", line.name, left.unwrap_or_default())
            })
            .collect();
        // The line numbers are the keys to press, so only usable abilities are listed.
        let chosen = page.abilities.iter().filter(|line| choices.contains(&line.handle));
        self.abilities = chosen.map(ability).collect();
    }
}

/// A bar of an attribute; the attribute `MaxHealth`, if present, is the maximum of `Health`.
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

/// Row of an ability, with its activity, cooldown and charges; other obstacles only without a cooldown.
fn ability(line: &AbilityLine) -> AbilityRow {
    let mut notes = Vec::new();
    if line.runs > 0 {
        notes.push("active".to_owned());
    }
    if let Some((left, _)) = line.cooldown {
        notes.push(format!("{:.1} s", left.as_seconds()));
    }
    if let Some((left, most)) = line.charges {
        notes.push(format!("{left} of {most}"));
    }
    // The remaining cooldown makes its obstacle redundant.
    let obstacles = line.obstacles.iter().filter(|_| line.cooldown.is_none());
    notes.extend(obstacles.cloned());
    AbilityRow { name: line.name.clone(), note: notes.join(", "), is_ready: line.obstacles.is_empty() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(name: &str, current: f64) -> AttributeLine {
        AttributeLine { name: name.to_owned(), base: current, current }
    }

    #[test]
    fn bars_use_the_maximum_attribute() {
        let all = [line("Health", 25.0), line("MaxHealth", 100.0), line("Speed", 6.5)];
        let bars: Vec<Bar> = all.iter().map(|one| bar(one, &all)).collect();
        assert_eq!((bars[0].value.as_str(), bars[0].share), ("25 / 100", Some(0.25)));
        assert_eq!((bars[2].value.as_str(), bars[2].share), ("6.5", None));
        let none = [line("Health", 25.0), line("MaxHealth", 0.0)];
        assert_eq!(bar(&none[0], &none).share, None);
    }
}
