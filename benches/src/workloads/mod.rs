//! Whole games, run by ours, by a naive and by a competent implementation of the same rules. All must reach
//! the same values, and the competent one must raise the same events, before they are timed.

mod crowd;
pub(crate) mod fights;
mod forest;
pub(crate) mod game;
mod prediction;

use crate::floor::events::{Event, assert_same_events};
use crate::line::{Goal, Line};
use crate::lines::Group;
use crate::measure::{Effort, Subject, Timing, alone, compare, many};
use game::{Competent, FRAMES, Game, Naive, Ours, Rules, SameEvents};

/// All workloads. The goal is to be no slower than the naive implementation, and in the lines that end in
/// `-competent` no slower than the competent one.
pub(crate) const GROUPS: [Group; 7] = [
    ("a-", crowd::measure),
    ("b-moba", fights::moba),
    ("c-players", fights::players),
    ("d-raid", fights::raid),
    ("e-forest", forest::measure),
    ("f-prediction", prediction::measure),
    ("g-flood", fights::flood),
];

/// Host of a game: its commands and state.
pub(crate) trait Host: Clone + 'static {
    fn rules(&self) -> Rules;
    fn units(&self) -> usize;
    /// Before the first frame.
    fn begin<G: Game>(&mut self, _game: &mut G) {}
    /// Commands of one frame, before time passes.
    fn commands<G: Game>(&mut self, game: &mut G, frame: u32);
    /// Frames until the steady state.
    fn warm_up(&self) -> u32 {
        2 * FRAMES
    }
    /// Length of a cycle in frames; whole cycles are timed.
    fn cycle(&self) -> u32 {
        2 * FRAMES
    }
}

/// A running game.
struct Match<H, G> {
    host: H,
    game: G,
    frame: u32,
    events: usize,
}

impl<H: Host, G: Game> Match<H, G> {
    fn new(mut host: H) -> Self {
        let mut game = G::new(&host.rules(), host.units());
        host.begin(&mut game);
        game.frame();
        let mut new = Self { host, game, frame: 0, events: 0 };
        for _ in 0..new.host.warm_up() {
            new.step();
        }
        new
    }

    fn step(&mut self) {
        self.frame = self.frame.wrapping_add(1);
        self.host.commands(&mut self.game, self.frame);
        self.events = self.game.frame();
    }

    /// Every value of every unit.
    fn values(&self) -> Vec<f64> {
        let attributes = self.host.rules().attributes.len();
        let units = 0..self.host.units();
        units
            .flat_map(|unit| (0..attributes).map(move |at| (unit, at)))
            .map(|(unit, at)| self.game.current(unit, at))
            .collect()
    }
}

fn play<H: Host, G: Game + 'static>(host: &H) -> (Subject<'static>, Vec<f64>, usize) {
    let mut game = Match::<H, G>::new(host.clone());
    let (values, events) = (game.values(), game.events);
    let cycle = host.cycle();
    let subject = many(cycle as usize, move || (0..cycle).for_each(|_| game.step()));
    (subject, values, events)
}

/// Plays a game on all systems in turn and compares.
fn measure(effort: Effort, name: &str, what: &str, host: &impl Host) -> Vec<Line> {
    assert_equal_events(name, host);
    let (ours, values, events) = play::<_, Ours>(host);
    let (naive, expected, naive_events) = play::<_, Naive>(host);
    let (competent, by_hand, competent_events) = play::<_, Competent>(host);
    assert!(values == expected, "{name}: ours and the naive system have the same rules");
    assert!(values == by_hand, "{name}: ours and the competent system have the same rules");
    assert_eq!(events, competent_events, "{name}: ours and the competent system raise the same events");
    let [ours, naive, competent] = compare(effort, [ours, naive, competent]);
    vec![
        line(name, what, [ours, naive], [events, naive_events]),
        competent_line(name, what, [ours, competent], events),
    ]
}

/// Checks that ours and the competent system raise the same events in every frame of the warm-up.
fn assert_equal_events<H: Host>(name: &str, host: &H) {
    fn begin<H: Host, G: SameEvents>(mut host: H) -> (H, G, Vec<Event>) {
        let mut game = G::new(&host.rules(), host.units());
        host.begin(&mut game);
        let events = game.frame_events();
        (host, game, events)
    }
    fn step<H: Host, G: SameEvents>(host: &mut H, game: &mut G, frame: u32) -> Vec<Event> {
        host.commands(game, frame);
        game.frame_events()
    }
    let (mut our_host, mut ours, our_events) = begin::<H, Ours>(host.clone());
    let (mut by_hand, mut competent, their_events) = begin::<H, Competent>(host.clone());
    assert_same_events(name, &our_events, &their_events);
    for frame in 1..=host.warm_up() {
        let our_events = step(&mut our_host, &mut ours, frame);
        assert_same_events(name, &our_events, &step(&mut by_hand, &mut competent, frame));
    }
}

/// [`measure`] one system after the other, for games that fill the memory.
fn measure_apart(effort: Effort, name: &str, what: &str, host: &impl Host) -> Line {
    let (ours, values, events) = play::<_, Ours>(host);
    let ours = alone(effort, ours);
    let (naive, expected, naive_events) = play::<_, Naive>(host);
    assert!(values == expected, "{name}: both systems have the same rules");
    line(name, what, [ours, alone(effort, naive)], [events, naive_events])
}

fn competent_line(name: &str, what: &str, [ours, competent]: [Timing; 2], events: usize) -> Line {
    let note = format!(
        "{what}; {events} equal events; the competent system allocates {:.0} times",
        competent.allocations
    );
    let line = Line::new(format!("{name}-competent"), ours, Goal::Peer(1.0));
    line.peer("competent", competent.median).note(note)
}

fn line(name: &str, what: &str, [ours, naive]: [Timing; 2], [events, naive_events]: [usize; 2]) -> Line {
    let note = format!(
        "{what}; {events} events, naive {naive_events}; naive allocates {:.0} times",
        naive.allocations
    );
    Line::new(name, ours, Goal::Peer(1.0)).peer("naive", naive.median).note(note)
}
