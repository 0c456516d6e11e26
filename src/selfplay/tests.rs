use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::*;
use crate::config::{Device, Inference, Precision, RootExploration, RootNoise};
use crate::games::{Ending, Game, GameKind, HalfPoints, Options, Played, Rules, Status, Step, Turn};
use crate::search::testing::{rng, visits};
use crate::search::{Choice, ChoiceRule, PlayoutPolicy, RootStep};
use crate::with_game;

struct Count(AtomicUsize);

impl Observer for Count {
    fn game_done(&self, _: Work) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// A game with all that depends on chance.
fn setup(game: GameKind, size: usize, index: u64) -> Setup {
    let options = Options { handicap: 0, pie: game == GameKind::Fugo };
    Setup {
        index,
        rules: Rules { game, size, options, komi: HalfPoints(0), move_cap: Some(60) },
        seats: [0, 0],
        opening: Opening::Random { turns: 2 },
        opening_stream: index / 2,
        choice: ChoiceRule { early: Choice::Temperature(1.0), early_turns: 4, late: Choice::Most },
        explore: Some(RootExploration { noise: RootNoise::of_share(0.25, 10.0), forced: 0.0 }),
        plan: None,
    }
}

/// All that is known about a game when it is over.
type Story = (u64, Vec<Turn>, Option<Ending>, usize, Vec<(usize, Step, Vec<RootStep>, f32)>);

fn story<G: Game>(finished: &Finished<G>) -> Story {
    let note = |note: &Note<G>| (note.turn, note.played, note.steps.clone(), note.value.0);
    let notes = finished.notes.iter().map(note).collect();
    let played = &finished.played;
    (finished.setup.index, played.turns().to_vec(), played.ending(), finished.opening_turns, notes)
}

/// Plays the games with these indices; they come in order.
fn play<G: PlayoutPolicy>(
    engines: &[Engine],
    indices: &[u64],
    setup: &(dyn Fn(u64) -> Setup + Sync),
    workers: Workers,
) -> Vec<Story> {
    let found = Mutex::new(Vec::new());
    let (stop, count) = (AtomicBool::new(false), Count(AtomicUsize::new(0)));
    let control = Control { stop: &stop, observer: &count };
    play_games::<G, ()>(engines, indices, setup, 1, workers, control, &|finished| {
        found.lock().expect("no panic").push(story(&finished));
        Ok(())
    })
    .expect("games");
    let mut found = found.into_inner().expect("no panic");
    assert_eq!(count.0.load(Ordering::Relaxed), found.len(), "the observer is told of each");
    found.sort_by_key(|story| story.0);
    assert!(found.iter().map(|story| story.0).eq(indices.iter().copied()), "each once");
    found
}

#[test]
fn threads_and_batch_do_not_change_a_game() {
    let engines = [Engine::playouts(visits(24))];
    let indices: Vec<u64> = (0..10).collect();
    for game in GameKind::ALL {
        for size in [3, 5, 8] {
            with_game!(game, size, G => {
                let setup = |index| setup(game, size, index);
                let play = |indices: &[u64], threads, batch| {
                    play::<G>(&engines, indices, &setup, Workers { threads, batch })
                };
                let found = play(&indices, 1, 1);
                for (threads, batch) in [(1, 16), (2, 16), (2, 64), (3, 1), (20, 64)] {
                    assert_eq!(play(&indices, threads, batch), found, "{game} {size}: {threads} threads");
                }
                // A game depends on its own index alone.
                assert_eq!(play(&indices[7..], 2, 16), found[7..]);
                let different: HashSet<_> = found.iter().map(|story| &story.1).collect();
                assert!(different.len() > 1, "{game} {size}");
            });
        }
    }
}

/// Plays the steps that leave no choice: no search was made for them.
fn play_forced<G: Game>(game: &mut Played<G>) {
    while game.ending().is_none() {
        match game.position().search_status() {
            Status::Running(steps) if steps.len() == 1 => game.play(steps.nth(0)),
            _ => return,
        }
    }
}

#[test]
fn every_search_has_its_visits_and_every_step_its_search() {
    let engines = [Engine::playouts(visits(40)), Engine::playouts(visits(15))];
    for game in GameKind::ALL {
        with_game!(game, 4, G => {
            let setup = |index: u64| Setup {
                seats: if index.is_multiple_of(2) { [0, 1] } else { [1, 0] },
                explore: None,
                plan: None,
                ..setup(game, 4, index)
            };
            for (index, turns, _, opening, notes) in
                play::<G>(&engines, &[0, 1, 2, 3, 4, 5], &setup, Workers { threads: 2, batch: 16 })
            {
                let rules = setup(index).rules;
                let mut replayed = Played::new(G::new(4, rules.options), rules.move_cap);
                turns[..opening].iter().flat_map(|turn| turn.steps()).for_each(|step| replayed.play(*step));
                for (turn, played, steps, value) in notes {
                    play_forced(&mut replayed);
                    assert_eq!(turn, replayed.turns().len());
                    let engine = setup(index).seats[replayed.position().seat_to_move() as usize];
                    let visits: u32 = steps.iter().map(|known| known.visits).sum();
                    // A search ends early once it has proven the result.
                    let certain = steps.iter().any(|known| known.is_settled);
                    assert!(certain || visits + 1 == engines[engine].search.visits, "{game}, engine {engine}");
                    assert!(steps.iter().any(|known| known.step == played && known.visits > 0));
                    assert!((0.0..=1.0).contains(&value));
                    replayed.play(played);
                }
                play_forced(&mut replayed);
                assert_eq!(replayed.turns(), turns);
                assert!(replayed.ending().is_some());
            }
        });
    }
}

#[test]
fn a_pair_shares_its_opening_and_pairs_differ() {
    let engines = [Engine::playouts(visits(10))];
    for game in GameKind::ALL {
        with_game!(game, 6, G => {
            let setup = |index| Setup { opening: Opening::Random { turns: 3 }, ..setup(game, 6, index) };
            let indices: Vec<u64> = (0..24).collect();
            let found = play::<G>(&engines, &indices, &setup, Workers { threads: 2, batch: 16 });
            let openings: Vec<&[Turn]> = found.iter().map(|story| &story.1[..story.3]).collect();
            assert!(openings.iter().all(|opening| opening.len() == 3));
            assert!(openings.chunks(2).all(|pair| pair[0] == pair[1]));
            let different: HashSet<_> = openings.iter().collect();
            assert!(different.len() > 9, "{game}: {} openings of 12 pairs", different.len());
            assert!(found.chunks(2).any(|pair| pair[0].1 != pair[1].1), "the rest is the games' own");
        });
    }
}

#[test]
fn random_openings_end_no_game() {
    for game in GameKind::ALL {
        for size in game.min_size()..=4 {
            with_game!(game, size, G => {
                for seed in 0..60 {
                    let mut played = Played::new(G::new(size, Options::default()), game.default_move_cap(size));
                    let over = played.ending().is_some();
                    if over {
                        continue;
                    }
                    Opening::Random { turns: 100 }.play(&mut played, &mut rng(seed));
                    assert!(played.ending().is_none() && played.partial().is_none(), "{game} {size}");
                    let mut position = G::new(size, Options::default());
                    for step in played.turns().iter().flat_map(|turn| turn.steps()) {
                        let Status::Running(steps) = position.status() else { panic!("it goes on") };
                        assert!(matches!(step, Step::Point(_)) || steps.points.is_empty(), "points before passes");
                        position.play(*step);
                    }
                }
            });
        }
    }
}

#[test]
fn given_openings_are_played() {
    let engines = [Engine::playouts(visits(10))];
    type G = crate::games::Linage<1>;
    let start = G::new(5, Options::default());
    let step = |name: &str| crate::games::parse_step(&start, name).expect("a point");
    let opening = Opening::Steps(vec![step("C3"), step("B2"), Step::PASS]);
    let setup = |index| Setup { opening: opening.clone(), ..setup(GameKind::Linage, 5, index) };
    for (_, turns, _, opening, _) in play::<G>(&engines, &[0, 1], &setup, Workers { threads: 1, batch: 1 }) {
        let texts: Vec<String> = turns[..opening].iter().map(|turn| turn.text(&start)).collect();
        assert_eq!(texts, ["C3", "B2", "pass"]);
    }
}

#[test]
fn a_game_that_is_over_at_once_is_handed_on() {
    // Black has no move in Fugo on 1x1.
    let engines = [Engine::playouts(visits(10))];
    let found = play::<crate::games::Fugo<1>>(
        &engines,
        &[0, 1, 2],
        &|index| setup(GameKind::Fugo, 1, index),
        Workers { threads: 2, batch: 16 },
    );
    assert!(found.iter().all(|(_, turns, ending, _, _)| turns.is_empty() && *ending == Some(Ending::NoMove)));
}

/// Plays 40 games of Sligo and returns how it ended and how many games were handed on. `done` is told of each.
fn stopped<E: Send>(
    stop: &AtomicBool,
    threads: usize,
    done: impl Fn(usize) -> Result<(), E> + Sync,
) -> (Result<(), PlayError<E>>, usize) {
    let count = Count(AtomicUsize::new(0));
    let handed_on = AtomicUsize::new(0);
    let indices: Vec<u64> = (0..40).collect();
    let result = play_games::<crate::games::Sligo<1>, E>(
        &[Engine::playouts(visits(10))],
        &indices,
        &|index| setup(GameKind::Sligo, 4, index),
        1,
        Workers { threads, batch: 16 },
        Control { stop, observer: &count },
        &|_| done(handed_on.fetch_add(1, Ordering::Relaxed) + 1),
    );
    (result, handed_on.into_inner())
}

#[test]
fn a_stop_drops_games_that_are_not_over() {
    for threads in [1, 2, 3] {
        let stop = AtomicBool::new(true);
        let (result, games) = stopped::<()>(&stop, threads, |_| Ok(()));
        assert!(matches!(result, Err(PlayError::Stopped)) && games == 0);
        let stop = AtomicBool::new(false);
        let (result, games) = stopped::<()>(&stop, threads, |games| {
            stop.store(games >= 5, Ordering::Relaxed);
            Ok(())
        });
        assert!(matches!(result, Err(PlayError::Stopped)));
        assert!((5..5 + threads).contains(&games), "{games} games with {threads} threads");
        let (result, games) = stopped::<()>(&AtomicBool::new(false), threads, |_| Ok(()));
        assert!(result.is_ok() && games == 40);
    }
}

#[test]
fn the_first_fault_is_told_and_ends_the_run() {
    for threads in [1, 3] {
        let stop = AtomicBool::new(false);
        let (result, games) = stopped(&stop, threads, |games| if games == 3 { Err("a full disk") } else { Ok(()) });
        assert!(matches!(result, Err(PlayError::Output("a full disk"))), "{result:?}");
        assert!(games < 40);
    }
}

#[test]
fn no_games_are_no_fault() {
    let engines = [Engine::playouts(visits(10))];
    let setup = |index| setup(GameKind::Yugo, 3, index);
    assert!(play::<crate::games::Yugo<1>>(&engines, &[], &setup, Workers { threads: 2, batch: 16 }).is_empty());
}

/// An engine with a network that has learnt nothing.
fn untrained(game: GameKind, folder: &std::path::Path) -> Engine {
    let architecture = crate::net::Architecture { game, layers: 2, channels: 8, margins: true };
    let path = folder.join("untrained.safetensors");
    let network = crate::net::Network::untrained(architecture, 1).expect("a network");
    network.save(&path).expect("saved");
    let inference = Inference { batch: 16, precision: Precision::F32, device: Device::Cpu };
    Engine::load(Some(&path), visits(12), game, 4, inference).expect("an engine")
}

#[test]
fn threads_and_slots_do_not_change_a_networks_games() {
    let indices: Vec<u64> = (0..8).collect();
    for game in GameKind::ALL {
        let folder = tempfile::tempdir().expect("a folder");
        let engines = [untrained(game, folder.path()), Engine::playouts(visits(8))];
        with_game!(game, 4, G => {
            for seats in [[0, 0], [0, 1]] {
                let setup = |index| Setup { seats, ..setup(game, 4, index) };
                let found = play::<G>(&engines, &indices, &setup, Workers { threads: 1, batch: 16 });
                assert!(found.iter().all(|story| story.4.iter().all(|note| (0.0..=1.0).contains(&note.3))));
                for threads in [2, 3] {
                    let again = play::<G>(&engines, &indices, &setup, Workers { threads, batch: 16 });
                    assert_eq!(again, found, "{game}: {threads} threads");
                }
                assert_eq!(play::<G>(&engines, &indices[5..], &setup, Workers { threads: 1, batch: 16 }), found[5..]);
            }
        });
    }
}
