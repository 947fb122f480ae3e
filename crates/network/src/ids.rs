//! Numbers of what a run is made of. Each is a place in one of the world's lists.

use std::fmt;
use std::ops::{Index, IndexMut};

macro_rules! ids {
    ($( $(#[doc = $doc:literal])* $Id:ident, )*) => { $(
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $Id(pub u32);

        impl $Id {
            /// No id: lists are shorter.
            pub const MAX: Self = Self(u32::MAX);

            /// Its place in a list.
            #[inline(always)]
            pub fn as_index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $Id {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl From<$Id> for i64 {
            fn from(id: $Id) -> Self {
                Self::from(id.0)
            }
        }

        impl From<$Id> for u64 {
            #[inline(always)]
            fn from(id: $Id) -> Self {
                Self::from(id.0)
            }
        }

        #[cfg(test)]
        impl PartialEq<u32> for $Id {
            fn eq(&self, other: &u32) -> bool {
                self.0 == *other
            }
        }

        impl<T> Index<$Id> for Vec<T> {
            type Output = T;
            #[inline(always)]
            fn index(&self, id: $Id) -> &T {
                &self[id.as_index()]
            }
        }

        impl<T> IndexMut<$Id> for Vec<T> {
            #[inline(always)]
            fn index_mut(&mut self, id: $Id) -> &mut T {
                &mut self[id.as_index()]
            }
        }

        impl<T> Index<$Id> for [T] {
            type Output = T;
            #[inline(always)]
            fn index(&self, id: $Id) -> &T {
                &self[id.as_index()]
            }
        }

        impl<T> IndexMut<$Id> for [T] {
            #[inline(always)]
            fn index_mut(&mut self, id: $Id) -> &mut T {
                &mut self[id.as_index()]
            }
        }
    )* };
}

ids! {
    /// A node: its place in [`Blueprint::nodes`](crate::Blueprint::nodes).
    NodeId,
    /// An interface of a node: two per link, forward and reverse, then one per channel and member.
    InterfaceId,
    /// A flow: its place in [`Blueprint::flows`](crate::Blueprint::flows).
    FlowId,
    /// A shared channel: its place in [`Blueprint::channels`](crate::Blueprint::channels).
    ChannelId,
    /// A copy of a packet: its key in [`Packets`](crate::packet::Packets).
    PacketId,
    /// A message or header of a protocol: its key in [`Packets`](crate::packet::Packets).
    MessageId,
}

/// Which end of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The end that opens and sends the application's data.
    Sender,
    /// The other.
    Receiver,
}

impl End {
    /// The other end.
    pub fn other(self) -> Self {
        match self {
            Self::Sender => Self::Receiver,
            Self::Receiver => Self::Sender,
        }
    }
}
