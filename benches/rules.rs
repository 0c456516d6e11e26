//! Speed of the rules: legal steps of a position, turns of playouts, and the same next to random Go by `board-game`.

use std::hint::black_box;
use std::time::Duration;

use board_game::board::Board;
use board_game::games::go::{GoBoard, Komi, Move, Rules, Tile};
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime};
use fairkomi::games::{Cell, Game, GameKind, HalfPoints, Options, Phase};
use fairkomi::search::{PlayoutPolicy, Purpose, playout, stream};
use fairkomi::with_game;
use rand_chacha::ChaCha8Rng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{RngCore, SeedableRng};

const SIZES: [usize; 3] = [5, 9, 13];

/// Positions from all parts of a playout, and its number of turns.
fn positions<G: PlayoutPolicy>(size: usize) -> (Vec<G>, u64) {
    let mut rng = stream(1, Purpose::Playout, 0);
    let (mut found, mut turns) = (Vec::new(), 0);
    for _ in 0..8 {
        let mut steps = Vec::new();
        G::new(size, Options::default()).play_out(G::playout_cap(size), &mut rng, |step| steps.push(step));
        let mut position = G::new(size, Options::default());
        for step in steps {
            found.push(position.clone());
            position.play(step);
            turns += (position.phase() == Phase::Start) as u64;
        }
    }
    (found, turns / 8)
}

fn steps<G: PlayoutPolicy>(group: &mut BenchmarkGroup<'_, WallTime>, size: usize) {
    let (positions, _) = positions::<G>(size);
    group.throughput(Throughput::Elements(positions.len() as u64));
    group.bench_function(format!("{}/{size}", G::KIND), |bencher| {
        bencher.iter(|| {
            for position in &positions {
                black_box(position.status());
            }
        });
    });
}

/// Sligo's steps, throughput in pairs of a stone and an empty point beside it: what has to be decided.
fn sligo_pairs(group: &mut BenchmarkGroup<'_, WallTime>, size: usize) {
    with_game!(GameKind::Sligo, size, G => {
        let (positions, _) = positions::<G>(size);
        let starts: Vec<G> = positions.into_iter().filter(|position| position.phase() == Phase::Start).collect();
        let pairs = |position: &G| -> u64 {
            let own = Cell::Stone(position.to_move());
            let cell = |row: usize, column: usize| {
                let inside = row < size && column < size;
                inside.then(|| position.cell(position.from_dense(row * size + column)))
            };
            let mut count = 0;
            for dense in 0..size * size {
                let (row, column) = (dense / size, dense % size);
                if cell(row, column) != Some(own) {
                    continue;
                }
                for (up, right) in (0..9).map(|step| (step / 3, step % 3)) {
                    let beside = cell((row + up).wrapping_sub(1), (column + right).wrapping_sub(1));
                    count += u64::from(beside == Some(Cell::Empty));
                }
            }
            count
        };
        group.throughput(Throughput::Elements(starts.iter().map(pairs).sum()));
        group.bench_function(format!("sligo/{size}"), |bencher| {
            bencher.iter(|| {
                for position in &starts {
                    black_box(position.status());
                }
            });
        });
    });
}

/// Throughput in turns.
fn playouts<G: PlayoutPolicy>(group: &mut BenchmarkGroup<'_, WallTime>, size: usize) {
    let (_, turns) = positions::<G>(size);
    let start = G::new(size, Options::default());
    let mut rng = stream(1, Purpose::Playout, 1);
    group.throughput(Throughput::Elements(turns));
    group.bench_function(format!("{}/{size}", G::KIND), |bencher| {
        bencher.iter(|| playout(&start, HalfPoints(1), &mut rng));
    });
}

/// Playouts that one iteration of the comparison plays: always the same, so that their turns can be counted.
const PLAYOUTS: u64 = 500;

/// Turns of playouts from the empty 9x9 board, the result included.
fn turns<G: PlayoutPolicy>(group: &mut BenchmarkGroup<'_, WallTime>) {
    let start = G::new(9, Options::default());
    let fresh = || stream(1, Purpose::Playout, 2);
    let count = |rng: &mut ChaCha8Rng| {
        let (mut position, mut steps) = (start.clone(), Vec::new());
        position.play_out(G::playout_cap(9), rng, |step| steps.push(step));
        let mut again = start.clone();
        steps.into_iter().fold(0, |turns, step| {
            again.play(step);
            turns + (again.phase() == Phase::Start) as u64
        })
    };
    let mut rng = fresh();
    group.throughput(Throughput::Elements((0..PLAYOUTS).map(|_| count(&mut rng)).sum()));
    group.bench_function(G::KIND.to_string(), |bencher| {
        bencher.iter(|| {
            let mut rng = fresh();
            for _ in 0..PLAYOUTS {
                black_box(playout(black_box(&start), HalfPoints(1), &mut rng));
            }
        });
    });
}

/// One random game of Go on 9x9 with `board-game`, until two passes; returns its plies. They pass for want of a move
/// alone, and the crate knows the result at the end.
fn random_go(next: impl Fn(&mut GoBoard, &mut Xoshiro256PlusPlus), rng: &mut Xoshiro256PlusPlus) -> u64 {
    let mut board = GoBoard::new(9, Komi::new(15), Rules::tromp_taylor());
    let mut plies = 0;
    while !board.is_done() {
        next(&mut board, rng);
        plies += 1;
    }
    black_box(board.outcome());
    plies
}

/// The crate's own sampler of placements.
fn go_sampler(board: &mut GoBoard, rng: &mut Xoshiro256PlusPlus) {
    let drawn = board.random_available_place_move(rng).expect("the game goes on");
    board.play(drawn.unwrap_or(Move::Pass)).expect("the move is available");
}

/// Any point is tried until one can be played, and only after 16 failures the sampler is asked.
fn go_tries(board: &mut GoBoard, rng: &mut Xoshiro256PlusPlus) {
    for _ in 0..16 {
        let point = ((u64::from(rng.next_u32()) * 81) >> 32) as u8;
        if board.play(Move::Place(Tile::new(point % 9, point / 9))).is_ok() {
            return;
        }
    }
    go_sampler(board, rng);
}

/// Plies of random Go. Of the crate's rule sets Tromp-Taylor is the faster one, and these are its fastest ways to draw.
fn go(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    next: impl Fn(&mut GoBoard, &mut Xoshiro256PlusPlus) + Copy,
) {
    let games = |rng: &mut Xoshiro256PlusPlus| (0..4).map(|_| random_go(next, rng)).sum();
    group.throughput(Throughput::Elements(games(&mut Xoshiro256PlusPlus::seed_from_u64(1))));
    group.bench_function(name, |bencher| bencher.iter(|| games(&mut Xoshiro256PlusPlus::seed_from_u64(1))));
}

fn rules(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("legal_steps");
    for game in GameKind::ALL {
        for size in SIZES {
            with_game!(game, size, G => steps::<G>(&mut group, size));
        }
    }
    group.finish();
    let mut group = criterion.benchmark_group("stone_destination_pairs");
    SIZES.into_iter().for_each(|size| sligo_pairs(&mut group, size));
    group.finish();
    let mut group = criterion.benchmark_group("playout_turns");
    for game in GameKind::ALL {
        for size in SIZES {
            with_game!(game, size, G => playouts::<G>(&mut group, size));
        }
    }
    group.finish();
    let mut group = criterion.benchmark_group("playout_turns_9x9_vs_board_game");
    go(&mut group, "board_game_go_sampler", go_sampler);
    for game in GameKind::ALL {
        with_game!(game, 9, G => turns::<G>(&mut group));
    }
    go(&mut group, "board_game_go_tries", go_tries);
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_millis(1200))
        .sample_size(20)
        .without_plots();
    targets = rules
}
criterion_main!(benches);
