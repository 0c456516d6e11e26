//! What running a match costs: games of a match against games of self-play, one visit a search, playouts, on 9x9.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime};
use fairkomi::arena::play_match;
use fairkomi::config::{
    Board, Device, Inference, KomiDraw, MatchConfig, Precision, Reading, RootExploration, SearchSettings,
    SelfplayConfig, VisitPlan,
};
use fairkomi::games::{GameKind, HalfPoints};
use fairkomi::records::{RunDir, RunInfo, run_toml};
use fairkomi::search::PlayoutPolicy;
use fairkomi::selfplay::{Control, Engine, Observer, Work, Workers, generate};
use fairkomi::with_game;

const SIZE: usize = 9;
const GAMES: u64 = 64;
const OPENING_TURNS: usize = 2;
const WORKERS: Workers = Workers { threads: 1, batch: 16 };

/// Nobody who watches.
struct Nobody;

impl Observer for Nobody {
    fn game_done(&self, _: Work) {}
}

/// A new run's directory, in a folder that goes when it is dropped.
fn run_dir() -> (tempfile::TempDir, RunDir) {
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    let info = RunInfo { version: String::new(), git_commit: String::new(), machine: String::new() };
    let dir = RunDir::open_or_create(&folder.path().join("run"), &run_toml("", &info)).expect("a new run");
    (folder, dir)
}

fn games<G: PlayoutPolicy>(group: &mut BenchmarkGroup<'_, WallTime>) {
    let stop = AtomicBool::new(false);
    let control = Control { stop: &stop, observer: &Nobody };
    let settings = SearchSettings { reading: Reading::VALUE, ..SearchSettings::default() };
    let engine = Engine::playouts(settings.with_visits(1));
    let board = Board { game: G::KIND, size: SIZE, handicap: 0, pie: false, move_cap: G::KIND.default_move_cap(SIZE) };
    let inference = Inference { batch: WORKERS.batch, precision: Precision::F32, device: Device::Cpu };
    group.throughput(Throughput::Elements(GAMES));

    let config = MatchConfig {
        pairs: GAMES / 2,
        opening_turns: OPENING_TURNS,
        ..MatchConfig::between([engine.search; 2], board, inference)
    };
    let engines = [engine.clone(), engine.clone()];
    group.bench_function(format!("{}/match", G::KIND), |bencher| {
        bencher.iter(|| {
            let (_folder, mut dir) = run_dir();
            play_match::<G>(&config, &engines, &mut dir, WORKERS, control, |_| ()).expect("a match");
        });
    });

    let config = SelfplayConfig {
        board,
        games: GAMES,
        seed: 0,
        inference,
        shard: 32,
        compress: false,
        search: settings,
        plan: VisitPlan { visits: 1, full_share: 1.0, fast_visits: 1 },
        komi: KomiDraw { centre: HalfPoints(0), spread: 0.0 },
        opening_turns: OPENING_TURNS,
        continued: 0.0,
        temperature: 1.0,
        temperature_turns: 0,
        explore: RootExploration { noise: None, forced: 0.0 },
    };
    group.bench_function(format!("{}/selfplay", G::KIND), |bencher| {
        bencher.iter(|| {
            let (_folder, mut dir) = run_dir();
            generate::<G>(&config, &engine, &[], &mut dir, WORKERS, control).expect("self-play");
        });
    });
}

fn matches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("games_9x9");
    for game in GameKind::ALL {
        with_game!(game, SIZE, G => games::<G>(&mut group));
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(5))
        .sample_size(10)
        .without_plots();
    targets = matches
}
criterion_main!(benches);
