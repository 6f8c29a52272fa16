//! F: a client that saves the state of every tick and, in every tick, rolls back twenty ticks and replays
//! them.

use super::competent_line;
use super::game::{Competent, Game, Lasting, Naive, Ours, Rules, SameEvents, effect};
use crate::floor::events::{Event, assert_same_events};
use crate::line::{Goal, Line};
use crate::measure::{Effort, compare, subject};

const TICKS: usize = 20;
const PREDICTED: usize = 5;

const HIT: usize = 0;
const HASTE: usize = 1;
const REGENERATION: usize = 2;

fn rules() -> Rules {
    Rules {
        attributes: vec![("Health", 1e12, 0.0), ("Mana", 100.0, 0.0), ("Speed", 8.0, 0.0)],
        effects: vec![
            effect("GE_Hit", Lasting::Instant).add("Health", -1.0),
            effect("GE_Haste", Lasting::For(0.5)).multiply("Speed", 0.5).tag("State.Haste"),
            effect("GE_Regeneration", Lasting::Endless).every(0.5).add("Mana", 2.0),
        ],
        abilities: Vec::new(),
    }
}

struct Client<G: Game> {
    game: G,
    ring: Vec<G::Saved>,
    tick: usize,
}

impl<G: Game> Client<G> {
    fn new() -> Self {
        let mut game = G::new(&rules(), PREDICTED);
        (0..PREDICTED).for_each(|unit| game.apply(REGENERATION, unit, unit));
        game.frame();
        let ring = (0..TICKS).map(|_| game.save()).collect();
        let mut client = Self { game, ring, tick: 0 };
        (0..3 * TICKS).for_each(|_| client.play());
        client
    }

    fn play(&mut self) {
        self.commands();
        self.game.frame();
        self.tick += 1;
    }

    /// Saves the state and issues the commands of a tick.
    fn commands(&mut self) {
        self.game.save_over(&mut self.ring[self.tick % TICKS]);
        for unit in 0..PREDICTED {
            self.game.apply(HIT, unit, unit);
        }
        self.game.apply(HASTE, self.tick % PREDICTED, self.tick % PREDICTED);
    }

    /// Rolls back, replays, and plays one more tick.
    fn correct(&mut self) {
        self.tick -= TICKS;
        self.game.restore(&self.ring[self.tick % TICKS]);
        (0..=TICKS).for_each(|_| self.play());
    }

    fn values(&self) -> Vec<f64> {
        let units = 0..PREDICTED;
        units
            .flat_map(|unit| (0..3).map(move |at| (unit, at)))
            .map(|(unit, at)| self.game.current(unit, at))
            .collect()
    }
}

impl<G: SameEvents> Client<G> {
    /// [`Self::correct`], with the events of all ticks.
    fn correct_with_events(&mut self) -> Vec<Event> {
        self.tick -= TICKS;
        self.game.restore(&self.ring[self.tick % TICKS]);
        let mut events = Vec::new();
        for _ in 0..=TICKS {
            self.commands();
            events.extend(self.game.frame_events());
            self.tick += 1;
        }
        events
    }
}

pub(crate) fn measure(effort: Effort) -> Vec<Line> {
    let (mut ours, mut naive) = (Client::<Ours>::new(), Client::<Naive>::new());
    let mut competent = Client::<Competent>::new();
    for _ in 0..3 {
        let events = ours.correct_with_events();
        naive.correct();
        assert_same_events("f-prediction", &events, &competent.correct_with_events());
        assert_eq!(ours.values(), naive.values(), "ours and the naive system have the same rules");
        assert_eq!(ours.values(), competent.values(), "ours and the competent system have the same rules");
    }
    let events = ours.correct_with_events().len();
    competent.correct();
    naive.correct();
    let subjects = [
        subject(move || ours.correct()),
        subject(move || naive.correct()),
        subject(move || competent.correct()),
    ];
    let [ours, naive, competent] = compare(effort, subjects);
    let what = "restore, then 21 ticks of 5 controllers, each saved";
    let line = Line::new("f-prediction", ours, Goal::Peer(1.0))
        .peer("naive", naive.median)
        .note(format!("{what}; naive allocates {:.0} times", naive.allocations));
    vec![line, competent_line("f-prediction", what, [ours, competent], events)]
}
