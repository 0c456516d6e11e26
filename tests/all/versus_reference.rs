//! The rules against the slow, literal reference, in played games and on boards of any shape.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};

use fairkomi::games::{Game, GameKind, HalfPoints, Options, Player, PositionError, Turn, turns};
use fairkomi::with_game;

use crate::play::{boards, check, choices, made_sound, pick, ref_from, rule};
use crate::reference::RefGame;

/// How often something worth testing came up, so that a change to the choices cannot make the tests idle.
#[derive(Default)]
struct Seen(RefCell<BTreeMap<&'static str, usize>>);

impl Seen {
    fn count(&self, what: &'static str, when: bool) {
        if when {
            *self.0.borrow_mut().entry(what).or_default() += 1;
        }
    }

    fn at_least(&self, what: &str, least: usize) {
        let seen = self.0.borrow();
        assert!(seen.get(what).is_some_and(|count| *count >= least), "{what}: fewer than {least} in {seen:?}");
    }
}

fn texts<G: Game>(game: &G, all: &[(Turn, G)]) -> Vec<String> {
    let mut texts: Vec<String> = all.iter().map(|(turn, _)| turn.text(game)).collect();
    texts.sort();
    texts
}

/// Everything that both sides can tell of a position.
fn agree<G: Game>(game: &G, all: &[(Turn, G)], reference: &RefGame, turns_too: bool) {
    let rows = reference.rows();
    assert_eq!(game.rows(), rows);
    assert_eq!(game.to_move() == Player::Black, reference.black_to_move(), "{rows:?}");
    assert_eq!(game.swapped(), reference.swapped());
    let score = game.score().map(|score| (score.black.0, score.white.0));
    assert_eq!(score, reference.scores_in_half_points(), "{rows:?}");
    let letter = |owner: Option<bool>| owner.map_or('.', |black| if black { 'X' } else { 'O' });
    let owners: Vec<String> = reference.owners().into_iter().map(|row| row.into_iter().map(letter).collect()).collect();
    assert_eq!(game.owner_rows(), owners, "{rows:?}");
    if turns_too {
        let legal = reference.legal_turns();
        assert_eq!(texts(game, all), legal, "{rows:?}, {:?} to move", game.to_move());
        assert_eq!(game.end().is_some(), reference.is_over(), "{rows:?}");
        let winner = if game.end().is_some() { game.winner(HalfPoints(0)) } else { None };
        assert_eq!(winner.map(|player| player == Player::Black), reference.winner_is_black(), "{rows:?}");
    }
}

/// Plays both by the same choices.
fn game<G: Game>(n: usize, options: Options, choices: &[u32], look_every: usize, seen: &Seen) {
    let mut game = G::new(n, options);
    let mut reference = RefGame::new(rule(G::KIND), n, options.pie, options.handicap);
    let mut earlier = HashSet::from([game.board_key()]);
    for (ply, choice) in choices.iter().enumerate() {
        let all = turns(&game);
        let last = ply + 1 == choices.len() || all.is_empty();
        agree(&game, &all, &reference, last || (ply + choices.len()).is_multiple_of(look_every));
        if all.is_empty() {
            seen.count("end", true);
            return;
        }
        let (turn, next) = &all[pick(&game, &all, &earlier, *choice)];
        reference.play(&turn.text(&game)).unwrap();
        tally(&game, *turn, next, !earlier.insert(next.board_key()), seen);
        game = next.clone();
    }
}

fn tally<G: Game>(game: &G, turn: Turn, next: &G, known: bool, seen: &Seen) {
    let kings = |game: &G| game.rows().concat().chars().filter(|c| "#@".contains(*c)).count();
    let placed = turn.text(game).ends_with(|c: char| c.is_ascii_digit());
    seen.count("movement", turn.steps().len() > 1);
    seen.count("taken", placed && next.piece_count() <= game.piece_count());
    seen.count("several taken", placed && next.piece_count() + 1 < game.piece_count());
    seen.count("king", kings(next) > kings(game));
    seen.count("repetition", placed && known);
    seen.count("swap", next.swapped() && !game.swapped());
}

/// Games of one kind on sizes from `sizes`, whose turns are compared every `look_every` plies.
fn games(kind: GameKind, sizes: &[usize], cases: u32, length: fn(usize) -> usize, look_every: usize, seen: &Seen) {
    for n in sizes.iter().copied() {
        check(cases, choices(length(n)), |choices| {
            let extra = choices[0] as usize / 16;
            let options = Options {
                handicap: if kind == GameKind::Yugo && extra.is_multiple_of(3) {
                    extra / 3 % (n * n / 2 + 1)
                } else {
                    0
                },
                pie: kind == GameKind::Fugo && extra.is_multiple_of(2),
            };
            with_game!(kind, n, G => game::<G>(n, options, &choices, look_every, seen));
        });
    }
}

/// Boards of any shape: refused if unsound, else compared, with one turn more.
fn start_boards(kind: GameKind, sizes: std::ops::RangeInclusive<usize>, cases: u32, seen: &Seen) {
    check(cases, (boards(kind, sizes), proptest::prelude::any::<u32>()), |(start, order)| {
        with_game!(kind, start.size, G => {
            let sound = ref_from(kind, &start).is_sound();
            seen.count("unsound", !sound);
            match G::from_position(&start) {
                Ok(_) => assert!(sound, "{:?} was not refused", start.rows),
                Err(PositionError::Unreachable { .. }) => assert!(!sound, "{:?} was refused", start.rows),
                Err(error) => panic!("{error}"),
            }
            let start = made_sound(kind, &start, order);
            let game = G::from_position(&start).unwrap();
            let reference = ref_from(kind, &start);
            let all = turns(&game);
            agree(&game, &all, &reference, true);
            for choice in (0..if all.is_empty() { 0 } else { 6 }).map(|k| order.rotate_left(5 * k)) {
                let (turn, next) = &all[pick(&game, &all, &HashSet::new(), choice)];
                let mut reference = reference.clone();
                reference.play(&turn.text(&game)).unwrap();
                // Turns once more only after the first few: they are slow to find.
                agree(next, &turns(next), &reference, order % 4 == 0);
                tally(&game, *turn, next, false, seen);
            }
        });
    });
}

#[test]
fn yugo_games() {
    let seen = Seen::default();
    games(GameKind::Yugo, &[1, 2, 3, 4, 5, 6], 60, |n| 4 * n * n, 1, &seen);
    games(GameKind::Yugo, &[7, 8, 9], 12, |n| 4 * n * n, 3, &seen);
    seen.at_least("king", 1000);
    seen.at_least("several taken", 100);
    seen.at_least("end", 50);
}

#[test]
fn yugo_boards() {
    let seen = Seen::default();
    start_boards(GameKind::Yugo, 1..=5, 400, &seen);
    start_boards(GameKind::Yugo, 7..=9, 30, &seen);
    seen.at_least("king", 100);
    seen.at_least("unsound", 50);
}

#[test]
fn linage_games() {
    let seen = Seen::default();
    games(GameKind::Linage, &[3, 4, 5, 6], 60, |n| n * n + 2, 1, &seen);
    games(GameKind::Linage, &[7, 8, 9], 20, |n| n * n + 2, 3, &seen);
    seen.at_least("end", 50);
}

#[test]
fn linage_boards() {
    let seen = Seen::default();
    start_boards(GameKind::Linage, 3..=9, 400, &seen);
    seen.at_least("unsound", 50);
}

#[test]
fn fugo_games() {
    let seen = Seen::default();
    games(GameKind::Fugo, &[1, 2, 3, 4, 5, 6], 60, |n| 2 * n * n, 1, &seen);
    games(GameKind::Fugo, &[7, 8, 9], 10, |n| 2 * n * n, 4, &seen);
    seen.at_least("movement", 300);
    seen.at_least("swap", 8);
    seen.at_least("end", 50);
}

#[test]
fn fugo_boards() {
    let seen = Seen::default();
    start_boards(GameKind::Fugo, 1..=5, 500, &seen);
    start_boards(GameKind::Fugo, 7..=9, 30, &seen);
    seen.at_least("movement", 100);
}

#[test]
fn sligo_games() {
    let seen = Seen::default();
    games(GameKind::Sligo, &[1, 2, 3, 4], 40, |n| 10 * n, 1, &seen);
    games(GameKind::Sligo, &[5, 6], 20, |n| 10 * n, 9, &seen);
    games(GameKind::Sligo, &[7, 8, 9], 4, |n| 8 * n, 40, &seen);
    seen.at_least("movement", 1000);
    seen.at_least("taken", 200);
    seen.at_least("several taken", 50);
    seen.at_least("repetition", 20);
    seen.at_least("end", 20);
}

#[test]
fn sligo_boards() {
    let seen = Seen::default();
    start_boards(GameKind::Sligo, 1..=5, 300, &seen);
    start_boards(GameKind::Sligo, 7..=9, 4, &seen);
    seen.at_least("taken", 100);
    seen.at_least("movement", 100);
    seen.at_least("unsound", 50);
}
