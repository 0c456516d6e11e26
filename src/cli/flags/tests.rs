//! Flags as they are typed, and the configs that they become.

use clap::{CommandFactory, Parser};

use super::*;
use crate::config::{KomiDraw, RootNoise};
use crate::games::HalfPoints;

#[derive(Parser)]
enum Job {
    Selfplay(SelfplayFlags),
    Train(TrainFlags),
    Komi(KomiFlags),
    Balance(BalanceFlags),
    Match(MatchFlags),
}

fn job(line: &str) -> Job {
    let words = ["fairkomi"].into_iter().chain(line.split_whitespace());
    Job::try_parse_from(words).unwrap_or_else(|error| panic!("{line}: {error}"))
}

/// The config, shown, or all that is wrong with the flags.
fn outcome(line: &str) -> Result<String, String> {
    fn shown(config: Result<impl std::fmt::Debug, ConfigFaults>) -> Result<String, String> {
        config.map(|config| format!("{config:?}")).map_err(|faults| faults.to_string())
    }
    match job(line) {
        Job::Selfplay(flags) => shown(flags.config()),
        Job::Train(flags) => shown(flags.config()),
        Job::Komi(flags) => shown(flags.config()),
        Job::Balance(flags) => shown(flags.config()),
        Job::Match(flags) => shown(flags.config()),
    }
}

#[test]
fn the_flags_are_well_formed_and_every_command_has_an_example() {
    let mut command = Job::command();
    command.build();
    command.clone().debug_assert();
    for job in command.get_subcommands_mut() {
        let help = job.render_long_help().to_string();
        if job.get_name() != "help" {
            assert!(help.contains(&format!("Usage: fairkomi {}", job.get_name())), "{help}");
            assert!(help.contains("Example") && !help.contains("What every"), "{help}");
            assert!(job.get_arguments().all(|flag| flag.get_help().is_some()), "{help}");
        }
    }
}

#[test]
fn faults_of_flags_are_told() {
    let table = [
        (
            "komi --game yugo --size 5 --out x --visits 0",
            "--visits: 0 is not allowed (a whole number from 1 to 1000000)",
        ),
        ("komi --game yugo --size 0 --out x", "--size: 0 is not allowed (a whole number from 1 to 19)"),
        ("komi --game linage --size 2 --out x", "--size: size 2 is not allowed in linage (3 to 19)"),
        ("komi --game yugo --size 5 --out x --pie", "--pie: the pie rule belongs to fugo, not to yugo"),
        (
            "komi --game fugo --size 5 --out x --handicap 1",
            "--handicap: handicap 1 is not allowed in fugo on 5x5 (0 at most)",
        ),
        (
            "komi --game sligo --size 5 --out x --move-cap 0",
            "--move-cap: 0 is not allowed (a whole number from 1 to 1000000)",
        ),
        (
            "komi --game sligo --size 5 --out x --games 100 --block 64",
            "--games: 100 is not allowed (at least two blocks, which are 128)",
        ),
        (
            "komi --game yugo --size 5 --out x --start -0.5",
            "--start: komi -0.5 is not allowed in yugo (whole points only)",
        ),
        ("komi --game yugo --size 5 --out x --delta nan", "--delta: NaN is not allowed (a number from 0 to 1)"),
        (
            "komi --game yugo --size 5 --out x --threads 0",
            "--threads: 0 is not allowed (a whole number from 1 to 1024)",
        ),
        ("balance --game linage --size 5 --out x --komi 0.5 0.5", "--komi: 0.5 is given twice"),
        (
            "balance --game fugo --size 5 --out x --komi 1",
            "--komi: komi 1 is not allowed in fugo (the game has no score and no komi)",
        ),
        (
            "balance --game sligo --size 5 --out x --komi -2000",
            "--komi: -2000 is not allowed (a number from -1000 to 1000)",
        ),
        (
            "match --game yugo --size 5 --out x --b-visits 0",
            "--b-visits: 0 is not allowed (a whole number from 1 to 1000000)",
        ),
        ("match --game yugo --size 5 --out x --sprt 5 5", "--sprt: the SPRT bound elo0 = 5 must be less than elo1 = 5"),
        (
            "match --game yugo --size 5 --out x --sprt -5 5 --alpha 0.5 --beta 0.5",
            "--alpha: alpha + beta must be less than 1, not 0.5 + 0.5",
        ),
        ("selfplay --game fugo --size 5 --out x --komi-spread 2", "--komi-spread: 2 is not allowed (fugo has no komi)"),
        (
            "selfplay --game yugo --size 5 --out x --batch 8",
            "--batch: 8 is not allowed (a whole number from 16 to 4096)",
        ),
        (
            "train --data a --out x --batch 16 --chunks 32",
            "--chunks: 32 is not allowed (at most the batch, which is 16)",
        ),
        (
            "train --data a b --out x --epochs 0 --learning-rate 2 --seed 9223372036854775808",
            "3 faults:
  --seed: 9223372036854775808 is not allowed (a whole number from 0 to 9223372036854775807)
  --epochs: 0 is not allowed (a whole number from 1 to 10000)
  --learning-rate: 2 is not allowed (a number from 0.000001 to 1)",
        ),
    ];
    for (line, expected) in table {
        assert_eq!(outcome(line), Err(expected.to_string()), "{line}");
    }
}

#[test]
fn what_is_left_out_has_its_usual_value() {
    let Job::Selfplay(flags) = job("selfplay --game linage --size 9 --out x") else { unreachable!() };
    let config = flags.config().unwrap();
    assert_eq!((config.games, config.seed, config.inference.batch, config.shard), (1000, 1, 64, 256));
    assert_eq!(config.komi, KomiDraw { centre: HalfPoints(0), spread: 4.0 });
    assert_eq!((config.temperature_turns, config.board.move_cap), (9, None));
    assert_eq!(config.explore.noise, Some(RootNoise { concentration: 10.0, share: 0.25 }));

    let Job::Selfplay(flags) = job("selfplay --game fugo --size 3 --out x --noise-share 0 --compress") else {
        unreachable!()
    };
    let config = flags.config().unwrap();
    assert_eq!(
        (config.explore.noise, config.komi.spread, config.board.move_cap, config.compress),
        (None, 0.0, Some(36), true)
    );

    let Job::Balance(flags) = job("balance --game linage --size 9 --out x") else { unreachable!() };
    assert_eq!(flags.config().unwrap().komi, [HalfPoints(0)]);
    let Job::Balance(flags) = job("balance --game sligo --size 9 --out x --komi -1 3.5") else { unreachable!() };
    assert_eq!(flags.config().unwrap().komi, [HalfPoints(-2), HalfPoints(7)]);

    let Job::Match(flags) = job("match --game yugo --size 5 --out x --a-visits 7 --reduction 0") else {
        unreachable!()
    };
    let config = flags.config().unwrap();
    assert_eq!(
        (config.a.visits, config.b.visits, config.a.settings.reduction, config.b.settings.reduction),
        (7, 200, 0.0, 0.0)
    );
    assert_eq!((config.komi, config.pairs, config.opening_turns), (HalfPoints(0), 200, 2));

    let Job::Komi(flags) = job("komi --game yugo --size 5 --out x --threads 3") else { unreachable!() };
    assert_eq!((flags.config().unwrap().start, flags.measure.job.threads()), (None, 3));

    let Job::Train(flags) = job("train --data a b --out x --from y") else { unreachable!() };
    assert_eq!((flags.data.len(), flags.config().unwrap().1, flags.job.threads() >= 1), (2, 1, true));
    assert_eq!(flags.config().unwrap().0.learning_rate, 0.001);
}
