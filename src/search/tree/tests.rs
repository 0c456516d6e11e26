use std::collections::BTreeSet;

use rand::Rng;

use super::super::testing::{random_game, random_step, rng, search, search_with, searched, visits};
use super::super::{Choice, PlayoutPolicy, choose, playout};
use super::*;
use crate::config::{Reading, RootNoise, SearchSettings, Selection};
use crate::games::{
    Ending, Fugo, GameKind, Linage, Options, Sligo, Specials, StartPosition, StepSet, Yugo, parse_step, turns,
};
use crate::solve::slow::Positions;
use crate::with_game;

/// Noise in the root's priors, and nothing else.
fn noisy(share: f32, concentration: f32) -> Option<RootExploration> {
    Some(RootExploration { noise: RootNoise::of_share(share, concentration), forced: 0.0 })
}

/// An edge as the tests look at it.
struct Known {
    edge: usize,
    step: Step,
    visits: u32,
    prior: f32,
}

/// The edges of the node past `edge`, none if it has not been expanded.
fn edges_past<G: Game>(tree: &Search<G>, edge: usize) -> Vec<Known> {
    let arena = &tree.arena;
    let Some(node) = arena.edges[edge].node() else { return Vec::new() };
    let node = arena.nodes[node as usize];
    let known = |edge: usize| Known {
        edge,
        step: arena.edges[edge].step,
        visits: arena.edges[edge].visits,
        prior: arena.edges[edge].prior,
    };
    Arena::edges_of(node).map(known).collect()
}

/// Compares the whole tree with the games that its paths stand for, and counts the repetitions in it: those of
/// boards of the game, and those of boards that the tree itself made.
fn check_tree<G: Game>(tree: &Search<G>, game: &Played<G>) -> [usize; 2] {
    let arena = &tree.arena;
    let mut repetitions = [0; 2];
    let mut open = vec![(ROOT, Seat::First, game.clone())];
    let mut nodes = 0;
    while let Some((edge, chooser, played)) = open.pop() {
        let position = played.position();
        let (visits, value) = (arena.edges[edge].visits, MoverValue(arena.edges[edge].value()).for_first(chooser));
        let expected = match played.ending() {
            Some(Ending::Repetition) => Some(FirstValue(0.5)),
            Some(_) => Some(result(position.winner(tree.komi), position)),
            None => None,
        };
        let is_over = arena.edges[edge].node().is_none() && !arena.edges[edge].is_unexpanded();
        assert_eq!(is_over, expected.is_some(), "{position:?}");
        if let Some(expected) = expected {
            assert_eq!(value, expected, "{position:?}");
            if played.ending() == Some(Ending::Repetition) {
                repetitions[!game.keys().contains(&position.board_key()) as usize] += 1;
            }
            continue;
        }
        let edges = edges_past(tree, edge);
        let Some(node) = arena.edges[edge].node() else { continue };
        let node = arena.nodes[node as usize];
        nodes += 1;
        assert_eq!(node.seat, position.seat_to_move());
        let Status::Running(steps) = position.search_status() else { panic!("the game is over") };
        let by_step: BTreeSet<Step> = edges.iter().map(|edge| edge.step).collect();
        assert!(by_step.len() == edges.len() && steps.iter().eq(by_step), "{position:?}");
        let sum: f32 = edges.iter().map(|edge| edge.prior).sum();
        assert!((sum - 1.0).abs() < 1e-4 && edges.iter().all(|edge| edge.prior >= 0.0));
        let tried = node.tried as usize;
        assert!(
            edges[..tried].iter().all(|edge| edge.visits > 0) && edges[tried..].iter().all(|edge| edge.visits == 0)
        );
        let next_best = edges.get(tried).map_or(0.0, |edge| edge.prior);
        // Sequential halving picks among the root's untried edges itself.
        let is_ordered = edges[tried..].iter().all(|edge| edge.prior <= next_best);
        assert!(is_ordered || edge == ROOT && tree.config.settings.selection == Selection::Gumbel);
        let is_settled = |edge: &Known| arena.edges[edge.edge].is_settled();
        let proven = edges.iter().filter(|edge| is_settled(edge));
        let best = proven.clone().map(|edge| arena.edges[edge.edge].value()).fold(f32::NEG_INFINITY, f32::max);
        let decided = best == 1.0 || proven.clone().count() == edges.len();
        if edge != ROOT {
            assert_eq!(arena.edges[edge].is_settled(), decided, "{position:?}");
            assert_eq!(arena.edges[edge].certain().is_some(), decided, "without margins nothing else is certain");
        }
        if decided && edge != ROOT {
            assert_eq!(value.for_mover(node.seat).0, best, "the result is that of the best step");
        } else if visits > 0 && proven.count() == 0 {
            assert_eq!(visits, 1 + edges.iter().map(|edge| edge.visits).sum::<u32>(), "its own visit and the edges'");
            let below =
                |edge: &Known| MoverValue(arena.edges[edge.edge].value()).for_first(node.seat).0 * edge.visits as f32;
            let own = value.0 * visits as f32 - edges[..tried].iter().map(below).sum::<f32>();
            // Means of many visits are rounded.
            let rounding = 1e-2 + 1e-5 * visits as f32;
            assert!((-rounding..1.0 + rounding).contains(&own), "{own} of {visits}");
        }
        for edge in &edges[..tried] {
            let mut next = played.clone();
            next.play(edge.step);
            open.push((edge.edge, node.seat, next));
        }
    }
    assert!(nodes <= arena.nodes.len(), "{nodes} nodes hang on the root");
    repetitions
}

fn options<G: Game>(round: usize) -> Options {
    Options { handicap: 0, pie: G::KIND == GameKind::Fugo && round % 2 == 1 }
}

#[test]
fn a_tree_agrees_with_the_games_it_stands_for() {
    let mut rng = rng(1);
    let mut repetitions = [0; 2];
    for game in GameKind::ALL {
        for (size, count, length) in [(1, 2, 2), (2, 8, 12), (3, 16, 40), (4, 8, 40), (5, 4, 40), (8, 2, 60)] {
            with_game!(game, size, G => {
                for round in 0..count {
                    let size = size.max(game.min_size());
                    let played = random_game(G::new(size, options::<G>(round)), round * length / count, &mut rng);
                    if played.ending().is_some() {
                        continue;
                    }
                    let komi = HalfPoints(if game.has_score() { round as i32 - 4 } else { 0 });
                    let mut tree = Search::new(visits(600), played.position(), komi);
                    tree.prepare_root(tree.usual_visits(), None, &mut rng);
                    search(&mut tree, &played, komi, &mut rng);
                    assert!(tree.proven.is_some() || tree.arena.edges[ROOT].visits == 600);
                    let found = check_tree(&tree, &played);
                    assert!(game.can_repeat() || found == [0; 2], "{game} is finite");
                    repetitions = [repetitions[0] + found[0], repetitions[1] + found[1]];
                }
            });
        }
    }
    assert!(repetitions.iter().all(|count| *count > 20), "{repetitions:?}");
}

/// The steps from the root to a draw by repetition.
fn line_to_repetition<G: Game>(tree: &Search<G>, game: &Played<G>) -> Option<Vec<Step>> {
    let mut open = vec![(ROOT, game.clone(), Vec::new())];
    while let Some((at, played, line)) = open.pop() {
        if played.ending() == Some(Ending::Repetition) {
            return Some(line);
        }
        for edge in edges_past(tree, at).iter().filter(|edge| edge.visits > 0) {
            let (mut next, mut line) = (played.clone(), line.clone());
            next.play(edge.step);
            line.push(edge.step);
            open.push((edge.edge, next, line));
        }
    }
    None
}

#[test]
fn repetition_is_seen_in_fugo_where_it_is_rare() {
    let mut rng = rng(9);
    for rows in [[".OXX", ".OXX", "X..X", "XOOO"], [".XXX", "OOX.", "OXO.", "OX.X"]] {
        let rows = rows.map(String::from).to_vec();
        let start = StartPosition { size: 4, rows, to_move: Player::Black, button: None };
        let mut game = Played::new(Fugo::<1>::from_position(&start).expect("any board will do"), None);
        let tree = searched(game.position(), visits(20_000), HalfPoints(0), 1);
        let [_, in_the_tree] = check_tree(&tree, &game);
        assert!(in_the_tree > 0, "{start:?}");
        // The same line, played up to where one step brings back a board.
        let line = line_to_repetition(&tree, &game).expect("there is one");
        line[..line.len() - 1].iter().for_each(|step| game.play(*step));
        let mut tree = Search::new(visits(300), game.position(), HalfPoints(0));
        tree.prepare_root(tree.usual_visits(), None, &mut rng);
        search(&mut tree, &game, HalfPoints(0), &mut rng);
        let [of_the_game, _] = check_tree(&tree, &game);
        assert!(of_the_game > 0, "{start:?}");
    }
}

#[test]
fn bringing_back_a_board_of_the_game_is_worth_a_draw() {
    let mut rng = rng(2);
    let mut found = 0;
    for round in 0..800 {
        let played = random_game(Sligo::<1>::new(3, Options::default()), 20 + round % 20, &mut rng);
        let mut tree = Search::new(visits(60), played.position(), HalfPoints(1));
        tree.prepare_root(tree.usual_visits(), None, &mut rng);
        search(&mut tree, &played, HalfPoints(1), &mut rng);
        for known in tree.root_steps().iter().filter(|known| known.visits > 0) {
            let mut next = played.clone();
            next.play(known.step);
            if next.ending() == Some(Ending::Repetition) {
                assert_eq!(known.value, Some(MoverValue(0.5)));
                found += 1;
            }
        }
    }
    assert!(found > 20, "{found} repetitions");
}

/// The root's value for the mover after a search of so many visits.
fn root_value<G: PlayoutPolicy>(position: &G, count: u32, komi: i32) -> f32 {
    searched(position, visits(count), HalfPoints(komi), 1).root_value().0
}

#[test]
fn tiny_boards_are_won_by_whom_they_belong_to() {
    // The values are the exact ones, +½, +4 and +9: see `komi::known`.
    let yugo = Yugo::<1>::new(2, Options::default());
    let linage = Linage::<1>::new(3, Options::default());
    let sligo = Sligo::<1>::new(3, Options::default());
    for (name, value, won) in [
        ("yugo", root_value(&yugo, 4000, 0), true),
        ("yugo", root_value(&yugo, 4000, 2), false),
        ("linage", root_value(&linage, 4000, 7), true),
        ("linage", root_value(&linage, 4000, 9), false),
        ("sligo", root_value(&sligo, 4000, 19), false),
    ] {
        assert!(if won { value > 0.9 } else { value < 0.15 }, "{name}: {value}");
    }
    // White's way out is to bring boards back: that takes far more visits to refute.
    let value = root_value(&sligo, 20_000, 17);
    assert!(value > 0.6, "sligo: {value}");
}

/// Fugo on 3x3 after Black's first move.
fn fugo_after(first: &str, pie: bool) -> Fugo<1> {
    let mut position = Fugo::new(3, Options { handicap: 0, pie });
    position.play(parse_step(&position, first).expect("a point"));
    position
}

#[test]
fn the_openings_of_fugo_on_3x3_are_told_apart() {
    for (first, black_wins) in [("A1", false), ("C3", false), ("A2", true), ("B1", true), ("B2", true), ("C2", true)] {
        let position = fugo_after(first, false);
        let exact =
            Positions::of(&position).forced(Seat::First, |end| end.winner(HalfPoints(0)) == Some(Player::Black));
        assert_eq!(exact[0], black_wins, "{first}");
        let tree = searched(&position, visits(6000), HalfPoints(0), 1);
        // White is to move.
        assert_eq!(tree.root.seat_to_move(), Seat::Second);
        let value = tree.root_value().0;
        assert!(if black_wins { value < 0.2 } else { value > 0.8 }, "{first}: {value}");
    }
    let tree = searched(&Fugo::<1>::new(3, Options::default()), visits(10_000), HalfPoints(0), 1);
    let most = tree.root_steps().into_iter().max_by_key(|known| known.visits).expect("there are steps");
    assert!(tree.root_value().0 > 0.8 && most.value > Some(MoverValue(0.9)));
}

#[test]
fn swap_is_worth_the_negated_value() {
    for (first, swaps) in [("A1", false), ("A2", true), ("B2", true)] {
        let without = searched(&fugo_after(first, false), visits(10_000), HalfPoints(0), 1).root_value().0;
        let tree = searched(&fugo_after(first, true), visits(10_000), HalfPoints(0), 1);
        let steps = tree.root_steps();
        let swap = steps.iter().find(|known| known.step == Step::SWAP).expect("White may swap");
        let most = steps.iter().max_by_key(|known| known.visits).expect("there are steps");
        assert_eq!(most.step == Step::SWAP, swaps, "{first}");
        assert!(tree.root_value().0 > 0.75, "White takes the better seat: {}", tree.root_value().0);
        let value = swap.value.expect("swap is tried").0;
        // A bad swap is tried too seldom for a sharp value.
        let tolerance = if swaps { 0.1 } else { 0.35 };
        assert!((value - (1.0 - without)).abs() < tolerance, "{first}: {value} and {without}");
        check_tree(&tree, &Played::new(fugo_after(first, true), None));
    }
}

#[test]
fn values_are_the_movers_in_every_seat() {
    let mut rng = rng(3);
    for game in GameKind::ALL {
        with_game!(game, 6, G => {
            for round in 0..12 {
                let played = random_game(G::new(6, options::<G>(round)), round, &mut rng);
                // One of the two persons is taken to win everywhere; no game ends within 40 visits.
                for winner in [Seat::First, Seat::Second] {
                    let komi = HalfPoints(if winner == Seat::First { -100 } else { 100 });
                    let mut tree = Search::new(visits(40), played.position(), komi);
                    tree.prepare_root(tree.usual_visits(), None, &mut rng);
                    search_with(&mut tree, &played, |position| {
                        MoverValue(if position.seat_to_move() == winner { 1.0 } else { 0.0 })
                    });
                    let expected = if played.position().seat_to_move() == winner { 1.0 } else { 0.0 };
                    assert_eq!(tree.root_value(), MoverValue(expected));
                    let values = tree.root_steps().into_iter().filter_map(|known| known.value);
                    assert!(values.into_iter().all(|value| value == MoverValue(expected)));
                    check_tree(&tree, &played);
                }
            }
        });
    }
}

/// A game of searched steps, the most visited each, with what each search found.
fn walk<G: PlayoutPolicy>(
    start: &G,
    komi: HalfPoints,
    length: usize,
    seed: u64,
    explore: Option<RootExploration>,
) -> Vec<Vec<RootStep>> {
    let (mut noise_rng, mut rng) = (rng(seed), rng(seed + 1));
    let mut game = Played::new(start.clone(), None);
    let mut tree = Search::new(visits(150), start, komi);
    let mut found = Vec::new();
    while game.ending().is_none() && found.len() < length {
        let kept = tree.arena.edges[ROOT].visits;
        tree.prepare_root(150, explore, &mut noise_rng);
        search(&mut tree, &game, komi, &mut rng);
        let certain = tree.proven.is_some();
        assert!(certain || tree.arena.edges[ROOT].visits == 150, "topped up, {kept} kept");
        check_tree(&tree, &game);
        let steps = tree.root_steps();
        let sum: u32 = steps.iter().map(|known| known.visits).sum();
        assert!(certain || sum == 149);
        assert!(steps.is_sorted_by_key(|known| known.step));
        let most = *steps.iter().max_by_key(|known| known.visits).expect("it goes on");
        game.play(most.step);
        if game.ending().is_none() {
            tree.advance(most.step, game.position());
            assert_eq!(tree.arena.edges[ROOT].visits, most.visits, "what was known is kept");
            let value = tree.root_value();
            let same_mover = tree.root.seat_to_move() == seat_before(&game);
            let from_before = if same_mover { value.0 } else { 1.0 - value.0 };
            assert!((from_before - most.value.expect("visited").0).abs() < 1e-5);
            check_tree(&tree, &game);
        }
        found.push(steps);
    }
    found
}

/// The seat that made the game's last step.
fn seat_before<G: Game>(game: &Played<G>) -> Seat {
    let seat = game.position().seat_to_move();
    if game.partial().is_some() { seat } else { seat.other() }
}

#[test]
fn a_kept_tree_is_topped_up_and_deterministic() {
    for game in GameKind::ALL {
        for size in [3, 5, 8] {
            with_game!(game, size, G => {
                let start = G::new(size, options::<G>(1));
                let komi = HalfPoints(game.has_score() as i32);
                for noise in [None, noisy(0.25, 10.0)] {
                    let found = walk(&start, komi, 30, 7, noise);
                    assert_eq!(found, walk(&start, komi, 30, 7, noise));
                    assert_ne!(found, walk(&start, komi, 30, 8, noise), "{game} {size}");
                }
            });
        }
    }
}

#[test]
fn an_unsearched_step_begins_a_new_tree() {
    let mut rng = rng(4);
    let start = Linage::<1>::new(7, Options::default());
    let mut tree = searched(&start, visits(20), HalfPoints(1), 1);
    let unseen = tree.root_steps().into_iter().find(|known| known.visits == 0).expect("20 visits of 50 steps");
    let mut game = Played::new(start, None);
    game.play(unseen.step);
    tree.advance(unseen.step, game.position());
    assert_eq!((tree.arena.nodes.len(), tree.arena.edges.len(), tree.arena.edges[ROOT].visits), (0, 1, 0));
    tree.prepare_root(tree.usual_visits(), None, &mut rng);
    search(&mut tree, &game, HalfPoints(1), &mut rng);
    check_tree(&tree, &game);
}

#[test]
fn noise_changes_the_roots_priors_alone() {
    let start = Yugo::<1>::new(5, Options::default());
    let game = Played::new(start.clone(), None);
    let mut tree = searched(&start, visits(300), HalfPoints(0), 1);
    let found = |tree: &Search<Yugo<1>>| -> Vec<RootStep> {
        tree.root_steps().into_iter().map(|known| RootStep { prior: 0.0, ..known }).collect()
    };
    let before = (tree.arena.nodes.len(), found(&tree), tree.root_value());
    let priors = |tree: &Search<Yugo<1>>, at: usize| -> Vec<f32> {
        edges_past(tree, at).iter().map(|edge| edge.prior).collect()
    };
    let order = |tree: &Search<Yugo<1>>| edges_past(tree, ROOT).iter().map(|edge| edge.step).collect::<Vec<_>>();
    let steps = order(&tree);
    let mut rng = rng(5);
    let mut means = [0.0; 26];
    for _ in 0..400 {
        tree.prepare_root(300, noisy(0.5, 10.0), &mut rng);
        let noisy = priors(&tree, ROOT);
        assert!(noisy.iter().all(|prior| *prior >= 0.5 / 26.0 - 1e-6), "half of it stays equal");
        assert!((noisy.iter().sum::<f32>() - 1.0).abs() < 1e-4);
        assert!(noisy.iter().any(|prior| *prior > 1.4 / 26.0), "{noisy:?}");
        means.iter_mut().zip(&noisy).for_each(|(mean, prior)| *mean += prior / 400.0);
    }
    assert!(means.iter().all(|mean| (mean - 1.0 / 26.0).abs() < 0.01), "{means:?}");
    check_tree(&tree, &game);
    assert_eq!(before, (tree.arena.nodes.len(), found(&tree), tree.root_value()));
    assert_eq!(steps, order(&tree));
    for child in 1..tree.arena.edges.len() {
        let below = priors(&tree, child);
        assert!(below.iter().all(|prior| *prior == 1.0 / below.len() as f32));
    }
    tree.prepare_root(tree.usual_visits(), None, &mut rng);
    assert!(priors(&tree, ROOT).iter().all(|prior| *prior == 1.0 / 26.0), "no noise is left");
    // So little that the draws round to nothing: equal priors.
    tree.prepare_root(300, noisy(0.25, 1e-30), &mut rng);
    assert!((priors(&tree, ROOT).iter().sum::<f32>() - 1.0).abs() < 1e-4);
}

#[test]
fn no_noise_draws_nothing() {
    let start = Yugo::<1>::new(3, Options::default());
    let mut tree = Search::new(visits(1), &start, HalfPoints(0));
    let mut untouched = rng(6);
    tree.prepare_root(tree.usual_visits(), None, &mut untouched);
    assert_eq!(untouched, rng(6));
}

#[test]
fn one_visit_values_the_root_alone() {
    let tree = searched(&Sligo::<1>::new(5, Options::default()), visits(1), HalfPoints(1), 1);
    assert!(tree.is_done() && tree.arena.edges[1..].iter().all(|edge| edge.visits == 0));
    assert!(tree.root_steps().iter().all(|known| known.visits == 0 && known.value.is_none()));
}

/// The positions after every whole turn, with the steps of the search or with all.
fn after_turns<G: Game>(position: &G, for_search: bool) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open = vec![position.clone()];
    while let Some(position) = open.pop() {
        let status = if for_search { position.search_status() } else { position.status() };
        let Status::Running(steps) = status else { panic!("a turn that has begun can be finished") };
        for step in steps.iter() {
            let mut next = position.clone();
            next.play(step);
            if next.phase() == Phase::Start {
                found.insert(format!("{next:?}"));
            } else {
                open.push(next);
            }
        }
    }
    found
}

#[test]
fn steps_left_out_of_the_search_lose_no_position() {
    let mut rng = rng(7);
    let (mut all_steps, mut search_steps) = (0, 0);
    for size in 1..=6 {
        for round in 0..30 {
            let played = random_game(Sligo::<1>::new(size, Options::default()), round * size * size / 12, &mut rng);
            let position = played.position();
            let (all, searched) = (after_turns(position, false), after_turns(position, true));
            assert_eq!(all, searched, "{position:?}");
            all_steps += turns(position).len();
            search_steps += searched.len();
        }
    }
    assert!(search_steps < all_steps, "{search_steps} boards, {all_steps} turns");
}

#[test]
fn the_order_of_steps_favours_no_part_of_the_board() {
    let mut rng = rng(8);
    for game in GameKind::ALL {
        let mut quarters = [0; 4];
        with_game!(game, 6, G => {
            for round in 0..800 {
                let mut position = random_game(G::new(6, Options::default()), round % 30, &mut rng).position().clone();
                if let (true, Status::Running(steps)) = (round % 2 == 0, position.status()) {
                    position.play(random_step(steps, &mut rng));
                }
                let Status::Running(steps) = position.search_status() else { continue };
                if steps.len() < 8 {
                    continue;
                }
                let mut tree = Search::new(visits(1), &position, HalfPoints(0));
                tree.prepare_root(tree.usual_visits(), None, &mut rng);
                let first = tree.arena.try_next(0);
                let first = tree.arena.edges[first].step;
                let rank = steps.iter().position(|step| step == first).expect("it is one of them");
                quarters[4 * rank / steps.len()] += 1;
                let mut again = Search::new(visits(1), &position, HalfPoints(3));
                again.prepare_root(again.usual_visits(), None, &mut rng);
                let second = again.arena.try_next(0);
                assert_eq!(first, again.arena.edges[second].step, "the position alone decides");
            }
        });
        let all: usize = quarters.iter().sum();
        assert!(
            all > 400 && quarters.iter().all(|count| (18..=32).contains(&(100 * count / all))),
            "{game}: {quarters:?}"
        );
    }
}

#[test]
fn untried_edges_come_in_an_even_order() {
    let points: crate::board::Bits<1> = (0..6).map(crate::board::Point::from_index).collect();
    let steps = StepSet { points, specials: Specials::NONE };
    let mut counts = [[0u32; 6]; 6];
    for order in 0..6000u32 {
        let mut arena = Arena::default();
        arena.clear();
        let node = arena.expand(ROOT, u32::MAX, steps, Expansion { seat: Seat::First, value: 0.5, priors: &[], order });
        for place in counts.iter_mut() {
            let edge = arena.try_next(node);
            let Step::Point(point) = arena.edges[edge].step else { panic!("points only") };
            place[point.index()] += 1;
        }
    }
    // 5 standard deviations of 29.
    assert!(counts.iter().flatten().all(|count| count.abs_diff(1000) < 145), "{counts:?}");
}

#[test]
fn sweeping_changes_nothing_that_hangs_on_the_root() {
    let mut rng = rng(10);
    for game in GameKind::ALL {
        with_game!(game, 5, G => {
            let start = G::new(5, Options::default());
            let komi = HalfPoints(game.has_score() as i32);
            let mut played = Played::new(start.clone(), None);
            let mut tree = searched(&start, visits(500), komi, 1);
            for _ in 0..6 {
                let steps = tree.root_steps();
                let most = steps.iter().max_by_key(|known| known.visits).expect("there are steps");
                played.play(most.step);
                tree.advance(most.step, played.position());
                let (before, bytes) = (tree.root_steps(), tree.bytes());
                let live = tree.arena.live_bytes();
                tree.arena.sweep();
                assert_eq!(tree.bytes(), live, "what hangs on the root is counted right");
                assert!(live <= bytes);
                assert_eq!(before, tree.root_steps());
                check_tree(&tree, &played);
                tree.prepare_root(tree.usual_visits(), None, &mut rng);
                search(&mut tree, &played, komi, &mut rng);
                check_tree(&tree, &played);
            }
        });
    }
}

#[test]
fn a_full_tree_goes_on_valuing() {
    let start = Yugo::<6>::new(19, Options::default());
    let config = SearchSettings { tree_memory: 1, ..visits(4000).settings }.with_visits(4000);
    let tree = searched(&start, config, HalfPoints(0), 1);
    assert!(tree.bytes() <= 1 << 20 && tree.bytes() > (1 << 20) - 20_000, "{} bytes", tree.bytes());
    assert!(tree.refused() > 0 && tree.is_done());
    assert_eq!(tree.root_steps().iter().map(|known| known.visits).sum::<u32>(), 3999);
    let roomy = searched(&start, visits(4000), HalfPoints(0), 1);
    assert!(roomy.refused() == 0 && roomy.bytes() > 1 << 20);
}

#[test]
fn more_visits_agree_with_exact_play() {
    // Every position of Linage on 3x3 from which one player wins whatever the other does.
    let komi = HalfPoints(7);
    let positions = Positions::of(&Linage::<1>::new(3, Options::default()));
    let first = positions.forced(Seat::First, |end| end.winner(komi) == Some(Player::Black));
    let mut wrong = Vec::new();
    let mut seen = 0;
    for (position, first_wins) in positions.all.iter().zip(first).filter(|(position, _)| position.end().is_none()) {
        let value = root_value(position, 400, komi.0);
        let mover_wins = first_wins == (position.seat_to_move() == Seat::First);
        seen += 1;
        if (value > 0.5) != mover_wins {
            wrong.push((position, value));
        }
    }
    assert!(seen > 100 && wrong.is_empty(), "{} of {seen}: {wrong:?}", wrong.len());
}

/// Searches with random values and a random policy.
fn search_by_chance<G: Game>(tree: &mut Search<G>, game: &Played<G>, count: u32, rng: &mut ChaCha8Rng) {
    let steps = tree.root.size().pow(2) + 3;
    let mut simulate = |tree: &mut Search<G>| {
        if tree.descend(game) == Descent::Leaf {
            let (_, logits) = tree.leaf_and_policy().expect("a leaf waits");
            logits.extend((0..steps).map(|_| rng.random_range(-4.0..4.0f32)));
            tree.back_up(MoverValue(rng.random()));
        }
    };
    if tree.needs_root() {
        simulate(tree);
    }
    tree.prepare_root(count, None, &mut super::super::testing::rng(0));
    while !tree.is_done() {
        simulate(tree);
    }
}

/// Searches that follow a network's policy.
fn with_policy(selection: Selection) -> SearchConfig {
    let reading = Reading { policy: true, ..Reading::VALUE };
    SearchSettings { selection, reading, tree_memory: 64, ..SearchSettings::default() }.with_visits(300)
}

#[test]
fn what_is_proven_is_true() {
    fn check<G: Game>(start: &G, komi: i32, selection: Selection) -> [usize; 2] {
        let komi = HalfPoints(komi);
        let positions = Positions::of(start);
        let wins = [Seat::First, Seat::Second].map(|seat| {
            positions.forced(seat, |end| end.winner(komi).is_some_and(|winner| end.seat_of(winner) == seat))
        });
        let mut rng = rng(12);
        let mut proven = [0; 2];
        for at in 0..positions.all.len() {
            let position = &positions.all[at];
            // Amid a turn the earlier part of it is not to be seen.
            if position.end().is_some() || position.phase() != Phase::Start {
                continue;
            }
            let mut tree = Search::new(with_policy(selection), position, komi);
            search_by_chance(&mut tree, &Played::new(position.clone(), None), 300, &mut rng);
            let Some(value) = tree.settled() else { continue };
            let seat = position.seat_to_move() as usize;
            assert_eq!(value.0 == 1.0, wins[seat][at], "{position:?}");
            assert_eq!(value.0 == 0.0, wins[1 - seat][at], "{position:?}");
            let played = choose(&tree.root_steps(), Choice::Temperature(1.0), &mut rng);
            let mut after = position.clone();
            after.play(played);
            let number = positions.all.iter().position(|other| *other == after).expect("reached");
            assert!(value.0 < 1.0 || wins[seat][number], "the winning step is played");
            assert_eq!(tree.root_value(), value);
            proven[(value.0 == 0.5) as usize] += 1;
        }
        proven
    }
    for selection in Selection::ALL {
        let pie = Options { handicap: 0, pie: true };
        let proven = [
            check(&Linage::<1>::new(3, Options::default()), 7, selection),
            check(&Linage::<1>::new(3, Options::default()), 8, selection),
            check(&Yugo::<1>::new(2, Options::default()), 0, selection),
            check(&Fugo::<1>::new(2, pie), 0, selection),
            check(&Sligo::<1>::new(2, Options::default()), 1, selection),
        ];
        assert!(proven.iter().all(|[decided, _]| *decided > 5) && proven[1][1] > 5, "{proven:?}");
    }
}

#[test]
fn certain_results_are_searched_on_for_the_margin() {
    /// How often the result was certain, the margin settled, and the margin still open with a certain result.
    fn check<G: Game>(start: &G, komi: i32, selection: Selection, visits: u32) -> [usize; 3] {
        let komi = HalfPoints(komi);
        let mut config = with_policy(selection);
        config.settings.reading.margin_weight = 0.3;
        let positions = Positions::of(start);
        let greatest = 2 * (start.size() * start.size()) as i32 + 1;
        let margin = |end: &G| end.score().expect("a game with scores").margin() - komi;
        // For each margin of Black's, from where he can force it.
        let black = |end: &G| end.seat_of(Player::Black);
        let forced: Vec<(i32, Vec<bool>)> = (-2 * greatest..=2 * greatest)
            .map(|wanted| (wanted, positions.forced(black(start), |end| margin(end).0 >= wanted)))
            .collect();
        let mut rng = rng(13);
        let mut found = [0; 3];
        for (at, position) in positions.all.iter().enumerate() {
            if position.end().is_some() || position.phase() != Phase::Start {
                continue;
            }
            let mut tree = Search::new(config, position, komi);
            search_by_chance(&mut tree, &Played::new(position.clone(), None), visits, &mut rng);
            let Some(proof) = tree.proven else { continue };
            let best = forced.iter().rev().find(|(_, from)| from[at]).expect("some margin").0;
            let is_blacks = position.to_move() == Player::Black;
            let exact = if is_blacks { best } else { -best };
            let result = exact.cmp(&0);
            let said = (proof.result as i32 - 1).cmp(&0);
            assert_eq!(said, result, "{position:?}");
            found[0] += 1;
            let played = choose(&tree.root_steps(), Choice::Most, &mut rng);
            let known = tree.root_steps().into_iter().find(|known| known.step == played).expect("one of them");
            if proof.result == Certain::Win && known.certain.is_some() {
                assert_eq!(known.certain, Some(Certain::Win), "{position:?}");
            }
            if !proof.settled {
                found[2] += 1;
                assert_eq!(tree.root_visits(), visits, "searched on");
                continue;
            }
            let won = (exact.signum() + 1) as f32 / 2.0;
            let expected = 0.7 * won + 0.3 * margin_utility(position.size(), HalfPoints(exact)) as f32;
            // Means of many visits are rounded.
            assert!((proof.value - expected).abs() < 1e-4, "{position:?}: {proof:?}, margin {exact}");
            found[1] += 1;
        }
        found
    }
    for selection in Selection::ALL {
        for visits in [40, 1000] {
            let found = [
                check(&Linage::<1>::new(3, Options::default()), 7, selection, visits),
                check(&Linage::<1>::new(3, Options::default()), 8, selection, visits),
                check(&Yugo::<1>::new(2, Options::default()), 0, selection, visits),
                check(&Yugo::<1>::new(2, Options::default()), 5, selection, visits),
            ];
            assert!(found.iter().all(|[certain, settled, _]| *settled > 20 && certain >= settled), "{found:?}");
            assert!(visits > 40 || found.iter().map(|[.., open]| open).sum::<usize>() > 10, "{found:?}");
        }
    }
}

#[test]
fn a_policy_leads_the_search() {
    for selection in Selection::ALL {
        with_game!(GameKind::Sligo, 5, G => {
            let start = G::new(5, Options::default());
            let game = Played::new(start.clone(), None);
            let mut tree = Search::new(with_policy(selection), &start, HalfPoints(1));
            let favourite = Step::Point(start.from_dense(7));
            let simulate = |tree: &mut Search<G>| {
                if tree.descend(&game) == Descent::Leaf {
                    let (position, logits) = tree.leaf_and_policy().expect("a leaf waits");
                    logits.resize(28, 0.0);
                    logits[position.dense(position.from_dense(7))] = 6.0;
                    tree.back_up(MoverValue(0.5));
                }
            };
            simulate(&mut tree);
            tree.prepare_root(300, None, &mut rng(0));
            while !tree.is_done() {
                simulate(&mut tree);
            }
            assert_eq!(choose(&tree.root_steps(), Choice::Most, &mut rng(0)), favourite);
            let target = tree.policy_target();
            let of_favourite = target.iter().find(|(step, _)| *step == favourite).map_or(0.0, |(_, share)| *share);
            let all: f32 = target.iter().map(|(_, share)| share).sum();
            assert!(of_favourite > 0.8 * all, "{of_favourite} of {all}");
            let priors: Vec<f32> = edges_past(&tree, ROOT).iter().map(|edge| edge.prior).collect();
            assert!((priors.iter().sum::<f32>() - 1.0).abs() < 1e-5 && priors.iter().any(|prior| *prior > 0.9));
        });
    }
}

#[test]
fn values_overrule_a_policy() {
    // The step that the policy thinks worst wins; all others lose.
    for selection in Selection::ALL {
        let start = Linage::<1>::new(5, Options::default());
        let game = Played::new(start.clone(), None);
        let mut tree = Search::new(with_policy(selection), &start, HalfPoints(1));
        let best = Step::Point(start.from_dense(12));
        let simulate = |tree: &mut Search<Linage<1>>| {
            if tree.descend(&game) == Descent::Leaf {
                let (position, logits) = tree.leaf_and_policy().expect("a leaf waits");
                logits.resize(28, 0.0);
                logits[12] = -1.0;
                let has_best = position.cell(position.from_dense(12)) != crate::games::Cell::Empty;
                let first = FirstValue(if has_best { 0.9 } else { 0.4 });
                let value = first.for_mover(position.seat_to_move());
                tree.back_up(value);
            }
        };
        simulate(&mut tree);
        tree.prepare_root(300, None, &mut rng(0));
        while !tree.is_done() {
            simulate(&mut tree);
        }
        // Gumbel looks at 16 of the 26 steps only, those that the policy likes best.
        if selection == Selection::Puct {
            assert_eq!(choose(&tree.root_steps(), Choice::Most, &mut rng(0)), best);
        }
        check_tree(&tree, &game);
    }
}

#[test]
fn forced_visits_are_made_and_not_learnt() {
    let start = Yugo::<1>::new(5, Options::default());
    let game = Played::new(start.clone(), None);
    let explore = |forced| Some(RootExploration { noise: None, forced });
    let mut learnt = Vec::new();
    for forced in [0.0, 2.0] {
        let mut tree = Search::new(visits(400), &start, HalfPoints(0));
        tree.prepare_root(400, explore(forced), &mut rng(1));
        search_with(&mut tree, &game, |position| {
            let corner = position.cell(position.from_dense(0)) != crate::games::Cell::Empty;
            FirstValue(if corner { 0.8 } else { 0.2 }).for_mover(position.seat_to_move())
        });
        let steps = tree.root_steps();
        if forced > 0.0 {
            let least = (forced / 26.0 * 400.0f32).sqrt() - 1.0;
            assert!(steps.iter().all(|known| known.visits as f32 >= least), "{steps:?}");
        }
        let target = tree.policy_target();
        let all: f32 = target.iter().map(|(_, weight)| weight).sum();
        let most = target.iter().map(|(_, weight)| *weight).fold(0.0, f32::max);
        learnt.push(most / all);
    }
    assert!(learnt[1] > 0.95 && learnt[1] >= learnt[0], "{learnt:?}");
}

#[test]
fn playouts_depend_on_their_stream_alone() {
    let start = Sligo::<1>::new(5, Options::default());
    let values = |seed: u64| -> Vec<FirstValue> {
        let mut rng = rng(seed);
        (0..64).map(|_| playout(&start, HalfPoints(3), &mut rng)).collect()
    };
    assert_eq!(values(1), values(1));
    assert_ne!(values(1), values(2));
}
