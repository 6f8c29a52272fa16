//! A game at a terminal: keys in, pictures out, until the player has had enough.

use std::time::{Duration, Instant};

use anyhow::Context;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ugas_core::time::Span;

use super::game::{Game, Key};
use super::screen;
use crate::output;

/// How often time passes for the game while no key comes.
const FRAME: Duration = Duration::from_millis(20);

/// What a key on the keyboard means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Meaning {
    Play(Key),
    Quit,
    Nothing,
}

/// Plays until the player quits. The terminal is as it was afterwards, also after a panic.
pub(crate) fn play(game: &mut Game) -> anyhow::Result<()> {
    let mut terminal = ratatui::try_init().context("the terminal cannot be prepared")?;
    let _restored = Restored;
    let colour = output::colour();
    let mut shown = None;
    let mut last = Instant::now();
    loop {
        let now = Instant::now();
        game.advance(span_of(now.duration_since(last)))?;
        last = now;
        let view = game.view();
        if shown.as_ref() != Some(&view) {
            terminal.draw(|frame| screen::draw(frame, &view, colour))?;
            shown = Some(view);
        }
        if !event::poll(FRAME)? {
            continue;
        }
        match event::read()? {
            Event::Key(key) => match meaning(key) {
                Meaning::Play(key) => game.press(key)?,
                Meaning::Quit => return Ok(()),
                Meaning::Nothing => {}
            },
            Event::Resize(..) => shown = None,
            _ => {}
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

fn span_of(duration: Duration) -> Span {
    Span::from_micros(i64::try_from(duration.as_micros()).unwrap_or(i64::MAX))
}

fn meaning(key: KeyEvent) -> Meaning {
    // A key that is held repeats, as in any other program.
    if key.kind == KeyEventKind::Release {
        return Meaning::Nothing;
    }
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        // In raw mode Ctrl-C is a key like any other.
        let quits = matches!(key.code, KeyCode::Char('c' | 'C' | 'd' | 'D'));
        return if quits { Meaning::Quit } else { Meaning::Nothing };
    }
    match key.code {
        KeyCode::Left => Meaning::Play(Key::Left),
        KeyCode::Right => Meaning::Play(Key::Right),
        KeyCode::Up => Meaning::Play(Key::Up),
        KeyCode::Down => Meaning::Play(Key::Down),
        KeyCode::Backspace => Meaning::Play(Key::Undo),
        KeyCode::Esc => Meaning::Quit,
        KeyCode::Char(letter) => match letter.to_ascii_lowercase() {
            'a' => Meaning::Play(Key::Left),
            'd' => Meaning::Play(Key::Right),
            'w' => Meaning::Play(Key::Up),
            's' => Meaning::Play(Key::Down),
            'u' | 'z' => Meaning::Play(Key::Undo),
            'r' => Meaning::Play(Key::NewGame),
            'q' => Meaning::Quit,
            _ => Meaning::Nothing,
        },
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
        check(plain(KeyCode::Left), Meaning::Play(Key::Left));
        check(plain(KeyCode::Char('d')), Meaning::Play(Key::Right));
        check(plain(KeyCode::Char('W')), Meaning::Play(Key::Up));
        check(plain(KeyCode::Down), Meaning::Play(Key::Down));
        check(plain(KeyCode::Char('u')), Meaning::Play(Key::Undo));
        check(plain(KeyCode::Char('r')), Meaning::Play(Key::NewGame));
        check(plain(KeyCode::Char('q')), Meaning::Quit);
        check(plain(KeyCode::Esc), Meaning::Quit);
        check(plain(KeyCode::Char('x')), Meaning::Nothing);
        check(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL), Meaning::Quit);
        check(KeyEvent::new(KeyCode::Char('u'), KeyModifiers::CONTROL), Meaning::Nothing);
        let released = KeyEvent { kind: KeyEventKind::Release, ..plain(KeyCode::Left) };
        check(released, Meaning::Nothing);
    }
}
