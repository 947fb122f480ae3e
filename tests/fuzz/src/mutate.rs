//! Blind mutation, from a seed: what any toolchain can do without coverage.

use crate::Target;

/// `SplitMix64` (Steele, Lea, Flood, OOPSLA 2014).
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// The next number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound.max(1) as u64) as usize
    }
}

/// Runs `target` over `count` mutated inputs; the first that breaks it is given back.
pub fn campaign(
    target: Target,
    corpus: &[Vec<u8>],
    words: &[Vec<u8>],
    seed: u64,
    count: u64,
) -> Option<Vec<u8>> {
    let mut random = Random(seed);
    (0..count).find_map(|_| {
        let input = mutated(corpus, words, &mut random);
        std::panic::catch_unwind(|| (target.run)(&input)).is_err().then_some(input)
    })
}

/// An input of the corpus after one to four mutations.
fn mutated(corpus: &[Vec<u8>], words: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut input = corpus[random.below(corpus.len())].clone();
    for _ in 0..=random.below(4) {
        mutate(&mut input, corpus, words, random);
    }
    input
}

fn mutate(input: &mut Vec<u8>, corpus: &[Vec<u8>], words: &[Vec<u8>], random: &mut Random) {
    let at = random.below(input.len() + 1);
    let end = (at + 1 + random.below(16)).min(input.len());
    match random.below(7) {
        0 if at < input.len() => input[at] ^= 1 << random.below(8),
        1 if at < input.len() => input[at] = random.below(256) as u8,
        2 => drop(input.drain(at.min(end)..end)),
        3 => {
            let copy = input[at.min(end)..end].to_vec();
            input.splice(at..at, copy);
        }
        4 if !words.is_empty() => {
            let word = words[random.below(words.len())].iter().copied();
            input.splice(at..if random.below(2) == 0 { at } else { at.max(end) }, word);
        }
        5 => {
            let other = &corpus[random.below(corpus.len())];
            let from = random.below(other.len() + 1);
            let part = other[from..(from + random.below(64)).min(other.len())].to_vec();
            input.splice(at..at, part);
        }
        _ => lines(input, random),
    }
}

/// Removes, doubles or exchanges whole lines.
fn lines(input: &mut Vec<u8>, random: &mut Random) {
    let mut lines: Vec<Vec<u8>> =
        input.split_inclusive(|byte| *byte == b'\n').map(ToOwned::to_owned).collect();
    if lines.is_empty() {
        return;
    }
    let (one, other) = (random.below(lines.len()), random.below(lines.len()));
    match random.below(3) {
        0 => drop(lines.remove(one)),
        1 => lines.insert(other, lines[one].clone()),
        _ => lines.swap(one, other),
    }
    *input = lines.concat();
}
