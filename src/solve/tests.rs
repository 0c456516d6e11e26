//! Values against known ones, against another way to find them, and of the two methods against each other.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::canonical::Layout;
use super::retrograde::Analysis;
use super::search::{Searcher, Shared};
use super::slow::Positions;
use super::transpositions::Transpositions;
use super::*;
use crate::games::{Fugo, Game, HalfPoints, Linage, Phase, Player, Sligo, Yugo};

static RUNNING: AtomicBool = AtomicBool::new(false);

const LIMITS: Limits = Limits { memory: 1 << 28, threads: 1, stop: &RUNNING, observer: &|_| {} };

fn verdict<G: Solvable>(size: usize) -> String {
    let solution = solve::<G>(size, &LIMITS).expect("a size of the game");
    assert_eq!((solution.method, solution.stopped), (Method::Retrograde, None));
    assert!(solution.memory <= LIMITS.memory);
    solution.verdict().to_string()
}

/// The best first turns by name.
fn best<G: Solvable>(size: usize) -> Vec<String> {
    best_of::<G>(&solve::<G>(size, &LIMITS).expect("a size of the game"))
}

fn best_of<G: Solvable>(solution: &Solution) -> Vec<String> {
    let start = G::new(solution.size, Options::default());
    let best = solution.first_moves.iter().filter(|first| solution.is_best(first));
    best.map(|first| first.turn.text(&start)).collect()
}

#[test]
fn small_boards_have_their_known_values() {
    assert_eq!([1, 2, 3].map(verdict::<Yugo<1>>), ["value +0.5", "value +0.5", "value +3.5"]);
    assert_eq!([3, 4].map(verdict::<Linage<1>>), ["value +4", "value +5"]);
    assert_eq!([1, 2, 3].map(verdict::<Fugo<1>>), ["winner white", "winner white", "winner black"]);
    assert_eq!([1, 2, 3].map(verdict::<Sligo<1>>), ["value 0", "endless", "value +9"]);
    assert_eq!(best::<Yugo<1>>(3), ["B2"]);
    assert_eq!(best::<Linage<1>>(4), ["B1", "C1", "B4", "C4"]);
    assert_eq!(best::<Sligo<1>>(3), ["B2"]);
    assert_eq!(best::<Fugo<1>>(3), ["B1", "A2", "B2", "C2", "B3"]);
}

#[test]
#[ignore = "takes eight minutes of one core and 8 GB"]
fn yugo_of_side_4() {
    let limits = Limits { memory: 8 << 30, ..LIMITS };
    let solution = solve::<Yugo<1>>(4, &limits).expect("a size of the game");
    assert_eq!((solution.method, solution.verdict()), (Method::Search, Verdict::Margin(HalfPoints(3))));
    assert_eq!(
        (best_of::<Yugo<1>>(&solution), solution.stopped),
        (["B2", "C2", "B3", "C3"].map(String::from).to_vec(), None)
    );
}

#[test]
fn linage_of_side_5() {
    assert_eq!(verdict::<Linage<1>>(5), "value +7");
}

#[test]
fn sligo_of_side_4() {
    assert_eq!(verdict::<Sligo<1>>(4), "value 0");
}

#[test]
fn fugo_of_side_4_with_and_without_the_pie_rule() {
    let solution = solve::<Fugo<1>>(4, &LIMITS).expect("a size of the game");
    assert_eq!(solution.verdict(), Verdict::Winner(Player::Black));
    assert_eq!(solution.with_pie(), Some(WithPie::Endless));
    let start = Fugo::<1>::new(4, Options::default());
    for (first, verdict) in [("A1", "winner white"), ("B1", "endless"), ("B2", "winner black")] {
        let found = solution.first_moves.iter().find(|found| found.turn.text(&start) == first);
        assert_eq!(solution.verdict_after(found.expect("legal")).to_string(), verdict, "{first}");
    }
}

#[test]
fn with_the_pie_rule_the_second_person_wins_small_boards() {
    for size in 1..=3 {
        let solution = solve::<Fugo<1>>(size, &LIMITS).expect("a size of the game");
        assert_eq!(solution.with_pie(), Some(WithPie::Second));
    }
    let solution = solve::<Sligo<1>>(1, &LIMITS).expect("a size of the game");
    assert_eq!(solution.with_pie(), None);
}

/// Both methods, position by position, against values found in another way.
fn agree_everywhere<G: Solvable>(size: usize) {
    agree_with_handicap::<G>(size, 0);
}

fn agree_with_handicap<G: Solvable>(size: usize, handicap: usize) {
    let start = G::new(size, Options { handicap, pie: false });
    let positions = Positions::of(&start);
    let ranges = positions.ranges();
    analysis_agrees(&positions, &ranges);
    let layout = Layout::of::<G>(size).expect("small enough");
    let table = Transpositions::new(1 << 20);
    let shared = Shared { layout, table, watch: &|_| false, visited: AtomicU64::new(0) };
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let greatest = position::values(G::KIND, size).greatest;
    let turn_starts = positions.all.iter().zip(&ranges).filter(|(position, _)| position.phase() == Phase::Start);
    let some: Vec<_> = turn_starts.collect();
    for &(position, range) in some.choose_multiple(&mut rng, 200) {
        let range = if position.to_move() == Player::Black { *range } else { range.negated() };
        let wanted = rng.random_range(1 - greatest..=greatest);
        let most = range.upper.map_or(greatest, |upper| upper.0);
        let least = range.lower.map_or(-greatest, |lower| lower.0);
        match Searcher::new(&shared, 100_000).forces(position, wanted) {
            Ok(true) => assert!(wanted <= least, "{wanted} {position:?}"),
            Ok(false) => assert!(wanted > most, "{wanted} {position:?}"),
            Err(_) => assert!(G::KIND.can_repeat() && wanted > least && wanted <= most, "{wanted} {position:?}"),
        }
    }
}

/// Retrograde analysis at all starts of turns.
fn analysis_agrees<G: Solvable>(positions: &Positions<G>, ranges: &[Range]) {
    let start = &positions.all[0];
    let layout = Layout::of::<G>(start.size()).expect("small enough");
    let analysis = Analysis::of(layout, start, &LIMITS).expect("memory suffices");
    let turn_starts = positions.all.iter().zip(ranges).filter(|(position, _)| position.phase() == Phase::Start);
    for (position, range) in turn_starts {
        assert_eq!(analysis.value(position), Some(*range), "{position:?}");
    }
}

/// As [`agree_everywhere`], but by whole turns and without search, on larger boards.
fn agree_by_turns<G: Solvable>(size: usize, handicap: usize) {
    let positions = Positions::of_turns(&G::new(size, Options { handicap, pie: false }));
    println!("{} positions at the start of a turn", positions.all.len());
    analysis_agrees(&positions, &positions.ranges());
}

// One at a time: `cargo test --release --lib fugo_of_side_4_agrees -- --ignored`.

#[test]
#[ignore = "takes a minute and 2.2 GB"]
fn yugo_of_side_3_agrees_with_exhaustive_search() {
    agree_by_turns::<Yugo<1>>(3, 0);
    agree_by_turns::<Yugo<1>>(3, 2);
}

#[test]
#[ignore = "takes two minutes and 4.5 GB"]
fn fugo_of_side_4_agrees_with_exhaustive_search() {
    agree_by_turns::<Fugo<1>>(4, 0);
}

#[test]
#[ignore = "takes seven minutes and 8 GB"]
fn sligo_of_side_4_agrees_with_exhaustive_search() {
    agree_by_turns::<Sligo<1>>(4, 0);
}

#[test]
fn yugo_agrees_with_exhaustive_search() {
    (1..=2).for_each(agree_everywhere::<Yugo<1>>);
}

#[test]
fn yugo_with_handicap_agrees_with_exhaustive_search() {
    (1..=2).for_each(|handicap| agree_with_handicap::<Yugo<1>>(2, handicap));
}

#[test]
fn linage_agrees_with_exhaustive_search() {
    (3..=4).for_each(agree_everywhere::<Linage<1>>);
}

#[test]
fn fugo_agrees_with_exhaustive_search() {
    (1..=3).for_each(agree_everywhere::<Fugo<1>>);
}

#[test]
fn sligo_agrees_with_exhaustive_search() {
    (1..=3).for_each(agree_everywhere::<Sligo<1>>);
}

/// Search and retrograde analysis on all first moves, with one thread and with two.
fn methods_agree<G: Solvable>(size: usize, handicap: usize) -> Solution {
    let two = Limits { threads: 2, ..LIMITS };
    let [retrograde, other, search] =
        [(Method::Retrograde, &LIMITS), (Method::Retrograde, &two), (Method::Search, &two)]
            .map(|(method, limits)| solve_with::<G>(size, handicap, Some(method), limits).expect("a board"));
    assert_eq!(retrograde.value, other.value);
    assert_eq!(retrograde.first_moves, other.first_moves);
    assert_eq!(retrograde.first_moves, search.first_moves);
    assert_eq!((search.value, search.stopped), (retrograde.value, None));
    retrograde
}

#[test]
fn the_methods_agree() {
    methods_agree::<Yugo<1>>(3, 0);
    methods_agree::<Linage<1>>(4, 0);
    methods_agree::<Fugo<1>>(3, 0);
    methods_agree::<Sligo<1>>(3, 0);
}

#[test]
fn handicap_pawns_are_worth_their_known_values() {
    let value = |size, handicap| {
        let solution = methods_agree::<Yugo<1>>(size, handicap);
        assert_eq!((solution.handicap, solution.first_moves.len()), (handicap, size * size));
        solution.verdict().to_string()
    };
    assert_eq!([1, 2].map(|handicap| value(2, handicap)), ["value +0.5", "value +3.5"]);
    assert_eq!(
        [1, 2, 3, 4].map(|handicap| value(3, handicap)),
        ["value +3.5", "value +4.5", "value +8.5", "value +8.5"]
    );
}

#[test]
fn handicaps_that_are_not_allowed_are_refused() {
    for refused in [
        solve_with::<Yugo<1>>(3, 5, None, &LIMITS),
        solve_with::<Yugo<1>>(1, 1, None, &LIMITS),
        solve_with::<Sligo<1>>(3, 1, None, &LIMITS),
    ] {
        assert!(matches!(refused, Err(SolveError::Options(OptionsError::Handicap { .. }))), "{refused:?}");
    }
}

#[test]
fn search_ends_where_play_is_endless() {
    let solution = solve_with::<Sligo<1>>(2, 0, Some(Method::Search), &LIMITS).expect("a size of the game");
    assert_eq!(solution.stopped, Some(Stopped::Circles));
    assert_eq!(solution.verdict(), Verdict::Bounds(HalfPoints(-8), HalfPoints(8)));
}

#[test]
fn stopped_work_tells_what_is_proven() {
    let stop = AtomicBool::new(true);
    let stopped = Limits { stop: &stop, ..LIMITS };
    for method in [Method::Retrograde, Method::Search] {
        let solution = solve_with::<Sligo<1>>(4, 0, Some(method), &stopped).expect("a size of the game");
        assert_eq!(solution.stopped, Some(Stopped::Asked));
        assert_eq!(solution.verdict().to_string(), "bounds -16 +16");
    }
    // After the first sweep some bounds are proven, and after some visits.
    for (method, size) in [(Method::Retrograde, 4), (Method::Search, 5)] {
        stop.store(false, Ordering::Relaxed);
        let observer = |progress| match progress {
            Progress::Positions { .. } => {}
            Progress::Sweep { .. } | Progress::Search { .. } => stop.store(true, Ordering::Relaxed),
        };
        let limits = Limits { stop: &stop, observer: &observer, ..LIMITS };
        let solution = solve_with::<Linage<1>>(size, 0, Some(method), &limits).expect("a size of the game");
        assert_eq!(solution.stopped, Some(Stopped::Asked));
        let Verdict::Bounds(lower, upper) = solution.verdict() else { panic!("{solution:?}") };
        let value = if size == 4 { 10 } else { 14 };
        assert!(lower.0 <= value && value <= upper.0 && upper.0 - lower.0 < 4 * (size * size) as i32);
    }
}

#[test]
fn memory_is_bounded() {
    let small = Limits { memory: 1 << 20, ..LIMITS };
    let solution = solve_with::<Yugo<1>>(3, 0, Some(Method::Retrograde), &small).expect("a size of the game");
    assert_eq!(solution.stopped, Some(Stopped::Memory));
    assert_eq!(solution.verdict().to_string(), "bounds -9.5 +9.5");
    let solution = solve::<Yugo<1>>(3, &small).expect("a size of the game");
    assert_eq!((solution.method, solution.verdict()), (Method::Search, Verdict::Margin(HalfPoints(7))));
    assert!(solution.memory <= small.memory);
}

#[test]
fn boards_that_are_too_large_or_no_boards() {
    let solution = solve::<Sligo<1>>(7, &LIMITS).expect("a size of the game");
    assert_eq!(solution.stopped, Some(Stopped::Size));
    assert_eq!(solution.verdict().to_string(), "bounds -49 +49");
    // Rows are further apart on wider boards, which the solver leaves alone.
    assert_eq!(solve::<Linage<2>>(3, &LIMITS).expect("a size of the game").stopped, Some(Stopped::Size));
    assert_eq!(solve::<Fugo<6>>(19, &LIMITS).expect("a size of the game").verdict().to_string(), "bounds -1 +1");
    assert!(matches!(solve::<Linage<1>>(2, &LIMITS), Err(SolveError::Options(_))));
}
