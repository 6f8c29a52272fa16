//! Whole games, run by ours and by a naive implementation of the same rules. Both must reach the same values
//! before they are timed.

mod crowd;
pub(crate) mod fights;
mod forest;
pub(crate) mod game;
mod prediction;

use crate::line::{Goal, Line};
use crate::lines::Group;
use crate::measure::{Effort, Subject, Timing, alone, compare, many};
use game::{FRAMES, Game, Naive, Ours, Rules};

/// All workloads. The goal is to be no slower than the naive implementation.
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

/// Plays a game on both systems in turn and compares.
fn measure(effort: Effort, name: &str, what: &str, host: &impl Host) -> Line {
    let (ours, values, events) = play::<_, Ours>(host);
    let (naive, expected, naive_events) = play::<_, Naive>(host);
    assert!(values == expected, "{name}: both systems have the same rules");
    line(name, what, compare(effort, [ours, naive]), [events, naive_events])
}

/// [`measure`] one system after the other, for games that fill the memory.
fn measure_apart(effort: Effort, name: &str, what: &str, host: &impl Host) -> Line {
    let (ours, values, events) = play::<_, Ours>(host);
    let ours = alone(effort, ours);
    let (naive, expected, naive_events) = play::<_, Naive>(host);
    assert!(values == expected, "{name}: both systems have the same rules");
    line(name, what, [ours, alone(effort, naive)], [events, naive_events])
}

fn line(name: &str, what: &str, [ours, naive]: [Timing; 2], [events, naive_events]: [usize; 2]) -> Line {
    let note = format!(
        "{what}; {events} events, naive {naive_events}; naive allocates {:.0} times",
        naive.allocations
    );
    Line::new(name, ours, Goal::Peer(1.0)).peer("naive", naive.median).note(note)
}
