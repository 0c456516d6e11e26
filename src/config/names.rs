//! Guesses at what an unknown name was meant to be.

/// What to say of an unknown name where `known` are the names allowed: the one that was likely meant, else all.
pub(super) fn hint(name: &str, known: &[&str]) -> String {
    nearest(name, known).map_or_else(|| known.join(", "), |meant| format!("did you mean `{meant}`?"))
}

/// The known name that differs in few letters.
fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let letters: Vec<char> = name.to_lowercase().replace('-', "_").chars().take(LONGEST + 1).collect();
    if letters.len() > LONGEST {
        return None;
    }
    let close = known.iter().map(|known| {
        let other: Vec<char> = known.chars().collect();
        (distance(&letters, &other), letters.len().max(other.len()), *known)
    });
    // A third of the letters may be wrong.
    close.filter(|(distance, longer, _)| distance * 3 <= *longer).min_by_key(|close| close.0).map(|close| close.2)
}

/// Longer names are not guessed at.
const LONGEST: usize = 40;

/// Letters to insert, drop, replace or exchange with their neighbour (optimal string alignment).
fn distance(a: &[char], b: &[char]) -> usize {
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    for (j, cell) in rows[0].iter_mut().enumerate() {
        *cell = j;
    }
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = least;
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_guessed_and_far_ones_are_not() {
        let known = ["visits", "games", "noise_share", "noise_concentration"];
        for (name, meant) in [
            ("vists", Some("visits")),
            ("visit", Some("visits")),
            ("VISITS", Some("visits")),
            ("gmaes", Some("games")),
            ("noise-share", Some("noise_share")),
            ("threads", None),
            ("", None),
        ] {
            assert_eq!(nearest(name, &known), meant, "{name}");
        }
        assert_eq!(nearest(&"v".repeat(100_000), &known), None);
        assert_eq!(hint("threads", &known), "visits, games, noise_share, noise_concentration");
    }
}
