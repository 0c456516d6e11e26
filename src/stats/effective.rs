//! Duplicate games never pass for evidence.

use super::wdl::Wdl;

/// Scales counts down to the number of distinct games among them, for use in tests and intervals.
///
/// `unique` is the number of games that differ (modulo symmetry); the effective number of games is
/// the smaller of it and of `wdl.games()`. Rounding is conservative for any test against a score of
/// ½: the larger of wins and losses rounds down, the smaller up (never past the larger), and draws
/// take what is left. So the sign of wins - losses never changes, and a lead never grows.
/// Report the observed score from `wdl` itself.
pub fn effective_counts(wdl: Wdl, unique: u64) -> Wdl {
    let games = wdl.games();
    if unique >= games {
        return wdl;
    }
    if wdl.wins < wdl.losses {
        return effective_counts(wdl.negated(), unique).negated();
    }
    let scaled = |count: u64| u128::from(count) * u128::from(unique);
    let games = u128::from(games);
    let wins = (scaled(wdl.wins) / games) as u64;
    let losses = (scaled(wdl.losses).div_ceil(games) as u64).min(wins);
    Wdl {
        wins,
        draws: unique - wins - losses,
        losses,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::binomial::upper_tail;

    #[test]
    fn plain_cases() {
        assert_eq!(effective_counts(Wdl::new(100, 0, 0), 3), Wdl::new(3, 0, 0));
        assert_eq!(effective_counts(Wdl::new(60, 0, 40), 10), Wdl::new(6, 0, 4));
        assert_eq!(effective_counts(Wdl::new(66, 0, 34), 10), Wdl::new(6, 0, 4));
        assert_eq!(effective_counts(Wdl::new(5, 2, 1), 100), Wdl::new(5, 2, 1));
        assert_eq!(effective_counts(Wdl::new(5, 2, 1), 0), Wdl::default());
        assert_eq!(effective_counts(Wdl::default(), 4), Wdl::default());
        let most = u64::MAX / 4;
        assert_eq!(
            effective_counts(Wdl::new(most, most, most), 9),
            Wdl::new(3, 3, 3)
        );
    }

    #[test]
    fn never_more_evidence_than_in_proportion() {
        for w in 0..14_u64 {
            for d in 0..4_u64 {
                for l in 0..14_u64 {
                    let wdl = Wdl::new(w, d, l);
                    for unique in 0..=wdl.games() {
                        let e = effective_counts(wdl, unique);
                        assert_eq!(e.games(), unique);
                        assert_eq!(e, effective_counts(wdl.negated(), unique).negated());
                        assert!(e.wins.abs_diff(e.losses) * wdl.games() <= w.abs_diff(l) * unique);
                        if w >= l {
                            assert!(e.wins >= e.losses);
                            assert!(
                                upper_tail(e.wins, e.decisive(), 0.5)
                                    >= upper_tail(w, w + l, 0.5) - 1e-12
                            );
                        }
                    }
                }
            }
        }
    }
}
