use std::sync::atomic::AtomicBool;

use super::*;
use crate::config::{
    BalanceConfig, Board, Device, Inference, KomiConfig, Precision, Reading, SearchConfig, SearchSettings, Variation,
};
use crate::games::{Ending, Fugo, GameKind, HalfPoints, Linage, Yugo};
use crate::records::testing::{made_up, results};
use crate::records::{GameRow, RunDir, RunInfo, WinnerSeat, run_toml};
use crate::selfplay::{Control, Engine, Observer, Work, Workers, config_toml, game_rows};
use crate::solve::{Limits, Verdict, solve_with};
use crate::stats::komi_lattice::{KomiStatus, NotIdentified};
use crate::with_game;

/// Made-up results at several komi (in half points), with no game twice.
fn at_komi(game: GameKind, size: usize, komi: &[(i32, [u64; 3])]) -> Vec<GameRow> {
    let rows = |(place, (komi, wdl)): (usize, &(i32, [u64; 3]))| {
        results(game, size, HalfPoints(*komi), 10_000 * place as u64, *wdl)
    };
    komi.iter().enumerate().flat_map(rows).collect()
}

#[test]
fn margins_lie_on_the_lattice() {
    for game in [GameKind::Yugo, GameKind::Linage, GameKind::Sligo] {
        for size in [3, 4, 7] {
            let lattice = lattice(game, size);
            assert_eq!(lattice.max.map(|max| max / 2), Some((size * size) as i32));
            assert_eq!(lattice.min, lattice.max.map(|max| -max));
            assert!(lattice.max.is_some_and(|max| lattice.holds(max)));
            // Played-out games have such margins and no others.
            for index in 0..40 {
                let row = crate::records::testing::random_record(game, size, index).game;
                let margin = row.margin.expect("the game has a score").0;
                let is_final = row.ending == Ending::Pass;
                assert!(!is_final || lattice.holds(margin), "{game}: {margin}");
                assert!(margin.abs() <= lattice.max.unwrap_or(0));
            }
        }
    }
}

#[test]
fn measurable_komi_are_near_allowed_and_within_the_board() {
    for game in [GameKind::Yugo, GameKind::Linage, GameKind::Sligo] {
        for size in [3, 5, 9] {
            let lattice = lattice(game, size);
            let most = lattice.max.unwrap_or(0);
            let all: Vec<i32> = (-most - 1..=most + 1).filter(|komi| lattice.measurable(*komi)).collect();
            for quarter in -4 * most..=4 * most {
                let wanted = f64::from(quarter) / 4.0;
                let found = measurable_near(game, size, wanted);
                assert!(all.contains(&found.0) && game.allows_komi(found), "{game} {wanted}: {found}");
                let distance = |komi: i32| (f64::from(komi) / 2.0 - wanted).abs();
                let least = all.iter().map(|komi| distance(*komi)).fold(f64::INFINITY, f64::min);
                assert!(distance(found.0) <= least + 1e-9, "{game} {size} {wanted}: {found}");
            }
        }
    }
}

#[test]
fn a_clear_crossing_is_found() {
    let games = [(7, [190, 0, 10]), (9, [146, 0, 54]), (11, [56, 0, 144]), (13, [10, 0, 190])];
    let found = summary(&at_komi(GameKind::Linage, 6, &games), GameKind::Linage, 6);
    assert_eq!((found.game, found.size), (GameKind::Linage, 6));
    assert_eq!(found.lattice.k_star, Some(10), "5 points");
    assert_eq!((found.lattice.lo, found.lattice.hi), (Some(10), Some(10)));
    assert_eq!(found.lattice.status, KomiStatus::Identified);
    assert!(found.decisive.is_none() && found.warnings.is_empty());
    assert_eq!(found.at.iter().map(|at| at.komi.0).collect::<Vec<_>>(), [7, 9, 11, 13]);
    assert_eq!(found.at[1].tally.score(), Some(0.73));
    let best = found.best.expect("there are games");
    // 0.28 is nearer to ½ than 0.73.
    assert_eq!((best.komi, best.score), (HalfPoints(11), 0.28));
    assert!(best.interval.contains(0.28) && !best.interval.contains(0.5));
    let smooth = found.smooth.expect("a logistic curve fits well");
    assert!((4.5..5.5).contains(&smooth.root) && smooth.profile.contains(smooth.root), "{smooth:?}");
}

#[test]
fn the_order_of_games_and_of_komi_does_not_matter() {
    let mut rows = at_komi(GameKind::Yugo, 5, &[(2, [30, 1, 9]), (4, [18, 0, 22]), (6, [7, 0, 33])]);
    let found = summary(&rows, GameKind::Yugo, 5);
    rows.reverse();
    assert_eq!(summary(&rows, GameKind::Yugo, 5), found);
    assert_eq!(found.lattice.k_star, Some(3), "Yugo's margins are n + ½");
}

#[test]
fn without_games_nothing_is_known() {
    let found = summary(&[], GameKind::Sligo, 5);
    assert_eq!(found.lattice.status, KomiStatus::NotIdentified { reason: NotIdentified::NoData });
    assert!(found.at.is_empty() && found.best.is_none() && found.smooth.is_none());
    assert_eq!(next_block(&[], GameKind::Sligo, 5, HalfPoints(7)), Some(HalfPoints(7)));
}

#[test]
fn duplicates_are_no_evidence() {
    let games = [(9, [400, 0, 100]), (11, [100, 0, 400])];
    let mut rows = at_komi(GameKind::Linage, 6, &games);
    let distinct = summary(&rows, GameKind::Linage, 6);
    assert_eq!((distinct.lattice.lo, distinct.lattice.hi), (Some(10), Some(10)));
    assert_eq!(next_block(&rows, GameKind::Linage, 6, HalfPoints(1)), None, "nothing is left to find out");
    // The same results, of five games played a hundred times each.
    for rows in rows.chunk_by_mut(|a, b| a.komi == b.komi) {
        let turns: Vec<String> = rows.iter().map(|row| row.turns.clone()).collect();
        rows.iter_mut().enumerate().for_each(|(index, row)| row.turns = turns[index / 100].clone());
    }
    let found = summary(&rows, GameKind::Linage, 6);
    assert_eq!(found.at[0].tally.unique, 5);
    assert_eq!(found.lattice.k_star, Some(10), "the estimate stays");
    assert!(found.lattice.lo.is_none_or(|lo| lo < 10) && found.lattice.hi.is_none_or(|hi| hi > 10));
    let warning = "only 10 of 1000 games differ; intervals count these alone";
    assert!(found.warnings.iter().any(|found| found == warning), "{:?}", found.warnings);
    assert!(next_block(&rows, GameKind::Linage, 6, HalfPoints(1)).is_some(), "there is more to find out");
}

#[test]
fn many_repetitions_near_the_fair_komi_are_told() {
    let mut rows = at_komi(GameKind::Sligo, 5, &[(-7, [99, 1, 0]), (3, [40, 40, 20]), (5, [20, 40, 40])]);
    for row in rows.iter_mut().filter(|row| row.winner_seat == Some(WinnerSeat::Draw)) {
        row.ending = Ending::Repetition;
    }
    let found = summary(&rows, GameKind::Sligo, 5);
    assert_eq!(found.lattice.k_star, Some(4));
    let near = "80 of 200 games near the fair komi were drawn by repetition";
    assert!(found.warnings.iter().any(|warning| warning == near), "{:?}", found.warnings);
    assert_eq!(found.decisive.and_then(|decisive| decisive.k_star), Some(4));
    // Far from it they do not matter.
    let mut rows = at_komi(GameKind::Sligo, 5, &[(-7, [60, 40, 0]), (3, [80, 0, 20]), (5, [20, 0, 80])]);
    for row in rows.iter_mut().filter(|row| row.winner_seat == Some(WinnerSeat::Draw)) {
        row.ending = Ending::Repetition;
    }
    let found = summary(&rows, GameKind::Sligo, 5);
    assert!(found.decisive.is_none() && found.warnings.is_empty(), "{:?}", found.warnings);
}

#[test]
fn capped_games_count_for_nothing() {
    let games = [(3, [40, 0, 20]), (5, [20, 0, 40])];
    let mut rows = at_komi(GameKind::Sligo, 5, &games);
    let before = summary(&rows, GameKind::Sligo, 5);
    let mut capped = results(GameKind::Sligo, 5, HalfPoints(3), 50_000, [0, 0, 30]);
    capped.iter_mut().for_each(|row| (row.ending, row.winner_seat) = (Ending::MoveCap, None));
    rows.extend(capped);
    let found = summary(&rows, GameKind::Sligo, 5);
    assert_eq!(found.lattice, before.lattice);
    assert_eq!(found.at[0].tally.capped, 30);
    assert_eq!(found.warnings, ["30 of 150 games hit the move cap and have no result"]);
}

#[test]
fn a_whole_komi_of_sligo_can_be_best() {
    let beside = [(3, [70, 0, 30]), (5, [30, 0, 70])];
    let mut rows = at_komi(GameKind::Sligo, 5, &beside);
    let before = summary(&rows, GameKind::Sligo, 5);
    assert_eq!(before.lattice.k_star, Some(4));
    rows.extend(results(GameKind::Sligo, 5, HalfPoints(4), 50_000, [30, 42, 28]));
    let found = summary(&rows, GameKind::Sligo, 5);
    let best = found.best.expect("there are games");
    assert_eq!((best.komi, best.score), (HalfPoints(4), 0.51));
    assert_eq!(found.lattice, before.lattice, "a komi at which games tie is no evidence");
    // Linage cannot be played at a whole komi: what is measured at 0 is no candidate.
    let rows = at_komi(GameKind::Linage, 5, &[(0, [10, 80, 10]), (1, [30, 0, 70])]);
    assert_eq!(summary(&rows, GameKind::Linage, 5).best.map(|best| best.komi), Some(HalfPoints(1)));
}

#[test]
fn an_even_score_far_from_the_fair_komi_is_chance() {
    let rows = at_komi(GameKind::Sligo, 5, &[(3, [70, 0, 30]), (5, [35, 0, 65]), (15, [5, 0, 5])]);
    let found = summary(&rows, GameKind::Sligo, 5);
    assert_eq!(found.lattice.k_star, Some(4));
    assert_eq!(found.best.map(|best| (best.komi, best.score)), Some((HalfPoints(5), 0.35)));
    // Where no fair komi was found, all measured komi are candidates.
    let found = summary(&at_komi(GameKind::Sligo, 5, &[(3, [70, 0, 30]), (15, [40, 0, 60])]), GameKind::Sligo, 5);
    assert_eq!((found.lattice.k_star, found.best.map(|best| best.komi)), (None, Some(HalfPoints(15))));
}

#[test]
fn blocks_go_where_there_is_something_to_find_out() {
    // Games as if the first player always won by 8 points.
    let truth = 16;
    let (game, size) = (GameKind::Sligo, 6);
    let mut rows: Vec<GameRow> = Vec::new();
    let mut komi = measurable_near(game, size, 0.0);
    let mut blocks = 0;
    loop {
        assert!(game.allows_komi(komi) && lattice(game, size).measurable(komi.0));
        let wdl = if komi.0 < truth { [24, 0, 0] } else { [0, 0, 24] };
        rows.extend(results(game, size, komi, 1000 * blocks, wdl));
        blocks += 1;
        let Some(next) = next_block(&rows, game, size, HalfPoints(1)) else { break };
        assert_eq!(Some(next), next_block(&rows, game, size, HalfPoints(1)));
        komi = next;
        assert!(blocks < 30, "{komi}");
    }
    let found = summary(&rows, game, size);
    assert_eq!(found.lattice.k_star, Some(truth));
    assert_eq!((found.lattice.lo, found.lattice.hi), (Some(truth), Some(truth)));
    assert_eq!(found.lattice.status, KomiStatus::CleanSeparation);
    assert!(blocks < 15, "{blocks}");
}

#[test]
fn balance_sums_up_one_komi() {
    let mut rows = results(GameKind::Linage, 5, HalfPoints(3), 0, [3, 0, 1]);
    for (row, (turns, margin)) in rows.iter_mut().zip([("A1 B1", 8), ("E5 pass pass", 10), ("C3", 2), ("A5", 40)]) {
        (row.turns, row.turn_count, row.margin) = (turns.into(), turns.split(' ').count(), Some(HalfPoints(margin)));
    }
    rows[3].ending = Ending::MoveCap;
    rows[3].winner_seat = None;
    let [found] = &balances(&rows, &Values::new())[..] else { panic!("there is one komi") };
    assert_eq!((found.game, found.size, found.komi), (GameKind::Linage, 5, HalfPoints(3)));
    let lengths = found.lengths.expect("there are games");
    assert_eq!((lengths.mean, lengths.shortest, lengths.longest), (1.75, 1, 3));
    assert!((lengths.deviation - 0.957).abs() < 1e-3);
    let margins = found.margins.clone().expect("some were played out");
    assert_eq!((margins.mean, margins.median), (10.0 / 3.0, 4.0), "the capped game has no margin");
    assert_eq!(margins.histogram.into_iter().collect::<Vec<_>>(), [(2, 1), (8, 1), (10, 1)]);
    // Linage's corners are alike; a quarter turn would exchange the players.
    assert_eq!(found.first_moves.len(), 2);
    assert_eq!((found.first_moves[0].turn.as_str(), found.first_moves[0].tally.games()), ("A1", 3));
    assert_eq!(found.first_moves[0].alike, ["A1", "A5", "E1", "E5"]);
    assert_eq!(found.first_moves[1].alike, ["C3"]);
    assert!(balances(&[], &Values::new()).is_empty() && found.course.is_none());
}

#[test]
fn first_moves_are_pooled_by_the_games_own_symmetries() {
    let pools = |game: GameKind, turns: &[&str]| {
        let row = |(turn, index): (&&str, u64)| {
            let mut row = made_up(game, 5, HalfPoints(0), index, WinnerSeat::First);
            row.turns = turn.to_string();
            row
        };
        let moves = first_moves(&turns.iter().zip(0..).map(row).collect::<Vec<_>>());
        moves.iter().map(|first| (first.turn.clone(), first.tally.games())).collect::<Vec<_>>()
    };
    let named =
        |found: &[(&str, u64)]| found.iter().map(|(turn, games)| (turn.to_string(), *games)).collect::<Vec<_>>();
    let turns = ["A2", "B1", "E4", "D5", "C3", "C3", "pass", "button", "button"];
    assert_eq!(pools(GameKind::Sligo, &turns), named(&[("A2", 4), ("C3", 2), ("button", 2), ("pass", 1)]));
    let linage = pools(GameKind::Linage, &turns[..6]);
    assert_eq!(linage, named(&[("A2", 2), ("B1", 2), ("C3", 2)]));
}

#[test]
fn openings_of_fugo_are_distinct_modulo_symmetry() {
    for size in 1..=9 {
        let first = super::openings::first_steps(size);
        let mut images: Vec<String> =
            first.iter().flat_map(|name| super::balance::alike(GameKind::Fugo, size, name)).collect();
        let count = images.len();
        images.sort();
        images.dedup();
        assert_eq!(images.len(), count, "no two are alike");
        let half = size.div_ceil(2);
        let (points, expected) = if size == 1 { (0, 0) } else { (size * size, half * (half + 1) / 2) };
        assert_eq!((count, first.len()), (points, expected), "{size}");
    }
}

#[test]
fn fugo_is_summed_up_by_opening_and_seat() {
    let rows = |index: u64, wdl, turn: &str, opening_turns, pie| {
        let mut rows = results(GameKind::Fugo, 5, HalfPoints(0), index, wdl);
        for row in &mut rows {
            row.turns = row.turns.replacen("A1", turn, 1);
            (row.opening_turns, row.pie, row.ending) = (opening_turns, pie, Ending::NoMove);
        }
        rows
    };
    let mut all = rows(0, [7, 1, 2], "C3", 0, false);
    all.extend(rows(100, [3, 0, 1], "A2", 1, false));
    all.extend(rows(200, [2, 0, 2], "E4", 1, false));
    all.extend(rows(300, [1, 0, 9], "C3", 1, false));
    all.extend(rows(400, [5, 0, 6], "C3", 0, true));
    let found = openings(&all, 5);
    assert_eq!((found.free.wdl.to_string(), found.pie.wdl.to_string()), ("7/1/2".to_string(), "5/0/6".to_string()));
    let scores: Vec<_> =
        found.openings.iter().map(|found| (found.turn.as_str(), found.tally.wdl.to_string())).collect();
    assert_eq!(scores, [("A2", "5/0/3".to_string()), ("C3", "1/0/9".to_string())]);
    assert_eq!(found.fairest().map(|fairest| fairest.turn.as_str()), Some("A2"));
    assert!(found.warnings.is_empty(), "{:?}", found.warnings);
}

#[test]
fn known_values_are_what_the_solver_finds() {
    let stop = AtomicBool::new(false);
    let limits = Limits { memory: 1 << 28, threads: 2, stop: &stop, observer: &|_| {} };
    for game in GameKind::ALL {
        let mut solved = 0;
        for size in game.min_size()..=5 {
            for handicap in 0..=size * size {
                // Yugo 4×4 takes minutes: the solver's own tests have it among those to be asked for.
                let board = Board { handicap, ..board(game, size) };
                let Some(known) = known(&board).filter(|_| (game, size) != (GameKind::Yugo, 4)) else { continue };
                let found = with_game!(game, size, G => solve_with::<G>(size, handicap, None, &limits));
                let expected = match known {
                    Known::Margin(margin) => Verdict::Margin(margin),
                    Known::Winner(winner) => Verdict::Winner(winner),
                };
                assert_eq!(found.expect("a board of the game").verdict(), expected, "{game} {size} {handicap}");
                solved += 1;
            }
        }
        assert!(solved >= 3);
    }
}

struct Nobody;

impl Observer for Nobody {
    fn game_done(&self, _: Work) {}
}

/// Opens a run and measures with playouts in it.
fn in_a_run<T: serde::Serialize, R>(
    path: &std::path::Path,
    config: &T,
    engine: &Engine,
    measure: impl FnOnce(&mut RunDir, Workers, Control<'_>) -> R,
) -> R {
    let info = RunInfo { version: "0".into(), git_commit: "0".into(), machine: "0".into() };
    let text = config_toml(config, &[engine.tag()]).expect("a config");
    let mut dir = RunDir::open_or_create(path, &run_toml(&text, &info)).expect("a run");
    let stop = AtomicBool::new(false);
    measure(&mut dir, Workers { threads: 2, batch: 16 }, Control { stop: &stop, observer: &Nobody })
}

fn board(game: GameKind, size: usize) -> Board {
    Board { game, size, handicap: 0, pie: false, move_cap: game.default_move_cap(size) }
}

const VARIATION: Variation = Variation { drawn_turns: 2, delta: 0.2 };

const INFERENCE: Inference = Inference { batch: 16, precision: Precision::F32, device: Device::Cpu };

fn search() -> SearchConfig {
    SearchSettings { reading: Reading::VALUE, tree_memory: 64, ..SearchSettings::default() }.with_visits(120)
}

#[test]
fn a_measurement_finds_the_exact_value_of_a_tiny_board_and_goes_on_where_it_stopped() {
    let mut config = KomiConfig {
        board: board(GameKind::Linage, 3),
        games: 160,
        block: 16,
        seed: 1,
        inference: INFERENCE,
        search: search(),
        variation: VARIATION,
        start: None,
        width: None,
    };
    let engine = Engine::playouts(config.search);
    let measure = |path: &std::path::Path, config: &KomiConfig| {
        in_a_run(path, config, &engine, |dir, workers, control| {
            measure_komi::<Linage<1>>(config, &engine, dir, workers, control).expect("a measurement")
        })
    };
    let whole = tempfile::tempdir().expect("a folder");
    let found = measure(whole.path(), &config);
    let Measurement::Komi(fair) = &found else { panic!("Linage has a komi") };
    assert_eq!(fair.lattice.k_star, Some(8), "{fair:?}");
    let rows = game_rows(whole.path()).expect("rows");
    assert_eq!(rows.len(), 160);
    for block in rows.chunks(16) {
        assert!(block.iter().all(|row| row.komi == block[0].komi && GameKind::Linage.allows_komi(row.komi)));
    }
    assert!(rows.iter().all(|row| row.opening_turns == 0), "from the empty board");
    // With fewer games in all, the run's first blocks are the same, up to the last.
    config.games = 96;
    let shorter = tempfile::tempdir().expect("a folder");
    measure(shorter.path(), &config);
    let short_rows = game_rows(shorter.path()).expect("rows");
    assert!(short_rows[..80].iter().zip(&rows).all(|(a, b)| a.turns == b.turns && a.komi == b.komi));
    // A finished measurement plays nothing more.
    config.games = 160;
    assert_eq!(measure(whole.path(), &config), found);
    // With a width to reach it is over once its interval is that narrow; the games are those of the whole run, but for the last block.
    (config.games, config.width) = (1600, Some(2.0));
    let narrow = tempfile::tempdir().expect("a folder");
    let found = measure(narrow.path(), &config);
    let Measurement::Komi(fair) = &found else { panic!("Linage has a komi") };
    let narrow_rows = game_rows(narrow.path()).expect("rows");
    assert!(narrow_rows.len() < 1600 && narrow_rows.len().is_multiple_of(16), "{}", narrow_rows.len());
    assert!(fair.lattice.hi.zip(fair.lattice.lo).is_some_and(|(hi, lo)| hi - lo <= 4), "{fair:?}");
    let same = narrow_rows.len().min(rows.len()) - 16;
    assert!(narrow_rows[..same].iter().zip(&rows).all(|(a, b)| a.turns == b.turns && a.komi == b.komi));
    assert_eq!(measure(narrow.path(), &config), found, "and plays nothing more");
}

#[test]
fn fugo_is_measured_in_thirds() {
    let config = KomiConfig {
        board: board(GameKind::Fugo, 3),
        games: 36,
        block: 16,
        seed: 1,
        inference: INFERENCE,
        search: search(),
        variation: VARIATION,
        start: None,
        width: None,
    };
    let engine = Engine::playouts(config.search);
    let folder = tempfile::tempdir().expect("a folder");
    let found = in_a_run(folder.path(), &config, &engine, |dir, workers, control| {
        measure_komi::<Fugo<1>>(&config, &engine, dir, workers, control).expect("a measurement")
    });
    let Measurement::Openings(found) = found else { panic!("Fugo has no komi") };
    assert_eq!((found.free.games(), found.pie.games()), (12, 12));
    let openings: Vec<_> = found.openings.iter().map(|found| (found.turn.as_str(), found.tally.games())).collect();
    assert_eq!(openings, [("A1", 4), ("A2", 4), ("B2", 4)]);
    let won = |index: usize| found.openings[index].tally.score().is_some_and(|score| score > 0.5);
    assert_eq!([won(0), won(1), won(2)], [false, true, true], "{found:?}");
}

#[test]
fn balance_is_measured_at_each_komi_with_the_same_numbers() {
    let config = BalanceConfig {
        board: board(GameKind::Yugo, 3),
        games: 10,
        seed: 1,
        inference: INFERENCE,
        search: search(),
        variation: VARIATION,
        komi: vec![HalfPoints(0), HalfPoints(4)],
    };
    let engine = Engine::playouts(config.search);
    let folder = tempfile::tempdir().expect("a folder");
    let found = in_a_run(folder.path(), &config, &engine, |dir, workers, control| {
        measure_balance::<Yugo<1>>(&config, &engine, dir, workers, control).expect("a measurement")
    });
    let komi: Vec<_> = found.iter().map(|found| (found.komi.0, found.tally.games())).collect();
    assert_eq!(komi, [(0, 10), (4, 10)]);
    assert!(found[0].tally.score() >= found[1].tally.score());
}
