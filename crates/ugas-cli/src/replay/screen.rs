//! Screen of a recording.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Text};
use ratatui::widgets::{Block, Paragraph, Wrap};
use ugas_data::diagnostics::Colour;

const KEYS: &str =
    "arrows step, Home End, Tab controller, n next event, c commands, : command, ? help, q quit";

/// Content of the screen.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct ReplayView {
    /// Position of the player.
    pub(super) place: String,
    /// Share of the recording that has passed, from 0 to 1.
    pub(super) passed: f64,
    /// Whether the state has the recorded hash.
    pub(super) is_true: bool,
    /// Name of the shown controller.
    pub(super) controller: String,
    /// Debug page of the controller.
    pub(super) page: String,
    /// Watched values, as lines.
    pub(super) watched: String,
    /// Events of the last seek, latest first.
    pub(super) events: Vec<String>,
    /// Answer to the last command.
    pub(super) answer: String,
    /// The command that is being typed, if any.
    pub(super) typed: Option<String>,
}

/// Draws a recording.
pub(super) fn draw(frame: &mut Frame<'_>, view: &ReplayView, colour: Colour) {
    let area = frame.area();
    if area.width < 40 || area.height < 12 {
        frame.render_widget(Line::raw("make the window larger"), area);
        return;
    }
    let rows = [Constraint::Length(2), Constraint::Min(6), Constraint::Length(1)];
    let [head, body, foot] = Layout::vertical(rows).areas(area);
    let [left, right] = Layout::horizontal([Constraint::Percentage(50); 2]).areas(body);
    let [happened, answer] = Layout::vertical([Constraint::Percentage(50); 2]).areas(right);
    draw_head(frame, head, view, colour);
    let page = format!("{}{}", view.watched, view.page);
    frame.render_widget(pane(&view.controller, Text::raw(page)), left);
    let events: Vec<Line<'_>> = view.events.iter().map(|event| Line::raw(event.as_str())).collect();
    frame.render_widget(pane("events, the latest first", Text::from(events)), happened);
    frame.render_widget(pane("answer", Text::raw(view.answer.as_str())), answer);
    let line = match &view.typed {
        Some(typed) => format!(":{typed}_"),
        None => KEYS.to_owned(),
    };
    frame.render_widget(Line::raw(line), foot);
}

fn draw_head(frame: &mut Frame<'_>, area: Rect, view: &ReplayView, colour: Colour) {
    let [place, bar] = Layout::vertical([Constraint::Length(1); 2]).areas(area);
    let text = match view.is_true {
        true => view.place.clone(),
        false => format!("{}: NOT AS RECORDED", view.place),
    };
    let style = match (view.is_true, colour) {
        (false, Colour::Always) => Style::new().fg(Color::Red).add_modifier(Modifier::BOLD),
        _ => Style::new().add_modifier(Modifier::BOLD),
    };
    frame.render_widget(Line::styled(text, style), place);
    let width = usize::from(bar.width);
    let done = (width as f64 * view.passed) as usize;
    let drawn = "━".repeat(done) + &"─".repeat(width.saturating_sub(done));
    frame.render_widget(Line::raw(drawn), bar);
}

fn pane<'a>(title: &'a str, text: Text<'a>) -> Paragraph<'a> {
    Paragraph::new(text).wrap(Wrap { trim: false }).block(Block::bordered().title(title))
}

#[cfg(test)]
mod tests {
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    use super::*;

    fn view() -> ReplayView {
        ReplayView {
            place: "2.5 s, after tick 1 of 2".to_owned(),
            passed: 0.5,
            is_true: true,
            controller: "wolf".to_owned(),
            page: "Health 72".to_owned(),
            watched: "  hero.Health 100\n".to_owned(),
            events: vec!["2.000s EffectExecuted GE_Poison".to_owned()],
            answer: "> step\n2.5 s".to_owned(),
            typed: None,
        }
    }

    fn shown(width: u16, height: u16, view: &ReplayView) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| draw(frame, view, Colour::Never)).unwrap();
        let rows = terminal.backend().buffer().content().chunks(usize::from(width.max(1)));
        let row = |cells: &[ratatui::buffer::Cell]| {
            let text: String = cells.iter().map(|cell| cell.symbol()).collect();
            text.trim_end().to_owned() + "\n"
        };
        std::iter::once("\n".to_owned()).chain(rows.map(row)).collect()
    }

    #[test]
    fn recording_has_its_panes() {
        let expected = "
2.5 s, after tick 1 of 2
━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━──────────────────────────────
┌wolf────────────────────────┐┌events, the latest first────┐
│  hero.Health 100           ││2.000s EffectExecuted       │
│Health 72                   ││GE_Poison                   │
│                            ││                            │
│                            │└────────────────────────────┘
│                            │┌answer──────────────────────┐
│                            ││> step                      │
│                            ││2.5 s                       │
└────────────────────────────┘└────────────────────────────┘
arrows step, Home End, Tab controller, n next event, c comma
";
        assert_eq!(shown(60, 12, &view()), expected);
    }

    #[test]
    fn typed_command_is_shown_instead_of_the_keys() {
        let typed = ReplayView { typed: Some("seek 2".to_owned()), ..view() };
        assert!(shown(60, 12, &typed).ends_with(":seek 2_\n"));
    }

    #[test]
    fn state_with_another_hash_is_marked() {
        let wrong = ReplayView { is_true: false, ..view() };
        assert!(shown(60, 12, &wrong).contains("after tick 1 of 2: NOT AS RECORDED"));
    }

    #[test]
    fn small_window_shows_a_hint() {
        assert_eq!(shown(30, 1, &view()), "\nmake the window larger\n");
    }
}
