//! Which games a network learns from.

/// How fast the window grows with what there is: c (1 + β ((N / c)^α − 1) / α), as in KataGo (Wu 2019, section 3.2).
const ALPHA: f64 = 0.75;
const BETA: f64 = 0.4;

/// The number of positions to learn from when there are `all`, the first `least` of which are all taken.
fn window(all: usize, least: usize) -> usize {
    if all <= least {
        return all;
    }
    let (all, least) = (all as f64, least as f64);
    (least * (1.0 + BETA * ((all / least).powf(ALPHA) - 1.0) / ALPHA)) as usize
}

/// The first generation to learn from, so that it and the later ones hold as many positions as the window asks for.
pub(super) fn latest(positions: &[usize], least: usize) -> usize {
    let wanted = window(positions.iter().sum(), least);
    let mut taken = 0;
    for (generation, count) in positions.iter().enumerate().rev() {
        taken += count;
        if taken >= wanted {
            return generation;
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_grows_more_slowly_than_the_data() {
        assert_eq!([0, 10, 1000].map(|all| window(all, 1000)), [0, 10, 1000]);
        let sizes: Vec<usize> = (1..100).map(|k| window(1000 * k, 1000)).collect();
        assert!(sizes.windows(2).all(|pair| pair[0] < pair[1] && pair[1] - pair[0] < 1000), "{sizes:?}");
        assert!((15_000..20_000).contains(&window(100_000, 1000)));
    }

    #[test]
    fn the_latest_generations_are_taken() {
        assert_eq!(latest(&[100, 100, 100], 1000), 0);
        assert_eq!(latest(&[100, 100, 100], 100), 1, "about 180 of 300 are wanted");
        assert_eq!(latest(&[1000, 1, 1], 1000), 0);
        assert_eq!(latest(&[1, 1, 1000], 10), 2);
        assert_eq!(latest(&[], 10), 0);
        assert_eq!(latest(&[5], usize::MAX), 0);
    }
}
