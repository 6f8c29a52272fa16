//! A session at a terminal: reads keys and draws the screen.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ugas_core::handle::ControllerId;

use super::event_lines;
use super::player::{LastAction, Player};
use super::screen;
use super::view::SessionView;
use crate::terminal::{self, Input, Screen};

/// Minimum interval between two frames.
const FRAME: Duration = Duration::from_millis(33);
/// Maximum number of kept event lines.
const MAX_EVENTS: usize = 200;

/// Action of a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Action {
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

/// Plays until the player leaves or the session ends.
pub(super) fn play(player: &mut Player) -> anyhow::Result<()> {
    let mut screen = Screen::open()?;
    let mut state = ScreenState::default();
    let mut drawn = Instant::now();
    let mut shown = None;
    while !player.is_over() {
        for event in player.pump()? {
            if let Some(line) = event_lines::line(player, &event) {
                state.note(format!("{:6.1} {line}", player.session.elapsed().as_secs_f64()));
            }
        }
        while let Some(input) = screen.poll(Duration::ZERO)? {
            match input {
                Input::Key(key) => match action(key) {
                    Action::Leave => return Ok(()),
                    action => state.press(player, action),
                },
                Input::Resized => shown = None,
                Input::Other => {}
            }
        }
        if shown.is_none() || drawn.elapsed() >= FRAME {
            drawn = Instant::now();
            let view = SessionView::of(player, state.target(player), &state.events, &state.message(player));
            if shown.as_ref() != Some(&view) {
                screen.draw(|frame, colour| screen::draw(frame, &view, colour))?;
                shown = Some(view);
            }
        }
    }
    Ok(())
}

/// State of the screen besides the session.
#[derive(Default)]
struct ScreenState {
    /// The chosen target.
    target: Option<ControllerId>,
    /// Lines of the last events.
    events: VecDeque<String>,
    /// Name of the last action.
    used: String,
}

impl ScreenState {
    /// Adds a line to the event list; the oldest is dropped beyond the limit.
    fn note(&mut self, line: String) {
        self.events.push_back(line);
        while self.events.len() > MAX_EVENTS {
            self.events.pop_front();
        }
    }

    /// The chosen target; by default the first one.
    fn target(&self, player: &Player) -> Option<ControllerId> {
        let others = player.others();
        let is_there = |id: &ControllerId| others.contains(id) || player.own() == Some(*id);
        self.target.filter(is_there).or_else(|| others.first().copied())
    }

    /// Carries out a key: activates an ability on the target, chooses a target, or answers a confirmation.
    fn press(&mut self, player: &mut Player, action: Action) {
        match action {
            Action::Use(at) => {
                let Some(ability) = player.choices().get(at).copied() else { return };
                let simulation = player.client().simulation();
                let granted = simulation.ability(ability).map(|granted| granted.ability());
                let name = granted.map(|ability| simulation.catalog().ability_name(ability).to_owned());
                self.used = name.unwrap_or_default();
                let target = self.target(player);
                player.activate(ability, target);
            }
            Action::NextTarget => self.turn(player, 1),
            Action::PreviousTarget => self.turn(player, -1),
            Action::TargetSelf => self.target = player.own(),
            Action::Confirm => {
                self.used = "confirm".to_owned();
                player.act(|client, own| client.confirm(own));
            }
            Action::Decline => {
                self.used = "decline".to_owned();
                player.act(|client, own| client.decline(own));
            }
            Action::Leave | Action::Nothing => {}
        }
    }

    /// Chooses the next or previous visible controller as target, round and round; the first if none was
    /// chosen.
    fn turn(&mut self, player: &Player, by: isize) {
        let others = player.others();
        let at = self.target(player).and_then(|target| others.iter().position(|id| *id == target));
        let count = isize::try_from(others.len()).unwrap_or(0).max(1);
        let next = at.map_or(0, |at| (isize::try_from(at).unwrap_or(0) + by).rem_euclid(count));
        self.target = usize::try_from(next).ok().and_then(|next| others.get(next).copied());
    }

    /// Result of the player's last action, for the message line; empty before the first.
    fn message(&self, player: &Player) -> String {
        match &player.last {
            LastAction::Nothing => String::new(),
            LastAction::Waiting(_) => format!("{}: predicted", self.used),
            LastAction::Done => format!("{}: confirmed", self.used),
            LastAction::Refused(_, why) => why.clone(),
            LastAction::Rejected(rejection) => format!("{}: rejected: {rejection}", self.used),
        }
    }
}

/// Action of a key; with Control held only Ctrl-C has one.
fn action(key: KeyEvent) -> Action {
    if terminal::is_control(key) {
        return if terminal::is_interrupt(key) { Action::Leave } else { Action::Nothing };
    }
    match key.code {
        KeyCode::Tab | KeyCode::Down | KeyCode::Right => Action::NextTarget,
        KeyCode::BackTab | KeyCode::Up | KeyCode::Left => Action::PreviousTarget,
        KeyCode::Enter => Action::Confirm,
        KeyCode::Esc => Action::Decline,
        KeyCode::Char('q' | 'Q') => Action::Leave,
        KeyCode::Char('s' | 'S') => Action::TargetSelf,
        KeyCode::Char(digit @ '1'..='9') => Action::Use(usize::from(digit as u8 - b'1')),
        _ => Action::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use ratatui::crossterm::event::KeyModifiers;

    use super::*;

    #[track_caller]
    fn check(key: KeyEvent, expected: Action) {
        assert_eq!(action(key), expected, "{key:?}");
    }

    #[test]
    fn keys_have_their_actions() {
        let plain = |code| KeyEvent::new(code, KeyModifiers::NONE);
        check(plain(KeyCode::Char('1')), Action::Use(0));
        check(plain(KeyCode::Char('9')), Action::Use(8));
        check(plain(KeyCode::Char('0')), Action::Nothing);
        check(plain(KeyCode::Tab), Action::NextTarget);
        check(plain(KeyCode::BackTab), Action::PreviousTarget);
        check(plain(KeyCode::Enter), Action::Confirm);
        check(plain(KeyCode::Esc), Action::Decline);
        check(plain(KeyCode::Char('Q')), Action::Leave);
        check(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL), Action::Leave);
        check(KeyEvent::new(KeyCode::Char('q'), KeyModifiers::CONTROL), Action::Nothing);
    }
}
