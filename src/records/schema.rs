//! The two kinds of rows: a game, and a search made in a game.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::text::{
    ButtonState, Grid, Outcome, PhaseName, Picked, StepName, SwapState, Visits, Winner, WinnerSeat, optional_points,
    points,
};
use crate::games::{
    Ending, Game, GameKind, HalfPoints, Options, OptionsError, Played, Player, Rules, Seat, Special, Step,
};

/// A kind of CSV row.
pub trait Record: Serialize + DeserializeOwned + Clone + PartialEq + Send + 'static {
    /// The header: the names of the columns in order.
    const COLUMNS: &'static [&'static str];
    /// How the names of its files begin: `games` or `positions`.
    const STEM: &'static str;

    /// What can be said against the row by itself, without replaying the game.
    fn check(&self) -> Result<(), FieldFault>;

    /// Some valid row.
    fn sample() -> Self;
}

/// A value that its column does not allow.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("column `{column}`: {reason}")]
pub struct FieldFault {
    pub column: &'static str,
    pub reason: String,
}

impl FieldFault {
    fn new(column: &'static str, reason: impl Into<String>) -> Self {
        FieldFault { column, reason: reason.into() }
    }
}

fn ensure(holds: bool, column: &'static str, reason: impl Into<String>) -> Result<(), FieldFault> {
    if holds { Ok(()) } else { Err(FieldFault::new(column, reason)) }
}

/// An engine as it stands in the records.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct EngineTag {
    /// The name chosen by the user.
    pub name: String,
    /// The short hash of its network, if it has one.
    pub net: Option<String>,
    /// Simulations a search; 0 where that means nothing.
    pub visits: u32,
}

/// What a game's rows say besides what was played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameMeta {
    /// The game's number in the run, from 0.
    pub index: u64,
    /// The seed that its random streams are keyed by.
    pub seed: u64,
    /// What it is played under.
    pub rules: Rules,
    /// The engines by seat: the first seat's begins.
    pub engines: [EngineTag; 2],
    /// Leading turns that were drawn as an opening.
    pub opening_turns: usize,
}

/// A row of `games.csv`. `docs/data.md` says what the columns mean.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GameRow {
    /// The game's number in the run, from 0.
    pub game_index: u64,
    /// The seed that its random streams are keyed by.
    pub seed: u64,
    /// Which game it is.
    pub game: GameKind,
    /// The board's side.
    pub size: usize,
    /// Points added to White's score; 0 in Fugo.
    #[serde(with = "points")]
    pub komi: HalfPoints,
    /// Pawns that Black placed first (Yugo).
    pub handicap: usize,
    /// Whether the pie rule is on (Fugo).
    pub pie: bool,
    /// The engine that began.
    pub first_engine: String,
    /// Its network's short hash.
    pub first_net: Option<String>,
    /// Its simulations a search.
    pub first_visits: u32,
    /// The other engine.
    pub second_engine: String,
    /// Its network's short hash.
    pub second_net: Option<String>,
    /// Its simulations a search.
    pub second_visits: u32,
    /// Leading turns that were drawn as an opening.
    pub opening_turns: usize,
    /// All turns in notation, separated by spaces.
    pub turns: String,
    /// The number of turns.
    pub turn_count: usize,
    /// How the game ended.
    pub ending: Ending,
    /// Black's points at the end without komi; none in Fugo.
    #[serde(with = "optional_points")]
    pub black_score: Option<HalfPoints>,
    /// White's points at the end without komi; none in Fugo.
    #[serde(with = "optional_points")]
    pub white_score: Option<HalfPoints>,
    /// Black's points less White's without komi; none in Fugo.
    #[serde(with = "optional_points")]
    pub margin: Option<HalfPoints>,
    /// The colour that won at `komi`; none after the move cap.
    pub winner: Option<Winner>,
    /// The seat that won at `komi`; none after the move cap.
    pub winner_seat: Option<WinnerSeat>,
    /// The final board.
    pub board: Grid,
    /// Whom each point pays at the end; none in Fugo.
    pub owners: Option<Grid>,
}

/// The game is still going on, so there is no row to make of it.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("game {index} is not finished")]
pub struct Unfinished {
    pub index: u64,
}

impl GameRow {
    /// The row of a finished game.
    pub fn new<G: Game>(meta: &GameMeta, game: &Played<G>) -> Result<GameRow, Unfinished> {
        let ending = game.ending().ok_or(Unfinished { index: meta.index })?;
        let position = game.position();
        let turns: Vec<_> = game.turns().iter().map(|turn| turn.text(position)).collect();
        let score = position.score();
        let winner = game.winner(meta.rules.komi);
        let has_result = ending != Ending::MoveCap;
        let [first, second] = &meta.engines;
        let net = |engine: &EngineTag| engine.net.clone().filter(|net| !net.is_empty());
        Ok(GameRow {
            game_index: meta.index,
            seed: meta.seed,
            game: meta.rules.game,
            size: meta.rules.size,
            komi: meta.rules.komi,
            handicap: meta.rules.options.handicap,
            pie: meta.rules.options.pie,
            first_engine: first.name.clone(),
            first_net: net(first),
            first_visits: first.visits,
            second_engine: second.name.clone(),
            second_net: net(second),
            second_visits: second.visits,
            opening_turns: meta.opening_turns,
            turn_count: turns.len(),
            turns: turns.join(" "),
            ending,
            black_score: score.map(|score| score.black),
            white_score: score.map(|score| score.white),
            margin: score.map(|score| score.margin()),
            winner: has_result.then(|| winner.into()),
            winner_seat: has_result.then(|| winner.map(|player| position.seat_of(player)).into()),
            board: Grid::board(position),
            owners: G::KIND.has_score().then(|| Grid::owners(position)),
        })
    }

    /// The single turns in notation.
    pub fn turn_texts(&self) -> impl Iterator<Item = &str> {
        self.turns.split(' ').filter(|_| !self.turns.is_empty())
    }

    /// The size-independent rules the game was played under. The row does not say which move cap there was.
    pub fn rules(&self) -> Rules {
        let options = Options { handicap: self.handicap, pie: self.pie };
        Rules { game: self.game, size: self.size, options, komi: self.komi, move_cap: None }
    }

    /// What the row says about its game besides what was played.
    pub fn meta(&self) -> GameMeta {
        let tag =
            |name: &String, net: &Option<String>, visits| EngineTag { name: name.clone(), net: net.clone(), visits };
        GameMeta {
            index: self.game_index,
            seed: self.seed,
            rules: self.rules(),
            engines: [
                tag(&self.first_engine, &self.first_net, self.first_visits),
                tag(&self.second_engine, &self.second_net, self.second_visits),
            ],
            opening_turns: self.opening_turns,
        }
    }
}

/// The board characters of a game.
fn pieces(game: GameKind) -> &'static str {
    match game {
        GameKind::Yugo => ".XO#@",
        GameKind::Linage => ".X",
        GameKind::Fugo | GameKind::Sligo => ".XO",
    }
}

fn check_grid(grid: &Grid, size: usize, allowed: &str, column: &'static str) -> Result<(), FieldFault> {
    let found = grid.size();
    ensure(found == size, column, format!("a board of side {found} in a game on {size}x{size}"))?;
    grid.stranger(allowed).map_or(Ok(()), |c| Err(FieldFault::new(column, format!("`{c}` does not occur in the game"))))
}

impl Record for GameRow {
    const STEM: &'static str = "games";
    const COLUMNS: &'static [&'static str] = &[
        "game_index",
        "seed",
        "game",
        "size",
        "komi",
        "handicap",
        "pie",
        "first_engine",
        "first_net",
        "first_visits",
        "second_engine",
        "second_net",
        "second_visits",
        "opening_turns",
        "turns",
        "turn_count",
        "ending",
        "black_score",
        "white_score",
        "margin",
        "winner",
        "winner_seat",
        "board",
        "owners",
    ];

    fn check(&self) -> Result<(), FieldFault> {
        let options = self.rules().options;
        options.check(self.game, self.size).map_err(|error| {
            let column = match error {
                OptionsError::Handicap { .. } => "handicap",
                OptionsError::Pie { .. } => "pie",
                _ => "size",
            };
            FieldFault::new(column, error.to_string())
        })?;
        self.game.check_komi(self.komi).map_err(|error| FieldFault::new("komi", error.to_string()))?;
        let turns = self.turn_texts().count();
        ensure(self.turn_count == turns, "turn_count", format!("{} where there are {turns} turns", self.turn_count))?;
        let opening = self.opening_turns;
        ensure(opening <= turns, "opening_turns", format!("{opening} of a game of {turns} turns"))?;
        check_grid(&self.board, self.size, pieces(self.game), "board")?;
        let has_score = self.game.has_score();
        let presence = if has_score { "missing" } else { "fugo has no score" };
        for (column, is_there) in [
            ("black_score", self.black_score.is_some()),
            ("white_score", self.white_score.is_some()),
            ("margin", self.margin.is_some()),
            ("owners", self.owners.is_some()),
        ] {
            ensure(is_there == has_score, column, presence)?;
        }
        if let Some(owners) = &self.owners {
            check_grid(owners, self.size, ".XO", "owners")?;
        }
        let has_result = self.ending != Ending::MoveCap;
        let presence = if has_result { "missing" } else { "a game that was cut off has no winner" };
        ensure(self.winner.is_some() == has_result, "winner", presence)?;
        ensure(self.winner_seat.is_some() == has_result, "winner_seat", presence)
    }

    fn sample() -> Self {
        // Black took the button, then both passed.
        let owners = Grid::board(&crate::games::Sligo::<1>::new(1, Options::default()));
        GameRow {
            game_index: 0,
            seed: 0,
            game: GameKind::Yugo,
            size: 1,
            komi: HalfPoints(0),
            handicap: 0,
            pie: false,
            first_engine: "a".into(),
            first_net: None,
            first_visits: 0,
            second_engine: "b".into(),
            second_net: None,
            second_visits: 0,
            opening_turns: 0,
            turns: "button pass pass".into(),
            turn_count: 3,
            ending: Ending::Pass,
            black_score: Some(HalfPoints(1)),
            white_score: Some(HalfPoints(0)),
            margin: Some(HalfPoints(1)),
            winner: Some(Winner::Black),
            winner_seat: Some(WinnerSeat::First),
            board: owners.clone(),
            owners: Some(owners),
        }
    }
}

/// What a search found, to be recorded with the position it was made in.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchNote {
    /// The number of turns played before, from 0.
    pub turn: usize,
    /// The step that is now played.
    pub step: Step,
    /// Simulations by step, in any order.
    pub visits: Vec<(Step, u32)>,
    /// The root's expected score in [0, 1] for the player to move.
    pub root_value: f32,
    /// What a policy should have said, as [`policy_shares`] in any order; none if the search was too short to learn from.
    pub policy: Vec<(Step, u32)>,
}

/// Weights as shares in ten-thousandths; shares that round to nothing are left out.
pub fn policy_shares(weights: &[(Step, f32)]) -> Vec<(Step, u32)> {
    let all: f32 = weights.iter().map(|(_, weight)| weight).sum();
    let share = |weight: f32| (10_000.0 * weight / all).round() as u32;
    weights.iter().map(|(step, weight)| (*step, share(*weight))).filter(|(_, share)| *share > 0).collect()
}

/// A row of `positions.csv`. `docs/data.md` says what the columns mean.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PositionRow {
    /// The game's number in the run.
    pub game_index: u64,
    /// Which game it is.
    pub game: GameKind,
    /// The board's side.
    pub size: usize,
    /// The number of turns played before.
    pub turn: usize,
    /// How far the turn has come.
    pub phase: PhaseName,
    /// The stone in hand.
    pub picked: Picked,
    /// The colour to move.
    pub player: Player,
    /// The seat to move.
    pub seat: Seat,
    /// The board as searched.
    pub board: Grid,
    /// Passes made in a row just before.
    pub passes: u8,
    /// Yugo's button.
    pub button: ButtonState,
    /// Handicap pawns still to be placed (Yugo).
    pub handicap_left: usize,
    /// The state of the pie rule (Fugo).
    pub swap: SwapState,
    /// Points added to the mover's score: the komi for White, its negative for Black; none in Fugo.
    #[serde(with = "optional_points")]
    pub komi: Option<HalfPoints>,
    /// The step played.
    pub step: StepName,
    /// Simulations by step, in step order.
    pub visits: Visits,
    /// What a policy should have said, in ten-thousandths by step, in step order.
    pub policy: Visits,
    /// The weight of the policy as a training target.
    pub policy_weight: f32,
    /// The root's expected score in [0, 1] for the mover.
    pub root_value: f32,
    /// The game's result for the mover; none after the move cap.
    pub outcome: Option<Outcome>,
    /// The mover's final points less the opponent's, without komi; only where the game was played to its end.
    #[serde(with = "optional_points")]
    pub margin: Option<HalfPoints>,
}

impl PositionRow {
    /// The row of a search in `position`. [`PositionRow::finish`] adds outcome and margin later.
    pub fn searched<G: Game>(meta: &GameMeta, position: &G, note: &SearchNote) -> PositionRow {
        let player = position.to_move();
        let picked = Picked::of(position);
        let komi = meta.rules.komi;
        PositionRow {
            game_index: meta.index,
            game: meta.rules.game,
            size: meta.rules.size,
            turn: note.turn,
            phase: picked.phase(),
            picked,
            player,
            seat: position.seat_to_move(),
            board: Grid::board(position),
            passes: position.passes(),
            button: position.button().into(),
            handicap_left: position.handicap_left(),
            swap: SwapState::of(position),
            komi: G::KIND.has_score().then_some(if player == Player::White { komi } else { -komi }),
            step: StepName::of(position, note.step),
            visits: Visits::of(position, &note.visits),
            policy: Visits::of(position, &note.policy),
            policy_weight: !note.policy.is_empty() as u8 as f32,
            // A mean of values in [0, 1] may miss the interval by a rounding error.
            root_value: note.root_value.clamp(0.0, 1.0),
            outcome: None,
            margin: None,
        }
    }

    /// Fills in how the finished game turned out for the person who moved here.
    pub fn finish(&mut self, game: &GameRow) {
        // What a player forfeits says nothing about the position.
        let winner = game.winner_seat.filter(|_| !game.ending.is_forfeit());
        self.outcome = winner.map(|winner| Outcome::of(winner, self.seat));
        let margin = game.margin.filter(|_| game.ending == Ending::Pass);
        self.margin = margin.map(|margin| if self.player == Player::Black { margin } else { -margin });
    }
}

impl Record for PositionRow {
    const STEM: &'static str = "positions";
    const COLUMNS: &'static [&'static str] = &[
        "game_index",
        "game",
        "size",
        "turn",
        "phase",
        "picked",
        "player",
        "seat",
        "board",
        "passes",
        "button",
        "handicap_left",
        "swap",
        "komi",
        "step",
        "visits",
        "policy",
        "policy_weight",
        "root_value",
        "outcome",
        "margin",
    ];

    fn check(&self) -> Result<(), FieldFault> {
        let (game, size) = (self.game, self.size);
        Options::default().check(game, size).map_err(|error| FieldFault::new("size", error.to_string()))?;
        ensure(self.picked.phase() == self.phase, "picked", "it does not go with the phase")?;
        let outside = |column| FieldFault::new(column, format!("a point outside the {size}x{size} board"));
        ensure(self.picked.is_on(size), "picked", outside("picked").reason)?;
        check_grid(&self.board, size, pieces(game), "board")?;
        ensure(self.passes < 2, "passes", "no search is made after two passes")?;
        let is_yugo = game == GameKind::Yugo;
        let reason = if is_yugo { "yugo has a button" } else { "only yugo has a button" };
        ensure((self.button == ButtonState::Absent) != is_yugo, "button", reason)?;
        ensure(self.handicap_left == 0 || is_yugo, "handicap_left", "only yugo has a handicap")?;
        ensure(self.handicap_left <= size * size, "handicap_left", "more pawns than points")?;
        let is_fugo = game == GameKind::Fugo;
        ensure(self.swap == SwapState::None || is_fugo, "swap", "only fugo has a swap")?;
        let reason = if is_fugo { "fugo has no komi" } else { "missing" };
        ensure(self.komi.is_some() != is_fugo, "komi", reason)?;
        if let Some(komi) = self.komi {
            game.check_komi(komi).map_err(|error| FieldFault::new("komi", error.to_string()))?;
        }
        ensure(self.step.is_on(size), "step", outside("step").reason)?;
        ensure(self.visits.as_slice().iter().all(|(step, _)| step.is_on(size)), "visits", outside("visits").reason)?;
        ensure(self.policy.as_slice().iter().all(|(step, _)| step.is_on(size)), "policy", outside("policy").reason)?;
        let weight = self.policy_weight;
        ensure(weight.is_finite() && weight >= 0.0, "policy_weight", "not a finite number of at least 0")?;
        let shares: u64 = self.policy.as_slice().iter().map(|(_, share)| u64::from(*share)).sum();
        let presence = if shares > 0 { "a policy without a weight" } else { "missing, though it has a weight" };
        ensure((weight > 0.0) == (shares > 0), "policy", presence)?;
        ensure(
            shares == 0 || shares.abs_diff(10_000) <= 400,
            "policy",
            format!("the shares add up to {shares}, not 10000"),
        )?;
        ensure((0.0..=1.0).contains(&self.root_value), "root_value", "not between 0 and 1")?;
        ensure(self.margin.is_none() || (!is_fugo && self.outcome.is_some()), "margin", "the game has no margin")?;
        if let (Some(margin), Some(komi), Some(outcome)) = (self.margin, self.komi, self.outcome) {
            let parity = margin.0.rem_euclid(2) == game.margin_parity();
            ensure(parity, "margin", format!("{margin} is not a margin of {game}"))?;
            let expected = match (margin + komi).0.signum() {
                1 => Outcome::Win,
                0 => Outcome::Draw,
                _ => Outcome::Loss,
            };
            ensure(outcome == expected, "outcome", format!("{outcome} with a margin of {margin} and {komi} more"))?;
        }
        Ok(())
    }

    fn sample() -> Self {
        PositionRow {
            game_index: 0,
            game: GameKind::Yugo,
            size: 1,
            turn: 0,
            phase: PhaseName::Start,
            picked: Picked::None,
            player: Player::Black,
            seat: Seat::First,
            board: GameRow::sample().board,
            passes: 0,
            button: ButtonState::Free,
            handicap_left: 0,
            swap: SwapState::None,
            komi: Some(HalfPoints(0)),
            step: StepName::Special(Special::Button),
            visits: Visits::default(),
            policy: Visits::default(),
            policy_weight: 0.0,
            root_value: 0.5,
            outcome: Some(Outcome::Win),
            margin: Some(HalfPoints(1)),
        }
    }
}

/// A finished game with its searches in the order in which they were made.
#[derive(Clone, PartialEq, Debug)]
pub struct GameRecord {
    pub game: GameRow,
    pub positions: Vec<PositionRow>,
}

impl GameRecord {
    /// Makes the game's row and finishes those of its searches.
    pub fn new<G: Game>(
        meta: &GameMeta,
        played: &Played<G>,
        mut positions: Vec<PositionRow>,
    ) -> Result<GameRecord, Unfinished> {
        let game = GameRow::new(meta, played)?;
        for position in &mut positions {
            position.finish(&game);
        }
        Ok(GameRecord { game, positions })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The header that serde writes.
    fn serde_header<T: Record>() -> Vec<String> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.serialize(T::sample()).unwrap();
        let bytes = writer.into_inner().unwrap();
        String::from_utf8(bytes).unwrap().lines().next().unwrap().split(',').map(String::from).collect()
    }

    /// The names in the table under a heading of the documentation page.
    fn documented(heading: &str) -> Vec<String> {
        let page = include_str!("../../docs/data.md");
        let section = page.split("\n## ").find(|section| section.starts_with(heading)).expect("the section exists");
        let rows = section.lines().filter(|line| line.starts_with("| `"));
        rows.map(|line| line.split('`').nth(1).unwrap().to_string()).collect()
    }

    #[test]
    fn page_code_and_serde_name_the_same_columns() {
        assert_eq!(serde_header::<GameRow>(), GameRow::COLUMNS);
        assert_eq!(serde_header::<PositionRow>(), PositionRow::COLUMNS);
        assert_eq!(documented("games.csv"), GameRow::COLUMNS);
        assert_eq!(documented("positions.csv"), PositionRow::COLUMNS);
    }

    #[test]
    fn samples_are_valid() {
        assert_eq!(GameRow::sample().check(), Ok(()));
        assert_eq!(PositionRow::sample().check(), Ok(()));
    }

    #[test]
    fn after_a_swap_the_outcome_goes_by_seat() {
        use crate::games::{Fugo, Status};
        let rules = Rules {
            game: GameKind::Fugo,
            size: 2,
            options: Options { handicap: 0, pie: true },
            komi: HalfPoints(0),
            move_cap: None,
        };
        let meta = GameMeta { index: 0, seed: 1, rules, engines: Default::default(), opening_turns: 0 };
        let mut played = Played::new(Fugo::<1>::new(2, rules.options), None);
        let mut rows = Vec::new();
        while played.ending().is_none() {
            let Status::Running(steps) = played.position().status() else { unreachable!("the game goes on") };
            let step = if steps.contains(Step::SWAP) { Step::SWAP } else { steps.nth(0) };
            let turn = played.turns().len();
            let note =
                SearchNote { turn, step, visits: vec![(step, 3)], root_value: 0.5, policy: vec![(step, 10_000)] };
            rows.push(PositionRow::searched(&meta, played.position(), &note));
            played.play(step);
        }
        let record = GameRecord::new(&meta, &played, rows).unwrap();
        let states: Vec<_> = record.positions.iter().take(3).map(|row| (row.player, row.seat, row.swap)).collect();
        assert_eq!(
            states,
            [
                (Player::Black, Seat::First, SwapState::None),
                (Player::White, Seat::Second, SwapState::Open),
                (Player::White, Seat::First, SwapState::Done),
            ]
        );
        let winner = record.game.winner_seat.unwrap();
        let colours = [(Winner::Black, WinnerSeat::Second), (Winner::White, WinnerSeat::First)];
        if record.game.winner != Some(Winner::Draw) {
            assert!(colours.contains(&(record.game.winner.unwrap(), winner)));
        }
        for row in &record.positions {
            assert_eq!(row.outcome, Some(Outcome::of(winner, row.seat)));
            assert_eq!((row.komi, row.margin), (None, None));
        }
    }
}
