//! The end of a game among people: "At this point, the players may agree which groups, if any, can be removed from the
//! board without changing the scores that would result from continuing the game. If there is such an agreement, the agreed
//! groups are removed, the game ends and the resulting position is used for scoring. If the players don't agree which groups
//! should be removed, play is resumed. In this case, when both players pass consecutively again, the game ends and the
//! current position, without further removals, is used for scoring." (Yugo and Sligo)

use std::collections::BTreeSet;

use super::commands::Arguments;
use super::protocol::Reply;
use super::session::Session;
use crate::board::{Bits, Geometry, PointSet};
use crate::games::{Cell, Game, Played, Player, Score, StartPosition};
use crate::search::PlayoutPolicy;

/// How far the players have come with it. Groups are sets of points, numbered row by row from the bottom.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Agreement {
    /// The groups that each player has proposed to remove, Black first.
    proposals: [Option<BTreeSet<usize>>; 2],
    /// What both proposed.
    agreed: Option<BTreeSet<usize>>,
    /// True once play was resumed: the next two passes end the game for good.
    is_settled: bool,
}

impl Agreement {
    /// The points of the groups that were removed.
    pub fn agreed(&self) -> Option<&BTreeSet<usize>> {
        self.agreed.as_ref()
    }
}

/// All groups on the board: maximal sets of orthogonally adjacent pieces of one player, in ascending order.
fn groups<G: Game>(position: &G) -> Vec<BTreeSet<usize>> {
    // Wide enough for every board.
    let board = Geometry::<6>::new(position.size());
    let pieces = position.pieces();
    let mut found: Vec<BTreeSet<usize>> = Vec::new();
    for points in [pieces.black, pieces.white] {
        let mut stones = Bits::EMPTY;
        points.iter().for_each(|point| stones.insert(board.from_dense(position.dense(point))));
        found.extend(board.groups(stones).map(|group| group.iter().map(|point| board.dense(point)).collect()));
    }
    found.sort();
    found
}

/// Where a game stands that two passes have ended.
enum Standing {
    /// The players may agree.
    Open,
    Agreed,
    Settled,
}

impl<G: PlayoutPolicy> Session<G> {
    fn standing(&self) -> Result<Standing, String> {
        if !self.has_passed() {
            return Err(
                "there is nothing to agree on: that comes when both players of Yugo or Sligo have passed".to_string()
            );
        }
        let agreement = &self.now.agreement;
        Ok(match (&agreement.agreed, agreement.is_settled) {
            (Some(_), _) => Standing::Agreed,
            (None, true) => Standing::Settled,
            (None, false) => Standing::Open,
        })
    }

    fn must_be_open(&self) -> Result<(), String> {
        match self.standing()? {
            Standing::Open => Ok(()),
            Standing::Agreed => Err("the players have agreed".to_string()),
            Standing::Settled => Err("play was resumed once; the game is over as it stands".to_string()),
        }
    }

    /// Some of the groups as lines of vertices.
    pub fn group_lines(&self, is_meant: impl Fn(&BTreeSet<usize>) -> bool) -> String {
        let position = self.position();
        let name = |dense: &usize| position.point_name(position.from_dense(*dense));
        let of_group = |group: &BTreeSet<usize>| group.iter().map(name).collect::<Vec<_>>().join(" ");
        let lines: Vec<String> = groups(position).iter().filter(|group| is_meant(group)).map(of_group).collect();
        lines.join("\n")
    }

    /// The groups that the engine takes to be dead: in most playouts their points end up the opponent's. A proposal, no
    /// more: whoever sees it otherwise disputes it.
    pub fn dead(&self) -> Reply {
        self.must_be_open()?;
        // Playouts are wild: more than four in five of the points are as much as they ever give the stronger side.
        const SURE: f64 = 0.6;
        let position = self.position();
        let outlook = self.outlook(self.open_game().position());
        let is_dead = |group: &BTreeSet<usize>| {
            let owned: f64 = group.iter().map(|dense| outlook.owners[*dense]).sum::<f64>() / group.len() as f64;
            let first = group.first().map(|dense| position.cell(position.from_dense(*dense)));
            match first {
                Some(Cell::Stone(Player::Black) | Cell::King(Player::Black)) => owned < -SURE,
                _ => owned > SURE,
            }
        };
        Ok(self.group_lines(is_dead))
    }

    /// A player proposes to remove the groups on these points; without points, none.
    pub fn propose(&mut self, arguments: Arguments<'_>) -> Reply {
        self.must_be_open()?;
        let player = self.colour(arguments.word(0)?)?;
        let mut points = BTreeSet::new();
        for word in &arguments.0[1..] {
            let point = self.position().parse_point(word).map_err(|error| error.to_string())?;
            let dense = self.position().dense(point);
            let group = groups(self.position()).into_iter().find(|group| group.contains(&dense));
            points.extend(group.ok_or_else(|| format!("there is no group at {word}"))?);
        }
        Ok(self.put_forward(player, points))
    }

    /// A player proposes what the other one has.
    pub fn accept(&mut self, arguments: Arguments<'_>) -> Reply {
        self.must_be_open()?;
        let player = self.colour(arguments.word(0)?)?;
        let other = &self.now.agreement.proposals[player.other() as usize];
        let points = other.clone().ok_or_else(|| format!("{} has proposed nothing", player.other()))?;
        Ok(self.put_forward(player, points))
    }

    fn put_forward(&mut self, player: Player, points: BTreeSet<usize>) -> String {
        self.keep();
        let agreement = &mut self.now.agreement;
        agreement.proposals[player as usize] = Some(points.clone());
        if agreement.proposals[player.other() as usize].as_ref() == Some(&points) {
            agreement.agreed = Some(points);
            "agreed".to_string()
        } else {
            format!("waiting for {}", player.other())
        }
    }

    /// A player does not agree: play is resumed.
    pub fn dispute(&mut self, arguments: Arguments<'_>) -> Reply {
        self.must_be_open()?;
        self.colour(arguments.word(0)?)?;
        self.keep();
        if !self.now.played.resume() {
            return Err("play cannot be resumed here".to_string());
        }
        self.now.agreement = Agreement { is_settled: true, ..Agreement::default() };
        self.forget();
        Ok(format!("{} to move", self.position().to_move()))
    }

    /// The position that is used for scoring: without the groups that were agreed on.
    pub fn scored_position(&self) -> G {
        let position = self.position();
        let Some(removed) = self.now.agreement.agreed() else { return position.clone() };
        let mut start = StartPosition::of(position);
        let size = position.size();
        for (row, text) in start.rows.iter_mut().rev().enumerate() {
            let kept = text
                .chars()
                .enumerate()
                .map(|(column, c)| if removed.contains(&(row * size + column)) { Cell::Empty.character() } else { c });
            *text = kept.collect();
        }
        G::from_position(&start).unwrap_or_else(|_| position.clone())
    }

    /// Both scores of a game that has them, without komi.
    pub fn score(&self) -> Option<Score> {
        self.scored_position().score()
    }

    /// A game to go on with for looking ahead, where passes have ended this one.
    pub fn open_game(&self) -> Played<G> {
        let mut played = self.now.played.clone();
        played.resume();
        played
    }
}
