//! The terminal: full-screen mode, keys and colours.

use std::io::IsTerminal;
use std::time::Duration;

use anyhow::Context;
use ratatui::Frame;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ugas_data::diagnostics::Colour;

/// Whether a person sits at the terminal: standard input and standard output both are one.
pub(crate) fn is_interactive() -> bool {
    std::io::stdin().is_terminal() && has_output()
}

/// Whether standard input is a terminal.
pub(crate) fn has_input() -> bool {
    std::io::stdin().is_terminal()
}

/// Whether standard output is a terminal.
pub(crate) fn has_output() -> bool {
    std::io::stdout().is_terminal()
}

/// Colours if standard output is a terminal, unless `NO_COLOR` is set.
pub(crate) fn colour() -> Colour {
    let is_disabled = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    if is_disabled || !has_output() { Colour::Never } else { Colour::Always }
}

/// The terminal in raw mode on its alternate screen. Dropping it restores the terminal, and so does a panic.
pub(crate) struct Screen {
    terminal: ratatui::DefaultTerminal,
    /// Whether to draw with colours.
    pub(crate) colour: Colour,
}

/// An input event of a [`Screen`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Input {
    /// A key was pressed or repeats.
    Key(KeyEvent),
    /// The size of the terminal changed.
    Resized,
    /// Anything else, such as the release of a key.
    Other,
}

impl Screen {
    /// Switches the terminal to raw mode and its alternate screen.
    ///
    /// # Errors
    /// If the terminal does not support it.
    pub(crate) fn open() -> anyhow::Result<Self> {
        let terminal = ratatui::try_init().context("the terminal cannot be prepared")?;
        Ok(Self { terminal, colour: colour() })
    }

    /// Draws a frame.
    ///
    /// # Errors
    /// If the terminal cannot be written to.
    pub(crate) fn draw(&mut self, render: impl FnOnce(&mut Frame<'_>, Colour)) -> anyhow::Result<()> {
        let colour = self.colour;
        self.terminal.draw(|frame| render(frame, colour))?;
        Ok(())
    }

    /// The next input event, if one arrives within `timeout`.
    ///
    /// # Errors
    /// If the terminal cannot be read.
    pub(crate) fn poll(&self, timeout: Duration) -> anyhow::Result<Option<Input>> {
        if event::poll(timeout)? { self.read().map(Some) } else { Ok(None) }
    }

    /// Waits for the next input event.
    ///
    /// # Errors
    /// If the terminal cannot be read.
    pub(crate) fn read(&self) -> anyhow::Result<Input> {
        Ok(Input::of(event::read()?))
    }
}

impl Input {
    /// Input of a terminal event; releases of keys, which some terminals report, count as other.
    fn of(event: Event) -> Self {
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => Self::Key(key),
            Event::Resize(..) => Self::Resized,
            _ => Self::Other,
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        ratatui::restore();
    }
}

/// Whether a key is Ctrl-C or Ctrl-D. In raw mode they are ordinary keys.
pub(crate) fn is_interrupt(key: KeyEvent) -> bool {
    is_control(key) && matches!(key.code, KeyCode::Char('c' | 'C' | 'd' | 'D'))
}

/// Whether the Control key is held.
pub(crate) fn is_control(key: KeyEvent) -> bool {
    key.modifiers.contains(KeyModifiers::CONTROL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_no_key_presses() {
        let pressed = KeyEvent::new(KeyCode::Tab, KeyModifiers::NONE);
        assert_eq!(Input::of(Event::Key(pressed)), Input::Key(pressed));
        let released = KeyEvent { kind: KeyEventKind::Release, ..pressed };
        assert_eq!(Input::of(Event::Key(released)), Input::Other);
    }

    #[test]
    fn control_c_and_control_d_interrupt() {
        for (letter, modifiers, expected) in [
            ('c', KeyModifiers::CONTROL, true),
            ('D', KeyModifiers::CONTROL | KeyModifiers::SHIFT, true),
            ('c', KeyModifiers::NONE, false),
            ('q', KeyModifiers::CONTROL, false),
        ] {
            assert_eq!(is_interrupt(KeyEvent::new(KeyCode::Char(letter), modifiers)), expected, "{letter}");
        }
    }
}
