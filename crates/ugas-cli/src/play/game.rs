//! A running game of 2048.
//!
//! The rules are the pack's: this presses inputs, lets time pass, and reads attributes and tags. The one thing that the
//! pack asks for is undo, by a host task, because the host is who has the audit trail (§15.4).

use std::sync::Arc;

use anyhow::Context;
use ugas_core::catalog::Catalog;
use ugas_core::effect::EffectContext;
use ugas_core::event::{Event, EventKind};
use ugas_core::handle::{ControllerId, TaskId};
use ugas_core::id::{AttributeId, EffectId, TagId};
use ugas_core::simulation::{Config, Simulation, Stacks};
use ugas_core::task::TaskOutcome;
use ugas_core::time::Span;
use ugas_data::Loader;

use super::history::{History, Step, Turn, TurnAbilities};

/// The files of the pack by name.
const PACK: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/puzzle2048.rs"));

/// The host task by which the pack asks for the latest turn to be taken back.
const RESTORE_TURN: &str = "RestoreTurn";

/// How long a new game takes to begin.
const DEAL: Span = Span::millis(250);

/// What a player can ask for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Key {
    Left,
    Right,
    Up,
    Down,
    Undo,
    NewGame,
}

impl Key {
    /// The pack's name for it.
    fn input(self) -> &'static str {
        match self {
            Self::Left => "Move.Left",
            Self::Right => "Move.Right",
            Self::Up => "Move.Up",
            Self::Down => "Move.Down",
            Self::Undo => "Game.Undo",
            Self::NewGame => "Game.New",
        }
    }
}

/// What there is to see.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct View {
    /// Rows from the top, cells from the left; 0 is empty.
    pub(crate) board: [[f64; 4]; 4],
    pub(crate) score: f64,
    pub(crate) moves: f64,
    pub(crate) best_tile: f64,
    pub(crate) won: bool,
    pub(crate) lost: bool,
    /// How many turns can be taken back.
    pub(crate) undoable: usize,
}

/// A game.
pub(crate) struct Game {
    simulation: Simulation,
    board: ControllerId,
    names: Names,
    history: History,
}

/// What of the pack is looked at.
struct Names {
    cells: [[AttributeId; 4]; 4],
    score: AttributeId,
    moves: AttributeId,
    best_tile: AttributeId,
    won: TagId,
    lost: TagId,
    restore: EffectId,
    /// The values that the restoring effect writes, with the tags by which it is told them.
    restored: Vec<(AttributeId, TagId)>,
}

impl Game {
    /// A new game; the same seed and the same keys at the same times give the same game.
    pub(crate) fn new(seed: u64) -> anyhow::Result<Self> {
        let catalog = catalog()?;
        let names = Names::of(&catalog).context("the pack lacks something")?;
        let turn = catalog.tag("Ability.Move")?;
        let history = History::new(TurnAbilities { turn, new_game: catalog.ability("GA_NewGame")? });
        let mut simulation = Simulation::new(catalog, Config { audit: true, ..Config::seeded(seed) });
        let board = simulation.spawn("Board")?;
        let mut game = Self { simulation, board, names, history };
        game.press(Key::NewGame)?;
        game.advance(DEAL)?;
        Ok(game)
    }

    /// Presses and releases a key.
    pub(crate) fn press(&mut self, key: Key) -> anyhow::Result<()> {
        self.simulation.press(self.board, key.input())?;
        self.simulation.release(self.board, key.input())?;
        self.follow()
    }

    /// Lets time pass.
    pub(crate) fn advance(&mut self, span: Span) -> anyhow::Result<()> {
        self.simulation.advance(span);
        self.follow()
    }

    /// How the game stands.
    pub(crate) fn view(&self) -> View {
        let value = |attribute| self.simulation.current(self.board, attribute).unwrap_or_default();
        let has = |tag| self.simulation.has_tag(self.board, tag);
        View {
            board: self.names.cells.map(|row| row.map(value)),
            score: value(self.names.score),
            moves: value(self.names.moves),
            best_tile: value(self.names.best_tile),
            won: has(self.names.won),
            lost: has(self.names.lost),
            undoable: self.history.len(),
        }
    }

    /// The hash of everything.
    pub(crate) fn hash(&self) -> u64 {
        self.simulation.state_hash()
    }

    /// Writes down what happened, and does what the pack asks for.
    fn follow(&mut self) -> anyhow::Result<()> {
        loop {
            let events: Vec<Event> = self.simulation.events().collect();
            if events.is_empty() {
                return Ok(());
            }
            for event in &events {
                self.history.record(&self.simulation, event);
                match &event.kind {
                    EventKind::HostTaskRequested { task, kind, .. } if &**kind == RESTORE_TURN => {
                        self.restore_turn(*task)?;
                    }
                    _ => {}
                }
            }
        }
    }

    /// Takes back the latest turn; without one the ability that asks is cancelled.
    fn restore_turn(&mut self, task: TaskId) -> anyhow::Result<()> {
        let outcome = match self.history.pop() {
            Some(turn) => {
                self.take_back(turn)?;
                TaskOutcome::Completed
            }
            None => TaskOutcome::Failed,
        };
        self.simulation.complete_task(task, outcome);
        Ok(())
    }

    /// Goes through a turn backwards: what was written is written back by an instant effect, and what became active is
    /// removed.
    fn take_back(&mut self, turn: Turn) -> anyhow::Result<()> {
        for step in turn.into_iter().rev() {
            match step {
                Step::Wrote(values) if values.is_empty() => {}
                Step::Wrote(values) => self.write_back(&values)?,
                Step::Began(active) => {
                    // One that has ended by itself needs no removal.
                    let _ = self.simulation.remove(active, Stacks::All);
                }
            }
        }
        Ok(())
    }

    fn write_back(&mut self, values: &[(AttributeId, f64)]) -> anyhow::Result<()> {
        let mut spec = self.simulation.spec(self.names.restore, 1.0, EffectContext::of(self.board))?;
        for &(attribute, tag) in &self.names.restored {
            let recorded = values.iter().find(|(id, _)| *id == attribute).map(|&(_, base)| base);
            // What the effect did not write stays.
            let base = recorded.or_else(|| self.simulation.base(self.board, attribute));
            spec.set_magnitude(tag, base.unwrap_or_default());
        }
        self.simulation.apply(&spec, self.board)?;
        Ok(())
    }
}

impl Names {
    fn of(catalog: &Catalog) -> anyhow::Result<Self> {
        let mut cells = [[AttributeId::from_index(0); 4]; 4];
        for (y, row) in (1..).zip(&mut cells) {
            for (x, cell) in (1..).zip(row) {
                *cell = catalog.attribute(&format!("Cell{y}{x}"))?;
            }
        }
        let restore = catalog.effect("GE_RestoreBoard")?;
        let effect = catalog.effect_by_id(restore).context("an effect has a definition")?;
        let restored = effect.modified_attributes().map(|attribute| {
            let tag = format!("Restore.{}", catalog.attribute_name(attribute));
            Ok((attribute, catalog.tag(&tag)?))
        });
        Ok(Self {
            cells,
            score: catalog.attribute("Score")?,
            moves: catalog.attribute("Moves")?,
            best_tile: catalog.attribute("BestTile")?,
            won: catalog.tag("Game.Won")?,
            lost: catalog.tag("Game.Lost")?,
            restore,
            restored: restored.collect::<anyhow::Result<_>>()?,
        })
    }
}

/// The pack that the binary carries.
fn catalog() -> anyhow::Result<Arc<Catalog>> {
    let definitions = PACK.iter().filter(|(name, _)| !name.starts_with("scenarios/"));
    let files = definitions.fold(Loader::new(), |loader, (name, text)| loader.text(*name, *text));
    Ok(files.as_set().load().context("the pack that the binary carries does not load")?.catalog)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOVES: [Key; 4] = [Key::Left, Key::Up, Key::Right, Key::Down];

    /// A game with this board instead of the first two tiles.
    fn with_board(board: [[f64; 4]; 4]) -> Game {
        let mut game = Game::new(3).unwrap();
        let cells = game.names.cells.into_iter().flatten();
        let values: Vec<_> = cells.zip(board.into_iter().flatten()).collect();
        game.write_back(&values).unwrap();
        game.follow().unwrap();
        game
    }

    fn turn(game: &mut Game, key: Key) {
        game.press(key).unwrap();
        game.advance(Span::millis(250)).unwrap();
    }

    #[test]
    fn a_new_game_has_two_tiles() {
        let view = Game::new(7).unwrap().view();
        let tiles: Vec<f64> = view.board.into_iter().flatten().filter(|value| *value > 0.0).collect();
        assert_eq!(tiles.len(), 2);
        assert!(tiles.iter().all(|tile| [2.0, 4.0].contains(tile)), "{tiles:?}");
        assert_eq!((view.score, view.moves, view.undoable), (0.0, 0.0, 0));
    }

    /// Plays at random, and takes everything back: each turn gives exactly the picture from before it.
    #[test]
    fn undo_goes_back_to_the_beginning() {
        for seed in 0..8 {
            let mut game = Game::new(seed).unwrap();
            let mut pictures = vec![game.view()];
            for at in 0..60 {
                turn(&mut game, MOVES[(at * 7 + at / 3 + seed as usize) % 4]);
                let picture = game.view();
                if picture.moves > pictures.last().unwrap().moves {
                    pictures.push(picture);
                }
            }
            assert!(pictures.len() > 20, "{}", pictures.len());
            while let Some(picture) = pictures.pop() {
                assert_eq!(game.view(), picture);
                turn(&mut game, Key::Undo);
            }
            // There is nothing left to take back, and the game goes on.
            let first = game.view();
            turn(&mut game, Key::Undo);
            assert_eq!(game.view(), first);
            assert_eq!((first.moves, first.undoable), (0.0, 0));
            turn(&mut game, Key::Left);
            turn(&mut game, Key::Down);
            assert!(game.view().moves > 0.0);
        }
    }

    #[test]
    fn undo_takes_back_a_win() {
        let mut game = with_board([[1024.0, 1024.0, 0.0, 0.0], [0.0; 4], [0.0; 4], [2.0, 0.0, 0.0, 0.0]]);
        let before = game.view();
        turn(&mut game, Key::Left);
        let won = game.view();
        assert!(won.won && !won.lost);
        assert_eq!((won.board[0][0], won.score), (2048.0, 2048.0));
        turn(&mut game, Key::Down);
        assert!(game.view().won, "it stays won");
        turn(&mut game, Key::Undo);
        assert_eq!(game.view(), won);
        turn(&mut game, Key::Undo);
        assert_eq!(game.view(), before);
    }

    #[test]
    fn undo_takes_back_a_loss() {
        // The last row slides to 16 8 32, and the new tile has no equal beside it.
        let mut game = with_board([
            [8.0, 16.0, 8.0, 16.0],
            [16.0, 8.0, 16.0, 8.0],
            [8.0, 16.0, 8.0, 16.0],
            [0.0, 16.0, 8.0, 32.0],
        ]);
        let before = game.view();
        turn(&mut game, Key::Left);
        let lost = game.view();
        assert!(lost.lost && !lost.won);
        for key in MOVES {
            turn(&mut game, key);
            assert_eq!(game.view(), lost, "nothing moves in a lost game");
        }
        game.advance(Span::seconds(1.0)).unwrap();
        turn(&mut game, Key::Undo);
        assert_eq!(game.view(), before);
    }

    #[test]
    fn a_quick_key_is_kept_and_can_be_taken_back() {
        let mut game = with_board([[0.0; 4], [0.0; 4], [0.0; 4], [0.0, 2.0, 0.0, 0.0]]);
        let before = game.view();
        game.press(Key::Left).unwrap();
        game.press(Key::Up).unwrap();
        assert_eq!(game.view().moves, 1.0);
        game.advance(Span::seconds(1.0)).unwrap();
        assert_eq!((game.view().moves, game.view().undoable), (2.0, 2));
        turn(&mut game, Key::Undo);
        turn(&mut game, Key::Undo);
        assert_eq!(game.view(), before);
    }

    #[test]
    fn a_new_game_has_nothing_to_take_back() {
        let mut game = Game::new(1).unwrap();
        for key in MOVES {
            turn(&mut game, key);
        }
        assert!(game.view().undoable > 0);
        // In the middle of a move.
        game.press(Key::Left).unwrap();
        game.press(Key::Right).unwrap();
        turn(&mut game, Key::NewGame);
        let view = game.view();
        assert_eq!((view.score, view.undoable), (0.0, 0));
        turn(&mut game, Key::Undo);
        assert_eq!(game.view(), view);
    }

    /// V4: how time is cut into pieces changes nothing.
    #[test]
    fn small_steps_give_the_same_game() {
        let (mut whole, mut pieces) = (Game::new(5).unwrap(), Game::new(5).unwrap());
        for at in 0..40 {
            let key = [Key::Left, Key::Down, Key::Undo, Key::Up, Key::Right][at % 5];
            for game in [&mut whole, &mut pieces] {
                game.press(key).unwrap();
            }
            whole.advance(Span::millis(130)).unwrap();
            for _ in 0..13 {
                pieces.advance(Span::millis(10)).unwrap();
            }
            assert_eq!(whole.view(), pieces.view(), "after {at}");
        }
        for game in [&mut whole, &mut pieces] {
            game.advance(Span::seconds(1.0)).unwrap();
        }
        assert_eq!(whole.view(), pieces.view());
    }
}
