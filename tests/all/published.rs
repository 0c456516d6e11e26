//! Positions that were published with the rules of Yugo.

use fairkomi::games::{Game, HalfPoints, Player, Score, StartPosition, TurnError, Yugo, parse_turn, turns};

use crate::play::after;

fn position<const N: usize>(rows: [&str; N], to_move: Player, button: Option<Player>) -> Yugo<2> {
    let rows = rows.map(str::to_string).to_vec();
    Yugo::from_position(&StartPosition { size: N, rows, to_move, button }).unwrap()
}

fn score(black: f64, white: f64) -> Option<Score> {
    let half = |points| HalfPoints::from_points(points).unwrap();
    Some(Score { black: half(black), white: half(white) })
}

const LEFT: [&str; 9] = [
    ".........",
    ".........",
    ".........",
    "XXX......",
    "OO@XX....",
    "O.@OOX...",
    "XOO@XX...",
    ".X#X.....",
    ".........",
];
const RIGHT: [&str; 9] = [
    ".........",
    ".........",
    ".........",
    "XXX......",
    "..@XX....",
    ".#@..X...",
    "X..@XX...",
    ".X#X.....",
    ".........",
];

#[test]
fn one_point_for_black_alone() {
    let white = position(LEFT, Player::White, None);
    assert!(matches!(parse_turn(&white, "B4"), Err(TurnError::Illegal(_))));
    // Every other empty point is open to White, and so is the button.
    let empty = LEFT.concat().chars().filter(|c| *c == '.').count();
    assert_eq!(turns(&white).len(), empty - 1 + 1);

    let black = position(LEFT, Player::Black, None);
    assert_eq!(black.score(), score(70.0, 11.0));
    assert_eq!(turns(&black).len(), empty + 1);
    let black = after(&black, parse_turn(&black, "B4").unwrap());
    assert_eq!(black.rows(), RIGHT);
    assert_eq!((black.to_move(), black.score()), (Player::White, score(71.0, 3.0)));
}

/// "White's king surrounds a black group and leaves a white group surrounded as well. The black group is looked at
/// first and, being kings only, loses nothing; the white group is then still surrounded and loses its pawn."
#[test]
fn the_enemy_is_stripped_first() {
    let rows = [".....", "X....", "OX...", ".X...", "#O..."];
    let game = position(rows, Player::White, Some(Player::Black));
    let game = after(&game, parse_turn(&game, "A2").unwrap());
    assert_eq!(game.rows(), [".....", "X....", ".X...", "@X...", "#O..."]);
    assert_eq!(game.score(), score(3.5, 3.0));

    // Were it a pawn, the black group would go first and give the white one a liberty.
    let rows = [".....", "X....", "OX...", ".X...", "XO..."];
    let game = position(rows, Player::White, Some(Player::White));
    let game = after(&game, parse_turn(&game, "A2").unwrap());
    assert_eq!(game.rows(), [".....", "X....", "OX...", "@X...", ".O..."]);
    assert_eq!(game.score(), score(3.0, 4.5));
}
