//! A number that stands for how the program behaves: a change that is for speed alone leaves it as it is.

use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use sha2::{Digest, Sha256};

use crate::config::SearchSettings;
use crate::games::{GameKind, HalfPoints, Options, Rules, step_name, turns};
use crate::search::{Choice, ChoiceRule, PlayoutPolicy};
use crate::selfplay::{Control, Engine, Observer, Opening, PlayError, Setup, Work, Workers, play_games};
use crate::with_game;

/// Boards of every width.
const SIZES: [usize; 5] = [3, 5, 7, 9, 12];

/// Games on each board.
const GAMES: u64 = 2;

struct Nobody;

impl Observer for Nobody {
    fn game_done(&self, _: Work) {}
}

/// Plays fixed games of fixed seeds with playouts, and hashes everything in them: legal turns of positions, visits and
/// values of searches, steps, scores. The same on every machine: no network and no function of the system's
/// mathematical library takes part.
pub fn behaviour() -> Result<String, PlayError<std::convert::Infallible>> {
    let mut hash = Sha256::new();
    for game in GameKind::ALL {
        for size in SIZES {
            with_game!(game, size, G => games::<G>(size, &mut hash))?;
        }
    }
    Ok(hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect())
}

fn games<G: PlayoutPolicy>(size: usize, hash: &mut Sha256) -> Result<(), PlayError<std::convert::Infallible>> {
    let game = G::KIND;
    let komi = HalfPoints(game.has_score() as i32);
    let options = Options { handicap: 0, pie: game == GameKind::Fugo };
    let setup = |index| Setup {
        index,
        rules: Rules { game, size, options, komi, move_cap: Some(4 * size) },
        seats: [0, 0],
        opening: Opening::Random { turns: 2 * index as usize },
        opening_stream: index,
        // Drawing by temperature would ask for powers, which libraries round differently.
        choice: ChoiceRule { early: Choice::Near(0.1), early_turns: 4, late: Choice::Most },
        explore: None,
        plan: None,
    };
    let search = SearchSettings::default().with_visits(48);
    let found = Mutex::new(Vec::new());
    let stop = AtomicBool::new(false);
    let control = Control { stop: &stop, observer: &Nobody };
    let workers = Workers { threads: 1, batch: 1 };
    let indices: Vec<u64> = (0..GAMES).collect();
    play_games::<G, _>(&[Engine::playouts(search)], &indices, &setup, 1, workers, control, &|finished| {
        found.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(finished);
        Ok(())
    })?;
    let mut found = found.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    found.sort_by_key(|finished| finished.setup.index);
    for finished in found {
        for note in &finished.notes {
            hash.update(note.position.rows().join("/"));
            if size <= 7 {
                hash.update(turns(&note.position).len().to_le_bytes());
            }
            for step in &note.steps {
                hash.update(step_name(&note.position, step.step));
                hash.update(step.visits.to_le_bytes());
            }
            hash.update(note.value.0.to_bits().to_le_bytes());
            hash.update(step_name(&note.position, note.played));
        }
        let last = finished.played.position();
        hash.update(format!("{:?} {:?}", finished.played.ending(), last.score()));
        hash.update(last.owner_rows().join("/"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    /// Change it with every change of behaviour, and say so; a change for speed alone must not.
    const BEHAVIOUR: &str = "c56ff463e1fccce9";

    #[test]
    fn nothing_has_changed_but_on_purpose() {
        assert_eq!(super::behaviour().expect("games"), BEHAVIOUR);
    }
}
