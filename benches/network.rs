//! Speed of the network on 9x9: batches and memory orders of bare convolutions, the module's forward, whole self-play
//! next to it, and one worker against two. Side by side in one run.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime};
use fairkomi::bench::{Plan, Run, selfplay, selfplay_config};
use fairkomi::config::{Board, Device, Inference, Precision, Reading, SearchConfig, SearchSettings};
use fairkomi::games::{Game, GameKind, Yugo};
use fairkomi::net::runtime::{cpu_computes_bf16, set_single_threaded};
use fairkomi::net::{Architecture, NetFile, Network};
use fairkomi::selfplay::Engine;
use tch::{Kind, Tensor};

const SIZE: usize = 9;
const CHANNELS: i64 = 32;

fn precisions() -> Vec<Precision> {
    if cpu_computes_bf16() { vec![Precision::F32, Precision::Bf16] } else { vec![Precision::F32] }
}

fn kind(precision: Precision) -> Kind {
    if precision == Precision::Bf16 { Kind::BFloat16 } else { Kind::Float }
}

/// Three convolutions of 32 channels with ReLU, with contiguous planes and with channels last.
fn convolutions(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("convolutions_9x9");
    let _guard = tch::no_grad_guard();
    let normal =
        |shape: [i64; 4], precision| Tensor::randn(shape, (Kind::Float, tch::Device::Cpu)).to_kind(kind(precision));
    let channels_last = |tensor: &Tensor| tensor.permute([0, 2, 3, 1]).contiguous().permute([0, 3, 1, 2]);
    for precision in precisions() {
        let weight = normal([CHANNELS, CHANNELS, 3, 3], precision);
        for batch in [16, 64, 256] {
            let planes = normal([batch, CHANNELS, SIZE as i64, SIZE as i64], precision);
            let orders = [
                ("contiguous", planes.shallow_clone(), weight.shallow_clone()),
                ("channels_last", channels_last(&planes), channels_last(&weight)),
            ];
            group.throughput(Throughput::Elements(batch as u64));
            for (order, planes, weight) in orders {
                group.bench_function(format!("{}/{batch}/{order}", precision.name()), |bencher| {
                    bencher.iter(|| {
                        (0..3)
                            .fold(planes.shallow_clone(), |x, _| x.conv2d(&weight, None::<&Tensor>, 1, 1, 1, 1).relu_())
                    });
                });
            }
        }
    }
    group.finish();
}

fn engine(game: GameKind, precision: Precision, batch: usize) -> Engine {
    let network = Network::untrained(Architecture { game, layers: 3, channels: CHANNELS as usize, margins: true }, 1)
        .expect("a network");
    let file = NetFile::of(network).expect("a network in memory");
    Engine::with_network(file, search(), SIZE, inference(precision, batch)).expect("rows are independent")
}

fn search() -> SearchConfig {
    SearchSettings { reading: Reading::VALUE, tree_memory: 64, ..SearchSettings::default() }.with_visits(16)
}

fn inference(precision: Precision, batch: usize) -> Inference {
    Inference { batch, precision, device: Device::Cpu }
}

/// The module's forward, by batch: with libtorch's operations alone, and as it is evaluated in play.
fn forward(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("forward_9x9");
    for precision in precisions() {
        for batch in [16, 64, 256] {
            let engine = engine(GameKind::Yugo, precision, batch);
            let mut evaluator = engine.net_evaluator().expect("an evaluator").expect("of a network");
            group.throughput(Throughput::Elements(batch as u64));
            for (name, plain) in [("libtorch", true), ("own", false)] {
                group.bench_function(format!("{}/{batch}/{name}", precision.name()), |bencher| {
                    bencher.iter(|| evaluator.forward_blank(SIZE, plain).expect("a forward"));
                });
            }
        }
    }
    group.finish();
}

/// Whole runs of self-play with one worker and with two. Throughput in evaluations, to be held against the forward's.
fn runs(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("selfplay_9x9");
    group.sample_size(10).measurement_time(Duration::from_secs(20));
    for precision in precisions() {
        let engine = engine(GameKind::Yugo, precision, 64);
        for threads in [1, 2] {
            whole_run(&mut group, &engine, precision, threads);
        }
    }
    group.finish();
}

fn whole_run(group: &mut BenchmarkGroup<'_, WallTime>, engine: &Engine, precision: Precision, threads: usize) {
    let plan = Plan {
        search: search(),
        inference: inference(precision, 64),
        threads,
        // As many for each worker, so that the end of a run, where few games are left, weighs as much.
        games: 128 * threads as u64,
        rounds: 1,
        duration: Duration::ZERO,
    };
    let board = Board { game: GameKind::Yugo, size: SIZE, handicap: 0, pie: false, move_cap: None };
    let run = || -> Run {
        let config = selfplay_config(&plan, board, plan.games);
        selfplay::<Yugo<2>>(&config, engine, threads, &AtomicBool::new(false)).expect("a run")
    };
    assert_eq!(Yugo::<2>::KIND, board.game);
    group.throughput(Throughput::Elements(run().work.evaluations));
    group.bench_function(format!("{}/{threads}_workers", precision.name()), |bencher| {
        bencher.iter_custom(|times| (0..times).map(|_| Duration::from_secs_f64(run().seconds)).sum());
    });
}

fn network(criterion: &mut Criterion) {
    set_single_threaded();
    convolutions(criterion);
    forward(criterion);
    runs(criterion);
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2))
        .sample_size(20)
        .without_plots();
    targets = network
}
criterion_main!(benches);
