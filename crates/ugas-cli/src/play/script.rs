//! A game without a terminal: keys as letters in, the final board out.

use std::fmt::Write;

use serde_json::{Value, json};
use ugas_core::time::Span;

use super::game::{Game, Key, View};
use crate::output::short;

/// The keys that letters stand for. Space between them is for the eye.
///
/// # Errors
/// The first letter that stands for none.
pub(crate) fn parse(keys: &str) -> Result<Vec<Key>, String> {
    let letters = (1..).zip(keys.chars()).filter(|(_, letter): &(usize, char)| !letter.is_whitespace());
    letters
        .map(|(at, letter)| {
            key(letter).ok_or_else(|| {
                format!("`{letter}` at {at} is no key; there is L R U D to move, Z to undo, N for a new game")
            })
        })
        .collect()
}

/// Presses the keys one after the other, and lets the last turn come to its end.
pub(crate) fn play(game: &mut Game, keys: &[Key], pace: Span) -> anyhow::Result<()> {
    for key in keys {
        game.press(*key)?;
        game.advance(pace)?;
    }
    // Longer than a turn and one more that was kept in the buffer.
    game.advance(Span::millis(500))
}

/// The final board for people.
pub(crate) fn text(view: &View) -> String {
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

/// The final board for tools.
pub(crate) fn json(name: &str, seed: u64, game: &Game) -> Value {
    let View { board, score, moves, best_tile, won, lost, undoable } = game.view();
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
        let message = "`x` at 4 is no key; there is L R U D to move, Z to undo, N for a new game";
        assert_eq!(parse("LL x"), Err(message.to_owned()));
    }

    #[test]
    fn a_board_is_readable() {
        let view = View {
            board: [[0.0, 2.0, 0.0, 0.0], [0.0; 4], [0.0; 4], [131_072.0, 4.0, 0.0, 2048.0]],
            score: 20.0,
            moves: 3.0,
            won: true,
            ..View::default()
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
