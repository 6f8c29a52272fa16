//! A game without a terminal: plays keys given as letters, and prints the final board.

use std::fmt::Write;

use serde_json::{Value, json};
use ugas_core::number::short;
use ugas_core::time::Span;

use super::game::{Game, GameView, Key};

/// Parses keys from letters; white space is ignored.
///
/// # Errors
/// The first unknown letter.
pub(crate) fn parse(keys: &str) -> Result<Vec<Key>, String> {
    let letters = (1..).zip(keys.chars()).filter(|(_, letter): &(usize, char)| !letter.is_whitespace());
    letters
        .map(|(at, letter)| {
            key(letter).ok_or_else(|| {
                format!("unknown key `{letter}` at {at}; use L R U D to move, Z to undo, N for a new game")
            })
        })
        .collect()
}

/// Presses the keys one after the other, and finishes the last turn.
pub(crate) fn play(game: &mut Game, keys: &[Key], pace: Span) -> anyhow::Result<()> {
    for key in keys {
        game.press(*key)?;
        game.advance(pace)?;
    }
    // Longer than a turn and another one from the input buffer.
    game.advance(Span::millis(500))
}

/// The final board as text.
pub(crate) fn text(view: &GameView) -> String {
    let mut text = String::new();
    for row in &view.board {
        for value in row {
            let value = if *value > 0.0 { short(*value) } else { ".".to_owned() };
            let _ = write!(text, "{value:>7}");
        }
        text.push('\n');
    }
    let _ = write!(text, "score {}, moves {}", short(view.score), short(view.moves));
    for (is, word) in [(view.won, "won"), (view.lost, "lost")] {
        if is {
            let _ = write!(text, ", {word}");
        }
    }
    text.push('\n');
    text
}

/// The final board as JSON.
pub(crate) fn json(name: &str, seed: u64, game: &Game) -> Value {
    let GameView { board, score, moves, best_tile, won, lost, undoable } = game.view();
    // Tiles and points are whole numbers.
    let whole = |value: f64| value as u64;
    json!({
        "game": name,
        "seed": seed,
        "board": board.map(|row| row.map(whole)),
        "score": whole(score),
        "moves": whole(moves),
        "best": whole(best_tile),
        "won": won,
        "lost": lost,
        "undoable": undoable,
        "hash": format!("{:016x}", game.hash()),
    })
}

/// Key of a letter or an arrow; `None` if it is none.
fn key(letter: char) -> Option<Key> {
    Some(match letter.to_ascii_uppercase() {
        'L' | '←' => Key::Left,
        'R' | '→' => Key::Right,
        'U' | '↑' => Key::Up,
        'D' | '↓' => Key::Down,
        'Z' => Key::Undo,
        'N' => Key::NewGame,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_keys() {
        use Key::{Down, Left, NewGame, Right, Undo, Up};
        assert_eq!(parse("LR ud\nZn"), Ok(vec![Left, Right, Up, Down, Undo, NewGame]));
        assert_eq!(parse("←→↑↓"), Ok(vec![Left, Right, Up, Down]));
        assert_eq!(parse(""), Ok(Vec::new()));
        let message = "unknown key `x` at 4; use L R U D to move, Z to undo, N for a new game";
        assert_eq!(parse("LL x"), Err(message.to_owned()));
    }

    #[test]
    fn board_is_printed_as_text() {
        let view = GameView {
            board: [[0.0, 2.0, 0.0, 0.0], [0.0; 4], [0.0; 4], [131_072.0, 4.0, 0.0, 2048.0]],
            score: 20.0,
            moves: 3.0,
            won: true,
            ..GameView::default()
        };
        let expected = "      .      2      .      .
      .      .      .      .
      .      .      .      .
 131072      4      .   2048
score 20, moves 3, won
";
        assert_eq!(text(&view), expected);
    }
}
