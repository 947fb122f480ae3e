//! Small maps and sets in the order of their keys: sorted vectors.
//!
//! Tables of neighbours and routes need an order that is the same on every machine. Up to some thousand keys a sorted
//! vector finds one sooner than a B-tree does, and costs the compiler a tenth: B-trees, each for keys and values of its
//! own, were 29 % of the code of `farlink-network`. To insert or remove takes time for the keys behind.

use std::mem;
use std::ops::{Index, RangeInclusive};
use std::slice;
use std::vec;

/// Values by key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map<K, V>(Vec<(K, V)>);

/// Keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Set<K>(Map<K, ()>);

/// The place of a key in a map: there, or to be filled.
#[derive(Debug)]
pub struct Entry<'a, K, V> {
    map: &'a mut Map<K, V>,
    key: K,
    place: Result<usize, usize>,
}

impl<'a, K, V> Entry<'a, K, V> {
    /// The value, which is `value` if the key had none.
    pub fn or_insert(self, value: V) -> &'a mut V {
        self.or_insert_with(|| value)
    }

    /// The value, which is `value()` if the key had none.
    pub fn or_insert_with(self, value: impl FnOnce() -> V) -> &'a mut V {
        let Self { map, key, place } = self;
        let place = place.unwrap_or_else(|place| {
            map.0.insert(place, (key, value()));
            place
        });
        &mut map.0[place].1
    }

    /// The value, which is the default if the key had none.
    pub fn or_default(self) -> &'a mut V
    where
        V: Default,
    {
        self.or_insert_with(V::default)
    }
}

impl<K, V> Map<K, V> {
    /// Without keys.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Keys and values.
    pub fn iter(&self) -> Iter<'_, K, V> {
        self.0.iter().map(by_reference)
    }

    /// The keys.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &K> + Clone {
        self.0.iter().map(|(key, _)| key)
    }

    /// The values in the order of their keys.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &V> + Clone {
        self.0.iter().map(|(_, value)| value)
    }

    /// Keys and values, to change these.
    pub fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = (&K, &mut V)> {
        self.0.iter_mut().map(|(key, value)| (&*key, value))
    }

    /// The values in the order of their keys, to change them.
    pub fn values_mut(&mut self) -> impl ExactSizeIterator<Item = &mut V> {
        self.0.iter_mut().map(|(_, value)| value)
    }

    /// Removes all keys.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Removes the keys for which `keeps` is false.
    pub fn retain(&mut self, mut keeps: impl FnMut(&K, &mut V) -> bool) {
        self.0.retain_mut(|(key, value)| keeps(key, value));
    }
}

impl<K: Ord, V> Map<K, V> {
    fn find(&self, key: &K) -> Result<usize, usize> {
        self.0.binary_search_by(|(other, _)| other.cmp(key))
    }

    /// The value of a key.
    pub fn get(&self, key: &K) -> Option<&V> {
        self.find(key).ok().map(|place| &self.0[place].1)
    }

    /// The value of a key, to change it.
    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        self.find(key).ok().map(|place| &mut self.0[place].1)
    }

    /// Whether a key is there.
    pub fn contains_key(&self, key: &K) -> bool {
        self.find(key).is_ok()
    }

    /// The value of a key, to change it, unless `keeps` is false: then the key is removed.
    pub fn get_or_remove(&mut self, key: &K, keeps: impl FnOnce(&mut V) -> bool) -> Option<&mut V> {
        let place = self.find(key).ok()?;
        if !keeps(&mut self.0[place].1) {
            self.0.remove(place);
            return None;
        }
        Some(&mut self.0[place].1)
    }

    /// Gives a key a value; the one before.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.find(&key) {
            Ok(place) => Some(mem::replace(&mut self.0[place].1, value)),
            Err(place) => {
                self.0.insert(place, (key, value));
                None
            }
        }
    }

    /// Removes a key; its value.
    pub fn remove(&mut self, key: &K) -> Option<V> {
        self.find(key).ok().map(|place| self.0.remove(place).1)
    }

    /// The place of a key.
    pub fn entry(&mut self, key: K) -> Entry<'_, K, V> {
        let place = self.find(&key);
        Entry { map: self, key, place }
    }

    fn places(&self, keys: &RangeInclusive<K>) -> std::ops::Range<usize> {
        let first = self.0.partition_point(|(key, _)| key < keys.start());
        let count = self.0[first..].partition_point(|(key, _)| key <= keys.end());
        first..first + count
    }

    /// Keys within `keys`, and their values.
    pub fn range(&self, keys: RangeInclusive<K>) -> Iter<'_, K, V> {
        self.0[self.places(&keys)].iter().map(by_reference)
    }

    /// The values of keys within `keys`, to change them.
    pub fn range_mut(&mut self, keys: RangeInclusive<K>) -> impl Iterator<Item = &mut V> {
        let places = self.places(&keys);
        self.0[places].iter_mut().map(|(_, value)| value)
    }
}

/// Keys and values of a [`Map`].
pub type Iter<'a, K, V> = std::iter::Map<slice::Iter<'a, (K, V)>, fn(&'a (K, V)) -> (&'a K, &'a V)>;

fn by_reference<K, V>((key, value): &(K, V)) -> (&K, &V) {
    (key, value)
}

impl<K, V> Default for Map<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for Map<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        let mut map = Self::new();
        pairs.into_iter().for_each(|(key, value)| drop(map.insert(key, value)));
        map
    }
}

impl<K: Ord, V> Index<&K> for Map<K, V> {
    type Output = V;

    fn index(&self, key: &K) -> &V {
        self.get(key).expect("a key of the map")
    }
}

impl<K, V> IntoIterator for Map<K, V> {
    type Item = (K, V);
    type IntoIter = vec::IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a, K, V> IntoIterator for &'a Map<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = Iter<'a, K, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<K: Ord, V> Extend<(K, V)> for Map<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, pairs: I) {
        pairs.into_iter().for_each(|(key, value)| drop(self.insert(key, value)));
    }
}

impl<K: Ord> Set<K> {
    /// Adds a key; false if it was there.
    pub fn insert(&mut self, key: K) -> bool {
        self.0.insert(key, ()).is_none()
    }

    /// Removes a key; whether it was there.
    pub fn remove(&mut self, key: &K) -> bool {
        self.0.remove(key).is_some()
    }

    /// Whether a key is there.
    pub fn contains(&self, key: &K) -> bool {
        self.0.contains_key(key)
    }

    /// Keys within `keys`.
    pub fn range(&self, keys: RangeInclusive<K>) -> impl Iterator<Item = &K> {
        self.0.range(keys).map(|(key, ())| key)
    }
}

impl<K> Set<K> {
    /// Without keys.
    pub const fn new() -> Self {
        Self(Map::new())
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The keys.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &K> + Clone {
        self.0.keys()
    }

    /// Removes the keys for which `keeps` is false.
    pub fn retain(&mut self, mut keeps: impl FnMut(&K) -> bool) {
        self.0.retain(|key, ()| keeps(key));
    }
}

impl<K> Default for Set<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Ord> FromIterator<K> for Set<K> {
    fn from_iter<I: IntoIterator<Item = K>>(keys: I) -> Self {
        Self(keys.into_iter().map(|key| (key, ())).collect())
    }
}

impl<K> IntoIterator for Set<K> {
    type Item = K;
    type IntoIter = std::iter::Map<vec::IntoIter<(K, ())>, fn((K, ())) -> K>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter().map(|(key, ())| key)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    /// Operations at random on few keys, so that each is often there.
    fn draws() -> impl Iterator<Item = (u8, u8, u32)> {
        let mut state = 1_u64;
        (0..20_000).map(move |_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 60) as u8, (state >> 50) as u8 % 40, (state >> 20) as u32)
        })
    }

    #[test]
    fn a_map_does_what_a_btree_does() {
        let (mut map, mut tree) = (Map::new(), BTreeMap::new());
        for (what, key, value) in draws() {
            match what {
                0..5 => assert_eq!(map.insert(key, value), tree.insert(key, value)),
                5..8 => assert_eq!(map.remove(&key), tree.remove(&key)),
                8 => *map.entry(key).or_insert(value) = *tree.entry(key).or_insert(value),
                9 => assert_eq!(*map.entry(key).or_default(), *tree.entry(key).or_default()),
                10 if value % 50 == 0 => {
                    map.retain(|_, kept| *kept % 2 == 0);
                    tree.retain(|_, kept| *kept % 2 == 0);
                }
                11 => assert_eq!(map.get_mut(&key), tree.get_mut(&key)),
                12 => {
                    let keys = key..=key.saturating_add((value % 9) as u8);
                    assert!(map.range(keys.clone()).eq(tree.range(keys.clone())));
                    map.range_mut(keys.clone()).for_each(|value| *value /= 2);
                    tree.range_mut(keys).for_each(|(_, value)| *value /= 2);
                }
                13 => {
                    let is_kept = tree.get(&key).is_some_and(|value| value % 3 == 0);
                    assert_eq!(map.get_or_remove(&key, |value| *value % 3 == 0).is_some(), is_kept);
                    if !is_kept {
                        tree.remove(&key);
                    }
                }
                _ => assert_eq!(map.contains_key(&key), tree.contains_key(&key)),
            }
            assert!(map.iter().eq(&tree) && map.len() == tree.len());
        }
        assert_eq!(map.clone().into_iter().rev().collect::<Map<_, _>>(), map);
    }

    #[test]
    fn a_set_does_what_a_btree_does() {
        let (mut set, mut tree) = (Set::new(), BTreeSet::new());
        for (what, key, _) in draws() {
            match what {
                0..7 => assert_eq!(set.insert(key), tree.insert(key)),
                7..13 => assert_eq!(set.remove(&key), tree.remove(&key)),
                13 => assert!(set.range(key..=key + 5).eq(tree.range(key..=key + 5))),
                _ => assert_eq!(set.contains(&key), tree.contains(&key)),
            }
            assert!(set.iter().eq(&tree) && set.is_empty() == tree.is_empty());
        }
    }
}
