//! A match at a terminal: it goes on by the clock, until it is over or its user has had enough.

use std::time::{Duration, Instant};

use anyhow::Context;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ugas_inspect::Inspector;

use super::Show;
use super::screen::{self, Scene};
use super::view::View;
use crate::output;

/// How often the screen is drawn.
const FRAME: Duration = Duration::from_millis(50);

/// More than this is not caught up: the machine slept, or is too slow.
const MOST_BEHIND: Duration = Duration::from_millis(250);

/// What a key on the keyboard means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Meaning {
    Pause,
    Quit,
    Nothing,
}

/// Shows a match. The terminal is as it was afterwards, also after a panic.
pub(super) fn watch(show: &mut Show) -> anyhow::Result<()> {
    let mut terminal = ratatui::try_init().context("the terminal cannot be prepared")?;
    let _restored = Restored;
    let colour = output::colour();
    let address = show.inspector.as_ref().map(Inspector::url);
    let mut owed = Duration::ZERO;
    let mut last = Instant::now();
    let mut is_paused = false;
    while !show.is_over() {
        let now = Instant::now();
        if !is_paused {
            owed = (owed + now.duration_since(last)).min(MOST_BEHIND);
        }
        last = now;
        while !owed.is_zero() && !show.is_over() {
            let before = show.battle.now();
            show.tick();
            let passed = show.battle.now().since(before).micros();
            owed = owed.saturating_sub(Duration::from_micros(u64::try_from(passed).unwrap_or(0)));
        }
        let view = View::of(&show.battle);
        let scene = Scene { view: &view, end: show.end, address: address.as_deref(), is_paused, colour };
        terminal.draw(|frame| screen::draw(frame, &scene))?;
        if event::poll(FRAME.saturating_sub(now.elapsed()))?
            && let Event::Key(key) = event::read()?
        {
            match meaning(key) {
                Meaning::Pause => is_paused = !is_paused,
                Meaning::Quit => return Ok(()),
                Meaning::Nothing => {}
            }
        }
    }
    Ok(())
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
    // In raw mode Ctrl-C is a key like any other.
    let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Char('c' | 'C' | 'd' | 'D') if is_control => Meaning::Quit,
        KeyCode::Char('q' | 'Q') | KeyCode::Esc if !is_control => Meaning::Quit,
        KeyCode::Char(' ' | 'p' | 'P') if !is_control => Meaning::Pause,
        _ => Meaning::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(code: KeyCode, modifiers: KeyModifiers, expected: Meaning) {
        assert_eq!(meaning(KeyEvent::new(code, modifiers)), expected);
    }

    #[test]
    fn keys_have_their_meaning() {
        check(KeyCode::Char('q'), KeyModifiers::NONE, Meaning::Quit);
        check(KeyCode::Esc, KeyModifiers::NONE, Meaning::Quit);
        check(KeyCode::Char('c'), KeyModifiers::CONTROL, Meaning::Quit);
        check(KeyCode::Char(' '), KeyModifiers::NONE, Meaning::Pause);
        check(KeyCode::Char('c'), KeyModifiers::NONE, Meaning::Nothing);
        check(KeyCode::Char('q'), KeyModifiers::CONTROL, Meaning::Nothing);
    }
}
