//! A recording at a terminal: keys in, pictures out, until its user has had enough.

use anyhow::Context;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::screen::{self, View};
use super::session::Session;
use crate::output;

/// What a key on the keyboard means.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Meaning {
    /// A command, as one would write it.
    Do(&'static str),
    /// The last `until` once more.
    Again,
    NextController,
    Ask,
    Quit,
    Nothing,
}

/// What is on the screen besides the recording itself.
#[derive(Debug, Default)]
struct Desk {
    /// The command that is being typed.
    typed: Option<String>,
    /// What the last command told.
    told: String,
    /// The last `until`.
    until: Option<String>,
    /// Which controller is shown.
    shown: usize,
}

/// Shows a recording until its user quits. The terminal is as it was afterwards, also after a panic.
pub(super) fn show(session: &mut Session) -> anyhow::Result<()> {
    let mut terminal = ratatui::try_init().context("the terminal cannot be prepared")?;
    let _restored = Restored;
    let mut desk = Desk::default();
    desk.perform(session, "info");
    loop {
        let view = desk.view(session);
        terminal.draw(|frame| screen::draw(frame, &view, output::colour()))?;
        if let Event::Key(key) = event::read()?
            && desk.press(session, key) == Meaning::Quit
        {
            return Ok(());
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

impl Desk {
    fn perform(&mut self, session: &mut Session, line: &str) {
        if line.starts_with("until ") {
            self.until = Some(line.to_owned());
        }
        self.told = match session.perform(line) {
            Ok(answer) => format!("> {line}\n{}", answer.text),
            Err(error) => format!("> {line}\n{error:#}\n"),
        };
    }

    /// Does what a key means, and says what that was.
    fn press(&mut self, session: &mut Session, key: KeyEvent) -> Meaning {
        if key.kind == KeyEventKind::Release {
            return Meaning::Nothing;
        }
        if self.typed.is_some() && !is_interrupt(key) {
            self.edit(session, key.code);
            return Meaning::Nothing;
        }
        let meaning = meaning(key);
        match &meaning {
            Meaning::Do(line) => self.perform(session, line),
            Meaning::Again => match self.until.clone() {
                Some(line) => self.perform(session, &line),
                None => self.typed = Some("until ".to_owned()),
            },
            Meaning::NextController => self.shown = self.shown.wrapping_add(1),
            Meaning::Ask => self.typed = Some(String::new()),
            Meaning::Quit | Meaning::Nothing => {}
        }
        meaning
    }

    fn edit(&mut self, session: &mut Session, key: KeyCode) {
        let Some(typed) = &mut self.typed else { return };
        match key {
            KeyCode::Char(letter) => typed.push(letter),
            KeyCode::Backspace => drop(typed.pop()),
            KeyCode::Esc => self.typed = None,
            KeyCode::Enter => {
                let line = self.typed.take().unwrap_or_default();
                if !line.trim().is_empty() {
                    self.perform(session, line.trim());
                }
            }
            _ => {}
        }
    }

    fn view(&self, session: &Session) -> View {
        let simulation = session.player.simulation();
        let controllers: Vec<_> = simulation.controllers().map(|(id, _)| id).collect();
        let shown = controllers.get(self.shown % controllers.len().max(1)).copied();
        let page = shown.and_then(|id| simulation.debug(id));
        let names = session.names();
        let recording = session.player.recording();
        let position = session.player.position();
        let all = recording.ticks();
        View {
            place: session.place_text(),
            passed: if all == 0 { 1.0 } else { (position.ticks as f64 / all as f64).min(1.0) },
            is_true: session.player.agrees() != Some(false),
            controller: shown.map(|id| recording.name_of(id)).unwrap_or_default(),
            page: page.map_or_else(
                || "nobody is here at this moment".to_owned(),
                |page| crate::explain::named(names, page.to_string()),
            ),
            watched: session.watched_text(),
            events: session
                .player
                .events()
                .iter()
                .rev()
                .take(50)
                .map(|event| session.event_text(event))
                .collect(),
            told: self.told.clone(),
            typed: self.typed.clone(),
        }
    }
}

fn is_interrupt(key: KeyEvent) -> bool {
    key.modifiers.contains(KeyModifiers::CONTROL) && matches!(key.code, KeyCode::Char('c' | 'C' | 'd' | 'D'))
}

fn meaning(key: KeyEvent) -> Meaning {
    // In raw mode Ctrl-C is a key like any other.
    if is_interrupt(key) {
        return Meaning::Quit;
    }
    match key.code {
        KeyCode::Right | KeyCode::Char(' ') => Meaning::Do("step"),
        KeyCode::Left => Meaning::Do("back"),
        KeyCode::PageDown | KeyCode::Down => Meaning::Do("step 10"),
        KeyCode::PageUp | KeyCode::Up => Meaning::Do("back 10"),
        KeyCode::Home => Meaning::Do("seek start"),
        KeyCode::End => Meaning::Do("seek end"),
        KeyCode::Tab => Meaning::NextController,
        KeyCode::Char(':') | KeyCode::Enter => Meaning::Ask,
        KeyCode::Char('n') => Meaning::Again,
        KeyCode::Char('c') => Meaning::Do("commands"),
        KeyCode::Char('i') => Meaning::Do("info"),
        KeyCode::Char('?') => Meaning::Do("help"),
        KeyCode::Char('q') | KeyCode::Esc => Meaning::Quit,
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
        check(plain(KeyCode::Right), Meaning::Do("step"));
        check(plain(KeyCode::Left), Meaning::Do("back"));
        check(plain(KeyCode::End), Meaning::Do("seek end"));
        check(plain(KeyCode::Tab), Meaning::NextController);
        check(plain(KeyCode::Char(':')), Meaning::Ask);
        check(plain(KeyCode::Char('n')), Meaning::Again);
        check(plain(KeyCode::Char('q')), Meaning::Quit);
        check(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL), Meaning::Quit);
        check(plain(KeyCode::Char('c')), Meaning::Do("commands"));
        check(plain(KeyCode::F(1)), Meaning::Nothing);
    }
}
