//! The chapters of a page: what the games of its runs say.

use std::collections::BTreeMap;

use super::super::text::{
    COURSE, button_text, course_cells, fair, interval, komi_cell, score, search_text, share, smooth_text, status,
    tally_header, tally_row, wdl,
};
use super::budget::budgets;
use super::plots::{Spot, board_map, margins, score_by_komi};
use super::runs::{Kind, Run};
use super::view::{Chapter, Grid, Picture, Section};
use crate::arena::match_report;
use crate::config::{Board, Device, Inference, MatchConfig, Precision, SearchSettings};
use crate::games::{GameKind, HalfPoints};
use crate::komi::{Balance, Fair, FirstMove, Openings, balances, known, openings, summary};
use crate::stats::elo::EloEstimate;
use crate::stats::komi_lattice::{FairKomi, KomiStatus};
use crate::stats::sprt::{Bounds, ErrorRates, Sprt, Verdict};

/// All chapters that have something to tell.
pub fn chapters(runs: &[Run]) -> Vec<Chapter> {
    let made = [komi(runs), fugo(runs), budgets(runs), balance(runs), matches(runs), ratings(runs), played(runs)];
    made.into_iter().flatten().collect()
}

fn of(runs: &[Run], kind: Kind) -> impl Iterator<Item = &Run> {
    runs.iter().filter(move |run| run.kind == kind && !run.rows.is_empty())
}

/// A board without the pie rule.
pub(super) fn board(game: GameKind, size: usize, handicap: usize) -> Board {
    Board { game, size, handicap, pie: false, move_cap: None }
}

/// A run's board in words.
fn board_name(run: &Run) -> String {
    run.board().map_or("several boards".to_string(), |(game, size)| {
        format!("{game} {size}×{size}{}", board(game, size, run.handicap()).extras())
    })
}

/// The name of a run's picture: unlike those of other runs.
fn file(runs: &[Run], run: &Run, what: &str) -> String {
    let number = runs.iter().position(|other| std::ptr::eq(other, run)).unwrap_or_default();
    let board = run.board().map_or(String::new(), |(game, size)| format!("-{game}-{size}x{size}"));
    format!("{number:02}-{}{board}-{what}.svg", run.kind.name())
}

fn played(runs: &[Run]) -> Option<Chapter> {
    let row = |run: &Run| {
        let games = if run.rows.is_empty() { "–".to_string() } else { run.rows.len().to_string() };
        vec![
            run.folder.display().to_string(),
            run.kind.name().to_string(),
            board_name(run),
            run.engines().join("; "),
            games,
            run.seed(),
            format!("{} ({})", run.info("version"), run.info("git_commit")),
            run.info("machine").to_string(),
        ]
    };
    let header = ["run", "what", "board", "engines", "games", "seed", "program (commit)", "machine"];
    let table = Grid::new(&header, runs.iter().map(row).collect());
    let about = "The runs that this page is made of. With the same seed and settings this program plays the same games again on the \
        same machine; other programs that took part may not. run.toml in each folder has all settings.";
    Some(Chapter { title: "What was played", about, table: Some(table), sections: Vec::new() })
}

fn komi(runs: &[Run]) -> Option<Chapter> {
    let of_run = |run| {
        let (game, size) = Run::board(run).filter(|(game, _)| game.has_score())?;
        Some((run, game, size, summary(&run.rows, game, size).with_searches(&run.rows, &run.values)))
    };
    let found: Vec<(&Run, GameKind, usize, Fair)> = of(runs, Kind::Komi).filter_map(of_run).collect();
    let row = |(run, game, size, fair_komi): &(&Run, GameKind, usize, Fair)| {
        let exact = known(&board(*game, *size, run.handicap()));
        let best = fair_komi.best.as_ref();
        let draws: u64 = fair_komi.at.iter().map(|at| at.tally.wdl.draws).sum();
        vec![
            board_name(run),
            run.engines().join("; "),
            fair(&fair_komi.lattice),
            best.map_or("–".to_string(), |best| match best.is_near {
                true => best.komi.to_string(),
                false => format!("– (nearest to even: {})", best.komi),
            }),
            best.map_or("–".to_string(), |best| format!("{:.3} {}", best.score, interval(best.interval))),
            format!("{:.0} %", 100.0 * draws as f64 / run.rows.len() as f64),
            run.rows.len().to_string(),
            exact.map_or("–".to_string(), |exact| exact.to_string()),
        ]
    };
    let section = |(run, game, size, fair_komi): &(&Run, GameKind, usize, Fair)| {
        let mut lines = vec![
            format!("Fair komi of {}: {}", run.engines().join("; "), fair(&fair_komi.lattice)),
            sure(&fair_komi.lattice),
        ];
        lines.extend(
            fair_komi
                .smooth
                .as_ref()
                .map(|smooth| format!("A smooth curve crosses one half at {}.", smooth_text(smooth))),
        );
        if let Some(answer) = run.network_answer() {
            lines.push(format!("The network's own answer, which rests on no games: {answer}."));
        }
        lines.extend(
            fair_komi.search.as_ref().map(|search| format!("The searches' own answer: {}.", search_text(search))),
        );
        lines.extend(fair_komi.button.as_ref().map(|button| format!("The button: {}.", button_text(button))));
        if let Some(decisive) = &fair_komi.decisive {
            lines.push(format!("From decisive games alone: {} ({}).", fair(decisive), status(decisive)));
        }
        let title = format!("{game} {size}×{size}: first player's score by komi");
        let picture = score_by_komi(&title, fair_komi).map(|svg| Picture {
            file: file(runs, run, "score"),
            svg,
            caption: match fair_komi.lattice.k_star {
                Some(_) => {
                    "Scores with 95 % intervals; above the line the first player is ahead. The band is the fair komi's 95 % interval, \
                     and half a point beyond it."
                }
                None => "Scores with 95 % intervals; above the line the first player is ahead.",
            },
        });
        let rows = fair_komi.at.iter().map(|at| tally_row(at.komi.to_string(), &at.tally));
        Section {
            title: board_name(run),
            lines,
            warnings: fair_komi.warnings.clone(),
            pictures: picture.into_iter().collect(),
            tables: vec![Grid::new(&tally_header("komi", &[]), rows.collect())],
        }
    };
    let header = [
        "board",
        "engine",
        "fair komi [95 %]",
        "best komi",
        "first's score there [95 %]",
        "draws, all komi",
        "games",
        "exact",
    ];
    (!found.is_empty()).then(|| Chapter {
        title: "Fair komi",
        about: "Komi are points given to the second player. The fair komi k* is the margin at which both sides score the same; it \
            belongs to an engine, its search budget and a board, and all games begin from the empty board. The best komi \
            is the one, of those at most half a point from it that the rules allow, whose score comes nearest to one half. A question mark: too few \
            games to tell.",
        table: Some(Grid::new(&header, found.iter().map(row).collect())),
        sections: found.iter().map(section).collect(),
    })
}

fn fugo(runs: &[Run]) -> Option<Chapter> {
    let fugo = of(runs, Kind::Komi).filter_map(|run| match run.board() {
        Some((GameKind::Fugo, size)) => Some((run, size, openings(&run.rows, size))),
        _ => None,
    });
    let section = |(run, size, found): (&Run, usize, Openings)| {
        let mut lines = vec![
            format!("First player, pie rule off: {}.", score(&found.free)),
            format!("Person who begins, pie rule on: {}.", score(&found.pie)),
        ];
        if let Some(fairest) = found.fairest() {
            lines.push(format!("Fairest opening: {} ({}).", fairest.turn, score(&fairest.tally)));
        }
        let title = format!("Fugo {size}×{size}: first player's score after each opening, in %");
        let svg = board_map(&title, GameKind::Fugo, size, |name| {
            let opening = alike(&found.openings, name)?;
            let score = opening.tally.score();
            Some(Spot { score, lines: vec![score.map_or("–".to_string(), |score| format!("{:.0}", 100.0 * score))] })
        });
        Section {
            title: format!("{} by {}", board_name(run), run.engines().join("; ")),
            lines,
            warnings: found.warnings.clone(),
            pictures: vec![Picture {
                file: file(runs, run, "openings"),
                svg,
                caption: "The first player's score after each opening, in %: blue is good for the first player, orange for the second.",
            }],
            tables: vec![first_moves("opening", &found.openings)],
        }
    };
    let sections: Vec<Section> = fugo.map(section).collect();
    (!sections.is_empty()).then_some(Chapter {
        title: "Openings of Fugo",
        about: "Fugo has no score and no komi. What there is to choose is the opening, and with the pie rule the second player \
            may take it over: the opening after which both sides score the same is the fairest one.",
        table: None,
        sections,
    })
}

/// Results by first moves, symmetric ones together.
fn first_moves(what: &str, moves: &[FirstMove]) -> Grid {
    let row = |first: &FirstMove| {
        let tally = &first.tally;
        let [games, repeated] = [tally.games(), tally.repetitions].map(|count| count.to_string());
        vec![first.turn.clone(), games, wdl(tally), score(tally), repeated]
    };
    Grid::new(&[what, "games", "W/D/L of first", "score [95 %]", "repeated"], moves.iter().map(row).collect())
}

/// The pool of first moves to which the move of this name belongs.
fn alike<'a>(moves: &'a [FirstMove], name: &str) -> Option<&'a FirstMove> {
    moves.iter().find(|first| first.alike.iter().any(|alike| alike == name))
}

fn balance(runs: &[Run]) -> Option<Chapter> {
    let mut found: Vec<(&Run, Vec<Balance>)> =
        of(runs, Kind::Balance).map(|run| (run, balances(&run.rows, &run.values))).collect();
    found.sort_by_key(|(run, _)| run.board().map(|(game, size)| (game.name(), size)));
    let row = |run: &Run, found: &Balance| {
        let tally = &found.tally;
        vec![
            board_name(run),
            run.engines().join("; "),
            komi_cell(found),
            tally.games().to_string(),
            wdl(tally),
            score(tally),
            tally.repetitions.to_string(),
            found
                .lengths
                .map_or("–".to_string(), |lengths| format!("{:.1} ± {:.1}", lengths.mean, lengths.deviation)),
            found
                .margins
                .as_ref()
                .map_or("–".to_string(), |margins| format!("{:+.1} ± {:.1}", margins.mean, margins.deviation)),
        ]
        .into_iter()
        .chain(course_cells(found.course.as_ref()))
        .collect()
    };
    let rows = found.iter().flat_map(|(run, balances)| balances.iter().map(|balance| row(run, balance)));
    let header = ["board", "engine", "komi", "games", "W/D/L of first", "score [95 %]", "repeated", "turns", "margin"];
    let header: Vec<&str> = header.into_iter().chain(COURSE).collect();
    let section = |run: &Run, found: &Balance| {
        let komi = if found.game.has_score() { format!(" at komi {}", found.komi) } else { String::new() };
        let name = format!("{}{komi}", board_name(run));
        let all = found.tally.games().max(1) as f64;
        let svg = board_map(&format!("{name}: first moves"), found.game, found.size, |point| {
            let first = alike(&found.first_moves, point)?;
            let score = first.tally.score();
            let played = format!("{:.0} %", 100.0 * first.tally.games() as f64 / all);
            Some(Spot { score, lines: vec![played, share(score)] })
        });
        let mut pictures = vec![Picture {
            file: file(runs, run, &format!("first-moves-{}", found.komi)),
            svg,
            caption: "On each point the share of games that began there or on a point that is the same by symmetry, and the first \
                player's score in them.",
        }];
        if let Some(svg) =
            found.margins.as_ref().and_then(|m| margins(&format!("{name}: games by final margin"), &m.histogram))
        {
            pictures.push(Picture {
                file: file(runs, run, &format!("margins-{}", found.komi)),
                svg,
                caption: "How many games ended with which margin.",
            });
        }
        let line = "First moves: how often each was played, symmetric ones together, and what the first player scored.";
        Section {
            title: format!("{name}, by {}", run.engines().join("; ")),
            lines: vec![line.to_string()],
            warnings: found.tally.warnings(),
            pictures,
            tables: vec![first_moves("first move", &found.first_moves)],
        }
    };
    let sections = found.iter().flat_map(|(run, balances)| balances.iter().map(|balance| section(run, balance)));
    (!found.is_empty()).then(|| Chapter {
        title: "Balance at given komi",
        about: "Games from the empty board at a fixed komi, by game and size: who wins, how long games are (± is a standard \
            deviation), what the first player's margin is before komi, how many legal turns there are to choose from on average, how often the lead \
            changes (the leader being who has an expected score of 0.6 or more, as the engine sees it), after which part \
            of its turns the median game is decided (from there on the winner's expected score is never below 0.9), and how \
            games begin.",
        table: Some(Grid::new(&header, rows.collect())),
        sections: sections.collect(),
    })
}

fn matches(runs: &[Run]) -> Option<Chapter> {
    let row = |run: &Run| {
        let config = match_config(run)?;
        let engines = run.engines();
        let engine = |number: usize| engines.get(number).or(engines.first()).cloned().unwrap_or_default();
        let found = match_report(&run.rows, &config, [engine(0), engine(1)]);
        let elo = |elo: Option<EloEstimate>| {
            elo.map_or("–".to_string(), |elo| format!("{:+.0} {:.0}", elo.elo, elo.interval))
        };
        let verdict = found.test.map_or("–".to_string(), |test| {
            let (elo0, elo1) = (test.elo0, test.elo1);
            match test.verdict {
                Verdict::Continue => format!("undecided between {elo0} and {elo1}"),
                Verdict::AcceptH0 => format!("A is better by {elo0} at most, not by {elo1}"),
                Verdict::AcceptH1 => format!("A is better by {elo1}, not by {elo0}"),
            }
        });
        Some(vec![
            board_name(run),
            if found.game.has_score() { found.komi.to_string() } else { "–".to_string() },
            found.a.clone(),
            found.b.clone(),
            found.pentanomial.pairs().to_string(),
            format!("{} {}", share(found.score), interval(found.interval)),
            elo(found.elo),
            elo(found.nelo),
            format!("{:.3}", found.los),
            verdict,
        ])
    };
    let rows: Vec<Vec<String>> = of(runs, Kind::Match).filter_map(row).collect();
    let header =
        ["board", "komi", "A", "B", "pairs", "score of A [95 %]", "Elo [95 %]", "normalised Elo [95 %]", "LOS", "test"];
    (!rows.is_empty()).then(|| Chapter {
        title: "Matches",
        about: "Each opening is played twice with the seats exchanged. Elo and score are A's; LOS is the likelihood that A is the \
            stronger one. A test asks whether A is better by one difference in normalised Elo rather than by another.",
        table: Some(Grid::new(&header, rows)),
        sections: Vec::new(),
    })
}

/// A match's config as far as its report rests on it.
fn match_config(run: &Run) -> Option<MatchConfig> {
    let (game, size) = run.board()?;
    let board = Board { game, size, handicap: 0, pie: false, move_cap: None };
    let inference = Inference { batch: 16, precision: Precision::F32, device: Device::Cpu };
    let search = SearchSettings::default().with_visits(1);
    let sprt = run.config.get("sprt").and_then(|sprt| {
        let number = |group: &str, key: &str| sprt.get(group)?.get(key)?.as_float();
        Some(Sprt {
            bounds: Bounds::new(number("bounds", "elo0")?, number("bounds", "elo1")?).ok()?,
            errors: ErrorRates::new(number("errors", "alpha")?, number("errors", "beta")?).ok()?,
        })
    });
    Some(MatchConfig {
        komi: run.rows.first().map_or(HalfPoints(0), |row| row.komi),
        void_faults: run.config.get("void_faults").and_then(toml::Value::as_bool).unwrap_or(false),
        sprt,
        ..MatchConfig::between([search, search], board, inference)
    })
}

/// How sure a fair komi is, for a reader who does not know the program's words.
fn sure(found: &FairKomi) -> String {
    match found.status {
        KomiStatus::Identified => "The games bound it on both sides; how closely, its interval says.".to_string(),
        _ => format!("How sure: {}.", status(found)),
    }
}

fn ratings(runs: &[Run]) -> Option<Chapter> {
    let section = |run: &Run| {
        let komi =
            run.config.get("komi").and_then(|komi| komi.as_float().or(komi.as_integer().map(|komi| komi as f64)));
        let komi = komi.filter(|_| run.board().is_some_and(|(game, _)| game.has_score()));
        let svg = std::fs::read_to_string(run.folder.join("ratings.svg")).ok();
        Section {
            title: board_name(run) + &komi.map_or(String::new(), |komi| format!(" at komi {komi}")),
            pictures: svg
                .map(|svg| Picture { file: file(runs, run, "ratings"), svg, caption: "Elo with 95 % intervals." })
                .into_iter()
                .collect(),
            tables: ["ratings.csv", "meetings.csv"]
                .iter()
                .filter_map(|name| Grid::in_file(&run.folder.join(name)))
                .collect(),
            ..Section::default()
        }
    };
    let sections: Vec<Section> = runs.iter().filter(|run| run.kind == Kind::Rate).map(section).collect();
    (!sections.is_empty()).then_some(Chapter {
        title: "Ratings",
        about: "What engines are worth against each other, from all their games at once.",
        table: None,
        sections,
    })
}

/// The learning curves that runs have drawn.
pub fn drawn(runs: &[Run]) -> Vec<Picture> {
    let mut pictures = BTreeMap::new();
    for (number, run) in runs.iter().enumerate() {
        let files: Vec<_> = match run.kind {
            Kind::Pipeline => GameKind::ALL
                .iter()
                .map(|game| (run.folder.join(game.name()).join("learning.svg"), game.name()))
                .collect(),
            _ => Vec::new(),
        };
        for (path, name) in files {
            // A game that the run has not come to has no curves yet.
            if let Ok(svg) = std::fs::read_to_string(path) {
                pictures.insert((number, name), svg);
            }
        }
    }
    let file = |number: usize, name: &str| format!("{number:02}-{name}.svg");
    pictures.into_iter().map(|((number, name), svg)| Picture { file: file(number, name), svg, caption: "" }).collect()
}
