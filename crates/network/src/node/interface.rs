//! [`Interface`]: where a node meets a link or a channel.

use crate::channel::station::Station;
use crate::channel::wire::Wire;
use crate::ids::NodeId;

/// An interface of a node.
#[derive(Debug)]
pub enum Interface {
    /// One end of a link.
    Wire(Box<Wire>),
    /// On a shared channel.
    Station(Box<Station>),
}

impl Interface {
    /// Whose interface it is.
    pub fn node(&self) -> NodeId {
        match self {
            Self::Wire(wire) => wire.node,
            Self::Station(station) => station.node,
        }
    }

    /// The link's end; panics for others: a wire's event went astray.
    pub(super) fn wire(&mut self) -> &mut Wire {
        match self {
            Self::Wire(wire) => wire,
            Self::Station(_) => panic!("a wire's event came to a station"),
        }
    }

    /// The station; panics for others: a station's event went astray.
    pub(crate) fn station(&mut self) -> &mut Station {
        match self {
            Self::Station(station) => station,
            Self::Wire(_) => panic!("a station's event came to a wire"),
        }
    }
}
