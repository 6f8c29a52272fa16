//! A recording at a terminal: reads keys and draws the screen until the user quits.

use ratatui::crossterm::event::{KeyCode, KeyEvent};

use super::screen::{self, ReplayView};
use super::session::Session;
use crate::terminal::{Input, Screen, is_interrupt};

/// Action of a key.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Action {
    /// Execute a command.
    Do(&'static str),
    /// Repeat the last `until`.
    Again,
    NextController,
    /// Begin to type a command.
    Ask,
    Quit,
    Nothing,
}

/// State of the screen besides the recording.
#[derive(Debug, Default)]
struct ScreenState {
    /// The command that is being typed, if any.
    typed: Option<String>,
    /// Answer to the last command.
    answer: String,
    /// The last `until` command.
    until: Option<String>,
    /// Index of the shown controller, modulo their number.
    shown: usize,
}

/// Shows a recording until the user quits.
pub(super) fn show(session: &mut Session) -> anyhow::Result<()> {
    let mut screen = Screen::open()?;
    let mut state = ScreenState::default();
    state.perform(session, "info");
    loop {
        let view = state.view(session);
        screen.draw(|frame, colour| screen::draw(frame, &view, colour))?;
        if let Input::Key(key) = screen.read()?
            && state.press(session, key) == Action::Quit
        {
            return Ok(());
        }
    }
}

impl ScreenState {
    /// Executes a command line; its answer or error is shown. The last `until` is kept for repetition.
    fn perform(&mut self, session: &mut Session, line: &str) {
        if line.starts_with("until ") {
            self.until = Some(line.to_owned());
        }
        self.answer = match session.perform(line) {
            Ok(answer) => format!("> {line}\n{}", answer.text),
            Err(error) => format!("> {line}\n{error:#}\n"),
        };
    }

    /// Carries out the action of a key, and returns it.
    fn press(&mut self, session: &mut Session, key: KeyEvent) -> Action {
        if self.typed.is_some() && !is_interrupt(key) {
            self.edit(session, key.code);
            return Action::Nothing;
        }
        let action = action(key);
        match &action {
            Action::Do(line) => self.perform(session, line),
            Action::Again => match self.until.clone() {
                Some(line) => self.perform(session, &line),
                None => self.typed = Some("until ".to_owned()),
            },
            Action::NextController => self.shown = self.shown.wrapping_add(1),
            Action::Ask => self.typed = Some(String::new()),
            Action::Quit | Action::Nothing => {}
        }
        action
    }

    /// Edits the typed command line: Enter executes it, Escape drops it.
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

    fn view(&self, session: &Session) -> ReplayView {
        let simulation = session.player.simulation();
        let controllers: Vec<_> = simulation.controllers().map(|(id, _)| id).collect();
        let shown = controllers.get(self.shown % controllers.len().max(1)).copied();
        let page = shown.and_then(|id| simulation.debug(id));
        let recording = session.player.recording();
        let position = session.player.position();
        let all = recording.ticks();
        ReplayView {
            place: session.position_text(),
            passed: if all == 0 { 1.0 } else { (position.ticks as f64 / all as f64).min(1.0) },
            is_true: session.player.agrees() != Some(false),
            controller: shown.map(|id| session.player.name_of(id)).unwrap_or_default(),
            page: page.map_or_else(
                || "there are no controllers at this time".to_owned(),
                |page| session.player.replace_handles(&page.to_string()),
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
            answer: self.answer.clone(),
            typed: self.typed.clone(),
        }
    }
}

fn action(key: KeyEvent) -> Action {
    if is_interrupt(key) {
        return Action::Quit;
    }
    match key.code {
        KeyCode::Right | KeyCode::Char(' ') => Action::Do("step"),
        KeyCode::Left => Action::Do("back"),
        KeyCode::PageDown | KeyCode::Down => Action::Do("step 10"),
        KeyCode::PageUp | KeyCode::Up => Action::Do("back 10"),
        KeyCode::Home => Action::Do("seek start"),
        KeyCode::End => Action::Do("seek end"),
        KeyCode::Tab => Action::NextController,
        KeyCode::Char(':') | KeyCode::Enter => Action::Ask,
        KeyCode::Char('n') => Action::Again,
        KeyCode::Char('c') => Action::Do("commands"),
        KeyCode::Char('i') => Action::Do("info"),
        KeyCode::Char('?') => Action::Do("help"),
        KeyCode::Char('q') | KeyCode::Esc => Action::Quit,
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
        check(plain(KeyCode::Right), Action::Do("step"));
        check(plain(KeyCode::Left), Action::Do("back"));
        check(plain(KeyCode::End), Action::Do("seek end"));
        check(plain(KeyCode::Tab), Action::NextController);
        check(plain(KeyCode::Char(':')), Action::Ask);
        check(plain(KeyCode::Char('n')), Action::Again);
        check(plain(KeyCode::Char('q')), Action::Quit);
        check(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL), Action::Quit);
        check(plain(KeyCode::Char('c')), Action::Do("commands"));
        check(plain(KeyCode::F(1)), Action::Nothing);
    }
}
