//! Engines: a search and a judge of positions.

use std::path::Path;
use std::sync::Arc;

use thiserror::Error;

use crate::config::{Inference, Reading, SearchConfig, SearchSettings};
use crate::games::GameKind;
use crate::net::{FileError, NetError, NetEvaluator, NetFile};
use crate::records::EngineTag;
use crate::search::{EvalError, Evaluator, PlayoutPolicy, Playouts};

/// Who values an engine's positions.
#[derive(Clone)]
pub enum Judge {
    Playouts,
    Network {
        file: Arc<NetFile>,
        inference: Inference,
        /// The batches that are evaluated: see [`crate::net::NetEvaluator::prove_batch_invariance`].
        batches: Vec<usize>,
    },
}

/// A player of games.
#[derive(Clone)]
pub struct Engine {
    /// Its name in files.
    pub name: String,
    pub judge: Judge,
    pub search: SearchConfig,
}

/// Why an engine cannot play.
#[derive(Debug, Error)]
pub enum EngineError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Network(#[from] NetError),
}

impl Engine {
    /// MCTS with playouts.
    pub fn playouts(search: SearchConfig) -> Self {
        // Playouts tell no more than who wins.
        let settings = SearchSettings { reading: Reading::VALUE, ..search.settings };
        Engine { name: "playouts".to_string(), judge: Judge::Playouts, search: settings.with_visits(search.visits) }
    }

    /// MCTS with the network in a file, or with playouts where there is none. Proves that the network's values at
    /// this batch on this board do not depend on how positions are batched.
    pub fn load(
        net: Option<&Path>,
        search: SearchConfig,
        game: GameKind,
        size: usize,
        inference: Inference,
    ) -> Result<Self, EngineError> {
        let Some(path) = net else { return Ok(Engine::playouts(search)) };
        Ok(Engine::with_network(NetFile::load_for(path, game)?, search, size, inference)?)
    }

    /// MCTS with a network, after the same proof.
    pub fn with_network(
        file: impl Into<Arc<NetFile>>,
        search: SearchConfig,
        size: usize,
        inference: Inference,
    ) -> Result<Self, NetError> {
        let file = file.into();
        let batches = file.network.evaluator(inference)?.prove_batch_invariance(size)?;
        let mut search = search;
        if !file.network.meta().architecture.margins {
            // Such a network tells no more than who wins; the ends of games must then count for no more.
            search.settings.reading.margin_weight = 0.0;
        }
        let judge = Judge::Network { file, inference, batches };
        Ok(Engine { name: "network".to_string(), judge, search })
    }

    /// The network, if it has one.
    pub fn network(&self) -> Option<&NetFile> {
        match &self.judge {
            Judge::Playouts => None,
            Judge::Network { file, .. } => Some(file),
        }
    }

    /// The batches in which its network is evaluated; none for playouts.
    pub fn batches(&self) -> &[usize] {
        match &self.judge {
            Judge::Playouts => &[],
            Judge::Network { batches, .. } => batches,
        }
    }

    /// What files say of the engine.
    pub fn tag(&self) -> EngineTag {
        let net = self.network().map(|file| file.hash().to_string());
        EngineTag { name: self.name.clone(), net, visits: self.search.visits }
    }

    /// The engine in words: `network 0123456789ab in bf16, 64 visits`.
    pub fn describe(&self) -> String {
        let Engine { name, judge, search } = self;
        match judge {
            Judge::Playouts => format!("{name}, {} visits", search.visits),
            Judge::Network { file, inference, .. } => {
                format!("{name} {} in {}, {} visits", file.hash(), inference.precision.name(), search.visits)
            }
        }
    }

    /// True if positions are better valued many at a time.
    pub fn is_batched(&self) -> bool {
        matches!(self.judge, Judge::Network { .. })
    }

    /// The network ready to value positions, if there is one.
    pub fn net_evaluator(&self) -> Result<Option<NetEvaluator>, NetError> {
        let Judge::Network { file, inference, batches } = &self.judge else { return Ok(None) };
        let mut evaluator = file.network.evaluator(*inference)?;
        evaluator.use_batches(batches);
        evaluator.read(self.search.settings.reading);
        Ok(Some(evaluator))
    }

    /// A judge for one worker.
    pub fn evaluator<G: PlayoutPolicy>(&self) -> Result<Box<dyn Evaluator<G>>, EvalError> {
        let network = self.net_evaluator().map_err(|error| EvalError::Network(error.to_string()))?;
        Ok(match network {
            None => Box::new(Playouts),
            Some(network) => Box::new(network),
        })
    }
}
