//! Matches in which other programs take part: a game after another on each thread, turn by turn.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::thread;

use super::matches::{MatchError, seats};
use super::openings::Openings;
use super::player::{Fault, Player, PlayerError};
use super::report::Evidence;
use crate::config::MatchConfig;
use crate::games::{Ending, Phase, Played, Player as Colour, Rules, Seat, Step, Turn};
use crate::records::{EngineTag, GameMeta, GameRecord, GameRow, Layout, RunDir};
use crate::search::PlayoutPolicy;
use crate::selfplay::{Control, OutputError, PlayError, Work, game_rows};
use crate::stats::sprt::Verdict;

/// The files of such a match hold a pair each: what a slow program has played must not be lost.
const LAYOUT: Layout = Layout { games: 2, compress: false };

/// After so many games in a row that a player could not even begin, nothing is learnt by going on.
const MOST_FAILURES: u64 = 6;

/// Makes engine 0 or 1 for a thread.
pub type MakePlayer<'a, G> = dyn Fn(usize, usize) -> Result<Box<dyn Player<G>>, PlayerError> + Sync + 'a;

/// A match on its way, shared by the threads.
struct Match<'a, G: PlayoutPolicy> {
    config: &'a MatchConfig,
    tags: &'a [EngineTag; 2],
    make: &'a MakePlayer<'a, G>,
    control: Control<'a>,
    told: &'a (dyn Fn(&Evidence) + Sync),
    openings: Mutex<Openings<'a>>,
    /// The next pair that nobody plays yet.
    next: AtomicU64,
    /// Set when the match is over for another reason than a stop by the user.
    is_over: AtomicBool,
    /// Games in a row that a player could not begin.
    failures: AtomicU64,
    played: Mutex<Pairs<'a>>,
}

/// What has been played.
struct Pairs<'a> {
    dir: &'a mut RunDir,
    /// Rows of finished pairs by their numbers.
    rows: BTreeMap<u64, [GameRow; 2]>,
    /// Pairs from the first on that are all finished, and looked at.
    prefix: u64,
    result: Result<(), MatchError>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Plays a match into `dir`, or what is left of it, as [`super::play_match`] does: games 2p and 2p + 1 are pair p. A sequential
/// test looks at each pair once all before it are there, and `told` of it.
pub fn play_singly<G: PlayoutPolicy>(
    config: &MatchConfig,
    tags: &[EngineTag; 2],
    make: &MakePlayer<'_, G>,
    dir: &mut RunDir,
    threads: usize,
    control: Control<'_>,
    told: &(dyn Fn(&Evidence) + Sync),
) -> Result<(), MatchError> {
    let mut rows = BTreeMap::new();
    for pair in game_rows(dir.path())?.chunks_exact(2) {
        if let [one, two] = pair {
            rows.insert(one.game_index / 2, [one.clone(), two.clone()]);
        }
    }
    let game = Match {
        config,
        tags,
        make,
        control,
        told,
        openings: Mutex::new(Openings::new(config)),
        next: AtomicU64::new(0),
        is_over: AtomicBool::new(false),
        failures: AtomicU64::new(0),
        played: Mutex::new(Pairs { dir, rows, prefix: 0, result: Ok(()) }),
    };
    game.look(&mut locked(&game.played));
    thread::scope(|scope| {
        for number in 0..threads.clamp(1, config.pairs.max(1) as usize) {
            let game = &game;
            scope.spawn(move || {
                if let Err(error) = game.work(number) {
                    game.is_over.store(true, Ordering::Relaxed);
                    let mut played = locked(&game.played);
                    if played.result.is_ok() {
                        played.result = Err(error);
                    }
                }
            });
        }
    });
    if control.stop.load(Ordering::Relaxed) {
        return Err(MatchError::Play(PlayError::Stopped));
    }
    game.played.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()).result
}

impl<G: PlayoutPolicy> Match<'_, G> {
    /// What one thread does: pair after pair, with players of its own.
    fn work(&self, number: usize) -> Result<(), MatchError> {
        let started = |engine| {
            (self.make)(engine, number).map_err(|error| match fault_of(error) {
                Ok(fault) => MatchError::Player { engine: ["a", "b"][engine], fault },
                Err(error) => error,
            })
        };
        // Only once there is something to play.
        let mut players = None;
        while !self.is_over.load(Ordering::Relaxed) && !self.control.stop.load(Ordering::Relaxed) {
            let pair = self.next.fetch_add(1, Ordering::Relaxed);
            if pair >= self.config.pairs {
                break;
            }
            if locked(&self.played).rows.contains_key(&pair) {
                continue;
            }
            let players = match &mut players {
                Some(players) => players,
                None => players.insert([started(0)?, started(1)?]),
            };
            let records = self.play_pair(pair, players)?;
            let mut played = locked(&self.played);
            let written = played.dir.write_shard(pair, LAYOUT, &records);
            written.map_err(|error| PlayError::Output(OutputError::Run(error)))?;
            played.rows.insert(pair, records.map(|record| record.game));
            self.look(&mut played);
            if self.failures.load(Ordering::Relaxed) >= MOST_FAILURES {
                return Err(MatchError::Hopeless { games: MOST_FAILURES });
            }
        }
        Ok(())
    }

    /// Looks at the pairs that are finished from the first on, if there are more of them than at the last look.
    fn look(&self, played: &mut Pairs<'_>) {
        let before = played.prefix;
        while played.rows.contains_key(&played.prefix) {
            played.prefix += 1;
        }
        if self.config.sprt.is_none() || played.prefix == before {
            return;
        }
        let rows = played.rows.range(..played.prefix).flat_map(|(_, pair)| pair.iter().cloned());
        let evidence = Evidence::of(&rows.collect::<Vec<GameRow>>(), self.config);
        (self.told)(&evidence);
        if evidence.verdict() != Some(Verdict::Continue) {
            self.is_over.store(true, Ordering::Relaxed);
        }
    }

    fn play_pair(&self, pair: u64, players: &mut [Box<dyn Player<G>>; 2]) -> Result<[GameRecord; 2], MatchError> {
        let opening = locked(&self.openings).of_pairs::<G>(pair + 1)?[pair as usize].clone();
        let mut play = |game: u64| {
            let record = play_game(self.config, self.tags, game, &opening, players, self.control.stop, &self.failures)?;
            self.control.observer.game_done(Work { searches: 1, ..Work::default() });
            Ok::<_, MatchError>(record)
        };
        Ok([play(2 * pair)?, play(2 * pair + 1)?])
    }
}

/// What costs a player the game, or else ends the match.
fn fault_of(error: PlayerError) -> Result<Fault, MatchError> {
    match error {
        PlayerError::Fault(fault) => Ok(fault),
        PlayerError::Stopped => Err(MatchError::Play(PlayError::Stopped)),
        PlayerError::Evaluation(error) => Err(MatchError::Play(PlayError::Evaluation(error))),
    }
}

/// Plays a game to its end.
fn play_game<G: PlayoutPolicy>(
    config: &MatchConfig,
    tags: &[EngineTag; 2],
    index: u64,
    opening: &[Step],
    players: &mut [Box<dyn Player<G>>; 2],
    stop: &AtomicBool,
    failures: &AtomicU64,
) -> Result<GameRecord, MatchError> {
    let rules = config.board.rules(config.komi);
    let seats = seats(index);
    let mut played = Played::new(G::new(rules.size, rules.options), rules.move_cap);
    opening.iter().for_each(|step| played.play(*step));
    let opening_turns = played.turns().len();
    let begun = begin(&rules, index, &played, seats, players, stop);
    match begun {
        Ok(()) => failures.store(0, Ordering::Relaxed),
        Err(_) => drop(failures.fetch_add(1, Ordering::Relaxed)),
    }
    match begun.and_then(|()| play_on(&mut played, seats, players, stop)) {
        Ok(()) => {}
        Err((seat, error)) => {
            let fault = fault_of(error)?;
            let name = ["a", "b"][seats[seat as usize]];
            let (ending, what) = (fault.ending.name(), &fault.what);
            match fault.ending {
                Ending::Resign => tracing::info!(game = index, engine = name, ending, "{what}"),
                _ => tracing::warn!(game = index, engine = name, ending, "{what}"),
            }
            played.forfeit(colour_of(&played, seat), fault.ending);
        }
    }
    let meta =
        GameMeta { index, seed: config.seed, rules, engines: seats.map(|engine| tags[engine].clone()), opening_turns };
    let record = GameRecord::new(&meta, &played, Vec::new());
    record.map_err(|error| MatchError::Play(PlayError::Output(OutputError::Unfinished(error))))
}

/// The colour of the person in a seat.
fn colour_of<G: PlayoutPolicy>(played: &Played<G>, seat: Seat) -> Colour {
    let black = played.position().seat_of(Colour::Black);
    if black == seat { Colour::Black } else { Colour::White }
}

/// Has both players begin a game; the seat of the one that could not.
fn begin<G: PlayoutPolicy>(
    rules: &Rules,
    index: u64,
    played: &Played<G>,
    seats: [usize; 2],
    players: &mut [Box<dyn Player<G>>; 2],
    stop: &AtomicBool,
) -> Result<(), (Seat, PlayerError)> {
    for seat in [Seat::First, Seat::Second] {
        let player = &mut players[seats[seat as usize]];
        player.begin(index, rules, played, stop).map_err(|error| (seat, error))?;
    }
    Ok(())
}

/// Lets the players play until the game is over, or the one in the seat returned has failed.
fn play_on<G: PlayoutPolicy>(
    played: &mut Played<G>,
    seats: [usize; 2],
    players: &mut [Box<dyn Player<G>>; 2],
    stop: &AtomicBool,
) -> Result<(), (Seat, PlayerError)> {
    while played.ending().is_none() {
        let seat = played.position().seat_to_move();
        let turn: Turn = players[seats[seat as usize]].turn(played, stop).map_err(|error| (seat, error))?;
        let before = played.clone();
        turn.steps().iter().for_each(|step| played.play(*step));
        debug_assert_eq!(played.position().phase(), Phase::Start);
        if played.ending().is_some() {
            break;
        }
        for other in [Seat::First, Seat::Second] {
            let player = &mut players[seats[other as usize]];
            player.follow(turn, &before, other == seat, stop).map_err(|error| (other, error))?;
        }
    }
    Ok(())
}
