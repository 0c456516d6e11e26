//! Tables for a terminal. Every figure comes with its interval or its counts.

use std::fmt::Write;

use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{CellAlignment, Table};

use super::map::board_map;
use crate::arena::{Evidence, MatchReport, TestReport};
use crate::games::{GameKind, HalfPoints};
use crate::komi::{AtKomi, Balance, ButtonEffect, Course, Fair, Known, Measurement, Openings, SearchAnswer};
use crate::learn::{BoardResult, NetCalibration, PipelineResult, StageTime};
use crate::net::{Calibration, EpochReport, Losses, OwnAnswer, Scaling};
use crate::records::Tally;
use crate::stats::Interval;
use crate::stats::calibration::{Platt, Reliability};
use crate::stats::komi_lattice::{FairKomi, KomiStatus};
use crate::stats::smooth::SmoothKomi;
use crate::stats::sprt::Verdict;

/// A table with these column names; the first column is left, all others right aligned.
pub(super) fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_preset(UTF8_FULL_CONDENSED).set_header(header);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// A share or score as `0.523`.
pub(super) fn share(value: Option<f64>) -> String {
    value.map_or("–".to_string(), |value| format!("{value:.3}"))
}

pub(super) fn interval(interval: Interval) -> String {
    format!("{interval:.3}")
}

pub(super) fn score(tally: &Tally) -> String {
    format!("{} {}", share(tally.score()), interval(tally.interval()))
}

pub(super) fn wdl(tally: &Tally) -> String {
    let wdl = tally.wdl;
    format!("{}/{}/{}", wdl.wins, wdl.draws, wdl.losses)
}

/// The columns of [`tally_row`], with what the rows are about before and more columns behind.
pub(super) fn tally_header<'a>(what: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut header = vec![what, "games", "differ", "W/D/L of first", "score [95 %]", "repeated", "capped"];
    header.extend(more);
    header
}

/// Results as a table's row.
pub(super) fn tally_row(what: String, tally: &Tally) -> Vec<String> {
    vec![
        what,
        tally.games().to_string(),
        tally.unique.to_string(),
        wdl(tally),
        score(tally),
        tally.repetitions.to_string(),
        tally.capped.to_string(),
    ]
}

/// The end of an interval on the lattice.
fn end(half: Option<i32>, open: &str) -> String {
    half.map_or(open.to_string(), |half| HalfPoints(half).signed())
}

/// The fair komi with its interval and how much of an answer it is.
pub(super) fn fair(found: &FairKomi) -> String {
    let range = format!("[{}, {}]", end(found.lo, "-∞"), end(found.hi, "+∞"));
    match (found.k_star, found.status) {
        (Some(k), KomiStatus::NotIdentified { .. }) => format!("{}? {range}", HalfPoints(k).signed()),
        (Some(k), _) => format!("{} {range}", HalfPoints(k).signed()),
        (None, _) => format!("not identified {range}"),
    }
}

pub(super) fn status(found: &FairKomi) -> String {
    match found.status {
        KomiStatus::Identified => "identified".to_string(),
        KomiStatus::CleanSeparation => {
            "clean separation: the first player won every game just below and lost every game just above".to_string()
        }
        KomiStatus::NotIdentified { reason } => format!("not fully identified: {reason}"),
    }
}

/// A smooth fit with its intervals by three methods.
pub(super) fn smooth_text(found: &SmoothKomi) -> String {
    let other = |name: &str, interval: Option<Interval>, none: &str| {
        interval.map_or(format!("{name}{none}"), |interval| format!("{name} {interval:.2}"))
    };
    let fit = found.fit_p.map_or("two komi, no test of fit".to_string(), |p| format!("test of fit p = {p:.2}"));
    let resampled = format!("{} openings resampled", found.bootstrap.clusters);
    format!(
        "{:.2} {:.2} points (logistic, profile likelihood; {}; {}; {fit})",
        found.root,
        found.profile,
        other("Fieller", found.fieller, " –"),
        other(&resampled, found.bootstrap.interval, ", too few or too alike"),
    )
}

/// Where the searches' own answer lies.
pub(super) fn search_text(found: &SearchAnswer) -> String {
    let value = |komi: HalfPoints| {
        let at = found.at.iter().find(|(at, _)| *at == komi);
        at.map_or(String::new(), |(_, value)| format!(" (first player's expected score {value:.3})"))
    };
    match (found.between, found.at.first(), found.at.last()) {
        (Some([from, to]), ..) if to.0 - from.0 == 2 => {
            let fair = HalfPoints(from.0 + 1).signed();
            format!("{fair}, between {from}{} and {to}{}", value(from), value(to))
        }
        (Some([from, to]), ..) => format!("between {from}{} and {to}{}", value(from), value(to)),
        (None, Some((first, least)), _) if *least < 0.5 => format!("below {first}{}", value(*first)),
        (None, _, Some((last, _))) => format!("above {last}{}", value(*last)),
        (None, ..) => "none".to_string(),
    }
}

/// What Yugo's button did in the games nearest the fair komi.
pub(super) fn button_text(found: &ButtonEffect) -> String {
    format!(
        "in the {} games nearest the fair komi the first player took it {} times, and its half point decided {} (first \
         player's score {:.3}, without the half point {:.3})",
        found.games, found.by_first, found.decided, found.score, found.score_without
    )
}

/// The columns of [`course_cells`].
pub(super) const COURSE: [&str; 3] = ["legal turns", "lead changes", "decided after"];

/// How games went, in cells of a table.
pub(super) fn course_cells(course: Option<&Course>) -> [String; 3] {
    let cell = |value: Option<f64>, text: fn(f64) -> String| value.map_or("–".to_string(), text);
    [
        cell(course.and_then(|course| course.branching), |mean| format!("{mean:.1}")),
        cell(course.map(|course| course.lead_changes), |mean| format!("{mean:.2}")),
        cell(course.and_then(|course| course.decided), |share| format!("{:.0} %", 100.0 * share)),
    ]
}

fn known_text(known: Option<Known>) -> String {
    known.map_or("–".to_string(), |known| known.to_string())
}

/// What a komi measurement found. `engine` is whose games it rests on, `own` the network's own answer.
pub fn komi_text(measurement: &Measurement, engine: &str, own: Option<&OwnAnswer>, known: Option<Known>) -> String {
    let mut text = match measurement {
        Measurement::Komi(found) => fair_text(found, engine),
        Measurement::Openings(found) => openings_text(found, engine),
    };
    if let Some(own) = own {
        let margin = own.median.map(|median| format!(", median margin {} at komi {}", median.signed(), own.most_even));
        let _ = writeln!(
            text,
            "network's own answer at the empty board (rests on no games): {}{}",
            own.komi.signed(),
            margin.unwrap_or_default()
        );
    }
    if let Some(known) = known {
        let _ = writeln!(text, "exact value by exhaustive search: {known}");
    }
    text
}

fn fair_text(found: &Fair, engine: &str) -> String {
    let (game, size) = (found.game, found.size);
    let mut text = format!("{game} {size}x{size}: fair komi of {engine}, from the empty board\n");
    let mut rows = table(&tally_header("komi", &[]));
    for AtKomi { komi, tally } in &found.at {
        rows.add_row(tally_row(komi.to_string(), tally));
    }
    let _ = writeln!(text, "{rows}");
    let _ = writeln!(text, "fair komi k* [95 %]: {} ({})", fair(&found.lattice), status(&found.lattice));
    if let Some(smooth) = &found.smooth {
        let _ = writeln!(text, "smooth fit [95 %]: {}", smooth_text(smooth));
    }
    if let Some(search) = &found.search {
        let _ =
            writeln!(text, "searches' own answer at the empty board (rests on no results): {}", search_text(search));
    }
    if let Some(button) = &found.button {
        let _ = writeln!(text, "button: {}", button_text(button));
    }
    if let Some(decisive) = &found.decisive {
        let _ = writeln!(text, "from decisive games alone: {} ({})", fair(decisive), status(decisive));
    }
    if let Some(best) = &found.best {
        let what = match (best.is_near, found.lattice.k_star) {
            (true, _) => "best allowed komi",
            (false, Some(_)) => "no komi beside the fair one was measured; nearest to even was komi",
            (false, None) => "no fair komi found; nearest to even was komi",
        };
        let lead = best.score - 0.5;
        let _ = writeln!(
            text,
            "{what}: {} (first player's score {:.3} {:.3}, imbalance {lead:+.3} from one half)",
            best.komi, best.score, best.interval
        );
        let fair = found.lattice.k_star.map(HalfPoints).filter(|fair| best.is_near && !game.allows_komi(*fair));
        if let (Some(fair), true) = (fair, lead.abs() > 0.25) {
            let _ = writeln!(
                text,
                "(komi {fair} would be fair, but the rules do not allow it: no allowed komi is close to even)"
            );
        }
    }
    warn(&mut text, &found.warnings);
    text
}

fn openings_text(found: &Openings, engine: &str) -> String {
    let size = found.size;
    let mut text = format!("fugo {size}x{size}: openings of {engine}\n");
    let mut rows = table(&tally_header("from", &[]));
    for (what, tally) in [("empty board, pie off", &found.free), ("empty board, pie on (seats)", &found.pie)] {
        rows.add_row(tally_row(what.to_string(), tally));
    }
    let _ = writeln!(text, "{rows}");
    let _ = writeln!(text, "first player's score after each opening (pie off), in %:");
    text += &board_map(GameKind::Fugo, size, |name| {
        let opening = found.openings.iter().find(|opening| opening.alike.iter().any(|alike| alike == name));
        let score = opening.and_then(|opening| opening.tally.score());
        score.map_or("–".to_string(), |score| format!("{:.0}", 100.0 * score))
    });
    let mut rows = table(&["opening", "games", "W/D/L of first", "score [95 %]", "repeated"]);
    for opening in &found.openings {
        let tally = &opening.tally;
        let [games, repeated] = [tally.games(), tally.repetitions].map(|count| count.to_string());
        rows.add_row([opening.turn.clone(), games, wdl(tally), score(tally), repeated]);
    }
    let _ = writeln!(text, "{rows}");
    if let Some(fairest) = found.fairest() {
        let _ = writeln!(text, "fairest pie opening: {} ({})", fairest.turn, score(&fairest.tally));
    }
    warn(&mut text, &found.warnings);
    text
}

fn warn(text: &mut String, warnings: &[String]) {
    for warning in warnings {
        let _ = writeln!(text, "warning: {warning}");
    }
}

/// What balance measurements found, one after the other.
pub fn balance_text(balances: &[Balance], engine: &str) -> String {
    let mut text = String::new();
    let mut rows = table(&tally_header("komi", &["turns", "margin"]));
    for found in balances {
        let tally = &found.tally;
        let turns = found.lengths.map_or("–".to_string(), |lengths| {
            format!("{:.1} ± {:.1} ({}–{})", lengths.mean, lengths.deviation, lengths.shortest, lengths.longest)
        });
        let margin = found.margins.as_ref().map_or("–".to_string(), |margins| {
            format!("{:+.1} ± {:.1}, median {:+}", margins.mean, margins.deviation, margins.median)
        });
        rows.add_row(tally_row(komi_cell(found), tally).into_iter().chain([turns, margin]));
    }
    if let Some(first) = balances.first() {
        let (game, size) = (first.game, first.size);
        let _ =
            writeln!(text, "{game} {size}x{size}: balance of {engine}, from the empty board (± standard deviation)");
    }
    let _ = writeln!(text, "{rows}");
    for found in balances {
        if let Some(course) = &found.course {
            let [legal, changes, decided] = course_cells(Some(course));
            let _ = writeln!(
                text,
                "{}: {legal} legal turns on average; {changes} changes of the lead a game ({:.0} % of the games have any);\n\
                 half of the won games are decided after {decided} of their turns (lead: the engine gives 0.6 or more; decided: 0.9 to \
                 the end)",
                at_komi(found),
                100.0 * course.changed
            );
        }
        let _ = writeln!(
            text,
            "first moves{}: share of games, symmetric ones together / score of the first player, in % (intervals: balance.csv)",
            if found.game.has_score() { format!(" at komi {}", found.komi) } else { String::new() }
        );
        text += &first_move_map(found);
        warn(&mut text, &found.tally.warnings());
    }
    text
}

/// The komi of games with a score.
pub(super) fn komi_cell(found: &Balance) -> String {
    if found.game.has_score() { found.komi.to_string() } else { "–".to_string() }
}

fn at_komi(found: &Balance) -> String {
    if found.game.has_score() { format!("at komi {}", found.komi) } else { "these games".to_string() }
}

fn first_move_map(found: &Balance) -> String {
    let all = found.tally.games().max(1) as f64;
    let figure = |name: &str| {
        let first = found.first_moves.iter().find(|first| first.alike.iter().any(|alike| alike == name))?;
        let score = first.tally.score().map_or("–".to_string(), |score| format!("{:.0}", 100.0 * score));
        // The share of a move and all its images.
        Some(format!("{:.0}/{score}", 100.0 * first.tally.games() as f64 / all))
    };
    let mut text = board_map(found.game, found.size, |name| figure(name).unwrap_or(".".to_string()));
    for special in ["button", "pass"] {
        if let Some(figure) = figure(special) {
            let _ = writeln!(text, "     {special} {figure}");
        }
    }
    text
}

/// The result of a match.
pub fn match_text(found: &MatchReport) -> String {
    let (game, size) = (found.game, found.size);
    let komi = if game.has_score() { format!(" at komi {}", found.komi) } else { String::new() };
    let mut text = format!("{game} {size}x{size}{komi}: {} (A) against {} (B)\n", found.a, found.b);
    let wdl = found.games;
    let _ = writeln!(
        text,
        "A: {} wins, {} draws, {} losses in {} pairs of openings, {} {} (LL, LD, LW or DD, DW, WW: {:?})",
        wdl.wins,
        wdl.draws,
        wdl.losses,
        found.pairs.len(),
        found.pentanomial.pairs(),
        if found.test.is_some() { "new ones up to the test's end" } else { "of them new" },
        found.pentanomial.counts
    );
    let _ = writeln!(text, "score of A [95 %, from these pairs]: {} {}", share(found.score), interval(found.interval));
    if let Some(elo) = found.elo {
        let _ = writeln!(text, "Elo difference [95 %]: {:+.0} {:.0}", elo.elo, elo.interval);
    }
    if let Some(nelo) = found.nelo {
        let stopped = if found.test.is_some() { ", right in spite of the test's choice when to stop" } else { "" };
        let _ = writeln!(
            text,
            "normalised Elo [95 %{stopped}]: {:+.0} {:.0}; A is the stronger one with likelihood {:.3}",
            nelo.elo, nelo.interval, found.los
        );
    }
    if let Some(test) = &found.test {
        let _ = writeln!(text, "{}", verdict_text(test, found.pentanomial.pairs()));
    }
    let seats = &found.seats;
    let _ = writeln!(
        text,
        "first seat: {} (W/D/L {}); {} of {} games differ; {} repeated, {} capped",
        score(seats),
        self::wdl(seats),
        seats.unique,
        seats.games(),
        seats.repetitions,
        seats.capped
    );
    if seats.forfeits > 0 {
        let _ = writeln!(
            text,
            "{} games were given up or failed in (column ending of games.csv; log.jsonl has the reasons)",
            seats.forfeits
        );
    }
    if found.void_pairs > 0 {
        let _ = writeln!(text, "{} pairs with a game without a result are left out of the score", found.void_pairs);
    }
    warn(&mut text, &seats.warnings());
    text
}

/// How a sequential test ended.
fn verdict_text(test: &TestReport, pairs: u64) -> String {
    let TestReport { elo0, elo1, alpha, beta, llr, lower, upper, verdict } = test;
    let said = match verdict {
        Verdict::AcceptH1 => format!("A is stronger by {elo1} normalised Elo rather than by {elo0}"),
        Verdict::AcceptH0 => format!("A is stronger by {elo0} normalised Elo at most rather than by {elo1}"),
        Verdict::Continue => "no verdict: the match was over before (this is not a pass)".to_string(),
    };
    format!(
        "SPRT [{elo0}, {elo1}], alpha {alpha}, beta {beta}: {said} after {pairs} pairs; LLR {llr:.2} ({lower:.2}, {upper:.2})"
    )
}

/// A sequential test on its way, in a line.
pub fn test_line(evidence: &Evidence) -> String {
    let pairs = evidence.pentanomial;
    let score = pairs.score().map_or("–".to_string(), |score| format!("{score:.3}"));
    let standing = evidence.test.as_ref().map(TestReport::of).map_or(String::new(), |test| {
        format!("; LLR {:.2} ({:.2}, {:.2}) [{}, {}]", test.llr, test.lower, test.upper, test.elo0, test.elo1)
    });
    format!("{} pairs {:?}, score of A {score}{standing}", pairs.pairs(), pairs.counts)
}

/// The end of the main job: the details of each board, then all boards in one table, then the time by stage.
pub fn pipeline_text(result: &PipelineResult) -> String {
    let mut text = String::new();
    for board in &result.boards {
        let (game, size) = (board.board.game, board.board.size);
        let _ = writeln!(text, "── {game} {size}x{size} {}", "─".repeat(60));
        text += &komi_text(&board.komi, &board.engine, board.network_answer.as_ref(), board.known);
        text += &balance_text(&board.balance, &board.engine);
        text += &match_text(&board.strength);
        text.push('\n');
    }
    text += &summary_table(&result.boards);
    text += &times_text(&result.times);
    text
}

fn summary_table(boards: &[BoardResult]) -> String {
    let header = [
        "board",
        "exact",
        "fair komi [95 %]",
        "network says",
        "best komi",
        "score there [95 %]",
        "net v playouts [95 %]",
    ];
    let mut rows = table(&header);
    for board in boards {
        let (fair_komi, best, there) = match &board.komi {
            Measurement::Komi(found) => {
                let best = found.best.as_ref();
                (
                    fair(&found.lattice),
                    best.map_or("–".to_string(), |best| best.komi.to_string()),
                    best.map_or("–".to_string(), |best| format!("{:.3} {:.3}", best.score, best.interval)),
                )
            }
            Measurement::Openings(found) => {
                let fairest = found.fairest();
                (
                    "no komi".to_string(),
                    fairest.map_or("–".to_string(), |opening| format!("open {}", opening.turn)),
                    fairest.map_or("–".to_string(), |opening| score(&opening.tally)),
                )
            }
        };
        rows.add_row([
            format!("{0} {1}x{1}", board.board.game, board.board.size),
            known_text(board.known),
            fair_komi,
            board.network_answer.as_ref().map_or("–".to_string(), |own| own.komi.signed()),
            best,
            there,
            format!("{} {}", share(board.strength.score), interval(board.strength.interval)),
        ]);
    }
    format!("{rows}\n{HOW_TO_READ}\n")
}

/// What the report's words mean.
const HOW_TO_READ: &str = "\
How to read this: a score is wins plus half the draws; unless said otherwise it is the first player's, from 0 to 1.
A fair komi (in points) belongs to the engine, its visits and the board; `?` or a wide interval: too few games to tell.
The best komi is the allowed one beside the fair one whose score is nearest 0.5; in Fugo it is the most even opening
of the few that were tried, with few games each. Intervals are pointwise, 95 %, and count only games that differ (modulo
symmetry); the same game at two komi differs once in the totals. In maps a share is that of a move and all its images.
docs/method.md has the rest.";

/// The stages' times by game and kind: those of boards and generations together.
fn times_text(times: &[StageTime]) -> String {
    let mut kinds: Vec<(String, f64, u64)> = Vec::new();
    for known in times {
        // `yugo 5x5 rating 3-2` is of the kind `yugo rating`.
        let words = known.stage.split(' ').filter(|word| !word.starts_with(|c: char| c.is_ascii_digit()));
        let kind = words.collect::<Vec<_>>().join(" ");
        match kinds.iter_mut().find(|(name, ..)| *name == kind) {
            Some((_, seconds, games)) => {
                *seconds += known.seconds;
                *games += known.games;
            }
            None => kinds.push((kind, known.seconds, known.games)),
        }
    }
    let mut rows = table(&["stage", "seconds", "games"]);
    let all = kinds.iter().fold((0.0, 0), |(seconds, games), kind| (seconds + kind.1, games + kind.2));
    kinds.push(("in all".to_string(), all.0, all.1));
    for (kind, seconds, games) in kinds {
        let games = if games > 0 { games.to_string() } else { "–".to_string() };
        rows.add_row([kind, format!("{seconds:.1}"), games]);
    }
    format!("{rows}\n")
}

/// An epoch's losses and calibration in a line.
pub fn epoch_text(report: &EpochReport) -> String {
    let losses = |losses: &Losses| {
        let mut parts = Vec::new();
        for (name, value) in [
            ("margin", losses.margin),
            ("outcome", losses.outcome),
            ("repetition", losses.repetition),
            ("policy", losses.policy),
            ("ownership", losses.ownership),
        ] {
            if value != 0.0 {
                parts.push(format!("{name} {value:.3}"));
            }
        }
        parts.join(", ")
    };
    let mut text = format!("epoch {}: loss {}", report.epoch, losses(&report.train));
    if let Some(held_out) = &report.held_out {
        text += &format!("; on held-out games {}", losses(held_out));
    }
    if let Some(calibration) = &report.calibration {
        text += &format!("; calibration error {:.3}", calibration.error);
    }
    text
}

/// What games brought at which value of a network, one position a game.
pub fn net_calibration_text(found: &NetCalibration) -> String {
    let mut rows = table(&["value", "games", "mean value", "mean result [95 %]", "apart"]);
    for row in found.rows() {
        let (Some(value), Some(result), Some(low), Some(high)) = (row.value, row.result, row.low, row.high) else {
            continue;
        };
        rows.add_row([
            format!("{:.1}–{:.1}", row.from, row.to),
            row.positions.to_string(),
            format!("{value:.3}"),
            format!("{result:.3} [{low:.3}, {high:.3}]"),
            format!("{:+.3}", result - value),
        ]);
    }
    let Reliability { count, ece, brier, log_loss, .. } = &found.reliability;
    let number = |number: &Option<f64>| number.map_or("–".to_string(), |number| format!("{number:.4}"));
    format!(
        "{rows}\n{}: one random position of each of {count} games; expected calibration error {}, mean squared error {}, \
         cross-entropy {} nats\n",
        found.game,
        number(ece),
        number(brier),
        number(log_loss)
    )
}

/// How a network's values are scaled.
pub fn scalings_text(scalings: &[Scaling]) -> String {
    let mut rows = table(&["board", "factor", "shift", "from games"]);
    for Scaling { size, platt: Platt { factor, shift }, games } in scalings {
        rows.add_row([format!("{size}x{size}"), format!("{factor:.3}"), format!("{shift:+.3}"), games.to_string()]);
    }
    format!(
        "{rows}\na value's logit is taken times the factor, plus the shift, of the board's side or the nearest one\n"
    )
}

/// How far values were probabilities on the games held out from a training, to which they are scaled.
pub fn calibration_text(calibration: &Calibration) -> String {
    let mut rows = table(&["predicted", "positions", "mean prediction", "mean outcome"]);
    for (index, bin) in calibration.bins.iter().enumerate().filter(|(_, bin)| bin.weight > 0.0) {
        rows.add_row([
            format!("{:.1}–{:.1}", index as f64 / 10.0, (index + 1) as f64 / 10.0),
            format!("{:.0}", bin.weight),
            format!("{:.3}", bin.value),
            format!("{:.3}", bin.outcome),
        ]);
    }
    format!("{rows}\nexpected calibration error on held-out games: {:.3}\n", calibration.error)
}
