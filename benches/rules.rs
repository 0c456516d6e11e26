//! Speed of the rules: legal steps of a position, and random plies (steps) of playouts.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime};
use fairkomi::games::{GameKind, HalfPoints, Options, Phase};
use fairkomi::search::{PlayoutPolicy, Purpose, playout, stream};
use fairkomi::with_game;

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

fn rules(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("legal_steps");
    for game in GameKind::ALL {
        for size in SIZES {
            with_game!(game, size, G => steps::<G>(&mut group, size));
        }
    }
    group.finish();
    let mut group = criterion.benchmark_group("playout_turns");
    for game in GameKind::ALL {
        for size in SIZES {
            with_game!(game, size, G => playouts::<G>(&mut group, size));
        }
    }
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
