//! `ugas play` with scripted keys.

use serde_json::Value;

use super::{keys, ugas};

/// The cells of a game, row by row.
fn board(game: &Value) -> Vec<f64> {
    let rows = game["board"].as_array().unwrap().iter();
    rows.flat_map(|row| row.as_array().unwrap()).map(|cell| cell.as_f64().unwrap()).collect()
}

fn play(letters: &str, seed: &str) -> Value {
    let answer = ugas(["play", "2048", "--seed", seed, "--keys", letters, "--format", "json"]);
    assert_eq!((answer.status, answer.stderr.as_str()), (0, ""));
    answer.json()
}

#[test]
fn same_keys_give_the_same_game() {
    let letters = "LURD LURD LLRR UUDD";
    let game = play(letters, "7");
    assert_eq!(
        keys(&game),
        ["best", "board", "game", "hash", "lost", "moves", "score", "seed", "undoable", "won"]
    );
    assert_eq!(game, play(letters, "7"));
    assert_ne!(board(&game), board(&play(letters, "8")));
    // White space is ignored.
    assert_eq!(game["hash"], play("LURDLURDLLRRUUDD", "7")["hash"]);
}

/// Two tiles at the start and one more per move; merging keeps the sum.
#[test]
fn sum_of_tiles_is_kept() {
    for seed in ["1", "2", "3"] {
        let game = play("LURDLURDLURDLURDLURD", seed);
        let board = board(&game);
        assert!(board.iter().all(|tile| *tile == 0.0 || (*tile as u64).is_power_of_two()), "{board:?}");
        let (sum, moves) = (board.iter().sum::<f64>(), game["moves"].as_f64().unwrap());
        assert!(moves > 0.0 && moves <= 20.0);
        assert!((2.0 * (moves + 2.0)..=4.0 * (moves + 2.0)).contains(&sum), "{board:?}");
        assert_eq!(game["undoable"].as_f64(), Some(moves));
        let best = board.iter().copied().fold(0.0, f64::max);
        assert_eq!(game["best"].as_f64(), Some(best));
    }
}

#[test]
fn undo_returns_to_the_first_board() {
    let first = play("", "4");
    let undone = play("LURDLURDZZZZZZZZZZ", "4");
    assert_eq!(board(&first).iter().filter(|tile| **tile > 0.0).count(), 2);
    assert_eq!(board(&first), board(&undone));
    assert_eq!((undone["score"].as_f64(), undone["moves"].as_f64()), (Some(0.0), Some(0.0)));
    // As if the undone keys had never been pressed.
    let (one, other) = (play("LU", "4"), play("LURDZZ", "4"));
    assert_eq!(board(&one), board(&other));
    assert_eq!(one["score"], other["score"]);
}

#[test]
fn lost_game_stays_lost_until_undone() {
    let keys = "LURD".repeat(400);
    let lost = play(&keys, "1");
    assert_eq!((lost["lost"].as_bool(), board(&lost).contains(&0.0)), (Some(true), false));
    let undone = play(&format!("{keys}Z"), "1");
    assert_eq!(undone["lost"].as_bool(), Some(false));
    assert_eq!(undone["moves"].as_f64().unwrap() + 1.0, lost["moves"].as_f64().unwrap());
}

#[test]
fn early_keys_are_buffered() {
    let quick = |pace| {
        let answer =
            ugas(["play", "2048", "--seed", "7", "--keys", "LD", "--pace", pace, "--format", "json"]);
        answer.json()
    };
    assert_eq!(board(&quick("0.1")), board(&quick("0.25")));
}

#[test]
fn board_is_printed() {
    let answer = ugas(["play", "2048", "--keys", "L"]);
    assert_eq!(answer.status, 0);
    let lines: Vec<&str> = answer.stdout.lines().collect();
    assert_eq!(lines.len(), 5, "{}", answer.stdout);
    assert!(lines[4].starts_with("score "), "{}", lines[4]);
    assert!(lines[..4].iter().all(|line| line.len() == 28), "{}", answer.stdout);
}

#[test]
fn usage_errors_are_explained() {
    let check = |arguments: &[&str], expected: &str| {
        let answer = ugas(arguments);
        assert_eq!((answer.status, answer.stdout.as_str()), (2, ""));
        assert!(answer.stderr.contains(expected), "{}", answer.stderr);
    };
    check(&["play", "2084"], "there is no game `2084`; known games: 2048");
    check(&["play", "2048"], "a game needs a terminal; without one, give keys: --keys LLUR");
    check(&["play", "2048", "--keys", "LQ"], "unknown key `Q` at 2");
    check(&["play", "2048", "--keys", "L", "--pace", "-1"], "must be from 0 to 3600");
    check(&["play", "2048", "--format", "json"], "--keys");
}
