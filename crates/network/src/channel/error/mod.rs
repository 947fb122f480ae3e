//! Error models: what happens to the packets of one direction of a link on their way.
//!
//! A model is asked about the k-th packet offered to the link. Its luck is a hash of (seed, link, k), so
//! what happens to one packet does not depend on what another variant sent before it.

use farlink_kernel::{Duration, registry};

pub mod bit_error_rate;
pub mod gilbert_elliott;
pub mod impair;
pub mod list;
pub mod none;
pub mod packet_error_rate;

/// A packet on its way over a link.
#[derive(Clone, Copy, Debug)]
pub struct Offer {
    /// How many packets the link was offered, this one included.
    pub number: u64,
    /// Its size in bytes.
    pub size: u32,
    /// True when it carries payload.
    pub is_data: bool,
}

/// What happens to a packet on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It arrives.
    Arrives,
    /// It is lost.
    Lost,
    /// It arrives with wrong bits and is dropped there.
    Corrupted,
    /// It arrives twice.
    Duplicated,
    /// It arrives so much later, others may overtake it.
    Held(Duration),
}

/// The role.
pub trait ErrorModel: std::fmt::Debug + Send {
    /// What happens to this packet? Asked once for each, in the order they are sent.
    fn fate(&mut self, offer: &Offer) -> Fate;

    /// True when every packet arrives, so that nobody needs to ask.
    fn is_harmless(&self) -> bool {
        false
    }
}

/// What a member is told when it is set to work.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// The run's seed.
    pub seed: u64,
    /// The link direction's number, the key of its luck.
    pub link: u64,
}

registry! {
    /// Error models of links.
    ErrorModel(Setup) {
        /// Every packet arrives.
        none::Perfect,
        /// Every bit is wrong with the same probability; a packet with a wrong bit is lost.
        bit_error_rate::BitErrorRate,
        /// Every packet is lost with the same probability.
        packet_error_rate::PacketErrorRate,
        /// Two states, good and bad, each with its own loss probability.
        gilbert_elliott::GilbertElliott,
        /// Exactly these packets are lost.
        list::List,
        /// For tests: loses, reorders, duplicates and corrupts at random.
        impair::Impair,
    }
}
