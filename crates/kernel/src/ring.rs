//! [`Ring`]: a queue of items with ascending ids. The slot of an item is its id modulo a power of two, so that access
//! by id needs no search.

use std::ops::{Index, IndexMut};

/// A queue that grows at its end and shrinks at its beginning.
#[derive(Clone, Debug)]
pub struct Ring<T> {
    /// A power of two of slots; those outside of `begin..end` are unused.
    places: Vec<T>,
    begin: u64,
    end: u64,
}

impl<T: Copy + Default> Default for Ring<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Copy + Default> Ring<T> {
    /// An empty queue whose first item will have id 0.
    pub fn new() -> Self {
        Self { places: vec![T::default(); 16], begin: 0, end: 0 }
    }

    /// The first thing's id, which is that of the next thing in an empty row.
    pub fn begin(&self) -> u64 {
        self.begin
    }

    /// The id the next thing will get.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// How many things are in the row.
    pub fn len(&self) -> usize {
        (self.end - self.begin) as usize
    }

    /// True when nothing is.
    pub fn is_empty(&self) -> bool {
        self.begin == self.end
    }

    /// The first thing.
    pub fn first(&self) -> Option<&T> {
        (!self.is_empty()).then(|| &self[self.begin])
    }

    /// The thing with this id, if it is in the row.
    pub fn get(&self, id: u64) -> Option<&T> {
        (self.begin <= id && id < self.end).then(|| &self[id])
    }

    /// Every id, first to last.
    pub fn ids(&self) -> std::ops::Range<u64> {
        self.begin..self.end
    }

    /// Everything, first to last.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.ids().map(|id| &self[id])
    }

    /// Puts a thing at the end.
    #[inline(always)]
    pub fn push(&mut self, thing: T) {
        if self.end - self.begin == self.places.len() as u64 {
            self.grow();
        }
        self.end += 1;
        let last = self.end - 1;
        self[last] = thing;
    }

    /// Takes the first thing out.
    #[inline(always)]
    pub fn pop(&mut self) -> Option<T> {
        let first = *self.first()?;
        self.begin += 1;
        Some(first)
    }

    /// Takes out everything before `id`.
    #[inline(always)]
    pub fn skip_to(&mut self, id: u64) {
        self.begin = self.begin.max(id).min(self.end);
    }

    fn place(&self, id: u64) -> usize {
        id as usize & (self.places.len() - 1)
    }

    #[cold]
    fn grow(&mut self) {
        let mut larger = Self { places: vec![T::default(); 2 * self.places.len()], ..*self };
        for id in self.ids() {
            larger[id] = self[id];
        }
        *self = larger;
    }
}

impl<T: Copy + Default> Index<u64> for Ring<T> {
    type Output = T;
    #[inline(always)]
    fn index(&self, id: u64) -> &T {
        &self.places[self.place(id)]
    }
}

impl<T: Copy + Default> IndexMut<u64> for Ring<T> {
    #[inline(always)]
    fn index_mut(&mut self, id: u64) -> &mut T {
        let place = self.place(id);
        &mut self.places[place]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_keep_their_ids_when_the_row_grows_and_moves() {
        let mut ring = Ring::new();
        for id in 0..1000_u64 {
            assert_eq!(ring.end(), id);
            ring.push(id);
            if id % 3 == 0 {
                assert_eq!(ring.pop(), Some(id / 3));
            }
            assert!(ring.ids().all(|id| ring[id] == id));
        }
        assert_eq!((ring.first().copied(), ring.get(333), ring.get(1000)), (Some(334), None, None));
        ring.skip_to(900);
        ring.skip_to(5);
        assert_eq!((ring.first().copied(), ring.get(899), ring.len()), (Some(900), None, 100));
    }
}
