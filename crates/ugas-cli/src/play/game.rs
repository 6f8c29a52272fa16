//! A running game of 2048.
//!
//! The rules are the pack's: the host presses inputs, advances time, and reads attributes and tags of the
//! board and its cells, which are controllers that the board spawned (§15.4). The pack only requests undo
//! from the host, by a host task, because the host has the audit trail.

use std::sync::Arc;

use anyhow::Context;
use ugas_core::ability::GameplayEvent;
use ugas_core::catalog::Catalog;
use ugas_core::effect::EffectContext;
use ugas_core::event::{Event, EventKind};
use ugas_core::handle::{ControllerId, TaskId};
use ugas_core::id::{AttributeId, EffectId, TagId};
use ugas_core::simulation::{Config, Simulation, Stacks};
use ugas_core::targeting::Placement;
use ugas_core::task::TaskOutcome;
use ugas_core::time::Span;
use ugas_data::Loader;

use super::history::{History, Step, Turn, TurnAbilities, Values};

/// The files of the pack by name.
const PACK: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/puzzle2048.rs"));

/// The host task by which the pack requests to undo the latest turn.
const RESTORE_TURN: &str = "RestoreTurn";

/// Time until a new game has its first tiles.
const DEAL_TIME: Span = Span::millis(250);

/// An input of the player.
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
    /// The input's name in the pack.
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

/// The visible state of a game.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct GameView {
    /// Rows from the top, cells from the left; 0 is empty.
    pub(crate) board: [[f64; 4]; 4],
    pub(crate) score: f64,
    pub(crate) moves: f64,
    pub(crate) best_tile: f64,
    pub(crate) won: bool,
    pub(crate) lost: bool,
    /// Number of turns that can be undone.
    pub(crate) undoable: usize,
}

/// A game.
pub(crate) struct Game {
    simulation: Simulation,
    board: ControllerId,
    names: Names,
    history: History,
}

/// Ids of the pack's definitions that the host needs.
struct Names {
    value: AttributeId,
    column: AttributeId,
    row: AttributeId,
    score: AttributeId,
    moves: AttributeId,
    won: TagId,
    lost: TagId,
    /// Marks cells that are about to be despawned.
    pending: TagId,
    /// The effect that grants that mark.
    destroy: EffectId,
    /// The event that spawns cells.
    place: TagId,
    restore_cell: Restoration,
    restore_board: Restoration,
}

/// An effect that restores values.
struct Restoration {
    effect: EffectId,
    /// The attributes that it writes, with the `SetByCaller` tags of their values.
    attributes: Vec<(AttributeId, TagId)>,
}

impl Game {
    /// A new game; the same seed with the same keys at the same times gives the same game.
    pub(crate) fn new(seed: u64) -> anyhow::Result<Self> {
        let catalog = catalog()?;
        let names = Names::of(&catalog).context("the pack lacks something")?;
        let history = History::new(TurnAbilities {
            turn: catalog.tag("Ability.Move")?,
            new_game: catalog.ability("GA_NewGame")?,
            counted: catalog.effect("GE_Turn")?,
        });
        let mut simulation = Simulation::new(catalog, Config { audit: true, ..Config::seeded(seed) });
        let board = simulation.spawn("Board")?;
        // Abilities of the board find cells by their distance.
        simulation.set_placement(board, Some(Placement::default()))?;
        let mut game = Self { simulation, board, names, history };
        game.press(Key::NewGame)?;
        game.advance(DEAL_TIME)?;
        Ok(game)
    }

    /// Presses and releases a key, and handles the events: summoned cells, and turns for undo.
    pub(crate) fn press(&mut self, key: Key) -> anyhow::Result<()> {
        self.simulation.press(self.board, key.input())?;
        self.simulation.release(self.board, key.input())?;
        self.handle_events()
    }

    /// Advances time, and handles the events that this leads to.
    pub(crate) fn advance(&mut self, span: Span) -> anyhow::Result<()> {
        self.simulation.advance(span);
        self.handle_events()
    }

    /// The visible state: the board from the cells' positions, score, and whether the game is over.
    pub(crate) fn view(&self) -> GameView {
        let value = |id, attribute| self.simulation.current(id, attribute).unwrap_or_default();
        let has = |tag| self.simulation.has_tag(self.board, tag);
        let mut board = [[0.0; 4]; 4];
        for cell in self.cells() {
            // Positions are whole numbers from 0 to 3, by the bounds of their attributes.
            let place = |attribute| value(cell, attribute) as usize;
            board[place(self.names.row)][place(self.names.column)] = value(cell, self.names.value);
        }
        GameView {
            board,
            score: value(self.board, self.names.score),
            moves: value(self.board, self.names.moves),
            best_tile: board.into_iter().flatten().fold(0.0, f64::max),
            won: has(self.names.won),
            lost: has(self.names.lost),
            undoable: self.history.len(),
        }
    }

    /// The cells on the board, without those that were merged.
    fn cells(&self) -> impl Iterator<Item = ControllerId> + '_ {
        let stays = |id: &ControllerId| !self.simulation.has_tag(*id, self.names.pending);
        self.simulation.summons_of(self.board).filter(stays)
    }

    /// The state hash, by which runs with the same seed and keys are compared.
    pub(crate) fn hash(&self) -> u64 {
        self.simulation.state_hash()
    }

    /// Records events, and carries out host tasks of the pack.
    fn handle_events(&mut self) -> anyhow::Result<()> {
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

    /// Undoes the latest turn; if there is none, the requesting ability is cancelled.
    fn restore_turn(&mut self, task: TaskId) -> anyhow::Result<()> {
        let outcome = match self.history.pop() {
            Some(turn) => {
                self.undo_turn(turn)?;
                TaskOutcome::Completed
            }
            None => TaskOutcome::Failed,
        };
        self.simulation.complete_task(task, outcome);
        Ok(())
    }

    /// Undoes the steps of a turn in reverse: values are restored by an instant effect, effects that became
    /// active are removed, spawned cells are marked for destruction, and despawned ones are spawned again.
    fn undo_turn(&mut self, turn: Turn) -> anyhow::Result<()> {
        let mut renamed: Vec<(ControllerId, ControllerId)> = Vec::new();
        for step in turn.into_iter().rev() {
            match step {
                Step::Wrote(id, values) => {
                    let new = renamed.iter().find(|(old, _)| *old == id).map(|&(_, new)| new);
                    self.write_back(new.unwrap_or(id), &values)?;
                }
                Step::Began(active) => {
                    // The effect may have ended already.
                    let _ = self.simulation.remove(active, Stacks::All);
                }
                Step::Spawned(id) => {
                    self.simulation.apply_effect(self.names.destroy, Some(self.board), id)?;
                }
                Step::Despawned(old, values) => {
                    let new = self.spawn_cells(1)?;
                    let cell = *new.first().context("the pack did not spawn a cell")?;
                    self.write_back(cell, &values)?;
                    renamed.push((old, cell));
                    self.history.rename(old, cell);
                }
            }
        }
        Ok(())
    }

    /// Makes the board spawn cells, which have neither value nor position yet.
    fn spawn_cells(&mut self, count: u8) -> anyhow::Result<Vec<ControllerId>> {
        let before = self.simulation.summons_of(self.board).count();
        let event = GameplayEvent { magnitude: f64::from(count), ..GameplayEvent::new(self.names.place) };
        self.simulation.send_event(self.board, event)?;
        Ok(self.simulation.summons_of(self.board).skip(before).collect())
    }

    /// Sets recorded base values on a controller by a restoring effect, for undo. Attributes that were not
    /// recorded keep theirs.
    fn write_back(&mut self, target: ControllerId, values: &Values) -> anyhow::Result<()> {
        let names = &self.names;
        let restoration = if target == self.board { &names.restore_board } else { &names.restore_cell };
        let recorded = |attribute| values.iter().find(|(id, _)| *id == attribute).map(|&(_, base)| base);
        if restoration.attributes.iter().all(|(attribute, _)| recorded(*attribute).is_none()) {
            return Ok(());
        }
        let mut spec = self.simulation.spec(restoration.effect, 1.0, EffectContext::of(self.board))?;
        for &(attribute, tag) in &restoration.attributes {
            // Attributes that were not recorded keep their values.
            let base = recorded(attribute).or_else(|| self.simulation.base(target, attribute));
            spec.set_magnitude(tag, base.unwrap_or_default());
        }
        self.simulation.apply(&spec, target)?;
        Ok(())
    }
}

impl Names {
    /// Ids of the pack's names; an error if it lacks one.
    fn of(catalog: &Catalog) -> anyhow::Result<Self> {
        Ok(Self {
            value: catalog.attribute("CellValue")?,
            column: catalog.attribute("GridX")?,
            row: catalog.attribute("GridY")?,
            score: catalog.attribute("Score")?,
            moves: catalog.attribute("Moves")?,
            won: catalog.tag("Game.Won")?,
            lost: catalog.tag("Game.Lost")?,
            pending: catalog.tag("Status.PendingDestroy")?,
            destroy: catalog.effect("GE_PendingDestroy")?,
            place: catalog.tag("Event.Cell.Place")?,
            restore_cell: Restoration::of(catalog, "GE_RestoreValues")?,
            restore_board: Restoration::of(catalog, "GE_RestoreBoard")?,
        })
    }
}

impl Restoration {
    /// The effect of this name; the value of `X` has the `SetByCaller` tag `Restore.X`.
    fn of(catalog: &Catalog, name: &str) -> anyhow::Result<Self> {
        let effect = catalog.effect(name)?;
        let definition = catalog.effect_by_id(effect).context("an effect has a definition")?;
        let attributes = definition.modified_attributes().map(|attribute| {
            let tag = format!("Restore.{}", catalog.attribute_name(attribute));
            Ok((attribute, catalog.tag(&tag)?))
        });
        Ok(Self { effect, attributes: attributes.collect::<anyhow::Result<_>>()? })
    }
}

/// The pack that is built into the binary.
fn catalog() -> anyhow::Result<Arc<Catalog>> {
    let definitions = PACK.iter().filter(|(name, _)| !name.starts_with("scenarios/"));
    let files = definitions.fold(Loader::new(), |loader, (name, text)| loader.text(*name, *text));
    Ok(files.as_set().load().context("the built-in pack cannot be loaded")?.catalog)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOVES: [Key; 4] = [Key::Left, Key::Up, Key::Right, Key::Down];

    /// A game with this board instead of the first two tiles.
    fn with_board(board: [[f64; 4]; 4]) -> Game {
        let mut game = Game::new(3).unwrap();
        for cell in game.cells().collect::<Vec<_>>() {
            game.simulation.despawn(cell).unwrap();
        }
        for (y, row) in (0..).zip(board) {
            for (x, value) in (0..).zip(row).filter(|(_, value)| *value > 0.0) {
                let cell = game.spawn_cells(1).unwrap()[0];
                let names = &game.names;
                let values =
                    vec![(names.value, value), (names.column, f64::from(x)), (names.row, f64::from(y))];
                game.write_back(cell, &values).unwrap();
            }
        }
        game.handle_events().unwrap();
        assert_eq!(game.view().board, board);
        game
    }

    /// Number of visible tiles.
    fn tiles(game: &Game) -> usize {
        game.view().board.into_iter().flatten().filter(|value| *value > 0.0).count()
    }

    /// The board and one controller for each tile: no cell is left behind.
    fn assert_no_leak(game: &Game) {
        assert_eq!(game.simulation.controllers().count(), 1 + tiles(game));
        assert_eq!(game.simulation.summons_of(game.board).count(), tiles(game));
    }

    fn turn(game: &mut Game, key: Key) {
        game.press(key).unwrap();
        game.advance(Span::millis(250)).unwrap();
        assert_no_leak(game);
    }

    #[test]
    fn new_game_has_two_tiles() {
        let view = Game::new(7).unwrap().view();
        let tiles: Vec<f64> = view.board.into_iter().flatten().filter(|value| *value > 0.0).collect();
        assert_eq!(tiles.len(), 2);
        assert!(tiles.iter().all(|tile| [2.0, 4.0].contains(tile)), "{tiles:?}");
        assert_eq!((view.score, view.moves, view.undoable), (0.0, 0.0, 0));
    }

    /// Plays at random, and undoes every turn: each undo gives exactly the view from before the turn.
    #[test]
    fn undo_returns_to_the_beginning() {
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
            // There is nothing left to undo, and the game continues.
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
    fn undo_reverts_a_win() {
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
    fn undo_reverts_a_loss() {
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
    fn early_key_is_buffered_and_can_be_undone() {
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
    fn new_game_has_nothing_to_undo() {
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

    /// V4: the size of time steps changes nothing.
    #[test]
    fn small_time_steps_give_the_same_game() {
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
