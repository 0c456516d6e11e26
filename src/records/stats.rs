//! What a run's data hold, counted by game and size.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use comfy_table::{Table, presets};
use sha2::{Digest, Sha256};

use super::{GameRow, PositionRow, ReadError, Rows, StepName, Winner, WinnerSeat};
use crate::board::Symmetry;
use crate::games::{Ending, GameKind};

/// The share of capped games above which the program warns.
const MANY_CAPPED: f64 = 0.02;
/// The share of repetitions above which the program warns.
const MANY_REPEATED: f64 = 0.20;

/// Number, mean and standard deviation of some values.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Moments {
    pub count: u64,
    /// 0 if there is no value.
    pub mean: f64,
    squares: f64,
}

impl Moments {
    /// Takes one more value into account.
    pub fn add(&mut self, value: f64) {
        self.count += 1;
        let off = value - self.mean;
        self.mean += off / self.count as f64;
        self.squares += off * (value - self.mean);
    }

    /// The standard deviation of the values as a sample; 0 for fewer than two.
    pub fn sd(&self) -> f64 {
        if self.count < 2 { 0.0 } else { (self.squares / (self.count - 1) as f64).sqrt() }
    }

    fn text(&self) -> String {
        if self.count == 0 { "-".to_string() } else { format!("{:.2} ± {:.2}", self.mean, self.sd()) }
    }
}

/// The games of one kind on one board size.
#[derive(Clone, PartialEq, Debug)]
pub struct GroupStats {
    pub game: GameKind,
    /// The board's side.
    pub size: usize,
    pub games: u64,
    /// Recorded searches.
    pub positions: u64,
    /// Different games. Two games with the same options whose turns are images of each other under one of the
    /// game's symmetries are the same, whatever the komi.
    pub unique: u64,
    /// Games that ended by two passes.
    pub passed: u64,
    /// Games in which a player had no move.
    pub no_move: u64,
    /// Draws by repetition.
    pub repeated: u64,
    /// Games cut off at the move cap.
    pub capped: u64,
    /// Games that a player gave up or failed in (matches with programs).
    pub forfeited: u64,
    /// Games won by each colour at their komi.
    pub black_wins: u64,
    pub white_wins: u64,
    /// Games won by each seat at their komi.
    pub first_wins: u64,
    pub second_wins: u64,
    /// Drawn games, repetitions included.
    pub draws: u64,
    /// Turns a game.
    pub length: Moments,
    /// Black's margins in points, without komi, of games that ended by two passes.
    pub margin: Moments,
}

impl GroupStats {
    fn new(game: GameKind, size: usize) -> Self {
        let (length, margin) = (Moments::default(), Moments::default());
        GroupStats {
            game,
            size,
            games: 0,
            positions: 0,
            unique: 0,
            passed: 0,
            no_move: 0,
            repeated: 0,
            capped: 0,
            forfeited: 0,
            black_wins: 0,
            white_wins: 0,
            first_wins: 0,
            second_wins: 0,
            draws: 0,
            length,
            margin,
        }
    }

    /// Games that are the image of an earlier one.
    pub fn duplicates(&self) -> u64 {
        self.games - self.unique
    }

    fn add(&mut self, row: &GameRow) {
        self.games += 1;
        *match row.ending {
            Ending::Pass => &mut self.passed,
            Ending::NoMove => &mut self.no_move,
            Ending::Repetition => &mut self.repeated,
            Ending::MoveCap => &mut self.capped,
            Ending::Resign | Ending::Timeout | Ending::Crash | Ending::Illegal | Ending::Protocol => {
                &mut self.forfeited
            }
        } += 1;
        match row.winner {
            Some(Winner::Black) => self.black_wins += 1,
            Some(Winner::White) => self.white_wins += 1,
            Some(Winner::Draw) => self.draws += 1,
            None => {}
        }
        match row.winner_seat {
            Some(WinnerSeat::First) => self.first_wins += 1,
            Some(WinnerSeat::Second) => self.second_wins += 1,
            Some(WinnerSeat::Draw) | None => {}
        }
        self.length.add(row.turn_count as f64);
        if let (Ending::Pass, Some(margin)) = (row.ending, row.margin) {
            self.margin.add(margin.points());
        }
    }

    /// What the user should know before trusting figures from these games.
    fn warnings(&self) -> Vec<String> {
        let name = format!("{} {size}x{size}", self.game, size = self.size);
        let share = |count: u64| count as f64 / self.games as f64;
        let mut warnings = Vec::new();
        if share(self.capped) > MANY_CAPPED {
            warnings.push(format!(
                "{name}: {} of {} games hit the move cap (over {:.0} %): they have no result, so the others are a \
                 selection; raise the cap",
                self.capped,
                self.games,
                100.0 * MANY_CAPPED
            ));
        }
        if share(self.repeated) > MANY_REPEATED {
            warnings.push(format!(
                "{name}: {} of {} games ended by repetition (over {:.0} %): look at the decisive games too",
                self.repeated,
                self.games,
                100.0 * MANY_REPEATED
            ));
        }
        warnings
    }
}

/// What the data of a run hold.
#[derive(Clone, PartialEq, Debug)]
pub struct DataStats {
    /// In the order of the games, then of the sizes.
    pub groups: Vec<GroupStats>,
    pub warnings: Vec<String>,
}

/// Counts what lies in a run's directory.
pub fn data_stats(run: &Path) -> Result<DataStats, ReadError> {
    let manifest = super::Manifest::load(run)?;
    let mut groups: BTreeMap<(GameKind, usize), GroupStats> = BTreeMap::new();
    let mut seen = HashSet::new();
    for game in Rows::<GameRow>::of_run(run, &manifest) {
        let game = game?;
        let row = &game.row;
        let group = groups.entry((row.game, row.size)).or_insert_with(|| GroupStats::new(row.game, row.size));
        group.add(row);
        let hash = canonical_hash(row.game, row.size, &row.turns).map_err(|reason| game.error("turns", reason))?;
        group.unique += seen.insert((row.game, row.size, row.handicap, row.pie, hash)) as u64;
    }
    for position in Rows::<PositionRow>::of_run(run, &manifest) {
        let position = position?;
        let key = (position.row.game, position.row.size);
        let group = groups.get_mut(&key).ok_or_else(|| {
            position.error("game_index", format!("there is no {} game of size {} in the run", key.0, key.1))
        })?;
        group.positions += 1;
    }
    let groups: Vec<_> = groups.into_values().collect();
    let warnings = groups.iter().flat_map(GroupStats::warnings).collect();
    Ok(DataStats { groups, warnings })
}

impl DataStats {
    /// The counts as text for a terminal, with the warnings below.
    pub fn table(&self) -> String {
        let mut counts = Table::new();
        counts.load_preset(presets::ASCII_MARKDOWN).set_header([
            "game",
            "size",
            "games",
            "unique",
            "duplicate",
            "positions",
            "pass",
            "no_move",
            "repetition",
            "move_cap",
            "forfeit",
        ]);
        let mut results = Table::new();
        results.load_preset(presets::ASCII_MARKDOWN).set_header([
            "game",
            "size",
            "black W/D/L",
            "first seat W/D/L",
            "turns (mean ± sd)",
            "margin (mean ± sd)",
        ]);
        for group in &self.groups {
            let (name, size) = (group.game.to_string(), group.size.to_string());
            let numbers = [
                group.games,
                group.unique,
                group.duplicates(),
                group.positions,
                group.passed,
                group.no_move,
                group.repeated,
                group.capped,
                group.forfeited,
            ];
            counts.add_row([name.clone(), size.clone()].into_iter().chain(numbers.map(|number| number.to_string())));
            results.add_row([
                name,
                size,
                format!("{}/{}/{}", group.black_wins, group.draws, group.white_wins),
                format!("{}/{}/{}", group.first_wins, group.draws, group.second_wins),
                group.length.text(),
                group.margin.text(),
            ]);
        }
        let warnings: String = self.warnings.iter().map(|warning| format!("\nwarning: {warning}")).collect();
        format!("{counts}\n\n{results}\n{warnings}").trim_end().to_string() + "\n"
    }
}

/// The form that a game shares with its images under the game's symmetries (see [`GameKind::symmetries`]): the
/// least of them in the order of the steps. `turns` and the result are turns in notation, separated by spaces.
///
/// The board's side must be 1 to 19. An error says which text is no turn.
pub fn canonical_game(game: GameKind, size: usize, turns: &str) -> Result<String, String> {
    let least = least_image(game, size, turns)?;
    Ok(least.iter().map(|turn| turn_text(turn)).collect::<Vec<_>>().join(" "))
}

/// A hash of [`canonical_game`]: equal for games that are images of each other.
pub fn canonical_hash(game: GameKind, size: usize, turns: &str) -> Result<u128, String> {
    let digest = Sha256::digest(canonical_game(game, size, turns)?);
    Ok(digest.iter().take(16).fold(0, |hash, byte| hash << 8 | u128::from(*byte)))
}

fn least_image(game: GameKind, size: usize, turns: &str) -> Result<Vec<Vec<StepName>>, String> {
    let parsed: Result<Vec<_>, String> =
        turns.split(' ').filter(|_| !turns.is_empty()).map(|turn| parse(size, turn)).collect();
    let parsed = parsed?;
    let image = |symmetry: Symmetry| -> Option<Vec<Vec<StepName>>> {
        parsed.iter().map(|turn| turn.iter().map(|step| mapped(symmetry, size, *step)).collect()).collect()
    };
    Ok(game.symmetries().filter_map(image).min().unwrap_or_default())
}

fn parse(size: usize, turn: &str) -> Result<Vec<StepName>, String> {
    let step = |text: &str| text.parse().ok().filter(|step: &StepName| step.is_on(size));
    let steps: Option<Vec<_>> = turn.split(['-', ',']).map(step).collect();
    steps.filter(|steps| steps.len() <= 3 && turn_text(steps) == turn).ok_or_else(|| format!("`{turn}` is not a turn"))
}

/// A turn's steps in notation.
fn turn_text(steps: &[StepName]) -> String {
    steps.iter().zip(["", "-", ","]).map(|(step, mark)| format!("{mark}{step}")).collect()
}

fn mapped(symmetry: Symmetry, size: usize, step: StepName) -> Option<StepName> {
    let StepName::Point(spot) = step else { return Some(step) };
    let (row, column) = symmetry.map(size, spot.row(), spot.column());
    super::Spot::new(row, column).map(StepName::Point)
}

#[cfg(test)]
mod tests {
    use super::super::testing::random_record;
    use super::super::{GameRecord, Layout, RunDir};
    use super::*;

    #[test]
    fn images_have_one_form() {
        for game in GameKind::ALL {
            let turns = "B1 C2-D4,A3 pass E5-A1 swap";
            let form = canonical_game(game, 5, turns).unwrap();
            let mut images = HashSet::new();
            for symmetry in Symmetry::all() {
                let image: Vec<_> = turns
                    .split(' ')
                    .map(|turn| {
                        let steps = parse(5, turn).unwrap();
                        turn_text(&steps.into_iter().map(|s| mapped(symmetry, 5, s).unwrap()).collect::<Vec<_>>())
                    })
                    .collect();
                let image = image.join(" ");
                let same = canonical_game(game, 5, &image).unwrap() == form;
                assert_eq!(same, !game.exchanges_players(symmetry), "{game} {image}");
                let hash = |turns: &str| canonical_hash(game, 5, turns).unwrap();
                assert_eq!(hash(&image) == hash(turns), same);
                images.insert(image);
            }
            assert_eq!(images.len(), 8);
            assert!(images.contains(&form));
        }
        assert_eq!(canonical_game(GameKind::Fugo, 1, "").unwrap(), "");
        for bad in ["F1", "A1,B2", "A1-B2,C3-D4", "A1-", "a1", "A1  B1", "x"] {
            assert!(canonical_game(GameKind::Sligo, 5, bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn moments_agree_with_the_definition() {
        let mut moments = Moments::default();
        [2.0, 4.0, 4.0, 6.0].into_iter().for_each(|value| moments.add(value));
        assert_eq!(moments.mean, 4.0);
        assert!((moments.sd() - (8.0f64 / 3.0).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn a_run_is_counted() {
        let dir = tempfile::tempdir().unwrap();
        let mut run = RunDir::open_or_create(dir.path(), "").unwrap();
        let mut records: Vec<GameRecord> = Vec::new();
        for game in GameKind::ALL {
            for index in 0..5 {
                records.push(random_record(game, 3, index));
            }
            // The same game once more.
            let again = records[records.len() - 1].clone();
            records.push(again);
        }
        for (index, record) in records.iter_mut().enumerate() {
            record.game.game_index = index as u64;
            record.positions.iter_mut().for_each(|position| position.game_index = index as u64);
        }
        run.write_shard(0, Layout::default(), &records).unwrap();
        let stats = data_stats(dir.path()).unwrap();
        assert_eq!(stats.groups.len(), 4);
        for (game, group) in GameKind::ALL.into_iter().zip(&stats.groups) {
            let mine: Vec<_> = records.iter().filter(|record| record.game.game == game).collect();
            assert_eq!((group.game, group.size, group.games), (game, 3, 6));
            assert!(group.duplicates() >= 1);
            assert_eq!(group.positions, mine.iter().map(|record| record.positions.len() as u64).sum::<u64>());
            assert_eq!(group.passed + group.no_move + group.repeated + group.capped, 6);
            assert_eq!(group.black_wins + group.white_wins + group.draws + group.capped, 6);
            assert_eq!(group.first_wins + group.second_wins + group.draws + group.capped, 6);
            assert_eq!(group.length.count, 6);
            assert_eq!(group.margin.count, if game.has_score() { group.passed } else { 0 });
            let capped = stats.warnings.iter().any(|w| w.starts_with(game.name()) && w.contains("move cap"));
            assert_eq!(capped, group.capped > 0);
        }
        let table = stats.table();
        assert!(table.contains("| linage | 3 "), "{table}");
        assert_eq!(table.matches("warning: ").count(), stats.warnings.len());
    }
}
