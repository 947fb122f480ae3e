//! [`Slab`]: items with `u32` ids, which are reused; no allocation after it has reached its largest size.

/// A growing store of `T` with reused `u32` keys.
#[derive(Clone, Debug)]
pub struct Slab<T> {
    slots: Vec<Slot<T>>,
    free: u32,
    len: u32,
}

#[derive(Clone, Debug)]
enum Slot<T> {
    Used(T),
    /// The next free slot, or [`END`].
    Free(u32),
}

const END: u32 = u32::MAX;

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self { slots: Vec::new(), free: END, len: 0 }
    }
}

impl<T> Slab<T> {
    /// An empty slab.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many things are stored.
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// True when nothing is stored.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Stores `item` and returns its key.
    #[inline]
    pub fn insert(&mut self, item: T) -> u32 {
        self.len += 1;
        // One place writes the item: it may be large.
        if self.free == END {
            self.grow();
        }
        let key = self.free;
        let slot = &mut self.slots[key as usize];
        match *slot {
            Slot::Free(next) => self.free = next,
            Slot::Used(_) => unreachable!("the free list holds free slots"),
        }
        *slot = Slot::Used(item);
        key
    }

    #[cold]
    fn grow(&mut self) {
        self.free = u32::try_from(self.slots.len()).expect("more than 2^32 live items");
        self.slots.push(Slot::Free(END));
    }

    /// Takes the thing at `key` out. Panics when there is none: an id used twice is a broken engine.
    #[inline]
    pub fn remove(&mut self, key: u32) -> T {
        let slot = std::mem::replace(&mut self.slots[key as usize], Slot::Free(self.free));
        match slot {
            Slot::Used(item) => {
                self.free = key;
                self.len -= 1;
                item
            }
            Slot::Free(_) => is_free(key),
        }
    }

    /// Everything stored, by ascending key.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        self.slots.iter().enumerate().filter_map(|(key, slot)| match slot {
            Slot::Used(item) => Some((key as u32, item)),
            Slot::Free(_) => None,
        })
    }
}

impl<T> std::ops::Index<u32> for Slab<T> {
    type Output = T;
    #[inline(always)]
    fn index(&self, key: u32) -> &T {
        match &self.slots[key as usize] {
            Slot::Used(item) => item,
            Slot::Free(_) => is_free(key),
        }
    }
}

impl<T> std::ops::IndexMut<u32> for Slab<T> {
    #[inline(always)]
    fn index_mut(&mut self, key: u32) -> &mut T {
        match &mut self.slots[key as usize] {
            Slot::Used(item) => item,
            Slot::Free(_) => is_free(key),
        }
    }
}

#[cold]
fn is_free(key: u32) -> ! {
    panic!("slab key {key} is free")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freed_keys_are_used_again() {
        let mut slab = Slab::new();
        let (a, b) = (slab.insert('a'), slab.insert('b'));
        assert_eq!(slab.remove(a), 'a');
        assert_eq!(slab.insert('c'), a);
        assert_eq!((slab[a], slab[b], slab.len()), ('c', 'b', 2));
    }

    #[test]
    #[should_panic(expected = "is free")]
    fn a_key_cannot_be_removed_twice() {
        let mut slab = Slab::new();
        let key = slab.insert(1);
        slab.remove(key);
        slab.remove(key);
    }
}
