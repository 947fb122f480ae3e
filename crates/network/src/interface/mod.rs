//! [`Interface`]: where a node meets a link or a shared channel.
//!
//! A [`link`] has two ends and a [`pipe`] behind each. On a shared channel a node has a [`station`]: queue, MAC and
//! [`arp`].

use crate::ids::NodeId;

pub(crate) mod arp;
pub mod link;
pub(crate) mod pipe;
pub(crate) mod station;

use link::Link;
use station::Station;

/// An interface of a node.
#[derive(Debug)]
pub enum Interface {
    /// The sending end of one direction of a link.
    Link(Box<Link>),
    /// On a shared channel.
    Station(Box<Station>),
}

impl Interface {
    /// Its node.
    pub fn node(&self) -> NodeId {
        match self {
            Self::Link(link) => link.node,
            Self::Station(station) => station.node,
        }
    }

    /// The link's end.
    ///
    /// # Panics
    /// For a station: an event went astray.
    pub fn link(&mut self) -> &mut Link {
        match self {
            Self::Link(link) => link,
            Self::Station(_) => panic!("a link's event came to a station"),
        }
    }

    /// The station.
    ///
    /// # Panics
    /// For a link: an event went astray.
    pub fn station(&mut self) -> &mut Station {
        match self {
            Self::Station(station) => station,
            Self::Link(_) => panic!("a station's event came to a link"),
        }
    }
}
