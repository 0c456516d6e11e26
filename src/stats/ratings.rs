//! Ratings of several players from pairs of games between them.
//!
//! Model: Bradley-Terry on expected scores; the expected score per game of a against b is
//! 1 / (1 + 10^(-(A - B)/400)). Only the mean scores are modelled, not what the pairs are made of
//! (quasi-likelihood: Wedderburn, Biometrika 1974): the ratings are those of the binomial likelihood,
//! the unit of evidence is the pair, and its variance is the observed one, by meeting. Draws and
//! openings played with both colours count for as much as they are worth.
//!
//! Intervals invert the generalised score test, with the variance in sandwich form (Boos, "On
//! generalized score tests", Am. Stat. 1992). For two players that is the interval of
//! [`Pentanomial::elo`]. When ratings are finite: Ford, "Solution of a ranking problem from binary
//! comparisons" (Am. Math. Monthly 1957).

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::elo::{EloEstimate, Pentanomial, score_from_elo};
use super::interval::Interval;
use super::normal::critical_value;

/// Pairs of games between two players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Encounter {
    /// Index of one player.
    pub a: usize,
    /// Index of the other.
    pub b: usize,
    /// Their pairs, as `a` scored them.
    pub pairs: Pentanomial,
}

/// Why there are no ratings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RatingsError {
    /// An index is not that of a player.
    NoSuchPlayer {
        /// The index.
        player: usize,
        /// How many players there are.
        players: usize,
    },
    /// A player is said to have met itself.
    PlaysItself {
        /// Its index.
        player: usize,
    },
}

impl fmt::Display for RatingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchPlayer { player, players } => write!(f, "there is no player {player} among {players}"),
            Self::PlaysItself { player } => write!(f, "player {player} cannot be rated by games against itself"),
        }
    }
}

impl Error for RatingsError {}

/// Elo per unit of log odds: 400 / ln 10.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// Largest difference that is looked at, in log odds; 6 949 Elo.
const MOST: f64 = 40.0;

/// Newton steps allowed.
const MOST_STEPS: usize = 200;

/// Halvings when an end of an interval is sought: down to 1e-10 Elo.
const HALVINGS: usize = 50;

/// Ratings that maximise the likelihood; see the module for the model.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratings {
    anchor: usize,
    /// One for each two players that met, `a` < `b`, in this order.
    meetings: Vec<Encounter>,
    /// Whether a score, directly or through others, links one player to another: `above[i][j]` when
    /// i scored against j, or against one who did, and so on.
    above: Vec<Vec<bool>>,
}

impl Ratings {
    /// Ratings of `players` players, with that of the player `anchor` being 0.
    ///
    /// An error when an index is too large or a player meets itself. Encounters without pairs count
    /// for nothing, several of the same players are added up.
    pub fn new(players: usize, anchor: usize, encounters: &[Encounter]) -> Result<Self, RatingsError> {
        let all = encounters.iter().flat_map(|e| [e.a, e.b]).chain([anchor]);
        if let Some(player) = all.into_iter().find(|player| *player >= players) {
            return Err(RatingsError::NoSuchPlayer { player, players });
        }
        if let Some(e) = encounters.iter().find(|e| e.a == e.b) {
            return Err(RatingsError::PlaysItself { player: e.a });
        }
        let meetings = added_up(encounters);
        let above = linked(players, &meetings);
        Ok(Self { anchor, meetings, above })
    }

    /// Number of players.
    pub fn players(&self) -> usize {
        self.above.len()
    }

    /// The player whose rating is 0.
    pub fn anchor(&self) -> usize {
        self.anchor
    }

    /// The Elo of a player above the anchor: [`Self::difference`] to it.
    ///
    /// # Panics
    /// If there is no such player.
    pub fn rating(&self, player: usize, level: f64) -> Option<EloEstimate> {
        self.difference(player, self.anchor, level)
    }

    /// The Elo of player `i` above player `j`, from all games that bear on it.
    ///
    /// The value is infinite, and the interval bounded on one side only, when i did nothing but win
    /// against j, against players who did nothing but win against j, and so on. `None` when the
    /// games say nothing about the difference: no chain of them links the two, or only through
    /// players who lost (or won) everything against both. A player is 0 above itself.
    ///
    /// # Panics
    /// If there is no such player.
    pub fn difference(&self, i: usize, j: usize, level: f64) -> Option<EloEstimate> {
        let links = (self.above[i][j], self.above[j][i]);
        if i == j {
            return Some(EloEstimate { elo: 0.0, interval: Interval::new(0.0, 0.0) });
        }
        match links {
            (false, false) => None,
            (false, true) => self.difference(j, i, level).map(negated),
            (true, back) => Some(self.between(i, j).estimate(level, back)),
        }
    }

    /// The games that bear on the difference of two players, i being above j: those among players
    /// below i and above j. All others can be explained as well as it gets by ratings far outside.
    fn between(&self, i: usize, j: usize) -> Contest {
        let inner = |k: usize| k != i && k != j && self.above[i][k] && self.above[k][j];
        let order: Vec<usize> = [i, j].into_iter().chain((0..self.players()).filter(|k| inner(*k))).collect();
        let place = |player: usize| order.iter().position(|k| *k == player);
        let meetings = self.meetings.iter().filter_map(|e| {
            let (a, b) = (place(e.a)?, place(e.b)?);
            Some(Meeting { a, b, pairs: e.pairs.pairs() as f64, score: e.pairs.score()?, counts: e.pairs })
        });
        Contest { players: order.len(), meetings: meetings.collect() }
    }
}

fn negated(estimate: EloEstimate) -> EloEstimate {
    let Interval { lo, hi } = estimate.interval;
    EloEstimate { elo: -estimate.elo, interval: Interval::new(-hi, -lo) }
}

/// The encounters with pairs, one for each two players.
fn added_up(encounters: &[Encounter]) -> Vec<Encounter> {
    let mut sums: BTreeMap<(usize, usize), Pentanomial> = BTreeMap::new();
    for e in encounters.iter().filter(|e| e.pairs.pairs() > 0) {
        let (key, pairs) = if e.a < e.b { ((e.a, e.b), e.pairs) } else { ((e.b, e.a), e.pairs.negated()) };
        let sum = sums.entry(key).or_default();
        sum.counts = std::array::from_fn(|class| sum.counts[class] + pairs.counts[class]);
    }
    sums.into_iter().map(|((a, b), pairs)| Encounter { a, b, pairs }).collect()
}

/// Which players are linked to which by scores, directly or through others.
fn linked(players: usize, meetings: &[Encounter]) -> Vec<Vec<bool>> {
    let mut above = vec![vec![false; players]; players];
    for e in meetings {
        let all = |class: usize| e.pairs.counts[class] == e.pairs.pairs();
        above[e.a][e.b] = !all(0);
        above[e.b][e.a] = !all(4);
    }
    for via in 0..players {
        let further = above[via].clone();
        for from in above.iter_mut().filter(|from| from[via]) {
            for (to, linked) in from.iter_mut().zip(&further) {
                *to |= linked;
            }
        }
    }
    above
}

/// Pairs between two players of a [`Contest`].
struct Meeting {
    a: usize,
    b: usize,
    pairs: f64,
    score: f64,
    counts: Pentanomial,
}

impl Meeting {
    /// The expected scores of `a` and `b` at ratings in log odds; 1 minus the other would lose the
    /// small one.
    fn expected(&self, ratings: &[f64]) -> (f64, f64) {
        let elo = (ratings[self.a] - ratings[self.b]) * ELO;
        (score_from_elo(elo), score_from_elo(-elo))
    }

    /// Score of `a` above expectation.
    fn excess(&self, ratings: &[f64]) -> f64 {
        let (a, b) = self.expected(ratings);
        self.score * b - (1.0 - self.score) * a
    }

    /// Derivative of the expected score by the difference, and variance of a win-or-lose trial.
    fn weight(&self, ratings: &[f64]) -> f64 {
        let (a, b) = self.expected(ratings);
        a * b
    }
}

/// Players 0 and 1, whose difference is wanted, and those between them.
struct Contest {
    players: usize,
    meetings: Vec<Meeting>,
}

impl Contest {
    /// Estimate and interval of the rating of player 0 above player 1. Not `bounded`: infinite.
    fn estimate(&self, level: f64, bounded: bool) -> EloEstimate {
        let z = critical_value(level);
        let dispersions: Vec<f64> = self.meetings.iter().map(|m| m.counts.dispersion(level)).collect();
        let deviation = |difference: f64| self.deviation(difference, &dispersions);
        // A chain of crushing results can add up to more than is looked at: then it is as much as is looked at.
        let best = if bounded { self.fitted(None)[0].clamp(-MOST, MOST) } else { MOST };
        let lo = crossing(-MOST, best, |x| deviation(x) > z);
        let hi = if bounded { crossing(best, MOST, |x| deviation(x) > -z) } else { f64::INFINITY };
        let (lo, hi) =
            (if best <= -MOST { f64::NEG_INFINITY } else { lo }, if best >= MOST { f64::INFINITY } else { hi });
        let elo = if bounded { best * ELO } else { f64::INFINITY };
        EloEstimate { elo, interval: Interval::new(lo * ELO, hi * ELO) }
    }

    /// How far, in standard deviations, the result of player 0 exceeds what a difference to player 1
    /// would give, the others being rated as fits best. Falls as the difference grows.
    fn deviation(&self, difference: f64, dispersions: &[f64]) -> f64 {
        let ratings = self.fitted(Some(difference));
        let system = self.system(&ratings, &[1]);
        // what each player's surplus of points would do to the rating of player 0
        let mut influence = vec![0.0; self.players];
        influence[0] = 1.0;
        let influence = system.solve(&influence);
        let mean = influence[0] * system.surplus[0];
        let variance: f64 = (self.meetings.iter().zip(dispersions))
            .map(|(m, dispersion)| {
                m.pairs * dispersion * m.weight(&ratings) * (influence[m.a] - influence[m.b]).powi(2)
            })
            .sum();
        mean / variance.sqrt()
    }

    /// The ratings in log odds that maximise the likelihood, with that of player 1 being 0 and that
    /// of player 0 as given, if it is.
    ///
    /// Newton's method. Where no difference moves by more than 1, the curvature grows by less than
    /// e on the way, so every step is an ascent.
    fn fitted(&self, difference: Option<f64>) -> Vec<f64> {
        let start = difference.unwrap_or(0.0);
        let mut ratings = vec![0.5 * start; self.players];
        (ratings[0], ratings[1]) = (start, 0.0);
        let fixed: &[usize] = if difference.is_some() { &[0, 1] } else { &[1] };
        for _ in 0..MOST_STEPS {
            let system = self.system(&ratings, fixed);
            let step = system.solve(&system.surplus);
            let longest = self.meetings.iter().map(|m| (step[m.a] - step[m.b]).abs()).fold(0.0, f64::max);
            let scale = 1.0 / longest.max(1.0);
            for (rating, change) in ratings.iter_mut().zip(step) {
                *rating += scale * change;
            }
            if longest < 1e-10 {
                break;
            }
        }
        ratings
    }

    /// The likelihood equations at ratings in log odds, for the players that are not fixed.
    fn system(&self, ratings: &[f64], fixed: &[usize]) -> System {
        let mut system = System {
            surplus: vec![0.0; self.players],
            links: vec![vec![0.0; self.players]; self.players],
            ground: vec![0.0; self.players],
        };
        for m in &self.meetings {
            let excess = m.pairs * m.excess(ratings);
            system.surplus[m.a] += excess;
            system.surplus[m.b] -= excess;
            let weight = m.pairs * m.weight(ratings);
            system.links[m.a][m.b] += weight;
            system.links[m.b][m.a] += weight;
        }
        for &player in fixed {
            system.fix(player);
        }
        system
    }
}

/// Points above expectation, and the information about the ratings as a network of conductances:
/// minus the second derivative by two ratings links these players, by a fixed and a free one it
/// links the free one to the ground.
struct System {
    surplus: Vec<f64>,
    links: Vec<Vec<f64>>,
    ground: Vec<f64>,
}

impl System {
    /// Turns a player's links into links to the ground.
    fn fix(&mut self, player: usize) {
        for other in 0..self.ground.len() {
            self.ground[other] += std::mem::take(&mut self.links[other][player]);
            self.links[player][other] = 0.0;
        }
        self.ground[player] = 1.0;
        self.surplus[player] = 0.0;
    }

    /// The changes of the ratings that account for `right` points: the potentials when currents of
    /// this strength flow in. Elimination of the information matrix written without a subtraction
    /// (Grassmann, Taksar & Heyman, Oper. Res. 1985), as links may differ by many powers of ten.
    fn solve(&self, right: &[f64]) -> Vec<f64> {
        let n = right.len();
        let (mut links, mut ground, mut x) = (self.links.clone(), self.ground.clone(), right.to_vec());
        let mut total = vec![0.0; n];
        for k in 0..n {
            let row = links[k].clone();
            total[k] = ground[k] + row[k + 1..].iter().sum::<f64>();
            for i in k + 1..n {
                let share = row[i] / total[k];
                x[i] += share * x[k];
                ground[i] += share * ground[k];
                for j in (k + 1..n).filter(|j| *j != i) {
                    links[i][j] += share * row[j];
                }
            }
        }
        for k in (0..n).rev() {
            let from_others: f64 = (k + 1..n).map(|j| links[k][j] * x[j]).sum();
            x[k] = (x[k] + from_others) / total[k];
        }
        x
    }
}

/// Where between `lo` and `hi` a condition that holds below ceases to.
fn crossing(mut lo: f64, mut hi: f64, holds: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..HALVINGS {
        let mid = 0.5 * (lo + hi);
        if holds(mid) {
            lo = mid;
        } else {
            hi = mid;
        }
    }
    0.5 * (lo + hi)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    fn met(a: usize, b: usize, counts: [u64; 5]) -> Encounter {
        Encounter { a, b, pairs: Pentanomial::new(counts) }
    }

    fn same(a: EloEstimate, b: EloEstimate) -> bool {
        let near = |x: f64, y: f64| x == y || (x - y).abs() < 1e-6;
        near(a.elo, b.elo) && near(a.interval.lo, b.interval.lo) && near(a.interval.hi, b.interval.hi)
    }

    #[test]
    fn two_players_have_their_pentanomial_elo() {
        for counts in [
            [34, 54, 63, 64, 75],
            [1, 0, 0, 0, 0],
            [0, 0, 10, 0, 0],
            [0, 1, 0, 0, 10],
            [0, 0, 0, 0, 10],
            [332_000, 433_000, 498_000, 333_000, 334_000],
        ] {
            for level in [0.8, 0.95] {
                let ratings = Ratings::new(2, 1, &[met(0, 1, counts)]).unwrap();
                let (ours, plain) = (ratings.rating(0, level).unwrap(), Pentanomial::new(counts).elo(level).unwrap());
                assert!(same(ours, plain), "{counts:?}: {ours:?} {plain:?}");
                assert!(same(ratings.difference(1, 0, level).unwrap(), negated(plain)));
            }
        }
    }

    #[test]
    fn nonsense_is_refused_in_words() {
        let refused = |players, anchor, encounters: &[Encounter]| {
            Ratings::new(players, anchor, encounters).unwrap_err().to_string()
        };
        assert_eq!(refused(2, 0, &[met(0, 2, [1; 5])]), "there is no player 2 among 2");
        assert_eq!(refused(0, 0, &[]), "there is no player 0 among 0");
        assert_eq!(refused(2, 0, &[met(1, 1, [1; 5])]), "player 1 cannot be rated by games against itself");
    }

    #[test]
    fn without_games_there_is_nothing_to_say() {
        let ratings = Ratings::new(3, 1, &[met(0, 1, [0; 5])]).unwrap();
        assert_eq!((ratings.players(), ratings.anchor()), (3, 1));
        assert_eq!(ratings.rating(0, 0.95), None);
        assert_eq!(ratings.rating(1, 0.95).unwrap().elo, 0.0);
        let alone = Ratings::new(1, 0, &[]).unwrap();
        assert_eq!(alone.rating(0, 0.95).unwrap().interval, Interval::new(0.0, 0.0));
    }

    #[test]
    fn unlinked_players_have_no_rating_but_differences() {
        let ratings = Ratings::new(4, 0, &[met(0, 1, [1, 2, 3, 4, 5]), met(2, 3, [5, 4, 3, 2, 1])]).unwrap();
        assert!(ratings.rating(1, 0.95).is_some());
        assert!(ratings.rating(2, 0.95).is_none() && ratings.rating(3, 0.95).is_none());
        assert!(ratings.difference(3, 2, 0.95).unwrap().elo > 0.0);
    }

    #[test]
    fn who_won_everything_is_bounded_from_below_only() {
        // 0 beat all; 3 and 4 lost all, and did not meet
        let ratings = Ratings::new(
            5,
            1,
            &[
                met(0, 1, [0, 0, 0, 0, 10]),
                met(0, 2, [0, 0, 0, 0, 10]),
                met(1, 2, [2, 3, 5, 3, 2]),
                met(3, 1, [10, 0, 0, 0, 0]),
                met(2, 4, [0, 0, 0, 0, 10]),
            ],
        )
        .unwrap();
        let best = ratings.rating(0, 0.95).unwrap();
        assert_eq!((best.elo, best.interval.hi), (f64::INFINITY, f64::INFINITY));
        // better bounded than by the ten pairs against the anchor alone
        let alone = Pentanomial::new([0, 0, 0, 0, 10]).elo(0.95).unwrap();
        assert!(best.interval.lo > alone.interval.lo && best.interval.lo < alone.interval.lo + 150.0, "{best:?}");
        let worst = ratings.rating(3, 0.95).unwrap();
        assert_eq!((worst.elo, worst.interval.lo), (f64::NEG_INFINITY, f64::NEG_INFINITY));
        assert!(worst.interval.hi < 0.0 && worst.interval.hi.is_finite());
        assert!(ratings.difference(0, 3, 0.95).unwrap().interval.lo > best.interval.lo);
        // both lost all against others, so nothing is known
        assert!(ratings.difference(3, 4, 0.95).is_none());
        // games that were all won or all lost do not disturb the others
        let without = Ratings::new(3, 1, &[met(1, 2, [2, 3, 5, 3, 2])]).unwrap();
        assert!(same(ratings.rating(2, 0.95).unwrap(), without.rating(2, 0.95).unwrap()));
    }

    #[test]
    fn a_third_player_helps() {
        let direct = met(0, 1, [4, 6, 10, 7, 5]);
        let around = [direct, met(0, 2, [10, 20, 50, 20, 10]), met(2, 1, [10, 20, 50, 20, 10])];
        let width = |encounters: &[Encounter]| {
            Ratings::new(3, 0, encounters).unwrap().rating(1, 0.95).unwrap().interval.width()
        };
        assert!(width(&around) < 0.8 * width(&[direct]));
    }

    #[test]
    fn differences_of_ratings_are_differences() {
        let ratings = Ratings::new(3, 0, &round_robin(&[0.0, 80.0, -50.0], 40, &mut ChaCha8Rng::seed_from_u64(31)));
        let ratings = ratings.unwrap();
        let elo = |i, j| ratings.difference(i, j, 0.95).unwrap().elo;
        assert!((elo(1, 0) - elo(2, 0) - elo(1, 2)).abs() < 1e-6);
    }

    /// Every two players meet. Each meeting has its own share of openings that decide both games.
    fn round_robin(elos: &[f64], pairs: u64, rng: &mut ChaCha8Rng) -> Vec<Encounter> {
        let mut encounters = Vec::new();
        for a in 0..elos.len() {
            for b in 0..a {
                let score = score_from_elo(elos[a] - elos[b]);
                // the share of pairs that the opening decides, each player winning one game
                let even = 2.0 * score.min(1.0 - score) * (0.3 + 0.1 * (a + b) as f64 / elos.len() as f64);
                // the others make up for it, so that the expected score is right
                let won = (score - 0.5 * even) / (1.0 - even);
                let mut counts = [0; 5];
                for _ in 0..pairs {
                    let class = match (rng.random_bool(even), rng.random_bool(won)) {
                        (true, _) => 2,
                        (false, true) => 4,
                        (false, false) => 0,
                    };
                    counts[class] += 1;
                }
                encounters.push(met(a, b, counts));
            }
        }
        encounters
    }

    #[test]
    fn known_ratings_are_recovered_and_covered() {
        let mut rng = ChaCha8Rng::seed_from_u64(32);
        for (elos, pairs) in [(&[0.0, 60.0, -120.0, 200.0][..], 25), (&[0.0, 30.0, 400.0, 700.0, -100.0], 60)] {
            let runs = 250;
            let (mut covered, mut asked) = (0, 0);
            let mut mean = vec![0.0; elos.len()];
            for _ in 0..runs {
                let ratings = Ratings::new(elos.len(), 0, &round_robin(elos, pairs, &mut rng)).unwrap();
                for i in 1..elos.len() {
                    let ours = ratings.rating(i, 0.95).unwrap();
                    mean[i] += ours.elo / f64::from(runs);
                    let next = ratings.difference(i, i - 1, 0.95).unwrap();
                    covered += i32::from(ours.interval.contains(elos[i]));
                    covered += i32::from(next.interval.contains(elos[i] - elos[i - 1]));
                    asked += 2;
                }
            }
            let rate = f64::from(covered) / f64::from(asked);
            println!("covered {rate} of {asked}, mean {mean:?}");
            // intervals of one run go together: three standard deviations of as many runs
            let tolerance = 3.0 * (0.05 * 0.95 / f64::from(runs)).sqrt();
            assert!((rate - 0.95).abs() <= tolerance, "{rate}");
            for (mean, elo) in mean.iter().zip(elos) {
                assert!((mean - elo).abs() < 0.05 * elo.abs() + 10.0, "{mean} {elo}");
            }
        }
    }

    #[test]
    fn more_than_is_looked_at_is_unbounded() {
        let crushed = |a, b, lost, won| met(a, b, [lost, 0, 0, 0, won]);
        let chain = [
            met(1, 0, [0, 0, 0, 1, 825]),
            crushed(2, 3, 222_850, 1),
            crushed(3, 4, 57_981, 1),
            crushed(1, 2, 23_438, 1),
        ];
        let ratings = Ratings::new(5, 0, &chain).unwrap();
        let far = ratings.difference(4, 0, 0.5).unwrap();
        assert!(far.interval.lo <= far.elo && far.interval.hi == f64::INFINITY, "{far:?}");
        let back = ratings.difference(0, 4, 0.5).unwrap();
        assert!(back.interval.lo == f64::NEG_INFINITY && back.elo <= back.interval.hi, "{back:?}");
    }

    fn encounters() -> impl Strategy<Value = Vec<Encounter>> {
        let count = || prop_oneof![3 => Just(0_u64), 2 => 1..6_u64, 1 => 0..=1_000_000_u64];
        let one = (0..5_usize, 1..5_usize, prop::array::uniform5(count()));
        prop::collection::vec(one.prop_map(|(a, step, counts)| met(a, (a + step) % 5, counts)), 0..9)
    }

    proptest! {
        #[test]
        fn never_nan_and_ordered(encounters in encounters(), level in 0.5..0.999_f64) {
            let ratings = Ratings::new(5, 0, &encounters).unwrap();
            for i in 0..5 {
                for j in 0..i {
                    let Some(ours) = ratings.difference(i, j, level) else { continue };
                    prop_assert!(ours.interval.lo <= ours.elo && ours.elo <= ours.interval.hi, "{:?}", ours);
                    prop_assert!(ours.interval.width() > 0.0);
                    prop_assert!(ours.interval.lo.is_finite() || ours.interval.hi.is_finite());
                }
            }
        }

        #[test]
        fn names_and_order_do_not_matter(
            encounters in encounters(),
            names in Just([0_usize, 1, 2, 3, 4]).prop_shuffle(),
            turned in any::<bool>(),
        ) {
            let ratings = Ratings::new(5, 0, &encounters).unwrap();
            let mut renamed: Vec<Encounter> = (encounters.iter().rev())
                .map(|e| Encounter { a: names[e.a], b: names[e.b], pairs: e.pairs })
                .collect();
            if turned {
                for e in &mut renamed {
                    *e = Encounter { a: e.b, b: e.a, pairs: e.pairs.negated() };
                }
            }
            let others = Ratings::new(5, names[0], &renamed).unwrap();
            for (player, name) in names.into_iter().enumerate() {
                match (ratings.rating(player, 0.95), others.rating(name, 0.95)) {
                    (None, None) => {}
                    (Some(a), Some(b)) => prop_assert!(same(a, b), "{:?} {:?}", a, b),
                    (a, b) => prop_assert!(false, "{:?} {:?}", a, b),
                }
            }
        }
    }
}
