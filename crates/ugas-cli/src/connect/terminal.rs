//! A player at a terminal: keys in, pictures out.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use anyhow::Context;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ugas_core::handle::ControllerId;

use super::player::{Last, Player};
use super::screen;
use super::view::View;
use super::words;
use crate::output;

/// How often the picture is drawn at most.
const FRAME: Duration = Duration::from_millis(33);
/// Lines about what happened that are kept.
const MOST_EVENTS: usize = 200;

/// What a key means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Meaning {
    /// Use the ability with this number, from 0.
    Use(usize),
    NextTarget,
    PreviousTarget,
    TargetSelf,
    Confirm,
    Decline,
    Leave,
    Nothing,
}

/// Plays until the player leaves or the session is over. The terminal is as it was afterwards, also after a panic.
pub(super) fn play(player: &mut Player) -> anyhow::Result<()> {
    let mut terminal = ratatui::try_init().context("the terminal cannot be prepared")?;
    let _restored = Restored;
    let colour = output::colour();
    let mut desk = Desk::default();
    let mut drawn = Instant::now();
    let mut shown = None;
    while !player.is_over() {
        for event in player.breathe()? {
            if let Some(line) = words::line(player, &event) {
                desk.note(format!("{:6.1} {line}", player.session.elapsed().as_secs_f64()));
            }
        }
        while event::poll(Duration::ZERO)? {
            match event::read()? {
                Event::Key(key) => match meaning(key) {
                    Meaning::Leave => return Ok(()),
                    meaning => desk.press(player, meaning),
                },
                Event::Resize(..) => shown = None,
                _ => {}
            }
        }
        if shown.is_none() || drawn.elapsed() >= FRAME {
            drawn = Instant::now();
            let view = View::of(player, desk.target(player), &desk.events, &desk.message(player));
            if shown.as_ref() != Some(&view) {
                terminal.draw(|frame| screen::draw(frame, &view, colour))?;
                shown = Some(view);
            }
        }
    }
    Ok(())
}

/// What the player has in front of them.
#[derive(Default)]
struct Desk {
    target: Option<ControllerId>,
    events: VecDeque<String>,
    used: String,
}

impl Desk {
    fn note(&mut self, line: String) {
        self.events.push_back(line);
        while self.events.len() > MOST_EVENTS {
            self.events.pop_front();
        }
    }

    /// The chosen target, or the first there is.
    fn target(&self, player: &Player) -> Option<ControllerId> {
        let others = player.others();
        let is_there = |id: &ControllerId| others.contains(id) || player.own() == Some(*id);
        self.target.filter(is_there).or_else(|| others.first().copied())
    }

    fn press(&mut self, player: &mut Player, meaning: Meaning) {
        match meaning {
            Meaning::Use(at) => {
                let Some(ability) = player.choices().get(at).copied() else { return };
                let simulation = player.client().simulation();
                let granted = simulation.ability(ability).map(|granted| granted.ability());
                let name = granted.map(|ability| simulation.catalog().ability_name(ability).to_owned());
                self.used = name.unwrap_or_default();
                let target = self.target(player);
                player.activate(ability, target);
            }
            Meaning::NextTarget => self.turn(player, 1),
            Meaning::PreviousTarget => self.turn(player, -1),
            Meaning::TargetSelf => self.target = player.own(),
            Meaning::Confirm => {
                self.used = "confirm".to_owned();
                player.act(|client, own| client.confirm(own));
            }
            Meaning::Decline => {
                self.used = "decline".to_owned();
                player.act(|client, own| client.decline(own));
            }
            Meaning::Leave | Meaning::Nothing => {}
        }
    }

    fn turn(&mut self, player: &Player, by: isize) {
        let others = player.others();
        let at = self.target(player).and_then(|target| others.iter().position(|id| *id == target));
        let count = isize::try_from(others.len()).unwrap_or(0).max(1);
        let next = at.map_or(0, |at| (isize::try_from(at).unwrap_or(0) + by).rem_euclid(count));
        self.target = usize::try_from(next).ok().and_then(|next| others.get(next).copied());
    }

    /// What became of what the player did last.
    fn message(&self, player: &Player) -> String {
        match &player.last {
            Last::Nothing => String::new(),
            Last::Waiting(_) => format!("{}: predicted", self.used),
            Last::Done => format!("{}: confirmed", self.used),
            Last::Refused(_, why) => why.clone(),
            Last::Rejected(rejection) => format!("{}: rejected: {rejection}", self.used),
        }
    }
}

/// Gives the terminal back when it is dropped.
struct Restored;

impl Drop for Restored {
    fn drop(&mut self) {
        ratatui::restore();
    }
}

fn meaning(key: KeyEvent) -> Meaning {
    if key.kind == KeyEventKind::Release {
        return Meaning::Nothing;
    }
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        // In raw mode Ctrl-C is a key like any other.
        let leaves = matches!(key.code, KeyCode::Char('c' | 'C' | 'd' | 'D'));
        return if leaves { Meaning::Leave } else { Meaning::Nothing };
    }
    match key.code {
        KeyCode::Tab | KeyCode::Down | KeyCode::Right => Meaning::NextTarget,
        KeyCode::BackTab | KeyCode::Up | KeyCode::Left => Meaning::PreviousTarget,
        KeyCode::Enter => Meaning::Confirm,
        KeyCode::Esc => Meaning::Decline,
        KeyCode::Char('q' | 'Q') => Meaning::Leave,
        KeyCode::Char('s' | 'S') => Meaning::TargetSelf,
        KeyCode::Char(digit @ '1'..='9') => Meaning::Use(usize::from(digit as u8 - b'1')),
        _ => Meaning::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(key: KeyEvent, expected: Meaning) {
        assert_eq!(meaning(key), expected, "{key:?}");
    }

    #[test]
    fn keys_have_their_meaning() {
        let plain = |code| KeyEvent::new(code, KeyModifiers::NONE);
        check(plain(KeyCode::Char('1')), Meaning::Use(0));
        check(plain(KeyCode::Char('9')), Meaning::Use(8));
        check(plain(KeyCode::Char('0')), Meaning::Nothing);
        check(plain(KeyCode::Tab), Meaning::NextTarget);
        check(plain(KeyCode::BackTab), Meaning::PreviousTarget);
        check(plain(KeyCode::Enter), Meaning::Confirm);
        check(plain(KeyCode::Esc), Meaning::Decline);
        check(plain(KeyCode::Char('Q')), Meaning::Leave);
        check(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL), Meaning::Leave);
        check(KeyEvent { kind: KeyEventKind::Release, ..plain(KeyCode::Tab) }, Meaning::Nothing);
    }
}
