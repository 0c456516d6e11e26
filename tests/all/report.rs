//! The page for people: what it tells, and that it works in a browser.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use fairkomi::selfplay::game_rows;

use crate::program::{done, fairkomi, files, folder};

/// Small runs of each kind, in folders named after them.
fn small_runs(path: &Path) -> Vec<&'static str> {
    for line in [
        "komi --game yugo --size 3 --visits 8 --games 64 --block 16 --out komi",
        "komi --game fugo --size 3 --visits 8 --games 60 --block 20 --out fugo",
        "balance --game sligo --size 3 --visits 8 --games 24 --komi 0 3 --out balance",
        "match --game linage --size 4 --a-visits 20 --b-visits 5 --pairs 8 --sprt 0 200 --out match",
        "rate --game yugo --size 3 --engine a,visits=4 --engine b,visits=9 --pairs 16 --out rate",
        "selfplay --game yugo --size 4 --visits 4 --games 4 --out selfplay",
    ] {
        done(path, line);
    }
    vec!["komi", "fugo", "balance", "match", "rate", "selfplay"]
}

/// The games that can be stepped through.
fn replays(page: &str) -> Vec<serde_json::Value> {
    let begin = "<script type=\"application/json\" id=\"data\">";
    let from = page.find(begin).expect("games") + begin.len();
    let to = from + page[from..].find("</script>").expect("an end");
    serde_json::from_str(&page[from..to]).expect("JSON")
}

#[test]
fn a_page_sets_sizes_and_engines_side_by_side() {
    let folder = folder();
    let path = folder.path();
    let mut runs = Vec::new();
    for (size, visits) in [(2, 8), (3, 8), (4, 8), (3, 32)] {
        let line =
            format!("komi --game yugo --size {size} --visits {visits} --games 64 --block 16 --out y{size}-{visits}");
        done(path, &line);
        runs.push(format!("y{size}-{visits}"));
    }
    done(path, &format!("report {} --out page.html", runs.join(" ")));
    let page = fs::read_to_string(path.join("page.html")).unwrap();
    let parts = [
        "<h2>Fair komi by size and engine</h2>",
        "<h3>yugo: fair komi by size, playouts, 8 visits</h3>",
        "yugo 3×3: fair komi by visits",
        "Exact value: +3.5.",
        "The searches' own answer: ",
        "The button: in the ",
    ];
    // Apostrophes are escaped in the page.
    let plain = page.replace("&#x27;", "'").replace("&#39;", "'");
    assert!(parts.iter().all(|part| plain.contains(part)), "{:?}", parts.map(|part| plain.contains(part)));
    assert!(!plain.contains("by size, playouts, 32 visits"), "one size is no picture");
    let plots = files(&path.join("page-plots"));
    assert!(["sizes-0-yugo.svg", "budget-yugo-3x3-0.svg"].iter().all(|name| plots.contains_key(*name)));
    // One board by one engine is set beside nothing.
    done(path, "report y2-8 --out one.html");
    assert!(!fs::read_to_string(path.join("one.html")).unwrap().contains("by size and engine"));
}

#[test]
fn a_page_tells_of_runs_of_each_kind() {
    let folder = folder();
    let path = folder.path();
    let runs = small_runs(path);
    let line = format!("report {} --out page.html", runs.join(" "));
    let told = done(path, &line);
    assert!(told.starts_with("page.html, and "), "{told}");
    let page = fs::read_to_string(path.join("page.html")).unwrap();
    for part in [
        "<h2>What was played</h2>",
        "<h2>Fair komi</h2>",
        "yugo 3×3",
        "<h2>Openings of Fugo</h2>",
        "Fairest opening: ",
        "<h2>Balance at given komi</h2>",
        "sligo 3×3 at komi 3, by playouts",
        "<h2>Matches</h2>",
        "normalised Elo [95 %]",
        " 200",
        "<h2>Ratings</h2>",
        "<h3>yugo 3×3 at komi 0</h3>",
        "<h2>Games</h2>",
    ] {
        assert!(page.contains(part), "{part}");
    }
    // Nothing is fetched from anywhere.
    for link in ["src=", "href=\"http", "@import", "url("] {
        assert!(!page.contains(link), "{link}");
    }
    assert!(!page.contains("NaN"));
    let games = replays(&page);
    assert!(games.len() >= 6);
    // The first game of the first run ends with the board of its row.
    let row = &game_rows(&path.join("komi")).unwrap()[0];
    let boards = games[0]["boards"].as_array().unwrap();
    assert_eq!(boards.len(), row.turn_count + 1);
    let last: Vec<&str> =
        boards.last().unwrap()["rows"].as_array().unwrap().iter().filter_map(|row| row.as_str()).collect();
    assert_eq!(last.join("/"), row.board.to_string());
    let plots = files(&path.join("page-plots"));
    assert!(plots.keys().any(|name| name.contains("komi-yugo-3x3-score")), "{:?}", plots.keys());
    assert!(plots.keys().any(|name| name.contains("balance-sligo-3x3-first-moves-3.svg")), "{:?}", plots.keys());
    assert!(told.contains(&format!(" {} plots", plots.len())), "{told}");

    // The same runs make the same page, and are left as they are.
    let before = files(path);
    done(path, &line);
    assert!(files(path) == before);
    // Without a name it lies in the run.
    assert!(done(path, "report balance").starts_with("balance/report.html"));
    done(path, "data check balance");
}

#[test]
fn what_is_no_run_makes_no_page() {
    let folder = folder();
    let path = folder.path();
    fs::create_dir(path.join("empty")).unwrap();
    fs::create_dir(path.join("other")).unwrap();
    fs::write(path.join("other/run.toml"), "[run]\n").unwrap();
    fs::create_dir(path.join("broken")).unwrap();
    fs::write(path.join("broken/run.toml"), "block = \n").unwrap();
    done(path, "selfplay --game yugo --size 3 --visits 2 --games 2 --out run");
    let before = files(path);
    for (out, fault) in [
        ("run/run.toml", "run/run.toml is no page that was made before, and is left as it is; name another file"),
        ("run/shards", "run/shards is no page"),
        ("miss/ing/page.html", "there is no folder miss/ing for the page"),
    ] {
        let refused = fairkomi(path, &format!("report run --out {out}"));
        assert_eq!(refused.code, Some(2), "{out}: {refused:?}");
        assert!(refused.err.contains(fault), "{out}: {refused:?}");
    }
    assert!(files(path) == before);
    for (runs, fault) in [
        ("nowhere", "nowhere/run.toml"),
        ("empty", "empty/run.toml"),
        ("other", "other holds no run of selfplay, komi, balance, match, rate or pipeline"),
        ("broken", "broken/run.toml"),
    ] {
        let refused = fairkomi(path, &format!("report {runs} --out page.html"));
        assert_eq!(refused.code, Some(2), "{runs}: {refused:?}");
        assert!(refused.err.contains(fault), "{runs}: {refused:?}");
        assert!(!path.join("page.html").exists());
    }
}

/// A browser, if there is one.
fn browser() -> Option<&'static str> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    names
        .into_iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success()))
}

/// The page as it is once its scripts, and then these lines of JavaScript, have run in a browser.
fn browsed(browser: &str, page: &Path, script: &str) -> String {
    let text = fs::read_to_string(page).unwrap();
    let driven = PathBuf::from(format!("{}-driven.html", page.display()));
    let script = format!("<script>{script}</script></body>");
    fs::write(&driven, text.replace("</body>", &script)).unwrap();
    let profile = folder();
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--dump-dom"])
        .args(["--virtual-time-budget=5000", "--window-size=1200,900"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("file://{}", driven.display()))
        .output()
        .expect("the browser starts");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn games_are_stepped_through_in_a_browser() {
    let Some(browser) = browser() else {
        assert!(std::env::var_os("CI").is_none(), "there is no browser to test the page with: install chromium");
        println!("skipped: there is no browser to test the page with");
        return;
    };
    let folder = folder();
    let path = folder.path();
    done(path, "selfplay --game yugo --size 4 --visits 4 --games 4 --seed 5 --out run");
    done(path, "report run");
    let row = &game_rows(&path.join("run")).unwrap()[0];
    // Keys, buttons, the slider and the list of games; what is seen after each goes into the page's title.
    let script = r##"
        const seen = [];
        const see = () => seen.push(at("now").textContent + "/" + document.querySelectorAll("#board circle:not(.came)").length);
        const key = name => { document.dispatchEvent(new KeyboardEvent("keydown", { key: name })); see(); };
        see();
        key("ArrowLeft"); key("ArrowLeft"); key("ArrowRight"); key("End"); key("ArrowRight"); key("Home");
        at("on").click(); see(); at("last").click(); see(); at("back").click(); at("first").click(); see();
        at("slider").value = 2; at("slider").oninput(); see();
        at("game").value = 1; at("game").onchange(); see();
        document.title = seen.join("|");
    "##;
    let page = browsed(browser, &path.join("run/report.html"), script);
    let title = page.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next()).expect("a title");
    let seen: Vec<&str> = title.split('|').collect();
    let turns: Vec<&str> = row.turn_texts().collect();
    let pieces = row.board.to_string().chars().filter(|c| "XO#@".contains(*c)).count();
    let first = format!("1. Black {}", turns[0]);
    let last = format!("{}. ", turns.len());
    assert_eq!(seen.len(), 12, "{title}");
    assert!(seen[0].starts_with(&first), "{title}");
    assert!(seen[1].starts_with("empty board; button: free/0") && seen[2] == seen[1], "{title}");
    assert_eq!(seen[3], seen[0], "{title}");
    assert!(seen[4].starts_with(&last) && seen[4].ends_with(&format!("/{pieces}")) && seen[5] == seen[4], "{title}");
    assert!(seen[6] == seen[1] && seen[7] == seen[0] && seen[8] == seen[4] && seen[9] == seen[1], "{title}");
    assert!(seen[10].starts_with(&format!("2. White {}", turns[1])), "{title}");
    assert!(seen[11].starts_with("1. Black "), "{title}");
    // Every turn is in the list, and the one shown is marked.
    assert!(page.contains("<li class=\"now\">"), "{page}");
}
