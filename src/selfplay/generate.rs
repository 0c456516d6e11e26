//! Self-play: games to learn from.

use rand::Rng;
use rand_distr::{Distribution, Normal};

use super::{Continuation, Control, Engine, Opening, OutputError, Plan, PlayError, Setup, Workers, play_shards};
use crate::config::{KomiDraw, SelfplayConfig};
use crate::games::{GameKind, HalfPoints};
use crate::records::{Layout, RunDir};
use crate::search::{Choice, ChoiceRule, PlayoutPolicy, Purpose, stream};

/// One game in so many has a komi from far out, so that a network learns what lopsided games look like.
const WIDE_GAMES: u32 = 8;

/// How much farther out such a komi lies.
const WIDE: f64 = 4.0;

/// Plays self-play games into `dir`, or what is left of them; a share of them, which the config says, goes on from one of
/// the `continuations`.
pub fn generate<G: PlayoutPolicy>(
    config: &SelfplayConfig,
    engine: &Engine,
    continuations: &[Continuation],
    dir: &mut RunDir,
    workers: Workers,
    control: Control<'_>,
) -> Result<(), PlayError<OutputError>> {
    let plan = Plan {
        engines: std::slice::from_ref(engine),
        games: config.games,
        seed: config.seed,
        layout: Layout { games: config.shard as u64, compress: config.compress },
    };
    let setup = |index| {
        let earlier = draw_continuation(config, continuations, index);
        let centre = earlier.map_or(config.komi.centre, |earlier| earlier.komi);
        let komi = draw_komi(config.board.game, KomiDraw { centre, ..config.komi }, config.seed, index);
        let turns = stream(config.seed, Purpose::OpeningLength, index).random_range(0..=config.opening_turns);
        Setup {
            index,
            rules: config.board.rules(komi),
            seats: [0, 0],
            opening: match earlier {
                Some(earlier) => Opening::Steps(earlier.steps.clone()),
                None => Opening::Random { turns },
            },
            opening_stream: index,
            choice: ChoiceRule {
                early: Choice::Temperature(config.temperature),
                early_turns: config.temperature_turns,
                late: Choice::Most,
            },
            explore: Some(config.explore),
            plan: Some(config.plan),
        }
    };
    play_shards::<G>(&plan, &setup, dir, workers, control)
}

/// The earlier game that a game goes on from, if it does.
fn draw_continuation<'a>(
    config: &SelfplayConfig,
    continuations: &'a [Continuation],
    index: u64,
) -> Option<&'a Continuation> {
    if continuations.is_empty() || config.continued == 0.0 {
        return None;
    }
    let mut rng = stream(config.seed, Purpose::Continuation, index);
    let goes_on = rng.random::<f32>() < config.continued;
    goes_on.then(|| &continuations[rng.random_range(0..continuations.len())])
}

/// A game's komi: normal around the centre, now and then wider, rounded to what the game allows.
fn draw_komi(game: GameKind, draw: KomiDraw, seed: u64, index: u64) -> HalfPoints {
    if !game.has_score() || draw.spread <= 0.0 {
        return draw.centre;
    }
    let mut rng = stream(seed, Purpose::Komi, index);
    let wide = if rng.random_ratio(1, WIDE_GAMES) { WIDE } else { 1.0 };
    let Ok(normal) = Normal::new(draw.centre.points(), f64::from(draw.spread) * wide) else { return draw.centre };
    nearest_allowed(game, normal.sample(&mut rng))
}

/// The komi that the game allows and that lies nearest to so many points.
fn nearest_allowed(game: GameKind, points: f64) -> HalfPoints {
    let middle = (points * 2.0).round() as i32;
    let distance = |komi: &HalfPoints| ((komi.points() - points).abs() * 1e6) as i64;
    let near = (middle - 1..=middle + 1).map(HalfPoints).filter(|komi| game.allows_komi(*komi));
    near.min_by_key(distance).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawn_komi_are_allowed_and_centred() {
        for game in GameKind::ALL {
            let centre = if game == GameKind::Linage { HalfPoints(7) } else { HalfPoints(game.has_score() as i32 * 8) };
            let draw = KomiDraw { centre, spread: 2.0 };
            let drawn: Vec<HalfPoints> = (0..4000).map(|index| draw_komi(game, draw, 1, index)).collect();
            assert!(drawn.iter().all(|komi| game.allows_komi(*komi)));
            let mean = drawn.iter().map(|komi| komi.points()).sum::<f64>() / 4000.0;
            assert!((mean - centre.points()).abs() < 0.3, "{game}: {mean}");
        }
    }
}
