use std::collections::{BTreeMap, BTreeSet};

use super::super::MoverValue;
use super::super::testing::{random_game, random_step, rng};
use super::*;
use crate::board::PointSet;
use crate::games::{Button, Cell, GameKind, Options, Phase, Played, Player, Seat, Status, Yugo};
use crate::with_game;

/// Positions of random games of every length, some amid a turn.
fn positions<G: Game>(size: usize, count: usize, rng: &mut ChaCha8Rng) -> Vec<G> {
    let mut found = Vec::new();
    while found.len() < count {
        let options = Options {
            handicap: if G::KIND == GameKind::Yugo { rng.random_range(0..=(size * size / 2).min(3)) } else { 0 },
            pie: G::KIND == GameKind::Fugo && rng.random_bool(0.5),
        };
        let turns = rng.random_range(0..=2 * size * size);
        let game: Played<G> = random_game(G::new(size, options), turns, rng);
        let mut position = game.position().clone();
        found.push(position.clone());
        while let Status::Running(steps) = position.status() {
            position.play(random_step(steps, rng));
            if position.phase() == Phase::Start {
                break;
            }
            found.push(position.clone());
        }
    }
    found
}

/// As [`playout`], but looks at every step and says whether the cap was reached.
fn watched<G: PlayoutPolicy>(
    position: &G,
    komi: HalfPoints,
    rng: &mut ChaCha8Rng,
    mut look: impl FnMut(&G, Step),
) -> (f32, bool) {
    let mut played = position.clone();
    let mut steps = Vec::new();
    let over = played.play_out(G::playout_cap(position.size()), rng, |step| steps.push(step));
    let mut game = position.clone();
    let mut turns = 0;
    for step in steps {
        assert!(turns < G::playout_cap(game.size()), "the cap was passed");
        let Status::Running(legal) = game.status() else { panic!("the game is over") };
        assert!(legal.contains(step), "{step:?} is not legal in {game:?}");
        look(&game, step);
        game.play(step);
        turns += (game.phase() == Phase::Start) as usize;
    }
    assert_eq!(game, played, "the steps told are those played");
    assert_eq!(over, game.end().is_some());
    assert!(over || turns == G::playout_cap(game.size()));
    let is_over = game.end().is_some();
    let black = match game.score() {
        Some(score) => (score.black - score.white - komi).0.signum(),
        None if is_over => {
            if game.to_move() == Player::White {
                1
            } else {
                -1
            }
        }
        None => 0,
    };
    let first = if game.seat_of(Player::Black) == Seat::First { black } else { -black };
    (0.5 + first as f32 / 2.0, !is_over)
}

/// A komi, mostly a close one.
fn komi(game: GameKind, rng: &mut ChaCha8Rng) -> HalfPoints {
    HalfPoints(if game.has_score() { rng.random_range(-6..=6) } else { 0 })
}

#[test]
fn playouts_end_with_the_result_of_the_rules() {
    let mut rng = rng(1);
    for game in GameKind::ALL {
        for size in game.min_size()..=9 {
            let (mut capped, mut all) = (0, 0);
            with_game!(game, size, G => {
                for position in positions::<G>(size, 120, &mut rng) {
                    let komi = komi(game, &mut rng);
                    let mut same = rng.clone();
                    let (value, was_capped) = watched(&position, komi, &mut rng, |_, _| {});
                    assert_eq!(playout(&position, komi, &mut same), FirstValue(value), "{position:?}");
                    assert_eq!(same, rng, "both drew as often");
                    capped += was_capped as usize;
                    all += 1;
                }
            });
            // On 2x2 there is always something to capture, and nobody passes while there is.
            let allowed = match (game, size) {
                (GameKind::Sligo, 2) => 100,
                (GameKind::Sligo, 3) => 10,
                // From the empty board 2.6 % are on 4x4 and 5x5, 0.4 % on 7x7 (of 20,000).
                (GameKind::Sligo, 4..) => 5,
                _ => 1,
            };
            assert!(100 * capped <= allowed * all, "{game} {size}: {capped} of {all} capped");
        }
    }
}

/// True if a placement at `point` fills an eye of the mover's own.
fn fills_eye<G: Game>(position: &G, point: Point) -> bool {
    let n = position.size();
    let (row, column) = (position.dense(point) / n, position.dense(point) % n);
    let is_own = |row: usize, column: usize| match position.cell(position.from_dense(row * n + column)) {
        Cell::Stone(player) | Cell::King(player) => player == position.to_move(),
        Cell::Empty => false,
    };
    position.cell(point) == Cell::Empty
        && (row == 0 || is_own(row - 1, column))
        && (row == n - 1 || is_own(row + 1, column))
        && (column == 0 || is_own(row, column - 1))
        && (column == n - 1 || is_own(row, column + 1))
}

#[test]
fn own_eyes_are_filled_only_for_want_of_another_move() {
    let mut rng = rng(2);
    let mut spared = 0;
    for game in [GameKind::Yugo, GameKind::Fugo, GameKind::Sligo] {
        for size in 1..=9 {
            with_game!(game, size, G => {
                for position in positions::<G>(size, 40, &mut rng) {
                    watched(&position, HalfPoints(0), &mut rng, |position, step| {
                        let Status::Running(steps) = position.status() else { unreachable!("checked before") };
                        let others = steps.points.iter().filter(|point| !fills_eye(position, *point)).count();
                        spared += (others < steps.points.len()) as usize;
                        let Step::Point(point) = step else { return };
                        if !fills_eye(position, point) || matches!(position.phase(), Phase::Picked(_)) {
                            return;
                        }
                        let may = match game {
                            GameKind::Yugo => position.handicap_left() > 0,
                            GameKind::Sligo => position.phase() != Phase::Start,
                            _ => true,
                        };
                        assert!(may && others == 0, "{position:?} {step:?}");
                    });
                }
            });
        }
    }
    assert!(spared > 10_000, "{spared} choices had an eye among them");
}

/// What a turn is, by its first step and what stands there afterwards.
fn kind_of_turn<G: Game>(position: &G, step: Step) -> &'static str {
    let point = match step {
        Step::Special(special) => return special.name(),
        Step::Point(point) => point,
    };
    if position.cell(point) != Cell::Empty {
        return "movement";
    }
    let mut after = position.clone();
    after.play(step);
    if matches!(after.cell(point), Cell::King(_)) { "king" } else { "placement" }
}

#[test]
fn every_kind_of_turn_occurs() {
    let mut rng = rng(3);
    for (game, expected) in [
        (GameKind::Yugo, vec!["button", "king", "pass", "placement"]),
        (GameKind::Linage, vec!["pass", "placement"]),
        (GameKind::Fugo, vec!["movement", "placement"]),
        (GameKind::Sligo, vec!["movement", "pass", "placement"]),
    ] {
        for size in [4, 5, 9] {
            let mut kinds = BTreeMap::new();
            let mut early_passes = 0;
            with_game!(game, size, G => {
                let start = G::new(size, Options::default());
                for _ in 0..100 {
                    watched(&start, HalfPoints(0), &mut rng, |position, step| {
                        if position.phase() == Phase::Start {
                            *kinds.entry(kind_of_turn(position, step)).or_insert(0) += 1;
                            let Status::Running(steps) = position.status() else { unreachable!("checked before") };
                            early_passes += (step == Step::PASS && steps.len() > 1) as usize;
                        }
                    });
                }
            });
            assert!(kinds.keys().copied().eq(expected.iter().copied()), "{game} {size}: {kinds:?}");
            assert!(early_passes > 0 || !expected.contains(&"pass"), "{game} {size}");
        }
    }
}

#[test]
fn the_button_is_taken_at_any_time() {
    let mut rng = rng(4);
    let start = Yugo::<1>::new(5, Options::default());
    let mut turns = Vec::new();
    for _ in 0..200 {
        let mut before = 0;
        watched(&start, HalfPoints(0), &mut rng, |position, step| {
            before += (position.button() == Button::Free) as usize;
            if step == Step::BUTTON {
                turns.push(before);
            }
        });
    }
    assert_eq!(turns.len(), 200, "it is always taken, once");
    turns.sort_unstable();
    assert!(turns[20] < 10 && turns[180] > 20, "{turns:?}");
}

#[test]
fn sligo_moves_stones() {
    let mut rng = rng(5);
    for size in [3, 5, 7, 9] {
        with_game!(GameKind::Sligo, size, G => {
            let (mut movable, mut moved) = (0, 0);
            for position in positions::<G>(size, 150, &mut rng) {
                watched(&position, HalfPoints(0), &mut rng, |position, step| {
                    let Status::Running(steps) = position.status() else { unreachable!("checked before") };
                    let is_own = |step: &Step| matches!(step, Step::Point(point) if position.cell(*point) != Cell::Empty);
                    if position.phase() == Phase::Start && steps.iter().any(|step| is_own(&step)) {
                        movable += 1;
                        moved += is_own(&step) as usize;
                    }
                });
            }
            assert!(movable > 1000 && 5 * moved > movable, "{size}: {moved} of {movable}");
        });
    }
}

/// How likely each turn is.
type Turns = BTreeMap<Vec<Step>, f64>;

/// The placements, told from movements by what stands there.
fn placements<G: Game>(position: &G) -> Vec<Step> {
    points(position, |cell| cell == Cell::Empty)
}

/// The legal points on which there is such a thing.
fn points<G: Game>(position: &G, on: impl Fn(Cell) -> bool) -> Vec<Step> {
    let Status::Running(steps) = position.status() else { return Vec::new() };
    steps.points.iter().filter(|point| on(position.cell(*point))).map(Step::Point).collect()
}

/// `steps` without those that fill an eye.
fn sparing_eyes<G: Game>(position: &G, steps: Vec<Step>) -> Vec<Step> {
    let spares = |step: &Step| !matches!(step, Step::Point(point) if fills_eye(position, *point));
    steps.into_iter().filter(spares).collect()
}

/// Adds `steps`, all equally likely, after what has been played of the turn.
fn add(turns: &mut Turns, played: &[Step], steps: &[Step], weight: f64) {
    for step in steps {
        let turn = [played, &[*step]].concat();
        *turns.entry(turn).or_default() += weight / steps.len() as f64;
    }
}

/// Linage's policy by its definition: now and then a pass, else any placement.
fn linage_policy<G: Game>(position: &G) -> Turns {
    let mut turns = Turns::new();
    let placements = placements(position);
    let passing = if placements.is_empty() { 1.0 } else { 1.0 / 64.0 };
    add(&mut turns, &[], &[Step::PASS], passing);
    add(&mut turns, &[], &placements, 1.0 - passing);
    turns
}

/// Sligo's policy by its definition, for whole turns and for the rest of one.
fn sligo_policy<G: Game>(position: &G) -> Turns {
    let mut turns = Turns::new();
    if position.phase() != Phase::Start {
        sligo_movement(position, &[], 1.0, &mut turns);
        return turns;
    }
    let stones = points(position, |cell| cell != Cell::Empty);
    let moving = if stones.is_empty() { 0.0 } else { 0.3 };
    for stone in &stones {
        let mut picked = position.clone();
        picked.play(*stone);
        sligo_movement(&picked, &[*stone], moving / stones.len() as f64, &mut turns);
    }
    let direct = sparing_eyes(position, placements(position));
    let direct = if direct.is_empty() { vec![Step::PASS] } else { direct };
    add(&mut turns, &[], &direct, 1.0 - moving);
    turns
}

/// A turn that has begun: any destination, then any placement, in an eye only if there is no other.
fn sligo_movement<G: Game>(position: &G, played: &[Step], weight: f64, turns: &mut Turns) {
    let steps = placements(position);
    if let Phase::Picked(_) = position.phase() {
        for step in &steps {
            let mut moved = position.clone();
            moved.play(*step);
            sligo_movement(&moved, &[played, &[*step]].concat(), weight / steps.len() as f64, turns);
        }
        return;
    }
    let kept = sparing_eyes(position, steps.clone());
    add(turns, played, if kept.is_empty() { &steps } else { &kept }, weight);
}

/// Draws the turn many times and compares; returns how many different turns there are.
fn drawn_as_said<G: PlayoutPolicy>(position: &G, policy: &Turns, draws: usize, rng: &mut ChaCha8Rng) -> usize {
    let mut drawn = BTreeMap::new();
    for _ in 0..draws {
        let mut turn = Vec::new();
        position.clone().play_out(1, rng, |step| turn.push(step));
        *drawn.entry(turn).or_insert(0) += 1;
    }
    for turn in drawn.keys() {
        assert!(policy.get(turn).is_some_and(|chance| *chance > 0.0), "{turn:?} in {position:?}");
    }
    let mut squares = 0.0;
    for (turn, chance) in policy.iter().filter(|(_, chance)| **chance > 0.0) {
        let (found, expected) = (f64::from(*drawn.get(turn).unwrap_or(&0)), chance * draws as f64);
        squares += (found - expected).powi(2) / expected;
        assert!(
            (found - expected).abs() < 6.0 * expected.sqrt() + 6.0,
            "{turn:?} in {position:?}: {found}, {expected}"
        );
    }
    // Chi squared has this mean and, about, this deviation.
    let freedom = policy.len() as f64 - 1.0;
    assert!(squares < freedom + 6.0 * (2.0 * freedom).sqrt() + 10.0, "{position:?}: {squares} for {freedom}");
    policy.len()
}

/// Compares the turns drawn in positions of every kind with the policy.
fn policy_holds(game: GameKind, sizes: &[usize]) {
    let mut rng = rng(7);
    let mut kinds = 0;
    for size in sizes {
        with_game!(game, *size, G => {
            for position in positions::<G>(*size, 40, &mut rng) {
                if position.end().is_none() {
                    let linage = game == GameKind::Linage;
                    let policy = if linage { linage_policy(&position) } else { sligo_policy(&position) };
                    assert!((policy.values().sum::<f64>() - 1.0).abs() < 1e-9);
                    kinds += drawn_as_said(&position, &policy, 20_000, &mut rng);
                }
            }
        });
    }
    assert!(kinds > 1000, "{kinds} different turns");
}

#[test]
fn linage_draws_as_its_policy_says() {
    policy_holds(GameKind::Linage, &[3, 4, 5, 6, 8, 11]);
}

#[test]
fn sligo_draws_as_its_policy_says() {
    policy_holds(GameKind::Sligo, &[1, 2, 3, 4, 5, 6, 8]);
}

/// Linage's playouts count on this.
#[test]
fn what_is_illegal_in_linage_stays_so_until_a_stone_is_placed_beside_it() {
    let mut rng = rng(8);
    let mut kept = 0;
    for size in [3, 4, 5, 6, 7, 9] {
        with_game!(GameKind::Linage, size, G => {
            for position in positions::<G>(size, 60, &mut rng) {
                let legal = placements(&position);
                for step in &legal {
                    let Step::Point(stone) = *step else { unreachable!("placements are points") };
                    let mut after = position.clone();
                    after.play(*step);
                    for next in placements(&after) {
                        let Step::Point(point) = next else { unreachable!("placements are points") };
                        let may = legal.contains(&next) || beside(&position, stone, point);
                        assert!(may, "{position:?} {stone:?} {point:?}");
                    }
                    kept += 1;
                }
            }
        });
    }
    assert!(kept > 1000, "{kept} placements");
}

/// Points are drawn as often as any other although they were illegal earlier in the playout.
#[test]
fn what_becomes_legal_again_in_linage_is_drawn_again() {
    let mut rng = rng(9);
    let (mut drawn, mut expected) = (0.0, 0.0);
    for size in [4, 5, 7, 9] {
        with_game!(GameKind::Linage, size, G => {
            for _ in 0..300 {
                let mut barred = BTreeSet::new();
                watched(&G::new(size, Options::default()), HalfPoints(0), &mut rng, |position, step| {
                    let legal = placements(position);
                    let back = legal.iter().filter(|step| barred.contains(*step)).count();
                    expected += 63.0 / 64.0 * back as f64 / legal.len().max(1) as f64;
                    drawn += f64::from(barred.contains(&step));
                    let points = (0..size * size).map(|dense| Step::Point(position.from_dense(dense)));
                    barred.extend(points.filter(|point| !legal.contains(point)));
                });
            }
        });
    }
    assert!(expected > 100.0 && (drawn - expected).abs() < 5.0 * f64::sqrt(expected), "{drawn}, {expected}");
}

fn beside<G: Game>(position: &G, a: Point, b: Point) -> bool {
    let n = position.size();
    let (a, b) = (position.dense(a), position.dense(b));
    (a / n).abs_diff(b / n) + (a % n).abs_diff(b % n) == 1
}

#[test]
fn values_are_the_movers() {
    let mut rng = rng(6);
    for game in [GameKind::Yugo, GameKind::Linage, GameKind::Sligo] {
        with_game!(game, 5, G => {
            for position in positions::<G>(5, 30, &mut rng) {
                if position.end().is_some() {
                    continue;
                }
                for (komi, black) in [(-60, 1.0), (60, 0.0)] {
                    let mut policy = Vec::new();
                    let mut leaves = [Leaf {
                        position: &position,
                        komi: HalfPoints(komi),
                        rng: &mut rng,
                        value: MoverValue(0.5),
                        policy: &mut policy,
                    }];
                    Playouts.evaluate(&mut leaves).expect("playouts do not fail");
                    let expected = if position.to_move() == Player::Black { black } else { 1.0 - black };
                    assert_eq!(leaves[0].value, MoverValue(expected), "{position:?}");
                }
            }
        });
    }
}

/// The steps that the playouts of Yugo and Fugo choose among, by their definition.
fn choices<G: Game>(position: &G) -> Vec<Step> {
    let Status::Running(steps) = position.status() else { return Vec::new() };
    let mut choices: Vec<Step> = steps.iter().filter(|step| ![Step::PASS, Step::SWAP].contains(step)).collect();
    if position.phase() == Phase::Start {
        let fills_eye = |step: &Step| matches!(step, Step::Point(point) if fills_eye(position, *point));
        let sensible: Vec<Step> = choices.iter().copied().filter(|step| !fills_eye(step)).collect();
        let may_pass = steps.contains(Step::PASS);
        choices = if sensible.is_empty() && !may_pass { choices } else { sensible };
    }
    // A pass or a swap only for want of anything else.
    if choices.is_empty() {
        choices = steps.iter().filter(|step| matches!(step, Step::Special(_))).collect();
    }
    choices
}

/// How far the first steps of many playouts are from even (chi-square), and its degrees of freedom.
fn unevenness<G: PlayoutPolicy>(position: &G, rng: &mut ChaCha8Rng) -> (f64, f64) {
    let choices = choices(position);
    let mut drawn = vec![0; choices.len()];
    let each = 40;
    for _ in 0..each * choices.len() {
        let mut first = None;
        position.clone().play_out(1, rng, |step| first = first.or(Some(step)));
        let first = first.expect("the game goes on");
        let index = choices.iter().position(|step| *step == first);
        drawn[index.unwrap_or_else(|| panic!("{first:?} is no choice in {position:?}"))] += 1;
    }
    assert!(drawn.iter().all(|count| *count > 0), "{drawn:?} of {choices:?} in {position:?}");
    let square = |count: &i32| f64::from(count - each as i32).powi(2) / each as f64;
    (drawn.iter().map(square).sum(), choices.len().saturating_sub(1) as f64)
}

#[test]
fn yugo_and_fugo_draw_their_first_steps_evenly() {
    let mut rng = rng(7);
    for game in [GameKind::Yugo, GameKind::Fugo] {
        let (mut chi, mut freedom, mut closed) = (0.0, 0.0, 0);
        for size in [1, 2, 3, 4, 5, 6, 7, 8, 9, 11] {
            with_game!(game, size, G => {
                for start in positions::<G>(size, 30, &mut rng) {
                    // Along a playout, because full boards with eyes are where drawing again matters.
                    let mut line = vec![start.clone()];
                    start.clone().play_out(G::playout_cap(size), &mut rng, |step| {
                        let mut next = line.last().expect("it has the start").clone();
                        next.play(step);
                        line.push(next);
                    });
                    line.retain(|position| position.end().is_none());
                    for position in line.iter().rev().step_by(3).take(16) {
                        let (square, degrees) = unevenness(position, &mut rng);
                        assert!(square < degrees + 6.0 * (2.0 * degrees).sqrt() + 8.0, "{square} of {degrees}: {position:?}");
                        chi += square;
                        freedom += degrees;
                        closed += (degrees < position.size() as f64) as usize;
                    }
                }
            });
        }
        let deviations = (chi - freedom) / (2.0 * freedom).sqrt();
        assert!(deviations.abs() < 4.0, "{game}: {deviations} standard deviations from even");
        assert!(freedom > 5000.0 && closed > 500, "{game}: {freedom} degrees of freedom, {closed} late positions");
    }
}
