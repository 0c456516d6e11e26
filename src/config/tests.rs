use std::fs;
use std::path::Path;

use serde::Serialize;

use super::*;

/// The least that a config must hold.
const LEAST: &str = "seed = 7\n[[board]]\ngame = \"yugo\"\nsize = 5\n";

fn parse(text: &str) -> Result<PipelineConfig, ConfigFaults> {
    PipelineConfig::from_toml(text, Path::new("x.toml"))
}

fn message(text: &str) -> String {
    parse(text).expect_err(text).to_string()
}

fn config(text: &str) -> PipelineConfig {
    parse(text).unwrap_or_else(|faults| panic!("{faults}"))
}

/// What is said of `lines` appended to the least config, whose lines are 1 to 4.
#[test]
fn each_fault_is_told_with_its_place_and_what_is_allowed() {
    let table = [
        ("[selfplay]\nvisits = 0", "6:10: selfplay.visits: 0 is not allowed (a whole number from 1 to 1000000)"),
        ("[selfplay]\nvisits = -3", "6:10: selfplay.visits: -3 is not allowed (a whole number from 1 to 1000000)"),
        (
            "[selfplay]\nvisits = 1_000_001",
            "6:10: selfplay.visits: 1_000_001 is not allowed (a whole number from 1 to 1000000)",
        ),
        (
            "[selfplay]\nvisits = 100.0",
            "6:10: selfplay.visits: 100.0 is not allowed (a whole number from 1 to 1000000)",
        ),
        (
            "[selfplay]\nvisits = \"100\"",
            "6:10: selfplay.visits: \"100\" is not allowed (a whole number from 1 to 1000000)",
        ),
        ("[selfplay]\nvisits = [1]", "6:10: selfplay.visits: a list is not allowed (a whole number from 1 to 1000000)"),
        ("[selfplay]\nvisits = {}", "6:10: selfplay.visits: a table is not allowed (a whole number from 1 to 1000000)"),
        (
            "[selfplay]\nvisits = 1979-05-27",
            "6:10: selfplay.visits: 1979-05-27 is not allowed (a whole number from 1 to 1000000)",
        ),
        (
            "[selfplay]\nvisits = 123456789012345678901234567890123456789012345678901234567890",
            "6:10: selfplay.visits: 1234567890123456789012345678901234567890… is not allowed (a whole number from 1 to 1000000)",
        ),
        ("[selfplay]\nvists = 3", "6:1: selfplay.vists: unknown key (did you mean `visits`?)"),
        ("[selfplay]\nnoise-share = 0", "6:1: selfplay.noise-share: unknown key (did you mean `noise_share`?)"),
        (
            "[search]\nvisits = 3",
            "6:1: search.visits: unknown key (selection, exploration, reduction, considered, value_scale, policy, symmetries, margin_weight, tree_memory)",
        ),
        ("[search]\nseed = 3", "6:1: search.seed: unknown key (it belongs above the first section)"),
        (
            "[search]\n\"a\\nb\" = 3",
            "6:1: search.\"a\\nb\": unknown key (selection, exploration, reduction, considered, value_scale, policy, symmetries, margin_weight, tree_memory)",
        ),
        (
            "[search.deep]\nx = 3",
            "5:9: search.deep: unknown section (selection, exploration, reduction, considered, value_scale, policy, symmetries, margin_weight, tree_memory)",
        ),
        ("[selfpaly]\nvisits = 3", "5:2: selfpaly: unknown section (did you mean `selfplay`?)"),
        ("[[boards]]\nsize = 3", "5:3: boards: unknown section (did you mean `board`?)"),
        ("[[komi]]\ngames = 300", "5:1: komi: a list is not allowed (a table: [komi])"),
        ("[search]\nexploration = nan", "6:15: search.exploration: nan is not allowed (a number from 0 to 100)"),
        ("[search]\nexploration = -inf", "6:15: search.exploration: -inf is not allowed (a number from 0 to 100)"),
        ("[search]\nexploration = 1e400", "6:15: search.exploration: 1e400 is not allowed (a number from 0 to 100)"),
        ("[search]\nreduction = 2", "6:13: search.reduction: 2 is not allowed (a number from 0 to 1)"),
        ("[selfplay]\ncompress = 1", "6:12: selfplay.compress: 1 is not allowed (true or false)"),
        ("[selfplay]\nshard = 257", "6:9: selfplay.shard: 257 is not allowed (a whole number from 1 to 256)"),
        ("[selfplay]\nnoise_share = 1.5", "6:15: selfplay.noise_share: 1.5 is not allowed (a number from 0 to 1)"),
        ("[selfplay]\ntemperature = 0", "6:15: selfplay.temperature: 0 is not allowed (a number from 0.01 to 100)"),
        ("[train]\nbatch = 8", "6:9: train.batch: 8 is not allowed (a whole number from 16 to 65536)"),
        ("[train]\nlearning_rate = 0", "6:17: train.learning_rate: 0 is not allowed (a number from 0.000001 to 1)"),
        ("[train]\nbatch = 16\nchunks = 32", "7:10: train.chunks: 32 is not allowed (at most the batch, which is 16)"),
        (
            "[selfplay]\ngames = 5\n[train]\nvalidation = 0.1",
            "8:14: train.validation: 0.1 is not allowed (at least one game must be held out, and a game's first generation has 5)",
        ),
        ("[komi]\ngames = 200", "6:9: komi.games: 200 is not allowed (at least two blocks, which are 256)"),
        ("[komi]\nblock = 1", "6:9: komi.block: 1 is not allowed (a whole number from 2 to 4096)"),
        ("[balance]\ndelta = 1.1", "6:9: balance.delta: 1.1 is not allowed (a number from 0 to 1)"),
        ("[match]\npairs = 0", "6:9: match.pairs: 0 is not allowed (a whole number from 1 to 1000000)"),
        ("[[board]]\nsize = 3", "5:1: board[2].game: is missing (yugo, linage, fugo, sligo)"),
        ("[[board]]\ngame = \"fugo\"", "5:1: board[2].size: is missing (a whole number from 1 to 19)"),
        ("[[board]]\ngame = \"yogo\"\nsize = 5", "6:8: board[2].game: \"yogo\" is not allowed (did you mean `yugo`?)"),
        (
            "[[board]]\ngame = \"chess\"\nsize = 5",
            "6:8: board[2].game: \"chess\" is not allowed (yugo, linage, fugo, sligo)",
        ),
        ("[[board]]\ngame = 1\nsize = 5", "6:8: board[2].game: 1 is not allowed (yugo, linage, fugo, sligo)"),
        (
            "[[board]]\ngame = \"fugo\"\nsize = 20",
            "7:8: board[2].size: 20 is not allowed (a whole number from 1 to 19)",
        ),
        ("[[board]]\ngame = \"linage\"\nsize = 2", "7:8: board[2].size: size 2 is not allowed in linage (3 to 19)"),
        (
            "[[board]]\ngame = \"sligo\"\nsize = 5\nhandicap = 1",
            "8:12: board[2].handicap: handicap 1 is not allowed in sligo on 5x5 (0 at most)",
        ),
        (
            "[[board]]\ngame = \"yugo\"\nsize = 3\nhandicap = 5",
            "8:12: board[2].handicap: handicap 5 is not allowed in yugo on 3x3 (4 at most)",
        ),
        (
            "[[board]]\ngame = \"sligo\"\nsize = 5\npie = true",
            "8:7: board[2].pie: the pie rule belongs to fugo, not to sligo",
        ),
        (
            "[[board]]\ngame = \"sligo\"\nsize = 5\nmove_cap = 0",
            "8:12: board[2].move_cap: 0 is not allowed (a whole number from 1 to 1000000)",
        ),
        (
            "[[board]]\ngame = \"yugo\"\nsize = 5\nmove_cap = 9",
            "7:8: board[2].size: the same board as board[1] (line 2)",
        ),
        (
            "[[board]]\ngame = \"fugo\"\nsize = 5\nkomi = 1",
            "8:1: board[2].komi: unknown key (game, size, handicap, pie, move_cap)",
        ),
        ("[selfplay\nvisits = 3", "5:10: unclosed table, expected `]`"),
        ("[selfplay]\nvisits = 3\nvisits = 4", "7:1: duplicate key"),
        ("[selfplay]\nvisits", "6:7: key with no value, expected `=`"),
        ("[selfplay]\ngäme = 3", "6:2: invalid unquoted key, expected letters, numbers, `-`, `_`"),
    ];
    for (lines, expected) in table {
        assert_eq!(message(&format!("{LEAST}{lines}\n")), format!("x.toml:{expected}"), "{lines}");
    }
}

#[test]
fn what_must_be_there_is_asked_for() {
    let seed = "x.toml: seed: is missing (a whole number from 0 to 9223372036854775807)";
    let board = "x.toml: board: is missing (one [[board]] with game and size for each board)";
    let both = format!("2 faults:\n  {seed}\n  {board}");
    let table = [
        ("", both.as_str()),
        ("# nothing\n", &both),
        ("seed = 1", board),
        ("[[board]]\ngame = \"yugo\"\nsize = 5", seed),
        ("seed = 1\nboard = []", "x.toml:2:9: board: an empty list is not allowed (at least one [[board]])"),
        ("seed = 1\nboard = 3", "x.toml:2:9: board: 3 is not allowed (a list of tables: [[board]])"),
        ("seed = 1\nboard = [3]", "x.toml:2:10: board[1]: 3 is not allowed (a table)"),
        ("seed = 1\n[board]\nsize = 5", "x.toml:2:1: board: a table is not allowed (a list of tables: [[board]])"),
        (
            "seed = 9223372036854775808\n[[board]]\ngame = \"yugo\"\nsize = 5",
            "x.toml:1:8: seed: 9223372036854775808 is not allowed (a whole number from 0 to 9223372036854775807)",
        ),
        ("\0", "x.toml:1:1: invalid unquoted key, expected letters, numbers, `-`, `_`"),
    ];
    for (text, expected) in table {
        assert_eq!(message(text), expected, "{text:?}");
    }
}

#[test]
fn all_faults_are_told_at_once_in_the_order_of_the_text() {
    let text =
        "batch = 8\n[match]\npairs = 0\n[komi]\nvisit = 5\ndelta = \"x\"\n[[board]]\ngame = \"fugo\"\nsize = 99\n";
    let expected = "6 faults:
  x.toml: seed: is missing (a whole number from 0 to 9223372036854775807)
  x.toml:1:9: batch: 8 is not allowed (a whole number from 16 to 4096)
  x.toml:3:9: match.pairs: 0 is not allowed (a whole number from 1 to 1000000)
  x.toml:5:1: komi.visit: unknown key (did you mean `visits`?)
  x.toml:6:9: komi.delta: \"x\" is not allowed (a number from 0 to 1)
  x.toml:9:8: board[1].size: 99 is not allowed (a whole number from 1 to 19)";
    assert_eq!(message(text), expected);

    // Bad syntax hides neither other bad syntax nor wrong values, and makes nothing else look wrong.
    let text = "seed = yes\n[selfplay]\nvisits = 0\ngames = 1\ngames = 2\nshard 3\n";
    let expected = "4 faults:
  x.toml:1:8: string values must be quoted, expected literal string
  x.toml:3:10: selfplay.visits: 0 is not allowed (a whole number from 1 to 1000000)
  x.toml:5:1: duplicate key
  x.toml:6:7: key with no value, expected `=`";
    assert_eq!(message(text), expected);
}

#[test]
fn hostile_texts_are_refused_without_harm() {
    let many = 100_000;
    let nested = |text: &str| text.repeat(many);
    for text in [
        nested("["),
        format!("a = {}", nested("[")),
        format!("a = {}", nested("{a = ")),
        format!("a{} = 1", nested(".a")),
        format!("[a{}]", nested(".a")),
        format!("seed = {}", nested("9")),
        format!("seed = \"{}\"", nested("é")),
        format!("{} = 1", nested("k")),
        (0..many).map(|i| format!("key{i} = 1\n")).collect(),
        nested("[[board]]\n"),
        nested("\u{feff}"),
        "seed = \"\u{202e}\u{0}".to_string(),
    ] {
        let told = message(&text);
        assert!(told.len() < 60_000, "{told}");
    }
}

#[test]
fn what_is_left_out_has_its_usual_value() {
    let config = config(LEAST);
    let board = Board { game: GameKind::Yugo, size: 5, handicap: 0, pie: false, move_cap: None };
    let variation = Variation { drawn_turns: 6, delta: 0.05 };
    let expected = PipelineConfig {
        seed: 7,
        inference: Inference { batch: 64, precision: Precision::Auto, device: Device::Cpu },
        boards: vec![board],
        search: SearchSettings {
            selection: Selection::Puct,
            exploration: 1.0,
            reduction: 0.1,
            considered: 16,
            value_scale: 0.5,
            reading: Reading { policy: true, symmetries: 1, margin_weight: 0.0 },
            tree_memory: 256,
        },
        selfplay: SelfplaySection {
            generations: 4,
            games: 1000,
            plan: VisitPlan { visits: 100, full_share: 1.0, fast_visits: 16 },
            shard: 256,
            compress: false,
            opening_turns: 4,
            continued: 0.2,
            temperature: 1.0,
            temperature_turns: None,
            explore: RootExploration { noise: Some(RootNoise { concentration: 10.0, share: 0.25 }), forced: 0.0 },
            komi_spread: 4.0,
        },
        train: TrainSection {
            layers: 6,
            channels: 64,
            margins: true,
            epochs: 40,
            patience: 5,
            batch: 256,
            chunks: 8,
            learning_rate: 0.001,
            weight_decay: 0.0001,
            validation: 0.1,
            window: 100_000,
            go_on: true,
        },
        gate: GateSection { pairs: 64, visits: 200, opening_turns: 2, elo: 100.0 },
        rating: RatingSection { pairs: 32, visits: 200, opening_turns: 2 },
        komi: KomiSection { games: 2000, block: 128, visits: 200, variation },
        balance: BalanceSection { games: 400, visits: 200, variation },
        matches: MatchSection { pairs: 200, visits: 200, opening_turns: 2 },
    };
    assert_eq!(config, expected);
}

#[test]
fn move_caps_are_those_of_the_game_unless_given() {
    let boards =
        |game: &str, rest: &str| config(&format!("seed = 1\nboard = [{{ game = \"{game}\", size = 3{rest} }}]")).boards;
    assert_eq!(boards("fugo", "")[0].move_cap, Some(36));
    assert_eq!(boards("sligo", "")[0].move_cap, Some(100));
    assert_eq!(boards("linage", "")[0].move_cap, None);
    assert_eq!(boards("sligo", ", move_cap = 7")[0].move_cap, Some(7));
}

#[test]
fn a_config_written_as_toml_is_read_as_the_same() {
    let full = "seed = 9223372036854775807\nbatch = 16\nprecision = \"f32\"\n[search]\nexploration = 0.7\nreduction = 0\n[selfplay]\nvisits = 0x10\n\
        compress = true\ntemperature = 1.1\ntemperature_turns = 3\nnoise_share = 0\nkomi_spread = 0.3\n[train]\n\
        learning_rate = 1e-6\nweight_decay = 0.3\n[komi]\ndelta = 0.1\n[[board]]\ngame = \"fugo\"\nsize = 4\npie = true\n\
        [[board]]\ngame = \"fugo\"\nsize = 4\n[[board]]\ngame = \"yugo\"\nsize = 19\nhandicap = 180\nmove_cap = 4\n";
    for text in [LEAST, full] {
        let config = config(text);
        let written = config.to_toml().unwrap();
        assert_eq!(parse(&written), Ok(config), "{written}");
    }
    let config = config(full);
    assert_eq!(config.selfplay.explore.noise, None);
    let written = config.to_toml().unwrap();
    for line in [
        "exploration = 0.7",
        "temperature = 1.1",
        "komi_spread = 0.3",
        "learning_rate = 0.000001",
        "delta = 0.1",
        "noise_share = 0.0",
    ] {
        assert!(written.lines().any(|written| written == line), "{line} in\n{written}");
    }
}

#[test]
fn every_config_can_be_written_as_toml() {
    fn lines(config: &impl Serialize) -> String {
        toml::to_string(config).unwrap()
    }
    let board = Board { game: GameKind::Sligo, size: 3, handicap: 0, pie: false, move_cap: None };
    let search = SearchSettings { exploration: 0.7, tree_memory: 32, ..SearchSettings::default() }.with_visits(8);
    let variation = Variation { drawn_turns: 2, delta: 0.1 };
    let inference = Inference { batch: 16, precision: Precision::Bf16, device: Device::Cpu };
    let selfplay = SelfplayConfig {
        board,
        games: 1,
        seed: 1,
        inference,
        shard: 1,
        compress: true,
        search: search.settings,
        plan: VisitPlan { visits: 8, full_share: 0.25, fast_visits: 4 },
        komi: KomiDraw { centre: HalfPoints(7), spread: 0.1 },
        opening_turns: 0,
        continued: 0.0,
        temperature: 1.0,
        temperature_turns: 0,
        explore: RootExploration { noise: None, forced: 0.0 },
    };
    let text = lines(&selfplay);
    assert!(text.contains("centre = 3.5\nspread = 0.1\n") && text.contains("noise_share = 0.0"), "{text}");
    let komi =
        KomiConfig { board, games: 1, block: 1, seed: 1, inference, search, variation, start: None, width: None };
    assert!(!lines(&komi).contains("start"));
    let komi = KomiConfig { start: Some(HalfPoints(-1)), ..komi };
    assert!(lines(&komi).contains("start = -0.5\n") && lines(&komi).contains("precision = \"bf16\"\n"));
    let balance = BalanceConfig {
        board,
        games: 1,
        seed: 1,
        inference,
        search,
        variation,
        komi: vec![HalfPoints(0), HalfPoints(3)],
    };
    assert!(lines(&balance).contains("komi = [0.0, 1.5]\n"));
    let matches = MatchConfig { pairs: 1, seed: 1, ..MatchConfig::between([search; 2], board, inference) };
    assert!(lines(&matches).contains("[b]\nvisits = 8\nselection = \"puct\"\nexploration = 0.7\n"));
}

#[test]
fn the_config_files_that_come_with_the_program_are_right() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs");
    let mut seen = 0;
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    while let Some(path) = paths.pop() {
        if path.is_dir() {
            paths.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        if path.extension().is_none_or(|ending| ending != "toml") {
            continue;
        }
        let config = PipelineConfig::load(&path).unwrap_or_else(|faults| panic!("{faults}"));
        // Those of a special purpose need not have all games.
        if ["quick.toml", "standard.toml"].iter().any(|name| path.ends_with(name)) {
            let boards = |game: &GameKind| config.boards.iter().filter(|board| board.game == *game).count();
            assert!(GameKind::ALL.iter().all(|game| boards(game) >= 2), "{}", path.display());
        }
        seen += 1;
    }
    assert!(seen >= 7);
    // The standard one is where the defaults are explained.
    let standard = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/configs/standard.toml")).unwrap();
    let usual = config(LEAST).to_toml().unwrap();
    for key in usual.lines().filter_map(|line| line.split_once(" = ")).map(|(key, _)| key) {
        assert!(standard.lines().any(|line| line.starts_with(&format!("{key} = "))), "{key}");
    }
}

#[test]
fn files_that_cannot_be_read_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let told = |name: &str| PipelineConfig::load(&folder.path().join(name)).unwrap_err().to_string();
    let shown = |name: &str| folder.path().join(name).display().to_string();
    assert!(told("none.toml").starts_with(&format!("{}: cannot be read: ", shown("none.toml"))));
    assert!(told("").starts_with(&format!("{}: cannot be read: ", shown(""))));
    fs::write(folder.path().join("latin1.toml"), b"seed = 1\nbatch = 1\xe9\n").unwrap();
    assert_eq!(told("latin1.toml"), format!("{}:2:10: is not UTF-8 text", shown("latin1.toml")));
    fs::write(folder.path().join("long.toml"), "#".repeat(2 << 20)).unwrap();
    assert_eq!(
        told("long.toml"),
        format!("{}: is longer than 1048576 bytes, too long for a config", shown("long.toml"))
    );
    fs::write(folder.path().join("windows.toml"), LEAST.replace('\n', "\r\n")).unwrap();
    assert!(PipelineConfig::load(&folder.path().join("windows.toml")).is_ok());
}
