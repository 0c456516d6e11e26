//! How sure a network's values are, put right after training by two numbers for each side of board: Platt scaling (Platt,
//! "Probabilistic Outputs for Support Vector Machines", 1999), which is temperature scaling (Guo et al., "On Calibration of
//! Modern Neural Networks", ICML 2017) with a shift.
//!
//! Training weighs positions that come again and again down, and looks at games of weaker networks too. So on what the
//! network itself plays its values are a little too cautious, most on small boards, where positions come again most; and what
//! it is worth to be the one who moves is not quite what it was in those games.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::board::MAX_SIZE;
use crate::stats::calibration::{Forecast, Platt, fit_platt};

/// What becomes of values on boards of one side.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Scaling {
    pub size: usize,
    /// Its numbers are multiples of 1/1000, so that text keeps them.
    #[serde(flatten)]
    pub platt: Platt,
    /// The games that it was fitted to.
    pub games: usize,
}

/// A value with what came of it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Valued {
    pub forecast: Forecast,
    /// The board's side.
    pub size: usize,
    /// The position's game.
    pub game_index: u64,
}

/// What fits best to values that are not scaled: see [`fit_platt`]; a game counts once.
pub fn fit_scalings(values: impl IntoIterator<Item = Valued>) -> Vec<Scaling> {
    let mut sizes: BTreeMap<usize, BTreeMap<u64, Vec<Forecast>>> = BTreeMap::new();
    for Valued { forecast, size, game_index } in values {
        sizes.entry(size).or_default().entry(game_index).or_default().push(forecast);
    }
    let rounded = |x: f64| (1000.0 * x).round() / 1000.0;
    let fit = |(size, games): (usize, BTreeMap<u64, Vec<Forecast>>)| {
        let games: Vec<Vec<Forecast>> = games.into_values().collect();
        let Platt { factor, shift } = fit_platt(&games);
        Scaling { size, platt: Platt { factor: rounded(factor), shift: rounded(shift) }, games: games.len() }
    };
    sizes.into_iter().map(fit).collect()
}

/// Fails on what no fit gives: sides in no order, numbers out of all bounds.
pub(super) fn check(scalings: &[Scaling]) -> Result<(), String> {
    for Scaling { size, platt: Platt { factor, shift }, .. } in scalings {
        if !(1..=MAX_SIZE).contains(size) {
            return Err(format!("it has a scaling for boards of side {size}"));
        }
        if !((0.01..=100.0).contains(factor) && shift.abs() <= 50.0) {
            return Err(format!(
                "its scaling on {size}x{size} is by {factor} and {shift}; 0.01 to 100 and -50 to 50 are possible"
            ));
        }
    }
    match scalings.windows(2).find(|pair| pair[0].size >= pair[1].size) {
        Some(pair) => Err(format!("its scaling on {0}x{0} does not come before the next one", pair[0].size)),
        None => Ok(()),
    }
}

/// What is used on boards of this side: that of the nearest side there is one for (the smaller of two), nothing if there is
/// none.
pub(super) fn scaling_at(scalings: &[Scaling], size: usize) -> Platt {
    let nearest = scalings.iter().min_by_key(|one| (one.size.abs_diff(size), one.size));
    nearest.map_or(Platt::NONE, |nearest| nearest.platt)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_side_has_its_own_and_others_take_the_nearest() {
        let valued = |size, game_index, predicted, outcome| Valued {
            forecast: Forecast { predicted, outcome },
            size,
            game_index,
        };
        // On the small board 0.7 always wins and 0.3 never, on the large one as often as they say.
        let of = |size, game: u64, wins: u64| {
            let won = game % 10 < wins;
            [
                valued(size, 2 * game, 0.7, f64::from(u8::from(won))),
                valued(size, 2 * game + 1, 0.3, f64::from(u8::from(!won))),
            ]
        };
        let small = (0..200).flat_map(|game| of(3, game, 10));
        let large = (0..200).flat_map(|game| of(6, game, 7));
        let again = [valued(6, 0, 0.7, 1.0)];
        let found = fit_scalings(small.chain(large).chain(again));
        assert_eq!(found.iter().map(|one| (one.size, one.games)).collect::<Vec<_>>(), [(3, 400), (6, 400)]);
        assert!(found[0].platt.factor > 2.0 && (found[1].platt.factor - 1.0).abs() < 0.01, "{found:?}");
        assert!(found.iter().all(|one| one.platt.shift.abs() < 0.01), "{found:?}");
        let at = |size| scaling_at(&found, size);
        assert_eq!((at(2), at(4)), (found[0].platt, found[0].platt));
        assert_eq!((at(5), at(9)), (found[1].platt, found[1].platt));
        assert_eq!(scaling_at(&[], 5), Platt::NONE);
        let text = serde_json::to_string(&found).expect("text");
        assert_eq!(serde_json::from_str::<Vec<Scaling>>(&text).expect("the same"), found);
    }
}
