//! What the tree costs: simulations of a search with playouts against bare playouts, on 9x9.

use std::time::Duration;

use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime};
use fairkomi::config::{Reading, SearchSettings};
use fairkomi::games::{GameKind, HalfPoints, Options, Played};
use fairkomi::search::{Descent, MoverValue, PlayoutPolicy, Purpose, Search, playout, stream};
use fairkomi::with_game;

const SIZE: usize = 9;
const VISITS: u32 = 64;

fn bare<G: PlayoutPolicy>(group: &mut BenchmarkGroup<'_, WallTime>) {
    let start = G::new(SIZE, Options::default());
    let mut rng = stream(1, Purpose::Playout, 0);
    group.throughput(Throughput::Elements(1));
    group.bench_function(format!("{}/playouts", G::KIND), |bencher| {
        bencher.iter(|| playout(&start, HalfPoints(1), &mut rng));
    });
}

fn search<G: PlayoutPolicy>(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, with_playouts: bool) {
    let start = G::new(SIZE, Options::default());
    let game = Played::new(start.clone(), G::KIND.default_move_cap(SIZE));
    let config =
        SearchSettings { reading: Reading::VALUE, tree_memory: 64, ..SearchSettings::default() }.with_visits(VISITS);
    let komi = HalfPoints(G::KIND.has_score() as i32);
    let mut rng = stream(1, Purpose::Playout, 1);
    group.throughput(Throughput::Elements(u64::from(VISITS)));
    group.bench_function(format!("{}/{name}", G::KIND), |bencher| {
        let mut tree = Search::new(config, &start, komi);
        bencher.iter(|| {
            tree.restart(&start);
            tree.prepare_root(VISITS, None, &mut rng);
            while !tree.is_done() {
                if tree.descend(&game) == Descent::Terminal {
                    continue;
                }
                let leaf = tree.leaf().expect("the descent led to a leaf");
                let value = match with_playouts {
                    true => playout(leaf, komi, &mut rng).for_mover(leaf.seat_to_move()),
                    false => MoverValue(0.5),
                };
                tree.back_up(value);
            }
            tree.root_value()
        });
    });
}

fn searches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("search_9x9");
    for game in GameKind::ALL {
        with_game!(game, SIZE, G => {
            bare::<G>(&mut group);
            search::<G>(&mut group, "simulations", true);
            search::<G>(&mut group, "tree_alone", false);
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(3))
        .sample_size(20)
        .without_plots();
    targets = searches
}
criterion_main!(benches);
