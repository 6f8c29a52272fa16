//! Screen of a game.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Alignment, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::{Block, Paragraph, Widget};
use ugas_core::number::short;
use ugas_data::diagnostics::Colour;

use super::game::GameView;

const TITLE: &str = "2048";
const KEYS: &str = "arrows or WASD move, U undo, R new game, Q quit";
const KEYS_SHORT: &str = "WASD U R Q";

/// Width and height of a tile with its border.
const TILE: (u16, u16) = (9, 3);
/// Width and height of a tile in a small window.
const SMALL_TILE: (u16, u16) = (6, 1);
/// Lines above and below the board.
const AROUND: u16 = 4;

/// Draws the game centred, at any size.
pub(crate) fn draw(frame: &mut Frame<'_>, view: &GameView, colour: Colour) {
    let area = frame.area();
    frame.render_widget(Screen { view, colour }, area);
}

struct Screen<'a> {
    view: &'a GameView,
    colour: Colour,
}

impl Widget for Screen<'_> {
    fn render(self, area: Rect, buffer: &mut Buffer) {
        let fits = |tile: (u16, u16)| area.width >= 4 * tile.0 && area.height >= 4 * tile.1 + AROUND;
        let Some(tile) = [TILE, SMALL_TILE].into_iter().find(|tile| fits(*tile)) else {
            Line::raw("make the window larger").render(area, buffer);
            return;
        };
        let (width, height) = (4 * tile.0, 4 * tile.1 + AROUND);
        let left = area.x + (area.width - width) / 2;
        let top = area.y + (area.height - height) / 2;
        let line = |y: u16| Rect { x: area.x, y, width: area.width, height: 1 };
        self.head(line(top), buffer);
        self.banner(line(top + 1), buffer);
        for (y, row) in (0..).zip(&self.view.board) {
            for (x, value) in (0..).zip(row) {
                let place =
                    Rect { x: left + x * tile.0, y: top + 2 + y * tile.1, width: tile.0, height: tile.1 };
                self.tile(*value, place, buffer);
            }
        }
        let keys = if usize::from(area.width) >= KEYS.len() { KEYS } else { KEYS_SHORT };
        Line::raw(keys).centered().render(line(top + height - 1), buffer);
    }
}

impl Screen<'_> {
    /// Draws the title line; only the score if there is no room.
    fn head(&self, line: Rect, buffer: &mut Buffer) {
        let GameView { score, moves, undoable, .. } = self.view;
        let long = format!("{TITLE}   score {}   moves {}   undo {undoable}", short(*score), short(*moves));
        let fits = long.len() <= usize::from(line.width);
        let text = if fits { long } else { format!("score {}", short(*score)) };
        Line::styled(text, Modifier::BOLD).centered().render(line, buffer);
    }

    /// Draws the line about a won or lost game; nothing while it goes on.
    fn banner(&self, line: Rect, buffer: &mut Buffer) {
        let (long, brief) = match (self.view.won, self.view.lost) {
            (_, true) => ("no moves left: U undoes, R starts a new game", "no moves left"),
            (true, false) => ("you have won, and may go on", "you have won"),
            (false, false) => return,
        };
        let text = if long.len() <= usize::from(line.width) { long } else { brief };
        Line::styled(text, Modifier::REVERSED).centered().render(line, buffer);
    }

    /// Draws a tile, with a border instead of a background if there are no colours.
    fn tile(&self, value: f64, place: Rect, buffer: &mut Buffer) {
        let text = if value > 0.0 { short(value) } else { "·".to_owned() };
        let style = self.tile_style(value);
        let paragraph = Paragraph::new(text).alignment(Alignment::Center);
        if place.height < TILE.1 {
            return paragraph.style(style).render(place, buffer);
        }
        // Without colours, a border separates tiles.
        let block = match self.colour {
            Colour::Always => Block::default()
                .style(style)
                .padding(ratatui::widgets::Padding { top: 1, ..Default::default() }),
            Colour::Never => Block::bordered(),
        };
        let gap = match self.colour {
            Colour::Always => Rect { width: place.width - 1, ..place },
            Colour::Never => place,
        };
        paragraph.style(style).block(block).render(gap, buffer);
    }

    fn tile_style(&self, value: f64) -> Style {
        if self.colour == Colour::Never {
            let weight = if value > 0.0 { Modifier::BOLD } else { Modifier::DIM };
            return Style::default().add_modifier(weight);
        }
        if value <= 0.0 {
            return Style::default().fg(Color::Indexed(244)).bg(Color::Indexed(238));
        }
        // Colours from sand to red to gold, one for each doubling.
        const RAMP: [u8; 11] = [230, 223, 215, 209, 203, 196, 228, 227, 226, 220, 214];
        let doublings = RAMP.iter().scan(2.0, |tile, shade| {
            let this = *tile;
            *tile *= 2.0;
            Some((this, *shade))
        });
        let mut shades = doublings.filter(|(tile, _)| *tile >= value).map(|(_, shade)| shade);
        let shade = shades.next().unwrap_or(51);
        Style::default().fg(Color::Indexed(16)).bg(Color::Indexed(shade)).add_modifier(Modifier::BOLD)
    }
}

#[cfg(test)]
mod tests {
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    use super::*;

    fn view() -> GameView {
        GameView {
            board: [
                [2.0, 4.0, 8.0, 16.0],
                [0.0, 0.0, 0.0, 0.0],
                [0.0, 2048.0, 0.0, 0.0],
                [0.0, 0.0, 0.0, 131_072.0],
            ],
            score: 12345.0,
            moves: 67.0,
            best_tile: 131_072.0,
            won: true,
            lost: false,
            undoable: 3,
        }
    }

    fn shown(width: u16, height: u16, view: &GameView, colour: Colour) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| draw(frame, view, colour)).unwrap();
        let rows = terminal.backend().buffer().content().chunks(usize::from(width.max(1)));
        let row = |cells: &[ratatui::buffer::Cell]| {
            let text: String = cells.iter().map(|cell| cell.symbol()).collect();
            text.trim_end().to_owned() + "\n"
        };
        std::iter::once("\n".to_owned()).chain(rows.map(row)).collect()
    }

    #[test]
    fn board_without_colours_has_borders() {
        let expected = "
      2048   score 12345   moves 67   undo 3
           you have won, and may go on
       ┌───────┐┌───────┐┌───────┐┌───────┐
       │   2   ││   4   ││   8   ││  16   │
       └───────┘└───────┘└───────┘└───────┘
       ┌───────┐┌───────┐┌───────┐┌───────┐
       │   ·   ││   ·   ││   ·   ││   ·   │
       └───────┘└───────┘└───────┘└───────┘
       ┌───────┐┌───────┐┌───────┐┌───────┐
       │   ·   ││ 2048  ││   ·   ││   ·   │
       └───────┘└───────┘└───────┘└───────┘
       ┌───────┐┌───────┐┌───────┐┌───────┐
       │   ·   ││   ·   ││   ·   ││131072 │
       └───────┘└───────┘└───────┘└───────┘

 arrows or WASD move, U undo, R new game, Q quit
";
        assert_eq!(shown(50, 16, &view(), Colour::Never), expected);
    }

    #[test]
    fn small_window_has_small_tiles() {
        let expected = "
      score 12345
      you have won
   2     4     8    16
   ·     ·     ·     ·
   ·   2048    ·     ·
   ·     ·     ·  131072

       WASD U R Q
";
        assert_eq!(shown(24, 8, &view(), Colour::Never), expected);
    }

    #[test]
    fn every_size_can_be_drawn() {
        for (width, height) in (0..60).flat_map(|width| (0..24).map(move |height| (width, height))) {
            for colour in [Colour::Always, Colour::Never] {
                shown(width, height, &view(), colour);
            }
        }
    }

    #[test]
    fn tile_colours_depend_on_value_and_colour_mode() {
        let coloured = |colour| Screen { view: &view(), colour }.tile_style(2.0).bg;
        assert!(coloured(Colour::Always).is_some());
        assert_eq!(coloured(Colour::Never), None);
        let style = |value| Screen { view: &view(), colour: Colour::Always }.tile_style(value);
        assert_ne!(style(2.0), style(4.0));
        assert_ne!(style(1024.0), style(2048.0));
        assert_eq!(style(4096.0), style(8192.0));
    }

    #[test]
    fn lost_game_shows_how_to_continue() {
        let lost = GameView { lost: true, ..view() };
        assert!(shown(60, 20, &lost, Colour::Never).contains("no moves left: U undoes"));
    }
}
