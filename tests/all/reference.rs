//! A slow, literal implementation of the rules, to check the fast one against.
//!
//! It is written from the rule texts alone and shares no code with the program: a plain grid of characters, flood
//! fill with a stack, and every candidate turn tried out and judged by the sentence of the text that is quoted
//! above the function. Repetition and move caps are no rules of the games and are unknown here.

/// Which of the four games is played.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rule {
    Yugo,
    Linage,
    Fugo,
    Sligo,
}

/// The columns of a board, from the left. There is no `I`.
const COLUMNS: &[u8] = b"ABCDEFGHJKLMNOPQRST";

/// Black's pieces (pawn or stone, king). White's are the next two.
const BLACK: [char; 2] = ['X', '#'];
const WHITE: [char; 2] = ['O', '@'];
const PAWNS: [char; 2] = ['X', 'O'];

/// The pieces of one player. Black is Linage's Vertical; the stones of Linage belong to nobody and are never asked.
fn pieces(black: bool) -> [char; 2] {
    if black { BLACK } else { WHITE }
}

/// The pawn (Yugo) or stone (Fugo, Sligo) of one player.
fn stone(black: bool) -> char {
    pieces(black)[0]
}

fn king(black: bool) -> char {
    pieces(black)[1]
}

/// What a player does in one turn. Points are indices into `Board::cells`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Turn {
    Pass,
    Button,
    Swap,
    Place(usize),
    Move(usize, usize),
    MoveThenPlace(usize, usize, usize),
}

/// An n×n grid of characters; point `row * n + column`, with row 0 at the top.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Board {
    n: usize,
    cells: Vec<char>,
}

impl Board {
    fn points(&self) -> std::ops::Range<usize> {
        0..self.cells.len()
    }

    fn is_empty(&self, point: usize) -> bool {
        self.cells[point] == '.'
    }

    fn holds(&self, point: usize, black: bool) -> bool {
        pieces(black).contains(&self.cells[point])
    }

    /// The points on the board at the given distances (in rows and columns) from a point.
    fn at_offsets<'a>(&self, point: usize, offsets: &'a [(isize, isize)]) -> impl Iterator<Item = usize> + use<'a> {
        let n = self.n as isize;
        let (row, column) = (point as isize / n, point as isize % n);
        offsets
            .iter()
            .map(move |&(down, right)| (row + down, column + right))
            .filter(move |&(r, c)| (0..n).contains(&r) && (0..n).contains(&c))
            .map(move |(r, c)| (r * n + c) as usize)
    }

    fn orthogonal(&self, point: usize) -> impl Iterator<Item = usize> + use<> {
        self.at_offsets(point, &[(-1, 0), (1, 0), (0, -1), (0, 1)])
    }

    fn diagonal(&self, point: usize) -> impl Iterator<Item = usize> + use<> {
        self.at_offsets(point, &[(-1, -1), (-1, 1), (1, -1), (1, 1)])
    }

    /// All maximal sets of orthogonally contiguous points whose contents are among `wanted`.
    fn contiguous_sets(&self, wanted: &[char]) -> Vec<Vec<usize>> {
        let mut seen = vec![false; self.cells.len()];
        let mut sets = Vec::new();
        for start in self.points() {
            if seen[start] || !wanted.contains(&self.cells[start]) {
                continue;
            }
            seen[start] = true;
            let mut set = Vec::new();
            let mut stack = vec![start];
            while let Some(point) = stack.pop() {
                set.push(point);
                for next in self.orthogonal(point) {
                    if !seen[next] && wanted.contains(&self.cells[next]) {
                        seen[next] = true;
                        stack.push(next);
                    }
                }
            }
            sets.push(set);
        }
        sets
    }

    /// Yugo: "A player's group is a set of one or more orthogonally contiguous pieces of that player's color. Pawns
    /// and kings can be part of the same group. A portion of a larger group is not a group." Fugo: "A group is a
    /// maximal set of orthogonally contiguous, like-colored stones." Sligo: as Yugo, with stones.
    fn groups(&self, black: bool) -> Vec<Vec<usize>> {
        self.contiguous_sets(&pieces(black))
    }

    /// Yugo, Sligo: "A liberty of a group is an empty point orthogonally adjacent to that group." Fugo: "A liberty
    /// is an empty point orthogonally adjacent to a group."
    fn has_liberty(&self, group: &[usize]) -> bool {
        group.iter().any(|&point| self.orthogonal(point).any(|near| self.is_empty(near)))
    }

    /// Yugo, Sligo: "A group without liberties is said to be surrounded." Fugo: "A smothered group is a group
    /// without liberties."
    fn surrounded(&self, black: bool) -> Vec<Vec<usize>> {
        let mut groups = self.groups(black);
        groups.retain(|group| !self.has_liberty(group));
        groups
    }

    /// Linage: "A region is a maximal set of orthogonally contiguous empty points." The territories of Yugo and
    /// Sligo are such sets too.
    fn regions(&self) -> Vec<Vec<usize>> {
        self.contiguous_sets(&['.'])
    }

    /// Linage: "A line is a set of three orthogonally contiguous empty points on the same row or column." Whether
    /// the region has a horizontal one and whether it has a vertical one.
    fn lines(&self, region: &[usize]) -> (bool, bool) {
        let line = |offsets: [(isize, isize); 2]| {
            region.iter().any(|&point| {
                let others = self.at_offsets(point, &offsets);
                others.filter(|&p| self.is_empty(p)).count() == 2
            })
        };
        (line([(0, 1), (0, 2)]), line([(1, 0), (2, 0)]))
    }

    /// Linage: "A region is owned by Vertical if it contains no horizontal lines, and by Horizontal if it contains
    /// no vertical lines. A region is free if it's owned by neither player." Vertical is `true`, free is `None`.
    fn region_owner(&self, region: &[usize]) -> Option<bool> {
        match self.lines(region) {
            (true, true) => None,
            (false, true) => Some(true),
            (true, false) => Some(false),
            (false, false) => panic!("a region without a line"),
        }
    }

    /// Yugo: "You own a territory if at least one point in it is adjacent to one of your pieces and no points in it
    /// are adjacent to any enemy pieces." Sligo: "A player's territory is a set of orthogonally contiguous empty
    /// points such that all points orthogonally adjacent to it are occupied by stones of that player's color." The
    /// two differ on the empty board alone, which Sligo would give to both players; here it is nobody's.
    fn territory_owner(&self, territory: &[usize]) -> Option<bool> {
        let touches = |black| territory.iter().any(|&point| self.orthogonal(point).any(|near| self.holds(near, black)));
        match (touches(true), touches(false)) {
            (true, false) => Some(true),
            (false, true) => Some(false),
            _ => None,
        }
    }

    /// Sligo: "A weak pair is a set of two like-colored, diagonally adjacent stones such that there is no
    /// like-colored stone orthogonally adjacent to both."
    fn has_weak_pair(&self, black: bool) -> bool {
        self.points().any(|first| {
            self.holds(first, black)
                && self.diagonal(first).any(|second| {
                    self.holds(second, black)
                        && !self
                            .orthogonal(first)
                            .any(|near| self.holds(near, black) && self.orthogonal(second).any(|p| p == near))
                })
        })
    }
}

/// A whole game: the board and all that is not on it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct RefGame {
    rule: Rule,
    board: Board,
    black_to_move: bool,
    passes: usize,
    /// Yugo: who has taken the button (Black is `true`).
    button: Option<bool>,
    /// Yugo: how many pawns Black has still to place before White's first turn.
    handicap_left: usize,
    /// Fugo: the pie rule is on and White has not had a turn.
    may_swap: bool,
    /// Fugo: the two people have exchanged seats.
    swapped: bool,
}

impl RefGame {
    /// The start of a game. Yugo, Linage, Sligo: "It's played on the intersections (points) of an initially empty
    /// square board."; "Black plays first", in Linage "Vertical plays first". The pie rule is Fugo's, a handicap
    /// Yugo's; Linage needs three points in a row.
    pub fn new(rule: Rule, n: usize, pie: bool, handicap: usize) -> Self {
        assert!((1..=19).contains(&n), "the size is 1 to 19");
        assert!(rule != Rule::Linage || n >= 3, "Linage: 3 to 19");
        assert!(rule == Rule::Fugo || !pie, "the pie rule is Fugo's");
        assert!(rule == Rule::Yugo || handicap == 0, "a handicap is Yugo's");
        assert!(handicap <= n * n / 2, "the handicap is at most n²/2");
        RefGame {
            rule,
            board: Board { n, cells: vec!['.'; n * n] },
            black_to_move: true,
            passes: 0,
            button: None,
            handicap_left: handicap,
            may_swap: pie,
            swapped: false,
        }
    }

    /// A game that starts from a position: rows from the top, the pie rule off, no handicap, no pass before it.
    /// `button`: `Some(Some(black))` when it is taken; `None` and `Some(None)` both mean that it is not.
    pub fn from_rows(rule: Rule, rows: &[&str], black_to_move: bool, button: Option<Option<bool>>) -> Self {
        let mut game = RefGame::new(rule, rows.len(), false, 0);
        game.board.cells = rows.concat().chars().collect();
        let allowed = match rule {
            Rule::Yugo => ".XO#@",
            Rule::Linage => ".X",
            Rule::Fugo | Rule::Sligo => ".XO",
        };
        assert!(rows.iter().all(|row| row.len() == rows.len()), "not square");
        assert!(game.board.cells.iter().all(|&c| allowed.contains(c)));
        game.black_to_move = black_to_move;
        game.button = button.flatten();
        game
    }

    /// Whether the board obeys what each turn leaves behind. Yugo: pawns are removed from surrounded groups, and a pawn
    /// surrounds none. Linage: "At all times, every region must include at least one line." Sligo: "there must be no
    /// weak pairs and no surrounded groups of any color on the board". Fugo asks nothing.
    pub fn is_sound(&self) -> bool {
        let board = &self.board;
        [true, false].into_iter().all(|black| match self.rule {
            Rule::Yugo => board.surrounded(black).concat().iter().all(|&point| board.cells[point] != stone(black)),
            Rule::Linage => board.regions().iter().all(|region| board.lines(region) != (false, false)),
            Rule::Fugo => true,
            Rule::Sligo => !board.has_weak_pair(black) && board.surrounded(black).is_empty(),
        })
    }

    pub fn black_to_move(&self) -> bool {
        self.black_to_move
    }

    /// Whether the two people have exchanged seats (Fugo's pie rule).
    pub fn swapped(&self) -> bool {
        self.swapped
    }

    /// The board from the top: `.` empty, `X` `O` Black's and White's pawns or stones, `#` `@` their kings. The
    /// stones of Linage are `X`.
    pub fn rows(&self) -> Vec<String> {
        let rows = self.board.cells.chunks(self.board.n);
        rows.map(|row| row.iter().collect()).collect()
    }

    /// Yugo, Sligo: "Play stops when both players pass consecutively." Linage: "When both players pass in
    /// succession, the game ends." Fugo: "If you have no moves available on your turn, you lose." The agreement on
    /// dead groups is left out: "the current position, without further removals, is used for scoring".
    pub fn is_over(&self) -> bool {
        match self.rule {
            Rule::Fugo => self.successors().is_empty(),
            _ => self.passes >= 2,
        }
    }

    /// The legal turns in notation, sorted bytewise. None when the game is over.
    pub fn legal_turns(&self) -> Vec<String> {
        let turns = self.successors();
        let mut names: Vec<String> = turns.iter().map(|(turn, _)| self.turn_name(*turn)).collect();
        names.sort();
        names
    }

    /// Plays one whole turn, or says why it is illegal and leaves the game as it was.
    pub fn play(&mut self, turn: &str) -> Result<(), String> {
        *self = self.after(self.parse_turn(turn)?)?;
        Ok(())
    }

    /// The colour that has won at komi 0. `None` while the game runs and when it is tied. Fugo: "If you have no
    /// moves available on your turn, you lose." The others: "The player with the higher score wins the game."
    pub fn winner_is_black(&self) -> Option<bool> {
        if !self.is_over() {
            return None;
        }
        match self.scores_in_half_points() {
            None => Some(!self.black_to_move),
            Some((first, second)) if first == second => None,
            Some((first, second)) => Some(first > second),
        }
    }

    /// The scores of the board as it stands, first and second player, in half points and without komi; Fugo has none.
    ///
    /// Yugo: "A player's score is the number of empty points in their territories, plus the number of pieces of
    /// their color in groups with one or more liberties, plus the number of enemy kings in groups without
    /// liberties, plus half a point if they have taken the button". Linage: "A player's score is the number of
    /// points in the regions that they own". Sligo: "A player's score is the number of stones of their color on the
    /// board, plus the number of empty points in territories of their color".
    pub fn scores_in_half_points(&self) -> Option<(i32, i32)> {
        if self.rule == Rule::Fugo {
            return None;
        }
        let owners = self.owners().concat();
        let score = |black| {
            let points = owners.iter().filter(|&&owner| owner == Some(black)).count();
            2 * points as i32 + i32::from(self.button == Some(black))
        };
        Some((score(true), score(false)))
    }

    /// Who scores for each point of the board as it stands (Black is `true`), rows from the top. The sentences are
    /// those of `scores_in_half_points`: each point counts for one player or for nobody. In Fugo all are nobody's.
    pub fn owners(&self) -> Vec<Vec<Option<bool>>> {
        let mut owners = vec![None; self.board.cells.len()];
        match self.rule {
            Rule::Fugo => {}
            Rule::Linage => {
                for region in self.board.regions() {
                    let owner = self.board.region_owner(&region);
                    region.iter().for_each(|&point| owners[point] = owner);
                }
            }
            Rule::Yugo | Rule::Sligo => {
                for territory in self.board.regions() {
                    let owner = self.board.territory_owner(&territory);
                    territory.iter().for_each(|&point| owners[point] = owner);
                }
                for black in [true, false] {
                    for group in self.board.groups(black) {
                        let free = self.rule == Rule::Sligo || self.board.has_liberty(&group);
                        for point in group {
                            if free {
                                owners[point] = Some(black);
                            } else if self.board.cells[point] == king(black) {
                                owners[point] = Some(!black);
                            }
                        }
                    }
                }
            }
        }
        owners.chunks(self.board.n).map(<[_]>::to_vec).collect()
    }

    /// Every legal turn with the game after it: each candidate is tried out.
    fn successors(&self) -> Vec<(Turn, RefGame)> {
        let tried = self.candidates().into_iter();
        tried.filter_map(|turn| self.after(turn).ok().map(|game| (turn, game))).collect()
    }

    /// All turns that have the form of a turn; `after` judges them.
    fn candidates(&self) -> Vec<Turn> {
        let board = &self.board;
        let own = |&point: &usize| board.holds(point, self.black_to_move);
        let mut turns = vec![Turn::Pass, Turn::Button, Turn::Swap];
        turns.extend(board.points().map(Turn::Place));
        match self.rule {
            Rule::Yugo | Rule::Linage => {}
            Rule::Fugo => {
                for from in board.surrounded(self.black_to_move).concat() {
                    turns.extend(board.points().map(|to| Turn::Move(from, to)));
                }
            }
            Rule::Sligo => {
                for from in board.points().filter(own) {
                    for to in board.orthogonal(from).chain(board.diagonal(from)) {
                        let then = board.points();
                        turns.extend(then.map(|point| Turn::MoveThenPlace(from, to, point)));
                    }
                }
            }
        }
        turns
    }

    /// The game after a turn, or why the turn is illegal. "Black plays first, then turns alternate."
    fn after(&self, turn: Turn) -> Result<RefGame, String> {
        if self.rule != Rule::Fugo && self.is_over() {
            return Err("the game is over".into());
        }
        match self.rule {
            Rule::Yugo => self.after_in_yugo(turn),
            Rule::Linage => self.after_in_linage(turn),
            Rule::Fugo => self.after_in_fugo(turn),
            Rule::Sligo => self.after_in_sligo(turn),
        }
    }

    /// The other player is to move on this board, and the turn before was not a pass.
    fn turned_over(&self, board: Board) -> RefGame {
        RefGame { board, black_to_move: !self.black_to_move, passes: 0, ..self.clone() }
    }

    /// The other player is to move after a pass.
    fn passed(&self) -> RefGame {
        let mut next = self.turned_over(self.board.clone());
        next.passes = self.passes + 1;
        next
    }

    /// The board with one piece more, if the point is empty.
    fn with(&self, point: usize, piece: char) -> Result<Board, String> {
        let mut board = self.board.clone();
        if !board.is_empty(point) {
            return Err("the point is not empty".into());
        }
        board.cells[point] = piece;
        Ok(board)
    }

    /// "On their turn, a player must perform exactly one of the following actions: a) Take the button, provided
    /// that none of the players has taken it before. b) Pass, provided that the button is already taken. c) Place a
    /// pawn ... d) Place a king ..." Handicap: Black first places that many pawns and does nothing else.
    fn after_in_yugo(&self, turn: Turn) -> Result<RefGame, String> {
        if self.handicap_left > 0 {
            let Turn::Place(point) = turn else {
                return Err("only handicap pawns may be placed now".into());
            };
            let mut next = self.turned_over(self.with_pawn(point)?);
            next.handicap_left -= 1;
            next.black_to_move = next.handicap_left > 0;
            return Ok(next);
        }
        match turn {
            Turn::Button if self.button.is_none() => {
                let mut next = self.turned_over(self.board.clone());
                next.button = Some(self.black_to_move);
                Ok(next)
            }
            Turn::Button => Err("the button is taken".into()),
            Turn::Pass if self.button.is_some() => Ok(self.passed()),
            Turn::Pass => Err("no pass while the button is free".into()),
            Turn::Place(point) => match (self.with_pawn(point), self.with_king(point)) {
                (Ok(_), Ok(_)) => panic!("both a pawn and a king are legal on one point"),
                (Ok(board), Err(_)) | (Err(_), Ok(board)) => Ok(self.turned_over(board)),
                (Err(pawn), Err(king)) if pawn == king => Err(pawn),
                (Err(pawn), Err(king)) => Err(format!("{pawn}, and {king}")),
            },
            _ => Err("there is no such turn in Yugo".into()),
        }
    }

    /// "c) Place a pawn of their color on an empty point such that the number of surrounded groups remains
    /// unchanged." Both colours count.
    fn with_pawn(&self, point: usize) -> Result<Board, String> {
        let count = |board: &Board| board.surrounded(true).len() + board.surrounded(false).len();
        let board = self.with(point, stone(self.black_to_move))?;
        if count(&board) == count(&self.board) {
            Ok(board)
        } else {
            Err("a pawn would change the number of surrounded groups".into())
        }
    }

    /// "d) Place a king of their color on an empty point such that the number of surrounded enemy groups is
    /// increased, and remove all pawns from all such groups. In the resulting position, if there are any surrounded
    /// friendly groups, remove all pawns from them as well."
    fn with_king(&self, point: usize) -> Result<Board, String> {
        let (own, enemy) = (self.black_to_move, !self.black_to_move);
        let mut board = self.with(point, king(own))?;
        if board.surrounded(enemy).len() <= self.board.surrounded(enemy).len() {
            return Err("a king would surround no further enemy group".into());
        }
        for player in [enemy, own] {
            for stripped in board.surrounded(player).concat() {
                if PAWNS.contains(&board.cells[stripped]) {
                    board.cells[stripped] = '.';
                }
            }
        }
        Ok(board)
    }

    /// "On their turn, a player must either pass or place a stone on an empty point which is part of a free region.
    /// At all times, every region must include at least one line."
    fn after_in_linage(&self, turn: Turn) -> Result<RefGame, String> {
        match turn {
            Turn::Pass => Ok(self.passed()),
            Turn::Place(point) => {
                let board = self.with(point, 'X')?;
                let regions = self.board.regions();
                let region = regions.iter().find(|region| region.contains(&point));
                if self.board.region_owner(region.unwrap()).is_some() {
                    return Err("the point is not in a free region".into());
                }
                let lineless = |region: &Vec<usize>| board.lines(region) == (false, false);
                if board.regions().iter().any(lineless) {
                    return Err("a region would be left without a line".into());
                }
                Ok(self.turned_over(board))
            }
            _ => Err("there is no such turn in Linage".into()),
        }
    }

    /// "At the start of your turn, you will face one of these situations: a) There are no smothered friendly
    /// groups. ... b) There are one or more smothered friendly groups." And the pie rule: "White will have the
    /// option, on their first turn only, to change sides instead of making a regular move." Board and colours then
    /// stay, the two people exchange seats, and White is to move.
    fn after_in_fugo(&self, turn: Turn) -> Result<RefGame, String> {
        let mut next = match turn {
            Turn::Swap if self.may_swap && !self.black_to_move => RefGame { swapped: true, ..self.clone() },
            Turn::Swap => return Err("no swap now".into()),
            Turn::Place(point) => self.turned_over(self.with_fugo_stone(point)?),
            Turn::Move(from, to) => self.turned_over(self.with_fugo_move(from, to)?),
            _ => return Err("there is no such turn in Fugo".into()),
        };
        next.may_swap &= self.black_to_move;
        Ok(next)
    }

    /// "a) There are no smothered friendly groups. In this case, you must place a stone of your color on an empty
    /// point. Your placement may not increase the number of smothered friendly groups unless it also increases the
    /// number of smothered enemy groups."
    fn with_fugo_stone(&self, point: usize) -> Result<Board, String> {
        let (own, enemy) = (self.black_to_move, !self.black_to_move);
        if !self.board.surrounded(own).is_empty() {
            return Err("a stone of a smothered group must move".into());
        }
        let board = self.with(point, stone(own))?;
        let more = |player| board.surrounded(player).len() > self.board.surrounded(player).len();
        if more(own) && !more(enemy) {
            return Err("it would smother a friendly group and no enemy group".into());
        }
        Ok(board)
    }

    /// "b) There are one or more smothered friendly groups. In this case, you must move one stone from one of those
    /// groups to an empty point such that, after the move, the group that now includes the moved stone has at least
    /// one liberty. You may only move a stone from a point where it's orthogonally adjacent to one or more enemy
    /// stones."
    fn with_fugo_move(&self, from: usize, to: usize) -> Result<Board, String> {
        let (own, enemy) = (self.black_to_move, !self.black_to_move);
        if !self.board.surrounded(own).concat().contains(&from) {
            return Err("the stone is not one of a smothered friendly group".into());
        }
        let mut touched = self.board.orthogonal(from);
        if !touched.any(|near| self.board.holds(near, enemy)) {
            return Err("the stone touches no enemy stone".into());
        }
        let mut board = self.with(to, stone(own))?;
        board.cells[from] = '.';
        let groups = board.groups(own);
        let group = groups.iter().find(|group| group.contains(&to)).unwrap();
        if !board.has_liberty(group) {
            return Err("the moved stone would have no liberty".into());
        }
        Ok(board)
    }

    /// "On your turn, you must either pass or place a stone of your color on an empty point. Before placing a stone,
    /// you may also move a stone of your color to an orthogonally or diagonally adjacent empty point."
    fn after_in_sligo(&self, turn: Turn) -> Result<RefGame, String> {
        match turn {
            Turn::Pass => Ok(self.passed()),
            Turn::Place(point) => self.after_sligo_placement(point),
            Turn::MoveThenPlace(from, to, point) => {
                if !self.board.holds(from, self.black_to_move) {
                    return Err("there is no own stone to move".into());
                }
                let mut near = self.board.orthogonal(from).chain(self.board.diagonal(from));
                if !near.any(|p| p == to) {
                    return Err("a stone moves to an adjacent point".into());
                }
                let mut moved = self.clone();
                moved.board = self.with(to, stone(self.black_to_move))?;
                moved.board.cells[from] = '.';
                moved.after_sligo_placement(point)
            }
            _ => Err("there is no such turn in Sligo".into()),
        }
    }

    /// "After placing a stone, remove all surrounded enemy groups. In the resulting position, there must be no weak
    /// pairs and no surrounded groups of any color on the board."
    fn after_sligo_placement(&self, point: usize) -> Result<RefGame, String> {
        let mut board = self.with(point, stone(self.black_to_move))?;
        for removed in board.surrounded(!self.black_to_move).concat() {
            board.cells[removed] = '.';
        }
        if board.has_weak_pair(true) || board.has_weak_pair(false) {
            return Err("a weak pair would be on the board".into());
        }
        if !board.surrounded(true).is_empty() || !board.surrounded(false).is_empty() {
            return Err("a surrounded group would be on the board".into());
        }
        Ok(self.turned_over(board))
    }

    /// Points are written as in GTP: the column's letter (without I), then the row counted from the bottom.
    fn point_name(&self, point: usize) -> String {
        let n = self.board.n;
        format!("{}{}", COLUMNS[point % n] as char, n - point / n)
    }

    fn parse_point(&self, text: &str) -> Result<usize, String> {
        let mut points = self.board.points();
        let found = points.find(|&point| self.point_name(point) == text);
        found.ok_or_else(|| format!("{text}: no such point on this board"))
    }

    fn turn_name(&self, turn: Turn) -> String {
        let name = |point| self.point_name(point);
        match turn {
            Turn::Pass => "pass".into(),
            Turn::Button => "button".into(),
            Turn::Swap => "swap".into(),
            Turn::Place(point) => name(point),
            Turn::Move(from, to) => format!("{}-{}", name(from), name(to)),
            Turn::MoveThenPlace(from, to, point) => {
                format!("{}-{},{}", name(from), name(to), name(point))
            }
        }
    }

    fn parse_turn(&self, text: &str) -> Result<Turn, String> {
        match text {
            "pass" => return Ok(Turn::Pass),
            "button" => return Ok(Turn::Button),
            "swap" => return Ok(Turn::Swap),
            _ => {}
        }
        let Some((from, rest)) = text.split_once('-') else {
            return Ok(Turn::Place(self.parse_point(text)?));
        };
        let from = self.parse_point(from)?;
        match rest.split_once(',') {
            None => Ok(Turn::Move(from, self.parse_point(rest)?)),
            Some((to, point)) => Ok(Turn::MoveThenPlace(from, self.parse_point(to)?, self.parse_point(point)?)),
        }
    }
}

/// The number of sequences of exactly `depth` turns; a game that ends earlier adds nothing.
pub fn perft(game: &RefGame, depth: usize) -> u64 {
    if depth == 0 {
        return 1;
    }
    let successors = game.successors();
    successors.iter().map(|(_, next)| perft(next, depth - 1)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use sha2::{Digest, Sha256};

    fn rule(name: &str) -> Rule {
        match name {
            "yugo" => Rule::Yugo,
            "linage" => Rule::Linage,
            "fugo" => Rule::Fugo,
            "sligo" => Rule::Sligo,
            _ => panic!("{name}: no such game"),
        }
    }

    /// Compares every count of at most `limit` in the oracle's table.
    fn check_perft(limit: u64) {
        let table: Value = serde_json::from_str(include_str!("../data/oracle/perft.json")).unwrap();
        let mut checked = 0;
        for (name, sizes) in table["counts"].as_object().unwrap() {
            for (size, counts) in sizes.as_object().unwrap() {
                let game = RefGame::new(rule(name), size.parse().unwrap(), false, 0);
                for (depth, count) in counts.as_array().unwrap().iter().enumerate() {
                    let count = count.as_u64().unwrap();
                    if count <= limit {
                        assert_eq!(perft(&game, depth), count, "{name} {size}, depth {depth}");
                        checked += 1;
                    }
                }
            }
        }
        assert!(checked > 70, "{checked} counts");
    }

    #[test]
    fn perft_agrees_with_the_oracle() {
        check_perft(20_000);
    }

    #[test]
    #[ignore = "takes a minute: the larger counts of the oracle"]
    fn perft_agrees_with_the_whole_oracle() {
        check_perft(u64::MAX);
    }

    #[test]
    fn every_ply_of_the_transcripts_agrees_with_the_oracle() {
        for line in include_str!("../data/oracle/games.jsonl").lines() {
            let record: Value = serde_json::from_str(line).unwrap();
            let rule = rule(record["game"].as_str().unwrap());
            let seed = &record["seed"];
            let options = &record["options"];
            let mut game = RefGame::new(
                rule,
                record["size"].as_u64().unwrap() as usize,
                options["pie"].as_bool().unwrap_or(false),
                options["handicap"].as_u64().unwrap_or(0) as usize,
            );
            let plies = record["plies"].as_array().unwrap();
            for (index, ply) in plies.iter().enumerate() {
                let turns = game.legal_turns();
                let at = format!("{seed}, ply {index}");
                assert_eq!(turns.len() as u64, ply["legal"].as_u64().unwrap(), "{at}");
                let hash = format!("{:x}", Sha256::digest(turns.join("\n")));
                assert_eq!(hash, ply["hash"].as_str().unwrap(), "{at}");
                assert!(!game.is_over() && game.winner_is_black().is_none(), "{at}");
                game.play(ply["move"].as_str().unwrap()).unwrap();
            }
            let swaps = plies.iter().filter(|ply| ply["move"] == "swap").count();
            assert_eq!(game.swapped(), swaps == 1, "{seed}");
            let rows = record["rows"].as_array().unwrap().iter();
            let rows: Vec<String> = rows.map(|row| row.as_str().unwrap().replace('S', "X")).collect();
            assert_eq!(game.rows(), rows, "{seed}");
            assert_eq!(game.is_over(), !record["cap"].as_bool().unwrap(), "{seed}");
            assert_eq!(game.legal_turns().is_empty(), game.is_over(), "{seed}");
            let score = |player: usize| (2.0 * record["score"][player].as_f64().unwrap()) as i32;
            match game.scores_in_half_points() {
                Some(scores) => assert_eq!(scores, (score(0), score(1)), "{seed}"),
                None => assert_eq!(game.winner_is_black(), Some(score(0) > score(1)), "{seed}"),
            }
        }
    }

    /// The nine columns and seven rows that were published, with the two rows that are cut off put above (`cut` = 2),
    /// above and below (1) or below (0) them: nothing that is asked here depends on it.
    fn published(shown: [&str; 7], cut: usize) -> Vec<String> {
        let mut rows = vec![".........".to_string(); 9];
        for (row, text) in shown.iter().enumerate() {
            rows[cut + row] = text.to_string();
        }
        rows
    }

    fn position(rule: Rule, rows: &[String], black_to_move: bool) -> RefGame {
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        RefGame::from_rows(rule, &rows, black_to_move, None)
    }

    #[test]
    fn yugo_first_published_position() {
        let left = [".........", ".........", "XXX......", "OO@XX....", "O.@OOX...", "XOO@XX...", ".X#X....."];
        let right = [".........", ".........", "XXX......", "..@XX....", ".#@..X...", "X..@XX...", ".X#X....."];
        for cut in 0..=2 {
            let rows = published(left, cut);
            let star = format!("B{}", 5 - cut);
            let mut black = position(Rule::Yugo, &rows, true);
            assert_eq!(black.scores_in_half_points(), Some((140, 22)));

            // Every empty point, and the button; on A7 of the diagram White's piece is a king.
            let mut all = vec!["button".to_string()];
            let empty = black.board.points().filter(|&p| black.board.is_empty(p));
            all.extend(empty.map(|p| black.point_name(p)));
            all.sort();
            assert_eq!(black.legal_turns(), all);
            all.retain(|turn| *turn != star);

            let mut white = position(Rule::Yugo, &rows, false);
            assert_eq!(white.legal_turns(), all);
            let before = white.clone();
            assert!(white.play(&star).is_err());
            assert_eq!(white, before);
            white.play(&format!("A{}", 3 - cut)).unwrap();
            assert_eq!(&white.rows()[cut + 5][..1], ".");
            assert_eq!(&white.rows()[cut + 6][..1], "@");

            black.play(&star).unwrap();
            assert_eq!(black.rows(), published(right, cut));
            assert_eq!(black.scores_in_half_points(), Some((142, 6)));
            assert!(!black.black_to_move());
        }
    }

    /// "White's king surrounds a black group and leaves a white group surrounded as well. The black group is looked
    /// at first and, being kings only, loses nothing; the white group is then still surrounded and loses its pawn."
    /// It was published in words only; this is a position that they describe.
    #[test]
    fn yugo_second_published_position() {
        let rows = [".....", "X....", "OX...", ".X...", "#O..."];
        let mut game = RefGame::from_rows(Rule::Yugo, &rows, false, Some(Some(true)));
        game.play("A2").unwrap();
        assert_eq!(game.rows(), [".....", "X....", ".X...", "@X...", "#O..."]);
        assert_eq!(game.scores_in_half_points(), Some((7, 6)));

        // A pawn in the black group is removed first and gives the white group a liberty.
        let rows = [".....", "X....", "OX...", ".X...", "XO..."];
        let mut game = RefGame::from_rows(Rule::Yugo, &rows, false, Some(Some(false)));
        game.play("A2").unwrap();
        assert_eq!(game.rows(), [".....", "X....", "OX...", "@X...", ".O..."]);
        assert_eq!(game.scores_in_half_points(), Some((6, 9)));
    }

    #[test]
    fn yugo_handicap_pawns_come_first() {
        let mut game = RefGame::new(Rule::Yugo, 2, false, 2);
        assert_eq!(game.legal_turns(), ["A1", "A2", "B1", "B2"]);
        game.play("A1").unwrap();
        assert!(game.black_to_move() && game.play("button").is_err());
        game.play("B2").unwrap();
        assert!(!game.black_to_move());
        assert_eq!(game.legal_turns(), ["button"]);
    }

    #[test]
    fn linage_regions() {
        let game = RefGame::from_rows(Rule::Linage, &["X.X.", "X.X.", "X.X.", "XXX."], true, None);
        assert_eq!(game.legal_turns(), ["pass"]);
        assert_eq!(game.scores_in_half_points(), Some((14, 0)));
        assert_eq!(game.owners()[3], [None, None, None, Some(true)]);
        let mut game = RefGame::new(Rule::Linage, 3, false, 0);
        game.play("B2").unwrap();
        assert!(game.play("B2").is_err());
        game.play("pass").unwrap();
        game.play("pass").unwrap();
        assert!(game.is_over() && game.winner_is_black().is_none());
    }

    #[test]
    fn fugo_swap_and_smothered_groups() {
        let mut game = RefGame::new(Rule::Fugo, 2, true, 0);
        assert_eq!(game.legal_turns(), ["A1", "A2", "B1", "B2"]);
        game.play("A1").unwrap();
        let mut other = game.clone();
        assert_eq!(game.legal_turns(), ["A2", "B1", "B2", "swap"]);
        game.play("swap").unwrap();
        assert!(game.swapped() && !game.black_to_move());
        assert_eq!(game.legal_turns(), ["A2", "B1", "B2"]);
        other.play("B2").unwrap();
        other.play("B1").unwrap();
        assert_eq!(other.legal_turns(), ["A2"]);
        other.play("A2").unwrap();
        assert!(other.is_over() && !other.swapped());
        assert_eq!(other.winner_is_black(), Some(false));

        let game = RefGame::from_rows(Rule::Fugo, &["...", "X..", "OX."], false, None);
        let moves = ["A1-A3", "A1-B2", "A1-B3", "A1-C1", "A1-C2", "A1-C3"];
        assert_eq!(game.legal_turns(), moves);

        let nothing = RefGame::new(Rule::Fugo, 1, true, 0);
        assert!(nothing.is_over());
        assert_eq!(nothing.winner_is_black(), Some(false));
        assert_eq!(nothing.scores_in_half_points(), None);
    }

    #[test]
    fn sligo_moves_weak_pairs_and_captures() {
        let mut game = RefGame::from_rows(Rule::Sligo, &["..", "X."], true, None);
        let turns = game.legal_turns();
        assert!(turns.contains(&"A1-B1,A1".to_string()));
        assert!(!turns.contains(&"B2".to_string()));
        game.play("A1-B1,A1").unwrap();
        assert_eq!(game.rows(), ["..", "XX"]);
        let mut game = RefGame::from_rows(Rule::Sligo, &["...", "X..", "O.."], true, None);
        game.play("A2-B2,A3").unwrap_err();
        game.play("B1").unwrap_err();
        game.play("A2-B2,B1").unwrap();
        let mut game = RefGame::from_rows(Rule::Sligo, &["...", "XX.", "O.."], true, None);
        game.play("B1").unwrap();
        assert_eq!(game.rows(), ["...", "XX.", ".X."]);
        assert_eq!(game.scores_in_half_points(), Some((18, 0)));
    }
}
