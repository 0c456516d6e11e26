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
    /// The same times the threads that worked.
    pub core_seconds: f64,
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
    pub fn add(
        &mut self,
        stage: &str,
        time: Duration,
        threads: usize,
        games: u64,
        evaluations: u64,
    ) -> Result<(), RunError> {
        let at = self.stages.iter().position(|known| known.stage == stage).unwrap_or_else(|| {
            self.stages.push(StageTime { stage: stage.to_string(), ..StageTime::default() });
            self.stages.len() - 1
        });
        let known = &mut self.stages[at];
        known.seconds += time.as_secs_f64();
        known.core_seconds += time.as_secs_f64() * threads as f64;
        known.games += games;
        known.evaluations += evaluations;
        write_whole(&self.path, |file| Ok(serde_json::to_writer_pretty(file, &self.stages)?))?;
        Ok(())
    }

    /// The stages.
    pub fn stages(&self) -> &[StageTime] {
        &self.stages
    }

    /// What a game's learning has taken up to the end of a generation: self-play, training and the matches that decide.
    pub fn learning(&self, game: GameKind, generation: u32) -> StageTime {
        let counts = |known: &&StageTime| {
            let words: Vec<&str> = known.stage.split(' ').collect();
            let [first, .., what, number] = words[..] else { return false };
            let Ok(number) = number.parse::<u32>() else { return false };
            // Self-play is numbered from 0: its first games are played before there is a network.
            let of = match what {
                "self-play" => number + 1,
                "training" | "gate" => number,
                _ => return false,
            };
            first == game.name() && of <= generation
        };
        self.sum(format!("{game} learning"), counts)
    }

    /// The sum over some stages.
    pub fn of(&self, stages: &[String]) -> StageTime {
        self.sum(stages.join(", "), |known| stages.contains(&known.stage))
    }

    fn sum(&self, stage: String, counts: impl Fn(&&StageTime) -> bool) -> StageTime {
        let mut sum = StageTime { stage, ..StageTime::default() };
        for known in self.stages.iter().filter(counts) {
            sum.seconds += known.seconds;
            sum.core_seconds += known.core_seconds;
            sum.games += known.games;
            sum.evaluations += known.evaluations;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn learning_counts_the_stages_of_its_generations() {
        let folder = tempfile::tempdir().unwrap();
        let mut times = Times::load(folder.path());
        for (stage, seconds) in [
            ("yugo 5x5 self-play 0", 1),
            ("yugo training 1", 2),
            ("yugo 5x5 self-play 1", 4),
            ("yugo training 2", 8),
            ("yugo 5x5 gate 2", 16),
            ("yugo 5x5 rating 2-1", 32),
            ("linage 5x5 self-play 0", 64),
            ("yugo 5x5 komi", 128),
        ] {
            times.add(stage, Duration::from_secs(seconds), 2, 1, 10).unwrap();
        }
        times.add("yugo training 1", Duration::from_secs(256), 1, 0, 0).unwrap();
        let again = Times::load(folder.path());
        for (generation, seconds, core_seconds) in [(0, 0.0, 0.0), (1, 259.0, 262.0), (2, 287.0, 318.0)] {
            let sum = again.learning(GameKind::Yugo, generation);
            assert_eq!((sum.seconds, sum.core_seconds), (seconds, core_seconds), "up to {generation}");
        }
        assert_eq!(again.of(&["yugo 5x5 self-play 0".to_string(), "yugo 5x5 komi".to_string()]).seconds, 129.0);
    }
}
