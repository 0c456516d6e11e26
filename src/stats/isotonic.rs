//! Isotonic regression of scores that should not rise, by pooling adjacent violators
//! (Ayer et al., Ann. Math. Statist. 1955), in integers, so that "above ½" is never a matter of
//! rounding. Exact up to 2^40 games.

use super::wdl::Wdl;

/// Neighbouring samples that share a fitted score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// (wins - losses) per game times the effective games, summed, in units of 2^-32.
    lead: i128,
    /// Sum of effective games.
    games: i128,
    /// Number of samples.
    members: usize,
}

impl Block {
    /// A sample of its own. `effective_games` is its weight; a sample without games has no lead.
    pub fn new(raw: Wdl, effective_games: u64) -> Self {
        let difference = i128::from(raw.wins) - i128::from(raw.losses);
        let games = i128::from(raw.games()).max(1);
        Self {
            // truncation towards 0 mirrors exactly when the sides are swapped
            lead: ((difference * i128::from(effective_games)) << 32) / games,
            games: i128::from(effective_games),
            members: 1,
        }
    }

    /// Sign of the fitted score minus ½: 1, 0 or -1.
    pub fn sign(&self) -> i32 {
        self.lead.signum() as i32
    }

    /// Fitted score minus ½, drawn towards 0 by two pseudo-games: a number to plan with.
    pub fn lean(&self) -> f64 {
        self.lead as f64 / (1_u64 << 32) as f64 / 2.0 / (self.games + 2) as f64
    }
}

/// The non-increasing fit of the samples in the order given: the block of each sample, and whether
/// any were pooled.
pub fn isotonic(samples: &[Block]) -> (Vec<Block>, bool) {
    let mut blocks: Vec<Block> = Vec::new();
    for sample in samples {
        let mut last = *sample;
        // scores must not increase: a mean below the next one is pooled with it
        while let Some(previous) = blocks.last() {
            if previous.lead * last.games >= last.lead * previous.games {
                break;
            }
            last.lead += previous.lead;
            last.games += previous.games;
            last.members += previous.members;
            blocks.pop();
        }
        blocks.push(last);
    }
    let pooled = blocks.len() < samples.len();
    let of_samples = blocks
        .iter()
        .flat_map(|block| std::iter::repeat_n(*block, block.members))
        .collect();
    (of_samples, pooled)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signs(list: &[(u64, u64)]) -> (Vec<i32>, bool) {
        let samples: Vec<Block> = list
            .iter()
            .map(|&(wins, losses)| Block::new(Wdl::new(wins, 0, losses), wins + losses))
            .collect();
        let (blocks, pooled) = isotonic(&samples);
        (blocks.iter().map(Block::sign).collect(), pooled)
    }

    #[test]
    fn falling_scores_stay_as_they_are() {
        assert_eq!(signs(&[(9, 1), (5, 5), (1, 9)]), (vec![1, 0, -1], false));
        assert_eq!(signs(&[]), (vec![], false));
    }

    #[test]
    fn rising_scores_are_pooled_by_weight() {
        assert_eq!(signs(&[(4, 6), (6, 4)]), (vec![0, 0], true));
        assert_eq!(signs(&[(4, 6), (60, 40)]), (vec![1, 1], true));
        assert_eq!(
            signs(&[(9, 1), (1, 9), (2, 3), (1, 0)]).0,
            vec![1, -1, -1, -1]
        );
    }

    #[test]
    fn duplicates_weigh_less() {
        let many = Block::new(Wdl::new(40, 0, 60), 5);
        let few = Block::new(Wdl::new(8, 0, 2), 10);
        let (blocks, pooled) = isotonic(&[many, few]);
        assert!(pooled && blocks.iter().all(|block| block.sign() == 1));
        assert!((blocks[0].lean() - (0.3 * 10.0 - 0.1 * 5.0) / 17.0).abs() < 1e-9);
    }
}
