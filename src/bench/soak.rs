//! Memory over time: whether long self-play takes ever more of it.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use plotters::prelude::*;
use serde::Serialize;

use super::table::{Plan, selfplay_config};
use super::{BenchError, memory, selfplay};
use crate::config::{Board, SelfplayConfig};
use crate::records::{RunError, write_whole};
use crate::search::PlayoutPolicy;
use crate::selfplay::{Engine, PlayError};

/// The time between two looks at the memory.
const BETWEEN: Duration = Duration::from_secs(1);

/// More games than anybody will wait for.
const GAMES: u64 = 1_000_000;

/// The memory at one moment.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Moment {
    /// Since the start.
    pub seconds: f64,
    /// Resident memory of the whole program.
    pub mib: f64,
}

/// Plays with the network for so long, files and all, and looks at the memory every second. After a stop what was
/// seen until then is returned.
pub fn soak<G: PlayoutPolicy>(
    plan: &Plan,
    board: Board,
    engine: &Engine,
    duration: Duration,
    stop: &AtomicBool,
) -> Result<Vec<Moment>, BenchError> {
    let config = SelfplayConfig { compress: true, ..selfplay_config(plan, board, GAMES) };
    let (enough, seen) = (AtomicBool::new(false), Mutex::new(Vec::new()));
    let begun = Instant::now();
    let look = || {
        while !enough.load(Ordering::Relaxed) {
            let elapsed = begun.elapsed();
            if let Some(memory) = memory() {
                let moment = Moment { seconds: elapsed.as_secs_f64(), mib: memory.now };
                seen.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(moment);
            }
            if elapsed >= duration || stop.load(Ordering::Relaxed) {
                enough.store(true, Ordering::Relaxed);
            }
            std::thread::sleep(BETWEEN);
        }
    };
    let played = std::thread::scope(|scope| {
        scope.spawn(look);
        let played = selfplay::<G>(&config, engine, plan.threads, &enough);
        enough.store(true, Ordering::Relaxed);
        played
    });
    match played {
        Ok(_) | Err(BenchError::Play(PlayError::Stopped)) => {
            Ok(seen.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()))
        }
        Err(error) => Err(error),
    }
}

/// The memory after a tenth of the time, when all games are under way, and at the end, each the median of a tenth of
/// the moments; `None` of too few.
pub fn early_and_late(moments: &[Moment]) -> Option<[f64; 2]> {
    let tenth = moments.len() / 10;
    let median = |moments: &[Moment]| {
        let mut sorted: Vec<f64> = moments.iter().map(|moment| moment.mib).collect();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() / 2).copied()
    };
    Some([median(moments.get(tenth..2 * tenth)?)?, median(&moments[moments.len() - tenth..])?])
}

/// Writes `memory.csv` and `memory.svg` into a folder.
pub fn write_soak(folder: &Path, title: &str, moments: &[Moment]) -> Result<(), RunError> {
    write_whole(&folder.join("memory.csv"), |file| {
        let mut writer = csv::Writer::from_writer(file);
        moments.iter().try_for_each(|moment| writer.serialize(moment))?;
        writer.flush()
    })?;
    write_whole(&folder.join("memory.svg"), |file| {
        let svg = draw(title, moments).map_err(|error| std::io::Error::other(error.to_string()))?;
        file.write_all(svg.as_bytes())
    })?;
    Ok(())
}

/// The memory over time as an SVG picture.
fn draw(title: &str, moments: &[Moment]) -> Result<String, DrawingAreaErrorKind<std::io::Error>> {
    let most = moments.iter().map(|moment| moment.mib).fold(1.0, f64::max);
    let minutes = moments.last().map_or(1.0, |moment| moment.seconds / 60.0);
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (800, 360)).into_drawing_area();
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area)
            .caption(title, ("sans-serif", 18))
            .margin(12)
            .x_label_area_size(36)
            .y_label_area_size(56)
            .build_cartesian_2d(0.0..minutes, 0.0..1.2 * most)?;
        chart.configure_mesh().light_line_style(WHITE).x_desc("minutes").y_desc("resident memory, MiB").draw()?;
        let points = moments.iter().map(|moment| (moment.seconds / 60.0, moment.mib));
        chart.draw_series(LineSeries::new(points, &BLUE))?;
        area.present()?;
    }
    Ok(svg)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn early_and_late_leave_out_the_start() {
        let moments: Vec<Moment> = (0..100u32)
            .map(|second| Moment { seconds: f64::from(second), mib: if second < 10 { 1.0 } else { f64::from(second) } })
            .collect();
        assert_eq!(early_and_late(&moments), Some([15.0, 95.0]));
        assert_eq!(early_and_late(&moments[..5]), None);
    }

    #[test]
    fn a_picture_and_a_table_are_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let moments = [Moment { seconds: 0.0, mib: 90.0 }, Moment { seconds: 1.0, mib: 100.0 }];
        write_soak(folder.path(), "memory", &moments).expect("written");
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("a file");
        assert_eq!(read("memory.csv"), "seconds,mib\n0.0,90.0\n1.0,100.0\n");
        assert!(read("memory.svg").contains("resident memory, MiB"));
        write_soak(folder.path(), "nothing was seen", &[]).expect("written");
    }
}
