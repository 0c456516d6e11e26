//! What the engine thinks of a position: GoGui's analyze commands, and the streams of `lz-analyze` and `kata-analyze` (after
//! Leela Zero and KataGo, whose documentation of their GTP extensions fixes the form).

use std::time::{Duration, Instant};

use rand_chacha::ChaCha8Rng;

use super::commands::Arguments;
use super::protocol::{Reply, Request, beginning};
use super::serve::{GtpError, Io, Outcome};
use super::session::Session;
use crate::games::{Game, HalfPoints, Played, Player, Step};
use crate::komi::measurable_near;
use crate::net::Snapshot;
use crate::search::{FirstValue, MoverValue, PlayoutPolicy, Purpose, RootStep, stream};
use crate::selfplay::Limit;

/// How many playouts owners and margins are taken from.
const PLAYOUTS: usize = 400;

/// The normal distribution's quantile for a bound that is too high once in forty times.
const BOUND: f64 = 1.96;

/// What playouts from a position say.
pub(super) struct Outlook {
    /// Whose each point is in the end, from −1 (always White's) to 1 (always Black's), row by row from the bottom.
    pub owners: Vec<f64>,
    /// The first player's mean margin without komi, and its standard deviation; `None` in Fugo.
    pub margin: Option<(f64, f64)>,
}

/// What an analysis was asked for.
struct Wish {
    interval: Duration,
    most_moves: usize,
    least_moves: usize,
    ownership: bool,
    /// Whether the form is KataGo's, with fractions, or Leela Zero's.
    is_kata: bool,
}

/// Whose each point would be if the game ended here: 1 Black's, −1 White's.
fn owners_of<G: Game>(game: &G) -> impl Iterator<Item = f64> {
    (0..game.size() * game.size()).map(|dense| match game.owner(game.from_dense(dense)) {
        Some(Player::Black) => 1.0,
        Some(Player::White) => -1.0,
        None => 0.0,
    })
}

impl<G: PlayoutPolicy> Session<G> {
    /// What playouts from `position` say; the same for the same position.
    pub fn outlook(&self, position: &G) -> Outlook {
        let mut rng: ChaCha8Rng = stream(self.shared.setting.seed, Purpose::Playout, u64::MAX);
        let points = position.size() * position.size();
        let mut owners = vec![0.0; points];
        let (mut sum, mut squares, mut counted) = (0.0, 0.0, 0);
        for _ in 0..PLAYOUTS {
            let mut game = position.clone();
            game.play_out(G::playout_cap(game.size()), &mut rng, |_| {});
            owners.iter_mut().zip(owners_of(&game)).for_each(|(sum, owner)| *sum += owner);
            if let Some(score) = game.score() {
                let margin = score.margin().points();
                (sum, squares, counted) = (sum + margin, squares + margin * margin, counted + 1);
            }
        }
        owners.iter_mut().for_each(|owner| *owner /= PLAYOUTS as f64);
        let count = f64::from(counted);
        let margin = (counted > 0).then(|| {
            let mean = sum / count;
            (mean, (squares / count - mean * mean).max(0.0).sqrt())
        });
        Outlook { owners, margin }
    }

    /// Whose each point is on the board that is scored.
    fn owners_at_the_end(&self) -> Vec<f64> {
        owners_of(&self.scored_position()).collect()
    }

    /// The first player's margin at the position, komi aside: the network's mean and standard deviation, else that of
    /// playouts; with what it rests on. `None` in Fugo.
    fn expected_margin(&mut self, position: &G) -> Option<(f64, f64, &'static str)> {
        let komi = self.shared.komi;
        let predicted = self.predictor.as_mut().and_then(|network| {
            let snapshot = Snapshot::of(position, if position.to_move() == Player::White { komi } else { -komi });
            network.predict(&[snapshot]).ok()?.first()?.margin
        });
        match predicted {
            Some(mixture) => {
                let sign = if position.to_move() == Player::Black { 1.0 } else { -1.0 };
                let mean = mixture.mean();
                let variance: f64 = mixture
                    .margins()
                    .map(|margin| mixture.probability(margin) * (margin.points() - mean).powi(2))
                    .sum();
                Some((sign * mean, variance.max(0.0).sqrt(), "network"))
            }
            None => self.outlook(position).margin.map(|(mean, deviation)| (mean, deviation, "playouts")),
        }
    }

    /// Searches the position as for a move, without playing it.
    fn search_now(&mut self) -> Result<(), String> {
        self.must_be_searched()?;
        let limit = self.limit();
        self.thinker.think(&self.now.played, limit, |_| false).map_err(|error| error.to_string())
    }

    fn must_be_searched(&self) -> Result<(), String> {
        match (self.is_running(), self.is_searched()) {
            (false, _) => Err("the game is over".to_string()),
            (true, false) => {
                Err("nothing to search: a placement without this movement makes the same boards".to_string())
            }
            _ => Ok(()),
        }
    }

    /// What is searched is what the values rest on.
    fn basis(&self) -> String {
        format!("{} visits", self.thinker.visits())
    }

    pub fn analyze_commands(&self) -> String {
        let mut lines = vec![
            "string/Win rate/fairkomi-win_rate",
            "pspairs/Visits/fairkomi-visits",
            "gfx/Best line/fairkomi-best_line",
            "hstring/Legal turns/fairkomi-legal_turns",
            "param/Search/fairkomi-param",
        ];
        if G::KIND.has_score() {
            lines.extend([
                "string/Expected margin/fairkomi-margin",
                "dboard/Ownership by playouts/fairkomi-ownership",
                "string/Suggested komi/fairkomi-komi",
                "string/Choose a side at komi/fairkomi-choose_side %s",
            ]);
        } else {
            lines.push("none/Swap/fairkomi-swap");
        }
        lines.push("gfx/Kings, picked stone, button/gogui-rules_board_gfx");
        lines.join("\n")
    }

    pub fn win_rate(&mut self) -> Reply {
        self.search_now()?;
        let MoverValue(value) = self.thinker.value();
        let mover = self.position().to_move();
        let black = if mover == Player::Black { value } else { 1.0 - value };
        Ok(format!("Black {:.1}% ({})", 100.0 * black, self.basis()))
    }

    pub fn margin(&mut self) -> Reply {
        let position = self.position().clone();
        let found = match self.score().filter(|_| !self.is_running()) {
            Some(score) => Some((score.margin().points(), 0.0, "the game is over")),
            None => self.expected_margin(&position),
        };
        let Some((mean, deviation, basis)) = found else { return Err("fugo has no score".to_string()) };
        let lead = mean - self.shared.komi.points();
        let name = G::KIND.player_name(if lead >= 0.0 { Player::Black } else { Player::White });
        Ok(format!("{name} by {:.1} ± {deviation:.1} (standard deviation of the game; {basis})", lead.abs()))
    }

    /// Each point that was tried with its visits.
    pub fn visits(&mut self) -> Reply {
        self.search_now()?;
        let pairs = self.thinker.found().into_iter().filter_map(|known| match known.step {
            Step::Point(point) if known.visits > 0 => {
                Some(format!("{} {}", self.position().point_name(point), known.visits))
            }
            _ => None,
        });
        Ok(pairs.collect::<Vec<_>>().join(" "))
    }

    /// The best line as GoGui's variation: each step with its colour.
    pub fn best_line(&mut self) -> Reply {
        self.search_now()?;
        let Some(best) = self.thinker.found().first().map(|known| known.step) else { return Ok(String::new()) };
        let mut game = self.now.played.clone();
        let mut words = Vec::new();
        for step in self.thinker.line(best) {
            if game.ending().is_some() {
                break;
            }
            let colour = if game.position().to_move() == Player::Black { "b" } else { "w" };
            words.push(format!("{colour} {}", self.vertex(step)));
            game.play(step);
        }
        Ok(format!("VAR {}\nTEXT {} ({})", words.join(" "), words.join(" "), self.basis()))
    }

    pub fn ownership_board(&mut self) -> Reply {
        if !G::KIND.has_score() {
            return Err("nobody owns points in fugo".to_string());
        }
        let owners = match self.now.agreement.agreed() {
            None => self.outlook(self.open_game().position()).owners,
            Some(_) => self.owners_at_the_end(),
        };
        let n = self.position().size();
        let row = |row: usize| {
            let numbers = owners[row * n..(row + 1) * n].iter().map(|owner| format!("{owner:.2}"));
            numbers.collect::<Vec<_>>().join(" ")
        };
        Ok((0..n).rev().map(row).collect::<Vec<_>>().join("\n"))
    }

    /// The value of the empty board for the first player at a komi, by a search of as many visits as any.
    fn first_value_at(&mut self, komi: HalfPoints) -> Result<f32, String> {
        let empty = Played::new(G::new(self.shared.size, self.shared.options), None);
        if empty.ending().is_some() {
            return Err("there is nothing to play".to_string());
        }
        self.thinker.restart(komi, empty.position());
        let time = self.shared.setting.movetime;
        let limit = Limit { visits: self.shared.visits, until: time.map(|time| Instant::now() + time) };
        let thought = self.thinker.think(&empty, limit, |_| false);
        let value = self.thinker.value().for_first(empty.position().seat_to_move());
        self.forget();
        thought.map_err(|error| error.to_string())?;
        let FirstValue(value) = value;
        Ok(value)
    }

    /// `fairkomi-komi`: the komi that leaves the chances most even, by bisection over searches of the empty board. A
    /// suggestion for a game; a measurement is made by `fairkomi komi`.
    pub fn suggest_komi(&mut self) -> Reply {
        let (game, size) = (G::KIND, self.shared.size);
        if !game.has_score() {
            return Err("fugo has no komi; with the pie rule White may swap on the first turn".to_string());
        }
        let most = (size * size) as f64;
        let (mut low, mut high) = (measurable_near(game, size, -most), measurable_near(game, size, most));
        let mut low_value = self.first_value_at(low)?;
        let mut high_value = self.first_value_at(high)?;
        // As close as komi that games are played at come.
        while high.0 - low.0 > 1 {
            let middle = measurable_near(game, size, (low.points() + high.points()) / 2.0);
            if middle <= low || middle >= high {
                break;
            }
            let value = self.first_value_at(middle)?;
            if value >= 0.5 {
                (low, low_value) = (middle, value);
            } else {
                (high, high_value) = (middle, value);
            }
        }
        let (komi, value) =
            if (low_value - 0.5).abs() <= (high_value - 0.5).abs() { (low, low_value) } else { (high, high_value) };
        let first = game.player_name(Player::Black);
        Ok(format!("{komi} ({first}'s chances there {:.1}%, searches of {} visits)", 100.0 * value, self.shared.visits))
    }

    /// `fairkomi-choose_side K`: the side that the engine would rather play at this komi.
    pub fn choose_side(&mut self, arguments: Arguments<'_>) -> Reply {
        if !G::KIND.has_score() {
            return Err("fugo has no komi; with the pie rule White may swap on the first turn".to_string());
        }
        let komi = arguments.word(0)?.parse::<HalfPoints>()?;
        let komi = G::KIND.check_komi(komi).map_err(|error| error.to_string())?;
        let value = self.first_value_at(komi)?;
        let side = if value >= 0.5 { Player::Black } else { Player::White };
        let chances = if value >= 0.5 { value } else { 1.0 - value };
        Ok(format!("{side} ({:.1}%, {} visits)", 100.0 * chances, self.shared.visits))
    }

    /// `lz-analyze` and `kata-analyze`: searches on and says what it has found again and again, until more input comes.
    pub fn analyze(&mut self, request: &Request, io: &mut Io<'_>) -> Result<Outcome, GtpError> {
        let wish = match self.wish(request) {
            Ok(wish) => wish,
            Err(fault) => return Ok(Outcome::Reply(Err(fault))),
        };
        writeln!(io.output, "{}", beginning(request.id, true))?;
        io.output.flush()?;
        let mut due = Instant::now() + wish.interval;
        let limit = Limit { visits: u32::MAX, until: None };
        loop {
            let lines = &mut *io.lines;
            let mut has_more = false;
            self.thinker.think(&self.now.played, limit, |thinker| {
                has_more = lines.has_more();
                has_more || thinker.visits() > 1 && Instant::now() >= due
            })?;
            // A search whose result is certain has nothing left to do.
            while !has_more && Instant::now() < due {
                std::thread::sleep(Duration::from_millis(1));
                has_more = io.lines.has_more();
            }
            if has_more {
                break;
            }
            let line = self.analysis_line(&wish);
            if !line.is_empty() {
                // An empty line would be the end.
                writeln!(io.output, "{line}")?;
                io.output.flush()?;
            }
            due += wish.interval;
        }
        writeln!(io.output)?;
        io.output.flush()?;
        Ok(Outcome::Answered)
    }

    fn wish(&self, request: &Request) -> Result<Wish, String> {
        self.must_be_searched()?;
        let is_kata = request.command == "kata-analyze";
        let mut wish = Wish {
            interval: Duration::from_secs(1),
            most_moves: usize::MAX,
            least_moves: 0,
            ownership: false,
            is_kata,
        };
        let centiseconds = |text: &str| match text.parse::<u64>() {
            Ok(count) if (1..=360_000).contains(&count) => Ok(Duration::from_millis(10 * count)),
            _ => Err(format!("`{text}` is not an interval in centiseconds")),
        };
        let mut words = request.arguments.iter().map(String::as_str).peekable();
        if let Some(colour) = words.next_if(|word| self.colour(word).is_ok()) {
            self.mover(colour)?;
        }
        if let Some(interval) = words.next_if(|word| word.parse::<u64>().is_ok()) {
            wish.interval = centiseconds(interval)?;
        }
        while let Some(key) = words.next() {
            let value = words.next().ok_or_else(|| format!("{key} needs a value"))?;
            let number = || value.parse::<usize>().map_err(|_| format!("`{value}` is not a number"));
            match key {
                "interval" => wish.interval = centiseconds(value)?,
                "maxmoves" => wish.most_moves = number()?,
                "minmoves" => wish.least_moves = number()?,
                "ownership" if is_kata => wish.ownership = value == "true" && G::KIND.has_score(),
                _ => return Err(format!("`{key}` is not known here")),
            }
        }
        Ok(wish)
    }

    /// What is known now, in one line.
    fn analysis_line(&mut self, wish: &Wish) -> String {
        let found = self.thinker.found();
        let tried = found.iter().filter(|known| known.visits > 0).count();
        let shown = tried.max(wish.least_moves).min(wish.most_moves).min(found.len());
        let mut infos = Vec::new();
        for (order, known) in found[..shown].iter().enumerate() {
            infos.push(self.info(order, known, wish));
        }
        if wish.ownership {
            let sign = if self.position().to_move() == Player::Black { 1.0 } else { -1.0 };
            let owners = self.outlook(self.position()).owners;
            let n = self.position().size();
            let from_top = (0..n).rev().flat_map(|row| owners[row * n..(row + 1) * n].iter());
            let numbers: Vec<String> = from_top.map(|owner| format!("{:.3}", sign * owner)).collect();
            infos.push(format!("ownership {}", numbers.join(" ")));
        }
        infos.join(" ")
    }

    fn info(&mut self, order: usize, known: &RootStep, wish: &Wish) -> String {
        let MoverValue(of_root) = self.thinker.value();
        let value = f64::from(known.value.map_or(of_root, |value| value.0));
        // The normal bound of a binomial share; what is certain has no doubt left.
        let spread = (value * (1.0 - value)).max(0.0) / f64::from(known.visits.max(1));
        let bound = if known.is_settled { value } else { (value - BOUND * spread.sqrt()).max(0.0) };
        let line: Vec<String> = match known.visits {
            0 => vec![self.vertex(known.step)],
            _ => self.thinker.line(known.step).into_iter().map(|step| self.vertex(step)).collect(),
        };
        let numbers = if wish.is_kata {
            let lead = self.lead_after(known.step).map_or(String::new(), |(lead, deviation)| {
                format!(" scoreMean {lead:.2} scoreStdev {deviation:.2} scoreLead {lead:.2}")
            });
            let utility = 2.0 * value - 1.0;
            format!("utility {utility:.4} winrate {value:.4}{lead} prior {:.4} lcb {bound:.4}", known.prior)
        } else {
            let whole = |share: f64| (10_000.0 * share).round() as u32;
            format!("winrate {} prior {} lcb {}", whole(value), whole(f64::from(known.prior)), whole(bound))
        };
        let (vertex, visits) = (self.vertex(known.step), known.visits);
        format!("info move {vertex} visits {visits} {numbers} order {order} pv {}", line.join(" "))
    }

    /// By how many points the player to move leads after a step, komi included, if the engine has a network that knows.
    fn lead_after(&mut self, step: Step) -> Option<(f64, f64)> {
        self.predictor.as_ref()?;
        let mover = self.position().to_move();
        let mut game = self.now.played.clone();
        game.play(step);
        let (mean, deviation, basis) = match game.ending() {
            None => self.expected_margin(game.position())?,
            Some(_) => (game.position().score()?.margin().points(), 0.0, "network"),
        };
        if basis != "network" {
            return None;
        }
        let lead = mean - self.shared.komi.points();
        Some((if mover == Player::Black { lead } else { -lead }, deviation))
    }
}
