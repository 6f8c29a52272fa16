//! The rules of the pack `puzzle2048` compared with a small model of 2048 (§15.4).

use std::sync::{Arc, LazyLock};

use proptest::prelude::*;
use ugas_core::ability::GameplayEvent;
use ugas_core::catalog::Catalog;
use ugas_core::effect::EffectContext;
use ugas_core::handle::ControllerId;
use ugas_core::simulation::{Config, Simulation};
use ugas_core::targeting::Placement;
use ugas_core::time::Span;
use ugas_data::Loader;

use super::shipped::root;

type Board = [[u32; 4]; 4];

const DIRECTIONS: [&str; 4] = ["Left", "Right", "Up", "Down"];

/// Slides a line to its front; returns the new line and the points.
fn slide(line: [u32; 4]) -> ([u32; 4], u32) {
    let (mut tiles, mut points) = (line.into_iter().filter(|tile| *tile > 0).peekable(), 0);
    let mut slid = [0; 4];
    for place in &mut slid {
        *place = tiles.next().unwrap_or(0);
        if *place > 0 && tiles.next_if_eq(place).is_some() {
            *place *= 2;
            points += *place;
        }
    }
    (slid, points)
}

/// Board after a move, and its points.
fn moved(board: Board, direction: &str) -> (Board, u32) {
    let place = |line: usize, at: usize| match direction {
        "Left" => (line, at),
        "Right" => (line, 3 - at),
        "Up" => (at, line),
        _ => (3 - at, line),
    };
    let (mut after, mut points) = (board, 0);
    for line in 0..4 {
        let cells = [0, 1, 2, 3].map(|at| place(line, at));
        let (slid, own) = slide(cells.map(|(y, x)| board[y][x]));
        points += own;
        for ((y, x), tile) in cells.into_iter().zip(slid) {
            after[y][x] = tile;
        }
    }
    (after, points)
}

/// Whether no move changes anything.
fn is_stuck(board: Board) -> bool {
    DIRECTIONS.iter().all(|direction| moved(board, direction).0 == board)
}

fn catalog() -> Arc<Catalog> {
    static CATALOG: LazyLock<Arc<Catalog>> = LazyLock::new(|| {
        let pack = Loader::new().path(root().join("packs/puzzle2048")).load();
        pack.unwrap_or_else(|error| panic!("{error}")).catalog
    });
    Arc::clone(&CATALOG)
}

struct Played {
    sim: Simulation,
    id: ControllerId,
}

impl Played {
    /// Creates a board with the given tiles, each a spawned cell.
    fn new(board: Board, seed: u64) -> Self {
        let catalog = catalog();
        let mut sim = Simulation::new(Arc::clone(&catalog), Config::seeded(seed));
        let id = sim.spawn("Board").unwrap();
        sim.set_placement(id, Some(Placement::default())).unwrap();
        let tiles: Vec<_> = places().filter(|&(y, x)| board[y][x] > 0).collect();
        let place = catalog.tag("Event.Cell.Place").unwrap();
        let event = GameplayEvent { magnitude: tiles.len() as f64, ..GameplayEvent::new(place) };
        sim.send_event(id, event).unwrap();
        let cells: Vec<_> = sim.summons_of(id).collect();
        assert_eq!(cells.len(), tiles.len());
        let effect = catalog.effect("GE_CellSpawn").unwrap();
        let tag = |name: &str| catalog.tag(name).unwrap();
        for (cell, (y, x)) in cells.into_iter().zip(tiles) {
            let spec = sim.spec(effect, 1.0, EffectContext::of(id)).unwrap();
            let spec = spec.with_magnitude(tag("Cell.Value"), f64::from(board[y][x]));
            let spec = spec.with_magnitude(tag("Cell.X"), x as f64).with_magnitude(tag("Cell.Y"), y as f64);
            sim.apply(&spec, cell).unwrap();
        }
        let played = Self { sim, id };
        assert_eq!(played.board(), board);
        played
    }

    fn value(&self, attribute: &str) -> f64 {
        self.value_of(self.id, attribute)
    }

    fn value_of(&self, id: ControllerId, attribute: &str) -> f64 {
        self.sim.current(id, self.sim.catalog().attribute(attribute).unwrap()).unwrap()
    }

    /// Visible tiles: cells that are not about to be despawned. No two of them have the same position.
    fn board(&self) -> Board {
        let pending = self.sim.catalog().tag("Status.PendingDestroy").unwrap();
        let mut board = Board::default();
        for cell in self.sim.summons_of(self.id).filter(|cell| !self.sim.has_tag(*cell, pending)) {
            let at = |attribute| self.value_of(cell, attribute) as usize;
            let place = &mut board[at("GridY")][at("GridX")];
            assert_eq!(*place, 0, "two tiles at one place");
            *place = at("CellValue") as u32;
        }
        board
    }

    /// Board as its own scan attributes show it.
    fn scanned(&self) -> Board {
        let mut board = Board::default();
        for (y, x) in places() {
            board[y][x] = self.value(&format!("Cell{}{}", y + 1, x + 1)) as u32;
        }
        board
    }

    fn has(&self, tag: &str) -> bool {
        self.sim.has_tag(self.id, self.sim.catalog().tag(tag).unwrap())
    }

    fn press(&mut self, direction: &str) {
        self.sim.press(self.id, format!("Move.{direction}")).unwrap();
        self.sim.release(self.id, format!("Move.{direction}")).unwrap();
    }
}

fn places() -> impl Iterator<Item = (usize, usize)> {
    (0..4).flat_map(|y| (0..4).map(move |x| (y, x)))
}

fn boards() -> impl Strategy<Value = Board> {
    // Few values, so that many neighbours are equal; a third of the cells is empty.
    let tile = prop_oneof![4 => Just(0), 3 => Just(2), 3 => Just(4), 1 => Just(8), 1 => Just(1024)];
    proptest::array::uniform4(proptest::array::uniform4(tile))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// A move gives the board and points of the model at once. Only if it changed the board, a tile is added,
    /// and the game is won or lost as in the model.
    #[test]
    fn moves_are_those_of_the_model(board in boards(), direction in 0..4_usize, seed in 0..1000_u64) {
        let direction = DIRECTIONS[direction];
        let mut played = Played::new(board, seed);
        let (expected, points) = moved(board, direction);
        played.press(direction);
        prop_assert_eq!(played.board(), expected);
        prop_assert_eq!(played.value("Score"), f64::from(points));
        let changed = expected != board;
        prop_assert_eq!(played.value("Moves"), if changed { 1.0 } else { 0.0 });

        played.sim.advance(Span::millis(200));
        let after = played.board();
        let new: Vec<_> = places().filter(|&(y, x)| after[y][x] != expected[y][x]).collect();
        prop_assert_eq!(new.len(), usize::from(changed));
        for &(y, x) in &new {
            prop_assert!(expected[y][x] == 0 && [2, 4].contains(&after[y][x]));
        }
        // One controller for each tile, and the board: no cell is left over.
        let tiles = after.iter().flatten().filter(|tile| **tile > 0).count();
        prop_assert_eq!(played.sim.controllers().count(), 1 + tiles);
        prop_assert_eq!(played.scanned(), after);
        let best = after.iter().flatten().max().copied().unwrap_or(0);
        prop_assert_eq!(played.has("Game.Won"), changed && best >= 2048);
        prop_assert_eq!(played.has("Game.Lost"), changed && is_stuck(after));
    }

    /// A whole game, sometimes with early inputs, is the same in one step or in many (V4).
    #[test]
    fn a_game_is_the_same_in_any_steps(
        keys in proptest::collection::vec((0..4_usize, 1..300_i64), 1..40),
        seed in 0..1000_u64,
    ) {
        let first = [[0, 2, 0, 0], [0; 4], [0, 0, 4, 0], [0; 4]];
        let (mut whole, mut pieces) = (Played::new(first, seed), Played::new(first, seed));
        for (direction, pause) in keys {
            whole.press(DIRECTIONS[direction]);
            pieces.press(DIRECTIONS[direction]);
            whole.sim.advance(Span::millis(pause));
            for _ in 0..pause {
                pieces.sim.advance(Span::millis(1));
            }
        }
        prop_assert_eq!(whole.board(), pieces.board());
        prop_assert_eq!(whole.sim.state_hash(), pieces.sim.state_hash());
        let of = |played: &mut Played| played.sim.events().collect::<Vec<_>>();
        prop_assert_eq!(of(&mut whole), of(&mut pieces));
    }
}

/// The first tile of 1000 games: each of the 16 cells is as likely as the others, and one in ten is a 4.
#[test]
fn new_tiles_are_fair() {
    let (mut counts, mut fours) = ([[0_u32; 4]; 4], 0);
    for seed in 0..1000 {
        let mut played = Played::new(Board::default(), seed);
        played.sim.press(played.id, "Game.New").unwrap();
        let cells: Vec<_> = played.sim.summons_of(played.id).collect();
        assert_eq!(cells.len(), 2);
        let at = |attribute| played.value_of(cells[0], attribute) as usize;
        counts[at("GridY")][at("GridX")] += 1;
        fours += u32::from(at("CellValue") == 4);
    }
    // 1000 / 16 = 62.5 with a deviation of 7.7, 100 with one of 9.5: more than four of them apart would be
    // unfair.
    assert!(counts.iter().flatten().all(|count| (31..=94).contains(count)), "{counts:?}");
    assert!((62..=138).contains(&fours), "{fours}");
}
