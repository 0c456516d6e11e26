//! The openings of a match.

use std::collections::HashSet;

use thiserror::Error;

use crate::config::MatchConfig;
use crate::games::{Button, Game, Played, Step, parse_turn};
use crate::search::{Purpose, stream};
use crate::selfplay::Opening;

/// How often another opening is drawn where one came before: on small boards there may be no other.
const ATTEMPTS: usize = 64;

/// Why an opening cannot be played.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum OpeningError {
    #[error("opening {number} (`{text}`): turn {turn}: {fault}")]
    Turn { number: usize, text: String, turn: usize, fault: String },
    #[error("opening {number} (`{text}`) ends the game")]
    Over { number: usize, text: String },
    #[error("there are {found} openings for {pairs} pairs; ask for at most as many pairs")]
    TooFew { found: usize, pairs: u64 },
}

/// The openings of a match's first pairs. Drawn ones differ modulo the game's symmetries as long as there are others; which
/// they are does not depend on how many pairs follow.
pub(super) struct Openings<'a> {
    config: &'a MatchConfig,
    found: Vec<Vec<Step>>,
    seen: HashSet<(u128, Button)>,
}

impl<'a> Openings<'a> {
    /// None yet.
    pub fn new(config: &'a MatchConfig) -> Self {
        Openings { config, found: Vec::new(), seen: HashSet::new() }
    }

    /// The steps of the openings of so many pairs.
    pub fn of_pairs<G: Game>(&mut self, pairs: u64) -> Result<&[Vec<Step>], OpeningError> {
        for pair in self.found.len() as u64..pairs {
            let steps = match &self.config.openings {
                Some(listed) => self.listed::<G>(listed, pair as usize)?,
                None => self.drawn::<G>(pair),
            };
            self.found.push(steps);
        }
        Ok(&self.found)
    }

    fn drawn<G: Game>(&mut self, pair: u64) -> Vec<Step> {
        let opening = Opening::Random { turns: self.config.opening_turns };
        let mut rng = stream(self.config.seed, Purpose::Opening, pair);
        let mut played = start::<G>(self.config);
        for _ in 0..ATTEMPTS {
            played = start(self.config);
            if played.ending().is_none() {
                opening.play(&mut played, &mut rng);
            }
            if self.seen.insert(key(played.position())) {
                break;
            }
        }
        steps_of(&played)
    }

    fn listed<G: Game>(&self, listed: &[String], index: usize) -> Result<Vec<Step>, OpeningError> {
        let number = index + 1;
        let text = listed.get(index).ok_or(OpeningError::TooFew { found: listed.len(), pairs: self.config.pairs })?;
        let mut played = start::<G>(self.config);
        for (turn, word) in text.split_whitespace().enumerate() {
            let parsed = match played.ending() {
                Some(_) => Err("the game is over".to_string()),
                None => parse_turn(played.position(), word).map_err(|error| error.to_string()),
            };
            let parsed = parsed.map_err(|fault| {
                let fault = format!("{word}: {fault}");
                OpeningError::Turn { number, text: text.clone(), turn: turn + 1, fault }
            })?;
            parsed.steps().iter().for_each(|step| played.play(*step));
        }
        match played.ending() {
            None => Ok(steps_of(&played)),
            Some(_) => Err(OpeningError::Over { number, text: text.clone() }),
        }
    }
}

fn start<G: Game>(config: &MatchConfig) -> Played<G> {
    let rules = config.board.rules(config.komi);
    Played::new(G::new(rules.size, rules.options), rules.move_cap)
}

fn steps_of<G: Game>(played: &Played<G>) -> Vec<Step> {
    played.turns().iter().flat_map(|turn| turn.steps()).copied().collect()
}

/// What positions have in common that are the same modulo the game's symmetries.
fn key<G: Game>(position: &G) -> (u128, Button) {
    let keys = G::KIND.symmetries().map(|symmetry| position.mapped(symmetry).board_key());
    (keys.min().unwrap_or_default(), position.button())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::testing::config;
    use crate::games::{Fugo, GameKind, Sligo, step_name};

    #[test]
    fn drawn_openings_differ_modulo_symmetry_while_they_can() {
        // On 5x5 there are six first points; 6 · 24 + a few pairs of points.
        let mut config = config(GameKind::Sligo, 5);
        config.pairs = 60;
        let found = Openings::new(&config).of_pairs::<Sligo<1>>(config.pairs).unwrap().to_vec();
        let mut keys = HashSet::new();
        for steps in &found {
            let mut played = start::<Sligo<1>>(&config);
            steps.iter().for_each(|step| played.play(*step));
            assert_eq!(played.turns().len(), 2);
            assert!(keys.insert(key(played.position())));
        }
        config.pairs = 20;
        assert_eq!(
            Openings::new(&config).of_pairs::<Sligo<1>>(config.pairs).unwrap().to_vec(),
            found[..20],
            "the first ones stay"
        );
        config.seed += 1;
        assert_ne!(Openings::new(&config).of_pairs::<Sligo<1>>(config.pairs).unwrap().to_vec(), found[..20]);
        // One turn: then they must come again.
        (config.opening_turns, config.pairs) = (1, 40);
        let found = Openings::new(&config).of_pairs::<Sligo<1>>(config.pairs).unwrap().to_vec();
        let keys: HashSet<_> = found
            .iter()
            .map(|steps| {
                let mut played = start::<Sligo<1>>(&config);
                steps.iter().for_each(|step| played.play(*step));
                key(played.position())
            })
            .collect();
        assert_eq!((found.len(), keys.len()), (40, 6));
    }

    #[test]
    fn listed_openings_are_played_or_refused_with_their_place() {
        let mut config = config(GameKind::Fugo, 3);
        config.pairs = 2;
        let mut with = |openings: &[&str]| {
            config.openings = Some(openings.iter().map(|text| text.to_string()).collect());
            Openings::new(&config).of_pairs::<Fugo<1>>(2).map(|found| {
                let start = start::<Fugo<1>>(&config);
                let name = |step: &Step| step_name(start.position(), *step);
                found.iter().map(|steps| steps.iter().map(name).collect::<Vec<_>>().join(" ")).collect::<Vec<_>>()
            })
        };
        assert_eq!(with(&["A1 B2", "", "C3"]), Ok(vec!["A1 B2".to_string(), String::new()]));
        assert_eq!(with(&["A1"]), Err(OpeningError::TooFew { found: 1, pairs: 2 }));
        let fault = with(&["A1", "B2 b2"]).unwrap_err().to_string();
        assert_eq!(fault, "opening 2 (`B2 b2`): turn 2: b2: the point is not empty");
    }
}
