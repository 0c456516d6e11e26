//! `fairkomi perft`: counts sequences of turns.

use std::io::{self, Write};

use super::{Failure, Outcome, printed};
use crate::games::{Game, GameKind, Options, perft};
use crate::with_game;

/// Count the sequences of exactly so many turns from the empty board
#[derive(clap::Args)]
#[command(
    long_about = "Counts the sequences of exactly DEPTH turns from the empty board. A game that ends earlier adds \
        nothing, and turns count as written: two ways to the same board are two sequences. Prints a line for every \
        smaller depth (`depth 2: 91`), then the count alone on the last line.",
    after_help = "Example:\n  fairkomi perft --game sligo --size 3 --depth 3\nends with the line\n  2286"
)]
pub struct Args {
    /// yugo, linage, fugo or sligo
    #[arg(long)]
    game: GameKind,
    /// Side of the board, 1 to 19 (Linage: 3 to 19)
    #[arg(long, value_name = "N")]
    size: usize,
    /// Number of turns
    #[arg(long)]
    depth: usize,
    /// Yugo: pawns that Black places before White's first turn
    #[arg(long, default_value_t = 0, value_name = "PAWNS")]
    handicap: usize,
    /// Fugo: White may swap on the first turn
    #[arg(long)]
    pie: bool,
}

pub(super) fn run(args: &Args) -> Outcome {
    let options = Options { handicap: args.handicap, pie: args.pie };
    options.check(args.game, args.size).map_err(Failure::input)?;
    printed(with_game!(args.game, args.size, G => count(&G::new(args.size, options), args.depth)))
}

/// The counts of all depths up to `depth`, each as soon as it is known.
fn count<G: Game>(game: &G, depth: usize) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for smaller in 0..depth {
        let count = perft(game, smaller);
        if count == 0 {
            // Every game is over by now.
            return writeln!(out, "0");
        }
        writeln!(out, "depth {smaller}: {count}")?;
        out.flush()?;
    }
    writeln!(out, "{}", perft(game, depth))
}
