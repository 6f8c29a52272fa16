//! A game at a terminal: reads keys and draws the screen until the player quits.

use std::time::{Duration, Instant};

use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ugas_core::time::Span;

use super::game::{Game, Key};
use super::screen;
use crate::terminal::{self, Input, Screen};

/// Maximum time step of the game while no key is pressed.
const FRAME: Duration = Duration::from_millis(20);

/// Action of a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Action {
    Play(Key),
    Quit,
    Nothing,
}

/// Plays in real time until the player quits. Draws only what changed.
pub(crate) fn play(game: &mut Game) -> anyhow::Result<()> {
    let mut screen = Screen::open()?;
    let mut shown = None;
    let mut last = Instant::now();
    loop {
        let now = Instant::now();
        game.advance(span_of(now.duration_since(last)))?;
        last = now;
        let view = game.view();
        if shown.as_ref() != Some(&view) {
            screen.draw(|frame, colour| screen::draw(frame, &view, colour))?;
            shown = Some(view);
        }
        match screen.poll(FRAME)? {
            Some(Input::Key(key)) => match action(key) {
                Action::Play(key) => game.press(key)?,
                Action::Quit => return Ok(()),
                Action::Nothing => {}
            },
            Some(Input::Resized) => shown = None,
            Some(Input::Other) | None => {}
        }
    }
}

fn span_of(duration: Duration) -> Span {
    Span::from_micros(i64::try_from(duration.as_micros()).unwrap_or(i64::MAX))
}

fn action(key: KeyEvent) -> Action {
    if terminal::is_control(key) {
        return if terminal::is_interrupt(key) { Action::Quit } else { Action::Nothing };
    }
    match key.code {
        KeyCode::Left => Action::Play(Key::Left),
        KeyCode::Right => Action::Play(Key::Right),
        KeyCode::Up => Action::Play(Key::Up),
        KeyCode::Down => Action::Play(Key::Down),
        KeyCode::Backspace => Action::Play(Key::Undo),
        KeyCode::Esc => Action::Quit,
        KeyCode::Char(letter) => match letter.to_ascii_lowercase() {
            'a' => Action::Play(Key::Left),
            'd' => Action::Play(Key::Right),
            'w' => Action::Play(Key::Up),
            's' => Action::Play(Key::Down),
            'u' | 'z' => Action::Play(Key::Undo),
            'r' => Action::Play(Key::NewGame),
            'q' => Action::Quit,
            _ => Action::Nothing,
        },
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
        check(plain(KeyCode::Left), Action::Play(Key::Left));
        check(plain(KeyCode::Char('d')), Action::Play(Key::Right));
        check(plain(KeyCode::Char('W')), Action::Play(Key::Up));
        check(plain(KeyCode::Down), Action::Play(Key::Down));
        check(plain(KeyCode::Char('u')), Action::Play(Key::Undo));
        check(plain(KeyCode::Char('r')), Action::Play(Key::NewGame));
        check(plain(KeyCode::Char('q')), Action::Quit);
        check(plain(KeyCode::Esc), Action::Quit);
        check(plain(KeyCode::Char('x')), Action::Nothing);
        check(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL), Action::Quit);
        check(KeyEvent::new(KeyCode::Char('u'), KeyModifiers::CONTROL), Action::Nothing);
    }
}
