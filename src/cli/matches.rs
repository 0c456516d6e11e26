//! `fairkomi match`

use std::path::PathBuf;

use anyhow::anyhow;

use super::contenders::Programs;
use super::flags::MatchFlags;
use super::job::{Job, settled};
use super::progress::say;
use super::{Failure, Outcome, print};
use crate::arena::{Contender, Evidence, check_openings, match_report, play_again, play_contenders};
use crate::config::{Inference, MatchConfig};
use crate::records::{GameRow, RunDir};
use crate::report::{game_text, match_text, same_game_text, test_line, write_pairs};
use crate::selfplay::{Engine, game_rows};
use crate::with_game;

pub fn run(flags: &MatchFlags) -> Outcome {
    let mut config = flags.config()?;
    let recorded = flags.replay.map(|index| recorded(flags, index)).transpose()?;
    let of_b = Inference { precision: config.b_precision, ..config.inference };
    let of_b = settled(of_b, flags.b_net.is_some())?;
    config.inference = settled(config.inference, flags.a_net.is_some())?;
    config.b_precision = of_b.precision;
    let job = Job::begin(flags.job.threads())?;
    let (game, size) = (config.board.game, config.board.size);
    with_game!(game, size, G => check_openings::<G>(&config)).map_err(Failure::input)?;
    let programs = Programs { game, limit: config.limit(), stop: job.stop.flag() };
    let contender = |who: &str, command: &Option<String>, engine: Engine| match command {
        Some(command) => programs.contender(who, command),
        None => Ok(Contender::Engine(engine)),
    };
    let [command_a, command_b] = &config.programs;
    let sides = [
        contender("a", command_a, Engine::load(flags.a_net.as_deref(), config.a, game, size, config.inference)?)?,
        contender("b", command_b, Engine::load(flags.b_net.as_deref(), config.b, game, size, of_b)?)?,
    ];
    let mut dir = job.open(&flags.play.out, &config, &sides.each_ref().map(Contender::tag))?;
    if let Some(row) = recorded {
        return replay(&job, &config, &sides, &row);
    }
    play(&job, &config, &sides, &programs, &mut dir)?;
    let found = match_report(&game_rows(dir.path())?, &config, sides.map(|side| side.describe()));
    write_pairs(dir.path(), &found.pairs)?;
    print(&match_text(&found))
}

/// Plays what is left of the match, with what is known so far shown and written down.
fn play(
    job: &Job,
    config: &MatchConfig,
    sides: &[Contender; 2],
    programs: &Programs<'_>,
    dir: &mut RunDir,
) -> Result<(), Failure> {
    let (done, path): (u64, PathBuf) = (dir.manifest().games(), dir.path().to_path_buf());
    let (game, size) = (config.board.game, config.board.size);
    // How long a sequential test takes nobody knows.
    let games = config.sprt.is_none().then_some(2 * config.pairs);
    let told = |evidence: &Evidence| {
        say(&test_line(evidence));
        if let Err(error) = write_pairs(&path, &evidence.pairs) {
            say(&format!("warning: {error}"));
        }
    };
    let workers = job.workers(config.inference.batch);
    job.watch(&format!("match {game} {size}x{size}"), games, done, |control| {
        with_game!(game, size, G => {
            let start = |command: &str, log: &std::path::Path| programs.start::<G>(command, log);
            play_contenders::<G>(config, sides.each_ref(), &start, dir, workers, control, &told)
        })
    })?;
    Ok(())
}

/// The row of a game of a match that was played.
fn recorded(flags: &MatchFlags, index: u64) -> Result<GameRow, Failure> {
    let rows = game_rows(&flags.play.out)?;
    let count = rows.len();
    rows.into_iter().find(|row| row.game_index == index).ok_or_else(|| {
        let out = flags.play.out.display();
        Failure::Input(anyhow!("--replay {index}: of the match in {out} {count} games are there, numbered from 0"))
    })
}

/// Shows a game, and plays it again if no program took part.
fn replay(job: &Job, config: &MatchConfig, sides: &[Contender; 2], row: &GameRow) -> Outcome {
    print(&game_text(row).map_err(Failure::input)?)?;
    let [Contender::Engine(a), Contender::Engine(b)] = sides else {
        return print("not played again: another program took part\n");
    };
    let (game, size) = (config.board.game, config.board.size);
    let engines = [a.clone(), b.clone()];
    let again = job.watch(
        &format!("game {} again", row.game_index),
        1,
        0,
        |control| with_game!(game, size, G => play_again::<G>(config, &engines, row.game_index, control)),
    )?;
    match same_game_text(row, &again) {
        Ok(text) => print(&text),
        Err(text) => Err(Failure::Run(anyhow!(text))),
    }
}
