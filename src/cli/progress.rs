//! How a run gets on: a bar on a terminal, elsewhere a line every ten seconds. Both on standard error.

use std::fmt::{self, Write as _};
use std::io::{self, IsTerminal, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use crate::selfplay::Work;

/// The time between two lines where there is no terminal.
const HEARTBEAT: Duration = Duration::from_secs(10);

/// The bar that is being drawn, so that other lines do not run into it.
static DRAWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Watches games being played. Counts from any thread; dropped, it falls silent.
pub struct Progress {
    counts: Arc<Counts>,
    display: Display,
}

struct Counts {
    what: String,
    /// `None`: nobody knows how many there will be.
    total: Option<u64>,
    /// Games that were there at the start.
    earlier: u64,
    done: AtomicU64,
    work: Mutex<Work>,
    start: Instant,
}

enum Display {
    Bar(ProgressBar),
    /// The thread ends when the sender is gone.
    Lines(Option<Sender<()>>, Option<JoinHandle<()>>),
}

impl Progress {
    /// Begins to show `what` (`selfplay yugo 9x9`): `total` games, if that is known, of which `done` were played before.
    pub fn start(what: impl Into<String>, total: Option<u64>, done: u64) -> Self {
        let counts = Counts::new(what.into(), total, done);
        let display = if io::stderr().is_terminal() { bar(&counts) } else { lines(&counts) };
        Progress { counts, display }
    }

    /// Counts a game that was finished, and the work done since the last report.
    pub fn game_done(&self, work: Work) {
        self.counts.work.lock().unwrap_or_else(PoisonError::into_inner).add(work);
        self.counts.done.fetch_add(1, Ordering::Relaxed);
        if let Display::Bar(bar) = &self.display {
            bar.inc(1);
        }
    }

    /// Stops showing, and leaves a line with the totals, and a warning if trees were full.
    pub fn finish(self) {
        let line = self.counts.now().to_string();
        let Work { tree_bytes, refused, .. } = self.counts.work();
        drop(self);
        match tree_bytes {
            0 => say(&line),
            _ => say(&format!("{line}; a game's trees took {:.2} MiB at most", tree_bytes as f64 / f64::from(1 << 20))),
        }
        if refused > 0 {
            tracing::warn!(
                "{refused} simulations met a full tree, which makes the search weaker: give it more memory \
                 (tree_memory, --tree-memory)"
            );
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        match &mut self.display {
            Display::Bar(bar) => {
                drawn(|drawn| *drawn = None);
                bar.finish_and_clear();
            }
            Display::Lines(alive, thread) => {
                drop(alive.take());
                // A heartbeat that panicked has nothing to tell.
                let _ = thread.take().map(JoinHandle::join);
            }
        }
    }
}

/// Writes a line to standard error, above a bar that is being drawn.
pub fn say(line: &str) {
    // Nobody is left to tell if standard error is closed.
    let write = || drop(writeln!(io::stderr(), "{line}"));
    // The bar is cloned, so that nothing is locked while it is redrawn.
    match drawn(|drawn| drawn.clone()) {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

fn drawn<T>(look: impl FnOnce(&mut Option<ProgressBar>) -> T) -> T {
    look(&mut DRAWN.lock().unwrap_or_else(PoisonError::into_inner))
}

fn bar(counts: &Arc<Counts>) -> Display {
    let counts = Arc::clone(counts);
    let bar = ProgressBar::new(counts.total.unwrap_or(u64::MAX)).with_position(counts.earlier);
    // The template is right; if it were not, a plain bar would do.
    let style = ProgressStyle::with_template("[{bar:24}] {figures}").unwrap_or_else(|_| ProgressStyle::default_bar());
    let figures = move |_: &ProgressState, out: &mut dyn fmt::Write| {
        let _ = write!(out, "{}", counts.now());
    };
    bar.set_style(style.progress_chars("=> ").with_key("figures", figures));
    bar.enable_steady_tick(Duration::from_millis(200));
    drawn(|drawn| *drawn = Some(bar.clone()));
    Display::Bar(bar)
}

fn lines(counts: &Arc<Counts>) -> Display {
    let (alive, ended) = channel::<()>();
    let counts = Arc::clone(counts);
    let beat = move || {
        while ended.recv_timeout(HEARTBEAT) == Err(RecvTimeoutError::Timeout) {
            say(&counts.now().to_string());
        }
    };
    // Without a thread there is no heartbeat, but the run goes on.
    let thread = thread::Builder::new().name("progress".to_string()).spawn(beat).ok();
    Display::Lines(Some(alive), thread)
}

impl Counts {
    fn new(what: String, total: Option<u64>, done: u64) -> Arc<Self> {
        let work = Mutex::new(Work::default());
        Arc::new(Counts { what, total, earlier: done, done: AtomicU64::new(done), work, start: Instant::now() })
    }

    fn work(&self) -> Work {
        *self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> Figures<'_> {
        Figures {
            what: &self.what,
            total: self.total,
            earlier: self.earlier,
            done: self.done.load(Ordering::Relaxed),
            evaluations: self.work().evaluations,
            seconds: self.start.elapsed().as_secs_f64(),
        }
    }
}

/// What is told at one moment.
struct Figures<'a> {
    what: &'a str,
    total: Option<u64>,
    earlier: u64,
    done: u64,
    evaluations: u64,
    seconds: f64,
}

impl fmt::Display for Figures<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Figures { what, total, earlier, done, evaluations, seconds } = *self;
        match total {
            Some(total) => write!(f, "{what}: {done}/{total} games")?,
            None => write!(f, "{what}: {done} games")?,
        }
        let played = done.saturating_sub(earlier) as f64;
        if played > 0.0 && seconds > 0.0 {
            write!(f, ", {} games/s", rate(played / seconds))?;
        }
        if evaluations > 0 && seconds > 0.0 {
            write!(f, ", {} evals/s", rate(evaluations as f64 / seconds))?;
        }
        match total {
            Some(total) if done < total && played > 0.0 => {
                write!(f, ", ETA {}", clock(seconds / played * (total - done) as f64))
            }
            Some(total) if done < total => f.write_str(", ETA unknown"),
            _ => write!(f, ", {}", clock(seconds)),
        }
    }
}

/// About three digits.
fn rate(rate: f64) -> String {
    let decimals = if rate < 1.0 {
        3
    } else if rate < 100.0 {
        1
    } else {
        0
    };
    format!("{rate:.decimals$}")
}

/// Hours, minutes and seconds.
fn clock(seconds: f64) -> String {
    let all = seconds.round() as u64;
    let (hours, minutes, seconds) = (all / 3600, all / 60 % 60, all % 60);
    let mut text = String::new();
    if hours > 0 {
        let _ = write!(text, "{hours} h ");
    }
    if all >= 60 {
        let _ = write!(text, "{minutes} min ");
    }
    if hours == 0 {
        let _ = write!(text, "{seconds} s");
    }
    text.trim_end().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_told_as_far_as_they_are_known() {
        let figures = |done, evaluations, seconds| {
            Figures { what: "komi sligo 5x5", total: Some(240), earlier: 40, done, evaluations, seconds }.to_string()
        };
        assert_eq!(figures(40, 0, 0.0), "komi sligo 5x5: 40/240 games, ETA unknown");
        assert_eq!(figures(90, 0, 25.0), "komi sligo 5x5: 90/240 games, 2.0 games/s, ETA 1 min 15 s");
        assert_eq!(figures(41, 900, 2.0), "komi sligo 5x5: 41/240 games, 0.500 games/s, 450 evals/s, ETA 6 min 38 s");
        assert_eq!(figures(240, 0, 4000.0), "komi sligo 5x5: 240/240 games, 0.050 games/s, 1 h 6 min");
        let open = Figures { what: "match", total: None, earlier: 0, done: 32, evaluations: 0, seconds: 4.0 };
        assert_eq!(open.to_string(), "match: 32 games, 8.0 games/s, 4 s");
        assert_eq!([0.2, 59.6, 3599.0, 90_000.0].map(clock), ["0 s", "1 min 0 s", "59 min 59 s", "25 h 0 min"]);
    }

    #[test]
    fn games_are_counted_from_many_threads() {
        let counts = Counts::new("test".to_string(), Some(4000), 0);
        let progress = Progress { display: lines(&counts), counts };
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..1000).for_each(|_| progress.game_done(Work { evaluations: 3, ..Work::default() })));
            }
        });
        let now = progress.counts.now();
        assert_eq!((now.done, now.evaluations), (4000, 12_000));
        progress.finish();
    }

    #[test]
    fn a_bar_draws_and_goes_away() {
        let counts = Counts::new("test".to_string(), Some(2), 0);
        let progress = Progress { display: bar(&counts), counts };
        assert!(drawn(|drawn| drawn.is_some()));
        progress.game_done(Work { evaluations: 1, ..Work::default() });
        say("a line above the bar");
        drop(progress);
        assert!(drawn(|drawn| drawn.is_none()));
    }
}
