//! What the documentation promises: help with examples that work, the loader in `docs/data.md`, the sample data.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest, Sha256};

use crate::program::{Running, done, fairkomi, files, folder, network};
use fairkomi::games::GameKind;

/// The names in the list of commands that a help text shows.
fn commands(help: &str) -> Vec<String> {
    let list = help.split_once("Commands:\n").expect("there are commands").1;
    let lines = list.lines().take_while(|line| !line.is_empty());
    // A description may go on in a second line, which is indented deeper.
    let names = lines.filter(|line| !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_string).collect()
}

#[test]
fn every_command_explains_itself_with_an_example() {
    let folder = folder();
    let all = done(folder.path(), "--help");
    let names = commands(&all);
    for name in [
        "pipeline", "selfplay", "train", "komi", "balance", "match", "rate", "solve", "gtp", "report", "data",
        "position", "perft", "doctor",
    ] {
        assert!(names.iter().any(|found| found == name), "{name} is not in {names:?}");
    }
    for name in [""].into_iter().chain(names.iter().map(String::as_str)) {
        let help = done(folder.path(), &format!("{name} --help"));
        let usage = format!("Usage: fairkomi {name}");
        assert!(help.contains(usage.trim_end()), "{name}: {help}");
        assert!(["Example:\n", "Examples:\n"].iter().any(|title| help.contains(title)), "{name}: {help}");
        assert!(done(folder.path(), &format!("{name} -h")).contains(usage.trim_end()), "{name}");
    }
    for name in commands(&done(folder.path(), "data --help")) {
        assert!(done(folder.path(), &format!("data {name} --help")).contains(&format!("Usage: fairkomi data {name}")));
    }
}

/// The examples of the help texts, which a user copies, do begin their work.
#[test]
fn examples_of_help_texts_work() {
    let folder = folder();
    let path = folder.path();
    let put_networks = || {
        for game in [GameKind::Yugo, GameKind::Sligo] {
            fs::write(path.join(format!("{game}.safetensors")), network(game)).unwrap();
        }
    };
    put_networks();
    fs::create_dir(path.join("configs")).unwrap();
    fs::copy(root().join("configs/quick.toml"), path.join("configs/quick.toml")).unwrap();
    let play = |run: &str, seed: u64| {
        done(path, &format!("selfplay --game yugo --size 2 --games 4 --visits 2 --seed {seed} --out {run}"))
    };
    play("runs/yugo7", 1);
    play("data/sample/yugo", 2);
    play("runs/new", 3);
    let mut examples = 0;
    for name in commands(&done(path, "--help")) {
        let help = done(path, &format!("{name} --help"));
        for line in help.lines().filter_map(|line| line.strip_prefix("  fairkomi ")) {
            let out = line.split_once("--out ").map(|(_, out)| path.join(out));
            if let Some(network) = out.as_ref().filter(|_| name == "train") {
                // It makes one and writes over none.
                fs::remove_file(network).unwrap();
            }
            let mut running = Running::start(path, line);
            // When the first file is there, enough is known.
            running.wait_for(|| {
                out.as_ref().is_some_and(|out| {
                    out.join("manifest.json").exists()
                        || out.join("log.jsonl").exists()
                        || out.join("bench.csv").exists()
                        || out.with_extension("state").exists()
                })
            });
            if let Some(status) = running.child().try_wait().unwrap() {
                // `doctor` may find fault with the machine.
                assert!(status.code() == Some(0) || name == "doctor" && status.code() == Some(1), "{line}: {status}");
            }
            running.kill();
            examples += 1;
            put_networks();
            if name == "selfplay" {
                // Further examples go on with what it would have played in the end.
                fs::remove_dir_all(path.join("runs/yugo5")).unwrap();
                play("runs/yugo5", 4);
            }
        }
    }
    assert!(examples >= 10, "{examples}");
}

#[test]
fn calibration_looks_at_one_position_a_game() {
    let folder = folder();
    let path = folder.path();
    for game in [GameKind::Yugo, GameKind::Sligo] {
        fs::write(path.join(format!("{game}.safetensors")), network(game)).unwrap();
    }
    for (run, size) in [("a", 2), ("b", 3)] {
        let games = "--games 20 --visits 4 --opening-turns 2";
        done(path, &format!("selfplay --game yugo --size {size} {games} --out {run}"));
    }
    let text = done(path, "data calibration a b --net yugo.safetensors --out bins.csv");
    assert!(text.contains("yugo: one random position of each of 40 games"), "{text}");
    let bins = fs::read_to_string(path.join("bins.csv")).unwrap();
    let rows: Vec<Vec<&str>> = bins.lines().skip(1).map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 10);
    assert_eq!(rows.iter().map(|row| row[2].parse::<u64>().unwrap()).sum::<u64>(), 40);
    for row in rows.iter().filter(|row| row[2] != "0") {
        let [from, to, value, result, low, high] = [0, 1, 3, 4, 5, 6].map(|at| row[at].parse::<f64>().unwrap());
        assert!(from <= value && value <= to && low <= result && result <= high, "{row:?}");
    }
    assert_eq!(text, done(path, "data calibration a b --net yugo.safetensors"));
    let refused = fairkomi(path, "data calibration a --net yugo.safetensors --out yugo.safetensors");
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("yugo.safetensors is there already; name another file"), "{refused:?}");
    let refused = fairkomi(path, "data calibration a --net sligo.safetensors");
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("plays sligo, the games are of yugo"), "{refused:?}");

    // An untrained network that says nothing is as sure as before; games tell how sure it may be on their boards.
    let text = done(path, "data scale a b --net yugo.safetensors --out scaled.safetensors");
    let sides: Vec<&str> = text.lines().filter(|line| line.contains('x') && line.contains("20 │")).collect();
    assert_eq!(sides.len(), 2, "{text}");
    let again = done(path, "data scale a b --net yugo.safetensors --out again.safetensors");
    assert_eq!(again.replace("again", "scaled"), text);
    let whole = done(path, "data scale a --net scaled.safetensors --out one.safetensors");
    assert_eq!(whole.replace("one.safetensors", "scaled.safetensors"), text, "its own scaling is no part of the fit");
    let losses = ["yugo", "scaled"].map(|net| {
        let text = done(path, &format!("data calibration a b --net {net}.safetensors"));
        text.split("cross-entropy ").nth(1).unwrap().split(' ').next().unwrap().parse::<f64>().unwrap()
    });
    assert!(losses[1] < losses[0] + 0.01, "{losses:?}");
    let refused = fairkomi(path, "data scale a --net yugo.safetensors --out scaled.safetensors");
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("scaled.safetensors is there already; name another file"), "{refused:?}");
}

/// The folder of the crate.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_loader_of_the_data_page_reads_every_position_with_an_outcome() {
    if !Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success()) {
        println!("skipped: there is no python3");
        return;
    }
    let folder = folder();
    let page = fs::read_to_string(root().join("docs/data.md")).unwrap();
    let script = page.split_once("```python\n").unwrap().1.split_once("```").unwrap().0;
    // The numbers are looked at too, by a script that uses the page's as a module.
    fs::write(folder.path().join("loader.py"), script).unwrap();
    let probe = "import sys, loader\nfor planes, policy, outcome in loader.examples(sys.argv[1]):\n    \
                 print(len(planes), sum(map(sum, planes)), sum(policy), len(policy), outcome)\n";
    fs::write(folder.path().join("probe.py"), probe).unwrap();
    for (game, size, more) in [("yugo", 3, ""), ("linage", 4, ""), ("fugo", 3, "--pie"), ("sligo", 3, "--move-cap 20")]
    {
        let line = format!("selfplay --game {game} --size {size} --games 12 --shard 5 --visits 6 {more} --out {game}");
        done(folder.path(), &line);
        let (mut all, mut expected) = (0, Vec::new());
        for (name, bytes) in files(&folder.path().join(game).join("shards")) {
            if name.starts_with("positions-") {
                let mut reader = csv::Reader::from_reader(bytes.as_slice());
                let header = reader.headers().unwrap().clone();
                for row in reader.records() {
                    let row = row.unwrap();
                    let field = |name: &str| &row[header.iter().position(|column| column == name).unwrap()];
                    all += 1;
                    if let Ok(outcome) = field("outcome").parse::<f64>() {
                        let pieces = field("board").chars().filter(|cell| "XO#@".contains(*cell)).count();
                        let visits: u32 = field("policy")
                            .split(' ')
                            .map(|entry| entry.split_once(':').unwrap().1.parse::<u32>().unwrap())
                            .sum();
                        expected.push(format!("4 {pieces}.0 {visits} {} {outcome:?}", size * size + 3));
                    }
                }
            }
        }
        assert!(!expected.is_empty() && (game == "sligo") == (expected.len() < all), "{game}: {}", expected.len());
        let python = |script: &str| {
            let output = Command::new("python3").current_dir(folder.path()).args([script, game]).output().unwrap();
            assert!(output.status.success(), "{output:?}");
            String::from_utf8(output.stdout).unwrap()
        };
        assert_eq!(python("loader.py"), format!("{} examples\n", expected.len()), "{game}");
        assert_eq!(python("probe.py").lines().collect::<Vec<_>>(), expected, "{game}");
    }
}

#[test]
fn the_sample_data_are_sound_and_small() {
    let sample = root().join("data/sample");
    let Ok(entries) = fs::read_dir(&sample) else {
        println!("skipped: there is no {}", sample.display());
        return;
    };
    let runs: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect();
    assert!(!runs.is_empty());
    let folder = folder();
    for run in &runs {
        assert!(done(folder.path(), &format!("data check {}", run.display())).contains("all as the rules say"));
    }
    let bytes: usize = files(&sample).values().map(Vec::len).sum();
    assert!(bytes < 1_000_000, "{bytes} bytes");
}

#[test]
fn the_networks_that_come_with_the_program_play() {
    let nets = root().join("data/nets");
    for game in ["yugo", "linage", "fugo", "sligo"] {
        let file = nets.join(format!("{game}.safetensors"));
        let bytes = fs::metadata(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display())).len();
        assert!(bytes < 2_000_000, "{game}: {bytes} bytes");
        let folder = folder();
        let net = file.display();
        done(folder.path(), &format!("selfplay --game {game} --size 5 --games 2 --visits 8 --net {net} --out run"));
        done(folder.path(), "data check run");
    }
}

#[test]
fn published_komi_are_of_the_boards_listed_and_the_networks_here() {
    let mut reader = csv::Reader::from_path(root().join("data/fair_komi.csv")).unwrap();
    let mut rows: Vec<HashMap<String, String>> = reader.deserialize().collect::<Result<_, _>>().unwrap();
    for game in GameKind::ALL {
        let network = fs::read(root().join(format!("data/nets/{game}.safetensors"))).unwrap();
        let hash: String = Sha256::digest(network).iter().take(6).map(|byte| format!("{byte:02x}")).collect();
        let list = fs::read_to_string(root().join(format!("configs/results/{game}.txt"))).unwrap();
        let mut sizes = BTreeSet::new();
        for line in list.lines().filter(|line| !line.starts_with('#')) {
            let [size, visits, games, more @ ..] = &line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
            let handicap = more.iter().skip_while(|flag| **flag != "--handicap").nth(1).unwrap_or(&"0");
            let is_it = |row: &HashMap<String, String>| {
                row["game"] == game.name()
                    && [&row["size"], &row["visits"], &row["handicap"]] == [*size, *visits, *handicap]
            };
            let at = rows.iter().position(is_it).unwrap_or_else(|| panic!("{game}: no row for {line}"));
            let row = rows.remove(at);
            let number = |name: &str| row[name].parse::<f64>().unwrap_or_else(|_| panic!("{name}: {row:?}"));
            assert_eq!((row["network"].as_str(), row["games"].as_str()), (hash.as_str(), *games), "{row:?}");
            assert!(number("games") >= 200.0, "{row:?}");
            assert!(number("score_low") <= number("score") && number("score") <= number("score_high"), "{row:?}");
            assert_eq!(row["fair_komi"].is_empty(), !game.has_score() || row["status"].starts_with("not"), "{row:?}");
            if !row["fair_komi"].is_empty() {
                assert!(number("low") <= number("fair_komi") && number("fair_komi") <= number("high"), "{row:?}");
            }
            assert_eq!(row["fairest_opening"].is_empty(), game.has_score(), "{row:?}");
            let flags = format!("--game {game} --size {size} ");
            assert!(row["command"].starts_with(&format!("fairkomi komi {flags}")), "{row:?}");
            sizes.insert(size.parse::<usize>().unwrap());
        }
        assert!(sizes.is_superset(&(3..=9).collect()), "{game}: {sizes:?}");
    }
    assert!(rows.is_empty(), "rows that configs/results does not list: {rows:?}");
}

#[test]
fn published_values_are_what_the_solver_says() {
    let folder = folder();
    let text = fs::read_to_string(root().join("data/exact.csv")).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').collect()).collect();
    assert!(rows.len() >= 20);
    for row in rows {
        let [game, size, handicap, value, with_pie, _, positions, method, command, _] = row[..] else {
            panic!("{row:?}")
        };
        let flag = match handicap {
            "0" if (game, size) == ("yugo", "4") => " --memory 4096 --threads 1".to_string(),
            "0" => String::new(),
            pawns => format!(" --handicap {pawns}"),
        };
        assert_eq!(command, format!("fairkomi solve --game {game} --size {size}{flag}"));
        // What takes seconds is compared in the solver's own tests.
        if positions.parse::<u64>().unwrap() < 500_000 {
            let said = done(folder.path(), command.strip_prefix("fairkomi ").unwrap());
            assert!(said.ends_with(&format!("\n{value}\n")), "{command}: {said}");
            assert!(said.contains(&format!(" by {method}: {positions} positions")), "{command}: {said}");
            assert!(with_pie.is_empty() || said.contains(&format!("\nwith pie: {with_pie}\n")), "{command}: {said}");
        }
    }
}
