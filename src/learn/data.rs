//! Recorded positions as training samples.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::games::{Cell, GameKind, HalfPoints, Player};
use crate::net::{Fields, PolicyTarget, Sample, Snapshot, Target};
use crate::records::{GameRow, Located, Manifest, Outcome, PositionRow, ReadError, RowError, Rows, SwapState};

/// Samples from some runs.
#[derive(Debug, Default)]
pub struct Data {
    pub samples: Vec<Sample>,
    pub used: DataUse,
}

/// What became of the rows read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DataUse {
    pub runs: usize,
    pub games: usize,
    pub positions: usize,
    /// Positions of games that hit the move cap: "games that hit the cap carry no outcome and train nothing".
    pub without_outcome: usize,
    /// Board sides, ascending.
    pub sizes: BTreeSet<usize>,
}

/// Why no data could be loaded.
#[derive(Debug, Error)]
pub enum DataError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error("{0}")]
    Row(RowError),
    #[error("{} holds games of {found}, not of {wanted}; a network learns one game", path.display())]
    OtherGame { path: PathBuf, found: GameKind, wanted: GameKind },
    #[error("{} is given twice: name each run once", path.display())]
    Twice { path: PathBuf },
    #[error("{} holds the same games as {}: name one of them", path.display(), other.display())]
    Copy { path: PathBuf, other: PathBuf },
    #[error("there is no position with an outcome to train on in {0}")]
    Empty(String),
}

/// Games of different runs have the same indices; this keeps them apart.
const INDICES_A_RUN: u64 = 1 << 40;

/// Reads the positions of run directories or single files, all of one game.
/// The number before each keeps its games apart from those of the others.
pub fn load(paths: &[(u64, PathBuf)]) -> Result<Data, DataError> {
    let mut data = Data::default();
    let mut game = None;
    let mut seen = BTreeSet::new();
    let mut shards: HashMap<String, &PathBuf> = HashMap::new();
    for (run, path) in paths {
        // A path that cannot be resolved is told of when it is opened.
        if path.canonicalize().is_ok_and(|path| !seen.insert(path)) {
            return Err(DataError::Twice { path: path.clone() });
        }
        // As is a run that cannot be read. Games carry their seed, so those of different runs differ.
        let manifest = Manifest::load(path).ok();
        for entry in manifest.iter().flat_map(|manifest| &manifest.shards) {
            if let Some(other) = shards.insert(entry.games_file.sha256.clone(), path) {
                return Err(DataError::Copy { path: path.clone(), other: other.clone() });
            }
        }
        let mut games = BTreeSet::new();
        let owners = owners(path)?;
        for row in Rows::<PositionRow>::open(path)? {
            let row = row?;
            let wanted = *game.get_or_insert(row.row.game);
            if row.row.game != wanted {
                return Err(DataError::OtherGame { path: path.clone(), found: row.row.game, wanted });
            }
            games.insert(row.row.game_index);
            data.used.sizes.insert(row.row.size);
            match sample(&row, run * INDICES_A_RUN, &owners)? {
                Some(sample) => data.samples.push(sample),
                None => data.used.without_outcome += 1,
            }
        }
        data.used.runs += 1;
        data.used.games += games.len();
    }
    data.used.positions = data.samples.len();
    weigh_repeats(&mut data.samples);
    if data.samples.is_empty() {
        let names: Vec<String> = paths.iter().map(|(_, path)| path.display().to_string()).collect();
        return Err(DataError::Empty(names.join(", ")));
    }
    Ok(data)
}

/// Whom each point paid at the end of each game: row by row from the bottom, Black 1, White −1, nobody 0.
type Owners = HashMap<u64, Vec<i8>>;

/// The owners of the games in a run; none where `path` is a file of positions, which does not name them.
fn owners(path: &Path) -> Result<Owners, ReadError> {
    let mut owners = Owners::new();
    if path.is_dir() {
        for row in Rows::<GameRow>::open(path)? {
            let row = row?.row;
            let paid = |cell| match cell {
                Cell::Stone(Player::Black) => 1,
                Cell::Stone(Player::White) => -1,
                _ => 0,
            };
            owners.extend(row.owners.map(|grid| (row.game_index, grid.cells().map(paid).collect())));
        }
    }
    Ok(owners)
}

/// Owners from a player's view: 1 for the player's own.
fn seen_by(player: Player, owners: &[i8]) -> Vec<i8> {
    let sign = if player == Player::Black { 1 } else { -1 };
    owners.iter().map(|owner| sign * owner).collect()
}

/// Weighs positions that come k times in proportion to 1/√k each: openings come again and again, and should not crowd out
/// the rest; nor should what their many games say count for no more than one. On each size of board the mean weight is 1:
/// where there are few positions in all, every one comes again and again, and such boards would hardly be learnt.
fn weigh_repeats(samples: &mut [Sample]) {
    let mut counts: HashMap<&Snapshot, u32> = HashMap::new();
    samples.iter().for_each(|sample| *counts.entry(&sample.position).or_default() += 1);
    let weights: Vec<f64> = samples.iter().map(|sample| 1.0 / f64::from(counts[&sample.position]).sqrt()).collect();
    let mut sums: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    for (sample, weight) in samples.iter().zip(&weights) {
        let (count, sum) = sums.entry(sample.position.size()).or_default();
        *count += 1.0;
        *sum += weight;
    }
    for (sample, weight) in samples.iter_mut().zip(weights) {
        let (count, sum) = sums[&sample.position.size()];
        sample.weight = (weight * count / sum) as f32;
    }
}

/// The row as a sample; `None` without an outcome.
fn sample(located: &Located<PositionRow>, first_index: u64, owners: &Owners) -> Result<Option<Sample>, DataError> {
    let row = &located.row;
    let Some(outcome) = row.outcome else { return Ok(None) };
    let (board, picked) = (row.board.to_string(), row.picked.to_string());
    let fields = Fields {
        game: row.game,
        size: row.size,
        board: &board,
        phase: row.phase.name(),
        picked: &picked,
        to_move: row.player,
        passes: row.passes,
        button: row.button.into(),
        handicap_left: row.handicap_left,
        swap_open: row.swap == SwapState::Open,
        komi: row.komi.unwrap_or(HalfPoints(0)),
    };
    let position =
        Snapshot::from_fields(&fields).map_err(|error| DataError::Row(located.error("board", error.to_string())))?;
    let target = Target {
        outcome: outcome.score(),
        margin: row.margin,
        // A draw without a margin: no game but a repeated one ends so (Fugo has no other draws).
        repetition: outcome == Outcome::Draw && row.margin.is_none(),
    };
    let shares = row.policy.as_slice().iter().map(|(step, share)| (step.number(row.size), *share as f32));
    Ok(Some(Sample {
        position,
        target,
        weight: 1.0,
        policy: PolicyTarget::new(shares),
        policy_weight: row.policy_weight,
        // A game that was cut short has paid nobody.
        owners: row.margin.and_then(|_| owners.get(&row.game_index)).map(|owners| seen_by(row.player, owners)),
        game_index: first_index + row.game_index,
    }))
}

impl DataUse {
    /// The summary in words.
    pub fn describe(&self) -> String {
        let sizes: Vec<String> = self.sizes.iter().map(|n| format!("{n}x{n}")).collect();
        let left_out = match self.without_outcome {
            0 => String::new(),
            count => format!("; {count} positions of capped games left out"),
        };
        format!(
            "{} positions of {} games from {} runs ({}){left_out}",
            self.positions,
            self.games,
            self.runs,
            sizes.join(", ")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::{Game, Linage, Options};

    #[test]
    fn repeats_weigh_less_and_small_boards_do_not() {
        let at = |size: usize, komi: i32| Sample {
            position: Snapshot::of(&Linage::<1>::new(size, Options::default()), HalfPoints(komi)),
            target: Target { outcome: 1.0, margin: None, repetition: false },
            weight: 0.0,
            policy: None,
            policy_weight: 1.0,
            owners: None,
            game_index: 0,
        };
        // On 5x5 one position comes four times and one once; on 3x3 all are the same.
        let mut samples: Vec<Sample> = [1, 1, 3, 1, 1].map(|komi| at(5, komi)).into();
        samples.extend([at(3, 1), at(3, 1)]);
        weigh_repeats(&mut samples);
        let weights: Vec<f32> = samples.iter().map(|sample| sample.weight).collect();
        let [often, once] = [5.0 / 6.0, 5.0 / 3.0];
        let expected = [often, often, once, often, often, 1.0, 1.0];
        assert!(weights.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-6), "{weights:?}");
    }
}
