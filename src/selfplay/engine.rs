//! Engines: a search and a judge of positions.

use std::sync::Arc;

use crate::net::Network;
use crate::records::EngineTag;
use crate::search::{EvalError, Evaluator, PlayoutPolicy, Playouts, SearchConfig};

/// Who values an engine's positions.
#[derive(Clone)]
pub enum Judge {
    Playouts,
    Network(Arc<Network>),
}

/// A player of games.
#[derive(Clone)]
pub struct Engine {
    /// Its name in files.
    pub name: String,
    pub judge: Judge,
    pub search: SearchConfig,
}

impl Engine {
    /// MCTS with playouts.
    pub fn playouts(search: SearchConfig) -> Self {
        Engine { name: "playouts".to_string(), judge: Judge::Playouts, search }
    }

    /// MCTS with a network.
    pub fn network(network: Arc<Network>, search: SearchConfig) -> Self {
        Engine { name: "network".to_string(), judge: Judge::Network(network), search }
    }

    /// What files say of the engine.
    pub fn tag(&self) -> EngineTag {
        let net = match &self.judge {
            Judge::Playouts => String::new(),
            Judge::Network(network) => network.hash().to_string(),
        };
        EngineTag { name: self.name.clone(), net, visits: self.search.visits }
    }

    /// True if positions are better valued many at a time.
    pub fn is_batched(&self) -> bool {
        matches!(self.judge, Judge::Network(_))
    }

    /// A judge for one worker; a network's evaluates `batch` positions a call.
    pub fn evaluator<G: PlayoutPolicy>(&self, batch: usize) -> Result<Box<dyn Evaluator<G>>, EvalError> {
        Ok(match &self.judge {
            Judge::Playouts => Box::new(Playouts),
            Judge::Network(network) => Box::new(network.evaluator(batch)?),
        })
    }
}
