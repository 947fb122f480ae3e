//! [`Payload`]: the bytes of a flow, and [`pattern`]: those of `"pattern"`, made only where they are read.

use crate::ids::FlowId;
use farlink_kernel::choice;
use farlink_kernel::random::draw;

choice! {
    /// What the bytes of a flow are.
    pub enum Payload {
        /// A pure function of flow and offset; costs nothing and is not looked at.
        Pattern = "pattern",
        /// Really stored, carried and hashed at the far end.
        Stored = "stored",
    }
}

/// Sets these draws apart from those of random models.
const PATTERN: u64 = 0x7061_7474_6572_6e00;

/// Set in every byte: readers of captures guess protocols from first bytes, which are small numbers or letters
/// mostly, and then complain.
const UPPER: u64 = 0xe0e0_e0e0_e0e0_e0e0;

/// The `len` bytes of `flow` that begin at `offset` of its stream: always the same for the same place.
pub fn pattern(flow: FlowId, offset: u64, len: u32) -> impl Iterator<Item = u8> {
    let words = (offset / 8..).map(move |word| draw(PATTERN, u64::from(flow), word, 0) | UPPER);
    words.flat_map(u64::to_le_bytes).skip((offset % 8) as usize).take(len as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_in_a_flow_holds_the_same_byte_however_it_is_cut() {
        let whole: Vec<u8> = pattern(FlowId(3), 0, 100).collect();
        for start in [0, 1, 7, 8, 9, 63] {
            assert_eq!(pattern(FlowId(3), start, 20).collect::<Vec<_>>(), whole[start as usize..][..20]);
        }
        assert_ne!(pattern(FlowId(4), 0, 100).collect::<Vec<_>>(), whole);
        assert_eq!(pattern(FlowId(3), (1 << 40) + 5, 3).count(), 3);
        assert!(whole.iter().all(|&byte| byte >= 0xe0));
    }
}
