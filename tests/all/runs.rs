//! Runs by the program: the same bytes whatever the number of threads, and however often it was killed or stopped.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use fairkomi::games::GameKind;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::program::{Ended, Running, assert_same, by_shell, done, fairkomi, files, folder, put_network, small};

/// A stop takes 2 s at most; a machine that does much else gets more.
const STOP: Duration = Duration::from_secs(5);

/// The games of a run's finished shards.
fn finished(run: &Path) -> u64 {
    let Ok(text) = fs::read(run.join("manifest.json")) else { return 0 };
    let manifest: Value = serde_json::from_slice(&text).expect("a manifest is whole at any time");
    let shards = manifest["shards"].as_array().expect("a manifest lists shards");
    shards.iter().filter_map(|shard| shard["games"].as_u64()).sum()
}

/// A program that was interrupted says how to go on; the command.
fn command_to_go_on(ended: &Ended) -> String {
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(
        ended.err.contains("error: stopped; the files that are finished are kept, and the same command goes on:\n"),
        "{ended:?}"
    );
    ended.err.lines().last().unwrap_or_default().trim().to_string()
}

/// A run that is killed three times, stopped once and gone on with by other numbers of threads comes to the same end as
/// one that is left alone.
fn comes_to_the_same_end(folder: &Path, name: &str, line: &str, games: u64) {
    let expected = done(folder, &format!("{line} --threads 2 --out {name}-calm"));
    let run = folder.join(name);
    let killed = |threads: usize, least: u64, pause: u64| {
        let mut running = Running::start(folder, &format!("{line} --threads {threads} --out {name}"));
        running.wait_for(|| run.join("manifest.json").exists() && finished(&run) >= least);
        sleep(Duration::from_millis(pause));
        running.kill();
        u32::from(finished(&run) < games)
    };
    let mut hits = killed(1, 0, 15);

    let mut running = Running::start(folder, &format!("{line} --threads 2 --out {name}"));
    running.wait_for(|| finished(&run) >= games / 4);
    let kept = finished(&run);
    let (ended, time) = running.interrupt();
    let go_on = command_to_go_on(&ended);
    assert!(time < STOP, "{time:?}");
    assert!((kept..games).contains(&finished(&run)), "{kept} and then {}", finished(&run));

    hits += killed(3, games / 2, 0) + killed(1, games * 3 / 4, 7);
    println!("{name}: {hits} of 3 kills hit, stopped after {time:?} with {kept} of {games} games");
    assert!(hits > 0, "no kill hit an unfinished run");
    assert_eq!(by_shell(folder, &go_on), expected);
    assert_same(&run, &folder.join(format!("{name}-calm")));
    let names = fs::read_dir(run.join("shards")).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(names.into_iter().all(|name| !name.to_string_lossy().starts_with('.')), "what a kill left is removed");
    done(folder, &format!("data check {name}"));
}

/// Self-play of each game with one, two and three threads gives the same files, whose rows are as the rules say;
/// another seed gives other games.
fn threads_change_nothing(line: impl Fn(GameKind, usize) -> String) {
    for game in GameKind::ALL {
        let folder = folder();
        put_network(folder.path(), game);
        let line = line(game, small(game));
        for threads in 1..=3 {
            done(folder.path(), &format!("{line} --threads {threads} --out {threads}"));
        }
        assert!(fs::read_dir(folder.path().join("1/shards")).unwrap().count() >= 8, "several shards");
        for threads in 2..=3 {
            assert_same(&folder.path().join(threads.to_string()), &folder.path().join("1"));
        }
        done(folder.path(), &format!("{line} --seed 2 --threads 2 --out other"));
        assert!(turns(&folder.path().join("1")).is_disjoint(&turns(&folder.path().join("other"))), "{game}");
        done(folder.path(), "data check 1 other");
    }
}

/// The games of a run, as turns.
fn turns(run: &Path) -> BTreeSet<String> {
    let mut turns = BTreeSet::new();
    for (name, bytes) in files(&run.join("shards")) {
        if name.starts_with("games-") {
            let mut reader = csv::Reader::from_reader(bytes.as_slice());
            let column = reader.headers().unwrap().iter().position(|column| column == "turns").unwrap();
            turns.extend(reader.records().map(|row| row.unwrap()[column].to_string()));
        }
    }
    assert!(turns.len() > 1, "all games alike");
    turns
}

#[test]
fn threads_change_no_byte_of_games_with_playouts() {
    threads_change_nothing(|game, size| {
        format!("selfplay --game {game} --size {size} --games 22 --visits 12 --shard 5 --batch 16 --opening-turns 3")
    });
}

#[test]
fn threads_change_no_byte_of_games_with_a_network() {
    threads_change_nothing(|game, size| {
        format!(
            "selfplay --game {game} --size {size} --games 22 --visits 6 --shard 5 --batch 16 --opening-turns 3 \
             --net net.safetensors"
        )
    });
}

#[test]
fn threads_change_no_byte_of_games_led_by_gumbel_and_by_short_searches() {
    threads_change_nothing(|game, size| {
        format!(
            "selfplay --game {game} --size {size} --games 22 --visits 20 --shard 5 --batch 16 --opening-turns 3 \
             --net net.safetensors --selection gumbel --full-share 0.4 --fast-visits 5 --symmetries 2 --margin-weight 0.1"
        )
    });
}

#[test]
fn games_go_on_from_the_turning_points_of_others() {
    for game in GameKind::ALL {
        let folder = folder();
        put_network(folder.path(), game);
        let size = small(game);
        let first = format!("selfplay --game {game} --size {size} --games 30 --visits 12 --seed 3 --out first");
        done(folder.path(), &first);
        let line = format!(
            "selfplay --game {game} --size {size} --games 20 --visits 6 --batch 16 --net net.safetensors \
             --continue-from first --continued 1"
        );
        for threads in 1..=2 {
            done(folder.path(), &format!("{line} --threads {threads} --out {threads}"));
        }
        assert_same(&folder.path().join("2"), &folder.path().join("1"));
        done(folder.path(), "data check 1");
        let earlier = turns(&folder.path().join("first"));
        for (name, bytes) in
            files(&folder.path().join("1/shards")).iter().filter(|(name, _)| name.starts_with("games-"))
        {
            let mut reader = csv::Reader::from_reader(bytes.as_slice());
            let header = reader.headers().unwrap().clone();
            let column = |name: &str| header.iter().position(|column| column == name).unwrap();
            for row in reader.records() {
                let row = row.unwrap();
                let count: usize = row[column("opening_turns")].parse().unwrap();
                let opening: Vec<&str> = row[column("turns")].split(' ').take(count).collect();
                assert!(count > 0, "{name}");
                assert!(earlier.iter().any(|game| game.starts_with(&opening.join(" "))), "{opening:?}");
            }
        }
        let elsewhere = line.replace(&format!("--size {size}"), "--size 6");
        let other = fairkomi(folder.path(), &format!("{elsewhere} --out other"));
        assert!(other.code == Some(2) && other.err.contains("first holds games of"), "{other:?}");
    }
}

#[test]
fn self_play_with_playouts_survives_kills() {
    let folder = folder();
    let line = "selfplay --game sligo --size 3 --games 400 --visits 16 --shard 8 --batch 16";
    comes_to_the_same_end(folder.path(), "run", line, 400);
}

#[test]
fn self_play_with_a_network_survives_kills() {
    let folder = folder();
    put_network(folder.path(), GameKind::Fugo);
    let line = "selfplay --game fugo --size 4 --games 240 --visits 8 --shard 8 --batch 16 --compress \
                --net net.safetensors";
    comes_to_the_same_end(folder.path(), "run", line, 240);
}

#[test]
fn komi_survives_kills() {
    let folder = folder();
    let line = "komi --game yugo --size 3 --games 480 --block 16 --visits 16 --batch 16";
    comes_to_the_same_end(folder.path(), "playouts", line, 480);
    put_network(folder.path(), GameKind::Linage);
    let line = "komi --game linage --size 4 --games 160 --block 16 --visits 8 --batch 16 --net net.safetensors";
    comes_to_the_same_end(folder.path(), "network", line, 160);
}

#[test]
fn match_survives_kills() {
    let folder = folder();
    put_network(folder.path(), GameKind::Yugo);
    let line = "match --game yugo --size 3 --pairs 300 --a-visits 4 --b-visits 8 --batch 16 --a-net net.safetensors";
    comes_to_the_same_end(folder.path(), "run", line, 600);
}

#[test]
fn a_sequential_match_ends_with_its_verdict_and_survives_kills() {
    let folder = folder();
    let match_of = |sprt: &str| format!("match --game yugo --size 4 --a-visits 60 --b-visits 30 --batch 16 {sprt}");
    let line = match_of("--sprt 0 30");
    let expected = done(folder.path(), &format!("{line} --threads 2 --out calm"));
    assert!(expected.contains("A is stronger by 30 normalised Elo rather than by 0 after "), "{expected}");
    let games = finished(&folder.path().join("calm"));
    assert!(games.is_multiple_of(32) && games > 32, "{games}");

    let run = folder.path().join("rough");
    let mut running = Running::start(folder.path(), &format!("{line} --threads 1 --out rough"));
    running.wait_for(|| finished(&run) >= 32);
    running.kill();
    assert_eq!(done(folder.path(), &format!("{line} --threads 3 --out rough")), expected);
    assert_same(&run, &folder.path().join("calm"));

    // The other way round, and no answer.
    let other = match_of("--sprt -30 0").replace("--a-visits 60 --b-visits 30", "--a-visits 30 --b-visits 60");
    let other = done(folder.path(), &format!("{other} --out other"));
    assert!(other.contains("A is stronger by -30 normalised Elo at most rather than by 0 after "), "{other}");
    let open = done(folder.path(), &format!("{} --pairs 2 --out open", match_of("--sprt 0 1")));
    assert!(open.contains("no verdict: the match was over before (this is not a pass) after 2 pairs"), "{open}");
    // Two turns on 1x1: there is one opening, and so one pair that differs.
    let tiny = done(folder.path(), "match --game sligo --size 1 --sprt 0 1 --batch 16 --out tiny");
    assert!(tiny.contains("no verdict") && finished(&folder.path().join("tiny")) == 64, "{tiny}");
}

#[test]
fn ratings_survive_kills_and_go_on_with_more_pairs() {
    let folder = folder();
    let engines = "--engine little,visits=4 --engine some,visits=16 --engine much,visits=100";
    let line = format!("rate --game yugo --size 4 {engines} --batch 16 --pairs 96");
    let expected = done(folder.path(), &format!("{line} --threads 2 --out calm"));
    let [much, some, little] =
        ["much", "some", "little"].map(|name| expected.find(&format!("│ {name} ")).expect("it is rated"));
    assert!(much < some && some < little, "{expected}");

    let run = folder.path().join("rough");
    let games = || -> u64 {
        let Ok(entries) = fs::read_dir(&run) else { return 0 };
        entries.map(|entry| finished(&entry.unwrap().path())).sum()
    };
    let mut running = Running::start(folder.path(), &format!("{line} --threads 1 --out rough"));
    running.wait_for(|| games() >= 64);
    running.kill();
    // First with fewer pairs, which is another run's beginning.
    let fewer = fairkomi(folder.path(), &format!("{line} --out rough").replace("--pairs 96", "--pairs 32"));
    assert_eq!(fewer.code, Some(2), "{fewer:?}");
    assert_eq!(done(folder.path(), &format!("{line} --threads 3 --out rough")), expected);
    assert_same(&run, &folder.path().join("calm"));

    let more = |out: &str| done(folder.path(), &format!("{line} --out {out}").replace("--pairs 96", "--pairs 160"));
    assert_eq!(more("rough"), more("new"));
    assert_same(&run, &folder.path().join("new"));
    for (flags, fault) in [
        ("--engine a", "--engine: one engine has nobody to play"),
        ("--engine a --engine a", "--engine: a is given twice"),
        ("--engine a,b=1 --engine b", "--engine: `b=1` is not understood (net=FILE, visits=N, gtp=COMMAND)"),
        ("--engine ../a --engine b", "--engine: `../a` is no name for an engine"),
        ("--engine a --engine b --anchor c", "--anchor: no engine has that name"),
        ("--engine a,visits=0 --engine b", "--engine visits: 0 is not allowed"),
    ] {
        let refused = fairkomi(folder.path(), &format!("rate --game yugo --size 4 {flags} --out none"));
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert!(refused.err.contains(fault), "{refused:?}");
    }
}

#[test]
fn a_match_plays_the_openings_of_a_file() {
    let folder = folder();
    fs::write(folder.path().join("openings.txt"), "B2 C3 # middle and corner\n\n A1\nC3 B2\n").unwrap();
    let line = "match --game sligo --size 3 --a-visits 4 --b-visits 4 --openings openings.txt";
    done(folder.path(), &format!("{line} --out all"));
    let pairs = fs::read_to_string(folder.path().join("all/match.csv")).unwrap();
    let openings: Vec<&str> = pairs.lines().skip(1).map(|row| row.split(',').nth(1).unwrap()).collect();
    assert_eq!(openings, ["B2 C3", "A1", "C3 B2"]);
    for (text, line, fault) in [
        ("B2\nB2 B2\n", line.to_string(), "opening 2 (`B2 B2`): turn 2: B2: the point is not empty"),
        ("B2\n", format!("{line} --pairs 2"), "there are 1 openings for 2 pairs; ask for at most as many pairs"),
        ("# none\n", line.to_string(), "--openings: openings.txt holds no opening"),
    ] {
        fs::write(folder.path().join("openings.txt"), text).unwrap();
        let refused = fairkomi(folder.path(), &format!("{line} --out new"));
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert!(refused.err.contains(fault), "{refused:?}");
    }
    assert!(!folder.path().join("new").exists());
}

#[test]
fn training_survives_kills_and_does_not_depend_on_threads() {
    let folder = folder();
    done(folder.path(), "selfplay --game yugo --size 3 --games 60 --visits 4 --out data");
    let line = |threads: usize, out: &str| {
        format!(
            "train --data data --layers 4 --channels 16 --epochs 20 --patience 20 --batch 64 --chunks 4 \
             --validation 0.2 --threads {threads} --out {out}/net.safetensors"
        )
    };
    let expected = done(folder.path(), &line(1, "calm"));
    done(folder.path(), &line(3, "calm3"));
    assert_same(&folder.path().join("calm3"), &folder.path().join("calm"));

    let (state, net) = (folder.path().join("rough/net.state"), folder.path().join("rough/net.safetensors"));
    // After one more epoch.
    let running = |threads: usize, pause: u64| {
        let before = fs::read(&state).ok();
        let mut running = Running::start(folder.path(), &line(threads, "rough"));
        running.wait_for(|| fs::read(&state).ok() != before);
        sleep(Duration::from_millis(pause));
        running
    };
    let mut hits = 0;
    let mut kill = |threads, pause| {
        running(threads, pause).kill();
        hits += u32::from(!net.exists());
    };
    kill(2, 0);
    let (ended, time) = running(2, 0).interrupt();
    let go_on = command_to_go_on(&ended);
    assert!(time < STOP, "{time:?}");
    kill(1, 9);
    kill(3, 23);
    println!("{hits} of 3 kills hit, stopped after {time:?}");
    assert!(hits > 0, "no kill hit an unfinished training");
    assert_eq!(by_shell(folder.path(), &go_on), expected.replace("calm/", "rough/"));
    assert_same(&folder.path().join("rough"), &folder.path().join("calm"));
}

/// All four games on small boards; what a kill can hit is all there.
const PIPELINE: &str = r#"
seed = 5
batch = 16
[selfplay]
generations = 2
games = 24
visits = 6
shard = 6
opening_turns = 2
[train]
layers = 1
channels = 8
epochs = 3
patience = 3
batch = 64
chunks = 2
validation = 0.2
[gate]
pairs = 6
visits = 6
[rating]
pairs = 4
visits = 6
[komi]
games = 24
block = 6
visits = 6
[balance]
games = 8
visits = 6
[match]
pairs = 6
visits = 6
[[board]]
game = "yugo"
size = 1
[[board]]
game = "yugo"
size = 2
[[board]]
game = "linage"
size = 3
[[board]]
game = "fugo"
size = 2
[[board]]
game = "fugo"
size = 3
[[board]]
game = "sligo"
size = 2
"#;

#[test]
fn pipeline_survives_kills() {
    let folder = folder();
    fs::write(folder.path().join("config.toml"), PIPELINE).unwrap();
    let line = |threads: usize, out: &str| format!("pipeline --config config.toml --threads {threads} --out {out}");
    done(folder.path(), &line(2, "calm"));
    let calm = files(&folder.path().join("calm"));
    let stages = calm.len();

    let run = folder.path().join("rough");
    let summary = run.join("summary.csv");
    let running = |threads: usize, part: f64, pause: u64| {
        let mut running = Running::start(folder.path(), &line(threads, "rough"));
        running.wait_for(|| run.exists() && count(&run) as f64 >= part * stages as f64);
        sleep(Duration::from_millis(pause));
        running
    };
    let mut hits = 0;
    let mut kill = |threads, part, pause| {
        running(threads, part, pause).kill();
        hits += u32::from(!summary.exists());
    };
    // Ten moments at random, the same in each test run as far as the machine is as fast.
    let mut rng = ChaCha8Rng::seed_from_u64(10);
    let mut moments: Vec<f64> = (0..10).map(|_| rng.random_range(0.01..0.95)).collect();
    moments.sort_by(f64::total_cmp);
    for part in &moments[..5] {
        kill(rng.random_range(1..=3), *part, rng.random_range(0..40));
    }
    // When it has written some files of its own, the program is past its start.
    let before = count(&run);
    let mut interrupted = Running::start(folder.path(), &line(3, "rough"));
    interrupted.wait_for(|| count(&run) > before + 2);
    let (ended, time) = interrupted.interrupt();
    let go_on = command_to_go_on(&ended);
    assert!(time < STOP, "{time:?}");
    for part in &moments[5..] {
        kill(rng.random_range(1..=3), *part, rng.random_range(0..40));
    }
    println!("{hits} of 10 kills hit, stopped after {time:?}");
    assert!(hits >= 5, "hardly a kill hit an unfinished run");
    by_shell(folder.path(), &go_on);
    assert_same(&run, &folder.path().join("calm"));

    assert!(calm.contains_key("summary.csv"));
    assert_eq!(calm.keys().filter(|name| name.ends_with(".safetensors")).count(), 4 * 2);
    let runs: Vec<&str> = calm.keys().filter_map(|name| name.strip_suffix("/manifest.json")).collect();
    // Two times self-play, a gate, a rating against playouts, komi, balance and the match; more ratings after a promotion.
    assert!(runs.len() >= 6 * 7, "{runs:?}");
    let status = done(folder.path(), "pipeline status --out rough");
    assert_eq!(status.matches(": 2 of 2 generations").count(), 4, "{status}");
    done(&run, &format!("data check {}", runs.join(" ")));
}

/// The number of files below a folder that is being written.
fn count(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| if entry.path().is_dir() { count(&entry.path()) } else { 1 }).sum()
}

/// A search of a million visits takes hours, a stop does not.
#[test]
fn a_long_search_can_be_stopped() {
    for game in GameKind::ALL {
        let folder = folder();
        let line = format!("selfplay --game {game} --size 9 --games 9 --visits 1000000 --threads 2 --out run");
        let mut running = Running::start(folder.path(), &line);
        running.wait_for(|| folder.path().join("run/manifest.json").exists());
        sleep(Duration::from_millis(50));
        let (ended, time) = running.interrupt();
        command_to_go_on(&ended);
        assert!(time < STOP, "{game}: {time:?}");
    }
}

/// A measurement of speed that is stopped before it has found anything leaves nothing that would be in the next one's way.
#[test]
fn a_measurement_of_speed_can_be_stopped_at_once_and_begun_again() {
    let folder = folder();
    let speed = folder.path().join("speed");
    let long = "bench --game linage --size 9 --games 100000 --seconds 1 --out speed";
    let mut running = Running::start(folder.path(), long);
    running.wait_for(|| speed.exists());
    sleep(Duration::from_millis(500));
    let (ended, time) = running.interrupt();
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.err.contains("stopped before the first round was finished"), "{ended:?}");
    assert!(time < STOP, "{time:?}");
    assert_eq!(count(&speed), 0, "no file is left");
    done(folder.path(), "bench --game linage --size 3 --games 16 --batch 16 --rounds 1 --seconds 1 --out speed");
    assert!(speed.join("bench.csv").exists());
}

#[test]
fn a_run_is_written_by_one_process_at_a_time() {
    let folder = folder();
    let line = "selfplay --game sligo --size 9 --games 100000 --threads 1 --out run";
    let mut running = Running::start(folder.path(), line);
    running.wait_for(|| folder.path().join("run/manifest.json").exists());
    let second = fairkomi(folder.path(), line);
    assert_eq!(second.code, Some(2), "{second:?}");
    assert!(
        second
            .err
            .starts_with("error: run is being written by another process; wait until it ends or stop it, or choose"),
        "{second:?}"
    );
    assert!(running.child().try_wait().unwrap().is_none(), "the first one goes on");
    running.kill();
    // Its lock is gone with it.
    let mut running = Running::start(folder.path(), line);
    running.wait_for(|| fs::read_to_string(folder.path().join("run/log.jsonl")).unwrap().lines().count() >= 2);
    assert!(running.child().try_wait().unwrap().is_none(), "it goes on with a run whose process was killed");

    fs::write(folder.path().join("config.toml"), PIPELINE.replace("games = 24", "games = 100000")).unwrap();
    let line = "pipeline --config config.toml --out all";
    let mut first = Running::start(folder.path(), line);
    first.wait_for(|| folder.path().join("all/run.toml").exists());
    let second = fairkomi(folder.path(), line);
    assert_eq!(second.code, Some(2), "{second:?}");
    assert!(second.err.contains("all is being written by another process"), "{second:?}");
}

#[test]
fn a_pipeline_with_more_generations_goes_on() {
    let folder = folder();
    let board = "[[board]]\ngame = \"linage\"\nsize = 3\n";
    let config = PIPELINE.split("[[board]]").next().unwrap().to_string() + board;
    fs::write(folder.path().join("two.toml"), &config).unwrap();
    fs::write(folder.path().join("one.toml"), config.replace("generations = 2", "generations = 1")).unwrap();
    done(folder.path(), "pipeline --config two.toml --out at-once");
    done(folder.path(), "pipeline --config one.toml --out run");
    let run = folder.path().join("run");
    let before = files(&run);
    done(folder.path(), "pipeline --config two.toml --out run");

    // What was measured after the first generation is all there, under another name.
    let after = files(&run);
    let aside = |name: &str| {
        let moved = ["linage/3x3/komi/", "linage/3x3/balance/", "linage/3x3/match/", "report-plots/"];
        match moved.iter().find(|part| name.starts_with(**part)) {
            Some(part) => name.replace(part, &format!("{}-after-1/", part.trim_end_matches('/'))),
            None => name.replace("summary.csv", "summary-after-1.csv"),
        }
    };
    let moved = before.keys().filter(|name| aside(name) != **name);
    assert!(moved.clone().count() >= 10, "{:?}", before.keys());
    moved.for_each(|name| assert!(after[&aside(name)] == before[name], "{name}"));
    assert!(run.join("report-after-1.txt").exists() && run.join("report.txt").exists());

    // The rest is as if there had been two generations from the start.
    for part in ["linage/3x3/komi", "linage/3x3/balance", "linage/3x3/match", "report-plots"] {
        fs::remove_dir_all(run.join(format!("{part}-after-1"))).unwrap();
    }
    for told in ["summary-after-1.csv", "report-after-1.txt", "report-after-1.html"] {
        fs::remove_file(run.join(told)).unwrap();
    }
    assert_same(&run, &folder.path().join("at-once"));

    // Never fewer, and nothing else.
    let fewer = fairkomi(folder.path(), "pipeline --config one.toml --out run");
    assert_eq!(fewer.code, Some(2), "{fewer:?}");
    assert!(fewer.err.contains("`selfplay.generations` was 2 and is now 1"), "{fewer:?}");
    let other = config.replace("generations = 2", "generations = 3").replace("seed = 5", "seed = 6");
    fs::write(folder.path().join("other.toml"), other).unwrap();
    let other = fairkomi(folder.path(), "pipeline --config other.toml --out run");
    assert_eq!(other.code, Some(2), "{other:?}");
    assert!(other.err.contains("`seed` was 5 and is now 6"), "{other:?}");
}

/// Changes a file of a run, and corrects its checksum in the manifest as a careful forger does.
fn forge(run: &Path, name: &str, change: impl Fn(&str) -> String) {
    let path = run.join("shards").join(name);
    let text = change(&fs::read_to_string(&path).unwrap());
    fs::write(&path, &text).unwrap();
    let manifest_path = run.join("manifest.json");
    let mut manifest: Value = serde_json::from_slice(&fs::read(&manifest_path).unwrap()).unwrap();
    let hash: String = Sha256::digest(&text).iter().map(|byte| format!("{byte:02x}")).collect();
    let kind = if name.starts_with("games") { "games_file" } else { "positions_file" };
    let entry = &mut manifest["shards"][0][kind];
    assert_eq!(entry["name"], name);
    entry["bytes"] = json!(text.len());
    entry["sha256"] = json!(hash);
    fs::write(&manifest_path, manifest.to_string()).unwrap();
}

/// The text with one field changed: that of a row's `column`, the header being row 0.
fn with_field(text: &str, row: usize, column: &str, value: &str) -> String {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
    let mut rows: Vec<Vec<String>> =
        reader.records().map(|row| row.unwrap().iter().map(str::to_string).collect()).collect();
    let at = rows[0].iter().position(|name| name == column).unwrap();
    assert_ne!(rows[row][at], value);
    rows[row][at] = value.to_string();
    let mut writer = csv::Writer::from_writer(Vec::new());
    rows.iter().for_each(|row| writer.write_record(row).unwrap());
    String::from_utf8(writer.into_inner().unwrap()).unwrap()
}

#[test]
fn what_was_tampered_with_is_found_and_named() {
    let folder = folder();
    let line = "selfplay --game sligo --size 2 --games 6 --visits 4 --threads 1 --shard 6 --out";
    let (games, positions) = ("games-000000.csv", "positions-000000.csv");
    for (file, row, column, value) in [
        (games, 2, "winner", "draw"),
        (games, 2, "black_score", "4.5"),
        (games, 5, "turns", "pass pass pass"),
        (games, 4, "board", "XX/XX"),
        (games, 1, "game_index", "7"),
        (positions, 9, "board", "OO/OO"),
        (positions, 4, "player", "white"),
        (positions, 7, "outcome", "0.5"),
        (positions, 2, "step", "B2"),
        (positions, 3, "root_value", "1.5"),
    ] {
        let run = format!("{file}-{column}");
        done(folder.path(), &format!("{line} {run}"));
        let path = folder.path().join(&run);
        forge(&path, file, |text| with_field(text, row, column, value));
        let ended = fairkomi(folder.path(), &format!("data check {run}"));
        assert_eq!(ended.code, Some(2), "{column}: {ended:?}");
        let place = format!("error: {run}/shards/{file}:{}", row + 1);
        assert!(ended.err.starts_with(&place), "{place}: {ended:?}");
        assert!(ended.err.contains(&format!("column `{column}`")) || column == "turns", "{column}: {ended:?}");
    }

    // A byte is enough to be found by the checksum.
    done(folder.path(), &format!("{line} byte"));
    let path = folder.path().join("byte/shards").join(games);
    let mut bytes = fs::read(&path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&path, bytes).unwrap();
    for command in ["data check byte", "data stats byte", &format!("{line} byte")] {
        let ended = fairkomi(folder.path(), command);
        assert_eq!(ended.code, Some(2), "{command}: {ended:?}");
        let place =
            format!("error: byte/shards/{games}: its checksum is not that of the bytes that were written; restore");
        assert!(ended.err.starts_with(&place), "{command}: {ended:?}");
    }
}
