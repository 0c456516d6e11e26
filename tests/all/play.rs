//! What the tests share: choosing turns by numbers, so that proptest can shrink a game, and boards to start from.

use std::collections::HashSet;

use fairkomi::games::{Game, GameKind, Player, StartPosition, Step, Turn};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::reference::{RefGame, Rule};

/// Runs `test` on `cases` values, the same ones every time. `FAIRKOMI_SOAK=k` runs k times as many, all different
/// from those of other k.
pub fn check<S: Strategy>(cases: u32, strategy: S, test: impl Fn(S::Value)) {
    let soak: u32 = std::env::var("FAIRKOMI_SOAK").ok().and_then(|k| k.parse().ok()).unwrap_or(1);
    let mut seed = [7; 32];
    seed[..4].copy_from_slice(&soak.to_le_bytes());
    let config = Config { cases: cases * soak, failure_persistence: None, max_shrink_iters: 400, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &seed));
    let outcome = runner.run(&strategy, |value| {
        test(value);
        Ok(())
    });
    if let Err(error) = outcome {
        panic!("{error}");
    }
}

/// The choices of a game of at most `length` turns.
pub fn choices(length: usize) -> impl Strategy<Value = Vec<u32>> {
    vec(any::<u32>(), 1..=length)
}

/// The turn that a choice picks. Its lower bits are a taste: uniform play seldom captures, moves a stone or brings
/// a board back. 0, to which proptest shrinks, is the first turn.
pub fn pick<G: Game>(game: &G, turns: &[(Turn, G)], earlier: &HashSet<u128>, choice: u32) -> usize {
    let (taste, choice) = (choice % 16, choice as usize / 16);
    let placement = |turn: &Turn| matches!(turn.steps()[0], Step::Point(_));
    let wanted = |index: &usize| {
        let (turn, next) = &turns[*index];
        match taste {
            // Long turns: movements.
            1..=3 => turn.steps().len() > 1,
            // Turns that take pieces off the board.
            4..=6 => placement(turn) && next.piece_count() <= game.piece_count(),
            // Boards that were there before.
            7 => placement(turn) && earlier.contains(&next.board_key()),
            // Crowds the lower rows.
            8..=10 => placement(turn) && *index <= turns.len() / 4,
            11..=14 => placement(turn),
            15 => !placement(turn),
            _ => true,
        }
    };
    let fitting: Vec<usize> = (0..turns.len()).filter(wanted).collect();
    if fitting.is_empty() { choice % turns.len() } else { fitting[choice % fitting.len()] }
}

/// The position after a turn.
pub fn after<G: Game>(game: &G, turn: Turn) -> G {
    let mut next = game.clone();
    turn.steps().iter().for_each(|step| next.play(*step));
    next
}

pub fn rule(game: GameKind) -> Rule {
    match game {
        GameKind::Yugo => Rule::Yugo,
        GameKind::Linage => Rule::Linage,
        GameKind::Fugo => Rule::Fugo,
        GameKind::Sligo => Rule::Sligo,
    }
}

/// The reference's game from a start position.
pub fn ref_from(game: GameKind, start: &StartPosition) -> RefGame {
    let rows: Vec<&str> = start.rows.iter().map(String::as_str).collect();
    let button = start.button.map(|player| Some(player == Player::Black));
    RefGame::from_rows(rule(game), &rows, start.to_move == Player::Black, button)
}

/// Start positions of any shape, sound or not: (size, fullness in eighths, a number for every point, the rest).
pub fn boards(game: GameKind, sizes: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = StartPosition> {
    let cells = sizes.prop_flat_map(|n| (Just(n), 1..=8u32, vec(any::<u32>(), n * n)));
    (cells, any::<bool>(), 0..3usize).prop_map(move |((size, fullness, cells), black, button)| {
        let pieces = match game {
            GameKind::Yugo => "XO#@#@",
            GameKind::Linage => "X",
            GameKind::Fugo | GameKind::Sligo => "XO",
        };
        let cell = |value: u32| {
            let piece = pieces.as_bytes()[value as usize / 8 % pieces.len()] as char;
            if value % 8 < fullness { piece } else { '.' }
        };
        let rows = cells.chunks(size).map(|row| row.iter().map(|value| cell(*value)).collect()).collect();
        let holder = [None, Some(Player::Black), Some(Player::White)];
        let button = if game == GameKind::Yugo { holder[button] } else { None };
        StartPosition { size, rows, to_move: if black { Player::Black } else { Player::White }, button }
    })
}

/// The start position with only those of its pieces that can stand together, taken up one by one in an order that
/// `order` mixes.
pub fn made_sound(game: GameKind, start: &StartPosition, order: u32) -> StartPosition {
    let n = start.size;
    let wanted: Vec<char> = start.rows.concat().chars().collect();
    let mut sound = StartPosition { rows: vec![".".repeat(n); n], ..start.clone() };
    let mut points: Vec<usize> = (0..n * n).collect();
    points.sort_by_key(|point| (*point as u32 + 1).wrapping_mul(order | 1).rotate_left(16));
    for round in 0..2 {
        for point in &points {
            let mut trial = sound.clone();
            let piece = wanted[*point].to_string();
            // In the second round the points left out get another colour: that fills boards further.
            let piece = match (round, piece.as_str(), game) {
                (1, "X", GameKind::Sligo) => "O",
                (1, "O", GameKind::Sligo) => "X",
                (1, "X" | "#", GameKind::Yugo) => "@",
                (1, "O" | "@", GameKind::Yugo) => "#",
                (_, piece, _) => piece,
            };
            let row = &mut trial.rows[point / n];
            if &row[point % n..=point % n] != "." || piece == "." {
                continue;
            }
            row.replace_range(point % n..=point % n, piece);
            if ref_from(game, &trial).is_sound() {
                sound = trial;
            }
        }
    }
    sound
}
