//! Tests of the room as a whole.

use std::ops::ControlFlow;
use std::path::Path;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::head::Head;
use super::planes::{whole_count, write_planes, write_position};
use super::*;
use crate::board::{PointSet, Symmetry};
use crate::config::{Device, Inference, Precision, Reading};
use crate::games::{Ending, Game, HalfPoints, Options, Phase, Played, Player, Special, Status, step_count};
use crate::search::{EvalError, Evaluator, Leaf, MoverValue};
use crate::stats::calibration::Platt;
use crate::with_game;

/// A game played with random steps, and its positions.
fn random_game<G: Game>(n: usize, options: Options, rng: &mut ChaCha8Rng) -> (Played<G>, Vec<G>) {
    let mut played = Played::new(G::new(n, options), G::KIND.default_move_cap(n));
    let mut positions = Vec::new();
    while played.ending().is_none() {
        positions.push(played.position().clone());
        let Status::Running(steps) = played.position().status() else { break };
        // Passes end games early: play them seldom.
        let step = match steps.points.is_empty() || rng.random_bool(0.03) {
            true => steps.nth(steps.len() - 1),
            false => steps.nth(rng.random_range(0..steps.points.len())),
        };
        played.play(step);
    }
    (played, positions)
}

fn options(game: GameKind, rng: &mut ChaCha8Rng) -> Options {
    Options {
        handicap: if game == GameKind::Yugo { rng.random_range(0..3) } else { 0 },
        pie: game == GameKind::Fugo && rng.random_bool(0.5),
    }
}

/// A komi that the game allows.
fn komi(game: GameKind, rng: &mut ChaCha8Rng) -> HalfPoints {
    let half = rng.random_range(-12..12);
    [half, half + 1].map(HalfPoints).into_iter().find(|komi| game.allows_komi(*komi)).unwrap_or_default()
}

fn planes(snapshot: &Snapshot) -> Vec<f32> {
    let n = snapshot.size();
    let mut out = vec![f32::NAN; n * n * plane_count(snapshot.game())];
    let mut whole = vec![f32::NAN; whole_count(snapshot.game())];
    write_planes(snapshot, &mut out, &mut whole);
    for point in out.chunks_exact(plane_count(snapshot.game())) {
        assert_eq!(point[point.len() - whole.len()..], whole, "the same numbers once more");
    }
    out
}

fn inference(batch: usize, precision: Precision) -> Inference {
    Inference { batch, precision, device: Device::Cpu }
}

/// An evaluator in 32 bits.
fn evaluator(network: &Network, batch: usize) -> NetEvaluator {
    network.evaluator(inference(batch, Precision::F32)).expect("an evaluator")
}

fn from_fields<G: Game>(position: &G, komi: HalfPoints) -> Snapshot {
    let swap_open = matches!(position.status(), Status::Running(steps) if steps.specials.contains(Special::Swap));
    let picked = match position.phase() {
        Phase::Start => String::new(),
        Phase::Picked(point) => position.point_name(point),
        Phase::Moved(from, to) => format!("{}-{}", position.point_name(from), position.point_name(to)),
    };
    let fields = Fields {
        game: G::KIND,
        size: position.size(),
        board: &position.rows().join("/"),
        phase: position.phase().name(),
        picked: &picked,
        to_move: position.to_move(),
        passes: position.passes(),
        button: position.button(),
        handicap_left: position.handicap_left(),
        swap_open,
        komi: if position.to_move() == Player::White { komi } else { -komi },
    };
    Snapshot::from_fields(&fields).expect("the fields of a position")
}

fn each_position(sizes: &[usize], mut look: impl FnMut(&dyn Fn(Symmetry, HalfPoints) -> Snapshot, Checked)) {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    for game in GameKind::ALL {
        for size in sizes.iter().copied().filter(|size| *size >= game.min_size()) {
            for _ in 0..3 {
                let (options, komi) = (options(game, &mut rng), komi(game, &mut rng));
                with_game!(game, size, G => {
                    for position in random_game::<G>(size, options, &mut rng).1 {
                        let checked = Checked {
                            direct: Snapshot::of(&position, komi),
                            fields: from_fields(&position, komi),
                            lead: position.score().map(|score| match position.to_move() {
                                Player::Black => score.margin(),
                                Player::White => -score.margin(),
                            }),
                            komi,
                        };
                        look(&|symmetry, komi| Snapshot::of(&position.mapped(symmetry), komi), checked);
                    }
                });
            }
        }
    }
}

struct Checked {
    direct: Snapshot,
    fields: Snapshot,
    lead: Option<HalfPoints>,
    komi: HalfPoints,
}

#[test]
fn whole_planes_come_last_and_the_board_first() {
    for game in GameKind::ALL {
        let planes = layout(game);
        assert_eq!(planes[0], Plane::Board);
        let whole = planes.iter().position(|plane| plane.whole()).expect("each game has some");
        assert!(planes[whole..].iter().all(|plane| plane.whole()));
        assert!(planes.len() <= MAX_PLANES);
        for (index, plane) in planes.iter().enumerate() {
            assert!(!planes[..index].contains(plane), "{plane:?} twice in {game}");
        }
    }
}

#[test]
fn planes_of_games_and_of_files_are_the_same() {
    each_position(&[3, 5, 7, 9, 11], |_, Checked { direct, fields, lead, .. }| {
        assert_eq!(direct, fields);
        assert_eq!(planes(&direct), planes(&fields));
        let n = direct.size();
        let channel = layout(direct.game()).iter().position(|plane| *plane == Plane::Lead);
        assert_eq!(channel.is_some(), lead.is_some());
        if let (Some(channel), Some(lead)) = (channel, lead) {
            let lead = (lead.points() / n as f64) as f32;
            assert!((planes(&direct)[channel] - lead).abs() < 1e-6, "{direct:?}");
        }
    });
}

#[test]
fn planes_of_a_known_position() {
    // Black's group of two has two liberties, White's stone one; Black owns A1.
    let fields = Fields {
        game: GameKind::Yugo,
        size: 3,
        board: "..O/.XX/...",
        phase: "start",
        picked: "",
        to_move: Player::White,
        passes: 1,
        button: crate::games::Button::Taken(Player::Black),
        handicap_left: 0,
        swap_open: false,
        komi: HalfPoints(4),
    };
    let snapshot = Snapshot::from_fields(&fields).expect("a position");
    let planes = planes(&snapshot);
    let at = |plane: Plane, name: &str| {
        let point = name.as_bytes();
        let dense = (point[1] - b'1') as usize * 3 + (point[0] - b'A') as usize;
        let channel = layout(GameKind::Yugo).iter().position(|known| *known == plane).expect("a plane");
        planes[dense * layout(GameKind::Yugo).len() + channel]
    };
    assert_eq!((at(Plane::Own, "C3"), at(Plane::Enemy, "C3"), at(Plane::Enemy, "B2")), (1.0, 0.0, 1.0));
    assert_eq!((at(Plane::OwnOne, "C3"), at(Plane::EnemyTwo, "B2"), at(Plane::EnemyOne, "C2")), (1.0, 0.0, 0.0));
    // All empty points are connected and touch both colours.
    assert_eq!((at(Plane::OwnRegion, "A1"), at(Plane::EnemyRegion, "A1")), (0.0, 0.0));
    assert_eq!((at(Plane::Komi, "A1"), at(Plane::Passed, "B2"), at(Plane::EnemyButton, "C3")), (2.0 / 3.0, 1.0, 1.0));
    // One stone against two and the button.
    assert_eq!(at(Plane::Lead, "B1"), -1.5 / 3.0);
}

#[test]
fn images_have_the_planes_images_and_the_same_komi_for_the_mover() {
    each_position(&[4, 5], |image, Checked { direct, komi, .. }| {
        let (game, n) = (direct.game(), direct.size());
        let count = plane_count(game);
        for symmetry in Symmetry::all() {
            // In Linage a komi for Horizontal is its negative when the players are exchanged.
            let image_komi = if game.exchanges_players(symmetry) { -komi } else { komi };
            let mapped = direct.mapped(symmetry);
            assert_eq!(mapped, image(symmetry, image_komi));
            let (before, after) = (planes(&direct), planes(&mapped));
            // The mover always plays Vertical: the view turns with the board, so that a role-exchanging image shows
            // what an image without its reflection in the diagonal shows.
            let seen = if game == GameKind::Linage {
                let upright = |snapshot: &Snapshot| snapshot.to_move() == Player::Black;
                let view = |snapshot, row, column| if upright(snapshot) { (row, column) } else { (column, row) };
                let place = |row, column| {
                    let (row, column) = view(&direct, row, column);
                    let (row, column) = symmetry.map(n, row, column);
                    view(&mapped, row, column)
                };
                (0..n * n).map(|dense| place(dense / n, dense % n)).collect::<Vec<_>>()
            } else {
                (0..n * n).map(|dense| symmetry.map(n, dense / n, dense % n)).collect()
            };
            for (dense, (row, column)) in seen.into_iter().enumerate() {
                let to = row * n + column;
                assert_eq!(before[dense * count..][..count], after[to * count..][..count], "{symmetry:?} {direct:?}");
            }
        }
    });
}

#[test]
fn role_exchanging_images_add_nothing_in_linage() {
    each_position(&[5], |_, Checked { direct, .. }| {
        if direct.game() == GameKind::Linage {
            let shown = |symmetry: Symmetry| planes(&direct.mapped(symmetry));
            let kept: Vec<_> = GameKind::Linage.symmetries().map(shown).collect();
            assert_eq!(planes(&direct.mapped(Symmetry::TRANSPOSE)), planes(&direct));
            assert!(Symmetry::all().all(|symmetry| kept.contains(&shown(symmetry))));
        }
    });
}

#[test]
fn broken_fields_are_refused() {
    let good = Fields {
        game: GameKind::Sligo,
        size: 3,
        board: "X../.../...",
        phase: "picked",
        picked: "A3",
        to_move: Player::Black,
        passes: 0,
        button: crate::games::Button::Absent,
        handicap_left: 0,
        swap_open: false,
        komi: HalfPoints(1),
    };
    assert!(Snapshot::from_fields(&good).is_ok());
    let bad = [
        Fields { size: 0, ..good },
        Fields { size: 20, ..good },
        Fields { size: 2, game: GameKind::Linage, board: "../..", ..good },
        Fields { board: "", ..good },
        Fields { board: "X../...", ..good },
        Fields { board: "X../.../....", ..good },
        Fields { board: "X../.é./...", ..good },
        Fields { board: "#../.../...", ..good },
        Fields { phase: "begun", ..good },
        Fields { game: GameKind::Yugo, ..good },
        Fields { game: GameKind::Fugo, phase: "moved", ..good },
        Fields { picked: "D1", ..good },
        Fields { picked: "", ..good },
        Fields { handicap_left: 10, ..good },
    ];
    for fields in bad {
        assert!(Snapshot::from_fields(&fields).is_err(), "{fields:?}");
    }
}

fn untrained(game: GameKind, layers: usize, channels: usize) -> Network {
    Network::untrained(Architecture { game, layers, channels, margins: true }, 1).expect("a network")
}

#[test]
fn networks_can_be_shared_and_evaluators_moved_to_threads() {
    fn shared<T: Send + Sync>() {}
    fn moved<T: Send>() {}
    shared::<Network>();
    moved::<NetEvaluator>();
}

#[test]
fn rows_depend_on_nothing_else() {
    for (game, layers, channels, batch) in [
        (GameKind::Yugo, 3, 32, 16),
        (GameKind::Sligo, 5, 16, 64),
        (GameKind::Fugo, 1, 8, 17),
        (GameKind::Linage, 4, 24, 33),
    ] {
        for precision in [Precision::F32, Precision::Bf16] {
            let network = untrained(game, layers, channels);
            let mut evaluator = network.evaluator(inference(batch, precision)).expect("an evaluator");
            for size in [3, 5, 9] {
                let batches = evaluator.prove_batch_invariance(size).expect("a proof");
                assert!(batches.last() == Some(&batch) && batches.is_sorted() && batches[0] >= 1, "{batches:?}");
            }
        }
    }
    let small = untrained(GameKind::Yugo, 1, 4).evaluator(inference(15, Precision::F32));
    assert_eq!(small.err(), Some(NetError::SmallBatch(15)));
}

fn evaluate<G: Game>(evaluator: &mut NetEvaluator, positions: &[G]) -> Result<Vec<MoverValue>, EvalError> {
    let mut rngs: Vec<_> = positions.iter().map(|_| ChaCha8Rng::seed_from_u64(0)).collect();
    let mut policies = vec![Vec::new(); positions.len()];
    let mut leaves: Vec<_> = positions
        .iter()
        .zip(rngs.iter_mut().zip(&mut policies))
        .map(|(position, (rng, policy))| Leaf {
            position,
            komi: HalfPoints(4),
            rng,
            value: MoverValue(f32::NAN),
            policy,
        })
        .collect();
    evaluator.evaluate(&mut leaves)?;
    Ok(leaves.iter().map(|leaf| leaf.value).collect())
}

#[test]
fn a_padded_batch_gives_the_values_of_a_full_one_and_of_predict() {
    type G = crate::games::Yugo<1>;
    let network = untrained(GameKind::Yugo, 3, 16);
    let mut evaluator = evaluator(&network, 16);
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let positions: Vec<G> = random_game(5, Options::default(), &mut rng).1.into_iter().take(16).collect();
    assert_eq!(positions.len(), 16);
    let full = evaluate(&mut evaluator, &positions).expect("values");
    for (position, value) in positions.iter().zip(&full) {
        let one = evaluate(&mut evaluator, std::slice::from_ref(position)).expect("a value");
        assert_eq!(one[0].0.to_bits(), value.0.to_bits());
        if position.piece_count() <= 2 {
            continue; // valued in another orientation, perhaps
        }
        let asked = evaluator.predict(&[Snapshot::of(position, HalfPoints(4))]).expect("a prediction");
        assert_eq!(asked[0].value as f32, value.0);
        assert!((0.0..=1.0).contains(&value.0));
    }
    // Boards of another size in between change nothing.
    evaluate(&mut evaluator, &[G::new(7, Options::default())]).expect("a value");
    assert_eq!(evaluate(&mut evaluator, &positions).expect("values"), full);

    assert!(matches!(evaluate(&mut evaluator, &vec![positions[0].clone(); 17]), Err(EvalError::Network(_))));
    let sizes = [G::new(5, Options::default()), G::new(6, Options::default())];
    assert!(matches!(evaluate(&mut evaluator, &sizes), Err(EvalError::Network(_))));
    let other = crate::games::Linage::<1>::new(5, Options::default());
    assert!(matches!(evaluate(&mut evaluator, &[other]), Err(EvalError::OtherGame { .. })));
    assert_eq!(evaluate::<G>(&mut evaluator, &[]).expect("no values"), []);
}

#[test]
fn weights_that_break_the_numbers_are_an_error_and_not_a_value() {
    for weight in [f32::NAN, 1e38] {
        let mut network = untrained(GameKind::Linage, 2, 8);
        network.weights.fill(weight);
        let mut evaluator = evaluator(&network, 16);
        let position = crate::games::Linage::<1>::new(5, Options::default());
        assert!(matches!(evaluate(&mut evaluator, &[position]), Err(EvalError::Network(_))));
    }
}

#[test]
fn planes_come_out_the_same_from_bitboards_and_from_snapshots() {
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let mut seen = 0;
    for game in GameKind::ALL {
        for size in [3, 5, 8, 9, 12, 15] {
            let (options, komi) = (options(game, &mut rng), komi(game, &mut rng));
            with_game!(game, size, G => {
                for position in random_game::<G>(size, options, &mut rng).1 {
                    let snapshot = Snapshot::of(&position, komi);
                    let expected = planes(&snapshot);
                    let mut whole = vec![f32::NAN; whole_count(game)];
                    let mut found = vec![f32::NAN; expected.len()];
                    write_position(&position, komi, &mut found, &mut whole);
                    assert_eq!(found, expected, "{position:?}");
                    let mut rounded = vec![half::bf16::NAN; expected.len()];
                    write_position(&position, komi, &mut rounded, &mut whole);
                    assert!(rounded.iter().zip(&expected).all(|(a, b)| *a == half::bf16::from_f32(*b)));
                    assert_eq!(whole, expected[expected.len() - whole.len()..]);
                    seen += 1;
                }
            });
        }
    }
    assert!(seen > 1000, "{seen}");
}

/// The positions of a random game, with the outputs that the model has for them when it is trained.
fn trained_outputs(network: &Network, size: usize, rng: &mut ChaCha8Rng) -> (Vec<Snapshot>, Vec<f32>) {
    let game = network.game();
    let snapshots: Vec<Snapshot> = with_game!(game, size, G => {
        let positions = random_game::<G>(size, Options::default(), rng).1;
        positions.iter().map(|position| Snapshot::of(position, HalfPoints(1))).take(32).collect()
    });
    let input: Vec<f32> = snapshots.iter().flat_map(planes).collect();
    let model = model::Model::for_training(network.meta.architecture, &network.weights).expect("a model");
    let outputs = model.forward_slice(&input, snapshots.len(), size).expect("outputs");
    let mut found = vec![0.0; outputs.value.numel()];
    outputs.value.f_copy_data(&mut found, outputs.value.numel()).expect("numbers");
    (snapshots, found)
}

#[test]
fn inference_agrees_with_the_model_that_is_trained() {
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    for (game, layers, channels) in
        [(GameKind::Yugo, 3, 32), (GameKind::Linage, 7, 24), (GameKind::Fugo, 4, 8), (GameKind::Sligo, 1, 17)]
    {
        let mut network = untrained(game, layers, channels);
        // The ends of residual branches begin at zero: give them something to add.
        network
            .weights
            .iter_mut()
            .enumerate()
            .for_each(|(index, weight)| *weight += ((index % 7) as f32 - 3.0) * 0.005);
        for (precision, tolerance) in [(Precision::F32, 1e-4), (Precision::Bf16, 0.1)] {
            let (snapshots, outputs) = trained_outputs(&network, 7, &mut rng);
            let mut evaluator = network.evaluator(inference(64, precision)).expect("an evaluator");
            let found = evaluator.predict(&snapshots).expect("predictions");
            for (snapshot, (found, raw)) in
                snapshots.iter().zip(found.iter().zip(outputs.chunks_exact(outputs.len() / snapshots.len())))
            {
                let expected = Prediction::new(network.meta.architecture.head(), 7, snapshot.komi(), raw, Platt::NONE);
                let distance = (expected.value - found.value).abs();
                assert!(distance < tolerance, "{game} {}: {distance}", precision.name());
            }
        }
    }
}

#[test]
fn images_of_a_position_with_few_pieces_have_one_value() {
    for game in GameKind::ALL {
        let mut evaluator = evaluator(&untrained(game, 2, 8), 16);
        with_game!(game, 5, G => {
            let mut position = G::new(5, Options::default());
            position.play(crate::games::Step::Point(position.from_dense(7)));
            let images: Vec<G> = game.symmetries().map(|symmetry| position.mapped(symmetry)).collect();
            let values = evaluate(&mut evaluator, &images).expect("values");
            assert!(values.iter().all(|value| *value == values[0]), "{game}: {values:?}");
        });
    }
}

#[test]
fn what_was_valued_is_known_and_nothing_else() {
    type G = crate::games::Sligo<1>;
    let mut rng = ChaCha8Rng::seed_from_u64(10);
    let network = untrained(GameKind::Sligo, 2, 8);
    let mut evaluator = evaluator(&network, 16);
    let mut positions: Vec<G> = random_game(5, Options::default(), &mut rng).1;
    positions.truncate(30);
    let known =
        |evaluator: &mut NetEvaluator, position: &G, komi| evaluator.known(position, HalfPoints(komi), &mut Vec::new());
    assert!(positions.iter().all(|position| known(&mut evaluator, position, 4).is_none()));
    let values: Vec<MoverValue> =
        positions.chunks(16).flat_map(|some| evaluate(&mut evaluator, some).expect("values")).collect();
    for (position, value) in positions.iter().zip(&values) {
        assert_eq!(known(&mut evaluator, position, 4), Some(*value), "{position:?}");
        assert_eq!(known(&mut evaluator, position, 5), None);
    }
}

#[test]
fn what_is_left_to_the_machine_is_settled() {
    for precision in Precision::ALL {
        let settled = runtime::settle(inference(64, precision)).expect("there is a CPU");
        assert_ne!(settled.precision, Precision::Auto);
        assert!(precision == Precision::Auto || settled.precision == precision);
    }
    let on_cuda = runtime::settle(Inference { device: Device::Cuda, ..inference(64, Precision::Auto) });
    assert_eq!(on_cuda.is_ok(), runtime::cuda_available());
    if let Err(error) = on_cuda {
        assert!(error.to_string().contains("--device cpu"), "{error}");
    }
}

#[test]
fn fair_komi_lies_where_the_value_crosses_a_half() {
    for game in GameKind::ALL {
        let mut evaluator = evaluator(&untrained(game, 2, 8), 16);
        let empty = with_game!(game, 4, G => Snapshot::of(&G::new(4, Options::default()), HalfPoints(0)));
        let Some(fair) = evaluator.fair_komi(&empty).expect("an answer") else {
            assert_eq!(game, GameKind::Fugo);
            continue;
        };
        assert!((fair.komi.0 - game.margin_parity()) % 2 == 0 && fair.crossings >= 1);
        if fair.crossings == 1 {
            let value = |komi| fair.scan.iter().find(|(k, _)| k.0 == komi).expect("a komi of the scan").1;
            assert!(value(fair.komi.0 - 1) >= 0.5 && value(fair.komi.0 + 1) <= 0.5);
        }
        assert!(fair.scan.iter().all(|(komi, _)| game.allows_komi(*komi)));
        let even = |komi: HalfPoints| fair.scan.iter().find(|(k, _)| *k == komi).map(|(_, value)| (value - 0.5).abs());
        let most = even(fair.most_even).expect("a komi of the scan");
        let sides = [fair.komi.0 - 1, fair.komi.0 + 1].map(|komi| even(HalfPoints(komi)).unwrap_or(1.0));
        assert_eq!(most, sides[0].min(sides[1]));
        // From the other side the same numbers come out for the first player.
        let mut white = empty.clone();
        white.to_move = Player::White;
        let other = evaluator.fair_komi(&white).expect("an answer").expect("a komi");
        let turned: Vec<_> = fair.scan.iter().rev().map(|(komi, value)| (-*komi, 1.0 - value)).collect();
        assert!(turned.iter().zip(&other.scan).all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() < 1e-12));
    }
}

/// Positions of random games with their results.
fn samples(game: GameKind, sizes: &[usize], games: u64) -> Vec<Sample> {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut samples = Vec::new();
    for game_index in 0..games {
        let size = sizes[game_index as usize % sizes.len()];
        let komi = komi(game, &mut rng);
        with_game!(game, size, G => {
            let (played, positions) = random_game::<G>(size, Options::default(), &mut rng);
            if played.ending() == Some(Ending::MoveCap) {
                continue;
            }
            let repetition = played.ending() == Some(Ending::Repetition);
            for position in positions {
                let mover = position.to_move();
                let margin = played.position().score().filter(|_| !repetition).map(|score| score.margin());
                let margin = margin.map(|margin| if mover == Player::Black { margin } else { -margin });
                let outcome = match played.winner(komi) {
                    None => 0.5,
                    Some(winner) => (winner == mover) as u8 as f32,
                };
                let target = Target { outcome, margin, repetition };
                let points = size * size;
                let policy = PolicyTarget::new((0..3).map(|_| (rng.random_range(0..points + 3), 1.0)));
                let owners = (0..points).map(|_| rng.random_range(-1..=1)).collect();
                samples.push(Sample {
                    position: Snapshot::of(&position, komi),
                    target,
                    weight: 1.0,
                    policy: policy.filter(|_| rng.random_bool(0.7)),
                    policy_weight: 1.0,
                    owners: Some(owners).filter(|_| game.has_score()),
                    game_index,
                });
            }
        });
    }
    samples
}

fn small(epochs: usize) -> TrainConfig {
    TrainConfig {
        epochs,
        batch: 48,
        learning_rate: 5e-3,
        layers: 2,
        channels: 8,
        chunks: 3,
        validation_fraction: 0.25,
        patience: 100,
        ..TrainConfig::default()
    }
}

fn run(trainer: &Trainer<'_>, threads: usize) -> Trained {
    trainer.run(threads, None, |_| ControlFlow::Continue(())).expect("a training")
}

fn bytes(trained: &Trained) -> Vec<u8> {
    trained.network.to_bytes().expect("a file")
}

#[test]
fn training_lowers_the_loss_in_every_game() {
    for game in GameKind::ALL {
        let mut samples = samples(game, &[4, 5], 60);
        // These policies and owners are drawn: nothing is to be learnt from them, and beside the rest they are but noise.
        for sample in &mut samples {
            (sample.policy, sample.owners) = (None, None);
        }
        let trainer = Trainer::new(small(6), &samples, None, Provenance::default()).expect("a trainer");
        let trained = run(&trainer, 2);
        let (first, last) = (&trained.history[0], &trained.history[trained.history.len() - 1]);
        assert!(last.train.total() < 0.97 * first.train.total(), "{game} {first:?} {last:?}");
        assert_eq!(trained.held_out.len(), trainer.counts().1);
        assert!(trained.held_out.iter().all(|pair| (0.0..=1.0).contains(&pair.value)));
        let scalings = &trained.network.meta().scalings;
        assert_eq!(scalings.iter().map(|one| one.size).collect::<Vec<_>>(), [4, 5]);
        // What is told of the held-out games is what the network says of them.
        let mut evaluator = trained.network.evaluator(inference(16, Precision::F32)).expect("an evaluator");
        for size in [4, 5] {
            let positions: Vec<Snapshot> = trainer
                .held_out
                .iter()
                .map(|index| &samples[*index as usize].position)
                .filter(|position| position.size() == size)
                .cloned()
                .collect();
            let answers = evaluator.predict(&positions).expect("answers");
            let told = trained.held_out.iter().filter(|answer| answer.size == size);
            assert!(answers.iter().zip(told).all(|(answer, told)| (answer.value - f64::from(told.value)).abs() < 1e-4));
        }
        assert_eq!(trained.network.meta().sizes, [4, 5]);
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let samples = samples(GameKind::Linage, &[4, 5, 6], 40);
    let trainer = Trainer::new(small(2), &samples, None, Provenance::default()).expect("a trainer");
    let one = run(&trainer, 1);
    for threads in [2, 3] {
        let other = run(&trainer, threads);
        assert_eq!(other.history, one.history);
        assert_eq!(bytes(&other), bytes(&one));
    }
    let other_seed = Trainer::new(TrainConfig { seed: 9, ..small(2) }, &samples, None, Provenance::default());
    assert_ne!(bytes(&run(&other_seed.expect("a trainer"), 1)), bytes(&one));
}

#[test]
fn a_training_that_was_killed_ends_as_if_it_had_not_been() {
    let samples = samples(GameKind::Yugo, &[4], 40);
    let trainer = Trainer::new(small(5), &samples, None, Provenance::default()).expect("a trainer");
    let undisturbed = run(&trainer, 2);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("training.safetensors");
    // Stopped at an epoch's end, then amid an epoch, then left alone.
    let stops: [&dyn Fn(Progress<'_>) -> bool; 3] = [
        &|progress| matches!(progress, Progress::Epoch(report) if report.epoch == 2),
        &|progress| matches!(progress, Progress::Step { epoch: 4, done: 2, .. }),
        &|_| false,
    ];
    let mut epochs = Vec::new();
    let mut last = None;
    for (threads, stop) in stops.into_iter().enumerate() {
        let again = Trainer::new(small(5), &samples, None, Provenance::default()).expect("a trainer");
        let progress = |progress: Progress<'_>| {
            if stop(progress) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let trained = again.run(threads + 1, Some(&path), progress).expect("a training");
        epochs.push((trained.history.len(), trained.finish));
        last = Some(trained);
    }
    assert_eq!(epochs, [(2, Finish::Stopped), (3, Finish::Stopped), (5, Finish::Epochs)]);
    let resumed = last.expect("three runs");
    assert_eq!(resumed.history, undisturbed.history);
    assert_eq!(bytes(&resumed), bytes(&undisturbed));
    // Once more: all is done already.
    let look = |progress: Progress<'_>| {
        assert!(matches!(progress, Progress::HeldOut { .. }), "there is nothing left to do: {progress:?}");
        ControlFlow::Continue(())
    };
    let done = trainer.run(1, Some(&path), look).expect("a training");
    assert_eq!(bytes(&done), bytes(&undisturbed));

    let other = Trainer::new(small(6), &samples, None, Provenance::default()).expect("a trainer");
    let refused = other.run(1, Some(&path), |_| ControlFlow::Continue(()));
    assert!(matches!(refused, Err(TrainError::OtherTraining { .. })));
    std::fs::write(&path, b"torn").expect("a file");
    assert!(matches!(trainer.run(1, Some(&path), |_| ControlFlow::Continue(())), Err(TrainError::State(_))));
}

#[test]
fn training_goes_on_from_another_network() {
    let samples = samples(GameKind::Fugo, &[4], 40);
    let trainer = Trainer::new(small(3), &samples, None, Provenance::default()).expect("a trainer");
    let first = run(&trainer, 1);
    let warm = Trainer::new(small(1), &samples, Some(&first.network), Provenance::default()).expect("a trainer");
    let stopped = warm.run(1, None, |_| ControlFlow::Break(())).expect("a training");
    assert_eq!((stopped.finish, &stopped.network.weights), (Finish::Stopped, &first.network.weights));
    assert!(run(&warm, 1).history[0].train.total() < first.history[0].train.total());

    let wider = TrainConfig { channels: 9, ..small(1) };
    let refused = Trainer::new(wider, &samples, Some(&first.network), Provenance::default());
    assert!(matches!(refused, Err(TrainError::Start(_))));
}

#[test]
fn patience_ends_a_training() {
    let samples = samples(GameKind::Linage, &[3], 12);
    let config = TrainConfig { patience: 2, learning_rate: 0.2, ..small(60) };
    let trainer = Trainer::new(config, &samples, None, Provenance::default()).expect("a trainer");
    let trained = run(&trainer, 2);
    assert_eq!(trained.finish, Finish::Patience);
    assert_eq!(trained.network.meta().epoch + 2, trained.history.len());
}

#[test]
fn what_cannot_be_trained_is_refused() {
    let good = samples(GameKind::Yugo, &[4], 4);
    let start = |config: TrainConfig, samples: &[Sample]| {
        Trainer::new(config, samples, None, Provenance::default()).map(|_| ()).map_err(|error| error.to_string())
    };
    assert!(start(small(1), &good).is_ok());
    assert!(start(small(1), &[]).is_err());
    let configs = [
        TrainConfig { epochs: 0, ..small(1) },
        TrainConfig { batch: 0, ..small(1) },
        TrainConfig { chunks: 0, ..small(1) },
        TrainConfig { chunks: 49, ..small(1) },
        TrainConfig { layers: 0, ..small(1) },
        TrainConfig { channels: 1025, ..small(1) },
        TrainConfig { patience: 0, ..small(1) },
        TrainConfig { learning_rate: f64::NAN, ..small(1) },
        TrainConfig { learning_rate: -1.0, ..small(1) },
        TrainConfig { weight_decay: 2.0, ..small(1) },
        TrainConfig { validation_fraction: 1.0, ..small(1) },
    ];
    for config in configs {
        assert!(start(config.clone(), &good).is_err(), "{config:?}");
    }
    let changes: [fn(&mut Sample); 6] = [
        |sample| sample.target.outcome = 0.3,
        |sample| sample.target.outcome = f32::NAN,
        |sample| sample.target.margin = Some(HalfPoints(2)),
        |sample| sample.target.margin = Some(HalfPoints(99)),
        |sample| sample.target.repetition = true,
        |sample| sample.weight = f32::INFINITY,
    ];
    for change in changes {
        let mut samples = good.clone();
        change(&mut samples[1]);
        let error = start(small(1), &samples).expect_err("a broken sample");
        assert!(error.starts_with("sample 1: "), "{error}");
    }
    let mut mixed = good.clone();
    mixed.extend(samples(GameKind::Linage, &[4], 1));
    assert!(start(small(1), &mixed).is_err());
}

#[test]
fn networks_survive_their_files() {
    let folder = tempfile::tempdir().expect("a folder");
    for game in GameKind::ALL {
        let network = untrained(game, 4, 6);
        let path = folder.path().join(game.name());
        let hash = network.save(&path).expect("a file");
        let file = NetFile::load_for(&path, game).expect("a network");
        assert_eq!(file.network, network);
        assert_eq!((file.hash(), file.hash().len()), (hash.as_str(), 12));
        assert_eq!(file.network.to_bytes().expect("bytes"), std::fs::read(&path).expect("bytes"));
    }
    let other = NetFile::load_for(&folder.path().join("yugo"), GameKind::Sligo).expect_err("another game");
    assert!(matches!(other.fault, FileFault::OtherGame { found: GameKind::Yugo, wanted: GameKind::Sligo }));
    // Nothing is left lying about.
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 4);
}

fn load(path: &Path, bytes: &[u8]) -> String {
    std::fs::write(path, bytes).expect("a file");
    NetFile::load(path).expect_err("a broken file").to_string()
}

#[test]
fn hostile_files_are_refused_with_the_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("net.safetensors");
    let scaling = Scaling { size: 5, platt: Platt { factor: 1.25, shift: -0.5 }, games: 7 };
    let network = untrained(GameKind::Yugo, 2, 4).with_scalings([scaling, Scaling { size: 6, ..scaling }]);
    let good = network.to_bytes().expect("bytes");
    let header_end = 8 + u64::from_le_bytes(good[..8].try_into().expect("eight bytes")) as usize;
    let header = String::from_utf8(good[8..header_end].to_vec()).expect("text");
    let with_header = |header: &str| {
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend(header.as_bytes());
        bytes.extend(&good[header_end..]);
        bytes
    };
    let changed = |from: &str, to: &str| {
        assert!(header.contains(from), "{from} is in {header}");
        with_header(&header.replace(from, to))
    };
    let mut nan = good.clone();
    let end = nan.len();
    nan[end - 4..].copy_from_slice(&f32::NAN.to_le_bytes());
    let mut huge = good.clone();
    huge[..8].copy_from_slice(&u64::MAX.to_le_bytes());
    let cases: Vec<(Vec<u8>, &str)> = vec![
        (Vec::new(), "not a safetensors file"),
        (b"PK\x03\x04 something else entirely".to_vec(), "not a safetensors file"),
        (good[..20].to_vec(), "not a safetensors file"),
        (good[..good.len() - 1].to_vec(), "not a safetensors file"),
        ([good.clone(), vec![0]].concat(), "not a safetensors file"),
        (huge, "not a safetensors file"),
        (with_header("{}"), "not a safetensors file"),
        (changed("\"fairkomi\"", "\"other\""), "describes no fairkomi network"),
        (changed("{\\\"format\\\":3", "{\\\"format\\\":99"), "format 99"),
        (changed("\\\"factor\\\":1.25", "\\\"factor\\\":0.0"), "its scaling on 5x5 is by 0 and -0.5"),
        (changed("\\\"factor\\\":1.25", "\\\"factor\\\":1e999"), "description cannot be read"),
        (changed("\\\"factor\\\":1.25", "\\\"factor\\\":1e300"), "its scaling on 5x5 is by 1"),
        (changed("\\\"shift\\\":-0.5", "\\\"shift\\\":-1e9"), "its scaling on 5x5 is by 1.25 and -1000000000"),
        (changed("\\\"size\\\":5", "\\\"size\\\":20"), "a scaling for boards of side 20"),
        (changed("\\\"size\\\":5", "\\\"size\\\":6"), "its scaling on 6x6 does not come before the next one"),
        (changed("\\\"planes\\\":1", "\\\"planes\\\":0"), "version 0 of the input planes"),
        (changed("\\\"mixtures\\\":4", "\\\"mixtures\\\":5"), "mixtures of 5"),
        (changed("\\\"yugo\\\"", "\\\"chess\\\""), "description cannot be read"),
        (changed("\\\"layers\\\":2", "\\\"layers\\\":-2"), "description cannot be read"),
        (changed("\\\"layers\\\":2", "\\\"layers\\\":1000000000000"), "1 to 64 layers"),
        (changed("\\\"channels\\\":4", "\\\"channels\\\":0"), "1 to 1024 channels"),
        (changed("\\\"layers\\\":2", "\\\"layers\\\":1"), "`trunk.1.bias` does not belong"),
        (changed("\\\"layers\\\":2", "\\\"layers\\\":3"), "`trunk.2.weight` is missing"),
        (changed("\\\"channels\\\":4", "\\\"channels\\\":5"), "`trunk.0.weight` has shape [4, 20, 3, 3]"),
        (changed("\\\"yugo\\\"", "\\\"linage\\\""), "`trunk.0.weight` has shape [4, 20, 3, 3]"),
        (changed("\"head.output.bias\"", "\"head.output.bios\""), "`head.output.bios` does not belong"),
        (changed("\"shape\":[4,20,3,3]", "\"shape\":[4,3,20,3]"), "has shape [4, 3, 20, 3]"),
        (changed("\"dtype\":\"F32\",\"shape\":[12]", "\"dtype\":\"I32\",\"shape\":[12]"), "holds I32"),
        (nan, "holds a NaN"),
    ];
    for (bytes, reason) in cases {
        let error = load(&path, &bytes);
        assert!(error.contains(reason), "`{error}` should say `{reason}`");
        assert!(error.contains("net.safetensors"), "{error}");
    }
    // Files of the format before are read as well.
    std::fs::write(&path, changed("{\\\"format\\\":3", "{\\\"format\\\":2")).expect("a file");
    assert_eq!(NetFile::load(&path).expect("a network").network.meta().scalings.len(), 2);
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    for _ in 0..300 {
        let mut bytes = good.clone();
        for _ in 0..rng.random_range(1..4) {
            let place = rng.random_range(0..header_end);
            bytes[place] = rng.random();
        }
        // Whatever it says, it must say it: a few changes hit nothing but a description's text.
        std::fs::write(&path, &bytes).expect("a file");
        let _ = NetFile::load(&path);
    }
    assert!(NetFile::load(&folder.path().join("nothing")).is_err());
    assert!(NetFile::load(folder.path()).is_err());
}

/// The evaluator's values and policies of positions at komi 4, a call each.
fn answers<G: Game>(evaluator: &mut NetEvaluator, positions: &[G]) -> Vec<(MoverValue, Vec<f32>)> {
    let answer = |position: &G| {
        let (mut rng, mut policy) = (ChaCha8Rng::seed_from_u64(0), Vec::new());
        let value = MoverValue(f32::NAN);
        let mut leaf = [Leaf { position, komi: HalfPoints(4), rng: &mut rng, value, policy: &mut policy }];
        evaluator.evaluate(&mut leaf).expect("an answer");
        (leaf[0].value, policy)
    };
    positions.iter().map(answer).collect()
}

/// A network whose residual branches do something.
fn stirred(game: GameKind, layers: usize, channels: usize) -> Network {
    let mut network = untrained(game, layers, channels);
    network.weights.iter_mut().enumerate().for_each(|(index, weight)| *weight += ((index % 7) as f32 - 3.0) * 0.01);
    network
}

#[test]
fn the_policy_in_play_is_that_of_training() {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    for (game, channels) in [(GameKind::Yugo, 32), (GameKind::Linage, 24), (GameKind::Fugo, 5), (GameKind::Sligo, 40)] {
        let network = stirred(game, 3, channels);
        let model = model::Model::for_training(network.meta.architecture, &network.weights).expect("a model");
        let mut evaluator = network.evaluator(inference(16, Precision::F32)).expect("an evaluator");
        evaluator.read(Reading { policy: true, ..Reading::VALUE });
        with_game!(game, 5, G => {
            // Positions with few pieces are valued as their images.
            let positions: Vec<G> =
                random_game::<G>(5, Options::default(), &mut rng).1.into_iter().filter(|p| p.piece_count() > 2).collect();
            for (position, (_, policy)) in positions.iter().zip(answers(&mut evaluator, &positions)) {
                let snapshot = Snapshot::of(position, HalfPoints(4));
                let outputs = model.forward_slice(&planes(&snapshot), 1, 5).expect("outputs");
                let mut expected = vec![0.0; step_count(5)];
                outputs.policy.f_copy_data(&mut expected, step_count(5)).expect("numbers");
                // Linage's Horizontal sees the board transposed.
                let transposed = snapshot.is_transposed_after(Symmetry::IDENTITY);
                for (step, found) in policy.iter().enumerate() {
                    let index = policy::image_index(step, 5, Symmetry::IDENTITY, transposed);
                    let distance = (found - expected[index]).abs();
                    assert!(distance < 2e-3 * (1.0 + found.abs()), "{game} step {step}: {distance}");
                }
            }
        });
    }
}

#[test]
fn images_have_the_images_of_a_policy_where_all_are_averaged() {
    let mut rng = ChaCha8Rng::seed_from_u64(12);
    for game in GameKind::ALL {
        let mut evaluator = stirred(game, 2, 8).evaluator(inference(64, Precision::F32)).expect("an evaluator");
        evaluator.read(Reading { policy: true, symmetries: 8, ..Reading::VALUE });
        assert_eq!(Evaluator::<crate::games::Fugo<1>>::batch(&evaluator), 8);
        with_game!(game, 5, G => {
            let positions: Vec<G> = random_game::<G>(5, Options::default(), &mut rng).1;
            for position in &positions {
                let images: Vec<G> = game.symmetries().map(|symmetry| position.mapped(symmetry)).collect();
                let found = answers(&mut evaluator, &images);
                for (symmetry, (value, policy)) in game.symmetries().zip(&found) {
                    assert!((value.0 - found[0].0.0).abs() < 1e-4, "{game}: {} {}", value.0, found[0].0.0);
                    for (step, number) in found[0].1.iter().enumerate() {
                        let image = policy[policy::image_index(step, 5, symmetry, false)];
                        assert!((image - number).abs() < 4e-3 * (1.0 + number.abs()), "{game}: {image} {number}");
                    }
                }
            }
        });
    }
}

#[test]
fn what_is_known_has_the_same_policy() {
    let mut rng = ChaCha8Rng::seed_from_u64(13);
    for game in GameKind::ALL {
        let mut evaluator = stirred(game, 2, 8).evaluator(inference(16, Precision::F32)).expect("an evaluator");
        evaluator.read(Reading { policy: true, ..Reading::VALUE });
        with_game!(game, 5, G => {
            let positions: Vec<G> = random_game::<G>(5, Options::default(), &mut rng).1.into_iter().take(12).collect();
            // Images of positions with few pieces share an answer, and are told apart all the same.
            let images: Vec<G> = positions[..3].iter().flat_map(|position| {
                game.symmetries().map(|symmetry| position.mapped(symmetry)).collect::<Vec<_>>()
            }).collect();
            for positions in [&positions, &images] {
                let found = answers(&mut evaluator, positions);
                for (position, (value, policy)) in positions.iter().zip(&found) {
                    let mut known = vec![7.0; 3];
                    assert_eq!(evaluator.known(position, HalfPoints(4), &mut known), Some(*value));
                    assert_eq!(known, *policy);
                }
            }
        });
    }
}

#[test]
fn a_policy_is_learnt() {
    for game in GameKind::ALL {
        let mut samples = samples(game, &[5], 60);
        for sample in &mut samples {
            // The middle of the board, however it is turned.
            sample.policy = PolicyTarget::new([(12, 1.0)]);
        }
        let trainer = Trainer::new(small(8), &samples, None, Provenance::default()).expect("a trainer");
        let trained = run(&trainer, 2);
        let losses: Vec<f64> = trained.history.iter().filter_map(|report| report.held_out).map(|l| l.policy).collect();
        assert!(losses[losses.len() - 1] < 0.3, "{game}: {losses:?}");
        let network = trained.network;
        if game.has_score() {
            let seen = network.meta().komi[0];
            assert!(seen.size == 5 && seen.low < seen.high, "{seen:?}");
        } else {
            assert!(network.meta().komi.is_empty());
        }
    }
}

#[test]
fn fair_komi_is_asked_only_where_the_network_was_trained() {
    for low in [-7, 3] {
        let mut network = stirred(GameKind::Sligo, 2, 8);
        network.meta.komi = vec![KomiRange { size: 4, low, high: low + 6 }];
        let mut evaluator = network.evaluator(inference(16, Precision::F32)).expect("an evaluator");
        let empty = Snapshot::of(&crate::games::Sligo::<1>::new(4, Options::default()), HalfPoints(0));
        let fair = evaluator.fair_komi(&empty).expect("an answer").expect("a komi");
        assert!((low - 2..=low + 8).contains(&fair.komi.0), "{fair:?}");
        assert!(fair.scan.iter().all(|(komi, _)| (low - 1..=low + 7).contains(&komi.0)));
    }
}

#[test]
fn the_margin_takes_part_in_values_as_far_as_it_is_asked_to() {
    let raw: Vec<f32> = vec![0.0, 1.0, 0.3, -1.0, -0.5, 0.1, 0.4, 0.8, -0.4, -0.4, -0.4, -0.4];
    let head = Head { game: GameKind::Linage, margins: true };
    let utility = |komi: i32, weight| {
        Prediction::new(head, 5, HalfPoints(komi), &raw, Platt::NONE).utility(5, HalfPoints(komi), weight)
    };
    let value = |komi: i32| Prediction::new(head, 5, HalfPoints(komi), &raw, Platt::NONE).value;
    for komi in -40..40 {
        assert_eq!(utility(komi, 0.0), value(komi));
        assert!(utility(komi, 0.4) <= utility(komi + 1, 0.4) && (0.0..=1.0).contains(&utility(komi, 0.4)));
        assert!((utility(komi, 0.2) - 0.5 * (utility(komi, 0.0) + utility(komi, 0.4))).abs() < 1e-6);
    }
    for (game, raw) in [(GameKind::Fugo, [0.3, -2.0].as_slice()), (GameKind::Linage, &[0.3])] {
        let without = Prediction::new(Head { game, margins: false }, 5, HalfPoints(0), raw, Platt::NONE);
        assert_eq!((without.utility(5, HalfPoints(0), 0.4), without.margin), (without.value, None));
    }
}

#[test]
fn a_network_without_margins_is_kept_and_answers_without_them() {
    let architecture = Architecture { game: GameKind::Sligo, layers: 2, channels: 8, margins: false };
    let network = Network::untrained(architecture, 1).expect("a network");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("net.safetensors");
    network.save(&path).expect("saved");
    assert_eq!(NetFile::load(&path).expect("whole").network, network);
    let mut evaluator = network.evaluator(inference(16, Precision::F32)).expect("an evaluator");
    let empty = Snapshot::of(&crate::games::Sligo::<1>::new(4, Options::default()), HalfPoints(0));
    let answer = &evaluator.predict(std::slice::from_ref(&empty)).expect("an answer")[0];
    assert!(answer.margin.is_none() && (0.0..=1.0).contains(&answer.value));
    let fair = evaluator.fair_komi(&empty).expect("an answer").expect("a komi");
    assert_eq!(fair.median, None);
}

#[test]
fn values_are_scaled_by_the_board_and_nothing_else_is() {
    let scaling = |size, factor, shift| Scaling { size, platt: Platt { factor, shift }, games: 1 };
    let plain = untrained(GameKind::Sligo, 2, 8);
    let scaled =
        plain.with_scalings([scaling(6, 0.5, 0.0), scaling(4, 2.0, 0.3)]).with_scalings([scaling(6, 3.0, -0.2)]);
    assert_eq!(scaled.meta().scalings, [scaling(4, 2.0, 0.3), scaling(6, 3.0, -0.2)]);
    assert_eq!(scaled.unscaled().meta().scalings, []);
    let [mut before, mut after] =
        [&plain, &scaled].map(|network| network.evaluator(inference(16, Precision::F32)).expect("an evaluator"));
    for (size, used) in [(3, 0), (4, 0), (5, 0), (6, 1), (9, 1)] {
        let empty = Snapshot::of(&crate::games::Sligo::<2>::new(size, Options::default()), HalfPoints(3));
        let asked = std::slice::from_ref(&empty);
        let [was, is] = [&mut before, &mut after].map(|evaluator| evaluator.predict(asked).expect("an answer")[0]);
        assert_eq!((is.margin, is.repetition, is.plain), (was.margin, was.repetition, was.value));
        assert_eq!(is.value, scaled.meta().scalings[used].platt.scaled(was.value), "{size}");
        assert_eq!(after.fair_komi(&empty).expect("an answer"), before.fair_komi(&empty).expect("an answer"));
    }
}
