//! Runs: games written to a run's directory, shard by shard.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Mutex;

use super::{Control, Engine, Finished, PlayError, Setup, Workers, play_games};
use serde::Serialize;

use crate::games::Game;
use crate::records::{
    EngineTag, GameMeta, GameRecord, GameRow, Layout, PositionRow, ReadError, Rows, RunDir, RunError, SearchNote,
    Unfinished, policy_shares,
};
use crate::search::PlayoutPolicy;

/// Which games make up a run.
#[derive(Clone, Copy)]
pub struct Plan<'a> {
    pub engines: &'a [Engine],
    /// The games of the run, or of the part of it that is to be played now.
    pub games: u64,
    pub seed: u64,
    pub layout: Layout,
}

/// Why a game could not be recorded.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Unfinished(#[from] Unfinished),
}

/// Plays the games 0 to `plan.games` that no finished shard of `dir` holds, and writes each shard when all its
/// games are over.
pub fn play_shards<G: PlayoutPolicy>(
    plan: &Plan<'_>,
    setup: &(dyn Fn(u64) -> Setup + Sync),
    dir: &mut RunDir,
    workers: Workers,
    control: Control<'_>,
) -> Result<(), PlayError<OutputError>> {
    let tags: Vec<EngineTag> = plan.engines.iter().map(Engine::tag).collect();
    let missing: Vec<u64> = (0..plan.layout.shards(plan.games)).filter(|shard| !dir.is_finished(*shard)).collect();
    let indices: Vec<u64> = missing.iter().flat_map(|shard| plan.layout.games_of(*shard, plan.games)).collect();
    let writer = Mutex::new(Writer { dir, plan, pending: BTreeMap::new() });
    play_games::<G, OutputError>(plan.engines, &indices, setup, plan.seed, workers, control, &|finished| {
        let record = record(&finished, plan.seed, &tags)?;
        writer.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).add(record)?;
        Ok(())
    })
}

/// Holds finished games until their shard is complete.
struct Writer<'a> {
    dir: &'a mut RunDir,
    plan: &'a Plan<'a>,
    pending: BTreeMap<u64, Vec<GameRecord>>,
}

impl Writer<'_> {
    fn add(&mut self, record: GameRecord) -> Result<(), RunError> {
        let shard = record.game.game_index / self.plan.layout.games;
        let Range { start, end } = self.plan.layout.games_of(shard, self.plan.games);
        let records = self.pending.entry(shard).or_default();
        records.push(record);
        if records.len() as u64 == end - start {
            let mut records = self.pending.remove(&shard).unwrap_or_default();
            records.sort_by_key(|record| record.game.game_index);
            self.dir.write_shard(shard, self.plan.layout, &records)?;
        }
        Ok(())
    }
}

/// A finished game as rows.
pub fn record<G: Game>(finished: &Finished<G>, seed: u64, tags: &[EngineTag]) -> Result<GameRecord, Unfinished> {
    let setup = &finished.setup;
    let meta = GameMeta {
        index: setup.index,
        seed,
        rules: setup.rules,
        engines: setup.seats.map(|engine| tags[engine].clone()),
        opening_turns: finished.opening_turns,
    };
    let position = |note: &super::Note<G>| {
        let search = SearchNote {
            turn: note.turn,
            step: note.played,
            visits: note.steps.iter().filter(|step| step.visits > 0).map(|step| (step.step, step.visits)).collect(),
            root_value: note.value.0,
            policy: policy_shares(&note.policy),
        };
        PositionRow::searched(&meta, &note.position, &search)
    };
    GameRecord::new(&meta, &finished.played, finished.notes.iter().map(position).collect())
}

/// The games of a run's finished shards, in order.
pub fn game_rows(dir: &Path) -> Result<Vec<GameRow>, ReadError> {
    Rows::<GameRow>::open(dir)?.map(|row| Ok(row?.row)).collect()
}

/// A run's whole config as TOML: the settings, and which engines play.
pub fn config_toml<T: Serialize>(config: &T, tags: &[EngineTag]) -> Result<String, toml::ser::Error> {
    #[derive(Serialize)]
    struct Named<'a> {
        name: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        net: Option<String>,
        visits: u32,
    }
    #[derive(Serialize)]
    struct Whole<'a, T> {
        #[serde(flatten)]
        config: &'a T,
        engines: Vec<Named<'a>>,
    }
    let engines = tags.iter().map(|tag| Named { name: &tag.name, net: tag.net.clone(), visits: tag.visits }).collect();
    toml::to_string(&Whole { config, engines })
}
