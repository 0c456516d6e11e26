//! `fairkomi position`: answers questions about positions, one JSON line for each on standard input.

use std::io::{self, BufRead, BufReader, BufWriter, Write};

use anyhow::{Context, Result, anyhow, bail, ensure};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Failure, Outcome, printed};
use crate::games::{Game, GameKind, HalfPoints, Options, Player, StartPosition, parse_turn, turns};
use crate::with_game;

/// Answer questions about positions: board, legal moves, scores, winner
#[derive(clap::Args)]
#[command(
    long_about = "Reads questions from standard input, a JSON object a line, and answers each with one line. \
        Only the rules' own ends are known: no repetition, no move cap.\n\n\
        A question has `game` and `size`, and may have `moves` (turns in notation), `pie` (true: Fugo's pie rule), \
        `handicap` (Yugo's pawns), or instead of these two a start `board` (rows from the top) with `to_move` \
        (black, which is the default, or white) and `button` (who holds it: null, black or white).\n\n\
        Boards: `.` empty, `X` and `O` black and white, `#` and `@` their kings; in Linage `X` is a stone, `black` \
        is Vertical and `white` Horizontal. `legal_moves` are sorted bytewise and empty when the game is over. \
        Scores are without komi (null in Fugo); `winner` is a colour, null while the game runs and for a tie \
        at komi 0.\n\n\
        A question that is wrong is answered with the reason, and the next one is read.",
    after_help = r##"Example:
  echo '{"game":"sligo","size":2,"moves":["A1"]}' | fairkomi position
answers
  {"ok":true,"board":["..","X."],"to_move":"white","over":false,"legal_moves":["A2","B1","B2","pass"],
   "black_score":4.0,"white_score":0.0,"winner":null}
on one line, and
  {"game":"sligo","size":2,"moves":["A1","A1"]}
is answered by
  {"ok":false,"error":"move 2 (A1): the point is not empty"}"##
)]
pub struct Args {}

/// The longest question, in bytes; a longer one is skipped and refused.
const LONGEST_LINE: usize = 4 << 20;

pub(super) fn run(_args: &Args) -> Outcome {
    let mut input = BufReader::with_capacity(1 << 16, io::stdin().lock());
    let mut output = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let mut line = Vec::new();
    loop {
        let read = read_line(&mut input, &mut line).context("cannot read standard input").map_err(Failure::run)?;
        let answer = match read {
            Line::End => return printed(output.flush()),
            Line::Short => answer(&line),
            Line::TooLong => Err(anyhow!("the line is longer than {LONGEST_LINE} bytes")),
        };
        let written = write_answer(&mut output, answer).and_then(|()| {
            // A reader that waits for this answer sends nothing before it has it.
            if input.buffer().contains(&b'\n') { Ok(()) } else { output.flush() }
        });
        if written.is_err() {
            return printed(written);
        }
    }
}

/// What [`read_line`] found.
enum Line {
    /// A line, or the rest of the input.
    Short,
    /// A line of more than [`LONGEST_LINE`] bytes.
    TooLong,
    /// Nothing: the input has ended.
    End,
}

/// Reads up to the next line feed into `line`, which takes no more than [`LONGEST_LINE`] bytes.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Line> {
    line.clear();
    let mut read = Line::End;
    loop {
        let chunk = match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            chunk => chunk?,
        };
        if chunk.is_empty() {
            return Ok(read);
        }
        let end = chunk.iter().position(|byte| *byte == b'\n');
        let taken = end.unwrap_or(chunk.len());
        if line.len() + taken > LONGEST_LINE {
            read = Line::TooLong;
        } else if !matches!(read, Line::TooLong) {
            line.extend_from_slice(&chunk[..taken]);
            read = Line::Short;
        }
        input.consume(end.map_or(taken, |end| end + 1));
        if end.is_some() {
            return Ok(read);
        }
    }
}

fn write_answer(output: &mut impl Write, answer: Result<Answer>) -> io::Result<()> {
    match answer {
        Ok(answer) => serde_json::to_writer(&mut *output, &answer)?,
        Err(error) => serde_json::to_writer(&mut *output, &Refusal { ok: false, error: format!("{error:#}") })?,
    }
    output.write_all(b"\n")
}

/// A question as it comes; the values are looked at one by one, so that an error can name the key.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    game: Option<Value>,
    size: Option<Value>,
    moves: Option<Value>,
    pie: Option<Value>,
    handicap: Option<Value>,
    board: Option<Value>,
    to_move: Option<Value>,
    button: Option<Value>,
}

#[derive(Serialize)]
struct Answer {
    ok: bool,
    board: Vec<String>,
    to_move: Player,
    over: bool,
    legal_moves: Vec<String>,
    black_score: Option<f64>,
    white_score: Option<f64>,
    winner: Option<Player>,
}

#[derive(Serialize)]
struct Refusal {
    ok: bool,
    error: String,
}

/// Where a game starts.
enum Start {
    Empty(Options),
    Board(StartPosition),
}

fn answer(line: &[u8]) -> Result<Answer> {
    let line = std::str::from_utf8(line).map_err(|e| anyhow!("byte {} is not UTF-8", e.valid_up_to() + 1))?;
    ensure!(!line.trim().is_empty(), "the line is empty");
    // The derived reader would take an array too.
    ensure!(
        line.trim_start().starts_with('{'),
        "a question is a JSON object, such as {{\"game\":\"yugo\",\"size\":9}}"
    );
    let question: Question = serde_json::from_str(line).map_err(json_fault)?;

    let game = question.game.context("`game` is missing")?;
    let game: GameKind = cut(game.as_str().with_context(|| wrong("game", "the name of a game", &game))?).parse()?;
    let size = number("size", &question.size.context("`size` is missing")?)?;
    let moves = texts("moves", question.moves)?;
    let handicap = question.handicap.map_or(Ok(0), |value| number("handicap", &value))?;
    let pie = match question.pie {
        None => false,
        Some(Value::Bool(pie)) => pie,
        Some(value) => bail!(wrong("pie", "true or false", &value)),
    };
    let to_move = question.to_move.map(|value| player("to_move", &value)).transpose()?;
    let button = question.button.map(|value| player("button", &value)).transpose()?;

    let options = Options { handicap, pie };
    options.check(game, size)?;
    let start = match question.board {
        Some(board) => {
            ensure!(options == Options::default(), "a start board goes with neither `pie` nor `handicap`");
            let rows = texts("board", Some(board))?;
            Start::Board(StartPosition { size, rows, to_move: to_move.unwrap_or(Player::Black), button })
        }
        None => {
            ensure!(
                to_move != Some(Player::White) && button.is_none(),
                "`to_move` and `button` go with a start `board`"
            );
            Start::Empty(options)
        }
    };
    with_game!(game, size, G => describe::<G>(size, &start, &moves))
}

/// Plays the moves and tells what the position is like.
fn describe<G: Game>(size: usize, start: &Start, moves: &[String]) -> Result<Answer> {
    let mut game = match start {
        Start::Empty(options) => G::new(size, *options),
        Start::Board(board) => G::from_position(board)?,
    };
    for (index, text) in moves.iter().enumerate() {
        let turn = parse_turn(&game, text).with_context(|| format!("move {} ({})", index + 1, cut(text)))?;
        turn.steps().iter().for_each(|step| game.play(*step));
    }
    let over = game.end().is_some();
    let mut legal_moves: Vec<String> = turns(&game).iter().map(|(turn, _)| turn.text(&game)).collect();
    legal_moves.sort_unstable();
    let score = game.score();
    Ok(Answer {
        ok: true,
        board: game.rows(),
        to_move: game.to_move(),
        over,
        legal_moves,
        black_score: score.map(|score| score.black.points()),
        white_score: score.map(|score| score.white.points()),
        winner: if over { game.winner(HalfPoints(0)) } else { None },
    })
}

/// What is wrong with the JSON, and where in the line.
fn json_fault(error: serde_json::Error) -> anyhow::Error {
    let text = error.to_string();
    let fault = text.rsplit_once(" at line ").map_or(text.as_str(), |(fault, _)| fault);
    anyhow!("column {}: {}", error.column(), cut_to(fault, 200))
}

fn number(key: &str, value: &Value) -> Result<usize> {
    let number = value.as_u64().and_then(|number| usize::try_from(number).ok());
    number.with_context(|| wrong(key, "a whole number, 0 or more", value))
}

fn player(key: &str, value: &Value) -> Result<Player> {
    match value.as_str() {
        Some("black") => Ok(Player::Black),
        Some("white") => Ok(Player::White),
        _ => bail!(wrong(key, "\"black\" or \"white\"", value)),
    }
}

fn texts(key: &str, value: Option<Value>) -> Result<Vec<String>> {
    let items = match value {
        None => return Ok(Vec::new()),
        Some(Value::Array(items)) => items,
        Some(value) => bail!(wrong(key, "a list of texts", &value)),
    };
    let text = |item| match item {
        Value::String(text) => Ok(text),
        item => bail!(wrong(key, "a list of texts", &item)),
    };
    items.into_iter().map(text).collect()
}

fn wrong(key: &str, wanted: &str, found: &Value) -> String {
    format!("`{key}` must be {wanted}, not {}", shown(found))
}

/// A value as text, cut if it is long.
fn shown(value: &Value) -> String {
    match value {
        Value::Array(_) => "a list".to_string(),
        Value::Object(_) => "an object".to_string(),
        value => cut(&value.to_string()),
    }
}

/// The beginning of a text that may be long.
fn cut(text: &str) -> String {
    cut_to(text, 40)
}

fn cut_to(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}
