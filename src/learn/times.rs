//! How long the stages of a run took.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::games::GameKind;
use crate::records::{RunError, write_whole};

/// A stage, all calls together.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct StageTime {
    pub stage: String,
    pub seconds: f64,
    /// Games played.
    pub games: u64,
    /// Positions that networks judged.
    pub evaluations: u64,
}

/// The stages in the order in which they first ran; kept in the run's directory, so that a run that was interrupted
/// still knows.
pub struct Times {
    path: PathBuf,
    stages: Vec<StageTime>,
}

impl Times {
    /// What earlier calls noted. A file that cannot be read is no loss that should stop a run: noting begins anew.
    pub fn load(run: &Path) -> Self {
        let path = run.join("times.json");
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        Times { path, stages: serde_json::from_str(&text).unwrap_or_default() }
    }

    /// Adds to a stage's time and work.
    pub fn add(&mut self, stage: &str, time: Duration, games: u64, evaluations: u64) -> Result<(), RunError> {
        let at = self.stages.iter().position(|known| known.stage == stage).unwrap_or_else(|| {
            self.stages.push(StageTime { stage: stage.to_string(), ..StageTime::default() });
            self.stages.len() - 1
        });
        let known = &mut self.stages[at];
        known.seconds += time.as_secs_f64();
        known.games += games;
        known.evaluations += evaluations;
        write_whole(&self.path, |file| Ok(serde_json::to_writer_pretty(file, &self.stages)?))?;
        Ok(())
    }

    /// The stages.
    pub fn stages(&self) -> &[StageTime] {
        &self.stages
    }

    /// How long a game's learning has taken: self-play, training and the matches that decide, in seconds.
    pub fn seconds_learning(&self, game: GameKind) -> f64 {
        let counts = |stage: &str| {
            let mut words = stage.split(' ');
            words.next() == Some(game.name()) && words.any(|word| ["self-play", "training", "gate"].contains(&word))
        };
        self.stages.iter().filter(|known| counts(&known.stage)).map(|known| known.seconds).sum()
    }

    /// The sum over some stages.
    pub fn of(&self, stages: &[String]) -> StageTime {
        let mut sum = StageTime { stage: stages.join(", "), ..StageTime::default() };
        for known in self.stages.iter().filter(|known| stages.contains(&known.stage)) {
            sum.seconds += known.seconds;
            sum.games += known.games;
            sum.evaluations += known.evaluations;
        }
        sum
    }
}
