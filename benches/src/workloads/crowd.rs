//! A: crowds of different sizes, with more or fewer effects, more or less busy.

use super::game::{Game, Lasting, Rules, effect};
use super::{Host, measure_apart};
use crate::line::Line;
use crate::measure::Effort;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Pace {
    Idle,
    /// One in a hundred has an effect replaced.
    Churn,
    /// All units are hit.
    Dirty,
}

#[derive(Clone)]
struct Crowd {
    units: usize,
    effects: usize,
    pace: Pace,
    next: usize,
}

const BUFF: usize = 0;
const HIT: usize = 1;

impl Host for Crowd {
    fn rules(&self) -> Rules {
        Rules {
            attributes: vec![("Health", 1e12, 0.0), ("Power", 10.0, 0.0), ("Speed", 5.0, 0.0)],
            effects: vec![
                effect("GE_Buff", Lasting::Endless).add("Power", 1.0),
                effect("GE_Hit", Lasting::Instant).add("Health", -1.0),
            ],
            abilities: Vec::new(),
        }
    }

    fn units(&self) -> usize {
        self.units
    }

    fn begin<G: Game>(&mut self, game: &mut G) {
        for unit in 0..self.units {
            for _ in 0..self.effects {
                game.apply(BUFF, unit, unit);
            }
            // Events are polled now and then, as always.
            if unit % 1_000 == 0 {
                game.frame();
            }
        }
    }

    fn commands<G: Game>(&mut self, game: &mut G, _frame: u32) {
        match self.pace {
            Pace::Idle => {}
            Pace::Churn => {
                for _ in 0..self.units.div_ceil(100) {
                    self.next = (self.next + 1) % self.units;
                    game.replace_oldest(BUFF, self.next);
                }
            }
            Pace::Dirty => (0..self.units).for_each(|unit| game.apply(HIT, unit, unit)),
        }
    }

    fn warm_up(&self) -> u32 {
        3
    }

    fn cycle(&self) -> u32 {
        1
    }
}

pub(crate) fn measure(effort: Effort) -> Vec<Line> {
    let effort = Effort { rounds: effort.rounds.min(5), ..effort };
    let populations: &[usize] = if effort.is_quick { &[100] } else { &[1_000, 10_000, 100_000] };
    let paces = [("idle", Pace::Idle), ("churn", Pace::Churn), ("dirty", Pace::Dirty)];
    let mut lines = Vec::new();
    for &units in populations {
        for effects in [0, 4, 16, 64] {
            for (pace_name, pace) in paces {
                let name = format!("a-{units}x{effects}-{pace_name}");
                let what = format!("{units} controllers × {effects} effects");
                let host = Crowd { units, effects, pace, next: 0 };
                lines.push(measure_apart(effort, &name, &what, &host));
            }
        }
    }
    lines
}
