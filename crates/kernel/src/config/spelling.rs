//! Unknown words, and the known ones nearest to them.

use super::customary::customary;
use super::{Diagnostic, Entry, Node};

/// Refuses the entries whose key is not in `known`, naming the nearest known one.
pub fn refuse_unknown(entries: &[Entry], known: &[&str]) -> Result<(), Diagnostic> {
    match entries.iter().find(|entry| !known.contains(&entry.key.as_str())) {
        None => Ok(()),
        Some(Entry { key, span, node }) => {
            Err(Diagnostic { span: span.clone(), ..unknown(key, "key", node, known) })
        }
    }
}

/// The limit on known words that are listed; of more, the closest to the unknown one.
const MOST_LISTED: usize = 20;
const CLOSEST: usize = 5;
/// Characters of an unknown word that are compared.
const MOST_COMPARED: usize = 64;

/// The diagnostic of an unknown word at `node`, with the nearest known one, or all of them, or the closest of very
/// many.
pub fn unknown(word: &str, what: &str, node: &Node, known: &[&str]) -> Diagnostic {
    if let Some(remedy) = customary(word, known) {
        return node.refuse(format!("unknown {what} `{word}`"), remedy);
    }
    // A word of any length is compared in bounded time.
    let begin = word.char_indices().nth(MOST_COMPARED).map_or(word, |(end, _)| &word[..end]);
    let remedy = match nearest(begin, known) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => "none is allowed here".into(),
        None if known.len() > MOST_LISTED => {
            let mut closest = known.to_vec();
            closest.sort_by_cached_key(|candidate| distance(begin, candidate));
            format!("known: {} and {} others", closest[..CLOSEST].join(", "), known.len() - CLOSEST)
        }
        None => format!("known: {}", known.join(", ")),
    };
    node.refuse(format!("unknown {what} `{word}`"), remedy)
}

fn differs_by_digits_only(word: &str, candidate: &str) -> bool {
    let without_digits = |text: &str| text.replace(|letter: char| letter.is_ascii_digit(), "");
    word != candidate && without_digits(word) == without_digits(candidate)
}

fn distance(word: &str, candidate: &str) -> usize {
    strsim::damerau_levenshtein(&word.to_ascii_lowercase(), &candidate.to_ascii_lowercase())
}

/// The known word nearest to `word`, if any is near enough to be a typo of it or begins with it. Of words that differ
/// by their digits only, as `2.0` and `0.0`, none is meant rather than another.
pub fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let begins = |candidate: &str| word.len() >= 3 && candidate.starts_with(&word.to_ascii_lowercase());
    known
        .iter()
        .filter(|candidate| !differs_by_digits_only(word, candidate))
        .map(|candidate| (distance(word, candidate), *candidate))
        .filter(|(distance, candidate)| {
            *distance <= (candidate.len().max(word.len()) / 3).max(1) || begins(candidate)
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}
