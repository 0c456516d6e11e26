//! Wrong input and failures on the way: each is told with its place and a cure, and none is a panic.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use fairkomi::games::GameKind;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::program::{
    Ended, PROGRAM, TRAINING, assert_same, command, done, fairkomi, files, folder, network, put_network,
};

/// The run that most cases begin with.
const RUN: &str = "selfplay --game yugo --size 2 --games 6 --visits 4 --shard 3";

/// The end of a config that is right.
const BOARD: &str = "[[board]]\ngame = \"yugo\"\nsize = 2\n";

/// Each case: a command line, its exit code, and what the error says.
fn check(folder: &Path, cases: &[(&str, i32, &[&str])]) {
    for (line, code, texts) in cases {
        let ended = fairkomi(folder, line);
        assert_eq!(ended.code, Some(*code), "{line}: {ended:?}");
        assert!(ended.err.contains("error: ") && ended.out.is_empty(), "{line}: {ended:?}");
        for text in *texts {
            assert!(ended.err.contains(text), "{line}: `{text}` is not in {}", ended.err);
        }
        // Causes are told once.
        assert!(ended.err.matches("os error").count() <= 1, "{line}: {}", ended.err);
    }
}

/// A run of `RUN`, a network of Yugo and other files to make trouble with.
fn start() -> TempDir {
    let folder = folder();
    done(folder.path(), &format!("{RUN} --out run"));
    put_network(folder.path(), GameKind::Yugo);
    folder
}

/// The folder with all its files again.
fn copy(folder: &Path, from: &str, to: &str) {
    let status = Command::new("cp").current_dir(folder).args(["-r", from, to]).status();
    assert!(status.expect("there is cp").success());
}

#[test]
fn faults_of_configs() {
    let folder = folder();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("key.toml", &format!("seed = 1\n[selfplay]\nvisitz = 3\n{BOARD}"));
    write("type.toml", &format!("seed = \"one\"\n{BOARD}"));
    write("range.toml", &format!("seed = 1\nbatch = 8\n{BOARD}"));
    write("toml.toml", &format!("seed = 1\nbatch = = 16\n{BOARD}"));
    write("torn.toml", &format!("seed = 1\n{BOARD}[komi"));
    write("none.toml", "seed = 1\n");
    write("twice.toml", &format!("seed = 1\n{BOARD}{BOARD}"));
    write("many.toml", "batch = 8\n[train]\nepochs = 0\nfoo = 1\n[[board]]\ngame = \"chess\"\nsize = 20\n");
    write("linage.toml", "seed = 1\n[[board]]\ngame = \"linage\"\nsize = 2\n");
    write("pie.toml", "seed = 1\n[[board]]\ngame = \"sligo\"\nsize = 3\npie = true\n");
    write("right.toml", &format!("seed = 1\n{BOARD}"));
    fs::write(folder.path().join("bytes.toml"), b"seed = 1\n# \xff\n").unwrap();
    check(
        folder.path(),
        &[
            ("pipeline --config key.toml --out new", 2, &["key.toml:3:1: selfplay.visitz: unknown key (", "visits"]),
            (
                "pipeline --config type.toml --out new",
                2,
                &["type.toml:1:8: seed: \"one\" is not allowed (a whole number"],
            ),
            (
                "pipeline --config range.toml --out new",
                2,
                &["range.toml:2:9: batch: 8 is not allowed (a whole number from 16 to 4096)"],
            ),
            ("pipeline --config toml.toml --out new", 2, &["toml.toml:2:9: extra `=`"]),
            ("pipeline --config torn.toml --out new", 2, &["torn.toml:5:6: "]),
            (
                "pipeline --config none.toml --out new",
                2,
                &["none.toml: board: is missing (one [[board]] with game and size"],
            ),
            (
                "pipeline --config twice.toml --out new",
                2,
                &["twice.toml:7:8: board[2].size: the same board as board[1]"],
            ),
            (
                "pipeline --config many.toml --out new",
                2,
                &[
                    "error: 6 faults:\n",
                    "many.toml: seed: is missing",
                    "many.toml:1:9: batch: 8",
                    "many.toml:3:10: train.epochs: 0",
                    "many.toml:4:1: train.foo: unknown key",
                    "many.toml:6:8: board[1].game: \"chess\" is not allowed (yugo, linage, fugo, sligo)",
                    "many.toml:7:8: board[1].size: 20",
                ],
            ),
            (
                "pipeline --config linage.toml --out new",
                2,
                &["linage.toml:4:8: board[1].size: size 2 is not allowed in linage (3 to 19)"],
            ),
            ("pipeline --config pie.toml --out new", 2, &["pie.toml:5:7: board[1].pie: the pie rule belongs to fugo"]),
            ("pipeline --config bytes.toml --out new", 2, &["bytes.toml:2:3: is not UTF-8 text"]),
            ("pipeline --config absent.toml --out new", 2, &["absent.toml: cannot be read: No such file"]),
            ("pipeline --config . --out new", 2, &[".: cannot be read: Is a directory"]),
            (
                "pipeline --config right.toml --out new --threads 0",
                2,
                &["--threads: 0 is not allowed (a whole number from 1 to 1024)"],
            ),
            (
                "pipeline --config right.toml --out right.toml",
                1,
                &["cannot write right.toml: ", "a file is in the way: choose another directory"],
            ),
            ("pipeline --config right.toml", 2, &["--out <DIR>"]),
        ],
    );
    assert!(!folder.path().join("new").exists(), "wrong input leaves nothing behind");
}

#[test]
fn faults_of_flags() {
    let folder = folder();
    check(
        folder.path(),
        &[
            ("selfplay --game yugo --size 0 --out new", 2, &["--size: 0 is not allowed (a whole number from 1 to 19)"]),
            (
                "selfplay --game yugo --size 20 --out new",
                2,
                &["--size: 20 is not allowed (a whole number from 1 to 19)"],
            ),
            ("selfplay --game linage --size 2 --out new", 2, &["--size: size 2 is not allowed in linage (3 to 19)"]),
            ("selfplay --game chess --size 5 --out new", 2, &["`chess` is not a game (yugo, linage, fugo, sligo)"]),
            ("selfplay --game yugo --size five --out new", 2, &["'five' for '--size <N>'"]),
            (
                "selfplay --game yugo --size 3 --handicap 9 --out new",
                2,
                &["--handicap: handicap 9 is not allowed in yugo on 3x3 (", "at most)"],
            ),
            (
                "selfplay --game sligo --size 3 --pie --out new",
                2,
                &["--pie: the pie rule belongs to fugo, not to sligo"],
            ),
            (
                "selfplay --game yugo --size 3 --komi 0.25 --out new",
                2,
                &["`0.25` is not a number of half points, such as 3 or 3.5"],
            ),
            ("selfplay --game fugo --size 3 --komi 1 --out new", 2, &["--komi: komi 1 is not allowed in fugo"]),
            (
                "selfplay --game yugo --size 3 --komi 0.5 --komi-spread 0 --out new",
                2,
                &["--komi: komi 0.5 is not allowed in yugo (whole points only)"],
            ),
            ("selfplay --game yugo --size 3 --threads 0 --out new", 2, &["--threads: 0 is not allowed"]),
            ("selfplay --game yugo --size 3 --games 0 --out new", 2, &["--games: 0 is not allowed"]),
            ("selfplay --game yugo --size 3 --visits 0 --out new", 2, &["--visits: 0 is not allowed"]),
            (
                "selfplay --game yugo --size 3 --batch 8 --out new",
                2,
                &["--batch: 8 is not allowed (a whole number from 16 to 4096)"],
            ),
            (
                "selfplay --game yugo --size 3 --shard 257 --out new",
                2,
                &["--shard: 257 is not allowed (a whole number from 1 to 256)"],
            ),
            (
                "selfplay --game yugo --size 3 --temperature inf --out new",
                2,
                &["--temperature: inf is not allowed (a number from"],
            ),
            (
                "selfplay --game yugo --size 3 --games 0 --visits 0 --batch 8 --threads 0 --out new",
                2,
                &["error: 4 faults:\n", "--games: 0", "--visits: 0", "--batch: 8", "--threads: 0"],
            ),
            ("selfplay --game yugo --size 3", 2, &["--out <DIR>"]),
            ("selfplay --game yugo --size 3 --out new --visit 3", 2, &["'--visit'", "--visits"]),
            (
                "komi --game yugo --size 3 --start 0.5 --out new",
                2,
                &["--start: komi 0.5 is not allowed in yugo (whole points only)"],
            ),
            (
                "komi --game yugo --size 3 --games 100 --block 64 --out new",
                2,
                &["--games: 100 is not allowed (at least two blocks, which are 128)"],
            ),
            ("balance --game linage --size 3 --komi 1 --out new", 2, &["--komi: komi 1 is not allowed in linage"]),
            ("balance --game yugo --size 3 --komi 1 1 --out new", 2, &["--komi: 1 is given twice"]),
            ("match --game yugo --size 3 --pairs 0 --b-visits 0 --out new", 2, &["--pairs: 0", "--b-visits: 0"]),
            (
                "train --data x --out new --batch 16 --chunks 32",
                2,
                &["--chunks: 32 is not allowed (at most the batch, which is 16)"],
            ),
            ("train --out new", 2, &["--data <DIR>..."]),
            ("perft --game yugo --size 3 --depth -1", 2, &["'-1'"]),
            ("replay", 2, &["'replay'"]),
        ],
    );
    assert!(!folder.path().join("new").exists(), "wrong input leaves nothing behind");
}

#[test]
fn faults_of_networks() {
    let folder = folder();
    let good = network(GameKind::Yugo);
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    write("good.safetensors", good);
    write("text.safetensors", b"once upon a time there was a file that was no network");
    write("empty.safetensors", b"");
    write("head.safetensors", &good[..300]);
    write("torn.safetensors", &good[..good.len() - 100]);
    let mut nan = good.to_vec();
    let end = nan.len();
    nan[end - 4..].copy_from_slice(&f32::NAN.to_le_bytes());
    write("nan.safetensors", &nan);
    let play = "selfplay --game yugo --size 3 --games 1 --out new --net";
    let cure = "give a whole file as `fairkomi train` writes it";
    check(
        folder.path(),
        &[
            (&format!("{play} absent.safetensors"), 2, &["absent.safetensors: No such file"]),
            (&format!("{play} ."), 2, &[".: Is a directory"]),
            (&format!("{play} text.safetensors"), 2, &["text.safetensors: this is not a safetensors file", cure]),
            (&format!("{play} empty.safetensors"), 2, &["empty.safetensors: this is not a safetensors file", cure]),
            (&format!("{play} head.safetensors"), 2, &["head.safetensors: this is not a safetensors file", cure]),
            (&format!("{play} torn.safetensors"), 2, &["torn.safetensors: this is not a safetensors file", cure]),
            (&format!("{play} nan.safetensors"), 2, &["nan.safetensors: the tensor `", "` holds a NaN"]),
            (
                "komi --game sligo --size 3 --out new --net good.safetensors",
                2,
                &["good.safetensors: the network plays yugo, not sligo; give one that was trained on sligo"],
            ),
            ("match --game yugo --size 3 --out new --b-net torn.safetensors", 2, &["torn.safetensors: "]),
        ],
    );
    assert!(!folder.path().join("new").exists(), "wrong input leaves nothing behind");
}

#[test]
fn faults_of_training_data() {
    let folder = start();
    let path = folder.path();
    done(path, "selfplay --game sligo --size 2 --games 4 --visits 2 --out sligo");
    let good = fs::read_to_string(path.join("run/shards/positions-000000.csv")).unwrap();
    let lines: Vec<&str> = good.lines().collect();
    let write = |name: &str, lines: &[&str]| fs::write(path.join(name), lines.join("\n") + "\n").unwrap();
    let header = lines[0];
    write("column.csv", &[&header.replace(",root_value", ""), lines[1]]);
    write("order.csv", &[&header.replace("turn,phase", "phase,turn"), lines[1]]);
    write("number.csv", &[header, lines[1], &lines[2].replacen("0,yugo,2,", "0,yugo,two,", 1)]);
    write("short.csv", &[header, lines[1], &lines[2][..20], lines[3]]);
    write("mixed.csv", &[header, lines[1], &lines[2].replacen("yugo", "fugo", 1)]);
    write("header.csv", &[header]);
    fs::write(path.join("torn.csv"), good.trim_end()).unwrap();
    fs::write(path.join("empty.csv"), "").unwrap();
    fs::write(path.join("bytes.csv"), b"\xff\xfe\x00").unwrap();
    fs::write(path.join("bytes.csv.zst"), b"not compressed").unwrap();
    fs::write(path.join("notes.txt"), "once").unwrap();
    fs::create_dir(path.join("folder")).unwrap();
    for (name, bytes) in files(&path.join("run")) {
        fs::create_dir_all(path.join("copy/shards")).unwrap();
        fs::write(path.join("copy").join(name), bytes).unwrap();
    }
    assert!(Command::new("mkfifo").arg(path.join("pipe")).status().unwrap().success());
    fs::create_dir(path.join("damaged")).unwrap();
    fs::write(path.join("damaged/net.state"), "once upon a time").unwrap();
    let train = |data: &str| format!("train --out new.safetensors {TRAINING} --data {data}");
    check(
        path,
        &[
            (&train("column.csv"), 2, &["column.csv:1: the header lacks `root_value`"]),
            (&train("order.csv"), 2, &["order.csv:1: column 4 is `phase` where `turn` should stand"]),
            (&train("number.csv"), 2, &["number.csv:3, column `size`: `two`"]),
            (&train("short.csv"), 2, &["short.csv:3: the row has ", " and not 21: it is cut off"]),
            (&train("torn.csv"), 2, &["torn.csv:", "the line has no end: the file was cut off"]),
            (&train("empty.csv"), 2, &["empty.csv:1: the file is empty; it must begin with a header"]),
            (&train("header.csv"), 2, &["there is no position with an outcome to train on in header.csv"]),
            (&train("bytes.csv"), 2, &["bytes.csv:1", "not UTF-8"]),
            (
                &train("bytes.csv.zst"),
                2,
                &["cannot read bytes.csv.zst: ", "the file is damaged: restore it from a copy"],
            ),
            (&train("run/shards/games-000000.csv"), 2, &["games-000000.csv:1: the header lacks `turn`"]),
            (&train("mixed.csv"), 2, &["mixed.csv"]),
            (&train("run sligo"), 2, &["sligo holds games of sligo, not of yugo; a network learns one game"]),
            (&train("absent"), 2, &["absent is neither the directory of a run nor a file ending in .csv or .csv.zst"]),
            (&train("absent.csv"), 2, &["cannot read absent.csv: No such file", "check the path"]),
            (&train("notes.txt"), 2, &["notes.txt is neither the directory of a run nor a file ending in .csv"]),
            (&train("folder"), 2, &["folder is not the directory of a run: it has no manifest.json"]),
            (
                &format!("train --out damaged/net.safetensors {TRAINING} --data run"),
                2,
                &["the state of an unfinished training is damaged: damaged/net.state: ", "delete it to begin again"],
            ),
            (&train("run run"), 2, &["run is given twice: name each run once"]),
            (&train("run copy"), 2, &["copy holds the same games as run: name one of them"]),
            (
                &format!("train --out pipe {TRAINING} --data run"),
                2,
                &["pipe is there and is no network; delete it or choose"],
            ),
            (
                &format!("train --out net.safetensors {TRAINING} --data run"),
                2,
                &["net.safetensors is there already; delete it"],
            ),
            (
                &format!("train --out notes.txt {TRAINING} --data run"),
                2,
                &["--out: notes.txt is there already; delete it or name another file"],
            ),
            (
                &format!("train --out folder {TRAINING} --data run"),
                2,
                &["folder is a directory; name a file", "folder/net.safetensors"],
            ),
            (
                &format!("train --out notes.txt/net {TRAINING} --data run"),
                1,
                &["cannot write notes.txt/net: ", "choose another place"],
            ),
            (
                &format!("train --out /proc/fairkomi {TRAINING} --data run"),
                1,
                &["cannot write /proc/fairkomi: ", "choose another place"],
            ),
            (&format!("{} --from absent", train("run")), 2, &["absent: No such file"]),
            (
                "train --out new.safetensors --data run --from net.safetensors",
                2,
                &[
                    "to start from is for yugo with 1 layers of 8 channels, not for yugo with 6 layers of 64 channels; give",
                ],
            ),
            (
                &format!("{} --from net.safetensors", train("sligo")),
                2,
                &["the network to start from is for yugo", "not for sligo"],
            ),
        ],
    );
    assert!(!path.join("new.safetensors").exists());

    // A state of other settings is not written over.
    let train = format!("train --out net/net.safetensors {TRAINING} --data run");
    done(path, &train);
    let before = fs::read(path.join("net/net.safetensors")).unwrap();
    check(
        path,
        &[(
            &format!("{train} --seed 2"),
            2,
            &["net/net.state belongs to another training", "delete it or name another"],
        )],
    );
    assert_eq!(fs::read(path.join("net/net.safetensors")).unwrap(), before);
}

#[test]
fn faults_of_run_directories() {
    let folder = start();
    let path = folder.path();
    for copied in ["config", "no-config", "manifest", "no-manifest", "missing", "short", "twice", "odd"] {
        copy(path, "run", copied);
    }
    fs::write(path.join("config/run.toml"), "seed = = 1\n").unwrap();
    fs::remove_file(path.join("no-config/run.toml")).unwrap();
    fs::write(path.join("manifest/manifest.json"), "{").unwrap();
    fs::remove_file(path.join("no-manifest/manifest.json")).unwrap();
    fs::remove_file(path.join("missing/shards/games-000001.csv")).unwrap();
    let short = path.join("short/shards/positions-000000.csv");
    let bytes = fs::read(&short).unwrap();
    fs::write(&short, &bytes[..bytes.len() / 2]).unwrap();
    let manifest = fs::read_to_string(path.join("run/manifest.json")).unwrap();
    fs::write(path.join("odd/manifest.json"), manifest.replacen("\"format\": 1", "\"format\": 99", 1)).unwrap();
    fs::write(path.join("twice/manifest.json"), manifest.replacen("\"shard\": 1", "\"shard\": 0", 1)).unwrap();
    fs::write(path.join("file"), "once").unwrap();
    let cure = "restore it from a copy of the run, or delete the entry of shard";
    check(
        path,
        &[
            (
                &format!("{RUN} --seed 2 --exploration 2 --out run"),
                2,
                &[
                    "run holds another run: ",
                    "`search.exploration` was 1.0 and is now 2.0",
                    "`seed` was 1 and is now 2",
                    "choose another directory or give the same settings",
                ],
            ),
            (
                &format!("{RUN} --net net.safetensors --out run"),
                2,
                &["run holds another run: ", "`engines[0].net` was absent"],
            ),
            (
                "komi --game yugo --size 2 --out run",
                2,
                &["run holds another run: ", "`block` was absent and is now 128"],
            ),
            (&format!("{RUN} --out config"), 2, &["config/run.toml is not a valid config: ", "line 1, column 8"]),
            ("data check config", 2, &["config/run.toml is not a valid config: "]),
            (
                &format!("{RUN} --out no-config"),
                2,
                &["no-config is not the directory of a run: it has finished shards but no run.toml"],
            ),
            ("data check no-config", 2, &["cannot read no-config/run.toml: No such file"]),
            (&format!("{RUN} --out manifest"), 2, &["manifest/manifest.json: EOF", "restore the file from a copy"]),
            ("data stats manifest", 2, &["manifest/manifest.json: EOF", "restore the file from a copy"]),
            (&format!("{RUN} --out no-manifest"), 2, &["it has files in shards/ but no manifest.json; choose another"]),
            ("data check no-manifest", 2, &["no-manifest is not the directory of a run: it has no manifest.json"]),
            (&format!("{RUN} --out missing"), 2, &["missing/shards/games-000001.csv: the file is missing; ", cure]),
            ("data check missing", 2, &["missing/shards/games-000001.csv: the file is missing; ", cure]),
            (
                &format!("{RUN} --out short"),
                2,
                &["short/shards/positions-000000.csv: it has ", " bytes and not the ", cure],
            ),
            ("data check short", 2, &["short/shards/positions-000000.csv: it has ", " bytes and not the ", cure]),
            ("data check odd", 2, &["odd/manifest.json: its format is 99, and this program knows 1"]),
            ("data check twice", 2, &["twice/manifest.json: shard 0 comes after shard 0"]),
            ("data check absent run", 2, &["absent is not the directory of a run: there is nothing of this name"]),
            ("data stats file", 2, &["file is not the directory of a run: it has no manifest.json"]),
            ("data check", 2, &["<DIR>..."]),
            (
                &format!("{RUN} --out file"),
                1,
                &["cannot write file/shards: ", "a file is in the way: choose another directory"],
            ),
            (&format!("{RUN} --out file/run"), 1, &["cannot write file/run/shards: ", "a file is in the way"]),
            (&format!("{RUN} --out /proc/run"), 1, &["cannot write /proc/run/shards: "]),
            (&format!("{RUN} --out /dev/null"), 1, &["cannot write /dev/null/shards: ", "a file is in the way"]),
        ],
    );

    // The cure that is told works.
    let text = fs::read_to_string(path.join("missing/manifest.json")).unwrap();
    let mut manifest: Value = serde_json::from_str(&text).unwrap();
    manifest["shards"].as_array_mut().unwrap().remove(1);
    fs::write(path.join("missing/manifest.json"), manifest.to_string()).unwrap();
    done(path, &format!("{RUN} --out missing"));
    assert_same(&path.join("missing"), &path.join("run"));
}

#[test]
fn faults_of_questions() {
    let folder = folder();
    let board = |rows: &[&str]| json!({"game": "yugo", "size": 3, "board": rows});
    let cases = [
        (json!({"game": "yugo", "size": 0}), "size 0 is not allowed in yugo (1 to 19)"),
        (json!({"game": "yugo", "size": 20}), "size 20 is not allowed in yugo (1 to 19)"),
        (json!({"game": "linage", "size": 2}), "size 2 is not allowed in linage (3 to 19)"),
        (json!({"game": "chess", "size": 2}), "`chess` is not a game"),
        (json!({"game": "yugo", "size": 3, "handicap": 9}), "handicap 9 is not allowed in yugo on 3x3"),
        (json!({"game": "yugo", "size": 3, "pie": true}), "the pie rule belongs to fugo, not to yugo"),
        (json!({"game": "yugo", "size": 3, "moves": ["D4"]}), "move 1 (D4): `D4` lies outside the 3x3 board"),
        (json!({"game": "yugo", "size": 3, "moves": ["A1", "A1"]}), "move 2 (A1): "),
        (json!({"game": "yugo", "size": 3, "moves": ["swap"]}), "move 1 (swap): "),
        (json!({"game": "yugo", "size": 3, "moves": ["äöü"]}), "move 1 (äöü): "),
        (board(&["...", "..."]), "3"),
        (board(&["...", "....", "..."]), "3"),
        (board(&["...", ".é.", "..."]), "é"),
        (board(&["...", ".?.", "..."]), "?"),
        (board(&["X.X", "...", ".O."]), ""),
    ];
    let mut child = command(folder.path(), "position")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let input: String = cases.iter().map(|(question, _)| format!("{question}\n")).collect();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let ended: Ended = child.wait_with_output().unwrap().into();
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""));
    let answers: Vec<Value> = ended.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), cases.len());
    for ((question, text), answer) in cases.iter().zip(&answers) {
        assert_eq!(answer["ok"], text.is_empty(), "{question}: {answer}");
        assert!(answer["error"].as_str().unwrap_or_default().contains(text), "{question}: {answer}");
    }
}

/// Runs the program with its standard output closed at once, or on a full device.
#[test]
fn outputs_that_cannot_be_written() {
    let folder = start();
    for line in ["data stats run", "data check run", "doctor", "perft --game yugo --size 3 --depth 2", "--help", RUN] {
        let line = if line == RUN { format!("{RUN} --out other") } else { line.to_string() };
        let mut child = command(folder.path(), &line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let ended: Ended = child.wait_with_output().unwrap().into();
        assert_eq!(ended.code, Some(0), "{line}: {ended:?}");
        assert!(!ended.err.contains("error"), "{line}: {ended:?}");
    }
    let shell = |script: &str| -> Ended {
        let script = script.replace("fairkomi", PROGRAM);
        Command::new("sh").current_dir(folder.path()).args(["-c", &script]).output().unwrap().into()
    };
    let ended = shell("(fairkomi data stats run; echo $? > code) | head -c0; cat code");
    assert_eq!((ended.out.as_str(), ended.err.as_str()), ("0\n", ""));
    let ended = shell("fairkomi data stats run >&- 2>&-");
    assert_ne!(ended.code, None, "{ended:?}");
    if Path::new("/dev/full").exists() {
        for line in ["data stats run", "perft --game yugo --size 3 --depth 2", "position"] {
            let ended = shell(&format!("echo '{{}}' | fairkomi {line} > /dev/full"));
            assert_eq!(ended.code, Some(1), "{line}: {ended:?}");
            assert!(
                ended.err.starts_with("error: cannot write to standard output: No space left"),
                "{line}: {ended:?}"
            );
        }
        // Nobody can be told, and the work is done all the same.
        let ended = shell(&format!("fairkomi {RUN} --out unheard > table 2> /dev/full"));
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert_same(&folder.path().join("unheard"), &folder.path().join("run"));
    }
}

/// Runs a script in which file systems can be mounted for its own eyes only; `None` where that is not possible.
fn with_mounts(folder: &Path, script: &str) -> Option<String> {
    let run = |script: &str| Command::new("unshare").current_dir(folder).args(["-rm", "sh", "-ec", script]).output();
    let possible =
        run("mkdir -p disk && mount -t tmpfs -o size=96k none disk").is_ok_and(|output| output.status.success());
    if !possible {
        println!("skipped: no file system can be mounted here");
        return None;
    }
    let ended: Ended = run(&script.replace("fairkomi", PROGRAM)).unwrap().into();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(ended.err, "");
    Some(ended.out)
}

#[test]
fn a_full_disk_costs_no_finished_shard() {
    let folder = folder();
    let line = "selfplay --game yugo --size 3 --games 120 --visits 4 --shard 10 --threads 2";
    done(folder.path(), &format!("{line} --out calm"));
    let script = format!(
        "mount -t tmpfs -o size=96k none disk
         fairkomi {line} --out disk/run > /dev/null 2> full || echo $? > code
         grep -c '\"first_game\"' disk/run/manifest.json > kept
         find disk/run/shards -name '.*' > leftovers
         mount -o remount,size=8m disk
         fairkomi data check disk/run > checked
         fairkomi {line} --out disk/run > /dev/null 2> /dev/null
         cp -r disk/run run
         fairkomi train --data run {TRAINING} --out disk/net.safetensors > /dev/null 2> /dev/null
         rm disk/net.safetensors
         dd if=/dev/zero of=disk/rest bs=1k 2> /dev/null || true
         fairkomi train --data run {TRAINING} --out disk/net.safetensors > /dev/null 2> net || echo $? > code-net
         rm disk/rest
         fairkomi train --data run {TRAINING} --out disk/net.safetensors > /dev/null 2> /dev/null
         test -f disk/net.safetensors"
    );
    if with_mounts(folder.path(), &script).is_none() {
        return;
    }
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(read("code"), "1\n");
    let told = read("full");
    let told = &told[told.find("error: ").unwrap()..];
    assert!(told.starts_with("error: cannot write disk/run/"), "{told}");
    assert!(
        told.contains("No space left on device (os error 28); free some space and run the same command again"),
        "{told}"
    );
    let kept: usize = read("kept").trim().parse().unwrap();
    assert!((1..12).contains(&kept), "{kept}");
    assert!(read("checked").contains(&format!("{kept} shards, ")), "{}", read("checked"));
    assert_eq!(read("leftovers"), "");
    assert_same(&folder.path().join("run"), &folder.path().join("calm"));
    assert_eq!(read("code-net"), "1\n");
    assert!(read("net").contains("error: ") && read("net").contains("No space left on device"), "{}", read("net"));
}

#[test]
fn a_run_can_be_read_where_nothing_can_be_written() {
    let folder = start();
    let script = format!(
        "mount -t tmpfs -o size=8m none disk
         cp -r run disk/run
         mount -o remount,ro disk
         fairkomi data check disk/run > checked
         fairkomi data stats disk/run > stats
         fairkomi train --data disk/run {TRAINING} --out trained.safetensors > /dev/null 2> /dev/null
         fairkomi {RUN} --out disk/run > /dev/null 2> same || echo $? > code
         fairkomi {RUN} --out disk/new > /dev/null 2> new || echo $? >> code
         fairkomi train --data disk/run {TRAINING} --out disk/net.safetensors > /dev/null 2> net || echo $? >> code"
    );
    if with_mounts(folder.path(), &script).is_none() {
        return;
    }
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(read("checked").replace("disk/", ""), done(folder.path(), "data check run"));
    assert_eq!(read("stats"), done(folder.path(), "data stats run"));
    assert_eq!(read("code"), "1\n1\n1\n");
    for (name, path) in [("same", "disk/run/"), ("new", "disk/new/")] {
        let told = read(name);
        assert!(told.starts_with(&format!("error: cannot write {path}")), "{told}");
        assert!(told.contains("the file system is read-only: choose a directory elsewhere"), "{told}");
    }
    let told = read("net");
    assert!(told.starts_with("error: cannot write disk/net.safetensors: Read-only file system"), "{told}");
}
