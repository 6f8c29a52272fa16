//! A match at a terminal: plays in real time until it ends or the user quits.

use std::time::{Duration, Instant};

use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ugas_inspect::Inspector;

use super::DemoRun;
use super::screen::{self, Scene};
use super::view::MatchView;
use crate::terminal::{self, Input, Screen};

/// Interval between two frames.
const FRAME: Duration = Duration::from_millis(50);

/// Maximum time to catch up: beyond it the machine slept or is too slow.
const MAX_BEHIND: Duration = Duration::from_millis(250);

/// Action of a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Action {
    Pause,
    Quit,
    Nothing,
}

/// Shows a match in real time until it is over or the viewer quits. A machine that is too slow falls behind,
/// and skips what is beyond the limit.
pub(super) fn watch(show: &mut DemoRun) -> anyhow::Result<()> {
    let mut screen = Screen::open()?;
    let address = show.inspector.as_ref().map(Inspector::url);
    let mut owed = Duration::ZERO;
    let mut last = Instant::now();
    let mut is_paused = false;
    while !show.is_over() {
        let now = Instant::now();
        if !is_paused {
            owed = (owed + now.duration_since(last)).min(MAX_BEHIND);
        }
        last = now;
        while !owed.is_zero() && !show.is_over() {
            let before = show.battle.now();
            show.tick();
            let passed = show.battle.now().since(before).micros();
            owed = owed.saturating_sub(Duration::from_micros(u64::try_from(passed).unwrap_or(0)));
        }
        let view = MatchView::of(&show.battle);
        let (end, address) = (show.end, address.as_deref());
        screen.draw(|frame, colour| {
            screen::draw(frame, &Scene { view: &view, end, address, is_paused, colour });
        })?;
        if let Some(Input::Key(key)) = screen.poll(FRAME.saturating_sub(now.elapsed()))? {
            match action(key) {
                Action::Pause => is_paused = !is_paused,
                Action::Quit => return Ok(()),
                Action::Nothing => {}
            }
        }
    }
    Ok(())
}

fn action(key: KeyEvent) -> Action {
    if terminal::is_control(key) {
        return if terminal::is_interrupt(key) { Action::Quit } else { Action::Nothing };
    }
    match key.code {
        KeyCode::Char('q' | 'Q') | KeyCode::Esc => Action::Quit,
        KeyCode::Char(' ' | 'p' | 'P') => Action::Pause,
        _ => Action::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use ratatui::crossterm::event::KeyModifiers;

    use super::*;

    #[track_caller]
    fn check(code: KeyCode, modifiers: KeyModifiers, expected: Action) {
        assert_eq!(action(KeyEvent::new(code, modifiers)), expected);
    }

    #[test]
    fn keys_have_their_actions() {
        check(KeyCode::Char('q'), KeyModifiers::NONE, Action::Quit);
        check(KeyCode::Esc, KeyModifiers::NONE, Action::Quit);
        check(KeyCode::Char('c'), KeyModifiers::CONTROL, Action::Quit);
        check(KeyCode::Char(' '), KeyModifiers::NONE, Action::Pause);
        check(KeyCode::Char('c'), KeyModifiers::NONE, Action::Nothing);
        check(KeyCode::Char('q'), KeyModifiers::CONTROL, Action::Nothing);
    }
}
