//! `fairkomi bench`

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, anyhow};

use super::flags::board_of;
use super::job::{Job, settled};
use super::progress::say;
use super::{Failure, Outcome, print};
use crate::bench::{
    BenchError, Measured, Plan, behaviour, bench_text, early_and_late, measure, soak, write_bench, write_soak,
};
use crate::config::limits::{self, Whole};
use crate::config::{Board, Device, Inference, Precision, SearchSettings};
use crate::games::GameKind;
use crate::net::{Architecture, NetFile, Network};
use crate::selfplay::Engine;
use crate::with_game;

/// Measure how fast this machine plays
#[derive(clap::Args, Clone, Debug)]
#[command(
    long_about = "Measures playouts, simulations, network evaluations and games a second, how near self-play comes to \
        what libtorch alone can do with the network, and memory, for each game and size. Without --net a network that \
        has learnt nothing is as fast as any; with one, the error of its values in bfloat16 is told too. docs/data.md \
        explains each figure.",
    after_help = "Examples:\n  fairkomi bench --size 5 --out runs/bench\n  fairkomi bench --checksum"
)]
pub struct Args {
    /// Games to measure [default: all four]
    #[arg(long, num_args = 1..)]
    game: Vec<GameKind>,
    /// Sides of the boards
    #[arg(long, value_name = "N", num_args = 1.., default_values_t = [9])]
    size: Vec<u64>,
    /// Networks (.safetensors) to measure, at most one a game [default: one that has learnt nothing]
    #[arg(long, value_name = "FILE", num_args = 1..)]
    net: Vec<PathBuf>,
    /// Convolutions of a network that has learnt nothing
    #[arg(long, value_name = "N", default_value_t = 3)]
    layers: u64,
    /// Channels of each of its convolutions
    #[arg(long, value_name = "N", default_value_t = 32)]
    channels: u64,
    /// Simulations that the search of each step is topped up to
    #[arg(long, value_name = "N", default_value_t = 64)]
    visits: u64,
    /// Positions that a network evaluates a call, and games that a thread keeps going, 16 to 4096
    #[arg(long, value_name = "N", default_value_t = limits::BATCH.usual)]
    batch: u64,
    /// Numbers that networks compute in: auto, f32 or bf16
    #[arg(long, value_name = "P", default_value = "auto")]
    precision: Precision,
    /// What networks compute on: cpu or cuda
    #[arg(long, value_name = "D", default_value = "cpu")]
    device: Device,
    /// Games of each run of self-play with the network [default: eight times the batch, for each thread]
    #[arg(long, value_name = "N")]
    games: Option<u64>,
    /// How often everything is measured
    #[arg(long, value_name = "N", default_value_t = 3)]
    rounds: u64,
    /// How long each rate is measured, in seconds
    #[arg(long, value_name = "S", default_value_t = 2)]
    seconds: u64,
    /// Directory for bench.csv and bench.txt
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Only play with the network of the first game on the first board for so many minutes, and write memory.csv and
    /// memory.svg into --out
    #[arg(long, value_name = "MINUTES", requires = "out")]
    soak: Option<u64>,
    /// Only print a number that stands for how the program behaves: a change for speed alone leaves it as it is
    #[arg(long, conflicts_with_all = ["net", "size", "game", "out", "visits", "precision", "device", "soak"])]
    checksum: bool,
    /// Worker threads of self-play
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: u64,
}

/// The flag's number, if it is allowed.
fn whole<T: TryFrom<u64>>(flag: &str, value: u64, allowed: &Whole) -> Result<T, Failure> {
    allowed.check(value).map_err(|what| Failure::Input(anyhow!("{flag}: {what}")))
}

impl Args {
    fn plan(&self) -> Result<Plan, Failure> {
        let threads: usize = whole("--threads", self.threads, &limits::THREADS)?;
        let inference = settled(
            Inference {
                batch: whole("--batch", self.batch, &limits::BATCH)?,
                precision: self.precision,
                device: self.device,
            },
            true,
        )?;
        let games = self.games.unwrap_or(8 * self.batch * threads as u64);
        Ok(Plan {
            search: SearchSettings::default().with_visits(whole("--visits", self.visits, &limits::MEASURED_VISITS)?),
            inference,
            threads,
            games: whole("--games", games, &limits::SELFPLAY_GAMES)?,
            rounds: whole("--rounds", self.rounds, &limits::BENCH_ROUNDS)?,
            duration: Duration::from_secs(whole("--seconds", self.seconds, &limits::BENCH_SECONDS)?),
        })
    }

    /// The networks given, one for each game that is measured.
    fn networks(&self, games: &[GameKind]) -> Result<Vec<NetFile>, Failure> {
        let given = self.net.iter().map(|path| NetFile::load(path)).collect::<Result<Vec<_>, _>>();
        let given = given.map_err(Failure::input)?;
        let architecture = |game| {
            let layers = whole("--layers", self.layers, &limits::LAYERS)?;
            let channels = whole("--channels", self.channels, &limits::CHANNELS)?;
            Ok::<_, Failure>(Architecture { game, layers, channels, margins: true })
        };
        if let Some(file) = given.iter().find(|file| !games.contains(&file.network.game())) {
            let game = file.network.game();
            return Err(Failure::Input(anyhow!("--net: there is a network for {game}, which --game does not name")));
        }
        let network = |game: &GameKind| {
            let mut of_game = given.iter().filter(|file| file.network.game() == *game);
            match (of_game.next(), of_game.next()) {
                (Some(_), Some(_)) => Err(Failure::Input(anyhow!("--net: there are two networks for {game}"))),
                (Some(file), None) => Ok(file.clone()),
                _ => {
                    let network = Network::untrained(architecture(*game)?, 1).map_err(Failure::input)?;
                    NetFile::of(network).map_err(Failure::run)
                }
            }
        };
        games.iter().map(network).collect()
    }
}

pub fn run(args: &Args) -> Outcome {
    if args.checksum {
        return print(&format!("{}\n", behaviour().map_err(Failure::run)?));
    }
    let plan = args.plan()?;
    let mut games = if args.game.is_empty() { GameKind::ALL.to_vec() } else { args.game.clone() };
    games.sort_unstable();
    games.dedup();
    let networks = args.networks(&games)?;
    let mut boards = Vec::new();
    let mut sizes = args.size.clone();
    sizes.sort_unstable();
    sizes.dedup();
    for (game, network) in games.iter().zip(&networks) {
        for size in &sizes {
            boards.push((board_of(*game, *size)?, network));
        }
    }
    let minutes = args.soak.map(|minutes| whole::<u64>("--soak", minutes, &limits::BENCH_SOAK)).transpose()?;
    if let Some(out) = &args.out {
        for name in ["bench.csv", "memory.csv"] {
            if out.join(name).exists() {
                let out = out.display();
                return Err(Failure::Input(anyhow!("--out: {out} holds a {name} already; choose another directory")));
            }
        }
    }
    let job = Job::begin(plan.threads)?;
    if let Some(out) = &args.out {
        fs::create_dir_all(out)
            .with_context(|| format!("--out: cannot create {}", out.display()))
            .map_err(Failure::Input)?;
    }
    let engine = |board: &Board, network: &NetFile| {
        Engine::with_network(network.clone(), plan.search, board.size, plan.inference).map_err(Failure::run)
    };
    if let (Some(minutes), Some(out), Some((board, network))) = (minutes, &args.out, boards.first()) {
        let duration = Duration::from_secs(60 * minutes);
        return soak_board(&plan, *board, &engine(board, network)?, duration, job.stop.flag(), out);
    }
    let stopped = || job.stop.flag().load(Ordering::Relaxed);
    let mut measured = Vec::new();
    for (board, network) in boards {
        let engine = engine(&board, network)?;
        let mut after = |current: &Measured| -> Outcome {
            let Measured { game, size, .. } = current;
            say(&format!("{game} {size}x{size}: round {} of {}", current.rounds(), plan.rounds));
            match &args.out {
                Some(out) => Ok(write_bench(out, &plan, measured.iter().chain([current]))?),
                None => Ok(()),
            }
        };
        let current = measure(&plan, board, &engine, job.stop.flag(), &mut after)?;
        if current.rounds() > 0 {
            measured.push(current);
        }
        if stopped() {
            break;
        }
    }
    if measured.is_empty() {
        return Err(Failure::Run(anyhow!("stopped before the first round was finished: nothing was written")));
    }
    let text = bench_text(&plan, &measured);
    if let Some(out) = &args.out {
        write_bench(out, &plan, &measured)?;
        fs::write(out.join("bench.txt"), &text).map_err(Failure::run)?;
    }
    print(&text)?;
    if stopped() {
        Err(Failure::Run(anyhow!("stopped; the table holds the rounds that were finished")))
    } else {
        Ok(())
    }
}

fn soak_board(
    plan: &Plan,
    board: Board,
    engine: &Engine,
    duration: Duration,
    stop: &AtomicBool,
    out: &Path,
) -> Outcome {
    let moments = with_game!(board.game, board.size, G => soak::<G>(plan, board, engine, duration, stop))?;
    let title = format!(
        "{} {1}x{1}, {2} visits, {3} games at a time",
        board.game,
        board.size,
        plan.search.visits,
        plan.inference.batch * plan.threads
    );
    write_soak(out, &title, &moments)?;
    let change = early_and_late(&moments).map_or("too short to tell".to_string(), |[early, late]| {
        format!("{early:.0} MiB after a tenth of the time, {late:.0} MiB at the end")
    });
    print(&format!("{title}: {change}\n"))?;
    match stop.load(Ordering::Relaxed) {
        true => Err(Failure::Run(anyhow!("stopped; memory.csv and memory.svg hold what was seen until then"))),
        false => Ok(()),
    }
}

impl From<BenchError> for Failure {
    fn from(error: BenchError) -> Self {
        match error {
            BenchError::Play(error) => error.into(),
            error => Failure::run(error),
        }
    }
}
