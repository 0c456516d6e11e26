//! The rules against the oracle: counts of turn sequences, and every ply of its games.

use fairkomi::games::{Game, GameKind, HalfPoints, Options, Player, Score, parse_turn, perft, turns};
use fairkomi::with_game;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::play::after;

#[test]
fn perft_agrees() {
    let table: Value = serde_json::from_str(include_str!("../data/oracle/perft.json")).unwrap();
    let mut checked = 0;
    for (name, sizes) in table["counts"].as_object().unwrap() {
        let kind: GameKind = name.parse().unwrap();
        for (size, counts) in sizes.as_object().unwrap() {
            let size: usize = size.parse().unwrap();
            for (depth, count) in counts.as_array().unwrap().iter().enumerate() {
                let found = with_game!(kind, size, G => perft(&G::new(size, Options::default()), depth));
                assert_eq!(found, count.as_u64().unwrap(), "{name} {size}, depth {depth}");
                checked += 1;
            }
        }
    }
    assert_eq!(checked, 98);
}

#[test]
fn every_ply_of_the_transcripts_agrees() {
    let mut games = 0;
    for line in include_str!("../data/oracle/games.jsonl").lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        let kind: GameKind = record["game"].as_str().unwrap().parse().unwrap();
        let size = record["size"].as_u64().unwrap() as usize;
        with_game!(kind, size, G => replay::<G>(size, &record));
        games += 1;
    }
    assert_eq!(games, 79);
}

fn replay<G: Game>(size: usize, record: &Value) {
    let options = &record["options"];
    let options = Options {
        handicap: options["handicap"].as_u64().unwrap_or(0) as usize,
        pie: options["pie"].as_bool().unwrap_or(false),
    };
    options.check(G::KIND, size).unwrap();
    let mut game = G::new(size, options);
    for (index, ply) in record["plies"].as_array().unwrap().iter().enumerate() {
        let at = format!("{}, ply {index}", record["seed"]);
        let mut legal: Vec<String> = turns(&game).iter().map(|(turn, _)| turn.text(&game)).collect();
        legal.sort();
        assert_eq!(legal.len() as u64, ply["legal"].as_u64().unwrap(), "{at}");
        assert_eq!(format!("{:x}", Sha256::digest(legal.join("\n"))), ply["hash"].as_str().unwrap(), "{at}");
        game = after(&game, parse_turn(&game, ply["move"].as_str().unwrap()).expect(&at));
    }
    let seed = &record["seed"];
    let rows: Vec<String> =
        record["rows"].as_array().unwrap().iter().map(|row| row.as_str().unwrap().replace('S', "X")).collect();
    assert_eq!(game.rows(), rows, "{seed}");
    assert_eq!(game.end().is_some(), !record["cap"].as_bool().unwrap(), "{seed}");
    let [black, white] =
        [0, 1].map(|player| HalfPoints::from_points(record["score"][player].as_f64().unwrap()).unwrap());
    match game.score() {
        Some(score) => assert_eq!(score, Score { black, white }, "{seed}"),
        // The oracle gives Fugo's winner one point.
        None => {
            let winner = if black > white { Player::Black } else { Player::White };
            assert_eq!(game.winner(HalfPoints(0)), Some(winner), "{seed}");
        }
    }
}
