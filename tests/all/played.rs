//! Whole games: repetition and the move cap, Fugo's swap, Yugo's handicap and button, which komi is allowed.

use std::cell::Cell;
use std::collections::HashSet;

use fairkomi::games::{
    Button, End, Ending, Fugo, Game, GameKind, HalfPoints, Linage, Options, OptionsError, Phase, Played, Player, Seat,
    Sligo, Step, TurnError, Yugo, parse_turn, turns,
};
use fairkomi::with_game;

use crate::play::{check, choices, pick};

fn play_text<G: Game>(game: &mut Played<G>, text: &str) -> Result<(), TurnError> {
    let turn = parse_turn(game.position(), text)?;
    turn.steps().iter().for_each(|step| game.play(*step));
    Ok(())
}

fn played<G: Game>(n: usize, options: Options, cap: Option<usize>, texts: &[&str]) -> Played<G> {
    let mut game = Played::new(G::new(n, options), cap);
    for text in texts {
        assert_eq!(game.ending(), None, "before {text}");
        play_text(&mut game, text).unwrap_or_else(|error| panic!("{text}: {error}"));
    }
    game
}

/// Ends as the rulings say, told from the boards as text.
fn expected<G: Game>(
    now: &G,
    placed: bool,
    earlier: &[(Vec<String>, Player)],
    count: usize,
    cap: Option<usize>,
) -> Option<Ending> {
    if placed && earlier.contains(&(now.rows(), now.to_move())) {
        return Some(Ending::Repetition);
    }
    match now.end() {
        Some(End::Passes) => Some(Ending::Pass),
        Some(End::NoMove) => Some(Ending::NoMove),
        None => (Some(count) == cap).then_some(Ending::MoveCap),
    }
}

#[test]
fn games_end_as_ruled() {
    let endings = [const { Cell::new(0) }; 4];
    for (kind, n) in [
        (GameKind::Yugo, 3),
        (GameKind::Linage, 4),
        (GameKind::Fugo, 3),
        (GameKind::Fugo, 4),
        (GameKind::Fugo, 8),
        (GameKind::Sligo, 2),
        (GameKind::Sligo, 4),
    ] {
        check(80, (choices(120), proptest::option::of(1..60usize)), |(choices, cap)| {
            with_game!(kind, n, G => {
                let options = Options { handicap: 0, pie: kind == GameKind::Fugo };
                let mut game = Played::new(G::new(n, options), cap);
                let mut earlier = vec![(game.position().rows(), game.position().to_move())];
                for (ply, choice) in choices.iter().enumerate() {
                    if game.ending().is_some() {
                        break;
                    }
                    let all = turns(game.position());
                    let known: HashSet<u128> = game.keys().iter().copied().collect();
                    let (turn, next) = &all[pick(game.position(), &all, &known, *choice)];
                    for (done, step) in turn.steps().iter().enumerate() {
                        assert_eq!(game.partial().map_or(0, |turn| turn.steps().len()), done);
                        assert_eq!(game.ending(), None);
                        game.play(*step);
                    }
                    assert_eq!((game.position(), game.partial()), (next, None));
                    assert_eq!((game.turns().len(), game.turns()[ply]), (ply + 1, *turn));
                    assert_eq!(game.turns_left(), cap.map(|cap| cap - ply - 1));
                    let placed = matches!(turn.steps()[0], Step::Point(_));
                    let ending = expected(next, placed, &earlier, ply + 1, cap);
                    assert_eq!(game.ending(), ending);
                    earlier.push((next.rows(), next.to_move()));
                    let winner = game.winner(HalfPoints(1));
                    match ending {
                        Some(Ending::Pass | Ending::NoMove) => assert_eq!(winner, next.winner(HalfPoints(1))),
                        _ => assert_eq!(winner, None),
                    }
                }
                if let Some(ending) = game.ending() {
                    let count = &endings[ending as usize];
                    count.set(count.get() + 1);
                }
            });
        });
    }
    assert!(endings.iter().all(|count| count.get() > 20), "{endings:?}");
}

#[test]
fn a_board_that_comes_back_is_a_draw() {
    let mut texts = vec!["A1", "pass", "A1-B1,A1"];
    let game = played::<Sligo<1>>(3, Options::default(), None, &texts);
    assert_eq!(game.ending(), None);
    // A pass brings no board back, though the board is an earlier one with the same player to move later on.
    texts.truncate(1);
    texts.extend(["pass", "pass"]);
    let game = played::<Sligo<1>>(3, Options::default(), None, &texts);
    assert_eq!((game.ending(), game.winner(HalfPoints(0))), (Some(Ending::Pass), Some(Player::Black)));
    assert_eq!(game.winner(HalfPoints(18)), None);
    assert_eq!(game.winner(HalfPoints(19)), Some(Player::White));
}

/// "Fugo has cycles from 4×4 on (the shortest takes 4 turns)."
#[test]
fn fugo_comes_back_in_four_turns() {
    let texts = "A3 B4 D1 B3 A2 B1 D3 D2 C3 C4 A1 C1 D1-B2 C2 D1 D2-A4 A1-D4 A4-D2 D4-A1";
    let texts: Vec<&str> = texts.split(' ').collect();
    let game = played::<Fugo<1>>(4, Options::default(), None, &texts);
    assert_eq!((game.ending(), game.winner(HalfPoints(0))), (Some(Ending::Repetition), None));
    assert_eq!(game.keys()[15], game.keys()[19]);
    assert!(!turns(game.position()).is_empty());
}

/// Wide boards have hashed keys. With this one, a stone on A1 once passed for the other player's turn.
#[test]
fn a_stone_on_a1_is_not_the_other_players_turn() {
    let game = played::<Sligo<2>>(8, Options::default(), None, &["pass", "A1"]);
    assert_eq!(game.ending(), None);
    let game = played::<Sligo<2>>(8, Options::default(), None, &["A1"]);
    assert_ne!(game.keys()[0], game.keys()[1]);
    let black = Sligo::<2>::new(8, Options::default());
    let mut white = black.clone();
    white.play(Step::PASS);
    let mut taken = white.clone();
    taken.play(Step::Point(white.from_dense(0)));
    assert_ne!(taken.board_key(), white.board_key());
}

#[test]
fn the_cap_gives_no_result_unless_the_game_has_one() {
    let game = played::<Yugo<1>>(3, Options::default(), Some(2), &["A1", "B1"]);
    assert_eq!((game.ending(), game.winner(HalfPoints(0))), (Some(Ending::MoveCap), None));
    assert_eq!(played::<Yugo<1>>(3, Options::default(), Some(0), &[]).ending(), Some(Ending::MoveCap));
    let game = played::<Linage<1>>(3, Options::default(), Some(2), &["pass", "pass"]);
    assert_eq!(game.ending(), Some(Ending::Pass));
    for kind in [GameKind::Yugo, GameKind::Linage] {
        assert_eq!((kind.default_move_cap(9), kind.can_repeat()), (None, false));
    }
    assert_eq!(GameKind::Fugo.default_move_cap(9), Some(324));
    assert_eq!(GameKind::Sligo.default_move_cap(3), Some(100));
    assert_eq!(GameKind::Sligo.default_move_cap(9), Some(648));
}

#[test]
fn swap_exchanges_the_people_and_nothing_else() {
    let pie = Options { handicap: 0, pie: true };
    let mut game = played::<Fugo<1>>(2, pie, None, &[]);
    assert_eq!(play_text(&mut game, "swap").map_err(|e| e.to_string()), Err(SWAP.to_string()));
    play_text(&mut game, "A1").unwrap();
    assert_eq!((game.position().to_move(), game.position().seat_to_move()), (Player::White, Seat::Second));
    assert!(turns(game.position()).iter().any(|(turn, _)| turn.steps() == [Step::SWAP]));

    let before = game.position().rows();
    play_text(&mut game, "swap").unwrap();
    let position = game.position();
    assert_eq!((position.rows(), position.to_move(), position.swapped()), (before, Player::White, true));
    assert_eq!((position.seat_of(Player::Black), position.seat_of(Player::White)), (Seat::Second, Seat::First));
    assert_eq!((position.seat_to_move(), game.turns().len(), game.ending()), (Seat::First, 2, None));
    assert!(play_text(&mut game, "swap").is_err());

    // "If you have no moves available on your turn, you lose": on 2x2, White here, who began as Black.
    for text in ["B2", "B1", "A2"] {
        play_text(&mut game, text).unwrap();
    }
    assert_eq!(game.ending(), Some(Ending::NoMove));
    let winner = game.winner(HalfPoints(0)).unwrap();
    assert_eq!(winner, game.position().to_move().other());
    assert_eq!((winner, game.position().seat_of(winner)), (Player::White, Seat::First));

    // Not on White's later turns, nor with the pie rule off.
    let mut game = played::<Fugo<1>>(3, pie, None, &["A1", "B2", "C1"]);
    assert!(play_text(&mut game, "swap").is_err());
    assert_eq!(game.position().seat_of(Player::White), Seat::Second);
    let mut game = played::<Fugo<1>>(3, Options::default(), None, &["A1"]);
    assert!(play_text(&mut game, "swap").is_err());
}

const SWAP: &str = "swap is for White's first turn, with the pie rule on";

#[test]
fn handicap_pawns_come_first_and_the_button_once() {
    let options = Options { handicap: 3, pie: false };
    let mut game = played::<Yugo<1>>(3, options, None, &["A1", "B2"]);
    let position = game.position();
    assert_eq!((position.to_move(), position.handicap_left(), position.button()), (Player::Black, 1, Button::Free));
    for text in ["button", "pass", "A1"] {
        assert!(play_text(&mut game, text).is_err(), "{text}");
    }
    play_text(&mut game, "C3").unwrap();
    assert_eq!((game.position().to_move(), game.position().handicap_left()), (Player::White, 0));
    assert!(play_text(&mut game, "pass").is_err());
    play_text(&mut game, "button").unwrap();
    assert_eq!(game.position().button(), Button::Taken(Player::White));
    assert_eq!(game.position().score().unwrap().white, HalfPoints(1));
    assert!(play_text(&mut game, "button").is_err());
    // Two passes with a turn between them end nothing.
    for text in ["pass", "C1", "pass"] {
        play_text(&mut game, text).unwrap();
    }
    assert_eq!((game.ending(), game.position().passes()), (None, 1));
    play_text(&mut game, "pass").unwrap();
    assert_eq!(game.ending(), Some(Ending::Pass));
    assert_eq!(parse_turn(game.position(), "A2"), Err(TurnError::Over));

    for size in 1..=19 {
        let options = |handicap| Options { handicap, pie: false };
        assert_eq!(options(size * size / 2).check(GameKind::Yugo, size), Ok(()));
        let more = options(size * size / 2 + 1).check(GameKind::Yugo, size);
        assert!(matches!(more, Err(OptionsError::Handicap { .. })));
        assert!(options(1).check(GameKind::Sligo, size).is_err());
    }
}

#[test]
fn only_sizes_and_komi_of_the_game_are_allowed() {
    for kind in GameKind::ALL {
        for size in 0..=25 {
            let allowed = (if kind == GameKind::Linage { 3 } else { 1 }..=19).contains(&size);
            assert_eq!(Options::default().check(kind, size).is_ok(), allowed, "{kind} {size}");
        }
        for half in -9..=9 {
            let allowed = match kind {
                GameKind::Yugo => half % 2 == 0,
                GameKind::Linage => half % 2 != 0 || half == 0,
                GameKind::Sligo => true,
                GameKind::Fugo => half == 0,
            };
            assert_eq!(kind.check_komi(HalfPoints(half)).is_ok(), allowed, "{kind} {half}");
        }
        assert_eq!(Options { handicap: 0, pie: true }.check(kind, 9).is_ok(), kind == GameKind::Fugo);
    }
}

/// Turns of several steps: what stands where while they are being played.
#[test]
fn a_picked_stone_stays_on_the_board_until_it_has_moved() {
    let mut game = played::<Sligo<1>>(3, Options::default(), None, &["A1", "pass"]);
    let point = |game: &Played<Sligo<1>>, name| game.position().parse_point(name).unwrap();
    let (from, to) = (point(&game, "A1"), point(&game, "B2"));
    game.play(Step::Point(from));
    assert_eq!(game.position().phase(), Phase::Picked(from));
    assert_eq!(game.position().rows(), ["...", "...", "X.."]);
    game.play(Step::Point(to));
    assert_eq!(game.position().phase(), Phase::Moved(from, to));
    assert_eq!(game.position().rows(), ["...", ".X.", "..."]);
    assert_eq!((game.position().to_move(), game.turns().len()), (Player::Black, 2));
    game.play(Step::Point(point(&game, "B1")));
    assert_eq!(game.turns()[2].text(game.position()), "A1-B2,B1");
    assert_eq!(game.position().to_move(), Player::White);
}
