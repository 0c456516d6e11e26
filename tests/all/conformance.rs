//! One battery for every game: what the trait `Game` promises, on positions of games driven by numbers.

use std::collections::{HashMap, HashSet};

use fairkomi::board::{Point, Symmetry};
use fairkomi::games::{
    Button, End, Game, GameKind, HalfPoints, Options, Phase, Player, Special, StartPosition, Status, Step, StepSet,
    Turn, TurnError, parse_step, parse_turn, perft, step_name, turns,
};
use fairkomi::with_game;

use crate::play::{after, boards, check, choices, made_sound, pick};

/// How much of a game is looked at.
#[derive(Clone, Copy)]
struct Effort {
    cases: u32,
    /// Turns a game.
    length: usize,
    /// Steps and turns looked at closely in a position.
    width: usize,
}

/// The efforts that keep the whole test quick.
fn effort(kind: GameKind, n: usize) -> Effort {
    let (cases, length, width) = match (kind, n) {
        (_, 0..=3) => (20, 30, usize::MAX),
        (_, 4..=5) => (10, 50, 200),
        (GameKind::Sligo, 6..=9) => (2, 40, 12),
        (GameKind::Sligo, _) => (1, 20, 6),
        (_, 6..=9) => (6, 120, 24),
        (_, _) => (2, 150, 12),
    };
    Effort { cases, length, width }
}

fn on_all_sizes(kind: GameKind) {
    for n in [1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 13, 14, 19] {
        if n < kind.min_size() {
            continue;
        }
        with_game!(kind, n, G => battery::<G>(n, Options::default()));
    }
}

#[test]
fn yugo() {
    on_all_sizes(GameKind::Yugo);
    for (n, handicap) in [(2, 2), (3, 4), (5, 1), (9, 9)] {
        with_game!(GameKind::Yugo, n, G => battery::<G>(n, Options { handicap, pie: false }));
    }
}

#[test]
fn linage() {
    on_all_sizes(GameKind::Linage);
}

#[test]
fn fugo() {
    on_all_sizes(GameKind::Fugo);
    for n in [1, 2, 4, 8] {
        with_game!(GameKind::Fugo, n, G => battery::<G>(n, Options { handicap: 0, pie: true }));
    }
}

#[test]
fn sligo() {
    on_all_sizes(GameKind::Sligo);
}

/// Crowded positions that uniform play seldom comes to.
#[test]
fn crowded_boards() {
    for kind in GameKind::ALL {
        let strategy = (boards(kind, kind.min_size().max(2)..=6), proptest::prelude::any::<u32>());
        check(60, strategy, |(start, order)| {
            let start = made_sound(kind, &start, order);
            with_game!(kind, start.size, G => {
                let game = G::from_position(&start).expect("a sound board");
                assert_eq!(game.rows(), start.rows);
                assert_eq!((game.to_move(), game.passes()), (start.to_move, 0));
                position_holds(&game, 100, &mut Keys::new(), order);
                rebuilt_from_text(&game, true);
            });
        });
    }
}

/// The keys of boards so far, by text, and the other way round.
type Keys = HashMap<u128, (Vec<String>, Player)>;

fn battery<G: Game>(n: usize, options: Options) {
    options.check(G::KIND, n).unwrap();
    let Effort { cases, length, width } = effort(G::KIND, n);
    names_round_trip(&G::new(n, options));
    check(cases, choices(length), |choices| {
        let mut game = G::new(n, options);
        let mut keys = Keys::new();
        let mut earlier = HashSet::from([game.board_key()]);
        // Big boards are looked at closely every few turns.
        let every = if width > 100 { 1 } else { length / 12 };
        for (ply, choice) in choices.iter().enumerate() {
            let all = turns(&game);
            if ply % every == 0 || all.is_empty() {
                position_holds(&game, width, &mut keys, *choice);
                rebuilt_from_text(&game, !options.pie);
            }
            if all.is_empty() {
                assert!(game.end().is_some());
                return;
            }
            let next = all[pick(&game, &all, &earlier, *choice)].1.clone();
            earlier.insert(next.board_key());
            game = next;
        }
    });
}

/// Everything that has to hold in a position at the start of a turn. `salt` varies what is sampled.
fn position_holds<G: Game>(game: &G, width: usize, keys: &mut Keys, salt: u32) {
    assert_eq!(game.phase(), Phase::Start);
    let all = turns(game);
    steps_begin_turns(game, &all);
    turns_are_what_their_texts_say(game, &all, width);
    other_texts_are_refused(game, &all, salt);
    scores_add_up(game);
    symmetries_change_nothing(game, &all, width.min(60));
    search_drops_no_board(game, &all);
    for (_, next) in &all {
        keys_tell_boards_apart(next, keys);
    }
}

/// At most `width` of the items, spread evenly.
fn sample<T>(items: &[T], width: usize) -> impl Iterator<Item = &T> {
    items.iter().step_by(items.len().div_ceil(width).max(1))
}

fn all_points<G: Game>(game: &G) -> Vec<Point> {
    (0..game.size() * game.size()).map(|dense| game.from_dense(dense)).collect()
}

fn all_steps<G: Game>(game: &G) -> Vec<Step> {
    all_points(game).into_iter().map(Step::Point).chain(Special::ALL.map(Step::Special)).collect()
}

fn step_set<P>(status: Status<P>) -> Option<StepSet<P>> {
    match status {
        Status::Running(steps) => Some(steps),
        Status::Over(_) => None,
    }
}

/// The legal steps, after a look at the set itself; none when the game is over.
fn legal_steps<G: Game>(game: &G, status: Status<G::Points>) -> Vec<Step> {
    let Some(set) = step_set(status) else { return Vec::new() };
    let steps: Vec<Step> = set.iter().collect();
    assert!(!steps.is_empty() && !set.is_empty(), "a running game without a step");
    assert_eq!(steps.len(), set.len());
    assert!((0..steps.len()).all(|index| set.nth(index) == steps[index]));
    let expected: Vec<Step> = all_steps(game).into_iter().filter(|step| set.contains(*step)).collect();
    assert_eq!(steps, expected, "points in ascending order, then specials");
    steps
}

fn names_round_trip<G: Game>(game: &G) {
    let n = game.size();
    for (dense, point) in all_points(game).into_iter().enumerate() {
        assert_eq!(game.dense(point), dense);
        let name = game.point_name(point);
        assert_eq!(game.parse_point(&name), Ok(point));
        let (row, column) = (dense / n, dense % n);
        assert_eq!(name, format!("{}{}", "ABCDEFGHJKLMNOPQRST".as_bytes()[column] as char, row + 1));
        for symmetry in Symmetry::all() {
            let image = game.dense(game.map_point(symmetry, point));
            assert_eq!((image / n, image % n), symmetry.map(n, row, column));
        }
    }
    for step in all_steps(game) {
        assert_eq!(parse_step(game, &step_name(game, step)), Ok(step));
    }
}

/// Each legal step begins, or goes on with, a legal turn, and the turns are made of nothing else.
fn steps_begin_turns<G: Game>(game: &G, all: &[(Turn, G)]) {
    fn leaves<G: Game>(game: &G, depth: usize) -> usize {
        let steps = legal_steps(game, game.status());
        assert!(depth == 0 || !steps.is_empty(), "no end amid a turn");
        assert!(depth < 3);
        steps
            .into_iter()
            .map(|step| {
                let next = after(game, Turn::begin(step));
                if next.phase() == Phase::Start { 1 } else { leaves(&next, depth + 1) }
            })
            .sum()
    }
    assert_eq!(leaves(game, 0), all.len());
    assert_eq!(perft(game, 1), all.len() as u64);
    assert_eq!(all.iter().map(|(turn, _)| turn).collect::<HashSet<_>>().len(), all.len());
    assert_eq!(all.is_empty(), game.end().is_some());
}

fn turns_are_what_their_texts_say<G: Game>(game: &G, all: &[(Turn, G)], width: usize) {
    let mut texts = HashSet::new();
    for (turn, next) in sample(all, width) {
        let text = turn.text(game);
        assert_eq!(parse_turn(game, &text).as_ref(), Ok(turn));
        assert_eq!(parse_turn(game, &text.to_lowercase()).as_ref(), Ok(turn));
        assert_eq!(after(game, *turn), *next);
        let [steps @ .., last] = turn.steps() else { panic!("a turn has a step") };
        if let [first, more @ ..] = steps {
            let begun = more.iter().fold(Turn::begin(*first), |turn, step| turn.then(*step));
            assert_eq!(parse_turn(game, &begun.text(game)), Err(TurnError::Incomplete));
        }
        if turn.steps().len() < 3 {
            let mark = ['-', ','][steps.len()];
            let longer = format!("{text}{mark}{}", step_name(game, *last));
            assert_eq!(parse_turn(game, &longer), Err(TurnError::TooLong(text.clone())));
        }
        for odd in [format!("{text} "), format!(" {text}"), format!("{text},"), format!("{text}-")] {
            assert!(parse_turn(game, &odd).is_err(), "{odd}");
        }
        assert!(texts.insert(text));

        let stays = *last == Step::SWAP || game.handicap_left() > 1;
        assert_eq!(next.to_move() == game.to_move(), stays);
        assert_eq!(next.phase(), Phase::Start);
        let passed = *last == Step::PASS;
        assert_eq!(next.passes(), if passed { game.passes() + 1 } else { 0 });
        if let Step::Special(_) = last {
            assert_eq!(next.rows(), game.rows());
        }
        let swapped = (*last == Step::SWAP) != game.swapped();
        assert_eq!((next.swapped(), next.seat_of(Player::Black) != next.seat_of(Player::White)), (swapped, true));
        match (game.button(), *last) {
            (Button::Free, Step::BUTTON) => assert_eq!(next.button(), Button::Taken(game.to_move())),
            (button, _) => assert_eq!(next.button(), button),
        }
        if passed {
            assert_eq!(next.end(), (next.passes() == 2).then_some(End::Passes));
        }
    }
}

/// Texts that name no legal turn are refused with a reason.
fn other_texts_are_refused<G: Game>(game: &G, all: &[(Turn, G)], salt: u32) {
    let legal: HashSet<Turn> = all.iter().map(|(turn, _)| *turn).collect();
    let begun: HashSet<(Step, Option<Step>)> = all
        .iter()
        .flat_map(|(turn, _)| match *turn.steps() {
            [first, second] => vec![(first, None), (first, Some(second))],
            [first, second, _] => vec![(first, None), (first, Some(second))],
            _ => vec![],
        })
        .collect();
    let judge = |turn: Turn| {
        let text = turn.text(game);
        let found = parse_turn(game, &text);
        assert_eq!(found.is_ok(), legal.contains(&turn), "{text}");
        let Err(error) = found else { return };
        assert!(!error.to_string().is_empty());
        let prefix = match *turn.steps() {
            [first] => begun.contains(&(first, None)),
            [first, second] => begun.contains(&(first, Some(second))),
            _ => false,
        };
        assert_eq!(error == TurnError::Incomplete, prefix, "{text}: {error}");
        assert_eq!(error == TurnError::Over, legal.is_empty(), "{text}: {error}");
    };
    let steps = all_steps(game);
    for step in &steps {
        judge(Turn::begin(*step));
    }
    let some = |random: &mut u32| {
        *random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        steps[(*random >> 8) as usize % steps.len()]
    };
    let mut random = salt;
    if game.size() <= 2 {
        for first in &steps {
            for second in &steps {
                judge(Turn::begin(*first).then(*second));
                steps.iter().for_each(|third| judge(Turn::begin(*first).then(*second).then(*third)));
            }
        }
    }
    for _ in 0..40 {
        judge(Turn::begin(some(&mut random)).then(some(&mut random)));
        judge(Turn::begin(some(&mut random)).then(some(&mut random)).then(some(&mut random)));
        // Nearly legal turns: one step of a legal one changed.
        if let Some((turn, _)) = all.get(random as usize % all.len().max(1)) {
            let mut steps = turn.steps().to_vec();
            let place = random as usize / 7 % steps.len();
            steps[place] = some(&mut random);
            judge(steps[1..].iter().fold(Turn::begin(steps[0]), |turn, step| turn.then(*step)));
        }
    }
    for odd in ["", "-", ",", "A1-", "-A1", "A1,A1", "A1-A1,", "Z9", "I1", "A0", "pass-pass", "é", "A1-A2-A3"] {
        assert!(parse_turn(game, odd).is_err(), "{odd}");
    }
}

fn scores_add_up<G: Game>(game: &G) {
    let rows = game.rows();
    let occupied = rows.iter().flat_map(|row| row.chars()).filter(|c| *c != '.').count();
    assert_eq!(game.piece_count(), occupied);
    let owned = |player| 2 * all_points(game).iter().filter(|p| game.owner(**p) == Some(player)).count() as i32;
    let Some(score) = game.score() else {
        assert!(!G::KIND.has_score());
        assert_eq!((owned(Player::Black), owned(Player::White)), (0, 0));
        assert_eq!(game.winner(HalfPoints(0)), Some(game.to_move().other()));
        return;
    };
    assert!(G::KIND.has_score());
    let button = |player| i32::from(game.button() == Button::Taken(player));
    assert_eq!(score.black, HalfPoints(owned(Player::Black) + button(Player::Black)));
    assert_eq!(score.white, HalfPoints(owned(Player::White) + button(Player::White)));
    assert_eq!(score.margin(), score.black - score.white);
    if game.button() != Button::Free {
        assert_eq!(score.margin().0.rem_euclid(2), G::KIND.margin_parity(), "the margin's lattice");
    }
    for komi in (-2 * 19 * 19..=2 * 19 * 19).map(HalfPoints) {
        let winner = game.winner(komi);
        assert_eq!(winner.is_none(), score.black == score.white + komi);
        assert_eq!(winner == Some(Player::Black), score.black > score.white + komi);
        if game.end().is_some() && G::KIND != GameKind::Sligo && G::KIND.allows_komi(komi) {
            assert!(winner.is_some(), "an allowed komi leaves no tie");
        }
    }
}

/// The image of a position has the images of its steps, turns, scores and end.
fn symmetries_change_nothing<G: Game>(game: &G, all: &[(Turn, G)], width: usize) {
    for symmetry in Symmetry::all() {
        let exchanged = G::KIND.exchanges_players(symmetry);
        let player = |player: Player| if exchanged { player.other() } else { player };
        let step = |step: Step| match step {
            Step::Point(point) => Step::Point(game.map_point(symmetry, point)),
            special => special,
        };
        let image = game.mapped(symmetry);
        assert_eq!(image.mapped(symmetry.inverse()), *game);
        assert_eq!(image.to_move(), player(game.to_move()));
        assert_eq!(image.score(), game.score().map(|score| if exchanged { score.exchanged() } else { score }));
        assert_eq!(image.end(), game.end());
        for point in all_points(game) {
            let to = game.map_point(symmetry, point);
            assert_eq!(image.owner(to), game.owner(point).map(player));
            assert_eq!(image.cell(to), game.cell(point));
        }
        same_steps(game, &image, step);
        for (turn, next) in sample(all, width / 2) {
            let turn_image = turn.map(step);
            let mut halfway = (game.clone(), image.clone());
            for (one, other) in turn.steps().iter().zip(turn_image.steps()) {
                assert_eq!(halfway.0.mapped(symmetry), halfway.1);
                same_steps(&halfway.0, &halfway.1, step);
                halfway.0.play(*one);
                halfway.1.play(*other);
            }
            assert_eq!(next.mapped(symmetry), halfway.1);
            assert_eq!(parse_turn(&image, &turn_image.text(&image)), Ok(turn_image));
        }
    }
}

fn same_steps<G: Game>(game: &G, image: &G, step: impl Fn(Step) -> Step) {
    for (one, other) in [(game.status(), image.status()), (game.search_status(), image.search_status())] {
        let (one, other) = (step_set(one), step_set(other));
        assert_eq!(one.map(|set| set.len()), other.map(|set| set.len()));
        if let (Some(one), Some(other)) = (one, other) {
            assert!(one.iter().all(|s| other.contains(step(s))));
        }
    }
}

/// The search's steps reach the same boards; it drops "move, then place on the point just left" where placing at
/// the destination directly is legal, and nothing else.
fn search_drops_no_board<G: Game>(game: &G, all: &[(Turn, G)]) {
    fn collect<G: Game>(game: &G, turn: Option<Turn>, found: &mut HashSet<Turn>, boards: &mut HashSet<G>) {
        let searched = game.search_status();
        if turn.is_some() {
            assert!(step_set(searched).is_some(), "a searched step leads nowhere");
        }
        for step in legal_steps(game, searched) {
            let next = after(game, Turn::begin(step));
            let turn = turn.map_or(Turn::begin(step), |turn| turn.then(step));
            if next.phase() == Phase::Start {
                found.insert(turn);
                boards.insert(next);
            } else {
                collect(&next, Some(turn), found, boards);
            }
        }
    }
    let (mut found, mut boards) = (HashSet::new(), HashSet::new());
    collect(game, None, &mut found, &mut boards);
    let legal: HashSet<Turn> = all.iter().map(|(turn, _)| *turn).collect();
    let kept = |turn: &&Turn| match *turn.steps() {
        [from, to, then] => from != then || !legal.contains(&Turn::begin(to)),
        _ => true,
    };
    assert_eq!(found, legal.iter().filter(kept).copied().collect::<HashSet<_>>());
    assert_eq!(boards, all.iter().map(|(_, next)| next.clone()).collect::<HashSet<_>>());
}

/// A position read from its own text is the same position (the number of passes apart, which text does not hold).
fn rebuilt_from_text<G: Game>(game: &G, pie_is_off: bool) {
    if game.handicap_left() > 0 || game.swapped() {
        return;
    }
    let button = match game.button() {
        Button::Taken(player) => Some(player),
        _ => None,
    };
    let start = StartPosition { size: game.size(), rows: game.rows(), to_move: game.to_move(), button };
    let rebuilt = G::from_position(&start).expect("a position that play has reached");
    assert_eq!(rebuilt.rows(), game.rows());
    assert_eq!(rebuilt.owner_rows(), game.owner_rows());
    assert_eq!((rebuilt.score(), rebuilt.board_key()), (game.score(), game.board_key()));
    if game.passes() == 0 && pie_is_off {
        assert_eq!(rebuilt, *game);
    }
    if let (Some(one), Some(other)) = (step_set(rebuilt.status()), step_set(game.status())) {
        assert_eq!(one.points, other.points);
    }
}

fn keys_tell_boards_apart<G: Game>(game: &G, keys: &mut Keys) {
    let board = (game.rows(), game.to_move());
    let known = keys.entry(game.board_key()).or_insert_with(|| board.clone());
    assert_eq!(*known, board, "two boards with one key");
    // The other way round: the key depends on the board and the player to move alone.
    let button = if G::KIND == GameKind::Yugo { Some(Player::White) } else { None };
    let start = StartPosition { size: game.size(), rows: board.0, to_move: board.1, button };
    assert_eq!(G::from_position(&start).expect("a board that play has reached").board_key(), game.board_key());
}
