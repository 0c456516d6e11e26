//! Keys of boards.

/// A 128-bit hash of some words.
#[inline]
pub fn hash(words: impl IntoIterator<Item = u64>) -> u128 {
    let mut key: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;
    for word in words {
        // Multiply by an odd constant, then fold the high half down: each word stirs all bits.
        key = (key ^ u128::from(word)).wrapping_mul(0xda94_2042_e4dd_58b5_2545_f491_4f6c_dd1d);
        key ^= key >> 67;
    }
    key
}
