//! Small cases that can be worked out, and input that says nothing.

use proptest::prelude::*;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::stats::LEVEL;

/// Games from komi, wins, draws and losses; each game has its own cluster.
fn games(list: &[(f64, usize, usize, usize)]) -> Vec<KomiGame> {
    let results = list.iter().flat_map(|&(komi, wins, draws, losses)| {
        let all = [(Outcome::Win, wins), (Outcome::Draw, draws), (Outcome::Loss, losses)];
        all.into_iter().flat_map(move |(outcome, count)| std::iter::repeat_n((komi, outcome), count))
    });
    let game = |((komi, outcome), cluster): (_, u64)| KomiGame { komi, outcome, id: cluster.into(), cluster };
    results.zip(0..).map(game).collect()
}

fn smooth(games: &[KomiGame]) -> Option<SmoothKomi> {
    smooth_komi(games, LEVEL, 7)
}

#[test]
fn two_komi_give_a_line_through_both() {
    // log odds ln 3 at komi 0 and -ln 2 at komi 3
    let found = smooth(&games(&[(0.0, 60, 0, 20), (3.0, 30, 0, 60)])).unwrap();
    assert!((found.root - 3.0 * 3_f64.ln() / 6_f64.ln()).abs() < 1e-9, "{}", found.root);
    assert_eq!(found.fit_p, None);
    let (fieller, bootstrap) = (found.fieller.unwrap(), found.bootstrap.interval.unwrap());
    for interval in [found.profile, fieller, bootstrap] {
        assert!(interval.contains(found.root) && interval.lo > 0.5 && interval.hi < 3.0, "{interval}");
        assert!((interval.width() / found.profile.width() - 1.0).abs() < 0.2, "{interval}");
    }
    assert_eq!((found.bootstrap.clusters, found.bootstrap.resamples, found.bootstrap.rootless), (170, RESAMPLES, 0));
}

#[test]
fn draws_say_nothing() {
    let without = smooth(&games(&[(-1.0, 30, 0, 10), (1.0, 20, 0, 21), (3.0, 10, 0, 30)])).unwrap();
    let with = smooth(&games(&[(-1.0, 30, 25, 10), (0.5, 0, 9, 0), (1.0, 20, 3, 21), (3.0, 10, 0, 30)])).unwrap();
    let said = |found: &SmoothKomi| (found.root, found.profile, found.fieller, found.fit_p);
    assert_eq!(said(&with), said(&without));
    assert_eq!(with.bootstrap.clusters, 121);
}

#[test]
fn a_curve_that_does_not_fit_is_told() {
    let good = smooth(&games(&[(-2.0, 80, 0, 20), (0.0, 50, 0, 50), (2.0, 20, 0, 80)])).unwrap();
    let bad = smooth(&games(&[(-2.0, 55, 0, 45), (0.0, 90, 0, 10), (2.0, 10, 0, 90)])).unwrap();
    assert!(good.fit_p.unwrap() > 0.9 && bad.fit_p.unwrap() < 1e-6);
}

#[test]
fn order_does_not_matter_and_the_seed_does() {
    let mut list = games(&[(-1.5, 20, 4, 8), (0.5, 15, 2, 17), (2.5, 7, 1, 24)]);
    for (game, i) in list.iter_mut().zip(0_u64..) {
        game.cluster = i.wrapping_mul(0x9e37_79b9_7f4a_7c15) % 23;
    }
    let found = smooth(&list).unwrap();
    assert_eq!(found.bootstrap.clusters, 23);
    for seed in 0..5 {
        list.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
        assert_eq!(smooth(&list).unwrap(), found);
    }
    let other = smooth_komi(&list, LEVEL, 8).unwrap();
    assert_eq!(other.profile, found.profile);
    assert_ne!(other.bootstrap, found.bootstrap);
}

#[test]
fn swapping_the_players_negates_the_root() {
    let list = games(&[(-1.5, 30, 4, 8), (0.5, 15, 2, 17), (3.5, 7, 1, 24)]);
    let swapped: Vec<KomiGame> =
        list.iter().map(|game| KomiGame { komi: -game.komi, outcome: game.outcome.negated(), ..*game }).collect();
    let (x, y) = (smooth(&list).unwrap(), smooth(&swapped).unwrap());
    assert!((x.root + y.root).abs() < 1e-9);
    let pairs = [
        (x.profile, y.profile),
        (x.fieller.unwrap(), y.fieller.unwrap()),
        (x.bootstrap.interval.unwrap(), y.bootstrap.interval.unwrap()),
    ];
    for (i, j) in pairs {
        assert!((i.lo + j.hi).abs() < 1e-7 && (i.hi + j.lo).abs() < 1e-7, "{i} {j}");
    }
}

#[test]
fn games_of_one_opening_count_once() {
    // in each cluster all games at a komi end alike
    let alone = games(&[(0.0, 60, 0, 40), (2.0, 30, 0, 70)]);
    let five = |game: &KomiGame| (0..5).map(|copy| KomiGame { id: 5 * game.id + copy, ..*game }).collect::<Vec<_>>();
    let fivefold: Vec<KomiGame> = alone.iter().flat_map(five).collect();
    let (x, y) = (smooth(&alone).unwrap(), smooth(&fivefold).unwrap());
    assert_eq!(x.bootstrap.clusters, y.bootstrap.clusters);
    let (i, j) = (x.bootstrap.interval.unwrap(), y.bootstrap.interval.unwrap());
    assert!((i.lo - j.lo).abs() < 1e-9 && (i.hi - j.hi).abs() < 1e-9);
    assert!((x.root - y.root).abs() < 1e-9);
    assert!(y.profile.width() < 0.6 * x.profile.width());
}

#[test]
fn the_same_game_is_no_new_evidence() {
    let once = games(&[(0.0, 60, 0, 40), (2.0, 30, 15, 70)]);
    let often: Vec<KomiGame> = once.iter().flat_map(|game| std::iter::repeat_n(*game, 5)).collect();
    let (x, y) = (smooth(&once).unwrap(), smooth(&often).unwrap());
    assert!((x.root - y.root).abs() < 1e-9 && (x.profile.lo - y.profile.lo).abs() < 1e-6);
    // Of the games at a komi the share that was won counts, not that of those that differ.
    let mut uneven = once.clone();
    uneven.extend(std::iter::repeat_n(once[0], 200));
    assert!(smooth(&uneven).unwrap().root > x.root + 0.3);
}

#[test]
fn few_clusters_give_no_interval() {
    let list = games(&[(0.0, 33, 0, 12), (2.0, 12, 0, 33)]);
    let in_clusters = |number: u64| {
        let clustered = |game: &KomiGame| KomiGame { cluster: game.cluster * game.cluster % 89 % number, ..*game };
        smooth(&list.iter().map(clustered).collect::<Vec<_>>()).unwrap().bootstrap
    };
    assert_eq!(in_clusters(1), RootBootstrap { interval: None, clusters: 1, resamples: RESAMPLES, rootless: 0 });
    assert_eq!((in_clusters(5).interval, in_clusters(5).clusters), (None, 5));
    assert!(in_clusters(9).interval.is_some());
}

#[test]
fn clusters_that_are_all_alike_give_no_interval() {
    let one = games(&[(0.0, 6, 0, 2), (2.0, 2, 0, 6)]);
    let all: Vec<KomiGame> = (0..20)
        .flat_map(|cluster| {
            one.iter().map(move |game| KomiGame { id: game.id + 100 * u128::from(cluster), cluster, ..*game })
        })
        .collect();
    let found = smooth(&all).unwrap().bootstrap;
    assert_eq!((found.interval, found.clusters, found.rootless), (None, 20, 0));
}

#[test]
fn resamples_without_a_root_are_counted() {
    // without the one loss at komi 0 or the one win at komi 1, wins and losses are separated
    let found = smooth(&games(&[(0.0, 29, 0, 1), (1.0, 1, 0, 29)])).unwrap();
    let share = found.bootstrap.rootless as f64 / RESAMPLES as f64;
    assert!((share - 0.6).abs() < 0.05, "{share}");
    assert_eq!(found.bootstrap.interval, None);
}

#[test]
fn nothing_to_say() {
    assert_eq!(smooth(&[]), None);
    assert_eq!(smooth(&games(&[(1.0, 20, 3, 30)])), None, "one komi");
    assert_eq!(smooth(&games(&[(1.0, 20, 3, 30), (2.0, 0, 9, 0)])), None, "one komi with decisive games");
    assert_eq!(smooth(&games(&[(1.0, 20, 3, 0), (2.0, 30, 0, 0)])), None, "one outcome");
    assert_eq!(smooth(&games(&[(1.0, 20, 3, 0), (2.0, 0, 0, 30)])), None, "separated");
    assert_eq!(smooth(&games(&[(0.0, 11, 0, 9), (1.0, 10, 0, 10)])), None, "an uncertain slope");
    assert_eq!(smooth(&games(&[(0.0, 20, 0, 60), (1.0, 60, 0, 20)])), None, "odds that rise with komi");
    assert_eq!(smooth(&games(&[(0.0, 60, 0, 20), (1.0, 20, 0, 60), (f64::NAN, 0, 1, 0)])), None, "no komi");
}

#[test]
fn is_kept_as_json() {
    let found = smooth(&games(&[(-1.0, 30, 0, 10), (1.0, 10, 0, 30)])).unwrap();
    let kept: SmoothKomi = serde_json::from_str(&serde_json::to_string(&found).unwrap()).unwrap();
    assert!((kept.profile.hi - found.profile.hi).abs() < 1e-12 && kept.bootstrap.interval.is_some());
    let alone = smooth(&games(&[(0.0, 29, 0, 1), (1.0, 1, 0, 29)])).unwrap();
    assert!(serde_json::to_string(&alone).unwrap().contains("\"bootstrap\":{\"interval\":null,\"clusters\":60,"));
}

#[test]
fn tails_are_widened_for_few_clusters() {
    // t 2.262157 with 9 degrees of freedom, times √(10/9): 2.384523
    assert!((expanded_alpha(0.95, 10.0) - erfc(2.384_523 / 2_f64.sqrt())).abs() < 1e-6);
    assert!((expanded_alpha(0.95, 1e6) - 0.05).abs() < 1e-5);
    assert!(expanded_alpha(0.95, 5.0) < 0.002 && expanded_alpha(0.95, 6.0) > 0.002);
    assert_eq!(expanded_alpha(0.95, 1.0), 0.0);
    assert_eq!(expanded_alpha(0.95, 0.0), 0.0);
    assert_eq!(effective_number([4, 4, 4].into_iter()), 3.0);
    assert_eq!(effective_number([8, 4, 4].into_iter()), 256.0 / 96.0);
    assert_eq!(effective_number(std::iter::empty()), 0.0);
}

fn any_game() -> impl Strategy<Value = KomiGame> {
    let komi = prop_oneof![
        30 => (-6_i8..6).prop_map(|half| f64::from(half) / 2.0),
        1 => -1e3..1e3,
        1 => any::<f64>(),
    ];
    let outcome = prop_oneof![Just(Outcome::Win), Just(Outcome::Draw), Just(Outcome::Loss)];
    let cluster = prop_oneof![0_u64..12, any::<u64>()];
    let id = prop_oneof![0_u128..30, any::<u128>()];
    (komi, outcome, id, cluster).prop_map(|(komi, outcome, id, cluster)| KomiGame { komi, outcome, id, cluster })
}

proptest! {
    #[test]
    fn no_input_is_too_odd(
        list in prop::collection::vec(any_game(), 0..80),
        level in prop_oneof![4 => Just(LEVEL), 1 => any::<f64>()],
        seed: u64,
        falling: bool,
    ) {
        let mut list = list;
        if falling {
            // so that there mostly is an answer
            for (game, i) in list.iter_mut().zip(0..) {
                if game.komi.abs() > 1.0 && i % 5 > 0 {
                    game.outcome = if game.komi < 0.0 { Outcome::Win } else { Outcome::Loss };
                }
            }
        }
        if let Some(found) = smooth_komi_with(&list, level, seed, 50) {
            prop_assert!(found.root.is_finite());
            prop_assert!(found.profile.contains(found.root), "{} {}", found.root, found.profile);
            for interval in [Some(found.profile), found.fieller, found.bootstrap.interval].into_iter().flatten() {
                prop_assert!(interval.width() >= 0.0 && interval.width().is_finite(), "{interval}");
            }
            prop_assert!(found.fit_p.is_none_or(|p| (0.0..=1.0).contains(&p)));
            prop_assert!(found.bootstrap.rootless <= found.bootstrap.resamples);
            prop_assert_eq!(smooth_komi_with(&list, level, seed, 50), Some(found));
        }
    }
}
