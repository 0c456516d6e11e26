//! Numbers for keys, in the order in which they come.

use super::Stopped;
use super::canonical::Key;
use super::graph::NONE;

/// A hash table with open addressing, which only grows.
pub(super) struct Index {
    keys: Vec<Key>,
    /// Numbers of keys, each at the first free place from where its hash points to; `NONE` where there is none.
    slots: Vec<u32>,
}

impl Index {
    /// No keys.
    pub fn new() -> Self {
        Index { keys: Vec::new(), slots: vec![NONE; 64] }
    }

    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Up to `count` keys from number `first` on.
    pub fn keys(&self, first: usize, count: usize) -> &[Key] {
        &self.keys[first..self.len().min(first + count)]
    }

    /// The memory taken, in bytes.
    pub fn bytes(&self) -> u64 {
        bytes(self.keys.capacity(), self.slots.len())
    }

    /// The key's number, if it has one.
    pub fn find(&self, key: Key) -> Option<u32> {
        self.slot(key).ok()
    }

    /// The key's number; it is given the next one if it has none. `Err` if the table would have to grow beyond `memory`
    /// bytes.
    pub fn number(&mut self, key: Key, memory: u64) -> Result<u32, Stopped> {
        if let Ok(number) = self.slot(key) {
            return Ok(number);
        }
        let number = self.keys.len();
        if number >= NONE as usize {
            return Err(Stopped::Memory);
        }
        // At most two thirds full.
        if 3 * number >= 2 * self.slots.len() {
            self.grow(memory)?;
        }
        if number == self.keys.capacity() {
            let more = (number / 4).max(64);
            if self.bytes() + bytes(number + more, 0) > memory {
                return Err(Stopped::Memory);
            }
            self.keys.reserve_exact(more);
        }
        let number = number as u32;
        if let Err(slot) = self.slot(key) {
            self.slots[slot] = number;
        }
        self.keys.push(key);
        Ok(number)
    }

    /// Doubles the places.
    fn grow(&mut self, memory: u64) -> Result<(), Stopped> {
        let size = 2 * self.slots.len();
        // The old places are given back before the new ones are taken: the keys alone make them anew.
        if bytes(self.keys.capacity(), size) > memory {
            return Err(Stopped::Memory);
        }
        self.slots = Vec::new();
        self.slots = vec![NONE; size];
        for number in 0..self.keys.len() {
            if let Err(slot) = self.slot(self.keys[number]) {
                self.slots[slot] = number as u32;
            }
        }
        Ok(())
    }

    /// The key's number, or the place where it belongs.
    fn slot(&self, key: Key) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let mut slot = spread(key) as usize & mask;
        loop {
            match self.slots[slot] {
                NONE => return Err(slot),
                number if self.keys[number as usize] == key => return Ok(number),
                _ => slot = (slot + 1) & mask,
            }
        }
    }
}

fn bytes(keys: usize, slots: usize) -> u64 {
    (keys * size_of::<Key>() + slots * size_of::<u32>()) as u64
}

/// The key's bits stirred so that any of them are as good as random (the end of MurmurHash3).
pub(super) fn spread(key: Key) -> u64 {
    let mut bits = key;
    bits = (bits ^ bits >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    bits = (bits ^ bits >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    bits ^ bits >> 33
}
