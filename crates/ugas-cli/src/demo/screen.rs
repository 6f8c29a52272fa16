//! Screen of a match.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Paragraph};
use ugas_core::time::Time;
use ugas_data::diagnostics::Colour;

use super::event_log::{LogLine, Weight};
use super::report::played_by;
use super::roster::TEAMS;
use super::view::{AbilityStatus, Connection, Fighter, MatchView};

const KEYS: &str = "space pauses, q quits";

/// Minimum size of the window.
const MIN_WIDTH: u16 = 60;
const MIN_HEIGHT: u16 = 12;

/// Width of an ability with its cooldown.
const ABILITY_WIDTH: usize = 16;

/// Content of the screen.
pub(super) struct Scene<'a> {
    pub(super) view: &'a MatchView,
    /// End of the match.
    pub(super) end: Time,
    /// URL of the inspector.
    pub(super) address: Option<&'a str>,
    pub(super) is_paused: bool,
    pub(super) colour: Colour,
}

/// Draws a match; less important panes are left out in a small window.
pub(super) fn draw(frame: &mut Frame<'_>, scene: &Scene<'_>) {
    let area = frame.area();
    if area.width < MIN_WIDTH || area.height < MIN_HEIGHT {
        let text = format!("make the window larger: {MIN_WIDTH} by {MIN_HEIGHT}");
        frame.render_widget(Line::raw(text), area);
        return;
    }
    let heroes = scene.view.heroes.len() as u16 * 2 + 2;
    let rows = [
        Constraint::Length(2),
        Constraint::Length(heroes.min(area.height - 3)),
        // Events are more important than minions.
        Constraint::Length(if area.height >= heroes + 17 { 4 } else { 0 }),
        Constraint::Length(if area.height >= heroes + 8 { 5 } else { 0 }),
        Constraint::Min(0),
        Constraint::Length(1),
    ];
    let [head, heroes, minions, network, events, foot] = Layout::vertical(rows).areas(area);
    scene.head(frame, head);
    scene.pane(frame, heroes, "heroes", scene.heroes(heroes.width));
    scene.pane(frame, minions, "minions", scene.minions(minions.width));
    let title = format!("network: {}", scene.view.link);
    scene.pane(frame, network, &title, scene.network());
    scene.pane(frame, events, "events, latest first", scene.events());
    scene.foot(frame, foot);
}

impl Scene<'_> {
    /// Draws score, clock and seed, and a bar of the time that has passed.
    fn head(&self, frame: &mut Frame<'_>, area: Rect) {
        let [title, bar] = Layout::vertical([Constraint::Length(1); 2]).areas(area);
        let view = self.view;
        let (now, end) = (view.time.as_seconds(), self.end.as_seconds());
        let left = Line::from(vec![
            Span::styled(" UGAS demo ", Modifier::REVERSED),
            Span::raw("  "),
            Span::styled(format!("{} {:.0}", TEAMS[0], view.score[0]), self.team(0)),
            Span::raw(" : "),
            Span::styled(format!("{:.0} {}", view.score[1], TEAMS[1]), self.team(1)),
            Span::raw(if self.is_paused { "   paused" } else { "" }),
        ]);
        frame.render_widget(left, title);
        let clock = format!("{} / {}  seed {} ", clock(now), clock(end), view.seed);
        frame.render_widget(Line::raw(clock).right_aligned(), title);
        let share = if end > 0.0 { now / end } else { 1.0 };
        frame.render_widget(Line::from_iter(self.bar(share, bar.width, Color::Indexed(39), '━', '─')), bar);
    }

    /// Two lines for each hero: values and states, then abilities. The bars grow with the width.
    fn heroes(&self, width: u16) -> Vec<Line<'_>> {
        let bar = (width.saturating_sub(40) / 2).clamp(6, 24);
        self.view.heroes.iter().flat_map(|hero| [self.hero(hero, bar), self.abilities(hero)]).collect()
    }

    /// Name, class, health, mana and states of a hero. The bar of mana is half as wide as that of health.
    fn hero(&self, hero: &Fighter, bar_width: u16) -> Line<'_> {
        let style = self.team(hero.team).add_modifier(Modifier::BOLD);
        let mut spans = vec![
            Span::styled(format!("{:<6}", hero.name), style),
            Span::styled(format!(" {:<6} ", hero.class), self.dim()),
        ];
        let share = hero.health / hero.max_health.max(1.0);
        spans.extend(self.bar(share, bar_width, health_colour(share), '█', '░'));
        let health = match hero.is_down() {
            true => "   down ".to_owned(),
            false => format!(" {:>3.0}{:<4}", hero.health, barrier(hero.barrier)),
        };
        spans.push(Span::raw(health));
        if let Some((mana, most)) = hero.mana {
            spans.extend(self.bar(mana / most.max(1.0), bar_width / 2, Color::Indexed(39), '█', '░'));
            spans.push(Span::raw(format!(" {mana:>3.0}  ")));
        }
        spans.push(Span::styled(hero.states.join(" "), self.coloured(Color::Indexed(214))));
        Line::from(spans)
    }

    /// Line with who plays the hero and its abilities.
    fn abilities(&self, hero: &Fighter) -> Line<'_> {
        let by = format!("  {:<9}   ", played_by(hero.played_by));
        let mut spans = vec![Span::styled(by, self.dim())];
        spans.extend(hero.abilities.iter().map(|ability| self.ability(ability)));
        Line::from(spans)
    }

    /// Ability with its state: a filling dial and seconds during the cooldown, else a full or an empty dot.
    fn ability(&self, ability: &AbilityStatus) -> Span<'_> {
        let name = &ability.name;
        match (&ability.cooldown, ability.is_ready) {
            (Some(cooldown), _) => {
                const DIAL: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
                let passed = 1.0 - cooldown.left / cooldown.whole.max(0.001);
                let dial = DIAL[(passed.clamp(0.0, 1.0) * 7.0) as usize];
                let text = format!("{dial} {name} {:.1}", cooldown.left);
                Span::styled(format!("{text:<ABILITY_WIDTH$}"), self.dim())
            }
            (None, true) => {
                let style = self.coloured(Color::Indexed(114)).add_modifier(Modifier::BOLD);
                Span::styled(format!("{:<ABILITY_WIDTH$}", format!("● {name}")), style)
            }
            (None, false) => Span::styled(format!("{:<ABILITY_WIDTH$}", format!("○ {name}")), self.dim()),
        }
    }

    /// One line for each team, with a bar for each minion.
    fn minions(&self, width: u16) -> Vec<Line<'_>> {
        let bar = (width.saturating_sub(30) / 3).clamp(4, 16);
        let team = |team: usize| {
            let mut spans = vec![Span::styled(format!("{:<6}", TEAMS[team]), self.team(team))];
            for minion in self.view.minions.iter().filter(|minion| minion.team == team) {
                let share = minion.health / minion.max_health.max(1.0);
                spans.extend(self.bar(share, bar, health_colour(share), '█', '░'));
                let health = match minion.is_down() {
                    true => " down  ".to_owned(),
                    false => format!(" {:>3.0}   ", minion.health),
                };
                spans.push(Span::raw(health));
            }
            Line::from(spans)
        };
        (0..TEAMS.len()).map(team).collect()
    }

    /// Table of the clients: round trip, lead, outcomes of commands, corrections and received bytes a second.
    fn network(&self) -> Vec<Line<'_>> {
        let head = format!(
            "{:<9}{:<6}{:>11}{:>10}{:>10}{:>9}{:>10}{:>11}",
            "", "plays", "round trip", "ahead", "confirmed", "rejected", "corrected", "received"
        );
        let client = |(number, client): (usize, &Connection)| {
            let name = Span::styled(format!("{:<9}", format!("client {}", number + 1)), Modifier::BOLD);
            if !client.is_playing {
                return Line::from(vec![name, Span::raw("is connecting")]);
            }
            let rejected = format!("{:>9}", client.rejected);
            let is_bad = client.rejected > 0;
            let per_second = client.received_bytes as f64 / 1e3 / self.view.time.as_seconds().max(0.1);
            Line::from(vec![
                name,
                Span::styled(format!("{:<6}", client.hero), self.team(client.team)),
                Span::raw(format!("{:>8.0} ms{:>4} ticks", client.round_trip_ms, client.ahead)),
                Span::styled(format!("{:>10}", client.confirmed), self.coloured(Color::Indexed(114))),
                match is_bad {
                    true => Span::styled(rejected, self.coloured(Color::Indexed(203))),
                    false => Span::raw(rejected),
                },
                Span::styled(format!("{:>10}", client.mispredicted), self.coloured(Color::Indexed(214))),
                Span::raw(format!("{per_second:>6.1} kB/s")),
            ])
        };
        let lines = self.view.connections.iter().enumerate().map(client);
        std::iter::once(Line::styled(head, self.dim())).chain(lines).collect()
    }

    /// Latest events, the important ones bold and those of the network in red.
    fn events(&self) -> Vec<Line<'_>> {
        let line = |line: &LogLine| {
            let style = match line.weight {
                Weight::Light => Style::new(),
                Weight::Heavy => Style::new().add_modifier(Modifier::BOLD),
                Weight::Network => self.coloured(Color::Indexed(203)),
            };
            let time = Span::styled(format!("{:>6.2}  ", line.time.as_seconds()), self.dim());
            Line::from(vec![time, Span::styled(line.text.clone(), style)])
        };
        self.view.lines.iter().map(line).collect()
    }

    /// Draws the inspector's address, if it runs, and the keys.
    fn foot(&self, frame: &mut Frame<'_>, area: Rect) {
        if let Some(address) = self.address {
            let spans = vec![
                Span::raw(" inspector "),
                Span::styled(
                    address.to_owned(),
                    self.coloured(Color::Indexed(39)).add_modifier(Modifier::UNDERLINED),
                ),
            ];
            frame.render_widget(Line::from(spans), area);
        }
        frame.render_widget(Line::styled(format!("{KEYS} "), self.dim()).right_aligned(), area);
    }

    /// Draws lines in a frame with a title; nothing if there is no room for a line.
    fn pane(&self, frame: &mut Frame<'_>, area: Rect, title: &str, lines: Vec<Line<'_>>) {
        if area.height < 3 {
            return;
        }
        let block = Block::bordered().border_type(BorderType::Rounded).border_style(self.dim());
        let title = Line::styled(format!(" {title} "), Style::new().remove_modifier(Modifier::DIM));
        frame.render_widget(Paragraph::new(lines).block(block.title(title)), area);
    }

    /// A bar, filled up to a share from 0 to 1.
    fn bar(&self, share: f64, width: u16, colour: Color, full: char, empty: char) -> [Span<'static>; 2] {
        let width = usize::from(width);
        let share = share.clamp(0.0, 1.0);
        // Any share above 0 fills at least one cell.
        let filled = ((share * width as f64).round() as usize).max(usize::from(share > 0.0)).min(width);
        [
            Span::styled(full.to_string().repeat(filled), self.coloured(colour)),
            Span::styled(empty.to_string().repeat(width - filled), self.dim()),
        ]
    }

    fn team(&self, team: usize) -> Style {
        self.coloured(if team == 0 { Color::Indexed(220) } else { Color::Indexed(141) })
    }

    fn coloured(&self, colour: Color) -> Style {
        match self.colour {
            Colour::Always => Style::new().fg(colour),
            Colour::Never => Style::new(),
        }
    }

    fn dim(&self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }
}

/// From green to red.
fn health_colour(share: f64) -> Color {
    match share {
        share if share > 0.6 => Color::Indexed(78),
        share if share > 0.3 => Color::Indexed(220),
        _ => Color::Indexed(203),
    }
}

fn barrier(barrier: f64) -> String {
    // Rounded up, so that a small barrier is not shown as 0.
    if barrier > 0.0 { format!("+{:.0}", barrier.ceil()) } else { String::new() }
}

/// `1:05`.
fn clock(seconds: f64) -> String {
    let seconds = seconds as u64;
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use ugas_core::time::Span as TimeSpan;

    use super::super::battle::Battle;
    use super::*;

    fn shown(width: u16, height: u16, view: &MatchView, colour: Colour) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        let end = Time::ZERO + TimeSpan::seconds(60.0);
        let scene = Scene { view, end, address: Some("http://127.0.0.1:4777/"), is_paused: false, colour };
        terminal.draw(|frame| draw(frame, &scene)).unwrap();
        let buffer = terminal.backend().buffer();
        if colour == Colour::Never {
            let plain = |cell: &ratatui::buffer::Cell| cell.fg == Color::Reset && cell.bg == Color::Reset;
            assert!(buffer.content().iter().all(plain), "there are colours");
        }
        let rows = buffer.content().chunks(usize::from(width.max(1)));
        let row = |cells: &[ratatui::buffer::Cell]| {
            let text: String = cells.iter().map(|cell| cell.symbol()).collect();
            text.trim_end().to_owned() + "\n"
        };
        rows.map(row).collect()
    }

    fn view() -> MatchView {
        let mut battle = Battle::new(7, "bad").unwrap();
        while battle.now() < Time::ZERO + TimeSpan::seconds(3.0) {
            battle.tick();
        }
        MatchView::of(&battle)
    }

    #[test]
    fn match_shows_heroes_network_and_address() {
        let text = shown(100, 36, &view(), Colour::Never);
        for expected in [
            "UGAS demo",
            "Ember  Mage",
            "Bram   Knight",
            "client 1",
            "round trip",
            "network: bad",
            "minions",
            "events, latest first",
            "0:03 / 1:00",
            "inspector http://127.0.0.1:4777/",
            KEYS,
        ] {
            assert!(text.contains(expected), "{expected} is missing:\n{text}");
        }
    }

    #[test]
    fn window_of_80_by_24_shows_events() {
        let text = shown(80, 24, &view(), Colour::Never);
        for expected in ["Ember  Mage", "network: bad", "events, latest first", KEYS] {
            assert!(text.contains(expected), "{expected} is missing:\n{text}");
        }
        assert!(!text.contains("\n\n"), "there are empty lines:\n{text}");
    }

    #[test]
    fn every_size_can_be_drawn() {
        let view = view();
        for (width, height) in
            (0..130).step_by(7).flat_map(|width| (0..50).map(move |height| (width, height)))
        {
            shown(width, height, &view, Colour::Always);
        }
        assert!(shown(40, 20, &view, Colour::Never).contains("make the window larger"));
    }

    #[test]
    fn small_barrier_is_rounded_up() {
        assert_eq!([barrier(0.0), barrier(0.4), barrier(11.0)], ["", "+1", "+11"]);
    }

    #[test]
    fn bars_are_full_empty_or_between() {
        let view = view();
        let scene =
            Scene { view: &view, end: Time::ZERO, address: None, is_paused: false, colour: Colour::Never };
        let bar =
            |share| scene.bar(share, 4, Color::Red, '#', '.').map(|span| span.content.into_owned()).concat();
        assert_eq!(bar(0.0), "....");
        assert_eq!(bar(0.01), "#...");
        assert_eq!(bar(0.5), "##..");
        assert_eq!(bar(1.0), "####");
        assert_eq!(bar(f64::NAN), "....");
        assert_eq!(bar(7.0), "####");
    }
}
