//! Random games for the tests.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::shard::write_csv;
use super::{EngineTag, GameMeta, GameRecord, GameRow, PositionRow, Record, SearchNote, WinnerSeat, policy_shares};
use crate::games::{Ending, Game, GameKind, HalfPoints, Options, Played, Rules, Status, Step};

/// A game of random legal steps; its options and what is searched depend on the index.
pub fn random_record(game: GameKind, size: usize, index: u64) -> GameRecord {
    let mut rng = ChaCha8Rng::seed_from_u64(index);
    let options = Options {
        handicap: if game == GameKind::Yugo && size > 1 { index as usize % 3 } else { 0 },
        pie: game == GameKind::Fugo && index.is_multiple_of(2),
    };
    let komi = match game {
        GameKind::Yugo => HalfPoints(2 * rng.random_range(-2..3)),
        GameKind::Linage => HalfPoints(2 * rng.random_range(-2..3) + 1),
        GameKind::Fugo => HalfPoints(0),
        GameKind::Sligo => HalfPoints(rng.random_range(-3..4)),
    };
    let move_cap = Some(if game == GameKind::Sligo { 24 } else { 4 * size * size + 4 });
    let rules = Rules { game, size, options, komi, move_cap };
    let engine = |name: &str, net: Option<&str>| EngineTag { name: name.into(), net: net.map(String::from), visits: 8 };
    let engines = [engine("one", Some("0a1b2c")), engine("two", None)];
    let meta = GameMeta { index, seed: 99, rules, engines, opening_turns: 0 };
    crate::with_game!(game, size, G => play(&meta, Played::new(G::new(size, options), move_cap), &mut rng))
}

fn play<G: Game>(meta: &GameMeta, mut played: Played<G>, rng: &mut ChaCha8Rng) -> GameRecord {
    let mut rows = Vec::new();
    while played.ending().is_none() {
        let position = played.position();
        let Status::Running(steps) = position.status() else { unreachable!("the game goes on") };
        let mut step = steps.nth(rng.random_range(0..steps.len()));
        // Else random games would hardly end by passes, nor swap.
        if steps.contains(Step::PASS) && rng.random_bool(0.2) {
            step = Step::PASS;
        }
        if steps.contains(Step::SWAP) && rng.random_bool(0.5) {
            step = Step::SWAP;
        }
        if rng.random_bool(0.8) {
            let visits = steps.iter().map(|step| (step, rng.random_range(0..4))).collect();
            let turn = played.turns().len();
            let weights: Vec<(Step, f32)> = steps.iter().map(|step| (step, rng.random())).collect();
            let policy = if rng.random_bool(0.5) { policy_shares(&weights) } else { Vec::new() };
            let note = SearchNote { turn, step, visits, root_value: rng.random(), policy };
            rows.push(PositionRow::searched(meta, position, &note));
        }
        played.play(step);
    }
    GameRecord::new(meta, &played, rows).unwrap()
}

/// Games of every kind on small boards of several sizes.
pub fn all_records() -> impl Iterator<Item = GameRecord> {
    let sizes = GameKind::ALL.into_iter().flat_map(|game| [1, 2, 3, 4, 8].map(|size| (game, size)));
    let allowed = sizes.filter(|(game, size)| *size >= game.min_size());
    allowed.flat_map(|(game, size)| (0..4).map(move |index| random_record(game, size, index)))
}

/// Rows as a CSV file's text.
pub fn text_of<T: Record>(rows: &[T]) -> String {
    let mut bytes = Vec::new();
    write_csv(&mut bytes, rows).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// A made-up row of a game, won by that seat by two passes. Its turns differ from those of all other indices, also
/// modulo symmetry, and are no game.
pub fn made_up(game: GameKind, size: usize, komi: HalfPoints, index: u64, winner: WinnerSeat) -> GameRow {
    let mut turns = vec!["A1".to_string(), "B1".to_string()];
    let (side, mut rest) = (size as u64, index);
    while rest > 0 {
        turns.push(format!("{}{}", b"ABCDEFGHJ"[(rest % side) as usize] as char, rest / side % side + 1));
        rest /= side * side;
    }
    let mut row = random_record(game, size, 0).game;
    (row.game_index, row.komi, row.pie, row.opening_turns) = (index, komi, false, 0);
    (row.turn_count, row.turns) = (turns.len(), turns.join(" "));
    (row.ending, row.winner_seat) = (Ending::Pass, Some(winner));
    row
}

/// Made-up rows: so many won, drawn and lost by the first seat, with indices from `index` on.
pub fn results(game: GameKind, size: usize, komi: HalfPoints, index: u64, wdl: [u64; 3]) -> Vec<GameRow> {
    let seats = [WinnerSeat::First, WinnerSeat::Draw, WinnerSeat::Second];
    let winners = seats.into_iter().zip(wdl).flat_map(|(seat, count)| (0..count).map(move |_| seat));
    winners.zip(index..).map(|(winner, index)| made_up(game, size, komi, index, winner)).collect()
}
