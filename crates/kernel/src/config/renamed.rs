//! Names of version 0.1 that are different now, so that an old name is refused with the new one.

/// `(place, old, new)`. The place of a key is that of its table and, in a model, the model's name (`mac frn`); that of a
/// value has the key besides (`mac frn combine`). Results have the table (`results flows`), or none where several tables have the name.
pub fn renames() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    include_str!("renamed.csv").lines().skip(1).filter_map(|line| {
        let (place, names) = line.split_once(',')?;
        let (old, new) = names.split_once(',')?;
        Some((place, old, new))
    })
}

/// The present name of `word`, if that is among the `known` ones.
pub(super) fn renamed(word: &str, known: &[&str]) -> Option<&'static str> {
    renames().find(|(_, old, new)| *old == word && known.contains(new)).map(|(_, _, new)| new)
}
