//! Screen of a session.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Paragraph};
use ugas_data::diagnostics::Colour;

use super::view::{AbilityRow, Bar, SessionView};

const KEYS: &str = "1-9 use an ability   Tab target   S self   Enter confirm   Esc decline   Q leave";
/// Width of a bar in characters.
const BAR: usize = 16;
/// Minimum width for two columns.
const WIDE: u16 = 72;

/// Draws the view, at any size.
pub(super) fn draw(frame: &mut Frame<'_>, view: &SessionView, colour: Colour) {
    let area = frame.area();
    let [head, network, body, message, keys] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Min(0),
        Constraint::Length(1),
        Constraint::Length(1),
    ])
    .areas(area);
    frame.render_widget(Line::styled(view.head.as_str(), Modifier::BOLD), head);
    frame.render_widget(Line::raw(view.network.as_str()), network);
    frame.render_widget(Line::styled(view.message.as_str(), Modifier::BOLD), message);
    frame.render_widget(Line::styled(KEYS, Modifier::DIM), keys);
    let tall = |lines: usize| Constraint::Length(u16::try_from(lines).unwrap_or(u16::MAX).saturating_add(2));
    let own = [tall(view.bars.len().max(1)), tall(view.abilities.len().max(1)), Constraint::Min(0)];
    let rest = [tall(view.others.len().clamp(1, 8)), Constraint::Min(0)];
    let (left, right) = if area.width >= WIDE {
        let [left, right] = Layout::horizontal([Constraint::Fill(1), Constraint::Fill(1)]).areas(body);
        (left, right)
    } else {
        let [left, right] = Layout::vertical([Constraint::Fill(2), Constraint::Fill(1)]).areas(body);
        (left, right)
    };
    let [values, abilities, state] = Layout::vertical(own).areas(left);
    let [others, events] = Layout::vertical(rest).areas(right);
    let bars = view.bars.iter().map(|bar| bar_line(bar, colour)).collect();
    list(frame, values, "values", bars);
    let numbered = view.abilities.iter().enumerate();
    list(frame, abilities, "abilities", numbered.map(|(at, ability)| ability_line(at, ability)).collect());
    let tags = view.tags.iter().map(|tag| Line::raw(tag.as_str()));
    let effects = view.effects.iter().map(|effect| Line::raw(effect.as_str()));
    list(frame, state, "effects and tags", effects.chain(tags).collect());
    let lines = view.others.iter().map(|other| match other.is_target {
        true => Line::styled(format!("> {}", other.line), Modifier::REVERSED),
        false => Line::raw(format!("  {}", other.line)),
    });
    list(frame, others, "visible", lines.collect());
    let room = usize::from(events.height.saturating_sub(2));
    let newest = view.events.len().saturating_sub(room);
    list(
        frame,
        events,
        "events",
        view.events.iter().skip(newest).map(|line| Line::raw(line.as_str())).collect(),
    );
}

fn list(frame: &mut Frame<'_>, area: Rect, title: &'static str, lines: Vec<Line<'_>>) {
    frame.render_widget(Paragraph::new(lines).block(Block::bordered().title(title)), area);
}

/// Attribute with a bar of its share, red below a quarter; without a maximum there is only the value.
fn bar_line(bar: &Bar, colour: Colour) -> Line<'static> {
    let name = Span::raw(format!("{:<14} ", bar.name));
    let Some(share) = bar.share else {
        return Line::from(vec![name, Span::raw(format!("{:BAR$} {}", "", bar.value))]);
    };
    let full = (share * BAR as f64).round() as usize;
    let shade = match colour {
        Colour::Never => Style::default(),
        Colour::Always if share < 0.25 => Style::default().fg(Color::Red),
        Colour::Always => Style::default().fg(Color::Green),
    };
    let filled = Span::styled("█".repeat(full.min(BAR)), shade);
    let empty = Span::raw("·".repeat(BAR.saturating_sub(full)));
    Line::from(vec![name, filled, empty, Span::raw(format!(" {}", bar.value))])
}

/// Ability with the digit that activates it; only the first nine have one.
fn ability_line(at: usize, ability: &AbilityRow) -> Line<'static> {
    let key = if at < 9 { (at + 1).to_string() } else { " ".to_owned() };
    let text = format!("{key} {}  {}", ability.name, ability.note);
    let style = if ability.is_ready { Modifier::BOLD } else { Modifier::DIM };
    Line::styled(text.trim_end().to_owned(), style)
}

#[cfg(test)]
mod tests {
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    use super::super::view::OtherRow;
    use super::*;

    fn view() -> SessionView {
        SessionView {
            head: "Mage 1 at 127.0.0.1:8427".to_owned(),
            network: "round trip 42 ms   3 confirmed, 1 rejected, 0 mispredicted".to_owned(),
            bars: vec![
                Bar { name: "Health".to_owned(), value: "50 / 100".to_owned(), share: Some(0.5) },
                Bar { name: "Speed".to_owned(), value: "6".to_owned(), share: None },
            ],
            tags: vec!["State.Casting".to_owned()],
            effects: vec!["GE_Poison x2 3.5 s".to_owned()],
            abilities: vec![
                AbilityRow { name: "GA_Fireball".to_owned(), note: "4.2 s".to_owned(), is_ready: false },
                AbilityRow { name: "GA_Heal".to_owned(), note: String::new(), is_ready: true },
            ],
            others: vec![OtherRow { line: "Ogre 2".to_owned(), is_target: true }],
            events: vec!["you: Mana 120 -> 70".to_owned()],
            message: "confirmed".to_owned(),
        }
    }

    fn shown(width: u16, height: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| draw(frame, &view(), Colour::Never)).unwrap();
        let rows = terminal.backend().buffer().content().chunks(usize::from(width.max(1)));
        rows.map(|row| row.iter().map(|cell| cell.symbol()).collect::<String>().trim_end().to_owned() + "\n")
            .collect()
    }

    #[test]
    fn wide_window_has_two_columns() {
        let expected = "\
Mage 1 at 127.0.0.1:8427
round trip 42 ms   3 confirmed, 1 rejected, 0 mispredicted
┌values────────────────────────────────┐┌visible───────────────────────────────┐
│Health         ████████········ 50 / 1││> Ogre 2                              │
│Speed                           6     │└──────────────────────────────────────┘
└──────────────────────────────────────┘┌events────────────────────────────────┐
┌abilities─────────────────────────────┐│you: Mana 120 -> 70                   │
│1 GA_Fireball  4.2 s                  ││                                      │
│2 GA_Heal                             ││                                      │
└──────────────────────────────────────┘│                                      │
┌effects and tags──────────────────────┐│                                      │
│GE_Poison x2 3.5 s                    ││                                      │
│State.Casting                         ││                                      │
└──────────────────────────────────────┘└──────────────────────────────────────┘
confirmed
1-9 use an ability   Tab target   S self   Enter confirm   Esc decline   Q leave
";
        assert_eq!(shown(80, 16), expected);
    }

    #[test]
    fn every_size_can_be_drawn() {
        for (width, height) in (0..90).step_by(3).flat_map(|width| (0..30).map(move |height| (width, height)))
        {
            shown(width, height);
        }
    }
}
