//! What a search knows, by position, in bounded memory.

use std::sync::atomic::{AtomicU64, Ordering};

use super::canonical::Key;
use super::index::spread;

/// How many entries a position's key has the choice of.
const WAYS: usize = 4;

/// The words of a set of entries.
const SET: usize = 2 * WAYS;

/// How far a question is from its answer: at least so many positions must be settled first (Allis, "Searching for
/// solutions in games and artificial intelligence", 1994: proof and disproof numbers).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Effort {
    /// For a yes; 0: it is proven.
    pub yes: u32,
    /// For a no; 0: it is proven.
    pub no: u32,
}

impl Effort {
    /// What stands against an answer that is refuted.
    pub const NEVER: u32 = 1 << 30;
    /// The question is answered with yes.
    pub const YES: Effort = Effort { yes: 0, no: Effort::NEVER };
    /// The question is answered with no.
    pub const NO: Effort = Effort { yes: Effort::NEVER, no: 0 };

    /// The answer, if there is one.
    pub fn answer(self) -> Option<bool> {
        match self {
            Effort { yes: 0, .. } => Some(true),
            Effort { no: 0, .. } => Some(false),
            _ => None,
        }
    }
}

/// What an entry says about a position. Values are the mover's, in half points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Entry {
    /// The mover can force an end with at least this.
    lower: i8,
    /// The other player can force an end with at most this.
    upper: i8,
    /// The question whether the mover can force an end with at least this is so far from its answer.
    asked: i8,
    effort: Effort,
    /// The logarithm of the work that was done for this.
    work: u8,
}

impl Entry {
    fn to_word(self) -> u64 {
        let bytes = [self.lower as u8, self.upper as u8, self.asked as u8, self.work];
        let known = u32::from_le_bytes(bytes);
        u64::from(known) << 32 | u64::from(rounded(self.effort.yes)) << 16 | u64::from(rounded(self.effort.no))
    }

    fn from_word(word: u64) -> Self {
        let [lower, upper, asked, work] = ((word >> 32) as u32).to_le_bytes();
        let effort = Effort { yes: exact((word >> 16) as u16), no: exact(word as u16) };
        Entry { lower: lower as i8, upper: upper as i8, asked: asked as i8, effort, work }
    }
}

/// A number below 2^31 in 16 bits: five of exponent, eleven of mantissa, rounded up, so that a limit that it has
/// reached stays reached.
fn rounded(number: u32) -> u16 {
    let exponent = (number.max(1).ilog2() + 1).saturating_sub(10);
    let mantissa = number.div_ceil(1 << exponent);
    (exponent << 11 | mantissa) as u16
}

fn exact(rounded: u16) -> u32 {
    u32::from(rounded & 0x7ff) << (rounded >> 11)
}

/// A table of fixed size. Threads share it without locks: the key is stored combined with its data, so that an entry
/// half of which another thread has overwritten matches no key (Hyatt and Mann, "A lockless transposition table
/// implementation for parallel search", 2002).
pub(super) struct Transpositions {
    /// Pairs of words: key xor data, data. Data is 0 where there is no entry.
    words: Vec<AtomicU64>,
    sets: u64,
}

impl Transpositions {
    const SET_BYTES: u64 = (SET * size_of::<AtomicU64>()) as u64;

    /// A table that takes at most `bytes`, but has room for one set of entries at least.
    pub fn new(bytes: u64) -> Self {
        let sets = (bytes / Self::SET_BYTES).max(1);
        Transpositions { words: (0..SET as u64 * sets).map(|_| AtomicU64::new(0)).collect(), sets }
    }

    /// The memory taken, in bytes.
    pub fn bytes(&self) -> u64 {
        self.sets * Self::SET_BYTES
    }

    /// The entries that the key has the choice of, with their places: `None` are free or another key's.
    fn entries(&self, key: Key) -> impl Iterator<Item = (&[AtomicU64], Option<Entry>, u64)> {
        let set = ((u128::from(spread(key)) * u128::from(self.sets)) >> 64) as usize;
        self.words[SET * set..][..SET].chunks_exact(2).map(move |words| {
            let data = words[1].load(Ordering::Relaxed);
            let own = data != 0 && words[0].load(Ordering::Relaxed) ^ data == key;
            (words, own.then(|| Entry::from_word(data)), data)
        })
    }

    /// How far the question is from its answer whether the mover of the position with this key can force an end with at
    /// least `asked`; `None` if nothing is known.
    pub fn get(&self, key: Key, asked: i8) -> Option<Effort> {
        let mut found = None;
        for (_, entry, _) in self.entries(key) {
            match entry {
                Some(entry) if asked <= entry.lower => return Some(Effort::YES),
                Some(entry) if asked > entry.upper => return Some(Effort::NO),
                Some(entry) if asked == entry.asked => found = Some(entry.effort),
                _ => {}
            }
        }
        found
    }

    /// Keeps how far the question is from its answer, in place of what took the least work.
    pub fn put(&self, key: Key, asked: i8, effort: Effort, work: u8) {
        let (lower, upper) = match effort.answer() {
            Some(true) => (asked, i8::MAX),
            Some(false) => (i8::MIN, asked - 1),
            None => (i8::MIN, i8::MAX),
        };
        let mut new = Entry { lower, upper, asked, effort, work };
        let mut chosen: Option<(&[AtomicU64], u8)> = None;
        for (words, entry, data) in self.entries(key) {
            // An answer to another question is kept with the new one.
            let rank = match entry {
                Some(entry) if entry.asked == asked => 0,
                Some(entry) if entry.effort.answer().is_some() => 1,
                None if data == 0 => 2,
                _ => Entry::from_word(data).work + 3,
            };
            if let Some(entry) = entry {
                new.lower = new.lower.max(entry.lower);
                new.upper = new.upper.min(entry.upper);
                new.work = if entry.asked == asked { new.work.max(entry.work) } else { new.work };
            }
            if chosen.is_none_or(|(_, least)| rank < least) {
                chosen = Some((words, rank));
            }
        }
        if let Some((words, _)) = chosen {
            let data = new.to_word();
            words[0].store(key ^ data, Ordering::Relaxed);
            words[1].store(data, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_up_by_little() {
        for number in (0..5000).chain((0..30).flat_map(|bit| [(1 << bit) - 1, 1 << bit, (1 << bit) + 1])) {
            let kept = exact(rounded(number));
            assert!(kept >= number && u64::from(kept - number) * 500 <= u64::from(number), "{number} {kept}");
        }
        assert_eq!(exact(rounded(Effort::NEVER)), Effort::NEVER);
    }

    #[test]
    fn answers_hold_for_easier_questions() {
        let table = Transpositions::new(0);
        let open = Effort { yes: 3, no: 4 };
        table.put(7, 4, open, 1);
        table.put(7, 2, Effort::YES, 1);
        table.put(7, 8, Effort::NO, 1);
        let found = [-6, 2, 4, 6, 8, 20].map(|asked| table.get(7, asked));
        assert_eq!(found, [Some(Effort::YES), Some(Effort::YES), Some(open), None, Some(Effort::NO), Some(Effort::NO)]);
        assert_eq!(table.get(8, 2), None);
    }
}
