//! E: a forest that burns, grows again and burns again.

use super::Host;
use super::game::{FRAMES, Game, Lasting, Rules, effect};
use crate::line::Line;
use crate::measure::Effort;

/// Fire spreads to the neighbours every half second; burnt trees cannot burn again for twenty seconds.
#[derive(Clone)]
struct Forest {
    side: usize,
    /// Trees that caught fire in the last wave.
    front: Vec<usize>,
    next: Vec<usize>,
}

const BURNING: usize = 0;
const BURNT: usize = 1;

impl Forest {
    fn ignite<G: Game>(&mut self, game: &mut G, from: usize, tree: usize) {
        if !game.has_tag_of(BURNT, tree) {
            game.apply(BURNING, from, tree);
            game.apply(BURNT, from, tree);
            self.next.push(tree);
        }
    }
}

impl Host for Forest {
    fn rules(&self) -> Rules {
        Rules {
            attributes: vec![("Health", 1e12, 0.0), ("Moisture", 4.0, 0.0)],
            effects: vec![
                effect("GE_Burning", Lasting::For(5.0)).every(0.5).add("Health", -3.0).tag("State.Burning"),
                effect("GE_Burnt", Lasting::For(20.0)).add("Moisture", -1.0).tag("State.Burnt"),
            ],
            abilities: Vec::new(),
        }
    }

    fn units(&self) -> usize {
        self.side * self.side
    }

    fn commands<G: Game>(&mut self, game: &mut G, frame: u32) {
        if frame % FRAMES == 1 {
            // Lightning, at another place every second.
            let tree = (frame as usize * 7_919) % self.units();
            self.ignite(game, tree, tree);
        }
        if !frame.is_multiple_of(FRAMES / 2) {
            return;
        }
        let mut front = core::mem::take(&mut self.front);
        core::mem::swap(&mut front, &mut self.next);
        for &tree in &front {
            let (x, y) = (tree % self.side, tree / self.side);
            let neighbours = [
                (x > 0).then(|| tree - 1),
                (x + 1 < self.side).then(|| tree + 1),
                (y > 0).then(|| tree - self.side),
                (y + 1 < self.side).then(|| tree + self.side),
            ];
            for neighbour in neighbours.into_iter().flatten() {
                self.ignite(game, tree, neighbour);
            }
        }
        front.clear();
        self.front = front;
    }

    fn warm_up(&self) -> u32 {
        40 * FRAMES
    }

    fn cycle(&self) -> u32 {
        40 * FRAMES
    }
}

pub(crate) fn measure(effort: Effort) -> Vec<Line> {
    let side = if effort.is_quick { 10 } else { 100 };
    let host = Forest { side, front: Vec::new(), next: Vec::new() };
    let what = format!("{} trees, fire goes on to neighbours; one frame", side * side);
    super::measure(effort, "e-forest", &what, &host)
}
