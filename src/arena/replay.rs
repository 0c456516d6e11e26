//! A game of a match once more.

use std::sync::Mutex;

use super::matches::{MatchError, setup};
use super::openings::Openings;
use crate::config::MatchConfig;
use crate::records::GameRow;
use crate::search::PlayoutPolicy;
use crate::selfplay::{Control, Engine, Workers, play_games, record};

/// Plays game `index` of a match of engines of this program again, by itself: its row, the same as in the match.
pub fn play_again<G: PlayoutPolicy>(
    config: &MatchConfig,
    engines: &[Engine; 2],
    index: u64,
    control: Control<'_>,
) -> Result<GameRow, MatchError> {
    let mut openings = Openings::new(config);
    let openings = openings.of_pairs::<G>(index / 2 + 1)?;
    let setup = |index| setup(config, openings, index);
    let tags = engines.each_ref().map(Engine::tag);
    let row = Mutex::new(None);
    let workers = Workers { threads: 1, batch: config.inference.batch };
    play_games::<G, _>(engines, &[index], &setup, config.seed, workers, control, &|finished| {
        let record = record(&finished, config.seed, &tags)?;
        *row.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(record.game);
        Ok(())
    })?;
    Ok(row.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()).expect("a game that was played to its end"))
}
