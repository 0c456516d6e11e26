//! How long an engine may think.

use std::time::Duration;

use crate::games::Player;

/// The part of the time left for a stretch of moves that is spent on them: the rest is for answers on their way.
const SPENT: f64 = 0.9;

/// The moves that a side is taken to have left at the least.
const LEAST_MOVES_LEFT: f64 = 8.0;

/// What the protocol's time commands have said.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Clock {
    limits: Option<Limits>,
    /// Each side's time, Black's first.
    left: [Option<Left>; 2],
}

/// Main time in seconds, then periods of so many seconds for so many stones.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Limits {
    main: f64,
    period: f64,
    stones: u32,
}

/// Seconds left, for so many stones; 0 stones: for the rest of the game.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Left {
    seconds: f64,
    stones: u32,
}

impl Clock {
    /// `time_settings`: "If [the period's time] is greater than zero and [its stones are] zero, there are no time limits."
    pub fn settings(main: u32, period: u32, stones: u32) -> Self {
        let limits = Limits { main: f64::from(main), period: f64::from(period), stones };
        Clock { limits: (period == 0 || stones > 0).then_some(limits), left: [None; 2] }
    }

    /// `time_left`.
    pub fn set_left(&mut self, player: Player, seconds: u32, stones: u32) {
        self.left[player as usize] = Some(Left { seconds: f64::from(seconds), stones });
    }

    /// Takes the time that a side has thought from what it had left.
    pub fn spend(&mut self, player: Player, time: Duration) {
        let Some(limits) = self.limits else { return };
        let left = self.left[player as usize].get_or_insert(Left { seconds: limits.main, stones: 0 });
        left.seconds -= time.as_secs_f64();
        if left.stones > 1 {
            left.stones -= 1;
        } else if (left.stones == 1 || left.seconds <= 0.0) && limits.stones > 0 {
            *left = Left { seconds: limits.period, stones: limits.stones };
        }
    }

    /// How long a side may think about a move, on a board of this side; `None`: as long as it takes.
    ///
    /// A game is taken to last as many moves as there are points; so a side has half of them left.
    pub fn limit(&self, player: Player, moves_played: usize, size: usize) -> Option<Duration> {
        let limits = self.limits?;
        let left = self.left[player as usize].unwrap_or(Left { seconds: limits.main, stones: 0 });
        let seconds = if left.stones > 0 {
            left.seconds / f64::from(left.stones)
        } else {
            let moves = ((size * size) as f64 - moves_played as f64) / 2.0;
            let of_period = if limits.stones > 0 { limits.period / f64::from(limits.stones) } else { 0.0 };
            (left.seconds / moves.max(LEAST_MOVES_LEFT)).max(of_period)
        };
        Some(Duration::from_secs_f64((SPENT * seconds).max(0.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_shared_out_over_the_moves_left() {
        let seconds = |clock: &Clock, moves| clock.limit(Player::Black, moves, 9).map(|limit| limit.as_secs_f64());
        assert_eq!(seconds(&Clock::default(), 0), None);
        assert_eq!(seconds(&Clock::settings(0, 1, 0), 0), None, "no limits, as the protocol says it");

        // Sudden death: 90 s for 40.5 moves, and later for eight at the least.
        let mut clock = Clock::settings(90, 0, 0);
        assert_eq!(seconds(&clock, 0), Some(0.9 * 90.0 / 40.5));
        clock.spend(Player::Black, Duration::from_secs(10));
        assert_eq!(seconds(&clock, 79), Some(0.9 * 10.0));
        assert_eq!(clock.limit(Player::White, 79, 9), Some(Duration::from_secs_f64(0.9 * 90.0 / 8.0)));
        clock.spend(Player::Black, Duration::from_secs(100));
        assert_eq!(seconds(&clock, 79), Some(0.0));

        // Canadian: what is left of the period, over the stones left in it.
        let mut clock = Clock::settings(0, 30, 10);
        clock.set_left(Player::Black, 20, 4);
        assert_eq!(seconds(&clock, 0), Some(4.5));
        clock.spend(Player::Black, Duration::from_secs(5));
        assert_eq!(seconds(&clock, 0), Some(4.5));
        for _ in 0..3 {
            clock.spend(Player::Black, Duration::from_secs(5));
        }
        assert_eq!(seconds(&clock, 0), Some(0.9 * 30.0 / 10.0), "a new period");
    }
}
