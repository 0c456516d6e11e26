//! The main job's config file. `configs/standard.toml` explains every key.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use toml::de::DeTable;

use super::check::{board_faults, chunks_of_batch, games_held_out, games_in_blocks};
use super::fault::{ConfigFault, ConfigFaults};
use super::limits::refusal;
use super::reader::{Document, Kind, Section, place};
use super::{
    BalanceSection, Board, Device, GateSection, Inference, KomiSection, MatchSection, PipelineConfig, Precision,
    RatingSection, Reading, RootExploration, RootNoise, SearchSettings, Selection, SelfplaySection, TrainSection,
    Variation, VisitPlan, limits,
};
use crate::games::{GameKind, Options};

/// Longer files are not read.
const LONGEST: u64 = 1 << 20;

impl PipelineConfig {
    /// Reads and checks a config file.
    pub fn load(path: &Path) -> Result<Self, ConfigFaults> {
        let whole = |what: String| {
            let file = Some(path.display().to_string());
            ConfigFaults(vec![ConfigFault { file, place: None, key: String::new(), what }])
        };
        let bytes = read(path).map_err(|error| whole(format!("cannot be read: {error}")))?;
        if bytes.len() as u64 > LONGEST {
            return Err(whole(format!("is longer than {LONGEST} bytes, too long for a config")));
        }
        let text = String::from_utf8(bytes).map_err(|error| {
            let valid = error.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(error.as_bytes());
            let mut faults = whole("is not UTF-8 text".to_string());
            faults.0[0].place = Some(place(&text, valid));
            faults
        })?;
        Self::from_toml(&text, path)
    }

    /// Reads and checks a config file's text; `path` is for the messages only.
    pub fn from_toml(text: &str, path: &Path) -> Result<Self, ConfigFaults> {
        let document = Document::new(path.display().to_string(), text);
        let (table, errors) = DeTable::parse_recoverable(text);
        for error in &errors {
            let at = error.span().map_or(text.len(), |span| span.start);
            document.fault(Kind::Syntax, Some(at), String::new(), error.message().replace('\n', ", "));
        }
        let config = pipeline(&document, table.get_ref());
        let faults = document.into_faults();
        if faults.is_empty() { Ok(config) } else { Err(ConfigFaults(faults)) }
    }

    /// The config as a file that [`PipelineConfig::from_toml`] reads as the same config.
    pub fn to_toml(&self) -> Result<String, toml::ser::Error> {
        toml::to_string(self)
    }
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(LONGEST + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn pipeline<'a>(document: &'a Document<'a>, table: &'a DeTable<'a>) -> PipelineConfig {
    let top = &mut Section::top(document, table);
    let seed = top.required_whole("seed", &limits::SEED);
    let inference = Inference {
        batch: top.whole("batch", &limits::BATCH),
        precision: top.choice("precision", &Precision::ALL, Precision::name),
        device: top.choice("device", &Device::ALL, Device::name),
    };
    let boards = boards(top);
    let search = search(&mut top.section("search"));
    let of_selfplay = &mut top.section("selfplay");
    let selfplay = selfplay(of_selfplay);
    let of_train = &mut top.section("train");
    let train = train(of_train);
    if of_selfplay.is_sound() {
        let mut boards_a_game = BTreeMap::new();
        boards.iter().for_each(|board| *boards_a_game.entry(board.game).or_insert(0) += 1);
        let fewest = boards_a_game.values().min().unwrap_or(&1);
        of_train.agree("validation", games_held_out(train.validation, selfplay.games * fewest));
    }
    let gate = gate(&mut top.section("gate"));
    let rating = rating(&mut top.section("rating"));
    let komi = komi(&mut top.section("komi"));
    let balance = balance(&mut top.section("balance"));
    let matches = matches(&mut top.section("match"));
    top.close();
    PipelineConfig { seed, inference, boards, search, selfplay, train, gate, rating, komi, balance, matches }
}

fn boards(top: &mut Section<'_>) -> Vec<Board> {
    let mut boards: Vec<(Board, String)> = Vec::new();
    top.require("board", "one [[board]] with game and size for each board");
    let Some(mut sections) = top.sections("board") else { return Vec::new() };
    if sections.is_empty() && top.is_sound() {
        top.refuse("board", refusal("an empty list", "at least one [[board]]"));
    }
    for section in &mut sections {
        let board = board(section);
        section.close();
        let Some(board) = board.filter(|_| section.is_sound()) else { continue };
        match boards.iter().find(|(other, _)| other.is_like(&board)) {
            Some((_, name)) => section.refuse("size", format!("the same board as {name}")),
            None => boards.push((board, section.name())),
        }
    }
    boards.into_iter().map(|(board, _)| board).collect()
}

fn board(section: &mut Section<'_>) -> Option<Board> {
    let name = section.required_name("game", &GameKind::ALL.map(GameKind::name));
    let size = section.required_whole("size", &limits::SIZE);
    let handicap = section.whole("handicap", &limits::HANDICAP);
    let pie = section.boolean("pie", false);
    let move_cap = section.optional_whole("move_cap", &limits::MOVE_CAP);
    let game: GameKind = name?.parse().ok()?;
    // A wrong size, read as a usual one, must not lead to faults of its own.
    if section.is_sound() {
        for (key, fault) in board_faults(game, size, Options { handicap, pie }) {
            section.refuse(key, fault.to_string());
        }
    }
    Some(Board { game, size, handicap, pie, move_cap: move_cap.or(game.default_move_cap(size)) })
}

fn search(section: &mut Section<'_>) -> SearchSettings {
    let search = SearchSettings {
        selection: section.choice("selection", &Selection::ALL, Selection::name),
        exploration: section.real("exploration", &limits::EXPLORATION) as f32,
        reduction: section.real("reduction", &limits::REDUCTION) as f32,
        considered: section.whole("considered", &limits::CONSIDERED),
        value_scale: section.real("value_scale", &limits::VALUE_SCALE) as f32,
        reading: Reading {
            policy: section.boolean("policy", true),
            symmetries: section.whole("symmetries", &limits::SYMMETRIES),
            margin_weight: section.real("margin_weight", &limits::MARGIN_WEIGHT) as f32,
        },
        tree_memory: section.whole("tree_memory", &limits::TREE_MEMORY),
    };
    section.close();
    search
}

fn selfplay(section: &mut Section<'_>) -> SelfplaySection {
    let share = section.real("noise_share", &limits::NOISE_SHARE) as f32;
    let concentration = section.real("noise_concentration", &limits::NOISE_CONCENTRATION) as f32;
    let selfplay = SelfplaySection {
        generations: section.whole("generations", &limits::GENERATIONS),
        games: section.whole("games", &limits::SELFPLAY_GAMES),
        plan: VisitPlan {
            visits: section.whole("visits", &limits::SELFPLAY_VISITS),
            full_share: section.real("full_share", &limits::FULL_SHARE) as f32,
            fast_visits: section.whole("fast_visits", &limits::FAST_VISITS),
        },
        shard: section.whole("shard", &limits::SHARD),
        compress: section.boolean("compress", false),
        opening_turns: section.whole("opening_turns", &limits::SELFPLAY_OPENING_TURNS),
        continued: section.real("continued", &limits::CONTINUED) as f32,
        temperature: section.real("temperature", &limits::TEMPERATURE) as f32,
        temperature_turns: section.optional_whole("temperature_turns", &limits::TEMPERATURE_TURNS),
        explore: RootExploration {
            noise: RootNoise::of_share(share, concentration),
            forced: section.real("forced", &limits::FORCED) as f32,
        },
        komi_spread: section.real("komi_spread", &limits::KOMI_SPREAD) as f32,
    };
    section.close();
    selfplay
}

fn train(section: &mut Section<'_>) -> TrainSection {
    let train = TrainSection {
        layers: section.whole("layers", &limits::LAYERS),
        channels: section.whole("channels", &limits::CHANNELS),
        margins: section.boolean("margins", true),
        epochs: section.whole("epochs", &limits::EPOCHS),
        patience: section.whole("patience", &limits::PATIENCE),
        batch: section.whole("batch", &limits::TRAIN_BATCH),
        chunks: section.whole("chunks", &limits::CHUNKS),
        learning_rate: section.real("learning_rate", &limits::LEARNING_RATE),
        weight_decay: section.real("weight_decay", &limits::WEIGHT_DECAY),
        validation: section.real("validation", &limits::VALIDATION),
        window: section.whole("window", &limits::WINDOW),
        go_on: section.boolean("go_on", true),
    };
    section.agree("chunks", chunks_of_batch(train.chunks, train.batch));
    section.close();
    train
}

fn gate(section: &mut Section<'_>) -> GateSection {
    let gate = GateSection {
        pairs: section.whole("pairs", &limits::GATE_PAIRS),
        visits: section.whole("visits", &limits::MEASURED_VISITS),
        opening_turns: section.whole("opening_turns", &limits::MATCH_OPENING_TURNS),
        elo: section.real("elo", &limits::GATE_ELO),
    };
    section.close();
    gate
}

fn rating(section: &mut Section<'_>) -> RatingSection {
    let rating = RatingSection {
        pairs: section.whole("pairs", &limits::RATING_PAIRS),
        visits: section.whole("visits", &limits::MEASURED_VISITS),
        opening_turns: section.whole("opening_turns", &limits::MATCH_OPENING_TURNS),
    };
    section.close();
    rating
}

fn variation(section: &mut Section<'_>) -> Variation {
    Variation {
        drawn_turns: section.whole("drawn_turns", &limits::DRAWN_TURNS),
        delta: section.real("delta", &limits::DELTA) as f32,
    }
}

fn komi(section: &mut Section<'_>) -> KomiSection {
    let komi = KomiSection {
        games: section.whole("games", &limits::KOMI_GAMES),
        block: section.whole("block", &limits::BLOCK),
        visits: section.whole("visits", &limits::MEASURED_VISITS),
        variation: variation(section),
    };
    section.agree("games", games_in_blocks(komi.games, komi.block));
    section.close();
    komi
}

fn balance(section: &mut Section<'_>) -> BalanceSection {
    let balance = BalanceSection {
        games: section.whole("games", &limits::BALANCE_GAMES),
        visits: section.whole("visits", &limits::MEASURED_VISITS),
        variation: variation(section),
    };
    section.close();
    balance
}

fn matches(section: &mut Section<'_>) -> MatchSection {
    let matches = MatchSection {
        pairs: section.whole("pairs", &limits::PAIRS),
        visits: section.whole("visits", &limits::MEASURED_VISITS),
        opening_turns: section.whole("opening_turns", &limits::MATCH_OPENING_TURNS),
    };
    section.close();
    matches
}
