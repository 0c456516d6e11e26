//! All positions that play can lead to, modulo symmetry, and which follow on which.

use rayon::prelude::*;

use super::canonical::{Key, Layout};
use super::index::Index;
use super::position::{self, Solvable, each_next, margin, passed};
use super::{Limits, Progress, Stopped};

/// Positions whose turns are looked up together.
const BATCH: usize = 1 << 13;

/// The tables take more than this for each position; if even this is too much, there is no need to try.
pub(super) const LEAST_BYTES_EACH: u64 = 8;

/// Stands for no position.
pub(super) const NONE: u32 = u32::MAX;

/// The positions after the start's own, as their movers see them. A position here is a board with its player to move;
/// whether a pass came before is left to [`super::retrograde`].
pub(super) struct Graph {
    index: Index,
    pub batches: Vec<Batch>,
    bytes: u64,
}

/// Positions in the order in which they were found.
#[derive(Default)]
pub(super) struct Batch {
    /// The number of the first of them.
    pub first: u32,
    pub nodes: Vec<Node>,
    /// The positions that turns other than passes lead to, node by node.
    next: Vec<u32>,
}

/// One position.
#[derive(Clone, Copy)]
pub(super) struct Node {
    /// Where its entries in `next` end.
    end: u32,
    /// The position after a pass; `NONE` where passing is not allowed.
    pub passed: u32,
    /// The mover's margin, in half points, if the game ended here.
    pub margin: i8,
}

impl Batch {
    /// The positions after the turns, but a pass, of the batch's `index`-th position.
    pub fn next(&self, index: usize) -> &[u32] {
        let start = if index == 0 { 0 } else { self.nodes[index - 1].end };
        &self.next[start as usize..self.nodes[index].end as usize]
    }

    fn bytes(&self) -> u64 {
        (self.nodes.capacity() * size_of::<Node>() + self.next.capacity() * size_of::<u32>()) as u64
    }
}

/// What is found out about a position before its followers have numbers.
struct Expanded {
    next: Vec<Key>,
    passed: Option<Key>,
    margin: i8,
}

impl Expanded {
    fn of<G: Solvable>(layout: Layout, position: &G) -> Self {
        let mut next = Vec::new();
        each_next(position, &mut |after| next.push(position::key(layout, &after)));
        next.sort_unstable();
        next.dedup();
        let passed = passed(position).map(|after| position::key(layout, &after));
        Expanded { next, passed, margin: margin(position) as i8 }
    }

    fn of_key<G: Solvable>(layout: Layout, size: usize, key: Key) -> Self {
        let Some(position) = position::position::<G>(layout, size, key) else {
            unreachable!("play leads to no position that the rules refuse");
        };
        Self::of(layout, &position)
    }

    fn bytes(&self) -> u64 {
        (self.next.capacity() * size_of::<Key>() + size_of::<Expanded>()) as u64
    }
}

impl Graph {
    /// Collects all positions; the start's number is 0. `Err`: stopped, or out of memory.
    pub fn of<G: Solvable>(layout: Layout, start: &G, limits: &Limits) -> Result<Self, Stopped> {
        let mut graph = Graph { index: Index::new(), batches: Vec::new(), bytes: 0 };
        graph.index.number(position::key(layout, start), limits.memory)?;
        // The start alone may have more to it than its key: handicap pawns that are left.
        graph.add(0, vec![Expanded::of(layout, start)], limits.memory)?;
        let mut expanded = 1;
        while expanded < graph.index.len() {
            if limits.stopped() {
                return Err(Stopped::Asked);
            }
            let keys = graph.index.keys(expanded, BATCH);
            let found: Vec<Expanded> =
                keys.par_iter().map(|key| Expanded::of_key::<G>(layout, start.size(), *key)).collect();
            let first = expanded as u32;
            expanded += found.len();
            graph.add(first, found, limits.memory)?;
            let found = graph.index.len() as u64;
            (limits.observer)(Progress::Positions { found, expanded: expanded as u64 });
        }
        Ok(graph)
    }

    /// Numbers what was found, and keeps it.
    fn add(&mut self, first: u32, found: Vec<Expanded>, memory: u64) -> Result<(), Stopped> {
        let mut batch = Batch { first, ..Batch::default() };
        let nexts = found.iter().map(|position| position.next.len()).sum();
        // What is to be allocated here, and what waits to be put there.
        let needed = (found.len() * size_of::<Node>() + nexts * size_of::<u32>()) as u64
            + found.iter().map(Expanded::bytes).sum::<u64>();
        if self.bytes() + needed > memory {
            return Err(Stopped::Memory);
        }
        batch.nodes.reserve_exact(found.len());
        batch.next.reserve_exact(nexts);
        for position in found {
            let left = memory.saturating_sub(self.bytes + needed);
            for key in position.next {
                batch.next.push(self.index.number(key, left)?);
            }
            let passed = match position.passed {
                Some(key) => self.index.number(key, left)?,
                None => NONE,
            };
            batch.nodes.push(Node { end: batch.next.len() as u32, passed, margin: position.margin });
        }
        self.bytes += batch.bytes();
        self.batches.push(batch);
        Ok(())
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// The number of the position with this key, if play leads to it.
    pub fn find(&self, key: Key) -> Option<u32> {
        self.index.find(key)
    }

    /// The memory taken, in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes + self.index.bytes()
    }
}
